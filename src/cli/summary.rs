//! The summary of a run, as tables for a terminal.

use clap::Args;
use touchdown::study::statistics::{MIN_EFFECTIVE, Verdict};
use touchdown::study::subset::SubsetSummary;
use touchdown::study::{Criterion, CriterionSummary, Quantile, QuantitySummary, Study, Summary, ToleranceInterval};

use super::text::{Shown, columns, number, one_line, optional_number};

/// Method of bounds that needs no note.
const EXPECTED_BOUNDS: &str = "Clopper-Pearson";
/// Quantiles printed for the quantities of criteria.
const USUAL_QUANTILES: [f64; 3] = [0.05, 0.5, 0.95];

/// How much is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct Detail {
    /// Print every quantity with its quantiles and their bounds, and the tail estimates of criteria, in wide tables.
    /// Without it verdicts, classes and the quantities of criteria are printed; summary.json has everything
    #[arg(long)]
    full: bool,
}

/// The summary of a study: verdicts, classes, quantities.
pub fn report(study: &Study, summary: &Summary, Detail { full }: Detail) -> String {
    let of_levels = summary.criteria.iter().filter_map(|criterion| criterion.subset.as_ref());
    let trials = summary.trials.count.max(of_levels.map(|subset| subset.evaluations).sum());
    let mut text = format!(
        "study {}\n{trials} {}, seed {}, engine {} on {}, version {}\n\n",
        one_line(&summary.study),
        summary.trials.nouns.of(trials),
        summary.seed,
        summary.engine,
        summary.adapter,
        summary.version
    );
    text.push_str(&criteria_table(summary));
    text.push_str(&notes(study, summary));
    text.push_str(&subset_tables(study, summary));
    if full {
        text.push_str(&tail_table(study, summary));
    }
    text.push_str(&class_table(summary));
    if full {
        text.push_str(&quantity_table(summary));
        text.push_str(&quantile_table(summary));
    } else {
        text.push_str(&judged_table(study, summary));
        text.push_str(&tolerance_table(summary));
    }
    text
}

fn criteria_table(summary: &Summary) -> String {
    if summary.criteria.is_empty() {
        return String::new();
    }
    // Usually all criteria share one confidence, printed on a line of its own.
    let confidence = summary.criteria[0].confidence;
    let is_common = summary.criteria.iter().all(|criterion| criterion.confidence == confidence);
    let header = ["criterion", "event", "events", "estimate", "lower", "upper", "allowed", "confidence", "verdict"];
    let shown = |row: Vec<String>| {
        let cells = row.into_iter().enumerate().filter(|(column, _)| header[*column] != "confidence" || !is_common);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>()
    };
    let mut rows = vec![shown(header.map(str::to_owned).to_vec())];
    rows.extend(summary.criteria.iter().map(|criterion| {
        let bound = |bound: f64| if criterion.is_trusted { number(bound) } else { "-".to_owned() };
        shown(vec![
            criterion.name.clone(),
            criterion.event.clone(),
            // Events of the last level are not a fraction of all trials.
            if criterion.subset.is_some() { "by levels".to_owned() } else { criterion.events.to_string() },
            number(criterion.estimate),
            bound(criterion.lower),
            bound(criterion.upper),
            number(criterion.probability),
            criterion.confidence.to_string(),
            criterion.verdict.to_string(),
        ])
    }));
    let looks = if summary.stopping.is_some() { " of all looks together" } else { "" };
    let note = if is_common {
        format!("  bounds: one-sided, at a confidence of {confidence}{looks}\n")
    } else {
        String::new()
    };
    columns(&rows) + &note + "\n"
}

/// Tail estimates of each probability beside the counted ones.
fn tail_table(study: &Study, summary: &Summary) -> String {
    let all = || study.criteria.iter().zip(&summary.criteria);
    let tails = || all().filter_map(|(own, criterion)| Some((study.unit_of(own), criterion, criterion.tail.as_ref()?)));
    if tails().next().is_none() {
        return String::new();
    }
    let header = ["by its tail", "threshold", "beyond", "shape", "farthest", "estimate", "lower", "upper", "fit's p"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let mut warnings = String::new();
    for (unit, criterion, tail) in tails() {
        let shown = Shown::of(unit);
        rows.push(vec![
            criterion.name.clone(),
            shown.number(tail.threshold),
            tail.exceedances.to_string(),
            number(tail.shape),
            shown.number(tail.farthest),
            tail.estimate.map_or_else(|| "-".to_owned(), number),
            number(tail.lower),
            number(tail.upper),
            number(tail.fit_p_value),
        ]);
        if let Some(warning) = &tail.warning {
            warnings.push_str(&format!("  {}: {warning}\n", criterion.name));
        }
    }
    columns(&rows) + &warnings + "\n"
}

/// Notes on how the figures were obtained, where it is not the usual way.
fn notes(study: &Study, summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(standing) = &summary.stopping {
        text.push_str(&format!("stopped: {}\n", standing.stopped));
    }
    for criterion in &summary.criteria {
        if criterion.bounds != EXPECTED_BOUNDS {
            text.push_str(&format!("bounds of {}: {}\n", criterion.name, criterion.bounds));
        }
        text.push_str(&weight_notes(summary.trials.nouns.many, criterion));
        if let Some(outlook) = &criterion.outlook {
            text.push_str(&format!("undecided: {}, {outlook}\n", criterion.name));
        }
    }
    for reservation in summary.reservations(study) {
        text.push_str(&format!("note: {reservation}\n"));
    }
    if summary.method == "table" {
        text.push_str("probabilities take the rows of the table for independent draws\n");
    }
    if let Some(whose) = &summary.shares_of {
        text.push_str(&format!("shares of classes and statistics of quantities are of {whose}\n"));
    }
    if text.is_empty() { text } else { text + "\n" }
}

/// Notes on how reliable the weights of a criterion's events are.
fn weight_notes(many: &str, criterion: &CriterionSummary) -> String {
    let (Some(effective), Some(share)) = (criterion.effective_events, criterion.largest_weight_share) else {
        return String::new();
    };
    let mut text = format!(
        "weights of {}: {} events are worth {} of equal weight; the largest weight is {} % of the estimate\n",
        criterion.name,
        criterion.events,
        number(effective),
        number(100.0 * share)
    );
    if criterion.verdict == Verdict::Undecided && effective < MIN_EFFECTIVE {
        text.push_str(&format!(
            "warning: {} has too few effective events for a verdict; shift the inputs to where its event is likeliest, \
             or run more {many}\n",
            criterion.name
        ));
    }
    text
}

/// The levels of subset simulation, criterion by criterion.
fn subset_tables(study: &Study, summary: &Summary) -> String {
    let mut text = String::new();
    for (own, criterion) in study.criteria.iter().zip(&summary.criteria) {
        if let Some(subset) = &criterion.subset {
            text.push_str(&subset_table(study, own, criterion, subset));
        }
    }
    text
}

fn subset_table(study: &Study, own: &Criterion, criterion: &CriterionSummary, subset: &SubsetSummary) -> String {
    let (many, of_quantity) = (study.nouns().many, Shown::of(study.unit_of(own)));
    let mut text = format!(
        "{}: {} {many}; bounds: {}; variation of a replicate {}\n",
        criterion.name,
        subset.evaluations,
        criterion.bounds,
        optional_number(subset.variation)
    );
    for warning in subset.warnings(criterion.events) {
        text.push_str(&format!("warning: {}: {warning}\n", criterion.name));
    }
    let mut levels = vec![["level", "replicates", "probability", "beyond", "taken"].map(str::to_owned).to_vec()];
    levels.extend(subset.levels.iter().enumerate().map(|(depth, level)| {
        vec![
            depth.to_string(),
            level.replicates.to_string(),
            number(level.probability),
            optional_number(level.threshold.map(|threshold| of_quantity.value(threshold))),
            level.acceptance.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share)),
        ]
    }));
    text.push_str(&columns(&levels));
    let mut inputs =
        vec![["input at the event", "unit", "shift", "sd", "5 %", "50 %", "95 %"].map(str::to_owned).to_vec()];
    inputs.extend(subset.inputs.iter().map(|input| {
        let shown = Shown::of(&input.unit);
        let shift = [format!("{:+.2}", input.shift), format!("{:.2}", input.spread)];
        let mut row = vec![input.name.clone(), shown.symbol.to_owned()];
        row.extend(shift);
        row.extend(input.quantiles.iter().map(|&(_, value)| shown.number(value)));
        row
    }));
    if inputs.len() > 1 {
        text.push('\n');
        text.push_str(&columns(&inputs));
    }
    text + "\n"
}

fn class_table(summary: &Summary) -> String {
    let share = |count: u64| format!("{} %", number(100.0 * count as f64 / summary.trials.count as f64));
    let mut rows = vec![["class", summary.trials.nouns.many, "share"].map(str::to_owned).to_vec()];
    rows.extend(summary.classes.iter().map(|(name, &count)| vec![name.clone(), count.to_string(), share(count)]));
    let flags = summary.flags.0.iter();
    rows.extend(flags.map(|flag| vec![format!("({})", flag.name), flag.count.to_string(), share(flag.count)]));
    columns(&rows) + "\n"
}

/// The quantities that criteria refer to, in short.
fn judged_table(study: &Study, summary: &Summary) -> String {
    let judged = |name: &str| {
        let about = study.criteria.iter().flat_map(|criterion| criterion.event.quantities());
        about.map(|number| &study.quantities()[number].name).any(|judged| judged == name)
    };
    let quantities: Vec<&QuantitySummary> =
        summary.quantities.iter().filter(|quantity| quantity.count > 0 && judged(&quantity.name)).collect();
    if quantities.is_empty() {
        return String::new();
    }
    let usual = |quantile: &&Quantile| USUAL_QUANTILES.contains(&quantile.probability);
    let mut header = ["quantity", "unit", "minimum", "mean", "sd"].map(str::to_owned).to_vec();
    header.extend(quantities[0].quantiles.iter().filter(usual).map(percentage));
    header.push("maximum".to_owned());
    let mut rows = vec![header];
    for quantity in quantities {
        let shown = Shown::of(&quantity.unit);
        let optional = |value: Option<f64>| optional_number(value.map(|value| shown.value(value)));
        let mut row = vec![quantity.name.clone(), shown.symbol.to_owned()];
        row.extend([quantity.minimum, quantity.mean, quantity.standard_deviation].map(optional));
        row.extend(quantity.quantiles.iter().filter(usual).map(|quantile| shown.number(quantile.value)));
        row.push(optional(quantity.maximum));
        rows.push(row);
    }
    columns(&rows) + "\n"
}

fn quantity_table(summary: &Summary) -> String {
    let quantiles =
        summary.quantities.iter().map(|quantity| &quantity.quantiles).find(|quantiles| !quantiles.is_empty());
    let mut header: Vec<String> =
        ["quantity", "unit", summary.trials.nouns.many, "minimum", "mean", "sd"].map(str::to_owned).to_vec();
    header.extend(quantiles.into_iter().flatten().map(percentage));
    header.push("maximum".to_owned());
    let mut rows = vec![header];
    for quantity in summary.quantities.iter().filter(|quantity| quantity.count > 0) {
        let shown = Shown::of(&quantity.unit);
        let optional = |value: Option<f64>| optional_number(value.map(|value| shown.value(value)));
        let mut row = vec![
            quantity.name.clone(),
            shown.symbol.to_owned(),
            quantity.count.to_string(),
            optional(quantity.minimum),
            optional(quantity.mean),
            optional(quantity.standard_deviation),
        ];
        row.extend(quantity.quantiles.iter().map(|quantile| shown.number(quantile.value)));
        row.push(optional(quantity.maximum));
        rows.push(row);
    }
    columns(&rows) + "\n"
}

/// The tolerance intervals requested by the study.
fn tolerance_table(summary: &Summary) -> String {
    let known = || summary.quantities.iter().filter(|quantity| quantity.count > 0 && !quantity.tolerance.is_empty());
    let Some(first) = known().next() else {
        return String::new();
    };
    let mut header = ["tolerance interval", "unit"].map(str::to_owned).to_vec();
    header.extend(first.tolerance.iter().map(tolerance_title));
    let mut rows = vec![header];
    rows.extend(known().map(|quantity| {
        let mut row = vec![quantity.name.clone(), Shown::of(&quantity.unit).symbol.to_owned()];
        row.extend(tolerance_cells(summary, quantity));
        row
    }));
    columns(&rows) + "\n"
}

/// The intervals of one quantity, or what they require.
fn tolerance_cells(summary: &Summary, quantity: &QuantitySummary) -> Vec<String> {
    let shown = Shown::of(&quantity.unit);
    let cell = |interval: &ToleranceInterval| match (interval.values_needed, interval.lower.zip(interval.upper)) {
        (Some(needed), _) => format!("needs {needed} {}", summary.trials.nouns.many),
        (None, Some((lower, upper))) => format!("{} to {}", shown.number(lower), shown.number(upper)),
        (None, None) => "-".to_owned(),
    };
    quantity.tolerance.iter().map(cell).collect()
}

/// Statement of a tolerance interval.
fn tolerance_title(interval: &ToleranceInterval) -> String {
    format!("{} % of all at {} %", number(100.0 * interval.content), number(100.0 * interval.confidence))
}

/// The bounds on means, standard deviations and quantiles, and the tolerance intervals.
fn quantile_table(summary: &Summary) -> String {
    let known = || summary.quantities.iter().filter(|quantity| quantity.count > 0);
    let Some(first) = known().next() else {
        return String::new();
    };
    let mut header = vec!["bounds at 95 %".to_owned(), "unit".to_owned()];
    header.extend(["mean", "sd"].map(str::to_owned));
    header.extend(first.quantiles.iter().map(percentage));
    header.extend(first.tolerance.iter().map(tolerance_title));
    let mut rows = vec![header];
    for quantity in known() {
        let shown = Shown::of(&quantity.unit);
        let optional = |value: Option<f64>| optional_number(value.map(|value| shown.value(value)));
        let between = |ends: Option<(f64, f64)>| {
            ends.map_or_else(
                || "-".to_owned(),
                |(lower, upper)| format!("{} to {}", shown.number(lower), shown.number(upper)),
            )
        };
        let mut row = vec![quantity.name.clone(), shown.symbol.to_owned()];
        row.extend([quantity.mean_bounds, quantity.standard_deviation_bounds].map(between));
        let interval = |quantile: &Quantile| match (quantile.lower, quantile.upper) {
            (None, None) => "-".to_owned(),
            (lower, upper) => format!("{} to {}", optional(lower), optional(upper)),
        };
        row.extend(quantity.quantiles.iter().map(interval));
        row.extend(tolerance_cells(summary, quantity));
        rows.push(row);
    }
    columns(&rows) + "\n"
}

fn percentage(quantile: &Quantile) -> String {
    format!("{} %", 100.0 * quantile.probability)
}
