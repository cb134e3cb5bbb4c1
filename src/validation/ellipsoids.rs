//! Check `ellipsoids`: contacts of pairs and with walls, each judged within its own bound.
//!
//! Reference and native share the source of the formulas, for one number and for eight: judging native finds errors of
//! the lanes. The formulas themselves are tested against independently computed cases, and against the distance found
//! by optimization.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

mod draw;

use self::draw::Drawn;
use super::check::Aside;
use super::deviation::{Deviation, judged, worst};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, DrawnReport, Judged};
use super::ellipsoid_bound::{DISPLACEMENTS, deviations_of_pair, deviations_of_wall, displaced};
use super::error::one_each;
use super::item::Class;
use super::{Agreement, Engines, UNEQUAL, ValidationError, equal};
use crate::engine::Engine;
use crate::job::Compute;
use crate::parallel;
use crate::query::{
    ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls, WallContact,
};

/// Items that one thread draws or judges at a time.
const ITEMS_PER_TASK: usize = 256;

/// Classes of ellipsoid questions.
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

impl Class for EllipsoidClass {
    const CLASSES: &'static [Self] = &[
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

    fn name(self) -> &'static str {
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

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ellipsoids;

impl DrawnCheck for Ellipsoids {
    const NAME: &'static str = "ellipsoids";
    const HELP: &'static str = "Contacts of ellipsoids, and with walls";
    const ITEM: &'static str = "pair";
    const TOUCHING: &'static str = "made to touch";
    // The judge gets each displaced in all of its numbers as well.
    const BATCH: u64 = 1 << 13;
    type Class = EllipsoidClass;
    type Answers = EllipsoidAnswers;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<EllipsoidAnswers>>, ValidationError> {
        let Engines { judge, candidate } = engines;
        let drawn: Vec<Drawn> = parallel::map(items, ITEMS_PER_TASK, draw::drawn);
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
        let comparisons = items.iter().zip(compared).map(|(item, (answers, judged))| {
            // Of pairs that were made to touch rounding alone decides whether they overlap.
            Comparison { answers, made_to_touch: item.class == EllipsoidClass::NearTangent, judged }
        });
        Ok(comparisons.collect())
    }

    fn lines(answers: &EllipsoidAnswers) -> String {
        let (question, truth, answer) = match answers {
            EllipsoidAnswers::Pair { pair, truth, answer } => {
                let question = format!("  first         {:?}\n  second        {:?}\n", pair.a, pair.b);
                (question, format!("{truth:?}"), format!("{answer:?}"))
            }
            EllipsoidAnswers::Wall { wall, truth, answer } => {
                (format!("  wall          {wall:?}\n"), format!("{truth:?}"), format!("{answer:?}"))
            }
        };
        format!("{question}  judge         {truth}\n  engine        {answer}\n")
    }

    fn rounds(answers: &EllipsoidAnswers) -> Option<u32> {
        match answers {
            EllipsoidAnswers::Pair { answer, .. } => Some(answer.iterations),
            EllipsoidAnswers::Wall { .. } => None,
        }
    }

    fn aside(class: EllipsoidClass, report: &DrawnReport) -> Option<Aside> {
        let head = ["pairs", "median", "99 %", "most"].map(str::to_owned).to_vec();
        let rounds = [0.5, 0.99, 1.0].map(|share| report.rounds_of(share).to_string());
        let row = [class.name().to_owned()].into_iter().chain(rounds).collect();
        let title = "rounds of Newton's method";
        (!report.rounds.is_empty()).then(|| Aside { title, tables: vec![[head, row]], texts: Vec::new() })
    }
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

fn judge_pairs(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    pairs: &[EllipsoidPair],
) -> Result<Vec<(EllipsoidAnswers, Judged)>, ValidationError> {
    let truths = one_each(judge.compute::<EllipsoidPairs>((), pairs)?, pairs.len())?;
    let answers = one_each(candidate.compute::<EllipsoidPairs>((), pairs)?, pairs.len())?;
    let promises_equality = candidate.promises_equality();
    let displaced: Vec<EllipsoidPair> =
        if promises_equality { Vec::new() } else { pairs.iter().flat_map(displaced).collect() };
    let moved = one_each(judge.compute::<EllipsoidPairs>((), &displaced)?, displaced.len())?;
    Ok(parallel::map_numbers(pairs.len(), ITEMS_PER_TASK, |number| {
        let (pair, truth, answer) = (pairs[number], truths[number], answers[number]);
        let judgement = if promises_equality {
            judge_equality(&truth, &answer)
        } else {
            judge_contact(&pair, &truth, &answer, &moved[DISPLACEMENTS * number..DISPLACEMENTS * (number + 1)])
        };
        (EllipsoidAnswers::Pair { pair, truth, answer }, judgement)
    }))
}

fn judge_walls(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    walls: &[EllipsoidWall],
) -> Result<Vec<(EllipsoidAnswers, Judged)>, ValidationError> {
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

fn judge_equality<T: PartialEq + std::fmt::Debug>(truth: &T, answer: &T) -> Judged {
    if equal(truth, answer) { (Agreement::Match, "equal", None) } else { (Agreement::Wrong, UNEQUAL, None) }
}

fn judge_contact(
    pair: &EllipsoidPair,
    truth: &EllipsoidContact,
    answer: &EllipsoidContact,
    displaced: &[EllipsoidContact],
) -> Judged {
    if answer.status != truth.status || truth.status != ContactStatus::Ok {
        return (Agreement::Wrong, "another status", None);
    }
    let otherwise = ((answer.f < 1.0) != (truth.f < 1.0)).then_some("overlap");
    of_deviations(&deviations_of_pair(pair, truth, answer, displaced), otherwise)
}

/// Of numbers with these errors: the verdict, or another where they are right but something is decided otherwise.
fn of_deviations(deviations: &[Deviation], otherwise: Option<&'static str>) -> Judged {
    let (verdict, what, worst) = judged(worst(deviations.iter().copied()));
    match (verdict, otherwise) {
        (Agreement::Match | Agreement::WithinBound | Agreement::Unjudged, Some(why)) => {
            (Agreement::Ambiguous, why, worst)
        }
        (verdict, _) => (verdict, what, worst),
    }
}
