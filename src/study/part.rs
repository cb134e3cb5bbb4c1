//! Parts: fixed ranges of trials, published as a whole.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::row::{self, ReadRow, columns, values, wanted};
use super::{Evidence, Keep, Study, SumError, Sums};
use crate::engine::EngineIdentity;
use crate::model::{Inputs, Outcome};
use crate::table::{Chunk, TableError, TableReader, TableWriter, Wanted};

/// Metadata: which trials have a row.
const KEEP: &str = "touchdown.keep";
/// Metadata: number of rows.
const ROWS: &str = "touchdown.rows";
/// Metadata: the sums of all trials.
const SUMS: &str = "touchdown.sums";
/// Parts that are read at a time, on all threads.
pub(crate) const READ_TOGETHER: usize = 64;

/// Why a part cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
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
        what: String,
        /// Value in the part.
        found: String,
        /// Value in the run.
        expected: String,
    },
    /// It is no part of the study.
    #[error("{path}: the study has only {parts} parts, and this is none of them; move it elsewhere")]
    Stranger {
        /// The file.
        path: PathBuf,
        /// Number of parts of the study.
        parts: u64,
    },
    /// A trial cannot be counted.
    #[error(
        "study {study}: {noun} {trial}: {source}; `study replay` of it shows which numbers of its vehicle, scene or inputs are too large"
    )]
    Uncountable {
        /// The study's name.
        study: String,
        /// The model's name for a trial.
        noun: &'static str,
        /// Its number.
        trial: u64,
        /// Why.
        source: SumError,
    },
    /// Its content is inconsistent.
    #[error("{path}: {what}; delete it and run the study again")]
    Damaged {
        /// The part's file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// Identity of a part: its place in the study and the engine that computed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part.
    pub number: u64,
    /// The trials it holds.
    pub trials: Range<u64>,
    metadata: Metadata,
}

/// What a part says of all its trials.
pub(crate) struct PartHead {
    /// Which of them have a row.
    pub kept: Keep,
    /// Whether that is all of them.
    pub has_all_rows: bool,
    /// The sums over all, whatever rows are kept.
    pub sums: Sums,
}

/// Metadata of a file, by key.
pub(super) type Metadata = BTreeMap<String, String>;

/// Metadata with these keys and values.
pub(super) fn metadata_of<const N: usize>(said: [(&str, String); N]) -> Metadata {
    said.map(|(key, value)| (key.to_owned(), value)).into()
}

/// Opens a file with a valid checksum and this metadata.
pub(super) fn open_own(path: &Path, wanted: &[Wanted], metadata: &Metadata) -> Result<TableReader, PartError> {
    let opened = TableReader::open_verified(path, wanted);
    // A file of another run is reported as such, whatever its columns.
    let reader = opened.or_else(|error| {
        refuse_foreign(path, &TableReader::open_verified(path, &[])?, metadata)?;
        Err(PartError::from(error))
    })?;
    refuse_foreign(path, &reader, metadata)?;
    Ok(reader)
}

fn refuse_foreign(path: &Path, reader: &TableReader, metadata: &Metadata) -> Result<(), PartError> {
    match metadata.iter().find(|(what, expected)| said(reader, what) != *expected) {
        Some((what, expected)) => Err(PartError::Foreign {
            path: path.to_owned(),
            what: what.clone(),
            found: said(reader, what).to_owned(),
            expected: expected.clone(),
        }),
        None => Ok(()),
    }
}

impl Part {
    /// A part of a study, computed by an engine.
    #[must_use]
    pub fn new(study: &Study, number: u64, identity: &EngineIdentity) -> Self {
        let trials = study.part_trials(number);
        let many = study.nouns().many;
        let metadata = metadata_of([
            ("touchdown.version", identity.version.clone()),
            ("touchdown.engine", identity.engine.clone()),
            ("touchdown.adapter", identity.adapter.clone()),
            ("touchdown.study", study.hash().to_owned()),
            ("touchdown.seed", study.seed.to_string()),
            ("touchdown.part", number.to_string()),
            (&format!("touchdown.first_{}", study.nouns().one), trials.start.to_string()),
            (&format!("touchdown.{many}"), (trials.end - trials.start).to_string()),
        ]);
        Self { number, trials, metadata }
    }

    /// Number of its trials.
    pub(super) fn size(&self) -> u64 {
        self.trials.end - self.trials.start
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

    /// The number of the part whose file has this name.
    pub(super) fn number_of(name: &str) -> Option<u64> {
        let number = name.strip_suffix(".parquet")?.parse().ok()?;
        (Self::file_name_of(number) == name).then_some(number)
    }

    /// Whether a file with this name is a part of the study.
    pub(super) fn is_file_of(study: &Study, name: &str) -> bool {
        Self::number_of(name).is_some_and(|number| number < study.parts())
    }

    /// The error for a file that is no part of the study.
    pub(super) fn stranger(study: &Study, path: &Path) -> PartError {
        PartError::Stranger { path: path.to_owned(), parts: study.parts() }
    }

    /// The engine identity recorded in the file of a part.
    ///
    /// # Errors
    /// If it cannot be read as a table, or its checksum is wrong.
    pub fn identity(path: &Path) -> Result<EngineIdentity, PartError> {
        let reader = TableReader::open_verified(path, &[])?;
        let said = |key| reader.metadata().get(key).cloned().unwrap_or_default();
        Ok(EngineIdentity {
            engine: said("touchdown.engine"),
            adapter: said("touchdown.adapter"),
            version: said("touchdown.version"),
        })
    }

    /// Publishes the part: the sums of all its trials and the rows that are kept, in order.
    fn write(
        &self,
        study: &Study,
        path: &Path,
        keep: Keep,
        sums: &Sums,
        rows: &[(u64, Inputs, Outcome)],
    ) -> Result<(), PartError> {
        let own = [(KEEP, keep.to_string()), (ROWS, rows.len().to_string()), (SUMS, sums.packed())];
        let own = own.map(|(key, value)| (key.to_owned(), value));
        let metadata: Vec<(String, String)> = self.metadata.clone().into_iter().chain(own).collect();
        let mut writer = TableWriter::create_with_checksum(path, &columns(study), &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values(study, rows) })?;
        Ok(writer.finish()?)
    }

    /// Checks that a file is this part.
    ///
    /// # Errors
    /// If it is foreign or damaged.
    pub fn check(&self, path: &Path) -> Result<(), PartError> {
        open_own(path, &[], &self.metadata).map(|_| ())
    }

    /// Which trials have a row in the file of this part.
    ///
    /// # Errors
    /// If it is foreign or damaged.
    pub fn kept(&self, path: &Path) -> Result<Keep, PartError> {
        kept(path, &open_own(path, &[], &self.metadata)?)
    }

    /// The same by what a file says of itself, whose content is not read: a glance at files that are not needed now.
    pub(super) fn kept_as_said(&self, path: &Path) -> Result<Keep, PartError> {
        let reader = TableReader::open(path, &[])?;
        refuse_foreign(path, &reader, &self.metadata)?;
        kept(path, &reader)
    }

    /// What its file says of all its trials.
    ///
    /// # Errors
    /// If the file is foreign or damaged.
    pub(crate) fn head(&self, study: &Study, path: &Path) -> Result<PartHead, PartError> {
        self.head_of(study, path, &open_own(path, &[], &self.metadata)?)
    }

    fn head_of(&self, study: &Study, path: &Path, reader: &TableReader) -> Result<PartHead, PartError> {
        let kept = kept(path, reader)?;
        let sums = Sums::unpacked(study, said(reader, SUMS), self.size()).ok_or_else(|| {
            let many = study.nouns().many;
            damaged(path, format!("{SUMS} are not the sums of {} {many} of this study", self.size()))
        })?;
        let has_all_rows = kept == Keep::All || said(reader, ROWS) == self.size().to_string();
        Ok(PartHead { kept, has_all_rows, sums })
    }

    /// Reads a file completely, and gives its sums. If all rows are kept, the sums must follow from them.
    pub(super) fn check_rows(&self, study: &Study, path: &Path) -> Result<Sums, PartError> {
        let reader = open_own(path, &wanted(study), &self.metadata)?;
        let PartHead { kept, sums, .. } = self.head_of(study, path, &reader)?;
        let mut of_rows = Sums::new(study);
        self.rows(study, path, reader, |trial, row| {
            let added = of_rows.add(study, trial, row);
            added.map(|_| ()).map_err(|error| damaged(path, error.to_string()))
        })?;
        if kept == Keep::All && of_rows.packed() != sums.packed() {
            return Err(damaged(path, format!("{SUMS} are not those of its rows")));
        }
        Ok(sums)
    }

    /// Reads the rows one by one, in the order of their trials. An error returned by `each` stops it.
    pub(crate) fn read(
        &self,
        study: &Study,
        path: &Path,
        each: impl FnMut(u64, &Outcome) -> Result<(), PartError>,
    ) -> Result<(), PartError> {
        self.rows(study, path, open_own(path, &wanted(study), &self.metadata)?, each)
    }

    /// The same of a file whose [`head`](Self::head) has just been read, and its checksum verified.
    pub(crate) fn read_verified(
        &self,
        study: &Study,
        path: &Path,
        each: impl FnMut(u64, &Outcome) -> Result<(), PartError>,
    ) -> Result<(), PartError> {
        let reader = TableReader::open(path, &wanted(study))?;
        refuse_foreign(path, &reader, &self.metadata)?;
        self.rows(study, path, reader, each)
    }

    fn rows(
        &self,
        study: &Study,
        path: &Path,
        reader: TableReader,
        mut each: impl FnMut(u64, &Outcome) -> Result<(), PartError>,
    ) -> Result<(), PartError> {
        let keep = kept(path, &reader)?;
        let rows = said(&reader, ROWS).to_owned();
        let mut next = self.trials.start;
        let mut read = 0_u64;
        for chunk in reader {
            let chunk = chunk?;
            for ReadRow { number, outcome } in row::read(study, &chunk)? {
                let place = number.and_then(|number| u64::try_from(number).ok());
                let is_next = |trial: &u64| match keep {
                    Keep::All => *trial == next,
                    Keep::Failures | Keep::Sample(_) => (next..self.trials.end).contains(trial),
                };
                let one = study.nouns().one;
                let Some(trial) = place.filter(is_next) else {
                    return Err(damaged(path, format!("row {read} should be {one} {next} or a later one of the part")));
                };
                let outcome =
                    outcome.map_err(|class| damaged(path, format!("{one} {trial} has the unknown class `{class}`")))?;
                each(trial, &outcome)?;
                next = trial + 1;
                read += 1;
            }
        }
        let is_whole = match keep {
            Keep::All => next == self.trials.end,
            Keep::Failures | Keep::Sample(_) => rows == read.to_string(),
        };
        if is_whole { Ok(()) } else { Err(damaged(path, format!("it holds {read} rows, not all that it should"))) }
    }
}

fn damaged(path: &Path, what: String) -> PartError {
    PartError::Damaged { path: path.to_owned(), what }
}

/// A metadata value of a file; empty if absent.
fn said<'a>(reader: &'a TableReader, key: &str) -> &'a str {
    reader.metadata().get(key).map_or("", String::as_str)
}

/// Which trials have a row in a part.
fn kept(path: &Path, reader: &TableReader) -> Result<Keep, PartError> {
    let said = said(reader, KEEP);
    said.parse().map_err(|error| damaged(path, format!("{KEEP} is `{said}`, which {error}")))
}

/// A part under construction.
pub(super) struct PartBuilder {
    part: Part,
    path: PathBuf,
    keep: Keep,
    sums: Sums,
    rows: Vec<(u64, Inputs, Outcome)>,
}

impl PartBuilder {
    /// An empty part.
    pub fn new(study: &Study, part: Part, path: PathBuf, keep: Keep) -> Self {
        Self { part, path, keep, sums: Sums::new(study), rows: Vec::new() }
    }

    /// Adds the next trials, as many as it lacks or fewer, and publishes it where it lacks none then.
    pub fn fill(&mut self, study: &Study, trials: &mut Vec<(Inputs, Outcome)>) -> Result<(), PartError> {
        let first = self.part.trials.start + self.sums.trials();
        let outcomes: Vec<&Outcome> = trials.iter().map(|(_, outcome)| outcome).collect();
        let failed = self.sums.add_all(study, first, &outcomes).map_err(|(trial, source)| PartError::Uncountable {
            study: study.name.clone(),
            noun: study.nouns().one,
            trial,
            source,
        })?;
        for ((trial, failed), (inputs, outcome)) in (first..).zip(failed).zip(trials.drain(..)) {
            if self.keep.keeps(trial, failed) {
                self.rows.push((trial, inputs, outcome));
            }
        }
        if self.lacks() == 0 {
            let rows = std::mem::take(&mut self.rows);
            self.part.write(study, &self.path, self.keep, &self.sums, &rows)?;
        }
        Ok(())
    }

    /// Number of trials still missing.
    pub fn lacks(&self) -> u64 {
        self.part.size() - self.sums.trials()
    }

    /// The evidence of its trials on the criteria.
    pub fn evidence(&self) -> &[Evidence] {
        self.sums.evidence()
    }
}
