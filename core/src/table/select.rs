//! The wanted columns among those of a file: what readers of both formats share.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{ColumnKind, TableError, Wanted, first_duplicate};
use crate::document::nearest;

/// What a file says before its first row.
pub(super) struct Header {
    pub(super) column_names: Vec<String>,
    pub(super) metadata: BTreeMap<String, String>,
}

pub(super) fn read_error(path: &Path, source: io::Error) -> TableError {
    TableError::Read { path: path.to_owned(), source }
}

/// A wanted column and where the file has it.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    pub(super) required_value: bool,
    /// Position among the file's columns; `None` where the column is absent and may be.
    pub(super) position: Option<usize>,
}

/// Finds the wanted columns among those of a file.
pub(super) fn select(path: &Path, present: &[String], wanted: &[Wanted]) -> Result<Vec<Selected>, TableError> {
    if let Some(column) = first_duplicate(present.iter().map(String::as_str)) {
        return Err(TableError::DuplicateColumn { path: path.to_owned(), column: column.to_owned() });
    }
    let unasked = || present.iter().map(String::as_str).filter(|name| wanted.iter().all(|other| other.name != *name));
    wanted
        .iter()
        .map(|wanted| {
            let position = present.iter().position(|name| *name == wanted.name);
            if position.is_none() && wanted.required_column {
                return Err(missing_column(path, present, &wanted.name));
            }
            if position.is_none() {
                refuse_misspelling(path, unasked(), &wanted.name)?;
            }
            Ok(Selected {
                name: wanted.name.clone(),
                kind: wanted.kind,
                required_value: wanted.required_value && position.is_some(),
                position,
            })
        })
        .collect()
}

/// An optional column under a misspelled name would be ignored without a word.
fn refuse_misspelling<'a>(
    path: &Path,
    unasked: impl Iterator<Item = &'a str>,
    optional: &str,
) -> Result<(), TableError> {
    match nearest(optional, unasked) {
        None => Ok(()),
        Some(found) => Err(TableError::MisspelledColumn {
            path: path.to_owned(),
            column: optional.to_owned(),
            found: found.to_owned(),
        }),
    }
}

fn missing_column(path: &Path, present: &[String], column: &str) -> TableError {
    TableError::MissingColumn {
        path: PathBuf::from(path),
        column: column.to_owned(),
        nearest: nearest(column, present.iter().map(String::as_str)).map(str::to_owned),
        present: present.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_are_selected_in_the_order_asked_for() {
        let present = names(&["a", "b", "c"]);
        let wanted = [
            Wanted::required("c", ColumnKind::Number),
            Wanted::optional("z", ColumnKind::Text),
            Wanted::required("a", ColumnKind::Integer),
        ];
        let selected = select(Path::new("t.csv"), &present, &wanted).unwrap();
        let positions: Vec<_> = selected.iter().map(|column| column.position).collect();
        assert_eq!(positions, [Some(2), None, Some(0)]);
    }

    #[test]
    fn an_optional_column_under_a_misspelled_name_is_refused() {
        let wanted = ["lambda1", "lambda2"].map(|name| Wanted::optional(name, ColumnKind::Number));
        let error = select(Path::new("t.csv"), &names(&["lamda1", "lambda2"]), &wanted).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv: column \"lamda1\" is not known and \"lambda1\" is not there; rename one that is meant to be the other"
        );
        // The other wanted column is near as well, but it is known.
        let selected = select(Path::new("t.csv"), &names(&["lambda2", "colour"]), &wanted).unwrap();
        assert_eq!((selected[0].position, selected[1].position), (None, Some(0)));
    }

    #[test]
    fn a_missing_required_column_and_a_duplicate_are_refused() {
        let wanted = [Wanted::required("brake", ColumnKind::Number)];
        let error = select(Path::new("t.csv"), &names(&["step", "barke"]), &wanted).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv: there is no column \"brake\" (did you mean \"barke\"?); the columns are \"step\", \"barke\""
        );
        let error = select(Path::new("t.csv"), &names(&["x1", "x1"]), &[]).unwrap_err();
        assert_eq!(error.to_string(), "t.csv: more than one column is called \"x1\"");
    }
}
