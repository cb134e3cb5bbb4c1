//! What replicates say together.

use super::replicate::{Ending, Replicate};
use crate::study::statistics::{clopper_pearson_lower, clopper_pearson_upper, student_quantile};

/// Standard deviation of the replicates' logarithms above which bounds are not trusted to decide. On limit states of
/// which all is known it is 0.3 at 1e-4 and 0.6 at 1e-9 with 1000 samples; above 1, as noise makes it, the true
/// probability was above a stated 97.5 % bound in one of nine repetitions.
const LARGEST_SPREAD: f64 = 1.0;

/// An estimate with one-sided bounds.
///
/// The estimate is the mean of the replicates' estimates, each of which is free of bias to about 1/N. Their distribution is
/// that of a product of many nearly independent factors, so it is skew to the right, and Student's t of the estimates
/// themselves gives upper bounds that are too low (6 % beyond a stated 2.5 % at 1e-7). Their logarithms are nearly normal.
/// The centre must stay the logarithm of the mean, not the mean of the logarithms, which is lower by half their variance
/// s^2; estimated from R replicates, both parts of ln(mean) = E\[ln\] + s^2/2 have errors, with variances s^2/R and
/// s^4/(2 (R - 1)) (D. R. Cox in C. E. Land, Technometrics 14 (1972)). So the bounds are
///
/// mean exp(-+ t sqrt(s^2/R + s^4/(2 (R - 1)))), t of Student with R - 1 degrees of freedom.
///
/// `tests/subset.rs` measures how often they cover the truth. Three cases have bounds of their own:
/// - Every replicate ended at level 0: plain sampling, Clopper and Pearson of all its samples.
/// - No replicate saw the event: none below, and above the mean of what was shown in each: the probability of its last
///   level where it gave up; where it got stuck, of that the upper bound of Clopper and Pearson, for no event in as many
///   independent trials as there were (draws at level 0, chains later).
/// - Some saw it, some did not: Student's t of the estimates; for the upper bound with what was shown in place of zeros,
///   each replicate for itself. Wide, but there are no logarithms of zero, and zeros are no measure of their own error.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Mean of the replicates' estimates.
    pub probability: f64,
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
    /// How the bounds are made.
    pub bounds: String,
    /// Coefficient of variation of one replicate's estimate; `None` without an event.
    pub variation: Option<f64>,
    /// Whether the replicates agree well enough for the bounds to be what they say.
    pub is_trusted: bool,
}

impl Estimate {
    /// From replicates that have ended, with bounds at a confidence inside (0, 1).
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
        };
        if replicates.iter().all(|replicate| replicate.level() == 0 && replicate.ending() == Some(Ending::Reached)) {
            let events: usize = replicates.iter().map(|replicate| replicate.events().count()).sum();
            let samples = replicates.iter().map(Replicate::samples).sum();
            let bound = |of: fn(u64, u64, f64) -> f64| of(events as u64, samples, confidence);
            return made(
                (bound(clopper_pearson_lower), bound(clopper_pearson_upper)),
                "Clopper-Pearson; the event is not rare".to_owned(),
            );
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
        let (_, spread) = mean_and_deviation(&logarithms);
        let variance = spread * spread;
        let error = (variance / count as f64 + variance * variance / (2.0 * (count - 1) as f64)).sqrt();
        let bounds = format!("Student t of logarithms over {count} replicates of subset simulation");
        let made = made((mean * (-t * error).exp(), mean * (t * error).exp()), bounds);
        if spread <= LARGEST_SPREAD {
            made
        } else {
            let bounds = format!("{}; they differ too much to decide (sd of logarithms {spread:.2})", made.bounds);
            Self { bounds, is_trusted: false, ..made }
        }
    }
}

/// Mean and standard deviation of a sample of at least two.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Independent trials without an event in a replicate that got stuck: draws, or chains, whose samples are correlated.
fn trials(replicate: &Replicate) -> u64 {
    if replicate.level() == 0 { replicate.samples() } else { replicate.chains() }
}

/// Upper bound from replicates that all saw no event.
fn shown_together(replicates: &[Replicate], confidence: f64) -> f64 {
    let stuck = || replicates.iter().filter(|replicate| replicate.ending() == Some(Ending::Stuck));
    let share = clopper_pearson_upper(0, stuck().map(trials).sum(), confidence);
    let shown = replicates.iter().map(|replicate| match replicate.ending() {
        Some(Ending::Stuck) => share * replicate.level_probability(),
        _ => replicate.level_probability(),
    });
    shown.sum::<f64>() / replicates.len() as f64
}

/// A replicate's estimate, or what it shows where it saw no event.
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
