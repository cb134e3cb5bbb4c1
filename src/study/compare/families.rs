//! Which p-values are computed, and which are corrected together.
//!
//! What cannot differ is not tested: every additional test weakens all others. Criteria are a family of their own,
//! being few and the actual question; quantities are another.

use super::pairs::{Counts, Run, Values};
use super::result::{CONFIDENCE, CriterionComparison, QuantityComparison};
use crate::study::statistics::holm;

/// Reported for what is the same in both runs for certain.
pub const IDENTICAL: &str = "identical in both runs";

/// Tests each family with Holm's correction and sets what differs; returns the number of tests in each family. Of
/// several identical items one is tested, and the others share its result.
pub fn correct(
    runs: &[Run<'_>; 2],
    (criteria, counts): (&mut [CriterionComparison], &[Counts]),
    (quantities, values): (&mut [QuantityComparison], &[&Values]),
) -> [usize; 2] {
    let same_criteria = same(counts, |one, other| {
        (0..2).all(|side| {
            let event = |counts: &Counts| &runs[side].study.criteria[counts.numbers[side]].event;
            event(one) == event(other)
        })
    });
    let same_quantities = same(values, |one, other| one.sums == other.sums && one.differences == other.differences);
    corrected_families((criteria, &same_criteria), (quantities, &same_quantities))
}

/// Pairs each position of a list with the first equal item before it, if there is one.
fn same<T>(list: &[T], is_same: impl Fn(&T, &T) -> bool) -> Vec<(usize, usize)> {
    let first =
        |place: usize| (0..place).find(|&first| is_same(&list[first], &list[place])).map(|first| (place, first));
    (0..list.len()).filter_map(first).collect()
}

fn corrected_families(
    (criteria, same_criteria): (&mut [CriterionComparison], &[(usize, usize)]),
    (quantities, same_quantities): (&mut [QuantityComparison], &[(usize, usize)]),
) -> [usize; 2] {
    for &(place, _) in same_criteria {
        criteria[place].p_value = None;
    }
    for &(place, _) in same_quantities {
        (quantities[place].mean_p_value, quantities[place].distance_p_value) = (None, None);
    }
    let of_criteria = corrected(criteria.iter_mut().map(|criterion| &mut criterion.p_value).collect());
    let both = quantities.iter_mut().flat_map(|quantity| {
        let QuantityComparison { mean_p_value, distance_p_value, .. } = quantity;
        [mean_p_value, distance_p_value]
    });
    let of_quantities = corrected(both.collect());
    let words = |name: &str| Some(format!("the same as {name}"));
    for &(place, first) in same_criteria {
        criteria[place].p_value = criteria[first].p_value;
        criteria[place].untested = criteria[first].untested.clone().or_else(|| words(&criteria[first].name));
    }
    for &(place, first) in same_quantities {
        quantities[place].mean_p_value = quantities[first].mean_p_value;
        quantities[place].distance_p_value = quantities[first].distance_p_value;
        quantities[place].untested = quantities[first].untested.clone().or_else(|| words(&quantities[first].name));
    }
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

    /// 2 / 2^9 = 0.0039, among three criteria of which one is the same in both runs and one the same as the first, and sixty
    /// tests of quantities.
    #[test]
    fn nine_trials_newly_failing_and_none_the_reverse_differ_whatever_quantities_there_are() {
        let mut criteria =
            [criterion("overrun", 9), criterion("excursion", 1), criterion("gear", 0), criterion("overrun again", 9)];
        let mut quantities: Vec<QuantityComparison> = (0..30).map(|_| quantity(0.5)).collect();
        let tests = corrected_families((&mut criteria, &[(3, 0)]), (&mut quantities, &[]));
        assert_eq!(tests, [2, 60]);
        for place in [0, 3] {
            let p_value = criteria[place].p_value.unwrap();
            assert!((p_value - 2.0 * 2.0 / 512.0).abs() < 1e-12 && criteria[place].differs, "{p_value}");
        }
        assert_eq!(criteria[3].untested.as_deref(), Some("the same as overrun"));
        assert!(!criteria[1].differs && !criteria[2].differs && criteria[2].p_value.is_none());
        assert!(quantities.iter().all(|quantity| !quantity.differs));
    }

    #[test]
    fn each_is_beside_the_first_that_is_the_same() {
        assert_eq!(same(&[1, 2, 1, 2, 1, 3], |one, other| one == other), [(2, 0), (3, 1), (4, 0)]);
    }
}
