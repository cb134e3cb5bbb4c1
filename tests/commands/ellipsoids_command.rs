//! `touchdown ellipsoids` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use touchdown::table::{ColumnKind, TableReader, Wanted};

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
        command.arg("ellipsoids").args(line.split_whitespace()).current_dir(self.path()).output().unwrap()
    }

    /// The table that a command writes.
    fn written(&self, line: &str) -> String {
        let output = self.run(&format!("{line} --out out.csv --engine native"));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
        fs::read_to_string(self.path().join("out.csv")).unwrap()
    }

    /// What a command is refused with, having written nothing.
    fn refusal(&self, line: &str) -> String {
        let names = || fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let before = names();
        let output = self.run(&format!("{line} --engine native"));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", errors(&output));
        assert_eq!(names(), before, "{line} leaves something behind");
        errors(&output)
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Cells as numbers where they are.
fn rows(table: &str) -> Vec<Vec<&str>> {
    table.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap()
}

const ELLIPSOID: &str = "x,y,z,s1,s2,s3,qw,qx,qy,qz";

fn pair_header() -> String {
    let side = |side: &str| ELLIPSOID.split(',').map(|name| format!("{side}_{name}")).collect::<Vec<_>>().join(",");
    format!("{},{}", side("a"), side("b"))
}

/// Balls of radius 1 in a box of side 4: 1 and 2 touch across the border along x, 3 is above 2.
const DUMP: &str = "\
ITEM: TIMESTEP
50
ITEM: NUMBER OF ATOMS
3
ITEM: BOX BOUNDS pp pp ff
0 4
0 4
0 9
ITEM: ATOMS id x y z radius
2 3.75 1 1 1
1 0.25 1 1 1
3 3.75 1 2.5 1
ITEM: TIMESTEP
60
ITEM: NUMBER OF ATOMS
0
ITEM: BOX BOUNDS pp pp ff
0 4
0 4
0 9
ITEM: ATOMS id x y z radius
";

#[test]
fn pairs_are_answered_row_by_row() {
    // Balls 5 apart of radii 2 and 3 touch; concentric ones; an ellipsoid 1 m over a ball.
    let table = format!(
        "{}\n0,0,0,2,2,2,1,0,0,0,5,0,0,3,3,3,1,0,0,0\n1,1,1,2,2,2,1,0,0,0,1,1,1,1,1,1,1,0,0,0\n\
         0,0,0,1,1,1,1,0,0,0,0,0,4,1,1,2,1,0,0,0\n",
        pair_header()
    );
    let place = Place::new(&[("pairs.csv", &table)]);
    let written = place.written("--pairs pairs.csv --surface-points --exact");
    let header = "status,f,mu,lambda,nx,ny,nz,px,py,pz,separation,ax,ay,az,bx,by,bz,closest_approach,\
                  distance,dnx,dny,dnz,dax,day,daz,dbx,dby,dbz";
    assert_eq!(written.lines().next(), Some(header));
    let rows = rows(&written);
    let near = |row: usize, first: usize, expected: &[f64]| {
        for (cell, expected) in rows[row][first..].iter().zip(expected) {
            assert!((number(cell) - expected).abs() < 1e-9, "row {row}: {:?}", rows[row]);
        }
    };
    assert_eq!(rows[0][0], "ok");
    near(0, 1, &[1.0, 1.0, 0.4, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 5.0, 0.0, 1.0]);
    // Concentric: neither surface points nor an approach, but a way that parts the two.
    assert_eq!(rows[1][0], "degenerate");
    near(1, 1, &[0.0, 0.0, 0.5]);
    assert!((number(rows[1][10]) + 3.0).abs() < 1e-9, "{:?}", rows[1]);
    assert_eq!(rows[1][11..18], [""; 7]);
    assert!((number(rows[1][18]) + 3.0).abs() < 1e-9, "{:?}", rows[1]);
    near(2, 10, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 3.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
    let few = place.written("--pairs pairs.csv");
    assert_eq!(few.lines().next(), Some("status,f,mu,lambda,nx,ny,nz,px,py,pz,separation"));
}

#[test]
fn walls_are_answered_row_by_row() {
    let table = format!("{ELLIPSOID},plane_nx,plane_ny,plane_nz,plane_d\n5,0,1.5,3,3,2,1,0,0,0,0,0,2,0\n");
    let place = Place::new(&[("walls.csv", &table)]);
    let written = place.written("--walls walls.csv");
    let expected = "status,mu,nx,ny,nz,px,py,pz,separation\nok,0.75,-0.0,-0.0,-1.0,5.0,0.0,-0.5,-0.5\n";
    assert_eq!(written, expected);
}

#[test]
fn bodies_of_a_dump_touch_across_its_borders() {
    let place = Place::new(&[("packing.dump", DUMP)]);
    let written = place.written("--bodies packing.dump");
    assert!(written.starts_with("timestep,id_a,id_b,image_x,image_y,image_z,status,f,"), "{written}");
    let found = rows(&written);
    let keys: Vec<_> = found.iter().map(|row| row[..7].join(" ")).collect();
    assert_eq!(keys, ["50 1 2 -1 0 0 ok", "50 1 3 -1 0 0 ok", "50 2 3 0 0 0 ok"]);
    // The normal points across the border, the point is beside the body that stands.
    assert!((number(found[0][10]) + 1.0).abs() < 1e-12 && number(found[0][13]).abs() < 1e-12, "{:?}", found[0]);
    // Of the corresponding table the same, without a step.
    let table =
        format!("id,{ELLIPSOID}\n2,3.75,1,1,1,1,1,1,0,0,0\n1,0.25,1,1,1,1,1,1,0,0,0\n3,3.75,1,2.5,1,1,1,1,0,0,0\n");
    fs::write(place.path().join("bodies.csv"), table).unwrap();
    let of_table = place.written("--bodies bodies.csv --period 4,4,open");
    let without_step: String = written.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    assert_eq!(of_table, without_step);
    assert_eq!(rows(&place.written("--bodies bodies.csv")).len(), 1);
    assert_eq!(rows(&place.written("--bodies bodies.csv --within 1.9")).len(), 3);
}

#[test]
fn bodies_of_leaning_boxes_and_of_columns_with_other_names_touch_as_those_of_right_ones() {
    // The lattice of the box of side 4 with b + a in the place of b: the bounds are those of the whole leaning box.
    let leaning =
        DUMP.replace("BOX BOUNDS pp pp ff\n0 4\n0 4\n0 9", "BOX BOUNDS xy xz yz pp pp ff\n0 8 4\n0 4 0\n0 9 0");
    let named = DUMP.replace("id x y z radius", "tag c_p[1] c_p[2] c_p[3] r");
    let place = Place::new(&[("right.dump", DUMP), ("leaning.dump", &leaning), ("named.dump", &named)]);
    let expected = place.written("--bodies right.dump");
    assert_eq!(place.written("--bodies leaning.dump"), expected);
    assert_eq!(place.written("--bodies right.dump --period 4,4,open,4,0,0"), expected);
    // Each ball touches its image 2 m away along y, but not one that leans by 2 m more.
    let rows_of = |period: &str| rows(&place.written(&format!("--bodies right.dump --period {period}"))).len();
    assert_eq!((rows_of("4,2,open"), rows_of("4,2,open,2,0,0")), (3 + 3, 3));
    let columns = "--columns id=tag,x=c_p[1],y=c_p[2],z=c_p[3],radius=r";
    assert_eq!(place.written(&format!("--bodies named.dump {columns}")), expected);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, DUMP.as_bytes()).unwrap();
    fs::write(place.path().join("packing.dump.gz"), encoder.finish().unwrap()).unwrap();
    assert_eq!(place.written("--bodies packing.dump.gz"), expected);
    for (line, words) in [
        (
            "--bodies right.dump --columns rodius=r --out out.csv",
            "right.dump: --columns: \"rodius\" is not known in a dump",
        ),
        ("--bodies right.dump --columns x --out out.csv", "such as x=xu"),
        ("--bodies right.dump --columns x=q --out out.csv", "right.dump:9: there are no columns q;"),
        ("--bodies right.dump --period 4,4,open,0,1,0 --out out.csv", "a tilt xz of 1e0 m: must be 0, since z is open"),
        ("--bodies right.dump --period 4,4,open,1 --out out.csv", "and may end in three tilts"),
    ] {
        let refusal = place.refusal(line);
        assert!(refusal.contains(words), "{line}: {refusal}");
    }
}

#[test]
fn a_period_takes_the_place_of_what_a_dump_says() {
    // Discs in two dimensions: z repeats after one diameter, so each touches its own image, unless z is open.
    let flat = DUMP
        .split("3 3.75")
        .next()
        .unwrap()
        .replace("ATOMS\n3", "ATOMS\n2")
        .replace("pp ff", "pp pp")
        .replace("0 9", "0 2");
    let place = Place::new(&[("flat.dump", &flat)]);
    let keys = |line: &str| rows(&place.written(line)).iter().map(|row| row[1..6].join(" ")).collect::<Vec<_>>();
    assert!(keys("--bodies flat.dump").contains(&"1 1 0 0 1".to_owned()));
    assert_eq!(keys("--bodies flat.dump --period 4,4,open"), ["1 2 -1 0 0"]);
}

#[test]
fn bodies_of_a_dump_touch_a_scene() {
    let scene = "[scene]\nunion = [{ half_space = { normal = [0, 0, 1], offset = 0.25 } }, { sphere = { center = [3.75, 1, 4], radius = 1 } }]\n";
    let place = Place::new(&[("packing.dump", DUMP), ("scene.toml", scene)]);
    let written = place.written("--bodies packing.dump --scene scene.toml");
    let keys: Vec<_> = rows(&written).iter().map(|row| row[..4].join(" ")).collect();
    assert_eq!(keys, ["50 1 0 ok", "50 2 0 ok", "50 3 1 ok"]);
}

#[test]
fn parquet_holds_the_same_as_text() {
    let place = Place::new(&[("packing.dump", DUMP)]);
    let text = place.written("--bodies packing.dump");
    let output = place.run("--bodies packing.dump --out out.parquet --threads 1");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("3 contacts of 3 bodies"), "{}", errors(&output));
    let wanted = [Wanted::required("id_b", ColumnKind::Integer), Wanted::required("separation", ColumnKind::Number)];
    let chunks: Vec<_> = TableReader::open(&place.path().join("out.parquet"), &wanted).unwrap().collect();
    let chunk = chunks[0].as_ref().unwrap();
    let of_text = |column: usize| rows(&text).iter().map(|row| Some(number(row[column]))).collect::<Vec<_>>();
    assert_eq!(chunk.integers(0).unwrap().iter().map(|id| id.map(|id| id as f64)).collect::<Vec<_>>(), of_text(2));
    assert_eq!(chunk.numbers(1).unwrap(), of_text(16));
}

#[test]
fn what_cannot_be_answered_is_refused_and_nothing_is_written() {
    let good = "0,0,0,1,1,1,1,0,0,0";
    let bodies = |row: &str| format!("id,{ELLIPSOID}\n1,{good}\n{row}\n");
    let pairs = |row: &str| format!("{}\n{good},{good}\n{row}\n", pair_header());
    let walls = |row: &str| format!("{ELLIPSOID},plane_nx,plane_ny,plane_nz,plane_d\n{good},0,0,1,0\n{row}\n");
    let place = Place::new(&[
        ("good.dump", DUMP),
        ("short.dump", DUMP.split("3 3.75").next().unwrap()),
        ("nan.dump", &DUMP.replace("0.25 1 1 1", "nan 1 1 1")),
        ("wide.dump", &DUMP.replace("0.25 1 1 1", "0.25 1 1 20")),
        ("later.dump", &(DUMP.to_owned() + &DUMP.replace("50", "70").replace("0.25 1 1 1", "0.25 1 1 20"))),
        ("zero.csv", &bodies("2,0,0,0,1,0,1,1,0,0,0")),
        ("same.csv", &bodies(&format!("1,{good}"))),
        ("sizes.csv", &bodies("2,0,0,0,1e9,1e9,1e9,1,0,0,0")),
        ("bodies.csv", &bodies(&format!("2,{good}"))),
        ("pairs.csv", &pairs(&format!("{good},0,0,0,1,1,-1,1,0,0,0"))),
        ("aspect.csv", &pairs(&format!("{good},0,0,0,1e9,1e9,1e9,1,0,0,0"))),
        ("turn.csv", &pairs(&format!("0,0,0,1,1,1,0,0,0,0,{good}"))),
        ("walls.csv", &walls(&format!("{good},0,0,0,0"))),
        ("far.csv", &walls(&format!("{good},0,0,1,1e70"))),
        ("table.txt", &bodies(&format!("2,{good}"))),
        ("ground.toml", "[scene]\nhalf_space = { normal = [0, 0, 1], offset = 0.25 }\n"),
        ("box.toml", "[scene]\nbox = { center = [0, 0, 0], half = [1, 1, 1] }\n"),
    ]);
    for (line, words) in [
        ("--out out.csv", "--pairs"),
        ("--pairs pairs.csv --walls walls.csv --out out.csv", "cannot be used with"),
        ("--pairs absent.csv --out out.csv", "absent.csv"),
        ("--pairs bodies.csv --out out.csv", "no column \"a_x\""),
        ("--pairs pairs.csv --out out.txt", "out.txt"),
        ("--pairs pairs.csv --out pairs.csv", "choose another"),
        ("--pairs pairs.csv --within 1 --out out.csv", "cannot be used with"),
        ("--pairs pairs.csv --out out.csv", "pairs.csv: row 1 (the first is 0): column b_s3: a semi-axis of -1e0 m"),
        ("--pairs aspect.csv --out out.csv", "row 1 (the first is 0): a semi-axis of 1e0 m beside one of 1e9 m"),
        ("--pairs turn.csv --out out.csv", "column a_qw: a quaternion of length 0e0:"),
        (
            "--walls walls.csv --out out.csv",
            "row 1 (the first is 0): column plane_nx: the normal [0, 0, 0] is too short",
        ),
        ("--walls far.csv --out out.csv", "column plane_d: 1e70 is above 1e60"),
        ("--walls walls.csv --exact --out out.csv", "--exact"),
        ("--bodies short.dump --out out.csv", "short.dump:11: 2 atoms where NUMBER OF ATOMS says 3"),
        ("--bodies nan.dump --out out.csv", "nan.dump:11: column x: \"nan\" is not a finite number"),
        ("--bodies wide.dump --out out.csv", "wide.dump: timestep 50: body 1 reaches 20"),
        ("--bodies zero.csv --out out.csv", "zero.csv: row 1 (the first is 0): column s2: a semi-axis of 0e0 m"),
        ("--bodies same.csv --out out.csv", "column id: row 0 has the id 1 already"),
        ("--bodies sizes.csv --out out.csv", "sizes.csv: body 1 has a semi-axis of 1e0 m and body 2 one of"),
        ("--bodies . --out out.csv", "cannot read"),
        ("--bodies bodies.csv --period 4,4 --out out.csv", "such as 10,10,open"),
        ("--bodies bodies.csv --period 4,4,-1 --out out.csv", "along z: must be above 1e-60 and at most 1e60 m"),
        ("--bodies bodies.csv --within -1 --out out.csv", "--within"),
        ("--bodies bodies.csv --within inf --out out.csv", "not negative"),
        (
            "--bodies good.dump --within 17 --out out.csv",
            "good.dump: timestep 50: --within: a distance of 1.7e1 m: must be from 0 to 1.6e1 m",
        ),
        (
            "--bodies absent.csv --period 4,4,open --within 17 --out out.csv",
            "error: --within: a distance of 1.7e1 m: must be from 0 to 1.6e1 m",
        ),
        (
            "--bodies absent.dump --scene ground.toml --within 1e61 --out out.csv",
            "error: --within: a distance of 1e61 m: must be from 0 to 1e60 m",
        ),
        (
            "--bodies table.txt --out out.csv",
            "not \"id,x,y,z,s1,s2,s3,qw,qx,qy,qz\"; tables are recognised by the extension .csv or .parquet",
        ),
        ("--bodies later.dump --out out.csv", "later.dump: timestep 70: body 1 reaches 20"),
        ("--bodies bodies.csv --scene absent.toml --out out.csv", "absent.toml"),
        ("--bodies bodies.csv --scene box.toml --out out.csv", "box.toml: contacts with a scene require a union"),
        ("--bodies bodies.csv --scene box.toml --exact --out out.csv", "--exact"),
    ] {
        let refusal = place.refusal(line);
        assert!(refusal.contains(words), "{line}: {refusal}");
        assert!(!refusal.contains("panicked"), "{line}: {refusal}");
    }
}
