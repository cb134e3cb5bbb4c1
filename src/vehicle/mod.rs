//! Vehicles: mass, wheels, structure, air forces and the pilot who lands them.
//!
//! # Conventions
//! Body frame: origin in the centre of gravity, X forward, Y right, Z down. Control surfaces as in Roskam: elevator
//! down, right aileron up and rudder left are positive, so that `Cm_de` and `Cn_dr` are negative, `Cl_da` positive.
//! Steering angles turn the wheel to the right when positive.

mod aerodynamics;
mod autoland;
mod file;
mod pilot;

use glam::{DMat3, DVec3};

pub use aerodynamics::{Aerodynamics, AirState, SLOWEST_FLOW, Surfaces};
pub use autoland::Autoland;
pub use file::{read_wheel, wheel_from_document};
pub use pilot::{Approach, Pilot};

use crate::query::WheelParameters;

/// Greatest number of wheels of a vehicle.
pub const MAX_WHEELS: usize = 16;
/// Greatest number of structural points of a vehicle.
pub const MAX_STRUCTURE: usize = 64;

/// Everything a landing needs to know of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Vehicle {
    /// Name for reports.
    pub name: String,
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia at this mass.
    pub inertia: Inertia,
    /// Wheels, at least one, at most [`MAX_WHEELS`].
    pub wheels: Vec<Wheel>,
    /// Points that must not touch anything, at most [`MAX_STRUCTURE`].
    pub structure: Vec<StructuralPoint>,
    /// Air forces; `None` in a vacuum or for bodies that do not fly.
    pub aerodynamics: Option<Aerodynamics>,
    /// Engines.
    pub thrust: Thrust,
    /// The pilot.
    pub pilot: Pilot,
    /// How the vehicle comes in when a study says nothing else.
    pub approach: Approach,
    /// The laws by which it lands itself; `None` where it is flown by the pilot alone.
    pub autoland: Option<Autoland>,
}

/// Moments and products of inertia about the centre of gravity \[kg m^2\].
///
/// Products are integrals such as xz = integral of x z dm; the tensor has them with a minus sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Moment about X.
    pub xx: f64,
    /// Moment about Y.
    pub yy: f64,
    /// Moment about Z.
    pub zz: f64,
    /// Product of X and Y.
    pub xy: f64,
    /// Product of X and Z.
    pub xz: f64,
    /// Product of Y and Z.
    pub yz: f64,
}

impl Inertia {
    /// The tensor.
    #[must_use]
    pub fn tensor(&self) -> DMat3 {
        DMat3::from_cols(
            DVec3::new(self.xx, -self.xy, -self.xz),
            DVec3::new(-self.xy, self.yy, -self.yz),
            DVec3::new(-self.xz, -self.yz, self.zz),
        )
    }

    /// Why no body has this inertia, or `None`: a real body's tensor is positive definite, and no moment is above the
    /// sum of the others.
    #[must_use]
    pub fn defect(&self) -> Option<String> {
        let Self { xx, yy, zz, xy, .. } = *self;
        let within_sum = |[name, other, another]: [&str; 3], moment: f64, sum: f64| {
            (moment <= sum, format!("{name} = {moment} is above {other} + {another} = {sum}"))
        };
        let conditions = [
            (xx > 0.0, format!("xx = {xx} is not above 0")),
            within_sum(["xx", "yy", "zz"], xx, yy + zz),
            within_sum(["yy", "xx", "zz"], yy, xx + zz),
            within_sum(["zz", "xx", "yy"], zz, xx + yy),
            (xx * yy - xy * xy > 0.0, format!("the product xy = {xy} is too large: xy^2 must be below xx yy")),
            (
                self.tensor().determinant() > 0.0,
                "the products are too large: the tensor must be positive definite".to_owned(),
            ),
        ];
        conditions.into_iter().find_map(|(holds, why)| (!holds).then_some(why))
    }
}

/// A wheel, or a pad when its brake never yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Name for results.
    pub name: String,
    /// Origin of the wheel frame, body \[m\].
    pub position: DVec3,
    /// Springs, dampers and travel.
    pub parameters: WheelParameters,
    /// Counts for touchdown and bounces.
    pub main: bool,
    /// Braking strength at full brake \[N\]; zero without a brake, infinite for a pad.
    pub brake: f64,
    /// Coefficient of a brake that follows the load \[1\]: at full brake it adds so much of the normal force to the
    /// braking strength; zero without one.
    pub brake_friction: f64,
    /// Greatest steering angle \[rad\]; zero when fixed.
    pub steering: f64,
}

/// A point of the structure that must stay clear of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuralPoint {
    /// Name for results.
    pub name: String,
    /// Place, body \[m\].
    pub position: DVec3,
}

/// Engine forces along the body's X axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrust {
    /// Forward thrust in idle \[N\].
    pub idle: f64,
    /// Reverse thrust \[N\], positive; zero without reversers.
    pub reverse: f64,
    /// Speed through the air below which reverse thrust is put back to idle \[m/s\].
    pub reverse_cutoff: f64,
    /// Z of the line of thrust, body \[m\].
    pub line: f64,
}

impl Vehicle {
    /// Things a user should know before trusting a study with this vehicle; empty when there are none.
    #[must_use]
    pub fn warnings(&self, step: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((mode, limit)) = self.least_stable_mode()
            && step > limit
        {
            warnings.push(format!("step {step} s is above {limit:.4} s, the stable limit of {mode}"));
        }
        if let Some(weave) = self.weaving_stiffness() {
            warnings.push(format!(
                "free rolling may weave: the horizontal springs' first moment is {weave:.0} N forward of the centre of gravity"
            ));
        }
        warnings
    }

    /// The largest stable step over springs and dampers taken one by one, each carrying its share of the mass:
    /// h < (-d + sqrt(d^2 + 4 m k)) / k (errata 000, stability). Vertical damping is the steepest of compression and
    /// rebound at the approach's sink rate. Returns the mode's name and its limit \[s\].
    fn least_stable_mode(&self) -> Option<(String, f64)> {
        let share = self.mass / self.wheels.len() as f64;
        let limit = |k: f64, d: f64| ((d * d + 4.0 * share * k).sqrt() - d) / k;
        self.wheels
            .iter()
            .flat_map(|wheel| {
                let p = &wheel.parameters;
                let vertical = ("vertical", p.greatest_stiffness(), p.greatest_damping(self.approach.sink_rate));
                [vertical, ("horizontal", -p.k_xy, -p.d_xy)]
                    .map(|(direction, k, d)| (format!("the {direction} spring of wheel {}", wheel.name), limit(k, d)))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// First moment \[N\] of the horizontal stiffness about the centre of gravity, when clearly forward of it: more
    /// than a tenth of the moment of the forward wheels alone (errata 000, weaving).
    fn weaving_stiffness(&self) -> Option<f64> {
        // Wheels that swivel freely hold nothing sideways.
        let held = self.wheels.iter().filter(|wheel| !wheel.parameters.caster);
        let moments = held.map(|wheel| -wheel.parameters.k_xy * wheel.position.x);
        let (forward, total) =
            moments.fold((0.0, 0.0), |(forward, total), moment| (forward + moment.max(0.0), total + moment));
        (self.aerodynamics.is_some() && total > 0.1 * forward).then_some(total)
    }
}
