//! Balls and walls in a fixed number of sweeps: the swept law with approximate impulses, for studies of many worlds.
//!
//! A step h of bodies with velocities v, without rotation of the geometry, as balls are round:
//!
//! 1. Free motion: `v' = (v + h g) / (1 + h damping)`, and displacements h u from `u = (v + v') / 2`.
//! 2. One search along the free paths. A pair is flagged if it meets on its path or comes closer than [`SLACK`]; its
//!    normal is that at the first touch, or where the pair is closest. The plane along it bounds both paths.
//! 3. Displacements, `0 <= gap + h n . u perp p >= 0` for each pair: projected Gauss-Seidel from half of the impulses of
//!    the previous step. With each p acts the friction of that step, in proportion to p, up to what it was.
//! 4. Velocities, `0 <= n . v+ + e n . v- perp r >= 0` with Coulomb's law, over the pairs that pushed in 3 or have no gap
//!    left: Gauss-Seidel with the exact solution of each contact, from the impulses of the previous step as far as the
//!    pair pushed in 3. v- is the velocity of a fall through the gap.
//!
//! Sweeps go forwards and backwards in turn: from the walls into the heap and back. At contacts of balls the normal and
//! the tangential directions are independent, with `W_N = 1/m1 + 1/m2` and `W_T = W_N (1 + 5/2)`, since `I = 2/5 m r^2`;
//! so the solution of one contact is a projection onto the cone without iteration.
//!
//! What is left after the last sweep stays: penetrations are corrected in the next step by displacements alone, which
//! adds no velocity.
//!
//! [`Stepper`](super::Stepper) takes these steps one world at a time ([`step`]), the native engine eight at a time
//! ([`eight`], [`many`]), with the same operations and bits. A device takes them in f32 (`shaders/ball_world.wgsl`), and is
//! judged step by step ([`record`]).

mod eight;
mod many;
mod record;
mod run;
mod step;

use glam::DVec3;

use super::definition::World;
use super::shape::BodyShape;
pub use many::run_many;
pub use record::{StepContact, StepDecisions, WorldStep, WorldStepped};
pub use run::{BallRun, BallsEnd};
pub(super) use step::{BallState, BallSteps};

/// `m r^2 / I` of a homogeneous ball.
pub const INERTIA_RATIO: f64 = 2.5;
/// Pairs are flagged up to this gap, in radii: impulses of a step may close gaps that free motion leaves.
pub const SLACK: f64 = 1.0 / 16.0;
/// Velocities further from the laws than this part of the fastest, and of what gravity adds in a step, are rough.
pub const ROUGH: f64 = 1e-3;

/// What the worlds of a call have in common.
#[derive(Clone, Debug)]
pub struct Balls {
    /// \[m/s^2\]
    pub gravity: DVec3,
    /// \[s\]
    pub step: f64,
    /// 1 / step.
    pub rate: f64,
    /// What damping leaves of velocities.
    pub left: f64,
    /// Speed that gravity adds in a step \[m/s\].
    pub pull: f64,
    /// Over all contacts, in each of the two phases of a step.
    pub sweeps: u32,
    /// \[m\]
    pub radii: Vec<f64>,
    /// Normals and offsets.
    pub walls: Vec<(DVec3, f64)>,
    /// The least and the largest corner of where bodies count \[m\].
    pub bounds: Option<[DVec3; 2]>,
    /// Below it a world is at rest \[m/s\].
    pub rest_speed: f64,
}

impl Balls {
    /// `None` for worlds that are solved to accuracy.
    pub fn of(world: &World) -> Option<Self> {
        let radius = |shape: &BodyShape| match shape {
            BodyShape::Sphere { radius } => *radius,
            // Refused where worlds are checked.
            shape => shape.reach(),
        };
        Some(Self {
            gravity: world.gravity,
            step: world.step,
            rate: 1.0 / world.step,
            left: 1.0 / (1.0 + world.damping * world.step),
            pull: world.step * world.gravity.length(),
            sweeps: world.sweeps?,
            radii: world.bodies.iter().map(|body| radius(&body.shape)).collect(),
            walls: world.walls.iter().map(|wall| (wall.normal, wall.offset)).collect(),
            bounds: world.bounds.map(|bounds| [bounds.min, bounds.max]),
            rest_speed: world.rest_speed,
        })
    }
}

/// The row that comes in this place of a sweep.
#[inline(always)]
fn turned(sweep: u32, place: usize, rows: usize) -> usize {
    if sweep.is_multiple_of(2) { place } else { rows - 1 - place }
}
