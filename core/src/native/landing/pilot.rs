//! Eight pilots: the rules of [`crate::vehicle::Pilot`] applied step by step.

use super::air::Airs;
use super::body::Bodies;
use super::guidance::{Autopilots, Guidances};
use crate::airframe::Atmosphere;
use crate::elementary::{atan2, hypot};
use crate::flight::LandingPlan;
use crate::lanes::LANES;
use crate::query::rules::{MAX_INTERCEPT, PEDAL_RATE};
use crate::query::{self, Input, LandingInputs, PilotState};
use crate::scene::GroundPlane;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::vehicle::{Surfaces, Vehicle};

/// Constants of eight landings: their plans, and the inputs needed in every step.
pub(super) struct Plans<S: Simd> {
    pub airs: Airs<S>,
    guidances: Guidances<S>,
    trim: F64x8<S>,
    trim_aileron: F64x8<S>,
    trim_rudder: F64x8<S>,
    pitch: F64x8<S>,
    heading: F64x8<S>,
    /// In steps; infinite if never.
    delays: [F64x8<S>; 3],
    pub friction_scale: F64x8<S>,
    pub air_density: F64x8<S>,
    /// Air of each lane.
    pub atmospheres: [Atmosphere; LANES],
    derotation_rate: F64x8<S>,
    brake_level: F64x8<S>,
    target_deceleration: F64x8<S>,
    reverse_level: F64x8<S>,
}

impl<S: Simd> Plans<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            airs: Airs::none(simd),
            guidances: Guidances::none(simd),
            trim: zero,
            trim_aileron: zero,
            trim_rudder: zero,
            pitch: zero,
            heading: zero,
            delays: [zero; 3],
            friction_scale: zero,
            air_density: zero,
            atmospheres: [Atmosphere::of_density(0.0); LANES],
            derotation_rate: zero,
            brake_level: zero,
            target_deceleration: zero,
            reverse_level: zero,
        }
    }

    /// Puts the plan of a landing with valid inputs into a lane.
    pub fn set(&mut self, lane: usize, inputs: &LandingInputs, plan: &LandingPlan) {
        self.airs.set(lane, plan, inputs);
        self.guidances.set(lane, plan);
        let LandingPlan { trim, lateral_trim, pitch, heading, delays, atmosphere, .. } = *plan;
        self.trim_aileron.set(lane, lateral_trim.x);
        self.trim_rudder.set(lane, lateral_trim.y);
        self.air_density.set(lane, atmosphere.density);
        self.atmospheres[lane] = atmosphere;
        self.trim.set(lane, trim);
        self.pitch.set(lane, pitch);
        self.heading.set(lane, heading);
        for (steps, delay) in self.delays.iter_mut().zip(delays) {
            steps.set(lane, delay.map_or(f64::INFINITY, |delay| delay as f64));
        }
        for (value, input) in [
            (&mut self.friction_scale, Input::FrictionScale),
            (&mut self.derotation_rate, Input::DerotationRate),
            (&mut self.brake_level, Input::BrakeLevel),
            (&mut self.target_deceleration, Input::TargetDeceleration),
            (&mut self.reverse_level, Input::ReverseLevel),
        ] {
            value.set(lane, inputs.get(input));
        }
    }
}

/// States of eight pilots.
#[derive(Clone, Copy)]
pub(super) struct PilotStates<S: Simd> {
    pedal: F64x8<S>,
    last_speed: F64x8<S>,
    pitch_at_touchdown: F64x8<S>,
    /// Lanes in which the pitch angle at touchdown is known.
    has_touched: Mask8<S>,
    begun: [Mask8<S>; 3],
    thrust: F64x8<S>,
    sink_integral: F64x8<S>,
}

impl<S: Simd> PilotStates<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            pedal: zero,
            last_speed: zero,
            pitch_at_touchdown: zero,
            has_touched: Mask8::none(simd),
            begun: [Mask8::none(simd); 3],
            thrust: zero,
            sink_integral: zero,
        }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        let mut begun = others.begun;
        for (begun, new) in begun.iter_mut().zip(self.begun) {
            *begun = lanes.choose(new, *begun);
        }
        Self {
            pedal: lanes.select(self.pedal, others.pedal),
            last_speed: lanes.select(self.last_speed, others.last_speed),
            pitch_at_touchdown: lanes.select(self.pitch_at_touchdown, others.pitch_at_touchdown),
            has_touched: lanes.choose(self.has_touched, others.has_touched),
            begun,
            thrust: lanes.select(self.thrust, others.thrust),
            sink_integral: lanes.select(self.sink_integral, others.sink_integral),
        }
    }

    pub fn get(&self, lane: usize) -> PilotState {
        PilotState {
            pedal: self.pedal.get(lane),
            last_speed: self.last_speed.get(lane),
            pitch_at_touchdown: self.has_touched.get(lane).then_some(self.pitch_at_touchdown.get(lane)),
            begun: self.begun.map(|begun| begun.get(lane)),
            thrust: self.thrust.get(lane),
            sink_integral: self.sink_integral.get(lane),
        }
    }

    pub fn set(&mut self, lane: usize, state: &PilotState) {
        let PilotState { pedal, last_speed, pitch_at_touchdown, begun, thrust, sink_integral } = *state;
        self.thrust.set(lane, thrust);
        self.sink_integral.set(lane, sink_integral);
        self.pedal.set(lane, pedal);
        self.last_speed.set(lane, last_speed);
        self.pitch_at_touchdown.set(lane, pitch_at_touchdown.unwrap_or(0.0));
        self.has_touched.set(lane, pitch_at_touchdown.is_some());
        for (mask, begun) in self.begun.iter_mut().zip(begun) {
            mask.set(lane, begun);
        }
    }
}

/// Controls of eight landings in a step; as [`query::Controls`].
pub(super) struct Controls<S: Simd> {
    pub elevator: F64x8<S>,
    pub aileron: F64x8<S>,
    pub rudder: F64x8<S>,
    pub spoilers: F64x8<S>,
    pub steering: F64x8<S>,
    pub steering_authority: F64x8<S>,
    pub brake: F64x8<S>,
    pub thrust: F64x8<S>,
}

impl<S: Simd> Controls<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            elevator: zero,
            aileron: zero,
            rudder: zero,
            spoilers: zero,
            steering: zero,
            steering_authority: zero,
            brake: zero,
            thrust: zero,
        }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        let either = |ours: F64x8<S>, theirs: F64x8<S>| lanes.select(ours, theirs);
        Self {
            elevator: either(self.elevator, others.elevator),
            aileron: either(self.aileron, others.aileron),
            rudder: either(self.rudder, others.rudder),
            spoilers: either(self.spoilers, others.spoilers),
            steering: either(self.steering, others.steering),
            steering_authority: either(self.steering_authority, others.steering_authority),
            brake: either(self.brake, others.brake),
            thrust: either(self.thrust, others.thrust),
        }
    }

    pub fn get(&self, lane: usize) -> query::Controls {
        query::Controls {
            surfaces: Surfaces {
                elevator: self.elevator.get(lane),
                aileron: self.aileron.get(lane),
                rudder: self.rudder.get(lane),
                spoilers: self.spoilers.get(lane),
            },
            steering: self.steering.get(lane),
            steering_authority: self.steering_authority.get(lane),
            brake: self.brake.get(lane),
            thrust: self.thrust.get(lane),
        }
    }
}

/// Eight pilots in one step.
pub(super) struct Pilots<'a, S: Simd> {
    pub vehicle: &'a Vehicle,
    pub step: f64,
    /// What heights are measured from, and its pitch angle \[rad\].
    pub plane: GroundPlane,
    pub level: f64,
    pub plans: &'a Plans<S>,
    pub bodies: &'a Bodies<S>,
    /// Air velocity, world \[m/s\].
    pub air: DVec3x8<S>,
    /// Where a main wheel has touched, and how many steps ago.
    pub on_ground: Mask8<S>,
    pub since: F64x8<S>,
}

impl<S: Simd> Pilots<'_, S> {
    /// The pilots' controls in the step that starts in this state, and their updated states.
    #[inline(always)]
    pub fn controls(&self, pilot_states: &mut PilotStates<S>) -> Controls<S> {
        for action in 0..pilot_states.begun.len() {
            let begins = self.on_ground & self.since.ge(self.plans.delays[action]);
            pilot_states.begun[action] = pilot_states.begun[action] | begins;
        }
        let [spoilers, brakes, reverse] = pilot_states.begun;
        let laws = self.vehicle.laws();
        let mut autopilots = None;
        if let Some(law) = &laws {
            autopilots = Some(Autopilots::new(law, &self.plans.guidances, self.bodies, self.plane));
        }
        let autopilots = autopilots.as_ref();
        // What guides until touchdown.
        let guides = if (!self.on_ground).any() { autopilots } else { None };
        let steering = self.steering(guides);
        let velocity = self.bodies.velocity;
        let speed = hypot(velocity.x, velocity.y);
        if brakes.any() {
            pilot_states.pedal = brakes.select(self.pedal(pilot_states, speed), pilot_states.pedal);
        }
        pilot_states.last_speed = speed;
        Controls {
            elevator: self.elevator(pilot_states, speed, guides),
            aileron: self.aileron(guides),
            rudder: self.within_surface_limit(self.trimmed(-steering, self.plans.trim_rudder)),
            spoilers: spoilers.as_numbers(),
            steering: self.on_ground.select(steering, speed.like(0.0)),
            steering_authority: self.steering_authority(speed),
            brake: pilot_states.pedal,
            thrust: self.thrust(pilot_states, reverse, autopilots),
        }
    }

    /// Holds the pitch angle, or the one commanded by the autoland, until touchdown; then lowers the nose to the
    /// runway's own pitch.
    #[inline(always)]
    fn elevator(
        &self,
        pilot_states: &mut PilotStates<S>,
        speed: F64x8<S>,
        guides: Option<&Autopilots<'_, S>>,
    ) -> F64x8<S> {
        let nose = self.bodies.to_world.x_axis;
        let pitch = atan2(nose.z, hypot(nose.x, nose.y));
        pilot_states.pitch_at_touchdown =
            (self.on_ground & !pilot_states.has_touched).select(pitch, pilot_states.pitch_at_touchdown);
        pilot_states.has_touched = pilot_states.has_touched | self.on_ground;
        let at_touchdown = pilot_states.pitch_at_touchdown;
        let lowered = at_touchdown - self.plans.derotation_rate * (self.since * self.step);
        let held = lowered.max(at_touchdown.min(pitch.like(self.level)));
        let wanted = self.on_ground.select(held, self.plans.pitch);
        let pilot = &self.vehicle.pilot;
        let correction = pilot.pitch_gain * (wanted - pitch);
        let trim = self.plans.trim;
        let mut elevator = trim - correction + pilot.pitch_damping * self.bodies.rate.y;
        if let Some(autopilots) = guides {
            let (guided, integral) = autopilots.elevators(trim, pitch, pilot_states.sink_integral, speed, self.step);
            elevator = self.on_ground.select(elevator, guided);
            pilot_states.sink_integral = self.on_ground.select(pilot_states.sink_integral, integral);
        }
        self.within_surface_limit(elevator)
    }

    /// Holds the wings level, or the bank angle commanded by the autoland until touchdown.
    #[inline(always)]
    fn aileron(&self, guides: Option<&Autopilots<'_, S>>) -> F64x8<S> {
        let to_world = &self.bodies.to_world;
        let mut bank = atan2(-to_world.y_axis.z, -to_world.z_axis.z);
        if let Some(autopilots) = guides {
            bank = self.on_ground.select(bank, bank - autopilots.banks());
        }
        let pilot = &self.vehicle.pilot;
        let asked = -pilot.bank_gain * bank - pilot.roll_damping * self.bodies.rate.x;
        self.within_surface_limit(self.trimmed(asked, self.plans.trim_aileron))
    }

    /// What is asked of a surface, from its trim on, until touchdown.
    #[inline(always)]
    fn trimmed(&self, asked: F64x8<S>, trim: F64x8<S>) -> F64x8<S> {
        let as_asked = self.on_ground | trim.eq(trim.like(0.0));
        as_asked.select(asked, asked + trim)
    }

    /// Commanded angles of nose wheel and rudder \[rad\], positive to the right.
    #[inline(always)]
    fn steering(&self, guides: Option<&Autopilots<'_, S>>) -> F64x8<S> {
        let pilot = &self.vehicle.pilot;
        let nose = self.bodies.to_world.x_axis;
        let heading = atan2(-nose.y, nose.x);
        let intercept = (pilot.lateral_gain * self.bodies.position.y)
            .clamp(heading.like(-MAX_INTERCEPT), heading.like(MAX_INTERCEPT));
        let mut held = self.plans.heading;
        if let Some(autopilots) = guides {
            held = autopilots.headings(held);
        }
        let wanted = self.on_ground.select(intercept, held);
        pilot.heading_gain * (wanted - heading) - pilot.yaw_damping * self.bodies.rate.z
    }

    /// Above full steering speed the limit falls with the square of the speed: constant lateral acceleration.
    #[inline(always)]
    fn steering_authority(&self, speed: F64x8<S>) -> F64x8<S> {
        let full = speed.like(self.vehicle.pilot.full_steering_speed);
        let share = full / speed;
        speed.le(full).select(speed.like(1.0), share * share)
    }

    /// At the brake level, or adjusted to the target deceleration up to that level.
    #[inline(always)]
    fn pedal(&self, pilot_states: &PilotStates<S>, speed: F64x8<S>) -> F64x8<S> {
        let (level, target) = (self.plans.brake_level, self.plans.target_deceleration);
        let deceleration = (pilot_states.last_speed - speed) / self.step;
        let change = self.step * PEDAL_RATE * (1.0 - deceleration / target);
        let adjusted = (pilot_states.pedal + change).clamp(speed.like(0.0), level);
        target.gt(speed.like(0.0)).select(adjusted, level)
    }

    #[inline(always)]
    fn thrust(
        &self,
        pilot_states: &mut PilotStates<S>,
        reverse: Mask8<S>,
        autopilots: Option<&Autopilots<'_, S>>,
    ) -> F64x8<S> {
        let thrust = &self.vehicle.thrust;
        let airspeed = (self.bodies.velocity - self.air).length();
        let reversed = reverse & airspeed.ge(airspeed.like(thrust.reverse_cutoff));
        let asked = reversed.select(-thrust.reverse * self.plans.reverse_level, airspeed.like(thrust.idle));
        let Some(autopilots) = autopilots else {
            return asked;
        };
        let asked = self.on_ground.select(asked, autopilots.thrusts(airspeed, thrust.idle));
        pilot_states.thrust = autopilots.followed(pilot_states.thrust, asked);
        pilot_states.thrust
    }

    #[inline(always)]
    fn within_surface_limit(&self, deflection: F64x8<S>) -> F64x8<S> {
        let limit = self.vehicle.surface_limit();
        deflection.clamp(deflection.like(-limit), deflection.like(limit))
    }
}
