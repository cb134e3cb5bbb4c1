//! Exceedance curves of weighted trials: a second pass over the rows, between the limits found in the first.

use super::curve::{CurvePoint, Step, Tail, steps};
use crate::study::statistics::{Accumulator, WeightError};
use crate::study::{Evidence, Study};

/// How often a quantity lies beyond each of some limits.
#[derive(Clone, Debug)]
pub struct WeightedCurve {
    /// Number of the quantity.
    pub quantity: usize,
    /// Which tail.
    pub tail: Tail,
    steps: Vec<Step>,
    /// Trials beyond so many limits, counted from the end where most are.
    beyond: Vec<Evidence>,
    trials: u64,
}

impl WeightedCurve {
    /// No trials yet of a quantity with these sums.
    pub fn new(study: &Study, quantity: usize, tail: Tail, sums: &Accumulator) -> Self {
        let mut steps = steps(sums, tail);
        if tail == Tail::Below {
            steps.reverse();
        }
        let beyond = vec![Evidence::new(&study.method); steps.len() + 1];
        Self { quantity, tail, steps, beyond, trials: 0 }
    }

    /// Counts a trial of those that the sums are of; one without a value is beyond every limit or beyond none.
    pub fn add(
        &mut self,
        sums: &Accumulator,
        trial: u64,
        weight: f64,
        value: Option<f64>,
        lack_is_beyond: bool,
    ) -> Result<(), WeightError> {
        // Limits are values of buckets.
        let limits = match (value.map(|value| sums.bucketed(value)), self.tail) {
            (Some(value), Tail::Above) => self.steps.partition_point(|step| value > step.limit),
            (Some(value), Tail::Below) => self.steps.partition_point(|step| value < step.limit),
            (None, _) if lack_is_beyond => self.steps.len(),
            (None, _) => 0,
        };
        self.trials += 1;
        self.beyond[limits].add(trial, weight, true)
    }

    /// Adds the counts of another batch between the same limits.
    pub fn merge(&mut self, other: &Self) {
        self.beyond.iter_mut().zip(&other.beyond).for_each(|(mine, other)| mine.merge(other));
        self.trials += other.trials;
    }

    /// The curve, with bounds at a confidence; its first point stands at minus infinity.
    pub fn points(&self, confidence: f64) -> Vec<CurvePoint> {
        let Some((farthest, others)) = self.beyond.split_last() else {
            return Vec::new();
        };
        let mut events = farthest.clone();
        let mut points: Vec<CurvePoint> = Vec::with_capacity(self.steps.len());
        for (step, next) in self.steps.iter().zip(others).rev() {
            let evidence = events.clone().among(self.trials);
            let bounds = evidence.bounds(confidence);
            let (lower, upper) = if bounds.trusted { (bounds.lower, bounds.upper) } else { (0.0, 1.0) };
            points.push(CurvePoint { value: step.from, estimate: evidence.estimate(), lower, upper });
            events.merge(next);
        }
        if self.tail == Tail::Above {
            points.reverse();
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;
    use crate::study::sampling::{Importance, Method, Shift};

    /// A normal quantity, drawn about 3: its curve is the normal distribution's, of which the study's own draws show
    /// nothing beyond 4.
    #[test]
    fn a_shifted_normal_has_the_curve_of_the_normal() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let mut study = Study::read(&path).unwrap();
        for unshifted in [0.0, 0.2] {
            let places = vec![vec![Some(Shift { shift: 3.0, spread: 1.0 })]];
            study.method = Method::Importance(Importance { unshifted, places });
            let draws: Vec<(f64, f64)> = (0..20_000)
                .map(|trial| {
                    let (uniforms, weight) = study.method.draw(11, trial, 0..1);
                    (normal::quantile(uniforms[0]), weight)
                })
                .collect();
            for (tail, sign) in [(Tail::Above, 1.0), (Tail::Below, -1.0)] {
                let mut sums = Accumulator::new();
                draws.iter().for_each(|(z, _)| sums.add(sign * z).unwrap());
                let mut curve = WeightedCurve::new(&study, 0, tail, &sums);
                for (trial, &(z, weight)) in draws.iter().enumerate() {
                    curve.add(&sums, trial as u64, weight, Some(sign * z), true).unwrap();
                }
                // One bound in 10,000 may fail, of 300 that mostly go together.
                let points = curve.points(0.9999);
                assert!(points.len() > 100 && points.windows(2).all(|pair| pair[0].value < pair[1].value));
                let mut rarest = 1.0_f64;
                for pair in points.windows(2) {
                    // From there to the next point, on the side where nothing lies between.
                    let z = if tail == Tail::Above { pair[0].value } else { -pair[1].value };
                    let truth = normal::complement(z);
                    assert!(pair[0].lower <= truth && truth <= pair[0].upper, "{z}: {:?} {truth}", pair[0]);
                    if pair[0].lower > 0.0 {
                        rarest = rarest.min(pair[0].estimate);
                    }
                }
                assert!(rarest < 3e-7, "{rarest}");
            }
        }
    }

    #[test]
    fn trials_without_a_value_are_beyond_all_limits_or_none() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let study = Study::read(&path).unwrap();
        let mut sums = Accumulator::new();
        [1.0, 2.0, 3.0].iter().for_each(|&value| sums.add(value).unwrap());
        let shares = |tail, lack| -> Vec<f64> {
            let mut curve = WeightedCurve::new(&study, 0, tail, &sums);
            for (trial, value) in [Some(1.0), None, Some(3.0), Some(2.0)].into_iter().enumerate() {
                curve.add(&sums, trial as u64, 1.0, value, lack).unwrap();
            }
            curve.points(0.95).iter().map(|point| point.estimate).collect()
        };
        assert_eq!(shares(Tail::Above, false), [0.75, 0.5, 0.25, 0.0]);
        assert_eq!(shares(Tail::Above, true), [1.0, 0.75, 0.5, 0.25]);
        assert_eq!(shares(Tail::Below, false), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(shares(Tail::Below, true), [0.25, 0.5, 0.75, 1.0]);
    }
}
