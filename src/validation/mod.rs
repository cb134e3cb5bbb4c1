//! Item-by-item comparison of one engine with another.
//!
//! ```text
//! SceneClass or study --> items (by counter) --> judge     --> Finding --> Agreements (verdicts, the worst items)
//!                                            --> candidate -->               |
//!                              ^                                         file (JSON)
//!                              '------------------ again --------------------'
//! ```
//!
//! A [`Check`] draws items and judges them; [`CHECKS`] is the list of all, from which the command line, its tables and
//! its files follow. Checks of independent random items are [`DrawnCheck`]s.
//!
//! Agreement is neither an average nor a quota: every single item gets an [`Agreement`]. The judge works in f64; the
//! permitted deviation of a candidate in f32 is derived, item by item, in [`BackwardError`], [`WheelBound`] and
//! [`StepBound`], and anything beyond it is wrong. Where no error is derived the item is unjudged, counted and
//! limited. One wrong item fails a candidate. Whole landings are too long for that: a [`Disagreement`] is explained
//! by their steps, and their record is compared with their states ([`Recording`]).
//!
//! # Rounding
//! Bounds take sums and products as rounded to the nearest f32, by u = 2^-24 of themselves at most, and quotients and roots
//! as WGSL permits them, 5 u and 9 u. WGSL permits sums and products the other neighbour as well, 2 u, which
//! [`BackwardError`] alone counts. A device that truncates may be called wrong where it is right, but none that is
//! wrong by more than a bound is called right.
//!
//! # Conventions
//! As in [`crate::query`].

mod answered;
mod backward_error;
pub mod boxes;
mod check;
pub mod deck_landings;
pub mod deck_steps;
mod deviation;
mod drawn;
mod draws;
pub mod driven_encounters;
mod ellipsoid_bound;
mod ellipsoids;
pub mod encounters;
mod entry_point;
mod error;
mod finding;
mod item;
mod landing;
pub mod lcp;
pub mod oriented;
pub mod particles;
mod rays;
mod saved;
mod scenes;
mod steps;
mod studies;
mod tally;
mod wheel_bound;
mod wheels;
mod words;
pub mod world_steps;

pub use backward_error::BackwardError;
pub use check::{Advanced, Aside, Check, Engines, Group, Outcome, passes_or_fails};
pub use deviation::Deviation;
pub use drawn::{Comparison, DrawnCheck, DrawnItem, DrawnReport, Judged, validate_drawn};
pub use ellipsoids::{EllipsoidAnswers, EllipsoidClass, Ellipsoids};
pub use entry_point::{EntryPointJudge, Judgement, Window};
pub use error::ValidationError;
pub use finding::{Finding, Found};
pub use item::{Class, Fields, Item, Saved};
pub use landing::{
    Disagreement, LandingComparison, LandingItem, LandingReport, LargestDifference, Recording, Shift, StepBound,
    StepComparison, StepItem, StepJudge, judge_landing, judge_step, validate_landings, validate_steps,
};
pub use rays::{RayFinding, RayItem, judge_rays, validate_rays};
pub use saved::{SavedItem, saved_items};
pub use scenes::SceneClass;
pub use steps::{BoundShares, Parting, StepJudgement, StepReport};
pub use studies::{LandingStudy, embedded_study, study_names};
pub use tally::Agreements;
pub use wheel_bound::{WheelBound, WheelDeviations};
pub use wheels::{WheelComparison, WheelItem, judge_wheel, validate_wheels};
pub use words::{Description, Part};

/// All checks. The command line, its reports and files follow from this list.
pub static CHECKS: [&dyn Check; 14] = [
    &rays::Rays,
    &wheels::LedWheels,
    &landing::Steps,
    &boxes::Boxes,
    &particles::FallingParticles,
    &oriented::OrientedCollisions,
    &lcp::LcpProblems,
    &encounters::MeetingVehicles,
    &deck_steps::DeckLandingSteps,
    &deck_landings::WholeDeckLandings,
    &driven_encounters::DrivenVehicles,
    &world_steps::BallWorldSteps,
    &Ellipsoids,
    &landing::Landings,
];

/// Verdict on a result that should equal the judge's.
const UNEQUAL: &str = "not the numbers of the reference";

/// True if two results are numerically equal, with NaN equal to NaN.
fn equal<T: PartialEq + std::fmt::Debug>(a: &T, b: &T) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

/// How well the answers to an item agree, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same answer, to the last place of f32.
    Match,
    /// The same answer, to within the derived error.
    WithinBound,
    /// The same decisions, with a number about which its bound says nothing: it is infinite.
    Unjudged,
    /// A different answer, which a surface displaced by no more than the derived error would give.
    Ambiguous,
    /// Anything else.
    Wrong,
}

impl Agreement {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Match, Self::WithinBound, Self::Unjudged, Self::Ambiguous, Self::Wrong];

    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::WithinBound => "within bound",
            Self::Unjudged => "unjudged",
            Self::Ambiguous => "ambiguous",
            Self::Wrong => "wrong",
        }
    }
}
