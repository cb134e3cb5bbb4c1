//! Why there is no such world.

use glam::DVec3;
use thiserror::Error;

use super::definition::{MAX_BODIES, MAX_WALLS, MAX_WORLD_STEPS};

/// Why a world is refused, or cannot start.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// No bodies, or too many.
    #[error(
        "{bodies} bodies: must be from 1 to {MAX_BODIES}; a world is one thread's work, which looks at every pair of \
         bodies in every step"
    )]
    Bodies {
        /// How many there are.
        bodies: usize,
    },
    /// Too many walls.
    #[error("{walls} walls: must be at most {MAX_WALLS}; every body is held against every one of them in every step")]
    Walls {
        /// How many there are.
        walls: usize,
    },
    /// No steps, or too many.
    #[error("{steps} steps: must be from 1 to {MAX_WORLD_STEPS}")]
    Steps {
        /// How many there are.
        steps: u32,
    },
    /// A number that is not what it may be.
    #[error("{of}: {what} {value} is not allowed: must be from {least} to {most}")]
    Number {
        /// The body, the wall or the world.
        of: String,
        /// Which of its numbers.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// A wall without a direction.
    #[error("{wall}: its normal must be a unit vector")]
    Normal {
        /// Its name.
        wall: String,
    },
    /// Bounds without an inside.
    #[error("bounds: min {min} must be below max {max} in every coordinate")]
    Bounds {
        /// Least coordinates \[m\].
        min: DVec3,
        /// Greatest coordinates \[m\].
        max: DVec3,
    },
    /// Two shapes that cannot meet.
    #[error(
        "{first} and {second}: contacts of these shapes are not computed; spheres and boxes meet each other, spheres and \
         ellipsoids do, and all meet walls"
    )]
    Pair {
        /// A body with its shape.
        first: String,
        /// Another.
        second: String,
    },
    /// Numbers for other bodies than there are.
    #[error("a start of {got} bodies: must be {bodies}, those of the world")]
    Start {
        /// Bodies of the world.
        bodies: usize,
        /// Bodies of the start.
        got: usize,
    },
    /// Bodies that overlap before anything has happened.
    #[error("{first} and {second} overlap by {depth} m at the start")]
    Overlap {
        /// A wall or a body.
        first: String,
        /// A body.
        second: String,
        /// How deep \[m\].
        depth: f64,
    },
}
