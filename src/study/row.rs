//! Rows of a part: one landing each.

use super::Study;
use crate::query::{LandingClass, LandingInputs, LandingOutcome, LandingPart};
use crate::table::{Column, ColumnKind, Values, Wanted};

/// The quantity that counts steps above the surface's maximum force.
pub(super) const FORCE_LIMIT: &str = "force_limit";

/// One landing, as the sums need it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub class: LandingClass,
    pub force_limit: bool,
    pub steps: u64,
    pub contact_steps: u64,
    /// In the order of the study's quantities.
    pub quantities: Vec<Option<f64>>,
}

impl Row {
    /// The row of an outcome. Nothing is known of an invalid landing.
    pub fn of(study: &Study, outcome: &LandingOutcome) -> Self {
        let known = outcome.class != LandingClass::Invalid;
        Self {
            class: outcome.class,
            force_limit: outcome.force_limit_steps > 0,
            steps: outcome.steps,
            contact_steps: outcome.contact_steps,
            quantities: study
                .quantities()
                .iter()
                .map(|quantity| if known { quantity.of(outcome) } else { None })
                .collect(),
        }
    }

    /// Names of what is not the same, bit for bit.
    pub fn differences(&self, other: &Self, study: &Study) -> Vec<String> {
        let same = [
            ("class", self.class == other.class),
            ("steps", self.steps == other.steps),
            ("contact_steps", self.contact_steps == other.contact_steps),
        ];
        let mut names: Vec<String> =
            same.into_iter().filter(|(_, same)| !same).map(|(name, _)| name.to_owned()).collect();
        for ((quantity, mine), theirs) in study.quantities().iter().zip(&self.quantities).zip(&other.quantities) {
            if mine.map(f64::to_bits) != theirs.map(f64::to_bits) {
                names.push(quantity.name.clone());
            }
        }
        names
    }
}

/// The columns of every part of a study.
pub(super) fn columns(study: &Study) -> Vec<Column> {
    let mut columns = vec![
        Column::new("landing", ColumnKind::Integer, "", "Number of the landing, counted from 0"),
        Column::new("class", ColumnKind::Text, "", "How the landing ended"),
        Column::new("failed_part", ColumnKind::Text, "", "Wheel that broke or structural point that touched"),
        Column::new("steps", ColumnKind::Integer, "1", "Steps simulated"),
        Column::new("contact_steps", ColumnKind::Integer, "1", "Steps with a wheel in contact"),
    ];
    columns.extend(input_columns(study));
    columns.extend(study.quantities().iter().map(|quantity| {
        Column::new(&quantity.name, ColumnKind::Number, quantity.unit.symbol(), &quantity.description)
    }));
    columns
}

/// The columns of weights and inputs.
pub(super) fn input_columns(study: &Study) -> Vec<Column> {
    let weight = Column::new("weight", ColumnKind::Number, "1", "Weight of the landing");
    let inputs = study.inputs.iter().map(|sampled| {
        let input = sampled.input;
        Column::new(&format!("input.{}", input.name()), ColumnKind::Number, input.unit().symbol(), input.description())
    });
    study.is_weighted().then_some(weight).into_iter().chain(inputs).collect()
}

/// Their values for numbered landings with these inputs.
pub(super) fn input_values(study: &Study, landings: &[(u64, &LandingInputs)]) -> Vec<Values> {
    let weights = || Values::Number(landings.iter().map(|(landing, _)| Some(study.weight(*landing))).collect());
    let inputs = study
        .inputs
        .iter()
        .map(|sampled| Values::Number(landings.iter().map(|(_, inputs)| Some(inputs.get(sampled.input))).collect()));
    study.is_weighted().then(weights).into_iter().chain(inputs).collect()
}

/// The values of all columns for numbered landings.
pub(super) fn values(study: &Study, rows: &[(u64, LandingInputs, LandingOutcome)]) -> Vec<Values> {
    let outcomes = || rows.iter().map(|(_, _, outcome)| outcome);
    let table_rows: Vec<Row> = outcomes().map(|outcome| Row::of(study, outcome)).collect();
    let part_name = |part: LandingPart| match part {
        LandingPart::Wheel(wheel) => study.job.vehicle.wheels[wheel as usize].name.clone(),
        LandingPart::Structure(point) => study.job.vehicle.structure[point as usize].name.clone(),
    };
    let mut values = vec![
        Values::Integer(rows.iter().map(|(landing, _, _)| Some(*landing as i64)).collect()),
        Values::Text(outcomes().map(|outcome| Some(outcome.class.name().to_owned())).collect()),
        Values::Text(outcomes().map(|outcome| outcome.failed_part.map(part_name)).collect()),
        Values::Integer(outcomes().map(|outcome| Some(outcome.steps as i64)).collect()),
        Values::Integer(outcomes().map(|outcome| Some(outcome.contact_steps as i64)).collect()),
    ];
    let inputs: Vec<(u64, &LandingInputs)> = rows.iter().map(|(landing, inputs, _)| (*landing, inputs)).collect();
    values.extend(input_values(study, &inputs));
    values.extend(
        (0..study.quantities().len())
            .map(|quantity| Values::Number(table_rows.iter().map(|row| row.quantities[quantity]).collect())),
    );
    values
}

/// The columns that the summary needs.
pub(super) fn wanted(study: &Study) -> Vec<Wanted> {
    let mut wanted = vec![
        Wanted::required("landing", ColumnKind::Integer),
        Wanted::required("class", ColumnKind::Text),
        Wanted::required("steps", ColumnKind::Integer),
        Wanted::required("contact_steps", ColumnKind::Integer),
    ];
    wanted.extend(
        study
            .quantities()
            .iter()
            .map(|quantity| Wanted { required_value: false, ..Wanted::required(&quantity.name, ColumnKind::Number) }),
    );
    wanted
}
