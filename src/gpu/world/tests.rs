//! Kernels that are broken on purpose.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::*;
use crate::world::{Body, Wall};
use glam::DVec3;

fn two_balls() -> World {
    World {
        bodies: vec![
            Body::sphere("lower", 0.1, 1.0, DVec3::new(0.0, 0.0, 0.1)),
            Body::sphere("upper", 0.1, 1.0, DVec3::new(0.0, 0.0, 0.3)),
        ],
        walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
        sweeps: Some(4),
        ..World::default()
    }
}

#[test]
fn the_kernel_is_valid_without_a_driver() {
    let world = two_balls();
    for world in [&world, &World { walls: Vec::new(), ..world.clone() }] {
        let source = source(&BallUnit::new(world, true).unwrap());
        let module =
            naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        assert!(checked.is_ok(), "{}", checked.unwrap_err().emit_to_string(&source));
    }
}
