//! Job `particle` on a device: slices of steps, with states kept on the host in between.
//!
//! A dispatch makes a number of steps that no driver cuts short or takes for a hang; particles with more steps continue
//! in the next one, from the state written by the last.
//!
//! # Conventions
//! As in [`crate::query::Particle`].

use bytemuck::Pod;

use super::buffer::ItemJob;
use super::items::Codec;
use super::shader::{WORKGROUP, unsigned};
use super::wire::{PARTICLE_ROWS, ParticleRows, ParticleState, ParticleUnit, ParticleWire, particle_structures};
use super::{Gpu, GpuError, Session};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{Particle, ParticleOutcome, ParticleStep, ParticleTraces, Particles, Restitution};

/// Maximum number of steps of a dispatch: well under a second of work on any GPU at the largest chunk.
const MAX_SLICE: u32 = 4096;

/// A particle with steps to do.
struct Run {
    /// Which it is.
    item: usize,
    wire: ParticleWire,
}

/// The valid ones at their starts.
fn runs(restitution: Restitution, items: &[Particle]) -> Vec<Run> {
    let valid = items.iter().enumerate().filter(|(_, item)| item.is_valid());
    valid.map(|(item, particle)| Run { item, wire: ParticleWire::new(particle, restitution) }).collect()
}

/// Source common to the kernels, for this many steps per dispatch.
fn library(restitution: Restitution, slice: u32) -> String {
    let is_exact = restitution == Restitution::Exact;
    let rules = format!("const EXACT_RESTITUTION: bool = {is_exact};\n");
    [
        &unsigned("WORKGROUP", WORKGROUP),
        &rules,
        &unsigned("PARTICLE_SLICE", slice),
        &particle_structures(),
        include_str!("../../shaders/particle.wgsl"),
    ]
    .concat()
}

/// The kernel of outcomes.
pub(super) fn source(restitution: Restitution, slice: u32) -> String {
    library(restitution, slice) + include_str!("../../shaders/particle_outcome.wgsl")
}

/// The kernel of rows.
pub(super) fn trace_source(restitution: Restitution) -> String {
    library(restitution, PARTICLE_ROWS as u32) + include_str!("../../shaders/particle_trace.wgsl")
}

impl Computes<Particles> for Gpu {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<ParticleOutcome>, EngineError> {
        self.run(items.len(), |session, chunk| {
            let slice = session.device.rounds.min(MAX_SLICE);
            let decode = |run: &Run, state: &ParticleState| run.wire.accept(state, slice);
            let mut outcomes = vec![ParticleOutcome::invalid(); items.len()];
            let kernel = (Particles::NAME, source(restitution, slice));
            slices(session, kernel, runs(restitution, items), chunk, decode, |run, state| {
                if state.done == run.wire.steps {
                    let particle = &items[run.item];
                    outcomes[run.item] = ParticleOutcome::new(particle, &ParticleUnit::new(particle).record(&state));
                }
                state
            })?;
            Ok(outcomes)
        })
    }
}

impl Computes<ParticleTraces> for Gpu {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<Vec<ParticleStep>>, EngineError> {
        self.run(items.len(), |session, chunk| {
            let decode = |run: &Run, answer: &ParticleRows| {
                let state = run.wire.accept(&answer.state, PARTICLE_ROWS as u32)?;
                let unit = ParticleUnit::new(&items[run.item]);
                let written = &answer.rows[..(state.done - run.wire.state.done) as usize];
                let rows = written.iter().map(|row| unit.row(*row)).collect::<Option<Vec<ParticleStep>>>()?;
                Some((state, rows))
            };
            let mut traces = vec![Vec::new(); items.len()];
            let kernel = (ParticleTraces::NAME, trace_source(restitution));
            slices(session, kernel, runs(restitution, items), chunk, decode, |run, (state, rows)| {
                traces[run.item].extend(rows);
                state
            })?;
            Ok(traces)
        })
    }
}

/// Runs a kernel over particles until all have finished; `take` receives the results of each slice and returns the next
/// state.
fn slices<O: Pod + Sync, R: Send>(
    session: &mut Session,
    (name, source): (&'static str, String),
    mut runs: Vec<Run>,
    chunk: usize,
    decode: impl Fn(&Run, &O) -> Option<R> + Sync,
    mut take: impl FnMut(&Run, R) -> ParticleState,
) -> Result<(), GpuError> {
    let kernel = session.kernel(name, source)?;
    let codec = Codec { pack: |run: &Run| run.wire, decode };
    while !runs.is_empty() {
        let job = ItemJob { name, kernel: &kernel, shared: Vec::new() };
        let answers = codec.run(&session.device, &mut session.slots, &job, &runs, chunk)?;
        for (run, answer) in runs.iter_mut().zip(answers) {
            run.wire.state = take(run, answer);
        }
        runs.retain(|run| run.wire.state.done < run.wire.steps);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
