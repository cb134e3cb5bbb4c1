//! The command line: parse, call the library, print. One file per command; no physics here.

mod bench;
mod box_normals;
mod check;
mod compare;
mod devices;
mod ellipsoids;
mod encounters;
mod engine;
mod events;
mod explain;
mod export_design;
mod failure;
mod import;
mod interrupt;
mod lcp;
mod limits;
mod map;
mod merge;
mod new;
mod oriented;
mod particle;
mod place;
mod progress;
mod raycast;
mod render;
mod render_bodies;
mod replay;
mod report;
mod run;
mod scene;
mod sensitivity;
mod shifts;
mod starts;
mod summary;
mod text;
mod validate;
mod vehicle;
mod verify;
mod wheels;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use touchdown::table::panic_becomes_error;

use failure::Failure;

#[derive(Debug, Parser)]
#[command(version, about = env!("CARGO_PKG_DESCRIPTION"), after_help = EXIT_CODES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done, and every criterion met; with --parts alone: these parts are there
  1    a criterion failed; a complementarity problem has no solution
  2    bad input: the message names file, line, field, value and what is allowed
  3    no usable device
  4    invalid trials
  5    results that should be equal differ
  6    a criterion is undecided; a complementarity problem was not solved
  130  interrupted; finished parts are kept, the same command goes on from them";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Studies: new, run, check, replay, verify, merge, report, sensitivity, map, compare, export-design
    #[command(subcommand)]
    Study(StudyVerb),
    /// Inspect scenes
    #[command(subcommand)]
    Scene(SceneVerb),
    /// Import files of other programs
    #[command(subcommand)]
    Import(import::ImportVerb),
    /// Linear complementarity problems
    #[command(subcommand)]
    Lcp(lcp::LcpVerb),
    /// Air forces of aircraft
    #[command(subcommand)]
    Vehicle(vehicle::VehicleVerb),
    Explain(explain::Explain),
    Devices(devices::Devices),
    Bench(bench::Bench),
    Ellipsoids(ellipsoids::Ellipsoids),
    Encounters(encounters::Encounters),
    Raycast(raycast::Raycast),
    BoxNormals(box_normals::BoxNormals),
    Oriented(oriented::OrientedVerb),
    Particle(particle::ParticleVerb),
    Render(render::Render),
    Wheels(wheels::Wheels),
    Validate(validate::Validate),
}

#[derive(Debug, Subcommand)]
enum StudyVerb {
    New(new::New),
    Run(run::Run),
    Check(check::Check),
    Replay(replay::Replay),
    Verify(verify::Verify),
    Merge(merge::Merge),
    Report(report::Report),
    Sensitivity(sensitivity::SensitivityVerb),
    Map(map::MapVerb),
    Compare(compare::Compare),
    ExportDesign(export_design::ExportDesign),
}

#[derive(Debug, Subcommand)]
enum SceneVerb {
    Show(scene::Show),
}

/// Keeps panics that become errors from being reported twice.
fn keep_caught_panics_quiet() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic_becomes_error() {
            report(panic);
        }
    }));
}

/// Runs the program.
pub fn main() -> ExitCode {
    keep_caught_panics_quiet();
    interrupt::listen();
    let done = match Arguments::parse().verb {
        Verb::Study(StudyVerb::New(verb)) => verb.run(),
        Verb::Study(StudyVerb::Run(verb)) => verb.run(),
        Verb::Study(StudyVerb::Check(verb)) => verb.run(),
        Verb::Study(StudyVerb::Replay(verb)) => verb.run(),
        Verb::Study(StudyVerb::Verify(verb)) => verb.run(),
        Verb::Study(StudyVerb::Merge(verb)) => verb.run(),
        Verb::Study(StudyVerb::Report(verb)) => verb.run(),
        Verb::Study(StudyVerb::Sensitivity(verb)) => verb.run(),
        Verb::Study(StudyVerb::Map(verb)) => verb.run(),
        Verb::Study(StudyVerb::Compare(verb)) => verb.run(),
        Verb::Study(StudyVerb::ExportDesign(verb)) => verb.run(),
        Verb::Scene(SceneVerb::Show(verb)) => verb.run(),
        Verb::Import(verb) => verb.run(),
        Verb::Lcp(verb) => verb.run(),
        Verb::Vehicle(verb) => verb.run(),
        Verb::Explain(verb) => verb.run(),
        Verb::Devices(verb) => verb.run(),
        Verb::Bench(verb) => verb.run(),
        Verb::Ellipsoids(verb) => verb.run(),
        Verb::Encounters(verb) => verb.run(),
        Verb::Raycast(verb) => verb.run(),
        Verb::BoxNormals(verb) => verb.run(),
        Verb::Oriented(verb) => verb.run(),
        Verb::Particle(verb) => verb.run(),
        Verb::Render(verb) => verb.run(),
        Verb::Wheels(verb) => verb.run(),
        Verb::Validate(verb) => verb.run(),
    };
    match done {
        Ok(code) => code.into(),
        Err(failure) => {
            text::complain(&format!("error: {failure}\n"));
            failure.code().into()
        }
    }
}
