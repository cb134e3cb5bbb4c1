//! Rows and facts common to all reports.

use super::text::{cell, exact_cell, optional_cell};
use crate::shown::Shown;
use crate::study::statistics::Verdict;
use crate::study::{CriterionSummary, SampledInput, Study, Summary};

/// Longest study file that is shown whole \[bytes\].
const MAX_STUDY: usize = 1 << 17;
/// Quantiles of the inputs that are shown.
pub const INPUT_QUANTILES: [f64; 5] = [0.001, 0.05, 0.5, 0.95, 0.999];

/// A criterion.
pub struct CriterionRow {
    pub name: String,
    pub event: String,
    /// Where its limit is from, and how far that was checked.
    pub source: Option<String>,
    pub events: String,
    /// Estimate, lower bound, upper bound, allowed probability.
    pub numbers: [String; 4],
    pub confidence: String,
    pub verdict: String,
}

/// An input.
pub struct InputRow {
    pub name: &'static str,
    pub description: &'static str,
    pub unit: &'static str,
    pub distribution: String,
    pub quantiles: Vec<String>,
}

/// The word for the run as a whole.
pub fn gravest(summary: &Summary) -> (&'static str, &'static str) {
    let any = |verdict| summary.criteria.iter().any(|criterion| criterion.verdict == verdict);
    if summary.criteria.is_empty() {
        ("without criteria", "")
    } else if any(Verdict::Failed) {
        ("failed", "failed")
    } else if any(Verdict::Undecided) {
        ("undecided", "undecided")
    } else {
        ("met", "met")
    }
}

/// How the bounds were made, in a sentence.
pub fn bounds(summary: &Summary) -> String {
    let is_usual = |criterion: &CriterionSummary| criterion.bounds == "Clopper-Pearson";
    let how = if summary.criteria.iter().all(is_usual) {
        "of Clopper and Pearson".to_owned()
    } else {
        let each = summary.criteria.iter().map(|criterion| format!("{} by {}", criterion.name, criterion.bounds));
        each.collect::<Vec<_>>().join("; ")
    };
    let outlooks = summary.criteria.iter().filter_map(|criterion| Some((&criterion.name, criterion.outlook?)));
    let outlooks: String = outlooks.map(|(name, outlook)| format!(" {name} is undecided: {outlook}.")).collect();
    format!("Bounds are one-sided, each at the criterion's confidence: {how}.{outlooks}")
}

pub fn facts(study: &Study, summary: Option<&Summary>) -> Vec<(String, String)> {
    let many = study.nouns().many;
    let mut facts = vec![
        ("study hash (SHA-256)".to_owned(), study.hash().to_owned()),
        ("seed".to_owned(), study.seed.to_string()),
        ("sampling".to_owned(), study.method.name().to_owned()),
        (format!("invalid {many} allowed"), study.invalid_allowance.to_string()),
    ];
    facts.extend(study.model.facts().into_iter().map(|(name, fact)| (name.to_owned(), fact)));
    facts.extend(match study.subset() {
        None => vec![
            (format!("{many} asked for"), study.trials.to_string()),
            (format!("{many} in a part"), study.part_size.to_string()),
        ],
        Some(settings) => vec![
            (format!("{many} at most"), study.trials.to_string()),
            ("samples of a level and replicate".to_owned(), settings.samples.to_string()),
            ("replicates".to_owned(), settings.replicates.to_string()),
            ("share of the samples that survives a level".to_owned(), settings.level_probability().to_string()),
            ("smallest probability followed".to_owned(), settings.smallest.to_string()),
        ],
    });
    if let Some(summary) = summary {
        facts.extend([
            ("version".to_owned(), summary.version.clone()),
            ("engine".to_owned(), summary.engine.clone()),
            ("adapter".to_owned(), summary.adapter.clone()),
        ]);
        facts.extend(summary.totals.0.iter().map(|total| (total.name.to_owned(), total.count.to_string())));
    }
    facts
}

pub fn criterion_rows(summary: &Summary) -> Vec<CriterionRow> {
    let row = |criterion: &CriterionSummary| CriterionRow {
        name: criterion.name.clone(),
        event: criterion.event.clone(),
        source: criterion.source.as_ref().map(|source| format!("{} ({})", source.text, source.checked.name())),
        // Those of the last level are no share of all trials.
        events: if criterion.subset.is_some() { "by levels".to_owned() } else { criterion.events.to_string() },
        numbers: [
            cell(criterion.estimate),
            bound_cell(criterion, criterion.lower),
            bound_cell(criterion, criterion.upper),
            cell(criterion.probability),
        ],
        confidence: exact_cell(criterion.confidence),
        verdict: criterion.verdict.to_string(),
    };
    summary.criteria.iter().map(row).collect()
}

/// A bound, where it is what it says.
fn bound_cell(criterion: &CriterionSummary, bound: f64) -> String {
    optional_cell(criterion.is_trusted.then_some(bound))
}

pub fn input_rows(study: &Study) -> Vec<InputRow> {
    let row = |sampled: &SampledInput| {
        let shown = Shown::of(sampled.input.unit.symbol());
        let quantile = |probability| shown.number(sampled.distribution.quantile(probability));
        InputRow {
            name: sampled.input.name,
            description: sampled.input.description,
            unit: shown.symbol,
            distribution: sampled.distribution.to_string(),
            quantiles: INPUT_QUANTILES.map(quantile).to_vec(),
        }
    };
    study.inputs.iter().map(row).collect()
}

/// The study file, where it is short enough to be shown.
pub fn study_text(study: &Study) -> Option<String> {
    Some(study.text()).filter(|text| text.len() <= MAX_STUDY)
}
