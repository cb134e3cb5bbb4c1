//! Random numbers of one item or scene, in sequence.

use glam::{DQuat, DVec3};

use crate::random::uniform;

/// What the numbers are for: each purpose has variables of its own.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Scene = 0,
    Ray = 1,
    Step = 2,
    Displacement = 3,
    Wheel = 4,
    Springs = 5,
    Box = 6,
    Ellipsoid = 7,
    Particle = 8,
    Oriented = 9,
    Lcp = 10,
    Encounter = 11,
    DeckStep = 12,
    DeckLanding = 13,
    DrivenEncounter = 14,
    WorldStep = 15,
}

/// The number of variables of a purpose: far more than any item or scene draws.
const VARIABLES: u32 = 1 << 24;

/// A row of random numbers: a function of seed, purpose and item.
pub(super) struct Draws {
    seed: u64,
    item: u64,
    variable: u32,
}

impl Draws {
    pub fn new(seed: u64, purpose: Purpose, item: u64) -> Self {
        Self { seed, item, variable: purpose as u32 * VARIABLES }
    }

    /// Evenly between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.variable += 1;
        uniform(self.seed, self.item, self.variable)
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A power of ten with an exponent evenly between two.
    pub fn power_of_ten(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    pub fn sign(&mut self) -> f64 {
        if self.unit() < 0.5 { -1.0 } else { 1.0 }
    }

    /// One of 0..count.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    /// Evenly in a box.
    pub fn in_box(&mut self, [low, high]: [DVec3; 2]) -> DVec3 {
        DVec3::new(self.between(low.x, high.x), self.between(low.y, high.y), self.between(low.z, high.z))
    }

    /// Evenly in a cube about the origin.
    pub fn in_cube(&mut self, half_edge: f64) -> DVec3 {
        self.in_box([DVec3::splat(-half_edge), DVec3::splat(half_edge)])
    }

    /// Evenly over the sphere: z is uniform (Archimedes).
    pub fn direction(&mut self) -> DVec3 {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(0.0, std::f64::consts::TAU));
        let across = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(across * angle.cos(), across * angle.sin(), z).normalize()
    }

    /// A direction at right angles to another.
    pub fn direction_across(&mut self, normal: DVec3) -> DVec3 {
        // Parallel only when the draw is, which the fallback answers.
        self.direction().cross(normal).try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector())
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, std::f64::consts::TAU))
    }
}
