//! Rotations of eight bodies or wheels.
//!
//! # Conventions
//! A quaternion or a matrix maps body coordinates to world coordinates; a matrix's columns are the body axes in world
//! coordinates. Sums are evaluated in glam's order.

use glam::{DMat3, DQuat};

use crate::elementary::sin_cos;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Eight unit quaternions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quaternions<S: Simd> {
    x: F64x8<S>,
    y: F64x8<S>,
    z: F64x8<S>,
    w: F64x8<S>,
}

/// Eight matrices by their columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrices<S: Simd> {
    pub x_axis: DVec3x8<S>,
    pub y_axis: DVec3x8<S>,
    pub z_axis: DVec3x8<S>,
}

impl<S: Simd> Quaternions<S> {
    /// Quaternions of these coordinates.
    #[inline(always)]
    pub fn new(x: F64x8<S>, y: F64x8<S>, z: F64x8<S>, w: F64x8<S>) -> Self {
        Self { x, y, z, w }
    }

    #[inline(always)]
    pub fn identity(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self { x: zero, y: zero, z: zero, w: zero.like(1.0) }
    }

    pub fn get(&self, lane: usize) -> DQuat {
        DQuat::from_xyzw(self.x.get(lane), self.y.get(lane), self.z.get(lane), self.w.get(lane))
    }

    #[inline(always)]
    pub fn set(&mut self, lane: usize, quaternion: DQuat) {
        self.x.set(lane, quaternion.x);
        self.y.set(lane, quaternion.y);
        self.z.set(lane, quaternion.z);
        self.w.set(lane, quaternion.w);
    }

    /// Rotations about z by these angles \[rad\].
    #[inline(always)]
    pub fn about_z(angle: F64x8<S>) -> Self {
        let (sine, cosine) = sin_cos(0.5 * angle);
        let zero = angle.like(0.0);
        Self { x: zero, y: zero, z: sine, w: cosine }
    }

    /// Rotations about vectors by their lengths \[rad\].
    #[inline(always)]
    pub fn about(vector: DVec3x8<S>) -> Self {
        let angle = vector.length();
        let (sine, cosine) = sin_cos(0.5 * angle);
        let axis = vector / angle * sine;
        let zero = angle.like(0.0);
        let still = angle.eq(zero);
        Self {
            x: still.select(zero, axis.x),
            y: still.select(zero, axis.y),
            z: still.select(zero, axis.z),
            w: still.select(zero.like(1.0), cosine),
        }
    }

    /// First the other rotation, then this one.
    #[inline(always)]
    pub fn after(self, other: Self) -> Self {
        let (a, b) = (self, other);
        Self {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }

    #[inline(always)]
    pub fn normalized(self) -> Self {
        let Self { x, y, z, w } = self;
        let factor = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
        Self { x: x * factor, y: y * factor, z: z * factor, w: w * factor }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            x: lanes.select(self.x, others.x),
            y: lanes.select(self.y, others.y),
            z: lanes.select(self.z, others.z),
            w: lanes.select(self.w, others.w),
        }
    }

    /// Where all four coordinates are numbers.
    #[inline(always)]
    pub fn is_finite(self) -> Mask8<S> {
        let Self { x, y, z, w } = self;
        let largest = x.like(f64::MAX);
        x.abs().le(largest) & y.abs().le(largest) & z.abs().le(largest) & w.abs().le(largest)
    }

    #[inline(always)]
    pub fn matrices(self) -> Matrices<S> {
        let Self { x, y, z, w } = self;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Matrices {
            x_axis: DVec3x8::new(1.0 - (yy + zz), xy + wz, xz - wy),
            y_axis: DVec3x8::new(xy - wz, 1.0 - (xx + zz), yz + wx),
            z_axis: DVec3x8::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
        }
    }
}

impl<S: Simd> Matrices<S> {
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let zero = DVec3x8::zero(simd);
        Self { x_axis: zero, y_axis: zero, z_axis: zero }
    }

    pub fn get(&self, lane: usize) -> DMat3 {
        DMat3::from_cols(self.x_axis.get(lane), self.y_axis.get(lane), self.z_axis.get(lane))
    }

    pub fn set(&mut self, lane: usize, matrix: &DMat3) {
        self.x_axis.set(lane, matrix.x_axis);
        self.y_axis.set(lane, matrix.y_axis);
        self.z_axis.set(lane, matrix.z_axis);
    }

    /// These, with the others in some lanes.
    #[inline(always)]
    pub fn unless(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            x_axis: lanes.select3(others.x_axis, self.x_axis),
            y_axis: lanes.select3(others.y_axis, self.y_axis),
            z_axis: lanes.select3(others.z_axis, self.z_axis),
        }
    }

    /// The columns of these less those of others.
    #[inline(always)]
    pub fn less(&self, others: &Self) -> [DVec3x8<S>; 3] {
        [self.x_axis - others.x_axis, self.y_axis - others.y_axis, self.z_axis - others.z_axis]
    }

    /// The matrices times vectors.
    #[inline(always)]
    pub fn times(&self, vector: DVec3x8<S>) -> DVec3x8<S> {
        self.x_axis * vector.x + self.y_axis * vector.y + self.z_axis * vector.z
    }

    /// The transposed matrices times vectors.
    #[inline(always)]
    pub fn transposed_times(&self, vector: DVec3x8<S>) -> DVec3x8<S> {
        DVec3x8::new(self.x_axis.dot(vector), self.y_axis.dot(vector), self.z_axis.dot(vector))
    }
}
