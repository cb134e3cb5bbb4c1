//! Steps of wheels and landings: what is decided in them, and what they come to.

use super::Verdict;
use crate::query::{ClipCase, WheelState, WheelStep};
use crate::scene::MaterialId;

/// Ambiguous steps allowed, as a share of all.
const AMBIGUOUS_SHARE: f64 = 0.01;
/// An error below this share of its bound is one of the last places of binary32.
const MATCHING_SHARE: f64 = 1.0 / 64.0;
/// Displaced states that are tried for each share of the bound before a different decision is called wrong.
pub(super) const TRIALS: u64 = 64;
/// Shares of the bound by which states are displaced, from small to large.
pub(super) const SHARES: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// What one step comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct StepJudgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the largest error is, or what was decided otherwise.
    pub why: &'static str,
    /// The largest error as a share of its bound, where the decisions are the same.
    pub ratio: Option<f64>,
    /// The decision in which the two steps part.
    pub parting: Option<Parting>,
}

/// A decision that two engines take differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// What is decided otherwise.
    pub decision: String,
    /// The least share of the bound by which the state must be displaced for the judge to decide the same.
    pub margin: Option<f64>,
}

impl StepJudgement {
    pub(super) fn new(verdict: Verdict, why: &'static str, ratio: Option<f64>) -> Self {
        Self { verdict, why, ratio, parting: None }
    }
}

/// The verdict on the largest error as a share of its bound, where all decisions are the same.
pub(super) fn verdict(ratio: f64) -> Verdict {
    match ratio {
        ratio if ratio <= MATCHING_SHARE => Verdict::Match,
        ratio if ratio <= 1.0 => Verdict::WithinBound,
        _ => Verdict::Wrong, // also when it is not a number
    }
}

/// What is decided in a wheel's step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WheelDecisions {
    state: WheelState,
    clip_case: ClipCase,
    over_max_force: bool,
    material: Option<MaterialId>,
    leaf: Option<u32>,
}

impl WheelDecisions {
    pub fn of(wheel: &WheelStep) -> Self {
        let contact = &wheel.contact;
        // What lies under a wheel means something only while it touches.
        let touched = contact.touches();
        Self {
            state: contact.state,
            clip_case: wheel.clip_case,
            over_max_force: wheel.over_max_force,
            material: contact.material.filter(|_| touched),
            leaf: contact.leaf.filter(|_| touched),
        }
    }
}

/// What single steps come to.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// What they are steps of.
    pub name: String,
    /// Steps by verdict, in the order of [`Verdict::ALL`].
    pub counts: [u64; Verdict::ALL.len()],
    /// Steps in which a wheel touches, and steps in which one slips or rolls.
    pub contact_steps: u64,
    /// Steps in which a wheel slips or rolls.
    pub slipping_steps: u64,
    /// Largest error as a share of its bound, and of what.
    pub largest: (f64, &'static str),
    /// The worst: the item's number, a step of it, and what was found.
    pub worst: Option<(u64, u64, StepJudgement)>,
}

impl StepReport {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), largest: (0.0, "nothing"), ..Self::default() }
    }

    /// Steps judged.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// True when nothing is wrong and at most one step in a hundred is ambiguous.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.counts[Verdict::Wrong as usize] == 0
            && self.counts[Verdict::Ambiguous as usize] as f64 <= AMBIGUOUS_SHARE * self.items() as f64
    }

    /// Counts a step of an item that the judge ended with `wheels`.
    pub(super) fn add(&mut self, item: u64, step: u64, wheels: &[WheelStep], judgement: StepJudgement) {
        let any = |test: fn(WheelState) -> bool| wheels.iter().any(|wheel| test(wheel.contact.state));
        self.counts[judgement.verdict as usize] += 1;
        self.contact_steps += u64::from(wheels.iter().any(|wheel| wheel.contact.touches()));
        self.slipping_steps += u64::from(any(|state| state == WheelState::Slipping));
        if let Some(ratio) = judgement.ratio
            && ratio > self.largest.0
        {
            self.largest = (ratio, judgement.why);
        }
        let rank = |judgement: &StepJudgement| (judgement.verdict, judgement.ratio.unwrap_or(0.0));
        if self.worst.as_ref().is_none_or(|(.., worst)| rank(&judgement) > rank(worst)) {
            self.worst = Some((item, step, judgement));
        }
    }
}
