//! Engines and propellers of our own against closed forms: `tests/data/jsbsim/engines.xml`.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3, EulerRot};
use touchdown::air_forces::Flight;
use touchdown::import::{ImportError, ImportedPropulsion, jsbsim_propulsion};

use crate::support::propulsion::{Engines, FOOT, POUND, standard_flight};

const STEP: f64 = 0.01;
/// Formulas in other orders than those of the functions: some hundred roundings, and units of the air.
const EXACT: f64 = 1e-11;
/// What 60 s leave of the way to a balance whose time constants are below 2 s.
const SETTLED: f64 = 1e-9;
const ENGINES: usize = 6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim")
}

fn imported() -> ImportedPropulsion {
    jsbsim_propulsion(&folder().join("engines.xml")).unwrap()
}

fn engines(flight: &Flight, start: &dyn Fn(&str) -> Option<f64>) -> Engines {
    Engines::new(&imported(), ENGINES, STEP, flight, start)
}

fn throttle(engine: usize) -> String {
    format!("fcs/throttle-pos-norm[{engine}]")
}

#[track_caller]
fn is_near(found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(off <= tolerance * expected.abs().max(1.0), "{found} is not {expected}");
}

/// Density \[slug/ft^3\] and pressure \[psf\].
fn air(flight: &Flight) -> [f64; 2] {
    [flight.density / (POUND / FOOT) * FOOT * FOOT * FOOT, flight.pressure / POUND * FOOT * FOOT]
}

#[test]
fn spools_turn_up_and_down_at_their_rates() {
    let flight = standard_flight(0.0, 0.0);
    let mut engines = engines(&flight, &|_| None);
    let [mut first, mut second] = [25.0_f64, 55.0];
    let share = |second: f64| (second - 55.0) / 46.0;
    // At sea level: 90 %/s over the bypass ratio and 3, the slower the further from full speed.
    let rate = |second: f64| 90.0 / 4.5 / (1.0 + 3.0 * (1.0 - (share(second) + 0.1).min(1.0)).powi(3));
    let dry = |second: f64| 300.0 + 4700.0 * share(second) * share(second);
    let of = |engines: &Engines, name: &str| engines.of(&format!("propulsion/engine/{name}"));
    engines.set(&throttle(0), 1.0);
    for _ in 0..1500 {
        let up = rate(second) * STEP;
        [first, second] = [(first + up).min(95.0), (second + up).min(101.0)];
        engines.step();
        is_near(of(&engines, "n1"), first, EXACT);
        is_near(of(&engines, "n2"), second, EXACT);
        is_near(of(&engines, "thrust-lbs"), 0.96 * dry(second), EXACT);
    }
    is_near(second, 101.0, 0.0);
    // Augmentation: half the way to 0.9 of 8000 lbf; no bleed air is taken in steps after its first.
    engines.set(&throttle(0), 1.5);
    for thrust in [4800.0, 5000.0, 5000.0] {
        engines.step();
        is_near(of(&engines, "thrust-lbs"), thrust + 0.5 * (7200.0 - thrust), EXACT);
    }
    engines.set(&throttle(0), 0.5);
    for step in 0..1000 {
        let down = rate(second) * STEP;
        [first, second] = [(first - 2.4 * down).max(60.0), (second - 3.0 * down).max(78.0)];
        engines.step();
        is_near(of(&engines, "n1"), first, EXACT);
        is_near(of(&engines, "n2"), second, EXACT);
        let bleed = if step == 0 { 1.0 } else { 0.96 };
        is_near(of(&engines, "thrust-lbs"), bleed * dry(second), EXACT);
    }
    is_near(second, 78.0, 0.0);
}

#[test]
fn thinner_air_spools_slower_and_tables_see_its_height() {
    let flight = standard_flight(100.0, 3048.0);
    let mut engines = engines(&flight, &|_| None);
    engines.set(&throttle(0), 1.0);
    engines.step();
    let rate = 20.0 / (1.0 + 3.0 * 0.9_f64.powi(3) + 1.0 - flight.density / standard_flight(0.0, 0.0).density);
    is_near(engines.of("propulsion/engine/n2"), 55.0 + rate * STEP, EXACT);
    // Half the way to 20,000 ft, at a Mach number below 1.
    let mach = 100.0 / flight.sound;
    is_near(engines.of("propulsion/engine/MilThrust"), 0.75 * (1.0 - 0.2 * mach), EXACT);
}

#[test]
fn density_altitude_goes_on_above_the_tropopause() {
    let (geopotential, gas) = (6_356_766.0 * 15_000.0 / (6_356_766.0 + 15_000.0), 8.314_32 / 0.028_964_5_f64);
    let tropopause = standard_flight(0.0, 6_356_766.0 * 11_000.0 / (6_356_766.0 - 11_000.0));
    let thinner = (-9.806_65 * (geopotential - 11_000.0) / (gas * 216.65)).exp();
    let flight = Flight { density: tropopause.density * thinner, ..tropopause };
    let mut engines = engines(&flight, &|_| None);
    engines.step();
    is_near(engines.of("atmosphere/density-altitude"), 15_000.0 / FOOT, 1e-9);
}

#[test]
fn a_propeller_turns_where_its_power_balances_the_motor_s() {
    let flight = standard_flight(40.0, 500.0);
    let [density, _] = air(&flight);
    let mut engines = engines(&flight, &|_| None);
    let of = |engines: &Engines, name: &str| engines.of(&format!("propulsion/engine[1]/{name}"));
    engines.set(&throttle(1), 0.8);
    let (inertia, diameter) = (1.5, 6.0_f64);
    let mut speed = 0.0_f64;
    for _ in 0..6000 {
        engines.step();
        let (power, needed) = (of(&engines, "power-hp") * 550.0, of(&engines, "propeller-power-ftlbps"));
        // Below 0.01 rad/s work is done as if it were 1.
        let omega = speed * PI / 30.0;
        let torque = (power - needed) / if omega > 0.01 { omega } else { 1.0 };
        speed += torque / inertia * STEP * 30.0 / PI;
        is_near(of(&engines, "propeller-rpm"), speed, 1e-9);
        speed = of(&engines, "propeller-rpm");
    }
    let (power, needed) = (of(&engines, "power-hp") * 550.0, of(&engines, "propeller-power-ftlbps"));
    is_near(power, 0.8 * 60_000.0 / 745.7 * 550.0, 1e-5);
    is_near(needed, power, SETTLED);
    is_near(of(&engines, "engine-rpm"), 2.0 * speed, EXACT);

    let ahead = 40.0 / FOOT * 4_f64.to_radians().cos();
    let turns = speed / 60.0;
    let ratio = ahead / (turns * diameter);
    is_near(of(&engines, "advance-ratio"), ratio, SETTLED);
    let between =
        |[a, b, c]: [f64; 3]| if ratio < 0.5 { a + (b - a) * ratio / 0.5 } else { b + (c - b) * (ratio - 0.5) / 0.5 };
    let tip_mach = ahead.hypot(turns * PI * diameter) * FOOT / flight.sound;
    let of_mach = 1.0 - (tip_mach - 0.5).clamp(0.0, 0.5);
    let thrust = 1.1 * between([0.1, 0.07, 0.0]) * of_mach * density * turns.powi(2) * diameter.powi(4);
    is_near(of(&engines, "thrust-lbs"), thrust, SETTLED);
    is_near(needed, 0.9 * between([0.06, 0.05, 0.01]) * density * turns.powi(3) * diameter.powi(5), SETTLED);
    // The disc adds momentum to the air: T = 2 rho A w (V + w).
    let induced = of(&engines, "prop-induced-velocity_fps");
    is_near(2.0 * density * PI / 4.0 * diameter * diameter * induced * (ahead + induced), thrust, SETTLED);
}

#[test]
fn a_governor_keeps_the_speed_that_its_lever_asks_for() {
    let mut engines = engines(&standard_flight(50.0, 0.0), &|_| None);
    let of = |engines: &Engines, name: &str| engines.of(&format!("propulsion/engine[2]/{name}"));
    engines.set(&throttle(2), 1.0);
    engines.set("fcs/advance-pos-norm[2]", 0.75);
    let asked = 800.0 + 1700.0 * 0.75;
    let [mut speed, mut angle] = [2.0 * 650.0, 12.0];
    for _ in 0..6000 {
        engines.step();
        let turned: f64 = angle - (asked - speed) * STEP;
        is_near(of(&engines, "blade-angle"), turned.clamp(12.0, 40.0), EXACT);
        [speed, angle] = [of(&engines, "propeller-rpm"), of(&engines, "blade-angle")];
    }
    is_near(speed, asked, SETTLED);
    assert!(12.0 < angle && angle < 40.0, "{angle}");
}

#[test]
fn the_manifold_has_the_pressures_that_its_file_gives() {
    for (speed, position, pressure) in [(2600.0, 1.0, 28.0), (650.0, 0.0, 9.0)] {
        let start = |name: &str| (name == "propulsion/engine[2]/propeller-rpm").then_some(speed);
        let mut engines = engines(&standard_flight(0.0, 0.0), &start);
        engines.set(&throttle(2), position);
        // The pressure that JSBSim's impedances are made for.
        for name in ["atmosphere/P-psf", "propulsion/pt-lbs_sqft"] {
            engines.set(name, 101_320.73 / 47.88);
        }
        engines.step();
        is_near(engines.of("propulsion/engine[2]/map-inhg"), pressure, EXACT);
    }
}

#[test]
fn a_rocket_burns_from_its_least_throttle_on_and_pushes_a_step_later() {
    let flight = standard_flight(0.0, 0.0);
    let mut engines = engines(&flight, &|_| None);
    let thrust = |engines: &Engines| engines.of("propulsion/engine[3]/thrust-lbs");
    let [_, pressure] = air(&flight);
    let mut before = 0.0;
    for (position, expected) in [
        (0.2, 0.0),
        (1.0, 0.0),
        (1.0, 250.0 * 36.0 - 0.8 * pressure),
        (0.5, 250.0 * 36.0 - 0.8 * pressure),
        (0.5, 250.0 * 18.0 - 0.8 * pressure),
        (0.2, 0.0),
    ] {
        engines.set(&throttle(3), position);
        engines.step();
        is_near(thrust(&engines), expected, EXACT);
        // A function of the file's own sees the step before.
        is_near(engines.of("propulsion/engine[3]/chamber-pressure_psia"), 0.05 * before, EXACT);
        before = engines.of("propulsion/engine[3]/vacuum-thrust_lbs");
    }
}

#[test]
fn a_gas_generator_lags_and_its_limiter_takes_the_throttle_back() {
    let start = |name: &str| (name == "propulsion/engine[4]/propeller-rpm").then_some(2500.0);
    let flight = standard_flight(60.0, 0.0);
    let mut lagging = engines(&flight, &start);
    lagging.set(&throttle(4), 0.5);
    for step in 1..=400 {
        lagging.step();
        let left = (-f64::from(step) * STEP / 1.25).exp();
        is_near(lagging.of("propulsion/engine[4]/n1"), 79.0 - 21.0 * left, EXACT);
    }
    lagging.set(&throttle(4), 0.0);
    let above = lagging.of("propulsion/engine[4]/n1") - 58.0;
    for step in 1..=400 {
        lagging.step();
        let left = (-f64::from(step) * STEP / 3.0).exp();
        is_near(lagging.of("propulsion/engine[4]/n1"), 58.0 + above * left, EXACT);
    }

    let start = |name: &str| match name {
        "propulsion/engine[4]/propeller-rpm" => Some(1500.0),
        "propulsion/engine[4]/n1" => Some(100.0),
        "propulsion/engine[4]/limited throttle" => Some(1.0),
        _ => None,
    };
    let mut limited = engines(&flight, &start);
    limited.set(&throttle(4), 1.0);
    let mut torque = 0.0_f64;
    let mut position = 1.0;
    let mut acts = false;
    let (mut backs, mut agains) = (0, 0);
    for _ in 0..400 {
        limited.step();
        // An asked throttle of 1 is never below the one before.
        (position, acts) = match (torque.abs() > 1300.0, acts) {
            (true, _) => (position - 0.1 * STEP, true),
            (false, true) if 1.0 >= position => (position + 0.05 * STEP, true),
            (false, _) => (1.0, false),
        };
        backs += usize::from(torque.abs() > 1300.0);
        agains += usize::from(acts && torque.abs() <= 1300.0);
        is_near(limited.of("propulsion/engine[4]/n1 asked"), 58.0 + 42.0 * position, EXACT);
        torque = limited.of("propulsion/engine[4]/propeller-torque-ftlb");
    }
    assert!(backs > 0 && agains > 0, "{backs} {agains}");
}

#[test]
fn a_brushless_motor_turns_where_its_current_drives_the_propeller() {
    let flight = standard_flight(0.0, 0.0);
    let [density, _] = air(&flight);
    let mut engines = engines(&flight, &|_| None);
    engines.set(&throttle(5), 0.6);
    (0..6000).for_each(|_| engines.step());
    let of = |name: &str| engines.of(&format!("propulsion/engine[5]/{name}"));
    let turns = of("propeller-rpm") / 60.0;
    let current = (0.6 * 16.0 - turns * 60.0 / 700.0) / 0.1;
    is_near(of("current-amperes"), current, SETTLED);
    // The speed constant is a torque constant too; friction takes half an ampere. Foot-pounds as JSBSim has them.
    let torque = (current - 0.5) * 60.0 / (2.0 * PI * 700.0) / 1.3558;
    is_near(torque * 2.0 * PI * turns, 0.05 * density * turns.powi(3), SETTLED);
    is_near(of("thrust-lbs"), 0.11 * density * turns * turns, SETTLED);
}

/// The axes of a thruster that is turned by roll, pitch and yaw \[deg\], in body axes.
fn axes(pitch: f64, yaw: f64) -> DMat3 {
    DMat3::from_euler(EulerRot::ZYX, yaw.to_radians(), pitch.to_radians(), 0.0)
}

#[test]
fn loads_are_the_sums_of_thrusts_with_arms_torques_and_p_factors() {
    let rate = DVec3::new(0.3, -0.2, 0.25);
    let mut flight = standard_flight(45.0, 200.0);
    flight.air_velocity = DVec3::new(45.0, 6.0, 4.0);
    flight.rate = rate;
    let mut engines = engines(&flight, &|_| None);
    (0..ENGINES).for_each(|engine| engines.set(&throttle(engine), 0.7));
    (0..300).for_each(|_| engines.step());
    let speeds: Vec<f64> = (0..ENGINES).map(|engine| rpm(&engines, engine)).collect();
    engines.step();
    let thrust = |engine: usize| engines.of(&format!("propulsion/engine[{engine}]/thrust-lbs"));
    let of = |engine: usize, name: &str| engines.of(&format!("propulsion/engine[{engine}]/{name}"));

    // From the centre of gravity at (10, 0, 2) ft of the structural frame [ft].
    let arms = [
        DVec3::new(-6.0, -3.0, -1.0),
        DVec3::new(6.0, 1.0, -0.5),
        DVec3::new(6.0, 7.5, 0.0),
        DVec3::new(10.0 - 6.0 / FOOT, 0.0, 2.0 - 0.5 / FOOT),
        DVec3::new(6.0, -7.5, 0.0),
        DVec3::ZERO,
    ];
    let turned = [axes(3.0, -2.0), axes(-4.0, 0.0), DMat3::IDENTITY, DMat3::IDENTITY, DMat3::IDENTITY, axes(90.0, 0.0)];
    let mut along = turned.map(|axes| axes.x_axis);
    along[3] = DVec3::new(0.8, 0.0, -0.6);
    // Inertia with sense and the file's sign of the gyroscopic moment [slug ft^2]; sense.
    let momenta = [None, Some((-1.5, -1.0)), Some((2.5, 1.0)), None, Some((2.5, 1.0)), Some((-0.0002 / 1.355_94, 1.0))];
    let [mut force, mut moment] = [DVec3::ZERO; 2];
    for engine in 0..ENGINES {
        let push = along[engine] * thrust(engine);
        force += push;
        moment += arms[engine].cross(push);
        if let Some((inertia, sense)) = momenta[engine] {
            let omega = speeds[engine] * PI / 30.0;
            let power = engines.of(&format!("propulsion/engine[{engine}]/power-hp")) * 550.0;
            let torque = along[engine] * (-sense * power / omega.max(0.01));
            // Horsepowers of the brushless motor are made of two roundings of the watt: 1.3e-5 of them.
            is_near(of(engine, "propeller-torque-ftlb"), -sense * power / omega.max(0.01), 2e-5);
            moment += rate.cross(along[engine] * inertia * omega)
                + torque.normalize_or_zero() * of(engine, "propeller-torque-ftlb").abs();
        }
    }
    // The p-factor: 6 in for each radian between shaft and flow, to where the blades that go down are: here they go down on the left.
    let velocity = flight.air_velocity / FOOT + rate.cross(arms[1]);
    let local = turned[1].transpose() * velocity;
    let across = local.y.hypot(local.z);
    let angle = across.atan2(local.x + of(1, "prop-induced-velocity_fps"));
    let shift = -6.0 / 12.0 * angle * DVec3::new(0.0, local.z, -local.y) / across;
    moment += shift.cross(along[1] * thrust(1));
    let [found_force, found_moment] = engines.loads();
    let off = |found: DVec3, expected: DVec3| (found - expected).length() / expected.length();
    assert!(off(found_force / POUND, force) < 1e-9, "{found_force} {force}");
    assert!(off(found_moment / (POUND * FOOT), moment) < 1e-9, "{found_moment} {moment}");
    assert!(shift.length() > 0.05 && thrust(1) > 10.0, "{shift} {}", thrust(1));
}

fn rpm(engines: &Engines, engine: usize) -> f64 {
    match engine {
        0 | 3 => 0.0,
        _ => engines.of(&format!("propulsion/engine[{engine}]/propeller-rpm")),
    }
}

#[test]
fn what_is_not_read_is_named_with_its_line_and_has_no_thrust() {
    let left_out = imported().left_out;
    assert_eq!(
        left_out,
        [
            "line 58: engine 6 has no thrust: its motor or its thruster is left out",
            "line 2 of engine/wing.xml: <rotor> is left out: it must be direct, nozzle or propeller",
        ]
    );
    assert!(imported().functions.iter().all(|function| !function.name.contains("engine[6]")));
}

#[test]
fn errors_name_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let aircraft = std::fs::read_to_string(self::folder().join("engines.xml")).unwrap();
    let path = folder.path().join("engines.xml");
    std::fs::write(&path, &aircraft).unwrap();
    let error = |path: &Path| match jsbsim_propulsion(path).unwrap_err() {
        ImportError::Jsbsim { path, line, message } => {
            (path.file_name().unwrap().to_string_lossy().into_owned(), line, message)
        }
        other => panic!("{other}"),
    };
    let (file, line, message) = error(&path);
    assert_eq!((file.as_str(), line), ("engines.xml", 13));
    assert!(
        message.contains("`jet` is in none of the folders Engines, engines, Engine, engine, ../../engine"),
        "{message}"
    );

    let engines = folder.path().join("engine");
    std::fs::create_dir(&engines).unwrap();
    for entry in std::fs::read_dir(self::folder().join("engine")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), engines.join(entry.file_name())).unwrap();
    }
    assert_eq!(jsbsim_propulsion(&path).unwrap(), imported());
    let jet = std::fs::read_to_string(engines.join("jet.xml")).unwrap();
    std::fs::write(engines.join("jet.xml"), jet.replace("1.5", "much")).unwrap();
    let (file, line, message) = error(&path);
    assert_eq!((file.as_str(), line), ("jet.xml", 5));
    assert_eq!(message, "<bypassratio>: `much` is not allowed: must be a finite number");
}
