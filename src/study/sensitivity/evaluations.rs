//! The trials of a sensitivity analysis in files, each published as a whole.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::design::Design;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Inputs, Outcome};
use crate::study::part::{Metadata, metadata_of, open_own};
use crate::study::row::{class_column, class_values, quantity_columns, quantity_values};
use crate::study::{PartError, Study};
use crate::table::{Chunk, Column, ColumnKind, TableError, TableWriter, Values, Wanted, is_unfinished};

/// Trials per file: some seconds of CPU time, which is what an interruption loses.
const FILE_SIZE: u64 = 4096;

/// Their directory, in that of the analysis.
const DIRECTORY: &str = "evaluations";

/// The finished files in the directory of an analysis, in order; empty without an analysis.
pub(in crate::study) fn evaluation_files(directory: &Path) -> Result<Vec<PathBuf>, TableError> {
    let directory = directory.join(DIRECTORY);
    let failed = |source| TableError::Read { path: directory.clone(), source };
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    files.retain(|file| !is_unfinished(&file.file_name().unwrap_or_default().to_string_lossy()));
    files.sort();
    Ok(files)
}

/// The files of one analysis.
pub(super) struct Evaluations<'a> {
    study: &'a Study,
    design: &'a Design,
    directory: PathBuf,
    identity: &'a EngineIdentity,
}

/// Outcomes of the trials, by criterion.
pub(super) struct Outcomes {
    /// By criterion and trial: the value of its quantity, if the criterion has one and the trial has a value.
    pub values: Vec<Vec<Option<f64>>>,
    /// By criterion and trial: whether the event happened.
    pub events: Vec<Vec<bool>>,
    /// Invalid trials.
    pub invalid: u64,
}

impl<'a> Evaluations<'a> {
    /// The files in a directory, which is created if necessary.
    pub fn prepare(
        study: &'a Study,
        design: &'a Design,
        directory: &Path,
        identity: &'a EngineIdentity,
    ) -> Result<Self, TableError> {
        let directory = directory.join(DIRECTORY);
        let failed = |source| TableError::Write { path: directory.clone(), source };
        fs::create_dir_all(&directory).map_err(failed)?;
        Ok(Self { study, design, directory, identity })
    }

    /// Total number of files.
    pub fn files(&self) -> u64 {
        self.design.trials().div_ceil(FILE_SIZE)
    }

    /// The trials in a file.
    pub fn trials(&self, file: u64) -> Range<u64> {
        file * FILE_SIZE..((file + 1) * FILE_SIZE).min(self.design.trials())
    }

    /// Number of trials in a file.
    pub fn size(&self, file: u64) -> usize {
        let trials = self.trials(file);
        (trials.end - trials.start) as usize
    }

    /// Whether a file is present; a file of another analysis is an error.
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
            ("touchdown.base_points", self.design.points.to_string()),
            ("touchdown.held", self.design.held_in_words(self.study)),
            ("touchdown.first_evaluation", trials.start.to_string()),
            ("touchdown.evaluations", (trials.end - trials.start).to_string()),
        ])
    }

    /// Publishes a file.
    pub fn write(&self, file: u64, rows: &[(Inputs, Outcome)]) -> Result<(), TableError> {
        let study = self.study;
        let mut columns = vec![
            Column::new(
                "evaluation",
                ColumnKind::Integer,
                "",
                &format!("Number of the {} in the design", study.nouns().one),
            ),
            class_column(study),
        ];
        let first = self.trials(file).start;
        let outcomes = || rows.iter().map(|(_, outcome)| outcome);
        let mut values = vec![
            Values::Integer((first..first + rows.len() as u64).map(|number| Some(number as i64)).collect()),
            class_values(study, outcomes()),
        ];
        for sampled in &study.inputs {
            let input = &sampled.input;
            let name = format!("input.{}", input.name);
            columns.push(Column::new(&name, ColumnKind::Number, input.unit.symbol(), input.description));
            values.push(Values::Number(rows.iter().map(|(inputs, _)| Some(inputs.values[sampled.number])).collect()));
        }
        columns.extend(quantity_columns(study));
        values.extend(quantity_values(study, outcomes()));
        let metadata: Vec<(String, String)> = self.metadata(file).into_iter().collect();
        let mut writer = TableWriter::create_with_checksum(&self.path(file), &columns, &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values })?;
        writer.finish()
    }

    /// Reads all files, which must be present.
    pub fn outcomes(&self) -> Result<Outcomes, PartError> {
        let criteria = &self.study.criteria;
        let mut outcomes =
            Outcomes { values: vec![Vec::new(); criteria.len()], events: vec![Vec::new(); criteria.len()], invalid: 0 };
        (0..self.files()).try_for_each(|file| self.read(file, &mut outcomes))?;
        Ok(outcomes)
    }

    fn read(&self, file: u64, outcomes: &mut Outcomes) -> Result<(), PartError> {
        let path = self.path(file);
        let study = self.study;
        let mut wanted =
            vec![Wanted::required("evaluation", ColumnKind::Integer), Wanted::required("class", ColumnKind::Text)];
        // A criterion on a class has no column: its entry stays empty.
        let limited: Vec<Option<usize>> = study.criteria.iter().map(|criterion| criterion.event.quantity()).collect();
        let columns: Vec<Option<usize>> = limited
            .iter()
            .map(|quantity| {
                let name = &study.quantities()[(*quantity)?].name;
                let known = wanted.iter().position(|wanted| wanted.name == *name);
                Some(known.unwrap_or_else(|| {
                    wanted.push(Wanted { required_value: false, ..Wanted::required(name, ColumnKind::Number) });
                    wanted.len() - 1
                }))
            })
            .collect();
        let reader = open_own(&path, &wanted, &self.metadata(file))?;
        let damaged = |what: String| PartError::Damaged { path: path.clone(), what };
        let trials = self.trials(file);
        let mut next = trials.start;
        for chunk in reader {
            let chunk = chunk?;
            let (numbers, classes) = (chunk.integers(0)?, chunk.texts(1)?);
            let values: Vec<Option<&[Option<f64>]>> = columns
                .iter()
                .map(|column| column.map(|column| chunk.numbers(column)).transpose())
                .collect::<Result<_, _>>()?;
            for row in 0..chunk.len() {
                let name = classes[row].as_deref().unwrap_or_default();
                let class = study.model.class_named(name);
                let class = class.filter(|_| numbers[row] == Some(next as i64));
                let class =
                    class.ok_or_else(|| damaged(format!("row {} is not what it should be", next - trials.start)))?;
                outcomes.invalid += u64::from(class == INVALID);
                for (index, criterion) in study.criteria.iter().enumerate() {
                    let value = values[index].and_then(|values| values[row]);
                    outcomes.values[index].push(value);
                    outcomes.events[index].push(criterion.event.happened(class, study.quantities(), |_| value));
                }
                next += 1;
            }
        }
        if next == trials.end { Ok(()) } else { Err(damaged(format!("it ends before {} {next}", study.nouns().one))) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_analysis_with_other_limits_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let identity = EngineIdentity { engine: String::new(), adapter: String::new(), version: String::new() };
        let mut study = Study::read(&path).unwrap();
        let old = Design::new(&study, 16);
        let evaluations = Evaluations::prepare(&study, &old, directory.path(), &identity).unwrap();
        evaluations.write(0, &[]).unwrap();
        assert!(evaluations.has(0).unwrap());
        let quantiles = study.inputs[0].distribution.quantile(0.01);
        study.inputs[0].limit = Some(vec![quantiles, quantiles + 1.0]);
        let new = Design::new(&study, 16);
        let evaluations = Evaluations::prepare(&study, &new, directory.path(), &identity).unwrap();
        let error = evaluations.has(0).unwrap_err();
        assert!(matches!(&error, PartError::Foreign { what, .. } if what == "touchdown.held"), "{error}");
    }
}
