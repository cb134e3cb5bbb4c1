//! Eight autolands: the laws of [`crate::vehicle::Autoland`] applied step by step.

use super::body::Bodies;
use super::ground::{below, heights};
use crate::flight::{Guidance, LandingPlan};
use crate::scene::GroundPlane;
use crate::simd::{F64x8, Simd};
use crate::vehicle::Autoland;

/// References of the autolands of eight landings; as [`Guidance`].
pub(super) struct Guidances<S: Simd> {
    target_airspeed: F64x8<S>,
    glide_tangent: F64x8<S>,
    descent: F64x8<S>,
    wheel_depth: F64x8<S>,
    angle_of_attack: F64x8<S>,
    thrust: F64x8<S>,
    angle_per_sink_rate: F64x8<S>,
    decrab: F64x8<S>,
    engine_share: F64x8<S>,
}

impl<S: Simd> Guidances<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            target_airspeed: zero,
            glide_tangent: zero,
            descent: zero,
            wheel_depth: zero,
            angle_of_attack: zero,
            thrust: zero,
            angle_per_sink_rate: zero,
            decrab: zero,
            engine_share: zero,
        }
    }

    /// Puts the guidance of a landing into a lane.
    pub fn set(&mut self, lane: usize, plan: &LandingPlan) {
        let Some(guidance) = plan.guidance else {
            return;
        };
        let Guidance {
            target_airspeed,
            glide_tangent,
            descent,
            wheel_depth,
            angle_of_attack,
            thrust,
            angle_per_sink_rate,
            decrab,
            engine_share,
        } = guidance;
        self.target_airspeed.set(lane, target_airspeed);
        self.glide_tangent.set(lane, glide_tangent);
        self.descent.set(lane, descent);
        self.wheel_depth.set(lane, wheel_depth);
        self.angle_of_attack.set(lane, angle_of_attack);
        self.thrust.set(lane, thrust);
        self.angle_per_sink_rate.set(lane, angle_per_sink_rate);
        self.decrab.set(lane, decrab);
        self.engine_share.set(lane, engine_share);
    }
}

/// Eight autolands in one step.
pub(super) struct Autopilots<'a, S: Simd> {
    law: &'a Autoland,
    guidances: &'a Guidances<S>,
    bodies: &'a Bodies<S>,
    plane: GroundPlane,
    /// Of the lowest main wheels, in the attitude of the trimmed glide \[m\].
    heights: F64x8<S>,
}

impl<'a, S: Simd> Autopilots<'a, S> {
    #[inline(always)]
    pub fn new(law: &'a Autoland, guidances: &'a Guidances<S>, bodies: &'a Bodies<S>, plane: GroundPlane) -> Self {
        Self { law, guidances, bodies, plane, heights: heights(plane, bodies) - guidances.wheel_depth }
    }

    /// Commanded sink rates \[m/s\] relative to the horizon: the lower of glide path (or steady descent) and
    /// exponential flare. Above rising ground the height falls faster along the path, and in the flare by the rise of
    /// the ground.
    #[inline(always)]
    fn sink_rates(&self, ground_speed: F64x8<S>) -> F64x8<S> {
        let (law, tangent) = (self.law, self.guidances.glide_tangent);
        let path = law.gate_height - (self.bodies.position.x - law.gate_distance) * (tangent + self.plane.slope);
        let glide = self.guidances.descent + ground_speed * tangent + law.glide_gain * (self.heights - path);
        let rise = below(self.plane, self.bodies.velocity.x);
        let flare = law.touchdown_sink_rate + self.heights / law.flare_time - rise;
        glide.min(flare)
    }

    /// The elevators \[rad\], relative to trim, for pitch angles that make the paths follow the commanded sink rates,
    /// and the updated integrals \[rad\].
    #[inline(always)]
    pub fn elevators(
        &self,
        trim: F64x8<S>,
        pitch: F64x8<S>,
        integral: F64x8<S>,
        ground_speed: F64x8<S>,
        step: f64,
    ) -> (F64x8<S>, F64x8<S>) {
        let law = self.law;
        let asked = self.sink_rates(ground_speed);
        let error = -self.bodies.velocity.z - asked;
        let limit = asked.like(law.sink_integral_limit);
        let integral = (integral + step * law.sink_integral_gain * error).clamp(-limit, limit);
        let path = asked * self.guidances.angle_per_sink_rate;
        let wanted = self.guidances.angle_of_attack - path + law.sink_gain * error + integral;
        let wanted = wanted.clamp(asked.like(law.least_pitch), asked.like(law.greatest_pitch));
        let correction = law.pitch_gain * (wanted - pitch);
        (trim - correction + law.pitch_damping * self.bodies.rate.y, integral)
    }

    /// The commanded thrusts \[N\]: what holds the airspeeds, retarded to idle near the ground.
    #[inline(always)]
    pub fn thrusts(&self, airspeed: F64x8<S>, idle: f64) -> F64x8<S> {
        let law = self.law;
        let held = self.guidances.thrust + law.speed_gain * (self.guidances.target_airspeed - airspeed);
        let held = held.clamp(airspeed.like(idle), airspeed.like(law.greatest_thrust));
        idle + (held - idle) * self.share_of(law.retard_height)
    }

    /// The thrusts \[N\] that the engines reach.
    #[inline(always)]
    pub fn followed(&self, thrust: F64x8<S>, asked: F64x8<S>) -> F64x8<S> {
        thrust + self.guidances.engine_share * (asked - thrust)
    }

    /// The commanded bank angles \[rad\].
    #[inline(always)]
    pub fn banks(&self) -> F64x8<S> {
        let law = self.law;
        let asked = law.bank_per_offset * self.bodies.position.y + law.bank_per_drift * self.bodies.velocity.y;
        asked.clamp(asked.like(-law.bank_limit), asked.like(law.bank_limit))
    }

    /// The commanded headings \[rad\], for these wind correction angles.
    #[inline(always)]
    pub fn headings(&self, correction: F64x8<S>) -> F64x8<S> {
        let above = self.share_of(self.law.decrab_height);
        correction * (1.0 - self.guidances.decrab * (1.0 - above))
    }

    /// Remaining height of the wheels as a fraction of a height, 0 to 1.
    #[inline(always)]
    fn share_of(&self, height: f64) -> F64x8<S> {
        (self.heights / height).clamp(self.heights.like(0.0), self.heights.like(1.0))
    }
}
