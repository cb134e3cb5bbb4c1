//! Parts of engines that no aircraft of ours has: superchargers, solid rockets, what controls turn.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use glam::DVec3;
use touchdown::function::Table;
use touchdown::import::ImportedPropulsion;
use touchdown::propulsion::{
    Boost, BoostSpeed, Direction, Engine, Grain, Motor, Mounting, Piston, Pitch, Propeller, Propulsion, Rocket,
    Thruster,
};

use crate::support::propulsion::{Engines, FOOT, POUND, standard_flight};

const STEP: f64 = 0.01;
/// Formulas in other orders than those of the functions.
const EXACT: f64 = 1e-11;

#[track_caller]
fn is_near(found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(off <= tolerance * expected.abs().max(1.0), "{found} is not {expected}");
}

fn stepped(motor: Motor, thruster: Thruster, set: &'static str, start: &dyn Fn(&str) -> Option<f64>) -> Engines {
    let mounting = Mounting { arm: [-5.0, 0.0, 1.0], direction: Direction::Angles([0.0; 3]) };
    let Propulsion { functions, at_start } =
        Propulsion::new(&[Engine { number: 0, functions: Vec::new(), motor, thruster, mounting }], &|name| name == set);
    let imported = ImportedPropulsion { functions, at_start, left_out: Vec::new() };
    Engines::new(&imported, 1, STEP, &standard_flight(0.0, 0.0), start)
}

fn line(points: &[f64], values: &[f64]) -> Arc<Table> {
    Arc::new(Table::Line { points: points.to_vec(), values: values.to_vec() })
}

/// A propeller so heavy that its speed stays.
fn flywheel() -> Thruster {
    Thruster::Propeller(Box::new(Propeller {
        inertia: 1e12,
        diameter: 6.0,
        gear_ratio: 1.0,
        pitch: Pitch::Fixed(20.0),
        sense: 1.0,
        gyroscopic_sign: 1.0,
        p_factor: 0.0,
        factors: [1.0; 2],
        coefficients: [line(&[0.0], &[0.1]), line(&[0.0], &[0.05])],
        of_mach: [None, None],
    }))
}

fn blown(boost: Boost) -> Motor {
    Motor::Piston(Box::new(Piston {
        displacement: 1500.0,
        stroke: 6.0,
        cycles: 4.0,
        speeds: [500.0, 3000.0],
        manifold: [8.0, 28.5],
        manifold_lag: 0.0,
        max_power: 1200.0,
        static_friction: 2.0,
        consumption: Some(0.5),
        volumetric_efficiency: 0.85,
        compression: 6.0,
        intake_impedance: None,
        ram_factor: 1.0,
        peak_piston_speed: 100.0,
        dynamic_friction: 18_400.0,
        friction: 46_500.0,
        mixture: None,
        boost: Some(boost),
    }))
}

/// JSBSim's polynomial for the pressure of the standard air \[Pa\] at a height \[ft\].
fn standard_pressure(height: f64) -> f64 {
    let terms = [2116.217, -7.648_932_746e-2, 1.092_549_860_4e-6, -7.113_572_602_7e-12, 1.747_033_135_6e-17];
    let sum = terms.iter().enumerate().map(|(power, term)| term * height.powi(power as i32)).sum::<f64>();
    sum * 47.88
}

#[test]
fn a_supercharger_changes_gears_keeps_its_limits_and_takes_power() {
    let gear = |height| BoostSpeed { pressure: 6.0, speed: 2500.0, height };
    let boost = Boost {
        gears: vec![gear(5000.0), gear(15_000.0)],
        is_manual: false,
        is_unlimited: false,
        takeoff: Some(9.0),
        loss: 0.5,
    };
    let start = |name: &str| (name == "propulsion/engine/propeller-rpm").then_some(2500.0);
    let mut engines = stepped(blown(boost), flywheel(), "", &start);
    let of = |engines: &Engines, name: &str| engines.of(&format!("propulsion/engine/{name}"));
    let limit = 101_320.73 + 6.0 * 6895.0;
    let (down, up) = (standard_pressure(6000.0) + 1000.0, standard_pressure(6000.0) - 1000.0);
    let mut flow = 0.0;
    let (mut limited, mut free) = (0, 0);
    for (outside, throttle, gear) in [
        (101_000.0, 0.9, 0),
        (101_000.0, 1.0, 0),
        (101_000.0, 0.3, 0),
        (up + 10.0, 0.9, 0),
        (up - 10.0, 0.9, 1),
        (down - 10.0, 0.9, 1),
        (60_000.0, 0.9, 1),
        (down + 10.0, 0.9, 0),
    ] {
        for name in ["atmosphere/P-psf", "propulsion/pt-lbs_sqft"] {
            engines.set(name, outside / 47.88);
        }
        engines.set("fcs/throttle-pos-norm[0]", throttle);
        engines.step();
        let rated = [5000.0, 15_000.0][gear];
        let throttled = of(&engines, "throttled pressure-pa");
        let boosted = throttled * limit / standard_pressure(rated);
        let most = if throttle > 0.98 { limit + 3.0 * 6895.0 } else { limit };
        let pressure = of(&engines, "map-pa");
        is_near(pressure, boosted.min(most), EXACT);
        is_near(of(&engines, "boost-speed"), gear as f64, 0.0);
        limited += usize::from(boosted > most);
        free += usize::from(boosted < most);
        // Adiabatic compression of the air of the step before.
        let exponent = 0.414 / 1.414;
        let taken = throttled * flow / exponent * ((pressure / throttled).powf(exponent) - 1.0) * 0.5 / 745.7;
        is_near(of(&engines, "boostloss-hp"), taken, EXACT);
        flow = of(&engines, "air flow-m3_sec");
    }
    assert!(limited > 1 && free > 1 && flow > 0.1, "{limited} {free} {flow}");
}

#[test]
fn a_supercharger_with_a_lever_has_the_gear_that_is_set() {
    let gear = |height| BoostSpeed { pressure: 6.0, speed: 2500.0, height };
    let boost = Boost {
        gears: vec![gear(5000.0), gear(15_000.0)],
        is_manual: true,
        is_unlimited: true,
        takeoff: None,
        loss: 0.0,
    };
    for (set, gear) in [(0.0, 5000.0), (1.0, 15_000.0), (7.0, 15_000.0)] {
        let start = |name: &str| match name {
            "propulsion/engine/propeller-rpm" => Some(2500.0),
            "propulsion/engine/boost-speed" => Some(set),
            _ => None,
        };
        let mut engines = stepped(blown(boost.clone()), flywheel(), "", &start);
        engines.set("fcs/throttle-pos-norm[0]", 0.8);
        for _ in 0..3 {
            engines.step();
            let throttled = engines.of("propulsion/engine/throttled pressure-pa");
            let boosted = throttled * (101_320.73 + 6.0 * 6895.0) / standard_pressure(gear);
            is_near(engines.of("propulsion/engine/map-pa"), boosted, EXACT);
        }
    }
}

#[test]
fn a_solid_rocket_burns_its_grain_whatever_the_throttle() {
    // 1100 lbf after half a second; 200 s of specific impulse, 10 lb, then nothing.
    let grain = Grain {
        thrust: line(&[0.0, 10.0, 10.000_001], &[1000.0, 1000.0, 0.0]),
        buildup: 0.5,
        thrust_variation: 0.1,
        impulse_variation: 0.0,
    };
    let rocket = Rocket { specific_impulse: 200.0.into(), min_throttle: 0.0, flow: 0.0, grain: Some(grain) };
    let mut engines = stepped(Motor::Rocket(rocket), Thruster::Direct, "", &|_| None);
    let mut impulse = 0.0;
    engines.set("fcs/throttle-pos-norm[0]", 0.99);
    engines.step();
    is_near(engines.of("propulsion/engine/thrust-lbs"), 0.0, 0.0);
    engines.set("fcs/throttle-pos-norm[0]", 1.0);
    for step in 0..300 {
        engines.step();
        engines.set("fcs/throttle-pos-norm[0]", 0.0);
        let thrust = engines.of("propulsion/engine/thrust-lbs");
        let time = f64::from(step) * STEP;
        if time < 1.9 {
            let builds_up = if time <= 0.5 { (time / 0.5 * FRAC_PI_2).sin() } else { 1.0 };
            is_near(thrust, 1100.0 * builds_up, 1e-9);
        }
        impulse += thrust * STEP;
    }
    // All of it, to a step's.
    assert!((impulse / 200.0 - 10.0).abs() <= 1100.0 * STEP / 200.0, "{impulse}");
    is_near(engines.of("propulsion/engine/thrust-lbs"), 0.0, 0.0);
}

#[test]
fn gimbals_and_reversers_stay_where_they_are_set() {
    let thousand = || Motor::Electric(745.7 / 550.0 * 1000.0);
    let loads = |set: &'static str, value: f64| {
        let mut engines = stepped(thousand(), Thruster::Direct, set, &|name| (name == set).then_some(value));
        engines.set("fcs/throttle-pos-norm[0]", 1.0);
        (0..3).for_each(|_| engines.step());
        let [force, moment] = engines.loads();
        [force / POUND, moment / (POUND * FOOT)]
    };
    let arm = DVec3::new(-5.0, 0.0, 1.0);
    for (set, value, along) in [
        ("propulsion/engine/pitch-angle-rad", 0.1, DVec3::new(0.1_f64.cos(), 0.0, -0.1_f64.sin())),
        ("propulsion/engine/yaw-angle-rad", -0.2, DVec3::new(0.2_f64.cos(), -0.2_f64.sin(), 0.0)),
        ("propulsion/engine/reverser-angle-rad", PI, DVec3::NEG_X),
        ("nothing", 1.0, DVec3::X),
    ] {
        let [force, moment] = loads(set, value);
        assert!((force - along * 1000.0).length() < 1e-9, "{set}: {force}");
        assert!((moment - arm.cross(along) * 1000.0).length() < 1e-9, "{set}: {moment}");
    }
}

#[test]
fn an_aircraft_without_engines_has_no_functions() {
    assert_eq!(Propulsion::new(&[], &|_| false), Propulsion::default());
}
