//! Model `particle`: a particle that falls on a plane and bounces (docs/theory/complementarity.md).
//!
//! # Conventions
//! As in [`crate::query::Particle`]: positions and velocities upwards from the plane.

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use super::{
    Class, Files, Input, Inputs, Model, ModelKind, Nouns, Outcome, PictureError, Quantity, Shown, TRIALS_PER_TASK,
    Total, Watcher,
};
use crate::document::{DocumentError, Table, Unit};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::picture::{Size, track};
use crate::query::{
    MAX_PARTICLE_NUMBER, MAX_PARTICLE_STEPS, MIN_GAMMA, MIN_PARTICLE_STEP, Particle, ParticleClass, ParticleOutcome,
    ParticleStep, ParticleTraces, Particles, Restitution,
};
use crate::table::{Column, ColumnKind};

/// Default number of steps.
const DEFAULT_STEPS: u32 = 100;
/// Particles per call.
const BATCH: RangeInclusive<usize> = 1 << 16..=1 << 18;

/// The inputs, with the nominal values of the standard example (docs/theory/complementarity.md).
const INPUTS: [(Input, f64); 6] = [
    (input("position", Unit::Length, "Height above the plane at the start; not negative."), 1.0),
    (input("velocity", Unit::Speed, "Speed at the start, upwards."), -1.0),
    (input("step", Unit::Time, "Length of a step."), 0.1),
    (input("mass", Unit::Mass, "Mass of the particle."), 1.0),
    (input("gravity", Unit::Acceleration, "Gravity, positive downwards; not negative."), 9.8),
    (
        input(
            "gamma",
            Unit::One,
            "Share of the speed after a step in its displacement, above 0 and at most 1: 1 / (1 + e).",
        ),
        0.5,
    ),
];

/// Their ranges, as in [`Particle::is_valid`].
const RANGES: [RangeInclusive<f64>; 6] = [
    0.0..=MAX_PARTICLE_NUMBER,
    -MAX_PARTICLE_NUMBER..=MAX_PARTICLE_NUMBER,
    MIN_PARTICLE_STEP..=MAX_PARTICLE_NUMBER,
    MIN_PARTICLE_STEP..=MAX_PARTICLE_NUMBER,
    0.0..=MAX_PARTICLE_NUMBER,
    MIN_GAMMA..=1.0,
];

const fn input(name: &'static str, unit: Unit, description: &'static str) -> Input {
    Input { name, unit, description }
}

static NAMED: LazyLock<Vec<Input>> = LazyLock::new(|| INPUTS.iter().map(|(input, _)| *input).collect());

const CLASSES: [Class; 4] = [
    Class { name: "invalid", description: "A number is not what it may be" },
    Class { name: "free", description: "It never touched the plane" },
    Class { name: "bouncing", description: "It touched the plane, and was not at rest on it at the end" },
    Class { name: "resting", description: "It was in contact in both of the last two steps" },
];

const TOTALS: [Total; 2] = [
    Total { column: "steps", description: "Steps simulated", name: "steps", title: "steps", short: "steps" },
    Total {
        column: "contact_steps",
        description: "Steps in contact with the plane",
        name: "contact_steps",
        title: "steps in contact",
        short: "in contact",
    },
];

/// Reads a value from an outcome.
type Reading = fn(&ParticleOutcome) -> Option<f64>;

const QUANTITIES: [(&str, Unit, &str, Reading); 7] = [
    ("position", Unit::Length, "Height after the last step", |outcome| Some(outcome.position)),
    ("velocity", Unit::Speed, "Speed after the last step, upwards", |outcome| Some(outcome.velocity)),
    ("bounces", Unit::One, "Times it came into contact", |outcome| Some(f64::from(outcome.bounces))),
    ("peak_force", Unit::Force, "Greatest force of the plane", |outcome| Some(outcome.peak_force)),
    ("first_contact_step", Unit::One, "First step in contact, counted from 0; missing without contact", |outcome| {
        outcome.first_contact_step.map(f64::from)
    }),
    ("rebound_height", Unit::Length, "Greatest height after the first contact; missing without contact", |outcome| {
        outcome.rebound_height
    }),
    ("energy_ratio", Unit::One, "Energy at the end over that at the start; missing where there was none", |outcome| {
        outcome.energy_ratio
    }),
];

static QUANTITIES_NAMED: LazyLock<Vec<Quantity>> = LazyLock::new(|| {
    let quantity = |&(name, unit, description, _): &(&str, Unit, &str, Reading)| Quantity {
        name: name.to_owned(),
        unit,
        description: description.to_owned(),
        lack_is_good: false,
    };
    QUANTITIES.iter().map(quantity).collect()
});

/// Particles with equally many steps and one kind of restitution.
///
/// ```
/// use std::path::Path;
/// use touchdown::model::ParticleModel;
/// use touchdown::native::Native;
/// use touchdown::study::Study;
///
/// let study = Study::read(Path::new("examples/particle.toml"))?;
/// assert!(study.model.downcast::<ParticleModel>().is_some());
/// // The first three particles of the study.
/// let inputs: Vec<_> = (0..3).map(|trial| study.inputs_of(trial)).collect();
/// let outcomes = study.model.outcomes(&Native::new(1)?, &inputs)?;
/// assert!(outcomes.iter().all(|outcome| study.model.classes()[outcome.class].name != "invalid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParticleModel {
    /// Steps of each particle.
    pub steps: u32,
    /// Restitution of contacts.
    pub restitution: Restitution,
}

/// Reads particle models: `steps` and `restitution`.
#[derive(Debug)]
pub struct ParticleKind;

/// Its only instance.
pub static KIND: ParticleKind = ParticleKind;

impl ModelKind for ParticleKind {
    fn name(&self) -> &'static str {
        "particle"
    }

    fn read(&self, root: &Table<'_>, _: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let steps = root.optional_or("steps", DEFAULT_STEPS, |field| {
            let steps = u32::try_from(field.unsigned()?).ok().filter(|steps| (1..=MAX_PARTICLE_STEPS).contains(steps));
            steps.ok_or_else(|| field.refused(format!("must be from 1 to {MAX_PARTICLE_STEPS}")))
        })?;
        let kinds = Restitution::ALL.map(|restitution| (restitution.name(), restitution));
        let restitution = root.optional_or("restitution", Restitution::Nominal, |field| field.choice(&kinds))?;
        Ok(Arc::new(ParticleModel { steps, restitution }))
    }
}

impl ParticleModel {
    fn particle(&self, inputs: &Inputs) -> Particle {
        let [position, velocity, step, mass, gravity, gamma] = std::array::from_fn(|number| inputs.values[number]);
        Particle { position, velocity, step, mass, gravity, gamma, steps: self.steps }
    }

    fn outcome(&self, outcome: &ParticleOutcome) -> Outcome {
        let known = outcome.class != ParticleClass::Invalid;
        let steps = if known { u64::from(self.steps) } else { 0 };
        Outcome {
            class: outcome.class as usize,
            totals: vec![steps, u64::from(outcome.contact_steps)],
            labels: Vec::new(),
            quantities: QUANTITIES.iter().map(|(.., read)| read(outcome).filter(|_| known)).collect(),
        }
    }

    /// The steps of one particle; empty if it is invalid.
    fn steps(&self, engine: &dyn Engine, inputs: &Inputs) -> Result<Vec<ParticleStep>, EngineError> {
        Ok(engine.compute::<ParticleTraces>(self.restitution, &[self.particle(inputs)])?.pop().unwrap_or_default())
    }
}

impl Model for ParticleModel {
    fn nouns(&self) -> Nouns {
        Nouns { one: "particle", many: "particles" }
    }

    fn subject(&self) -> &str {
        "particle"
    }

    fn inputs(&self) -> &[Input] {
        &NAMED
    }

    fn nominal(&self) -> Vec<f64> {
        INPUTS.iter().map(|(_, value)| *value).collect()
    }

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES_NAMED
    }

    fn classes(&self) -> &[Class] {
        &CLASSES
    }

    fn totals(&self) -> &[Total] {
        &TOTALS
    }

    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let bad =
            |((input, _), (range, value)): (&(Input, f64), (&RangeInclusive<f64>, &f64))| input.fault(*value, range);
        INPUTS.iter().zip(RANGES.iter().zip(&inputs.values)).find_map(bad)
    }

    fn description(&self) -> String {
        format!("{} steps, {} restitution\n", self.steps, self.restitution.name())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("steps of each", self.steps.to_string()), ("restitution", self.restitution.name().to_owned())]
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("steps", self.steps.to_string()), ("restitution", self.restitution.name().to_owned())]
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        BATCH
    }

    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        let particles = parallel::map(inputs, TRIALS_PER_TASK, |inputs| self.particle(inputs));
        let outcomes = engine.compute::<Particles>(self.restitution, &particles)?;
        Ok(parallel::map(&outcomes, TRIALS_PER_TASK, |outcome| self.outcome(outcome)))
    }

    fn trace_columns(&self) -> Vec<Column> {
        let column = |name, unit, meaning| Column::new(name, ColumnKind::Number, unit, meaning);
        vec![
            column("time", "s", "Time since the start, at the beginning of the step"),
            column("x", "m", "Height above the plane, at the beginning of the step"),
            column("v", "m/s", "Speed upwards, at the beginning of the step"),
            column("gap", "m", "Height that is foretold for the end of the step, without contact"),
            column("n", "N", "Force of the plane during the step"),
        ]
    }

    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let particle = self.particle(inputs);
        let mut was_in_contact = false;
        for (number, step) in self.steps(engine, inputs)?.into_iter().enumerate() {
            let ParticleStep { position, velocity, gap, force } = step;
            let (time, is_in_contact) = (number as f64 * particle.step, gap < 0.0);
            if is_in_contact != was_in_contact {
                let state = format!("x {position:9.4} m  v {velocity:9.4} m/s");
                watcher.event(time, &state, if is_in_contact { "meets the plane" } else { "leaves the plane" });
            }
            was_in_contact = is_in_contact;
            watcher.step(&[time, position, velocity, gap, force]);
        }
        let outcome = engine.compute::<Particles>(self.restitution, &[particle])?;
        let outcome = outcome.first().ok_or(EngineError::Incomplete { asked: 1, got: 0 })?;
        Ok(self.outcome(outcome))
    }

    fn picture(
        &self,
        engine: &dyn Engine,
        inputs: &Inputs,
        (width, height): (u32, u32),
    ) -> Result<Shown, PictureError> {
        let heights: Vec<f64> = self.steps(engine, inputs)?.iter().map(|step| step.position).collect();
        let (scene, view) = track(&heights, Size { width, height })
            .map_err(|error| PictureError::Nothing(error.to_string()))?
            .ok_or_else(|| PictureError::Nothing("the particle was not stepped: it cannot start".to_owned()))?;
        Ok(Shown { scene, view, note: format!("{} steps from left to right", heights.len()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::NoiseKey;

    #[test]
    fn what_cannot_start_is_named_with_its_value_and_what_is_allowed() {
        let model = ParticleModel { steps: 10, restitution: Restitution::Nominal };
        let fault = |number: usize, value: f64| {
            let mut inputs = Inputs { noise: NoiseKey::default(), values: model.nominal() };
            inputs.values[number] = value;
            assert_eq!(model.fault(&inputs).is_none(), model.particle(&inputs).is_valid(), "{number}: {value}");
            model.fault(&inputs)
        };
        assert_eq!(fault(5, 1.5).unwrap(), "gamma = 1.5 must be from 0.000001 to 1");
        for number in 0..INPUTS.len() {
            for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, -0.0, 0.5, 1.0, 2.0, 1e-31, 1e-30, 1e30, 1.1e30] {
                fault(number, value);
            }
        }
    }
}
