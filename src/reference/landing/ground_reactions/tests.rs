//! JSBSim's gear against JSBSim's own answers: `tests/data/jsbsim/gear.json.gz`.
//!
//! JSBSim's aircraft have licences of their own and are not here. With `TOUCHDOWN_JSBSIM` naming a folder that has them
//! (`aircraft/737/737.xml`; `pip download jsbsim` brings one) they stand, drop, roll, brake and turn as they do there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Read;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3};
use serde_json::Value;

use super::super::{Landing, Landings};
use super::{Body, Controls};
use crate::document::Document;
use crate::import::jsbsim_vehicle;
use crate::query::{Input, LandingInputs, LandingJob, LandingState, Motion, orientation};
use crate::scene::Scene;
use crate::vehicle::{GroundReactions, Inertia, Surfaces, Vehicle};

/// JSBSim's time step in these cases \[s\].
const STEP: f64 = 1.0 / 120.0;

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim").join(format!("{name}.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A number of a column at a sample; a column of one stands for all.
fn at(column: &Value, sample: usize) -> f64 {
    match column {
        Value::Array(all) if all.len() == 1 => all[0].as_f64().unwrap(),
        Value::Array(all) => all[sample].as_f64().unwrap(),
        one => one.as_f64().unwrap(),
    }
}

fn vector(value: &Value) -> DVec3 {
    DVec3::new(at(&value[0], 0), at(&value[1], 0), at(&value[2], 0))
}

/// An imported aircraft as it is in the cases: their fuel aboard, its engines off, flaps up, and the rudder there.
fn vehicle(root: &Path, case: &Value, rudder: f64) -> Vehicle {
    let (text, _) = jsbsim_vehicle(&root.join(case["file"].as_str().unwrap())).unwrap();
    let center = text.lines().find(|line| line.contains("of JSBSim's frame")).unwrap();
    let center: Vec<f64> = center[center.find('[').unwrap() + 1..center.find(']').unwrap()]
        .split(',')
        .map(|number| number.trim().parse().unwrap())
        .collect();
    let loaded = vector(&case["cg_in"]) * 0.0254;
    // A place in body axes, when the centre of gravity is elsewhere.
    let moved = DVec3::new(loaded.x - center[0], center[1] - loaded.y, loaded.z - center[2]);
    let mut command = "";
    let mut lines = Vec::new();
    for line in text.lines() {
        let set = |value: f64| format!("value = {value:?}");
        lines.push(match (command, line) {
            ("fcs/flap-cmd-norm", line) if line.starts_with("value") => set(0.0),
            ("fcs/rudder-cmd-norm" | "fcs/steer-cmd-norm", line) if line.starts_with("value") => set(rudder),
            (_, line) if line.starts_with("name = \"engines ") => line.replace("engines ", "engines-off "),
            (_, line) if line.starts_with("reference_point = ") => {
                let point: Vec<f64> = line[line.find('[').unwrap() + 1..line.find(']').unwrap()]
                    .split(',')
                    .map(|number| number.trim().parse().unwrap())
                    .collect();
                let point = DVec3::new(point[0], point[1], point[2]) + moved;
                format!("reference_point = [{:?}, {:?}, {:?}]", point.x, point.y, point.z)
            }
            _ => line.to_owned(),
        });
        command = line.strip_prefix("name = \"").map_or(command, |name| name.trim_end_matches('"'));
    }
    let mut vehicle = Vehicle::from_document(&Document::parse("vehicle.toml", &lines.join("\n")).unwrap()).unwrap();
    vehicle.ground_reactions = GroundReactions::Jsbsim;
    vehicle.mass = at(&case["mass_kg"], 0);
    let tensor = &case["J_kgm2"];
    let of = |row: usize, column: usize| at(&tensor[row][column], 0);
    vehicle.inertia = Inertia { xx: of(0, 0), yy: of(1, 1), zz: of(2, 2), xy: -of(0, 1), xz: -of(0, 2), yz: -of(1, 2) };
    for wheel in &mut vehicle.wheels {
        wheel.position += moved;
    }
    vehicle.structure.clear();
    vehicle
}

fn job(vehicle: Vehicle) -> LandingJob {
    let ground = "default_material = \"ground\"\nscene = { half_space = { normal = [0, 0, 1], offset = 0 } }\n\
                  [materials]\nground = { static_friction = 0.8, dynamic_friction = 0.8 }\n";
    let scene = Scene::from_document(&Document::parse("scene.toml", ground).unwrap()).unwrap();
    LandingJob { vehicle, scene, gravity: 9.806_65, step: STEP, time_limit: 100.0 }
}

/// A pose and motion of a case: north, east and height there are forward, right and up here.
fn motion(case: &Value, sample: usize) -> Motion {
    let of = |name: &str| at(&case[name], sample);
    let orientation = orientation(of("psi_rad"), of("theta_rad"), of("phi_rad"));
    Motion {
        position: DVec3::new(of("x_m"), -of("y_m"), of("h_agl_m")),
        orientation,
        velocity: orientation * DVec3::new(of("u_mps"), of("v_mps"), of("w_mps")),
        rate: DVec3::new(of("p_rps"), of("q_rps"), of("r_rps")),
    }
}

/// What a vehicle does from a motion on: its motions and its wheels' compressions \[m\] at the samples' times.
fn flown(
    job: &LandingJob,
    start: Motion,
    brake: f64,
    steering: f64,
    hz: usize,
    samples: usize,
) -> Vec<(Motion, Vec<f64>)> {
    let shared = Landings::new(job);
    let inputs = LandingInputs::nominal(&job.vehicle);
    let mut state = LandingState::at_start(job, &inputs);
    state.motion = start;
    state.touchdown_step = Some(0);
    let mut landing = Landing::new(&shared, &inputs, state);
    let controls = Controls {
        surfaces: Surfaces { elevator: 0.0, aileron: 0.0, rudder: 0.0, spoilers: 0.0 },
        steering: 10.0,
        steering_authority: steering,
        brake,
        thrust: 0.0,
    };
    let mut seen = Vec::new();
    for frame in 0..=(samples - 1) * 120 / hz {
        if frame > 0 {
            let before = Body::new(landing.state.motion);
            let middle = before.ahead(0.5 * STEP, &landing.state.acceleration);
            let held = landing.held_load(&middle, DVec3::ZERO, &controls);
            landing.state.motion = landing.advance_on_contacts(&before, &middle, held, &controls).motion;
            landing.state.step += 1;
        }
        if frame % (120 / hz) == 0 {
            let compressions = landing.state.wheels.iter().map(|wheel| wheel.peak_compression).collect();
            seen.push((landing.state.motion, compressions));
        }
    }
    seen
}

fn samples(case: &Value) -> (usize, usize) {
    (case["hz"].as_u64().unwrap() as usize, case["x_m"].as_array().unwrap().len())
}

/// Greatest compression of the wheels over the samples \[m\], one after another.
fn peaks(case: &Value, wheels: usize) -> Vec<f64> {
    let (_, count) = samples(case);
    (0..wheels)
        .map(|wheel| {
            let name = if wheel == 0 { "gear/unit".to_owned() } else { format!("gear/unit[{wheel}]") };
            let column = &case[format!("{name}/compression_m")];
            (0..count).map(|sample| if column.is_null() { 0.0 } else { at(column, sample) }).fold(0.0, f64::max)
        })
        .collect()
}

fn heading_of(motion: &Motion) -> f64 {
    DMat3::from_quat(motion.orientation).x_axis.truncate().to_angle()
}

#[test]
fn aircraft_stand_drop_roll_brake_and_turn_as_in_jsbsim() {
    let Some(root) = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from) else {
        println!("not compared: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
        return;
    };
    println!(
        "aircraft         stands [mm] [mrad]   rolls [%]  brakes [%]   drops, greatest compressions [%]   turns, radius [%]"
    );
    for case in golden("gear")["aircraft"].as_array().unwrap() {
        let straight = job(vehicle(&root, case, 0.0));
        let wheels = straight.vehicle.wheels.len();

        // From 5 cm above, brakes set.
        let standing = &case["standing"];
        let [height, pitch, bank] = ["h_agl_m", "theta_rad", "phi_rad"].map(|name| at(&standing[name], 0));
        let above = Motion {
            position: DVec3::new(0.0, 0.0, height + 0.05),
            orientation: orientation(0.0, pitch, bank),
            velocity: DVec3::ZERO,
            rate: DVec3::ZERO,
        };
        let (settled, _) = flown(&straight, above, 1.0, 0.0, 1, 31).pop().unwrap();
        let off = 1e3 * (settled.position.z - height);
        let turned = 1e3 * (settled.pitch() - pitch).hypot(settled.bank() - bank);

        let rolled = ["roll_free", "roll_braked"].map(|name| {
            let case = &case[name];
            let (hz, count) = samples(case);
            let brake = if name == "roll_braked" { 1.0 } else { 0.0 };
            let way = flown(&straight, motion(case, 0), brake, 0.0, hz, count);
            let distance = at(&case["distance_m"], 0);
            100.0 * (way[count - 1].0.position.x / distance - 1.0)
        });

        let drop = &case["drop"];
        let (hz, count) = samples(drop);
        // Greatest between the samples too.
        let dropped = flown(&straight, motion(drop, 0), 0.0, 0.0, hz, count);
        let there = peaks(drop, wheels);
        let drops: Vec<String> = (0..wheels)
            .filter(|&wheel| there[wheel] > 0.0)
            .map(|wheel| {
                let here = dropped.iter().map(|(_, compressions)| compressions[wheel]).fold(0.0, f64::max);
                format!("{:+.1}", 100.0 * (here / there[wheel] - 1.0))
            })
            .collect();

        let turn = &case["turn"];
        let (hz, count) = samples(turn);
        let mut turning = vehicle(&root, case, 0.3);
        for wheel in &mut turning.wheels {
            wheel.brake_friction *= if wheel.position.y < 0.0 { 0.15 } else { 0.0 };
        }
        let turning = job(turning);
        let way = flown(&turning, motion(turn, 0), 1.0, 0.3, hz, count);
        // Over the last half: way over change of heading.
        let radius = |motions: &[Motion]| {
            let half = &motions[motions.len() / 2..];
            let length: f64 = half.windows(2).map(|pair| (pair[1].position - pair[0].position).length()).sum();
            length / (heading_of(&half[half.len() - 1]) - heading_of(&half[0])).abs()
        };
        let there: Vec<Motion> = (0..count).map(|sample| motion(turn, sample)).collect();
        let here: Vec<Motion> = way.iter().map(|(motion, _)| *motion).collect();
        println!(
            "{:15}  {off:+8.3} {turned:8.3}   {:+8.2}  {:+8.2}     {:32}   {:.1} m: {:+.2}",
            case["name"].as_str().unwrap(),
            rolled[0],
            rolled[1],
            drops.join(" "),
            radius(&there),
            100.0 * (radius(&here) / radius(&there) - 1.0)
        );
    }
}
