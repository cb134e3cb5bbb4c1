//! Modes of an event: one, or two far apart, each of which gets its own shift in importance sampling.

use serde::Serialize;

use super::replicate::Point;

/// Two modes are distinct if their means differ by this many standard deviations within them. Split at its middle, a
/// normal distribution gives 2.6, a uniform one 3.5, the projection of a circle 4.1.
const APART: f64 = 5.0;
/// Maximum number of iterations of the split; it normally ends well before.
const MAX_ROUNDS: usize = 100;

/// A likely place of the event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Share of the events.
    pub share: f64,
    /// Mean of the independent standard normal behind each input, in the order of the inputs.
    pub shifts: Vec<f64>,
    /// Its standard deviations.
    pub spreads: Vec<f64>,
}

/// Mean and standard deviation of numbers; requires at least one.
pub(super) fn mean_and_spread(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    (mean, (numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt())
}

/// The modes of an event, if there are two; empty if one shift serves all. Events are split along the input with the
/// greatest spread, relative to its prior spread of 1 (two-means, started from the ends).
pub(super) fn modes(events: &[&Point]) -> Vec<Mode> {
    let dimension = events.first().map_or(0, |point| point.z.len());
    let along = |input: usize| events.iter().map(move |point| point.z[input]);
    let spreads = (0..dimension).map(|input| (input, mean_and_spread(along(input)).1));
    let Some((input, _)) = spreads.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
    let (low, high) = two_means(events, input);
    if low.is_empty() || high.is_empty() {
        return Vec::new();
    }
    let of =
        |group: &[&Point]| mean_and_spread(group.iter().map(|point| point.z[input]).collect::<Vec<_>>().into_iter());
    let ((low_mean, low_deviation), (high_mean, high_deviation)) = (of(&low), of(&high));
    let share = low.len() as f64 / events.len() as f64;
    let within = (share * low_deviation.powi(2) + (1.0 - share) * high_deviation.powi(2)).sqrt();
    if high_mean - low_mean <= APART * within {
        return Vec::new();
    }
    [low, high]
        .map(|group| {
            let along = |input: usize| mean_and_spread(group.iter().map(move |point| point.z[input]));
            let (shifts, spreads) = (0..dimension).map(along).unzip();
            Mode { share: group.len() as f64 / events.len() as f64, shifts, spreads }
        })
        .to_vec()
}

fn two_means<'a>(events: &[&'a Point], input: usize) -> (Vec<&'a Point>, Vec<&'a Point>) {
    let along = |point: &Point| point.z[input];
    let middle = |numbers: &[&Point]| numbers.iter().map(|point| along(point)).sum::<f64>() / numbers.len() as f64;
    let ends = events.iter().map(|point| along(point));
    let least = ends.clone().fold(f64::INFINITY, f64::min);
    let mut cut = 0.5 * (least + ends.fold(f64::NEG_INFINITY, f64::max));
    for _ in 0..MAX_ROUNDS {
        let (low, high): (Vec<&Point>, Vec<&Point>) = events.iter().copied().partition(|point| along(point) <= cut);
        let next = 0.5 * (middle(&low) + middle(&high));
        // If no value is above, all are equal.
        if next == cut || !next.is_finite() {
            return (low, high);
        }
        cut = next;
    }
    events.iter().copied().partition(|point| along(point) <= cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;
    use crate::random::uniform;

    fn events(place: impl Fn(f64, f64) -> Vec<f64>) -> Vec<Point> {
        let draw = |number, variable| normal::quantile(uniform(5, number, variable));
        (0..500).map(|number| Point { number, z: place(draw(number, 0), draw(number, 1)), noise: number }).collect()
    }

    fn found(events: &[Point]) -> Vec<Mode> {
        modes(&events.iter().collect::<Vec<_>>())
    }

    #[test]
    fn both_sides_of_an_input_are_two_modes_with_a_mean_near_0_in_all() {
        // The tails beyond 3 and -3: mean 3.28.
        let two = events(|a, b| vec![b, (3.0 + 0.28 * a.abs() * 1.25).copysign(a)]);
        let modes = found(&two);
        let (mean, deviation) = mean_and_spread(two.iter().map(|point| point.z[1]).collect::<Vec<_>>().into_iter());
        assert!(mean.abs() < 0.5 && deviation > 3.0, "{mean} {deviation}");
        assert_eq!(modes.len(), 2);
        assert!((modes[0].shifts[1] + 3.28).abs() < 0.05 && (modes[1].shifts[1] - 3.28).abs() < 0.05, "{modes:?}");
        assert!(modes[0].shifts[0].abs() < 0.3 && (modes[0].share - 0.5).abs() < 0.1, "{modes:?}");
        assert_eq!(modes[0].share + modes[1].share, 1.0);
    }

    #[test]
    fn either_of_two_inputs_is_two_modes_and_one_place_is_none() {
        let either = events(|a, b| if a > 0.0 { vec![4.5, b] } else { vec![b, 4.5] });
        assert_eq!(found(&either).len(), 2);
        assert_eq!(found(&events(|a, b| vec![a, 4.0 + 0.3 * b])), []);
        // A ring.
        assert_eq!(found(&events(|a, b| vec![5.0 * a / a.hypot(b), 5.0 * b / a.hypot(b)])), []);
        assert_eq!(found(&events(|_, _| vec![1.0])), []);
        assert_eq!(modes(&[]), []);
    }
}
