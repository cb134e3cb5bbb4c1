use proptest::prelude::*;
use statrs::function::gamma::gamma;

use super::*;
use crate::random::uniform;

const DRAWS: usize = 100_000;
/// The ends of what `uniform` draws, and beyond.
const EXTREMES: [f64; 4] = [5e-324, 1.0 / (1_u64 << 54) as f64, 0.5, 1.0 - f64::EPSILON / 2.0];

fn one_of_each() -> Vec<Distribution> {
    [
        Distribution::constant(-2.5),
        Distribution::uniform(-3.0, 7.5),
        Distribution::normal(1.5, 0.25),
        Distribution::truncated_normal(0.0, 1.0, -0.5, 2.0),
        Distribution::truncated_normal(0.0, 1.0, 8.0, f64::INFINITY),
        Distribution::truncated_normal(0.0, 1.0, f64::NEG_INFINITY, -8.0),
        Distribution::log_normal(3.0, 2.0),
        Distribution::weibull(2.0, 1.7),
        Distribution::choice(&[5.0, -1.0, 2.0], &[1.0, 3.0, 0.0]),
        Distribution::empirical(&[4.0, 1.0, 1.0, 9.0]),
    ]
    .into_iter()
    .collect::<Result<_, _>>()
    .unwrap()
}

fn draws(distribution: &Distribution) -> Vec<f64> {
    (0..DRAWS as u64).map(|item| distribution.quantile(uniform(3, item, 0))).collect()
}

/// Largest distance between the draws' step function and a continuous cumulative distribution.
fn kolmogorov_distance(distribution: &Distribution, cumulative: impl Fn(f64) -> f64) -> f64 {
    let mut values = draws(distribution);
    values.sort_by(f64::total_cmp);
    values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let expected = cumulative(*value);
            (expected - i as f64 / DRAWS as f64).abs().max((expected - (i + 1) as f64 / DRAWS as f64).abs())
        })
        .fold(0.0, f64::max)
}

#[test]
fn draws_follow_their_cumulative_distribution() {
    /// Kolmogorov's distribution exceeds 2.7 / sqrt(n) with probability 1e-6.
    const CRITICAL: f64 = 2.7;
    type Case = (&'static str, Result<Distribution, DistributionError>, fn(f64) -> f64);
    let cases: [Case; 6] = [
        ("uniform", Distribution::uniform(-3.0, 7.0), |x| (x + 3.0) / 10.0),
        ("normal", Distribution::normal(1.5, 0.25), |x| normal::cumulative((x - 1.5) / 0.25)),
        ("truncated", Distribution::truncated_normal(1.0, 2.0, 0.0, 2.5), |x| {
            let cumulative = |x: f64| normal::cumulative((x - 1.0) / 2.0);
            (cumulative(x) - cumulative(0.0)) / (cumulative(2.5) - cumulative(0.0))
        }),
        ("upper tail", Distribution::truncated_normal(0.0, 1.0, 8.0, 9.0), |x| {
            let above = normal::complement;
            (above(8.0) - above(x)) / (above(8.0) - above(9.0))
        }),
        ("log-normal", Distribution::log_normal(3.0, 4.0), |x| {
            let variance = (1.0f64 + 16.0 / 9.0).ln();
            normal::cumulative((x.ln() - 3f64.ln() + variance / 2.0) / variance.sqrt())
        }),
        ("Weibull", Distribution::weibull(2.0, 1.7), |x| 1.0 - (-(x / 2.0).powf(1.7)).exp()),
    ];
    for (name, distribution, cumulative) in cases {
        let distance = kolmogorov_distance(&distribution.unwrap(), cumulative);
        assert!(distance < CRITICAL / (DRAWS as f64).sqrt(), "{name}: {distance}");
    }
}

#[test]
fn choices_are_drawn_in_proportion_to_their_weights() {
    let values = draws(&Distribution::choice(&[5.0, -1.0, 2.0, 7.0], &[1.0, 3.0, 0.0, 4.0]).unwrap());
    for (value, probability) in [(5.0, 0.125), (-1.0, 0.375), (2.0, 0.0), (7.0, 0.5)] {
        let share = values.iter().filter(|drawn| **drawn == value).count() as f64 / DRAWS as f64;
        let five_standard_errors = 5.0 * (probability * (1.0 - probability) / DRAWS as f64).sqrt();
        assert!((share - probability).abs() <= five_standard_errors, "{value}: {share}");
    }
}

/// The integral over (0, 1) by the midpoint rule in cells of one ten-thousandth, of which the first and the last are halved
/// towards the ends, where quantiles may grow without bound: down to parts of 1e-10.
fn integral(function: impl Fn(f64) -> f64) -> f64 {
    const CELLS: u32 = 10_000;
    const HALVINGS: u32 = 20;
    let width = 1.0 / f64::from(CELLS);
    let inner: f64 = (1..CELLS - 1).map(|cell| function((f64::from(cell) + 0.5) * width)).sum();
    let at_both_ends = |distance: f64| function(distance) + function(1.0 - distance);
    let (mut ends, mut part) = (0.0, width);
    for _ in 0..HALVINGS {
        part *= 0.5;
        // From one part to two parts away from the end.
        ends += part * at_both_ends(1.5 * part);
    }
    width * inner + ends + part * at_both_ends(0.5 * part)
}

#[test]
fn mean_is_the_integral_of_the_quantile() {
    // The rule misses less than 1e-5 of these means.
    const TOLERANCE: f64 = 1e-4;
    for distribution in one_of_each() {
        let integral = integral(|u| distribution.quantile(u));
        let mean = distribution.mean();
        assert!((integral - mean).abs() <= TOLERANCE * mean.abs(), "{distribution:?}: {integral} {mean}");
    }
}

#[test]
fn log_normal_has_the_mean_and_sd_of_the_value() {
    let distribution = Distribution::log_normal(3.0, 0.6).unwrap();
    let values = draws(&distribution);
    let count = DRAWS as f64;
    let mean = values.iter().sum::<f64>() / count;
    let sd = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    // Five standard errors: sd / sqrt(n) of the mean; with a kurtosis below 4 for this shape, 0.9
    // sd / sqrt(n) of the sd.
    let tolerance = 5.0 * 0.6 / count.sqrt();
    assert!((mean - 3.0).abs() < tolerance && (sd - 0.6).abs() < tolerance, "{mean} {sd}");
    assert_eq!(distribution.mean(), 3.0);
}

#[test]
fn closed_form_quantiles_and_means() {
    let exponential = Distribution::weibull(3.0, 1.0).unwrap();
    assert!((exponential.quantile(0.5) - 3.0 * 2f64.ln()).abs() < 4.0 * f64::EPSILON);
    assert!((exponential.mean() - 3.0).abs() < 16.0 * f64::EPSILON);
    let rayleigh = Distribution::weibull(1.0, 2.0).unwrap();
    assert!((rayleigh.mean() - gamma(1.5)).abs() < 4.0 * f64::EPSILON);
    assert!((Distribution::log_normal(3.0, 4.0).unwrap().quantile(0.5) - 9.0 / 5.0).abs() < 16.0 * f64::EPSILON);
    let sample = Distribution::empirical(&[4.0, 1.0, 2.0, 9.0]).unwrap();
    for (u, expected) in [(0.1, 1.0), (0.125, 1.0), (0.375, 2.0), (0.5, 3.0), (0.75, 6.5), (0.9, 9.0)] {
        assert_eq!(sample.quantile(u), expected);
    }
    assert_eq!(sample.mean(), 4.0);
    let choice = Distribution::choice(&[2.0, 1.0], &[1.0, 1.0]).unwrap();
    assert_eq!([0.3, 0.5, 0.51].map(|u| choice.quantile(u)), [1.0, 1.0, 2.0]);
}

#[test]
fn truncated_normal_is_accurate_far_out_in_both_tails() {
    /// A tail probability carries z^2 roundings, but z feels them divided by z^2 again.
    const QUANTILE_TOLERANCE: f64 = 1e-14;
    /// The mean feels them undivided: times 1 + z^2 of the end that is nearer to the middle.
    const MEAN_TOLERANCE: f64 = 5e-15;
    // (min, max, u, quantile, mean) of the standard normal, from 60 digits.
    let cases = [
        (8.0, 9.0, 0.5, 8.084888899018166, 8.121188992979796),
        (8.0, 9.0, 0.999, 8.791963586618891, 8.121188992979796),
        (-9.0, -8.0, 0.001, -8.791963586618891, -8.121188992979796),
        (8.0, f64::INFINITY, 0.25, 8.03534703595483, 8.121368112236112),
        (30.0, 31.0, 0.5, 30.02307046782731, 30.033259667433622),
        (-3.0, 8.0, 0.9999999999999999, 7.979780539553453, 0.004437839042120607),
        (-8.0, 8.0, 0.9999999, 5.199337581134248, 0.0),
        (-1.0, 0.5, 0.2, -0.6273445743806649, -0.206631218061533),
    ];
    for (minimum, maximum, u, quantile, mean) in cases {
        let distribution = Distribution::truncated_normal(0.0, 1.0, minimum, maximum).unwrap();
        let quantile_error = (distribution.quantile(u) - quantile).abs();
        assert!(quantile_error <= QUANTILE_TOLERANCE * quantile.abs(), "{minimum} {maximum} {u}: {quantile_error:e}");
        let nearer = minimum.abs().min(maximum.abs());
        let mean_error = (distribution.mean() - mean).abs();
        assert!(
            mean_error <= MEAN_TOLERANCE * (1.0 + nearer * nearer) * mean.abs(),
            "{minimum} {maximum}: {mean_error:e}"
        );
    }
}

#[test]
fn quantiles_are_finite_monotone_and_inside_the_bounds() {
    let mut grid = EXTREMES.to_vec();
    grid.extend((1..10_000).map(|i| f64::from(i) / 10_000.0));
    grid.extend((5..300).flat_map(|i| [10f64.powi(-i), 1.0 - 10f64.powi(-i.min(15))]));
    grid.sort_by(f64::total_cmp);
    for distribution in one_of_each() {
        let values: Vec<f64> = grid.iter().map(|u| distribution.quantile(*u)).collect();
        assert!(values.iter().all(|value| value.is_finite()), "{distribution:?}");
        assert!(values.is_sorted(), "{distribution:?}");
        let inside = |value: &f64| {
            distribution.minimum().is_none_or(|minimum| minimum <= *value)
                && distribution.maximum().is_none_or(|maximum| *value <= maximum)
        };
        assert!(values.iter().all(inside), "{distribution:?}");
    }
}

#[test]
fn bad_parameters_are_refused_with_the_number() {
    use DistributionError as Error;
    let infinite = f64::INFINITY;
    let cases = [
        (Distribution::constant(f64::NAN), "value is NaN; it must be a finite number"),
        (Distribution::uniform(2.0, 2.0), "the range from 2 to 2 is empty"),
        (Distribution::uniform(0.0, infinite), "max is inf; it must be a finite number"),
        (Distribution::uniform(-1e308, 1e308), "these parameters give values up to inf"),
        (Distribution::normal(0.0, 0.0), "sd is 0; it must be greater than 0"),
        (Distribution::normal(0.0, -3.0), "sd is -3; it must be greater than 0"),
        (Distribution::normal(f64::NAN, 1.0), "mean is NaN"),
        (Distribution::truncated_normal(0.0, 1.0, 1.0, f64::NAN), "the range from 1 to NaN is empty"),
        (Distribution::truncated_normal(0.0, 1.0, 39.0, 40.0), "practically never lies between 39 and 40"),
        (Distribution::truncated_normal(0.0, 1e-300, 1.0, 2.0), "(probability 0e0)"),
        (Distribution::log_normal(-1.0, 1.0), "mean is -1; it must be greater than 0"),
        (Distribution::log_normal(1.0, 1e300), "these parameters give values up to"),
        (Distribution::weibull(0.0, 1.0), "scale is 0"),
        (Distribution::weibull(1.0, 1e-3), "these parameters give values up to inf"),
        (Distribution::choice(&[], &[]), "0 value(s) given; at least 1 are needed"),
        (Distribution::choice(&[1.0], &[1.0, 2.0]), "1 values but 2 weights"),
        (Distribution::choice(&[1.0, 2.0], &[1.0, -2.0]), "weight 1 is -2; weights must be 0 or more"),
        (Distribution::choice(&[1.0, 2.0], &[0.0, 0.0]), "the weights sum to 0"),
        (Distribution::empirical(&[1.0]), "1 value(s) given; at least 2 are needed"),
        (Distribution::empirical(&[1.0, infinite]), "value is inf"),
    ];
    for (result, text) in cases {
        let message = result.map_err(|error: Error| error.to_string()).unwrap_err();
        assert!(message.contains(text), "{message:?} lacks {text:?}");
    }
}

proptest! {
    #[test]
    fn truncated_normals_stay_inside_and_invert(
        mean in -10.0..10.0f64,
        sd in 0.01..10.0f64,
        low in -20.0..20.0f64,
        width in 1e-3..20.0f64,
        u in 1e-6..(1.0 - 1e-6),
    ) {
        let (minimum, maximum) = (mean + sd * low, mean + sd * (low + width));
        let distribution = Distribution::truncated_normal(mean, sd, minimum, maximum).unwrap();
        let value = distribution.quantile(u);
        prop_assert!((minimum..=maximum).contains(&value));
        prop_assert!((minimum..=maximum).contains(&distribution.mean()));
        // Back through the cumulative distribution, on the side where it is accurate.
        let side = if low > 0.0 { normal::complement } else { normal::cumulative };
        let tail = |x: f64| side((x - mean) / sd);
        let back = (tail(value) - tail(minimum)) / (tail(maximum) - tail(minimum));
        // An end of 20 sd is rounded to 1e-14 sd, which moves the tail by a relative 3e-13, over a
        // share as small as 1e-3.
        prop_assert!((back - u).abs() < 1e-9, "{} {}", back, u);
    }

    #[test]
    fn empirical_quantile_meets_its_knots_and_keeps_between_them(
        mut values in proptest::collection::vec(-1e6..1e6f64, 2..50),
        share in 0.0..1.0f64,
    ) {
        let distribution = Distribution::empirical(&values).unwrap();
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        for (index, pair) in values.windows(2).enumerate() {
            let knot = (index as f64 + 0.5) / count;
            let value = distribution.quantile(knot + share / count);
            let expected = pair[0] + share * (pair[1] - pair[0]);
            // Rounding of u times n moves the position by at most 50 units in the last place of 1.
            let tolerance = (50.0 * (pair[1] - pair[0]) + 2.0 * value.abs()) * f64::EPSILON;
            prop_assert!((value - expected).abs() <= tolerance, "{} {}", value, expected);
        }
        prop_assert_eq!(distribution.quantile(0.25 / count), values[0]);
        prop_assert_eq!(distribution.quantile(1.0 - 0.25 / count), values[values.len() - 1]);
    }
}
