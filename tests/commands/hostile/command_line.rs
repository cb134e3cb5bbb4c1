//! Command lines that ask for trouble.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use touchdown::table::{ColumnKind, TableReader, Wanted, panic_becomes_error};

use super::damage::{FOOTER_END, footer_start};
use super::specimen::{Specimen, specimens};

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    /// A directory with a good study, its vehicle and scene, a wheel, and tables of rays and frames.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for specimen in specimens() {
            specimen.lay_out(directory.path());
            if !specimen.is_document() {
                fs::write(directory.path().join(&specimen.file), specimen.bytes()).unwrap();
            }
        }
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
        command.args(line.split_whitespace()).current_dir(self.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn senseless_options_are_refused_by_name_and_change_nothing() {
    let place = Place::new();
    let wheels = "wheels --scene scene.toml --wheel wheel.toml --frames frames.csv";
    for (line, words) in [
        ("study run study.toml --out run --threads 99999", "99999"),
        ("study run study.toml --out run --threads -1", "-1"),
        ("study run study.toml --out run --parts 5..2", "5..2"),
        ("study run study.toml --out run --parts 1..1", "1..1"),
        ("study run study.toml --out run --parts 5..7", "only 2 parts"),
        ("study run study.toml --out run --parts 0..99999999999999999999", "0..99999999999999999999"),
        ("study run study.toml --out run --engine quantum", "quantum"),
        ("study run absent.toml --out run", "absent.toml"),
        ("study run . --out run", "error: .: "),
        ("study run study.toml --out scene.toml", "scene.toml"),
        ("study check absent.toml", "absent.toml"),
        ("study replay absent --landing 0", "absent"),
        ("study replay . --landing 0", "files/vehicle"),
        ("study report absent", "absent"),
        ("study merge absent --out merged", "absent"),
        ("study merge --out merged", "<DIR>"),
        ("scene show absent.toml", "absent.toml"),
        ("scene show rays.parquet", "rays.parquet:1:"),
        ("box-normals --contacts absent.csv --out out.csv", "absent.csv"),
        ("box-normals --contacts rays.csv --out out.csv", "no column \"l1\""),
        ("box-normals --contacts rays.csv --out rays.csv", "would overwrite"),
        ("oriented --targets absent.csv --initiators rays.csv --out out.csv", "absent.csv"),
        ("oriented --targets rays.csv --initiators rays.csv --out out.csv", "no column \"step\""),
        ("oriented --targets absent.csv --initiators rays.csv --out rays.csv", "would overwrite"),
        ("particle --items absent.csv --out out.csv", "absent.csv"),
        ("particle --items rays.csv --out out.csv", "no column \"x\""),
        ("particle --items rays.csv --out rays.csv", "would overwrite"),
        ("encounters --items absent.csv --out out.csv", "absent.csv"),
        ("encounters --items rays.csv --out out.csv", "no column \"a_x\""),
        ("encounters --items rays.csv --out rays.csv", "would overwrite"),
        ("encounters --items rays.csv --out out.csv --contact ball", "ball"),
        ("encounters run absent.dat absent.dat --out run", "absent.dat"),
        ("encounters run rays.csv rays.csv --out run", "rays.csv:2: "),
        ("encounters run scene.toml scene.toml --out run --dynamics free", "free"),
        ("world laws absent.toml", "absent.toml"),
        ("world laws scene.toml", "scene.toml"),
        ("lcp solve absent.dat", "absent.dat"),
        ("lcp solve scene.toml", "scene.toml:1:1: key `matrix`"),
        ("lcp solve rays.csv", "rays.csv:1: unknowns: "),
        ("lcp solve rays.parquet --out rays.parquet", "would overwrite"),
        ("lcp solve scene.toml --solver simplex", "simplex"),
        ("raycast --scene scene.toml --rays absent.csv --out out.csv", "absent.csv"),
        ("raycast --scene scene.toml --rays scene.toml --out out.csv", "scene.toml"),
        ("raycast --scene absent.toml --rays rays.csv --out out.csv", "absent.toml"),
        ("raycast --scene scene.toml --rays rays.csv --out out.txt", "out.txt"),
        ("raycast --scene scene.toml --rays rays.csv --out nowhere/out.csv", "nowhere"),
        (&format!("{wheels} --step 0 --out out.csv"), "--step"),
        (&format!("{wheels} --step NaN --out out.csv"), "--step"),
        ("import runway --airport A --runway 1 --rwycc 5/5/5 --runways absent.csv", "absent.csv"),
        ("import runway --airport A --runway 1 --rwycc 5/5/5 --runways rays.csv", "rays.csv"),
        ("import runway --airport A --runway 1 --rwycc 9/9/9 --runways rays.csv", "9"),
        ("import csg absent.csg", "absent.csg"),
        ("import csg scene.toml", "scene.toml:1: found"),
        ("import csg rays.parquet", "rays.parquet:1: "),
        ("import csg scene.toml --unit parsec", "--unit parsec"),
        ("import csg scene.toml --static-friction=-1", "--static-friction"),
        ("import jsbsim absent.xml", "absent.xml"),
        ("import jsbsim scene.toml", "scene.toml:1: is not XML"),
        ("import jsbsim rays.parquet", "rays.parquet:1: "),
        ("render absent.toml --out out.png", "absent.toml"),
        ("render scene.toml --out scene.toml", "would overwrite"),
        ("render scene.toml --out nowhere/out.png", "nowhere"),
        ("render scene.toml --out out.png --size 0x100", "0x100"),
        ("render scene.toml --out out.png --size 100", "such as 1920x1080"),
        ("render scene.toml --out out.png --size 100x99999999999", "99999999999"),
        ("render scene.toml --out out.png --from 1,2", "such as -200,50,80"),
        ("render scene.toml --out out.png --from 1,2,inf", "1,2,inf"),
        ("render scene.toml --out out.png --from 1,2,3 --at 1,2,3", "must be different points"),
        ("render scene.toml --out out.png --from 1e300,2,3", "up to 1e59"),
        ("render scene.toml --out out.png --from 0,0,-100", "is inside"),
        ("render scene.toml --out out.png --from 0,0,50 --at 0,0,1 --up 0,0,1", "nor along the view"),
        ("render scene.toml --out out.png --fov 179", "179 deg: must be from 1 to 150"),
        ("render scene.toml --out out.png --samples 9", "--samples"),
        ("render scene.toml --out out.png --mode pretty", "pretty"),
        ("bench --seconds 0", "--seconds"),
        ("bench --seconds NaN", "--seconds"),
        ("bench --job flights", "flights"),
        ("bench --engine reference --json nowhere/bench.json", "nowhere"),
        ("bench --engine reference --json .", "error: .: "),
        ("validate --items 5 --engine reference", "judged by itself"),
        ("validate", "--items"),
        ("validate --items 0", "--items"),
        ("validate --items 99999999999999999999", "--items"),
        ("validate --items 5 --job cooking", "cooking"),
        ("validate --items 5 --save findings.txt", ".json"),
        ("validate --items 5 --engine gpu --adapter llvmpipe --save nowhere/findings.json", "nowhere"),
        ("validate --replay absent.json --engine gpu --adapter llvmpipe", "absent.json"),
        ("validate --replay scene.toml --engine gpu --adapter llvmpipe", "scene.toml:1:1: key `findings`"),
        ("validate --replay findings.json --items 5", "--items"),
        ("land on the moon", "land"),
        ("", "Usage"),
    ] {
        let before = place.names();
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", errors(&output));
        assert!(errors(&output).contains(words), "{line}: {}", errors(&output));
        assert!(!errors(&output).contains("panicked"), "{line}: {}", errors(&output));
        assert_eq!(place.names(), before, "{line} leaves something behind");
    }
}

#[test]
fn a_run_never_moves_into_the_directory_of_its_study() {
    let place = Place::new();
    let before = place.names();
    let output = place.run("study run study.toml --out .");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("choose another --out"), "{}", errors(&output));
    assert_eq!(place.names(), before);
}

#[test]
fn results_never_overwrite_what_they_are_made_from() {
    let place = Place::new();
    fs::create_dir(place.path().join("sub")).unwrap();
    fs::write(place.path().join("runways.csv"), include_bytes!("../../data/runways.csv")).unwrap();
    assert_ne!(place.run("study run study.toml --out run").status.code(), Some(2));
    for (line, input) in [
        ("raycast --scene scene.toml --rays rays.csv --out rays.csv", "rays.csv"),
        ("raycast --scene scene.toml --rays rays.csv --out sub/../rays.csv", "rays.csv"),
        ("raycast --scene scene.toml --rays rays.parquet --out ./rays.parquet", "rays.parquet"),
        (
            "wheels --scene scene.toml --wheel wheel.toml --frames frames.csv --step 0.005 --out frames.csv",
            "frames.csv",
        ),
        (
            "import runway --airport LSZH --runway 14 --rwycc 5/5/5 --runways runways.csv --out runways.csv",
            "runways.csv",
        ),
        ("study replay run --landing 0 --trace run/parts/00001.parquet", "run/parts/00001.parquet"),
    ] {
        let before = fs::read(place.path().join(input)).unwrap();
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", errors(&output));
        assert!(errors(&output).contains("choose another"), "{line}: {}", errors(&output));
        assert!(fs::read(place.path().join(input)).unwrap() == before, "{line} changed {input}");
    }
}

#[test]
fn a_landing_that_the_study_does_not_have_is_refused() {
    let place = Place::new();
    assert_ne!(place.run("study run study.toml --out run").status.code(), Some(2));
    for landing in ["3", "18446744073709551615", "18446744073709551616", "-1", "1.5", "first"] {
        let output = place.run(&format!("study replay run --landing={landing}"));
        assert_eq!(output.status.code(), Some(2), "{landing}: {}", errors(&output));
        assert!(errors(&output).contains("--item"), "{}", errors(&output));
    }
}

#[test]
fn what_a_killed_process_left_behind_does_not_stop_a_merge() {
    let place = Place::new();
    let code = place.run("study run study.toml --out run").status.code();
    fs::write(place.path().join("run/parts/.00001.parquet.a1b2c3.partial"), b"PAR1").unwrap();
    let output = place.run("study merge run --out merged");
    assert_eq!(output.status.code(), code, "{}", errors(&output));
}

#[test]
fn damaged_parts_are_refused_by_name() {
    let place = Place::new();
    assert_ne!(place.run("study run study.toml --out run").status.code(), Some(2));
    let part = place.path().join("run/parts/00001.parquet");
    let good = fs::read(&part).unwrap();
    for length in [0, 4, good.len() / 2, good.len() - 1] {
        fs::write(&part, &good[..length]).unwrap();
        for line in ["study run study.toml --out run", "study merge run --out merged", "study replay run --landing 2"] {
            let output = place.run(line);
            assert_eq!(output.status.code(), Some(2), "{line}, {length}: {}", errors(&output));
            assert!(errors(&output).contains("00001.parquet"), "{line}, {length}: {}", errors(&output));
        }
    }
}

/// The decoder meets a negative offset in the footer with a panic, which is caught; none of it shows.
#[test]
fn damage_that_brings_the_decoder_down_is_an_error_of_one_line() {
    let place = Place::new();
    let good: Vec<u8> = specimens().iter().find(|specimen| specimen.kind == "parquet").map(Specimen::bytes).unwrap();
    let table = place.path().join("rays.parquet");
    let panics = count_caught_panics();
    let mut found = 0;
    for at in footer_start(&good)..good.len() - FOOTER_END {
        let mut bytes = good.clone();
        // The lowest bit is the sign of the footer's numbers.
        bytes[at] ^= 1;
        fs::write(&table, bytes).unwrap();
        let before = panics.load(Ordering::SeqCst);
        read_rays(&table);
        if panics.load(Ordering::SeqCst) == before {
            continue;
        }
        found += 1;
        let output = place.run("raycast --scene scene.toml --rays rays.parquet --out out.csv --threads 1");
        assert_eq!(output.status.code(), Some(2), "byte {at}: {}", errors(&output));
        assert_eq!(errors(&output).lines().count(), 1, "byte {at}: {}", errors(&output));
        assert!(errors(&output).contains("rays.parquet"), "byte {at}: {}", errors(&output));
    }
    assert!(found > 0, "no damage brings the decoder down any more; the guard around it can go");
}

/// Counts panics that the library catches; all others are reported as before.
fn count_caught_panics() -> &'static AtomicUsize {
    static CAUGHT: AtomicUsize = AtomicUsize::new(0);
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic_becomes_error() {
            CAUGHT.fetch_add(1, Ordering::SeqCst);
        } else {
            report(panic);
        }
    }));
    &CAUGHT
}

fn read_rays(path: &Path) {
    let wanted = [Wanted::required("x1", ColumnKind::Number)];
    if let Ok(reader) = TableReader::open(path, &wanted) {
        // Rows or an error: here only panics count.
        reader.for_each(drop);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    fs::write(place.path().join("large.toml"), large_scene()).unwrap();
    let mut child =
        place.command("scene show large.toml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
}

/// A scene whose description is longer than any pipe holds.
#[cfg(unix)]
fn large_scene() -> String {
    let sphere = |x: i32| format!("{{ sphere = {{ center = [{x}, 0, 0], radius = 1 }} }},\n");
    format!("[scene]\nunion = [\n{}]\n", (0..5000).map(sphere).collect::<String>())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let place = Place::new();
    fs::write(place.path().join("runways.csv"), include_bytes!("../../data/runways.csv")).unwrap();
    let import = "import runway --airport LSZH --runway 14 --rwycc 5/5/5 --runways runways.csv";
    for line in ["scene show scene.toml", import, "--help", "--version", "study run --help"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(line).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(errors(&output).contains("standard output"), "{line}: {}", errors(&output));
    }
}
