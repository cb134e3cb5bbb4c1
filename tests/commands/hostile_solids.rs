//! Solids of every kind with hostile numbers, as a file has them: refused, or answered by numbers.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random numbers.

use crate::support::random::{Random, test_seed};
use touchdown::document::Document;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::Scene;

/// Nodes with places for numbers.
const TEMPLATES: &[&str] = &[
    "ellipsoid = { center = [#, #, #], axes = [#, #, #] }",
    "cone = { base = [#, #, #], axis = [#, #, #], height = #, radius = #, top_radius = # }",
    "cone = { apex = [#, #, #], axis = [#, #, #], half_angle_deg = # }",
    "capsule = { from = [#, #, #], to = [#, #, #], radius = # }",
    "box = { center = [#, #, #], half = [#, #, #], rotate = { axis = [#, #, #], angle_deg = # } }",
    "scale = [#, #, #]\nof = { capsule = { from = [#, 0, 0], to = [1, 1, 1], radius = # } }",
    "matrix = [[#, #, #, #], [#, #, #, #], [#, #, #, #]]\nof = { cone = { base = [0, 0, 0], axis = [0, 0, 1], height = 1, radius = # } }",
    "complement = { scale = #, of = { cylinder = { center = [#, 0, 0], axis = [#, #, 1], radius = #, height = # } } }",
    "polyhedron = { half_spaces = [{ normal = [#, #, #], offset = # }, { normal = [#, #, #], point = [#, #, #] }] }",
];

const HOSTILE: [&str; 14] =
    ["nan", "inf", "-inf", "1e38", "-1e38", "1e60", "1e-300", "5e-324", "-5e-324", "1e-161", "1e15", "-0.0", "0", "90"];

#[test]
fn hostile_numbers_are_refused_or_give_sound_answers() {
    let mut random = Random::new(test_seed(), 8 << 44);
    let (mut refused, mut answered) = (0, 0);
    for number in 0..20_000 {
        let mut text = "[scene]\n".to_owned();
        let hostile = random.between(0.0, 0.4);
        for piece in TEMPLATES[number % TEMPLATES.len()].split_inclusive('#') {
            text += piece.trim_end_matches('#');
            if piece.ends_with('#') && random.chance(hostile) {
                text += HOSTILE[random.index(HOSTILE.len())];
            } else if piece.ends_with('#') {
                text += &format!("{}", random.between(-1.0, 4.0));
            }
        }
        let Ok(scene) = Scene::from_document(&Document::parse("scene.toml", &text).unwrap()) else {
            refused += 1;
            continue;
        };
        let (program, walk) = (Program::compile(&scene), Walk::compile(&scene));
        let changed = [scene.clone(), scene.dilated(|_| 1e-3), scene.dilated(|_| -1e-3)];
        for _ in 0..4 {
            let ray = Ray::segment(random.in_cube(9.0), random.in_cube(9.0));
            let mut entries =
                vec![Interpreter::new(&program).entry_point(&ray), Walker::new(&walk, &scene).entry_point(&ray)];
            entries.extend(changed.iter().map(|scene| Tracer::new(scene).entry_point(&ray)));
            for entry in entries {
                let sound = match entry.status {
                    RayStatus::Hit => (0.0..=1.0).contains(&entry.lambda) && entry.normal.is_finite(),
                    status => status == RayStatus::Miss,
                };
                assert!(sound, "{text}\n{ray:?}: {entry:?}");
                answered += 1;
            }
            assert!(!scene.clearance(ray.x1).is_nan(), "{text}");
        }
    }
    println!("{refused} refused, {answered} answers");
    assert!(refused > 2_000 && answered > 20_000);
}
