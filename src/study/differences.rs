//! Differences between two studies, in brief.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::study::Study;

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
        differ("sampling", [&first.method.name(), &second.method.name()]);
        let settings = [first, second].map(|study| study.model.settings());
        for (key, value) in &settings[1] {
            let before =
                settings[0].iter().find(|(other, _)| other == key).map_or("none", |(_, before)| before.as_str());
            differ(key, [&before, value]);
        }
        lines.extend(named("inputs", inputs(first), &inputs(second)));
        if first.copula != second.copula {
            lines.push("correlations".to_owned());
        }
        lines.extend(named("criteria", criteria(first), &criteria(second)));
        lines.extend(files(first, second));
        if lines.is_empty() && first.hash() != second.hash() {
            lines.push(
                "the text of the study, such as a comment, line ends, part_size or a grid; or its table of inputs"
                    .to_owned(),
            );
        }
        lines
    }
}

fn inputs(study: &Study) -> BTreeMap<String, String> {
    // Samples and choices display the number of their values, not the values.
    let said = |distribution| format!("{distribution}");
    study.inputs.iter().map(|sampled| (sampled.input.name.to_owned(), said(&sampled.distribution))).collect()
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
    use super::*;

    #[test]
    fn lines_of_one_side_are_shown_and_few_of_many() {
        assert_eq!(changed_lines(b"a = 1\nb = 2\n", b"b = 2\n a = 3\n"), ["  - a = 1", "  + a = 3"]);
        let many: String = (0..20).map(|line| format!("{line}\n")).collect();
        let lines = changed_lines(b"", many.as_bytes());
        assert_eq!((lines.len(), lines[8].as_str()), (9, "  and 12 more lines"));
        assert!(changed_lines(&[0xff], b"a").is_empty());
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
