//! A landing on its way with all that it needs to go on: engines are compared by steps from such records.

use glam::DVec2;

use super::contact::{Configuration, Grip};
use super::landing::{DeckLanding, DeckOutcome, DeckStart, DeckState};
use super::step::DeckStepper;
use super::tally::Tally;

/// Between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckRecord {
    /// Body and gear.
    pub state: DeckState,
    /// By initiator and piece of the deck.
    pub contacts: Vec<(Configuration, Grip)>,
    /// Places of the initiators at the begin of the last step, in the deck's axes \[m\].
    pub places: Vec<DVec2>,
    /// Rotor lift by weight.
    pub lift: f64,
    /// Whether an initiator has touched.
    pub has_touched: bool,
    /// Steps so far.
    pub steps: u32,
}

impl DeckRecord {
    /// Of a landing after so many steps, or where it ends before.
    #[must_use]
    pub fn after(landing: &DeckLanding, start: &DeckStart, steps: u32) -> Self {
        let (mut stepper, mut tally) = (DeckStepper::new(landing, start), Tally::new(landing));
        while stepper.steps() < steps {
            let before = stepper.record(&tally);
            stepper.step(&mut tally);
            if tally.look(landing, start.mass, stepper.moment()) || !stepper.is_finite() {
                return before;
            }
        }
        stepper.record(&tally)
    }
}

/// A step from a record.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckStep {
    /// The landing that it belongs to.
    pub start: DeckStart,
    /// Where it begins.
    pub record: DeckRecord,
}

/// What a step comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckStepped {
    /// After it.
    pub record: DeckRecord,
    /// What was seen of the landing in this step alone; of one that had touched before, with a touchdown at time 0.
    pub outcome: DeckOutcome,
}

impl DeckStep {
    /// Computes it.
    #[must_use]
    pub fn stepped(&self, landing: &DeckLanding) -> DeckStepped {
        let mut stepper = DeckStepper::resumed(landing, &self.start, &self.record);
        let mut tally = Tally::resumed(landing, self.record.has_touched);
        stepper.step(&mut tally);
        tally.look(landing, self.start.mass, stepper.moment());
        DeckStepped { record: stepper.record(&tally), outcome: tally.finish(landing, stepper.is_finite()) }
    }
}
