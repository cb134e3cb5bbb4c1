//! Job `particle` on a device: slices of steps, the states kept on the host between them.
//!
//! A dispatch does so many steps of each particle as no driver stops in silence or takes for a hang; those that have more
//! to do go on in the next one, from the state that the last one wrote.
//!
//! # Conventions
//! As in [`crate::query::Particle`].

use bytemuck::Pod;

use super::buffer::ItemJob;
use super::items::Codec;
use super::wire::{PARTICLE_ROWS, ParticleRows, ParticleState, ParticleUnit, ParticleWire};
use super::{GpuError, Session, shader};
use crate::query::{Particle, ParticleOutcome, ParticleStep, Restitution};

const NAME: &str = "particle";
const TRACE: &str = "rows of particles";
/// Most steps of a dispatch: work for well under a second of any GPU at the largest chunk.
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

/// What particles come to.
pub(super) fn outcomes(
    session: &mut Session,
    restitution: Restitution,
    items: &[Particle],
    chunk: usize,
) -> Result<Vec<ParticleOutcome>, GpuError> {
    let slice = session.device.rounds.min(MAX_SLICE);
    let source = shader::particle_source(restitution, slice);
    let decode = |run: &Run, state: &ParticleState| run.wire.accept(state, slice);
    let mut outcomes = vec![ParticleOutcome::invalid(); items.len()];
    slices(session, (NAME, source), runs(restitution, items), chunk, decode, |run, state| {
        if state.done == run.wire.steps {
            let particle = &items[run.item];
            outcomes[run.item] = ParticleOutcome::new(particle, &ParticleUnit::new(particle).record(&state));
        }
        state
    })?;
    Ok(outcomes)
}

/// All rows of particles.
pub(super) fn traces(
    session: &mut Session,
    restitution: Restitution,
    items: &[Particle],
    chunk: usize,
) -> Result<Vec<Vec<ParticleStep>>, GpuError> {
    let source = shader::particle_trace_source(restitution, PARTICLE_ROWS as u32);
    let decode = |run: &Run, answer: &ParticleRows| {
        let state = run.wire.accept(&answer.state, PARTICLE_ROWS as u32)?;
        let unit = ParticleUnit::new(&items[run.item]);
        let written = &answer.rows[..(state.done - run.wire.state.done) as usize];
        let rows = written.iter().map(|row| unit.row(*row)).collect::<Option<Vec<ParticleStep>>>()?;
        Some((state, rows))
    };
    let mut traces = vec![Vec::new(); items.len()];
    slices(session, (TRACE, source), runs(restitution, items), chunk, decode, |run, (state, rows)| {
        traces[run.item].extend(rows);
        state
    })?;
    Ok(traces)
}

/// Runs a kernel over particles until all have done their steps; `take` gets what each slice comes to, and gives the state
/// to go on from.
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
