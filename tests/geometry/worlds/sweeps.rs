//! Balls in a fixed number of sweeps: the lanes against the reference, closed forms, and what more sweeps come to.

use glam::DVec3;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::Worlds;
use touchdown::reference::Reference;
use touchdown::world::{
    Body, BodyShape, Bounds, Contacts, Law, Resolution, Stepper, Wall, World, WorldClass, WorldStart,
};

use super::{assert_near, cradle, least_gap, tube};
use crate::support::random::{Random, test_seed};

const GRAVITY: f64 = 9.80665;

fn with_sweeps(world: World, sweeps: u32) -> World {
    World { sweeps: Some(sweeps), ..world }
}

/// Balls of several sizes and surfaces in a tube that one of them may leave.
fn pile(random: &mut Random, balls: usize) -> World {
    let own = |random: &mut Random, most: f64| random.chance(0.3).then(|| random.between(0.0, most));
    let ball = |number: usize| {
        let [column, row] = [number % 4, number / 4];
        let place = DVec3::new((column % 2) as f64 - 0.5, (column / 2) as f64 - 0.5, row as f64 + 0.6);
        let radius = random.between(0.2, 0.4);
        let ball = Body::sphere(number.to_string(), radius, random.between(0.5, 2.0), place + random.in_cube(0.09));
        let mut ball = ball.moving(random.in_cube(3.0));
        ball.motion.spin = random.in_cube(5.0);
        (ball.restitution, ball.friction) = (own(random, 1.0), own(random, 1.0));
        ball
    };
    let bodies = (0..balls).map(ball).collect();
    let mut walls = tube(1.0);
    walls[1].friction = Some(0.0);
    walls[4] = Wall::new("ground", DVec3::new(0.1, -0.05, 1.0), DVec3::ZERO);
    // A ball rolls down to a wall, slower than what counts as rest; five never rest; of sixteen some leave the bounds.
    let (damping, rest_speed) = if balls == 1 { (2.0, 0.5) } else { (0.1, 0.0) };
    let bounds = (balls == 16).then_some(Bounds { min: DVec3::splat(-3.0), max: DVec3::splat(3.7) });
    World {
        step: random.between(0.005, 0.02),
        steps: if balls == 1 { 1000 } else { 150 },
        sweeps: Some(1 + random.index(12) as u32),
        restitution: random.between(0.0, 1.0),
        friction: random.between(0.0, 1.0),
        damping,
        rest_speed,
        bounds,
        bodies,
        walls,
        ..World::default()
    }
}

#[test]
fn eight_worlds_at_a_time_have_the_bits_of_one_alone() {
    let mut random = Random::new(test_seed(), 321);
    let mut classes = [0; 4];
    let mut touches = 0;
    for balls in [1, 5, 16] {
        let world = pile(&mut random, balls);
        let mut start = |number: usize| {
            let mut start = WorldStart::of(&world);
            start.restitution = random.between(0.0, 1.0);
            start.friction = random.between(0.0, 1.0);
            for (mass, motion) in start.masses.iter_mut().zip(&mut start.motions) {
                *mass *= random.between(0.5, 2.0);
                motion.velocity *= random.between(0.0, 2.0);
            }
            // One that cannot start, and one that never touches anything new.
            if number == 3 {
                start.motions[0].position.z = -1.0;
            }
            start
        };
        let starts: Vec<WorldStart> = (0..21).map(&mut start).collect();
        let expected = Reference::new(1).unwrap().compute::<Worlds>(&world, &starts).unwrap();
        let found = Native::new(2).unwrap().compute::<Worlds>(&world, &starts).unwrap();
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{balls} balls, world {number}");
            let numbers = [found.energy_lost, found.penetration, found.spread.unwrap_or(0.0)].map(f64::to_bits);
            let others = [expected.energy_lost, expected.penetration, expected.spread.unwrap_or(0.0)];
            assert_eq!(numbers, others.map(f64::to_bits));
            classes[found.class as usize] += 1;
            touches += usize::from(found.first_touch.is_some());
        }
    }
    println!("invalid, escaped, moving, settled: {classes:?}; {touches} touches");
    assert!(classes[WorldClass::Invalid as usize] == 3 && classes.iter().all(|count| *count > 0) && touches > 30);
}

#[test]
fn a_ball_that_gives_back_all_keeps_its_energy_with_sweeps() {
    let bodies = vec![Body::sphere("ball", 0.1, 2.0, DVec3::new(0.0, 0.0, 1.1))];
    let walls = vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)];
    let world = with_sweeps(World { restitution: 1.0, bodies, walls, ..World::default() }, 1);
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
fn a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_speed() {
    let (speed, friction, step) = (2.0, 0.3, 1e-3);
    let ball = Body::sphere("ball", 0.1, 3.0, DVec3::new(0.0, 0.0, 0.1)).moving(speed * DVec3::X);
    let walls = vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)];
    let world = with_sweeps(World { step, friction, bodies: vec![ball], walls, ..World::default() }, 2);
    let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
    let slides = 2.0 * speed / (7.0 * friction * GRAVITY);
    let mut rolls = None;
    for number in 0..1000 {
        stepper.step();
        let motion = stepper.motions()[0];
        let rim = motion.velocity.x - 0.1 * motion.spin.y;
        if rolls.is_none() && rim.abs() < 1e-9 {
            rolls = Some(f64::from(number) * step);
        }
        if f64::from(number) * step < slides - 2.0 * step {
            let expected = speed - friction * GRAVITY * f64::from(number + 1) * step;
            assert!((motion.velocity.x - expected).abs() < 1e-9, "{} m/s, not {expected}", motion.velocity.x);
        }
    }
    let motion = stepper.motions()[0];
    println!("rolls after {rolls:?} s, not {slides}; {} m/s", motion.velocity.x);
    assert!((rolls.unwrap() - slides).abs() <= 2.0 * step);
    assert!((motion.velocity.x - 5.0 / 7.0 * speed).abs() < 1e-9 && motion.position.z == 0.1);
}

#[test]
fn many_sweeps_give_the_simultaneous_cradle() {
    for balls in [2, 3, 5] {
        let world = with_sweeps(cradle(balls, 1.0, Resolution::Simultaneous), 1000);
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        stepper.step();
        let found: Vec<f64> = stepper.motions().iter().map(|motion| motion.velocity.x).collect();
        let count = balls as f64;
        let mut expected = vec![2.0 / count; balls];
        expected[0] = (2.0 - count) / count;
        assert_near(&found, &expected);
        assert!(stepper.is_solved());
    }
}

#[test]
fn more_sweeps_leave_less_penetration_and_fewer_rough_steps() {
    let mut random = Random::new(test_seed(), 322);
    let world = World { bounds: None, step: 0.01, steps: 300, ..pile(&mut random, 16) };
    let mut before = None;
    for sweeps in [2, 8, 64] {
        let world = with_sweeps(world.clone(), sweeps);
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let (mut depths, mut rough) = (0.0, 0);
        for _ in 0..world.steps {
            stepper.step();
            depths += (-least_gap(&world, stepper.motions())).max(0.0) / f64::from(world.steps);
            rough += usize::from(!stepper.is_solved());
        }
        println!("{sweeps} sweeps: {depths:e} m deep in the mean, {rough} rough steps");
        assert!(before.is_none_or(|(deep, many)| depths < deep && rough <= many));
        before = Some((depths, rough));
    }
    // A hundredth of the least radius: what is left are contacts that impulses of a step bring about.
    assert!(before.unwrap().0 < 2e-3);
}

#[test]
fn sweeps_are_refused_where_they_are_not_made_for() {
    let ball = || Body::sphere("ball", 0.5, 1.0, DVec3::ZERO);
    let own = || with_sweeps(World { bodies: vec![ball()], ..World::default() }, 4);
    assert_eq!(own().check(), Ok(()));
    let boxed = Body { shape: BodyShape::Box { half: DVec3::ONE }, ..ball() };
    for (world, why) in [
        (World { law: Law::Penalty { stiffness: 1.0 }, ..own() }, "not with law = \"penalty\""),
        (World { contacts: Contacts::EndOfStep, ..own() }, "not with contacts = \"end_of_step\""),
        (World { resolution: Resolution::Sequential, ..own() }, "not with resolution = \"sequential\""),
        (World { bodies: vec![boxed], ..own() }, "not with ball (box)"),
        (with_sweeps(own(), 0), "sweeps 0 is not allowed: must be from 1 to 1000"),
    ] {
        let error = world.check().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
