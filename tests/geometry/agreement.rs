//! Entry points by independent paths: the tree against the program words, and the tree against brute force.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random scenes and rays.

use crate::support::brute_force::{BruteForce, TOUCH, Truth};
use crate::support::random::{Random, test_seed};
use crate::support::random_scene::{TestRay, random_ray, random_shape, random_shape_of_all_kinds, scene_of};
use glam::DVec3;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{MaterialId, Scene, Shape, Solid};

/// Both paths compute a leaf's interval once per ray from the same numbers; what remains is the last bit.
const LAMBDA_TOLERANCE: f64 = 1e-12;
/// Ties and touches may be decided either way, on at most this share of the rays.
const AMBIGUOUS_SHARE: f64 = 1e-3;
/// Normals of curved leaves turn by the error of the place, at most [`TOUCH`], over the distance from the axis.
const NORMAL_TOLERANCE: f64 = 1e-6;

/// Counts, and the first inputs that were wrong.
#[derive(Default)]
struct Tally {
    rays: usize,
    hits: usize,
    matching: usize,
    ambiguous: usize,
    /// Among rays that were made to touch.
    ambiguous_degenerate: usize,
    wrong: usize,
    examples: Vec<String>,
}

enum Verdict {
    Match,
    Ambiguous,
    Wrong(String),
}

impl Tally {
    fn count(&mut self, test_ray: &TestRay, found: &EntryPoint, scene: usize, verdict: Verdict) {
        self.rays += 1;
        self.hits += usize::from(found.status == RayStatus::Hit);
        match verdict {
            Verdict::Match => self.matching += 1,
            Verdict::Ambiguous if test_ray.degenerate => self.ambiguous_degenerate += 1,
            Verdict::Ambiguous => self.ambiguous += 1,
            Verdict::Wrong(why) => {
                self.wrong += 1;
                if self.examples.len() < 5 {
                    self.examples.push(format!("scene {scene}, {:?}: {why}", test_ray.ray));
                }
            }
        }
    }

    fn check(&self, what: &str) {
        println!(
            "{what}: {} rays, {} hits, {} match, {} ambiguous, {} ambiguous among rays made to touch, {} wrong",
            self.rays, self.hits, self.matching, self.ambiguous, self.ambiguous_degenerate, self.wrong
        );
        assert!(self.hits * 5 > self.rays && self.hits * 10 < self.rays * 9, "hits and misses must both be common");
        assert!(self.wrong == 0, "{} wrong: {:#?}", self.wrong, self.examples);
        assert!(self.ambiguous as f64 <= AMBIGUOUS_SHARE * self.rays as f64, "{} ambiguous", self.ambiguous);
    }
}

/// A random scene and its numbers.
struct Survey {
    number: usize,
    shape: Shape,
    scene: Scene,
    random: Random,
}

fn surveys(stream: u64, scenes: usize) -> impl Iterator<Item = Survey> {
    (0..scenes).map(move |number| {
        let mut random = Random::new(test_seed(), stream + number as u64);
        let shape = random_shape(&mut random, number);
        Survey { number, scene: scene_of(&shape), shape, random }
    })
}

/// Surveys of all kinds of leaves and maps.
fn surveys_of_all_kinds(stream: u64, scenes: usize) -> impl Iterator<Item = Survey> {
    (0..scenes).map(move |number| {
        let mut random = Random::new(test_seed(), stream + number as u64);
        let shape = random_shape_of_all_kinds(&mut random, number);
        Survey { number, scene: scene_of(&shape), shape, random }
    })
}

/// Distance of a point from the border of a leaf [m].
fn border_distance(scene: &Scene, leaf: u32, point: DVec3) -> f64 {
    let solid = &scene.leaf(leaf).solid;
    let scale = if let Solid::HalfSpace(half_space) = solid { half_space.normal.length() } else { 1.0 };
    (solid.distance(point) / scale).abs()
}

fn compare_paths(scene: &Scene, ray: &Ray, tree: &EntryPoint, program: &EntryPoint) -> Verdict {
    let wrong = |what: &str| Verdict::Wrong(format!("{what}: tree {tree:?}, program {program:?}"));
    if tree.status != program.status {
        return wrong("status");
    }
    if tree.status != RayStatus::Hit {
        return Verdict::Match;
    }
    if (tree.lambda - program.lambda).abs() > LAMBDA_TOLERANCE {
        return wrong("lambda");
    }
    if tree.leaf == program.leaf {
        let same = tree.material == program.material && tree.normal == program.normal;
        return if same { Verdict::Match } else { wrong("material or normal") };
    }
    let on_border =
        |entry: &EntryPoint| entry.leaf.is_none_or(|leaf| border_distance(scene, leaf, ray.at(entry.lambda)) <= TOUCH);
    if on_border(tree) && on_border(program) { Verdict::Ambiguous } else { wrong("leaf") }
}

/// Draws rays in scenes and compares the tree with the program's words and with the walk.
fn compare_searches(surveys: impl Iterator<Item = Survey>, rays: usize) -> [Tally; 2] {
    let (mut of_program, mut of_walk) = (Tally::default(), Tally::default());
    for Survey { number, scene, mut random, .. } in surveys {
        let (program, walk) = (Program::compile(&scene), Walk::compile(&scene));
        let (tracer, walker) = (Tracer::new(&scene), Walker::new(&walk, &scene));
        let mut interpreter = Interpreter::new(&program);
        for _ in 0..rays {
            let test_ray = random_ray(&mut random, &tracer);
            let tree = tracer.entry_point(&test_ray.ray);
            let verdict = compare_paths(&scene, &test_ray.ray, &tree, &interpreter.entry_point(&test_ray.ray));
            of_program.count(&test_ray, &tree, number, verdict);
            let verdict = compare_paths(&scene, &test_ray.ray, &tree, &walker.entry_point(&test_ray.ray));
            of_walk.count(&test_ray, &tree, number, verdict);
        }
    }
    [of_program, of_walk]
}

#[test]
fn tree_program_and_walk_agree_on_a_million_rays() {
    let [of_program, of_walk] = compare_searches(surveys(0, 2_000), 500);
    of_program.check("tree against program");
    assert!(of_program.ambiguous_degenerate as f64 <= AMBIGUOUS_SHARE * of_program.rays as f64);
    of_walk.check("tree against walk");
}

fn compare_with_truth(brute: &BruteForce<'_>, ray: &Ray, found: &EntryPoint, truth: &Truth) -> Verdict {
    let wrong = |what: &str| Verdict::Wrong(format!("{what}: {found:?}, inside from {:?}", truth.first_inside));
    match (found.status, truth.first_inside) {
        (RayStatus::BadInput | RayStatus::NotConverged, _) => wrong("refused"),
        (RayStatus::Miss, Some(_)) => wrong("missed"),
        (RayStatus::Miss, None) => Verdict::Match,
        (RayStatus::Hit, first_inside) => {
            let lambda = found.lambda;
            if lambda < ray.lambda1 || lambda > ray.lambda2 {
                return wrong("out of range");
            }
            if let Some(first) = first_inside {
                match truth.windows.last().filter(|window| window.high >= first) {
                    Some(window) if window.contains(lambda) => {
                        return compare_border(brute, ray, found, &window.leaves);
                    }
                    None if lambda == first && lambda == ray.lambda1 => return Verdict::Match,
                    _ => {}
                }
            }
            // No certain point of the set is that early: a touch, a start or an end on a border, or a run along one.
            let possible = truth.windows.iter().any(|window| {
                let cut = window.contains(ray.lambda1) || window.contains(ray.lambda2);
                window.contains(lambda) && (cut || window.may_hold_a_point())
            });
            if possible || truth.doubtful { Verdict::Ambiguous } else { wrong("lambda") }
        }
    }
}

/// Leaf, normal and material of an entry whose lambda is right; `leaves` are those whose borders cross there.
fn compare_border(brute: &BruteForce<'_>, ray: &Ray, found: &EntryPoint, leaves: &[usize]) -> Verdict {
    if found.lambda == ray.lambda1 {
        return Verdict::Match; // The normal there is advisory.
    }
    let wrong = |what: &str| Verdict::Wrong(format!("{what}: {found:?}, crossing leaves {leaves:?}"));
    let Some(leaf) = found.leaf.map(|leaf| leaf as usize).filter(|leaf| leaves.contains(leaf)) else {
        return wrong("leaf");
    };
    let point = ray.at(found.lambda);
    let unsure = leaves.len() > 1;
    if !unsure && (found.normal.normalize() - brute.normal(leaf, point)).length() > NORMAL_TOLERANCE {
        return wrong("normal");
    }
    match brute.material(leaf, point, MaterialId(0)) {
        Some(material) if found.material != Some(material) => wrong("material"),
        _ => Verdict::Match,
    }
}

#[test]
fn tree_agrees_with_brute_force_on_a_hundred_thousand_rays() {
    const SCENES: usize = 1_000;
    const RAYS: usize = 100;
    let mut tally = Tally::default();
    for Survey { number, shape, scene, mut random } in surveys(1 << 32, SCENES) {
        let (brute, tracer) = (BruteForce::new(&shape), Tracer::new(&scene));
        for _ in 0..RAYS {
            let test_ray = random_ray(&mut random, &tracer);
            let found = tracer.entry_point(&test_ray.ray);
            let truth = brute.truth(&test_ray.ray);
            tally.count(&test_ray, &found, number, compare_with_truth(&brute, &test_ray.ray, &found, &truth));
        }
    }
    tally.check("tree against brute force");
}

#[test]
fn tree_program_and_walk_agree_on_all_kinds_of_leaves() {
    let [of_program, of_walk] = compare_searches(surveys_of_all_kinds(4 << 32, 1_000), 300);
    of_program.check("tree against program, all kinds");
    of_walk.check("tree against walk, all kinds");
}

#[test]
fn tree_agrees_with_brute_force_on_all_kinds_of_leaves() {
    const SCENES: usize = 1_000;
    const RAYS: usize = 60;
    let mut tally = Tally::default();
    for Survey { number, shape, scene, mut random } in surveys_of_all_kinds(5 << 32, SCENES) {
        let (brute, tracer) = (BruteForce::new(&shape), Tracer::new(&scene));
        for _ in 0..RAYS {
            let test_ray = random_ray(&mut random, &tracer);
            let found = tracer.entry_point(&test_ray.ray);
            let truth = brute.truth(&test_ray.ray);
            tally.count(&test_ray, &found, number, compare_with_truth(&brute, &test_ray.ray, &found, &truth));
        }
    }
    tally.check("tree against brute force, all kinds");
}

#[test]
fn the_comparison_of_paths_sees_another_leaf_and_a_small_shift() {
    let scene = scene_of(&Shape::union([Shape::sphere(DVec3::ZERO, 1.0), Shape::half_space(DVec3::Z, -5.0)]));
    let ray = Ray::segment(DVec3::new(0.0, 0.0, 3.0), DVec3::new(0.0, 0.0, -9.0));
    let entry = Tracer::new(&scene).entry_point(&ray);
    let fault = |other: EntryPoint| matches!(compare_paths(&scene, &ray, &entry, &other), Verdict::Wrong(_));
    assert!(!fault(entry));
    assert!(fault(EntryPoint { leaf: Some(1), ..entry }));
    assert!(fault(EntryPoint { lambda: entry.lambda + 2.0 * LAMBDA_TOLERANCE, ..entry }));
    assert!(fault(EntryPoint { material: None, ..entry }));
    assert!(fault(EntryPoint::none(RayStatus::Miss)));
}

#[test]
fn the_comparison_sees_a_shift_of_a_millionth() {
    let mut seen = 0;
    for Survey { shape, scene, mut random, .. } in surveys(2 << 32, 20) {
        let (brute, tracer) = (BruteForce::new(&shape), Tracer::new(&scene));
        for _ in 0..100 {
            let ray = random_ray(&mut random, &tracer).ray;
            let mut found = tracer.entry_point(&ray);
            found.lambda += 1e-6;
            let verdict = compare_with_truth(&brute, &ray, &found, &brute.truth(&ray));
            seen += usize::from(matches!(verdict, Verdict::Wrong(_)));
        }
    }
    assert!(seen > 400, "only {seen} shifted answers of 2000 were called wrong");
}

const HOSTILE: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    1e60,
    1e-300,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-161,
    -0.0,
    0.0,
    1.0,
];

fn is_sound(ray: &Ray, entry: &EntryPoint) -> bool {
    match entry.status {
        RayStatus::BadInput => !ray.is_valid(),
        RayStatus::NotConverged => false,
        RayStatus::Miss => ray.is_valid(),
        RayStatus::Hit => {
            ray.is_valid() && (ray.lambda1..=ray.lambda2).contains(&entry.lambda) && entry.normal.is_finite()
        }
    }
}

#[test]
fn hostile_rays_get_a_status_or_a_finite_answer() {
    let (mut refused, mut answered) = (0, 0);
    for Survey { scene, mut random, .. } in surveys(3 << 32, 200) {
        let program = Program::compile(&scene);
        let (tracer, mut interpreter) = (Tracer::new(&scene), Interpreter::new(&program));
        for _ in 0..200 {
            let mut numbers: [f64; 8] = std::array::from_fn(|_| random.between(-6.0, 6.0));
            for _ in 0..=random.index(4) {
                numbers[random.index(8)] = HOSTILE[random.index(HOSTILE.len())];
            }
            let [a, b, c, d, e, f, lambda1, lambda2] = numbers;
            let ray = Ray { x1: DVec3::new(a, b, c), x2: DVec3::new(d, e, f), lambda1, lambda2 };
            for entry in [tracer.entry_point(&ray), interpreter.entry_point(&ray)] {
                assert!(is_sound(&ray, &entry), "{ray:?} gives {entry:?}");
                if entry.status == RayStatus::BadInput { refused += 1 } else { answered += 1 }
            }
        }
    }
    println!("hostile rays: {refused} refused, {answered} answered");
    assert!(refused > 10_000 && answered > 10_000);
}

#[test]
fn a_ray_too_short_to_move_is_where_it_starts() {
    let ball = Shape::sphere(DVec3::X, 5.0);
    let tube = Shape::cylinder(DVec3::X, DVec3::Z, 5.0);
    for shape in [ball.clone(), tube.clone(), ball.complement(), tube.complement()] {
        let scene = scene_of(&shape);
        for place in [DVec3::ZERO, 100.0 * DVec3::X] {
            for length in [0.0, 5e-324, 1e-170, 1e-162, 1e-161, 1e-160, 1e-155, 1e-120, 1e-80, 1e-20] {
                // About the origin even the shortest steps are represented, at 100 m they vanish.
                let entry = Tracer::new(&scene).entry_point(&Ray::segment(place, place + length * DVec3::X));
                let inside = scene.contains(scene.root(), place);
                assert_eq!(entry.status == RayStatus::Hit, inside, "{shape:?} from {place}, length {length:e}");
            }
        }
    }
}

#[test]
fn a_range_that_runs_backwards_is_refused() {
    let scene = scene_of(&Shape::Everything);
    let ray = Ray { lambda1: 1.0, lambda2: 0.5, ..Ray::segment(DVec3::ZERO, DVec3::X) };
    assert_eq!(Tracer::new(&scene).entry_point(&ray).status, RayStatus::BadInput);
}
