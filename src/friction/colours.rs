//! Contacts that can be solved at once.

use super::bodies::{BodyContact, BodyMass};

/// A colour for each contact, from 0 on: those of one colour share no body that gives way, so that whoever solves them
/// at the same time writes no velocity twice and reads none that another writes. In the order of contacts each gets the
/// least colour that none before it has at either of its bodies, so that there are at most one more than the most other
/// contacts that a contact shares a body with. Contacts of bodies that there are not, which
/// [`ContactSolver`](super::ContactSolver) refuses, are taken for ones with what does not give way.
#[must_use]
pub fn contact_colours(masses: &[BodyMass], contacts: &[BodyContact]) -> Vec<u32> {
    let gives_way = |body: &usize| masses.get(*body).is_some_and(|mass| *mass != BodyMass::FIXED);
    // Of each body, whether a contact of it has the colour.
    let mut taken: Vec<Vec<bool>> = vec![Vec::new(); masses.len()];
    let colour = |contact: &BodyContact| {
        let bodies = || contact.bodies.iter().copied().filter(gives_way);
        let is_free = |colour: &usize| bodies().all(|body| !taken[body].get(*colour).copied().unwrap_or(false));
        let colour = (0..).find(is_free).unwrap_or_default();
        for body in bodies() {
            let taken = &mut taken[body];
            taken.resize(taken.len().max(colour + 1), false);
            taken[colour] = true;
        }
        colour as u32
    };
    contacts.iter().map(colour).collect()
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use super::*;
    use crate::friction::drawn::Random;

    fn contact(bodies: [usize; 2]) -> BodyContact {
        let zero = DVec3::ZERO;
        BodyContact { bodies, arms: [zero; 2], normal: DVec3::Z, friction: 0.0, bias: zero, impulse: zero }
    }

    fn masses(bodies: usize) -> Vec<BodyMass> {
        let body = BodyMass { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY };
        [vec![BodyMass::FIXED], vec![body; bodies]].concat()
    }

    #[test]
    fn contacts_of_one_colour_share_no_body_and_colours_are_few() {
        let mut random = Random(11);
        let mut most = 0;
        for bodies in [1, 2, 5, 20, 64] {
            for _ in 0..50 {
                let mut body = |count: usize| (0.5 * (random.next() + 1.0) * count as f64) as usize;
                let some = (0..3 * bodies).map(|_| contact([body(bodies + 1), 1 + body(bodies)]));
                let contacts: Vec<BodyContact> =
                    some.filter(|contact| contact.bodies[0] != contact.bodies[1]).collect();
                let colours = contact_colours(&masses(bodies), &contacts);
                assert_eq!(colours, contact_colours(&masses(bodies), &contacts));
                let share = |a: &BodyContact, b: &BodyContact| a.bodies.iter().any(|x| *x != 0 && b.bodies.contains(x));
                let mut most_shared = 0;
                for (i, a) in contacts.iter().enumerate() {
                    let shared = (0..contacts.len()).filter(|&j| j != i && share(a, &contacts[j]));
                    most_shared = most_shared.max(shared.clone().count());
                    assert!(shared.into_iter().all(|j| colours[j] != colours[i]), "{contacts:?} {colours:?}");
                }
                let count = colours.iter().max().map_or(0, |most| *most as usize + 1);
                assert!(count <= most_shared + 1, "{count} {most_shared}");
                most = most.max(count);
            }
        }
        assert!(most >= 5);
    }

    #[test]
    fn what_does_not_give_way_may_be_shared() {
        let contacts = [[0, 1], [0, 2], [1, 2], [3, 0], [0, 1]].map(contact);
        assert_eq!(contact_colours(&masses(3), &contacts), [0, 0, 1, 0, 2]);
        // Nobody has these.
        assert_eq!(contact_colours(&masses(0), &contacts), [0; 5]);
        assert!(contact_colours(&masses(3), &[]).is_empty());
    }
}
