//! Job `oriented`: the collision state by binary matrices (docs/oriented.md), eight initiators at a time.
//!
//! A column of a binary matrix, the surfaces of one initiator, is a 32-bit word: the Hadamard product is `&`, the sum
//! of mutually exclusive terms `|`, and `1 - M` is `!M`. Guards, whose columns are all ones or all zeros, are words
//! too.
//!
//! # Conventions
//! As in [`crate::query::InitiatorMotion`].

mod columns;

use std::sync::OnceLock;

use super::Native;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::parallel;
use crate::query::{
    ConvexTarget, InitiatorMotion, MAX_PLANAR_COORDINATE, MAX_TARGET_SURFACES, Oriented, OrientedAnswer, TargetMotions,
    TargetSurface,
};
use crate::simd::{Bits8, InRegisters, Mask8, Simd, at_full_width, in_registers};
use columns::{BITS, Before, Columns, Configurations, LastToVanish, Place};

/// Eights of initiators that one thread takes at a time: enough that sharing them out costs nothing.
const EIGHTS_PER_TASK: usize = 128;
/// Targets that one thread lays out at a time.
const TARGETS_PER_TASK: usize = 256;

impl Computes<Oriented> for Native {
    fn answers(
        &self,
        targets: TargetMotions<'_>,
        initiators: &[InitiatorMotion],
    ) -> Result<Vec<OrientedAnswer>, EngineError> {
        Ok(self.pool.install(|| {
            let surfaces: Vec<Vec<TargetSurface>> =
                parallel::map(targets.current, TARGETS_PER_TASK, |target| target.surfaces().collect());
            let surfaces_before: Vec<OnceLock<Vec<TargetSurface>>> = vec![OnceLock::new(); targets.reference.len()];
            let laid_out = LaidOut { targets, surfaces: &surfaces, surfaces_before: &surfaces_before };
            in_registers(All { laid_out, initiators })
        }))
    }
}

/// All initiators.
struct All<'a> {
    laid_out: LaidOut<'a>,
    initiators: &'a [InitiatorMotion],
}

impl InRegisters for All<'_> {
    type Output = Vec<OrientedAnswer>;
    fn run<S: Simd>(self, simd: S) -> Vec<OrientedAnswer> {
        let Self { laid_out, initiators } = self;
        let of_eight = |eight: usize| {
            let first = eight * LANES;
            answers(simd, laid_out, &initiators[first..initiators.len().min(first + LANES)])
        };
        let eights = initiators.len().div_ceil(LANES);
        let mut answers = parallel::map_numbers(eights, EIGHTS_PER_TASK, of_eight).into_flattened();
        answers.truncate(initiators.len());
        answers
    }
}

/// The answers to eight initiators, or fewer.
fn answers<S: Simd>(simd: S, laid_out: LaidOut<'_>, initiators: &[InitiatorMotion]) -> [OrientedAnswer; LANES] {
    let first = initiators[0].target;
    let eight: Option<&[InitiatorMotion; LANES]> = initiators.try_into().ok();
    match (eight, laid_out.targets.target(first)) {
        (Some(eight), Some([_, target])) if eight.iter().all(|initiator| initiator.target == first) => {
            at_full_width(simd, OneTarget { simd, target, laid_out, initiators: eight })
        }
        _ => of_several_targets(simd, laid_out, initiators),
    }
}

/// Targets and their surfaces.
#[derive(Clone, Copy)]
struct LaidOut<'a> {
    targets: TargetMotions<'a>,
    /// Of the targets at the current time.
    surfaces: &'a [Vec<TargetSurface>],
    /// Of the targets at the reference time: only those that are asked for.
    surfaces_before: &'a [OnceLock<Vec<TargetSurface>>],
}

impl LaidOut<'_> {
    /// The surfaces of a target at both times.
    fn both(&self, target: u32) -> [&[TargetSurface]; 2] {
        let target = target as usize;
        let before = || self.targets.reference[target].surfaces().collect();
        [self.surfaces_before[target].get_or_init(before), &self.surfaces[target]]
    }
}

/// Eight initiators of one target, which most are: nothing of it is gathered.
struct OneTarget<'a, S: Simd> {
    simd: S,
    target: &'a ConvexTarget,
    laid_out: LaidOut<'a>,
    initiators: &'a [InitiatorMotion; LANES],
}

impl<S: Simd> Vectorized for OneTarget<'_, S> {
    type Output = [OrientedAnswer; LANES];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { simd, target, laid_out, initiators } = self;
        let surfaces = &laid_out.surfaces[initiators[0].target as usize][..];
        let eight = Eight::new(simd, initiators, [target.all_surfaces(); LANES]);
        let mut columns = Columns::new(simd);
        // A surface begins where the one before it has ended.
        let mut from_start = Place::splat(simd, surfaces[0].start).to(&eight.to);
        for (surface, &bit) in surfaces.iter().zip(&BITS) {
            let from_end = Place::splat(simd, surface.end).to(&eight.to);
            let [along, normal] = [Place::splat(simd, surface.along), Place::splat(simd, surface.normal)];
            columns.add(Bits8::splat(simd, bit), None, [&along, &normal], [&from_start, &from_end]);
            from_start = from_end;
        }
        let all = Bits8::splat(simd, u64::from(target.all_surfaces()));
        let none = all.like(0);
        let known = (eight.before.masks() & !all).eq(none);
        let is_valid = (eight.are_coordinates() & known).select_bits(all, none).to_array();
        let changes = columns.changes(all, &eight.before);
        let mut last = LastToVanish::new(simd, changes.several);
        let mut left = bits_of_any(changes.several);
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            let [then, now] = laid_out.both(initiators[0].target).map(|surfaces| &surfaces[number]);
            let before = Place::splat(simd, then.normal).dot(&Place::splat(simd, then.start).to(&eight.from));
            let after = Place::splat(simd, now.normal).dot(&Place::splat(simd, now.start).to(&eight.to));
            last.add(Bits8::splat(simd, 1 << number), [before, after]);
        }
        let configurations = changes.configurations(&eight.before, last.last);
        let mut answers = [OrientedAnswer::BAD_INPUT; LANES];
        for lane in 0..LANES {
            if is_valid[lane] != 0 {
                answers[lane] = OrientedAnswer::of(configurations.of(lane));
            }
        }
        answers
    }
}

/// The bits that any lane has.
#[inline(always)]
fn bits_of_any<S: Simd>(bits: Bits8<S>) -> u64 {
    let mut any = 0;
    // Almost never: to know that takes less than to put lanes together.
    if !(!bits.eq(bits.like(0))).any() {
        return any;
    }
    for word in bits.to_array() {
        any |= word;
    }
    any
}

/// Initiators of several targets, or fewer than eight.
fn of_several_targets<S: Simd>(
    simd: S,
    laid_out: LaidOut<'_>,
    initiators: &[InitiatorMotion],
) -> [OrientedAnswer; LANES] {
    let mut answers = [OrientedAnswer::BAD_INPUT; LANES];
    let is_valid = |initiator: &InitiatorMotion| initiator.is_valid(laid_out.targets);
    let valid: [bool; LANES] = std::array::from_fn(|lane| initiators.get(lane).is_some_and(is_valid));
    // Stands in the lanes of what is not valid, or not there.
    let Some(any) = valid.iter().position(|&is_valid| is_valid) else { return answers };
    let standing = std::array::from_fn(|lane| initiators[if valid[lane] { lane } else { any }]);
    let configurations = at_full_width(simd, SeveralTargets { simd, laid_out, initiators: &standing });
    for lane in (0..LANES).filter(|&lane| valid[lane]) {
        answers[lane] = OrientedAnswer::of(configurations.of(lane));
    }
    answers
}

/// Eight initiators, each with its own target.
struct SeveralTargets<'a, S: Simd> {
    simd: S,
    laid_out: LaidOut<'a>,
    initiators: &'a [InitiatorMotion; LANES],
}

impl<S: Simd> Vectorized for SeveralTargets<'_, S> {
    type Output = Configurations;
    #[inline(always)]
    fn run(self) -> Configurations {
        let Self { simd, laid_out, initiators } = self;
        let surfaces = initiators.map(|initiator| &laid_out.surfaces[initiator.target as usize][..]);
        let mut columns = Columns::new(simd);
        let (mut all, mut count) = ([0; LANES], 0);
        for lane in 0..LANES {
            all[lane] = u32::MAX >> (MAX_TARGET_SURFACES - surfaces[lane].len());
            count = count.max(surfaces[lane].len());
        }
        let eight = Eight::new(simd, initiators, all);
        for number in 0..count {
            let ([start, end, along, normal], is_there) = gathered(simd, &surfaces, number);
            let bit = Bits8::splat(simd, 1 << number);
            columns.add(bit, Some(is_there), [&along, &normal], [&start.to(&eight.to), &end.to(&eight.to)]);
        }
        let changes = columns.changes(Bits8::from_array(simd, all.map(u64::from)), &eight.before);
        let mut last = LastToVanish::new(simd, changes.several);
        let mut left = bits_of_any(changes.several);
        if left != 0 {
            let then = initiators.map(|initiator| laid_out.both(initiator.target)[0]);
            while left != 0 {
                let number = left.trailing_zeros() as usize;
                left &= left - 1;
                let ([start, .., normal], _) = gathered(simd, &then, number);
                let before = normal.dot(&start.to(&eight.from));
                let ([start, .., normal], _) = gathered(simd, &surfaces, number);
                last.add(Bits8::splat(simd, 1 << number), [before, normal.dot(&start.to(&eight.to))]);
            }
        }
        changes.configurations(&eight.before, last.last)
    }
}

/// Surfaces of several targets with one number, and where they are there: their begins, ends, directions and normals.
#[inline(always)]
fn gathered<S: Simd>(simd: S, surfaces: &[&[TargetSurface]; LANES], number: usize) -> ([Place<S>; 4], Mask8<S>) {
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
    let vectors = [
        Place::from_arrays(simd, start_x, start_y),
        Place::from_arrays(simd, end_x, end_y),
        Place::from_arrays(simd, along_x, along_y),
        Place::from_arrays(simd, normal_x, normal_y),
    ];
    (vectors, Mask8::from_array(simd, is_there))
}

/// Eight initiators: where they are at both times, and their references.
struct Eight<S: Simd> {
    from: Place<S>,
    to: Place<S>,
    before: Before<S>,
}

impl<S: Simd> Eight<S> {
    /// `all` are the masks of all surfaces of their targets.
    #[inline(always)]
    fn new(simd: S, initiators: &[InitiatorMotion; LANES], all: [u32; LANES]) -> Self {
        let (mut places, mut masks) = ([[0.0; LANES]; 4], [[0; LANES]; 3]);
        for lane in 0..LANES {
            let InitiatorMotion { from, to, reference, .. } = &initiators[lane];
            (places[0][lane], places[1][lane]) = (from.x, from.y);
            (places[2][lane], places[3][lane]) = (to.x, to.y);
            // What has no reference cannot lose separation.
            let [penetration, collision, collision_last] = match reference {
                Some(it) => [it.penetration, it.collision, it.collision_last],
                None => [all[lane], 0, 0],
            };
            masks[0][lane] = u64::from(penetration);
            masks[1][lane] = u64::from(collision);
            masks[2][lane] = u64::from(collision_last);
        }
        let [from_x, from_y, to_x, to_y] = places;
        let [penetration, collision, collision_last] = masks;
        Self {
            from: Place::from_arrays(simd, from_x, from_y),
            to: Place::from_arrays(simd, to_x, to_y),
            before: Before {
                penetration: Bits8::from_array(simd, penetration),
                collision: Bits8::from_array(simd, collision),
                collision_last: Bits8::from_array(simd, collision_last),
            },
        }
    }

    /// Where all coordinates are within their limits.
    #[inline(always)]
    fn are_coordinates(&self) -> Mask8<S> {
        let most = self.to.x.like(MAX_PLANAR_COORDINATE);
        let (from, to) = (&self.from, &self.to);
        from.x.abs().le(most) & from.y.abs().le(most) & to.x.abs().le(most) & to.y.abs().le(most)
    }
}
