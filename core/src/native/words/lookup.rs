//! Tables looked up eight times at once, each lookup with the cells that it found last: arguments of a flight seldom leave theirs.
//!
//! # Conventions
//! The bits of [`Table::value`]. What lookups know of cells is in memory, where lanes find theirs one by one.

use crate::function::Table;
use crate::lanes::{LANES, Lanes};
use crate::simd::{F64x8, Mask8, Simd};

/// Cells of an argument, one for each lane.
struct Cells {
    /// An argument is in its cell if it is greater than this
    above: Lanes,
    /// and not greater than this.
    up_to: Lanes,
    from: Lanes,
    width: Lanes,
}

#[inline(always)]
fn loaded<S: Simd>(simd: S, lanes: &Lanes) -> F64x8<S> {
    F64x8::from_array(simd, lanes.0)
}

impl Cells {
    /// Cells in which no argument is.
    const NONE: Self = Self {
        above: Lanes([f64::INFINITY; LANES]),
        up_to: Lanes([f64::NEG_INFINITY; LANES]),
        from: Lanes([0.0; LANES]),
        width: Lanes([1.0; LANES]),
    };

    #[inline(always)]
    fn left<S: Simd>(&self, x: F64x8<S>) -> Mask8<S> {
        !(x.gt(loaded(x.simd(), &self.above)) & x.le(loaded(x.simd(), &self.up_to)))
    }

    /// How far arguments are through their cells.
    #[inline(always)]
    fn share<S: Simd>(&self, x: F64x8<S>) -> F64x8<S> {
        (x - loaded(x.simd(), &self.from)) / loaded(x.simd(), &self.width)
    }

    /// Finds the cell of an argument; its number.
    fn find(&mut self, lane: usize, points: &[f64], x: f64) -> usize {
        let last = points.len() - 1;
        let number = points.partition_point(|&point| point < x).clamp(1, last.max(1)) - 1;
        let next = (number + 1).min(last);
        self.above.0[lane] = if number == 0 { f64::NEG_INFINITY } else { points[number] };
        self.up_to.0[lane] = if next == last { f64::INFINITY } else { points[next] };
        self.from.0[lane] = points[number];
        self.width.0[lane] = points[next] - points[number];
        number
    }
}

/// A lookup in a line.
pub(super) struct LineLookup {
    cells: Cells,
    low: Lanes,
    rise: Lanes,
    /// First and last point, each with its value.
    ends: [[f64; 2]; 2],
}

impl LineLookup {
    pub fn new(table: &Table) -> Self {
        let ends = match table {
            Table::Line { points, values } => [0, points.len() - 1].map(|end| [points[end], values[end]]),
            Table::Grid { .. } | Table::Blocks { .. } => [[0.0; 2]; 2],
        };
        Self { cells: Cells::NONE, low: Lanes::ZERO, rise: Lanes::ZERO, ends }
    }

    /// What a line has at these.
    #[inline(always)]
    pub fn at<S: Simd>(&mut self, table: &Table, x: F64x8<S>) -> F64x8<S> {
        let left = self.cells.left(x);
        if left.any() {
            self.find(table, &x.to_array(), left.bits());
        }
        let [[first, first_value], [last, last_value]] = self.ends;
        let between = self.cells.share(x) * loaded(x.simd(), &self.rise) + loaded(x.simd(), &self.low);
        let held = x.ge(x.like(last)).select(x.like(last_value), between);
        x.le(x.like(first)).select(x.like(first_value), held)
    }

    #[inline(never)]
    fn find(&mut self, table: &Table, x: &[f64; LANES], left: u32) {
        let Table::Line { points, values } = table else { return };
        for lane in lanes_of(left) {
            let number = self.cells.find(lane, points, x[lane]);
            self.low.0[lane] = values[number];
            self.rise.0[lane] = values[(number + 1).min(values.len() - 1)] - values[number];
        }
    }
}

/// A lookup in a grid.
pub(super) struct GridLookup {
    rows: Cells,
    columns: Cells,
    /// Values of the corners: of the column the first row and the next, then of the next column.
    corners: [Lanes; 4],
    /// Whether there are several rows, and several columns.
    have_cells: [bool; 2],
}

impl GridLookup {
    pub fn new(table: &Table) -> Self {
        let have_cells = match table {
            Table::Grid { rows, columns, .. } => [rows.len() > 1, columns.len() > 1],
            Table::Line { .. } | Table::Blocks { .. } => [false; 2],
        };
        Self { rows: Cells::NONE, columns: Cells::NONE, corners: [Lanes::ZERO; 4], have_cells }
    }

    /// What a grid has at these.
    #[inline(always)]
    pub fn at<S: Simd>(&mut self, table: &Table, [x, y]: [F64x8<S>; 2]) -> F64x8<S> {
        let left = self.rows.left(x) | self.columns.left(y);
        if left.any() {
            self.find(table, [&x.to_array(), &y.to_array()], left.bits());
        }
        let [has_rows, has_columns] = self.have_cells;
        let share = share_within(&self.rows, has_rows, x);
        let across = share_within(&self.columns, has_columns, y);
        let [low, up, next_low, next_up] = &self.corners;
        let first = share * loaded(x.simd(), up) + (1.0 - share) * loaded(x.simd(), low);
        let second = share * loaded(x.simd(), next_up) + (1.0 - share) * loaded(x.simd(), next_low);
        first + across * (second - first)
    }

    #[inline(never)]
    fn find(&mut self, table: &Table, [x, y]: [&[f64; LANES]; 2], left: u32) {
        let Table::Grid { rows, columns, values } = table else { return };
        for lane in lanes_of(left) {
            let row = self.rows.find(lane, rows, x[lane]);
            let column = self.columns.find(lane, columns, y[lane]);
            let (next_row, next_column) = ((row + 1).min(rows.len() - 1), (column + 1).min(columns.len() - 1));
            let corners = [[row, column], [next_row, column], [row, next_column], [next_row, next_column]];
            for (corner, [row, column]) in self.corners.iter_mut().zip(corners) {
                corner.0[lane] = values[row * columns.len() + column];
            }
        }
    }
}

/// The lanes of a mask's bits.
fn lanes_of(bits: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |&lane| bits >> lane & 1 == 1)
}

/// How far arguments are through their cells, held within; NaN where they are.
#[inline(always)]
fn share_within<S: Simd>(cells: &Cells, has_cells: bool, x: F64x8<S>) -> F64x8<S> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    if !has_cells {
        return x.eq(x).select(zero, x);
    }
    cells.share(x).clamp(zero, one)
}
