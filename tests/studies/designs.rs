//! Landings whose inputs are the rows of a table, and tables of the inputs that a study draws.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::program::{code, contents, data, output, path, run_study, standard_error, standard_output};
use serde_json::Value;
use touchdown::study::Study;
use touchdown::table::{ColumnKind, TableReader, Values, Wanted};

/// The tricycle's study in a directory of its own, with these more lines.
fn study(directory: &Path, more: &str) -> PathBuf {
    fs::create_dir_all(directory).unwrap();
    for name in ["vehicle.toml", "scene.toml"] {
        fs::copy(data(name), directory.join(name)).unwrap();
    }
    let file = directory.join("study.toml");
    let text = fs::read_to_string(data("study.toml")).unwrap();
    let fewer = text.replace("landings = 600", "landings = 200").replace("part_size = 100", "part_size = 50");
    fs::write(&file, fewer + "\n" + more).unwrap();
    file
}

/// The run itself went well, whatever the verdicts.
fn assert_ran(output: &Output) {
    assert!([0, 1, 6].contains(&code(output)), "{} {}", code(output), standard_error(output));
}

/// All values of the part's columns, to the bit.
fn rows(directory: &Path) -> String {
    let mut parts: Vec<PathBuf> =
        fs::read_dir(directory.join("parts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    parts.sort();
    let mut text = String::new();
    for part in parts {
        let names = TableReader::open(&part, &[]).unwrap().column_names().to_vec();
        let kind = |name: &str| match name {
            "landing" | "steps" | "contact_steps" => ColumnKind::Integer,
            "class" | "failed_part" => ColumnKind::Text,
            _ => ColumnKind::Number,
        };
        let wanted: Vec<Wanted> = names.iter().map(|name| Wanted::optional(name, kind(name))).collect();
        for chunk in TableReader::open(&part, &wanted).unwrap() {
            text += &format!("{names:?} {:?}", chunk.unwrap().columns);
        }
    }
    text
}

fn summary(directory: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn an_exported_design_gives_the_outcomes_of_the_study_that_it_is_from() {
    const METHODS: [&str; 2] = ["", "[sampling]\nmethod = \"sobol\"\nreplicates = 10\n"];
    for (method, ending) in METHODS.into_iter().zip(["csv", "parquet"]) {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        let (drawn, plain) = (study(&place("drawn"), method), study(&place("plain"), ""));
        let table = place("design").with_extension(ending);
        let exported = output(&["study", "export-design", path(&drawn), "--out", path(&table)]);
        assert_eq!(code(&exported), 0, "{}", standard_error(&exported));
        assert!(standard_output(&exported).contains("inputs of 200 landings"), "{}", standard_output(&exported));
        assert_ran(&run_study(&drawn, &place("a"), &[]));
        let designed = run_study(&plain, &place("b"), &["--inputs", path(&table)]);
        assert_ran(&designed);
        assert!(standard_output(&designed).contains("take the rows of the table for independent draws"));
        assert!(rows(&place("a")) == rows(&place("b")), "{method}");
        println!("{ending}: {} bytes of rows are the same", rows(&place("a")).len());
    }
}

#[test]
fn a_run_with_a_table_gives_the_same_bytes_for_any_threads_and_in_parts_that_merge() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let study = study(&place("study"), "");
    let table = place("design.csv");
    let lines: Vec<String> =
        (0..175).map(|row| format!("{},{}", 0.5 + 0.01 * f64::from(row % 97), 1 + row % 3)).collect();
    fs::write(&table, format!("sink_rate,weight\n{}\n", lines.join("\n"))).unwrap();
    let with = ["--inputs", path(&table)];
    let [one, two, first, second, merged] = ["one", "two", "first", "second", "merged"].map(place);
    let run = |out: &Path, more: &[&str]| run_study(&study, out, &[&with, more].concat());
    assert_ran(&run(&one, &["--threads", "1"]));
    assert_ran(&run(&two, &["--threads", "2", "--parts", "1..3"]));
    assert_ran(&run(&two, &["--threads", "2"]));
    assert!(contents(&one) == contents(&two));
    run(&first, &["--parts", "0..1"]);
    run(&second, &["--parts", "1..4"]);
    // The directories hold the table: it is not needed any more.
    fs::remove_file(&table).unwrap();
    assert_ran(&output(&["study", "merge", path(&second), path(&first), "--out", path(&merged)]));
    assert!(contents(&one) == contents(&merged));
    let replayed = output(&["study", "replay", path(&merged), "--landing", "121"]);
    assert!(standard_output(&replayed).contains("bit for bit"), "{}", standard_error(&replayed));
    assert_eq!(code(&output(&["study", "report", path(&one)])), 0);
    assert_eq!(summary(&one)["landings"], 175);
    // The same directory takes neither the study alone nor another table.
    let refused = run_study(&study, &one, &[]);
    assert_eq!(code(&refused), 2);
    assert!(standard_error(&refused).contains("another study"), "{}", standard_error(&refused));
}

#[test]
fn a_runs_own_copy_of_its_study_can_be_run_again_with_its_files_and_its_table() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let table = place("design.csv");
    let lines: Vec<String> = (0..60).map(|row| format!("{}", 0.5 + 0.01 * f64::from(row))).collect();
    fs::write(&table, format!("sink_rate\n{}\n", lines.join("\n"))).unwrap();
    for (name, with) in [("plain", vec![]), ("designed", vec!["--inputs", path(&table)])] {
        let original = study(&place("study"), "");
        let (first, again) = (place(name), place(&format!("{name} again")));
        assert_ran(&run_study(&original, &first, &with));
        fs::remove_dir_all(place("study")).unwrap();
        assert_ran(&run_study(&first.join("study.toml"), &again, &[]));
        assert!(contents(&first) == contents(&again), "{name}");
    }
    // A person's study with a directory of the same name is no run's copy.
    let own = study(&place("own"), "");
    fs::create_dir(place("own").join("files")).unwrap();
    assert_ran(&run_study(&own, &place("of own"), &[]));
}

/// Landings end after a step, so that quantities of the touchdown are the inputs.
const ONE_STEP: &str = "vehicle = \"vehicle.toml\"\nscene = \"scene.toml\"\nlandings = 1\nseed = 7\nstep = 0.1\n\
                        time_limit = 0.1\n[inputs.height]\ndistribution = \"constant\"\nvalue = 0\n";

#[test]
fn weights_of_rows_are_those_of_the_estimate_in_any_unit() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let file = study(&place("study"), "");
    fs::write(
        &file,
        format!("{ONE_STEP}[criteria.hard]\nquantity = \"touchdown_sink_rate\"\nabove = 2\nprobability = 0.5\n"),
    )
    .unwrap();
    // 300 of 1200 rows sink at 3 m/s; their weights are three times those of the others: 900 of 1800.
    for scale in [1.0, 250.0] {
        let table = place("design.csv");
        let row = |row: i32| if row % 4 == 0 { format!("3,{}", 3.0 * scale) } else { format!("1,{scale}") };
        let rows: Vec<String> = (0..1200).map(row).collect();
        fs::write(&table, format!("input.sink_rate,weight\n{}\n", rows.join("\n"))).unwrap();
        let out = place(&format!("run{scale}"));
        let run = run_study(&file, &out, &["--inputs", path(&table)]);
        assert_ran(&run);
        let criterion = summary(&out)["criteria"][0].clone();
        assert_eq!(criterion["events"], 300, "{}", standard_output(&run));
        assert!((criterion["estimate"].as_f64().unwrap() - 0.5).abs() < 1e-12, "{criterion}");
    }
}

#[test]
fn headers_may_name_units() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let file = study(&place("study"), "");
    let run = |header: &str, values: [f64; 2]| {
        fs::write(place("design.csv"), format!("{header}\n{:?}\n{:?}\n", values[0], values[1])).unwrap();
        let out = place(header.split_whitespace().next().unwrap());
        assert_ran(&run_study(&file, &out, &["--inputs", path(&place("design.csv"))]));
        rows(&out)
    };
    assert_eq!(
        run("input.airspeed [km/h]", [36.0, 72.0]),
        run("airspeed", [36.0, 72.0].map(|speed| speed * (1000.0 / 3600.0)))
    );
}

/// Of a particle an outcome is called as an input.
#[test]
fn outcomes_in_the_parts_of_a_run_are_no_inputs() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let file = place("study.toml");
    let text = "model = \"particle\"\nparticles = 300\nseed = 3\nsteps = 40\n\
                [inputs.gamma]\ndistribution = \"uniform\"\nmin = 0.55\nmax = 0.65\n";
    fs::write(&file, text).unwrap();
    assert_ran(&run_study(&file, &place("first"), &["--engine", "native"]));
    let part = place("first/parts/00000.parquet");
    let again = run_study(&file, &place("again"), &["--engine", "native", "--inputs", path(&part)]);
    assert_ran(&again);
    assert!(standard_error(&again).contains("column `position` is ignored"), "{}", standard_error(&again));
    let quantities = |run: &str| summary(&place(run))["quantities"].clone();
    assert_eq!(quantities("again"), quantities("first"));
}

#[test]
fn measured_columns_have_the_unit_of_their_header() {
    let quantiles = |header: &str, column: &str, numbers: [f64; 3]| {
        let text = format!(
            "model = \"particle\"\nparticles = 3\nseed = 3\n\
             [inputs.position]\ndistribution = \"empirical\"\nfile = \"m.csv\"\ncolumn = \"{column}\"\n"
        );
        let table = numbers.iter().fold(header.to_owned() + "\n", |table, number| table + &format!("{number:?}\n"));
        let files = [("m.csv".to_owned(), table.into_bytes())].into();
        let study = Study::in_memory("study.toml", &text, files).map_err(|error| error.to_string())?;
        Ok::<_, String>([0.1, 0.5, 0.9].map(|share| study.inputs[0].distribution.quantile(share)))
    };
    let feet = [3.0, 3.5, 4.0];
    let metres = quantiles("h", "h", feet.map(|feet| feet * 0.3048)).unwrap();
    assert_eq!(quantiles("h [ft]", "h", feet).unwrap(), metres);
    assert_eq!(quantiles("h [ft]", "h [ft]", feet).unwrap(), metres);
    let refused = quantiles("h [kg]", "h", feet).unwrap_err();
    assert!(
        refused.contains("study.toml:7:10: inputs.position.column: column `h [kg]`: its unit must be"),
        "{refused}"
    );
}

#[test]
fn tables_that_are_no_inputs_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let plain = study(&place("plain"), "");
    let table = place("design.csv");
    let refusal = |study: &Path, text: &str| {
        fs::write(&table, text).unwrap();
        let refused = run_study(study, &place("out"), &["--inputs", path(&table)]);
        assert_eq!(code(&refused), 2, "{text}");
        assert!(!place("out").exists(), "{text}");
        standard_error(&refused)
    };
    for (text, told) in [
        ("sink_rate\n", "design.csv: it has no rows"),
        ("speed\n1\n", "design.csv: none of its columns is an input; known: "),
        ("sink_rate,sink_rate [ft/min]\n1,1\n", "`sink_rate` and `sink_rate [ft/min]` are the same input"),
        ("sink_rate,glide_slope\n1,0.05\n", "column `glide_slope`: `glide_slope` has a meaning with"),
        ("sink_rate,weight\n1,1\n1,-2\n", "row 1, `weight`: -2 must be above 0"),
        ("sink_rate,weight\n1,1e308\n1,1e308\n", "the sum of `weight` is beyond all numbers"),
        ("sink_rate [kg]\n1\n", "column `sink_rate [kg]`: its unit must be one of m/s"),
        ("sink_rate [ft/min\n1\n", "column `sink_rate [ft/min`: its unit must be one of m/s"),
        ("sink_rate\n1\nfast\n", "fast"),
        ("sink_rate,mass\n1,\n", "mass"),
        ("mass,sink_rat\n1000,1\n", "sink_rat"),
    ] {
        let said = refusal(&plain, text);
        assert!(said.contains(told) && said.contains("design.csv"), "{text}: {said}");
    }
    fs::write(&table, "sink_rate,mas,colour\n1,1000,3\n").unwrap();
    let ran = run_study(&plain, &place("misspelled"), &["--inputs", path(&table)]);
    assert_ran(&ran);
    let said = standard_error(&ran);
    assert!(said.contains("column `mas` is ignored; is `mass` meant?") && !said.contains("colour"), "{said}");
    let sampled = study(&place("sampled"), "[sampling]\nmethod = \"sobol\"\nreplicates = 10\n");
    let said = refusal(&sampled, "sink_rate\n1\n");
    assert!(said.contains("[sampling] cannot be there: a table of inputs takes its place"), "{said}");
    let stopping = study(&place("stopping"), "[stopping]\nwall_time = 1\n");
    let said = refusal(&stopping, "sink_rate\n1\n");
    assert!(said.contains("[stopping] cannot be there"), "{said}");
    let subset = study(&place("subset"), "[sampling]\nmethod = \"subset\"\nsamples = 500\n");
    let exported = output(&["study", "export-design", path(&subset), "--out", path(&place("x.csv"))]);
    assert_eq!(code(&exported), 2);
    assert!(!place("x.csv").exists());
}

#[test]
fn a_study_with_importance_exports_its_weights() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let shifted = "[sampling]\nmethod = \"importance\"\n[sampling.shift]\nsink_rate = 0.8\n";
    let study = study(&place("study"), shifted);
    let table = place("design.parquet");
    assert_eq!(code(&output(&["study", "export-design", path(&study), "--out", path(&table)])), 0);
    let wanted = [Wanted::required("weight", ColumnKind::Number)];
    let Values::Number(weights) =
        TableReader::open(&table, &wanted).unwrap().next().unwrap().unwrap().columns.remove(0)
    else {
        panic!("weights are numbers")
    };
    let mean = weights.iter().flatten().sum::<f64>() / weights.len() as f64;
    println!("mean weight {mean}");
    // Its variance is exp(0.8^2) - 1: five standard errors of 200.
    assert!((mean - 1.0).abs() < 5.0 * (0.64_f64.exp_m1() / 200.0).sqrt());
}

/// Of 1000 equidistant values 39 may be outside at 95 %, and 93 are needed (Wilks 1942).
#[test]
fn a_tolerance_interval_is_where_so_many_rows_are() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let file = study(&place("study"), "");
    fs::write(&file, format!("{ONE_STEP}[[tolerance]]\ncontent = 0.95\nconfidence = 0.95\n")).unwrap();
    let interval = |rows: u32| {
        let table = place("design.csv");
        // In steps of 37, which has no divisor in common with either number of rows.
        let values: Vec<String> =
            (0..rows).map(|row| (1.0 + f64::from(37 * row % rows) / f64::from(rows)).to_string()).collect();
        fs::write(&table, format!("sink_rate\n{}\n", values.join("\n"))).unwrap();
        let out = place(&format!("run{rows}"));
        let run = run_study(&file, &out, &["--inputs", path(&table)]);
        assert_ran(&run);
        let quantities = summary(&out)["quantities"].as_array().unwrap().clone();
        let sink_rate = quantities.iter().find(|quantity| quantity["name"] == "touchdown_sink_rate").unwrap();
        (sink_rate["tolerance"][0].clone(), standard_output(&run))
    };
    let (found, said) = interval(1000);
    println!("{found}\n{said}");
    let ends = ["lower", "upper"].map(|end| found[end].as_f64().unwrap());
    // Ends are edges of buckets, at most a thousandth apart here.
    assert!((0.961..0.964).contains(&(ends[1] - ends[0])), "{ends:?}");
    assert!((ends[0] - 1.0195).abs() < 2e-3 && (ends[1] - 1.9805).abs() < 2e-3, "{ends:?}");
    let (few, said) = interval(92);
    assert_eq!(few["values_needed"], 93, "{said}");
    assert!(few["lower"].is_null() && said.contains("needs 93 landings"), "{few} {said}");
}
