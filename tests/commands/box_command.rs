//! `touchdown box-normals` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{flag, list, number, read_json, text, vector};
use glam::DVec3;
use serde_json::Value;
use touchdown::table::{Column, ColumnKind, TableReader, TableWriter, Values, Wanted};

fn box_normals(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("box-normals").args(arguments).current_dir(directory).output().unwrap()
}

/// The numbers of a body in the order of its columns.
fn row(body: &Value) -> Vec<f64> {
    let numbers = |value: &Value| list(value).iter().map(number).collect::<Vec<f64>>();
    let mut row = if body.get("F").is_some() {
        [numbers(&body["SA"]), list(&body["F"]).iter().flat_map(numbers).collect(), vec![number(&body["R"])]].concat()
    } else {
        [numbers(&body["L"]), vec![number(&body["R"])], numbers(&body["q"])].concat()
    };
    row.extend(numbers(&body["r"]));
    row
}

fn header(body: &Value, prefix: &str) -> Vec<String> {
    let columns = if body.get("F").is_some() {
        "sa1 sa2 sa3 f11 f12 f13 f21 f22 f23 f31 f32 f33 radius rx ry rz"
    } else {
        "l1 l2 l3 radius qw qx qy qz rx ry rz"
    };
    columns.split(' ').map(|name| format!("{prefix}{name}")).collect()
}

/// Rows of numbers as a table of either kind.
fn write(path: &Path, header: &[String], rows: &[Vec<f64>]) {
    let columns: Vec<Column> = header.iter().map(|name| Column::new(name, ColumnKind::Number, "", "")).collect();
    let mut writer = TableWriter::create(path, &columns, &[]).unwrap();
    let column = |column: usize| Values::Number(rows.iter().map(|row| Some(row[column])).collect());
    let columns = (0..header.len()).map(column).collect();
    writer.write(&touchdown::table::Chunk { first_row: 0, columns }).unwrap();
    writer.finish().unwrap();
}

/// The normals and the last column of a table of results.
fn results(path: &Path, normal: [&str; 3], part: &str) -> Vec<(String, Option<DVec3>, String)> {
    let text = |name| Wanted::required(name, ColumnKind::Text);
    let mut wanted = vec![text("status"), text(part)];
    wanted.extend(normal.map(|name| Wanted::optional(name, ColumnKind::Number)));
    let chunk = TableReader::open(path, &wanted).unwrap().next().unwrap().unwrap();
    (0..chunk.len())
        .map(|row| {
            let value = |column| chunk.numbers(column).unwrap()[row];
            let normal = value(2).map(|x| DVec3::new(x, value(3).unwrap(), value(4).unwrap()));
            let word = |column| chunk.texts(column).unwrap()[row].clone().unwrap();
            (word(0), normal, word(1))
        })
        .collect()
}

#[test]
fn boxes_deformed_bodies_and_pairs_give_the_golden_normals() {
    let directory = tempfile::tempdir().unwrap();
    let cases = read_json("contacts/box_normals.json");
    let all: Vec<&Value> = list(&cases["cases"]).iter().filter(|case| !flag(&case["ill_conditioned"])).collect();
    let is_pair = |case: &&&Value| case["input"].get("body1").is_some();
    let is_deformed = |case: &&&Value| case["input"].get("F").is_some();
    let boxes: Vec<&Value> = all.iter().filter(|case| !is_pair(case) && !is_deformed(case)).copied().collect();
    let deformed: Vec<&Value> = all.iter().filter(is_deformed).copied().collect();
    let pairs: Vec<&Value> = all.iter().filter(is_pair).copied().collect();
    for (name, cases, ending) in [("boxes", boxes, "csv"), ("deformed", deformed, "parquet"), ("pairs", pairs, "csv")] {
        let (contacts, out) = (format!("{name}.csv"), format!("out.{ending}"));
        let first = &cases[0]["input"];
        let bodies: &[&str] = if name == "pairs" { &["body1", "body2"] } else { &[] };
        let of_bodies = |case: &Value| bodies.iter().flat_map(|body| row(&case["input"][body])).collect::<Vec<f64>>();
        let (names, rows): (Vec<String>, Vec<Vec<f64>>) = if bodies.is_empty() {
            (header(first, ""), cases.iter().map(|case| row(&case["input"])).collect())
        } else {
            let names = bodies.iter().flat_map(|body| header(&first[body], &format!("{body}_"))).collect();
            (names, cases.iter().map(|case| of_bodies(case)).collect())
        };
        write(&directory.path().join(&contacts), &names, &rows);
        let output = box_normals(directory.path(), &["--contacts", &contacts, "--out", &out, "--engine", "native"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let (normal, part, key) = match name {
            "pairs" => (["n1x", "n1y", "n1z"], "case", "n1"),
            _ => (["nx", "ny", "nz"], "region", "normal"),
        };
        let results = results(&directory.path().join(out), normal, part);
        assert_eq!(results.len(), cases.len());
        for (case, (status, normal, found)) in cases.iter().zip(results) {
            assert_eq!((status.as_str(), found.as_str()), ("ok", text(&case["expected"][part])), "{}", case["id"]);
            // As tests/geometry/box_normals.rs has it, for the smallest radius that is not ill-conditioned.
            assert!((normal.unwrap() - vector(&case["expected"][key])).length() < 1e-12, "{}", case["id"]);
        }
        println!("{name}: {} rows", cases.len());
    }
}

#[test]
fn sharp_edges_leave_cells_empty() {
    let directory = tempfile::tempdir().unwrap();
    let table = "l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz\n4,2,1,0,1,0,0,0,2,1,0\n4,2,1,0,1,0,0,0,2,0.5,0\n";
    fs::write(directory.path().join("c.csv"), table).unwrap();
    let output = box_normals(directory.path(), &["--contacts", "c.csv", "--out", "o.csv", "--engine", "reference"]);
    assert_eq!(output.status.code(), Some(0));
    let written = fs::read_to_string(directory.path().join("o.csv")).unwrap();
    assert_eq!(written, "status,nx,ny,nz,region\ndegenerate,,,,edge\nok,1.0,0.0,0.0,face\n");
}

#[test]
fn columns_of_other_things_do_not_make_a_table_one_of_pairs() {
    let directory = tempfile::tempdir().unwrap();
    let table = "body,l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz,body_mass\n7,4,2,1,0,1,0,0,0,2,0.5,0,1200\n";
    fs::write(directory.path().join("c.csv"), table).unwrap();
    let output = box_normals(directory.path(), &["--contacts", "c.csv", "--out", "o.csv", "--engine", "reference"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let written = fs::read_to_string(directory.path().join("o.csv")).unwrap();
    assert_eq!(written, "status,nx,ny,nz,region\nok,1.0,0.0,0.0,face\n");
}

#[test]
fn rows_that_cannot_be_are_refused_by_row_column_and_value_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let header = "l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz";
    let good = "5,3,2.9,0.3,1,0,0,0,1,1,1";
    let deformed = "sa1,sa2,sa3,f11,f12,f13,f21,f22,f23,f31,f32,f33,radius,rx,ry,rz";
    for (header, row, words) in [
        (
            header,
            "5,3,2.9,1.5,1,0,0,0,1,1,1",
            "row 1 (the first is 0): column radius: 1.5e0 must be between 0 and 1.45e0",
        ),
        (header, "5,3,2.9,-1,1,0,0,0,1,1,1", "column radius: -1e0 must be"),
        (header, "5,-3,2.9,0.3,1,0,0,0,1,1,1", "column l2: -3e0 must be positive"),
        (header, "5,3,1e-9,0,1,0,0,0,1,1,1", "none above 1e8 times another"),
        (header, "5,3,2.9,0.3,0,0,0,0,1,1,1", "the quaternion has length 0e0"),
        (header, "5,3,2.9,0.3,1,0,0,0,0,0,0", "the contact vector is [0, 0, 0]"),
        (header, "5,3,2.9,0.3,1,0,0,0,1e61,0,0", "column rx: 1e61 is above 1e60"),
        (header, "5,3,2.9,0.3,1,0,0,0,nan,0,0", "column rx"),
        (header, "5,3,2.9,0.3,1,0,0,0,,0,0", "column rx: there is no value"),
        ("l1,l2,l3,radius,qw,qx,qy,rx,ry,rz", "5,3,2.9,0.3,1,0,0,1,1,1", "no column \"qz\""),
        (deformed, "1,1,1,1,0,0,0,1,0,1,1,0,0.1,1,1,1", "f11 to f33: the deformation gradient flattens the body"),
        (deformed, "0,1,1,1,0,0,0,1,0,0,0,1,0.1,1,1,1", "column sa1: 0e0 must be positive"),
        ("body1_l1,l2", "1,2", "no column \"body1_l2\""),
        (
            "l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz,sa1,f33",
            "5,3,2.9,0.3,1,0,0,0,1,1,1,5,1",
            "columns l1, l2, l3, qw, qx, qy, qz and sa1, f33: a body is given by its box or by its deformation",
        ),
        ("body1_l1,body2_l1,body2_f12", "1,1,1", "columns body2_l1 and body2_f12: a body is given by"),
    ] {
        let text = if header.starts_with('l') && header.len() > 35 {
            format!("{header}\n{good}\n{row}\n")
        } else {
            format!("{header}\n{row}\n")
        };
        fs::write(directory.path().join("c.csv"), text).unwrap();
        let output = box_normals(directory.path(), &["--contacts", "c.csv", "--out", "o.csv", "--engine", "native"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{row}: {errors}");
        assert!(errors.contains(words) && errors.contains("c.csv"), "{row}: {errors}");
        assert!(!directory.path().join("o.csv").exists());
    }
}
