//! Cubes, spheres and cylinders under a map.

use glam::{DAffine3, DVec3};

use super::CsgError;
use super::arguments::{argument, boolean, few_sides, finite, length, point};
use super::map::Frame;
use super::prism::{Prism, prism};
use super::syntax::{Statement, Value};
use super::text::{leaf, number, vector};

pub(super) fn cube(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let (low, size) = cube_extent(statement)?;
    if size.min_element() <= 0.0 {
        return Ok(None);
    }
    let (middle, half) = (low + 0.5 * size, 0.5 * size);
    let Some(frame) = Frame::of(map) else {
        return Ok(Some(mapped(map, &format!("box = {{ center = {}, half = {} }}", vector(middle), vector(half)))));
    };
    let center = vector(map.transform_point3(middle));
    Ok(Some(leaf(&match frame.along_axes(half) {
        Some(half) => format!("box = {{ center = {center}, half = {} }}", vector(half)),
        None => format!("box = {{ center = {center}, half = {}, {} }}", vector(frame.stretch * half), turned(&frame)),
    })))
}

/// Least corner and size.
pub(super) fn cube_extent(statement: &Statement) -> Result<(DVec3, DVec3), CsgError> {
    let size = match argument(statement, "size") {
        Some(Value::Number(side)) => DVec3::splat(*side),
        _ => point(statement, argument(statement, "size"), "size")?,
    };
    let size = finite(statement, "size", size)?;
    Ok((if boolean(statement, "center")? { -0.5 * size } else { DVec3::ZERO }, size))
}

pub(super) fn sphere(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let radius = length(statement, "r")?;
    if radius <= 0.0 {
        return Ok(None);
    }
    let Some(frame) = Frame::of(map) else {
        return Ok(Some(mapped(map, &format!("sphere = {{ center = [0, 0, 0], radius = {} }}", number(radius)))));
    };
    let center = vector(frame.origin);
    let axes = DVec3::splat(radius);
    Ok(Some(leaf(&match (frame.uniform(), frame.along_axes(axes)) {
        (Some(scale), _) => format!("sphere = {{ center = {center}, radius = {} }}", number(scale * radius)),
        (None, Some(axes)) => format!("ellipsoid = {{ center = {center}, axes = {} }}", vector(axes)),
        (None, None) => {
            format!("ellipsoid = {{ center = {center}, axes = {}, {} }}", vector(frame.stretch * axes), turned(&frame))
        }
    })))
}

pub(super) fn cylinder(statement: &Statement, map: &DAffine3) -> Result<Option<String>, CsgError> {
    let [height, r1, r2] = ["h", "r1", "r2"].map(|name| length(statement, name));
    let (height, r1, r2) = (height?, r1?, r2?);
    if height <= 0.0 || r1 < 0.0 || r2 < 0.0 || r1.max(r2) <= 0.0 {
        return Ok(None);
    }
    let bottom = if boolean(statement, "center")? { -0.5 * height } else { 0.0 };
    if let Some(sides) = few_sides(statement)? {
        return Ok(Some(prism(&Prism { sides, bottom, height, r1, r2 }, map)));
    }
    Ok(Some(round(bottom, height, r1, r2, map)))
}

/// A cylinder, cone or frustum about z under a map.
pub(super) fn round(bottom: f64, height: f64, r1: f64, r2: f64, map: &DAffine3) -> String {
    let text = |place: &dyn Fn(DVec3) -> DVec3, axis: DVec3, across: f64, along: f64| {
        let at = |z: f64| vector(place(DVec3::new(0.0, 0.0, z)));
        let whole = number(along * height);
        if r1 == r2 {
            let (center, radius) = (at(bottom + 0.5 * height), number(across * r1));
            return format!(
                "cylinder = {{ center = {center}, axis = {}, radius = {radius}, height = {whole} }}",
                vector(axis)
            );
        }
        // The base is the wider end.
        let (base, axis) = if r1 > r2 { (at(bottom), axis) } else { (at(bottom + height), -axis) };
        let (wide, narrow) = (number(across * r1.max(r2)), number(across * r1.min(r2)));
        let axis = vector(axis);
        format!("cone = {{ base = {base}, axis = {axis}, height = {whole}, radius = {wide}, top_radius = {narrow} }}")
    };
    match Frame::of(map).and_then(|frame| Some((frame, frame.around_z()?))) {
        Some((frame, across)) => {
            leaf(&text(&|local| map.transform_point3(local), frame.axis(), across, frame.stretch.z))
        }
        None => mapped(map, &text(&|local| local, DVec3::Z, 1.0, 1.0)),
    }
}

/// A node under a map that no simple solid can take in.
fn mapped(map: &DAffine3, node: &str) -> String {
    let rows = map.matrix3.transpose();
    let row = |row: DVec3, last: f64| {
        let numbers = row.extend(last).to_array().map(number);
        format!("[{}]", numbers.join(", "))
    };
    let translation = map.translation;
    format!(
        "{{ matrix = [{}, {}, {}], of = {} }}",
        row(rows.x_axis, translation.x),
        row(rows.y_axis, translation.y),
        row(rows.z_axis, translation.z),
        leaf(node)
    )
}

fn turned(frame: &Frame) -> String {
    let (axis, degrees) = frame.axis_angle();
    format!("rotate = {{ axis = {}, angle_deg = {} }}", vector(axis), number(degrees))
}
