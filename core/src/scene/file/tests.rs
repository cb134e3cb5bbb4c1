use std::fmt::Write;
use std::time::{Duration, Instant};

use glam::{DQuat, DVec3};

use super::*;
use crate::scene::{Cylinder, LIMITS, Shape, Solid};

fn read(text: &str) -> Result<Scene, DocumentError> {
    Scene::from_document(&Document::parse("scene.toml", text).unwrap())
}

/// The message of a refused text, and that it is one line.
fn refusal(text: &str) -> String {
    // A scene that should have been refused may be too large to print.
    let message = read(text).err().unwrap().to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

/// A scene built by hand with two materials, `grass` (0) and `wet` (1).
fn built(shape: &Shape) -> Scene {
    Scene::new(shape, two_materials(), None, None).unwrap()
}

fn two_materials() -> Vec<Material> {
    let material = |name: &str, static_friction, dynamic_friction| Material {
        name: name.to_owned(),
        static_friction,
        dynamic_friction,
        max_force: f64::INFINITY,
        dynamic_friction_by_speed: Vec::new(),
        drag: SurfaceDrag::default(),
    };
    vec![material("grass", 0.75, 0.5), material("wet", 0.25, 0.125)]
}

const TWO_MATERIALS: &str = "[materials]\n\
    grass = { static_friction = 0.75, dynamic_friction = 0.5 }\n\
    wet = { static_friction = 0.25, dynamic_friction = 0.125 }\n";

const GRASS: MaterialId = MaterialId(0);
const WET: MaterialId = MaterialId(1);

fn ball(x: f64) -> Shape {
    Shape::sphere(DVec3::new(x, 0.0, 0.0), 1.0)
}

#[test]
fn every_node_gives_the_shape_built_by_hand() {
    let ball_node = |x: f64| format!("{{ sphere = {{ center = [{x}, 0, 0], radius = 1 }} }}");
    let [a, b, c] = [1.0, 2.0, 3.0].map(ball_node);
    let ground = Shape::half_space(DVec3::new(0.0, 0.0, 2.0), 6.0);
    let quarter = DQuat::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2);
    let column = |half_height| {
        let center = DVec3::new(1.0, 2.0, 3.0);
        Shape::Solid(Solid::Cylinder(Cylinder { center, axis: DVec3::Y, radius: 0.5, half_height }))
    };
    let three = || [1.0, 2.0, 3.0].map(ball);
    let difference = Shape::Difference(three().map(std::sync::Arc::new).to_vec());
    let cases = [
        ("half_space = { normal = [0, 0, 2], offset = 6 }".to_owned(), ground.clone()),
        ("half_space = { normal = [0, 0, 2], point = [7, 8, 3] }".to_owned(), ground.clone()),
        ("half_space = { normal = [0, 0, 2], offset = 6 }\nmaterial = 'wet'".to_owned(), ground.clone().made_of(WET)),
        (
            "material = 'wet'\nof = { half_space = { normal = [0, 0, 2], offset = 6 }, material = 'grass' }".to_owned(),
            ground.made_of(GRASS).made_of(WET),
        ),
        ("sphere = { center = [1, 0, 0], radius = '100 cm' }".to_owned(), ball(1.0)),
        ("cylinder = { center = [1, 2, 3], axis = [0, 9, 0], radius = 0.5 }".to_owned(), column(None)),
        // Squares of this axis vanish.
        (
            "cylinder = { center = [1, 2, 3], axis = [0, 1e-300, 0], radius = 0.5, height = 8 }".to_owned(),
            column(Some(4.0)),
        ),
        ("everything = true".to_owned(), Shape::Everything),
        ("nothing = true".to_owned(), Shape::Nothing),
        (format!("union = [{a}, {b}, {c}]"), Shape::union(three())),
        (format!("intersection = [{a}, {b}, {c}]"), Shape::intersection(three())),
        (format!("difference = [{a}, {b}, {c}]"), difference),
        (format!("complement = {a}"), ball(1.0).complement()),
        (format!("translate = ['1 km', 2, 3]\nof = {a}"), ball(1.0).translated(DVec3::new(1000.0, 2.0, 3.0))),
        (format!("rotate = {{ axis = [0, 0, 4], angle_deg = 90 }}\nof = {a}"), ball(1.0).rotated(quarter)),
        (format!("material = 'wet'\nof = {a}"), ball(1.0).made_of(WET)),
        (format!("paint = 'wet'\nwhere = {a}\nof = {b}"), ball(2.0).painted(WET, ball(1.0))),
    ];
    for (node, shape) in cases {
        let scene = read(&format!("{TWO_MATERIALS}[scene]\n{node}\n")).unwrap();
        assert_eq!(scene, built(&shape), "{node}");
    }
}

#[test]
fn a_rotation_turns_right_handed() {
    let scene = read(
        "[scene]\nrotate = { axis = [0, 0, 1], angle_deg = 90 }\n\
         of = { sphere = { center = [1, 0, 0], radius = 1 } }",
    );
    let scene = scene.unwrap();
    // Half an angle, its sine and two products are each rounded once.
    const ROUNDINGS: f64 = 4.0 * f64::EPSILON;
    let Solid::Sphere(turned) = scene.leaves()[0].solid else { panic!("not a ball") };
    assert!((turned.center - DVec3::Y).length() <= ROUNDINGS, "{}", turned.center);
}

const VILLAGE: &str = r#"
default_material = "grass"
[scene]
union = [
    { use = "house" },
    { paint = "wet", where = { use = "puddle" }, of = { use = "house" } },
    { sphere = { center = [9, 0, 0], radius = 1 } },
]
[shapes]
house = { union = [{ use = "wall" }, { translate = [0, 0, 5], of = { use = "wall" } }] }
puddle = { sphere = { center = [0, 0, 0], radius = 2 } }
wall = { difference = [{ sphere = { center = [1, 0, 0], radius = 1 } }, { use = "hole" }] }
hole = { sphere = { center = [2, 0, 0], radius = 1 } }
unused = { nothing = true }
"#;

fn village() -> Scene {
    read(&format!("{VILLAGE}{TWO_MATERIALS}")).unwrap()
}

#[test]
fn leaves_are_numbered_in_the_expanded_tree_without_paint_regions() {
    let center = |solid: &Solid| match solid {
        Solid::Sphere(ball) => ball.center,
        _ => panic!("not a ball"),
    };
    let scene = village();
    let centers: Vec<_> = scene.leaves().iter().map(|leaf| center(&leaf.solid).to_array()).collect();
    let house = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 5.0], [2.0, 0.0, 5.0]];
    assert_eq!(centers, [&house[..], &house[..], &[[9.0, 0.0, 0.0]]].concat());
    let complemented: Vec<_> = scene.leaves().iter().map(|leaf| leaf.complemented).collect();
    assert_eq!(complemented, [false, true, false, true, false, true, false, true, false]);
}

#[test]
fn materials_of_leaves_follow_paint_and_the_default() {
    let scene = village();
    let in_puddle = DVec3::new(0.5, 0.0, 0.0);
    let beside = DVec3::new(0.0, 0.0, 5.0);
    assert_eq!(scene.material_at(0, in_puddle), Some(GRASS));
    assert_eq!(scene.material_at(4, in_puddle), Some(WET));
    assert_eq!(scene.material_at(4, beside), Some(GRASS));
    assert_eq!(scene.materials(), two_materials());
}

#[test]
fn materials_and_the_runway_have_all_their_fields_and_defaults() {
    let scene = read(
        "[materials.ice]\nstatic_friction = '10 %'\ndynamic_friction = 0\nmax_force = '2 kN'\n\
         dynamic_friction_by_speed = [[0, 0.3], ['36 km/h', 0.1]]\n\
         [materials.air]\nstatic_friction = 0\ndynamic_friction = 0\n\
         [runway]\nlength = 1400\nwidth = '30 m'\ndisplaced_threshold = 200\n[scene]\nnothing = true",
    )
    .unwrap();
    let [ice, air] = scene.materials() else { panic!("two materials") };
    assert_eq!((ice.static_friction, ice.dynamic_friction, ice.max_force), (0.1, 0.0, 2000.0));
    assert_eq!(ice.dynamic_friction_by_speed, [(0.0, 0.3), (10.0, 0.1)]);
    assert_eq!((air.max_force, air.dynamic_friction_by_speed.len()), (f64::INFINITY, 0));
    assert_eq!(ice.drag, SurfaceDrag::default());
    assert_eq!(
        scene.runway(),
        Some(&Runway { length: 1400.0, width: 30.0, displaced_threshold: 200.0, slope: 0.0, elevation: 0.0 })
    );
    assert_eq!(scene.default_material(), None);

    let short = read("[runway]\nlength = 10\nwidth = 3\n[scene]\nnothing = true").unwrap();
    assert_eq!(short.runway().map(|runway| runway.displaced_threshold), Some(0.0));
}

#[test]
fn soft_and_flooded_ground_has_its_drag() {
    let scene = read(
        "[materials.gravel]\nstatic_friction = 0.6\ndynamic_friction = 0.5\nrolling_resistance = '8 %'\n\
         [materials.slush]\nstatic_friction = 0.2\ndynamic_friction = 0.1\nfluid_depth = '12.7 mm'\n\
         fluid_density = 850\nrolling_resistance_by_speed = [[0, 0.02], ['36 km/h', 0.06]]\n\
         [scene]\nnothing = true",
    )
    .unwrap();
    let [gravel, slush] = scene.materials() else { panic!("two materials") };
    assert_eq!(gravel.drag, SurfaceDrag { rolling_resistance: 0.08, ..SurfaceDrag::default() });
    let expected = SurfaceDrag {
        rolling_resistance: 0.0,
        rolling_resistance_by_speed: vec![(0.0, 0.02), (10.0, 0.06)],
        fluid_depth: 0.0127,
        fluid_density: 850.0,
    };
    assert_eq!(slush.drag, expected);
    assert_eq!(gravel.drag.rolling_resistance_at(17.0), 0.08);
    for (speed, coefficient) in [(0.0, 0.02), (5.0, 0.04), (10.0, 0.06), (99.0, 0.06)] {
        assert!((slush.drag.rolling_resistance_at(speed) - coefficient).abs() < 1e-15);
    }
}

#[test]
fn json_gives_the_same_scene() {
    let json = r#"{
        "default_material": "grass",
        "materials": {
            "grass": { "static_friction": 0.75, "dynamic_friction": 0.5 },
            "wet": { "static_friction": 0.25, "dynamic_friction": 0.125 }
        },
        "shapes": {
            "house": { "union": [{ "use": "wall" }, { "translate": [0, 0, 5], "of": { "use": "wall" } }] },
            "puddle": { "sphere": { "center": [0, 0, 0], "radius": 2 } },
            "wall": { "difference": [{ "sphere": { "center": [1, 0, 0], "radius": 1 } }, { "use": "hole" }] },
            "hole": { "sphere": { "center": [2, 0, 0], "radius": 1 } }
        },
        "scene": { "union": [
            { "use": "house" },
            { "paint": "wet", "where": { "use": "puddle" }, "of": { "use": "house" } },
            { "sphere": { "center": [9, 0, 0], "radius": 1 } }
        ] }
    }"#;
    let document = Document::parse("scene.json", json).unwrap();
    assert_eq!(Scene::from_document(&document).unwrap(), village());
}

#[test]
fn a_file_is_read_and_its_name_stands_in_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, "[scene]\nsphere = 1").unwrap();
    let message = Scene::read(&path).unwrap_err().to_string();
    assert!(message.contains("bad.toml:2:10: scene.sphere: 1 is not allowed: must be a table"), "{message}");
}

/// Text of a scene, the place of the error in it, and what the message says.
const BAD: &[(&str, &str, &str)] = &[
    ("", "1:1", "key `scene` is missing"),
    ("scene = 'ground'", "1:9", "'ground' is not allowed: must be a node, such as { use = \"NAME\" }"),
    ("[scene]", "1:1", "one of `half_space`, `sphere`, `cylinder`"),
    ("[scene]\nspere = { }", "1:1", "unknown key `spere`: did you mean `sphere`?"),
    ("[scene]\nnothing = true\nsphere = { }", "1:1", "`sphere`, `nothing` cannot stand together"),
    ("[scene]\nnothing = true\nofs = 1", "3:1", "unknown key `ofs`"),
    ("[scene]\nnothing = false", "2:11", "must be true"),
    ("[scene]\nsphere = { center = [0, 0], radius = 1 }", "2:21", "must be an array of three numbers"),
    ("[scene]\nsphere = { center = [0, 0, 0], radius = -3 }", "2:41", "-3 is not allowed: must be at least 0 m"),
    ("[scene]\nsphere = { center = [0, 0, 0], radius = inf }", "2:41", "must be finite"),
    ("[scene]\nsphere = { center = [0, 0, 2e60], radius = 1 }", "2:21", "must be at most 1e60 in magnitude"),
    ("[scene]\nsphere = { center = [0, 0, 0], radius = 1, raduis = 1 }", "2:44", "did you mean `radius`?"),
    ("[scene]\nhalf_space = { normal = [0, 0, 0], offset = 1 }", "2:25", "must not be zero"),
    ("[scene]\nhalf_space = { normal = [1e-31, 0, 0], offset = 1 }", "2:25", "length must be at least 1e-30"),
    ("[scene]\nhalf_space = { normal = [0, 0, 1] }", "2:14", "one of `offset`, `point` is required"),
    (
        "[scene]\nhalf_space = { normal = [0, 0, 1], offset = 1, point = [0, 0, 1] }",
        "2:14",
        "`offset`, `point` cannot stand together",
    ),
    ("[scene]\nhalf_space = { normal = [1e40, 0, 0], point = [1e40, 0, 0] }", "2:47", "at most 1e60 in magnitude"),
    (
        "[scene]\nhalf_space = { normal = [0, 0, 1], offset = 1 }\nmaterial = 'grass'",
        "3:12",
        "there is no material of this name",
    ),
    (
        "[scene]\nhalf_space = { normal = [0, 0, 1], offset = 1 }\nmaterial = 'grass'\nof = { nothing = true }",
        "1:1",
        "`half_space`, `material` cannot stand together",
    ),
    ("[scene]\nsphere = { center = [0, 0, 0], radius = 1 }\nmaterial = 'a'", "1:1", "cannot stand together"),
    ("[scene]\ncylinder = { center = [0, 0, 0], axis = [0, 0, 0], radius = 1 }", "2:41", "must not be zero"),
    (
        "[scene]\ncylinder = { center = [0, 0, 0], axis = [0, 0, 1], radius = 1, height = -1 }",
        "2:73",
        "must be at least 0 m",
    ),
    ("[scene]\nunion = []", "2:9", "must have at least one node"),
    ("[scene]\nunion = { nothing = true }", "2:9", "must be an array"),
    (
        "[scene]\nintersection = [{ nothing = true }, 7]",
        "2:37",
        "scene.intersection[1]: 7 is not allowed: must be a node",
    ),
    ("[scene]\ntranslate = [1, 2, 3]", "1:1", "key `of` is missing"),
    ("[scene]\nrotate = { axis = [0, 0, 0], angle_deg = 1 }\nof = { nothing = true }", "2:19", "must not be zero"),
    ("[scene]\nrotate = { axis = [0, 0, 1], angle_deg = '1 rad' }\nof = { nothing = true }", "2:42", "in degrees"),
    ("[scene]\npaint = 'wet'\nwhere = { nothing = true }\nof = { nothing = true }", "2:9", "there is no material"),
    (
        "[scene]\nuse = 'hose'\n[shapes]\nhouse = { nothing = true }",
        "2:7",
        "no shape of this name; did you mean \"house\"?",
    ),
    ("[shapes]\nhouse = { nothing = 1 }\n[scene]\nnothing = true", "2:21", "shapes.house.nothing: 1 is not allowed"),
    ("[shapes]\na = { use = 'a' }\n[scene]\nnothing = true", "2:13", "a shape cannot use itself: a -> a"),
    (
        "[shapes]\ntower = { union = [{ use = 'ball' }, { use = 'roof' }] }\nball = { nothing = true }\n\
         roof = { complement = { use = 'tower' } }\n[scene]\nnothing = true",
        "4:31",
        "2 shapes use each other in a cycle: tower -> roof -> tower",
    ),
    ("default_material = 'gras'\n[materials.grass]\nstatic_friction = 1\ndynamic_friction = 1", "1:20", "\"grass\"?"),
    ("[materials.m]\nstatic_friction = -1\ndynamic_friction = 1", "2:19", "must be at least 0"),
    ("[materials.m]\nstatic_friction = 1", "1:1", "key `dynamic_friction` is missing"),
    ("[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nfriction = 1", "4:1", "unknown key `friction`"),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\ndynamic_friction_by_speed = [[0, 1], [0, 1]]",
        "4:39",
        "must be above 0 m/s, the speed of the row before",
    ),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\ndynamic_friction_by_speed = [[0, 1, 2]]",
        "4:30",
        "must be a pair",
    ),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\ndynamic_friction_by_speed = []",
        "4:29",
        "at least one pair",
    ),
    ("[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nrolling_resistance = -1", "4:22", "must be at least 0"),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nrolling_resistance_by_speed = [[1, 0.1], [1, 0.1]]",
        "4:43",
        "must be above 1 m/s, the speed of the row before",
    ),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nrolling_resistance_by_speed = [3]",
        "4:32",
        "must be a pair [speed, rolling resistance coefficient]",
    ),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nrolling_resistance = 0\n\
         rolling_resistance_by_speed = [[0, 0]]",
        "5:31",
        "cannot stand together",
    ),
    (
        "[materials.m]\nstatic_friction = 1\ndynamic_friction = 1\nfluid_depth = 1",
        "4:15",
        "`fluid_depth` and `fluid_density` must stand together",
    ),
    ("[runway]\nlength = 0\nwidth = 1", "2:10", "must be above 0 m"),
    ("[runway]\nlength = 9\nwidth = 1\ndisplaced_threshold = 9", "4:23", "must be below the length, 9 m"),
    ("secne = 1\n[scene]\nnothing = true", "1:1", "unknown key `secne`; did you mean `scene`?"),
    // Within the limits where they stand, but no longer once moved.
    (
        "[scene]\ntranslate = [1e60, 0, 0]\nof = { sphere = { center = [1e60, 0, 0], radius = 1 } }",
        "1:1",
        "scene: leaf 0: a number is not finite or above 1e60",
    ),
];

#[test]
fn bad_files_are_refused_where_they_are_bad() {
    for (text, place, message) in BAD {
        let refusal = refusal(text);
        assert!(refusal.starts_with(&format!("scene.toml:{place}: ")), "{text}\n{refusal}\nexpected at {place}");
        assert!(refusal.contains(message), "{text}\n{refusal}\nexpected {message}");
    }
}

/// `count` shapes; each is `node` with the next one's number in place of #, and the last is a ball.
fn chain(count: usize, node: &str) -> String {
    let mut text = "[scene]\nuse = 's0'\n[shapes]\n".to_owned();
    for number in 0..count - 1 {
        let node = node.replace('#', &format!("{{ use = 's{}' }}", number + 1));
        writeln!(text, "s{number} = {node}").unwrap();
    }
    writeln!(text, "s{} = {{ sphere = {{ center = [0, 0, 0], radius = 1 }} }}", count - 1).unwrap();
    text
}

#[test]
fn trees_are_as_deep_as_the_limit_and_no_deeper() {
    let scene = read(&chain(LIMITS.depth, "{ complement = # }")).unwrap();
    assert_eq!(scene.depth(), LIMITS.depth);
    let message = refusal(&chain(LIMITS.depth + 1, "{ complement = # }"));
    assert!(message.starts_with("scene.toml:4:6: shapes.s0: the tree from here is deeper than 64 nodes"), "{message}");
}

#[test]
fn depth_goes_through_regions_of_paint() {
    let painted = |count| {
        let chain = chain(count, "{ complement = # }").replace("use = 's0'", "");
        format!(
            "{TWO_MATERIALS}[scene]\npaint = 'wet'\nwhere = {{ use = 's0' }}\nof = {{ everything = true }}{}",
            chain.trim_start_matches("[scene]")
        )
    };
    assert_eq!(read(&painted(LIMITS.depth - 1)).unwrap().depth(), LIMITS.depth);
    assert!(refusal(&painted(LIMITS.depth)).contains("scene: the tree from here is deeper than 64 nodes"));
}

/// Far above what any of the hostile files below needs, far below what they would take without bounds.
const SOON: Duration = Duration::from_secs(2);

fn soon<T>(task: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = task();
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    result
}

#[test]
fn long_chains_of_uses_end_soon_and_without_recursion() {
    let names = chain(20_000, "#");
    assert_eq!(soon(|| read(&names)).unwrap().leaves().len(), 1);
    let deep = chain(20_000, "{ complement = # }");
    assert!(soon(|| refusal(&deep)).contains("deeper than 64 nodes"));
}

#[test]
fn the_message_of_a_long_cycle_is_short() {
    let text =
        chain(1000, "#").replace("s999 = { sphere = { center = [0, 0, 0], radius = 1 } }", "s999 = { use = 's0' }");
    let message = refusal(&text);
    assert!(
        message.ends_with(
            "1000 shapes use each other in a cycle: s0 -> s1 -> s2 -> s3 -> ... -> s997 -> s998 -> s999 -> s0"
        ),
        "{message}"
    );
}

#[test]
fn doubling_ends_soon() {
    assert!(soon(|| refusal(&chain(60, "{ union = [#, #] }"))).contains("more than 4000000 nodes"));
    for node in [
        "{ union = [#, #] }",
        "{ difference = [#, #] }",
        "{ union = [#, { material = 'wet', of = # }] }",
        "{ complement = { union = [#, #] } }",
        "{ union = [#, { paint = 'wet', where = #, of = # }] }",
    ] {
        let message = soon(|| refusal(&format!("{TWO_MATERIALS}{}", chain(30, node))));
        assert!(message.contains("scene: the expanded tree has more than 4000000"), "{message}");
    }
    // The same bombs stay a file of 60 short lines when nothing expands them.
    let unused = chain(60, "{ union = [#, #] }").replace("use = 's0'", "nothing = true");
    assert_eq!(soon(|| read(&unused)).unwrap().leaves().len(), 0);
}

#[test]
fn shapes_used_often_are_shared_until_they_expand() {
    // 2^16 leaves from 17 lines.
    let scene = soon(|| read(&chain(17, "{ union = [#, #] }"))).unwrap();
    assert_eq!(scene.leaves().len(), 1 << 16);
}
