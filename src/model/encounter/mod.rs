//! Model `encounter`: two vehicles that drive until they meet, as ellipsoids and as boxes side by side.
//!
//! # Conventions
//! As in [`crate::query::Encounter`]. Vehicle a starts at the origin, b ahead of it.

mod driving;
mod quantities;
mod trace;

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use glam::DVec2;

pub use self::driving::Driving;
use self::driving::OF_DRIVE;
use self::quantities::{OF_MODEL, QUANTITIES, SHARED};
use self::trace::Track;
use super::{
    Class, Files, Input, Inputs, Label, Model, ModelKind, Nouns, Outcome, PictureError, Quantity, Shown,
    TRIALS_PER_TASK, Watcher,
};
use crate::document::{DocumentError, Table, Unit};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::picture::{ShownVehicle, Size, meeting_vehicles};
use crate::query::{
    ContactModel, Driven, DrivenAnswer, DrivenEncounter, Encounter, EncounterAnswer, EncounterFault, EncounterStatus,
    Encounters, MetParts,
};
use crate::table::Column;

/// Trials per call.
const BATCH: RangeInclusive<usize> = 1 << 15..=1 << 17;
/// Encounters are followed for so long where a study says nothing \[s\].
const HORIZON: f64 = 2.0;

/// The inputs, with the values of the report's first example, and what they may be.
const INPUTS: [(Input, f64, RangeInclusive<f64>); 8] = [
    (
        input(
            "gap",
            Unit::Length,
            "From the centre of a to that of b along x, from which headings count, at the start.",
        ),
        7.0,
        -1e6..=1e6,
    ),
    (
        input("offset", Unit::Length, "From the centre of a to that of b along y, to the left of x, at the start."),
        -2.0,
        -1e6..=1e6,
    ),
    (input("a_speed", Unit::Speed, "Of a along its heading."), 29.1, -1e4..=1e4),
    (input("b_speed", Unit::Speed, "Of b along its heading."), 26.8, -1e4..=1e4),
    (input("a_yaw", Unit::Angle, "Heading of a, counter-clockwise."), 0.0, -1e4..=1e4),
    (input("b_yaw", Unit::Angle, "Heading of b, counter-clockwise."), 0.0, -1e4..=1e4),
    (input("restitution", Unit::One, "Of normal impulses."), 0.5, 0.0..=1.0),
    (input("friction", Unit::One, "Coulomb's coefficient between the bodies."), 0.0, 0.0..=10.0),
];

/// Those of vehicles that drive besides.
const STEERING: [(Input, f64, RangeInclusive<f64>); 2] = [
    (input("a_steering", Unit::Angle, "Of a's front wheels, held; counter-clockwise."), 0.0, -1.5..=1.5),
    (input("b_steering", Unit::Angle, "Of b's front wheels, held; counter-clockwise."), 0.0, -1.5..=1.5),
];

const fn input(name: &'static str, unit: Unit, description: &'static str) -> Input {
    Input { name, unit, description }
}

static NAMED: LazyLock<Vec<Input>> =
    LazyLock::new(|| INPUTS.iter().chain(&STEERING).map(|(input, ..)| *input).collect());

const CLASSES: [Class; 5] = [
    Class { name: "invalid", description: "A number is not what it may be" },
    Class { name: "unknown", description: "They overlap at the start, or no normal is known" },
    Class { name: "contact", description: "They meet, as ellipsoids and as boxes" },
    Class {
        name: "ellipsoids_only",
        description: "Their ellipsoids meet, and their boxes pass each other or, of vehicles that drive, part along their normal",
    },
    Class { name: "missed", description: "They do not meet within the horizon" },
];

const LABELS: [Label; 1] = [Label { name: "region", description: "Parts of both boxes that meet" }];

/// The same for all trials of a study.
///
/// ```
/// use std::path::Path;
/// use touchdown::model::EncounterModel;
/// use touchdown::native::Native;
/// use touchdown::study::Study;
///
/// let study = Study::read(Path::new("examples/offset_collisions.toml"))?;
/// assert!(study.model.downcast::<EncounterModel>().is_some());
/// // The first three encounters of the study.
/// let inputs: Vec<_> = (0..3).map(|trial| study.inputs_of(trial)).collect();
/// let outcomes = study.model.outcomes(&Native::new(1)?, &inputs)?;
/// assert!(outcomes.iter().all(|outcome| study.model.classes()[outcome.class].name != "invalid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EncounterModel {
    /// Of all encounters; places, speeds and the law of contact are those of inputs.
    pub vehicle: Encounter,
    /// Who meets later does not meet \[s\].
    pub horizon: f64,
    /// What they drive on; without it they keep their speeds until they meet.
    pub driving: Option<Driving>,
    quantities: Vec<Quantity>,
}

/// The answer for a contact model: until the impact, and, of vehicles that drive, until the end.
type Answer = (EncounterAnswer, Option<DrivenAnswer>);

/// Reads encounters: `horizon`, and the table `vehicle`.
#[derive(Debug)]
pub struct EncounterKind;

/// The one of them.
pub static KIND: EncounterKind = EncounterKind;

/// Keys of the table `vehicle`, with the report's values and their units.
const VEHICLE: [(&str, f64, Unit); 6] = [
    ("length", 5.0, Unit::Length),
    ("width", 3.0, Unit::Length),
    ("height", 2.9, Unit::Length),
    ("radius", 0.3, Unit::Length),
    ("mass", 1573.0, Unit::Mass),
    ("yaw_inertia", 2782.0, Unit::Inertia),
];

impl ModelKind for EncounterKind {
    fn name(&self) -> &'static str {
        "encounter"
    }

    fn read(&self, root: &Table<'_>, _: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let horizon = root.optional_or("horizon", HORIZON, |field| field.in_range(Unit::Time, 1e-6, 1e6))?;
        let mut values = VEHICLE.map(|(_, value, _)| value);
        let motions = [("constant_speeds", false), ("driven", true)];
        let is_driven = root.optional_or("motion", false, |field| field.choice(&motions))?;
        let table = root.optional_table("vehicle")?;
        let driving = if is_driven { Some(Driving::read(root, table.as_ref())?) } else { None };
        if let Some(table) = &table {
            for (value, (name, own, unit)) in values.iter_mut().zip(VEHICLE) {
                *value = table.optional_or(name, own, |field| field.positive(unit))?;
            }
            table.finish()?;
        }
        let model = EncounterModel::new(values, horizon);
        let model = driving.into_iter().fold(model, EncounterModel::driven);
        match (model.nominal_fault(), table) {
            (Some(fault), Some(table)) => {
                let [low, high] = fault.allowed;
                Err(table.error(format!("{} = {} must be from {low} to {high}", fault.field, fault.value)))
            }
            (Some(fault), None) if is_driven => {
                let [low, high] = fault.allowed;
                Err(root.error(format!("{} = {} must be from {low} to {high}", fault.field, fault.value)))
            }
            _ => Ok(Arc::new(model)),
        }
    }
}

impl EncounterModel {
    /// Of vehicles with this length, width, height, radius, mass and yaw inertia.
    #[must_use]
    pub fn new([length, width, height, radius, mass, yaw_inertia]: [f64; 6], horizon: f64) -> Self {
        let driven = Driven { position: DVec2::ZERO, yaw: 0.0, speed: 0.0 };
        let vehicle = Encounter {
            vehicles: [driven; 2],
            sides: [length, width, height],
            radius,
            mass,
            yaw_inertia,
            restitution: 0.0,
            friction: 0.0,
            contact: ContactModel::Box,
        };
        Self { vehicle, horizon, driving: None, quantities: quantities::named(false) }
    }

    /// The same for vehicles that drive, through every impact until the horizon.
    #[must_use]
    pub fn driven(self, driving: Driving) -> Self {
        Self { driving: Some(driving), quantities: quantities::named(true), ..self }
    }

    /// What is wrong with the vehicles, apart from what inputs say.
    fn nominal_fault(&self) -> Option<EncounterFault> {
        // Speeds are the study's: those of a trial bound its steps.
        let nominal: Vec<f64> = self
            .own_inputs()
            .map(|(input, value, _)| if input.unit == Unit::Speed && self.driving.is_some() { 0.0 } else { *value })
            .collect();
        match self.drive(&nominal, ContactModel::Box) {
            Some(drive) => drive.fault(),
            None => self.encounter(&nominal, ContactModel::Box).fault(),
        }
    }

    /// The encounter of a trial whose vehicles drive.
    #[must_use]
    pub fn drive(&self, values: &[f64], contact: ContactModel) -> Option<DrivenEncounter> {
        let Driving { chassis, step, .. } = self.driving?;
        let steering = [values[INPUTS.len()], values[INPUTS.len() + 1]];
        let encounter = self.encounter(values, contact);
        Some(DrivenEncounter { encounter, chassis, steering, step, horizon: self.horizon })
    }

    /// The encounter of a trial.
    #[must_use]
    pub fn encounter(&self, values: &[f64], contact: ContactModel) -> Encounter {
        let [gap, offset, a_speed, b_speed, a_yaw, b_yaw, restitution, friction] =
            std::array::from_fn(|number| values[number]);
        let a = Driven { position: DVec2::ZERO, yaw: a_yaw, speed: a_speed };
        let b = Driven { position: DVec2::new(gap, offset), yaw: b_yaw, speed: b_speed };
        Encounter { vehicles: [a, b], restitution, friction, contact, ..self.vehicle }
    }

    /// What an engine says, but for contacts beyond the horizon.
    fn seen(&self, answer: EncounterAnswer) -> EncounterAnswer {
        match answer.status {
            EncounterStatus::Contact if answer.time > self.horizon => EncounterAnswer::none(EncounterStatus::Missed),
            _ => answer,
        }
    }

    /// The answers of a trial, as ellipsoids and as boxes.
    fn answers(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<[Answer; 2]>, EngineError> {
        let both = || inputs.iter().flat_map(|inputs| ContactModel::ALL.map(|contact| (&inputs.values, contact)));
        let drives: Option<Vec<_>> = both().map(|(values, contact)| self.drive(values, contact)).collect();
        let answers = match drives {
            Some(items) if self.driving.is_some() => driving::answers(engine, &items)?,
            _ => {
                let items: Vec<Encounter> = both().map(|(values, contact)| self.encounter(values, contact)).collect();
                let answers = engine.compute::<Encounters>((), &items)?;
                answers.into_iter().map(|answer| (self.seen(answer), None)).collect()
            }
        };
        if answers.len() != 2 * inputs.len() {
            return Err(EngineError::Incomplete { asked: 2 * inputs.len(), got: answers.len() });
        }
        Ok(answers.chunks_exact(2).map(|both| [both[0], both[1]]).collect())
    }

    fn one(&self, engine: &dyn Engine, inputs: &Inputs) -> Result<[Answer; 2], EngineError> {
        let answers = self.answers(engine, std::slice::from_ref(inputs))?;
        answers.first().copied().ok_or(EngineError::Incomplete { asked: 1, got: 0 })
    }

    fn outcome(&self, inputs: &Inputs, both: &[Answer; 2]) -> Outcome {
        let answers = both.map(|(answer, _)| answer);
        let class = class(&answers);
        let region = answers[1].parts.filter(|_| answers[1].status == EncounterStatus::Contact);
        let each = both.iter().zip(ContactModel::ALL).flat_map(|((answer, driven), contact)| {
            let known = answer.status == EncounterStatus::Contact && class > 1;
            let some = |value: f64| known.then_some(value);
            let encounter = self.encounter(&inputs.values, contact);
            let shared = SHARED.iter().map(|(.., read)| some(read(&encounter, answer)));
            match self.drive(&inputs.values, contact).zip(*driven) {
                Some((item, driven)) => {
                    let more = OF_DRIVE.iter().map(|(.., read)| some(read(&item, &driven)));
                    shared.chain(more).collect::<Vec<_>>()
                }
                None => shared.chain(OF_MODEL.iter().map(|(.., read)| some(read(&encounter, answer)))).collect(),
            }
        });
        let more = QUANTITIES.iter().map(|(.., read)| (class == 2).then(|| read(&answers)));
        Outcome {
            class,
            totals: Vec::new(),
            labels: vec![region.map(|parts: MetParts| parts.name().to_owned())],
            quantities: each.chain(more).collect(),
        }
    }

    /// The ways of a trial, as ellipsoids and as boxes.
    fn tracks(&self, engine: &dyn Engine, inputs: &Inputs, both: &[Answer; 2]) -> Result<[Track; 2], EngineError> {
        let values = &inputs.values;
        let drives = ContactModel::ALL.map(|contact| self.drive(values, contact));
        if let [Some(ellipsoids), Some(boxes)] = drives {
            return Track::driven(engine, [ellipsoids, boxes]);
        }
        let track = |k: usize| Track::straight(&self.encounter(values, ContactModel::ALL[k]), &both[k].0, self.horizon);
        Ok([track(0), track(1)])
    }

    /// The inputs, with their values in the report's first example and what they may be.
    fn own_inputs(&self) -> impl Iterator<Item = &'static (Input, f64, RangeInclusive<f64>)> + use<> {
        let count = if self.driving.is_some() { STEERING.len() } else { 0 };
        INPUTS.iter().chain(&STEERING[..count])
    }
}

/// Number of the class of a trial.
fn class(answers: &[EncounterAnswer; 2]) -> usize {
    use EncounterStatus::{BadInput, Contact, Missed};
    match answers.map(|answer| answer.status) {
        [BadInput, _] | [_, BadInput] => 0,
        [Contact, Contact] => 2,
        [Contact, Missed] => 3,
        [Missed, Missed] => 4,
        _ => 1,
    }
}

impl Model for EncounterModel {
    fn nouns(&self) -> Nouns {
        Nouns { one: "encounter", many: "encounters" }
    }

    fn subject(&self) -> &str {
        "encounter"
    }

    fn inputs(&self) -> &[Input] {
        &NAMED[..self.own_inputs().count()]
    }

    fn nominal(&self) -> Vec<f64> {
        self.own_inputs().map(|(_, value, _)| *value).collect()
    }

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn classes(&self) -> &[Class] {
        &CLASSES
    }

    fn labels(&self) -> &[Label] {
        &LABELS
    }

    fn fault(&self, inputs: &Inputs) -> Option<String> {
        let bad = |((input, _, range), value): (&(Input, f64, RangeInclusive<f64>), &f64)| input.fault(*value, range);
        let of_drive = || {
            let fault = self.drive(&inputs.values, ContactModel::Box)?.fault()?;
            let [low, high] = fault.allowed;
            Some(format!("{} = {} must be from {low} to {high}", fault.field, fault.value))
        };
        self.own_inputs().zip(&inputs.values).find_map(bad).or_else(of_drive)
    }

    fn description(&self) -> String {
        let [length, width, height] = self.vehicle.sides;
        let drive = if self.driving.is_some() { " that drive" } else { "" };
        format!(
            "two vehicles{drive} of {length} x {width} x {height} m and {} kg, as ellipsoids and as boxes; {} s\n",
            self.vehicle.mass, self.horizon
        )
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let [length, width, height] = self.vehicle.sides;
        let mut facts = vec![
            ("vehicles", format!("{length} x {width} x {height} m, edges of {} m", self.vehicle.radius)),
            ("mass", format!("{} kg", self.vehicle.mass)),
            ("yaw inertia", format!("{} kg m²", self.vehicle.yaw_inertia)),
            ("horizon", format!("{} s", self.horizon)),
        ];
        facts.extend(self.driving.iter().flat_map(Driving::facts));
        facts
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let [length, width, height] = self.vehicle.sides;
        let Encounter { radius, mass, yaw_inertia, .. } = self.vehicle;
        let values = [length, width, height, radius, mass, yaw_inertia].map(|value| value.to_string());
        let mut settings = vec![("horizon", self.horizon.to_string())];
        settings.extend(VEHICLE.iter().zip(values).map(|((name, ..), value)| (*name, value)));
        settings.extend(self.driving.iter().flat_map(Driving::settings));
        settings
    }

    fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
        BATCH
    }

    fn outcomes(&self, engine: &dyn Engine, inputs: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
        let answers = self.answers(engine, inputs)?;
        let outcome = |trial: usize| self.outcome(&inputs[trial], &answers[trial]);
        Ok(parallel::map_numbers(inputs.len(), TRIALS_PER_TASK, outcome))
    }

    fn trace_columns(&self) -> Vec<Column> {
        trace::columns()
    }

    fn trace(&self, engine: &dyn Engine, inputs: &Inputs, watcher: &mut dyn Watcher) -> Result<Outcome, EngineError> {
        let both = self.one(engine, inputs)?;
        let outcome = self.outcome(inputs, &both);
        if outcome.class != super::INVALID {
            let tracks = self.tracks(engine, inputs, &both)?;
            trace::tell(&both.map(|(answer, _)| answer), &tracks, self.horizon, watcher);
        }
        Ok(outcome)
    }

    fn picture(
        &self,
        engine: &dyn Engine,
        inputs: &Inputs,
        (width, height): (u32, u32),
    ) -> Result<Shown, PictureError> {
        let both = self.one(engine, inputs)?;
        let [ellipsoids, boxes] = both.map(|(answer, _)| answer);
        let encounter = self.encounter(&inputs.values, ContactModel::Box);
        let drive = self.drive(&inputs.values, ContactModel::Box);
        if let Some(fault) = drive.map_or(encounter.fault(), |drive| drive.fault()) {
            let what = format!("the encounter cannot start: {} = {}", fault.field, fault.value);
            return Err(PictureError::Nothing(what));
        }
        let (model, note) = match (boxes.status, ellipsoids.status) {
            (EncounterStatus::Contact, _) => (1, "where the boxes meet"),
            (_, EncounterStatus::Contact) => (0, "where the ellipsoids meet; the boxes do not"),
            _ => (1, "at the horizon, without a contact"),
        };
        let answer = [ellipsoids, boxes][model];
        let has_contact = answer.status == EncounterStatus::Contact;
        let time = if has_contact { answer.time } else { self.horizon };
        let track = &self.tracks(engine, inputs, &both)?[model];
        let vehicles = [0, 1].map(|vehicle| {
            let way = [0.0, time].map(|time| track.at(vehicle, time).position);
            ShownVehicle { way, yaw: track.at(vehicle, time).yaw, sides: encounter.sides }
        });
        let contact = has_contact.then_some((answer.point, answer.normal));
        let (scene, view) = meeting_vehicles(&vehicles, contact, Size { width, height })
            .map_err(|error| PictureError::Nothing(error.to_string()))?;
        Ok(Shown { scene, view, note: note.to_owned() })
    }
}
