//! The sensitivity analysis as text and tables of a page.

use super::figure;
use super::text::cell;
use crate::shown::{Shown, number};
use crate::study::sensitivity::{CriterionSensitivity, Index, InputSensitivity, Risk, Sensitivity};

/// Most criteria that are shown, as many as have convergences.
const MAX_CRITERIA: usize = 24;

/// Sensitivity section of a page.
pub struct Section {
    /// What the numbers are.
    pub introduction: String,
    /// One by one.
    pub criteria: Vec<CriterionSection>,
}

/// Sensitivity of a criterion.
pub struct CriterionSection {
    /// Name.
    pub name: String,
    /// The event, in words.
    pub event: String,
    /// Verdict on the limit risk, if the criterion has one.
    pub verdict: Option<String>,
    /// Average and limit risk, in words.
    pub risks: String,
    /// The figure, for a criterion with a quantity.
    pub tornado: Option<String>,
    /// Names of the columns after the input's.
    pub header: Vec<&'static str>,
    /// Rows: the input and its cells.
    pub rows: Vec<(String, Vec<String>)>,
}

/// The section of a page.
pub fn section(many: &str, sensitivity: &Sensitivity) -> Section {
    let introduction = format!(
        "{} {many} about {} base points, engine {} on {}. Shares are Sobol’ indices: of the variance, what is due to an input \
         alone, and with all its interactions, with intervals at 95 %. Risks are the event’s probability with the input held \
         at each of its limits (the study’s own, every value of a choice, else the 1 % and 99 % quantiles), with one-sided \
         bounds. {}",
        sensitivity.trials,
        sensitivity.base_points,
        sensitivity.engine,
        sensitivity.adapter,
        sensitivity.order.as_deref().unwrap_or_default()
    );
    Section {
        introduction,
        criteria: sensitivity
            .criteria
            .iter()
            .take(MAX_CRITERIA)
            .map(|criterion| criterion_section(many, criterion))
            .collect(),
    }
}

fn criterion_section(many: &str, criterion: &CriterionSensitivity) -> CriterionSection {
    let mut risks = format!("Average risk {}", risk_words(&criterion.average));
    match criterion.worst() {
        Some((input, worst)) => {
            let shown = Shown::of(&input.unit);
            let unit = if shown.symbol == "1" { "" } else { shown.symbol };
            let at = worst.at.map_or_else(String::new, |at| shown.number(at));
            risks.push_str(&format!("; limit risk {}, with {} held at {at} {unit}", risk_words(&worst), input.input));
        }
        None if criterion.has_no_events() => risks.push_str("; none has the event, whatever is held"),
        None => risks.push_str("; none with an input held at its limits has the event"),
    }
    if let Some(allowed) = criterion.limit_probability {
        risks.push_str(&format!("; a limit risk of {} is allowed", number(allowed)));
    }
    if let Some(lack) = criterion.lack_of_event_indices(many) {
        risks.push_str(&format!("; {lack}"));
    }
    let has_quantity = criterion.quantity.is_some();
    let mut header = Vec::new();
    if has_quantity {
        header.extend(["quantity: alone", "with interactions", "at 5 %", "at 95 %"]);
    }
    header.extend(["event: alone", "with interactions", "held at", "risk"]);
    let of = |input: &InputSensitivity| if input.of_quantity.is_some() { input.of_quantity } else { input.of_event };
    CriterionSection {
        name: criterion.name.clone(),
        event: criterion.event.clone(),
        verdict: criterion.limit_verdict.map(|verdict| verdict.to_string()),
        risks: risks + ".",
        tornado: figure::tornado(criterion),
        header,
        rows: criterion.by_total(of).into_iter().map(|input| (input.input.clone(), cells(input, criterion))).collect(),
    }
}

fn cells(input: &InputSensitivity, criterion: &CriterionSensitivity) -> Vec<String> {
    let mut cells = Vec::new();
    if criterion.quantity.is_some() {
        let shown = Shown::of(criterion.unit.as_deref().unwrap_or_default());
        let indices = input.of_quantity.unwrap_or_default();
        cells.extend([index_cell(indices.first), index_cell(indices.total)]);
        cells.extend(input.swings.map(|swing| shown.optional_cell(swing.quantity)));
    }
    let indices = input.of_event.unwrap_or_default();
    cells.extend([index_cell(indices.first), index_cell(indices.total)]);
    let shown = Shown::of(&input.unit);
    let unit = if shown.symbol == "1" { "" } else { shown.symbol };
    let lines = |of: &dyn Fn(&Risk) -> String| input.held.iter().map(of).collect::<Vec<_>>().join("<br/>");
    cells.push(lines(&|held| format!("{} {unit}", shown.optional_cell(held.at)).trim_end().to_owned()));
    cells.push(lines(&risk_cell));
    cells
}

fn risk_words(risk: &Risk) -> String {
    format!("{} (from {} to {})", number(risk.estimate), number(risk.lower), number(risk.upper))
}

fn risk_cell(risk: &Risk) -> String {
    format!("{} ({} to {})", cell(risk.estimate), cell(risk.lower), cell(risk.upper))
}

/// Two digits are as many as intervals of indices bear; all of them are in the element's value.
fn index_cell(index: Option<Index>) -> String {
    let short = |share: f64| format!("<data value=\"{share:?}\">{:.2}</data>", (100.0 * share).round() / 100.0 + 0.0);
    index.map_or_else(
        || "–".to_owned(),
        |index| format!("{} ({} to {})", short(index.estimate), short(index.lower), short(index.upper)),
    )
}
