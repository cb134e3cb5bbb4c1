//! What a scene file says that is not so in the scene.

use std::fmt;
use std::path::{Path, PathBuf};

/// Something that a reader of a scene file should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneWarning {
    /// The scene file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The field, and what is not so.
    pub message: String,
}

impl SceneWarning {
    /// The same, with the name of the file alone: wherever it stands.
    #[must_use]
    pub fn without_directory(&self) -> Self {
        let name = self.path.file_name().map_or_else(|| self.path.as_path(), Path::new);
        Self { path: name.to_owned(), ..self.clone() }
    }
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path.display(), self.line, self.message)
    }
}
