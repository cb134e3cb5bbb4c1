//! Flight controls of aircraft files against JSBSim's own answers: `tests/data/jsbsim`.
//!
//! As in [`crate::air_forces`], JSBSim's own aircraft are compared where `TOUCHDOWN_JSBSIM` names a folder that has them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use touchdown::flight_controls::TimeStep;
use touchdown::function::{Function, Routine};
use touchdown::import::jsbsim_flight_controls;

use crate::support::air_forces::{any, golden};
use crate::support::{list, text};

/// JSBSim's answers have thirteen digits, and its accelerations carry the last of them through 600 frames.
const OF_CONTROLS: f64 = 1e-9;

/// A scenario of an aircraft's channels: what they are given, and what JSBSim makes of it.
struct Scenario<'a>(&'a Value);

impl<'a> Scenario<'a> {
    fn part(&self, name: &str) -> &'a Map<String, Value> {
        self.0[name].as_object().unwrap()
    }

    /// How often in a frame JSBSim has written a property from outside: once for each sensor of its name.
    fn recordings(&self, name: &str) -> usize {
        list(&self.0["recorded_from_outside"]).iter().filter(|own| text(own) == name).count()
    }

    /// A property in a frame: -1 and 0 are before time begins, with values of their own and commands of frame 0.
    fn given(&self, name: &str, frame: i32) -> Option<f64> {
        let first = match frame {
            -1 => self.part("first").get(name),
            0 => self.part("second").get(name),
            _ => None,
        };
        let command = || Some(between(list(self.part("commands").get(name)?), f64::from(frame.max(0))));
        let varying = || {
            let entry = f64::from(frame.max(1)) * self.recordings(name).max(1) as f64;
            let changes = list(self.part("varying").get(name)?);
            changes.iter().rev().find(|change| any(&change[0]) <= entry).map(|change| any(&change[1]))
        };
        let constant = || self.part("constant").get(name).map(any);
        first.map(any).or_else(command).or_else(varying).or_else(constant)
    }

    /// Functions without those that the recording stands for: noise and what depends on places on the earth.
    fn functions(&self, mut functions: Vec<Function<String>>) -> Vec<Function<String>> {
        functions.retain(|function| self.recordings(&function.name) == 0);
        functions
    }
}

/// On straight lines between points.
fn between(points: &[Value], x: f64) -> f64 {
    let at = |number: usize| [any(&points[number][0]), any(&points[number][1])];
    let Some(after) = (0..points.len()).find(|&number| x <= at(number)[0]) else { return at(points.len() - 1)[1] };
    match (after.checked_sub(1).map(at), at(after)) {
        // A point is met exactly: switches ask for its number.
        (Some([from, low]), [to, high]) if x < to => low + (high - low) * (x - from) / (to - from),
        (_, [_, value]) => value,
    }
}

/// The largest difference from JSBSim, with where it is, over the greater of 1 and the value.
fn compared(scenario: &Scenario<'_>, frames: &[Value], step: f64, path: &Path, kind: TimeStep) -> (f64, String) {
    let imported = jsbsim_flight_controls(path).unwrap();
    let functions = scenario.functions(imported.controls.functions(kind).unwrap());
    // The first of several needs no number.
    let made: BTreeSet<String> = functions.iter().map(|function| function.name.replace("[0]", "")).collect();
    let mut given: BTreeSet<String> = scenario.part("commands").keys().cloned().collect();
    given.extend(list(&scenario.0["recorded_from_outside"]).iter().map(|name| text(name).to_owned()));
    for function in &functions {
        function.expression.properties(&mut |name| {
            let name = name.replace("[0]", "");
            if !made.contains(&name) {
                given.insert(name);
            }
        });
    }
    let given: Vec<String> = given.into_iter().collect();
    let at_start: BTreeMap<&str, f64> = imported.at_start.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    for (name, value) in &at_start {
        let constant = scenario.part("constant").get(*name).filter(|_| !made.contains(*name));
        assert_eq!(constant.map_or(*value, any), *value, "{name} at the start");
    }
    let start = |name: &str| at_start.get(name).copied().unwrap_or(0.0);
    let initial = |name: &str| scenario.part("initial").get(name).map_or_else(|| start(name), any);
    let routine = Routine::new(&functions, &given, &initial, &|_| None).unwrap();
    let mut kept = routine.at_start();
    let mut worst = (0.0, String::new());
    for frame in -1..=600 {
        let value = |name: &String| match name.as_str() {
            "simulation/dt" => step,
            name => scenario.given(name, frame).unwrap_or_else(|| start(name)),
        };
        let row = routine.row(&given.iter().map(value).collect::<Vec<_>>(), &kept);
        kept = routine.left(&row);
        let Some(sample) = frames.iter().position(|sampled| sampled.as_i64() == Some(frame.into())) else { continue };
        for (name, values) in scenario.part("outputs") {
            let expected = any(if let Value::Array(values) = values { &values[sample] } else { values });
            let place = routine.place(name).unwrap_or_else(|| panic!("nothing makes {name}"));
            let difference =
                if row[place] == expected { 0.0 } else { (row[place] - expected).abs() / expected.abs().max(1.0) };
            if difference > worst.0 || difference.is_nan() {
                worst = (difference, format!("{name} in frame {frame}: {} instead of {expected}", row[place]));
            }
        }
    }
    worst
}

/// Compares scenarios of aircraft; how many there are.
fn compare(path: impl Fn(&str, &str) -> Option<PathBuf>) -> usize {
    let golden = golden("controls");
    let step = any(&golden["dt_s"]);
    let mut scenarios = 0;
    for scenario in list(&golden["aircraft"]).iter().map(Scenario) {
        let [name, file, kind] = ["name", "file", "scenario"].map(|part| text(&scenario.0[part]));
        let Some(path) = path(name, file) else { continue };
        let both = [TimeStep::Constant(step), TimeStep::Given(step)];
        let [constant, given] = both.map(|kind| compared(&scenario, list(&golden["sample_frames"]), step, &path, kind));
        for (worst, place) in [&constant, &given] {
            assert!(*worst <= OF_CONTROLS, "{name} {kind}: {place}");
        }
        println!("{name} {kind}: off by {:.1e}, by {:.1e} with the step given", constant.0, given.0);
        scenarios += 1;
    }
    scenarios
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/jsbsim/aircraft/{name}.xml"))
}

#[test]
fn components_do_what_those_of_jsbsim_do() {
    assert_eq!(compare(|name, _| name.starts_with("oracle-").then(|| own(name))), 2);
}

#[test]
fn controls_of_jsbsim_s_own_aircraft_are_those_of_jsbsim() {
    let Some(root) = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from) else {
        println!("not compared: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
        return;
    };
    assert_eq!(compare(|name, file| (!name.starts_with("oracle-")).then(|| root.join(file))), 77);
}

#[test]
fn an_aircraft_without_channels_has_no_controls() {
    let imported = jsbsim_flight_controls(&own("wing")).unwrap();
    assert_eq!(imported.controls.functions(TimeStep::Constant(0.01)).unwrap(), []);
    assert_eq!(imported.at_start, [("gear/gear-pos-norm".to_owned(), 1.0)]);
    assert_eq!(imported.left_out, Vec::<String>::new());
}
