//! `touchdown validate`.

mod replay;
mod report;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use touchdown::engine::{Engine, EngineIdentity};
use touchdown::table::{check_writable, write_atomically};
use touchdown::validation::{CHECKS, Check, Engines, Finding, Group, Outcome};

use super::Failure;
use super::engine::{EngineOptions, SearchOption};
use super::failure::Code;
use super::place::refuse_of_run;
use super::progress::Meter;
use super::text::print;

/// More would take years.
const MAX_ITEMS: u64 = 1_000_000_000_000;
/// Judge an engine item by item against the reference
///
/// Judges an engine against the reference, item by item, in scenes and studies made for the purpose.
///
/// Every ray, every step and every box normal gets one verdict: match (to the last places of f32), within bound (of
/// the error derived for f32), unjudged (no error is derived: a divisor may vanish), ambiguous (decided differently,
/// as a state or surface displaced by no more than that error would be) or wrong. One wrong item fails the engine
/// (exit code 5), and so do ambiguous ones that were not constructed to touch a surface, if they are more than one in
/// a thousand would show once in a million checks; unjudged ones, than one in a hundred would.
///
/// Whole landings may differ in class if every single step is right and the decision is known at which the two part,
/// and it flips between their states. What is recorded of a landing must be what the reference records from the same
/// states: this is checked in one landing in 64, in at least 32 of each study and wherever the class differs. One
/// outcome inconsistent with its states fails the engine; so does one unexplained difference, and so do more differences
/// than one landing in 200 would show once in a million studies, or a distribution that two equal engines would show
/// less often.
///
/// The native engine guarantees the reference's results bit for bit: any difference is wrong.
#[derive(Debug, Args)]
pub struct Validate {
    /// Rays and wheel steps in each class of scenes, landing steps in each study, boxes and ellipsoids in each of their
    /// classes; N / 100 whole landings in each study, at least 100 (10,000 for a million)
    #[arg(long, value_name = "N", required_unless_present = "replay", value_parser = clap::value_parser!(u64).range(1..=MAX_ITEMS))]
    items: Option<u64>,
    /// Seed of scenes, rays, wheels, boxes, ellipsoids and of the selection of steps; landings use the seed of their
    /// study
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Job to validate, may be repeated [default: all]
    #[arg(long, value_name = "JOB", value_parser = job_parser())]
    job: Vec<&'static dyn Check>,
    /// Write to this file (.json) the wrong items, at most 100 of each class or study (the worst item if none is
    /// wrong), all landings that differ in class, and wrong outcomes
    #[arg(long, value_name = "FILE", value_parser = json_file)]
    save: Option<PathBuf>,
    /// Recompute the items of such a file and print everything known about them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["items", "job", "save", "seed"])]
    replay: Option<PathBuf>,
    #[command(flatten)]
    search: SearchOption,
    #[command(flatten)]
    engine: EngineOptions,
}

fn job_parser() -> impl TypedValueParser<Value = &'static dyn Check> {
    let values = CHECKS.map(|check| PossibleValue::new(check.name()).help(check.help()));
    let named = |name: String| CHECKS.into_iter().find(|check| check.name() == name).ok_or("no such job");
    PossibleValuesParser::new(values).try_map(named)
}

fn json_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { Ok(path) } else { Err("must end with .json".to_owned()) }
}

impl Validate {
    pub fn run(&self) -> Result<Code, Failure> {
        let candidate = self.engine.searching_engine(self.search)?;
        let judge = self.engine.reference()?;
        if candidate.identity() == judge.identity() {
            return Err(Failure::bad_input(
                "the reference is the judge and cannot be judged by itself; name another engine, such as --engine native, or \
                 --engine gpu with a software adapter, such as --adapter llvmpipe, where there is no GPU",
            ));
        }
        let EngineIdentity { engine, adapter, .. } = candidate.identity();
        print(&format!("engine {engine} on {adapter}, judged by the reference\n"))?;
        match &self.replay {
            Some(file) => replay::run(Engines { judge: &judge, candidate: candidate.as_ref() }, file),
            None => self.validate(Engines { judge: &judge, candidate: candidate.as_ref() }),
        }
    }

    fn validate(&self, engines: Engines<'_>) -> Result<Code, Failure> {
        let identity = engines.candidate.identity();
        if let Some(file) = &self.save {
            refuse_of_run("--save", file)?;
            // Fail on an unwritable file before computing anything.
            check_writable(file)?;
        }
        let outcomes = self.outcomes(engines)?;
        if outcomes.iter().any(|outcome| outcome.tally.is_some()) {
            print(&format!("\n{} items of each, seed {}\n{}", self.items(), self.seed, report::table(&outcomes)))?;
        }
        for check in CHECKS {
            print(&report::aside(check.name(), &outcomes))?;
        }
        if let Some(file) = &self.save {
            let findings: Vec<Finding> = outcomes.iter().flat_map(|outcome| outcome.kept.clone()).collect();
            write_atomically(file, Finding::to_json(&findings, &identity).as_bytes())?;
            print(&format!("\nsaved {} items in {}\n", findings.len(), file.display()))?;
        }
        for Outcome { check, group, tally, .. } in outcomes.iter().filter(|outcome| !outcome.passes) {
            let Some(tally) = tally else { continue };
            print(&format!("\n{check}, {group} do not pass; the worst item:\n"))?;
            if let Some(finding) = tally.worst() {
                print(&replay::description(engines, finding.item.as_ref())?.0)?;
            }
        }
        let passes = outcomes.iter().all(|outcome| outcome.passes);
        print(if passes { "\nthe engines agree\n" } else { "\nthe engines disagree\n" })?;
        Ok(if passes { Code::Done } else { Code::Disagreement })
    }

    fn items(&self) -> u64 {
        self.items.unwrap_or(0)
    }

    fn is_asked(&self, check: &dyn Check) -> bool {
        self.job.is_empty() || self.job.iter().any(|asked| asked.name() == check.name())
    }

    fn outcomes(&self, engines: Engines<'_>) -> Result<Vec<Outcome>, Failure> {
        let checks = CHECKS.into_iter().filter(|check| self.is_asked(*check));
        let groups: Vec<(&dyn Check, Group)> =
            checks.flat_map(|check| check.groups().into_iter().map(move |group| (check, group))).collect();
        let total = groups.iter().map(|(check, _)| check.work(self.items())).sum();
        let (mut meter, mut done, mut outcomes) = (Meter::new(total, "items"), 0, Vec::new());
        for (check, group) in groups {
            let mut advanced = |items: u64, so_far: &str| {
                let sum = done + items;
                meter.show(sum, sum, || format!("; {}, {}: {so_far}", check.name(), group.name));
            };
            match group.judge(engines, self.seed, self.items(), &mut advanced) {
                Ok(outcome) => outcomes.push(outcome),
                Err(error) => {
                    meter.finish();
                    return Err(error.into());
                }
            }
            done += check.work(self.items());
        }
        meter.finish();
        Ok(outcomes)
    }
}
