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

/// c + a . b, and how far it may be off.
pub(super) fn dot(a: &[f64], b: &[f64], c: f64) -> [f64; 2] {
    let (mut sum, mut terms) = (Twofold::from(c), c.abs());
    for (&a, &b) in a.iter().zip(b) {
        sum = sum - product(-a, b);
        terms += (a * b).abs();
    }
    // Products are exact, and a difference is off by no more than 3 of its squared roundings of half an epsilon.
    [sum.into(), a.len() as f64 * (f64::EPSILON * f64::EPSILON) * terms]
}

/// Roundings of twice the precision, several thousand of them: pivots of at most this part of what they are made of are that.
pub(super) const ROUNDING: f64 = 1e-28;

/// Solves A x = b, A given by rows, to the rounding of f64 where its condition number is below some 1e15. `None` if A is singular, or
/// would be if each of its entries changed by some part of itself, the rounding: whatever the units of rows and columns are.
pub(super) fn solve(matrix: &[f64], vector: &[f64], rounding: f64) -> Option<Vec<f64>> {
    let size = vector.len();
    // What changes of all entries by a whole of themselves would add up to, to first order.
    let mut changes: Vec<f64> = matrix.iter().map(|entry| entry.abs()).collect();
    let mut matrix: Vec<Twofold> = matrix.iter().map(|&entry| entry.into()).collect();
    let mut vector: Vec<Twofold> = vector.iter().map(|&entry| entry.into()).collect();
    for step in 0..size {
        let magnitude = |row: usize| matrix[row * size + step].high.abs();
        let is_sound = |&row: &usize| magnitude(row) > rounding * changes[row * size + step];
        let pivot = (step..size).filter(is_sound).max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
        for column in 0..size {
            matrix.swap(pivot * size + column, step * size + column);
            changes.swap(pivot * size + column, step * size + column);
        }
        vector.swap(pivot, step);
        let divisor = matrix[step * size + step];
        for row in step + 1..size {
            let factor = matrix[row * size + step] / divisor;
            let magnitude = factor.high.abs();
            let change = (changes[row * size + step] + magnitude * changes[step * size + step]) / divisor.high.abs();
            for column in step + 1..size {
                let head = matrix[step * size + column];
                matrix[row * size + column] = matrix[row * size + column] - factor * head;
                changes[row * size + column] += magnitude * changes[step * size + column] + change * head.high.abs();
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
            let found = solve(&[1.0, 1.0, 1.0, 1.0 + t], &[1.0, 2.0], ROUNDING).unwrap();
            assert_eq!(found, [1.0 - 1.0 / t, 1.0 / t]);
        }
        let third = [1.0, 3.0, 1.0 / 3.0, 1.0];
        assert_eq!(solve(&third, &[1.0, 1.0], ROUNDING).map(|found| found[1].abs() > 1e15), Some(true));
        assert_eq!(solve(&third, &[1.0, 1.0], 1e-15), None);
        assert_eq!(solve(&[0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 1.0, 2.0, 3.0], &[1.0, 1.0, 1.0], ROUNDING), None);
        assert_eq!(solve(&[], &[], ROUNDING), Some(Vec::new()));
    }

    #[test]
    fn what_is_singular_does_not_depend_on_units_of_rows_and_columns() {
        for (matrix, is_singular) in
            [([1.0, 1.0, 1.0, 2.0], false), ([1.0, 0.0, 1.0, 1.0], false), ([3.0, 1.0, 6.0, 2.0], true)]
        {
            for [row, column] in [[0, 0], [60, 0], [0, -60], [-50, -50], [50, 50], [40, -70]] {
                let [row, column] = [row, column].map(|exponent| 2f64.powi(exponent));
                let [a, b, c, d] = matrix;
                let found = solve(&[a, b * column, c * row, d * row * column], &[1.0, row], 1e-12);
                assert_eq!(found.is_none(), is_singular, "{matrix:?}, {row:e}, {column:e}");
            }
        }
    }

    #[test]
    fn sums_are_as_exact_as_they_say() {
        // 1e30 - 1e30 + 2^-60 - 1.
        let [found, off] = dot(&[1e15, -1e30, 2f64.powi(-30)], &[1e15, 1.0, 2f64.powi(-30)], -1.0);
        let rest = (1e15f64 * 1e15 - 1e30) + 1e15f64.mul_add(1e15, -(1e15f64 * 1e15));
        assert!((found - (rest - 1.0 + 2f64.powi(-60))).abs() <= off, "{found:e} but for {off:e}");
        assert!(off < 1.0 && dot(&[], &[], 3.0) == [3.0, 0.0]);
    }
}
