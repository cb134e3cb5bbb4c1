//! Results of a validation as tables.

use touchdown::validation::{Agreement, Outcome, passes_or_fails};

use crate::cli::text::{columns, number};

/// One row per group judged item by item.
pub fn table(outcomes: &[Outcome]) -> String {
    let header = [
        "job, scenes or study",
        "items",
        "match",
        "within bound",
        "unjudged",
        "ambiguous by chance",
        "by touch",
        "wrong",
        "error/bound",
        "largest error",
        "at",
        "verdict",
    ];
    let mut cells = vec![header.map(str::to_owned).to_vec()];
    cells.extend(outcomes.iter().filter_map(row));
    columns(&cells)
}

fn row(outcome: &Outcome) -> Option<Vec<String>> {
    let Outcome { check, group, tally, touches, passes, .. } = outcome;
    let tally = tally.as_ref()?;
    let farthest = tally.farthest();
    Some(vec![
        format!("{check}, {group}"),
        tally.items().to_string(),
        tally.count(Agreement::Match).to_string(),
        tally.count(Agreement::WithinBound).to_string(),
        tally.count(Agreement::Unjudged).to_string(),
        tally.ambiguous_by_chance().to_string(),
        if *touches { tally.ambiguous_touching().to_string() } else { "-".to_owned() },
        tally.count(Agreement::Wrong).to_string(),
        number(tally.largest_ratio()),
        farthest.map_or("-", |finding| finding.what).to_owned(),
        farthest.map_or_else(|| "-".to_owned(), |finding| finding.item.place()),
        passes_or_fails(*passes).to_owned(),
    ])
}

/// What a check reports besides its verdicts: its tables with one row per group, then its texts. May be empty.
pub fn aside(check: &str, outcomes: &[Outcome]) -> String {
    let asides =
        || outcomes.iter().filter(|outcome| outcome.check == check).filter_map(|outcome| outcome.aside.as_ref());
    let Some(first) = asides().next() else { return String::new() };
    let mut text = format!("\n{}\n", first.title);
    for (index, [head, _]) in first.tables.iter().enumerate() {
        let rows = asides().filter_map(|aside| aside.tables.get(index)).map(|[_, row]| row.clone());
        text.push_str(&columns(&[head.clone()].into_iter().chain(rows).collect::<Vec<_>>()));
    }
    for index in 0..first.texts.len() {
        text.extend(asides().filter_map(|aside| aside.texts.get(index)).map(String::as_str));
    }
    text
}
