//! Whole runs by every method of sampling, with stopping rules, and with fewer rows: same bytes whatever happens.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use touchdown::table::{ColumnKind, TableReader, Wanted};

use crate::support::program::{
    code, contents, data, output, path, run_study, standard_error, standard_output, touchdown,
};

const METHODS: [&str; 3] = [
    "[sampling]\nmethod = \"latin_hypercube\"\nreplicates = 8\n",
    "[sampling]\nmethod = \"sobol\"\nreplicates = 10\n",
    "[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink_rate = 0.8\n[sampling.spread]\nsink_rate = 1.1\n",
];

/// The run itself went well, whatever the verdicts.
fn assert_ran(output: &Output) {
    assert!([0, 1, 6].contains(&code(output)), "{} {}", code(output), standard_error(output));
}

fn parts(directory: &Path) -> usize {
    fs::read_dir(directory.join("parts")).unwrap().count()
}

fn summary(directory: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join("summary.json")).unwrap()).unwrap()
}

/// A study of its own in a directory: the tricycle's with a change, and more at its end.
fn study(directory: &Path, change: impl Fn(&str) -> String, more: &str) -> PathBuf {
    fs::create_dir_all(directory).unwrap();
    for name in ["vehicle.toml", "scene.toml"] {
        fs::copy(data(name), directory.join(name)).unwrap();
    }
    let file = directory.join("study.toml");
    fs::write(&file, change(&fs::read_to_string(data("study.toml")).unwrap()) + "\n" + more).unwrap();
    file
}

fn unchanged(text: &str) -> String {
    text.to_owned()
}

/// 64 parts of 20 landings. Broken wheels soon fail; half of the landings are long, and it takes some hundred to see that
/// these are no more than allowed.
fn many_parts(text: &str) -> String {
    text.replace("landings = 600", "landings = 1280")
        .replace("part_size = 100", "part_size = 20")
        .replace("probability = 0.3", "probability = 0.6")
}

#[test]
fn every_method_gives_the_same_bytes_for_any_threads_and_in_parts_that_merge() {
    for (number, method) in METHODS.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        let study = study(&place("study"), unchanged, method);
        let [one, two, first, second, merged] = ["one", "two", "first", "second", "merged"].map(place);
        assert_ran(&run_study(&study, &one, &["--threads", "1"]));
        assert_ran(&run_study(&study, &two, &["--threads", "2", "--parts", "3..6"]));
        assert_ran(&run_study(&study, &two, &["--threads", "2"]));
        assert!(contents(&one) == contents(&two), "{method}");
        run_study(&study, &first, &["--parts", "0..1"]);
        run_study(&study, &second, &["--parts", "1..6"]);
        assert_ran(&output(&["study", "merge", path(&second), path(&first), "--out", path(&merged)]));
        assert!(contents(&one) == contents(&merged), "{method}");
        let replayed = output(&["study", "replay", path(&one), "--landing", "321"]);
        assert!(standard_output(&replayed).contains("bit for bit"), "{}", standard_error(&replayed));
        assert_eq!(code(&output(&["study", "report", path(&one)])), 0);
        let (result, criterion) = (summary(&one), summary(&one)["criteria"][0].clone());
        assert_eq!(result["method"], ["latin_hypercube", "sobol", "importance"][number]);
        assert_eq!(criterion["look_confidence"], 0.95);
        let of_replicates = criterion["replicate_events"].as_array().cloned().unwrap_or_default();
        assert_eq!(of_replicates.len(), [8, 10, 0][number]);
        let events: u64 = of_replicates.iter().map(|events| events.as_u64().unwrap()).sum();
        assert!(number == 2 || criterion["events"] == events, "{criterion}");
        let bounds = criterion["bounds"].as_str().unwrap().to_owned();
        println!("{bounds}");
        assert!(
            bounds.starts_with(["Student t over 8 Latin", "Student t over 10 scr", "Student t of weighted"][number])
        );
        let checked = output(&["study", "check", path(&study)]);
        assert!(standard_output(&checked).contains("sampling: "), "{}", standard_error(&checked));
    }
}

/// The intervals of one probability overlap: each fails to hold it once in 10,000.
#[test]
fn every_method_finds_the_same_probability() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let larger = |text: &str| {
        text.replace("landings = 600", "landings = 2400")
            .replace("= 100", "= 400")
            .replace("\nprobability =", "\nconfidence = 0.9999\nprobability =")
    };
    let mut intervals = Vec::new();
    for (number, method) in ["", METHODS[0], METHODS[1], METHODS[2]].into_iter().enumerate() {
        let study = study(&place(&format!("study{number}")), larger, method);
        let out = place(&format!("out{number}"));
        assert_ran(&run_study(&study, &out, &[]));
        let criteria = summary(&out)["criteria"].clone();
        println!("{criteria}");
        for criterion in [0, 1] {
            let number = |key: &str| criteria[criterion][key].as_f64().unwrap();
            intervals.push((criterion, number("lower"), number("upper")));
        }
        assert_eq!(criteria[0].get("effective_events").is_some(), number == 3);
    }
    for (criterion, lower, upper) in &intervals {
        for (_, other_lower, other_upper) in intervals.iter().filter(|(other, ..)| other == criterion) {
            assert!(lower <= other_upper && other_lower <= upper, "{intervals:?}");
        }
    }
}

#[test]
fn weights_stand_before_the_inputs_and_make_up_for_the_shift() {
    let directory = tempfile::tempdir().unwrap();
    let study = study(&directory.path().join("study"), unchanged, METHODS[2]);
    let out = directory.path().join("out");
    let printed = standard_output(&run_study(&study, &out, &[]));
    assert!(printed.contains("of equal weight") && printed.contains("as drawn"), "{printed}");
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for part in 0..6 {
        let file = out.join(format!("parts/{part:05}.parquet"));
        let reader = TableReader::open(&file, &[Wanted::required("weight", ColumnKind::Number)]).unwrap();
        let names = reader.column_names().to_vec();
        let weight = names.iter().position(|name| name == "weight").unwrap();
        assert!(names[weight + 1].starts_with("input.") && !names[weight - 1].starts_with("input."), "{names:?}");
        for chunk in reader {
            for weight in chunk.unwrap().numbers(0).unwrap().iter().flatten() {
                sum += weight;
                squares += weight * weight;
                count += 1.0;
            }
        }
    }
    // Weights have mean 1; five standard errors.
    let error = (squares / count - (sum / count).powi(2)).sqrt() / f64::sqrt(count);
    assert!((sum / count - 1.0).abs() < 5.0 * error && error < 0.1, "{} {error}", sum / count);
}

#[test]
fn a_run_stops_at_the_first_look_at_which_every_verdict_is_decided() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = study(&place("study"), many_parts, "[stopping]\ndecided = true\n");
    let [out, merged] = ["out", "merged"].map(place);
    let ran = run_study(&study, &out, &[]);
    assert_eq!(code(&ran), 1, "{}", standard_error(&ran));
    let result = summary(&out);
    let look = result["look"].as_u64().unwrap();
    assert_eq!(result["looks"], 7);
    println!("{}: {}", result["stopped"], result["criteria"][0]["bounds"]);
    assert_eq!(result["stopped"], format!("every verdict is decided after look {look} of 7"));
    assert!((2..7).contains(&look), "{look}");
    assert_eq!(parts(&out), 1 << (look - 1), "no part beyond the look");
    assert_eq!(result["landings"].as_u64().unwrap(), 20 << (look - 1));
    // The look before could not decide, at its own confidence.
    let bounds = result["criteria"][0]["bounds"].as_str().unwrap();
    assert!(bounds.ends_with(&format!("for look {look} of 7")), "{bounds}");

    let before = contents(&out);
    assert_eq!(code(&run_study(&study, &out, &[])), 1, "the same command computes nothing more");
    assert!(contents(&out) == before);
    assert_eq!(code(&output(&["study", "merge", path(&out), "--out", path(&merged)])), 1);
    assert!(contents(&merged) == before);
    assert_eq!(code(&output(&["study", "report", path(&out)])), 0);
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("every verdict is decided after look") && !report.contains("not finished"));
    let replayed = output(&["study", "replay", path(&out), "--landing", "15"]);
    assert!(standard_output(&replayed).contains("bit for bit"));
    let beyond = output(&["study", "replay", path(&out), "--landing", "1279"]);
    assert!(standard_output(&beyond).contains("not there"));
    let parts_only = run_study(&study, &place("parts"), &["--parts", "0..2"]);
    assert_eq!(code(&parts_only), 2);
    assert!(standard_error(&parts_only).contains("[stopping]"), "{}", standard_error(&parts_only));
}

#[test]
fn narrow_intervals_stop_a_run_and_checks_name_the_looks() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let only_long = |text: &str| many_parts(text).split("[criteria.broken]").next().unwrap().to_owned();
    let study = study(&place("study"), only_long, "[stopping]\ninterval = 0.3\n");
    run_study(&study, &place("out"), &[]);
    let result = summary(&place("out"));
    let number = |key: &str| result["criteria"][0][key].as_f64().unwrap();
    let width = (number("upper") - number("lower")) / number("estimate").max(0.6);
    println!("{}: width {width}", result["stopped"]);
    assert!(result["stopped"].as_str().unwrap().starts_with("every interval is narrow enough after look"));
    assert!(width <= 0.3);
    let checked = standard_output(&output(&["study", "check", path(&study)]));
    assert!(checked.contains("looks after 1, 2, 4, 8, 16, 32, 64 parts"), "{checked}");
}

#[test]
fn a_run_killed_between_looks_ends_with_the_bytes_of_an_uninterrupted_one() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    // About as often as allowed: many looks leave it open.
    let close = |text: &str| many_parts(text).replace("probability = 0.6", "probability = 0.53");
    let study = study(&place("study"), close, "[stopping]\ndecided = true\n");
    let [whole, killed] = ["whole", "killed"].map(place);
    let arguments = ["--threads", "1", "--engine", "reference"];
    let started = Instant::now();
    assert_ran(&run_study(&study, &whole, &arguments));
    let time = started.elapsed();
    for share in [0.2, 0.4, 0.3] {
        let mut child = touchdown(&["study", "run", path(&study), "--out", path(&killed)])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(time.mul_f64(share) + Duration::from_millis(u64::from(std::process::id() % 50)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_ran(&run_study(&study, &killed, &arguments));
    println!("{}", summary(&whole)["stopped"]);
    assert!(contents(&whole) == contents(&killed));
}

#[test]
fn a_run_out_of_time_keeps_its_parts_and_the_same_command_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    // Whatever happens, and any number of landings, would meet these.
    let lenient = |text: &str| text.replace("\nprobability = ", "\nconfidence = 0.5\nprobability = 0.99 #");
    let study = study(&place("study"), lenient, "[stopping]\nwall_time = \"1 ms\"\n");
    let [late, again, merged] = ["late", "again", "merged"].map(place);
    let ran = run_study(&study, &late, &["--engine", "reference"]);
    assert_eq!(code(&ran), 6, "an unfinished run has no verdict: {}", standard_error(&ran));
    assert!(standard_output(&ran).contains("nothing is decided before look 1 of 1"), "{}", standard_output(&ran));
    let there = parts(&late);
    assert!((1..6).contains(&there), "{there}");
    assert_eq!(summary(&late)["landings"].as_u64().unwrap(), 100 * there as u64);
    assert!(summary(&late)["criteria"].as_array().unwrap().iter().all(|criterion| criterion["verdict"] == "undecided"));
    assert_eq!(code(&output(&["study", "merge", path(&late), "--out", path(&merged)])), 6);
    assert!(contents(&merged) == contents(&late));
    assert_eq!(code(&output(&["study", "report", path(&late)])), 0);
    assert!(fs::read_to_string(late.join("report.html")).unwrap().contains("nothing is decided before"));
    for out in [&late, &again] {
        for _ in 0..6 {
            run_study(&study, out, &["--engine", "reference"]);
        }
        assert_eq!(code(&run_study(&study, out, &["--engine", "reference"])), 0, "the whole run is met");
        assert_eq!((parts(out), summary(out)["stopped"].as_str().unwrap()), (6, "all parts are there"));
    }
    assert!(contents(&late) == contents(&again));
}

#[test]
fn the_summary_has_the_same_bytes_whatever_rows_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = study(&place("study"), unchanged, "");
    let rows = |out: &Path| -> usize {
        let wanted = [Wanted::required("landing", ColumnKind::Integer)];
        let files = (0..6).map(|part| out.join(format!("parts/{part:05}.parquet")));
        files.flat_map(|file| TableReader::open(&file, &wanted).unwrap()).map(|chunk| chunk.unwrap().len()).sum()
    };
    let mut counts = Vec::new();
    let mut summaries = Vec::new();
    for keep in ["all", "failures", "sample:7"] {
        let out = place(keep);
        assert_ran(&run_study(&study, &out, &["--keep", keep, "--threads", "1"]));
        let two = place(&format!("{keep} two"));
        run_study(&study, &two, &["--keep", keep, "--threads", "2", "--parts", "2..4"]);
        run_study(&study, &two, &["--keep", keep, "--threads", "2"]);
        assert!(contents(&out) == contents(&two), "{keep}");
        let bytes: u64 =
            (0..6).map(|part| out.join(format!("parts/{part:05}.parquet")).metadata().unwrap().len()).sum();
        println!("--keep {keep}: {} rows, {bytes} bytes", rows(&out));
        counts.push(rows(&out));
        summaries.push(fs::read(out.join("summary.json")).unwrap());
        assert_eq!(code(&output(&["study", "report", path(&out)])), 0);
        let report = fs::read_to_string(out.join("report.html")).unwrap();
        assert_eq!(report.contains("landings were kept"), keep != "all");
    }
    assert!(summaries[0] == summaries[1] && summaries[0] == summaries[2]);
    assert_eq!(counts[0], 600);
    assert!(0 < counts[1] && counts[1] < counts[2] && counts[2] < 600, "{counts:?}");

    let other = run_study(&study, &place("all"), &["--keep", "failures"]);
    assert_eq!(code(&other), 2);
    assert!(standard_error(&other).contains("made with --keep all"), "{}", standard_error(&other));
    let kept =
        |landing: &str| standard_output(&output(&["study", "replay", path(&place("failures")), "--landing", landing]));
    let replays: Vec<String> = (0..12).map(|landing| kept(&landing.to_string())).collect();
    assert!(replays.iter().any(|text| text.contains("the row was not kept")));
    assert!(replays.iter().any(|text| text.contains("bit for bit")));
    assert!(replays.iter().all(|text| !text.contains("DIFFERENT")));
    let unknown = run_study(&study, &place("none"), &["--keep", "sample:0"]);
    assert_eq!(code(&unknown), 2);
    assert!(standard_error(&unknown).contains("sample:N"), "{}", standard_error(&unknown));
}

#[test]
fn bad_keys_of_sampling_and_stopping_are_clear_errors() {
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        ("[sampling]\nmethod = \"halton\"", "sobol"),
        ("[sampling]\nmethod = \"plain\"\nreplicates = 16", "unknown key `replicates`"),
        ("[sampling]\nmethod = \"sobol\"", "600 landings cannot be shared out among 16 replicates"),
        ("[sampling]\nmethod = \"sobol\"\nreplicates = 4", "must be a whole number from 8 to 1024"),
        ("[sampling]\nmethod = \"latin_hypercube\"\nreplicates = 7.5", "must be a whole number"),
        ("[sampling]\nmethod = \"latin_hypercube\"\nreplicate = 8", "did you mean `replicates`"),
        ("[sampling]\nmethod = \"importance\"", "`shift` is missing"),
        ("[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink = 1", "no sampled input `sink`"),
        ("[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink_rate = 60", "must be from -6 to 6"),
        ("[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink_rate = nan", "finite"),
        (
            "[sampling]\nmethod = \"importance\"\n[sampling.shift]\nheadwind = 1\n\
             [inputs.headwind]\ndistribution = \"constant\"\nvalue = 2",
            "is of an input with one value, which no shift changes",
        ),
        ("[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink_rate = 6\ncrab = -6", "at most 8 are allowed"),
        (
            "[sampling]\nmethod = \"importance\"\n[sampling.shift]\n[sampling.spread]\nsink_rate = 0.5",
            "must be from 0.8 to 3",
        ),
        ("[sampling]\nmethod = \"importance\"\nunshifted = 0.95\n[sampling.shift]\ncrab = 1", "must be from 0 to 0.9"),
        ("[sampling]\nmethod = \"importance\"\nshift = []", "must be from 1 to 64 places"),
        ("[sampling]\nmethod = \"importance\"\nshift = [{ crab = 1 }, { crap = 1 }]", "no sampled input `crap`"),
        ("[sampling]\nmethod = \"importance\"\nshift = \"best\"", "must be one of \"auto\""),
        ("[sampling]\nmethod = \"importance\"\nshift = \"auto\"", "`subset` is missing"),
        (
            "[sampling]\nmethod = \"importance\"\nshift = \"auto\"\nsubset = \"scene.toml\"",
            "is no summary.json of a run by subset simulation",
        ),
        // sqrt(1 - 0.1^3 - 0.4^3 - 0.5^3) = 0.9 at most.
        (
            "[[correlations]]\nbetween = [\"brake_level\", \"crab\"]\nrank = 0.95",
            "must be from -0.899 to 0.899: equal values of brake_level (choice of 3 values)",
        ),
        ("[stopping]", "no rule stands here"),
        ("[stopping]\ndecided = false", "no rule stands here"),
        ("[stopping]\ninterval = 0", "must be from 0.0001 to 10"),
        ("[stopping]\nwall_time = \"-1 min\"", "must be from 0.001"),
        ("[stopping]\nwall_time = \"soon\"", "wall_time"),
        ("[stopping]\ndecide = true", "did you mean `decided`"),
    ];
    for (number, (text, expected)) in cases.into_iter().enumerate() {
        let study = study(&directory.path().join(number.to_string()), unchanged, text);
        let out = directory.path().join("out");
        let refused = run_study(&study, &out, &[]);
        let message = standard_error(&refused);
        assert_eq!(code(&refused), 2, "{text}: {message}");
        assert!(message.contains(expected) && message.contains("study.toml"), "{text}: {message}");
        assert!(!out.exists(), "{text}");
    }
    let many = |text: &str| text.replace("landings = 600", "landings = 1e12").replace("= 100", "= 1e6");
    let refused =
        run_study(&study(&directory.path().join("many"), many, METHODS[1]), &directory.path().join("out"), &[]);
    assert!(standard_error(&refused).contains("at most 4294967296 are possible"), "{}", standard_error(&refused));
}
