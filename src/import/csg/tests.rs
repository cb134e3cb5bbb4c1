use std::fmt::Write;

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use proptest::prelude::*;

use super::*;

mod extrusions;

const MILLIMETERS: f64 = 0.001;

fn request() -> CsgRequest {
    CsgRequest { unit: "1 mm".to_owned(), meters: MILLIMETERS, static_friction: 0.6, dynamic_friction: 0.5 }
}

fn scene_of(code: &str) -> Scene {
    let (text, _) = convert("model.csg", code, &request()).unwrap();
    let document = Document::parse("scene.toml", &text).unwrap();
    Scene::from_document(&document).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(code: &str) -> String {
    let CsgError { line, message } = convert("model.csg", code, &request()).unwrap_err();
    assert!(!message.contains('\n'), "{message}");
    format!("{line}: {message}")
}

fn holds(scene: &Scene, x: f64, y: f64, z: f64) -> bool {
    scene.contains(scene.root(), MILLIMETERS * DVec3::new(x, y, z))
}

/// As OpenSCAD 2021.01 writes it.
const BRACKET: &str = "\
group() {
	difference() {
		color([1, 0, 0, 1]) {
			cube(size = [40, 20, 10], center = false);
		}
		multmatrix([[1, 0, 0, 10], [0, 1, 0, 10], [0, 0, 1, -1], [0, 0, 0, 1]]) {
			cylinder($fn = 32, $fa = 12, $fs = 2, h = 12, r1 = 4, r2 = 4, center = false);
		}
	}
	multmatrix([[1, 0, 0, 30], [0, 1, 0, 10], [0, 0, 1, 10], [0, 0, 0, 1]]) {
		group() {
			cylinder($fn = 0, $fa = 12, $fs = 2, h = 6, r1 = 2, r2 = 5, center = false);
		}
		%sphere($fn = 0, $fa = 12, $fs = 2, r = 100);
	}
}
group();
";

#[test]
fn a_model_becomes_a_scene_file_that_people_can_read() {
    let expected = r##"# From model.csg, a flat export of OpenSCAD. Metres; one unit of the model is 1 mm.
# Spheres, cylinders and cones are round: the facets of $fn, $fa and $fs are not kept, but for cylinders of 3 to 12
# sides ($fn). Shapes are named after their lines in the model.
default_material = "uncolored"

# Frictions are assumed, for OpenSCAD has none. Materials are named after colours.
[materials.uncolored]
static_friction = 0.6
dynamic_friction = 0.5
color = "#f9d72c"

[materials.red]
static_friction = 0.6
dynamic_friction = 0.5
color = "#ff0000"

[shapes.difference_2]
difference = [
    { material = "red", of = { box = { center = [0.02, 0.01, 0.005], half = [0.02, 0.01, 0.005] } } },
    { cylinder = { center = [0.01, 0.01, 0.005], axis = [0, 0, 1], radius = 0.004, height = 0.012 } },
]

[shapes.union_1]
union = [
    { use = "difference_2" },
    { cone = { base = [0.03, 0.01, 0.016], axis = [0, 0, -1], height = 0.006, radius = 0.005, top_radius = 0.002 } },
]

[scene]
use = "union_1"
"##;
    let (text, warnings) = convert("model.csg", BRACKET, &request()).unwrap();
    assert_eq!(text, expected);
    assert_eq!(warnings, Vec::<String>::new());
    let scene = scene_of(BRACKET);
    assert!(holds(&scene, 1.0, 1.0, 1.0) && !holds(&scene, 10.0, 10.0, 5.0) && holds(&scene, 34.0, 10.0, 15.9));
    assert!(!holds(&scene, 34.0, 10.0, 12.0), "the cone is narrow there");
    assert_eq!(scene.appearance().colors[1], Some(Color([255, 0, 0])));
}

#[test]
fn what_cannot_be_imported_is_refused_by_name_and_line() {
    for (code, words) in [
        (
            "cube(size = [1, 1, 1]);\n\nrotate_extrude() { square(size = [1, 1]); }",
            "3: `rotate_extrude`: is not supported",
        ),
        ("linear_extrude(height = 5) {\n cube(size = [1, 1, 1]);\n}", "2: `cube` in linear_extrude: only flat shapes"),
        (
            "linear_extrude(height = 5, twist = 90) { square(size = [1, 1]); }",
            "1: linear_extrude: `twist` must be 0: the",
        ),
        (
            "linear_extrude(height = 5, scale = [1, 2]) { circle(r = 9); }",
            "1: linear_extrude: with unequal numbers in `scale` a",
        ),
        (
            "linear_extrude(height = 5, scale = [1, 2]) { polygon(points = [[0, 0], [2, 1], [0, 1]]); }",
            "1: linear_extrude: with unequal numbers in `scale` only shapes with edges along x and y",
        ),
        (
            "linear_extrude(height = 5, scale = -1) { square(size = [1, 1]); }",
            "1: linear_extrude: `scale` must be finite",
        ),
        ("linear_extrude(height = undef) { square(size = [1, 1]); }", "1: linear_extrude: `height` must be a finite"),
        ("\nsquare(size = [1, 1]);", "2: `square`: flat shapes have no thickness; only linear_extrude makes"),
        (
            "linear_extrude(height = 5) {\n polygon(points = [[0, 0], [1, 1], [1, 0], [0, 1]]);\n}",
            "2: polygon: its outline crosses itself or another",
        ),
        (
            "linear_extrude(height = 5) {\n polygon(points = [[0, 0], [1, 1], [1, 0]], paths = [[0, 1, 3]]);\n}",
            "2: polygon: `paths` names a point that there is not",
        ),
        ("group() {\n minkowski(convexity = 0) {\n }\n}", "2: `minkowski`: is not supported; allowed are group, union"),
        ("text(text = \"a;\\\"b\", size = 10);", "1: `text`: letters depend on fonts"),
        ("cubee(size = [1, 1, 1]);", "1: unknown node `cubee`: is `cube` meant?"),
        ("!cube(size = [1, 1, 1]);", "1: the modifier `!`"),
        ("sphere(r = undef);", "1: sphere: `r` must be a finite number"),
        ("sphere(r = inf);", "1: sphere: `r` must be a finite number"),
        ("\nsphere($fn = 0);", "2: sphere: `r` must be a finite number"),
        ("cube(size = [1, 2], center = false);", "1: cube: `size` must be made of three numbers"),
        ("cube(size = [1, 2, 3], center = 1);", "1: cube: `center` must be true or false"),
        ("multmatrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]) {\n}", "1: multmatrix: must be finite"),
        ("multmatrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]) {\n}", "1: multmatrix: must have four"),
        ("color([2, 0, 0, 1]) {\n}", "1: color: red, green and blue must be from 0 to 1"),
        ("group() {\n cube(size = [1, 1, 1]);\n", "3: `group` of line 1 is not closed"),
        ("cube(size = [1, 1, 1])\n", "2: found the end of the file where `;` after `cube` should stand"),
        ("cube(size = [1, ?, 1]);", "1: found '?' where a number"),
        ("cube size;", "1: found 's' where `(` after `cube` should stand"),
        ("/* open", "1: a comment is not closed"),
        ("/*/ cube(size = [1, 1, 1]);", "1: a comment is not closed"),
        ("group(true\n\n) {\n}\ncubee(size = [1, 1, 1]);", "5: unknown node `cubee`"),
        ("*!cube(size = [1, 1, 1]);", "1: the modifier `!`"),
        ("cylinder($fn = inf, h = 1, r1 = 1, r2 = 1);", "1: cylinder: `$fn` must be a finite number"),
        ("group();", "1: holds no solid"),
        ("intersection() {\n group();\n cube(size = [1, 1, 1]);\n}", "1: holds no solid"),
        ("difference() {\n group();\n cube(size = [1, 1, 1]);\n}", "1: holds no solid"),
        ("hull() {\n difference() {\n }\n}", "2: `difference` in a hull is not supported"),
        ("hull() {\n cube(size = 1);\n sphere($fn = 1000, r = 1);\n}", "3: sphere: has 1000 facets, at most 360 are"),
    ] {
        let message = refusal(code);
        assert!(message.starts_with(words), "{code}: {message}");
    }
}

#[test]
fn endless_nesting_is_an_error() {
    let nested = "group() {".repeat(100_000);
    assert!(refusal(&nested).contains("more than 256 deep"));
    assert!(refusal(&format!("cube(size = {}", "[".repeat(100_000))).contains("more than 256 deep"));
}

#[test]
fn what_is_no_part_of_the_model_is_left_out_and_empty_solids_are_named() {
    let code = "#cube(size = [1, 1, 1], center = true);\n*#sphere(r = 50);\n# % sphere(r = 50);\nsphere(r = 0);\n\
                render(convexity = 2) { cube(size = [9, 0, 9]); }\n// the end";
    let (text, warnings) = convert("model.csg", code, &request()).unwrap();
    assert!(text.ends_with("[scene]\nunion = [{ box = { center = [0, 0, 0], half = [0.0005, 0.0005, 0.0005] } }]\n"));
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("line 4: sphere") && warnings[1].starts_with("line 5: cube"), "{warnings:?}");
}

#[test]
fn the_outermost_color_wins_and_no_color_is_none() {
    let code = "color([0, 0, 1, 1]) {\n color([1, 0, 0, 0.5]) {\n  cube(size = [1, 1, 1]);\n }\n}\n\
                color([-1, -1, -1, 1]) {\n multmatrix([[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) {\n  \
                cube(size = [1, 1, 1]);\n }\n}\ncolor([0.2, 0.4, 0.6, 1]) { sphere(r = 9); }";
    let scene = scene_of(code);
    let name = |leaf: u32| {
        let material = scene.material_at(leaf, DVec3::ZERO).unwrap();
        scene.material(material).name.as_str()
    };
    assert_eq!([name(0), name(6), name(12)], ["blue", "uncolored", "color_336699"]);
}

#[test]
fn colors_of_colors_are_one_level_of_the_scene() {
    let code = format!("{}cube(size = [1, 1, 1]);{}", "color([1, 0, 0, 1]) {".repeat(100), "}".repeat(100));
    let (text, _) = convert("model.csg", &code, &request()).unwrap();
    assert_eq!(text.matches("{ material = ").count(), 1, "{text}");
    // Also where others stand in between; and a colour after them is one again.
    let between = "color([1, 0, 0, 1]) { group() { color([0, 0, 1, 1]) { cube(size = [1, 1, 1]); } sphere(r = 9); } }\n\
                   color([0, 0, 1, 1]) { sphere(r = 1); }";
    let (text, _) = convert("model.csg", between, &request()).unwrap();
    assert_eq!((text.matches("\"red\", of").count(), text.matches("\"blue\", of").count()), (1, 1), "{text}");
    scene_of(&code);
}

#[test]
fn a_name_cannot_break_the_text() {
    let (text, _) = convert("a\nevil = 1\n.csg", "cube(size = [1, 1, 1]);", &request()).unwrap();
    assert!(text.starts_with("# From a\\nevil = 1\\n.csg, a flat export"), "{text}");
    Document::parse("scene.toml", &text).unwrap();
}

#[test]
fn cylinders_of_few_sides_are_prisms_and_pyramids() {
    let cylinder = |fn_: &str, r2: f64| format!("cylinder($fn = {fn_}, $fa = 12, $fs = 2, h = 10, r1 = 5, r2 = {r2});");
    // Corners stand on the axes x and y, so the middle of a side is 5 / sqrt 2 = 3.54 from the axis.
    let pyramid = scene_of(&cylinder("4", 0.0));
    assert_eq!(pyramid.leaves().len(), 5);
    assert!(holds(&pyramid, 4.99, 0.0, 0.001) && holds(&pyramid, 0.0, -4.99, 0.001) && holds(&pyramid, 0.0, 0.0, 9.99));
    assert!(!holds(&pyramid, 2.6, 2.6, 0.001) && holds(&pyramid, 1.24, 1.24, 5.0) && !holds(&pyramid, 1.26, 1.26, 5.0));
    assert!(!holds(&pyramid, 0.0, 0.0, 10.01) && !holds(&pyramid, 0.0, 0.0, -0.01));
    let upside_down = scene_of("cylinder($fn = 4, h = 10, r1 = 0, r2 = 5, center = true);");
    assert!(holds(&upside_down, 4.99, 0.0, 4.999) && holds(&upside_down, 0.0, 0.0, -4.99));
    assert!(!holds(&upside_down, 0.1, 0.0, -4.9) && !holds(&upside_down, 0.0, 0.0, -5.01));
    // A nut: 5 at corners, 5 cos 30 degrees = 4.33 at sides.
    let nut = scene_of(&cylinder("6", 5.0));
    assert!(holds(&nut, 4.99, 0.0, 5.0) && holds(&nut, 0.0, 4.33, 5.0) && !holds(&nut, 0.0, 4.34, 5.0));
    let leaves = |fn_: &str| scene_of(&cylinder(fn_, 5.0)).leaves().len();
    assert_eq!(["1", "3.9", "12.9", "13", "0", "-4"].map(leaves), [5, 5, 14, 1, 1, 1]);
    // Long, thin and sheared is no matter.
    let needle = "multmatrix([[1, 0, 0.5, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]) {\n\
                  cylinder($fn = 3, h = 1e6, r1 = 1, r2 = 1); }";
    let needle = scene_of(needle);
    assert!(holds(&needle, 0.99 + 5e5 * 0.5, 0.0, -5e5) && !holds(&needle, -0.51 + 5e5 * 0.5, 0.0, -5e5));
}

#[test]
fn spheres_of_few_sides_become_round_with_one_warning() {
    let code = "sphere($fn = 12, r = 1);\nsphere($fn = 13, r = 2);\nsphere($fn = 8, r = 0);\n\
                hull() {\n sphere($fn = 4, r = 1);\n multmatrix([[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) {\n  \
                sphere($fn = 4, r = 1);\n }\n}";
    let (text, warnings) = convert("model.csg", code, &request()).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[1].starts_with("line 1: a sphere of few sides") && warnings[1].ends_with(": 3"), "{warnings:?}");
    assert!(warnings.iter().all(|warning| text.contains(&format!("\n# Warning: {warning}\n"))), "{text}");
}

const TETRAHEDRON: &str = "[[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]]";

#[test]
fn convex_polyhedra_are_taken_and_others_refused() {
    let code = |faces: &str| format!("polyhedron(points = {TETRAHEDRON}, faces = {faces}, convexity = 1);");
    let scene = scene_of(&code("[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]"));
    assert!(holds(&scene, 3.0, 3.0, 3.0) && !holds(&scene, 4.0, 4.0, 4.0) && !holds(&scene, -0.1, 1.0, 1.0));
    assert_eq!(scene.leaves().len(), 4);
    let open = refusal(&code("[[0, 1, 2], [0, 3, 1], [0, 2, 3]]"));
    assert!(open.contains("not closed: the edge between points"), "{open}");
    assert!(refusal(&code("[[0, 1, 7]]")).contains("face 0 names point 7, but there are 4"));
    assert!(refusal(&code("[[0, 1]]")).contains("fewer than three points"));
    assert!(
        refusal(&format!("hull() {{ {} }}", code("[[0, 1, 7]]"))).contains("face 0 names point 7, but there are 4")
    );
    // A cube with one corner pushed to its middle.
    let dented = "polyhedron(points = [[0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0], [0, 0, 9], [9, 0, 9], [4, 4, 4], [0, 9, 9]], \
                  faces = [[0, 1, 2, 3], [4, 7, 6, 5], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]], convexity = 1);";
    assert!(refusal(dented).contains("not convex: points stand on both sides of face"), "{}", refusal(dented));
}

#[test]
fn points_that_no_face_names_are_no_part_of_the_solid() {
    let tetrahedron = "polyhedron(points = [[0, 0, 0], [99, 99, 99], [10, 0, 0], [0, 10, 0], [0, 0, 10]], \
                       faces = [[0, 2, 3], [0, 4, 2], [0, 3, 4], [2, 4, 3]], convexity = 1);";
    for code in [tetrahedron.to_owned(), format!("hull() {{ {tetrahedron} }}")] {
        let scene = scene_of(&code);
        assert!(holds(&scene, 3.0, 3.0, 3.0) && !holds(&scene, 4.0, 4.0, 4.0), "{code}");
    }
}

#[test]
fn hulls_of_equal_balls_and_of_corners_are_solids() {
    let moved = |by: f64, what: &str| {
        format!("multmatrix([[1, 0, 0, {by}], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) {{ {what} }}")
    };
    let ball = "sphere($fn = 0, $fa = 12, $fs = 2, r = 2);";
    let (text, _) = convert("a.csg", &format!("hull() {{ {ball} {} }}", moved(10.0, ball)), &request()).unwrap();
    assert!(text.contains("capsule = { from = [0, 0, 0], to = [0.01, 0, 0], radius = 0.002 }"), "{text}");
    let cube = "cube(size = [2, 2, 2], center = true);";
    let tilted = moved(10.0, "cube(size = [2, 4, 2], center = true);");
    let scene = scene_of(&format!("hull() {{ {cube} {tilted} }}"));
    assert!(holds(&scene, 4.0, 1.4, 0.9) && !holds(&scene, 4.0, 1.6, 0.9) && holds(&scene, 10.9, 1.9, 0.0));
}

/// A model, apart from the code under test: it writes itself and knows what it holds.
#[derive(Clone, Debug)]
enum Model {
    Cube(DVec3, bool),
    Sphere(f64),
    Cylinder(f64, f64, f64, bool),
    Prism(u32, f64, f64, f64, bool),
    Union(Vec<Model>),
    Difference(Vec<Model>),
    Intersection(Vec<Model>),
    Moved(DAffine3, Vec<Model>),
}

impl Model {
    fn write(&self, code: &mut String) {
        let (head, children): (String, &[Self]) = match self {
            Self::Cube(size, center) => {
                let _ = writeln!(code, "cube(size = [{}, {}, {}], center = {center});", size.x, size.y, size.z);
                return;
            }
            Self::Sphere(r) => {
                let _ = writeln!(code, "sphere($fn = 0, $fa = 12, $fs = 2, r = {r});");
                return;
            }
            Self::Cylinder(h, r1, r2, center) => {
                let _ =
                    writeln!(code, "cylinder($fn = 0, $fa = 12, h = {h}, r1 = {r1}, r2 = {r2}, center = {center});");
                return;
            }
            Self::Prism(sides, h, r1, r2, center) => {
                let _ = writeln!(code, "cylinder($fn = {sides}, h = {h}, r1 = {r1}, r2 = {r2}, center = {center});");
                return;
            }
            Self::Union(children) => ("union()".to_owned(), children),
            Self::Difference(children) => ("difference()".to_owned(), children),
            Self::Intersection(children) => ("intersection()".to_owned(), children),
            Self::Moved(map, children) => {
                let rows = map.matrix3.transpose().to_cols_array_2d();
                let row =
                    |i: usize| format!("[{}, {}, {}, {}]", rows[i][0], rows[i][1], rows[i][2], map.translation[i]);
                (format!("multmatrix([{}, {}, {}, [0, 0, 0, 1]])", row(0), row(1), row(2)), children)
            }
        };
        let _ = writeln!(code, "{head} {{");
        children.iter().for_each(|child| child.write(code));
        code.push_str("}\n");
    }

    /// How far inside, in units of the solid that decides; negative outside. Only the sign and nearness to 0 matter.
    fn depth(&self, point: DVec3) -> f64 {
        let depths = |children: &[Self]| children.iter().map(|child| child.depth(point)).collect::<Vec<f64>>();
        match self {
            Self::Cube(size, center) => {
                let low = if *center { -0.5 * *size } else { DVec3::ZERO };
                (point - low).min_element().min((low + *size - point).min_element())
            }
            Self::Sphere(r) => r - point.length(),
            Self::Cylinder(h, r1, r2, center) => {
                let above = point.z + if *center { 0.5 * h } else { 0.0 };
                let radius = r1 + (r2 - r1) * above / h;
                (radius - point.x.hypot(point.y)).min(above).min(h - above)
            }
            Self::Prism(sides, h, r1, r2, center) => {
                let above = point.z + if *center { 0.5 * h } else { 0.0 };
                let radius = r1 + (r2 - r1) * above / h;
                // Left of all edges from corner to corner of the cut at this height.
                let corner =
                    |index: u32| DVec2::from_angle(std::f64::consts::TAU * f64::from(index) / f64::from(*sides));
                let inside = (0..*sides).map(|index| {
                    let (from, to) = (corner(index), corner(index + 1));
                    (to - from).normalize().perp_dot(point.truncate() - radius * from)
                });
                inside.fold(above.min(h - above), f64::min)
            }
            Self::Union(children) => depths(children).into_iter().fold(f64::NEG_INFINITY, f64::max),
            Self::Intersection(children) => depths(children).into_iter().fold(f64::INFINITY, f64::min),
            Self::Difference(children) => {
                let depths = depths(children);
                depths[1..].iter().fold(depths[0], |all, depth| all.min(-depth))
            }
            Self::Moved(map, children) => {
                let point = map.inverse().transform_point3(point);
                children.iter().map(|child| child.depth(point)).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    [range.clone(), range.clone(), range].prop_map(DVec3::from)
}

fn map() -> impl Strategy<Value = DAffine3> {
    let linear = (0..6, vector(-1.0..1.0), 0.0..6.0, vector(0.5..2.0), any::<bool>()).prop_map(
        |(kind, axis, angle, stretch, mirrored)| {
            let turn = DMat3::from_quat(DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle));
            let quarters = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2 * angle.floor());
            let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, if mirrored { -1.0 } else { 1.0 }));
            let linear = match kind {
                0 => DMat3::IDENTITY,
                1 => turn,
                2 => turn * stretch.x,
                3 => turn * DMat3::from_diagonal(stretch),
                4 => quarters * DMat3::from_diagonal(stretch),
                _ => DMat3::from_cols(DVec3::X, DVec3::new(0.5 * axis.x, 1.0, 0.0), DVec3::new(axis.y, 0.3, stretch.x)),
            };
            linear * mirror
        },
    );
    (linear, vector(-8.0..8.0)).prop_map(|(linear, by)| DAffine3::from_mat3_translation(linear, by))
}

fn model() -> impl Strategy<Value = Model> {
    let leaf = prop_oneof![
        (vector(2.0..15.0), any::<bool>()).prop_map(|(size, center)| Model::Cube(size, center)),
        (2.0..9.0).prop_map(Model::Sphere),
        (2.0..15.0, 0.0..8.0, 1.0..8.0, any::<bool>())
            .prop_map(|(h, r1, r2, center)| Model::Cylinder(h, r1, r2, center)),
        (3..13u32, 2.0..15.0, 0.0..8.0, 1.0..8.0, any::<bool>())
            .prop_map(|(sides, h, r1, r2, center)| Model::Prism(sides, h, r1, r2, center)),
        (2.0..15.0, 1.0..8.0, any::<bool>()).prop_map(|(h, r, center)| Model::Cylinder(h, r, r, center)),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let children = prop::collection::vec(inner, 1..4);
        prop_oneof![
            children.clone().prop_map(Model::Union),
            children.clone().prop_map(Model::Difference),
            children.clone().prop_map(Model::Intersection),
            (map(), children).prop_map(|(map, children)| Model::Moved(map, children)),
        ]
    })
}

/// Numbers are written to twelve digits, and are at most some 10,000 units after four maps.
const NEAR_A_BORDER: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scene_holds_what_the_model_holds(model in model(), points in prop::collection::vec(vector(-20.0..20.0), 200)) {
        let mut code = String::new();
        model.write(&mut code);
        let scene = scene_of(&code);
        for point in points {
            let depth = model.depth(point);
            if depth.abs() > NEAR_A_BORDER {
                let inside = scene.contains(scene.root(), MILLIMETERS * point);
                prop_assert_eq!(inside, depth > 0.0, "{}: {}\n{}", point, depth, code);
            }
        }
    }

    #[test]
    fn damaged_models_never_panic(start in 0..BRACKET.len(), length in 0usize..6, piece in prop::sample::select(vec![
        "(", ")", "{", "}", "[", "]", ";", ",", "=", "\"", "/*", "//", "-", "1e999", "nan", "$", "hull", "",
    ])) {
        let end = (start + length).min(BRACKET.len());
        let code = format!("{}{piece}{}", &BRACKET[..start], &BRACKET[end..]);
        if let Err(error) = convert("model.csg", &code, &request()) {
            prop_assert!(error.line >= 1 && error.line <= 1 + code.matches('\n').count());
            prop_assert!(!error.message.contains('\n'));
        }
    }
}

#[test]
fn groups_that_start_on_one_line_are_numbered_each_kind_for_itself() {
    let cut = "difference() { cube(size = [9, 9, 9]); cube(size = [1, 1, 1]); }";
    let joined = "intersection() { cube(size = [9, 9, 9]); cube(size = [1, 1, 1]); }";
    let (text, _) = convert("model.csg", &format!("{cut} {cut} {joined} {cut}\n{cut}"), &request()).unwrap();
    let shapes: Vec<&str> = text.lines().filter(|line| line.starts_with("[shapes.")).collect();
    let names = ["difference_1", "difference_1_2", "intersection_1", "difference_1_3", "difference_2"];
    assert_eq!(shapes[..5], names.map(|name| format!("[shapes.{name}]")));
}
