//! Steps of wheels and landings: decisions and verdicts.

use std::fmt;
use std::sync::Arc;

use super::finding::push_number;
use super::item::Fields;
use super::{Agreement, Agreements, Finding, Found, Item, UNEQUAL};
use crate::query::{ClipCase, WheelState, WheelStep};
use crate::scene::MaterialId;

/// Errors below this fraction of their bound are in the last places of f32.
const MATCHING_SHARE: f64 = 1.0 / 64.0;
/// Displaced states that are tried for each share of the bound before a different decision is called wrong.
pub(super) const TRIALS: u64 = 64;
/// Shares of the bound by which states are displaced, from small to large.
pub(super) const SHARES: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// Verdict on one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepJudgement {
    /// The verdict.
    pub verdict: Agreement,
    /// The quantity with the largest error, or what was decided differently.
    pub why: &'static str,
    /// The largest error as a fraction of its bound, if the decisions agree.
    pub ratio: Option<f64>,
    /// The decision at which the two steps part.
    pub parting: Option<Parting>,
}

/// A decision on which two engines differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// What is decided differently.
    pub decision: String,
    /// The smallest fraction of the bound by which the state must be displaced for the judge to decide the same.
    pub margin: Option<f64>,
}

impl StepJudgement {
    /// Verdict on a result that is not bitwise equal as guaranteed.
    pub(super) fn unequal() -> Self {
        Self::new(Agreement::Wrong, UNEQUAL, None)
    }

    pub(super) fn new(verdict: Agreement, why: &'static str, ratio: Option<f64>) -> Self {
        Self { verdict, why, ratio, parting: None }
    }
}

impl Finding {
    /// Of a step.
    pub(super) fn of_step(item: impl Item + 'static, judgement: StepJudgement) -> Self {
        Self {
            item: Arc::new(item),
            verdict: judgement.verdict,
            what: judgement.why,
            ratio: judgement.ratio,
            made_to_touch: false,
            found: Arc::new(judgement),
        }
    }
}

impl Found for StepJudgement {
    fn fields(&self) -> Fields {
        let Self { verdict: _, why, ratio, parting } = self;
        let mut fields = vec![("why", (*why).into())];
        push_number(&mut fields, "error_over_bound", *ratio);
        if let Some(Parting { decision, margin }) = parting {
            fields.push(("decision", decision.clone().into()));
            fields.extend(margin.map(|margin| ("margin", margin.into())));
        }
        fields
    }
}

/// The verdict on the largest error as a share of its bound, where all decisions are the same.
pub(super) fn verdict(ratio: f64) -> Agreement {
    match ratio {
        ratio if ratio <= MATCHING_SHARE => Agreement::Match,
        ratio if ratio <= 1.0 => Agreement::WithinBound,
        _ => Agreement::Wrong, // also when it is not a number
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

    /// Beside which limits the friction of a touching wheel has reached.
    pub fn but_for_limits(self) -> Self {
        Self { clip_case: ClipCase::NotComputed, ..self }
    }
}

impl fmt::Display for WheelDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { state, clip_case, over_max_force, material, leaf } = self;
        write!(f, "{state:?} by {clip_case:?}")?;
        if let (Some(leaf), Some(MaterialId(material))) = (leaf, material) {
            write!(f, " on leaf {leaf} of material {material}")?;
        }
        if *over_max_force { f.write_str(" above the maximum force") } else { Ok(()) }
    }
}

/// What single steps come to.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Steps by verdict.
    pub tally: Agreements,
    /// Steps in which a wheel touches.
    pub contact_steps: u64,
    /// Steps in which a wheel slips or rolls.
    pub slipping_steps: u64,
    /// How large the bounds of steps in contact are.
    pub bounds: BoundShares,
}

/// Bounds of steps in contact as shares of what they bound: what errors the steps may hide.
#[derive(Clone, Debug, Default)]
pub struct BoundShares(Vec<[f64; Self::NAMES.len()]>);

impl BoundShares {
    /// What they are shares of: the force along the normal of the wheel that is pressed most, or the whole change in the step.
    pub const NAMES: [&'static str; 6] = [
        "normal force/itself",
        "force/normal force",
        "velocity/change",
        "rate/change",
        "velocity beside acceleration/change",
        "rate beside acceleration/change",
    ];
    /// Steps that are looked at: more do not change the quantiles that are told.
    const MAX_STEPS: usize = 10_000;

    /// False once there are enough.
    pub(super) fn has_room(&self) -> bool {
        self.0.len() < Self::MAX_STEPS
    }

    pub(super) fn extend(&mut self, shares: Option<[f64; Self::NAMES.len()]>) {
        self.0.extend(shares);
    }

    /// What a share of the steps does not exceed, in the order of the names; `None` without steps. Where nothing
    /// changes the share is not a number, which counts as large.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<[f64; Self::NAMES.len()]> {
        let last = self.0.len().checked_sub(1)?;
        Some(std::array::from_fn(|quantity| {
            let mut sorted: Vec<f64> = self.0.iter().map(|shares| shares[quantity].abs()).collect();
            sorted.sort_by(f64::total_cmp);
            sorted[(share * last as f64) as usize]
        }))
    }
}

impl StepReport {
    pub(super) fn new() -> Self {
        Self { tally: Agreements::default(), contact_steps: 0, slipping_steps: 0, bounds: BoundShares::default() }
    }

    /// Counts a step that the judge ended with `wheels`.
    pub(super) fn add(&mut self, finding: Finding, wheels: &[WheelStep]) {
        let any = |test: fn(&WheelStep) -> bool| u64::from(wheels.iter().any(test));
        self.contact_steps += any(|wheel| wheel.contact.touches());
        self.slipping_steps += any(|wheel| wheel.contact.state == WheelState::Slipping);
        self.tally.add(finding);
    }
}
