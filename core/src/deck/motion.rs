//! How the deck moves: samples and their rates, cubic in between.

use glam::DVec2;

use super::response::{MOTIONS, Oscillation};
use crate::elementary::sin_cos;

/// Longest time between samples of generated motions \[s\]: cubics between them err by (w t)^4/384 of an amplitude, 2e-6 at 3 rad/s.
pub const SAMPLE: f64 = 0.05;

/// Where the deck is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeckPose {
    /// Place of the deck's middle: sway, heave \[m\].
    pub place: DVec2,
    /// Its velocity \[m/s\].
    pub velocity: DVec2,
    /// Roll, starboard up \[rad\].
    pub roll: f64,
    /// Its rate \[rad/s\].
    pub roll_rate: f64,
}

/// Sway, heave and roll over time.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckMotion {
    interval: f64,
    /// Values and rates.
    samples: Vec<[[f64; 2]; MOTIONS]>,
}

impl DeckMotion {
    /// A deck that lies still.
    #[must_use]
    pub fn at_rest() -> Self {
        Self { interval: 1.0, samples: vec![[[0.0; 2]; MOTIONS]; 2] }
    }

    /// The sum of oscillations from a time on, over a duration \[s\].
    #[must_use]
    pub fn of_oscillations(oscillations: &[Oscillation], begin: f64, duration: f64) -> Self {
        // One sample more than needed, for time that rounding adds.
        let count = (duration / SAMPLE).ceil() as usize + 2;
        let mut samples = vec![[[0.0; 2]; MOTIONS]; count];
        for Oscillation { frequency, phasors } in oscillations {
            // Turned from sample to sample: 1e-13 of an amplitude after a thousand.
            let (turn_sine, turn_cosine) = sin_cos(frequency * SAMPLE);
            let (mut sine, mut cosine) = sin_cos(frequency * begin);
            for sample in &mut samples {
                for (motion, [real, imaginary]) in sample.iter_mut().zip(phasors) {
                    motion[0] += real * cosine - imaginary * sine;
                    motion[1] -= frequency * (real * sine + imaginary * cosine);
                }
                (sine, cosine) = (sine * turn_cosine + cosine * turn_sine, cosine * turn_cosine - sine * turn_sine);
            }
        }
        Self { interval: SAMPLE, samples }
    }

    /// Recorded samples at equal intervals \[s\], three at least, from a time on; rates are those of the parabola through a sample
    /// and its neighbours, of the first and the last sample through the two next to it. The record should last as long.
    #[must_use]
    pub fn of_record(interval: f64, record: &[[f64; MOTIONS]], begin: f64, duration: f64) -> Self {
        let count = (duration / interval).ceil() as usize + 2;
        let first = (begin / interval).round() as usize;
        let last = record.len() - 1;
        let sample = |place: usize| {
            let place = place.min(last);
            let difference = |motion: usize| {
                let at = |place: usize| record[place][motion];
                match place {
                    0 => 4.0 * at(1) - 3.0 * at(0) - at(2),
                    _ if place == last => 3.0 * at(last) - 4.0 * at(last - 1) + at(last - 2),
                    _ => at(place + 1) - at(place - 1),
                }
            };
            std::array::from_fn(|motion| [record[place][motion], difference(motion) / (2.0 * interval)])
        };
        Self { interval, samples: (first..first + count).map(sample).collect() }
    }

    /// Time between samples \[s\], and sway, heave and roll with their rates at each.
    pub fn samples(&self) -> (f64, &[[[f64; 2]; MOTIONS]]) {
        (self.interval, &self.samples)
    }

    /// Where the deck is at a time \[s\]; beyond the end as at the end.
    #[must_use]
    pub fn pose(&self, time: f64) -> DeckPose {
        let h = self.interval;
        let place = (time / h).clamp(0.0, (self.samples.len() - 1) as f64);
        let before = (place as usize).min(self.samples.len() - 2);
        let u = place - before as f64;
        let (from, to) = (&self.samples[before], &self.samples[before + 1]);
        // Hermite's cubic and its derivative.
        let (a, b) = (u * u * (3.0 - 2.0 * u), u * (1.0 - u));
        let (c, d) = (6.0 * b / h, u * (2.0 - 3.0 * u));
        let value = |motion: usize| {
            let ([p, v], [q, w]) = (from[motion], to[motion]);
            let value = p + a * (q - p) + h * b * ((1.0 - u) * v - u * w);
            let rate = c * (q - p) + (1.0 - u) * (1.0 - 3.0 * u) * v - d * w;
            (value, rate)
        };
        let [(sway, sway_rate), (heave, heave_rate), (roll, roll_rate)] = [value(0), value(1), value(2)];
        DeckPose { place: DVec2::new(sway, heave), velocity: DVec2::new(sway_rate, heave_rate), roll, roll_rate }
    }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::super::response::Responses;
    use super::super::sea::Sea;
    use super::*;

    /// A table without physics whose answers differ from band to band.
    fn responses() -> Responses {
        let frequencies: Vec<f64> = (1..=60).map(|step| 0.05 * f64::from(step)).collect();
        let value = |&w: &f64| {
            [[0.8 * (-w).exp(), 0.1], [1.0 / (1.0 + w.powi(4)), -0.2 * w], [0.0, 0.05 * w / (1.0 + w.powi(3))]]
        };
        let values = frequencies.iter().map(value).collect();
        Responses { speeds: vec![0.0], headings: vec![0.5 * PI], frequencies, values }
    }

    /// Numbers for the test alone; models draw theirs by counter.
    struct Draws(u64);
    impl Draws {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Variance of each motion between two frequencies, by the trapezoidal rule with 2000 steps.
    fn expected(sea: &Sea, responses: &Responses, from: f64, to: f64) -> [f64; MOTIONS] {
        const STEPS: usize = 2000;
        let mut sums = [0.0; MOTIONS];
        for step in 0..=STEPS {
            let frequency = from + (to - from) * step as f64 / STEPS as f64;
            let weight = (to - from) / STEPS as f64 * if step % STEPS == 0 { 0.5 } else { 1.0 };
            let answers = responses.at(0.0, 0.5 * PI, frequency);
            for (sum, [real, imaginary]) in sums.iter_mut().zip(answers) {
                *sum += weight * sea.density(frequency) * (real * real + imaginary * imaginary);
            }
        }
        sums
    }

    /// Series are analysed as records would be: sampled, windowed, transformed at the frequencies of a band, and averaged.
    #[test]
    fn generated_series_have_the_spectrum_asked_for() {
        let (sea, responses) = (Sea::of_state(5.0), responses());
        const SERIES: usize = 240;
        let (step, count) = (0.4, 1500_usize);
        let duration = step * count as f64;
        // Bands of the analysis, in terms of the peak; a line every 2 pi / duration.
        let peak = TAU / sea.period;
        let ends = [0.7, 0.95, 1.2, 1.6, 2.6].map(|ratio: f64| (ratio * peak * duration / TAU).round());
        let mut found = vec![[0.0; MOTIONS]; ends.len() - 1];
        let mut variances = [0.0; MOTIONS];
        let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
        for _ in 0..SERIES {
            let waves = sea.waves(|_| [draws.next(), draws.next()]);
            let oscillations: Vec<Oscillation> =
                waves.iter().map(|wave| responses.oscillation(wave, 0.0, 0.5 * PI)).collect();
            let motion = DeckMotion::of_oscillations(&oscillations, 0.0, duration);
            let rows: Vec<[f64; MOTIONS]> = (0..count)
                .map(|place| motion.pose(step * place as f64))
                .map(|pose| [pose.place.x, pose.place.y, pose.roll])
                .collect();
            for motion in 0..MOTIONS {
                variances[motion] +=
                    rows.iter().map(|row| row[motion] * row[motion]).sum::<f64>() / (count * SERIES) as f64;
                // Hann's window, whose mean square is 3/8.
                let windowed: Vec<f64> = rows
                    .iter()
                    .enumerate()
                    .map(|(place, row)| row[motion] * (PI * place as f64 / count as f64).sin().powi(2))
                    .collect();
                for (band, ends) in ends.windows(2).enumerate() {
                    for line in ends[0] as usize..ends[1] as usize {
                        let angle = TAU * (line as f64 + 0.5) / count as f64;
                        let (mut real, mut imaginary) = (0.0, 0.0);
                        for (place, value) in windowed.iter().enumerate() {
                            let (sine, cosine) = (angle * place as f64).sin_cos();
                            (real, imaginary) = (real + value * cosine, imaginary + value * sine);
                        }
                        let power = 2.0 * (real * real + imaginary * imaginary) / (count as f64).powi(2) / 0.375;
                        found[band][motion] += power / SERIES as f64;
                    }
                }
            }
        }
        for (band, ends) in ends.windows(2).enumerate() {
            let expected = expected(&sea, &responses, TAU * ends[0] / duration, TAU * ends[1] / duration);
            for motion in 0..MOTIONS {
                let ratio = found[band][motion] / expected[motion];
                println!(
                    "band {band}, motion {motion}: {:e} of {:e}, ratio {ratio}",
                    found[band][motion], expected[motion]
                );
                assert!((ratio - 1.0).abs() < 0.05);
            }
        }
        let all = expected(&sea, &responses, 0.3 * peak, 20.0 * peak);
        for motion in 0..MOTIONS {
            let [found, expected] = [variances[motion], all[motion]].map(|variance| 2.0 * variance.sqrt());
            println!(
                "significant amplitude of motion {motion}: {found}, expected {expected}, ratio {}",
                found / expected
            );
            assert!((found / expected - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn cubics_between_samples_are_the_oscillation_and_its_rate() {
        let oscillation = Oscillation { frequency: 2.0, phasors: [[1.0, 0.5], [0.0, 2.0], [-0.3, 0.1]] };
        let motion = DeckMotion::of_oscillations(&[oscillation], 7.0, 20.0);
        for place in 0..1999 {
            let time = 0.01 * f64::from(place) + 0.003;
            let (sine, cosine) = (2.0 * (time + 7.0)).sin_cos();
            let pose = motion.pose(time);
            assert!((pose.place.x - (cosine - 0.5 * sine)).abs() < 1e-6);
            assert!((pose.velocity.y + 4.0 * cosine).abs() < 1e-4);
            assert!((pose.roll - (-0.3 * cosine - 0.1 * sine)).abs() < 1e-6);
        }
        let record: Vec<[f64; 3]> =
            (0..200).map(|place| [0.1 * f64::from(place), 1.0, (0.02 * f64::from(place)).sin()]).collect();
        let motion = DeckMotion::of_record(0.1, &record, 3.0, 5.0);
        let pose = motion.pose(1.234);
        assert!((pose.place.x - 4.234).abs() < 1e-12 && (pose.velocity.x - 1.0).abs() < 1e-12);
        assert!((pose.roll - (0.2_f64 * 4.234).sin()).abs() < 1e-5 && (pose.place.y, pose.velocity.y) == (1.0, 0.0));
        // The ends know nothing of each other.
        let (first, last) =
            (DeckMotion::of_record(0.1, &record, 0.0, 5.0), DeckMotion::of_record(0.1, &record, 15.0, 4.9));
        for (motion, from) in [(first, 0.0), (last, 15.0)] {
            for time in [0.0, 0.05, 4.85, 4.9] {
                let pose = motion.pose(time);
                let truth = 0.2 * (from + time);
                assert!(
                    (pose.place.x - (from + time)).abs() < 1e-12 && (pose.velocity.x - 1.0).abs() < 1e-12,
                    "{pose:?}"
                );
                assert!((pose.roll - truth.sin()).abs() < 1e-5 && (pose.roll_rate - 0.2 * truth.cos()).abs() < 1e-4);
            }
        }
    }
}
