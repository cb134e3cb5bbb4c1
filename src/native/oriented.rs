//! Job `oriented`: the collision configuration by matrices (docs/oriented.md), eight initiators at a
//! time.
//!
//! A column of a binary matrix, the surfaces of one initiator, is a word of 32 bits: the Hadamard product is `&`, the sum of
//! what excludes each other `|`, and `1 - M` is `!M`. Guards, whose columns are all ones or all zeros, are such words too.
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

use rayon::prelude::*;

use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{
    ConvexTarget, InitiatorMotion, Oriented, OrientedAnswer, OrientedConfiguration, TargetMotions, TargetSurface,
};
use crate::simd::{F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Initiators that one thread takes at a time: enough that sharing them out costs nothing.
const INITIATORS_PER_TASK: usize = 1024;
/// Targets that one thread lays out at a time.
const TARGETS_PER_TASK: usize = 256;

impl Computes<Oriented> for Native {
    fn answers(
        &self,
        targets: TargetMotions<'_>,
        initiators: &[InitiatorMotion],
    ) -> Result<Vec<OrientedAnswer>, EngineError> {
        Ok(self.pool.install(|| {
            let current = targets.current.par_iter().with_min_len(TARGETS_PER_TASK);
            let surfaces: Vec<Vec<TargetSurface>> = current.map(|target| target.surfaces().collect()).collect();
            let task = |initiators: &[InitiatorMotion], answers: &mut [OrientedAnswer]| {
                in_registers(Initiators { targets, surfaces: &surfaces, initiators, answers });
            };
            by_tasks(INITIATORS_PER_TASK, initiators, OrientedAnswer::BAD_INPUT, task)
        }))
    }
}

/// Initiators of one task, and a place for each answer.
struct Initiators<'a> {
    targets: TargetMotions<'a>,
    /// Of the targets at the current time.
    surfaces: &'a [Vec<TargetSurface>],
    initiators: &'a [InitiatorMotion],
    answers: &'a mut [OrientedAnswer],
}

impl InRegisters for Initiators<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (initiators, answers) in self.initiators.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let both: [_; LANES] = std::array::from_fn(|lane| {
                let initiator = initiators.get(lane)?;
                self.targets.target(initiator.target).filter(|_| initiator.is_valid(self.targets))
            });
            // Stands in the lanes of what is not valid, or not there.
            let Some(any) = both.iter().position(Option::is_some) else { continue };
            let standing = |lane: usize| &initiators[if both[lane].is_some() { lane } else { any }];
            let columns = Columns {
                simd,
                surfaces: std::array::from_fn(|lane| &self.surfaces[standing(lane).target as usize][..]),
                x: std::array::from_fn(|lane| standing(lane).to.x),
                y: std::array::from_fn(|lane| standing(lane).to.y),
            };
            let [penetration, range, nearest] = at_full_width(simd, columns);
            for (lane, answer) in answers.iter_mut().enumerate() {
                let Some(both) = both[lane] else { continue };
                let all = both[1].all_surfaces();
                // The lanes count what others have and this target has not.
                let (penetration, range) = (penetration[lane] as u32 & all, range[lane] as u32 & all);
                let minimum_translation = (penetration == all).then_some(nearest[lane] as u32);
                let [collision, collision_last] = collisions(both, &initiators[lane], penetration, range);
                *answer = OrientedAnswer::of(OrientedConfiguration {
                    penetration,
                    range,
                    collision,
                    collision_last,
                    minimum_translation,
                });
            }
        }
    }
}

/// C(t), without and with the tie break.
fn collisions(both: [&ConvexTarget; 2], initiator: &InitiatorMotion, penetration: u32, range: u32) -> [u32; 2] {
    let Some(reference) = initiator.reference else { return [0; 2] };
    let guard = |holds: bool| if holds { u32::MAX } else { 0 };
    // The parts of the change: where it is 1, and where it is 0.
    let lost = penetration & !reference.penetration;
    let unchanged = !(penetration ^ reference.penetration);
    let full = guard(penetration == both[1].all_surfaces());
    let last = match lost & full {
        // One alone, or none, is the last.
        several if several & several.wrapping_sub(1) != 0 => last_to_vanish(both, initiator, several),
        single => single,
    };
    [(reference.collision, lost), (reference.collision_last, last)].map(|(before, new)| {
        let n0 = guard(before != 0);
        // Retention is per surface: inside of all, outside only on range.
        let n1 = full | (range & unchanged & penetration);
        let retained = before & n0 & n1;
        retained | (new & full & !n0)
    })
}

/// Of surfaces that lost separation in a step the one whose separation, interpolated linearly over it, vanished last.
#[cold]
fn last_to_vanish([then, now]: [&ConvexTarget; 2], initiator: &InitiatorMotion, lost: u32) -> u32 {
    let (mut last, mut latest) = (0, f64::NEG_INFINITY);
    let mut left = lost;
    while left != 0 {
        let surface = left.trailing_zeros() as usize;
        left &= left - 1;
        let before = then.surface(surface).separation(initiator.from);
        let after = now.surface(surface).separation(initiator.to);
        let share = before / (before - after);
        if last == 0 || share > latest {
            (last, latest) = (1 << surface, share);
        }
    }
    last
}

/// The columns of eight initiators: penetration, range, and the surface with the least negative separation.
struct Columns<'a, S: Simd> {
    simd: S,
    surfaces: [&'a [TargetSurface]; LANES],
    x: [f64; LANES],
    y: [f64; LANES],
}

impl<S: Simd> Vectorized for Columns<'_, S> {
    type Output = [[f64; LANES]; 3];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { simd, surfaces, x, y } = self;
        let first = surfaces[0];
        let is_one_target = surfaces.iter().all(|other| std::ptr::eq(*other, first));
        let (x, y) = (F64x8::from_array(simd, x), F64x8::from_array(simd, y));
        let zero = F64x8::zero(simd);
        let (mut penetration, mut range, mut nearest) = (zero, zero, zero);
        let mut greatest = zero.like(f64::NEG_INFINITY);
        let count = surfaces.iter().map(|surfaces| surfaces.len()).max().unwrap_or(0);
        let mut bit = 1.0;
        for i in 0..count {
            let (surface, is_there) = if is_one_target {
                (Surface8::splat(simd, first, i), zero.eq(zero))
            } else {
                Surface8::gather(simd, &surfaces, i)
            };
            let (from_start_x, from_start_y) = (x - surface.start[0], y - surface.start[1]);
            let (from_end_x, from_end_y) = (x - surface.end[0], y - surface.end[1]);
            let [along_x, along_y] = surface.along;
            let separation = surface.normal[0] * from_start_x + surface.normal[1] * from_start_y;
            let penetrates = separation.le(zero);
            let is_on_range = (along_x * from_start_x + along_y * from_start_y).ge(zero)
                & (along_x * from_end_x + along_y * from_end_y).le(zero);
            // Whole numbers below 2^32 are exact.
            let weight = zero.like(bit);
            penetration = penetration + penetrates.select(weight, zero);
            range = range + is_on_range.select(weight, zero);
            let is_nearer = separation.gt(greatest) & is_there;
            greatest = is_nearer.select(separation, greatest);
            nearest = is_nearer.select(zero.like(i as f64), nearest);
            bit *= 2.0;
        }
        [penetration.to_array(), range.to_array(), nearest.to_array()]
    }
}

/// A surface in each lane.
struct Surface8<S: Simd> {
    start: [F64x8<S>; 2],
    end: [F64x8<S>; 2],
    along: [F64x8<S>; 2],
    normal: [F64x8<S>; 2],
}

impl<S: Simd> Surface8<S> {
    /// That of one target with a number, for all.
    #[inline(always)]
    fn splat(simd: S, surfaces: &[TargetSurface], number: usize) -> Self {
        let TargetSurface { start, end, along, normal } = &surfaces[number];
        Self {
            start: [F64x8::splat(simd, start.x), F64x8::splat(simd, start.y)],
            end: [F64x8::splat(simd, end.x), F64x8::splat(simd, end.y)],
            along: [F64x8::splat(simd, along.x), F64x8::splat(simd, along.y)],
            normal: [F64x8::splat(simd, normal.x), F64x8::splat(simd, normal.y)],
        }
    }

    /// Those of several targets with one number, and where they are there.
    #[inline(always)]
    fn gather(simd: S, surfaces: &[&[TargetSurface]; LANES], number: usize) -> (Self, Mask8<S>) {
        let mut rows = [[0.0; LANES]; 8];
        let mut is_there = [false; LANES];
        for lane in 0..LANES {
            is_there[lane] = number < surfaces[lane].len();
            // Any other is as harmless where there is none.
            let TargetSurface { start, end, along, normal } = &surfaces[lane][number.min(surfaces[lane].len() - 1)];
            let numbers = [start.x, start.y, end.x, end.y, along.x, along.y, normal.x, normal.y];
            for row in 0..8 {
                rows[row][lane] = numbers[row];
            }
        }
        let [start_x, start_y, end_x, end_y, along_x, along_y, normal_x, normal_y] = rows;
        let of = |row| F64x8::from_array(simd, row);
        let surface = Self {
            start: [of(start_x), of(start_y)],
            end: [of(end_x), of(end_y)],
            along: [of(along_x), of(along_y)],
            normal: [of(normal_x), of(normal_y)],
        };
        (surface, Mask8::from_array(simd, is_there))
    }
}
