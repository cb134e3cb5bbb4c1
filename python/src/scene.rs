//! Scenes.

use std::path::PathBuf;
use std::time::Instant;

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use touchdown::job::Compute;
use touchdown::query::{EntryPoints, Ray, RayStatus};
use touchdown::scene::Scene as AnyScene;

use crate::arrays::{Array, equal};
use crate::engine::Engine;
use crate::jobs::{Columns, compute, put};
use crate::{errors, work};

/// A scene.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Scene(AnyScene);

#[pymethods]
impl Scene {
    /// Reads a scene file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        AnyScene::read(&path).map(Self).map_err(|error| errors::scene(py, &error))
    }

    /// Names of its materials.
    #[getter]
    fn materials(&self) -> Vec<String> {
        self.0.materials().iter().map(|material| material.name.clone()).collect()
    }

    /// Number of its leaves.
    #[getter]
    fn leaves(&self) -> usize {
        self.0.leaves().len()
    }

    /// What is allowed in its file but hardly meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(ToString::to_string).collect()
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
            let answers = engine.get().compute::<EntryPoints>(&self.0, &rays);
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
        compute::<EntryPoints>(py, engine, &self.0, count, ray, |first, answers| {
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
