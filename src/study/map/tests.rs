use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::engine::Engine;
use crate::native::Native;
use crate::reference::Reference;
use crate::study::Study;
use crate::study::sampling::Method;
use crate::study::statistics::{clopper_pearson_lower, clopper_pearson_upper};

const STUDY: &str = r#"
model = "particle"
particles = 1600
steps = 30
seed = 5

[inputs.position]
distribution = "normal"
mean = 1.0
sd = 0.05

[inputs.velocity]
distribution = "normal"
mean = -1.0
sd = 0.3

[inputs.step]
distribution = "constant"
value = 0.02

[inputs.gamma]
distribution = "uniform"
min = 0.55
max = 0.65

[criteria.high_rebound]
quantity = "rebound_height"
above = 0.42
probability = 0.1

[criteria.hard_blow]
quantity = "peak_force"
above = "380 N"
probability = 0.2
"#;

const MAP: &str = r#"
[map]
particles = 3000
x = { input = "gamma", from = 0.5, to = 0.75, points = 3 }
y = { input = "position", values = [0.9, 1.1] }
"#;

fn study_of(directory: &Path, text: &str) -> Result<Study, String> {
    let file = directory.join("study.toml");
    fs::write(&file, text).unwrap();
    Study::read(&file).map_err(|error| error.to_string())
}

fn mapped(study: &Study, engine: &dyn Engine, directory: &Path) -> Result<Map, MapError> {
    Ok(map(study, engine, directory, &mut |_, _, _| {}, &AtomicBool::new(false))?.unwrap())
}

/// All files below a directory, by their names in it; but the lock.
fn bytes_below(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                files.insert(path.strip_prefix(directory).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// A cell is the study with both inputs held by hand: the same draws, the same outcomes, and the study's bounds.
#[test]
fn a_cell_is_the_study_with_its_two_inputs_constant() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Native::new(1).unwrap();
    let study = study_of(directory.path(), &(STUDY.to_owned() + MAP)).unwrap();
    let found = mapped(&study, &engine, &directory.path().join("map")).unwrap();
    let held = STUDY
        .replace("distribution = \"uniform\"\nmin = 0.55\nmax = 0.65", "distribution = \"constant\"\nvalue = 0.625")
        .replace("distribution = \"normal\"\nmean = 1.0\nsd = 0.05", "distribution = \"constant\"\nvalue = 1.1");
    let held = study_of(directory.path(), &held).unwrap();
    let inputs: Vec<_> = (0..3000).map(|trial| held.inputs_of(trial)).collect();
    let outcomes = held.model.outcomes(&engine, &inputs).unwrap();
    let cell = 4;
    assert_eq!(found.values_of(cell), (0.625, 1.1));
    let mut any = vec![false; 3000];
    for (criterion, layer) in held.criteria.iter().zip(&found.layers[1..]) {
        let happened = |outcome: &crate::model::Outcome| {
            criterion.event.happened(held.model.as_ref(), outcome.class, |number| outcome.quantities[number])
        };
        let events = outcomes.iter().filter(|outcome| happened(outcome)).count() as u64;
        any.iter_mut().zip(&outcomes).for_each(|(any, outcome)| *any |= happened(outcome));
        let Cell { lower, upper, estimate, .. } = layer.cells[cell];
        println!("{}: {events} of 3000, from {lower} to {upper}", layer.name);
        assert_eq!(layer.cells[cell].events, events);
        assert_eq!(estimate, events as f64 / 3000.0);
        assert_eq!(lower, clopper_pearson_lower(events, 3000, criterion.confidence));
        assert_eq!(upper, clopper_pearson_upper(events, 3000, criterion.confidence));
    }
    let safe = any.iter().filter(|any| !**any).count() as u64;
    assert!(found.layers[0].name == SAFE && found.layers[0].cells[cell].events == safe && safe > 0 && safe < 3000);
    let read = Map::read(&directory.path().join("map")).unwrap().unwrap();
    let events = |map: &Map| -> Vec<u64> {
        map.layers.iter().flat_map(|layer| layer.cells.iter().map(|cell| cell.events)).collect()
    };
    assert_eq!((events(&read), read.x, read.y), (events(&found), found.x, found.y));
}

/// Points of Sobol' are spread over the inputs that vary: in a cell those are fewer.
#[test]
fn a_cell_has_the_events_of_the_study_with_its_two_inputs_constant_however_it_is_sampled() {
    let engine = Native::new(1).unwrap();
    for method in ["latin_hypercube", "sobol"] {
        let directory = tempfile::tempdir().unwrap();
        let sampled = STUDY.to_owned() + &format!("[sampling]\nmethod = \"{method}\"\n");
        // The first of its inputs is swept.
        let map = MAP
            .replace("particles = 3000\n", "")
            .replace("\"gamma\"", "\"velocity\"")
            .replace("0.5, to = 0.75", "-1.5, to = -0.5");
        let study = study_of(directory.path(), &(sampled.clone() + &map)).unwrap();
        let found = mapped(&study, &engine, &directory.path().join("map")).unwrap();
        let cell = found.layers[1].cells.iter().position(|cell| cell.events > 0 && cell.events < 1600).unwrap();
        let (velocity, position) = found.values_of(cell);
        let constant = |value: f64| format!("distribution = \"constant\"\nvalue = {value}");
        let held = sampled
            .replace("distribution = \"normal\"\nmean = -1.0\nsd = 0.3", &constant(velocity))
            .replace("distribution = \"normal\"\nmean = 1.0\nsd = 0.05", &constant(position));
        let held = study_of(directory.path(), &held).unwrap();
        let inputs: Vec<_> = (0..1600).map(|trial| held.inputs_of(trial)).collect();
        let outcomes = held.model.outcomes(&engine, &inputs).unwrap();
        for (criterion, layer) in held.criteria.iter().zip(&found.layers[1..]) {
            let happened = |outcome: &&crate::model::Outcome| {
                criterion.event.happened(held.model.as_ref(), outcome.class, |number| outcome.quantities[number])
            };
            let events = outcomes.iter().filter(happened).count() as u64;
            println!("{method}: {}: {events} of 1600 at {velocity} m/s from {position} m", layer.name);
            assert_eq!(layer.cells[cell].events, events, "{method}, {}", layer.name);
        }
    }
}

#[test]
fn a_map_that_was_stopped_goes_on_to_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| directory.path().join(name));
    let study = study_of(directory.path(), &(STUDY.to_owned() + MAP)).unwrap();
    mapped(&study, &Native::new(1).unwrap(), &whole).unwrap();
    let engine = Native::new(2).unwrap();
    let (mut progress, stop) = (|_, _, _| {}, AtomicBool::new(true));
    assert!(map(&study, &engine, &stopped, &mut progress, &stop).unwrap().is_none(), "it was asked to stop");
    assert!(!stopped.join("map.json").exists());
    mapped(&study, &engine, &stopped).unwrap();
    // As if it had been killed between its files.
    for lost in ["cells/00001.parquet", "cells/00003.parquet", "map.json", "map.parquet"] {
        fs::remove_file(stopped.join(lost)).unwrap();
    }
    stop.store(false, Ordering::Relaxed);
    let mut computed = 0;
    let again = map(&study, &engine, &stopped, &mut |_, _, now| computed = now, &stop).unwrap();
    println!("{computed} of {} computed again", study.map.as_ref().unwrap().trials());
    assert!(again.is_some() && computed == 2 * 4096);
    assert_eq!(bytes_below(&stopped), bytes_below(&whole));
    fs::write(stopped.join("cells/00002.parquet"), b"no table").unwrap();
    assert!(mapped(&study, &engine, &stopped).is_err());
    let error = mapped(&study, &Reference::new(1).unwrap(), &whole).unwrap_err();
    assert!(error.to_string().contains("touchdown.engine"), "{error}");
}

#[test]
fn replicates_and_weights_are_those_of_the_study() {
    let directory = tempfile::tempdir().unwrap();
    let sampled = |sampling: &str| {
        let study = study_of(directory.path(), &format!("{STUDY}{MAP}{sampling}"))?;
        let engine = Native::new(1).unwrap();
        let out = tempfile::tempdir().unwrap();
        let found = mapped(&study, &engine, out.path()).unwrap();
        Ok::<_, String>((study, found))
    };
    let (study, hypercubes) = sampled("[sampling]\nmethod = \"latin_hypercube\"\nreplicates = 8\n").unwrap();
    let Method::LatinHypercube(of_cells) = &study.map.as_ref().unwrap().method else { panic!("another method") };
    assert_eq!((of_cells.strata, hypercubes.method.as_str()), (375, "latin_hypercube"));
    let error = sampled("[sampling]\nmethod = \"latin_hypercube\"\nreplicates = 32\n").unwrap_err();
    assert!(error.contains("3000 particles of a cell cannot be shared out"), "{error}");
    let shifted =
        |input: &str| format!("[sampling]\nmethod = \"importance\"\nunshifted = 0.2\nshift = {{ {input} = 0.5 }}\n");
    let error = sampled(&shifted("gamma")).unwrap_err();
    assert!(error.contains("map.x.input") && error.contains("is shifted"), "{error}");
    let (_, weighted) = sampled(&shifted("velocity")).unwrap();
    let (_, plain) = sampled("").unwrap();
    for (weighted, plain) in weighted.layers[1].cells.iter().zip(&plain.layers[1].cells) {
        println!("weighted {} to {}, plain {} to {}", weighted.lower, weighted.upper, plain.lower, plain.upper);
        // Two intervals of one probability meet, but where both miss it at 5 % each.
        assert!(weighted.lower <= plain.upper && plain.lower <= weighted.upper);
    }
}

#[test]
fn what_cannot_be_swept_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |text: &str, words: &[&str]| {
        let error = study_of(directory.path(), text).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let with = |from: &str, to: &str| STUDY.to_owned() + &MAP.replace(from, to);
    refused(&with("\"gamma\"", "\"gama\""), &["map.x.input", "did you mean `gamma`"]);
    refused(&with("\"position\"", "\"gamma\""), &["map.y", "x sweeps gamma already"]);
    refused(&with("to = 0.75", "to = 0.5"), &["map.x.to", "must be above"]);
    refused(&with("points = 3", "points = 1"), &["map.x.points", "from 2 to 101"]);
    refused(&with("[0.9, 1.1]", "[1.1, 0.9]"), &["map.y.values", "ascend"]);
    refused(&with("[0.9, 1.1]", "[1.1]"), &["map.y.values", "from 2 to 101"]);
    refused(&with("particles = 3000", "particles = 1000000000"), &["map", "at most 166666666"]);
    refused(&with("points = 3", "point = 3"), &["map.x", "points"]);
    let correlated = "[[correlations]]\nbetween = [\"gamma\", \"velocity\"]\nrank = 0.5\n";
    refused(&format!("{STUDY}{MAP}{correlated}"), &["map.x.input", "is correlated with others"]);
    refused(
        &format!("{STUDY}{MAP}[sampling]\nmethod = \"subset\"\n").replace("particles = 1600\n", ""),
        &["map", "subset"],
    );
    let without = STUDY.split("[criteria").next().unwrap();
    refused(&format!("{without}{MAP}"), &["map", "[criteria.NAME]"]);
    let study = study_of(directory.path(), STUDY).unwrap();
    let error = mapped(&study, &Reference::new(1).unwrap(), &directory.path().join("out")).unwrap_err();
    assert!(matches!(error, MapError::NoMap) && !directory.path().join("out").exists(), "{error}");
}
