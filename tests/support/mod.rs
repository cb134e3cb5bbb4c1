//! What tests share; here readers of the golden cases.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod air_forces;
pub mod airframe;
pub mod altered;
pub mod batches;
pub mod brute_force;
pub mod crater;
pub mod ellipsoids;
pub mod engines;
pub mod flights;
pub mod gpu;
pub mod judged;
pub mod landing_jobs;
pub mod program;
pub mod propulsion;
pub mod random;
pub mod random_landing;
pub mod random_scene;
pub mod random_solid;
pub mod recording;
pub mod rigid_body;
pub mod single;
pub mod tricycle;

use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::Value;
use touchdown::query::WheelParameters;
use touchdown::scene::{Material, MaterialId, Scene, Shape, SurfaceDrag};

/// Reads a file of tests/data.
pub fn read_json(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub fn flag(value: &Value) -> bool {
    value.as_bool().unwrap()
}

pub fn vector(value: &Value) -> DVec3 {
    let v = list(value);
    DVec3::new(number(&v[0]), number(&v[1]), number(&v[2]))
}

/// Quaternions are listed w first.
pub fn quaternion(value: &Value) -> DQuat {
    let q = list(value);
    DQuat::from_xyzw(number(&q[1]), number(&q[2]), number(&q[3]), number(&q[0]))
}

pub fn materials(value: &Value) -> Vec<Material> {
    list(value)
        .iter()
        .map(|material| Material {
            name: text(&material["name"]).to_owned(),
            static_friction: number(&material["mu_s"]),
            dynamic_friction: number(&material["mu_k"]),
            max_force: number(&material["F_m"]),
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        })
        .collect()
}

pub fn material_named(materials: &[Material], name: &str) -> MaterialId {
    MaterialId(materials.iter().position(|material| material.name == name).unwrap() as u32)
}

/// A tree of the golden cases as a shape.
pub fn shape(tree: &Value, materials: &[Material]) -> Shape {
    let children = || list(&tree["ch"]).iter().map(|child| shape(child, materials));
    let only = || children().next().unwrap();
    match text(&tree["op"]) {
        "half" => Shape::half_space(vector(&tree["n"]), number(&tree["d"])),
        "sphere" => Shape::sphere(vector(&tree["c"]), number(&tree["r"])),
        "cyl" => {
            let axis = DVec3::AXES[tree["axis"].as_u64().unwrap() as usize];
            Shape::cylinder(vector(&tree["c"]), axis, number(&tree["r"]))
        }
        "top" => Shape::Everything,
        "bottom" => Shape::Nothing,
        "union" => Shape::union(children()),
        "inter" => Shape::intersection(children()),
        "not" => only().complement(),
        "mat" => only().made_of(material_named(materials, text(&tree["material"]))),
        "paint" => {
            only().painted(material_named(materials, text(&tree["material"])), shape(&tree["region"], materials))
        }
        other => panic!("unknown node {other}"),
    }
}

pub fn scene(tree: &Value, materials: &[Material], default_material: Option<MaterialId>) -> Scene {
    Scene::new(&shape(tree, materials), materials.to_vec(), default_material, None).unwrap()
}

pub fn wheel_parameters(value: &Value) -> WheelParameters {
    WheelParameters {
        k_xy: number(&value["k_xy"]),
        k_z: number(&value["k_z"]),
        d_xy: number(&value["d_xy"]),
        d_z: number(&value["d_z"]),
        z_min: number(&value["z_min"]),
        z_zero: number(&value["z_zero"]),
        z_max: number(&value["z_max"]),
        rolling_resistance: 0.0,
        clamp_to_max_force: false,
        ..WheelParameters::PLAIN
    }
}
