//! Numbers, vectors and maps of a scene file, within the limits of scenes.

use glam::{DMat3, DQuat, DVec3};

use super::super::build::check_map;
use super::super::{Affine, LIMITS};
use crate::document::{DocumentError, Field, Unit};
use crate::elementary;

pub(super) fn rotation(value: Field<'_>) -> Result<DQuat, DocumentError> {
    let table = value.table()?;
    let axis = direction(table.required("axis")?)?;
    let angle = table.required("angle_deg")?.number_deg()?;
    table.finish()?;
    Ok(elementary::rotation(axis, angle))
}

/// A unit vector along a vector of any length but zero.
pub(super) fn direction(field: Field<'_>) -> Result<DVec3, DocumentError> {
    let vector = vector(field, Unit::One)?;
    // Squares of very short vectors would vanish.
    let scaled = vector / vector.abs().max_element();
    scaled.try_normalize().ok_or_else(|| field.refused("must not be zero"))
}

pub(super) fn vector(field: Field<'_>, unit: Unit) -> Result<DVec3, DocumentError> {
    let vector = DVec3::from(field.vector(unit)?);
    bounded(field, vector.abs().max_element())?;
    Ok(vector)
}

/// A number that is not negative and within the limit of magnitude.
pub(super) fn not_negative(field: Field<'_>, unit: Unit) -> Result<f64, DocumentError> {
    bounded(field, field.not_negative(unit)?)
}

/// Refuses a number of `field` above the limit of magnitude.
pub(super) fn bounded(field: Field<'_>, number: f64) -> Result<f64, DocumentError> {
    if number.abs() <= LIMITS.magnitude {
        return Ok(number);
    }
    Err(field.refused(format!("must be at most {:e} in magnitude", LIMITS.magnitude)))
}

/// A number above 0 and within the limit of magnitude.
pub(super) fn positive(field: Field<'_>, unit: Unit) -> Result<f64, DocumentError> {
    bounded(field, field.positive(unit)?)
}

/// One factor for all axes, or one for each.
pub(super) fn scale(value: Field<'_>) -> Result<DMat3, DocumentError> {
    let factors = if value.is_array() {
        vector(value, Unit::One)?
    } else {
        DVec3::splat(bounded(value, value.number(Unit::One)?)?)
    };
    if factors.abs().min_element() == 0.0 {
        return Err(value.refused("must not be zero"));
    }
    invertible(value, DMat3::from_diagonal(factors))
}

/// The three rows of an affine map; the last column is the translation \[m\].
pub(super) fn matrix(value: Field<'_>) -> Result<(DMat3, DVec3), DocumentError> {
    let wrong = |field: Field<'_>| field.refused("must be three rows of four numbers");
    let rows = value.array().map_err(|_| wrong(value))?;
    let [x, y, z] = rows[..] else {
        return Err(wrong(value));
    };
    let row = |field: Field<'_>| {
        let items = field.array().map_err(|_| wrong(field))?;
        let [a, b, c, shift] = items[..] else {
            return Err(wrong(field));
        };
        let number = |item: Field<'_>, unit| bounded(item, item.number(unit)?);
        let linear = DVec3::new(number(a, Unit::One)?, number(b, Unit::One)?, number(c, Unit::One)?);
        Ok((linear, number(shift, Unit::Length)?))
    };
    let [(x, dx), (y, dy), (z, dz)] = [row(x)?, row(y)?, row(z)?];
    let linear = invertible(value, DMat3::from_cols(x, y, z).transpose())?;
    Ok((linear, DVec3::new(dx, dy, dz)))
}

fn invertible(field: Field<'_>, linear: DMat3) -> Result<DMat3, DocumentError> {
    check_map(&Affine::new(linear, DVec3::ZERO)).map_err(|what| field.refused(what))?;
    Ok(linear)
}
