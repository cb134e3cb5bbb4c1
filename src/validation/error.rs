//! Why engines could not be compared.

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
    /// A study that this program does not have.
    #[error("there is no study named {name}")]
    NoSuchStudy {
        /// Its name.
        name: &'static str,
    },
    /// An engine left items out.
    #[error("the engine gives {given} answers to {asked} items")]
    Answers {
        /// Items it was given.
        asked: usize,
        /// Items it answered.
        given: usize,
    },
    /// A wheel or a landing ends before the step that is asked for.
    #[error("{what} has steps 0 to {last} and no step {step}")]
    Step {
        /// The wheel or landing.
        what: String,
        /// The step asked for.
        step: u64,
        /// The last step there is.
        last: u64,
    },
    /// A study without anything to judge.
    #[error("the first {landings} landings of {study} have no steps")]
    NoSteps {
        /// The study.
        study: &'static str,
        /// Landings looked at in a row.
        landings: u64,
    },
    /// A landing that cannot start.
    #[error("landing {landing} of {study} has inputs that are not valid")]
    Inputs {
        /// The study.
        study: &'static str,
        /// The landing's number in it.
        landing: u64,
    },
}

/// Refuses answers that are not one for each item.
pub(super) fn one_each<T>(answers: Vec<T>, asked: usize) -> Result<Vec<T>, ValidationError> {
    match answers.len() {
        given if given == asked => Ok(answers),
        given => Err(ValidationError::Answers { asked, given }),
    }
}
