//! A world: bodies, what stands fixed around them, and how time goes on.

use glam::DVec3;

use super::contact::Partner;
use super::error::WorldError;
use super::motion::Motion;
use super::shape::BodyShape;
use super::touch::is_known;

/// Most bodies of a world. Worlds are for one thread each, which looks at all pairs of bodies in every step and sweeps
/// over all contacts: both grow with the square of the number, and more bodies want another design.
pub const MAX_BODIES: usize = 64;
/// Most walls of a world.
pub const MAX_WALLS: usize = 64;
/// Most steps of a world.
pub const MAX_WORLD_STEPS: u32 = 1 << 20;
/// Shortest and longest step \[s\].
pub const WORLD_STEPS: [f64; 2] = [1e-9, 10.0];
/// Least and greatest mass \[kg\] and size \[m\].
pub const WORLD_SIZES: [f64; 2] = [1e-9, 1e9];
/// Greatest magnitude of a coordinate \[m\], a speed \[m/s\], a spin \[rad/s\] and an acceleration \[m/s^2\].
pub const MAX_WORLD_NUMBER: f64 = 1e9;

/// Greatest stiffness \[N/m\].
const MAX_STIFFNESS: f64 = 1e18;
/// Least number of steps that springs must be in contact: fewer do not follow them.
pub(super) const STEPS_IN_CONTACT: f64 = 10.0;
/// Least restitution of damped springs, whose damping grows without bounds towards 0.
pub(super) const MIN_ELASTIC: f64 = 1e-3;

/// How contacts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// Document 001's single pass: what overlaps where it would be at the end of the step. Fast bodies pass through each
    /// other, and chains of contacts are missed (docs/theory/complementarity.md, 8).
    EndOfStep,
    /// What meets on its way over the step, searched again with the new ways until none is new.
    Swept,
}

impl Contacts {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("end_of_step", Self::EndOfStep), ("swept", Self::Swept)];
}

/// How the impulses of contacts that meet in one step are found. Both follow Newton's law for each contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// All at once, a linear complementarity problem: each contact parts at e times the speed at which it met.
    Simultaneous,
    /// One after the other, the one that approaches fastest first, until none approaches.
    Sequential,
}

impl Resolution {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("simultaneous", Self::Simultaneous), ("sequential", Self::Sequential)];
}

/// What contacts do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// They keep bodies apart by impulses.
    Rigid,
    /// They are springs without damping, which the model's source argues against: bodies get as deep as it takes.
    Penalty {
        /// Stiffness of each contact \[N/m\].
        stiffness: f64,
    },
    /// They are damped springs that give back the restitution after a time in contact.
    ViscoElastic {
        /// Time that two bodies which meet are in contact \[s\].
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
    /// What it is.
    pub shape: BodyShape,
    /// Mass \[kg\].
    pub mass: f64,
    /// Where it starts.
    pub motion: Motion,
    /// Its own restitution, in the place of the world's.
    pub restitution: Option<f64>,
    /// Its own coefficient of friction, in the place of the world's.
    pub friction: Option<f64>,
}

impl Body {
    /// A ball at rest.
    #[must_use]
    pub fn sphere(name: impl Into<String>, radius: f64, mass: f64, position: DVec3) -> Self {
        let (shape, motion) = (BodyShape::Sphere { radius }, Motion::at(position));
        Self { name: name.into(), shape, mass, motion, restitution: None, friction: None }
    }

    /// The same with a velocity \[m/s\].
    #[must_use]
    pub fn moving(mut self, velocity: DVec3) -> Self {
        self.motion.velocity = velocity;
        self
    }
}

/// A fixed half space, which bodies stay outside of: the points with `normal . x <= offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Its name in tables and errors.
    pub name: String,
    /// Outward unit normal.
    pub normal: DVec3,
    /// Where along the normal it ends \[m\].
    pub offset: f64,
    /// Its own restitution, in the place of the world's.
    pub restitution: Option<f64>,
    /// Its own coefficient of friction, in the place of the world's.
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

/// A box that bodies are meant to stay in: those whose centre leaves it are gone, and no longer part of the world.
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
    /// Number of steps, fewer where all is at rest before.
    pub steps: u32,
    /// How contacts are found.
    pub contacts: Contacts,
    /// How their impulses are found.
    pub resolution: Resolution,
    /// What contacts do; `contacts` and `resolution` are of rigid ones.
    pub law: Law,
    /// Restitution of what has none of its own, 0 to 1.
    pub restitution: f64,
    /// Coefficient of friction of what has none of its own.
    pub friction: f64,
    /// Rate at which velocities and spins of all bodies decay \[1/s\], as of drag: nothing else resists rolling.
    pub damping: f64,
    /// The bodies, at most [`MAX_BODIES`].
    pub bodies: Vec<Body>,
    /// The walls, at most [`MAX_WALLS`].
    pub walls: Vec<Wall>,
    /// What bodies are meant to stay in; everywhere where there is none.
    pub bounds: Option<Bounds>,
    /// Below this speed \[m/s\], of any point of it, a body is at rest.
    pub rest_speed: f64,
}

impl Default for World {
    /// Nothing under standard gravity, for 10 s.
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.80665),
            step: 0.01,
            steps: 1000,
            contacts: Contacts::Swept,
            resolution: Resolution::Simultaneous,
            law: Law::Rigid,
            restitution: 0.5,
            friction: 0.0,
            damping: 0.0,
            bodies: Vec::new(),
            walls: Vec::new(),
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
            Partner::Wall(wall) => &self.walls[wall].name,
            Partner::Body(body) => &self.bodies[body].name,
        }
    }

    /// Looks whether all numbers are what they may be.
    ///
    /// # Errors
    /// When one is not; the error names it with its value and what is allowed.
    pub fn check(&self) -> Result<(), WorldError> {
        if !(1..=MAX_BODIES).contains(&self.bodies.len()) {
            return Err(WorldError::Bodies { bodies: self.bodies.len() });
        }
        if self.walls.len() > MAX_WALLS {
            return Err(WorldError::Walls { walls: self.walls.len() });
        }
        if !(1..=MAX_WORLD_STEPS).contains(&self.steps) {
            return Err(WorldError::Steps { steps: self.steps });
        }
        let [sizes, steps] = [WORLD_SIZES, WORLD_STEPS];
        let magnitude = [-MAX_WORLD_NUMBER, MAX_WORLD_NUMBER];
        let of_world = "the world";
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
        for body in &self.bodies {
            match &body.shape {
                BodyShape::Sphere { radius } => within(&body.name, "radius", *radius, sizes)?,
                BodyShape::Box { half: size } | BodyShape::Ellipsoid { semi_axes: size } => {
                    within_each(&body.name, "half of its size", *size, sizes)?;
                }
                BodyShape::Hull(hull) => {
                    within_each(&body.name, "radius of gyration", hull.gyration.map(f64::sqrt), sizes)?;
                }
            }
            within(&body.name, "mass", body.mass, sizes)?;
            let Motion { position, orientation, velocity, spin } = body.motion;
            for (what, vector) in [("position", position), ("velocity", velocity), ("spin", spin)] {
                within_each(&body.name, what, vector, magnitude)?;
            }
            within(&body.name, "length of its orientation", orientation.length(), [1.0 - 1e-9, 1.0 + 1e-9])?;
            surface(&body.name, body.restitution, body.friction)?;
        }
        self.check_pairs()?;
        match self.bounds {
            Some(Bounds { min, max }) if !min.cmplt(max).all() => Err(WorldError::Bounds { min, max }),
            _ => Ok(()),
        }
    }
}

impl World {
    /// Looks whether there is a rule for each two bodies.
    fn check_pairs(&self) -> Result<(), WorldError> {
        for (number, second) in self.bodies.iter().enumerate() {
            let unknown = self.bodies[..number].iter().find(|first| !is_known(&first.shape, &second.shape));
            if let Some(first) = unknown {
                let described = |body: &Body| format!("{} ({})", body.name, body.shape.kind());
                return Err(WorldError::Pair { first: described(first), second: described(second) });
            }
        }
        Ok(())
    }
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
