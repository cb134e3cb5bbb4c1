//! Counts of verdicts.

use super::{Finding, Judgement, Verdict};

/// Ambiguous items allowed, as a share of those that were not made to touch a border.
const AMBIGUOUS_SHARE: f64 = 1e-3;
/// So many wrong items are kept.
const KEPT: usize = 100;

/// What the items of one job in one class of scenes come to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: [u64; Verdict::ALL.len()],
    /// Items that were made to touch a border.
    touching: u64,
    /// The ambiguous ones among them.
    ambiguous_touching: u64,
    /// Largest error, as a share of its bound, of items that match or are within their bounds.
    largest_ratio: f64,
    worst: Option<Finding>,
    wrong: Vec<Finding>,
}

impl Tally {
    /// Counts an item.
    pub fn add(&mut self, finding: Finding) {
        let Judgement { verdict, .. } = finding.judgement;
        self.counts[verdict as usize] += 1;
        if finding.item.made_to_touch {
            self.touching += 1;
            self.ambiguous_touching += u64::from(verdict == Verdict::Ambiguous);
        }
        if verdict <= Verdict::WithinBound {
            self.largest_ratio = self.largest_ratio.max(finding.judgement.ratio().unwrap_or(0.0));
        }
        if self.worst.as_ref().is_none_or(|worst| rank(&finding) > rank(worst)) {
            self.worst = Some(finding.clone());
        }
        if verdict == Verdict::Wrong && self.wrong.len() < KEPT {
            self.wrong.push(finding);
        }
    }

    /// Items counted.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Items with a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// Ambiguous items that were made to touch a border: as many as there are, since only rounding decides them.
    #[must_use]
    pub fn ambiguous_touching(&self) -> u64 {
        self.ambiguous_touching
    }

    /// Ambiguous items that were not made so; their number is limited.
    #[must_use]
    pub fn ambiguous_by_chance(&self) -> u64 {
        self.count(Verdict::Ambiguous) - self.ambiguous_touching
    }

    /// Largest error, as a share of its bound, of items that match or are within their bounds.
    #[must_use]
    pub fn largest_ratio(&self) -> f64 {
        self.largest_ratio
    }

    /// The item with the gravest verdict; among those the one with the largest error, as a share of its bound.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        self.worst.as_ref()
    }

    /// The first wrong items, at most 100.
    #[must_use]
    pub fn wrong(&self) -> &[Finding] {
        &self.wrong
    }

    /// True when nothing is wrong and little is ambiguous: at most one in a thousand of the items that were not made to
    /// touch a border.
    #[must_use]
    pub fn passes(&self) -> bool {
        let ordinary = self.items() - self.touching;
        self.count(Verdict::Wrong) == 0 && self.ambiguous_by_chance() as f64 <= AMBIGUOUS_SHARE * ordinary as f64
    }
}

fn rank(finding: &Finding) -> (Verdict, f64) {
    (finding.judgement.verdict, finding.judgement.ratio().unwrap_or(0.0))
}
