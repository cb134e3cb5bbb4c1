//! What may differ from world to world: surfaces, masses, and where bodies start.

use super::definition::{MAX_WORLD_NUMBER, WORLD_SIZES, World, within};
use super::error::WorldError;
use super::motion::Motion;
use super::shape::BodyShape;

/// How deep bodies may overlap at the start, in parts of their radii: what decimal places are rounded to.
const MAX_OVERLAP: f64 = 1e-9;

/// How a world starts.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldStart {
    /// Restitution of what has none of its own, 0 to 1.
    pub restitution: f64,
    /// Coefficient of friction of what has none of its own, 0 to 100.
    pub friction: f64,
    /// Masses of the bodies \[kg\].
    pub masses: Vec<f64>,
    /// Where they start.
    pub motions: Vec<Motion>,
}

impl WorldStart {
    /// That of the world itself.
    #[must_use]
    pub fn of(world: &World) -> Self {
        Self {
            restitution: world.restitution,
            friction: world.friction,
            masses: world.bodies.iter().map(|body| body.mass).collect(),
            motions: world.bodies.iter().map(|body| body.motion).collect(),
        }
    }

    /// Looks whether a world can start like this.
    ///
    /// # Errors
    /// When a number is not what it may be, or bodies overlap.
    pub fn check(&self, world: &World) -> Result<(), WorldError> {
        let bodies = world.bodies.len();
        if let Some(got) = [self.masses.len(), self.motions.len()].into_iter().find(|got| *got != bodies) {
            return Err(WorldError::Start { bodies, got });
        }
        within("the world", "restitution", self.restitution, [0.0, 1.0])?;
        within("the world", "friction", self.friction, [0.0, 100.0])?;
        for ((body, &mass), motion) in world.bodies.iter().zip(&self.masses).zip(&self.motions) {
            within(&body.name, "mass", mass, WORLD_SIZES)?;
            let limits = [-MAX_WORLD_NUMBER, MAX_WORLD_NUMBER];
            for (what, vector) in [("position", motion.position), ("velocity", motion.velocity), ("spin", motion.spin)]
            {
                vector.to_array().into_iter().try_for_each(|value| within(&body.name, what, value, limits))?;
            }
        }
        self.check_overlaps(world)
    }

    fn check_overlaps(&self, world: &World) -> Result<(), WorldError> {
        let radius = |body: usize| match world.bodies[body].shape {
            BodyShape::Sphere { radius } => radius,
        };
        let overlap = |first: &str, second: usize, gap: f64| {
            let (first, name) = (first.to_owned(), world.bodies[second].name.clone());
            let is_apart = gap >= -MAX_OVERLAP * radius(second);
            if is_apart { Ok(()) } else { Err(WorldError::Overlap { first, second: name, depth: -gap }) }
        };
        for second in 0..world.bodies.len() {
            let position = self.motions[second].position;
            for wall in &world.walls {
                overlap(&wall.name, second, wall.normal.dot(position) - wall.offset - radius(second))?;
            }
            for first in 0..second {
                let distance = position.distance(self.motions[first].position);
                overlap(&world.bodies[first].name, second, distance - radius(first) - radius(second))?;
            }
        }
        Ok(())
    }
}
