//! Errors of worlds.

use glam::DVec3;
use thiserror::Error;

use super::definition::{MAX_BODIES, MAX_OBSTACLES, MAX_WALLS, MAX_WORLD_STEPS, MIN_ELASTIC, OF_WORLD};
use crate::query::MAX_ASPECT;

/// What an error is about.
pub(super) enum Subject<'a> {
    /// Keys of the world's file; its place is that of the first that is there.
    Keys(&'a [&'static str]),
    /// The name of a body or a wall.
    Thing(&'a str),
}

impl WorldError {
    /// What it is about; `None` if that has no place of its own.
    pub(super) fn subject(&self) -> Option<Subject<'_>> {
        match self {
            // Numbers of the world are named by their keys.
            Self::Number { of, what, .. } if of == OF_WORLD => Some(Subject::Keys(std::slice::from_ref(what))),
            Self::Damped { of, .. } if of == OF_WORLD => Some(Subject::Keys(&["restitution"])),
            Self::SpringStep { .. } => Some(Subject::Keys(&["step", "stiffness"])),
            Self::Number { of, .. } | Self::Damped { of, .. } => Some(Subject::Thing(of)),
            Self::Normal { wall } => Some(Subject::Thing(wall)),
            Self::Aspect { second, .. } | Self::Overlap { second, .. } => Some(Subject::Thing(second)),
            Self::Outside { body, .. } => Some(Subject::Thing(body)),
            Self::Bodies { .. } => Some(Subject::Keys(&["bodies"])),
            Self::Walls { .. } => Some(Subject::Keys(&["walls"])),
            Self::Bounds { .. } => Some(Subject::Keys(&["bounds"])),
            Self::Sweeps { .. } => Some(Subject::Keys(&["sweeps"])),
            Self::Obstacles { .. } | Self::Ground { .. } | Self::Steps { .. } | Self::Start { .. } => None,
        }
    }
}

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
        /// Number of bodies.
        bodies: usize,
    },
    /// Too many walls.
    #[error("{walls} walls: must be at most {MAX_WALLS}; every body is tested against every wall in every step")]
    Walls {
        /// Number of walls.
        walls: usize,
    },
    /// Too many fixed solids.
    #[error(
        "{obstacles} fixed solids: must be at most {MAX_OBSTACLES}; bodies are tested against every one that is near"
    )]
    Obstacles {
        /// Their number.
        obstacles: usize,
    },
    /// A scene that is no ground.
    #[error("{what}")]
    Ground {
        /// What it has.
        what: String,
    },
    /// No steps, or too many.
    #[error("{steps} steps: must be from 1 to {MAX_WORLD_STEPS}")]
    Steps {
        /// Number of steps.
        steps: u32,
    },
    /// A number out of range.
    #[error("{of}: {what} {value} is not allowed: must be from {least} to {most}{}", unit(.what))]
    Number {
        /// The body, the wall or the world.
        of: String,
        /// Which of its numbers.
        what: &'static str,
        /// What was given.
        value: f64,
        /// Smallest value allowed.
        least: f64,
        /// Largest value allowed.
        most: f64,
    },
    /// A step that springs of a stiffness do not take.
    #[error("step {step} s is too long for springs of this stiffness: must be at most {most} s")]
    SpringStep {
        /// The step \[s\].
        step: f64,
        /// The longest \[s\].
        most: f64,
    },
    /// A restitution that damped springs do not have.
    #[error("{of} with damped springs: restitution {value} is not allowed: must be from {MIN_ELASTIC} to 1")]
    Damped {
        /// The body, the wall or the world.
        of: String,
        /// Its restitution.
        value: f64,
    },
    /// A wall with a zero normal.
    #[error("{wall}: its normal must be a unit vector")]
    Normal {
        /// Its name.
        wall: String,
    },
    /// Empty bounds.
    #[error("bounds: min {min} must be below max {max} in every coordinate")]
    Bounds {
        /// Least coordinates \[m\].
        min: DVec3,
        /// Greatest coordinates \[m\].
        max: DVec3,
    },
    /// An ellipsoid, and a ball or another ellipsoid, of sizes that the contact of ellipsoids does not take together.
    #[error(
        "{first} and {second}: a semi-axis of {least:e} m beside one of {most:e} m: none may be more than \
         {MAX_ASPECT:e} times another"
    )]
    Aspect {
        /// A fixed solid or a body.
        first: String,
        /// A body.
        second: String,
        /// The least semi-axis of both \[m\].
        least: f64,
        /// The largest \[m\].
        most: f64,
    },
    /// Sweeps in a world that they are not for.
    #[error(
        "sweeps: not with {what}; they are for spheres and walls with rigid contacts that are swept and resolved \
         simultaneously"
    )]
    Sweeps {
        /// What it has.
        what: String,
    },
    /// A start for a different number of bodies.
    #[error("a start of {got} bodies: must be {bodies}, those of the world")]
    Start {
        /// Bodies in the world.
        bodies: usize,
        /// Bodies in the start.
        got: usize,
    },
    /// A body that starts outside the bounds.
    #[error("{body}: its centre {position} m is outside the bounds at the start: they go from {min} to {max} m")]
    Outside {
        /// Its name.
        body: String,
        /// Its centre \[m\].
        position: DVec3,
        /// Least coordinates of the bounds \[m\].
        min: DVec3,
        /// Greatest coordinates \[m\].
        max: DVec3,
    },
    /// Bodies that overlap initially.
    #[error("{first} and {second} overlap by {depth} m at the start")]
    Overlap {
        /// A wall or a body.
        first: String,
        /// A body.
        second: String,
        /// Depth \[m\].
        depth: f64,
    },
}

/// The unit of a number, with a space before it; empty for numbers without one.
fn unit(what: &str) -> &'static str {
    match what {
        "step" | "contact_time" => " s",
        "rest_speed" | "velocity" => " m/s",
        "stiffness" => " N/m",
        "damping" => " 1/s",
        "gravity" => " m/s²",
        "spin" => " rad/s",
        "mass" => " kg",
        "offset" | "radius" | "half of its size" | "radius of gyration" | "position" | "tolerance" => " m",
        _ => "",
    }
}
