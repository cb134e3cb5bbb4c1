//! `[stopping]`: when a run may stop before its last trial.

use crate::document::{DocumentError, Table, Unit};
use crate::study::{Criterion, Stopping};

/// Shortest wall time accepted \[s\].
const MIN_WALL_TIME: f64 = 0.001;
/// Longest wall time accepted \[s\]: some three years.
const MAX_WALL_TIME: f64 = 1e8;
/// Narrowest interval accepted: narrower ones take more trials than there can be.
const NARROWEST: f64 = 1e-4;
/// Widest interval accepted.
const WIDEST: f64 = 10.0;

/// `[stopping]` of a study with these criteria.
pub(super) fn stopping(root: &Table<'_>, criteria: &[Criterion]) -> Result<Option<Stopping>, DocumentError> {
    let Some(table) = root.optional_table("stopping")? else {
        return Ok(None);
    };
    let stopping = Stopping {
        wall_time: table
            .optional("wall_time")
            .map(|field| field.in_range(Unit::Time, MIN_WALL_TIME, MAX_WALL_TIME))
            .transpose()?,
        interval: table.optional("interval").map(|field| field.in_range(Unit::One, NARROWEST, WIDEST)).transpose()?,
        decided: table.optional_or("decided", false, |field| field.boolean())?,
    };
    table.finish()?;
    let looks = stopping.interval.is_some() || stopping.decided;
    if !looks && stopping.wall_time.is_none() {
        return Err(table.error("no rule stands here; give wall_time, interval or decided = true"));
    }
    if looks && criteria.is_empty() {
        return Err(table.error("interval and decided look at criteria, and the study has none"));
    }
    Ok(Some(stopping))
}
