//! The trials of a sensitivity analysis, by number.
//!
//! ```text
//! base rows     point by point: A, B, then A with each input from B    N (d + 2)
//! tornado       the median, then each input at either quantile         2 d + 1
//! held          input by input, value by value: A with it held         h N
//! ```
//!
//! Row A of point j has the uniforms of the study's plain trial j, row B those of trial N + j. Constant inputs are
//! excluded: d counts the others, h the values at which these are held.

use super::hold::{Hold, holds};
use crate::model::Inputs;
use crate::random::{NoiseKey, uniform};
use crate::study::{SampledInput, Study};

/// Quantiles of each input in the tornado.
pub(super) const SWING: [f64; 2] = [0.05, 0.95];

/// The base points, the varying inputs, and where they are held.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Design {
    /// Base points N.
    pub points: u64,
    /// Indices of the d inputs among the study's.
    inputs: Vec<usize>,
    /// For each value: the input, as an index in `inputs`, and where it is held.
    held: Vec<(usize, Hold)>,
}

/// One trial of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evaluation {
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
    /// Row A with one input held.
    Held { point: u64, place: usize },
}

impl Design {
    /// The design of a study with this many base points.
    pub fn new(study: &Study, points: u64) -> Self {
        let varies = |number: &usize| !study.inputs[*number].distribution.is_constant();
        let inputs: Vec<usize> = (0..study.inputs.len()).filter(varies).collect();
        let of_input =
            |(place, &number): (usize, &usize)| holds(&study.inputs[number]).into_iter().map(move |hold| (place, hold));
        let held = inputs.iter().enumerate().flat_map(of_input).collect();
        Self { points, inputs, held }
    }

    /// Number of varying inputs.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// One of the varying inputs.
    pub fn sampled<'a>(&self, study: &'a Study, input: usize) -> &'a SampledInput {
        &study.inputs[self.inputs[input]]
    }

    /// The places at which an input is held, and its value there.
    pub fn held_at(&self, input: usize) -> impl Iterator<Item = (usize, f64)> {
        let places = self.held.iter().enumerate();
        places.filter(move |(_, (held, _))| *held == input).map(|(place, (_, hold))| (place, hold.value))
    }

    /// The held values in words, with few enough digits to be the same on every machine.
    pub fn held_in_words(&self, study: &Study) -> String {
        let words = (0..self.inputs()).map(|input| {
            let values: Vec<String> = self.held_at(input).map(|(_, value)| format!("{value:.11e}")).collect();
            format!("{} at {}", self.sampled(study, input).input.name, values.join(", "))
        });
        words.collect::<Vec<_>>().join("; ")
    }

    fn rows(&self) -> u64 {
        self.inputs.len() as u64 + 2
    }

    /// Number of trials.
    pub fn trials(&self) -> u64 {
        self.held(self.held.len(), 0)
    }

    /// Number of row A of a point.
    pub fn first(&self, point: u64) -> u64 {
        point * self.rows()
    }

    /// Number of row B of a point.
    pub fn second(&self, point: u64) -> u64 {
        self.first(point) + 1
    }

    /// Number of a point's row A with one input from row B.
    pub fn mixed(&self, point: u64, input: usize) -> u64 {
        self.first(point) + 2 + input as u64
    }

    /// Number of the trial with every input at its median.
    pub fn median(&self) -> u64 {
        self.points * self.rows()
    }

    /// Number of the trial with one input at one of [`SWING`].
    pub fn swing(&self, input: usize, end: usize) -> u64 {
        self.median() + 1 + 2 * input as u64 + end as u64
    }

    /// Number of a point's row A with an input held at a place.
    pub fn held(&self, place: usize, point: u64) -> u64 {
        self.swing(self.inputs.len(), 0) + place as u64 * self.points + point
    }

    fn trial(&self, number: u64) -> Evaluation {
        if number < self.median() {
            let point = number / self.rows();
            return match number % self.rows() {
                0 => Evaluation::First { point },
                1 => Evaluation::Second { point },
                row => Evaluation::Mixed { point, input: row as usize - 2 },
            };
        }
        if number == self.median() {
            return Evaluation::Median;
        }
        let swings = number - self.median() - 1;
        if swings < 2 * self.inputs.len() as u64 {
            return Evaluation::Swing { input: swings as usize / 2, end: swings as usize % 2 };
        }
        let held = swings - 2 * self.inputs.len() as u64;
        Evaluation::Held { point: held % self.points, place: (held / self.points) as usize }
    }
}

/// The inputs of a trial of the design.
pub(super) fn inputs_of(study: &Study, design: &Design, number: u64) -> Inputs {
    let row = |trial: u64| -> Vec<f64> {
        study.inputs.iter().map(|sampled| uniform(study.seed, trial, sampled.number as u32)).collect()
    };
    let noise = |trial: u64| NoiseKey { seed: study.seed, item: trial };
    let second = |point: u64| design.points + point;
    match design.trial(number) {
        Evaluation::First { point } => study.inputs_at(row(point), noise(point)),
        Evaluation::Second { point } => study.inputs_at(row(second(point)), noise(second(point))),
        Evaluation::Mixed { point, input } => {
            let mut uniforms = row(point);
            let input = design.inputs[input];
            uniforms[input] = row(second(point))[input];
            study.inputs_at(uniforms, noise(point))
        }
        Evaluation::Median => study.median_inputs(),
        Evaluation::Swing { input, end } => {
            let mut inputs = study.median_inputs();
            let sampled = design.sampled(study, input);
            inputs.values[sampled.number] = sampled.distribution.quantile(SWING[end]);
            inputs
        }
        Evaluation::Held { point, place } => {
            let mut uniforms = row(point);
            let (input, hold) = design.held[place];
            study.copula.apply_given(&mut uniforms, design.inputs[input], hold.uniforms);
            let mut inputs = study.inputs_from(&uniforms, noise(point));
            inputs.values[design.sampled(study, input).number] = hold.value;
            inputs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_has_one_number() {
        let hold = |value: f64| Hold { value, uniforms: [0.5; 2] };
        let held = vec![(0, hold(1.0)), (0, hold(2.0)), (1, hold(1.0)), (3, hold(1.0)), (3, hold(2.0))];
        let design = Design { points: 3, inputs: vec![0, 1, 3, 4], held };
        let mut expected = Vec::new();
        for point in 0..3 {
            expected.extend([(design.first(point), Evaluation::First { point })]);
            expected.extend([(design.second(point), Evaluation::Second { point })]);
            expected.extend((0..4).map(|input| (design.mixed(point, input), Evaluation::Mixed { point, input })));
        }
        expected.push((design.median(), Evaluation::Median));
        for (input, end) in (0..4).flat_map(|input| [(input, 0), (input, 1)]) {
            expected.push((design.swing(input, end), Evaluation::Swing { input, end }));
        }
        for place in 0..5 {
            expected.extend((0..3).map(|point| (design.held(place, point), Evaluation::Held { point, place })));
        }
        assert_eq!(expected.len() as u64, design.trials());
        for (index, (number, trial)) in expected.into_iter().enumerate() {
            assert_eq!((number, design.trial(number)), (index as u64, trial));
        }
        assert_eq!(design.held_at(3).collect::<Vec<_>>(), [(3, 1.0), (4, 2.0)]);
    }
}
