//! Studies: counter-based sampling of inputs, trials in batches, criteria with exact bounds.
//!
//! ```text
//! study.toml --> Study --> samples by counter --> Engine --> parts (rows) --> Summary (counts, bounds, verdicts)
//! ```
//!
//! Rare events are estimated level by level instead, see [`subset`].
//!
//! A [`Part`] is a fixed range of trials, published as a whole; a run is its parts, whichever process computed them and
//! in whatever order. Each holds the exact sums over all its trials and the rows of those to be kept ([`Keep`]). The
//! [`Summary`] is computed from the sums alone, in integer arithmetic, and [`Stopping`] rules depend on nothing else.

mod analysis;
mod batches;
mod campaign;
pub mod compare;
mod criterion;
mod design;
mod differences;
mod directory;
mod evidence;
mod file;
mod keep;
mod known;
mod lock;
pub mod map;
mod outlook;
mod packed;
mod part;
mod progress;
mod recall;
mod row;
mod run;
pub mod sampling;
pub mod sensitivity;
mod sources;
pub mod statistics;
mod stopping;
pub mod subset;
mod summary;
mod sums;
mod tail;
mod tolerance;
mod trace;
mod verify;

pub use criterion::{Checked, Criterion, Event, Source, Tally};
pub use design::write_design;
pub use directory::{RunDirectory, merge};
pub use evidence::{Bounds, Evidence};
pub(crate) use file::DEFAULT_CONFIDENCE;
pub use file::{MAX_PART as MAX_PART_SIZE, MAX_TRIALS, StudyError};
pub use keep::{Keep, KeepError};
pub use outlook::Outlook;
pub(crate) use part::READ_TOGETHER;
pub use part::{Part, PartError};
pub use progress::{LevelStatus, Progress, Rates, RunError, RunOutcome, Timing};
pub use recall::{Comparison, run};
pub use stopping::{Look, Standing, Stopping};
pub use summary::{Count, Counts, CriterionSummary, Quantile, QuantitySummary, Summary, Trials};
pub use sums::SumError;
pub(crate) use sums::Sums;
pub use tail::TailSummary;
pub use tolerance::{Tolerance, ToleranceInterval};
pub use trace::Trace;
pub use verify::{Recomputed, SummaryState, Verification};

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::model::{INVALID, Input, Inputs, Model, Models, Nouns, Quantity};
use crate::random::NoiseKey;
use sampling::{Copula, Distribution, Method};
use sources::Sources;
use statistics::WeightError;

/// One input and its distribution.
#[derive(Clone, Debug)]
pub struct SampledInput {
    /// Its index among the model's inputs, which is its variable in the random counter.
    pub number: usize,
    /// The input.
    pub input: Input,
    /// Its distribution, in SI units.
    pub distribution: Distribution,
    /// Values at which limit risks hold it, ascending, if given.
    pub limit: Option<Vec<f64>>,
}

/// Everything that determines the outcomes of a study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Name used in reports.
    pub name: String,
    /// What is simulated.
    pub model: Arc<dyn Model>,
    /// The inputs that vary, in the order of the model's.
    pub inputs: Vec<SampledInput>,
    copula: Copula,
    /// How the inputs are sampled.
    pub method: Method,
    /// When a run may stop before its last trial.
    pub stopping: Option<Stopping>,
    /// The criteria.
    pub criteria: Vec<Criterion>,
    /// Tolerance intervals reported for each quantity.
    pub tolerance: Vec<Tolerance>,
    /// What `study map` sweeps.
    pub map: Option<map::Grid>,
    /// Number of trials; with subset simulation, the maximum.
    pub trials: u64,
    /// Key of all random numbers.
    pub seed: u64,
    /// Trials in a part; the last one may have fewer.
    pub part_size: u64,
    /// Number of invalid trials above which a run's exit code reports them.
    pub invalid_allowance: u64,
    /// The models available to its file.
    models: Models,
    sources: Sources,
    warnings: Vec<String>,
}

impl Study {
    /// The inputs of a trial: a function of seed and trial number alone.
    #[must_use]
    pub fn inputs_of(&self, trial: u64) -> Inputs {
        let (uniforms, _) = self.draw(trial);
        let mut inputs = self.inputs_at(uniforms, NoiseKey { seed: self.seed, item: trial });
        if let Method::Table(design) = &self.method {
            design.apply(trial, &mut inputs);
        }
        inputs
    }

    /// The weight of a trial: 1 unless the study uses importance sampling, or a table with weights.
    #[must_use]
    pub fn weight(&self, trial: u64) -> f64 {
        if self.is_weighted() { self.draw(trial).1 } else { 1.0 }
    }

    /// Whether trials have weights, so that frequencies among them are not those of the study's distributions.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.method.is_weighted()
    }

    fn draw(&self, trial: u64) -> (Vec<f64>, f64) {
        self.method.draw(self.seed, trial, self.inputs.iter().map(|sampled| sampled.number as u32))
    }

    /// The inputs at independent uniforms strictly inside (0, 1), one for each of the study's inputs.
    ///
    /// # Panics
    /// If there are fewer uniforms than inputs.
    #[must_use]
    pub fn inputs_at(&self, mut uniforms: Vec<f64>, noise: NoiseKey) -> Inputs {
        let (given, inputs) = (uniforms.len(), self.inputs.len());
        assert!(given >= inputs, "{given} uniforms, and the study has {inputs} inputs");
        self.copula.apply(&mut uniforms);
        self.inputs_from(&uniforms, noise)
    }

    /// The inputs at uniforms already correlated by the copula.
    fn inputs_from(&self, uniforms: &[f64], noise: NoiseKey) -> Inputs {
        let mut inputs = Inputs { noise, values: self.model.nominal() };
        for (sampled, &uniform) in self.inputs.iter().zip(uniforms) {
            inputs.values[sampled.number] = sampled.distribution.quantile(uniform);
        }
        inputs
    }

    /// SI symbol of the unit of the quantity that a criterion of this study limits; empty where it limits none.
    #[must_use]
    pub fn unit_of(&self, criterion: &Criterion) -> &'static str {
        criterion.event.quantity().map_or("", |number| self.quantities()[number].unit.symbol())
    }

    /// The inputs with every distribution at its median: a typical trial.
    #[must_use]
    pub fn median_inputs(&self) -> Inputs {
        let mut inputs = Inputs { noise: NoiseKey::default(), values: self.model.nominal() };
        for sampled in &self.inputs {
            inputs.values[sampled.number] = sampled.distribution.quantile(0.5);
        }
        inputs
    }

    /// The quantities of an outcome, in the order of the parts' columns.
    #[must_use]
    pub fn quantities(&self) -> &[Quantity] {
        self.model.quantities()
    }

    /// The model's names for trials.
    #[must_use]
    pub fn nouns(&self) -> Nouns {
        self.model.nouns()
    }

    /// Number of parts of the study.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.trials.div_ceil(self.part_size)
    }

    /// Trials that can be under way at a time: with subset simulation, a step of all chains.
    #[must_use]
    pub fn trials_at_a_time(&self) -> u64 {
        self.subset().map_or(self.trials, |settings| settings.replicates * settings.chains())
    }

    /// The trials of a part.
    #[must_use]
    pub fn part_trials(&self, part: u64) -> Range<u64> {
        let first = part * self.part_size;
        first..(first + self.part_size).min(self.trials)
    }

    /// Evidence of no trials, for each criterion.
    pub(crate) fn no_evidence(&self) -> Vec<Evidence> {
        vec![Evidence::new(&self.method); self.criteria.len()]
    }

    /// Counts a trial with this class and these quantities in the evidence on each criterion; true if it is a failure,
    /// that is, invalid or the event of a criterion.
    pub(crate) fn count(
        &self,
        evidence: &mut [Evidence],
        trial: u64,
        class: usize,
        value: impl Fn(usize) -> Option<f64>,
    ) -> Result<bool, WeightError> {
        let weight = self.weight(trial);
        let mut failed = class == INVALID;
        for (evidence, criterion) in evidence.iter_mut().zip(&self.criteria) {
            let happened = criterion.event.happened(self.model.as_ref(), class, &value);
            evidence.add(trial, weight, happened)?;
            failed |= happened;
        }
        Ok(failed)
    }

    /// Warnings with their place: content that is allowed but hardly intended, such as a low confidence.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The study file, verbatim.
    #[must_use]
    pub fn text(&self) -> String {
        self.sources.study_text()
    }

    /// The files that the study names, by their names in it, as [`Study::in_memory`] takes them.
    #[must_use]
    pub fn files(&self) -> BTreeMap<&str, &[u8]> {
        self.sources.files()
    }

    /// Whether its text is JSON; otherwise it is TOML.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.sources.is_json()
    }

    /// SHA-256 of the study file and all files it names, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.sources.hash()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn tricycle() -> Study {
        Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml")).unwrap()
    }

    #[test]
    #[should_panic(expected = "1 uniforms, and the study has 6 inputs")]
    fn fewer_uniforms_than_inputs_are_refused() {
        let _ = tricycle().inputs_at(vec![0.5], NoiseKey::default());
    }

    #[test]
    fn a_criterion_has_the_unit_of_its_quantity() {
        let study = tricycle();
        assert_eq!([0, 1].map(|number| study.unit_of(&study.criteria[number])), ["m", ""]);
    }
}
