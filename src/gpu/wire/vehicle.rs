//! What all landings of a job share, on its way to a device.
//!
//! # Conventions
//! As in [`crate::vehicle`]; the runway is relative to the scene's origin.

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3};

use super::FAR;
use super::landing::{MAX_STEP, MIN_INERTIA, NEVER};
use super::number;
use super::wheel::{StrutWire, WheelParametersWire, strut_wire};
use crate::gpu::GpuError;
use crate::query::rules::{BOUNCE_TIME, REST_TIME};
use crate::query::{LandingJob, MAX_STRUT_LINES};
use crate::scene::GroundPlane;
use crate::vehicle::{Aerodynamics, Autoland, Pilot, StructuralPoint, Wheel};

/// Least time \[s\] and height \[m\] that an autoland divides by.
const MIN_DIVISOR: f64 = 1e-6;

/// What all landings share, without wheels and structural points.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct VehicleHead {
    pub inertia: [[f32; 4]; 3],
    pub inverse_inertia: [[f32; 4]; 3],
    pub aerodynamics: AerodynamicsWire,
    pub pilot: PilotWire,
    pub autoland: AutolandWire,
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
    pub ground: f32,
    pub step_limit: u32,
    pub bounce_steps: u32,
    pub rest_steps: u32,
    pub calm_substeps: u32,
    pub lively_substeps: u32,
    pub slope: f32,
    pub unused0: u32,
    pub unused1: u32,
}

/// Air forces; all zero in a vacuum.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct AerodynamicsWire {
    pub area: f32,
    pub span: f32,
    pub chord: f32,
    pub wing_height: f32,
    pub lift_cost: f32,
    pub downwash_moment: f32,
    pub ground_effect: f32,
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
    pub level: f32,
    pub unused: f32,
}

/// The laws of an autoland, or of a pilot's flare; all zero without one.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct AutolandWire {
    pub gate_height: f32,
    pub gate: f32,
    pub glide_gain: f32,
    pub touchdown_sink_rate: f32,
    pub flare_time: f32,
    pub sink_gain: f32,
    pub sink_integral_gain: f32,
    pub sink_integral_limit: f32,
    pub least_pitch: f32,
    pub greatest_pitch: f32,
    pub pitch_gain: f32,
    pub pitch_damping: f32,
    pub speed_gain: f32,
    pub greatest_thrust: f32,
    pub retard_height: f32,
    pub engine_share: f32,
    pub bank_per_offset: f32,
    pub bank_per_drift: f32,
    pub bank_limit: f32,
    pub decrab_height: f32,
    pub unused0: u32,
    pub unused1: u32,
    pub unused2: u32,
    pub unused3: u32,
}

/// A wheel of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct VehicleWheel {
    pub position: [f32; 3],
    pub brake: f32,
    pub brake_friction: f32,
    pub steering: f32,
    pub main: u32,
    pub unused: u32,
    pub parameters: WheelParametersWire,
    pub unused1: [u32; 2],
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
    struts: Vec<StrutWire>,
    points: Vec<[f32; 4]>,
}

impl VehicleWire {
    /// `origin` is the scene's; a landing ends after `step_limit` steps, if it is told.
    pub fn new(job: &LandingJob, origin: DVec3, step_limit: Option<u64>) -> Result<Self, GpuError> {
        let steps = |steps: u64| u32::try_from(steps).ok().filter(|&steps| u64::from(steps) <= MAX_STEP);
        let whole = |count: u64| {
            steps(count)
                .ok_or(GpuError::OutOfRange { what: format!("a number of {count} steps"), limit: MAX_STEP as f64 })
        };
        let vehicle = &job.vehicle;
        let tensor = vehicle.inertia.tensor();
        let inverse = tensor.inverse();
        let least = inverse.to_cols_array().into_iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        if vehicle.mass < MIN_INERTIA || least > 1.0 / MIN_INERTIA {
            let what = format!("one over the mass or inertia of `{}`", vehicle.name);
            return Err(GpuError::OutOfRange { what, limit: 1.0 / MIN_INERTIA });
        }
        let reach = vehicle.structure.iter().map(|point| point.position.length()).fold(0.0, f64::max);
        let (runway, plane) = (job.scene.runway(), job.scene.ground_plane());
        let gear_substeps = vehicle.gear_substeps(job.step);
        let head = VehicleHead {
            inertia: columns(&tensor, "the inertia")?,
            inverse_inertia: columns(&inverse, "one over the inertia")?,
            aerodynamics: vehicle
                .aerodynamics
                .as_ref()
                .map_or(Ok(AerodynamicsWire::zeroed()), AerodynamicsWire::new)?,
            pilot: PilotWire::new(&vehicle.pilot, vehicle.aerodynamics.as_ref(), plane)?,
            autoland: vehicle
                .laws()
                .map_or(Ok(AutolandWire::zeroed()), |laws| AutolandWire::new(&laws, job.step, origin))?,
            mass: number(vehicle.mass, "the mass")?,
            gravity: number(job.gravity, "gravity")?,
            time_step: number(job.step, "the step")?,
            reach: number(reach, "the place of a structural point")?,
            thrust_idle: number(vehicle.thrust.idle, "the idle thrust")?,
            thrust_reverse: number(vehicle.thrust.reverse, "the reverse thrust")?,
            reverse_cutoff: number(vehicle.thrust.reverse_cutoff, "the speed at which reverse thrust ends")?,
            thrust_line: number(vehicle.thrust.line, "the line of thrust")?,
            runway_end: runway.map_or(Ok(FAR), |runway| number(runway.end() - origin.x, "the runway's end"))?,
            centreline: number(-origin.y, "the scene's place")?,
            half_width: runway.map_or(Ok(FAR), |runway| number(0.5 * runway.width, "the runway's width"))?,
            ground: number(plane.below(origin.x) - origin.z, "the scene's place")?,
            step_limit: step_limit.map_or(Ok(NEVER), whole)?,
            bounce_steps: whole(job.steps_of(BOUNCE_TIME))?,
            rest_steps: whole(job.steps_of(REST_TIME))?,
            calm_substeps: gear_substeps.calm,
            lively_substeps: gear_substeps.lively,
            slope: number(plane.slope, "the runway's slope")?,
            unused0: 0,
            unused1: 0,
        };
        let numbered = || (0..).zip(&vehicle.wheels);
        let wheels = numbered().map(|(index, wheel)| VehicleWheel::new(index, wheel)).collect::<Result<_, _>>()?;
        let struts = numbered().map(|(_, wheel)| strut_wire(&wheel.parameters, &number_of(wheel)));
        let struts = struts.collect::<Result<_, _>>()?;
        let point = |point: &StructuralPoint| {
            let [x, y, z] = vector(point.position, "the place of a structural point")?;
            Ok([x, y, z, 0.0])
        };
        let mut points: Vec<[f32; 4]> = vehicle.structure.iter().map(point).collect::<Result<_, GpuError>>()?;
        // An array of none is not allowed on a device.
        points.resize(points.len().max(1), [0.0; 4]);
        Ok(Self { head, wheels, struts, points })
    }

    /// As the shader lays it out.
    pub fn bytes(&self) -> Vec<u8> {
        let Self { head, wheels, struts, points } = self;
        let [wheels, struts, points] =
            [bytemuck::cast_slice(wheels), bytemuck::cast_slice(struts), bytemuck::cast_slice(points)];
        [bytemuck::bytes_of(head), wheels, struts, points].concat()
    }
}

impl AerodynamicsWire {
    fn new(aerodynamics: &Aerodynamics) -> Result<Self, GpuError> {
        let number = |value: f64| number(value, "a number of the aerodynamics");
        Ok(Self {
            area: number(aerodynamics.area)?,
            span: number(aerodynamics.span)?,
            chord: number(aerodynamics.chord)?,
            wing_height: number(aerodynamics.wing_height)?,
            lift_cost: number(aerodynamics.lift_cost())?,
            downwash_moment: number(aerodynamics.downwash_moment())?,
            ground_effect: if aerodynamics.ground_effect { 1.0 } else { 0.0 },
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
    fn new(pilot: &Pilot, aerodynamics: Option<&Aerodynamics>, plane: GroundPlane) -> Result<Self, GpuError> {
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
            level: number(plane.pitch())?,
            unused: 0.0,
        })
    }
}

impl AutolandWire {
    /// `origin` is the scene's.
    fn new(autoland: &Autoland, step: f64, origin: DVec3) -> Result<Self, GpuError> {
        let number = |value: f64| number(value, "a number of the autoland");
        // What is divided by must not vanish when it is narrowed.
        let divisor = |value: f64| number(value.max(MIN_DIVISOR));
        Ok(Self {
            gate_height: number(autoland.gate_height)?,
            gate: number(autoland.gate_distance - origin.x)?,
            glide_gain: number(autoland.glide_gain)?,
            touchdown_sink_rate: number(autoland.touchdown_sink_rate)?,
            flare_time: divisor(autoland.flare_time)?,
            sink_gain: number(autoland.sink_gain)?,
            sink_integral_gain: number(step * autoland.sink_integral_gain)?,
            sink_integral_limit: number(autoland.sink_integral_limit)?,
            least_pitch: number(autoland.least_pitch)?,
            greatest_pitch: number(autoland.greatest_pitch)?,
            pitch_gain: number(autoland.pitch_gain)?,
            pitch_damping: number(autoland.pitch_damping)?,
            speed_gain: number(autoland.speed_gain)?,
            greatest_thrust: number(autoland.greatest_thrust)?,
            retard_height: divisor(autoland.retard_height)?,
            engine_share: number(autoland.engine_share(step))?,
            bank_per_offset: number(autoland.bank_per_offset)?,
            bank_per_drift: number(autoland.bank_per_drift)?,
            bank_limit: number(autoland.bank_limit)?,
            decrab_height: divisor(autoland.decrab_height)?,
            unused0: 0,
            unused1: 0,
            unused2: 0,
            unused3: 0,
        })
    }
}

/// What an error says of a number of a wheel.
fn number_of(wheel: &Wheel) -> String {
    format!("a number of wheel `{}`", wheel.name)
}

impl VehicleWheel {
    /// The wheel of this number.
    fn new(index: u32, wheel: &Wheel) -> Result<Self, GpuError> {
        let brake = if wheel.brake.is_infinite() { FAR } else { number(wheel.brake, "a brake")? };
        Ok(Self {
            position: vector(wheel.position, "the place of a wheel")?,
            brake,
            brake_friction: number(wheel.brake_friction, "a brake")?,
            steering: wheel.steering as f32,
            main: u32::from(wheel.main),
            unused: 0,
            unused1: [0; 2],
            parameters: WheelParametersWire::new(&wheel.parameters, index * MAX_STRUT_LINES as u32, &number_of(wheel))?,
        })
    }
}
