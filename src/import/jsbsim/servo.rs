//! Actuators and sensors of channels.

use super::component::{input, named, number, optional};
use super::condition::parameter;
use super::xml::{Element, shown};
use super::{JsbsimError, Warnings};
use crate::flight_controls::{Actuator, Quantization, Sensor};

/// Most bits of a quantization that numbers of JSBSim can have.
const MAX_BITS: f64 = 30.0;

pub(super) fn actuator(element: Element<'_>) -> Result<Actuator, JsbsimError> {
    let (mut rise, mut fall) = (None, None);
    for limit in element.all("rate_limit") {
        let rate = Some(parameter(&limit.text(), limit)?);
        match limit.attribute("sense") {
            "" => (rise, fall) = (rate.clone(), rate),
            sense if sense.starts_with("incr") => rise = rate,
            sense if sense.starts_with("decr") => fall = rate,
            other => {
                return Err(limit.error(format!("sense {} is not allowed: must be incr or decr", shown(other))));
            }
        }
    }
    Ok(Actuator {
        input: input(element)?,
        lag: optional(element, "lag")?,
        rise,
        fall,
        deadband: number(element, "deadband_width")?.unwrap_or(0.0),
        hysteresis: number(element, "hysteresis_width")?.unwrap_or(0.0),
        bias: number(element, "bias")?.unwrap_or(0.0),
    })
}

pub(super) fn sensor(element: Element<'_>, warnings: &mut Warnings) -> Result<Sensor, JsbsimError> {
    if let Some(noise) = element.first("noise") {
        let name = shown(element.attribute("name"));
        warnings.at(&noise, format!("<noise> of the sensor {name} is left out: its output is without noise"));
    }
    let or_none = |tag| Ok(number(element, tag)?.unwrap_or(0.0));
    Ok(Sensor {
        input: input(element)?,
        lag: or_none("lag")?,
        drift_rate: or_none("drift_rate")?,
        gain: or_none("gain")?,
        bias: or_none("bias")?,
        quantization: element.first("quantization").map(quantization).transpose()?.flatten(),
    })
}

/// None of no bits.
fn quantization(element: Element<'_>) -> Result<Option<Quantization>, JsbsimError> {
    let bits = number(element, "bits")?.unwrap_or(0.0).trunc();
    if bits == 0.0 {
        return Ok(None);
    }
    if !(1.0..=MAX_BITS).contains(&bits) {
        return Err(element.required("bits")?.refused("must be from 0 to 30"));
    }
    let range = [number(element, "min")?.unwrap_or(0.0), number(element, "max")?.unwrap_or(0.0)];
    let name = element.attribute("name").to_lowercase().replace(char::is_whitespace, "-");
    let counted = match name.as_str() {
        "" => None,
        name if name.contains('/') => None,
        name => Some(named(element, &format!("fcs/{name}"))?),
    };
    Ok(Some(Quantization { range, steps: bits.exp2(), counted }))
}
