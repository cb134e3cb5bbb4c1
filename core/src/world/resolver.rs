//! Impulses of a step's contacts, with or without friction.

use glam::DVec3;

use super::contact::Contact;
use super::impulses::{ACCURACY, Row, Solver, largest_speed};
use crate::friction::{BodyContact, BodyMass, BodyVelocity, ContactSolver, Stopping};

/// How far velocities may be from Coulomb's law, in parts of the fastest, and where they are taken for wrong.
const FRICTION: f64 = 1e-8;
const ROUGH: f64 = 1e-3;
/// Most sweeps over contacts with friction, and over those without that are not solved otherwise.
const SWEEPS: u32 = 200;

/// Constraints of contacts, and the impulses that satisfy them.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    rows: Vec<Row>,
    solver: Solver,
    /// The same contacts, as friction needs them.
    rubbing: Vec<BodyContact>,
    rubbed: ContactSolver,
    has_friction: bool,
    free: Vec<BodyVelocity>,
    before: Vec<BodyVelocity>,
    frictionless: Vec<BodyContact>,
}

impl Resolver {
    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.rubbing.clear();
        self.has_friction = false;
    }

    /// Requires a separation velocity of at least `-bias` \[m/s\]; `impulse` is the initial guess \[N s\].
    pub fn demand(&mut self, contact: &Contact, masses: &[BodyMass], bias: f64, impulse: DVec3) {
        let normal = contact.normal;
        self.rows.push(Row::new(contact, masses, bias, impulse.dot(normal).max(0.0)));
        self.rubbing.push(BodyContact {
            bodies: [contact.first(masses.len() - 1), contact.body],
            arms: contact.arms,
            normal,
            friction: contact.friction,
            bias: bias * normal,
            impulse,
        });
        self.has_friction |= contact.friction > 0.0;
    }

    /// Whether each demand takes an impulse, in their order.
    pub fn pushing(&self) -> impl Iterator<Item = bool> {
        self.rows.iter().map(|row| row.impulse > 0.0)
    }

    /// The demands.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }

    /// The same after changes of their biases; impulses as before.
    pub fn biases_changed(&mut self) {
        for (row, rubbing) in self.rows.iter().zip(&mut self.rubbing) {
            rubbing.bias = row.bias * rubbing.normal;
        }
    }

    /// Makes velocities satisfy all constraints. False if it does not converge.
    pub fn change_velocities(&mut self, masses: &[BodyMass], velocities: &mut [BodyVelocity], tolerance: f64) -> bool {
        let speed = largest_speed(&self.rows, velocities);
        if self.has_friction {
            let stopping = Stopping { sweeps: SWEEPS, tolerance: FRICTION * speed };
            let outcome = self.rubbed.solve(masses, velocities, &mut self.rubbing, stopping);
            return outcome.is_ok_and(|outcome| outcome.residual <= ROUGH * speed);
        }
        let missed = self.part(masses, velocities, tolerance * speed);
        for (row, rubbing) in self.rows.iter().zip(&mut self.rubbing) {
            rubbing.impulse = row.impulse * rubbing.normal;
        }
        missed <= ACCURACY * speed
    }

    /// Makes ways, as velocities over the step, part with what is demanded, to the tolerance or to a speed of rounding.
    /// Friction acts on ways by Coulomb's law too: what rests, rests, and what slides goes as far as its deceleration lets it. It
    /// cannot keep bodies from parting.
    pub fn change_ways(
        &mut self,
        masses: &[BodyMass],
        ways: &mut [BodyVelocity],
        tolerance: f64,
        rounding: f64,
    ) -> bool {
        let speed = largest_speed(&self.rows, ways);
        let tolerance = (tolerance * speed).max(rounding);
        let mut are_rubbed = true;
        if self.has_friction {
            self.free.clear();
            self.free.extend_from_slice(ways);
            let stopping = Stopping { sweeps: SWEEPS, tolerance: (FRICTION * speed).max(rounding) };
            let outcome = self.rubbed.solve(masses, ways, &mut self.rubbing, stopping);
            are_rubbed = outcome.as_ref().is_ok_and(|outcome| outcome.residual <= (ROUGH * speed).max(rounding));
            ways.copy_from_slice(&self.free);
            if outcome.is_ok() {
                for (row, rubbing) in self.rows.iter_mut().zip(&self.rubbing) {
                    row.impulse = rubbing.normal.dot(rubbing.impulse).max(0.0);
                    rub(rubbing, masses, ways);
                }
            }
        }
        let missed = self.part(masses, ways, tolerance);
        are_rubbed && missed <= (ACCURACY * speed).max(tolerance)
    }

    /// Parts bodies without friction, to a tolerance \[m/s\]; gives what is missed \[m/s\].
    fn part(&mut self, masses: &[BodyMass], velocities: &mut [BodyVelocity], tolerance: f64) -> f64 {
        self.before.clear();
        self.before.extend_from_slice(velocities);
        let missed = self.solver.solve(&mut self.rows, masses, velocities, tolerance);
        if missed <= tolerance {
            return missed;
        }
        let swept = velocities.to_vec();
        velocities.copy_from_slice(&self.before);
        self.frictionless.clear();
        self.frictionless.extend(self.rows.iter().zip(&self.rubbing).map(|(row, contact)| BodyContact {
            friction: 0.0,
            bias: row.bias * contact.normal,
            impulse: row.impulse * contact.normal,
            ..*contact
        }));
        let stopping = Stopping { sweeps: SWEEPS, tolerance };
        let Ok(outcome) = self.rubbed.solve(masses, velocities, &mut self.frictionless, stopping) else {
            velocities.copy_from_slice(&swept);
            return missed;
        };
        for (row, contact) in self.rows.iter_mut().zip(&self.frictionless) {
            row.impulse = contact.impulse.dot(contact.normal).max(0.0);
        }
        outcome.residual
    }

    /// Lets one contact collide by itself, with a restitution: it meets with `speed`, which forces have changed by `gained`
    /// \[m/s\]. Gives its impulse \[N s\].
    pub fn collide(
        &mut self,
        number: usize,
        masses: &[BodyMass],
        velocities: &mut [BodyVelocity],
        (speed, gained, restitution): (f64, f64, f64),
    ) -> DVec3 {
        let (row, rubbing) = (&self.rows[number], &self.rubbing[number]);
        if rubbing.friction == 0.0 {
            let impulse = row.impulse_for(-(1.0 + restitution) * speed);
            row.push(impulse, masses, velocities);
            return impulse * rubbing.normal;
        }
        let bias = (gained - restitution * -speed) * rubbing.normal;
        let mut alone = [BodyContact { bias, impulse: DVec3::ZERO, ..*rubbing }];
        let stopping = Stopping { sweeps: 2, tolerance: 0.0 };
        // Its contact was taken before; a fault would leave it to be borne with the others.
        let _ = self.rubbed.solve(masses, velocities, &mut alone, stopping);
        alone[0].impulse
    }

    /// What a contact's impulse has come to \[N s\].
    pub fn impulse(&self, number: usize) -> DVec3 {
        self.rubbing[number].impulse
    }
}

/// Gives two bodies the tangential part of an impulse.
fn rub(contact: &BodyContact, masses: &[BodyMass], velocities: &mut [BodyVelocity]) {
    let impulse = contact.impulse.reject_from_normalized(contact.normal);
    for ((body, arm), impulse) in contact.bodies.into_iter().zip(contact.arms).zip([-impulse, impulse]) {
        velocities[body].linear += masses[body].inverse_mass * impulse;
        velocities[body].angular += masses[body].inverse_inertia * arm.cross(impulse);
    }
}
