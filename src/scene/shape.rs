//! Shapes as people write them: Boolean expressions over solids, with transforms and materials.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::solid::{Cylinder, HalfSpace, Solid, Sphere};

/// The number of a material in its scene's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialId(pub u32);

/// A shape (document 000, "Boolean Expressions" and "Adding Material Properties").
///
/// Children are shared, so a shape that is used many times is stored once until a scene expands it.
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
    /// The child, rotated about the world's origin and then moved \[m\].
    Transform {
        /// Rotation, a unit quaternion.
        rotation: DQuat,
        /// Translation after the rotation \[m\].
        translation: DVec3,
        /// What is moved.
        of: Arc<Shape>,
    },
    /// M(P, S): every border of the child is made of this material, unless an outer node says otherwise.
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
        /// The region S1; its borders are no borders of the scene.
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

    /// The union of shapes; of none: nothing.
    #[must_use]
    pub fn union(children: impl IntoIterator<Item = Self>) -> Self {
        Self::Union(children.into_iter().map(Arc::new).collect())
    }

    /// The intersection of shapes; of none: everything.
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

    /// The shape rotated about the world's origin.
    #[must_use]
    pub fn rotated(self, rotation: DQuat) -> Self {
        Self::Transform { rotation, translation: DVec3::ZERO, of: Arc::new(self) }
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
