//! Job `entry_point`: many rays in one scene.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`].

use glam::DVec3;

use super::index::SceneIndex;
use super::packet::{Packet, Traced};
use super::rays::{EIGHTS, Work};
use super::search::{Entry, NO_LEAF, Search};
use super::tree::Deferred;
use super::{Native, by_tasks};
use crate::columns::{EntryPointColumns, EntryPointRows, RayColumns};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Lanes, Lanes3, Vectorized};
use crate::parallel;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::Scene;
use crate::simd::{InRegisters, Simd, at_full_width, in_registers};

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
        in_registers(Eight { index: self, rays, asked })
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
    fn packet<S: Simd>(&self, simd: S, first: usize) -> Packet<EIGHTS> {
        Packet::of(simd, &self.rays[first..])
    }

    #[inline(always)]
    fn answer(&mut self, number: usize, answer: EntryPoint) {
        self.answers[number] = answer;
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
    fn packet<S: Simd>(&self, _: S, first: usize) -> Packet<EIGHTS> {
        let mut packet = Packet::new();
        for eight in 0..EIGHTS {
            let at = first + LANES * eight;
            let [x1, y1, z1, x2, y2, z2, from, until] = &self.rays;
            packet.x1[eight] = Lanes3::new(eight_of(x1, at), eight_of(y1, at), eight_of(z1, at));
            packet.x2[eight] = Lanes3::new(eight_of(x2, at), eight_of(y2, at), eight_of(z2, at));
            packet.from[eight] = eight_of(from, at);
            packet.until[eight] = eight_of(until, at);
        }
        packet
    }

    #[inline(always)]
    fn answer(&mut self, number: usize, answer: EntryPoint) {
        self.answers.put(number, answer);
    }
}

/// Eight numbers of a column; its last one where it ends before.
#[inline(always)]
fn eight_of(column: &[f64], at: usize) -> Lanes {
    match column.get(at..at + LANES).and_then(<[f64]>::first_chunk) {
        Some(chunk) => Lanes(*chunk),
        None => Lanes::from_fn(|lane| column[(at + lane).min(column.len() - 1)]),
    }
}

/// Eight rays, of which some ask.
struct Eight<'a> {
    index: &'a SceneIndex,
    rays: &'a [Ray; LANES],
    asked: &'a [bool; LANES],
}

impl InRegisters for Eight<'_> {
    type Output = [EntryPoint; LANES];
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        at_full_width(simd, With(simd, self))
    }
}

impl<S: Simd> Vectorized for With<S, Eight<'_>> {
    type Output = [EntryPoint; LANES];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self(simd, Eight { index, rays, asked }) = self;
        let mut answers = [EntryPoint::none(RayStatus::Miss); LANES];
        let deferred = &mut Deferred::new();
        let mut packet = Packet::<1>::of(simd, rays);
        let together = index.trace(simd, &mut packet, deferred) == Traced::Done;
        for lane in 0..LANES {
            if asked[lane] && together {
                index.answer_known(packet.met(lane), || rays[lane], deferred, |answer| answers[lane] = answer);
            } else if asked[lane] {
                answers[lane] = index.answer_one(simd, &rays[lane], deferred);
            }
        }
        answers
    }
}
