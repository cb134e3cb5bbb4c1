//! Comparison of two counts of the same event: unpaired, and paired by item.

use statrs::function::factorial::ln_binomial;

use super::binomial;
use crate::normal;

/// A count of events among items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Items with the event.
    pub events: u64,
    /// Items.
    pub items: u64,
}

/// How two counts over the same items disagree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discordance {
    /// Items with the event in the first count alone.
    pub only_first: u64,
    /// Items with the event in the second count alone.
    pub only_second: u64,
    /// All items.
    pub items: u64,
}

impl Share {
    /// The share itself.
    #[must_use]
    pub fn estimate(self) -> f64 {
        self.events as f64 / self.items as f64
    }

    /// Wilson's score interval at a two-sided confidence (JASA 22, 1927).
    fn score_interval(self, confidence: f64) -> (f64, f64) {
        let (n, p, z) = (self.items as f64, self.estimate(), score(confidence));
        let centre = (p + 0.5 * z * z / n) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + 0.25 * z * z / (n * n)).sqrt();
        // At the ends the exact bound is the end, and rounding must not leave the estimate outside.
        ((centre - half).clamp(0.0, p), (centre + half).clamp(p, 1.0))
    }

    /// Interval of another proportion minus this one, from independent items, at a two-sided confidence: method 10 of
    /// R. G. Newcombe, Statistics in Medicine 17 (1998) 873.
    #[must_use]
    pub fn difference_to(self, other: Self, confidence: f64) -> (f64, f64) {
        let (here, there) = (self.score_interval(confidence), other.score_interval(confidence));
        difference_of_intervals((self.estimate(), here.0, here.1), (other.estimate(), there.0, there.1))
    }

    /// The probability of counts at least as different as these if both have the same probability: Fisher's exact test,
    /// twice the smaller tail.
    #[must_use]
    pub fn fisher(self, other: Self) -> f64 {
        let (a, n, m) = (self.events, self.items, other.items);
        let events = a + other.events;
        let logarithm = |k: u64| ln_binomial(n, k) + ln_binomial(m, events - k) - ln_binomial(n + m, events);
        let (least, most) = (events.saturating_sub(m), events.min(n));
        // Terms relative to the observed one, towards each end; they decrease beyond the mode, which lies on one side
        // only.
        let side = |up: bool| {
            let (mut k, mut term, mut sum) = (a, 1.0, 1.0_f64);
            while if up { k < most } else { k > least } {
                // P(k + 1) / P(k) of the hypergeometric distribution.
                let ratio =
                    |k: u64| (n - k) as f64 * (events - k) as f64 / ((k + 1) as f64 * (m + k + 1 - events) as f64);
                let factor = if up { ratio(k) } else { ratio(k - 1).recip() };
                k = if up { k + 1 } else { k - 1 };
                term *= factor;
                sum += term;
                if factor < 1.0 && term < (1.0 - factor) * f64::EPSILON * sum {
                    break;
                }
            }
            sum
        };
        // The side that rises to the mode may overflow; the smaller one is the result.
        (2.0 * logarithm(a).exp() * side(true).min(side(false))).min(1.0)
    }
}

impl Discordance {
    /// Interval of the second proportion minus the first, at a two-sided confidence: the score interval of T. Tango,
    /// Statistics in Medicine 17 (1998) 891, which holds for few discordant items and for none.
    #[must_use]
    pub fn difference(self, confidence: f64) -> (f64, f64) {
        let (b, c, n) = (self.only_second as f64, self.only_first as f64, self.items as f64);
        let critical = score(confidence);
        // The standardised distance of the observed difference from a hypothetical one, decreasing in the latter.
        let distance = |supposed: f64| {
            let (p, q) = (2.0 * n, -b - c + (2.0 * n - b + c) * supposed);
            let r = -c * supposed * (1.0 - supposed);
            let root = (q * q - 4.0 * p * r).max(0.0).sqrt();
            // The other form of the root if q is positive and large, to avoid cancellation.
            let only_first = if q > 0.0 { -2.0 * r / (q + root) } else { (root - q) / (2.0 * p) };
            let variance = n * (2.0 * only_first + supposed * (1.0 - supposed));
            let gap = b - c - n * supposed;
            if gap == 0.0 { 0.0 } else { gap / variance.max(0.0).sqrt() }
        };
        let estimate = (b - c) / n;
        let end = |towards: f64, reached: &dyn Fn(f64) -> bool| {
            let (mut inside, mut outside) = (estimate, towards);
            // From 2 down to the last bit of values as small as one item in 10^12.
            for _ in 0..100 {
                let middle = 0.5 * (inside + outside);
                if reached(distance(middle)) {
                    outside = middle;
                } else {
                    inside = middle;
                }
            }
            inside
        };
        (end(-1.0, &|distance| distance > critical), end(1.0, &|distance| distance < -critical))
    }

    /// The probability of discordant items at least as unevenly divided as these if both counts have the same
    /// probability: McNemar's exact test, twice the smaller tail of the binomial distribution.
    #[must_use]
    pub fn mcnemar(self) -> f64 {
        let discordant = self.only_first + self.only_second;
        let smaller = self.only_first.min(self.only_second);
        if 2 * smaller == discordant {
            return 1.0;
        }
        (2.0 * binomial::at_most(smaller as f64, discordant as f64, 1.0).logarithm.exp()).min(1.0)
    }
}

/// Interval of a second value minus a first one from their independent intervals, given as (estimate, lower, upper):
/// the squares of the arms add up (G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693).
#[must_use]
pub fn difference_of_intervals(first: (f64, f64, f64), second: (f64, f64, f64)) -> (f64, f64) {
    let difference = second.0 - first.0;
    (
        difference - (second.0 - second.1).hypot(first.2 - first.0),
        difference + (second.2 - second.0).hypot(first.0 - first.1),
    )
}

/// Holm's correction (Scandinavian Journal of Statistics 6 (1979) 65): adjusted p-values, such that rejecting all below
/// a level has at most that family-wise error, in the order given.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut greatest = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        greatest = greatest.max(p_values[index] * (p_values.len() - place) as f64).min(1.0);
        corrected[index] = greatest;
    }
    corrected
}

/// The normal quantile of a two-sided confidence.
fn score(confidence: f64) -> f64 {
    -normal::quantile(0.5 * (1.0 - confidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;

    #[test]
    fn newcombes_example_has_its_interval() {
        // 56 of 70 and 48 of 80 in table II of the paper: 0.0524 to 0.3339 for the first less the second.
        let (lower, upper) = Share { events: 48, items: 80 }.difference_to(Share { events: 56, items: 70 }, 0.95);
        assert!((lower - 0.0524).abs() < 5e-5 && (upper - 0.3339).abs() < 5e-5, "{lower} {upper}");
        let (lower, upper) = Share { events: 0, items: 10 }.difference_to(Share { events: 0, items: 10 }, 0.95);
        assert!((lower + 0.2775).abs() < 5e-5 && (upper - 0.2775).abs() < 5e-5, "{lower} {upper}");
    }

    #[test]
    fn tangos_interval_solves_its_equation_in_the_cases_with_a_closed_form() {
        // Without discordant items: d / (1 - d) = z^2 / n.
        let z = 1.959_963_984_540_054_f64;
        let (lower, upper) = Discordance { only_first: 0, only_second: 0, items: 1000 }.difference(0.95);
        let expected = z * z / (1000.0 + z * z);
        assert!((upper - expected).abs() < 1e-12 && (lower + expected).abs() < 1e-12, "{lower} {upper}");
        let one = Discordance { only_first: 3, only_second: 12, items: 200 };
        let other = Discordance { only_first: 12, only_second: 3, items: 200 };
        let ((a, b), (c, d)) = (one.difference(0.95), other.difference(0.95));
        assert!((a + d).abs() < 1e-12 && (b + c).abs() < 1e-12, "{a} {b} {c} {d}");
        assert!(a < 0.045 && 0.045 < b);
    }

    /// The truth is covered as often as stated: 4000 repetitions have a standard error of 0.35 % at 95 %; score
    /// intervals of counts near 10 cover between 93 % and 97 %.
    #[test]
    fn intervals_cover_the_true_difference() {
        const REPETITIONS: u64 = 4000;
        const ITEMS: u64 = 500;
        let (mut paired, mut unpaired) = (0, 0);
        for repetition in 0..REPETITIONS {
            let mut discordance = Discordance { items: ITEMS, ..Discordance::default() };
            let (mut first, mut second) = (Share { events: 0, items: ITEMS }, Share { events: 0, items: ITEMS });
            for item in 0..ITEMS {
                let draw = |variable| uniform(3, repetition * ITEMS + item, variable);
                let both = (draw(0) < 0.03, draw(0) < 0.02 || draw(1) < 0.005);
                discordance.only_first += u64::from(both.0 && !both.1);
                discordance.only_second += u64::from(both.1 && !both.0);
                first.events += u64::from(draw(2) < 0.02);
                second.events += u64::from(draw(3) < 0.04);
            }
            let inside = |(lower, upper): (f64, f64), truth: f64| u64::from(lower <= truth && truth <= upper);
            paired += inside(discordance.difference(0.95), 0.02 + 0.98 * 0.005 - 0.03);
            unpaired += inside(first.difference_to(second, 0.95), 0.02);
        }
        let share = |count: u64| count as f64 / REPETITIONS as f64;
        for coverage in [share(paired), share(unpaired)] {
            assert!((0.93..=0.985).contains(&coverage), "{} {}", share(paired), share(unpaired));
        }
    }

    #[test]
    fn fisher_agrees_with_sums_of_hypergeometric_probabilities() {
        // The lady tasting tea: 3 of 4 against 1 of 4, one tail 17/70.
        let p = Share { events: 3, items: 4 }.fisher(Share { events: 1, items: 4 });
        assert!((p - 34.0 / 70.0).abs() < 1e-12, "{p}");
        let p = Share { events: 0, items: 50 }.fisher(Share { events: 5, items: 50 });
        // (50 choose 5) / (100 choose 5), both tails alike.
        assert!((p - 2.0 * 2_118_760.0 / 75_287_520.0).abs() < 1e-10, "{p}");
        assert_eq!(Share { events: 0, items: 50 }.fisher(Share { events: 0, items: 70 }), 1.0);
        let many = Share { events: 400_000, items: 1_000_000 }.fisher(Share { events: 410_000, items: 1_000_000 });
        assert!(many > 0.0 && many < 1e-40, "{many:e}");
    }

    #[test]
    fn mcnemar_is_a_fair_coin() {
        let p = |only_first, only_second| Discordance { only_first, only_second, items: 1000 }.mcnemar();
        assert!((p(0, 5) - 2.0 / 32.0).abs() < 1e-12);
        assert!((p(1, 9) - 2.0 * 11.0 / 1024.0).abs() < 1e-12);
        assert_eq!([p(0, 0), p(4, 4)], [1.0, 1.0]);
        // Every outcome is at least as uneven as this one.
        assert!((p(4, 5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn holm_steps_down() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
