//! Check `driven-encounters`: single steps of cars that drive and collide, each judged within bounds of its own.
//!
//! # Conventions
//! As in [`crate::query::DrivenStep`].

mod bound;
mod draw;

use self::bound::StepBound;
use super::answered::{Answered, AnsweredOf, compared};
use super::deviation::{Deviation, judged, worst};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::item;
use super::{Agreement, Engines, ValidationError};
use crate::encounter::driven::COURSE_NUMBERS;
use crate::query::{DrivenStep, DrivenStepAnswer, DrivenSteps, StepContacts};

/// What engines are asked about such encounters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Apart, sliding and turning on their tyres.
    Driving,
    /// At touch: they collide, pass each other, or part.
    Touching,
    /// Apart at first and touching within the step.
    Landing,
    /// Overlapping, as a sustained contact leaves them.
    Overlapping,
    /// Tiny and huge vehicles, long and wide ones, light and heavy to turn, with friction that stops or turns the slip.
    Sizes,
    /// At touch, or at its end, within rounding.
    Borders,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Driving, Self::Touching, Self::Landing, Self::Overlapping, Self::Sizes, Self::Borders];

    fn name(self) -> &'static str {
        match self {
            Self::Driving => "driving",
            Self::Touching => "touching",
            Self::Landing => "landing",
            Self::Overlapping => "overlapping",
            Self::Sizes => "sizes",
            Self::Borders => "borders",
        }
    }
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrivenVehicles;

impl DrawnCheck for DrivenVehicles {
    const NAME: &'static str = "driven-encounters";
    const HELP: &'static str = "Steps of vehicles that drive and collide";
    const ITEM: &'static str = "step";
    const TOUCHING: &'static str = "made to touch";
    // Enough to keep a device busy.
    const BATCH: u64 = 1 << 15;
    type Class = Class;
    type Answers = AnsweredOf<DrivenSteps>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        compared::<DrivenSteps, Self>(engines, items, (), draw::drawn, judge_answer)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        format!("  step    {item:?}\n  judge   {truth:?}\n  engine  {answer:?}\n")
    }
}

/// Names of a course's numbers, each from where it begins.
const NAMES: [(usize, &str); 23] = [
    (0, "time"),
    (1, "place of b from a"),
    (3, "way of a"),
    (5, "heading of a"),
    (7, "turn of a"),
    (8, "velocity of a"),
    (10, "yaw rate of a"),
    (11, "tyres of a"),
    (15, "heading of b"),
    (17, "turn of b"),
    (18, "velocity of b"),
    (20, "yaw rate of b"),
    (21, "tyres of b"),
    (25, "impacts"),
    (26, "time of the first impact"),
    (27, "contact point"),
    (29, "normal"),
    (31, "impulse"),
    (33, "parts of the boxes"),
    (35, "motion after the first impact"),
    (41, "sum of impulses"),
    (44, "peaks"),
    (46, "energy lost"),
];

fn name(number: usize) -> &'static str {
    NAMES.iter().rev().find(|&&(first, _)| first <= number).map_or("time", |&(_, name)| name)
}

/// Of answers that are not the same.
fn judge_answer(item: &DrivenStep, truth: &DrivenStepAnswer, answer: &DrivenStepAnswer) -> Judged {
    let bound = StepBound::new(item);
    let (expected, found) = (truth.course.numbers(), answer.course.numbers());
    let deviation = |number: usize| {
        let error = (found[number] - expected[number]).abs();
        Deviation::new(name(number), error, bound.errors[number])
    };
    let numbers = judged(worst((0..COURSE_NUMBERS).map(deviation)));
    if answer.contacts != truth.contacts {
        let bits = 0..StepContacts::NAMES.len();
        let given = bits.clone().find(|&bit| !bound.decisions[bit].may(answer.contacts.has(bit)));
        return match given {
            Some(bit) => (Agreement::Wrong, StepContacts::NAMES[bit], None),
            // Where a decision is open the bounds hold for both.
            None if numbers.0 == Agreement::Wrong => numbers,
            None => (Agreement::Ambiguous, "another decision, which rounding may give", numbers.2),
        };
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encounter::driven::Course;
    use crate::job::Compute;
    use crate::reference::Reference;
    use crate::validation::item::Class as _;

    /// Steps of a class with the judge's answers.
    fn steps(class: Class, count: u64) -> Vec<(DrivenStep, DrivenStepAnswer)> {
        let items: Vec<DrivenStep> =
            (0..count).map(|number| draw::drawn(&DrawnItem { class, seed: 3, number }).item).collect();
        let answers = Reference::new(2).unwrap().compute::<DrivenSteps>((), &items).unwrap();
        items.into_iter().zip(answers).collect()
    }

    #[test]
    fn classes_have_what_they_are_named_for() {
        for &class in Class::CLASSES {
            let steps = steps(class, 2000);
            let share =
                |bit: usize| steps.iter().filter(|(_, answer)| answer.contacts.has(bit)).count() as f64 / 2000.0;
            let shares: [f64; 8] = std::array::from_fn(share);
            println!("{}: {:?} {shares:.3?}", item::Class::name(class), StepContacts::NAMES);
            let (bit, least) = match class {
                Class::Driving => (0, 0.0),
                Class::Touching | Class::Overlapping | Class::Sizes => (3, 0.2),
                Class::Landing => (6, 0.2),
                Class::Borders => (0, 0.1),
            };
            assert!(shares[bit] >= least);
            assert!(shares[7] == 0.0, "a search has not ended");
        }
    }

    #[test]
    fn an_open_decision_excuses_no_number_beyond_the_bounds_of_both() {
        let mut open = 0;
        for (item, truth) in steps(Class::Borders, 300) {
            let bound = StepBound::new(&item);
            let Some(bit) = bound.decisions.iter().position(|decided| !decided.certain) else { continue };
            open += 1;
            let mut answer = truth;
            answer.contacts.0 ^= 1 << bit;
            assert_ne!(judge_answer(&item, &truth, &answer).0, Agreement::Match);
            let mut numbers = answer.course.numbers();
            numbers[0] += 1.0;
            answer.course = Course::of_numbers(numbers);
            assert_eq!(judge_answer(&item, &truth, &answer).0, Agreement::Wrong);
        }
        assert!(open > 0);
    }

    #[test]
    fn bounds_are_far_below_what_they_bound() {
        for &class in Class::CLASSES {
            let mut ratios: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::new());
            for (item, answer) in steps(class, 1000) {
                let bound = StepBound::new(&item);
                if !bound.decisions.iter().all(|decided| decided.certain) {
                    continue;
                }
                let numbers = answer.course.numbers();
                let speed = numbers[8].hypot(numbers[9]) + numbers[18].hypot(numbers[19]);
                ratios[0].push(bound.errors[8] / speed);
                ratios[1].push(bound.errors[20] / (numbers[20].abs() + numbers[10].abs()));
                ratios[2].push(bound.errors[1] / numbers[1].hypot(numbers[2]));
            }
            assert!(ratios[0].len() > 500 || class == Class::Borders, "{} of 1000 are certain", ratios[0].len());
            for ratios in &mut ratios {
                ratios.sort_by(f64::total_cmp);
            }
            let middle = |ratios: &Vec<f64>| ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
            let middles = [0, 1, 2].map(|k| middle(&ratios[k]));
            println!(
                "{}: {} of 1000 are certain, bounds of velocity, yaw rate and place over these {middles:?}",
                item::Class::name(class),
                ratios[0].len()
            );
            assert!(middles.iter().all(|&middle| middle < 2e-3), "{middles:?}");
        }
    }
}
