//! Touchdown points, counted in the cells of a grid: never one mark per landing.
//!
//! # Conventions
//! x along the runway from the landing threshold, y to the left of the centreline \[m\].

use super::plot::Axis;
use crate::query::LandingClass;
use crate::study::statistics::Accumulator;
use crate::study::{Event, Study};

/// Fewest and most cells along the runway.
const COLUMNS: (f64, f64) = (24.0, 128.0);
/// Cells along the runway for each across it, as the figure's frame is wider than high.
const COLUMNS_PER_ROW: usize = 2;
/// Place of the touchdown point along the runway.
pub const DISTANCE: &str = "touchdown_distance";
/// Place of the touchdown point across it.
const LATERAL: &str = "touchdown_lateral";
/// Of the outermost wheel.
const OUTBOARD: &str = "touchdown_outboard";

/// Counts of touchdown points by place.
#[derive(Clone, Debug)]
pub struct Density {
    /// Along the runway.
    pub x: Axis,
    /// Across it.
    pub y: Axis,
    /// Cells along the runway.
    pub columns: usize,
    /// Cells across it.
    pub rows: usize,
    quantities: (usize, usize),
    /// Row by row, from the least y.
    counts: Vec<u64>,
    /// Of these, landings that did not come to rest as they should.
    ended_badly: Vec<u64>,
}

/// The number of a quantity with this name.
pub fn quantity_named(study: &Study, name: &str) -> Option<usize> {
    study.quantities().iter().position(|quantity| quantity.name == name)
}

/// Limits of the criteria on a quantity.
pub fn limits_on(study: &Study, number: usize) -> impl Iterator<Item = f64> {
    study.criteria.iter().filter_map(move |criterion| match criterion.event {
        Event::Above { quantity, limit } | Event::Below { quantity, limit } => (quantity == number).then_some(limit),
        Event::Class(_) => None,
    })
}

/// Limits of the criteria on touchdown points along the runway.
pub fn limits_along(study: &Study) -> Vec<f64> {
    quantity_named(study, DISTANCE).into_iter().flat_map(|number| limits_on(study, number)).collect()
}

/// Limits of the criteria on touchdown points across it; those of the outermost wheel as they are for the vehicle's
/// middle, on either side.
pub fn limits_across(study: &Study) -> Vec<f64> {
    let on = |name| quantity_named(study, name).into_iter().flat_map(|number| limits_on(study, number));
    let outermost = study.job.vehicle.wheels.iter().map(|wheel| wheel.position.y.abs()).fold(0.0, f64::max);
    on(LATERAL).chain(on(OUTBOARD).flat_map(|limit| [limit - outermost, outermost - limit])).collect()
}

impl Density {
    /// An empty grid over all touchdown points, the runway's threshold and width, and the criteria's limits; `None`
    /// without touchdown points.
    pub fn new(study: &Study, sums: &[Accumulator]) -> Option<Self> {
        let quantities = (quantity_named(study, DISTANCE)?, quantity_named(study, LATERAL)?);
        let runway = study.job.scene.runway();
        let axis = |number: usize, more: Vec<f64>, label: &str| {
            let extremes = [sums[number].minimum()?, sums[number].maximum()?];
            let all = || extremes.into_iter().chain(more.iter().copied());
            Some(Axis::linear(all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max), label))
        };
        let threshold = runway.map(|_| 0.0).into_iter().chain(limits_along(study)).collect();
        let half_width = runway.map(|runway| 0.5 * runway.width);
        let edges = half_width.into_iter().flat_map(|half| [-half, half]).chain(limits_across(study)).collect();
        // Cells fill up as their number grows with the square root of the landings': 80 by 40 for 10,000.
        let columns = (8.0 * (sums[quantities.0].count() as f64).powf(0.25)).clamp(COLUMNS.0, COLUMNS.1) as usize;
        let rows = columns / COLUMNS_PER_ROW;
        Some(Self {
            x: axis(quantities.0, threshold, "touchdown point from the landing threshold [m]")?,
            y: axis(quantities.1, edges, "left of the centreline [m]")?,
            quantities,
            columns,
            rows,
            counts: vec![0; columns * rows],
            ended_badly: vec![0; columns * rows],
        })
    }

    /// Counts a landing, if it has a touchdown point.
    pub fn add(&mut self, class: LandingClass, value: impl Fn(usize) -> Option<f64>) {
        let (Some(x), Some(y)) = (value(self.quantities.0), value(self.quantities.1)) else {
            return;
        };
        let index =
            |axis: &Axis, value: f64, cells: usize| ((axis.position(value) * cells as f64) as usize).min(cells - 1);
        let cell = index(&self.y, y, self.rows) * self.columns + index(&self.x, x, self.columns);
        self.counts[cell] += 1;
        self.ended_badly[cell] += u64::from(class != LandingClass::Stopped);
    }

    /// Landings in a cell.
    pub fn count(&self, column: usize, row: usize) -> u64 {
        self.counts[row * self.columns + column]
    }

    /// Whether a landing from a cell did not end by coming to rest.
    pub fn has_bad_end(&self, column: usize, row: usize) -> bool {
        self.ended_badly[row * self.columns + column] > 0
    }

    /// The most landings in a cell.
    pub fn greatest(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}
