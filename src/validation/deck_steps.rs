//! Check `deck_steps`: single steps of landings on decks, each judged within bounds of its own.
//!
//! Steps begin where landings of the judge have come to, or anywhere. Collisions and friction jump: where the judge's own numbers leave
//! open which surface an initiator collides with, or whether it stands, another answer is ambiguous.
//!
//! # Conventions
//! As in [`mod@crate::deck`].

mod bound;
pub(super) mod draw;
mod pose;
mod vector;

use self::bound::StepBound;
use super::answered::{Answered, compared};
use super::deviation::{Deviation, judged, worst};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::encounters::Bounded;
use super::item;
use super::{Agreement, Engines, ValidationError};
use crate::deck::{DeckLanding, DeckStep, DeckStepped};
use crate::query::DeckSteps;

/// What engines are asked about steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Landings from the first touch to their rest.
    Landing,
    /// With little friction.
    Slipping,
    /// Beside walls, and where the deck ends.
    Edges,
    /// All modes of the gear, four initiators, and long steps.
    AllModes,
    /// Any place, in contact with any surface.
    Anywhere,
    /// An initiator all but touches.
    Grazing,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Landing, Self::Slipping, Self::Edges, Self::AllModes, Self::Anywhere, Self::Grazing];

    fn name(self) -> &'static str {
        match self {
            Self::Landing => "landing",
            Self::Slipping => "slipping",
            Self::Edges => "edges",
            Self::AllModes => "all_modes",
            Self::Anywhere => "anywhere",
            Self::Grazing => "grazing",
        }
    }
}

/// What the steps of a class share.
#[must_use]
pub fn landing_of(class: Class) -> &'static DeckLanding {
    draw::landing_of(class)
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeckLandingSteps;

impl DrawnCheck for DeckLandingSteps {
    const NAME: &'static str = "deck_steps";
    const HELP: &'static str = "Single steps of skids that land on moving decks";
    const ITEM: &'static str = "step";
    const TOUCHING: &'static str = "made to graze";
    // Some kilobytes each.
    const BATCH: u64 = 1 << 12;
    // The landing up to the step.
    const WORK: u64 = 10;
    type Class = Class;
    type Answers = Answered<DeckStep, DeckStepped>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        let mut comparisons = Vec::with_capacity(items.len());
        for same in items.chunk_by(|a, b| a.class == b.class) {
            let landing = draw::landing_of(same[0].class);
            let judge = |item: &_, truth: &_, answer: &_| judge_step(landing, item, truth, answer);
            comparisons.extend(compared::<DeckSteps, Self>(engines, same, landing, draw::drawn, judge)?);
        }
        Ok(comparisons)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        format!("  step       {item:?}\n  judge      {truth:?}\n  engine     {answer:?}\n")
    }
}

/// Of answers that are not the same.
pub(super) fn judge_step(landing: &DeckLanding, item: &DeckStep, truth: &DeckStepped, answer: &DeckStepped) -> Judged {
    let bound = StepBound::new(landing, item, truth);
    if answer.record.steps != truth.record.steps {
        return (Agreement::Wrong, "another number of steps", None);
    }
    let mut otherwise = None;
    let both = truth.record.contacts.iter().zip(&answer.record.contacts);
    for (contact, ((configuration, grip), (found, found_grip))) in bound.contacts.iter().zip(both) {
        if found != configuration {
            if contact.is_certain {
                return (Agreement::Wrong, "another configuration", None);
            }
            otherwise = Some("another configuration, which rounding may give");
        } else if found_grip.stands != grip.stands {
            if !contact.stands.may(found_grip.stands) {
                return (Agreement::Wrong, "stands instead of slipping, or slips", None);
            }
            otherwise = Some("stands or slips, as rounding has it");
        }
    }
    if let Some(why) = otherwise {
        let judged = followed(landing, item, answer);
        return if judged.0 == Agreement::Wrong { judged } else { (Agreement::Ambiguous, why, judged.2) };
    }
    let (expected, found) = (&truth.outcome, &answer.outcome);
    if truth.record.has_touched != answer.record.has_touched || expected.touchdown_time != found.touchdown_time {
        return (Agreement::Wrong, "another touchdown", None);
    }
    if bound.margin_is_certain && expected.rollover_margin.is_some() != found.rollover_margin.is_some() {
        return (Agreement::Wrong, "on one side or on both", None);
    }
    judged(worst(deviations(landing, item, &bound, truth, answer)))
}

/// Of an answer by the step as the candidate has decided it.
fn followed(landing: &DeckLanding, item: &DeckStep, answer: &DeckStepped) -> Judged {
    let bound = StepBound::new(landing, item, answer);
    let mut all = Vec::new();
    let mut add = |what, expected: Bounded, found: f64| {
        // The step is followed in another order than the judge's, in f64.
        let same = 1e-13 * expected.value.abs();
        all.push(Deviation::new(what, (found - expected.value).abs(), expected.error + same));
    };
    let (record, outcome) = (&answer.record, &answer.outcome);
    let state = &record.state;
    for axis in 0..2 {
        add("place", bound.place[axis], state.place[axis]);
        add("velocity", bound.velocity[axis], state.velocity[axis]);
    }
    add("roll", bound.roll, state.roll);
    add("roll rate", bound.roll_rate, state.roll_rate);
    add("lift", bound.lift, record.lift);
    add("slide", bound.slide, outcome.slide);
    for (bounds, found) in bound.modes.iter().zip(&state.modes) {
        add("modal coordinate", bounds[0], found[0]);
        add("modal rate", bounds[1], found[1]);
    }
    for (contact, (_, grip)) in bound.contacts.iter().zip(&record.contacts) {
        add("pebble", contact.pebble, grip.pebble);
    }
    if record.has_touched {
        for (load, found) in bound.loads.iter().zip(&outcome.peak_loads) {
            add("load", *load, *found);
        }
        add("stress", bound.stress, outcome.stress);
    }
    judged(worst(all))
}

fn deviations(
    landing: &DeckLanding,
    item: &DeckStep,
    bound: &StepBound,
    truth: &DeckStepped,
    answer: &DeckStepped,
) -> Vec<Deviation> {
    let mut all = Vec::new();
    let mut add = |what, [expected, found]: [f64; 2], error: f64| {
        all.push(Deviation::new(what, (found - expected).abs(), error));
    };
    let (expected, found) = (&truth.record, &answer.record);
    let [a, b] = [&expected.state, &found.state];
    for axis in 0..2 {
        add("place", [a.place[axis], b.place[axis]], bound.place[axis].error);
        add("velocity", [a.velocity[axis], b.velocity[axis]], bound.velocity[axis].error);
    }
    add("roll", [a.roll, b.roll], bound.roll.error);
    add("roll rate", [a.roll_rate, b.roll_rate], bound.roll_rate.error);
    add("lift", [expected.lift, found.lift], bound.lift.error);
    for (mode, bounds) in bound.modes.iter().enumerate() {
        add("modal coordinate", [a.modes[mode][0], b.modes[mode][0]], bounds[0].error);
        add("modal rate", [a.modes[mode][1], b.modes[mode][1]], bounds[1].error);
    }
    for (place, contact) in bound.contacts.iter().enumerate() {
        let pebbles = [expected.contacts[place].1.pebble, found.contacts[place].1.pebble];
        add("pebble", pebbles, contact.pebble.error);
    }
    for (number, bounds) in bound.places.iter().enumerate() {
        for (axis, bound) in bounds.iter().enumerate() {
            let places = [expected.places[number][axis], found.places[number][axis]];
            add("place of an initiator", places, bound.error);
        }
    }
    let [a, b] = [&truth.outcome, &answer.outcome];
    if truth.record.has_touched {
        for (number, load) in bound.loads.iter().enumerate() {
            add("load", [a.peak_loads[number], b.peak_loads[number]], load.error);
        }
        add("relative roll", [a.largest_roll, b.largest_roll], bound.relative_roll.error);
        add("stress", [a.stress, b.stress], bound.stress.error);
        let edges = [a.edge_distance, b.edge_distance].map(|distance| distance.unwrap_or(f64::NAN));
        add("distance from the edge", edges, bound.edge_distance.error);
    }
    add("slide", [a.slide, b.slide], bound.slide.error);
    if let (Some(a), Some(b)) = (a.sliding_speed, b.sliding_speed) {
        add("late slide", [a, b].map(|speed| speed * landing.late_time()), bound.slide.error);
    }
    if let (Some(margin), Some(a), Some(b)) = (bound.margin, a.rollover_margin, b.rollover_margin)
        && bound.margin_is_certain
    {
        add("rollover margin", [a, b], margin.error);
    }
    if !item.record.has_touched
        && let (Some(a), Some(b)) = (a.touchdown_speed, b.touchdown_speed)
    {
        // Of one of those that touch.
        let error = bound.onto.iter().map(|onto| onto.error).fold(0.0, f64::max);
        add("touchdown speed", [a, b], error);
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests {
    use super::*;
    use crate::validation::item::Class as _;

    /// Judges what is made of the judge's answers to some items of each class.
    fn verdicts(change: impl Fn(&mut DeckStepped)) -> [u32; Agreement::ALL.len()] {
        let mut counts = [0; Agreement::ALL.len()];
        for &class in Class::CLASSES {
            let landing = draw::landing_of(class);
            for number in 0..60 {
                let item = draw::drawn(&DrawnItem::<DeckLandingSteps> { class, seed: 3, number }).item;
                let truth = item.stepped(landing);
                if truth.outcome.peak_loads[0] == 0.0 {
                    continue;
                }
                let mut answer = truth.clone();
                change(&mut answer);
                counts[judge_step(landing, &item, &truth, &answer).0 as usize] += 1;
            }
        }
        counts
    }

    #[test]
    fn bounds_are_far_below_what_they_bound() {
        let total: u32 = verdicts(|_| {}).iter().sum();
        assert!(total > 100, "{total}");
        for (what, change) in [
            ("place", (|answer| answer.record.state.place.y += 2e-6) as fn(&mut DeckStepped)),
            ("velocity", |answer| answer.record.state.velocity.x += 1e-4),
            ("roll", |answer| answer.record.state.roll += 1e-6),
            ("modal rate", |answer| answer.record.state.modes[0][1] += 5e-2),
            ("pebble", |answer| answer.record.contacts.iter_mut().for_each(|(_, grip)| grip.pebble += 1e-3)),
            ("load", |answer| answer.outcome.peak_loads[0] *= 1.02),
            ("stress", |answer| answer.outcome.stress += 1e-3),
            ("grip", |answer| answer.record.contacts.iter_mut().for_each(|(_, grip)| grip.stands = !grip.stands)),
        ] {
            let wrong = verdicts(change)[Agreement::Wrong as usize];
            println!("{what}: {wrong} of {total} are called wrong");
            assert!(wrong > total * 8 / 10, "{what}: {wrong} of {total}");
        }
    }

    #[test]
    fn what_rounding_decides_still_has_to_follow_from_its_decision() {
        let (mut ambiguous, mut wrong) = (0, 0);
        let landing = draw::landing_of(Class::Grazing);
        for number in 0..300 {
            let item = draw::drawn(&DrawnItem::<DeckLandingSteps> { class: Class::Grazing, seed: 3, number }).item;
            let truth = item.stepped(landing);
            let contacts = StepBound::new(landing, &item, &truth).contacts;
            let Some(open) = contacts.iter().position(|contact| !contact.is_certain) else { continue };
            // The other decision, and what comes of it.
            let mut answer = truth.clone();
            let collision = &mut answer.record.contacts[open].0.collision;
            *collision = if collision.is_some() { None } else { Some(0) };
            let end = StepBound::new(landing, &item, &answer);
            let (record, outcome) = (&mut answer.record, &mut answer.outcome);
            for axis in 0..2 {
                record.state.place[axis] = end.place[axis].value;
                record.state.velocity[axis] = end.velocity[axis].value;
            }
            (record.state.roll, record.state.roll_rate) = (end.roll.value, end.roll_rate.value);
            (record.lift, outcome.slide, outcome.stress) = (end.lift.value, end.slide.value, end.stress.value);
            let modes = record.state.modes.iter_mut().zip(&end.modes);
            modes.for_each(|(mode, end)| *mode = end.map(|number| number.value));
            let grips = record.contacts.iter_mut().zip(&end.contacts);
            grips.for_each(|((_, grip), end)| grip.pebble = end.pebble.value);
            outcome.peak_loads.iter_mut().zip(&end.loads).for_each(|(load, end)| *load = end.value);
            ambiguous += u32::from(judge_step(landing, &item, &truth, &answer).0 == Agreement::Ambiguous);
            answer.record.state.velocity.x += 1e-2;
            wrong += u32::from(judge_step(landing, &item, &truth, &answer).0 == Agreement::Wrong);
        }
        println!("{wrong} of {ambiguous} are called wrong");
        assert!(ambiguous > 0 && wrong == ambiguous, "{wrong} of {ambiguous}");
    }

    /// The text of the bounds is that of a step: its values are the judge's.
    #[test]
    fn the_values_of_bounds_are_those_of_the_judge() {
        for &class in Class::CLASSES {
            let landing = draw::landing_of(class);
            let mut largest = 0.0_f64;
            for number in 0..200 {
                let item = draw::drawn(&DrawnItem::<DeckLandingSteps> { class, seed: 5, number }).item;
                let truth = item.stepped(landing);
                let bound = StepBound::new(landing, &item, &truth);
                let state = &truth.record.state;
                let mut pairs = vec![
                    (bound.place[0], state.place.x),
                    (bound.velocity[1], state.velocity.y),
                    (bound.roll_rate, state.roll_rate),
                    (bound.lift, truth.record.lift),
                    (bound.slide, truth.outcome.slide),
                ];
                pairs.extend(bound.modes.iter().zip(&state.modes).map(|(bound, mode)| (bound[1], mode[1])));
                if truth.record.has_touched {
                    pairs.extend(bound.loads.iter().copied().zip(truth.outcome.peak_loads.iter().copied()));
                    pairs.push((bound.stress, truth.outcome.stress));
                }
                for (bound, value) in pairs {
                    let share = (bound.value - value).abs() / bound.error.max(1e-12);
                    largest = largest.max(share);
                    assert!(share < 1e-4, "{}: item {number}, {bound:?}, {value:e}", class.name());
                }
            }
            println!("{}: values differ by at most {largest:.1e} of the bound", class.name());
        }
    }
}
