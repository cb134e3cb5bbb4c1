//! Rows of a part: one trial each.

use super::Study;
use crate::model::{Inputs, Outcome};
use crate::table::{Chunk, Column, ColumnKind, TableError, Values, Wanted};

/// Names of the columns in which two outcomes differ, compared bit for bit; what only one of them has differs.
pub(super) fn differences(study: &Study, one: &Outcome, other: &Outcome) -> Vec<String> {
    let mut names = Vec::new();
    if one.class != other.class {
        names.push("class".to_owned());
    }
    let labels = study.model.labels().iter().map(|label| label.name);
    names.extend(differing(labels, &one.labels, &other.labels, PartialEq::eq));
    let totals = study.model.totals().iter().map(|total| total.column);
    names.extend(differing(totals, &one.totals, &other.totals, PartialEq::eq));
    let quantities = study.quantities().iter().map(|quantity| quantity.name.as_str());
    let is_same = |one: &Option<f64>, other: &Option<f64>| one.map(f64::to_bits) == other.map(f64::to_bits);
    names.extend(differing(quantities, &one.quantities, &other.quantities, is_same));
    names
}

/// The names of those columns in which two rows of values differ.
fn differing<'a, T>(
    names: impl Iterator<Item = &'a str>,
    one: &[T],
    other: &[T],
    is_same: impl Fn(&T, &T) -> bool,
) -> Vec<String> {
    let differs = |place: usize| match (one.get(place), other.get(place)) {
        (Some(one), Some(other)) => !is_same(one, other),
        (one, other) => one.is_some() != other.is_some(),
    };
    names.enumerate().filter(|(place, _)| differs(*place)).map(|(_, name)| name.to_owned()).collect()
}

/// The columns of every part of a study.
pub(super) fn columns(study: &Study) -> Vec<Column> {
    let model = &study.model;
    let mut columns = vec![number_column(study), class_column(study)];
    columns.extend(model.labels().iter().map(|label| Column::new(label.name, ColumnKind::Text, "", label.description)));
    columns.extend(
        model.totals().iter().map(|total| Column::new(total.column, ColumnKind::Integer, "1", total.description)),
    );
    columns.extend(input_columns(study));
    columns.extend(quantity_columns(study));
    columns
}

/// The column of trial numbers.
pub(super) fn number_column(study: &Study) -> Column {
    let one = study.nouns().one;
    Column::new(one, ColumnKind::Integer, "", &format!("Number of the {one}, counted from 0"))
}

/// The column of classes.
pub(super) fn class_column(study: &Study) -> Column {
    Column::new("class", ColumnKind::Text, "", &format!("How the {} ended", study.nouns().one))
}

/// The columns of quantities.
pub(super) fn quantity_columns(study: &Study) -> impl Iterator<Item = Column> {
    study
        .quantities()
        .iter()
        .map(|quantity| Column::new(&quantity.name, ColumnKind::Number, quantity.unit.symbol(), &quantity.description))
}

/// The columns of weights and inputs.
pub(super) fn input_columns(study: &Study) -> Vec<Column> {
    let weight = || Column::new("weight", ColumnKind::Number, "1", &format!("Weight of the {}", study.nouns().one));
    let inputs = study.inputs.iter().map(|sampled| {
        let input = &sampled.input;
        Column::new(&format!("input.{}", input.name), ColumnKind::Number, input.unit.symbol(), input.description)
    });
    study.is_weighted().then(weight).into_iter().chain(inputs).collect()
}

/// The values of these columns for numbered trials.
pub(super) fn input_values(study: &Study, trials: &[(u64, &Inputs)]) -> Vec<Values> {
    let weights = || Values::Number(trials.iter().map(|(trial, _)| Some(study.weight(*trial))).collect());
    let inputs = study
        .inputs
        .iter()
        .map(|sampled| Values::Number(trials.iter().map(|(_, inputs)| Some(inputs.values[sampled.number])).collect()));
    study.is_weighted().then(weights).into_iter().chain(inputs).collect()
}

/// The names of classes.
pub(super) fn class_values<'a>(study: &Study, outcomes: impl Iterator<Item = &'a Outcome>) -> Values {
    let classes = study.model.classes();
    Values::Text(outcomes.map(|outcome| Some(classes[outcome.class].name.to_owned())).collect())
}

/// The values of quantities.
pub(super) fn quantity_values<'a>(
    study: &Study,
    outcomes: impl Iterator<Item = &'a Outcome> + Clone,
) -> impl Iterator<Item = Values> {
    (0..study.quantities().len())
        .map(move |number| Values::Number(outcomes.clone().map(|outcome| outcome.quantities[number]).collect()))
}

/// The values of all columns for numbered trials.
pub(super) fn values(study: &Study, rows: &[(u64, Inputs, Outcome)]) -> Vec<Values> {
    let outcomes = || rows.iter().map(|(_, _, outcome)| outcome);
    let mut values = vec![
        Values::Integer(rows.iter().map(|(trial, _, _)| Some(*trial as i64)).collect()),
        class_values(study, outcomes()),
    ];
    values.extend(
        (0..study.model.labels().len())
            .map(|label| Values::Text(outcomes().map(|outcome| outcome.labels[label].clone()).collect())),
    );
    values.extend(
        (0..study.model.totals().len())
            .map(|total| Values::Integer(outcomes().map(|outcome| Some(outcome.totals[total] as i64)).collect())),
    );
    let inputs: Vec<(u64, &Inputs)> = rows.iter().map(|(trial, inputs, _)| (*trial, inputs)).collect();
    values.extend(input_values(study, &inputs));
    values.extend(quantity_values(study, outcomes()));
    values
}

/// The columns of an outcome, with the trial's number.
pub(super) fn wanted(study: &Study) -> Vec<Wanted> {
    let mut wanted =
        vec![Wanted::required(study.nouns().one, ColumnKind::Integer), Wanted::required("class", ColumnKind::Text)];
    wanted.extend(study.model.totals().iter().map(|total| Wanted::required(total.column, ColumnKind::Integer)));
    wanted.extend(
        study
            .quantities()
            .iter()
            .map(|quantity| Wanted { required_value: false, ..Wanted::required(&quantity.name, ColumnKind::Number) }),
    );
    let labels = study.model.labels().iter();
    wanted
        .extend(labels.map(|label| Wanted { required_value: false, ..Wanted::required(label.name, ColumnKind::Text) }));
    wanted
}

/// A row as it was read.
pub(super) struct ReadRow {
    /// The recorded trial number.
    pub number: Option<i64>,
    /// Its outcome, or the name of a class that the model does not have.
    pub outcome: Result<Outcome, String>,
}

/// The rows of a chunk with the [`wanted`] columns, each made when it is asked for.
pub(super) fn read(study: &Study, chunk: &Chunk) -> Result<impl Iterator<Item = ReadRow>, TableError> {
    let (numbers, classes) = (chunk.integers(0)?, chunk.texts(1)?);
    let count = study.model.totals().len();
    let totals: Vec<&[Option<i64>]> = (2..2 + count).map(|column| chunk.integers(column)).collect::<Result<_, _>>()?;
    let quantities: Vec<&[Option<f64>]> =
        (0..study.quantities().len()).map(|quantity| chunk.numbers(2 + count + quantity)).collect::<Result<_, _>>()?;
    let first_label = 2 + count + quantities.len();
    let labels: Vec<&[Option<String>]> =
        (0..study.model.labels().len()).map(|label| chunk.texts(first_label + label)).collect::<Result<_, _>>()?;
    let row = move |row: usize| {
        let name = classes[row].as_deref().unwrap_or_default();
        let outcome = |class| Outcome {
            class,
            totals: totals.iter().map(|column| column[row].unwrap_or(0) as u64).collect(),
            labels: labels.iter().map(|column| column[row].clone()).collect(),
            quantities: quantities.iter().map(|column| column[row]).collect(),
        };
        ReadRow {
            number: numbers[row],
            outcome: study.model.class_named(name).map(outcome).ok_or_else(|| name.to_owned()),
        }
    };
    Ok((0..chunk.len()).map(row))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn outcomes_differ_in_labels_and_in_what_one_of_them_lacks() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let study = Study::read(&path).unwrap();
        let whole = Outcome {
            class: 1,
            totals: vec![1; study.model.totals().len()],
            labels: vec![None; study.model.labels().len()],
            quantities: vec![Some(1.0); study.quantities().len()],
        };
        let differing = |change: fn(&mut Outcome)| {
            let mut other = whole.clone();
            change(&mut other);
            [differences(&study, &whole, &other), differences(&study, &other, &whole)]
        };
        let both = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            [names.clone(), names]
        };
        assert_eq!(differing(|_| ()), both(&[]));
        assert_eq!(differing(|other| other.class = 0), both(&["class"]));
        let label = study.model.labels()[0].name;
        assert_eq!(differing(|other| other.labels[0] = Some("nose".to_owned())), both(&[label]));
        let last = &study.quantities().last().unwrap().name;
        assert_eq!(differing(|other| other.quantities.truncate(other.quantities.len() - 1)), both(&[last]));
        let totals: Vec<&str> = study.model.totals().iter().map(|total| total.column).collect();
        assert_eq!(differing(|other| other.totals.clear()), both(&totals));
    }
}
