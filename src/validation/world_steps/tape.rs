//! Numbers that know how far those of f32 may be off, however often they are used again.
//!
//! Every operation stands on a tape: what it has been made of, its derivatives, and its own rounding. The error of a number is the sum
//! over the tape of each rounding times the derivative of the number by the operation that it belongs to, which is found backwards
//! along the tape. So errors cancel where numbers do: a relaxation takes away from a velocity what the one before has put there. Sums
//! of magnitudes from operation to operation ([`Number::coarse`]), which are all that [`Bounded`](super::super::encounters::bounded)
//! numbers know, grow with every relaxation instead, by up to three times.
//!
//! A rounding is u = 2^-24 for sums and products, to nearest, 5 u for quotients and 9 u for roots, as WGSL allows, and what may be
//! flushed to 0.
//! Nothing is left out: an operation is its derivatives times the errors of what it is made of, and a remainder (of a product the product
//! of both errors, of quotients and roots what their derivatives miss as far as errors go), which stands on the tape beside the
//! rounding. Remainders need errors of single numbers, for which sums of magnitudes are enough, as long as they are
//! found anew where they have grown ([`Number::tightened`]). Where derivatives do not hold as far as errors go (a root of
//! nearly 0, a direction of nearly nothing), the text of the step says what holds instead.

use std::cell::RefCell;
use std::ops::{Add, Mul, Neg, Sub};

use crate::validation::wheel_bound::U;

/// The least normal number of f32, below which results may be flushed.
const TINY: f64 = f32::MIN_POSITIVE as f64;
/// The most roundings of an operation, which is of numbers that are off already.
const ROUNDINGS: f64 = 16.0;
/// Sums of magnitudes that have grown by this factor are found anew.
const GROWN: f64 = 64.0;
/// The node of a number without an error.
const EXACT: u32 = u32::MAX;
/// Errors that are found together.
const TOGETHER: usize = 8;

/// Operations, one after another.
#[derive(Default)]
pub(super) struct Tape(RefCell<Operations>);

#[derive(Default)]
struct Operations {
    /// Where the edges of each end.
    ends: Vec<u32>,
    /// What each is made of, with the derivative.
    edges: Vec<(u32, f64)>,
    /// The rounding of each.
    own: Vec<f64>,
    adjoints: Vec<f64>,
    many: Vec<[f64; TOGETHER]>,
}

/// A number of f64, and where it stands on the tape.
#[derive(Clone, Copy)]
pub(super) struct Number<'t> {
    tape: &'t Tape,
    pub value: f64,
    node: u32,
    /// A bound of the error that takes no operation for related to another.
    coarse: f64,
}

impl Tape {
    /// A number of f64 and of f32.
    pub fn exact(&self, value: f64) -> Number<'_> {
        Number { tape: self, value, node: EXACT, coarse: 0.0 }
    }

    /// A number that is sent to a device.
    pub fn narrowed(&self, value: f64) -> Number<'_> {
        let off = (f64::from(value as f32) - value).abs();
        if off == 0.0 { self.exact(value) } else { self.node(value, &[], off) }
    }

    /// The result of an operation with its derivatives by what it is made of, and how far it is off by itself: its rounding, and
    /// what its derivatives miss.
    pub fn node<'t>(&'t self, value: f64, of: &[(Number<'t>, f64)], own: f64) -> Number<'t> {
        let mut operations = self.0.borrow_mut();
        let mut inherited = 0.0;
        for (number, derivative) in of {
            if number.node != EXACT {
                operations.edges.push((number.node, *derivative));
                inherited += derivative.abs() * number.coarse;
            }
        }
        let known = |error: f64| if error.is_nan() { f64::INFINITY } else { error };
        let inherited = known(inherited);
        let own = known(own + ROUNDINGS * U * inherited + TINY);
        let coarse = inherited + own;
        let node = operations.own.len() as u32;
        let end = operations.edges.len() as u32;
        operations.ends.push(end);
        operations.own.push(own);
        Number { tape: self, value, node, coarse }
    }

    /// Errors of numbers.
    pub fn errors(&self, numbers: &[Number<'_>]) -> Vec<f64> {
        let mut errors = Vec::with_capacity(numbers.len());
        let mut operations = self.0.borrow_mut();
        for numbers in numbers.chunks(TOGETHER) {
            let found = operations.errors(numbers);
            errors.extend(numbers.iter().zip(found).map(|(number, found)| found.min(number.coarse)));
        }
        errors
    }
}

impl Operations {
    fn errors(&mut self, numbers: &[Number<'_>]) -> [f64; TOGETHER] {
        let mut errors = [0.0; TOGETHER];
        let Some(last) = numbers.iter().map(|number| number.node).filter(|node| *node != EXACT).max() else {
            return errors;
        };
        let Self { ends, edges, own, many, .. } = self;
        many.clear();
        many.resize(last as usize + 1, [0.0; TOGETHER]);
        for (place, number) in numbers.iter().enumerate().filter(|(_, number)| number.node != EXACT) {
            many[number.node as usize][place] += 1.0;
        }
        for node in (0..=last as usize).rev() {
            let adjoint = many[node];
            if adjoint == [0.0; TOGETHER] {
                continue;
            }
            for (error, adjoint) in errors.iter_mut().zip(adjoint) {
                *error += adjoint.abs() * own[node];
            }
            let first = if node == 0 { 0 } else { ends[node - 1] as usize };
            for (parent, derivative) in &edges[first..ends[node] as usize] {
                for (of_parent, adjoint) in many[*parent as usize].iter_mut().zip(adjoint) {
                    *of_parent += adjoint * derivative;
                }
            }
        }
        errors
    }

    fn error(&mut self, last: u32) -> f64 {
        let Self { ends, edges, own, adjoints, .. } = self;
        adjoints.clear();
        adjoints.resize(last as usize + 1, 0.0);
        adjoints[last as usize] = 1.0;
        let mut error = 0.0;
        for node in (0..=last as usize).rev() {
            let adjoint = adjoints[node];
            if adjoint == 0.0 {
                continue;
            }
            error += adjoint.abs() * own[node];
            let first = if node == 0 { 0 } else { ends[node - 1] as usize };
            for (parent, derivative) in &edges[first..ends[node] as usize] {
                adjoints[*parent as usize] += adjoint * derivative;
            }
        }
        error
    }
}

impl<'t> Number<'t> {
    /// A number of f64 and of f32 beside this one.
    pub fn like(self, value: f64) -> Self {
        self.tape.exact(value)
    }

    /// How far that of f32 may be off.
    pub fn error(self) -> f64 {
        if self.node == EXACT {
            return 0.0;
        }
        self.tape.0.borrow_mut().error(self.node).min(self.coarse)
    }

    /// The same, as far as it is known without a search: more.
    pub fn coarse(self) -> f64 {
        self.coarse
    }

    /// The error, with a search only where more is known than enough.
    fn error_or(self, enough: f64) -> f64 {
        if self.coarse <= enough { self.coarse } else { self.error() }
    }

    /// The same number with an error that is known better, if the sum of magnitudes is far above that found last time.
    pub fn tightened(self, last: &mut f64) -> Self {
        if self.coarse <= GROWN * *last {
            return self;
        }
        let coarse = self.error();
        *last = coarse.max(U * self.value.abs());
        Self { coarse, ..self }
    }

    /// Whether f32 comes to the same side of 0. Numbers without errors are compared as they are.
    pub fn is_certain(self) -> bool {
        self.node == EXACT || self.value.abs() > self.coarse() || self.value.abs() > self.error()
    }

    /// The result of a sum or product: of two numbers without errors it has none, if f32 holds it, as it is rounded correctly.
    fn rounded(self, other: Self, value: f64, derivatives: [f64; 2], remainder: f64) -> Self {
        if self.node == EXACT && other.node == EXACT && f64::from(value as f32) == value {
            return self.like(value);
        }
        self.tape.node(value, &[(self, derivatives[0]), (other, derivatives[1])], U * value.abs() + remainder)
    }

    fn is(self, value: f64) -> bool {
        self.node == EXACT && self.value == value
    }

    /// Divided by a number that is surely not 0.
    pub fn over(self, divisor: Self) -> Self {
        if divisor.is(1.0) || self.is(0.0) {
            return self;
        }
        let value = self.value / divisor.value;
        let of = [(self, 1.0 / divisor.value), (divisor, -value / divisor.value)];
        // (x + d) / (y + e) - x / y - d / y + x e / y^2 = e (x e / y - d) / (y (y + e))
        let size = divisor.value.abs();
        let off = divisor.error_or(size / GROWN);
        let left = size - off;
        let remainder =
            if left > 0.0 { off * (value.abs() * off + self.coarse) / (size * left) } else { f64::INFINITY };
        self.tape.node(value, &of, 5.0 * U * value.abs() + remainder)
    }

    /// The root of what is not negative but for rounding. Near 0 its derivative says nothing.
    pub fn root(self) -> Self {
        if self.node == EXACT && self.value <= 0.0 {
            return self.like(0.0);
        }
        let value = self.value.max(0.0).sqrt();
        let error = self.error_or(self.value / GROWN);
        if self.value > 4.0 * error {
            let remainder = value - 0.5 * error / value - (self.value - error).sqrt();
            return self.tape.node(value, &[(self, 0.5 / value)], 9.0 * U * value + remainder.max(0.0));
        }
        let off = (self.value.max(0.0) + error).sqrt();
        self.tape.node(value, &[], off + 9.0 * U * (value + off))
    }

    /// The larger of this and 0, and whether it is above, where that is known. Whichever f32 takes, both are no farther apart than
    /// the error reaches beyond 0.
    pub fn positive(self) -> (Self, Option<bool>) {
        if self.is_certain() {
            let is_above = self.value > 0.0;
            return (if is_above { self } else { self.like(0.0) }, Some(is_above));
        }
        let beyond = self.error() - self.value.abs();
        let derivative = if self.value > 0.0 { 1.0 } else { 0.0 };
        (self.tape.node(self.value.max(0.0), &[(self, derivative)], beyond), None)
    }

    /// What is not negative as a share of a whole: the smaller of it and 1, and no farther off than 1.
    pub fn share(self) -> Self {
        if self.error_or(1.0) > 1.0 {
            return self.tape.node(self.value.clamp(0.0, 1.0), &[], 1.0);
        }
        let left = self.tape.node(1.0 - self.value, &[(self, -1.0)], 0.0);
        if left.is_certain() {
            return if left.value > 0.0 { self } else { self.like(1.0) };
        }
        let beyond = left.error() - left.value.abs();
        let derivative = if left.value > 0.0 { 1.0 } else { 0.0 };
        self.tape.node(self.value.min(1.0), &[(self, derivative)], beyond)
    }
}

impl Add for Number<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is(0.0) {
            return other;
        }
        if other.is(0.0) {
            return self;
        }
        self.rounded(other, self.value + other.value, [1.0, 1.0], 0.0)
    }
}

impl Sub for Number<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        if other.is(0.0) {
            return self;
        }
        if self.is(0.0) {
            return -other;
        }
        self.rounded(other, self.value - other.value, [1.0, -1.0], 0.0)
    }
}

impl Mul for Number<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.is(0.0) || other.is(0.0) {
            return self.like(0.0);
        }
        if self.is(1.0) {
            return other;
        }
        if other.is(1.0) {
            return self;
        }
        let remainder = self.coarse * other.coarse;
        self.rounded(other, self.value * other.value, [other.value, self.value], remainder)
    }
}

impl Neg for Number<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        if self.node == EXACT {
            return self.like(-self.value);
        }
        // A sign is changed without rounding; what may be flushed counts nothing beside the rest.
        self.tape.node(-self.value, &[(self, -1.0)], 0.0)
    }
}

/// A vector.
#[derive(Clone, Copy)]
pub(super) struct Vector<'t>(pub [Number<'t>; 3]);

impl<'t> Vector<'t> {
    /// Componentwise.
    pub fn of(make: impl FnMut(usize) -> Number<'t>) -> Self {
        Self(std::array::from_fn(make))
    }

    /// Its products summed up: each term is rounded as a product and in two sums at most.
    fn sum(terms: &[(Number<'t>, Number<'t>, f64)]) -> Number<'t> {
        let left: Vec<_> = terms.iter().filter(|(a, b, _)| !a.is(0.0) && !b.is(0.0)).collect();
        match left[..] {
            [] => terms[0].0.like(0.0),
            [&(a, b, sign)] => {
                if sign > 0.0 {
                    a * b
                } else {
                    -(a * b)
                }
            }
            _ => {
                let mut of = Vec::with_capacity(2 * left.len());
                let (mut value, mut magnitude, mut remainder) = (0.0, 0.0, 0.0);
                for &&(a, b, sign) in &left {
                    let product = sign * a.value * b.value;
                    (value, magnitude) = (value + product, magnitude + product.abs());
                    remainder += a.coarse * b.coarse;
                    of.extend([(a, sign * b.value), (b, sign * a.value)]);
                }
                terms[0].0.tape.node(value, &of, left.len() as f64 * U * magnitude + remainder)
            }
        }
    }

    pub fn dot(self, other: Self) -> Number<'t> {
        Self::sum(&[0, 1, 2].map(|axis| (self.0[axis], other.0[axis], 1.0)))
    }

    pub fn cross(self, other: Self) -> Self {
        Self::of(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            Self::sum(&[(self.0[next], other.0[last], 1.0), (self.0[last], other.0[next], -1.0)])
        })
    }

    pub fn by(self, factor: Number<'t>) -> Self {
        Self::of(|axis| self.0[axis] * factor)
    }

    /// See [`Number::tightened`].
    pub fn tightened(self, last: &mut f64) -> Self {
        if self.coarse() <= GROWN * *last {
            return self;
        }
        let errors = self.0[0].tape.errors(&self.0);
        let of = Self::of(|axis| Number { coarse: errors[axis], ..self.0[axis] });
        *last = of.coarse().max(U * of.length());
        of
    }

    /// The size of its errors.
    pub fn error(self) -> f64 {
        self.0.iter().map(|number| number.error().powi(2)).sum::<f64>().sqrt()
    }

    /// The same, as far as it is known without a search.
    pub fn coarse(self) -> f64 {
        self.0.iter().map(|number| number.coarse().powi(2)).sum::<f64>().sqrt()
    }

    pub fn length(self) -> f64 {
        self.0.iter().map(|number| number.value.powi(2)).sum::<f64>().sqrt()
    }
}

impl Add for Vector<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::of(|axis| self.0[axis] + other.0[axis])
    }
}

impl Sub for Vector<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::of(|axis| self.0[axis] - other.0[axis])
    }
}
