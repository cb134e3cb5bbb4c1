//! The state in which a landing starts.

use glam::{DMat3, DVec3};

use super::body::{Body, orientation};
use crate::query::{Input, LandingInputs};
use crate::vehicle::Vehicle;

/// Speed of the air over the ground, world \[m/s\].
pub(super) fn wind(inputs: &LandingInputs) -> DVec3 {
    DVec3::new(-inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0)
}

/// The body at the start. The airspeed is horizontal; what of it the crosswind does not take points along the runway.
pub(super) fn body(vehicle: &Vehicle, inputs: &LandingInputs, wind: DVec3) -> Body {
    let airspeed = inputs.get(Input::Airspeed);
    let drift = inputs.get(Input::Drift);
    let across = drift - wind.y;
    let along = (airspeed * airspeed - across * across).max(0.0).sqrt();
    let correction = (-across).atan2(along);
    let heading = inputs.get(Input::Crab) + (1.0 - inputs.get(Input::Decrab)) * correction;
    let orientation = orientation(heading, inputs.get(Input::Pitch), inputs.get(Input::Bank));
    let position = DVec3::new(
        inputs.get(Input::StartDistance),
        inputs.get(Input::LateralOffset),
        inputs.get(Input::Height) - lowest_main_wheel(vehicle, &DMat3::from_quat(orientation)),
    );
    let velocity = DVec3::new(along + wind.x, drift, -inputs.get(Input::SinkRate));
    let rate = DVec3::new(inputs.get(Input::RollRate), inputs.get(Input::PitchRate), inputs.get(Input::YawRate));
    Body::new(position, orientation, velocity, rate)
}

/// Height of the lowest uncompressed main wheel relative to the centre of gravity \[m\].
fn lowest_main_wheel(vehicle: &Vehicle, to_world: &DMat3) -> f64 {
    vehicle
        .wheels
        .iter()
        .filter(|wheel| wheel.main)
        .map(|wheel| (*to_world * (wheel.position + DVec3::Z * wheel.parameters.z_max)).z)
        .fold(f64::INFINITY, f64::min)
}
