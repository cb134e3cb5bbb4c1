//! Motors.

use std::sync::Arc;

use super::super::function::{function, table, unnamed_line, unnamed_table};
use super::super::xml::{Element, Measure, PLAIN};
use super::super::{JsbsimError, Warnings};
use super::{above, named_table, number, plain, positive};
use crate::function::{Expression, Function};
use crate::propulsion::{Augmentation, Boost, BoostSpeed, Brushless, Grain, Motor, Piston, Rocket, Turbine, Turboprop};

/// \[lbf\].
const THRUST: &Measure = &[("LBS", 1.0), ("N", 0.22482)];
/// \[W\].
const WATTS: &Measure = &[("WATTS", 1.0), ("HP", 1.0 / 0.001_341_022)];
/// \[hp\].
const POWER: &Measure = &[("HP", 1.0), ("WATTS", 0.001_341_022)];
/// \[inHg\].
const MERCURY: &Measure = &[("INHG", 1.0), ("PSI", 2.036_254_37), ("PA", 1.0 / 3386.0), ("ATM", 29.924_689_9)];
/// \[lbf/in^2\].
const BOOST: &Measure = &[("PSI", 1.0), ("INHG", 1.0 / 2.036_254_37)];
/// \[Pa\].
const PRESSURE: &Measure = &[("PA", 1.0), ("INHG", 3386.0)];
/// \[in^3\].
const VOLUME: &Measure = &[("IN3", 1.0), ("CC", 1.0 / 16.387_064), ("LTR", 61.023_744_1), ("FT3", 1728.0)];
/// \[in\].
const SIZE: &Measure = &[("IN", 1.0), ("FT", 12.0), ("M", 12.0 * 3.280_839_9)];
/// \[ft\].
const HEIGHT: &Measure = &[("FT", 1.0), ("M", 3.280_839_9)];
/// \[lb/hp/h\].
const CONSUMPTION: &Measure = &[("LBS/HP*HR", 1.0), ("KG/KW*HR", 1.0 / 0.6083)];
/// \[lb/s\].
const FLOW: &Measure = &[("LBS/SEC", 1.0), ("KG/SEC", 1.0 / 0.453_592_37)];

/// What a motor's element says; none if it is left out.
pub(super) fn motor(
    element: Element<'_>,
    engine: usize,
    warnings: &mut Warnings,
) -> Result<Option<Motor>, JsbsimError> {
    Ok(Some(match element.tag() {
        "turbine_engine" => Motor::Turbine(Box::new(turbine(element, engine)?)),
        "piston_engine" => Motor::Piston(Box::new(piston(element)?)),
        "turboprop_engine" => Motor::Turboprop(turboprop(element, engine)?),
        "rocket_engine" => Motor::Rocket(rocket(element, engine)?),
        "electric_engine" => Motor::Electric(number(element, "power", WATTS)?.unwrap_or(745.7)),
        "brushless_dc_motor" => Motor::Brushless(Brushless {
            voltage: element.required("maxvolts")?.finite()?,
            speed_constant: element.required("velocityconstant")?.positive(PLAIN)?,
            resistance: element.required("coilresistance")?.above(0.0)?,
            idle_current: element.required("noloadcurrent")?.finite()?,
        }),
        _ => {
            warnings.left_out(
                &element,
                ": it must be turbine_engine, piston_engine, turboprop_engine, rocket_engine, electric_engine or brushless_dc_motor",
            );
            return Ok(None);
        }
    }))
}

/// The same formula for one of several engines: `#` is its number.
fn of_engine(formula: &Expression<String>, engine: usize) -> Expression<String> {
    let named = |name: &String| Ok::<_, std::convert::Infallible>(name.replace('#', &engine.to_string()));
    let Ok(formula) = formula.resolve(&mut { named });
    formula
}

/// The functions of an element that have names of their own: others may read what they make.
pub(super) fn own_functions(element: Element<'_>, engine: usize) -> Result<Vec<Function<String>>, JsbsimError> {
    let is_own = |found: &Element<'_>| !READ.contains(&last_name(*found));
    let own = element.all("function").filter(is_own).map(|found| {
        let Function { name, expression } = function(found)?;
        Ok(Function { name: name.replace('#', &engine.to_string()), expression: of_engine(&expression, engine) })
    });
    own.collect()
}

/// Functions that motors read.
const READ: [&str; 9] = [
    "IdleThrust",
    "MilThrust",
    "AugThrust",
    "Injection",
    "N1SpoolUp",
    "N1SpoolDown",
    "N2SpoolUp",
    "N2SpoolDown",
    "EnginePowerVC",
];

/// A function's name without those of folders before it.
fn last_name(element: Element<'_>) -> &str {
    let name = element.attribute("name");
    name.rsplit('/').next().unwrap_or(name)
}

/// A function by its name.
fn of_function(element: Element<'_>, name: &str, engine: usize) -> Result<Option<Expression<String>>, JsbsimError> {
    let found = element.all("function").find(|found| last_name(*found) == name);
    found.map(|found| Ok(of_engine(&function(found)?.expression, engine))).transpose()
}

fn required_function(element: Element<'_>, name: &str, engine: usize) -> Result<Expression<String>, JsbsimError> {
    let missing = || element.error(format!("<function name=\"{name}\"> is missing"));
    of_function(element, name, engine)?.ok_or_else(missing)
}

fn turbine(element: Element<'_>, engine: usize) -> Result<Turbine, JsbsimError> {
    let thrust = |tag: &str| Ok(number(element, tag, THRUST)?.unwrap_or(10_000.0));
    let or = |tag: &str, default: f64| Ok(plain(element, tag)?.unwrap_or(default));
    let rate = |name: &str| of_function(element, name, engine);
    let is_augmented = or("augmented", 0.0)?.trunc() == 1.0;
    let augmentation = match or("augmethod", 0.0)?.trunc() {
        2.0 => Augmentation::AboveFullThrottle,
        1.0 if is_augmented => Augmentation::AtFullThrottle,
        // Nothing but a program that has JSBSim in it begins the augmentation of method 0.
        _ => Augmentation::None,
    };
    let augmented = match augmentation {
        Augmentation::None => None,
        _ => Some(required_function(element, "AugThrust", engine)?),
    };
    let idle = [or("idlen1", 30.0)?, or("idlen2", 60.0)?];
    let full = [or("maxn1", 100.0)?, or("maxn2", 100.0)?];
    // Thrust goes with the share of the way between them.
    if full[1] <= idle[1] {
        let said = element.first("maxn2").or_else(|| element.first("idlen2")).unwrap_or(element);
        return Err(said.error(format!(
            "<maxn2> of {} and <idlen2> of {} are not allowed: <maxn2> must be above <idlen2>",
            full[1], idle[1]
        )));
    }
    Ok(Turbine {
        military_thrust: thrust("milthrust")?,
        augmented_thrust: thrust("maxthrust")?,
        bypass_ratio: element.first("bypassratio").map_or(Ok(0.0), |found| found.not_negative(PLAIN))?,
        bleed: or("bleed", 0.0)?,
        idle,
        full,
        augmentation,
        idle_thrust: required_function(element, "IdleThrust", engine)?,
        military: required_function(element, "MilThrust", engine)?,
        augmented,
        rates: [[rate("N1SpoolUp")?, rate("N1SpoolDown")?], [rate("N2SpoolUp")?, rate("N2SpoolDown")?]],
    })
}

fn piston(element: Element<'_>) -> Result<Piston, JsbsimError> {
    let or = |tag: &str, measure: &Measure, default: f64| Ok(number(element, tag, measure)?.unwrap_or(default));
    let plainly = |tag: &str, default: f64| Ok(plain(element, tag)?.unwrap_or(default));
    // What is divided by.
    let sized = |tag: &str, measure: &Measure, default: f64| Ok(positive(element, tag, measure)?.unwrap_or(default));
    let over = |tag: &str, least: f64, default: f64| Ok(above(element, tag, least)?.unwrap_or(default));
    let impedance = plain(element, "air-intake-impedance-factor")?;
    // JSBSim makes one of the other numbers where it is negative.
    let consumption = number(element, "bsfc", CONSUMPTION)?.filter(|consumption| *consumption >= 0.0);
    if consumption == Some(0.0) {
        return Err(element.required("bsfc")?.refused("must not be 0"));
    }
    Ok(Piston {
        displacement: sized("displacement", VOLUME, 360.0)?,
        stroke: sized("stroke", SIZE, 4.375)?,
        cycles: over("cycles", 0.0, 4.0)?,
        speeds: [over("idlerpm", 0.0, 600.0)?, over("maxrpm", 0.0, 2800.0)?],
        manifold: [sized("minmp", MERCURY, 6.5)?, sized("maxmp", MERCURY, 28.5)?],
        manifold_lag: plainly("man-press-lag", 1.0)?,
        max_power: or("maxhp", POWER, 200.0)?,
        static_friction: or("static-friction", POWER, 1.5)?,
        consumption,
        volumetric_efficiency: over("volumetric-efficiency", 0.0, 0.85)?,
        compression: over("compression-ratio", 1.0, 8.5)?,
        intake_impedance: impedance.filter(|impedance| *impedance >= 0.0),
        ram_factor: plainly("ram-air-factor", 1.0)?,
        peak_piston_speed: over("peak-piston-speed", 0.0, 100.0)?,
        dynamic_friction: or("dynamic-fmep", PRESSURE, 18_400.0)?,
        friction: or("static-fmep", PRESSURE, 46_500.0)?,
        mixture: named_table(element, "MIXTURE", unnamed_line)?,
        boost: boost(element)?,
    })
}

/// Most gears of a supercharger.
const GEARS: usize = 3;

fn boost(element: Element<'_>) -> Result<Option<Boost>, JsbsimError> {
    let asked = plain(element, "numboostspeeds")?.unwrap_or(0.0);
    let mut gears: Vec<BoostSpeed> = Vec::new();
    for number_of_gear in (1..=GEARS).take_while(|gear| *gear as f64 <= asked) {
        let of = |name: &str, measure: &Measure| number(element, &format!("{name}{number_of_gear}"), measure);
        let pressure = of("ratedboost", BOOST)?.unwrap_or(0.0);
        let power = of("ratedpower", POWER)?.unwrap_or(0.0);
        let height = of("ratedaltitude", HEIGHT)?.unwrap_or(0.0);
        let is_above = gears.last().is_none_or(|before| before.height <= height);
        // JSBSim takes a gear of impossible numbers, and those after it, as none.
        if pressure <= 0.0 || power <= 0.0 || height < 0.0 || !is_above {
            break;
        }
        let speed = above(element, &format!("ratedrpm{number_of_gear}"), 0.0)?.unwrap_or(2500.0);
        gears.push(BoostSpeed { pressure, speed, height });
    }
    if gears.is_empty() {
        return Ok(None);
    }
    let is_one = |tag: &str| Ok(plain(element, tag)?.is_some_and(|number| number.trunc() == 1.0));
    Ok(Some(Boost {
        gears,
        is_manual: is_one("boostmanual")?,
        is_unlimited: is_one("boostoverride")?,
        takeoff: number(element, "takeoffboost", BOOST)?,
        loss: plain(element, "boost-loss-factor")?.unwrap_or(0.0).max(0.0),
    }))
}

fn turboprop(element: Element<'_>, engine: usize) -> Result<Turboprop, JsbsimError> {
    let or = |tag: &str, default: f64| Ok(plain(element, tag)?.unwrap_or(default));
    let missing = |name: &str| element.error(format!("<table name=\"{name}\"> is missing"));
    let bare = element.all("table").find(|found| found.attribute("name") == "EnginePowerVC");
    let of_air = match (of_function(element, "EnginePowerVC", engine)?, bare) {
        (Some(of_air), _) => of_air,
        (None, Some(bare)) => of_engine(&table(bare)?, engine),
        (None, None) => return Err(missing("EnginePowerVC")),
    };
    let power =
        named_table(element, "EnginePowerRPM_N1", unnamed_table)?.ok_or_else(|| missing("EnginePowerRPM_N1"))?;
    if power.arguments() != 2 {
        return Err(
            element.error("<table name=\"EnginePowerRPM_N1\"> must have a column for each speed of the gas generator")
        );
    }
    Ok(Turboprop {
        idle: or("idlen1", 30.0)?,
        full: or("maxn1", 100.0)?,
        lag: above(element, "n1idle_max_delay", 0.0)?.unwrap_or(1.0),
        max_power: element.required("maxpower")?.finite()?,
        max_torque: plain(element, "ielumaxtorque")?.filter(|torque| *torque > 0.0),
        power,
        of_air,
    })
}

fn rocket(element: Element<'_>, engine: usize) -> Result<Rocket, JsbsimError> {
    let isp = element.required("isp")?;
    let specific_impulse = match isp.first("function") {
        Some(found) => of_engine(&function(found)?.expression, engine),
        None => isp.above(0.0)?.into(),
    };
    let fuel = number(element, "slfuelflowmax", FLOW)?;
    let flow = match fuel {
        Some(fuel) => fuel + number(element, "sloxiflowmax", FLOW)?.unwrap_or(0.0),
        None => number(element, "propflowmax", FLOW)?.unwrap_or(0.0),
    };
    let grain = element.first("thrust_table").map(|thrust| -> Result<Grain, JsbsimError> {
        let variation = element.first("variation");
        let of = |tag: &str| variation.map_or(Ok(None), |variation| above(variation, tag, -1.0));
        Ok(Grain {
            thrust: Arc::new(unnamed_line(thrust)?),
            buildup: plain(element, "builduptime")?.unwrap_or(0.0),
            thrust_variation: of("thrust")?.unwrap_or(0.0),
            impulse_variation: of("total_isp")?.unwrap_or(0.0),
        })
    });
    let min_throttle = plain(element, "minthrottle")?.unwrap_or(0.0);
    Ok(Rocket { specific_impulse, min_throttle, flow, grain: grain.transpose()? })
}
