//! Studies through the program and the library: sampling, statistics, verdicts, analyses and reports.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "../support/mod.rs"]
mod support;

mod batches;
mod browser;
mod combined_criteria;
mod compare;
mod criteria_files;
mod designs;
mod encounters;
mod models;
mod rare_events;
mod reports;
mod runs;
mod sampled_runs;
mod sampling;
mod sensitivity;
mod subset;
mod subset_runs;
mod verified_runs;
mod worlds;
