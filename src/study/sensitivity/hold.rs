//! Where limit risks hold an input.

use crate::study::SampledInput;
use crate::study::sampling::Distribution;

/// Default quantiles at which an input is held.
const HOLD: [f64; 2] = [0.01, 0.99];

/// A value at which an input is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::study) struct Hold {
    /// The value in SI units.
    pub value: f64,
    /// The uniforms that map to it: the ends of an interval if it is an atom, as a value of a `choice` is.
    pub uniforms: [f64; 2],
}

/// The values at which an input is held, ascending: those given by the study, or every value of a `choice`, else the 1
/// % and the 99 % quantile. Only quantiles measure how extreme a value is: the ends of a range may be arbitrary, as for
/// a normal distribution truncated at six standard deviations.
pub(in crate::study) fn holds(sampled: &SampledInput) -> Vec<Hold> {
    let SampledInput { distribution, limit, .. } = sampled;
    let at = |value: f64| Hold { value, uniforms: distribution.uniforms_at(value) };
    match (limit, distribution.values()) {
        (Some(values), _) => values.iter().map(|&value| at(value)).collect(),
        (None, Some(values)) => values.iter().map(|&value| at(value)).collect(),
        (None, None) => HOLD.map(|probability| at_quantile(distribution, probability)).to_vec(),
    }
}

fn at_quantile(distribution: &Distribution, probability: f64) -> Hold {
    let value = distribution.quantile(probability);
    let uniforms = if distribution.is_continuous() { [probability; 2] } else { distribution.uniforms_at(value) };
    Hold { value, uniforms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Unit;
    use crate::model::Input;

    const INPUT: Input = Input { name: "crab", unit: Unit::Angle, description: "" };

    fn held(distribution: Distribution, limit: Option<Vec<f64>>) -> Vec<f64> {
        let sampled = SampledInput { number: 9, input: INPUT, distribution, limit };
        holds(&sampled).iter().map(|hold| hold.value).collect()
    }

    /// 2e-9 of the probability is beyond six standard deviations, and the density at the 99 % quantile is 0.027.
    #[test]
    fn a_distribution_is_held_at_the_same_values_however_it_is_spelled() {
        let normal = held(Distribution::normal(0.0, 1.0).unwrap(), None);
        let cut_off = held(Distribution::truncated_normal(0.0, 1.0, -6.0, 6.0).unwrap(), None);
        assert!((normal[1] - 2.326_347_874_040_841).abs() < 1e-14, "{normal:?}");
        for (a, b) in normal.iter().zip(&cut_off) {
            assert!((a - b).abs() < 2e-9 / 0.026, "{a} {b}");
        }
        assert_eq!(held(Distribution::uniform(1.0, 3.0).unwrap(), None), [1.02, 2.98]);
    }

    #[test]
    fn every_value_of_a_choice_is_held_or_those_that_the_study_gives() {
        let choice = || Distribution::choice(&[3.0, 1.0, 2.0, 9.0], &[0.001, 0.9, 0.099, 0.0]).unwrap();
        assert_eq!(held(choice(), None), [1.0, 2.0, 3.0]);
        assert_eq!(held(choice(), Some(vec![3.0])), [3.0]);
        assert_eq!(held(Distribution::normal(0.0, 1.0).unwrap(), Some(vec![1.5])), [1.5]);
    }

    #[test]
    fn a_value_of_a_choice_stands_for_all_uniforms_that_give_it() {
        let distribution = Distribution::choice(&[0.0, 1.0, 2.0], &[0.25, 0.5, 0.25]).unwrap();
        let sampled = SampledInput { number: 9, input: INPUT, distribution, limit: None };
        let uniforms: Vec<[f64; 2]> = holds(&sampled).iter().map(|hold| hold.uniforms).collect();
        for (found, expected) in uniforms.iter().zip([[0.0, 0.25], [0.25, 0.75], [0.75, 1.0]]) {
            // The bisection ends at a distance of 2^-60 from where the value changes.
            assert!((found[0] - expected[0]).abs() < 1e-15 && (found[1] - expected[1]).abs() < 1e-15, "{found:?}");
        }
    }
}
