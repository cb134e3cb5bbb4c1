//! Ground effect on a wing: lifting-line theory with the wing's image below the ground.
//!
//! # Sources
//! C. Wieselsberger, Wing Resistance Near the Ground, NACA TM 77 (1922): the image reduces the wing's induced angle,
//! and the resulting drag, by a fraction s. For a wing of span b at a height h above the ground
//!
//! ```text
//! s = (1 - 1.32 h/b) / (1.05 + 7.4 h/b)
//! ```
//!
//! given for h/b from 1/15 to 1/2; it is held at 0 above h/b = 0.76, its zero. Integrating the image of an elliptic
//! wing gives the same within 0.003 up to h/b = 1/4 and within 0.05 elsewhere.
//!
//! # Factors
//! With the aspect ratio A = b^2 / S the induced angle is `CL / (pi A)` in free air (Prandtl). Let
//! `a = lift_alpha / (pi A)`, the fraction of the lift lost to it; it is at most 1/2, the value of a slender wing (R.
//! T. Jones, NACA Report 835).
//!
//! - *Lift* at the same attitude grows by `g = 1 / (1 - s a)`: the reduction of the angle of attack is smaller by
//!   `s CL / (pi A)`.
//! - *Induced drag* at the same lift falls to `r = 1 - s`.
//! - *Downwash* at the tail is twice the induced angle, `2 CL / (pi A)`; near the ground `(1 - s)` of that. The
//!   pitching moment of the tail per angle follows from the lift due to pitch rate, which is the tail's:
//!   `lift_pitch_rate / 2` (Roskam, Airplane Flight Dynamics, chapter 3, as is the form of `pitch_pitch_rate`). With
//!   the wing's lift coefficient CL near the ground and `CL (1 - s a)` far from it the pitching moment changes by
//!   `-(lift_pitch_rate / 2) (2 / (pi A)) (CL (1 - s a) - CL (1 - s)) = -d CL`,
//!   `d = s (1 - a) lift_pitch_rate / (pi A)`: nose down. The additional lift of the tail is neglected; it is 1/50 of
//!   the wing's.

use std::f64::consts::PI;

use glam::DVec3;

use super::Aerodynamics;

/// Effects of a wing's height above the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundEffect {
    /// Factor of the wing's lift at the same attitude.
    pub lift: f64,
    /// Factor of the induced drag at the same lift.
    pub induced_drag: f64,
    /// Pitching moment lost per lift coefficient of the wing.
    pub downwash: f64,
}

impl GroundEffect {
    /// For a wing at a height above the ground \[m\].
    #[must_use]
    pub fn new(aerodynamics: &Aerodynamics, wing_height: f64) -> Self {
        if !aerodynamics.ground_effect {
            return Self { lift: 1.0, induced_drag: 1.0, downwash: 0.0 };
        }
        let share = Self::share(wing_height / aerodynamics.span);
        Self {
            lift: 1.0 / (1.0 - share * aerodynamics.lift_cost()),
            induced_drag: 1.0 - share,
            downwash: share * aerodynamics.downwash_moment(),
        }
    }

    /// Fraction of a wing's own downwash cancelled by its image, from height over span.
    #[must_use]
    pub fn share(height_over_span: f64) -> f64 {
        let ratio = height_over_span.clamp(0.0, 1.0);
        ((1.0 - 1.32 * ratio) / (1.05 + 7.4 * ratio)).max(0.0)
    }
}

impl Aerodynamics {
    /// Height of the wing above the ground \[m\], for a body with its centre of gravity at this height and its Z axis
    /// in this world direction.
    #[must_use]
    pub fn wing_above_ground(&self, height: f64, down: DVec3) -> f64 {
        height - self.wing_height * down.z
    }

    /// The fraction of the lift slope lost to the wing's own downwash: lift slope over pi times the aspect ratio.
    pub fn lift_cost(&self) -> f64 {
        (self.lift_alpha / self.round_aspect()).clamp(0.0, 0.5)
    }

    /// Pitching moment due to the wing's downwash on the tail, per lift coefficient of the wing near the ground and per
    /// unit of the image's fraction.
    pub fn downwash_moment(&self) -> f64 {
        (1.0 - self.lift_cost()) * self.lift_pitch_rate.max(0.0) / self.round_aspect()
    }

    /// Pi times the aspect ratio.
    fn round_aspect(&self) -> f64 {
        PI * self.span * self.span / self.area
    }
}
