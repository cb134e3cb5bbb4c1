//! The files of a study, kept verbatim, so that a run directory is self-contained.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::scene::read_limited;
use crate::table::{TableError, write_atomically};

/// Name of the study file in a run directory.
const STUDY_FILE: &str = "study.toml";
/// Name of the study file in a run directory, for a JSON study.
const STUDY_FILE_JSON: &str = "study.json";
/// Directory of the files named by the study, in a run directory.
const NAMED_FILES: &str = "files";

/// Names of the table of inputs in a run directory, if there is one.
const INPUT_TABLES: [&str; 3] = ["inputs.csv", "inputs.csv.gz", "inputs.parquet"];

/// The study file and the files it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sources {
    study: Vec<u8>,
    json: bool,
    /// Names as written in the study, with contents.
    named: Vec<(String, Vec<u8>)>,
    /// The table of inputs: its name in a run directory, with contents.
    inputs: Option<(&'static str, Vec<u8>)>,
    hash: String,
}

/// Locates the files named by a study.
#[derive(Clone, Debug)]
pub(super) enum StudyFiles {
    /// Beside the study file.
    Beside(PathBuf),
    /// In a run directory.
    Run(PathBuf),
    /// In memory, by their names in the study.
    Memory(BTreeMap<String, Vec<u8>>),
}

impl StudyFiles {
    /// Beside this study file; where it is a run's own copy, in the run's directory.
    pub fn of(study: &Path) -> Self {
        let directory = study.parent().unwrap_or(Path::new("")).to_owned();
        let is_copy = stored_study(&directory).file_name() == study.file_name();
        if is_copy && holds_run(&directory) && directory.join("parts").is_dir() {
            Self::Run(directory)
        } else {
            Self::Beside(directory)
        }
    }

    /// The table of inputs of a run, if there is one.
    pub fn stored_inputs(&self) -> Option<PathBuf> {
        let Self::Run(directory) = self else { return None };
        INPUT_TABLES.iter().map(|name| directory.join(name)).find(|path| path.exists())
    }

    /// Path of the file that the study calls `name`.
    pub fn file(&self, name: &str) -> PathBuf {
        match self {
            Self::Beside(directory) => directory.join(name),
            Self::Run(directory) => directory.join(NAMED_FILES).join(stored_name(name)),
            Self::Memory(_) => name.into(),
        }
    }

    /// An openable path of the file that the study calls `name`, with its temporary directory if it is in memory.
    pub fn on_disk(&self, name: &str) -> io::Result<(PathBuf, Option<TempDir>)> {
        let Self::Memory(_) = self else {
            return Ok((self.file(name), None));
        };
        let directory = tempfile::tempdir()?;
        let path = directory.path().join(Path::new(name).file_name().unwrap_or_default());
        std::fs::write(&path, self.contents(name)?)?;
        Ok((path, Some(directory)))
    }

    /// Contents of the file that the study calls `name`.
    pub fn contents(&self, name: &str) -> io::Result<Vec<u8>> {
        match self {
            Self::Beside(_) | Self::Run(_) => read_limited(&self.file(name)),
            Self::Memory(files) => files.get(name).cloned().ok_or_else(|| {
                let names: Vec<&str> = files.keys().map(String::as_str).collect();
                io::Error::new(io::ErrorKind::NotFound, format!("not among the files given: {}", names.join(", ")))
            }),
        }
    }
}

/// The study file of a run directory.
pub(super) fn stored_study(directory: &Path) -> PathBuf {
    let json = directory.join(STUDY_FILE_JSON);
    if json.exists() { json } else { directory.join(STUDY_FILE) }
}

/// Name in a run directory of a table of inputs with this path.
pub(super) fn stored_inputs_name(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    INPUT_TABLES.into_iter().find(|stored| name.ends_with(&stored["inputs".len()..]))
}

/// Whether a directory holds a study as stored by a run, not one put there by a person.
pub(super) fn holds_run(directory: &Path) -> bool {
    stored_study(directory).exists() && directory.join(NAMED_FILES).is_dir()
}

impl Sources {
    /// From the contents of the study file, of the files it names, and of a table of inputs.
    pub fn new(
        study: Vec<u8>,
        json: bool,
        named: Vec<(String, Vec<u8>)>,
        inputs: Option<(&'static str, Vec<u8>)>,
    ) -> Self {
        let mut digest = Sha256::new();
        let mut add = |bytes: &[u8]| {
            // Hashing lengths distinguishes lists of files with the same concatenation.
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        };
        add(&study);
        for (name, contents) in &named {
            add(name.as_bytes());
            add(contents);
        }
        if let Some((name, contents)) = &inputs {
            add(name.as_bytes());
            add(contents);
        }
        let hash = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { study, json, named, inputs, hash }
    }

    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether the study file is JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// The files that the study names, by name.
    pub fn files(&self) -> BTreeMap<&str, &[u8]> {
        self.named.iter().map(|(name, contents)| (name.as_str(), contents.as_slice())).collect()
    }

    /// The study file, verbatim.
    pub fn study_text(&self) -> String {
        String::from_utf8_lossy(&self.study).into_owned()
    }

    /// Writes all files to a run directory; the study file last, so that its presence implies completeness.
    pub fn store(&self, directory: &Path) -> Result<(), TableError> {
        // It marks a run, even for a study that names no files.
        let named = directory.join(NAMED_FILES);
        std::fs::create_dir_all(&named).map_err(|source| TableError::Write { path: named, source })?;
        for (name, contents) in &self.named {
            let path = directory.join(NAMED_FILES).join(stored_name(name));
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|source| TableError::Write { path: path.clone(), source })?;
            }
            write_atomically(&path, contents)?;
        }
        if let Some((name, contents)) = &self.inputs {
            write_atomically(&directory.join(name), contents)?;
        }
        write_atomically(&directory.join(if self.json { STUDY_FILE_JSON } else { STUDY_FILE }), &self.study)
    }
}

/// A name that stays inside the directory of named files: roots are dropped, `..` becomes `up`.
pub(super) fn stored_name(name: &str) -> PathBuf {
    Path::new(name)
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part),
            Component::ParentDir => Some("up".as_ref()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_never_leave_the_directory() {
        for (name, stored) in [("a/b.toml", "a/b.toml"), ("../../x", "up/up/x"), ("/etc/x", "etc/x"), ("./a", "a")] {
            assert_eq!(stored_name(name), Path::new(stored));
        }
    }

    #[test]
    fn hash_tells_apart_what_runs_together() {
        let named = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
            Sources::new(b"study".to_vec(), false, pairs, None).hash().to_owned()
        };
        assert_ne!(named(&[("ab", "c")]), named(&[("a", "bc")]));
        assert_eq!(named(&[("ab", "c")]), named(&[("ab", "c")]));
        assert_eq!(named(&[]).len(), 64);
    }
}
