//! Model `deck_landing`: helicopters with skids that land on ships.
//!
//! # Conventions
//! As in [`mod@crate::deck`].

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod convergence;
mod inputs;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests;
mod trace;

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use super::{
    Class, Files, Flag, Input, Inputs, Model, ModelKind, Nouns, Outcome, PictureError, Quantity, Shown,
    TRIALS_PER_TASK, Total, Watcher,
};
use crate::deck::{Aircraft, DeckClass, DeckLanding, DeckOutcome, DeckStart, Ship, ShipMotion, run};
use crate::document::{DocumentError, Table, Unit};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::query::DeckLandings;
use crate::table::Column;

/// Landings per call and processor, at least: a second of work.
const LANDINGS_PER_PROCESSOR: usize = 128;
/// Most landings per call: 10 kB each on the host.
const MAX_BATCH: usize = 1 << 14;
/// Step and duration where nothing is said \[s\].
const STEP: f64 = 1e-3;
const DURATION: f64 = 10.0;
/// Height of the lowest initiator at the start where nothing is said \[m\].
const CLEARANCE: f64 = 0.3;

const CLASSES: [Class; 7] = [
    Class { name: "invalid", description: "It cannot start, or numbers left the finite range" },
    Class { name: "rolled_over", description: "Its roll relative to the deck passed the aircraft's limit" },
    Class { name: "slid_off", description: "An initiator went over the edge of the deck, or all fell past it" },
    Class { name: "gear_yielded", description: "A tube of the gear yielded somewhere" },
    Class { name: "airborne", description: "Nothing of it touched the deck in the last 0.1 s" },
    Class {
        name: "sliding",
        description: "It touched the deck in the last 0.1 s, and slid along it, faster than 0.05 m/s",
    },
    Class { name: "safe", description: "It stands on the deck" },
];

const TOTALS: [Total; 1] =
    [Total { column: "steps", description: "Steps simulated", name: "steps", title: "steps", short: "steps" }];

/// Reads a value from an outcome.
type Reading = fn(&DeckOutcome) -> Option<f64>;

fn is(outcome: &DeckOutcome, class: DeckClass) -> Option<f64> {
    Some(f64::from(u8::from(outcome.class == class)))
}

/// What a landing that never touched the deck does not have.
fn of_touched(outcome: &DeckOutcome, value: f64) -> Option<f64> {
    outcome.touchdown_time.map(|_| value)
}

/// Name, unit, meaning, whether a landing without it is better off, and how it is read.
const QUANTITIES: [(&str, Unit, &str, bool, Reading); 15] = [
    ("touchdown_time", Unit::Time, "When an initiator touched first", false, |it| it.touchdown_time),
    ("touchdown_speed", Unit::Speed, "How fast it came onto the deck then", false, |it| it.touchdown_speed),
    ("peak_load", Unit::Force, "Greatest force on an initiator, across the deck", false, |it| {
        it.peak_loads.iter().copied().reduce(f64::max).and_then(|peak| of_touched(it, peak))
    }),
    ("bounces", Unit::One, "Times that all initiators were free for 0.1 s after the first touch", false, |it| {
        of_touched(it, f64::from(it.bounces))
    }),
    ("slide_distance", Unit::Length, "How far initiators slipped along the deck, the mean of all", false, |it| {
        of_touched(it, it.slide)
    }),
    ("largest_roll", Unit::Angle, "Greatest roll relative to the deck after the first touch", false, |it| {
        of_touched(it, it.largest_roll)
    }),
    (
        "rollover_margin",
        Unit::One,
        "Least share of the energy to the tipping point that was missing on one skid; below 0 the dynamic criterion is passed",
        true,
        |it| it.rollover_margin,
    ),
    ("stress_ratio", Unit::One, "Greatest stress of the gear by yield stress", false, |it| of_touched(it, it.stress)),
    (
        "edge_distance",
        Unit::Length,
        "Least distance of an initiator from the deck's edges after the first touch",
        false,
        |it| it.edge_distance,
    ),
    ("rolled_over", Unit::One, "1 where it rolled over", false, |it| is(it, DeckClass::RolledOver)),
    ("slid_off", Unit::One, "1 where it slid off, or fell past the deck, and did not roll over", false, |it| {
        is(it, DeckClass::SlidOff)
    }),
    ("gear_yielded", Unit::One, "1 where a tube of the gear yielded, whatever came then", false, |it| {
        Some(f64::from(u8::from(it.stress > 1.0)))
    }),
    (
        "airborne",
        Unit::One,
        "1 where nothing touched the deck in the last 0.1 s, and it has not rolled over, slid off or yielded",
        false,
        |it| is(it, DeckClass::Airborne),
    ),
    ("sliding_speed", Unit::Speed, "How fast initiators slipped in the last 0.1 s, the mean of all", false, |it| {
        it.sliding_speed
    }),
    ("dynamic_rollover", Unit::One, "1 where the dynamic criterion of rollover was passed", false, |it| {
        Some(f64::from(u8::from(it.rollover_margin.is_some_and(|margin| margin < 0.0))))
    }),
];

/// Where [`QUANTITIES`] has it.
const EDGE_DISTANCE: usize = 8;
const GEAR_YIELDED: usize = 11;

const FLAGS: [Flag; 2] =
    [Flag { name: "gear_yielded", quantity: GEAR_YIELDED }, Flag { name: "dynamic_rollover", quantity: 14 }];

static NAMED: LazyLock<Vec<Input>> = LazyLock::new(|| inputs::INPUTS.iter().map(|(input, ..)| *input).collect());

/// Landings of one aircraft on one ship.
///
/// ```
/// use std::path::Path;
/// use touchdown::model::DeckLandingModel;
/// use touchdown::native::Native;
/// use touchdown::study::Study;
///
/// let study = Study::read(Path::new("examples/skid_on_frigate.toml"))?;
/// assert!(study.model.downcast::<DeckLandingModel>().is_some());
/// // The first three landings of the study.
/// let inputs: Vec<_> = (0..3).map(|trial| study.inputs_of(trial)).collect();
/// let outcomes = study.model.outcomes(&Native::new(1)?, &inputs)?;
/// assert!(outcomes.iter().all(|outcome| study.model.classes()[outcome.class].name != "invalid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeckLandingModel {
    subject: String,
    landing: DeckLanding,
    motion: ShipMotion,
    quantities: Vec<Quantity>,
}

/// Reads landings on decks: `aircraft`, `ship`, `step`, `duration`, `clearance`.
#[derive(Debug)]
pub struct DeckLandingKind;

/// The one of them.
pub static KIND: DeckLandingKind = DeckLandingKind;

impl ModelKind for DeckLandingKind {
    fn name(&self) -> &'static str {
        "deck_landing"
    }

    fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let aircraft = Aircraft::read(&files.document(&root.required("aircraft")?)?.root())?;
        let ship_document = files.document(&root.required("ship")?)?;
        let ship = Ship::read(&ship_document.root(), &mut |field| files.columns(field, &["sway", "heave", "roll"]))?;
        let step = root.optional_or("step", STEP, |field| field.in_range(Unit::Time, 1e-6, 0.01))?;
        let duration = root.optional_or("duration", DURATION, |field| field.in_range(Unit::Time, step, 600.0))?;
        let clearance = root.optional_or("clearance", CLEARANCE, |field| field.in_range(Unit::Length, 0.0, 100.0))?;
        Ok(Arc::new(DeckLandingModel::new(&aircraft, ship, step, duration, clearance)))
    }
}

impl DeckLandingModel {
    /// Landings of an aircraft on a ship, by steps of a length \[s\] over a duration \[s\], from a clearance \[m\].
    #[must_use]
    pub fn new(aircraft: &Aircraft, ship: Ship, step: f64, duration: f64, clearance: f64) -> Self {
        let quantity = |(name, unit, description, lack_is_good, _): &(&str, Unit, &str, bool, Reading)| Quantity {
            name: (*name).to_owned(),
            unit: *unit,
            description: (*description).to_owned(),
            lack_is_good: *lack_is_good,
        };
        let load = |number: usize| Quantity {
            name: format!("peak_load.{}", number + 1),
            unit: Unit::Force,
            description: format!("Greatest force on initiator {}, across the deck", number + 1),
            lack_is_good: false,
        };
        let loads = (0..aircraft.gear.initiators.len()).map(load);
        Self {
            subject: format!("{} on {}", aircraft.name, ship.name),
            quantities: QUANTITIES.iter().map(quantity).chain(loads).collect(),
            landing: aircraft.landing(ship.deck, clearance, step, (duration / step).round().max(1.0) as u32),
            motion: ship.motion,
        }
    }

    /// What all landings share.
    #[must_use]
    pub fn landing(&self) -> &DeckLanding {
        &self.landing
    }

    /// How the landing of a trial starts.
    #[must_use]
    pub fn start(&self, inputs: &Inputs) -> DeckStart {
        inputs::start(&self.motion, self.duration(), inputs)
    }

    fn duration(&self) -> f64 {
        self.landing.step * f64::from(self.landing.steps)
    }

    fn outcome(&self, outcome: &DeckOutcome) -> Outcome {
        let known = outcome.class != DeckClass::Invalid;
        let common = QUANTITIES.iter().map(|(.., read)| read(outcome));
        let all = common.chain(outcome.peak_loads.iter().map(|load| of_touched(outcome, *load)));
        Outcome {
            class: outcome.class as usize,
            totals: vec![outcome.steps],
            labels: Vec::new(),
            quantities: all.map(|value| value.filter(|_| known)).collect(),
        }
    }

    fn invalid(&self) -> Outcome {
        Outcome {
            class: super::INVALID,
            totals: vec![0],
            labels: Vec::new(),
            quantities: vec![None; self.quantities.len()],
        }
    }
}

impl Model for DeckLandingModel {
    fn nouns(&self) -> Nouns {
        Nouns { one: "landing", many: "landings" }
    }

    fn subject(&self) -> &str {
        &self.subject
    }

    fn inputs(&self) -> &[Input] {
        &NAMED
    }

    fn nominal(&self) -> Vec<f64> {
        inputs::INPUTS.iter().map(|(_, value, _)| *value).collect()
    }

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn classes(&self) -> &[Class] {
        &CLASSES
    }

    /// What happened too, where the class names something that matters more.
    fn counts_as(&self, wanted: usize, class: usize, value: &dyn Fn(usize) -> Option<f64>) -> bool {
        match CLASSES[wanted].name {
            "slid_off" => class == wanted || value(EDGE_DISTANCE).is_some_and(|distance| distance < 0.0),
            "gear_yielded" => value(GEAR_YIELDED).is_some_and(|yielded| yielded > 0.0),
            _ => class == wanted,
        }
    }

    fn totals(&self) -> &[Total] {
        &TOTALS
    }

    fn flags(&self) -> &[Flag] {
        &FLAGS
    }

    fn without_meaning(&self, input: usize) -> Option<String> {
        let is_recorded = matches!(self.motion, ShipMotion::Record(..));
        (is_recorded && inputs::OF_WAVES.contains(&input))
            .then(|| format!("the deck moves as it was recorded, whatever {} is", NAMED[input].name))
    }

    fn fault(&self, inputs: &Inputs) -> Option<String> {
        inputs::fault(&self.motion, self.duration(), inputs)
    }

    fn doubt(&self, inputs: &Inputs) -> Option<String> {
        inputs::doubt(&self.motion, inputs)
    }

    fn description(&self) -> String {
        let DeckLanding { gear, deck, step, .. } = &self.landing;
        let frequencies: Vec<String> = gear.modes.iter().map(|mode| format!("{:.0}", mode.frequency)).collect();
        format!(
            "{}; gear of {} initiators and modes of {} rad/s; {} pieces of deck; {} s by steps of {step} s\n",
            self.subject,
            gear.initiators.len(),
            frequencies.join(", "),
            deck.len(),
            self.duration()
        )
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let moves = match &self.motion {
            ShipMotion::Responses(_) => "in waves, by tabulated responses".to_owned(),
            ShipMotion::Record(interval, rows) => format!("as recorded, {} rows every {interval} s", rows.len()),
        };
        vec![
            ("landing", self.subject.clone()),
            ("deck", moves),
            ("steps", format!("up to {} of {} s", self.landing.steps, self.landing.step)),
        ]
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("step", format!("{} s", self.landing.step)),
            ("duration", format!("{} s", self.duration())),
            ("clearance", format!("{} m", self.landing.clearance)),
        ]
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        let least = LANDINGS_PER_PROCESSOR * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        least..=least.max(MAX_BATCH)
    }

    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        let valid = |inputs: &&Inputs| self.fault(inputs).is_none();
        let flown: Vec<&Inputs> = inputs.iter().filter(valid).collect();
        let starts = parallel::map(&flown, TRIALS_PER_TASK, |inputs| self.start(inputs));
        let computed = engine.compute::<DeckLandings>(&self.landing, &starts)?;
        let mut outcomes = parallel::map(&computed, TRIALS_PER_TASK, |outcome| self.outcome(outcome)).into_iter();
        let outcome = |inputs: &Inputs| {
            let computed = if valid(&inputs) { outcomes.next() } else { None };
            computed.unwrap_or_else(|| self.invalid())
        };
        Ok(inputs.iter().map(outcome).collect())
    }

    fn trace_columns(&self) -> Vec<Column> {
        trace::columns(self.landing.gear.initiators.len())
    }

    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let outcomes = self.outcomes(engine, std::slice::from_ref(inputs))?;
        let outcome = outcomes.into_iter().next().ok_or(EngineError::Incomplete { asked: 1, got: 0 })?;
        if self.fault(inputs).is_none() {
            let mut teller = trace::Teller::new(watcher, self.landing.gear.initiators.len());
            let seen = run(&self.landing, &self.start(inputs), &mut |stepper, tally| teller.step(stepper, tally));
            teller.end(seen.steps as f64 * self.landing.step, &seen);
        }
        Ok(outcome)
    }

    fn picture(&self, _: &dyn Engine, _: &Inputs, _: (u32, u32)) -> Result<Shown, PictureError> {
        Err(PictureError::Nothing(
            "landings on decks are computed in a plane, and have no picture; see --trace".to_owned(),
        ))
    }
}
