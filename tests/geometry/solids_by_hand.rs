//! Where lines meet solids of every kind, by numbers computed by hand.

use glam::DVec3;
use touchdown::document::Document;
use touchdown::query::{Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{Cone, Interval, Scene, Solid};

/// Node, line from and to, and lambda and normal where it is first met, computed by hand; `None` for a miss.
type Case = (&'static str, [f64; 3], [f64; 3], Option<(f64, [f64; 3])>);

const HALF_ROOT: f64 = std::f64::consts::FRAC_1_SQRT_2;

const CASES: &[Case] = &[
    // An egg from -3 to 3 along x: from 5 to -5 it is met at 3.
    (
        "ellipsoid = { center = [0, 0, 0], axes = [3, 1, 1] }",
        [5.0, 0.0, 0.0],
        [-5.0, 0.0, 0.0],
        Some((0.2, [1.0, 0.0, 0.0])),
    ),
    // (x/2)^2 + z^2 = 1 at x = sqrt 2: z = 1/sqrt 2, normal (x/4, 0, z) along (1, 0, 2).
    (
        "ellipsoid = { center = [0, 0, 0], axes = [2, 1, 1] }",
        [std::f64::consts::SQRT_2, 0.0, 2.0 * HALF_ROOT],
        [std::f64::consts::SQRT_2, 0.0, 0.0],
        Some((0.5, [0.447_213_595_499_957_9, 0.0, 0.894_427_190_999_915_9])),
    ),
    // The egg stands on end once turned.
    (
        "ellipsoid = { center = [0, 0, 1], axes = [3, 1, 1], rotate = { axis = [0, 1, 0], angle_deg = 90 } }",
        [0.0, 0.0, 8.0],
        [0.0, 0.0, 0.0],
        Some((0.5, [0.0, 0.0, 1.0])),
    ),
    // A pyramid of 45 degrees, apex at height 2: at x = 1 it is 1 high.
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 2, radius = 2 }",
        [1.0, 0.0, 3.0],
        [1.0, 0.0, -1.0],
        Some((0.5, [HALF_ROOT, 0.0, HALF_ROOT])),
    ),
    // From below through the base.
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 2, radius = 2 }",
        [1.0, 0.0, -1.0],
        [1.0, 0.0, 1.0],
        Some((0.5, [0.0, 0.0, -1.0])),
    ),
    // Beside the apex, above.
    ("cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 2, radius = 2 }", [-4.0, 0.0, 2.5], [4.0, 0.0, 2.5], None),
    // A frustum from 2 to 1 over a height of 2: 1.5 at half of it, slope -1/2.
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 2, radius = 2, top_radius = 1 }",
        [3.0, 0.0, 1.0],
        [0.0, 0.0, 1.0],
        Some((0.5, [0.894_427_190_999_915_9, 0.0, 0.447_213_595_499_957_9])),
    ),
    // The same, grown into a cylinder.
    (
        "cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 2, radius = 2, top_radius = 2 }",
        [3.0, 0.0, 1.0],
        [-1.0, 0.0, 1.0],
        Some((0.25, [1.0, 0.0, 0.0])),
    ),
    // One nappe: 45 degrees, opens upwards from the origin; the other nappe is not there.
    (
        "cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 45 }",
        [4.0, 0.0, 2.0],
        [0.0, 0.0, 2.0],
        Some((0.5, [HALF_ROOT, 0.0, -HALF_ROOT])),
    ),
    ("cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 45 }", [4.0, 0.0, -2.0], [-4.0, 0.0, -2.0], None),
    // Steeper than the side: in at the side and never out; from above it starts inside.
    (
        "cone = { apex = [0, 0, 0], axis = [0, 0, 1], half_angle_deg = 45 }",
        [1.0, 0.0, -1.0],
        [1.0, 0.0, 3.0],
        Some((0.5, [HALF_ROOT, 0.0, -HALF_ROOT])),
    ),
    // One metre above the apex it is tan 30 degrees wide.
    (
        "cone = { apex = [0, 0, 1], axis = [0, 0, 1], half_angle_deg = 30 }",
        [0.0, 3.0, 2.0],
        [0.0, 0.0, 2.0],
        Some((0.807_549_910_270_124_7, [0.0, 0.866_025_403_784_438_6, -0.5])),
    ),
    // The shaft of a capsule, and its round end.
    (
        "capsule = { from = [0, 0, 0], to = [4, 0, 0], radius = 1 }",
        [2.0, 0.0, 3.0],
        [2.0, 0.0, -1.0],
        Some((0.5, [0.0, 0.0, 1.0])),
    ),
    (
        "capsule = { from = [0, 0, 0], to = [4, 0, 0], radius = 1 }",
        [7.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        Some((0.5, [1.0, 0.0, 0.0])),
    ),
    (
        "capsule = { from = [1, 1, 1], to = [1, 1, 1], radius = 1 }",
        [1.0, 4.0, 1.0],
        [1.0, 0.0, 1.0],
        Some((0.5, [0.0, 1.0, 0.0])),
    ),
    ("box = { center = [1, 0, 0], half = [1, 2, 3] }", [4.0, 1.0, 1.0], [0.0, 1.0, 1.0], Some((0.5, [1.0, 0.0, 0.0]))),
    // A box that stands on its edge reaches sqrt 2.
    (
        "box = { center = [0, 0, 0], half = [1, 5, 1], rotate = { axis = [0, 1, 0], angle_deg = 45 } }",
        [0.5, 0.0, 2.0 * std::f64::consts::SQRT_2 - 0.5],
        [0.5, 0.0, -0.5],
        Some((0.5, [HALF_ROOT, 0.0, HALF_ROOT])),
    ),
    // A ball of 1 m scaled to a disc of 4 m by 1 m.
    (
        "scale = [4, 4, 1]\nof = { sphere = { center = [1, 0, 0], radius = 1 } }",
        [10.0, 0.0, 0.0],
        [6.0, 0.0, 0.0],
        Some((0.5, [1.0, 0.0, 0.0])),
    ),
    // A roof of 45 degrees squeezed to half its height: normals go with the inverse.
    (
        "scale = [1, 1, 0.5]\nof = { half_space = { normal = [1, 0, 1], offset = 2 } }",
        [0.0, 0.0, 2.0],
        [0.0, 0.0, 0.0],
        Some((0.5, [0.447_213_595_499_957_9, 0.0, 0.894_427_190_999_915_9])),
    ),
    // Mirrored in x.
    (
        "matrix = [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5]]\nof = { cone = { apex = [0, 0, 0], axis = [1, 0, 0], half_angle_deg = 45 } }",
        [-2.0, 0.0, 9.0],
        [-2.0, 0.0, 5.0],
        Some((0.5, [HALF_ROOT, 0.0, HALF_ROOT])),
    ),
    // A shear of x by z keeps the heights of a ball.
    (
        "matrix = [[1, 0, 3, 0], [0, 1, 0, 0], [0, 0, 1, 0]]\nof = { sphere = { center = [0, 0, 0], radius = 1 } }",
        [3.0, 0.0, 3.0],
        [3.0, 0.0, -1.0],
        Some((0.5, [0.0, 0.0, 1.0])),
    ),
    // The tetrahedron of three coordinate planes and a slope.
    (
        "polyhedron = { half_spaces = [{ normal = [-1, 0, 0], offset = 0 }, { normal = [0, -1, 0], offset = 0 }, \
         { normal = [0, 0, -1], offset = 0 }, { normal = [1, 1, 1], offset = 3 }] }",
        [1.0, 1.0, 2.0],
        [1.0, 1.0, 0.0],
        Some((0.5, [0.577_350_269_189_625_8; 3])),
    ),
];

#[test]
fn entry_points_computed_by_hand_are_found() {
    // Numbers of size 10 round some ten times.
    const TOLERANCE: f64 = 100.0 * f64::EPSILON;
    for (node, from, to, expected) in CASES {
        let document = Document::parse("scene.toml", &format!("[scene]\n{node}")).unwrap();
        let scene = Scene::from_document(&document).unwrap();
        let entry = Tracer::new(&scene).entry_point(&Ray::segment(DVec3::from(*from), DVec3::from(*to)));
        let Some((lambda, normal)) = expected else {
            assert_eq!(entry.status, RayStatus::Miss, "{node}: {entry:?}");
            continue;
        };
        assert_eq!(entry.status, RayStatus::Hit, "{node}");
        assert!((entry.lambda - lambda).abs() <= TOLERANCE, "{node}: {entry:?}");
        assert!((entry.normal.normalize() - DVec3::from(*normal)).length() <= TOLERANCE, "{node}: {entry:?}");
    }
}

#[test]
fn a_line_in_the_side_of_a_cone_is_flat_and_one_through_the_apex_a_point() {
    // All numbers are exact: slope 1, from (1, 0, 0) down to the apex at height 1.
    let cone = Solid::Cone(Cone::frustum(DVec3::ZERO, DVec3::Z, 1.0, 1.0, 0.0));
    let side = cone.interval(&DVec3::X, &DVec3::Z);
    assert_eq!(side, Interval { enter: 0.0, exit: 1.0, flat: true });
    let beyond = cone.interval(&DVec3::new(1.0, 0.5, 0.0), &DVec3::new(0.0, 0.5, 1.0));
    assert!(beyond.is_empty(), "{beyond:?}");
    let apex = cone.interval(&DVec3::new(-1.0, 0.0, 1.0), &DVec3::new(1.0, 0.0, 1.0));
    assert_eq!((apex.enter, apex.exit), (0.5, 0.5));
    let open = Solid::Cone(Cone { base: DVec3::ZERO, axis: DVec3::Z, radius: 0.0, slope: 1.0, height: None });
    assert_eq!(
        open.interval(&DVec3::ZERO, &DVec3::new(1.0, 0.0, 1.0)),
        Interval { enter: 0.0, exit: f64::INFINITY, flat: true }
    );
    assert_eq!(open.interval(&DVec3::NEG_Z, &DVec3::Z), Interval { enter: 0.5, ..Interval::WHOLE });
    assert_eq!(open.interval(&DVec3::Z, &DVec3::NEG_Z), Interval { exit: 0.5, ..Interval::WHOLE });
}
