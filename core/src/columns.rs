//! Rays and entry points as columns: one array for each of their numbers, as tables and arrays of other programs have them.
//!
//! # Conventions
//! As in [`crate::query::Ray`] and [`crate::query::EntryPoint`].

use thiserror::Error;

use crate::query::{EntryPoint, RayStatus};

/// No leaf or no material in a column.
pub const NONE: u32 = u32::MAX;

/// Columns of different lengths.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("column `{column}` has {found} numbers; it must have as many as `x1.x`, {expected}")]
pub struct ColumnError {
    /// Name of the column.
    pub column: &'static str,
    /// Its length.
    pub found: usize,
    /// The length of the first.
    pub expected: usize,
}

/// Rays, one array for each of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct RayColumns<'a> {
    x1: [&'a [f64]; 3],
    x2: [&'a [f64]; 3],
    lambda1: &'a [f64],
    lambda2: &'a [f64],
}

impl<'a> RayColumns<'a> {
    /// Coordinates of the points at lambda = 0 and 1 \[m\], and where searches start and end.
    ///
    /// # Errors
    /// When a column has another length than the first.
    pub fn new(
        x1: [&'a [f64]; 3],
        x2: [&'a [f64]; 3],
        lambda1: &'a [f64],
        lambda2: &'a [f64],
    ) -> Result<Self, ColumnError> {
        let expected = x1[0].len();
        let columns = [
            ("x1.y", x1[1]),
            ("x1.z", x1[2]),
            ("x2.x", x2[0]),
            ("x2.y", x2[1]),
            ("x2.z", x2[2]),
            ("lambda1", lambda1),
            ("lambda2", lambda2),
        ];
        match columns.into_iter().find(|(_, numbers)| numbers.len() != expected) {
            Some((column, numbers)) => Err(ColumnError { column, found: numbers.len(), expected }),
            None => Ok(Self { x1, x2, lambda1, lambda2 }),
        }
    }

    /// How many rays there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lambda1.len()
    }

    /// True without rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lambda1.is_empty()
    }

    /// All columns: x1, x2, lambda1, lambda2.
    #[must_use]
    pub fn columns(&self) -> [&'a [f64]; 8] {
        let ([a, b, c], [d, e, f]) = (self.x1, self.x2);
        [a, b, c, d, e, f, self.lambda1, self.lambda2]
    }
}

/// Entry points, one array for each of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryPointColumns {
    /// Status; of a ray without a hit the other numbers are zero, or [`NONE`].
    pub status: Vec<RayStatus>,
    /// The smallest lambda in the scene.
    pub lambda: Vec<f64>,
    /// Coordinates of the normal of the surface hit, as stored in its leaf; zero if the ray starts inside.
    pub normal: [Vec<f64>; 3],
    /// The leaf whose surface is hit, or [`NONE`].
    pub leaf: Vec<u32>,
    /// Number of the material at the point, or [`NONE`].
    pub material: Vec<u32>,
}

impl EntryPointColumns {
    /// Makes room for this many.
    pub(crate) fn resize(&mut self, count: usize) {
        self.status.resize(count, RayStatus::Miss);
        self.lambda.resize(count, 0.0);
        self.normal.iter_mut().for_each(|column| column.resize(count, 0.0));
        self.leaf.resize(count, NONE);
        self.material.resize(count, NONE);
    }

    /// Puts an entry point in its row.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, entry: EntryPoint) {
        self.status[row] = entry.status;
        self.lambda[row] = entry.lambda;
        for axis in 0..3 {
            self.normal[axis][row] = entry.normal[axis];
        }
        self.leaf[row] = entry.leaf.unwrap_or(NONE);
        self.material[row] = entry.material.map_or(NONE, |material| material.0);
    }
}
