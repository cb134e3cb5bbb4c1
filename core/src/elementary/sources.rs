//! No room whose numbers go into trials calls the system's elementary functions.

use std::path::{Path, PathBuf};

/// Rooms of this crate, and others beside it, that make numbers of trials.
const ROOMS: [&str; 19] = [
    "air_forces",
    "airframe",
    "deck",
    "encounter",
    "flight",
    "flight_controls",
    "function",
    "integrator",
    "native",
    "oriented/simulation",
    "propulsion",
    "query",
    "random.rs",
    "reference",
    "scene",
    "vehicle",
    "world",
    "../../src/study/sampling",
    "../../src/study/subset/replicate.rs",
];

/// What draws, and what tells of the stability of laws.
const PICTURES_AND_REPORTS: [&str; 2] = ["encounter/platoon/view.rs", "airframe/tuning.rs"];

/// Functions of [`f64`] that the system's library computes.
const OF_NUMBERS: [&str; 25] = [
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "cbrt", "hypot", "sin", "cos", "tan",
    "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
];

/// Functions of glam that call those.
const OF_GLAM: [&str; 12] = [
    "from_rotation_x",
    "from_rotation_y",
    "from_rotation_z",
    "from_axis_angle",
    "from_scaled_axis",
    "from_angle",
    "from_euler",
    "to_axis_angle",
    "to_euler",
    "angle_between",
    "angle_to",
    "slerp",
];

/// Calls in a text, as it would have them.
fn calls() -> impl Iterator<Item = String> {
    let of_numbers = OF_NUMBERS.iter().flat_map(|name| [format!(".{name}("), format!("f64::{name}")]);
    of_numbers.chain(OF_GLAM.iter().map(|name| format!("{name}(")))
}

/// Files of a room, without those of tests.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.extension().is_some() {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_stem().is_some_and(|name| name != "tests")).flat_map(|path| files(&path)).collect()
}

/// Lines of code, up to the tests at the end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).take_while(|(_, line)| *line != "mod tests {");
    lines.map(|(number, line)| (number, line.split("//").next().unwrap_or_default()))
}

#[test]
fn numbers_of_trials_are_made_without_the_systems_elementary_functions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let calls: Vec<String> = calls().collect();
    let mut seen = 0;
    let mut found = Vec::new();
    for path in ROOMS.iter().flat_map(|room| files(&root.join(room))) {
        if PICTURES_AND_REPORTS.iter().any(|own| path.ends_with(own)) {
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in code(&text) {
            if calls.iter().any(|call| line.contains(call)) {
                found.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(seen > 100, "only {seen} files");
    assert!(found.is_empty(), "use crate::elementary:\n{}", found.join("\n"));
}
