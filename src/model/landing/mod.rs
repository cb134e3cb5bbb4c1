//! Model `landing`: a vehicle from the approach or just above the ground to its stop.
//!
//! # Conventions
//! As in [`crate::query`]: x along the runway from the landing threshold, y to the left.

mod doubt;
mod ground;
mod kind;
mod meaning;
mod stream;
mod trace;

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use self::doubt::doubts;
use self::stream::Landings;
use self::trace::{Recorder, columns};
use super::{
    Class, Field, Flag, Footprint, Input, Inputs, Label, Model, Nouns, Outcome, PictureError, Profile, Quantity, Shown,
    TRIALS_PER_TASK, Total, Trials, Watcher, batches,
};
use crate::document::Unit;
use crate::engine::{Engine, EngineError};
use crate::flight::StartDoubt;
use crate::parallel;
use crate::picture::{Moment, Size, flight};
use crate::query::{
    self, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingPart, LandingState,
    LandingStep, Observer,
};
use crate::scene::Scene;
use crate::table::Column;

pub use self::kind::KIND;

/// Number of steps above the surface's maximum force.
const FORCE_LIMIT: &str = "force_limit";
/// Position of the touchdown point along the runway.
const TOUCHDOWN_DISTANCE: &str = "touchdown_distance";
/// Position of the touchdown point across it.
const TOUCHDOWN_LATERAL: &str = "touchdown_lateral";
/// The same for the outermost wheel.
const TOUCHDOWN_OUTBOARD: &str = "touchdown_outboard";
/// Class of a landing that came to rest, but touched down before the runway: the engines' next to last.
const UNDERSHOT: usize = LandingClass::Stopped as usize;
/// Class of a landing that came to rest.
const STOPPED: usize = UNDERSHOT + 1;
/// Speed over the ground where the end of the runway is passed.
const RUNWAY_END_SPEED: &str = "runway_end_speed";
/// Final position of the centre of gravity.
const STOPPING_POINT: &str = "stopping_point";

static INPUTS: LazyLock<Vec<Input>> = LazyLock::new(|| {
    let input =
        |input: &query::Input| Input { name: input.name(), unit: input.unit(), description: input.description() };
    query::Input::ALL.iter().map(input).collect()
});

static CLASSES: LazyLock<Vec<Class>> = LazyLock::new(|| {
    let class = |class: &LandingClass| Class { name: class.name(), description: class.description() };
    let undershot = Class { name: "undershot", description: "Touched down before the runway, and came to rest" };
    let mut classes: Vec<Class> = LandingClass::ALL.iter().map(class).collect();
    classes.insert(UNDERSHOT, undershot);
    classes
});

/// The engines' class of this number; `None` for undershoots, which to them are landings as others.
fn class_of_engines(number: usize) -> Option<LandingClass> {
    match number {
        UNDERSHOT => None,
        STOPPED => Some(LandingClass::Stopped),
        other => Some(LandingClass::ALL[other]),
    }
}

const TOTALS: [Total; 2] = [
    Total {
        column: "steps",
        description: "Steps simulated",
        name: "vehicle_steps",
        title: "vehicle steps",
        short: "vehicle steps",
    },
    Total {
        column: "contact_steps",
        description: "Steps with a wheel in contact",
        name: "contact_steps",
        title: "steps with a wheel in contact",
        short: "with a wheel in contact",
    },
];

const LABELS: [Label; 1] =
    [Label { name: "failed_part", description: "Wheel that broke or structural point that touched" }];

/// Landings of a vehicle in a scene.
///
/// ```
/// use std::path::Path;
/// use touchdown::model::LandingModel;
/// use touchdown::native::Native;
/// use touchdown::study::Study;
///
/// let study = Study::read(Path::new("examples/c172_wet_runway.toml"))?;
/// assert!(study.model.downcast::<LandingModel>().is_some());
/// // The first three landings of the study.
/// let inputs: Vec<_> = (0..3).map(|trial| study.inputs_of(trial)).collect();
/// let outcomes = study.model.outcomes(&Native::new(1)?, &inputs)?;
/// assert!(outcomes.iter().all(|outcome| study.model.classes()[outcome.class].name != "invalid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LandingModel {
    job: LandingJob,
    /// How its quantities are read from an outcome, in the order of `quantities`.
    readings: Vec<query::Quantity>,
    quantities: Vec<Quantity>,
    flags: Vec<Flag>,
    /// Where `quantities` has what tells how far a landing went.
    touchdown_distance: usize,
    runway_end_speed: usize,
    stopping_point: usize,
}

impl LandingModel {
    /// A model of the landings of a job.
    #[must_use]
    pub fn new(job: LandingJob) -> Self {
        let readings = query::quantities(&job.vehicle);
        let quantity = |reading: &query::Quantity| Quantity {
            name: reading.name.clone(),
            unit: reading.unit,
            description: reading.description.clone(),
            lack_is_good: reading.lack_is_good(),
        };
        let place = |name: &str| readings.iter().position(|reading| reading.name == name);
        let force_limit = place(FORCE_LIMIT);
        let [touchdown_distance, runway_end_speed, stopping_point] =
            [TOUCHDOWN_DISTANCE, RUNWAY_END_SPEED, STOPPING_POINT]
                .map(|name| place(name).unwrap_or_else(|| unreachable!("all landings have {name}")));
        Self {
            touchdown_distance,
            runway_end_speed,
            stopping_point,
            quantities: readings.iter().map(quantity).collect(),
            flags: force_limit.map(|quantity| Flag { name: FORCE_LIMIT, quantity }).into_iter().collect(),
            readings,
            job,
        }
    }

    /// Data shared by all landings.
    #[must_use]
    pub fn job(&self) -> &LandingJob {
        &self.job
    }

    /// The quantities and how they are read from an outcome, in the order of [`Model::quantities`].
    #[must_use]
    pub fn readings(&self) -> &[query::Quantity] {
        &self.readings
    }

    /// A landing's outcome as that of a trial.
    #[must_use]
    pub fn outcome(&self, outcome: &LandingOutcome) -> Outcome {
        let known = outcome.class != LandingClass::Invalid;
        let part_name = |part: LandingPart| match part {
            LandingPart::Wheel(wheel) => self.job.vehicle.wheels[wheel as usize].name.clone(),
            LandingPart::Structure(point) => self.job.vehicle.structure[point as usize].name.clone(),
        };
        let is_short = outcome.touchdown.is_some_and(|touchdown| self.is_before_runway(touchdown.distance));
        let class = match outcome.class {
            LandingClass::Stopped if is_short => UNDERSHOT,
            LandingClass::Stopped => STOPPED,
            other => other as usize,
        };
        Outcome {
            class,
            totals: vec![outcome.steps, outcome.contact_steps],
            labels: vec![outcome.failed_part.map(part_name)],
            quantities: self.readings.iter().map(|reading| if known { reading.of(outcome) } else { None }).collect(),
        }
    }

    /// Whether a place along the runway is before its pavement, which begins where a displaced threshold is displaced from.
    fn is_before_runway(&self, place: f64) -> bool {
        self.job.scene.runway().is_some_and(|runway| place < -runway.displaced_threshold)
    }
}

impl From<&Inputs> for LandingInputs {
    fn from(inputs: &Inputs) -> Self {
        Self::of_values(&inputs.values, inputs.noise)
    }
}

impl Model for LandingModel {
    fn nouns(&self) -> Nouns {
        Nouns { one: "landing", many: "landings" }
    }

    fn subject(&self) -> &str {
        &self.job.vehicle.name
    }

    fn inputs(&self) -> &[Input] {
        &INPUTS
    }

    fn nominal(&self) -> Vec<f64> {
        let nominal = LandingInputs::nominal(&self.job.vehicle);
        query::Input::ALL.iter().map(|&input| nominal.get(input)).collect()
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
        &self.flags
    }

    fn labels(&self) -> &[Label] {
        &LABELS
    }

    fn scene(&self) -> Option<&Scene> {
        Some(&self.job.scene)
    }

    fn without_meaning(&self, input: usize) -> Option<String> {
        meaning::without_meaning(query::Input::ALL[input], &self.job)
    }

    /// A landing that did not come to rest was broken off, by what broke or at the time limit, and is not known to stay on
    /// the runway if there is one; at the time limit not to break later either. Leaving its side hides passing its end, and both
    /// hide that it touched down before it.
    fn counts_as(&self, wanted: usize, class: usize, value: &dyn Fn(usize) -> Option<f64>) -> bool {
        use LandingClass::{Invalid, Overran, Stopped, StructureContact, Unfinished, VeeredOff, WheelBroken};
        let [asked, shown] = [wanted, class].map(class_of_engines);
        let is_broken = matches!(shown, Some(WheelBroken | StructureContact));
        let is_moving = !is_broken && value(self.stopping_point).is_none();
        let has_runway = self.job.scene.runway().is_some();
        match asked {
            _ if wanted == class => true,
            None => match value(self.touchdown_distance) {
                Some(distance) => self.is_before_runway(distance),
                None => has_runway && (is_broken || shown == Some(Unfinished)),
            },
            Some(Overran) => has_runway && (is_broken || is_moving || value(self.runway_end_speed).is_some()),
            Some(VeeredOff) => has_runway && (is_broken || shown == Some(Unfinished)),
            Some(WheelBroken | StructureContact | Unfinished) => is_moving,
            Some(Stopped | Invalid) => false,
        }
    }

    fn left_open(&self, class: usize) -> Option<&'static str> {
        let words = "greatest forces, compressions and deviations are those until then; raise time_limit";
        (class == LandingClass::Unfinished as usize).then_some(words)
    }

    /// One that came to rest without passing the end of the runway is, and any where there is none.
    fn is_good_without(&self, quantity: usize, _: usize, value: &dyn Fn(usize) -> Option<f64>) -> bool {
        let is_known = value(self.stopping_point).is_some() || self.job.scene.runway().is_none();
        self.quantities[quantity].lack_is_good && is_known
    }

    fn instead_of_class(&self, class: usize) -> String {
        meaning::instead_of_class(class_of_engines(class), &self.job)
    }

    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let inputs = LandingInputs::from(inputs);
        let fault = LandingState::start(&self.job, &inputs).err()?;
        Some(fault.describe(&self.job.vehicle, &inputs))
    }

    fn doubt(&self, inputs: &Inputs) -> Option<String> {
        let inputs = LandingInputs::from(inputs);
        LandingState::start(&self.job, &inputs).ok()?;
        Some(StartDoubt::of(&self.job, &inputs)?.describe(&self.job.vehicle))
    }

    fn warnings(&self) -> Vec<String> {
        self.job.vehicle.warnings(self.job.step).into_iter().chain(doubts(&self.job)).collect()
    }

    fn description(&self) -> String {
        let LandingJob { vehicle, scene, step, .. } = &self.job;
        let program = crate::program::Program::compile(scene);
        format!(
            "step {step} s\nvehicle {}: {} wheels, {} structural points\n\
             scene: {} leaves, {} program words, stack depth {}\n",
            vehicle.name,
            vehicle.wheels.len(),
            vehicle.structure.len(),
            scene.leaves().len(),
            program.words().len(),
            program.stack_depth()
        )
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let LandingJob { vehicle, scene, weather, gravity, step, time_limit } = &self.job;
        let (wheels, points) = (vehicle.wheels.len(), vehicle.structure.len());
        let mut facts = vec![
            ("vehicle", format!("{}, {wheels} wheels, {points} structural points", vehicle.name)),
            ("scene", format!("{} leaves, {} materials", scene.leaves().len(), scene.materials().len())),
            ("step", format!("{step} s")),
            ("time limit", format!("{time_limit} s")),
            ("gravity", format!("{gravity} m/s²")),
        ];
        if weather.standard_atmosphere {
            let elevation = scene.runway().map_or(0.0, |runway| runway.elevation);
            facts.push(("air", format!("standard atmosphere at {elevation} m")));
        }
        for (name, table) in [("wind profile", &weather.profile), ("wind history", &weather.history)] {
            facts.extend(table.as_ref().map(|table| (name, format!("{} rows", table.points().len()))));
        }
        if let Some(runway) = scene.runway() {
            let text = format!(
                "{} m by {} m, threshold displaced by {} m, {}",
                runway.length,
                runway.width,
                runway.displaced_threshold,
                runway.rise()
            );
            facts.push(("runway", text));
        }
        facts
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let LandingJob { vehicle, weather, gravity, step, time_limit, .. } = &self.job;
        vec![
            ("step", step.to_string()),
            ("time_limit", time_limit.to_string()),
            ("gravity", gravity.to_string()),
            ("autoland", vehicle.autoland.is_some().to_string()),
            ("flare", vehicle.flare.is_some().to_string()),
            ("ground_reactions", vehicle.ground_reactions.name().to_owned()),
            ("standard_atmosphere", weather.standard_atmosphere.to_string()),
            ("wind_profile", weather.profile.is_some().to_string()),
            ("wind_history", weather.history.is_some().to_string()),
        ]
    }

    fn examination(&self, engine: &dyn Engine) -> Result<String, EngineError> {
        ground::warning(&self.job.scene, engine)
    }

    fn batch(&self, engine: &dyn Engine) -> RangeInclusive<usize> {
        engine.landing_batch()
    }

    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        let inputs = parallel::map(inputs, TRIALS_PER_TASK, |inputs| LandingInputs::from(inputs));
        let outcomes = engine.landings(&self.job, &inputs)?;
        Ok(parallel::map(&outcomes, TRIALS_PER_TASK, |outcome| self.outcome(outcome)))
    }

    fn compute(&self, engine: &dyn Engine, trials: &mut dyn Trials) -> Result<(), EngineError> {
        match engine.streams() {
            Some(device) => device.stream_landings(&self.job, &mut Landings::new(self, trials)),
            None => batches::compute(self, engine, trials),
        }
    }

    fn trace_columns(&self) -> Vec<Column> {
        columns(&self.job.vehicle)
    }

    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let mut recorder = Recorder::new(&self.job, watcher);
        Ok(self.outcome(&engine.trace_landing(&self.job, &inputs.into(), &mut recorder)?))
    }

    fn picture(
        &self,
        engine: &dyn Engine,
        inputs: &Inputs,
        (width, height): (u32, u32),
    ) -> Result<Shown, PictureError> {
        let LandingJob { scene, vehicle, .. } = &self.job;
        let inputs = LandingInputs::from(inputs);
        let mut moments = Moments(LandingState::start(&self.job, &inputs).iter().map(Moment::of).collect());
        engine.trace_landing(&self.job, &inputs, &mut moments)?;
        let shown = flight(scene, vehicle, &moments.0, Size { width, height })
            .map_err(|error| PictureError::Nothing(error.to_string()))?
            .ok_or_else(|| PictureError::Nothing("the landing was not flown: it cannot start".to_owned()))?;
        let note = match shown.magnification {
            1.0 => String::new(),
            times => format!("vehicle x {times:.1}"),
        };
        Ok(Shown { scene: shown.scene, view: shown.view, note })
    }

    fn footprint(&self) -> Option<Footprint> {
        let number = |name: &str| self.readings.iter().position(|reading| reading.name == name);
        let outermost = self.job.vehicle.half_track();
        let runway = self.job.scene.runway();
        Some(Footprint {
            title: "Touchdown points".to_owned(),
            points: "touchdown points",
            drawing: "Footprint of the touchdown points".to_owned(),
            along: (number(TOUCHDOWN_DISTANCE)?, "touchdown point from the landing threshold [m]"),
            across: (number(TOUCHDOWN_LATERAL)?, "left of the centreline [m]"),
            origin: "the landing threshold",
            beside: number(TOUCHDOWN_OUTBOARD).map(|quantity| (quantity, outermost)).into_iter().collect(),
            field: runway.map(|runway| Field {
                along: (-runway.displaced_threshold, runway.end()),
                across: (-0.5 * runway.width, 0.5 * runway.width),
            }),
            marked: "did not end as `stopped`",
        })
    }

    fn profile(&self) -> Option<Profile> {
        let number = |name: &str| self.readings.iter().position(|reading| reading.name == name);
        Some(Profile {
            title: "Touchdown and stopping points along the runway".to_owned(),
            axis: "along the runway from the landing threshold [m]",
            unit: Unit::Length.symbol(),
            first: (number(TOUCHDOWN_DISTANCE)?, "touchdown points"),
            second: (number(STOPPING_POINT)?, "stopping points"),
            field: self.job.scene.runway().map(|runway| (-runway.displaced_threshold, runway.end())),
            ground: "the runway",
        })
    }
}

/// What pictures show of the states.
struct Moments(Vec<Moment>);

impl Observer for Moments {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(Moment::of(step.state));
    }

    fn event(&mut self, _: f64, _: LandingEvent) {}
}
