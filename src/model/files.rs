//! Files that study files name.

use crate::document::{Document, DocumentError, Field};
use crate::scene::Scene;

/// Reads the files that a study file names, and keeps them for the directory of the run.
pub trait Files {
    /// The document that a field names. A file that is not there is the fault of the field.
    ///
    /// # Errors
    /// When it cannot be read.
    fn document(&mut self, field: &Field<'_>) -> Result<Document, DocumentError>;

    /// The scene that a field names, with the files that it names itself.
    ///
    /// # Errors
    /// When it cannot be read.
    fn scene(&mut self, field: &Field<'_>) -> Result<Scene, DocumentError>;

    /// Columns of the table, CSV or Parquet, that a field names, by their names; each row has a number in each.
    ///
    /// # Errors
    /// When it cannot be read, or lacks a column or a number.
    fn columns(&mut self, field: &Field<'_>, names: &[&str]) -> Result<Vec<Vec<f64>>, DocumentError>;
}
