//! Structural points of eight vehicles swept through the scene.

use super::body::Bodies;
use crate::lanes::LANES;
use crate::native::surface::{NONE, SurfaceFinder};
use crate::query::Ray;
use crate::simd::{F64x8, Mask8, Simd};
use crate::vehicle::StructuralPoint;

/// Rounding of a place within 1e6 m of the origin, with a wide margin \[m\].
pub(super) const ROUNDING: f64 = 1e-9;

/// Checks a point only if no bound proves it clear: a point at distance `c` from the scene cannot touch it before it
/// has travelled `c`. Most steps need a single comparison for all points of eight vehicles.
pub(super) struct StructureWatch<'a, S: Simd> {
    points: &'a [StructuralPoint],
    /// Distance of the farthest point from the centre of gravity \[m\].
    reach: f64,
    /// How far no point has travelled farther since it was looked at last, whichever point that was \[m\].
    travelled: F64x8<S>,
    /// How far each vehicle may travel until a point has to be looked at \[m\]: the least of the lane's `clear`.
    least_clear: F64x8<S>,
    /// For each lane and point, how far it may travel until it has to be looked at \[m\].
    clear: [Vec<f64>; LANES],
}

impl<'a, S: Simd> StructureWatch<'a, S> {
    pub fn new(simd: S, points: &'a [StructuralPoint]) -> Self {
        Self {
            points,
            reach: points.iter().map(|point| point.position.length()).fold(0.0, f64::max),
            travelled: F64x8::zero(simd),
            least_clear: F64x8::zero(simd),
            clear: std::array::from_fn(|_| vec![0.0; points.len()]),
        }
    }

    /// Forgets what is known of a lane: its points will all be looked at.
    pub fn forget(&mut self, lane: usize) {
        self.clear[lane].fill(0.0);
        self.travelled.set(lane, 0.0);
        self.least_clear.set(lane, 0.0);
    }

    /// For each lane the first point that meets the scene on its way from one pose to the next, or [`NONE`].
    #[inline(always)]
    pub fn sweep(
        &mut self,
        finder: &SurfaceFinder<'_>,
        before: &Bodies<S>,
        after: &Bodies<S>,
        lanes: Mask8<S>,
    ) -> [u32; LANES] {
        if self.points.is_empty() {
            return [NONE; LANES];
        }
        // No point is farther from where it was: a turn moves it by the difference of the two matrices, whose norm is
        // at most Frobenius', times its distance from the centre.
        let [x, y, z] = after.to_world.less(&before.to_world);
        let turned_squared = x.dot(x) + y.dot(y) + z.dot(z);
        let travel = (after.position - before.position).length() + turned_squared.sqrt() * self.reach + ROUNDING;
        self.travelled = lanes.select(self.travelled + travel, self.travelled);
        let due = lanes & !self.travelled.lt(self.least_clear);
        let mut struck = [NONE; LANES];
        if due.any() {
            for lane in due.lanes() {
                struck[lane] = self.look(finder, before, after, lane, travel.get(lane));
            }
        }
        struck
    }

    /// Looks at the points of a lane that may have come near the scene.
    fn look(
        &mut self,
        finder: &SurfaceFinder<'_>,
        before: &Bodies<S>,
        after: &Bodies<S>,
        lane: usize,
        travel: f64,
    ) -> u32 {
        let (travelled, mut least, mut struck) = (self.travelled.get(lane), f64::INFINITY, NONE);
        let pose = |bodies: &Bodies<S>| (bodies.position.get(lane), bodies.to_world.get(lane));
        let ((from, from_body), (to, to_body)) = (pose(before), pose(after));
        for (index, (point, clear)) in self.points.iter().zip(&mut self.clear[lane]).enumerate() {
            *clear -= travelled;
            // False also for a point whose place is no number.
            let is_clear = *clear > 0.0;
            if !is_clear {
                let way = Ray::segment(from + from_body * point.position, to + to_body * point.position);
                *clear = finder.clearance(way.x2);
                if struck == NONE && *clear <= travel && finder.meets(&way) {
                    struck = index as u32;
                }
            }
            least = least.min(*clear);
        }
        self.travelled.set(lane, 0.0);
        self.least_clear.set(lane, least);
        struck
    }
}
