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

pub use bound::StepBound;
pub use sample::{StepComparison, judge_step, validate_steps};
pub use step::StepJudge;
pub use whole::{Disagreement, LandingComparison, LandingReport, judge_landing, validate_landings};
