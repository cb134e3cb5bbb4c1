//! Studies: inputs sampled by counter, landings in chunks, criteria with honest intervals.
//!
//! ```text
//! study.toml --> Study --> samples by counter --> Engine --> parts (rows) --> Summary (counts, bounds, verdicts)
//! ```
//!
//! A [`Part`] is a fixed range of landings, published whole; a run is its parts, whoever computed them and in
//! whatever order. The [`Summary`] is made from the parts alone, in exact integer arithmetic.

pub mod compare;
mod criterion;
mod directory;
mod file;
mod part;
mod run;
pub mod sampling;
pub mod sensitivity;
mod sources;
pub mod statistics;
mod summary;
mod tail;
mod trace;

pub use criterion::{Criterion, Event, Tally};
pub use directory::{RunDirectory, merge};
pub(crate) use file::DEFAULT_CONFIDENCE;
pub use file::StudyError;
#[cfg(test)]
pub(crate) use part::Row;
pub use part::{Part, PartError};
pub use run::{Progress, RunError, RunOutcome, Timing, run};
pub(crate) use summary::Sums;
pub use summary::{CriterionSummary, Quantile, QuantitySummary, Summary};
pub use tail::TailSummary;
pub(crate) use tail::Tails;
pub use trace::Trace;

use std::ops::Range;

use crate::query::{Input, LandingClass, LandingInputs, LandingJob, NoiseKey, Quantity};
use crate::random::uniform;
use sampling::{Copula, Distribution, Method};
use sources::Sources;

/// One input and how it is distributed.
#[derive(Clone, Debug)]
pub struct SampledInput {
    /// The input.
    pub input: Input,
    /// Its distribution, in SI units.
    pub distribution: Distribution,
}

/// Everything that decides the outcomes of a study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Name for reports.
    pub name: String,
    /// What all landings share.
    pub job: LandingJob,
    /// The inputs that differ, in the order of [`Input::ALL`].
    pub inputs: Vec<SampledInput>,
    copula: Copula,
    /// How the inputs are sampled.
    pub method: Method,
    /// What must hold.
    pub criteria: Vec<Criterion>,
    /// How many landings.
    pub landings: u64,
    /// Key of all random numbers.
    pub seed: u64,
    /// Landings in a part; the last one may have fewer.
    pub part_size: u64,
    /// So many landings may be invalid before a run's exit code says so.
    pub invalid_allowance: u64,
    quantities: Vec<Quantity>,
    sources: Sources,
}

impl Study {
    /// The inputs of a landing: a function of seed and number alone.
    #[must_use]
    pub fn landing_inputs(&self, landing: u64) -> LandingInputs {
        let uniforms = self.inputs.iter().map(|sampled| uniform(self.seed, landing, sampled.input as u32)).collect();
        self.inputs_at(uniforms, NoiseKey { seed: self.seed, item: landing })
    }

    /// The inputs at independent uniforms strictly inside (0, 1), one for each of the study's inputs.
    ///
    /// # Panics
    /// If there are fewer uniforms than inputs.
    #[must_use]
    pub fn inputs_at(&self, mut uniforms: Vec<f64>, noise: NoiseKey) -> LandingInputs {
        self.copula.apply(&mut uniforms);
        self.inputs_from(&uniforms, noise)
    }

    /// The inputs at uniforms as the copula leaves them.
    fn inputs_from(&self, uniforms: &[f64], noise: NoiseKey) -> LandingInputs {
        let mut inputs = LandingInputs::nominal(&self.job.vehicle);
        inputs.noise = noise;
        for (sampled, &uniform) in self.inputs.iter().zip(uniforms) {
            inputs.set(sampled.input, sampled.distribution.quantile(uniform));
        }
        inputs
    }

    /// The inputs with every distribution at its median: a typical landing.
    #[must_use]
    pub fn median_inputs(&self) -> LandingInputs {
        let mut inputs = LandingInputs::nominal(&self.job.vehicle);
        for sampled in &self.inputs {
            inputs.set(sampled.input, sampled.distribution.quantile(0.5));
        }
        inputs
    }

    /// The numbers of an outcome, in the order of the parts' columns.
    #[must_use]
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// How many parts the study has.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.landings.div_ceil(self.part_size)
    }

    /// The landings of a part.
    #[must_use]
    pub fn part_landings(&self, part: u64) -> Range<u64> {
        let first = part * self.part_size;
        first..(first + self.part_size).min(self.landings)
    }

    /// Counts a landing of this class and these quantities, by number, in the tally of each criterion.
    fn tally(&self, tallies: &mut [Tally], class: LandingClass, value: impl Fn(usize) -> Option<f64>) {
        for (tally, criterion) in tallies.iter_mut().zip(&self.criteria) {
            tally.add(criterion.event.happened(class, &self.quantities, &value));
        }
    }

    /// The study file, word for word.
    #[must_use]
    pub fn text(&self) -> String {
        self.sources.study_text()
    }

    /// SHA-256 of the study file and all files it names, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.sources.hash()
    }
}
