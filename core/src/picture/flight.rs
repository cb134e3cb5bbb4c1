//! A landing as solids to render: the trajectory of the vehicle and, at some moments, the vehicle itself.
//!
//! # Conventions
//! World coordinates in metres, z up.

use glam::DVec3;

use super::Size;
use super::framing::view_of;
use crate::query::{LandingState, Motion, WheelState};
use crate::scene::{Color, GroundPlane, Material, MaterialId, Scene, SceneError, Shape, View};
use crate::vehicle::Vehicle;

/// Number of vehicles shown along the trajectory, besides the one at touchdown.
const FIGURES: usize = 12;
/// Pieces of the way.
const PIECES: usize = 240;
/// Where figures would be smaller than this part of the distance between them, they are drawn larger.
const MIN_SIZE: f64 = 0.5;
/// Radius of the bars of the vehicle and of the trajectory, relative to the vehicle's size.
const THICKNESS: f64 = 0.012;

/// The vehicle at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    motion: Motion,
    /// Of each wheel.
    wheels: Vec<WheelState>,
    has_touched: bool,
}

impl Moment {
    /// What is shown of a state.
    #[must_use]
    pub fn of(state: &LandingState) -> Self {
        Self {
            motion: state.motion,
            wheels: state.wheels.iter().map(|wheel| wheel.contact.state).collect(),
            has_touched: state.touchdown_step.is_some(),
        }
    }
}

/// A landing to render.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The scene with the vehicle and its trajectory.
    pub scene: Scene,
    /// A view of the whole trajectory.
    pub view: View,
    /// Factor by which the vehicle is enlarged.
    pub magnification: f64,
}

/// What is made of what: name and colour.
const MATERIALS: [(&str, [u8; 3]); 6] = [
    ("vehicle", [0xf2, 0xf2, 0xee]),
    ("way of the centre of gravity", [0xe8, 0x4a, 0x8a]),
    ("wheel, broken", [0x11, 0x11, 0x11]),
    ("wheel, in the air", [0x5a, 0xb4, 0xe5]),
    ("wheel, rolling or slipping", [0xf0, 0x9a, 0x1a]),
    ("wheel, standing", [0x2e, 0xa0, 0x5a]),
];
const VEHICLE: MaterialId = MaterialId(0);
const WAY: MaterialId = MaterialId(1);

fn of_wheel(state: WheelState) -> MaterialId {
    MaterialId(match state {
        WheelState::Broken => 2,
        WheelState::Free => 3,
        WheelState::Slipping => 4,
        WheelState::Standing => 5,
    })
}

/// The scene with a landing in it; `None` without moments.
///
/// # Errors
/// If the scene has no room for more solids.
pub fn flight(scene: &Scene, vehicle: &Vehicle, moments: &[Moment], size: Size) -> Result<Option<Flight>, SceneError> {
    let Some(last) = moments.last() else {
        return Ok(None);
    };
    let distances = distances(moments);
    let (reach, length) = (reach(vehicle), distances.last().copied().unwrap_or(0.0));
    let magnification = (MIN_SIZE * length / FIGURES as f64 / (2.0 * reach)).max(1.0);
    let thickness = THICKNESS * 2.0 * reach * magnification;
    let at = |share: f64| distances.partition_point(|&distance| distance < share * length).min(moments.len() - 1);

    let touchdown = moments.iter().find(|moment| moment.has_touched);
    let along = (0..FIGURES).map(|figure| &moments[at(figure as f64 / FIGURES as f64)]);
    let figures = along.chain(touchdown).chain([last]);
    let ground = scene.ground_plane();
    let of_moment = |moment| figure(vehicle, moment, ground, magnification, thickness);
    let mut shapes: Vec<Shape> = figures.flat_map(of_moment).collect();
    let points: Vec<DVec3> =
        (0..=PIECES).map(|piece| moments[at(piece as f64 / PIECES as f64)].motion.position).collect();
    let piece = |ends: &[DVec3]| Shape::capsule(ends[0], ends[1], thickness).made_of(WAY);
    shapes.extend(points.windows(2).filter(|ends| ends[0] != ends[1]).map(piece));

    let materials = MATERIALS.iter().map(|(name, _)| Material::only_shown(name)).collect();
    let colors = MATERIALS.map(|(_, color)| Some(Color(color))).to_vec();
    let figures = Scene::new(&Shape::union(shapes), materials, None, None)?.with_colors(colors);
    let margin = DVec3::splat(magnification * reach);
    let corners = points.iter().flat_map(|&point| [point - margin, point + margin]);
    Ok(Some(Flight { scene: scene.joined(&figures)?, view: view_of(corners, size), magnification }))
}

/// Distance flown and rolled up to each moment \[m\].
fn distances(moments: &[Moment]) -> Vec<f64> {
    let mut so_far = 0.0;
    let steps = moments.windows(2).map(|pair| (pair[1].motion.position - pair[0].motion.position).length());
    std::iter::once(0.0)
        .chain(steps)
        .map(|step| {
            so_far += step;
            so_far
        })
        .collect()
}

/// Distance of the farthest point of a vehicle from its centre of gravity \[m\].
fn reach(vehicle: &Vehicle) -> f64 {
    let structure = vehicle.structure.iter().map(|point| point.position);
    let wheels = vehicle.wheels.iter().map(|wheel| wheel.position);
    structure.chain(wheels).map(DVec3::length).fold(0.1, f64::max)
}

/// Bars from the centre of gravity to structural points and wheels. A larger figure grows from the place under the
/// vehicle, so that wheels stay on the ground, level or not.
fn figure(vehicle: &Vehicle, moment: &Moment, ground: GroundPlane, magnification: f64, thickness: f64) -> Vec<Shape> {
    let Motion { position, .. } = moment.motion;
    let to_world = moment.motion.to_world();
    let lowest = vehicle.wheels.iter().map(|wheel| ground.height(to_world * wheel.position) - wheel.parameters.z_zero);
    let foot = position + DVec3::Z * lowest.fold(0.0, f64::min);
    let place = |body: DVec3| foot + magnification * (position + to_world * body - foot);
    let middle = place(DVec3::ZERO);
    let bar = |body: DVec3| Shape::capsule(middle, place(body), thickness).made_of(VEHICLE);
    let structure = vehicle.structure.iter().map(|point| bar(point.position));
    let wheels = vehicle.wheels.iter().zip(&moment.wheels).flat_map(|(wheel, &state)| {
        let ball = Shape::sphere(place(wheel.position), magnification * wheel.parameters.z_zero);
        [bar(wheel.position), ball.made_of(of_wheel(state))]
    });
    structure.chain(wheels).collect()
}
