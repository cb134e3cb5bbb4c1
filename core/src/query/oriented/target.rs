//! Targets that points collide with, in two and three dimensions.

use std::fmt::{Debug, Display};

use glam::DVec2;

use super::{ConvexTarget, MAX_TARGET_SURFACES, is_coordinate};

/// The relation of a point to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Its separation \[m\], positive outside.
    pub separation: f64,
    /// Whether it is on range of the surface.
    pub is_on_range: bool,
}

/// A convex target with numbered surfaces.
pub trait OrientedTarget: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Type of positions \[m\].
    type Place: Copy + Debug + Display + PartialEq + Send + Sync;

    /// Number of surfaces, at most 32.
    fn surface_count(&self) -> usize;

    /// The relation of a point to one of its surfaces.
    fn standing(&self, surface: usize, place: Self::Place) -> Standing;

    /// True for positions within the limits.
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
