//! Check `lcp`: small linear complementarity problems, each judged by whether its answer is a solution.
//!
//! A problem may have several solutions and many paths to them, selected by rounding. So a solution is judged by its
//! backward error, the change of the problem's entries for which it would be exact, and a status that differs from the
//! judge's is accepted only where rounding may decide a pivot.
//!
//! # Conventions
//! As in [`crate::query::LcpItem`].

mod bound;
mod draw;

use self::bound::{End, end_of_pivots, of_solution};
use super::answered::{Answered, AnsweredOf, compared};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::item;
use super::{Agreement, Engines, ValidationError};
use crate::query::{LcpAnswer, LcpItem, LcpItems, LcpStatus};

/// Classes of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Symmetric and positive definite M.
    Definite,
    /// Positive definite M that is not symmetric.
    Skewed,
    /// Contacts between bodies, some more than the bodies' freedom.
    Contacts,
    /// Any M: many end on a ray.
    Arbitrary,
    /// Units from 1e-30 to 1e30.
    Sizes,
    /// Small whole numbers, with ties that rounding decides.
    Ties,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Definite, Self::Skewed, Self::Contacts, Self::Arbitrary, Self::Sizes, Self::Ties];

    fn name(self) -> &'static str {
        match self {
            Self::Definite => "definite",
            Self::Skewed => "skewed",
            Self::Contacts => "contacts",
            Self::Arbitrary => "arbitrary",
            Self::Sizes => "sizes",
            Self::Ties => "ties",
        }
    }
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LcpProblems;

impl DrawnCheck for LcpProblems {
    const NAME: &'static str = "lcp";
    const HELP: &'static str = "Small linear complementarity problems";
    const ITEM: &'static str = "problem";
    const TOUCHING: &'static str = "made to have ties";
    // Enough to keep a device busy.
    const BATCH: u64 = 1 << 16;
    type Class = Class;
    type Answers = AnsweredOf<LcpItems>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        compared::<LcpItems, Self>(engines, items, (), draw::drawn, judge_answer)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        let rows: Vec<&[f64]> = item.rows().collect();
        let vector = &item.vector[..item.unknowns];
        format!("  matrix  {rows:?}\n  vector  {vector:?}\n  judge   {truth:?}\n  engine  {answer:?}\n")
    }
}

/// Of answers that are not the same.
fn judge_answer(item: &LcpItem, truth: &LcpAnswer, answer: &LcpAnswer) -> Judged {
    if truth.status == LcpStatus::BadInput || answer.status == LcpStatus::BadInput {
        return (Agreement::Wrong, "another status", None);
    }
    let end = end_of_pivots(item);
    let ended = End { status: answer.status, pivots: answer.pivots };
    if end.is_some_and(|end| end != ended) {
        return (Agreement::Wrong, "another way, which rounding does not open", None);
    }
    if answer.status == LcpStatus::Solved {
        let deviation = of_solution(item, &answer.z);
        return match (deviation.ratio() <= 1.0, truth.status) {
            (false, _) => (Agreement::Wrong, deviation.what, Some(deviation)),
            (true, LcpStatus::Solved) => (Agreement::WithinBound, "a solution within the bound", Some(deviation)),
            (true, _) => (Agreement::Ambiguous, "a solution by a pivot that rounding decides", Some(deviation)),
        };
    }
    if answer.status == truth.status {
        return (Agreement::WithinBound, "the same status", None);
    }
    (Agreement::Ambiguous, "a pivot that rounding decides", None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Compute;
    use crate::reference::Reference;

    fn asked<const N: usize>(matrix: [[f64; N]; N], vector: [f64; N]) -> (LcpItem, LcpAnswer) {
        let mut item = LcpItem { unknowns: N, matrix: Default::default(), vector: Default::default() };
        for (row, entries) in matrix.iter().enumerate() {
            item.matrix[row][..N].copy_from_slice(entries);
        }
        item.vector[..N].copy_from_slice(&vector);
        let truth = Reference::new(1).unwrap().compute::<LcpItems>((), &[item]).unwrap()[0];
        (item, truth)
    }

    fn verdict((item, truth): &(LcpItem, LcpAnswer), change: impl Fn(&mut LcpAnswer)) -> Agreement {
        let mut answer = *truth;
        change(&mut answer);
        judge_answer(item, truth, &answer).0
    }

    #[test]
    fn solutions_are_judged_by_the_problem_that_they_solve() {
        let asked = asked([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]);
        assert_eq!(asked.1.status, LcpStatus::Solved);
        let with_z = |z: [f64; 2]| verdict(&asked, |answer| answer.z[..2].copy_from_slice(&z));
        let [a, b] = [4.0 / 3.0, 7.0 / 3.0];
        assert_eq!(with_z([a * (1.0 + 1e-6), b]), Agreement::WithinBound);
        for wrong in [
            [f64::NAN, b],
            [f64::INFINITY, b],
            [a, f64::NEG_INFINITY],
            [a * (1.0 + 1e-4), b],
            [0.0, 3.0],
            [2.5, 0.0],
            [-a, b],
        ] {
            assert_eq!(with_z(wrong), Agreement::Wrong, "{wrong:?}");
        }
    }

    #[test]
    fn another_end_is_wrong_unless_rounding_decides_a_pivot() {
        let ends = |asked: &(LcpItem, LcpAnswer)| {
            let ray = verdict(asked, |answer| *answer = LcpAnswer::none(LcpStatus::Ray, answer.pivots));
            let inaccurate = verdict(asked, |answer| *answer = LcpAnswer::none(LcpStatus::Inaccurate, answer.pivots));
            [ray, inaccurate, verdict(asked, |answer| answer.pivots += 1)]
        };
        let plain = asked([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]);
        assert_eq!(ends(&plain), [Agreement::Wrong; 3]);
        // The entry that leads to a solution is one of what f32 takes for zero, or nearly.
        let zero = 64.0 * f64::from(f32::EPSILON);
        let near = asked([[zero * (1.0 + 1e-8), 0.0], [0.0, 1.0]], [-1.0, -0.25]);
        assert_eq!(near.1.status, LcpStatus::Solved);
        assert_eq!(ends(&near), [Agreement::Ambiguous, Agreement::Ambiguous, Agreement::WithinBound]);
        // A tie.
        let tie = asked([[3.0, 1.0], [1.0, 3.0]], [-1.0, -1.0 - 1e-9]);
        assert_eq!(ends(&tie)[2], Agreement::WithinBound);
    }
}
