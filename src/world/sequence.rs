//! Impulses one after the other: what meets fastest collides first, until nothing approaches.
//!
//! In a row of balls this passes a blow from ball to ball, as real cradles do (errata 001.8).

use super::contact::Contact;
use super::impulses::Row;
use super::motion::{Inertia, Twist};

/// Most collisions in a step, for each contact. Balls between others may collide for ever, ever slower; what is left then
/// is resolved at once.
const MAX_COLLISIONS: usize = 1000;
/// A speed of approach that is none, in parts of the fastest one of the step.
const TOLERANCE: f64 = 1e-13;

/// Lets contacts collide one after the other. `approach` of a contact is the speed with which they meet, `twists` are the
/// velocities before, without what forces add during the step, and those after. Sets the bias of each row: what the parting
/// speed must be in the end, when forces have acted and contacts bear them.
pub(super) fn collide(contacts: &mut [Contact], rows: &mut [Row], inertias: &[Inertia], twists: &mut [Twist]) {
    // What forces have added to the parting speed until they meet.
    let gained = |contact: &Contact, row: &Row, twists: &[Twist]| contact.approach - row.parting(twists);
    contacts.iter().zip(&mut *rows).for_each(|(contact, row)| row.bias = gained(contact, row, twists));
    let fastest = contacts.iter().fold(0.0, |fastest: f64, contact| fastest.max(contact.approach.abs()));
    for _ in 0..MAX_COLLISIONS * rows.len() {
        let speeds = rows.iter().map(|row| row.parting(twists) + row.bias).enumerate();
        let first = speeds.fold(None, |least: Option<(usize, f64)>, (number, speed)| match least {
            Some((_, slower)) if slower <= speed => least,
            _ => Some((number, speed)),
        });
        let Some((number, speed)) = first.filter(|(_, speed)| *speed < -TOLERANCE * fastest) else { break };
        let (contact, row) = (&mut contacts[number], &rows[number]);
        let impulse = row.impulse_for(-(1.0 + contact.restitution) * speed);
        contact.impulse += impulse;
        row.push(impulse, inertias, twists);
    }
    for (contact, row) in contacts.iter().zip(rows) {
        let parting = row.parting(twists) + row.bias;
        // What collided goes on to part as it does. What did not may come back as fast as Newton's law lets it.
        let collided = contact.impulse > 0.0 && parting >= 0.0;
        row.bias = if collided { -parting } else { contact.restitution * parting };
    }
}
