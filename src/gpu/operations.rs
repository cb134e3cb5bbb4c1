//! Operation counts of kernels, from their own source as parsed by naga.
//!
//! # Conventions
//! An operation is an f32 operation; vector operations count once per component. A fused multiply-add counts as two.
//! Data movement, negation, rounding to integers and integer arithmetic are not counted.

mod expression;
mod path;

use std::ops::{Add, Mul, Sub};

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

pub(crate) use path::CountedPath;

use super::device::Loops;
use super::items;
use super::oriented;
use super::shader::{Stride, WALK, aerodynamics, entry_point_source, landing_source, unrolled_search, wheel_source};
use super::wire::StateLayout;
use crate::engine::EngineError;
use crate::query::{EllipsoidPairs, Encounters, LcpItems};
use crate::vehicle::GroundReactions;

/// f32 operations by kind; averages over items, hence not integers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// Sums and differences.
    pub additions: f64,
    /// Products.
    pub multiplications: f64,
    /// Quotients and roots.
    pub divisions: f64,
    /// Comparisons, minima, maxima and selections.
    pub comparisons: f64,
}

impl Operations {
    /// Total.
    #[must_use]
    pub fn total(&self) -> f64 {
        let Self { additions, multiplications, divisions, comparisons } = *self;
        additions + multiplications + divisions + comparisons
    }

    fn of_both(self, other: Self, of_kind: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            additions: of_kind(self.additions, other.additions),
            multiplications: of_kind(self.multiplications, other.multiplications),
            divisions: of_kind(self.divisions, other.divisions),
            comparisons: of_kind(self.comparisons, other.comparisons),
        }
    }
}

impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.of_both(other, Add::add)
    }
}

impl Sub for Operations {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.of_both(other, Sub::sub)
    }
}

impl Mul<u64> for Operations {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        self * times as f64
    }
}

impl Mul<f64> for Operations {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        self.of_both(self, |of_kind, _| of_kind * times)
    }
}

/// Why operations could not be counted: the kernel does not match the question.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum CountError {
    /// naga refuses the source.
    #[error("a kernel whose operations are to be counted is not valid: {0}")]
    Invalid(String),
    /// The kernel has no function of this name.
    #[error("no function `{0}` to count the operations of")]
    NoFunction(String),
    /// All ways through a function are excluded.
    #[error("no path is left through function `{0}`")]
    NoPath(String),
    /// It is not said how many operations this is.
    #[error("it is not known how many operations `{0}` takes")]
    Unknown(String),
}

impl From<CountError> for EngineError {
    fn from(error: CountError) -> Self {
        Self::Device(Box::new(error))
    }
}

/// A kernel as naga reads it.
pub(crate) struct Reading {
    module: Module,
    info: ModuleInfo,
}

impl Reading {
    /// Reads a source.
    fn new(source: &str) -> Result<Self, CountError> {
        let invalid = |message: String| CountError::Invalid(message);
        let module = naga::front::wgsl::parse_str(source).map_err(|error| invalid(error.emit_to_string(source)))?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = validator.validate(&module).map_err(|error| invalid(error.emit_to_string(source)))?;
        Ok(Self { module, info })
    }

    /// Job `entry_point` by the words of a walk.
    pub(crate) fn interpreted_rays() -> Result<Self, CountError> {
        Self::new(&entry_point_source(WALK, Loops::Whole))
    }

    /// Job `entry_point` by a scene's own code, of which there is none here: what such codes share.
    pub(crate) fn unrolled_rays() -> Result<Self, CountError> {
        let no_scene = "fn walk_once(search: ptr<function, Search>) -> bool {\n    return false;\n}\n";
        Self::new(&entry_point_source(&unrolled_search(no_scene), Loops::Whole))
    }

    /// Job `wheel`.
    pub(crate) fn wheels() -> Result<Self, CountError> {
        Self::new(&wheel_source(Loops::Whole))
    }

    /// Job `landing` for this many wheels and structural points.
    pub(crate) fn landings(wheels: usize, points: usize) -> Result<Self, CountError> {
        let layout = StateLayout { wheels, points, kept: 0, ground_reactions: GroundReactions::Pebble };
        Self::new(&landing_source(layout, WALK, &aerodynamics(), (Loops::Whole, Stride::Alone)))
    }

    /// Job `ellipsoid`, pairs.
    pub(crate) fn pairs() -> Result<Self, CountError> {
        Self::new(&items::source::<EllipsoidPairs>())
    }

    /// Job `lcp`.
    pub(crate) fn problems() -> Result<Self, CountError> {
        Self::new(&items::source::<LcpItems>())
    }

    /// Job `encounter`.
    pub(crate) fn encounters() -> Result<Self, CountError> {
        Self::new(&items::source::<Encounters>())
    }

    /// Job `oriented`.
    pub(crate) fn oriented() -> Result<Self, CountError> {
        Self::new(&oriented::source())
    }
}

#[cfg(test)]
mod tests;
