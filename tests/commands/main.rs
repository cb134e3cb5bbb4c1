//! The program's other commands, its examples, and what it does with bad input.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "../support/mod.rs"]
mod support;

mod bench;
mod box_command;
mod broken_inputs;
mod broken_runs;
mod check_maps;
mod dependencies;
mod documents;
mod ellipsoids_command;
mod encounters_command;
mod examples;
mod hostile;
mod hostile_solids;
mod import_jsbsim;
mod interrupts;
mod lcp_command;
mod new_study;
mod oriented_command;
mod particle_command;
mod render_bodies;
mod shown_commands;
mod starts;
mod validate_command;
mod vehicle_command;
mod world_command;
