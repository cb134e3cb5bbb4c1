//! Importance sampling: inputs are drawn near the event and weighted accordingly.
//!
//! Each input has an independent standard normal z (its uniform number is Phi(z), before the copula). A trial is drawn
//! at one of several places, or from the study's own distributions. At a place a shifted input has z = shift + spread x
//! with x standard normal. The density of the mixture relative to the study's own is
//!
//! ```text
//! r(z) = a + (1 - a) / K sum over K places of the product over the shifted inputs of phi((z - shift) / spread) / (spread phi(z))
//! ```
//!
//! with a the fraction of unshifted trials, and the weight of a trial is 1 / r (Hammersley and Handscomb, "Monte Carlo
//! methods", 1964, section 5.4). With a above 0 no weight exceeds 1 / a, wherever the event is (Hesterberg, "Weighted
//! average importance sampling and defensive mixture distributions", 1995).

use super::normal;
use crate::elementary::{exp, ln};

/// How one input is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Mean of z, in its standard deviations.
    pub shift: f64,
    /// Standard deviation of z.
    pub spread: f64,
}

/// A likely place of the event: a shift for each of the study's inputs, in order; `None` for those that keep their
/// distribution.
pub type Shifts = Vec<Option<Shift>>;

/// How the inputs of a study are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// Fraction of trials drawn from the study's own distributions, below 1.
    pub unshifted: f64,
    /// Places from which the others are drawn, in equal shares; at least one.
    pub places: Vec<Shifts>,
}

impl Importance {
    /// Largest shift of an input: beyond z = 8.2 a uniform number in f64 is 1.
    pub const MAX_SHIFT: f64 = 6.0;
    /// Largest Euclidean norm of all shifts: 6 corresponds to a probability of 1e-9.
    pub const MAX_SHIFT_IN_ALL: f64 = 8.0;
    /// Smallest spread. Below sqrt(1/2) the weights have infinite variance, hence no interval; this keeps a margin.
    pub const MIN_SPREAD: f64 = 0.8;
    /// Largest spread.
    pub const MAX_SPREAD: f64 = 3.0;
    /// Variable of the place in the random counter, above all inputs.
    pub(super) const PLACE: u32 = 0x800;

    /// Moves uniform numbers to where the inputs are drawn, and returns the weight. The place is chosen by one more
    /// uniform number.
    ///
    /// # Panics
    /// If there are fewer numbers than inputs.
    pub fn apply(&self, uniforms: &mut [f64], place: f64) -> f64 {
        let shared_out = (place - self.unshifted) / (1.0 - self.unshifted) * self.places.len() as f64;
        // Negative: the study's own distributions.
        let chosen = (shared_out >= 0.0).then(|| &self.places[(shared_out as usize).min(self.places.len() - 1)]);
        let mut logarithms = vec![0.0; self.places.len()];
        for (number, uniform) in uniforms.iter_mut().enumerate() {
            if self.places.iter().all(|place| place[number].is_none()) {
                continue;
            }
            let mut z = normal::quantile(*uniform);
            if let Some(Shift { shift, spread }) = chosen.and_then(|place| place[number]) {
                z = shift + spread * z;
                *uniform = normal::inside(normal::cumulative(z));
            }
            for (logarithm, place) in logarithms.iter_mut().zip(&self.places) {
                if let Some(Shift { shift, spread }) = place[number] {
                    let x = (z - shift) / spread;
                    *logarithm += 0.5 * (z - x) * (z + x) - ln(spread);
                }
            }
        }
        let of_places = logarithms.iter().map(|&logarithm| exp(logarithm)).sum::<f64>() / self.places.len() as f64;
        (self.unshifted + (1.0 - self.unshifted) * of_places).recip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;

    fn shifted(shift: f64, spread: f64) -> Option<Shift> {
        Some(Shift { shift, spread })
    }

    /// Weights have mean 1 and weighted probabilities are unbiased; no weight exceeds 1 / a.
    #[test]
    fn weights_give_back_the_inputs_own_distribution() {
        let one = vec![vec![shifted(1.0, 1.2), None, shifted(-0.5, 0.9)]];
        let two = vec![one[0].clone(), vec![shifted(-2.0, 1.0), None, None]];
        for (unshifted, places) in [(0.0, one.clone()), (0.1, one), (0.0, two.clone()), (0.3, two)] {
            let importance = Importance { unshifted, places };
            const COUNT: u64 = 100_000;
            let (mut all, mut squares, mut below, mut largest) = (0.0, 0.0, 0.0, 0.0_f64);
            for item in 0..COUNT {
                let mut uniforms: Vec<f64> = (0..3).map(|variable| uniform(4, item, variable)).collect();
                let untouched = uniforms[1];
                let weight = importance.apply(&mut uniforms, uniform(4, item, Importance::PLACE));
                assert_eq!(uniforms[1], untouched);
                all += weight;
                squares += weight * weight;
                largest = largest.max(weight);
                below += if uniforms[0] < 0.3 && uniforms[2] < 0.6 { weight } else { 0.0 };
            }
            let count = COUNT as f64;
            // Five standard errors of the weights' mean; those of a part of them are smaller.
            let tolerance = 5.0 * (squares / count).sqrt() / count.sqrt();
            println!("mean weight {}, share {}, tolerance {tolerance}", all / count, below / count);
            assert!((all / count - 1.0).abs() < tolerance);
            assert!((below / count - 0.18).abs() < tolerance);
            assert!(tolerance < 0.05);
            assert!(largest <= 1.0 / unshifted, "{largest}");
        }
    }

    /// 1 / w = a + (1 - a) (q1 / phi + q2 / phi) / 2.
    #[test]
    fn a_weight_is_the_ratio_of_two_densities() {
        let (shift, spread, x) = (3.0, 1.5, 0.7_f64);
        let z = shift + spread * x;
        let first = normal::density(x) / spread / normal::density(z);
        let second = normal::density(z + 1.0) / normal::density(z);
        let places = vec![vec![shifted(shift, spread)], vec![shifted(-1.0, 1.0)]];
        for (unshifted, count, expected) in
            [(0.0, 1, first), (0.2, 1, 0.2 + 0.8 * first), (0.2, 2, 0.2 + 0.4 * (first + second))]
        {
            let importance = Importance { unshifted, places: places[..count].to_vec() };
            let mut uniforms = [normal::cumulative(x)];
            // The first place has the numbers from a on.
            let weight = importance.apply(&mut uniforms, unshifted + 1e-6);
            assert!((weight * expected - 1.0).abs() < 1e-13, "{weight} {expected}");
            assert!((uniforms[0] - normal::cumulative(z)).abs() < 1e-14);
        }
        let importance = Importance { unshifted: 0.2, places };
        let mut own = [0.77];
        importance.apply(&mut own, 0.19);
        assert_eq!(own, [0.77], "trials of the study's own distributions stay where they are");
        let mut last = [0.5];
        importance.apply(&mut last, 1.0 - 1e-16);
        assert_eq!(last, [normal::cumulative(-1.0)]);
    }
}
