//! JSBSim's own answers about aircraft: `tests/data/jsbsim`.

use std::io::Read;
use std::path::Path;

use glam::DVec3;
use serde_json::Value;
use touchdown::air_forces::{AirForces, Description, Flight};
use touchdown::import::jsbsim_air_forces;

use super::{list, number, text};

pub fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim").join(format!("{name}.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The value of a state; a list of one stands for all.
pub fn at(values: &Value, state: usize) -> &Value {
    match list(values) {
        [one] => one,
        all => &all[state],
    }
}

/// A number; those that are not finite are written as texts.
pub fn any(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(_) => f64::NAN,
        None => number(value),
    }
}

pub fn vector(values: &Value, state: usize) -> DVec3 {
    let of = if values[0].is_array() { at(values, state) } else { values };
    DVec3::from_array(std::array::from_fn(|axis| any(&of[axis])))
}

/// Names of given properties and their values by state, of members that vary and members that do not.
pub fn given(varying: &Value, constant: &Value, states: usize) -> (Vec<String>, Vec<Vec<f64>>) {
    let (varying, constant) = (varying.as_object().unwrap(), constant.as_object().unwrap());
    let names = varying.keys().chain(constant.keys()).cloned().collect();
    let of = |state| varying.values().map(|of| any(at(of, state))).chain(constant.values().map(any)).collect();
    (names, (0..states).map(of).collect())
}

/// An aircraft of random functions with its flights, whose given properties are all that functions read.
pub struct OfFunctions {
    /// What its file says.
    pub description: Description,
    /// The same to be evaluated.
    pub forces: AirForces,
    /// A flight for each state.
    pub flights: Vec<Flight>,
}

/// An aircraft of `functions.json`.
pub fn of_functions(aircraft: &Value) -> OfFunctions {
    let name = text(&aircraft["name"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/jsbsim/aircraft/{name}.xml"));
    let states = aircraft["states"].as_u64().unwrap() as usize;
    let (mut names, mut values) = given(&aircraft["leaf"], &aircraft["constant"], states);
    for (number, angle) in ["aero/alpha-rad", "aero/beta-rad"].into_iter().enumerate() {
        names.push(angle.to_owned());
        values.iter_mut().enumerate().for_each(|(state, of)| of.push(any(&at(&aircraft["alpha_beta"], state)[number])));
    }
    let description = jsbsim_air_forces(&path, &names).unwrap().description;
    let forces = AirForces::new(&description, &names).unwrap();
    let flight = |(state, given)| Flight {
        given,
        arm: vector(&aircraft["arm_m"], state),
        // Nothing reads these.
        density: 1.2,
        sound: 340.0,
        temperature: 288.0,
        pressure: 1e5,
        mass: 1e3,
        ..Flight::default()
    };
    OfFunctions { flights: values.into_iter().enumerate().map(flight).collect(), description, forces }
}
