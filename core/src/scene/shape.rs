//! Shapes: Boolean expressions over solids, with transforms and materials.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::affine::{NO_ROTATION, rotate, unit};
use super::hull::{self, HullError};
use super::solid::{Capsule, Cylinder, HalfSpace, Solid, Sphere, Stretched};

/// The number of a material in its scene's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialId(pub u32);

/// A shape (docs/theory/entry-points.md).
///
/// Children are shared, so a shape used many times is stored once until a scene expands it.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A convex leaf.
    Solid(Solid),
    /// All of space.
    Everything,
    /// The empty set.
    Nothing,
    /// Inside any child.
    Union(Vec<Arc<Shape>>),
    /// Inside every child.
    Intersection(Vec<Arc<Shape>>),
    /// Inside the first child and outside (or on the border of) all others.
    Difference(Vec<Arc<Shape>>),
    /// The closed complement.
    Complement(Arc<Shape>),
    /// The child, rotated about the world's origin and then translated \[m\].
    Transform {
        /// Rotation, a quaternion of any length from 1e-60 to 1e60: scenes make it 1.
        rotation: DQuat,
        /// Translation after the rotation \[m\].
        translation: DVec3,
        /// The shape moved.
        of: Arc<Shape>,
    },
    /// The child under a linear map, which must not be singular, and then translated \[m\].
    Map {
        /// The linear map.
        linear: DMat3,
        /// Translation after it \[m\].
        translation: DVec3,
        /// The shape mapped.
        of: Arc<Shape>,
    },
    /// M(P, S): the whole surface of the child is made of this material, unless an outer node overrides it.
    Material {
        /// The material P.
        material: MaterialId,
        /// The shape S.
        of: Arc<Shape>,
    },
    /// M(S1, P, S2): contact points inside the region are made of this material.
    Paint {
        /// The material P.
        material: MaterialId,
        /// The region S1; its surface is not a surface of the scene.
        region: Arc<Shape>,
        /// The painted shape S2.
        of: Arc<Shape>,
    },
}

impl Shape {
    /// The half space x.normal <= offset.
    #[must_use]
    pub fn half_space(normal: DVec3, offset: f64) -> Self {
        Self::Solid(Solid::HalfSpace(HalfSpace { normal, offset }))
    }

    /// A ball.
    #[must_use]
    pub fn sphere(center: DVec3, radius: f64) -> Self {
        Self::Solid(Solid::Sphere(Sphere { center, radius }))
    }

    /// An infinite cylinder; the axis must be a unit vector.
    #[must_use]
    pub fn cylinder(center: DVec3, axis: DVec3, radius: f64) -> Self {
        Self::Solid(Solid::Cylinder(Cylinder { center, axis, radius, half_height: None }))
    }

    /// The ellipsoid with these semi-axes \[m\] along axes rotated about its centre, as
    /// [`Stretched::ellipsoid`].
    #[must_use]
    pub fn ellipsoid(center: DVec3, semi_axes: DVec3, rotation: DQuat) -> Self {
        Self::Solid(Solid::Stretched(Arc::new(Stretched::ellipsoid(center, semi_axes, rotation))))
    }

    /// All points within `radius` of the segment between two points \[m\].
    #[must_use]
    pub fn capsule(from: DVec3, to: DVec3, radius: f64) -> Self {
        Self::Solid(Solid::Capsule(Capsule { from, to, radius }))
    }

    /// The box with these half edges \[m\] along axes rotated about its centre: the half spaces toward +x, -x, +y, -y,
    /// +z, -z.
    ///
    /// The quaternion's length is made 1. With a negative half edge, or a quaternion without a direction, offsets are
    /// NaN, which [`Scene::new`](super::Scene::new) refuses.
    #[must_use]
    pub fn cuboid(center: DVec3, half: DVec3, rotation: DQuat) -> Self {
        let rotation = unit(rotation).unwrap_or(NO_ROTATION);
        // The half spaces of a negative half edge are proper ones, which have nothing in common.
        let half = half.map(|edge| if edge >= 0.0 { edge } else { f64::NAN });
        let faces = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        Self::intersection(faces.map(|axis| {
            let normal = rotate(rotation, axis);
            Self::half_space(normal, normal.dot(center) + axis.abs().dot(half))
        }))
    }

    /// The convex hull of points \[m\], an intersection of half spaces with unit normals. Facets coplanar up to 1e-5 of
    /// the hull's size are merged into one half space, and no point is outside.
    ///
    /// # Errors
    /// If the points lie in a plane, or the hull has too many faces.
    pub fn convex_hull(points: impl IntoIterator<Item = DVec3>) -> Result<Self, HullError> {
        let half_spaces = hull::of_points(points.into_iter().collect())?;
        Ok(Self::intersection(half_spaces.into_iter().map(|face| Self::Solid(Solid::HalfSpace(face)))))
    }

    /// The union of shapes; without any: nothing.
    #[must_use]
    pub fn union(children: impl IntoIterator<Item = Self>) -> Self {
        Self::Union(children.into_iter().map(Arc::new).collect())
    }

    /// The intersection of shapes; without any: everything.
    #[must_use]
    pub fn intersection(children: impl IntoIterator<Item = Self>) -> Self {
        Self::Intersection(children.into_iter().map(Arc::new).collect())
    }

    /// The closed complement.
    #[must_use]
    pub fn complement(self) -> Self {
        Self::Complement(Arc::new(self))
    }

    /// The shape moved by a translation \[m\].
    #[must_use]
    pub fn translated(self, translation: DVec3) -> Self {
        Self::Transform { rotation: DQuat::IDENTITY, translation, of: Arc::new(self) }
    }

    /// The shape rotated about the world's origin, by a quaternion of any length but 0.
    #[must_use]
    pub fn rotated(self, rotation: DQuat) -> Self {
        Self::Transform { rotation, translation: DVec3::ZERO, of: Arc::new(self) }
    }

    /// The shape under a linear map, then moved \[m\].
    #[must_use]
    pub fn mapped(self, linear: DMat3, translation: DVec3) -> Self {
        Self::Map { linear, translation, of: Arc::new(self) }
    }

    /// The shape made of a material.
    #[must_use]
    pub fn made_of(self, material: MaterialId) -> Self {
        Self::Material { material, of: Arc::new(self) }
    }

    /// The shape painted with a material inside a region.
    #[must_use]
    pub fn painted(self, material: MaterialId, region: Self) -> Self {
        Self::Paint { material, region: Arc::new(region), of: Arc::new(self) }
    }
}
