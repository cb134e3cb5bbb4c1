//! Impulses between bodies in contact, contact by contact on the bodies' velocities; the matrix over all contacts is
//! never assembled.
//!
//! Nonsmooth Gauss-Seidel (Jourdan, Alart and Jean 1998) on u = W r + q with W = J M^-1 J^T: each contact in turn gets
//! the impulse that solves it exactly for the current velocities, and the change of its impulse is applied to its two
//! bodies. Without friction this is projected Gauss-Seidel. Each group of bodies that touch is solved for itself. Sweeps are
//! extrapolated (`acceleration`); where many bodies bear on each other they take hundreds all the same: Newton's method then finds the
//! impulses of all contacts at once, of groups of up to 256 bodies (`semismooth`).

use glam::{DMat3, DVec3};
use thiserror::Error;

use super::acceleration::Acceleration;
use super::block::ContactBlock;
use super::cone::natural_map;
use super::groups::Groups;
use super::pace::Pace;
use super::semismooth::{Free, Semismooth};
use crate::lcp::Status;

/// Inverse mass and inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMass {
    /// 1/m \[1/kg\]; 0 for a body that is not translated.
    pub inverse_mass: f64,
    /// I^-1 about the centre of mass, in world axes \[1/(kg m^2)\]; zero for a body that is not rotated.
    pub inverse_inertia: DMat3,
}

impl BodyMass {
    /// A body unaffected by impulses.
    pub const FIXED: Self = Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO };
}

/// Velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyVelocity {
    /// Velocity of the centre of mass, in world axes \[m/s\].
    pub linear: DVec3,
    /// Angular velocity, in world axes \[rad/s\].
    pub angular: DVec3,
}

impl BodyVelocity {
    /// Velocity of a point of the body, at `arm` from its centre of mass \[m\].
    #[must_use]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// A contact point of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Indices of the two bodies.
    pub bodies: [usize; 2],
    /// From the centre of mass of each to the point, in world axes \[m\].
    pub arms: [DVec3; 2],
    /// Unit vector from the first body to the second: the second is pushed along it.
    pub normal: DVec3,
    /// Coefficient of friction mu, from 0 to [`MAX_FRICTION`](super::MAX_FRICTION).
    pub friction: f64,
    /// Added to the velocity of the second body relative to the first; the contact law applies to the sum \[m/s\]. For
    /// a restitution e, it is e times the normal velocity before the impact; a gap g that may close within a step h
    /// adds g/h along the normal.
    pub bias: DVec3,
    /// Impulse on the second body, with its opposite on the first \[N s\]: initial guess and result. The value of the
    /// previous step saves sweeps.
    pub impulse: DVec3,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Maximum number of sweeps over all contacts.
    pub sweeps: u32,
    /// Largest residual of a solution \[m/s\].
    pub tolerance: f64,
}

/// Result of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// [`Status::Solved`], or [`Status::NotConverged`] if the sweeps were not enough.
    pub status: Status,
    /// Number of sweeps, between which Newton's method may have been tried.
    pub sweeps: u32,
    /// Largest natural map of all contacts, `|r - P(r - u / W_NN)| W_NN`, with P the projection onto the friction cone
    /// and u the velocity (with `mu |u_T|` added along the normal): the violation of Coulomb's law \[m/s\].
    pub residual: f64,
}

/// Why contacts cannot be solved.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// The numbers of velocities and masses differ.
    #[error("{velocities} velocities: must be {masses}, as many as masses")]
    Velocities {
        /// Number of velocities.
        velocities: usize,
        /// Number of masses.
        masses: usize,
    },
    /// A velocity that is not finite.
    #[error("body {body}: its velocity is not finite")]
    Velocity {
        /// Index of the body.
        body: usize,
    },
    /// A body that does not exist, or a contact of a body with itself.
    #[error("contact {contact}: bodies {bodies:?}: must be two different ones of {count}")]
    Bodies {
        /// Index of the contact.
        contact: usize,
        /// Its bodies.
        bodies: [usize; 2],
        /// Number of bodies.
        count: usize,
    },
    /// An invalid friction coefficient.
    #[error("contact {contact}: friction: {friction:e} is not allowed: must be from 0 to {}", super::MAX_FRICTION)]
    Friction {
        /// Index of the contact.
        contact: usize,
        /// What was given.
        friction: f64,
    },
    /// A normal, arm, bias, impulse or mass that is invalid: not finite, no unit vector, or two bodies that are both
    /// fixed.
    #[error(
        "contact {contact}: bodies {bodies:?} do not give way there in every direction, or numbers of it are not finite or \
         its normal is not of length 1"
    )]
    Contact {
        /// Index of the contact.
        contact: usize,
        /// Its bodies.
        bodies: [usize; 2],
    },
}

/// Sweeps before Newton's method is tried on all contacts at once: about as many as cost what an attempt does. Where that
/// fails, sweeps go on until there have been twice as many, and so on.
const PATIENCE: u32 = 25;
/// Last sweeps before an attempt, which are not extrapolated: it must not begin with a bad guess.
const SETTLING: u32 = 5;
/// Tolerance on the length of normals.
const UNIT: f64 = 1e-9;

/// Solves contacts of bodies. Its memory is kept between calls: sweeps of no more contacts than before allocate
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct ContactSolver {
    /// Group by group.
    contacts: Vec<Prepared>,
    groups: Groups,
    free: Vec<BodyVelocity>,
    acceleration: Acceleration,
    semismooth: Semismooth,
}

impl ContactSolver {
    /// A solver with memory for this many contacts.
    #[must_use]
    pub fn with_capacity(contacts: usize) -> Self {
        Self { contacts: Vec::with_capacity(contacts), ..Self::default() }
    }

    /// Makes velocities and impulses obey Coulomb's law at all contacts. Velocities are given without the contact
    /// impulses (but with all others, such as gravity's) and returned with them; the impulses in the contacts are the
    /// initial guess.
    ///
    /// The result depends on the order of contacts: if several impulses are possible (a table on four legs) in which
    /// one is found, otherwise within the tolerance.
    ///
    /// # Errors
    /// If a contact or a velocity is invalid; velocities and impulses are then unchanged.
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
        let is_finite = |velocity: &BodyVelocity| velocity.linear.is_finite() && velocity.angular.is_finite();
        if let Some(body) = velocities.iter().position(|velocity| !is_finite(velocity)) {
            return Err(ContactError::Velocity { body });
        }
        self.groups.arrange(contacts, masses)?;
        self.contacts.clear();
        for number in self.groups.order() {
            self.contacts.push(Prepared::new(number, &contacts[number], masses)?);
        }
        self.free.clear();
        self.free.extend_from_slice(velocities);
        let mut all = Outcome { status: Status::Solved, sweeps: 0, residual: 0.0 };
        let mut rest = &mut self.contacts[..];
        for count in self.groups.counts() {
            let (group, others) = rest.split_at_mut(*count);
            rest = others;
            group.iter().for_each(|contact| contact.push(masses, velocities, contact.impulse));
            let free = Free { masses, velocities: &self.free };
            let outcome = sweep(group, free, velocities, stopping, (&mut self.acceleration, &mut self.semismooth));
            all.sweeps = all.sweeps.max(outcome.sweeps);
            all.residual = all.residual.max(outcome.residual);
            if outcome.status != Status::Solved {
                all.status = outcome.status;
            }
        }
        for (number, prepared) in self.groups.order().zip(&self.contacts) {
            contacts[number].impulse = prepared.frame * prepared.impulse;
        }
        Ok(all)
    }
}

/// Sweeps over the contacts of one group.
fn sweep(
    contacts: &mut [Prepared],
    free: Free<'_>,
    velocities: &mut [BodyVelocity],
    stopping: Stopping,
    (acceleration, semismooth): (&mut Acceleration, &mut Semismooth),
) -> Outcome {
    acceleration.clear();
    let (mut sweeps, mut pace) = (0, Pace::default());
    loop {
        let residual = largest_residual(contacts, velocities);
        // NaN is not above either; it cannot arise from finite numbers in range.
        if residual <= stopping.tolerance || sweeps >= stopping.sweeps {
            let is_solved = residual <= stopping.tolerance;
            let status = if is_solved { Status::Solved } else { Status::NotConverged };
            return Outcome { status, sweeps, residual };
        }
        // A contact whose impulse changes is not solved yet, so the residual is computed only once changes are
        // small.
        while sweeps < stopping.sweeps {
            sweeps += 1;
            let mut largest = 0.0f64;
            acceleration.begin(contacts);
            for contact in &mut *contacts {
                largest = largest.max(contact.relax(free.masses, velocities, pace.factor()));
            }
            pace.note(largest);
            let attempt = next_attempt(sweeps, stopping.sweeps);
            if sweeps == attempt && sweeps >= PATIENCE {
                semismooth.improve(contacts, free, velocities, stopping.tolerance);
                acceleration.clear();
                break;
            }
            if largest <= stopping.tolerance {
                break;
            }
            acceleration.note(contacts);
            if sweeps + SETTLING < attempt {
                acceleration.extrapolate(contacts, free.masses, velocities);
            }
        }
    }
}

/// The number of sweeps, not less than those made, after which Newton's method is tried next, or that there are at most.
fn next_attempt(sweeps: u32, most: u32) -> u32 {
    let rounds = sweeps.div_ceil(PATIENCE).max(1).checked_next_power_of_two();
    most.min(rounds.map_or(most, |rounds| rounds.saturating_mul(PATIENCE)))
}

/// The largest of contacts \[m/s\].
pub(super) fn largest_residual(contacts: &[Prepared], velocities: &[BodyVelocity]) -> f64 {
    contacts.iter().fold(0.0, |largest: f64, contact| largest.max(contact.residual(velocities)))
}

/// A contact with everything a sweep needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    pub bodies: [usize; 2],
    /// Normal and both tangents, as columns: from contact axes to world axes.
    pub frame: DMat3,
    /// For each body arm x frame, as columns: their inner products with its angular velocity are its contribution to
    /// the velocity at the point.
    pub levers: [DMat3; 2],
    /// For each body the angular velocity due to a unit impulse, in contact axes.
    pub turns: [DMat3; 2],
    pub block: ContactBlock,
    /// W of the contact.
    pub matrix: DMat3,
    /// In the contact's axes, as the next two.
    bias: DVec3,
    pub impulse: DVec3,
}

impl Prepared {
    pub fn new(number: usize, contact: &BodyContact, masses: &[BodyMass]) -> Result<Self, ContactError> {
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
    pub fn velocity(&self, velocities: &[BodyVelocity]) -> DVec3 {
        self.relative(&self.bodies.map(|body| velocities[body])) + self.bias
    }

    /// The first component of u, with the bias.
    fn opening(&self, velocities: &[BodyVelocity]) -> f64 {
        let [first, second] = self.bodies.map(|body| &velocities[body]);
        self.frame.x_axis.dot(second.linear - first.linear) + self.levers[1].x_axis.dot(second.angular)
            - self.levers[0].x_axis.dot(first.angular)
            + self.bias.x
    }

    /// The velocity of the second of two bodies relative to the first, at the point.
    pub fn relative(&self, [first, second]: &[BodyVelocity; 2]) -> DVec3 {
        self.frame.transpose() * (second.linear - first.linear) + self.levers[1].transpose() * second.angular
            - self.levers[0].transpose() * first.angular
    }

    /// Applies an impulse to both bodies.
    pub fn push(&self, masses: &[BodyMass], velocities: &mut [BodyVelocity], impulse: DVec3) {
        let [first, second] = self.bodies;
        let linear = self.frame * impulse;
        velocities[first].linear -= masses[first].inverse_mass * linear;
        velocities[first].angular -= self.turns[0] * impulse;
        velocities[second].linear += masses[second].inverse_mass * linear;
        velocities[second].angular += self.turns[1] * impulse;
    }

    /// Moves the impulse by this fraction towards the solution of this contact alone, and returns the full change as a
    /// velocity \[m/s\].
    fn relax(&mut self, masses: &[BodyMass], velocities: &mut [BodyVelocity], factor: f64) -> f64 {
        // An open contact that opens further stays as it is.
        if self.impulse == DVec3::ZERO && self.opening(velocities) >= 0.0 {
            return 0.0;
        }
        let q = self.velocity(velocities) - self.matrix * self.impulse;
        let way = self.block.solve(q) - self.impulse;
        if way != DVec3::ZERO {
            self.push(masses, velocities, factor * way);
            // In the cone, as both ends are.
            self.impulse += factor * way;
        }
        way.length() * self.block.normal()
    }

    pub fn residual(&self, velocities: &[BodyVelocity]) -> f64 {
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
