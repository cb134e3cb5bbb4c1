//! Job `particle`: a particle above a plane, stepped by complementarity (docs/theory/complementarity.md).
//!
//! # Conventions
//! As in [`crate::query::Particle`].

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{Particle, ParticleOutcome, ParticleRecord, ParticleStep, ParticleTraces, Particles, Restitution};

/// Particles that one thread takes at a time: enough that sharing them out costs nothing.
const PARTICLES_PER_TASK: usize = 64;

impl Computes<Particles> for Reference {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<ParticleOutcome>, EngineError> {
        Ok(self.each(PARTICLES_PER_TASK, items, |item| outcome(item, restitution)))
    }
}

impl Computes<ParticleTraces> for Reference {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<Vec<ParticleStep>>, EngineError> {
        Ok(self.each(PARTICLES_PER_TASK, items, |item| trace(item, restitution)))
    }
}

/// A particle on its way.
struct Stepper<'a> {
    particle: &'a Particle,
    restitution: Restitution,
    position: f64,
    velocity: f64,
}

impl<'a> Stepper<'a> {
    fn new(particle: &'a Particle, restitution: Restitution) -> Self {
        Self { particle, restitution, position: particle.position, velocity: particle.velocity }
    }

    /// Height after a step without contact.
    fn gap(&self) -> f64 {
        let Particle { step: h, gravity: g, gamma, .. } = *self.particle;
        let share = match self.restitution {
            Restitution::Nominal => gamma,
            Restitution::Exact => 0.5,
        };
        self.position + h * self.velocity - share * (h * h * g)
    }

    /// Velocity after a contact, and the corresponding force.
    fn contact(&self, gap: f64) -> (f64, f64) {
        let Particle { step: h, mass: m, gravity: g, gamma, .. } = *self.particle;
        let (x, v, e) = (self.position, self.velocity, self.particle.restitution());
        match self.restitution {
            // Not v + h N / m - h g, which leaves a residue of gravity and depends on the mass by rounding.
            Restitution::Nominal => (0.0 - (e * v + 1.0 / (gamma * h) * x), m / (h * h * gamma) * -gap),
            Restitution::Exact => {
                let after = e * (v * v + 2.0 * g * x).sqrt();
                (after, m * ((after - v) / h + g))
            }
        }
    }

    /// Makes one step; returns the values at its start.
    fn step(&mut self) -> ParticleStep {
        let gap = self.gap();
        let before = ParticleStep { position: self.position, velocity: self.velocity, gap, force: 0.0 };
        if gap < 0.0 {
            let (velocity, force) = self.contact(gap);
            (self.position, self.velocity) = (0.0, velocity);
            return ParticleStep { force, ..before };
        }
        self.position = gap;
        self.velocity -= self.particle.step * self.particle.gravity;
        before
    }
}

/// All rows of a particle; none if it is invalid.
fn trace(particle: &Particle, restitution: Restitution) -> Vec<ParticleStep> {
    if !particle.is_valid() {
        return Vec::new();
    }
    let mut stepper = Stepper::new(particle, restitution);
    (0..particle.steps).map(|_| stepper.step()).collect()
}

/// The outcome of a particle.
fn outcome(particle: &Particle, restitution: Restitution) -> ParticleOutcome {
    if !particle.is_valid() {
        return ParticleOutcome::invalid();
    }
    let mut stepper = Stepper::new(particle, restitution);
    let (mut contact_steps, mut bounces, mut first_contact_step) = (0, 0, 0);
    let (mut peak_force, mut rebound_height) = (0.0_f64, 0.0_f64);
    // Whether the last step, and the one before it, were in contact.
    let (mut last, mut before_last) = (false, false);
    for step in 0..particle.steps {
        let ParticleStep { gap, force, .. } = stepper.step();
        (before_last, last) = (last, gap < 0.0);
        if last {
            if contact_steps == 0 {
                first_contact_step = step;
            }
            contact_steps += 1;
            bounces += u32::from(!before_last);
            peak_force = peak_force.max(force);
        }
        if contact_steps > 0 {
            rebound_height = rebound_height.max(stepper.position);
        }
    }
    let Stepper { position, velocity, .. } = stepper;
    let rests = last && before_last;
    ParticleOutcome::new(
        particle,
        &ParticleRecord {
            position,
            velocity,
            contact_steps,
            bounces,
            peak_force,
            first_contact_step,
            rebound_height,
            rests,
        },
    )
}
