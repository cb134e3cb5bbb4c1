//! Compliant contacts: springs, with or without damping, in place of impulses.
//!
//! A point at `depth` inside another body is pushed out with `k depth`, and damped by `c` times the rate of the depth.
//! For an effective mass m (of both bodies at the point together), a contact time T and a restitution e:
//!
//! ```text
//! d = -ln(e) / T,   k = m (pi^2 / T^2 + d^2),   c = 2 m d
//! ```
//!
//! A damped contact pulls a little before it ends; only so do restitution and contact time have the requested values.
//! Steps are semi-implicit: forces from positions, then velocities, then positions with these (symplectic Euler).

use std::f64::consts::PI;

use glam::DVec3;

use super::contact::Contact;
use super::definition::Law;
use super::impulses::Row;
use crate::elementary::ln;
use crate::friction::{BodyMass, BodyVelocity};

/// Adds the effect of the contacts to the velocities after the step, in order.
pub(super) fn push_apart(
    law: Law,
    step: f64,
    contacts: &mut [Contact],
    masses: &[BodyMass],
    before: &[BodyVelocity],
    after: &mut [BodyVelocity],
) {
    for contact in &mut *contacts {
        let row = Row::new(contact, masses, 0.0, 0.0);
        let mass = row.impulse_for(1.0);
        let [stiffness, damping] = springs(law, mass, contact.restitution);
        let force = -stiffness * contact.gap - damping * row.parting(before);
        row.push(step * force, masses, after);
        contact.impulse = step * force * contact.normal;
        contact.lasts = match law {
            Law::ViscoElastic { contact_time } => contact_time,
            _ => PI * (mass / stiffness).sqrt(),
        };
    }
    for contact in contacts {
        let friction = rub(contact, masses, after);
        contact.impulse += friction;
    }
}

/// Stiffness \[N/m\] and damping \[N s/m\] of a contact of this mass \[kg\].
fn springs(law: Law, mass: f64, restitution: f64) -> [f64; 2] {
    match law {
        Law::Rigid => [0.0; 2],
        Law::Penalty { stiffness } => [stiffness, 0.0],
        Law::ViscoElastic { contact_time } => {
            let decay = -ln(restitution) / contact_time;
            [mass * ((PI / contact_time).powi(2) + decay * decay), 2.0 * mass * decay]
        }
    }
}

/// Stops sliding, as far as friction allows; returns the impulse \[N s\].
fn rub(contact: &Contact, masses: &[BodyMass], velocities: &mut [BodyVelocity]) -> DVec3 {
    let most = contact.friction * contact.normal.dot(contact.impulse);
    let bodies = [contact.first(masses.len() - 1), contact.body];
    let [first, second] = [0, 1].map(|end: usize| velocities[bodies[end]].at(contact.arms[end]));
    let sliding = (second - first).reject_from_normalized(contact.normal);
    let Some(along) = sliding.try_normalize().filter(|_| most > 0.0) else {
        return DVec3::ZERO;
    };
    let row = Row::new(&Contact { normal: along, ..*contact }, masses, 0.0, 0.0);
    let impulse = row.impulse_for(-sliding.length()).max(-most);
    row.push(impulse, masses, velocities);
    impulse * along
}
