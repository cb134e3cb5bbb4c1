//! Job `air_load`: words of functions, eight flights at a time.

use super::words::Rows;
use super::{Native, by_tasks};
use crate::air_forces::{AirForces, Flight};
use crate::engine::EngineError;
use crate::function::Words;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{AirLoad, AirLoads};
use crate::simd::{InRegisters, Simd, at_full_width, in_registers};

/// Flights that one thread takes at a time: so many that clearing the memory of a task's rows is nothing beside them.
const FLIGHTS_PER_TASK: usize = 8192;

impl Computes<AirLoads> for Native {
    fn answers(&self, forces: &AirForces, flights: &[Flight]) -> Result<Vec<AirLoad>, EngineError> {
        let wanted = forces.function_places().chain(forces.load_places());
        let words = Words::compile(forces.made(), wanted, forces.width());
        let task = |flights: &[Flight], answers: &mut [AirLoad]| {
            in_registers(Task { forces, words: &words, flights, answers });
        };
        Ok(self.pool.install(|| by_tasks(FLIGHTS_PER_TASK, flights, AirLoad::bad_input(), task)))
    }
}

/// Flights of one task, and a place for each answer.
struct Task<'a> {
    forces: &'a AirForces,
    words: &'a Words,
    flights: &'a [Flight],
    answers: &'a mut [AirLoad],
}

impl InRegisters for Task<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        let Self { forces, words, flights, answers } = self;
        let mut rows = Rows::new(simd, words);
        let mut own = vec![0.0; forces.width()];
        for (flights, answers) in flights.chunks(LANES).zip(answers.chunks_mut(LANES)) {
            let mut numbers = rows.numbers();
            for (lane, flight) in flights.iter().enumerate().filter(|(_, flight)| forces.takes(flight)) {
                forces.begin(flight).enumerate().for_each(|(place, number)| numbers.set_lane(lane, place, number));
            }
            at_full_width(simd, Run { words, rows: &mut rows });
            let answered = flights.iter().zip(answers).enumerate().filter(|(_, (flight, _))| forces.takes(flight));
            for (lane, (_, answer)) in answered {
                own.iter_mut().enumerate().for_each(|(place, own)| *own = rows.of_lane(lane, place));
                *answer = AirLoad::new(forces.loads(&own), forces.values(&own).collect());
            }
        }
    }
}

/// Words at work.
struct Run<'a, S: Simd> {
    words: &'a Words,
    rows: &'a mut Rows<S>,
}

impl<S: Simd> Vectorized for Run<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.rows.run(self.words);
    }
}
