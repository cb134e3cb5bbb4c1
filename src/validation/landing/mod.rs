//! Job `landing`: single steps from the same state, and whole landings.
//!
//! A landing is thousands of steps, and differences grow where it bounces, so two engines cannot be compared step by
//! step. Instead, every single step of a candidate is judged from the candidate's own state. If none is wrong, its
//! landing is one that the judge would have computed, had its state been displaced by no more than the derived bound at
//! each step. So a landing whose class differs is either explained by the first decision at which the two trajectories
//! part and by how narrow that decision was, or it is unexplained and the candidate fails. What a candidate records
//! from its states is judged by the judge's recorder over the same states.
//!
//! # Conventions
//! As in [`crate::query`].

mod bound;
mod disagreement;
mod guidance_bound;
mod perturbation;
mod recording;
mod sample;
mod step;
mod steps_check;
mod thresholds;
mod whole;
mod whole_check;

pub use bound::StepBound;
pub use disagreement::Disagreement;
pub use recording::Recording;
pub use sample::{StepComparison, judge_step, validate_steps};
pub use step::StepJudge;
pub use steps_check::StepItem;
pub(super) use steps_check::Steps;
pub use whole::{LandingComparison, LandingReport, LargestDifference, Shift, judge_landing, validate_landings};
pub use whole_check::LandingItem;
pub(super) use whole_check::Landings;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests;
