//! Errors of comparisons.

use thiserror::Error;

use crate::engine::EngineError;
use crate::scene::SceneError;
use crate::study::StudyError;

/// Why engines could not be compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ValidationError {
    /// A scene could not be made.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// A study could not be made.
    #[error("{0}")]
    Study(#[from] StudyError),
    /// An engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// An unknown study.
    #[error("there is no study named {name}")]
    NoSuchStudy {
        /// Its name.
        name: &'static str,
    },
    /// An engine did not answer all items.
    #[error("the engine gives {given} answers to {asked} items")]
    Answers {
        /// Number of items.
        asked: usize,
        /// Number of answers.
        given: usize,
    },
    /// A wheel or a landing ends before the requested step.
    #[error("{what} has steps 0 to {last} and no step {step}")]
    Step {
        /// The wheel or landing.
        what: String,
        /// The requested step.
        step: u64,
        /// The last step.
        last: u64,
    },
    /// A study without anything to judge.
    #[error("the first {landings} landings of {study} have no steps")]
    NoSteps {
        /// The study.
        study: &'static str,
        /// Landings examined in a row.
        landings: u64,
    },
    /// A landing that cannot start.
    #[error("landing {landing} of {study} has inputs that are not valid")]
    Inputs {
        /// The study.
        study: &'static str,
        /// Its number in the study.
        landing: u64,
    },
}

/// Refuses a wrong number of answers.
pub(super) fn one_each<T>(answers: Vec<T>, asked: usize) -> Result<Vec<T>, ValidationError> {
    match answers.len() {
        given if given == asked => Ok(answers),
        given => Err(ValidationError::Answers { asked, given }),
    }
}
