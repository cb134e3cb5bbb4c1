//! `touchdown particle` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{gpu, list, number, read_json};
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{Particle, ParticleStep, ParticleTraces, Restitution};
use touchdown::table::{ColumnKind, TableReader, Wanted};

fn particle(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("particle").args(arguments).current_dir(directory).output().unwrap()
}

const HEADER: &str = "x,v,h,m,g,gamma,steps";

/// Item, step and row of a table of results.
fn results(path: &Path) -> Vec<(i64, i64, ParticleStep)> {
    let mut wanted = ["item", "step"].map(|name| Wanted::required(name, ColumnKind::Integer)).to_vec();
    wanted.extend(["x", "v", "gap", "n"].map(|name| Wanted::required(name, ColumnKind::Number)));
    let mut results = Vec::new();
    for chunk in TableReader::open(path, &wanted).unwrap() {
        let chunk = chunk.unwrap();
        results.extend((0..chunk.len()).map(|row| {
            let integer = |column| chunk.integers(column).unwrap()[row].unwrap();
            let number = |column| chunk.numbers(column).unwrap()[row].unwrap();
            let [position, velocity, gap, force] = [2, 3, 4, 5].map(number);
            (integer(0), integer(1), ParticleStep { position, velocity, gap, force })
        }));
    }
    results
}

/// The golden cases as a table.
fn golden() -> (String, usize) {
    let cases = read_json("contacts/table_1d.json");
    let row = |case: &serde_json::Value| {
        let cells = ["x", "v", "h", "m", "g", "gamma", "steps"].map(|name| case["input"][name].to_string());
        cells.join(",") + "\n"
    };
    let rows: String = list(&cases["cases"]).iter().map(row).collect();
    (format!("{HEADER}\n{rows}"), list(&cases["cases"]).len())
}

#[test]
fn the_golden_cases_go_through_tables_of_both_kinds() {
    let directory = tempfile::tempdir().unwrap();
    let (table, count) = golden();
    fs::write(directory.path().join("particles.csv"), table).unwrap();
    let cases = read_json("contacts/table_1d.json");
    for out in ["steps.csv", "steps.parquet"] {
        let output = particle(directory.path(), &["--items", "particles.csv", "--out", out, "--engine", "native"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let mut found = results(&directory.path().join(out)).into_iter();
        for (item, case) in (0..).zip(list(&cases["cases"])) {
            for (step, expected) in (0..).zip(list(&case["expected"]["rows"])) {
                let (found_item, found_step, row) = found.next().unwrap();
                assert_eq!((found_item, found_step), (item, step));
                let numbers = [row.position, row.velocity, row.gap, row.force];
                for (found, expected) in numbers.into_iter().zip(list(expected).iter().map(number)) {
                    assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{}", case["id"]);
                }
            }
        }
        assert!(found.next().is_none());
    }
    println!("{count} particles");
}

#[test]
fn runs_of_any_length_are_written_in_order_and_exact_restitution_can_be_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    // More steps than a call takes, in one particle and in many.
    let lengths: Vec<u32> = (0..600).map(|item| if item == 7 { 300_000 } else { 1 + item % 1000 }).collect();
    let one = |&steps: &u32| format!("1,-1,0.01,2,9.8,0.6,{steps}\n");
    let table: String = lengths.iter().map(one).collect();
    fs::write(directory.path().join("p.csv"), format!("{HEADER}\n{table}")).unwrap();
    let arguments = ["--items", "p.csv", "--out", "o.parquet", "--engine", "native", "--restitution", "exact"];
    let output = particle(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let results = results(&directory.path().join("o.parquet"));
    let places = (0..).zip(&lengths).flat_map(|(item, &steps)| (0..i64::from(steps)).map(move |step| (item, step)));
    assert!(results.iter().map(|(item, step, _)| (*item, *step)).eq(places));
    let longest =
        Particle { position: 1.0, velocity: -1.0, step: 0.01, mass: 2.0, gravity: 9.8, gamma: 0.6, steps: 300_000 };
    let expected = Native::new(1).unwrap().compute::<ParticleTraces>(Restitution::Exact, &[longest]).unwrap().remove(0);
    let rows = results.iter().filter(|(item, ..)| *item == 7).map(|(_, _, row)| *row);
    assert!(rows.eq(expected));
}

#[test]
fn the_sources_first_contact_stands_in_the_table_on_a_gpu_too() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.csv"), format!("{HEADER}\n1,-1,0.1,1,9.8,0.5,9\n")).unwrap();
    let adapter = gpu::adapter();
    let arguments = ["--items", "p.csv", "--out", "o.csv", "--engine", "gpu", "--adapter", &adapter];
    let output = particle(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read_to_string(directory.path().join("o.csv")).unwrap().starts_with("item,step,x,v,gap,n\n0,0,1.0,"));
    let contact = results(&directory.path().join("o.csv"))[3].2;
    assert!((contact.force - 36.8).abs() < 1e-3 && (contact.gap + 0.184).abs() < 1e-5, "{contact:?}");
}

#[test]
fn rows_that_cannot_be_are_refused_by_row_column_and_value_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let good = "1,-1,0.1,1,9.8,0.5,9";
    for (row, words) in [
        ("-1,-1,0.1,1,9.8,0.5,9", "row 1 (the first is 0): column x: -1e0 must be between 0e0 and 1e30"),
        ("1,-1e31,0.1,1,9.8,0.5,9", "column v: -1e31 must be between -1e30 and 1e30"),
        ("1,-1,0,1,9.8,0.5,9", "column h: 0e0 must be between 1e-30 and 1e30"),
        ("1,-1,0.1,-2,9.8,0.5,9", "column m: -2e0 must be"),
        ("1,-1,0.1,1,-9.8,0.5,9", "column g: -9.8e0 must be between 0e0"),
        ("1,-1,0.1,1,9.8,1.5,9", "column gamma: 1.5e0 must be between 1e-6 and 1e0"),
        ("1,-1,0.1,1,9.8,0,9", "column gamma: 0e0 must be"),
        ("1,-1,0.1,1,9.8,0.5,0", "column steps: 0 must be between 1 and 1048576"),
        ("1,-1,0.1,1,9.8,0.5,1048577", "column steps: 1048577 must be"),
        ("1,nan,0.1,1,9.8,0.5,9", "column v"),
        ("1,,0.1,1,9.8,0.5,9", "column v: there is no value"),
        ("1,-1,0.1,1,9.8,0.5,2.5", "steps"),
    ] {
        fs::write(directory.path().join("p.csv"), format!("{HEADER}\n{good}\n{row}\n")).unwrap();
        let output = particle(directory.path(), &["--items", "p.csv", "--out", "o.csv", "--engine", "native"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{row}: {errors}");
        assert!(errors.contains(words) && errors.contains("p.csv"), "{row}: {errors}");
        assert!(!directory.path().join("o.csv").exists());
    }
    let output = particle(directory.path(), &["--items", "p.csv", "--out", "o.csv", "--restitution", "some"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nominal, exact"));
}
