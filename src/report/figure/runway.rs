//! Where vehicles touch and where they stop, along the runway.

use super::histogram::bars;
use super::{HEIGHT, WIDTH};
use crate::report::curve::histogram;
use crate::report::density::{DISTANCE, quantity_named};
use crate::report::number;
use crate::report::plot::{Axis, Plot};
use crate::study::statistics::Accumulator;
use crate::study::{Criterion, Event, Study};

/// Where the centre of gravity came to rest.
const STOPPING_POINT: &str = "stopping_point";

/// Touchdown and stopping points over the whole runway, with its ends and the criteria's limits; `None` when no landing
/// has a stopping point.
pub fn along_the_runway(study: &Study, sums: &[Accumulator]) -> Option<String> {
    let (touchdown, stop) = (quantity_named(study, DISTANCE)?, quantity_named(study, STOPPING_POINT)?);
    let (touchdowns, stops) = (histogram(&sums[touchdown], false)?, histogram(&sums[stop], false)?);
    let runway = study.job.scene.runway();
    let limit = |criterion: &Criterion| match criterion.event {
        Event::Above { quantity, limit } | Event::Below { quantity, limit } => (quantity == stop).then_some(limit),
        Event::Class(_) => None,
    };
    let limits: Vec<(&str, f64)> =
        study.criteria.iter().filter_map(|criterion| Some((criterion.name.as_str(), limit(criterion)?))).collect();
    let (touchdown_bars, stop_bars) = (bars(&touchdowns), bars(&stops));
    let ends = runway.into_iter().flat_map(|runway| [-runway.displaced_threshold, runway.end()]);
    let places: Vec<f64> = touchdown_bars
        .iter()
        .chain(&stop_bars)
        .flat_map(|bar| [bar.0, bar.1])
        .chain(ends.clone())
        .chain(limits.iter().map(|limit| limit.1))
        .collect();
    let (least, greatest) = (
        places.iter().copied().fold(f64::INFINITY, f64::min),
        places.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let most = touchdowns.counts.iter().chain(&stops.counts).copied().max()? as f64;
    let x = Axis::linear(least, greatest, "along the runway from the landing threshold [m]");
    let mut plot = Plot::new(x, Axis::linear(0.0, most, "landings"), WIDTH, HEIGHT);
    if let Some(runway) = runway {
        plot.boxes("runway", &[(-runway.displaced_threshold, runway.end(), 0.0, f64::MAX)]);
    }
    plot.boxes("bars", &touchdown_bars);
    plot.boxes("bars second", &stop_bars);
    if let Some(runway) = runway {
        plot.note(runway.end(), &format!("end, {} m", number(runway.end())));
    }
    for (name, limit) in limits {
        plot.line("limit", &[(limit, 0.0), (limit, f64::MAX)]);
        plot.note(limit, name);
    }
    let middle = |quantity: usize| sums[quantity].quantile(0.5).map_or_else(String::new, number);
    let description = format!(
        "Half of the touchdown points lie before {} m, half of the stopping points before {} m.",
        middle(touchdown),
        middle(stop)
    );
    Some(plot.finish("Touchdown and stopping points along the runway", &description))
}
