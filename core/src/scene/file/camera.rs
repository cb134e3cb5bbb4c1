//! The view that a scene file asks for.

use glam::DVec3;

use super::super::View;
use super::number::vector;
use crate::document::{DocumentError, Table, Unit};

/// `[camera] from, at, up, fov_deg`.
pub(super) fn view(table: &Table<'_>) -> Result<View, DocumentError> {
    let from = vector(table.required("from")?, Unit::Length)?;
    let at_field = table.required("at")?;
    let at = vector(at_field, Unit::Length)?;
    if at == from {
        return Err(at_field.refused("must be another point than `from`"));
    }
    let up = table.optional_or("up", DVec3::Z, |field| {
        let up = vector(field, Unit::One)?;
        if up == DVec3::ZERO { Err(field.refused("must not be zero")) } else { Ok(up) }
    })?;
    let field_of_view = table.optional_or("fov_deg", View::FIELD_OF_VIEW, |field| {
        let angle = field.number_deg()?;
        if View::FIELDS_OF_VIEW.contains(&angle) {
            Ok(angle)
        } else {
            Err(field.refused("must be from 1 to 150 degrees"))
        }
    })?;
    table.finish()?;
    Ok(View { from, at, up, field_of_view })
}
