//! Combined estimate of the replicates.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::branches::Unseen;
use super::replicate::{Ending, Replicate};
use crate::study::statistics::{clopper_pearson_lower, clopper_pearson_upper, student_quantile};

/// Standard deviation of the replicates' logarithms above which bounds are not trusted to decide. On analytical limit
/// states it is 0.3 at 1e-4 and 0.6 at 1e-9 with 1000 samples; above 1, as caused by noise, the true probability
/// exceeded a stated 97.5 % bound in one of nine repetitions.
const MAX_SPREAD: f64 = 1.0;

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
/// - No replicate saw the event: lower bound 0, and upper bound the mean of what each replicate shows: the probability
///   of its last level if it gave up; if it got stuck, that times the Clopper-Pearson upper bound for no event in the
///   equivalent number of independent trials (draws at level 0, chains later).
/// - Some saw it, some did not: Student's t on the estimates; for the upper bound with what each replicate shows in
///   place of zeros. Wide, but there are no logarithms of zero, and zeros do not measure their own error.
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
        if replicates.iter().all(|replicate| replicate.level() == 0 && replicate.ending() == Some(Ending::Reached)) {
            let events: usize = replicates.iter().map(|replicate| replicate.events().count()).sum();
            let samples = replicates.iter().map(Replicate::samples).sum();
            let bound = |of: fn(u64, u64, f64) -> f64| of(events as u64, samples, confidence);
            let bounds = "Clopper-Pearson; the event is not rare".to_owned();
            let made = made((bound(clopper_pearson_lower), bound(clopper_pearson_upper)), bounds);
            return Self { is_plain: true, ..made };
        }
        if mean == 0.0 {
            let shown = shown_together(replicates, confidence);
            return made(
                (0.0, shown),
                format!("less than; none of {count} replicates of subset simulation saw the event"),
            );
        }
        let t = student_quantile(confidence, (count - 1) as f64);
        let root = (count as f64).sqrt();
        if estimates.contains(&0.0) {
            let ceilings: Vec<f64> = replicates.iter().map(|replicate| shown_alone(replicate, confidence)).collect();
            let (higher_mean, higher_deviation) = mean_and_deviation(&ceilings);
            let zeros = estimates.iter().filter(|&&estimate| estimate == 0.0).count();
            return made(
                (mean - t * deviation / root, higher_mean + t * higher_deviation / root),
                format!("Student t over {count} replicates of subset simulation, {zeros} of them without an event"),
            );
        }
        let logarithms: Vec<f64> = estimates.iter().map(|estimate| estimate.ln()).collect();
        let (centre, spread) = mean_and_deviation(&logarithms);
        let bounds = format!("Student t of logarithms over {count} replicates of subset simulation");
        let made = made(lognormal_bounds(mean, centre, spread, count, confidence), bounds);
        if spread <= MAX_SPREAD {
            made
        } else {
            let bounds = format!("{}; they differ too much to decide (sd of logarithms {spread:.2})", made.bounds);
            Self { bounds, is_trusted: false, ..made }
        }
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

/// Upper bound if no replicate saw an event.
fn shown_together(replicates: &[Replicate], confidence: f64) -> f64 {
    let stuck = || replicates.iter().filter(|replicate| replicate.ending() == Some(Ending::Stuck));
    let share = clopper_pearson_upper(0, stuck().map(trials).sum(), confidence);
    let shown = replicates.iter().map(|replicate| match replicate.ending() {
        Some(Ending::Stuck) => share * replicate.level_probability(),
        _ => replicate.level_probability(),
    });
    shown.sum::<f64>() / replicates.len() as f64
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
