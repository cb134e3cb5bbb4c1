//! A light tricycle with the reference wheels of the model's experiments, and runways to land it on.
//!
//! # Conventions
//! SI units; frames as in `touchdown::vehicle`.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::DVec3;
use touchdown::query::WheelParameters;
use touchdown::scene::{Material, MaterialId, Shape, SurfaceDrag};
use touchdown::vehicle::{Approach, GroundReactions, Inertia, Pilot, StructuralPoint, Thrust, Vehicle, Wheel};

pub const GRAVITY: f64 = 9.81;
pub const DOWN: DVec3 = DVec3::new(0.0, 0.0, -GRAVITY);
/// A brake beyond any friction \[N\]: the wheel is locked.
pub const LOCKED: f64 = 1e9;
pub const MASS: f64 = 1043.0;
/// Origin of the wheel frames below the centre of gravity.
pub const FRAME_DEPTH: f64 = 0.2;
pub const MAIN_BEHIND: f64 = 0.5;
pub const MAIN_BESIDE: f64 = 1.1;
pub const NOSE_AHEAD: f64 = 1.2;

pub const PILOT_AT_REST: Pilot = Pilot {
    derotation_rate: 0.0,
    pitch_gain: 0.0,
    pitch_damping: 0.0,
    bank_gain: 0.0,
    roll_damping: 0.0,
    spoiler_delay: 0.0,
    brake_delay: 0.0,
    brake_level: 1.0,
    target_deceleration: 0.0,
    anti_skid: 0.0,
    reverse_delay: 0.0,
    lateral_gain: 0.0,
    heading_gain: 0.0,
    yaw_damping: 0.0,
    full_steering_speed: 1e3,
};

/// The reference wheel: that of a main gear.
pub fn main_wheel() -> WheelParameters {
    WheelParameters {
        k_xy: -60e3,
        k_z: -40e3,
        d_xy: -3000.0,
        d_z: -3500.0,
        z_min: 0.35,
        z_zero: 0.70,
        z_max: 0.70,
        rolling_resistance: 0.0,
        clamp_to_max_force: false,
        ..WheelParameters::PLAIN
    }
}

pub fn nose_wheel() -> WheelParameters {
    WheelParameters { k_xy: -20e3, d_xy: -1000.0, ..main_wheel() }
}

/// The tricycle with hands off, no air and no structure; every wheel brakes with `brake` newtons.
pub fn tricycle(brake: f64) -> Vehicle {
    let wheel = |name: &str, x: f64, y: f64, parameters: WheelParameters| Wheel {
        name: name.to_owned(),
        position: DVec3::new(x, y, FRAME_DEPTH),
        parameters,
        main: x < 0.0,
        brake,
        brake_friction: 0.0,
        steering: 0.0,
        friction: None,
    };
    Vehicle {
        name: "tricycle".to_owned(),
        mass: MASS,
        inertia: Inertia { xx: 1285.0, yy: 1825.0, zz: 2667.0, xy: 0.0, xz: 0.0, yz: 0.0 },
        wheels: vec![
            wheel("left", -MAIN_BEHIND, -MAIN_BESIDE, main_wheel()),
            wheel("right", -MAIN_BEHIND, MAIN_BESIDE, main_wheel()),
            wheel("nose", NOSE_AHEAD, 0.0, nose_wheel()),
        ],
        structure: Vec::new(),
        aerodynamics: None,
        airframe: None,
        thrust: Thrust { idle: 0.0, reverse: 0.0, reverse_cutoff: 0.0, line: 0.0 },
        pilot: PILOT_AT_REST,
        approach: Approach { airspeed: 30.0, sink_rate: 0.5, pitch: 0.0, start_distance: 0.0, height: 0.1 },
        autoland: None,
        flare: None,
        ground_reactions: GroundReactions::Pebble,
    }
}

/// The tricycle with wheels that are so strongly damped that their force is greatest at the moment of contact. Dropped
/// at [`FEET_TOGETHER`], its nose wheel touches within a sub-step of the main wheels.
pub fn damped_tricycle() -> Vehicle {
    let mut vehicle = tricycle(0.0);
    for wheel in &mut vehicle.wheels {
        wheel.parameters.d_z = -14e3;
    }
    vehicle
}

/// Pitches \[rad\] at which the nose wheel, at 1.5 m/s down, touches at once with the main wheels or up to about 1 ms
/// later, by when their 42 kN have taken away 2 % of its speed.
pub const FEET_TOGETHER: [f64; 6] = [0.0, 2e-4, 4e-4, 6e-4, 8e-4, 10e-4];

/// The tricycle with six structural points, a steered nose wheel and a pilot who keeps the centreline and brakes.
///
/// The brakes stay below the friction of the mains, some 950 N at 0.35: locked wheels behind the centre of gravity
/// would turn it round.
pub fn piloted_tricycle() -> Vehicle {
    let mut vehicle = tricycle(700.0);
    vehicle.wheels[2].brake = 0.0;
    vehicle.wheels[2].steering = 0.5;
    vehicle.pilot = Pilot {
        brake_delay: 1.0,
        lateral_gain: 0.005,
        heading_gain: 0.5,
        yaw_damping: 0.2,
        full_steering_speed: 8.0,
        ..PILOT_AT_REST
    };
    let point = |name: &str, x, y, z| StructuralPoint { name: name.to_owned(), position: DVec3::new(x, y, z) };
    vehicle.structure = vec![
        point("left wing tip", 0.0, -5.5, -0.8),
        point("right wing tip", 0.0, 5.5, -0.8),
        point("tail", -4.8, 0.0, -0.1),
        point("propeller", 2.0, 0.0, 0.4),
        point("belly", 0.0, 0.0, 0.5),
        point("fin", -4.8, 0.0, -1.9),
    ];
    vehicle
}

pub fn material(name: &str, static_friction: f64, dynamic_friction: f64) -> Material {
    Material {
        name: name.to_owned(),
        static_friction,
        dynamic_friction,
        max_force: f64::INFINITY,
        dynamic_friction_by_speed: Vec::new(),
        drag: SurfaceDrag::default(),
    }
}

/// z <= 0.
pub fn ground() -> Shape {
    Shape::half_space(DVec3::Z, 0.0)
}

/// A prism over a rectangle, through every height.
pub fn prism(x: [f64; 2], y: [f64; 2]) -> Shape {
    Shape::intersection([
        Shape::half_space(DVec3::NEG_X, -x[0]),
        Shape::half_space(DVec3::X, x[1]),
        Shape::half_space(DVec3::NEG_Y, -y[0]),
        Shape::half_space(DVec3::Y, y[1]),
    ])
}

/// The house of the model's description: four walls and a roof of two slopes, without a floor.
pub fn house() -> Shape {
    Shape::intersection([
        Shape::half_space(DVec3::NEG_Y, 4.0),
        Shape::half_space(DVec3::Y, 4.0),
        Shape::half_space(DVec3::X, 3.0),
        Shape::half_space(DVec3::NEG_X, 3.0),
        Shape::half_space(DVec3::new(1.0, 0.0, 1.0), 7.0),
        Shape::half_space(DVec3::new(-1.0, 0.0, 1.0), 7.0),
    ])
}

/// Materials of [`runway_with_house`]: grass, shoulder, and three kinds of pavement.
pub fn runway_materials() -> Vec<Material> {
    vec![
        material("grass", 0.5, 0.3),
        material("shoulder", 0.6, 0.4),
        material("rubbered", 0.6, 0.45),
        material("dry", 0.8, 0.6),
        material("patched", 0.7, 0.5),
    ]
}

/// Ground with shoulders and a runway of three zones painted on it, and a house with a floor beside it.
pub fn runway_with_house(length: f64, width: f64) -> Shape {
    let (half, shoulder) = (0.5 * width, 0.5 * width + 7.5);
    let third = length / 3.0;
    let zone = |index: f64| prism([index * third, (index + 1.0) * third], [-half, half]);
    let painted = ground()
        .painted(MaterialId(1), prism([0.0, length], [-shoulder, shoulder]))
        .painted(MaterialId(2), zone(0.0))
        .painted(MaterialId(3), zone(1.0))
        .painted(MaterialId(4), zone(2.0));
    let floor = Shape::half_space(DVec3::NEG_Z, 1.0);
    let building = Shape::intersection([house(), floor]).translated(DVec3::new(0.4 * length, shoulder + 30.0, 0.0));
    Shape::union([painted, building])
}
