//! Idle lanes of a device while others of their warp work.
//!
//! A warp executes each step together: it takes as many sub-steps of the gear as the most demanding of its landings,
//! and the other lanes wait. Lanes whose landings have ended idle until the slice of steps is over; the rest is then
//! compacted. The cost follows from the landings alone, and is computed from what the reference did: nothing of it is
//! measured on a device.

use std::num::NonZeroUsize;

use super::operations::Operations;
use crate::engine::EngineError;
use crate::gpu::operations::CountError;
use crate::query::{LandingInputs, LandingJob};
use crate::reference::Reference;

/// How landings are grouped into warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// Neighbours by index.
    Number,
    /// By the number of sub-steps in the last step before the slice: a sort key available on a device.
    Phase,
    /// By the work in the slice itself: unknown to a device, the upper bound of any sorting.
    Foreseen,
}

impl LaneOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Number, Self::Phase, Self::Foreseen];

    /// Name for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Phase => "phase",
            Self::Foreseen => "foreseen",
        }
    }
}

/// Distribution of lane time, as fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleLanes {
    /// Lanes without a landing, or whose landing has ended.
    pub ended: f64,
    /// Lanes waiting for others of their warp, in the same step.
    pub waiting: f64,
}

/// Cost of a landing step, by the number of gear sub-steps; none if no wheel touches.
struct StepCost(Vec<f64>);

impl StepCost {
    /// By the operations of the landing kernel, searches along rays aside.
    fn of(job: &LandingJob) -> Result<Self, CountError> {
        let (wheels, points) = (job.vehicle.wheels.len(), job.vehicle.structure.len());
        let most = job.vehicle.gear_substeps(job.step).lively;
        let of = |substeps| Ok(Operations::of_landing_step(wheels, points, substeps)?.total());
        (0..=most).map(of).collect::<Result<_, _>>().map(Self)
    }

    fn step(&self, substeps: u32) -> f64 {
        self.0[substeps as usize]
    }
}

/// The fractions of idle lanes when these landings of a job run together, with this warp width and slice length; none where no
/// landing has a step.
///
/// # Errors
/// If the reference fails, or the kernel cannot be read.
pub fn idle_lanes(
    (job, inputs): (&LandingJob, &[LandingInputs]),
    sizes: (NonZeroUsize, NonZeroUsize),
) -> Result<Option<[(LaneOrder, IdleLanes); LaneOrder::ALL.len()]>, EngineError> {
    let substeps = Reference::new(0)?.gear_substeps(job, inputs);
    let cost = StepCost::of(job)?;
    let has_steps = substeps.iter().any(|steps| !steps.is_empty());
    Ok(has_steps.then(|| LaneOrder::ALL.map(|order| (order, idle(&substeps, &cost, sizes, order)))))
}

/// Of landings of which one at least has a step.
fn idle(substeps: &[Vec<u32>], cost: &StepCost, sizes: (NonZeroUsize, NonZeroUsize), order: LaneOrder) -> IdleLanes {
    let (warp, slice) = (sizes.0.get(), sizes.1.get());
    let (mut all, mut ended, mut waiting) = (0.0, 0.0, 0.0);
    let mut under_way: Vec<&[u32]> = substeps.iter().map(Vec::as_slice).filter(|steps| !steps.is_empty()).collect();
    let mut last = vec![0; under_way.len()];
    while !under_way.is_empty() {
        let ahead = |steps: &[u32]| steps.iter().take(slice).map(|&step| cost.step(step)).sum::<f64>();
        let mut numbers: Vec<usize> = (0..under_way.len()).collect();
        match order {
            LaneOrder::Number => {}
            LaneOrder::Phase => numbers.sort_by_key(|&number| last[number]),
            LaneOrder::Foreseen => numbers.sort_by(|&a, &b| ahead(under_way[a]).total_cmp(&ahead(under_way[b]))),
        }
        for together in numbers.chunks(warp) {
            for step in 0..slice {
                let at_work = together.iter().filter_map(|&number| under_way[number].get(step));
                let costs: Vec<f64> = at_work.map(|&substeps| cost.step(substeps)).collect();
                let longest = costs.iter().copied().fold(0.0, f64::max);
                all += warp as f64 * longest;
                ended += (warp - costs.len()) as f64 * longest;
                waiting += costs.iter().map(|cost| longest - cost).sum::<f64>();
            }
        }
        let left = numbers.into_iter().filter(|&number| under_way[number].len() > slice);
        (under_way, last) = left.map(|number| (&under_way[number][slice..], under_way[number][slice - 1])).unzip();
    }
    IdleLanes { ended: ended / all, waiting: waiting / all }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

    #[test]
    fn landings_without_a_step_idle_no_lanes() {
        let job = crate::validation::embedded_study("c172").unwrap().unwrap().job;
        assert_eq!(idle_lanes((&job, &[]), (TWO, TWO)).unwrap(), None);
    }

    /// Two lanes; a step costs 1, a sub-step 1 more.
    fn share(landings: &[&[u32]], order: LaneOrder) -> IdleLanes {
        let landings: Vec<Vec<u32>> = landings.iter().map(|&steps| steps.to_vec()).collect();
        idle(&landings, &StepCost(vec![1.0, 2.0, 3.0]), (TWO, TWO), order)
    }

    #[test]
    fn lanes_wait_for_the_longest_of_their_warp_and_idle_when_they_have_ended() {
        // One slice of two steps: 2 * 3 + 2 * 1 of lane time, of which the first waits 2 and idles 1.
        let found = share(&[&[0], &[2, 0]], LaneOrder::Number);
        assert_eq!(found, IdleLanes { ended: 1.0 / 8.0, waiting: 2.0 / 8.0 });
        assert_eq!(share(&[&[1, 1], &[1, 1]], LaneOrder::Number), IdleLanes { ended: 0.0, waiting: 0.0 });
    }

    #[test]
    fn sorting_brings_together_what_is_alike() {
        // Light and heavy landings in turns, over two slices.
        let (light, heavy): (&[u32], &[u32]) = (&[0, 0, 0, 0], &[0, 2, 2, 2]);
        let landings = [light, heavy, light, heavy];
        let waiting = LaneOrder::ALL.map(|order| share(&landings, order).waiting);
        // In each warp light ones wait 2 in three of the steps: of 2 * 10 of lane time. Known by their phase from the second
        // slice on, or foreseen from the first.
        assert_eq!(waiting, [6.0 / 20.0, 4.0 / (2.0 * 8.0 + 2.0 * 2.0 + 2.0 * 6.0), 0.0]);
    }
}
