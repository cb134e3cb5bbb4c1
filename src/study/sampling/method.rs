//! Sampling methods.

use super::design::Design;
use super::importance::Importance;
use super::latin_hypercube::LatinHypercubes;
use super::sobol_nets::SobolNets;
use crate::random::uniform;
use crate::study::subset::Settings;

/// How the inputs of a study are sampled. With every method a trial's inputs are a function of seed and trial number
/// alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Independent draws by counter.
    Plain,
    /// Each input spread evenly over its distribution.
    LatinHypercube(LatinHypercubes),
    /// The inputs jointly spread evenly over their space.
    Sobol(SobolNets),
    /// Independent draws near the event, with weights.
    Importance(Importance),
    /// Level by level towards the event of each criterion.
    Subset(Settings),
    /// The rows of a table; inputs that are not in it are drawn independently.
    Table(Design),
}

impl Method {
    /// Independent uniform numbers of a trial, one per variable, and the trial's weight.
    #[must_use]
    pub fn draw(&self, seed: u64, trial: u64, variables: impl Iterator<Item = u32>) -> (Vec<f64>, f64) {
        let plain = |variable| uniform(seed, trial, variable);
        match self {
            // Also the starting points of chains.
            Self::Plain | Self::Subset(_) => (variables.map(plain).collect(), 1.0),
            Self::Table(design) => (variables.map(plain).collect(), design.weight(trial)),
            Self::LatinHypercube(hypercubes) => {
                (variables.map(|variable| hypercubes.uniform(seed, trial, variable)).collect(), 1.0)
            }
            Self::Sobol(nets) => {
                let dimensions = variables.enumerate();
                (dimensions.map(|(dimension, variable)| nets.uniform(seed, trial, variable, dimension)).collect(), 1.0)
            }
            Self::Importance(importance) => {
                let mut uniforms: Vec<f64> = variables.map(plain).collect();
                let weight = importance.apply(&mut uniforms, plain(Importance::PLACE));
                (uniforms, weight)
            }
        }
    }

    /// Whether trials have weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        match self {
            Self::Importance(_) => true,
            Self::Table(design) => design.is_weighted(),
            Self::Plain | Self::LatinHypercube(_) | Self::Sobol(_) | Self::Subset(_) => false,
        }
    }

    /// Name in study files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::LatinHypercube(_) => "latin_hypercube",
            Self::Sobol(_) => "sobol",
            Self::Importance(_) => "importance",
            Self::Subset(_) => "subset",
            Self::Table(_) => "table",
        }
    }
}
