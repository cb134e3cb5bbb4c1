use std::io;

use glam::DMat3;

use super::*;
use crate::document::Document;
use crate::scene::Scene;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

/// Reads a scene beside which `hull.obj` is a tetrahedron, `flat.obj` a triangle and `broken.obj` neither.
fn read(text: &str) -> Result<Scene, DocumentError> {
    let document = Document::parse("scene.toml", text).unwrap();
    Scene::from_document_and_files(&document, &mut |name| match name {
        "hull.obj" => Ok(TETRAHEDRON.as_bytes().to_vec()),
        "flat.obj" => Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec()),
        "broken.obj" => Ok(b"v 0 0 0\nv 1 0\n".to_vec()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    })
}

fn built(shape: &Shape) -> Scene {
    Scene::new(shape, Vec::new(), None, None).unwrap()
}

#[test]
fn every_leaf_and_map_gives_the_shape_built_by_hand() {
    let quarter = DQuat::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2);
    let (center, sizes) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0));
    let half_angle = 30.0_f64.to_radians();
    let frustum = |top| Shape::Solid(Solid::Cone(Cone::frustum(center, DVec3::Z, 2.0, 4.0, top)));
    let ball = Shape::sphere(center, 2.0);
    let ball_text = "of = { sphere = { center = [1, 2, 3], radius = 2 } }";
    let walls = [Shape::half_space(DVec3::X, 1.0), Shape::half_space(2.0 * DVec3::Y, 6.0)];
    let shear = DMat3::from_cols(DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.5, -1.0, 0.0), DVec3::new(0.0, 0.0, 2.0));
    let cases = [
        ("ellipsoid = { center = [1, 2, 3], axes = [4, 5, 6] }", Shape::ellipsoid(center, sizes, DQuat::IDENTITY)),
        (
            "ellipsoid = { center = [1, 2, 3], axes = [4, '500 cm', 6], rotate = { axis = [0, 0, 2], angle_deg = 90 } }",
            Shape::ellipsoid(center, sizes, quarter),
        ),
        ("cone = { base = [1, 2, 3], axis = [0, 0, 9], height = 2, radius = 4 }", frustum(0.0)),
        ("cone = { base = [1, 2, 3], axis = [0, 0, 9], height = 2, radius = 4, top_radius = 5 }", frustum(5.0)),
        (
            "cone = { apex = [1, 2, 3], axis = [0, 3, 0], half_angle_deg = 30 }",
            Shape::Solid(Solid::Cone(Cone::infinite(center, DVec3::Y, half_angle))),
        ),
        ("capsule = { from = [1, 2, 3], to = [4, 5, 6], radius = 2 }", Shape::capsule(center, sizes, 2.0)),
        ("box = { center = [1, 2, 3], half = [4, 5, 6] }", Shape::cuboid(center, sizes, DQuat::IDENTITY)),
        (
            "box = { center = [1, 2, 3], half = [4, 5, 6], rotate = { axis = [0, 0, 1], angle_deg = 90 } }",
            Shape::cuboid(center, sizes, quarter),
        ),
        (
            "polyhedron = { half_spaces = [{ normal = [1, 0, 0], offset = 1 }, { normal = [0, 2, 0], point = [7, 3, 0] }] }",
            Shape::intersection(walls),
        ),
        (
            "polyhedron = { file = 'hull.obj' }",
            Shape::convex_hull([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        ),
        (
            &format!("scale = -2.0\n{ball_text}"),
            ball.clone().mapped(DMat3::from_diagonal(DVec3::splat(-2.0)), DVec3::ZERO),
        ),
        (
            &format!("scale = [2, 1, -1]\n{ball_text}"),
            ball.clone().mapped(DMat3::from_diagonal(DVec3::new(2.0, 1.0, -1.0)), DVec3::ZERO),
        ),
        (
            &format!("matrix = [[1, 0.5, 0, '1 km'], [0, -1, 0, 2], [0, 0, 2, 3]]\n{ball_text}"),
            ball.mapped(shear, DVec3::new(1000.0, 2.0, 3.0)),
        ),
    ];
    for (node, shape) in cases {
        assert_eq!(read(&format!("[scene]\n{node}\n")).unwrap(), built(&shape), "{node}");
    }
}

#[test]
fn maps_that_keep_circles_keep_the_kind_of_leaves() {
    let leaf = |node: &str| read(&format!("[scene]\n{node}")).unwrap().leaves()[0].solid.clone();
    let ball = "of = { sphere = { center = [1, 2, 3], radius = 2 } }";
    assert_eq!(
        leaf(&format!("scale = -2.0\n{ball}")),
        Solid::Sphere(Sphere { center: DVec3::new(-2.0, -4.0, -6.0), radius: 4.0 })
    );
    let mirrored = Solid::Cone(Cone::frustum(DVec3::new(1.0, 0.0, 0.0), DVec3::NEG_Z, 2.0, 3.0, 1.0));
    let frustum = "of = { cone = { base = [1, 0, 0], axis = [0, 0, 1], height = 2, radius = 3, top_radius = 1 } }";
    assert_eq!(leaf(&format!("scale = [1, 1, -1]\n{frustum}")), mirrored);
    // One stretch undoes the other.
    let both = "scale = [2, 1, 1]\nof = { scale = [1, 2, 2], of = { sphere = { center = [1, 1, 1], radius = 1 } } }";
    assert_eq!(leaf(both), Solid::Sphere(Sphere { center: DVec3::splat(2.0), radius: 2.0 }));
    assert!(matches!(leaf(&format!("scale = [1, 1, 2]\n{ball}")), Solid::Stretched(_)));
}

#[test]
fn a_box_has_its_six_faces_in_order() {
    let scene = read("[scene]\nbox = { center = [1, 2, 3], half = [4, 5, 6] }").unwrap();
    let expected = [
        (DVec3::X, 5.0),
        (DVec3::NEG_X, 3.0),
        (DVec3::Y, 7.0),
        (DVec3::NEG_Y, 3.0),
        (DVec3::Z, 9.0),
        (DVec3::NEG_Z, 3.0),
    ];
    assert_eq!(scene.leaves().len(), expected.len());
    for (leaf, (normal, offset)) in scene.leaves().iter().zip(expected) {
        assert_eq!(leaf.solid, Solid::HalfSpace(HalfSpace { normal, offset }));
    }
}

#[test]
fn nodes_of_the_same_file_read_it_once() {
    let text = "[scene]\nunion = [{ polyhedron = { file = 'a.obj' } }, { polyhedron = { file = 'a.obj' } }]";
    let mut asked = 0;
    let scene = Scene::from_document_and_files(&Document::parse("scene.toml", text).unwrap(), &mut |_| {
        asked += 1;
        Ok(TETRAHEDRON.as_bytes().to_vec())
    });
    assert_eq!((scene.unwrap().leaves().len(), asked), (8, 1));
}

#[test]
fn hulls_stand_beside_the_scene_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("meshes")).unwrap();
    std::fs::write(folder.path().join("meshes/hull.obj"), TETRAHEDRON).unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, "[scene]\npolyhedron = { file = 'meshes/hull.obj' }").unwrap();
    assert_eq!(Scene::read(&path).unwrap().leaves().len(), 4);
}

/// Node, the place of the error in it, and what the message says.
const BAD: &[(&str, &str, &str)] = &[
    ("ellipsoid = { center = [0, 0, 0] }", "2:13", "key `axes` is missing"),
    ("ellipsoid = { center = [0, 0, 0], axes = [1, 2] }", "2:42", "must be an array of three numbers"),
    (
        "ellipsoid = { center = [0, 0, 0], axes = [1, 2, 0] }",
        "2:42",
        "[1, 2, 0] is not allowed: must be three lengths above 0 m",
    ),
    ("ellipsoid = { center = [0, 0, 0], axes = [1, 2, -3] }", "2:42", "must be three lengths above 0 m"),
    (
        "ellipsoid = { center = [0, 0, 0], axes = [1, 2, 3e9] }",
        "2:42",
        "the longest may be at most 1e9 times the shortest",
    ),
    ("ellipsoid = { center = [0, 0, 0], axes = [1, 2, 3], rotate = [1, 0, 0] }", "2:62", "must be a table"),
    ("cone = { axis = [0, 0, 1], radius = 1 }", "2:8", "one of `base`, `apex` is required"),
    ("cone = { base = [0, 0, 0], apex = [0, 0, 0] }", "2:8", "`base`, `apex` cannot stand together"),
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 0, radius = 1 }",
        "2:55",
        "0 is not allowed: must be above 0 m",
    ),
    ("cone = { base = [0, 0, 0], axis = [0, 0, 0], height = 1, radius = 1 }", "2:35", "must not be zero"),
    ("cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 1, radius = -1 }", "2:67", "must be at least 0 m"),
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 1, radius = 1, top_radius = -2 }",
        "2:83",
        "-2 is not allowed: must be at least 0 m",
    ),
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 1e-9, radius = 2 }",
        "2:55",
        "the radii may differ by at most 1e9 times as much",
    ),
    (
        "cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 90 }",
        "2:63",
        "90 is not allowed: must be above 0 and below 90",
    ),
    ("cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 0 }", "2:63", "must be above 0 and below 90"),
    ("cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 9, height = 1 }", "2:66", "unknown key `height`"),
    ("capsule = { from = [0, 0, 0], to = [0, 0], radius = 1 }", "2:36", "must be an array of three numbers"),
    ("capsule = { from = [0, 0, 0], to = [0, 0, 0], radius = -1 }", "2:56", "must be at least 0 m"),
    ("box = { center = [0, 0, 0], half = [1, 0, 1] }", "2:36", "must be three lengths above 0 m"),
    ("polyhedron = { }", "2:14", "one of `half_spaces`, `file` is required"),
    ("polyhedron = { half_spaces = [] }", "2:30", "must have at least one half space"),
    ("polyhedron = { half_spaces = [{ normal = [0, 0, 0], offset = 1 }] }", "2:42", "must not be zero"),
    ("polyhedron = { file = 'hull.ply' }", "2:23", "cannot be read"),
    ("polyhedron = { file = 'missing.stl' }", "2:23", "'missing.stl' is not allowed: cannot be read: entity not found"),
    ("polyhedron = { file = 'flat.obj' }", "2:23", "must not be flat: 3 different points"),
    ("polyhedron = { file = 'broken.obj' }", "2:23", "must have three numbers on line 2"),
    ("polyhedron = { file = 1 }", "2:23", "must be a string"),
    ("scale = 0\nof = { nothing = true }", "2:9", "0 is not allowed: must not be zero"),
    ("scale = [1, 0, 1]\nof = { nothing = true }", "2:9", "[1, 0, 1] is not allowed: must not be zero"),
    ("scale = [1, 2]\nof = { nothing = true }", "2:9", "must be an array of three numbers"),
    ("scale = 'much'\nof = { nothing = true }", "2:9", "must be a number"),
    ("scale = [1, 1, 1e-10]\nof = { nothing = true }", "2:9", "must not be singular"),
    ("scale = 1e40\nof = { nothing = true }", "2:9", "must stretch by at most 1e30, and by at least one over 1e30"),
    ("scale = 2", "1:1", "key `of` is missing"),
    ("matrix = [[1, 0, 0, 0], [0, 1, 0, 0]]\nof = { nothing = true }", "2:10", "must be three rows of four numbers"),
    (
        "matrix = [[1, 0, 0, 0], [0, 1, 0], [0, 0, 1, 0]]\nof = { nothing = true }",
        "2:25",
        "must be three rows of four numbers",
    ),
    ("matrix = [[1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 1, 0]]\nof = { nothing = true }", "2:10", "must not be singular"),
    // Each is well, but not both together.
    (
        "scale = [1, 1, 1e6]\nof = { scale = [1, 1, 1e6], of = { nothing = true } }",
        "1:1",
        "a map must not be singular: one direction may be stretched at most 1e9 times as much",
    ),
];

#[test]
fn bad_leaves_and_maps_are_refused_where_they_are_bad() {
    for (node, place, message) in BAD {
        let refusal = read(&format!("[scene]\n{node}")).err().unwrap_or_else(|| panic!("{node}")).to_string();
        assert!(refusal.starts_with(&format!("scene.toml:{place}: ")), "{node}\n{refusal}\nexpected at {place}");
        assert!(refusal.contains(message), "{node}\n{refusal}\nexpected {message}");
    }
}
