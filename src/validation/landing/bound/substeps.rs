//! Whether a step may have several sub-steps of the gear: whether the wheels' pace in its middle may be other than calm.

use glam::DVec3;

use super::{Bounds, turned};
use crate::query::rules::LIVELY_SPEED;
use crate::query::{Acceleration, LandingState, Motion, WheelStep};
use crate::vehicle::{GroundReactions, Wheel};

impl Bounds<'_> {
    /// False where the gear does the step from `before` to `after` in one sub-step whatever the rounding.
    pub(super) fn may_take_substeps(&self, before: &LandingState, after: &LandingState) -> bool {
        let wheels = self.job.vehicle.wheels.iter().zip(before.wheels.iter().zip(&after.wheels));
        self.calm_substeps > 1
            || wheels.into_iter().any(|(wheel, (last, next))| {
                if last.contact.touches() {
                    self.may_be_lively(wheel, before, (last, next))
                } else {
                    let gets_into_contact = next.contact.state != last.contact.state || next.peak_force > 0.0;
                    gets_into_contact || self.may_seem_to_touch(wheel, before, after)
                }
            })
    }

    /// Whether the point by which a wheel that touches is judged may move fast along the normal in the middle of the step:
    /// its pebble, or by ground reactions its foot over the ground that the step itself finds. What that was is forgotten
    /// where the wheel no longer touches.
    fn may_be_lively(&self, wheel: &Wheel, before: &LandingState, (last, next): (&WheelStep, &WheelStep)) -> bool {
        let half_step = 0.5 * self.job.step;
        match self.job.vehicle.ground_reactions {
            GroundReactions::Pebble => {
                let Motion { position, velocity, .. } = before.motion;
                self.may_move_fast(before, last.contact.pebble - (position + half_step * velocity), last.contact.normal)
            }
            GroundReactions::Jsbsim => {
                let foot = turned(&before.motion, half_step) * wheel.foot();
                !next.contact.touches() || self.may_move_fast(before, foot, next.contact.normal)
            }
        }
    }

    /// Whether a point at this arm \[m\] from the middle of the step may then move fast along a normal.
    fn may_move_fast(&self, before: &LandingState, arm: DVec3, normal: DVec3) -> bool {
        // Far more than rounding moves a closing speed by.
        const MIN_SPEED: f64 = 0.99 * LIVELY_SPEED;
        let half_step = 0.5 * self.job.step;
        let Motion { orientation, velocity, rate, .. } = before.motion;
        let Acceleration { linear, angular } = before.acceleration;
        let world_rate = orientation * (rate + half_step * angular);
        let closing = normal.dot(velocity + half_step * linear + world_rate.cross(arm)).abs();
        // By then the body has turned, and with it what the rate changes by.
        let by_turning = half_step * half_step * rate.length() * angular.length() * arm.length();
        closing + by_turning > MIN_SPEED * normal.length()
    }

    /// Whether a wheel that does not touch may be foretold to: it ends the step as near to the ground as a change of
    /// acceleration, and far more than rounding, may move it.
    fn may_seem_to_touch(&self, wheel: &Wheel, before: &LandingState, after: &LandingState) -> bool {
        const ROUNDING: f64 = 1e-3;
        let foot = wheel.foot();
        let size = |of: &Acceleration| of.linear.length() + of.angular.length() * foot.length();
        let moved = self.job.step * self.job.step * (size(&before.acceleration) + size(&after.acceleration));
        let end = after.motion.position + after.motion.orientation * foot;
        self.job.scene.clearance(end) < moved + ROUNDING
    }
}
