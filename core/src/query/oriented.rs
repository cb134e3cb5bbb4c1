//! Job `oriented`: the surface of a convex planar target that a point collides with, by the transient separating-axis
//! test (docs/oriented.md cites the paper whose equation numbers are used here).
//!
//! Surface i of a target goes from vertex `v_i` to `v_{i+1}`, the last one back to the first. With
//! `p_i = (v_{i+1} - v_i) / |v_{i+1} - v_i|` (eq. 3) and `n_i`, which is `p_i` turned by a quarter counter-clockwise (eq. 4),
//! an initiator q has on it
//!
//! - the separation `n_i . (q - v_i)` (eq. 6), and penetration `P_i` where it is at most 0 (eq. 8);
//! - the range `S_i`: `p_i . (q - v_i) >= 0 >= p_i . (q - v_{i+1})` (eq. 17, with the inequalities reversed in the
//!   paper);
//! - the change `D_i = P_i(t) - P_i(t0)` since the reference time t0 (eq. 11).
//!
//! The collision state C is, with "full" for penetration on all surfaces and "had" for any `C_i(t0)`,
//!
//! - `C_i(t0)` if full and had: a collision persists inside;
//! - `D_i = 1` if full and not had: the surface that lost separation last is collided with;
//! - `C_i(t0)` and `S_i` and `D_i = 0` and `P_i` otherwise: a point that has passed another surface is still held while
//!   it is on range (section 3.4).
//!
//! An initiator that starts inside collides with nothing until it has left.
//!
//! [`ConvexPolyhedron`] applies the same test in three dimensions.
//!
//! # Conventions
//! A plane with x to the right and y upwards \[m\]. Vertices are clockwise, so normals point outwards. Separations are
//! positive outside; exactly 0 counts as penetration. Masks: bit i is surface i, counted from 0.

mod polyhedron;
mod target;

use std::marker::PhantomData;

use glam::DVec2;
use robust::{Coord, orient2d};
use thiserror::Error;

pub use polyhedron::{ConvexPolyhedron, FLATNESS, PolyhedronError};
pub use target::{OrientedTarget, Standing};

use crate::job::Job;

/// Job `oriented`: the collision state of each initiator at the end of a step. Every engine computes it for planar
/// targets, the reference also for [`ConvexPolyhedron`].
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec2;
/// use touchdown::job::Compute;
/// use touchdown::query::{ConvexTarget, InitiatorMotion, Oriented, TargetMotions};
/// use touchdown::reference::Reference;
///
/// // A point that falls into a square from above has collided with its upper surface, which leads from vertex 1 to 2.
/// let corner = |x, y| DVec2::new(x, y);
/// let square = [ConvexTarget::new(vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)])?];
/// let engine = Reference::new(1)?;
/// let at = |from, to, reference| InitiatorMotion { target: 0, from, to, reference };
/// let above = corner(0.3, 1.5);
/// let start = engine.compute::<Oriented>(TargetMotions::at_rest(&square), &[at(above, above, None)])?[0];
/// let falls = at(above, corner(0.3, 0.9), Some(start.configuration));
/// let end = engine.compute::<Oriented>(TargetMotions::at_rest(&square), &[falls])?[0];
/// assert_eq!(end.configuration.collision, 1 << 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Oriented<T = ConvexTarget>(PhantomData<T>);

impl<T: OrientedTarget> Job for Oriented<T> {
    const NAME: &'static str = "oriented";
    type Shared<'a> = TargetMotions<'a, T>;
    type Item = InitiatorMotion<T::Place>;
    type Answer = OrientedAnswer;
}

/// Maximum number of surfaces of a target: a mask has a bit for each.
pub const MAX_TARGET_SURFACES: usize = 32;
/// Largest magnitude of a coordinate of a vertex or an initiator \[m\].
pub const MAX_PLANAR_COORDINATE: f64 = 1e9;
/// Smallest length of a surface \[m\].
pub const MIN_SURFACE_LENGTH: f64 = 1e-9;

/// Why vertices do not define a target.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TargetError {
    /// Too few vertices for an area, or more than masks have bits.
    #[error("there are {vertices} vertices; a target has from 3 to {MAX_TARGET_SURFACES}")]
    Count {
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate beyond the limit, or not a number.
    #[error(
        "vertex {vertex}: {value:e} is not a coordinate; its magnitude must be at most {MAX_PLANAR_COORDINATE:e} m"
    )]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// The coordinate \[m\].
        value: f64,
    },
    /// A surface too short to define a direction.
    #[error(
        "vertex {vertex}: it is {length:e} m from the next; surfaces must be at least {MIN_SURFACE_LENGTH:e} m long"
    )]
    Short {
        /// Index of the surface's first vertex.
        vertex: usize,
        /// Length of the surface \[m\].
        length: f64,
    },
    /// A vertex that is not on the inner side of a surface.
    #[error(
        "vertex {vertex}: it is not to the right of the line from vertex {surface} to the next; vertices must stand \
         clockwise around a convex area, no three on a line"
    )]
    NotConvex {
        /// Index of the vertex.
        vertex: usize,
        /// Index of the surface.
        surface: usize,
    },
}

impl TargetError {
    /// Index of the offending vertex; `None` if their number is wrong.
    #[must_use]
    pub fn vertex(&self) -> Option<usize> {
        match *self {
            Self::Count { .. } => None,
            Self::Coordinate { vertex, .. } | Self::Short { vertex, .. } | Self::NotConvex { vertex, .. } => {
                Some(vertex)
            }
        }
    }
}

/// A target: a convex area of the plane. Valid by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexTarget {
    vertices: Vec<DVec2>,
}

impl ConvexTarget {
    /// A target with these vertices \[m\], clockwise. Every vertex must lie strictly to the right of every surface it
    /// does not belong to, which is decided exactly.
    ///
    /// # Errors
    /// If they are too few or too many, beyond the limits, or not clockwise around a convex area.
    pub fn new(vertices: Vec<DVec2>) -> Result<Self, TargetError> {
        let count = vertices.len();
        if !(3..=MAX_TARGET_SURFACES).contains(&count) {
            return Err(TargetError::Count { vertices: count });
        }
        for (vertex, place) in vertices.iter().enumerate() {
            if let Some(value) = place.to_array().into_iter().find(|value| !is_coordinate(*value)) {
                return Err(TargetError::Coordinate { vertex, value });
            }
        }
        for surface in 0..count {
            let length = vertices[surface].distance(vertices[(surface + 1) % count]);
            if length < MIN_SURFACE_LENGTH {
                return Err(TargetError::Short { vertex: surface, length });
            }
        }
        let coordinates = |vertex: usize| Coord { x: vertices[vertex].x, y: vertices[vertex].y };
        for surface in 0..count {
            // If all vertices are to the right of a line through two of them, it is a side of their hull.
            let next = (surface + 1) % count;
            let is_to_the_right =
                |vertex: &usize| orient2d(coordinates(surface), coordinates(next), coordinates(*vertex)) < 0.0;
            let others = (0..count).filter(|&vertex| vertex != surface && vertex != next);
            if let Some(vertex) = others.into_iter().find(|vertex| !is_to_the_right(vertex)) {
                return Err(TargetError::NotConvex { vertex, surface });
            }
        }
        Ok(Self { vertices })
    }

    /// Its vertices \[m\].
    #[must_use]
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Its surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = TargetSurface> + '_ {
        let count = self.vertices.len();
        (0..count).map(move |surface| TargetSurface::new(self.vertices[surface], self.vertices[(surface + 1) % count]))
    }

    /// One of its surfaces.
    pub(crate) fn surface(&self, number: usize) -> TargetSurface {
        TargetSurface::new(self.vertices[number], self.vertices[(number + 1) % self.vertices.len()])
    }

    /// The mask of all its surfaces.
    #[must_use]
    pub fn all_surfaces(&self) -> u32 {
        self.surface_mask()
    }
}

/// True for a valid coordinate.
#[must_use]
pub fn is_coordinate(value: f64) -> bool {
    // A comparison that rejects NaN.
    value.abs() <= MAX_PLANAR_COORDINATE
}

/// A surface of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetSurface {
    /// Start point \[m\].
    pub start: DVec2,
    /// End point \[m\].
    pub end: DVec2,
    /// Unit vector from start to end.
    pub along: DVec2,
    /// Outward unit normal.
    pub normal: DVec2,
}

impl TargetSurface {
    pub(crate) fn new(start: DVec2, end: DVec2) -> Self {
        let edge = end - start;
        let along = edge / edge.length();
        Self { start, end, along, normal: along.perp() }
    }

    /// Separation of a point \[m\], positive outside (eq. 6).
    #[must_use]
    pub fn separation(&self, point: DVec2) -> f64 {
        self.normal.dot(point - self.start)
    }

    /// The position of a point along the surface, from its start \[m\].
    #[must_use]
    pub fn way(&self, point: DVec2) -> f64 {
        self.along.dot(point - self.start)
    }

    /// True for a point beside the surface, neither before its start nor beyond its end (eq. 17, with the inequalities
    /// corrected).
    #[must_use]
    pub fn is_on_range(&self, point: DVec2) -> bool {
        self.way(point) >= 0.0 && self.along.dot(point - self.end) <= 0.0
    }
}

/// The targets of a step: at its start, the reference time, and at its end.
#[derive(Debug)]
pub struct TargetMotions<'a, T = ConvexTarget> {
    /// At the reference time t0.
    pub reference: &'a [T],
    /// At the current time t: the same targets, each with as many surfaces.
    pub current: &'a [T],
}

impl<T> Clone for TargetMotions<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TargetMotions<'_, T> {}

impl<'a, T: OrientedTarget> TargetMotions<'a, T> {
    /// Targets at rest.
    #[must_use]
    pub fn at_rest(targets: &'a [T]) -> Self {
        Self { reference: targets, current: targets }
    }

    /// A target at both times; `None` if there is none, or if its number of surfaces changed.
    #[must_use]
    pub fn target(&self, number: u32) -> Option<[&'a T; 2]> {
        let both = [self.reference.get(number as usize)?, self.current.get(number as usize)?];
        (both[0].surface_count() == both[1].surface_count()).then_some(both)
    }
}

/// The motion of a point over a step, which may collide with a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitiatorMotion<P = DVec2> {
    /// Index of the target among those of the step.
    pub target: u32,
    /// Position at the reference time \[m\].
    pub from: P,
    /// Position at the current time \[m\].
    pub to: P,
    /// The state at the reference time; `None` initially, without any collision.
    pub reference: Option<OrientedConfiguration>,
}

impl<P: Copy> InitiatorMotion<P> {
    /// True if the target exists, coordinates are within their limits and masks refer to existing surfaces.
    #[must_use]
    pub fn is_valid<T: OrientedTarget<Place = P>>(&self, targets: TargetMotions<'_, T>) -> bool {
        let Some([_, current]) = targets.target(self.target) else { return false };
        let OrientedConfiguration { penetration, range: _, collision, collision_last, minimum_translation: _ } =
            self.reference.unwrap_or_default();
        (penetration | collision | collision_last) & !current.surface_mask() == 0
            && [self.from, self.to].into_iter().all(T::is_place)
    }
}

/// The relation of a point to a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrientedConfiguration {
    /// P: surfaces from which it is not separated.
    pub penetration: u32,
    /// S: surfaces that it is on range of.
    pub range: u32,
    /// C: surfaces that it collides with. More than one if several lost separation in one step.
    pub collision: u32,
    /// C with a tie break and its own history: of several surfaces that lost separation in one step, only the one whose
    /// separation, interpolated linearly over the step, vanished last; the first of those that vanished simultaneously.
    pub collision_last: u32,
    /// The nearest surface of a point inside: the minimum-translation alternative to C (eq. 10, with the minimum in
    /// place of the maximum). The first in case of ties.
    pub minimum_translation: Option<u32>,
}

/// Whether the state is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum OrientedStatus {
    /// It is.
    Ok = 1,
    /// The initiator is invalid.
    BadInput = 2,
}

/// The collision state of an initiator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrientedAnswer {
    /// Whether there is one.
    pub status: OrientedStatus,
    /// The collision state; empty unless the status is `Ok`.
    pub configuration: OrientedConfiguration,
}

impl OrientedAnswer {
    /// The answer to an invalid initiator.
    pub const BAD_INPUT: Self = Self {
        status: OrientedStatus::BadInput,
        configuration: OrientedConfiguration {
            penetration: 0,
            range: 0,
            collision: 0,
            collision_last: 0,
            minimum_translation: None,
        },
    };

    /// A valid answer.
    #[must_use]
    pub fn of(configuration: OrientedConfiguration) -> Self {
        Self { status: OrientedStatus::Ok, configuration }
    }
}
