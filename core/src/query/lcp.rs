//! Job `lcp`: small linear complementarity problems, w = M z + q, w >= 0, z >= 0, w . z = 0, by Lemke's method.
//!
//! # Conventions
//! Matrices are row-major with rows of [`MAX_LCP_UNKNOWNS`] entries, of which the leading ones are used. Units are
//! those of the problem; engines scale it by powers of 2, which is exact, to largest entries from 1 to 2 in M and in q.
//! Tolerances for zero and for a solution refer to the scaled problem, in multiples of the machine epsilon of the
//! engine (2^-52, or 2^-23 in f32).

use crate::job::Job;
use crate::lcp::{MAX_MAGNITUDE, MIN_MAGNITUDE, natural_residual, power_of_two};

/// Maximum number of unknowns.
pub const MAX_LCP_UNKNOWNS: usize = 8;

/// Maximum number of pivots: problems of up to 8 unknowns take some ten, and no basis repeats except by rounding.
pub const MAX_LCP_PIVOTS: u32 = 256;

/// Tableau entries of at most this many epsilons count as zero: their rows cannot leave the basis.
pub const LCP_ZERO: f64 = 64.0;

/// Tolerance on w, in epsilons of the sum of the magnitudes of its terms, for z to count as a solution.
pub const LCP_SOLVED: f64 = 64.0;

/// Number of refinement steps.
pub const LCP_CORRECTIONS: usize = 2;

/// Tableau entries above this have lost their digits, and their products would overflow f32.
pub const LCP_LARGEST: f64 = 1e15;

/// Job `lcp`: a solution of each problem.
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::job::Compute;
/// use touchdown::query::{LcpItem, LcpItems, LcpStatus};
/// use touchdown::reference::Reference;
///
/// // w = M z + q: a ball that presses against two walls, of which one takes all.
/// let mut item = LcpItem { unknowns: 2, matrix: Default::default(), vector: Default::default() };
/// item.matrix[0][..2].copy_from_slice(&[2.0, 1.0]);
/// item.matrix[1][..2].copy_from_slice(&[1.0, 2.0]);
/// item.vector[..2].copy_from_slice(&[-4.0, 1.0]);
/// let answer = Reference::new(1)?.compute::<LcpItems>((), &[item])?[0];
/// assert_eq!((answer.status, &answer.z[..2]), (LcpStatus::Solved, &[2.0, 0.0][..]));
/// assert_eq!(item.slacks(&answer.z)[..2], [0.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LcpItems;

impl Job for LcpItems {
    const NAME: &'static str = "lcp";
    type Shared<'a> = ();
    type Item = LcpItem;
    type Answer = LcpAnswer;
}

/// A problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpItem {
    /// Number of unknowns, from 1 to [`MAX_LCP_UNKNOWNS`].
    pub unknowns: usize,
    /// M, row by row.
    pub matrix: [[f64; MAX_LCP_UNKNOWNS]; MAX_LCP_UNKNOWNS],
    /// q.
    pub vector: [f64; MAX_LCP_UNKNOWNS],
}

impl LcpItem {
    /// True if there are 1 to [`MAX_LCP_UNKNOWNS`] unknowns, all entries are finite and at most 1e60 in magnitude, and
    /// the largest of M and of q are 0 or at least 1e-60.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let in_range = |entries: &mut dyn Iterator<Item = f64>| {
            // NaN is not within, and the largest of others.
            let is_within = |largest: f64, entry: f64| match entry.abs() <= MAX_MAGNITUDE {
                true => largest.max(entry.abs()),
                false => f64::INFINITY,
            };
            let largest = entries.fold(0.0, is_within);
            largest == 0.0 || (MIN_MAGNITUDE..=MAX_MAGNITUDE).contains(&largest)
        };
        (1..=MAX_LCP_UNKNOWNS).contains(&self.unknowns)
            && in_range(&mut self.rows().flatten().copied())
            && in_range(&mut self.vector[..self.unknowns].iter().copied())
    }

    /// Rows of M, without unused entries.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.matrix[..self.unknowns].iter().map(|row| &row[..self.unknowns])
    }

    /// w = M z + q.
    #[must_use]
    pub fn slacks(&self, z: &[f64; MAX_LCP_UNKNOWNS]) -> [f64; MAX_LCP_UNKNOWNS] {
        let mut w = [0.0; MAX_LCP_UNKNOWNS];
        for ((w, row), q) in w.iter_mut().zip(self.rows()).zip(self.vector) {
            *w = row.iter().zip(z).map(|(entry, z)| entry * z).sum::<f64>() + q;
        }
        w
    }

    /// The scaled problem, with unused entries zero, and the scale of its z.
    pub fn scaled(&self) -> (Self, f64) {
        let mut scaled = Self { unknowns: self.unknowns, matrix: Default::default(), vector: Default::default() };
        for (to, from) in scaled.matrix.iter_mut().zip(self.rows()) {
            to[..self.unknowns].copy_from_slice(from);
        }
        scaled.vector[..self.unknowns].copy_from_slice(&self.vector[..self.unknowns]);
        let of_matrix = power_of_two(scaled.matrix.as_flattened());
        let of_vector = power_of_two(&scaled.vector);
        scaled.matrix.as_flattened_mut().iter_mut().for_each(|entry| *entry /= of_matrix);
        scaled.vector.iter_mut().for_each(|entry| *entry /= of_vector);
        (scaled, of_vector / of_matrix)
    }
}

/// How the method terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LcpStatus {
    /// With a solution.
    Solved = 1,
    /// On a ray: for positive semidefinite M there is no solution, or M is singular and rounding hides it; otherwise
    /// inconclusive.
    Ray = 2,
    /// At the limit on pivots.
    NotConverged = 3,
    /// With a z that fails the test of a solution because of rounding, or with a tableau out of range.
    Inaccurate = 4,
    /// The problem is invalid.
    BadInput = 5,
}

impl LcpStatus {
    /// All statuses of valid problems.
    pub const OF_VALID: [Self; 4] = [Self::Solved, Self::Ray, Self::NotConverged, Self::Inaccurate];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Ray => "ray",
            Self::NotConverged => "not_converged",
            Self::Inaccurate => "inaccurate",
            Self::BadInput => "bad_input",
        }
    }
}

/// A solution, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpAnswer {
    /// How the method terminated.
    pub status: LcpStatus,
    /// Nonnegative; zero unless the status is `Solved`.
    pub z: [f64; MAX_LCP_UNKNOWNS],
    /// The largest |min(z\[i\], w\[i\])| in the problem's units, with w = M z + q in f64; 0 unless the status is
    /// `Solved`.
    pub residual: f64,
    /// Number of pivots.
    pub pivots: u32,
}

impl LcpAnswer {
    /// An answer without a solution.
    #[must_use]
    pub fn none(status: LcpStatus, pivots: u32) -> Self {
        Self { status, z: Default::default(), residual: 0.0, pivots }
    }

    /// A solution of the item, in its units.
    pub fn solved(item: &LcpItem, z: [f64; MAX_LCP_UNKNOWNS], pivots: u32) -> Self {
        let (z, w) = (z, item.slacks(&z));
        let residual = natural_residual(&z[..item.unknowns], &w[..item.unknowns]);
        Self { status: LcpStatus::Solved, z, residual, pivots }
    }
}
