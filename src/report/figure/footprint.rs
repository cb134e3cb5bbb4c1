//! Footprint: the density of points, the field they should be in and the criteria's limits.

use super::WIDTH;
use crate::model::Field;
use crate::report::density::{Density, limits_across, limits_along};
use crate::report::plot::Plot;
use crate::report::text::capitalised;
use crate::study::Study;

/// Shades of density.
pub const LEVELS: u64 = 6;
/// Height of the frame \[px\].
const HEIGHT: f64 = 300.0;

/// The density of points. Shades rise in equal steps of the logarithm of the trials in a cell.
pub fn footprint(study: &Study, density: &Density) -> String {
    let mut plot = Plot::new(density.x.clone(), density.y.clone(), WIDTH, HEIGHT);
    let footprint = &density.footprint;
    if let Some(Field { along, across }) = footprint.field {
        let middle = 0.5 * (across.0 + across.1);
        plot.boxes("runway", &[(along.0, along.1, across.0, across.1)]);
        plot.line("centreline", &[(along.0, middle), (along.1, middle)]);
    }
    for level in 1..=LEVELS {
        plot.boxes(&format!("density d{level}"), &runs_of(density, level));
    }
    plot.marks("bad", &bad_ends(density));
    for limit in limits_along(study, footprint) {
        plot.line("limit", &[(limit, -f64::MAX), (limit, f64::MAX)]);
    }
    for limit in limits_across(study, footprint) {
        plot.line("limit", &[(-f64::MAX, limit), (f64::MAX, limit)]);
    }
    let (least, greatest) = density.x.ends();
    let unit = study.quantities()[footprint.along.0].unit.symbol();
    let description = format!(
        "{} between {least} {unit} and {greatest} {unit} from {}; at most {} {} in one of {} cells.",
        capitalised(footprint.points),
        footprint.origin,
        density.greatest(),
        study.nouns().many,
        density.columns * density.rows
    );
    plot.finish(&footprint.drawing, &description)
}

/// 1 for one trial, the last level for the greatest count.
fn level_of(count: u64, greatest: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    let share = if greatest > 1 { (count as f64).ln() / (greatest as f64).ln() } else { 1.0 };
    1 + ((LEVELS as f64 * share) as u64).min(LEVELS - 1)
}

/// The cells of a level, those beside each other as one: (from, to, bottom, top).
fn runs_of(density: &Density, level: u64) -> Vec<(f64, f64, f64, f64)> {
    let greatest = density.greatest();
    let (x, y) = (edges(density.x.ends(), density.columns), edges(density.y.ends(), density.rows));
    let mut runs = Vec::new();
    for row in 0..density.rows {
        let mut column = 0;
        while column < density.columns {
            let start = column;
            while column < density.columns && level_of(density.count(column, row), greatest) == level {
                column += 1;
            }
            if column > start {
                runs.push((x[start], x[column], y[row], y[row + 1]));
            }
            column += 1;
        }
    }
    runs
}

/// The middles of the cells with a trial that ended badly.
fn bad_ends(density: &Density) -> Vec<(f64, f64)> {
    let (x, y) = (edges(density.x.ends(), density.columns), edges(density.y.ends(), density.rows));
    let cells = (0..density.rows).flat_map(|row| (0..density.columns).map(move |column| (column, row)));
    cells
        .filter(|&(column, row)| density.has_bad_end(column, row))
        .map(|(column, row)| (0.5 * (x[column] + x[column + 1]), 0.5 * (y[row] + y[row + 1])))
        .collect()
}

fn edges((from, to): (f64, f64), cells: usize) -> Vec<f64> {
    (0..=cells).map(|index| from + (to - from) * index as f64 / cells as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_from_one_trial_to_the_most() {
        assert_eq!([0, 1, 2, 50, 1000].map(|count| level_of(count, 1000)), [0, 1, 1, 4, LEVELS]);
        assert_eq!(level_of(1, 1), LEVELS);
    }
}
