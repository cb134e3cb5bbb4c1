//! Did the change matter? Two runs side by side.
//!
//! ```text
//! two directories --> what differs (files, inputs, criteria) --> rows, streamed together --> tests --> Holm --> words
//! ```
//!
//! Runs with the same seed and sampling method are **paired** by trial number: trial i has the same uniforms in both,
//! so its two outcomes are correlated, whatever changed in inputs, vehicle and scene. Since most pairs are equal, far
//! smaller differences are resolved. (Treating such samples as independent would be wrong.) Pairs are formed from the
//! trials present in both runs. Other runs are unpaired.
//!
//! | | unpaired | paired |
//! | --- | --- | --- |
//! | criteria | Newcombe's interval, Fisher's exact test | Tango's interval, McNemar's exact test |
//! | means | Welch's t | t of the differences |
//! | quantiles | order statistics' intervals combined | the same, too wide |
//! | distributions | Kolmogorov and Smirnov | the same, its p-value too large |
//!
//! Latin hypercubes and Sobol' points are treated as plain samples: their intervals are somewhat too wide.
//!
//! The p-values of criteria are corrected together by Holm's method, and so are those of quantities: the probability of
//! any false "differs" among the criteria is at most 5 %, and likewise among the quantities. What is identical in both
//! runs, or equal to another item, is not tested.

mod compute;
mod families;
mod pairs;
mod result;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use result::{Comparison, CriterionComparison, QuantileDifference, QuantityComparison, TrialsOfBoth};

use super::{PartError, StudyError};
use crate::model::Models;
use pairs::{Pairs, Run};

/// Why two runs cannot be compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A directory's study cannot be read.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A part cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A directory without a part.
    #[error("{directory}: there is no finished part; run the study first")]
    Empty {
        /// The directory.
        directory: PathBuf,
    },
    /// Trials of two kinds.
    #[error("{first} has {}, and {second} has {}; only runs of one model can be compared", nouns[0], nouns[1])]
    OtherModel {
        /// The first directory.
        first: PathBuf,
        /// The second one.
        second: PathBuf,
        /// What trials are called in them.
        nouns: [&'static str; 2],
    },
    /// A run's trials have weights.
    #[error(
        "{directory}: its trials have weights (of method = \"importance\" or of a table's column `weight`); only runs without can be compared"
    )]
    Weighted {
        /// The directory.
        directory: PathBuf,
    },
    /// A run by subset simulation.
    #[error(
        "{directory}: its trials lead to events (method = \"subset\"); only runs of independent trials can be compared"
    )]
    BySubset {
        /// The directory.
        directory: PathBuf,
    },
    /// A run did not keep all rows.
    #[error("{directory}: not all trials left a row; only runs with --keep all can be compared")]
    RowsLeftOut {
        /// The directory.
        directory: PathBuf,
    },
    /// The two runs have nothing in common.
    #[error("the two studies have no criterion and no quantity of the same name")]
    NothingInCommon,
}

/// Compares the parts present of two runs.
///
/// # Errors
/// If a directory holds no run or no part, a part is foreign or damaged, a run did not keep all rows, or its trials
/// have weights.
pub fn compare(models: &Models, first: &Path, second: &Path) -> Result<Comparison, CompareError> {
    let studies = [models.stored_study(first)?, models.stored_study(second)?];
    let nouns = [&studies[0], &studies[1]].map(|study| study.nouns().many);
    if nouns[0] != nouns[1] {
        return Err(CompareError::OtherModel { first: first.to_owned(), second: second.to_owned(), nouns });
    }
    for (study, directory) in studies.iter().zip([first, second]) {
        if study.is_weighted() {
            return Err(CompareError::Weighted { directory: directory.to_owned() });
        }
        if study.subset().is_some() {
            return Err(CompareError::BySubset { directory: directory.to_owned() });
        }
    }
    let runs = [Run::open(&studies[0], first)?, Run::open(&studies[1], second)?];
    let is_paired = studies[0].seed == studies[1].seed && studies[0].method == studies[1].method;
    let pairs = Pairs::gathered(&runs, is_paired)?;
    if pairs.is_empty() {
        return Err(CompareError::NothingInCommon);
    }
    Ok(Comparison::of(&runs, &pairs))
}
