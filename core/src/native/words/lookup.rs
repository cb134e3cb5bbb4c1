//! Tables looked up eight times at once, each lookup with the cells that it found last: arguments of a flight seldom leave theirs.
//!
//! # Conventions
//! The bits of [`Table::value`]. What lookups know of cells is in memory, where lanes find theirs one by one.

use std::sync::Arc;

use crate::function::Table;
use crate::lanes::{LANES, Lanes};
use crate::simd::{F64x8, Mask8, Simd};

/// Cells of an argument, one for each lane, by the points about them. What follows from those is made each time: numbers of eight lanes
/// take more of the fastest memory than they save.
struct Cells {
    from: Lanes,
    to: Lanes,
}

#[inline(always)]
fn loaded<S: Simd>(simd: S, lanes: &Lanes) -> F64x8<S> {
    F64x8::from_array(simd, lanes.0)
}

impl Cells {
    /// Cells in which no argument is.
    const NONE: Self = Self { from: Lanes([f64::NAN; LANES]), to: Lanes([f64::NAN; LANES]) };

    /// How far arguments are through their cells.
    #[inline(always)]
    fn share<S: Simd>(&self, x: F64x8<S>) -> F64x8<S> {
        let (from, to) = (loaded(x.simd(), &self.from), loaded(x.simd(), &self.to));
        (x - from) / (to - from)
    }

    /// Finds the cell of an argument; the numbers of the points about it.
    fn find(&mut self, lane: usize, points: &[f64], x: f64) -> [usize; 2] {
        let last = points.len() - 1;
        let number = points.partition_point(|&point| point < x).clamp(1, last.max(1)) - 1;
        let next = (number + 1).min(last);
        (self.from.0[lane], self.to.0[lane]) = (points[number], points[next]);
        [number, next]
    }
}

/// A lookup in a line.
pub(super) struct LineLookup {
    table: Arc<Table>,
    /// First and last point, each with its value.
    ends: [[f64; 2]; 2],
    cells: Cells,
    /// Values at the points about the cells.
    low: Lanes,
    high: Lanes,
}

impl LineLookup {
    pub fn new(table: &Arc<Table>) -> Self {
        let ends = match &**table {
            Table::Line { points, values } => [0, points.len() - 1].map(|end| [points[end], values[end]]),
            Table::Grid { .. } | Table::Blocks { .. } => [[0.0; 2]; 2],
        };
        Self { table: table.clone(), ends, cells: Cells::NONE, low: Lanes::ZERO, high: Lanes::ZERO }
    }

    /// What a line has at these.
    #[inline(always)]
    pub fn at<S: Simd>(&mut self, x: F64x8<S>) -> F64x8<S> {
        let [[first, first_value], [last, last_value]] = self.ends;
        let (before, behind) = (x.le(x.like(first)), x.ge(x.like(last)));
        let in_cell = x.gt(loaded(x.simd(), &self.cells.from)) & x.le(loaded(x.simd(), &self.cells.to));
        let left = !(in_cell | before | behind);
        if left.any() {
            self.find(&x.to_array(), left.bits());
        }
        let (low, high) = (loaded(x.simd(), &self.low), loaded(x.simd(), &self.high));
        let between = self.cells.share(x) * (high - low) + low;
        before.select(x.like(first_value), behind.select(x.like(last_value), between))
    }

    #[inline(never)]
    fn find(&mut self, x: &[f64; LANES], left: u32) {
        let Table::Line { points, values } = &*self.table else { return };
        for lane in lanes_of(left) {
            let [number, next] = self.cells.find(lane, points, x[lane]);
            (self.low.0[lane], self.high.0[lane]) = (values[number], values[next]);
        }
    }
}

/// A lookup in a grid.
pub(super) struct GridLookup {
    table: Arc<Table>,
    rows: Axis,
    columns: Axis,
    of_rows: Cells,
    of_columns: Cells,
    /// Values of the corners: of the column the first row and the next, then of the next column.
    corners: [Lanes; 4],
}

/// The first point of an argument and its last one. Beyond them is the cell that ends there.
struct Axis {
    first: f64,
    last: f64,
}

impl GridLookup {
    pub fn new(table: &Arc<Table>) -> Self {
        let [rows, columns] = match &**table {
            Table::Grid { rows, columns, .. } => [&rows[..], &columns[..]].map(Axis::new),
            Table::Line { .. } | Table::Blocks { .. } => [&[0.0][..]; 2].map(Axis::new),
        };
        let (table, corners) = (table.clone(), [Lanes::ZERO; 4]);
        Self { table, rows, columns, of_rows: Cells::NONE, of_columns: Cells::NONE, corners }
    }

    /// What a grid has at these.
    #[inline(always)]
    pub fn at<S: Simd>(&mut self, [x, y]: [F64x8<S>; 2]) -> F64x8<S> {
        let left = self.rows.left(&self.of_rows, x) | self.columns.left(&self.of_columns, y);
        if left.any() {
            self.find([&x.to_array(), &y.to_array()], left.bits());
        }
        let share = self.rows.share_within(&self.of_rows, x);
        let across = self.columns.share_within(&self.of_columns, y);
        let [low, up, next_low, next_up] = &self.corners;
        let first = share * loaded(x.simd(), up) + (1.0 - share) * loaded(x.simd(), low);
        let second = share * loaded(x.simd(), next_up) + (1.0 - share) * loaded(x.simd(), next_low);
        first + across * (second - first)
    }

    #[inline(never)]
    fn find(&mut self, [x, y]: [&[f64; LANES]; 2], left: u32) {
        let Table::Grid { rows, columns, values } = &*self.table else { return };
        for lane in lanes_of(left) {
            let [row, next_row] = self.of_rows.find(lane, rows, x[lane]);
            let [column, next_column] = self.of_columns.find(lane, columns, y[lane]);
            let corners = [[row, column], [next_row, column], [row, next_column], [next_row, next_column]];
            for (corner, [row, column]) in self.corners.iter_mut().zip(corners) {
                corner.0[lane] = values[row * columns.len() + column];
            }
        }
    }
}

impl Axis {
    fn new(points: &[f64]) -> Self {
        Self { first: points[0], last: points[points.len() - 1] }
    }

    /// Where arguments have left their cells.
    #[inline(always)]
    fn left<S: Simd>(&self, cells: &Cells, x: F64x8<S>) -> Mask8<S> {
        let (from, to) = (loaded(x.simd(), &cells.from), loaded(x.simd(), &cells.to));
        let above = x.gt(from) | from.eq(x.like(self.first));
        let below = x.le(to) | to.eq(x.like(self.last));
        !(above & below)
    }

    /// How far arguments are through their cells, held within; NaN where they are.
    #[inline(always)]
    fn share_within<S: Simd>(&self, cells: &Cells, x: F64x8<S>) -> F64x8<S> {
        let (zero, one) = (x.like(0.0), x.like(1.0));
        if self.first == self.last {
            return x.eq(x).select(zero, x);
        }
        cells.share(x).clamp(zero, one)
    }
}

/// The lanes of a mask's bits.
/// The lanes of a mask's bits.
fn lanes_of(bits: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |&lane| bits >> lane & 1 == 1)
}
