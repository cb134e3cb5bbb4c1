//! Ways to sample the inputs.

use crate::study::subset::Settings;

/// How the inputs of a study are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Independent draws by counter.
    Plain,
    /// Level by level towards each criterion's event.
    Subset(Settings),
}
