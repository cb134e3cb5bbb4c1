//! Encounters from a table, contacts to a table.

use std::path::Path;

use touchdown::job::Compute;
use touchdown::query::{
    self, ContactModel, ENCOUNTER_FIELDS, Encounter, EncounterAnswer, EncounterFault, EncounterStatus,
};
use touchdown::table::{Chunk, Column, ColumnKind, TableError, TableReader, TableWriter, Values, Wanted};

use crate::cli::Failure;
use crate::cli::engine::{EngineOptions, made_by};
use crate::cli::failure::Code;
use crate::cli::interrupt::{stop_on_interrupt, stopped};
use crate::cli::place::refuse_overwriting;

/// Answers the encounters of a table.
pub fn run(items: &Path, out: &Path, contact: ContactModel, engine: &EngineOptions) -> Result<Code, Failure> {
    refuse_overwriting("--out", out, &[items])?;
    let wanted = ENCOUNTER_FIELDS.map(|name| Wanted::required(name, ColumnKind::Number));
    let reader = TableReader::open(items, &wanted)?;
    let engine = engine.engine()?;
    let stop = stop_on_interrupt();
    let mut metadata = made_by(engine.as_ref());
    metadata.push(("touchdown.contact".to_owned(), contact.name().to_owned()));
    let mut writer = TableWriter::create(out, &columns(), &metadata)?;
    for chunk in reader {
        let chunk = chunk?;
        let encounters = encounters(items, &chunk, contact)?;
        let answers = engine.compute::<query::Encounters>((), &encounters)?;
        writer.write(&Chunk { first_row: chunk.first_row, columns: values(&answers) })?;
        if let Some(code) = stopped(&stop) {
            return Ok(code);
        }
    }
    writer.finish()?;
    Ok(Code::Done)
}

fn encounters(file: &Path, chunk: &Chunk, contact: ContactModel) -> Result<Vec<Encounter>, Failure> {
    let columns =
        (0..ENCOUNTER_FIELDS.len()).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, TableError>>()?;
    (0..chunk.len())
        .map(|row| {
            let numbers = std::array::from_fn(|column| columns[column][row].unwrap_or(0.0));
            let encounter = Encounter::of_numbers(numbers, contact);
            match encounter.fault() {
                None => Ok(encounter),
                Some(EncounterFault { field, value, allowed: [low, high] }) => {
                    let number = chunk.first_row + row as u64;
                    let file = file.display();
                    Err(Failure::bad_input(format!(
                        "{file}: row {number} (the first is 0): column {field}: {value:e} must be between {low:e} and {high:e}"
                    )))
                }
            }
        })
        .collect()
}

fn columns() -> Vec<Column> {
    let number = |name, unit, meaning| Column::new(name, ColumnKind::Number, unit, meaning);
    let text = |name, meaning| Column::new(name, ColumnKind::Text, "", meaning);
    vec![
        text("status", "Whether the vehicles meet"),
        number("t", "s", "When they meet"),
        number("px", "m", "Contact point"),
        number("py", "m", "Contact point"),
        number("nx", "", "Unit normal, the direction of the force on b"),
        number("ny", "", "Unit normal, the direction of the force on b"),
        text("region", "Parts of both boxes that meet"),
        number("impulse", "N s", "Normal impulse"),
        number("friction_impulse", "N s", "Impulse of friction on b, along the normal turned to the left"),
        number("a_vx", "m/s", "Velocity of a after the impact"),
        number("a_vy", "m/s", "Velocity of a after the impact"),
        number("a_yaw_rate", "rad/s", "Yaw rate of a after the impact, counter-clockwise"),
        number("b_vx", "m/s", "Velocity of b after the impact"),
        number("b_vy", "m/s", "Velocity of b after the impact"),
        number("b_yaw_rate", "rad/s", "Yaw rate of b after the impact, counter-clockwise"),
    ]
}

fn values(answers: &[EncounterAnswer]) -> Vec<Values> {
    let text = |value: fn(&EncounterAnswer) -> Option<&'static str>| {
        Values::Text(answers.iter().map(|answer| value(answer).map(str::to_owned)).collect())
    };
    let number = |value: fn(&EncounterAnswer) -> f64| {
        let of = |answer: &EncounterAnswer| (answer.status == EncounterStatus::Contact).then(|| value(answer));
        Values::Number(answers.iter().map(of).collect())
    };
    vec![
        text(|of| Some(of.status.name())),
        number(|of| of.time),
        number(|of| of.point.x),
        number(|of| of.point.y),
        number(|of| of.normal.x),
        number(|of| of.normal.y),
        text(|of| of.parts.map(query::MetParts::name)),
        number(|of| of.impulse),
        number(|of| of.friction_impulse),
        number(|of| of.after[0].velocity.x),
        number(|of| of.after[0].velocity.y),
        number(|of| of.after[0].yaw_rate),
        number(|of| of.after[1].velocity.x),
        number(|of| of.after[1].velocity.y),
        number(|of| of.after[1].yaw_rate),
    ]
}
