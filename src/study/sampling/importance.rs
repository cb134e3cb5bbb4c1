//! Importance sampling: inputs drawn where the event is, and weights that make up for it.
//!
//! Behind each input stands an independent standard normal z (the input's uniform number is Phi(z), before the copula).
//! A shifted input draws z = shift + spread x with x standard normal, so its density is
//! q(z) = phi((z - shift) / spread) / spread, and the landing's weight is the product of phi(z) / q(z) over the shifted
//! inputs (Hammersley and Handscomb, "Monte Carlo methods", 1964, section 5.4).

use super::normal;

/// How one input is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Mean of z, in its standard deviations.
    pub shift: f64,
    /// Standard deviation of z.
    pub spread: f64,
}

/// How the inputs of a study are drawn; `None` for those that keep their distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// In the order of the study's inputs.
    pub shifts: Vec<Option<Shift>>,
}

impl Importance {
    /// Farthest shift of an input: beyond z = 8.2 a uniform number in f64 is 1.
    pub const FARTHEST: f64 = 6.0;
    /// Greatest root of the sum of all shifts' squares: 6 stands for one in 10^9.
    pub const FARTHEST_IN_ALL: f64 = 8.0;
    /// Least spread. The weights of one below sqrt(1/2) have no variance, and so no interval; this keeps away from it.
    pub const LEAST_SPREAD: f64 = 0.8;
    /// Greatest spread.
    pub const GREATEST_SPREAD: f64 = 3.0;

    /// Moves uniform numbers to where the inputs are drawn, and gives the weight.
    ///
    /// # Panics
    /// With fewer numbers than inputs.
    pub fn apply(&self, uniforms: &mut [f64]) -> f64 {
        let mut logarithm = 0.0;
        for (number, shift) in self.shifts.iter().enumerate() {
            let Some(Shift { shift, spread }) = *shift else { continue };
            let x = normal::quantile(uniforms[number]);
            let z = shift + spread * x;
            uniforms[number] = normal::inside(normal::cumulative(z));
            logarithm += 0.5 * (x - z) * (x + z) + spread.ln();
        }
        logarithm.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;

    /// Weights have mean 1, and so has a weighted probability its own value.
    #[test]
    fn weights_give_back_the_inputs_own_distribution() {
        let importance = Importance {
            shifts: vec![Some(Shift { shift: 1.0, spread: 1.2 }), None, Some(Shift { shift: -0.5, spread: 0.9 })],
        };
        const COUNT: u64 = 100_000;
        let (mut all, mut squares, mut below) = (0.0, 0.0, 0.0);
        for item in 0..COUNT {
            let mut uniforms: Vec<f64> = (0..3).map(|variable| uniform(4, item, variable)).collect();
            let untouched = uniforms[1];
            let weight = importance.apply(&mut uniforms);
            assert_eq!(uniforms[1], untouched);
            all += weight;
            squares += weight * weight;
            below += if uniforms[0] < 0.3 && uniforms[2] < 0.6 { weight } else { 0.0 };
        }
        let count = COUNT as f64;
        // Five standard errors of the weights' mean; those of a part of them are smaller.
        let tolerance = 5.0 * (squares / count).sqrt() / count.sqrt();
        println!("mean weight {}, share {}, tolerance {tolerance}", all / count, below / count);
        assert!((all / count - 1.0).abs() < tolerance);
        assert!((below / count - 0.18).abs() < tolerance);
        assert!(tolerance < 0.05);
    }

    /// log w = x^2/2 - (shift + spread x)^2/2 + ln(spread).
    #[test]
    fn a_weight_is_the_ratio_of_two_densities() {
        let (shift, spread, x) = (3.0, 1.5, 0.7_f64);
        let mut uniforms = [normal::cumulative(x)];
        let weight = Importance { shifts: vec![Some(Shift { shift, spread })] }.apply(&mut uniforms);
        let z = shift + spread * x;
        let expected = normal::density(z) / (normal::density(x) / spread);
        assert!((weight / expected - 1.0).abs() < 1e-13, "{weight} {expected}");
        assert!((uniforms[0] - normal::cumulative(z)).abs() < 1e-14);
    }
}
