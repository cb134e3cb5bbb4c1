//! Contacts of a step.
//!
//! # Conventions
//! Normals point from the partner to the body: out of walls, and from the first body of a pair to the second.

use glam::DVec3;

use crate::friction::BodyVelocity;

/// What a body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partner {
    /// A wall, by index; fixed solids follow the walls.
    Wall(usize),
    /// A body with a smaller index.
    Body(usize),
}

/// Sort key of a contact.
pub(super) type Order = (bool, usize, usize, usize);

/// A contact of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The wall or body touched.
    pub partner: Partner,
    /// Index of the touching body.
    pub body: usize,
    /// Which of their points: index of a corner, or of a point of contacting faces.
    pub point: usize,
    /// Unit normal from the partner to the body.
    pub normal: DVec3,
    /// Gap along the normal at the start of the step \[m\], negative on overlap.
    pub gap: f64,
    /// Fraction of the step after which they meet; 0 with [`Contacts::EndOfStep`](super::Contacts::EndOfStep).
    pub share: f64,
    /// Normal relative velocity at contact, negative on approach \[m/s\].
    pub approach: f64,
    /// Restitution of the pair: the geometric mean of both.
    pub restitution: f64,
    /// Coefficient of friction of the pair: the geometric mean of both.
    pub friction: f64,
    /// Impulse on the body \[N s\], with its opposite on the partner. Never pulling.
    pub impulse: DVec3,
    /// Speed \[m/s\] up to which it may still approach: of points of facing sides that are apart at the end of the step, unless other contacts
    /// drive them together, what closes their gap by then.
    pub(super) slack: Option<f64>,
    /// How long springs hold bodies that meet like this \[s\]; 0 without springs.
    pub(super) lasts: f64,
    /// From the centres of partner and body to the contact point \[m\].
    pub(super) arms: [DVec3; 2],
}

impl Contact {
    /// Sort key: walls first, by body and wall; then pairs.
    pub(super) fn order(&self) -> Order {
        match self.partner {
            Partner::Wall(wall) => (false, self.body, wall, self.point),
            Partner::Body(first) => (true, first, self.body, self.point),
        }
    }

    /// The partner's index among moving objects: that of a wall is the one after the last body.
    pub(super) fn first(&self, bodies: usize) -> usize {
        match self.partner {
            Partner::Wall(_) => bodies,
            Partner::Body(first) => first,
        }
    }

    /// Separation velocity of partner and body along the normal \[m/s\].
    pub(super) fn parting(&self, twists: &[BodyVelocity]) -> f64 {
        let [first, second] = [&twists[self.first(twists.len() - 1)], &twists[self.body]];
        let [of_first, of_second] = self.arms;
        let velocity = second.linear + second.angular.cross(of_second) - first.linear - first.angular.cross(of_first);
        self.normal.dot(velocity)
    }
}
