//! Steady flight down a path with an aircraft's own physics.

mod nodes;
mod search;

use glam::DVec3;

pub(super) use self::nodes::Known;
use self::search::{BALANCED, Search};
use super::Airframe;

/// Improvements of the path of a glide.
const GLIDE_ROUNDS: usize = 6;

/// What a steady flight is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyFlight {
    /// Mass \[kg\].
    pub mass: f64,
    /// Acceleration of gravity \[m/s^2\].
    pub gravity: f64,
    /// Speed through the air \[m/s\].
    pub airspeed: f64,
    /// Density of the air \[kg/m^3\].
    pub density: f64,
    /// Its temperature \[K\].
    pub temperature: f64,
    /// Angle of the path below the horizon \[rad\].
    pub descent: f64,
    /// Height of the centre of gravity above the ground \[m\].
    pub height: f64,
    /// Largest throttle, 0 to 1; 0 for flights without power.
    pub greatest_throttle: f64,
}

/// A steady flight without sideslip, wings level.
#[derive(Clone, Debug, PartialEq)]
pub struct Trimmed {
    /// \[rad\].
    pub angle_of_attack: f64,
    /// Command, -1 to 1.
    pub elevator: f64,
    /// Command, -1 to 1: what balances the rolling moment of a propeller, say; 0 for what is symmetric.
    pub aileron: f64,
    /// Command, -1 to 1, likewise of the yawing moment.
    pub rudder: f64,
    /// Command, 0 to 1.
    pub throttle: f64,
    /// What is left of force over weight, and of moment over weight and chord: where it is not small, there is no steady flight.
    pub imbalance: f64,
    /// What a step leaves to the next.
    pub kept: Vec<f64>,
}

impl Trimmed {
    /// With aileron and rudder at rest.
    fn without_sides(at: DVec3, kept: Vec<f64>) -> Self {
        let [angle_of_attack, elevator, throttle] = at.into();
        Self { angle_of_attack, elevator, aileron: 0.0, rudder: 0.0, throttle, imbalance: 0.0, kept }
    }

    /// What balances forces and pitching moment.
    fn at(&self) -> DVec3 {
        DVec3::new(self.angle_of_attack, self.elevator, self.throttle)
    }
}

impl Airframe {
    /// The flight at the same airspeed down the path that the aircraft takes with its throttle closed; none if no path is found.
    #[must_use]
    pub fn glide(&self, flight: &SteadyFlight) -> Option<SteadyFlight> {
        let mut glide = SteadyFlight { greatest_throttle: 0.0, ..*flight };
        for _ in 0..GLIDE_ROUNDS {
            let off = Search::new(self, &glide).off_without_sides(&self.solve(&glide));
            if off.length() < BALANCED {
                return Some(glide);
            }
            // What drives it forward on its path makes the path flatter.
            glide.descent -= off.x;
        }
        None
    }

    /// The steady flight: Newton's method on forces along body X and Z and on the pitching moment, with controls and engines settled at
    /// each point, then on rolling and yawing moment. Where none exists within the limits, what comes nearest; without thrust that is
    /// where lift and moment balance.
    #[must_use]
    pub fn solve(&self, flight: &SteadyFlight) -> Trimmed {
        Search::new(self, flight).anywhere().0
    }
}
