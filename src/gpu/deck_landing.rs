//! Jobs `deck_landing` and `deck_step` on a device: slices of steps, with states kept on the host in between.
//!
//! With every slice goes the part of the deck's motion that it needs, so that the buffers do not grow with the length of landings.

use std::sync::Arc;

use super::buffer::{Buffer, ItemJob};
use super::items::Codec;
use super::kernel::Kernel;
use super::shader::{WORKGROUP, float, unsigned};
use super::wire::{DECK_GRID, DeckItemWire, DeckSharedWire, DeckStateWire, FAR, deck_structures};
use super::{Gpu, GpuError, Session};
use crate::deck::{DeckLanding, DeckOutcome, DeckStart, DeckStep, DeckStepped, DeckStepper, GRAVITY, Tally};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{DeckLandings, DeckSteps};

/// Most landings at a time on software and on hardware: 3 kB each travel with every slice.
const MAX_LANDINGS: [usize; 2] = [1 << 11, 1 << 14];
/// Most steps of a dispatch: a fraction of a second of work.
const MAX_SLICE: u32 = 256;

/// A landing on its way.
struct Run {
    /// Which it is.
    item: usize,
    state: DeckStateWire,
}

/// The kernel for landings of one kind, with what they share.
struct DeckKernel {
    kernel: Arc<Kernel>,
    data: Buffer,
}

impl DeckKernel {
    fn new(session: &mut Session, landing: &DeckLanding) -> Result<Self, GpuError> {
        let wire = DeckSharedWire::new(landing)?;
        let kernel = session.kernel(DeckLandings::NAME, source(&wire))?;
        let mut data = Buffer::storage("deck and gear");
        data.fill(&session.device, &wire.rows())?;
        Ok(Self { kernel, data })
    }

    /// The states of landings some steps later.
    fn states<T: Sync>(
        &self,
        session: &mut Session,
        chunk: usize,
        items: &[T],
        pack: impl Fn(&T) -> DeckItemWire + Sync,
    ) -> Result<Vec<DeckStateWire>, GpuError> {
        let job = ItemJob {
            name: DeckLandings::NAME,
            kernel: &self.kernel,
            shared: self.data.binding().into_iter().collect(),
        };
        let chunk = chunk.min(MAX_LANDINGS[usize::from(!session.device.is_software)]);
        let codec = Codec { pack, decode: |_: &T, state: &DeckStateWire| (state.done > 0).then_some(*state) };
        codec.run(&session.device, &mut session.slots, &job, items, chunk)
    }
}

/// The source of the kernel.
pub(super) fn source(shared: &DeckSharedWire) -> String {
    [
        &unsigned("WORKGROUP", WORKGROUP),
        &float("FAR", f64::from(FAR)),
        &float("GRID", DECK_GRID),
        &float("CELLS", DECK_GRID.recip()),
        &float("FRACTION", 2f64.powi(-32)),
        &float("GRAVITY", GRAVITY),
        &deck_structures(shared),
        include_str!("../../shaders/math.wgsl"),
        include_str!("../../shaders/deck_contact.wgsl"),
        include_str!("../../shaders/deck_landing.wgsl"),
    ]
    .concat()
}

impl Computes<DeckLandings> for Gpu {
    fn answers(&self, landing: &DeckLanding, starts: &[DeckStart]) -> Result<Vec<DeckOutcome>, EngineError> {
        let slice = self.options.slice.unwrap_or(MAX_SLICE).clamp(1, MAX_SLICE);
        self.run(starts.len(), |session, chunk| {
            let kernel = DeckKernel::new(session, landing)?;
            let begin = |(item, start): (usize, &DeckStart)| {
                let stepper = DeckStepper::new(landing, start);
                Run { item, state: DeckStateWire::new(&stepper.record(&Tally::new(landing))) }
            };
            let mut runs: Vec<Run> = starts.iter().enumerate().map(begin).collect();
            let mut outcomes: Vec<Option<DeckOutcome>> = vec![None; starts.len()];
            while !runs.is_empty() {
                let pack = |run: &Run| {
                    let steps = slice.min(landing.steps - run.state.done);
                    DeckItemWire::new(landing, &starts[run.item], run.state, steps)
                };
                let states = kernel.states(session, chunk, &runs, pack)?;
                runs.iter_mut().zip(states).for_each(|(run, state)| run.state = state);
                runs.retain(|run| {
                    let is_over = run.state.over != 0 || run.state.done >= landing.steps || !run.state.is_finite();
                    if is_over {
                        outcomes[run.item] = Some(run.state.outcome(landing));
                    }
                    !is_over
                });
            }
            Ok(outcomes.into_iter().flatten().collect())
        })
    }
}

impl Computes<DeckSteps> for Gpu {
    fn answers(&self, landing: &DeckLanding, steps: &[DeckStep]) -> Result<Vec<DeckStepped>, EngineError> {
        self.run(steps.len(), |session, chunk| {
            let kernel = DeckKernel::new(session, landing)?;
            let pack = |step: &DeckStep| DeckItemWire::new(landing, &step.start, DeckStateWire::new(&step.record), 1);
            let states = kernel.states(session, chunk, steps, pack)?;
            let stepped = |state: &DeckStateWire| {
                let record = state.record(landing)?;
                Some(DeckStepped { record, outcome: DeckOutcome { steps: 1, ..state.outcome(landing) } })
            };
            let all: Option<Vec<DeckStepped>> = states.iter().map(stepped).collect();
            all.ok_or_else(|| {
                super::buffer::fault(&session.device, DeckSteps::NAME, &"a surface that the deck does not have")
            })
        })
    }
}

#[cfg(test)]
mod tests;
