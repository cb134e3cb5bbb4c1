//! Force of a strut over compression.

use crate::query::Strut;

/// Straight lines between rows of compression \[m\] and force \[N\]; the last one goes on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spring {
    rows: Vec<(f64, f64)>,
}

/// What a spring does at a compression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    /// \[N\].
    pub force: f64,
    /// Of the force \[N/m\].
    pub slope: f64,
    /// Stored \[J\].
    pub energy: f64,
}

impl Spring {
    /// A stiffness \[N/m\], positive.
    pub fn linear(stiffness: f64) -> Self {
        Self { rows: vec![(0.0, 0.0), (1.0, stiffness)] }
    }

    /// Rows as the table of a vehicle file may have them, which end on a line that rises; else why not.
    pub fn table(rows: Vec<(f64, f64)>) -> Result<Self, String> {
        let strut = Strut::new(&rows).map_err(|error| error.to_string())?;
        if strut.lines().last().is_none_or(|line| line.slope <= 0.0) {
            return Err("the force of the last row must be above that of the row before".to_owned());
        }
        Ok(Self { rows })
    }

    /// The stiffness of one that is a single line from the origin \[N/m\].
    pub fn stiffness(&self) -> Option<f64> {
        match self.rows[..] {
            [(_, 0.0), (compression, force)] => Some(force / compression),
            _ => None,
        }
    }

    pub fn rows(&self) -> &[(f64, f64)] {
        &self.rows
    }

    /// \[N/m\].
    pub fn greatest_slope(&self) -> f64 {
        self.lines().map(|(_, slope)| slope).fold(0.0, f64::max)
    }

    /// Starts of the lines, with their slopes \[N/m\].
    fn lines(&self) -> impl Iterator<Item = ((f64, f64), f64)> {
        self.rows.windows(2).map(|pair| (pair[0], (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0)))
    }

    /// At a compression that is not negative.
    pub fn at(&self, compression: f64) -> Pressed {
        self.lines()
            .zip(self.rows.iter().skip(1).map(|row| row.0))
            .enumerate()
            .scan(0.0, |stored, (index, (((start, force), slope), end))| {
                let last = index + 2 == self.rows.len();
                let way = (if last { compression } else { compression.min(end) }) - start;
                let energy = *stored + way * (force + 0.5 * slope * way);
                *stored = energy;
                Some((start, Pressed { force: force + slope * way, slope, energy }))
            })
            .take_while(|(start, _)| *start <= compression)
            .last()
            .map_or(Pressed { force: 0.0, slope: 0.0, energy: 0.0 }, |(_, pressed)| pressed)
    }

    /// The compression at which a leaning strut, which with its tyre also gives way across itself, is as deep in the ground
    /// as asked \[m\]: `share u + compliance F(u) = depth` with both factors positive, the depth not negative.
    pub fn compression_at(&self, depth: f64, share: f64, compliance: f64) -> f64 {
        let found =
            self.lines().zip(self.rows.iter().skip(1)).find_map(|(((start, force), slope), (end, end_force))| {
                let last = *end == self.rows[self.rows.len() - 1].0;
                let within = last || depth <= share * end + compliance * end_force;
                within.then(|| start + (depth - share * start - compliance * force) / (share + compliance * slope))
            });
        found.unwrap_or(0.0).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_followed_line_by_line_and_beyond_its_end() {
        let spring = Spring::table(vec![(0.0, 0.0), (0.1, 200.0), (0.2, 1000.0)]).unwrap();
        for (compression, force, slope, energy) in
            [(0.05, 100.0, 2e3, 2.5), (0.15, 600.0, 8e3, 10.0 + 0.05 * 400.0), (0.3, 1800.0, 8e3, 10.0 + 0.2 * 1000.0)]
        {
            let found = spring.at(compression);
            assert!((found.force - force).abs() < 1e-9 && (found.slope - slope).abs() < 1e-9, "{found:?}");
            assert!((found.energy - energy).abs() < 1e-9, "{found:?}");
            let depth = 0.9 * compression + 1e-5 * force;
            assert!((spring.compression_at(depth, 0.9, 1e-5) - compression).abs() < 1e-12);
        }
        assert_eq!((spring.stiffness(), spring.greatest_slope()), (None, 8e3));
        assert_eq!(Spring::linear(5e3).stiffness(), Some(5e3));
        assert!(Spring::table(vec![(0.0, 0.0), (0.1, 200.0), (0.2, 200.0)]).is_err());
    }
}
