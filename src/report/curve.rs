//! Exceedance curves and histograms of a quantity, from the exact counts of its accumulator.

use super::plot::round_step;
use crate::study::statistics::{Accumulator, clopper_pearson_lower, clopper_pearson_upper};

/// A point is left out when it is nearer to the last one than this share of the range, and ...
const NEAR: f64 = 1.0 / 320.0;
/// ... the count has grown by less than this share.
const SMALL_GROWTH: f64 = 0.04;
/// Bars of a histogram: between half as many and this many.
const BARS: f64 = 48.0;
/// A range this many times that between the 0.1 % and the 99.9 % quantile leaves out its ends.
const LONG_TAIL: f64 = 3.0;

/// Tail of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Values above.
    Above,
    /// Values below.
    Below,
}

/// How often values lie beyond a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The place, in the quantity's unit.
    pub value: f64,
    /// Fraction of the trials.
    pub estimate: f64,
    /// One-sided lower bound on the probability.
    pub lower: f64,
    /// One-sided upper bound on the probability.
    pub upper: f64,
}

/// Counts besides the values: frequencies refer to `trials`, and `always` of these are events whatever the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Number of trials.
    pub trials: u64,
    /// Trials that count as beyond every limit.
    pub always: u64,
    /// Confidence of the bounds.
    pub confidence: f64,
}

impl Counted {
    fn point(self, value: f64, beyond: u64) -> CurvePoint {
        let Self { trials, always, confidence } = self;
        let events = beyond + always;
        CurvePoint {
            value,
            estimate: events as f64 / trials as f64,
            lower: clopper_pearson_lower(events, trials, confidence),
            upper: clopper_pearson_upper(events, trials, confidence),
        }
    }
}

/// The share of the trials beyond each value, as steps: each point's share holds from there to the next point. The first
/// one stands below all values, at minus infinity.
pub fn exceedance(sums: &Accumulator, tail: Tail, counted: Counted) -> Vec<CurvePoint> {
    steps(sums, tail).iter().map(|step| counted.point(step.from, step.beyond)).collect()
}

/// From a place to that of the next step the share of the values beyond a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The place.
    pub from: f64,
    /// The limit.
    pub limit: f64,
    /// How many values are beyond it.
    beyond: u64,
}

/// The steps of a quantity's curve, thinned out, from minus infinity on.
pub(super) fn steps(sums: &Accumulator, tail: Tail) -> Vec<Step> {
    let (Some(minimum), Some(maximum)) = (sums.minimum(), sums.maximum()) else {
        return Vec::new();
    };
    let near = NEAR * (maximum - minimum);
    let least = f64::NEG_INFINITY;
    // How many values are beyond each, from the end where there are none.
    match tail {
        Tail::Above => {
            let step = |(value, beyond)| Step { from: value, limit: value, beyond };
            let corners = corners(sums.buckets().rev(), near);
            [(least, sums.count())].into_iter().chain(corners.into_iter().rev()).map(step).collect()
        }
        Tail::Below => {
            let corners = corners(sums.buckets(), near);
            // Nothing is below the first value; what is below a value is what counts from the one before it on.
            let starts = [least].into_iter().chain(corners.iter().map(|&(value, _)| value));
            let limits = corners.iter().copied().chain([(f64::INFINITY, sums.count())]);
            starts.zip(limits).map(|(from, (limit, beyond))| Step { from, limit, beyond }).collect()
        }
    }
}

/// Values with the number of those before them, thinned out; the first and the last always stay.
fn corners(buckets: impl Iterator<Item = (f64, u64)>, near: f64) -> Vec<(f64, u64)> {
    let mut before = 0;
    let mut kept: Vec<(f64, u64)> = Vec::new();
    let mut last = None;
    for (value, count) in buckets {
        let is_new = kept.last().is_none_or(|&(at, counted)| {
            (value - at).abs() >= near || (before - counted) as f64 > SMALL_GROWTH * counted as f64
        });
        if is_new {
            kept.push((value, before));
        }
        last = Some((value, before));
        before += count;
    }
    if kept.last() != last.as_ref() {
        kept.extend(last);
    }
    kept
}

/// Counts by equal ranges with round ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Lower end of the first range.
    pub from: f64,
    /// Width of a range.
    pub width: f64,
    /// Values in each range.
    pub counts: Vec<u64>,
    /// Values below the first range.
    pub below: u64,
    /// Values above the last range.
    pub above: u64,
}

/// A histogram of a quantity; `whole` for one that counts. A value at the edge of
/// a range may, as its bucket's middle, be counted on the other side: 2^-13 of it away.
pub fn histogram(sums: &Accumulator, whole: bool) -> Option<Histogram> {
    let (least, greatest) = shown_range(sums)?;
    let mut width = round_step(((greatest - least) / BARS).max(1e-9 * greatest.abs()).max(f64::MIN_POSITIVE));
    if whole {
        width = width.max(1.0);
    }
    // Whole numbers stand in the middle of their bars.
    let shift = if whole { 0.5 * (width.min(1.0)) } else { 0.0 };
    let index = |value: f64| ((value + shift) / width).floor();
    let first = index(least);
    let bars = (index(greatest) - first) as usize + 1;
    let mut histogram = Histogram { from: first * width - shift, width, counts: vec![0; bars], below: 0, above: 0 };
    for (value, count) in sums.buckets() {
        let bar = index(value) - first;
        if bar < 0.0 {
            histogram.below += count;
        } else if bar >= bars as f64 {
            histogram.above += count;
        } else {
            histogram.counts[bar as usize] += count;
        }
    }
    Some(histogram)
}

/// All values, or those between the outer quantiles when few values far away would leave no room for the others.
fn shown_range(sums: &Accumulator) -> Option<(f64, f64)> {
    let (minimum, maximum) = (sums.minimum()?, sums.maximum()?);
    let (low, high) = (sums.quantile(0.001)?, sums.quantile(0.999)?);
    let is_long = high > low && maximum - minimum > LONG_TAIL * (high - low);
    Some(if is_long { (low, high) } else { (minimum, maximum) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(values: impl IntoIterator<Item = f64>) -> Accumulator {
        let mut sums = Accumulator::new();
        values.into_iter().for_each(|value| sums.add(value).unwrap());
        sums
    }

    fn counted(trials: u64, always: u64) -> Counted {
        Counted { trials, always, confidence: 0.95 }
    }

    #[test]
    fn curves_count_what_lies_beyond() {
        // Below 2^-7 each value has a bucket of its own.
        const UNIT: f64 = 1.0 / 1024.0;
        let sums = sums([1.0, 2.0, 2.0, 5.0].map(|value| value * UNIT));
        let shares = |tail, always| -> Vec<(f64, f64)> {
            let points = exceedance(&sums, tail, counted(8, always));
            points.iter().map(|point| (point.value / UNIT, point.estimate)).collect()
        };
        assert_eq!(shares(Tail::Above, 0), [(f64::NEG_INFINITY, 0.5), (1.0, 0.375), (2.0, 0.125), (5.0, 0.0)]);
        assert_eq!(shares(Tail::Below, 0), [(f64::NEG_INFINITY, 0.0), (1.0, 0.125), (2.0, 0.375), (5.0, 0.5)]);
        assert_eq!(shares(Tail::Above, 4), [(f64::NEG_INFINITY, 1.0), (1.0, 0.875), (2.0, 0.625), (5.0, 0.5)]);
        let last = exceedance(&sums, Tail::Above, counted(8, 1))[3];
        assert_eq!((last.lower, last.upper), (clopper_pearson_lower(1, 8, 0.95), clopper_pearson_upper(1, 8, 0.95)));
        assert_eq!(exceedance(&Accumulator::new(), Tail::Above, counted(8, 0)), []);
    }

    /// Points are at least 1/320 of the range apart (321 of them at most), or the count has grown by 4 %, which takes
    /// at most 25 steps of one up to 25 and ln(n / 25) / ln(1.04) after that, 271 for a million; and one at each end.
    #[test]
    fn curves_have_few_points_and_both_ends() {
        let count = 1_000_000_u64;
        let values = (1..=count).map(|index| -(index as f64 / (count + 1) as f64).ln());
        let sums = sums(values);
        let points = exceedance(&sums, Tail::Above, counted(count, 0));
        assert_eq!(Some(points[1].value), sums.minimum());
        assert!((250..=321 + 25 + 271 + 2).contains(&points.len()), "{}", points.len());
        assert_eq!((points[0].estimate, points[points.len() - 1].estimate), (1.0, 0.0));
        for pair in points.windows(2) {
            assert!(pair[0].value < pair[1].value && pair[0].estimate >= pair[1].estimate);
        }
        // The true probability is exp(-x). The curve is that to two ranks, and to a bucket: its half width is 2^-13 of
        // the value, of which the probability changes by at most as much as its slope, exp(-x), says.
        for point in &points[1..] {
            let truth = (-point.value).exp();
            let tolerance = 2.0 / count as f64 + 2.0 * point.value / 8192.0 * truth;
            assert!((point.estimate - truth).abs() <= tolerance, "{point:?}");
        }
    }

    #[test]
    fn a_value_far_away_does_not_coarsen_the_curve() {
        let values = (1..=100_000_u32).map(|index| -(f64::from(index) / 100_001.0).ln());
        let points = exceedance(&sums(values.chain([1000.0])), Tail::Above, counted(100_001, 0));
        for pair in points.windows(2).filter(|pair| pair[1].estimate > 1e-3) {
            // 4 %, and a bucket's share, which is below 1 % where the count is large.
            assert!(pair[0].estimate <= 1.05 * pair[1].estimate, "{pair:?}");
        }
    }

    #[test]
    fn histograms_have_round_ranges_and_lose_nothing() {
        let smooth = histogram(&sums((0..10_000).map(|index| 3.0 + f64::from(index) / 1000.0)), false).unwrap();
        assert_eq!((smooth.from, smooth.width), (3.0, 0.5));
        assert_eq!(smooth.counts.iter().sum::<u64>(), 10_000);
        let bounces = histogram(&sums([0.0, 0.0, 1.0, 3.0]), true).unwrap();
        assert_eq!((bounces.from, bounces.width), (-0.5, 1.0));
        assert_eq!(bounces.counts, [2, 1, 0, 1]);
        let far = histogram(&sums((0..5000).map(f64::from).chain([1e6])), false).unwrap();
        assert_eq!((far.below, far.above, far.counts.iter().sum::<u64>()), (0, 1, 5000));
        assert!(far.counts.len() <= 1 + BARS as usize, "{}", far.counts.len());
        assert_eq!(histogram(&Accumulator::new(), false), None);
    }
}
