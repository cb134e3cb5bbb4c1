//! Struts given by a function of compression and compression rate (JSBSim, `<strut_force>`, `FGFunction`).
//!
//! # Conventions
//! JSBSim's own: feet and pounds, a force that pushes the airframe up is negative, a speed that compresses is positive. What
//! is made of them is in SI units, and pushes are positive.

use super::JsbsimError;
use super::spring::Spring;
use super::xml::{Element, FOOT, PLAIN, POUND_FORCE, shown};

/// Deepest nesting of a function.
const DEEPEST: usize = 64;
/// Forces that differ by less than this share of the largest that was looked at are equal.
const EQUAL: f64 = 1e-9;
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
    let mut keys = vec![0.0];
    let function = strut.required("function")?;
    let body = Expression::Apply(Operation::Sum, Expression::all(function, number, &mut keys, 0)?);
    keys.retain(|key| *key >= 0.0);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    if keys.len() == 1 {
        keys.push(REACH);
    }
    let push = |compression: f64, speed: f64| 0.0 - body.value(compression, speed);
    let places: Vec<_> = keys.windows(2).flat_map(|pair| [pair[0], 0.5 * (pair[0] + pair[1]), pair[1]]).collect();
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
    let is_straight = keys
        .windows(2)
        .all(|pair| near(push(0.5 * (pair[0] + pair[1]), 0.0), 0.5 * (push(pair[0], 0.0) + push(pair[1], 0.0))));
    let is_damped = forces.into_iter().all(|(place, speed)| {
        let [linear, square] = if speed > 0.0 { compression } else { rebound };
        near(push(place, speed) - push(place, 0.0), (linear + square * speed.abs()) * speed)
    });
    if !is_straight || !is_damped || compression.into_iter().chain(rebound).any(|coefficient| coefficient < 0.0) {
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

#[derive(Clone, Copy)]
enum Operation {
    Sum,
    Difference,
    Product,
    Quotient,
    Min,
    Max,
    Abs,
    IfThen,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operation {
    /// By its element, with the least and the greatest number of arguments.
    fn of(tag: &str) -> Option<(Self, usize, usize)> {
        const ANY: usize = usize::MAX;
        Some(match tag {
            "sum" => (Self::Sum, 1, ANY),
            "difference" => (Self::Difference, 1, ANY),
            "product" => (Self::Product, 1, ANY),
            "quotient" => (Self::Quotient, 2, 2),
            "min" => (Self::Min, 1, ANY),
            "max" => (Self::Max, 1, ANY),
            "abs" => (Self::Abs, 1, 1),
            "ifthen" => (Self::IfThen, 3, 3),
            "lt" => (Self::Less, 2, 2),
            "le" => (Self::LessOrEqual, 2, 2),
            "gt" => (Self::Greater, 2, 2),
            "ge" => (Self::GreaterOrEqual, 2, 2),
            _ => return None,
        })
    }
}

enum Expression {
    Value(f64),
    Compression,
    Speed,
    /// Over compression; level beyond its ends.
    Table(Vec<(f64, f64)>),
    Apply(Operation, Vec<Expression>),
}

impl Expression {
    /// What the elements in an element say; keys of tables are added to those known.
    fn all(element: Element<'_>, number: usize, keys: &mut Vec<f64>, depth: usize) -> Result<Vec<Self>, JsbsimError> {
        if depth > DEEPEST {
            return Err(element.error(format!("functions of more than {DEEPEST} levels are not allowed")));
        }
        let children = element.children().filter(|child| !["description", "documentation"].contains(&child.tag()));
        children.map(|child| Self::of(child, number, keys, depth)).collect()
    }

    fn of(element: Element<'_>, number: usize, keys: &mut Vec<f64>, depth: usize) -> Result<Self, JsbsimError> {
        match element.tag() {
            "value" | "v" => element.number(PLAIN).map(Self::Value),
            "property" | "p" => Self::property(element, number),
            "table" | "t" => {
                let variable = element.required("independentVar")?;
                if !matches!(Self::property(variable, number)?, Self::Compression) {
                    return Err(variable.error("must be the strut's own compression"));
                }
                let rows = table(element.required("tableData")?)?;
                keys.extend(rows.iter().map(|row| row.0));
                Ok(Self::Table(rows))
            }
            tag => {
                let Some((operation, least, most)) = Operation::of(tag) else {
                    return Err(element.error("is not known in the function of a strut"));
                };
                let arguments = Self::all(element, number, keys, depth + 1)?;
                if (least..=most).contains(&arguments.len()) {
                    Ok(Self::Apply(operation, arguments))
                } else {
                    Err(element.error(format!("{} arguments are not allowed", arguments.len())))
                }
            }
        }
    }

    fn property(element: Element<'_>, number: usize) -> Result<Self, JsbsimError> {
        let text = element.text();
        let units = [format!("gear/unit[{number}]/"), "gear/unit[#]/".to_owned()];
        match units.iter().find_map(|unit| text.strip_prefix(unit.as_str())) {
            Some("compression-ft") => Ok(Self::Compression),
            Some("compression-velocity-fps") => Ok(Self::Speed),
            _ => Err(element.error(format!(
                "{} is not allowed: a strut may depend on {}compression-ft and {}compression-velocity-fps alone",
                shown(&text),
                units[0],
                units[0]
            ))),
        }
    }

    fn value(&self, compression: f64, speed: f64) -> f64 {
        match self {
            Self::Value(value) => *value,
            Self::Compression => compression,
            Self::Speed => speed,
            Self::Table(rows) => interpolated(rows, compression),
            Self::Apply(operation, arguments) => {
                let mut values = arguments.iter().map(|argument| argument.value(compression, speed));
                let first = values.next().unwrap_or(0.0);
                match operation {
                    Operation::Sum => values.fold(first, |sum, value| sum + value),
                    Operation::Difference => values.fold(first, |rest, value| rest - value),
                    Operation::Product => values.fold(first, |product, value| product * value),
                    Operation::Quotient => values.fold(first, |quotient, value| quotient / value),
                    Operation::Min => values.fold(first, f64::min),
                    Operation::Max => values.fold(first, f64::max),
                    Operation::Abs => first.abs(),
                    // 0 is false.
                    Operation::IfThen => values.nth(usize::from(first == 0.0)).unwrap_or(0.0),
                    Operation::Less => compare(first, values.next(), f64::lt),
                    Operation::LessOrEqual => compare(first, values.next(), f64::le),
                    Operation::Greater => compare(first, values.next(), f64::gt),
                    Operation::GreaterOrEqual => compare(first, values.next(), f64::ge),
                }
            }
        }
    }
}

/// 1 where it holds, else 0.
fn compare(first: f64, second: Option<f64>, holds: fn(&f64, &f64) -> bool) -> f64 {
    f64::from(u8::from(second.is_some_and(|second| holds(&first, &second))))
}

/// Rows of key and value, keys rising.
fn table(data: Element<'_>) -> Result<Vec<(f64, f64)>, JsbsimError> {
    let numbers: Option<Vec<f64>> = data
        .text()
        .split_whitespace()
        .map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    let rows: Vec<_> =
        numbers.iter().flat_map(|numbers| numbers.chunks_exact(2)).map(|pair| (pair[0], pair[1])).collect();
    let paired = numbers.is_some_and(|numbers| !numbers.is_empty() && numbers.len() % 2 == 0);
    if paired && rows.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        Ok(rows)
    } else {
        Err(data.error("must be rows of two finite numbers, the first of each above that of the row before"))
    }
}

fn interpolated(rows: &[(f64, f64)], key: f64) -> f64 {
    let next = rows.partition_point(|row| row.0 <= key);
    match (next.checked_sub(1).and_then(|before| rows.get(before)), rows.get(next)) {
        (Some(before), Some(after)) => before.1 + (key - before.0) / (after.0 - before.0) * (after.1 - before.1),
        (Some(only), None) | (None, Some(only)) => only.1,
        (None, None) => 0.0,
    }
}
