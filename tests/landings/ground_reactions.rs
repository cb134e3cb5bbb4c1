//! JSBSim's ground reactions beside JSBSim's own answers (`tests/data/jsbsim/ground_reactions.json.gz`), closed forms, and
//! the native engine's bits.
//!
//! JSBSim's aircraft have licences of their own and are not here. With `TOUCHDOWN_JSBSIM` naming a folder that has them
//! (`aircraft/737/737.xml`; `pip download jsbsim` brings one) they stand, roll, brake, drop and turn beside the tricycle.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use serde_json::Value;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::import::{StructureContacts, jsbsim_vehicle};
use touchdown::model::LandingModel;
use touchdown::native::Native;
use touchdown::query::{
    ClipCase, Input, LandingEvent, LandingInputs, LandingJob, LandingState, LandingStep, Motion, Observer, Weather,
};
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::study::Study;
use touchdown::vehicle::{ContactFriction, GroundReactions, Inertia, Pilot, Vehicle};

use crate::support::air_forces::golden;
use crate::support::landing_jobs::job_with;
use crate::support::random::{Random, test_seed};
use crate::support::tricycle::piloted_tricycle;
use crate::support::{list, number, random_landing, text, vector};

/// JSBSim's usual time step \[s\].
const STEP: f64 = 1.0 / 120.0;

/// A pilot who does nothing but brake, and steer as far as the wheels go where `steers`.
fn pilot(brake: f64, steers: bool) -> Pilot {
    Pilot {
        derotation_rate: 0.0,
        pitch_gain: 0.0,
        pitch_damping: 0.0,
        bank_gain: 0.0,
        roll_damping: 0.0,
        spoiler_delay: 1e3,
        brake_delay: 0.0,
        brake_level: brake,
        target_deceleration: 0.0,
        anti_skid: 0.0,
        reverse_delay: 1e3,
        lateral_gain: 0.0,
        heading_gain: if steers { 1e6 } else { 0.0 },
        yaw_damping: 0.0,
        full_steering_speed: 1e9,
    }
}

const SLIPSTREAM: &str = "prop-induced-velocity_fps\"";
const THRUST_COEFFICIENT: &str = "thrust-coefficient\"";

fn numbers_in(line: &str) -> Vec<f64> {
    let inside = &line[line.find('[').unwrap() + 1..line.find(']').unwrap()];
    inside.split(',').map(|number| number.trim().parse().unwrap()).collect()
}

/// The last thrust coefficient of a propeller whose pitch is fixed.
fn coefficient_at_endless_advance(imported: &str) -> Option<f64> {
    let vehicle: toml::Table = imported.parse().unwrap();
    let table = vehicle["airframe"].get("tables")?.get("thrust_coefficient")?.get("table")?.as_array()?;
    table.last()?.get(1)?.as_float()
}

/// An imported aircraft as it is in the cases: their fuel aboard, engines off, flaps up, and the rudder there.
fn vehicle(root: &Path, case: &Value, rudder: f64, model: GroundReactions) -> Vehicle {
    let (imported, _) = jsbsim_vehicle(&root.join(text(&case["file"])), StructureContacts::Points).unwrap();
    let center = numbers_in(imported.lines().find(|line| line.contains("of JSBSim's frame")).unwrap());
    let loaded = vector(&case["cg_in"]) * 0.0254;
    // What places are moved by in body axes, when the centre of gravity is elsewhere.
    let moved = DVec3::new(loaded.x - center[0], center[1] - loaded.y, loaded.z - center[2]);
    let mut name = String::new();
    let (mut lines, mut still) = (Vec::new(), Vec::new());
    for line in imported.lines() {
        let is_value = line.starts_with("value = ");
        lines.push(match name.as_str() {
            "fcs/flap-cmd-norm" if is_value => "value = 0".to_owned(),
            "fcs/rudder-cmd-norm" | "fcs/steer-cmd-norm" if is_value => format!("value = {rudder:?}"),
            _ if line.starts_with("name = \"engines ") => line.replace("engines ", "engines-off "),
            // An idling propeller would still blow over the tail. One that stands does not, but has its coefficient at an
            // endless advance, from which some aircraft compute what it does to their lift.
            _ if line.starts_with("name = \"propulsion/") && line.ends_with(SLIPSTREAM) => {
                still.push(format!("{} = 0", &line["name = ".len()..]));
                line.replace(SLIPSTREAM, "-off\"")
            }
            _ if line.starts_with("name = \"propulsion/") && line.ends_with(THRUST_COEFFICIENT) => {
                match coefficient_at_endless_advance(&imported) {
                    Some(coefficient) => {
                        still.push(format!("{} = {coefficient:?}", &line["name = ".len()..]));
                        line.replace(THRUST_COEFFICIENT, "-off\"")
                    }
                    None => line.to_owned(),
                }
            }
            _ if line.starts_with("reference_point = ") => {
                let point = DVec3::from_slice(&numbers_in(line)) + moved;
                format!("reference_point = [{:?}, {:?}, {:?}]", point.x, point.y, point.z)
            }
            _ => line.to_owned(),
        });
        if let Some(named) = line.strip_prefix("name = \"") {
            name = named.trim_end_matches('"').to_owned();
        }
    }
    let constants = "[airframe.constants]".to_owned();
    match lines.iter().position(|line| *line == constants) {
        Some(place) => drop(lines.splice(place + 1..=place, still)),
        None => lines.extend(std::iter::once(constants).chain(still)),
    }
    let mut vehicle = Vehicle::from_document(&Document::parse("vehicle.toml", &lines.join("\n")).unwrap()).unwrap();
    let tensor = |row: usize, column: usize| number(&case["J_kgm2"][row][column]);
    vehicle.ground_reactions = model;
    vehicle.mass = number(&case["mass_kg"]);
    vehicle.inertia = Inertia {
        xx: tensor(0, 0),
        yy: tensor(1, 1),
        zz: tensor(2, 2),
        xy: -tensor(0, 1),
        xz: -tensor(0, 2),
        yz: -tensor(1, 2),
    };
    for wheel in &mut vehicle.wheels {
        wheel.position += moved;
        // JSBSim's never break.
        wheel.parameters.z_min -= 2.0;
    }
    vehicle.structure.clear();
    vehicle
}

/// On ground for which the wheels' own friction holds.
fn job(vehicle: Vehicle) -> LandingJob {
    let ground = "default_material = \"ground\"\nscene = { half_space = { normal = [0, 0, 1], offset = 0 } }\n\
                  [materials]\nground = { static_friction = 0.8, dynamic_friction = 0.8 }\n";
    let scene = Scene::from_document(&Document::parse("scene.toml", ground).unwrap()).unwrap();
    LandingJob { vehicle, scene, weather: Weather::default(), gravity: 9.806_65, step: STEP, time_limit: 100.0 }
}

/// A level speed \[m/s\], and a sink rate, at a height of the centre of gravity above the ground \[m\].
struct Start {
    height: f64,
    pitch: f64,
    heading: f64,
    speed: f64,
    sink_rate: f64,
}

fn motion(start: &Start) -> Motion {
    let orientation = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)
        * DQuat::from_rotation_z(start.heading)
        * DQuat::from_rotation_y(start.pitch);
    let (sine, cosine) = start.heading.sin_cos();
    Motion {
        position: DVec3::new(0.0, 0.0, start.height),
        orientation,
        velocity: DVec3::new(start.speed * cosine, -start.speed * sine, -start.sink_rate),
        rate: DVec3::ZERO,
    }
}

/// The states after each step.
fn flown(engine: &dyn Engine, job: &LandingJob, start: &Start, seconds: f64) -> Vec<LandingState> {
    let inputs = LandingInputs::nominal(&job.vehicle);
    let mut state = LandingState::at_start(job, &inputs);
    state.motion = motion(start);
    state.touchdown_step = Some(0);
    let mut states = Vec::new();
    for _ in 0..(seconds / job.step).round() as usize {
        state = engine.step_landings(job, &[(inputs, state)]).unwrap().remove(0);
        states.push(state.clone());
    }
    states
}

/// In per cent.
fn off(found: f64, expected: f64) -> f64 {
    100.0 * (found / expected - 1.0)
}

/// How far an aircraft is from JSBSim's, whose step is that of the first, 1/120 s, and of the second, 1/1920 s.
struct Differences {
    name: String,
    model: GroundReactions,
    /// Height \[mm\] and attitude \[mrad\] at rest.
    stands: [f64; 2],
    /// Ways of rolling freely and with brakes, greatest compressions, greatest force, and radius of the turn \[%\].
    others: [[f64; 2]; 5],
}

fn differences(engine: &dyn Engine, root: &Path, case: &Value, model: GroundReactions) -> Differences {
    let of = |name: &str| number(&case[name]);
    let cases = ["120_hz", "1920_hz"].map(|rate| &case[rate]);
    let seconds = |name: &str| number(&cases[0][name]["seconds"]);
    let mut vehicle_there = vehicle(root, case, 0.0, model);
    let start = |speed: f64, height: f64, sink_rate: f64| Start {
        height: of("h_agl_m") + height,
        pitch: of("theta_rad"),
        heading: 0.0,
        speed,
        sink_rate,
    };
    let mut run = |brake: f64, start: &Start, seconds: f64| {
        vehicle_there.pilot = pilot(brake, false);
        flown(engine, &job(vehicle_there.clone()), start, seconds)
    };

    let rest = run(1.0, &start(0.0, 0.02, 0.0), 30.0).pop().unwrap().motion;
    let leaning = (rest.pitch() - of("theta_rad")).hypot(rest.bank() - of("phi_rad"));
    let free = run(0.0, &start(30.0, 0.0, 0.0), seconds("free")).pop().unwrap().motion.position.x;
    let braked = run(1.0, &start(30.0, 0.0, 0.0), seconds("braked")).pop().unwrap().motion.position.x;
    let dropped = run(0.0, &start(0.0, 0.3, 1.0), seconds("drop"));

    let mut turning = vehicle(root, case, 0.3, model);
    turning.pilot = pilot(1.0, true);
    let steered = list(&cases[0]["turn"]["steering_deg"]).iter().map(number);
    for (wheel, angle) in turning.wheels.iter_mut().zip(steered) {
        wheel.steering = wheel.steering.min(angle.max(0.0).to_radians());
        wheel.brake_friction *= if wheel.position.y < 0.0 { 0.15 } else { 0.0 };
    }
    // The pilot steers to the right as long as the nose is left of the runway: by less than half a turn.
    let to_the_right = number(&cases[0]["turn"]["psi_rad"]);
    let heading = if (1.4..3.0).contains(&to_the_right) { -3.0 } else { -1.5 };
    let turn = Start { heading, ..start(8.0, 0.0, 0.0) };
    let turned = flown(engine, &job(turning), &turn, seconds("turn"));
    let half = &turned[turned.len() / 2 - 1..];
    let way: f64 =
        half.windows(2).map(|pair| (pair[1].motion.position - pair[0].motion.position).truncate().length()).sum();
    let radius = way / (half[half.len() - 1].motion.heading() - half[0].motion.heading()).abs();

    let there = |name: &str, key: &str| cases.map(|case| number(&case[name][key]));
    // Of the wheel that is off the most, among those that are pressed by a millimetre at least.
    let compression = |case: &&Value| {
        let wheels = list(&case["drop"]["peak_compression_m"]).iter().map(number).enumerate();
        wheels
            .filter(|(_, peak)| *peak > 1e-3)
            .map(|(wheel, peak)| {
                let here = dropped.iter().map(|state| state.wheels[wheel].peak_compression).fold(0.0, f64::max);
                off(here, peak)
            })
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
            .unwrap()
    };
    // Of the wheels together: in a drop they point the same way.
    let force =
        dropped.iter().map(|state| state.wheels.iter().map(|wheel| wheel.peak_force).sum::<f64>()).fold(0.0, f64::max);
    Differences {
        name: text(&case["name"]).to_owned(),
        model,
        stands: [1e3 * (rest.position.z - of("h_agl_m")), 1e3 * leaning],
        others: [
            there("free", "x_m").map(|there| off(free, there)),
            there("braked", "x_m").map(|there| off(braked, there)),
            [compression(&cases[0]), compression(&cases[1])],
            there("drop", "peak_force_N").map(|there| off(force, there)),
            there("turn", "radius_m").map(|there| off(radius, there)),
        ],
    }
}

const HEAD: &str = "                          stands          rolls [%]        brakes [%]       compressions [%] force [%]        turns [%]\n\
                    aircraft        model     [mm]  [mrad]    1/120  1/1920    1/120  1/1920    1/120  1/1920    1/120  1/1920    1/120  1/1920 s";

fn print(found: &Differences) {
    let Differences { name, model, stands, others } = found;
    let pairs: Vec<String> = others.iter().map(|[coarse, fine]| format!("{coarse:+7.2} {fine:+7.2}")).collect();
    println!("{name:15} {:6} {:+8.2} {:7.2}   {}", model.name(), stands[0], stands[1], pairs.join("  "));
}

#[test]
fn the_tricycle_stands_rolls_brakes_drops_and_turns_as_in_jsbsim() {
    let data = golden("ground_reactions");
    let case = &list(&data["aircraft"])[0];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim");
    println!("{HEAD}");
    let [found, pebbles] = [GroundReactions::Jsbsim, GroundReactions::Pebble]
        .map(|model| differences(&Reference::new(1).unwrap(), &root, case, model));
    print(&found);
    print(&pebbles);
    let [free, braked, compressions, force, turn] = found.others.map(|[_, fine]| fine.abs());
    assert!(found.stands[0].abs() < 1.0 && found.stands[1] < 0.5, "{:?}", found.stands);
    assert!(free < 0.1 && braked < 0.5 && compressions < 2.0 && force < 2.0 && turn < 1.0, "{:?}", found.others);
}

#[test]
fn jsbsim_s_own_aircraft_stand_roll_brake_drop_and_turn_as_there() {
    let Some(root) = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from) else {
        println!("not compared: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
        return;
    };
    println!("{HEAD}");
    for case in list(&golden("ground_reactions")["aircraft"]).iter().skip(1) {
        for model in [GroundReactions::Jsbsim, GroundReactions::Pebble] {
            print(&differences(&Reference::new(1).unwrap(), &root, case, model));
        }
    }
}

/// The tricycle with friction of its own.
fn tricycle() -> Vehicle {
    let mut vehicle = piloted_tricycle();
    vehicle.ground_reactions = GroundReactions::Jsbsim;
    for wheel in &mut vehicle.wheels {
        wheel.friction = Some(ContactFriction { at_rest: 0.7, moving: 0.5 });
    }
    vehicle
}

#[test]
fn braked_wheels_stop_on_a_slope_and_let_go_where_it_is_steeper_than_their_friction() {
    for (slope, holds) in [(0.3_f64, true), (0.75, false)] {
        let mut vehicle = tricycle();
        vehicle.aerodynamics = None;
        vehicle.pilot = pilot(1.0, false);
        for wheel in &mut vehicle.wheels {
            wheel.brake = 0.0;
            wheel.brake_friction = 0.7 - wheel.parameters.rolling_resistance;
        }
        let mut job = job(vehicle);
        let ground = format!(
            "default_material = \"ground\"\nscene = {{ half_space = {{ normal = [{slope}, 0, 1], offset = 0 }} }}\n\
             [materials]\nground = {{ static_friction = 0.8, dynamic_friction = 0.8 }}\n"
        );
        job.scene = Scene::from_document(&Document::parse("scene.toml", &ground).unwrap()).unwrap();
        let start = Start { height: 1.3, pitch: -slope.atan(), heading: 0.0, speed: 0.0, sink_rate: 0.0 };
        let states = flown(&Reference::new(1).unwrap(), &job, &start, if holds { 30.0 } else { 8.0 });
        let speed = states[states.len() - 1].motion.velocity.length();
        println!("slope {slope}: {speed:.2e} m/s at the end");
        // JSBSim's own aircraft that stand still move at up to 8e-6 m/s.
        assert_eq!(speed < 1e-5, holds, "{speed} m/s");
        if !holds {
            // Coulomb: g (sin - mu cos) along the slope, once the wheels have settled.
            let (sine, cosine) = slope.atan().sin_cos();
            let before = states[states.len() - 121].motion.velocity.length();
            let expected = job.gravity * (sine - 0.7 * cosine);
            assert!((speed - before - expected).abs() < 0.02 * expected, "{} {expected}", speed - before);
        }
    }
}

/// Everything an observer hears, with its times.
#[derive(Debug, Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(format!("{step:?}"));
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        self.0.push(format!("{time} {event:?}"));
    }
}

/// A random job whose wheels have friction of their own.
fn random_job(random: &mut Random) -> LandingJob {
    let mut job = random_landing::job(random);
    job.vehicle.ground_reactions = GroundReactions::Jsbsim;
    for wheel in &mut job.vehicle.wheels {
        wheel.friction = Some(ContactFriction { at_rest: random.between(0.1, 1.0), moving: random.between(0.1, 1.0) });
    }
    job
}

#[test]
fn one_native_step_from_any_state_has_the_references_bits() {
    const JOBS: u64 = 200;
    let (native, reference) = (Native::new(2).unwrap(), Reference::new(2).unwrap());
    let mut cases = [0usize; ClipCase::ALL.len()];
    for number in 0..JOBS {
        let mut random = Random::new(test_seed(), 5000 + number);
        let job = random_job(&mut random);
        let items: Vec<_> = (0..1 + random.index(30))
            .map(|_| (random_landing::inputs(&mut random, &job.vehicle), random_landing::state(&mut random, &job)))
            .collect();
        let expected = reference.step_landings(&job, &items).unwrap();
        let found = native.step_landings(&job, &items).unwrap();
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "job {number}, item {index}");
        }
        for step in expected.iter().flat_map(|state| &state.wheels) {
            cases[(step.clip_case as i8 - ClipCase::NotComputed as i8) as usize] += 1;
        }
    }
    println!("wheels by clip case from {:?} on: {cases:?}", ClipCase::NotComputed);
    // Random wheels slip: both limits of friction hold. Those that roll and stand are in whole landings.
    assert!(cases[(ClipCase::Corner as i8 - ClipCase::NotComputed as i8) as usize] > 500);
}

#[test]
fn native_landings_have_the_references_bits() {
    let (native, reference) = (Native::new(2).unwrap(), Reference::new(2).unwrap());
    for number in 0..60 {
        let mut random = Random::new(test_seed(), 6000 + number);
        let job = LandingJob { time_limit: 5.0, ..random_job(&mut random) };
        let inputs: Vec<_> =
            (0..1 + random.index(12)).map(|_| random_landing::inputs(&mut random, &job.vehicle)).collect();
        let expected = reference.landings(&job, &inputs).unwrap();
        let found = native.landings(&job, &inputs).unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "job {number}");
        let (mut seen, mut heard) = (Log::default(), Log::default());
        native.trace_landing(&job, &inputs[0], &mut seen).unwrap();
        reference.trace_landing(&job, &inputs[0], &mut heard).unwrap();
        assert!(seen.0 == heard.0, "trace of job {number}");
    }
    let job = job_with(tricycle(), []);
    let mut random = Random::new(test_seed(), 6999);
    let inputs: Vec<LandingInputs> = (0..40)
        .map(|_| {
            let mut inputs = LandingInputs::nominal(&job.vehicle);
            for (input, low, high) in [
                (Input::SinkRate, 0.1, 3.0),
                (Input::LateralOffset, -8.0, 8.0),
                (Input::Crosswind, -6.0, 6.0),
                (Input::FrictionScale, 0.3, 1.1),
            ] {
                inputs.set(input, random.between(low, high));
            }
            inputs
        })
        .collect();
    let expected = reference.landings(&job, &inputs).unwrap();
    let stopped = expected.iter().filter(|outcome| outcome.stop.is_some()).count();
    println!("{stopped} of {} landings stop", inputs.len());
    assert!(stopped > 10);
    assert_eq!(format!("{:?}", native.landings(&job, &inputs).unwrap()), format!("{expected:?}"));
}

#[test]
fn the_key_selects_the_model_and_needs_friction_of_every_wheel() {
    let example = |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let aircraft = example("examples/aircraft/c172.toml");
    let read = |text: &str| Vehicle::from_document(&Document::parse("c172.toml", text).unwrap());
    assert_eq!(read(&aircraft).unwrap().ground_reactions, GroundReactions::Pebble);
    let chosen = "ground_reactions = \"jsbsim\"\n".to_owned() + &aircraft;
    let lacking = read(&chosen).unwrap_err().to_string();
    assert!(lacking.starts_with("c172.toml:1") && lacking.contains("`static_friction` of every wheel"), "{lacking}");
    let complete = aircraft.replace("\nd_z = ", "\nstatic_friction = 0.7\nd_z = ");
    assert_eq!(read(&complete).unwrap().ground_reactions, GroundReactions::Pebble);
    let with_friction = read(&("ground_reactions = \"jsbsim\"\n".to_owned() + &complete)).unwrap();
    let own = Some(ContactFriction { at_rest: 0.7, moving: 0.7 });
    assert!(with_friction.wheels.iter().all(|wheel| wheel.friction == own));
    let other = read(&("ground_reactions = \"bullet\"\n".to_owned() + &complete)).unwrap_err().to_string();
    assert!(other.contains("pebble") && other.contains("jsbsim"), "{other}");
    let moving = aircraft.replacen("\nd_z = ", "\ndynamic_friction = 0.7\nd_z = ", 1);
    assert!(read(&moving).unwrap_err().to_string().contains("`static_friction` beside it"));

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c172.toml"), complete).unwrap();
    std::fs::write(folder.path().join("scene.toml"), example("examples/scenes/ybcg17_wet.toml")).unwrap();
    let study = |key: &str| {
        let path = folder.path().join("study.toml");
        std::fs::write(
            &path,
            format!("vehicle = \"c172.toml\"\nscene = \"scene.toml\"\nlandings = 1\nseed = 1\n{key}"),
        )
        .unwrap();
        Study::read(&path).unwrap()
    };
    let model_of = |study: &Study| study.model.downcast::<LandingModel>().unwrap().job().vehicle.ground_reactions;
    assert_eq!(model_of(&study("")), GroundReactions::Pebble);
    assert_eq!(model_of(&study("ground_reactions = \"jsbsim\"\n")), GroundReactions::Jsbsim);
}
