//! Job `deck_landing`: what landings on moving decks come to.
//!
//! # Conventions
//! As in [`mod@crate::deck`]. All landings of a call share aircraft and deck; what may differ is in [`DeckStart`].

use crate::deck::{DeckLanding, DeckOutcome, DeckStart, DeckStep, DeckStepped};
use crate::job::Job;

/// Job `deck_landing`: a landing from each start to its end.
///
/// A landing and its start come from a study's files: see `DeckLandingModel`.
#[derive(Clone, Copy, Debug)]
pub struct DeckLandings;

impl Job for DeckLandings {
    const NAME: &'static str = "deck_landing";
    type Shared<'a> = &'a DeckLanding;
    type Item = DeckStart;
    type Answer = DeckOutcome;
}

/// Job `deck_step`: one step of a landing from where it was recorded, by which engines are compared.
#[derive(Clone, Copy, Debug)]
pub struct DeckSteps;

impl Job for DeckSteps {
    const NAME: &'static str = "deck_step";
    type Shared<'a> = &'a DeckLanding;
    type Item = DeckStep;
    type Answer = DeckStepped;
}
