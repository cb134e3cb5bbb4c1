//! Parts: fixed ranges of landings, published whole.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Study;
use super::row::{FORCE_LIMIT, Row, columns, values, wanted};
use super::statistics::OutcomeError;
use crate::engine::EngineIdentity;
use crate::query::{LandingClass, LandingInputs, LandingOutcome};
use crate::table::{Chunk, TableError, TableReader, TableWriter};

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

/// Checks that a file says this of itself.
pub(super) fn check_metadata(path: &Path, metadata: &BTreeMap<&'static str, String>) -> Result<(), PartError> {
    let reader = TableReader::open(path, &[])?;
    for (&what, expected) in metadata {
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
        let numbered: Vec<_> = (self.landings.start..)
            .zip(rows)
            .map(|(landing, (inputs, outcome))| (landing, *inputs, outcome.clone()))
            .collect();
        writer.write(&Chunk { first_row: 0, columns: values(study, &numbered) })?;
        Ok(writer.finish()?)
    }

    /// Checks that a file is this part.
    ///
    /// # Errors
    /// When it is another one's or damaged.
    pub fn check(&self, path: &Path) -> Result<(), PartError> {
        check_metadata(path, &self.metadata)
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
