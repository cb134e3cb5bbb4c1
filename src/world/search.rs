//! Which bodies meet in a step.

use glam::DVec3;

use super::contact::{Contact, Partner};
use super::definition::{Contacts, World};
use super::motion::Motion;
use super::shape::BodyShape;
use super::touch::{Touch, plane_at_end, plane_on_way, spheres_at_end, spheres_on_way};

/// The box that holds a body on its way through the step.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: DVec3,
    max: DVec3,
}

impl Extent {
    fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// What a search knows of a step.
pub(super) struct Ways<'a> {
    pub world: &'a World,
    /// Where bodies are at the start of the step.
    pub motions: &'a [Motion],
    /// Their displacements over the step \[m\].
    pub ways: &'a [DVec3],
    /// Gaps up to this are rounding \[m\].
    pub closed: f64,
    /// Whether they are still part of the world.
    pub present: &'a [bool],
    /// Restitution and friction of bodies, then of walls, each as a square root.
    pub surfaces: &'a [[f64; 2]],
}

/// What searches keep, so that they need no memory of their own.
#[derive(Debug, Default)]
pub(super) struct Searched {
    extents: Vec<Extent>,
}

impl Searched {
    /// Calls `found` for each contact, in the order of flags: walls first, by body and wall; then pairs.
    pub fn contacts(&mut self, step: &Ways<'_>, mut found: impl FnMut(Contact)) {
        let bodies = step.motions.len();
        self.extents.clear();
        self.extents.extend((0..bodies).map(|body| step.extent(body)));
        for body in (0..bodies).filter(|&body| step.present[body]) {
            for wall in 0..step.world.walls.len() {
                step.at_wall(wall, body).into_iter().for_each(&mut found);
            }
        }
        for first in (0..bodies).filter(|&first| step.present[first]) {
            let extent = self.extents[first];
            for second in (first + 1..bodies).filter(|&second| step.present[second]) {
                if extent.meets(&self.extents[second]) {
                    step.of_pair(first, second).into_iter().for_each(&mut found);
                }
            }
        }
    }
}

impl Ways<'_> {
    fn extent(&self, body: usize) -> Extent {
        let (from, reach) = (self.motions[body].position, self.world.bodies[body].shape.reach());
        let to = from + self.ways[body];
        Extent { min: from.min(to) - reach, max: from.max(to) + reach }
    }

    fn at_wall(&self, wall: usize, body: usize) -> Option<Contact> {
        let (normal, offset) = (self.world.walls[wall].normal, self.world.walls[wall].offset);
        let BodyShape::Sphere { radius } = self.world.bodies[body].shape;
        let gap = normal.dot(self.motions[body].position) - offset - radius;
        let way = self.ways[body];
        let touch = match self.world.contacts {
            Contacts::EndOfStep => plane_at_end(normal, gap, way),
            Contacts::Swept => plane_on_way(normal, gap, way, self.closed),
        }?;
        Some(self.contact(Partner::Wall(wall), body, &touch, [DVec3::ZERO, -radius * touch.normal]))
    }

    fn of_pair(&self, first: usize, second: usize) -> Option<Contact> {
        let offset = self.motions[second].position - self.motions[first].position;
        let [BodyShape::Sphere { radius: one }, BodyShape::Sphere { radius: other }] =
            [&self.world.bodies[first].shape, &self.world.bodies[second].shape];
        let way = self.ways[second] - self.ways[first];
        let touch = match self.world.contacts {
            Contacts::EndOfStep => spheres_at_end(offset, one + other, way),
            Contacts::Swept => spheres_on_way(offset, one + other, way, self.closed),
        }?;
        let arms = [*one * touch.normal, -*other * touch.normal];
        Some(self.contact(Partner::Body(first), second, &touch, arms))
    }

    fn contact(&self, partner: Partner, body: usize, touch: &Touch, arms: [DVec3; 2]) -> Contact {
        let Touch { share, normal, gap } = *touch;
        let of_partner = self.surfaces[match partner {
            Partner::Body(first) => first,
            Partner::Wall(wall) => self.motions.len() + wall,
        }];
        let [restitution, friction] = std::array::from_fn(|number| of_partner[number] * self.surfaces[body][number]);
        Contact { partner, body, normal, gap, share, approach: 0.0, restitution, friction, impulse: DVec3::ZERO, arms }
    }
}
