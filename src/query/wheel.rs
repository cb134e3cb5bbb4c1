//! Job `wheel`: the pebble-and-spring wheel (docs/theory/wheels.md, whose rules R1 to R14 are cited below).
//!
//! # Conventions
//! Wheel frame: X in the rolling direction, Y along the axle to the right, Z down. The wheel reaches from `z_min` to
//! `z_max` on its Z axis. Spring and damping coefficients are negative, so that the formula gives
//! the force on the pebble; the force on the airframe is its negative (R1).

use glam::{DQuat, DVec3};

use super::strut::Strut;
use super::tyre::Tyre;
use crate::job::Job;
use crate::scene::{MaterialId, Scene};

/// Job `wheel`: each run is one wheel that starts in the air and is led through its frames; one result per frame.
/// The time between frames does not enter: the pebble's own speed is zero (R8).
///
/// ```
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
    /// Vertical spring coefficient \[N/m\], negative; not looked at where there is a strut.
    pub k_z: f64,
    /// Force of the vertical spring over compression, in place of a linear one.
    pub strut: Option<Strut>,
    /// Horizontal damping coefficient \[N s/m\], negative or zero.
    pub d_xy: f64,
    /// Vertical damping coefficient \[N s/m\], negative or zero.
    pub d_z: f64,
    /// Square vertical damping coefficient \[N s^2/m^2\], negative or zero: adds `d_z_square |w| w` at the speed w.
    pub d_z_square: f64,
    /// The damper of a wheel that extends; `None` where it is that of compression.
    pub rebound: Option<Damper>,
    /// The pebble's place on the Z axis at which the wheel breaks \[m\].
    pub z_min: f64,
    /// The pebble's place at which the vertical spring is relaxed \[m\].
    pub z_zero: f64,
    /// The pebble's place from which there is no contact \[m\].
    pub z_max: f64,
    /// Rolling resistance coefficient \[1\]: adds `c_rr F_z` to the braking strength.
    pub rolling_resistance: f64,
    /// Swivels freely about its axis, so that it rolls wherever it is led: its braking strength bounds the horizontal force
    /// in every direction, in place of that along the rolling direction, and there is no other side force.
    ///
    /// It is a caster of no trail, inertia and friction of its own, which is along its velocity at once: the pebble trails
    /// behind it, by the braking strength over `k_xy`, and pulls it back. Nothing jumps where the velocity turns round or
    /// vanishes; at rest the wheel stands, and is held against no more than the braking strength in any direction.
    pub caster: bool,
    /// Tyres that displace water and slush; `None` where these do not resist the wheel.
    pub tyre: Option<Tyre>,
    /// Clamp the normal force to the material's maximum force instead of only recording it (docs/theory/entry-points.md, 11).
    pub clamp_to_max_force: bool,
}

/// A damper along the surface's normal: its force is `(linear + square |w|) w` at the pebble's speed w along the normal
/// relative to the wheel frame. With coefficients that are not positive it never adds energy, and it is continuous at rest,
/// also where compression and rebound have dampers of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper {
    /// \[N s/m\], negative or zero.
    pub linear: f64,
    /// \[N s^2/m^2\], negative or zero.
    pub square: f64,
}

impl WheelParameters {
    /// A wheel of zeros without any of the optional parts, for the fields that a caller does not name.
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

    /// The steepest change of the vertical spring's force with compression \[N/m\], not negative.
    #[must_use]
    pub fn greatest_stiffness(&self) -> f64 {
        self.strut.map_or(-self.k_z, |strut| strut.greatest_slope())
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

    /// The steepest change of the vertical damping force with speed at up to this speed \[m/s\], in either direction
    /// \[N s/m\]: what bounds the stable step.
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
    /// Speed v of the origin \[m/s\].
    pub velocity: DVec3,
    /// Braking strength B \[N\]; infinite for a pad that never yields.
    pub brake: f64,
    /// Braking strength that follows the load \[1\]: adds `brake_friction F_z` to B.
    pub brake_friction: f64,
}

/// The state of a wheel (decisions: numbered as in results).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WheelState {
    /// Compressed beyond its travel, for good.
    Broken = 0,
    /// Not in contact.
    Free = 1,
    /// In contact, rolling or slipping: the pebble moves.
    Slipping = 2,
    /// In contact, the pebble keeps its place.
    Standing = 3,
}

/// What a wheel remembers from step to step. Pebble and normal are in world coordinates (R3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelContact {
    /// State.
    pub state: WheelState,
    /// Place of the pebble \[m\]; meaningful while slipping or standing.
    pub pebble: DVec3,
    /// Normal of the surface under the pebble, as stored in its leaf.
    pub normal: DVec3,
    /// Material under the pebble.
    pub material: Option<MaterialId>,
    /// The leaf under the pebble, by its number in the scene.
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

/// How the force was clipped against the pebble border (docs/theory/wheels.md, 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum ClipCase {
    /// No force was computed.
    NotComputed = -2,
    /// Nothing presses the wheel against the ground (R5).
    NoPressingForce = -1,
    /// Inside the border.
    Inside = 0,
    /// The document's case 1: braking strength along, spring force across.
    Brake = 1,
    /// The document's case 2: a corner of the border.
    Corner = 2,
    /// The document's case 3: the friction circle.
    Circle = 3,
}

/// The result of one step of a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelStep {
    /// The wheel after the step.
    pub contact: WheelContact,
    /// Force on the airframe, world \[N\].
    pub force: DVec3,
    /// Where the force acts \[m\]: the pebble's place after the step (R11).
    pub application: DVec3,
    /// Force that presses the surface, along its normal \[N\].
    pub normal_force: f64,
    /// How far the pebble stands above the relaxed place \[m\], not negative: the compression of the wheel.
    pub compression: f64,
    /// Friction coefficient that bounded the force \[1\]; zero where none was computed.
    pub friction: f64,
    /// How the force was clipped.
    pub clip_case: ClipCase,
    /// The normal force passed the material's maximum force.
    pub over_max_force: bool,
    /// Greatest size of the force within the step \[N\]. A step of a landing has finer ones of the gear inside, and may
    /// hold the moment of contact; in the job `wheel` it is the size of `force`.
    pub peak_force: f64,
    /// Greatest compression within the step \[m\].
    pub peak_compression: f64,
}

impl WheelStep {
    /// A step in which the wheel gives no force, with a place \[m\] where it would act.
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
