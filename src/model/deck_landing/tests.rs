//! Landings on decks as studies.

use std::path::{Path, PathBuf};

use glam::DVec2;
use rayon::prelude::*;

use super::*;
use crate::deck::{EnergyBalance, Moment, Tally, judge};
use crate::native::Native;
use crate::reference::Reference;
use crate::study::Study;

pub(super) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

#[test]
fn landings_on_the_frigate_end_in_several_ways_and_engines_agree() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let inputs: Vec<Inputs> = (0..24).map(|trial| study.inputs_of(trial)).collect();
    let outcomes = study.model.outcomes(&Native::new(2).unwrap(), &inputs).unwrap();
    assert_eq!(outcomes, study.model.outcomes(&Reference::new(1).unwrap(), &inputs).unwrap());
    for outcome in &outcomes {
        let of = |name: &str| outcome.quantities[study.model.quantity_named(name).unwrap()].unwrap_or(f64::NAN);
        println!(
            "{:13} touchdown {:.2} m/s, peak {:6.0} N, bounces {}, slide {:.3} m, roll {:.2} deg, stress {:.2}",
            CLASSES[outcome.class].name,
            of("touchdown_speed"),
            of("peak_load"),
            of("bounces"),
            of("slide_distance"),
            of("largest_roll").to_degrees(),
            of("stress_ratio")
        );
        assert!(outcome.class != crate::model::INVALID && of("touchdown_speed") > 0.0);
        // At rest each skid carries half the weight.
        assert!(of("peak_load") > 0.4 * 0.85 * 2250.0 * 9.8);
    }
    assert!(outcomes.iter().any(|outcome| CLASSES[outcome.class].name == "safe"));
}

#[test]
fn a_tenth_of_a_second_without_contact_is_a_bounce_wherever_it_begins() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let landing = &study.model.downcast::<DeckLandingModel>().unwrap().landing;
    let steps = landing.bounce_steps();
    assert_eq!((landing.step, steps), (1e-3, 100));
    let initiators = landing.gear.initiators.len();
    let ended = |begin: u32, free: u32| {
        let mut tally = Tally::new(landing);
        for number in 0..begin + free {
            let load = (number < begin).then_some(1.0);
            let moment = Moment {
                time: f64::from(number) * landing.step,
                loads: vec![load; initiators],
                onto: vec![0.0; initiators],
                places: vec![DVec2::ZERO; initiators],
                ..Moment::default()
            };
            assert!(!tally.look(landing, 1.0, &moment));
        }
        let outcome = tally.finish(landing, true);
        (outcome.bounces, outcome.class)
    };
    for begin in 1..1000 {
        assert_eq!(ended(begin, steps - 1).0, 0, "{begin}");
        assert_eq!(ended(begin, steps), (1, DeckClass::Airborne), "{begin}");
    }
}

/// Steep enough a deck, by a record of one that stands still.
#[test]
fn what_still_slides_at_the_end_is_not_safe() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let model = study.model.downcast::<DeckLandingModel>().unwrap();
    let slope = 0.2_f64;
    let class_of = |friction: f64| {
        let mut inputs = study.inputs_of(0);
        inputs.values = study.model.nominal();
        let values = [("sink_rate", 0.1), ("roll", slope), ("lateral_offset", 6.0), ("friction", friction)];
        for (name, value) in values {
            inputs.values[study.model.inputs().iter().position(|input| input.name == name).unwrap()] = value;
        }
        let still = ShipMotion::Record(1.0, vec![[0.0, 0.0, slope]; 8]);
        let model = DeckLandingModel {
            motion: still,
            landing: DeckLanding { clearance: 0.01, steps: 3000, ..model.landing.clone() },
            ..model.clone()
        };
        let outcome = &model.outcomes(&Native::new(1).unwrap(), &[inputs]).unwrap()[0];
        let of = |name: &str| outcome.quantities[study.model.quantity_named(name).unwrap()].unwrap();
        println!("friction {friction}: {} at {} m/s", CLASSES[outcome.class].name, of("sliding_speed"));
        (CLASSES[outcome.class].name, of("sliding_speed"), of("touchdown_time"))
    };
    let (class, speed, _) = class_of(0.6);
    assert_eq!((class, speed), ("safe", 0.0));
    let (class, speed, touchdown) = class_of(0.15);
    // Gravity draws it down the slope all the time; friction holds it from touchdown on, less while the lift fades with 0.5 s. By the
    // middle of the last 0.1 s.
    let expected = 9.806_65 * (slope.sin() * 2.95 - 0.15 * slope.cos() * (2.95 - touchdown - 0.5));
    assert_eq!(class, "sliding");
    assert!((speed / expected - 1.0).abs() < 0.02, "{speed} m/s for {expected} m/s");
}

/// In the longest waves of the table, of 1.5 km: they go as exp(i w t), from astern and from port.
#[test]
fn the_frigate_moves_in_long_waves_as_water_does() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let ShipMotion::Responses(responses) = &study.model.downcast::<DeckLandingModel>().unwrap().motion else {
        unreachable!("the frigate has responses")
    };
    let frequency = responses.frequencies[0];
    let number = frequency * frequency / 9.806_65;
    let [astern, port, ahead] = [0.0, 0.5, 1.0].map(|turn| responses.at(0.0, turn * std::f64::consts::PI, frequency));
    let is_near = |found: f64, expected: f64, share: f64| (found - expected).abs() < share * expected.abs();
    for motions in [astern, port, ahead] {
        assert!(is_near(motions[1][0], 1.0, 0.05), "heave {motions:?}");
    }
    // Its deck is 50 m behind the middle.
    assert!(
        is_near(astern[1][1], 50.0 * number, 0.05) && is_near(ahead[1][1], -50.0 * number, 0.05),
        "{astern:?} {ahead:?}"
    );
    assert!(is_near(port[0][1], -1.0, 0.05), "sway {port:?}");
    // A little more than the slope of the water, short of resonance.
    assert!(is_near(port[2][1], -number, 0.15), "roll {port:?}");
}

#[test]
fn the_speed_at_touchdown_is_that_of_its_time() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let mut inputs = study.inputs_of(0);
    inputs.values = study.model.nominal();
    for (name, value) in [("sea_state", 0.0), ("lift", 0.0), ("sink_rate", 0.5)] {
        inputs.values[study.model.inputs().iter().position(|input| input.name == name).unwrap()] = value;
    }
    let outcome = &study.model.outcomes(&Native::new(1).unwrap(), &[inputs]).unwrap()[0];
    let [speed, time] = ["touchdown_speed", "touchdown_time"]
        .map(|name| outcome.quantities[study.model.quantity_named(name).unwrap()].unwrap());
    println!("{speed} m/s after {time} s");
    assert!((speed - (0.5 + 9.806_65 * time)).abs() < 1e-9 && time > 0.1);
}

#[test]
fn a_ship_faster_than_its_table_of_responses_is_doubtful() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let doubt = |speed: f64| {
        let mut inputs = study.inputs_of(0);
        inputs.values[study.model.inputs().iter().position(|input| input.name == "ship_speed").unwrap()] = speed;
        study.model.doubt(&inputs)
    };
    assert_eq!([doubt(0.0), doubt(10.0)], [None, None]);
    assert!(doubt(10.1).unwrap().contains("known from 0 to 10 m/s"));
}

fn outcomes(study: &Study, trials: std::ops::Range<u64>) -> Vec<(u64, DeckOutcome, DeckOutcome, EnergyBalance)> {
    let model: &DeckLandingModel = study.model.downcast().unwrap();
    let both = |trial: u64| {
        let start = model.start(&study.inputs_of(trial));
        let (judged, balance) = judge(model.landing(), &start, 1e-6).unwrap();
        (trial, run(model.landing(), &start, &mut |_, _| {}), judged, balance)
    };
    trials.into_par_iter().map(both).collect()
}

fn compared(study: &Study, trials: std::ops::Range<u64>, allowed: usize) {
    let count = trials.end - trials.start;
    let outcomes = outcomes(study, trials);
    let mut differ = 0;
    let (mut gap, mut stress, mut roll) = (0.0_f64, Vec::new(), Vec::new());
    for (trial, stepped, judged, balance) in &outcomes {
        gap = gap.max(balance.gap().abs());
        stress.push((stepped.stress / judged.stress - 1.0).abs());
        roll.push((stepped.largest_roll - judged.largest_roll).abs());
        if stepped.class != judged.class {
            differ += 1;
            println!(
                "landing {trial}: {:?}, judged {:?}; stress {:.4} and {:.4}, roll {:.2} and {:.2} deg, margin {:?} and {:?}, \
                 sliding {:?} and {:?}",
                stepped.class,
                judged.class,
                stepped.stress,
                judged.stress,
                stepped.largest_roll.to_degrees(),
                judged.largest_roll.to_degrees(),
                stepped.rollover_margin,
                judged.rollover_margin,
                stepped.sliding_speed,
                judged.sliding_speed
            );
        }
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!("{differ} of {count} of another class; median difference of the stress {:.2e}", median(&mut stress));
    println!("of the roll {:.2e} rad; energy missing at most {gap:.1e} of what was turned over", median(&mut roll));
    assert!(differ <= allowed && gap < 1e-3);
}

pub(super) fn short_study(duration: &str) -> Study {
    let directory = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(example("skid_on_frigate.toml")).unwrap();
    let named =
        |text: &str, folder: &str| text.replace(&format!("\"{folder}/"), &format!("\"{}/", example(folder).display()));
    let text = named(&named(&text, "aircraft"), "ships").replace("duration = 10", duration);
    let file = directory.path().join("study.toml");
    std::fs::write(&file, text).unwrap();
    Study::read(&file).unwrap()
}

/// Sixteen landings of 2 s: none is of another class.
#[test]
fn steps_of_one_length_are_judged_by_adaptive_ones() {
    // Until all stand: whether one slides between two bounces depends on the step.
    compared(&short_study("duration = 4"), 0..16, 0);
}

/// Minutes: `cargo test --lib a_thousand_landings -- --ignored --nocapture`.
#[test]
#[ignore = "minutes of adaptive steps"]
fn a_thousand_landings_are_judged_by_adaptive_steps() {
    compared(&short_study("duration = 5"), 0..1000, 10);
}

/// A study beside its files, all of which can be changed.
fn study_with(change: impl Fn(&str, String) -> String) -> Result<Study, String> {
    let directory = tempfile::tempdir().unwrap();
    for name in ["skid_on_frigate.toml", "aircraft/skid_helicopter.toml", "ships/frigate.toml"] {
        let text = std::fs::read_to_string(example(name)).unwrap();
        let file = directory.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, change(name, text)).unwrap();
    }
    let rows: String = (0..100).map(|row| format!("{},{},{}\n", 0.01 * f64::from(row), 0.5, 0.001)).collect();
    std::fs::write(directory.path().join("record.csv"), format!("sway,heave,roll\n{rows}")).unwrap();
    Study::read(&directory.path().join("skid_on_frigate.toml")).map_err(|error| error.to_string())
}

#[test]
fn files_that_are_no_aircraft_and_no_ship_are_refused_by_name() {
    let refused = |of: &str, from: &str, to: &str, words: &[&str]| {
        let error = study_with(|name, text| {
            if name.contains(of) {
                assert!(text.contains(from), "{from}");
            }
            if name.contains(of) { text.replace(from, to) } else { text }
        });
        let error = error.unwrap_err();
        println!("{error}");
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    refused("helicopter", "pinned = [3, 4]", "pinned = [3]", &["gear", "not held"]);
    refused("helicopter", "pinned = [3, 4]", "pinned = [3, 7]", &["gear.pinned", "from 1 to 6"]);
    refused("helicopter", "[[-1.2, -1.35], ", "[[-0.95, -1.0], ", &["gear.nodes", "apart"]);
    refused("helicopter", "wall = 0.009", "wall = 0.09", &["gear.tube.wall", "half the diameter"]);
    refused("helicopter", "mass = 2250", "mass = -1", &["body.mass"]);
    refused("helicopter", "modes = 4", "modes = 0", &["gear.modes"]);
    refused("helicopter", "beta = 0.002", "", &["rayleigh", "beta"]);
    refused("ships", "[-8.2, 0]", "[-8.2, -3]", &["deck"]);
    refused("ships", "[-0.6, -1.5], [-0.6, -0.05]", "[-0.1, -1.5], [-0.1, -0.05]", &["deck[2]", "-0.1 m", "overlap"]);
    refused("ships", "[0.1, -1.5], [0.1, 0]", "[0.7, -1.5], [0.7, 0]", &["deck[1]", "0.6 m", "overlap"]);
    refused("ships", "speeds = [0, 5, 10]", "speeds = [0, 5]", &["response.sway", "amplitude and phase"]);
    refused("ships", "speeds = [0, 5, 10]", "speeds = [0, 5, 5]", &["response.speeds", "ascend"]);
    refused("skid_on", "duration = 10", "duration = -1", &["duration"]);
}

#[test]
fn a_deck_may_move_as_it_was_recorded() {
    let record = |column: &'static str| {
        move |name: &str, text: String| match name {
            "ships/frigate.toml" => {
                let deck = text.split("# Amplitude").next().unwrap().replace("roll\"", "");
                format!("{deck}[record]\ninterval = 0.1\nfile = \"record.csv\"\n{column}")
            }
            "skid_on_frigate.toml" => ["sea_state", "heading", "ship_speed"].iter().fold(
                text.replace("duration = 10", "duration = 6"),
                |text, input| {
                    let (before, rest) = text.split_once(&format!("[inputs.{input}]")).unwrap();
                    format!("{before}[{}", rest.split_once("\n[").unwrap().1)
                },
            ),
            _ => text,
        }
    };
    let study = study_with(record("")).unwrap();
    let model: &DeckLandingModel = study.model.downcast().unwrap();
    let pose = model.start(&study.inputs_of(3)).motion.pose(2.05);
    println!("{pose:?}");
    assert!((pose.place.x - 0.205).abs() < 1e-12 && (pose.velocity.x - 0.1).abs() < 1e-9 && pose.place.y == 0.5);
    // From 0 to 9.9 s.
    let late = |deck_time: f64| {
        let mut inputs = study.inputs_of(3);
        inputs.values[3] = deck_time;
        model.fault(&inputs)
    };
    assert_eq!(late(3.9), None);
    assert!(late(4.0).unwrap().contains("lasts until 10 s, and the deck's record until 9.9"), "{:?}", late(4.0));
    let with_waves = study_with(|name, text| match name {
        "skid_on_frigate.toml" => text,
        _ => record("")(name, text),
    });
    let error = with_waves.unwrap_err();
    assert!(error.contains("inputs.") && error.contains("as it was recorded"), "{error}");
    assert!(study_with(record("speed = 3\n")).unwrap_err().contains("speed"));
}
