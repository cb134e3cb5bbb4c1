//! Struts given by a function of compression and compression rate (JSBSim, `<strut_force>`, `FGFunction`).
//!
//! # Conventions
//! JSBSim's own: feet and pounds, a force that pushes the airframe up is negative, a speed that compresses is positive. What
//! is made of them is in SI units, and pushes are positive.

use super::JsbsimError;
use super::function::function;
use super::spring::Spring;
use super::xml::{Element, FOOT, POUND_FORCE, shown};
use crate::function::{Expression, Table, canonical};

/// What a function may read of its strut, by JSBSim's names \[ft\], \[ft/s\]; their places are those in its row.
const READ: [&str; 2] = ["compression-ft", "compression-velocity-fps"];
const COMPRESSION: usize = 0;
/// Forces that differ by less than this share of the largest that was looked at are equal.
const EQUAL: f64 = 1e-9;
/// Where a function is looked at between two keys of its tables, as shares of the way: what repeats itself between
/// them shows at one of these.
const SHARES: [f64; 3] = [0.29, 0.5, 0.83];
/// Speeds at which dampers are looked at, beside the 1 and 2 ft/s that they are found from \[ft/s\].
const SPEEDS: [f64; 3] = [0.25, 4.0, 13.0];
/// Compression up to which a function without tables is looked at \[ft\].
const REACH: f64 = 1.0;

/// A damper's force is `(linear + square |w|) w` at the speed w.
#[derive(Clone, Copy)]
pub(super) struct Damper {
    /// \[N s/m\], not negative.
    pub linear: f64,
    /// \[N s^2/m^2\], not negative.
    pub square: f64,
}

/// A spring with its dampers.
pub(super) struct StrutForce {
    pub spring: Spring,
    pub damper: Damper,
    pub rebound: Damper,
}

/// Takes a function apart into a spring, straight between the keys of its tables, and dampers that go with the speed or its
/// square. The contact's number is that among all contacts.
pub(super) fn strut_force(strut: Element<'_>, number: usize) -> Result<StrutForce, JsbsimError> {
    let element = strut.required("function")?;
    let body = over_strut(&function(element)?.expression, number).map_err(|message| element.error(message))?;
    let mut keys = vec![0.0];
    add_keys(&body, &mut keys).map_err(|message| element.error(message))?;
    keys.retain(|key| *key >= 0.0);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    if keys.len() == 1 {
        keys.push(REACH);
    }
    let push = |compression: f64, speed: f64| 0.0 - body.value(&[compression, speed]);
    let between = |pair: &[f64], share: f64| pair[0] + share * (pair[1] - pair[0]);
    let places = keys.windows(2).flat_map(|pair| {
        let inside = SHARES.map(|share| between(pair, share));
        [pair[0]].into_iter().chain(inside).chain([pair[1]])
    });
    let places: Vec<f64> = places.collect();
    let speeds = || SPEEDS.into_iter().flat_map(|speed| [speed, -speed]);
    let forces = places.iter().flat_map(|&place| speeds().map(move |speed| (place, speed)));
    let largest = forces.clone().map(|(place, speed)| push(place, speed).abs()).fold(0.0, f64::max);
    let near = |found: f64, expected: f64| (found - expected).abs() <= EQUAL * largest;

    // The force of a damper a s + b s |s|, from two speeds in a direction.
    let damper = |direction: f64| {
        let [once, twice] = [1.0, 2.0].map(|speed| direction * (push(0.0, direction * speed) - push(0.0, 0.0)));
        let square = 0.5 * (twice - 2.0 * once);
        let without_rounding = |force: f64| if near(force, 0.0) { 0.0 } else { force };
        [without_rounding(once - square), without_rounding(square)]
    };
    let (compression, rebound) = (damper(1.0), damper(-1.0));
    let is_straight = keys.windows(2).all(|pair| {
        let ends = [push(pair[0], 0.0), push(pair[1], 0.0)];
        SHARES.iter().all(|&share| near(push(between(pair, share), 0.0), between(&ends, share)))
    });
    let is_damped = forces.into_iter().all(|(place, speed)| {
        let [linear, square] = if speed > 0.0 { compression } else { rebound };
        near(push(place, speed) - push(place, 0.0), (linear + square * speed.abs()) * speed)
    });
    // To an infinite force all are near.
    if !largest.is_finite()
        || !is_straight
        || !is_damped
        || compression.into_iter().chain(rebound).any(|coefficient| coefficient < 0.0)
    {
        return Err(strut.error(
            "must be a spring, straight between the keys of its tables, and dampers that go with the speed or its square",
        ));
    }
    let rows: Vec<_> = keys.iter().map(|&key| (key * FOOT, push(key, 0.0) * POUND_FORCE)).collect();
    if !near(push(0.0, 0.0), 0.0) {
        return Err(strut.error("the force without compression must be 0"));
    }
    let spring = match rows[..] {
        [_, (compression, force)] if force > 0.0 => Spring::linear(force / compression),
        _ => Spring::table(rows).map_err(|why| strut.error(why))?,
    };
    let damper = |[linear, square]: [f64; 2]| Damper {
        linear: linear * POUND_FORCE / FOOT,
        square: square * POUND_FORCE / (FOOT * FOOT),
    };
    Ok(StrutForce { spring, damper: damper(compression), rebound: damper(rebound) })
}

/// A function over [`READ`] of this contact, or the property that it may not read.
fn over_strut(function: &Expression<String>, number: usize) -> Result<Expression<usize>, String> {
    let unit = format!("gear/unit[{number}]/");
    function.resolve(&mut |name: &String| {
        let own = canonical(&name.replace("[#]", &format!("[{number}]")));
        let read = own.strip_prefix(canonical(&unit).as_str());
        read.and_then(|read| READ.iter().position(|known| *known == read)).ok_or_else(|| {
            let [compression, speed] = READ;
            format!("{} is not allowed: a strut may depend on {unit}{compression} and {unit}{speed} alone", shown(name))
        })
    })
}

/// Adds the keys of tables, which must be over the compression.
fn add_keys(function: &Expression<usize>, keys: &mut Vec<f64>) -> Result<(), String> {
    match function {
        Expression::Value(_) | Expression::Property(_) | Expression::Negative(_) => Ok(()),
        Expression::Operation(_, arguments) => arguments.iter().try_for_each(|argument| add_keys(argument, keys)),
        Expression::Table(table, by) => match (&**table, &by[..]) {
            (Table::Line { points, .. }, [Expression::Property(COMPRESSION)]) => {
                keys.extend(points);
                Ok(())
            }
            _ => Err("a table must be over the strut's own compression".to_owned()),
        },
    }
}
