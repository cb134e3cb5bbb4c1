//! Impulses between bodies in contact, contact by contact on the bodies' velocities: no matrix over all contacts is
//! made.
//!
//! Non-smooth Gauss-Seidel (Jourdan, Alart and Jean 1998) on u = W r + q with W = J M^-1 J^T: each contact in turn gets
//! the impulse that solves it exactly with the velocities that the others have left, and the difference from its
//! impulse before goes to its two bodies. Without friction this is projected Gauss-Seidel.

use glam::{DMat3, DVec3};
use thiserror::Error;

use super::block::ContactBlock;
use super::cone::natural_map;
use super::pace::Pace;
use crate::lcp::Status;

/// How a body gives way, at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMass {
    /// 1/m \[1/kg\]; 0 for a body that is not pushed away.
    pub inverse_mass: f64,
    /// I^-1 about the centre of mass, in the axes of the world \[1/(kg m^2)\]; zeros for a body that is not turned.
    pub inverse_inertia: DMat3,
}

impl BodyMass {
    /// A body that impulses do not move.
    pub const FIXED: Self = Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO };
}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyVelocity {
    /// Of the centre of mass, in the axes of the world \[m/s\].
    pub linear: DVec3,
    /// In the axes of the world \[rad/s\].
    pub angular: DVec3,
}

impl BodyVelocity {
    /// Of a point of the body, at `arm` from its centre of mass \[m\].
    #[must_use]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// A point where two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Their numbers.
    pub bodies: [usize; 2],
    /// From the centre of mass of each to the point, in the axes of the world \[m\].
    pub arms: [DVec3; 2],
    /// Unit vector from the first body to the second: the second is pushed along it.
    pub normal: DVec3,
    /// Coefficient of friction mu, from 0 to [`MAX_FRICTION`](super::MAX_FRICTION).
    pub friction: f64,
    /// Added to the velocity of the second body against the first: the law holds for the sum \[m/s\]. With a restitution
    /// e, this is e times the normal part before the impact; a gap g that may close within a step h adds g/h along the
    /// normal.
    pub bias: DVec3,
    /// Impulse on the second body, its opposite acts on the first \[N s\]: where the solver starts, and what it found.
    /// That of the step before saves sweeps.
    pub impulse: DVec3,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Most sweeps over all contacts.
    pub sweeps: u32,
    /// Largest residual of a solution \[m/s\].
    pub tolerance: f64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// [`Status::Solved`], or [`Status::NotConverged`] where the sweeps were not enough.
    pub status: Status,
    /// Sweeps that were made.
    pub sweeps: u32,
    /// Largest of all contacts' natural maps `|r - P(r - u / W_NN)| W_NN`, with P the projection onto the cone of
    /// friction and u the velocity (with `mu |u_T|` added along the normal): how far velocities are from Coulomb's law
    /// \[m/s\].
    pub residual: f64,
}

/// Why contacts cannot be solved.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// Another number of velocities than of masses.
    #[error("{velocities} velocities: must be {masses}, as many as masses")]
    Velocities {
        /// Velocities.
        velocities: usize,
        /// Masses.
        masses: usize,
    },
    /// A body that there is not, or one against itself.
    #[error("contact {contact}: bodies {bodies:?}: must be two different ones of {count}")]
    Bodies {
        /// The contact, counted from 0.
        contact: usize,
        /// Its bodies.
        bodies: [usize; 2],
        /// How many bodies there are.
        count: usize,
    },
    /// A coefficient of friction that is none.
    #[error("contact {contact}: friction: {friction:e} is not allowed: must be from 0 to {}", super::MAX_FRICTION)]
    Friction {
        /// The contact, counted from 0.
        contact: usize,
        /// What was given.
        friction: f64,
    },
    /// A normal, arm, bias, impulse or mass that makes no contact: not finite, no unit vector, or of bodies of which
    /// neither gives way.
    #[error(
        "contact {contact}: bodies {bodies:?} do not give way there in every direction, or numbers of it are not finite or \
         its normal is not of length 1"
    )]
    Contact {
        /// The contact, counted from 0.
        contact: usize,
        /// Its bodies.
        bodies: [usize; 2],
    },
}

/// Normals may be longer or shorter than 1 by this.
const UNIT: f64 = 1e-9;

/// Solves contacts of bodies. Its memory is kept from call to call, so that calls with no more contacts than any before
/// allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct ContactSolver {
    contacts: Vec<Prepared>,
}

impl ContactSolver {
    /// A solver with memory for so many contacts.
    #[must_use]
    pub fn with_capacity(contacts: usize) -> Self {
        Self { contacts: Vec::with_capacity(contacts) }
    }

    /// Makes velocities and impulses obey Coulomb's law at all contacts. Velocities come without the contacts' impulses
    /// (but with all others, as gravity's) and go with them; those that contacts bring along are where sweeps start.
    ///
    /// The result depends on the order of contacts: where several impulses are possible (a table on four legs) on which
    /// it finds, otherwise within the tolerance.
    ///
    /// # Errors
    /// When a contact is none; velocities and impulses are as they were then.
    pub fn solve(
        &mut self,
        masses: &[BodyMass],
        velocities: &mut [BodyVelocity],
        contacts: &mut [BodyContact],
        stopping: Stopping,
    ) -> Result<Outcome, ContactError> {
        if velocities.len() != masses.len() {
            return Err(ContactError::Velocities { velocities: velocities.len(), masses: masses.len() });
        }
        self.contacts.clear();
        for (number, contact) in contacts.iter().enumerate() {
            self.contacts.push(Prepared::new(number, contact, masses)?);
        }
        for contact in &self.contacts {
            contact.push(masses, velocities, contact.impulse);
        }
        let outcome = self.sweep(masses, velocities, stopping);
        for (contact, prepared) in contacts.iter_mut().zip(&self.contacts) {
            contact.impulse = prepared.frame * prepared.impulse;
        }
        Ok(outcome)
    }

    fn sweep(&mut self, masses: &[BodyMass], velocities: &mut [BodyVelocity], stopping: Stopping) -> Outcome {
        let (mut sweeps, mut pace) = (0, Pace::default());
        loop {
            let residual = self.residual(velocities);
            // NaN is not above either, and never comes from numbers in range.
            if residual <= stopping.tolerance || sweeps >= stopping.sweeps {
                let is_solved = residual <= stopping.tolerance;
                let status = if is_solved { Status::Solved } else { Status::NotConverged };
                return Outcome { status, sweeps, residual };
            }
            // A contact that changes has not been solved, so the residual waits until changes are small.
            while sweeps < stopping.sweeps {
                sweeps += 1;
                let mut largest = 0.0f64;
                for contact in &mut self.contacts {
                    largest = largest.max(contact.relax(masses, velocities, pace.factor()));
                }
                pace.note(largest);
                if largest <= stopping.tolerance {
                    break;
                }
            }
        }
    }

    fn residual(&self, velocities: &[BodyVelocity]) -> f64 {
        self.contacts.iter().fold(0.0, |largest: f64, contact| largest.max(contact.residual(velocities)))
    }
}

/// A contact with all that a sweep needs.
#[derive(Clone, Copy, Debug)]
struct Prepared {
    bodies: [usize; 2],
    /// Normal and both tangents, in columns: from the contact's axes to the world's.
    frame: DMat3,
    /// For either body arm x frame, in columns: its velocity at the point turns with their products with its angular
    /// velocity.
    levers: [DMat3; 2],
    /// For either body what an impulse in the contact's axes does to its angular velocity.
    turns: [DMat3; 2],
    block: ContactBlock,
    /// W of the contact.
    matrix: DMat3,
    /// In the contact's axes, as the next two.
    bias: DVec3,
    impulse: DVec3,
}

impl Prepared {
    fn new(number: usize, contact: &BodyContact, masses: &[BodyMass]) -> Result<Self, ContactError> {
        let BodyContact { bodies, arms, normal, friction, bias, impulse } = *contact;
        let [first, second] = bodies.map(|body| masses.get(body));
        let (Some(first), Some(second), true) = (first, second, bodies[0] != bodies[1]) else {
            return Err(ContactError::Bodies { contact: number, bodies, count: masses.len() });
        };
        if !(0.0..=super::MAX_FRICTION).contains(&friction) {
            return Err(ContactError::Friction { contact: number, friction });
        }
        let wrong = ContactError::Contact { contact: number, bodies };
        let is_finite = bias.is_finite() && impulse.is_finite() && (normal.length() - 1.0).abs() <= UNIT;
        let is_mass = first.inverse_mass >= 0.0 && second.inverse_mass >= 0.0;
        let frame = frame(normal);
        let levers = arms.map(|arm| {
            let DMat3 { x_axis, y_axis, z_axis } = frame;
            DMat3::from_cols(arm.cross(x_axis), arm.cross(y_axis), arm.cross(z_axis))
        });
        let turns = [first.inverse_inertia * levers[0], second.inverse_inertia * levers[1]];
        let matrix = DMat3::from_diagonal(DVec3::splat(first.inverse_mass + second.inverse_mass))
            + levers[0].transpose() * turns[0]
            + levers[1].transpose() * turns[1];
        let block =
            ContactBlock::new(matrix, friction).filter(|_| is_finite && is_mass && matrix.is_finite()).ok_or(wrong)?;
        let to_contact = frame.transpose();
        let (bias, impulse) = (to_contact * bias, to_contact * impulse);
        Ok(Self { bodies, frame, levers, turns, block, matrix, bias, impulse })
    }

    /// u, with the bias.
    fn velocity(&self, velocities: &[BodyVelocity]) -> DVec3 {
        let [first, second] = self.bodies.map(|body| &velocities[body]);
        self.frame.transpose() * (second.linear - first.linear) + self.levers[1].transpose() * second.angular
            - self.levers[0].transpose() * first.angular
            + self.bias
    }

    /// Gives an impulse to both bodies.
    fn push(&self, masses: &[BodyMass], velocities: &mut [BodyVelocity], impulse: DVec3) {
        let [first, second] = self.bodies;
        let linear = self.frame * impulse;
        velocities[first].linear -= masses[first].inverse_mass * linear;
        velocities[first].angular -= self.turns[0] * impulse;
        velocities[second].linear += masses[second].inverse_mass * linear;
        velocities[second].angular += self.turns[1] * impulse;
    }

    /// Goes so much of the way to where this contact alone is solved, and says how long the way is, as a velocity
    /// \[m/s\].
    fn relax(&mut self, masses: &[BodyMass], velocities: &mut [BodyVelocity], factor: f64) -> f64 {
        let q = self.velocity(velocities) - self.matrix * self.impulse;
        let way = self.block.solve(q) - self.impulse;
        if way != DVec3::ZERO {
            self.push(masses, velocities, factor * way);
            // In the cone, as both ends are.
            self.impulse += factor * way;
        }
        way.length() * self.block.normal()
    }

    fn residual(&self, velocities: &[BodyVelocity]) -> f64 {
        let (u, normal) = (self.velocity(velocities), self.block.normal());
        natural_map(self.impulse, u, self.block.friction(), 1.0 / normal).length() * normal
    }
}

/// A normal and two tangents, in columns (Duff et al. 2017).
fn frame(normal: DVec3) -> DMat3 {
    let (first, second) = normal.any_orthonormal_pair();
    DMat3::from_cols(normal, first, second)
}

#[cfg(test)]
#[path = "bodies/tests.rs"]
mod tests;
