//! Vehicles: mass, wheels, structure, aerodynamics and the pilot.
//!
//! # Conventions
//! Body frame: origin at the centre of gravity, X forward, Y right, Z down. Control surfaces as in Roskam: elevator
//! down, right aileron up and rudder left are positive, so that `Cm_de` and `Cn_dr` are negative, `Cl_da` positive.
//! Positive steering angles turn the wheel to the right.

mod aerodynamics;
mod autoland;
mod file;
mod flare;
mod ground_effect;
mod modes;
mod pilot;

use std::sync::Arc;

use glam::{DMat3, DVec3};

pub use aerodynamics::{Aerodynamics, AirState, SLOWEST_FLOW, Surfaces};
pub use autoland::Autoland;
pub use file::{read_wheel, wheel_from_document};
pub use flare::Flare;
pub use ground_effect::GroundEffect;
pub use modes::GearModes;
pub use pilot::{Approach, Pilot};

use crate::airframe::Airframe;
use crate::query::WheelParameters;
use crate::query::rules::PEDAL_RATE;

/// Maximum number of wheels of a vehicle.
pub const MAX_WHEELS: usize = 16;
/// Maximum number of structural points of a vehicle.
pub const MAX_STRUCTURE: usize = 64;

/// Maximum number of sub-steps of the gear in a step.
pub const MAX_GEAR_SUBSTEPS: u32 = 64;

/// In a longer step \[s\] a fall adds more than 2 mm to what the speed at its begin foretells.
const LONG_STEP: f64 = 0.02;
/// By more of the target a step may not change the deceleration that is regulated: the deceleration is known a step late.
const MOST_PEDAL_CHANGE: f64 = 0.5;
/// Minimum number of them while a wheel is lively: contact and slip are faster than the slow gear of a transport, and
/// fewer sub-steps would cut its peaks by more than 1 %.
const MIN_LIVELY_SUBSTEPS: u32 = 4;
/// Rate of the gear's fastest mode times the sub-step that resolves it.
const GEAR_RESOLUTION: f64 = 1.0 / 10.0;
/// The same for a sub-step that only has to be stable. Dampers reach up to 1, half of the stability limit of Euler's
/// method: forces use velocities predicted by the previous sub-step.
const STABLE_RESOLUTION: f64 = 1.0 / 2.0;

/// Number of sub-steps of the gear in a step in which a wheel touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GearSubsteps {
    /// If all touching wheels roll or stand calmly.
    pub calm: u32,
    /// If one gains contact, or its spring moves.
    pub lively: u32,
}

/// Model of the contact between a vehicle's wheels and the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroundReactions {
    /// The pebble-and-spring wheel (docs/theory/wheels.md).
    #[default]
    Pebble,
    /// JSBSim's own: struts along the body's Z axis, friction that stops the points of contact within limits.
    Jsbsim,
}

impl GroundReactions {
    /// Both, with their names in files.
    pub const NAMES: [(&'static str, Self); 2] = [("pebble", Self::Pebble), ("jsbsim", Self::Jsbsim)];

    /// Name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pebble => "pebble",
            Self::Jsbsim => "jsbsim",
        }
    }
}

/// All data of a vehicle that a landing needs.
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
    /// The model of their contact with the ground.
    pub ground_reactions: GroundReactions,
    /// Points that must not touch anything, at most [`MAX_STRUCTURE`].
    pub structure: Vec<StructuralPoint>,
    /// Aerodynamics; `None` in a vacuum, for bodies that do not fly, and for aircraft with physics of their own.
    pub aerodynamics: Option<Aerodynamics>,
    /// The physics of the aircraft's own file, in place of `aerodynamics` and `thrust`: the pilot's surfaces are then commands
    /// from -1 to 1, and thrust is a throttle from 0 to 1.
    pub airframe: Option<Arc<Airframe>>,
    /// Engines.
    pub thrust: Thrust,
    /// The pilot.
    pub pilot: Pilot,
    /// Default approach.
    pub approach: Approach,
    /// Autoland laws; `None` if the vehicle is flown by the pilot alone.
    pub autoland: Option<Autoland>,
    /// The pilot's flare without autoland; `None` if the attitude at the start is held until touchdown.
    pub flare: Option<Flare>,
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

    /// Why no body has this inertia, or `None`: the tensor of a real body is positive definite, and no moment exceeds
    /// the sum of the others.
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
    /// Coefficient of a load-dependent brake \[1\]: at full brake it adds this fraction of the normal force to the
    /// braking strength; zero without one.
    pub brake_friction: f64,
    /// Largest steering angle \[rad\]; zero if fixed.
    pub steering: f64,
    /// Friction of its own, which JSBSim's ground reactions need; `None` if all of it is the ground's.
    pub friction: Option<ContactFriction>,
}

/// Friction coefficients of a wheel or pad of its own, on ground of [`OWN_FRICTION_GROUND`].
///
/// [`OWN_FRICTION_GROUND`]: crate::query::OWN_FRICTION_GROUND
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFriction {
    /// The peak of the side force and the brake's limit of a wheel; of a pad that does not move \[1\].
    pub at_rest: f64,
    /// Of a pad that moves \[1\].
    pub moving: f64,
}

impl Wheel {
    /// True for a pad, which never rolls.
    #[must_use]
    pub fn is_pad(&self) -> bool {
        self.brake.is_infinite()
    }

    /// The lowest point of the wheel with its spring relaxed, body \[m\].
    #[must_use]
    pub fn foot(&self) -> DVec3 {
        self.position + DVec3::Z * self.parameters.z_max
    }
}

/// A point of the structure that must stay clear of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuralPoint {
    /// Name for results.
    pub name: String,
    /// Position, body \[m\].
    pub position: DVec3,
}

/// Engine forces along the body's X axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrust {
    /// Forward thrust at idle \[N\].
    pub idle: f64,
    /// Reverse thrust \[N\], positive; zero without reversers.
    pub reverse: f64,
    /// Airspeed below which reverse thrust is reduced to idle \[m/s\].
    pub reverse_cutoff: f64,
    /// Z of the line of thrust, body \[m\].
    pub line: f64,
}

impl Vehicle {
    /// The laws in effect until a main wheel touches: those of the autoland, else of the pilot's flare. `None` if the
    /// pilot holds the attitude at the start.
    #[must_use]
    pub fn laws(&self) -> Option<Autoland> {
        self.autoland.or_else(|| self.flare.as_ref().map(Flare::laws))
    }

    /// The first wheel that lacks what a model of ground reactions needs, or `None`.
    #[must_use]
    pub fn lacks_for(&self, ground_reactions: GroundReactions) -> Option<&Wheel> {
        self.wheels.iter().find(|wheel| ground_reactions == GroundReactions::Jsbsim && wheel.friction.is_none())
    }

    /// Largest deflection of a surface \[rad\], or largest command \[1\] of an aircraft with physics of its own; 0 if it does not fly.
    #[must_use]
    pub fn surface_limit(&self) -> f64 {
        match &self.airframe {
            Some(_) => 1.0,
            None => self.aerodynamics.as_ref().map_or(0.0, |aerodynamics| aerodynamics.surface_limit),
        }
    }

    /// Span of the wing \[m\]; `None` without air forces.
    #[must_use]
    pub fn span(&self) -> Option<f64> {
        let of_airframe = self.airframe.as_ref().map(|airframe| airframe.description().air_forces.sizes.span);
        self.aerodynamics.as_ref().map(|aerodynamics| aerodynamics.span).or(of_airframe)
    }

    /// True if spoilers have an effect.
    #[must_use]
    pub fn has_spoilers(&self) -> bool {
        self.aerodynamics.as_ref().is_some_and(Aerodynamics::has_spoilers)
            || self.airframe.as_ref().is_some_and(|airframe| airframe.has_spoilers())
    }

    /// Distance of the outermost main wheel from the plane of symmetry \[m\]: wing tips may be imported as wheels too.
    #[must_use]
    pub fn half_track(&self) -> f64 {
        self.wheels.iter().filter(|wheel| wheel.main).map(|wheel| wheel.position.y.abs()).fold(0.0, f64::max)
    }

    /// Warnings about this vehicle; empty if there are none.
    #[must_use]
    pub fn warnings(&self, step: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        let (greatest, stable) = (self.greatest_step(), self.greatest_stable_step());
        let fault = if step > stable {
            Some((stable, "is stable"))
        } else {
            (step > greatest).then_some((greatest, "has peaks within 1 % of what they converge to"))
        };
        if let Some((limit, what)) = fault {
            warnings.push(format!(
                "step {step} s is above {limit:.2e} s, up to which the gear {what}: its fastest mode, rotation included, has a \
                 rate of {:.0} /s",
                self.gear_modes().rate()
            ));
        }
        if step > LONG_STEP && fault.is_none() {
            warnings.push(format!(
                "step {step} s is above {LONG_STEP} s: in one a vehicle falls {:.1} mm more than its speed says, and may touch a step \
                 late",
                1e3 * 0.5 * 9.806_65 * step * step
            ));
        }
        let target = self.pilot.target_deceleration;
        let braking: f64 =
            self.wheels.iter().filter(|wheel| !wheel.is_pad()).map(|wheel| wheel.brake).sum::<f64>() / self.mass;
        // By as much of what it should be does a step of full pedal rate change the deceleration.
        if target > 0.0 && step * PEDAL_RATE * braking > MOST_PEDAL_CHANGE * target {
            warnings.push(format!(
                "the brakes' {braking:.0} m/s² at full pedal are too strong for `target_deceleration` to be held with steps of {step} s: \
                 they swing between too little and too much; keep them below {:.0} m/s²",
                MOST_PEDAL_CHANGE * target / (step * PEDAL_RATE)
            ));
        }
        if let Some(weave) = self.weaving_stiffness() {
            warnings.push(format!(
                "free rolling may weave: the horizontal springs' first moment is {weave:.0} N forward of the centre of gravity"
            ));
        }
        for wheel in self.wheels.iter().filter(|wheel| wheel.foot().z <= 0.0) {
            warnings.push(format!(
                "wheels.{}: its foot is {:.3} m above the centre of gravity{}; Z points down",
                wheel.name,
                0.0 - wheel.foot().z,
                if wheel.main { ", and nothing stands on it though it is a main wheel" } else { "" }
            ));
        }
        warnings
    }

    /// Sub-steps of the gear in a step \[s\] in which a wheel touches. If one gains contact, springs or is released, as
    /// many as keep the rate of its fastest mode times a sub-step at most 1/10, from 4 to 64: peaks are then within 1 %
    /// of their converged values, up to [`Self::greatest_step`]. If all roll or stand calmly, as many as stay stable,
    /// up to [`Self::greatest_stable_step`].
    #[must_use]
    pub fn gear_substeps(&self, step: f64) -> GearSubsteps {
        // The rate is known to some digits: a step smaller by rounding must not cost a sub-step.
        const ROUNDING: f64 = 1e-6;
        let rate = self.gear_modes().rate();
        // An infinite rate takes the maximum.
        let resolving = |resolution: f64, least: u32| {
            let wanted = step * rate / resolution * (1.0 - ROUNDING);
            wanted.ceil().clamp(f64::from(least), f64::from(MAX_GEAR_SUBSTEPS)) as u32
        };
        GearSubsteps { calm: resolving(STABLE_RESOLUTION, 1), lively: resolving(GEAR_RESOLUTION, MIN_LIVELY_SUBSTEPS) }
    }

    /// The largest step \[s\] in which the maximum number of sub-steps resolves the fastest mode of the gear.
    #[must_use]
    pub fn greatest_step(&self) -> f64 {
        self.step_of_most_substeps(GEAR_RESOLUTION)
    }

    /// The largest step \[s\] that is stable with the maximum number of sub-steps.
    #[must_use]
    pub fn greatest_stable_step(&self) -> f64 {
        self.step_of_most_substeps(STABLE_RESOLUTION)
    }

    fn step_of_most_substeps(&self, resolution: f64) -> f64 {
        resolution * f64::from(MAX_GEAR_SUBSTEPS) / self.gear_modes().rate()
    }

    /// First moment \[N\] of the horizontal stiffness about the centre of gravity, if clearly forward of it: more than
    /// a tenth of the moment of the forward wheels alone (docs/theory/wheels.md).
    fn weaving_stiffness(&self) -> Option<f64> {
        // Casters provide no lateral stiffness.
        let held = self.wheels.iter().filter(|wheel| !wheel.parameters.caster);
        let moments = held.map(|wheel| -wheel.parameters.k_xy * wheel.position.x);
        let (forward, total) =
            moments.fold((0.0, 0.0), |(forward, total), moment| (forward + moment.max(0.0), total + moment));
        let rolls_on_springs = self.ground_reactions == GroundReactions::Pebble;
        let flies = self.aerodynamics.is_some() || self.airframe.is_some();
        (rolls_on_springs && flies && total > 0.1 * forward).then_some(total)
    }
}
