//! Engines.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use touchdown::cli::EngineOptions;
use touchdown::engine::{Engine as AnyEngine, EngineIdentity};

use crate::{errors, work};

/// An engine, open.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Engine(Arc<dyn AnyEngine>);

impl Engine {
    /// The engine itself.
    pub fn get(&self) -> &(dyn AnyEngine + 'static) {
        self.0.as_ref()
    }
}

/// The options of the command line.
pub fn options(engine: &str, adapter: Option<String>, threads: u16) -> PyResult<EngineOptions> {
    EngineOptions::new(engine, adapter, threads).map_err(PyValueError::new_err)
}

/// Name, adapter and version of an engine.
pub type Identity = (String, String, String);

/// As Python gets it.
pub fn identity(identity: EngineIdentity) -> Identity {
    let EngineIdentity { engine, adapter, version } = identity;
    (engine, adapter, version)
}

#[pymethods]
impl Engine {
    /// Opens an engine by name; without kernels of what is computed, `auto` is the fastest one on the CPU.
    #[staticmethod]
    fn open(py: Python<'_>, name: &str, adapter: Option<String>, threads: u16, has_kernels: bool) -> PyResult<Self> {
        let options = options(if name == "auto" && !has_kernels { "native" } else { name }, adapter, threads)?;
        let opened = work::uninterrupted(py, || options.engine().map(Arc::from))?;
        opened.map(Self).map_err(|error| errors::engine(py, &error))
    }

    /// Name, adapter and version.
    #[getter]
    fn identity(&self) -> Identity {
        identity(self.0.identity())
    }
}
