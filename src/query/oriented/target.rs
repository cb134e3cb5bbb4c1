//! What points collide with, in the plane and in space.

use std::fmt::{Debug, Display};

use glam::DVec2;

use super::{ConvexTarget, MAX_TARGET_SURFACES, is_coordinate};

/// How a point stands to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Its separation \[m\], positive outside.
    pub separation: f64,
    /// Whether it is on the span of the surface.
    pub is_on_range: bool,
}

/// A convex target with numbered surfaces.
pub trait OrientedTarget: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Where points are \[m\].
    type Place: Copy + Debug + Display + PartialEq + Send + Sync;

    /// How many surfaces it has: 32 at most.
    fn surface_count(&self) -> usize;

    /// How a point stands to one of its surfaces.
    fn standing(&self, surface: usize, place: Self::Place) -> Standing;

    /// True of places within the limits.
    fn is_place(place: Self::Place) -> bool;

    /// The mask of all its surfaces.
    fn surface_mask(&self) -> u32 {
        u32::MAX >> (MAX_TARGET_SURFACES - self.surface_count())
    }
}

impl OrientedTarget for ConvexTarget {
    type Place = DVec2;

    fn surface_count(&self) -> usize {
        self.vertices().len()
    }

    fn standing(&self, surface: usize, place: DVec2) -> Standing {
        let surface = self.surface(surface);
        Standing { separation: surface.separation(place), is_on_range: surface.is_on_range(place) }
    }

    fn is_place(place: DVec2) -> bool {
        place.to_array().into_iter().all(is_coordinate)
    }
}
