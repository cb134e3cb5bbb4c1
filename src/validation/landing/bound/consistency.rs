//! What the results of one step owe each other, however far its forces are off.
//!
//! A force of a wheel is known to a share of it, which hides what the body makes of that force. Newton and Euler hide nothing: what the
//! mass and the acceleration leave beside the candidate's own wheels is the load of air, engines and weight, which is known
//! without them. The differences between candidate and judge are
//!
//! * **Force beside the wheels** `m a - sum F`: that of air and engines with the error of their direction, 8 u of the weight, and 64 u of
//!   what is summed and turned to the body and back.
//! * **Moment beside them** `I alpha - sum r x F`, where the whole step is one sub-step, in whose middle the forces are: that of air and
//!   engines, 32 u of what is summed, and for each force the error of its place twice (as it works, and as it is
//!   told), and 8 rotations of its moment.
//! * **Velocity and rate beside their accelerations** `v - h a`, there: 4 u of the speeds before and after, and 8 u of the
//!   change, whichever of the two has the larger ones: close to zero a candidate rounds its own, which the judge's do not show.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes for places, forces and speeds, body axes for
//! rates.

use glam::{DMat3, DVec3};

use super::{Bounds, turned};
use crate::query::{Input, LandingInputs, LandingState, Motion};
use crate::validation::deviation::Deviation;
use crate::validation::wheel_bound::U;

/// How far the results of a step may be from following from each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Consistency {
    /// Of the body \[kg\].
    mass: f64,
    /// Bound of the force beside those of the wheels \[N\].
    force: f64,
    /// Where the gear does the step in one sub-step.
    whole: Option<WholeStep>,
}

impl Bounds<'_> {
    /// What the results of a step owe each other, where force and moment beside the wheels are off by so much.
    pub(super) fn consistency(
        &self,
        inputs: &LandingInputs,
        states: (&LandingState, &LandingState),
        [force, moment]: [f64; 2],
        is_only: bool,
    ) -> Consistency {
        let mass = inputs.get(Input::Mass);
        let inertia = self.job.vehicle.inertia.tensor() * (mass / self.job.vehicle.mass);
        let whole = is_only.then(|| WholeStep::new(self.job.step, inertia, states, moment));
        Consistency { mass, force, whole }
    }
}

/// A step of one sub-step.
#[derive(Clone, Debug, PartialEq)]
struct WholeStep {
    /// Its length \[s\].
    step: f64,
    /// Of the body \[kg m^2\].
    inertia: DMat3,
    /// Where the body is in its middle \[m\].
    place: DVec3,
    to_body: DMat3,
    /// Bound of the moment beside those of the wheels \[N m\].
    moment: f64,
    /// Speeds before it, the judge's after it, and the judge's accelerations.
    before: Sizes,
    after: Sizes,
}

/// Of a velocity \[m/s\] and a rate \[rad/s\], and of what changes them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    speeds: [f64; 2],
    changes: [f64; 2],
}

impl Sizes {
    fn of(state: &LandingState) -> Self {
        Self {
            speeds: [state.motion.velocity.length(), state.motion.rate.length()],
            changes: [state.acceleration.linear.length(), state.acceleration.angular.length()],
        }
    }

    fn or_larger(self, other: Self) -> Self {
        let larger = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a.max(c), b.max(d)];
        Self { speeds: larger(self.speeds, other.speeds), changes: larger(self.changes, other.changes) }
    }
}

impl WholeStep {
    /// Of the step of this length from one state to another, with the bound of the moment.
    fn new(step: f64, inertia: DMat3, (before, after): (&LandingState, &LandingState), moment: f64) -> Self {
        let Motion { position, velocity, .. } = before.motion;
        Self {
            step,
            inertia,
            place: position + 0.5 * step * velocity,
            to_body: DMat3::from_quat(turned(&before.motion, 0.5 * step)).transpose(),
            moment,
            before: Sizes::of(before),
            after: Sizes::of(after),
        }
    }

    /// Bounds of velocity \[m/s\] and rate \[rad/s\] beside their accelerations, where the larger of both ends are these.
    fn of_motion(&self, after: Sizes) -> [f64; 2] {
        let of =
            |i: usize| 4.0 * U * (self.before.speeds[i] + after.speeds[i]) + 8.0 * U * self.step * after.changes[i];
        [of(0), of(1)]
    }

    /// Moment beside those of the wheels, body axes \[N m\].
    fn moment_of(&self, state: &LandingState) -> DVec3 {
        let of_wheels = state.wheels.iter().map(|wheel| {
            let arm = self.to_body * (wheel.application - self.place);
            arm.cross(self.to_body * wheel.force)
        });
        self.inertia * state.acceleration.angular - of_wheels.sum::<DVec3>()
    }
}

impl Consistency {
    /// How far a candidate's results are from following from each other, beside those of the judge.
    pub fn deviations(&self, truth: &LandingState, answer: &LandingState) -> Vec<Deviation> {
        let apart = |of: &dyn Fn(&LandingState) -> DVec3| (of(truth) - of(answer)).length();
        let force = |state: &LandingState| {
            self.mass * state.acceleration.linear - state.wheels.iter().map(|wheel| wheel.force).sum::<DVec3>()
        };
        let mut all = vec![Deviation::new("force beside those of the wheels [N]", apart(&force), self.force)];
        if let Some(whole) = &self.whole {
            let velocity = |state: &LandingState| state.motion.velocity - whole.step * state.acceleration.linear;
            let rate = |state: &LandingState| state.motion.rate - whole.step * state.acceleration.angular;
            let moment = |state: &LandingState| whole.moment_of(state);
            let [velocity_bound, rate_bound] = whole.of_motion(whole.after.or_larger(Sizes::of(answer)));
            all.extend([
                Deviation::new("moment beside those of the wheels [N m]", apart(&moment), whole.moment),
                Deviation::new("velocity beside its acceleration [m/s]", apart(&velocity), velocity_bound),
                Deviation::new("rate beside its acceleration [rad/s]", apart(&rate), rate_bound),
            ]);
        }
        all
    }

    /// Bounds of velocity \[m/s\] and rate \[rad/s\] beside their accelerations, where the step is one sub-step and the
    /// candidate is not far from the judge.
    pub(in crate::validation::landing) fn of_motion(&self) -> Option<[f64; 2]> {
        self.whole.as_ref().map(|whole| whole.of_motion(whole.after))
    }
}
