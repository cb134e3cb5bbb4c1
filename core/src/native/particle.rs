//! Job `particle`: particles above a plane, eight at a time (docs/theory/complementarity.md).
//!
//! # Conventions
//! As in [`crate::query::Particle`]. The formulas are those of the reference, operation by operation, with selection in
//! place of branches. A lane whose particle has finished is idle until its neighbours have finished too.

use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{Particle, ParticleOutcome, ParticleRecord, ParticleStep, ParticleTraces, Particles, Restitution};
use crate::simd::{F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Particles that one thread takes at a time: enough that sharing them out costs nothing.
const PARTICLES_PER_TASK: usize = 1024;

/// Stands in the lane of what is not valid, or not there.
const ANY: Particle =
    Particle { position: 0.0, velocity: 0.0, step: 1.0, mass: 1.0, gravity: 0.0, gamma: 1.0, steps: 0 };

impl Computes<Particles> for Native {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<ParticleOutcome>, EngineError> {
        let task = |items: &[Particle], outcomes: &mut [ParticleOutcome]| {
            in_registers(Outcomes { restitution, items, outcomes });
        };
        Ok(self.pool.install(|| by_tasks(PARTICLES_PER_TASK, items, ParticleOutcome::invalid(), task)))
    }
}

impl Computes<ParticleTraces> for Native {
    fn answers(&self, restitution: Restitution, items: &[Particle]) -> Result<Vec<Vec<ParticleStep>>, EngineError> {
        let task = |items: &[Particle], traces: &mut [Vec<ParticleStep>]| {
            in_registers(Traces { restitution, items, traces });
        };
        Ok(self.pool.install(|| by_tasks(LANES, items, Vec::new(), task)))
    }
}

/// Particles of one task, and a place for each outcome.
struct Outcomes<'a> {
    restitution: Restitution,
    items: &'a [Particle],
    outcomes: &'a mut [ParticleOutcome],
}

impl InRegisters for Outcomes<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (items, outcomes) in self.items.chunks(LANES).zip(self.outcomes.chunks_mut(LANES)) {
            let eight = Columns::new(items);
            let record = match self.restitution {
                Restitution::Nominal => at_full_width(simd, Record::<S, false> { simd, eight: &eight }),
                Restitution::Exact => at_full_width(simd, Record::<S, true> { simd, eight: &eight }),
            };
            for (lane, outcome) in outcomes.iter_mut().enumerate().filter(|&(lane, _)| items[lane].is_valid()) {
                *outcome = ParticleOutcome::new(&items[lane], &record[lane]);
            }
        }
    }
}

/// Eight particles, and a place for the rows of each.
struct Traces<'a> {
    restitution: Restitution,
    items: &'a [Particle],
    traces: &'a mut [Vec<ParticleStep>],
}

impl InRegisters for Traces<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        let eight = Columns::new(self.items);
        let traces = match self.restitution {
            Restitution::Nominal => at_full_width(simd, Rows::<S, false> { simd, eight: &eight }),
            Restitution::Exact => at_full_width(simd, Rows::<S, true> { simd, eight: &eight }),
        };
        for (trace, own) in self.traces.iter_mut().zip(traces) {
            *trace = own;
        }
    }
}

/// Eight particles: a row of lanes for each number.
struct Columns {
    position: [f64; LANES],
    velocity: [f64; LANES],
    step: [f64; LANES],
    mass: [f64; LANES],
    gravity: [f64; LANES],
    gamma: [f64; LANES],
    /// Whole numbers; 0 in lanes without a valid particle.
    steps: [f64; LANES],
    most_steps: u32,
}

impl Columns {
    fn new(items: &[Particle]) -> Self {
        let lanes: [Particle; LANES] =
            std::array::from_fn(|lane| items.get(lane).filter(|item| item.is_valid()).copied().unwrap_or(ANY));
        Self {
            position: lanes.map(|item| item.position),
            velocity: lanes.map(|item| item.velocity),
            step: lanes.map(|item| item.step),
            mass: lanes.map(|item| item.mass),
            gravity: lanes.map(|item| item.gravity),
            gamma: lanes.map(|item| item.gamma),
            steps: lanes.map(|item| f64::from(item.steps)),
            most_steps: lanes.iter().map(|item| item.steps).max().unwrap_or(0),
        }
    }
}

/// Eight particles on their way, with what does not change from step to step.
struct Stepper<S: Simd, const EXACT: bool> {
    position: F64x8<S>,
    velocity: F64x8<S>,
    step: F64x8<S>,
    mass: F64x8<S>,
    gravity: F64x8<S>,
    restitution: F64x8<S>,
    /// What gravity takes off the gap, and off the speed.
    drop: F64x8<S>,
    fall: F64x8<S>,
    /// Speed per height, and force per depth, of a nominal contact.
    rate: F64x8<S>,
    stiffness: F64x8<S>,
    twice_gravity: F64x8<S>,
}

/// A step of eight particles, as it is at its start.
struct Step<S: Simd> {
    gap: F64x8<S>,
    in_contact: Mask8<S>,
    force: F64x8<S>,
}

impl<S: Simd, const EXACT: bool> Stepper<S, EXACT> {
    #[inline(always)]
    fn new(simd: S, eight: &Columns) -> Self {
        let of = |numbers| F64x8::from_array(simd, numbers);
        let (step, mass, gravity) = (of(eight.step), of(eight.mass), of(eight.gravity));
        let (gamma, one) = (of(eight.gamma), F64x8::splat(simd, 1.0));
        let share = if EXACT { gamma.like(0.5) } else { gamma };
        Self {
            position: of(eight.position),
            velocity: of(eight.velocity),
            step,
            mass,
            gravity,
            restitution: one / gamma - one,
            drop: share * (step * step * gravity),
            fall: step * gravity,
            rate: one / (gamma * step),
            stiffness: mass / (step * step * gamma),
            twice_gravity: 2.0 * gravity,
        }
    }

    /// Does one step of those that are under way.
    #[inline(always)]
    fn step(&mut self, under_way: Mask8<S>) -> Step<S> {
        let (x, v) = (self.position, self.velocity);
        let zero = x.like(0.0);
        let gap = x + self.step * v - self.drop;
        let in_contact = gap.lt(zero);
        let (after, force) = if EXACT {
            let after = self.restitution * (v * v + self.twice_gravity * x).sqrt();
            (after, self.mass * ((after - v) / self.step + self.gravity))
        } else {
            (zero - (self.restitution * v + self.rate * x), self.stiffness * -gap)
        };
        self.position = under_way.select(in_contact.select(zero, gap), x);
        self.velocity = under_way.select(in_contact.select(after, v - self.fall), v);
        Step { gap, in_contact, force: in_contact.select(force, zero) }
    }
}

/// What eight particles come to.
struct Record<'a, S: Simd, const EXACT: bool> {
    simd: S,
    eight: &'a Columns,
}

impl<S: Simd, const EXACT: bool> Vectorized for Record<'_, S, EXACT> {
    type Output = [ParticleRecord; LANES];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { simd, eight } = self;
        let mut stepper = Stepper::<S, EXACT>::new(simd, eight);
        let (zero, one, steps) = (F64x8::zero(simd), F64x8::splat(simd, 1.0), F64x8::from_array(simd, eight.steps));
        let (mut contact_steps, mut bounces, mut first) = (zero, zero, zero);
        let (mut peak_force, mut rebound_height) = (zero, zero);
        let (mut last, mut before_last) = (Mask8::none(simd), Mask8::none(simd));
        let mut number = zero;
        for _ in 0..eight.most_steps {
            let under_way = number.lt(steps);
            let Step { in_contact, force, .. } = stepper.step(under_way);
            let in_contact = in_contact & under_way;
            before_last = under_way.choose(last, before_last);
            last = under_way.choose(in_contact, last);
            first = (in_contact & contact_steps.eq(zero)).select(number, first);
            contact_steps = in_contact.select(contact_steps + one, contact_steps);
            bounces = (in_contact & !before_last).select(bounces + one, bounces);
            peak_force = in_contact.select(force.max(peak_force), peak_force);
            // A lane that stands still holds a height that it has reached.
            rebound_height = contact_steps.gt(zero).select(stepper.position.max(rebound_height), rebound_height);
            number = number + one;
        }
        let (position, velocity) = (stepper.position.to_array(), stepper.velocity.to_array());
        let [contact_steps, bounces, first] = [contact_steps, bounces, first].map(F64x8::to_array);
        let (peak_force, rebound_height) = (peak_force.to_array(), rebound_height.to_array());
        let rests = (last & before_last).to_array();
        std::array::from_fn(|lane| ParticleRecord {
            position: position[lane],
            velocity: velocity[lane],
            contact_steps: contact_steps[lane] as u32,
            bounces: bounces[lane] as u32,
            peak_force: peak_force[lane],
            first_contact_step: first[lane] as u32,
            rebound_height: rebound_height[lane],
            rests: rests[lane],
        })
    }
}

/// All rows of eight particles.
struct Rows<'a, S: Simd, const EXACT: bool> {
    simd: S,
    eight: &'a Columns,
}

impl<S: Simd, const EXACT: bool> Vectorized for Rows<'_, S, EXACT> {
    type Output = [Vec<ParticleStep>; LANES];
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { simd, eight } = self;
        let mut stepper = Stepper::<S, EXACT>::new(simd, eight);
        let steps = F64x8::from_array(simd, eight.steps);
        let mut number = F64x8::zero(simd);
        let mut traces = eight.steps.map(|steps| Vec::with_capacity(steps as usize));
        for _ in 0..eight.most_steps {
            let (position, velocity) = (stepper.position.to_array(), stepper.velocity.to_array());
            let under_way = number.lt(steps);
            let Step { gap, force, .. } = stepper.step(under_way);
            let (gap, force, under_way) = (gap.to_array(), force.to_array(), under_way.to_array());
            for lane in (0..LANES).filter(|&lane| under_way[lane]) {
                let (position, velocity, gap, force) = (position[lane], velocity[lane], gap[lane], force[lane]);
                traces[lane].push(ParticleStep { position, velocity, gap, force });
            }
            number = number + 1.0;
        }
        traces
    }
}
