//! What more trials would achieve at the observed rate.

use std::fmt;

use serde::Serialize;

use super::Trials;
use super::evidence::{Bounds, Evidence};
use super::statistics::{MIN_EFFECTIVE, Verdict, clopper_pearson_lower, clopper_pearson_upper};
use crate::model::Nouns;

/// Largest number of trials reported: no study can have more.
const MAX_TRIALS: f64 = 1e12;
/// Share of the number of trials that it may be larger than need be: it is said to be about that.
const PRECISION: f64 = 1e-3;

/// Number of trials after which an undecided criterion would be decided, if the event stayed as frequent as observed.
/// An estimate: the rate is known no better than its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outlook {
    /// The verdict then; undecided if no number of trials decides.
    pub verdict: Verdict,
    /// Total number of trials.
    #[serde(flatten)]
    pub trials: Option<Trials>,
}

impl Outlook {
    const NEVER: Self = Self { verdict: Verdict::Undecided, trials: None };

    /// The outlook for an allowed probability, at the confidence of the run's last look; `None` if the evidence does
    /// not determine the rate, or if bounds at that confidence already decide.
    pub(super) fn of(evidence: &Evidence, nouns: Nouns, allowed: f64, confidence: f64) -> Option<Self> {
        let tally = evidence.tally();
        let rate = evidence.estimate();
        let verdict = if rate < allowed { Verdict::Met } else { Verdict::Failed };
        if tally.trials == 0 || (matches!(evidence, Evidence::Weighted(_)) && tally.events == 0) {
            return None;
        }
        if rate == allowed {
            return Some(Self::NEVER);
        }
        let now = tally.trials as f64;
        let needed = match evidence {
            Evidence::Plain(_) => counted(rate, allowed, confidence, now),
            // The standard error falls with the square root of the number of trials, somewhat faster for stratified
            // ones; they need no more than independent ones.
            Evidence::Replicated { .. } => {
                let by_spread = by_spread(&evidence.bounds(confidence), rate, allowed) * now;
                by_spread.min(counted(rate, allowed, confidence, now))
            }
            Evidence::Weighted(tally) => {
                let trusted = MIN_EFFECTIVE / tally.effective_events();
                by_spread(&evidence.bounds(confidence), rate, allowed).max(trusted) * now
            }
            Evidence::Defended(tally) if rate < allowed => {
                first(now, |trials| tally.upper_after(trials / now, confidence) <= allowed)
            }
            Evidence::Defended(_) => by_spread(&evidence.bounds(confidence), rate, allowed) * now,
        };
        if needed > MAX_TRIALS {
            return Some(Self::NEVER);
        }
        (needed > now).then(|| Self { verdict, trials: Some(Trials { nouns, count: needed.ceil() as u64 }) })
    }
}

/// Factor by which the trials must grow to bring the bound to the allowed probability.
fn by_spread(bounds: &Bounds, rate: f64, allowed: f64) -> f64 {
    let reach = if rate < allowed { bounds.upper - rate } else { rate - bounds.lower };
    (reach / (rate - allowed)).powi(2)
}

/// Smallest number of trials at which the Clopper-Pearson bound decides.
fn counted(rate: f64, allowed: f64, confidence: f64, now: f64) -> f64 {
    first(now, |trials| {
        let (trials, events) = (trials as u64, rate * trials);
        if rate < allowed {
            clopper_pearson_upper(events.ceil() as u64, trials, confidence) <= allowed
        } else {
            clopper_pearson_lower(events as u64, trials, confidence) > allowed
        }
    })
}

/// Smallest number of trials that decides, or up to a [`PRECISION`] more, searched from the present one by doubling and
/// halving.
fn first(now: f64, decides: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (now, now);
    while !decides(above) {
        (below, above) = (above, 2.0 * above);
        if above > MAX_TRIALS {
            return f64::INFINITY;
        }
    }
    while above - below > (PRECISION * below).max(1.0) {
        let middle = (0.5 * (below + above)).floor();
        *if decides(middle) { &mut above } else { &mut below } = middle;
    }
    above
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.trials {
            Some(Trials { nouns, count }) => {
                write!(f, "at the observed rate {} after about {count} {}", self.verdict, nouns.many)
            }
            None => f.write_str("at the observed rate never decided"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    const NOUNS: Nouns = Nouns { one: "trial", many: "trials" };

    use crate::study::Tally;

    fn plain(events: u64, trials: u64) -> Evidence {
        Evidence::Plain(Tally { events, trials })
    }

    #[test]
    fn without_events_it_takes_what_the_binomial_distribution_says() {
        // ln 0.05 / ln 0.999 = 2994.2
        let outlook = Outlook::of(&plain(0, 100), NOUNS, 0.001, 0.95).unwrap();
        let count = outlook.trials.unwrap().count;
        assert!(outlook.verdict == Verdict::Met && (2995..=2998).contains(&count), "{outlook:?}");
        assert_eq!(outlook.to_string(), format!("at the observed rate met after about {count} trials"));
    }

    #[test]
    fn a_large_number_is_not_searched_to_the_last_trial() {
        let asked = std::cell::Cell::new(0);
        let needed = first(1000.0, |trials| {
            asked.set(asked.get() + 1);
            trials >= 1e11
        });
        assert!((1e11..=1.001e11).contains(&needed), "{needed}");
        // 27 doublings, and what halves an interval to a thousandth.
        assert!(asked.get() <= 40, "{}", asked.get());
    }

    #[test]
    fn the_trials_said_decide_and_a_tenth_fewer_do_not() {
        for (events, trials, allowed) in [(206, 10_000, 0.02), (3, 2000, 0.002), (60, 1000, 0.05), (7, 100, 0.1)] {
            let outlook = Outlook::of(&plain(events, trials), NOUNS, allowed, 0.95).unwrap();
            let verdict = |trials_then: f64| {
                let events = (events as f64 / trials as f64 * trials_then).round() as u64;
                let (lower, upper) = Tally { events, trials: trials_then as u64 }.bounds(0.95);
                Verdict::of_bounds(lower, upper, allowed)
            };
            let needed = outlook.trials.unwrap().count as f64;
            // One event more or less is within a hundredth of the trials.
            assert_eq!(verdict(1.02 * needed), outlook.verdict, "{events} of {trials}: {needed}");
            assert_eq!(verdict(0.9 * needed), Verdict::Undecided, "{events} of {trials}: {needed}");
        }
    }

    #[test]
    fn a_rate_that_is_just_allowed_never_decides() {
        assert_eq!(Outlook::of(&plain(20, 1000), NOUNS, 0.02, 0.95), Some(Outlook::NEVER));
        assert_eq!(Outlook::of(&plain(200_000, 10_000_000), NOUNS, 0.020_000_000_1, 0.95), Some(Outlook::NEVER));
        assert_eq!(Outlook::NEVER.to_string(), "at the observed rate never decided");
    }

    /// Shares 0.28 and 0.32 in turn: t 0.02 / sqrt(7) = 0.0143, and the upper bound reaches r beyond 0.3 with r^2 = 0.0143^2
    /// (1 + r / 0.3), which must come down to 0.005.
    #[test]
    fn spread_replicates_need_as_many_more_as_the_square_of_their_reach() {
        let replicates = [28, 32, 28, 32, 28, 32, 28, 32].map(|events| Tally { events, trials: 100 }).to_vec();
        let evidence = Evidence::Replicated { replicate: "scrambles", replicates };
        let outlook = Outlook::of(&evidence, NOUNS, 0.305, 0.95).unwrap();
        let square = (1.894_578_605 * 0.02_f64).powi(2) / 7.0;
        let reach = 0.5 * square / 0.3 + ((0.5 * square / 0.3).powi(2) + square).sqrt();
        let expected = 800.0 * (reach / 0.005_f64).powi(2);
        assert_eq!(
            (outlook.verdict, outlook.trials.map(|trials| trials.count)),
            (Verdict::Met, Some(expected.ceil() as u64))
        );
    }
}
