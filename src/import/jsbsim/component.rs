//! Components of channels.

use super::condition::{condition, parameter};
use super::function::{function, property, table};
use super::servo::{actuator, sensor};
use super::xml::{Element, shown};
use super::{JsbsimError, Warnings};
use crate::flight_controls::{Case, Clip, Component, Delay, Filter, Integration, Law, Pid, Setting, SurfaceScale};
use crate::function::Expression;

type Formula = Expression<String>;

/// Inputs that a position on the earth or the motion of the aircraft would be needed for.
const FROM_OUTSIDE: [&str; 5] = ["accelerometer", "gyro", "magnetometer", "waypoint_heading", "waypoint_distance"];

/// JSBSim's number for degrees as radians in `<angle>`, which has eight digits.
const ANGLE_DEGREE: f64 = 0.017_453_293;

/// Reads a component; none if it is a text, or unknown to JSBSim too.
pub(super) fn component(
    element: Element<'_>,
    place: &str,
    warnings: &mut Warnings,
) -> Result<Option<Component>, JsbsimError> {
    let Some(law) = law(element, warnings)? else { return Ok(None) };
    let outputs = element.all("output").map(|output| named(output, &output.text()));
    Ok(Some(Component {
        name: property_name(element)?,
        outputs: outputs.collect::<Result<_, _>>()?,
        place: place.to_owned(),
        law,
        delay: delay(element)?,
        clip: clip(element, warnings)?,
    }))
}

fn law(element: Element<'_>, warnings: &mut Warnings) -> Result<Option<Law>, JsbsimError> {
    Ok(Some(match element.tag() {
        "summer" => summer(element)?,
        "pure_gain" => Law::Value(input(element)? * gain(element)?),
        "scheduled_gain" => {
            let scheduled = input(element)? * table(element.required("table")?)?;
            let gain = gain(element)?;
            Law::Value(if gain == Formula::Value(1.0) { scheduled } else { scheduled * gain })
        }
        "aerosurface_scale" => Law::SurfaceScale(surface_scale(element)?),
        "deadband" => Law::Deadband {
            input: input(element)?,
            width: optional(element, "width")?.unwrap_or(Formula::Value(0.0)),
            gain: number(element, "gain")?.unwrap_or(1.0),
        },
        "switch" => switch(element)?,
        "fcs_function" => {
            let input = element.first("input").map(property).transpose()?;
            Law::Function(function(element.required("function")?)?, input)
        }
        "kinematic" => kinematic(element)?,
        "lag_filter" => Law::Filter(Filter::Lag(input(element)?, coefficients(element)?)),
        "lead_lag_filter" => Law::Filter(Filter::LeadLag(input(element)?, coefficients(element)?)),
        "washout_filter" => Law::Filter(Filter::Washout(input(element)?, coefficients(element)?)),
        "second_order_filter" => Law::Filter(Filter::SecondOrder(input(element)?, coefficients(element)?)),
        "pid" => Law::Pid(pid(element, "ki", Integration::AdamsBashforth2)?),
        "integrator" => {
            element.required("c1")?;
            Law::Pid(pid(element, "c1", Integration::Trapezoidal)?)
        }
        "actuator" => Law::Actuator(actuator(element)?),
        "sensor" => Law::Sensor(sensor(element, warnings)?),
        "angle" => angle(element)?,
        "distributor" => distributor(element)?,
        tag if FROM_OUTSIDE.contains(&tag) => {
            let message = format!("<{tag}> {} is left out: its output is 0", shown(element.attribute("name")));
            warnings.at(&element, message);
            Law::Value(0.0.into())
        }
        "linear_actuator" => {
            let message =
                format!("<linear_actuator> {} is left out: its output is its input", shown(element.attribute("name")));
            warnings.at(&element, message);
            Law::Value(input(element)?)
        }
        // Texts: what holds no element has no effect that could be lost.
        _ if element.children().next().is_none() => return Ok(None),
        _ => {
            warnings.left_out(&element, ": it is no component of JSBSim");
            return Ok(None);
        }
    }))
}

/// The property of a component: its name, or one made of it.
fn property_name(element: Element<'_>) -> Result<String, JsbsimError> {
    let name = element.attribute("name");
    if name.contains('/') {
        return named(element, name);
    }
    let of = |letter: char| match letter {
        letter if letter.is_ascii_uppercase() => letter.to_ascii_lowercase(),
        letter if letter.is_whitespace() => '-',
        letter => letter,
    };
    named(element, &format!("fcs/{}", name.chars().map(of).collect::<String>()))
}

/// A property to be set: its name may have no blank, which names of what is remembered have.
pub(super) fn named(element: Element<'_>, name: &str) -> Result<String, JsbsimError> {
    if name.is_empty() || name.contains(char::is_whitespace) || name.starts_with('-') {
        return Err(element.error(format!("{} is not allowed: must be the name of a property", shown(name))));
    }
    Ok(name.to_owned())
}

/// The input; JSBSim takes no notice of further ones.
pub(super) fn input(element: Element<'_>) -> Result<Formula, JsbsimError> {
    property(element.required("input")?)
}

/// A number or a property in a child, if there is one.
pub(super) fn optional(element: Element<'_>, tag: &str) -> Result<Option<Formula>, JsbsimError> {
    element.first(tag).map(|child| parameter(&child.text(), child)).transpose()
}

/// A number in a child, if there is one.
pub(super) fn number(element: Element<'_>, tag: &str) -> Result<Option<f64>, JsbsimError> {
    element.first(tag).map(|child| child.finite()).transpose()
}

fn gain(element: Element<'_>) -> Result<Formula, JsbsimError> {
    Ok(optional(element, "gain")?.unwrap_or(Formula::Value(1.0)))
}

fn summer(element: Element<'_>) -> Result<Law, JsbsimError> {
    let mut parts = element.all("input").map(property).collect::<Result<Vec<_>, _>>()?;
    parts.extend(number(element, "bias")?.filter(|bias| *bias != 0.0).map(Formula::Value));
    Ok(Law::Value(match parts.len() {
        0 => Formula::Value(0.0),
        1 => parts.remove(0),
        _ => Formula::made(crate::function::Operation::Sum, parts),
    }))
}

fn surface_scale(element: Element<'_>) -> Result<SurfaceScale, JsbsimError> {
    let ends = |parent: Element<'_>| -> Result<[f64; 2], JsbsimError> {
        Ok([parent.required("min")?.finite()?, parent.required("max")?.finite()?])
    };
    // A domain without both ends is that of a command.
    let domain =
        element.first("domain").filter(|domain| domain.first("min").is_some() && domain.first("max").is_some());
    let centred = element.first("zero_centered").map(|child| child.text());
    Ok(SurfaceScale {
        input: input(element)?,
        domain: domain.map_or(Ok([-1.0, 1.0]), ends)?,
        range: ends(element.required("range")?)?,
        is_zero_centered: !matches!(centred.as_deref(), Some("0" | "false")),
        gain: gain(element)?,
    })
}

/// The value of a test or of a default.
fn value(element: Element<'_>) -> Result<Formula, JsbsimError> {
    match element.attribute("value") {
        "" => Err(element.error("value is missing: must be a number or a property")),
        text => parameter(text, element),
    }
}

fn switch(element: Element<'_>) -> Result<Law, JsbsimError> {
    let case = |test: Element<'_>| Ok((condition(test, 0)?, value(test)?));
    Ok(Law::Switch {
        cases: element.all("test").map(case).collect::<Result<_, _>>()?,
        default: element.first("default").map_or(Ok(Formula::Value(0.0)), value)?,
    })
}

fn distributor(element: Element<'_>) -> Result<Law, JsbsimError> {
    let is_exclusive = match element.attribute("type") {
        "inclusive" => false,
        "exclusive" => true,
        other => {
            return Err(element.error(format!("type {} is not allowed: must be inclusive or exclusive", shown(other))));
        }
    };
    let case = |case: Element<'_>| {
        let set = |property: Element<'_>| Ok((named(property, &property.text())?, value(property)?));
        Ok(Case {
            condition: case.first("test").map(|test| condition(test, 0)).transpose()?,
            values: case.all("property").map(set).collect::<Result<_, _>>()?,
        })
    };
    Ok(Law::Distributor { is_exclusive, cases: element.all("case").map(case).collect::<Result<_, _>>()? })
}

fn kinematic(element: Element<'_>) -> Result<Law, JsbsimError> {
    let traverse = element.required("traverse")?;
    let setting = |setting: Element<'_>| {
        Ok(Setting { position: setting.required("position")?.finite()?, time: setting.required("time")?.finite()? })
    };
    let detents = traverse.all("setting").map(setting).collect::<Result<Vec<_>, JsbsimError>>()?;
    if detents.len() < 2 {
        return Err(traverse.error(format!("{} settings are not allowed: must be at least 2", detents.len())));
    }
    if let Some(pair) = detents.windows(2).find(|pair| pair[0].position > pair[1].position) {
        let (before, after) = (pair[0].position, pair[1].position);
        return Err(traverse.error(format!("positions must rise, and {after} follows {before}")));
    }
    Ok(Law::Kinematic { input: input(element)?, scales: element.first("noscale").is_none(), detents })
}

/// c1, c2 and so on.
fn coefficients<const N: usize>(element: Element<'_>) -> Result<[Formula; N], JsbsimError> {
    let mut coefficients = [const { Formula::Value(0.0) }; N];
    for (number, coefficient) in coefficients.iter_mut().enumerate() {
        let child = element.required(&format!("c{}", number + 1))?;
        *coefficient = parameter(&child.text(), child)?;
    }
    Ok(coefficients)
}

fn pid(element: Element<'_>, integral: &str, default: Integration) -> Result<Pid, JsbsimError> {
    let zero = || Formula::Value(0.0);
    let rule = |child: Element<'_>| match child.attribute("type") {
        "" => default,
        "rect" => Integration::Rectangular,
        "trap" => Integration::Trapezoidal,
        "ab3" => Integration::AdamsBashforth3,
        _ => Integration::AdamsBashforth2,
    };
    let integral = element.first(integral).map(|child| Ok((parameter(&child.text(), child)?, rule(child))));
    Ok(Pid {
        input: input(element)?,
        proportional: optional(element, "kp")?.unwrap_or_else(zero),
        integral: integral.transpose()?,
        derivative: optional(element, "kd")?.unwrap_or_else(zero),
        is_standard: element.attribute("type") == "standard",
        rate: element.first("pvdot").map(property).transpose()?,
        trigger: element.first("trigger").map(property).transpose()?,
    })
}

fn angle(element: Element<'_>) -> Result<Law, JsbsimError> {
    let of = |tag: &str| -> Result<Formula, JsbsimError> {
        let angle = element.required(tag)?;
        let read = property(angle)?;
        Ok(if angle.attribute("unit") == "DEG" { read * ANGLE_DEGREE } else { read })
    };
    let scale = match element.attribute("unit") {
        "" | "RAD" => 1.0,
        "DEG" => 180.0 / std::f64::consts::PI,
        other => return Err(element.error(format!("unit {} is not allowed: must be RAD or DEG", shown(other)))),
    };
    Ok(Law::Angle { source: of("source_angle")?, target: of("target_angle")?, scale })
}

fn delay(element: Element<'_>) -> Result<Option<Delay>, JsbsimError> {
    let Some(child) = element.first("delay") else { return Ok(None) };
    let length = child.finite()?;
    Ok(match child.attribute("type") {
        "" | "time" => Some(Delay::Time(length)),
        "frames" => Some(Delay::Steps(length)),
        other => return Err(child.error(format!("type {} is not allowed: must be time or frames", shown(other)))),
    })
}

fn clip(element: Element<'_>, warnings: &mut Warnings) -> Result<Option<Clip>, JsbsimError> {
    let Some(child) = element.first("clipto") else { return Ok(None) };
    match (optional(child, "min")?, optional(child, "max")?) {
        (Some(low), Some(high)) => Ok(Some(Clip { low, high, is_cyclic: child.attribute("type") == "cyclic" })),
        _ => {
            warnings.at(&child, "<clipto> without <min> and <max> is left out, as JSBSim does");
            Ok(None)
        }
    }
}
