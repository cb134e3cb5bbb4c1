//! Landings on their way to a device and back.
//!
//! # Conventions
//! A place on the device is relative to the scene's origin and to the landing's own frame ([`Framed`]). Steps and
//! structural points are counted from 1 there, 0 is none.

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DQuat, DVec3};

use super::wheel::OVER_MAX_FORCE;
use super::{Framed, INFINITE_FORCE, LEAF_NONE, MATERIAL_NONE, WheelParametersWire, world};
use crate::gpu::GpuError;
use crate::query::rules::{BOUNCE_TIME, LARGEST_NUMBER, REST_TIME};
use crate::query::{
    ClipCase, Controls, Course, Input, LandingInputs, LandingJob, LandingState, Motion, PilotState, WheelContact,
    WheelState, WheelStep,
};
use crate::scene::{MaterialId, Scene};
use crate::vehicle::{Aerodynamics, Pilot, StructuralPoint, Surfaces, Vehicle, Wheel};

/// Largest number of a vehicle that is sent to a device, in SI units: far above what any has.
const LARGEST_PARAMETER: f64 = 1e12;
/// Least mass \[kg\] and moment of inertia \[kg m^2\]: what is divided by them must not overflow.
const LEAST_INERTIA: f64 = 1e-6;
/// Least deceleration that brakes are adjusted to \[m/s^2\]: below it any other than none is too much.
const LEAST_DECELERATION: f64 = 1e-6;
/// Stands for a border that there is none of \[m\].
const NOWHERE: f32 = 1e30;
/// A delay that never ends.
const NEVER: u32 = u32::MAX;
/// The greatest number of steps of a landing.
const LARGEST_STEP: u64 = NEVER as u64 - 1;

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

    /// Names in the shaders.
    pub const NAMES: [(&'static str, u32); 8] = [
        ("LANDING_BEGUN", Self::BEGUN),
        ("LANDING_ENDED", Self::ENDED),
        ("LANDING_KNOWS_PITCH", Self::KNOWS_PITCH),
        ("LANDING_INVALID", Self::INVALID),
        ("LANDING_VEERED_OFF", Self::VEERED_OFF),
        ("LANDING_PASSED_END", Self::PASSED_END),
        ("LANDING_STOPPED", Self::STOPPED),
        ("LANDING_OUT_OF_ROUNDS", Self::OUT_OF_ROUNDS),
    ];
}

/// Bits of [`WheelMemory::status`] that the state takes; the clip case stands above them.
pub(in crate::gpu) const STATE_BITS: u32 = 2;

/// What all landings share, without wheels and structural points.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct VehicleHead {
    pub inertia: [[f32; 4]; 3],
    pub inverse_inertia: [[f32; 4]; 3],
    pub aerodynamics: AerodynamicsWire,
    pub pilot: PilotWire,
    pub mass: f32,
    pub gravity: f32,
    pub time_step: f32,
    pub reach: f32,
    pub thrust_idle: f32,
    pub thrust_reverse: f32,
    pub reverse_cutoff: f32,
    pub thrust_line: f32,
    pub runway_end: f32,
    pub centreline: f32,
    pub half_width: f32,
    pub unused: f32,
    pub step_limit: u32,
    pub bounce_steps: u32,
    pub rest_steps: u32,
    pub unused1: u32,
}

/// Air forces; all zero in a vacuum.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct AerodynamicsWire {
    pub area: f32,
    pub span: f32,
    pub chord: f32,
    pub angle_limit: f32,
    pub lift_zero: f32,
    pub lift_alpha: f32,
    pub lift_pitch_rate: f32,
    pub lift_elevator: f32,
    pub drag_zero: f32,
    pub drag_induced: f32,
    pub spoiler_lift: f32,
    pub spoiler_drag: f32,
    pub side_beta: f32,
    pub side_rudder: f32,
    pub roll_beta: f32,
    pub roll_roll_rate: f32,
    pub roll_yaw_rate: f32,
    pub roll_aileron: f32,
    pub roll_rudder: f32,
    pub pitch_zero: f32,
    pub pitch_alpha: f32,
    pub pitch_pitch_rate: f32,
    pub pitch_elevator: f32,
    pub yaw_beta: f32,
    pub yaw_roll_rate: f32,
    pub yaw_yaw_rate: f32,
    pub yaw_aileron: f32,
    pub yaw_rudder: f32,
}

/// What of the pilot does not differ from landing to landing.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct PilotWire {
    pub pitch_gain: f32,
    pub pitch_damping: f32,
    pub bank_gain: f32,
    pub roll_damping: f32,
    pub anti_skid: f32,
    pub lateral_gain: f32,
    pub heading_gain: f32,
    pub yaw_damping: f32,
    pub full_steering_speed: f32,
    pub surface_limit: f32,
    pub unused0: f32,
    pub unused1: f32,
}

/// A wheel of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct VehicleWheel {
    pub position: [f32; 3],
    pub brake: f32,
    pub steering: f32,
    pub main: u32,
    pub unused0: u32,
    pub unused1: u32,
    pub parameters: WheelParametersWire,
    pub unused2: [u32; 3],
}

/// What differs from landing to landing and holds throughout.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct LandingWire {
    pub wind: [f32; 2],
    pub mass: f32,
    pub friction_scale: f32,
    pub air_density: f32,
    pub trim: f32,
    pub pitch: f32,
    pub heading: f32,
    pub derotation_rate: f32,
    pub brake_level: f32,
    pub target_deceleration: f32,
    pub reverse_level: f32,
    pub delays: [u32; 3],
    pub unused: u32,
}

/// A landing after some whole number of steps, without clearances and wheels.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct StateHead {
    pub frame: [f32; 3],
    pub step: u32,
    pub position: [f32; 3],
    pub touchdown_step: u32,
    pub orientation: [f32; 4],
    pub velocity: [f32; 3],
    pub flags: u32,
    pub rate: [f32; 3],
    pub struck: u32,
    pub controls: ControlsWire,
    pub last_speed: f32,
    pub pitch_at_touchdown: f32,
    pub runway_end_speed: f32,
    pub bounces: u32,
    pub touchdown: TouchdownWire,
    pub largest_lateral: [f32; 2],
    pub contact_steps: u32,
    pub force_limit_steps: u32,
    pub steps_in_air: u32,
    pub steps_at_rest: u32,
    pub steps_in_state: [u32; 4],
}

/// What pilot and engines did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct ControlsWire {
    pub elevator: f32,
    pub aileron: f32,
    pub rudder: f32,
    pub spoilers: f32,
    pub steering: f32,
    pub steering_authority: f32,
    pub brake: f32,
    pub thrust: f32,
}

/// The moment of touchdown; places as frame and place in it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct TouchdownWire {
    pub distance: [f32; 2],
    pub lateral: [f32; 2],
    pub sink_rate: f32,
    pub ground_speed: f32,
    pub pitch: f32,
    pub bank: f32,
    pub crab: f32,
    pub unused: f32,
}

/// The last step of a wheel, and the worst of all.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WheelMemory {
    pub pebble: [f32; 3],
    pub leaf: u32,
    pub normal: [f32; 3],
    pub material: u32,
    pub force: [f32; 3],
    pub normal_force: f32,
    pub application: [f32; 3],
    pub compression: f32,
    pub friction: f32,
    pub status: u32,
    pub peak_force: f32,
    pub peak_compression: f32,
}

/// How many steps a run of the kernel does at most.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct Slice {
    pub steps: u32,
    pub unused: [u32; 3],
}

impl Slice {
    pub fn new(steps: u32) -> Self {
        Self { steps, unused: [0; 3] }
    }
}

/// A number of a vehicle or a job.
fn number(value: f64, what: &str) -> Result<f32, GpuError> {
    if value.abs() <= LARGEST_PARAMETER {
        Ok(value as f32)
    } else {
        Err(GpuError::OutOfRange { what: what.to_owned(), limit: LARGEST_PARAMETER })
    }
}

fn vector(value: DVec3, what: &str) -> Result<[f32; 3], GpuError> {
    Ok([number(value.x, what)?, number(value.y, what)?, number(value.z, what)?])
}

fn columns(matrix: &DMat3, what: &str) -> Result<[[f32; 4]; 3], GpuError> {
    let mut wire = [[0.0; 4]; 3];
    for (column, axis) in wire.iter_mut().zip([matrix.x_axis, matrix.y_axis, matrix.z_axis]) {
        column[..3].copy_from_slice(&vector(axis, what)?);
    }
    Ok(wire)
}

/// A job for a device.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct VehicleWire {
    head: VehicleHead,
    wheels: Vec<VehicleWheel>,
    points: Vec<[f32; 4]>,
}

impl VehicleWire {
    /// `origin` is the scene's; a landing ends after `step_limit` steps, if it is told.
    pub fn new(job: &LandingJob, origin: DVec3, step_limit: Option<u64>) -> Result<Self, GpuError> {
        let steps = |steps: u64| u32::try_from(steps).ok().filter(|&steps| u64::from(steps) <= LARGEST_STEP);
        let whole = |count: u64| {
            steps(count)
                .ok_or(GpuError::OutOfRange { what: format!("a number of {count} steps"), limit: LARGEST_STEP as f64 })
        };
        let vehicle = &job.vehicle;
        let tensor = vehicle.inertia.tensor();
        let inverse = tensor.inverse();
        let least = inverse.to_cols_array().into_iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        if vehicle.mass < LEAST_INERTIA || least > 1.0 / LEAST_INERTIA {
            let what = format!("one over the mass or inertia of `{}`", vehicle.name);
            return Err(GpuError::OutOfRange { what, limit: 1.0 / LEAST_INERTIA });
        }
        let reach = vehicle.structure.iter().map(|point| point.position.length()).fold(0.0, f64::max);
        let runway = job.scene.runway();
        let head = VehicleHead {
            inertia: columns(&tensor, "the inertia")?,
            inverse_inertia: columns(&inverse, "one over the inertia")?,
            aerodynamics: vehicle
                .aerodynamics
                .as_ref()
                .map_or(Ok(AerodynamicsWire::zeroed()), AerodynamicsWire::new)?,
            pilot: PilotWire::new(&vehicle.pilot, vehicle.aerodynamics.as_ref())?,
            mass: number(vehicle.mass, "the mass")?,
            gravity: number(job.gravity, "gravity")?,
            time_step: number(job.step, "the step")?,
            reach: number(reach, "the place of a structural point")?,
            thrust_idle: number(vehicle.thrust.idle, "the idle thrust")?,
            thrust_reverse: number(vehicle.thrust.reverse, "the reverse thrust")?,
            reverse_cutoff: number(vehicle.thrust.reverse_cutoff, "the speed at which reverse thrust ends")?,
            thrust_line: number(vehicle.thrust.line, "the line of thrust")?,
            runway_end: runway.map_or(Ok(NOWHERE), |runway| number(runway.end() - origin.x, "the runway's end"))?,
            centreline: number(-origin.y, "the scene's place")?,
            half_width: runway.map_or(Ok(NOWHERE), |runway| number(0.5 * runway.width, "the runway's width"))?,
            unused: 0.0,
            step_limit: step_limit.map_or(Ok(NEVER), whole)?,
            bounce_steps: whole(job.steps_of(BOUNCE_TIME))?,
            rest_steps: whole(job.steps_of(REST_TIME))?,
            unused1: 0,
        };
        let wheels = vehicle.wheels.iter().map(VehicleWheel::new).collect::<Result<_, _>>()?;
        let point = |point: &StructuralPoint| {
            let [x, y, z] = vector(point.position, "the place of a structural point")?;
            Ok([x, y, z, 0.0])
        };
        let mut points: Vec<[f32; 4]> = vehicle.structure.iter().map(point).collect::<Result<_, GpuError>>()?;
        // An array of none is not allowed on a device.
        points.resize(points.len().max(1), [0.0; 4]);
        Ok(Self { head, wheels, points })
    }

    /// As the shader lays it out.
    pub fn bytes(&self) -> Vec<u8> {
        let Self { head, wheels, points } = self;
        [bytemuck::bytes_of(head), bytemuck::cast_slice(wheels), bytemuck::cast_slice(points)].concat()
    }
}

impl AerodynamicsWire {
    fn new(aerodynamics: &Aerodynamics) -> Result<Self, GpuError> {
        let number = |value: f64| number(value, "a number of the aerodynamics");
        Ok(Self {
            area: number(aerodynamics.area)?,
            span: number(aerodynamics.span)?,
            chord: number(aerodynamics.chord)?,
            angle_limit: number(aerodynamics.angle_limit)?,
            lift_zero: number(aerodynamics.lift_zero)?,
            lift_alpha: number(aerodynamics.lift_alpha)?,
            lift_pitch_rate: number(aerodynamics.lift_pitch_rate)?,
            lift_elevator: number(aerodynamics.lift_elevator)?,
            drag_zero: number(aerodynamics.drag_zero)?,
            drag_induced: number(aerodynamics.drag_induced)?,
            spoiler_lift: number(aerodynamics.spoiler_lift)?,
            spoiler_drag: number(aerodynamics.spoiler_drag)?,
            side_beta: number(aerodynamics.side_beta)?,
            side_rudder: number(aerodynamics.side_rudder)?,
            roll_beta: number(aerodynamics.roll_beta)?,
            roll_roll_rate: number(aerodynamics.roll_roll_rate)?,
            roll_yaw_rate: number(aerodynamics.roll_yaw_rate)?,
            roll_aileron: number(aerodynamics.roll_aileron)?,
            roll_rudder: number(aerodynamics.roll_rudder)?,
            pitch_zero: number(aerodynamics.pitch_zero)?,
            pitch_alpha: number(aerodynamics.pitch_alpha)?,
            pitch_pitch_rate: number(aerodynamics.pitch_pitch_rate)?,
            pitch_elevator: number(aerodynamics.pitch_elevator)?,
            yaw_beta: number(aerodynamics.yaw_beta)?,
            yaw_roll_rate: number(aerodynamics.yaw_roll_rate)?,
            yaw_yaw_rate: number(aerodynamics.yaw_yaw_rate)?,
            yaw_aileron: number(aerodynamics.yaw_aileron)?,
            yaw_rudder: number(aerodynamics.yaw_rudder)?,
        })
    }
}

impl PilotWire {
    fn new(pilot: &Pilot, aerodynamics: Option<&Aerodynamics>) -> Result<Self, GpuError> {
        let number = |value: f64| number(value, "a number of the pilot");
        Ok(Self {
            pitch_gain: number(pilot.pitch_gain)?,
            pitch_damping: number(pilot.pitch_damping)?,
            bank_gain: number(pilot.bank_gain)?,
            roll_damping: number(pilot.roll_damping)?,
            anti_skid: number(pilot.anti_skid)?,
            lateral_gain: number(pilot.lateral_gain)?,
            heading_gain: number(pilot.heading_gain)?,
            yaw_damping: number(pilot.yaw_damping)?,
            full_steering_speed: number(pilot.full_steering_speed)?,
            surface_limit: number(aerodynamics.map_or(0.0, |aerodynamics| aerodynamics.surface_limit))?,
            unused0: 0.0,
            unused1: 0.0,
        })
    }
}

impl VehicleWheel {
    fn new(wheel: &Wheel) -> Result<Self, GpuError> {
        let p = &wheel.parameters;
        for value in [p.k_xy, p.k_z, p.d_xy, p.d_z, p.z_min, p.z_zero, p.z_max, p.rolling_resistance] {
            number(value, &format!("a number of wheel `{}`", wheel.name))?;
        }
        let brake = if wheel.brake.is_infinite() { INFINITE_FORCE as f32 } else { number(wheel.brake, "a brake")? };
        Ok(Self {
            position: vector(wheel.position, "the place of a wheel")?,
            brake,
            steering: wheel.steering as f32,
            main: u32::from(wheel.main),
            unused0: 0,
            unused1: 0,
            parameters: WheelParametersWire::new(p),
            unused2: [0; 3],
        })
    }
}

impl LandingWire {
    /// `None` for inputs that are not valid, or beyond what a device holds.
    pub fn new(job: &LandingJob, inputs: &LandingInputs) -> Option<Self> {
        if !inputs.is_valid() {
            return None;
        }
        let bounded = Input::ALL.iter().all(|&input| inputs.get(input).abs() <= LARGEST_NUMBER);
        if !bounded || inputs.get(Input::Mass) < LEAST_INERTIA {
            return None;
        }
        let course = Course::new(job, inputs);
        let get = |input: Input| inputs.get(input) as f32;
        let target = inputs.get(Input::TargetDeceleration);
        Some(Self {
            wind: [course.wind.x as f32, course.wind.y as f32],
            mass: get(Input::Mass),
            friction_scale: get(Input::FrictionScale),
            air_density: get(Input::AirDensity),
            trim: course.trim as f32,
            pitch: course.pitch as f32,
            heading: course.heading as f32,
            derotation_rate: get(Input::DerotationRate),
            brake_level: get(Input::BrakeLevel),
            target_deceleration: if target > 0.0 { target.max(LEAST_DECELERATION) as f32 } else { 0.0 },
            reverse_level: get(Input::ReverseLevel),
            delays: course.delays.map(|delay| delay.map_or(NEVER, |steps| steps.min(LARGEST_STEP) as u32)),
            unused: 0,
        })
    }
}

/// How the states of a vehicle's landings are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct StateLayout {
    pub wheels: usize,
    pub points: usize,
}

impl StateLayout {
    pub fn new(vehicle: &Vehicle) -> Self {
        Self { wheels: vehicle.wheels.len(), points: vehicle.structure.len() }
    }

    /// Words of the clearances: an array of none is not allowed on a device, and wheels stand at multiples of 16 bytes.
    fn clear_words(self) -> usize {
        self.points.max(1).next_multiple_of(4)
    }

    /// Size of a state in words.
    pub fn words(self) -> usize {
        size_of::<StateHead>() / 4 + self.clear_words() + self.wheels * size_of::<WheelMemory>() / 4
    }

    /// Size of a state \[bytes\].
    pub fn bytes(self) -> usize {
        4 * self.words()
    }

    /// Lays a state out in so many words; nothing is known of what the structure is clear of. `None` when it is beyond
    /// what a device holds.
    pub fn encode(self, state: &LandingState, origin: DVec3, words: &mut [u32]) -> Option<()> {
        let head = StateHead::new(state, origin)?;
        let (head_words, clear_and_wheels) = words.split_at_mut(size_of::<StateHead>() / 4);
        head_words.copy_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&head)));
        let (clear, wheels) = clear_and_wheels.split_at_mut(self.clear_words());
        clear.fill(0);
        let frame = origin + wide(head.frame);
        for (memory, wheel) in bytemuck::cast_slice_mut(wheels).iter_mut().zip(&state.wheels) {
            *memory = WheelMemory::new(wheel, frame);
        }
        Some(())
    }

    /// Lays out the end of a landing that cannot be flown.
    pub fn encode_invalid(self, words: &mut [u32]) {
        words.fill(0);
        let head = StateHead { flags: Flag::ENDED | Flag::INVALID, ..StateHead::zeroed() };
        words[..size_of::<StateHead>() / 4].copy_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&head)));
    }

    /// The parts of a state of so many words.
    pub fn view(self, words: &[u32]) -> StateView<'_> {
        let (head, rest) = words.split_at(size_of::<StateHead>() / 4);
        StateView {
            head: *bytemuck::from_bytes(bytemuck::cast_slice(head)),
            wheels: bytemuck::cast_slice(&rest[self.clear_words()..]),
        }
    }
}

/// A state as it came from a device.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct StateView<'a> {
    pub head: StateHead,
    pub wheels: &'a [WheelMemory],
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

impl StateHead {
    fn new(state: &LandingState, origin: DVec3) -> Option<Self> {
        let LandingState { step, motion, wheels: _, pilot, touchdown_step, struck } = state;
        if !motion.is_sane() || *step > LARGEST_STEP {
            return None;
        }
        let Framed { frame_origin, local } = Framed::new(motion.position, origin)?;
        let begun = (0..).zip(pilot.begun).map(|(action, begun)| u32::from(begun) * (Flag::BEGUN << action));
        let knows_pitch = if pilot.pitch_at_touchdown.is_some() { Flag::KNOWS_PITCH } else { 0 };
        let q = motion.orientation.as_quat();
        Some(Self {
            frame: frame_origin,
            step: *step as u32,
            position: local,
            touchdown_step: touchdown_step.map_or(0, |step| step as u32),
            orientation: q.to_array(),
            velocity: motion.velocity.as_vec3().to_array(),
            flags: begun.sum::<u32>() | knows_pitch,
            rate: motion.rate.as_vec3().to_array(),
            struck: struck.map_or(0, |point| point + 1),
            controls: ControlsWire { brake: pilot.pedal as f32, ..ControlsWire::zeroed() },
            last_speed: pilot.last_speed as f32,
            pitch_at_touchdown: pilot.pitch_at_touchdown.unwrap_or(0.0) as f32,
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

impl WheelMemory {
    /// `frame` is where the landing's frame stands in the world.
    fn new(step: &WheelStep, frame: DVec3) -> Self {
        let WheelStep { contact, force, application, normal_force, compression, friction, clip_case, over_max_force } =
            step;
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

    fn decode(&self, scene: &Scene, origin: DVec3, frame: [f32; 3]) -> Option<WheelStep> {
        let state = self.state()?;
        let clip_case = *ClipCase::ALL.get(((self.status & (OVER_MAX_FORCE - 1)) >> STATE_BITS) as usize)?;
        let contact = if self.touches() {
            let pebble = world(origin, frame, self.pebble);
            let leaf = Some(self.leaf).filter(|&leaf| (leaf as usize) < scene.leaves().len())?;
            let material = (self.material != MATERIAL_NONE).then_some(MaterialId(self.material));
            WheelContact { state, pebble, normal: scene.leaf(leaf).normal(pebble), material, leaf: Some(leaf) }
        } else {
            WheelContact { state, ..WheelContact::FREE }
        };
        Some(WheelStep {
            contact,
            force: wide(self.force),
            application: world(origin, frame, self.application),
            normal_force: f64::from(self.normal_force),
            compression: f64::from(self.compression),
            friction: f64::from(self.friction),
            clip_case,
            over_max_force: self.is_over_max_force(),
        })
    }
}

impl StateView<'_> {
    /// Pose and motion in the world.
    pub fn motion(&self, origin: DVec3) -> Motion {
        let StateHead { frame, position, orientation, velocity, rate, .. } = self.head;
        Motion {
            position: world(origin, frame, position),
            // In binary64 it is a unit quaternion only after this.
            orientation: DQuat::from_array(orientation.map(f64::from)).normalize(),
            velocity: wide(velocity),
            rate: wide(rate),
        }
    }

    /// `None` when the device wrote what no state has.
    pub fn decode(&self, scene: &Scene, origin: DVec3) -> Option<LandingState> {
        let head = &self.head;
        let wheels = self.wheels.iter().map(|wheel| wheel.decode(scene, origin, head.frame)).collect::<Option<_>>()?;
        let touched = |step: u32| (step != 0).then_some(u64::from(step));
        Some(LandingState {
            step: u64::from(head.step),
            motion: self.motion(origin),
            wheels,
            pilot: PilotState {
                pedal: f64::from(head.controls.brake),
                last_speed: f64::from(head.last_speed),
                pitch_at_touchdown: head.has(Flag::KNOWS_PITCH).then_some(f64::from(head.pitch_at_touchdown)),
                begun: std::array::from_fn(|action| head.has_begun(action)),
            },
            touchdown_step: touched(head.touchdown_step),
            struck: head.struck.checked_sub(1),
        })
    }

    /// What pilot and engines did in the last step.
    pub fn controls(&self) -> Controls {
        let controls = &self.head.controls;
        Controls {
            surfaces: Surfaces {
                elevator: f64::from(controls.elevator),
                aileron: f64::from(controls.aileron),
                rudder: f64::from(controls.rudder),
                spoilers: f64::from(controls.spoilers),
            },
            steering: f64::from(controls.steering),
            steering_authority: f64::from(controls.steering_authority),
            brake: f64::from(controls.brake),
            thrust: f64::from(controls.thrust),
        }
    }
}
