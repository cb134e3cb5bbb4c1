//! `touchdown study check`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use touchdown::document::Unit;
use touchdown::engine::Engine;
use touchdown::model::{INVALID, Inputs};
use touchdown::study::map::Sweep;
use touchdown::study::sampling::Method;
use touchdown::study::{Criterion, MAX_TRIALS, Study};

use super::Failure;
use super::engine::EngineOptions;
use super::events::{EventLog, outcome_lines};
use super::failure::Code;
use super::limits::{held_lines, points_line};
use super::scene::tell_study_warnings;
use super::shifts::importance_text;
use super::starts::{doubt_lines, fault_line, start_lines};
use super::text::{PART, Shown, bytes, columns, duration, number, one_line, print};

/// Quantiles of the inputs that are printed.
const SHOWN: [f64; 7] = [0.001, 0.01, 0.05, 0.5, 0.95, 0.99, 0.999];
/// Maximum number of trials timed for the estimate.
const TIMED_TRIALS: u64 = 64;
/// Approximate limit on the time spent timing them \[s\].
const TIME_FOR_ESTIMATE: f64 = 2.0;

/// Validate a study, show its inputs, estimate time and disk space, and log one typical trial
///
/// Validates a study, prints quantiles of its inputs, estimates time and disk space, and runs one typical trial (every
/// input at its median) with a log of its events.
#[derive(Debug, Args)]
pub struct Check {
    /// Study file
    file: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Check {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read(&self.file)?;
        tell_study_warnings(&study);
        let engine = self.engine.engine_for(study.model.as_ref(), study.trials_at_a_time())?;
        print(&description(&study))?;
        print(&study.model.examination(engine.as_ref())?)?;
        print(&inputs_table(&study))?;
        print(&start_lines(&study))?;
        print(&doubt_lines(&study))?;
        print(&sampling_lines(&study))?;
        print(&criteria_lines(&study))?;
        print(&held_lines(&study))?;
        print(&map_lines(&study))?;
        print(&estimate(&study, engine.as_ref())?)?;
        let mut log = EventLog::default();
        let inputs = study.median_inputs();
        let outcome = study.model.trace(engine.as_ref(), &inputs, &mut log)?;
        let one = study.nouns().one;
        print(&format!("a typical {one}, every input at its median:\n{}\n", log.finish().0))?;
        print(&outcome_lines(&study, &outcome))?;
        print(&fault_line(&study, &inputs))?;
        Ok(if outcome.class == INVALID { Code::InvalidItems } else { Code::Done })
    }
}

fn description(study: &Study) -> String {
    let trials = study.nouns().of(study.trials);
    let mut text = format!(
        "study {}: {}, seed {}, {}",
        one_line(&study.name),
        match study.subset() {
            Some(_) => format!("at most {} {trials} by subset simulation", study.trials),
            None => format!("{} {trials} in {} {}", study.trials, study.parts(), PART.of(study.parts())),
        },
        study.seed,
        study.model.description()
    );
    for warning in study.model.warnings() {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text + "\n"
}

fn inputs_table(study: &Study) -> String {
    if study.inputs.is_empty() {
        return format!("no inputs: every {} is the same\n\n", study.nouns().one);
    }
    let mut header = vec!["input".to_owned(), "unit".to_owned()];
    header.extend(SHOWN.map(|p| format!("{} %", 100.0 * p)));
    let mut rows = vec![header];
    rows.extend(study.inputs.iter().map(|sampled| {
        let shown = Shown::of(sampled.input.unit.symbol());
        let mut row = vec![sampled.input.name.to_owned(), shown.symbol.to_owned()];
        row.extend(SHOWN.map(|p| shown.number(sampled.distribution.quantile(p))));
        row
    }));
    columns(&rows) + "\n"
}

/// Consequences of the sampling method and the stopping rules for this study.
fn sampling_lines(study: &Study) -> String {
    let mut text = match &study.method {
        // Its settings are printed with the criteria.
        Method::Plain | Method::Subset(_) | Method::Table(_) => String::new(),
        Method::LatinHypercube(hypercubes) => format!(
            "sampling: {} Latin hypercubes of {} {} each; bounds by the spread of the hypercubes. A part of the run \
             is hardly better spread than independent ones: the gain comes with the last {}\n",
            hypercubes.replicates,
            hypercubes.strata,
            study.nouns().many,
            study.nouns().one
        ),
        Method::Sobol(nets) => {
            let points = study.trials / u64::from(nets.replicates());
            let advice = if points.is_power_of_two() { "" } else { "; a power of two would be spread best" };
            format!(
                "sampling: Sobol points, {} scrambles of {points} each{advice}; bounds by the spread of the scrambles\n",
                nets.replicates()
            )
        }
        Method::Importance(importance) => importance_text(study, importance),
    };
    if let Some(stopping) = study.stopping {
        let looks = study.looks();
        let parts: Vec<String> = looks.iter().map(|look| look.parts.to_string()).collect();
        if let Some(seconds) = stopping.wall_time {
            text.push_str(&format!(
                "stopping: with the part at hand after {}, undecided unless a look is due\n",
                duration(seconds)
            ));
        }
        if looks.len() > 1 {
            text.push_str(&format!(
                "stopping: looks after {} parts and ends at the first one at which",
                parts.join(", ")
            ));
            let narrow =
                stopping.interval.map(|part| format!(" every interval is at most {part} of its estimate wide"));
            let decided = stopping.decided.then(|| " every verdict is decided".to_owned());
            let rules: Vec<String> = narrow.into_iter().chain(decided).collect();
            text.push_str(&format!("{}\n", rules.join(", or")));
        }
    }
    if text.is_empty() { text } else { text + "\n" }
}

/// What `study map` would compute, and swept values that the model refuses; empty without `[map]`.
fn map_lines(study: &Study) -> String {
    let Some(grid) = &study.map else { return String::new() };
    let many = study.nouns().many;
    let axis = |sweep: &Sweep| {
        let shown = Shown::of(sweep.input.unit.symbol());
        let [first, .., last] = sweep.values[..] else { return sweep.input.name.to_owned() };
        let ends = format!("{} to {}", shown.number(first), shown.number(last));
        let unit = if sweep.input.unit == Unit::One { String::new() } else { format!(" {}", shown.symbol) };
        format!("{}, {} values from {ends}{unit}", sweep.input.name, sweep.values.len())
    };
    let mut text = format!(
        "map: {} by {}\n  {} cells of {} {many} each, {} {many} in all; `touchdown study map` computes it\n",
        axis(&grid.x),
        axis(&grid.y),
        grid.cells(),
        grid.cell_trials,
        grid.trials()
    );
    for sweep in [&grid.x, &grid.y] {
        let refused = |value: &f64| {
            let mut inputs = study.median_inputs();
            inputs.values[sweep.number] = *value;
            study.model.fault(&inputs)
        };
        if let Some(fault) = sweep.values.iter().find_map(refused) {
            text.push_str(&format!("  warning: {many} of some cells cannot start: {fault}\n"));
        }
    }
    text + "\n"
}

fn criteria_lines(study: &Study) -> String {
    let many = study.nouns().many;
    let mut text = String::new();
    for criterion in &study.criteria {
        let needed = trials_without_event(study, criterion);
        text.push_str(&format!(
            "criterion {}: {} with probability at most {}, at {} % confidence\n",
            criterion.name,
            criterion.description,
            number(criterion.probability),
            100.0 * criterion.confidence
        ));
        if let Some(settings) = study.subset() {
            text.push_str(&format!(
                "  about {} {many} if it is just met, at most {} down to {}\n",
                settings.samples_of_levels(settings.levels_for(criterion.probability)),
                settings.samples_at_most(),
                number(settings.smallest)
            ));
            if criterion.probability < settings.smallest {
                text.push_str("warning: replicates give up above the allowed probability; make `smallest` smaller\n");
            }
            if let Some(unseen) = study.unseen_branches().filter(|unseen| unseen.probability > criterion.probability) {
                text.push_str(&format!("warning: it cannot be met: {}\n", unseen.advice(settings.replicates)));
            }
        } else if !study.is_weighted() && needed > study.trials as f64 {
            let needed = match needed <= MAX_TRIALS as f64 {
                true => format!("{needed:.0}"),
                false => format!("more than the {MAX_TRIALS:e} that a study may have"),
            };
            text.push_str(&format!(
                "warning: it cannot be met with {} {many}; without any event it takes {needed}\n",
                study.trials
            ));
        }
        if let Some(line) = points_line(study, criterion) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text + "\n"
}

/// Smallest number of trials that can show the criterion met, at the end of the run: (1 - p)^n = 1 - confidence.
fn trials_without_event(study: &Study, criterion: &Criterion) -> f64 {
    let confidence = study.look_from(study.parts()).confidence(criterion.confidence);
    ((1.0 - confidence).ln() / (-criterion.probability).ln_1p()).ceil()
}

fn estimate(study: &Study, engine: &dyn Engine) -> Result<String, Failure> {
    let (first, _) = timed_trials(study, engine, 1)?;
    let affordable = (TIME_FOR_ESTIMATE / first) as u64;
    let timed = affordable.clamp(1, study.trials.min(TIMED_TRIALS));
    let (seconds, steps) = timed_trials(study, engine, timed)?;
    let normals = if study.subset().is_some() { 3 + study.inputs.len() } else { 0 };
    let columns = 2
        + study.model.labels().len()
        + study.model.totals().len()
        + study.inputs.len()
        + normals
        + study.quantities().len();
    Ok(format!(
        "estimate: {}{} with engine {} ({} steps per {}), at most {} on disk\n\n",
        if study.subset().is_some() { "at most " } else { "" },
        duration(seconds / timed as f64 * study.trials as f64),
        engine.identity().engine,
        number(steps as f64 / timed as f64),
        study.nouns().one,
        bytes(study.trials as f64 * columns as f64 * 8.0)
    ))
}

/// Wall time \[s\] and steps of the first trials.
fn timed_trials(study: &Study, engine: &dyn Engine, count: u64) -> Result<(f64, u64), Failure> {
    let inputs: Vec<Inputs> = (0..count).map(|trial| study.inputs_of(trial)).collect();
    let started = Instant::now();
    let outcomes = study.model.outcomes(engine, &inputs)?;
    Ok((started.elapsed().as_secs_f64(), outcomes.iter().filter_map(|outcome| outcome.totals.first()).sum()))
}
