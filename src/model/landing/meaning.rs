//! Inputs and classes that are meaningless for some landings, and what to use instead.

use crate::query::{Input, LandingClass, LandingJob};
use crate::vehicle::Vehicle;

/// Why an input would change nothing.
pub(super) fn without_meaning(input: Input, job: &LandingJob) -> Option<String> {
    let LandingJob { vehicle, weather, .. } = job;
    let (name, autoland) = (input.name(), vehicle.autoland.is_some());
    match input {
        Input::Pitch | Input::SinkRate if autoland => Some(format!(
            "with `autoland = true` a landing starts in trim on the glide path, so `{name}` has no meaning; \
             use height, airspeed or glide_slope"
        )),
        Input::Pitch if vehicle.flare.is_some() => Some(format!(
            "with `flare = true` a landing starts in trim on a steady descent, so `{name}` has no meaning; \
             use height, airspeed or sink_rate"
        )),
        Input::TargetAirspeed | Input::GlideSlope if !autoland => {
            Some(format!("`{name}` has a meaning with `autoland = true` only"))
        }
        Input::AirDensity if weather.standard_atmosphere => Some(format!(
            "with `standard_atmosphere = true` the density follows from temperature and pressure, so `{name}` has no meaning; \
             use temperature_offset, qnh or the runway's elevation, or leave standard_atmosphere out"
        )),
        Input::TemperatureOffset | Input::Qnh if !weather.standard_atmosphere => Some(format!(
            "`{name}` has a meaning with `standard_atmosphere = true` only; without it the density is an input"
        )),
        Input::ReverseLevel if vehicle.airframe.is_some() => {
            Some(format!("an aircraft by its own functions lands with the throttle closed, so `{name}` has no meaning"))
        }
        Input::RotaryTurbulence if vehicle.span().is_none() => {
            Some(format!("the vehicle has no air forces, so `{name}` has no meaning"))
        }
        _ => None,
    }
}

/// Explains that a class, undershoots where it is none of the engines', has no distance, while a quantity has one.
pub(super) fn instead_of_class(class: Option<LandingClass>, vehicle: &Vehicle) -> String {
    let wheels = || vehicle.wheels.iter().map(|wheel| format!("peak_compression.{}", wheel.name)).collect::<Vec<_>>();
    let Some(class) = class else { return "use touchdown_distance below 0".to_owned() };
    match class {
        LandingClass::Overran => "use stopping_point above the runway's length".to_owned(),
        LandingClass::VeeredOff => {
            "use largest_lateral_deviation above the distance at which a wheel leaves the side".to_owned()
        }
        LandingClass::WheelBroken => format!("use {} above the wheel's travel", wheels().join(" or ")),
        LandingClass::StructureContact => {
            "use a quantity that leads to it, such as touchdown_pitch or touchdown_bank above an angle".to_owned()
        }
        LandingClass::Invalid | LandingClass::Unfinished | LandingClass::Stopped => {
            "use a quantity above or below a limit".to_owned()
        }
    }
}
