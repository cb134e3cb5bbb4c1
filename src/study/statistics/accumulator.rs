//! Order-independent statistics of one outcome.

use std::collections::BTreeMap;

use super::binomial::{at_least, at_most};
use super::bucket;
use super::histogram::Histogram;
use super::wide::Wide;
use crate::normal;
use crate::study::packed::{Packer, Unpacker};

/// The probabilities of the quantiles that a summary reports.
pub const QUANTILES: [f64; 9] = [0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999];

/// Values are rounded to multiples of 1 / `GRID`.
const GRID: f64 = (1_u64 << 20) as f64;

/// Largest magnitude of a value.
const LIMIT: f64 = (1_u64 << 40) as f64;

/// Why a value was not added.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the value {value:?} cannot be counted; it must be finite and at most {LIMIT} (2^40) in magnitude")]
pub struct OutcomeError {
    /// The value refused.
    pub value: f64,
}

/// Count, extremes, mean, standard deviation and quantiles of one outcome.
///
/// Each value is rounded once to a multiple of 2^-20 (about 1e-6, in the unit of the outcome; ties to even). From there
/// on everything is exact integer arithmetic, so two accumulators are equal whenever they have received the same
/// values, in any order, split and merged in any way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accumulator {
    count: u64,
    /// Smallest and largest value, in grid units; None without values.
    extremes: Option<(i64, i64)>,
    /// In grid units: at most 2^64 values of 2^60.
    sum: i128,
    /// In squared grid units: at most 2^64 values of 2^120.
    sum_of_squares: Wide,
    /// Counts of the non-empty buckets.
    histogram: Histogram,
}

impl Accumulator {
    /// An accumulator without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    ///
    /// # Errors
    /// The value is not finite or its magnitude is above 2^40; nothing is added then.
    pub fn add(&mut self, value: f64) -> Result<(), OutcomeError> {
        // NaN is in no range.
        if !(-LIMIT..=LIMIT).contains(&value) {
            return Err(OutcomeError { value });
        }
        let number = (value * GRID).round_ties_even() as i64;
        let magnitude = u128::from(number.unsigned_abs());
        self.count += 1;
        self.extremes = merged_extremes(self.extremes, Some((number, number)));
        self.sum += i128::from(number);
        self.sum_of_squares = self.sum_of_squares.plus(Wide::product(magnitude, magnitude));
        self.histogram.add(bucket::key(number), 1);
        Ok(())
    }

    /// Adds all values of another accumulator. Exact, commutative and associative.
    pub fn merge(&mut self, other: &Self) {
        let Self { count, extremes, sum, sum_of_squares, histogram } = other;
        self.count += count;
        self.extremes = merged_extremes(self.extremes, *extremes);
        self.sum += sum;
        self.sum_of_squares = self.sum_of_squares.plus(*sum_of_squares);
        self.histogram.merge(histogram);
    }

    /// Serializes the accumulator: few characters per bucket, since neighbouring keys are close.
    pub(crate) fn pack(&self, packer: &mut Packer) {
        let Self { count, extremes, sum, sum_of_squares, histogram } = self;
        packer.number(u128::from(*count));
        let Some((minimum, maximum)) = *extremes else { return };
        let (high, low) = sum_of_squares.halves();
        for number in [i128::from(minimum), i128::from(maximum), *sum] {
            packer.signed(number);
        }
        for number in [high, low, histogram.len() as u128] {
            packer.number(number);
        }
        let mut last = None;
        for (key, count) in histogram.iter() {
            match last {
                None => packer.signed(i128::from(key)),
                // Keys increase by at least 1.
                Some(last) => packer.number((i64::from(key) - i64::from(last) - 1) as u128),
            }
            packer.number(u128::from(count - 1));
            last = Some(key);
        }
    }

    /// Inverse of [`pack`](Self::pack); `None` for an impossible accumulator.
    pub(crate) fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let count = unpacker.count()?;
        if count == 0 {
            return Some(Self::default());
        }
        let largest = (LIMIT * GRID) as i64;
        let mut extreme =
            || i64::try_from(unpacker.signed()?).ok().filter(|value| value.unsigned_abs() <= largest.unsigned_abs());
        let (minimum, maximum) = (extreme()?, extreme()?);
        let sum = unpacker.signed()?;
        let sum_of_squares = Wide::from_halves(unpacker.number()?, unpacker.number()?);
        let buckets = unpacker.number()?;
        let mut histogram = Histogram::default();
        let mut last: Option<i32> = None;
        let mut counted = 0_u64;
        for _ in 0..buckets {
            let key = match last {
                None => i32::try_from(unpacker.signed()?).ok()?,
                Some(last) => last.checked_add(i32::try_from(unpacker.number()?).ok()?)?.checked_add(1)?,
            };
            if key.unsigned_abs() > bucket::key(largest).unsigned_abs() {
                return None;
            }
            let in_bucket = unpacker.count()?.checked_add(1)?;
            counted = counted.checked_add(in_bucket)?;
            histogram.add(key, in_bucket);
            last = Some(key);
        }
        let is_possible = counted == count
            && minimum <= maximum
            && sum.unsigned_abs() <= u128::from(count) * u128::from(largest.unsigned_abs());
        is_possible.then_some(Self { count, extremes: Some((minimum, maximum)), sum, sum_of_squares, histogram })
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Smallest value; None without values.
    pub fn minimum(&self) -> Option<f64> {
        self.extremes.map(|(minimum, _)| minimum as f64 / GRID)
    }

    /// Largest value; None without values.
    pub fn maximum(&self) -> Option<f64> {
        self.extremes.map(|(_, maximum)| maximum as f64 / GRID)
    }

    /// Arithmetic mean; None without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / GRID)
    }

    /// Sample standard deviation, with n - 1 in the denominator; None with fewer than two values.
    ///
    /// n (sum of squares) - (sum)^2 is an exact integer, so there is no cancellation, however large the mean.
    pub fn standard_deviation(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let sum = self.sum.unsigned_abs();
        let scatter = self.sum_of_squares.times(self.count).minus(Wide::product(sum, sum));
        let pairs = u128::from(self.count) * u128::from(self.count - 1);
        Some((scatter.to_f64() / pairs as f64).sqrt() / GRID)
    }

    /// The values in ascending order, each as the middle of its bucket, clamped to the extremes as in
    /// [`quantile`](Self::quantile), with the number of values in the bucket.
    pub fn buckets(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> {
        self.histogram.iter().map(|(key, count)| (self.middle(key), count))
    }

    /// A value as rounded by [`buckets`](Self::buckets).
    #[must_use]
    pub fn bucketed(&self, value: f64) -> f64 {
        self.middle(bucket::key((value * GRID).round_ties_even() as i64))
    }

    /// The middle of a bucket, clamped to the extremes.
    fn middle(&self, key: i32) -> f64 {
        let (minimum, maximum) = self.extremes.unwrap_or_default();
        bucket::middle(key).clamp(minimum as f64, maximum as f64) / GRID
    }

    /// The value not exceeded by a fraction `probability` of the values, by nearest rank; None without values or for a
    /// probability outside [0, 1].
    ///
    /// The result is the middle of the bucket of the value with that rank, clamped to the extremes: its error is at
    /// most 2^-13 (0.012 %) of the value, and zero on the grid below 2^-7.
    pub fn quantile(&self, probability: f64) -> Option<f64> {
        if self.count == 0 || !(0.0..=1.0).contains(&probability) {
            return None;
        }
        self.of_rank(nearest_rank(probability, self.count))
    }

    /// Two-sided confidence bounds on a quantile of the underlying distribution: order statistics, whose ranks follow
    /// from the binomial distribution alone (David and Nagaraja, "Order Statistics", section 7.1). The coverage is at
    /// least as stated for every distribution, also with ties, which no bootstrap achieves, and only counts are needed.
    /// None if even the extreme value is not a valid bound.
    ///
    /// Each end is the outer one of its bucket, at most 2^-12 (0.024 %) of the value beyond the order statistic.
    pub fn quantile_bounds(&self, probability: f64, confidence: f64) -> (Option<f64>, Option<f64>) {
        if self.count == 0 || !(probability > 0.0 && probability < 1.0 && confidence > 0.0 && confidence < 1.0) {
            return (None, None);
        }
        let (lower, upper) = quantile_ranks(self.count, probability, 0.5 * (1.0 - confidence));
        let ends = |rank: Option<u64>| rank.and_then(|rank| self.reach_of_rank(rank));
        (ends(lower).map(|(low, _)| low), ends(upper).map(|(_, high)| high))
    }

    /// The value with a given rank, counted from 1.
    fn of_rank(&self, rank: u64) -> Option<f64> {
        let mut seen = 0;
        let (value, _) = self.buckets().find(|(_, count)| {
            seen += count;
            seen >= rank
        })?;
        Some(value)
    }

    /// The smallest and the largest possible value with a given rank, counted from 1.
    pub(super) fn reach_of_rank(&self, rank: u64) -> Option<(f64, f64)> {
        let mut seen = 0;
        let (key, _) = self.histogram.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        })?;
        let (low, high) = bucket::ends(key);
        Some(((low / GRID).max(self.minimum()?), (high / GRID).min(self.maximum()?)))
    }

    /// The largest distance between two empirical distribution functions, at bucket edges: never more than the exact
    /// one.
    pub(super) fn largest_distance(&self, other: &Self) -> f64 {
        let share = |seen: u64, of: u64| seen as f64 / of.max(1) as f64;
        let mut counts: BTreeMap<i32, (u64, u64)> = BTreeMap::new();
        self.histogram.iter().for_each(|(key, count)| counts.entry(key).or_default().0 += count);
        other.histogram.iter().for_each(|(key, count)| counts.entry(key).or_default().1 += count);
        let mut seen = (0, 0);
        let mut distance = 0.0_f64;
        for (here, there) in counts.into_values() {
            seen = (seen.0 + here, seen.1 + there);
            distance = distance.max((share(seen.0, self.count) - share(seen.1, other.count)).abs());
        }
        distance
    }
}

/// The ranks of the order statistics that bound a quantile, each with one-sided error probability `doubt`: the largest
/// l such that fewer than l of `count` values lie below the quantile with probability at most `doubt`, and the smallest
/// u such that u or more do.
fn quantile_ranks(count: u64, probability: f64, doubt: f64) -> (Option<u64>, Option<u64>) {
    let (n, odds) = (count as f64, probability / (1.0 - probability));
    let middle = n * probability;
    let width = -normal::quantile(doubt) * (middle * (1.0 - probability)).sqrt();
    let limit = doubt.ln();
    let too_low = |rank: u64| at_most((rank - 1) as f64, n, odds).logarithm <= limit;
    let too_high = |rank: u64| at_least(rank as f64, n, odds).logarithm <= limit;
    let guess = |rank: f64| (rank.round() as u64).clamp(1, count);
    let lower = last(count, guess(middle - width), too_low);
    let below = last(count, guess(middle + width), |rank| !too_high(rank));
    let upper = below.map_or(1, |below| below + 1);
    (lower, (upper <= count).then_some(upper))
}

/// The last of the numbers 1 to `count` that satisfies a monotone predicate, true first, starting from a guess.
fn last(count: u64, guess: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let holds = |number: u64| number == 0 || number <= count && holds(number);
    let (mut low, mut high, mut step) = (guess, guess, 1);
    while !holds(low) {
        (high, low, step) = (low, low.saturating_sub(step), 2 * step);
    }
    step = 1;
    while high == low || holds(high) {
        (low, high, step) = (high.max(low), high + step, 2 * step);
    }
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low > 0).then_some(low)
}

/// The smallest integer, at least 1, that is not below probability times count.
fn nearest_rank(probability: f64, count: u64) -> u64 {
    // A decimal probability rounded up in f64 (0.07) must not push an integer product (7 of 100) to the next rank.
    let product = probability * count as f64 * (1.0 - f64::EPSILON);
    (product.ceil() as u64).clamp(1, count)
}

fn merged_extremes(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (extremes, None) | (None, extremes) => extremes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accumulated(values: &[f64]) -> Accumulator {
        let mut accumulator = Accumulator::new();
        for value in values {
            accumulator.add(*value).unwrap();
        }
        accumulator
    }

    /// Values of all sizes and both signs.
    fn any_value() -> impl Strategy<Value = f64> {
        (-1.0..=1.0f64, -20..=40).prop_map(|(fraction, exponent)| fraction * 2f64.powi(exponent))
    }

    fn rounded(value: f64) -> i64 {
        (value * GRID).round_ties_even() as i64
    }

    #[test]
    fn empty_accumulator_has_no_statistics() {
        let empty = Accumulator::new();
        assert_eq!(empty.count(), 0);
        for statistic in
            [empty.minimum(), empty.maximum(), empty.mean(), empty.standard_deviation(), empty.quantile(0.5)]
        {
            assert_eq!(statistic, None);
        }
    }

    #[test]
    fn a_packed_extreme_without_an_absolute_value_is_refused() {
        let mut packer = Packer::default();
        packer.number(1);
        [i128::from(i64::MIN), 0, 0].into_iter().for_each(|number| packer.signed(number));
        // Squares, then one bucket with one value.
        [0, 0, 1].into_iter().for_each(|number| packer.number(number));
        packer.signed(0);
        packer.number(0);
        let text = packer.text();
        assert_eq!(Accumulator::unpack(&mut Unpacker::new(&text)), None);
    }

    #[test]
    fn one_value_is_its_own_statistics() {
        let one = accumulated(&[-2.5]);
        for statistic in [one.minimum(), one.maximum(), one.mean(), one.quantile(0.0), one.quantile(1.0)] {
            assert_eq!(statistic, Some(-2.5));
        }
        assert_eq!(one.standard_deviation(), None);
    }

    #[test]
    fn values_outside_the_range_are_refused_and_leave_no_trace() {
        let mut accumulator = accumulated(&[1.0, LIMIT, -LIMIT]);
        let before = accumulator.clone();
        for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, LIMIT * (1.0 + f64::EPSILON)] {
            let error = accumulator.add(value).unwrap_err();
            assert!(error.to_string().contains(&format!("the value {value} cannot")), "{error}");
        }
        assert_eq!(accumulator, before);
    }

    #[test]
    fn both_zeros_are_the_same_value() {
        assert_eq!(accumulated(&[0.0]), accumulated(&[-0.0]));
        assert_eq!(accumulated(&[-0.0]).minimum().map(f64::to_bits), Some(0));
    }

    #[test]
    fn large_mean_does_not_spoil_the_standard_deviation() {
        // Around 10^12 the squares need 80 bits more than f64 has; the deviation of {c - 1, c, c +
        // 1} is 1.
        let centre = 1e12;
        let sums = accumulated(&[centre - 1.0, centre, centre + 1.0]);
        assert_eq!(sums.standard_deviation(), Some(1.0));
        assert_eq!(sums.mean(), Some(centre));
    }

    #[test]
    fn squares_of_many_extreme_values_do_not_overflow() {
        // 2^40 values of 2^40 by doubling: their squares need 2^160.
        let mut sums = accumulated(&[LIMIT, -LIMIT]);
        for _ in 0..40 {
            let same = sums.clone();
            sums.merge(&same);
        }
        let n = sums.count() as f64;
        let expected = LIMIT * (n / (n - 1.0)).sqrt();
        assert!((sums.standard_deviation().unwrap() / expected - 1.0).abs() < 4.0 * f64::EPSILON);
        assert_eq!(sums.mean(), Some(0.0));
    }

    #[test]
    fn quantiles_take_the_nearest_rank() {
        // 1/1024 .. 1000/1024 lie on the grid, and below 2^-7 in exact buckets.
        let values: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 1_048_576.0).collect();
        let sums = accumulated(&values);
        for (probability, rank) in QUANTILES.into_iter().zip([1, 10, 50, 250, 500, 750, 950, 990, 999]) {
            assert_eq!(sums.quantile(probability), Some(f64::from(rank) / 1_048_576.0), "{probability}");
        }
        assert_eq!(nearest_rank(0.07, 100), 7);
        assert_eq!(nearest_rank(0.0701, 100), 8);
        assert_eq!(nearest_rank(0.0, 100), 1);
        assert_eq!(nearest_rank(1.0, 100), 100);
        assert_eq!([sums.quantile(-0.1), sums.quantile(1.1), sums.quantile(f64::NAN)], [None; 3]);
    }

    /// 100 values: the exact ranks of the median at 95 % are 40 and 61 (David and Nagaraja, table 7.1 by the binomial
    /// distribution: P(X < 40) = 0.0176, P(X <= 40) = 0.0284), and 1 % has no lower bound.
    #[test]
    fn quantile_bounds_have_the_ranks_of_the_binomial_distribution() {
        assert_eq!(quantile_ranks(100, 0.5, 0.025), (Some(40), Some(61)));
        // 0.99^100 = 0.366 is too large an error; P(X >= 4) = 0.0184, P(X >= 3) = 0.0794.
        assert_eq!(quantile_ranks(100, 0.01, 0.025), (None, Some(4)));
        assert_eq!(quantile_ranks(100, 0.99, 0.025), (Some(97), None));
        assert_eq!(quantile_ranks(1, 0.5, 0.025), (None, None));
        // 0.9^29 = 0.0471, 0.9^28 = 0.0523: from 29 values on the largest bounds the 90 % quantile at 95 %.
        assert_eq!(quantile_ranks(28, 0.9, 0.05).1, None);
        assert_eq!(quantile_ranks(29, 0.9, 0.05).1, Some(29));
        assert_eq!(Accumulator::new().quantile_bounds(0.5, 0.95), (None, None));
    }

    /// Whatever the distribution, here a discrete one: at least the confidence, to three standard errors of 2000.
    #[test]
    fn quantile_bounds_cover_the_quantile_of_the_distribution() {
        for (steps, probability, quantile) in [(f64::INFINITY, 0.95, 0.95), (10.0, 0.5, 0.4), (10.0, 0.01, 0.0)] {
            let mut covered = 0;
            for repetition in 0..2000 {
                let draw = |item| crate::random::uniform(repetition, item, 0);
                let value = |item| if steps.is_finite() { (draw(item) * steps).floor() / steps } else { draw(item) };
                let sums = accumulated(&(0..200).map(value).collect::<Vec<f64>>());
                let (lower, upper) = sums.quantile_bounds(probability, 0.95);
                covered += u32::from(
                    lower.is_none_or(|lower| lower <= quantile) && upper.is_none_or(|upper| upper >= quantile),
                );
            }
            assert!(f64::from(covered) / 2000.0 > 0.95 - 3.0 * (0.95 * 0.05 / 2000.0_f64).sqrt(), "{steps}: {covered}");
        }
    }

    proptest! {
        /// The definition, rank by rank.
        #[test]
        fn quantile_ranks_are_the_tightest(count in 1..400_u64, probability in 0.001..0.999f64) {
            const DOUBT: f64 = 0.025;
            let (lower, upper) = quantile_ranks(count, probability, DOUBT);
            let (n, odds) = (count as f64, probability / (1.0 - probability));
            let below = |rank: u64| at_most((rank - 1) as f64, n, odds).logarithm.exp();
            let above = |rank: u64| at_least(rank as f64, n, odds).logarithm.exp();
            let lowest = (1..=count).filter(|&rank| below(rank) <= DOUBT).max();
            let highest = (1..=count).filter(|&rank| above(rank) <= DOUBT).min();
            prop_assert_eq!((lower, upper), (lowest, highest));
        }

        #[test]
        fn any_order_and_any_split_give_the_same_state(
            (values, shuffled) in proptest::collection::vec(any_value(), 0..60)
                .prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle())),
            cuts in proptest::collection::vec(0..60_usize, 3),
        ) {
            let whole = accumulated(&values);
            prop_assert_eq!(&accumulated(&shuffled), &whole);

            let mut cuts = cuts;
            cuts.iter_mut().for_each(|cut| *cut = shuffled.len().min(*cut));
            cuts.sort_unstable();
            let parts = [0, cuts[0], cuts[1], cuts[2], shuffled.len()];
            let parts: Vec<Accumulator> = parts
                .windows(2)
                .map(|ends| accumulated(&shuffled[ends[0]..ends[1]]))
                .collect();
            let (mut left, mut right) = (Accumulator::new(), Accumulator::new());
            parts.iter().for_each(|part| left.merge(part));
            parts.iter().rev().for_each(|part| right.merge(part));
            prop_assert_eq!(&left, &whole);
            prop_assert_eq!(&right, &whole);
        }

        #[test]
        fn what_is_written_down_is_read_back(values in proptest::collection::vec(any_value(), 0..60)) {
            let sums = accumulated(&values);
            let mut packer = Packer::default();
            sums.pack(&mut packer);
            let text = packer.text();
            let mut unpacker = Unpacker::new(&text);
            prop_assert_eq!(Accumulator::unpack(&mut unpacker), Some(sums));
            prop_assert!(unpacker.is_done());
        }

        /// With values small enough for i128, mean and variance are ratios of i128 numbers.
        #[test]
        fn mean_and_deviation_are_the_exact_ones(
            values in proptest::collection::vec(-1e6..1e6f64, 2..200),
        ) {
            let sums = accumulated(&values);
            let numbers: Vec<i128> =
                values.iter().map(|value| i128::from(rounded(*value))).collect();
            let n = numbers.len() as i128;
            let sum: i128 = numbers.iter().sum();
            // n^2 times the variance, from the exact deviations n x - sum rather than from squares.
            let scatter: i128 = numbers.iter().map(|x| (n * x - sum).pow(2)).sum();
            let mean = sum as f64 / n as f64 / GRID;
            let deviation = (scatter as f64 / (n * n * (n - 1)) as f64).sqrt() / GRID;
            prop_assert_eq!(sums.mean(), Some(mean));
            let error = (sums.standard_deviation().unwrap() - deviation).abs();
            prop_assert!(error <= 4.0 * f64::EPSILON * deviation, "{}", error);
            // And the rounding to the grid itself: half a grid step each.
            let plain_mean = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!((mean - plain_mean).abs() <= 0.5 / GRID + 1e-9);
        }

        #[test]
        fn quantiles_are_within_the_stated_resolution(
            values in proptest::collection::vec(any_value(), 1..300),
            probability in 0.0..=1.0f64,
        ) {
            let sums = accumulated(&values);
            let mut numbers: Vec<i64> = values.iter().map(|value| rounded(*value)).collect();
            numbers.sort_unstable();
            for probability in QUANTILES.into_iter().chain([probability]) {
                let rank = nearest_rank(probability, sums.count());
                let exact = numbers[rank as usize - 1] as f64 / GRID;
                let found = sums.quantile(probability).unwrap();
                prop_assert!((found - exact).abs() <= exact.abs() / 8192.0, "{} {}", found, exact);
                if exact.abs() < 1.0 / 128.0 {
                    prop_assert_eq!(found, exact);
                }
            }
            prop_assert_eq!(sums.minimum(), Some(numbers[0] as f64 / GRID));
            prop_assert_eq!(sums.maximum(), Some(numbers[numbers.len() - 1] as f64 / GRID));
        }
    }
}
