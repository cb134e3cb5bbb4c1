//! Where a line runs inside a convex solid.

/// The part of a line inside a convex solid: lambda in [enter, exit], empty when `enter > exit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// First lambda inside.
    pub enter: f64,
    /// Last lambda inside.
    pub exit: f64,
    /// The whole line lies in the border (docs/theory/entry-points.md, 5).
    pub flat: bool,
}

impl Interval {
    /// Nowhere inside.
    pub const EMPTY: Self = Self { enter: f64::INFINITY, exit: f64::NEG_INFINITY, flat: false };
    /// Inside everywhere.
    pub const WHOLE: Self = Self { enter: f64::NEG_INFINITY, exit: f64::INFINITY, flat: false };

    /// Inside everywhere or nowhere, by the sign of a distance that does not change along the line.
    pub(super) fn constant(distance: f64) -> Self {
        if distance > 0.0 { Self::EMPTY } else { Self { flat: distance == 0.0, ..Self::WHOLE } }
    }

    /// True when no lambda is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.enter > self.exit
    }

    /// True when the border of the solid is met at lambda. A line that lies in the plane of a cap lies in the border
    /// only where it is in the solid.
    #[must_use]
    pub(crate) fn is_border(&self, lambda: f64) -> bool {
        let within = (lambda >= self.enter) & (lambda <= self.exit);
        (lambda == self.enter) | (lambda == self.exit) | (self.flat & within)
    }

    pub(super) fn intersect(self, other: Self) -> Self {
        let both =
            Self { enter: self.enter.max(other.enter), exit: self.exit.min(other.exit), flat: self.flat || other.flat };
        if both.is_empty() { Self::EMPTY } else { both }
    }

    /// The smallest interval around both: of a line that lies in the border of neither, or of parts that share none.
    pub(super) fn hull(self, other: Self) -> Self {
        Self { enter: self.enter.min(other.enter), exit: self.exit.max(other.exit), flat: false }
    }
}
