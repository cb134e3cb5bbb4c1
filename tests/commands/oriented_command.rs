//! `touchdown oriented` as it is called.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{list, number, read_json, text};
use serde_json::Value;
use touchdown::table::{ColumnKind, TableReader, Wanted};

const HEAD: &str = "step,target,initiator,penetration,collision,collision_last,minimum_translation\n";

fn oriented(directory: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("oriented").args(arguments.split_whitespace()).current_dir(directory).output().unwrap()
}

fn done(directory: &Path, arguments: &str) {
    let output = oriented(directory, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Rows of numbers and a point.
fn rows(head: &str, rows: impl IntoIterator<Item = (String, Value)>) -> String {
    let mut table = format!("{head}\n");
    for (numbers, point) in rows {
        writeln!(table, "{numbers},{:?},{:?}", number(&point[0]), number(&point[1])).unwrap();
    }
    table
}

fn mask(column: &Value) -> u64 {
    list(column).iter().enumerate().fold(0, |mask, (i, bit)| mask | bit.as_u64().unwrap() << i)
}

#[test]
fn tables_of_the_golden_cases_give_the_golden_configurations() {
    let directory = tempfile::tempdir().unwrap();
    let file = read_json("contacts/sat.json");
    for (index, case) in list(&file["cases"]).iter().enumerate() {
        let (input, expected) = (&case["input"], &case["expected"]);
        let numbered = |name: &'static str| list(&input[name]).iter().enumerate();
        let targets = numbered("vertices").flat_map(|(step, vertices)| {
            list(vertices).iter().enumerate().map(move |(i, v)| (format!("{step},0,{i}"), v.clone()))
        });
        let initiators = numbered("initiators").flat_map(|(step, places)| {
            list(places).iter().enumerate().map(move |(j, q)| (format!("{step},{j}"), q.clone()))
        });
        fs::write(directory.path().join("t.csv"), rows("step,target,vertex,x,y", targets)).unwrap();
        fs::write(directory.path().join("i.csv"), rows("step,initiator,x,y", initiators)).unwrap();
        // Ties are exact in f64 alone.
        let is_tied = case["exact_ties"].as_bool().unwrap();
        let engine = if index % 3 == 0 && !is_tied { "gpu --adapter llvmpipe" } else { "native" };
        done(directory.path(), &format!("--targets t.csv --initiators i.csv --out o.csv --engine {engine}"));

        let mut right = HEAD.to_owned();
        for (step, columns) in list(&expected["P"]).iter().enumerate() {
            for j in 0..list(columns).len() {
                let of = |name: &str| mask(&expected[name][step][j]);
                let nearest = expected["mtv"][step][j].as_i64().unwrap();
                writeln!(right, "{step},0,{j},{},{},{},{nearest}", of("P"), of("C"), of("C_last")).unwrap();
            }
        }
        assert_eq!(fs::read_to_string(directory.path().join("o.csv")).unwrap(), right, "{}", text(&case["id"]));
    }
}

/// A square as target 0 of a step.
fn square(step: u32) -> String {
    format!("{step},0,0,0,0\n{step},0,1,0,1\n{step},0,2,1,1\n{step},0,3,1,0\n")
}

/// A square that stays, and a triangle that comes along, for two steps.
fn two_targets() -> String {
    let triangle = |step: u32| format!("{step},1,0,3,0\n{step},1,1,4,2\n{step},1,2,5,{}\n", f64::from(step) * 0.25);
    format!("step,target,vertex,x,y\n{}{}{}{}", square(0), triangle(0), square(1), triangle(1))
}

#[test]
fn several_targets_and_initiators_stand_pair_by_pair_and_parquet_says_what_columns_are() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("t.csv"), two_targets()).unwrap();
    let places = "step,initiator,x,y\n0,0,0.5,1.5\n0,1,9,9\n1,0,0.5,0.6\n1,1,4,1\n";
    fs::write(directory.path().join("i.csv"), places).unwrap();
    done(directory.path(), "--targets t.csv --initiators i.csv --out o.csv --engine reference");
    let written = fs::read_to_string(directory.path().join("o.csv")).unwrap();
    let pairs: Vec<&str> = written.lines().skip(1).collect();
    assert_eq!(pairs.len(), 8);
    assert_eq!(pairs[4], "1,0,0,15,2,2,1");
    assert_eq!(pairs[7].split(',').take(4).collect::<Vec<_>>(), ["1", "1", "1", "7"]);

    done(directory.path(), "--targets t.csv --initiators i.csv --out o.parquet --engine reference");
    let wanted = [Wanted::required("minimum_translation", ColumnKind::Integer)];
    let mut reader = TableReader::open(&directory.path().join("o.parquet"), &wanted).unwrap();
    assert_eq!(reader.metadata()["touchdown.engine"], "reference");
    assert_eq!(reader.metadata()["touchdown.version"], env!("CARGO_PKG_VERSION"));
    let values = reader.next().unwrap().unwrap();
    assert_eq!(values.integers(0).unwrap()[4], Some(1));
}

#[test]
fn a_picture_shows_targets_paths_and_both_directions() {
    let directory = tempfile::tempdir().unwrap();
    let plate = |step: u32| format!("{step},0,0,0,0\n{step},0,1,0,0.1\n{step},0,2,1,0.1\n{step},0,3,1,0\n");
    let targets = format!("step,target,vertex,x,y\n{}{}", plate(0), plate(1));
    fs::write(directory.path().join("t.csv"), targets).unwrap();
    fs::write(directory.path().join("i.csv"), "step,initiator,x,y\n0,0,0.5,0.2\n1,0,0.5,0.02\n").unwrap();
    let line = "--targets t.csv --initiators i.csv --out o.csv --picture p.svg --engine reference";
    done(directory.path(), line);
    let picture = fs::read_to_string(directory.path().join("p.svg")).unwrap();
    let document = roxmltree::Document::parse(&picture).unwrap();
    let of_class = |class: &str| document.descendants().filter(|node| node.attribute("class") == Some(class)).count();
    assert_eq!((of_class("before"), of_class("target"), of_class("path")), (1, 1, 1));
    // Up and out where it came from, and down through the plate.
    assert_eq!((of_class("collision"), of_class("minimum")), (1, 1));
    let clash = oriented(directory.path(), "--targets t.csv --initiators i.csv --out o.csv --picture o.csv");
    assert_eq!(clash.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&clash.stderr).contains("--picture o.csv: --out writes there"));
    let other = oriented(directory.path(), "--targets t.csv --initiators i.csv --out o.csv --picture p.png");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("--picture p.png: must end in .svg"));
}

#[test]
fn tables_that_cannot_be_are_refused_by_row_column_and_value_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let good_targets = format!("step,target,vertex,x,y\n{}", square(0));
    let good_places = "step,initiator,x,y\n0,0,0.5,1.5\n".to_owned();
    let second = |without: &str| good_targets.clone() + &square(1).replace(without, "");
    for (targets, places, words) in [
        (
            good_targets.replace("0,0,2,1,1", "0,0,2,0.1,0.1"),
            good_places.clone(),
            "t.csv: row 3 (the first is 0): target 0 of step 0",
        ),
        (
            good_targets.replace("0,0,2,1,1", "0,0,2,1e10,1"),
            good_places.clone(),
            "t.csv: row 2 (the first is 0): column x: 1e10 must be between -1e9 and 1e9",
        ),
        (good_targets.replace("0,0,2,1,1\n", "0,0,2,0,1\n"), good_places.clone(), "it is 0e0 m from the next"),
        (
            good_targets.replace("0,0,2,1,1\n", ""),
            good_places.clone(),
            "row 2 (the first is 0): column vertex: 3 stands where 2 should",
        ),
        (
            good_targets.replace("0,0,2,1,1\n0,0,3,1,0\n", ""),
            good_places.clone(),
            "there are 2 vertices; a target has from 3 to 32",
        ),
        (good_targets.replace("0,0,", "0,1,"), good_places.clone(), "column target: 1 stands where 0 should"),
        (good_targets.replace("0,0,", "1,0,"), good_places.clone(), "column step: 1 stands where 0 should"),
        (
            good_targets.clone(),
            "step,initiator,x,y\n0,0,0.5,1.5\n2,0,0,0\n".to_owned(),
            "i.csv: row 1 (the first is 0): column step: 2 stands where 0 or 1 should",
        ),
        (
            good_targets.clone(),
            "step,initiator,x,y\n0,1,0.5,1.5\n".to_owned(),
            "column initiator: 1 stands where 0 should",
        ),
        (good_targets.clone(), "step,initiator,x,y\n0,0,0.5,\n".to_owned(), "y"),
        (good_targets.clone(), "step,initiator,x,y\n0,0,0.5,-2e9\n".to_owned(), "column y: -2e9 must be between"),
        (good_targets.clone(), "step,initiator,x\n0,0,0.5\n".to_owned(), "no column \"y\""),
        (good_targets.clone(), good_places.clone() + "1,0,0,0\n", "t.csv: there is no step 1, which i.csv has"),
        (second("none"), good_places.clone(), "i.csv: there is no step 1, which t.csv has"),
        (
            second("1,0,3,1,0\n"),
            good_places.clone() + "1,0,0,0\n",
            "target 0 has 3 vertices in step 1; in step 0 it has 4",
        ),
        (second("none"), good_places.clone() + "1,0,0,0\n1,1,0,0\n", "step 1 has 2 initiators; step 0 has 1"),
    ] {
        fs::write(directory.path().join("t.csv"), &targets).unwrap();
        fs::write(directory.path().join("i.csv"), &places).unwrap();
        let line = "--targets t.csv --initiators i.csv --out o.csv --picture p.svg --engine native";
        let output = oriented(directory.path(), line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {errors}");
        assert!(errors.contains(words), "{words}: {errors}");
        assert!(!directory.path().join("o.csv").exists() && !directory.path().join("p.svg").exists(), "{words}");
    }
}
