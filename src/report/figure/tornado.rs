//! Tornado diagram: how far each input alone moves a quantity.

use super::WIDTH;
use crate::report::plot::{Axis, Path, escaped, label, svg};
use crate::shown::Shown;
use crate::study::sensitivity::{CriterionSensitivity, InputSensitivity};

/// Height of an input's row.
const ROW: f64 = 22.0;
/// Room left of the bars, for the inputs' names.
const LEFT: f64 = 170.0;
/// Room right of the bars, for half a number of the axis.
const RIGHT: f64 = 24.0;

/// The inputs from the one that moves the quantity most to the one that moves it least, with the criterion's limit; `None`
/// for a criterion on a class, and where the trial with every input at its median lacks the quantity.
pub fn tornado(criterion: &CriterionSensitivity) -> Option<String> {
    let (median, name) = (criterion.median?, criterion.quantity.as_ref()?);
    let ends = |input: &InputSensitivity| input.swings.map(|swing| swing.quantity);
    let reach = |input: &InputSensitivity| {
        let values = ends(input).into_iter().flatten().chain([median]);
        let (least, greatest) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| {
            (least.min(value), greatest.max(value))
        });
        greatest - least
    };
    let mut inputs: Vec<&InputSensitivity> = criterion.inputs.iter().collect();
    inputs.sort_by(|a, b| reach(b).total_cmp(&reach(a)));
    let values = || inputs.iter().flat_map(|input| ends(input)).flatten().chain([median]).chain(criterion.limit);
    let axis = Axis::of_unit(
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
        name,
        criterion.unit.as_deref().unwrap_or_default(),
    );
    let place = |value: f64| axis.position(value) * WIDTH;
    let height = ROW * inputs.len() as f64;
    let mut grid = Path::default();
    let mut contents = String::new();
    for tick in axis.ticks(8) {
        grid.vertical(place(tick.value), 0.0, height);
        contents.push_str(&label("tick", place(tick.value), height + 16.0, &tick.text));
    }
    contents.push_str(&label("axis", 0.5 * WIDTH, height + 34.0, axis.label()));
    contents = grid.element("grid") + &contents;
    let unit = criterion.unit.as_deref().unwrap_or_default();
    for (index, input) in inputs.iter().enumerate() {
        let top = ROW * index as f64 + 4.0;
        let mut row = label("tick y", -8.0, top + 11.0, &input.input);
        for (class, value) in ["swing", "swing second"].into_iter().zip(ends(input)) {
            let Some(value) = value else { continue };
            let (from, to) = (place(value.min(median)), place(value.max(median)));
            let mut bar = Path::default();
            bar.rectangle(from, top, to - from, ROW - 8.0);
            row.push_str(&bar.element(class));
        }
        contents.push_str(&format!("<g><title>{}</title>{row}</g>", escaped(&sentence(input, unit))));
    }
    let mut line = |class: &str, value: f64| {
        let mut path = Path::default();
        path.vertical(place(value), 0.0, height);
        contents.push_str(&path.element(class));
    };
    line("median", median);
    if let Some(limit) = criterion.limit {
        line("limit", limit);
    }
    let description = format!(
        "{} with every input at its median. {}",
        Shown::of(unit).with_unit(median),
        inputs.iter().map(|input| sentence(input, unit)).collect::<Vec<_>>().join(" ")
    );
    Some(svg(
        (LEFT + WIDTH + RIGHT, height + 44.0),
        &format!("Tornado of {name}"),
        &description,
        &format!("<g transform=\"translate({LEFT} 4)\">{contents}</g>"),
    ))
}

/// What an input does to a quantity with this SI unit.
fn sentence(input: &InputSensitivity, unit: &str) -> String {
    let value = |quantity: Option<f64>| {
        quantity.map_or_else(|| "nothing".to_owned(), |quantity| Shown::of(unit).with_unit(quantity))
    };
    let [low, high] = input.swings;
    format!(
        "{} at {} gives {}, at {} gives {}.",
        input.input,
        Shown::of(&input.unit).with_unit(low.at),
        value(low.quantity),
        Shown::of(&input.unit).with_unit(high.at),
        value(high.quantity)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sensitivity::{Risk, Swing};

    #[test]
    fn angles_are_told_in_the_degrees_of_the_axis() {
        let swing = |degrees: f64, quantity: f64| Swing {
            at: degrees.to_radians(),
            quantity: Some(quantity.to_radians()),
            happened: false,
        };
        let input = InputSensitivity {
            input: "glide_angle".to_owned(),
            unit: "rad".to_owned(),
            of_quantity: None,
            of_event: None,
            swings: [swing(2.0, 4.0), swing(3.0, 7.0)],
            held: Vec::new(),
        };
        let criterion = CriterionSensitivity {
            name: "steep".to_owned(),
            event: "touchdown_pitch above 10 deg".to_owned(),
            quantity: Some("touchdown_pitch".to_owned()),
            unit: Some("rad".to_owned()),
            limit: Some(10.0_f64.to_radians()),
            median: Some(5.0_f64.to_radians()),
            confidence: 0.95,
            average: Risk { at: None, events: 0, trials: 1, estimate: 0.0, lower: 0.0, upper: 1.0 },
            limit_probability: None,
            limit_verdict: None,
            limit_points: None,
            inputs: vec![input],
        };
        let drawn = tornado(&criterion).unwrap();
        assert!(drawn.contains("5.000 deg with every input at its median. "), "{drawn}");
        let sentence = "glide_angle at 2.000 deg gives 4.000 deg, at 3.000 deg gives 7.000 deg.";
        assert_eq!(drawn.matches(sentence).count(), 2, "{drawn}");
    }
}
