//! Contacts of ellipsoids, with one source for one pair and for eight.
//!
//! Uses additions, multiplications, divisions, square roots and comparisons only, each of which IEEE 754 defines to the
//! last bit: a lane of eight gives the same result as the pair alone, on every processor.
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

/// An ellipsoid about a centre given elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Body<R> {
    /// Its axes in world coordinates.
    pub axes: [[R; 3]; 3],
    /// Semi-axes \[m\].
    pub semi_axes: [R; 3],
}

impl<R: Real> Body<R> {
    /// From a quaternion (x, y, z, w) of any length.
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

    /// A vector from own axes to world axes.
    #[inline(always)]
    fn in_world(&self, v: [R; 3]) -> [R; 3] {
        sum(sum(times(self.axes[0], v[0]), times(self.axes[1], v[1])), times(self.axes[2], v[2]))
    }

    /// A vector from world axes to own axes.
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
