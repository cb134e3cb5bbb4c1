//! What `study check` says of a study's `[map]`.

use std::fs;

use crate::support::program::{code, manifest, output, path, standard_error, standard_output};

/// Checks the operating limits on the frigate with a change to them: standard output, standard error and exit code.
fn checked(from: &str, to: &str) -> (String, String, i32) {
    let directory = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(manifest("examples/shol.toml")).unwrap();
    assert!(text.contains(from), "{from}");
    let examples = manifest("examples");
    let absolute = |text: String, folder: &str| {
        text.replace(&format!("\"{folder}/"), &format!("\"{}/", examples.join(folder).display()))
    };
    let changed =
        absolute(absolute(text.replace(from, to), "aircraft"), "ships").replace("duration = 10", "duration = 1");
    let file = directory.path().join("study.toml");
    fs::write(&file, changed).unwrap();
    let check = output(&["study", "check", path(&file), "--engine", "native"]);
    (standard_output(&check), standard_error(&check), code(&check))
}

#[test]
fn a_check_tells_the_axes_the_cells_and_the_landings_of_a_map() {
    let (text, _, code) = checked("[map]", "[map]");
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("map: ")).take(2).collect();
    println!("{}", lines.join("\n"));
    assert!(
        lines[0].contains("heading, 7 values from 0 to 180.0 deg by sea_state, 5 values from 2.000 to 6.000"),
        "{text}"
    );
    assert!(lines[1].contains("35 cells of 200 landings each, 7000 landings in all"), "{text}");
    assert!(!text.contains("some cells cannot start") && code == 0, "{text}");
}

#[test]
fn a_check_warns_of_cells_that_cannot_start() {
    let (text, _, _) = checked("values = [2, 3, 4, 5, 6]", "values = [2, 3, 9]");
    let line =
        text.lines().find(|line| line.contains("of some cells cannot start")).unwrap_or_else(|| panic!("{text}"));
    println!("{line}");
    assert!(line.contains("warning") && line.contains("sea_state = 9") && line.contains("from 0 to 6"), "{line}");
}

#[test]
fn errors_of_a_map_show_in_a_check() {
    for (from, to, words) in [
        ("input = \"heading\"", "input = \"headings\"", ["map.x.input", "heading"]),
        ("values = [2, 3, 4, 5, 6]", "values = [2, 6, 5]", ["map.y.values", "ascend"]),
        ("points = 7", "points = 1", ["map.x.points", "2"]),
    ] {
        let (_, error, code) = checked(from, to);
        println!("{error}");
        assert!(code != 0 && words.iter().all(|word| error.contains(word)), "{error}");
    }
}
