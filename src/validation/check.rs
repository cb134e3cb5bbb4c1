//! Checks: what engines are judged by, one for each job or family of jobs.

use std::fmt;
use std::sync::Arc;

use super::{Agreement, Agreements, Finding, Item, ValidationError};
use crate::document::{DocumentError, Table};
use crate::engine::Engine;

/// The engine that judges, and the one that is judged.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// Computes in f64.
    pub judge: &'a dyn Engine,
    /// Is judged.
    pub candidate: &'a dyn Engine,
}

/// Hears how many items of a group are done, and in words what they come to so far.
pub type Advanced<'a> = dyn FnMut(u64, &str) + 'a;

/// What engines are judged by.
pub trait Check: Sync {
    /// Name on the command line, in reports and in files.
    fn name(&self) -> &'static str;

    /// What is judged, in some words.
    fn help(&self) -> &'static str;

    /// The classes of what is asked, or the studies.
    fn groups(&self) -> Vec<Group>;

    /// How many items' time so many take in each group.
    fn work(&self, items: u64) -> u64 {
        items
    }

    /// Reads what makes an item, as [`Item::fields`] saved it.
    ///
    /// # Errors
    /// When something that is needed to compute it again is missing or is none of what this program knows.
    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError>;
}

impl fmt::Debug for dyn Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

type Run = dyn Fn(Engines<'_>, u64, u64, &mut Advanced<'_>) -> Result<Outcome, ValidationError>;

/// A class of what a check asks, or a study.
pub struct Group {
    /// Its name.
    pub name: &'static str,
    run: Box<Run>,
}

impl Group {
    /// What judges the first items of a seed: engines, seed, items, and what hears of them.
    pub(super) fn new(
        name: &'static str,
        run: impl Fn(Engines<'_>, u64, u64, &mut Advanced<'_>) -> Result<Outcome, ValidationError> + 'static,
    ) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// Judges the candidate by the first items of a seed.
    ///
    /// # Errors
    /// When an engine fails.
    pub fn judge(
        &self,
        engines: Engines<'_>,
        seed: u64,
        items: u64,
        advanced: &mut Advanced<'_>,
    ) -> Result<Outcome, ValidationError> {
        (self.run)(engines, seed, items, advanced)
    }
}

/// What a check comes to in a group.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the check.
    pub check: &'static str,
    /// Name of the group.
    pub group: &'static str,
    /// The verdicts item by item; `None` for what is judged as a whole.
    pub tally: Option<Agreements>,
    /// Items may be made to touch a border, where rounding alone decides.
    pub touches: bool,
    /// True when the candidate passes.
    pub passes: bool,
    /// What is worth computing again: wrong items, or the worst.
    pub kept: Vec<Finding>,
    /// What else is to be said.
    pub aside: Option<Aside>,
}

impl Outcome {
    /// Of verdicts item by item.
    pub(super) fn of_tally(check: &'static str, group: &'static str, touches: bool, tally: Agreements) -> Self {
        let kept = match tally.wrong() {
            [] => tally.worst().cloned().into_iter().collect(),
            wrong => wrong.to_vec(),
        };
        Self { check, group, passes: tally.passes(), tally: Some(tally), touches, kept, aside: None }
    }
}

/// Whether a candidate passes, in a word.
#[must_use]
pub fn passes_or_fails(passes: bool) -> &'static str {
    if passes { "passes" } else { "FAILS" }
}

/// What is said of a group beside its verdicts; the same parts of all groups of a check go together.
#[derive(Clone, Debug)]
pub struct Aside {
    /// Above the tables.
    pub title: &'static str,
    /// Heads of tables, and this group's row of each.
    pub tables: Vec<[Vec<String>; 2]>,
    /// Texts below the tables.
    pub texts: Vec<String>,
}

/// Verdicts so far in words.
pub(super) fn so_far(tally: &Agreements) -> String {
    format!("{} ambiguous, {} wrong", tally.count(Agreement::Ambiguous), tally.count(Agreement::Wrong))
}
