//! Contacts by groups of bodies that touch: what happens in one does not change another.

use super::bodies::{BodyContact, BodyMass, ContactError};

/// The groups of contacts. Its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Each body points to another of its group, the last to itself.
    parents: Vec<usize>,
    /// Group and number of each contact.
    order: Vec<[usize; 2]>,
    counts: Vec<usize>,
}

impl Groups {
    /// Finds the groups. Fixed bodies join none.
    pub fn arrange(&mut self, contacts: &[BodyContact], masses: &[BodyMass]) -> Result<(), ContactError> {
        self.parents.clear();
        self.parents.extend(0..masses.len());
        let is_fixed = |body: usize| masses[body] == BodyMass::FIXED;
        for (number, &BodyContact { bodies: bodies @ [one, other], .. }) in contacts.iter().enumerate() {
            if one == other || one.max(other) >= masses.len() {
                return Err(ContactError::Bodies { contact: number, bodies, count: masses.len() });
            }
            if !is_fixed(one) && !is_fixed(other) {
                let (one, other) = (self.last(one), self.last(other));
                self.parents[one.max(other)] = one.min(other);
            }
        }
        self.order.clear();
        for (number, &BodyContact { bodies: [one, other], .. }) in contacts.iter().enumerate() {
            let group = self.last(if is_fixed(one) { other } else { one });
            self.order.push([group, number]);
        }
        self.order.sort_unstable();
        self.counts.clear();
        self.counts.extend(self.order.chunk_by(|[one, _], [other, _]| one == other).map(<[_]>::len));
        Ok(())
    }

    /// Numbers of all contacts, group by group.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|[_, number]| *number)
    }

    /// The number of contacts of each group.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    fn last(&mut self, mut body: usize) -> usize {
        while self.parents[body] != body {
            // Halved on the way, or piles numbered from their tops would be walked down again and again.
            self.parents[body] = self.parents[self.parents[body]];
            body = self.parents[body];
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use super::*;

    #[test]
    fn bodies_that_touch_are_a_group_and_fixed_ones_join_none() {
        let ball = BodyMass { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY };
        let masses = [BodyMass::FIXED, ball, ball, ball, ball, BodyMass::FIXED];
        let contact = |bodies| BodyContact {
            bodies,
            arms: [DVec3::ZERO; 2],
            normal: DVec3::Z,
            friction: 0.5,
            bias: DVec3::ZERO,
            impulse: DVec3::ZERO,
        };
        let mut groups = Groups::default();
        let pairs = [[0, 1], [2, 3], [1, 4], [0, 3], [3, 5], [4, 0]];
        groups.arrange(&pairs.map(contact), &masses).unwrap();
        assert_eq!(groups.order().collect::<Vec<_>>(), [0, 2, 5, 1, 3, 4]);
        assert_eq!(groups.counts(), [3, 3]);
        groups.arrange(&[], &masses).unwrap();
        assert!(groups.order().next().is_none() && groups.counts().is_empty());
    }
}
