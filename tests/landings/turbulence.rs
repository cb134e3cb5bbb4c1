//! Gusts beside Dryden's spectra: power by frequency, variances and covariances of long series, and how far their noise is
//! from normal.
//!
//! Every tolerance is four or five standard errors, computed from the autocovariance R or the spectrum S of the model, and
//! a test sees to it that this is small enough to mean something.

use std::f64::consts::PI;

use crate::support::tricycle;
use touchdown::flight::{Turbulence, noise};
use touchdown::query::{Gusts, Input, LandingInputs};
use touchdown::random::NoiseKey;
use touchdown::vehicle::Vehicle;

const AIRSPEED: f64 = 65.0;
const SIGMA: f64 = 1.5;
const SIGMA_VERTICAL: f64 = 0.8;
const LENGTH: f64 = 183.0;
const LENGTH_VERTICAL: f64 = 9.2;

fn vehicle() -> Vehicle {
    tricycle::tricycle(0.0)
}

fn inputs(item: u64) -> LandingInputs {
    let mut inputs = LandingInputs::nominal(&vehicle());
    for (input, value) in [
        (Input::Airspeed, AIRSPEED),
        (Input::Turbulence, SIGMA),
        (Input::TurbulenceVertical, SIGMA_VERTICAL),
        (Input::TurbulenceLength, LENGTH),
        (Input::TurbulenceLengthVertical, LENGTH_VERTICAL),
    ] {
        inputs.set(input, value);
    }
    inputs.noise = NoiseKey { seed: 0x1234_5678_9abc_def0, item };
    inputs
}

/// Along, across and vertical gusts of one long landing.
fn series(step: f64, count: usize) -> [Vec<f64>; 3] {
    let inputs = inputs(7);
    let turbulence = Turbulence::new(&inputs, None, step).unwrap();
    let mut gusts = Gusts::at_start(&inputs, None, step);
    let mut series = [const { Vec::new() }; 3];
    for index in 0..count as u64 {
        for (series, gust) in series.iter_mut().zip([gusts.along, gusts.across, gusts.vertical]) {
            series.push(gust);
        }
        gusts = turbulence.after(&gusts, noise(inputs.noise, index));
    }
    series
}

/// One of the three gusts by its model.
#[derive(Clone, Copy)]
struct Model {
    name: &'static str,
    sigma: f64,
    /// Correlation time [s].
    time: f64,
    transverse: bool,
}

const MODELS: [Model; 3] = [
    Model { name: "along", sigma: SIGMA, time: LENGTH / AIRSPEED, transverse: false },
    Model { name: "across", sigma: SIGMA, time: LENGTH / AIRSPEED, transverse: true },
    Model { name: "vertical", sigma: SIGMA_VERTICAL, time: LENGTH_VERTICAL / AIRSPEED, transverse: true },
];

impl Model {
    fn autocovariance(&self, lag: f64) -> f64 {
        let share = lag.abs() / self.time;
        let shape = if self.transverse { 1.0 - 0.5 * share } else { 1.0 };
        self.sigma * self.sigma * shape * (-share).exp()
    }

    /// Power per frequency [m2/s2/Hz], of positive frequencies alone: MIL-F-8785C with Omega L = 2 pi f T.
    fn spectrum(&self, frequency: f64) -> f64 {
        let square = (2.0 * PI * frequency * self.time).powi(2);
        let shape = if self.transverse { (1.0 + 3.0 * square) / (1.0 + square).powi(2) } else { 2.0 / (1.0 + square) };
        2.0 * self.sigma * self.sigma * self.time * shape
    }

    /// The same of a series of samples: frequencies beyond half the rate fold back.
    fn folded(&self, frequency: f64, step: f64) -> f64 {
        (-200..=200).map(|fold| self.spectrum((frequency + f64::from(fold) / step).abs())).sum()
    }

    /// Sum of the squared autocorrelation over all lags of samples.
    fn memory(&self, step: f64) -> f64 {
        let lags = (30.0 * self.time / step).ceil() as i64;
        let unit = self.autocovariance(0.0);
        (-lags..=lags).map(|lag| (self.autocovariance(lag as f64 * step) / unit).powi(2)).sum()
    }
}

/// Discrete Fourier transform in place; the count is a power of two.
fn transform(real: &mut [f64], imaginary: &mut [f64]) {
    let count = real.len();
    let bits = count.trailing_zeros();
    for index in 0..count {
        let swapped = index.reverse_bits() >> (usize::BITS - bits);
        if swapped > index {
            real.swap(index, swapped);
            imaginary.swap(index, swapped);
        }
    }
    let mut half = 1;
    while half < count {
        let turns: Vec<(f64, f64)> = (0..half).map(|index| (PI * index as f64 / half as f64).sin_cos()).collect();
        for first in (0..count).step_by(2 * half) {
            for (index, &(sine, cosine)) in turns.iter().enumerate() {
                let (low, high) = (first + index, first + index + half);
                let turned_real = cosine * real[high] + sine * imaginary[high];
                let turned_imaginary = cosine * imaginary[high] - sine * real[high];
                (real[high], imaginary[high]) = (real[low] - turned_real, imaginary[low] - turned_imaginary);
                (real[low], imaginary[low]) = (real[low] + turned_real, imaginary[low] + turned_imaginary);
            }
        }
        half *= 2;
    }
}

#[test]
fn power_in_bands_is_that_of_drydens_spectra_to_five_percent() {
    const STEP: f64 = 0.02;
    const COUNT: usize = 1 << 22;
    let duration = STEP * COUNT as f64;
    for (model, mut real) in MODELS.into_iter().zip(series(STEP, COUNT)) {
        let mut imaginary = vec![0.0; COUNT];
        transform(&mut real, &mut imaginary);
        for (low, high) in [(0.02, 0.2), (0.2, 1.0), (1.0, 5.0), (5.0, 20.0)] {
            let bins = (low * duration) as usize..(high * duration) as usize;
            let power = |bin: usize| 2.0 * (real[bin].powi(2) + imaginary[bin].powi(2)) / (COUNT as f64).powi(2);
            // The model is smooth: a hundredth of the lowest frequency apart it is the same to 1e-4.
            let of_sixteen = |first: usize| model.folded((first as f64 + 8.0) / duration, STEP) / duration;
            let expected: Vec<f64> = bins
                .clone()
                .step_by(16)
                .flat_map(|first| std::iter::repeat_n(of_sixteen(first), 16.min(bins.end - first)))
                .collect();
            let sum: f64 = expected.iter().sum();
            // Each ordinate of a periodogram is exponentially distributed about the spectrum, on its own.
            let standard_error = expected.iter().map(|power| power * power).sum::<f64>().sqrt() / sum;
            let ratio = bins.map(power).sum::<f64>() / sum;
            println!(
                "{:<8} {low:4.2} to {high:5.2} Hz: {:.4} of the model's power, standard error {standard_error:.4}",
                model.name, ratio
            );
            assert!(4.0 * standard_error < 0.05, "the series is too short: {standard_error}");
            assert!((ratio - 1.0).abs() < 0.05, "{} {low} to {high} Hz: {ratio}", model.name);
        }
    }
}

#[test]
fn the_samples_have_the_models_autocovariance_and_are_independent_of_each_other() {
    const STEP: f64 = 0.05;
    const COUNT: usize = 1 << 20;
    let all = series(STEP, COUNT);
    let mean_product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len().min(b.len()) as f64;
    for (model, series) in MODELS.iter().zip(&all) {
        for share in [0.0, 0.5, 1.0, 2.0, 4.0] {
            let lag = (share * model.time / STEP).round() as usize;
            let found = mean_product(series, &series[lag..]) / model.autocovariance(0.0);
            let expected = model.autocovariance(lag as f64 * STEP) / model.autocovariance(0.0);
            // Of a product of normal numbers that go together: at most that of a square, 2 R^2 summed.
            let standard_error = (2.0 * model.memory(STEP) / COUNT as f64).sqrt();
            println!("{:<8} lag {lag:3}: correlation {found:.4}, of the model {expected:.4}", model.name);
            assert!(4.0 * standard_error < 0.05 && (found - expected).abs() < 5.0 * standard_error);
        }
    }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        for lag in [0, 1, 20] {
            let found = mean_product(&all[one], &all[other][lag..]) / (MODELS[one].sigma * MODELS[other].sigma);
            // By Cauchy and Schwarz the sum of products of correlations is below the root of those of the squares.
            let memory = (MODELS[one].memory(STEP) * MODELS[other].memory(STEP)).sqrt();
            let standard_error = (memory / COUNT as f64).sqrt();
            println!("{} with {}, lag {lag}: {found:.4}", MODELS[one].name, MODELS[other].name);
            assert!(4.0 * standard_error < 0.05 && found.abs() < 5.0 * standard_error);
        }
    }
}

/// Covariances of (x, y) that a cascade keeps for noise of variance 8, solved from its own recursion.
fn stationary(decay: f64, cascade: f64, gain: f64) -> [f64; 3] {
    let (lost, added) = (1.0 - decay * decay, 8.0 * gain * gain);
    let drive = added / lost;
    let shared = (decay * cascade * drive + added) / lost;
    let gust = (2.0 * decay * cascade * shared + cascade * cascade * drive + added) / lost;
    [drive, shared, gust]
}

#[test]
fn the_recursion_keeps_the_models_autocovariance_exactly() {
    for step in [1e-4, 0.005, 0.05, 0.3, 3.0] {
        let turbulence = Turbulence::new(&inputs(0), None, step).unwrap();
        let of_along = 8.0 * turbulence.gain_along.powi(2) / (1.0 - turbulence.decay.powi(2));
        // Below are sums of a few products of numbers that are off by some units of 1e-16 over the step's share.
        let rounding = |model: &Model| 1e-14 * (1.0 + model.time / step);
        assert!((of_along / SIGMA.powi(2) - 1.0).abs() < rounding(&MODELS[0]));
        for (model, [decay, cascade, gain]) in MODELS[1..].iter().zip([
            [turbulence.decay, turbulence.cascade, turbulence.gain_across],
            [turbulence.decay_vertical, turbulence.cascade_vertical, turbulence.gain_vertical],
        ]) {
            let [_, mut shared, mut gust] = stationary(decay, cascade, gain);
            for lag in 0..40 {
                let expected = model.autocovariance(f64::from(lag) * step);
                let error = (gust - expected).abs() / model.autocovariance(0.0);
                assert!(error < rounding(model), "{} step {step} lag {lag}: {gust} {expected}", model.name);
                // What y and x later have to do with y now.
                (gust, shared) = (decay * gust + cascade * shared, decay * shared);
            }
        }
    }
}

#[test]
fn landings_start_with_the_gusts_they_go_on_with() {
    const COUNT: u64 = 100_000;
    const STEP: f64 = 0.005;
    let turbulence = Turbulence::new(&inputs(0), None, STEP).unwrap();
    let starts: Vec<Gusts> = (0..COUNT).map(|item| Gusts::at_start(&inputs(item), None, STEP)).collect();
    let mean = |product: fn(&Gusts) -> f64| starts.iter().map(product).sum::<f64>() / COUNT as f64;
    let across = stationary(turbulence.decay, turbulence.cascade, turbulence.gain_across);
    let vertical = stationary(turbulence.decay_vertical, turbulence.cascade_vertical, turbulence.gain_vertical);
    for (found, expected) in [
        (mean(|gusts| gusts.along.powi(2)), SIGMA.powi(2)),
        (mean(|gusts| gusts.across_drive.powi(2)), across[0]),
        (mean(|gusts| gusts.across_drive * gusts.across), across[1]),
        (mean(|gusts| gusts.across.powi(2)), across[2]),
        (mean(|gusts| gusts.vertical_drive.powi(2)), vertical[0]),
        (mean(|gusts| gusts.vertical_drive * gusts.vertical), vertical[1]),
        (mean(|gusts| gusts.vertical.powi(2)), vertical[2]),
        (mean(|gusts| gusts.along * gusts.across) + SIGMA.powi(2), SIGMA.powi(2)),
        (mean(|gusts| gusts.across * gusts.vertical) + 1.0, 1.0),
    ] {
        // A square of a normal number has twice the square of its variance; a product less.
        let tolerance = 5.0 * (2.0 / COUNT as f64).sqrt() * expected.max(SIGMA.powi(2));
        println!("{found:.4}, of the model {expected:.4}");
        assert!((found - expected).abs() < tolerance && tolerance < 0.1, "{found} {expected}");
    }
}

#[test]
fn the_noise_has_the_kurtosis_that_is_derived() {
    const COUNT: u64 = 2_000_000;
    let key = inputs(3).noise;
    let mut moments = [[0.0; 4]; 4];
    for index in 0..COUNT {
        for (moments, number) in moments.iter_mut().zip(noise(key, index)) {
            for (power, moment) in (1..).zip(moments) {
                *moment += f64::from(number).powi(power) / COUNT as f64;
            }
        }
    }
    for [mean, square, cube, fourth] in moments {
        let excess = fourth / (square * square) - 3.0;
        println!("mean {mean:.4}, variance {square:.4}, skewness {:.4}, excess kurtosis {excess:.4}", cube / 22.63);
        let root = (COUNT as f64).sqrt();
        // Standard errors of a nearly normal sample: sigma, sigma^2 sqrt 2, sigma^3 sqrt 15, sqrt 24, over the root.
        assert!(mean.abs() < 5.0 * 8f64.sqrt() / root);
        assert!((square - 8.0).abs() < 5.0 * 8.0 * 2f64.sqrt() / root);
        assert!(cube.abs() < 5.0 * 8f64.powf(1.5) * 15f64.sqrt() / root);
        assert!((excess + 1.0 / 16.0).abs() < 5.0 * 24f64.sqrt() / root && 10.0 * 24f64.sqrt() / root < 1.0 / 16.0);
    }
}

#[test]
fn still_air_has_no_turbulence_and_one_sigma_alone_leaves_the_other_gusts_out() {
    let mut still = inputs(1);
    still.set(Input::Turbulence, 0.0);
    let turbulence = Turbulence::new(&still, None, 0.005).unwrap();
    assert_eq!([turbulence.gain_along, turbulence.gain_across], [0.0; 2]);
    let start = Gusts::at_start(&still, None, 0.005);
    assert!([start.along, start.across, start.across_drive] == [0.0; 3] && start.vertical != 0.0);
    still.set(Input::TurbulenceVertical, 0.0);
    assert_eq!(Turbulence::new(&still, None, 0.005), None);
    assert_eq!(Gusts::at_start(&still, None, 0.005), Gusts::NONE);
}

#[test]
fn no_valid_length_or_airspeed_makes_numbers_that_are_none() {
    for airspeed in [0.0, 1e-300, 65.0, 1e300] {
        for length in [f64::MIN_POSITIVE, 1e-9, 1.0, 1e9, f64::MAX] {
            let mut inputs = inputs(5);
            inputs.set(Input::Airspeed, airspeed);
            inputs.set(Input::TurbulenceLength, length);
            inputs.set(Input::TurbulenceLengthVertical, length);
            inputs.set(Input::RotaryTurbulence, 1.0);
            for span in [f64::MIN_POSITIVE, 10.0, 1e9] {
                let gusts = Gusts::at_start(&inputs, Some(span), 0.005);
                let after = Turbulence::new(&inputs, Some(span), 0.005).unwrap().after(&gusts, [16, -16, 16, -16]);
                for numbers in [gusts, after].map(|gusts| gusts.numbers()) {
                    // Six sigma, the drive having half as much again; 16 of a noise of 2.83.
                    assert!(numbers[..5].iter().all(|number| number.abs() < 20.0), "{airspeed} {length}: {numbers:?}");
                    assert!(numbers.iter().all(|number| number.is_finite()), "{airspeed} {length} {span}: {numbers:?}");
                }
            }
        }
    }
}
