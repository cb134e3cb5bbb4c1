//! Job `landing`: landings in lanes. When one has ended the next takes its lane, so no lane idles until the batch runs
//! dry.

mod air;
mod body;
mod flights;
mod pilot;
mod record;
mod structure;
mod trace;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use self::flights::Flights;
use self::record::Records;
pub(super) use self::trace::trace;
use super::index::SceneIndex;
use crate::lanes::{LANES, Lanes};
use crate::query::{LandingInputs, LandingJob, LandingOutcome, LandingState};

/// Simulates landings on the threads of the pool that it runs in; outcomes in the order of the inputs.
pub(super) fn simulate(job: &LandingJob, index: &SceneIndex, inputs: &[LandingInputs]) -> Vec<LandingOutcome> {
    let threads = rayon::current_num_threads().min(inputs.len().div_ceil(LANES)).max(1);
    let lanes = LANES.min(inputs.len().div_ceil(threads));
    let queue = Queue { job, index, inputs, next: AtomicUsize::new(0) };
    let mut outcomes: Vec<(usize, LandingOutcome)> =
        (0..threads).into_par_iter().with_max_len(1).flat_map_iter(|_| queue.work_off(lanes)).collect();
    outcomes.sort_unstable_by_key(|&(number, _)| number);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Landings that wait for a lane.
struct Queue<'a> {
    job: &'a LandingJob,
    index: &'a SceneIndex,
    inputs: &'a [LandingInputs],
    next: AtomicUsize,
}

impl<'a> Queue<'a> {
    /// Simulates waiting landings in this many lanes until none is left; outcomes with their numbers.
    fn work_off(&self, lanes: usize) -> Vec<(usize, LandingOutcome)> {
        let mut outcomes = Vec::new();
        let mut flights = Flights::new(self.job, self.index);
        let mut records = Records::new(self.job);
        let mut numbers: [Option<usize>; LANES] = [None; LANES];
        let last_step = Lanes::splat(self.job.steps_of(self.job.time_limit) as f64);
        loop {
            for (lane, number) in numbers.iter_mut().enumerate().take(lanes).filter(|(_, number)| number.is_none()) {
                *number = self.board(lane, &mut flights, &mut records, &mut outcomes);
            }
            if !flights.lanes.any() {
                return outcomes;
            }
            let mut ended = flights.lanes & flights.steps.ge(last_step);
            while !ended.any() {
                flights.step(Some(&mut records));
                ended = flights.lanes & (records.ended | flights.steps.ge(last_step));
            }
            for (lane, number) in numbers.iter_mut().enumerate().filter(|&(lane, _)| ended.get(lane)) {
                outcomes.extend(number.take().map(|number| (number, records.outcome(lane))));
                flights.leave(lane);
            }
        }
    }

    /// Puts the next valid landing into a lane; the invalid ones before it have their outcome already.
    fn board(
        &self,
        lane: usize,
        flights: &mut Flights<'a>,
        records: &mut Records<'a>,
        outcomes: &mut Vec<(usize, LandingOutcome)>,
    ) -> Option<usize> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let inputs = self.inputs.get(number)?;
            if inputs.is_valid() {
                flights.board(lane, inputs, &LandingState::at_start(self.job, inputs));
                records.begin(lane);
                return Some(number);
            }
            outcomes.push((number, LandingOutcome::invalid(self.job.vehicle.wheels.len(), self.job.step)));
        }
    }
}

/// One step of each landing from the state given with its inputs.
pub(super) fn step(job: &LandingJob, index: &SceneIndex, items: &[(LandingInputs, LandingState)]) -> Vec<LandingState> {
    /// Enough that making eight lanes ready costs nothing.
    const ITEMS_PER_TASK: usize = 8 * LANES;
    items
        .par_chunks(ITEMS_PER_TASK)
        .flat_map_iter(|items| {
            let mut flights = Flights::new(job, index);
            let mut states = Vec::with_capacity(items.len());
            for items in items.chunks(LANES) {
                (0..LANES).for_each(|lane| flights.leave(lane));
                for (lane, (inputs, state)) in items.iter().enumerate() {
                    flights.board(lane, inputs, state);
                }
                flights.step(None);
                states.extend((0..items.len()).map(|lane| flights.state(lane)));
            }
            states
        })
        .collect()
}
