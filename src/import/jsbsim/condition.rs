//! Tests of switches and distributors, and numbers that may be properties.

use super::JsbsimError;
use super::function::named_property;
use super::xml::{Element, shown};
use crate::function::{Expression, Operation};

/// Most tests within each other.
const MAX_DEPTH: usize = 64;

/// Comparisons by their names.
const COMPARISONS: [(&[&str], Operation); 6] = [
    (&["==", "eq", "EQ"], Operation::Equal),
    (&["!=", "ne", "NE"], Operation::NotEqual),
    (&["<", "lt", "LT"], Operation::Less),
    (&["<=", "le", "LE"], Operation::LessOrEqual),
    (&[">", "gt", "GT"], Operation::Greater),
    (&[">=", "ge", "GE"], Operation::GreaterOrEqual),
];

/// Reads a number, or a property with or without a sign.
pub(super) fn parameter(text: &str, element: Element<'_>) -> Result<Expression<String>, JsbsimError> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Expression::Value(number)),
        Ok(_) => Err(element.error(format!("{} is not allowed: must be finite", shown(text)))),
        Err(_) => named_property(text)
            .ok_or_else(|| element.error(format!("{} is not allowed: must be a number or a property", shown(text)))),
    }
}

/// Reads a test: 1 when it holds, else 0. Each line compares, and tests within count as lines do.
pub(super) fn condition(element: Element<'_>, depth: usize) -> Result<Expression<String>, JsbsimError> {
    if depth > MAX_DEPTH {
        return Err(element.error(format!("more than {MAX_DEPTH} tests within each other are not allowed")));
    }
    let operation = match element.attribute("logic") {
        "" | "AND" => Operation::And,
        "OR" => Operation::Or,
        other => return Err(element.error(format!("logic {} is not allowed: must be AND or OR", shown(other)))),
    };
    let text = element.text();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut all = lines.map(|line| comparison(line, element)).collect::<Result<Vec<_>, _>>()?;
    for child in element.children() {
        if child.tag() != element.tag() {
            return Err(child.error(format!("is not allowed in <{}>", element.tag())));
        }
        all.push(condition(child, depth + 1)?);
    }
    match all.len() {
        0 => Err(element.error("must hold a comparison, as `fcs/flap-cmd-norm gt 0.5`")),
        1 => Ok(all.remove(0)),
        _ => Ok(Expression::Operation(operation, all)),
    }
}

fn comparison(line: &str, element: Element<'_>) -> Result<Expression<String>, JsbsimError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [left, sign, right] = words[..] else {
        return Err(
            element.error(format!("{} is not allowed: must be a property, a comparison and a value", shown(line)))
        );
    };
    let Some((_, operation)) = COMPARISONS.iter().find(|(names, _)| names.contains(&sign)) else {
        let names: Vec<_> = COMPARISONS.iter().flat_map(|(names, _)| names.iter().copied()).collect();
        return Err(element.error(format!(
            "comparison {} is not allowed: must be one of {}",
            shown(sign),
            names.join(", ")
        )));
    };
    let left = named_property(left)
        .ok_or_else(|| element.error(format!("{} is not allowed: must be a property", shown(left))))?;
    Ok(Expression::Operation(*operation, vec![left, parameter(right, element)?]))
}
