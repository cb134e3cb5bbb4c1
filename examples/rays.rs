//! What does somebody see who stands on the apron of an airport and looks around? Rays in all directions, through the fastest
//! engine on the processor.
//!
//!     cargo run --release --example rays
//!
//! # Conventions
//! Metres; x along the landing direction, y to the left, z up.

#![allow(clippy::print_stdout, reason = "its output is what is seen")]

use std::collections::BTreeMap;
use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{EntryPoints, Ray, RayStatus};
use touchdown::scene::Scene;

/// Where the eye is [m], how far it sees [m], and rays around it and from 30 deg below to 30 deg above the horizon.
const EYE: DVec3 = DVec3::new(900.0, 120.0, 1.7);
const SIGHT: f64 = 5000.0;
const RAYS: [u32; 2] = [720, 120];

/// How many rays end on each material, and how many on none.
pub fn look_around() -> Result<BTreeMap<String, usize>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scene = Scene::read(&root.join("examples/scenes/airport.toml"))?;
    let ray = |number: u32| {
        let around = TAU * f64::from(number % RAYS[0]) / f64::from(RAYS[0]);
        let up = (f64::from(number / RAYS[0]) / f64::from(RAYS[1]) - 0.5) * TAU / 6.0;
        let direction = DVec3::new(around.cos() * up.cos(), around.sin() * up.cos(), up.sin());
        Ray::segment(EYE, EYE + SIGHT * direction)
    };
    let rays: Vec<Ray> = (0..RAYS[0] * RAYS[1]).map(ray).collect();
    let engine = Native::new(0)?;
    let started = Instant::now();
    let entries = engine.compute::<EntryPoints>(&scene, &rays)?;
    println!("{} rays in {:.1} ms", rays.len(), 1e3 * started.elapsed().as_secs_f64());
    let mut seen = BTreeMap::new();
    for entry in entries {
        let name = match (entry.status, entry.material) {
            (RayStatus::Hit, Some(material)) => scene.material(material).name.clone(),
            (RayStatus::Hit, None) => "no material".to_owned(),
            _ => "sky".to_owned(),
        };
        *seen.entry(name).or_default() += 1;
    }
    Ok(seen)
}

#[allow(dead_code, reason = "tests ask for the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    for (name, count) in look_around()? {
        println!("{name:<16} {count}");
    }
    Ok(())
}
