//! Landings of one phase under way in eight lanes, with their records.

use super::Queue;
use super::flights::Flights;
use super::recorder::{Records, advance};
use crate::flight::LandingPlan;
use crate::query::{LandingOutcome, LandingState};
use crate::simd::{Mask8, Simd};

/// Who is in a lane.
struct Passenger {
    /// Of the landing, in the batch.
    number: usize,
    plan: LandingPlan,
}

/// What landings go through, one after another.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    /// Until a main wheel touches.
    Air,
    /// Until all wheels are down.
    Touchdown,
    /// Until the end.
    Roll,
}

impl Phase {
    pub const ALL: [Self; 3] = [Self::Air, Self::Touchdown, Self::Roll];
}

/// Landings of one phase.
pub(super) struct Group<'q, 'a, S: Simd> {
    queue: &'q Queue<'a>,
    phase: Phase,
    flights: Flights<'a, S>,
    records: Records<'a, S>,
    /// As many lanes as are used.
    lanes: Vec<Option<Passenger>>,
}

impl<'q, 'a, S: Simd> Group<'q, 'a, S> {
    pub fn new(simd: S, queue: &'q Queue<'a>, phase: Phase, lanes: usize) -> Self {
        let job = queue.job;
        let flights = Flights::new(simd, job, queue.index, queue.programs);
        let lanes = (0..lanes).map(|_| None).collect();
        Self { queue, phase, flights, records: Records::new(simd, job), lanes }
    }

    pub fn is_empty(&self) -> bool {
        !self.flights.lanes.any()
    }

    pub fn is_full(&self) -> bool {
        self.free_lane().is_none()
    }

    fn free_lane(&self) -> Option<usize> {
        self.lanes.iter().position(Option::is_none)
    }

    /// Takes waiting landings until every lane has one or none waits; outcomes of those that cannot start.
    pub fn fill(&mut self, outcomes: &mut Vec<(usize, LandingOutcome)>) {
        while let Some(lane) = self.free_lane()
            && let Some((number, inputs)) = self.queue.next()
        {
            let job = self.queue.job;
            match LandingState::start_with_plan(job, inputs) {
                Ok((start, plan)) => {
                    self.flights.board(lane, inputs, &plan, &start);
                    self.records.begin(lane);
                    self.lanes[lane] = Some(Passenger { number, plan });
                }
                Err(_) => outcomes.push((number, LandingOutcome::invalid(job.vehicle.wheels.len(), job.step))),
            }
        }
    }

    /// Simulates until a landing ends or is through its phase.
    pub fn run(&mut self) {
        while !(self.ended() | self.through()).any() {
            advance(&mut self.flights, Some(&mut self.records));
        }
    }

    fn ended(&self) -> Mask8<S> {
        self.flights.lanes & self.records.ended
    }

    /// Lanes between two steps whose landings are through the phase.
    fn through(&self) -> Mask8<S> {
        let flights = &self.flights;
        let stepped = flights.lanes & flights.stepped;
        match self.phase {
            Phase::Air => stepped & flights.touched,
            Phase::Touchdown => flights.wheels.iter().fold(stepped, |lanes, wheels| lanes & wheels.touching()),
            Phase::Roll => Mask8::none(flights.simd),
        }
    }

    /// Lets landings leave that have ended.
    pub fn let_out(&mut self, outcomes: &mut Vec<(usize, LandingOutcome)>) {
        for lane in self.ended().lanes() {
            let outcome = self.records.outcome(lane);
            outcomes.extend(self.lanes[lane].take().map(|passenger| (passenger.number, outcome)));
            self.flights.leave(lane);
        }
    }

    /// Hands landings that are through the phase over to the group of the next one, as long as that has room.
    pub fn hand_over(&mut self, next: &mut Self) {
        for from in self.through().lanes() {
            let Some(to) = next.free_lane() else { return };
            let Some(passenger) = self.lanes[from].take() else { continue };
            let inputs = &self.queue.inputs[passenger.number];
            next.flights.board(to, inputs, &passenger.plan, &self.flights.state(from));
            next.records.take_over(to, &self.records, from);
            next.lanes[to] = Some(passenger);
            self.flights.leave(from);
        }
    }
}
