//! Rays and entry points as columns: one array for each of their numbers, as tables and arrays of other programs have them.
//!
//! # Conventions
//! As in [`crate::query::Ray`] and [`crate::query::EntryPoint`].

use std::ops::Range;

use glam::DVec3;
use thiserror::Error;

use crate::query::{EntryPoint, Ray, RayStatus};

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

    /// A range of its rows.
    #[must_use]
    pub fn rows(&self, range: Range<usize>) -> Self {
        let rows = |column: &'a [f64]| &column[range.clone()];
        Self { x1: self.x1.map(rows), x2: self.x2.map(rows), lambda1: rows(self.lambda1), lambda2: rows(self.lambda2) }
    }

    /// The ray of a row.
    #[inline]
    #[must_use]
    pub fn ray(&self, row: usize) -> Ray {
        let point = |columns: &[&[f64]; 3]| DVec3::from_array(columns.map(|column| column[row]));
        Ray { x1: point(&self.x1), x2: point(&self.x2), lambda1: self.lambda1[row], lambda2: self.lambda2[row] }
    }

    /// All columns: x1, x2, lambda1, lambda2.
    #[must_use]
    pub fn columns(&self) -> [&'a [f64]; 8] {
        let ([a, b, c], [d, e, f]) = (self.x1, self.x2);
        [a, b, c, d, e, f, self.lambda1, self.lambda2]
    }
}

/// Columns of rays that were rows.
#[derive(Clone, Debug)]
pub struct RayTable([Vec<f64>; 8]);

impl RayTable {
    /// The numbers of these rays.
    #[must_use]
    pub fn new(rays: &[Ray]) -> Self {
        let column = |number: &dyn Fn(&Ray) -> f64| rays.iter().map(number).collect();
        let [x1, y1, z1] = [0, 1, 2].map(|axis| column(&|ray| ray.x1[axis]));
        let [x2, y2, z2] = [0, 1, 2].map(|axis| column(&|ray| ray.x2[axis]));
        Self([x1, y1, z1, x2, y2, z2, column(&|ray| ray.lambda1), column(&|ray| ray.lambda2)])
    }

    /// As engines take them.
    #[must_use]
    pub fn columns(&self) -> RayColumns<'_> {
        let [a, b, c, d, e, f, lambda1, lambda2] = self.0.each_ref().map(Vec::as_slice);
        RayColumns { x1: [a, b, c], x2: [d, e, f], lambda1, lambda2 }
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
    pub fn resize(&mut self, count: usize) {
        self.status.resize(count, RayStatus::Miss);
        self.lambda.resize(count, 0.0);
        self.normal.iter_mut().for_each(|column| column.resize(count, 0.0));
        self.leaf.resize(count, NONE);
        self.material.resize(count, NONE);
    }

    /// All rows.
    pub fn rows(&mut self) -> EntryPointRows<'_> {
        EntryPointRows {
            status: &mut self.status,
            lambda: &mut self.lambda,
            normal: self.normal.each_mut().map(Vec::as_mut_slice),
            leaf: &mut self.leaf,
            material: &mut self.material,
        }
    }
}

/// Rows of entry points in columns, to be written: as many of each of [`EntryPointColumns`].
#[derive(Debug)]
pub struct EntryPointRows<'a> {
    /// Status.
    pub status: &'a mut [RayStatus],
    /// The smallest lambda in the scene.
    pub lambda: &'a mut [f64],
    /// Coordinates of the normal.
    pub normal: [&'a mut [f64]; 3],
    /// The leaf whose surface is hit.
    pub leaf: &'a mut [u32],
    /// Number of the material.
    pub material: &'a mut [u32],
}

impl<'a> EntryPointRows<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// True without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// The rows before and from this one on.
    #[must_use]
    pub fn split_at(self, row: usize) -> (Self, Self) {
        let (status, statuses) = self.status.split_at_mut(row);
        let (lambda, lambdas) = self.lambda.split_at_mut(row);
        let [(x, xs), (y, ys), (z, zs)] = self.normal.map(|column| column.split_at_mut(row));
        let (leaf, leaves) = self.leaf.split_at_mut(row);
        let (material, materials) = self.material.split_at_mut(row);
        (
            Self { status, lambda, normal: [x, y, z], leaf, material },
            Self { status: statuses, lambda: lambdas, normal: [xs, ys, zs], leaf: leaves, material: materials },
        )
    }

    /// So many rows at a time.
    pub fn parts(self, rows: usize) -> impl Iterator<Item = Self> {
        let mut left = Some(self);
        std::iter::from_fn(move || {
            let all = left.take().filter(|all| !all.is_empty())?;
            let count = all.len().min(rows.max(1));
            let (first, others) = all.split_at(count);
            left = Some(others);
            Some(first)
        })
    }

    /// Puts entry points that are the same but for lambda in rows from `first` on.
    #[inline(always)]
    pub(crate) fn put_alike<const N: usize>(&mut self, first: usize, entry: &EntryPoint, lambda: &[f64; N]) {
        let rows = first..first + N;
        self.status[rows.clone()].copy_from_slice(&[entry.status; N]);
        self.lambda[rows.clone()].copy_from_slice(lambda);
        for axis in 0..3 {
            self.normal[axis][rows.clone()].copy_from_slice(&[entry.normal[axis]; N]);
        }
        self.leaf[rows.clone()].copy_from_slice(&[entry.leaf.unwrap_or(NONE); N]);
        self.material[rows].copy_from_slice(&[entry.material.map_or(NONE, |material| material.0); N]);
    }

    /// Puts an entry point in a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, entry: EntryPoint) {
        self.status[row] = entry.status;
        self.lambda[row] = entry.lambda;
        for axis in 0..3 {
            self.normal[axis][row] = entry.normal[axis];
        }
        self.leaf[row] = entry.leaf.unwrap_or(NONE);
        self.material[row] = entry.material.map_or(NONE, |material| material.0);
    }
}
