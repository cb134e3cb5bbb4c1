//! Item-by-item judgement of one engine by another.
//!
//! ```text
//! SceneClass --> scene, items (by counter) --> judge     --> Judgement --> Tally (verdicts, the worst items)
//!                                          --> candidate -->
//! ```
//!
//! Agreement is neither an average nor a quota: every single item gets a [`Verdict`]. The judge works in f64; what a
//! candidate in binary32 may differ by is derived in [`BackwardError`], item by item, and whatever is beyond it is
//! wrong. One wrong item fails a candidate.
//!
//! # Conventions
//! As in [`crate::query`].

mod backward_error;
mod draws;
mod entry_point;
mod finding;
mod landing;
mod rays;
mod scenes;
mod steps;
mod studies;
mod tally;
mod wheel_bound;
mod wheels;

pub use backward_error::BackwardError;
pub use entry_point::{EntryPointJudge, Judgement, Window};
pub use finding::{Finding, Item, saved_items};
pub use landing::{Disagreement, LandingReport, StepBound, StepJudge, validate_landings, validate_steps};
pub use rays::{ValidationError, judge_items, validate_rays};
pub use scenes::SceneClass;
pub use steps::{Parting, StepJudgement, StepReport};
pub use studies::{embedded_study, study_names};
pub use tally::Tally;
pub use wheel_bound::WheelBound;
pub use wheels::validate_wheels;

/// What an item comes to, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The same answer, to the last place of binary32.
    Match,
    /// The same answer, to within the derived error.
    WithinBound,
    /// Another answer, which a border displaced by no more than the derived error would give.
    Ambiguous,
    /// Anything else.
    Wrong,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Match, Self::WithinBound, Self::Ambiguous, Self::Wrong];

    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::WithinBound => "within bound",
            Self::Ambiguous => "ambiguous",
            Self::Wrong => "wrong",
        }
    }
}
