//! What worlds come to.

use glam::{DQuat, DVec3};
use touchdown::world::{
    Body, BodyShape, Bounds, Contacts, Motion, Obstacle, Partner, Stepper, Wall, World, WorldClass, WorldStart, run,
};

const GRAVITY: f64 = 9.80665;

/// A ball of 2 kg, its lowest point 1 m above the ground.
fn dropped(restitution: f64) -> World {
    World {
        restitution,
        bodies: vec![Body::sphere("ball", 0.1, 2.0, DVec3::new(0.0, 0.0, 1.1))],
        walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
        ..World::default()
    }
}

#[test]
fn a_ball_that_falls_on_the_ground_stays_there() {
    let world = dropped(0.0);
    let outcome = run(&world, &WorldStart::of(&world), &mut |_| {});
    let (time, speed) = ((2.0 / GRAVITY).sqrt(), (2.0 * GRAVITY).sqrt());
    println!("{outcome:?}");
    assert_eq!((outcome.class, outcome.fell_off, outcome.unsolved), (WorldClass::Settled, 0, 0));
    let rest = outcome.rest_time.unwrap();
    assert!(time <= rest && rest < time + world.step, "{rest}, not {time}");
    assert!((outcome.energy_lost - 2.0 * GRAVITY).abs() < 1e-9);
    assert_eq!(outcome.spread, Some(0.0));
    // What the ball weighs in the rest of the step comes with the blow.
    assert!((outcome.impulses[0] - 2.0 * speed).abs() < 2.0 * GRAVITY * world.step);
    let touch = outcome.first_touch.unwrap();
    assert_eq!((touch.partner, touch.body), (Partner::Wall(0), 0));
    assert!((touch.time - time).abs() < 0.1 * world.step, "{} s, not {time}", touch.time);
}

#[test]
fn a_ball_that_gives_back_all_keeps_its_energy() {
    let world = World { contacts: Contacts::Swept, ..dropped(1.0) };
    let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
    let energy = stepper.energies().iter().sum::<f64>();
    let (mut bounces, mut drift) = (0, 0.0_f64);
    for _ in 0..2000 {
        stepper.step();
        bounces += stepper.contacts().len();
        drift = drift.max((stepper.energies().iter().sum::<f64>() / energy - 1.0).abs());
    }
    println!("{bounces} bounces, energy off by {drift:e}");
    assert!(bounces > 15 && drift < 1e-12);
}

#[test]
fn what_leaves_the_bounds_has_fallen_off() {
    let bounds = Bounds { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
    let away = Body::sphere("away", 0.1, 1.0, DVec3::new(1.0, 0.0, 0.5)).moving(3.0 * DVec3::X);
    let mut world = World { bounds: Some(bounds), ..dropped(0.0) };
    world.bodies.push(away);
    let outcome = run(&world, &WorldStart::of(&world), &mut |_| {});
    assert_eq!((outcome.class, outcome.fell_off), (WorldClass::Escaped, 1));
    // The other one is left, and comes to rest.
    assert!(outcome.rest_time.is_some() && outcome.spread == Some(0.0));
    world.bodies.remove(0);
    let outcome = run(&world, &WorldStart::of(&world), &mut |_| {});
    assert_eq!((outcome.fell_off, outcome.spread, outcome.rest_time), (1, None, None));
    assert!(outcome.steps < 60, "{}", outcome.steps);
}

#[test]
fn what_cannot_start_is_invalid_and_makes_no_steps() {
    let world = dropped(0.0);
    for (position, mass) in [(DVec3::ZERO, 1.0), (DVec3::NAN, 1.0), (DVec3::Z, -1.0), (DVec3::Z, f64::NAN)] {
        let mut start = WorldStart::of(&world);
        (start.motions[0].position, start.masses[0]) = (position, mass);
        let outcome = run(&world, &start, &mut |_| panic!("a step of what cannot start"));
        assert_eq!((outcome.class, outcome.steps), (WorldClass::Invalid, 0));
    }
}

/// A fixed solid.
fn fixed(name: &str, shape: BodyShape, place: Motion) -> Obstacle {
    Obstacle { name: name.to_owned(), shape, place, restitution: None, friction: None }
}

#[test]
fn orientations_of_bodies_of_starts_and_of_obstacles_must_be_rotations() {
    let world = dropped(0.0);
    let stretched = Motion { orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..world.bodies[0].motion };
    let mut start = WorldStart::of(&world);
    start.motions[0] = stretched;
    let mut of_body = world.clone();
    of_body.bodies[0].motion = stretched;
    let mut of_obstacle = world.clone();
    of_obstacle.obstacles.push(fixed("block", BodyShape::Box { half: DVec3::ONE }, stretched));
    for (found, name) in [(start.check(&world), "ball"), (of_body.check(), "ball"), (of_obstacle.check(), "block")] {
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}: length of its orientation 2 is not allowed")), "{error}");
    }
}

#[test]
fn an_ellipsoid_is_refused_beside_what_is_round_and_a_hundred_million_times_smaller() {
    let earth = BodyShape::Ellipsoid { semi_axes: DVec3::new(6_378_137.0, 6_378_137.0, 6_356_752.0) };
    let center = Motion::at(DVec3::new(0.0, 0.0, -6_356_752.0));
    let on_earth = |radius: f64| World {
        bodies: vec![Body::sphere("pebble", radius, 1.0, DVec3::Z)],
        obstacles: vec![fixed("earth", earth.clone(), center)],
        ..World::default()
    };
    let why = "a semi-axis of 5e-2 m beside one of 6.378137e6 m: none may be more than 1e8 times another";
    assert_eq!(on_earth(0.05).check().unwrap_err().to_string(), format!("earth and pebble: {why}"));
    assert_eq!(on_earth(0.1).check(), Ok(()));
    let mut of_bodies = World { obstacles: Vec::new(), ..on_earth(0.05) };
    of_bodies.bodies.push(Body { shape: earth.clone(), ..Body::sphere("earth", 1.0, 1.0, center.position) });
    assert_eq!(of_bodies.check().unwrap_err().to_string(), format!("pebble and earth: {why}"));
    // Balls among themselves, and polyhedra, take any sizes.
    for shape in [BodyShape::Sphere { radius: 6e6 }, BodyShape::Box { half: DVec3::splat(6e6) }] {
        let world = World { obstacles: vec![fixed("earth", shape, center)], ..on_earth(0.05) };
        assert_eq!(world.check(), Ok(()));
    }
}
