//! All criteria side by side: the interval of each probability, and what is allowed.

use super::{WIDTH, probability_axis};
use crate::report::plot::{Path, escaped, label, svg};
use crate::shown::number;
use crate::study::CriterionSummary;

/// Height of a criterion's row.
const ROW: f64 = 38.0;
/// Room left and right, for half a number of the axis.
const SIDE: f64 = 24.0;
/// Most characters of a name.
const MAX_NAME: usize = 70;

/// The interval of each criterion on one logarithmic axis.
pub fn intervals(criteria: &[CriterionSummary]) -> String {
    let probabilities = criteria.iter().flat_map(|criterion| {
        let bounds = [criterion.lower, criterion.upper].into_iter().filter(|_| criterion.is_trusted);
        bounds.chain([criterion.estimate, criterion.probability])
    });
    let axis = probability_axis(probabilities.map(|probability| probability * 0.7), "probability");
    let height = ROW * criteria.len() as f64;
    let place = |probability: f64| axis.position(probability) * WIDTH;
    let mut contents = String::new();
    let mut grid = Path::default();
    for tick in axis.ticks(8) {
        grid.vertical(place(tick.value), 0.0, height);
        contents.push_str(&label("tick", place(tick.value), height + 16.0, &tick.text));
    }
    contents.push_str(&label("axis", 0.5 * WIDTH, height + 34.0, axis.label()));
    contents = grid.element("grid") + &contents;
    for (index, criterion) in criteria.iter().enumerate() {
        let top = ROW * index as f64;
        let middle = top + 26.0;
        let (from, to) = (place(criterion.lower), place(criterion.upper));
        let mut interval = Path::default();
        if criterion.is_trusted {
            interval.rectangle(from, middle - 4.0, (to - from).max(1.0), 8.0);
            // Ends that stand out beyond the diamond, however narrow the interval is.
            interval.rectangle(from - 1.0, middle - 9.0, 2.0, 18.0);
            interval.rectangle(to - 1.0, middle - 9.0, 2.0, 18.0);
        }
        let mut limit = Path::default();
        limit.vertical(place(criterion.probability), middle - 10.0, middle + 10.0);
        let mut estimate = Path::default();
        if criterion.estimate > 0.0 {
            estimate.diamond((place(criterion.estimate), middle), 5.0);
        }
        let name: String = criterion.name.chars().take(MAX_NAME).collect();
        let row = format!(
            "<g><title>{}</title>{}{}{}{}</g>",
            escaped(&sentence(criterion)),
            label("row", 2.0, top + 14.0, &name),
            interval.element(&format!("interval {}", criterion.verdict)),
            limit.element("limit"),
            estimate.element("estimate"),
        );
        contents.push_str(&row);
    }
    let description = criteria.iter().map(sentence).collect::<Vec<_>>().join(" ");
    let size = (WIDTH + 2.0 * SIDE, height + 44.0);
    svg(size, "Criteria", &description, &format!("<g transform=\"translate({SIDE} 4)\">{contents}</g>"))
}

fn sentence(criterion: &CriterionSummary) -> String {
    format!(
        "{} is {}: probability {}, allowed {}.",
        criterion.name,
        criterion.verdict,
        if criterion.is_trusted {
            format!("between {} and {}", number(criterion.lower), number(criterion.upper))
        } else {
            format!("about {}, without bounds that can be trusted", number(criterion.estimate))
        },
        number(criterion.probability)
    )
}
