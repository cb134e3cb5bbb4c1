//! Items of a job with the answers of both engines.

use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::error::one_each;
use super::{Agreement, Engines, UNEQUAL, ValidationError, equal};
use crate::engine::Engine;
use crate::job::{Compute, Computes, Job};
use crate::parallel;

/// Items that one thread draws or judges at a time: of the dearest, enough that sharing them out costs nothing.
const ITEMS_PER_TASK: usize = 16;

/// An item with both answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered<I, A> {
    /// The item.
    pub item: I,
    /// The judge's answer.
    pub truth: A,
    /// The candidate's.
    pub answer: A,
}

/// The item of a job with both answers.
pub type AnsweredOf<J> = Answered<<J as Job>::Item, <J as Job>::Answer>;

/// A question for both.
pub(super) struct Drawn<I> {
    pub item: I,
    /// Constructed to touch, where rounding alone decides.
    pub made_to_touch: bool,
}

/// Draws items and asks both engines about them. Equal answers match; of others `judge` says
/// what they come to, unless the candidate promises equal ones.
pub(super) fn compared<J, D: DrawnCheck>(
    Engines { judge, candidate }: Engines<'_>,
    items: &[DrawnItem<D>],
    shared: J::Shared<'_>,
    draw: impl Fn(&DrawnItem<D>) -> Drawn<J::Item> + Sync + Send,
    judge_answer: impl Fn(&J::Item, &J::Answer, &J::Answer) -> Judged + Sync,
) -> Result<Vec<Comparison<AnsweredOf<J>>>, ValidationError>
where
    J: Job,
    J::Item: Send,
    J::Answer: PartialEq + std::fmt::Debug + Sync,
    for<'e> dyn Engine + 'e: Computes<J>,
{
    let drawn = parallel::map(items, ITEMS_PER_TASK, draw).into_iter();
    let (items, touching): (Vec<J::Item>, Vec<bool>) = drawn.map(|drawn| (drawn.item, drawn.made_to_touch)).unzip();
    let truths = one_each(judge.compute::<J>(shared, &items)?, items.len())?;
    let answers = one_each(candidate.compute::<J>(shared, &items)?, items.len())?;
    let promises_equality = candidate.promises_equality();
    let judged = parallel::map_numbers(items.len(), ITEMS_PER_TASK, |number| {
        let (truth, answer) = (&truths[number], &answers[number]);
        match equal(truth, answer) {
            true => (Agreement::Match, "the same answer", None),
            false if promises_equality => (Agreement::Wrong, UNEQUAL, None),
            false => judge_answer(&items[number], truth, answer),
        }
    });
    let all = items.into_iter().zip(touching).zip(truths).zip(answers).zip(judged);
    let compared = all.map(|((((item, made_to_touch), truth), answer), judged)| Comparison {
        answers: Answered { item, truth, answer },
        made_to_touch,
        judged,
    });
    Ok(compared.collect())
}
