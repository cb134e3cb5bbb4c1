//! `touchdown validate`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use touchdown::document::Document;
use touchdown::engine::{Engine, EngineIdentity};
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::scene::Scene;
use touchdown::table::write_atomically;
use touchdown::validation::{
    EntryPointJudge, Finding, Item, Judgement, SceneClass, Tally, Verdict, Window, judge_items, saved_items,
    validate_rays,
};

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::progress::Meter;
use super::text::{columns, number, optional_number, print};

/// More would take years.
const MOST_ITEMS: u64 = 1_000_000_000_000;

/// Judges an engine by the reference, item by item, in scenes made for it.
///
/// Every item gets one verdict: match (to the last place of f32), within bound (of the error derived for f32), ambiguous
/// (a border displaced by no more than that error would give this answer) or wrong. One wrong item fails the engine (exit
/// code 5), and so does more than one in a thousand that is ambiguous without having been made to touch a border.
#[derive(Debug, Args)]
pub struct Validate {
    /// Items of each job in each class of scenes
    #[arg(long, value_name = "N", required_unless_present = "replay", value_parser = clap::value_parser!(u64).range(1..=MOST_ITEMS))]
    items: Option<u64>,
    /// Seed of scenes and items
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Jobs to validate [default: all]
    #[arg(long, value_enum, value_name = "JOB")]
    job: Vec<Job>,
    /// Write the wrong items, at most 100 of each class, and the worst of each class to this file (.json)
    #[arg(long, value_name = "FILE", value_parser = json_file)]
    save: Option<PathBuf>,
    /// Compute the items of such a file again and show all that is known of them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["items", "job", "save", "seed"])]
    replay: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Job {
    /// Where rays first meet a scene
    Rays,
}

fn json_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { Ok(path) } else { Err("must end with .json".to_owned()) }
}

/// What a job comes to in a class of scenes.
struct Row {
    job: Job,
    class: SceneClass,
    tally: Tally,
}

impl Job {
    fn name(self) -> &'static str {
        match self {
            Self::Rays => "rays",
        }
    }
}

impl Validate {
    pub fn run(&self) -> Result<Code, Failure> {
        let candidate = self.engine.engine()?;
        let judge = self.engine.reference()?;
        let EngineIdentity { engine, adapter, .. } = candidate.identity();
        print(&format!("engine {engine} on {adapter}, judged by the reference\n"))?;
        match &self.replay {
            Some(file) => replay(&judge, candidate.as_ref(), file),
            None => self.validate(&judge, candidate.as_ref()),
        }
    }

    fn validate(&self, judge: &dyn Engine, candidate: &dyn Engine) -> Result<Code, Failure> {
        let items = self.items.unwrap_or(0);
        if let Some(file) = &self.save {
            // What cannot be written should be known before anything is computed.
            write_atomically(file, Finding::to_json(&[], &candidate.identity()).as_bytes())?;
        }
        let jobs = if self.job.is_empty() { Job::value_variants() } else { &self.job };
        let mut meter = Meter::new(items * (jobs.len() * SceneClass::ALL.len()) as u64, "items");
        let rows = self.rows(judge, candidate, jobs, &mut meter);
        meter.finish();
        let rows = rows?;
        print(&format!("{items} items of each job and class, seed {}\n{}\n", self.seed, table(&rows)))?;
        if let Some(file) = &self.save {
            let findings: Vec<&Finding> = rows.iter().flat_map(|row| kept(&row.tally)).collect();
            write_atomically(file, Finding::to_json(&findings, &candidate.identity()).as_bytes())?;
            print(&format!("saved {} items in {}\n", findings.len(), file.display()))?;
        }
        let failed: Vec<&Row> = rows.iter().filter(|row| !row.tally.passes()).collect();
        for row in &failed {
            print(&format!("{} in class {} do not pass; the worst item:\n", row.job.name(), row.class.name()))?;
            if let Some(finding) = row.tally.worst() {
                print(&description(judge, finding)?)?;
            }
        }
        print(if failed.is_empty() { "every class passes\n" } else { "the engines disagree\n" })?;
        Ok(if failed.is_empty() { Code::Done } else { Code::Disagreement })
    }

    fn rows(
        &self,
        judge: &dyn Engine,
        candidate: &dyn Engine,
        jobs: &[Job],
        meter: &mut Meter,
    ) -> Result<Vec<Row>, Failure> {
        let (mut rows, mut done) = (Vec::new(), 0);
        for &job in jobs {
            for class in SceneClass::ALL {
                let mut advanced = |tally: &Tally| {
                    let sum = done + tally.items();
                    let words = || format!("; {} in class {}: {}", job.name(), class.name(), counts(tally));
                    meter.show(sum, sum, words);
                };
                let seeded = (class, self.seed);
                let tally = match job {
                    Job::Rays => validate_rays(judge, candidate, seeded, self.items.unwrap_or(0), &mut advanced)?,
                };
                done += tally.items();
                rows.push(Row { job, class, tally });
            }
        }
        Ok(rows)
    }
}

/// The wrong items, and the worst where none is wrong.
fn kept(tally: &Tally) -> impl Iterator<Item = &Finding> {
    tally.wrong().iter().chain(tally.worst().filter(|_| tally.wrong().is_empty()))
}

fn counts(tally: &Tally) -> String {
    format!("{} ambiguous, {} wrong", tally.count(Verdict::Ambiguous), tally.count(Verdict::Wrong))
}

fn table(rows: &[Row]) -> String {
    let header = [
        "job, class",
        "items",
        "match",
        "within bound",
        "ambiguous by chance",
        "by touch",
        "wrong",
        "error/bound",
        "worst item",
        "verdict",
    ];
    let mut cells = vec![header.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(|Row { job, class, tally }| {
        vec![
            format!("{}, {}", job.name(), class.name()),
            tally.items().to_string(),
            tally.count(Verdict::Match).to_string(),
            tally.count(Verdict::WithinBound).to_string(),
            tally.ambiguous_by_chance().to_string(),
            tally.ambiguous_touching().to_string(),
            tally.count(Verdict::Wrong).to_string(),
            number(tally.largest_ratio()),
            tally.worst().map_or_else(String::new, |worst| worst.item.number.to_string()),
            tally.worst().map_or_else(String::new, |worst| worst.judgement.verdict.name().to_owned()),
        ]
    }));
    columns(&cells)
}

/// Computes saved items again.
fn replay(judge: &dyn Engine, candidate: &dyn Engine, file: &Path) -> Result<Code, Failure> {
    let mut code = Code::Done;
    for (item, then) in saved_items(&Document::read(file)?)? {
        let scene = item.class.scene(item.seed, item.variant())?;
        for finding in judge_items(judge, candidate, &scene, &[item])? {
            print(&description(judge, &finding)?)?;
            print(&format!("  verdict then  {}\n\n", then.name()))?;
            if finding.judgement.verdict == Verdict::Wrong {
                code = Code::Disagreement;
            }
        }
    }
    Ok(code)
}

/// All that is known of an item.
fn description(judge: &dyn Engine, finding: &Finding) -> Result<String, Failure> {
    let Finding { item, truth, answer, judgement } = finding;
    let Item { class, seed, number: item_number, made_to_touch, ray } = item;
    let Judgement { verdict, why, error, bound } = judgement;
    let scene = class.scene(*seed, item.variant())?;
    let judged = EntryPointJudge::new(judge, &scene);
    let touch = if *made_to_touch { ", made to touch a border" } else { "" };
    let mut text = format!("{}, seed {seed}, item {item_number}{touch}\n{}", class.name(), ray_lines(ray));
    let Window { dilated, eroded } = judged.window(ray)?;
    for (name, entry) in [("judge", truth), ("engine", answer), ("dilated", &dilated), ("eroded", &eroded)] {
        text.push_str(&format!("  {name:<12}  {}\n", entry_words(&scene, entry)));
    }
    text.push_str(&format!("  lambda off    {}, allowed {}\n", optional_number(*error), optional_number(*bound)));
    if let Some((distance, allowed)) = judged.displacement(ray, answer) {
        text.push_str(&format!("  border off    {} m, allowed {} m\n", number(distance), number(allowed)));
    }
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    Ok(text + &format!("  verdict       {}{why}\n", verdict.name()))
}

fn ray_lines(ray: &Ray) -> String {
    let Ray { x1, x2, lambda1, lambda2 } = ray;
    format!("  from          {x1}\n  to            {x2}\n  lambda        {lambda1} to {lambda2}\n")
}

fn entry_words(scene: &Scene, entry: &EntryPoint) -> String {
    let EntryPoint { status, lambda, normal, leaf, material } = entry;
    match status {
        RayStatus::Hit => {
            let known = material.and_then(|material| scene.materials().get(material.0 as usize));
            let material = known.map_or("no", |material| material.name.as_str());
            let border = leaf.map_or("inside at once".to_owned(), |leaf| format!("leaf {leaf}, normal {normal}"));
            format!("hit at {lambda}, {border}, {material} material")
        }
        RayStatus::Miss => "miss".to_owned(),
        RayStatus::BadInput => "bad input".to_owned(),
        RayStatus::NotConverged => "not converged".to_owned(),
    }
}
