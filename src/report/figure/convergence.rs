//! Convergence of the bounds on a criterion's probability.

use super::{HEIGHT, WIDTH, probability_axis};
use crate::report::gather::Checkpoint;
use crate::report::plot::{Axis, Plot};
use crate::shown::number;
use crate::study::CriterionSummary;

/// The first trials say nothing yet.
const FIRST: u64 = 10;

/// Estimate and bounds of a criterion over trials.
pub fn convergence(
    many: &str,
    criterion: &CriterionSummary,
    number_of_criterion: usize,
    checkpoints: &[Checkpoint],
) -> String {
    let shown = checkpoints.iter().filter(|checkpoint| checkpoint.trials >= FIRST);
    let plan: Vec<(f64, f64, f64, f64)> = shown
        .map(|checkpoint| {
            let [estimate, lower, upper] = checkpoint.bounds[number_of_criterion];
            (checkpoint.trials as f64, lower, estimate, upper)
        })
        .collect();
    let last = plan.last().map_or(FIRST as f64, |point| point.0);
    let x = Axis::logarithmic(FIRST as f64, last.max(10.0 * FIRST as f64), many);
    // An estimate of one event among all trials has its place on the axis.
    let probabilities = plan.iter().flat_map(|&(_, lower, estimate, upper)| [lower.max(0.3 * estimate), upper]);
    let y = probability_axis(probabilities.chain([0.7 * criterion.probability, criterion.probability]), "probability");
    let mut plot = Plot::new(x, y, WIDTH, HEIGHT);
    plot.band("band", &plan.iter().map(|&(trials, lower, _, upper)| (trials, lower, upper)).collect::<Vec<_>>());
    let above_zero = plan.iter().skip_while(|point| point.2 == 0.0);
    plot.line("line", &above_zero.map(|&(trials, _, estimate, _)| (trials, estimate)).collect::<Vec<_>>());
    plot.line("limit", &[(0.0, criterion.probability), (f64::MAX, criterion.probability)]);
    let description = format!(
        "After {} {many}: estimate {}, lower bound {}, upper bound {}, allowed {}; {}.",
        last,
        number(criterion.estimate),
        number(criterion.lower),
        number(criterion.upper),
        number(criterion.probability),
        criterion.verdict
    );
    plot.finish(&format!("Convergence of {}", criterion.name), &description)
}
