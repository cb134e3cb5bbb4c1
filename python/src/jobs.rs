//! Jobs: arrays in, arrays out. Items are made and answers taken apart in blocks, so that memory stays small.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::scope;

use glam::{DQuat, DVec3};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn as Column};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use touchdown::engine::{Engine as AnyEngine, EngineError};
use touchdown::job::{Compute, Computes, Job};
use touchdown::lcp::{Problem, Status, lemke};
use touchdown::query::{
    BoxNormals, BoxPair, BoxPairs, BoxPoint, BoxStatus, ContactStatus, Ellipsoid, EllipsoidPair, EllipsoidPairs,
    EllipsoidWall, EllipsoidWalls, LcpItem, LcpItems, LcpStatus, MAX_LCP_UNKNOWNS, RoundedBox,
};

use crate::arrays::{Array, equal};
use crate::engine::Engine;
use crate::work::Desk;
use crate::{errors, work};

/// Memory of the items and answers of a call of an engine, at most, in bytes: with much less, its threads end a call at
/// different times for too large a part of it.
const MEMORY: usize = 40_000_000;
/// That of one on a GPU.
const GPU_MEMORY: usize = 160_000_000;
/// What stands for a code where there is none.
const NO_CODE: u8 = u8::MAX;

/// Computes the job of `count` items in blocks, and gives each block's first number and its answers to `take`, in any
/// order. A request to stop ends it after the blocks at work.
///
/// Two threads feed an engine on the CPU: while one makes items or takes answers apart, the block of the other keeps the
/// engine busy. With one, the engine's threads slept and woke up in every block, a third of the time for rays.
pub fn compute<'a, J>(
    py: Python<'_>,
    engine: &Engine,
    shared: J::Shared<'a>,
    count: usize,
    item: impl Fn(usize) -> J::Item + Send + Sync,
    take: impl FnMut(usize, Vec<J::Answer>) + Send,
) -> PyResult<()>
where
    J: Job,
    J::Shared<'a>: Sync,
    dyn AnyEngine: Computes<J>,
{
    let engine = engine.get();
    let is_gpu = engine.identity().engine == "gpu";
    let memory = if is_gpu { GPU_MEMORY } else { MEMORY };
    let calls = count.div_ceil(memory / (size_of::<J::Item>() + size_of::<J::Answer>())).max(1);
    let block = count.div_ceil(calls).max(1);
    let (next, take) = (AtomicUsize::new(0), Mutex::new(take));
    let of_block = |first: usize, items: &mut Vec<J::Item>| -> Result<(), EngineError> {
        items.clear();
        items.extend((first..count.min(first + block)).map(&item));
        let answers = engine.compute::<J>(shared, items)?;
        if answers.len() != items.len() {
            return Err(EngineError::Incomplete { asked: items.len(), got: answers.len() });
        }
        take.lock().unwrap_or_else(PoisonError::into_inner)(first, answers);
        Ok(())
    };
    let run = |desk: &Desk| {
        let feed = || {
            let mut items = Vec::new();
            loop {
                let first = next.fetch_add(block, Ordering::Relaxed);
                if first >= count || desk.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                // Nobody needs the blocks after one that fails.
                of_block(first, &mut items).inspect_err(|_| next.store(count, Ordering::Relaxed))?;
            }
        };
        scope(|scope| {
            let other = (count > block && !is_gpu).then(|| scope.spawn(feed));
            let one = feed();
            one.and(other.map_or(Ok(()), |other| other.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    };
    work::interruptible(py, run, |_| Ok(()))?.map_err(|error| errors::engine(py, &error))
}

/// Columns of answers, which Python will have.
pub struct Columns<'py>(Bound<'py, PyDict>);

impl<'py> Columns<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// Adds a column of this shape; its numbers are whatever was in memory until they are written. numpy asks the system
    /// for large pages, without which half of the time of rays is spent on new memory.
    pub fn add<T: Element>(&self, name: &str, shape: &[usize]) -> PyResult<Column<'py, T>> {
        let py = self.0.py();
        let array = py.import("numpy")?.call_method1("empty", (PyTuple::new(py, shape)?, numpy::dtype::<T>(py)))?;
        self.0.set_item(name, &array)?;
        Ok(array.cast_into::<PyArrayDyn<T>>()?.try_readwrite()?)
    }

    pub fn finish(self) -> Bound<'py, PyDict> {
        self.0
    }
}

/// Sets a vector in a flat list of them; NaN where it is undefined.
pub fn put(list: &mut [f64], row: usize, vector: Option<DVec3>) {
    list[3 * row..][..3].copy_from_slice(&vector.unwrap_or(DVec3::NAN).to_array());
}

/// A number where it is defined, else NaN.
fn defined(is_defined: bool, number: f64) -> f64 {
    if is_defined { number } else { f64::NAN }
}

fn ellipsoid([x, y, z, s1, s2, s3, qw, qx, qy, qz]: &[f64; 10]) -> Ellipsoid {
    Ellipsoid {
        center: DVec3::new(*x, *y, *z),
        semi_axes: DVec3::new(*s1, *s2, *s3),
        rotation: DQuat::from_xyzw(*qx, *qy, *qz, *qw),
    }
}

/// Contacts of pairs of ellipsoids.
#[pyfunction]
pub fn ellipsoid_pairs<'py>(
    py: Python<'py>,
    engine: &Engine,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, b) = (Array::of("a", a)?, Array::of("b", b)?);
    let (a, b) = (a.rows::<10>()?, b.rows::<10>()?);
    equal(("a", a.len()), ("b", b.len()))?;
    let count = a.len();
    let columns = Columns::new(py);
    let (mut status, mut f) = (columns.add("status", &[count])?, columns.add("f", &[count])?);
    let (mut mu, mut lambda) = (columns.add("mu", &[count])?, columns.add("lambda_", &[count])?);
    let mut separation = columns.add("separation", &[count])?;
    let (mut normal, mut point) = (columns.add("normal", &[count, 3])?, columns.add("point", &[count, 3])?);
    let (status, f, mu) = (status.as_slice_mut()?, f.as_slice_mut()?, mu.as_slice_mut()?);
    let (lambda, separation) = (lambda.as_slice_mut()?, separation.as_slice_mut()?);
    let (normal, point) = (normal.as_slice_mut()?, point.as_slice_mut()?);
    let item = |row: usize| EllipsoidPair::new(ellipsoid(&a[row]), ellipsoid(&b[row]));
    compute::<EllipsoidPairs>(py, engine, (), count, item, |first, answers| {
        for (row, answer) in (first..).zip(answers) {
            status[row] = answer.status as u8;
            let is_known = !matches!(answer.status, ContactStatus::NotConverged | ContactStatus::BadInput);
            f[row] = defined(is_known, answer.f);
            mu[row] = defined(answer.status == ContactStatus::Ok, answer.mu);
            lambda[row] = defined(is_known, answer.lambda);
            separation[row] = defined(is_known, answer.separation);
            put(normal, row, is_known.then_some(answer.normal));
            put(point, row, is_known.then_some(answer.point));
        }
    })?;
    Ok(columns.finish())
}

/// Contacts of ellipsoids with walls.
#[pyfunction]
pub fn ellipsoid_walls<'py>(
    py: Python<'py>,
    engine: &Engine,
    bodies: &Bound<'py, PyAny>,
    walls: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (bodies, walls) = (Array::of("bodies", bodies)?, Array::of("walls", walls)?);
    let (bodies, walls) = (bodies.rows::<10>()?, walls.rows::<4>()?);
    equal(("bodies", bodies.len()), ("walls", walls.len()))?;
    let count = bodies.len();
    let columns = Columns::new(py);
    let (mut status, mut mu) = (columns.add("status", &[count])?, columns.add("mu", &[count])?);
    let mut separation = columns.add("separation", &[count])?;
    let (mut normal, mut point) = (columns.add("normal", &[count, 3])?, columns.add("point", &[count, 3])?);
    let (status, mu, separation) = (status.as_slice_mut()?, mu.as_slice_mut()?, separation.as_slice_mut()?);
    let (normal, point) = (normal.as_slice_mut()?, point.as_slice_mut()?);
    let item = |row: usize| {
        let [x, y, z, offset] = walls[row];
        EllipsoidWall { ellipsoid: ellipsoid(&bodies[row]), normal: DVec3::new(x, y, z), offset }
    };
    compute::<EllipsoidWalls>(py, engine, (), count, item, |first, answers| {
        for (row, answer) in (first..).zip(answers) {
            status[row] = answer.status as u8;
            let is_ok = answer.status == ContactStatus::Ok;
            mu[row] = defined(is_ok, answer.mu);
            separation[row] = defined(is_ok, answer.separation);
            put(normal, row, is_ok.then_some(answer.normal));
            put(point, row, is_ok.then_some(answer.point));
        }
    })?;
    Ok(columns.finish())
}

fn box_point([l1, l2, l3, radius, qw, qx, qy, qz]: &[f64; 8], contact: &[f64; 3]) -> BoxPoint {
    let rotation = DQuat::from_xyzw(*qx, *qy, *qz, *qw);
    let body = RoundedBox { sides: DVec3::new(*l1, *l2, *l3), radius: *radius, rotation };
    BoxPoint { body, contact: DVec3::from_array(*contact) }
}

/// Normals of rounded boxes.
#[pyfunction]
pub fn box_normals<'py>(
    py: Python<'py>,
    engine: &Engine,
    boxes: &Bound<'py, PyAny>,
    contacts: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (boxes, contacts) = (Array::of("boxes", boxes)?, Array::of("contacts", contacts)?);
    let (boxes, contacts) = (boxes.rows::<8>()?, contacts.rows::<3>()?);
    equal(("boxes", boxes.len()), ("contacts", contacts.len()))?;
    let count = boxes.len();
    let columns = Columns::new(py);
    let (mut status, mut normal) = (columns.add("status", &[count])?, columns.add("normal", &[count, 3])?);
    let mut region = columns.add("region", &[count])?;
    let (status, normal, region) = (status.as_slice_mut()?, normal.as_slice_mut()?, region.as_slice_mut()?);
    let item = |row: usize| box_point(&boxes[row], &contacts[row]);
    compute::<BoxNormals>(py, engine, (), count, item, |first, answers| {
        for (row, answer) in (first..).zip(answers) {
            status[row] = answer.status as u8;
            region[row] = if answer.status == BoxStatus::BadInput { NO_CODE } else { answer.region as u8 };
            put(normal, row, (answer.status == BoxStatus::Ok).then_some(answer.normal));
        }
    })?;
    Ok(columns.finish())
}

/// Normals of pairs of rounded boxes.
#[pyfunction]
pub fn box_pairs<'py>(
    py: Python<'py>,
    engine: &Engine,
    boxes_1: &Bound<'py, PyAny>,
    contacts_1: &Bound<'py, PyAny>,
    boxes_2: &Bound<'py, PyAny>,
    contacts_2: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let arrays = [Array::of("boxes_1", boxes_1)?, Array::of("boxes_2", boxes_2)?];
    let contacts = [Array::of("contacts_1", contacts_1)?, Array::of("contacts_2", contacts_2)?];
    let (one, two) = (arrays[0].rows::<8>()?, arrays[1].rows::<8>()?);
    let (at_one, at_two) = (contacts[0].rows::<3>()?, contacts[1].rows::<3>()?);
    equal(("boxes_1", one.len()), ("contacts_1", at_one.len()))?;
    equal(("boxes_1", one.len()), ("boxes_2", two.len()))?;
    equal(("boxes_2", two.len()), ("contacts_2", at_two.len()))?;
    let count = one.len();
    let columns = Columns::new(py);
    let (mut status, mut normal) = (columns.add("status", &[count])?, columns.add("normal", &[count, 3])?);
    let mut case = columns.add("case", &[count])?;
    let (status, normal, case) = (status.as_slice_mut()?, normal.as_slice_mut()?, case.as_slice_mut()?);
    let item =
        |row: usize| BoxPair { bodies: [box_point(&one[row], &at_one[row]), box_point(&two[row], &at_two[row])] };
    compute::<BoxPairs>(py, engine, (), count, item, |first, answers| {
        for (row, answer) in (first..).zip(answers) {
            status[row] = answer.status as u8;
            case[row] = if answer.status == BoxStatus::BadInput { NO_CODE } else { answer.case as u8 };
            put(normal, row, (answer.status == BoxStatus::Ok).then_some(answer.normal));
        }
    })?;
    Ok(columns.finish())
}

/// Solutions of linear complementarity problems: matrices (n, k, k), vectors (n, k).
#[pyfunction]
pub fn lcp<'py>(
    py: Python<'py>,
    engine: &Engine,
    matrices: &Bound<'py, PyAny>,
    vectors: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (matrices, vectors) = (Array::of("matrices", matrices)?, Array::of("vectors", vectors)?);
    vectors.check(2, &[])?;
    let unknowns = vectors.shape()[1];
    matrices.check(3, &[unknowns, unknowns])?;
    let count = vectors.shape()[0];
    equal(("matrices", matrices.shape()[0]), ("vectors", count))?;
    if unknowns == 0 {
        return Err(PyValueError::new_err("vectors: the shape is (n, 0); there must be at least one unknown"));
    }
    let (m, q) = (matrices.values()?, vectors.values()?);
    let matrix = |row: usize| &m[row * unknowns * unknowns..][..unknowns * unknowns];
    let vector = |row: usize| &q[row * unknowns..][..unknowns];
    let columns = Columns::new(py);
    let (mut status, mut residual) = (columns.add("status", &[count])?, columns.add("residual", &[count])?);
    let (mut pivots, mut z) = (columns.add("pivots", &[count])?, columns.add("z", &[count, unknowns])?);
    let (status, residual) = (status.as_slice_mut()?, residual.as_slice_mut()?);
    let (pivots, z) = (pivots.as_slice_mut()?, z.as_slice_mut()?);
    status.fill(LcpStatus::BadInput as u8);
    pivots.fill(0_u32);
    residual.fill(f64::NAN);
    z.fill(f64::NAN);
    if unknowns <= MAX_LCP_UNKNOWNS {
        let item = |row: usize| {
            let mut item = LcpItem { unknowns, matrix: Default::default(), vector: Default::default() };
            item.matrix.iter_mut().zip(matrix(row).chunks(unknowns)).for_each(|(to, from)| {
                to[..unknowns].copy_from_slice(from);
            });
            item.vector[..unknowns].copy_from_slice(vector(row));
            item
        };
        compute::<LcpItems>(py, engine, (), count, item, |first, answers| {
            for (row, answer) in (first..).zip(answers) {
                status[row] = answer.status as u8;
                pivots[row] = answer.pivots;
                if answer.status == LcpStatus::Solved {
                    z[row * unknowns..][..unknowns].copy_from_slice(&answer.z[..unknowns]);
                    residual[row] = answer.residual;
                }
            }
        })?;
    } else {
        work::interruptible(
            py,
            |desk| {
                for row in 0..count {
                    if desk.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let Ok(problem) = Problem::new(matrix(row).to_vec(), vector(row).to_vec()) else { continue };
                    let found = lemke(&problem);
                    status[row] = code(found.status) as u8;
                    pivots[row] = u32::try_from(found.iterations).unwrap_or(u32::MAX);
                    if found.status == Status::Solved {
                        z[row * unknowns..][..unknowns].copy_from_slice(&found.z);
                        residual[row] = found.residual;
                    }
                }
            },
            |_| Ok(()),
        )?;
    }
    Ok(columns.finish())
}

/// The status of the job that says the same.
fn code(status: Status) -> LcpStatus {
    match status {
        Status::Solved => LcpStatus::Solved,
        Status::Ray | Status::NoSolution => LcpStatus::Ray,
        Status::NotConverged | Status::Diverged => LcpStatus::NotConverged,
        Status::Inaccurate => LcpStatus::Inaccurate,
    }
}
