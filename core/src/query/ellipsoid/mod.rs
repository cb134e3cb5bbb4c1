//! Job `ellipsoid`: contact of two ellipsoids (Perram and Wertheim; docs/theory/ellipsoids.md), and of one with a wall.
//!
//! # Conventions
//! World coordinates; normals point from A to B, or from the ellipsoid into the wall; separations are negative on
//! overlap.

use glam::{DMat3, DQuat, DVec3};

use super::MIN_ROTATION;
use crate::job::Job;
use crate::scene::LIMITS;

/// Job `ellipsoid`: the contact of each pair.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec3;
/// use touchdown::job::Compute;
/// use touchdown::query::{Ellipsoid, EllipsoidPair, EllipsoidPairs};
/// use touchdown::reference::Reference;
///
/// let ball = |x: f64, radius| Ellipsoid::ball(DVec3::new(x, 0.0, 0.0), radius);
/// let contact = Reference::new(1)?.compute::<EllipsoidPairs>((), &[EllipsoidPair::new(ball(0.0, 1.0), ball(2.7, 2.0))])?[0];
/// // Both grow by the factor mu until they touch: here they shrink, since they overlap by 0.3 m.
/// assert!((contact.mu - 2.7 / 3.0).abs() < 1e-12 && (contact.separation + 0.3).abs() < 1e-12);
/// assert!((contact.normal - DVec3::X).length() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EllipsoidPairs;

impl Job for EllipsoidPairs {
    const NAME: &'static str = "ellipsoid pairs";
    type Shared<'a> = ();
    type Item = EllipsoidPair;
    type Answer = EllipsoidContact;
}

/// Job `ellipsoid`: the contact of each ellipsoid with its wall.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::{DQuat, DVec3};
/// use touchdown::job::Compute;
/// use touchdown::query::{Ellipsoid, EllipsoidWall, EllipsoidWalls};
/// use touchdown::reference::Reference;
///
/// let ellipsoid = Ellipsoid { center: DVec3::Z, semi_axes: DVec3::new(2.0, 1.0, 0.5), rotation: DQuat::IDENTITY };
/// let ground = EllipsoidWall { ellipsoid, normal: DVec3::Z, offset: 0.0 };
/// let contact = Reference::new(1)?.compute::<EllipsoidWalls>((), &[ground])?[0];
/// // Its lowest point is half a metre above the ground.
/// assert!((contact.separation - 0.5).abs() < 1e-12 && (contact.normal + DVec3::Z).length() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EllipsoidWalls;

impl Job for EllipsoidWalls {
    const NAME: &'static str = "ellipsoids and walls";
    type Shared<'a> = ();
    type Item = EllipsoidWall;
    type Answer = WallContact;
}

/// Largest ratio of semi-axes within a pair.
pub const MAX_ASPECT: f64 = 1e8;

/// True for quaternions long enough to define a rotation.
pub(crate) fn is_rotation(rotation: DQuat) -> bool {
    (MIN_ROTATION * MIN_ROTATION..=LIMITS.magnitude).contains(&rotation.length_squared())
}

/// An ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Its centre \[m\].
    pub center: DVec3,
    /// Semi-axes \[m\], in any order.
    pub semi_axes: DVec3,
    /// Rotation from its own axes to world axes; normalised where it is used.
    pub rotation: DQuat,
}

impl Ellipsoid {
    /// A ball.
    #[must_use]
    pub fn ball(center: DVec3, radius: f64) -> Self {
        Self { center, semi_axes: DVec3::splat(radius), rotation: DQuat::IDENTITY }
    }

    /// Its axes in world coordinates, as columns; NaN where the rotation is 0, which is not [valid](Self::is_valid).
    #[must_use]
    pub fn axes(&self) -> DMat3 {
        let DQuat { x, y, z, w } = self.rotation;
        let factor = 2.0 / (x * x + y * y + z * z + w * w);
        DMat3::from_cols(
            DVec3::new(1.0 - factor * (y * y + z * z), factor * (x * y + w * z), factor * (x * z - w * y)),
            DVec3::new(factor * (x * y - w * z), 1.0 - factor * (x * x + z * z), factor * (y * z + w * x)),
            DVec3::new(factor * (x * z + w * y), factor * (y * z - w * x), 1.0 - factor * (x * x + y * y)),
        )
    }

    /// The surface point with this outward normal, of any length \[m\].
    #[must_use]
    pub fn farthest(&self, normal: DVec3) -> DVec3 {
        let axes = self.axes();
        let stretched = axes.transpose() * normal * self.semi_axes;
        self.center + axes * (stretched / stretched.length() * self.semi_axes)
    }

    /// True if every number is finite and within the limits of scenes, semi-axes are positive, none above
    /// [`MAX_ASPECT`] times another, and the rotation is valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let (least, most) = (self.semi_axes.min_element(), self.semi_axes.max_element());
        // Comparisons that reject NaN.
        self.center.abs().cmple(DVec3::splat(LIMITS.magnitude)).all()
            && self.semi_axes.cmpgt(DVec3::ZERO).all()
            && most <= LIMITS.magnitude
            && least >= 1.0 / LIMITS.magnitude
            && most <= MAX_ASPECT * least
            && is_rotation(self.rotation)
    }
}

/// Two ellipsoids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidPair {
    /// The first, from which the normal points away.
    pub a: Ellipsoid,
    /// The second.
    pub b: Ellipsoid,
    /// Initial guess of Lambda, in (0, 1): for example that of the previous step. It affects the time, and the result
    /// only by rounding.
    pub guess: Option<f64>,
}

impl EllipsoidPair {
    /// Two ellipsoids without an initial guess.
    #[must_use]
    pub fn new(a: Ellipsoid, b: Ellipsoid) -> Self {
        Self { a, b, guess: None }
    }

    /// True if both are valid, neither has an axis more than [`MAX_ASPECT`] times one of the other, and the guess is
    /// between 0 and 1.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let least = self.a.semi_axes.min(self.b.semi_axes).min_element();
        let most = self.a.semi_axes.max(self.b.semi_axes).max_element();
        self.a.is_valid()
            && self.b.is_valid()
            && most <= MAX_ASPECT * least
            && self.guess.is_none_or(|guess| guess > 0.0 && guess < 1.0)
    }
}

/// How the computation of a contact ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ContactStatus {
    /// All results are defined.
    Ok = 0,
    /// The centres coincide: F is 0, and no scaling yields a contact. The normal is the direction of the smallest
    /// separating translation and the separation minus its length \[m\]; Lambda is 1/2 and the point the common centre.
    Degenerate = 1,
    /// The iteration did not converge.
    NotConverged = 2,
    /// The pair or the wall is invalid.
    BadInput = 3,
}

/// The contact of two ellipsoids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidContact {
    /// Status; the other fields are defined only for `Ok` and, where stated, `Degenerate`.
    pub status: ContactStatus,
    /// The contact function F = mu^2: below 1 where they overlap, 1 where they touch from outside.
    pub f: f64,
    /// The factor by which both are scaled until they touch.
    pub mu: f64,
    /// The parameter Lambda of the contact function, in (0, 1).
    pub lambda: f64,
    /// Unit normal of both scaled surfaces where they touch, from A to B.
    pub normal: DVec3,
    /// The point where the scaled surfaces touch \[m\].
    pub point: DVec3,
    /// The gap \[m\] between the tangent planes with this normal, negative on overlap: a lower bound of the true
    /// distance.
    pub separation: f64,
    /// Number of Newton iterations.
    pub iterations: u32,
}

impl EllipsoidContact {
    /// A result without a contact.
    #[must_use]
    pub fn none(status: ContactStatus) -> Self {
        Self {
            status,
            f: 0.0,
            mu: 0.0,
            lambda: 0.0,
            normal: DVec3::ZERO,
            point: DVec3::ZERO,
            separation: 0.0,
            iterations: 0,
        }
    }

    /// The points of the surfaces of A and B that become the contact point under scaling \[m\]. Defined for `Ok`.
    #[must_use]
    pub fn surface_points(&self, pair: &EllipsoidPair) -> [DVec3; 2] {
        // The points with the contact's normal. Dividing the contact point by mu would lose digits for small mu.
        [pair.a.farthest(self.normal), pair.b.farthest(-self.normal)]
    }

    /// The distance of the centres \[m\] when B is moved along the line between them until both touch. Defined for
    /// `Ok`.
    #[must_use]
    pub fn closest_approach(&self, pair: &EllipsoidPair) -> f64 {
        (pair.b.center - pair.a.center).length() / self.mu
    }
}

/// The distance of two ellipsoids ([`EllipsoidPair::signed_distance`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// The distance \[m\]; on overlap, minus the length of the smallest separating translation.
    pub distance: f64,
    /// Unit normal from A to B: the direction of the distance.
    pub normal: DVec3,
    /// The closest points of A and B \[m\]; on overlap, the deepest.
    pub points: [DVec3; 2],
}

/// An ellipsoid and a wall: the half space of points x with x.normal <= offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidWall {
    /// The ellipsoid.
    pub ellipsoid: Ellipsoid,
    /// The wall's outward normal, of any length.
    pub normal: DVec3,
    /// Its offset \[m\] times that length.
    pub offset: f64,
}

impl EllipsoidWall {
    /// True if the ellipsoid is valid and the wall within the limits of scenes.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.ellipsoid.is_valid()
            && self.normal.abs().cmple(DVec3::splat(LIMITS.magnitude)).all()
            && self.normal.length_squared() >= 1.0 / LIMITS.magnitude
            && self.offset.abs() <= LIMITS.magnitude
    }

    /// The wall's offset relative to the ellipsoid's centre \[m\] times the length of its normal: positive if the
    /// centre is in the wall.
    #[must_use]
    pub fn offset_from_center(&self) -> f64 {
        self.offset - self.normal.dot(self.ellipsoid.center)
    }
}

/// The contact of an ellipsoid with a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallContact {
    /// `Ok` or `BadInput`; the other fields are defined only for `Ok`.
    pub status: ContactStatus,
    /// The factor by which the ellipsoid is scaled until it touches the wall; not positive if its centre is in the
    /// wall.
    pub mu: f64,
    /// Unit normal from the ellipsoid into the wall.
    pub normal: DVec3,
    /// The ellipsoid's point deepest in the wall, or closest to it \[m\].
    pub point: DVec3,
    /// The distance \[m\] of that point from the wall, negative inside.
    pub separation: f64,
}

impl WallContact {
    /// A result without a contact.
    #[must_use]
    pub fn none(status: ContactStatus) -> Self {
        Self { status, mu: 0.0, normal: DVec3::ZERO, point: DVec3::ZERO, separation: 0.0 }
    }
}
