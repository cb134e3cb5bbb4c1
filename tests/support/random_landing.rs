//! Random vehicles on random runways, in random states: nothing of them need make sense.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DQuat, DVec3};
use touchdown::query::{
    Acceleration, ClipCase, Damper, Gusts, Input, LandingInputs, LandingJob, LandingState, MAX_STRUT_ROWS, Motion,
    PilotState, Strut, Tyre, Weather, WheelContact, WheelParameters, WheelState, WheelStep, WindTable,
};
use touchdown::random::NoiseKey;
use touchdown::scene::{Material, MaterialId, Runway, Scene, Shape, SurfaceDrag};
use touchdown::vehicle::{Aerodynamics, Autoland, Flare, Inertia, Pilot, StructuralPoint, Thrust, Vehicle, Wheel};

use super::random::Random;
use super::tricycle::{piloted_tricycle, runway_materials, runway_with_house};

pub const LENGTH: f64 = 300.0;
pub const WIDTH: f64 = 23.0;

/// Rows in reach and beyond, some flat, from 0 N or a preload on.
fn strut(random: &mut Random) -> Strut {
    let mut rows = vec![(0.0, if random.chance(0.5) { 0.0 } else { random.between(0.0, 2e3) })];
    for row in 1..2 + random.index(MAX_STRUT_ROWS - 1) {
        let (compression, force) = rows[row - 1];
        let slope = if random.chance(0.2) { 0.0 } else { random.between(1e4, 1e5) };
        let further = random.between(0.01, 0.1);
        rows.push((compression + further, force + slope * further));
    }
    Strut::new(&rows).unwrap()
}

pub fn parameters(random: &mut Random) -> WheelParameters {
    let z_zero = random.between(0.5, 0.9);
    WheelParameters {
        k_xy: -random.between(1e4, 8e4),
        k_z: -random.between(2e4, 6e4),
        d_xy: -random.between(0.0, 4000.0),
        d_z: -random.between(500.0, 5000.0),
        z_min: random.between(0.1, 0.4),
        z_zero,
        z_max: z_zero + random.between(-0.05, 0.05),
        rolling_resistance: if random.chance(0.5) { 0.0 } else { random.between(0.0, 0.05) },
        clamp_to_max_force: random.chance(0.5),
        d_z_square: if random.chance(0.5) { 0.0 } else { -random.between(0.0, 3000.0) },
        rebound: random
            .chance(0.5)
            .then(|| Damper { linear: -random.between(0.0, 8000.0), square: -random.between(0.0, 3000.0) }),
        strut: random.chance(0.4).then(|| strut(random)),
        caster: random.chance(0.2),
        tyre: random.chance(0.5).then(|| Tyre {
            width: random.between(0.1, 0.5),
            deflection: random.between(0.0, 0.1),
            count: 1 + random.index(4) as u32,
        }),
    }
}

fn wheel(random: &mut Random, index: usize) -> Wheel {
    let brake = [0.0, random.between(100.0, 5000.0), f64::INFINITY][random.index(3)];
    Wheel {
        name: index.to_string(),
        position: DVec3::new(random.between(-1.0, 1.5), random.between(-1.5, 1.5), random.between(0.1, 0.3)),
        parameters: parameters(random),
        main: index == 0 || random.chance(0.5),
        brake,
        brake_friction: if brake == 0.0 { random.between(0.0, 0.8) } else { 0.0 },
        steering: if random.chance(0.5) { 0.0 } else { random.between(0.0, 1.0) },
        friction: None,
    }
}

fn pilot(random: &mut Random) -> Pilot {
    let mut gain = |largest: f64| if random.chance(0.3) { 0.0 } else { random.between(0.0, largest) };
    Pilot {
        derotation_rate: gain(0.2),
        pitch_gain: gain(2.0),
        pitch_damping: gain(1.0),
        bank_gain: gain(2.0),
        roll_damping: gain(1.0),
        spoiler_delay: gain(1.0),
        brake_delay: gain(2.0),
        brake_level: gain(1.0),
        target_deceleration: gain(3.0),
        anti_skid: gain(0.95),
        reverse_delay: gain(2.0),
        lateral_gain: gain(0.02),
        heading_gain: gain(1.0),
        yaw_damping: gain(0.4),
        full_steering_speed: gain(20.0),
    }
}

fn aerodynamics(random: &mut Random) -> Aerodynamics {
    let mut about = |size: f64| random.between(-size, size);
    Aerodynamics {
        area: 16.0 + about(4.0),
        span: 11.0 + about(2.0),
        chord: 1.5 + about(0.3),
        wing_height: about(1.0),
        ground_effect: about(1.0) < 0.5,
        angle_limit: 0.3 + about(0.1),
        surface_limit: 0.4 + about(0.1),
        lift_zero: 0.5 + about(0.3),
        lift_alpha: 5.0 + about(1.0),
        lift_pitch_rate: 4.0 + about(1.0),
        lift_elevator: 0.4 + about(0.1),
        drag_zero: 0.06 + about(0.02),
        drag_induced: 0.05 + about(0.02),
        spoiler_lift: 0.2 + about(0.2),
        spoiler_drag: 0.05 + about(0.05),
        side_beta: -0.4 + about(0.1),
        side_rudder: 0.2 + about(0.1),
        roll_beta: -0.1 + about(0.05),
        roll_roll_rate: -0.5 + about(0.1),
        roll_yaw_rate: 0.1 + about(0.05),
        roll_aileron: 0.2 + about(0.05),
        roll_rudder: 0.01 + about(0.01),
        pitch_zero: about(0.05),
        pitch_alpha: -0.9 + about(0.3),
        pitch_pitch_rate: -12.0 + about(3.0),
        pitch_elevator: -1.2 + about(0.3),
        yaw_beta: 0.07 + about(0.02),
        yaw_roll_rate: -0.03 + about(0.02),
        yaw_yaw_rate: -0.1 + about(0.03),
        yaw_aileron: -0.01 + about(0.01),
        yaw_rudder: -0.07 + about(0.02),
    }
}

fn autoland(random: &mut Random, idle: f64) -> Autoland {
    let mut gain = |largest: f64| if random.chance(0.1) { 0.0 } else { random.between(0.0, largest) };
    Autoland {
        airspeed: 28.0 + gain(5.0),
        glide_slope: gain(0.1),
        gate_height: 0.1 + gain(3.0),
        gate_distance: gain(100.0),
        glide_gain: gain(0.5),
        touchdown_sink_rate: gain(1.0),
        flare_time: 0.5 + gain(4.0),
        sink_gain: gain(0.1),
        sink_integral_gain: gain(0.1),
        sink_integral_limit: gain(0.1),
        least_pitch: -gain(0.2),
        greatest_pitch: gain(0.3),
        pitch_gain: gain(5.0),
        pitch_damping: gain(3.0),
        speed_gain: gain(2000.0),
        greatest_thrust: idle.max(0.0) + gain(5000.0),
        retard_height: 0.5 + gain(5.0),
        engine_lag: gain(1.0),
        bank_per_offset: gain(0.02),
        bank_per_drift: gain(0.1),
        bank_limit: gain(0.2),
        decrab_height: 0.5 + gain(5.0),
    }
}

fn flare(random: &mut Random, idle: f64) -> Flare {
    let mut gain = |largest: f64| if random.chance(0.1) { 0.0 } else { random.between(0.0, largest) };
    Flare {
        airspeed: 28.0 + gain(5.0),
        sink_rate: gain(3.0),
        height: 0.1 + gain(3.0),
        start_distance: gain(100.0),
        touchdown_sink_rate: gain(1.0),
        time: 0.5 + gain(4.0),
        sink_gain: gain(0.1),
        sink_integral_gain: gain(0.1),
        sink_integral_limit: gain(0.1),
        least_pitch: -gain(0.2),
        greatest_pitch: gain(0.3),
        pitch_gain: gain(5.0),
        pitch_damping: gain(3.0),
        greatest_thrust: idle.max(0.0) + gain(5000.0),
        idle_height: 0.5 + gain(5.0),
        bank_per_offset: gain(0.02),
        bank_per_drift: gain(0.1),
        bank_limit: gain(0.2),
        decrab_height: 0.5 + gain(5.0),
    }
}

pub fn vehicle(random: &mut Random) -> Vehicle {
    let mass = random.between(500.0, 2000.0);
    let mut product = || random.between(-100.0, 100.0);
    let inertia = Inertia { xx: 1285.0, yy: 1825.0, zz: 2667.0, xy: product(), xz: product(), yz: product() };
    let structure = (0..random.index(7)).map(|index| StructuralPoint {
        name: index.to_string(),
        position: DVec3::new(random.between(-4.0, 3.0), random.between(-5.0, 5.0), random.between(-2.0, 0.3)),
    });
    let mut vehicle = Vehicle {
        mass,
        inertia,
        structure: structure.collect(),
        wheels: (0..=random.index(5)).map(|index| wheel(random, index)).collect(),
        aerodynamics: random.chance(0.7).then(|| aerodynamics(random)),
        thrust: Thrust {
            idle: random.between(-100.0, 500.0),
            reverse: if random.chance(0.5) { 0.0 } else { random.between(0.0, 2000.0) },
            reverse_cutoff: random.between(0.0, 25.0),
            line: random.between(-0.5, 0.5),
        },
        pilot: pilot(random),
        ..piloted_tricycle()
    };
    vehicle.autoland = random.chance(0.4).then(|| autoland(random, vehicle.thrust.idle));
    vehicle.flare = random.chance(0.3).then(|| flare(random, vehicle.thrust.idle));
    vehicle
}

/// Of none, soft or flooded ground.
fn drag(random: &mut Random) -> SurfaceDrag {
    let wet = random.chance(0.5);
    SurfaceDrag {
        rolling_resistance: if random.chance(0.5) { 0.0 } else { random.between(0.0, 0.3) },
        rolling_resistance_by_speed: match random.index(3) {
            0 => Vec::new(),
            1 => vec![(random.between(0.0, 5.0), random.between(0.0, 0.2))],
            _ => vec![(0.0, 0.1), (random.between(1.0, 10.0), 0.3), (random.between(11.0, 40.0), 0.05)],
        },
        fluid_depth: if wet { random.between(0.0, 0.1) } else { 0.0 },
        fluid_density: if wet { random.between(200.0, 1000.0) } else { 0.0 },
    }
}

/// A painted runway beside a house, of materials some of which yield, or grip less the faster one slides; or a lone
/// wedge of no material.
pub fn scene(random: &mut Random) -> Scene {
    let has_runway = random.chance(0.8);
    let runway = |slope: f64| {
        has_runway.then_some(Runway { length: LENGTH, width: WIDTH, displaced_threshold: 20.0, slope, elevation: 0.0 })
    };
    if random.chance(0.15) {
        let normal = DVec3::new(random.between(-0.2, 0.2), random.between(-0.2, 0.2), 2.0);
        let slope = -normal.x / normal.z;
        return Scene::new(&Shape::half_space(normal, 0.0), Vec::new(), None, runway(slope)).unwrap();
    }
    // The ground is level whatever the runway says: at its end it is a decimetre off.
    let slope = if random.chance(0.5) { 0.0 } else { random.between(-3e-4, 3e-4) };
    let materials = runway_materials().into_iter().map(|material| Material {
        max_force: if random.chance(0.5) { f64::INFINITY } else { random.between(1e3, 1e4) },
        dynamic_friction_by_speed: match random.index(3) {
            0 => Vec::new(),
            1 => vec![(random.between(0.0, 5.0), random.between(0.0, 0.5))],
            _ => vec![(0.0, 0.5), (random.between(1.0, 10.0), 0.4), (random.between(11.0, 40.0), 0.2)],
        },
        drag: drag(random),
        ..material
    });
    Scene::new(&runway_with_house(LENGTH, WIDTH), materials.collect(), Some(MaterialId(0)), runway(slope)).unwrap()
}

fn wind_table(random: &mut Random, longest: f64) -> Option<WindTable> {
    let count = 1 + random.index(5);
    let mut point = random.between(-0.2, 0.3) * longest;
    let points = (0..count).map(|_| {
        point += random.between(0.05, 0.5) * longest;
        point
    });
    let points = points.collect();
    WindTable::new(points, (0..count).map(|_| random.in_cube(4.0)).collect()).filter(|_| random.chance(0.3))
}

fn weather(random: &mut Random) -> Weather {
    Weather {
        standard_atmosphere: random.chance(0.3),
        profile: wind_table(random, 2.0),
        history: wind_table(random, 20.0),
    }
}

pub fn job(random: &mut Random) -> LandingJob {
    let (vehicle, scene) = (vehicle(random), scene(random));
    LandingJob {
        vehicle,
        scene,
        weather: weather(random),
        gravity: random.between(1.0, 10.0),
        step: random.between(0.002, 0.01),
        time_limit: 20.0,
    }
}

/// Valid inputs, some of them far out.
pub fn inputs(random: &mut Random, vehicle: &Vehicle) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(vehicle);
    for (input, low, high) in [
        (Input::Mass, 0.7 * vehicle.mass, 1.3 * vehicle.mass),
        (Input::Airspeed, 15.0, 45.0),
        (Input::SinkRate, -0.2, 3.0),
        (Input::StartDistance, 0.0, LENGTH),
        (Input::Height, -0.05, 0.5),
        (Input::LateralOffset, -15.0, 15.0),
        (Input::Drift, -2.0, 2.0),
        (Input::Pitch, -0.1, 0.2),
        (Input::Bank, -0.15, 0.15),
        (Input::Crab, -0.15, 0.15),
        (Input::Decrab, 0.0, 1.0),
        (Input::RollRate, -0.2, 0.2),
        (Input::PitchRate, -0.2, 0.2),
        (Input::YawRate, -0.2, 0.2),
        (Input::Headwind, -5.0, 15.0),
        (Input::Crosswind, -10.0, 10.0),
        (Input::AirDensity, 0.0, 1.4),
        (Input::FrictionScale, 0.0, 1.5),
        (Input::DerotationRate, 0.0, 0.3),
        (Input::ReverseLevel, 0.0, 1.0),
    ] {
        if random.chance(0.8) {
            inputs.set(input, random.between(low, high));
        }
    }
    for (input, low, high) in [
        (Input::Turbulence, 0.0, 3.0),
        (Input::TurbulenceVertical, 0.0, 2.0),
        (Input::TurbulenceLength, 1.0, 300.0),
        (Input::TurbulenceLengthVertical, 0.5, 50.0),
        (Input::HeadwindShear, -0.3, 0.3),
        (Input::CrosswindShear, -0.3, 0.3),
        (Input::TargetAirspeed, 15.0, 45.0),
        (Input::GlideSlope, 0.0, 0.2),
        (Input::TemperatureOffset, -30.0, 30.0),
        (Input::Qnh, 9.5e4, 1.05e5),
        (Input::RotaryTurbulence, 0.0, 2.0),
        (Input::GustHeadwind, -5.0, 5.0),
        (Input::GustCrosswind, -5.0, 5.0),
        (Input::GustUpdraft, -3.0, 3.0),
        (Input::GustGradientDistance, 2.0, 100.0),
        (Input::GustTime, -2.0, 10.0),
    ] {
        if random.chance(0.3) {
            inputs.set(input, random.between(low, high));
        }
    }
    inputs.noise = NoiseKey { seed: random.index(1 << 40) as u64, item: random.index(1 << 40) as u64 };
    inputs
}

fn wheel_step(random: &mut Random, scene: &Scene, frame: DVec3) -> WheelStep {
    let materials = scene.materials().len();
    let slip =
        |random: &mut Random| if random.chance(0.5) { random.between(-0.3, 0.3) } else { random.between(-0.01, 0.01) };
    let contact = WheelContact {
        state: WheelState::ALL[random.index(WheelState::ALL.len())],
        pebble: frame + DVec3::new(slip(random), slip(random), random.between(-1.0, 0.0)),
        normal: [DVec3::Z, 2.0 * DVec3::Z, random.direction(), 3.0 * random.direction()][random.index(4)],
        material: (materials > 0 && random.chance(0.8)).then(|| MaterialId(random.index(materials) as u32)),
        leaf: random.chance(0.8).then_some(0),
    };
    WheelStep {
        contact,
        force: random.in_cube(1e4),
        application: random.in_cube(10.0),
        normal_force: random.between(0.0, 1e4),
        compression: random.between(0.0, 0.3),
        friction: random.between(0.0, 0.8),
        clip_case: ClipCase::ALL[random.index(ClipCase::ALL.len())],
        over_max_force: random.chance(0.5),
        peak_force: random.between(0.0, 2e4),
        peak_compression: random.between(0.0, 0.3),
    }
}

/// A state that no landing need ever come to.
pub fn state(random: &mut Random, job: &LandingJob) -> LandingState {
    let position = DVec3::new(random.between(-5.0, LENGTH), random.between(-15.0, 15.0), random.between(0.3, 2.0));
    let level = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let tilt = if random.chance(0.8) { random.between(0.0, 0.3) } else { 3.0 };
    let orientation = (level * DQuat::from_axis_angle(random.direction(), tilt)).normalize();
    let places = job.vehicle.wheels.iter().map(|wheel| position + orientation * wheel.position);
    let wheels = places.map(|place| wheel_step(random, &job.scene, place)).collect();
    let touched = random.chance(0.7);
    let step = random.index(5000) as u64;
    LandingState {
        step,
        motion: Motion {
            position,
            orientation,
            velocity: random.in_cube(30.0),
            rate: if random.chance(0.1) { DVec3::ZERO } else { random.in_cube(2.0) },
        },
        acceleration: Acceleration { linear: random.in_cube(20.0), angular: random.in_cube(10.0) },
        wheels,
        pilot: PilotState {
            pedal: random.between(0.0, 1.0),
            last_speed: random.between(0.0, 40.0),
            pitch_at_touchdown: (touched && random.chance(0.8)).then(|| random.between(-0.2, 0.2)),
            begun: [random.chance(0.5), random.chance(0.5), random.chance(0.5)],
            thrust: random.between(-2000.0, 5000.0),
            sink_integral: random.between(-0.1, 0.1),
        },
        gusts: Gusts {
            along: random.between(-3.0, 3.0),
            across: random.between(-3.0, 3.0),
            across_drive: random.between(-3.0, 3.0),
            vertical: random.between(-3.0, 3.0),
            vertical_drive: random.between(-3.0, 3.0),
            roll: random.between(-0.2, 0.2),
            pitch: random.between(-0.2, 0.2),
            yaw: random.between(-0.2, 0.2),
        },
        airframe: Vec::new(),
        touchdown_step: touched.then(|| step.saturating_sub(random.index(600) as u64)),
        struck: random.chance(0.2).then_some(1),
    }
}
