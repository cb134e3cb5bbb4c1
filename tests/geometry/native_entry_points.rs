//! Entry points of the native engine: the reference's answers bit by bit, whatever the path that rays take together.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random scenes and rays.

use crate::support::random::{Random, test_seed};
use crate::support::random_scene::{random_ray, random_shape, scene_of};
use crate::support::tricycle;
use glam::DVec3;
use touchdown::columns::{EntryPointColumns, NONE, RayTable};
use touchdown::native::SceneIndex;
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{Scene, Shape};
use touchdown::validation::SceneClass;

/// How the native answers to rays compare with the reference's.
#[derive(Debug, Default)]
struct Comparison {
    rays: usize,
    hits: usize,
    different: usize,
    first: Option<String>,
}

fn answers(index: &SceneIndex, rays: &[Ray]) -> Vec<EntryPoint> {
    let mut answers = vec![EntryPoint::none(RayStatus::BadInput); rays.len()];
    index.entry_points(rays, &mut answers);
    assert_eq!(in_columns(index, rays), columns_of(&answers));
    answers
}

/// The same rays in columns.
fn in_columns(index: &SceneIndex, rays: &[Ray]) -> EntryPointColumns {
    let mut answers = EntryPointColumns::default();
    index.entry_points_in_columns(&RayTable::new(rays).columns(), &mut answers);
    answers
}

fn columns_of(answers: &[EntryPoint]) -> EntryPointColumns {
    EntryPointColumns {
        status: answers.iter().map(|entry| entry.status).collect(),
        lambda: answers.iter().map(|entry| entry.lambda).collect(),
        normal: [0, 1, 2].map(|axis| answers.iter().map(|entry| entry.normal[axis]).collect()),
        leaf: answers.iter().map(|entry| entry.leaf.unwrap_or(NONE)).collect(),
        material: answers.iter().map(|entry| entry.material.map_or(NONE, |material| material.0)).collect(),
    }
}

fn same_bits(a: &EntryPoint, b: &EntryPoint) -> bool {
    let bits = |entry: &EntryPoint| (entry.lambda.to_bits(), entry.normal.to_array().map(f64::to_bits));
    bits(a) == bits(b) && (a.status, a.leaf, a.material) == (b.status, b.leaf, b.material)
}

impl Comparison {
    fn add(&mut self, scene: &Scene, rays: &[Ray]) {
        let tracer = Tracer::new(scene);
        let index = SceneIndex::new(scene);
        for (ray, native) in rays.iter().zip(answers(&index, rays)) {
            let reference = tracer.entry_point(ray);
            self.rays += 1;
            self.hits += usize::from(reference.status == RayStatus::Hit);
            if same_bits(&native, &reference) {
                continue;
            }
            self.different += 1;
            self.first.get_or_insert_with(|| format!("{ray:?}: {native:?} instead of {reference:?}"));
        }
    }
}

/// Long rays between random points of a region, as many as asked for, with whole numbers among them.
fn rays_in(random: &mut Random, [low, high]: [DVec3; 2], count: usize) -> Vec<Ray> {
    let mut point = || {
        let share = DVec3::new(random.between(0.0, 1.0), random.between(0.0, 1.0), random.between(0.0, 1.0));
        let point = low + share * (high - low);
        if random.chance(0.2) { point.round() } else { point }
    };
    (0..count).map(|_| Ray::segment(point(), point())).collect()
}

/// Rays of a picture: side by side, from one place.
fn camera_rays(eye: DVec3, at: DVec3, length: f64, size: usize) -> Vec<Ray> {
    let forward = (at - eye).normalize();
    let right = forward.cross(DVec3::Z).normalize();
    let up = right.cross(forward);
    let share = |pixel: usize| pixel as f64 / size as f64 - 0.5;
    let pixels = (0..size * size).map(|pixel| (share(pixel % size), share(pixel / size)));
    pixels.map(|(x, y)| Ray::segment(eye, eye + length * (forward + x * right - y * up))).collect()
}

#[test]
fn random_scenes_give_the_bits_of_the_reference() {
    let mut random = Random::new(test_seed(), 11);
    let mut comparison = Comparison::default();
    for number in 0..400 {
        let scene = scene_of(&random_shape(&mut random, number));
        let tracer = Tracer::new(&scene);
        let rays: Vec<Ray> = (0..500).map(|_| random_ray(&mut random, &tracer).ray).collect();
        comparison.add(&scene, &rays);
        comparison.add(&scene, &camera_rays(DVec3::new(-9.0, 7.0, 8.0), DVec3::ZERO, 30.0, 16));
    }
    println!("{comparison:?}");
    assert!(comparison.hits * 5 > comparison.rays && comparison.hits * 10 < comparison.rays * 9);
    assert_eq!(comparison.different, 0);
}

#[test]
fn large_scenes_give_the_bits_of_the_reference() {
    let mut random = Random::new(test_seed(), 12);
    for class in SceneClass::ALL {
        let mut comparison = Comparison::default();
        let region = class.region();
        let size = (region[1] - region[0]).length();
        for variant in 1..4 {
            let scene = class.scene(test_seed(), variant).unwrap();
            comparison.add(&scene, &rays_in(&mut random, region, 4_000));
            let center = 0.5 * (region[0] + region[1]);
            let eye = center + size * DVec3::new(-0.5, 0.3, 0.4);
            comparison.add(&scene, &camera_rays(eye, center, 2.0 * size, 60));
        }
        println!("{}: {comparison:?}", class.name());
        assert!(comparison.hits > 100, "{}", class.name());
        assert_eq!(comparison.different, 0, "{}", class.name());
    }
}

#[test]
fn many_solids_of_all_kinds_give_the_bits_of_the_reference_in_streams_and_packets() {
    let mut random = Random::new(test_seed(), 77);
    for variant in 0..6 {
        let mut solids = Vec::new();
        for number in 0..300 {
            let at = DVec3::from_array([(); 3].map(|()| random.between(-50.0, 50.0)));
            let at = if random.chance(0.3) { at.round() } else { at };
            let half = DVec3::from_array([(); 3].map(|()| random.between(0.3, 4.0)));
            let face = |n: DVec3| Shape::half_space(n, n.dot(at) + n.abs().dot(half));
            let cube = Shape::intersection(DVec3::AXES.into_iter().flat_map(|a| [face(a), face(-a)]));
            solids.push(match number % 4 {
                0 => Shape::sphere(at, half.x),
                1 => Shape::intersection([cube, Shape::sphere(at, half.max_element())]),
                _ => cube,
            });
        }
        if variant % 2 == 0 {
            solids.push(Shape::half_space(DVec3::Z, 0.0));
        }
        let scene = Scene::new(&Shape::union(solids), Vec::new(), None, None).unwrap();
        let mut comparison = Comparison::default();
        let region = [DVec3::splat(-60.0), DVec3::splat(60.0)];
        comparison.add(&scene, &rays_in(&mut random, region, 20_011));
        comparison.add(&scene, &camera_rays(DVec3::new(-100.0, 30.0, 60.0), DVec3::ZERO, 300.0, 60));
        println!("{comparison:?}");
        assert!(comparison.hits > 100);
        assert_eq!(comparison.different, 0, "{:?}", comparison.first);
    }
}

#[test]
fn rays_give_the_same_bits_alone_and_side_by_side() {
    let scene = SceneClass::Village.scene(test_seed(), 1).unwrap();
    let index = SceneIndex::new(&scene);
    let [low, high] = SceneClass::Village.region();
    let rays = camera_rays(low - 0.3 * (high - low), 0.5 * (low + high), 3.0 * (high - low).length(), 64);
    let together = answers(&index, &rays);
    for (ray, together) in rays.iter().zip(&together) {
        assert!(same_bits(&answers(&index, &[*ray])[0], together), "{ray:?}");
    }
    // Neighbours of another kind, and another place in the packet.
    let mut random = Random::new(test_seed(), 13);
    let mut mixed: Vec<(usize, Ray)> = rays.iter().copied().enumerate().collect();
    for last in (1..mixed.len()).rev() {
        mixed.swap(last, random.index(last + 1));
    }
    let shuffled: Vec<Ray> = mixed.iter().map(|&(_, ray)| ray).collect();
    for ((number, ray), answer) in mixed.iter().zip(answers(&index, &shuffled)) {
        assert!(same_bits(&answer, &together[*number]), "{ray:?}");
    }
}

#[test]
fn rays_that_no_scene_can_take_are_bad_input_without_disturbing_their_neighbours() {
    let scene = scene_of(&tricycle::house());
    let index = SceneIndex::new(&scene);
    let good = Ray::segment(DVec3::new(0.5, 0.25, 20.0), DVec3::new(0.5, 0.25, -20.0));
    let expected = Tracer::new(&scene).entry_point(&good);
    for bad in [
        Ray { x1: DVec3::NAN, ..good },
        Ray { x2: DVec3::splat(1e61), ..good },
        Ray { lambda1: 2.0, ..good },
        Ray { lambda2: f64::NAN, ..good },
    ] {
        let mut rays = vec![good; 40];
        rays[17] = bad;
        for (number, answer) in answers(&index, &rays).iter().enumerate() {
            if number == 17 {
                assert_eq!(answer.status, RayStatus::BadInput);
            } else {
                assert!(same_bits(answer, &expected));
            }
        }
    }
}

#[test]
fn rays_and_scenes_beyond_f32_are_answered_without_boxes() {
    let far = 1e30;
    let balls = (0..20).map(|ball| Shape::sphere(DVec3::X * far * f64::from(ball), 0.4 * far));
    let scene = scene_of(&Shape::union(balls));
    let row = scene_of(&Shape::union((0..20).map(|ball| Shape::sphere(DVec3::X * f64::from(ball), 0.4))));
    let mut comparison = Comparison::default();
    let rays: Vec<Ray> = (0..64)
        .map(|ray| {
            let x = 19.0 * f64::from(ray) / 64.0;
            Ray::segment(DVec3::new(x, 0.0, 2.0) * far, DVec3::new(x, 0.0, -2.0) * far)
        })
        .collect();
    comparison.add(&scene, &rays);
    let long: Vec<Ray> = (0..64)
        .map(|ray| {
            let x = 19.0 * f64::from(ray) / 64.0;
            Ray::segment(DVec3::new(x, 0.0, -1.0), DVec3::new(x, 0.0, far))
        })
        .collect();
    comparison.add(&row, &long);
    assert_eq!(comparison.different, 0, "{comparison:?}");
    assert!(comparison.hits > 60);
}

/// Ten boxes of 1 m, 3 m apart along x.
fn row_of_boxes() -> Scene {
    let slab = |axis: DVec3, at: f64| [Shape::half_space(axis, at + 0.5), Shape::half_space(-axis, 0.5 - at)];
    let cube = |x: f64| Shape::intersection([slab(DVec3::X, x), slab(DVec3::Y, 0.0), slab(DVec3::Z, 0.0)].concat());
    scene_of(&Shape::union((0..10).map(|number| cube(3.0 * f64::from(number)))))
}

#[test]
fn rays_that_stand_still_or_drift_are_found_for_any_range() {
    let scene = row_of_boxes();
    let still = |x: f64, lambda1, lambda2| Ray { lambda1, lambda2, ..Ray::segment(DVec3::splat(x), DVec3::splat(x)) };
    let drifting = Ray {
        lambda2: 1e15,
        ..Ray::segment(DVec3::new(0.4999999, -10.0, 0.0), DVec3::new(0.4999999, -10.0 + 1e-13, 0.0))
    };
    let mut rays = vec![drifting];
    for (lambda1, lambda2) in [(1e21, 1e22), (-1e22, -1e21), (1e60, 1e60), (0.0, 0.0)] {
        rays.extend([still(0.1, lambda1, lambda2), still(0.7, lambda1, lambda2)]);
    }
    let mut comparison = Comparison::default();
    comparison.add(&scene, &rays);
    assert_eq!((comparison.different, comparison.hits), (0, 5), "{comparison:?}");
}

#[test]
fn short_rays_of_long_ranges_and_far_scenes_give_the_bits_of_the_reference() {
    let mut random = Random::new(test_seed(), 15);
    let mut comparison = Comparison::default();
    for number in 0..60 {
        let offset = [0.0, 1e7, -1e7, 1e9][number % 4] * DVec3::new(1.0, -0.5, 0.25);
        let block = |random: &mut Random| {
            let faces: Vec<Shape> = DVec3::AXES
                .into_iter()
                .flat_map(|axis| [Shape::half_space(axis, 0.5), Shape::half_space(-axis, 0.5)])
                .collect();
            Shape::intersection(faces).rotated(random.rotation()).translated(random.in_cube(6.0) + offset)
        };
        let scene = scene_of(&Shape::union((0..30).map(|_| block(&mut random))));
        let rays: Vec<Ray> = (0..400)
            .map(|_| {
                let x1 = random.in_cube(8.0) + offset;
                let length = 10f64.powf(random.between(-9.0, 1.0));
                let ray = Ray::segment(x1, x1 + length * random.direction());
                Ray { lambda1: -20.0 / length, lambda2: 20.0 / length, ..ray }
            })
            .collect();
        comparison.add(&scene, &rays);
    }
    println!("{comparison:?}");
    assert_eq!(comparison.different, 0, "{comparison:?}");
    assert!(comparison.hits > 2_000);
}

#[test]
fn cells_that_are_empty_by_rounding_alone_are_met_as_by_the_reference() {
    let sides = DVec3::AXES[..2].iter().flat_map(|&axis| [Shape::half_space(axis, 1.0), Shape::half_space(-axis, 1.0)]);
    let thin = [Shape::half_space(DVec3::Z, 0.0), Shape::half_space(DVec3::NEG_Z, -1e-14)];
    let cell = Shape::intersection(thin.into_iter().chain(sides));
    let scene = scene_of(&Shape::union([cell, Shape::sphere(9.0 * DVec3::X, 1.0)]));
    let ray = |x: f64| Ray::segment(DVec3::new(x, 0.0, 1000.0), DVec3::new(x, 0.0, -999.7));
    let mut comparison = Comparison::default();
    comparison.add(&scene, &[ray(0.0), ray(0.5), ray(9.0), ray(5.0)]);
    assert_eq!((comparison.different, comparison.hits), (0, 3), "{comparison:?}");
}

#[test]
fn zeros_keep_their_sign() {
    let scene = scene_of(&Shape::intersection([
        Shape::half_space(DVec3::NEG_Z, 0.0),
        Shape::half_space(DVec3::new(1.0, 0.0, -1.0), -5.0),
    ]));
    let ray = Ray { lambda1: -1.0, ..Ray::segment(DVec3::new(-5.0, -5.0, 0.0), DVec3::new(-5.0, -5.0, 1.0)) };
    let mut comparison = Comparison::default();
    comparison.add(&scene, &[ray]);
    assert_eq!((comparison.different, comparison.hits), (0, 1), "{comparison:?}");
}

#[test]
fn clearance_is_no_less_than_the_trees_and_no_more_than_the_way_to_a_hit() {
    let mut random = Random::new(test_seed(), 14);
    for class in SceneClass::ALL {
        let region = class.region();
        let mut hits = 0;
        for variant in 1..=5 {
            let scene = class.scene(test_seed(), variant).unwrap();
            let (index, tracer) = (SceneIndex::new(&scene), Tracer::new(&scene));
            for ray in rays_in(&mut random, region, 400) {
                let clearance = index.clearance(ray.x1);
                assert!(clearance >= scene.clearance(ray.x1), "{}: {:?}", class.name(), ray.x1);
                let entry = tracer.entry_point(&ray);
                if entry.status == RayStatus::Hit {
                    hits += 1;
                    let way = (ray.at(entry.lambda) - ray.x1).length();
                    assert!(clearance <= way + 1e-9, "{}: {clearance} m, {ray:?} hits after {way} m", class.name());
                }
            }
        }
        assert!(hits > 20, "{}: {hits} hits", class.name());
    }
}
