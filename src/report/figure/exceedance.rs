//! Exceedance curves of a quantity.

use super::{HEIGHT, WIDTH, probability_axis};
use crate::model::Quantity;
use crate::report::curve::{CurvePoint, Tail};
use crate::report::plot::{Axis, Plot};
use crate::shown::{Shown, number};
use crate::study::statistics::Accumulator;
use crate::study::{Criterion, Event, TailSummary};

/// Straight pieces of a fitted tail.
const TAIL_PIECES: u32 = 48;
/// Room on the far side of a limit, as a share of the values' range.
const LIMIT_ROOM: f64 = 0.05;

/// What an exceedance figure shows.
pub struct Exceedance<'a> {
    /// What the vertical axis is called.
    pub share: &'a str,
    /// The share of trials with values beyond each value, of the tails that are shown, the first point of each at minus
    /// infinity.
    pub curves: Vec<(Tail, Vec<CurvePoint>)>,
    /// The vertical axis reaches down to it.
    pub least: f64,
    /// Criteria whose limits are shown.
    pub criteria: &'a [&'a Criterion],
    /// Fitted tails, which go as far as they stand.
    pub fits: &'a [(Tail, &'a TailSummary)],
    /// Share of trials beyond every limit.
    pub always: f64,
}

/// The share of trials with values beyond each value, with bounds, and the limits of the criteria: a curve that passes below
/// a limit's lower end keeps to it.
pub fn exceedance(quantity: &Quantity, sums: &Accumulator, shown: Exceedance<'_>) -> Option<String> {
    let Exceedance { share, curves, least, criteria, fits, always } = shown;
    let (minimum, maximum) = (sums.minimum()?, sums.maximum()?);
    let limits: Vec<(&Criterion, Tail, f64)> = criteria.iter().filter_map(|criterion| limit(criterion)).collect();
    // A limit beyond all values still shows which side of it is meant.
    let room = |tail: Tail| if tail == Tail::Above { LIMIT_ROOM } else { -LIMIT_ROOM } * (maximum - minimum);
    let beyond_limits = limits.iter().map(|&(_, tail, limit)| limit + room(tail));
    let all = || [minimum, maximum].into_iter().chain(beyond_limits.clone());
    let shown = Shown::of(quantity.unit.symbol());
    let x = Axis::of_unit(
        all().fold(f64::INFINITY, f64::min),
        all().fold(f64::NEG_INFINITY, f64::max),
        &quantity.name,
        quantity.unit.symbol(),
    );
    let allowed = limits.iter().map(|(criterion, ..)| 0.5 * criterion.probability);
    let y = probability_axis(allowed.chain([least, 1.0]), share);
    let (from, to) = x.ends();
    let top = y.ends().1;
    let mut plot = Plot::new(x, y, WIDTH, HEIGHT);
    for (tail, mut points) in curves {
        if let Some(first) = points.first_mut() {
            first.value = from;
        }
        points.extend(points.last().copied().map(|last| CurvePoint { value: to, ..last }));
        let band: Vec<_> = points.iter().map(|point| (point.value, point.lower, point.upper)).collect();
        let line: Vec<_> = points.iter().map(|point| (point.value, point.estimate)).collect();
        let class = if tail == Tail::Above { "" } else { " second" };
        plot.step_band(&format!("band{class}"), &band);
        plot.steps(&format!("line{class}"), &line);
    }
    for &(tail, fit) in fits {
        let Some(reach) = fit.reach() else { continue };
        let reach = if tail == Tail::Above { reach } else { -reach };
        let place = |index: u32| fit.threshold + reach * f64::from(index) / f64::from(TAIL_PIECES);
        let point = |value: f64| (value, always + fit.probability_beyond((value - fit.threshold).abs()));
        plot.line("tail", &(0..=TAIL_PIECES).map(|index| point(place(index))).collect::<Vec<_>>());
    }
    for (criterion, tail, limit) in &limits {
        let outside = if *tail == Tail::Above { to } else { from };
        plot.line("limit", &[(*limit, top), (*limit, criterion.probability), (outside, criterion.probability)]);
        plot.note(*limit, &format!("{}: at most {}", criterion.name, number(criterion.probability)));
    }
    let description = format!(
        "{} values, from {} to {} {}.{}",
        sums.count(),
        shown.number(minimum),
        shown.number(maximum),
        shown.symbol,
        limits
            .iter()
            .map(|(criterion, ..)| format!(" Limit of {}: {}.", criterion.name, criterion.description))
            .collect::<String>()
    );
    Some(plot.finish(&format!("Exceedance of {}", quantity.name), &description))
}

fn limit<'a>(criterion: &&'a Criterion) -> Option<(&'a Criterion, Tail, f64)> {
    match criterion.event {
        Event::Above { limit, .. } => Some((criterion, Tail::Above, limit)),
        Event::Below { limit, .. } => Some((criterion, Tail::Below, limit)),
        Event::Class(_) | Event::AnyOf(_) | Event::AllOf(_) => None,
    }
}

/// The tails of a quantity that matter: both when it takes both signs, and when a criterion limits it from below.
pub fn tails(sums: &Accumulator, criteria: &[&Criterion]) -> &'static [Tail] {
    let is_below = |criterion: &&Criterion| matches!(criterion.event, Event::Below { .. });
    let both = sums.minimum().is_some_and(|minimum| minimum < 0.0) || criteria.iter().any(is_below);
    if both { &[Tail::Above, Tail::Below] } else { &[Tail::Above] }
}
