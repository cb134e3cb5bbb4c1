//! Code for the airframe of an aircraft: the loads of air and engines in a step of a landing.

use crate::air_forces::{DOWNWARDS, FOOT, Flight, POUND};
use crate::airframe::{Airframe, Atmosphere, Commands};
use crate::gpu::functions::{Code, functions, lookup};
use crate::gpu::shader::float;
use crate::query::Weather;

const AIRFRAME: &str = include_str!("../../../shaders/landing/airframe.wgsl");

/// The first numbers of a step, which change from step to step.
const CHANGING: [&str; 18] = [
    "at.air_velocity.x",
    "at.air_velocity.y",
    "at.air_velocity.z",
    "at.ground_velocity.x",
    "at.ground_velocity.y",
    "at.ground_velocity.z",
    "body.rate.x",
    "body.rate.y",
    "body.rate.z",
    "at.air_rate.x",
    "at.air_rate.y",
    "at.air_rate.z",
    "at.acceleration.x",
    "at.acceleration.y",
    "at.acceleration.z",
    "at.roll",
    "at.pitch",
    "at.height",
];

/// The last of them: commands, in the order of [`Commands::NAMES`], the direction downwards, and the time step.
const LAST: [&str; Commands::NAMES.len() + DOWNWARDS.len() + 1] = [
    "state_controls_elevator()",
    "state_controls_aileron()",
    "state_controls_rudder()",
    "state_controls_spoilers()",
    "state_controls_thrust()",
    "state_controls_brake()",
    "select(0.0, 1.0, state_touchdown_step() != 0u)",
    "-body.to_world[0].z",
    "-body.to_world[1].z",
    "-body.to_world[2].z",
    "vehicle.time_step",
];

/// Place of the time step.
const TIME_STEP: usize = Airframe::GIVEN - 1;

/// The source of what makes the loads, and the numbers of its tables.
pub(in crate::gpu) fn source(airframe: &Airframe) -> (String, Vec<f32>) {
    // What a step leaves may be infinite or none because of what the step before has left.
    let mut is_finite = vec![true; airframe.routine().kept().len()];
    loop {
        let (source, left) = source_of_step(airframe, &is_finite);
        let still: Vec<bool> = is_finite.iter().zip(left).map(|(before, after)| *before && after).collect();
        if is_finite == still {
            return source;
        }
        is_finite = still;
    }
}

/// The same where some of the numbers that the step before has left are known to be finite; which of those that this one leaves are.
fn source_of_step(airframe: &Airframe, is_finite: &[bool]) -> ((String, Vec<f32>), Vec<bool>) {
    let routine = airframe.routine();
    let mut code = Code::default();
    code.line("let at = flown(body, air);");
    let given = CHANGING.map(str::to_owned).into_iter().chain(of_landing(airframe)).chain(LAST.map(str::to_owned));
    for (place, value) in given.enumerate() {
        code.given(place, &value);
    }
    code.positive(TIME_STEP);
    for (number, (place, &is_finite)) in (Airframe::GIVEN..).zip(is_finite).enumerate() {
        let value = format!("state_kept({number}u)");
        if is_finite { code.given(place, &value) } else { code.read_back(place, &value) }
    }
    code.row(routine.made());
    let mut left = Vec::with_capacity(is_finite.len());
    for (number, place) in routine.left_from().enumerate() {
        let value = code.written(place);
        code.line(format_args!("set_state_kept({number}u, {value});"));
        left.push(code.is_finite(place));
    }
    let places = airframe.load_places();
    let undefined = code.undefined(&places);
    let [x, y, z, l, m, n] = places;
    let loads = format!("vec3<f32>(r{x}, r{y}, r{z}), vec3<f32>(r{l}, r{m}, r{n})");
    code.line(format_args!("return known_load({loads}, {undefined});"));
    let (lines, numbers) = code.finish();
    let function = format!("fn held_load(body: Body, air: vec3<f32>) -> Load {{\n{lines}}}\n");
    (([&float("FOOT", FOOT), &float("POUND", POUND), AIRFRAME, &function].concat(), numbers), left)
}

/// What code with tables needs beside it: their numbers, and how they are looked up.
pub(in crate::gpu) fn tables() -> String {
    "@group(0) @binding(10) var<storage, read> curves: array<f32>;\n".to_owned() + &functions()
}

/// The source of the wind of a job's tables, whose numbers are appended.
pub(in crate::gpu) fn wind_source(weather: &Weather, numbers: &mut Vec<f32>) -> String {
    let Weather { standard_atmosphere: _, profile, history } = weather;
    let mut source = format!("const WIND_TABLES: bool = {};\n", profile.is_some() || history.is_some());
    let mut lines = String::new();
    for (table, point) in [(profile, "height"), (history, "time")] {
        let Some(table) = table else { continue };
        let parts: [String; 3] = std::array::from_fn(|axis| {
            let values: Vec<f64> = table.winds().iter().map(|wind| wind[axis]).collect();
            lookup(numbers, table.points(), &values, point)
        });
        lines += &format!("    wind += vec3<f32>({});\n", parts.join(", "));
    }
    source += "fn table_wind(height: f32, time: f32) -> vec3<f32> {\n    var wind = vec3<f32>(0.0);\n";
    source + &lines + "    return wind;\n}\n"
}

/// Numbers of the flight that hold throughout a landing: the air, the mass, and where air forces act.
fn of_landing(airframe: &Airframe) -> Vec<String> {
    // Of air of unit density at 15 °C and a unit of mass, by which those of the landing are multiplied.
    let Atmosphere { density, temperature, pressure, sound } = Atmosphere::of_density(1.0);
    let arm = airframe.description().air_forces.reference_point;
    let of_unit = Flight { density, temperature, pressure, sound, mass: 1.0, arm, ..Flight::default() };
    let numbers = Airframe::given(&of_unit, of_unit.downwards(), &Commands::default(), 0.0);
    let by = [
        "landing_air_density() * ",
        "landing_sound_ratio() * ",
        "landing_warmth() * ",
        "landing_warmth() * landing_air_density() * ",
        "landing_mass() * ",
        "",
        "",
        "",
    ];
    let numbers = &numbers[CHANGING.len()..][..by.len()];
    by.iter().zip(numbers).map(|(by, number)| format!("{by}f32({number:e})")).collect()
}
