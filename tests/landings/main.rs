//! Wheels, vehicles, air and control laws on the processor, against closed forms and a finer step.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "../support/mod.rs"]
mod support;

mod air;
mod air_forces;
mod airframe_files;
mod airframes;
mod autoland;
mod castering;
mod climbing;
mod closed_forms;
mod flare;
mod flight_controls;
mod gear;
mod golden_wheel;
mod ground_reactions;
mod landings;
mod leaning;
mod native_landings;
mod peaks;
mod physics;
mod propulsion;
mod propulsion_forms;
mod propulsion_parts;
mod rotary_gusts;
mod slopes;
mod turbulence;
mod weather;
