//! Entry points on a GPU: walks against words, chunk sizes, hostile rays, drivers that cut loops.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter, Mesa's llvmpipe where it is not set; `TOUCHDOWN_TEST_SEED` changes scenes and rays.

use std::collections::HashSet;
use std::time::Duration;

use crate::support::crater;
use crate::support::engines::{GPU, engines};
use crate::support::gpu;
use crate::support::random::{Random, test_seed};
use crate::support::random_scene::{random_ray, random_shape, scene_of};
use glam::DVec3;
use touchdown::columns::{EntryPointColumns, NONE, RayTable};
use touchdown::engine::Engine;
use touchdown::gpu::SearchForm;
use touchdown::job::Compute;
use touchdown::program::walk::{Walk, Walker};
use touchdown::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use touchdown::reference::{Reference, Tracer};
use touchdown::scene::{MaterialId, Scene, Shape};

/// Two kernels compute a leaf's interval from the same numbers, but a compiler may fuse other products in each: a few
/// units in the last place of coordinates up to 20 m, on rays of at least a metre.
const LAMBDA_TOLERANCE: f64 = 1e-5;

fn scenes_and_rays(scenes: usize, rays: usize) -> impl Iterator<Item = (Scene, Vec<Ray>)> {
    (0..scenes).map(move |number| {
        let mut random = Random::new(test_seed(), (7 << 32) + number as u64);
        let scene = scene_of(&random_shape(&mut random, number));
        let tracer = Tracer::new(&scene);
        let rays = (0..rays).map(|_| random_ray(&mut random, &tracer)).filter(|ray| !ray.degenerate).map(|ray| ray.ray);
        let rays = rays.collect();
        (scene, rays)
    })
}

#[test]
fn walks_and_words_agree_on_random_scenes() {
    let (gpu, gpu_by_words) = (gpu::open(), gpu::open_for_words());
    let (mut compared, mut hits, mut differ) = (0, 0, 0);
    for (scene, rays) in scenes_and_rays(100, 1000) {
        let walks = gpu.compute::<EntryPoints>(&scene, &rays).unwrap();
        let words = gpu_by_words.compute::<EntryPoints>(&scene, &rays).unwrap();
        for (walk, word) in walks.iter().zip(&words) {
            compared += 1;
            hits += usize::from(walk.status == RayStatus::Hit);
            let same = walk.status == word.status
                && walk.leaf == word.leaf
                && (walk.lambda - word.lambda).abs() <= LAMBDA_TOLERANCE;
            differ += usize::from(!same);
        }
    }
    println!("{compared} rays, {hits} hits, {differ} differ between walks and words");
    assert!(compared > 50_000 && 5 * hits > compared);
    // Rays that pass an edge within rounding may see either side of it.
    assert!(differ * 10_000 <= compared, "{differ} of {compared} differ");
}

#[test]
fn answers_do_not_depend_on_the_size_of_chunks() {
    let (scene, rays) = scenes_and_rays(1, 5000).next().unwrap();
    let bits = |entries: &[EntryPoint]| -> Vec<_> {
        entries.iter().map(|entry| (entry.status, entry.lambda.to_bits(), entry.leaf, entry.material)).collect()
    };
    let shared = &*GPU;
    let whole = bits(&shared.compute::<EntryPoints>(&scene, &rays).unwrap());
    for chunk in [1, 63, 1000] {
        let rays = if chunk == 1 { &rays[..200] } else { &rays };
        let gpu = gpu::open_with(Some(chunk), None);
        assert_eq!(bits(&gpu.compute::<EntryPoints>(&scene, rays).unwrap()), whole[..rays.len()], "chunks of {chunk}");
    }
}

/// A ray with up to two numbers that no device holds, or hardly.
fn hostile_ray(random: &mut Random) -> Ray {
    const HOSTILE: [f64; 10] =
        [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 1e38, -1e38, 1e10, 1e-300, f64::MIN_POSITIVE, 0.0];
    let mut numbers: [f64; 8] = std::array::from_fn(|_| random.between(-6.0, 6.0));
    for _ in 0..random.index(3) {
        numbers[random.index(8)] = HOSTILE[random.index(HOSTILE.len())];
    }
    let [a, b, c, d, e, f, lambda1, lambda2] = numbers;
    Ray { x1: DVec3::new(a, b, c), x2: DVec3::new(d, e, f), lambda1, lambda2 }
}

#[test]
fn rays_in_columns_are_answered_as_in_rows() {
    let (few, words) = (gpu::open_with(Some(300), None), gpu::open_for_words());
    let mut seen = [0; 4];
    let mut answers = EntryPointColumns::default();
    // What a face is made of may depend on where it is met.
    let puddle = Shape::sphere(DVec3::ZERO, 2.0);
    let painted = scene_of(&Shape::half_space(DVec3::Z, 0.0).painted(MaterialId(1), puddle));
    let down = |number: u32| {
        let x = DVec3::new(0.01 * f64::from(number) - 3.0, 0.5, 0.0);
        Ray::segment(x + DVec3::Z, x - DVec3::Z)
    };
    let painted = (painted, (0..600).map(down).collect::<Vec<_>>());
    let mut materials = HashSet::new();
    for (number, (scene, rays)) in scenes_and_rays(12, 700).chain([painted]).enumerate() {
        let mut random = Random::new(test_seed(), (9 << 32) + number as u64);
        let hostile = (0..rays.len()).map(|_| hostile_ray(&mut random));
        let rays: Vec<Ray> = rays.iter().copied().zip(hostile).flat_map(<[Ray; 2]>::from).collect();
        for engine in engines().map(|(engine, _)| engine).into_iter().chain([&few as &dyn Engine, &words]) {
            engine.entry_points_in_columns(&scene, &RayTable::new(&rays).columns(), &mut answers).unwrap();
            let rows = engine.compute::<EntryPoints>(&scene, &rays).unwrap();
            assert!([answers.status.len(), answers.lambda.len(), answers.leaf.len()] == [rows.len(); 3]);
            for (row, entry) in rows.iter().enumerate() {
                let normal = answers.normal.each_ref().map(|column| column[row]);
                assert_eq!(
                    (answers.status[row], answers.lambda[row], normal),
                    (entry.status, entry.lambda, entry.normal.into())
                );
                let names = (entry.leaf.unwrap_or(NONE), entry.material.map_or(NONE, |material| material.0));
                assert_eq!((answers.leaf[row], answers.material[row]), names);
                seen[entry.status as usize] += 1;
                if number == 12 && entry.leaf.is_some() {
                    materials.insert(entry.material);
                }
            }
        }
    }
    println!("{seen:?} missed, hit, refused, not converged");
    assert!(seen[..3].iter().all(|&count| count > 5000) && materials.len() == 2, "{materials:?}");
}

#[test]
fn hostile_rays_get_a_status_or_a_finite_answer() {
    let gpu = gpu::open();
    let (mut refused, mut answered) = (0, 0);
    for number in 0..50 {
        let mut random = Random::new(test_seed(), (8 << 32) + number);
        let scene = scene_of(&random_shape(&mut random, number as usize));
        let rays: Vec<Ray> = (0..200).map(|_| hostile_ray(&mut random)).collect();
        for (ray, entry) in rays.iter().zip(gpu.compute::<EntryPoints>(&scene, &rays).unwrap()) {
            match entry.status {
                RayStatus::BadInput => refused += 1,
                RayStatus::Hit => {
                    assert!((ray.lambda1..=ray.lambda2).contains(&entry.lambda) && entry.normal.is_finite(), "{ray:?}");
                    answered += 1;
                }
                RayStatus::Miss => answered += 1,
                RayStatus::NotConverged => panic!("{ray:?} did not converge"),
            }
        }
    }
    println!("hostile rays: {refused} refused, {answered} answered");
    assert!(refused > 2000 && answered > 2000);
}

#[test]
fn numbers_beyond_f32_are_an_error_that_names_the_leaf() {
    let scene = Scene::new(&Shape::sphere(1e20 * DVec3::X, 1.0), Vec::new(), None, None).unwrap();
    let far_apart = Shape::union([Shape::sphere(DVec3::ZERO, 1.0), Shape::sphere(1e20 * DVec3::X, 1.0)]);
    let (gpu, ray) = (&*GPU, Ray::segment(DVec3::ZERO, DVec3::X));
    // Alone it is the scene's origin, and the ray is too far away.
    assert_eq!(gpu.compute::<EntryPoints>(&scene, &[ray]).unwrap()[0].status, RayStatus::BadInput);
    let scene = Scene::new(&far_apart, Vec::new(), None, None).unwrap();
    let error = gpu.compute::<EntryPoints>(&scene, &[ray]).unwrap_err().to_string();
    assert!(error.contains("leaf 0") && error.contains("1e9 m"), "{error}");
}

/// Slabs whose tops lie in the plane of the ground, listed before it.
fn paved_ground(slabs: usize) -> Scene {
    let slab = |index: usize| {
        let wall = Shape::half_space;
        let x = 10.0 * index as f64;
        Shape::intersection([
            wall(DVec3::Z, 0.0),
            wall(DVec3::NEG_Z, 0.2),
            wall(DVec3::X, x + 4.0),
            wall(DVec3::NEG_X, 4.0 - x),
            wall(DVec3::Y, 4.0),
            wall(DVec3::NEG_Y, 4.0),
        ])
        .made_of(MaterialId(1))
    };
    let ground = Shape::half_space(DVec3::Z, 0.0).made_of(MaterialId(2));
    scene_of(&Shape::union((0..slabs).map(slab).chain([ground])))
}

#[test]
fn of_faces_in_one_plane_the_first_in_the_scene_is_met_whatever_the_order_of_the_walk() {
    let (gpu, reference) = (&*GPU, Reference::new(1).unwrap());
    for slabs in [1, 3, 4, 9] {
        let scene = paved_ground(slabs);
        let walk = Walk::compile(&scene);
        let rays: Vec<Ray> = (0..5 * slabs)
            .map(|index| 2.0 * index as f64 + 0.5)
            .map(|x| Ray::segment(DVec3::new(x, 1.0, 3.0), DVec3::new(x, 1.0, -3.0)))
            .collect();
        let expected = reference.compute::<EntryPoints>(&scene, &rays).unwrap();
        let found = gpu.compute::<EntryPoints>(&scene, &rays).unwrap();
        let walker = Walker::new(&walk, &scene);
        for ((ray, expected), found) in rays.iter().zip(&expected).zip(&found) {
            let walked = walker.entry_point(ray);
            assert_eq!((found.leaf, found.material), (expected.leaf, expected.material), "{slabs} slabs, {ray:?}");
            assert_eq!((walked.leaf, walked.material), (expected.leaf, expected.material), "{slabs} slabs, {ray:?}");
        }
        assert!(expected.iter().any(|entry| entry.material == Some(MaterialId(1))));
        assert!(expected.iter().any(|entry| entry.material == Some(MaterialId(2))));
    }
}

#[test]
fn of_two_borders_in_one_place_that_of_the_set_which_begins_there_is_met_by_all_searches() {
    let (walks, words) = (&*GPU, gpu::open_for_words());
    for (gpu, pebbles, search) in [
        (walks, 0, SearchForm::Unrolled),
        (walks, 40, SearchForm::Interpreted),
        (&words, 0, SearchForm::Words),
        (&words, 40, SearchForm::Words),
    ] {
        let scene = crater::scene(pebbles);
        for height in crater::HEIGHTS {
            let rays = crater::PATCHES.map(|patch| patch.ray(height));
            assert_eq!(gpu.measure_entry_points(&scene, &rays, Duration::ZERO).unwrap().search, Some(search));
            for (patch, found) in crater::PATCHES.iter().zip(gpu.compute::<EntryPoints>(&scene, &rays).unwrap()) {
                assert_eq!((found.lambda, found.leaf, found.material), patch.entry(), "{search:?} from {height} m");
            }
        }
    }
}

#[test]
fn a_cell_of_more_half_spaces_than_the_driver_runs_rounds_is_right_or_says_so() {
    let gpu = gpu::open();
    // All of them but one hold everything near.
    let many = (0..65_540).map(|index| Shape::half_space(DVec3::X, 1e3 + f64::from(index)));
    let scene = scene_of(&Shape::intersection(many.chain([Shape::half_space(DVec3::Z, 0.0)])));
    let ray = Ray::segment(DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, -1.0));
    let found = gpu.compute::<EntryPoints>(&scene, &[ray]).unwrap()[0];
    println!("{:?} at {}", found.status, found.lambda);
    assert!(found.status == RayStatus::NotConverged || (found.status == RayStatus::Hit && found.lambda == 0.5));
}

/// Ten thousand shells around each other: a ray to the middle crosses every one of them.
fn shells(count: usize) -> Scene {
    let gap = |index: usize| {
        let radius = 1.0 + index as f64;
        Shape::Difference(vec![
            Shape::sphere(DVec3::ZERO, radius + 0.25).into(),
            Shape::sphere(DVec3::ZERO, radius).into(),
        ])
    };
    // Inside every gap there is nothing: only the innermost ball can be met.
    let hollow = Shape::intersection((1..count).map(|index| gap(index).complement()));
    Scene::new(&Shape::intersection([hollow, Shape::sphere(DVec3::ZERO, 0.5)]), Vec::new(), None, None).unwrap()
}

#[test]
fn a_search_that_is_longer_than_the_driver_allows_is_right_or_says_so() {
    let gpu = gpu::open();
    let reference = Reference::new(1).unwrap();
    let mut answered = 0;
    for count in [10, 1000, 20_000] {
        let scene = shells(count);
        let ray = Ray::segment(DVec3::new(2.0 * count as f64, 0.1, 0.0), DVec3::new(0.0, 0.1, 0.0));
        let found = gpu.compute::<EntryPoints>(&scene, &[ray]).unwrap()[0];
        let expected = reference.compute::<EntryPoints>(&scene, &[ray]).unwrap()[0];
        println!("{count} shells: {:?} at {}, reference {}", found.status, found.lambda, expected.lambda);
        if found.status != RayStatus::NotConverged {
            assert_eq!(found.leaf, expected.leaf);
            answered += 1;
        }
    }
    assert!(answered > 0);
}
