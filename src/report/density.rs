//! Final positions of trials, counted in grid cells: never one mark per trial.

use super::plot::Axis;
use crate::model::Footprint;
use crate::study::statistics::Accumulator;
use crate::study::{Event, Study};

/// Fewest and most cells along.
const COLUMNS: (f64, f64) = (24.0, 128.0);
/// Cells along for each across, as the figure's frame is wider than high.
const COLUMNS_PER_ROW: usize = 2;
/// Counts of points by place.
#[derive(Clone, Debug)]
pub struct Density {
    /// Along.
    pub x: Axis,
    /// Across.
    pub y: Axis,
    /// Cells along.
    pub columns: usize,
    /// Cells across.
    pub rows: usize,
    /// What the points are.
    pub footprint: Footprint,
    /// The class of trials that end as they should.
    good: usize,
    /// Row by row, from the least y.
    counts: Vec<u64>,
    /// Of these, trials that did not end as they should.
    ended_badly: Vec<u64>,
}

/// Limits of the criteria on a quantity.
pub fn limits_on(study: &Study, number: usize) -> impl Iterator<Item = f64> {
    let events = study.criteria.iter().map(|criterion| &criterion.event);
    events.filter(move |event| event.quantity() == Some(number)).filter_map(Event::limit)
}

/// Limits of the criteria on the quantity along.
pub fn limits_along(study: &Study, footprint: &Footprint) -> Vec<f64> {
    limits_on(study, footprint.along.0).collect()
}

/// Limits of the criteria on the quantity across; those of quantities beside it as they are for the points, on either side.
pub fn limits_across(study: &Study, footprint: &Footprint) -> Vec<f64> {
    let beside = footprint.beside.iter().flat_map(|&(quantity, distance)| {
        limits_on(study, quantity).flat_map(move |limit| [limit - distance, distance - limit])
    });
    limits_on(study, footprint.across.0).chain(beside).collect()
}

impl Density {
    /// An empty grid over all points, the width of the field with the origin of its length, and the criteria's limits;
    /// `None` without points.
    pub fn new(study: &Study, sums: &[Accumulator]) -> Option<Self> {
        let footprint = study.model.footprint()?;
        let quantities = (footprint.along.0, footprint.across.0);
        let axis = |number: usize, more: Vec<f64>, label: &str| {
            let extremes = [sums[number].minimum()?, sums[number].maximum()?];
            let all = || extremes.into_iter().chain(more.iter().copied());
            Some(Axis::linear(all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max), label))
        };
        let field = footprint.field.as_ref();
        let origin = field.map(|_| 0.0).into_iter().chain(limits_along(study, &footprint)).collect();
        let edges = field.into_iter().flat_map(|field| [field.across.0, field.across.1]);
        let edges = edges.chain(limits_across(study, &footprint)).collect();
        // Cells fill up as their number grows with the square root of the trials': 80 by 40 for 10,000.
        let columns = (8.0 * (sums[quantities.0].count() as f64).powf(0.25)).clamp(COLUMNS.0, COLUMNS.1) as usize;
        let rows = columns / COLUMNS_PER_ROW;
        Some(Self {
            x: axis(quantities.0, origin, footprint.along.1)?,
            y: axis(quantities.1, edges, footprint.across.1)?,
            good: study.model.classes().len() - 1,
            footprint,
            columns,
            rows,
            counts: vec![0; columns * rows],
            ended_badly: vec![0; columns * rows],
        })
    }

    /// Counts a trial, if it has a point.
    pub fn add(&mut self, class: usize, value: impl Fn(usize) -> Option<f64>) {
        let (Some(x), Some(y)) = (value(self.footprint.along.0), value(self.footprint.across.0)) else {
            return;
        };
        let index =
            |axis: &Axis, value: f64, cells: usize| ((axis.position(value) * cells as f64) as usize).min(cells - 1);
        let cell = index(&self.y, y, self.rows) * self.columns + index(&self.x, x, self.columns);
        self.counts[cell] += 1;
        self.ended_badly[cell] += u64::from(class != self.good);
    }

    /// Adds the counts of another batch, on the same grid.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, other)| *mine += other);
        self.ended_badly.iter_mut().zip(&other.ended_badly).for_each(|(mine, other)| *mine += other);
    }

    /// Trials in a cell.
    pub fn count(&self, column: usize, row: usize) -> u64 {
        self.counts[row * self.columns + column]
    }

    /// Whether a trial from a cell did not end as it should.
    pub fn has_bad_end(&self, column: usize, row: usize) -> bool {
        self.ended_badly[row * self.columns + column] > 0
    }

    /// The most trials in a cell.
    pub fn greatest(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}
