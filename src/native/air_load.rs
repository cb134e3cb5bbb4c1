//! Job `air_load`: words of functions, eight flights at a time.

use super::words::run;
use super::{Native, by_tasks};
use crate::air_forces::{AirForces, Flight};
use crate::engine::EngineError;
use crate::function::Words;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{AirLoad, AirLoads};
use crate::simd::{F64x8, InRegisters, Simd, at_full_width, in_registers};

/// Flights that one thread takes at a time.
const FLIGHTS_PER_TASK: usize = 256;

impl Computes<AirLoads> for Native {
    fn answers(&self, forces: &AirForces, flights: &[Flight]) -> Result<Vec<AirLoad>, EngineError> {
        let words = Words::compile(forces.made());
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
        let mut row = vec![F64x8::zero(simd); forces.width()];
        let mut stack = vec![F64x8::zero(simd); words.depth() + 1];
        let mut own = vec![0.0; forces.width()];
        for (flights, answers) in flights.chunks(LANES).zip(answers.chunks_mut(LANES)) {
            row.fill(F64x8::zero(simd));
            for (lane, flight) in flights.iter().enumerate().filter(|(_, flight)| forces.takes(flight)) {
                forces.begin(flight).enumerate().for_each(|(place, number)| row[place].set(lane, number));
            }
            at_full_width(simd, Rows { simd, words, row: &mut row, stack: &mut stack });
            let answered = flights.iter().zip(answers).enumerate().filter(|(_, (flight, _))| forces.takes(flight));
            for (lane, (_, answer)) in answered {
                own.iter_mut().zip(&row).for_each(|(own, eight)| *own = eight.get(lane));
                *answer = AirLoad::new(forces.loads(&own), forces.values(&own).collect());
            }
        }
    }
}

/// Eight rows, and the words that fill them.
struct Rows<'a, S: Simd> {
    simd: S,
    words: &'a Words,
    row: &'a mut [F64x8<S>],
    stack: &'a mut [F64x8<S>],
}

impl<S: Simd> Vectorized for Rows<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        run(self.simd, self.words, self.row, self.stack);
    }
}
