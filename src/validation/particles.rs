//! Check `particles`: outcomes of particles above a plane, judged within bounds propagated along the judge's rows.
//!
//! Two things are judged for every item. Its rows, each against the judge's step from the candidate's own row: errors
//! do not grow there, and nothing is ambiguous. And its outcome, against the judge's, within errors that grow from step
//! to step (`particles/bound.rs`); a contact decided by a gap within its error of 0 may be counted differently. With
//! exact restitution, such a touch reverses the particle a step sooner or later, and its outcome is undetermined.
//!
//! # Conventions
//! As in [`crate::query::Particle`].

mod bound;
mod draw;

use self::bound::{Off, ParticleBound, State, StepBound};
use super::deviation::{self, Deviation};
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::error::one_each;
use super::item;
use super::{Agreement, Engines, UNEQUAL, ValidationError, equal};
use crate::engine::Engine;
use crate::job::Compute;
use crate::parallel;
use crate::query::{Particle, ParticleOutcome, ParticleStep, ParticleTraces, Particles, Restitution};

/// Items that one thread draws or judges at a time.
const ITEMS_PER_TASK: usize = 256;

/// What engines are asked about particles. Errors grow by some ten or twenty times from bounce to bounce, since a later
/// contact gives back less (docs/theory/complementarity.md, 4), so runs that bounce are short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Falls of metres with restitutions between 0 and 1.
    Ordinary,
    /// Gamma 1 or nearly, for up to 200 steps: most come to rest.
    Resting,
    /// Gamma 1/2.
    Elastic,
    /// Gamma below 1/2, for a few steps: each bounce is higher than the one before.
    Lively,
    /// A step ends at the plane but for rounding, or a little.
    Grazing,
    /// Tiny and huge numbers.
    Sizes,
    /// Exact restitution, of every kind.
    Exact,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] =
        &[Self::Ordinary, Self::Resting, Self::Elastic, Self::Lively, Self::Grazing, Self::Sizes, Self::Exact];

    fn name(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary",
            Self::Resting => "resting",
            Self::Elastic => "elastic",
            Self::Lively => "lively",
            Self::Grazing => "grazing",
            Self::Sizes => "sizes",
            Self::Exact => "exact",
        }
    }
}

impl Class {
    /// The restitution of its particles.
    #[must_use]
    pub fn restitution(self) -> Restitution {
        if self == Self::Exact { Restitution::Exact } else { Restitution::Nominal }
    }
}

/// A particle with both answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// The question.
    pub particle: Particle,
    /// How contacts give back.
    pub restitution: Restitution,
    /// The judge's answer.
    pub truth: ParticleOutcome,
    /// The candidate's.
    pub answer: ParticleOutcome,
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallingParticles;

impl DrawnCheck for FallingParticles {
    const NAME: &'static str = "particles";
    const HELP: &'static str = "Particles that bounce on a plane, and every step of theirs";
    const ITEM: &'static str = "particle";
    const TOUCHING: &'static str = "made to touch the plane";
    // Enough to keep a device busy, few enough for the memory of their rows.
    const BATCH: u64 = 1 << 14;
    type Class = Class;
    type Answers = Answers;

    fn judge(engines: Engines<'_>, items: &[DrawnItem<Self>]) -> Result<Vec<Comparison<Answers>>, ValidationError> {
        let Engines { judge, candidate } = engines;
        let drawn: Vec<draw::Drawn> = parallel::map(items, ITEMS_PER_TASK, draw::drawn);
        let particles: Vec<Particle> = drawn.iter().map(|drawn| drawn.particle).collect();
        // All items of a call are of one class.
        let restitution = items.first().map_or(Restitution::Nominal, |item| item.class.restitution());
        let truths = Told::of(judge, restitution, &particles)?;
        let answers = Told::of(candidate, restitution, &particles)?;
        let promises_equality = candidate.promises_equality();
        let compare = |index: usize| {
            let (particle, truth, answer) = (particles[index], truths.outcomes[index], answers.outcomes[index]);
            let (truth_rows, rows) = (&truths.rows[index], &answers.rows[index]);
            let judged = if equal(&truth, &answer) && equal(truth_rows, rows) {
                (Agreement::Match, "the same numbers", None)
            } else if promises_equality {
                (Agreement::Wrong, UNEQUAL, None)
            } else {
                judged(&ParticleBound::new(&particle, restitution), (truth_rows, &truth), (rows, &answer))
            };
            let answers = Answers { particle, restitution, truth, answer };
            Comparison { answers, made_to_touch: drawn[index].made_to_touch, judged }
        };
        Ok(parallel::map_numbers(items.len(), ITEMS_PER_TASK, compare))
    }

    fn lines(answers: &Answers) -> String {
        let Answers { particle, restitution, truth, answer } = answers;
        let kind = restitution.name();
        format!(
            "  particle      {particle:?}, {kind} restitution\n  judge         {truth:?}\n  engine        {answer:?}\n"
        )
    }
}

/// What an engine says of particles.
struct Told {
    outcomes: Vec<ParticleOutcome>,
    rows: Vec<Vec<ParticleStep>>,
}

impl Told {
    fn of(engine: &dyn Engine, restitution: Restitution, particles: &[Particle]) -> Result<Self, ValidationError> {
        Ok(Self {
            outcomes: one_each(engine.compute::<Particles>(restitution, particles)?, particles.len())?,
            rows: one_each(engine.compute::<ParticleTraces>(restitution, particles)?, particles.len())?,
        })
    }
}

/// Rows and outcome of an engine.
type Rows<'a> = (&'a [ParticleStep], &'a ParticleOutcome);

fn judged(bound: &ParticleBound, (truth_rows, truth): Rows<'_>, (rows, answer): Rows<'_>) -> Judged {
    let mut deviations = Vec::new();
    if let Err(what) = judge_rows(bound, rows, &mut deviations) {
        return (Agreement::Wrong, what, None);
    }
    let known = Known::of(bound, truth_rows);
    let decided = known.judge(bound, truth, answer, &mut deviations);
    match (deviation::judged(deviation::worst(deviations)), decided) {
        (wrong @ (Agreement::Wrong, ..), _) => wrong,
        ((_, _, worst), Decided::Impossible(what)) => (Agreement::Wrong, what, worst),
        ((_, _, worst), Decided::Otherwise(what)) => (Agreement::Ambiguous, what, worst),
        (judged, Decided::Alike) => judged,
    }
}

/// Judges every row by the judge's step from the row before it; an error names what may not be at all.
fn judge_rows(
    bound: &ParticleBound,
    rows: &[ParticleStep],
    deviations: &mut Vec<Deviation>,
) -> Result<(), &'static str> {
    if rows.len() != bound.particle.steps as usize {
        return Err("the number of rows");
    }
    let (mut expected, mut off) = (bound.start(), bound.narrowed());
    let mut worst = [Deviation::new("a row's height", 0.0, 1.0); 4];
    for row in rows {
        let state = bound.state(row);
        let step = bound.step(state, Off::default());
        let in_contact = row.gap < 0.0;
        if state.height < 0.0 || row.force < 0.0 || (!in_contact && row.force != 0.0) {
            return Err("a height or a force below 0, or a force without contact");
        }
        let mut judge = |index: usize, what, found: f64, expected: f64, allowed| {
            let deviation = Deviation::new(what, (found - expected).abs(), allowed);
            worst[index] = *pick([&worst[index], &deviation]);
        };
        judge(0, "a row's height", state.height, expected.height, off.height);
        judge(1, "a row's speed", state.way, expected.way, off.way);
        judge(2, "a row's gap", row.gap, step.gap, step.gap_error);
        if in_contact {
            judge(3, "a row's force", bound.push(row.force), step.push, step.push_error);
            expected = State { height: 0.0, way: step.contact };
            off = Off { way: step.contact_error, ..Off::default() };
        } else {
            // The height is the very gap.
            expected = State { height: row.gap, way: step.flight };
            off = Off { way: step.flight_error, ..Off::default() };
        }
    }
    deviations.extend(worst);
    Ok(())
}

/// The one with the larger share of its bound.
fn pick([a, b]: [&Deviation; 2]) -> &Deviation {
    if b.is_worse_than(a) { b } else { a }
}

/// Whether contacts were counted as the judge counts them.
enum Decided {
    Alike,
    /// As a touch decides that is within rounding.
    Otherwise(&'static str),
    Impossible(&'static str),
}

/// What is known of a device's run, from the judge's rows.
#[derive(Debug)]
struct Known {
    /// Steps that are surely contacts, and steps that may be.
    sure: u32,
    unclear: u32,
    /// The first step that may be a contact, and the first that surely is.
    first_possible: Option<u32>,
    first_sure: Option<u32>,
    /// How far heights, and pushes, may be off at most.
    height: f64,
    push: f64,
    /// How far the state at the end may be off; `None` where nothing is known of it.
    end: Option<Off>,
}

impl Known {
    fn of(bound: &ParticleBound, rows: &[ParticleStep]) -> Self {
        let mut off = bound.narrowed();
        let mut known =
            Self { sure: 0, unclear: 0, first_possible: None, first_sure: None, height: 0.0, push: 0.0, end: None };
        for (number, row) in (0..).zip(rows) {
            let step = bound.step(bound.state(row), off);
            known.count(number, &step);
            match bound.after(&step) {
                Some(after) => off = after,
                None => return known,
            }
            known.height = known.height.max(off.height);
        }
        Self { end: Some(off), ..known }
    }

    fn count(&mut self, number: u32, step: &StepBound) {
        let is_clear = step.is_clear();
        if is_clear && step.gap < 0.0 {
            self.sure += 1;
            self.first_sure = self.first_sure.or(Some(number));
        }
        self.unclear += u32::from(!is_clear);
        if step.gap < 0.0 || !is_clear {
            self.first_possible = self.first_possible.or(Some(number));
            self.push = self.push.max(step.push_error);
        }
    }

    fn judge(
        &self,
        bound: &ParticleBound,
        truth: &ParticleOutcome,
        answer: &ParticleOutcome,
        deviations: &mut Vec<Deviation>,
    ) -> Decided {
        let Some(end) = self.end else { return Decided::Otherwise("a touch that turns the particle") };
        let (step, particle) = (bound.particle.step, &bound.particle);
        let mut judge = |what, found: f64, expected: f64, allowed| {
            deviations.push(Deviation::new(what, (found - expected).abs(), allowed));
        };
        judge("the height", answer.position, truth.position, end.height);
        let way = step * truth.velocity;
        judge("the speed", step * answer.velocity, way, end.way);
        judge("the greatest force", bound.push(answer.peak_force), bound.push(truth.peak_force), self.push);
        if let (Some(found), Some(expected)) = (answer.energy_ratio, truth.energy_ratio) {
            // Energies are computed on the host: only their states are off.
            let start = particle.energy(particle.position, particle.velocity);
            let speed = end.way / step;
            let error = particle.gravity * end.height + speed * (truth.velocity.abs() + 0.5 * speed);
            judge("the energy", found, expected, error / start + 8.0 * f64::EPSILON * expected);
        }
        let same_first = answer.first_contact_step == truth.first_contact_step;
        if let (true, Some(found), Some(expected)) = (same_first, answer.rebound_height, truth.rebound_height) {
            judge("the rebound", found, expected, self.height);
        }
        self.decided(truth, answer)
    }

    fn decided(&self, truth: &ParticleOutcome, answer: &ParticleOutcome) -> Decided {
        let facts = |outcome: &ParticleOutcome| {
            let ParticleOutcome { class, contact_steps, bounces, first_contact_step, .. } = *outcome;
            let present = [outcome.rebound_height, outcome.energy_ratio].map(|number| number.is_some());
            (class, contact_steps, bounces, first_contact_step, present)
        };
        if facts(truth) == facts(answer) {
            return Decided::Alike;
        }
        let first = answer.first_contact_step;
        let may_be_first = match (first, self.first_sure) {
            (None, sure) => sure.is_none(),
            (Some(first), sure) => {
                self.first_possible.is_some_and(|possible| possible <= first) && sure.is_none_or(|sure| first <= sure)
            }
        };
        let counts = self.sure..=self.sure + self.unclear;
        if self.unclear == 0 || !counts.contains(&answer.contact_steps) || !may_be_first {
            return Decided::Impossible("contacts");
        }
        if answer.bounces.abs_diff(truth.bounces) > self.unclear {
            return Decided::Impossible("bounces");
        }
        Decided::Otherwise("a touch")
    }
}

#[cfg(test)]
mod tests;
