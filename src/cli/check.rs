//! `touchdown study check`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::program::Program;
use touchdown::query::{EntryPoints, LandingClass, LandingInputs, Ray, RayStatus};
use touchdown::study::sampling::Method;
use touchdown::study::{Criterion, Study};

use super::Failure;
use super::engine::EngineOptions;
use super::events::{EventLog, outcome_lines};
use super::failure::Code;
use super::limits::{held_lines, points_line};
use super::scene::tell_warnings;
use super::shifts::importance_text;
use super::starts::{fault_line, start_lines};
use super::text::{Shown, bytes, columns, duration, number, print};

/// Quantiles of the inputs that are shown.
const SHOWN: [f64; 7] = [0.001, 0.01, 0.05, 0.5, 0.95, 0.99, 0.999];
/// Most landings that are timed for the estimate.
const TIMED_LANDINGS: u64 = 64;
/// About the longest that timing them may take \[s\].
const TIME_FOR_ESTIMATE: f64 = 2.0;

/// Validate a study, show its inputs, estimate time and disk, and log one typical landing
///
/// Validates a study, shows its inputs' quantiles, estimates time and disk, and runs one typical landing (every input
/// at its median) with a log of its events.
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
        tell_warnings(&study.job.scene);
        let engine = self.engine.engine()?;
        print(&description(&study))?;
        print(&ground_lines(&study, engine.as_ref())?)?;
        print(&inputs_table(&study))?;
        print(&start_lines(&study))?;
        print(&sampling_lines(&study))?;
        print(&criteria_lines(&study))?;
        print(&held_lines(&study))?;
        print(&estimate(&study, engine.as_ref())?)?;
        let mut log = EventLog::new(&study);
        let inputs = study.median_inputs();
        let outcome = engine.trace_landing(&study.job, &inputs, &mut log)?;
        print(&format!("a typical landing, every input at its median:\n{}\n", log.text()))?;
        print(&outcome_lines(&study, &outcome))?;
        print(&fault_line(&study, &inputs))?;
        Ok(if outcome.class == LandingClass::Invalid { Code::InvalidItems } else { Code::Done })
    }
}

fn description(study: &Study) -> String {
    let (vehicle, scene) = (&study.job.vehicle, &study.job.scene);
    let program = Program::compile(scene);
    let mut text = format!(
        "study {}: {}, seed {}, step {} s\nvehicle {}: {} wheels, {} structural points\n\
         scene: {} leaves, {} program words, stack depth {}\n",
        study.name,
        match study.subset() {
            Some(_) => format!("at most {} landings by subset simulation", study.landings),
            None => format!("{} landings in {} parts", study.landings, study.parts()),
        },
        study.seed,
        study.job.step,
        vehicle.name,
        vehicle.wheels.len(),
        vehicle.structure.len(),
        scene.leaves().len(),
        program.words().len(),
        program.stack_depth()
    );
    for warning in vehicle.warnings(study.job.step) {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text + "\n"
}

/// Where on the runway its ground is looked for, as parts of the way from its start to its end.
const LOOKED_FOR: [f64; 5] = [0.001, 0.25, 0.5, 0.75, 0.999];
/// How far above and below its place the ground is looked for \[m\].
const LOOKED_FAR: f64 = 100.0;
/// How far the ground may be from where heights are measured from \[m\].
const GROUND_ALLOWANCE: f64 = 0.05;

/// Whether the ground of the runway is where heights are measured from.
fn ground_lines(study: &Study, engine: &dyn Engine) -> Result<String, Failure> {
    let scene = &study.job.scene;
    let Some(runway) = scene.runway() else {
        return Ok(String::new());
    };
    let places = LOOKED_FOR.map(|part| {
        let x = part * runway.length - runway.displaced_threshold;
        DVec3::new(x, 0.0, runway.plane().below(x))
    });
    let far = LOOKED_FAR * DVec3::Z;
    let rays = places.map(|place| Ray::segment(place + far, place - far));
    let mut text = String::new();
    for ((place, ray), entry) in places.iter().zip(&rays).zip(engine.compute::<EntryPoints>(scene, &rays)?) {
        let above = match entry.status {
            RayStatus::Hit => ray.at(entry.lambda).z - place.z,
            _ => f64::NEG_INFINITY,
        };
        if text.is_empty() && above.abs() > GROUND_ALLOWANCE {
            let (where_, slope) = (number(place.x), runway.slope);
            let there = if above.is_finite() {
                format!(
                    "the scene's surface is {} m {}",
                    number(above.abs()),
                    if above > 0.0 { "above" } else { "below" }
                )
            } else {
                "the scene has no surface near".to_owned()
            };
            text = format!(
                "warning: on the runway at x = {where_} m {there} the plane that heights are measured from, z = {slope} x; \
                 `slope` of [runway] and the ground must agree\n\n"
            );
        }
    }
    Ok(text)
}

fn inputs_table(study: &Study) -> String {
    if study.inputs.is_empty() {
        return "no inputs: every landing is the same\n\n".to_owned();
    }
    let mut header = vec!["input".to_owned(), "unit".to_owned()];
    header.extend(SHOWN.map(|p| format!("{} %", 100.0 * p)));
    let mut rows = vec![header];
    rows.extend(study.inputs.iter().map(|sampled| {
        let shown = Shown::of(sampled.input.unit().symbol());
        let mut row = vec![sampled.input.name().to_owned(), shown.symbol.to_owned()];
        row.extend(SHOWN.map(|p| shown.number(sampled.distribution.quantile(p))));
        row
    }));
    columns(&rows) + "\n"
}

/// What the ways of sampling and of stopping mean for this study.
fn sampling_lines(study: &Study) -> String {
    let mut text = match &study.method {
        // Its settings stand with the criteria.
        Method::Plain | Method::Subset(_) | Method::Table(_) => String::new(),
        Method::LatinHypercube(hypercubes) => format!(
            "sampling: {} Latin hypercubes of {} landings each; bounds by the spread of the hypercubes. A part of the run \
             is hardly better spread than independent landings: the gain comes with the last landing\n",
            hypercubes.replicates, hypercubes.strata
        ),
        Method::Sobol(nets) => {
            let points = study.landings / u64::from(nets.replicates());
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

fn criteria_lines(study: &Study) -> String {
    let mut text = String::new();
    for criterion in &study.criteria {
        let needed = landings_without_event(study, criterion);
        text.push_str(&format!(
            "criterion {}: {} with probability at most {}, at {} % confidence\n",
            criterion.name,
            criterion.description,
            number(criterion.probability),
            100.0 * criterion.confidence
        ));
        if let Some(settings) = study.subset() {
            text.push_str(&format!(
                "  about {} landings if it is just met, at most {} down to {}\n",
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
        } else if !study.is_weighted() && needed > study.landings as f64 {
            text.push_str(&format!(
                "warning: it cannot be met with {} landings; without any event it takes {needed:.0}\n",
                study.landings
            ));
        }
        if let Some(line) = points_line(study, criterion) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text + "\n"
}

/// Fewest landings that can show the criterion met, at the run's end: (1 - p)^n = 1 - confidence.
fn landings_without_event(study: &Study, criterion: &Criterion) -> f64 {
    let confidence = study.look_from(study.parts()).confidence(criterion.confidence);
    ((1.0 - confidence).ln() / (-criterion.probability).ln_1p()).ceil()
}

fn estimate(study: &Study, engine: &dyn Engine) -> Result<String, Failure> {
    let (first, _) = timed_landings(study, engine, 1)?;
    let affordable = (TIME_FOR_ESTIMATE / first) as u64;
    let timed = affordable.clamp(1, study.landings.min(TIMED_LANDINGS));
    let (seconds, steps) = timed_landings(study, engine, timed)?;
    let normals = if study.subset().is_some() { 3 + study.inputs.len() } else { 0 };
    let columns = 5 + study.inputs.len() + normals + study.quantities().len();
    Ok(format!(
        "estimate: {}{} with engine {} ({} steps per landing), at most {} on disk\n\n",
        if study.subset().is_some() { "at most " } else { "" },
        duration(seconds / timed as f64 * study.landings as f64),
        engine.identity().engine,
        number(steps as f64 / timed as f64),
        bytes(study.landings as f64 * columns as f64 * 8.0)
    ))
}

/// Wall time \[s\] and steps of the first landings.
fn timed_landings(study: &Study, engine: &dyn Engine, count: u64) -> Result<(f64, u64), Failure> {
    let inputs: Vec<LandingInputs> = (0..count).map(|landing| study.landing_inputs(landing)).collect();
    let started = Instant::now();
    let outcomes = engine.landings(&study.job, &inputs)?;
    Ok((started.elapsed().as_secs_f64(), outcomes.iter().map(|outcome| outcome.steps).sum()))
}
