//! Job `landing`: single steps from the same state, and what becomes of whole landings.
//!
//! A landing is thousands of steps, and differences grow where it bounces, so two engines cannot be held together step
//! for step. What can be: every single step that a candidate takes is judged from the candidate's own state. If none is
//! wrong, its landing is one that the judge would have flown, had its state been displaced by no more than the derived
//! bound at each step. So a landing whose class differs is explained by the first decision in which the two trajectories
//! part and by how narrow it was, or it is not explained and the candidate fails.
//!
//! # Conventions
//! As in [`crate::query`].

mod bound;
mod perturbation;
mod sample;
mod step;
mod whole;

pub use bound::{StepBound, WheelBound};
pub use sample::{StepReport, validate_steps};
pub use step::StepJudge;
pub use whole::{Disagreement, LandingReport, validate_landings};

use super::Verdict;

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
    fn new(verdict: Verdict, why: &'static str, ratio: Option<f64>) -> Self {
        Self { verdict, why, ratio, parting: None }
    }
}
