//! What may vary from world to world, and how bodies are scattered.
//!
//! The scatter of each body is drawn independently from the trial's noise, uniformly within its limits: so spacing can
//! be chosen such that bodies never overlap.

use std::ops::RangeInclusive;

use glam::DVec3;

use crate::document::Unit;
use crate::elementary::sin_cos;
use crate::friction::MAX_FRICTION;
use crate::model::{Input, Inputs};
use crate::random::{NoiseKey, unit_interval, words};
use crate::world::{MAX_WORLD_NUMBER, World, WorldStart};

/// Variable of the scatter in the random counter, far above all inputs; the block encodes the body and the scattered
/// quantity.
const VARIABLE: u32 = 1 << 20;
/// Largest mass factor.
const MAX_FACTOR: f64 = 1e6;
/// Largest relative scatter of masses.
const MAX_SHARE: f64 = 0.99;

/// The inputs, their nominal values, and their ranges. Their indices are variables of the random counter.
pub(super) const INPUTS: [(Input, f64, RangeInclusive<f64>); 8] = [
    (input("restitution", Unit::One, "Restitution of what has none of its own; the world's."), 0.0, 0.0..=1.0),
    (
        input("friction", Unit::One, "Coefficient of friction of what has none of its own; the world's."),
        0.0,
        0.0..=MAX_FRICTION,
    ),
    (input("mass", Unit::One, "Factor of all masses."), 1.0, 1e-6..=MAX_FACTOR),
    (
        input("mass_scatter", Unit::One, "Each body's mass differs by up to this share, by its own."),
        0.0,
        0.0..=MAX_SHARE,
    ),
    (input("speed", Unit::Speed, "Added to the velocity of all bodies, along the heading."), 0.0, NUMBERS),
    (input("heading", Unit::Angle, "Direction of that speed, from x towards y."), 0.0, NUMBERS),
    (
        input("place_scatter", Unit::Length, "Each body starts off by up to this in each coordinate, by its own."),
        0.0,
        0.0..=MAX_WORLD_NUMBER,
    ),
    (
        input(
            "speed_scatter",
            Unit::Speed,
            "Each body's velocity differs by up to this in each coordinate, by its own.",
        ),
        0.0,
        0.0..=MAX_WORLD_NUMBER,
    ),
];

const NUMBERS: RangeInclusive<f64> = -MAX_WORLD_NUMBER..=MAX_WORLD_NUMBER;

const fn input(name: &'static str, unit: Unit, description: &'static str) -> Input {
    Input { name, unit, description }
}

/// The default values.
pub(super) fn nominal(world: &World) -> Vec<f64> {
    let mut values: Vec<f64> = INPUTS.iter().map(|(_, value, _)| *value).collect();
    (values[0], values[1]) = (world.restitution, world.friction);
    values
}

/// The start of a world with these inputs.
pub(super) fn start(world: &World, inputs: &Inputs) -> WorldStart {
    let [restitution, friction, mass, mass_scatter, speed, heading, place_scatter, speed_scatter] =
        std::array::from_fn(|number| inputs.values[number]);
    let (sin, cos) = sin_cos(heading);
    let common = speed * DVec3::new(cos, sin, 0.0);
    let mut start = WorldStart { restitution, friction, ..WorldStart::of(world) };
    for (body, (own, motion)) in (0_u32..).zip(start.masses.iter_mut().zip(&mut start.motions)) {
        let [place, velocity, other] = [0, 1, 2].map(|what| scattered(inputs.noise, 3 * body + what));
        *own *= mass * (1.0 + mass_scatter * other.x);
        motion.position += place_scatter * place;
        motion.velocity += common + speed_scatter * velocity;
    }
    start
}

/// Three numbers, uniform from -1 to 1.
fn scattered(noise: NoiseKey, block: u32) -> DVec3 {
    let number = |variable: u32| {
        let words = words(noise.seed, noise.item, VARIABLE + variable, block);
        2.0 * unit_interval(u64::from(words[1]) << 32 | u64::from(words[0])) - 1.0
    };
    DVec3::new(number(0), number(1), number(2))
}

/// The first input that is out of range, in words.
pub(super) fn fault(inputs: &Inputs) -> Option<String> {
    let bad = |((input, _, range), value): (&(Input, f64, RangeInclusive<f64>), &f64)| input.fault(*value, range);
    INPUTS.iter().zip(&inputs.values).find_map(bad)
}
