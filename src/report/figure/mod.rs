//! The figures of a report.

mod convergence;
mod descent;
mod exceedance;
mod footprint;
mod histogram;
mod intervals;
mod profile;
mod tornado;

pub use convergence::convergence;
pub use descent::descent;
pub use exceedance::{Exceedance, exceedance, tails};
pub use footprint::{LEVELS, footprint};
pub use histogram::histogram;
pub use intervals::intervals;
pub use profile::profile;
pub use tornado::tornado;

use super::plot::Axis;

/// Width of the frames \[px\].
const WIDTH: f64 = 560.0;
/// Height of the frames \[px\].
const HEIGHT: f64 = 230.0;
/// Most decades of a logarithmic axis.
const MAX_DECADES: i32 = 14;

/// A logarithmic axis of whole decades that holds these probabilities, as far as they are above zero.
fn probability_axis(probabilities: impl Iterator<Item = f64>, label: &str) -> Axis {
    let above_zero = probabilities.filter(|probability| *probability > 0.0);
    let ends = above_zero.fold(None, |ends: Option<(f64, f64)>, probability| {
        Some(ends.map_or((probability, probability), |(least, greatest)| {
            (least.min(probability), greatest.max(probability))
        }))
    });
    let (least, greatest) = ends.unwrap_or((1.0, 1.0));
    let last = greatest.log10().ceil().clamp(-300.0, 0.0) as i32;
    let first = (least.log10().floor() as i32).clamp(last - MAX_DECADES, last - 1);
    Axis::logarithmic(10f64.powi(first), 10f64.powi(last), label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_axes_hold_whole_decades_whatever_they_are_given() {
        let ends = |probabilities: &[f64]| probability_axis(probabilities.iter().copied(), "").ends();
        assert_eq!(ends(&[2e-3, 0.04]), (1e-3, 0.1));
        assert_eq!(ends(&[0.0, 0.0]), (0.1, 1.0));
        assert_eq!(ends(&[1.0]), (0.1, 1.0));
        assert_eq!(ends(&[1e-300, 0.5]), (1e-14, 1.0));
    }
}
