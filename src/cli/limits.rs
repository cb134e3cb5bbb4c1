//! The cost of limit risks, in words.

use touchdown::study::sensitivity::{POINTS, limits, trials};
use touchdown::study::{Criterion, Study};

use super::text::{Shown, number};

/// Base points above which other methods are cheaper: some million trials, where a hundredth of them would do.
const MANY_POINTS: u64 = 100_000;

/// The values at which inputs are held, if a criterion has a limit risk; empty otherwise.
pub fn held_lines(study: &Study) -> String {
    if study.criteria.iter().all(|criterion| criterion.limit_probability.is_none()) {
        return String::new();
    }
    let mut text = "limit risks (`study sensitivity`) hold one input at a time:\n".to_owned();
    for sampled in study.inputs.iter().filter(|sampled| !sampled.distribution.is_constant()) {
        let shown = Shown::of(sampled.input.unit.symbol());
        let values: Vec<String> = limits(sampled).into_iter().map(|value| shown.number(value)).collect();
        let unit = Some(shown.symbol).filter(|unit| *unit != "1").unwrap_or_default();
        let why = match (&sampled.limit, sampled.distribution.values()) {
            (Some(_), _) => "its limit",
            (None, Some(_)) => "its values",
            (None, None) => "its 1 % and 99 % quantiles",
        };
        let values = format!("{} {unit}", values.join(", "));
        text.push_str(&format!("  {:<28} at {} ({why})\n", sampled.input.name, values.trim_end()));
    }
    text + "\n"
}

/// The base points that a criterion's limit risk takes, and what to do if they are many; `None` without a limit risk.
pub fn points_line(study: &Study, criterion: &Criterion) -> Option<String> {
    let (allowed, needed) = (criterion.limit_probability?, criterion.limit_points()?);
    let mut text = format!(
        "limit risk of {} at most {}: without any event it takes {needed} base points",
        criterion.name,
        number(allowed)
    );
    if needed <= *POINTS.end() {
        let samples = needed.max(*POINTS.start());
        text.push_str(&format!(
            ", {} {} (`study sensitivity --samples {samples}`)",
            trials(study, samples),
            study.nouns().many
        ));
    }
    if needed > MANY_POINTS {
        text.push_str(
            "; fewer do in a study of its own for each limit, with the input held there (distribution = \"constant\") \
             and [sampling] method = \"subset\" or \"importance\"",
        );
    }
    Some(text)
}
