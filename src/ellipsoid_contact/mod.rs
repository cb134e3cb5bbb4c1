//! Contacts of ellipsoids, written once for one and for eight.
//!
//! Additions, multiplications, divisions, square roots and comparisons alone, each of which IEEE 754 defines to the last
//! bit: a lane of eight holds what the pair alone gives, on every processor.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

mod pair;
mod signed_distance;
mod single;
mod wall;

pub use self::pair::touch;
pub use self::signed_distance::concentric_contact;
pub use self::single::{pair_contact, wall_contact};
pub use self::wall::touch_wall;
use crate::elementary::Real;

/// An ellipsoid about a centre that is given elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Body<R> {
    /// Its axes in the world.
    pub axes: [[R; 3]; 3],
    /// Half of its lengths along them \[m\].
    pub semi_axes: [R; 3],
}

impl<R: Real> Body<R> {
    /// Turned by a quaternion (x, y, z, w) of any length.
    #[inline(always)]
    pub fn new([x, y, z, w]: [R; 4], semi_axes: [R; 3]) -> Self {
        let (one, factor) = (x.like(1.0), x.like(2.0) / (x * x + y * y + z * z + w * w));
        let axes = [
            [one - factor * (y * y + z * z), factor * (x * y + w * z), factor * (x * z - w * y)],
            [factor * (x * y - w * z), one - factor * (x * x + z * z), factor * (y * z + w * x)],
            [factor * (x * z + w * y), factor * (y * z - w * x), one - factor * (x * x + y * y)],
        ];
        Self { axes, semi_axes }
    }

    /// A vector given along the own axes, in the world.
    #[inline(always)]
    fn in_world(&self, v: [R; 3]) -> [R; 3] {
        sum(sum(times(self.axes[0], v[0]), times(self.axes[1], v[1])), times(self.axes[2], v[2]))
    }

    /// A vector given in the world, along the own axes.
    #[inline(always)]
    fn along_axes(&self, v: [R; 3]) -> [R; 3] {
        [dot(self.axes[0], v), dot(self.axes[1], v), dot(self.axes[2], v)]
    }
}

#[inline(always)]
fn dot<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn product<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

#[inline(always)]
fn sum<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn times<R: Real>(v: [R; 3], factor: R) -> [R; 3] {
    [v[0] * factor, v[1] * factor, v[2] * factor]
}
