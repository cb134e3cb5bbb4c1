//! The scale of pictures of distances.

use super::color::ramp;
use crate::scene::Color;

/// Colours of distances: by their logarithm, so that near things differ as well as far ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DepthScale {
    /// Least and greatest distance \[m\]; `None` when nothing is in sight.
    pub(super) range: Option<(f32, f32)>,
}

impl DepthScale {
    /// Distances below this share of the greatest are as good as none: their logarithm would take the whole scale.
    const SPAN: f32 = 1e-6;

    pub(super) fn new(range: Option<(f32, f32)>) -> Self {
        Self { range: range.map(|(near, far)| (near.max(far * Self::SPAN), far)) }
    }

    /// Where a distance \[m\] stands on the scale: 0 for the nearest, 1 for the farthest.
    pub(super) fn share(&self, distance: f32) -> f32 {
        match self.range {
            Some((near, far)) if far > near => ((distance.max(near) / near).ln() / (far / near).ln()).min(1.0),
            _ => 0.0,
        }
    }

    /// Near is bright.
    pub(super) fn color(&self, distance: f32) -> Color {
        ramp(1.0 - self.share(distance))
    }
}
