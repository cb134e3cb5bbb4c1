use std::fs;

use glam::{DQuat, DVec3};

use super::*;

const DUMP: &str = "\
ITEM: UNITS
lj
ITEM: TIMESTEP
100
ITEM: TIME
0.5
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp ff pp
-1 1
0 10
2 6.5
ITEM: ATOMS id type x y z shapex shapey shapez quatw quati quatj quatk
7 1 0.5 -3.25 7 1 2 3 0.5 -0.5 0.5 -0.5
3 2 .5 1e1 +7 0.1 0.2 0.3 1 0 0 0
ITEM: TIMESTEP
200
ITEM: NUMBER OF ATOMS
0
ITEM: BOX BOUNDS sf mm fs
-1 1
0 10
2 6.5
ITEM: ATOMS id x y z radius
";

fn read(text: impl AsRef<[u8]>) -> Result<Vec<Snapshot>, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.dump");
    fs::write(&path, text).unwrap();
    let prefix = format!("{}/", directory.path().display());
    DumpReader::open(&path).unwrap().map(|next| next.map_err(|error| error.to_string().replace(&prefix, ""))).collect()
}

#[test]
fn snapshots_are_read_one_after_another() {
    let snapshots = read(DUMP).unwrap();
    let [first, second] = &snapshots[..] else { panic!("{snapshots:?}") };
    assert_eq!((first.timestep, second.timestep), (100, 200));
    assert_eq!(first.domain, Domain::new([Some(2.0), None, Some(4.5)]).unwrap());
    assert_eq!(first.bodies.ids(), [3, 7]);
    let turned = Ellipsoid {
        center: DVec3::new(0.5, -3.25, 7.0),
        semi_axes: DVec3::new(0.5, 1.0, 1.5),
        rotation: DQuat::from_xyzw(-0.5, 0.5, -0.5, 0.5),
    };
    assert_eq!(first.bodies.ellipsoids()[1], turned);
    assert_eq!(first.bodies.ellipsoids()[0].center, DVec3::new(0.5, 10.0, 7.0));
    assert_eq!((second.domain, second.bodies.len()), (Domain::OPEN, 0));
    // A triclinic box without tilt is one like others.
    let upright = DUMP.replacen("pp ff pp\n-1 1\n0 10\n2 6.5\n", "xy xz yz pp ff pp\n-1 1 0\n0 10 0.0\n2 6.5 -0\n", 1);
    assert_ne!(upright, DUMP);
    assert_eq!(read(upright).unwrap(), snapshots);
    // Line ends of another system, blank lines between snapshots and no end of line at the end are all the same.
    let other = DUMP.trim_end().replace("ITEM: TIMESTEP\n200", "\n \nITEM: TIMESTEP\n200").replace('\n', "\r\n");
    assert_eq!(read(other).unwrap(), snapshots);
}

#[test]
fn centers_and_sizes_come_in_several_columns() {
    let one = |columns: &str, values: &str| {
        let head =
            "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n-1 1\n0 10\n2 6\nITEM: ATOMS ";
        read(format!("{head}{columns}\n{values}\n")).unwrap()[0].bodies.ellipsoids()[0]
    };
    let ball = Ellipsoid::ball(DVec3::new(0.5, 2.5, 7.0), 3.0);
    assert_eq!(one("id x y z radius", "1 0.5 2.5 7 3"), ball);
    assert_eq!(one("diameter zu yu xu id", "6 7 2.5 0.5 1"), ball);
    assert_eq!(one("id xs ys zs radius", "1 0.75 0.25 1.25 3"), ball);
    assert_eq!(one("id xsu ysu zsu radius x", "1 0.75 0.25 1.25 3 9"), ball);
    let many: String = (0..40).map(|number| format!(" c{number}")).collect();
    assert_eq!(one(&format!("id x y z radius{many}"), &format!("1 0.5 2.5 7 3{}", " 8".repeat(40))), ball);
}

/// The corners of a cell of LAMMPS's own drawing: origin, lattice vectors, and the bounds of all eight.
#[test]
fn leaning_boxes_are_made_of_the_bounds_of_their_corners() {
    let (low, lengths) = (DVec3::new(-1.0, 2.0, 0.5), DVec3::new(4.0, 3.0, 8.0));
    for (xy, xz, yz) in [(1.5, 0.5, -0.25), (-1.5, 0.5, 0.75), (-1.5, -0.5, 0.0), (1.5, -2.0, 1.5)] {
        let vectors = [DVec3::new(lengths.x, 0.0, 0.0), DVec3::new(xy, lengths.y, 0.0), DVec3::new(xz, yz, lengths.z)];
        let corner = |bits: u32| (0..3).filter(|axis| bits >> axis & 1 == 1).map(|axis| vectors[axis]).sum::<DVec3>();
        let corners: Vec<DVec3> = (0..8).map(|bits| low + corner(bits)).collect();
        let least = corners.iter().copied().reduce(DVec3::min).unwrap();
        let most = corners.iter().copied().reduce(DVec3::max).unwrap();
        let text = format!(
            "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS xy xz yz pp pp pp\n{} {} {xy}\n{} {} {xz}\n\
             {} {} {yz}\nITEM: ATOMS id xs ys zs radius\n1 0 0 0 1\n2 0.5 0.25 0.75 1\n",
            least.x, most.x, least.y, most.y, least.z, most.z
        );
        let snapshot = &read(text).unwrap()[0];
        let periods = lengths.to_array().map(Some);
        assert_eq!(snapshot.domain, Domain::tilted(periods, Tilts { xy, xz, yz }).unwrap());
        let centers: Vec<DVec3> = snapshot.bodies.ellipsoids().iter().map(|ellipsoid| ellipsoid.center).collect();
        assert_eq!(centers, [low, low + 0.5 * vectors[0] + 0.25 * vectors[1] + 0.75 * vectors[2]]);
    }
}

#[test]
fn columns_may_have_other_names() {
    let head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n-1 1\n0 10\n2 6\nITEM: ATOMS ";
    let one = |names: &str, columns: &str, values: &str| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.dump");
        fs::write(&path, format!("{head}{columns}\n{values}\n")).unwrap();
        let reader = DumpReader::open(&path).unwrap().with_columns(names.parse().unwrap());
        let snapshot = reader.map_err(|error| error.to_string())?.next().unwrap();
        snapshot.map(|snapshot| snapshot.bodies.ellipsoids()[0]).map_err(|error| error.to_string())
    };
    let ball = Ellipsoid::ball(DVec3::new(0.5, 2.5, 7.0), 3.0);
    assert_eq!(one("id=tag,x=c_1[1],y=c_1[2],z=c_1[3]", "tag c_1[1] c_1[2] c_1[3] radius", "1 0.5 2.5 7 3"), Ok(ball));
    // What is named is meant, also where its own name or another kind of column is there.
    assert_eq!(one("x=xu,y=yu,z=zu", "id x y z xu yu zu radius", "1 9 9 9 0.5 2.5 7 3"), Ok(ball));
    assert_eq!(one("xs=a", "id x y z a ys zs radius", "1 9 9 9 0.75 0.25 1.25 3"), Ok(ball));
    assert_eq!(one("diameter=d", "id x y z radius d", "1 0.5 2.5 7 9 6"), Ok(ball));
    let shape = "shapex shapey shapez quatw quati quatj quatk";
    assert_eq!(one("radius=r", &format!("id x y z r {shape}"), "1 0.5 2.5 7 3 1 2 3 1 0 0 0"), Ok(ball));
    for (names, error) in [
        ("x=xu", "there are no columns xu; the columns are id x y z radius"),
        ("xs=x", "there are no columns ys zs"),
        ("s1=radius", "\"s1\" is not known in a dump"),
    ] {
        let found = one(names, "id x y z radius", "1 0.5 2.5 7 3").unwrap_err();
        assert!(found.contains(error), "{names}: {found}");
    }
}

fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_dumps_are_read_as_they_are_and_cut_ones_are_refused() {
    let expected = read(DUMP).unwrap();
    let bytes = compressed(DUMP.as_bytes());
    assert_eq!(read(&bytes).unwrap(), expected);
    // In several members, as tools that compress in parallel write.
    let (first, rest) = DUMP.as_bytes().split_at(200);
    assert_eq!(read([compressed(first), compressed(rest)].concat()).unwrap(), expected);
    let wrong = DUMP.replace("3 2 .5", "3 2 nan");
    assert!(read(compressed(wrong.as_bytes())).unwrap_err().contains("t.dump:15: column x: \"nan\""));
    for end in 2..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(error.contains("t.dump") && error.contains("damaged or cut"), "{end}: {error}");
    }
}

#[test]
fn a_small_file_that_would_fill_memory_is_refused() {
    let head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n4000000000\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\n";
    let mut text = format!("{head}ITEM: ATOMS id x y z radius\n").into_bytes();
    let body = b"1 1 1 1 1\n";
    while text.len() < 20 << 20 {
        text.extend(body.repeat(1 << 16));
    }
    let bytes = compressed(&text);
    println!("{} bytes for {}", bytes.len(), text.len());
    let error = read(bytes).unwrap_err();
    assert!(error.contains("times its own size"), "{error}");
}

#[test]
fn what_is_wrong_is_told_by_line_value_and_what_is_allowed() {
    for (from, to, error) in [
        (DUMP, "", "t.dump:0: the file ends after this line; ITEM: TIMESTEP should follow"),
        (DUMP, "\n \n", "t.dump:2: the file ends after this line; ITEM: TIMESTEP should follow"),
        ("ITEM: UNITS", "Step 1", "t.dump:1: ITEM: TIMESTEP should stand here, not \"Step 1\""),
        ("100\n", "x\n", "t.dump:4: a timestep, an integer should stand here, not \"x\""),
        ("ATOMS\n2\n", "ATOMS\n-2\n", "t.dump:8: a number of atoms below 2^32 should stand here, not \"-2\""),
        (
            "ATOMS\n2\n",
            "ATOMS\n99999999999\n",
            "t.dump:8: a number of atoms below 2^32 should stand here, not \"99999999999\"",
        ),
        ("ATOMS\n2\n", "ATOMS\n3\n", "t.dump:16: 2 atoms where NUMBER OF ATOMS says 3"),
        ("ATOMS\n2\n", "ATOMS\n1\n", "t.dump:15: more atoms than the 1 that NUMBER OF ATOMS says"),
        (
            "pp ff pp\n-1 1\n0 10\n2 6.5\n",
            "xy xz yz pp ff pp\n-1 1 0.5\n0 10 -0.5\n2 6.5 0\n",
            "t.dump:12: timestep 100: a tilt xy of 5e-1 m: must be 0, since y is open",
        ),
        (
            "pp ff pp\n-1 1\n0 10\n2 6.5\n",
            "xy xz yz pp ff pp\n-1 1 0\n0 10 -2\n2 6.5 0\n",
            "t.dump:10: the bounds \"-1 1 0\" are not two finite numbers, the lower one first (and a tilt",
        ),
        (
            "pp ff pp\n-1 1\n0 10\n2 6.5\n",
            "xy xz yz pp ff pp\n-1 1 0\n0 10 inf\n2 6.5 0\n",
            "t.dump:10: the bounds \"-1 1 0\" are not",
        ),
        ("pp ff pp", "xy xz yz pp ff pp", "t.dump:10: the bounds \"-1 1\" are not two finite numbers"),
        ("pp ff pp", "xz xy yz pp ff pp", "t.dump:9: the boundaries \"xz xy yz pp ff pp\" are not known"),
        ("pp ff pp", "abc origin pp ff pp", "t.dump:9: the box is general triclinic (abc origin)"),
        ("pp ff pp", "pp fp pp", "t.dump:9: the boundaries \"pp fp pp\" are not known"),
        ("pp ff pp", "", "t.dump:9: the boundaries \"\" are not known"),
        ("-1 1", "1 -1", "t.dump:10: the bounds \"1 -1\" are not two finite numbers, the lower one first"),
        ("-1 1", "-1 1 0", "t.dump:10: the bounds \"-1 1 0\""),
        ("-1 1", "-1 nan", "t.dump:10: the bounds \"-1 nan\""),
        ("shapex", "c_1[1]", "t.dump:13: there are no columns shapex; the columns are id type x y z c_1[1] shapey"),
        ("quatk", "q", "t.dump:13: there are no columns quatk;"),
        // Not a ball of that radius.
        ("shapex shapey shapez", "shapex radius s", "t.dump:13: there are no columns shapey shapez;"),
        ("shapex shapey shapez", "radius r s", "t.dump:13: there are no columns shapex shapey shapez;"),
        ("quatw quati quatj quatk", "a b diameter c", "t.dump:13: there are no columns quatw quati quatj quatk;"),
        (
            "shapex shapey shapez quatw quati quatj quatk",
            "a b c d e f g",
            "t.dump:13: there are no columns shapex shapey shapez quatw quati quatj quatk, radius or diameter; the columns",
        ),
        ("id type", "ID type", "t.dump:13: there are no columns id;"),
        ("x y z", "x y Z", "t.dump:13: there are no columns x y z, xu yu zu, xs ys zs or xsu ysu zsu;"),
        ("type", "x", "t.dump:13: more than one column is called \"x\""),
        ("3 2 .5", "3 2", "t.dump:15: 11 values in this line, 12 columns in the heading"),
        ("3 2 .5", "3 2 .5 0", "t.dump:15: 13 values in this line, 12 columns in the heading"),
        ("3 2 .5", "3.5 2 .5", "t.dump:15: column id: \"3.5\" is not an integer of 64 bits"),
        ("3 2 .5", "3 2 nan", "t.dump:15: column x: \"nan\" is not a finite number"),
        ("3 2 .5", "3 2 1e400", "t.dump:15: column x: \"1e400\" is not a finite number"),
        ("3 2 .5", "7 2 .5", "t.dump:15: column id: the atom of line 14 has the same id"),
        (
            "0.1 0.2 0.3",
            "0.1 0 0.3",
            "t.dump:15: column shapey: a semi-axis of 0e0 m: must be above 1e-60 and at most 1e60 m (half of the diameter that stands here)",
        ),
        ("1 0 0 0", "0 0 0 0", "t.dump:15: column quatw: a quaternion of length 0e0: must be from 1e-6 to 1e30"),
        (
            "0.1 0.2 0.3",
            "2e-8 2e-8 2e-8",
            "t.dump:15: timestep 100: body 3 has a semi-axis of 1e-8 m and body 7 one of 1.5e0 m",
        ),
        (
            "ITEM: TIMESTEP\n200",
            "ITEM: NUMBER OF ATOMS\n200",
            "t.dump:16: ITEM: TIMESTEP should stand here, not \"ITEM: NUMBER OF ATOMS\"",
        ),
    ] {
        let text = DUMP.replacen(from, to, 1);
        assert_ne!(text, DUMP);
        let found = read(text).unwrap_err();
        assert!(found.contains(error), "{from:?} -> {to:?}: {found}");
    }
}

#[test]
fn a_dump_cut_anywhere_is_refused_or_ends_between_snapshots() {
    let whole = read(DUMP).unwrap();
    for end in 0..DUMP.len() {
        match read(&DUMP[..end]) {
            // Cut within the last number it is another one; no reader can tell.
            Ok(read) => assert!(read.len() == 2 || (read.len() == 1 && read[0].bodies.len() == 2), "{end}: {read:?}"),
            Err(error) => assert!(error.starts_with("t.dump:"), "{error}"),
        }
    }
    assert_eq!(whole.len(), 2);
}

#[test]
fn reading_stops_amid_a_snapshot_when_it_is_asked_to() {
    let head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n70000\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\n";
    let mut text = format!("{head}ITEM: ATOMS id x y z radius\n");
    (0..70_000).for_each(|id| text += &format!("{id} 1 2 3 0.5\n"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.dump");
    fs::write(&path, text).unwrap();
    for is_asked in [false, true] {
        let stop = Arc::new(AtomicBool::new(is_asked));
        let mut reader = DumpReader::open(&path).unwrap().stopped_by(stop);
        match reader.next().unwrap() {
            Ok(snapshot) => assert!(!is_asked && snapshot.bodies.len() == 70_000),
            Err(error) => assert!(is_asked && matches!(error, DumpError::Interrupted { .. }), "{error}"),
        }
        assert!(reader.next().is_none());
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let mut bytes = DUMP.as_bytes().to_vec();
    bytes[3] = 0xff;
    assert!(read(&bytes).unwrap_err().starts_with("t.dump:1: the line is not UTF-8: only text dumps of style custom"));
    let error = read(vec![b'a'; 1 << 20]).unwrap_err();
    let expected = "t.dump:1: a line of more than 65536 bytes: only text dumps of style custom can be read";
    assert_eq!(error, expected);
    let directory = tempfile::tempdir().unwrap();
    let mut reader = DumpReader::open(directory.path()).unwrap();
    assert!(matches!(reader.next(), Some(Err(DumpError::Read { .. }))));
    assert!(reader.next().is_none());
    assert!(DumpReader::open(&directory.path().join("absent")).is_err());
}
