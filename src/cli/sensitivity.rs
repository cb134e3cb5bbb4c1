//! `touchdown study sensitivity`.

use std::path::PathBuf;

use clap::Args;
use touchdown::model::Nouns;
use touchdown::study::Study;
use touchdown::study::sensitivity::{
    CriterionSensitivity, DEFAULT_POINTS, Index, InputSensitivity, POINTS, Risk, Sensitivity, sensitivity, trials,
};
use touchdown::study::statistics::Verdict;

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::interrupt::{interrupted, stop_keeping};
use super::limits::points_line;
use super::place::default_directory;
use super::progress::Meter;
use super::scene::{tell_model_warnings, tell_study_warnings};
use super::text::{Shown, columns, number, one_line, optional_number, print};

/// Find out which inputs drive the outcome of a study
///
/// For each criterion: Sobol' indices of its quantity and of its event (the shares of the variance due to each input),
/// a tornado (each input alone at its 5 % and 95 % quantile), the average risk, and the limit risk with each input held
/// at its limits: those given by the study (`limit`), every value of a choice, else its 1 % and 99 % quantile. Writes a
/// directory with the trials, sensitivity.json and sensitivity.parquet; started again, the same command resumes an
/// interrupted analysis.
#[derive(Debug, Args)]
pub struct SensitivityVerb {
    /// Study file
    file: PathBuf,
    /// Directory of the analysis [default: the study file's name in `runs`, ending in `.sensitivity`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Base points; with d varying inputs, held at h values in total, there are N (d + 2 + h) + 2 d + 1 trials
    #[arg(long, value_name = "N", default_value_t = DEFAULT_POINTS, value_parser = clap::value_parser!(u64).range(POINTS))]
    samples: u64,
    #[command(flatten)]
    engine: EngineOptions,
}

impl SensitivityVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read(&self.file)?;
        tell_study_warnings(&study);
        let engine = self.engine.engine_for(study.model.as_ref(), trials(&study, self.samples))?;
        self.engine.start_threads()?;
        tell_model_warnings(&study)?;
        let out = self.out.clone().unwrap_or_else(|| default_directory(&self.file, ".sensitivity"));
        let stop = stop_keeping("finished files are kept, the same command goes on from them");
        let mut meter: Option<Meter> = None;
        let mut progress = |trials, done, computed| {
            meter.get_or_insert_with(|| Meter::new(trials, study.nouns().many)).show(done, computed, String::new);
        };
        let result = sensitivity(&study, engine.as_ref(), &out, self.samples, &mut progress, &stop);
        if let Some(meter) = meter {
            meter.finish();
        }
        let Some(result) = result? else {
            return Ok(interrupted());
        };
        print(&text(study.nouns(), &result))?;
        for (criterion, found) in study.criteria.iter().zip(&result.criteria) {
            let is_short = found.limit_points.is_some_and(|needed| needed > result.base_points);
            if let Some(line) =
                points_line(&study, criterion).filter(|_| is_short && found.limit_verdict == Some(Verdict::Undecided))
            {
                print(&format!("warning: {} base points are too few. {line}\n", result.base_points))?;
            }
        }
        print(&format!("results: {}\n", out.display()))?;
        Ok(code(&result, study.invalid_allowance))
    }
}

/// From limit risks alone: the average risk is for `study run` to decide, with as many trials as needed.
fn code(result: &Sensitivity, invalid_allowance: u64) -> Code {
    let any = |verdict| result.criteria.iter().any(|criterion| criterion.limit_verdict == Some(verdict));
    if result.invalid > invalid_allowance {
        Code::InvalidItems
    } else if any(Verdict::Failed) {
        Code::CriterionFailed
    } else if any(Verdict::Undecided) {
        Code::Undecided
    } else {
        Code::Done
    }
}

fn text(nouns: Nouns, result: &Sensitivity) -> String {
    let many = nouns.many;
    let mut text = format!(
        "sensitivity of study {}: {} {many} about {} base points, seed {}, engine {} on {}, version {}\n",
        one_line(&result.study),
        result.trials,
        result.base_points,
        result.seed,
        result.engine,
        result.adapter,
        result.version
    );
    if result.invalid > 0 {
        text.push_str(&format!("{} {many} are invalid and count as every event\n", result.invalid));
    }
    text.push_str("Shares of the variance, alone and with interactions, are Sobol' indices with intervals at 95 %.\n");
    text.push_str("Bounds of risks, in parentheses, are one-sided, each at its criterion's confidence.\n");
    text.push_str(
        "Limit risks hold an input at the limits that the study gives, a choice at each of its values, any other at its 1 % and \
         99 % quantiles.\n",
    );
    if let Some(order) = &result.order {
        text.push_str(order);
        text.push('\n');
    }
    for criterion in &result.criteria {
        text.push_str(&criterion_text(nouns, criterion));
    }
    text.push('\n');
    text
}

fn criterion_text(nouns: Nouns, criterion: &CriterionSensitivity) -> String {
    let Nouns { one, many } = nouns;
    let mut text = format!(
        "\n{}: {}\n  average risk {} ({} of {} {many})",
        criterion.name,
        criterion.event,
        risk(&criterion.average),
        criterion.average.events,
        criterion.average.trials
    );
    if let Some((input, worst)) = criterion.worst() {
        text.push_str(&format!("; limit risk {}, {} held at {}", risk(&worst), input.input, held_at(input, &worst)));
    }
    if let (Some(allowed), Some(verdict)) = (criterion.limit_probability, criterion.limit_verdict) {
        text.push_str(&format!("; allowed {}: {verdict}", number(allowed)));
    }
    text.push('\n');
    if let Some(quantity) = &criterion.quantity {
        text.push_str(&format!("\n  of the quantity {quantity}"));
        let left_out = criterion.inputs.iter().filter_map(|input| Some(input.of_quantity?.left_out)).max().unwrap_or(0);
        if left_out > 0 {
            text.push_str(&format!(", without up to {left_out} base points where a {one} lacks it"));
        }
        let shown = Shown::of(criterion.unit.as_deref().unwrap_or_default());
        let median = criterion.median.map_or_else(|| optional_number(None), |median| shown.with_unit(median));
        text.push_str(&format!("; {median} with every input at its median\n"));
        text.push_str(&quantity_table(criterion));
    }
    if criterion.has_no_events() {
        text.push_str(&format!("  no {one} has the event, whatever is held\n"));
    } else {
        if let Some(lack) = criterion.lack_of_event_indices(many) {
            text.push_str(&format!("\n  {lack}\n"));
        }
        text.push_str("\n  of the event, and its probability with the input held at its limits\n");
        text.push_str(&event_table(criterion));
    }
    text
}

fn quantity_table(criterion: &CriterionSensitivity) -> String {
    let shown = Shown::of(criterion.unit.as_deref().filter(|unit| *unit != "1").unwrap_or(""));
    let unit = shown.symbol;
    let mut rows = vec![vec![
        "input".to_owned(),
        "alone".to_owned(),
        "with interactions".to_owned(),
        format!("at 5 % {unit}").trim_end().to_owned(),
        format!("at 95 % {unit}").trim_end().to_owned(),
    ]];
    for input in criterion.by_total(|input| input.of_quantity) {
        let indices = input.of_quantity.unwrap_or_default();
        let mut row = vec![input.input.clone(), index(indices.first), index(indices.total)];
        row.extend(input.swings.map(|swing| optional_number(swing.quantity.map(|value| shown.value(value)))));
        rows.push(row);
    }
    columns(&rows)
}

fn event_table(criterion: &CriterionSensitivity) -> String {
    let header = ["input", "alone", "with interactions", "held at", "risk"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for input in criterion.by_total(|input| input.of_event) {
        let indices = input.of_event.unwrap_or_default();
        let mut first = [input.input.clone(), index(indices.first), index(indices.total)];
        for held in &input.held {
            let mut row = std::mem::take(&mut first).to_vec();
            row.extend([held_at(input, held), risk(held)]);
            rows.push(row);
        }
    }
    columns(&rows)
}

fn held_at(input: &InputSensitivity, held: &Risk) -> String {
    let shown = Shown::of(&input.unit);
    let unit = if shown.symbol == "1" { "" } else { shown.symbol };
    format!("{} {unit}", optional_number(held.at.map(|at| shown.value(at)))).trim_end().to_owned()
}

fn risk(risk: &Risk) -> String {
    format!("{} ({} to {})", number(risk.estimate), number(risk.lower), number(risk.upper))
}

/// Two digits: the intervals of indices justify no more.
fn index(index: Option<Index>) -> String {
    index.map_or_else(
        || "-".to_owned(),
        |index| {
            // Adding 0.0 turns -0 into 0.
            let [estimate, lower, upper] =
                [index.estimate, index.lower, index.upper].map(|share| (100.0 * share).round() / 100.0 + 0.0);
            format!("{estimate:.2} ({lower:.2} to {upper:.2})")
        },
    )
}

#[cfg(test)]
mod tests {
    use touchdown::study::sensitivity::Swing;

    use super::*;

    const NOUNS: Nouns = Nouns { one: "landing", many: "landings" };

    fn criterion(average: u64) -> CriterionSensitivity {
        let risk = Risk { at: None, events: 0, trials: 64, estimate: 0.0, lower: 0.0, upper: 0.1 };
        let swing =
            |degrees: f64| Swing { at: degrees.to_radians(), quantity: Some(degrees.to_radians()), happened: false };
        let input = InputSensitivity {
            input: "pitch".to_owned(),
            unit: "rad".to_owned(),
            of_quantity: None,
            of_event: None,
            swings: [swing(2.0), swing(8.0)],
            held: vec![Risk { at: Some(3.0_f64.to_radians()), ..risk }],
        };
        CriterionSensitivity {
            name: "tail".to_owned(),
            event: "touchdown_pitch above 10 deg".to_owned(),
            quantity: Some("touchdown_pitch".to_owned()),
            unit: Some("rad".to_owned()),
            limit: Some(10.0_f64.to_radians()),
            median: Some(5.0_f64.to_radians()),
            confidence: 0.95,
            average: Risk { events: average, ..risk },
            limit_probability: None,
            limit_verdict: None,
            limit_points: None,
            inputs: vec![input],
        }
    }

    #[test]
    fn angles_are_in_degrees_throughout() {
        let text = criterion_text(NOUNS, &criterion(1));
        assert!(text.contains("; 5.000 deg with every input at its median\n"), "{text}");
        assert!(text.contains("at 5 % deg") && text.contains("8.000") && text.contains("3.000 deg"), "{text}");
    }

    #[test]
    fn only_where_nothing_has_the_event_is_that_said() {
        let none = "no landing has the event, whatever is held";
        assert!(criterion_text(NOUNS, &criterion(0)).contains(none));
        assert!(!criterion_text(NOUNS, &criterion(1)).contains(none));
    }
}
