//! The counts of a map's trials in files, each published whole.

use std::ops::Range;
use std::path::Path;

use super::grid::Grid;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Inputs, Outcome};
use crate::study::analysis::{TrialFiles, TrialNames};
use crate::study::packed::{Packer, Unpacker};
use crate::study::part::metadata_of;
use crate::study::{Evidence, PartError, Study, SumError};
use crate::table::{Column, ColumnKind, TableError, Values, Wanted};

/// Their directory, in that of the map.
pub(in crate::study) const NAMES: TrialNames =
    TrialNames { directory: "cells", first: "touchdown.first_trial", count: "touchdown.trials" };

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
            criterion.event.happened(study.model.as_ref(), outcome.class, |number| outcome.quantities[number])
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
    grid: &'a Grid,
    pub files: TrialFiles<'a>,
}

impl<'a> Counts<'a> {
    /// The files in a directory, which is made when it is not there.
    pub fn prepare(
        study: &'a Study,
        grid: &'a Grid,
        directory: &Path,
        identity: &EngineIdentity,
    ) -> Result<Self, TableError> {
        let own = metadata_of([("touchdown.cell_trials", grid.cell_trials.to_string())]);
        let files = TrialFiles::prepare(study, identity, directory, NAMES, grid.trials(), own)?;
        Ok(Self { grid, files })
    }

    /// The cells that a file counts trials of.
    fn cells(&self, file: u64) -> Range<u64> {
        let Range { start, end } = self.files.trials(file);
        start / self.grid.cell_trials..(end - 1) / self.grid.cell_trials + 1
    }

    /// Counts the outcomes of a file's trials, in their order, and publishes the file.
    pub fn write(&self, file: u64, rows: &[(Inputs, Outcome)]) -> Result<(), PartError> {
        let study = self.files.study;
        let mut counts: Vec<Count> =
            self.cells(file).map(|cell| Count::new(self.files.study, self.grid, cell)).collect();
        for (number, (_, outcome)) in self.files.trials(file).zip(rows) {
            let (cell, trial) = (number / self.grid.cell_trials, number % self.grid.cell_trials);
            counts[(cell - self.cells(file).start) as usize].add(study, self.grid, trial, outcome)?;
        }
        let many = self.files.study.nouns().many;
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
        Ok(self.files.publish(file, &columns, values)?)
    }

    /// The counts of all cells, from all files, which must be there.
    pub fn all(&self) -> Result<Vec<Count>, PartError> {
        let mut cells: Vec<Count> =
            (0..self.grid.cells()).map(|cell| Count::new(self.files.study, self.grid, cell)).collect();
        for file in 0..self.files.files() {
            for count in self.read(file)? {
                cells[count.cell as usize].merge(&count);
            }
        }
        Ok(cells)
    }

    fn read(&self, file: u64) -> Result<Vec<Count>, PartError> {
        let path = self.files.path(file);
        let wanted = [
            Wanted::required("cell", ColumnKind::Integer),
            Wanted::required("trials", ColumnKind::Integer),
            Wanted::required("invalid", ColumnKind::Integer),
            Wanted::required("evidence", ColumnKind::Text),
        ];
        let mut cells = self.cells(file);
        let mut counts = Vec::new();
        for chunk in self.files.open(file, &wanted)? {
            let chunk = chunk?;
            let (numbers, trials) = (chunk.integers(0)?, chunk.integers(1)?);
            let (invalid, evidence) = (chunk.integers(2)?, chunk.texts(3)?);
            for row in 0..chunk.len() {
                let mut read = || {
                    let cell = cells.next().filter(|&cell| numbers[row] == Some(cell as i64))?;
                    let mut count = Count::new(self.files.study, self.grid, cell);
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
        if counted == self.files.size(file) as u64 {
            Ok(counts)
        } else {
            Err(PartError::Damaged { path, what: format!("it counts {counted} {}", self.files.study.nouns().many) })
        }
    }
}
