//! Studies and their runs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use touchdown::engine::EngineError;
use touchdown::model::{Inputs, Models};
use touchdown::random::NoiseKey;
use touchdown::report::{Beside, write};
use touchdown::study::{
    Comparison, Evidence, Keep, LevelStatus, Part, Progress, RunDirectory, RunError, RunOutcome, Study as AnyStudy, run,
};

use crate::arrays::Array;
use crate::engine::{Engine, Identity, identity, options};
use crate::replay::Recorder;
use crate::rows::Rows;
use crate::work::Desk;
use crate::{errors, work};

/// A study.
#[pyclass(frozen, module = "touchdown._touchdown")]
pub struct Study(Arc<AnyStudy>);

/// Name, SI symbol of the unit, description.
type Named = (String, String, String);

/// The engine that computed a part's file: name, adapter, version.
#[pyfunction]
pub fn identity_of(py: Python<'_>, part: PathBuf) -> PyResult<Identity> {
    Part::identity(&part).map(identity).map_err(|error| errors::files(py, &error))
}

/// Writes the report of a run; returns its path.
#[pyfunction]
pub fn report(py: Python<'_>, directory: PathBuf) -> PyResult<PathBuf> {
    let beside = Beside { sensitivity: None, map: None };
    let written = work::uninterrupted(py, || write(&Models::default(), &directory, beside))?;
    written.map(|report| report.path).map_err(|error| errors::files(py, &error))
}

/// Counts trials for whoever looks, and stops where asked.
struct Count<'a>(&'a Desk);

impl Progress for Count<'_> {
    fn advanced(&mut self, done: u64, _: u64, _: &[Evidence]) {
        self.0.done.store(done, Ordering::Relaxed);
    }

    fn advanced_in_level(&mut self, status: &LevelStatus) {
        self.0.done.store(status.computed, Ordering::Relaxed);
    }
}

#[pymethods]
impl Study {
    /// Reads a study file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, inputs: Option<PathBuf>) -> PyResult<Self> {
        let study = match inputs {
            Some(inputs) => AnyStudy::read_with_inputs(&path, &inputs),
            None => AnyStudy::read(&path),
        };
        Self::of(py, study)
    }

    /// Reads a study from its text, as if it stood at this path.
    #[staticmethod]
    fn parse(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<Self> {
        Self::of(py, AnyStudy::parse(&path, text))
    }

    /// Reads a study from its text and the files that it names.
    #[staticmethod]
    fn in_memory(py: Python<'_>, name: &str, text: &str, files: BTreeMap<String, Vec<u8>>) -> PyResult<Self> {
        Self::of(py, AnyStudy::in_memory(name, text, files))
    }

    /// Reads the study of a run's directory.
    #[staticmethod]
    fn stored(py: Python<'_>, directory: PathBuf) -> PyResult<Self> {
        Self::of(py, AnyStudy::read_stored(&directory))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn text(&self) -> String {
        self.0.text()
    }

    #[getter]
    fn is_json(&self) -> bool {
        self.0.is_json()
    }

    /// The files that it names.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        self.0.files().into_iter().try_for_each(|(name, bytes)| files.set_item(name, PyBytes::new(py, bytes)))?;
        Ok(files)
    }

    #[getter]
    fn hash(&self) -> &str {
        self.0.hash()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    #[getter]
    fn trials(&self) -> u64 {
        self.0.trials
    }

    #[getter]
    fn parts(&self) -> u64 {
        self.0.parts()
    }

    /// Number of trials of these parts, or of all.
    fn trials_of(&self, parts: Option<(u64, u64)>) -> PyResult<u64> {
        if parts.is_none() {
            return Ok(self.0.trials);
        }
        let Range { start, end } = self.part_range(parts, Keep::All)?;
        Ok(self.0.part_trials(end - 1).end - self.0.part_trials(start).start)
    }

    /// What its trials are called: one, many.
    #[getter]
    fn nouns(&self) -> (&str, &str) {
        let nouns = self.0.nouns();
        (nouns.one, nouns.many)
    }

    /// Whether the engine for GPUs computes its model.
    #[getter]
    fn has_kernels(&self) -> bool {
        self.0.model.has_kernels()
    }

    /// Why it cannot be divided into parts that are computed anywhere, if so.
    #[getter]
    fn indivisible(&self) -> Option<&'static str> {
        match (self.0.subset(), self.0.stopping) {
            (Some(_), _) => {
                Some("a study by subset simulation has no parts; each level depends on all of the one before")
            }
            (_, Some(_)) => Some("the study has [stopping] rules, which evaluate all parts in order"),
            (None, None) => None,
        }
    }

    /// The inputs that the study names, those with a constant distribution among them.
    #[getter]
    fn inputs(&self) -> Vec<Named> {
        let named = |input: &touchdown::model::Input| {
            (input.name.to_owned(), input.unit.symbol().to_owned(), input.description.to_owned())
        };
        self.0.inputs.iter().map(|sampled| named(&sampled.input)).collect()
    }

    /// All inputs of the model.
    #[getter]
    fn model_inputs(&self) -> Vec<Named> {
        let named = |input: &touchdown::model::Input| {
            (input.name.to_owned(), input.unit.symbol().to_owned(), input.description.to_owned())
        };
        self.0.model.inputs().iter().map(named).collect()
    }

    /// The quantities of outcomes.
    #[getter]
    fn quantities(&self) -> Vec<Named> {
        let named = |quantity: &touchdown::model::Quantity| {
            (quantity.name.clone(), quantity.unit.symbol().to_owned(), quantity.description.clone())
        };
        self.0.quantities().iter().map(named).collect()
    }

    /// The classes of outcomes; the first is that of invalid trials.
    #[getter]
    fn classes(&self) -> Vec<&'static str> {
        self.0.model.classes().iter().map(|class| class.name).collect()
    }

    /// Names of the criteria.
    #[getter]
    fn criteria(&self) -> Vec<String> {
        self.0.criteria.iter().map(|criterion| criterion.name.clone()).collect()
    }

    /// What is allowed in its files but hardly meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let of_scene = self.0.model.scene().into_iter().flat_map(touchdown::scene::Scene::warnings);
        let of_model = self.0.model.warnings();
        self.0.warnings().iter().cloned().chain(of_scene.map(ToString::to_string)).chain(of_model).collect()
    }

    /// The inputs of trials as the study draws them: a row for each, a column for each input that the study names.
    fn sample<'py>(&self, py: Python<'py>, first: u64, count: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let study = &self.0;
        if study.subset().is_some() {
            return Err(PyValueError::new_err(
                "subset simulation draws the inputs of each level from the one before: read the run's rows",
            ));
        }
        let end = first.saturating_add(count as u64);
        if end > study.trials {
            let trials = study.trials;
            return Err(PyIndexError::new_err(format!("trials {first} to {end}: the study has {trials} of them")));
        }
        let rows = self.rows_of_inputs(py, count, |row| study.inputs_of(first + row as u64).values)?;
        PyArray1::from_vec(py, rows).reshape([count, study.inputs.len()])
    }

    /// The inputs at independent uniforms.
    fn transform<'py>(&self, py: Python<'py>, uniforms: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let study = &self.0;
        let uniforms = Array::of("uniforms", uniforms)?;
        let width = study.inputs.len();
        uniforms.check(2, &[width])?;
        let (values, rows) = (uniforms.values()?, uniforms.shape()[0]);
        if let Some(place) = values.iter().position(|value| !(*value > 0.0 && *value < 1.0)) {
            let (row, value) = (place / width, values[place]);
            return Err(PyValueError::new_err(format!("uniforms: row {row} has {value}; all must be between 0 and 1")));
        }
        let at = |row: usize| study.inputs_at(values[row * width..][..width].to_vec(), NoiseKey::default()).values;
        let inputs = self.rows_of_inputs(py, rows, at)?;
        PyArray1::from_vec(py, inputs).reshape([rows, width])
    }

    /// The values of a quantity at inputs: a column for each of the model's inputs with these numbers, the rest at their
    /// medians. A value that a trial lacks is NaN, and so is that of an invalid trial.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        engine: &Engine,
        quantity: usize,
        columns: Vec<usize>,
        x: &Bound<'py, PyAny>,
        noise: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let study = &self.0;
        let x = Array::of("X", x)?;
        x.check(2, &[columns.len()])?;
        let (values, width, rows) = (x.values()?, columns.len(), x.shape()[0]);
        let typical = study.median_inputs().values;
        let inputs = |row: usize| {
            let mut inputs = typical.clone();
            let own = &values[row * width..][..width];
            columns.iter().zip(own).for_each(|(&column, &value)| inputs[column] = value);
            Inputs { noise: NoiseKey { seed: study.seed, item: noise.unwrap_or(row as u64) }, values: inputs }
        };
        let compute = |desk: &Desk| -> Result<Vec<f64>, EngineError> {
            let mut found = Vec::with_capacity(rows);
            let batch = (*study.model.batch(engine.get()).start()).max(1);
            while found.len() < rows && !desk.stop.load(Ordering::Relaxed) {
                let items: Vec<Inputs> = (found.len()..rows.min(found.len() + batch)).map(inputs).collect();
                let outcomes = study.model.outcomes(engine.get(), &items)?;
                if outcomes.len() != items.len() {
                    return Err(EngineError::Incomplete { asked: items.len(), got: outcomes.len() });
                }
                found.extend(outcomes.iter().map(|outcome| outcome.quantities[quantity].unwrap_or(f64::NAN)));
            }
            Ok(found)
        };
        let found = work::interruptible(py, compute, |_| Ok(()))?.map_err(|error| errors::engine(py, &error))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Runs the study, or goes on with a run; true if all parts are there and the summary is written.
    fn run(
        &self,
        py: Python<'_>,
        engine: &Engine,
        directory: PathBuf,
        parts: Option<(u64, u64)>,
        keep: &str,
        tick: Option<Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let study = &self.0;
        let keep: Keep = keep.parse().map_err(|error| PyValueError::new_err(format!("keep={keep:?}: {error}")))?;
        let parts = self.part_range(parts, keep)?;
        let compute = |desk: &Desk| -> Result<(RunOutcome, u64), RunError> {
            let directory = RunDirectory::prepare(&directory, study)?;
            let outcome = run(study, engine.get(), &directory, parts, keep, &mut Count(desk), &desk.stop)?;
            Ok((outcome, desk.done.load(Ordering::Relaxed)))
        };
        let tick = |done: u64| tick.as_ref().map_or(Ok(()), |tick| tick.call1((done,)).map(drop));
        let (outcome, done) = work::interruptible(py, compute, &tick)?.map_err(|error| errors::run(py, &error))?;
        // The last trials may have been counted after the last look at them.
        tick(done)?;
        Ok(matches!(outcome, RunOutcome::Complete(..)))
    }

    /// Checks that a file is this part of the study, as any engine computed it.
    fn check_part(&self, py: Python<'_>, number: u64, file: PathBuf) -> PyResult<Identity> {
        let made_by = Part::identity(&file).map_err(|error| errors::files(py, &error))?;
        Part::new(&self.0, number, &made_by).check(&file).map_err(|error| errors::files(py, &error))?;
        Ok(identity(made_by))
    }

    /// The file name of a part.
    #[staticmethod]
    fn part_name(number: u64) -> String {
        Part::file_name_of(number)
    }

    /// The rows of a run of it.
    fn rows(&self, py: Python<'_>, directory: PathBuf) -> PyResult<Rows> {
        let rows = work::uninterrupted(py, || Rows::of_run(&self.0, &directory))?;
        rows.map_err(|error| errors::files(py, &error))
    }

    /// One trial of a run, computed again.
    fn replay<'py>(
        &self,
        py: Python<'py>,
        directory: PathBuf,
        trial: u64,
        engine: &str,
        adapter: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let study = &self.0;
        if trial >= study.trials {
            let (many, trials) = (study.nouns().many, study.trials);
            return Err(PyIndexError::new_err(format!("{trial}: the study has {trials} {many}, counted from 0")));
        }
        let run = RunDirectory::open(&directory);
        let files = |error| errors::files(py, &error);
        let inputs = run.inputs_of(study, trial).map_err(files)?;
        let one = study.nouns().one;
        let inputs = inputs.ok_or_else(|| PyIndexError::new_err(format!("{trial}: this run has no such {one}")))?;
        let made_by = run.engine_of(study, trial).map_err(files)?;
        let options = options(engine, adapter, 1)?;
        let columns = study.model.trace_columns();
        let traced = work::uninterrupted(py, || {
            let engine = options.engine_of(made_by.as_ref())?;
            let mut recorder = Recorder::new(columns.len());
            let outcome = study.model.trace(engine.as_ref(), &inputs, &mut recorder)?;
            Ok((outcome, recorder))
        })?;
        let (outcome, recorder) = traced.map_err(|error: EngineError| errors::engine(py, &error))?;
        let differences = match run.compare(study, trial, &outcome).map_err(files)? {
            Comparison::Row { differences } => Some(differences),
            Comparison::NoPart | Comparison::NotKept => None,
        };
        let found = PyDict::new(py);
        let values = PyDict::new(py);
        for sampled in &study.inputs {
            values.set_item(sampled.input.name, inputs.values[sampled.number])?;
        }
        found.set_item("inputs", values)?;
        found.set_item("class_", study.model.classes()[outcome.class].name)?;
        let quantities = PyDict::new(py);
        for (quantity, value) in study.quantities().iter().zip(&outcome.quantities) {
            quantities.set_item(&quantity.name, value)?;
        }
        found.set_item("quantities", quantities)?;
        found.set_item("events", recorder.events)?;
        found.set_item("differences", differences)?;
        let steps = Rows::of_numbers(&columns, recorder.steps).map_err(|error| errors::files(py, &error))?;
        found.set_item("steps", Py::new(py, steps)?)?;
        Ok(found)
    }
}

impl Study {
    /// The study itself.
    pub fn get(&self) -> &AnyStudy {
        &self.0
    }

    fn of(py: Python<'_>, study: Result<AnyStudy, touchdown::study::StudyError>) -> PyResult<Self> {
        study.map(|study| Self(Arc::new(study))).map_err(|error| errors::study(py, &error))
    }

    /// The study's inputs of so many rows one after another, of the values that a row has for all of the model's inputs.
    fn rows_of_inputs(
        &self,
        py: Python<'_>,
        count: usize,
        values_of: impl Fn(usize) -> Vec<f64> + Send,
    ) -> PyResult<Vec<f64>> {
        let inputs = &self.0.inputs;
        let width = inputs.len();
        let mut rows = Vec::new();
        rows.try_reserve_exact(count.saturating_mul(width))
            .map_err(|_| PyMemoryError::new_err(format!("{count} rows of {width} numbers do not fit in memory")))?;
        let draw = move |desk: &Desk| {
            for row in (0..count).take_while(|_| !desk.stop.load(Ordering::Relaxed)) {
                let values = values_of(row);
                rows.extend(inputs.iter().map(|sampled| values[sampled.number]));
            }
            rows
        };
        work::interruptible(py, draw, |_| Ok(()))
    }

    /// The parts asked for.
    fn part_range(&self, asked: Option<(u64, u64)>, keep: Keep) -> PyResult<Range<u64>> {
        let refuse = |message: String| Err(PyValueError::new_err(message));
        let study = &self.0;
        if study.subset().is_some() && keep != Keep::All {
            return refuse(format!("keep=\"{keep}\": subset simulation continues from all rows of a level"));
        }
        match (asked, self.indivisible()) {
            (None, _) => Ok(0..study.parts()),
            (Some(_), Some(why)) => refuse(format!("parts: {why}")),
            (Some((first, end)), None) if first < end && end <= study.parts() => Ok(first..end),
            (Some((first, end)), None) => refuse(format!(
                "parts=({first}, {end}): the first must be below the end, and the study has {} parts",
                study.parts()
            )),
        }
    }
}
