//! A hundred thousand solids of every kind: read and laid out in time that grows with their number.

use std::time::Instant;

use touchdown::document::Document;
use touchdown::program::walk::Walk;
use touchdown::scene::Scene;

/// Solids of all kinds on a lattice, in groups of a hundred.
fn scene_of(groups: usize) -> String {
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
    let groups: Vec<String> = (0..groups).map(group).collect();
    format!(
        "[shapes]\nball = {{ sphere = {{ center = [0, 0, 0], radius = 1 }} }}\n[scene]\nunion = [{}]\n",
        groups.join(",\n")
    )
}

/// Seconds to read a scene of so many groups and to lay it out.
fn seconds_for(groups: usize) -> f64 {
    let text = scene_of(groups);
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
    all
}

#[test]
fn ten_times_the_solids_take_some_ten_times_as_long() {
    // A step that grows with the square would make it a hundred times. Both are timed in turn, so that other work on
    // the machine slows both.
    let ratio = seconds_for(1000) / seconds_for(100);
    assert!(ratio < 50.0, "{ratio:.1} times");
}
