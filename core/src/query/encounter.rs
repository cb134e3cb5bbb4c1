//! Job `encounter`: two vehicles that drive at constant velocities until they meet, and the impact (docs/encounters.md).
//!
//! # Conventions
//! Planar, x forwards and y to the left of a vehicle whose yaw is 0; yaw counter-clockwise. Both vehicles have the same
//! dimensions and masses, the first is A. Normals and impulses act on B, and on A their opposites do.

use glam::DVec2;
use thiserror::Error;

use crate::job::Job;

/// Job `encounter`: how each goes.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec2;
/// use touchdown::job::Compute;
/// use touchdown::query::{ContactModel, Driven, Encounter, EncounterStatus, Encounters};
/// use touchdown::reference::Reference;
///
/// // One car runs into the back of another, 2 m off its middle.
/// let driven = |x: f64, y: f64, speed| Driven { position: DVec2::new(x, y), yaw: 0.0, speed };
/// let encounter = Encounter {
///     vehicles: [driven(0.0, 0.0, 29.1), driven(7.0, -2.0, 26.8)],
///     sides: [5.0, 3.0, 2.9],
///     radius: 0.3,
///     mass: 1573.0,
///     yaw_inertia: 2782.0,
///     restitution: 0.5,
///     friction: 0.0,
///     contact: ContactModel::Box,
/// };
/// let answer = Reference::new(1)?.compute::<Encounters>((), &[encounter])?[0];
/// assert_eq!(answer.status, EncounterStatus::Contact);
/// assert!((answer.time - 0.769).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Encounters;

impl Job for Encounters {
    const NAME: &'static str = "encounter";
    type Shared<'a> = ();
    type Item = Encounter;
    type Answer = EncounterAnswer;
}

/// No dimension of a vehicle is more than this many times another.
pub const MAX_VEHICLE_ASPECT: f64 = 16.0;
/// Vehicles whose velocities differ by less \[m/s\] do not meet any more.
pub const MIN_RELATIVE_SPEED: f64 = 1e-9;

/// What the bodies of vehicles are where they touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactModel {
    /// Ellipsoids of the volume and the aspect ratios of the vehicles' boxes (EM).
    Ellipsoid,
    /// The contact point is that of the ellipsoids, the normal that of boxes with rounded edges; boxes that pass each
    /// other do not meet (BM).
    Box,
}

impl ContactModel {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ellipsoid, Self::Box];

    /// Name in options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ellipsoid => "ellipsoid",
            Self::Box => "box",
        }
    }
}

/// Where a vehicle is, and how it drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// Its centre of mass \[m\].
    pub position: DVec2,
    /// Its heading \[rad\].
    pub yaw: f64,
    /// Along its heading \[m/s\].
    pub speed: f64,
}

/// Two vehicles that drive at constant velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// Both.
    pub vehicles: [Driven; 2],
    /// Length, width and height of each \[m\].
    pub sides: [f64; 3],
    /// Of the rounded edges \[m\].
    pub radius: f64,
    /// Of each \[kg\].
    pub mass: f64,
    /// Of each, about its centre of mass \[kg m^2\].
    pub yaw_inertia: f64,
    /// 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// What touches.
    pub contact: ContactModel,
}

/// A number of an encounter that is not what it may be.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{field}: {value:e} must be between {:e} and {:e}", allowed[0], allowed[1])]
pub struct EncounterFault {
    /// Its name in tables.
    pub field: &'static str,
    /// The number.
    pub value: f64,
    /// Least and most that it may be.
    pub allowed: [f64; 2],
}

/// Names of the numbers of an encounter in tables.
pub const ENCOUNTER_FIELDS: [&str; 16] = [
    "a_x",
    "a_y",
    "a_yaw",
    "a_speed",
    "b_x",
    "b_y",
    "b_yaw",
    "b_speed",
    "length",
    "width",
    "height",
    "radius",
    "mass",
    "yaw_inertia",
    "restitution",
    "friction",
];

impl Encounter {
    /// Of its numbers in the order of [`ENCOUNTER_FIELDS`].
    #[must_use]
    pub fn of_numbers(numbers: [f64; 16], contact: ContactModel) -> Self {
        let driven = |first: usize| Driven {
            position: DVec2::new(numbers[first], numbers[first + 1]),
            yaw: numbers[first + 2],
            speed: numbers[first + 3],
        };
        let [length, width, height, radius, mass, yaw_inertia, restitution, friction] =
            std::array::from_fn(|number| numbers[8 + number]);
        let sides = [length, width, height];
        Self { vehicles: [driven(0), driven(4)], sides, radius, mass, yaw_inertia, restitution, friction, contact }
    }

    /// The first number that is not what it may be.
    #[must_use]
    pub fn fault(&self) -> Option<EncounterFault> {
        let Self { vehicles: [a, b], sides: [length, width, height], .. } = *self;
        let most = length.max(width).max(height);
        let size = [(most / MAX_VEHICLE_ASPECT).max(1e-3), 1e3];
        let least = length.min(width).min(height);
        let inertia = self.mass * length.max(width) * length.max(width);
        let (place, yaw, speed) = ([-1e6, 1e6], [-1e4, 1e4], [-1e4, 1e4]);
        let numbers = [
            (a.position.x, place),
            (a.position.y, place),
            (a.yaw, yaw),
            (a.speed, speed),
            (b.position.x, place),
            (b.position.y, place),
            (b.yaw, yaw),
            (b.speed, speed),
            (length, size),
            (width, size),
            (height, size),
            (self.radius, [1e-3 * least, 0.5 * least]),
            (self.mass, [1e-3, 1e9]),
            (self.yaw_inertia, [1e-3 * inertia, 1e2 * inertia]),
            (self.restitution, [0.0, 1.0]),
            (self.friction, [0.0, 10.0]),
        ];
        let mut named = ENCOUNTER_FIELDS.into_iter().zip(numbers);
        // Comparisons that NaN does not pass.
        named
            .find(|(_, (value, [low, high]))| !(low <= value && value <= high))
            .map(|(field, (value, allowed))| EncounterFault { field, value, allowed })
    }
}

/// How an encounter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum EncounterStatus {
    /// The vehicles meet.
    Contact = 1,
    /// They do not.
    Missed = 2,
    /// Their ellipsoids overlap at the start: they have met before.
    Overlap = 3,
    /// Two boxes meet with edges whose normals are the same, so that none is known.
    Degenerate = 4,
    /// The search for the contact did not end.
    NotConverged = 5,
    /// The encounter is not valid.
    BadInput = 6,
}

impl EncounterStatus {
    /// All that engines give to valid encounters.
    pub const OF_VALID: [Self; 5] = [Self::Contact, Self::Missed, Self::Overlap, Self::Degenerate, Self::NotConverged];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::Missed => "none",
            Self::Overlap => "overlap",
            Self::Degenerate => "degenerate",
            Self::NotConverged => "not_converged",
            Self::BadInput => "bad_input",
        }
    }
}

/// The parts of two boxes that meet: whether each is met at the rounding of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MetParts(pub [bool; 2]);

impl MetParts {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            [false, false] => "face-face",
            [false, true] => "face-edge",
            [true, false] => "edge-face",
            [true, true] => "edge-edge",
        }
    }
}

/// How a vehicle moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarMotion {
    /// Of its centre of mass \[m/s\].
    pub velocity: DVec2,
    /// Counter-clockwise \[rad/s\].
    pub yaw_rate: f64,
}

/// How an encounter goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncounterAnswer {
    /// What follows has a meaning for `Contact` only.
    pub status: EncounterStatus,
    /// When they meet \[s\].
    pub time: f64,
    /// Where \[m\].
    pub point: DVec2,
    /// Unit normal, the direction of the force on B.
    pub normal: DVec2,
    /// The parts that meet; of boxes alone.
    pub parts: Option<MetParts>,
    /// The normal impulse \[N s\]; 0 where the bodies part.
    pub impulse: f64,
    /// The impulse of friction on B \[N s\], along the normal turned to the left by a quarter turn.
    pub friction_impulse: f64,
    /// How both move after the impact.
    pub after: [PlanarMotion; 2],
}

impl EncounterAnswer {
    /// An encounter without a contact.
    #[must_use]
    pub fn none(status: EncounterStatus) -> Self {
        Self {
            status,
            time: 0.0,
            point: DVec2::ZERO,
            normal: DVec2::ZERO,
            parts: None,
            impulse: 0.0,
            friction_impulse: 0.0,
            after: [PlanarMotion::default(); 2],
        }
    }
}
