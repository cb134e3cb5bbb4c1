//! Bodies of a world at the end of their paths, as solids to render.
//!
//! # Conventions
//! World coordinates in metres, z up.

use glam::DVec3;

use super::Size;
use super::framing::view_of;
use crate::scene::{Color, Material, MaterialId, Scene, SceneError, Shape, View};
use crate::world::{Body, BodyShape, Motion, World};

/// Pieces of all ways together.
const PIECES: usize = 240;
/// Radius of a way as a part of the body's.
const WAY: f64 = 0.08;
/// Only walls whose normal rises at least this much are shown: others would block the view.
const LEVEL: f64 = 0.5;
/// Colours of bodies, by turns.
const COLORS: [[u8; 3]; 6] = [
    [0xf0, 0x9a, 0x1a],
    [0x2e, 0xa0, 0x5a],
    [0x5a, 0xb4, 0xe5],
    [0xe8, 0x4a, 0x8a],
    [0x8a, 0x62, 0xc8],
    [0xd8, 0xc8, 0x2a],
];
const GROUND: [u8; 3] = [0x8a, 0x9a, 0x86];

/// A world with its bodies at the last of these moments, and their paths since the first.
///
/// # Errors
/// If there is no room for so many solids.
pub fn bodies_along_ways(world: &World, moments: &[Vec<Motion>], size: Size) -> Result<(Scene, View), SceneError> {
    let pieces = (PIECES / world.bodies.len().max(1)).min(moments.len().saturating_sub(1)).max(1);
    let last = moments.len().saturating_sub(1);
    let at = |piece: usize| &moments[(piece * last) / pieces];
    let mut solids = Vec::new();
    let mut corners = Vec::new();
    for (number, body) in world.bodies.iter().enumerate() {
        let material = MaterialId((number % COLORS.len()) as u32);
        let radius = WAY * body.shape.reach();
        let points: Vec<DVec3> = (0..=pieces).map(|piece| at(piece)[number].position).collect();
        let moved = points.windows(2).filter(|ends| ends[0] != ends[1]);
        solids.extend(moved.map(|ends| Shape::capsule(ends[0], ends[1], radius).made_of(material)));
        solids.push(shown(&body.shape, &moments[last][number]).made_of(material));
        let reach = DVec3::splat(body.shape.reach());
        corners.extend(points.iter().flat_map(|&point| [point - reach, point + reach]));
    }
    Ok((scene_of(world, solids)?, view_of(corners, size)))
}

/// A world with its bodies at one of these moments, seen from where all of them are in view.
///
/// # Errors
/// If there is no room for so many solids.
pub fn bodies_at(
    world: &World,
    moments: &[Vec<Motion>],
    moment: usize,
    size: Size,
) -> Result<(Scene, View), SceneError> {
    let corners = moments.iter().flat_map(|motions| motions.iter().zip(&world.bodies)).flat_map(|(motion, body)| {
        let reach = DVec3::splat(body.shape.reach());
        [motion.position - reach, motion.position + reach]
    });
    let view = view_of(corners, size);
    let shown = |(number, body): (usize, &Body)| {
        let material = MaterialId((number % COLORS.len()) as u32);
        shown(&body.shape, &moments[moment][number]).made_of(material)
    };
    Ok((scene_of(world, world.bodies.iter().enumerate().map(shown).collect())?, view))
}

/// Solids on the walls that are level and the fixed solids.
fn scene_of(world: &World, mut solids: Vec<Shape>) -> Result<Scene, SceneError> {
    let level = world.walls.iter().filter(|wall| wall.normal.z >= LEVEL);
    let ground = MaterialId(COLORS.len() as u32);
    solids.extend(level.map(|wall| Shape::half_space(wall.normal, wall.offset).made_of(ground)));
    solids.extend(world.obstacles.iter().map(|one| shown(&one.shape, &one.place).made_of(ground)));
    let names = (1..=COLORS.len()).map(|number| format!("bodies {number}")).chain(["ground".to_owned()]);
    let materials = names.map(|name| Material::only_shown(&name)).collect();
    let colors = COLORS.into_iter().chain([GROUND]).map(|color| Some(Color(color))).collect();
    Ok(Scene::new(&Shape::union(solids), materials, None, None)?.with_colors(colors))
}

fn shown(shape: &BodyShape, motion: &Motion) -> Shape {
    let (center, rotation) = (motion.position, motion.orientation);
    match shape {
        BodyShape::Sphere { radius } => Shape::sphere(center, *radius),
        BodyShape::Box { half } => Shape::cuboid(center, *half, rotation),
        BodyShape::Ellipsoid { semi_axes } => Shape::ellipsoid(center, *semi_axes, rotation),
        BodyShape::Hull(hull) => {
            let vertices = hull.vertices.iter().map(|&vertex| center + rotation * vertex);
            // What was a hull at the start is one wherever it lies, or a ball where rounding says otherwise.
            Shape::convex_hull(vertices).unwrap_or_else(|_| Shape::sphere(center, shape.reach()))
        }
    }
}
