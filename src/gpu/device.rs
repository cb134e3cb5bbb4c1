//! An open device, and the conversion of its failures to errors.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{DeviceDescriptor, ErrorFilter, Limits, PollType, SubmissionIndex};

use super::GpuError;
use super::adapter::{Adapter, AdapterKind, adapters, choose};

/// Limit on iterations per item if the driver has none: seconds of work for one item.
const MAX_ROUNDS: u32 = 1 << 24;

/// A device and its queue.
#[derive(Debug)]
pub(super) struct Device {
    pub inner: wgpu::Device,
    pub queue: wgpu::Queue,
    /// Name of the adapter.
    pub name: String,
    /// Name, driver and API, which determine the bits of a result.
    pub identity: String,
    pub limits: Limits,
    /// Whether the adapter is the CPU.
    pub is_software: bool,
    /// Iterations of loops available to an item.
    pub rounds: u32,
    pub loops: Loops,
    failure: Arc<Mutex<Option<Failure>>>,
}

/// How a driver executes the loops of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Loops {
    /// Completely.
    Whole,
    /// Long ones are silently stopped.
    Limited,
}

/// The first failure since the last check.
#[derive(Debug)]
enum Failure {
    OutOfMemory(String),
    Lost(String),
    Fault(String),
}

impl Device {
    /// Opens an adapter: by number or part of its name, else the best GPU.
    pub fn open(asked: Option<&str>) -> Result<Self, GpuError> {
        let mut all = adapters();
        let number = choose(&all, asked)?;
        Self::open_adapter(&all.swap_remove(number))
    }

    fn open_adapter(adapter: &Adapter) -> Result<Self, GpuError> {
        let limits = adapter.inner.limits();
        let descriptor = DeviceDescriptor {
            label: Some("touchdown"),
            required_limits: limits.clone(),
            ..DeviceDescriptor::default()
        };
        let (inner, queue) = pollster::block_on(adapter.inner.request_device(&descriptor))
            .map_err(|error| GpuError::Refused { adapter: adapter.name.clone(), cause: error.to_string() })?;
        let failure = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&failure);
        inner.on_uncaptured_error(Arc::new(move |error| {
            note(
                &seen,
                match error {
                    wgpu::Error::OutOfMemory { source } => Failure::OutOfMemory(source.to_string()),
                    other => Failure::Fault(other.to_string()),
                },
            );
        }));
        let seen = Arc::clone(&failure);
        inner.set_device_lost_callback(move |reason, message| {
            note(&seen, Failure::Lost(format!("{reason:?} {message}").trim().to_owned()));
        });
        Ok(Self {
            inner,
            queue,
            name: adapter.name.clone(),
            identity: adapter.identity(),
            limits,
            is_software: adapter.kind == AdapterKind::Software,
            rounds: MAX_ROUNDS,
            loops: Loops::Whole,
            failure,
        })
    }

    /// The error for the first failure since the last check, if any.
    pub fn check(&self, what: &str) -> Result<(), GpuError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        let adapter = self.name.clone();
        match failure {
            None => Ok(()),
            Some(Failure::OutOfMemory(cause)) => Err(GpuError::OutOfMemory { adapter, cause }),
            Some(Failure::Lost(cause)) => Err(GpuError::Lost { adapter, cause }),
            Some(Failure::Fault(cause)) => Err(GpuError::Fault { adapter, what: what.to_owned(), cause }),
        }
    }

    /// Runs a call that may be rejected and returns the rejection as an error.
    pub fn try_to<R>(&self, what: &str, call: impl FnOnce() -> R) -> Result<R, GpuError> {
        let scope = self.inner.push_error_scope(ErrorFilter::Validation);
        let result = call();
        match pollster::block_on(scope.pop()) {
            None => self.check(what).map(|()| result),
            Some(error) => {
                Err(GpuError::Fault { adapter: self.name.clone(), what: what.to_owned(), cause: error.to_string() })
            }
        }
    }

    /// Waits until a submission has been computed and its buffers are mapped.
    pub fn wait(&self, submission: SubmissionIndex, what: &str) -> Result<(), GpuError> {
        let polled = self.inner.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
        self.check(what)?;
        match polled {
            Ok(_) => Ok(()),
            Err(error) => Err(GpuError::Lost { adapter: self.name.clone(), cause: error.to_string() }),
        }
    }

    /// The error for an item of a job that needs more rounds than it has.
    pub fn too_many_rounds(&self, job: &'static str) -> GpuError {
        let (adapter, limit) = (self.name.clone(), self.rounds);
        match self.loops {
            Loops::Limited => GpuError::LoopLimit { adapter, limit, job },
            Loops::Whole => GpuError::TooManyRounds { adapter, limit, job },
        }
    }

    /// Makes the device fail as if it had been removed.
    #[cfg(test)]
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

fn note(failure: &Mutex<Option<Failure>>, what: Failure) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
}
