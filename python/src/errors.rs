//! Errors as exceptions, which the package defines.

use std::error::Error;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use touchdown::document::DocumentError;
use touchdown::engine::EngineError;
use touchdown::study::{RunError, StudyError};

/// An exception of `touchdown._errors` with this message.
fn exception(py: Python<'_>, class: &str, message: &str, place: Option<&DocumentError>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let place_of = PyDict::new(py);
        if let Some(error) = place {
            place_of.set_item("file", error.path())?;
            place_of.set_item("line", error.line())?;
            place_of.set_item("column", error.column())?;
            if let DocumentError::Refused { field, .. } = error {
                place_of.set_item("field", Some(field).filter(|field| !field.is_empty()))?;
            }
        }
        let class = py.import("touchdown._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call((message,), Some(&place_of))?))
    };
    made().unwrap_or_else(|error| error)
}

/// What is wrong with a study.
pub fn study(py: Python<'_>, error: &StudyError) -> PyErr {
    let place = if let StudyError::Document(document) = error { Some(document) } else { None };
    exception(py, "StudyError", &error.to_string(), place)
}

/// What is wrong with a scene.
pub fn scene(py: Python<'_>, error: &DocumentError) -> PyErr {
    exception(py, "SceneError", &error.to_string(), Some(error))
}

/// Why a run cannot go on.
pub fn run(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::Study(error) => study(py, error),
        RunError::Engine(error) => engine(py, error),
        other => exception(py, "RunError", &other.to_string(), None),
    }
}

/// What is wrong with the files of a run.
pub fn files(py: Python<'_>, error: &dyn Error) -> PyErr {
    exception(py, "RunError", &error.to_string(), None)
}

/// Why an engine cannot compute.
pub fn engine(py: Python<'_>, error: &EngineError) -> PyErr {
    exception(py, "EngineError", &error.to_string(), None)
}

/// Why a command of the program failed.
pub fn command(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "CommandError", message, None)
}
