//! Checks: one for each job or family of jobs.

use std::fmt;
use std::sync::Arc;

use super::{Agreement, Agreements, Finding, Item, ValidationError};
use crate::document::{DocumentError, Table};
use crate::engine::Engine;

/// The judging engine and the candidate.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// The judge, which computes in f64.
    pub judge: &'a dyn Engine,
    /// The candidate.
    pub candidate: &'a dyn Engine,
}

/// Receives the number of finished items of a group, and a summary in words.
pub type Advanced<'a> = dyn FnMut(u64, &str) + 'a;

/// A check of engines.
pub trait Check: Sync {
    /// Name on the command line, in reports and in files.
    fn name(&self) -> &'static str;

    /// What is judged, in brief.
    fn help(&self) -> &'static str;

    /// The classes of items, or the studies.
    fn groups(&self) -> Vec<Group>;

    /// Work of this many items in each group, in item equivalents.
    fn work(&self, items: u64) -> u64 {
        items
    }

    /// Reads an item as saved by [`Item::fields`].
    ///
    /// # Errors
    /// If something needed to recompute it is missing or unknown.
    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError>;
}

impl fmt::Debug for dyn Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

type Run = dyn Fn(Engines<'_>, u64, u64, &mut Advanced<'_>) -> Result<Outcome, ValidationError>;

/// A class of items of a check, or a study.
pub struct Group {
    /// Its name.
    pub name: &'static str,
    run: Box<Run>,
}

impl Group {
    /// Input of a check: engines, seed, items, and the progress observer.
    pub(super) fn new(
        name: &'static str,
        run: impl Fn(Engines<'_>, u64, u64, &mut Advanced<'_>) -> Result<Outcome, ValidationError> + 'static,
    ) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// Judges the candidate by the first items of a seed.
    ///
    /// # Errors
    /// If an engine fails.
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

/// Result of a check for a group.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the check.
    pub check: &'static str,
    /// Name of the group.
    pub group: &'static str,
    /// The verdicts item by item; `None` for groups judged as a whole.
    pub tally: Option<Agreements>,
    /// Whether items may be constructed to touch a surface, where rounding alone decides.
    pub touches: bool,
    /// True if the candidate passes.
    pub passes: bool,
    /// Items worth recomputing: wrong ones, or the worst.
    pub kept: Vec<Finding>,
    /// Further remarks.
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
