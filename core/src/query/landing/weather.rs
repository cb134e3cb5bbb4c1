//! The air of all landings of a job, beside what their inputs say of it.

use glam::DVec3;

/// What is known of the air.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weather {
    /// The air has the pressure, temperature and density of the standard atmosphere at the runway's elevation, with the
    /// deviations that are inputs; without it the density is an input, at 15 °C.
    pub standard_atmosphere: bool,
    /// Wind over height above the ground \[m\], added to that of the inputs.
    pub profile: Option<WindTable>,
    /// Wind over time since the start \[s\], added likewise.
    pub history: Option<WindTable>,
}

/// A wind over height or time: linear between points, held beyond the first and the last.
#[derive(Clone, Debug, PartialEq)]
pub struct WindTable {
    points: Vec<f64>,
    winds: Vec<DVec3>,
}

impl WindTable {
    /// Most points of a table.
    pub const MAX_POINTS: usize = 65_536;

    /// Of points that increase and a wind for each, world axes \[m/s\]. `None` for other points, for numbers that are not
    /// finite, for none at all or more than [`Self::MAX_POINTS`].
    #[must_use]
    pub fn new(points: Vec<f64>, winds: Vec<DVec3>) -> Option<Self> {
        let is_usable = (1..=Self::MAX_POINTS).contains(&points.len())
            && points.len() == winds.len()
            && points.iter().all(|point| point.is_finite())
            && winds.iter().all(|wind| wind.is_finite())
            && points.windows(2).all(|pair| pair[0] < pair[1]);
        is_usable.then_some(Self { points, winds })
    }

    /// Height \[m\] or time \[s\] of each row.
    #[must_use]
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The wind of each row, world axes \[m/s\].
    #[must_use]
    pub fn winds(&self) -> &[DVec3] {
        &self.winds
    }

    /// The wind at a point, world axes \[m/s\].
    #[must_use]
    pub fn at(&self, point: f64) -> DVec3 {
        let next = self.points.partition_point(|&known| known <= point);
        let Some(&end) = self.points.get(next) else {
            return self.winds[self.winds.len() - 1];
        };
        let Some(last) = next.checked_sub(1) else {
            return self.winds[0];
        };
        let (begin, low, high) = (self.points[last], self.winds[last], self.winds[next]);
        low + (point - begin) / (end - begin) * (high - low)
    }

    /// The largest speed \[m/s\].
    #[must_use]
    pub fn greatest(&self) -> f64 {
        self.winds.iter().map(|wind| wind.length()).fold(0.0, f64::max)
    }

    /// The fastest change of the wind, per height or time.
    #[must_use]
    pub fn steepest(&self) -> f64 {
        let points = self.points.windows(2).map(|pair| pair[1] - pair[0]);
        let winds = self.winds.windows(2).map(|pair| pair[0].distance(pair[1]));
        points.zip(winds).map(|(apart, change)| change / apart).fold(0.0, f64::max)
    }
}
