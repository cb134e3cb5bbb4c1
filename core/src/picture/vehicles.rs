//! Two vehicles that meet, to be looked at.
//!
//! # Conventions
//! World coordinates in metres, z up; vehicles stand on the plane z = 0.

use glam::{DQuat, DVec2, DVec3};

use super::Size;
use super::framing::view_of;
use crate::scene::{Color, Material, MaterialId, Scene, SceneError, Shape, View};

/// Radius of ways and of the contact's mark as parts of the vehicles' height.
const WAY: f64 = 0.04;
const MARK: f64 = 0.1;
/// What is made of what: name and colour.
const MATERIALS: [(&str, [u8; 3]); 4] = [
    ("vehicle a", [0x2e, 0x7a, 0xc4]),
    ("vehicle b", [0xf0, 0x9a, 0x1a]),
    ("contact", [0xd8, 0x20, 0x40]),
    ("ground", [0x8a, 0x9a, 0x86]),
];

/// A vehicle at the end of its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownVehicle {
    /// Its centre, from and to \[m\].
    pub way: [DVec2; 2],
    /// Its heading \[rad\].
    pub yaw: f64,
    /// Length, width and height \[m\].
    pub sides: [f64; 3],
}

/// Both vehicles, and where they meet with what normal.
///
/// # Errors
/// When there is no room for so many solids.
pub fn meeting_vehicles(
    vehicles: &[ShownVehicle; 2],
    contact: Option<(DVec2, DVec2)>,
    size: Size,
) -> Result<(Scene, View), SceneError> {
    let height = vehicles.iter().map(|vehicle| vehicle.sides[2]).fold(0.0, f64::max);
    let (mut solids, mut corners) = (Vec::new(), Vec::new());
    for (number, ShownVehicle { way: [from, to], yaw, sides }) in (0..).zip(vehicles) {
        let half = 0.5 * DVec3::from_array(*sides);
        let material = MaterialId(number);
        let center = to.extend(half.z);
        solids.push(Shape::cuboid(center, half, DQuat::from_rotation_z(*yaw)).made_of(material));
        if from != to {
            let level = WAY * height;
            solids.push(Shape::capsule(from.extend(level), to.extend(level), level).made_of(material));
        }
        let reach = DVec2::splat(half.truncate().length());
        corners.extend([(to - reach).extend(0.0), (to + reach).extend(2.0 * half.z)]);
    }
    if let Some((point, normal)) = contact {
        // Above the roofs, where it is seen.
        let (from, to) = (point.extend(1.1 * height), (point + height * normal).extend(1.1 * height));
        let radius = MARK * height;
        solids.push(Shape::sphere(from, radius).made_of(MaterialId(2)));
        solids.push(Shape::capsule(from, to, 0.4 * radius).made_of(MaterialId(2)));
    }
    solids.push(Shape::half_space(DVec3::Z, 0.0).made_of(MaterialId(3)));
    let materials = MATERIALS.iter().map(|(name, _)| Material::only_shown(name)).collect();
    let colors = MATERIALS.map(|(_, color)| Some(Color(color))).to_vec();
    let scene = Scene::new(&Shape::union(solids), materials, None, None)?.with_colors(colors);
    Ok((scene, view_of(corners, size)))
}
