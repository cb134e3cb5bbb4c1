//! Exit codes and failures of commands.

use std::fmt;
use std::path::Path;

use touchdown::engine::EngineError;
use touchdown::gpu::GpuError;
use touchdown::study::statistics::Verdict;
use touchdown::study::{RunError, Summary};

use super::text::in_one_line;

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Done, and every criterion met.
    Done = 0,
    /// A criterion failed, a problem has no solution, or there is no steady flight.
    CriterionFailed = 1,
    /// Bad input.
    BadInput = 2,
    /// No usable device.
    NoDevice = 3,
    /// Invalid trials.
    InvalidItems = 4,
    /// Results that should be equal differ.
    Disagreement = 5,
    /// A criterion is undecided, or a problem was not solved.
    Undecided = 6,
    /// Interrupted.
    Interrupted = 130,
}

impl Code {
    /// The code of a finished run: the most severe that applies.
    pub fn of(summary: &Summary) -> Self {
        let any = |verdict| summary.criteria.iter().any(|criterion| criterion.verdict == verdict);
        if summary.invalid() > summary.invalid_allowance {
            Self::InvalidItems
        } else if any(Verdict::Failed) {
            Self::CriterionFailed
        } else if any(Verdict::Undecided) {
            Self::Undecided
        } else {
            Self::Done
        }
    }
}

/// What begins a line of a list; every other line end in a message is one of a name.
const OF_LIST: &str = "\n  ";

/// A message that ends the program: one line, but for drivers that say more and for lists below it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: Code,
}

impl Failure {
    /// Failure due to bad input.
    pub fn bad_input(message: impl Into<String>) -> Self {
        let lines: Vec<String> = message.into().split(OF_LIST).map(in_one_line).collect();
        Self { message: lines.join(OF_LIST), code: Code::BadInput }
    }

    /// An error that a file is the cause of, unless a device is.
    pub fn about(file: &Path, error: impl Into<Self>) -> Self {
        let Self { message, code } = error.into();
        match code {
            Code::NoDevice => Self { message, code },
            _ => Self { message: format!("{}: {message}", in_one_line(&file.to_string_lossy())), code },
        }
    }

    /// Its exit code.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Device errors have their own code; every other library error is about the input or the output location.
impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let message = error.to_string();
        if is_of_device(&error) {
            return Self { message, code: Code::NoDevice };
        }
        Self::bad_input(message)
    }
}

/// True if the cause is a device that is missing, lost or failing. A problem too large for the device, or a world of a kind that
/// it does not compute, is an input error.
fn is_of_device(error: &(dyn std::error::Error + 'static)) -> bool {
    let engine_error = match error.downcast_ref() {
        Some(RunError::Engine(inner)) => Some(inner),
        _ => error.downcast_ref::<EngineError>(),
    };
    let gpu_error = match engine_error {
        Some(EngineError::Device(inner)) => inner.downcast_ref::<GpuError>(),
        _ => error.downcast_ref(),
    };
    match gpu_error {
        Some(gpu_error) => !matches!(
            gpu_error,
            GpuError::OutOfRange { .. } | GpuError::BufferTooLarge { .. } | GpuError::WorldWithoutKernel { .. }
        ),
        None => error.source().is_some_and(is_of_device),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_names_are_written_out_and_lists_stay_lists() {
        let said = |message: &str| Failure::bad_input(message).to_string();
        assert_eq!(said("a\nb.toml: there is no quantity `RED\nx`"), "a\\nb.toml: there is no quantity `RED\\nx`");
        assert_eq!(said("what differs:\n  seed: 7 -> 8\n  name: a\nb"), "what differs:\n  seed: 7 -> 8\n  name: a\\nb");
        assert_eq!(Failure::about(Path::new("c\nd"), Failure::bad_input("e\nf")).to_string(), "c\\nd: e\\nf");
    }

    #[test]
    fn a_file_is_named_for_what_it_causes_and_not_for_a_device() {
        let about = |error: GpuError| Failure::about(Path::new("scene.toml"), error).to_string();
        let large = GpuError::OutOfRange { what: "leaf 3 (2e9 m)".to_owned(), limit: 1e9, unit: "m" };
        assert!(about(large).starts_with("scene.toml: leaf 3 (2e9 m) is too large for the gpu engine"));
        assert!(about(GpuError::NoAdapter).starts_with("no adapter found"));
    }
}
