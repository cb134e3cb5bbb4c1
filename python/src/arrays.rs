//! Arrays of Python: float64, in C order, finite, of the shape that is said; anything else is refused, and nothing is
//! copied to make it fit.

use numpy::{Element, PyArray, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Numbers that are not worth dividing among threads.
const MIN_LENGTH: usize = 1 << 18;
/// More threads than this find nothing sooner: memory is what they wait for.
const MAX_THREADS: usize = 8;

/// An array that Python will not move or write while this lives.
pub struct Array<'py, T: Element> {
    name: &'static str,
    array: PyReadonlyArrayDyn<'py, T>,
}

impl<'py> Array<'py, f64> {
    /// The argument `name`, a float64 array in C order without NaN or infinity.
    pub fn of(name: &'static str, argument: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = readonly(name, argument)?;
        let array = Self { name, array };
        let values = array.values()?;
        let Some(place) = is_any_infinite(values).then(|| first_infinite(values)) else {
            return Ok(array);
        };
        let width = array.shape().iter().skip(1).product::<usize>().max(1);
        let (row, value) = (place / width, values[place]);
        Err(PyValueError::new_err(format!("{name}: row {row} has {value}; every number must be finite")))
    }

    /// Its rows as arrays of `N` numbers: it must have the shape (n, N).
    pub fn rows<const N: usize>(&self) -> PyResult<&[[f64; N]]> {
        self.check(2, &[N])?;
        Ok(self.values()?.as_chunks().0)
    }
}

impl<T: Element> Array<'_, T> {
    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// All its values, the last index fastest.
    pub fn values(&self) -> PyResult<&[T]> {
        self.array.as_slice().map_err(|_| in_order(self.name))
    }

    /// An error unless it has this number of dimensions, of which the last are these.
    pub fn check(&self, dimensions: usize, last: &[usize]) -> PyResult<()> {
        let shape = self.shape();
        if shape.len() == dimensions && shape.ends_with(last) {
            return Ok(());
        }
        let mut wanted: Vec<String> = vec!["n".to_owned(); dimensions - last.len()];
        wanted.extend(last.iter().map(usize::to_string));
        let comma = if dimensions == 1 { "," } else { "" };
        let name = self.name;
        Err(PyValueError::new_err(format!("{name}: the shape is {shape:?}; it must be ({}{comma})", wanted.join(", "))))
    }
}

/// The error for numbers that do not lie in memory as they are read.
fn in_order(name: &str) -> PyErr {
    let way = "use numpy.ascontiguousarray or a copy";
    PyValueError::new_err(format!("{name}: the array must be aligned, and in C order without gaps; {way}"))
}

/// Whether any of these numbers is infinite or NaN. Many are divided among threads that end with the call: in a forked process no
/// pool of threads lives on.
fn is_any_infinite(values: &[f64]) -> bool {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    if values.len() < MIN_LENGTH || threads == 1 {
        return has_infinite(values);
    }
    std::thread::scope(|scope| {
        let shares = values.chunks(values.len().div_ceil(threads));
        let workers: Vec<_> = shares.map(|share| scope.spawn(|| has_infinite(share))).collect();
        workers.into_iter().any(|worker| worker.join().unwrap_or(true))
    })
}

/// The same, without branches.
fn has_infinite(values: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff << 52;
    values.iter().fold(0_u64, |found, value| found | u64::from(value.to_bits() & EXPONENT == EXPONENT)) != 0
}

/// The place of the first of them.
fn first_infinite(values: &[f64]) -> usize {
    values.iter().position(|value| !value.is_finite()).unwrap_or(0)
}

fn readonly<'py, T: Element>(name: &str, argument: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let wanted = numpy::dtype::<T>(argument.py());
    let Ok(any) = argument.cast::<PyUntypedArray>() else {
        let found = argument.get_type().name()?;
        let mut message = format!("{name} is of type {found}; it must be a numpy array of {wanted}");
        // Tables and tensors of other libraries; what numpy makes of a table alone may be in another order.
        if argument.hasattr("__array__")? {
            message += &format!(", as numpy.ascontiguousarray({name}, \"{wanted}\") makes of it");
        }
        return Err(PyTypeError::new_err(message));
    };
    // Only of arrays is it one: tables of pandas have a method of this name.
    if argument.hasattr("mask")? {
        let way = "its numbers are read whatever the mask; use filled(value), or numpy.asarray";
        return Err(PyTypeError::new_err(format!("{name} is a masked array; {way}")));
    }
    let Ok(array) = argument.cast::<PyArray<T, numpy::IxDyn>>() else {
        let found = any.dtype();
        return Err(PyTypeError::new_err(format!("{name} is an array of {found}; it must be one of {wanted}")));
    };
    let busy = |error: numpy::BorrowError| PyValueError::new_err(format!("{name}: {error}"));
    if !array.is_c_contiguous() {
        return Err(in_order(name));
    }
    array.try_readonly().map_err(busy)
}

/// An error unless two arguments have equally many rows.
pub fn equal(one: (&str, usize), other: (&str, usize)) -> PyResult<()> {
    if one.1 == other.1 {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{} has {} rows, {} has {}", one.0, one.1, other.0, other.1)))
}
