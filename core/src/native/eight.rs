//! Eight rays in memory, and what they are known to meet first.

use crate::lanes::{LANES, Lanes, Lanes3};
use crate::query::Ray;
use crate::scene::LIMITS;
use crate::simd::{DVec3x8, F32x8, F64x8, Mask8, Simd};

/// The face that is still to be looked at.
pub(super) const UNKNOWN_FACE: u32 = u32::MAX;

/// What a ray is known to meet first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// Where, or where the ray ends.
    pub lambda: f64,
    /// The number of the member that is entered there; of none where there is none.
    pub member: u32,
    /// The number of the leaf whose border is met there and one more, zero for nothing, or [`UNKNOWN_FACE`].
    pub face: u32,
}

/// Eight rays, and what they meet first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eight {
    pub x1: Lanes3,
    pub x2: Lanes3,
    from: Lanes,
    /// The nearest entry found, or where the ray ends.
    pub until: Lanes,
    /// The number of the member that is entered there; infinite while there is none.
    member: Lanes,
    /// As in [`Met`]; infinite where it is unknown.
    face: Lanes,
}

/// Eight rays in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rayx8<S: Simd> {
    pub x1: DVec3x8<S>,
    pub x2: DVec3x8<S>,
    pub from: F64x8<S>,
    pub until: F64x8<S>,
}

impl Eight {
    /// No rays.
    pub const NONE: Self = Self {
        x1: Lanes3::ZERO,
        x2: Lanes3::ZERO,
        from: Lanes::ZERO,
        until: Lanes::ZERO,
        member: Lanes::ZERO,
        face: Lanes::ZERO,
    };

    /// Holds rays that met nothing. (In place: a new value is copied, which takes as long as to look at the ground.)
    #[inline(always)]
    pub fn set<S: Simd>(&mut self, rays: &Rayx8<S>) {
        (self.x1.x, self.x1.y, self.x1.z) = (rays.x1.x.to_lanes(), rays.x1.y.to_lanes(), rays.x1.z.to_lanes());
        (self.x2.x, self.x2.y, self.x2.z) = (rays.x2.x.to_lanes(), rays.x2.y.to_lanes(), rays.x2.z.to_lanes());
        (self.from, self.until) = (rays.from.to_lanes(), rays.until.to_lanes());
        (self.member, self.face) = (Lanes::splat(f64::INFINITY), Lanes::ZERO);
    }

    /// What a ray is known to meet.
    #[inline(always)]
    pub fn met(&self, lane: usize) -> Met {
        // What is infinite becomes the greatest.
        Met { lambda: self.until.0[lane], member: self.member.0[lane] as u32, face: self.face.0[lane] as u32 }
    }

    /// True when all meet the same face, or an unknown one.
    #[inline(always)]
    pub fn meets_alike<S: Simd>(&self, simd: S) -> bool {
        F64x8::from_array(simd, self.face.0).eq(F64x8::splat(simd, self.face.0[0])).bits() == (1 << LANES) - 1
    }

    /// A ray, up to what it is known to meet.
    #[inline(always)]
    pub fn ray(&self, lane: usize) -> Ray {
        Ray { x1: self.x1.get(lane), x2: self.x2.get(lane), lambda1: self.from.0[lane], lambda2: self.until.0[lane] }
    }

    /// The rays, up to what they are known to meet.
    #[inline(always)]
    pub fn rays<S: Simd>(&self, simd: S) -> Rayx8<S> {
        let (x1, x2) = (DVec3x8::from_lanes(simd, &self.x1), DVec3x8::from_lanes(simd, &self.x2));
        let (from, until) = (F64x8::from_array(simd, self.from.0), F64x8::from_array(simd, self.until.0));
        Rayx8 { x1, x2, from, until }
    }

    /// Remembers where a member is entered and by which face, in the lanes in which it is, where that is nearest. True if it
    /// is anywhere.
    #[inline(always)]
    pub fn keep<S: Simd>(&mut self, number: u32, (lambda, face): (F64x8<S>, F64x8<S>), entered: Mask8<S>) -> bool {
        let load = |lanes: &Lanes| F64x8::from_array(lambda.simd(), lanes.0);
        let (until, member) = (load(&self.until), load(&self.member));
        let number = lambda.like(f64::from(number));
        let nearer = entered & (lambda.lt(until) | (lambda.eq(until) & number.lt(member)));
        let any = nearer.any();
        if any {
            self.until = nearer.select(lambda, until).to_lanes();
            self.member = nearer.select(number, member).to_lanes();
            self.face = nearer.select(face, load(&self.face)).to_lanes();
        }
        any
    }
}

impl<S: Simd> Rayx8<S> {
    /// These rays.
    #[inline(always)]
    pub fn of_rows(simd: S, rays: &[Ray; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h]: [[[f64; 4]; 2]; LANES] = bytemuck::cast(*rays);
        let [x1, y1, z1, x2] = F64x8::columns(simd, [a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]]);
        let [y2, z2, from, until] = F64x8::columns(simd, [a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1]]);
        Self { x1: DVec3x8::new(x1, y1, z1), x2: DVec3x8::new(x2, y2, z2), from, until }
    }

    /// Puts them into memory one after the other.
    #[inline(always)]
    pub fn to_rows(self, rays: &mut [Ray; LANES]) {
        let rows: &mut [[[f64; 4]; 2]; LANES] = bytemuck::cast_mut(rays);
        let first = F64x8::rows([self.x1.x, self.x1.y, self.x1.z, self.x2.x]);
        let second = F64x8::rows([self.x2.y, self.x2.z, self.from, self.until]);
        for lane in 0..LANES {
            rows[lane] = [first[lane], second[lane]];
        }
    }

    /// No coordinate of a ray is greater \[m\].
    #[inline(always)]
    pub fn coordinates(&self) -> F64x8<S> {
        let sums = self.x1.abs() + self.x2.abs();
        sums.x + sums.y + sums.z
    }

    /// True where rays are valid, as [`Ray::is_valid`] says; false also where their numbers are too large together.
    #[inline(always)]
    pub fn are_valid(&self) -> Mask8<S> {
        let all = self.coordinates() + self.from.abs() + self.until.abs();
        all.le(all.like(LIMITS.magnitude)) & self.from.le(self.until)
    }

    /// Where they end in f32, rounded up.
    #[inline(always)]
    pub fn limits(&self) -> F32x8<S> {
        F32x8::narrowed(self.until + (self.until.abs() * f64::from(f32::EPSILON) + 1e-40))
    }
}
