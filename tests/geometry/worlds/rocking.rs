//! Bodies that rock and roll on their sides.

use glam::{DQuat, DVec3};
use touchdown::world::{Body, BodyShape, Contacts, Motion, Obstacle, Stepper, Wall, World, WorldStart};

/// An ellipsoid of 1 kg that touches the floor, tilted by an angle.
fn pebble(angle: f64) -> World {
    let semi_axes = DVec3::new(0.2, 0.15, 0.1);
    let height = (semi_axes.x * angle.sin()).hypot(semi_axes.z * angle.cos()) + 1e-12;
    let motion = Motion { orientation: DQuat::from_rotation_y(angle), ..Motion::at(height * DVec3::Z) };
    let shape = BodyShape::Ellipsoid { semi_axes };
    let body = Body { shape, motion, ..Body::sphere("pebble", 1.0, 1.0, DVec3::ZERO) };
    World {
        restitution: 0.0,
        friction: 0.5,
        walls: vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)],
        bodies: vec![body],
        ..World::default()
    }
}

/// The largest gain and loss of energy [J], the deepest penetration [m] and the largest tilt in the last fifth of some seconds
/// [rad].
fn rocked(world: &World, seconds: f64) -> [f64; 4] {
    let mut stepper = Stepper::new(world, &WorldStart::of(world)).unwrap();
    let energy = |stepper: &Stepper<'_>| stepper.energies().iter().sum::<f64>();
    let start = energy(&stepper);
    let steps = (seconds / world.step).round() as u32;
    let mut most = [0.0_f64; 4];
    for step in 1..=steps {
        stepper.step();
        let gained = energy(&stepper) - start;
        let deepest = stepper.gaps().fold(0.0, |deepest: f64, (.., gap)| deepest.max(-gap));
        let tilt = (stepper.motions()[0].orientation * DVec3::Z).angle_between(DVec3::Z);
        let tilt = if 5 * step > 4 * steps { tilt } else { 0.0 };
        for (most, now) in most.iter_mut().zip([gained, -gained, deepest, tilt]) {
            *most = most.max(now);
        }
    }
    println!("gains {:.1e} J, loses {:.1e} J, {:.1e} m deep, tilts by {:.4}", most[0], most[1], most[2], most[3]);
    most
}

/// A pebble that may rock for ever does: what it has at the start is 1.5e-4 J.
#[test]
fn an_ellipsoid_goes_on_rocking_as_it_was_let_go() {
    for step in [0.01, 0.001] {
        let [gained, lost, deepest, tilt] = rocked(&World { step, ..pebble(0.01) }, 20.0);
        assert!(gained < 1.5e-8 && lost < 4e-6, "at {step} s");
        // Half of the square of the step times the acceleration that rolling gives the lowest point, 0.3 m times the square of the spin.
        let spin = 2.0 * std::f64::consts::PI / 0.521 * 0.01;
        assert!(deepest < 1.1 * 0.5 * step * step * 0.3 * spin * spin, "at {step} s");
        assert!((tilt - 0.01).abs() < 2e-4, "at {step} s: {tilt}");
    }
}

/// Far from its rest the steps take energy, in proportion to their length, and never give any.
#[test]
fn rocking_far_gains_nothing() {
    for friction in [0.5, 0.0] {
        let of = |step: f64| rocked(&World { step, friction, ..pebble(0.5) }, 4.0);
        let [[gained, lost, ..], [_, less, ..]] = [of(0.01), of(0.001)];
        let start = 9.80665 * (rocked_height(0.5) - 0.1);
        assert!(gained < 1e-3 * start && less < 0.35 * lost, "friction {friction}");
    }
}

/// A disc that spins fast goes on wobbling as it was let go. It has 3.2 J at the start, of which the wobble is 1.25e-3 J.
#[test]
fn spin_does_not_feed_a_wobble() {
    for step in [0.01, 0.005, 0.002] {
        let mut world = World { step, friction: 0.0, ..pebble(0.0) };
        world.bodies[0].shape = BodyShape::Ellipsoid { semi_axes: DVec3::new(0.2, 0.2, 0.1) };
        world.bodies[0].motion.spin = DVec3::new(0.0, 0.5, 20.0);
        let [gained, lost, _, tilt] = rocked(&world, 20.0);
        assert!(gained < 1e-4 && lost < 5e-4 && (0.02..0.022).contains(&tilt), "at {step} s");
    }
}

fn rocked_height(angle: f64) -> f64 {
    (0.2 * angle.sin()).hypot(0.1 * angle.cos())
}

/// Nothing lifts bodies there; what keeps them up is the law of restitution itself.
#[test]
fn ellipsoids_do_not_sink_with_contacts_at_the_end_of_the_step() {
    for restitution in [0.0, 0.5, 1.0] {
        let world = World { restitution, friction: 0.0, contacts: Contacts::EndOfStep, ..pebble(0.5) };
        let [gained, lost, deepest, _] = rocked(&world, 60.0);
        assert!(gained < 1e-12 && deepest < 1e-3, "restitution {restitution}");
        // Without loss it is the midpoint rule, which keeps the energy.
        assert!(restitution < 1.0 || lost < 1e-12);
    }
}

/// A plank goes on rocking on a ball, and does not sink into it. What it has at the start is 1.9e-3 J.
#[test]
fn a_plank_rocks_on_a_ball() {
    let shape = BodyShape::Box { half: DVec3::new(0.5, 0.1, 0.05) };
    let (tilt, orientation) = (0.02_f64, DQuat::from_rotation_y(0.02));
    // Rolled without sliding from where it lies level on top.
    let place = orientation * DVec3::new(-tilt, 0.0, 1.05 + 1e-12);
    let motion = Motion { orientation, ..Motion::at(place) };
    let ball = Obstacle {
        name: "ball".to_owned(),
        shape: BodyShape::Sphere { radius: 1.0 },
        place: Motion::at(DVec3::ZERO),
        restitution: None,
        friction: None,
    };
    let body = Body { shape, motion, ..Body::sphere("plank", 1.0, 1.0, DVec3::ZERO) };
    let world =
        World { restitution: 0.0, friction: 2.0, bodies: vec![body], obstacles: vec![ball], ..World::default() };
    let [gained, lost, deepest, tilted] = rocked(&world, 20.0);
    assert!(gained < 2e-6 && lost < 2e-4 && deepest < 1e-5);
    assert!((tilted - tilt).abs() < 2e-3, "{tilted}");
}
