//! Levels of subset simulation towards an event.

use super::{HEIGHT, WIDTH, probability_axis};
use crate::report::plot::{Axis, Plot};
use crate::shown::number;
use crate::study::subset::SubsetSummary;
use crate::study::{Criterion, CriterionSummary, Event, Study};

/// Room beyond the limit, as a share of the thresholds' range.
const LIMIT_ROOM: f64 = 0.05;

/// The probability of passing each level's threshold, and the limit.
pub fn descent(study: &Study, criterion: &Criterion, reached: &CriterionSummary, subset: &SubsetSummary) -> String {
    // Events without levels are refused where the study is read.
    let (Some(quantity), Some(limit)) = (criterion.event.quantity(), criterion.event.limit()) else {
        return String::new();
    };
    let quantity = &study.quantities()[quantity];
    // Of a level that only some replicates came to, the mean says nothing of the others.
    let of_all = subset.levels.iter().filter(|level| level.replicates == subset.estimates.len() as u64);
    let levels = of_all.filter_map(|level| Some((level.threshold?, level.probability)));
    let mut points: Vec<(f64, f64)> = levels.filter(|&(_, probability)| probability > 0.0).collect();
    points.extend((reached.estimate > 0.0).then_some((limit, reached.estimate)));
    let ends = points.iter().map(|point| point.0).chain([limit]);
    let (least, greatest) = (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max));
    let room = LIMIT_ROOM * (greatest - least);
    let x = Axis::of_unit(least - room, greatest + room, &quantity.name, quantity.unit.symbol());
    let probabilities = points.iter().map(|point| point.1);
    let y = probability_axis(probabilities.chain([0.5 * criterion.probability, reached.lower, 1.0]), "probability");
    let outside = if matches!(criterion.event, Event::Above { .. }) { x.ends().1 } else { x.ends().0 };
    let top = y.ends().1;
    let mut plot = Plot::new(x, y, WIDTH, HEIGHT);
    plot.line("line", &points);
    plot.marks("estimate", &points);
    plot.line("limit", &[(limit, top), (limit, criterion.probability), (outside, criterion.probability)]);
    plot.note(limit, &format!("{}: at most {}", criterion.name, number(criterion.probability)));
    let description = format!(
        "{} levels down to {}; estimate {}, from {} to {}.",
        subset.levels.len(),
        criterion.description,
        number(reached.estimate),
        number(reached.lower),
        number(reached.upper)
    );
    plot.finish(&format!("Levels of {}", criterion.name), &description)
}
