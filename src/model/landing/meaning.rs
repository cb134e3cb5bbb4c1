//! Inputs and classes that are meaningless for some landings, and what to use instead.

use crate::query::{Input, LandingClass, LandingJob};
use crate::shown::number;
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
pub(super) fn instead_of_class(class: Option<LandingClass>, job: &LandingJob) -> String {
    let LandingJob { vehicle, scene, .. } = job;
    // From the threshold, where distances begin.
    let end = scene.runway().map_or("the runway's end".to_owned(), |runway| format!("{} m", number(runway.end())));
    let begin = scene.runway().map_or(0.0, |runway| 0.0 - runway.displaced_threshold);
    let Some(class) = class else { return format!("use touchdown_distance below {} m", number(begin)) };
    match class {
        LandingClass::Overran => format!("use stopping_point above {end}"),
        LandingClass::VeeredOff => {
            "use largest_lateral_deviation above the distance at which a wheel leaves the side".to_owned()
        }
        LandingClass::WheelBroken => format!(
            "use {} above a part of the wheel's travel, 90 % of it say: the step that breaks a wheel has no compression of its own, and one \
             whose upper end comes into the ground need not have been compressed",
            peak_compressions(vehicle)
        ),
        LandingClass::StructureContact => {
            "use a quantity that leads to it, such as touchdown_pitch or touchdown_bank above an angle".to_owned()
        }
        LandingClass::Invalid | LandingClass::Unfinished | LandingClass::Stopped => {
            "use a quantity above or below a limit".to_owned()
        }
    }
}

fn peak_compressions(vehicle: &Vehicle) -> String {
    vehicle.wheels.iter().map(|wheel| format!("peak_compression.{}", wheel.name)).collect::<Vec<_>>().join(" or ")
}
