//! Autoland or pilot's flare: the laws of [`crate::vehicle::Autoland`], in the step of one landing.

use crate::flight::{Guidance, LandingPlan};
use crate::query::{LandingJob, Motion, PilotState};
use crate::scene::GroundPlane;
use crate::vehicle::Autoland;

/// An autoland in one step.
pub(super) struct Autopilot<'a> {
    job: &'a LandingJob,
    autoland: Autoland,
    guidance: &'a Guidance,
    /// Wind correction angle \[rad\].
    correction: f64,
    trim: f64,
    motion: &'a Motion,
    ground: GroundPlane,
    /// Height of the lowest main wheel, in the attitude of the trimmed glide \[m\].
    height: f64,
}

impl<'a> Autopilot<'a> {
    /// `None` if the vehicle has neither autoland nor flare.
    pub fn new(job: &'a LandingJob, plan: &'a LandingPlan, motion: &'a Motion) -> Option<Self> {
        let (autoland, guidance) = (job.vehicle.laws()?, plan.guidance.as_ref()?);
        let ground = job.scene.ground_plane();
        let height = ground.height(motion.position) - guidance.wheel_depth;
        Some(Self { job, autoland, guidance, correction: plan.heading, trim: plan.trim, motion, ground, height })
    }

    /// Commanded sink rate \[m/s\] relative to the horizon: the lower of glide path (or steady descent) and exponential
    /// flare. Above rising ground the height falls faster along the path, and in the flare by the rise of the ground.
    fn sink_rate(&self, ground_speed: f64) -> f64 {
        let law = &self.autoland;
        let tangent = self.guidance.glide_tangent;
        let path = law.gate_height - (self.motion.position.x - law.gate_distance) * (tangent + self.ground.slope);
        let glide = self.guidance.descent + ground_speed * tangent + law.glide_gain * (self.height - path);
        let rise = self.ground.below(self.motion.velocity.x);
        let flare = law.touchdown_sink_rate + self.height / law.flare_time - rise;
        if glide < flare { glide } else { flare }
    }

    /// The elevator \[rad\] for a pitch angle that makes the path follow the commanded sink rate.
    pub fn elevator(&self, memory: &mut PilotState, ground_speed: f64) -> f64 {
        let law = &self.autoland;
        let asked = self.sink_rate(ground_speed);
        let error = -self.motion.velocity.z - asked;
        let integral = memory.sink_integral + self.job.step * law.sink_integral_gain * error;
        memory.sink_integral = integral.clamp(-law.sink_integral_limit, law.sink_integral_limit);
        let path = asked * self.guidance.angle_per_sink_rate;
        let pitch = self.guidance.angle_of_attack - path + law.sink_gain * error + memory.sink_integral;
        let correction = law.pitch_gain * (pitch.clamp(law.least_pitch, law.greatest_pitch) - self.motion.pitch());
        self.trim - correction + law.pitch_damping * self.motion.rate.y
    }

    /// The commanded thrust \[N\]: what holds the airspeed, retarded to idle near the ground.
    pub fn thrust(&self, airspeed: f64) -> f64 {
        let (law, idle) = (&self.autoland, self.job.vehicle.thrust.idle);
        let held = self.guidance.thrust + law.speed_gain * (self.guidance.target_airspeed - airspeed);
        let held = held.clamp(idle, law.greatest_thrust);
        idle + (held - idle) * (self.height / law.retard_height).clamp(0.0, 1.0)
    }

    /// The thrust \[N\] that the engines reach.
    pub fn followed(&self, memory: &mut PilotState, asked: f64) -> f64 {
        memory.thrust += self.guidance.engine_share * (asked - memory.thrust);
        memory.thrust
    }

    /// The commanded bank angle \[rad\].
    pub fn bank(&self) -> f64 {
        let law = &self.autoland;
        let asked = law.bank_per_offset * self.motion.position.y + law.bank_per_drift * self.motion.velocity.y;
        asked.clamp(-law.bank_limit, law.bank_limit)
    }

    /// The commanded heading \[rad\].
    pub fn heading(&self) -> f64 {
        let above = (self.height / self.autoland.decrab_height).clamp(0.0, 1.0);
        self.correction * (1.0 - self.guidance.decrab * (1.0 - above))
    }
}
