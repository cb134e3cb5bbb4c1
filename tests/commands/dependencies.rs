//! Libraries that the program is made of: licences and sources are those that `deny.toml` allows.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use touchdown::document::Document;

use crate::support::program::manifest;

/// Licences and registries that are allowed.
fn allowed() -> [BTreeSet<String>; 2] {
    let document = Document::read(&manifest("deny.toml")).unwrap();
    let list = |table: &'static str, key: &'static str| {
        let words = document.root().required_table(table).unwrap().required(key).unwrap().array().unwrap();
        words.iter().map(|word| word.string().unwrap().to_owned()).collect()
    };
    [list("licenses", "allow"), list("sources", "allow-registry")]
}

/// Whether an expression of SPDX can be met with these licences.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let inner = expression.trim();
    for (operator, all) in [(" AND ", true), (" OR ", false)] {
        let parts = split_outside_brackets(inner, operator);
        if parts.len() > 1 {
            let mut met = parts.iter().map(|part| is_met(part, allowed));
            return if all { met.all(|met| met) } else { met.any(|met| met) };
        }
    }
    match inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(bracketed) => is_met(bracketed, allowed),
        None => allowed.contains(inner),
    }
}

fn split_outside_brackets<'a>(text: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (place, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && text[place..].starts_with(operator) => {
                parts.push(&text[start..place]);
                start = place + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// What a command prints that runs where the manifest is.
fn run(command: &mut Command) -> String {
    let output = command.current_dir(manifest(".")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_library_has_a_licence_and_a_source_that_are_allowed() {
    // Those of this platform are here, since the tests are built of them; those of other members may have to be fetched.
    let version = run(Command::new("rustc").arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let command = ["metadata", "--locked", "--format-version", "1", "--filter-platform", host];
    let metadata: serde_json::Value = serde_json::from_str(&run(Command::new(env!("CARGO")).args(command))).unwrap();
    let [licences, registries] = allowed();
    let mut counted = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let (name, licence) = (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or("none"));
        assert!(is_met(licence, &licences), "{name}: {licence} is not allowed by deny.toml");
        // The packages of this workspace have no source.
        let source = package["source"].as_str().map(|source| source.trim_start_matches("registry+"));
        assert!(source.is_none_or(|source| registries.contains(source)), "{name}: {source:?} is not allowed");
        counted += 1;
    }
    println!("{counted} libraries");
    assert!(counted > 100, "only {counted} libraries");
}

/// Libraries with the features that they are built with, for this package and these kinds of dependencies.
fn features(package: &str, kinds: &str) -> BTreeMap<String, BTreeSet<String>> {
    let command = ["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p}: {f}"];
    let tree = run(Command::new(env!("CARGO")).args(command).args(["--package", package, "--edges", kinds]));
    let mut features = BTreeMap::<_, BTreeSet<_>>::new();
    for line in tree.lines() {
        let (library, with) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        features.entry(library.to_owned()).or_default().insert(with.to_owned());
    }
    features
}

#[test]
fn libraries_are_built_once_for_the_tests_and_for_the_wheel() {
    let of_tests = features("touchdown", "normal,build,dev");
    let of_wheel = features("touchdown-python", "normal,build");
    let mut both = 0;
    for (library, with) in &of_tests {
        if let Some(other) = of_wheel.get(library) {
            assert_eq!(with, other, "{library}: see workspace-hack/Cargo.toml");
            both += 1;
        }
    }
    println!("{both} libraries in both");
    assert!(both > 100, "only {both} libraries in both");
}

#[test]
fn expressions_of_licences_are_read_as_spdx_means_them() {
    let allowed = ["MIT", "Unicode-3.0"].map(str::to_owned).into();
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(GPL-3.0 OR Apache-2.0) AND Unicode-3.0", false),
        ("Unlicense/MIT", true),
        ("MIT AND (Unicode-3.0 OR GPL-3.0)", true),
        ("none", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}
