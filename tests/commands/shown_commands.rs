//! The commands that the README and the pages of `docs` show do what they show: each is run, on fewer items, in a place that has
//! the files it names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::support::gpu;
use crate::support::program::{code, manifest, standard_error, touchdown};

/// Done, a criterion failed, invalid trials, undecided: everything but bad input, a missing device and results that differ.
const CODES: [i32; 4] = [0, 1, 4, 6];
/// Keys of studies that say how many trials there are, and how many are enough here.
const COUNTS: [(&str, &str); 4] =
    [("landings", "40"), ("particles", "100"), ("worlds", "2"), ("samples", "100\nreplicates = 8\nsmallest = 0.1")];

/// Commands that a page shows, without comments: lines of blocks that are indented by four spaces.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(manifest(page)).unwrap();
    let shown = |line: &str| {
        let line = line.strip_prefix("    ")?.split("  #").next()?.trim();
        let line =
            line.strip_prefix("cargo run --release -- ").map_or(line.to_owned(), |rest| format!("touchdown {rest}"));
        line.strip_prefix("touchdown ").map(str::to_owned)
    };
    text.lines().filter_map(shown).collect()
}

fn pages() -> Vec<String> {
    let names = fs::read_dir(manifest("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages.insert(0, "README.md".to_owned());
    pages
}

/// A place with the examples, their studies cut to some trials, and the files that a user would bring along.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name);
    copy(&manifest("examples"), &to("examples"));
    for name in ["docs", "runs", "aircraft/c310", "aircraft/737"] {
        fs::create_dir_all(to(name)).unwrap();
    }
    for entry in fs::read_dir(to("examples")).unwrap() {
        cut(&entry.unwrap().path());
    }
    for (from, name) in [
        ("tests/data/runways.csv", "runways.csv"),
        ("tests/data/siconos/lcp_mmc.dat", "PROBLEM.dat"),
        ("tests/data/jsbsim/liner.xml", "aircraft/c310/c310.xml"),
        ("tests/data/jsbsim/aircraft/wing.xml", "aircraft/737/737.xml"),
        ("examples/aircraft/b737.toml", "examples/aircraft/737_jsbsim.toml"),
    ] {
        fs::copy(manifest(from), to(name)).unwrap();
    }
    let rover = fs::read_dir(manifest("tests/data/siconos/fc3d")).unwrap().map(|entry| entry.unwrap().path());
    let rover = rover.min_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    fs::copy(rover, to("Rover1039.dat")).unwrap();
    for (name, text) in [
        ("contacts.csv", "l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz\n5,3,2.9,0.3,1,0,0,0,2.6,-0.9,0\n"),
        ("targets.csv", "step,target,vertex,x,y\n0,0,0,0,0\n0,0,1,0,1\n0,0,2,1,1\n0,0,3,1,0\n"),
        ("points.csv", "step,initiator,x,y\n0,0,0.5,2\n"),
        (
            "encounters.csv",
            "a_x,a_y,a_yaw,a_speed,b_x,b_y,b_yaw,b_speed,length,width,height,radius,mass,yaw_inertia,restitution,friction\n\
             0,0,0,29.1,7,-2,0,26.8,5,3,2.9,0.3,1573,2782,0.5,0\n",
        ),
        ("model.csg", "group() { cube(size = [10, 20, 30], center = true); }\n"),
        (
            "states.csv",
            "u,v,w,p,q,r,height,air_density,speed_of_sound,mass,fcs/elevator-pos-rad,fcs/flap-pos-norm\n\
             70,0,5,0,0,0,100,1.2,340,1000,0,1\n",
        ),
        ("design.csv", "sink_rate,crosswind\n0.5,1\n0.7,-2\n"),
    ] {
        fs::write(to(name), text).unwrap();
    }
    let atoms = "1 0 0 0 2 1 1 1 0 0 0\n2 1.2 0 0 2 1 1 1 0 0 0\n";
    let header = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n-5 5\n-5 5\n-5 5\n";
    let columns = "ITEM: ATOMS id x y z shapex shapey shapez quatw quati quatj quatk\n";
    fs::write(to("packing.dump"), format!("{header}{columns}{atoms}")).unwrap();
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// Cuts a study to some trials.
fn cut(study: &Path) {
    if study.extension().is_none_or(|ending| ending != "toml") {
        return;
    }
    let text = fs::read_to_string(study).unwrap();
    let count = |line: &str| COUNTS.iter().find(|(key, _)| line.starts_with(&format!("{key} = ")));
    let lines = text.lines().map(|line| match count(line) {
        Some((key, few)) => format!("{key} = {few}"),
        None => line.to_owned(),
    });
    fs::write(study, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
}

/// The same command on fewer items, and with one of several words where a page shows all.
fn smaller(command: &str) -> Vec<String> {
    let mut words: Vec<String> =
        shlex::split(command).unwrap().iter().map(|word| word.split('|').next().unwrap().to_owned()).collect();
    let fewer = [
        ("--items", "50"),
        ("--size", "96x54"),
        ("--samples", "2"),
        ("--item", "1"),
        ("--landing", "5"),
        ("--frame-rate", "1"),
    ];
    for place in 1..words.len() {
        if let Some((_, few)) = fewer.iter().find(|(option, _)| *option == words[place - 1]) {
            // Tables of items have the same option, with a file.
            if words[place].chars().all(|letter| letter.is_ascii_digit() || letter == 'x') {
                words[place] = (*few).to_owned();
            }
        }
    }
    let more: &[&str] = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // All jobs on all engines take minutes, whatever time is given to each figure.
        ["bench", ..] if !command.contains("--job") => {
            &["--seconds", "0.001", "--job", "oriented", "--engine", "native"]
        }
        ["bench", ..] if !command.contains("--engine") => &["--seconds", "0.001", "--engine", "native"],
        ["bench", ..] => &["--seconds", "0.001"],
        // All jobs are judged in `validate_command`.
        ["validate", ..] if !command.contains("--job") => &["--job", "rays"],
        ["study", "new", ..] => &["--landings", "40"],
        ["study", "sensitivity", ..] => &["--samples", "16"],
        ["render", ..] if !command.contains("--size") => &["--size", "96x54"],
        _ => &[],
    };
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words
}

/// Runs that pages speak of without having made them.
fn make_runs(place: &Path, words: &[String]) {
    let first = place.join("runs/c172_wet_runway");
    let is_output = |place: usize| place > 0 && words[place - 1] == "--out";
    for word in (0..words.len()).filter(|&place| !is_output(place)).map(|place| &words[place]) {
        if !word.starts_with("runs/") {
            continue;
        }
        let run: PathBuf = place.join(word);
        if !run.exists() && first.exists() {
            copy(&first, &run);
        }
    }
}

#[test]
fn every_command_that_pages_show_runs() {
    let place = place();
    let mut failed = Vec::new();
    let mut run = 0;
    for page in pages() {
        for command in commands(&page) {
            let words = smaller(&command);
            make_runs(place.path(), &words);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (adapter, started) = (gpu::adapter(), Instant::now());
            let output =
                touchdown(&words).current_dir(place.path()).env("TOUCHDOWN_ADAPTER", adapter).output().unwrap();
            if !CODES.contains(&code(&output)) {
                failed.push(format!("{page}: {words:?}: {}: {}", code(&output), standard_error(&output)));
            }
            println!("{:6.2} s  {page}: {}", started.elapsed().as_secs_f64(), words.join(" "));
            run += 1;
        }
    }
    println!("{run} commands");
    assert!(run >= 40, "only {run} commands were found");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
