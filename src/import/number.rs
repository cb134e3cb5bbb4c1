//! Formatting of numbers in generated files.

use glam::DVec3;

/// A number to twelve digits: far more than a model has, and without what conversion of units leaves at the end.
pub(super) fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    // Without the sign of a zero.
    let rounded = rounded + 0.0;
    if rounded != 0.0 && !(1e-6..1e15).contains(&rounded.abs()) { format!("{rounded:e}") } else { format!("{rounded}") }
}

pub(super) fn vector(vector: DVec3) -> String {
    format!("[{}]", vector.to_array().map(number).join(", "))
}
