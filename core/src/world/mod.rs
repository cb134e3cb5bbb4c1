//! Worlds: rigid bodies whose contacts are a linear complementarity problem (docs/worlds.md).
//!
//! ```text
//! World, WorldStart --> Stepper: search (contacts) --> impulses | sequence (velocities) --> motions, step by step
//! ```
//!
//! One world runs on one thread. [`Stepper`] documents the time stepping and its properties.
//!
//! # Conventions
//! SI units and radians, world coordinates. Normals point from the partner to the body. Gaps are negative on overlap.
//!
//! ```
//! # use touchdown_core as touchdown;
//! use glam::DVec3;
//! use touchdown::world::{Body, Stepper, Wall, World, WorldStart};
//!
//! // A ball that falls by 1 m on the ground, and gives back half of its speed.
//! let world = World {
//!     bodies: vec![Body::sphere("ball", 0.1, 1.0, DVec3::new(0.0, 0.0, 1.1))],
//!     walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
//!     restitution: 0.5,
//!     ..World::default()
//! };
//! let mut stepper = Stepper::new(&world, &WorldStart::of(&world))?;
//! while stepper.contacts().is_empty() {
//!     stepper.step();
//! }
//! let speed = stepper.motions()[0].velocity.z;
//! assert!((speed / (0.5 * (2.0 * 9.80665_f64).sqrt()) - 1.0).abs() < 1e-3);
//! # Ok::<(), touchdown::world::WorldError>(())
//! ```

mod balls;
mod compliant;
mod contact;
mod definition;
mod error;
mod file;
mod gaps;
mod ground;
mod hull;
mod impulses;
mod laws;
mod motion;
mod outcome;
mod polyhedron;
mod pose;
mod resolver;
mod run;
mod search;
mod sequence;
mod shape;
mod start;
mod step;
mod subspace;
mod touch;

pub use balls::{BallRun, Balls, BallsEnd, INERTIA_RATIO, ROUGH, SLACK, run_many};
pub use balls::{StepContact, StepDecisions, WorldStep, WorldStepped};
pub use contact::{Contact, Partner};
pub use definition::{
    Body, Bounds, Contacts, Law, MAX_BODIES, MAX_OBSTACLES, MAX_WALLS, MAX_WORLD_NUMBER, MAX_WORLD_STEPS,
    MAX_WORLD_SWEEPS, Resolution, WORLD_SIZES, WORLD_STEPS, Wall, World,
};
pub use error::WorldError;
pub use file::ReadScene;
pub use ground::{GroundOptions, Obstacle};
pub use laws::{LawResult, compare_laws};
pub use motion::Motion;
pub use outcome::{FirstTouch, WorldClass, WorldOutcome};
pub use run::steps_of_rest;
pub use run::{REST_TIME, run};
pub use shape::{BodyShape, HullBody};
pub use start::WorldStart;
pub use step::Stepper;
