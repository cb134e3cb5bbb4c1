//! Job `overlaps` on a device.
//!
//! A query takes 48 bytes up and 64 down, with room for up to twelve boxes. A traversal that finds more, or reaches the
//! limit on iterations, continues in the next turn. What is found is checked again in f64, so the answer equals that of
//! the CPU. A set of hierarchies that does not fit into device memory is traversed here, and so are the last few
//! queries: a boulder that overlaps a hundred thousand grains would take thousands of turns.
//!
//! # Conventions
//! As in [`crate::bvh`].

use rayon::prelude::*;

use super::GpuError;
use super::buffer::{Buffer, ItemJob, Slots};
use super::device::Device;
use super::kernel::Kernel;
use super::wire::{HierarchyPlan, OverlapQueryWire, Position, QueryAnswer, TreeBox};
use crate::bvh::{Hierarchies, Overlap, OverlapQuery, Tree};
use crate::parallel;

pub(super) const NAME: &str = "overlaps";
/// Queries packed per task of a thread.
const QUERIES_PER_TASK: usize = 1024;
/// Minimum number of unfinished queries for another turn: fewer take the CPU less time than the device's latency.
const MIN: usize = 256;

/// A query and the state of its traversal.
#[derive(Clone, Copy, Debug)]
struct Walk {
    query: u32,
    from: Position,
}

/// An overlap found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    query: u32,
    /// Its place in its tree.
    place: u32,
}

/// Places that a walk found and where it goes on, or which query got no answer.
type Answer<'a> = Result<(&'a [u32], Option<Position>), u32>;

/// The buffers of a set of hierarchies, and the set itself.
#[derive(Debug)]
pub(super) struct HierarchyBuffers {
    hierarchies: Hierarchies,
    plan: HierarchyPlan,
    levels: Buffer,
    boxes: Buffer,
}

impl HierarchyBuffers {
    /// Uploads a set of hierarchies; `None` if it exceeds the largest buffer.
    pub fn new(device: &Device, hierarchies: &Hierarchies) -> Result<Option<Self>, GpuError> {
        let limits = &device.limits;
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize / size_of::<TreeBox>();
        let Some(plan) = HierarchyPlan::new(hierarchies, most) else { return Ok(None) };
        let (mut levels, mut boxes) = (Buffer::storage("levels of trees"), Buffer::storage("boxes of trees"));
        levels.fill(device, &plan.levels)?;
        boxes.fill(device, &plan.tree_boxes(hierarchies))?;
        Ok(Some(Self { hierarchies: hierarchies.clone(), plan, levels, boxes }))
    }

    /// True if they hold this set.
    pub fn hold(&self, hierarchies: &Hierarchies) -> bool {
        self.hierarchies.is_same(hierarchies)
    }

    fn tree(&self, query: &OverlapQuery) -> &Tree {
        &self.hierarchies.trees()[query.tree as usize]
    }

    /// The overlaps of queries, `chunk` at a time.
    pub fn overlaps(
        &self,
        device: &Device,
        slots: &mut Slots,
        kernel: &Kernel,
        queries: &[OverlapQuery],
        chunk: usize,
    ) -> Result<Vec<Overlap>, GpuError> {
        let shared = [&self.levels, &self.boxes].into_iter().filter_map(Buffer::binding).collect();
        let job = ItemJob { name: NAME, kernel, shared };
        let mut walks: Vec<Walk> =
            (0..).zip(queries).map(|(query, asked)| Walk { query, from: self.plan.start(asked) }).collect();
        let mut found = Vec::new();
        while !walks.is_empty() {
            walks = self.turn(device, slots, &job, (queries, &walks), chunk, &mut found)?;
            if walks.len() < MIN {
                for Walk { query, .. } in walks.drain(..) {
                    let asked = &queries[query as usize];
                    self.tree(asked).meet(asked, &mut |place| found.push(Found { query, place: place as u32 }));
                }
            }
        }
        parallel::on_threads(|| found.par_sort_unstable());
        // The processor has found again what the device had found of the walks that it finished.
        found.dedup();
        let number = |found: &Found| self.tree(&queries[found.query as usize]).bodies()[found.place as usize];
        let overlap = |found: &Found| Overlap { query: found.query, number: number(found) };
        Ok(parallel::map(&found, QUERIES_PER_TASK, overlap))
    }

    /// Runs traversals until each has ended or its answer is full; returns those that continue.
    fn turn(
        &self,
        device: &Device,
        slots: &mut Slots,
        job: &ItemJob<'_>,
        (queries, walks): (&[OverlapQuery], &[Walk]),
        chunk: usize,
        found: &mut Vec<Found>,
    ) -> Result<Vec<Walk>, GpuError> {
        let (mut unfinished, mut unanswered) = (Vec::new(), None);
        slots.run::<OverlapQueryWire, _>(
            device,
            job,
            walks.len(),
            chunk,
            |range, to| {
                let walks = &walks[range];
                let wire = |walk: &Walk| self.plan.wire(&queries[walk.query as usize], walk.from);
                to.write_numbers(walks.len(), |number| wire(&walks[number]))
            },
            |range, answers: &[QueryAnswer]| {
                let walks = &walks[range];
                let tree = |walk: &Walk| self.tree(&queries[walk.query as usize]);
                let decode = |number: usize| -> Answer<'_> {
                    let walk = &walks[number];
                    answers[number].decode(tree(walk), walk.from).ok_or(walk.query)
                };
                let decoded = parallel::map_numbers(walks.len(), QUERIES_PER_TASK, decode);
                unanswered = unanswered.or(decoded.iter().find_map(|answer| answer.as_ref().err().copied()));
                let next = |(walk, answer): (&Walk, &Answer<'_>)| Some(Walk { from: answer.ok()?.1?, ..*walk });
                unfinished.extend(walks.iter().zip(&decoded).filter_map(next));
                found.extend(parallel::flat_map_ranges(walks.len(), QUERIES_PER_TASK, |range| {
                    let mut met = Vec::new();
                    for (walk, answer) in walks[range.clone()].iter().zip(&decoded[range]) {
                        let (query, boxes) = (walk.query, &tree(walk).levels()[0]);
                        let asked = &queries[query as usize].bounds;
                        let places = answer.as_ref().map_or(&[][..], |(places, _)| places).iter();
                        let touched = places.filter(|&&place| asked.touches(&boxes[place as usize]));
                        met.extend(touched.map(|&place| Found { query, place }));
                    }
                    met
                }));
            },
        )?;
        match unanswered {
            None => Ok(unfinished),
            Some(query) => Err(GpuError::Fault {
                adapter: device.name.clone(),
                what: NAME.to_owned(),
                cause: format!("query {query} got no answer"),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
