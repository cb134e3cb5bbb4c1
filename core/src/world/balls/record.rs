//! Single steps of worlds of balls, by which engines are compared.

use glam::DVec3;

use super::step::{BallState, BallSteps};
use crate::world::contact::{Order, Partner};
use crate::world::definition::World;
use crate::world::gaps::near;
use crate::world::motion::Motion;
use crate::world::start::WorldStart;

/// What was decided of a contact where a comparison jumps: bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepDecisions(pub u32);

impl StepDecisions {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// There is a gap at the start.
    pub const APART: Self = Self(1);
    /// Two balls are so close at the start that their normal is that of then.
    pub const NEAR: Self = Self(2);
    /// Two balls touch on their free paths.
    pub const MEETS: Self = Self(4);
    /// The speed at the contact is that of a fall through the gap.
    pub const FALLS: Self = Self(8);

    /// With this bit, if it is so.
    #[must_use]
    pub fn with(self, bit: Self, is_so: bool) -> Self {
        if is_so { Self(self.0 | bit.0) } else { Self(self.0 & !bit.0) }
    }

    /// Whether a bit is set.
    #[must_use]
    pub fn has(self, bit: Self) -> bool {
        self.0 & bit.0 != 0
    }
}

/// A contact of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepContact {
    /// The wall or body touched.
    pub partner: Partner,
    /// Index of the touching body.
    pub body: usize,
    /// Fraction of the step after which they meet.
    pub share: f64,
    /// Impulse on the body \[N s\], with its opposite on the partner.
    pub impulse: DVec3,
    /// What was decided of it; without meaning for the step after.
    pub decided: StepDecisions,
}

impl StepContact {
    fn order(&self) -> Order {
        match self.partner {
            Partner::Wall(wall) => (false, self.body, wall, 0),
            Partner::Body(first) => (true, first, self.body, 0),
        }
    }
}

/// A world of balls between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldStep {
    /// Surfaces and masses, and where its bodies are and how they move now.
    pub start: WorldStart,
    /// Whether they are within the bounds.
    pub present: Vec<bool>,
    /// Contacts of the step before: walls first, by body and wall; then pairs.
    pub contacts: Vec<StepContact>,
}

/// What a step comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldStepped {
    /// False if the step cannot be made; nothing else has a meaning then.
    pub is_valid: bool,
    /// Poses and motions of bodies; orientations are those of the start.
    pub motions: Vec<Motion>,
    /// Whether they are within the bounds.
    pub present: Vec<bool>,
    /// Contacts of the step, in the same order.
    pub contacts: Vec<StepContact>,
    /// Deepest penetration at the start \[m\].
    pub depth: f64,
    /// Whether the impulses are accurate.
    pub is_solved: bool,
    /// Whether all bodies that are left are slow.
    pub is_slow: bool,
}

impl WorldStep {
    /// The start of a world: nothing touched before.
    #[must_use]
    pub fn of(start: &WorldStart) -> Self {
        Self { start: start.clone(), present: vec![true; start.motions.len()], contacts: Vec::new() }
    }

    /// Whether a step of this world can be made from here: it has sweeps and is valid, numbers are in the ranges of starts, and
    /// contacts are in their order.
    #[must_use]
    pub fn is_valid(&self, world: &World) -> bool {
        let bodies = world.bodies.len();
        let is_pair = |contact: &StepContact| {
            let is_known = match contact.partner {
                Partner::Wall(wall) => wall < world.walls.len(),
                Partner::Body(first) => first < contact.body,
            };
            is_known && contact.body < bodies && contact.impulse.is_finite()
        };
        world.sweeps.is_some()
            && world.check().is_ok()
            && self.start.check_numbers(world).is_ok()
            && self.present.len() == bodies
            && self.contacts.iter().all(is_pair)
            && self.contacts.is_sorted_by(|one, other| one.order() < other.order())
    }

    /// Makes the step.
    #[must_use]
    pub fn stepped(&self, world: &World) -> WorldStepped {
        let Some(mut steps) = BallSteps::of(world).filter(|_| self.is_valid(world)) else {
            return WorldStepped::invalid();
        };
        let (mut motions, mut present) = (self.start.motions.clone(), self.present.clone());
        let mut contacts = Vec::new();
        let mut memory = self.contacts.iter().map(|contact| (contact.order(), contact.impulse)).collect();
        let is_solved = steps.step(BallState {
            motions: &mut motions,
            present: &mut present,
            masses: &self.start.masses,
            surfaces: &self.start.surfaces(world),
            contacts: &mut contacts,
            memory: &mut memory,
        });
        let of_start = motions.iter_mut().zip(&self.start.motions);
        of_start.for_each(|(motion, start)| motion.orientation = start.orientation);
        let depth =
            near(world, &self.start.motions, &self.present).fold(0.0, |deepest, (.., gap)| f64::max(deepest, -gap));
        let step_contact = |(contact, decided): (&crate::world::Contact, StepDecisions)| StepContact {
            partner: contact.partner,
            body: contact.body,
            share: contact.share,
            impulse: contact.impulse,
            decided,
        };
        WorldStepped {
            is_valid: true,
            contacts: contacts.iter().zip(steps.decisions()).map(step_contact).collect(),
            motions,
            present,
            depth,
            is_solved,
            is_slow: steps.is_slow(),
        }
    }

    /// The state after a step, from which the next one is made.
    #[must_use]
    pub fn after(&self, stepped: &WorldStepped) -> Self {
        let WorldStepped { motions, present, contacts, .. } = stepped.clone();
        Self { start: WorldStart { motions, ..self.start.clone() }, present, contacts }
    }
}

impl WorldStepped {
    /// Of a step that cannot be made.
    #[must_use]
    pub fn invalid() -> Self {
        Self {
            is_valid: false,
            motions: Vec::new(),
            present: Vec::new(),
            contacts: Vec::new(),
            depth: 0.0,
            is_solved: false,
            is_slow: false,
        }
    }
}
