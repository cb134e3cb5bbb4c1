//! Eight columns of the document's matrices: a word of each lane holds the surfaces of one initiator.

use glam::DVec2;

use crate::lanes::LANES;
use crate::query::{MAX_TARGET_SURFACES, OrientedConfiguration};
use crate::simd::{Bits8, F64x8, Mask8, Simd};

/// The bits of surfaces: read from memory they cost no instruction of their own.
pub(super) static BITS: [u64; MAX_TARGET_SURFACES] = {
    let mut bits = [1; MAX_TARGET_SURFACES];
    let mut number = 1;
    while number < MAX_TARGET_SURFACES {
        bits[number] = bits[number - 1] << 1;
        number += 1;
    }
    bits
};

/// P(t) and S(t) of eight initiators, and their nearest surfaces.
pub(super) struct Columns<S: Simd> {
    penetration: Bits8<S>,
    range: Bits8<S>,
    nearest: Bits8<S>,
    /// The least negative separation, that of the nearest surface.
    greatest: F64x8<S>,
}

/// P(t0) and C(t0), that without and with the tie break.
pub(super) struct Before<S: Simd> {
    pub penetration: Bits8<S>,
    pub collision: Bits8<S>,
    pub collision_last: Bits8<S>,
}

/// Configurations of eight initiators.
pub(super) struct Configurations {
    penetration: [u64; LANES],
    range: [u64; LANES],
    collision: [u64; LANES],
    collision_last: [u64; LANES],
    /// The bit of the nearest surface of what is inside.
    nearest: [u64; LANES],
}

impl<S: Simd> Columns<S> {
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        let none = Bits8::splat(simd, 0);
        Self { penetration: none, range: none, nearest: none, greatest: F64x8::splat(simd, f64::NEG_INFINITY) }
    }

    /// One more surface of each target, by its bit: where it is there, its direction and normal, and how the initiators are
    /// from its begin and its end.
    #[inline(always)]
    pub fn add(
        &mut self,
        bit: Bits8<S>,
        is_there: Option<Mask8<S>>,
        [along, normal]: [&Place<S>; 2],
        [from_start, from_end]: [&Place<S>; 2],
    ) {
        let zero = F64x8::zero(normal.x.simd());
        let separation = normal.dot(from_start);
        let is_on_range = along.dot(from_start).ge(zero) & along.dot(from_end).le(zero);
        let is_nearer = match is_there {
            None => separation.gt(self.greatest),
            Some(is_there) => separation.gt(self.greatest) & is_there,
        };
        self.penetration = separation.le(zero).select_bits(self.penetration | bit, self.penetration);
        self.range = is_on_range.select_bits(self.range | bit, self.range);
        self.nearest = is_nearer.select_bits(bit, self.nearest);
        self.greatest = is_nearer.select(separation, self.greatest);
    }

    /// What has changed since the reference time, given the masks of all surfaces of each target.
    #[inline(always)]
    pub fn changes(self, all: Bits8<S>, before: &Before<S>) -> Changes<S> {
        // Lanes hold bits of what others have and this target has not.
        let (penetration, range) = (self.penetration & all, self.range & all);
        let none = all.like(0);
        let full = penetration.eq(all);
        let new = full.select_bits(penetration & !before.penetration, none);
        // Less its lowest bit it is empty where one surface alone, or none, has lost separation.
        let is_told = (new & new.less_one()).eq(none) | !before.collision_last.eq(none);
        let held = range & penetration & before.penetration;
        Changes { penetration, range, full, new, held, several: is_told.select_bits(none, new), nearest: self.nearest }
    }
}

/// What the document's guards are made of.
pub(super) struct Changes<S: Simd> {
    penetration: Bits8<S>,
    range: Bits8<S>,
    /// Where everything penetrates.
    full: Mask8<S>,
    /// There: what had not.
    new: Bits8<S>,
    /// Elsewhere: what may be retained.
    held: Bits8<S>,
    /// What has lost separation, of lanes where that is more than one surface and the last is asked for.
    pub several: Bits8<S>,
    nearest: Bits8<S>,
}

impl<S: Simd> Changes<S> {
    /// The configurations, with these surfaces as the last of several.
    #[inline(always)]
    pub fn configurations(self, before: &Before<S>, last: Bits8<S>) -> Configurations {
        let none = self.several.like(0);
        let last = self.several.eq(none).select_bits(self.new, last);
        Configurations {
            penetration: self.penetration.to_array(),
            range: self.range.to_array(),
            collision: self.collision(before.collision, self.new).to_array(),
            collision_last: self.collision(before.collision_last, last).to_array(),
            nearest: self.full.select_bits(self.nearest, none).to_array(),
        }
    }

    /// What is retained, or what is new where there was nothing.
    #[inline(always)]
    fn collision(&self, before: Bits8<S>, new: Bits8<S>) -> Bits8<S> {
        let inside = before.eq(before.like(0)).select_bits(new, before);
        self.full.select_bits(inside, before & self.held)
    }
}

/// The last of several surfaces to lose separation, while they are looked at.
pub(super) struct LastToVanish<S: Simd> {
    several: Bits8<S>,
    pub last: Bits8<S>,
    /// When its separation vanished, as a share of the step.
    latest: F64x8<S>,
}

impl<S: Simd> LastToVanish<S> {
    #[inline(always)]
    pub fn new(simd: S, several: Bits8<S>) -> Self {
        Self { several, last: several.like(0), latest: F64x8::splat(simd, f64::NEG_INFINITY) }
    }

    /// A surface, in its order, and its separations before and after the step, interpolated linearly in between.
    #[inline(always)]
    pub fn add(&mut self, bit: Bits8<S>, [before, after]: [F64x8<S>; 2]) {
        let none = bit.like(0);
        let share = before / (before - after);
        let is_later = (self.last.eq(none) | share.gt(self.latest)) & !(self.several & bit).eq(none);
        self.last = is_later.select_bits(bit, self.last);
        self.latest = is_later.select(share, self.latest);
    }
}

impl<S: Simd> Before<S> {
    /// All bits, of which none may be beyond the surfaces of the target.
    #[inline(always)]
    pub fn masks(&self) -> Bits8<S> {
        self.penetration | self.collision | self.collision_last
    }
}

impl Configurations {
    /// That of a lane.
    #[inline(always)]
    pub fn of(&self, lane: usize) -> OrientedConfiguration {
        OrientedConfiguration {
            penetration: self.penetration[lane] as u32,
            range: self.range[lane] as u32,
            collision: self.collision[lane] as u32,
            collision_last: self.collision_last[lane] as u32,
            minimum_translation: (self.nearest[lane] != 0).then_some((self.nearest[lane] as u32).trailing_zeros()),
        }
    }
}

/// A place or a direction in each lane.
#[derive(Clone, Copy)]
pub(super) struct Place<S: Simd> {
    pub x: F64x8<S>,
    pub y: F64x8<S>,
}

impl<S: Simd> Place<S> {
    /// One for all.
    #[inline(always)]
    pub fn splat(simd: S, vector: DVec2) -> Self {
        Self { x: F64x8::splat(simd, vector.x), y: F64x8::splat(simd, vector.y) }
    }

    #[inline(always)]
    pub fn from_arrays(simd: S, x: [f64; LANES], y: [f64; LANES]) -> Self {
        Self { x: F64x8::from_array(simd, x), y: F64x8::from_array(simd, y) }
    }

    /// The way from here.
    #[inline(always)]
    pub fn to(&self, other: &Self) -> Self {
        Self { x: other.x - self.x, y: other.y - self.y }
    }

    #[inline(always)]
    pub fn dot(&self, other: &Self) -> F64x8<S> {
        self.x * other.x + self.y * other.y
    }
}
