//! Scenes.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use touchdown::document::{Document, DocumentError};
use touchdown::job::Compute;
use touchdown::query::{EntryPoints, Ray, RayStatus};
use touchdown::scene::{Scene as AnyScene, read_limited};

use crate::arrays::{Array, equal};
use crate::engine::Engine;
use crate::jobs::{Columns, compute, put};
use crate::{errors, work};

/// A scene, and what it was read from: other processes read it from that anew.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Scene {
    scene: AnyScene,
    text: String,
    /// The meshes that it names.
    files: BTreeMap<String, Vec<u8>>,
}

impl Scene {
    /// Reads a scene from a document, and the files that it names as `contents` returns them.
    fn of(
        py: Python<'_>,
        document: Result<Document, DocumentError>,
        contents: impl Fn(&str) -> io::Result<Vec<u8>>,
    ) -> PyResult<Self> {
        let mut files = BTreeMap::new();
        let mut kept = |name: &str| {
            let bytes = contents(name)?;
            files.insert(name.to_owned(), bytes.clone());
            Ok(bytes)
        };
        let read = document.and_then(|document| {
            let scene = AnyScene::from_document_and_files(&document, &mut kept)?;
            Ok((scene, document.text().to_owned()))
        });
        let (scene, text) = read.map_err(|error| errors::scene(py, &error))?;
        Ok(Self { scene, text, files })
    }
}

#[pymethods]
impl Scene {
    /// Reads a scene file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let beside = path.parent().unwrap_or(Path::new(""));
        Self::of(py, Document::read(&path), |name| read_limited(&beside.join(name)))
    }

    /// Reads a scene from its text, as if it stood at this path, and the files that it names.
    #[staticmethod]
    fn in_memory(py: Python<'_>, path: PathBuf, text: &str, files: BTreeMap<String, Vec<u8>>) -> PyResult<Self> {
        Self::of(py, Document::parse(path, text), |name| {
            files.get(name).cloned().ok_or_else(|| io::Error::from(ErrorKind::NotFound))
        })
    }

    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The files that it names.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        self.files.iter().try_for_each(|(name, bytes)| files.set_item(name, PyBytes::new(py, bytes)))?;
        Ok(files)
    }

    /// Names of its materials.
    #[getter]
    fn materials(&self) -> Vec<String> {
        self.scene.materials().iter().map(|material| material.name.clone()).collect()
    }

    /// Number of its leaves.
    #[getter]
    fn leaves(&self) -> usize {
        self.scene.leaves().len()
    }

    /// What is allowed in its file but hardly meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings().iter().map(ToString::to_string).collect()
    }

    /// Seconds that the call of Rust alone takes for these segments: what `entry_points` is measured by.
    fn seconds_of_call(
        &self,
        py: Python<'_>,
        engine: &Engine,
        origins: &Bound<'_, PyAny>,
        ends: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        let (origins, ends) = (Array::of("origins", origins)?, Array::of("ends", ends)?);
        let segments = origins.rows::<3>()?.iter().zip(ends.rows::<3>()?);
        let rays: Vec<Ray> =
            segments.map(|(origin, end)| Ray::segment(DVec3::from_array(*origin), DVec3::from_array(*end))).collect();
        work::uninterrupted(py, || {
            let started = Instant::now();
            let answers = engine.get().compute::<EntryPoints>(&self.scene, &rays);
            answers.map(|_| started.elapsed().as_secs_f64())
        })?
        .map_err(|error| errors::engine(py, &error))
    }

    /// Where segments first meet the scene.
    fn entry_points<'py>(
        &self,
        py: Python<'py>,
        engine: &Engine,
        origins: &Bound<'py, PyAny>,
        ends: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (origins, ends) = (Array::of("origins", origins)?, Array::of("ends", ends)?);
        let (origins, ends) = (origins.rows::<3>()?, ends.rows::<3>()?);
        equal(("origins", origins.len()), ("ends", ends.len()))?;
        let count = origins.len();
        let columns = Columns::new(py);
        let (mut status, mut lambda) = (columns.add("status", &[count])?, columns.add("lambda_", &[count])?);
        let (mut point, mut normal) = (columns.add("point", &[count, 3])?, columns.add("normal", &[count, 3])?);
        let (mut leaf, mut material) = (columns.add("leaf", &[count])?, columns.add("material", &[count])?);
        let (status, lambda) = (status.as_slice_mut()?, lambda.as_slice_mut()?);
        let (point, normal) = (point.as_slice_mut()?, normal.as_slice_mut()?);
        let (leaf, material) = (leaf.as_slice_mut()?, material.as_slice_mut()?);
        let ray = |row: usize| Ray::segment(DVec3::from_array(origins[row]), DVec3::from_array(ends[row]));
        compute::<EntryPoints>(py, engine, &self.scene, count, ray, |first, answers| {
            for (row, answer) in (first..).zip(answers) {
                let is_hit = answer.status == RayStatus::Hit;
                status[row] = answer.status as u8;
                lambda[row] = if is_hit { answer.lambda } else { f64::NAN };
                put(point, row, is_hit.then(|| ray(row).at(answer.lambda)));
                put(normal, row, is_hit.then_some(answer.normal));
                leaf[row] = answer.leaf.filter(|_| is_hit).map_or(-1, |leaf| leaf as i32);
                material[row] = answer.material.filter(|_| is_hit).map_or(-1, |material| material.0 as i32);
            }
        })?;
        Ok(columns.finish())
    }
}
