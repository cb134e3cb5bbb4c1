//! Engines of aircraft files against JSBSim's own answers: `tests/data/jsbsim/propulsion.json.gz`.
//!
//! JSBSim's engines have licences of their own and are not here. With `TOUCHDOWN_JSBSIM` naming a folder that has them
//! (`aircraft/737/737.xml`, `engine/CFM56.xml`; `pip download jsbsim` brings one), they are compared; without it, nothing here is.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::Value;
use touchdown::import::{ImportedPropulsion, jsbsim_propulsion};

use crate::support::air_forces::golden;
use crate::support::propulsion::{Engines, FOOT, POUND, standard_flight};
use crate::support::{list, number, text};

/// Answers have seven digits, and so have the states that engines start with: 5e-8 of speeds and pressures, of which thrust goes with the
/// square or the third power.
const OF_THRUST: f64 = 1e-6;
/// Steady thrusts have sixteen digits; air is computed here in other units.
const OF_STEADY: f64 = 1e-10;
/// Of steady thrust where a propeller's speed is approached for ever: what is left after 40 s at a high throttle.
const OF_STEADY_PROPELLER: f64 = 1e-8;

fn root() -> Option<PathBuf> {
    let root = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from);
    if root.is_none() {
        println!("not compared: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
    }
    root
}

fn imported(root: &Path, name: &str) -> ImportedPropulsion {
    jsbsim_propulsion(&root.join(format!("aircraft/{name}/{name}.xml"))).unwrap()
}

/// An engine of the file: what its aircraft's own controls make of throttles and mixtures.
struct Case<'a> {
    name: &'a str,
    engine: &'a Value,
    imported: ImportedPropulsion,
}

impl Case<'_> {
    fn count(&self) -> usize {
        self.engine["engines"].as_u64().unwrap() as usize
    }

    /// The throttle's position at a time of a profile.
    fn throttle(&self, command: impl Fn(f64) -> f64, time: f64, step: f64) -> f64 {
        match self.name {
            // Above a command of 0.5 the T38 is augmented.
            "T38" => 2.0 * command(time),
            // The F450's controls see the command of the frame before.
            "F450" => command((time - step).max(0.0)),
            _ => command(time),
        }
    }

    /// The mixture, which the c310 leans with the pressure \[psf\].
    fn mixture(&self, height: f64) -> f64 {
        let pressure = standard_flight(0.0, height).pressure / (POUND / (FOOT * FOOT));
        match self.name {
            "c310" => 0.675 + (pressure - 1300.0) / (2117.0 - 1300.0) * (1.0 - 0.675),
            _ => 1.0,
        }
    }

    /// Largest steady thrust of the first engine \[N\].
    fn largest(&self) -> f64 {
        let all = list(&self.engine["steady"]).iter().flat_map(|row| list(&row["thrust_N"]));
        all.map(|thrust| number(thrust).abs()).fold(0.0, f64::max)
    }

    fn engines(&self, row: &Value, step: f64, start: &dyn Fn(&str) -> Option<f64>) -> Engines {
        let (speed, height) = (number(&row["speed_mps"]), number(&row["height_m"]));
        let mut engines = Engines::new(&self.imported, self.count(), step, &standard_flight(speed, height), start);
        for engine in 0..self.count() {
            engines.set(&format!("fcs/mixture-pos-norm[{engine}]"), self.mixture(height));
        }
        engines
    }

    fn set_throttle(&self, engines: &mut Engines, throttle: f64) {
        for engine in 0..self.count() {
            engines.set(&format!("fcs/throttle-pos-norm[{engine}]"), throttle);
        }
    }
}

/// A command along straight lines between pairs of time and value; of two at one time the second.
fn along(profile: &[Value], time: f64) -> f64 {
    let at = |pair: &Value| (number(&pair[0]), number(&pair[1]));
    let Some(after) = profile.iter().position(|pair| at(pair).0 > time + 1e-9) else {
        return at(&profile[profile.len() - 1]).1;
    };
    let ((t0, y0), (t1, y1)) = (at(&profile[after - 1]), at(&profile[after]));
    y0 + (y1 - y0) * ((time - t0) / (t1 - t0)).max(0.0)
}

fn cases<'a>(all: &'a Value, root: &Path) -> Vec<Case<'a>> {
    let case = |engine: &'a Value| {
        let name = text(&engine["name"]);
        Case { name, engine, imported: imported(root, name) }
    };
    list(&all["engines"]).iter().map(case).collect()
}

/// What a run says of a state at its start.
fn known_start(samples: &Value, property: &str) -> Option<f64> {
    let of = |key: &str| samples[key][0].as_f64();
    match property.rsplit('/').next()? {
        "propeller-rpm" => of("rpm"),
        "blade-angle" => of("pitch_deg"),
        "n1" => of("n1"),
        "n2" => of("n2"),
        "throttled pressure-pa" => of("map_inhg").map(|pressure| pressure * 3386.38),
        "propeller-torque-ftlb" => of("torque_Nm").map(|torque| torque / (POUND * FOOT)),
        _ => None,
    }
}

/// Force and moment of all engines, and those of the run.
type Pair = ([DVec3; 2], [DVec3; 2]);

/// Rms and largest error of the thrust over the largest steady one, the impulse of the error \[s\], and pairs of loads.
fn compared(case: &Case<'_>, all: &Value, run: &Value) -> ([f64; 3], Vec<Pair>) {
    let (step, rate) = (number(&all["dt_s"]), number(&all["hz"]));
    let (samples, largest) = (&run["samples"], case.largest());
    let frames = (1.0 / (rate * step)).round() as usize;
    let profile = list(&all["profiles"][text(&run["throttle"])]);
    let mut engines = case.engines(run, step, &|property| known_start(samples, property));
    let expected = list(&samples["thrust_N"]);
    let body: Vec<Vec<f64>> = list(&samples["body"]).iter().map(|row| list(row).iter().map(number).collect()).collect();
    let (mut squares, mut worst, mut impulse, mut loads) = (0.0, 0.0_f64, 0.0, Vec::new());
    // The first sample is where engines start; how they came there is not known.
    for frame in 1..=(expected.len() - 1) * frames {
        let time = frame as f64 * step;
        let throttle = case.throttle(|time| along(profile, time), time, step);
        case.set_throttle(&mut engines, throttle);
        engines.step();
        if frame % frames != 0 {
            continue;
        }
        let off = (engines.of("propulsion/engine/thrust-lbs") * POUND - number(&expected[frame / frames])) / largest;
        squares += off * off;
        worst = worst.max(off.abs());
        impulse += off / rate;
        if let Some(row) = body.iter().find(|row| (row[0] - time).abs() < 1e-6) {
            let expected = [DVec3::new(row[1], row[2], row[3]), DVec3::new(row[4], row[5], row[6])];
            loads.push((engines.loads(), expected));
        }
    }
    ([(squares / (expected.len() - 1) as f64).sqrt(), worst, impulse.abs()], loads)
}

#[test]
fn engines_are_those_of_jsbsim() {
    let Some(root) = root() else { return };
    let all = golden("propulsion");
    for case in cases(&all, &root) {
        assert!(case.imported.left_out.is_empty(), "{}: {:?}", case.name, case.imported.left_out);
        for run in list(&case.engine["runs"]) {
            let ([rms, worst, impulse], loads) = compared(&case, &all, run);
            let moment = moments_differ_by_one_centre_of_gravity(&loads);
            println!(
                "{} {} m/s {} m {}: rms {rms:.1e} largest {worst:.1e} impulse {impulse:.1e} s, moments {moment:.1e}",
                case.name,
                run["speed_mps"],
                run["height_m"],
                text(&run["throttle"])
            );
            assert!(worst <= OF_THRUST, "{} {} {}: {worst}", case.name, run["speed_mps"], run["throttle"]);
            assert!(moment <= 10.0 * OF_THRUST, "{}: {moment}", case.name);
        }
    }
}

/// Fuel moves the centre of gravity of the answers, by one vector all along a run, of which the part across the force shows; the largest
/// error of moments that it leaves, over the largest moment with force times a metre.
fn moments_differ_by_one_centre_of_gravity(loads: &[Pair]) -> f64 {
    let strongest = loads.iter().max_by(|a, b| a.0[0].length().total_cmp(&b.0[0].length())).unwrap();
    let ([force, moment], [_, expected]) = *strongest;
    if force.length() == 0.0 {
        return 0.0;
    }
    let shift = force.cross(expected - moment) / force.length_squared();
    let scale = force.length() + expected.length();
    let off = |&([force, moment], [_, expected]): &Pair| (moment + shift.cross(force) - expected).length() / scale;
    loads.iter().map(off).fold(0.0, f64::max)
}

#[test]
fn engines_settle_where_those_of_jsbsim_do() {
    let Some(root) = root() else { return };
    let all = golden("propulsion");
    let step = number(&all["dt_s"]);
    let grid = list(&all["throttle_grid"]);
    for case in cases(&all, &root) {
        let (mut worst, mut worst_high) = (0.0_f64, 0.0_f64);
        for row in list(&case.engine["steady"]) {
            for (throttle, expected) in grid.iter().zip(list(&row["thrust_N"])) {
                let mut engines = case.engines(row, step, &|_| None);
                let throttle = number(throttle);
                let position = case.throttle(|_| throttle, 0.0, step);
                case.set_throttle(&mut engines, position);
                (0..(40.0 / step) as usize).for_each(|_| engines.step());
                let thrust = engines.of("propulsion/engine/thrust-lbs") * POUND;
                let off = (thrust - number(expected)).abs() / case.largest();
                worst = worst.max(off);
                worst_high = if throttle > 0.7 { worst_high.max(off) } else { worst_high };
            }
        }
        println!("{}: steady thrust off by {worst:.1e}, from a throttle of 0.75 on by {worst_high:.1e}", case.name);
        let kind = text(&case.engine["kind"]);
        match kind.split([',', ' ']).next().unwrap() {
            "piston" => assert!(worst_high <= OF_STEADY_PROPELLER, "{}: {worst_high}", case.name),
            // JSBSim's had 20 s, in which the gas generator's propeller still turns down.
            "turboprop" => {}
            _ => assert!(worst <= OF_STEADY, "{}: {worst}", case.name),
        }
    }
}

#[test]
fn propulsion_of_jsbsim_s_aircraft_is_read() {
    let Some(root) = root() else { return };
    let (mut read, mut with_engines, mut partly) = (0, 0, 0);
    let mut names: Vec<_> =
        std::fs::read_dir(root.join("aircraft")).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for folder in names {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let file = folder.join(format!("{name}.xml"));
        if !file.exists() {
            continue;
        }
        match jsbsim_propulsion(&file) {
            Ok(imported) => {
                read += 1;
                with_engines += usize::from(!imported.functions.is_empty());
                partly += usize::from(!imported.left_out.is_empty());
                imported.left_out.iter().for_each(|line| println!("{name}: {line}"));
            }
            Err(error) => println!("{name}: not read: {error}"),
        }
    }
    println!("{read} read, {with_engines} of them with engines, {partly} with something left out");
    // `blank` is of an older form, and the mass of `J246` is that of point masses alone.
    assert_eq!([read, with_engines], [58, 48]);
}
