//! Counts of verdicts.

use super::{Agreement, Finding};
use crate::study::statistics::clopper_pearson_lower;

/// Ambiguous items allowed, as a fraction of those not constructed to touch a surface.
const AMBIGUOUS_SHARE: f64 = 1e-3;
/// Unjudged items allowed, as a fraction of the same: where bodies touch at the very end of an edge, or a tiny one a huge one, a
/// divisor may vanish within rounding, in up to 0.8 % of the items of a class.
const UNJUDGED_SHARE: f64 = 0.01;
/// The least probability of a count that passes: one in a million checks fails by chance.
pub(super) const MIN_P_VALUE: f64 = 1e-6;
/// Maximum number of wrong items kept.
const KEPT: usize = 100;

/// Results of the items of one job in one class of scenes or one study.
#[derive(Clone, Debug, Default)]
pub struct Agreements {
    counts: [u64; Agreement::ALL.len()],
    /// Items constructed to touch a surface.
    touching: u64,
    /// The ambiguous ones among them.
    ambiguous_touching: u64,
    /// The unjudged ones among them.
    unjudged_touching: u64,
    /// The item with the largest error, as a fraction of its bound, among those that match or are within their bounds.
    farthest: Option<Finding>,
    worst: Option<Finding>,
    wrong: Vec<Finding>,
}

impl Agreements {
    /// Counts an item.
    pub fn add(&mut self, finding: Finding) {
        let verdict = finding.verdict;
        self.counts[verdict as usize] += 1;
        if finding.made_to_touch {
            self.touching += 1;
            self.ambiguous_touching += u64::from(verdict == Agreement::Ambiguous);
            self.unjudged_touching += u64::from(verdict == Agreement::Unjudged);
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

    /// Unjudged items not constructed so; their number is limited as well.
    #[must_use]
    pub fn unjudged_by_chance(&self) -> u64 {
        self.count(Agreement::Unjudged) - self.unjudged_touching
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

    /// True if something was judged, nothing is wrong and neither the items that are ambiguous by chance nor those unjudged
    /// by chance show a larger share than may be.
    #[must_use]
    pub fn passes(&self) -> bool {
        let ordinary = self.items() - self.touching;
        self.items() > 0
            && self.count(Agreement::Wrong) == 0
            && !exceeds(self.ambiguous_by_chance(), ordinary, AMBIGUOUS_SHARE)
            && !exceeds(self.unjudged_by_chance(), ordinary, UNJUDGED_SHARE)
    }
}

/// True if so many of the items are what only this share of them may be: chance alone would say so of less than one check in a
/// million.
pub(super) fn exceeds(count: u64, items: u64, share: f64) -> bool {
    clopper_pearson_lower(count, items, 1.0 - MIN_P_VALUE) > share
}

fn rank(finding: &Finding) -> (Agreement, f64) {
    (finding.verdict, finding.ratio.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::{DrawnItem, EllipsoidClass, Ellipsoids};

    #[test]
    fn items_about_which_no_bound_says_anything_are_limited() {
        let item = DrawnItem::<Ellipsoids> { class: EllipsoidClass::NearTangent, seed: 1, number: 1 };
        let finding = |verdict, made_to_touch| Finding::measured(item, made_to_touch, (verdict, "F", None));
        let mut tally = Agreements::default();
        (0..980).for_each(|_| tally.add(finding(Agreement::Match, false)));
        (0..100).for_each(|_| tally.add(finding(Agreement::Unjudged, true)));
        (0..20).for_each(|_| tally.add(finding(Agreement::Unjudged, false)));
        assert!(tally.passes() && tally.unjudged_by_chance() == 20);
        (0..20).for_each(|_| tally.add(finding(Agreement::Unjudged, false)));
        assert!(!tally.passes());
    }

    #[test]
    fn a_share_is_exceeded_where_chance_does_not_explain_the_count() {
        // The least counts of a binomial tail below 1e-6, by SciPy 1.17: `binom.sf(count - 1, items, share)`.
        let least = [
            (3, 3, 1e-3),
            (6, 64, 5e-3),
            (9, 890, 1e-3),
            (20, 500, 0.01),
            (42, 17_800, 1e-3),
            (1155, 1_000_000, 1e-3),
            (1_004_756, 1_000_000_000, 1e-3),
        ];
        for (count, items, share) in least {
            assert!(exceeds(count, items, share) && !exceeds(count - 1, items, share), "{count} of {items}");
        }
        assert!(!exceeds(0, 0, 1e-3) && !exceeds(1, 1, 1e-3));
    }
}
