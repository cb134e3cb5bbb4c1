//! The vehicle of the landing benchmark: a light airplane, with the round figures of a four-seater.
//!
//! # Conventions
//! As in [`crate::vehicle`].

use std::f64::consts::TAU;

use glam::DVec3;

use crate::query::WheelParameters;
use crate::vehicle::{
    Aerodynamics, Approach, GroundReactions, Inertia, Pilot, StructuralPoint, Thrust, Vehicle, Wheel,
};

const DEGREE: f64 = TAU / 360.0;

/// A light airplane: nose wheel, two main wheels, four structural points.
pub(super) fn light_airplane() -> Vehicle {
    let point = |name: &str, x, y, z| StructuralPoint { name: name.to_owned(), position: DVec3::new(x, y, z) };
    Vehicle {
        name: "light airplane".to_owned(),
        mass: 1043.0,
        inertia: Inertia { xx: 1285.0, yy: 1825.0, zz: 2667.0, xy: 0.0, xz: 0.0, yz: 0.0 },
        wheels: vec![nose_wheel(), main_wheel("left main", -1.09), main_wheel("right main", 1.09)],
        structure: vec![
            point("nose skid", 2.0, 0.0, 0.25),
            point("tail skid", -3.73, 0.0, 0.72),
            point("left tip", -0.06, -5.46, -0.58),
            point("right tip", -0.06, 5.46, -0.58),
        ],
        aerodynamics: Some(aerodynamics()),
        airframe: None,
        thrust: Thrust { idle: 0.0, reverse: 0.0, reverse_cutoff: 0.0, line: 0.0 },
        pilot: Pilot {
            derotation_rate: 3.0 * DEGREE,
            pitch_gain: 1.0,
            pitch_damping: 0.5,
            bank_gain: 1.0,
            roll_damping: 0.3,
            spoiler_delay: 0.0,
            brake_delay: 2.0,
            brake_level: 0.35,
            target_deceleration: 0.0,
            anti_skid: 0.0,
            reverse_delay: 0.0,
            lateral_gain: 0.01,
            heading_gain: 4.0,
            yaw_damping: 2.0,
            full_steering_speed: 5.0,
        },
        approach: Approach { airspeed: 28.3, sink_rate: 0.6, pitch: 6.0 * DEGREE, start_distance: 150.0, height: 0.1 },
        autoland: None,
        flare: None,
        ground_reactions: GroundReactions::Pebble,
    }
}

fn nose_wheel() -> Wheel {
    Wheel {
        name: "nose".to_owned(),
        position: DVec3::new(1.21, 0.0, 0.97),
        parameters: WheelParameters {
            k_xy: -20e3,
            k_z: -26.3e3,
            d_xy: -2500.0,
            d_z: -8760.0,
            z_min: 0.15,
            z_zero: 0.45,
            z_max: 0.45,
            rolling_resistance: 0.02,
            clamp_to_max_force: false,
            ..WheelParameters::PLAIN
        },
        main: false,
        brake: 0.0,
        brake_friction: 0.0,
        steering: 10.0 * DEGREE,
        friction: None,
    }
}

fn main_wheel(name: &str, y: f64) -> Wheel {
    Wheel {
        name: name.to_owned(),
        position: DVec3::new(-0.44, y, 0.87),
        parameters: WheelParameters {
            k_xy: -60e3,
            k_z: -78.8e3,
            d_xy: -5000.0,
            d_z: -23.4e3,
            z_min: 0.33,
            z_zero: 0.45,
            z_max: 0.45,
            rolling_resistance: 0.02,
            clamp_to_max_force: false,
            ..WheelParameters::PLAIN
        },
        main: true,
        brake: 3000.0,
        brake_friction: 0.0,
        steering: 0.0,
        friction: None,
    }
}

fn aerodynamics() -> Aerodynamics {
    Aerodynamics {
        area: 16.2,
        span: 10.9,
        chord: 1.49,
        wing_height: 0.58,
        ground_effect: true,
        angle_limit: 15.0 * DEGREE,
        surface_limit: 23.0 * DEGREE,
        lift_zero: 0.75,
        lift_alpha: 4.6,
        lift_pitch_rate: 3.9,
        lift_elevator: 0.43,
        drag_zero: 0.075,
        drag_induced: 0.0576,
        spoiler_lift: 0.0,
        spoiler_drag: 0.0,
        side_beta: -0.31,
        side_rudder: 0.187,
        roll_beta: -0.089,
        roll_roll_rate: -0.47,
        roll_yaw_rate: 0.096,
        roll_aileron: 0.178,
        roll_rudder: 0.0147,
        pitch_zero: 0.0,
        pitch_alpha: -0.89,
        pitch_pitch_rate: -12.4,
        pitch_elevator: -1.28,
        yaw_beta: 0.065,
        yaw_roll_rate: -0.03,
        yaw_yaw_rate: -0.099,
        yaw_aileron: -0.053,
        yaw_rudder: -0.0657,
    }
}
