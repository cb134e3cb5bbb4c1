//! Wire formats of landings.
//!
//! # Conventions
//! A position on the device is relative to the scene's origin and to the landing's own frame ([`Framed`]). Steps and
//! structural points are counted from 1 there, 0 means none.

mod state;

use bytemuck::Zeroable;
use glam::DVec3;

pub(in crate::gpu) use self::state::StateView;
use super::wheel::OVER_MAX_FORCE;
use super::{Framed, LEAF_NONE, MATERIAL_NONE, on_device};
use crate::flight::{DiscreteGust, Guidance, LandingPlan, Turbulence};
use crate::query::rules::MAX_NUMBER;
use crate::query::{ClipCase, Gusts, Input, LandingInputs, LandingJob, LandingState, WheelState, WheelStep};
use crate::random::NoiseKey;

/// Least deceleration that brakes are adjusted to \[m/s^2\]: below it any other than none is too much.
const MIN_DECELERATION: f64 = 1e-6;
/// Least mass \[kg\] and moment of inertia \[kg m^2\]: what is divided by them must not overflow.
pub(super) const MIN_INERTIA: f64 = 1e-6;
/// A delay that never ends.
pub(super) const NEVER: u32 = u32::MAX;
/// The greatest number of steps of a landing.
pub(super) const MAX_STEP: u64 = NEVER as u64 - 1;

/// Bits of [`StateHead::flags`].
pub(in crate::gpu) struct Flag;

impl Flag {
    /// The first of the pilot's three actions has begun; the others follow.
    pub const BEGUN: u32 = 1;
    pub const ENDED: u32 = 1 << 3;
    pub const KNOWS_PITCH: u32 = 1 << 4;
    pub const INVALID: u32 = 1 << 5;
    pub const VEERED_OFF: u32 = 1 << 6;
    pub const PASSED_END: u32 = 1 << 7;
    pub const STOPPED: u32 = 1 << 8;
    pub const OUT_OF_ROUNDS: u32 = 1 << 9;
    /// A slice of several steps has run out of rounds.
    pub const CAUTIOUS: u32 = 1 << 10;
    /// The last slice has: it is to be flown again, from its start.
    pub const UNDONE: u32 = 1 << 11;

    /// Names in the shaders.
    pub const NAMES: [(&'static str, u32); 10] = [
        ("LANDING_BEGUN", Self::BEGUN),
        ("LANDING_ENDED", Self::ENDED),
        ("LANDING_KNOWS_PITCH", Self::KNOWS_PITCH),
        ("LANDING_INVALID", Self::INVALID),
        ("LANDING_VEERED_OFF", Self::VEERED_OFF),
        ("LANDING_PASSED_END", Self::PASSED_END),
        ("LANDING_STOPPED", Self::STOPPED),
        ("LANDING_OUT_OF_ROUNDS", Self::OUT_OF_ROUNDS),
        ("LANDING_CAUTIOUS", Self::CAUTIOUS),
        ("LANDING_UNDONE", Self::UNDONE),
    ];
}

/// Bits of [`WheelMemory::status`] used by the state; the clip case is stored above them.
pub(in crate::gpu) const STATE_BITS: u32 = 2;

/// Bits of [`WheelMemory::status`] that mean something within a step alone: pebble, normal, material and leaf are those of
/// the ground below a free wheel; the wheel has been on it since before the step.
pub(in crate::gpu) const GROUND_KNOWN: u32 = OVER_MAX_FORCE << 1;
pub(in crate::gpu) const GROUND_OLD: u32 = OVER_MAX_FORCE << 2;

on_device! {
    /// What differs from landing to landing and holds throughout: units as in [`LandingPlan`] and [`LandingInputs`].
    LandingWire as Landing {
        /// At height 0, along and across the runway.
        wind: [f32; 2],
        mass: f32,
        friction_scale: f32,
        air_density: f32,
        /// Elevator, which the pilot holds until touchdown, as pitch angle and heading.
        trim: f32,
        pitch: f32,
        heading: f32,
        derotation_rate: f32,
        brake_level: f32,
        target_deceleration: f32,
        reverse_level: f32,
        /// Steps from touchdown to spoilers, brakes and reverse thrust.
        delays: [u32; 3],
        /// [`Self::UNSTEADY_AIR`], [`Self::TURBULENT_AIR`], [`Self::GUIDED`], [`Self::AERODYNAMIC`] and
        /// [`Self::ANTI_SKID`]. The last three are the same in all landings; told by a uniform they would make Mesa's
        /// software adapter compile the kernel again in every dispatch.
        traits: u32,
        /// Item, then seed of the noise; low words first.
        noise: [u32; 4],
        /// Growth of the wind with height.
        shear: [f32; 2],
        /// From here to `gain_vertical` the coefficients of the gusts' filters, as in [`Turbulence`].
        decay: f32,
        decay_vertical: f32,
        cascade: f32,
        cascade_vertical: f32,
        gain_along: f32,
        gain_across: f32,
        gain_vertical: f32,
        /// From here on what the autoland, or the pilot's flare, goes by, as in [`Guidance`].
        target_airspeed: f32,
        glide_tangent: f32,
        wheel_depth: f32,
        angle_of_attack: f32,
        trim_thrust: f32,
        angle_per_sink_rate: f32,
        decrab: f32,
        descent: f32,
        /// Temperature of the air over that at 15 °C, and its speed of sound likewise.
        warmth: f32,
        sound_ratio: f32,
        /// Of a gust of its own: angle per step \[rad\].
        gust_turn: f32,
        gust_peak: [f32; 3],
        /// It begins in this step, modulo 2^32; what its middle is after the beginning, in steps.
        gust_step: u32,
        decay_rotation: [f32; 3],
        gust_lead: f32,
        /// About the body's axes, as in [`Turbulence`].
        gain_rotation: [f32; 3],
        /// Until touchdown.
        trim_aileron: f32,
        trim_rudder: f32,
        unused0: u32,
        unused1: u32,
        unused2: u32,
    }
}

on_device! {
    /// A landing after some whole number of steps, without clearances and wheels.
    StateHead as LandingState {
        /// Position of the landing's frame in the scene.
        frame: [f32; 3],
        step: u32,
        /// In the frame.
        position: [f32; 3],
        touchdown_step: u32,
        /// Body to world: vector part, then the scalar.
        orientation: [f32; 4],
        velocity: [f32; 3],
        /// Of [`Flag`].
        flags: u32,
        /// What rounding has left out of the velocity.
        velocity_rest: [f32; 3],
        unused: u32,
        /// Body axes.
        rate: [f32; 3],
        /// The structural point that met the scene.
        struck: u32,
        /// Of the last sub-step of the gear; world axes.
        acceleration: [f32; 3],
        /// Which the autoland remembers.
        thrust: f32,
        /// Of the last sub-step of the gear; body axes.
        angular_acceleration: [f32; 3],
        /// Which the autoland remembers.
        sink_integral: f32,
        /// Of the last step; the pedal stays where it was.
        controls: ControlsWire,
        last_speed: f32,
        pitch_at_touchdown: f32,
        runway_end_speed: f32,
        bounces: u32,
        touchdown: TouchdownWire,
        /// y of the place farthest from the centreline: frame and place in it.
        largest_lateral: [f32; 2],
        contact_steps: u32,
        force_limit_steps: u32,
        steps_in_air: u32,
        steps_at_rest: u32,
        steps_in_state: [u32; 4],
        gusts: GustsWire,
    }
}

on_device! {
    /// Gusts \[m/s\], with what their filters remember.
    GustsWire as Gusts {
        /// Of the air about the body's axes \[rad/s\].
        rotation: [f32; 3],
        along: f32,
        across: f32,
        across_drive: f32,
        vertical: f32,
        vertical_drive: f32,
    }
}

on_device! {
    /// What pilot and engines did in a step.
    ControlsWire as Controls {
        elevator: f32,
        aileron: f32,
        rudder: f32,
        spoilers: f32,
        steering: f32,
        steering_authority: f32,
        brake: f32,
        thrust: f32,
    }
}

on_device! {
    /// The moment of touchdown.
    TouchdownWire as Touchdown {
        /// x of the contact: frame and place in it.
        distance: [f32; 2],
        /// y of the centre of gravity: frame and place in it.
        lateral: [f32; 2],
        sink_rate: f32,
        ground_speed: f32,
        pitch: f32,
        bank: f32,
        crab: f32,
        /// Place along x in the frame of `distance`.
        center_of_gravity: f32,
    }
}

on_device! {
    /// The last step of a wheel, and the worst of all.
    WheelMemory {
        pebble: [f32; 3],
        leaf: u32,
        normal: [f32; 3],
        material: u32,
        force: [f32; 3],
        normal_force: f32,
        application: [f32; 3],
        compression: f32,
        friction: f32,
        /// The state in the lowest bits, then the clip case, then [`OVER_MAX_FORCE`]; within a step [`GROUND_KNOWN`] and
        /// [`GROUND_OLD`].
        status: u32,
        peak_force: f32,
        peak_compression: f32,
    }
}

on_device! {
    /// A wheel's point of contact in a sub-step of JSBSim's ground reactions; body axes.
    Reaction {
        /// From the centre of gravity \[m\].
        arm: [f32; 3],
        /// Least friction along the rolling direction, or that of motion \[N\]: its negative.
        most_along: f32,
        /// That direction.
        along: [f32; 3],
        /// Least friction across it \[N\], its negative, and greatest.
        most_across: f32,
        /// Of water or slush \[N\].
        drag: [f32; 3],
        /// Greatest friction along the direction \[N\].
        most_forward: f32,
        /// Along the direction and across it \[N\].
        friction: [f32; 2],
        /// Speeds of the point in both directions at the end of the sub-step, were there no friction \[m/s\].
        sliding: [f32; 2],
    }
}

on_device! {
    /// How many steps a run of the kernel does at most.
    Slice {
        steps: u32,
        unused0: u32,
        unused1: u32,
        unused2: u32,
    }
}

impl Slice {
    pub fn new(steps: u32) -> Self {
        Self { steps, unused0: 0, unused1: 0, unused2: 0 }
    }
}

impl LandingWire {
    /// Bits of `traits`: the air is not the same everywhere and always; there are gusts; an autoland or a flare flies; the
    /// vehicle has aerodynamics; it has an anti-skid; a gust of its own comes.
    pub const UNSTEADY_AIR: u32 = 1;
    pub const TURBULENT_AIR: u32 = 2;
    pub const GUIDED: u32 = 4;
    pub const AERODYNAMIC: u32 = 8;
    pub const ANTI_SKID: u32 = 16;
    pub const DISCRETE_GUST: u32 = 32;

    /// `None` for inputs that are not valid, or beyond what a device holds.
    pub fn new(job: &LandingJob, inputs: &LandingInputs) -> Option<Self> {
        if !inputs.is_valid() {
            return None;
        }
        let bounded = Input::ALL.iter().all(|&input| inputs.get(input).abs() <= MAX_NUMBER);
        if !bounded || inputs.get(Input::Mass) < MIN_INERTIA {
            return None;
        }
        let plan = LandingPlan::new(job, inputs);
        let get = |input: Input| inputs.get(input) as f32;
        let target = inputs.get(Input::TargetDeceleration);
        let NoiseKey { seed, item } = inputs.noise;
        let word = |number: u64| number as u32;
        let bit = |bit: u32, holds: bool| if holds { bit } else { 0 };
        let wire = Self {
            wind: [plan.wind.x as f32, plan.wind.y as f32],
            mass: get(Input::Mass),
            friction_scale: get(Input::FrictionScale),
            air_density: plan.atmosphere.density as f32,
            trim: plan.trim as f32,
            trim_aileron: plan.lateral_trim.x as f32,
            trim_rudder: plan.lateral_trim.y as f32,
            pitch: plan.pitch as f32,
            heading: plan.heading as f32,
            derotation_rate: get(Input::DerotationRate),
            brake_level: get(Input::BrakeLevel),
            target_deceleration: if target > 0.0 { target.max(MIN_DECELERATION) as f32 } else { 0.0 },
            reverse_level: get(Input::ReverseLevel),
            delays: plan.delays.map(|delay| delay.map_or(NEVER, |steps| steps.min(MAX_STEP) as u32)),
            traits: bit(Self::UNSTEADY_AIR, !plan.is_steady)
                | bit(Self::AERODYNAMIC, job.vehicle.aerodynamics.is_some())
                | bit(Self::ANTI_SKID, job.vehicle.pilot.anti_skid > 0.0),
            noise: [word(item), word(item >> 32), word(seed), word(seed >> 32)],
            shear: [plan.shear.x as f32, plan.shear.y as f32],
            warmth: plan.atmosphere.warmth() as f32,
            sound_ratio: plan.atmosphere.warmth().sqrt() as f32,
            ..Self::zeroed()
        };
        let wire = wire.with_turbulence(plan.turbulence.as_ref()).with_guidance(plan.guidance.as_ref());
        Some(wire.with_gust(plan.gust.as_ref(), job.step))
    }

    fn with_gust(self, gust: Option<&DiscreteGust>, step: f64) -> Self {
        let Some(&DiscreteGust { peak, begin, rate }) = gust else {
            return self;
        };
        // What begins so long before or after a landing never comes into it.
        let begin = (begin / step).clamp(-1e9, 1e9);
        let whole = begin.floor();
        Self {
            traits: self.traits | Self::DISCRETE_GUST,
            gust_turn: (rate * step) as f32,
            gust_peak: peak.as_vec3().to_array(),
            gust_step: whole as i32 as u32,
            gust_lead: (0.5 - (begin - whole)) as f32,
            ..self
        }
    }

    fn with_turbulence(self, turbulence: Option<&Turbulence>) -> Self {
        let Some(turbulence) = turbulence else {
            return self;
        };
        let Turbulence {
            decay,
            decay_vertical,
            cascade,
            cascade_vertical,
            gain_along,
            gain_across,
            gain_vertical,
            decay_roll,
            decay_pitch,
            decay_yaw,
            gain_roll,
            gain_pitch,
            gain_yaw,
        } = *turbulence;
        Self {
            traits: self.traits | Self::TURBULENT_AIR,
            decay: decay as f32,
            decay_vertical: decay_vertical as f32,
            cascade: cascade as f32,
            cascade_vertical: cascade_vertical as f32,
            gain_along: gain_along as f32,
            gain_across: gain_across as f32,
            gain_vertical: gain_vertical as f32,
            decay_rotation: [decay_roll, decay_pitch, decay_yaw].map(|decay| decay as f32),
            gain_rotation: [gain_roll, gain_pitch, gain_yaw].map(|gain| gain as f32),
            ..self
        }
    }

    /// The engines' share is the vehicle's.
    fn with_guidance(self, guidance: Option<&Guidance>) -> Self {
        let Some(guidance) = guidance else {
            return self;
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
            engine_share: _,
        } = *guidance;
        Self {
            traits: self.traits | Self::GUIDED,
            target_airspeed: target_airspeed as f32,
            glide_tangent: glide_tangent as f32,
            wheel_depth: wheel_depth as f32,
            angle_of_attack: angle_of_attack as f32,
            trim_thrust: thrust as f32,
            angle_per_sink_rate: angle_per_sink_rate as f32,
            decrab: decrab as f32,
            descent: descent as f32,
            ..self
        }
    }
}

pub(super) fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

impl StateHead {
    pub(super) fn new(state: &LandingState, origin: DVec3) -> Option<Self> {
        let LandingState { step, motion, acceleration, wheels: _, pilot, gusts, airframe: _, touchdown_step, struck } =
            state;
        if !motion.is_sane() || *step > MAX_STEP {
            return None;
        }
        let Framed { frame_origin, local } = Framed::new(motion.position, origin)?;
        let begun = (0..).zip(pilot.begun).map(|(action, begun)| u32::from(begun) * (Flag::BEGUN << action));
        let knows_pitch = if pilot.pitch_at_touchdown.is_some() { Flag::KNOWS_PITCH } else { 0 };
        let q = motion.orientation.as_quat();
        let velocity = motion.velocity.as_vec3();
        Some(Self {
            frame: frame_origin,
            step: *step as u32,
            position: local,
            touchdown_step: touchdown_step.map_or(0, |step| step as u32),
            orientation: q.to_array(),
            velocity: velocity.to_array(),
            velocity_rest: (motion.velocity - velocity.as_dvec3()).as_vec3().to_array(),
            flags: begun.sum::<u32>() | knows_pitch,
            rate: motion.rate.as_vec3().to_array(),
            struck: struck.map_or(0, |point| point + 1),
            acceleration: acceleration.linear.as_vec3().to_array(),
            angular_acceleration: acceleration.angular.as_vec3().to_array(),
            controls: ControlsWire { brake: pilot.pedal as f32, ..ControlsWire::zeroed() },
            last_speed: pilot.last_speed as f32,
            pitch_at_touchdown: pilot.pitch_at_touchdown.unwrap_or(0.0) as f32,
            gusts: GustsWire::new(gusts),
            thrust: pilot.thrust as f32,
            sink_integral: pilot.sink_integral as f32,
            ..Self::zeroed()
        })
    }

    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// True once one of the pilot's actions has begun, by its number.
    pub fn has_begun(&self, action: usize) -> bool {
        self.has(Flag::BEGUN << action)
    }
}

impl GustsWire {
    fn new(gusts: &Gusts) -> Self {
        let Gusts { along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw } = *gusts;
        Self {
            rotation: [roll, pitch, yaw].map(|rate| rate as f32),
            along: along as f32,
            across: across as f32,
            across_drive: across_drive as f32,
            vertical: vertical as f32,
            vertical_drive: vertical_drive as f32,
        }
    }
}

impl WheelMemory {
    /// `frame` is where the landing's frame stands in the world.
    pub(super) fn new(step: &WheelStep, frame: DVec3) -> Self {
        let WheelStep {
            contact,
            force,
            application,
            normal_force,
            compression,
            friction,
            clip_case,
            over_max_force,
            peak_force: _,
            peak_compression: _,
        } = step;
        let local = |place: DVec3| (place - frame).as_vec3().to_array();
        let clip = (*clip_case as i32 - ClipCase::NotComputed as i32) as u32;
        Self {
            pebble: if contact.touches() { local(contact.pebble) } else { [0.0; 3] },
            leaf: contact.leaf.unwrap_or(LEAF_NONE),
            normal: contact.normal.normalize_or_zero().as_vec3().to_array(),
            material: contact.material.map_or(MATERIAL_NONE, |material| material.0),
            force: force.as_vec3().to_array(),
            normal_force: *normal_force as f32,
            application: local(*application),
            compression: *compression as f32,
            friction: *friction as f32,
            status: contact.state as u32 | clip << STATE_BITS | if *over_max_force { OVER_MAX_FORCE } else { 0 },
            peak_force: 0.0,
            peak_compression: 0.0,
        }
    }

    /// `None` for a word that no state has.
    pub fn state(&self) -> Option<WheelState> {
        WheelState::ALL.get((self.status & ((1 << STATE_BITS) - 1)) as usize).copied()
    }

    pub fn touches(&self) -> bool {
        matches!(self.state(), Some(WheelState::Slipping | WheelState::Standing))
    }

    pub fn is_over_max_force(&self) -> bool {
        self.status & OVER_MAX_FORCE != 0
    }
}
