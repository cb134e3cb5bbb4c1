//! Outcomes of worlds.

use super::contact::Partner;

/// How a world ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldClass {
    /// It could not start, or numbers left the finite range.
    Invalid,
    /// A body left the bounds.
    Escaped,
    /// Something was still moving at the end.
    Moving,
    /// All bodies came to rest.
    Settled,
}

/// The first contact of two objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// Time of contact \[s\].
    pub time: f64,
    /// The wall or body touched.
    pub partner: Partner,
    /// Index of the touching body.
    pub body: usize,
}

/// The outcome of a world; for an invalid one everything is 0 or `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOutcome {
    /// How it ends.
    pub class: WorldClass,
    /// Number of steps made.
    pub steps: u64,
    /// Number of contacts, summed over steps.
    pub contacts: u64,
    /// Number of steps whose impulses did not converge.
    pub unsolved: u64,
    /// Time from which on all bodies were at rest \[s\].
    pub rest_time: Option<f64>,
    /// Largest penetration of bodies into each other or into walls \[m\].
    pub penetration: f64,
    /// Largest impulse of a contact on each body \[N s\].
    pub impulses: Vec<f64>,
    /// Loss of kinetic and potential energy from start to end \[J\].
    pub energy_lost: f64,
    /// Root mean square distance of the remaining bodies from their centre \[m\].
    pub spread: Option<f64>,
    /// Number of bodies that left the bounds.
    pub fell_off: u32,
    /// The first contact of two objects that did not touch at the start.
    pub first_touch: Option<FirstTouch>,
}

impl WorldOutcome {
    /// The outcome of a world with this many bodies that cannot start.
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
