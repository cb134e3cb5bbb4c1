//! What all landings of a job share, on its way to a device.
//!
//! # Conventions
//! As in [`crate::vehicle`]; the runway is relative to the scene's origin.

use bytemuck::Zeroable;
use glam::{DMat3, DVec3};

use super::FAR;
use super::landing::{MAX_STEP, MIN_INERTIA, NEVER};
use super::layout::StateLayout;
use super::wheel::{StrutWire, WheelParametersWire, strut_wire};
use super::{Matrix, Structure, array_of, number, on_device};
use crate::gpu::GpuError;
use crate::query::rules::{BOUNCE_TIME, REST_TIME};
use crate::query::{LandingJob, MAX_STRUT_LINES};
use crate::scene::GroundPlane;
use crate::vehicle::{Aerodynamics, Autoland, ContactFriction, Pilot, StructuralPoint, Wheel};

/// Least time \[s\] and height \[m\] that an autoland divides by.
const MIN_DIVISOR: f64 = 1e-6;

on_device! {
    /// What all landings share, without wheels and structural points.
    VehicleHead as Vehicle {
        /// At the vehicle's own mass.
        inertia: Matrix,
        inverse_inertia: Matrix,
        aerodynamics: AerodynamicsWire,
        pilot: PilotWire,
        autoland: AutolandWire,
        mass: f32,
        gravity: f32,
        /// \[s\].
        time_step: f32,
        /// Distance of the farthest structural point from the centre of gravity \[m\].
        reach: f32,
        thrust_idle: f32,
        thrust_reverse: f32,
        reverse_cutoff: f32,
        thrust_line: f32,
        /// x of the runway's end, relative to the scene's origin; [`FAR`] where there is no runway.
        runway_end: f32,
        /// Its y, relative to the scene's origin.
        centreline: f32,
        /// Of the runway; [`FAR`] where there is none.
        half_width: f32,
        /// z of the ground at the scene's origin, relative to it.
        ground: f32,
        /// [`NEVER`] without one.
        step_limit: u32,
        bounce_steps: u32,
        rest_steps: u32,
        /// Of a step in which a wheel touches and all are calm.
        calm_substeps: u32,
        /// Of one in which a wheel is lively.
        lively_substeps: u32,
        /// Rise of the ground per distance along x.
        slope: f32,
        unused0: u32,
        unused1: u32,
    }
}

on_device! {
    /// Air forces; all zero in a vacuum.
    AerodynamicsWire as Aerodynamics {
        /// Zero in a vacuum.
        area: f32,
        span: f32,
        chord: f32,
        /// Of the wing above the centre of gravity.
        wing_height: f32,
        /// What its own downwash costs the wing at the ground; 0 where it changes nothing.
        lift_cost: f32,
        /// What pitches the body there.
        downwash_moment: f32,
        /// 1 where the ground changes something, else 0.
        ground_effect: f32,
        angle_limit: f32,
        lift_zero: f32,
        lift_alpha: f32,
        lift_pitch_rate: f32,
        lift_elevator: f32,
        drag_zero: f32,
        drag_induced: f32,
        spoiler_lift: f32,
        spoiler_drag: f32,
        side_beta: f32,
        side_rudder: f32,
        roll_beta: f32,
        roll_roll_rate: f32,
        roll_yaw_rate: f32,
        roll_aileron: f32,
        roll_rudder: f32,
        pitch_zero: f32,
        pitch_alpha: f32,
        pitch_pitch_rate: f32,
        pitch_elevator: f32,
        yaw_beta: f32,
        yaw_roll_rate: f32,
        yaw_yaw_rate: f32,
        yaw_aileron: f32,
        yaw_rudder: f32,
    }
}

on_device! {
    /// What of the pilot does not differ from landing to landing.
    PilotWire as Pilot {
        pitch_gain: f32,
        pitch_damping: f32,
        bank_gain: f32,
        roll_damping: f32,
        anti_skid: f32,
        lateral_gain: f32,
        heading_gain: f32,
        yaw_damping: f32,
        full_steering_speed: f32,
        /// Greatest deflection of the control surfaces \[rad\]; 0 without any.
        surface_limit: f32,
        /// Pitch angle of the runway \[rad\].
        level: f32,
        unused: f32,
    }
}

on_device! {
    /// The laws of an autoland, or of a pilot's flare; all zero without one.
    AutolandWire as Autoland {
        gate_height: f32,
        /// x, relative to the scene's origin.
        gate: f32,
        glide_gain: f32,
        touchdown_sink_rate: f32,
        flare_time: f32,
        sink_gain: f32,
        /// Pitch angle per error of the sink rate in a step \[rad s/m\].
        sink_integral_gain: f32,
        sink_integral_limit: f32,
        least_pitch: f32,
        greatest_pitch: f32,
        pitch_gain: f32,
        pitch_damping: f32,
        speed_gain: f32,
        greatest_thrust: f32,
        retard_height: f32,
        /// Share of the way to the thrust asked for that the engines go in a step.
        engine_share: f32,
        bank_per_offset: f32,
        bank_per_drift: f32,
        bank_limit: f32,
        decrab_height: f32,
        unused0: u32,
        unused1: u32,
        unused2: u32,
        unused3: u32,
    }
}

on_device! {
    /// A wheel of a vehicle.
    VehicleWheel as Wheel {
        position: [f32; 3],
        /// [`FAR`] for a pad that never yields.
        brake: f32,
        /// What each newton of load adds to the brake.
        brake_friction: f32,
        steering: f32,
        /// 1: a main wheel.
        main: u32,
        /// 1: a pad, which never rolls.
        pad: u32,
        /// 1: it has friction of its own, by JSBSim's ground reactions.
        rubs: u32,
        friction_at_rest: f32,
        friction_moving: f32,
        unused: u32,
        parameters: WheelParametersWire,
    }
}

fn vector(value: DVec3, what: &str) -> Result<[f32; 3], GpuError> {
    Ok([number(value.x, what)?, number(value.y, what)?, number(value.z, what)?])
}

fn columns(matrix: &DMat3, what: &str) -> Result<Matrix, GpuError> {
    let mut wire = [[0.0; 4]; 3];
    for (column, axis) in wire.iter_mut().zip([matrix.x_axis, matrix.y_axis, matrix.z_axis]) {
        column[..3].copy_from_slice(&vector(axis, what)?);
    }
    Ok(Matrix(wire))
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
            let what = || format!("a number of {count} steps");
            steps(count).ok_or_else(|| GpuError::OutOfRange { what: what(), limit: MAX_STEP as f64, unit: "" })
        };
        let vehicle = &job.vehicle;
        let tensor = vehicle.inertia.tensor();
        let inverse = tensor.inverse();
        let least = inverse.to_cols_array().into_iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        if vehicle.mass < MIN_INERTIA || least > 1.0 / MIN_INERTIA {
            let value = least.max(vehicle.mass.recip());
            let what = format!("one over the mass or inertia of `{}` ({value:e})", vehicle.name);
            return Err(GpuError::OutOfRange { what, limit: 1.0 / MIN_INERTIA, unit: "" });
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
            pilot: PilotWire::new(&vehicle.pilot, vehicle.surface_limit(), plane)?,
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
        let struts = numbered().map(|(_, wheel)| strut_wire(&wheel.parameters, &called(wheel)));
        let struts = struts.collect::<Result<_, _>>()?;
        let point = |point: &StructuralPoint| {
            let [x, y, z] = vector(point.position, "the place of a structural point")?;
            Ok([x, y, z, 0.0])
        };
        let mut points: Vec<[f32; 4]> = vehicle.structure.iter().map(point).collect::<Result<_, GpuError>>()?;
        points.resize(StateLayout::new(vehicle).placed_points(), [0.0; 4]);
        Ok(Self { head, wheels, struts, points })
    }

    /// The structures of a vehicle of this size.
    pub fn structures(layout: StateLayout) -> String {
        let parts = [AerodynamicsWire::declaration(), PilotWire::declaration(), AutolandWire::declaration()].concat();
        let vehicle = VehicleHead::declaration_with(&[
            ("wheels", array_of::<VehicleWheel>(layout.wheels)),
            // Those of the first wheel, then those of the next.
            ("struts", array_of::<[f32; 4]>(layout.wheels * MAX_STRUT_LINES)),
            ("points", array_of::<[f32; 4]>(layout.placed_points())),
        ]);
        let wheel = VehicleWheel::declaration();
        [parts, WheelParametersWire::declaration(), wheel, vehicle].concat()
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
    fn new(pilot: &Pilot, surface_limit: f64, plane: GroundPlane) -> Result<Self, GpuError> {
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
            surface_limit: number(surface_limit)?,
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

/// What an error calls a wheel.
fn called(wheel: &Wheel) -> String {
    format!("wheel `{}`", wheel.name)
}

impl VehicleWheel {
    /// The wheel of this number.
    fn new(index: u32, wheel: &Wheel) -> Result<Self, GpuError> {
        let own = wheel.friction.unwrap_or(ContactFriction { at_rest: 0.0, moving: 0.0 });
        let number = |value, key: &str| number(value, format_args!("`{key}` of wheel `{}`", wheel.name));
        let brake = if wheel.brake.is_infinite() { FAR } else { number(wheel.brake, "brake")? };
        Ok(Self {
            position: vector(wheel.position, "the place of a wheel")?,
            brake,
            brake_friction: number(wheel.brake_friction, "brake_friction")?,
            steering: wheel.steering as f32,
            main: u32::from(wheel.main),
            pad: u32::from(wheel.is_pad()),
            rubs: u32::from(wheel.friction.is_some()),
            friction_at_rest: number(own.at_rest, "static_friction")?,
            friction_moving: number(own.moving, "dynamic_friction")?,
            unused: 0,
            parameters: WheelParametersWire::new(&wheel.parameters, index * MAX_STRUT_LINES as u32, &called(wheel))?,
        })
    }
}
