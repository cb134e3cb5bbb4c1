//! Newton's method on the velocities of all bodies at once, used where sweeps stall: in stacks, and under heavy bodies on light ones.
//!
//! A proximal method of multipliers on Alart and Curnier's equations (1991). With P their projection and
//! rho = kappa / W for each contact and component, from impulses r the velocities v that solve
//!
//! ```text
//! v - v_free - M^-1 J^T P(r - rho (J v + b)) = 0
//! ```
//!
//! are found by Newton's method, with 1 + M^-1 J^T P' rho J as its matrix; the next impulses are those of P. Where they no longer
//! change Coulomb's law holds. There are six unknowns per body, however many contacts bear it, and where none slides the matrix is
//! regular: impulses that nothing determines, as of a table on four legs, stay what they were. With a large kappa few
//! rounds are needed, with a small one Newton's method finds its way in each, also among contacts that slide and jam.

use glam::{DMat3, DVec3};

use super::bodies::{BodyMass, BodyVelocity, Prepared, largest_residual};
use super::cone::{project_parts, slope_of_parts};
use super::coupled::Coupled;

/// kappa at the start, its factor from round to round, and its limits.
const FIRST_KAPPA: f64 = 100.0;
const GROWTH: f64 = 10.0;
const MIN_KAPPA: f64 = 0.1;
const MAX_KAPPA: f64 = 1e6;
/// Maximum number of Newton's steps in a round, and in all before the last round.
const ROUND_STEPS: u32 = 8;
const MAX_STEPS: u32 = 40;
/// Maximum number of rounds with the largest kappa, one after another, that leave more than this part of the residual.
const MAX_VAIN: u32 = 2;
const GAIN: f64 = 0.5;
/// Maximum number of times that a step is halved.
const HALVINGS: u32 = 4;
/// Steps of a round end where velocities change by less than these parts of the tolerance and of the residual so far.
const OF_TOLERANCE: f64 = 0.1;
const OF_RESIDUAL: f64 = 1e-3;
/// Maximum number of bodies of a group: the system's memory grows with its square.
const MAX_BODIES: usize = 256;

/// Work space, kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Multipliers {
    /// Bodies that contacts move, and where each of all is among them.
    moving: Vec<usize>,
    places: Vec<Option<usize>>,
    system: Coupled,
    /// Impulses at the start of a round, and the best so far.
    impulses: Vec<DVec3>,
    best: Vec<DVec3>,
    /// Velocities of the round, and what they miss.
    velocities: Vec<BodyVelocity>,
    missed: Vec<BodyVelocity>,
}

/// What contacts act on: masses, and velocities without impulses.
#[derive(Clone, Copy)]
pub(super) struct Free<'a> {
    pub masses: &'a [BodyMass],
    pub velocities: &'a [BodyVelocity],
}

impl Multipliers {
    /// Continues from the impulses of a group of contacts, until its residual \[m/s\] is within the tolerance or comes no
    /// nearer to it; then impulses and velocities are those with the smallest residual, which may be those at the start.
    pub fn improve(
        &mut self,
        contacts: &mut [Prepared],
        free: Free<'_>,
        velocities: &mut [BodyVelocity],
        tolerance: f64,
    ) {
        self.arrange(contacts, free.masses);
        if self.moving.len() > MAX_BODIES {
            return;
        }
        self.impulses.clear();
        self.impulses.extend(contacts.iter().map(|contact| contact.impulse));
        self.best.clone_from(&self.impulses);
        let mut least = largest_residual(contacts, velocities);
        let (mut kappa, mut steps, mut vain) = (FIRST_KAPPA, 0, 0);
        while least > tolerance && steps < MAX_STEPS && kappa >= MIN_KAPPA && vain < MAX_VAIN {
            self.velocities.clear();
            self.velocities.extend_from_slice(velocities);
            let accuracy = (OF_TOLERANCE * tolerance).max(OF_RESIDUAL * least);
            let mut changes = (0..ROUND_STEPS).map_while(|_| {
                steps += 1;
                self.step(contacts, free, kappa)
            });
            if !changes.any(|change| change <= accuracy) {
                kappa /= GROWTH;
                continue;
            }
            for (contact, impulse) in contacts.iter_mut().zip(&mut self.impulses) {
                *impulse = project_parts(contact.target(*impulse, &self.velocities, kappa), contact.block.friction());
                contact.impulse = *impulse;
            }
            self.push(contacts, free, velocities);
            let reached = largest_residual(contacts, velocities);
            let is_vain = kappa == MAX_KAPPA && reached > GAIN * least;
            vain = if is_vain { vain + 1 } else { 0 };
            if reached < least {
                least = reached;
                self.best.clone_from(&self.impulses);
            }
            kappa = MAX_KAPPA.min(GROWTH * kappa);
        }
        contacts.iter_mut().zip(&self.best).for_each(|(contact, best)| contact.impulse = *best);
        self.push(contacts, free, velocities);
    }

    /// Velocities of the group with all its impulses.
    fn push(&self, contacts: &[Prepared], free: Free<'_>, velocities: &mut [BodyVelocity]) {
        self.moving.iter().for_each(|&body| velocities[body] = free.velocities[body]);
        contacts.iter().for_each(|contact| contact.push(free.masses, velocities, contact.impulse));
    }

    /// Numbers the bodies that move, and couples those that touch.
    fn arrange(&mut self, contacts: &[Prepared], masses: &[BodyMass]) {
        let is_moving = |body: &usize| masses[*body] != BodyMass::FIXED;
        self.moving.clear();
        self.moving.extend(contacts.iter().flat_map(|contact| contact.bodies).filter(is_moving));
        self.moving.sort_unstable();
        self.moving.dedup();
        self.places.clear();
        self.places.resize(masses.len(), None);
        self.moving.iter().enumerate().for_each(|(place, &body)| self.places[body] = Some(place));
        if self.moving.len() <= MAX_BODIES {
            let pairs = contacts.iter().filter_map(|Prepared { bodies: [one, other], .. }| {
                self.places[*one].zip(self.places[*other]).map(|(one, other)| [one, other])
            });
            self.system.arrange(self.moving.len(), pairs);
        }
    }

    /// One of Newton's steps, or the part of it that comes nearer to the solution. Gives the largest change of a contact's velocity
    /// \[m/s\]; `None` where the matrix is singular to rounding.
    fn step(&mut self, contacts: &[Prepared], free: Free<'_>, kappa: f64) -> Option<f64> {
        let missing = self.miss(contacts, free, kappa);
        let system = &mut self.system;
        system.clear();
        for (entries, &body) in system.vector.iter_mut().zip(&self.moving) {
            let BodyVelocity { linear, angular } = self.missed[body];
            let ([x, y, z], [p, q, r]) = (linear.to_array(), angular.to_array());
            *entries = [x, y, z, p, q, r];
        }
        for (contact, impulse) in contacts.iter().zip(&self.impulses) {
            let target = contact.target(*impulse, &self.velocities, kappa);
            // Change of the impulse per velocity of the contact.
            let slope = slope_of_parts(target, contact.block.friction()) * DMat3::from_diagonal(contact.rho(kappa));
            if slope == DMat3::ZERO {
                continue;
            }
            for [body, end, half] in ENDS.map(|[end, half]| [contact.bodies[end], end, half]) {
                let Some(place) = self.places[body] else { continue };
                let response = contact.response(free.masses, end, half) * slope;
                for [other_end, other_half] in ENDS {
                    let Some(other) = self.places[contact.bodies[other_end]] else { continue };
                    let block = response * contact.lever(other_end, other_half).transpose();
                    system.add([place, half], [other, other_half], &block);
                }
            }
        }
        system.solve()?;
        if !system.vector.as_flattened().iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let change = |body: usize| {
            let entries = self.places[body].map_or([0.0; 6], |place| self.system.vector[place]);
            BodyVelocity { linear: DVec3::from_slice(&entries), angular: DVec3::from_slice(&entries[3..]) }
        };
        let changes = contacts.iter().map(|contact| {
            let bodies = contact.bodies.map(change);
            contact.relative(&bodies).length()
        });
        let largest = changes.fold(0.0, f64::max);
        let (mut part, mut by) = (1.0, 1.0);
        for _ in 0..=HALVINGS {
            for (&body, entries) in self.moving.iter().zip(&self.system.vector) {
                self.velocities[body].linear += by * DVec3::from_slice(entries);
                self.velocities[body].angular += by * DVec3::from_slice(&entries[3..]);
            }
            if self.miss(contacts, free, kappa) < missing {
                break;
            }
            part *= 0.5;
            by = -part;
        }
        Some(largest)
    }

    /// What velocities miss of the round's equations, and the size of that: the sum of squares of what contacts' velocities miss \[m^2/s^2\].
    fn miss(&mut self, contacts: &[Prepared], free: Free<'_>, kappa: f64) -> f64 {
        self.missed.clear();
        self.missed.resize(free.masses.len(), BodyVelocity::default());
        for &body in &self.moving {
            let (from, to) = (&self.velocities[body], &free.velocities[body]);
            self.missed[body] = BodyVelocity { linear: to.linear - from.linear, angular: to.angular - from.angular };
        }
        for (contact, impulse) in contacts.iter().zip(&self.impulses) {
            let target = contact.target(*impulse, &self.velocities, kappa);
            contact.push(free.masses, &mut self.missed, project_parts(target, contact.block.friction()));
        }
        let missed = |contact: &Prepared| {
            let bodies = contact.bodies.map(|body| self.missed[body]);
            contact.relative(&bodies).length_squared()
        };
        contacts.iter().map(missed).sum()
    }
}

/// Ends of a contact, each with both halves of a velocity, linear and angular.
const ENDS: [[usize; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

impl Prepared {
    /// rho of the normal and the tangents.
    fn rho(&self, kappa: f64) -> DVec3 {
        let DMat3 { x_axis, y_axis, z_axis } = self.matrix;
        let tangential = kappa / y_axis.y.max(z_axis.z);
        DVec3::new(kappa / x_axis.x, tangential, tangential)
    }

    /// y.
    fn target(&self, impulse: DVec3, velocities: &[BodyVelocity], kappa: f64) -> DVec3 {
        impulse - self.rho(kappa) * self.velocity(velocities)
    }

    /// Change of half the velocity of a body per impulse.
    fn response(&self, masses: &[BodyMass], end: usize, half: usize) -> DMat3 {
        let of_second = if half == 0 { masses[self.bodies[end]].inverse_mass * self.frame } else { self.turns[end] };
        if end == 0 { -of_second } else { of_second }
    }

    /// What the contact's velocity is an inner product of with half the velocity of a body, as columns.
    fn lever(&self, end: usize, half: usize) -> DMat3 {
        let of_second = if half == 0 { self.frame } else { self.levers[end] };
        if end == 0 { -of_second } else { of_second }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{BodyContact, ContactSolver, Stopping};
    use super::*;
    use crate::lcp::Status;

    fn ball(inverse_mass: f64) -> BodyMass {
        BodyMass { inverse_mass, inverse_inertia: DMat3::IDENTITY * (2.5 * inverse_mass) }
    }

    fn contact(bodies: [usize; 2]) -> BodyContact {
        let arms = [DVec3::ZERO, DVec3::NEG_Z];
        BodyContact { bodies, arms, normal: DVec3::Z, friction: 0.5, bias: DVec3::ZERO, impulse: DVec3::ZERO }
    }

    #[test]
    fn a_column_is_held_beside_another_that_no_sweeps_have_solved() {
        // Balls on each other, each column under a load: 1e3 and 1e7 times as heavy, of which the second takes more rounds.
        let column = |first: usize| [contact([0, first]), contact([first, first + 1]), contact([first + 1, first + 2])];
        let masses: Vec<BodyMass> =
            [BodyMass::FIXED].into_iter().chain([1.0, 1.0, 1e-3, 1.0, 1.0, 1e-7].map(ball)).collect();
        let falling = BodyVelocity { linear: DVec3::Z * -0.1, angular: DVec3::ZERO };
        let solve = |columns: &[usize]| {
            let mut contacts: Vec<BodyContact> = columns.iter().flat_map(|&first| column(first)).collect();
            let mut velocities = [vec![BodyVelocity::default()], vec![falling; 6]].concat();
            let stopping = Stopping { sweeps: 100, tolerance: 1e-10 };
            let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, stopping).unwrap();
            (outcome, contacts)
        };
        let (alone, impulses) = solve(&[1]);
        assert_eq!(alone.status, Status::Solved);
        let (_, beside) = solve(&[1, 4]);
        assert_eq!(impulses[..], beside[..3]);
    }
}
