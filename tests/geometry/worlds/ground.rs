//! Scenes as ground: their convex parts are fixed solids.

use std::fs;

use glam::DVec3;
use touchdown::scene::{Scene, Shape};
use touchdown::world::{Body, Bounds, Contacts, GroundOptions, Motion, Stepper, Wall, World, WorldStart, run};

use super::balls;
use crate::support::random::{Random, test_seed};

/// A world file with a scene beside it, read.
fn read(scene: &str, world: &str) -> Result<World, String> {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("ground.toml"), scene).unwrap();
    let file = room.path().join("world.toml");
    let table = if world.contains("[ground]") { "" } else { "[ground]" };
    fs::write(&file, format!("{world}\n{table}\nscene = 'ground.toml'\n")).unwrap();
    World::read(&file).map_err(|error| error.to_string())
}

const BALLS: &str = "restitution = 0\nfriction = 0.5\ndamping = 2\nbounds = { min = [-3, -3, -3], max = [3, 3, 3] }\n\
    [[walls]]\nname = 'floor'\nnormal = [0, 0, 1]\nthrough = [0, 0, -1]\n\
    [[bodies]]\nname = 'inner'\nmass = 1\nsphere = { radius = 0.1 }\nposition = [0, 0, 1.5]\n\
    [[bodies]]\nname = 'outer'\nmass = 1\nsphere = { radius = 0.1 }\nposition = [0.6, 0, 1.5]\n";

/// Where bodies are after this many steps.
fn ends(world: &World, steps: usize) -> Vec<Motion> {
    let mut stepper = Stepper::new(world, &WorldStart::of(world)).unwrap();
    (0..steps).for_each(|_| stepper.step());
    stepper.motions().to_vec()
}

#[test]
fn without_friction_nothing_turns_a_ball_whatever_it_meets() {
    let table = "scene = { box = { center = [0, 0, -0.5], half = [3, 3, 0.5] } }";
    let lump = "scene = { ellipsoid = { center = [0, 0, -0.5], axes = [1, 1, 0.5] } }";
    for (scene, spin, step) in [(table, 10.0, 0.01), (table, 100.0, 0.01), (table, 10.0, 0.001), (lump, 100.0, 0.01)] {
        let world = read(
            scene,
            &format!(
                "step = {step}\nduration = 0.2\nrestitution = 0.5\nfriction = 0\nbounds = {{ min = [-5, -5, -5], max = [5, 5, 5] }}\n\
                [[bodies]]\nname = 'ball'\nmass = 1\nsphere = {{ radius = 0.1 }}\nposition = [0, 0, 0.505]\n\
                velocity = [0, 0, -5]\nspin = [0, {spin}, 0]\n"
            ),
        );
        let world = world.unwrap();
        let mut blow = 0.0;
        run(&world, &WorldStart::of(&world), &mut |stepper| {
            let spins = stepper.motions()[0].spin;
            assert!(spins.distance(DVec3::Y * spin) < 1e-9, "{spins} after {} steps", stepper.steps());
            blow = stepper.contacts().iter().map(|contact| contact.impulse.length()).fold(blow, f64::max);
        });
        // It falls by 0.405 m more.
        let approach = f64::sqrt(25.0 + 2.0 * 9.80665 * 0.405);
        println!("{scene}, {spin} rad/s, {step} s: {blow} N s for {}", 1.5 * approach);
        assert!((blow - 1.5 * approach).abs() < 2.0 * 9.80665 * step);
    }
}

#[test]
fn a_spinning_shot_does_not_pass_a_plate() {
    let world = read(
        "scene = { box = { center = [0, 0, -0.01], half = [2, 2, 0.01] } }",
        "gravity = [0, 0, 0]\nduration = 0.1\nrestitution = 0.5\nfriction = 0\nbounds = { min = [-20, -20, -20], max = [20, 20, 20] }\n\
        [[bodies]]\nname = 'shot'\nmass = 0.001\nsphere = { radius = 0.01 }\nposition = [0, 0, 0.5]\n\
        velocity = [0, 0, -100]\nspin = [0, 300, 0]\n",
    );
    let motion = ends(&world.unwrap(), 10)[0];
    println!("{} at {}, {}", motion.velocity, motion.position, motion.spin);
    assert!(motion.velocity.distance(DVec3::Z * 50.0) < 1e-9 && motion.spin.distance(DVec3::Y * 300.0) < 1e-9);
}

#[test]
fn a_brick_on_its_edge_falls_flat_on_ground_by_either_search() {
    for contacts in [Contacts::Swept, Contacts::EndOfStep] {
        let brick = "restitution = 0\nfriction = 0.3\nbounds = { min = [-5, -5, -5], max = [5, 5, 5] }\n\
            [[bodies]]\nname = 'brick'\nmass = 1\nbox = { size = [0.4, 0.2, 0.1] }\nposition = [0, 0, 0.15]\n\
            orientation = [0.9659258262890683, 0, 0.25881904510252074, 0]\n";
        let table = "scene = { box = { center = [0, 0, -0.5], half = [3, 3, 0.5] } }";
        let world = World { contacts, ..read(table, brick).unwrap() };
        let motion = ends(&world, 300)[0];
        let up = motion.orientation * DVec3::Z;
        println!("{contacts:?}: {} m high, upright to {:e}", motion.position.z, 1.0 - up.z);
        assert!((motion.position.z - 0.05).abs() < 1e-3 && up.z > 0.999);
    }
}

#[test]
fn balls_fall_through_the_hole_of_a_table_and_lie_on_it() {
    let table = "scene = { difference = [{ box = { center = [0, 0, 0.5], half = [1, 1, 0.5] } }, \
        { box = { center = [0, 0, 0.5], half = [0.3, 0.3, 0.6] } }] }";
    let world = read(table, BALLS).unwrap();
    println!("{:?}", world.obstacles.iter().map(|obstacle| &obstacle.name).collect::<Vec<_>>());
    assert_eq!(world.obstacles.len(), 4, "beside the hole on each side");
    let motions = ends(&world, 300);
    println!("{} and {}", motions[0].position, motions[1].position);
    assert!(motions[0].position.distance(DVec3::new(0.0, 0.0, -0.9)) < 1e-6);
    assert!(motions[1].position.distance(DVec3::new(0.6, 0.0, 1.1)) < 1e-6);
}

#[test]
fn a_half_space_of_a_scene_is_a_wall() {
    let world =
        read("scene = { half_space = { normal = [0, 0, 2], offset = -1 } }", &BALLS.replace("-1]", "-2.5]")).unwrap();
    assert!(world.obstacles.is_empty());
    let mut walled = World { walls: world.walls[..1].to_vec(), ..world.clone() };
    walled.walls.push(Wall::new("plain", DVec3::Z, DVec3::new(0.0, 0.0, -0.5)));
    assert_eq!(ends(&world, 100), ends(&walled, 100));
}

#[test]
fn a_ball_bounces_on_the_top_of_an_ellipsoid_without_end() {
    let egg = "scene = { ellipsoid = { center = [0.6, 0, -0.5], axes = [0.5, 0.4, 1.0] } }";
    let elastic = BALLS.replace("restitution = 0\n", "restitution = 1\n").replace("damping = 2", "damping = 0");
    let world = World { step: 0.002, ..read(egg, &elastic).unwrap() };
    let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for step in 0..600 {
        stepper.step();
        let height = stepper.motions()[1].position.z;
        lowest = lowest.min(height);
        if step > 300 {
            highest = highest.max(height);
        }
    }
    println!("between {lowest} and {highest} m, from 1.5 m");
    // The top is at 0.5; a step at the top of the bounce is seen between two others.
    assert!((0.6 - 1e-9..0.61).contains(&lowest) && (1.49..1.5 + 1e-9).contains(&highest));
}

#[test]
fn no_bullet_passes_a_block() {
    let mut random = Random::new(test_seed(), 308);
    let block = "scene = { box = { center = [0, 0, 0.5], half = [1, 1, 0.5] } }";
    let mut hits = 0;
    for item in 0..2_000 {
        let mut world = read(block, BALLS).unwrap();
        let direction = random.direction();
        let aside = direction.any_orthonormal_vector() * random.between(0.0, 2.0);
        let middle = DVec3::new(0.0, 0.0, 0.5);
        let bullet = Body::sphere("bullet", 0.1, 1.0, middle + aside - 250.0 * direction).moving(5e4 * direction);
        (world.bodies, world.walls, world.bounds) = (vec![bullet], Vec::new(), None::<Bounds>);
        let world = World { obstacles: world.obstacles, ..balls(world.bodies, 0.5, 0.01) };
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        stepper.step();
        let deepest = stepper.gaps().map(|(.., gap)| -gap).fold(f64::NEG_INFINITY, f64::max);
        let has_hit = !stepper.contacts().is_empty();
        assert!(deepest < 1e-6, "{item}: {deepest}");
        assert!(has_hit || aside.length() > 0.6, "{item}: {aside}");
        hits += usize::from(has_hit);
    }
    println!("{hits} hits");
    assert!((800..1_900).contains(&hits));
}

/// Where bodies of [`BALLS`] with a coefficient of restitution of 0 come to lie on a scene whose curved solids have flat sides.
fn rest(scene: &str, tolerance: f64) -> [DVec3; 2] {
    let world = read(scene, &format!("{BALLS}\n[ground]\ntolerance = {tolerance}")).unwrap();
    let motions = ends(&world, 400);
    println!("{} parts: {} and {}", world.obstacles.len(), motions[0].position, motions[1].position);
    [motions[0].position, motions[1].position]
}

#[test]
fn a_ball_falls_through_a_round_hole_that_is_wider_by_the_tolerance_and_sticks_in_one_that_is_not() {
    let hole = |radius: f64| {
        format!(
            "scene = {{ difference = [{{ box = {{ center = [0, 0, 0.5], half = [1, 1, 0.5] }} }}, \
             {{ cylinder = {{ center = [0, 0, 0], axis = [0, 0, 1], radius = {radius} }} }}] }}"
        )
    };
    let [inner, outer] = rest(&hole(0.1021), 0.002);
    assert!(inner.distance(DVec3::new(0.0, 0.0, -0.9)) < 1e-6);
    assert!(outer.distance(DVec3::new(0.6, 0.0, 1.1)) < 1e-6);
    let [inner, _] = rest(&hole(0.0999), 0.002);
    assert!(inner.z > 1.0);
}

#[test]
fn a_ball_lies_on_a_cylinder_a_capsule_and_a_frustum_as_high_as_they_are() {
    for (scene, top) in [
        ("scene = { cylinder = { center = [0, 0, 0], axis = [0, 0, 1], radius = 1, height = 1 } }", 0.5),
        ("scene = { cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 0.7, radius = 2, top_radius = 1 } }", 0.7),
        (
            "scene = { intersection = [{ sphere = { center = [0, 0, -0.5], radius = 1 } }, \
            { half_space = { normal = [0, 0, 1], offset = 0.25 } }] }",
            0.25,
        ),
    ] {
        let [inner, _] = rest(scene, 0.1);
        assert!(inner.distance(DVec3::new(0.0, 0.0, top + 0.1)) < 1e-6, "{scene}");
    }
    let [inner, outer] = rest("scene = { capsule = { from = [0, 0, -1], to = [0, 0, 0.2], radius = 0.3 } }", 0.01);
    // Its end is a ball, exactly; the other falls beside it.
    assert!(inner.distance(DVec3::new(0.0, 0.0, 0.6)) < 1e-6 && (outer.z + 0.9).abs() < 1e-6);
}

#[test]
fn a_brick_and_a_shard_slide_over_the_seams_of_tiles_as_over_one_slab() {
    let slab = "{ box = { center = [0, 0, 0], half = [2, 1, 0.5] } }";
    let tile = |number: u32| {
        let middle = -1.875 + 0.25 * f64::from(number);
        // They meet, overlap, or are apart by what rounding could leave.
        let half = 0.125 + [0.0, 0.05, -1e-12][number as usize % 3];
        format!("{{ box = {{ center = [{middle}, 0, 0], half = [{half}, 1, 0.5] }} }}")
    };
    let tiles: Vec<String> = (0..16).map(tile).collect();
    let sliders = "step = '5 ms'\nrestitution = 0\nfriction = 0.2\n\
        [[bodies]]\nname = 'brick'\nmass = 2\nbox = { size = [0.2, 0.1, 0.06] }\nposition = [-1.6, 0.3, 0.53]\n\
        orientation = [1, 0, 0, 0.2]\nvelocity = [3, 0, 0]\n\
        [[bodies]]\nname = 'shard'\nmass = 1\nposition = [-1.6, -0.3, 0.525]\nvelocity = [3, 0, 0]\n\
        hull = { points = [[-0.08, -0.05, 0], [0.08, -0.05, 0], [0, 0.1, 0], [0, 0, 0.1]] }\n";
    let of = |scene: &str| ends(&read(&format!("scene = {scene}"), sliders).unwrap(), 400);
    let (one, many) = (of(slab), of(&format!("{{ union = [{}] }}", tiles.join(", "))));
    // v^2 / (2 mu g), and a step.
    let way = 9.0 / (2.0 * 0.2 * 9.80665);
    for (slid, tiled) in one.iter().zip(&many) {
        println!("{} and {}, {} m/s", slid.position, tiled.position, tiled.velocity);
        assert!((slid.position.x + 1.6 - way).abs() < 0.02, "{}", slid.position);
        assert!(slid.position.distance(tiled.position) < 1e-3 && tiled.velocity.length() < 1e-6);
    }
}

#[test]
fn a_ball_rolls_over_the_seams_of_tiles_as_over_one_slab() {
    let row = |count: u32, overlap: f64| {
        let length = 4.0 / f64::from(count);
        let tile = |number: u32| {
            let middle = -2.0 + length * (f64::from(number) + 0.5);
            let half = 0.5 * length + overlap;
            format!("{{ box = {{ center = [{middle}, 0, -0.5], half = [{half}, 1, 0.5] }} }}")
        };
        format!("{{ union = [{}] }}", (0..count).map(tile).collect::<Vec<_>>().join(", "))
    };
    let in_sand = "{ union = [{ half_space = { normal = [0, 0, 1], offset = 0 } }, \
        { box = { center = [-1, 0, -0.5], half = [0.5, 1, 0.5] } }] }";
    let grounds = [row(1, 0.0), row(2, 0.0), row(7, 0.0), row(14, 0.0), row(7, 0.1), in_sand.to_owned()];
    // From rolling, and from sliding, which ends at 5/7 of the speed.
    for (speed, spin, end) in [(1.0, 10.0, 1.0), (2.0, 0.0, 10.0 / 7.0)] {
        for (ground, step) in grounds.iter().map(|ground| (ground, 10)).chain([(&grounds[2], 1)]) {
            let ball = format!(
                "step = '{step} ms'\nrestitution = 0\nfriction = 0.3\nbounds = {{ min = [-5, -5, -5], max = [5, 5, 5] }}\n\
                 [[bodies]]\nname = 'ball'\nmass = 1\nsphere = {{ radius = 0.1 }}\nposition = [-1.73, 0, 0.1]\n\
                 velocity = [{speed}, 0, 0]\nspin = [0, {spin}, 0]\n"
            );
            let ball = ends(&read(&format!("scene = {ground}"), &ball).unwrap(), 2000 / step)[0];
            assert!((ball.velocity - end * DVec3::X).length() < 1e-6, "{ground}: {}", ball.velocity);
            assert!((ball.position.z - 0.1).abs() < 1e-6, "{ground}: {}", ball.position);
        }
    }
}

#[test]
fn a_ball_over_a_ridge_of_two_parts_touches_the_ridge() {
    // The upper sides of two slabs that lean on each other; the sides below their common edge cover each other.
    let roof = "{ union = [\
        { intersection = [{ half_space = { normal = [-0.2, 0, 1], offset = 0 } }, { half_space = { normal = [1, 0, 0], offset = 0 } }, \
          { half_space = { normal = [0, 0, -1], offset = 0.9 } }] }, \
        { intersection = [{ half_space = { normal = [0.2, 0, 1], offset = 0 } }, { half_space = { normal = [-1, 0, 0], offset = 0 } }, \
          { half_space = { normal = [0, 0, -1], offset = 0.9 } }] }] }";
    for x in [-0.015, -0.004, 0.0, 0.004, 0.015] {
        let ball = format!(
            "step = '1 ms'\nrestitution = 0\nfriction = 0\nbounds = {{ min = [-3, -3, -3], max = [3, 3, 3] }}\n\
             [[bodies]]\nname = 'ball'\nmass = 1\nsphere = {{ radius = 0.1 }}\nposition = [{x}, 0, 0.2]\nvelocity = [0, 0, -1]\n"
        );
        let world = read(&format!("scene = {roof}"), &ball).unwrap();
        let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
        let mut nearest = f64::INFINITY;
        for _ in 0..150 {
            stepper.step();
            nearest = nearest.min(stepper.motions()[0].position.length());
        }
        assert!((nearest - 0.1).abs() < 1e-6, "from {x}: {nearest} m from the ridge");
    }
}

#[test]
fn a_ball_stops_at_the_wall_of_a_hole_in_ground_without_end() {
    let mut random = Random::new(test_seed(), 309);
    let cut = |hole: &str| {
        format!("scene = {{ difference = [{{ half_space = {{ normal = [0, 0, 1], offset = 0 }} }}, {hole}] }}")
    };
    for sides in [0_u32, 3, 7, 30, 45, 50] {
        let angle = |side: u32| std::f64::consts::TAU * (f64::from(side) + 0.5) / f64::from(sides);
        let side = |number: u32| {
            let (y, x) = angle(number).sin_cos();
            format!("{{ half_space = {{ normal = [{x}, {y}, 0], offset = 0.5 }} }}")
        };
        let hole = if sides == 0 {
            "{ cylinder = { center = [0, 0, 0], axis = [0, 0, 1], radius = 0.5, height = 2 } }".to_owned()
        } else {
            let floor = "{ half_space = { normal = [0, 0, -1], offset = 1 } }";
            format!("{{ intersection = [{}, {floor}] }}", (0..sides).map(side).collect::<Vec<_>>().join(", "))
        };
        for _ in 0..20 {
            let heading = random.between(0.0, std::f64::consts::TAU);
            let way = DVec3::new(heading.cos(), heading.sin(), 0.0);
            let ball = format!(
                "gravity = [0, 0, 0]\nstep = '1 ms'\nrestitution = 0\nfriction = 0\nbounds = {{ min = [-10, -10, -10], max = [10, 10, 10] }}\n\
                 [[bodies]]\nname = 'ball'\nmass = 1\nsphere = {{ radius = 0.1 }}\nposition = [0, 0, -0.5]\nvelocity = [{}, {}, 0]\n\
                 [ground]\ntolerance = '1 mm'\n",
                way.x, way.y
            );
            let world = read(&cut(&hole), &ball).unwrap();
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            // Along the wall it goes on to a corner, where both sides hold it.
            for _ in 0..3000 {
                stepper.step();
                let position = stepper.motions()[0].position;
                let beyond =
                    |number: u32| position.dot(DVec3::new(angle(number).cos(), angle(number).sin(), 0.0)) - 0.4;
                // Flat sides of what is round touch it from within the hole.
                let round = if sides == 0 { position.truncate().length() - 0.4 } else { f64::NEG_INFINITY };
                let deepest = (0..sides).map(beyond).fold(round, f64::max);
                assert!(deepest < 1e-6, "{sides} sides, towards {heading}: {deepest} m within the wall at {position}");
            }
        }
    }
}

#[test]
fn what_slides_against_a_step_of_a_tiled_floor_stays_before_it() {
    let stairs = "scene = { union = [{ box = { center = [-1, 0, 0], half = [1, 1, 0.5] } }, \
        { box = { center = [0.5, 0, 0], half = [0.5, 1, 0.5] } }, { box = { center = [1.5, 0, 0.1], half = [0.5, 1, 0.5] } }] }";
    let brick = "step = '5 ms'\nrestitution = 0\nfriction = 0\n[[bodies]]\nname = 'brick'\nmass = 2\nbox = { size = [0.2, 0.1, 0.06] }\n\
        position = [-0.5, 0, 0.53]\nvelocity = [2, 0, 0]\n";
    let end = ends(&read(stairs, brick).unwrap(), 400)[0];
    println!("{} and {} m/s", end.position, end.velocity);
    assert!((end.position.x - 0.9).abs() < 1e-6 && end.velocity.length() < 1e-6);
}

#[test]
fn a_tolerance_that_is_no_length_is_refused_before_anything_is_added() {
    let rod = Shape::cylinder(DVec3::ZERO, DVec3::Z, 1.0);
    let scene = Scene::new(&Shape::union([Shape::half_space(DVec3::Z, 0.0), rod]), Vec::new(), None, None).unwrap();
    for tolerance in [-0.1, 0.0, f64::NAN, f64::INFINITY] {
        let mut world = World::default();
        let options = GroundOptions { tolerance: Some(tolerance), ..GroundOptions::default() };
        let error = world.add_ground(&scene, &options).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the ground: tolerance {tolerance} is not allowed")), "{error}");
        assert_eq!(world, World::default());
    }
}

#[test]
fn scenes_that_are_no_ground_are_refused_with_what_is_in_the_way() {
    let unbounded = BALLS.replace("bounds = { min = [-3, -3, -3], max = [3, 3, 3] }\n", "");
    let prism = "scene = { intersection = [{ half_space = { normal = [1, 0, 0], offset = 1 } }, \
        { half_space = { normal = [-1, 0, 0], offset = 1 } }] }";
    for (scene, world, why) in [
        (
            "scene = { cylinder = { center = [0, 0, 0], axis = [0, 0, 1], radius = 1 } }",
            BALLS,
            "radius 1: it needs flat sides",
        ),
        (
            "scene = { difference = [{ sphere = { center = [0, 0, 0], radius = 1 } }, \
             { half_space = { normal = [0, 0, 1], offset = 0 } }] }",
            BALLS,
            "radius 1: it needs flat sides, and `tolerance`, how far from it they may be",
        ),
        (prism, &unbounded, "ground.1 has no end; [bounds] make one"),
        ("scene = { box = { center = [0, 0, 1.5], half = [0.2, 0.2, 0.2] } }", BALLS, "ground.1 and inner overlap by"),
    ] {
        let error = read(scene, world).unwrap_err();
        assert!(error.contains(why) && error.contains("world.toml"), "{scene}: {error}");
    }
}
