//! The pilot: the rules of [`crate::vehicle::Pilot`] applied step by step.

use glam::DVec3;

use super::guidance::Autopilot;
use crate::flight::LandingPlan;
use crate::query::rules::{MAX_INTERCEPT, PEDAL_RATE};
use crate::query::{Controls, Input, LandingInputs, LandingJob, LandingState, Motion, PilotState};
use crate::vehicle::Surfaces;

/// A pilot in one landing.
pub(super) struct PilotAtWork<'a> {
    pub job: &'a LandingJob,
    pub inputs: &'a LandingInputs,
    pub plan: &'a LandingPlan,
    /// The pilot's view of the vehicle.
    pub motion: Motion,
    /// Air velocity, world \[m/s\].
    pub air: DVec3,
}

impl PilotAtWork<'_> {
    /// The pilot's controls in the step that starts in this state, and the updated pilot state. Motion is that in the
    /// middle of the step.
    pub fn controls(&self, state: &mut LandingState) -> Controls {
        let since = state.steps_since_touchdown();
        let (motion, memory) = (&self.motion, &mut state.pilot);
        for (begun, delay) in memory.begun.iter_mut().zip(self.plan.delays) {
            *begun |= since.zip(delay).is_some_and(|(since, delay)| since >= delay);
        }
        let [spoilers, brakes, reverse] = memory.begun;
        let speed = motion.ground_speed();
        let autopilot = Autopilot::new(self.job, self.plan, motion);
        // What the autoland asks for; from touchdown on the pilot lands.
        let guided = autopilot.as_ref().filter(|_| since.is_none());
        let steering = self.steering(motion, since.is_some(), guided);
        if brakes {
            memory.pedal = self.pedal(memory, speed);
        }
        memory.last_speed = speed;
        let airspeed = (motion.velocity - self.air).length();
        let thrust = guided.map_or_else(|| self.thrust(airspeed, reverse), |autopilot| autopilot.thrust(airspeed));
        let thrust = autopilot.as_ref().map_or(thrust, |autopilot| autopilot.followed(memory, thrust));
        Controls {
            surfaces: Surfaces {
                elevator: match guided {
                    None => self.elevator(motion, memory, since),
                    Some(autopilot) => self.within_surface_limit(autopilot.elevator(memory, speed)),
                },
                aileron: self.aileron(motion, guided),
                rudder: self.within_surface_limit(trimmed(-steering, guided.map_or(0.0, |_| self.plan.lateral_trim.y))),
                spoilers: f64::from(u8::from(spoilers)),
            },
            steering: if since.is_some() { steering } else { 0.0 },
            steering_authority: self.steering_authority(speed),
            brake: memory.pedal,
            thrust,
        }
    }

    /// Holds the pitch angle until touchdown, then lowers the nose to the runway's own pitch.
    fn elevator(&self, motion: &Motion, memory: &mut PilotState, since: Option<u64>) -> f64 {
        let pitch = motion.pitch();
        let wanted = match since {
            None => self.plan.pitch,
            Some(since) => {
                let at_touchdown = *memory.pitch_at_touchdown.get_or_insert(pitch);
                let lowered = at_touchdown - self.inputs.get(Input::DerotationRate) * (since as f64 * self.job.step);
                lowered.max(at_touchdown.min(self.job.scene.ground_plane().pitch()))
            }
        };
        let pilot = &self.job.vehicle.pilot;
        let correction = pilot.pitch_gain * (wanted - pitch);
        self.within_surface_limit(self.plan.trim - correction + pilot.pitch_damping * motion.rate.y)
    }

    /// Holds the wings level, or as the autoland asks.
    fn aileron(&self, motion: &Motion, guided: Option<&Autopilot<'_>>) -> f64 {
        let pilot = &self.job.vehicle.pilot;
        let above = guided.map_or(motion.bank(), |autopilot| motion.bank() - autopilot.bank());
        let asked = -pilot.bank_gain * above - pilot.roll_damping * motion.rate.x;
        self.within_surface_limit(trimmed(asked, guided.map_or(0.0, |_| self.plan.lateral_trim.x)))
    }

    /// Commanded angle of nose wheel and rudder \[rad\], positive to the right.
    fn steering(&self, motion: &Motion, on_ground: bool, guided: Option<&Autopilot<'_>>) -> f64 {
        let pilot = &self.job.vehicle.pilot;
        let wanted = if on_ground {
            (pilot.lateral_gain * motion.position.y).clamp(-MAX_INTERCEPT, MAX_INTERCEPT)
        } else {
            guided.map_or(self.plan.heading, Autopilot::heading)
        };
        pilot.heading_gain * (wanted - motion.heading()) - pilot.yaw_damping * motion.rate.z
    }

    /// Above full steering speed the limit falls with the square of the speed: constant lateral acceleration.
    fn steering_authority(&self, speed: f64) -> f64 {
        let full = self.job.vehicle.pilot.full_steering_speed;
        if speed <= full { 1.0 } else { (full / speed).powi(2) }
    }

    /// At the brake level, or adjusted to the target deceleration up to that level.
    fn pedal(&self, memory: &PilotState, speed: f64) -> f64 {
        let level = self.inputs.get(Input::BrakeLevel);
        let target = self.inputs.get(Input::TargetDeceleration);
        if target > 0.0 {
            let deceleration = (memory.last_speed - speed) / self.job.step;
            (memory.pedal + self.job.step * PEDAL_RATE * (1.0 - deceleration / target)).clamp(0.0, level)
        } else {
            level
        }
    }

    fn thrust(&self, airspeed: f64, reverse: bool) -> f64 {
        let thrust = &self.job.vehicle.thrust;
        if reverse && airspeed >= thrust.reverse_cutoff {
            -thrust.reverse * self.inputs.get(Input::ReverseLevel)
        } else {
            thrust.idle
        }
    }

    fn within_surface_limit(&self, deflection: f64) -> f64 {
        let limit = self.job.vehicle.surface_limit();
        deflection.clamp(-limit, limit)
    }
}

/// What is asked of a surface, from its trim on. Without one it is the same, its sign as zero included.
fn trimmed(asked: f64, trim: f64) -> f64 {
    if trim == 0.0 { asked } else { asked + trim }
}
