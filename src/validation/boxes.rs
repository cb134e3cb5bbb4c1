//! Check `box-normals`: normals of rounded boxes and of pairs of them, each judged within its own bound.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`].

mod bound;
mod draw;

use glam::DVec3;

use self::bound::{BoxBound, TURNED};
use super::deviation::Deviation;
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::error::one_each;
use super::item;
use super::wheel_bound::U;
use super::{Agreement, Engines, UNEQUAL, ValidationError, equal};
use crate::job::Compute;
use crate::parallel;
use crate::query::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus,
    SAME_NORMALS_EPSILONS,
};

/// Items that one thread draws at a time.
const ITEMS_PER_TASK: usize = 1024;

/// Classes of box questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Bodies of vehicle size, hit anywhere.
    Vehicles,
    /// Radii of a thousandth and of a hundred thousandth of the shortest side, hit on edges and corners too.
    SmallRadii,
    /// Points near the seams between planes, cylinders and spheres.
    Seams,
    /// Contact vectors along an axis, or almost.
    Axes,
    /// Tiny and huge boxes, plates and needles.
    Sizes,
    /// Two bodies.
    Pairs,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Vehicles, Self::SmallRadii, Self::Seams, Self::Axes, Self::Sizes, Self::Pairs];

    fn name(self) -> &'static str {
        match self {
            Self::Vehicles => "vehicles",
            Self::SmallRadii => "small-radii",
            Self::Seams => "seams",
            Self::Axes => "axes",
            Self::Sizes => "sizes",
            Self::Pairs => "pairs",
        }
    }
}

/// A box or a pair, with both answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answers {
    /// A box.
    One {
        /// The question.
        point: BoxPoint,
        /// The judge's answer.
        truth: BoxNormal,
        /// The candidate's.
        answer: BoxNormal,
    },
    /// Two.
    Pair {
        /// The question.
        pair: BoxPair,
        /// The judge's answer.
        truth: BoxPairNormal,
        /// The candidate's.
        answer: BoxPairNormal,
    },
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes;

impl DrawnCheck for Boxes {
    const NAME: &'static str = "box-normals";
    const HELP: &'static str = "Normals of boxes with rounded edges, and of pairs";
    const ITEM: &'static str = "box";
    // Or a rounding that f32 hardly tells from an edge.
    const TOUCHING: &'static str = "made to touch a seam";
    // Enough to keep a device busy.
    const BATCH: u64 = 1 << 16;
    type Class = Class;
    type Answers = Answers;

    fn judge(engines: Engines<'_>, items: &[DrawnItem<Self>]) -> Result<Vec<Comparison<Answers>>, ValidationError> {
        let Engines { judge, candidate } = engines;
        let drawn: Vec<draw::Drawn> = parallel::map(items, ITEMS_PER_TASK, draw::drawn);
        let point = |(body, contact)| BoxPoint { body, contact };
        let (mut points, mut pairs) = (Vec::new(), Vec::new());
        for drawn in &drawn {
            match drawn.second {
                None => points.push(point(drawn.first)),
                Some(second) => pairs.push(BoxPair { bodies: [drawn.first, second].map(point) }),
            }
        }
        let of_pairs: Vec<BoxPoint> = pairs.iter().flat_map(|pair| pair.bodies).collect();
        let truths = one_each(judge.compute::<BoxNormals>((), &points)?, points.len())?;
        let answers = one_each(candidate.compute::<BoxNormals>((), &points)?, points.len())?;
        let bodies = one_each(judge.compute::<BoxNormals>((), &of_pairs)?, of_pairs.len())?;
        let pair_truths = one_each(judge.compute::<BoxPairs>((), &pairs)?, pairs.len())?;
        let pair_answers = one_each(candidate.compute::<BoxPairs>((), &pairs)?, pairs.len())?;

        let one_by_one = points.into_iter().zip(truths).zip(answers).map(|((point, truth), answer)| {
            let judged = judge_point(&bound_of(&point, &truth), &truth, &answer);
            (Answers::One { point, truth, answer }, judged, equal(&truth, &answer))
        });
        let bodies = bodies.chunks_exact(2).map(|normals| [normals[0], normals[1]]);
        let of_pairs = pairs.into_iter().zip(bodies).zip(pair_truths).zip(pair_answers);
        let of_pairs = of_pairs.map(|(((pair, normals), truth), answer)| {
            let judged = judge_pair(&pair, &normals, &truth, &answer);
            (Answers::Pair { pair, truth, answer }, judged, equal(&truth, &answer))
        });
        // A class asks one kind of question.
        let compared = drawn.iter().zip(one_by_one.chain(of_pairs)).map(|(drawn, (answers, judged, is_equal))| {
            let judged = match is_equal {
                // Also where either of two answers would do.
                true => (Agreement::Match, "the same numbers", None),
                false if candidate.promises_equality() => (Agreement::Wrong, UNEQUAL, None),
                false => judged,
            };
            Comparison { answers, made_to_touch: drawn.made_to_touch, judged }
        });
        Ok(compared.collect())
    }

    fn lines(answers: &Answers) -> String {
        let (question, truth, answer) = match answers {
            Answers::One { point, truth, answer } => {
                (format!("  box           {point:?}\n"), format!("{truth:?}"), format!("{answer:?}"))
            }
            Answers::Pair { pair, truth, answer } => {
                let [one, two] = pair.bodies;
                let question = format!("  first box     {one:?}\n  second box    {two:?}\n");
                (question, format!("{truth:?}"), format!("{answer:?}"))
            }
        };
        format!("{question}  judge         {truth}\n  engine        {answer}\n")
    }
}

/// How well a device knows the normal of a box, of which this is the judge's.
fn bound_of(point: &BoxPoint, truth: &BoxNormal) -> BoxBound {
    BoxBound::new(&point.body, point.contact, (truth.status == BoxStatus::Ok).then_some(truth.normal))
}

/// Of a normal with this error: the verdict, or another where it is right but decided otherwise.
fn judge_error(normal: DVec3, error: f64, bound: f64, otherwise: Option<&'static str>) -> Judged {
    let error = Deviation::new("normal", error, bound);
    // A bound may be so wide that nothing else is asked of a normal but its length.
    let length = Deviation::new("length of a normal", (normal.length() - 1.0).abs(), TURNED);
    let worst = if length.is_worse_than(&error) { length } else { error };
    match (worst.verdict(), otherwise) {
        (Agreement::Wrong, _) => (Agreement::Wrong, worst.what, Some(worst)),
        (_, Some(why)) => (Agreement::Ambiguous, why, Some(worst)),
        (verdict, None) => (verdict, worst.what, Some(worst)),
    }
}

/// Of a normal that should be another.
fn judge_normal(normal: DVec3, expected: DVec3, bound: f64, otherwise: Option<&'static str>) -> Judged {
    judge_error(normal, (normal - expected).length(), bound, otherwise)
}

/// Of a normal that should be that of a body, or any between the faces in question where that may turn anyhow.
fn judge_of_body(normal: DVec3, expected: DVec3, bound: &BoxBound, otherwise: Option<&'static str>) -> Judged {
    if bound.normal.is_finite() {
        judge_normal(normal, expected, bound.normal, otherwise)
    } else {
        judge_error(normal, bound.beside(normal), TURNED, otherwise)
    }
}

fn judge_point(bound: &BoxBound, truth: &BoxNormal, answer: &BoxNormal) -> Judged {
    let otherwise = (answer.region != truth.region).then_some("another region");
    if !bound.allows(answer.region) {
        return (Agreement::Wrong, "another region", None);
    }
    match (truth.status, answer.status) {
        (BoxStatus::Ok, BoxStatus::Ok) => judge_of_body(answer.normal, truth.normal, bound, otherwise),
        (BoxStatus::Degenerate, BoxStatus::Degenerate) if otherwise.is_none() => (Agreement::Match, "no normal", None),
        (BoxStatus::Ok | BoxStatus::Degenerate, BoxStatus::Degenerate) if bound.allows_sharp() => {
            (Agreement::Ambiguous, "a sharp edge", None)
        }
        (BoxStatus::Degenerate, BoxStatus::Ok) => {
            judge_error(answer.normal, bound.beside(answer.normal), TURNED, Some("no sharp edge"))
        }
        _ => (Agreement::Wrong, "another status", None),
    }
}

fn judge_pair(pair: &BoxPair, normals: &[BoxNormal; 2], truth: &BoxPairNormal, answer: &BoxPairNormal) -> Judged {
    let [one, two] = normals;
    let bounds = [bound_of(&pair.bodies[0], one), bound_of(&pair.bodies[1], two)];
    let kinds = match answer.case {
        BoxCase::FaceFace => [true, true],
        BoxCase::FaceCorner => [true, false],
        BoxCase::CornerFace => [false, true],
        BoxCase::CornerCorner => [false, false],
    };
    let comes_into_question = |bound: &BoxBound, on_face: bool| {
        if on_face { bound.allows(BoxRegion::Face) } else { bound.faces[1] > 1 }
    };
    if !bounds.iter().zip(kinds).all(|(bound, on_face)| comes_into_question(bound, on_face)) {
        return (Agreement::Wrong, "another case", None);
    }
    // Differences of unit vectors round once more.
    let (difference, error) = (one.normal - two.normal, bounds[0].normal + bounds[1].normal + 4.0 * U);
    let (length, are_corners) = (difference.length(), answer.case == BoxCase::CornerCorner);
    let may_cancel = are_corners && length <= error;
    // In f32 normals count as the same that f64 tells apart.
    let same = SAME_NORMALS_EPSILONS * f64::from(f32::EPSILON);
    let may_be_same = are_corners && length <= same + error;
    let are_seen = normals.iter().all(|body| body.status == BoxStatus::Ok) && truth.case == answer.case;
    let must_be_same = are_corners && are_seen && length + error < same;
    let otherwise = (answer.case != truth.case).then_some("another case");
    match (truth.status, answer.status) {
        (BoxStatus::Degenerate, BoxStatus::Degenerate) if otherwise.is_none() => (Agreement::Match, "no normal", None),
        (BoxStatus::Ok | BoxStatus::Degenerate, BoxStatus::Degenerate)
            if may_be_same || bounds.iter().any(BoxBound::allows_sharp) =>
        {
            (Agreement::Ambiguous, "no normal", None)
        }
        // A body without a normal, or two that cancel: all that is known of another's is its length.
        (BoxStatus::Degenerate, BoxStatus::Ok) if !must_be_same => {
            judge_error(answer.normal, 0.0, f64::INFINITY, Some("a normal"))
        }
        (BoxStatus::Ok, BoxStatus::Ok) => match answer.case {
            BoxCase::FaceCorner => judge_of_body(answer.normal, one.normal, &bounds[0], otherwise),
            BoxCase::CornerFace => judge_of_body(answer.normal, -two.normal, &bounds[1], otherwise),
            BoxCase::CornerCorner if may_cancel => {
                judge_error(answer.normal, 0.0, f64::INFINITY, Some("normals that all but cancel"))
            }
            BoxCase::CornerCorner => {
                // Unit vectors are no farther apart than twice the difference over the longer.
                let bound = 2.0 * error / length + TURNED;
                judge_normal(answer.normal, difference.normalize_or_zero(), bound, otherwise)
            }
            BoxCase::FaceFace => judge_faces(&bounds, [one.normal, -two.normal], truth, answer.normal),
        },
        _ => (Agreement::Wrong, "another status", None),
    }
}

/// Of two faces: the normal of the one that is met closer to its middle, either where that is not known.
fn judge_faces(bounds: &[BoxBound; 2], expected: [DVec3; 2], truth: &BoxPairNormal, normal: DVec3) -> Judged {
    let [(tangent1, error1), (tangent2, error2)] = [bounds[0].tangent, bounds[1].tangent];
    let (by_truth, otherwise) = match truth.case {
        BoxCase::FaceFace => (usize::from(truth.normal == expected[1]), None),
        _ => (usize::from(tangent1 >= tangent2), Some("another case")),
    };
    let decided = judge_of_body(normal, expected[by_truth], &bounds[by_truth], otherwise);
    let is_close = (tangent1 - tangent2).abs() <= error1 + error2;
    if decided.0 == Agreement::Wrong && is_close {
        let other = 1 - by_truth;
        return judge_of_body(normal, expected[other], &bounds[other], Some("the other face"));
    }
    decided
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::query::RoundedBox;

    /// A pair of one box, met at a corner and beside it, with normals this far apart: the normals, and the judge's answer.
    fn pair(turn: f64) -> (BoxPair, [BoxNormal; 2], BoxPairNormal) {
        // Nearly a ball: rounding moves its normals by little.
        let body = RoundedBox { sides: DVec3::splat(2.0), radius: 0.9, rotation: DQuat::IDENTITY };
        let normals = [
            DVec3::ONE.normalize(),
            DQuat::from_axis_angle(DVec3::new(1.0, -1.0, 0.0).normalize(), turn) * DVec3::ONE.normalize(),
        ];
        let points = normals.map(|normal| BoxPoint { body, contact: DVec3::splat(0.1) + 0.9 * normal });
        let answer = match turn {
            0.0 => BoxPairNormal::none(BoxStatus::Degenerate, BoxCase::CornerCorner),
            _ => BoxPairNormal {
                status: BoxStatus::Ok,
                normal: (normals[0] - normals[1]).normalize(),
                case: BoxCase::CornerCorner,
            },
        };
        let normals = normals.map(|normal| BoxNormal { status: BoxStatus::Ok, normal, region: BoxRegion::Corner });
        (BoxPair { bodies: points }, normals, answer)
    }

    #[test]
    fn beside_a_sharp_edge_a_normal_is_one_between_its_faces() {
        let body = RoundedBox { sides: DVec3::splat(2.0), radius: 0.0, rotation: DQuat::IDENTITY };
        let point = BoxPoint { body, contact: DVec3::new(1.0, 1.0 - 1e-9, 0.2) };
        let of = |normal| BoxNormal { status: BoxStatus::Ok, normal, region: BoxRegion::Face };
        let truth = of(DVec3::X);
        let bound = bound_of(&point, &truth);
        assert_eq!(bound.normal, f64::INFINITY);
        let verdict = |normal| judge_point(&bound, &truth, &of(normal)).0;
        assert!(verdict(DVec3::Y) <= Agreement::WithinBound);
        assert_eq!(verdict(DVec3::new(0.6, 0.0, 0.8)), Agreement::Wrong);
    }

    #[test]
    fn corners_may_be_the_same_to_f32_alone_and_must_be_where_it_knows_them_well_enough() {
        let none = BoxPairNormal::none(BoxStatus::Degenerate, BoxCase::CornerCorner);
        let some = pair(1.0).2;
        for (turn, answer, verdict) in [
            (0.0, none, Agreement::Match),
            (0.0, some, Agreement::Wrong),
            // Above what its rounding explains, 3e-5, and below the 6e-5 that it takes for nothing.
            (5e-5, none, Agreement::Ambiguous),
            (8e-5, none, Agreement::Ambiguous),
            (8e-5, pair(8e-5).2, Agreement::Match),
            (2e-4, none, Agreement::Wrong),
            (2e-4, pair(2e-4).2, Agreement::Match),
        ] {
            let (pair, normals, truth) = pair(turn);
            let (found, why, deviation) = judge_pair(&pair, &normals, &truth, &answer);
            assert_eq!(found, verdict, "{turn}: {why}, {deviation:?}");
        }
    }
}
