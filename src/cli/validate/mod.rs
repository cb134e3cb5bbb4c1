//! `touchdown validate`.

mod replay;
mod report;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use touchdown::engine::{Engine, EngineIdentity};
use touchdown::table::write_atomically;
use touchdown::validation::{
    Agreement, Agreements, BoxClass, EllipsoidClass, EllipsoidReport, Finding, Job, LandingReport, LandingStudy,
    ParticleClass, SceneClass, ValidationError, embedded_study, study_names, validate_boxes, validate_ellipsoids,
    validate_landings, validate_particles, validate_rays, validate_steps, validate_wheels,
};

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::progress::Meter;
use super::text::print;
use report::Row;

/// More would take years.
const MAX_ITEMS: u64 = 1_000_000_000_000;
/// A whole landing takes the place of so many items.
const ITEMS_PER_LANDING: u64 = 100;
/// Landings of a study with a wrong outcome that are saved.
const KEPT: usize = 100;
/// Fewer landings of a study say nothing about its distributions.
const MIN_LANDINGS: u64 = 100;

/// Judge an engine item by item by the reference
///
/// Judges an engine by the reference, item by item, in scenes and studies made for it.
///
/// Every ray, every step and every normal of a box gets one verdict: match (to the last places of f32), within bound (of
/// the error derived for f32), ambiguous (decided otherwise, as a state or border displaced by no more than that error
/// would be) or wrong. One wrong item fails the engine (exit code 5), and so do two or more that are ambiguous without having been made to touch a
/// border, where they are more than one ray or normal in a thousand or one step in a hundred.
///
/// Whole landings may differ in their class where every single step is right and a decision is known in which the two
/// part, and which flips between their states. What is recorded of a landing must be what the reference records of the
/// same states: this is looked at in one landing in 64, in at least 32 of each study and wherever the class differs. One
/// outcome that differs from its states fails the engine; one unexplained difference does, and so do two or more differences, where they are more than one
/// landing in 200, or a distribution that two equal engines would show less than once in a million studies.
///
/// The native engine promises the very numbers of the reference: of its results any other is wrong.
#[derive(Debug, Args)]
pub struct Validate {
    /// Rays and steps of wheels in each class of scenes, steps of landings in each study, boxes and ellipsoids in each class
    /// of them; of whole landings N / 100 in each study, at least 100 (10,000 for a million)
    #[arg(long, value_name = "N", required_unless_present = "replay", value_parser = clap::value_parser!(u64).range(1..=MAX_ITEMS))]
    items: Option<u64>,
    /// Seed of scenes, rays, wheels, boxes, ellipsoids and of the choice of steps; landings have their study's own
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Job to validate, may be repeated [default: all]
    #[arg(long, value_name = "JOB", value_parser = job_parser())]
    job: Vec<Job>,
    /// Write the wrong items, at most 100 of each class or study, the worst where none is wrong, and all landings whose
    /// class differs, and wrong outcomes to this file (.json)
    #[arg(long, value_name = "FILE", value_parser = json_file)]
    save: Option<PathBuf>,
    /// Compute the items of such a file again and show all that is known of them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["items", "job", "save", "seed"])]
    replay: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

fn job_parser() -> impl TypedValueParser<Value = Job> {
    let values = Job::ALL.map(|job| {
        PossibleValue::new(job.name()).help(match job {
            Job::Rays => "Where rays first meet a scene",
            Job::Wheels => "Steps of wheels that are led over a scene",
            Job::Steps => "Single steps from the middle of landings",
            Job::BoxNormals => "Normals of boxes with rounded edges, and of pairs",
            Job::Ellipsoids => "Contacts of ellipsoids, and with walls",
            Job::Particles => "Particles above a plane",
            Job::Landings => "Whole landings",
        })
    });
    let named = |name: String| Job::ALL.into_iter().find(|job| job.name() == name).ok_or("no such job");
    PossibleValuesParser::new(values).try_map(named)
}

fn json_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { Ok(path) } else { Err("must end with .json".to_owned()) }
}

/// All that a validation comes to.
struct Outcome {
    rows: Vec<Row>,
    /// Rounds of searches, by class.
    searches: Vec<(EllipsoidClass, EllipsoidReport)>,
    landings: Vec<LandingReport>,
}

impl Validate {
    pub fn run(&self) -> Result<Code, Failure> {
        let candidate = self.engine.engine()?;
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
            Some(file) => replay::run(&judge, candidate.as_ref(), file),
            None => self.validate(&judge, candidate.as_ref()),
        }
    }

    fn validate(&self, judge: &dyn Engine, candidate: &dyn Engine) -> Result<Code, Failure> {
        if let Some(file) = &self.save {
            // What cannot be written should be known before anything is computed.
            write_atomically(file, Finding::to_json(&[], &candidate.identity()).as_bytes())?;
        }
        let outcome = self.outcome(judge, candidate)?;
        let Outcome { rows, searches, landings } = &outcome;
        if !rows.is_empty() {
            print(&format!("\n{} items of each, seed {}\n{}", self.items(), self.seed, report::table(rows)))?;
        }
        if !searches.is_empty() {
            print(&format!("\nrounds of Newton's method\n{}", report::searches(searches)))?;
        }
        if !landings.is_empty() {
            print(&format!("\nwhole landings: class by the reference/by the engine\n{}", report::landings(landings)))?;
        }
        if let Some(file) = &self.save {
            let findings = outcome.kept();
            write_atomically(file, Finding::to_json(&findings, &candidate.identity()).as_bytes())?;
            print(&format!("\nsaved {} items in {}\n", findings.len(), file.display()))?;
        }
        for row in rows.iter().filter(|row| !row.tally.passes()) {
            print(&format!("\n{}, {} do not pass; the worst item:\n", row.job.name(), row.among))?;
            if let Some(finding) = row.tally.worst() {
                print(&replay::description(judge, candidate, &finding.item())?.text)?;
            }
        }
        let passes = outcome.passes();
        print(if passes { "\nthe engines agree\n" } else { "\nthe engines disagree\n" })?;
        Ok(if passes { Code::Done } else { Code::Disagreement })
    }

    fn items(&self) -> u64 {
        self.items.unwrap_or(0)
    }

    /// Whole landings of each study.
    fn landings(&self) -> u64 {
        (self.items() / ITEMS_PER_LANDING).max(MIN_LANDINGS)
    }

    fn outcome(&self, judge: &dyn Engine, candidate: &dyn Engine) -> Result<Outcome, Failure> {
        let jobs: Vec<Job> = Job::ALL.into_iter().filter(|job| self.job.is_empty() || self.job.contains(job)).collect();
        let studies = studies()?;
        let total = jobs.iter().map(|job| match job {
            Job::Rays | Job::Wheels => self.items() * SceneClass::ALL.len() as u64,
            Job::Steps => self.items() * studies.len() as u64,
            Job::BoxNormals => self.items() * BoxClass::ALL.len() as u64,
            Job::Ellipsoids => self.items() * EllipsoidClass::ALL.len() as u64,
            Job::Particles => self.items() * ParticleClass::ALL.len() as u64,
            Job::Landings => ITEMS_PER_LANDING * self.landings() * studies.len() as u64,
        });
        let mut work = Work { judge, candidate, meter: Meter::new(total.sum(), "items"), done: 0 };
        let mut outcome = Outcome { rows: Vec::new(), searches: Vec::new(), landings: Vec::new() };
        for job in jobs {
            let done = match job {
                Job::Rays | Job::Wheels => self.scenes(job, &mut work, &mut outcome),
                Job::Steps => self.steps(&studies, &mut work, &mut outcome),
                Job::BoxNormals => self.boxes(&mut work, &mut outcome),
                Job::Ellipsoids => self.ellipsoids(&mut work, &mut outcome),
                Job::Particles => self.particles(&mut work, &mut outcome),
                Job::Landings => self.whole_landings(&studies, &mut work, &mut outcome),
            };
            if let Err(error) = done {
                work.meter.finish();
                return Err(error.into());
            }
        }
        work.meter.finish();
        Ok(outcome)
    }

    fn scenes(&self, job: Job, work: &mut Work<'_>, outcome: &mut Outcome) -> Result<(), ValidationError> {
        for class in SceneClass::ALL {
            let (judge, candidate, seeded, items) = (work.judge, work.candidate, (class, self.seed), self.items());
            let mut advanced = |tally: &Agreements| work.advanced(job, class.name(), tally);
            let tally = match job {
                Job::Wheels => validate_wheels(judge, candidate, seeded, items, &mut advanced)?.tally,
                _ => validate_rays(judge, candidate, seeded, items, &mut advanced)?,
            };
            work.done += items;
            outcome.rows.push(Row { job, among: class.name(), tally });
        }
        Ok(())
    }

    fn boxes(&self, work: &mut Work<'_>, outcome: &mut Outcome) -> Result<(), ValidationError> {
        for class in BoxClass::ALL {
            let (judge, candidate, seeded, items) = (work.judge, work.candidate, (class, self.seed), self.items());
            let mut advanced = |tally: &Agreements| work.advanced(Job::BoxNormals, class.name(), tally);
            let tally = validate_boxes(judge, candidate, seeded, items, &mut advanced)?;
            work.done += items;
            outcome.rows.push(Row { job: Job::BoxNormals, among: class.name(), tally });
        }
        Ok(())
    }

    fn particles(&self, work: &mut Work<'_>, outcome: &mut Outcome) -> Result<(), ValidationError> {
        for class in ParticleClass::ALL {
            let (judge, candidate, seeded, items) = (work.judge, work.candidate, (class, self.seed), self.items());
            let mut advanced = |tally: &Agreements| work.advanced(Job::Particles, class.name(), tally);
            let tally = validate_particles(judge, candidate, seeded, items, &mut advanced)?;
            work.done += items;
            outcome.rows.push(Row { job: Job::Particles, among: class.name(), tally });
        }
        Ok(())
    }

    fn ellipsoids(&self, work: &mut Work<'_>, outcome: &mut Outcome) -> Result<(), ValidationError> {
        for class in EllipsoidClass::ALL {
            let (judge, candidate, seeded, items) = (work.judge, work.candidate, (class, self.seed), self.items());
            let mut advanced = |tally: &Agreements| work.advanced(Job::Ellipsoids, class.name(), tally);
            let report = validate_ellipsoids(judge, candidate, seeded, items, &mut advanced)?;
            work.done += items;
            outcome.rows.push(Row { job: Job::Ellipsoids, among: class.name(), tally: report.tally.clone() });
            if !report.rounds.is_empty() {
                outcome.searches.push((class, report));
            }
        }
        Ok(())
    }

    fn steps(&self, studies: &Studies, work: &mut Work<'_>, outcome: &mut Outcome) -> Result<(), ValidationError> {
        for &(name, ref study) in studies {
            let (judge, candidate) = (work.judge, work.candidate);
            let mut advanced = |tally: &Agreements| work.advanced(Job::Steps, name, tally);
            let report = validate_steps(judge, candidate, (name, study), self.seed, self.items(), &mut advanced)?;
            work.done += self.items();
            outcome.rows.push(Row { job: Job::Steps, among: name, tally: report.tally });
        }
        Ok(())
    }

    fn whole_landings(
        &self,
        studies: &Studies,
        work: &mut Work<'_>,
        outcome: &mut Outcome,
    ) -> Result<(), ValidationError> {
        for &(name, ref study) in studies {
            let (judge, candidate) = (work.judge, work.candidate);
            let mut advanced =
                |landings: u64| work.show(ITEMS_PER_LANDING * landings, || format!("; landings, {name}: {landings}"));
            let report = validate_landings(judge, candidate, (name, study), self.landings(), &mut advanced)?;
            work.done += ITEMS_PER_LANDING * self.landings();
            outcome.landings.push(report);
        }
        Ok(())
    }
}

type Studies = Vec<(&'static str, LandingStudy)>;

fn studies() -> Result<Studies, Failure> {
    let named = |name| embedded_study(name).map(|study| study.map(|study| (name, study)));
    Ok(study_names().into_iter().filter_map(|name| named(name).transpose()).collect::<Result<_, _>>()?)
}

/// Both engines, and what they have done.
struct Work<'a> {
    judge: &'a dyn Engine,
    candidate: &'a dyn Engine,
    meter: Meter,
    /// Items of the classes and studies that are finished.
    done: u64,
}

impl Work<'_> {
    fn advanced(&mut self, job: Job, among: &str, tally: &Agreements) {
        let words = || {
            let (ambiguous, wrong) = (tally.count(Agreement::Ambiguous), tally.count(Agreement::Wrong));
            format!("; {}, {among}: {ambiguous} ambiguous, {wrong} wrong", job.name())
        };
        self.show(tally.items(), words);
    }

    fn show(&mut self, items: u64, words: impl FnOnce() -> String) {
        let sum = self.done + items;
        self.meter.show(sum, sum, words);
    }
}

impl Outcome {
    fn passes(&self) -> bool {
        self.rows.iter().all(|row| row.tally.passes()) && self.landings.iter().all(LandingReport::passes)
    }

    /// What is worth computing again.
    fn kept(&self) -> Vec<Finding> {
        let of_tally = |tally: &Agreements| match tally.wrong() {
            [] => tally.worst().cloned().into_iter().collect(),
            wrong => wrong.to_vec(),
        };
        let of_landings = |report: &LandingReport| {
            // Of a landing whose class differs all is kept with that.
            let differs = |item| report.disagreements.iter().any(|disagreement| disagreement.item == item);
            let misrecorded = report.misrecorded().filter(|recording| !differs(recording.item)).take(KEPT);
            let disagreements = report.disagreements.iter().cloned().map(Finding::Landing);
            disagreements.chain(misrecorded.cloned().map(Finding::Recording)).collect::<Vec<Finding>>()
        };
        let rows = self.rows.iter().flat_map(|row| of_tally(&row.tally));
        rows.chain(self.landings.iter().flat_map(of_landings)).collect()
    }
}
