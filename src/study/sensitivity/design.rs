//! Which landings a sensitivity analysis computes, by number.
//!
//! ```text
//! base rows     point by point: A, B, then A with each input from B    N (d + 2)
//! tornado       the median, then each input at either quantile         2 d + 1
//! held          input by input, end by end: A with the input held      2 d N
//! ```
//!
//! Row A of point j has the uniforms of the study's plain landing j, row B those of landing N + j.

use crate::query::{LandingInputs, NoiseKey};
use crate::random::uniform;
use crate::study::Study;
use crate::study::sampling::Distribution;

/// Quantiles at which the tornado has each input.
pub(super) const SWING: [f64; 2] = [0.05, 0.95];
/// Quantiles at which limit risks hold an input whose range has not two ends.
const HOLD: [f64; 2] = [0.01, 0.99];

/// How many base points and inputs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Design {
    /// Base points N.
    pub points: u64,
    /// Inputs d.
    pub inputs: u64,
}

/// One landing of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Landing {
    /// Row A of a point.
    First { point: u64 },
    /// Row B of a point.
    Second { point: u64 },
    /// Row A with one input from B.
    Mixed { point: u64, input: usize },
    /// Every input at its median.
    Median,
    /// One input at a quantile, the others at their medians.
    Swing { input: usize, end: usize },
    /// Row A with one input held at an end.
    Held { point: u64, input: usize, end: usize },
}

impl Design {
    fn rows(self) -> u64 {
        self.inputs + 2
    }

    /// All landings.
    pub fn landings(self) -> u64 {
        self.held(self.inputs as usize, 0, 0)
    }

    /// Number of row A of a point.
    pub fn first(self, point: u64) -> u64 {
        point * self.rows()
    }

    /// Number of row B of a point.
    pub fn second(self, point: u64) -> u64 {
        self.first(point) + 1
    }

    /// Number of a point's row A with one input from row B.
    pub fn mixed(self, point: u64, input: usize) -> u64 {
        self.first(point) + 2 + input as u64
    }

    /// Number of the landing with every input at its median.
    pub fn median(self) -> u64 {
        self.points * self.rows()
    }

    /// Number of the landing with one input at one of [`SWING`].
    pub fn swing(self, input: usize, end: usize) -> u64 {
        self.median() + 1 + 2 * input as u64 + end as u64
    }

    /// Number of a point's row A with one input held.
    pub fn held(self, input: usize, end: usize, point: u64) -> u64 {
        self.swing(self.inputs as usize, 0) + (2 * input as u64 + end as u64) * self.points + point
    }

    fn landing(self, number: u64) -> Landing {
        if number < self.median() {
            let point = number / self.rows();
            return match number % self.rows() {
                0 => Landing::First { point },
                1 => Landing::Second { point },
                row => Landing::Mixed { point, input: row as usize - 2 },
            };
        }
        if number == self.median() {
            return Landing::Median;
        }
        let swings = number - self.median() - 1;
        if swings < 2 * self.inputs {
            return Landing::Swing { input: swings as usize / 2, end: swings as usize % 2 };
        }
        let held = swings - 2 * self.inputs;
        let place = (held / self.points) as usize;
        Landing::Held { point: held % self.points, input: place / 2, end: place % 2 }
    }
}

/// The inputs of a landing of the design.
pub(super) fn inputs_of(study: &Study, design: Design, number: u64) -> LandingInputs {
    let row = |landing: u64| -> Vec<f64> {
        study.inputs.iter().map(|sampled| uniform(study.seed, landing, sampled.input as u32)).collect()
    };
    let noise = |landing: u64| NoiseKey { seed: study.seed, item: landing };
    let second = |point: u64| design.points + point;
    match design.landing(number) {
        Landing::First { point } => study.inputs_at(row(point), noise(point)),
        Landing::Second { point } => study.inputs_at(row(second(point)), noise(second(point))),
        Landing::Mixed { point, input } => {
            let mut uniforms = row(point);
            uniforms[input] = row(second(point))[input];
            study.inputs_at(uniforms, noise(point))
        }
        Landing::Median => study.median_inputs(),
        Landing::Swing { input, end } => {
            let mut inputs = study.median_inputs();
            let sampled = &study.inputs[input];
            inputs.set(sampled.input, sampled.distribution.quantile(SWING[end]));
            inputs
        }
        Landing::Held { point, input, end } => {
            let mut uniforms = row(point);
            study.copula.apply_given(&mut uniforms, input, HOLD[end]);
            let mut inputs = study.inputs_from(&uniforms, noise(point));
            let sampled = &study.inputs[input];
            inputs.set(sampled.input, hold_at(&sampled.distribution)[end]);
            inputs
        }
    }
}

/// Where limit risks hold an input: at the ends of its range where it has two, else at its 1 % and 99 % quantiles.
pub(super) fn hold_at(distribution: &Distribution) -> [f64; 2] {
    match (distribution.minimum(), distribution.maximum()) {
        (Some(minimum), Some(maximum)) if minimum.is_finite() && maximum.is_finite() => [minimum, maximum],
        _ => HOLD.map(|probability| distribution.quantile(probability)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_landing_has_one_number() {
        let design = Design { points: 3, inputs: 4 };
        let mut expected = Vec::new();
        for point in 0..3 {
            expected.extend([(design.first(point), Landing::First { point })]);
            expected.extend([(design.second(point), Landing::Second { point })]);
            expected.extend((0..4).map(|input| (design.mixed(point, input), Landing::Mixed { point, input })));
        }
        expected.push((design.median(), Landing::Median));
        for (input, end) in (0..4).flat_map(|input| [(input, 0), (input, 1)]) {
            expected.push((design.swing(input, end), Landing::Swing { input, end }));
        }
        for (input, end) in (0..4).flat_map(|input| [(input, 0), (input, 1)]) {
            let held = |point| (design.held(input, end, point), Landing::Held { point, input, end });
            expected.extend((0..3).map(held));
        }
        assert_eq!(expected.len() as u64, design.landings());
        for (index, (number, landing)) in expected.into_iter().enumerate() {
            assert_eq!((number, design.landing(number)), (index as u64, landing));
        }
    }

    #[test]
    fn inputs_are_held_at_two_ends_or_at_quantiles() {
        assert_eq!(hold_at(&Distribution::uniform(1.0, 3.0).unwrap()), [1.0, 3.0]);
        let one_end = Distribution::log_normal(1.0, 0.5).unwrap();
        assert_eq!(hold_at(&one_end), [one_end.quantile(0.01), one_end.quantile(0.99)]);
    }
}
