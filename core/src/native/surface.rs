//! Surface queries of eight wheels at once, and clearance of a scene.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`], whose answers these are.

use glam::DVec3;

use super::index::SceneIndex;
use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::{EntryPoint, Ray, RayStatus};

/// No leaf, or no material.
pub(super) const NONE: u32 = u32::MAX;

/// Entry points of eight segments.
pub(super) struct Surface {
    /// The segment meets the scene.
    pub hit: Mask,
    /// Where, along the segment.
    pub lambda: Lanes,
    /// Normal of the surface hit, as stored in its leaf.
    pub normal: Lanes3,
    /// The leaf, [`NONE`] if the segment starts inside.
    pub leaf: [u32; LANES],
    /// What it is made of, or [`NONE`].
    pub material: [u32; LANES],
}

/// Finds surfaces in one scene.
pub(super) struct SurfaceFinder<'a> {
    index: &'a SceneIndex,
}

impl<'a> SurfaceFinder<'a> {
    pub fn new(index: &'a SceneIndex) -> Self {
        Self { index }
    }

    /// Entry points of the segments from `x1` to `x2`, in the selected lanes; the others miss.
    #[inline(always)]
    pub fn find(&self, x1: &Lanes3, x2: &Lanes3, lanes: Mask) -> Surface {
        let mut segments: [Ray; LANES] = std::array::from_fn(|lane| Ray::segment(x1.get(lane), x2.get(lane)));
        let asked: [bool; LANES] = std::array::from_fn(|lane| lanes.get(lane) && segments[lane].is_valid());
        let mut answers = [EntryPoint::none(RayStatus::Miss); LANES];
        if let Some(first) = asked.iter().position(|&asked| asked) {
            // Lanes that ask nothing go along with one that does.
            for lane in (0..LANES).filter(|&lane| !asked[lane]) {
                segments[lane] = segments[first];
            }
            answers = self.index.entry_points_of_eight(&segments, &asked);
        }
        Surface {
            hit: Mask::from_fn(|lane| answers[lane].status == RayStatus::Hit),
            lambda: Lanes::from_fn(|lane| answers[lane].lambda),
            normal: Lanes3::from_fn(|lane| answers[lane].normal),
            leaf: answers.map(|answer| answer.leaf.unwrap_or(NONE)),
            material: answers.map(|answer| answer.material.map_or(NONE, |material| material.0)),
        }
    }

    /// True when the segment meets the scene.
    pub fn meets(&self, segment: &Ray) -> bool {
        segment.is_valid() && self.index.is_met(segment)
    }

    /// A lower bound on the distance \[m\] from a point to the scene.
    pub fn clearance(&self, point: DVec3) -> f64 {
        self.index.clearance(point)
    }
}
