//! Job `ellipsoids`: contacts of pairs and with walls, each judged within its own bound.
//!
//! Reference and native share one text of the formulas, for one number and for eight: what is found by judging native are
//! faults of lanes. The formulas themselves are held to cases computed elsewhere, and to the distance by climbing.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

mod draw;

use rayon::prelude::*;

use self::draw::Drawn;
use super::deviation::{Deviation, largest};
use super::ellipsoid_bound::{DISPLACEMENTS, deviations_of_pair, deviations_of_wall, displaced};
use super::error::one_each;
use super::steps::verdict;
use super::{Agreement, Agreements, EllipsoidItem, Finding, UNEQUAL, ValidationError, equal};
use crate::engine::Engine;
use crate::job::Compute;
use crate::query::{
    ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls, WallContact,
};

/// Items that engines get at a time; the judge gets each displaced in all of its numbers as well.
const BATCH: u64 = 1 << 13;
/// Items that one thread draws or judges at a time.
const ITEMS_PER_TASK: usize = 256;
/// Ambiguous items allowed, as a share of those that were not made to touch.
const AMBIGUOUS_SHARE: f64 = 1e-3;

/// What engines are asked about ellipsoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EllipsoidClass {
    /// Semi-axes of up to 3 to 1.
    Round,
    /// Semi-axes of up to 30 to 1.
    Long,
    /// Needles of 1000 to 1.
    Needles,
    /// Discs of 1000 to 1.
    Discs,
    /// A needle and a disc of 1000 to 1.
    NeedlesAndDiscs,
    /// Balls, equal bodies side by side, bodies about common axes.
    Aligned,
    /// Bodies that all but touch.
    NearTangent,
    /// Bodies whose centres all but coincide.
    Deep,
    /// Bodies far apart.
    Far,
    /// A body and a wall.
    Walls,
}

impl EllipsoidClass {
    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::Round,
        Self::Long,
        Self::Needles,
        Self::Discs,
        Self::NeedlesAndDiscs,
        Self::Aligned,
        Self::NearTangent,
        Self::Deep,
        Self::Far,
        Self::Walls,
    ];

    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Long => "long",
            Self::Needles => "needles",
            Self::Discs => "discs",
            Self::NeedlesAndDiscs => "needles-and-discs",
            Self::Aligned => "aligned",
            Self::NearTangent => "near-tangent",
            Self::Deep => "deep",
            Self::Far => "far",
            Self::Walls => "walls",
        }
    }
}

/// A question about ellipsoids, with both answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EllipsoidAnswers {
    /// A pair.
    Pair {
        /// The question.
        pair: EllipsoidPair,
        /// The judge's answer.
        truth: EllipsoidContact,
        /// The candidate's.
        answer: EllipsoidContact,
    },
    /// An ellipsoid and a wall.
    Wall {
        /// The question.
        wall: EllipsoidWall,
        /// The judge's answer.
        truth: WallContact,
        /// The candidate's.
        answer: WallContact,
    },
}

/// What an item comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidFinding {
    /// Which it is.
    pub item: EllipsoidItem,
    /// The verdict.
    pub verdict: Agreement,
    /// What the largest error is an error of, or what was decided otherwise.
    pub why: &'static str,
    /// The largest error and its bound, where numbers were compared.
    pub deviation: Option<Deviation>,
}

impl EllipsoidFinding {
    /// True for pairs that were made to touch, where rounding alone decides whether they overlap.
    #[must_use]
    pub fn made_to_touch(&self) -> bool {
        self.item.class == EllipsoidClass::NearTangent
    }
}

/// An item with both answers, and what it comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidComparison {
    /// Question and answers.
    pub answers: EllipsoidAnswers,
    /// What they come to.
    pub finding: EllipsoidFinding,
}

/// How a candidate did in a class.
#[derive(Clone, Debug)]
pub struct EllipsoidReport {
    /// The verdicts.
    pub tally: Agreements,
    /// How many of the candidate's searches took so many rounds of Newton's method, by that number.
    pub rounds: Vec<u64>,
}

impl EllipsoidReport {
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

/// Judges a candidate's answers to the first items of a seed in a class; `advanced` hears the counts so far.
///
/// # Errors
/// When an engine fails.
pub fn validate_ellipsoids(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (class, seed): (EllipsoidClass, u64),
    items: u64,
    advanced: &mut dyn FnMut(&Agreements),
) -> Result<EllipsoidReport, ValidationError> {
    let mut report = EllipsoidReport { tally: Agreements::new(AMBIGUOUS_SHARE), rounds: Vec::new() };
    for first in (0..items).step_by(BATCH as usize) {
        let numbers = first..items.min(first + BATCH);
        let items: Vec<EllipsoidItem> = numbers.map(|number| EllipsoidItem { class, seed, number }).collect();
        for EllipsoidComparison { answers, finding } in judge_ellipsoids(judge, candidate, &items)? {
            if let EllipsoidAnswers::Pair { answer: EllipsoidContact { iterations, .. }, .. } = answers {
                let rounds = iterations as usize;
                report.rounds.resize(report.rounds.len().max(rounds + 1), 0);
                report.rounds[rounds] += 1;
            }
            report.tally.add(Finding::Ellipsoid(finding));
        }
        advanced(&report.tally);
    }
    Ok(report)
}

/// Both engines' answers to items, and what they come to.
///
/// # Errors
/// When an engine fails.
pub fn judge_ellipsoids(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    items: &[EllipsoidItem],
) -> Result<Vec<EllipsoidComparison>, ValidationError> {
    let drawn: Vec<Drawn> = items.par_iter().with_min_len(ITEMS_PER_TASK).map(draw::drawn).collect();
    let mut walls = Vec::new();
    let (mut pairs, mut factors) = (Vec::new(), Vec::new());
    for question in drawn {
        match question {
            Drawn::Pair { pair, mu } => {
                pairs.push(pair);
                factors.push(mu);
            }
            Drawn::Wall(wall) => walls.push(wall),
        }
    }
    move_to_touch(judge, &mut pairs, &factors)?;
    let mut compared = judge_pairs(judge, candidate, &pairs)?;
    compared.extend(judge_walls(judge, candidate, &walls)?);
    // A class asks one kind of question.
    let comparisons = items.iter().zip(compared).map(|(item, (answers, (verdict, why, deviation)))| {
        EllipsoidComparison { answers, finding: EllipsoidFinding { item: *item, verdict, why, deviation } }
    });
    Ok(comparisons.collect())
}

/// Moves the second body of each pair so that both touch when grown by its factor.
fn move_to_touch(judge: &dyn Engine, pairs: &mut [EllipsoidPair], factors: &[f64]) -> Result<(), ValidationError> {
    let contacts = one_each(judge.compute::<EllipsoidPairs>((), pairs)?, pairs.len())?;
    for ((pair, contact), mu) in pairs.iter_mut().zip(contacts).zip(factors) {
        let way = pair.b.center - pair.a.center;
        pair.b.center = pair.a.center + way * (mu / contact.mu);
    }
    Ok(())
}

/// Agreement, why, and error and bound where numbers were compared.
type Judgement = (Agreement, &'static str, Option<Deviation>);

fn judge_pairs(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    pairs: &[EllipsoidPair],
) -> Result<Vec<(EllipsoidAnswers, Judgement)>, ValidationError> {
    let truths = one_each(judge.compute::<EllipsoidPairs>((), pairs)?, pairs.len())?;
    let answers = one_each(candidate.compute::<EllipsoidPairs>((), pairs)?, pairs.len())?;
    let promises_equality = candidate.promises_equality();
    let displaced: Vec<EllipsoidPair> =
        if promises_equality { Vec::new() } else { pairs.par_iter().flat_map_iter(displaced).collect() };
    let moved = one_each(judge.compute::<EllipsoidPairs>((), &displaced)?, displaced.len())?;
    let judged = pairs.par_iter().zip(truths).zip(answers).enumerate().map(|(number, ((pair, truth), answer))| {
        let judgement = if promises_equality {
            judge_equality(&truth, &answer)
        } else {
            judge_contact(pair, &truth, &answer, &moved[DISPLACEMENTS * number..DISPLACEMENTS * (number + 1)])
        };
        (EllipsoidAnswers::Pair { pair: *pair, truth, answer }, judgement)
    });
    Ok(judged.collect())
}

fn judge_walls(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    walls: &[EllipsoidWall],
) -> Result<Vec<(EllipsoidAnswers, Judgement)>, ValidationError> {
    let truths = one_each(judge.compute::<EllipsoidWalls>((), walls)?, walls.len())?;
    let answers = one_each(candidate.compute::<EllipsoidWalls>((), walls)?, walls.len())?;
    let promises_equality = candidate.promises_equality();
    let judged = walls.iter().zip(truths).zip(answers).map(|((wall, truth), answer)| {
        let judgement = if promises_equality {
            judge_equality(&truth, &answer)
        } else if answer.status == truth.status {
            of_deviations(&deviations_of_wall(wall, &truth, &answer), None)
        } else {
            (Agreement::Wrong, "another status", None)
        };
        (EllipsoidAnswers::Wall { wall: *wall, truth, answer }, judgement)
    });
    Ok(judged.collect())
}

fn judge_equality<T: PartialEq + std::fmt::Debug>(truth: &T, answer: &T) -> Judgement {
    if equal(truth, answer) { (Agreement::Match, "equal", None) } else { (Agreement::Wrong, UNEQUAL, None) }
}

fn judge_contact(
    pair: &EllipsoidPair,
    truth: &EllipsoidContact,
    answer: &EllipsoidContact,
    displaced: &[EllipsoidContact],
) -> Judgement {
    if answer.status != truth.status || truth.status != ContactStatus::Ok {
        return (Agreement::Wrong, "another status", None);
    }
    let otherwise = ((answer.f < 1.0) != (truth.f < 1.0)).then_some("overlap");
    of_deviations(&deviations_of_pair(pair, truth, answer, displaced), otherwise)
}

/// Of numbers with these errors: the verdict, or another where they are right but something is decided otherwise.
fn of_deviations(deviations: &[Deviation], otherwise: Option<&'static str>) -> Judgement {
    let (ratio, what) = largest(deviations);
    let worst = deviations.iter().copied().find(|deviation| deviation.what == what);
    match (verdict(ratio), otherwise) {
        (Agreement::Match | Agreement::WithinBound, Some(why)) => (Agreement::Ambiguous, why, worst),
        (verdict, _) => (verdict, what, worst),
    }
}
