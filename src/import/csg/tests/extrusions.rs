//! Extrusions, and hulls of what they are made of.

use super::*;

/// Whether an extrusion of height 10 holds a point of the plane just over its bottom, in its middle and just below its top;
/// and that it holds nothing just beyond its ends.
fn extruded(flat: &str) -> impl Fn(f64, f64) -> bool + use<> {
    let scene =
        scene_of(&format!("linear_extrude(height = 10, center = true, convexity = 1, scale = [1, 1]) {{ {flat} }}"));
    move |x, y| {
        let at = |z: f64| holds(&scene, x, y, z);
        assert!(!at(5.001) && !at(-5.001), "{x} {y}");
        assert!(at(4.999) == at(0.0) && at(0.0) == at(-4.999), "{x} {y}");
        at(0.0)
    }
}

/// Winding numbers by angles, apart from the code under test: the point is inside where it is odd.
fn is_inside(outlines: &[Vec<DVec2>], point: DVec2) -> bool {
    let turns = |outline: &Vec<DVec2>| {
        let edges = outline.iter().zip(outline.iter().cycle().skip(1));
        let angles: f64 = edges.map(|(from, to)| (*from - point).angle_to(*to - point)).sum();
        (angles / std::f64::consts::TAU).round() as i64
    };
    outlines.iter().map(turns).sum::<i64>() % 2 != 0
}

fn polygon(outlines: &[Vec<DVec2>]) -> String {
    let points: Vec<String> = outlines.iter().flatten().map(|point| format!("[{}, {}]", point.x, point.y)).collect();
    let mut next = 0;
    let path = |outline: &Vec<DVec2>| {
        next += outline.len();
        format!("{:?}", (next - outline.len()..next).collect::<Vec<_>>())
    };
    let paths: Vec<String> = outlines.iter().map(path).collect();
    format!("polygon(points = [{}], paths = [{}], convexity = 1);", points.join(", "), paths.join(", "))
}

#[test]
fn extrusions_of_squares_circles_and_polygons_are_prisms_and_cylinders() {
    let square = extruded("square(size = [4, 2], center = false);");
    assert!(square(0.01, 0.01) && square(3.99, 1.99) && !square(-0.01, 1.0) && !square(2.0, 2.01));
    let centered = extruded("square(size = 4, center = true);");
    assert!(centered(-1.99, 1.99) && !centered(2.01, 0.0));
    let circle =
        extruded("multmatrix([[1, 0, 0, 10], [0, 1, 0, 0], [0, 0, 1, 99], [0, 0, 0, 1]]) { circle($fn = 0, r = 3); }");
    assert!(circle(10.0, 2.99) && circle(12.1, 2.1) && !circle(10.0, 3.01) && !circle(0.0, 0.0));
    let ellipse =
        extruded("multmatrix([[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) { circle($fn = 64, r = 3); }");
    assert!(ellipse(5.99, 0.0) && ellipse(0.0, 2.99) && !ellipse(0.0, 3.01) && !ellipse(6.01, 0.0));
    let nut = extruded("circle($fn = 6, $fa = 12, $fs = 2, r = 5);");
    assert!(nut(4.99, 0.0) && nut(0.0, 4.33) && !nut(0.0, 4.34));
    let triangle = extruded("polygon(points = [[0, 0], [0, 4], [4, 0]], paths = undef, convexity = 1);");
    assert!(triangle(1.9, 1.9) && !triangle(2.1, 2.1) && !triangle(-0.1, 1.0));
    // A washer: what is taken away leaves no film at its ends.
    let washer = "difference() { circle($fn = 0, r = 5); circle($fn = 0, r = 3); circle($fn = 4, r = 3.5); }";
    let scene = scene_of(&format!("linear_extrude(height = 10) {{ {washer} }}"));
    for z in [0.0, 5.0, 10.0] {
        assert!(!holds(&scene, 0.0, 0.0, z) && !holds(&scene, 3.49, 0.0, z) && !holds(&scene, 2.1, 2.1, z), "{z}");
        assert!(holds(&scene, 3.51, 0.0, z) && holds(&scene, 2.2, 2.2, z), "{z}");
    }
    assert!(convert("a", "linear_extrude(height = 0) { circle(r = 1); }", &request()).is_err(), "nothing is left");
}

#[test]
fn extrusions_that_narrow_or_widen_are_frustums_cones_and_pyramids() {
    let scaled =
        |scale: &str, flat: &str| scene_of(&format!("linear_extrude(height = 10, scale = {scale}) {{ {flat} }}"));
    let moved =
        |what: &str| format!("multmatrix([[1, 0, 0, 4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) {{ {what} }}");
    // A circle from x = 3 to 5 at the bottom: at the height z all is 1 - z/20 of it, for a scale of 1/2.
    for (scale, change) in [("[0.5, 0.5]", -0.5), ("0", -1.0), ("[2, 2]", 1.0)] {
        for (what, low) in [("circle($fn = 0, r = 1);", 3.0), ("square(size = [1, 1], center = false);", 4.0)] {
            let scene = scaled(scale, &moved(what));
            for z in [0.01, 2.5, 5.0, 9.9] {
                let share = 1.0 + change * z / 10.0;
                let (low, high) = (low * share, 5.0 * share);
                let at = |x: f64| holds(&scene, x, 0.01 * share, z);
                let margin = 0.01 * share;
                assert!(at(low + margin) && at(high - margin), "{what} {scale} {z}");
                assert!(!at(low - margin) && !at(high + margin), "{what} {scale} {z}");
            }
        }
    }
    // A roof: its ridge is as long as the house.
    let roof = scaled("[1, 0]", "square(size = [8, 4], center = true);");
    assert!(holds(&roof, 3.99, 0.0, 9.99) && holds(&roof, 3.99, 0.99, 4.99) && !holds(&roof, 3.99, 1.01, 5.0));
    // What is taken away from a cone leaves no film either.
    let pipe = scaled("[0.5, 0.5]", "difference() { circle($fn = 0, r = 4); circle($fn = 0, r = 2); }");
    for z in [0.0, 5.0, 10.0] {
        let share = 1.0 - z / 20.0;
        assert!(
            !holds(&pipe, 0.0, 0.0, z) && !holds(&pipe, 1.99 * share, 0.0, z) && holds(&pipe, 2.01 * share, 0.0, z)
        );
    }
}

#[test]
fn polygons_with_pockets_and_holes_hold_what_is_inside_of_an_odd_number_of_outlines() {
    let outline = |corners: &[[f64; 2]]| corners.iter().map(|&corner| DVec2::from(corner)).collect::<Vec<_>>();
    let square = |half: f64| outline(&[[-half, -half], [half, -half], [half, half], [-half, half]]);
    // A spiral, whose pockets have pockets; nested squares, one the other way round; and a comb.
    let spiral = outline(&[
        [0.0, 0.0],
        [9.0, 0.0],
        [9.0, 8.0],
        [2.0, 8.0],
        [2.0, 3.0],
        [6.0, 3.0],
        [6.0, 5.0],
        [4.0, 5.0],
        [4.0, 6.0],
        [7.0, 6.0],
        [7.0, 2.0],
        [1.0, 2.0],
        [1.0, 9.0],
        [10.0, 9.0],
        [10.0, -1.0],
        [0.0, -1.0],
    ]);
    let mut inner = square(3.0);
    inner.reverse();
    let comb = (0..9).flat_map(|tooth| [[f64::from(tooth), 0.5 * f64::from(tooth % 3)], [f64::from(tooth) + 0.5, 5.0]]);
    let comb = outline(&comb.chain([[9.0, -1.0], [0.0, -1.0]]).collect::<Vec<_>>());
    let many = [vec![spiral.clone()], vec![square(5.0), inner, square(1.0)], vec![comb], vec![square(10.5), spiral]];
    // Holes at the ends of slits, from each corner on and both ways round: in a plate, and beside a notch.
    let slit = outline(&[[3.0, 3.0], [3.0, 7.0], [7.0, 7.0], [7.0, 3.0], [3.0, 3.0], [0.0, 0.0]]);
    let slit_plates = [&[[10.0, 0.0], [10.0, 10.0]][..], &[[4.0, 1.0], [8.0, 0.0], [10.0, 10.0]]].into_iter();
    let slit_plates = slit_plates.flat_map(|sides| {
        let plate = [slit.clone(), outline(sides), outline(&[[0.0, 10.0], [0.0, 0.0]])].concat();
        (0..plate.len()).flat_map(move |start| {
            let turned = [&plate[start..], &plate[..start]].concat();
            [vec![turned.clone()], vec![turned.into_iter().rev().collect()]]
        })
    });
    for outlines in many.into_iter().chain(slit_plates) {
        let holds = extruded(&polygon(&outlines));
        let mut inside = 0;
        for number in 0..4000 {
            let draw = |variable| 24.0 * crate::random::uniform(3, number, variable) - 11.0;
            let point = DVec2::new(draw(0), draw(1));
            assert_eq!(holds(point.x, point.y), is_inside(&outlines, point), "{point} {outlines:?}");
            inside += usize::from(is_inside(&outlines, point));
        }
        assert!(inside > 100, "{inside}");
    }
}

#[test]
fn hulls_of_round_shapes_keep_their_facets_and_say_so() {
    let moved = |x: f64, what: &str| {
        format!("multmatrix([[1, 0, 0, {x}], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) {{ {what} }}")
    };
    let convert = |code: &str| {
        let (text, warnings) = convert("a.csg", code, &request()).unwrap();
        (text, warnings.join("\n"))
    };
    // One solid is its own hull.
    let (text, warnings) = convert("hull() { cylinder($fn = 50, h = 2, r1 = 1, r2 = 1); }");
    assert!(text.contains("cylinder = {") && warnings.is_empty(), "{text} {warnings}");
    // A drop: a ball of radius 2 with 24 facets around and 12 rings, and a point.
    let code = format!("hull() {{ sphere($fn = 24, r = 2); {} }}", moved(9.0, "sphere($fn = 24, r = 0.001);"));
    let warnings = convert(&code).1;
    assert!(warnings.starts_with("line 1: a hull of round shapes keeps the facets"), "{warnings}");
    let drop = scene_of(&code);
    // The ring next to the middle has its corner at the angle of 7.5 degrees from it.
    let ring = 2.0 * 7.5_f64.to_radians().cos();
    assert!(holds(&drop, 0.0, ring - 1e-3, 0.0) && !holds(&drop, 0.0, ring + 1e-3, 0.0) && holds(&drop, 8.9, 0.0, 0.0));
    assert!(!holds(&drop, -0.76, -1.834, 0.0), "outside of a facet, inside of the ball");
    // Prisms are what they are.
    let code = format!(
        "hull() {{ {0} {1} }}",
        "cylinder($fn = 4, h = 1, r1 = 1, r2 = 1);",
        moved(4.0, "cube(size = [1, 1, 1]);")
    );
    assert!(convert(&code).1.is_empty());
    let flat = format!("hull() {{ circle($fn = 8, r = 1); {} }}", moved(4.0, "square(size = [1, 1]);"));
    let prism = extruded(&flat);
    assert!(prism(-0.99, 0.0) && prism(4.99, 0.99) && prism(2.5, 0.99) && !prism(2.5, 1.01) && !prism(4.9, -0.5));
    assert!(convert(&format!("linear_extrude(height = 1) {{ {flat} }}")).1.is_empty());
    let slot = format!("hull() {{ circle($fn = 0, r = 9); {} }}", moved(40.0, "circle($fn = 0, r = 9);"));
    assert!(convert(&format!("linear_extrude(height = 1) {{ {slot} }}")).1.contains("keeps the facets"));
    // Extrusions in a hull.
    let code = format!(
        "hull() {{ linear_extrude(height = 2, scale = 0.5) {{ square(size = [4, 4]); }} {} }}",
        moved(9.0, "cube(size = 1);")
    );
    let scene = scene_of(&code);
    assert!(holds(&scene, 1.99, 1.99, 1.99) && holds(&scene, 9.99, 0.99, 0.99) && !holds(&scene, 3.0, 3.0, 1.99));
}
