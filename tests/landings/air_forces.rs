//! Air forces of aircraft files against JSBSim's own answers: `tests/data/jsbsim`.
//!
//! JSBSim's aircraft have licences of their own and are not here. With `TOUCHDOWN_JSBSIM` naming a folder that has them
//! (`aircraft/737/737.xml`; `pip download jsbsim` brings one), their forces are compared too; without it, everything but those.

use std::path::PathBuf;

use glam::DVec3;
use serde_json::Value;
use touchdown::air_forces::{AirForces, AxisFunction, Description, Flight, Memory, Role, Sizes};
use touchdown::function::{Expression, Function, Operation};
use touchdown::import::jsbsim_air_forces;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{AirLoadStatus, AirLoads};
use touchdown::reference::Reference;

use crate::support::air_forces::{OfFunctions, any, at, given, golden, of_functions, vector};
use crate::support::{list, text};

/// JSBSim's answers have fifteen digits.
const OF_FUNCTIONS: f64 = 1e-12;
const OF_LOADS: f64 = 1e-9;

fn relative(found: f64, expected: f64) -> f64 {
    if found == expected { 0.0 } else { (found - expected).abs() / expected.abs() }
}

#[test]
fn functions_have_the_values_that_jsbsim_gives_them() {
    let (reference, native) = (Reference::new(2).unwrap(), Native::new(2).unwrap());
    for aircraft in list(&golden("functions")["aircraft"]) {
        let name = text(&aircraft["name"]);
        let OfFunctions { description, forces, flights } = of_functions(aircraft);
        let states = flights.len();
        let order: Vec<&str> = list(&aircraft["order"]).iter().map(|entry| text(&entry[1])).collect();
        assert_eq!(forces.functions().collect::<Vec<_>>(), order, "{name}");
        let answers = reference.compute::<AirLoads>(&forces, &flights).unwrap();
        assert_eq!(native.compute::<AirLoads>(&forces, &flights).unwrap(), answers, "{name}: bits in lanes");
        let (mut worst, mut worst_load) = (0.0_f64, 0.0_f64);
        for (state, answer) in answers.iter().enumerate() {
            for (function, value) in order.iter().zip(&answer.functions) {
                let difference = relative(*value, any(at(&aircraft["function"][function], state)));
                assert!(difference <= OF_FUNCTIONS, "{name} {function} {state}: {value}");
                worst = worst.max(difference);
            }
            let (force, moment) = (vector(&aircraft["force_N"], state), vector(&aircraft["moment_Nm"], state));
            let scale = moment.length() + force.length() * flights[state].arm.length();
            let off = (answer.force - force).length() / force.length().max(f64::MIN_POSITIVE);
            worst_load = worst_load.max(off);
            // JSBSim's arm has the shift of the reference point in it already.
            if !description.functions.iter().any(|function| function.role == Role::Shift) {
                worst_load = worst_load.max((answer.moment - moment).length() / scale.max(f64::MIN_POSITIVE));
            }
        }
        assert!(worst_load <= OF_LOADS, "{name}: {worst_load}");
        println!("{name}: {} functions, {states} states: off by {worst:.1e}, loads by {worst_load:.1e}", order.len());
    }
}

/// The flight of a state of `loads.json`, and where forces act.
fn flight(aircraft: &Value, state: usize, given: Vec<f64>) -> Flight {
    let of = |name: &str| any(at(&aircraft[name], state));
    let [centre, point] = ["cg_in", "aero_rp_in"].map(|name| vector(&aircraft[name], state));
    let before = at(&aircraft["memory"], state);
    let euler = vector(&aircraft["euler_rad"], state);
    Flight {
        air_velocity: vector(&aircraft["v_air_mps"], state),
        ground_velocity: vector(&aircraft["v_ground_mps"], state),
        rate: vector(&aircraft["rate_rps"], state),
        air_rate: DVec3::ZERO,
        acceleration: vector(&aircraft["accel_mps2"], state),
        roll: euler.x,
        pitch: euler.y,
        height: of("h_agl_m"),
        density: of("rho_kgm3"),
        sound: of("a_mps"),
        temperature: of("T_K"),
        pressure: of("p_Pa"),
        mass: of("mass_kg"),
        arm: DVec3::new(centre.x - point.x, point.y - centre.y, centre.z - point.z) * 0.0254,
        memory: Memory {
            lift: any(&before[0]),
            stall: any(&before[1]),
            span_time: any(&before[2]),
            chord_time: any(&before[3]),
            squared_lift: any(&before[4]),
        },
        given,
    }
}

fn sizes(aircraft: &Value) -> Sizes {
    let of = |name: &str| any(&aircraft[name]);
    Sizes { area: of("area_m2"), span: of("span_m"), chord: of("chord_m"), incidence: of("incidence_rad") }
}

/// Functions that read properties and do nothing else.
fn reading<'a>(aircraft: &Value, names: impl Iterator<Item = &'a String>) -> Description {
    let function = |name: &String| AxisFunction {
        function: Function { name: format!("read {name}"), expression: Expression::Property(name.clone()) },
        role: Role::Property,
    };
    Description { sizes: sizes(aircraft), functions: names.map(function).collect(), ..Description::default() }
}

#[test]
fn properties_that_follow_from_a_flight_are_those_of_jsbsim() {
    let mut worst = std::collections::BTreeMap::<String, f64>::new();
    for aircraft in list(&golden("loads")["aircraft"]) {
        let derived = aircraft["derived"].as_object().unwrap();
        // Limits of the stall are in the files of the aircraft.
        let names = derived.keys().filter(|name| *name != "aero/stall-hyst-norm");
        let forces = AirForces::new(&reading(aircraft, names.clone()), &[]).unwrap();
        for state in 0..aircraft["states"].as_u64().unwrap() as usize {
            let row = forces.row(&flight(aircraft, state, Vec::new()));
            for (name, value) in names.clone().zip(forces.values(&row)) {
                let difference = relative(value, any(at(&derived[name], state)));
                // Beyond Mach 1 the calibrated airspeed is the solution of an equation whose constants have eight digits.
                let allowed = if name.starts_with("velocities/vc-") { 1e-8 } else { 1e-12 };
                assert!(difference <= allowed, "{} {name} {state}: {value}", aircraft["name"]);
                let worst = worst.entry(name.clone()).or_default();
                *worst = worst.max(difference);
            }
        }
    }
    assert!(worst.len() > 30, "{worst:?}");
    for (name, worst) in worst {
        println!("{name}: off by {worst:.1e}");
    }
}

#[test]
fn forces_of_jsbsim_s_own_aircraft_are_those_of_jsbsim() {
    let Some(root) = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from) else {
        println!("not compared: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
        return;
    };
    let native = Native::new(2).unwrap();
    let mut compared = 0;
    for aircraft in list(&golden("loads")["aircraft"]) {
        let name = text(&aircraft["name"]);
        let imported = jsbsim_air_forces(&root.join(text(&aircraft["file"])), &[]).unwrap();
        let states = aircraft["states"].as_u64().unwrap() as usize;
        let (names, values) = given(&aircraft["given"], &aircraft["given_constant"], states);
        let forces = AirForces::new(&imported.description, &names).unwrap();
        let flights: Vec<_> =
            values.into_iter().enumerate().map(|(state, given)| flight(aircraft, state, given)).collect();
        let mut worst = 0.0_f64;
        for (state, answer) in native.compute::<AirLoads>(&forces, &flights).unwrap().iter().enumerate() {
            assert_eq!(answer.status, AirLoadStatus::Ok, "{name} {state}");
            let (force, moment) = (vector(&aircraft["force_N"], state), vector(&aircraft["moment_Nm"], state));
            let scale = moment.length() + force.length() * flights[state].arm.length();
            worst = worst.max((answer.force - force).length() / force.length().max(f64::MIN_POSITIVE));
            worst = worst.max((answer.moment - moment).length() / scale.max(f64::MIN_POSITIVE));
        }
        assert!(worst <= OF_LOADS, "{name}: {worst}");
        println!("{name}: {states} states, loads off by {worst:.1e}");
        compared += 1;
    }
    assert_eq!(compared, 40);
}

#[test]
fn what_files_declare_and_where_forces_act_is_as_jsbsim_has_it() {
    const WING: &str = include_str!("../data/jsbsim/aircraft/wing.xml");
    let directory = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        let file = directory.path().join("wing.xml");
        std::fs::write(&file, text).unwrap();
        jsbsim_air_forces(&file, &[]).unwrap()
    };
    let wing = read(WING);
    assert_eq!(wing.description.reference_point, DVec3::ZERO);
    // The origin of the structure, from the centre of gravity 2 m behind it and 1 m above.
    let place = "<location name='AERORP' unit='M'><x>2</x><y>0</y><z>1</z></location>";
    assert_eq!(read(&WING.replace(place, "")).description.reference_point, DVec3::new(2.0, 0.0, 1.0));
    let two = format!("{place}{}", place.replace("<x>2</x>", "<x>3</x>"));
    assert_eq!(read(&WING.replace(place, &two)).description.reference_point, DVec3::new(-1.0, 0.0, 0.0));
    // What follows from the flight follows from it, whatever a file declares.
    let declared = read(&WING.replace("<aerodynamics>", "<aerodynamics><property value='7'>aero/qbar-area</property>"));
    let flight = Flight {
        air_velocity: DVec3::new(50.0, 0.0, 5.0),
        density: 1.2,
        sound: 340.0,
        mass: 1000.0,
        given: vec![0.1; wing.forces.given().len()],
        ..Flight::default()
    };
    let loads = |forces: &AirForces| forces.loads(&forces.row(&flight));
    assert_eq!(loads(&declared.forces), loads(&wing.forces));
    // Numbers below 0 choose no case, and a point that stands twice has its first value.
    assert_eq!(Operation::Switch.of(&[0.4, 10.0, 20.0]), 10.0);
    assert!(Operation::Switch.of(&[-0.4, 10.0, 20.0]).is_nan());
    assert_eq!(Operation::Interpolate.of(&[2.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0]), 2.0);
}
