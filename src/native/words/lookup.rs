//! Tables looked up eight times at once, each lookup with the cells that it found last: arguments of a flight seldom leave theirs.
//!
//! # Conventions
//! The bits of [`Table::value`].

use crate::function::Table;
use crate::lanes::LANES;
use crate::simd::{F64x8, Mask8, Simd};

/// Cells of an argument, one for each lane.
struct Cells<S: Simd> {
    /// An argument is in its cell if it is greater than this
    above: F64x8<S>,
    /// and not greater than this.
    up_to: F64x8<S>,
    from: F64x8<S>,
    width: F64x8<S>,
}

impl<S: Simd> Cells<S> {
    /// Cells in which no argument is.
    fn none(simd: S) -> Self {
        let [zero, one] = [0.0, 1.0].map(|number| F64x8::splat(simd, number));
        let [above, up_to] = [f64::INFINITY, f64::NEG_INFINITY].map(|number| F64x8::splat(simd, number));
        Self { above, up_to, from: zero, width: one }
    }

    #[inline(always)]
    fn left(&self, x: F64x8<S>) -> Mask8<S> {
        !(x.gt(self.above) & x.le(self.up_to))
    }

    /// Finds the cell of an argument; its number.
    fn find(&mut self, lane: usize, points: &[f64], x: f64) -> usize {
        let last = points.len() - 1;
        let number = points.partition_point(|&point| point < x).clamp(1, last.max(1)) - 1;
        let next = (number + 1).min(last);
        self.above.set(lane, if number == 0 { f64::NEG_INFINITY } else { points[number] });
        self.up_to.set(lane, if next == last { f64::INFINITY } else { points[next] });
        self.from.set(lane, points[number]);
        self.width.set(lane, points[next] - points[number]);
        number
    }
}

/// A lookup in a line.
pub(super) struct LineLookup<S: Simd> {
    cells: Cells<S>,
    low: F64x8<S>,
    rise: F64x8<S>,
}

impl<S: Simd> LineLookup<S> {
    pub fn none(simd: S) -> Self {
        Self { cells: Cells::none(simd), low: F64x8::zero(simd), rise: F64x8::zero(simd) }
    }

    /// What a line has at these.
    #[inline(always)]
    pub fn at(&mut self, table: &Table, x: F64x8<S>) -> F64x8<S> {
        let Table::Line { points, values } = table else { return x };
        let left = self.cells.left(x);
        if left.any() {
            self.find(points, values, x.to_array(), left.to_array());
        }
        let last = points.len() - 1;
        let between = (x - self.cells.from) / self.cells.width * self.rise + self.low;
        let held = x.ge(x.like(points[last])).select(x.like(values[last]), between);
        x.le(x.like(points[0])).select(x.like(values[0]), held)
    }

    #[inline(never)]
    fn find(&mut self, points: &[f64], values: &[f64], x: [f64; LANES], left: [bool; LANES]) {
        for lane in (0..LANES).filter(|&lane| left[lane]) {
            let number = self.cells.find(lane, points, x[lane]);
            self.low.set(lane, values[number]);
            self.rise.set(lane, values[(number + 1).min(values.len() - 1)] - values[number]);
        }
    }
}

/// A lookup in a grid.
pub(super) struct GridLookup<S: Simd> {
    rows: Cells<S>,
    columns: Cells<S>,
    /// Values of the corners: of the column the first row and the next, then of the next column.
    corners: [F64x8<S>; 4],
}

impl<S: Simd> GridLookup<S> {
    pub fn none(simd: S) -> Self {
        Self { rows: Cells::none(simd), columns: Cells::none(simd), corners: [F64x8::zero(simd); 4] }
    }

    /// What a grid has at these.
    #[inline(always)]
    pub fn at(&mut self, table: &Table, [x, y]: [F64x8<S>; 2]) -> F64x8<S> {
        let Table::Grid { rows, columns, values } = table else { return x };
        let left = self.rows.left(x) | self.columns.left(y);
        if left.any() {
            self.find([rows, columns, values], [x.to_array(), y.to_array()], left.to_array());
        }
        let share = share(&self.rows, rows, x);
        let across = self::share(&self.columns, columns, y);
        let [low, up, next_low, next_up] = self.corners;
        let first = share * up + (1.0 - share) * low;
        let second = share * next_up + (1.0 - share) * next_low;
        first + across * (second - first)
    }

    #[inline(never)]
    fn find(&mut self, [rows, columns, values]: [&[f64]; 3], [x, y]: [[f64; LANES]; 2], left: [bool; LANES]) {
        for lane in (0..LANES).filter(|&lane| left[lane]) {
            let row = self.rows.find(lane, rows, x[lane]);
            let column = self.columns.find(lane, columns, y[lane]);
            let (next_row, next_column) = ((row + 1).min(rows.len() - 1), (column + 1).min(columns.len() - 1));
            let corners = [[row, column], [next_row, column], [row, next_column], [next_row, next_column]];
            for (corner, [row, column]) in self.corners.iter_mut().zip(corners) {
                corner.set(lane, values[row * columns.len() + column]);
            }
        }
    }
}

/// How far arguments are through their cells, held within.
#[inline(always)]
fn share<S: Simd>(cells: &Cells<S>, points: &[f64], x: F64x8<S>) -> F64x8<S> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    if points.len() == 1 {
        return zero;
    }
    let share = (x - cells.from) / cells.width;
    let share = share.lt(zero).select(zero, share);
    share.gt(one).select(one, share)
}
