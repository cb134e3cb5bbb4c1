//! Column names of bodies in a file.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::document::nearest;

/// Columns with other names than the known ones: pairs of a known name and that in the file.
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::packing::ColumnNames;
///
/// let names: ColumnNames = "id=tag,x=c_place[1]".parse()?;
/// assert_eq!((names.column("x"), names.column("y")), ("c_place[1]", "y"));
/// # Ok::<(), touchdown::packing::ColumnNamesError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames {
    given: Vec<(String, String)>,
}

/// Why column names are invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnNamesError {
    /// Not of the required form.
    #[error("{found:?} must be a known name, `=` and the name in the file, such as x=xu; separate several by commas")]
    Form {
        /// What was found.
        found: String,
    },
    /// A duplicate name.
    #[error("{name:?} is given more than once")]
    Twice {
        /// The name.
        name: String,
    },
    /// An unknown name.
    #[error("{name:?} is not known in a {kind}{}; known are {}", meant(nearest.as_deref()), known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// Kind of the file.
        kind: BodiesFile,
        /// A similar known name.
        nearest: Option<String>,
        /// All known names.
        known: Vec<&'static str>,
    },
}

/// Kinds of files of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodiesFile {
    /// A dump of LAMMPS.
    Dump,
    /// A batch table.
    Table,
}

impl fmt::Display for BodiesFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Dump => "dump",
            Self::Table => "table",
        })
    }
}

impl FromStr for ColumnNames {
    type Err = ColumnNamesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut given: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let sides = part.split_once('=').map(|(name, column)| (name.trim(), column.trim()));
            let Some((name, column)) = sides.filter(|(name, column)| !name.is_empty() && !column.is_empty()) else {
                return Err(ColumnNamesError::Form { found: part.to_owned() });
            };
            if given.iter().any(|(other, _)| other == name) {
                return Err(ColumnNamesError::Twice { name: name.to_owned() });
            }
            given.push((name.to_owned(), column.to_owned()));
        }
        Ok(Self { given })
    }
}

impl ColumnNames {
    /// The name in the file of a column with a known name.
    #[must_use]
    pub fn column<'a>(&'a self, name: &'a str) -> &'a str {
        self.given.iter().find(|(known, _)| known == name).map_or(name, |(_, column)| column)
    }

    /// The names in the file that were given.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(_, column)| column.as_str())
    }

    /// True when a name in the file was given.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|(known, _)| known == name)
    }

    /// Refuses names that are not looked for.
    pub(super) fn check(&self, kind: BodiesFile, known: &[&'static str]) -> Result<(), ColumnNamesError> {
        match self.given.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => Err(ColumnNamesError::Unknown {
                name: name.clone(),
                kind,
                nearest: nearest(name, known.iter().copied()).map(str::to_owned),
                known: known.to_vec(),
            }),
        }
    }
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(" (is {nearest:?} meant?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mapping_is_refused() {
        let refused = |text: &str| text.parse::<ColumnNames>().unwrap_err().to_string();
        for text in ["", "x", "x=", "=xu", "x=xu,", "x=xu,,y=yu"] {
            assert!(refused(text).contains("must be a known name, `=` and the name in the file"), "{text}");
        }
        assert_eq!(refused("x=xu,y=yu,x=xs"), "\"x\" is given more than once");
        let names: ColumnNames = "id=a,rodius=b".parse().unwrap();
        assert_eq!(
            names.check(BodiesFile::Dump, &["id", "radius"]).unwrap_err().to_string(),
            "\"rodius\" is not known in a dump (is \"radius\" meant?); known are id, radius"
        );
    }
}
