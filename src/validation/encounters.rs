//! Check `encounters`: vehicles that meet, each judged within bounds of its own.
//!
//! # Conventions
//! As in [`crate::query::Encounter`].

mod bound;
pub(super) mod bounded;
mod draw;

use self::bound::EncounterBound;
pub(super) use self::bounded::{Bounded, Decided};
use super::answered::{Answered, AnsweredOf, compared};
use super::deviation::{Deviation, judged, worst};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::item;
use super::{Agreement, Engines, ValidationError};
use crate::encounter::Frame;
use crate::query::{Encounter, EncounterAnswer, EncounterStatus, Encounters};
use glam::DVec2;

/// Share of a number that f64 may be off where two engines do the same to it.
const SAME: f64 = 1e-12;

/// What engines are asked about encounters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Vehicles that drive along each other, or nearly.
    Traffic,
    /// Any headings.
    Crossing,
    /// Vehicles that hardly touch, or hardly miss each other.
    Grazes,
    /// Ellipsoids that overlap at the start, or are near it.
    Overlapping,
    /// Tiny and huge vehicles, long and wide ones.
    Sizes,
    /// Little inertia, and friction that stops or turns the slip.
    Friction,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Traffic, Self::Crossing, Self::Grazes, Self::Overlapping, Self::Sizes, Self::Friction];

    fn name(self) -> &'static str {
        match self {
            Self::Traffic => "traffic",
            Self::Crossing => "crossing",
            Self::Grazes => "grazes",
            Self::Overlapping => "overlapping",
            Self::Sizes => "sizes",
            Self::Friction => "friction",
        }
    }
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeetingVehicles;

impl DrawnCheck for MeetingVehicles {
    const NAME: &'static str = "encounters";
    const HELP: &'static str = "Vehicles that meet, and their impacts";
    const ITEM: &'static str = "encounter";
    const TOUCHING: &'static str = "made to graze";
    // Enough to keep a device busy.
    const BATCH: u64 = 1 << 16;
    type Class = Class;
    type Answers = AnsweredOf<Encounters>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        compared::<Encounters, Self>(engines, items, (), draw::drawn, judge_answer)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        format!("  encounter  {item:?}\n  judge      {truth:?}\n  engine     {answer:?}\n")
    }
}

/// Of answers that are not the same.
fn judge_answer(item: &Encounter, truth: &EncounterAnswer, answer: &EncounterAnswer) -> Judged {
    if truth.status == EncounterStatus::BadInput || answer.status == EncounterStatus::BadInput {
        return (Agreement::Wrong, "another status", None);
    }
    let (frame, meeting) = Frame::new(item);
    let bound = EncounterBound::new(&meeting);
    if !bound.allows(answer.status) {
        return (Agreement::Wrong, "another status, which rounding does not give", None);
    }
    if answer.status != truth.status {
        // Of a contact that the judge has not: what follows from its own numbers.
        let own = match answer.status {
            EncounterStatus::Contact => judged(worst(deviations(item, &frame, &bound, answer, answer))),
            _ => (Agreement::Match, "nothing", None),
        };
        return match own.0 {
            Agreement::Wrong => own,
            _ => (Agreement::Ambiguous, "another status, which rounding may give", own.2),
        };
    }
    if answer.status != EncounterStatus::Contact {
        return (Agreement::Match, "the same status", None);
    }
    let edges = bound.contact.on_edge;
    if answer.parts.is_some() != truth.parts.is_some()
        || answer.parts.is_some_and(|parts| edges.iter().zip(parts.0).any(|(edge, found)| !edge.may(found)))
    {
        return (Agreement::Wrong, "other parts of the boxes", None);
    }
    let otherwise = (answer.parts != truth.parts).then_some("other parts of the boxes");
    let deviations = deviations(item, &frame, &bound, truth, answer);
    match (judged(worst(deviations)), otherwise) {
        (wrong @ (Agreement::Wrong, ..), _) => wrong,
        ((_, _, worst), Some(why)) => (Agreement::Ambiguous, why, worst),
        (judged, None) => judged,
    }
}

fn deviations(
    item: &Encounter,
    frame: &Frame,
    bound: &EncounterBound,
    truth: &EncounterAnswer,
    answer: &EncounterAnswer,
) -> [Deviation; 7] {
    let length = |vector: [Bounded; 2]| vector[0].error.hypot(vector[1].error);
    let of = &bound.contact;
    let momentum = item.mass * frame.speed;
    let speeds = item.vehicles.map(|vehicle| vehicle.speed.abs());
    let time = of.way.error * frame.length / frame.speed;
    let point = length(of.arm) * frame.length + speeds[0] * time;
    let place = truth.point.length() + item.vehicles[0].position.length();
    let number = |what, found: f64, expected: f64, bound: f64| {
        Deviation::new(what, (found - expected).abs(), bound + SAME * expected.abs())
    };
    let vector =
        |what, found: DVec2, expected: DVec2, bound: f64| Deviation::new(what, (found - expected).length(), bound);
    // What follows from the answer's own numbers, in f64.
    let impulse = answer.impulse * answer.normal + answer.friction_impulse * answer.normal.perp();
    let [mut velocities, mut rates] = [0.0f64; 2];
    for ((vehicle, after), sign) in item.vehicles.iter().zip(&answer.after).zip([-1.0, 1.0]) {
        let before = vehicle.speed * DVec2::from_angle(vehicle.yaw);
        velocities = velocities.max((after.velocity - before - sign * impulse / item.mass).length());
        let arm = answer.point - vehicle.position - before * answer.time;
        rates = rates.max((after.yaw_rate - sign * arm.perp_dot(impulse) / item.yaw_inertia).abs());
    }
    let fast = speeds[0] + speeds[1] + impulse.length() / item.mass;
    let turning = impulse.length() * (place + fast * answer.time) / item.yaw_inertia;
    [
        number("time", answer.time, truth.time, time),
        vector("contact point", answer.point, truth.point, point + SAME * (place + speeds[0] * truth.time)),
        vector("normal", answer.normal, truth.normal, length(of.normal) + SAME),
        number("impulse", answer.impulse, truth.impulse, of.impulse.normal.error * momentum),
        number(
            "impulse of friction",
            answer.friction_impulse,
            truth.friction_impulse,
            of.impulse.tangential.error * momentum + SAME * truth.impulse,
        ),
        Deviation::new("velocities after the impact", velocities, SAME * fast),
        Deviation::new("yaw rates after the impact", rates, SAME * turning),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Compute;
    use crate::query::MetParts;
    use crate::reference::Reference;
    use crate::validation::item::Class as _;

    /// Judges what is made of the judge's answers to some items of each class.
    fn verdicts(change: impl Fn(&Encounter, &mut EncounterAnswer)) -> [u32; Agreement::ALL.len()] {
        let mut counts = [0; Agreement::ALL.len()];
        for &class in Class::CLASSES {
            for number in 0..300 {
                let item = draw::drawn(&DrawnItem::<MeetingVehicles> { class, seed: 3, number }).item;
                let truth = Reference::new(1).unwrap().compute::<Encounters>((), &[item]).unwrap()[0];
                if truth.status != EncounterStatus::Contact || truth.impulse == 0.0 {
                    continue;
                }
                let mut answer = truth;
                change(&item, &mut answer);
                counts[judge_answer(&item, &truth, &answer).0 as usize] += 1;
            }
        }
        counts
    }

    #[test]
    fn a_contact_that_the_judge_misses_still_obeys_its_own_impulse() {
        let mut open = 0;
        for number in 0..300 {
            let item = draw::drawn(&DrawnItem::<MeetingVehicles> { class: Class::Grazes, seed: 3, number }).item;
            let truth = Reference::new(1).unwrap().compute::<Encounters>((), &[item]).unwrap()[0];
            let (_, meeting) = Frame::new(&item);
            if truth.status == EncounterStatus::Missed && EncounterBound::new(&meeting).allows(EncounterStatus::Contact)
            {
                open += 1;
                // Pushed by an impulse that moves nothing.
                let mut answer = truth;
                (answer.status, answer.normal, answer.impulse) = (EncounterStatus::Contact, DVec2::X, item.mass);
                assert_eq!(judge_answer(&item, &truth, &answer).0, Agreement::Wrong, "item {number}");
            }
        }
        assert!(open > 0);
    }

    #[test]
    fn bounds_are_far_below_what_they_bound() {
        let total: u32 = verdicts(|_, _| {}).iter().sum();
        assert!(total > 500);
        for (what, change) in [
            ("time", (|_, answer| answer.time *= 1.0 + 1e-3) as fn(&Encounter, &mut EncounterAnswer)),
            ("point", |item, answer| answer.point.x += 2e-3 * item.sides[0]),
            ("normal", |_, answer| answer.normal = DVec2::from_angle(5e-3).rotate(answer.normal)),
            ("impulse", |_, answer| answer.impulse *= 1.0 + 5e-3),
            ("yaw rate", |_, answer| answer.after[1].yaw_rate += 1e-6),
            ("velocity", |_, answer| answer.after[0].velocity.y += 1e-6),
            ("status", |_, answer| answer.status = EncounterStatus::Missed),
            ("parts of the boxes", |_, answer| answer.parts = answer.parts.is_none().then_some(MetParts([false; 2]))),
        ] {
            let wrong = verdicts(change)[Agreement::Wrong as usize];
            println!("{what}: {wrong} of {total} are called wrong");
            assert!(wrong > total * 8 / 10, "{what}: {wrong} of {total}");
        }
    }
}
