//! Branches: combinations of values of discrete inputs, and those sampled too rarely.
//!
//! A value of a `choice` can lead to an event that its other values do not approach. The draws of the first level find
//! it or nothing does. Its probability is known, which bounds what it may hide.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::random::uniform;
use crate::study::SampledInput;
use crate::study::sampling::Copula;
use crate::study::statistics::clopper_pearson_upper;

/// Expected draws of a branch, in the first levels of all replicates together, from which it counts as seen.
///
/// The replicates' frequencies of a branch are Poisson-distributed. In a model of 16 replicates, estimates (1 - f) A +
/// f X / E\[X\] B with A and B lognormal (sd of the logarithm 0.4 and 0.3) and X Poisson, f from 0.3 to 0.995 the
/// branch's share of the event, a trusted upper bound at 95 % is below the truth in up to 20 % of repetitions with 3
/// draws expected, 8 % with 8, 6 % with 10, and 5 % from 15 on. In later levels branches also die out or spread, which
/// requires more: with 32 draws expected 11 of 200 repetitions were wrongly met; 50 leaves a margin
/// (`tests/studies/subset.rs`).
const SEEN_FROM: f64 = 50.0;
/// Maximum number of combinations that are enumerated; more are estimated by counting draws.
const MAX_LISTED: usize = 100_000;
/// Draws of inputs (without trials) that estimate the probabilities of dependent branches, half of them to find the
/// common ones.
const DRAWS: u64 = 1 << 18;
/// Key of these draws.
const KEY: u64 = 0x6272_616e_6368_6573;
/// Confidence of a counted probability. Its error is small beside the 5 % or less of criteria.
const COUNT_CONFIDENCE: f64 = 0.999;

/// Branches with too few draws.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unseen {
    /// Their total probability.
    pub probability: f64,
    /// The likeliest of them; for dependent inputs a single value, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeliest: Option<Branch>,
    /// Draws at the first levels.
    pub draws: u64,
}

/// Values of some inputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Branch {
    /// Its probability.
    pub probability: f64,
    /// Inputs and values, such as `surface_friction = 0.2`, in SI units.
    pub values: String,
}

/// An input with a list of values.
struct Choice<'a> {
    number: usize,
    name: &'a str,
    /// Values with their probabilities.
    atoms: Vec<(f64, f64)>,
}

impl Choice<'_> {
    fn says(&self, value: usize) -> String {
        format!("{} = {}", self.name, self.atoms[value].0)
    }

    /// Index of the value at a uniform number.
    fn at(&self, uniform: f64) -> usize {
        let ends = self.atoms.iter().scan(0.0, |end, (_, probability)| {
            *end += probability;
            Some(*end)
        });
        // Rounded probabilities may sum to a little less than 1.
        ends.take_while(|&end| end < uniform).count().min(self.atoms.len() - 1)
    }
}

impl Unseen {
    /// The branches with fewer than 50 expected among this many plain draws; `None` if all are seen.
    #[must_use]
    pub fn of(inputs: &[SampledInput], copula: &Copula, draws: u64) -> Option<Self> {
        let choices: Vec<Choice<'_>> = inputs
            .iter()
            .enumerate()
            .filter_map(|(number, sampled)| {
                let values = sampled.distribution.values()?;
                let probabilities = sampled.distribution.atoms().into_iter().map(|[from, to]| to - from);
                let atoms = values.into_iter().zip(probabilities).collect();
                Some(Choice { number, name: sampled.input.name, atoms })
            })
            .collect();
        let enough = SEEN_FROM / draws as f64;
        let combinations = choices
            .iter()
            .try_fold(1_usize, |product, choice| product.checked_mul(choice.atoms.len()))
            .filter(|&combinations| combinations <= MAX_LISTED);
        let independent = choices.len() < 2 || !copula.is_correlated();
        let (probability, likeliest) = match combinations {
            Some(_) if independent => listed(&choices, enough),
            _ => counted(&choices, copula, enough, combinations),
        };
        (probability > 0.0).then_some(Self { probability, likeliest, draws })
    }

    /// The warning and the remedy, for this many replicates.
    #[must_use]
    pub fn advice(&self, replicates: u64) -> String {
        let Some(Branch { probability, values }) = &self.likeliest else {
            return format!(
                "combinations of the inputs' listed values, {:.3e} of all trials together, are too rare to be seen by \
                 the {} first draws, and count as if all of them had the event; take more samples, or studies of their \
                 own with an input held constant",
                self.probability, self.draws
            );
        };
        format!(
            "{values}, {probability:.3e} of all trials, is expected {:.1} times among the {} first draws, where \
             {SEEN_FROM} are needed to see what it leads to; all that is so rare, {:.3e} together, counts as if it had \
             the event; take {:.0} samples, or a study of its own with the value held constant",
            probability * self.draws as f64,
            self.draws,
            self.probability,
            (SEEN_FROM / (probability * replicates as f64)).ceil()
        )
    }
}

/// Combinations of independent values that are too rare: their total probability and the likeliest.
fn listed(choices: &[Choice<'_>], enough: f64) -> (f64, Option<Branch>) {
    let mut places = vec![0; choices.len()];
    let (mut rare, mut likeliest) = (0.0, None::<(f64, Vec<usize>)>);
    loop {
        let probability: f64 = choices.iter().zip(&places).map(|(choice, &place)| choice.atoms[place].1).product();
        if probability < enough {
            rare += probability;
            if likeliest.as_ref().is_none_or(|(most, _)| probability > *most) {
                likeliest = Some((probability, places.clone()));
            }
        }
        // Next combination, like an odometer.
        let turned = choices.iter().zip(&places).take_while(|(choice, place)| *place + 1 == choice.atoms.len()).count();
        if turned == choices.len() {
            break;
        }
        places[..turned].fill(0);
        places[turned] += 1;
    }
    let likeliest = likeliest.map(|(probability, places)| {
        let values: Vec<String> = choices.iter().zip(places).map(|(choice, place)| choice.says(place)).collect();
        Branch { probability, values: values.join(", ") }
    });
    (rare, likeliest)
}

/// The same for dependent inputs, or for very many combinations: an upper bound on their probability from draws of the
/// inputs, and the likeliest value that is rare by itself.
fn counted(choices: &[Choice<'_>], copula: &Copula, enough: f64, combinations: Option<usize>) -> (f64, Option<Branch>) {
    let combination = |draw: u64| -> Vec<usize> {
        let mut uniforms: Vec<f64> = (0..copula.count() as u32).map(|variable| uniform(KEY, draw, variable)).collect();
        copula.apply(&mut uniforms);
        choices.iter().map(|choice| choice.at(uniforms[choice.number])).collect()
    };
    let mut common: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    for draw in 0..DRAWS / 2 {
        *common.entry(combination(draw)).or_default() += 1;
    }
    common.retain(|_, &mut count| count as f64 >= enough * (DRAWS / 2) as f64);
    let single = choices
        .iter()
        .flat_map(|choice| (0..choice.atoms.len()).map(move |place| (choice.atoms[place].1, choice, place)))
        .filter(|&(probability, ..)| probability < enough)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(probability, choice, place)| Branch { probability, values: choice.says(place) });
    if combinations == Some(common.len()) {
        return (0.0, None);
    }
    let others = (DRAWS / 2..DRAWS).filter(|&draw| !common.contains_key(&combination(draw))).count() as u64;
    let probability = clopper_pearson_upper(others, DRAWS / 2, COUNT_CONFIDENCE);
    (probability.max(single.as_ref().map_or(0.0, |branch| branch.probability)), single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Unit;
    use crate::model::Input;
    use crate::study::sampling::Distribution;

    const NAMES: [&str; 2] = ["mass", "airspeed"];

    fn sampled(number: usize, distribution: Distribution) -> SampledInput {
        let input = Input { name: NAMES[number], unit: Unit::One, description: "" };
        SampledInput { number, input, distribution, limit: None }
    }

    fn choice(number: usize, weights: &[f64]) -> SampledInput {
        let values: Vec<f64> = (1..=weights.len()).map(|value| value as f64).collect();
        sampled(number, Distribution::choice(&values, weights).unwrap())
    }

    #[test]
    fn a_value_is_seen_from_50_draws_on() {
        let inputs = [choice(0, &[0.997, 0.003])];
        let copula = Copula::new(1, &[]).unwrap();
        assert_eq!(Unseen::of(&inputs, &copula, 16_667), None);
        let unseen = Unseen::of(&inputs, &copula, 16_666).unwrap();
        assert!((unseen.probability - 0.003).abs() < 1e-15, "{unseen:?}");
        let branch = unseen.likeliest.clone().unwrap();
        assert_eq!(branch.values, format!("{} = 2", NAMES[0]));
        // 50 / (0.003 * 16) = 1041.7.
        assert!(unseen.advice(16).contains("take 1042 samples"), "{}", unseen.advice(16));
        let normal = Distribution::normal(0.0, 1.0).unwrap();
        let continuous = [sampled(0, normal)];
        assert_eq!(Unseen::of(&continuous, &copula, 100), None);
    }

    #[test]
    fn combinations_are_rarer_than_their_values() {
        let inputs = [choice(0, &[0.99, 0.01]), choice(1, &[0.98, 0.02])];
        let unseen = Unseen::of(&inputs, &Copula::new(2, &[]).unwrap(), 16_000).unwrap();
        // Each value alone is expected 160 and 320 times, both together 3.2 times.
        assert!((unseen.probability - 2e-4).abs() < 1e-15, "{unseen:?}");
        assert!(unseen.likeliest.unwrap().values.contains("= 2, "));
    }

    #[test]
    fn dependent_values_are_counted() {
        let inputs = [choice(0, &[0.5, 0.5]), choice(1, &[0.5, 0.5])];
        // Rank correlation 0.99 leaves each combination of unlike values 2.2 % (arccos(r) / (2 pi), r = 0.9905 that of the
        // normals), which 5000 draws show and 500 do not.
        let copula = Copula::new(2, &[(0, 1, 0.99)]).unwrap();
        assert_eq!(Unseen::of(&inputs, &copula, 5_000), None);
        let unseen = Unseen::of(&inputs, &copula, 500).unwrap();
        assert!((0.043..0.050).contains(&unseen.probability), "{unseen:?}");
    }
}
