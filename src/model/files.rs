//! Files named by study files.

use crate::document::{Document, DocumentError, Field};
use crate::scene::Scene;

/// Reads the files named by a study file, and keeps them for the run directory.
pub trait Files {
    /// The document named by a field. A missing file is reported as an error of the field.
    ///
    /// # Errors
    /// If it cannot be read.
    fn document(&mut self, field: &Field<'_>) -> Result<Document, DocumentError>;

    /// The scene named by a field, with the files that it names itself.
    ///
    /// # Errors
    /// If it cannot be read.
    fn scene(&mut self, field: &Field<'_>) -> Result<Scene, DocumentError>;

    /// Columns of the table, CSV or Parquet, that a field names, by their names; each row has a number in each.
    ///
    /// # Errors
    /// When it cannot be read, or lacks a column or a number.
    fn columns(&mut self, field: &Field<'_>, names: &[&str]) -> Result<Vec<Vec<f64>>, DocumentError>;
}
