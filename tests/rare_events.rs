//! Importance sampling on problems with closed forms: do the intervals hold, and how few draws does it take?
//!
//! Print with `cargo test --test rare_events -- --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use touchdown::study::sampling::{Importance, Method, Shift};
use touchdown::study::statistics::WeightedTally;

const REPETITIONS: u64 = 200;
/// Of two one-sided bounds that together hold in 95 %.
const CONFIDENCE: f64 = 0.975;
/// 92 % of 200.
const FEWEST: u64 = 184;

fn normal() -> Normal {
    Normal::new(0.0, 1.0).unwrap()
}

/// P(sum of z / sqrt(n) > beta) = Phi(-beta). The design point is beta / sqrt(n) in each input.
fn linear(inputs: usize, probability: f64) -> (f64, Vec<f64>) {
    let beta = -normal().inverse_cdf(probability);
    (beta, vec![beta / (inputs as f64).sqrt(); inputs])
}

/// What draws say of a probability: how often the interval holds, and the mean of its width over the estimate.
fn coverage(
    name: &str,
    draws: u64,
    probability: f64,
    shift: &[f64],
    spread: f64,
    happened: impl Fn(&[f64]) -> bool,
) -> f64 {
    let shifts = shift.iter().map(|&shift| Some(Shift { shift, spread })).collect();
    let method = Method::Importance(Importance { shifts });
    let normal = normal();
    let (mut held, mut width, mut trusted, mut effective) = (0, 0.0, 0, 0.0);
    for seed in 0..REPETITIONS {
        let mut tally = WeightedTally::default();
        for draw in 0..draws {
            let (uniforms, weight) = method.draw(seed, draw, 0..shift.len() as u32);
            let z: Vec<f64> = uniforms.iter().map(|&uniform| normal.inverse_cdf(uniform)).collect();
            tally.add(happened(&z), weight).unwrap();
        }
        let bounds = tally.bounds(CONFIDENCE);
        held += u64::from(bounds.lower <= probability && probability <= bounds.upper);
        width += (bounds.upper - bounds.lower) / probability / REPETITIONS as f64;
        effective += tally.effective_events() / REPETITIONS as f64;
        trusted += u64::from(bounds.trusted);
    }
    println!(
        "{name}, {} inputs, p = {probability:.3e}, {draws} draws: {held} of {REPETITIONS} hold, {trusted} trusted, \
         width {:.1} %, {effective:.0} effective events",
        shift.len(),
        100.0 * width
    );
    assert!(held >= FEWEST && trusted == REPETITIONS, "{name}: {held} {trusted}");
    width
}

#[test]
fn linear_limit_states_from_1e_4_to_1e_9() {
    for inputs in [2, 20] {
        for probability in [1e-4, 1e-5, 1e-7, 1e-9] {
            let (beta, shift) = linear(inputs, probability);
            let root = (inputs as f64).sqrt();
            coverage("plane", 2000, probability, &shift, 1.0, |z| z.iter().sum::<f64>() > beta * root);
        }
    }
}

/// z1 > beta + curvature (z2^2 + ... + zn^2) / 2 opens away from the origin, and its mirror image towards it. With
/// s = z2^2 + ..., chi-square of n - 1 degrees, the probability is the mean of Phi(-beta - curvature s / 2): by the
/// midpoint rule in the quantiles of s.
#[test]
fn curved_limit_states() {
    // Where the surface bends towards the origin the event is wider than the inputs: 1 / sqrt(1 - 0.1 beta) deviations.
    for (inputs, curvature, spread) in [(2, 0.3, 1.0), (20, 0.02, 1.0), (2, -0.1, 1.3), (20, -0.02, 1.0)] {
        for beta in [4.0, 5.2] {
            let s = ChiSquared::new(inputs as f64 - 1.0).unwrap();
            let steps = 4000;
            let normal = normal();
            let probability = (0..steps)
                .map(|step| s.inverse_cdf((f64::from(step) + 0.5) / f64::from(steps)))
                .map(|s| normal.cdf(-beta - 0.5 * curvature * s))
                .sum::<f64>()
                / f64::from(steps);
            let mut shift = vec![0.0; inputs];
            shift[0] = beta;
            coverage("paraboloid", 3000, probability, &shift, spread, |z| {
                z[0] > beta + 0.5 * curvature * z[1..].iter().map(|z| z * z).sum::<f64>()
            });
        }
    }
}

#[test]
fn a_design_point_missed_by_half_a_deviation_and_a_wider_spread_still_hold() {
    let (beta, mut shift) = linear(2, 1e-7);
    shift[0] += 0.5;
    shift[1] -= 0.3;
    coverage("plane, shift off", 5000, 1e-7, &shift, 1.2, |z| z[0] + z[1] > beta * 2_f64.sqrt());
}

/// The number: 1e-7 within 100,000 evaluations. Plain sampling would take some 4 10^9 for this width.
#[test]
fn one_in_ten_million_is_known_to_a_few_percent_with_20_000_draws() {
    let (beta, shift) = linear(20, 1e-7);
    let width = coverage("plane", 20_000, 1e-7, &shift, 1.0, |z| z.iter().sum::<f64>() > beta * 20_f64.sqrt());
    assert!(width < 0.1, "{width}");
}

#[test]
fn too_few_events_are_not_trusted_and_none_bound_nothing() {
    let shifts = vec![Some(Shift { shift: 2.0, spread: 1.0 })];
    let method = Method::Importance(Importance { shifts });
    let normal = normal();
    let mut tally = WeightedTally::default();
    let mut never = WeightedTally::default();
    for draw in 0..1000 {
        let (uniforms, weight) = method.draw(3, draw, 0..1);
        tally.add(normal.inverse_cdf(uniforms[0]) > 4.0, weight).unwrap();
        never.add(false, weight).unwrap();
    }
    println!("{} effective events: {:?}", tally.effective_events(), tally.bounds(CONFIDENCE));
    assert!(tally.events > 5 && !tally.bounds(CONFIDENCE).trusted);
    let bounds = never.bounds(CONFIDENCE);
    assert_eq!((bounds.lower, bounds.upper, bounds.trusted), (0.0, 1.0, false));
}
