//! What job `particle` exchanges with a device.
//!
//! # Conventions
//! Only lengths cross: the height, the way h v of a step, h^2 g, and the push h^2 N / m of the plane. They stand in a unit
//! of about the largest of the first three, a power of two, so that only narrowing rounds; neither the length of a step
//! nor a mass takes f32 out of its range. No run of so many steps as may be leaves it: a step takes h^2 g off the way at
//! most, a contact gives back 1/gamma times it at most.

use bytemuck::Zeroable;
use glam::DVec3;

use super::{Structure, on_device, power_of_two_below};
use crate::query::{Particle, ParticleRecord, ParticleStep, Restitution};

/// Rows that a device writes of a particle at a time: few to carry for short runs, and long against starting a dispatch.
pub(in crate::gpu) const PARTICLE_ROWS: usize = 32;

on_device! {
    /// What a particle has come to. Zero steps are no answer: buffers are cleared before a run.
    ParticleState {
        position: f32,
        /// h v.
        travel: f32,
        /// Steps.
        done: u32,
        contact_steps: u32,
        bounces: u32,
        first_contact_step: u32,
        /// Whether the last step, and the one before it, were in contact.
        contacts: u32,
        /// Greatest h^2 N / m.
        peak_push: f32,
        rebound_height: f32,
    }
}

on_device! {
    /// A particle.
    ParticleWire as Particle {
        state: ParticleState,
        /// h^2 g.
        drop: f32,
        /// What gravity takes off the gap: gamma h^2 g, or half of h^2 g where restitution is exact.
        gap_drop: f32,
        restitution: f32,
        inverse_gamma: f32,
        steps: u32,
    }
}

on_device! {
    /// Some rows of a particle, and what it has come to after them.
    ParticleRows {
        state: ParticleState,
        unused0: u32,
        unused1: u32,
        unused2: u32,
        rows: [[f32; 4]; PARTICLE_ROWS],
    }
}

/// What the kernels of job `particle` take and give.
pub(in crate::gpu) fn particle_structures() -> String {
    [ParticleState::declaration(), ParticleWire::declaration(), ParticleRows::declaration()].concat()
}

impl ParticleWire {
    /// Of a valid particle.
    pub fn new(particle: &Particle, restitution: Restitution) -> Self {
        let unit = ParticleUnit::new(particle);
        let share = match restitution {
            Restitution::Nominal => particle.gamma,
            Restitution::Exact => 0.5,
        };
        let mut state = ParticleState::zeroed();
        state.position = (particle.position / unit.length) as f32;
        state.travel = (particle.step * particle.velocity / unit.length) as f32;
        let drop = drop_of(particle) / unit.length;
        Self {
            state,
            drop: drop as f32,
            gap_drop: (share * drop) as f32,
            restitution: particle.restitution() as f32,
            inverse_gamma: (1.0 / particle.gamma) as f32,
            steps: particle.steps,
        }
    }

    /// The state after so many more steps, if this is one.
    pub fn accept(&self, state: &ParticleState, slice: u32) -> Option<ParticleState> {
        let done = self.steps.min(self.state.done + slice);
        let numbers = [state.position, state.travel, state.peak_push, state.rebound_height];
        (state.done == done && numbers.iter().all(|number| number.is_finite())).then_some(*state)
    }
}

/// h^2 g \[m\].
fn drop_of(particle: &Particle) -> f64 {
    particle.step * particle.step * particle.gravity
}

/// What a particle's numbers on the device are in.
pub(in crate::gpu) struct ParticleUnit {
    /// \[m\].
    length: f64,
    /// \[m/s\].
    speed: f64,
    /// \[N\].
    force: f64,
}

impl ParticleUnit {
    pub fn new(particle: &Particle) -> Self {
        let Particle { position, velocity, step, mass, .. } = *particle;
        let length = match power_of_two_below(DVec3::new(position, step * velocity, drop_of(particle))) {
            // At rest on the plane without gravity, or all but.
            0.0 => 1.0,
            length => length,
        };
        Self { length, speed: length / step, force: mass / (step * step) * length }
    }

    /// A row; `None` when the device wrote nothing that it may.
    pub fn row(&self, row: [f32; 4]) -> Option<ParticleStep> {
        let [position, travel, gap, push] = row.map(f64::from);
        row.iter().all(|number| number.is_finite()).then_some(ParticleStep {
            position: self.length * position,
            velocity: self.speed * travel,
            gap: self.length * gap,
            force: self.force * push,
        })
    }

    /// What a state comes to.
    pub fn record(&self, state: &ParticleState) -> ParticleRecord {
        let ParticleState { position, travel, contact_steps, bounces, first_contact_step, contacts, .. } = *state;
        ParticleRecord {
            position: self.length * f64::from(position),
            velocity: self.speed * f64::from(travel),
            contact_steps,
            bounces,
            peak_force: self.force * f64::from(state.peak_push),
            first_contact_step,
            rebound_height: self.length * f64::from(state.rebound_height),
            rests: contacts == 0b11,
        }
    }
}
