//! Walks: the set of a program as a chain of decisions that needs no stack.
//!
//! A walk tests one convex leaf after another at a point of the ray and continues at one of two targets, depending on
//! whether the point is inside. This is short-circuit evaluation of unions and intersections: a union with a child
//! found inside is skipped at once, and so is an intersection with a child found outside.
//!
//! A leaf that does not contain the point also tells where the ray enters it next. Let b be the minimum of these over
//! the leaves that were tested and failed. No point between l and b is in the set: to bring one in, one of the failed
//! leaves would have to be entered first. So replacing l by b is a step of the function Phi that never passes the entry
//! point, like m(S, l) of the tree ([`crate::reference`]), and the walk that ends with "inside" has found it. If only
//! unions are above a leaf its entry is an entry of the set: no second walk has to confirm it ([`Stop::exact`]).
//!
//! Coincident surfaces are crossed one after another, by rank ([`crate::program`]). One walk treats all surfaces at
//! lambda as crossed. If it ends inside, the surface of the highest rank encountered is sufficient. If that is not the
//! lowest of those found, a bisection over ranks finds whether fewer are: what is inside stays inside when more is
//! crossed.
//!
//! Bounding boxes precede groups of bounded children of large unions. A ray that misses a box skips the group. Boxes
//! may be infinite along an axis, as those of prisms and posts are.
//!
//! # Conventions
//! As in [`crate::scene`]. Lambda along x1 + lambda (x2 - x1).

mod compile;
mod interpret;
mod visits;

pub use interpret::Walker;
pub use visits::Visits;

use crate::scene::{BoundingBox, MaterialId, Solid};

/// Target of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At the stop with this number.
    Stop(u32),
    /// The point is in the set.
    Inside,
    /// The point is not in the set.
    Outside,
}

/// Test at a stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The intersection of half spaces; their leaves are numbered from the stop's on.
    Cell(Vec<crate::scene::HalfSpace>),
    /// A curved solid, or its closed complement.
    Curved {
        /// The solid.
        solid: Solid,
        /// True for the complement.
        complemented: bool,
    },
    /// A box around everything up to the stop named by `outside`.
    Bounds(BoundingBox),
}

/// One decision of a walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The test.
    pub test: Test,
    /// Index of the (first) leaf.
    pub leaf: u32,
    /// Order in which coincident surfaces are crossed: lowest rank first. No two leaves of the scene have the same
    /// rank; boxes and the leaves of paint regions, whose surfaces are not searched for, have 0.
    pub rank: u32,
    /// Target if inside.
    pub inside: Target,
    /// Target if outside.
    pub outside: Target,
    /// Whether only unions are above the leaf: its entry is an entry of the set.
    pub exact: bool,
}

/// One layer of material over leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The material.
    pub material: MaterialId,
    /// Start of its region's walk; `None` for everywhere.
    pub region: Option<Target>,
}

/// A scene as walks: its own and those of its paint regions.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    stops: Vec<Stop>,
    start: Target,
    /// Layers of all coatings, outermost first, one coating after another.
    layers: Vec<Layer>,
    /// Range in `layers` of each leaf's coating.
    coatings: Vec<std::ops::Range<u32>>,
    default_material: Option<MaterialId>,
}

impl Walk {
    /// All stops: those of paint regions first, the scene's last.
    #[must_use]
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// Start of the scene's walk.
    #[must_use]
    pub fn start(&self) -> Target {
        self.start
    }

    /// The layers of all coatings.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// For each leaf of the scene the range of its layers, outermost first.
    #[must_use]
    pub fn coatings(&self) -> &[std::ops::Range<u32>] {
        &self.coatings
    }

    /// The material of surfaces without one.
    #[must_use]
    pub fn default_material(&self) -> Option<MaterialId> {
        self.default_material
    }
}
