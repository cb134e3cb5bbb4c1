//! Drag of a surface on a rolling wheel.
//!
//! # Conventions
//! As in [`super::wheel`].

use glam::DVec3;

use crate::query::{WheelContact, WheelParameters};
use crate::scene::Material;

/// Rolling resistance coefficient of wheel and ground together \[1\], at the wheel's speed along the surface.
pub(super) fn rolling_resistance(
    parameters: &WheelParameters,
    surface: Option<&Material>,
    contact: &WheelContact,
    velocity: DVec3,
) -> f64 {
    let of_ground = surface
        .map_or(0.0, |material| material.drag.rolling_resistance_at(velocity.reject_from(contact.normal).length()));
    parameters.rolling_resistance + of_ground
}

/// Drag of water or slush on a wheel with tyres, world \[N\], along its velocity; `None` without any.
pub(super) fn displacement_drag(
    parameters: &WheelParameters,
    surface: Option<&Material>,
    contact: &WheelContact,
    velocity: DVec3,
) -> Option<DVec3> {
    let (tyre, drag) = (parameters.tyre?, &surface?.drag);
    if drag.fluid_depth == 0.0 {
        return None;
    }
    let along = velocity.reject_from(contact.normal);
    Some(along * (tyre.displacement_drag(drag.fluid_depth, drag.fluid_density) * along.length()))
}
