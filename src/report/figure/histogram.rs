//! Histogram of a quantity.

use super::{HEIGHT, WIDTH};
use crate::document::Unit;
use crate::model::Quantity;
use crate::report::curve::{Histogram, histogram as counted};
use crate::report::plot::{Axis, Plot};
use crate::shown::Shown;
use crate::study::statistics::Accumulator;

/// Bars of a histogram: (from, to, 0, count).
pub fn bars(histogram: &Histogram) -> Vec<(f64, f64, f64, f64)> {
    let edge = |index: usize| histogram.from + index as f64 * histogram.width;
    let bar = |(index, &count): (usize, &u64)| (edge(index), edge(index + 1), 0.0, count as f64);
    histogram.counts.iter().enumerate().map(bar).collect()
}

/// Trials by ranges of a quantity.
pub fn histogram(many: &str, quantity: &Quantity, sums: &Accumulator) -> Option<String> {
    let histogram = counted(sums, quantity.unit == Unit::One)?;
    let bars = bars(&histogram);
    let (from, to) = (histogram.from, histogram.from + histogram.counts.len() as f64 * histogram.width);
    let greatest = histogram.counts.iter().copied().max()?;
    let shown = Shown::of(quantity.unit.symbol());
    let x = Axis::of_unit(from, to, &quantity.name, quantity.unit.symbol());
    let mut plot = Plot::new(x, Axis::linear(0.0, greatest as f64, many), WIDTH, HEIGHT);
    plot.boxes("bars", &bars);
    if histogram.below > 0 {
        plot.note(from, &format!("{} below", histogram.below));
    }
    if histogram.above > 0 {
        plot.note(to, &format!("{} above", histogram.above));
    }
    let description = format!(
        "{} {many} in {} ranges of {} {}; mean {}, standard deviation {}.",
        sums.count(),
        histogram.counts.len(),
        shown.number(histogram.width),
        shown.symbol,
        sums.mean().map_or_else(String::new, |mean| shown.number(mean)),
        sums.standard_deviation().map_or_else(|| "unknown".to_owned(), |deviation| shown.number(deviation))
    );
    Some(plot.finish(&format!("Histogram of {}", quantity.name), &description))
}
