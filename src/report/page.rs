//! Content of the page, as text for the template `templates/report.html`.

use askama::Template;

use super::curve::{self, Counted, CurvePoint, Tail};
use super::figure::{self, LEVELS};
use super::gather::{Gathered, Results};
use super::rows::{
    CriterionRow, INPUT_QUANTILES, InputRow, bounds, criterion_rows, facts, gravest, input_rows, study_text,
};
use super::sensitivity::{Section, section};
use super::text::{capitalised, cell, optional_cell, percentage_cell, share, visible};
use super::weighted_curve::WeightedCurve;
use super::worst::WorstTrial;
use super::{Analyses, ReportError, map};
use crate::model::{Flag, Footprint, Nouns, Profile};
use crate::scene::Scene;
use crate::shown::Shown;
use crate::study::sampling::Method;
use crate::study::statistics::QUANTILES;
use crate::study::{
    Criterion, CriterionSummary, DEFAULT_CONFIDENCE, Event, Quantile, QuantitySummary, SampledInput, Study, Summary,
    TailSummary, ToleranceInterval,
};

// What follows bounds the file. A step takes some 12 bytes; a tail has up to 621 steps in each of three lines, a
// convergence up to 475 points (10^12 trials): 48 times 2 tails, 2.2 MB, and 24 convergences, 0.5 MB. The footprint has
// at most 8192 cells of 40 bytes, twice: 0.7 MB. A sensitivity analysis has 24 tables of some 40 inputs: 1 MB. The study file is escaped to at most six times its length, 0.8 MB.

/// Maximum number of criteria with a figure of their own.
const MAX_CONVERGENCES: usize = 24;
/// Maximum number of quantities with figures.
const MAX_FIGURES: usize = 48;
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    name: String,
    /// A word for the run as a whole, and the class of its colour.
    verdict: (&'static str, &'static str),
    warnings: Vec<String>,
    trials: u64,
    facts: Vec<(String, String)>,
    criteria: Vec<CriterionRow>,
    /// How the bounds were made, in a sentence.
    bounds: String,
    intervals: String,
    tails: Vec<TailRow>,
    classes: Vec<ClassRow>,
    /// Names of the model's flags, each with what is above 0 where it is set.
    flags: Vec<(&'static str, String)>,
    nouns: Nouns,
    footprint: Option<(Footprint, String)>,
    profile: Option<(Profile, String)>,
    levels: Vec<u64>,
    limited: Vec<QuantityFigures>,
    sensitivity: Option<Section>,
    map: Option<map::Section>,
    convergence: Vec<Figure>,
    worst: Vec<WorstTable>,
    quantile_names: Vec<String>,
    tolerance_names: Vec<String>,
    quantities: Vec<QuantityRow>,
    others: Vec<QuantityFigures>,
    figures_left_out: usize,
    input_quantiles: Vec<String>,
    inputs: Vec<InputRow>,
    study_text: Option<String>,
}

struct TailRow {
    criterion: String,
    exceedances: u64,
    /// Threshold, shape, scale, estimate, lower bound, upper bound, allowed probability, p-value of the fit.
    numbers: [String; 9],
    warning: Option<String>,
}

struct ClassRow {
    name: String,
    count: String,
    share: String,
    /// Width of its bar in percent.
    bar: f64,
    first: Option<u64>,
}

struct Figure {
    title: String,
    svg: String,
}

struct QuantityFigures {
    name: String,
    description: String,
    confidence: f64,
    note: Option<String>,
    has_two_tails: bool,
    has_fit: bool,
    exceedance: String,
    histogram: String,
}

struct WorstTable {
    criterion: String,
    event: String,
    has_values: bool,
    /// Names with units.
    inputs: Vec<String>,
    rows: Vec<WorstRow>,
}

struct WorstRow {
    trial: u64,
    value: String,
    class: &'static str,
    inputs: Vec<String>,
}

struct QuantityRow {
    name: String,
    description: String,
    unit: String,
    numbers: Vec<String>,
}

/// The page of a run.
pub fn html(study: &Study, gathered: &Gathered, analyses: &Analyses) -> Result<String, ReportError> {
    let results = gathered.results.as_ref();
    let (limited, others, figures_left_out) = results.map(|results| figures(study, results)).unwrap_or_default();
    let summary = results.map(|results| &results.summary);
    let criteria = || results.into_iter().flat_map(|results| results.summary.criteria.iter().enumerate());
    let page = Page {
        name: study.name.clone(),
        verdict: summary.filter(|_| is_finished(study, gathered)).map_or(("unfinished", "undecided"), gravest),
        warnings: warnings(study, gathered),
        trials: gathered.trials(),
        facts: facts(study, summary),
        criteria: summary.map(criterion_rows).unwrap_or_default(),
        intervals: summary.map(|summary| figure::intervals(&summary.criteria)).unwrap_or_default(),
        tails: summary.map(|summary| tail_rows(study, summary)).unwrap_or_default(),
        bounds: summary.map(bounds).unwrap_or_default(),
        classes: results.map(|results| class_rows(study, results)).unwrap_or_default(),
        flags: flags(study),
        nouns: study.nouns(),
        footprint: results.and_then(|results| {
            let density = results.density.as_ref()?;
            Some((density.footprint.clone(), figure::footprint(study, density)))
        }),
        profile: results.and_then(|results| {
            let profile = study.model.profile()?;
            let svg = figure::profile(study, &profile, results.sums.quantities())?;
            Some((profile, svg))
        }),
        levels: (1..=LEVELS).collect(),
        limited,
        sensitivity: analyses.sensitivity.as_ref().map(|it| section(study.nouns().many, it)),
        map: analyses.map.as_ref().map(|map| map::section(study.nouns().many, map)),
        convergence: criteria()
            .take(MAX_CONVERGENCES)
            .flat_map(|(index, criterion)| {
                let svg = figure::convergence(study.nouns().many, criterion, index, &results?.checkpoints);
                Some(Figure { title: criterion.name.clone(), svg })
            })
            .collect(),
        worst: results.map(|results| worst_tables(study, results)).unwrap_or_default(),
        quantile_names: QUANTILES.map(percentage_cell).to_vec(),
        tolerance_names: summary
            .and_then(|summary| summary.quantities.first())
            .map(|quantity| quantity.tolerance.iter().map(tolerance_title).collect())
            .unwrap_or_default(),
        quantities: summary.map(|summary| quantity_rows(study, summary)).unwrap_or_default(),
        others,
        figures_left_out,
        input_quantiles: INPUT_QUANTILES.map(percentage_cell).to_vec(),
        inputs: input_rows(study),
        study_text: study_text(study),
    };
    Ok(visible(&page.render()?))
}

/// Whether all parts that the study needs are there.
fn is_finished(study: &Study, gathered: &Gathered) -> bool {
    let stopped = gathered.results.as_ref().is_some_and(|results| results.summary.is_settled());
    gathered.parts == study.parts() || (study.stopping.is_some() && stopped)
}

fn warnings(study: &Study, gathered: &Gathered) -> Vec<String> {
    let mut warnings = Vec::new();
    let Nouns { one, many } = study.nouns();
    if let Some(results) = &gathered.results {
        let trials = gathered.trials();
        if let Some(standing) = results.summary.stopping.as_ref().filter(|_| gathered.parts < study.parts()) {
            warnings.push(format!(
                "This run ended with {trials} of at most {} {many}: {}.",
                study.trials, standing.stopped
            ));
        }
        if results.rows < trials {
            warnings.push(format!(
                "The rows of {} of {trials} {many} were kept. Footprint, worst {many} and the first {one} of each \
                 class are of these alone; everything else is of all {many}.",
                results.rows
            ));
        }
        if matches!(study.method, Method::Table(_)) {
            warnings
                .push("The inputs are the rows of a table; probabilities take these for independent draws.".to_owned());
        }
        if let Some(whose) = &results.summary.shares_of {
            warnings.push(format!(
                "{} have weights. Criteria, their convergence{} are weighted; shares of classes, footprint, worst \
                 {many}, histograms and statistics of quantities are of {whose}.",
                capitalised(many),
                if results.weighted_curves.is_empty() { "" } else { " and the curves of quantities" }
            ));
        }
    }
    if !is_finished(study, gathered) && study.stopping.is_none() {
        warnings.push(format!(
            "This run is not finished: {} of {} parts are there, with {} of {} {many}. All figures are of these alone, and \
             nothing is decided before the end.",
            gathered.parts,
            study.parts(),
            gathered.trials(),
            study.trials
        ));
    }
    let invalid = gathered.results.as_ref().map_or(0, |results| results.summary.invalid());
    if invalid > study.invalid_allowance {
        warnings.push(format!(
            "{invalid} {many} are invalid, {} are allowed. An invalid {one} counts as every event.",
            study.invalid_allowance
        ));
    }
    warnings
        .extend(gathered.results.iter().flat_map(|results| results.summary.reservations(study)).map(|said| said + "."));
    warnings.extend(of_files(study));
    warnings
}

/// What is doubtful in the model and its scene.
pub(super) fn of_files(study: &Study) -> Vec<String> {
    let mut warnings = study.model.warnings();
    // The page does not depend on where the run's directory stands.
    let of_scene = study.model.scene().into_iter().flat_map(Scene::warnings);
    warnings.extend(of_scene.map(|warning| warning.without_directory().to_string()));
    warnings
}

fn class_rows(study: &Study, results: &Results) -> Vec<ClassRow> {
    let summary = &results.summary;
    let row = |name: &str, count: u64, first| ClassRow {
        name: name.to_owned(),
        count: count.to_string(),
        share: share(count, summary.trials.count),
        bar: (1000.0 * count as f64 / summary.trials.count as f64).round() / 10.0,
        first,
    };
    let count = |name: &str| summary.classes.get(name).copied().unwrap_or(0);
    let classes = study.model.classes().iter().zip(&results.first_of_class).rev();
    let classes = classes.map(|(class, first)| row(class.name, count(class.name), *first));
    let flags = summary.flags.0.iter().map(|flag| row(&format!("({})", flag.name), flag.count, None));
    classes.chain(flags).collect()
}

fn flags(study: &Study) -> Vec<(&'static str, String)> {
    let quantities = study.model.quantities();
    let meaning = |flag: &Flag| (flag.name, quantities[flag.quantity].description.clone());
    study.model.flags().iter().map(meaning).collect()
}

fn worst_tables(study: &Study, results: &Results) -> Vec<WorstTable> {
    let tables = study.criteria.iter().zip(&results.worst).map(|(criterion, worst)| WorstTable {
        criterion: criterion.name.clone(),
        event: criterion.description.clone(),
        has_values: criterion.event.quantity().is_some(),
        inputs: varied_inputs(study)
            .map(|(sampled, shown)| format!("{} [{}]", sampled.input.name, shown.symbol))
            .collect(),
        rows: worst.trials().iter().map(|trial| worst_row(study, criterion, trial)).collect(),
    });
    tables.filter(|table| !table.rows.is_empty()).collect()
}

/// The inputs that differ from trial to trial.
fn varied_inputs(study: &Study) -> impl Iterator<Item = (&SampledInput, Shown<'static>)> {
    let varied = study.inputs.iter().filter(|sampled| !sampled.distribution.is_constant());
    varied.map(|sampled| (sampled, Shown::of(sampled.input.unit.symbol())))
}

fn worst_row(study: &Study, criterion: &Criterion, trial: &WorstTrial) -> WorstRow {
    let inputs = study.inputs_of(trial.trial);
    let quantity = criterion.event.quantity().map(|quantity| &study.quantities()[quantity]);
    let shown = Shown::of(quantity.map_or("", |quantity| quantity.unit.symbol()));
    let value = |value: f64| format!("{} {}", shown.cell(value), shown.symbol);
    WorstRow {
        trial: trial.trial,
        value: trial.value.map_or_else(|| optional_cell(None), value),
        class: study.model.classes()[trial.class].name,
        inputs: varied_inputs(study).map(|(sampled, shown)| shown.cell(inputs.values[sampled.number])).collect(),
    }
}

fn quantity_rows(study: &Study, summary: &Summary) -> Vec<QuantityRow> {
    let row = |(quantity, summary): (&crate::model::Quantity, &QuantitySummary)| {
        let shown = Shown::of(&summary.unit);
        let optional = |value| shown.optional_cell(value);
        let mut numbers = vec![summary.count.to_string()];
        numbers.push(optional(summary.minimum));
        numbers.push(bounded_cell(summary.mean, summary.mean_bounds, shown));
        numbers.push(bounded_cell(summary.standard_deviation, summary.standard_deviation_bounds, shown));
        // A quantity that no trial has has no quantiles.
        let quantile = |index: usize| {
            summary.quantiles.get(index).map_or_else(|| optional_cell(None), |quantile| quantile_cell(quantile, shown))
        };
        numbers.extend((0..QUANTILES.len()).map(quantile));
        numbers.push(optional(summary.maximum));
        numbers.extend(summary.tolerance.iter().map(|interval| tolerance_cell(interval, shown)));
        QuantityRow {
            name: summary.name.clone(),
            description: quantity.description.clone(),
            unit: shown.symbol.to_owned(),
            numbers,
        }
    };
    study.quantities().iter().zip(&summary.quantities).map(row).collect()
}

fn bounded_cell(value: Option<f64>, ends: Option<(f64, f64)>, shown: Shown<'_>) -> String {
    let cell = |value| shown.cell(value);
    let ends = ends.map(|(lower, upper)| {
        format!("<br/><small>from {}</small><br/><small>to {}</small>", cell(lower), cell(upper))
    });
    shown.optional_cell(value) + &ends.unwrap_or_default()
}

fn tolerance_title(interval: &ToleranceInterval) -> String {
    format!("{} % of all at {} %", cell(100.0 * interval.content), cell(100.0 * interval.confidence))
}

fn tolerance_cell(interval: &ToleranceInterval, shown: Shown<'_>) -> String {
    let cell = |value| shown.cell(value);
    match (interval.lower, interval.upper, interval.values_needed) {
        (Some(lower), Some(upper), _) => format!("{} to {}", cell(lower), cell(upper)),
        (_, _, Some(needed)) => format!("<small>needs {needed} values</small>"),
        _ => optional_cell(None),
    }
}

/// The value, and under it the ends of its interval, as far as there are any.
fn quantile_cell(quantile: &Quantile, shown: Shown<'_>) -> String {
    let ends = [("from", quantile.lower), ("to", quantile.upper)];
    let ends =
        ends.into_iter().filter_map(|(word, end)| Some(format!("<br/><small>{word} {}</small>", shown.cell(end?))));
    shown.cell(quantile.value) + &ends.collect::<String>()
}

fn tail_rows(study: &Study, summary: &Summary) -> Vec<TailRow> {
    let row = |(own, criterion): (&Criterion, &CriterionSummary)| {
        let tail = criterion.tail.as_ref()?;
        let shown = Shown::of(study.unit_of(own));
        Some(TailRow {
            criterion: criterion.name.clone(),
            exceedances: tail.exceedances,
            numbers: [
                shown.cell(tail.threshold),
                cell(tail.shape),
                shown.cell(tail.scale),
                shown.cell(tail.farthest),
                tail.estimate.map_or_else(String::new, cell),
                cell(tail.lower),
                cell(tail.upper),
                cell(criterion.probability),
                cell(tail.fit_p_value),
            ],
            warning: tail.warning.clone(),
        })
    };
    study.criteria.iter().zip(&summary.criteria).filter_map(row).collect()
}

/// The figures of the quantities that criteria limit, those of the others that take more than one value, and how many
/// have none because there would be too many.
fn figures(study: &Study, results: &Results) -> (Vec<QuantityFigures>, Vec<QuantityFigures>, usize) {
    let sums = results.sums.quantities();
    let varied = (0..sums.len()).filter(|&number| sums[number].minimum() < sums[number].maximum());
    let (limited, others): (Vec<usize>, Vec<usize>) =
        varied.partition(|&number| !criteria_on(study, number).is_empty());
    let made = |numbers: &[usize], most: usize| -> Vec<QuantityFigures> {
        numbers.iter().take(most).filter_map(|&number| quantity_figures(study, results, number)).collect()
    };
    let left_out = (limited.len() + others.len()).saturating_sub(MAX_FIGURES);
    let limited_figures = made(&limited, MAX_FIGURES);
    let others = made(&others, MAX_FIGURES - limited_figures.len());
    (limited_figures, others, left_out)
}

/// The criteria on a quantity.
fn criteria_on(study: &Study, number: usize) -> Vec<&Criterion> {
    study.criteria.iter().filter(|criterion| criterion.event.quantity() == Some(number)).collect()
}

/// The fitted tails of a quantity.
fn tails_on<'a>(study: &Study, summary: &'a Summary, number: usize) -> Vec<(Tail, &'a TailSummary)> {
    let of = |(criterion, summary): (&Criterion, &'a CriterionSummary)| match criterion.event {
        Event::Above { quantity, .. } if quantity == number => Some((Tail::Above, summary.tail.as_ref()?)),
        Event::Below { quantity, .. } if quantity == number => Some((Tail::Below, summary.tail.as_ref()?)),
        _ => None,
    };
    study.criteria.iter().zip(&summary.criteria).filter_map(of).collect()
}

fn quantity_figures(study: &Study, results: &Results, number: usize) -> Option<QuantityFigures> {
    let many = study.nouns().many;
    let (quantity, sums) = (&study.quantities()[number], &results.sums.quantities()[number]);
    let criteria = criteria_on(study, number);
    let trials = results.summary.trials.count;
    // As in `Event::happened`: what is not known is not taken in a trial's favour.
    let always = if quantity.lack_is_good { results.lacking[number] } else { trials - sums.count() };
    let confidence = criteria.first().map_or(DEFAULT_CONFIDENCE, |criterion| criterion.confidence);
    let note = (always > 0).then(|| {
        format!("{always} {many} have no such value and count as beyond every limit, as they do in the criteria.")
    });
    let fits = tails_on(study, &results.summary, number);
    let tails = figure::tails(sums, &criteria);
    let counted = Counted { trials, always, confidence };
    let weighted = weighted_curves(results, number, tails, confidence);
    let mut shown = figure::Exceedance {
        share: "probability",
        curves: tails.iter().map(|&tail| (tail, curve::exceedance(sums, tail, counted))).collect(),
        least: 0.5 / trials as f64,
        criteria: &criteria,
        fits: &fits,
        always: always as f64 / trials as f64,
    };
    if !weighted.is_empty() {
        shown.least = 0.5 * least_estimate(&weighted);
        shown.curves = weighted;
    } else if study.is_weighted() {
        // Trials with weights are no sample of the distributions: their shares are not those that criteria limit.
        (shown.criteria, shown.share) = (&[], "share as drawn");
    }
    Some(QuantityFigures {
        name: quantity.name.clone(),
        description: quantity.description.clone(),
        confidence: 100.0 * confidence,
        note,
        has_two_tails: tails.len() > 1,
        has_fit: fits.iter().any(|(_, tail)| tail.reach().is_some()),
        exceedance: figure::exceedance(quantity, sums, shown)?,
        histogram: figure::histogram(study.nouns().many, quantity, sums)?,
    })
}

/// The weighted curves of a quantity for these tails; none where they are not known.
fn weighted_curves(results: &Results, number: usize, tails: &[Tail], confidence: f64) -> Vec<(Tail, Vec<CurvePoint>)> {
    let is_shown = |curve: &&WeightedCurve| curve.quantity == number && tails.contains(&curve.tail);
    let curves = results.weighted_curves.iter().filter(is_shown);
    curves.map(|curve| (curve.tail, curve.points(confidence))).collect()
}

/// The least probability above 0 of some curves.
fn least_estimate(curves: &[(Tail, Vec<CurvePoint>)]) -> f64 {
    let estimates = curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.estimate));
    estimates.filter(|&estimate| estimate > 0.0).fold(1.0, f64::min)
}
