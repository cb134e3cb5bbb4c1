//! Job `box_normal`: contact normals of vehicles represented as boxes with rounded edges
//! (docs/theory/vehicle-boxes.md).
//!
//! # Conventions
//! A contact vector goes from the centre of a box to its contact point, in world axes; its length is irrelevant, only
//! where its line pierces the box matters. The normal of one box points outwards. The normal of a pair is the direction
//! of the force on the second body from the first.

use glam::{DQuat, DVec3};

use super::ellipsoid::{Ellipsoid, MAX_ASPECT, is_rotation};
use crate::job::Job;
use crate::scene::LIMITS;

/// Side lengths over the semi-axes of the ellipsoid with the same volume and aspect ratios, (4 pi / 3)^(1/3)
/// (docs/theory/vehicle-boxes.md, 1).
pub const SIDES_OVER_SEMI_AXES: f64 = 1.611_991_954_016_469_6;

/// The normals of two corners count as equal if the length of their difference is at most this many times the machine
/// epsilon of the engine: 2^-52, or 2^-23 in f32.
///
/// Rounding displaces the point where a corner is hit by a few epsilons of half the longest side, and its normal by
/// that divided by the radius. The same body given twice, with quaternions of different lengths, has normals up to 14
/// times that apart (40,000 bodies); so differences due to rounding alone are covered for radii down to 1/32 of half
/// the longest side.
pub const SAME_NORMALS_EPSILONS: f64 = 512.0;

/// Job `box_normal`: the normal of each rounded box where its contact vector pierces it.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::{DQuat, DVec3};
/// use touchdown::job::Compute;
/// use touchdown::query::{BoxNormals, BoxPoint, BoxRegion, RoundedBox};
/// use touchdown::reference::Reference;
///
/// let car = RoundedBox { sides: DVec3::new(4.6, 1.8, 1.4), radius: 0.3, rotation: DQuat::IDENTITY };
/// let touched = |contact| BoxPoint { body: car, contact };
/// let found = Reference::new(1)?
///     .compute::<BoxNormals>((), &[touched(DVec3::new(2.0, 0.3, 0.0)), touched(DVec3::new(2.0, 0.9, 0.0))])?;
/// assert_eq!((found[0].region, found[0].normal), (BoxRegion::Face, DVec3::X));
/// assert_eq!(found[1].region, BoxRegion::Edge);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxNormals;

impl Job for BoxNormals {
    const NAME: &'static str = "box_normal";
    type Shared<'a> = ();
    type Item = BoxPoint;
    type Answer = BoxNormal;
}

/// Job `box_normal` for pairs: the contact normal of each (docs/theory/vehicle-boxes.md, 4).
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::{DQuat, DVec3};
/// use touchdown::job::Compute;
/// use touchdown::query::{BoxCase, BoxPair, BoxPairs, BoxPoint, RoundedBox};
/// use touchdown::reference::Reference;
///
/// let car = RoundedBox { sides: DVec3::new(4.6, 1.8, 1.4), radius: 0.3, rotation: DQuat::IDENTITY };
/// let touched = |x: f64, y: f64| BoxPoint { body: car, contact: DVec3::new(x, y, 0.0) };
/// // One runs into the back of the other: faces meet, and the second is pushed forward.
/// let found = Reference::new(1)?.compute::<BoxPairs>((), &[BoxPair { bodies: [touched(2.3, 0.2), touched(-2.3, 0.3)] }])?[0];
/// assert_eq!((found.case, found.normal), (BoxCase::FaceFace, DVec3::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxPairs;

impl Job for BoxPairs {
    const NAME: &'static str = "box_pair";
    type Shared<'a> = ();
    type Item = BoxPair;
    type Answer = BoxPairNormal;
}

/// A box with rounded edges and corners: the dilation of a smaller box by the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    /// Side lengths along its own axes \[m\], in any order.
    pub sides: DVec3,
    /// Radius of edges and corners \[m\]; 0 for a sharp box, and at most half of the shortest side.
    pub radius: f64,
    /// Rotation from its own axes to world axes; normalised where it is used.
    pub rotation: DQuat,
}

impl RoundedBox {
    /// The box with an ellipsoid's volume, aspect ratios and axes (docs/theory/vehicle-boxes.md, 1), and a radius
    /// \[m\].
    #[must_use]
    pub fn of_ellipsoid(ellipsoid: &Ellipsoid, radius: f64) -> Self {
        Self { sides: SIDES_OVER_SEMI_AXES * ellipsoid.semi_axes, radius, rotation: ellipsoid.rotation }
    }

    /// True if the sides are positive and within the limits of scenes, none above [`MAX_ASPECT`] times another, twice
    /// the radius is at most the shortest side, and the rotation is valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let (least, most) = (self.sides.min_element(), self.sides.max_element());
        // Comparisons that reject NaN.
        self.sides.cmpgt(DVec3::ZERO).all()
            && most <= LIMITS.magnitude
            && least >= 1.0 / LIMITS.magnitude
            && most <= MAX_ASPECT * least
            && self.radius >= 0.0
            && 2.0 * self.radius <= least
            && is_rotation(self.rotation)
    }
}

/// A box and a contact on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxPoint {
    /// The box.
    pub body: RoundedBox,
    /// From its centre to the contact point \[m\], in world axes; not zero.
    pub contact: DVec3,
}

impl BoxPoint {
    /// True if the box is valid and the contact vector is nonzero and within the limits of scenes.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.body.is_valid()
            && self.contact.abs().cmple(DVec3::splat(LIMITS.magnitude)).all()
            && self.contact.abs().max_element() >= 1.0 / LIMITS.magnitude
    }
}

/// Two boxes in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxPair {
    /// Both, each with its own contact vector; the normal acts on the second.
    pub bodies: [BoxPoint; 2],
}

impl BoxPair {
    /// True if both are valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.bodies.iter().all(BoxPoint::is_valid)
    }
}

/// Whether a normal exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BoxStatus {
    /// It does.
    Ok = 1,
    /// Undefined: the point hit is on a sharp edge or corner of a box with radius 0, or the normals of two corners are
    /// equal to rounding, so that their difference has no direction: up to 1.2e-13 apart in f64, 6.2e-5 in f32.
    Degenerate = 2,
    /// The box or the contact vector is invalid.
    BadInput = 3,
}

/// The part of a rounded box that is hit: the number of faces it adjoins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum BoxRegion {
    /// A plane.
    Face = 1,
    /// A cylinder.
    Edge = 2,
    /// A sphere.
    Corner = 3,
}

impl BoxRegion {
    /// All regions, by number.
    pub const ALL: [Self; 3] = [Self::Face, Self::Edge, Self::Corner];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Face => "face",
            Self::Edge => "edge",
            Self::Corner => "corner",
        }
    }
}

/// The normal of a box at the point where a contact vector pierces it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxNormal {
    /// Whether there is one.
    pub status: BoxStatus,
    /// Outward unit normal in world axes; zero unless the status is `Ok`.
    pub normal: DVec3,
    /// The part of the box that is hit; for a sharp box the part with its middle hit. Undefined for `BadInput`.
    pub region: BoxRegion,
}

impl BoxNormal {
    /// A result without a normal.
    #[must_use]
    pub fn none(status: BoxStatus, region: BoxRegion) -> Self {
        Self { status, normal: DVec3::ZERO, region }
    }
}

/// Which parts of two boxes touch (docs/theory/vehicle-boxes.md, 4); an edge counts as a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BoxCase {
    /// Two faces: the normal of the one hit closer to its middle, by the angle at the centre.
    FaceFace = 0,
    /// A face of the first: its normal.
    FaceCorner = 1,
    /// A face of the second: the opposite of its normal.
    CornerFace = 2,
    /// Corners: the direction of the difference of their normals.
    CornerCorner = 3,
}

impl BoxCase {
    /// All cases, by number.
    pub const ALL: [Self; 4] = [Self::FaceFace, Self::FaceCorner, Self::CornerFace, Self::CornerCorner];

    /// The case of two regions.
    #[must_use]
    pub fn of(regions: [BoxRegion; 2]) -> Self {
        match regions.map(|region| region == BoxRegion::Face) {
            [true, true] => Self::FaceFace,
            [true, false] => Self::FaceCorner,
            [false, true] => Self::CornerFace,
            [false, false] => Self::CornerCorner,
        }
    }

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FaceFace => "face-face",
            Self::FaceCorner => "face-corner",
            Self::CornerFace => "corner-face",
            Self::CornerCorner => "corner-corner",
        }
    }
}

/// The contact normal of two boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxPairNormal {
    /// Whether there is one.
    pub status: BoxStatus,
    /// Unit normal in world axes, the direction of the force on the second body from the first; zero unless the status
    /// is `Ok`. That on the first is its opposite.
    pub normal: DVec3,
    /// Which parts touch. Undefined for `BadInput`.
    pub case: BoxCase,
}

impl BoxPairNormal {
    /// A result without a normal.
    #[must_use]
    pub fn none(status: BoxStatus, case: BoxCase) -> Self {
        Self { status, normal: DVec3::ZERO, case }
    }
}
