//! Leaves of a scene file, and what is made of half spaces alone.

use glam::{DQuat, DVec3};

use super::super::{Capsule, Cone, Cylinder, HalfSpace, LIMITS, Shape, Solid, Sphere};
use super::number::{bounded, direction, not_negative, positive, rotation, vector};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::elementary::tan;

pub(super) fn half_space(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let normal_field = table.required("normal")?;
    let normal = vector(normal_field, Unit::One)?;
    if normal == DVec3::ZERO {
        return Err(normal_field.refused("must not be zero"));
    }
    if normal.length_squared() < 1.0 / LIMITS.magnitude {
        return Err(normal_field.refused("is too short: its length must be at least 1e-30"));
    }
    let half_space = match table.one_of(&["offset", "point"])? {
        ("offset", offset) => HalfSpace { normal, offset: bounded(offset, offset.number(Unit::Length)?)? },
        (_, point) => {
            let half_space = HalfSpace::through(normal, vector(point, Unit::Length)?);
            bounded(point, half_space.offset)?;
            half_space
        }
    };
    table.finish()?;
    Ok(Shape::Solid(Solid::HalfSpace(half_space)))
}

pub(super) fn sphere(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let ball = Sphere {
        center: vector(table.required("center")?, Unit::Length)?,
        radius: not_negative(table.required("radius")?, Unit::Length)?,
    };
    table.finish()?;
    Ok(Shape::Solid(Solid::Sphere(ball)))
}

pub(super) fn cylinder(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let height = table.optional("height").map(|height| not_negative(height, Unit::Length)).transpose()?;
    let cylinder = Cylinder {
        center: vector(table.required("center")?, Unit::Length)?,
        axis: direction(table.required("axis")?)?,
        radius: not_negative(table.required("radius")?, Unit::Length)?,
        half_height: height.map(|height| 0.5 * height),
    };
    table.finish()?;
    Ok(Shape::Solid(Solid::Cylinder(cylinder)))
}

pub(super) fn ellipsoid(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let center = vector(table.required("center")?, Unit::Length)?;
    let field = table.required("axes")?;
    let axes = lengths(field)?;
    if axes.max_element() > LIMITS.distortion * axes.min_element() {
        return Err(field.refused(format!("the longest may be at most {:e} times the shortest", LIMITS.distortion)));
    }
    let rotation = turn(&table)?;
    table.finish()?;
    Ok(Shape::ellipsoid(center, axes, rotation))
}

/// Between two discs, or infinite from its apex.
pub(super) fn cone(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let cone = match table.one_of(&["base", "apex"])? {
        ("base", base) => frustum(&table, base)?,
        (_, apex) => {
            let angle = table.required("half_angle_deg")?;
            let half_angle = angle.number_deg()?;
            let right = std::f64::consts::FRAC_PI_2;
            let is_open = half_angle > 0.0 && half_angle < right;
            if !is_open || tan(half_angle) > LIMITS.slope || tan(half_angle) * LIMITS.slope < 1.0 {
                return Err(angle.refused("must be above 0 and below 90 degrees, by at least 1e-7"));
            }
            Cone::infinite(vector(apex, Unit::Length)?, direction(table.required("axis")?)?, half_angle)
        }
    };
    table.finish()?;
    Ok(Shape::Solid(Solid::Cone(cone)))
}

fn frustum(table: &Table<'_>, base: Field<'_>) -> Result<Cone, DocumentError> {
    let height_field = table.required("height")?;
    let height = positive(height_field, Unit::Length)?;
    let radius = not_negative(table.required("radius")?, Unit::Length)?;
    let top_radius = table.optional_or("top_radius", 0.0, |field| not_negative(field, Unit::Length))?;
    if (top_radius - radius).abs() > LIMITS.slope * height {
        return Err(height_field.refused(format!("the radii may differ by at most {:e} times as much", LIMITS.slope)));
    }
    let axis = direction(table.required("axis")?)?;
    Ok(Cone::frustum(vector(base, Unit::Length)?, axis, height, radius, top_radius))
}

pub(super) fn capsule(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let capsule = Capsule {
        from: vector(table.required("from")?, Unit::Length)?,
        to: vector(table.required("to")?, Unit::Length)?,
        radius: not_negative(table.required("radius")?, Unit::Length)?,
    };
    table.finish()?;
    Ok(Shape::Solid(Solid::Capsule(capsule)))
}

pub(super) fn cuboid(value: Field<'_>) -> Result<Shape, DocumentError> {
    let table = value.table()?;
    let center = vector(table.required("center")?, Unit::Length)?;
    let half = lengths(table.required("half")?)?;
    let rotation = turn(&table)?;
    table.finish()?;
    Ok(Shape::cuboid(center, half, rotation))
}

/// A rotation about the solid's own centre, where there is one.
fn turn(table: &Table<'_>) -> Result<DQuat, DocumentError> {
    table.optional_or("rotate", DQuat::IDENTITY, rotation)
}

/// Three lengths above 0 \[m\].
fn lengths(field: Field<'_>) -> Result<DVec3, DocumentError> {
    let lengths = vector(field, Unit::Length)?;
    if lengths.min_element() > 0.0 { Ok(lengths) } else { Err(field.refused("must be three lengths above 0 m")) }
}

#[cfg(test)]
mod tests;
