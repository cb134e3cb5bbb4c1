//! A probability from weighted draws, a fraction of which come from the target distribution itself, so that no weight
//! exceeds the inverse of that fraction.
//!
//! Weights alone do not reveal events where shifted draws are rare: such draws have large weights, and a weighted mean
//! without any of them looks certain. So draws are split by weight. Light ones, below 1, are more frequent than under
//! the target distribution: their events are observed. Heavy ones are less frequent, but their number is binomial and
//! their weights are bounded:
//!
//! ```text
//! P(event) = E[w, event, w < 1] + E[w, event, w >= 1] <= E[w, event, w < 1] + Q(event, w >= 1) / share
//! ```
//!
//! with Q the sampling distribution. Each term has a bound at half the error probability.

use super::clopper_pearson_upper;
use super::weighted::{MIN_EFFECTIVE, WeightError, WeightedTally};
use crate::study::packed::{Packer, Unpacker};

/// Event counts of weighted draws, a fraction of which come from the target distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefendedTally {
    /// That fraction.
    unshifted: f64,
    /// All draws, and the events of weights below 1.
    light: WeightedTally,
    /// All draws, and the events of weights 1 and above.
    heavy: WeightedTally,
}

/// Bounds on a probability, each one-sided at a confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefendedBounds {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
    /// Whether there are enough heavy events for one weighted mean; otherwise they are bounded separately.
    pub as_one: bool,
}

impl DefendedTally {
    /// No draws yet; the fraction must be in (0, 1).
    #[must_use]
    pub fn new(unshifted: f64) -> Self {
        Self { unshifted, light: WeightedTally::default(), heavy: WeightedTally::default() }
    }

    /// Fraction drawn from the target distribution.
    #[must_use]
    pub fn unshifted(&self) -> f64 {
        self.unshifted
    }

    /// Number of draws without an event that bound a probability at this confidence: fewer never do.
    #[must_use]
    pub fn least_draws(unshifted: f64, probability: f64, confidence: f64) -> u64 {
        // Of n draws without an event: 1 - (doubt / 2)^(1 / n), of light and of heavy ones.
        let each = probability / (1.0 + 1.0 / unshifted);
        ((0.5 * (1.0 - confidence)).ln() / (-each).ln_1p()).ceil() as u64
    }

    /// Counts one draw.
    ///
    /// # Errors
    /// If its weight is not a number from 0 to 2^40; nothing is added then.
    pub fn add(&mut self, happened: bool, weight: f64) -> Result<(), WeightError> {
        let is_heavy = weight >= 1.0;
        self.light.add(happened && !is_heavy, weight)?;
        self.heavy.add(happened && is_heavy, weight)
    }

    /// Adds the draws of another tally with the same fraction.
    pub fn merge(&mut self, other: &Self) {
        self.light.merge(&other.light);
        self.heavy.merge(&other.heavy);
    }

    /// The same events among this many draws.
    pub(crate) fn set_draws(&mut self, draws: u64) {
        (self.light.draws, self.heavy.draws) = (draws, draws);
    }

    /// Serializes everything but the fraction.
    pub(crate) fn pack(&self, packer: &mut Packer) {
        self.light.pack(packer);
        self.heavy.pack(packer);
    }

    /// Inverse of [`pack`](Self::pack); `None` for an impossible tally.
    pub(crate) fn unpack(unpacker: &mut Unpacker<'_>, unshifted: f64) -> Option<Self> {
        let [light, heavy] = [WeightedTally::default().unpack(unpacker)?, WeightedTally::default().unpack(unpacker)?];
        (light.draws == heavy.draws && light.events.saturating_add(heavy.events) <= light.draws).then_some(Self {
            unshifted,
            light,
            heavy,
        })
    }

    /// Light and heavy draws together.
    #[must_use]
    pub fn all(&self) -> WeightedTally {
        self.light.with_events_of(&self.heavy)
    }

    /// Number of events among heavy draws, which are rarer than under the target distribution.
    #[must_use]
    pub fn heavy_events(&self) -> u64 {
        self.heavy.events
    }

    /// Bounds on the probability; requires at least one draw.
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> DefendedBounds {
        let all = self.all().bounds(confidence);
        // Omitting the heavy events keeps a lower bound valid.
        let lower = if all.trusted {
            all.lower
        } else {
            let light = self.light.bounds(confidence);
            if light.trusted { light.lower } else { 0.0 }
        };
        DefendedBounds { lower, upper: self.upper_after(1.0, confidence), as_one: self.is_one_mean_after(1.0) }
    }

    /// Whether a multiple of the draws has enough events, and heavy ones among them, for one weighted mean.
    fn is_one_mean_after(&self, times: f64) -> bool {
        [self.all().effective_events(), self.heavy.events as f64]
            .into_iter()
            .all(|events| events * times >= MIN_EFFECTIVE)
    }

    /// The upper bound for a multiple of the draws with as many times the events: of one weighted mean, or from the two terms.
    #[must_use]
    pub fn upper_after(&self, times: f64, confidence: f64) -> f64 {
        let reach = |tally: &WeightedTally, confidence: f64| {
            let estimate = tally.estimate();
            estimate + (tally.bounds(confidence).upper - estimate) / times.sqrt()
        };
        if self.is_one_mean_after(times) {
            return reach(&self.all(), confidence);
        }
        let half = 0.5 * (1.0 + confidence);
        let draws = (self.light.draws as f64 * times) as u64;
        let counted =
            |events: u64| clopper_pearson_upper(((events as f64 * times).ceil() as u64).min(draws), draws, half);
        let light = if self.light.effective_events() * times >= MIN_EFFECTIVE {
            reach(&self.light, half)
        } else {
            // No weight among them is above 1.
            counted(self.light.events)
        };
        (light + counted(self.heavy.events) / self.unshifted).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::statistics::clopper_pearson_upper;

    fn tally(draws: u64, light: &[f64], heavy: &[f64]) -> DefendedTally {
        let mut tally = DefendedTally::new(0.1);
        let events = light.iter().chain(heavy).map(|&weight| (true, weight));
        let others = (0..draws - (light.len() + heavy.len()) as u64).map(|_| (false, 0.5));
        events.chain(others).for_each(|(happened, weight)| tally.add(happened, weight).unwrap());
        tally
    }

    #[test]
    fn without_events_there_is_what_so_many_draws_show() {
        let bounds = tally(1000, &[], &[]).bounds(0.95);
        let zero = clopper_pearson_upper(0, 1000, 0.975);
        assert_eq!((bounds.lower, bounds.upper, bounds.as_one), (0.0, zero + zero / 0.1, false));
    }

    #[test]
    fn the_least_draws_bound_the_probability_and_one_draw_less_does_not() {
        let least = DefendedTally::least_draws(0.1, 1e-3, 0.95);
        assert!((least as f64 / (3.6889 * 11.0 / 1e-3) - 1.0).abs() < 1e-3, "{least}");
        assert!(tally(least, &[], &[]).bounds(0.95).upper <= 1e-3);
        assert!(tally(least - 1, &[], &[]).bounds(0.95).upper > 1e-3);
    }

    #[test]
    fn an_unseen_place_stays_possible_however_many_light_events_there_are() {
        let light = vec![0.001; 400];
        let seen = tally(1000, &light, &[]);
        let bounds = seen.bounds(0.95);
        let of_light = seen.light.bounds(0.975).upper;
        assert_eq!(bounds.upper, of_light + clopper_pearson_upper(0, 1000, 0.975) / 0.1);
        // 0.4 of the draws of 0.001 each.
        assert!((seen.all().estimate() - 4e-4).abs() < 1e-15 && bounds.lower > 3.7e-4 && of_light < 4.35e-4);
        assert!(bounds.upper > 0.03);
        // Few light events are counted, for each weighs less than 1.
        let few = tally(1000, &light[..10], &[]).bounds(0.95);
        assert_eq!(few.upper, clopper_pearson_upper(10, 1000, 0.975) + clopper_pearson_upper(0, 1000, 0.975) / 0.1);
        assert_eq!(few.lower, 0.0);
    }

    #[test]
    fn many_heavy_events_are_one_mean_with_the_light_ones() {
        let both = tally(10_000, &[0.5; 100], &[9.0; 80]);
        let bounds = both.bounds(0.95);
        assert!(bounds.as_one);
        assert_eq!(bounds.upper, both.all().bounds(0.95).upper);
        assert!((both.all().estimate() - 0.077).abs() < 1e-12);
        // Three of them bring the lower bound back to what is surely there.
        let few = tally(10_000, &[0.5; 100], &[9.0; 3]);
        assert!(!few.all().bounds(0.95).trusted && few.bounds(0.95).lower == few.light.bounds(0.95).lower);
    }

    #[test]
    fn more_draws_bound_by_one_mean_what_few_heavy_events_do_not() {
        let few = tally(4000, &[0.5; 400], &[1.5; 40]);
        assert!(!few.bounds(0.95).as_one && few.upper_after(1.2, 0.95) > 0.15);
        let twice = tally(8000, &[0.5; 800], &[1.5; 80]).bounds(0.95);
        assert!(twice.as_one && twice.upper < 0.08);
        assert!((few.upper_after(2.0, 0.95) / twice.upper - 1.0).abs() < 1e-3);
    }

    #[test]
    fn it_is_the_same_after_packing_and_whatever_the_order() {
        let whole = tally(500, &[0.2, 0.7, 1e-9], &[1.0, 10.0]);
        let mut packer = Packer::default();
        whole.pack(&mut packer);
        let text = packer.text();
        assert_eq!(DefendedTally::unpack(&mut Unpacker::new(&text), 0.1), Some(whole));
        let mut merged = tally(100, &[1e-9], &[10.0, 1.0]);
        merged.merge(&tally(400, &[0.7, 0.2], &[]));
        assert_eq!(merged, whole);
        assert_eq!(whole.heavy_events(), 2);
    }
}
