//! Check `world_steps`: single steps of worlds of balls and walls with sweeps, each judged within bounds of its own.
//!
//! Steps begin where worlds of the judge have come to, or anywhere: overlapping, at rest, just touching, with one centre. How far f32 may
//! be off after all sweeps is found backwards from each number of the result (`world_steps/tape.rs`). Where rounding may decide
//! whether two are a contact, or meet on their way, the step is followed as the candidate decided (`world_steps/bound.rs`), and
//! has to end there.
//!
//! # Conventions
//! As in [`mod@crate::world`].

mod bound;
mod draw;
mod tape;
#[cfg(test)]
mod tests;

use self::bound::{Followed, follow};
use super::answered::{Answered, compared};
use super::deviation::{Deviation, judged};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::item;
use super::{Agreement, Engines, ValidationError};
use crate::query::WorldSteps;
use crate::world::{Balls, World, WorldStep, WorldStepped};

/// Ways that a step is followed at most where the candidate does not tell how it has decided.
const MAX_WAYS: usize = 64;

/// What engines are asked about steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Three balls of different sizes that fall on a floor and a slope.
    Falling,
    /// Three on top of each other.
    Stack,
    /// Six in a bowl, from their fall to their rest.
    Heap,
    /// Fast balls of very different masses and sizes, which meet on their way.
    Fast,
    /// Overlapping anyhow, with any impulses remembered.
    Anywhere,
    /// Sticking and slipping in turn: friction all but holds.
    Slipping,
    /// Just passing each other or a wall, or just not.
    Grazing,
    /// Just touching, at rest, or with one centre.
    Degenerate,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] = &[
        Self::Falling,
        Self::Stack,
        Self::Heap,
        Self::Fast,
        Self::Anywhere,
        Self::Slipping,
        Self::Grazing,
        Self::Degenerate,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Falling => "falling",
            Self::Stack => "stack",
            Self::Heap => "heap",
            Self::Fast => "fast",
            Self::Anywhere => "anywhere",
            Self::Slipping => "slipping",
            Self::Grazing => "grazing",
            Self::Degenerate => "degenerate",
        }
    }
}

/// What the worlds of a class share.
#[must_use]
pub fn world_of(class: Class) -> &'static World {
    draw::world_of(class)
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BallWorldSteps;

impl DrawnCheck for BallWorldSteps {
    const NAME: &'static str = "world-steps";
    const HELP: &'static str = "Single steps of worlds of balls with sweeps";
    const ITEM: &'static str = "step";
    const TOUCHING: &'static str = "made to touch";
    // Some kilobytes each.
    const BATCH: u64 = 1 << 12;
    type Class = Class;
    type Answers = Answered<WorldStep, WorldStepped>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        let mut comparisons = Vec::with_capacity(items.len());
        for same in items.chunk_by(|a, b| a.class == b.class) {
            let world = draw::world_of(same[0].class);
            let judge = |item: &_, truth: &_, answer: &_| judge_step(world, item, truth, answer);
            comparisons.extend(compared::<WorldSteps, Self>(engines, same, world, draw::drawn, judge)?);
        }
        Ok(comparisons)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        format!("  step       {item:?}\n  judge      {truth:?}\n  engine     {answer:?}\n")
    }
}

/// Of answers that are not the same.
pub(super) fn judge_step(world: &World, item: &WorldStep, truth: &WorldStepped, answer: &WorldStepped) -> Judged {
    let wrong = |why| (Agreement::Wrong, why, None);
    let Some(balls) = Balls::of(world).filter(|_| truth.is_valid && answer.is_valid) else {
        return wrong("a step that can be made, or cannot");
    };
    if answer.motions.len() != truth.motions.len() || answer.present.len() != truth.present.len() {
        return wrong("another number of bodies");
    }
    let mut ways = vec![Vec::new()];
    let mut first: Option<Followed> = None;
    for _ in 0..MAX_WAYS {
        let Some(forced) = ways.pop() else { break };
        let followed = match follow(world, &balls, (item, answer), &forced) {
            Ok(followed) => followed,
            Err(undetermined) => return (Agreement::Ambiguous, undetermined.0, None),
        };
        let ratio = followed.worst.ratio();
        if followed.otherwise.is_none() && ratio <= 1.0 {
            let worst = followed.worst;
            return if followed.is_turned {
                (Agreement::Ambiguous, "decided otherwise, as rounding may", Some(worst))
            } else {
                judged(Some(worst))
            };
        }
        for turned in (forced.len()..followed.untold.len()).rev() {
            let mut way = followed.untold[..turned].to_vec();
            way.push(!followed.untold[turned]);
            ways.push(way);
        }
        first.get_or_insert(followed);
    }
    if !ways.is_empty() {
        return (Agreement::Ambiguous, "more decisions within rounding than are followed", None);
    }
    let (why, worst): (&'static str, Option<Deviation>) = match first {
        Some(Followed { otherwise: Some(why), .. }) => (why, None),
        Some(Followed { worst, .. }) => (worst.what, Some(worst)),
        None => ("nothing", None),
    };
    (Agreement::Wrong, why, worst)
}
