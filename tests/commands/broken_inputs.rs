//! Small files and places for results that ask for trouble: each is refused at once, by name, and nothing is lost.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::program::{code, data, standard_error, standard_output};

const BAD_INPUT: i32 = 2;
const INTERRUPTED: i32 = 130;

/// A directory with the tricycle's study, and a program at work in it.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(data("study.toml").parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
        }
        let place = Self { directory };
        place.change("study.toml", "landings = 600\npart_size = 100", "landings = 20\npart_size = 20");
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.file(name)).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        fs::write(self.file(name), text.replacen(from, to, 1)).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
        command.args(line.split_whitespace()).current_dir(self.directory.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// What the program says when it refuses.
    fn refused(&self, line: &str, words: &[&str]) -> String {
        let started = Instant::now();
        let output = self.run(line);
        let said = standard_error(&output);
        assert_eq!(code(&output), BAD_INPUT, "{line}: {said}");
        for word in words {
            assert!(said.contains(word), "{line}: `{word}` is not in {said}");
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{line} takes {:?}", started.elapsed());
        said
    }
}

/// A Parquet footer: a version, and a schema that claims so many elements.
fn parquet(elements: &[Vec<u8>]) -> Vec<u8> {
    let count = elements.len();
    let claimed = [(count & 127) as u8 | 128, (count >> 7 & 127) as u8 | 128, (count >> 14) as u8];
    let footer = [&[0x15, 2, 0x19, 0xfc][..], &claimed, &elements.concat(), &[0x16, 0, 0x19, 0x0c, 0]].concat();
    [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

/// An optional group of the schema named `g`, the number of whose children stands in these bytes.
fn group(children: &[u8]) -> Vec<u8> {
    [&[0x35, 2, 0x18, 1, b'g', 0x15][..], children, &[0]].concat()
}

#[test]
fn parquet_that_nests_or_claims_too_much_is_refused_before_it_is_believed() {
    let place = Place::new();
    let leaf = vec![0x15, 10, 0x25, 2, 0x18, 2, b'x', b'1', 0];
    let deep: Vec<_> = std::iter::repeat_n(group(&[2]), 10_000).chain([leaf.clone()]).collect();
    let wide = vec![group(&[0xfe, 0xff, 0xff, 0xff, 0x0f]), leaf];
    let line = "box-normals --contacts t.parquet --out o.csv --engine native";
    for (bytes, words) in [(parquet(&deep), "levels"), (parquet(&wide), "more children than")] {
        fs::write(place.file("t.parquet"), &bytes).unwrap();
        place.refused(line, &["t.parquet", "byte ", words]);
        // As a part of a run.
        place.run("study run study.toml --out run --engine native");
        fs::write(place.file("run/parts/00000.parquet"), &bytes).unwrap();
        place.refused("study report run", &["run/parts/00000.parquet"]);
        place.refused("study run study.toml --out run --engine native", &["run/parts/00000.parquet"]);
        fs::remove_file(place.file("run/parts/00000.parquet")).unwrap();
    }
}

#[test]
fn parts_are_bounded_whether_their_size_is_said_or_not() {
    let place = Place::new();
    place.change("study.toml", "landings = 20\npart_size = 20", "landings = 1000000000000\npart_size = 65536");
    place.refused("study check study.toml", &["study.toml:", "part_size", "65536", "1000000"]);
    place.change("study.toml", "part_size = 65536\n", "");
    place.refused("study run study.toml --out run", &["study.toml:", "landings", "15258790", "part_size", "1000000"]);
    assert!(!place.file("run").exists());
}

#[cfg(unix)]
#[test]
fn results_never_take_the_place_of_what_is_no_file_of_theirs() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let place = Place::new();
    fs::write(place.file("m.csg"), "cube(size = [1, 2, 3]);\n").unwrap();
    symlink("/proc/self/fd/1", place.file("stdout")).unwrap();
    assert!(Command::new("mkfifo").arg(place.file("pipe")).status().unwrap().success());
    fs::write(place.file("kept"), "precious\n").unwrap();
    fs::set_permissions(place.file("kept"), fs::Permissions::from_mode(0o444)).unwrap();
    for (name, words) in [("stdout", "a device, a FIFO"), ("pipe", "a device, a FIFO"), ("kept", "read-only")] {
        place.refused(&format!("import csg m.csg --out {name}"), &[name, words]);
    }
    assert!(place.file("stdout").is_symlink());
    assert!(fs::metadata(place.file("pipe")).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_to_string(place.file("kept")).unwrap(), "precious\n");

    place.run("study run study.toml --out run --engine native");
    let summary = fs::read(place.file("run/summary.json")).unwrap();
    for name in ["summary.json", "study.toml", "lock", "parts/1.png", "files/x/1.png", "sensitivity.json"] {
        let own = format!("run/{name}");
        fs::create_dir_all(place.file("run/files/x")).unwrap();
        place.refused(&format!("study replay run --landing 3 --engine native --render {own}"), &[&own, "the run in"]);
        place.refused(&format!("import csg m.csg --out {own}"), &[&own, "the run in"]);
    }
    assert!(fs::read(place.file("run/summary.json")).unwrap() == summary);
    let beside = place.run("study replay run --landing 3 --engine native --render run/3.png");
    assert_eq!(code(&beside), 0, "{}", standard_error(&beside));
}

#[test]
fn small_files_do_not_take_minutes() {
    let place = Place::new();
    let long = "a".repeat(200_000);
    let scene = format!(
        "default_material = \"{long}b\"\n[materials.{long}]\nstatic_friction = 1\ndynamic_friction = 1\n\
         [scene]\nhalf_space = {{ normal = [0, 0, 1], offset = 0 }}\n"
    );
    fs::write(place.file("names.toml"), scene).unwrap();
    let said = place.refused("scene show names.toml", &["names.toml:1:", "default_material"]);
    assert!(said.len() < 10_000, "{} bytes of message", said.len());
    let nested: String = (0..6000).map(|level| format!("<a xmlns:p{level}='u{level}'>")).collect();
    fs::write(place.file("namespaces.xml"), nested + &"</a>".repeat(6000)).unwrap();
    place.refused("import jsbsim namespaces.xml", &["namespaces.xml", "more than 100 namespaces"]);
    let attributes: String = (0..150_000).map(|number| format!(" a{number}='1'")).collect();
    fs::write(place.file("attributes.xml"), format!("<fdm_config{attributes}></fdm_config>")).unwrap();
    place.refused("import jsbsim attributes.xml", &["attributes.xml", "more than 100 attributes"]);
}

/// Nothing on the disk, and never more of it in memory than a row may have.
#[test]
fn a_table_without_an_end_of_line_is_not_read_whole() {
    let place = Place::new();
    fs::File::create(place.file("sparse.csv")).unwrap().set_len(6 << 30).unwrap();
    let line = "box-normals --contacts sparse.csv --out o.csv --engine native";
    place.refused(line, &["sparse.csv", "a row has more than 16777216 bytes"]);
}

#[test]
fn texts_of_files_do_not_command_the_terminal() {
    let place = Place::new();
    let name = format!("a\\u001b]0;title\\u0007\\u001b[31m\\u202e{}", "b".repeat(9000));
    place.change("study.toml", "\"tricycle\"", &format!("\"{name}\""));
    let output = place.run("study run study.toml --out run --engine native");
    let line = standard_output(&output).lines().next().unwrap().to_owned();
    assert!(line.contains("study a\\u{1b}]0;title\\u{7}\\u{1b}[31m\\u{202e}b") && line.len() < 400, "{line}");
    for text in [standard_output(&output), standard_error(&output)] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    }
    place.change("study.toml", "vehicle.toml", "\\u001b[2J");
    let said = place.refused("study check study.toml", &["study.toml:", "vehicle", "\\u{1b}[2J"]);
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn all_that_a_file_lacks_is_said_at_once_with_the_files_name() {
    let place = Place::new();
    place.refused("render scene.toml --out x.png --from 0,0,-5 --at 9,0,-5", &["scene.toml: the eye at [0, 0, -5] m"]);
    place.change("study.toml", "seed = ", "seeed = ");
    place.change("study.toml", "vehicle = ", "vehikel = ");
    let said = place.refused(
        "study check study.toml",
        &[
            "study.toml:",
            "key `seed` is missing; is `seeed` a misspelling of it?",
            "key `vehicle` is missing; is `vehikel`",
        ],
    );
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    fs::write(place.file("vehicle.toml"), "name = \"x\"\ncolour = 3\n[wheels.a]\n").unwrap();
    place.change("study.toml", "seeed = ", "seed = ");
    place.change("study.toml", "vehikel = ", "vehicle = ");
    place.refused(
        "study check study.toml",
        &[
            "vehicle.toml:1:1: keys `mass`, `inertia`, `approach` are missing",
            "wheels.a: keys `position`, `z_min`, `z_zero`, `z_max`, `d_z`, `k_xy`, `d_xy` are missing",
            "wheels.a: one of `k_z`, `strut` is required",
            "unknown key `colour`",
        ],
    );
}

#[test]
fn wheels_beyond_the_horizon_are_refused_with_their_field() {
    let place = Place::new();
    place.change("vehicle.toml", "-1.1, 0.5]", "-1e100, 0.5]");
    place.refused("study run study.toml --out run", &["vehicle.toml:", "wheels.left.position", "10000 m"]);
    assert!(!place.file("run").exists());
}

/// Landings that do not end for hours: weightless, they never touch the ground.
fn endless() -> Place {
    let place = Place::new();
    place.change("study.toml", "time_limit = 20", "gravity = 0\ntime_limit = 3600\nstep = 0.0005");
    place.change("study.toml", "landings = 20\npart_size = 20", "landings = 4096\npart_size = 4096");
    place
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn tell(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// How long a run of these lines takes to end after signals that are sent as soon as it is at work.
#[cfg(unix)]
fn ends(place: &Place, line: &str, signals: &[&str], is_at_work: impl Fn(&Path) -> bool) -> Duration {
    let mut child = place.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("work", || is_at_work(place.directory.path()));
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    signals.iter().for_each(|signal| tell(&child, signal));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let status = child.wait().unwrap();
    let took = asked.elapsed();
    assert_eq!(status.code(), Some(INTERRUPTED), "{line} {signals:?}: {said}");
    assert_eq!(said.matches("interrupted; ").count(), 1, "{line}: {said}");
    println!("{line} {signals:?}: {took:?}");
    took
}

/// A batch may take hours; nobody waits for its end.
#[cfg(unix)]
#[test]
fn interrupts_are_heard_within_a_batch() {
    let place = endless();
    for engine in ["native", "reference"] {
        for signals in [&["-INT"][..], &["-TERM"], &["-INT", "-INT"], &["-INT", "-TERM"]] {
            let line = format!("study run study.toml --out {engine}{} --engine {engine}", signals.concat());
            let parts = PathBuf::from(format!("{engine}{}/parts", signals.concat()));
            let took = ends(&place, &line, signals, |directory| directory.join(&parts).exists());
            assert!(took < Duration::from_secs(4), "{line}: {took:?}");
            assert_eq!(fs::read_dir(place.file(parts.to_str().unwrap())).unwrap().count(), 0);
        }
    }
    // A verb that has nothing to keep.
    let took = ends(&place, "study check study.toml --engine reference", &["-INT"], |_| true);
    assert!(took < Duration::from_secs(4), "{took:?}");
}
