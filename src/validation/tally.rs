//! Counts of verdicts.

use super::{Agreement, Finding};

/// Maximum number of wrong items kept.
const KEPT: usize = 100;

/// Results of the items of one job in one class of scenes or one study.
#[derive(Clone, Debug)]
pub struct Agreements {
    /// Ambiguous items allowed, as a fraction of those not constructed to touch a surface.
    ambiguous_share: f64,
    counts: [u64; Agreement::ALL.len()],
    /// Items constructed to touch a surface.
    touching: u64,
    /// The ambiguous ones among them.
    ambiguous_touching: u64,
    /// The item with the largest error, as a fraction of its bound, among those that match or are within their bounds.
    farthest: Option<Finding>,
    worst: Option<Finding>,
    wrong: Vec<Finding>,
}

impl Agreements {
    /// Nothing counted yet; this fraction of the items not constructed to touch a surface may be ambiguous.
    #[must_use]
    pub fn new(ambiguous_share: f64) -> Self {
        Self {
            ambiguous_share,
            counts: [0; Agreement::ALL.len()],
            touching: 0,
            ambiguous_touching: 0,
            farthest: None,
            worst: None,
            wrong: Vec::new(),
        }
    }

    /// Counts an item.
    pub fn add(&mut self, finding: Finding) {
        let verdict = finding.verdict;
        self.counts[verdict as usize] += 1;
        if finding.made_to_touch {
            self.touching += 1;
            self.ambiguous_touching += u64::from(verdict == Agreement::Ambiguous);
        }
        if verdict <= Agreement::WithinBound
            && finding.ratio > self.farthest.as_ref().and_then(|farthest| farthest.ratio)
        {
            self.farthest = Some(finding.clone());
        }
        if self.worst.as_ref().is_none_or(|worst| rank(&finding) > rank(worst)) {
            self.worst = Some(finding.clone());
        }
        if verdict == Agreement::Wrong && self.wrong.len() < KEPT {
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
    pub fn count(&self, verdict: Agreement) -> u64 {
        self.counts[verdict as usize]
    }

    /// Ambiguous items constructed to touch a surface: not limited, since only rounding decides them.
    #[must_use]
    pub fn ambiguous_touching(&self) -> u64 {
        self.ambiguous_touching
    }

    /// Ambiguous items not constructed so; their number is limited.
    #[must_use]
    pub fn ambiguous_by_chance(&self) -> u64 {
        self.count(Agreement::Ambiguous) - self.ambiguous_touching
    }

    /// The item with the largest error, as a fraction of its bound, among those that match or are within their bounds.
    #[must_use]
    pub fn farthest(&self) -> Option<&Finding> {
        self.farthest.as_ref()
    }

    /// Its error as a fraction of its bound.
    #[must_use]
    pub fn largest_ratio(&self) -> f64 {
        self.farthest().and_then(|farthest| farthest.ratio).unwrap_or(0.0)
    }

    /// The item with the worst verdict; among those the one with the largest error, as a fraction of its bound.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        self.worst.as_ref()
    }

    /// The first wrong items, at most 100.
    #[must_use]
    pub fn wrong(&self) -> &[Finding] {
        &self.wrong
    }

    /// True if something was judged, nothing is wrong and no more items are ambiguous than allowed; one item may always
    /// be.
    #[must_use]
    pub fn passes(&self) -> bool {
        let ordinary = self.items() - self.touching;
        self.items() > 0
            && self.count(Agreement::Wrong) == 0
            && self.ambiguous_by_chance() <= allowance(self.ambiguous_share, ordinary)
    }
}

/// Number of `items` that a fraction allows: a single one does not define a fraction.
pub(super) fn allowance(share: f64, items: u64) -> u64 {
    ((share * items as f64) as u64).max(1)
}

fn rank(finding: &Finding) -> (Agreement, f64) {
    (finding.verdict, finding.ratio.unwrap_or(0.0))
}
