//! Worlds of rigid bodies: golden scenes and cradles, what impulses must keep, and ways through which nothing may pass.

mod bodies;
mod ground;
mod outcomes;
mod rocking;
mod springs;
mod sweeps;
mod told;

use glam::DVec3;
use serde_json::Value;
use touchdown::world::{Body, Contacts, Motion, Partner, Resolution, Stepper, Wall, World, WorldStart};

use crate::support::random::{Random, test_seed};
use crate::support::{list, number, read_json, text, vector};

const BOTH: [Resolution; 2] = [Resolution::Simultaneous, Resolution::Sequential];

/// Balls without forces.
fn balls(bodies: Vec<Body>, restitution: f64, step: f64) -> World {
    World { gravity: DVec3::ZERO, step, restitution, bodies, ..World::default() }
}

fn cases(category: &str) -> Vec<Value> {
    let cases = read_json("contacts/lcp.json");
    let cases: Vec<Value> = list(&cases["cases"]).iter().filter(|case| case["category"] == category).cloned().collect();
    assert!(cases.len() >= 4, "{category}");
    cases
}

fn golden_world(scene: &Value) -> World {
    let sphere = |(number_of, sphere): (usize, &Value)| {
        let body =
            Body::sphere(format!("{number_of}"), number(&sphere["r"]), number(&sphere["m"]), vector(&sphere["x"]));
        body.moving(vector(&sphere["v"]))
    };
    let plane = |plane: &Value| {
        let normal = vector(plane);
        let through = -number(&plane[3]) / normal.length_squared() * normal;
        Wall::new("plane", normal, through)
    };
    World {
        gravity: vector(&scene["g"]),
        step: number(&scene["h"]),
        contacts: Contacts::EndOfStep,
        restitution: number(&scene["e"]),
        bodies: list(&scene["spheres"]).iter().enumerate().map(sphere).collect(),
        walls: list(&scene["planes"]).iter().map(plane).collect(),
        ..World::default()
    }
}

#[test]
fn golden_scenes_have_their_contacts_velocities_and_energies() {
    let mut worst = 0.0_f64;
    for case in cases("scene") {
        let (id, expected) = (text(&case["id"]), &case["expected"]);
        let world = golden_world(&case["input"]["scene"]);
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let before = stepper.energies()[0];
        stepper.step();
        let flags = list(&expected["contacts"]);
        assert_eq!(stepper.contacts().len(), flags.len(), "{id}");
        for (contact, flag) in stepper.contacts().iter().zip(flags) {
            let [i, j] = ["i", "j"].map(|key| flag[key].as_u64().unwrap() as usize);
            let pair = if flag["kind"] == "sp" { (Partner::Wall(j), i) } else { (Partner::Body(i), j) };
            assert_eq!((contact.partner, contact.body), pair, "{id}");
            assert!((contact.gap - number(&flag["gap"])).abs() < 1e-14, "{id}: {contact:?}");
            assert!((contact.normal - vector(&flag["normal"])).length() < 1e-14, "{id}: {contact:?}");
        }
        for (motion, velocity) in stepper.motions().iter().zip(list(&expected["velocities"])) {
            worst = worst.max((motion.velocity - vector(velocity)).length());
        }
        for (found, key) in [(before, "kinetic_before"), (stepper.energies()[0], "kinetic_after")] {
            let expected = number(&expected[key]);
            assert!((found / expected - 1.0).abs() < 1e-12, "{id}: {key} {found}, not {expected}");
        }
        assert!(stepper.is_solved());
    }
    println!("velocities within {worst:e} m/s");
    assert!(worst < 1e-12, "{worst}");
}

#[test]
fn a_search_until_none_is_new_finds_what_one_pass_misses() {
    let mut gained = Vec::new();
    for case in cases("scene") {
        let scene = golden_world(&case["input"]["scene"]);
        let counts = [Contacts::EndOfStep, Contacts::Swept].map(|contacts| {
            let world = World { contacts, ..scene.clone() };
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            stepper.step();
            stepper.contacts().len()
        });
        if counts[1] > counts[0] {
            gained.push(text(&case["id"]).to_owned());
        }
    }
    println!("more contacts in {gained:?}");
    assert!(!gained.is_empty());
}

/// A row of balls that touch, the first of which moves at 1 m/s.
fn cradle(balls_in_it: usize, restitution: f64, resolution: Resolution) -> World {
    let ball = |number: usize| Body::sphere(format!("{number}"), 0.5, 1.0, number as f64 * DVec3::X);
    let mut bodies: Vec<Body> = (0..balls_in_it).map(ball).collect();
    bodies[0].motion.velocity = DVec3::X;
    World { resolution, ..balls(bodies, restitution, 0.1) }
}

fn after_a_step(world: &World) -> Vec<f64> {
    let mut stepper = Stepper::new(world, &WorldStart::of(world)).unwrap();
    stepper.step();
    stepper.motions().iter().map(|motion| motion.velocity.x).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let is_near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-9);
    assert!(is_near, "{found:?}, not {expected:?}");
}

#[test]
fn golden_cradles_swing_by_both_laws() {
    for case in cases("cradle_simultaneous") {
        let count = case["input"]["N"].as_u64().unwrap() as usize;
        let restitution = number(&case["input"]["e"]);
        for (resolution, key) in BOTH.into_iter().zip(["velocities", "velocities_sequential"]) {
            let expected: Vec<f64> = list(&case["expected"][key]).iter().map(number).collect();
            assert_near(&after_a_step(&cradle(count, restitution, resolution)), &expected);
        }
    }
}

#[test]
fn cradles_of_2_to_10_balls_follow_both_laws() {
    for count in 2..=10 {
        for restitution in [1.0, 0.6, 0.0] {
            // All others part from the first at e times its speed, and not from each other.
            let others = (1.0 + restitution) / count as f64;
            let mut expected = vec![others; count];
            expected[0] = others - restitution;
            assert_near(&after_a_step(&cradle(count, restitution, Resolution::Simultaneous)), &expected);
        }
        let mut expected = vec![0.0; count];
        expected[count - 1] = 1.0;
        assert_near(&after_a_step(&cradle(count, 1.0, Resolution::Sequential)), &expected);
        // Without restitution the row goes on as one.
        let expected = vec![1.0 / count as f64; count];
        assert_near(&after_a_step(&cradle(count, 0.0, Resolution::Sequential)), &expected);
    }
}

/// Balls of different sizes and masses, close together, that move at random.
fn cluster(random: &mut Random) -> Vec<Body> {
    let count = 2 + random.index(7);
    let mut bodies: Vec<Body> = Vec::new();
    while bodies.len() < count {
        let (radius, position) = (random.between(0.3, 0.7), random.in_cube(1.1));
        let is_free = bodies.iter().all(|body| body.motion.position.distance(position) >= radius + body.shape.reach());
        if is_free {
            let mass = 10.0_f64.powf(random.between(-1.0, 1.0));
            let velocity = random.in_cube(2.0) - 4.0 * position;
            bodies.push(Body::sphere(bodies.len().to_string(), radius, mass, position).moving(velocity));
        }
    }
    bodies
}

/// The least distance between balls, and from walls.
fn least_gap(world: &World, motions: &[Motion]) -> f64 {
    let mut least = f64::INFINITY;
    for (second, motion) in motions.iter().enumerate() {
        let radius = world.bodies[second].shape.reach();
        let walls = world.walls.iter().map(|wall| wall.normal.dot(motion.position) - wall.offset - radius);
        let others = motions[..second].iter().zip(&world.bodies);
        let others = others.map(|(other, body)| motion.position.distance(other.position) - radius - body.shape.reach());
        least = walls.chain(others).fold(least, f64::min);
    }
    least
}

#[test]
fn clusters_keep_momentum_gain_no_energy_and_never_overlap() {
    const CLUSTERS: usize = 100_000;
    let mut random = Random::new(test_seed(), 301);
    let (mut contacts, mut drift, mut gain, mut depth) = (0, 0.0_f64, f64::NEG_INFINITY, 0.0_f64);
    for item in 0..CLUSTERS {
        let restitution = [1.0, 0.0, random.between(0.0, 1.0)][item % 3];
        let world = World { resolution: BOTH[item % 2], ..balls(cluster(&mut random), restitution, 0.2) };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let momentum = |motions: &[Motion]| -> DVec3 {
            motions.iter().zip(&world.bodies).map(|(motion, body)| body.mass * motion.velocity).sum()
        };
        let size: f64 = world.bodies.iter().map(|body| body.mass * body.motion.velocity.length()).sum();
        let (before, energy) = (momentum(stepper.motions()), stepper.energies()[0]);
        for _ in 0..2 {
            stepper.step();
            contacts += stepper.contacts().len();
            assert!(stepper.is_solved(), "{item}");
            gain = gain.max(stepper.energies()[0] / energy - 1.0);
            drift = drift.max((momentum(stepper.motions()) - before).length() / size);
            depth = depth.max(-least_gap(&world, stepper.motions()));
        }
    }
    println!("{contacts} contacts; momentum off by {drift:e}, energy up by {gain:e} at most, {depth:e} m deep");
    assert!(contacts > 3 * CLUSTERS);
    // A few roundings for each impulse, of which the last 1000 collisions of a sequence are the most.
    assert!(drift < 1e-13 && gain < 1e-12 && depth < 1e-9);
}

#[test]
fn nothing_passes_through_at_a_thousand_radii_a_step() {
    let mut random = Random::new(test_seed(), 302);
    let (mut hits, mut passes) = (0, 0);
    for _ in 0..20_000 {
        let (radius, target) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let direction = random.direction();
        let way = 1000.0 * radius * direction;
        // Past the target by so much, and met or not by a part of the way.
        let aside = direction.any_orthonormal_vector() * random.between(0.0, 2.0 * (radius + target));
        let center = aside + random.between(0.2, 0.8) * way;
        let bodies = vec![
            Body::sphere("bullet", radius, 1.0, DVec3::ZERO).moving(way / 0.01),
            Body::sphere("target", target, 1e6, center),
        ];
        let world = balls(bodies, random.between(0.0, 1.0), 0.01);
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        stepper.step();
        let is_met = aside.length() < radius + target;
        assert_eq!(stepper.contacts().len(), usize::from(is_met), "{aside} {radius} {target}");
        if is_met {
            let [bullet, target] = [stepper.motions()[0], stepper.motions()[1]];
            let normal = stepper.contacts()[0].normal;
            assert!(
                normal.dot(target.position - bullet.position) > 0.0 && least_gap(&world, stepper.motions()) > -1e-9
            );
            assert!(normal.dot(target.velocity - bullet.velocity) > -1e-9 * way.length() / 0.01);
            hits += 1;
        } else {
            passes += 1;
        }
    }
    println!("{hits} hits, {passes} passes");
    assert!(hits > 5000 && passes > 5000);
}

#[test]
fn a_chain_over_many_gaps_is_found_in_one_step() {
    for resolution in BOTH {
        // Each ball but the first has a gap of its own before it; all of it is passed in a part of a step.
        let ball = |number: usize| Body::sphere(format!("{number}"), 0.5, 1.0, number as f64 * 1.01 * DVec3::X);
        let mut bodies: Vec<Body> = (0..20).map(ball).collect();
        bodies[0].motion.velocity = 500.0 / 0.01 * DVec3::X;
        let world = World { resolution, ..balls(bodies, 1.0, 0.01) };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        stepper.step();
        let places: Vec<f64> = stepper.motions().iter().map(|motion| motion.position.x).collect();
        assert_eq!(stepper.contacts().len(), 19, "{resolution:?}");
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 1.0 - 1e-9), "{places:?}");
        let last = stepper.motions()[19].velocity.x / (500.0 / 0.01);
        let expected = if resolution == Resolution::Sequential { 1.0 } else { 0.1 };
        assert!((last - expected).abs() < 1e-9, "{resolution:?}: {last}");
    }
}

/// A square tube around the z axis, closed below, 2 m wide.
fn tube(half_width: f64) -> Vec<Wall> {
    let side = |normal: DVec3| Wall::new(format!("{normal}"), normal, -half_width * normal);
    let mut walls: Vec<Wall> = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y].map(side).into();
    walls.push(Wall::new("ground", DVec3::Z, DVec3::ZERO));
    walls
}

/// Balls that fall into a tube in a heap.
fn heap(random: &mut Random, contacts: Contacts, resolution: Resolution) -> World {
    let ball = |number: usize| {
        let [column, row] = [number % 4, number / 4];
        let place = DVec3::new((column % 2) as f64 - 0.5, (column / 2) as f64 - 0.5, row as f64 + 0.8);
        let radius = random.between(0.2, 0.4);
        Body::sphere(number.to_string(), radius, radius.powi(3), place + random.in_cube(0.09))
            .moving(random.in_cube(3.0))
    };
    let bodies = (0..16).map(ball).collect();
    World { step: 0.02, contacts, resolution, restitution: 0.4, bodies, walls: tube(1.0), ..World::default() }
}

#[test]
fn penetration_keeps_its_bounds() {
    let mut random = Random::new(test_seed(), 303);
    for contacts in [Contacts::EndOfStep, Contacts::Swept] {
        for resolution in BOTH {
            let (mut depth, mut fastest, mut unsolved) = (0.0_f64, 0.0_f64, 0);
            let world = heap(&mut random, contacts, resolution);
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            for _ in 0..200 {
                stepper.step();
                depth = depth.max(-least_gap(&world, stepper.motions()));
                let speeds = stepper.motions().iter().map(|motion| motion.velocity.length());
                fastest = speeds.fold(fastest, f64::max);
                unsolved += usize::from(!stepper.is_solved());
            }
            let bound = if contacts == Contacts::Swept { 1e-9 } else { 4.0 * 0.02 * fastest };
            println!("{contacts:?}, {resolution:?}: {depth:e} m deep, {bound:e} m allowed; {unsolved} steps unsolved");
            assert!(depth <= bound);
            // One pass lets bodies overlap, and what overlaps is in many contacts that nearly agree.
            assert!(unsolved == 0 || (contacts == Contacts::EndOfStep && unsolved < 8));
        }
    }
}

#[test]
fn a_stack_in_a_tube_stays_where_it_is() {
    // Straight up, and leaning from wall to wall.
    for half_width in [0.5_f64, 0.6] {
        let lean = half_width - 0.5;
        let rise = (1.0 - (2.0 * lean).powi(2)).sqrt();
        let ball = |number: usize| {
            let side = if usize::is_multiple_of(number, 2) { lean } else { -lean };
            Body::sphere(number.to_string(), 0.5, 1.0, DVec3::new(side, 0.0, 0.5 + rise * number as f64))
        };
        let bodies: Vec<Body> = (0..10).map(ball).collect();
        for resolution in BOTH {
            let walls = tube(half_width);
            let world = World { step: 1.0 / 60.0, resolution, walls, bodies: bodies.clone(), ..World::default() };
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            let mut furthest = 0.0_f64;
            for _ in 0..600 {
                stepper.step();
                let moved = stepper.motions().iter().zip(&bodies);
                let moved = moved.map(|(motion, body)| motion.position.distance(body.motion.position));
                furthest = moved.fold(furthest, f64::max);
                assert!(stepper.is_solved());
            }
            println!("{half_width} m, {resolution:?}: moved by {furthest:e} m in 10 s");
            assert!(furthest < 1e-6 * 0.5);
        }
    }
}

#[test]
fn restitutions_that_contradict_each_other_give_way_to_the_least() {
    // Held between two walls, of which one gives back nearly all and the other nearly nothing.
    let wall = |normal: DVec3, restitution| Wall {
        restitution: Some(restitution),
        ..Wall::new(format!("{normal}"), normal, -normal)
    };
    for friction in [0.0, 0.3] {
        let ball = Body::sphere("ball", 1.0, 1.0, DVec3::ZERO).moving(DVec3::X);
        let walls = vec![wall(DVec3::NEG_X, 1.0), wall(DVec3::X, 0.25)];
        let world = World { walls, friction, ..balls(vec![ball], 1.0, 0.01) };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let mut last = 1.0;
        for _ in 0..20 {
            stepper.step();
            let speed = stepper.motions()[0].velocity.length();
            assert!(stepper.is_solved() && speed <= last + 1e-12, "{speed} after {last}");
            assert!(stepper.motions()[0].position.length() < 1e-9);
            last = speed;
        }
        println!("{last} m/s are left");
    }
}
