//! The command line: parse, call the library, print. One file per command; no physics here.

#![allow(rustdoc::broken_intra_doc_links, reason = "comments on options are the program's help, not Markdown")]

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
mod world;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};

use clap::{Parser, Subcommand};
use touchdown::table::panic_becomes_error;

pub use engine::EngineOptions;
use failure::Failure;

#[derive(Debug, Parser)]
#[command(version, about = env!("CARGO_PKG_DESCRIPTION"), after_help = EXIT_CODES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done, and every criterion met; with --parts: these parts are there
  1    a criterion failed; a complementarity problem has no solution; no steady flight
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
    /// Worlds of rigid bodies
    #[command(subcommand)]
    World(world::WorldVerb),
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

/// Runs the program with these arguments, of which the first is its own name; returns its exit code. Ends the process on
/// an interrupt that is not heeded in time.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    keep_caught_panics_quiet();
    interrupt::listen();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(told) => return tell(&told),
    };
    match arguments.verb.run() {
        Ok(code) => code as u8,
        Err(failure) => {
            text::complain(&format!("error: {failure}\n"));
            failure.code() as u8
        }
    }
}

/// Prints what `--help` asks for, or why arguments are refused; returns the exit code.
fn tell(told: &clap::Error) -> u8 {
    match told.print().and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            text::complain(&format!("error: cannot write to standard output: {error}\n"));
            failure::Code::BadInput as u8
        }
        _ => told.exit_code() as u8,
    }
}

/// Runs one command with these arguments, of which the first is the program's name, within a program that lives on:
/// interrupts are left to it, and what would be printed as an error is returned. The exit code is returned.
///
/// # Errors
/// The message, if arguments are refused or the command fails.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> Result<u8, String> {
    let arguments = Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?;
    arguments.verb.run().map(|code| code as u8).map_err(|failure| failure.to_string())
}

impl Verb {
    fn run(&self) -> Result<failure::Code, Failure> {
        match self {
            Self::Study(StudyVerb::New(verb)) => verb.run(),
            Self::Study(StudyVerb::Run(verb)) => verb.run(),
            Self::Study(StudyVerb::Check(verb)) => verb.run(),
            Self::Study(StudyVerb::Replay(verb)) => verb.run(),
            Self::Study(StudyVerb::Verify(verb)) => verb.run(),
            Self::Study(StudyVerb::Merge(verb)) => verb.run(),
            Self::Study(StudyVerb::Report(verb)) => verb.run(),
            Self::Study(StudyVerb::Sensitivity(verb)) => verb.run(),
            Self::Study(StudyVerb::Map(verb)) => verb.run(),
            Self::Study(StudyVerb::Compare(verb)) => verb.run(),
            Self::Study(StudyVerb::ExportDesign(verb)) => verb.run(),
            Self::Scene(SceneVerb::Show(verb)) => verb.run(),
            Self::Import(verb) => verb.run(),
            Self::Lcp(verb) => verb.run(),
            Self::Vehicle(verb) => verb.run(),
            Self::World(verb) => verb.run(),
            Self::Explain(verb) => verb.run(),
            Self::Devices(verb) => verb.run(),
            Self::Bench(verb) => verb.run(),
            Self::Ellipsoids(verb) => verb.run(),
            Self::Encounters(verb) => verb.run(),
            Self::Raycast(verb) => verb.run(),
            Self::BoxNormals(verb) => verb.run(),
            Self::Oriented(verb) => verb.run(),
            Self::Particle(verb) => verb.run(),
            Self::Render(verb) => verb.run(),
            Self::Wheels(verb) => verb.run(),
            Self::Validate(verb) => verb.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(arguments: &[&str]) -> Result<u8, String> {
        command(["touchdown"].iter().chain(arguments).map(OsString::from))
    }

    #[test]
    fn a_command_within_a_program_returns_what_the_program_would_print_or_exit_with() {
        let directory = tempfile::tempdir().unwrap();
        let to = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let (problem, out) = (to("problem.json"), to("out.json"));
        std::fs::write(&problem, r#"{"matrix": [[2, 1], [1, 2]], "vector": [-4, 1]}"#).unwrap();
        assert_eq!(run(&["lcp", "solve", &problem, "--out", &out]), Ok(0));
        assert!(std::fs::read_to_string(&out).unwrap().contains("solved"));
        let missing = run(&["scene", "show", "missing.toml"]).unwrap_err();
        assert!(missing.starts_with("missing.toml: cannot be read"), "{missing}");
        let unknown = run(&["scenes"]).unwrap_err();
        assert!(unknown.contains("unrecognized subcommand 'scenes'"), "{unknown}");
    }

    #[test]
    fn threads_are_started_once_however_many_commands_ask() {
        for threads in [1, 2] {
            let options = EngineOptions::new("native", None, threads).unwrap();
            assert!(options.start_threads().is_ok());
        }
        assert_eq!(
            EngineOptions::new("fast", None, 0).unwrap_err(),
            "there is no engine `fast`; known: auto, reference, native, gpu"
        );
    }
}
