//! Worlds of 16 balls with friction and rotation beside rapier3d, on one thread: steps per second, how deep balls
//! penetrate, and how far energy is off. Both engines have the same starts, gravity, steps of 1/60 s, restitution and
//! friction; rapier3d has its default settings (f32, 4 solver iterations, sleeping allowed).
//!
//! Measurements alternate between the engines, and the fastest round of each counts: other work on the machine slows
//! single rounds down.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark is no library")]

#[path = "../../../tests/support/random.rs"]
mod random;

use std::time::Instant;

use glam::DVec3;
use random::Random;
use rapier3d::prelude::*;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::Worlds;
use touchdown::world::{Body, Stepper, Wall, World, WorldStart};

const WORLDS: usize = 1000;
/// Worlds whose penetrations and energies are followed step by step.
const WATCHED: usize = 100;
const ROUNDS: usize = 5;
const STEPS: u32 = 120;
const STEP: f64 = 1.0 / 60.0;
const SWEEPS: u32 = 12;
const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.80665;

/// A column of 2 x 2 x 4 balls above a floor, or a box 70 cm wide.
fn world(is_box: bool, restitution: f64, friction: f64) -> World {
    let ball = |number: usize| {
        let place = [number % 2, number / 2 % 2, number / 4].map(|index| index as f64);
        let center = DVec3::new(-0.13, -0.13, 0.15) + DVec3::from_array(place) * DVec3::new(0.26, 0.26, 0.25);
        Body::sphere(format!("ball.{number}"), RADIUS, 1.0, center)
    };
    let mut walls = vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)];
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y];
    if is_box {
        walls.extend(sides.map(|normal| Wall::new(format!("{normal}"), normal, -0.35 * normal)));
    }
    World {
        step: STEP,
        steps: STEPS,
        sweeps: Some(SWEEPS),
        restitution,
        friction,
        bodies: (0..16).map(ball).collect(),
        walls,
        // All steps are made.
        rest_speed: 0.0,
        ..World::default()
    }
}

fn starts(world: &World) -> Vec<WorldStart> {
    let mut random = Random::new(1, 0);
    let mut start = || {
        let mut start = WorldStart::of(world);
        for motion in &mut start.motions {
            motion.position += random.in_cube(0.02);
            motion.velocity = random.in_cube(0.5);
        }
        start
    };
    (0..WORLDS).map(|_| start()).collect()
}

/// What is followed of a world.
#[derive(Default)]
struct Watched {
    penetrations: Vec<f64>,
    /// Largest gain of energy in a step, and the change from start to end, relative to the start.
    gain: f64,
    changes: Vec<f64>,
}

impl Watched {
    fn follow(&mut self, world: &World, mut next: impl FnMut() -> (Vec<DVec3>, f64), start: f64) {
        let mut energy = start;
        for _ in 0..world.steps {
            let (places, now) = next();
            let of_walls = places
                .iter()
                .flat_map(|place| world.walls.iter().map(|wall| wall.offset - wall.normal.dot(*place) + RADIUS));
            let pairs = places
                .iter()
                .enumerate()
                .flat_map(|(number, one)| places[..number].iter().map(|other| 2.0 * RADIUS - one.distance(*other)));
            self.penetrations.push(of_walls.chain(pairs).fold(0.0, f64::max));
            self.gain = self.gain.max((now - energy) / start);
            energy = now;
        }
        self.changes.push((energy / start - 1.0).abs());
    }

    fn told(&self) -> String {
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let deepest = self.penetrations.iter().copied().fold(0.0, f64::max);
        format!(
            "{:.1} mm deepest, {:.2} mm mean of the deepest of each step; energy: {:.2} % largest gain in a step, {:.1} % mean change",
            1e3 * deepest,
            1e3 * mean(&self.penetrations),
            1e2 * self.gain,
            1e2 * mean(&self.changes)
        )
    }
}

fn own(world: &World, starts: &[WorldStart]) -> Watched {
    let mut watched = Watched::default();
    for start in starts {
        let mut stepper = Stepper::new(world, start).unwrap();
        let energy = stepper.energies().iter().sum();
        let next = || {
            stepper.step();
            (stepper.motions().iter().map(|motion| motion.position).collect(), stepper.energies().iter().sum())
        };
        watched.follow(world, next, energy);
    }
    watched
}

fn narrow(vector: DVec3) -> Vector {
    Vector::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

/// A world of rapier3d.
struct Rapier {
    pipeline: PhysicsPipeline,
    parameters: IntegrationParameters,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

impl Rapier {
    fn new(world: &World, start: &WorldStart) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let surface =
            |collider: ColliderBuilder| collider.restitution(world.restitution as f32).friction(world.friction as f32);
        for wall in &world.walls {
            let normal = rapier3d::na::Unit::new_unchecked(narrow(wall.normal));
            colliders
                .insert(surface(ColliderBuilder::halfspace(normal)).translation(narrow(wall.offset * wall.normal)));
        }
        let mut handles = Vec::new();
        for motion in &start.motions {
            let body = RigidBodyBuilder::dynamic().translation(narrow(motion.position)).linvel(narrow(motion.velocity));
            let handle = bodies.insert(body);
            colliders.insert_with_parent(surface(ColliderBuilder::ball(RADIUS as f32).mass(1.0)), handle, &mut bodies);
            handles.push(handle);
        }
        Self {
            pipeline: PhysicsPipeline::new(),
            parameters: IntegrationParameters { dt: STEP as f32, ..Default::default() },
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies,
            colliders,
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles,
        }
    }

    fn step(&mut self) {
        self.pipeline.step(
            Vector::new(0.0, 0.0, -GRAVITY as f32),
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn places(&self) -> Vec<DVec3> {
        let place = |&handle: &RigidBodyHandle| {
            let place = self.bodies[handle].translation();
            DVec3::new(f64::from(place.x), f64::from(place.y), f64::from(place.z))
        };
        self.handles.iter().map(place).collect()
    }

    fn energy(&self) -> f64 {
        let of_ball = |&handle: &RigidBodyHandle| {
            let body = &self.bodies[handle];
            let [velocity, spin] = [body.linvel(), body.angvel()].map(|vector| f64::from(vector.length_squared()));
            0.5 * velocity + 0.2 * RADIUS * RADIUS * spin + GRAVITY * f64::from(body.translation().z)
        };
        self.handles.iter().map(of_ball).sum()
    }
}

fn rapier(world: &World, starts: &[WorldStart]) -> Watched {
    let mut watched = Watched::default();
    for start in starts {
        let mut other = Rapier::new(world, start);
        let energy = other.energy();
        let next = || {
            other.step();
            (other.places(), other.energy())
        };
        watched.follow(world, next, energy);
    }
    watched
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn main() {
    let native = Native::new(1).unwrap();
    for (name, is_box, restitution, friction) in [
        ("floor, restitution 0.3, friction 0.5", false, 0.3, 0.5),
        ("box, restitution 0.3, friction 0.5", true, 0.3, 0.5),
        ("floor, no loss", false, 1.0, 0.0),
        ("box, no loss", true, 1.0, 0.0),
    ] {
        let world = world(is_box, restitution, friction);
        let starts = starts(&world);
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            let own = seconds(|| {
                let outcomes = native.compute::<Worlds>(&world, &starts).unwrap();
                assert!(outcomes.iter().all(|outcome| outcome.steps == u64::from(STEPS)));
            });
            let mut worlds: Vec<Rapier> = starts.iter().map(|start| Rapier::new(&world, start)).collect();
            let other = seconds(|| worlds.iter_mut().for_each(|world| (0..STEPS).for_each(|_| world.step())));
            fastest = [fastest[0].min(own), fastest[1].min(other)];
        }
        let [own_rate, other_rate] = fastest.map(|seconds| (WORLDS as f64) * f64::from(STEPS) / seconds);
        println!("{name}: {:.1} times rapier3d", own_rate / other_rate);
        println!("  touchdown {own_rate:>9.0} steps/s; {}", own(&world, &starts[..WATCHED]).told());
        println!("  rapier3d  {other_rate:>9.0} steps/s; {}", rapier(&world, &starts[..WATCHED]).told());
    }
}
