//! A hundred thousand solids of every kind: read and laid out soon.

use std::time::Instant;

use touchdown::document::Document;
use touchdown::program::walk::Walk;
use touchdown::scene::Scene;

/// A hundred thousand solids of all kinds on a lattice, in groups of a hundred.
fn large_scene() -> String {
    let solid = |number: usize| {
        let (x, y) = (10 * (number % 1000), 10 * (number / 1000));
        match number % 6 {
            0 => format!("{{ ellipsoid = {{ center = [{x}, {y}, 0], axes = [1, 2, 3] }} }}"),
            1 => format!("{{ cone = {{ base = [{x}, {y}, 0], axis = [0, 0, 1], height = 2, radius = 1 }} }}"),
            2 => format!("{{ capsule = {{ from = [{x}, {y}, 0], to = [{x}, {y}, 3], radius = 1 }} }}"),
            3 => format!("{{ box = {{ center = [{x}, {y}, 0], half = [1, 2, 3] }} }}"),
            4 => format!("{{ translate = [{x}, {y}, 0], of = {{ scale = [1, 2, 3], of = {{ use = 'ball' }} }} }}"),
            _ => format!("{{ sphere = {{ center = [{x}, {y}, 0], radius = 1 }} }}"),
        }
    };
    let group = |group: usize| {
        let solids: Vec<String> = (100 * group..100 * (group + 1)).map(solid).collect();
        format!("{{ union = [{}] }}", solids.join(", "))
    };
    let groups: Vec<String> = (0..1000).map(group).collect();
    format!(
        "[shapes]\nball = {{ sphere = {{ center = [0, 0, 0], radius = 1 }} }}\n[scene]\nunion = [{}]\n",
        groups.join(",\n")
    )
}

#[test]
fn a_hundred_thousand_solids_are_read_and_laid_out_soon() {
    // Some ten times what it takes on one core: a step that grows with the square would take hours.
    const SOON: f64 = 10.0;
    let text = large_scene();
    let started = Instant::now();
    let document = Document::parse("scene.toml", &text).unwrap();
    let parsed = started.elapsed().as_secs_f64();
    let scene = Scene::from_document(&document).unwrap();
    let read = started.elapsed().as_secs_f64();
    let walk = Walk::compile(&scene);
    let all = started.elapsed().as_secs_f64();
    println!(
        "{} leaves, {} stops: parsed {parsed:.2} s, read {read:.2} s, laid out {all:.2} s",
        scene.leaves().len(),
        walk.stops().len()
    );
    assert!(all < SOON, "{all} s");
}
