//! Thresholds of the recorder, and where rounding may decide them.
//!
//! Let u = 2^-24. A device holds places in a frame as in `wheel_bound`, and narrows the limits that it compares with:
//!
//! * **Runway's end**, as far from the scene's origin as L: narrowed `u L`, and moved to the frame, where what is left is
//!   as long as a place in it.
//! * **Runway's edge** at the half width w, the centreline as far from the origin as C: narrowed `u (C + w)`; the frame's
//!   distance from the centreline and the sum with the place in it are at most w and a place long.
//! * **Rest.** Speed and rate are lengths of vectors ([`LENGTH`]), the limits narrowed; the centre of gravity and the wheels' polygon, which
//!   it has to be above, have the rounding of two places.
//!
//! # Conventions
//! As in [`crate::query`].

use glam::DVec2;

use crate::query::rules::{REST_RATE, REST_SPEED};
use crate::query::{LandingClass, LandingJob, LandingState};
use crate::validation::wheel_bound::{FRAME_REACH, U};

/// Relative error of a vector's length as WGSL has it: squares and their sum 2 u, halved by the root; the inverse of an
/// inverse root of 2 units in the last place, 2 u each, and a quotient of 2.5 of them.
pub(super) const LENGTH: f64 = 10.0 * U;

/// A limit that a recorder compares with, and that no state tells whether it is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threshold {
    /// Speed and rate below which the body is at rest.
    Rest,
    /// The edges of the runway, which a touching wheel may pass.
    RunwayEdge,
    /// The end of the runway, which the centre of gravity may pass.
    RunwayEnd,
}

impl Threshold {
    /// The threshold that separates two classes; `None` if the states themselves do.
    pub fn between(a: LandingClass, b: LandingClass) -> Option<Self> {
        use LandingClass::{Overran, Stopped, Unfinished, VeeredOff};
        let rolled = |class| matches!(class, VeeredOff | Overran | Unfinished | Stopped);
        match [a, b] {
            classes if a == b || !classes.into_iter().all(rolled) => None,
            classes if classes.contains(&VeeredOff) => Some(Self::RunwayEdge),
            classes if classes.contains(&Overran) => Some(Self::RunwayEnd),
            _ => Some(Self::Rest),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Rest => "the speed of rest",
            Self::RunwayEdge => "the runway's edge",
            Self::RunwayEnd => "the runway's end",
        }
    }
}

/// The limits of a job.
#[derive(Clone, Debug)]
pub(super) struct Thresholds<'a> {
    job: &'a LandingJob,
    /// Rounding of the runway's end and of its edges \[m\].
    end: f64,
    edge: f64,
    /// Rounding of a distance from the centreline, beside that of its own length \[m\].
    pub lateral: f64,
    /// Rounding of a place of the body or of a wheel \[m\].
    pub place: f64,
}

impl<'a> Thresholds<'a> {
    pub fn new(job: &'a LandingJob) -> Self {
        let center = crate::scene::center(&job.scene);
        let arms = job.vehicle.wheels.iter().map(|wheel| wheel.position.length() + wheel.parameters.z_max);
        let in_frame = FRAME_REACH + arms.fold(0.0, f64::max);
        let (end, half_width) =
            job.scene.runway().map_or((0.0, 0.0), |runway| (runway.end() - center.x, 0.5 * runway.width));
        Self {
            job,
            end: U * (end.abs() + 2.0 * in_frame),
            edge: U * (center.y.abs() + 3.0 * half_width + 2.0 * in_frame),
            lateral: U * (center.y.abs() + in_frame),
            place: 2.0 * U * in_frame,
        }
    }

    /// How far beyond a threshold a state is, as a share of the limit or in metres; negative before it.
    pub fn beyond(&self, threshold: Threshold, state: &LandingState) -> f64 {
        let motion = &state.motion;
        let runway = self.job.scene.runway();
        match (threshold, runway) {
            (Threshold::Rest, _) if state.touchdown_step.is_none() => f64::NEG_INFINITY,
            (Threshold::Rest, _) => {
                let (slow, inside) = rest(state);
                slow.min(inside)
            }
            (_, None) => f64::NEG_INFINITY,
            (Threshold::RunwayEnd, Some(runway)) => motion.position.x - runway.end(),
            (Threshold::RunwayEdge, _) if state.touchdown_step.is_none() => f64::NEG_INFINITY,
            (Threshold::RunwayEdge, Some(runway)) => {
                let touching = state.wheels.iter().map(|wheel| &wheel.contact).filter(|contact| contact.touches());
                // Beside it only as far as it is long.
                let beyond = touching
                    .map(|contact| (contact.pebble.y.abs() - 0.5 * runway.width).min(runway.end() - contact.pebble.x));
                beyond.fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// True of a state for which rounding may decide on which side of a threshold it is.
    pub fn is_near(&self, threshold: Threshold, state: &LandingState) -> bool {
        let rounding = match threshold {
            Threshold::Rest if state.touchdown_step.is_none() => return false,
            Threshold::Rest => {
                let (slow, inside) = rest(state);
                let (of_speed, of_place) = (LENGTH + U, 2.0 * self.place);
                let is_open = slow <= of_speed || inside <= of_place;
                return is_open && slow >= -of_speed && inside >= -of_place;
            }
            // Beside the runway or behind it: either limit may be the nearer one.
            Threshold::RunwayEdge => self.edge.max(self.end),
            Threshold::RunwayEnd => self.end,
        };
        self.beyond(threshold, state).abs() <= rounding
    }
}

/// How much slower a state is than at rest, as a share of the limits, and how far its centre of gravity is above the inside of the polygon
/// of its wheels \[m\]; for fewer than three wheels, whether all touch, as an infinity.
fn rest(state: &LandingState) -> (f64, f64) {
    let motion = &state.motion;
    let slow = (1.0 - motion.velocity.length() / REST_SPEED).min(1.0 - motion.rate.length() / REST_RATE);
    let touching = state.wheels.iter().filter(|wheel| wheel.contact.touches());
    let pebbles: Vec<DVec2> = touching.map(|wheel| wheel.contact.pebble.truncate()).collect();
    let inside = match state.wheels.len() {
        0..3 if pebbles.len() == state.wheels.len() => f64::INFINITY,
        0..3 => f64::NEG_INFINITY,
        _ => depth(motion.position.truncate(), &pebbles),
    };
    (slow, inside)
}

/// How far a point is inside a polygon \[m\]: by the nearest of its sides, which have all of its places on their left.
fn depth(point: DVec2, places: &[DVec2]) -> f64 {
    let nearest = places.iter().map(|place| place.distance(point)).fold(f64::INFINITY, f64::min);
    let pairs = places.iter().flat_map(|from| places.iter().map(move |to| (*from, *to - *from)));
    let sides = pairs
        .filter(|(from, side)| *side != DVec2::ZERO && places.iter().all(|place| side.perp_dot(*place - *from) >= 0.0));
    let depths = sides.map(|(from, side)| side.perp_dot(point - from) / side.length());
    // One place has no side.
    depths.reduce(f64::min).unwrap_or(-nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::stands_on;

    #[test]
    fn a_point_is_as_deep_in_a_polygon_as_its_nearest_side_is_far() {
        let place = |x: f64, y: f64| DVec2::new(x, y);
        let square = [place(0.0, 0.0), place(2.0, 2.0), place(2.0, 0.0), place(0.0, 2.0)];
        for (point, expected) in [([0.5, 1.0], 0.5), ([1.0, 1.0], 1.0), ([2.0, 1.0], 0.0), ([3.0, 1.0], -1.0)] {
            assert_eq!(depth(DVec2::from_array(point), &square), expected, "{point:?}");
        }
        assert_eq!(depth(place(1.0, 3.0), &square[..1]), -10.0_f64.sqrt());
        assert!(depth(place(1.0, 1.0), &square[..2]) <= 0.0 && depth(place(0.0, 1.0), &square[..2]) < 0.0);
        assert_eq!(depth(DVec2::ZERO, &[]), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_deep_in_the_polygon_stands_and_what_is_outside_does_not() {
        let at = |number: u32| f64::from(number.wrapping_mul(2_654_435_769) >> 8) / f64::from(1 << 24);
        let mut counts = [0; 2];
        for trial in 0..2000 {
            let place = |wheel: u32| DVec2::new(at(100 * trial + 2 * wheel), at(100 * trial + 2 * wheel + 1));
            let places: Vec<DVec2> = (0..3 + trial % 4).map(place).collect();
            let (point, touching) = (DVec2::splat(0.5), places.iter().map(|place| Some(*place)));
            let inside = depth(point, &places);
            assert!(inside.abs() < 1e-12 || stands_on(point, touching) == (inside > 0.0), "{places:?}: {inside}");
            counts[usize::from(inside > 0.0)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    }
}
