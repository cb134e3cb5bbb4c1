//! From pairs of runs to results.

use super::families::{self, IDENTICAL};
use super::pairs::{Counts, Pairs, Run, Values};
use super::result::{
    CONFIDENCE, Comparison, CriterionComparison, QuantileDifference, QuantityComparison, TrialsOfBoth,
};
use crate::study::statistics::{
    Accumulator, difference_of_intervals, kolmogorov_smirnov_of_sums, student_quantile, student_tail,
};

/// Quantiles that are compared.
const COMPARED: [f64; 3] = [0.05, 0.5, 0.95];

impl Comparison {
    pub(super) fn of(runs: &[Run<'_>; 2], pairs: &Pairs) -> Self {
        let mut criteria: Vec<CriterionComparison> =
            pairs.criteria.iter().map(|counts| criterion(&runs[0], counts, pairs.is_paired)).collect();
        let known: Vec<&Values> =
            pairs.quantities.iter().filter(|values| values.sums.iter().all(|sums| sums.count() > 0)).collect();
        let mut quantities: Vec<QuantityComparison> =
            known.iter().map(|values| quantity(&runs[0], values, pairs.is_paired)).collect();
        let tests = families::correct(runs, (&mut criteria, &pairs.criteria), (&mut quantities, &known));
        let common = runs[0].trials.min(runs[1].trials);
        Self {
            differences: all_differences(runs),
            is_paired: pairs.is_paired,
            trials: TrialsOfBoth {
                nouns: runs[0].study.nouns(),
                counts: if pairs.is_paired { [common; 2] } else { [runs[0].trials, runs[1].trials] },
            },
            tests,
            criteria,
            quantities,
        }
    }
}

fn all_differences(runs: &[Run<'_>; 2]) -> Vec<String> {
    let mut lines = runs[0].study.differences(runs[1].study);
    let said = |run: &Run<'_>| {
        let identity = &run.identity;
        format!("engine {} on {}, version {}", identity.engine, identity.adapter, identity.version)
    };
    let [first, second] = [said(&runs[0]), said(&runs[1])];
    if first != second {
        lines.push(format!("computed by: {first} -> {second}"));
    }
    for (run, which) in runs.iter().zip(["first", "second"]) {
        if run.trials < run.study.trials {
            lines.push(format!(
                "of the {which} run {} of {} {} are there",
                run.trials,
                run.study.trials,
                run.study.nouns().many
            ));
        }
    }
    lines
}

fn criterion(first: &Run<'_>, counts: &Counts, is_paired: bool) -> CriterionComparison {
    let [before, now] = counts.shares;
    let estimates = [before.estimate(), now.estimate()];
    let (lower, upper) =
        if is_paired { counts.discordance.difference(CONFIDENCE) } else { before.difference_to(now, CONFIDENCE) };
    let discordant = counts.discordance.only_first + counts.discordance.only_second;
    let all = |events: u64, items: u64| events == 0 || events == items;
    let is_same = if is_paired { discordant == 0 } else { all(before.events + now.events, before.items + now.items) };
    CriterionComparison {
        name: first.study.criteria[counts.numbers[0]].name.clone(),
        events: [before.events, now.events],
        estimates,
        difference: (estimates[1] - estimates[0], lower, upper),
        only_in: is_paired.then_some([counts.discordance.only_first, counts.discordance.only_second]),
        p_value: (!is_same).then(|| if is_paired { counts.discordance.mcnemar() } else { before.fisher(now) }),
        untested: is_same.then(|| IDENTICAL.to_owned()),
        differs: false,
    }
}

fn quantity(first: &Run<'_>, values: &Values, is_paired: bool) -> QuantityComparison {
    let quantity = &first.study.quantities()[values.numbers[0]];
    let sums = &values.sums;
    let mean = |side: usize| sums[side].mean().unwrap_or_default();
    let test = if is_paired { paired_means(&values.differences) } else { welch(sums) };
    let distance = kolmogorov_smirnov_of_sums(&sums[0], &sums[1]);
    let is_same = values.is_same(is_paired);
    QuantityComparison {
        name: quantity.name.clone(),
        unit: quantity.unit.symbol(),
        counts: [sums[0].count(), sums[1].count()],
        means: [mean(0), mean(1)],
        difference: test.map(|(difference, ..)| difference),
        mean_p_value: test.map(|(_, p_value)| p_value).filter(|_| !is_same),
        quantiles: COMPARED.iter().filter_map(|&probability| quantile(sums, probability)).collect(),
        distance: distance.statistic,
        distance_p_value: (!is_same).then_some(distance.p_value),
        untested: is_same.then(|| IDENTICAL.to_owned()),
        differs: false,
    }
}

fn quantile(sums: &[Accumulator; 2], probability: f64) -> Option<QuantileDifference> {
    let values = [sums[0].quantile(probability)?, sums[1].quantile(probability)?];
    let interval = |side: usize| {
        let (lower, upper) = sums[side].quantile_bounds(probability, CONFIDENCE);
        Some((values[side], lower?, upper?))
    };
    let difference = interval(0).zip(interval(1)).map(|(before, now)| {
        let (lower, upper) = difference_of_intervals(before, now);
        (values[1] - values[0], lower, upper)
    });
    Some(QuantileDifference { probability, values, difference })
}

/// A difference of means with its interval, and the p-value of none.
type MeanTest = ((f64, f64, f64), f64);

/// B. L. Welch, Biometrika 34 (1947) 28.
fn welch(sums: &[Accumulator; 2]) -> Option<MeanTest> {
    let part =
        |sums: &Accumulator| Some((sums.standard_deviation()?.powi(2) / sums.count() as f64, sums.count() as f64));
    let ((a, n), (b, m)) = (part(&sums[0])?, part(&sums[1])?);
    let degrees = (a + b).powi(2) / (a * a / (n - 1.0) + b * b / (m - 1.0));
    mean_test(sums[1].mean()? - sums[0].mean()?, (a + b).sqrt(), degrees)
}

fn paired_means(differences: &Accumulator) -> Option<MeanTest> {
    let count = differences.count() as f64;
    mean_test(differences.mean()?, differences.standard_deviation()? / count.sqrt(), count - 1.0)
}

fn mean_test(difference: f64, error: f64, degrees: f64) -> Option<MeanTest> {
    if error == 0.0 {
        // All values, or all differences, are equal: no randomness.
        return Some(((difference, difference, difference), if difference == 0.0 { 1.0 } else { 0.0 }));
    }
    let p_value = 2.0 * student_tail((difference / error).abs(), degrees)?;
    let half = student_quantile(0.5 * (1.0 + CONFIDENCE), degrees) * error;
    Some(((difference, difference - half, difference + half), p_value.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(values: &[f64]) -> Accumulator {
        let mut sums = Accumulator::new();
        values.iter().for_each(|&value| sums.add(value).unwrap());
        sums
    }

    /// t = 2.5 / sqrt(5 / 12 + 5 / 3) = 1.7321 with 2.0833^2 / ((5 / 12)^2 / 3 + (5 / 3)^2 / 3) = 4.4118 degrees: p 0.1508 by
    /// numerical integration of Student's density (t with 4 degrees has 0.1583, with 5 0.1438).
    #[test]
    fn means_are_compared_by_students_distribution() {
        let ((difference, lower, upper), p) =
            welch(&[sums(&[1.0, 2.0, 3.0, 4.0]), sums(&[2.0, 4.0, 6.0, 8.0])]).unwrap();
        assert_eq!(difference, 2.5);
        assert!((0.1438..0.1583).contains(&p), "{p}");
        assert!((lower + upper - 5.0).abs() < 1e-12 && lower < 0.0);
        // Differences 1, 2, 3: t = 2 sqrt(3) = 3.4641 with two degrees; p = 1 - t / sqrt(2 + t^2) = 0.0742.
        let (_, p) = paired_means(&sums(&[1.0, 2.0, 3.0])).unwrap();
        let t = 12f64.sqrt();
        assert!((p - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-9, "{p}");
        assert_eq!(paired_means(&sums(&[0.0, 0.0])).unwrap().1, 1.0);
        assert_eq!(paired_means(&sums(&[1.0, 1.0])).unwrap(), ((1.0, 1.0, 1.0), 0.0));
        assert_eq!(paired_means(&sums(&[1.0])), None);
    }

    /// A sample far too large for a numerical search of the quantile: 1.96 standard errors of 1 / sqrt(10^6).
    #[test]
    fn means_of_very_many_trials_have_their_interval() {
        let values: Vec<f64> = (0..1_000_000).map(|number| f64::from(number % 2) * 2.0 - 1.0).collect();
        let ((_, lower, upper), p) = paired_means(&sums(&values)).unwrap();
        assert!(
            (upper - 1.959_966e-3).abs() < 1e-8 && (lower + upper).abs() < 1e-15 && p == 1.0,
            "{lower} {upper} {p}"
        );
        assert_eq!(mean_test(1.0, f64::NAN, 5.0), None);
        assert_eq!(mean_test(1.0, f64::INFINITY, f64::NAN), None);
    }
}
