//! The stages of job `wheel`.

use std::time::Duration;

use super::{Stage, Stages, repeat, repeat_on_device};
use crate::gpu::buffer::{Buffer, Outgoing};
use crate::gpu::wheel::{Journey, WheelJob, decode, number_frames, write_frames};
use crate::gpu::wire::WheelRun;
use crate::gpu::{GpuError, SearchForm, Session};
use crate::job::Job;
use crate::query::{WheelFrame, WheelParameters, Wheels};
use crate::scene::Scene;

pub(super) fn measure(
    session: &mut Session,
    scene: &Scene,
    parameters: &WheelParameters,
    runs: &[Vec<WheelFrame>],
    chunk: usize,
    time: Duration,
) -> Result<Stages, GpuError> {
    let runs = &runs[..runs.len().min(chunk)];
    session.lead(scene, |mut job| {
        job.set_parameters(parameters)?;
        let mut most = (job.largest_slice(chunk) / runs.len().max(1)).max(1);
        loop {
            let mut journeys: Vec<Journey<'_>> = runs.iter().map(|frames| Journey::new(frames)).collect();
            job.slice(&mut journeys.iter_mut().collect::<Vec<_>>(), most)?;
            let behind = journeys.iter().filter(|journey| journey.done() < journey.frames.len().min(most));
            // Where the driver limits loops, wheels get only so far in a dispatch; none should be left behind here.
            match behind.map(Journey::done).min() {
                Some(fewest) => most = fewest,
                None => break,
            }
        }
        stages(&mut job, runs, most, time)
    })
}

/// The stages of a slice that one dispatch finishes.
fn stages(job: &mut WheelJob<'_>, runs: &[Vec<WheelFrame>], most: usize, time: Duration) -> Result<Stages, GpuError> {
    let device = job.device;
    let (scene, origin) = (job.scene, job.scene_buffers.wire.origin);
    let mut journeys: Vec<Journey<'_>> = runs.iter().map(|frames| Journey::new(frames)).collect();
    let mut under_way: Vec<&mut Journey<'_>> = journeys.iter_mut().collect();
    let frames = number_frames(&mut under_way, most);
    let states: Vec<WheelRun> = under_way.iter().map(|journey| journey.state()).collect();
    let mut send = |write: &mut dyn FnMut(&Outgoing<'_>) -> Result<(), GpuError>| {
        let resident = job.buffers.send(device, &states, frames, write)?;
        device.wait(resident.sent.clone(), Wheels::NAME).map(|()| resident)
    };
    let mut packing = Stage { runs: 0, total: Duration::ZERO };
    let resident = send(&mut |to| {
        packing = repeat(time, || write_frames(&under_way, frames, origin, to))?;
        Ok(())
    })?;
    // What has been written stays there.
    let uploading = repeat(time, || send(&mut |_| Ok(())).map(|_| ()))?;

    let mut start = Buffer::storage("wheels at their start");
    let start = start.fill(device, &states)?;
    let group = job.kernel.group(device, &job.bindings(&resident));
    let (state_buffer, state_bytes) = &resident.runs;
    let computing = repeat_on_device(device, Wheels::NAME, time, |encoder| {
        // The kernel leaves wheels where they are at their last frame: each run begins at the first.
        encoder.copy_buffer_to_buffer(start, 0, state_buffer, 0, *state_bytes);
        job.kernel.record(encoder, &group, resident.wheels);
    })?;

    let downloading = repeat(time, || job.read_back(&resident, |_| (), |_, _| ()))?;
    let decoding = job.read_back(
        &resident,
        |_| (),
        |states, results| {
            repeat(time, || {
                under_way.iter_mut().for_each(|journey| journey.start_again());
                decode(device, (scene, origin), &mut under_way, states, results)
            })
        },
    )??;
    let [state_bytes, frame_bytes, result_bytes] =
        [&resident.runs, &resident.frames, &resident.results].map(|part| part.1);
    Ok(Stages {
        search: Some(SearchForm::Interpreted),
        items: frames as u64,
        bytes_up: state_bytes + frame_bytes,
        bytes_down: state_bytes + result_bytes,
        bytes_of_kernel: 2 * state_bytes + frame_bytes + result_bytes,
        pack: packing,
        upload: uploading,
        kernel: computing,
        download: downloading,
        decode: decoding,
    })
}
