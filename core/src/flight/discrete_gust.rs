//! A gust of the form of CS-25.341(a): one minus a cosine along the way.
//!
//! ```text
//! u = peak / 2 (1 - cos(pi s / H)) = peak sin^2(pi s / (2 H)),  0 <= s <= 2 H
//! ```
//!
//! with the distance s flown into it and the gradient distance H. The gust stands still in air that moves with the wind: s is
//! the airspeed at the start of the landing times the time since the gust has begun.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::DVec3;

use crate::elementary::sin_cos;
use crate::query::{Input, LandingInputs};

/// A gust that comes once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteGust {
    /// Its peak, world axes \[m/s\].
    pub peak: DVec3,
    /// When it begins \[s\].
    pub begin: f64,
    /// Rate at which the angle grows whose sine's square it has \[rad/s\].
    pub rate: f64,
}

impl DiscreteGust {
    /// `None` without a peak.
    #[must_use]
    pub fn new(inputs: &LandingInputs) -> Option<Self> {
        let get = |input| inputs.get(input);
        let peak = DVec3::new(-get(Input::GustHeadwind), get(Input::GustCrosswind), get(Input::GustUpdraft));
        let rate = FRAC_PI_2 * get(Input::Airspeed) / get(Input::GustGradientDistance);
        (peak != DVec3::ZERO).then_some(Self { peak, begin: get(Input::GustTime), rate })
    }

    /// Velocity of the gust at a time \[s\], world axes \[m/s\].
    #[must_use]
    pub fn at(&self, time: f64) -> DVec3 {
        // Beyond its ends it is 0 there as well: the sine of half a turn need not be.
        let angle = self.rate * (time - self.begin);
        if !(0.0..=PI).contains(&angle) {
            return DVec3::ZERO;
        }
        let (sine, _) = sin_cos(angle);
        self.peak * (sine * sine)
    }
}
