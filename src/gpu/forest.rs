//! Job `meetings` on a device.
//!
//! A lookup is 48 bytes on its way there and 64 on its way back, with places of up to twelve boxes. A walk that finds more,
//! or comes to the end of the rounds that are certain to run, goes on where it stopped with the next turn. What is found
//! is judged again in binary64, so the answer is that of the processor. A forest that does not fit into the device's
//! memory is walked here, and so are the last few lookups: a boulder that meets a hundred thousand grains would take
//! thousands of turns.
//!
//! # Conventions
//! As in [`crate::forest`].

use rayon::prelude::*;

use super::GpuError;
use super::buffer::{Buffer, ItemJob, Slots};
use super::device::Device;
use super::kernel::Kernel;
use super::wire::{ForestPlan, LookupAnswer, Position, TreeBox};
use crate::forest::{Forest, Lookup, Meeting, Tree};

pub(super) const NAME: &str = "meetings";
/// Lookups that one thread packs at a time.
const LOOKUPS_PER_TASK: usize = 1024;
/// Unfinished lookups that are worth another turn: fewer cost the processor less than the device's answer takes to come.
const FEWEST: usize = 256;

/// A lookup on its way through a tree.
#[derive(Clone, Copy, Debug)]
struct Walk {
    lookup: u32,
    from: Position,
}

/// A box that meets that of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    lookup: u32,
    /// Its place in its tree.
    place: u32,
}

/// Places that a walk found and where it goes on, or which lookup got no answer.
type Answer<'a> = Result<(&'a [u32], Option<Position>), u32>;

/// The buffers of a forest, and the forest that they hold.
#[derive(Debug)]
pub(super) struct ForestBuffers {
    forest: Forest,
    plan: ForestPlan,
    levels: Buffer,
    boxes: Buffer,
}

impl ForestBuffers {
    /// Sends a forest to a device; `None` when it is larger than one buffer may be.
    pub fn new(device: &Device, forest: &Forest) -> Result<Option<Self>, GpuError> {
        let limits = &device.limits;
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize / size_of::<TreeBox>();
        let Some(plan) = ForestPlan::new(forest, most) else { return Ok(None) };
        let (mut levels, mut boxes) = (Buffer::storage("levels of trees"), Buffer::storage("boxes of trees"));
        levels.fill(device, &plan.levels)?;
        boxes.fill(device, &plan.tree_boxes(forest))?;
        Ok(Some(Self { forest: forest.clone(), plan, levels, boxes }))
    }

    /// True when they hold this forest.
    pub fn hold(&self, forest: &Forest) -> bool {
        self.forest.is_same(forest)
    }

    fn tree(&self, lookup: &Lookup) -> &Tree {
        &self.forest.trees()[lookup.tree as usize]
    }

    /// The meetings of lookups, `chunk` at a time.
    pub fn meetings(
        &self,
        device: &Device,
        slots: &mut Slots,
        kernel: &Kernel,
        lookups: &[Lookup],
        chunk: usize,
    ) -> Result<Vec<Meeting>, GpuError> {
        let shared = [&self.levels, &self.boxes].into_iter().filter_map(Buffer::binding).collect();
        let job = ItemJob { name: NAME, kernel, shared };
        let mut walks: Vec<Walk> =
            (0..).zip(lookups).map(|(lookup, asked)| Walk { lookup, from: self.plan.start(asked) }).collect();
        let mut found = Vec::new();
        while !walks.is_empty() {
            walks = self.turn(device, slots, &job, (lookups, &walks), chunk, &mut found)?;
            if walks.len() < FEWEST {
                for Walk { lookup, .. } in walks.drain(..) {
                    let asked = &lookups[lookup as usize];
                    self.tree(asked).meet(asked, &mut |place| found.push(Found { lookup, place: place as u32 }));
                }
            }
        }
        found.par_sort_unstable();
        // The processor has found again what the device had found of the walks that it finished.
        found.dedup();
        let number = |found: &Found| self.tree(&lookups[found.lookup as usize]).bodies()[found.place as usize];
        Ok(found.par_iter().map(|found| Meeting { lookup: found.lookup, number: number(found) }).collect())
    }

    /// Runs walks until each has ended or its answer is full; gives those that go on.
    fn turn(
        &self,
        device: &Device,
        slots: &mut Slots,
        job: &ItemJob<'_>,
        (lookups, walks): (&[Lookup], &[Walk]),
        chunk: usize,
        found: &mut Vec<Found>,
    ) -> Result<Vec<Walk>, GpuError> {
        let (mut unfinished, mut unanswered) = (Vec::new(), None);
        slots.run(
            device,
            job,
            walks.len(),
            chunk,
            |range| {
                let packed = walks[range].par_iter().with_min_len(LOOKUPS_PER_TASK);
                packed.map(|walk| self.plan.wire(&lookups[walk.lookup as usize], walk.from)).collect()
            },
            |range, answers: &[LookupAnswer]| {
                let walks = &walks[range];
                let answered = walks.par_iter().zip(answers).with_min_len(LOOKUPS_PER_TASK);
                let tree = |walk: &Walk| self.tree(&lookups[walk.lookup as usize]);
                let decoded: Vec<Answer<'_>> =
                    answered.map(|(walk, answer)| answer.decode(tree(walk), walk.from).ok_or(walk.lookup)).collect();
                unanswered = unanswered.or(decoded.iter().find_map(|answer| answer.as_ref().err().copied()));
                let next = |(walk, answer): (&Walk, &Answer<'_>)| Some(Walk { from: answer.ok()?.1?, ..*walk });
                unfinished.extend(walks.iter().zip(&decoded).filter_map(next));
                let answered = walks.par_iter().zip(decoded).with_min_len(LOOKUPS_PER_TASK);
                found.par_extend(answered.flat_map_iter(|(walk, answer)| {
                    let (lookup, boxes) = (walk.lookup, &tree(walk).levels()[0]);
                    let asked = &lookups[lookup as usize].bounds;
                    let places = answer.map_or(&[][..], |(places, _)| places).iter();
                    let met = places.filter(|&&place| asked.touches(&boxes[place as usize]));
                    met.map(move |&place| Found { lookup, place })
                }));
            },
        )?;
        match unanswered {
            None => Ok(unfinished),
            Some(lookup) => Err(GpuError::Fault {
                adapter: device.name.clone(),
                what: NAME.to_owned(),
                cause: format!("lookup {lookup} got no answer"),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
