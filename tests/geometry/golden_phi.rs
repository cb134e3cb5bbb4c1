//! Entry points against the golden cases: on the tree, through the program words, and by the native engine alone and with
//! fifteen neighbours of the same direction.

use std::collections::HashMap;

use crate::support::{flag, list, materials, number, read_json, scene, text, vector};
use glam::DVec3;
use serde_json::Value;
use touchdown::native::SceneIndex;
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::Scene;

/// f64 tolerance of lambda from the cases' README.
const LAMBDA_TOLERANCE: f64 = 1e-12;
/// Normals of quadrics are unit vectors from a point that carries lambda's error times the ray's length (below 100 m
/// in the cases) over a radius of at least 0.1 m.
const NORMAL_TOLERANCE: f64 = 1e-9;

/// What is wrong with an answer, or `None`.
fn fault(found: &EntryPoint, case: &Value, scene: &Scene) -> Option<String> {
    let expect = &case["expect"];
    if !flag(&expect["hit"]) {
        return (found.status != RayStatus::Miss).then(|| format!("hit at {} where a miss was expected", found.lambda));
    }
    if found.status != RayStatus::Hit {
        return Some("missed".to_owned());
    }
    let lambda = number(&expect["lambda"]);
    if (found.lambda - lambda).abs() > LAMBDA_TOLERANCE {
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
        if (found.normal - normal).length() > NORMAL_TOLERANCE * normal.length().max(1.0) {
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
fn run(path: impl Fn(&Scene, &Program, &Ray) -> EntryPoint) -> (usize, Vec<String>, usize, Vec<String>) {
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
        let found = path(scene, &Program::compile(scene), &ray);
        let fault = fault(&found, case, scene).map(|fault| format!("{}: {fault}", text(&case["id"])));
        if flag(&case["ill_conditioned"]) && !flag(&case["small_dyadic_ray"]) {
            doubtful += 1;
            doubtful_faults.extend(fault);
        } else {
            required += 1;
            faults.extend(fault);
        }
    }
    (required, faults, doubtful, doubtful_faults)
}

fn check(path: impl Fn(&Scene, &Program, &Ray) -> EntryPoint) {
    let (required, faults, doubtful, doubtful_faults) = run(path);
    println!("{required} cases required, {} failed", faults.len());
    println!("{doubtful} ill-conditioned cases, {} differ:", doubtful_faults.len());
    doubtful_faults.iter().for_each(|fault| println!("  {fault}"));
    assert!(required >= 168, "only {required} cases were found");
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(20 * doubtful_faults.len() <= doubtful, "more than 5 % of the ill-conditioned cases differ");
}

#[test]
fn tree_walk_gives_the_golden_entry_points() {
    check(|scene, _, ray| Tracer::new(scene).entry_point(ray));
}

#[test]
fn program_words_give_the_golden_entry_points() {
    check(|_, program, ray| Interpreter::new(program).entry_point(ray));
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
    check(|scene, _, ray| native(scene, ray, 1));
    check(|scene, _, ray| native(scene, ray, 16));
}

#[test]
fn a_lambda_that_is_off_by_more_than_the_tolerance_is_a_fault() {
    let (_, faults, ..) = run(|scene, _, ray| {
        let mut entry = Tracer::new(scene).entry_point(ray);
        entry.lambda += 1e-11;
        entry
    });
    assert!(faults.len() > 50, "the comparison must see an error of 1e-11, it saw {}", faults.len());
}
