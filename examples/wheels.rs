//! A wheel rolls from asphalt onto ice with its brake on: how hard it is held back, step by step.
//!
//!     cargo run --release --example wheels
//!
//! # Conventions
//! Metres; the wheel rolls along x, and its frame's Z points down.

#![allow(clippy::print_stdout, reason = "its output is the forces")]

use std::error::Error;
use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use touchdown::document::Document;
use touchdown::job::Compute;
use touchdown::query::{WheelFrame, WheelStep, Wheels};
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::vehicle::wheel_from_document;

const SCENE: &str = r#"
default_material = "asphalt"

[scene]
paint = "ice"                                             # from x = 5 m on
where = { half_space = { normal = [-1, 0, 0], offset = -5 } }
of = { half_space = { normal = [0, 0, 1], offset = 0 } }

[materials.asphalt]
static_friction = 0.8
dynamic_friction = 0.7

[materials.ice]
static_friction = 0.1
dynamic_friction = 0.05
"#;

/// Springs and dampers of a light airplane's main wheel (assumed); their coefficients are negative.
const WHEEL: &str = "
k_xy = -2e5
k_z = -6e4
d_xy = -2e3
d_z = -3e3
z_min = 0.05
z_zero = 0.5
z_max = 0.5
";

/// Height of the frame above the ground \[m\], way per step \[m\], and its speed \[m/s\].
const HEIGHT: f64 = 0.45;
const WAY: f64 = 0.1;
const SPEED: f64 = 20.0;

/// The steps of a wheel whose brake is strong enough to lock it.
pub fn roll() -> Result<Vec<WheelStep>, Box<dyn Error>> {
    let scene = Scene::from_document(&Document::parse("scene.toml", SCENE)?)?;
    let wheel = wheel_from_document(&Document::parse("wheel.toml", WHEEL)?)?;
    let frame = |number: u32| WheelFrame {
        origin: DVec3::new(WAY * f64::from(number), 0.0, HEIGHT),
        // Z down.
        orientation: DQuat::from_rotation_x(PI),
        velocity: DVec3::new(SPEED, 0.0, 0.0),
        brake: 1e5,
        brake_friction: 1.0,
    };
    // It starts in the air.
    let start = WheelFrame { origin: DVec3::new(0.0, 0.0, 2.0 * HEIGHT), ..frame(0) };
    let run: Vec<_> = std::iter::once(start).chain((1..100).map(frame)).collect();
    Ok(Reference::new(1)?.compute::<Wheels>((&scene, &wheel), &[run])?.remove(0))
}

#[allow(dead_code, reason = "tests ask for the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    for (number, step) in roll()?.iter().enumerate().skip(1).step_by(9) {
        let share = -step.force.x / step.force.z;
        println!("x {:4.1} m: {:6.0} N down, {:5.2} of it against the way", WAY * number as f64, step.force.z, share);
    }
    Ok(())
}
