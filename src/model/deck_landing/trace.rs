//! A landing step by step: its columns, and its events in words.

use crate::deck::{DeckClass, DeckOutcome, DeckStepper, Tally};
use crate::model::Watcher;
use crate::table::{Column, ColumnKind};

/// Columns of the body: name, unit, meaning.
const OF_BODY: [(&str, &str, &str); 11] = [
    ("time", "s", "Time since the start, at the start of the step"),
    ("deck_sway", "m", "Deck's middle to starboard of its mean place, at the start of the step"),
    ("deck_heave", "m", "Deck's middle above its mean place, at the start of the step"),
    ("deck_roll", "rad", "Roll of the deck, starboard up, at the start of the step"),
    ("x", "m", "Centre of gravity to starboard, after the step"),
    ("z", "m", "Centre of gravity upwards, after the step"),
    ("roll", "rad", "Roll of the aircraft, starboard up, after the step"),
    ("vx", "m/s", "Velocity to starboard, after the step"),
    ("vz", "m/s", "Velocity upwards, after the step"),
    ("roll_rate", "rad/s", "Rate of the roll, after the step"),
    ("stress", "1", "Greatest stress of the gear by yield stress in the step, while it touches"),
];

/// The columns of a landing's traces.
pub(super) fn columns(initiators: usize) -> Vec<Column> {
    let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
    let mut columns: Vec<Column> = OF_BODY.iter().map(|(name, unit, meaning)| number(name, unit, meaning)).collect();
    for initiator in 1..=initiators {
        columns.push(number(
            &format!("x.{initiator}"),
            "m",
            "Initiator to starboard of the deck's middle, in the deck's axes, at the start of the step",
        ));
        columns.push(number(
            &format!("z.{initiator}"),
            "m",
            "Initiator above the deck's plane, at the start of the step",
        ));
        columns.push(number(
            &format!("load.{initiator}"),
            "N",
            "Force on it across the surface in the step; 0 where nothing presses it",
        ));
    }
    columns
}

/// Tells a watcher of steps and events.
pub(super) struct Teller<'a> {
    watcher: &'a mut dyn Watcher,
    touching: Vec<bool>,
    has_yielded: bool,
}

impl<'a> Teller<'a> {
    pub fn new(watcher: &'a mut dyn Watcher, initiators: usize) -> Self {
        Self { watcher, touching: vec![false; initiators], has_yielded: false }
    }

    pub fn step(&mut self, stepper: &DeckStepper<'_>, _: &Tally) {
        let (state, moment) = (stepper.state(), stepper.moment());
        let pose = stepper.pose();
        let mut row = vec![moment.time, pose.place.x, pose.place.y, pose.roll];
        row.extend([state.place.x, state.place.y, state.roll, state.velocity.x, state.velocity.y, state.roll_rate]);
        row.push(moment.stress);
        for (place, load) in moment.places.iter().zip(&moment.loads) {
            row.extend([place.x, place.y, load.unwrap_or(0.0)]);
        }
        self.watcher.step(&row);
        for (number, load) in moment.loads.iter().enumerate() {
            if load.is_some() != self.touching[number] {
                self.touching[number] = load.is_some();
                let what = if load.is_some() { "touches" } else { "leaves" };
                let state = format!("at {:8.3} m  {:7.3} m/s onto it", moment.places[number].x, moment.onto[number]);
                self.watcher.event(moment.time, &state, &format!("initiator {} {what} the deck", number + 1));
            }
        }
        if moment.stress > 1.0 && !self.has_yielded {
            self.has_yielded = true;
            self.watcher.event(moment.time, &format!("stress {:.3} of yield", moment.stress), "the gear yields");
        }
    }

    pub fn end(&mut self, time: f64, outcome: &DeckOutcome) {
        let words = match outcome.class {
            DeckClass::RolledOver => "it has rolled over",
            DeckClass::SlidOff if outcome.edge_distance.is_none() => "it has fallen past the deck",
            DeckClass::SlidOff => "an initiator is over the edge",
            _ => return,
        };
        self.watcher.event(time, "", words);
    }
}
