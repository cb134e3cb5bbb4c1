//! What may vary from world to world: surfaces, masses, and initial motions.

use std::f64::consts::PI;

use super::definition::{
    Bounds, Law, MIN_ELASTIC, OF_WORLD, STEPS_IN_CONTACT, WORLD_SIZES, World, check_motion, within,
};
use super::error::WorldError;
use super::gaps::near;
use super::motion::Motion;

/// Largest initial overlap, relative to radii: the rounding of decimal coordinates.
const MAX_OVERLAP: f64 = 1e-9;

/// The start of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldStart {
    /// Default restitution, 0 to 1.
    pub restitution: f64,
    /// Default friction coefficient, 0 to 100.
    pub friction: f64,
    /// Masses of the bodies \[kg\].
    pub masses: Vec<f64>,
    /// Initial poses and motions.
    pub motions: Vec<Motion>,
}

impl WorldStart {
    /// The start given in the world itself.
    #[must_use]
    pub fn of(world: &World) -> Self {
        Self {
            restitution: world.restitution,
            friction: world.friction,
            masses: world.bodies.iter().map(|body| body.mass).collect(),
            motions: world.bodies.iter().map(|body| body.motion).collect(),
        }
    }

    /// Square roots of restitution and friction of bodies, then of walls and obstacles.
    pub fn surfaces(&self, world: &World) -> Vec<[f64; 2]> {
        let own = |restitution: Option<f64>, friction: Option<f64>| {
            [restitution.unwrap_or(self.restitution).sqrt(), friction.unwrap_or(self.friction).sqrt()]
        };
        let of_bodies = world.bodies.iter().map(|body| own(body.restitution, body.friction));
        let of_walls = world.walls.iter().map(|wall| own(wall.restitution, wall.friction));
        let of_obstacles = world.obstacles.iter().map(|one| own(one.restitution, one.friction));
        of_bodies.chain(of_walls).chain(of_obstacles).collect()
    }

    /// Checks that a world can start like this.
    ///
    /// # Errors
    /// If a number is out of range, a body is outside the bounds, or bodies overlap.
    pub fn check(&self, world: &World) -> Result<(), WorldError> {
        self.check_numbers(world)?;
        self.check_law(world)?;
        self.check_bounds(world)?;
        self.check_overlaps(world)
    }

    /// Checks that numbers are in range, and that there are as many as bodies.
    pub(super) fn check_numbers(&self, world: &World) -> Result<(), WorldError> {
        let bodies = world.bodies.len();
        if let Some(got) = [self.masses.len(), self.motions.len()].into_iter().find(|got| *got != bodies) {
            return Err(WorldError::Start { bodies, got });
        }
        within(OF_WORLD, "restitution", self.restitution, [0.0, 1.0])?;
        within(OF_WORLD, "friction", self.friction, [0.0, 100.0])?;
        for ((body, &mass), motion) in world.bodies.iter().zip(&self.masses).zip(&self.motions) {
            within(&body.name, "mass", mass, WORLD_SIZES)?;
            check_motion(&body.name, motion)?;
        }
        Ok(())
    }

    /// Checks that spring contacts are resolved by the step.
    fn check_law(&self, world: &World) -> Result<(), WorldError> {
        match world.law {
            Law::Rigid => Ok(()),
            Law::Penalty { stiffness } => {
                // Two of the lightest bodies swing fastest against each other.
                let lightest = self.masses.iter().copied().fold(f64::INFINITY, f64::min);
                let most = PI / STEPS_IN_CONTACT * (0.5 * lightest / stiffness).sqrt();
                let step = world.step;
                if step <= most { Ok(()) } else { Err(WorldError::SpringStep { step, most }) }
            }
            Law::ViscoElastic { .. } => {
                let own = world.bodies.iter().map(|body| (body.name.as_str(), body.restitution));
                let fixed = world.walls.iter().map(|wall| (wall.name.as_str(), wall.restitution));
                let all =
                    own.chain(fixed).chain(world.obstacles.iter().map(|one| (one.name.as_str(), one.restitution)));
                let mut all = all.map(|(name, own)| own.map_or((OF_WORLD, self.restitution), |own| (name, own)));
                match all.find(|(_, restitution)| *restitution < MIN_ELASTIC) {
                    Some((of, value)) => Err(WorldError::Damped { of: of.to_owned(), value }),
                    None => Ok(()),
                }
            }
        }
    }

    /// Checks that no body is to be removed before it has moved.
    fn check_bounds(&self, world: &World) -> Result<(), WorldError> {
        let Some(Bounds { min, max }) = world.bounds else { return Ok(()) };
        for (body, &Motion { position, .. }) in world.bodies.iter().zip(&self.motions) {
            if !(min.cmple(position).all() && position.cmple(max).all()) {
                return Err(WorldError::Outside { body: body.name.clone(), position, min, max });
            }
        }
        Ok(())
    }

    fn check_overlaps(&self, world: &World) -> Result<(), WorldError> {
        let present = vec![true; world.bodies.len()];
        for (partner, second, gap) in near(world, &self.motions, &present) {
            let body = &world.bodies[second];
            // A comparison that NaN does not pass.
            let is_apart = gap >= -MAX_OVERLAP * body.shape.reach();
            if !is_apart {
                let first = world.partner_name(partner).to_owned();
                return Err(WorldError::Overlap { first, second: body.name.clone(), depth: -gap });
            }
        }
        Ok(())
    }
}
