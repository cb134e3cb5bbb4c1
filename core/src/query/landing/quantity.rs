//! The quantities of an outcome by name, for tables and criteria.

use super::{LandingOutcome, Touchdown};
use crate::document::Unit;
use crate::query::WheelState;
use crate::vehicle::Vehicle;

/// A numerical result of a landing.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Name in files and tables; those of a wheel as `peak_force.NAME`.
    pub name: String,
    /// Unit.
    pub unit: Unit,
    /// What it means.
    pub description: String,
    value: Value,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Touchdown(fn(&Touchdown) -> f64),
    Landing(fn(&LandingOutcome) -> Option<f64>),
    TimeInState(WheelState),
    PeakForce(usize),
    PeakCompression(usize),
    /// Offset by the distance of the outermost wheel from the vehicle's centreline \[m\].
    Outboard(f64),
}

/// The quantity that good landings lack: they never reach the end of the runway.
const RUNWAY_END_SPEED: &str = "runway_end_speed";

impl Quantity {
    /// True if its absence is the good outcome.
    #[must_use]
    pub fn lack_is_good(&self) -> bool {
        self.name == RUNWAY_END_SPEED
    }

    /// The value, or `None` if the landing has none (no touchdown, end of the runway never reached).
    #[must_use]
    pub fn of(&self, outcome: &LandingOutcome) -> Option<f64> {
        match self.value {
            Value::Touchdown(get) => outcome.touchdown.as_ref().map(get),
            Value::Landing(get) => get(outcome),
            Value::TimeInState(state) => Some(outcome.steps_in_state[state as usize] as f64 * outcome.step),
            Value::Outboard(outermost) => outcome.touchdown.map(|touchdown| touchdown.lateral.abs() + outermost),
            Value::PeakForce(wheel) => outcome.wheels.get(wheel).map(|wheel| wheel.peak_force),
            Value::PeakCompression(wheel) => outcome.wheels.get(wheel).map(|wheel| wheel.peak_compression),
        }
    }
}

/// All quantities of a vehicle's landings, in the order of the tables' columns.
#[must_use]
pub fn quantities(vehicle: &Vehicle) -> Vec<Quantity> {
    let mut all: Vec<Quantity> = SCALARS
        .iter()
        .map(|&(name, unit, description, value)| Quantity {
            name: name.to_owned(),
            unit,
            description: description.to_owned(),
            value,
        })
        .collect();
    all.push(Quantity {
        name: "touchdown_outboard".to_owned(),
        unit: Unit::Length,
        description:
            "Distance of the outermost main wheel from the centreline at touchdown, as with the nose along the runway"
                .to_owned(),
        value: Value::Outboard(vehicle.half_track()),
    });
    for (index, wheel) in vehicle.wheels.iter().enumerate() {
        all.push(Quantity {
            name: format!("peak_force.{}", wheel.name),
            unit: Unit::Force,
            description: format!("Greatest force of wheel {} on the airframe", wheel.name),
            value: Value::PeakForce(index),
        });
        all.push(Quantity {
            name: format!("peak_compression.{}", wheel.name),
            unit: Unit::Length,
            description: format!("Greatest compression of wheel {}", wheel.name),
            value: Value::PeakCompression(index),
        });
    }
    all
}

const SCALARS: &[(&str, Unit, &str, Value)] = &[
    (
        "touchdown_distance",
        Unit::Length,
        "Place of the first main wheel contact, from the landing threshold",
        Value::Touchdown(|touchdown| touchdown.distance),
    ),
    (
        "touchdown_lateral",
        Unit::Length,
        "Distance from the centreline at touchdown, positive to the left",
        Value::Touchdown(|touchdown| touchdown.lateral),
    ),
    (
        "touchdown_sink_rate",
        Unit::Speed,
        "Rate at which the height above the ground falls at touchdown",
        Value::Touchdown(|touchdown| touchdown.sink_rate),
    ),
    (
        "touchdown_ground_speed",
        Unit::Speed,
        "Speed over the ground at touchdown",
        Value::Touchdown(|touchdown| touchdown.ground_speed),
    ),
    ("touchdown_pitch", Unit::Angle, "Pitch angle at touchdown", Value::Touchdown(|touchdown| touchdown.pitch)),
    (
        "touchdown_bank",
        Unit::Angle,
        "Bank angle at touchdown, right wing down",
        Value::Touchdown(|touchdown| touchdown.bank),
    ),
    (
        "touchdown_crab",
        Unit::Angle,
        "Angle from the ground track to the nose at touchdown, positive nose right",
        Value::Touchdown(|touchdown| touchdown.crab),
    ),
    (
        "bounces",
        Unit::One,
        "Times all main wheels left the ground for at least 0.1 s",
        Value::Landing(|landing| Some(f64::from(landing.bounces))),
    ),
    (
        "largest_lateral_deviation",
        Unit::Length,
        "Greatest distance from the centreline since touchdown",
        Value::Landing(|landing| landing.largest_lateral_deviation),
    ),
    (
        RUNWAY_END_SPEED,
        Unit::Speed,
        "Speed over the ground when passing the runway's end; missing when it is not reached",
        Value::Landing(|landing| landing.runway_end_speed),
    ),
    (
        "stopping_point",
        Unit::Length,
        "Where the centre of gravity came to rest, from the landing threshold",
        Value::Landing(|landing| landing.stop.map(|stop| stop.point)),
    ),
    (
        "stopping_distance",
        Unit::Length,
        "Way of the centre of gravity along the runway from touchdown to the stop",
        Value::Landing(|landing| landing.stop.map(|stop| stop.distance)),
    ),
    ("duration", Unit::Time, "Time simulated", Value::Landing(|landing| Some(landing.steps as f64 * landing.step))),
    (
        "time_broken",
        Unit::Time,
        "Time since touchdown with a wheel broken, summed over the wheels",
        Value::TimeInState(WheelState::Broken),
    ),
    (
        "time_free",
        Unit::Time,
        "Time since touchdown with a wheel in the air, summed over the wheels",
        Value::TimeInState(WheelState::Free),
    ),
    (
        "time_slipping",
        Unit::Time,
        "Time since touchdown with a wheel rolling or slipping, summed over the wheels",
        Value::TimeInState(WheelState::Slipping),
    ),
    (
        "time_standing",
        Unit::Time,
        "Time since touchdown with a wheel standing, summed over the wheels",
        Value::TimeInState(WheelState::Standing),
    ),
    (
        "force_limit",
        Unit::One,
        "Steps in which a wheel's force passed the surface's maximum, summed over the wheels",
        Value::Landing(|landing| Some(landing.force_limit_steps as f64)),
    ),
];
