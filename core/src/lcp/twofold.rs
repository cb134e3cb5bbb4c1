//! Numbers of twice the precision of f64, as unevaluated sums of two: what it takes to solve small systems of linear equations that
//! are singular to the rounding of one.
//!
//! Dekker (1971), Numer. Math. 18, 224; with fused products, Joldes, Muller and Popescu (2017), ACM TOMS 44 (2), algorithms 6, 12
//! and 17.

use std::ops::{Div, Mul, Sub};

/// A sum of two numbers, of which the second is at most a rounding of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Twofold {
    pub high: f64,
    low: f64,
}

impl From<f64> for Twofold {
    fn from(number: f64) -> Self {
        Self { high: number, low: 0.0 }
    }
}

impl From<Twofold> for f64 {
    fn from(number: Twofold) -> Self {
        number.high
    }
}

/// a + b, exactly.
fn sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let part = high - a;
    Twofold { high, low: (a - (high - part)) + (b - part) }
}

/// a + b, exactly, of which the first is the larger.
fn short_sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    Twofold { high, low: b - (high - a) }
}

/// a b, exactly.
fn product(a: f64, b: f64) -> Twofold {
    let high = a * b;
    Twofold { high, low: a.mul_add(b, -high) }
}

impl Sub for Twofold {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, -other.high), sum(self.low, -other.low));
        let high = short_sum(high.high, high.low + low.high);
        short_sum(high.high, high.low + low.low)
    }
}

impl Mul for Twofold {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let Self { high, low } = product(self.high, other.high);
        let across = self.low.mul_add(other.high, self.high * other.low + self.low * other.low);
        short_sum(high, low + across)
    }
}

impl Div for Twofold {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let high = self.high / other.high;
        let rest = self - other * high.into();
        short_sum(high, rest.high / other.high)
    }
}

/// Pivots of at most this part of the largest entry are rounding.
const SINGULAR: f64 = 1e-28;

/// Solves A x = b, A given by rows, to the rounding of f64 where its condition number is below some 1e15; `None` if A is singular to
/// rounding of twice its precision.
pub(super) fn solve(matrix: &[f64], vector: &[f64]) -> Option<Vec<f64>> {
    let size = vector.len();
    let mut matrix: Vec<Twofold> = matrix.iter().map(|&entry| entry.into()).collect();
    let mut vector: Vec<Twofold> = vector.iter().map(|&entry| entry.into()).collect();
    let least = SINGULAR * matrix.iter().fold(0.0, |largest: f64, entry| largest.max(entry.high.abs()));
    for step in 0..size {
        let magnitude = |row: usize| matrix[row * size + step].high.abs();
        let pivot = (step..size).max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
        if magnitude(pivot) <= least {
            return None;
        }
        (0..size).for_each(|column| matrix.swap(pivot * size + column, step * size + column));
        vector.swap(pivot, step);
        for row in step + 1..size {
            let factor = matrix[row * size + step] / matrix[step * size + step];
            for column in step + 1..size {
                matrix[row * size + column] = matrix[row * size + column] - factor * matrix[step * size + column];
            }
            vector[row] = vector[row] - factor * vector[step];
        }
    }
    for row in (0..size).rev() {
        let known =
            (row + 1..size).fold(vector[row], |rest, column| rest - matrix[row * size + column] * vector[column]);
        vector[row] = known / matrix[row * size + row];
    }
    Some(vector.into_iter().map(f64::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_number_loses_two_keep() {
        let tiny = 2f64.powi(-80);
        let number = Twofold::from(1.0) - Twofold::from(-tiny);
        assert_eq!((number.high, number.low), (1.0, tiny));
        assert_eq!((number - Twofold::from(1.0)).high, tiny);
        // (1 + t)^2 = 1 + 2 t + t^2.
        assert_eq!((number * number - Twofold::from(1.0)).high, 2.0 * tiny);
        let third = Twofold::from(1.0) / Twofold::from(3.0);
        let rest = third * Twofold::from(3.0) - Twofold::from(1.0);
        assert!(rest.high.abs() < 2f64.powi(-100), "{rest:?}");
    }

    #[test]
    fn systems_close_to_singular_ones_are_solved_and_singular_ones_told() {
        for exponent in [20, 40, 50] {
            // Row two less row one says t y = 1.
            let t = 2f64.powi(-exponent);
            let found = solve(&[1.0, 1.0, 1.0, 1.0 + t], &[1.0, 2.0]).unwrap();
            assert_eq!(found, [1.0 - 1.0 / t, 1.0 / t]);
        }
        assert_eq!(solve(&[1.0, 3.0, 1.0 / 3.0, 1.0], &[1.0, 1.0]).map(|found| found[1].abs() > 1e15), Some(true));
        assert_eq!(solve(&[0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 1.0, 2.0, 3.0], &[1.0, 1.0, 1.0]), None);
        assert_eq!(solve(&[], &[]), Some(Vec::new()));
    }
}
