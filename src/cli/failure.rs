//! Exit codes and failures of commands.

use std::fmt;
use std::path::Path;

use touchdown::engine::EngineError;
use touchdown::gpu::GpuError;
use touchdown::study::statistics::Verdict;
use touchdown::study::{RunError, Summary};

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

/// A message that ends the program.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: Code,
}

impl Failure {
    /// Failure due to bad input.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: Code::BadInput }
    }

    /// An error that a file is the cause of.
    pub fn about(file: &Path, error: impl Into<Self>) -> Self {
        let Self { message, code } = error.into();
        Self { message: format!("{}: {message}", file.display()), code }
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
        let code = if is_of_device(&error) { Code::NoDevice } else { Code::BadInput };
        Self { message: error.to_string(), code }
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
