//! Job `air_load`: forces and moments of the air on an aircraft, of the functions of its file.

use glam::DVec3;

use crate::air_forces::{AirForces, Flight};
use crate::job::Job;

/// Job: the air forces of an aircraft at a moment of its flight.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec3;
/// use touchdown::air_forces::{AirForces, AxisFunction, Description, Flight, Role, Sizes};
/// use touchdown::function::{Expression, Function};
/// use touchdown::job::Compute;
/// use touchdown::native::Native;
/// use touchdown::query::AirLoads;
///
/// // Drag of a coefficient of 0.5: dynamic pressure times area, in pounds.
/// let expression = Expression::of("aero/qbar-psf") * "metrics/Sw-sqft" * 0.5;
/// let drag = AxisFunction { function: Function { name: "drag".to_owned(), expression }, role: Role::Force(0) };
/// let sizes = Sizes { area: 2.0, span: 1.0, chord: 1.0, incidence: 0.0 };
/// let forces = AirForces::new(&Description { sizes, functions: vec![drag], ..Description::default() }, &[])?;
///
/// let flight = Flight {
///     air_velocity: DVec3::new(10.0, 0.0, 0.0),
///     density: 1.2,
///     sound: 340.0,
///     temperature: 288.0,
///     pressure: 1e5,
///     mass: 1.0,
///     ..Flight::default()
/// };
/// let load = &Native::new(1)?.compute::<AirLoads>(&forces, &[flight])?[0];
/// assert!((load.force.x + 0.5 * (0.5 * 1.2 * 10.0 * 10.0) * 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum AirLoads {}

impl Job for AirLoads {
    const NAME: &'static str = "air_load";
    type Shared<'a> = &'a AirForces;
    type Item = Flight;
    type Answer = AirLoad;
}

/// What is known of air forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirLoadStatus {
    /// They are known.
    Ok = 1,
    /// Functions lead to a force or moment that is no number, or beyond all numbers.
    NotFinite = 2,
    /// A number of the flight is not what it may be.
    BadInput = 3,
}

impl AirLoadStatus {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotFinite => "not_finite",
            Self::BadInput => "bad_input",
        }
    }
}

/// Air forces at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct AirLoad {
    /// What is known.
    pub status: AirLoadStatus,
    /// Force, body axes \[N\]; 0 if it is not known.
    pub force: DVec3,
    /// Moment about the centre of gravity, body axes \[N m\]; 0 if it is not known.
    pub moment: DVec3,
    /// Values of the functions, in the order of [`AirForces::functions`]; those beyond all numbers are infinite, and without numbers
    /// for bad input.
    pub functions: Vec<f64>,
}

impl AirLoad {
    /// Of a flight that is not valid.
    #[must_use]
    pub fn bad_input() -> Self {
        Self { status: AirLoadStatus::BadInput, force: DVec3::ZERO, moment: DVec3::ZERO, functions: Vec::new() }
    }

    /// Of forces and moments as they come out.
    #[must_use]
    pub fn new([force, moment]: [DVec3; 2], functions: Vec<f64>) -> Self {
        if force.is_finite() && moment.is_finite() {
            return Self { status: AirLoadStatus::Ok, force, moment, functions };
        }
        Self { status: AirLoadStatus::NotFinite, functions, ..Self::bad_input() }
    }
}
