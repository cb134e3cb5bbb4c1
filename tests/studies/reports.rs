//! Reports of runs through the program: whole, unfinished and empty ones, hostile names, clear errors.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle").join(name)
}

fn touchdown(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchdown")).args(arguments).output().unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn run_study(study: &Path, out: &Path, more: &[&str]) {
    let output = touchdown(&[&["study", "run", path(study), "--out", path(out)], more].concat());
    let code = output.status.code().unwrap();
    assert!([0, 1, 6].contains(&code), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The report of a run directory, which must be written.
fn report(run: &Path) -> String {
    let output = touchdown(&["study", "report", path(run)]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(run.join("report.html")).unwrap()
}

/// The page as XML, which it is as well.
fn parsed(html: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(html, options).unwrap()
}

fn elements<'a>(page: &'a Document<'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    page.descendants().filter(move |node| node.has_tag_name(name))
}

/// Nothing is loaded, nothing runs, whatever the names are.
fn assert_self_contained(html: &str, page: &Document<'_>) {
    assert!(!html.contains("http") && !html.contains("url(") && !html.contains("@import"));
    for node in page.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(!["script", "link", "img", "iframe", "object", "a", "use", "image"].contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let name = attribute.name();
            assert!(!["src", "href", "srcset", "data"].contains(&name) && !name.starts_with("on"), "{name}");
        }
    }
}

/// All numbers of a summary, one to a line as they are written. (A parser that rounds each correctly would find them.)
fn numbers(json: &str) -> Vec<f64> {
    let value = |line: &str| line.rsplit(": ").next().and_then(|text| text.trim().trim_end_matches(',').parse().ok());
    json.lines().filter_map(value).collect()
}

/// Every number that stands alone in a cell with all its digits.
fn shown_numbers(page: &Document<'_>) -> BTreeSet<u64> {
    let exact = elements(page, "data").filter_map(|node| node.attribute("value"));
    let plain = page.descendants().filter(Node::is_text).filter_map(|node| node.text());
    exact.chain(plain).filter_map(|text| text.trim().parse::<f64>().ok()).map(f64::to_bits).collect()
}

fn text_of(page: &Document<'_>) -> String {
    page.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_number_and_verdict_of_the_summary_stands_in_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    run_study(&data("study.toml"), &run, &[]);
    let html = report(&run);
    let page = parsed(&html);
    assert_self_contained(&html, &page);
    let json = fs::read_to_string(run.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&json).unwrap();
    let expected = numbers(&json);
    let shown = shown_numbers(&page);
    let missing: Vec<&f64> = expected.iter().filter(|number| !shown.contains(&number.to_bits())).collect();
    assert!(missing.is_empty() && expected.len() > 200, "{} numbers, missing: {missing:?}", expected.len());
    assert!(
        html.contains("<code>(force_limit)</code> counts landings in which this is above 0: Steps in which a wheel")
    );
    for criterion in summary["criteria"].as_array().unwrap() {
        let cell = |name: &str| criterion[name].as_str().unwrap();
        let row = elements(&page, "tr")
            .find(|row| row.first_element_child().and_then(|first| first.text()) == Some(cell("name")));
        let row: Vec<&str> = row.unwrap().descendants().filter_map(|node| node.text()).collect();
        assert!(row.contains(&cell("verdict")) && row.contains(&cell("event")), "{row:?}");
    }
    let text = text_of(&page);
    for name in ["study", "study_hash", "version", "engine", "adapter"] {
        assert!(text.contains(summary[name].as_str().unwrap()), "{name}");
    }
    for distribution in [
        "lognormal, mean 1.5",
        "normal, mean 0, sd 2",
        "normal, mean 12, sd 4, kept from 5 to 30",
        "choice of 3 values",
    ] {
        assert!(elements(&page, "td").any(|cell| cell.text().is_some_and(|text| text.starts_with(distribution))));
    }
    println!("{} numbers, {} bytes, {} figures", expected.len(), html.len(), elements(&page, "svg").count());
}

#[test]
fn figures_can_be_read_by_those_who_do_not_see_them_and_commands_work() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    run_study(&data("study.toml"), &run, &[]);
    let html = report(&run);
    let page = parsed(&html);
    assert!(elements(&page, "svg").count() > 20);
    for figure in elements(&page, "svg") {
        let child = |name: &str| figure.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        assert!(child("title").is_some_and(|text| text.len() > 3) && child("desc").is_some_and(|text| text.len() > 20));
        assert!(
            !figure
                .descendants()
                .filter_map(|node| node.attribute("d"))
                .any(|d| d.contains("NaN") || d.contains("inf"))
        );
    }
    let commands: BTreeSet<&str> = elements(&page, "code").filter_map(|node| node.text()).collect();
    let replays: Vec<&&str> = commands.iter().filter(|command| command.starts_with("touchdown study replay")).collect();
    assert!(replays.len() > 5, "{commands:?}");
    for command in replays.into_iter().take(3) {
        let arguments: Vec<&str> = command.split(' ').skip(1).collect();
        let output = Command::new(env!("CARGO_BIN_EXE_touchdown")).args(&arguments).current_dir(&run).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_same_run_gives_the_same_bytes_wherever_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("another/place"));
    run_study(&data("study.toml"), &one, &["--threads", "1"]);
    run_study(&data("study.toml"), &two, &["--threads", "2"]);
    let first = report(&one);
    assert!(first == report(&one) && first == report(&two));
    let left: Vec<String> =
        fs::read_dir(&one).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
}

#[test]
fn an_unfinished_run_says_what_is_missing_and_an_empty_one_has_a_report_too() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    run_study(&data("study.toml"), &run, &["--parts", "1..3"]);
    let html = report(&run);
    let page = parsed(&html);
    let text = text_of(&page);
    assert!(text.contains("2 of 6 parts are there, with 200 of 600 landings"), "{text}");
    assert!(elements(&page, "header").next().unwrap().descendants().any(|node| node.text() == Some("unfinished")));
    assert!(elements(&page, "h2").any(|node| node.text() == Some("Verdicts")));
    // The whole run's criterion on broken wheels fails; two parts decide nothing.
    assert!(text.contains("nothing is decided before the end") && html.contains("verdict undecided"), "{text}");
    assert!(!html.contains("verdict failed") && !html.contains("verdict met"), "{text}");
    for part in ["00001", "00002"] {
        fs::remove_file(run.join(format!("parts/{part}.parquet"))).unwrap();
    }
    let html = report(&run);
    let page = parsed(&html);
    assert!(text_of(&page).contains("0 of 6 parts are there, with 0 of 600 landings"));
    assert!(!elements(&page, "h2").any(|node| node.text() == Some("Verdicts")));
    assert!(elements(&page, "h2").any(|node| node.text() == Some("Inputs")));
}

#[test]
fn names_do_nothing_but_stand_there() {
    const HOSTILE: &str = r#"</title></style><script>alert("1")</script><img src=x onerror='alert(2)'>{{ seed }}&amp;"#;
    let directory = tempfile::tempdir().unwrap();
    let (study, run) = (directory.path().join("study"), directory.path().join("run"));
    fs::create_dir_all(&study).unwrap();
    fs::copy(data("scene.toml"), study.join("scene.toml")).unwrap();
    let quoted = toml_string(HOSTILE);
    let vehicle = fs::read_to_string(data("vehicle.toml")).unwrap();
    let vehicle = vehicle.replace("[wheels.left]", &format!("[wheels.{quoted}]")).replace("\"tricycle\"", &quoted);
    fs::write(study.join("vehicle.toml"), vehicle).unwrap();
    let text = fs::read_to_string(data("study.toml")).unwrap();
    let text = text
        .replace("name = \"tricycle\"", &format!("name = {quoted}"))
        .replace("[criteria.long_landing]", &format!("[criteria.{quoted}]"))
        .replace("[criteria.broken]", "[criteria.\"a\\u0001\\u202eb\"]");
    fs::write(study.join("study.toml"), text).unwrap();
    run_study(&study.join("study.toml"), &run, &[]);
    let html = report(&run);
    let page = parsed(&html);
    assert_self_contained(&html, &page);
    assert_eq!(elements(&page, "h1").next().unwrap().text(), Some(HOSTILE));
    for place in [format!("peak_force.{HOSTILE}"), format!("Convergence of {HOSTILE}")] {
        assert!(page.descendants().any(|node| node.text() == Some(place.as_str())), "{place}");
    }
    assert!(text_of(&page).contains("a\u{fffd}\u{fffd}b"));
}

/// As a TOML string.
fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[test]
fn what_is_no_run_or_damaged_is_an_error_and_leaves_the_old_report() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    let refused = |expected: &str| {
        let output = touchdown(&["study", "report", path(&run)]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    refused("study.toml");
    run_study(&data("study.toml"), &run, &[]);
    let old = report(&run);
    let (second, third) = (run.join("parts/00002.parquet"), run.join("parts/00003.parquet"));
    fs::copy(&second, &third).unwrap();
    refused("00003.parquet");
    fs::write(&third, b"not a table").unwrap();
    refused("00003.parquet");
    assert!(fs::read_to_string(run.join("report.html")).unwrap() == old);
}
