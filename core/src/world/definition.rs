//! Definition of a world: bodies, walls, and time stepping.

use glam::DVec3;

use super::contact::Partner;
use super::error::WorldError;
use super::ground::Obstacle;
use super::motion::Motion;
use super::shape::BodyShape;
use crate::query::MAX_ASPECT;

/// Maximum number of bodies. A world runs on one thread, which considers all pairs of bodies in every step and sweeps
/// over all contacts: both grow with the square of the number, and more bodies need another design.
pub const MAX_BODIES: usize = 64;
/// Maximum number of walls.
pub const MAX_WALLS: usize = 64;
/// Maximum number of fixed solids.
pub const MAX_OBSTACLES: usize = 64;
/// Maximum number of steps.
pub const MAX_WORLD_STEPS: u32 = 1 << 20;
/// Maximum number of sweeps of a step.
pub const MAX_WORLD_SWEEPS: u32 = 1000;
/// Shortest and longest step \[s\].
pub const WORLD_STEPS: [f64; 2] = [1e-9, 10.0];
/// Smallest and largest mass \[kg\] and size \[m\].
pub const WORLD_SIZES: [f64; 2] = [1e-9, 1e9];
/// Largest magnitude of a coordinate \[m\], a velocity \[m/s\], an angular velocity \[rad/s\] and an acceleration
/// \[m/s^2\].
pub const MAX_WORLD_NUMBER: f64 = 1e9;

/// Largest stiffness \[N/m\].
const MAX_STIFFNESS: f64 = 1e18;
/// Minimum number of steps during a spring contact: fewer do not resolve it.
pub(super) const STEPS_IN_CONTACT: f64 = 10.0;
/// Smallest restitution of damped springs, whose damping diverges towards 0.
pub(super) const MIN_ELASTIC: f64 = 1e-3;
/// What errors call the world, where a number is none of a body or a wall: no name has a space.
pub(super) const OF_WORLD: &str = "the world";

/// Contact detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// Single pass, as in document 001: bodies that would overlap at the end of the step. Fast bodies pass through each
    /// other, and chains of contacts are missed (docs/theory/complementarity.md, 8).
    EndOfStep,
    /// Bodies that meet during the step, searched again with the updated motions until there are no new contacts.
    Swept,
}

impl Contacts {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("end_of_step", Self::EndOfStep), ("swept", Self::Swept)];
}

/// How the impulses of simultaneous contacts are computed. Both follow Newton's impact law for each contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// All at once, as a linear complementarity problem: each contact separates at e times its approach velocity.
    Simultaneous,
    /// One after the other, fastest approach first, until none approaches.
    Sequential,
}

impl Resolution {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("simultaneous", Self::Simultaneous), ("sequential", Self::Sequential)];
}

/// Contact law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Rigid: impulses prevent overlap.
    Rigid,
    /// Undamped springs, which the model's source argues against: penetration is as deep as it takes.
    Penalty {
        /// Stiffness of each contact \[N/m\].
        stiffness: f64,
    },
    /// Damped springs with the given restitution and contact time.
    ViscoElastic {
        /// Duration of a contact of two bodies \[s\].
        contact_time: f64,
    },
}

impl Law {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Penalty { .. } => "penalty",
            Self::ViscoElastic { .. } => "viscoelastic",
        }
    }
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name in tables and errors.
    pub name: String,
    /// Its shape.
    pub shape: BodyShape,
    /// Mass \[kg\].
    pub mass: f64,
    /// Initial pose and motion.
    pub motion: Motion,
    /// Restitution, overriding the world's.
    pub restitution: Option<f64>,
    /// Friction coefficient, overriding the world's.
    pub friction: Option<f64>,
}

impl Body {
    /// A ball at rest.
    #[must_use]
    pub fn sphere(name: impl Into<String>, radius: f64, mass: f64, position: DVec3) -> Self {
        let (shape, motion) = (BodyShape::Sphere { radius }, Motion::at(position));
        Self { name: name.into(), shape, mass, motion, restitution: None, friction: None }
    }

    /// Sets the velocity \[m/s\].
    #[must_use]
    pub fn moving(mut self, velocity: DVec3) -> Self {
        self.motion.velocity = velocity;
        self
    }
}

/// A fixed half space that bodies stay out of: the points with `normal . x <= offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Its name in tables and errors.
    pub name: String,
    /// Outward unit normal.
    pub normal: DVec3,
    /// Its offset along the normal \[m\].
    pub offset: f64,
    /// Restitution, overriding the world's.
    pub restitution: Option<f64>,
    /// Friction coefficient, overriding the world's.
    pub friction: Option<f64>,
}

impl Wall {
    /// The half space below the plane through a point with an upward normal of any length.
    #[must_use]
    pub fn new(name: impl Into<String>, normal: DVec3, through: DVec3) -> Self {
        let normal = normal.normalize_or_zero();
        Self { name: name.into(), normal, offset: normal.dot(through), restitution: None, friction: None }
    }
}

/// A box that bodies should stay in: those whose centre leaves it are removed from the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates \[m\].
    pub min: DVec3,
    /// Greatest coordinates \[m\].
    pub max: DVec3,
}

/// A world.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// Gravity \[m/s^2\].
    pub gravity: DVec3,
    /// Length of a step \[s\].
    pub step: f64,
    /// Number of steps, unless everything is at rest before.
    pub steps: u32,
    /// Contact detection.
    pub contacts: Contacts,
    /// How impulses are computed.
    pub resolution: Resolution,
    /// Number of sweeps over the contacts of a step, for balls and walls with swept contacts that are resolved
    /// simultaneously: approximate impulses. `None` solves to accuracy.
    pub sweeps: Option<u32>,
    /// Contact law; `contacts` and `resolution` apply to rigid contacts.
    pub law: Law,
    /// Default restitution, 0 to 1.
    pub restitution: f64,
    /// Default friction coefficient.
    pub friction: f64,
    /// Decay rate of velocities and angular velocities of all bodies \[1/s\], as from drag: nothing else resists
    /// rolling. Each step divides them by 1 + damping * step, which is less than exp(damping * step).
    pub damping: f64,
    /// The bodies, at most [`MAX_BODIES`].
    pub bodies: Vec<Body>,
    /// The walls, at most [`MAX_WALLS`].
    pub walls: Vec<Wall>,
    /// Fixed solids, at most [`MAX_OBSTACLES`]. As partners of contacts they follow the walls.
    pub obstacles: Vec<Obstacle>,
    /// Box that bodies should stay in; unbounded if absent.
    pub bounds: Option<Bounds>,
    /// A body is at rest if all its points are slower than this \[m/s\], whether or not it touches anything.
    pub rest_speed: f64,
}

impl Default for World {
    /// An empty world under standard gravity, for 10 s.
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.80665),
            step: 0.01,
            steps: 1000,
            contacts: Contacts::Swept,
            resolution: Resolution::Simultaneous,
            sweeps: None,
            law: Law::Rigid,
            restitution: 0.5,
            friction: 0.0,
            damping: 0.0,
            bodies: Vec::new(),
            walls: Vec::new(),
            obstacles: Vec::new(),
            bounds: None,
            rest_speed: 0.01,
        }
    }
}

impl World {
    /// The name of what bodies touch.
    #[must_use]
    pub fn partner_name(&self, partner: Partner) -> &str {
        match partner {
            Partner::Wall(wall) => match self.walls.get(wall) {
                Some(wall) => &wall.name,
                None => &self.obstacles[wall - self.walls.len()].name,
            },
            Partner::Body(body) => &self.bodies[body].name,
        }
    }

    /// Checks that all numbers are in range.
    ///
    /// # Errors
    /// For the first one that is not, with its value and what is allowed.
    pub fn check(&self) -> Result<(), WorldError> {
        if !(1..=MAX_BODIES).contains(&self.bodies.len()) {
            return Err(WorldError::Bodies { bodies: self.bodies.len() });
        }
        if self.walls.len() > MAX_WALLS {
            return Err(WorldError::Walls { walls: self.walls.len() });
        }
        if self.obstacles.len() > MAX_OBSTACLES {
            return Err(WorldError::Obstacles { obstacles: self.obstacles.len() });
        }
        if !(1..=MAX_WORLD_STEPS).contains(&self.steps) {
            return Err(WorldError::Steps { steps: self.steps });
        }
        let [sizes, steps] = [WORLD_SIZES, WORLD_STEPS];
        let magnitude = [-MAX_WORLD_NUMBER, MAX_WORLD_NUMBER];
        let of_world = OF_WORLD;
        within(of_world, "step", self.step, steps)?;
        within(of_world, "rest_speed", self.rest_speed, [0.0, MAX_WORLD_NUMBER])?;
        match self.law {
            Law::Rigid => {}
            Law::Penalty { stiffness } => within(of_world, "stiffness", stiffness, [WORLD_SIZES[0], MAX_STIFFNESS])?,
            Law::ViscoElastic { contact_time } => {
                within(of_world, "contact_time", contact_time, [STEPS_IN_CONTACT * self.step, MAX_WORLD_NUMBER])?;
            }
        }
        within(of_world, "damping", self.damping, [0.0, MAX_WORLD_NUMBER])?;
        within_each(of_world, "gravity", self.gravity, magnitude)?;
        surface(of_world, Some(self.restitution), Some(self.friction))?;
        for wall in &self.walls {
            if (wall.normal.length() - 1.0).abs() > 1e-9 {
                return Err(WorldError::Normal { wall: wall.name.clone() });
            }
            within(&wall.name, "offset", wall.offset, magnitude)?;
            surface(&wall.name, wall.restitution, wall.friction)?;
        }
        for Obstacle { name, shape, place, restitution, friction } in &self.obstacles {
            size(name, shape)?;
            check_motion(name, place)?;
            surface(name, *restitution, *friction)?;
        }
        for body in &self.bodies {
            size(&body.name, &body.shape)?;
            within(&body.name, "mass", body.mass, sizes)?;
            check_motion(&body.name, &body.motion)?;
            surface(&body.name, body.restitution, body.friction)?;
        }
        self.check_aspects()?;
        self.check_sweeps()?;
        match self.bounds {
            Some(Bounds { min, max }) if !min.cmplt(max).all() => Err(WorldError::Bounds { min, max }),
            _ => Ok(()),
        }
    }
}

impl World {
    /// Checks that ellipsoids are of about the size of what is round and may touch them.
    fn check_aspects(&self) -> Result<(), WorldError> {
        for (number, body) in self.bodies.iter().enumerate() {
            let fixed = self.obstacles.iter().map(|one| (&one.name, &one.shape));
            let others = self.bodies[..number].iter().map(|other| (&other.name, &other.shape));
            for (name, shape) in fixed.chain(others) {
                let Some([least, most]) = range_of_pair([shape, &body.shape]) else { continue };
                if most > MAX_ASPECT * least {
                    let (first, second) = (name.clone(), body.name.clone());
                    return Err(WorldError::Aspect { first, second, least, most });
                }
            }
        }
        Ok(())
    }

    /// Checks that sweeps are for worlds of the kind that they are made for.
    fn check_sweeps(&self) -> Result<(), WorldError> {
        let Some(sweeps) = self.sweeps else { return Ok(()) };
        within(OF_WORLD, "sweeps", f64::from(sweeps), [1.0, f64::from(MAX_WORLD_SWEEPS)])?;
        let refused = |what: String| Err(WorldError::Sweeps { what });
        if self.law != Law::Rigid {
            return refused(format!("law = \"{}\"", self.law.name()));
        }
        if self.contacts != Contacts::Swept {
            return refused("contacts = \"end_of_step\"".to_owned());
        }
        if self.resolution != Resolution::Simultaneous {
            return refused("resolution = \"sequential\"".to_owned());
        }
        match self.bodies.iter().find(|body| !matches!(body.shape, BodyShape::Sphere { .. })) {
            Some(body) => refused(format!("{} ({})", body.name, body.shape.kind())),
            None => match self.obstacles.first() {
                Some(obstacle) => refused(format!("{} ({})", obstacle.name, obstacle.shape.kind())),
                None => Ok(()),
            },
        }
    }
}

/// That a shape is neither too small nor too large.
fn size(of: &str, shape: &BodyShape) -> Result<(), WorldError> {
    match shape {
        BodyShape::Sphere { radius } => within(of, "radius", *radius, WORLD_SIZES),
        BodyShape::Box { half: size } | BodyShape::Ellipsoid { semi_axes: size } => {
            within_each(of, "half of its size", *size, WORLD_SIZES)
        }
        BodyShape::Hull(hull) => within_each(of, "radius of gyration", hull.gyration.map(f64::sqrt), WORLD_SIZES),
    }
}

/// That a pose and a motion are in range, and the orientation is a rotation.
pub(super) fn check_motion(of: &str, motion: &Motion) -> Result<(), WorldError> {
    let Motion { position, orientation, velocity, spin } = *motion;
    for (what, vector) in [("position", position), ("velocity", velocity), ("spin", spin)] {
        within_each(of, what, vector, [-MAX_WORLD_NUMBER, MAX_WORLD_NUMBER])?;
    }
    within(of, "length of its orientation", orientation.length(), [1.0 - 1e-9, 1.0 + 1e-9])
}

/// The least and the largest semi-axis of a pair whose contact is that of two ellipsoids: balls have one of their own.
fn range_of_pair(shapes: [&BodyShape; 2]) -> Option<[f64; 2]> {
    let [one, other] = [shapes[0].semi_axes()?, shapes[1].semi_axes()?];
    let are_balls = shapes.iter().all(|shape| matches!(shape, BodyShape::Sphere { .. }));
    (!are_balls).then(|| [one.min(other).min_element(), one.max(other).max_element()])
}

/// Restitution from 0 to 1, friction from 0 to 100.
fn surface(of: &str, restitution: Option<f64>, friction: Option<f64>) -> Result<(), WorldError> {
    within(of, "restitution", restitution.unwrap_or(0.0), [0.0, 1.0])?;
    within(of, "friction", friction.unwrap_or(0.0), [0.0, 100.0])
}

fn within_each(of: &str, what: &'static str, vector: DVec3, limits: [f64; 2]) -> Result<(), WorldError> {
    vector.to_array().into_iter().try_for_each(|value| within(of, what, value, limits))
}

pub(super) fn within(of: &str, what: &'static str, value: f64, [least, most]: [f64; 2]) -> Result<(), WorldError> {
    // A comparison that NaN does not pass.
    let is_allowed = (least..=most).contains(&value);
    if is_allowed { Ok(()) } else { Err(WorldError::Number { of: of.to_owned(), what, value, least, most }) }
}
