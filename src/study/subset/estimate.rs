//! Combined estimate of the replicates.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::branches::Unseen;
use super::replicate::{Ending, Replicate};
use crate::study::statistics::{clopper_pearson_lower, clopper_pearson_upper, student_quantile};

/// Standard deviation of the replicates' logarithms above which bounds are not trusted to decide. On analytical limit
/// states it is 0.3 at 1e-4 and 0.6 at 1e-9 with 1000 samples; above 1, as caused by noise, the true probability
/// exceeded a stated 97.5 % bound in one of nine repetitions.
const MAX_SPREAD: f64 = 1.0;

/// Where replicates without an event show less than the others see, by a greater factor than e to this, they went another way. With
/// more, a few of many replicates that found the event would make an upper bound that is exceeded twice as often as stated.
const MAX_APART: f64 = 2.0;

/// Levels end short of the event if the last factor of ten in probability brought them nearer by less than this part of what the
/// factor of ten before did: of a normal response it is 0.83 at 1e-4 and more farther out. Of one with an end, to which n inputs
/// lead, it is 10^(-1/n) or, where it is smooth there, 10^(-2/n): up to four, or eight, inputs are noticed in spite of scatter.
const LEAST_PROGRESS: f64 = 0.7;

/// An estimate with one-sided bounds.
///
/// The estimate is the mean of the replicates' estimates, each of which has a bias of order 1/N. Their distribution is
/// that of a product of many nearly independent factors, hence skewed to the right, and Student's t on the estimates
/// themselves gives upper bounds that are too low (exceeded in 6 % instead of 2.5 % at 1e-7). Their logarithms are
/// nearly normal. With s^2 the variance of R logarithms, ln(mean) = E\[ln\] + s^2/2 has an error in each term: in the
/// first t sqrt(s^2/R), t Student's with R - 1 degrees of freedom, in the second s^2/2 times the relative error of a
/// variance, (R - 1)/chi^2 - 1, which is much larger upwards than downwards. Each bound deviates by the root of the sum
/// of their squares (G. Y. Zou, J. Taleban, C. Y. Huo, "Confidence intervals for lognormal mean values", Computational
/// Statistics and Data Analysis 53 (2009), with t in place of z). Where the logarithms are not quite normal, the
/// logarithm of the mean and the mean of the logarithms plus s^2/2 differ; the upper bound starts from the larger of
/// them, the lower from the smaller.
///
/// `tests/studies/subset.rs` measures the coverage. Three cases have bounds of their own:
/// - Every replicate ended at level 0: plain sampling, Clopper-Pearson on all samples.
/// - No replicate saw the event: lower bound 0, and upper bound the mean probability of the last levels, if these were still coming
///   nearer when all gave up. If not, or if too few levels tell, their way does not lead to the event, and says nothing of
///   another: then the plain draws of level 0 alone give the bound (Clopper-Pearson).
/// - Some saw it, some did not: Student's t on the estimates; for the upper bound with what each replicate shows in
///   place of zeros: the probability of its last level if it gave up; if it got stuck, that times the Clopper-Pearson upper bound
///   for no event in the equivalent number of independent trials (draws at level 0, chains later). Wide, but there are
///   no logarithms of zero, and zeros do not measure their own error. Where those without an event show far less than
///   the others see, they went another way, and the bounds are not trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Mean of the replicates' estimates.
    pub probability: f64,
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
    /// How the bounds were obtained.
    pub bounds: String,
    /// Coefficient of variation of one replicate's estimate; `None` without an event.
    pub variation: Option<f64>,
    /// Whether the replicates agree well enough for the bounds to be valid.
    pub is_trusted: bool,
    /// All samples are plain draws.
    is_plain: bool,
}

impl Estimate {
    /// From finished replicates, with bounds at a confidence inside (0, 1).
    #[must_use]
    pub fn of(replicates: &[Replicate], confidence: f64) -> Self {
        let estimates: Vec<f64> = replicates.iter().map(Replicate::estimate).collect();
        let (mean, deviation) = mean_and_deviation(&estimates);
        let count = replicates.len();
        let made = |(lower, upper): (f64, f64), bounds: String| Self {
            probability: mean,
            lower: lower.clamp(0.0, mean),
            upper: upper.clamp(mean, 1.0),
            bounds,
            variation: (mean > 0.0).then(|| deviation / mean),
            is_trusted: true,
            is_plain: false,
        };
        if replicates.iter().all(|replicate| replicate.level() == 0) {
            let events: usize = replicates.iter().map(|replicate| replicate.events().count()).sum();
            let samples = replicates.iter().map(Replicate::samples).sum();
            let bound = |of: fn(u64, u64, f64) -> f64| of(events as u64, samples, confidence);
            let bounds = "Clopper-Pearson; all draws are plain".to_owned();
            let made = made((bound(clopper_pearson_lower), bound(clopper_pearson_upper)), bounds);
            return Self { is_plain: true, ..made };
        }
        if mean == 0.0 {
            // Levels are of one size, the plain draws of the first too.
            let of_plain_draws = clopper_pearson_upper(0, replicates.iter().map(Replicate::samples).sum(), confidence);
            let of_levels = replicates.iter().map(Replicate::level_probability).sum::<f64>() / count as f64;
            let bounds = format!("less than; none of {count} replicates of subset simulation saw the event");
            if ends_short(replicates) {
                let why = "their levels end short of it, so that only the plain draws of the first level count";
                return Self { is_plain: true, ..made((0.0, of_plain_draws), format!("{bounds}; {why}")) };
            }
            return Self { is_plain: of_plain_draws < of_levels, ..made((0.0, of_levels.min(of_plain_draws)), bounds) };
        }
        let t = student_quantile(confidence, (count - 1) as f64);
        let root = (count as f64).sqrt();
        if estimates.contains(&0.0) {
            let ceilings: Vec<f64> = replicates.iter().map(|replicate| shown_alone(replicate, confidence)).collect();
            let (higher_mean, higher_deviation) = mean_and_deviation(&ceilings);
            let zeros = estimates.iter().filter(|&&estimate| estimate == 0.0).count();
            let bounds =
                format!("Student t over {count} replicates of subset simulation, {zeros} of them without an event");
            let made = made((mean - t * deviation / root, higher_mean + t * higher_deviation / root), bounds);
            let mean_logarithm = |has_event: bool| {
                let own = estimates.iter().zip(&ceilings).filter(|(estimate, _)| (**estimate > 0.0) == has_event);
                let logarithms: Vec<f64> = own.map(|(_, ceiling)| ceiling.ln()).collect();
                logarithms.iter().sum::<f64>() / logarithms.len() as f64
            };
            let apart = mean_logarithm(true) - mean_logarithm(false);
            return made.trusted_if(apart <= MAX_APART, &format!("ratio {:.0}", apart.exp()));
        }
        let logarithms: Vec<f64> = estimates.iter().map(|estimate| estimate.ln()).collect();
        let (centre, spread) = mean_and_deviation(&logarithms);
        let bounds = format!("Student t of logarithms over {count} replicates of subset simulation");
        made(lognormal_bounds(mean, centre, spread, count, confidence), bounds)
            .trusted_if(spread <= MAX_SPREAD, &format!("sd of logarithms {spread:.2}"))
    }

    /// With bounds that decide only where replicates agree; else with how they do not.
    fn trusted_if(self, do_agree: bool, how: &str) -> Self {
        if do_agree {
            return self;
        }
        let bounds = format!("{}; they differ too much to decide ({how})", self.bounds);
        Self { bounds, is_trusted: false, ..self }
    }

    /// Allows for branches that the samples do not show: the upper bound increases by their probability. Plain draws
    /// include them already.
    #[must_use]
    pub fn beside(self, unseen: Option<&Unseen>) -> Self {
        match unseen {
            Some(Unseen { probability, .. }) if !self.is_plain => Self {
                upper: (self.upper + probability).min(1.0),
                bounds: format!("{}; plus {probability:.3e} for values too rare to be seen", self.bounds),
                ..self
            },
            _ => self,
        }
    }
}

/// Bounds from the mean of this many estimates, and mean and standard deviation of their logarithms.
fn lognormal_bounds(mean: f64, centre: f64, spread: f64, count: usize, confidence: f64) -> (f64, f64) {
    let degrees = (count - 1) as f64;
    let half_variance = spread * spread / 2.0;
    let of_centre = student_quantile(confidence, degrees) * spread / (count as f64).sqrt();
    // Chi-squared quantile.
    let squares = |probability: f64| {
        ChiSquared::new(degrees).map_or(f64::NAN, |chi_squared| chi_squared.inverse_cdf(probability))
    };
    let down = half_variance * (1.0 - degrees / squares(confidence));
    let up = half_variance * (degrees / squares(1.0 - confidence) - 1.0);
    let centres = [mean.ln(), centre + half_variance];
    let (least, greatest) = (centres[0].min(centres[1]), centres[0].max(centres[1]));
    ((least - of_centre.hypot(down)).exp(), (greatest + of_centre.hypot(up)).exp())
}

/// Mean and standard deviation of a sample of at least two.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Equivalent number of independent trials without an event in a stuck replicate: draws, or chains, whose samples are
/// correlated.
fn trials(replicate: &Replicate) -> u64 {
    if replicate.level() == 0 { replicate.samples() } else { replicate.chains() }
}

/// Whether the levels of replicates without an event had stopped coming nearer to it.
fn ends_short(replicates: &[Replicate]) -> bool {
    if replicates.iter().any(|replicate| replicate.ending() == Some(Ending::Stuck)) {
        return true;
    }
    let (mut last, mut before, mut missing) = (0.0, 0.0, 0.0);
    for [first, second, third] in replicates.iter().filter_map(last_thresholds) {
        last += third - second;
        before += second - first;
        missing -= third;
    }
    let share = last / before;
    // As far as the sum of a geometric series leads; 0 / 0 where too few levels tell.
    share.is_nan() || (share < LEAST_PROGRESS && last * share / (1.0 - share) < missing)
}

/// Thresholds at a hundred and ten times the probability of a replicate's last level, and at it, by straight lines in the logarithm of
/// the probability between levels; `None` where these do not reach so far.
fn last_thresholds(replicate: &Replicate) -> Option<[f64; 3]> {
    let levels: Vec<_> = replicate.levels().filter(|level| level.threshold.is_finite()).collect();
    let last = levels.last()?;
    let at = |ratio: f64| {
        // Rounding alone must not take a level for too near.
        let wanted = ratio * last.probability * (1.0 - 1e-9);
        let place = levels.iter().rposition(|level| level.probability >= wanted)?;
        let (before, after) = (levels[place], levels[(place + 1).min(levels.len() - 1)]);
        let whole = (before.probability / after.probability).ln();
        let share = if whole > 0.0 { (before.probability / wanted).ln() / whole } else { 0.0 };
        Some(before.threshold + share * (after.threshold - before.threshold))
    };
    Some([at(100.0)?, at(10.0)?, last.threshold])
}

/// A replicate's estimate, or what it shows if it saw no event.
fn shown_alone(replicate: &Replicate, confidence: f64) -> f64 {
    let estimate = replicate.estimate();
    if estimate > 0.0 {
        return estimate;
    }
    let share = match replicate.ending() {
        Some(Ending::Stuck) => clopper_pearson_upper(0, trials(replicate), confidence),
        _ => 1.0,
    };
    share * replicate.level_probability()
}
