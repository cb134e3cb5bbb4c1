//! Errors of results, with their bounds.

use std::cmp::Ordering;

use super::Agreement;
use super::drawn::Judged;
use super::steps::verdict;

/// The error of a number or vector, in the unit of its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Name of the quantity.
    pub what: &'static str,
    /// Difference between candidate and judge.
    pub error: f64,
    /// Its bound.
    pub bound: f64,
}

impl Deviation {
    pub(super) fn new(what: &'static str, error: f64, bound: f64) -> Self {
        Self { what, error, bound }
    }

    /// The error as a fraction of its bound; infinite for NaN of any sign.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        if self.error == 0.0 {
            return 0.0;
        }
        let ratio = self.error / self.bound;
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    }

    /// True of an error about which its bound says nothing, whatever its size.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.error != 0.0 && self.error.is_finite() && self.bound == f64::INFINITY
    }

    /// What the error comes to, where all decisions are the same.
    pub(super) fn verdict(&self) -> Agreement {
        if self.is_unbounded() { Agreement::Unjudged } else { verdict(self.ratio()) }
    }

    /// Beyond its bound before without a bound before within it; then by the error as a fraction of its bound.
    pub(super) fn is_worse_than(&self, other: &Self) -> bool {
        let kind = |of: &Self| (of.ratio() > 1.0, of.is_unbounded());
        match kind(self).cmp(&kind(other)) {
            Ordering::Equal => self.ratio() > other.ratio(),
            order => order.is_gt(),
        }
    }
}

/// The worst of some errors.
pub(super) fn worst(deviations: impl IntoIterator<Item = Deviation>) -> Option<Deviation> {
    deviations.into_iter().reduce(|worst, other| if other.is_worse_than(&worst) { other } else { worst })
}

/// What the worst of some errors comes to, and what it is an error of.
pub(super) fn judged(worst: Option<Deviation>) -> Judged {
    worst.map_or((Agreement::Match, "nothing", None), |worst| (worst.verdict(), worst.what, Some(worst)))
}

/// The largest error as a fraction of its bound, and the quantity's name.
pub(super) fn largest<'a>(deviations: impl IntoIterator<Item = &'a Deviation>) -> (f64, &'static str) {
    let shares = deviations.into_iter().map(|deviation| (deviation.ratio(), deviation.what));
    shares.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_farther_off_than_anything() {
        for nan in [f64::NAN, -f64::NAN] {
            let deviations = [Deviation::new("a", nan, 1.0), Deviation::new("b", 1e300, 1.0)];
            assert_eq!(largest(&deviations), (f64::INFINITY, "a"));
        }
        assert_eq!(Deviation::new("a", 1.0, 0.0).ratio(), f64::INFINITY);
        assert_eq!(Deviation::new("a", 0.0, 0.0).ratio(), 0.0);
    }

    #[test]
    fn an_error_without_a_bound_is_no_match() {
        let [small, open, far] =
            [(1e-9, 1.0), (1e-9, f64::INFINITY), (2.0, 1.0)].map(|(error, bound)| Deviation::new("a", error, bound));
        assert_eq!(
            [small, open, far].map(|it| it.verdict()),
            [Agreement::Match, Agreement::Unjudged, Agreement::Wrong]
        );
        assert_eq!(worst([small, open]), Some(open));
        assert_eq!(worst([open, far, small]), Some(far));
        for error in [f64::NAN, f64::INFINITY] {
            assert_eq!(Deviation::new("a", error, f64::INFINITY).verdict(), Agreement::Wrong);
        }
        assert_eq!(Deviation::new("a", 0.0, f64::INFINITY).verdict(), Agreement::Match);
    }
}
