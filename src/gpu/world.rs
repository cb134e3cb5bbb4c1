//! Jobs `world` and `world_step` on a device: worlds of balls and walls with sweeps, in slices of steps, with states kept on the host
//! in between.
//!
//! A world whose step finds more pairs than the kernel holds goes on from there with a kernel that holds all there can be.

use std::ops::Range;
use std::sync::Arc;

use super::buffer::{Buffer, ItemJob, Outgoing, fault};
use super::kernel::Kernel;
use super::shader::{WORKGROUP, unsigned};
use super::wire::{BallUnit, ENDED, FULL, Row, go_on, set_slice};
use super::{Gpu, GpuError, Session};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{WorldSteps, Worlds};
use crate::world::{
    BallRun, BallsEnd, BodyShape, Contacts, FirstTouch, Law, Resolution, World, WorldOutcome, WorldStart, WorldStep,
    WorldStepped,
};

/// Most worlds at a time on software and on hardware.
const MAX_WORLDS: [usize; 2] = [1 << 10, 1 << 14];
/// Most steps of a dispatch, and rounds of loops that make a fraction of a second of work.
const MAX_SLICE: u32 = 256;
const MAX_SLICE_ROUNDS: u64 = 1 << 18;

/// The source of the kernel.
fn source(unit: &BallUnit<'_>) -> String {
    [&unsigned("WORKGROUP", WORKGROUP), unit.declarations().as_str(), include_str!("../../shaders/ball_world.wgsl")]
        .concat()
}

/// What is no world of balls with sweeps, by the key that says so.
fn without_kernel(world: &World) -> GpuError {
    let shape = world.bodies.iter().find(|body| !matches!(body.shape, BodyShape::Sphere { .. }));
    let what = match (world.law, world.contacts, world.resolution, shape) {
        (Law::Rigid, Contacts::Swept, Resolution::Simultaneous, Some(body)) => {
            format!("the {} of body `{}`", body.shape.kind(), body.name)
        }
        (Law::Rigid, Contacts::Swept, Resolution::Simultaneous, None) => "a world file without `sweeps`".to_owned(),
        (Law::Rigid, Contacts::Swept, Resolution::Sequential, _) => "resolution = \"sequential\"".to_owned(),
        (Law::Rigid, Contacts::EndOfStep, ..) => "contacts = \"end_of_step\"".to_owned(),
        (law, ..) => format!("law = \"{}\"", law.name()),
    };
    GpuError::WorldWithoutKernel { what }
}

/// The kernel for the worlds of a call, with what they share and its memory.
struct BallKernel<'a> {
    unit: BallUnit<'a>,
    kernel: Arc<Kernel>,
    shared: Buffer,
    vectors: Buffer,
    words: Buffer,
    chunk: usize,
    slice: u32,
}

impl<'a> BallKernel<'a> {
    fn new(session: &mut Session, unit: BallUnit<'a>, chunk: usize) -> Result<Self, GpuError> {
        let kernel = session.kernel(Worlds::NAME, source(&unit))?;
        let device = &session.device;
        let rounds = unit.rounds();
        if rounds > u64::from(device.rounds) {
            return Err(device.too_many_rounds(Worlds::NAME));
        }
        let slice = (MAX_SLICE_ROUNDS.min(u64::from(device.rounds)) / rounds).clamp(1, u64::from(MAX_SLICE)) as u32;
        let work = unit.work_bytes();
        let largest = work.map(|bytes| super::buffer::largest_chunk(device, bytes)).into_iter().fold(chunk, usize::min);
        let chunk = largest.clamp(1, MAX_WORLDS[usize::from(!device.is_software)]);
        let [mut shared, mut vectors, mut words] =
            ["what worlds share", "bodies and contacts", "pairs of bodies"].map(Buffer::storage);
        shared.fill(device, &unit.shared())?;
        vectors.with_room(device, (work[0] * chunk) as u64)?;
        words.with_room(device, (work[1] * chunk) as u64)?;
        Ok(Self { unit, kernel, shared, vectors, words, chunk, slice })
    }

    /// States some steps later, as many as stand in them.
    fn run(
        &self,
        session: &mut Session,
        states: &[&[Row]],
        mut take: impl FnMut(usize, &[Row]),
    ) -> Result<(), GpuError> {
        let job = ItemJob {
            name: Worlds::NAME,
            kernel: &self.kernel,
            shared: [&self.shared, &self.vectors, &self.words].into_iter().filter_map(Buffer::binding).collect(),
        };
        let rows = self.unit.state_rows();
        let size = rows * size_of::<Row>();
        let pack = |range: Range<usize>, to: &Outgoing<'_>| to.write(&states[range].concat());
        let take = |range: Range<usize>, answers: &[Row]| {
            range.zip(answers.chunks_exact(rows)).for_each(|(number, answer)| take(number, answer));
        };
        session.slots.run_sized(&session.device, &job, (states.len(), [size; 2]), self.chunk, pack, take)
    }
}

/// A world on its way.
struct Run<'a> {
    item: usize,
    run: BallRun<'a>,
    state: Vec<Row>,
    /// Steps so far.
    steps: u32,
}

/// Runs worlds until they are over or the kernel does not hold their pairs; these are left.
fn run_all<'w>(
    session: &mut Session,
    kernel: &BallKernel<'_>,
    slice: Option<u32>,
    (world, starts): (&World, &[WorldStart]),
    mut runs: Vec<Run<'w>>,
    outcomes: &mut [WorldOutcome],
) -> Result<Vec<Run<'w>>, GpuError> {
    let unit = &kernel.unit;
    let most = slice.unwrap_or(kernel.slice).clamp(1, kernel.slice);
    let mut full = Vec::new();
    while !runs.is_empty() {
        for run in &mut runs {
            set_slice(&mut run.state, most.min(world.steps - run.steps));
        }
        let mut states = Vec::with_capacity(runs.len());
        let before: Vec<&[Row]> = runs.iter().map(|run| run.state.as_slice()).collect();
        kernel.run(session, &before, |_, state| states.push(state.to_vec()))?;
        let mut left = Vec::new();
        for (mut run, state) in runs.into_iter().zip(states) {
            let seen =
                unit.seen(&state).ok_or_else(|| fault(&session.device, Worlds::NAME, &"a world got no answer"))?;
            (run.state, run.steps) = (state, seen.steps());
            if seen.over() == FULL {
                full.push(run);
            } else if seen.is_lost {
                // Numbers that have left the range stay so for the outcome of an invalid world.
            } else if seen.over() == ENDED || run.steps >= world.steps {
                let item = run.item;
                outcomes[item] = outcome(unit, world, &starts[item], run);
            } else {
                left.push(run);
            }
        }
        runs = left;
    }
    Ok(full)
}

/// The outcome of a world that is over.
fn outcome(unit: &BallUnit<'_>, world: &World, start: &WorldStart, run: Run<'_>) -> WorldOutcome {
    let Run { mut run, state, steps, .. } = run;
    let Some(seen) = unit.seen(&state) else { return WorldOutcome::invalid(world.bodies.len()) };
    let record = &mut run.record;
    (record.contacts, record.unsolved) = (seen.contacts(), seen.unsolved());
    (record.penetration, record.at_rest) = (unit.depth(&seen), seen.slow_since());
    record.first_touch = unit.first_touch(&seen).map(|(step, share, partner, body)| FirstTouch {
        time: ((step - 1) as f64 + share) * world.step,
        partner,
        body,
    });
    let balls = unit.motions(start, &state).into_iter().zip(unit.present(&seen));
    run.ended(
        u64::from(steps),
        balls.map(|((motion, impulse), is_present)| BallsEnd {
            position: motion.position,
            velocity: motion.velocity,
            spin: motion.spin,
            is_present,
            impulse,
        }),
    )
}

impl Computes<Worlds> for Gpu {
    fn answers(&self, world: &World, starts: &[WorldStart]) -> Result<Vec<WorldOutcome>, EngineError> {
        let units = [false, true].map(|holds_all| BallUnit::new(world, holds_all));
        let [Some(unit), Some(_)] = &units else { return Err(without_kernel(world).into()) };
        self.run(starts.len(), |session, chunk| {
            let mut outcomes = vec![WorldOutcome::invalid(world.bodies.len()); starts.len()];
            let begin = |(item, start): (usize, &WorldStart)| {
                let run = BallRun::new(world, start)?;
                let state = unit.state(&WorldStep::of(start), Some(&run))?;
                Some(Run { item, run, state, steps: 0 })
            };
            let mut runs: Vec<Run<'_>> = starts.iter().enumerate().filter_map(begin).collect();
            for holds_all in [false, true] {
                if runs.is_empty() {
                    break;
                }
                let Some(unit) = BallUnit::new(world, holds_all) else { break };
                let kernel = BallKernel::new(session, unit, chunk)?;
                if holds_all && let [Some(before), _] = &units {
                    for run in &mut runs {
                        run.state = kernel.unit.state_of(before, &run.state);
                        go_on(&mut run.state);
                    }
                }
                runs = run_all(session, &kernel, self.options.slice, (world, starts), runs, &mut outcomes)?;
            }
            Ok(outcomes)
        })
    }
}

impl Computes<WorldSteps> for Gpu {
    fn answers(&self, world: &World, steps: &[WorldStep]) -> Result<Vec<WorldStepped>, EngineError> {
        let Some(_) = BallUnit::new(world, true) else { return Err(without_kernel(world).into()) };
        self.run(steps.len(), |session, chunk| {
            let mut answers = vec![WorldStepped::invalid(); steps.len()];
            let mut open: Vec<usize> = (0..steps.len()).filter(|&item| steps[item].is_valid(world)).collect();
            for holds_all in [false, true] {
                let Some(unit) = BallUnit::new(world, holds_all) else { break };
                if open.is_empty() {
                    break;
                }
                let kernel = BallKernel::new(session, unit, chunk)?;
                let state = |item: &usize| {
                    let mut state = kernel.unit.state(&steps[*item], None)?;
                    set_slice(&mut state, 1);
                    Some((*item, state))
                };
                let states: Vec<(usize, Vec<Row>)> = open.iter().filter_map(state).collect();
                // Those with more contacts than this kernel holds.
                let mut left: Vec<usize> =
                    open.iter().copied().filter(|item| kernel.unit.state(&steps[*item], None).is_none()).collect();
                let before: Vec<&[Row]> = states.iter().map(|(_, state)| state.as_slice()).collect();
                let mut unanswered = None;
                kernel.run(session, &before, |number, state| {
                    let item = states[number].0;
                    let is_full = kernel.unit.seen(state).is_some_and(|seen| seen.over() == FULL);
                    match kernel.unit.stepped(&steps[item], state) {
                        _ if is_full => left.push(item),
                        Some(stepped) => answers[item] = stepped,
                        None => unanswered = Some(item),
                    }
                })?;
                if let Some(item) = unanswered {
                    return Err(fault(&session.device, WorldSteps::NAME, &format!("item {item} got no answer")));
                }
                open = left;
            }
            Ok(answers)
        })
    }
}

#[cfg(test)]
mod tests;
