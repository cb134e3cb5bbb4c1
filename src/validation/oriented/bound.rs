//! Bounds on the numbers that decide a collision state.
//!
//! With x the point relative to the first vertex of its target, a device has n, x and the offset `h = n . (v_i - v_0)`
//! narrowed from f64: one rounding each, of relative size u = 2^-24. A product of narrowed numbers is off by 3 u of itself, the
//! sum of two by one more, and the difference with h by one u of h and one of itself, which is at most |n| . |x| + |h|. So a
//! separation is off by at most
//!
//! `u (5 (|n_x x_x| + |n_y x_y|) + 2 |h|)`, to first order; 6 in the place of both covers what is of second order and the
//! roundings of f64.
//!
//! The same holds of a range, `p . x` against its ends. Numbers below the least normal one may be taken for 0.
//!
//! The share of a step at which a separation vanished, `b / (b - a)` between 0 and 1, is off by
//! `(2 e_b + e_a) / (b - a)` to first order and by a quotient's and a difference's 4 u (a device divides to 2.5 u).

use glam::DVec2;

use super::Deviation;
use crate::query::{ConvexTarget, InitiatorMotion, OrientedConfiguration, TargetSurface};
use crate::validation::wheel_bound::U;

/// Below this a device may take a product for 0.
const UNDERFLOW: f64 = 4.0 * f32::MIN_POSITIVE as f64;

/// What decides a configuration.
pub(super) struct Decisions {
    all: u32,
    reference: Option<OrientedConfiguration>,
    surfaces: Vec<Decided>,
}

/// What decides on one surface: numbers with their bounds.
struct Decided {
    separation: (f64, f64),
    separation_before: (f64, f64),
    /// How far the point is beyond the nearer end of the range, negative on range.
    beyond: (f64, f64),
}

impl Decisions {
    pub fn new([then, now]: [&ConvexTarget; 2], initiator: &InitiatorMotion) -> Self {
        let origins = [then, now].map(|target| target.vertices()[0]);
        let decided = |(before, surface): (TargetSurface, TargetSurface)| {
            let along = |vertex: DVec2| surface.along.dot(initiator.to - vertex);
            let along_bound = |vertex: DVec2| bound(surface.along, initiator.to - origins[1], vertex - origins[1]);
            let ends =
                [(-along(surface.start), along_bound(surface.start)), (along(surface.end), along_bound(surface.end))];
            Decided {
                separation: (
                    surface.separation(initiator.to),
                    bound(surface.normal, initiator.to - origins[1], surface.start - origins[1]),
                ),
                separation_before: (
                    before.separation(initiator.from),
                    bound(before.normal, initiator.from - origins[0], before.start - origins[0]),
                ),
                // Beyond one end a point is far on the inner side of the other.
                beyond: if ends[0].0 > ends[1].0 { ends[0] } else { ends[1] },
            }
        };
        let surfaces = then.surfaces().zip(now.surfaces()).map(decided).collect();
        Self { all: now.all_surfaces(), reference: initiator.reference, surfaces }
    }

    /// How far from 0 the separations are whose signs differ, the farthest by its bound.
    pub fn penetration(&self, differing: u32) -> Deviation {
        self.farthest("penetration", differing, |decided| decided.separation)
    }

    /// How far from the ends of ranges the points are.
    pub fn range(&self, differing: u32) -> Deviation {
        self.farthest("range", differing, |decided| decided.beyond)
    }

    fn farthest(&self, what: &'static str, differing: u32, of: impl Fn(&Decided) -> (f64, f64)) -> Deviation {
        let differing = (0..).zip(&self.surfaces).filter(|(surface, _)| differing >> surface & 1 == 1);
        let deviations = differing.map(|(_, decided)| {
            let (number, bound) = of(decided);
            Deviation::new(what, number.abs(), bound)
        });
        let none = Deviation::new(what, 0.0, 0.0);
        deviations.fold(none, |worst, other| if other.ratio() > worst.ratio() { other } else { worst })
    }

    /// C as it follows from an answer's penetrations and ranges.
    pub fn collision(&self, answer: &OrientedConfiguration) -> u32 {
        let Some(reference) = self.reference else { return 0 };
        self.following(answer, reference.collision, self.lost(answer))
    }

    /// Surfaces that have lost separation.
    fn lost(&self, answer: &OrientedConfiguration) -> u32 {
        let Some(reference) = self.reference else { return 0 };
        answer.penetration & !reference.penetration
    }

    fn following(&self, answer: &OrientedConfiguration, before: u32, new: u32) -> u32 {
        let Some(reference) = self.reference else { return 0 };
        match (answer.penetration == self.all, before) {
            (true, 0) => new,
            (true, _) => before,
            (false, _) => before & answer.range & answer.penetration & reference.penetration,
        }
    }

    /// Whether C with the tie break may be what an answer says.
    pub fn allows_last(&self, answer: &OrientedConfiguration) -> bool {
        let Some(reference) = self.reference else { return answer.collision_last == 0 };
        let lost = self.lost(answer);
        if lost == 0 || self.following(answer, reference.collision_last, lost) != lost {
            return answer.collision_last == self.following(answer, reference.collision_last, lost);
        }
        // A retained mask that happens to be that of the new surfaces is one of a single surface, or wrong below.
        if reference.collision_last != 0 {
            return answer.collision_last == reference.collision_last;
        }
        let shares = (0..).zip(&self.surfaces).filter(|(surface, _)| lost >> surface & 1 == 1);
        let shares: Vec<(u32, f64, f64)> =
            shares.map(|(surface, decided)| (surface, decided.share(), decided.share_bound())).collect();
        let earliest_last = shares.iter().map(|(_, share, bound)| share - bound).fold(f64::NEG_INFINITY, f64::max);
        shares
            .iter()
            .any(|&(surface, share, bound)| answer.collision_last == 1 << surface && share + bound >= earliest_last)
    }

    /// Whether the nearest surface may be what an answer says.
    pub fn allows_nearest(&self, answer: &OrientedConfiguration) -> bool {
        let Some(nearest) = answer.minimum_translation else { return answer.penetration != self.all };
        let (separations, nearest) = (self.surfaces.iter().map(|decided| decided.separation), nearest as usize);
        let nearer = separations.map(|(separation, bound)| separation - bound).fold(f64::NEG_INFINITY, f64::max);
        let allowed = |decided: &Decided| decided.separation.0 + decided.separation.1 >= nearer;
        answer.penetration == self.all && self.surfaces.get(nearest).is_some_and(allowed)
    }
}

impl Decided {
    /// The share of the step at which the separation vanished.
    fn share(&self) -> f64 {
        let (before, after) = (self.separation_before.0, self.separation.0);
        if before > after { (before / (before - after)).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn share_bound(&self) -> f64 {
        let ((before, of_before), (after, of_after)) = (self.separation_before, self.separation);
        let way = before - after;
        let error = 2.0 * of_before + of_after;
        // Where the way is hardly longer than its error nothing is known.
        if way > 4.0 * error { 2.0 * error / way + 8.0 * U } else { f64::INFINITY }
    }
}

/// How far a device may be off in `direction . (point - vertex)`.
fn bound(direction: DVec2, point: DVec2, vertex: DVec2) -> f64 {
    let (direction, point) = (direction.abs(), point.abs());
    6.0 * U * (direction.dot(point) + direction.dot(vertex.abs())) + UNDERFLOW
}
