//! Walks: the same set as a program's, as a chain of decisions that needs no stack.
//!
//! A walk tests one convex leaf after another at a point of the ray and goes on at one of two places, depending on
//! whether the point is inside. What short-circuit evaluation does for the operators of a programming language, the two
//! targets do for unions and intersections: a union that has found a child inside goes on behind itself at once, so
//! does an intersection that has found a child outside.
//!
//! A leaf that the point is outside of also tells where the ray enters it next. Let b be the least of these over the
//! leaves that were tested and failed. No point between l and b is in the set: to bring one in, one of the failed leaves
//! would have to be entered first. So l <- b is a step of the function Phi that never passes the entry point, like
//! m(S, l) of the tree ([`crate::reference`]), and the walk that ends with "inside" has found it. Where only unions stand
//! above a leaf its entry is an entry of the set: no second walk has to confirm it ([`Stop::exact`]).
//!
//! Borders in one place are crossed one after another, by their ranks ([`crate::program`]). One walk takes all borders at
//! lambda for crossed. If that ends inside, the border of the greatest rank on its way is enough. Where that is not the least of those that the search came to, walks that have
//! crossed but half of the ranks between tell whether fewer are: what is inside stays inside when more is crossed.
//!
//! Bounding boxes stand in front of groups of bounded children of large unions. A ray that misses a box goes on behind
//! the group. Boxes may be infinite along an axis, as those of prisms and posts are.
//!
//! # Conventions
//! As in [`crate::scene`]. Lambda along x1 + lambda (x2 - x1).

mod compile;
mod interpret;
mod visits;

pub use interpret::Walker;
pub use visits::Visits;

use crate::scene::{BoundingBox, MaterialId, Solid};

/// Where a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At the stop with this number.
    Stop(u32),
    /// The point is in the set.
    Inside,
    /// The point is not in the set.
    Outside,
}

/// What is tested at a stop.
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
    /// What is tested.
    pub test: Test,
    /// Number of the (first) leaf.
    pub leaf: u32,
    /// When the leaf's border is crossed, among those that are met in one place: the least rank first. No two leaves of
    /// the scene share one; boxes and the leaves of paint regions, whose borders are not looked for, have 0.
    pub rank: u32,
    /// Where to go on inside.
    pub inside: Target,
    /// Where to go on outside.
    pub outside: Target,
    /// Only unions stand above the leaf: its entry is an entry of the set.
    pub exact: bool,
}

/// One layer of material over leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What it is made of.
    pub material: MaterialId,
    /// Where its region's walk starts; `None` for everywhere.
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

    /// Where the scene's walk starts.
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

    /// The material of surfaces that name none.
    #[must_use]
    pub fn default_material(&self) -> Option<MaterialId> {
        self.default_material
    }
}
