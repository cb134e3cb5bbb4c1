//! Landings, one stage at a time: for measuring.

use std::borrow::Cow;
use std::time::Duration;

use super::slices::{FULL, Pace, Packed};
use super::{LandingFlight, NAME, Prepared};
use crate::gpu::measure::{Stage, Stages, repeat, submit};
use crate::gpu::wire::{LandingWire, StateView};
use crate::gpu::{GpuError, LandingInputs, LandingOutcome};

impl LandingFlight<'_> {
    /// The stages of as many landings as fill the device, in chunks. The items are their steps; the kernel runs slice by slice
    /// to the end of the last landing, the other stages for at least `time`.
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
        let chunk = prepared.chunk(chunk);
        let inputs = &inputs[..inputs.len().min(FULL * chunk)];
        let Prepared { slots, slice_job, codec } = prepared;
        let device = codec.device;

        let start = |inputs: &LandingInputs, words: &mut [u32]| Ok(codec.start(inputs, words));
        let pack_all =
            || inputs.chunks(chunk).map(|inputs| codec.pack(inputs, &start)).collect::<Result<Vec<Packed>, _>>();
        let mut packed = pack_all()?;
        let packing = repeat(time, || {
            packed = pack_all()?;
            Ok(())
        })?;
        let uploading = repeat(time, || {
            for (number, packed) in packed.iter().enumerate() {
                slots.slot(number).fill(device, packed)?;
            }
            // What is written through the queue waits for a submission.
            submit(device, NAME, |_| ())
        })?;
        // Of each chunk; they end in any order, and in any slots.
        let mut states: Vec<Vec<u32>> = vec![Vec::new(); packed.len()];
        let mut fly = || {
            let mut chunks = packed.iter();
            let next = || Ok(chunks.next().map(Cow::Borrowed));
            slots.run(&slice_job, chunk, Pace::new(slice), next, |range, words| {
                states[range.start / chunk] = words.to_vec();
                Ok(())
            })
        };
        if !device.is_software {
            // It runs at its full clock after that.
            fly()?;
        }
        let flown = fly()?;
        let flying = Stage { runs: 1, total: flown.time };
        let downloading = repeat(time, || {
            for (number, packed) in packed.iter().enumerate() {
                slots.slot(number).states(&slice_job, packed.count)?;
            }
            Ok(())
        })?;
        let mut outcomes: Vec<Vec<LandingOutcome>> = Vec::new();
        let decoding = repeat(time, || {
            let all = packed.iter().zip(&states).enumerate();
            let decode = |landing, state: &StateView<'_>| codec.outcome(landing, state);
            outcomes = all
                .map(|(number, (packed, states))| {
                    codec.decode(number * chunk..number * chunk + packed.count, states, &decode)
                })
                .collect::<Result<_, _>>()?;
            Ok(())
        })?;

        let (state_bytes, input_bytes) = (slice_job.state_bytes as u64, size_of::<LandingWire>() as u64);
        let landings = inputs.len() as u64;
        Ok(Stages {
            search: Some(search),
            items: outcomes.iter().flatten().map(|outcome| outcome.steps).sum(),
            bytes_up: landings * (input_bytes + state_bytes),
            bytes_down: landings * state_bytes,
            // In every slice inputs and state are read, the state is written, at least: from step to step they may stay
            // in caches. The numbers in the list of landings under way do not count.
            bytes_of_kernel: flown.in_slices * (input_bytes + 2 * state_bytes),
            pack: packing,
            upload: uploading,
            kernel: flying,
            download: downloading,
            decode: decoding,
        })
    }
}
