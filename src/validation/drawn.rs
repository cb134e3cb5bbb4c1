//! Checks of randomly drawn items, each independent.

use std::fmt::Debug;
use std::sync::Arc;

use super::check::so_far;
use super::item::{Class, Fields, Item, saved_class, saved_number, seeded};
use super::words::{Part, errors, verdict_line};
use super::{
    Agreement, Agreements, Aside, Check, Description, Deviation, Engines, Finding, Group, Outcome, ValidationError,
};
use crate::document::{DocumentError, Table};
use crate::engine::Engine;

/// A check of randomly drawn items.
pub trait DrawnCheck: Copy + Debug + Send + Sync + 'static {
    /// Name on the command line, in reports and in files.
    const NAME: &'static str;
    /// What is judged, in brief.
    const HELP: &'static str;
    /// What an item is called.
    const ITEM: &'static str;
    /// What some items are constructed to touch, in words.
    const TOUCHING: &'static str;
    /// Items per call of an engine.
    const BATCH: u64;
    /// Items of other checks that are as much work as one of this.
    const WORK: u64 = 1;
    /// Classes of items.
    type Class: Class;
    /// A question with both answers.
    type Answers: Debug;

    /// Both engines' answers to items, with verdicts.
    ///
    /// # Errors
    /// If an engine fails.
    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError>;

    /// A question and both answers in lines.
    fn lines(answers: &Self::Answers) -> String;

    /// The rounds of the candidate's search for its answer, where it searches.
    fn rounds(_: &Self::Answers) -> Option<u32> {
        None
    }

    /// What is said beside the verdicts of a class, from how many searches took so many rounds.
    fn aside(_: Self::Class, _: &DrawnReport) -> Option<Aside> {
        None
    }
}

/// An item of such a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnItem<D: DrawnCheck> {
    /// What kind of question.
    pub class: D::Class,
    /// The seed that it is drawn from.
    pub seed: u64,
    /// The item's number.
    pub number: u64,
}

/// Agreement, why, and error and bound where numbers were compared.
pub type Judged = (Agreement, &'static str, Option<Deviation>);

/// An item's answers and verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison<A> {
    /// Question and answers.
    pub answers: A,
    /// Constructed to touch, where rounding alone decides.
    pub made_to_touch: bool,
    /// What they come to.
    pub judged: Judged,
}

/// How a candidate did in a class.
#[derive(Clone, Debug)]
pub struct DrawnReport {
    /// The verdicts.
    pub tally: Agreements,
    /// How many of the candidate's searches took so many rounds, by that number.
    pub rounds: Vec<u64>,
}

impl DrawnReport {
    /// The least number of rounds that so large a share of all searches do not exceed; 0 without searches.
    #[must_use]
    pub fn rounds_of(&self, share: f64) -> usize {
        let searches: u64 = self.rounds.iter().sum();
        let mut below = 0;
        self.rounds
            .iter()
            .position(|&count| {
                below += count;
                below as f64 >= share * searches as f64
            })
            .unwrap_or(0)
    }
}

/// Judges a candidate's answers to the first items of a seed in a class; `advanced` receives the counts so far.
///
/// # Errors
/// If an engine fails.
pub fn validate_drawn<D: DrawnCheck>(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (class, seed): (D::Class, u64),
    items: u64,
    advanced: &mut dyn FnMut(&Agreements),
) -> Result<DrawnReport, ValidationError> {
    let mut report = DrawnReport { tally: Agreements::default(), rounds: Vec::new() };
    for first in (0..items).step_by(D::BATCH as usize) {
        let numbers = first..items.min(first + D::BATCH);
        let items: Vec<DrawnItem<D>> = numbers.map(|number| DrawnItem { class, seed, number }).collect();
        let comparisons = D::judge(Engines { judge, candidate }, &items)?;
        for (item, Comparison { answers, made_to_touch, judged }) in items.into_iter().zip(comparisons) {
            if let Some(rounds) = D::rounds(&answers) {
                let rounds = rounds as usize;
                report.rounds.resize(report.rounds.len().max(rounds + 1), 0);
                report.rounds[rounds] += 1;
            }
            report.tally.add(Finding::measured(item, made_to_touch, judged));
        }
        advanced(&report.tally);
    }
    Ok(report)
}

impl<D: DrawnCheck> Check for D {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn help(&self) -> &'static str {
        D::HELP
    }

    fn groups(&self) -> Vec<Group> {
        let group = |&class: &D::Class| {
            Group::new(class.name(), move |engines, seed, items, advanced| {
                let Engines { judge, candidate } = engines;
                let mut heard = |tally: &Agreements| advanced(D::WORK * tally.items(), &so_far(tally));
                let items = items.div_ceil(D::WORK);
                let report = validate_drawn::<D>(judge, candidate, (class, seed), items, &mut heard)?;
                let aside = D::aside(class, &report);
                Ok(Outcome { aside, ..Outcome::of_tally(D::NAME, class.name(), true, report.tally) })
            })
        };
        D::Class::CLASSES.iter().map(group).collect()
    }

    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError> {
        let (class, seed, number) = (saved_class(table)?, saved_number(table, "seed")?, saved_number(table, "item")?);
        Ok(Arc::new(DrawnItem::<D> { class, seed, number }))
    }
}

impl<D: DrawnCheck> Item for DrawnItem<D> {
    fn check(&self) -> &'static str {
        D::NAME
    }

    fn among(&self) -> String {
        seeded(self.class, self.seed)
    }

    fn place(&self) -> String {
        format!("{} {}", D::ITEM, self.number)
    }

    fn fields(&self) -> Fields {
        vec![("class", self.class.name().into()), ("seed", self.seed.into()), ("item", self.number.into())]
    }

    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError> {
        // One for each item.
        let Comparison { answers, made_to_touch, judged } = D::judge(engines, &[*self])?.remove(0);
        let (verdict, why, deviation) = judged;
        let touching = if made_to_touch { format!("  {}\n", D::TOUCHING) } else { String::new() };
        let mut parts = vec![Part::Text(touching + &D::lines(&answers))];
        parts.extend(deviation.map(|deviation| errors(&[("", &[deviation])])));
        parts.push(verdict_line(verdict, why));
        Ok(Description { verdict, parts })
    }
}
