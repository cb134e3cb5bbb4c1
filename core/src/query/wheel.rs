//! Job `wheel`: the pebble-and-spring wheel (docs/theory/wheels.md, whose rules R1 to R14 are cited below).
//!
//! # Conventions
//! Wheel frame: X in the rolling direction, Y along the axle to the right, Z down. The wheel extends from `z_min` to
//! `z_max` on its Z axis. Spring and damping coefficients are negative, so that the formula gives the force on the
//! pebble; the force on the airframe is its negative (R1).

use glam::{DQuat, DVec3};

use super::strut::Strut;
use super::tyre::Tyre;
use crate::job::Job;
use crate::scene::{MaterialId, Scene};

/// Job `wheel`: each run is one wheel that starts in the air and is moved through its frames; one result per frame. The
/// time between frames is irrelevant: the pebble's own velocity is zero (R8).
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::{DQuat, DVec3};
/// use touchdown::document::Document;
/// use touchdown::job::Compute;
/// use touchdown::query::{WheelFrame, WheelState, Wheels};
/// use touchdown::reference::Reference;
/// use touchdown::scene::Scene;
/// use touchdown::vehicle::wheel_from_document;
///
/// let scene = Document::parse("runway.toml", r#"
///     default_material = "asphalt"
///     scene = { half_space = { normal = [0, 0, 1], offset = 0 } }
///     [materials]
///     asphalt = { static_friction = 0.8, dynamic_friction = 0.7 }
/// "#)?;
/// let wheel = Document::parse("wheel.toml", "
///     k_xy = -1e5\nk_z = -5e4\nd_xy = -1e3\nd_z = -2e3\nz_min = 0.1\nz_zero = 0.5\nz_max = 0.5
/// ")?;
/// let (scene, wheel) = (Scene::from_document(&scene)?, wheel_from_document(&wheel)?);
///
/// // Let down on the runway: body Z points down, and the relaxed wheel reaches 0.5 m below the origin.
/// let upside_down = DQuat::from_rotation_x(std::f64::consts::PI);
/// let at = |height| WheelFrame {
///     origin: DVec3::new(0.0, 0.0, height),
///     orientation: upside_down,
///     velocity: DVec3::ZERO,
///     brake: 0.0,
///     brake_friction: 0.0,
/// };
/// let run = vec![at(0.6), at(0.48)];
/// let steps = &Reference::new(1)?.compute::<Wheels>((&scene, &wheel), &[run])?[0];
/// assert_eq!(steps[0].contact.state, WheelState::Free);
/// // 2 cm of compression at 50 kN/m.
/// assert!((steps[1].force.z - 1000.0).abs() < 1e-6, "{:?}", steps[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wheels;

impl Job for Wheels {
    const NAME: &'static str = "wheel";
    type Shared<'a> = (&'a Scene, &'a WheelParameters);
    type Item = Vec<WheelFrame>;
    type Answer = Vec<WheelStep>;
}

/// Springs, dampers and travel of a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelParameters {
    /// Horizontal spring coefficient \[N/m\], negative.
    pub k_xy: f64,
    /// Vertical spring coefficient \[N/m\], negative; ignored if there is a strut.
    pub k_z: f64,
    /// Force of the vertical spring over compression, in place of a linear one.
    pub strut: Option<Strut>,
    /// Horizontal damping coefficient \[N s/m\], negative or zero.
    pub d_xy: f64,
    /// Vertical damping coefficient \[N s/m\], negative or zero.
    pub d_z: f64,
    /// Quadratic vertical damping coefficient \[N s^2/m^2\], negative or zero: adds `d_z_square |w| w` at the velocity
    /// w.
    pub d_z_square: f64,
    /// The damper in rebound; `None` if it is that of compression.
    pub rebound: Option<Damper>,
    /// Position of the pebble on the Z axis at which the wheel breaks \[m\].
    pub z_min: f64,
    /// Position of the pebble at which the vertical spring is relaxed \[m\].
    pub z_zero: f64,
    /// Position of the pebble from which there is no contact \[m\].
    pub z_max: f64,
    /// Rolling resistance coefficient \[1\]: adds `c_rr F_z` to the braking strength.
    pub rolling_resistance: f64,
    /// Swivels freely about its axis, so that it rolls in any direction: its braking strength bounds the horizontal
    /// force in every direction, instead of that along the rolling direction, and there is no other side force.
    ///
    /// It is a caster without trail, inertia and friction, instantly aligned with its velocity: the pebble trails
    /// behind it by the braking strength over `k_xy`, and pulls it back. Nothing is discontinuous where the velocity
    /// reverses or vanishes; at rest the wheel stands, and resists with at most the braking strength in any direction.
    pub caster: bool,
    /// Tyres that displace water and slush; `None` without displacement drag.
    pub tyre: Option<Tyre>,
    /// Clamp the normal force to the material's maximum force instead of only recording it (docs/theory/entry-points.md, 11).
    pub clamp_to_max_force: bool,
}

/// A damper along the surface normal: its force is `(linear + square |w|) w` at the pebble's velocity w along the
/// normal relative to the wheel frame. With non-positive coefficients it never adds energy, and it is continuous at
/// rest, also with different dampers for compression and rebound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper {
    /// \[N s/m\], negative or zero.
    pub linear: f64,
    /// \[N s^2/m^2\], negative or zero.
    pub square: f64,
}

impl WheelParameters {
    /// A wheel with all numbers zero and without optional parts, as a base for struct updates.
    pub const PLAIN: Self = Self {
        k_xy: 0.0,
        k_z: 0.0,
        strut: None,
        d_xy: 0.0,
        d_z: 0.0,
        d_z_square: 0.0,
        rebound: None,
        z_min: 0.0,
        z_zero: 0.0,
        z_max: 0.0,
        rolling_resistance: 0.0,
        caster: false,
        tyre: None,
        clamp_to_max_force: false,
    };

    /// The largest slope of the vertical spring force over compression \[N/m\], not negative.
    #[must_use]
    pub fn greatest_stiffness(&self) -> f64 {
        self.strut.map_or(-self.k_z, |strut| strut.greatest_slope())
    }

    /// By what share of these the axial spring is stiffer than the horizontal ones, at most; 0 where it is not.
    #[must_use]
    pub fn axial_excess(&self) -> f64 {
        (self.greatest_stiffness() / -self.k_xy - 1.0).max(0.0)
    }

    /// The damper of compression.
    #[must_use]
    pub fn compression_damper(&self) -> Damper {
        Damper { linear: self.d_z, square: self.d_z_square }
    }

    /// The damper of rebound.
    #[must_use]
    pub fn rebound_damper(&self) -> Damper {
        self.rebound.unwrap_or_else(|| self.compression_damper())
    }

    /// The largest slope of the vertical damping force over velocity at up to this speed \[m/s\], in either direction
    /// \[N s/m\]; it bounds the stable step.
    #[must_use]
    pub fn greatest_damping(&self, speed: f64) -> f64 {
        let steepest = |damper: Damper| -(damper.linear + 2.0 * damper.square * speed);
        steepest(self.compression_damper()).max(steepest(self.rebound_damper()))
    }
}

/// Position and motion of a wheel frame during one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelFrame {
    /// Origin b \[m\].
    pub origin: DVec3,
    /// Orientation q, wheel to world, steering included; a unit quaternion.
    pub orientation: DQuat,
    /// Velocity v of the origin \[m/s\].
    pub velocity: DVec3,
    /// Braking strength B \[N\]; infinite for a pad that never yields.
    pub brake: f64,
    /// Load-dependent braking strength \[1\]: adds `brake_friction F_z` to B.
    pub brake_friction: f64,
}

/// The state of a wheel (numbered as in results).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WheelState {
    /// Compressed beyond its travel, permanently.
    Broken = 0,
    /// Not in contact.
    Free = 1,
    /// In contact, rolling or slipping: the pebble moves.
    Slipping = 2,
    /// In contact, the pebble stays in place.
    Standing = 3,
}

/// State of a wheel between steps. Pebble and normal are in world coordinates (R3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelContact {
    /// State.
    pub state: WheelState,
    /// Position of the pebble \[m\]; meaningful while slipping or standing.
    pub pebble: DVec3,
    /// Normal of the surface under the pebble, as stored in its leaf.
    pub normal: DVec3,
    /// Material under the pebble.
    pub material: Option<MaterialId>,
    /// The leaf under the pebble, by index in the scene.
    pub leaf: Option<u32>,
}

impl WheelState {
    /// All states, by number.
    pub const ALL: [Self; 4] = [Self::Broken, Self::Free, Self::Slipping, Self::Standing];
}

impl ClipCase {
    /// All cases, by number.
    pub const ALL: [Self; 6] =
        [Self::NotComputed, Self::NoPressingForce, Self::Inside, Self::Brake, Self::Corner, Self::Circle];
}

impl WheelContact {
    /// A wheel in the air.
    pub const FREE: Self =
        Self { state: WheelState::Free, pebble: DVec3::ZERO, normal: DVec3::ZERO, material: None, leaf: None };

    /// True while slipping or standing.
    #[must_use]
    pub fn touches(&self) -> bool {
        matches!(self.state, WheelState::Slipping | WheelState::Standing)
    }
}

/// How the force was clipped at the pebble border (docs/theory/wheels.md, 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum ClipCase {
    /// No force was computed.
    NotComputed = -2,
    /// Nothing presses the wheel against the ground (R5).
    NoPressingForce = -1,
    /// Inside the border.
    Inside = 0,
    /// Case 1 of the document: braking strength along, spring force across.
    Brake = 1,
    /// Case 2 of the document: a corner of the border.
    Corner = 2,
    /// Case 3 of the document: the friction circle.
    Circle = 3,
}

/// The result of one step of a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelStep {
    /// The wheel after the step.
    pub contact: WheelContact,
    /// Force on the airframe, world \[N\].
    pub force: DVec3,
    /// Point of application \[m\]: the pebble's position after the step (R11).
    pub application: DVec3,
    /// Normal force on the surface \[N\].
    pub normal_force: f64,
    /// Distance of the pebble above its relaxed position \[m\], not negative: the compression of the wheel.
    pub compression: f64,
    /// Friction coefficient that bounded the force \[1\]; zero if none was computed.
    pub friction: f64,
    /// How the force was clipped.
    pub clip_case: ClipCase,
    /// The normal force exceeded the material's maximum force.
    pub over_max_force: bool,
    /// Largest magnitude of the force within the step \[N\]. A landing step has finer sub-steps of the gear, and may
    /// include the moment of contact; in the job `wheel` it is the magnitude of `force`.
    pub peak_force: f64,
    /// Largest compression within the step \[m\].
    pub peak_compression: f64,
}

impl WheelStep {
    /// A step without force, with its nominal point of application \[m\].
    #[must_use]
    pub fn without_force(contact: WheelContact, application: DVec3) -> Self {
        Self {
            contact,
            force: DVec3::ZERO,
            application,
            normal_force: 0.0,
            compression: 0.0,
            friction: 0.0,
            clip_case: ClipCase::NotComputed,
            over_max_force: false,
            peak_force: 0.0,
            peak_compression: 0.0,
        }
    }
}
