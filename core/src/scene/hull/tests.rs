use glam::DQuat;
use proptest::prelude::*;

use super::*;

fn corners_of_a_cube() -> Vec<DVec3> {
    (0..8).map(|number| DVec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2))).collect()
}

fn face(normal: DVec3, offset: f64) -> HalfSpace {
    HalfSpace { normal, offset }
}

#[test]
fn eight_corners_are_six_half_spaces_in_a_fixed_order() {
    let expected = [
        face(DVec3::X, 1.0),
        face(DVec3::Y, 1.0),
        face(DVec3::Z, 1.0),
        face(DVec3::NEG_Z, 0.0),
        face(DVec3::NEG_Y, 0.0),
        face(DVec3::NEG_X, 0.0),
    ];
    let mut corners = corners_of_a_cube();
    for _ in 0..8 {
        corners.rotate_left(3);
        corners.swap(0, 5);
        assert_eq!(of_points(corners.clone()).unwrap(), expected);
    }
}

#[test]
fn points_in_faces_and_edges_and_repeated_ones_change_nothing() {
    let grid = |number: u32| DVec3::new(f64::from(number % 5), f64::from(number / 5 % 5), f64::from(number / 25)) / 4.0;
    let mut points: Vec<DVec3> = (0..125).map(grid).collect();
    points.extend(points.clone());
    points.push(DVec3::new(0.5, -0.0, 0.25));
    assert_eq!(of_points(points).unwrap(), of_points(corners_of_a_cube()).unwrap());
}

/// A turned cube whose corners are rounded to f32 or to six digits has no four corners in a plane, but six faces.
#[test]
fn rounded_corners_make_no_more_faces() {
    let six_digits = |x: f64| format!("{x:.5e}").parse::<f64>().unwrap();
    for number in 0..200 {
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, f64::from(number)).normalize(), f64::from(number));
        let exact: Vec<DVec3> = corners_of_a_cube().into_iter().map(|corner| turn * (30.0 * corner)).collect();
        for rounded in [
            exact.iter().map(|corner| corner.as_vec3().as_dvec3()).collect::<Vec<_>>(),
            exact.iter().map(|corner| DVec3::from_array(corner.to_array().map(six_digits))).collect(),
        ] {
            let faces = of_points(rounded.clone()).unwrap();
            assert_eq!(faces.len(), 6, "{number}: {faces:?}");
            assert!(rounded.iter().all(|&corner| faces.iter().all(|face| face.distance(corner) <= 0.0)));
        }
    }
}

#[test]
fn what_has_no_inside_is_refused() {
    let flat = |points: Vec<DVec3>| of_points(points).unwrap_err();
    let square: Vec<DVec3> = corners_of_a_cube().into_iter().map(|corner| DVec3 { z: 2.0, ..corner }).collect();
    assert_eq!(flat(square.clone()), HullError::Flat { count: 4 });
    assert_eq!(flat(vec![DVec3::ZERO, DVec3::ONE, 3.0 * DVec3::ONE]), HullError::Flat { count: 3 });
    assert_eq!(flat(vec![DVec3::ONE; 9]), HullError::Flat { count: 1 });
    assert_eq!(flat(Vec::new()), HullError::Flat { count: 0 });
    // A film is no hull, a sheet of paper is one.
    let with_peak = |height: f64| square.iter().copied().chain([DVec3::new(0.5, 0.5, 2.0 + height)]).collect();
    assert_eq!(flat(with_peak(1e-7)), HullError::Flat { count: 5 });
    assert_eq!(of_points(with_peak(1e-5)).unwrap().len(), 5);
    assert_eq!(flat(corners_of_a_cube().into_iter().map(|corner| 1e-61 * corner).collect()), HullError::TooSmall);
    for bad in [f64::NAN, f64::INFINITY, 2e60] {
        assert_eq!(flat(vec![DVec3::ZERO, DVec3::splat(bad)]), HullError::OutOfRange);
    }
}

#[test]
fn sizes_far_from_one_are_no_trouble() {
    for size in [1e-60, 1e-30, 1e-9, 1e15, 1e59] {
        let corners = corners_of_a_cube().into_iter().map(|corner| size * corner).collect();
        let faces = of_points(corners).unwrap();
        assert_eq!((faces.len(), faces[0]), (6, face(DVec3::X, size)), "{size:e}");
    }
}

#[test]
fn a_ball_of_too_many_faces_is_refused() {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let spiral = |count: u32| -> Vec<DVec3> {
        let point = |number: u32| {
            let z = 1.0 - (2.0 * f64::from(number) + 1.0) / f64::from(count);
            let (sin, cos) = (golden * f64::from(number)).sin_cos();
            DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + z * DVec3::Z
        };
        (0..count).map(point).collect()
    };
    // A triangulated sphere of n corners has 2 n - 4 faces.
    assert_eq!(of_points(spiral(300)).unwrap().len(), 596);
    // Some of so many are in one plane up to the tolerance.
    assert!(matches!(of_points(spiral(10_000)), Err(HullError::TooDetailed { faces: 10_001..=19_996 })));
}

fn binary_stl(comment: &str, triangles: &[[DVec3; 3]]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..comment.len()].copy_from_slice(comment.as_bytes());
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for corners in triangles {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flat_map(|corner| corner.as_vec3().to_array()).flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn a_house_is_the_same_from_all_kinds_of_files() {
    const STL: &str = include_str!("../../../../tests/data/hulls/house.stl");
    const OBJ: &str = include_str!("../../../../tests/data/hulls/house.obj");
    let roof = |y: f64| (DVec3::new(0.0, y, 2.0) / 5.0_f64.sqrt(), 8.0 / 5.0_f64.sqrt());
    let expected = [
        (DVec3::X, 3.0),
        (DVec3::Y, 2.0),
        roof(1.0),
        (DVec3::NEG_Z, 0.0),
        roof(-1.0),
        (DVec3::NEG_Y, 2.0),
        (DVec3::NEG_X, 3.0),
    ];
    let from_obj = of_file("house.obj", OBJ.as_bytes()).unwrap().0;
    assert_eq!(from_obj.len(), expected.len());
    for (face, (normal, offset)) in from_obj.iter().zip(expected) {
        let off = (face.normal - normal).length().max((face.offset - offset).abs());
        assert!(off < 1e-15 * 8.0, "{face:?}");
    }
    assert_eq!(of_file("HOUSE.STL", STL.as_bytes()).unwrap().0, from_obj);
    let corners = points::mesh("house.stl", STL.as_bytes()).unwrap().points;
    let (triangles, rest) = corners.as_chunks::<3>();
    assert_eq!((triangles.len(), rest.len()), (16, 0));
    // Capitals in text are read; in OBJ they mean nothing.
    let capitals = STL.to_uppercase();
    assert!(capitals.contains("VERTEX"));
    assert_eq!(of_file("house.stl", capitals.as_bytes()).unwrap().0, from_obj);
    assert_eq!(of_file("house.obj", b"V 0 0 0\n").unwrap_err(), HullError::NoPoints);
    // Points of no face are not of the solid.
    let with_others = format!("{OBJ}v 9 9 9\n");
    assert_eq!(of_file("house.obj", with_others.as_bytes()).unwrap(), (from_obj.clone(), None));
    // The comment of a binary file may begin like an ASCII file.
    assert_eq!(of_file("house.stl", &binary_stl("solid house", triangles)).unwrap().0, from_obj);
}

#[test]
fn files_that_hold_no_points_say_so() {
    let refusal = |name: &str, bytes: &[u8]| of_file(name, bytes).unwrap_err();
    assert_eq!(refusal("hull.ply", b"v 0 0 0"), HullError::UnknownEnding);
    assert_eq!(refusal("hull", b""), HullError::UnknownEnding);
    assert_eq!(refusal("hull.obj", b"# nothing\nvn 0 0 1\n"), HullError::NoPoints);
    assert_eq!(refusal("hull.stl", b""), HullError::NoPoints);
    assert_eq!(refusal("hull.obj", b"v 0 0 0\nv 1 x 0\n"), HullError::BadLine { line: 2 });
    assert_eq!(refusal("hull.obj", b"v 0 0\n"), HullError::BadLine { line: 1 });
    assert_eq!(refusal("hull.obj", b"v 0 0 nan\n"), HullError::OutOfRange);
    const STL: &str = include_str!("../../../../tests/data/hulls/house.stl");
    for words in [1, 4, 6, 20] {
        let at = STL.trim_end().rmatch_indices('\n').nth(words - 1).unwrap().0;
        assert_eq!(refusal("hull.stl", &STL.as_bytes()[..at]), HullError::CutOff, "{words} lines are missing");
    }
    let mut cut = binary_stl("binary", &[[DVec3::ZERO, DVec3::X, DVec3::Y]]);
    cut.pop();
    cut[0] = 0xff;
    assert_eq!(refusal("hull.stl", &cut), HullError::NotText);
}

/// The normals of all planes through three points that have every point on one side, in whole numbers without a common
/// factor.
fn supporting_planes(points: &[[i64; 3]]) -> std::collections::BTreeSet<[i64; 3]> {
    let minus = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [i64; 3], b: [i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    fn common(a: i64, b: i64) -> i64 {
        if b == 0 { a.abs() } else { common(b, a % b) }
    }
    let mut planes = std::collections::BTreeSet::new();
    for &a in points {
        for &b in points {
            for &c in points {
                let normal = cross(minus(b, a), minus(c, a));
                let beyond = |&p: &[i64; 3]| minus(p, a).iter().zip(normal).map(|(x, n)| x * n).sum::<i64>() > 0;
                let factor = common(common(normal[0], normal[1]), normal[2]);
                if factor != 0 && !points.iter().any(beyond) {
                    planes.insert(normal.map(|x| x / factor));
                }
            }
        }
    }
    planes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whole numbers are full of points in one plane, and the planes of their hull are found without rounding.
    #[test]
    fn hulls_of_whole_points_have_the_planes_found_by_trying_all(
        points in prop::collection::vec([0i64..5, 0i64..5, 0i64..5], 4..14),
    ) {
        let planes = supporting_planes(&points);
        let narrow = points.iter().map(|point| DVec3::from_array(point.map(|x| x as f64))).collect();
        match of_points(narrow) {
            // A plane with all points on both sides is one of two.
            Err(error) => prop_assert!(planes.iter().all(|n| planes.contains(&n.map(|x| -x))), "{error} {planes:?}"),
            Ok(faces) => {
                prop_assert_eq!(faces.len(), planes.len(), "{:?} {:?}", faces, planes);
                for normal in planes {
                    let unit = DVec3::from_array(normal.map(|x| x as f64)).normalize();
                    let found = faces.iter().filter(|face| (face.normal - unit).length() < 1e-14).count();
                    prop_assert_eq!(found, 1);
                }
            }
        }
    }

    /// No point is outside by the very product that asks for membership, and every face has a point in it.
    #[test]
    fn every_point_is_inside_as_computed_and_every_face_is_reached(
        points in prop::collection::vec((-1.0..1.0, -1.0..1.0, -1.0..1.0), 4..60),
        squeeze in 1e-4..1.0,
    ) {
        let points: Vec<DVec3> = points.into_iter().map(|(x, y, z)| DVec3::new(x, y, squeeze * z)).collect();
        prop_assume!(of_points(points.clone()).is_ok());
        for face in of_points(points.clone()).unwrap() {
            let farthest = points.iter().map(|&point| face.distance(point)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(farthest <= 0.0, "{farthest:e} {face:?}");
            // The offset is one of these products.
            prop_assert!(farthest >= -1e-15 && face.normal.is_normalized(), "{farthest:e} {face:?}");
        }
    }

    /// Without the walls of thin hulls their large faces meet far outside.
    #[test]
    fn hulls_stand_out_by_no_more_than_ten_times_the_flatness(
        points in prop::collection::vec((-1.0..1.0, -1.0..1.0, -1.0..1.0), 4..14),
        (y, z) in (-2.0..0.0, -5.5..0.0),
        turn in 0.0..3.0,
        digits in prop::sample::select(vec![5, 16]),
    ) {
        let turn = DQuat::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), turn);
        let squeeze = DVec3::new(1.0, 10f64.powf(y), 10f64.powf(z));
        let rounded = |x: f64| format!("{x:.digits$e}").parse::<f64>().unwrap();
        let place = |(x, y, z)| DVec3::from_array((turn * (squeeze * DVec3::new(x, y, z))).to_array().map(rounded));
        let points: Vec<DVec3> = points.into_iter().map(place).collect();
        if let Ok(faces) = of_points(points.clone()) {
            let out = standing_out(&points, &faces);
            prop_assert!(out <= 1.0, "{out} of what is allowed: {faces:?}");
        }
    }
}

/// How far the corners of a cell lie outside of the box around points, in units of ten times the flatness.
fn standing_out(points: &[DVec3], faces: &[HalfSpace]) -> f64 {
    let low = points.iter().copied().reduce(DVec3::min).unwrap();
    let high = points.iter().copied().reduce(DVec3::max).unwrap();
    let size = (high - low).length();
    let mut out = 0.0_f64;
    let mut corners = 0;
    for (third, c) in faces.iter().enumerate() {
        for (second, b) in faces[..third].iter().enumerate() {
            let axis = b.normal.cross(c.normal);
            for a in &faces[..second] {
                let determinant = a.normal.dot(axis);
                let (ca, ab) = (c.normal.cross(a.normal), a.normal.cross(b.normal));
                let solve = |[x, y, z]: [f64; 3]| (x * axis + y * ca + z * ab) / determinant;
                // Where planes hardly cross, the distances of what is found lead to what was meant.
                let refined = |corner: DVec3, _| corner - solve([a, b, c].map(|face| face.distance(corner)));
                let corner = (0..3).fold(solve([a, b, c].map(|face| face.offset)), refined);
                let is_corner = |face: &HalfSpace| face.distance(corner) <= 1e-12 * size;
                if determinant.abs() > 1e-13 && faces.iter().all(is_corner) {
                    out = out.max((low - corner).max(corner - high).max_element());
                    corners += 1;
                }
            }
        }
    }
    assert!(corners >= 4, "{corners} corners of {faces:?}");
    out / (10.0 * FLATNESS * size)
}

#[test]
fn thin_boards_keep_their_walls() {
    let board = |size: DVec3, thickness: [f64; 2]| -> Vec<DVec3> {
        let thick = |corner: DVec3| corner.z * (thickness[0] + (thickness[1] - thickness[0]) * corner.y);
        corners_of_a_cube().into_iter().map(|corner| DVec3 { z: thick(corner), ..corner * size }).collect()
    };
    let marking = board(DVec3::new(100.0, 0.2, 1.0), [1e-3, 1e-3]);
    let wedge = board(DVec3::ONE, [3e-5, 1e-5]);
    let blade = board(DVec3::new(10.0, 0.3, 1.0), [3e-3, 9e-5]);
    let square = corners_of_a_cube().into_iter().filter(|corner| corner.z == 0.0);
    let peak: Vec<DVec3> = square.chain([DVec3::new(0.5, 0.5, 1e-5)]).collect();
    for (points, count) in [(marking, 6), (wedge, 6), (blade, 6), (peak, 5)] {
        let faces = of_points(points.clone()).unwrap();
        assert_eq!(faces.len(), count, "{faces:?}");
        let out = standing_out(&points, &faces);
        // All corners are points.
        assert!(out < 1e-5, "{out}");
    }
}
