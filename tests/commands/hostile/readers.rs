//! Every reader of other people's files under attack: good files of each kind, spoiled byte by byte and number by number.

use std::fs;
use std::path::Path;

use super::{BAD_INPUT, everything_in, run_in_time};
use crate::support::random::{Random, test_seed};

/// How many spoiled files each reader gets.
const MUTANTS: usize = 50;
/// Done, no solution, bad input, not solved.
const CODES: [i32; 4] = [0, 1, BAD_INPUT, 6];
/// Numbers that readers stumble over.
const NUMBERS: [&str; 12] =
    ["0", "-1", "1e308", "-1e-308", "NaN", "inf", "99999999999999999999", "4294967296", "0x10", "1e", "", "-0.0"];

/// A reader: a name, the file that it is given, good contents of it, and the command that reads it.
struct Reader {
    file: &'static str,
    corpus: Vec<Vec<u8>>,
    command: &'static str,
}

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

fn readers() -> Vec<Reader> {
    let reader = |file, corpus: Vec<Vec<u8>>, command| Reader { file, corpus, command };
    let text = |text: &str| vec![text.as_bytes().to_vec()];
    let bodies = "id,x,y,z,s1,s2,s3,qw,qx,qy,qz\n1,0,0,0,1,2,3,1,0,0,0\n2,1.5,0,0,1,1,1,0.5,0.5,0.5,0.5\n";
    let walls = "x,y,z,s1,s2,s3,qw,qx,qy,qz,plane_nx,plane_ny,plane_nz,plane_d\n0,0,1,1,2,3,1,0,0,0,0,0,1,0.5\n";
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp ff\n-5 5\n-5 5\n-5 5\n\
                ITEM: ATOMS id x y z shapex shapey shapez quatw quati quatj quatk\n\
                1 0 0 0 2 1 1 1 0 0 0\n2 1.2 0 0 2 1 1 1 0 0 0\n";
    let model = "group() {\n difference() {\n  cube(size = [10, 20, 30], center = true);\n  \
                 multmatrix([[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]) {\n   \
                 cylinder($fn = 0, $fa = 12, $fs = 2, h = 40, r1 = 3, r2 = 2, center = true);\n  }\n }\n}\n";
    let targets = "step,target,vertex,x,y\n0,0,0,0,0\n0,0,1,0,1\n0,0,2,1,1\n0,0,3,1,0\n\
                   1,0,0,0,0\n1,0,1,0,1\n1,0,2,1,1\n1,0,3,1,0\n";
    let points = "step,initiator,x,y\n0,0,0.5,2\n1,0,0.5,0.9\n";
    let world = "duration = 0.1\nrestitution = 0.5\n[[walls]]\nname = \"ground\"\nnormal = [0, 0, 1]\n\
                 [[bodies]]\nname = \"ball\"\nsphere = { radius = 0.1 }\nmass = 1\nposition = [0, 0, 0.3]\n";
    let oriented = "oriented --targets targets.csv --initiators points.csv --out out.csv --engine native";
    vec![
        reader("model.csg", text(model), "import csg model.csg --unit mm --out out.toml"),
        reader(
            "aircraft.xml",
            ["twin", "fighter", "taildragger"].map(|name| data(&format!("jsbsim/{name}.xml"))).into(),
            "import jsbsim aircraft.xml --out out.toml",
        ),
        reader(
            "runways.csv",
            vec![data("runways.csv")],
            "import runway --airport LSZH --runway 14 --rwycc 5/5/3 --runways runways.csv --out out.toml",
        ),
        reader("packing.dump", text(dump), "ellipsoids --bodies packing.dump --out out.csv --engine native"),
        reader("bodies.csv", text(bodies), "ellipsoids --bodies bodies.csv --out out.csv --engine native"),
        reader("walls.csv", text(walls), "ellipsoids --walls walls.csv --out out.csv --engine native"),
        reader(
            "problem.dat",
            ["mmc", "CPS_3", "tobenna", "trivial_block"].map(|name| data(&format!("siconos/lcp_{name}.dat"))).into(),
            "lcp solve problem.dat --solver lemke --out out.json",
        ),
        reader(
            "problem.json",
            text("{\"matrix\": [[2, 1], [1, 2]], \"vector\": [-4, 1]}\n"),
            "lcp solve problem.json --solver pgs --out out.json",
        ),
        reader("friction.dat", vec![smallest("siconos/fc3d")], "lcp solve friction.dat --solver nsgs --out out.json"),
        reader(
            "contacts.csv",
            text("l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz\n5,3,2.9,0.3,1,0,0,0,2.6,-0.9,0\n"),
            "box-normals --contacts contacts.csv --out out.csv --engine native",
        ),
        reader("targets.csv", text(targets), oriented),
        reader("points.csv", text(points), oriented),
        reader(
            "particles.csv",
            text("x,v,h,m,g,gamma,steps\n1,-1,0.1,1,9.8,0.5,9\n2,0,0.1,1,9.8,0.6,9\n"),
            "particle --items particles.csv --out out.csv --engine native",
        ),
        reader("house.obj", vec![data("hulls/house.obj")], "scene show scene.toml"),
        reader("house.stl", vec![data("hulls/house.stl")], "scene show stl.toml"),
        reader("world.toml", text(world), "study check study.toml --engine native"),
    ]
}

/// The smallest file of a directory of data.
fn smallest(directory: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(directory);
    let files = fs::read_dir(directory).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.min_by_key(Vec::len).unwrap()
}

/// A good place for every reader: what its command names beside the file.
fn lay_out(directory: &Path) {
    for reader in readers() {
        fs::write(directory.join(reader.file), &reader.corpus[0]).unwrap();
    }
    let scene = String::from_utf8(data("hulls/scene.toml")).unwrap();
    fs::write(directory.join("scene.toml"), &scene).unwrap();
    fs::write(directory.join("stl.toml"), scene.replace("house.obj", "house.stl")).unwrap();
    let study = "model = \"world\"\nworld = \"world.toml\"\nworlds = 1\nseed = 1\n";
    fs::write(directory.join("study.toml"), study).unwrap();
}

/// A good file, spoiled in one to three ways.
fn spoiled(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = corpus[random.index(corpus.len())].clone();
    for _ in 0..=random.index(3) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let (start, span) = (random.index(length), 1 + random.index(40));
        let end = (start + span).min(length);
        match random.index(6) {
            0 => bytes[start] ^= 1 << random.index(8),
            1 => drop(bytes.drain(start..end)),
            2 => {
                let piece = bytes[start..end].to_vec();
                let to = random.index(length);
                bytes.splice(to..to, piece);
            }
            3 => bytes.truncate(start),
            4 => {
                let noise: Vec<u8> = (0..span).map(|_| random.index(256) as u8).collect();
                bytes.splice(start..start, noise);
            }
            _ => {
                let is_digit = |byte: &u8| byte.is_ascii_digit() || b".-+eE".contains(byte);
                let Some(from) = bytes[start..].iter().position(is_digit).map(|at| start + at) else { continue };
                let to = bytes[from..].iter().position(|byte| !is_digit(byte)).map_or(length, |at| from + at);
                bytes.splice(from..to, NUMBERS[random.index(NUMBERS.len())].bytes());
            }
        }
    }
    bytes
}

fn words_of(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

#[test]
fn no_reader_is_brought_down_by_a_spoiled_file() {
    let seed = test_seed();
    println!("TOUCHDOWN_TEST_SEED={seed}");
    let mut failed = Vec::new();
    for (kind, reader) in readers().iter().enumerate() {
        for good in &reader.corpus {
            let directory = tempfile::tempdir().unwrap();
            lay_out(directory.path());
            fs::write(directory.path().join(reader.file), good).unwrap();
            let (code, said) = run_in_time(&words_of(reader.command), directory.path(), reader.file);
            assert_ne!(code, BAD_INPUT, "{} is good: {said}", reader.file);
        }
        let mut refused = 0;
        for number in 0..MUTANTS {
            let directory = tempfile::tempdir().unwrap();
            lay_out(directory.path());
            let mutant = spoiled(&reader.corpus, &mut Random::new(seed, (kind * MUTANTS + number) as u64));
            fs::write(directory.path().join(reader.file), &mutant).unwrap();
            let before = everything_in(directory.path());
            let about = format!("{} number {number} of seed {seed}", reader.file);
            let (code, said) = run_in_time(&words_of(reader.command), directory.path(), &about);
            let is_told = code != BAD_INPUT || (said.contains(reader.file) && said.trim_end().lines().count() <= 2);
            if !CODES.contains(&code) || said.contains("panicked") || !is_told {
                failed.push(format!("{about}: {code}: {said}"));
            }
            if code == BAD_INPUT {
                refused += 1;
                if everything_in(directory.path()) != before {
                    failed.push(format!("{about}: something is left behind"));
                }
            }
        }
        println!("{:14} refused {refused:3} of {MUTANTS}", reader.file);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
