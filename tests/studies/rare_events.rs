//! Importance sampling on problems with closed forms: do the intervals hold, and how few draws does it take?
//!
//! Print with `cargo test --test studies rare_events -- --nocapture`.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use touchdown::study::sampling::{Importance, Method, Shift, Shifts};
use touchdown::study::statistics::{DefendedTally, WeightedTally};

const REPETITIONS: u64 = 200;
/// Of two one-sided bounds that together hold in 95 %.
const CONFIDENCE: f64 = 0.975;
/// 92 % of 200.
const MIN: u64 = 184;
/// 93 % of 200.
const HELD: u64 = 186;
/// 5 % of 200.
const WRONGLY_MET: u64 = 10;

fn normal() -> Normal {
    Normal::new(0.0, 1.0).unwrap()
}

fn shifted(unshifted: f64, places: Vec<Shifts>) -> Method {
    Method::Importance(Importance { unshifted, places })
}

/// P(sum of z / sqrt(n) > beta) = Phi(-beta). The design point is beta / sqrt(n) in each input.
fn linear(inputs: usize, probability: f64) -> (f64, Vec<f64>) {
    let beta = -normal().inverse_cdf(probability);
    (beta, vec![beta / (inputs as f64).sqrt(); inputs])
}

/// What repetitions of so many draws say of a probability.
struct Coverage {
    /// Repetitions of which the interval holds the probability.
    held: u64,
    /// Repetitions that are trusted.
    trusted: u64,
    /// Mean width of the interval over the probability.
    width: f64,
}

/// How often the interval holds, and how wide it is.
fn repeated(
    (name, repetitions): (&str, u64),
    draws: u64,
    probability: f64,
    shift: &[f64],
    spread: f64,
    happened: impl Fn(&[f64]) -> bool,
) -> Coverage {
    let method = shifted(0.0, vec![shift.iter().map(|&shift| Some(Shift { shift, spread })).collect()]);
    let normal = normal();
    let (mut held, mut width, mut trusted, mut effective) = (0, 0.0, 0, 0.0);
    for seed in 0..repetitions {
        let mut tally = WeightedTally::default();
        for draw in 0..draws {
            let (uniforms, weight) = method.draw(seed, draw, 0..shift.len() as u32);
            let z: Vec<f64> = uniforms.iter().map(|&uniform| normal.inverse_cdf(uniform)).collect();
            tally.add(happened(&z), weight).unwrap();
        }
        let bounds = tally.bounds(CONFIDENCE);
        held += u64::from(bounds.lower <= probability && probability <= bounds.upper);
        width += (bounds.upper - bounds.lower) / probability / repetitions as f64;
        effective += tally.effective_events() / repetitions as f64;
        trusted += u64::from(bounds.trusted);
    }
    println!(
        "{name}, {} inputs, p = {probability:.3e}, {draws} draws: {held} of {repetitions} hold, {trusted} trusted, \
         width {:.1} %, {effective:.0} effective events",
        shift.len(),
        100.0 * width
    );
    Coverage { held, trusted, width }
}

fn assert_covered(
    name: &str,
    draws: u64,
    probability: f64,
    shift: &[f64],
    spread: f64,
    happened: impl Fn(&[f64]) -> bool,
) {
    let Coverage { held, trusted, .. } = repeated((name, REPETITIONS), draws, probability, shift, spread, happened);
    assert!(held >= MIN && trusted == REPETITIONS, "{name}: {held} {trusted}");
}

/// The sum over the root has one law whatever the number of inputs: one case has many.
#[test]
fn linear_limit_states_from_1e_4_to_1e_9() {
    for (inputs, probability) in [(2, 1e-4), (2, 1e-5), (2, 1e-7), (2, 1e-9), (20, 1e-9)] {
        let (beta, shift) = linear(inputs, probability);
        let root = (inputs as f64).sqrt();
        assert_covered("plane", 2000, probability, &shift, 1.0, |z| z.iter().sum::<f64>() > beta * root);
    }
}

/// z1 > beta + curvature (z2^2 + ... + zn^2) / 2 opens away from the origin, and its mirror image towards it. With
/// s = z2^2 + ..., chi-square of n - 1 degrees, the probability is the mean of Phi(-beta - curvature s / 2): by the
/// midpoint rule in the quantiles of s.
#[test]
fn curved_limit_states() {
    // Where the surface bends towards the origin the event is wider than the inputs: 1 / sqrt(1 - 0.1 beta) deviations.
    // Of many inputs all but one are drawn as they are and add nothing to the weights: one case has many.
    let cases: [(usize, f64, f64, &[f64]); 3] =
        [(2, 0.3, 1.0, &[4.0, 5.2]), (2, -0.1, 1.3, &[4.0, 5.2]), (20, -0.02, 1.0, &[5.2])];
    for (inputs, curvature, spread, distances) in cases {
        for &beta in distances {
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
            assert_covered("paraboloid", 3000, probability, &shift, spread, |z| {
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
    assert_covered("plane, shift off", 5000, 1e-7, &shift, 1.2, |z| z[0] + z[1] > beta * 2_f64.sqrt());
}

/// Plain sampling would take some 4 10^9 for this width. It hardly differs between repetitions; where coverage is 95 %,
/// fewer than 7 of 10 hold in one of a thousand tries.
#[test]
fn one_in_ten_million_is_known_to_a_few_percent_with_20_000_draws() {
    let (beta, shift) = linear(20, 1e-7);
    let event = |z: &[f64]| z.iter().sum::<f64>() > beta * 20_f64.sqrt();
    let Coverage { held, trusted, width } = repeated(("plane", 10), 20_000, 1e-7, &shift, 1.0, event);
    assert!(width < 0.1 && held >= 7 && trusted == 10, "{width} {held} {trusted}");
}

#[test]
fn too_few_events_are_not_trusted_and_none_bound_nothing() {
    let method = shifted(0.0, vec![vec![Some(Shift { shift: 2.0, spread: 1.0 })]]);
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

/// Bounds of an event of |sum of z / sqrt(n)| > beta, of which the shift leads to one side alone unless there are two places.
struct TwoSided {
    inputs: usize,
    probability: f64,
    draws: u64,
    unshifted: f64,
    places: usize,
}

/// How many repetitions hold, and how many would be met if the probability were just allowed.
fn two_sided(case: &TwoSided) -> (u64, u64) {
    let TwoSided { inputs, probability, draws, unshifted, places } = *case;
    let (beta, shift) = linear(inputs, 0.5 * probability);
    let place = |sign: f64| shift.iter().map(|shift| Some(Shift { shift: sign * shift, spread: 1.0 })).collect();
    let method = shifted(unshifted, [1.0, -1.0][..places].iter().map(|&sign| place(sign)).collect());
    let normal = normal();
    let (mut held, mut met, mut heavy, mut upper) = (0, 0, 0, 0.0);
    for seed in 0..REPETITIONS {
        let mut tally = DefendedTally::new(unshifted);
        for draw in 0..draws {
            let (uniforms, weight) = method.draw(seed, draw, 0..inputs as u32);
            let sum: f64 = uniforms.iter().map(|&uniform| normal.inverse_cdf(uniform)).sum();
            tally.add(sum.abs() > beta * (inputs as f64).sqrt(), weight).unwrap();
        }
        let bounds = tally.bounds(CONFIDENCE);
        held += u64::from(bounds.lower <= probability && probability <= bounds.upper);
        met += u64::from(tally.bounds(0.95).upper <= probability);
        heavy += tally.heavy_events();
        upper += bounds.upper / probability / REPETITIONS as f64;
    }
    println!(
        "two sides, {places} places, {inputs} inputs, p = {probability:e}, {draws} draws, {unshifted} unshifted: {held} of \
         {REPETITIONS} hold, {met} wrongly met, {:.1} heavy events, upper bound {upper:.2} of the probability",
        heavy as f64 / REPETITIONS as f64
    );
    (held, met)
}

/// By the weighted mean alone every one of these was met, at half the probability. As above, one case has many inputs.
#[test]
fn a_second_side_that_no_shift_leads_to_is_not_overlooked() {
    for (inputs, probability, draws, unshifted) in [
        (1, 0.1, 10_000, 0.1),
        (1, 1e-2, 2000, 0.1),
        (10, 1e-2, 2000, 0.1),
        (1, 1e-2, 20_000, 0.1),
        (1, 1e-3, 5000, 0.1),
        (1, 1e-4, 5000, 0.1),
        (1, 1e-3, 5000, 0.5),
        (1, 1e-6, 2000, 0.1),
    ] {
        let (held, met) = two_sided(&TwoSided { inputs, probability, draws, unshifted, places: 1 });
        assert!(held >= HELD && met <= WRONGLY_MET, "{held} {met}");
    }
}

#[test]
fn shifts_to_both_sides_find_both() {
    for (inputs, probability, draws) in [(1, 1e-2, 20_000), (1, 1e-3, 20_000), (1, 1e-5, 5000), (10, 1e-5, 5000)] {
        let (held, met) = two_sided(&TwoSided { inputs, probability, draws, unshifted: 0.1, places: 2 });
        assert!(held >= HELD && met <= WRONGLY_MET, "{held} {met}");
    }
}

/// A plane with the shift to its likeliest point is met as soon as so many draws can meet it.
#[test]
fn a_known_place_is_met_when_unshifted_draws_allow_it() {
    const ALLOWED: f64 = 2e-3;
    let (beta, shift) = linear(2, 0.5 * ALLOWED);
    let method = shifted(0.1, vec![shift.iter().map(|&shift| Some(Shift { shift, spread: 1.0 })).collect()]);
    let draws = 3 * DefendedTally::least_draws(0.1, ALLOWED, 0.95);
    let normal = normal();
    let met = (0..20).filter(|&seed| {
        let mut tally = DefendedTally::new(0.1);
        for draw in 0..draws {
            let (uniforms, weight) = method.draw(seed, draw, 0..2);
            let sum: f64 = uniforms.iter().map(|&uniform| normal.inverse_cdf(uniform)).sum();
            tally.add(sum > beta * 2_f64.sqrt(), weight).unwrap();
        }
        tally.bounds(0.95).upper <= ALLOWED
    });
    let met = met.count();
    println!("half of what is allowed, {draws} draws: {met} of 20 met");
    assert!(met >= 19, "{met}");
}
