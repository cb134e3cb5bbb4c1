//! Which inputs drive the outcome.
//!
//! ```text
//! study --> Design (trials by number) --> Engine --> evaluations (files) --> Sensitivity (indices, tornado, risks)
//! ```
//!
//! For each criterion:
//!
//! * **Sobol' indices** of its quantity and of its event: the fraction of the variance due to each input alone (first
//!   order) and with all its interactions (total), see [`sobol_indices`] and [`event_indices()`]. A criterion on a
//!   class has only those of the event.
//! * **Tornado**: its quantity with each input alone at its 5 % and 95 % quantile and all others at their medians.
//! * **Average risk**, the probability of its event with all inputs varying, and **limit risk**, the probability with
//!   one input held at a limit while the others vary: the terms of the certification of automatic landing. An input is
//!   held at the values given by the study (`limit`), a `choice` at every one of its values, any other input at its 1 %
//!   and 99 % quantiles.
//!
//! # Conventions
//! Inputs vary in the independent uniforms before the copula, with plain sampling whatever the study's own. For
//! correlated inputs, an index is that of the input's own uniform: of what it adds to the inputs before it, in the
//! order of the model's [inputs](crate::model::Model::inputs). The first of a correlated group carries everything it
//! has in common with the others. Fixing an input also shifts the inputs correlated with it: they have their
//! conditional distribution. Constants are excluded.
//!
//! A base point with a missing quantity is omitted from that quantity's indices and counted; for the event's indices a
//! missing value counts as in [`Event::happened`](super::Event::happened). Random numbers within a trial (turbulence)
//! are those of row A and are not inputs: their effect is in no index.

mod design;
mod evaluations;
mod event_indices;
mod hold;
mod indices;
mod result;
mod run;
mod table;

use thiserror::Error;

pub(super) use evaluations::NAMES;
pub use event_indices::event_indices;
pub use indices::{BasePoint, Index, Indices, sobol_indices};
pub use result::{CriterionSensitivity, InputSensitivity, Risk, Sensitivity, Swing};
pub use run::sensitivity;

use super::{PartError, RunError, SampledInput, Study};
use crate::engine::EngineError;
use crate::table::TableError;

/// Default number of base points.
pub const DEFAULT_POINTS: u64 = 1024;
/// Minimum and maximum number of base points.
pub const POINTS: std::ops::RangeInclusive<u64> = 16..=1 << 24;

/// Number of trials of an analysis with this many base points.
#[must_use]
pub fn trials(study: &Study, points: u64) -> u64 {
    design::Design::new(study, points).trials()
}

/// The values at which limit risks hold an input, ascending, in SI units.
#[must_use]
pub fn limits(sampled: &SampledInput) -> Vec<f64> {
    hold::holds(sampled).iter().map(|hold| hold.value).collect()
}

/// Why a sensitivity analysis is not possible.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// No input of the study varies.
    #[error("the study has no [inputs.NAME] that varies: all trials are identical, so there is nothing to attribute")]
    NoInputs,
    /// The study has no criteria.
    #[error("the study has no [criteria.NAME]: define the criterion whose quantity and event are to be explained")]
    NoCriteria,
    /// Too few or too many base points.
    #[error("{asked} base points; there must be from {} to {}", POINTS.start(), POINTS.end())]
    Points {
        /// Number requested.
        asked: u64,
    },
    /// The directory cannot be used.
    #[error("{0}")]
    Directory(#[source] RunError),
    /// A file of evaluations cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// A result cannot be read back.
    #[error("{path}: {cause}; delete it and run `touchdown study sensitivity` again")]
    Unreadable {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        cause: String,
    },
}
