//! Model `world`: rigid bodies in contact.
//!
//! # Conventions
//! As in [`mod@crate::world`].

mod inputs;
mod trace;

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use super::{
    Class, Files, Flag, Input, Inputs, Label, MAX_FRAMES, Model, ModelKind, Nouns, Outcome, PictureError, Quantity,
    Shown, TRIALS_PER_TASK, Total, Watcher,
};
use crate::document::{DocumentError, Table, Unit};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::picture::{Size, bodies_along_ways, bodies_at};
use crate::query::Worlds;
use crate::table::Column;
use crate::world::{
    Body, Contacts, Law, Motion, REST_TIME, Resolution, World, WorldClass, WorldOutcome, WorldStart, run,
};

/// Worlds per call and core, at least: some seconds of work where many bodies meet.
const WORLDS_PER_PROCESSOR: usize = 8;
/// The same where worlds with sweeps run in lanes.
const SWEPT_PER_PROCESSOR: usize = 1024;
/// Worlds per call, at most.
const MAX_BATCH: usize = 1 << 16;
/// Largest magnitude of a quantity that statistics count: a world with a larger one is invalid.
const MAX_COUNTED: f64 = (1_u64 << 40) as f64;
/// Gains of energy, relative to what there is at the start, that roundings and tolerances of the solver may make: resting
/// stacks move by less than 1e-6 of their height.
const EXACT_GAIN: f64 = 1e-6;
/// The same of worlds with sweeps, which a device computes in f32.
const SWEPT_GAIN: f64 = 1e-4;
/// What pictures do not show.
const NOTE: &str = "walls that rise are not shown";

const CLASSES: [Class; 4] = [
    Class { name: "invalid", description: "It cannot start, or numbers left the range that is counted, up to 2^40" },
    Class { name: "escaped", description: "A body left the bounds" },
    Class { name: "moving", description: "Something moved to the end" },
    Class { name: "settled", description: "All bodies came to rest" },
];

const TOTALS: [Total; 4] = [
    Total { column: "steps", description: "Steps simulated", name: "steps", title: "steps", short: "steps" },
    Total {
        column: "contacts",
        description: "Contacts of all steps",
        name: "contacts",
        title: "contacts",
        short: "contacts",
    },
    Total {
        column: "unsolved_steps",
        description: "Steps whose impulses missed the laws of contact or friction by more than a thousandth of speeds",
        name: "unsolved_steps",
        title: "steps with rough impulses",
        short: "with rough impulses",
    },
    Total {
        column: "gained_energy",
        description: "1 where bodies end with more energy than they start with, beyond rounding and the solver's tolerance",
        name: "gained_energy",
        title: "worlds that gained energy",
        short: "worlds that gained energy",
    },
];

const LABELS: [Label; 1] =
    [Label { name: "first_touch", description: "The first two that touched, of those apart at the start" }];

/// Reads a value from an outcome.
type Reading = fn(&WorldOutcome) -> Option<f64>;

/// Name, unit, meaning, whether absence is the good outcome, and how it is read.
const QUANTITIES: [(&str, Unit, &str, bool, Reading); 7] = [
    ("rest_time", Unit::Time, "Time from which on all bodies were at rest; missing where they were not", false, |it| {
        it.rest_time
    }),
    ("penetration", Unit::Length, "How deep bodies were in each other or in walls at most", false, |it| {
        Some(it.penetration)
    }),
    ("largest_impulse", Unit::Impulse, "Largest impulse of a contact on any body", false, |it| {
        it.impulses.iter().copied().reduce(f64::max)
    }),
    ("energy_lost", Unit::Energy, "Kinetic energy and that of gravity lost from start to end", false, |it| {
        Some(it.energy_lost)
    }),
    (
        "spread",
        Unit::Length,
        "Root mean square distance of the bodies left from their middle at the end",
        false,
        |it| it.spread,
    ),
    ("fell_off", Unit::One, "Bodies that left the bounds", false, |it| Some(f64::from(it.fell_off))),
    (
        "first_touch_time",
        Unit::Time,
        "When the first two touched that were apart; missing where none did",
        true,
        |it| it.first_touch.map(|touch| touch.time),
    ),
];

/// Index of the quantity that is a flag.
const FELL_OFF: usize = 5;

const FLAGS: [Flag; 1] = [Flag { name: "fell_off", quantity: FELL_OFF }];

static NAMED: LazyLock<Vec<Input>> = LazyLock::new(|| inputs::INPUTS.iter().map(|(input, ..)| *input).collect());

/// Worlds with the same bodies, walls and contact laws.
///
/// ```
/// use std::path::Path;
/// use touchdown::model::WorldModel;
/// use touchdown::native::Native;
/// use touchdown::study::Study;
///
/// let study = Study::read(Path::new("examples/spill.toml"))?;
/// assert!(study.model.downcast::<WorldModel>().is_some());
/// // The first three worlds of the study.
/// let inputs: Vec<_> = (0..3).map(|trial| study.inputs_of(trial)).collect();
/// let outcomes = study.model.outcomes(&Native::new(1)?, &inputs)?;
/// assert!(outcomes.iter().all(|outcome| study.model.classes()[outcome.class].name != "invalid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WorldModel {
    world: World,
    quantities: Vec<Quantity>,
}

/// Reads worlds: `world`, the file.
#[derive(Debug)]
pub struct WorldKind;

/// Its only instance.
pub static KIND: WorldKind = WorldKind;

impl ModelKind for WorldKind {
    fn name(&self) -> &'static str {
        "world"
    }

    fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let file = root.required("world")?;
        let document = files.document(&file)?;
        let world = World::from_document_and_scene(&document, &mut |field| files.scene_beside(&file, field))?;
        Ok(Arc::new(WorldModel::new(world)))
    }
}

impl WorldModel {
    /// Worlds that differ from this one in their inputs.
    #[must_use]
    pub fn new(world: World) -> Self {
        let quantity = |name: &str, unit, description: &str, lack_is_good| Quantity {
            name: name.to_owned(),
            unit,
            description: description.to_owned(),
            lack_is_good,
        };
        let common = QUANTITIES
            .iter()
            .map(|&(name, unit, description, lack_is_good, _)| quantity(name, unit, description, lack_is_good));
        let of_body = |name: &str| {
            let description = format!("Largest impulse of a contact on {name}");
            quantity(&format!("impulse.{name}"), Unit::Impulse, &description, false)
        };
        let quantities = common.chain(world.bodies.iter().map(|body| of_body(&body.name))).collect();
        Self { world, quantities }
    }

    /// The world that all derive from.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The start of a trial's world.
    #[must_use]
    pub fn start(&self, inputs: &Inputs) -> WorldStart {
        inputs::start(&self.world, inputs)
    }

    fn outcome(&self, start: &WorldStart, outcome: &WorldOutcome) -> Outcome {
        let known = outcome.class != WorldClass::Invalid;
        let common = QUANTITIES.iter().map(|(.., read)| read(outcome));
        let all = common.chain(outcome.impulses.iter().map(|impulse| Some(*impulse)));
        if all.clone().flatten().any(|value| value.abs() > MAX_COUNTED) {
            return self.outcome(start, &WorldOutcome::invalid(self.world.bodies.len()));
        }
        let touch = outcome
            .first_touch
            .map(|touch| format!("{} {}", self.world.bodies[touch.body].name, self.world.partner_name(touch.partner)));
        Outcome {
            class: outcome.class as usize,
            totals: vec![outcome.steps, outcome.contacts, outcome.unsolved, u64::from(self.gains(start, outcome))],
            labels: vec![touch],
            quantities: all.map(|value| value.filter(|_| known)).collect(),
        }
    }

    /// Whether bodies end with more energy than they start with, by more than rounding and tolerances.
    fn gains(&self, start: &WorldStart, outcome: &WorldOutcome) -> bool {
        let gravity = self.world.gravity.length();
        let bodies = self.world.bodies.iter().zip(&start.masses).zip(&start.motions);
        // At least the kinetic energy, and that of a fall to the origin, which coordinates and hence roundings grow with.
        let of_body = |((body, mass), motion): ((&Body, &f64), &Motion)| {
            let reach = body.shape.reach();
            let speed = motion.velocity.length() + reach * motion.spin.length();
            mass * (0.5 * speed * speed + gravity * (motion.position.length() + reach))
        };
        let energy: f64 = bodies.map(of_body).sum();
        let share = if self.world.sweeps.is_some() { SWEPT_GAIN } else { EXACT_GAIN };
        outcome.energy_lost < -share * energy
    }

    fn one(&self, engine: &dyn Engine, inputs: &Inputs) -> Result<WorldOutcome, EngineError> {
        let outcomes = engine.compute::<Worlds>(&self.world, &[self.start(inputs)])?;
        outcomes.into_iter().next().ok_or(EngineError::Incomplete { asked: 1, got: 0 })
    }

    /// Where bodies are at the start and after each step.
    fn moments(&self, inputs: &Inputs) -> Result<Vec<Vec<Motion>>, PictureError> {
        if let Some(fault) = self.fault(inputs) {
            return Err(PictureError::Nothing(format!("the world cannot start: {fault}")));
        }
        let start = self.start(inputs);
        let mut moments = vec![start.motions.clone()];
        run(&self.world, &start, &mut |stepper| moments.push(stepper.motions().to_vec()));
        Ok(moments)
    }

    fn law(&self) -> String {
        let word = |all: &[(&'static str, bool)]| all.iter().find(|(_, is_it)| *is_it).map_or("", |(word, _)| *word);
        let contacts = Contacts::ALL.map(|(name, contacts)| (name, contacts == self.world.contacts));
        let resolution = Resolution::ALL.map(|(name, resolution)| (name, resolution == self.world.resolution));
        match self.world.law {
            Law::Rigid => match self.world.sweeps {
                Some(sweeps) => format!("{} contacts, {sweeps} sweeps", word(&contacts)),
                None => format!("{} contacts, {} resolution", word(&contacts), word(&resolution)),
            },
            law => format!("{} contacts", law.name()),
        }
    }
}

impl Model for WorldModel {
    fn nouns(&self) -> Nouns {
        Nouns { one: "world", many: "worlds" }
    }

    fn subject(&self) -> &str {
        "world"
    }

    fn inputs(&self) -> &[Input] {
        &NAMED
    }

    fn nominal(&self) -> Vec<f64> {
        inputs::nominal(&self.world)
    }

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn classes(&self) -> &[Class] {
        &CLASSES
    }

    fn totals(&self) -> &[Total] {
        &TOTALS
    }

    fn flags(&self) -> &[Flag] {
        &FLAGS
    }

    fn caution(&self, totals: &[u64]) -> Option<String> {
        let &[steps, _, unsolved, gained] = totals else { return None };
        let rough = (unsolved > 0).then(|| {
            format!(
                "impulses of {unsolved} of {steps} steps are rough: bodies that touch each other with friction may creep there, and gain \
                 energy; shorter steps, fewer bodies on each other or masses closer to each other help"
            )
        });
        let gaining = (gained > 0).then(|| {
            format!(
                "in {gained} {} bodies ended with more energy than they started with, which nothing gives them: steps are too long \
                 for how they bounce, rock or roll; shorten `step`, or take law = \"viscoelastic\"",
                self.nouns().of(gained)
            )
        });
        let all: Vec<String> = rough.into_iter().chain(gaining).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn warnings(&self) -> Vec<String> {
        let World { gravity, rest_speed, .. } = &self.world;
        let reached = gravity.length() * REST_TIME;
        let falls = (reached > 0.0 && reached < *rest_speed).then(|| {
            format!(
                "rest_speed = {rest_speed} m/s is more than the {reached} m/s that a fall of {REST_TIME} s brings under this gravity: \
                 what falls counts as at rest, and the world ends; lower rest_speed"
            )
        });
        falls.into_iter().collect()
    }

    fn labels(&self) -> &[Label] {
        &LABELS
    }

    fn without_meaning(&self, input: usize) -> Option<String> {
        let surfaces = || {
            let of_bodies = self.world.bodies.iter().map(|body| [body.restitution, body.friction]);
            let of_walls = self.world.walls.iter().map(|wall| [wall.restitution, wall.friction]);
            let of_obstacles = self.world.obstacles.iter().map(|one| [one.restitution, one.friction]);
            of_bodies.chain(of_walls).chain(of_obstacles)
        };
        let all_own = input < 2 && surfaces().all(|own| own[input].is_some());
        all_own.then(|| format!("all bodies and walls have a {} of their own", NAMED[input].name))
    }

    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let start = || self.start(inputs).check(&self.world).err().map(|error| error.to_string());
        inputs::fault(inputs).or_else(start)
    }

    fn description(&self) -> String {
        let World { bodies, walls, obstacles, step, steps, .. } = &self.world;
        let (bodies, walls) = (bodies.len(), walls.len());
        let obstacles = match obstacles.len() {
            0 => String::new(),
            count => format!(", {count} fixed solids"),
        };
        format!("{bodies} bodies, {walls} walls{obstacles}; up to {steps} steps of {step} s; {}\n", self.law())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let World { bodies, walls, step, steps, gravity, .. } = &self.world;
        vec![
            ("bodies", bodies.len().to_string()),
            ("walls", walls.len().to_string()),
            ("steps", format!("up to {steps} of {step} s")),
            ("gravity", format!("{} {} {} m/s²", gravity.x, gravity.y, gravity.z)),
            ("contacts", self.law()),
        ]
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn has_kernels(&self) -> bool {
        self.world.sweeps.is_some()
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        let each = if self.world.sweeps.is_some() { SWEPT_PER_PROCESSOR } else { WORLDS_PER_PROCESSOR };
        let least = each * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        least..=least.max(MAX_BATCH)
    }

    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        let starts = parallel::map(inputs, TRIALS_PER_TASK, |inputs| self.start(inputs));
        // Invalid inputs could still produce a valid start.
        let outcomes = engine.compute::<Worlds>(&self.world, &starts)?;
        let invalid = WorldOutcome::invalid(self.world.bodies.len());
        let is_valid = |trial: &usize| inputs::fault(&inputs[*trial]).is_none();
        Ok(parallel::map_numbers(outcomes.len(), TRIALS_PER_TASK, |trial| {
            self.outcome(&starts[trial], if is_valid(&trial) { &outcomes[trial] } else { &invalid })
        }))
    }

    fn trace_columns(&self) -> Vec<Column> {
        trace::columns(&self.world)
    }

    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let outcome = self.one(engine, inputs)?;
        let start = self.start(inputs);
        if inputs::fault(inputs).is_some() {
            return Ok(self.outcome(&start, &WorldOutcome::invalid(self.world.bodies.len())));
        }
        let mut teller = trace::Teller::new(watcher);
        run(&self.world, &start, &mut |stepper| teller.step(stepper));
        Ok(self.outcome(&start, &outcome))
    }

    fn picture(&self, _: &dyn Engine, inputs: &Inputs, (width, height): (u32, u32)) -> Result<Shown, PictureError> {
        let moments = self.moments(inputs)?;
        let (scene, view) = bodies_along_ways(&self.world, &moments, Size { width, height })
            .map_err(|error| PictureError::Nothing(error.to_string()))?;
        Ok(Shown { scene, view, note: NOTE.to_owned() })
    }

    fn frames(
        &self,
        _: &dyn Engine,
        inputs: &Inputs,
        (width, height): (u32, u32),
        interval: f64,
    ) -> Result<Vec<Shown>, PictureError> {
        let moments = self.moments(inputs)?;
        let last = moments.len() - 1;
        // A frame at the very end is one, whatever the rounding.
        let count = (last as f64 * self.world.step / interval * (1.0 + 1e-9)).floor() as usize + 1;
        if count > MAX_FRAMES {
            return Err(PictureError::Nothing(format!("{count} frames: must be at most {MAX_FRAMES}")));
        }
        let frame = |number: usize| {
            let moment = ((number as f64 * interval / self.world.step).round() as usize).min(last);
            let (scene, view) = bodies_at(&self.world, &moments, moment, Size { width, height })
                .map_err(|error| PictureError::Nothing(error.to_string()))?;
            Ok(Shown { scene, view, note: NOTE.to_owned() })
        };
        (0..count).map(frame).collect()
    }
}
