//! Eight pilots at work: rules from [`crate::vehicle::Pilot`] applied step by step.

use super::body::Bodies;
use crate::elementary::{atan2, hypot};
use crate::lanes::{Lanes, Lanes3, Mask};
use crate::query::rules::{LARGEST_INTERCEPT, PEDAL_RATE};
use crate::query::{self, Course, Input, LandingInputs, LandingJob, PilotState};
use crate::vehicle::{Surfaces, Vehicle};

/// What stays the same throughout each of eight landings: its course, and the inputs that count in every step.
pub(super) struct Plans {
    pub wind: Lanes3,
    trim: Lanes,
    pitch: Lanes,
    heading: Lanes,
    /// Steps; infinite for what is never done.
    delays: [Lanes; 3],
    pub friction_scale: Lanes,
    pub air_density: Lanes,
    derotation_rate: Lanes,
    brake_level: Lanes,
    target_deceleration: Lanes,
    reverse_level: Lanes,
}

impl Plans {
    pub const NONE: Self = Self {
        wind: Lanes3::ZERO,
        trim: Lanes::ZERO,
        pitch: Lanes::ZERO,
        heading: Lanes::ZERO,
        delays: [Lanes::ZERO; 3],
        friction_scale: Lanes::ZERO,
        air_density: Lanes::ZERO,
        derotation_rate: Lanes::ZERO,
        brake_level: Lanes::ZERO,
        target_deceleration: Lanes::ZERO,
        reverse_level: Lanes::ZERO,
    };

    /// Puts the plan of a landing with valid inputs into a lane.
    pub fn set(&mut self, lane: usize, job: &LandingJob, inputs: &LandingInputs) {
        let Course { wind, trim, pitch, heading, delays } = Course::new(job, inputs);
        self.wind.set(lane, wind);
        self.trim.0[lane] = trim;
        self.pitch.0[lane] = pitch;
        self.heading.0[lane] = heading;
        for (steps, delay) in self.delays.iter_mut().zip(delays) {
            steps.0[lane] = delay.map_or(f64::INFINITY, |delay| delay as f64);
        }
        for (value, input) in [
            (&mut self.friction_scale, Input::FrictionScale),
            (&mut self.air_density, Input::AirDensity),
            (&mut self.derotation_rate, Input::DerotationRate),
            (&mut self.brake_level, Input::BrakeLevel),
            (&mut self.target_deceleration, Input::TargetDeceleration),
            (&mut self.reverse_level, Input::ReverseLevel),
        ] {
            value.0[lane] = inputs.get(input);
        }
    }
}

/// What eight pilots remember from step to step.
pub(super) struct Memories {
    pedal: Lanes,
    last_speed: Lanes,
    pitch_at_touchdown: Lanes,
    /// Where the pitch angle at touchdown is known.
    has_touched: Mask,
    begun: [Mask; 3],
}

impl Memories {
    pub const NONE: Self = Self {
        pedal: Lanes::ZERO,
        last_speed: Lanes::ZERO,
        pitch_at_touchdown: Lanes::ZERO,
        has_touched: Mask::NONE,
        begun: [Mask::NONE; 3],
    };

    pub fn get(&self, lane: usize) -> PilotState {
        PilotState {
            pedal: self.pedal.0[lane],
            last_speed: self.last_speed.0[lane],
            pitch_at_touchdown: self.has_touched.get(lane).then_some(self.pitch_at_touchdown.0[lane]),
            begun: self.begun.map(|begun| begun.get(lane)),
        }
    }

    pub fn set(&mut self, lane: usize, state: &PilotState) {
        let PilotState { pedal, last_speed, pitch_at_touchdown, begun } = *state;
        self.pedal.0[lane] = pedal;
        self.last_speed.0[lane] = last_speed;
        self.pitch_at_touchdown.0[lane] = pitch_at_touchdown.unwrap_or(0.0);
        self.has_touched.set(lane, pitch_at_touchdown.is_some());
        for (mask, begun) in self.begun.iter_mut().zip(begun) {
            mask.set(lane, begun);
        }
    }
}

/// What eight pilots and their engines do in a step; as [`query::Controls`].
pub(super) struct Controls {
    pub elevator: Lanes,
    pub aileron: Lanes,
    pub rudder: Lanes,
    pub spoilers: Lanes,
    pub steering: Lanes,
    pub steering_authority: Lanes,
    pub brake: Lanes,
    pub thrust: Lanes,
}

impl Controls {
    pub const NONE: Self = Self {
        elevator: Lanes::ZERO,
        aileron: Lanes::ZERO,
        rudder: Lanes::ZERO,
        spoilers: Lanes::ZERO,
        steering: Lanes::ZERO,
        steering_authority: Lanes::ZERO,
        brake: Lanes::ZERO,
        thrust: Lanes::ZERO,
    };

    pub fn get(&self, lane: usize) -> query::Controls {
        query::Controls {
            surfaces: Surfaces {
                elevator: self.elevator.0[lane],
                aileron: self.aileron.0[lane],
                rudder: self.rudder.0[lane],
                spoilers: self.spoilers.0[lane],
            },
            steering: self.steering.0[lane],
            steering_authority: self.steering_authority.0[lane],
            brake: self.brake.0[lane],
            thrust: self.thrust.0[lane],
        }
    }
}

/// Eight pilots in one step.
pub(super) struct Pilots<'a> {
    pub vehicle: &'a Vehicle,
    pub step: f64,
    pub plans: &'a Plans,
    pub bodies: &'a Bodies,
    /// Where a main wheel has touched, and how many steps ago.
    pub on_ground: Mask,
    pub since: Lanes,
}

impl Pilots<'_> {
    /// What the pilots do in the step that starts in this state, and remember in it.
    #[inline(always)]
    pub fn controls(&self, memories: &mut Memories) -> Controls {
        for (begun, delay) in memories.begun.iter_mut().zip(self.plans.delays) {
            *begun = *begun | (self.on_ground & self.since.ge(delay));
        }
        let [spoilers, brakes, reverse] = memories.begun;
        let steering = self.steering();
        let velocity = self.bodies.velocity;
        let speed = hypot(velocity.x, velocity.y);
        memories.pedal = brakes.select(self.pedal(memories, speed), memories.pedal);
        memories.last_speed = speed;
        Controls {
            elevator: self.elevator(memories),
            aileron: self.aileron(),
            rudder: self.within_surface_limit(-steering),
            spoilers: spoilers.select(Lanes::splat(1.0), Lanes::ZERO),
            steering: self.on_ground.select(steering, Lanes::ZERO),
            steering_authority: self.steering_authority(speed),
            brake: memories.pedal,
            thrust: self.thrust(reverse),
        }
    }

    /// Holds the pitch angle until touchdown, then lowers the nose to the horizon.
    #[inline(always)]
    fn elevator(&self, memories: &mut Memories) -> Lanes {
        let nose = self.bodies.to_world.x_axis;
        let pitch = atan2(nose.z, hypot(nose.x, nose.y));
        memories.pitch_at_touchdown =
            (self.on_ground & !memories.has_touched).select(pitch, memories.pitch_at_touchdown);
        memories.has_touched = memories.has_touched | self.on_ground;
        let at_touchdown = memories.pitch_at_touchdown;
        let lowered = at_touchdown - self.plans.derotation_rate * (self.since * self.step);
        let held = lowered.max(at_touchdown.min(Lanes::ZERO));
        let wanted = self.on_ground.select(held, self.plans.pitch);
        let pilot = &self.vehicle.pilot;
        let correction = pilot.pitch_gain * (wanted - pitch);
        self.within_surface_limit(self.plans.trim - correction + pilot.pitch_damping * self.bodies.rate.y)
    }

    #[inline(always)]
    fn aileron(&self) -> Lanes {
        let to_world = &self.bodies.to_world;
        let bank = atan2(-to_world.y_axis.z, -to_world.z_axis.z);
        let pilot = &self.vehicle.pilot;
        self.within_surface_limit(-pilot.bank_gain * bank - pilot.roll_damping * self.bodies.rate.x)
    }

    /// Angles asked of nose wheel and rudder \[rad\], positive to the right.
    #[inline(always)]
    fn steering(&self) -> Lanes {
        let pilot = &self.vehicle.pilot;
        let nose = self.bodies.to_world.x_axis;
        let heading = atan2(-nose.y, nose.x);
        let intercept = (pilot.lateral_gain * self.bodies.position.y)
            .clamp(Lanes::splat(-LARGEST_INTERCEPT), Lanes::splat(LARGEST_INTERCEPT));
        let wanted = self.on_ground.select(intercept, self.plans.heading);
        pilot.heading_gain * (wanted - heading) - pilot.yaw_damping * self.bodies.rate.z
    }

    /// Above full steering speed the limit falls with the square of speed: the same sideways acceleration.
    #[inline(always)]
    fn steering_authority(&self, speed: Lanes) -> Lanes {
        let full = Lanes::splat(self.vehicle.pilot.full_steering_speed);
        let share = full / speed;
        speed.le(full).select(Lanes::splat(1.0), share * share)
    }

    /// At the level, or adjusted to the target deceleration up to the level.
    #[inline(always)]
    fn pedal(&self, memories: &Memories, speed: Lanes) -> Lanes {
        let (level, target) = (self.plans.brake_level, self.plans.target_deceleration);
        let deceleration = (memories.last_speed - speed) / Lanes::splat(self.step);
        let change = self.step * PEDAL_RATE * (1.0 - deceleration / target);
        let adjusted = (memories.pedal + change).clamp(Lanes::ZERO, level);
        target.gt(Lanes::ZERO).select(adjusted, level)
    }

    #[inline(always)]
    fn thrust(&self, reverse: Mask) -> Lanes {
        let thrust = &self.vehicle.thrust;
        let airspeed = (self.bodies.velocity - self.plans.wind).length();
        let reversed = reverse & airspeed.ge(Lanes::splat(thrust.reverse_cutoff));
        reversed.select(-thrust.reverse * self.plans.reverse_level, Lanes::splat(thrust.idle))
    }

    #[inline(always)]
    fn within_surface_limit(&self, deflection: Lanes) -> Lanes {
        let limit = self.vehicle.aerodynamics.as_ref().map_or(0.0, |aerodynamics| aerodynamics.surface_limit);
        deflection.clamp(Lanes::splat(-limit), Lanes::splat(limit))
    }
}
