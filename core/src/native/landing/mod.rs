//! Job `landing`: landings in lanes, in a group for each phase. A step costs what the busiest of its lanes needs, and in
//! the air no wheel needs anything. When a landing leaves its lane another takes it, so that few lanes idle until the
//! batch runs out.

mod aerodynamics;
mod air;
mod airframe;
mod body;
mod flights;
mod gear;
mod gear_watch;
mod ground;
mod ground_reactions;
mod group;
mod guidance;
mod noise;
mod pilot;
mod recorder;
mod structure;
mod trace;

use std::sync::atomic::{AtomicUsize, Ordering};

use self::airframe::Programs;
use self::flights::Flights;
use self::group::{Group, Phase};
use self::recorder::advance;
pub(super) use self::trace::trace;
use super::index::SceneIndex;
use crate::flight::LandingPlan;
use crate::lanes::LANES;
use crate::parallel;
use crate::query::{LandingInputs, LandingJob, LandingOutcome, LandingState};
use crate::simd::{InRegisters, Simd, in_registers};

/// Simulates landings on the current thread pool; outcomes in the order of the inputs.
pub(super) fn simulate(job: &LandingJob, index: &SceneIndex, inputs: &[LandingInputs]) -> Vec<LandingOutcome> {
    let threads = rayon::current_num_threads().min(inputs.len().div_ceil(LANES)).max(1);
    let lanes = inputs.len().div_ceil(threads).clamp(1, LANES);
    let programs = Programs::new(job);
    let queue = Queue { job, index, programs: programs.as_ref(), inputs, next: AtomicUsize::new(0) };
    let mut outcomes: Vec<(usize, LandingOutcome)> =
        parallel::flat_map_ranges(threads, 1, |_| in_registers(Workplace { queue: &queue, lanes }));
    outcomes.sort_unstable_by_key(|&(number, _)| number);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Landings that wait for a lane.
struct Queue<'a> {
    job: &'a LandingJob,
    index: &'a SceneIndex,
    programs: Option<&'a Programs<'a>>,
    inputs: &'a [LandingInputs],
    next: AtomicUsize,
}

/// Where one thread works a queue off, in this many lanes.
struct Workplace<'q, 'a> {
    queue: &'q Queue<'a>,
    lanes: usize,
}

impl InRegisters for Workplace<'_, '_> {
    type Output = Vec<(usize, LandingOutcome)>;
    /// Simulates waiting landings until none is left; outcomes with their numbers.
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { queue, lanes } = self;
        let mut outcomes = Vec::new();
        let mut groups = Phase::ALL.map(|phase| Group::new(simd, queue, phase, lanes));
        loop {
            groups[0].fill(&mut outcomes);
            // The last one that is full; where none is, the first one that has any.
            let full = groups.iter().rposition(Group::is_full);
            let Some(place) = full.or_else(|| groups.iter().position(|group| !group.is_empty())) else {
                return outcomes;
            };
            groups[place].run();
            groups[place].let_out(&mut outcomes);
            if let [group, next, ..] = &mut groups[place..] {
                group.hand_over(next);
            }
        }
    }
}

impl<'a> Queue<'a> {
    /// The next landing, with its number.
    fn next(&self) -> Option<(usize, &'a LandingInputs)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some((number, self.inputs.get(number)?))
    }
}

/// One step of each landing from the state given with its inputs.
pub(super) fn step(job: &LandingJob, index: &SceneIndex, items: &[(LandingInputs, LandingState)]) -> Vec<LandingState> {
    /// Enough that making eight lanes ready costs nothing.
    const ITEMS_PER_TASK: usize = 8 * LANES;
    let programs = Programs::new(job);
    let programs = programs.as_ref();
    parallel::flat_map_ranges(items.len(), ITEMS_PER_TASK, |range| {
        in_registers(Steps { job, index, programs, items: &items[range] })
    })
}

/// Single steps that one thread does.
struct Steps<'a> {
    job: &'a LandingJob,
    index: &'a SceneIndex,
    programs: Option<&'a Programs<'a>>,
    items: &'a [(LandingInputs, LandingState)],
}

impl InRegisters for Steps<'_> {
    type Output = Vec<LandingState>;
    fn run<S: Simd>(self, simd: S) -> Vec<LandingState> {
        let mut flights = Flights::new(simd, self.job, self.index, self.programs);
        let mut states = Vec::with_capacity(self.items.len());
        for items in self.items.chunks(LANES) {
            (0..LANES).for_each(|lane| flights.leave(lane));
            for (lane, (inputs, state)) in items.iter().enumerate() {
                flights.board(lane, inputs, &LandingPlan::new(self.job, inputs), state);
            }
            let mut after: Vec<LandingState> = items.iter().map(|(_, state)| state.clone()).collect();
            while flights.lanes.any() {
                advance(&mut flights, None);
                for lane in flights.stepped.lanes() {
                    after[lane] = flights.state(lane);
                    flights.leave(lane);
                }
            }
            states.extend(after);
        }
        states
    }
}
