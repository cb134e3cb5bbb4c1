//! Differences between two studies, in brief.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::sampling::{Importance, Method, Shift, Shifts};
use super::subset::Settings;
use super::{SampledInput, Stopping, Study, Tolerance};

/// Maximum number of changed lines shown per file.
const MAX_LINES: usize = 8;

impl Study {
    /// What differs in another study, one line per difference: settings, inputs, criteria, then files with the lines that only
    /// one of them has. Empty where only comments do.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let (first, second) = (self, other);
        let mut lines = Vec::new();
        let mut differ = |what: &str, values: [&dyn Display; 2]| {
            let [a, b] = values.map(ToString::to_string);
            if a != b {
                lines.push(format!("{what}: {a} -> {b}"));
            }
        };
        differ("name", [&first.name, &second.name]);
        let many = [first.nouns().many, second.nouns().many];
        differ("model", many.each_ref().map(|many| many as &dyn Display));
        differ(many[1], [&first.trials, &second.trials]);
        differ("seed", [&first.seed, &second.seed]);
        differ("part_size", [&first.part_size, &second.part_size]);
        differ("invalid_allowance", [&first.invalid_allowance, &second.invalid_allowance]);
        differ("sampling", [&first.method.name(), &second.method.name()]);
        differ("tolerance", [&tolerances(first), &tolerances(second)]);
        lines.extend(settings(&first.model.settings(), &second.model.settings()));
        if first.method.name() == second.method.name() {
            lines.extend(named("sampling", sampling(first), &sampling(second)));
        }
        lines.extend(named("stopping", stopping(first), &stopping(second)));
        lines.extend(named("inputs", inputs(first), &inputs(second)));
        if first.copula != second.copula {
            lines.push("correlations".to_owned());
        }
        lines.extend(named("criteria", criteria(first), &criteria(second)));
        lines.extend(files(first, second));
        if lines.is_empty() && first.hash() != second.hash() {
            lines.push(
                "the text of the study, such as a comment, line ends or a grid; or its table of inputs".to_owned(),
            );
        }
        lines
    }
}

/// Settings of models that were added, removed or changed.
fn settings(first: &[(&'static str, String)], second: &[(&'static str, String)]) -> Vec<String> {
    let value = |settings: &[(&'static str, String)], key: &str| {
        settings.iter().find(|(own, _)| *own == key).map_or_else(|| "none".to_owned(), |(_, value)| value.clone())
    };
    let only_in_first = first.iter().filter(|(key, _)| second.iter().all(|(own, _)| own != key));
    let both = second.iter().chain(only_in_first).map(|&(key, _)| (key, value(first, key), value(second, key)));
    both.filter(|(_, a, b)| a != b).map(|(key, a, b)| format!("{key}: {a} -> {b}")).collect()
}

fn inputs(study: &Study) -> BTreeMap<String, String> {
    // Samples and choices display the number of their values, not the values.
    let said = |sampled: &SampledInput| match &sampled.limit {
        None => sampled.distribution.to_string(),
        Some(limit) => format!("{}, limit {limit:?}", sampled.distribution),
    };
    study.inputs.iter().map(|sampled| (sampled.input.name.to_owned(), said(sampled))).collect()
}

fn tolerances(study: &Study) -> String {
    let said = |asked: &Tolerance| format!("{} at {}", asked.content, asked.confidence);
    let all: Vec<String> = study.tolerance.iter().map(said).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// The settings of `[stopping]`, by key.
fn stopping(study: &Study) -> BTreeMap<String, String> {
    let Some(Stopping { wall_time, interval, decided }) = study.stopping else {
        return BTreeMap::new();
    };
    let wall_time = wall_time.map(|seconds| ("wall_time", format!("{seconds} s")));
    let interval = interval.map(|width| ("interval", width.to_string()));
    let all = [wall_time, interval, Some(("decided", decided.to_string()))];
    all.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The settings of the sampling method, by key.
fn sampling(study: &Study) -> BTreeMap<String, String> {
    let own = |key: &str, value: &dyn Display| (key.to_owned(), value.to_string());
    match &study.method {
        Method::Plain | Method::Table(_) => BTreeMap::new(),
        Method::LatinHypercube(hypercubes) => [own("replicates", &hypercubes.replicates)].into(),
        Method::Sobol(nets) => [own("replicates", &nets.replicates())].into(),
        Method::Subset(Settings { samples, chain_length, replicates, smallest }) => [
            own("samples", samples),
            own("chain_length", chain_length),
            own("replicates", replicates),
            own("smallest", smallest),
        ]
        .into(),
        Method::Importance(Importance { unshifted, places }) => {
            let places: Vec<String> = places.iter().map(|place| place_in_words(study, place)).collect();
            [own("unshifted", unshifted), own("shift", &places.join("; "))].into()
        }
    }
}

/// The inputs that a place shifts, in their standard deviations.
fn place_in_words(study: &Study, place: &Shifts) -> String {
    let inputs = study.inputs.iter().map(|sampled| sampled.input.name);
    let shifts = inputs.zip(place).filter_map(|(name, moved)| Some((name, (*moved)?)));
    let said = shifts.map(|(name, Shift { shift, spread })| format!("{name} by {shift} with spread {spread}"));
    said.collect::<Vec<_>>().join(", ")
}

fn criteria(study: &Study) -> BTreeMap<String, String> {
    let said = |criterion: &crate::study::Criterion| {
        format!("{}, probability {}, confidence {}", criterion.description, criterion.probability, criterion.confidence)
    };
    study.criteria.iter().map(|criterion| (criterion.name.clone(), said(criterion))).collect()
}

/// Entries that were added, removed or changed.
fn named(table: &str, mut first: BTreeMap<String, String>, second: &BTreeMap<String, String>) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, now) in second {
        match first.remove(name) {
            None => lines.push(format!("{table}.{name}: none -> {now}")),
            Some(before) if before != *now => lines.push(format!("{table}.{name}: {before} -> {now}")),
            Some(_) => {}
        }
    }
    lines.extend(first.into_iter().map(|(name, before)| format!("{table}.{name}: {before} -> none")));
    lines
}

/// Files named by the studies, with the lines only one side has; the study files themselves are covered by the lines
/// above.
fn files(first: &Study, second: &Study) -> Vec<String> {
    let mut lines = Vec::new();
    let (before, now) = (first.sources.files(), second.sources.files());
    for (name, contents) in &now {
        match before.get(name) {
            None => lines.push(format!("{name}: only in the second")),
            Some(other) if other != contents => {
                lines.push(format!("{name}: changed"));
                lines.extend(changed_lines(other, contents));
            }
            Some(_) => {}
        }
    }
    lines
        .extend(before.keys().filter(|name| !now.contains_key(*name)).map(|name| format!("{name}: only in the first")));
    lines
}

/// The lines that only one of two files has; empty for files that are not text.
fn changed_lines(before: &[u8], now: &[u8]) -> Vec<String> {
    let (Ok(before), Ok(now)) = (std::str::from_utf8(before), std::str::from_utf8(now)) else {
        return Vec::new();
    };
    let only = |sign: char, of: &str, other: &str| -> Vec<String> {
        let known: std::collections::HashSet<&str> = other.lines().map(str::trim).collect();
        let lines = of.lines().map(str::trim).filter(|line| !line.is_empty() && !known.contains(line));
        lines.map(|line| format!("  {sign} {line}")).collect()
    };
    let mut lines = only('-', before, now);
    lines.extend(only('+', now, before));
    let left_out = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if left_out > 0 {
        lines.push(format!("  and {left_out} more lines"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The study of a tricycle with another text at the first place that reads so.
    fn tricycle(place: &str, text: &str) -> Study {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(place), "{place}");
        Study::parse(&path, &whole.replacen(place, text, 1)).unwrap()
    }

    #[test]
    fn what_changes_how_trials_are_drawn_stopped_and_judged_is_said() {
        let sampled = |method: &str| format!("= 0.001\n\n[sampling]\nmethod = {method}\n");
        let importance = |settings: &str| sampled(&format!("\"importance\"\n{settings}"));
        let plain = str::to_owned;
        let cases = [
            ("seed = 7", plain("seed = 7\ninvalid_allowance = 3"), plain("seed = 7"), "invalid_allowance: 3 -> 0"),
            ("part_size = 100", plain("part_size = 100"), plain("part_size = 50"), "part_size: 100 -> 50"),
            (
                "= 0.001",
                sampled("\"latin_hypercube\"\nreplicates = 10"),
                sampled("\"latin_hypercube\"\nreplicates = 20"),
                "sampling.replicates: 10 -> 20",
            ),
            (
                "= 0.001",
                importance("unshifted = 0.2\nshift = { sink_rate = 1 }"),
                importance("unshifted = 0.3\nshift = { sink_rate = 1 }"),
                "sampling.unshifted: 0.2 -> 0.3",
            ),
            (
                "= 0.001",
                importance("shift = { sink_rate = 1 }"),
                importance("shift = { sink_rate = 1.5 }"),
                "sampling.shift: sink_rate by 1 with spread 1 -> sink_rate by 1.5 with spread 1",
            ),
            (
                "= 0.001",
                plain("= 0.001"),
                plain("= 0.001\n\n[stopping]\ndecided = true"),
                "stopping.decided: none -> true",
            ),
            (
                "seed = 7",
                plain("seed = 7"),
                plain("seed = 7\ntolerance = [{ content = 0.9, confidence = 0.95 }]"),
                "tolerance: none -> 0.9 at 0.95",
            ),
        ];
        for (place, first, second, line) in cases {
            let [first, second] = [first, second].map(|text| tricycle(place, &text));
            assert_eq!(first.differences(&second), [line]);
        }
        let [free, held] = ["sd = 1.2", "sd = 1.2\nlimit = [1, 3]"].map(|text| tricycle("sd = 1.2", text));
        let said = free.differences(&held).join("; ");
        assert!(said.starts_with("inputs.sink_rate: ") && said.ends_with(", limit [1.0, 3.0]"), "{said}");
    }

    #[test]
    fn lines_of_one_side_are_shown_and_few_of_many() {
        assert_eq!(changed_lines(b"a = 1\nb = 2\n", b"b = 2\n a = 3\n"), ["  - a = 1", "  + a = 3"]);
        let many: String = (0..20).map(|line| format!("{line}\n")).collect();
        let lines = changed_lines(b"", many.as_bytes());
        assert_eq!((lines.len(), lines[8].as_str()), (9, "  and 12 more lines"));
        assert!(changed_lines(&[0xff], b"a").is_empty());
    }

    #[test]
    fn settings_come_go_and_change() {
        let of = |pairs: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
            pairs.iter().map(|&(key, value)| (key, value.to_owned())).collect()
        };
        let lines = settings(
            &of(&[("step", "1"), ("wind", "2"), ("sweeps", "3")]),
            &of(&[("wind", "4"), ("step", "1"), ("gusts", "5")]),
        );
        assert_eq!(lines, ["wind: 2 -> 4", "gusts: none -> 5", "sweeps: 3 -> none"]);
    }

    #[test]
    fn entries_come_go_and_change() {
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let lines =
            named("inputs", map(&[("a", "1"), ("b", "2"), ("c", "3")]), &map(&[("a", "1"), ("b", "4"), ("d", "5")]));
        assert_eq!(lines, ["inputs.b: 2 -> 4", "inputs.d: none -> 5", "inputs.c: 3 -> none"]);
    }
}
