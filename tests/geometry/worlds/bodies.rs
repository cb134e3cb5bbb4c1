//! Friction, rotation, and bodies of all shapes.

use glam::{DQuat, DVec3};
use touchdown::document::Document;
use touchdown::world::{Body, BodyShape, Contacts, Motion, Stepper, Wall, World, WorldStart};

use super::{BOTH, balls, heap, least_gap, tube};
use crate::support::random::{Random, test_seed};

/// Of the heaps with friction.
const HEAPS_SEED: u64 = 20_260_101;

#[test]
fn a_ball_slides_until_it_rolls_and_rolls_down_a_slope() {
    let floor = |normal| vec![Wall::new("floor", normal, DVec3::ZERO)];
    // Thrown along the floor it rolls at 5/7 of its speed, from 2 v / (7 mu g) on.
    let ball = Body::sphere("ball", 0.1, 3.0, 0.1 * DVec3::Z).moving(7.0 * DVec3::X);
    let world =
        World { friction: 0.4, restitution: 0.0, walls: floor(DVec3::Z), bodies: vec![ball], ..World::default() };
    let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
    let until = 2.0 * 7.0 / (7.0 * 0.4 * 9.80665);
    let mut speeds = Vec::new();
    for _ in 0..100 {
        stepper.step();
        speeds.push(stepper.motions()[0].velocity.x);
    }
    let half = 0.5 * until / world.step;
    assert!((speeds[half as usize - 1] - (7.0 - 0.4 * 9.80665 * world.step * half.floor())).abs() < 1e-9);
    assert!((speeds[99] - 5.0).abs() < 1e-9 && (stepper.motions()[0].spin.y - 50.0).abs() < 1e-7);

    let (sin, cos) = 0.5_f64.sin_cos();
    for (friction, share) in [(0.5, 5.0 / 7.0 * sin), (0.1, sin - 0.1 * cos)] {
        let normal = DVec3::new(sin, 0.0, cos);
        let ball = Body::sphere("ball", 0.1, 3.0, 0.1 * normal);
        let world = World { friction, walls: floor(normal), bodies: vec![ball], ..World::default() };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        (0..100).for_each(|_| stepper.step());
        let motion = stepper.motions()[0];
        let (speed, way) = (motion.velocity.length(), (motion.position - 0.1 * normal).length());
        println!("friction {friction}: {speed} m/s and {way} m after 1 s, {} expected", 9.80665 * share);
        assert!((speed / (9.80665 * share) - 1.0).abs() < 1e-9);
        assert!((way / (0.5 * 9.80665 * share) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn heaps_with_friction_come_to_rest_and_stay() {
    // Always these heaps: no bound is known of how far sweeps get in jammed ones, or how far balls roll.
    let mut random = Random::new(HEAPS_SEED, 304);
    for resolution in BOTH {
        let world = World { friction: 0.6, ..heap(&mut random, Contacts::Swept, resolution) };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let (mut unsolved, mut depth) = (0, 0.0_f64);
        for _ in 0..500 {
            stepper.step();
            unsolved += usize::from(!stepper.is_solved());
            depth = depth.max(-least_gap(&world, stepper.motions()));
        }
        let motions = stepper.motions().to_vec();
        (0..100).for_each(|_| stepper.step());
        let moved = stepper.motions().iter().zip(&motions);
        let moved = moved.map(|(now, then)| now.position.distance(then.position)).fold(0.0, f64::max);
        let [kinetic, _] = stepper.energies();
        println!(
            "{resolution:?}: {kinetic:e} J left, {depth:e} m deep, moves by {moved:e} m in 2 s, {unsolved} unsolved"
        );
        // As these heaps do it, with some reserve: rolling is resisted by nothing.
        assert!(kinetic < 1e-3 && moved < 0.2 && depth < 1e-9 && unsolved < 150);
    }
}

fn boxed(name: &str, half: DVec3, mass: f64, motion: Motion) -> Body {
    Body { shape: BodyShape::Box { half }, motion, ..Body::sphere(name, 1.0, mass, DVec3::ZERO) }
}

/// The hull of points that are drawn in a cube.
fn stone(name: &str, half: f64, mass: f64, motion: Motion, random: &mut Random) -> Body {
    let points: Vec<String> = (0..12).map(|_| format!("{:?}", random.in_cube(half).to_array())).collect();
    let text = format!(
        "[[bodies]]\nname = 'x'\nmass = 1\nposition = [0, 0, 0]\nhull = {{ points = [{}] }}",
        points.join(", ")
    );
    let world = World::from_document(&Document::parse("stone.toml", &text).unwrap()).unwrap();
    Body { shape: world.bodies[0].shape.clone(), ..boxed(name, DVec3::ONE, mass, motion) }
}

/// A plane that rises along x by an angle \[rad\], and how things lie on it.
fn slope(angle: f64) -> (Wall, DQuat) {
    let rotation = DQuat::from_rotation_y(-angle);
    (Wall::new("slope", rotation * DVec3::Z, DVec3::ZERO), rotation)
}

#[test]
fn a_box_on_a_slope_stays_below_the_limit_of_friction_and_slides_above() {
    let half = DVec3::new(0.3, 0.2, 0.1);
    for friction in [0.2_f64, 0.5] {
        for share in [0.99, 1.05] {
            let angle = (share * friction).atan();
            let (wall, orientation) = slope(angle);
            let motion = Motion { orientation, ..Motion::at(orientation * DVec3::new(0.0, 0.0, half.z)) };
            let bodies = vec![boxed("box", half, 5.0, motion)];
            let world = World { friction, walls: vec![wall], bodies, step: 0.01, ..World::default() };
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            stepper.step();
            let settled = stepper.motions()[0];
            for _ in 1..500 {
                stepper.step();
                assert!(stepper.is_solved());
            }
            let end = stepper.motions()[0];
            let crept = (end.position - settled.position).length();
            let (way, time) = ((end.position - motion.position).length(), 500.0 * world.step);
            let turned = end.orientation.angle_between(orientation);
            println!(
                "friction {friction}, tan of the slope {share} times that: {way:e} m in {time} s, turned {turned:e}"
            );
            assert!(turned < 1e-5);
            if share < 1.0 {
                assert!(way < 1e-5 && crept < 1e-8);
            } else {
                let expected = 0.5 * 9.80665 * (angle.sin() - friction * angle.cos()) * time * time;
                assert!((way / expected - 1.0).abs() < 0.01, "{way}, not {expected}");
            }
        }
    }
}

#[test]
fn stacks_of_boxes_stand_still_whatever_they_bear() {
    for (count, top) in [(5, 1.0), (14, 1.0), (3, 10.0), (3, 1000.0)] {
        let bodies = (0..count).map(|number| {
            let mass = if number + 1 == count { top } else { 1.0 };
            let place = DVec3::Z * (0.2 + 0.4 * f64::from(number));
            boxed(&format!("box.{number}"), DVec3::splat(0.2), mass, Motion::at(place))
        });
        let walls = vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)];
        let world = World { friction: 0.5, walls, bodies: bodies.collect(), step: 0.01, ..World::default() };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        for _ in 0..500 {
            stepper.step();
            assert!(stepper.is_solved());
        }
        let moved = stepper.motions().iter().zip(&world.bodies);
        let moved = moved.map(|(now, body)| now.position.distance(body.motion.position)).fold(0.0, f64::max);
        println!("{count} boxes, the top one of {top} kg: moved by {moved:e} m in 5 s");
        // Residuals of 1e-8 of the 0.2 m/s that a step of gravity makes of an interface, over 5 s and half of the boxes.
        assert!(moved < 5.0 * 2e-9 * 0.5 * f64::from(count));
    }
}

#[test]
fn boxes_that_turn_on_each_other_do_not_sink_in() {
    let mut random = Random::new(test_seed(), 311);
    let mut deepest = [0.0_f64; 4];
    for _ in 0..24 {
        let body = |name: &str, height: f64, spin: f64, random: &mut Random| {
            let motion = Motion { velocity: random.in_cube(0.02), ..Motion::at(height * DVec3::Z) };
            boxed(name, DVec3::new(0.2, 0.2, 0.05), 1.0, Motion { spin: spin * DVec3::Z, ..motion })
        };
        let bodies = vec![body("lower", 0.05, 0.0, &mut random), body("upper", 0.15, 1.0, &mut random)];
        let searches = [Contacts::Swept, Contacts::EndOfStep].into_iter();
        let laws = searches.flat_map(|search| BOTH.map(|resolution| (search, resolution)));
        for ((contacts, resolution), deepest) in laws.zip(&mut deepest) {
            let (walls, bodies) = (vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)], bodies.clone());
            let world =
                World { contacts, resolution, restitution: 0.0, friction: 0.5, walls, bodies, ..World::default() };
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            for _ in 0..300 {
                stepper.step();
                *deepest = stepper.gaps().fold(*deepest, |deepest, (.., gap)| deepest.max(-gap));
            }
        }
    }
    println!("{deepest:?} m deep");
    assert!(deepest.iter().all(|depth| *depth < 2e-3));
}

#[test]
fn boxes_fall_on_walls_balls_and_each_other_and_lie_there() {
    let mut random = Random::new(test_seed(), 305);
    let half = DVec3::new(0.5, 0.4, 0.3);
    for round in 0..20 {
        let place = |height: f64, random: &mut Random| Motion {
            orientation: random.rotation(),
            spin: random.in_cube(1.0),
            ..Motion::at(height * DVec3::Z + random.in_cube(0.2))
        };
        let mut bodies = vec![boxed("low", half, 2.0, place(1.0, &mut random))];
        bodies.push(boxed("high", half, 3.0, place(3.0, &mut random)));
        bodies.push(Body::sphere("ball", 0.4, 1.0, DVec3::new(0.0, 0.0, 4.8)));
        let world =
            World { friction: 0.7, restitution: 0.3, step: 1.0 / 120.0, walls: tube(1.5), bodies, ..World::default() };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let energy = stepper.energies().iter().sum::<f64>();
        let (mut depth, mut fastest, mut sliding) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..1200 {
            stepper.step();
            depth = stepper.gaps().fold(depth, |depth, (.., gap)| depth.max(-gap));
            let turning = stepper.motions().iter().map(|motion| motion.spin.length());
            fastest = turning.fold(fastest, f64::max);
            let moving = stepper.motions().iter().map(|motion| motion.velocity.length());
            sliding = moving.fold(sliding, f64::max);
        }
        let [kinetic, potential] = stepper.energies();
        // Points that turn go along arcs, and ways are straight: two arcs, and what slides along a face that turns. Twice that, as
        // bodies turn more within the step of an impact than before and after: by up to 1.6 of it in 320 such falls.
        let turned = fastest * world.step;
        let bound = 8.0 * turned * (turned * half.length() + sliding * world.step);
        println!("{round}: {depth:e} m deep, {bound:e} m allowed, {kinetic:e} J left");
        assert!(depth <= bound && kinetic + potential < energy && kinetic < 0.5);
    }
}

#[test]
fn stones_pebbles_and_boxes_fall_on_each_other_and_lie_there() {
    let mut random = Random::new(test_seed(), 307);
    for round in 0..20 {
        let place = |height: f64, random: &mut Random| Motion {
            orientation: random.rotation(),
            spin: random.in_cube(1.0),
            ..Motion::at(height * DVec3::Z + random.in_cube(0.2))
        };
        let pebble = BodyShape::Ellipsoid { semi_axes: DVec3::new(0.5, 0.4, 0.25) };
        let (low, middle, high) = (place(1.0, &mut random), place(2.6, &mut random), place(4.2, &mut random));
        let bodies = vec![
            stone("low", 0.5, 3.0, low, &mut random),
            Body { shape: pebble, ..boxed("pebble", DVec3::ONE, 2.0, middle) },
            stone("middle", 0.5, 2.0, high, &mut random),
            boxed("box", DVec3::new(0.4, 0.3, 0.2), 2.0, place(5.8, &mut random)),
            Body::sphere("ball", 0.3, 1.0, DVec3::new(0.0, 0.0, 7.2)),
        ];
        // Nothing else stops what rolls.
        let usual = World { damping: 1.0, friction: 0.7, restitution: 0.3, ..World::default() };
        let world = World { step: 1.0 / 120.0, walls: tube(1.5), bodies, ..usual };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let energy = stepper.energies().iter().sum::<f64>();
        let (mut depth, mut fastest, mut sliding) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut met = std::collections::BTreeSet::new();
        for _ in 0..1200 {
            stepper.step();
            depth = stepper.gaps().fold(depth, |depth, (.., gap)| depth.max(-gap));
            met.extend(stepper.contacts().iter().map(|contact| format!("{:?} {}", contact.partner, contact.body)));
            let turning = stepper.motions().iter().map(|motion| motion.spin.length());
            fastest = turning.fold(fastest, f64::max);
            let moving = stepper.motions().iter().map(|motion| motion.velocity.length());
            sliding = moving.fold(sliding, f64::max);
        }
        let [kinetic, potential] = stepper.energies();
        // As of boxes: two arcs, and what slides along a face that turns, or turns along a round side.
        let turned = fastest * world.step;
        let bound = 4.0 * turned * (turned * 0.8 + sliding * world.step);
        println!("{round}: {depth:e} m deep, {bound:e} m allowed, {kinetic:e} J left, {} pairs met", met.len());
        assert!(depth <= bound && kinetic + potential < energy && kinetic < 0.5 && met.len() > 5);
    }
}

#[test]
fn bodies_of_all_shapes_stop_bullets() {
    let mut random = Random::new(test_seed(), 306);
    let mut hits = [0; 3];
    for item in 0..6000 {
        let size = DVec3::new(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
        let direction = random.direction();
        let way = 500.0 * direction;
        let aside = direction.any_orthonormal_vector() * random.between(0.0, 1.5);
        let motion = Motion { orientation: random.rotation(), ..Motion::at(aside + random.between(0.2, 0.8) * way) };
        let kind = item % 3;
        let target = match kind {
            0 => boxed("target", size, 1e6, motion),
            1 => Body { shape: BodyShape::Ellipsoid { semi_axes: size }, ..boxed("target", size, 1e6, motion) },
            _ => stone("target", 1.0, 1e6, motion, &mut random),
        };
        let bullet = match item % 2 {
            0 => Body::sphere("bullet", 0.3, 1.0, DVec3::ZERO),
            _ => boxed(
                "bullet",
                DVec3::splat(0.3),
                1.0,
                Motion { orientation: random.rotation(), ..Motion::at(DVec3::ZERO) },
            ),
        };
        let bodies = vec![bullet.moving(way / 0.01), target];
        let world = balls(bodies, 0.5, 0.01);
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        stepper.step();
        let deepest = stepper.gaps().map(|(.., gap)| -gap).fold(f64::NEG_INFINITY, f64::max);
        // A box that is hit aside of its middle turns many times in such a step.
        assert!(deepest < 1e-6 || item % 2 == 1, "{item}: {deepest}");
        if let Some(contact) = stepper.contacts().first().filter(|_| item % 2 == 0) {
            let offset = stepper.motions()[1].position - stepper.motions()[0].position;
            assert!(contact.normal.dot(offset) > 0.3, "{item}");
        }
        hits[kind] += usize::from(!stepper.contacts().is_empty());
        // What passes beside the largest ball inside may pass; of a stone only its centre is sure to be inside.
        let inside = if kind == 2 { 0.0 } else { size.min_element() };
        assert!(!stepper.contacts().is_empty() || aside.length() > 0.3 + inside, "{item}");
    }
    println!("{hits:?} hits");
    assert!(hits.iter().all(|hits| (500..1900).contains(hits)));
}

/// A slender box or ellipsoid that tumbles between walls all around it, in a vacuum: whatever it hits, with whatever point, it has no
/// energy to gain.
#[test]
fn what_tumbles_gains_no_energy_in_a_closed_room() {
    let mut random = Random::new(test_seed(), 309);
    let (mut hits, mut gain) = (0, f64::NEG_INFINITY);
    for number in 0..48 {
        let motion = Motion {
            orientation: DQuat::from_scaled_axis(random.in_cube(2.0)),
            velocity: random.in_cube(4.0),
            spin: random.in_cube(10.0),
            ..Motion::at(DVec3::Z)
        };
        let mut bodies = vec![boxed("box", DVec3::new(0.2, 0.05, 0.025), 1.0, motion)];
        if number % 3 == 2 {
            bodies[0].shape = BodyShape::Ellipsoid { semi_axes: DVec3::new(0.2, 0.1, 0.05) };
        }
        let mut walls = tube(1.0);
        walls.push(Wall::new("ceiling", DVec3::NEG_Z, 2.0 * DVec3::Z));
        let world = World {
            contacts: [Contacts::Swept, Contacts::EndOfStep][number % 2],
            resolution: BOTH[number / 2 % 2],
            restitution: [1.0, 0.8][number / 4 % 2],
            gravity: DVec3::ZERO,
            step: 0.01,
            walls,
            bodies,
            ..World::default()
        };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let mut energy = stepper.energies()[0];
        for _ in 0..1000 {
            stepper.step();
            hits += stepper.contacts().len();
            let now = stepper.energies()[0];
            gain = gain.max(now / energy - 1.0);
            energy = now;
        }
    }
    println!("{hits} contacts; a step adds {gain:e} of the energy at most");
    assert!(hits > 1000 && gain < 1e-12);
}
