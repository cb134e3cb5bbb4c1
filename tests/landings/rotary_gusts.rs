//! Rotary gusts beside the spectra of MIL-F-8785C, integrated here, and beside the linear gusts that they are slopes of.

use std::f64::consts::PI;

use crate::support::tricycle;
use touchdown::flight::{Turbulence, noise};
use touchdown::query::{Gusts, Input, LandingInputs};
use touchdown::random::NoiseKey;

const AIRSPEED: f64 = 65.0;
const SPAN: f64 = 34.0;
const SIGMA: f64 = 1.5;
const SIGMA_VERTICAL: f64 = 0.8;
const LENGTH: f64 = 183.0;
const LENGTH_VERTICAL: f64 = 9.2;

fn inputs(item: u64) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(&tricycle::tricycle(0.0));
    for (input, value) in [
        (Input::Airspeed, AIRSPEED),
        (Input::Turbulence, SIGMA),
        (Input::TurbulenceVertical, SIGMA_VERTICAL),
        (Input::TurbulenceLength, LENGTH),
        (Input::TurbulenceLengthVertical, LENGTH_VERTICAL),
        (Input::RotaryTurbulence, 1.0),
    ] {
        inputs.set(input, value);
    }
    inputs.noise = NoiseKey { seed: 0x1234_5678_9abc_def0, item };
    inputs
}

/// Spectra of p, q and r over frequencies along the way [rad/m], as they are printed.
fn spectra(frequency: f64) -> [f64; 3] {
    let transverse = |sigma: f64, length: f64| {
        let square = (length * frequency).powi(2);
        sigma * sigma * length / PI * (1.0 + 3.0 * square) / (1.0 + square).powi(2)
    };
    let smoothed = |times: f64| frequency.powi(2) / (1.0 + (times * SPAN * frequency / PI).powi(2));
    let roll = SIGMA_VERTICAL.powi(2) / LENGTH_VERTICAL * 0.8 * (PI * LENGTH_VERTICAL / (4.0 * SPAN)).cbrt()
        / (1.0 + (4.0 * SPAN * frequency / PI).powi(2));
    [roll, smoothed(4.0) * transverse(SIGMA_VERTICAL, LENGTH_VERTICAL), smoothed(3.0) * transverse(SIGMA, LENGTH)]
}

/// The integral of the spectra over all frequencies: x = e^s, by the trapezoidal rule, whose error for functions that vanish
/// at both ends of the line falls exponentially with the number of points; beyond 1e6 rad/m the rest is c / x.
fn variances() -> [f64; 3] {
    const POINTS: usize = 20_000;
    let (low, high) = (1e-14_f64.ln(), 1e9_f64.ln());
    let width = (high - low) / POINTS as f64;
    let mut sums = [0.0; 3];
    for point in 0..=POINTS {
        let frequency = (low + width * point as f64).exp();
        sums.iter_mut().zip(spectra(frequency)).for_each(|(sum, power)| *sum += width * frequency * power);
    }
    sums
}

/// Covariances of the drive x, the gust y and its slope q that the recursion keeps for noise of variance 8: those of an endless
/// sum of what each step's noise does later.
fn kept(decay: f64, cascade: f64, gain: f64, slope_decay: f64, slope_gain: f64) -> [f64; 3] {
    let (mut x, mut y, mut q) = (gain, gain, slope_gain * gain);
    let mut sums = [0.0; 3];
    for _ in 0..4_000_000 {
        sums[0] += 8.0 * q * x;
        sums[1] += 8.0 * q * y;
        sums[2] += 8.0 * q * q;
        let later = decay * y + cascade * x;
        q = slope_decay * q + slope_gain * (later - y);
        (x, y) = (decay * x, later);
        if x.abs() + y.abs() < 1e-18 * gain && q.abs() < 1e-18 * slope_gain.abs() * gain {
            break;
        }
    }
    sums
}

#[test]
fn variances_are_integrals_of_the_spectra_at_every_step() {
    let [roll, pitch, yaw] = variances();
    println!("standard deviations [rad/s]: p {:.6}, q {:.6}, r {:.6}", roll.sqrt(), pitch.sqrt(), yaw.sqrt());
    for step in [5e-4, 0.005, 0.02, 0.1] {
        let of = Turbulence::new(&inputs(0), Some(SPAN), step).unwrap();
        let found = 8.0 * of.gain_roll.powi(2) / (1.0 - of.decay_roll.powi(2));
        // Angular frequencies in time are V times those along the way: the variance is the same. The sums have up to a
        // million terms that are rounded to 1e-16 of theirs.
        assert!((found / roll - 1.0).abs() < 1e-9, "p {step}: {found} {roll}");
        let [_, _, found] =
            kept(of.decay_vertical, of.cascade_vertical, of.gain_vertical, of.decay_pitch, of.gain_pitch);
        assert!((found / pitch - 1.0).abs() < 1e-9, "q {step}: {found} {pitch}");
        let [_, _, found] = kept(of.decay, of.cascade, of.gain_across, of.decay_yaw, of.gain_yaw);
        assert!((found / yaw - 1.0).abs() < 1e-9, "r {step}: {found} {yaw}");
        // Correlation times by the lengths of MIL-F-8785C.
        let time = |decay: f64| -step / decay.ln() * AIRSPEED;
        assert!(
            (time(of.decay_roll) - 4.0 * SPAN / PI).abs() < 1e-9
                && (time(of.decay_pitch) - 4.0 * SPAN / PI).abs() < 1e-9
        );
        assert!((time(of.decay_yaw) - 3.0 * SPAN / PI).abs() < 1e-9);
    }
}

#[test]
fn spectra_of_the_slopes_are_the_printed_ones_where_steps_resolve_them() {
    const STEP: f64 = 0.005;
    let of = Turbulence::new(&inputs(0), Some(SPAN), STEP).unwrap();
    // What a filter leaves of a frequency: |g (1 - z) / (1 - A z)|^2 with z = e^(-i w h), of a transverse gust.
    let left = |decay: f64, gain: f64, angle: f64| {
        let quarter = (0.5 * angle).sin().powi(2);
        gain * gain * 4.0 * quarter / ((1.0 - decay).powi(2) + 4.0 * decay * quarter)
    };
    for frequency in [0.01, 0.1, 0.5, 1.0, 2.0, 5.0] {
        let angular = 2.0 * PI * frequency;
        let along = angular / AIRSPEED;
        let [_, pitch, yaw] = spectra(along);
        let linear = |sigma: f64, length: f64| {
            let square = (length * along).powi(2);
            sigma * sigma * length / PI * (1.0 + 3.0 * square) / (1.0 + square).powi(2)
        };
        let found = left(of.decay_pitch, of.gain_pitch, angular * STEP) * linear(SIGMA_VERTICAL, LENGTH_VERTICAL);
        let also = left(of.decay_yaw, of.gain_yaw, angular * STEP) * linear(SIGMA, LENGTH);
        println!("{frequency} Hz: q {:.5}, r {:.5} of the spectrum", found / pitch, also / yaw);
        // A sine between steps is no straight line: sin(w h / 2) for w h / 2, squared, is off by (w h)^2 / 12; g makes up for
        // what is lost beyond, which is a share of h / T_p at most.
        let allowed = (angular * STEP).powi(2) / 12.0 + STEP * AIRSPEED * PI / (3.0 * SPAN);
        assert!((found / pitch - 1.0).abs() < allowed && (also / yaw - 1.0).abs() < allowed && allowed < 0.02);
    }
}

#[test]
fn landings_start_with_the_rotary_gusts_they_go_on_with_and_these_follow_the_linear_ones() {
    const COUNT: u64 = 100_000;
    const STEP: f64 = 0.005;
    let of = Turbulence::new(&inputs(0), Some(SPAN), STEP).unwrap();
    let starts: Vec<Gusts> = (0..COUNT).map(|item| Gusts::at_start(&inputs(item), Some(SPAN), STEP)).collect();
    let after: Vec<Gusts> =
        starts.iter().zip(0..).map(|(start, item)| of.after(start, noise(inputs(item).noise, 0))).collect();
    let vertical = kept(of.decay_vertical, of.cascade_vertical, of.gain_vertical, of.decay_pitch, of.gain_pitch);
    let across = kept(of.decay, of.cascade, of.gain_across, of.decay_yaw, of.gain_yaw);
    let [roll, ..] = variances();
    for gusts in [&starts, &after] {
        let check = |name: &str, product: fn(&Gusts) -> f64, expected: f64, sizes: [fn(&Gusts) -> f64; 2]| {
            let mean = |of: &dyn Fn(&Gusts) -> f64| gusts.iter().map(of).sum::<f64>() / COUNT as f64;
            let found = mean(&|gusts| product(gusts));
            let [one, other] = sizes.map(|size| mean(&|gusts| size(gusts).powi(2)).sqrt());
            // A product of normal numbers deviates by no more than root 2 of the product of their deviations.
            let tolerance = 5.0 * (2.0 / COUNT as f64).sqrt() * one * other;
            println!("{name}: {found:.3e}, of the model {expected:.3e}, tolerance {tolerance:.1e}");
            assert!((found - expected).abs() < tolerance, "{name}");
        };
        check("p p", |gusts| gusts.roll * gusts.roll, roll, [|gusts| gusts.roll, |gusts| gusts.roll]);
        check("q q", |gusts| gusts.pitch * gusts.pitch, vertical[2], [|gusts| gusts.pitch, |gusts| gusts.pitch]);
        check("r r", |gusts| gusts.yaw * gusts.yaw, across[2], [|gusts| gusts.yaw, |gusts| gusts.yaw]);
        check("q w", |gusts| gusts.pitch * gusts.vertical, vertical[1], [|gusts| gusts.pitch, |gusts| gusts.vertical]);
        check("r v", |gusts| gusts.yaw * gusts.across, across[1], [|gusts| gusts.yaw, |gusts| gusts.across]);
        let drives: [fn(&Gusts) -> f64; 2] = [|gusts| gusts.pitch, |gusts| gusts.vertical_drive];
        check("q x", |gusts| gusts.pitch * gusts.vertical_drive, vertical[0], drives);
        check("p w", |gusts| gusts.roll * gusts.vertical, 0.0, [|gusts| gusts.roll, |gusts| gusts.vertical]);
        check("p q", |gusts| gusts.roll * gusts.pitch, 0.0, [|gusts| gusts.roll, |gusts| gusts.pitch]);
    }
    // Gusts that grow upwards ahead lift the nose, those that grow to the left ahead turn it to the left.
    assert!(of.gain_pitch > 0.0 && of.gain_yaw < 0.0);
}

#[test]
fn without_the_input_or_a_span_nothing_rotates_and_the_linear_gusts_are_the_same() {
    let mut none = inputs(3);
    none.set(Input::RotaryTurbulence, 0.0);
    let with = inputs(3);
    for (inputs, span) in [(none, Some(SPAN)), (with, None)] {
        let start = Gusts::at_start(&inputs, span, 0.005);
        let of = Turbulence::new(&inputs, span, 0.005).unwrap();
        let after = of.after(&start, [5, -3, 2, 7]);
        assert!([start, after].iter().all(|gusts| gusts.numbers()[5..].iter().all(|rate| rate.to_bits() == 0)));
        let rotating = Gusts::at_start(&with, Some(SPAN), 0.005);
        assert_eq!(start.numbers()[..5], rotating.numbers()[..5]);
        assert!(rotating.roll != 0.0 && rotating.pitch != 0.0 && rotating.yaw != 0.0);
    }
}
