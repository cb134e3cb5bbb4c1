//! One step of the Dormand-Prince method, with its continuous extension.

use super::{System, Tolerances};
use crate::elementary::pow;

const STAGES: usize = 7;
/// Times of the stages, as fractions of the step.
const NODES: [f64; STAGES] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
/// Coefficients of earlier stages in each stage. The last is at the end of the step: its weights are those of the
/// method.
const WEIGHTS: [&[f64]; STAGES] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Difference of the methods of order 5 and 4.
const ERROR: [f64; STAGES] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
/// The term of the continuous extension not determined by the ends of the step.
const EXTENSION: [f64; STAGES] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];
/// Exponent of the error per step: one more than the order of the embedded method.
const ERROR_ORDER: f64 = 5.0;

/// A proposed step: the state as a polynomial of degree 4 between its ends,
/// `y0 + s (a + (1 - s) (b + s (c + (1 - s) d)))` with s from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    from: f64,
    to: f64,
    start: Vec<f64>,
    end: Vec<f64>,
    /// a, b, c and d of each component.
    terms: Vec<[f64; 4]>,
}

impl Step {
    /// Start time.
    #[must_use]
    pub fn from(&self) -> f64 {
        self.from
    }

    /// End time.
    #[must_use]
    pub fn to(&self) -> f64 {
        self.to
    }

    pub(super) fn length(&self) -> f64 {
        self.to - self.from
    }

    /// Number of components of the state.
    #[must_use]
    pub fn components(&self) -> usize {
        self.start.len()
    }

    /// A component at a time within the step.
    #[must_use]
    pub fn component(&self, component: usize, time: f64) -> f64 {
        // Exact at the end, where the polynomial rounds.
        if time == self.to {
            return self.end[component];
        }
        let [a, b, c, d] = self.terms[component];
        let s = (time - self.from) / self.length();
        self.start[component] + s * (a + (1.0 - s) * (b + s * (c + (1.0 - s) * d)))
    }

    /// The state at a time within the step.
    #[must_use]
    pub fn at(&self, time: f64) -> Vec<f64> {
        (0..self.start.len()).map(|component| self.component(component, time)).collect()
    }

    /// How fast a component changes at a time within the step: the derivative of its polynomial.
    #[must_use]
    pub fn rate(&self, component: usize, time: f64) -> f64 {
        let [a, b, c, d] = self.terms[component];
        let s = (time - self.from) / self.length();
        let rate = a + (1.0 - 2.0 * s) * b + s * (2.0 - 3.0 * s) * c + 2.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * d;
        rate / self.length()
    }

    /// A bound on the magnitude of a component's rate over the step: the largest Bernstein coefficient of the
    /// derivative of its polynomial.
    #[must_use]
    pub fn rate_limit(&self, component: usize) -> f64 {
        let [a, b, c, d] = self.terms[component];
        // a + (1 - 2 s) b + (2 s - 3 s^2) c + 2 s (1 - s) (1 - 2 s) d
        let third = 1.0 / 3.0;
        let coefficients = [a + b, a + third * (b + 2.0 * c + 2.0 * d), a - third * (b - c + 2.0 * d), a - b - c];
        greatest(&coefficients) / self.length()
    }

    /// A bound on the magnitude of a component's second derivative over the step, as [`rate_limit`](Self::rate_limit) is
    /// one on that of the first.
    #[must_use]
    pub fn acceleration_limit(&self, component: usize) -> f64 {
        let [_, b, c, d] = self.terms[component];
        // -2 b + (2 - 6 s) c + (2 - 12 s + 12 s^2) d
        let coefficients = [2.0 * (c + d - b), -2.0 * b - c - 4.0 * d, 2.0 * (d - b) - 4.0 * c];
        greatest(&coefficients) / (self.length() * self.length())
    }
}

/// The greatest magnitude.
fn greatest(coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |greatest, coefficient| greatest.max(coefficient.abs()))
}

/// A step and its estimated error: the largest over all components, relative to the tolerance. NaN if not a number.
pub(super) fn try_step<S: System + ?Sized>(
    system: &S,
    [from, to]: [f64; 2],
    start: &[f64],
    rates: &[f64],
    tolerances: &Tolerances,
) -> (Step, f64) {
    let (length, components) = (to - from, start.len());
    let mut stages: [Vec<f64>; STAGES] = std::array::from_fn(|_| vec![0.0; components]);
    stages[0].copy_from_slice(rates);
    let mut place = vec![0.0; components];
    for stage in 1..STAGES {
        for (component, place) in place.iter_mut().enumerate() {
            *place = start[component] + length * weighted(WEIGHTS[stage], &stages, component);
        }
        let (_, after) = stages.split_at_mut(stage);
        system.rates(from + NODES[stage] * length, &place, &mut after[0]);
    }
    let end = place;
    let mut error: f64 = 0.0;
    let mut terms = Vec::with_capacity(components);
    for component in 0..components {
        let a = end[component] - start[component];
        let b = length * stages[0][component] - a;
        let c = a - length * stages[STAGES - 1][component] - b;
        terms.push([a, b, c, length * weighted(&EXTENSION, &stages, component)]);
        let magnitude = start[component].abs().max(end[component].abs());
        let of_component = length * weighted(&ERROR, &stages, component) / tolerances.of(component, magnitude);
        // `max` would lose NaN.
        error = if of_component.is_nan() { f64::NAN } else { error.max(of_component.abs()) + 0.0 * error };
    }
    (Step { from, to, start: start.to_vec(), end, terms }, error)
}

fn weighted(weights: &[f64], stages: &[Vec<f64>; STAGES], component: usize) -> f64 {
    weights.iter().zip(stages).map(|(weight, stage)| weight * stage[component]).sum()
}

/// Initial step size (Hairer, Norsett and Wanner, section II.4).
pub(super) fn first_step<S: System + ?Sized>(
    system: &S,
    time: f64,
    state: &[f64],
    rates: &[f64],
    tolerances: &Tolerances,
) -> f64 {
    let relative = |values: &mut dyn Iterator<Item = f64>| {
        let of = |(component, value): (usize, f64)| value.abs() / tolerances.of(component, state[component].abs());
        values.enumerate().map(of).fold(0.0, f64::max)
    };
    let (size, speed) = (relative(&mut state.iter().copied()), relative(&mut rates.iter().copied()));
    // A zero state, or one at rest, has no time scale.
    const SHORT: f64 = 1e-6;
    let first = if size < 1e-5 || speed < 1e-5 { SHORT } else { 0.01 * size / speed };
    let moved: Vec<f64> = state.iter().zip(rates).map(|(value, rate)| value + first * rate).collect();
    let mut after = vec![0.0; state.len()];
    system.rates(time + first, &moved, &mut after);
    let change = relative(&mut after.iter().zip(rates).map(|(after, before)| after - before)) / first;
    let fastest = speed.max(change);
    let second = if fastest > 1e-15 { pow(0.01 / fastest, 1.0 / ERROR_ORDER) } else { f64::max(SHORT, 1e-3 * first) };
    second.min(100.0 * first)
}
