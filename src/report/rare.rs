//! The page of a run by subset simulation, as text for the template `templates/rare.html`.

use askama::Template;

use super::ReportError;
use super::figure;
use super::page::of_files;
use super::rows::{
    CriterionRow, INPUT_QUANTILES, InputRow, bounds, criterion_rows, facts, gravest, input_rows, study_text,
};
use super::sensitivity::{Section, section};
use super::text::{capitalised, cell, optional_cell, percentage_cell, visible};
use crate::model::Nouns;
use crate::shown::Shown;
use crate::study::sensitivity::Sensitivity;
use crate::study::subset::{EventInput, LevelSummary, SubsetSummary};
use crate::study::{Criterion, CriterionSummary, Study, Summary};

#[derive(Template)]
#[template(path = "rare.html")]
struct Page {
    name: String,
    /// A word for the run as a whole, and the class of its colour.
    verdict: (&'static str, &'static str),
    warnings: Vec<String>,
    nouns: Nouns,
    trials: u64,
    facts: Vec<(String, String)>,
    criteria: Vec<CriterionRow>,
    /// How the bounds were made, in a sentence.
    bounds: String,
    intervals: String,
    descents: Vec<Descent>,
    sensitivity: Option<Section>,
    input_quantiles: Vec<String>,
    inputs: Vec<InputRow>,
    study_text: Option<String>,
}

/// The way to the event of a criterion.
struct Descent {
    name: String,
    event: String,
    /// What it took, in a sentence.
    effort: String,
    warnings: Vec<String>,
    figure: String,
    /// Level, replicates, probability, threshold, share of the proposals that was taken.
    levels: Vec<[String; 5]>,
    inputs: Vec<CauseRow>,
}

/// An input in trials with the event.
struct CauseRow {
    name: String,
    unit: String,
    shift: String,
    spread: String,
    /// Width of its bar in percent.
    bar: f64,
    quantiles: Vec<String>,
}

/// The page of a finished run.
pub fn html(study: &Study, summary: &Summary, sensitivity: Option<&Sensitivity>) -> Result<String, ReportError> {
    let criteria = study.criteria.iter().zip(&summary.criteria);
    let page = Page {
        nouns: study.nouns(),
        name: study.name.clone(),
        verdict: gravest(summary),
        warnings: of_files(study),
        trials: trials(summary),
        facts: facts(study, Some(summary)),
        criteria: criterion_rows(summary),
        bounds: bounds(summary),
        intervals: figure::intervals(&summary.criteria),
        descents: criteria.filter_map(|(criterion, reached)| descent(study, criterion, reached)).collect(),
        sensitivity: sensitivity.map(|sensitivity| section(study.nouns().many, sensitivity)),
        input_quantiles: INPUT_QUANTILES.map(percentage_cell).to_vec(),
        inputs: input_rows(study),
        study_text: study_text(study),
    };
    Ok(visible(&page.render()?))
}

/// Trials of all criteria.
pub fn trials(summary: &Summary) -> u64 {
    summary.criteria.iter().filter_map(|criterion| criterion.subset.as_ref()).map(|subset| subset.evaluations).sum()
}

fn descent(study: &Study, criterion: &Criterion, reached: &CriterionSummary) -> Option<Descent> {
    let subset = reached.subset.as_ref()?;
    let greatest = subset.inputs.iter().map(|input| input.shift.abs()).fold(0.0, f64::max);
    let shown = Shown::of(study.unit_of(criterion));
    Some(Descent {
        name: reached.name.clone(),
        event: reached.event.clone(),
        effort: effort(study.nouns().many, subset),
        warnings: subset.warnings(reached.events).iter().map(|warning| sentence(warning)).collect(),
        figure: figure::descent(study, criterion, reached, subset),
        levels: subset.levels.iter().enumerate().map(|(number, level)| level_cells(number, level, &shown)).collect(),
        inputs: subset.inputs.iter().map(|input| cause(input, greatest)).collect(),
    })
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    format!("{}.", capitalised(words))
}

fn effort(many: &str, subset: &SubsetSummary) -> String {
    let replicates = subset.estimates.len();
    let scatter = subset.variation.map_or_else(String::new, |variation| {
        format!(", whose estimates vary by {:.0} % of their mean", 100.0 * variation)
    });
    format!("{} {many} in {replicates} independent replicates{scatter}.", subset.evaluations)
}

fn level_cells(number: usize, level: &LevelSummary, shown: &Shown<'_>) -> [String; 5] {
    [
        number.to_string(),
        level.replicates.to_string(),
        cell(level.probability),
        optional_cell(level.threshold.map(|threshold| shown.value(threshold))),
        level.acceptance.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share)),
    ]
}

fn cause(input: &EventInput, greatest: f64) -> CauseRow {
    let share = if greatest > 0.0 { input.shift.abs() / greatest } else { 0.0 };
    let shown = Shown::of(&input.unit);
    CauseRow {
        name: input.name.clone(),
        unit: shown.symbol.to_owned(),
        shift: cell((100.0 * input.shift).round() / 100.0),
        spread: cell((100.0 * input.spread).round() / 100.0),
        bar: (1000.0 * share).round() / 10.0,
        quantiles: input.quantiles.iter().map(|&(_, value)| shown.cell(value)).collect(),
    }
}
