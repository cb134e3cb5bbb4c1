//! What a world comes to.

use super::contact::Partner;

/// How a world ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldClass {
    /// It cannot start, or numbers left the finite range.
    Invalid,
    /// A body left the bounds.
    Escaped,
    /// Something moved to the end.
    Moving,
    /// All bodies came to rest.
    Settled,
}

/// Two that touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// Time of the touch \[s\].
    pub time: f64,
    /// What was touched.
    pub partner: Partner,
    /// What touched it.
    pub body: usize,
}

/// What a world comes to; of an invalid one everything is 0 or `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOutcome {
    /// How it ends.
    pub class: WorldClass,
    /// Steps made.
    pub steps: u64,
    /// Contacts of all steps.
    pub contacts: u64,
    /// Steps whose impulses did not come near the laws of contact and friction.
    pub unsolved: u64,
    /// Time from which on all bodies were at rest \[s\].
    pub rest_time: Option<f64>,
    /// How deep bodies were in each other or in walls at most \[m\].
    pub penetration: f64,
    /// Largest impulse of a contact on each body \[N s\].
    pub impulses: Vec<f64>,
    /// Energy, kinetic and of gravity, that was there at the start and is not in the end \[J\].
    pub energy_lost: f64,
    /// Root mean square distance of the bodies that are left from the middle of them \[m\].
    pub spread: Option<f64>,
    /// Bodies that left the bounds.
    pub fell_off: u32,
    /// The first two that touched of those that did not touch at the start.
    pub first_touch: Option<FirstTouch>,
}

impl WorldOutcome {
    /// Of a world of so many bodies that cannot start.
    #[must_use]
    pub fn invalid(bodies: usize) -> Self {
        Self {
            class: WorldClass::Invalid,
            steps: 0,
            contacts: 0,
            unsolved: 0,
            rest_time: None,
            penetration: 0.0,
            impulses: vec![0.0; bodies],
            energy_lost: 0.0,
            spread: None,
            fell_off: 0,
            first_touch: None,
        }
    }
}
