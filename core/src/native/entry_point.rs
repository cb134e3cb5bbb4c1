//! Job `entry_point`: many rays in one scene.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`].

use glam::DVec3;

use super::eight::{Eight, Rayx8};
use super::index::SceneIndex;
use super::packet::Traced;
use super::search::{Entry, NO_LEAF, Search};
use super::tree::Deferred;
use super::work::Work;
use super::{Native, by_tasks};
use crate::columns::{EntryPointColumns, EntryPointRows, RayColumns};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Lanes, Vectorized};
use crate::parallel;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::Scene;
use crate::simd::{DVec3x8, F64x8, InRegisters, Simd, at_full_width, in_registers};

/// Rays per task of a thread: at least enough to make scheduling free, at most enough for full streams.
const RAYS_PER_TASK: std::ops::RangeInclusive<usize> = 1024..=16_384;

impl Computes<EntryPoints> for Native {
    fn answers(&self, scene: &Scene, rays: &[Ray]) -> Result<Vec<EntryPoint>, EngineError> {
        let index = self.index(scene);
        let task = |rays: &[Ray], answers: &mut [EntryPoint]| index.entry_points(rays, answers);
        let per_task = self.rays_per_task(rays.len());
        Ok(self.pool.install(|| by_tasks(per_task, rays, EntryPoint::none(RayStatus::Miss), task)))
    }
}

impl Native {
    pub(super) fn fill_entry_points(&self, scene: &Scene, rays: &RayColumns<'_>, answers: &mut EntryPointColumns) {
        let index = self.index(scene);
        let per_task = self.rays_per_task(rays.len());
        answers.resize(rays.len());
        self.pool.install(|| {
            parallel::for_each_part(answers.rows().parts(per_task), |number, rows| {
                let first = number * per_task;
                index.fill_rows(&rays.rows(first..first + rows.len()), rows);
            });
        });
    }

    /// Several tasks for each thread, for some take longer.
    fn rays_per_task(&self, rays: usize) -> usize {
        let share = rays / (4 * self.pool.current_num_threads());
        share.clamp(*RAYS_PER_TASK.start(), *RAYS_PER_TASK.end())
    }
}

impl SceneIndex {
    /// Entry points of rays, on this thread. `answers` has a slot for each.
    pub fn entry_points(&self, rays: &[Ray], answers: &mut [EntryPoint]) {
        in_registers(Batch { index: self, work: Rows { rays, answers } });
    }

    /// Entry points of rays in columns, on this thread. What was in `answers` is replaced.
    pub fn entry_points_in_columns(&self, rays: &RayColumns<'_>, answers: &mut EntryPointColumns) {
        answers.resize(rays.len());
        self.fill_rows(rays, &mut answers.rows());
    }

    fn fill_rows(&self, rays: &RayColumns<'_>, answers: &mut EntryPointRows<'_>) {
        in_registers(Batch { index: self, work: Columns { rays: rays.columns(), answers } });
    }

    /// Entry points of eight rays, in the lanes that ask.
    pub(super) fn entry_points_of_eight(&self, rays: &[Ray; LANES], asked: &[bool; LANES]) -> [EntryPoint; LANES] {
        in_registers(Asked { index: self, rays, asked })
    }

    #[inline(always)]
    pub(super) fn answer_one<S: Simd>(&self, simd: S, ray: &Ray, deferred: &mut Deferred) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        let search = Search { ray, from: ray.lambda1, until: ray.lambda2 };
        self.entry_point(ray, self.first_of_scene(simd, search, deferred))
    }

    #[inline(always)]
    pub(super) fn entry_point(&self, ray: &Ray, entry: Option<Entry>) -> EntryPoint {
        let Some(Entry { lambda, leaf, border, .. }) = entry else {
            return EntryPoint::none(RayStatus::Miss);
        };
        let point = ray.at(lambda);
        let leaf = (leaf != NO_LEAF).then_some(leaf);
        let border_leaf = leaf.filter(|_| border);
        EntryPoint {
            status: RayStatus::Hit,
            lambda,
            normal: border_leaf.map_or(DVec3::ZERO, |leaf| self.scene.leaf(leaf).normal(point)),
            leaf: border_leaf,
            material: match leaf {
                Some(leaf) => self.scene.material_at(leaf, point),
                None => self.scene.default_material(),
            },
        }
    }
}

/// Work, and a token of the instruction set.
struct With<S, W>(S, W);

/// Many rays in a scene.
struct Batch<'a, W> {
    index: &'a SceneIndex,
    work: W,
}

impl<W: Work> InRegisters for Batch<'_, W> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        at_full_width(simd, With(simd, self));
    }
}

impl<S: Simd, W: Work> Vectorized for With<S, Batch<'_, W>> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(simd, Batch { index, mut work }) = self;
        index.answer(simd, &mut work);
    }
}

/// Rays and answers one after the other.
struct Rows<'a> {
    rays: &'a [Ray],
    answers: &'a mut [EntryPoint],
}

impl Work for Rows<'_> {
    fn count(&self) -> usize {
        self.rays.len()
    }

    #[inline(always)]
    fn eight<S: Simd>(&self, simd: S, first: usize) -> Rayx8<S> {
        match self.rays.get(first..).and_then(|rays| rays.first_chunk()) {
            Some(rays) => Rayx8::of_rows(simd, rays),
            None => Rayx8::of_rows(simd, &self.last(first)),
        }
    }

    #[inline(always)]
    fn answer(&mut self, number: usize, answer: EntryPoint) {
        self.answers[number] = answer;
    }

    #[inline(always)]
    fn answer_like(&mut self, number: usize, face: &EntryPoint, lambda: f64) {
        let answer = &mut self.answers[number];
        // Whole, then the one number: as fields of their own they are written one by one.
        *answer = *face;
        answer.lambda = lambda;
    }

    #[inline(always)]
    fn answer_alike(&mut self, first: usize, face: &EntryPoint, lambda: &Lanes) {
        for (answer, &lambda) in self.answers[first..first + LANES].iter_mut().zip(&lambda.0) {
            *answer = *face;
            answer.lambda = lambda;
        }
    }
}

impl Rows<'_> {
    /// Those from `first` on, fewer than eight; the last goes along in the other lanes. Seldom needed: a call, so that what
    /// is needed always does not wait for the choice.
    #[cold]
    #[inline(never)]
    fn last(&self, first: usize) -> [Ray; LANES] {
        let last = self.rays.len() - 1;
        std::array::from_fn(|lane| self.rays[last.min(first + lane)])
    }
}

/// Rays and answers in columns.
struct Columns<'a, 'b> {
    rays: [&'a [f64]; 8],
    answers: &'a mut EntryPointRows<'b>,
}

impl Work for Columns<'_, '_> {
    fn count(&self) -> usize {
        self.rays[0].len()
    }

    #[inline(always)]
    fn eight<S: Simd>(&self, simd: S, first: usize) -> Rayx8<S> {
        let [x1, y1, z1, x2, y2, z2, from, until] = &self.rays;
        Rayx8 {
            x1: DVec3x8::new(eight_of(simd, x1, first), eight_of(simd, y1, first), eight_of(simd, z1, first)),
            x2: DVec3x8::new(eight_of(simd, x2, first), eight_of(simd, y2, first), eight_of(simd, z2, first)),
            from: eight_of(simd, from, first),
            until: eight_of(simd, until, first),
        }
    }

    #[inline(always)]
    fn answer(&mut self, number: usize, answer: EntryPoint) {
        self.answers.put(number, answer);
    }

    #[inline(always)]
    fn answer_like(&mut self, number: usize, face: &EntryPoint, lambda: f64) {
        self.answers.put(number, EntryPoint { lambda, ..*face });
    }

    #[inline(always)]
    fn answer_alike(&mut self, first: usize, face: &EntryPoint, lambda: &Lanes) {
        self.answers.put_alike(first, face, &lambda.0);
    }
}

/// Eight numbers of a column; its last one where it ends before.
#[inline(always)]
fn eight_of<S: Simd>(simd: S, column: &[f64], at: usize) -> F64x8<S> {
    match column.get(at..at + LANES).and_then(<[f64]>::first_chunk) {
        Some(chunk) => F64x8::from_array(simd, *chunk),
        None => F64x8::from_array(simd, last_of(column, at)),
    }
}

/// Fewer than eight numbers; the last one again in the other lanes.
#[cold]
#[inline(never)]
fn last_of(column: &[f64], at: usize) -> [f64; LANES] {
    std::array::from_fn(|lane| column[(at + lane).min(column.len() - 1)])
}

/// Eight rays, of which some ask.
struct Asked<'a> {
    index: &'a SceneIndex,
    rays: &'a [Ray; LANES],
    asked: &'a [bool; LANES],
}

impl InRegisters for Asked<'_> {
    type Output = [EntryPoint; LANES];
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        at_full_width(simd, With(simd, self))
    }
}

impl<S: Simd> Vectorized for With<S, Asked<'_>> {
    type Output = [EntryPoint; LANES];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self(simd, Asked { index, rays, asked }) = self;
        let mut answers = [EntryPoint::none(RayStatus::Miss); LANES];
        let deferred = &mut Deferred::new();
        let mut packet = [Eight::NONE];
        packet[0].set(&Rayx8::of_rows(simd, rays));
        let together = index.trace(simd, &mut packet, deferred) == Traced::Done;
        let mut work = Rows { rays, answers: &mut answers };
        for lane in 0..LANES {
            if asked[lane] && together {
                index.answer_met(simd, packet[0].met(lane), (&rays[lane], lane), &mut work, deferred);
            } else if asked[lane] {
                work.answer(lane, index.answer_one(simd, &rays[lane], deferred));
            }
        }
        answers
    }
}
