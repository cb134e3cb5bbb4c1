//! Bound on the difference of a particle step between f32 and f64.
//!
//! Let u = 2^-24, the largest relative error of one rounding. A step is looked at in lengths: height x, way w = h v, what
//! gravity takes off the way, d = h^2 g, and off the gap, D = gamma d (d / 2 where restitution is exact), and the push
//! p = h^2 N / m. The device has these constants, e and 1/gamma narrowed, u each. If x and w are off by a and b:
//!
//! * **Gap** x + w - D: a + b, two sums of parts of x + |w| + D and the narrowed D, 3 u of that sum.
//! * **Flight** w - d: b, and 3 u (|w| + d).
//! * **Nominal contact** -(e w + x / gamma): e b + a / gamma, and 3 u (e |w| + x / gamma) for constants, products and sum.
//!   Push -gap / gamma: the gap's error over gamma, and 2 u of itself.
//! * **Exact contact** e r with r^2 = w^2 + 2 d x: the square is off by c = b (2 |w| + b) + 2 d a and 3 u of itself, so
//!   its root by no more than c / r, and no more than the root of c, however small r is; 9 u r for the root, as WGSL allows,
//!   and 2 u e r for constant and product. Push (w+ - w) + d: the errors of both, and 3 u (|w+| + |w| + d). Half of r^2 is
//!   the energy, which a flight keeps: a and b grow together there, and c is no more than twice the error of the energy
//!   at the start of the flight and d or |w| times each rounding since.
//!
//! A device may take numbers below 2^-126 for zero; its numbers are in a unit of at least half of the largest of x, |w|
//! and d at the start.
//!
//! The nominal step is continuous across the touch: w+ = w - d + max(0, -gap) / gamma and x+ = max(0, gap). Where the gap
//! is within its error of 0 both branches come into question, and a branch that is taken wrongly is off by that error over
//! gamma; so errors go on from the worse of both. The exact step jumps there, from falling to rising: what follows a touch
//! that rounding decides is not known.
//!
//! # Conventions
//! As in [`crate::query::Particle`]; all numbers here are lengths \[m\].

use crate::query::{Particle, ParticleStep, Restitution};
use crate::validation::wheel_bound::U;

/// The least normal number of f32.
const LEAST: f64 = 1.0 / (1_u128 << 126) as f64;

/// A particle's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    pub height: f64,
    pub way: f64,
}

/// How far a state may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Off {
    pub height: f64,
    pub way: f64,
    /// Of w^2 / 2 + d x \[m^2\]; followed where restitution is exact.
    pub energy: f64,
}

/// A step from a state in f64, and how far a device's may be from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepBound {
    pub gap: f64,
    pub gap_error: f64,
    /// The way after a flight.
    pub flight: f64,
    pub flight_error: f64,
    /// What the energy after a flight may be off.
    energy_error: f64,
    /// The way after a contact, and its push.
    pub contact: f64,
    pub contact_error: f64,
    pub push: f64,
    pub push_error: f64,
}

impl StepBound {
    /// True where the device surely finds a contact, or surely none.
    pub fn is_clear(&self) -> bool {
        self.gap.abs() > self.gap_error
    }
}

/// A particle's constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParticleBound {
    pub particle: Particle,
    pub restitution: Restitution,
    drop: f64,
    gap_drop: f64,
    e: f64,
    inverse_gamma: f64,
    /// What a device may take for zero.
    least: f64,
    /// Unit of the device's numbers, or less than twice that.
    unit: f64,
}

impl ParticleBound {
    pub fn new(particle: &Particle, restitution: Restitution) -> Self {
        let Particle { position, velocity, step, gravity, gamma, .. } = *particle;
        let drop = step * step * gravity;
        let share = match restitution {
            Restitution::Nominal => gamma,
            Restitution::Exact => 0.5,
        };
        let unit = match position.max((step * velocity).abs()).max(drop) {
            0.0 => 1.0,
            unit => unit,
        };
        Self {
            particle: *particle,
            restitution,
            drop,
            gap_drop: share * drop,
            e: particle.restitution(),
            inverse_gamma: 1.0 / gamma,
            least: LEAST * unit,
            unit,
        }
    }

    /// The state at the start of a row.
    pub fn state(&self, row: &ParticleStep) -> State {
        State { height: row.position, way: self.particle.step * row.velocity }
    }

    /// The push of a force \[N\].
    pub fn push(&self, force: f64) -> f64 {
        force / (self.particle.mass / (self.particle.step * self.particle.step))
    }

    /// How far the device is off at the start.
    pub fn narrowed(&self) -> Off {
        let State { height, way } = self.start();
        let (a, b) = (U * height + self.least, U * way.abs() + self.least);
        Off { height: a, way: b, energy: self.drop * a + b * (way.abs() + 0.5 * b) }
    }

    /// Where the particle starts.
    pub fn start(&self) -> State {
        State { height: self.particle.position, way: self.particle.step * self.particle.velocity }
    }

    /// A step from a state that is off by so much.
    pub fn step(&self, state: State, off: Off) -> StepBound {
        let State { height: x, way: w } = state;
        let Off { height: a, way: b, energy } = off;
        let (most_x, most_w) = (x + a, w.abs() + b);
        let gap = x + w - self.gap_drop;
        let gap_error = a + b + 3.0 * U * (most_x + most_w + self.gap_drop) + 4.0 * self.least;
        let rounding = 3.0 * U * (most_w + self.drop) + 2.0 * self.least;
        let flight_error = b + rounding;
        let energy_error = energy + self.drop * (gap_error - a - b) + rounding * (most_w + self.drop + 0.5 * rounding);
        let (contact, contact_error, push, push_error) = match self.restitution {
            Restitution::Nominal => {
                let inverse = self.inverse_gamma;
                let least = (self.e + inverse + 4.0) * self.least;
                let error = self.e * b + inverse * a + 3.0 * U * (self.e * most_w + inverse * most_x) + least;
                let push = inverse * -gap;
                let push_error = inverse * gap_error + 2.0 * U * (push.abs() + inverse * gap_error) + least;
                (0.0 - (self.e * w + inverse * x), error, push, push_error)
            }
            Restitution::Exact => {
                let square = w * w + 2.0 * self.drop * x;
                let most = most_w * most_w + 2.0 * self.drop * most_x;
                let least = 4.0 * LEAST * self.unit * self.unit;
                let change = (b * (2.0 * w.abs() + b) + 2.0 * self.drop * a).min(2.0 * energy) + 3.0 * U * most + least;
                let (root, most_root) = (square.sqrt(), most.sqrt());
                // 0 / 0 is not taken: the change is above 0.
                let error = (change / root).min(change.sqrt()) + 9.0 * U * most_root;
                let contact = self.e * root;
                let error = self.e * (error + 2.0 * U * most_root) + (self.e + 4.0) * self.least;
                let push_error = error + b + 3.0 * U * (contact + error + most_w + self.drop) + 4.0 * self.least;
                (contact, error, contact - w + self.drop, push_error)
            }
        };
        let flight = w - self.drop;
        StepBound { gap, gap_error, flight, flight_error, energy_error, contact, contact_error, push, push_error }
    }

    /// How far the state after a step may be off; `None` where nothing is known of it.
    pub fn after(&self, step: &StepBound) -> Option<Off> {
        let StepBound { gap, gap_error, flight_error, energy_error, contact, contact_error, .. } = *step;
        match (step.is_clear(), self.restitution) {
            (true, _) if gap < 0.0 => {
                let energy = contact_error * (contact.abs() + 0.5 * contact_error);
                Some(Off { height: 0.0, way: contact_error, energy })
            }
            (true, _) => Some(Off { height: gap_error, way: flight_error, energy: energy_error }),
            (false, Restitution::Nominal) => {
                let way = flight_error.max(contact_error) + self.inverse_gamma * gap_error;
                Some(Off { height: gap_error, way, energy: f64::INFINITY })
            }
            (false, Restitution::Exact) => None,
        }
    }
}
