//! A crater with ice in it, and rays that end on one or the other.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::DVec3;
use touchdown::query::Ray;
use touchdown::scene::{Material, MaterialId, Scene, Shape, SurfaceDrag};

/// Heights of rays [m]: such as a wheel sends, from inside the ball, and from above it.
pub const HEIGHTS: [f64; 3] = [0.5, 8.0, 10.0];

/// A place on the ground, and what is met there from above.
pub struct Patch {
    place: DVec3,
    leaf: u32,
    material: MaterialId,
}

const SOIL: MaterialId = MaterialId(0);
const ICE: MaterialId = MaterialId(1);

/// The ice reaches 3 m from the crater's middle.
pub const PATCHES: [Patch; 4] = [
    Patch { place: DVec3::new(0.5, 0.2, 0.0), leaf: 2, material: ICE },
    Patch { place: DVec3::new(-2.0, 2.0, 0.0), leaf: 2, material: ICE },
    Patch { place: DVec3::new(-2.0, 2.5, 0.0), leaf: 0, material: SOIL },
    Patch { place: DVec3::new(0.0, 30.0, 0.0), leaf: 0, material: SOIL },
];

impl Patch {
    /// Down to it, from as high [m] to as deep and slightly to the side; the ball ends at a height of 9 m.
    pub fn ray(&self, height: f64) -> Ray {
        let half = DVec3::new(0.25, -0.125, -height);
        Ray::segment(self.place - half, self.place + half)
    }

    /// Lambda, leaf and material of what such a ray meets.
    pub fn entry(&self) -> (f64, Option<u32>, Option<MaterialId>) {
        (0.5, Some(self.leaf), Some(self.material))
    }
}

/// Soil with a crater, and ice in it that ends with the ground: two half spaces with one border. Pebbles lie aside.
pub fn scene(pebbles: u32) -> Scene {
    let material = |name: &str, friction| Material {
        name: name.to_owned(),
        static_friction: friction,
        dynamic_friction: friction,
        max_force: f64::INFINITY,
        dynamic_friction_by_speed: Vec::new(),
        drag: SurfaceDrag::default(),
    };
    let ground = || Shape::half_space(DVec3::Z, 0.0);
    let ball = || Shape::sphere(4.0 * DVec3::Z, 5.0);
    let soil = Shape::Difference([ground(), ball()].map(Into::into).into()).made_of(SOIL);
    let ice = Shape::intersection([ground(), ball()]).made_of(ICE);
    let pebble = |number: u32| Shape::sphere(DVec3::new(f64::from(number) - 20.0, -20.0, 0.0), 0.1);
    let shape = Shape::union([soil, ice].into_iter().chain((0..pebbles).map(pebble)));
    Scene::new(&shape, vec![material("soil", 0.6), material("ice", 0.1)], None, None).unwrap()
}
