//! A height over time as solids to render.
//!
//! # Conventions
//! World coordinates: time runs along x, heights are z above a plane.

use glam::DVec3;

use super::Size;
use super::framing::view_of;
use crate::scene::{Color, Material, MaterialId, Scene, SceneError, Shape, View};

/// Balls along the way.
const BALLS: usize = 48;
/// Pieces of the way.
const PIECES: usize = 240;
/// Radius of a ball, and of the way, as parts of the greatest height.
const BALL: f64 = 0.022;
const WAY: f64 = 0.007;
/// Length of the whole time in greatest heights.
const LENGTH: f64 = 3.0;
/// Half the width of the plane in greatest heights.
const WIDTH: f64 = 0.5;

/// What is made of what: name and colour.
const MATERIALS: [(&str, [u8; 3]); 3] =
    [("plane", [0x8a, 0x9a, 0x86]), ("particle", [0xf0, 0x9a, 0x1a]), ("its way", [0xe8, 0x4a, 0x8a])];

/// Heights \[m\] at evenly spaced times, above a plane; `None` without any.
///
/// # Errors
/// If there is no room for so many solids.
pub fn track(heights: &[f64], size: Size) -> Result<Option<(Scene, View)>, SceneError> {
    let Some(last) = heights.len().checked_sub(1) else {
        return Ok(None);
    };
    let greatest = heights.iter().copied().fold(0.0, f64::max);
    // A particle that never leaves the plane is shown on it.
    let scale = if greatest > 0.0 { greatest.recip() } else { 1.0 };
    let length = LENGTH.min(LENGTH * last as f64 / 8.0);
    let at = |share: f64| {
        let step = (share * last as f64).round() as usize;
        DVec3::new(length * step as f64 / last.max(1) as f64, 0.0, scale * heights[step])
    };
    let along = |count: usize| (0..=count).map(move |index| index as f64 / count as f64);
    let center = DVec3::new(0.5 * length, 0.0, -0.5 * BALL);
    let half = DVec3::new(0.5 * length + 0.1, WIDTH, 0.5 * BALL);
    let plane = Shape::cuboid(center, half, glam::DQuat::IDENTITY).made_of(MaterialId(0));
    let balls = along(BALLS.min(last.max(1))).map(|share| Shape::sphere(at(share) + BALL * DVec3::Z, BALL));
    let points: Vec<DVec3> = along(PIECES.min(last.max(1))).map(|share| at(share) + BALL * DVec3::Z).collect();
    let pieces = points.windows(2).filter(|ends| ends[0] != ends[1]);
    let pieces = pieces.map(|ends| Shape::capsule(ends[0], ends[1], WAY).made_of(MaterialId(2)));
    let solids = std::iter::once(plane).chain(balls.map(|ball| ball.made_of(MaterialId(1)))).chain(pieces);
    let materials = MATERIALS.iter().map(|(name, _)| Material::only_shown(name)).collect();
    let colors = MATERIALS.map(|(_, color)| Some(Color(color))).to_vec();
    let scene = Scene::new(&Shape::union(solids), materials, None, None)?.with_colors(colors);
    let corners =
        points.iter().flat_map(|&point| [point, DVec3::new(point.x, WIDTH, 0.0), DVec3::new(point.x, -WIDTH, 0.0)]);
    Ok(Some((scene, view_of(corners, size))))
}
