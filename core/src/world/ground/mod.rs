//! Fixed solids that bodies stay out of: the convex parts of a scene.
//!
//! A scene of half spaces in unions, intersections and differences is a union of intersections of half spaces, each of which is a
//! convex polyhedron, or a wall where it is one half space. Balls and ellipsoids are parts as they are where nothing is cut off
//! them; other curved solids get flat sides, within a tolerance.

mod corners;
mod cover;
mod flats;
mod parts;

use glam::DVec3;

pub(super) use self::cover::is_covered;

use self::corners::polyhedron;
use self::parts::Making;
use super::definition::{Bounds, WORLD_SIZES, Wall, World, within};
use super::error::WorldError;
use super::motion::Motion;
use super::shape::BodyShape;
use crate::scene::{HalfSpace, Scene};

/// How far beyond the bounds of a world parts are kept, in sizes of the largest body: nothing that touches there comes so far.
const BEYOND: f64 = 8.0;

/// A fixed solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its name in tables and errors.
    pub name: String,
    /// Its shape.
    pub shape: BodyShape,
    /// Where it stands, at rest.
    pub place: Motion,
    /// Restitution, overriding the world's.
    pub restitution: Option<f64>,
    /// Friction coefficient, overriding the world's.
    pub friction: Option<f64>,
}

/// How a scene is made ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundOptions {
    /// How far flat sides may be from what is curved \[m\], within [`WORLD_SIZES`]. They stand outside what is solid.
    pub tolerance: Option<f64>,
    /// Restitution, overriding the world's.
    pub restitution: Option<f64>,
    /// Friction coefficient, overriding the world's.
    pub friction: Option<f64>,
}

impl World {
    /// Puts the solids of a scene into the world, as walls and obstacles named `ground.1`, `ground.2` and so on.
    ///
    /// # Errors
    /// If the tolerance is out of range, the scene has curved solids that need one and there is none, too many parts or
    /// parts with too many sides, or parts without an end in a world without bounds.
    pub fn add_ground(&mut self, scene: &Scene, options: &GroundOptions) -> Result<(), WorldError> {
        let GroundOptions { tolerance, restitution, friction } = *options;
        if let Some(tolerance) = tolerance {
            within("the ground", "tolerance", tolerance, WORLD_SIZES)?;
        }
        let room = self.room();
        let corners = room.map_or_else(Vec::new, |room| room.corners().to_vec());
        let making = Making { scene, tolerance, room: &corners };
        for (number, part) in making.parts(scene.root())?.into_iter().enumerate() {
            let name = format!("ground.{}", number + 1);
            let (shape, place) = match part.round() {
                Some(round) => round,
                None => match making.planes(&part)?[..] {
                    [HalfSpace { normal, offset }] => {
                        let through = normal * (offset / normal.length_squared());
                        self.walls.push(Wall { restitution, friction, ..Wall::new(name, normal, through) });
                        continue;
                    }
                    ref planes => match polyhedron(&name, planes, room)? {
                        Some(found) => found,
                        None => continue,
                    },
                },
            };
            self.obstacles.push(Obstacle { name, shape, place, restitution, friction });
        }
        Ok(())
    }

    /// Where bodies may touch something, if there are bounds.
    fn room(&self) -> Option<Bounds> {
        let largest = self.bodies.iter().map(|body| body.shape.reach()).fold(0.0, f64::max);
        self.bounds.map(|Bounds { min, max }| Bounds { min: min - BEYOND * largest, max: max + BEYOND * largest })
    }
}

impl Bounds {
    fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|number| {
            let side = |bit: usize, min: f64, max: f64| if number >> bit & 1 == 0 { min } else { max };
            let Self { min, max } = self;
            DVec3::new(side(0, min.x, max.x), side(1, min.y, max.y), side(2, min.z, max.z))
        })
    }
}

fn refused<T>(what: impl Into<String>) -> Result<T, WorldError> {
    Err(WorldError::Ground { what: what.into() })
}
