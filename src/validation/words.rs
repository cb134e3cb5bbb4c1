//! Items in words: the answers of both engines, their difference, and the verdict.

use super::steps::{Parting, StepJudgement};
use super::{Agreement, Deviation};
use crate::query::WheelStep;
use crate::shown::number;

/// All that is known of an item.
#[derive(Clone, Debug)]
pub struct Description {
    /// The verdict.
    pub verdict: Agreement,
    /// Texts and tables.
    pub parts: Vec<Part>,
}

/// A part of a description.
#[derive(Clone, Debug)]
pub enum Part {
    /// Lines.
    Text(String),
    /// Rows of a table, the head first.
    Table(Vec<Vec<String>>),
}

/// A number's name and its text.
pub(super) type Numbers = Vec<(String, String)>;

/// A number that may be missing.
pub(super) fn optional_number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// A verdict, and why.
pub(super) fn verdict_line(verdict: Agreement, why: &str) -> Part {
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    Part::Text(format!("  verdict       {}{why}\n", verdict.name()))
}

/// The judge's and the engine's numbers side by side.
pub(super) fn both(truth: &Numbers, answer: &Numbers) -> Part {
    let mut rows = vec![["", "judge", "engine"].map(str::to_owned).to_vec()];
    rows.extend(
        truth.iter().zip(answer).map(|((name, truth), (_, answer))| vec![name.clone(), truth.clone(), answer.clone()]),
    );
    Part::Table(rows)
}

/// Errors and their bounds.
pub(super) fn errors(groups: &[(&str, &[Deviation])]) -> Part {
    let mut rows = vec![["", "error", "bound", "error/bound"].map(str::to_owned).to_vec()];
    for (name, deviations) in groups {
        rows.extend(deviations.iter().map(|deviation| {
            let Deviation { what, error, bound } = deviation;
            vec![format!("{name}{what}"), number(*error), number(*bound), number(deviation.ratio())]
        }));
    }
    Part::Table(rows)
}

/// What a step comes to.
pub(super) fn step_verdict(judgement: &StepJudgement) -> Vec<Part> {
    let StepJudgement { verdict, why, ratio, parting } = judgement;
    let mut text = match ratio {
        Some(ratio) => format!("  decided alike; largest error/bound {}\n", number(*ratio)),
        None => String::new(),
    };
    if let Some(Parting { decision, margin }) = parting {
        let margin = match margin {
            Some(share) => format!("a state displaced by {} of its bound is decided as the engine did", number(*share)),
            None => "no state displaced by its bound is decided as the engine did".to_owned(),
        };
        text.push_str(&format!("  decision      {decision}\n  margin        {margin}\n"));
    }
    vec![Part::Text(text), verdict_line(*verdict, why)]
}

/// The coordinates of a vector.
pub(super) fn vector(numbers: &mut Numbers, name: &str, unit: &str, values: [f64; 3]) {
    numbers.extend(
        ["x", "y", "z"]
            .into_iter()
            .zip(values)
            .map(|(axis, value)| (format!("{name} {axis} [{unit}]"), value.to_string())),
    );
}

/// All of a wheel's step.
pub(super) fn wheel_numbers(step: &WheelStep) -> Numbers {
    let WheelStep {
        contact,
        force,
        application,
        normal_force,
        compression,
        friction,
        clip_case,
        over_max_force,
        peak_force,
        peak_compression,
    } = step;
    let number_of = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let mut numbers = vec![
        ("state".to_owned(), format!("{:?}", contact.state)),
        ("clip case".to_owned(), format!("{clip_case:?}")),
        ("over maximum force".to_owned(), over_max_force.to_string()),
        ("leaf".to_owned(), number_of(contact.leaf)),
        ("material".to_owned(), number_of(contact.material.map(|material| material.0))),
    ];
    vector(&mut numbers, "pebble", "m", contact.pebble.to_array());
    vector(&mut numbers, "normal", "1", contact.normal.to_array());
    vector(&mut numbers, "force", "N", force.to_array());
    vector(&mut numbers, "place of the force", "m", application.to_array());
    for (name, value) in [
        ("normal force [N]", normal_force),
        ("compression [m]", compression),
        ("friction", friction),
        ("greatest force [N]", peak_force),
        ("greatest compression [m]", peak_compression),
    ] {
        numbers.push((name.to_owned(), value.to_string()));
    }
    numbers
}
