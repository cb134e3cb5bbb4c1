//! Kernels that are broken on purpose, and what kernels do not hold.

use glam::DVec3;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::*;
use crate::gpu::GpuOptions;
use crate::gpu::faults::see_all;
use crate::job::Compute;
use crate::reference::Reference;
use crate::validation::world_steps::{BallWorldSteps, Class, world_of};
use crate::validation::{Agreement, validate_drawn};
use crate::world::{Body, Wall};

fn open() -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap()
}

fn source_of(class: Class) -> String {
    source(&BallUnit::new(world_of(class), false).unwrap())
}

#[test]
fn the_kernel_is_valid_without_a_driver() {
    let world = world_of(Class::Stack);
    for world in [world, world_of(Class::Heap), &World { walls: Vec::new(), ..world.clone() }] {
        let source = source(&BallUnit::new(world, true).unwrap());
        let module =
            naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        assert!(checked.is_ok(), "{}", checked.unwrap_err().emit_to_string(&source));
    }
}

#[test]
fn broken_kernels_of_worlds_are_called_wrong() {
    let (gpu, judge) = (open(), Reference::new(0).unwrap());
    let wrong = |class| match validate_drawn::<BallWorldSteps>(&judge, &gpu, (class, 1), 100, &mut |_| {}) {
        Ok(report) => report.tally.count(Agreement::Wrong),
        // A contact of bodies that there are not is no answer.
        Err(error) if error.to_string().contains("got no answer") => 100,
        Err(error) => panic!("{error}"),
    };
    let faults = [
        ("0.5 * (velocity + after)", "after", Class::Falling),
        ("if gap + way < SLACK * radius", "if gap < SLACK * radius", Class::Falling),
        ("squared >= (ways + outer * outer) * 2.0", "squared >= outer * outer", Class::Fast),
        ("(sqrt(discriminant) - closing)", "(-closing)", Class::Fast),
        ("let when = select(select(nearest, root, meets), 0.0, is_close)", "let when = 0.0", Class::Fast),
        ("vec3<f32>(0.0, 0.0, 1.0)", "vec3<f32>(1.0, 0.0, 0.0)", Class::Degenerate),
        ("select(0u, NEAR, is_close)", "0u", Class::Grazing),
        ("let half = 0.5 *", "let half = 0.51 *", Class::Stack),
        ("+ memory.xyz * share", "", Class::Anywhere),
        ("rows - 1u - place", "place", Class::Stack),
        ("own.x > 0.0 || gap + way <= 0.0", "gap + way <= 0.0", Class::Stack),
        ("- (end - start) * 2.0 * gap", "- (end - start) * gap", Class::Falling),
        ("let turn = cross(normal, rub)", "let turn = cross(rub, normal)", Class::Slipping),
        ("velocity * (law.z * TANGENTIAL)", "velocity * law.z", Class::Slipping),
        ("square > limit * limit", "square > 1.002 * limit * limit", Class::Slipping),
        ("(speed + law.x) * law.z", "speed * law.z", Class::Falling),
        ("dot(change, change) * (masses * masses)", "dot(change, change)", Class::Stack),
        ("let left = moved - (now - base.xyz)", "let left = moved", Class::Falling),
        ("any(above < vec3<f32>(0.0))", "false", Class::Heap),
        ("if !is_present(body)", "if false", Class::Anywhere),
    ];
    see_all(&gpu, |class| [source_of(class)], &faults, wrong);
}

/// A heavy ball among many light ones touches more than a kernel for heaps holds; what it comes to is the same.
#[test]
fn worlds_with_more_pairs_than_a_heap_has_go_on_in_a_kernel_that_holds_all() {
    let crowd = (0..30).map(|number| {
        let place = DVec3::new(0.0, 0.0, 1.0 + 0.011 * f64::from(number));
        Body::sphere(format!("ball.{number}"), 0.5, 1.0, place)
    });
    let world = World {
        bodies: crowd.collect(),
        walls: vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)],
        sweeps: Some(1),
        ..World::default()
    };
    let step = WorldStep::of(&WorldStart::of(&world));
    let (few, all) = (BallUnit::new(&world, false).unwrap(), BallUnit::new(&world, true).unwrap());
    assert!(few.state_rows() < all.state_rows());
    let judge = Reference::new(1).unwrap();
    let truth = judge.compute::<WorldSteps>(&world, std::slice::from_ref(&step)).unwrap().remove(0);
    let answer = open().compute::<WorldSteps>(&world, &[step]).unwrap().remove(0);
    println!("{} contacts", truth.contacts.len());
    assert!(truth.contacts.len() > 226);
    let pairs =
        |stepped: &WorldStepped| -> Vec<_> { stepped.contacts.iter().map(|of| (of.partner, of.body)).collect() };
    assert_eq!(pairs(&answer), pairs(&truth));
}
