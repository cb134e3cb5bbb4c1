//! Entry points against the golden cases: on the tree, by words and by walks, by the native engine alone and with fifteen
//! neighbours of the same direction, and on a GPU.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::collections::HashMap;

use crate::support::gpu;
use crate::support::{flag, list, materials, number, read_json, scene, text, vector};
use glam::DVec3;
use serde_json::Value;
use touchdown::gpu::Gpu;
use touchdown::job::Compute;
use touchdown::native::SceneIndex;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::Scene;

/// The numbers that a path computes with.
#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    F32,
    F64,
}

impl Numbers {
    /// Tolerance of lambda from the cases' README.
    fn lambda_tolerance(self) -> f64 {
        match self {
            Self::F32 => 1e-4,
            Self::F64 => 1e-12,
        }
    }

    /// Normals of quadrics are unit vectors from a point that carries lambda's error times the ray's length (below 100 m
    /// in the cases) over a radius of at least 0.1 m.
    fn normal_tolerance(self) -> f64 {
        100.0 / 0.1 * self.lambda_tolerance()
    }

    /// A case that the last bit decides. Of these f64 is exact in rays of small dyadic numbers.
    fn is_doubtful(self, case: &Value) -> bool {
        flag(&case["ill_conditioned"]) && !(self == Self::F64 && flag(&case["small_dyadic_ray"]))
    }
}

/// What is wrong with an answer, or `None`.
fn fault(found: &EntryPoint, case: &Value, scene: &Scene, numbers: Numbers) -> Option<String> {
    let expect = &case["expect"];
    if !flag(&expect["hit"]) {
        return (found.status != RayStatus::Miss).then(|| format!("hit at {} where a miss was expected", found.lambda));
    }
    if found.status != RayStatus::Hit {
        return Some("missed".to_owned());
    }
    let lambda = number(&expect["lambda"]);
    if (found.lambda - lambda).abs() > numbers.lambda_tolerance() {
        return Some(format!("lambda {} instead of {lambda}", found.lambda));
    }
    let admissible = list(&expect["admissible_leaves"]);
    if !admissible.is_empty() || !expect["leaf"].is_null() {
        let leaf = found.leaf.map_or(Value::Null, Value::from);
        if leaf != expect["leaf"] && !admissible.contains(&leaf) {
            return Some(format!("leaf {leaf} instead of {} or one of {admissible:?}", expect["leaf"]));
        }
    }
    if expect["leaf"] == found.leaf.map_or(Value::Null, Value::from) {
        let normal = if expect["leaf"].is_null() { DVec3::ZERO } else { vector(&expect["normal"]) };
        if (found.normal - normal).length() > numbers.normal_tolerance() * normal.length().max(1.0) {
            return Some(format!("normal {} instead of {normal}", found.normal));
        }
        let material = found.material.map_or(Value::Null, |id| scene.material(id).name.clone().into());
        if material != expect["material"] {
            return Some(format!("material {material} instead of {}", expect["material"]));
        }
    }
    None
}

/// Runs all cases through a path and returns (required, faults among them, ill-conditioned, faults among those).
fn run(numbers: Numbers, path: impl Fn(&Scene, &Ray) -> EntryPoint) -> (usize, Vec<String>, usize, Vec<String>) {
    let cases = read_json("phi_wheel/phi.json");
    let materials = materials(&cases["materials"]);
    let scenes: HashMap<&str, Scene> =
        list(&cases["scenes"]).iter().map(|case| (text(&case["id"]), scene(&case["tree"], &materials, None))).collect();
    let (mut required, mut faults, mut doubtful, mut doubtful_faults) = (0, Vec::new(), 0, Vec::new());
    for case in list(&cases["rays"]) {
        let ray = Ray {
            x1: vector(&case["x1"]),
            x2: vector(&case["x2"]),
            lambda1: number(&case["lambda1"]),
            lambda2: number(&case["lambda2"]),
        };
        let scene = &scenes[text(&case["scene"])];
        let fault =
            fault(&path(scene, &ray), case, scene, numbers).map(|fault| format!("{}: {fault}", text(&case["id"])));
        if numbers.is_doubtful(case) {
            doubtful += 1;
            doubtful_faults.extend(fault);
        } else {
            required += 1;
            faults.extend(fault);
        }
    }
    (required, faults, doubtful, doubtful_faults)
}

/// Asserts that all required cases are right, and gives how many of the others differ.
fn check(numbers: Numbers, path: impl Fn(&Scene, &Ray) -> EntryPoint) -> usize {
    let (required, faults, doubtful, doubtful_faults) = run(numbers, path);
    println!("{required} cases required, {} failed", faults.len());
    println!("{doubtful} ill-conditioned cases, {} differ:", doubtful_faults.len());
    doubtful_faults.iter().for_each(|fault| println!("  {fault}"));
    assert!(required >= 168, "only {required} cases were found");
    assert!(faults.is_empty(), "{faults:#?}");
    doubtful_faults.len()
}

#[test]
fn the_tree_gives_the_golden_entry_points() {
    assert!(check(Numbers::F64, |scene, ray| Tracer::new(scene).entry_point(ray)) <= 1);
}

#[test]
fn words_give_the_golden_entry_points() {
    assert!(check(Numbers::F64, |scene, ray| Interpreter::new(&Program::compile(scene)).entry_point(ray)) <= 1);
}

#[test]
fn walks_give_the_golden_entry_points() {
    // Walks look for the border that a ray starts on within rounding: one that is near enough has no name in the cases.
    assert!(check(Numbers::F64, |scene, ray| Walker::new(&Walk::compile(scene), scene).entry_point(ray)) <= 2);
}

#[test]
fn a_gpu_gives_the_golden_entry_points_by_walks_and_by_words() {
    let first = |gpu: &Gpu, scene: &Scene, ray: &Ray| gpu.compute::<EntryPoints>(scene, &[*ray]).unwrap()[0];
    for gpu in [gpu::open(), gpu::open_for_words()] {
        check(Numbers::F32, |scene, ray| first(&gpu, scene, ray));
    }
}

/// The native engine's answer to each of so many copies of a ray: the same for all.
fn native(scene: &Scene, ray: &Ray, copies: usize) -> EntryPoint {
    let mut answers = vec![EntryPoint::none(RayStatus::NotConverged); copies];
    SceneIndex::new(scene).entry_points(&vec![*ray; copies], &mut answers);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    answers[0]
}

#[test]
fn the_native_engine_gives_the_golden_entry_points() {
    assert!(check(Numbers::F64, |scene, ray| native(scene, ray, 1)) <= 1);
    assert!(check(Numbers::F64, |scene, ray| native(scene, ray, 16)) <= 1);
}

#[test]
fn a_lambda_that_is_off_by_more_than_the_tolerance_is_a_fault() {
    let (_, faults, ..) = run(Numbers::F64, |scene, ray| {
        let mut entry = Tracer::new(scene).entry_point(ray);
        entry.lambda += 1e-11;
        entry
    });
    assert!(faults.len() > 50, "the comparison must see an error of 1e-11, it saw {}", faults.len());
}
