//! The trials of a sensitivity analysis in files, each published as a whole.

use std::path::Path;

use super::design::Design;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Inputs, Outcome};
use crate::study::analysis::{TrialFiles, TrialNames};
use crate::study::part::metadata_of;
use crate::study::row::{class_column, class_values, quantity_columns, quantity_values};
use crate::study::{PartError, Study};
use crate::table::{Column, ColumnKind, TableError, Values, Wanted};

/// Their directory, in that of the analysis.
pub(in crate::study) const NAMES: TrialNames =
    TrialNames { directory: "evaluations", first: "touchdown.first_evaluation", count: "touchdown.evaluations" };

/// The files of one analysis.
pub(super) struct Evaluations<'a> {
    pub files: TrialFiles<'a>,
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
        design: &Design,
        directory: &Path,
        identity: &EngineIdentity,
    ) -> Result<Self, TableError> {
        let own = metadata_of([
            ("touchdown.base_points", design.points.to_string()),
            ("touchdown.held", design.held_in_words(study)),
        ]);
        let files = TrialFiles::prepare(study, identity, directory, NAMES, design.trials(), own)?;
        Ok(Self { files })
    }

    /// Publishes a file.
    pub fn write(&self, file: u64, rows: &[(Inputs, Outcome)]) -> Result<(), PartError> {
        let study = self.files.study;
        let mut columns = vec![
            Column::new(
                "evaluation",
                ColumnKind::Integer,
                "",
                &format!("Number of the {} in the design", study.nouns().one),
            ),
            class_column(study),
        ];
        let first = self.files.trials(file).start;
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
        Ok(self.files.publish(file, &columns, values)?)
    }

    /// Reads all files, which must be present.
    pub fn outcomes(&self) -> Result<Outcomes, PartError> {
        let criteria = &self.files.study.criteria;
        let mut outcomes =
            Outcomes { values: vec![Vec::new(); criteria.len()], events: vec![Vec::new(); criteria.len()], invalid: 0 };
        (0..self.files.files()).try_for_each(|file| self.read(file, &mut outcomes))?;
        Ok(outcomes)
    }

    fn read(&self, file: u64, outcomes: &mut Outcomes) -> Result<(), PartError> {
        let study = self.files.study;
        let mut wanted =
            vec![Wanted::required("evaluation", ColumnKind::Integer), Wanted::required("class", ColumnKind::Text)];
        let first_quantity = wanted.len();
        wanted.extend(
            study.quantities().iter().map(|quantity| Wanted {
                required_value: false,
                ..Wanted::required(&quantity.name, ColumnKind::Number)
            }),
        );
        let reader = self.files.open(file, &wanted)?;
        let damaged = |what: String| PartError::Damaged { path: self.files.path(file), what };
        let trials = self.files.trials(file);
        let mut next = trials.start;
        for chunk in reader {
            let chunk = chunk?;
            let (numbers, classes) = (chunk.integers(0)?, chunk.texts(1)?);
            let values: Vec<&[Option<f64>]> =
                (first_quantity..wanted.len()).map(|column| chunk.numbers(column)).collect::<Result<_, _>>()?;
            for row in 0..chunk.len() {
                let name = classes[row].as_deref().unwrap_or_default();
                let class = study.model.class_named(name);
                let class = class.filter(|_| numbers[row] == Some(next as i64));
                let class =
                    class.ok_or_else(|| damaged(format!("row {} is not what it should be", next - trials.start)))?;
                outcomes.invalid += u64::from(class == INVALID);
                for (index, criterion) in study.criteria.iter().enumerate() {
                    let value = |quantity: usize| values[quantity][row];
                    outcomes.values[index].push(criterion.event.quantity().and_then(value));
                    outcomes.events[index].push(criterion.event.happened(study.model.as_ref(), class, value));
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
        assert!(evaluations.files.has(0).unwrap());
        let quantiles = study.inputs[0].distribution.quantile(0.01);
        study.inputs[0].limit = Some(vec![quantiles, quantiles + 1.0]);
        let new = Design::new(&study, 16);
        let evaluations = Evaluations::prepare(&study, &new, directory.path(), &identity).unwrap();
        let error = evaluations.files.has(0).unwrap_err();
        assert!(matches!(&error, PartError::Foreign { what, .. } if what == "touchdown.held"), "{error}");
    }
}
