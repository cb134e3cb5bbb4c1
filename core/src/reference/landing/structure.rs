//! Structural points swept through the scene.

use glam::DVec3;

use super::body::Body;
use crate::query::{Ray, RayStatus};
use crate::reference::Tracer;
use crate::vehicle::StructuralPoint;

/// Rounding error of a position within 1e6 m of the origin, with a wide margin \[m\].
const ROUNDING: f64 = 1e-9;

/// Sweeps each point in every step, unless a bound proves it clear: a point at distance `c` from the scene cannot touch
/// it before it has travelled `c`.
pub(super) struct StructureWatch {
    /// For each point, how far it may still travel before it must be checked again \[m\].
    clear: Vec<f64>,
    /// Distance of the farthest point from the centre of gravity \[m\].
    reach: f64,
}

impl StructureWatch {
    pub fn new(points: &[StructuralPoint]) -> Self {
        let reach = points.iter().map(|point| point.position.length()).fold(0.0, f64::max);
        Self { clear: vec![0.0; points.len()], reach }
    }

    /// The first point that meets the scene on its path from one pose to the next.
    pub fn sweep(
        &mut self,
        points: &[StructuralPoint],
        tracer: &Tracer<'_>,
        before: &Body,
        after: &Body,
    ) -> Option<u32> {
        // No point is farther from where it was: a turn moves it by the difference of the two matrices, whose norm is
        // at most Frobenius', times its distance from the centre.
        let turned = after.to_world - before.to_world;
        let turned_squared =
            turned.x_axis.length_squared() + turned.y_axis.length_squared() + turned.z_axis.length_squared();
        let travel =
            (after.motion.position - before.motion.position).length() + turned_squared.sqrt() * self.reach + ROUNDING;
        for (index, (point, clear)) in points.iter().zip(&mut self.clear).enumerate() {
            *clear -= travel;
            if *clear > 0.0 {
                continue;
            }
            let (from, to) = (before.at(point.position), after.at(point.position));
            *clear = tracer.scene().clearance(to);
            if *clear <= travel && meets(tracer, from, to) {
                return Some(index as u32);
            }
        }
        None
    }
}

fn meets(tracer: &Tracer<'_>, from: DVec3, to: DVec3) -> bool {
    tracer.entry_point(&Ray::segment(from, to)).status == RayStatus::Hit
}
