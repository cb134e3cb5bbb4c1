//! When a run may stop before its last trial.
//!
//! A run evaluates interim looks after 1, 2, 4, 8, ... parts and at its end, and stops at the first look at which a
//! rule holds. The looks are fixed in advance, and whether one stops is a function of the parts before it alone.
//!
//! Repeated looks inflate the error: each bound fails with some probability, and a run that stops as soon as a bound is
//! favourable selects those failures. So interim looks spend the error budget alpha = 1 - confidence of a criterion,
//! and by the union bound (Bonferroni) all bounds of all looks hold together at the criterion's confidence, however
//! stopping depends on them. The last look gets half of alpha, each one before it half of the next one's, and the first
//! look the remainder, as much as the second: 1/2 + 1/4 + ... + 1/2^(K-1) + 1/2^(K-1) = 1.
//!
//! Between two looks nothing is decided, whatever the bounds: otherwise reading a verdict after every part, say by a
//! short wall time and repeated runs of the same command, would amount to as many looks as parts without paying for
//! them.
//!
//! The cost: a criterion without events is met after ln(1 / alpha) / probability trials. At 95 % a run to the end needs
//! ln(2 / 0.05) / ln(1 / 0.05) = 1.23 times as many trials as without looks, and a stop j looks earlier 1.23 + 0.23 j
//! times, while each earlier look halves the run. Equal shares among ten looks would cost a factor of 1.77 at every one
//! of them, including the end.

use serde::Serialize;

use super::statistics::Verdict;
use super::{CriterionSummary, Study};

/// Rules of `[stopping]`: a run stops as soon as one of them holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Stop at the first end of a part after this wall time \[s\]. The same command resumes the run. Without a look due
    /// nothing is decided.
    pub wall_time: Option<f64>,
    /// Stop at the look at which the width of every criterion's interval, upper minus lower bound, is at most this
    /// fraction of the estimate or of the allowed probability, whichever is larger.
    pub interval: Option<f64>,
    /// Stop at the look at which every verdict is met or failed.
    pub decided: bool,
}

/// An interim look, or the final one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its number, from 1.
    pub number: u32,
    /// Total number of looks.
    pub looks: u32,
    /// Number of parts before it.
    pub parts: u64,
}

/// State of a run with `[stopping]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Total number of looks.
    pub looks: u32,
    /// The look that the bounds belong to: the last one made, or for an unfinished run, the next one.
    pub look: u32,
    /// Why the run stopped, or that it continues.
    pub stopped: String,
    /// Whether it has stopped for good.
    #[serde(skip)]
    pub is_settled: bool,
}

impl Look {
    /// Confidence of its bounds, given the criterion's confidence.
    #[must_use]
    pub fn confidence(&self, confidence: f64) -> f64 {
        if self.looks == 1 {
            return confidence;
        }
        let halvings = (self.looks - self.number + 1).min(self.looks - 1);
        1.0 - (1.0 - confidence) * 0.5_f64.powi(halvings as i32)
    }

    /// Whether the look is due after exactly this many parts: there are verdicts at looks only.
    #[must_use]
    pub fn is_due(&self, parts: u64) -> bool {
        self.parts == parts
    }
}

impl Study {
    /// All looks of a run, in order; the last one is its end.
    #[must_use]
    pub fn looks(&self) -> Vec<Look> {
        let all = self.parts();
        let mut parts = Vec::new();
        if self.stopping.is_some_and(|stopping| stopping.decided || stopping.interval.is_some()) {
            parts.extend((0..u64::BITS).map(|power| 1 << power).take_while(|&parts| parts < all));
        }
        parts.push(all);
        let looks = parts.len() as u32;
        (1..).zip(parts).map(|(number, parts)| Look { number, looks, parts }).collect()
    }

    /// The first look at or after this many parts.
    #[must_use]
    pub fn look_from(&self, parts: u64) -> Look {
        let looks = self.looks();
        let number = looks.partition_point(|look| look.parts < parts);
        looks[number.min(looks.len() - 1)]
    }

    /// State of a run with `[stopping]` after this many parts, at or before this look.
    pub(super) fn standing(&self, look: &Look, parts: u64, criteria: &[CriterionSummary]) -> Option<Standing> {
        let stopping = self.stopping?;
        let reason = stopping.reason(criteria).filter(|_| look.is_due(parts));
        let at_look = format!("look {} of {}", look.number, look.looks);
        let (stopped, is_settled) = match reason {
            Some(reason) => (format!("{reason} after {at_look}"), true),
            None if parts == self.parts() => ("all parts are there".to_owned(), true),
            None if look.is_due(parts) => {
                (format!("unfinished, {parts} of {} parts, at {at_look}", self.parts()), false)
            }
            None => {
                let of_all = format!("{parts} of {} parts", self.parts());
                let next = format!("{at_look}, after {} parts", look.parts);
                (format!("unfinished, {of_all}; nothing is decided before {next}; the same command goes on"), false)
            }
        };
        Some(Standing { looks: look.looks, look: look.number, stopped, is_settled })
    }
}

impl Stopping {
    /// Why a run may stop with these results.
    fn reason(&self, criteria: &[CriterionSummary]) -> Option<&'static str> {
        let is_narrow = |part: f64, criterion: &CriterionSummary| {
            // The width of an unreliable interval does not count.
            criterion.is_trusted
                && criterion.upper - criterion.lower <= part * criterion.estimate.max(criterion.probability)
        };
        if self.decided && criteria.iter().all(|criterion| criterion.verdict != Verdict::Undecided) {
            Some("every verdict is decided")
        } else if self.interval.is_some_and(|part| criteria.iter().all(|criterion| is_narrow(part, criterion))) {
            Some("every interval is narrow enough")
        } else {
            None
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests {
    use super::*;
    use crate::random::uniform;
    use crate::study::{Criterion, Evidence, Tally};

    #[test]
    fn the_looks_share_out_the_whole_doubt() {
        for looks in 1..30 {
            let doubts = (1..=looks).map(|number| 1.0 - Look { number, looks, parts: 1 }.confidence(0.9));
            // Each 1 - c rounds by 1e-16.
            assert!((doubts.sum::<f64>() - 0.1).abs() < 1e-14, "{looks}");
        }
        assert_eq!(Look { number: 7, looks: 7, parts: 100 }.confidence(0.95), 0.975);
    }

    /// 64 parts of 20 trials.
    fn study(stopping: Stopping) -> Study {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let mut study = Study::read(&path).unwrap();
        (study.trials, study.part_size, study.stopping) = (1280, 20, Some(stopping));
        study
    }

    /// Whoever asks for the verdict after every part, by the shortest of wall times, meets a criterion whose event is
    /// exactly as probable as allowed no oftener than once in twenty; by the bounds alone one time in six.
    #[test]
    fn a_verdict_asked_for_after_every_part_is_wrongly_met_no_oftener_than_stated() {
        const ALLOWED: f64 = 0.05;
        let out_of_time = Stopping { wall_time: Some(0.001), interval: None, decided: false };
        for stopping in [out_of_time, Stopping { decided: true, ..out_of_time }] {
            let study = study(stopping);
            let criterion = Criterion { probability: ALLOWED, confidence: 0.95, ..study.criteria[0].clone() };
            let (mut met, mut by_bounds) = (0, 0);
            for run in 0..200 {
                let mut tally = Tally::default();
                let (mut is_met, mut is_met_by_bounds) = (false, false);
                for parts in 1..=study.parts() {
                    for trial in study.part_trials(parts - 1) {
                        tally.add(uniform(7, trial, run) < ALLOWED);
                    }
                    let summary =
                        Evidence::Plain(tally).summary(study.nouns(), &criterion, &study.look_from(parts), parts);
                    is_met |= summary.verdict == Verdict::Met;
                    is_met_by_bounds |= tally.bounds(0.95).1 <= ALLOWED;
                }
                met += u32::from(is_met);
                by_bounds += u32::from(is_met_by_bounds);
            }
            println!("decided = {}: {met} of 200 wrongly met, {by_bounds} by the bounds alone", stopping.decided);
            assert!(met <= 10 && by_bounds >= 20, "{met} {by_bounds}");
        }
    }

    #[test]
    fn a_run_between_looks_says_when_it_will_decide_and_one_at_a_look_is_at_it() {
        let study = study(Stopping { wall_time: None, interval: None, decided: true });
        let stopped = |parts: u64| study.standing(&study.look_from(parts), parts, &[undecided()]).unwrap().stopped;
        let expected =
            "unfinished, 3 of 64 parts; nothing is decided before look 3 of 7, after 4 parts; the same command goes on";
        assert_eq!(stopped(3), expected);
        assert_eq!(stopped(4), "unfinished, 4 of 64 parts, at look 3 of 7");
        assert_eq!(stopped(64), "all parts are there");
    }

    fn undecided() -> CriterionSummary {
        let study = study(Stopping { wall_time: None, interval: None, decided: true });
        let tally = Tally { events: 1, trials: 20 };
        let criterion = Criterion { probability: 0.05, ..study.criteria[0].clone() };
        Evidence::Plain(tally).summary(study.nouns(), &criterion, &study.look_from(1), 1)
    }
}
