//! Files named by study files.

use crate::document::{Document, DocumentError, Field, Unit};
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

    /// The scene that a field of another file names, relative to that file, which a field of the study file names.
    ///
    /// # Errors
    /// As [`scene`](Self::scene).
    fn scene_beside(&mut self, file: &Field<'_>, field: &Field<'_>) -> Result<Scene, DocumentError>;

    /// Columns of the table, CSV or Parquet, that a field names, by their names; each row has a number in each.
    ///
    /// # Errors
    /// When it cannot be read, or lacks a column or a number.
    fn columns(&mut self, field: &Field<'_>, names: &[&str]) -> Result<Vec<Vec<f64>>, DocumentError>;

    /// Columns of such a table in SI units: their headers may name another unit, as `height [ft]`. A column that is not
    /// required and not there is empty. The numbers of the first one increase from row to row.
    ///
    /// # Errors
    /// When the table cannot be read, is empty, or lacks a required column or a number; when a column is there twice or in a
    /// unit of another dimension, or the numbers of the first one do not increase.
    fn measured(&mut self, field: &Field<'_>, columns: &[MeasuredColumn]) -> Result<Vec<Vec<f64>>, DocumentError>;
}

/// A column of a table, with the dimension of its numbers.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredColumn {
    /// Its name in the header, without a unit.
    pub name: &'static str,
    /// Dimension.
    pub unit: Unit,
    /// Whether a table without it is refused.
    pub required: bool,
}
