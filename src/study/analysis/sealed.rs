//! Results as JSON, whose checksum stands in the table beside them.

use std::io;
use std::path::{Path, PathBuf};

use crate::scene::read_limited;
use crate::table::{TableError, TableReader, sha256};

/// A result and where its checksum is.
pub(in crate::study) struct Seal {
    /// Name of the JSON file in the directory of an analysis.
    pub file: &'static str,
    /// Name of the table beside it.
    pub table: &'static str,
    /// Metadata of the table: SHA-256 of the JSON file.
    pub key: &'static str,
}

/// The text of a result, as it was written; `None` if there is none. `unreadable` makes the error of a file that is something else.
pub(in crate::study) fn sealed_text<E: From<TableError>>(
    directory: &Path,
    seal: &Seal,
    unreadable: impl Fn(PathBuf, String) -> E,
) -> Result<Option<String>, E> {
    let path = directory.join(seal.file);
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8 text");
    let text = match read_limited(&path).and_then(|bytes| String::from_utf8(bytes).map_err(not_text)) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(TableError::Read { path, source }.into()),
    };
    let table = directory.join(seal.table);
    if !table.exists() {
        return Err(unreadable(path, format!("there is no {} beside it, which holds its checksum", seal.table)));
    }
    let table = TableReader::open_verified(&table, &[])?;
    let (said, computed) = (table.metadata().get(seal.key).map_or("", String::as_str), sha256(text.as_bytes()));
    if said != computed {
        return Err(unreadable(path, format!("its checksum is {computed}, and {} says `{said}`", seal.table)));
    }
    Ok(Some(text))
}
