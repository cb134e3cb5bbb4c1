//! Two quantities along one axis.

use super::histogram::bars;
use super::{HEIGHT, WIDTH};
use crate::model::Profile;
use crate::report::curve::histogram;
use crate::report::plot::{Axis, Plot};
use crate::shown::number;
use crate::study::statistics::Accumulator;
use crate::study::{Criterion, Study};

/// The values of both over the whole field behind them, with its end and the criteria's limits on the second; `None` where
/// a quantity has no values.
pub fn profile(study: &Study, profile: &Profile, sums: &[Accumulator]) -> Option<String> {
    let Profile { first: (first, first_words), second: (second, second_words), field, unit, .. } = *profile;
    let (firsts, seconds) = (histogram(&sums[first], false)?, histogram(&sums[second], false)?);
    let limit = |criterion: &Criterion| criterion.event.limit().filter(|_| criterion.event.quantity() == Some(second));
    let limits: Vec<(&str, f64)> =
        study.criteria.iter().filter_map(|criterion| Some((criterion.name.as_str(), limit(criterion)?))).collect();
    let (first_bars, second_bars) = (bars(&firsts), bars(&seconds));
    let ends = field.into_iter().flat_map(|(from, to)| [from, to]);
    let places: Vec<f64> = first_bars
        .iter()
        .chain(&second_bars)
        .flat_map(|bar| [bar.0, bar.1])
        .chain(ends.clone())
        .chain(limits.iter().map(|limit| limit.1))
        .collect();
    let (least, greatest) = (
        places.iter().copied().fold(f64::INFINITY, f64::min),
        places.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let most = firsts.counts.iter().chain(&seconds.counts).copied().max()? as f64;
    let x = Axis::linear(least, greatest, profile.axis);
    let mut plot = Plot::new(x, Axis::linear(0.0, most, study.nouns().many), WIDTH, HEIGHT);
    if let Some((from, to)) = field {
        plot.boxes("runway", &[(from, to, 0.0, f64::MAX)]);
    }
    plot.boxes("bars", &first_bars);
    plot.boxes("bars second", &second_bars);
    if let Some((_, end)) = field {
        plot.note(end, &format!("end, {} {unit}", number(end)));
    }
    for (name, limit) in limits {
        plot.line("limit", &[(limit, 0.0), (limit, f64::MAX)]);
        plot.note(limit, name);
    }
    let middle = |quantity: usize| sums[quantity].quantile(0.5).map_or_else(String::new, number);
    let description = format!(
        "Half of the {first_words} lie before {} {unit}, half of the {second_words} before {} {unit}.",
        middle(first),
        middle(second)
    );
    Some(plot.finish(&profile.title, &description))
}
