//! Steps of worlds of balls that engines are asked about.

use std::sync::LazyLock;

use glam::DVec3;

use super::{BallWorldSteps, Class};
use crate::validation::answered::Drawn;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};
use crate::validation::item::Class as _;
use crate::world::{Body, Bounds, Motion, Partner, StepContact, StepDecisions, Wall, World, WorldStart, WorldStep};

static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| Class::CLASSES.iter().map(|class| world(*class)).collect());

/// What the worlds of a class share.
pub(super) fn world_of(class: Class) -> &'static World {
    &WORLDS[class as usize]
}

fn ball(name: &str, radius: f64, mass: f64, place: [f64; 3]) -> Body {
    Body::sphere(name, radius, mass, DVec3::from_array(place))
}

fn world(class: Class) -> World {
    let floor = Wall::new("floor", DVec3::Z, DVec3::ZERO);
    let slope = |normal: [f64; 3]| Wall::new("slope", DVec3::from_array(normal), DVec3::ZERO);
    let swept = |sweeps: u32, bodies: Vec<Body>, walls: Vec<Wall>| World {
        sweeps: Some(sweeps),
        step: 1.0 / 60.0,
        bodies,
        walls,
        ..World::default()
    };
    match class {
        Class::Falling => {
            let bodies = vec![
                ball("a", 0.1, 1.0, [0.3, 0.0, 0.3]),
                ball("b", 0.07, 0.5, [0.3, 0.1, 0.6]),
                ball("c", 0.15, 4.0, [0.35, 0.0, 1.0]),
            ];
            swept(4, bodies, vec![floor, slope([0.5, 0.0, 1.0])])
        }
        Class::Stack => {
            let bodies =
                [(1.0, 0.1), (0.5, 0.3), (3.0, 0.5)].map(|(mass, height)| ball("x", 0.1, mass, [1.0, 0.5, height]));
            World { damping: 0.1, ..swept(6, bodies.to_vec(), vec![floor]) }
        }
        Class::Heap => {
            let place = |number: usize| {
                let [x, y, z] = [number % 2, number / 2 % 2, number / 4].map(|number| number as f64);
                [0.11 * x - 0.055, 0.11 * y - 0.055, 0.25 + 0.12 * z]
            };
            let bodies = (0..6).map(|number| ball("x", 0.05, 1.0, place(number))).collect();
            let walls = [[-0.3, 0.0, 1.0], [0.3, 0.0, 1.0], [0.0, -0.3, 1.0], [0.0, 0.3, 1.0]].map(slope);
            let reach = DVec3::new(0.3, 0.3, 0.6);
            World {
                step: 0.01,
                damping: 0.8,
                bounds: Some(Bounds { min: -reach, max: reach }),
                ..swept(4, bodies, walls.to_vec())
            }
        }
        Class::Fast => {
            let bodies = vec![
                ball("small", 0.01, 0.01, [0.0; 3]),
                ball("heavy", 0.2, 20.0, [1.0, 0.0, 0.0]),
                ball("other", 0.05, 0.7, [0.0, 1.0, 0.0]),
            ];
            swept(4, bodies, vec![slope([0.2, 0.3, 1.0])])
        }
        Class::Anywhere => {
            let bodies = [0.1, 0.08, 0.12, 0.1].map(|radius| ball("x", radius, 10.0 * radius, [0.0; 3]));
            swept(3, bodies.to_vec(), vec![floor, slope([1.0, 0.0, 0.2])])
        }
        Class::Slipping => {
            let bodies = [0.1, 0.1].map(|radius| ball("x", radius, 1.0, [0.0, 0.0, radius]));
            swept(2, bodies.to_vec(), vec![floor])
        }
        Class::Grazing | Class::Degenerate => {
            let bodies = [0.125, 0.25, 0.0625].map(|radius| ball("x", radius, 8.0 * radius, [0.0; 3]));
            swept(3, bodies.to_vec(), vec![floor])
        }
    }
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<BallWorldSteps>) -> Drawn<WorldStep> {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::WorldStep, number);
    let world = world_of(class);
    let mut step = WorldStep::of(&start(world, &mut draws));
    let mut made_to_touch = false;
    match class {
        Class::Falling => on_the_way(world, &mut step, draws.index(60)),
        Class::Stack => {
            on_the_way(world, &mut step, draws.index(20));
            made_to_touch = touches(world, &step);
        }
        Class::Heap => {
            on_the_way(world, &mut step, draws.index(80));
            made_to_touch = touches(world, &step);
            leave(world, &mut step, &mut draws);
        }
        Class::Fast => shoot(&mut step, &mut draws),
        Class::Anywhere => scatter(world, &mut step, &mut draws),
        Class::Slipping => slip(world, &mut step, &mut draws),
        Class::Grazing => {
            graze(world, &mut step, &mut draws);
            made_to_touch = true;
        }
        Class::Degenerate => {
            touch(world, &mut step, &mut draws);
            made_to_touch = true;
        }
    }
    Drawn { item: step, made_to_touch }
}

/// Surfaces and masses, and bodies a little off their places.
fn start(world: &World, draws: &mut Draws) -> WorldStart {
    let mut start = WorldStart::of(world);
    start.restitution = [0.0, 1.0, draws.unit(), draws.unit()][draws.index(4)];
    start.friction = [0.0, draws.between(0.0, 1.0), draws.between(0.0, 0.3)][draws.index(3)];
    for (mass, motion) in start.masses.iter_mut().zip(&mut start.motions) {
        *mass *= draws.between(0.8, 1.25);
        motion.position += draws.in_cube(0.004);
        // Above the floor that they may stand on.
        motion.position.z += 0.004;
        motion.velocity = draws.in_cube(0.5);
        motion.spin = draws.in_cube(3.0);
    }
    start
}

/// Where a world of the judge has come to after so many steps.
fn on_the_way(world: &World, step: &mut WorldStep, steps: usize) {
    for _ in 0..steps {
        let stepped = step.stepped(world);
        *step = step.after(&stepped);
    }
}

/// Whether any two touch but for rounding, as those do that the judge has let come to rest on each other.
fn touches(world: &World, step: &WorldStep) -> bool {
    /// What some roundings in f32 make of places up to 1 m away \[m\].
    const TOUCHING: f64 = 1e-6;
    let motions = &step.start.motions;
    let radius = |body: usize| world.bodies[body].shape.reach();
    (0..motions.len()).any(|body| {
        let place = motions[body].position;
        let of_wall = |wall: &Wall| wall.normal.dot(place) - wall.offset - radius(body);
        let of_body = |other: usize| place.distance(motions[other].position) - radius(body) - radius(other);
        let gaps = world.walls.iter().map(of_wall).chain((0..body).map(of_body));
        gaps.map(f64::abs).any(|gap| gap < TOUCHING)
    })
}

/// Some near where the world is bounded, out of it or not.
fn leave(world: &World, step: &mut WorldStep, draws: &mut Draws) {
    let Some(bounds) = world.bounds.filter(|_| draws.index(3) == 0) else { return };
    let motion = &mut step.start.motions[0];
    let axis = draws.index(2);
    motion.position.z = 0.5;
    motion.position[axis] = [bounds.min, bounds.max][draws.index(2)][axis] + draws.between(-0.02, 0.02);
    motion.velocity[axis] = draws.between(-2.0, 2.0);
}

/// Towards each other, from as far as some steps.
fn shoot(step: &mut WorldStep, draws: &mut Draws) {
    let target = draws.in_cube(0.5) + DVec3::Z;
    let speeds = [60.0, 3.0, 20.0];
    for (motion, speed) in step.start.motions.iter_mut().zip(speeds) {
        let direction = draws.direction();
        let distance = 0.25 + speed / 60.0 * draws.between(0.0, 1.5);
        motion.position = target + distance * direction;
        motion.velocity = -speed * draws.between(0.3, 1.5) * direction + draws.in_cube(1.0);
        motion.spin = draws.in_cube(30.0);
    }
}

/// Anything remembered of pairs that are near.
fn remember(world: &World, step: &mut WorldStep, draws: &mut Draws, size: f64) {
    let bodies = world.bodies.len();
    let walls = (0..bodies).flat_map(|body| (0..world.walls.len()).map(move |wall| (Partner::Wall(wall), body)));
    let pairs = (0..bodies).flat_map(|first| (first + 1..bodies).map(move |second| (Partner::Body(first), second)));
    for (partner, body) in walls.chain(pairs) {
        if draws.unit() < 0.5 {
            continue;
        }
        let normal = match partner {
            Partner::Wall(wall) => world.walls[wall].normal,
            Partner::Body(first) => {
                let apart = step.start.motions[body].position - step.start.motions[first].position;
                apart.try_normalize().unwrap_or(DVec3::Z)
            }
        };
        let impulse = size * (draws.unit() * normal + 0.3 * draws.unit() * draws.direction());
        step.contacts.push(StepContact { partner, body, share: 0.0, impulse, decided: StepDecisions::NONE });
    }
}

fn scatter(world: &World, step: &mut WorldStep, draws: &mut Draws) {
    let size = draws.power_of_ten(-3.0, 0.7);
    for motion in &mut step.start.motions {
        *motion = Motion::at(draws.in_cube(0.15) + DVec3::splat(0.2));
        motion.velocity = size * draws.direction();
        motion.spin = 10.0 * size * draws.direction();
    }
    step.present.iter_mut().for_each(|present| *present = draws.unit() < 0.9);
    remember(world, step, draws, 0.3 * size);
}

/// On the floor with a speed that friction all but takes away in the step, or far from it; one pushes the other.
fn slip(world: &World, step: &mut WorldStep, draws: &mut Draws) {
    let friction = draws.between(0.05, 0.8);
    (step.start.friction, step.start.restitution) = (friction, 0.0);
    let fall = 9.80665 * world.step;
    for (number, motion) in step.start.motions.iter_mut().enumerate() {
        let place = DVec3::new(0.3 * number as f64, draws.between(-1.0, 1.0), 0.1);
        *motion = Motion::at(place);
        // A ball's slip is stopped by 2/7 of its momentum.
        let off = [1.0, 1.0 + draws.sign() * draws.power_of_ten(-9.0, -1.0), draws.between(0.0, 2.0)][draws.index(3)];
        let angle = draws.between(0.0, 6.3);
        motion.velocity = 3.5 * friction * fall * off * DVec3::new(angle.cos(), angle.sin(), 0.0);
    }
    if draws.index(2) == 0 {
        let first = step.start.motions[0].position;
        step.start.motions[1].position = first + DVec3::new(0.2 * (1.0 - draws.power_of_ten(-8.0, -2.0)), 0.0, 0.0);
    }
    if draws.index(2) == 0 {
        remember(world, step, draws, 0.2);
    }
}

/// Two whose ways pass each other at the distance of their radii, or of what is still looked at, but for a little; and one above the floor.
fn graze(world: &World, step: &mut WorldStep, draws: &mut Draws) {
    let little = |draws: &mut Draws| draws.sign() * draws.power_of_ten(-9.0, -3.0);
    let radius = |body: usize| world.bodies[body].shape.reach();
    let slack = 1.0 + [0.0, 1.0 / 32.0][draws.index(2)];
    let reach = slack * (radius(0) + radius(1));
    let along = draws.direction();
    let across = draws.direction_across(along);
    let middle = DVec3::new(draws.between(-2.0, 2.0), draws.between(-2.0, 2.0), 3.0);
    let speed = draws.power_of_ten(-1.0, 1.5);
    let away = match draws.index(3) {
        // Side by side, then they meet at the step's end or just not.
        0 => reach * (1.0 + little(draws)) * across + speed * world.step * draws.between(0.0, 1.0) * along,
        1 => (reach + speed * world.step * (1.0 + little(draws))) * along,
        _ => reach * (1.0 + little(draws)) * along,
    };
    let motions = &mut step.start.motions;
    motions[0] = Motion::at(middle);
    motions[1] = Motion::at(middle + away);
    motions[1].velocity = -speed * along;
    let height = radius(2) * (1.0 + [0.0, 1.0 / 16.0][draws.index(2)]);
    motions[2] = Motion::at(DVec3::new(-1.0, draws.between(-1.0, 1.0), height + little(draws)));
    motions[2].velocity = match draws.index(3) {
        0 => DVec3::ZERO,
        1 => DVec3::Z * 9.80665 * 0.5 * world.step * (1.0 + little(draws)),
        _ => draws.in_cube(1.0),
    };
    if draws.index(2) == 0 {
        remember(world, step, draws, 0.1);
    }
}

/// Just touching or at one place, at rest or moving alike, all of it in numbers that f32 holds.
fn touch(world: &World, step: &mut WorldStep, draws: &mut Draws) {
    let radius = |body: usize| world.bodies[body].shape.reach();
    let held = |number: f64| f64::from(number as f32);
    let floor = radius(0);
    let low = DVec3::new(held(draws.between(-1.0, 1.0)), 0.5, floor + [0.0, 0.0, 0.5, -0.0625][draws.index(4)]);
    let directions = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.0, 0.8), DVec3::ZERO];
    let motions = &mut step.start.motions;
    motions[0] = Motion::at(low);
    let mut last = low;
    for (body, motion) in motions.iter_mut().enumerate().skip(1) {
        let direction = directions[draws.index(directions.len())];
        let reach = radius(body - 1) + radius(body);
        let shift = [0.0, 0.0, 1e-7, -1e-7, reach * 0.5 / 16.0][draws.index(5)];
        last += (reach + shift) * direction;
        *motion = Motion::at(last);
    }
    let common = [DVec3::ZERO, DVec3::ZERO, DVec3::new(0.0, 0.0, -0.5), DVec3::new(1.0, 0.0, 0.0)][draws.index(4)];
    for motion in motions.iter_mut() {
        motion.velocity = common;
        if draws.index(3) == 0 {
            motion.velocity += directions[draws.index(directions.len())] * [0.25, -0.25][draws.index(2)];
        }
    }
    match draws.index(3) {
        0 => remember(world, step, draws, 0.1),
        1 => step.present[draws.index(3)] = false,
        _ => {}
    }
}
