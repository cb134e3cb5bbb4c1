//! Which p-values there are, and which are corrected together.
//!
//! What cannot differ is not tested: every test beside it makes all others weaker. Criteria are a family of their own,
//! for their number is small and they are what is asked; quantities are another.

use super::pairs::{Counts, Run, Values};
use super::result::{CONFIDENCE, CriterionComparison, QuantityComparison};
use crate::study::statistics::holm;

/// Said of what is the same in both runs, whatever the chance.
pub const IDENTICAL: &str = "identical in both runs";

/// Leaves out the p-values of criteria that count the same event as an earlier one, in both studies.
pub fn leave_out_same_criteria(criteria: &mut [CriterionComparison], runs: &[Run<'_>; 2], counts: &[Counts]) {
    let is_same = |one: &Counts, other: &Counts| {
        (0..2).all(|side| {
            let event = |counts: &Counts| runs[side].study.criteria[counts.numbers[side]].event;
            event(one) == event(other)
        })
    };
    for number in 0..criteria.len() {
        if let Some(first) = (0..number).find(|&first| is_same(&counts[first], &counts[number])) {
            let same = criteria[first].name.clone();
            leave_out(&mut criteria[number].untested, &same, [&mut criteria[number].p_value]);
        }
    }
}

/// Leaves out the p-values of quantities that have the values of an earlier one, in both runs.
pub fn leave_out_same_quantities(quantities: &mut [QuantityComparison], values: &[&Values]) {
    for number in 0..quantities.len() {
        let is_same = |first: &usize| {
            let (one, other) = (values[*first], values[number]);
            one.sums == other.sums && one.differences == other.differences
        };
        if let Some(first) = (0..number).find(is_same) {
            let same = quantities[first].name.clone();
            let QuantityComparison { untested, mean_p_value, distance_p_value, .. } = &mut quantities[number];
            leave_out(untested, &same, [mean_p_value, distance_p_value]);
        }
    }
}

fn leave_out<const N: usize>(untested: &mut Option<String>, same: &str, p_values: [&mut Option<f64>; N]) {
    if untested.is_none() {
        *untested = Some(format!("the same as {same}"));
        p_values.into_iter().for_each(|p_value| *p_value = None);
    }
}

/// Corrects the p-values of each family by Holm's method and says what differs; how many there are of each.
pub fn correct(criteria: &mut [CriterionComparison], quantities: &mut [QuantityComparison]) -> [usize; 2] {
    let of_criteria = corrected(criteria.iter_mut().map(|criterion| &mut criterion.p_value).collect());
    let both = quantities.iter_mut().flat_map(|quantity| {
        let QuantityComparison { mean_p_value, distance_p_value, .. } = quantity;
        [mean_p_value, distance_p_value]
    });
    let of_quantities = corrected(both.collect());
    let is_small = |p_value: Option<f64>| p_value.is_some_and(|p_value| p_value < 1.0 - CONFIDENCE);
    for criterion in criteria {
        criterion.differs = is_small(criterion.p_value);
    }
    for quantity in quantities {
        quantity.differs = is_small(quantity.mean_p_value) || is_small(quantity.distance_p_value);
    }
    [of_criteria, of_quantities]
}

fn corrected(p_values: Vec<&mut Option<f64>>) -> usize {
    let mut known: Vec<&mut f64> = p_values.into_iter().flatten().collect();
    let together = holm(&known.iter().map(|p_value| **p_value).collect::<Vec<_>>());
    known.iter_mut().zip(&together).for_each(|(p_value, corrected)| **p_value = *corrected);
    known.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::statistics::Discordance;

    fn criterion(name: &str, only_second: u64) -> CriterionComparison {
        let p_value = (only_second > 0).then(|| Discordance { only_first: 0, only_second, items: 10_000 }.mcnemar());
        CriterionComparison {
            name: name.to_owned(),
            events: [0, only_second],
            estimates: [0.0; 2],
            difference: (0.0, 0.0, 0.0),
            only_in: Some([0, only_second]),
            p_value,
            untested: None,
            differs: false,
        }
    }

    fn quantity(mean_p_value: f64) -> QuantityComparison {
        QuantityComparison {
            name: String::new(),
            unit: "m",
            counts: [10_000; 2],
            means: [0.0; 2],
            difference: None,
            mean_p_value: Some(mean_p_value),
            quantiles: Vec::new(),
            distance: 0.0,
            distance_p_value: Some(1.0),
            untested: None,
            differs: false,
        }
    }

    /// 2 / 2^9 = 0.0039, among three criteria of which one is the same in both runs, and sixty tests of quantities.
    #[test]
    fn nine_landings_newly_failing_and_none_the_reverse_differ_whatever_quantities_there_are() {
        let mut criteria = [criterion("overrun", 9), criterion("excursion", 1), criterion("gear", 0)];
        let mut quantities: Vec<QuantityComparison> = (0..30).map(|_| quantity(0.5)).collect();
        assert_eq!(correct(&mut criteria, &mut quantities), [2, 60]);
        assert!((criteria[0].p_value.unwrap() - 2.0 * 2.0 / 512.0).abs() < 1e-12, "{:?}", criteria[0].p_value);
        assert!(criteria[0].differs && !criteria[1].differs && !criteria[2].differs);
        assert!(criteria[2].p_value.is_none() && quantities.iter().all(|quantity| !quantity.differs));
    }
}
