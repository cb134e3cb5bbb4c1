//! Run directories that parts from elsewhere are put into.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use touchdown::study::{Keep, Part, RunDirectory, RunError, Summary};
use touchdown::table::write_atomically;

use crate::engine::{Identity, identity};
use crate::study::Study;
use crate::{errors, work};

/// A directory of a run, which no other process writes to within the block of `with`.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Directory {
    study: Py<Study>,
    path: PathBuf,
    /// The right to write to it.
    held: Mutex<Option<RunDirectory>>,
}

impl Directory {
    fn directory(&self) -> RunDirectory {
        RunDirectory::open(&self.path)
    }

    fn hold(&self, held: Option<RunDirectory>) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }
}

#[pymethods]
impl Directory {
    #[new]
    fn new(study: Py<Study>, path: PathBuf) -> Self {
        Self { study, path, held: Mutex::default() }
    }

    /// Creates the directory if necessary, and keeps others from writing to it.
    fn __enter__(slf: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        let study = slf.study.get().get();
        let held = RunDirectory::prepare(&slf.path, study).map_err(|error| errors::run(slf.py(), &error))?;
        slf.hold(Some(held));
        Ok(slf)
    }

    /// Lets others write to it.
    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.hold(None);
    }

    /// Whether the part is there. A file in its place that is not this part, or keeps other rows, is an error.
    fn has(&self, py: Python<'_>, number: u64, keep: &str) -> PyResult<bool> {
        let keep: Keep = keep.parse().map_err(|error| PyValueError::new_err(format!("keep={keep:?}: {error}")))?;
        let path = self.directory().parts().join(Part::file_name_of(number));
        if !path.exists() {
            return Ok(false);
        }
        let study = self.study.get().get();
        let kept = Part::identity(&path).and_then(|made_by| {
            let part = Part::new(study, number, &made_by);
            part.check(&path).and_then(|()| part.kept(&path))
        });
        match kept.map_err(|error| errors::files(py, &error))? {
            kept if kept == keep => Ok(true),
            kept => Err(errors::run(py, &RunError::OtherRows { path, kept, asked: keep })),
        }
    }

    /// The engine that computed the first part that is there: name, adapter, version.
    fn made_by(&self, py: Python<'_>) -> PyResult<Option<Identity>> {
        let parts = self.directory().parts();
        let paths = (0..self.study.get().get().parts()).map(|number| parts.join(Part::file_name_of(number)));
        let first = paths.into_iter().find(|path| path.exists());
        let made_by = first.map(|path| Part::identity(&path).map(identity)).transpose();
        made_by.map_err(|error| errors::files(py, &error))
    }

    /// Puts the file of a part in its place.
    fn publish(&self, py: Python<'_>, number: u64, content: &[u8]) -> PyResult<()> {
        let path = self.directory().parts().join(Part::file_name_of(number));
        write_atomically(&path, content).map_err(|error| errors::files(py, &error))
    }

    /// Writes the summary of a run whose parts are all there, whoever computed them.
    fn summarize(&self, py: Python<'_>) -> PyResult<()> {
        let (study, parts) = (self.study.get().get(), self.directory().parts());
        let summary = work::uninterrupted(py, || {
            let made_by = Part::identity(&parts.join(Part::file_name_of(0)))?;
            Summary::of_parts(study, &made_by, &parts, study.parts())
        })?;
        let summary = summary.map_err(|error| errors::files(py, &error))?;
        self.directory().write_summary(&summary).map_err(|error| errors::files(py, &error))
    }
}
