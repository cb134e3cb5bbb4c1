//! The example files are fit for use: they can be read, and a landing as the vehicle's file describes it goes well.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use glam::DVec3;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::import::{RunwayRequest, parse_condition_codes, read_runway, scene_text};
use touchdown::picture::{Mode, Picture, Request, Size, framing_view, palette_color, render};
use touchdown::query::{Input, LandingClass, LandingInputs, LandingJob, LandingOutcome, Weather};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Scene, View};
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::Vehicle;

#[path = "../../examples/boulder_field.rs"]
mod boulder_field;
#[path = "../../examples/own_model.rs"]
mod own_model;
#[path = "../../examples/rays.rs"]
mod rays;
#[path = "../../examples/settling.rs"]
mod settling;
#[path = "../../examples/study_in_memory.rs"]
mod study_in_memory;
#[path = "../../examples/wheels.rs"]
mod wheels;

const STEP: f64 = 0.005;
const EARTH: f64 = 9.80665;
const MOON: f64 = 1.62;

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file)
}

fn nominal_landing(vehicle: &str, scene: &str, gravity: f64) -> LandingOutcome {
    let vehicle = Vehicle::read(&example(vehicle)).unwrap();
    assert_eq!(vehicle.warnings(STEP), Vec::<String>::new());
    let inputs = LandingInputs::nominal(&vehicle);
    let scene = Scene::read(&example(scene)).unwrap();
    let job = LandingJob { vehicle, scene, weather: Weather::default(), gravity, step: STEP, time_limit: 120.0 };
    let outcome = Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap().remove(0);
    assert_eq!(outcome.class, LandingClass::Stopped);
    outcome
}

/// Ground roll [m], from the touchdown of the main wheels to the stop of the centre of gravity.
fn ground_roll(outcome: &LandingOutcome) -> f64 {
    outcome.stop.unwrap().distance
}

#[test]
fn a_cessna_stops_on_a_short_wet_runway() {
    let outcome = nominal_landing("aircraft/c172.toml", "scenes/ybcg17_wet.toml", EARTH);
    // The handbook rolls 160 to 175 m with hard braking on a dry runway; ours brakes moderately on a wet one.
    assert!((170.0..300.0).contains(&ground_roll(&outcome)), "{}", ground_roll(&outcome));
}

#[test]
fn a_boeing_stops_at_the_rate_of_its_automatic_brakes() {
    let outcome = nominal_landing("aircraft/b737.toml", "scenes/lszh14_wet.toml", EARTH);
    // From 63 m/s at 2.2 m/s2: 900 m, and up to 1.5 s of free rolling.
    assert!((900.0..1010.0).contains(&ground_roll(&outcome)), "{}", ground_roll(&outcome));
}

#[test]
fn a_lander_settles_where_it_came_down() {
    let outcome = nominal_landing("aircraft/lander.toml", "scenes/boulders.toml", MOON);
    assert!(outcome.stop.unwrap().point.abs() < 1.0);
}

const STUDIES: [&str; 4] = ["c172_wet_runway.toml", "737_crosswind.toml", "lander_boulders.toml", TURBULENT];
/// Other steps meet other gusts there.
const TURBULENT: &str = "autoland_737.toml";

fn first_landings(study: &LandingStudy, step: f64, count: u64) -> Vec<LandingOutcome> {
    let inputs: Vec<LandingInputs> = (0..count).map(|landing| study.landing_inputs(landing)).collect();
    let job = LandingJob { step, ..study.job.clone() };
    Reference::new(0).unwrap().landings(&job, &inputs).unwrap()
}

#[test]
fn example_studies_can_be_read_and_their_landings_are_valid() {
    for name in STUDIES {
        let study = LandingStudy::of(Study::read(&example(name)).unwrap()).unwrap();
        assert!(study.study.criteria.len() >= 2, "{name} shows what criteria are for");
        let outcomes = first_landings(&study, study.job.step, 50);
        assert!(outcomes.iter().all(|outcome| outcome.class != LandingClass::Invalid), "{name}");
        let stopped = outcomes.iter().filter(|outcome| outcome.class == LandingClass::Stopped).count();
        assert!(stopped >= 45, "{name}: only {stopped} of 50 stopped");
    }
}

/// Where a vehicle comes to rest, measured from where it started: also fit for one that comes straight down.
fn way(inputs: &LandingInputs, outcome: &LandingOutcome) -> Option<f64> {
    Some(outcome.stop?.point - inputs.get(Input::StartDistance))
}

#[test]
fn half_the_step_changes_the_mean_stopping_distance_by_less_than_half_a_percent() {
    const LANDINGS: u64 = 300;
    for name in STUDIES.into_iter().filter(|&name| name != TURBULENT) {
        let study = LandingStudy::of(Study::read(&example(name)).unwrap()).unwrap();
        let whole = first_landings(&study, study.job.step, LANDINGS);
        let half = first_landings(&study, 0.5 * study.job.step, LANDINGS);
        // The same landings on both sides: those that stop with either step.
        let ways: Vec<(f64, f64)> = (0..LANDINGS)
            .zip(whole.iter().zip(&half))
            .filter_map(|(landing, (whole, half))| {
                let inputs = study.landing_inputs(landing);
                Some((way(&inputs, whole)?, way(&inputs, half)?))
            })
            .collect();
        assert!(ways.len() > 250, "{name}: {} of {LANDINGS} landings stop", ways.len());
        let mean = |pick: fn(&(f64, f64)) -> f64| ways.iter().map(pick).sum::<f64>() / ways.len() as f64;
        let (whole, half) = (mean(|way| way.0.abs()), mean(|way| way.1.abs()));
        let change = (half / whole - 1.0).abs();
        println!("{name}: mean way to the stop {whole:.3} m, {half:.3} m with half the step: {:.3} %", 100.0 * change);
        assert!(change < 0.005, "{name}: {:.3} %", 100.0 * change);
    }
}

/// A landing with full brakes from the first second on, on a long runway of one condition code.
fn hard_braking(vehicle: &str, code: &str, pedal: f64) -> f64 {
    let vehicle = Vehicle::read(&example(vehicle)).unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/runways.csv");
    let request = RunwayRequest {
        airport: "LSZH".to_owned(),
        runway: "16".to_owned(),
        condition_codes: parse_condition_codes(code).unwrap(),
        tyre_pressure: if vehicle.mass > 10_000.0 { 1.0e6 } else { 2.4e5 },
        house: false,
    };
    let (text, _) = scene_text(&read_runway(&data, "LSZH", "16").unwrap(), &request);
    let scene = Scene::from_document(&Document::parse("generated.toml", &text).unwrap()).unwrap();
    let mut inputs = LandingInputs::nominal(&vehicle);
    inputs.set(Input::BrakeLevel, pedal);
    inputs.set(Input::TargetDeceleration, 0.0);
    inputs.set(Input::BrakeDelay, 0.5);
    inputs.set(Input::ReverseLevel, 0.0);
    let job = LandingJob { vehicle, scene, weather: Weather::default(), gravity: EARTH, step: STEP, time_limit: 120.0 };
    ground_roll(&Reference::new(1).unwrap().landings(&job, &[inputs]).unwrap()[0])
}

#[test]
fn ground_rolls_stand_beside_published_figures() {
    let feet = |distance: f64| distance / 0.3048;
    // Dry ground rolls at sea level as commonly quoted, not checked against the documents themselves: handbooks of the
    // Cessna 172N to S, 520 to 575 ft; Boeing 737-100/-200, 2,500 to 3,300 ft. A wet runway is commonly taken as up to
    // the 1.67 times of the operating rules' factors and more.
    let cases = [("aircraft/c172.toml", 0.6, 520.0, 575.0), ("aircraft/b737.toml", 1.0, 2500.0, 3300.0)];
    for (vehicle, pedal, least, most) in cases {
        let (dry, wet) = (feet(hard_braking(vehicle, "6/6/6", pedal)), feet(hard_braking(vehicle, "5/5/5", pedal)));
        println!(
            "{vehicle}: dry {dry:.0} ft (published {least:.0} to {most:.0} ft), wet {wet:.0} ft: {:.2} times",
            wet / dry
        );
        assert!(dry > 0.75 * least && dry < 1.25 * most, "{vehicle}: {dry} ft");
        assert!((1.02..2.5).contains(&(wet / dry)), "{vehicle}: wet is {} times dry", wet / dry);
    }
}

fn small_picture(scene: &Scene, view: View, mode: Mode) -> Picture {
    let size = Size { width: 120, height: 90 };
    let request = Request { title: String::new(), view, size, mode, samples: 1 };
    render(&Reference::new(0).unwrap(), scene, &request, &mut |_| {}).unwrap()
}

#[test]
fn every_example_scene_has_a_picture() {
    // How many materials the usual view shows.
    for (name, materials) in [
        ("airport", 10),
        ("boulder_field", 2),
        ("boulders", 2),
        ("frigate_deck", 8),
        ("lszh14_wet", 3),
        ("ybcg17_wet", 3),
    ] {
        let scene = Scene::read(&example(&format!("scenes/{name}.toml"))).unwrap();
        let view = framing_view(&scene, Size { width: 120, height: 90 });
        for (mode, least) in [(Mode::Materials, materials), (Mode::Shaded, 20), (Mode::Depth, 20)] {
            let picture = small_picture(&scene, view, mode);
            let colors: BTreeSet<_> = (0..90)
                .flat_map(|row| (0..120).filter_map(|column| picture.pixel(column, row)).collect::<Vec<_>>())
                .collect();
            assert!(colors.len() >= least, "{name}, {mode:?}: {} colours", colors.len());
        }
    }
}

#[test]
fn what_lies_at_known_places_of_the_examples_is_what_it_should_be() {
    for (name, places) in [
        (
            "airport",
            &[
                ([21.0, 3.0], "white_paint"),
                ([21.0, 1.2], "asphalt"),
                ([550.0, 5.0], "rubber"),
                ([1300.0, 8.0], "wet_asphalt"),
                ([1000.0, 95.0], "yellow_paint"),
                ([1000.0, 99.0], "taxiway"),
                ([1000.0, 50.0], "grass"),
                ([900.0, 180.0], "concrete"),
                ([585.0, 243.0], "metal"),
                ([500.0, 150.0], "yellow_paint"),
            ][..],
        ),
        (
            "frigate_deck",
            &[
                ([0.5, 0.5], "grid"),
                ([4.0, 0.0], "yellow_paint"),
                ([3.0, 1.5], "deck"),
                ([-8.0, 0.0], "white_paint"),
                ([30.0, 0.0], "hull"),
                ([0.0, 9.0], "net"),
                ([0.0, 20.0], "sea"),
                ([62.0, 4.6], "dome"),
            ][..],
        ),
    ] {
        let scene = Scene::read(&example(&format!("scenes/{name}.toml"))).unwrap();
        for &([x, y], material) in places {
            let point = DVec3::new(x, y, 0.0);
            let view = View { from: point + 200.0 * DVec3::Z, at: point, up: DVec3::Y, field_of_view: 0.02 };
            let number = scene.materials().iter().position(|it| it.name == material).unwrap() as u32;
            let pixel = small_picture(&scene, view, Mode::Materials).pixel(60, 45);
            assert_eq!(pixel, Some(palette_color(Some(MaterialId(number)))), "{name} at {x}, {y} is not {material}");
        }
    }
}

#[test]
fn the_field_of_boulders_is_the_one_that_its_generator_writes() {
    let file = std::fs::read_to_string(example("scenes/boulder_field.toml")).unwrap();
    assert!(file == boulder_field::scene(), "run `cargo run --example boulder_field` as the file says");
    let scene = Scene::read(&example("scenes/boulder_field.toml")).unwrap();
    assert_eq!(scene.leaves().len(), 1 + 14 + 2000);
}

#[test]
fn a_soft_square_settles_on_a_plate_that_sways_and_rocks() {
    let told = settling::settle().unwrap();
    let [before, after] = told.speeds;
    println!(
        "{} steps, {} crossings, {} ties, deepest {:.4} m, speeds {before:.3} and {after:.3} m/s, minimum translation {:#b}",
        told.steps, told.crossings, told.ties, told.deepest, told.minimum_translations
    );
    // It comes down at 3.5 m/s, deeper than the middle of the plate, and rests on the upper surface alone; the plate itself
    // moves at 0.3 m/s. Minimum translation would have pushed some masses on through the plate.
    assert!(told.crossings >= 4 && told.ties == 0);
    assert!(before > 3.0 && after < 0.05);
    assert_eq!(told.collisions, settling::UPPER);
    assert_ne!(told.minimum_translations & !settling::UPPER, 0);
    let lowest = told.places.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
    // Springs of 20 kN/m bear 98 N by three masses at least: 1.6 mm, and less than twice that while it sways.
    assert!(told.places.iter().all(|place| place.x.abs() < 1.6) && (lowest - 0.03).abs() < 0.0033, "{lowest}");
    assert!(told.picture.contains("<circle") && told.picture.matches("<polygon").count() == 14);
}

#[test]
fn rays_from_the_apron_see_the_airport_and_the_sky() {
    let seen = rays::look_around().unwrap();
    println!("{seen:?}");
    assert_eq!(seen.values().sum::<usize>(), 720 * 120);
    // Half of the rays rise; hills and buildings stand before some of them.
    assert!((25_000..=43_200).contains(&seen["sky"]) && !seen.contains_key("no material"), "{seen:?}");
    // The apron is of concrete, and most of what lies below the horizon; the grass begins behind it.
    assert!(seen["concrete"] > seen["grass"] && seen["grass"] > seen["asphalt"], "{seen:?}");
}

#[test]
fn a_locked_wheel_is_held_by_the_friction_of_what_it_slides_on() {
    let steps = wheels::roll().unwrap();
    let share = |step: &touchdown::query::WheelStep| -step.force.x / step.force.z;
    // 5 cm of compression at 60 kN/m; it slips within the first metre.
    for step in &steps[1..] {
        assert!((step.force.z - 3000.0).abs() < 1e-6, "{step:?}");
    }
    assert!(steps[10..49].iter().all(|step| (share(step) - 0.7).abs() < 1e-9), "asphalt");
    assert!(steps[55..].iter().all(|step| (share(step) - 0.05).abs() < 1e-9), "ice");
}

#[test]
fn a_study_in_memory_counts_the_hard_touchdowns() {
    let (hard, landings) = study_in_memory::hard_touchdowns().unwrap();
    println!("{hard} of {landings}");
    // The rate at the start, a truncated normal one, is above 1.5 m/s with a probability of 1.4 %; the airplane settles on
    // its own for a moment before it touches.
    assert!(landings == 2000 && (5..100).contains(&hard), "{hard} of {landings}");
}

#[test]
fn a_model_of_ones_own_has_the_probability_of_its_formula() {
    let criterion = own_model::verdict().unwrap().criteria.remove(0);
    // Over speeds v the part of frictions below v^2 / (2 g 250 m).
    let (mean, deviation, steps) = (60.0 * 1852.0 / 3600.0, 3.0 * 1852.0 / 3600.0, 20_000);
    let probability: f64 = (0..steps)
        .map(|step| {
            let z = -8.0 + 16.0 * (f64::from(step) + 0.5) / f64::from(steps);
            let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt() * 16.0 / f64::from(steps);
            let speed: f64 = mean + deviation * z;
            let friction = speed * speed / (2.0 * EARTH * 250.0);
            density * ((friction - 0.2) / 0.2).clamp(0.0, 1.0)
        })
        .sum();
    println!("{probability} in {} to {}", criterion.lower, criterion.upper);
    assert!(criterion.lower < probability && probability < criterion.upper);
}
