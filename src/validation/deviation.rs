//! Errors of results, with their bounds.

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
}
