//! Thresholds of the recorder, and where rounding may decide them.
//!
//! Let u = 2^-24. A device holds places in a frame as in `wheel_bound`, and narrows the limits that it compares with:
//!
//! * **Runway's end**, as far from the scene's origin as L: narrowed `u L`, and moved to the frame, where what is left is
//!   as long as a place in it.
//! * **Runway's edge** at the half width w, the centreline as far from the origin as C: narrowed `u (C + w)`; the frame's
//!   distance from the centreline and the sum with the place in it are at most w and a place long.
//! * **Rest.** Speed and rate are lengths of vectors ([`LENGTH`]), the limits narrowed. That the centre of gravity is above the inside
//!   of its wheels' polygon is no limit that a landing comes near: above its edge nothing stays.
//!
//! # Conventions
//! As in [`crate::query`].

use crate::query::rules::{REST_RATE, REST_SPEED};
use crate::query::{LandingClass, LandingJob, LandingState, stands_on};
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
                let touching = state
                    .wheels
                    .iter()
                    .map(|wheel| wheel.contact)
                    .map(|contact| contact.touches().then_some(contact.pebble.truncate()));
                // By its wheels' polygon a landing is at rest or not, without a distance.
                match stands_on(motion.position.truncate(), touching) {
                    true => (1.0 - motion.velocity.length() / REST_SPEED).min(1.0 - motion.rate.length() / REST_RATE),
                    false => f64::NEG_INFINITY,
                }
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
            Threshold::Rest => LENGTH + U,
            // Beside the runway or behind it: either limit may be the nearer one.
            Threshold::RunwayEdge => self.edge.max(self.end),
            Threshold::RunwayEnd => self.end,
        };
        self.beyond(threshold, state).abs() <= rounding
    }
}
