//! What can go wrong between a file and the values read from it.

use std::io;
use std::path::{Path, PathBuf};

use super::MAXIMUM_SIZE;

/// Why a document, or a value in it, was refused. Every message is one line and starts with the file's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file could not be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is larger than [`MAXIMUM_SIZE`].
    #[error("{}: is larger than the limit of {} bytes", path.display(), MAXIMUM_SIZE)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not well-formed TOML or JSON, or not even UTF-8 text.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The text is well formed, but a value or a key in it is not allowed.
    #[error("{}:{line}:{column}: {field}{}{message}", path.display(), if field.is_empty() { "" } else { ": " })]
    Refused {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The path of the field, such as `inputs.sink_rate.mean`; empty for the document itself.
        field: String,
        /// What was found and what is allowed.
        message: String,
    },
}

impl DocumentError {
    /// The file the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. }
            | Self::TooLarge { path }
            | Self::Syntax { path, .. }
            | Self::Refused { path, .. } => path,
        }
    }

    /// The line, counted from 1, where the error has a place in the text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line_column().map(|(line, _)| line)
    }

    /// The column in characters, counted from 1, where the error has a place in the text.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.line_column().map(|(_, column)| column)
    }

    fn line_column(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Syntax { line, column, .. } | Self::Refused { line, column, .. } => Some((line, column)),
            Self::Unreadable { .. } | Self::TooLarge { .. } => None,
        }
    }
}
