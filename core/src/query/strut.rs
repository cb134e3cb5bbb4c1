//! Struts with a tabulated force over compression.

use std::fmt;

/// Maximum number of rows of a strut's table.
pub const MAX_STRUT_ROWS: usize = 16;
/// Maximum number of line segments between the rows.
pub const MAX_STRUT_LINES: usize = MAX_STRUT_ROWS - 1;

/// Force over compression: linear between the rows of a table, with linear extrapolation beyond its ends.
#[derive(Clone, Copy, PartialEq)]
pub struct Strut {
    lines: [StrutLine; MAX_STRUT_LINES],
    count: usize,
}

/// One of the line segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrutLine {
    /// Compression at its start \[m\].
    pub compression: f64,
    /// Force at its start \[N\], along the wheel's axis, pressing on the ground.
    pub force: f64,
    /// Stiffness \[N/m\].
    pub slope: f64,
}

/// What is wrong with a strut's table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("row {row} of the strut (the first is 0) {why}")]
pub struct StrutError {
    /// The row, or the number of rows if there are too few or too many.
    pub row: usize,
    /// The condition violated.
    pub why: String,
}

impl fmt::Debug for Strut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.lines()).finish()
    }
}

impl Strut {
    /// A strut from rows of compression \[m\] and force \[N\].
    ///
    /// # Errors
    /// Unless there are 2 to [`MAX_STRUT_ROWS`] rows of finite numbers, the first at compression 0 with a force of 0 or
    /// a preload, with increasing compressions and non-decreasing forces.
    pub fn new(rows: &[(f64, f64)]) -> Result<Self, StrutError> {
        let refuse = |row: usize, why: String| Err(StrutError { row, why });
        if !(2..=MAX_STRUT_ROWS).contains(&rows.len()) {
            return refuse(rows.len(), format!("must be one of 2 to {MAX_STRUT_ROWS} rows"));
        }
        let mut before: Option<(f64, f64)> = None;
        for (row, &(compression, force)) in rows.iter().enumerate() {
            if !compression.is_finite() || !force.is_finite() {
                return refuse(row, "must be finite".to_owned());
            }
            match before {
                None if compression != 0.0 => return refuse(row, "must be at compression 0".to_owned()),
                None if force < 0.0 => return refuse(row, "must not have a force below 0 N".to_owned()),
                Some((last, _)) if compression <= last => {
                    return refuse(row, format!("must be above compression {last} m, that of the row before"));
                }
                Some((_, last)) if force < last => {
                    return refuse(row, format!("must not be below {last} N, the force of the row before"));
                }
                None | Some(_) => before = Some((compression, force)),
            }
        }
        let mut lines = [StrutLine { compression: 0.0, force: 0.0, slope: 0.0 }; MAX_STRUT_LINES];
        for (line, pair) in lines.iter_mut().zip(rows.windows(2)) {
            let [(compression, force), (next_compression, next_force)] = [pair[0], pair[1]];
            let slope = (next_force - force) / (next_compression - compression);
            *line = StrutLine { compression, force, slope };
        }
        Ok(Self { lines, count: rows.len() - 1 })
    }

    /// The line segments, by increasing compression.
    #[must_use]
    pub fn lines(&self) -> &[StrutLine] {
        &self.lines[..self.count]
    }

    /// The steepest of them \[N/m\].
    #[must_use]
    pub fn greatest_slope(&self) -> f64 {
        self.lines().iter().map(|line| line.slope).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_no_strut_has_are_refused() {
        let many: Vec<_> = (0..=MAX_STRUT_ROWS).map(|row| (row as f64, row as f64)).collect();
        for (rows, row, why) in [
            (&[][..], 0, "one of 2 to 16 rows"),
            (&[(0.0, 0.0)], 1, "one of 2 to 16 rows"),
            (&many, 17, "one of 2 to 16 rows"),
            (&[(0.1, 0.0), (0.2, 1.0)], 0, "at compression 0"),
            (&[(0.0, -1.0), (0.2, 1.0)], 0, "below 0 N"),
            (&[(0.0, 0.0), (0.2, 1.0), (0.2, 2.0)], 2, "above compression 0.2 m"),
            (&[(0.0, 5.0), (0.2, 4.0)], 1, "below 5 N"),
            (&[(0.0, 0.0), (f64::NAN, 4.0)], 1, "finite"),
        ] {
            let refusal = Strut::new(rows).unwrap_err();
            assert!(refusal.row == row && refusal.to_string().contains(why), "{rows:?}: {refusal}");
        }
        assert_eq!(Strut::new(&many[..MAX_STRUT_ROWS]).unwrap().lines().len(), MAX_STRUT_LINES);
    }

    #[test]
    fn lines_join_the_rows() {
        let strut = Strut::new(&[(0.0, 500.0), (0.1, 600.0), (0.15, 1600.0), (0.5, 1600.0)]).unwrap();
        let slopes: Vec<_> = strut.lines().iter().map(|line| line.slope).collect();
        assert!((slopes[0] - 1e3).abs() < 1e-9 && (slopes[1] - 2e4).abs() < 1e-9 && slopes[2] == 0.0);
        assert_eq!(strut.greatest_slope(), slopes[1]);
    }
}
