//! `touchdown bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use touchdown::benchmark::{AdapterFacts, CASES, Case, Figures, Limit, Measurement, Processor, Report, StageFigures};
use touchdown::gpu::{Gpu, Rates};
use touchdown::table::{check_writable, write_atomically};

use super::Failure;
use super::engine::{EngineOptions, Engines, SearchOption};
use super::failure::Code;
use super::place::refuse_of_run;
use super::text::{bytes, columns, complain, number, print, scaled};

const ENGINE_HELP: &str = "\
Engine to measure; `auto` measures reference and native, and the GPU where there is one or --adapter names a software \
adapter";

const EXPLANATION: &str = "\
Needs no files: scenes, rays, ellipsoids, wheels and an airplane are made in the program, the same on every machine. Takes a minute \
or two for each engine with the default --seconds; the machine should do nothing else.

First come whole calls, from numbers in f64 to results in f64, as a user gets them. For a GPU the stages follow, one at a \
time: packing on the processor, upload, kernel, read-back, decoding on the processor. `search` says whether the kernel \
reads the scene (`interpreted`; `words` with --search words) or was made for it (`unrolled`). Last, the kernel beside what the \
device allows: `memory allows` is the rate of a kernel that only copies over the bytes of an item, `arithmetic allows` \
that of one that only multiplies and adds over the operations of an item; the lower of both binds, and `reached` is the \
kernel's share of it. `link allows` is for whole calls: the bytes that cross between processor and device. With --search words no such lines \
are printed for rays: their operations are counted on walks.";

/// Measure the throughput of each job, and what limits it
///
/// Measures the throughput of each job on the engines of this machine, and what limits it.
#[derive(Debug, Args)]
#[command(after_help = EXPLANATION)]
#[command(mut_arg("engine", |engine| engine.help(ENGINE_HELP)))]
#[command(mut_arg("threads", |threads| threads.help("Threads of reference and native; 0 takes one per processor")))]
pub struct Bench {
    /// Also write all figures to this JSON file; field names carry units
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Minimum time per figure in seconds; each stage takes a quarter of it
    #[arg(long, default_value_t = 1.0, value_name = "S", value_parser = seconds)]
    seconds: f64,
    /// Measure one job only
    #[arg(long, value_parser = job_parser())]
    job: Option<Case>,
    #[command(flatten)]
    search: SearchOption,
    #[command(flatten)]
    engine: EngineOptions,
}

fn job_parser() -> impl TypedValueParser<Value = Case> {
    let values = CASES.iter().map(|case| PossibleValue::new(case.job).help(case.about)).collect::<Vec<_>>();
    let named = |name: String| CASES.iter().copied().find(|case| case.job == name).ok_or("no such job");
    PossibleValuesParser::new(values).try_map(named)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 600.0 => Ok(seconds),
        _ => Err("must be above 0 and at most 600 s".to_owned()),
    }
}

impl Bench {
    pub fn run(&self) -> Result<Code, Failure> {
        let Engines { reference, native, gpu } = self.engine.searching(self.search).engines()?;
        let time = Duration::from_secs_f64(self.seconds);
        let mut report = Report {
            version: env!("CARGO_PKG_VERSION"),
            processor: Processor {
                architecture: std::env::consts::ARCH,
                system: std::env::consts::OS,
                threads: self.engine.threads(),
            },
            adapter: None,
            seconds_per_figure: self.seconds,
            cases: Vec::new(),
        };
        if let Some(path) = &self.json {
            refuse_of_run("--json", path)?;
            // Fail on an unwritable file before measuring, not after.
            check_writable(path)?;
        }
        let mut gpu_and_rates: Option<(Gpu, Rates)> = None;
        match gpu {
            Err(why) => complain(&format!("no GPU is measured: {why}\n")),
            Ok((adapter, gpu)) => {
                complain(&format!("measuring {}\n", adapter.name));
                let rates = gpu.measure_rates(time / 4)?;
                report.adapter = Some(AdapterFacts::new(&adapter, &rates));
                gpu_and_rates = Some((gpu, rates));
            }
        }
        print(&machine(&report))?;
        let gpu = gpu_and_rates.as_ref().map(|(gpu, rates)| (gpu, rates));
        let subjects = [
            reference.as_ref().map(|engine| Measurement { engine, gpu: None, time }),
            native.as_ref().map(|engine| Measurement { engine, gpu: None, time }),
            gpu.map(|(engine, rates)| Measurement { engine, gpu: Some((engine, rates)), time }),
        ];
        let subjects: Vec<Measurement<'_>> = subjects.into_iter().flatten().collect();
        self.measure(&subjects, &mut report)?;
        print(&tables(&report))?;
        Ok(Code::Done)
    }

    fn measure(&self, subjects: &[Measurement<'_>], report: &mut Report) -> Result<(), Failure> {
        let asked = CASES.iter().filter(|case| self.job.is_none_or(|only| only.job == case.job));
        for scenario in asked.flat_map(Case::scenarios) {
            let measured = scenario.make()?;
            for subject in subjects {
                complain(&format!("measuring {} on engine {}\n", scenario.what, subject.engine.identity().engine));
                report.cases.push(measured.figures(subject)?);
                self.save(report)?;
            }
        }
        Ok(())
    }

    fn save(&self, report: &Report) -> Result<(), Failure> {
        match &self.json {
            Some(path) => Ok(write_atomically(path, report.to_json().as_bytes())?),
            None => Ok(()),
        }
    }
}

fn machine(report: &Report) -> String {
    let Processor { architecture, system, threads } = report.processor;
    let mut text = format!("touchdown {} on {architecture} {system}, {threads} threads\n", report.version);
    if let Some(adapter) = &report.adapter {
        text.push_str(&format!(
            "{}, {}, {}, {}\n  memory {}/s, arithmetic {}op/s, upload {}/s, read-back {}/s\n  an empty kernel takes {} us \
             among others, {} us alone\n",
            adapter.name,
            adapter.kind,
            adapter.driver,
            adapter.interface,
            bytes(adapter.memory_bytes_per_second),
            scaled(adapter.arithmetic_operations_per_second),
            bytes(adapter.upload_bytes_per_second),
            bytes(adapter.download_bytes_per_second),
            number(1e6 * adapter.empty_dispatch_seconds),
            number(1e6 * adapter.empty_submission_seconds)
        ));
    }
    text
}

fn tables(report: &Report) -> String {
    let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    let mut calls =
        vec![row(&["job", "scene", "engine", "items per call", "per second", "steps per second", "in contact"])];
    let mut stages = vec![row(&["job", "scene", "pack", "upload", "kernel", "read-back", "decode", "items", "search"])];
    let mut limits = vec![row(&[
        "job",
        "scene",
        "kernel",
        "bytes",
        "operations",
        "memory allows",
        "arithmetic allows",
        "link allows",
        "bound by",
        "reached",
    ])];
    for figures in &report.cases {
        calls.push(call_row(figures));
        if let Some(of_stages) = &figures.stages {
            stages.push(stage_row(figures, of_stages));
            limits.extend(figures.limit.as_ref().map(|limit| limit_row(figures, of_stages, limit)));
        }
    }
    let mut text = format!("\nwhole calls\n{}", columns(&calls));
    if stages.len() > 1 {
        text.push_str(&format!(
            "\nstages on the GPU, one at a time, in ns per item (of whole flights: per vehicle step)\n{}",
            columns(&stages)
        ));
    }
    if limits.len() > 1 {
        text.push_str(&format!("\nthe kernel and its limits, per second\n{}", columns(&limits)));
    }
    text
}

fn call_row(figures: &Figures) -> Vec<String> {
    let mut row = vec![
        figures.job.to_owned(),
        figures.scene.to_owned(),
        figures.engine.clone(),
        figures.items_per_call.to_string(),
        scaled(figures.items_per_second),
    ];
    row.extend(
        figures
            .steps
            .iter()
            .flat_map(|steps| [scaled(steps.vehicle_steps_per_second), scaled(steps.contact_steps_per_second)]),
    );
    row
}

fn stage_row(figures: &Figures, stages: &StageFigures) -> Vec<String> {
    let nanoseconds = |seconds: f64| number(1e9 * seconds / stages.items as f64);
    vec![
        figures.job.to_owned(),
        figures.scene.to_owned(),
        nanoseconds(stages.pack_seconds),
        nanoseconds(stages.upload_seconds),
        nanoseconds(stages.kernel_seconds),
        nanoseconds(stages.download_seconds),
        nanoseconds(stages.decode_seconds),
        stages.items.to_string(),
        stages.search.unwrap_or("-").to_owned(),
    ]
}

fn limit_row(figures: &Figures, stages: &StageFigures, limit: &Limit) -> Vec<String> {
    vec![
        figures.job.to_owned(),
        figures.scene.to_owned(),
        scaled(stages.kernel_items_per_second),
        number(stages.kernel_bytes_per_item),
        number(figures.work.operations),
        scaled(limit.memory_items_per_second),
        scaled(limit.arithmetic_items_per_second),
        scaled(limit.link_items_per_second),
        limit.binding.name().to_owned(),
        format!("{} %", number(100.0 * limit.share_reached)),
    ]
}
