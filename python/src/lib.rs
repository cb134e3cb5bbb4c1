//! touchdown for Python: what the package `touchdown` is built on. Types, units and words for users are in the
//! package's own files; here numbers cross.
//!
//! ```text
//! touchdown/*.py --> _touchdown (this) --> touchdown (Rust): studies, engines, jobs, the command line
//! ```
//!
//! Computations run on a thread of their own while Python's lock is free; the calling thread waits, lets Python handle
//! signals, and passes them on as a request to stop.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

mod arrays;
mod directory;
mod engine;
mod errors;
mod jobs;
mod replay;
mod rows;
mod scene;
mod study;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The native part of the package `touchdown`.
#[pymodule]
mod _touchdown {
    #[pymodule_export]
    use super::directory::Directory;
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::jobs::{box_normals, box_pairs, ellipsoid_pairs, ellipsoid_walls, lcp};
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::study::{Study, identity_of, report};
    #[pymodule_export]
    use super::{command, main, version};
}

/// The version of the package, of the program in it, and of the files that they write.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The program, with these arguments; returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| touchdown::cli::main(arguments))
}

/// One command of the program, within this process; returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    work::uninterrupted(py, move || touchdown::cli::command(arguments))?
        .map_err(|message| errors::command(py, &message))
}
