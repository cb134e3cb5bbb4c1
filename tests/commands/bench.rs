//! `touchdown bench` measures what it says: cases are what they are called, counts and bytes are right, the report is
//! complete. No test looks at a time.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::process::{Command, Output};
use std::time::Duration;

use crate::support::batches::Asked;
use crate::support::gpu;
use serde_json::Value;
use touchdown::benchmark::{Collisions, Landings, Measurement, Pairs, Rays, Wheels};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{
    self, EllipsoidPairs, EntryPoints, LandingClass, LandingOutcome, Oriented, OrientedAnswer, RayStatus,
    TargetMotions, WheelState,
};
use touchdown::reference::Reference;
use touchdown::validation::SceneClass;

/// Short enough for a test; the shares of whatever happens in it mean nothing.
const SECONDS: &str = "0.001";

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(["bench", "--seconds", SECONDS]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The report and the table of a run with the adapter under test.
fn report(arguments: &[&str]) -> (Value, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bench.json");
    let adapter = gpu::adapter();
    let output = bench(&[arguments, &["--adapter", &adapter, "--json", file.to_str().unwrap()]].concat());
    let text = std::fs::read_to_string(file).unwrap();
    (serde_json::from_str(&text).unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {value}"))
}

/// Every number of a table is that of something that happened.
fn assert_positive(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(number(value, key) > 0.0, "{key} in {value}");
    }
}

fn cases(report: &Value) -> &Vec<Value> {
    report["cases"].as_array().unwrap()
}

#[test]
fn the_report_on_rays_is_complete() {
    let (report, text) = report(&["--job", "rays"]);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(report["processor"]["threads"].as_u64().unwrap() > 0);
    let adapter = &report["adapter"];
    assert!(["name", "kind", "driver", "interface"].iter().all(|key| adapter[key].is_string()));
    assert_positive(
        adapter,
        &[
            "largest_buffer_bytes",
            "largest_dispatch_workgroups",
            "memory_bytes_per_second",
            "arithmetic_operations_per_second",
            "upload_bytes_per_second",
            "download_bytes_per_second",
            "empty_dispatch_seconds",
            "empty_submission_seconds",
        ],
    );
    let cases = cases(&report);
    let in_rows = SceneClass::ALL.map(|class| ("rays", class));
    let measured: Vec<_> = in_rows.into_iter().chain([("rays in columns", SceneClass::House)]).collect();
    assert_eq!(cases.len(), 3 * measured.len(), "each scene on each engine");
    for (case, (job, class)) in cases.chunks(3).zip(measured) {
        let [reference, native, gpu] = case else { panic!("an engine is missing") };
        let names = [reference, native, gpu].map(|figures| figures["engine"].as_str());
        assert_eq!(names, ["reference", "native", "gpu"].map(Some));
        for figures in case {
            assert_eq!((figures["job"].as_str(), figures["scene"].as_str()), (Some(job), Some(class.name())));
            assert_positive(figures, &["items_per_call", "calls", "seconds", "items_per_second"]);
            assert_positive(&figures["work"], &["operations", "additions", "multiplications", "divisions"]);
        }
        for figures in [reference, native] {
            assert!(figures["stages"].is_null() && figures["limit"].is_null(), "the processor has no stages");
        }
        let stages = &gpu["stages"];
        assert_positive(
            stages,
            &["pack_seconds", "upload_seconds", "kernel_seconds", "download_seconds", "decode_seconds"],
        );
        // One cell has code of its own, hundreds of them have not.
        match class {
            SceneClass::House => assert_eq!(stages["search"], "unrolled"),
            SceneClass::Village | SceneClass::Boulders => assert_eq!(stages["search"], "interpreted"),
            _ => assert!(stages["search"].is_string()),
        }
        assert_eq!(number(stages, "upload_bytes_per_item"), 32.0);
        assert_eq!(number(stages, "download_bytes_per_item"), 8.0);
        assert_eq!(number(stages, "kernel_bytes_per_item"), 40.0);
        let limit = &gpu["limit"];
        let (memory, arithmetic) =
            (number(limit, "memory_items_per_second"), number(limit, "arithmetic_items_per_second"));
        let rounding = 1e-12;
        assert!((memory * 40.0 / number(adapter, "memory_bytes_per_second") - 1.0).abs() < rounding);
        let operations = number(&gpu["work"], "operations");
        let by_arithmetic = number(adapter, "arithmetic_operations_per_second") / operations;
        assert!((arithmetic / by_arithmetic - 1.0).abs() < rounding);
        assert_eq!(limit["binding"], if memory < arithmetic { "memory" } else { "arithmetic" });
        let reached = number(stages, "kernel_items_per_second") / memory.min(arithmetic);
        assert!((number(limit, "share_reached") / reached - 1.0).abs() < rounding);
        assert!(text.contains(class.name()), "{text}");
    }
}

#[test]
fn the_report_on_ellipsoids_is_complete() {
    let (report, text) = report(&["--job", "ellipsoids"]);
    let cases = cases(&report);
    let [reference, native, gpu] = &cases[..] else { panic!("one case on each of three engines") };
    for figures in [reference, native, gpu] {
        assert_eq!((figures["job"].as_str(), figures["item"].as_str()), (Some("ellipsoids"), Some("pair")));
        assert_positive(figures, &["items_per_call", "calls", "seconds", "items_per_second"]);
        // Four sweeps and some rounds.
        assert!((1000.0..3000.0).contains(&number(&figures["work"], "operations")), "{figures}");
    }
    let stages = &gpu["stages"];
    assert!(stages["search"].is_null());
    assert_eq!(number(stages, "upload_bytes_per_item"), 80.0);
    assert_eq!(number(stages, "download_bytes_per_item"), 48.0);
    assert_positive(&gpu["limit"], &["memory_items_per_second", "arithmetic_items_per_second", "share_reached"]);
    assert!(text.contains("ellipsoids"), "{text}");
}

#[test]
fn pairs_are_as_mixed_as_they_are_called() {
    let pairs = Pairs.items(4096);
    let contacts = Reference::new(0).unwrap().compute::<EllipsoidPairs>((), &pairs).unwrap();
    let overlaps = contacts.iter().filter(|contact| contact.f < 1.0).count();
    let aspects = pairs.iter().map(|pair| pair.a.semi_axes.max_element() / pair.a.semi_axes.min_element());
    assert!(aspects.fold(1.0, f64::max) < 5.0);
    println!("{overlaps} of 4096 pairs overlap");
    assert!((1000..3000).contains(&overlaps), "{overlaps}");
}

#[test]
fn the_report_on_wheels_counts_their_steps() {
    let (report, text) = report(&["--job", "wheels", "--engine", "gpu"]);
    let [figures] = &cases(&report)[..] else { panic!("one case on one engine") };
    assert_eq!((figures["job"].as_str(), figures["item"].as_str()), (Some("wheels"), Some("wheel step")));
    let stages = &figures["stages"];
    // Of each frame 64 bytes go there and 48 come back, of each wheel 64 both ways.
    let (up, down) = (number(stages, "upload_bytes_per_item"), number(stages, "download_bytes_per_item"));
    let frames_of_each = 64.0 / (up - 64.0);
    assert!((down - 48.0 - 64.0 / frames_of_each).abs() < 1e-9);
    assert!((number(stages, "kernel_bytes_per_item") - (up + down)).abs() < 1e-9);
    assert!((1.0..=32.0).contains(&frames_of_each.round()) && frames_of_each.fract().abs() < 1e-9);
    assert!(text.contains("wheels"), "{text}");
}

#[test]
fn a_house_ray_looks_at_one_cell_of_four_half_spaces() {
    let reference = Reference::new(1).unwrap();
    let measurement = Measurement { engine: &reference, gpu: None, time: Duration::from_millis(1) };
    let figures = measurement.rays(&Rays::new(SceneClass::House).unwrap()).unwrap();
    assert_eq!((figures.work.cells, figures.work.half_spaces, figures.work.boxes), (1.0, 4.0, 0.0));
    // The slope of the ray, the cell, four half spaces.
    assert_eq!(figures.work.operations, f64::from(22 + 9 + 4 * 29));
}

#[test]
fn rays_are_in_their_scenes_and_do_not_depend_on_their_number() {
    for class in SceneClass::ALL {
        let rays = Rays::new(class).unwrap();
        let items = rays.items(1000);
        assert_eq!(rays.items(10)[..], items[..10]);
        let entries = Reference::new(0).unwrap().compute::<EntryPoints>(&rays.scene, &items).unwrap();
        let hits = entries.iter().filter(|entry| entry.status == RayStatus::Hit).count();
        assert!((30..=1000).contains(&hits), "{}: {hits} of 1000 hit", class.name());
    }
}

#[test]
fn wheels_roll_in_all_steps_but_the_first() {
    let Wheels { scene, parameters } = Wheels::new().unwrap();
    let runs = Wheels::new().unwrap().items(50);
    for steps in Reference::new(0).unwrap().compute::<query::Wheels>((&scene, &parameters), &runs).unwrap() {
        assert!(steps[1..].iter().all(|step| step.contact.state == WheelState::Slipping && step.normal_force > 0.0));
    }
}

#[test]
fn stages_of_landings_count_their_steps_and_states() {
    let landings = Landings::new().unwrap();
    let (gpu, inputs) = (gpu::open(), landings.items(4));
    let steps = gpu.landings(&landings.job, &inputs).unwrap().iter().map(|outcome| outcome.steps).sum::<u64>();
    let stages = gpu.measure_landings(&landings.job, &inputs, Duration::ZERO).unwrap();
    assert_eq!(stages.items, steps);
    // Inputs are 224 bytes; a state is 288, 80 for each of three wheels and 4 for each of four structural points.
    let (input, state) = (224, 288 + 3 * 80 + 4 * 4);
    assert_eq!([stages.bytes_up, stages.bytes_down], [4 * (input + state), 4 * state]);
    // Each slice of each landing reads both and writes the state; it has a step at least.
    let slices = stages.bytes_of_kernel / (input + 2 * state);
    assert_eq!(stages.bytes_of_kernel, slices * (input + 2 * state));
    assert!((4..=steps).contains(&slices), "{slices} slices of {steps} steps");
}

#[test]
fn landings_stop_on_the_runway_and_their_steps_are_counted() {
    let landings = Landings::new().unwrap();
    assert_eq!(landings.job.vehicle.warnings(landings.job.step), Vec::<String>::new());
    let engine = Asked::for_batches(6..=6);
    let outcomes = engine.landings(&landings.job, &landings.items(6)).unwrap();
    assert!(outcomes.iter().all(|outcome| outcome.class == LandingClass::Stopped), "{outcomes:?}");
    let measurement = Measurement { engine: &engine, gpu: None, time: Duration::from_millis(1) };
    let figures = measurement.landings(&landings).unwrap();
    let steps = figures.steps.unwrap();
    let mean = |count: fn(&LandingOutcome) -> u64| outcomes.iter().map(count).sum::<u64>() as f64 / 6.0;
    assert_eq!(figures.items_per_call, 6);
    assert_eq!(steps.steps_per_item, mean(|outcome| outcome.steps));
    assert_eq!(steps.contact_steps_per_item, mean(|outcome| outcome.contact_steps));
    assert_eq!(steps.vehicle_steps_per_second, figures.items_per_second * steps.steps_per_item);
    // Nearly all of a landing is on the ground: what the count of operations assumes.
    assert!(steps.contact_steps_per_item > 0.85 * steps.steps_per_item, "{steps:?}");
}

#[test]
fn the_report_on_oriented_collisions_is_complete() {
    let (report, text) = report(&["--job", "oriented"]);
    let cases = cases(&report);
    assert_eq!(cases.len(), 6, "two targets on each of three engines");
    for (surfaces, on_engines) in [8.0, 32.0].into_iter().zip(cases.chunks(3)) {
        for figures in on_engines {
            assert_eq!((figures["job"].as_str(), figures["item"].as_str()), (Some("oriented"), Some("initiator")));
            assert_positive(figures, &["items_per_call", "calls", "seconds", "items_per_second"]);
            // Two scalar products, an offset and four comparisons for each surface.
            let operations = number(&figures["work"], "operations");
            assert!((surfaces * 11.0..surfaces * 16.0).contains(&operations), "{figures}");
        }
        assert_eq!(number(&on_engines[2]["stages"], "upload_bytes_per_item"), 40.0);
        assert_eq!(number(&on_engines[2]["stages"], "download_bytes_per_item"), 20.0);
    }
    assert!(text.contains("oriented"), "{text}");
}

#[test]
fn the_report_on_complementarity_problems_is_complete() {
    let (report, text) = report(&["--job", "lcp"]);
    let cases = cases(&report);
    let [reference, native, gpu] = &cases[..] else { panic!("one case on each of three engines") };
    for figures in [reference, native, gpu] {
        assert_eq!((figures["job"].as_str(), figures["item"].as_str()), (Some("lcp"), Some("problem")));
        assert_positive(figures, &["items_per_call", "calls", "seconds", "items_per_second"]);
        // Some five pivots, each of a product, a sum and a maximum for 8 x 18 entries; corrections take 8 x 8 twice.
        let operations = number(&figures["work"], "operations");
        assert!((4.0 * 3.0 * 144.0..8.0 * 6.0 * 144.0).contains(&operations), "{figures}");
    }
    assert_eq!(number(&gpu["stages"], "upload_bytes_per_item"), 304.0);
    assert_eq!(number(&gpu["stages"], "download_bytes_per_item"), 48.0);
    assert!(text.contains("lcp"), "{text}");
}

#[test]
fn the_report_on_encounters_is_complete() {
    let (report, text) = report(&["--job", "encounters"]);
    let cases = cases(&report);
    let [reference, native, gpu] = &cases[..] else { panic!("one case on each of three engines") };
    for figures in [reference, native, gpu] {
        assert_eq!((figures["job"].as_str(), figures["item"].as_str()), (Some("encounters"), Some("encounter")));
        assert_positive(figures, &["items_per_call", "calls", "seconds", "items_per_second"]);
        let operations = number(&figures["work"], "operations");
        assert!((200.0..1000.0).contains(&operations), "{figures}");
    }
    assert_eq!(number(&gpu["stages"], "upload_bytes_per_item"), 64.0);
    assert_eq!(number(&gpu["stages"], "download_bytes_per_item"), 32.0);
    assert!(text.contains("encounters"), "{text}");
}

#[test]
fn initiators_are_inside_and_outside_and_some_collide() {
    let [reference, current] = Collisions::OCTAGON.targets().unwrap().map(|target| [target]);
    let targets = TargetMotions { reference: &reference, current: &current };
    let found = Reference::new(0).unwrap().compute::<Oriented>(targets, &Collisions::OCTAGON.items(4096)).unwrap();
    let count = |holds: fn(&OrientedAnswer) -> bool| found.iter().filter(|answer| holds(answer)).count();
    let inside = count(|answer| answer.configuration.minimum_translation.is_some());
    // The polygon has 2.83 of 9 parts.
    assert!((1100..1500).contains(&inside), "{inside}");
    assert_eq!(count(|answer| answer.configuration.collision == 0b11), inside);
}
