//! Parts: fixed ranges of landings, published whole.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Study;
use super::statistics::OutcomeError;
use crate::engine::EngineIdentity;
use crate::query::{LandingClass, LandingInputs, LandingOutcome, LandingPart};
use crate::table::{Chunk, Column, ColumnKind, TableError, TableReader, TableWriter, Values, Wanted};

/// The quantity that counts steps above the surface's maximum force.
const FORCE_LIMIT: &str = "force_limit";

/// Why a part cannot be used.
#[derive(Debug, Error)]
pub enum PartError {
    /// It cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It belongs to something else.
    #[error("{path}: {what} is `{found}`, but this run has `{expected}`; the part belongs to another run")]
    Foreign {
        /// The part's file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the part says.
        found: String,
        /// What the run says.
        expected: String,
    },
    /// It does not hold what it should.
    #[error("{path}: {what}; delete it and run the study again")]
    Damaged {
        /// The part's file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// What a part says of itself: its place in the study and who computed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part.
    pub number: u64,
    /// The landings it holds.
    pub landings: Range<u64>,
    metadata: BTreeMap<&'static str, String>,
}

/// One landing, as the summary needs it.
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

impl Part {
    /// A part of a study, computed by an engine.
    #[must_use]
    pub fn new(study: &Study, number: u64, identity: &EngineIdentity) -> Self {
        let landings = study.part_landings(number);
        let metadata = BTreeMap::from([
            ("touchdown.version", identity.version.clone()),
            ("touchdown.engine", identity.engine.clone()),
            ("touchdown.adapter", identity.adapter.clone()),
            ("touchdown.study", study.hash().to_owned()),
            ("touchdown.seed", study.seed.to_string()),
            ("touchdown.part", number.to_string()),
            ("touchdown.first_landing", landings.start.to_string()),
            ("touchdown.landings", (landings.end - landings.start).to_string()),
        ]);
        Self { number, landings, metadata }
    }

    /// How many landings it holds.
    pub(super) fn size(&self) -> usize {
        (self.landings.end - self.landings.start) as usize
    }

    /// Its file's name.
    #[must_use]
    pub fn file_name(&self) -> String {
        Self::file_name_of(self.number)
    }

    /// The file name of the part with this number.
    #[must_use]
    pub fn file_name_of(number: u64) -> String {
        format!("{number:05}.parquet")
    }

    /// Who computed the part in a file, as far as it says.
    ///
    /// # Errors
    /// When it cannot be read as a table.
    pub fn identity(path: &Path) -> Result<EngineIdentity, PartError> {
        let reader = TableReader::open(path, &[])?;
        let said = |key| reader.metadata().get(key).cloned().unwrap_or_default();
        Ok(EngineIdentity {
            engine: said("touchdown.engine"),
            adapter: said("touchdown.adapter"),
            version: said("touchdown.version"),
        })
    }

    /// Publishes the part's rows: one per landing, in their order.
    ///
    /// # Errors
    /// When the file cannot be written; nothing is left behind then.
    pub fn write(&self, study: &Study, path: &Path, rows: &[(LandingInputs, LandingOutcome)]) -> Result<(), PartError> {
        let metadata: Vec<(String, String)> =
            self.metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let mut writer = TableWriter::create(path, &columns(study), &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values(study, self.landings.start, rows) })?;
        Ok(writer.finish()?)
    }

    /// Checks that a file is this part.
    ///
    /// # Errors
    /// When it is another one's or damaged.
    pub fn check(&self, path: &Path) -> Result<(), PartError> {
        let reader = TableReader::open(path, &[])?;
        for (&what, expected) in &self.metadata {
            let found = reader.metadata().get(what).map_or("", String::as_str);
            if found != expected {
                return Err(PartError::Foreign {
                    path: path.to_owned(),
                    what,
                    found: found.to_owned(),
                    expected: expected.clone(),
                });
            }
        }
        Ok(())
    }

    /// Reads the rows back, one by one; what `each` refuses makes the part damaged.
    pub(crate) fn read(
        &self,
        study: &Study,
        path: &Path,
        mut each: impl FnMut(u64, &Row) -> Result<(), OutcomeError>,
    ) -> Result<(), PartError> {
        self.check(path)?;
        let damaged = |what: String| PartError::Damaged { path: path.to_owned(), what };
        let mut next = self.landings.start;
        for chunk in TableReader::open(path, &wanted(study))? {
            let chunk = chunk?;
            let (landings, classes) = (chunk.integers(0)?, chunk.texts(1)?);
            let (steps, contact_steps) = (chunk.integers(2)?, chunk.integers(3)?);
            let quantities: Vec<&[Option<f64>]> =
                (0..study.quantities().len()).map(|index| chunk.numbers(4 + index)).collect::<Result<_, _>>()?;
            let force_limit = study.quantities().iter().position(|quantity| quantity.name == FORCE_LIMIT);
            for row in 0..chunk.len() {
                if landings[row] != Some(next as i64) {
                    return Err(damaged(format!("row {} should be landing {next}", next - self.landings.start)));
                }
                let name = classes[row].as_deref().unwrap_or_default();
                let class = LandingClass::ALL
                    .into_iter()
                    .find(|class| class.name() == name)
                    .ok_or_else(|| damaged(format!("landing {next} has the unknown class `{name}`")))?;
                let quantities: Vec<Option<f64>> = quantities.iter().map(|column| column[row]).collect();
                each(
                    next,
                    &Row {
                        class,
                        force_limit: force_limit.and_then(|index| quantities[index]).is_some_and(|steps| steps > 0.0),
                        steps: steps[row].unwrap_or(0) as u64,
                        contact_steps: contact_steps[row].unwrap_or(0) as u64,
                        quantities,
                    },
                )
                .map_err(|error| damaged(format!("landing {next}: {error}")))?;
                next += 1;
            }
        }
        if next == self.landings.end {
            Ok(())
        } else {
            Err(damaged(format!("it holds the landings before {next} instead of those before {}", self.landings.end)))
        }
    }
}

/// The columns of every part of a study.
fn columns(study: &Study) -> Vec<Column> {
    let mut columns = vec![
        Column::new("landing", ColumnKind::Integer, "", "Number of the landing, counted from 0"),
        Column::new("class", ColumnKind::Text, "", "How the landing ended"),
        Column::new("failed_part", ColumnKind::Text, "", "Wheel that broke or structural point that touched"),
        Column::new("steps", ColumnKind::Integer, "1", "Steps simulated"),
        Column::new("contact_steps", ColumnKind::Integer, "1", "Steps with a wheel in contact"),
    ];
    columns.extend(study.inputs.iter().map(|sampled| {
        let input = sampled.input;
        Column::new(&format!("input.{}", input.name()), ColumnKind::Number, input.unit().symbol(), input.description())
    }));
    columns.extend(study.quantities().iter().map(|quantity| {
        Column::new(&quantity.name, ColumnKind::Number, quantity.unit.symbol(), &quantity.description)
    }));
    columns
}

fn values(study: &Study, first: u64, rows: &[(LandingInputs, LandingOutcome)]) -> Vec<Values> {
    let outcomes = || rows.iter().map(|(_, outcome)| outcome);
    let table_rows: Vec<Row> = outcomes().map(|outcome| Row::of(study, outcome)).collect();
    let part_name = |part: LandingPart| match part {
        LandingPart::Wheel(wheel) => study.job.vehicle.wheels[wheel as usize].name.clone(),
        LandingPart::Structure(point) => study.job.vehicle.structure[point as usize].name.clone(),
    };
    let mut values = vec![
        Values::Integer((first..first + rows.len() as u64).map(|landing| Some(landing as i64)).collect()),
        Values::Text(outcomes().map(|outcome| Some(outcome.class.name().to_owned())).collect()),
        Values::Text(outcomes().map(|outcome| outcome.failed_part.map(part_name)).collect()),
        Values::Integer(outcomes().map(|outcome| Some(outcome.steps as i64)).collect()),
        Values::Integer(outcomes().map(|outcome| Some(outcome.contact_steps as i64)).collect()),
    ];
    values.extend(
        study
            .inputs
            .iter()
            .map(|sampled| Values::Number(rows.iter().map(|(inputs, _)| Some(inputs.get(sampled.input))).collect())),
    );
    values.extend(
        (0..study.quantities().len())
            .map(|quantity| Values::Number(table_rows.iter().map(|row| row.quantities[quantity]).collect())),
    );
    values
}

/// The columns that the summary needs.
fn wanted(study: &Study) -> Vec<Wanted> {
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
