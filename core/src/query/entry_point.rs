//! Job `entry_point`: where a segment first meets a scene (docs/theory/entry-points.md).

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use crate::job::Job;
use crate::scene::{LIMITS, MaterialId, Scene};

/// Job `entry_point`: the first point of each ray in a scene.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec3;
/// use touchdown::job::Compute;
/// use touchdown::query::{EntryPoints, Ray, RayStatus};
/// use touchdown::reference::Reference;
/// use touchdown::scene::{Scene, Shape};
///
/// // Half of a ball of 2 m, from above: the ray meets its flat side.
/// let half = Shape::intersection([
///     Shape::sphere(DVec3::ZERO, 2.0),
///     Shape::half_space(DVec3::Z, 0.0),
/// ]);
/// let scene = Scene::new(&half, Vec::new(), None, None)?;
/// let down = |x: f64| Ray::segment(DVec3::new(x, 0.0, 5.0), DVec3::new(x, 0.0, -5.0));
/// let found = Reference::new(1)?.compute::<EntryPoints>(&scene, &[down(1.0), down(3.0)])?;
/// assert_eq!((found[0].status, down(1.0).at(found[0].lambda)), (RayStatus::Hit, DVec3::X));
/// assert_eq!(found[1].status, RayStatus::Miss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EntryPoints;

impl Job for EntryPoints {
    const NAME: &'static str = "entry_point";
    type Shared<'a> = &'a Scene;
    type Item = Ray;
    type Answer = EntryPoint;
}

/// The points x1 + lambda (x2 - x1) for lambda in [lambda1, lambda2]. A ray is a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Ray {
    /// Point at lambda = 0 \[m\].
    pub x1: DVec3,
    /// Point at lambda = 1 \[m\].
    pub x2: DVec3,
    /// Where the search starts.
    pub lambda1: f64,
    /// Where it ends.
    pub lambda2: f64,
}

impl Ray {
    /// The segment from `x1` to `x2`.
    #[must_use]
    pub fn segment(x1: DVec3, x2: DVec3) -> Self {
        Self { x1, x2, lambda1: 0.0, lambda2: 1.0 }
    }

    /// The point at lambda \[m\].
    #[must_use]
    pub fn at(&self, lambda: f64) -> DVec3 {
        self.x1 + lambda * (self.x2 - self.x1)
    }

    /// True if every number is finite and within the limits of scenes, and lambda1 <= lambda2.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let bounded = |number: f64| number.abs() <= LIMITS.magnitude;
        let bounded_vector = |v: DVec3| v.abs().cmple(DVec3::splat(LIMITS.magnitude)).all();
        bounded_vector(self.x1)
            && bounded_vector(self.x2)
            && bounded(self.lambda1)
            && bounded(self.lambda2)
            && self.lambda1 <= self.lambda2
    }
}

/// How the search for an entry point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RayStatus {
    /// No point of the ray is in the scene.
    Miss = 0,
    /// Lambda is the first point in the scene.
    Hit = 1,
    /// The ray is invalid ([`Ray::is_valid`]), or too long for the engine.
    BadInput = 2,
    /// The search needed more iterations than the engine or its driver allows.
    NotConverged = 3,
}

/// The first point of a ray in a scene. It is a cache line: any number of them are written faster so.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct EntryPoint {
    /// Status; the other fields are defined only for a hit.
    pub status: RayStatus,
    /// The smallest lambda in the scene.
    pub lambda: f64,
    /// Normal of the surface hit, as stored in its leaf; zero if the ray starts inside.
    pub normal: DVec3,
    /// The leaf whose surface is hit; `None` if the ray starts inside.
    pub leaf: Option<u32>,
    /// Material at the point, also if the ray starts inside; `None` if no material is defined.
    pub material: Option<MaterialId>,
}

impl EntryPoint {
    /// A result without a point.
    #[must_use]
    pub fn none(status: RayStatus) -> Self {
        Self { status, lambda: 0.0, normal: DVec3::ZERO, leaf: None, material: None }
    }
}
