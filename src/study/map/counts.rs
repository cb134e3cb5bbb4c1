//! The counts of a map's trials in files, each published whole.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::grid::Grid;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Outcome};
use crate::study::packed::{Packer, Unpacker};
use crate::study::part::{Metadata, metadata_of, open_own};
use crate::study::{Evidence, PartError, Study, SumError};
use crate::table::{Chunk, Column, ColumnKind, TableError, TableWriter, Values, Wanted};

/// Trials in a file: seconds of work on a processor, which is what an interruption loses.
const FILE_SIZE: u64 = 4096;

/// What became of some trials of one cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    /// The cell.
    pub cell: u64,
    /// Trials.
    pub trials: u64,
    /// Those that are invalid.
    pub invalid: u64,
    /// Evidence on each criterion's event, and last on any of them.
    pub evidence: Vec<Evidence>,
}

impl Count {
    /// Of no trials.
    pub fn new(study: &Study, grid: &Grid, cell: u64) -> Self {
        let evidence = vec![Evidence::new(&grid.method); study.criteria.len() + 1];
        Self { cell, trials: 0, invalid: 0, evidence }
    }

    /// Counts a trial by its number in the cell.
    fn add(&mut self, study: &Study, grid: &Grid, trial: u64, outcome: &Outcome) -> Result<(), PartError> {
        self.trials += 1;
        self.invalid += u64::from(outcome.class == INVALID);
        let weight = grid.weight(study, trial);
        let happens = |criterion: &crate::study::Criterion| {
            criterion.event.happened(outcome.class, study.quantities(), |number| outcome.quantities[number])
        };
        let mut happened: Vec<bool> = study.criteria.iter().map(happens).collect();
        happened.push(outcome.class == INVALID || happened.contains(&true));
        for (evidence, happened) in self.evidence.iter_mut().zip(happened) {
            evidence.add(trial, weight, happened).map_err(|error| PartError::Uncountable {
                study: study.name.clone(),
                noun: study.nouns().one,
                trial,
                source: SumError::from(error),
            })?;
        }
        Ok(())
    }

    /// Adds other trials of the same cell.
    pub fn merge(&mut self, other: &Self) {
        self.trials += other.trials;
        self.invalid += other.invalid;
        self.evidence.iter_mut().zip(&other.evidence).for_each(|(mine, other)| mine.merge(other));
    }

    fn packed(&self) -> String {
        let mut packer = Packer::default();
        self.evidence.iter().for_each(|evidence| evidence.pack(&mut packer));
        packer.text()
    }

    fn unpack(&mut self, text: &str, grid: &Grid) -> Option<()> {
        let mut unpacker = Unpacker::new(text);
        for evidence in &mut self.evidence {
            *evidence = Evidence::unpack(&mut unpacker, &grid.method)?;
        }
        unpacker.is_done().then_some(())
    }
}

/// The files of one map.
pub(super) struct Counts<'a> {
    study: &'a Study,
    grid: &'a Grid,
    directory: PathBuf,
    identity: &'a EngineIdentity,
}

impl<'a> Counts<'a> {
    /// The files in a directory, which is made when it is not there.
    pub fn prepare(
        study: &'a Study,
        grid: &'a Grid,
        directory: &Path,
        identity: &'a EngineIdentity,
    ) -> Result<Self, TableError> {
        let directory = directory.join("cells");
        fs::create_dir_all(&directory).map_err(|source| TableError::Write { path: directory.clone(), source })?;
        Ok(Self { study, grid, directory, identity })
    }

    /// How many files there are when all are there.
    pub fn files(&self) -> u64 {
        self.grid.trials().div_ceil(FILE_SIZE)
    }

    /// The trials in a file, by their numbers among those of all cells.
    pub fn trials(&self, file: u64) -> Range<u64> {
        file * FILE_SIZE..((file + 1) * FILE_SIZE).min(self.grid.trials())
    }

    /// How many trials a file counts.
    pub fn size(&self, file: u64) -> usize {
        let trials = self.trials(file);
        (trials.end - trials.start) as usize
    }

    /// The cells that a file counts trials of.
    fn cells(&self, file: u64) -> Range<u64> {
        let Range { start, end } = self.trials(file);
        start / self.grid.cell_trials..(end - 1) / self.grid.cell_trials + 1
    }

    /// Whether a file is there; one of another map is an error.
    pub fn has(&self, file: u64) -> Result<bool, PartError> {
        let path = self.path(file);
        if !path.exists() {
            return Ok(false);
        }
        open_own(&path, &[], &self.metadata(file))?;
        Ok(true)
    }

    fn path(&self, file: u64) -> PathBuf {
        self.directory.join(format!("{file:05}.parquet"))
    }

    fn metadata(&self, file: u64) -> Metadata {
        let trials = self.trials(file);
        metadata_of([
            ("touchdown.version", self.identity.version.clone()),
            ("touchdown.engine", self.identity.engine.clone()),
            ("touchdown.adapter", self.identity.adapter.clone()),
            ("touchdown.study", self.study.hash().to_owned()),
            ("touchdown.seed", self.study.seed.to_string()),
            ("touchdown.cell_trials", self.grid.cell_trials.to_string()),
            ("touchdown.first_trial", trials.start.to_string()),
            ("touchdown.trials", (trials.end - trials.start).to_string()),
        ])
    }

    /// Counts the outcomes of a file's trials, in their order, and publishes the file.
    pub fn write(&self, file: u64, outcomes: &[Outcome]) -> Result<(), PartError> {
        let mut counts: Vec<Count> = self.cells(file).map(|cell| Count::new(self.study, self.grid, cell)).collect();
        for (number, outcome) in self.trials(file).zip(outcomes) {
            let (cell, trial) = (number / self.grid.cell_trials, number % self.grid.cell_trials);
            counts[(cell - self.cells(file).start) as usize].add(self.study, self.grid, trial, outcome)?;
        }
        let many = self.study.nouns().many;
        let columns = [
            Column::new("cell", ColumnKind::Integer, "", "Number of the cell, row by row"),
            Column::new("trials", ColumnKind::Integer, "1", &format!("Its {many} that this file counts")),
            Column::new("invalid", ColumnKind::Integer, "1", "Those that are invalid"),
            Column::new(
                "evidence",
                ColumnKind::Text,
                "",
                "Counts of each criterion's event, and of any of them, packed",
            ),
        ];
        let integers = |of: fn(&Count) -> u64| Values::Integer(counts.iter().map(|row| Some(of(row) as i64)).collect());
        let values = vec![
            integers(|row| row.cell),
            integers(|row| row.trials),
            integers(|row| row.invalid),
            Values::Text(counts.iter().map(|row| Some(row.packed())).collect()),
        ];
        let metadata: Vec<(String, String)> = self.metadata(file).into_iter().collect();
        let mut writer = TableWriter::create_with_checksum(&self.path(file), &columns, &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values })?;
        Ok(writer.finish()?)
    }

    /// The counts of all cells, from all files, which must be there.
    pub fn all(&self) -> Result<Vec<Count>, PartError> {
        let mut cells: Vec<Count> =
            (0..self.grid.cells()).map(|cell| Count::new(self.study, self.grid, cell)).collect();
        for file in 0..self.files() {
            for count in self.read(file)? {
                cells[count.cell as usize].merge(&count);
            }
        }
        Ok(cells)
    }

    fn read(&self, file: u64) -> Result<Vec<Count>, PartError> {
        let path = self.path(file);
        let wanted = [
            Wanted::required("cell", ColumnKind::Integer),
            Wanted::required("trials", ColumnKind::Integer),
            Wanted::required("invalid", ColumnKind::Integer),
            Wanted::required("evidence", ColumnKind::Text),
        ];
        let mut cells = self.cells(file);
        let mut counts = Vec::new();
        for chunk in open_own(&path, &wanted, &self.metadata(file))? {
            let chunk = chunk?;
            let (numbers, trials) = (chunk.integers(0)?, chunk.integers(1)?);
            let (invalid, evidence) = (chunk.integers(2)?, chunk.texts(3)?);
            for row in 0..chunk.len() {
                let mut read = || {
                    let cell = cells.next().filter(|&cell| numbers[row] == Some(cell as i64))?;
                    let mut count = Count::new(self.study, self.grid, cell);
                    count.trials = trials[row]?.try_into().ok()?;
                    count.invalid = invalid[row]?.try_into().ok()?;
                    count.unpack(evidence[row].as_deref()?, self.grid)?;
                    Some(count)
                };
                counts.push(read().ok_or_else(|| PartError::Damaged {
                    path: path.clone(),
                    what: format!("row {row} is not what it should be"),
                })?);
            }
        }
        let counted: u64 = counts.iter().map(|count| count.trials).sum();
        if counted == self.size(file) as u64 {
            Ok(counts)
        } else {
            Err(PartError::Damaged { path, what: format!("it counts {counted} {}", self.study.nouns().many) })
        }
    }
}
