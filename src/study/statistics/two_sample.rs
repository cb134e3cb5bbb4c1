//! Do two samples come from one distribution?

use statrs::function::gamma::gamma_ur;

use super::Accumulator;

/// A test statistic, and the probability of one as large or larger if both samples come from one distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoSampleTest {
    /// The statistic.
    pub statistic: f64,
    /// Its p-value.
    pub p_value: f64,
}

impl TwoSampleTest {
    /// The samples are indistinguishable.
    const SAME: Self = Self { statistic: 0.0, p_value: 1.0 };
}

/// Kolmogorov-Smirnov: the largest distance between the two empirical distribution functions. The p-value is the
/// asymptotic one with Stephens' correction for small samples (Press et al., Numerical Recipes, section 14.3), accurate
/// to a few percent from 20 values on; with ties it is conservative.
#[must_use]
pub fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> TwoSampleTest {
    if a.is_empty() || b.is_empty() {
        return TwoSampleTest::SAME;
    }
    let sorted = |sample: &[f64]| {
        let mut sample = sample.to_vec();
        sample.sort_unstable_by(f64::total_cmp);
        sample
    };
    let (a, b) = (sorted(a), sorted(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (mut i, mut j, mut distance) = (0, 0, 0.0_f64);
    while i < a.len() && j < b.len() {
        // All values equal to the next one are passed in both samples before taking the distance.
        let next = a[i].min(b[j]);
        i += a[i..].iter().take_while(|&&value| value <= next).count();
        j += b[j..].iter().take_while(|&&value| value <= next).count();
        distance = distance.max((i as f64 / n - j as f64 / m).abs());
    }
    tested(distance, n, m)
}

/// [`kolmogorov_smirnov`] from exact counts; bucketing can only reduce the distance.
#[must_use]
pub fn kolmogorov_smirnov_of_sums(a: &Accumulator, b: &Accumulator) -> TwoSampleTest {
    if a.count() == 0 || b.count() == 0 {
        return TwoSampleTest::SAME;
    }
    tested(a.largest_distance(b), a.count() as f64, b.count() as f64)
}

/// The test for a distance between two empirical distribution functions with this many values each.
fn tested(distance: f64, n: f64, m: f64) -> TwoSampleTest {
    let root = (n * m / (n + m)).sqrt();
    TwoSampleTest { statistic: distance, p_value: kolmogorov_tail((root + 0.12 + 0.11 / root) * distance) }
}

/// Probability that Kolmogorov's statistic is above x.
fn kolmogorov_tail(x: f64) -> f64 {
    if x < 0.2 {
        // The series below would need many terms to sum to one.
        return 1.0;
    }
    let mut sum = 0.0;
    for k in 1..=100 {
        let k = f64::from(k);
        let term = (-2.0 * k * k * x * x).exp();
        sum += if k % 2.0 == 1.0 { term } else { -term };
        if term < 1e-17 {
            break;
        }
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

/// Pearson's test of homogeneity for counts of the same classes in two samples. Classes empty in both are ignored.
#[must_use]
pub fn homogeneity(a: &[u64], b: &[u64]) -> TwoSampleTest {
    let total = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
    let (n, m) = (total(a), total(b));
    let classes: Vec<(f64, f64)> =
        a.iter().zip(b).map(|(&a, &b)| (a as f64, b as f64)).filter(|(a, b)| a + b > 0.0).collect();
    if n == 0.0 || m == 0.0 || classes.len() < 2 {
        return TwoSampleTest::SAME;
    }
    let statistic = classes
        .iter()
        .map(|&(a, b)| {
            let expected = |size: f64| (a + b) * size / (n + m);
            let part = |count: f64, size: f64| (count - expected(size)).powi(2) / expected(size);
            part(a, n) + part(b, m)
        })
        .sum();
    let degrees = (classes.len() - 1) as f64;
    TwoSampleTest { statistic, p_value: if statistic > 0.0 { gamma_ur(0.5 * degrees, 0.5 * statistic) } else { 1.0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(count: usize, shift: f64) -> Vec<f64> {
        (0..count).map(|index| index as f64 / count as f64 + shift).collect()
    }

    #[test]
    fn the_tail_of_kolmogorovs_distribution_has_its_tabled_values() {
        for (x, p) in [(0.5, 0.963_945_2), (1.0, 0.269_999_7), (1.358_1, 0.050_000_5), (1.627_6, 0.010_000_1)] {
            assert!((kolmogorov_tail(x) - p).abs() < 1e-5, "{x}: {}", kolmogorov_tail(x));
        }
    }

    #[test]
    fn equal_samples_and_shuffled_ties_have_no_distance() {
        let sample = [3.0, 1.0, 1.0, 2.0];
        assert_eq!(kolmogorov_smirnov(&sample, &[1.0, 2.0, 1.0, 3.0]), TwoSampleTest { statistic: 0.0, p_value: 1.0 });
        assert_eq!(kolmogorov_smirnov(&sample, &[]).p_value, 1.0);
    }

    #[test]
    fn a_shift_shows_with_its_size() {
        let test = kolmogorov_smirnov(&ramp(1000, 0.0), &ramp(1000, 0.1));
        assert!((test.statistic - 0.1).abs() < 2e-3, "{}", test.statistic);
        assert!((1e-5..1e-4).contains(&test.p_value), "{}", test.p_value);
    }

    #[test]
    fn exact_counts_have_the_distance_of_their_values() {
        // Multiples of 2^-20 below 2^-7 have buckets of their own.
        let small = |sample: Vec<f64>| sample.into_iter().map(|value| (value * 4096.0).round() / 1_048_576.0).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = (small(ramp(1000, 0.0)), small(ramp(700, 0.07)));
        let sums = |values: &[f64]| {
            let mut sums = Accumulator::new();
            values.iter().for_each(|&value| sums.add(value).unwrap());
            sums
        };
        assert_eq!(kolmogorov_smirnov_of_sums(&sums(&a), &sums(&b)), kolmogorov_smirnov(&a, &b));
        assert_eq!(kolmogorov_smirnov_of_sums(&sums(&a), &Accumulator::new()).p_value, 1.0);
    }

    #[test]
    fn counts_of_classes_are_compared_by_pearson() {
        assert_eq!(homogeneity(&[10, 20, 0], &[10, 20, 0]).p_value, 1.0);
        // 30 of 100 against 50 of 100: chi-square 8.3333 with one degree of freedom.
        let test = homogeneity(&[30, 70], &[50, 50]);
        assert!((test.statistic - 25.0 / 3.0).abs() < 1e-12);
        assert!((test.p_value - 0.003_892).abs() < 1e-6, "{}", test.p_value);
    }
}
