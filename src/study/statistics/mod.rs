//! Exact, order-independent statistics and exact intervals.
//!
//! A summary must have the same bytes however the work was split and in whatever order results arrived. So outcomes are
//! counted and added as integers ([`Accumulator`]), never as floating-point sums, and failures are judged by the exact
//! binomial bounds of Clopper and Pearson ([`verdict`]).

mod accumulator;
mod binomial;
mod bounds;
mod bucket;
mod defended;
mod histogram;
mod moments;
mod proportions;
mod replicates;
mod student;
mod tail;
mod two_sample;
mod weighted;
mod wide;

pub use accumulator::{Accumulator, OutcomeError, QUANTILES};
pub use bounds::{Verdict, clopper_pearson_lower, clopper_pearson_upper, verdict};
pub use defended::{DefendedBounds, DefendedTally};
pub use moments::{MomentBounds, trials_for_tolerance};
pub use proportions::{Discordance, Share, difference_of_intervals, holm};
pub use replicates::{ReplicateBounds, replicate_bounds};
pub(super) use student::{student_quantile, student_tail};
pub use tail::Pareto;
pub use two_sample::{TwoSampleTest, homogeneity, kolmogorov_smirnov, kolmogorov_smirnov_of_sums};
pub use weighted::{MIN_EFFECTIVE, WeightError, WeightedBounds, WeightedTally};
