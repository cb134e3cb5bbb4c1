//! Job `encounter`: the reference's own text, eight encounters at a time.
//!
//! # Conventions
//! As in [`crate::query::Encounter`].

use super::{Native, by_tasks};
use crate::encounter::{Found, Frame, MEETING_NUMBERS, Meeting, Searched, contact, status};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{ContactModel, Encounter, EncounterAnswer, EncounterStatus, Encounters};
use crate::simd::{F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Encounters that one thread takes at a time: enough that sharing them out costs nothing.
const ITEMS_PER_TASK: usize = 1024;

/// Stands in the lane of what is not valid, or not there.
const ANY: [f64; 16] = [0.0, 0.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 4.0, 2.0, 2.0, 0.5, 1.0, 4.0, 0.0, 0.0];

impl Computes<Encounters> for Native {
    fn answers(&self, (): (), items: &[Encounter]) -> Result<Vec<EncounterAnswer>, EngineError> {
        let bad = EncounterAnswer::none(EncounterStatus::BadInput);
        let task = |items: &[Encounter], answers: &mut [EncounterAnswer]| in_registers(Items { items, answers });
        Ok(self.pool.install(|| by_tasks(ITEMS_PER_TASK, items, bad, task)))
    }
}

/// Encounters of one task, and a place for each answer, which says that its encounter is not valid.
struct Items<'a> {
    items: &'a [Encounter],
    answers: &'a mut [EncounterAnswer],
}

impl InRegisters for Items<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        let any = Encounter::of_numbers(ANY, ContactModel::Box);
        for (items, answers) in self.items.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let valid: [bool; LANES] =
                std::array::from_fn(|lane| items.get(lane).is_some_and(|item| item.fault().is_none()));
            let of_lane = |lane: usize| if valid[lane] { items[lane] } else { any };
            let framed: [(Frame, Meeting<f64>); LANES] = std::array::from_fn(|lane| Frame::new(&of_lane(lane)));
            let columns = framed.map(|(_, meeting)| meeting.numbers());
            let rows = std::array::from_fn(|number| columns.map(|column| column[number]));
            let found = at_full_width(simd, Eight { simd, rows: &rows });
            for (lane, answer) in answers.iter_mut().enumerate().filter(|&(lane, _)| valid[lane]) {
                let (frame, meeting) = &framed[lane];
                *answer = frame.answer(&items[lane], meeting, &found[lane]);
            }
        }
    }
}

/// Eight encounters, one in each lane.
struct Eight<'a, S> {
    simd: S,
    rows: &'a [[f64; LANES]; MEETING_NUMBERS],
}

impl<S: Simd> Vectorized for Eight<'_, S> {
    type Output = [Found; LANES];
    #[inline(always)]
    fn run(self) -> [Found; LANES] {
        // No closures on vectors: what is compiled for a wider instruction set must be inlined.
        let mut numbers = [F64x8::zero(self.simd); MEETING_NUMBERS];
        for (number, &row) in numbers.iter_mut().zip(self.rows) {
            *number = F64x8::from_array(self.simd, row);
        }
        let meeting = Meeting::of_numbers(numbers);
        let of = contact(&meeting, Searched);
        let masks = [of.not_converged, of.misses, of.overlaps, of.is_past, of.has_no_normal].map(Mask8::to_array);
        let on_edge = of.on_edge.map(Mask8::to_array);
        let vector = |vector: [F64x8<S>; 2]| vector.map(F64x8::to_array);
        let (way, arm, normal) = (of.way.to_array(), vector(of.arm), vector(of.normal));
        let impulse = vector([of.impulse.normal, of.impulse.tangential]);
        std::array::from_fn(|lane| Found {
            status: status(masks.map(|mask| mask[lane])),
            way: way[lane],
            arm: arm.map(|numbers| numbers[lane]),
            normal: normal.map(|numbers| numbers[lane]),
            on_edge: on_edge.map(|mask| mask[lane]),
            impulse: impulse.map(|numbers| numbers[lane]),
        })
    }
}
