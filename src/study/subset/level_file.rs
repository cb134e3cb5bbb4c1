//! Files of a run by subset simulation: one per criterion and level, with every trial simulated in it.

use std::path::{Path, PathBuf};

use super::replicate::Point;
use crate::engine::EngineIdentity;
use crate::model::{Inputs, Outcome};
use crate::study::part::{Metadata, metadata_of, open_own};
use crate::study::row::{self, ReadRow, columns, values, wanted};
use crate::study::{PartError, Study};
use crate::table::{Chunk, Column, ColumnKind, TableWriter, Values, Wanted};

/// A level of a criterion and the engine that computed it.
pub(super) struct LevelFile<'a> {
    study: &'a Study,
    criterion: usize,
    path: PathBuf,
    metadata: Metadata,
}

/// A simulated trial.
pub(super) struct Simulated {
    pub point: Point,
    pub inputs: Inputs,
    pub outcome: Outcome,
}

/// A row as read back.
pub(super) struct LevelRow {
    pub point: Point,
    pub row: Outcome,
}

impl<'a> LevelFile<'a> {
    /// The file in a directory of parts.
    pub fn new(study: &'a Study, criterion: usize, level: usize, identity: &EngineIdentity, parts: &Path) -> Self {
        let metadata = metadata_of([
            ("touchdown.version", identity.version.clone()),
            ("touchdown.engine", identity.engine.clone()),
            ("touchdown.adapter", identity.adapter.clone()),
            ("touchdown.study", study.hash().to_owned()),
            ("touchdown.seed", study.seed.to_string()),
            ("touchdown.criterion", study.criteria[criterion].name.clone()),
            ("touchdown.level", level.to_string()),
        ]);
        Self { study, criterion, path: parts.join(file_name(criterion, level)), metadata }
    }

    /// The file with this name.
    pub fn named(study: &'a Study, name: &str, identity: &EngineIdentity, parts: &Path) -> Result<Self, PartError> {
        let numbers = name.strip_suffix(".parquet").and_then(|numbers| numbers.split_once('-'));
        let numbers = numbers.and_then(|(criterion, level)| Some((criterion.parse().ok()?, level.parse().ok()?)));
        match numbers {
            Some((criterion, level)) if criterion < study.criteria.len() && file_name(criterion, level) == name => {
                Ok(Self::new(study, criterion, level, identity, parts))
            }
            _ => Err(PartError::Damaged { path: parts.join(name), what: "it is no level of this study".to_owned() }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Publishes the rows of the level, in order.
    pub fn write(&self, simulated: &[Simulated]) -> Result<(), PartError> {
        let metadata: Vec<(String, String)> = self.metadata.clone().into_iter().collect();
        let numbered = |trial: &Simulated| (trial.point.number, trial.inputs.clone(), trial.outcome.clone());
        let trials: Vec<_> = simulated.iter().map(numbered).collect();
        let mut values = values(self.study, &trials);
        values.extend(self.own_values(simulated));
        let mut writer = TableWriter::create_with_checksum(&self.path, &self.columns(), &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values })?;
        Ok(writer.finish()?)
    }

    /// The rows of the level.
    pub fn read(&self) -> Result<Vec<LevelRow>, PartError> {
        let (study, inputs) = (self.study, self.study.inputs.len());
        let mut wanted = wanted(study);
        let first_own = wanted.len();
        wanted.push(Wanted::required("noise", ColumnKind::Integer));
        wanted.extend(self.normal_names().iter().map(|name| Wanted::required(name, ColumnKind::Number)));
        let mut rows = Vec::new();
        for chunk in open_own(&self.path, &wanted, &self.metadata)? {
            let chunk = chunk?;
            let noise = chunk.integers(first_own)?;
            let normals: Vec<&[Option<f64>]> =
                (0..inputs).map(|input| chunk.numbers(first_own + 1 + input)).collect::<Result<_, _>>()?;
            for (row, ReadRow { number, outcome }) in row::read(study, &chunk)?.enumerate() {
                let outcome =
                    outcome.map_err(|class| self.damaged(format!("row {row} has the unknown class `{class}`")))?;
                let count = |value: Option<i64>| value.unwrap_or_default() as u64;
                rows.push(LevelRow {
                    point: Point {
                        number: count(number),
                        z: normals.iter().map(|column| column[row].unwrap_or_default()).collect(),
                        noise: count(noise[row]),
                    },
                    row: outcome,
                });
            }
        }
        Ok(rows)
    }

    /// The error for a file with inconsistent content.
    pub fn damaged(&self, what: String) -> PartError {
        PartError::Damaged { path: self.path.clone(), what }
    }

    fn normal_names(&self) -> Vec<String> {
        self.study.inputs.iter().map(|sampled| format!("z.{}", sampled.input.name)).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let study = self.study;
        let response = "How far beyond the criterion's limit; missing where that has no measure";
        let noise = format!("Number of the {} for which the noise was drawn", study.nouns().one);
        let mut columns = columns(study);
        columns.extend([
            Column::new("replicate", ColumnKind::Integer, "", "Replicate, counted from 0"),
            Column::new("response", ColumnKind::Number, "", response),
            Column::new("noise", ColumnKind::Integer, "", &noise),
        ]);
        let meaning = "Independent standard normal behind the input";
        columns.extend(self.normal_names().iter().map(|name| Column::new(name, ColumnKind::Number, "1", meaning)));
        columns
    }

    fn own_values(&self, simulated: &[Simulated]) -> Vec<Values> {
        let study = self.study;
        let settings = study.subset();
        let replicate = |trial: &Simulated| {
            settings.map(|settings| settings.slot(trial.point.number % settings.samples_at_most()).replicate as i64)
        };
        let response = |trial: &Simulated| {
            let response = response(study, self.criterion, &trial.outcome);
            response.is_finite().then_some(response)
        };
        let mut values = vec![
            Values::Integer(simulated.iter().map(replicate).collect()),
            Values::Number(simulated.iter().map(response).collect()),
            Values::Integer(simulated.iter().map(|trial| Some(trial.point.noise as i64)).collect()),
        ];
        values.extend(
            (0..study.inputs.len())
                .map(|input| Values::Number(simulated.iter().map(|trial| Some(trial.point.z[input])).collect())),
        );
        values
    }
}

/// The name of a level's file.
fn file_name(criterion: usize, level: usize) -> String {
    format!("{criterion:03}-{level:02}.parquet")
}

/// Signed distance of a trial beyond a criterion's limit.
pub(super) fn response(study: &Study, criterion: usize, row: &Outcome) -> f64 {
    study.criteria[criterion].event.response(study.model.as_ref(), row.class, |number| row.quantities[number])
}
