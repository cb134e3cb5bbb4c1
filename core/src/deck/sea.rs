//! The sea: Bretschneider's spectrum of long-crested waves as a sum of components.
//!
//! The spectrum of the elevation is `S(w) = 5/16 H^2 w_p^4 / w^5 exp(-5/4 (w_p/w)^4)` (15th ITTC, 1978, with two parameters), whose
//! integral up to w is `H^2/16 exp(-5/4 (w_p/w)^4)`, H the significant height. So each component has the very energy of its band,
//! and a frequency drawn within the band, which keeps the sum from repeating itself.

use std::f64::consts::TAU;

use crate::elementary::{exp, pow};

/// Bands of a spectrum.
pub const BANDS: usize = 48;
/// Lowest and highest frequency of all bands, in terms of the peak's: 2e-6 of the energy lie below, half a percent above.
const ENDS: [f64; 2] = [0.55, 4.0];

/// A sea state, by its number, significant height \[m\] and peak period \[s\]: the most probable pairs of STANAG 4194 Annex D, as a
/// public header quotes them (secondary).
pub const SEA_STATES: [(f64, f64, f64); 5] =
    [(2.0, 0.3, 6.3), (3.0, 0.9, 7.5), (4.0, 1.9, 8.8), (5.0, 3.3, 9.7), (6.0, 5.0, 12.4)];

/// Waves from one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sea {
    /// Significant height \[m\].
    pub height: f64,
    /// Period of the peak \[s\].
    pub period: f64,
}

/// A wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Amplitude \[m\].
    pub amplitude: f64,
    /// Circular frequency \[rad/s\].
    pub frequency: f64,
    /// Phase \[rad\].
    pub phase: f64,
}

impl Sea {
    /// Of a sea state from 0 to 6, linear between those of the table, and down to a calm sea at 0.
    #[must_use]
    pub fn of_state(state: f64) -> Self {
        let (first, height, period) = SEA_STATES[0];
        if state <= first {
            return Self { height: height * (state / first).max(0.0), period };
        }
        let last = SEA_STATES.len() - 1;
        let place = SEA_STATES[1..last].iter().filter(|(number, ..)| state > *number).count();
        let ([from, to], share) = ([SEA_STATES[place], SEA_STATES[place + 1]], 0.0_f64);
        let share = share.max(((state - from.0) / (to.0 - from.0)).min(1.0));
        Self { height: (1.0 - share) * from.1 + share * to.1, period: (1.0 - share) * from.2 + share * to.2 }
    }

    /// Circular frequency of the peak \[rad/s\].
    fn peak(&self) -> f64 {
        TAU / self.period
    }

    /// Density of the elevation's variance \[m2 s/rad\].
    #[must_use]
    pub fn density(&self, frequency: f64) -> f64 {
        let ratio = (self.peak() / frequency).powi(4);
        5.0 / 16.0 * self.height.powi(2) * ratio / frequency * exp(-1.25 * ratio)
    }

    /// Variance of the elevation below a frequency \[m2\].
    #[must_use]
    pub fn variance_below(&self, frequency: f64) -> f64 {
        self.height.powi(2) / 16.0 * exp(-1.25 * (self.peak() / frequency).powi(4))
    }

    /// The ends of the bands \[rad/s\], in equal ratios.
    #[must_use]
    pub fn bands(&self) -> Vec<f64> {
        let ratio = pow(ENDS[1] / ENDS[0], 1.0 / BANDS as f64);
        (0..=BANDS as i32).map(|band| self.peak() * ENDS[0] * ratio.powi(band)).collect()
    }

    /// One wave of each band; `uniform` gives two numbers within (0, 1) for a band.
    pub fn waves(&self, mut uniform: impl FnMut(usize) -> [f64; 2]) -> Vec<Wave> {
        let wave = |(band, ends): (usize, &[f64])| {
            let [place, phase] = uniform(band);
            let variance = self.variance_below(ends[1]) - self.variance_below(ends[0]);
            Wave {
                amplitude: (2.0 * variance).sqrt(),
                frequency: ends[0] + place * (ends[1] - ends[0]),
                phase: TAU * phase,
            }
        };
        self.bands().windows(2).enumerate().map(wave).collect()
    }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;

    #[test]
    fn sea_states_are_those_of_the_table_and_between() {
        for (state, height, period) in SEA_STATES {
            assert_eq!(Sea::of_state(state), Sea { height, period });
        }
        let between = Sea::of_state(4.5);
        assert!((between.height - 2.6).abs() < 1e-12 && (between.period - 9.25).abs() < 1e-12);
        assert_eq!(Sea::of_state(0.0).height, 0.0);
    }

    #[test]
    fn bands_have_the_energy_of_the_spectrum() {
        let sea = Sea::of_state(5.0);
        let waves = sea.waves(|_| [0.5, 0.5]);
        let all: f64 = waves.iter().map(|wave| 0.5 * wave.amplitude.powi(2)).sum();
        println!("variance {all}, H^2/16 = {}", sea.height.powi(2) / 16.0);
        assert!((all / (sea.height.powi(2) / 16.0) - 1.0).abs() < 0.006);
        // The density by the rule of Simpson over a band.
        for ends in sea.bands().windows(2) {
            let middle = 0.5 * (ends[0] + ends[1]);
            let simpson =
                (ends[1] - ends[0]) / 6.0 * (sea.density(ends[0]) + 4.0 * sea.density(middle) + sea.density(ends[1]));
            let exact = sea.variance_below(ends[1]) - sea.variance_below(ends[0]);
            assert!((simpson - exact).abs() < 1e-4 * all, "{simpson} {exact}");
        }
    }
}
