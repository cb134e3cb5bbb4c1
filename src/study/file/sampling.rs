//! `[sampling]`: how the inputs are drawn.

use super::{Reader, StudyError, subset, trials, whole};
use crate::document::{DocumentError, Table};
use crate::study::SampledInput;
use crate::study::sampling::{LatinHypercubes, Method, SobolNets};

/// Default number of replicates.
const DEFAULT_REPLICATES: u64 = 16;
/// Minimum number of replicates: with 8, Student's t at 95 % is 15 % larger than in the limit.
const MIN_REPLICATES: u64 = 8;
/// Maximum number of replicates: with more, too few trials are left for each.
const MAX_REPLICATES: u64 = 1024;

#[derive(Clone, Copy)]
enum Kind {
    Plain,
    LatinHypercube,
    Sobol,
    Importance,
    Subset,
}

const KINDS: &[(&str, Kind)] = &[
    ("plain", Kind::Plain),
    ("latin_hypercube", Kind::LatinHypercube),
    ("sobol", Kind::Sobol),
    ("importance", Kind::Importance),
    ("subset", Kind::Subset),
];

impl Reader {
    /// `[sampling]` of a study with these inputs.
    pub(super) fn method(
        &mut self,
        root: &Table<'_>,
        inputs: &[SampledInput],
        many: &'static str,
    ) -> Result<Method, StudyError> {
        let Some(table) = root.optional_table("sampling")? else {
            return Ok(Method::Plain);
        };
        let method = match table.required("method")?.choice(KINDS)? {
            Kind::Plain => Method::Plain,
            Kind::LatinHypercube => {
                let (replicates, strata) = replicates(&table, trials(root, many)?, many)?;
                Method::LatinHypercube(LatinHypercubes { replicates, strata })
            }
            Kind::Sobol => Method::Sobol(sobol(&table, trials(root, many)?, inputs, many)?),
            Kind::Importance => Method::Importance(self.importance(&table, inputs)?),
            Kind::Subset => Method::Subset(subset::settings(&table)?),
        };
        table.finish()?;
        Ok(method)
    }
}

fn sobol(table: &Table<'_>, trials: u64, inputs: &[SampledInput], many: &str) -> Result<SobolNets, DocumentError> {
    let (replicates, points) = replicates(table, trials, many)?;
    if points > SobolNets::MAX_POINTS {
        return Err(table.error(format!(
            "{trials} {many} in {replicates} replicates are {points} Sobol points in each; at most {} are possible",
            SobolNets::MAX_POINTS
        )));
    }
    let varies: Vec<bool> = inputs.iter().map(|sampled| !sampled.distribution.is_constant()).collect();
    Ok(SobolNets::of_varying(replicates, &varies))
}

/// Number of replicates, and of trials in each.
fn replicates(table: &Table<'_>, trials: u64, many: &str) -> Result<(u32, u64), DocumentError> {
    let replicates =
        table.optional_or("replicates", DEFAULT_REPLICATES, |field| whole(&field, MIN_REPLICATES, MAX_REPLICATES))?;
    // A misspelled `replicates` is the more likely error.
    table.finish()?;
    if !trials.is_multiple_of(replicates) {
        let below = trials / replicates * replicates;
        return Err(table.error(format!(
            "{trials} {many} cannot be shared out among {replicates} replicates; take a multiple, such as {}",
            if below > 0 { below } else { replicates }
        )));
    }
    Ok((replicates as u32, trials / replicates))
}
