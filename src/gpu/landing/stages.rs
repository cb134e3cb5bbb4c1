//! Landings, one stage at a time: for measuring.

use std::time::{Duration, Instant};

use super::slices::Pace;
use super::{LandingFlight, NAME, Prepared};
use crate::gpu::measure::{Stage, Stages, repeat, submit};
use crate::gpu::wire::LandingWire;
use crate::gpu::{GpuError, LandingInputs, LandingOutcome};

impl LandingFlight<'_> {
    /// The stages of a chunk of landings. The items are their steps; the kernel runs slice by slice to the end of the last
    /// landing, the other stages for at least `time`.
    pub fn stages(
        self,
        inputs: &[LandingInputs],
        chunk: usize,
        slice: Option<u32>,
        time: Duration,
    ) -> Result<Stages, GpuError> {
        let search = self.scene_buffers.search.form;
        let step_limit = self.job.steps_of(self.job.time_limit);
        let prepared = self.prepare(Some(step_limit))?;
        let inputs = &inputs[..inputs.len().min(prepared.chunk(chunk))];
        let Prepared { slots, slice_job, codec } = prepared;
        let (slot, device) = (slots.first(), codec.device);

        let mut packed = codec.pack(inputs, &|inputs, words| Ok(codec.start(inputs, words)))?;
        let packing = repeat(time, || {
            packed = codec.pack(inputs, &|inputs, words| Ok(codec.start(inputs, words)))?;
            Ok(())
        })?;
        let uploading = repeat(time, || {
            slot.fill(device, &packed)?;
            // What is written through the queue waits for a submission.
            submit(device, NAME, |_| ())
        })?;
        let start = Instant::now();
        let flown = slot.fly_alone(&slice_job, inputs.len(), Pace::new(slice))?;
        let flying = Stage { runs: 1, total: start.elapsed() };
        let mut states = Vec::new();
        let downloading = repeat(time, || {
            states = slot.states(&slice_job, inputs.len())?;
            Ok(())
        })?;
        let mut outcomes: Vec<LandingOutcome> = Vec::new();
        let decoding = repeat(time, || {
            outcomes = codec.decode(0..inputs.len(), &states, &|landing, state| codec.outcome(landing, state))?;
            Ok(())
        })?;

        let (state_bytes, input_bytes) = (slice_job.state_bytes as u64, size_of::<LandingWire>() as u64);
        let landings = inputs.len() as u64;
        Ok(Stages {
            search: Some(search),
            items: outcomes.iter().map(|outcome| outcome.steps).sum(),
            bytes_up: landings * (input_bytes + state_bytes),
            bytes_down: landings * state_bytes,
            // In every slice inputs and state are read, the state is written, at least: from step to step they may stay
            // in caches. The numbers in the list of landings under way do not count.
            bytes_of_kernel: flown * (input_bytes + 2 * state_bytes),
            pack: packing,
            upload: uploading,
            kernel: flying,
            download: downloading,
            decode: decoding,
        })
    }
}
