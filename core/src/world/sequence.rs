//! Sequential impulses: the fastest approach collides first, until nothing approaches.
//!
//! In a row of balls this passes an impact from ball to ball, as a real Newton's cradle does
//! (docs/theory/complementarity.md, 9).

use super::contact::Contact;
use super::resolver::Resolver;
use crate::friction::{BodyMass, BodyVelocity};

/// Maximum number of collisions per contact in a step. A ball between others may collide indefinitely, ever more
/// slowly; the rest is then resolved simultaneously.
const MAX_COLLISIONS: usize = 1000;
/// A speed of approach that is none, in parts of the fastest one of the step.
const TOLERANCE: f64 = 1e-13;

/// Lets contacts collide one after the other. `approach` of a contact is the speed with which they meet, `velocities` are those
/// before, without what forces add during the step, and those after. Sets the bias of each demand: what the parting speed
/// must be in the end, when forces have acted and contacts bear them.
pub(super) fn collide(
    contacts: &mut [Contact],
    resolver: &mut Resolver,
    masses: &[BodyMass],
    velocities: &mut [BodyVelocity],
) {
    // What forces have added to the parting speed until they meet.
    for (contact, row) in contacts.iter().zip(resolver.rows_mut()) {
        row.bias = contact.approach - row.parting(velocities);
    }
    let fastest = contacts.iter().fold(0.0, |fastest: f64, contact| fastest.max(contact.approach.abs()));
    for _ in 0..MAX_COLLISIONS * contacts.len() {
        let speeds = resolver.rows_mut().iter().map(|row| (row.parting(velocities) + row.bias, row.bias)).enumerate();
        let speeds = speeds.filter(|(number, _)| contacts[*number].slack.is_none());
        let first = speeds.min_by(|(_, (one, _)), (_, (other, _))| one.total_cmp(other));
        let Some((number, (speed, gained))) = first.filter(|(_, (speed, _))| *speed < -TOLERANCE * fastest) else {
            break;
        };
        let contact = &mut contacts[number];
        contact.impulse += resolver.collide(number, masses, velocities, (speed, gained, contact.restitution));
    }
    for (contact, row) in contacts.iter().zip(resolver.rows_mut()) {
        let parting = row.parting(velocities) + row.bias;
        // What collided goes on to part as it does. What did not may come back as fast as Newton's law lets it.
        let collided = contact.normal.dot(contact.impulse) > 0.0 && parting >= 0.0;
        row.bias = match contact.slack {
            Some(slack) => slack,
            None if collided => -parting,
            None => contact.restitution * parting,
        };
    }
    resolver.biases_changed();
}
