//! What eight wheels find on a scene at once.

use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::Ray;
use crate::reference::Tracer;
use crate::scene::Scene;

/// No leaf, or no material.
pub(super) const NONE: u32 = u32::MAX;

/// Entry points of eight segments.
pub(super) struct Surface {
    /// The segment meets the scene.
    pub hit: Mask,
    /// Where, along the segment.
    pub lambda: Lanes,
    /// Normal of the border met, as stored in its leaf.
    pub normal: Lanes3,
    /// The leaf, [`NONE`] where the segment starts inside.
    pub leaf: [u32; LANES],
    /// What it is made of, or [`NONE`].
    pub material: [u32; LANES],
}

/// Finds surfaces in one scene.
pub(super) struct SurfaceFinder<'a> {
    tracer: Tracer<'a>,
}

impl<'a> SurfaceFinder<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Self { tracer: Tracer::new(scene) }
    }

    /// Where the segments from `x1` to `x2` first meet the scene, in the lanes asked for; the others miss.
    pub fn find(&self, x1: &Lanes3, x2: &Lanes3, lanes: Mask) -> Surface {
        let mut surface = Surface {
            hit: Mask::NONE,
            lambda: Lanes::ZERO,
            normal: Lanes3::ZERO,
            leaf: [NONE; LANES],
            material: [NONE; LANES],
        };
        let mut hits = [false; LANES];
        for lane in (0..LANES).filter(|&lane| lanes.get(lane)) {
            let entry = self.tracer.entry_point(&Ray::segment(x1.get(lane), x2.get(lane)));
            hits[lane] = entry.status == crate::query::RayStatus::Hit;
            surface.lambda.0[lane] = entry.lambda;
            surface.normal.set(lane, entry.normal);
            surface.leaf[lane] = entry.leaf.unwrap_or(NONE);
            surface.material[lane] = entry.material.map_or(NONE, |material| material.0);
        }
        surface.hit = Mask::from_fn(|lane| hits[lane]);
        surface
    }

    /// True when the segment meets the scene.
    pub fn meets(&self, segment: &Ray) -> bool {
        self.tracer.entry_point(segment).status == crate::query::RayStatus::Hit
    }

    /// A lower bound of the distance \[m\] from a point to the scene.
    pub fn clearance(&self, point: glam::DVec3) -> f64 {
        self.tracer.scene().clearance(point)
    }
}
