//! Check `oriented`: collision states, each judged by what rounding may decide.
//!
//! A collision state consists of decisions only. A decision is free if the deciding number is within its bound of 0, or
//! of the number it is compared with; any other difference is wrong. Collisions must follow from the engine's own
//! penetrations and ranges, bit for bit.
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

mod bound;
mod draw;

use self::bound::Decisions;
use self::draw::TIMES;
use super::deviation::Deviation;
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::error::one_each;
use super::item;
use super::{Agreement, Engines, UNEQUAL, ValidationError};
use crate::job::Compute;
use crate::parallel;
use crate::query::{ConvexTarget, InitiatorMotion, Oriented, OrientedAnswer, OrientedStatus, TargetMotions};

/// Items that one thread draws at a time.
const ITEMS_PER_TASK: usize = 1024;

/// Classes of collision questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Polygons of up to 32 surfaces, met anywhere.
    Polygons,
    /// Plates and needles, a tenth to a thousandth as thick as long.
    Thin,
    /// Points that lose several separations in one step.
    Corners,
    /// Points that have passed a plate and are held, let go or back in it.
    Passing,
    /// From micrometres to hundreds of kilometres, and as far away.
    Sizes,
    /// Points on surfaces and beside vertices, where rounding decides.
    Touching,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Polygons, Self::Thin, Self::Corners, Self::Passing, Self::Sizes, Self::Touching];

    fn name(self) -> &'static str {
        match self {
            Self::Polygons => "polygons",
            Self::Thin => "thin",
            Self::Corners => "corners",
            Self::Passing => "passing",
            Self::Sizes => "sizes",
            Self::Touching => "touching",
        }
    }
}

/// An initiator with its target at both times, and both answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The target at the reference time and at the current one.
    pub target: [ConvexTarget; 2],
    /// The question.
    pub initiator: InitiatorMotion,
    /// The judge's answer.
    pub truth: OrientedAnswer,
    /// The candidate's.
    pub answer: OrientedAnswer,
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrientedCollisions;

impl DrawnCheck for OrientedCollisions {
    const NAME: &'static str = "oriented";
    const HELP: &'static str = "Surfaces of convex targets that points collide with";
    const ITEM: &'static str = "initiator";
    const TOUCHING: &'static str = "made to touch a surface or the end of its range";
    // Enough to keep a device busy.
    const BATCH: u64 = 1 << 16;
    type Class = Class;
    type Answers = Answers;

    fn judge(engines: Engines<'_>, items: &[DrawnItem<Self>]) -> Result<Vec<Comparison<Answers>>, ValidationError> {
        let Engines { judge, candidate } = engines;
        let drawn: Vec<draw::Drawn> = parallel::map(items, ITEMS_PER_TASK, draw::drawn);
        // The judge leads every initiator to the reference time of the question.
        let at = |time: usize| -> Vec<ConvexTarget> { drawn.iter().map(|drawn| drawn.targets[time].clone()).collect() };
        let times: [Vec<ConvexTarget>; TIMES] = std::array::from_fn(at);
        let mut motions: Vec<InitiatorMotion> = (0..)
            .zip(&drawn)
            .map(|(target, drawn)| {
                let place = drawn.places[0];
                InitiatorMotion { target, from: place, to: place, reference: None }
            })
            .collect();
        let mut targets = TargetMotions::at_rest(&times[0]);
        for time in 1..TIMES {
            let before = one_each(judge.compute::<Oriented>(targets, &motions)?, motions.len())?;
            for ((motion, drawn), answer) in motions.iter_mut().zip(&drawn).zip(before) {
                let [from, to] = [drawn.places[time - 1], drawn.places[time]];
                *motion = InitiatorMotion { from, to, reference: Some(answer.configuration), ..*motion };
            }
            targets = TargetMotions { reference: &times[time - 1], current: &times[time] };
        }
        let truths = one_each(judge.compute::<Oriented>(targets, &motions)?, motions.len())?;
        let answers = one_each(candidate.compute::<Oriented>(targets, &motions)?, motions.len())?;

        let asked = drawn.into_iter().zip(motions).zip(truths.into_iter().zip(answers));
        let compared = asked.map(|((drawn, initiator), (truth, answer))| {
            let [.., before, now] = drawn.targets;
            let judged = match truth == answer {
                true => (Agreement::Match, "the same configuration", None),
                false if candidate.promises_equality() => (Agreement::Wrong, UNEQUAL, None),
                false => judge_configuration([&before, &now], &initiator, &truth, &answer),
            };
            let answers = Answers { target: [before, now], initiator, truth, answer };
            Comparison { answers, made_to_touch: drawn.made_to_touch, judged }
        });
        Ok(compared.collect())
    }

    fn lines(answers: &Answers) -> String {
        let Answers { target: [before, now], initiator, truth, answer } = answers;
        format!(
            "  target before {:?}\n  target        {:?}\n  initiator     {initiator:?}\n  judge         {truth:?}\n  engine        \
             {answer:?}\n",
            before.vertices(),
            now.vertices()
        )
    }
}

/// Of configurations that are not the same.
fn judge_configuration(
    target: [&ConvexTarget; 2],
    initiator: &InitiatorMotion,
    truth: &OrientedAnswer,
    answer: &OrientedAnswer,
) -> Judged {
    if truth.status != OrientedStatus::Ok || answer.status != OrientedStatus::Ok {
        return (Agreement::Wrong, "another status", None);
    }
    let decisions = Decisions::new(target, initiator);
    let (truth, answer) = (truth.configuration, answer.configuration);
    let of_penetration = decisions.penetration(truth.penetration ^ answer.penetration);
    let of_range = decisions.range(truth.range ^ answer.range);
    let farther = if of_range.ratio() > of_penetration.ratio() { of_range } else { of_penetration };
    if farther.ratio() > 1.0 {
        return (Agreement::Wrong, farther.what, Some(farther));
    }
    let consequences = [
        ("another collision", decisions.collision(&answer) == answer.collision),
        ("another surface that lost separation last", decisions.allows_last(&answer)),
        ("another nearest surface", decisions.allows_nearest(&answer)),
    ];
    match consequences.into_iter().find(|(_, holds)| !holds) {
        Some((why, _)) => (Agreement::Wrong, why, None),
        None => (Agreement::Ambiguous, "decided by rounding", Some(farther)),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::query::OrientedConfiguration;
    use crate::reference::Reference;

    /// A unit square at rest, a point on its way to a place, and the reference's answer.
    fn asked(from: (f64, f64), to: (f64, f64)) -> (ConvexTarget, InitiatorMotion, OrientedAnswer) {
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(DVec2::from);
        let square = ConvexTarget::new(corners.to_vec()).unwrap();
        let (targets, reference) = ([square.clone()], Reference::new(1).unwrap());
        let targets = TargetMotions::at_rest(&targets);
        let from = DVec2::from(from);
        let first = InitiatorMotion { target: 0, from, to: from, reference: None };
        let before = reference.compute::<Oriented>(targets, &[first]).unwrap()[0].configuration;
        let motion = InitiatorMotion { to: DVec2::from(to), reference: Some(before), ..first };
        let truth = reference.compute::<Oriented>(targets, &[motion]).unwrap()[0];
        (square, motion, truth)
    }

    /// The verdict on an answer that differs.
    fn verdict(
        (square, motion, truth): &(ConvexTarget, InitiatorMotion, OrientedAnswer),
        change: impl Fn(&mut OrientedConfiguration),
    ) -> Agreement {
        let mut answer = *truth;
        change(&mut answer.configuration);
        judge_configuration([square, square], motion, truth, &answer).0
    }

    #[test]
    fn what_rounding_may_decide_is_ambiguous_and_all_else_is_wrong() {
        // Just outside of the upper surface, within what f32 knows of it.
        let touching = asked((0.5, 1.5), (0.5, 1.0 + 1e-8));
        let goes_in = |answer: &mut OrientedConfiguration| {
            (answer.penetration, answer.collision, answer.collision_last) = (0b1111, 0b10, 0b10);
            answer.minimum_translation = Some(1);
        };
        assert_eq!(verdict(&touching, goes_in), Agreement::Ambiguous);
        // It may go in, but not without a collision, with another one, or with another nearest surface.
        let without = |answer: &mut OrientedConfiguration| {
            goes_in(answer);
            answer.collision = 0;
        };
        assert_eq!(verdict(&touching, without), Agreement::Wrong);
        let with_another_last = |answer: &mut OrientedConfiguration| {
            goes_in(answer);
            answer.collision_last = 0b100;
        };
        assert_eq!(verdict(&touching, with_another_last), Agreement::Wrong);
        let with_another_nearest = |answer: &mut OrientedConfiguration| {
            goes_in(answer);
            answer.minimum_translation = Some(0);
        };
        assert_eq!(verdict(&touching, with_another_nearest), Agreement::Wrong);
        // Farther out it may not.
        assert_eq!(verdict(&asked((0.5, 1.5), (0.5, 1.0 + 1e-5)), goes_in), Agreement::Wrong);
        // Ranges end where surfaces do.
        let off_range = |answer: &mut OrientedConfiguration| answer.range ^= 0b10;
        assert_eq!(verdict(&asked((1.5, 1.5), (1.0 + 1e-8, 1.2)), off_range), Agreement::Ambiguous);
        assert_eq!(verdict(&asked((1.5, 1.5), (1.0 + 1e-5, 1.2)), off_range), Agreement::Wrong);
    }

    #[test]
    fn of_several_surfaces_either_may_be_the_last_where_rounding_decides() {
        let other_last = |answer: &mut OrientedConfiguration| answer.collision_last = 0b100;
        assert_eq!(verdict(&asked((1.5, 1.5), (0.5, 0.5)), other_last), Agreement::Ambiguous);
        assert_eq!(asked((1.5, 1.5 - 1e-4), (0.5, 0.5 - 1e-4)).2.configuration.collision_last, 0b100);
        assert_eq!(verdict(&asked((1.5, 1.5 + 1e-4), (0.5, 0.5 + 1e-4)), other_last), Agreement::Wrong);
        let other_nearest = |answer: &mut OrientedConfiguration| answer.minimum_translation = Some(2);
        assert_eq!(verdict(&asked((1.5, 1.5), (0.75, 0.75)), other_nearest), Agreement::Ambiguous);
        assert_eq!(verdict(&asked((1.5, 1.5), (0.75, 0.7501)), other_nearest), Agreement::Wrong);
    }
}
