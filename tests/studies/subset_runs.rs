//! Whole runs by subset simulation through the program: same bytes whatever happens, replays, refusals, and the same answer
//! as plain draws.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use touchdown::study::{self, Evidence, Keep, LevelStatus, Progress, RunDirectory, RunOutcome, Study};
use touchdown::table::{ColumnKind, TableReader, Wanted};

use crate::support::batches::Asked;
use crate::support::program;
use crate::support::program::{code, contents, manifest, path, run_study, standard_error, standard_output, touchdown};

/// Two criteria for the tricycle of the other tests.
const RARE: &str = r#"
[sampling]
method = "subset"
samples = 100
replicates = 8
smallest = 1e-6

[criteria.hard]
quantity = "touchdown_sink_rate"
above = 9
probability = 0.001

[criteria.long]
quantity = "touchdown_distance"
above = "55 m"
probability = 0.01
"#;

/// The tricycle's study in a directory of its own, with these tables in place of its count and criteria.
fn tricycle(directory: &Path, tables: &str) -> PathBuf {
    let data = manifest("tests/data/tricycle");
    fs::create_dir_all(directory).unwrap();
    for name in ["vehicle.toml", "scene.toml"] {
        fs::copy(data.join(name), directory.join(name)).unwrap();
    }
    let text = fs::read_to_string(data.join("study.toml")).unwrap();
    let text = text.replace("landings = 600\n", "").replace("part_size = 100\n", "");
    let (inputs, _) = text.split_once("[criteria").unwrap();
    let study = directory.join("study.toml");
    fs::write(&study, format!("{inputs}{tables}")).unwrap();
    study
}

/// A criterion of a run's summary.
fn criterion(run: &Path, number: usize) -> serde_json::Value {
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap();
    summary["criteria"][number].clone()
}

#[test]
fn threads_kills_and_resumption_leave_the_bytes_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let study = tricycle(&directory.path().join("study"), RARE);
    let place = |name: &str| directory.path().join(name);
    let started = Instant::now();
    let whole = run_study(&study, &place("whole"), &["--threads", "1"]);
    let time = started.elapsed();
    println!("{}{}", standard_output(&whole), standard_error(&whole));
    assert!([0, 1, 6].contains(&code(&whole)), "{}", standard_error(&whole));
    run_study(&study, &place("two"), &["--threads", "2"]);
    assert!(contents(&place("whole")) == contents(&place("two")), "two threads");

    for (attempt, share) in [0.2, 0.35, 0.5].into_iter().enumerate() {
        let mut child = touchdown(&["study", "run", path(&study), "--out", path(&place("killed")), "--threads", "1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The process number makes the moments differ from run to run.
        let jitter = Duration::from_millis(u64::from(std::process::id() % 50) * (attempt as u64 + 1));
        std::thread::sleep(time.mul_f64(share) + jitter);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    fs::create_dir_all(place("killed/parts")).unwrap();
    fs::write(place("killed/parts/.000-01.parquet.abc.partial"), "half a level").unwrap();
    run_study(&study, &place("killed"), &[]);
    assert!(contents(&place("whole")) == contents(&place("killed")), "killed three times");

    // A level that is lost is computed again from those that are there.
    fs::remove_file(place("two/parts/000-01.parquet")).unwrap();
    run_study(&study, &place("two"), &[]);
    assert!(contents(&place("whole")) == contents(&place("two")), "one level lost");
}

/// Importance sampling at the places that a run by subset simulation found: no number is copied by hand, the run's directory
/// stands alone, and both agree.
#[test]
fn importance_sampling_shifts_to_where_a_subset_run_found_the_events() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (subset, criteria) = RARE.split_once("[criteria.hard]").unwrap();
    let criteria = format!("[criteria.hard]{criteria}");
    run_study(&tricycle(&place("study"), &format!("{subset}{criteria}")), &place("subset"), &[]);
    let auto =
        "landings = 3000\n[sampling]\nmethod = \"importance\"\nshift = \"auto\"\nsubset = \"../subset/summary.json\"\n";
    // `landings` stands before all tables.
    let (first, tables) = auto.split_once('\n').unwrap();
    let study = tricycle(&place("auto"), &format!("{tables}{criteria}"));
    fs::write(&study, format!("{first}\n{}", fs::read_to_string(&study).unwrap())).unwrap();
    let checked = standard_output(&program::output(&["study", "check", path(&study)]));
    println!("{checked}");
    assert!(checked.contains("place 1 of 2") && checked.contains("% of the landings are not shifted"), "{checked}");
    let ran = run_study(&study, &place("out"), &[]);
    assert!([0, 1, 6].contains(&code(&ran)), "{}", standard_error(&ran));
    for number in 0..2 {
        let [by_levels, by_weights] = ["subset", "out"].map(|run| criterion(&place(run), number));
        println!("{}\n{by_weights}", by_levels["estimate"]);
        let bound = |of: &serde_json::Value, key: &str| of[key].as_f64().unwrap();
        assert!(bound(&by_levels, "lower") <= bound(&by_weights, "upper"));
        assert!(bound(&by_weights, "lower") <= bound(&by_levels, "upper"));
        assert!(bound(&by_weights, "effective_events") > 50.0);
    }
    assert_eq!(code(&program::output(&["study", "report", path(&place("out"))])), 0);
    let report = fs::read_to_string(place("out/report.html")).unwrap();
    assert!(report.contains("the curves of quantities are weighted") && !report.contains("as drawn\""));
    // Neither the subset run nor the study file is needed any more.
    fs::rename(place("subset"), place("elsewhere")).unwrap();
    let replayed = program::output(&["study", "replay", path(&place("out")), "--landing", "2345"]);
    assert!(standard_output(&replayed).contains("bit for bit"), "{}", standard_error(&replayed));
    let missing = run_study(&study, &place("missing"), &[]);
    assert_eq!(code(&missing), 2);
    assert!(standard_error(&missing).contains("summary.json"), "{}", standard_error(&missing));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let (study, out) = (tricycle(directory.path(), RARE), directory.path().join("out"));
    let command = touchdown(&["study", "run", path(&study), "--out", path(&out)]);
    program::assert_an_interrupt_is_heard(command, &out.join("parts"), "summary.json");
}

/// Has a run stopped after so many batches.
struct StopsAfter<'a> {
    batches: usize,
    stop: &'a AtomicBool,
}

impl Progress for StopsAfter<'_> {
    fn advanced(&mut self, _: u64, _: u64, _: &[Evidence]) {}

    fn advanced_in_level(&mut self, _: &LevelStatus) {
        self.batches = self.batches.saturating_sub(1);
        self.stop.store(self.batches == 0, Ordering::Relaxed);
    }
}

#[test]
fn a_run_that_is_stopped_within_a_level_goes_on_to_the_bytes_of_one_that_never_was() {
    let directory = tempfile::tempdir().unwrap();
    let study = Study::read(&tricycle(directory.path(), RARE)).unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| directory.path().join(name));
    // Levels have 100 samples of each of 8 replicates.
    let engine = Asked::for_batches(300..=300);
    let run = |out: &Path, batches: usize| {
        let directory = RunDirectory::prepare(out, &study).unwrap();
        let stop = AtomicBool::new(false);
        let mut told = StopsAfter { batches, stop: &stop };
        study::run(&study, &engine, &directory, 0..study.parts(), Keep::All, &mut told, &stop).unwrap()
    };
    assert!(matches!(run(&whole, usize::MAX), RunOutcome::Complete(..)));
    let calls = engine.calls();
    assert!(matches!(run(&stopped, 4), RunOutcome::Interrupted));
    let (before, levels) = (engine.calls() - calls, fs::read_dir(stopped.join("parts")).unwrap().count());
    assert!(levels > 0 && before < calls, "{levels} levels after {before} of {calls} batches");
    assert!(matches!(run(&stopped, usize::MAX), RunOutcome::Complete(..)));
    assert!(contents(&whole) == contents(&stopped));
}

#[test]
fn one_step_of_the_chains_of_all_replicates_is_under_way_at_a_time() {
    let rare = Study::read(&manifest("examples/c172_rare.toml")).unwrap();
    let plain = Study::read(&manifest("examples/c172_rare_plain.toml")).unwrap();
    // A tenth of 500 samples in each of 16.
    assert_eq!((rare.trials_at_a_time(), plain.trials_at_a_time()), (800, 200_000));
}

#[test]
fn every_sample_is_replayed_bit_for_bit_and_others_are_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    run_study(&tricycle(&directory.path().join("study"), RARE), &out, &[]);
    let wanted = [Wanted::required("landing", ColumnKind::Integer)];
    let mut last = 0;
    for file in fs::read_dir(out.join("parts")).unwrap() {
        let chunk = TableReader::open(&file.unwrap().path(), &wanted).unwrap().next().unwrap().unwrap();
        let landings: Vec<i64> = chunk.integers(0).unwrap().iter().map(|landing| landing.unwrap()).collect();
        last = last.max(*landings.last().unwrap());
        for landing in [landings[0], landings[landings.len() / 2]] {
            let output =
                touchdown(&["study", "replay", path(&out), "--landing", &landing.to_string()]).output().unwrap();
            assert_eq!(code(&output), 0, "{}", standard_error(&output));
            assert!(standard_output(&output).contains("bit for bit"), "{landing}");
        }
    }
    let absent = touchdown(&["study", "replay", path(&out), "--landing", &(last + 1).to_string()]).output().unwrap();
    assert_eq!(code(&absent), 2);
    assert!(standard_error(&absent).contains("has not simulated it"), "{}", standard_error(&absent));
}

#[test]
fn foreign_and_damaged_levels_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = tricycle(&place("study"), RARE);
    run_study(&study, &place("run"), &[]);
    let parts = place("run/parts");
    let refused = |words: &str| {
        let output = run_study(&study, &place("run"), &[]);
        assert_eq!(code(&output), 2, "{words}: {}", standard_error(&output));
        assert!(standard_error(&output).contains(words), "{}", standard_error(&output));
    };
    let (first, second) = (parts.join("000-00.parquet"), parts.join("000-01.parquet"));
    let (of_first, of_second) = (fs::read(&first).unwrap(), fs::read(&second).unwrap());
    fs::write(&second, &of_first).unwrap();
    refused("000-01.parquet: touchdown.level is `0`");
    fs::write(&second, &of_second[..of_second.len() / 2]).unwrap();
    refused("000-01.parquet");
    fs::write(&second, &of_second).unwrap();

    // Under another seed the same questions have other numbers; the study's hash tells.
    let other = tricycle(&place("other"), RARE);
    fs::write(&other, fs::read_to_string(&other).unwrap().replace("seed = 7", "seed = 8")).unwrap();
    run_study(&other, &place("of_other"), &[]);
    fs::copy(place("of_other/parts/000-00.parquet"), &first).unwrap();
    refused("000-00.parquet");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let cases = [
        ("samples = 100", "samples = 105", "multiple of 10"),
        ("samples = 100", "samples = 50", "from 100 to 100000"),
        ("samples = 100", "samples = 100000", "at most 32760 with 8 replicates"),
        ("samples = 100", "sample = 100", "did you mean `samples`"),
        ("samples = 100", "level_probability = 0.3", "0.1 or 0.25"),
        ("samples = 100", "level_probability = 0.6", "0.5"),
        ("replicates = 8", "replicates = 7", "from 8 to 256"),
        ("smallest = 1e-6", "smallest = 1e-20", "from 0.000000000001 to 0.1"),
        ("[sampling]", "landings = 5\n[sampling]", "`landings` has no meaning"),
        ("[sampling]", "part_size = 5\n[sampling]", "`part_size` has no meaning"),
        ("[criteria.hard]", "[stopping]\ndecided = true\n[criteria.hard]", "`stopping` has no meaning"),
        ("quantity = \"touchdown_sink_rate\"\nabove = 9", "quantity = \"wheel_broken\"", "peak_compression.left or"),
        ("quantity = \"touchdown_sink_rate\"\nabove = 9", "quantity = \"overran\"", "stopping_point above"),
        ("quantity = \"touchdown_sink_rate\"\nabove = 9", "quantity = \"veered_off\"", "largest_lateral_deviation"),
    ];
    for (number, (from, to, words)) in cases.into_iter().enumerate() {
        let tables = RARE.replacen(from, to, 1);
        assert_ne!(tables, RARE, "{from}");
        let study = tricycle(&place(&number.to_string()), "");
        // Keys of the root stand before all tables.
        let text = fs::read_to_string(&study).unwrap();
        let (root, tables) = match tables.split_once("\n[sampling]") {
            Some((root, rest)) if !root.is_empty() => (root.to_owned(), format!("\n[sampling]{rest}")),
            _ => (String::new(), tables),
        };
        fs::write(&study, format!("{root}\n{text}\n{tables}")).unwrap();
        let output = touchdown(&["study", "check", path(&study)]).output().unwrap();
        assert_eq!(code(&output), 2, "{to}: {}", standard_error(&output));
        assert!(standard_error(&output).contains(words), "{to}: {}", standard_error(&output));
        assert!(standard_error(&output).contains("study.toml:"), "{to}: {}", standard_error(&output));
    }
    let study = tricycle(&place("none"), RARE.split_once("[criteria").unwrap().0);
    let output = run_study(&study, &place("out"), &[]);
    assert!(standard_error(&output).contains("needs an event"), "{}", standard_error(&output));
    assert!(!place("out").exists());
}

#[test]
fn parts_merges_and_comparisons_are_refused_and_a_check_says_how_many_landings_at_most() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let study = tricycle(&directory.path().join("study"), RARE);
    let parts = run_study(&study, &out, &["--parts", "0..1"]);
    assert_eq!(code(&parts), 2);
    assert!(standard_error(&parts).contains("no parts"), "{}", standard_error(&parts));

    let some = run_study(&study, &out, &["--keep", "failures"]);
    assert_eq!(code(&some), 2);
    assert!(standard_error(&some).contains("all of them have to be kept"), "{}", standard_error(&some));
    assert!(!out.exists());

    let check = touchdown(&["study", "check", path(&study)]).output().unwrap();
    // Levels down to 1e-6: seven of 8 replicates, of 100 landings and 6 times 90; two criteria.
    let text = standard_output(&check);
    assert_eq!(code(&check), 0, "{}", standard_error(&check));
    for words in ["at most 10240 landings", "at most 5120 down to", "about 2960 landings"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }

    run_study(&study, &out, &[]);
    let merged = directory.path().join("x");
    for arguments in [vec!["compare", path(&out), path(&out)], vec!["merge", path(&out), "--out", path(&merged)]] {
        let output = touchdown(&["study"]).args(&arguments).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(standard_error(&output).contains("subset"), "{}", standard_error(&output));
    }
}

#[test]
fn a_report_shows_the_levels_and_why_it_happens() {
    let directory = tempfile::tempdir().unwrap();
    let (study, out) = (tricycle(&directory.path().join("study"), RARE), directory.path().join("run"));
    run_study(&study, &out, &[]);
    let report = || touchdown(&["study", "report", path(&out)]).output().unwrap();
    let output = report();
    assert_eq!(code(&output), 0, "{}", standard_error(&output));
    let html = fs::read_to_string(out.join("report.html")).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let page = roxmltree::Document::parse_with_options(&html, options).unwrap();
    let count = |name: &str| page.descendants().filter(|node| node.has_tag_name(name)).count();
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let criteria = summary["criteria"].as_array().unwrap();
    // The verdicts' bars, and a way down for each criterion.
    assert_eq!((count("svg"), count("article")), (1 + criteria.len(), criteria.len()));
    for criterion in criteria {
        let name = criterion["name"].as_str().unwrap();
        assert!(html.contains(&format!("Levels of {name}")), "{name}");
        let causes = criterion["subset"]["inputs"].as_array().unwrap().len();
        assert!(causes > 0 && html.matches("Why it happens").count() == criteria.len());
    }
    assert!(!html.contains("http") && count("script") == 0);

    fs::remove_file(out.join("report.html")).unwrap();
    fs::remove_file(out.join("summary.json")).unwrap();
    let refused = report();
    assert!(code(&refused) == 2 && standard_error(&refused).contains("not finished"), "{}", standard_error(&refused));
    assert!(!out.join("report.html").exists());
}

#[test]
fn what_can_never_happen_is_less_than_something_and_what_is_lacking_counts() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    // The truncated airspeed ends at 30 m/s and the first metres are in the air: 100 m/s on the ground cannot be.
    let never = RARE.split_once("[criteria").unwrap().0.to_owned()
        + "[criteria.fast]\nquantity = \"touchdown_ground_speed\"\nabove = 100\nprobability = 0.001\n"
        + "[criteria.end]\nquantity = \"stopping_point\"\nabove = \"80 m\"\nprobability = 0.5\n";
    let output = run_study(&tricycle(&place("study"), &never), &place("out"), &[]);
    println!("{}", standard_output(&output));
    let fast = criterion(&place("out"), 0);
    assert_eq!(fast["estimate"], 0.0);
    assert_eq!(fast["lower"], 0.0);
    let upper = fast["upper"].as_f64().unwrap();
    assert!((1e-7..1e-3).contains(&upper), "{upper}");
    assert!(fast["bounds"].as_str().unwrap().starts_with("less than"), "{fast}");
    // The tricycle breaks its gear in one landing of ten or so and has no stopping point then.
    let end = criterion(&place("out"), 1);
    assert!(end["subset"]["events_without_nearness"].as_u64().unwrap() > 0, "{end}");
    assert!(standard_output(&output).contains("lack the quantity"));
}

/// A study of the examples with other counts and another limit, its files named from there.
fn example(to: &Path, name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let examples = manifest("examples");
    let text = fs::read_to_string(examples.join(name)).unwrap();
    let text = text
        .replace("\"aircraft/", &format!("\"{}/aircraft/", path(&examples)))
        .replace("\"scenes/", &format!("\"{}/scenes/", path(&examples)));
    let study = to.join(name);
    fs::write(&study, change(text)).unwrap();
    study
}

/// The README's pair of studies at a limit that is passed more often, so that few plain draws show it.
#[test]
fn plain_draws_and_subset_simulation_of_a_runway_agree() {
    let directory = tempfile::tempdir().unwrap();
    let at_480_m =
        |text: String| text.replace("above = 530", "above = 480").replace("probability = 5e-4", "probability = 0.01");
    let plain = example(directory.path(), "c172_rare_plain.toml", |text| {
        at_480_m(text).replace("landings = 200000", "landings = 6000").replace("part_size = 20000", "part_size = 2000")
    });
    let rare = example(directory.path(), "c172_rare.toml", |text| {
        let (text, _) = text.split_once("[criteria.past_620_m]").unwrap();
        at_480_m(text.to_owned())
            .replace("samples = 500 ", "samples = 200 ")
            .replace("method = \"subset\"", "method = \"subset\"\nreplicates = 8")
    });
    let outs = ["plain", "rare"].map(|name| directory.path().join(name));
    for (study, out) in [&plain, &rare].into_iter().zip(&outs) {
        let output = run_study(study, out, &[]);
        assert_eq!(code(&output), 0, "{}", standard_error(&output));
    }
    let [plain, rare] = outs.map(|out| {
        let criterion = criterion(&out, 0);
        ["lower", "estimate", "upper"].map(|key| criterion[key].as_f64().unwrap())
    });
    println!("plain {plain:?}, subset {rare:?}");
    // Two intervals at 90 % each about one truth; the seeds are fixed.
    assert!(plain[0] < rare[2] && rare[0] < plain[2], "plain {plain:?}, subset {rare:?}");
}

/// The pair asks the same: whatever is not about counting is the same in both files.
#[test]
fn the_pair_of_examples_has_the_same_inputs() {
    let inputs = |name: &str| {
        let text = fs::read_to_string(manifest("examples").join(name)).unwrap();
        let from = text.find("[inputs.mass]").unwrap();
        let to = text.find("[criteria.past_620_m]").unwrap_or(text.len());
        text[from..to].trim().to_owned()
    };
    assert_eq!(inputs("c172_rare.toml"), inputs("c172_rare_plain.toml"));
}
