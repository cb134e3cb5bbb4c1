//! Good files to spoil, and how each is given to the program.

use std::fs;
use std::path::Path;

use serde_json::Value;
use touchdown::table::{Chunk, Column, ColumnKind, TableWriter, Values};

use super::damage::{CSV, DOCUMENT, Damage, PARQUET, characters, latin};
use crate::support::random::Random;

/// How often the whole file is missing, or a directory stands in its place.
const NO_FILE: f64 = 0.02;
/// How often line ends become CRLF on top of the damage, and how often a byte order mark is put in front.
const FOREIGN_EDITOR: f64 = 0.1;

/// A file to spoil, among others that stay good.
pub struct Specimen {
    pub kind: &'static str,
    /// The file to spoil.
    pub file: String,
    /// The file that the program is given: another one where the spoiled one is named in it.
    pub main: String,
    text: String,
    good: Vec<(String, Vec<u8>)>,
    verb: Verb,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    StudyRun,
    SceneShow,
    Raycast,
    Wheels,
}

impl Specimen {
    pub fn is_document(&self) -> bool {
        matches!(self.verb, Verb::StudyRun | Verb::SceneShow)
    }

    pub fn is_scene(&self) -> bool {
        self.verb == Verb::SceneShow
    }

    /// The spoiled file's name without its directory.
    pub fn stem(&self) -> String {
        let name = Path::new(&self.file).file_name().unwrap();
        name.to_string_lossy().into_owned()
    }

    /// What is spoiled, while it is still good.
    pub fn bytes(&self) -> Vec<u8> {
        if self.kind == "parquet" { latin(&self.text) } else { self.text.as_bytes().to_vec() }
    }

    /// Writes the good files.
    pub fn lay_out(&self, directory: &Path) {
        for (name, bytes) in &self.good {
            fs::write(directory.join(name), bytes).unwrap();
        }
    }

    /// Puts spoiled bytes in the file's place; without bytes, a directory.
    pub fn put(&self, directory: &Path, bytes: Option<&[u8]>) {
        let path = directory.join(&self.file);
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => {
                let _ = fs::remove_file(&path);
                fs::create_dir(path).unwrap();
            }
        }
    }

    /// A way to spoil the file and its result; no bytes stand for a directory in the file's place.
    pub fn spoiled(&self, random: &mut Random) -> (&'static str, Option<Vec<u8>>) {
        if random.chance(NO_FILE) {
            return ("a directory in its place", None);
        }
        let ways: &[(&str, Damage)] = match self.kind {
            "csv" => CSV,
            "parquet" => PARQUET,
            _ => DOCUMENT,
        };
        loop {
            let (name, damage) = ways[random.index(ways.len())];
            let Some(mut bytes) = damage(&self.text, random) else { continue };
            if self.kind != "parquet" && random.chance(FOREIGN_EDITOR) {
                bytes = with_crlf(&bytes);
            }
            if self.kind != "parquet" && random.chance(FOREIGN_EDITOR) {
                bytes.splice(0..0, *b"\xef\xbb\xbf");
            }
            return (name, Some(bytes));
        }
    }

    /// Command line of the program, to be run in the directory.
    pub fn arguments(&self, directory: &Path) -> Vec<String> {
        let main = directory.join(&self.main).to_string_lossy().into_owned();
        let words = match self.verb {
            Verb::StudyRun => vec!["study", "run", &main, "--out", "run", "--threads", "1"],
            Verb::SceneShow => vec!["scene", "show", &main],
            Verb::Raycast => vec!["raycast", "--scene", "scene.toml", "--rays", &main, "--out", "out.csv"],
            Verb::Wheels => {
                vec![
                    "wheels",
                    "--scene",
                    "scene.toml",
                    "--wheel",
                    "wheel.toml",
                    "--frames",
                    &main,
                    "--step",
                    "0.005",
                    "--out",
                    "out.parquet",
                ]
            }
        };
        words.into_iter().map(str::to_owned).collect()
    }
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect()
}

/// Each stands once for every tenth of the mutants.
pub fn specimens() -> Vec<Specimen> {
    let study = study_text();
    let (vehicle, scene) = (tricycle("vehicle.toml"), tricycle("scene.toml"));
    let toml = |file: &str, text: &str, kind| {
        let good = [("study.toml", &study), ("vehicle.toml", &vehicle), ("scene.toml", &scene)];
        specimen(kind, file, "study.toml", text, &good, Verb::StudyRun)
    };
    let json_study = twin(&study.replace(".toml", ".json"));
    let (json_vehicle, json_scene) = (twin(&vehicle), twin(&scene));
    let json = |file: &str, text: &str| {
        let good = [("study.json", &json_study), ("vehicle.json", &json_vehicle), ("scene.json", &json_scene)];
        specimen("json", file, "study.json", text, &good, Verb::StudyRun)
    };
    let example = |name: &str| {
        let text = without_comments(&read(&format!("examples/scenes/{name}")));
        specimen("scene", name, name, &text, &[], Verb::SceneShow)
    };
    let house = read("tests/data/hulls/house.obj");
    let leaves = without_comments(&read("tests/data/hulls/scene.toml"));
    let rays = rays();
    let table = |kind, file, text: &str, verb| {
        let wheel = wheel_text();
        specimen(kind, file, file, text, &[("scene.toml", &scene), ("wheel.toml", &wheel)], verb)
    };
    vec![
        toml("study.toml", &study, "study"),
        toml("vehicle.toml", &vehicle, "vehicle"),
        toml("scene.toml", &scene, "scene"),
        toml("study.toml", &study, "study"),
        example("boulders.toml"),
        example("ybcg17_wet.toml"),
        example("lszh14_wet.toml"),
        specimen("scene", "scene.toml", "scene.toml", &leaves, &[("house.obj", &house)], Verb::SceneShow),
        toml("vehicle.toml", &vehicle, "vehicle"),
        json("study.json", &json_study),
        json("vehicle.json", &json_vehicle),
        json("scene.json", &json_scene),
        table("csv", "rays.csv", &rays, Verb::Raycast),
        table("csv", "frames.csv", &frames(), Verb::Wheels),
        table("parquet", "rays.parquet", &characters(&parquet(&rays)), Verb::Raycast),
    ]
}

fn specimen(kind: &'static str, file: &str, main: &str, text: &str, good: &[(&str, &String)], verb: Verb) -> Specimen {
    let good = good.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    Specimen { kind, file: file.to_owned(), main: main.to_owned(), text: text.to_owned(), good, verb }
}

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn tricycle(name: &str) -> String {
    without_comments(&read(&format!("tests/data/tricycle/{name}")))
}

/// Damage inside a comment is none. A number sign after an odd number of quotes stands in a text, as in a colour.
fn without_comments(text: &str) -> String {
    let end_of = |line: &str| {
        let mut signs = line.match_indices('#').map(|(at, _)| at);
        signs.find(|&at| line[..at].matches('"').count().is_multiple_of(2)).unwrap_or(line.len())
    };
    let lines: Vec<&str> =
        text.lines().map(|line| line[..end_of(line)].trim_end()).filter(|line| !line.is_empty()).collect();
    lines.join("\n") + "\n"
}

/// A study of three landings in two parts, quick where a mutant turns out to be valid.
fn study_text() -> String {
    let text = tricycle("study.toml");
    let quick = text.replace("landings = 600", "landings = 3").replace("part_size = 100", "part_size = 2");
    assert!(quick.contains("landings = 3\n") && quick.contains("part_size = 2\n"));
    quick.replace("time_limit = 20", "time_limit = 5")
}

/// The same document as JSON.
fn twin(toml: &str) -> String {
    let value: Value = toml::from_str(toml).unwrap();
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

fn wheel_text() -> String {
    "k_xy = -60000\nk_z = -40000\nd_xy = -3000\nd_z = -3500\nz_min = 0.35\nz_zero = 0.7\nz_max = 0.7\n".to_owned()
}

fn rays() -> String {
    let mut text = "x1,y1,z1,x2,y2,z2,lambda1,lambda2\n".to_owned();
    for row in 0..20 {
        text.push_str(&format!("{row},0.5,{}.25,3,-{row},-1,0,1\n", row + 1));
    }
    text
}

fn frames() -> String {
    let mut text = "wheel,step,bx,by,bz,qw,qx,qy,qz,vx,vy,vz,brake\n".to_owned();
    for row in 0..20 {
        text.push_str(&format!("{},{},{row},0,0.6,0,1,0,0,10,0,-1,500\n", row / 10, row % 10));
    }
    text
}

/// A table of numbers as Parquet.
fn parquet(csv: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rays.parquet");
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let columns: Vec<Column> = names.iter().map(|name| Column::new(name, ColumnKind::Number, "m", "")).collect();
    let values = |column: usize| Values::Number(rows.iter().map(|row| Some(row[column])).collect());
    let mut writer = TableWriter::create(&path, &columns, &[]).unwrap();
    writer.write(&Chunk { first_row: 0, columns: (0..names.len()).map(values).collect() }).unwrap();
    writer.finish().unwrap();
    fs::read(path).unwrap()
}
