//! `touchdown lcp` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::program::{code, manifest, path, standard_error, standard_output};
use crate::support::{list, number, text};

fn solve(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(["lcp", "solve"]).args(arguments).current_dir(directory).output().unwrap()
}

fn siconos(name: &str) -> String {
    path(&manifest("tests/data/siconos").join(format!("lcp_{name}.dat"))).to_owned()
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

#[test]
fn every_solver_writes_the_solution_of_files_of_siconos_and_documents() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("p.json"), r#"{"matrix": [[2, 1], [1, 2]], "vector": [-5, -6]}"#).unwrap();
    fs::write(here.join("p.toml"), "matrix = [[2, 1], [1, 2]]\nvector = [-5, -6]\n").unwrap();
    for file in ["p.json", "p.toml", &siconos("deudeu"), &siconos("deudeu_block")] {
        for solver in ["lemke", "pgs", "coloured", "jacobi", "enumerate"] {
            let output = solve(here, &[file, "--solver", solver, "--out", "z.json"]);
            assert_eq!(code(&output), 0, "{file} {solver}: {}", standard_error(&output));
            assert!(standard_output(&output).starts_with("solved, "), "{}", standard_output(&output));
            let written: Value = serde_json::from_str(&fs::read_to_string(here.join("z.json")).unwrap()).unwrap();
            assert_eq!(text(&written["status"]), "solved");
            let z = numbers(&written["z"]);
            // The condition is 3, and sweeps end at a residual of some 1e-10.
            assert!((z[0] - 4.0 / 3.0).abs() < 1e-9 && (z[1] - 7.0 / 3.0).abs() < 1e-9, "{z:?}");
            let largest = numbers(&written["w"]).into_iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
            assert_eq!(number(&written["residual"]), largest);
            assert!(written["iterations"].as_u64().unwrap() > 0);
            assert_eq!(written.get("omega_bound").is_some(), solver == "jacobi");
            // Both unknowns couple.
            assert_eq!(written.get("colours").and_then(Value::as_u64), (solver == "coloured").then_some(2));
            assert_eq!(written.get("solutions").is_some(), solver == "enumerate");
        }
    }
    // Lemke's pivots are the default, and standard output the place.
    let output = solve(here, &["p.json"]);
    let written: Value = serde_json::from_str(&standard_output(&output)).unwrap();
    assert_eq!((code(&output), written["iterations"].as_u64()), (0, Some(3)));
    assert_eq!(written.as_object().unwrap().keys().collect::<Vec<_>>(), ["iterations", "residual", "status", "w", "z"]);
}

#[test]
fn what_is_not_solved_has_a_status_and_an_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("d.json"), r#"{"matrix": [[1, -3], [-3, 1]], "vector": [-1, -1]}"#).unwrap();
    for (file, solver, expected, status) in [
        (siconos("CPS_3"), "lemke", 6, "ray"),
        (siconos("CPS_3"), "enumerate", 0, "solved"),
        (siconos("Pang_isolated_sol_perturbed"), "lemke", 6, "ray"),
        (siconos("Pang_isolated_sol_perturbed"), "enumerate", 1, "no_solution"),
        ("d.json".to_owned(), "pgs", 6, "diverged"),
        ("d.json".to_owned(), "jacobi", 6, "diverged"),
        (siconos("tobenna"), "lemke", 0, "solved"),
    ] {
        let output = solve(here, &[&file, "--solver", solver]);
        assert_eq!(code(&output), expected, "{file} {solver}: {}", standard_error(&output));
        let written: Value = serde_json::from_str(&standard_output(&output)).unwrap();
        assert_eq!(text(&written["status"]), status, "{file} {solver}");
        assert_eq!(written["z"].is_null(), status == "no_solution");
        if solver == "enumerate" {
            assert_eq!(list(&written["solutions"]).len(), if expected == 0 { 3 } else { 0 });
        }
    }
}

#[test]
fn what_cannot_be_solved_is_refused_by_name_and_writes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("p.json"), r#"{"matrix": [[2, 1], [1, 2]], "vector": [-5, -6]}"#).unwrap();
    fs::write(here.join("oblong.json"), r#"{"matrix": [[2, 1, 0], [1, 2, 0]], "vector": [-5, -6]}"#).unwrap();
    fs::write(here.join("nan.dat"), "2\n0\n2\n2\n2 2\n1 0\n0 nan\n1 1\n").unwrap();
    for (arguments, words) in [
        (&["absent.dat"][..], "absent.dat: cannot be read"),
        (&["."], "cannot be read"),
        (&["oblong.json"], "oblong.json:1:13: matrix[0]: has 3 entries: must have 2, as many as the matrix has rows"),
        (&["nan.dat"], "nan.dat:7: matrix[1][1]: nan is not allowed: must be a finite number"),
        (&["p.json", "--out", "p.json"], "would overwrite"),
        (&["p.json", "--out", "nowhere/z.json"], "nowhere"),
        (&["p.json", "--solver", "guess"], "guess"),
        (&[&siconos("CPS_2"), "--solver", "pgs"], "lcp_CPS_2.dat: matrix[0][0]: 0e0 is not allowed: sweeps divide"),
        (&[&siconos("CPS_2"), "--solver", "jacobi"], "lcp_CPS_2.dat: matrix[0][0]: 0e0 is not allowed: sweeps divide"),
        (&[&siconos("mmc"), "--solver", "enumerate"], "lcp_mmc.dat: 26 unknowns: enumeration takes at most 20"),
    ] {
        let output = solve(here, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", standard_error(&output));
        assert!(standard_error(&output).contains(words), "{arguments:?}: {}", standard_error(&output));
        assert!(!standard_error(&output).contains("panicked") && output.stdout.is_empty());
    }
    assert_eq!(fs::read_dir(here).unwrap().count(), 3);
}

#[test]
fn contacts_with_friction_are_solved_by_nsgs_and_by_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let rover = path(&manifest("tests/data/siconos/fc3d/Rover1039.dat")).to_owned();
    let json = r#"{"dimension": 2, "matrix": [[2, 0], [0, 1]], "vector": [-4, 3], "friction": [0.5]}"#;
    fs::write(here.join("p.json"), json).unwrap();
    for arguments in [&["p.json"][..], &["p.json", "--solver", "nsgs"], &[&rover, "--solver", "nsgs"]] {
        let output = solve(here, arguments);
        assert_eq!(code(&output), 0, "{}", standard_error(&output));
        let written: Value = serde_json::from_str(&standard_output(&output)).unwrap();
        assert_eq!(text(&written["status"]), "solved");
        assert!(number(&written["residual"]) <= 1e-8 && written["newton_steps"].as_u64() == Some(0));
        let keys: Vec<_> = written.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["iterations", "newton_steps", "r", "residual", "status", "u"]);
        if arguments[0] == "p.json" {
            // Pressed by 2, it slides on at 2 of 3.
            assert_eq!((numbers(&written["r"]), numbers(&written["u"])), (vec![2.0, -1.0], vec![0.0, 2.0]));
        }
    }
    let output = solve(here, &[&rover, "--out", "r.json"]);
    assert!(standard_output(&output).starts_with("solved, 25 iterations, residual "), "{}", standard_output(&output));
    for solver in ["lemke", "pgs", "coloured", "jacobi", "enumerate"] {
        let output = solve(here, &["p.json", "--solver", solver]);
        let message = "p.json: has friction, which nsgs alone solves: take --solver nsgs";
        assert!(code(&output) == 2 && standard_error(&output).contains(message), "{}", standard_error(&output));
    }
    let output = solve(here, &[&siconos("deudeu"), "--solver", "nsgs"]);
    let message = "lcp_deudeu.dat: is without friction, and nsgs is for contacts with it";
    assert!(code(&output) == 2 && standard_error(&output).contains(message), "{}", standard_error(&output));
    fs::write(here.join("s.json"), json.replace("[0, 1]", "[0, 0]")).unwrap();
    let output = solve(here, &["s.json"]);
    let message = "s.json: contact 0: the symmetric part of its block";
    assert!(code(&output) == 2 && standard_error(&output).contains(message), "{}", standard_error(&output));
}
