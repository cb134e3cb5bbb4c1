//! The summary of a run: from its parts alone, the same bytes whoever computed them in whatever order.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::part::Row;
use super::statistics::{Accumulator, OutcomeError, QUANTILES, Verdict};
use super::tail::{TailSummary, Tails};
use super::{Part, PartError, Study, Tally};
use crate::engine::EngineIdentity;
use crate::query::LandingClass;

/// Two-sided confidence of the bounds of quantiles.
const QUANTILE_CONFIDENCE: f64 = 0.95;

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's files.
    pub study_hash: String,
    /// Seed.
    pub seed: u64,
    /// Version of the program that made the parts.
    pub version: String,
    /// Engine that made the parts.
    pub engine: String,
    /// Device it ran on.
    pub adapter: String,
    /// Landings.
    pub landings: u64,
    /// So many of them may be invalid.
    pub invalid_allowance: u64,
    /// Landings of each class, by name.
    pub classes: BTreeMap<String, u64>,
    /// Landings in which a wheel's force passed the surface's maximum.
    pub force_limit_landings: u64,
    /// Steps of all landings.
    pub vehicle_steps: u64,
    /// Those with a wheel in contact.
    pub contact_steps: u64,
    /// The criteria, in the order of the study.
    pub criteria: Vec<CriterionSummary>,
    /// The quantities, in the order of the parts' columns.
    pub quantities: Vec<QuantitySummary>,
}

/// A criterion after the landings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionSummary {
    /// Name.
    pub name: String,
    /// The event, in words.
    pub event: String,
    /// Greatest probability allowed.
    pub probability: f64,
    /// Confidence of the bounds.
    pub confidence: f64,
    /// Landings with the event.
    pub events: u64,
    /// Estimate of the event's probability.
    pub estimate: f64,
    /// One-sided lower bound of the event's probability.
    pub lower: f64,
    /// One-sided upper bound of the event's probability.
    pub upper: f64,
    /// How the bounds are made.
    pub bounds: String,
    /// Verdict: met, failed or undecided.
    pub verdict: Verdict,
    /// What the largest values say of the probability; `None` for a criterion on a class, with too few values, and where
    /// the limit is passed so often that counting is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSummary>,
}

/// A quantity after the landings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantitySummary {
    /// Name.
    pub name: String,
    /// SI symbol of its unit.
    pub unit: String,
    /// Landings that have it.
    pub count: u64,
    /// Least value.
    pub minimum: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub standard_deviation: Option<f64>,
    /// Greatest value.
    pub maximum: Option<f64>,
    /// Quantiles.
    pub quantiles: Vec<Quantile>,
}

/// A quantile between bounds, two-sided at 95 %. In JSON a list: probability, value, lower, upper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "(f64, f64, Option<f64>, Option<f64>)")]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// The value that this share of the landings does not exceed.
    pub value: f64,
    /// Lower bound; `None` where there are too few values for one.
    pub lower: Option<f64>,
    /// Upper bound; `None` where there are too few values for one.
    pub upper: Option<f64>,
}

impl From<Quantile> for (f64, f64, Option<f64>, Option<f64>) {
    fn from(quantile: Quantile) -> Self {
        let Quantile { probability, value, lower, upper } = quantile;
        (probability, value, lower, upper)
    }
}

impl Quantile {
    fn of(accumulator: &Accumulator, probability: f64) -> Option<Self> {
        let (lower, upper) = accumulator.quantile_bounds(probability, QUANTILE_CONFIDENCE);
        Some(Self { probability, value: accumulator.quantile(probability)?, lower, upper })
    }
}

impl Summary {
    /// Reads all parts of a study from a directory of parts and sums them up.
    ///
    /// # Errors
    /// When a part is missing, foreign or damaged.
    pub fn of_parts(study: &Study, identity: &EngineIdentity, parts: &Path) -> Result<Self, PartError> {
        let mut sums = Sums::new(study);
        let mut tails = Tails::new(study);
        for number in 0..study.parts() {
            let part = Part::new(study, number, identity);
            part.read(study, &parts.join(part.file_name()), |_, row| {
                tails.add(row);
                sums.add(study, row)
            })?;
        }
        let mut summary = sums.summary(study, identity);
        tails.tell(&mut summary);
        Ok(summary)
    }

    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Maps with string keys and finite numbers always have a JSON form.
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// How many landings are invalid.
    #[must_use]
    pub fn invalid(&self) -> u64 {
        self.classes.get(LandingClass::Invalid.name()).copied().unwrap_or(0)
    }
}

/// Exact sums over rows, independent of their order.
pub(crate) struct Sums {
    classes: [u64; LandingClass::ALL.len()],
    force_limit_landings: u64,
    vehicle_steps: u64,
    contact_steps: u64,
    tallies: Vec<Tally>,
    quantities: Vec<Accumulator>,
}

impl Sums {
    /// Nothing yet.
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            classes: [0; LandingClass::ALL.len()],
            force_limit_landings: 0,
            vehicle_steps: 0,
            contact_steps: 0,
            tallies: vec![Tally::default(); study.criteria.len()],
            quantities: study.quantities().iter().map(|_| Accumulator::default()).collect(),
        }
    }

    /// The error is a quantity beyond the range of exact sums.
    pub(crate) fn add(&mut self, study: &Study, row: &Row) -> Result<(), OutcomeError> {
        self.classes[row.class as usize] += 1;
        self.force_limit_landings += u64::from(row.force_limit);
        self.vehicle_steps += row.steps;
        self.contact_steps += row.contact_steps;
        study.tally(&mut self.tallies, row.class, |number| row.quantities[number]);
        for (accumulator, value) in self.quantities.iter_mut().zip(&row.quantities) {
            if let Some(value) = value {
                accumulator.add(*value)?;
            }
        }
        Ok(())
    }

    /// The tallies of the criteria, in their order.
    pub(crate) fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The statistics of the quantities, in their order.
    pub(crate) fn quantities(&self) -> &[Accumulator] {
        &self.quantities
    }

    /// What the rows come to; there must be one.
    pub(crate) fn summary(&self, study: &Study, identity: &EngineIdentity) -> Summary {
        let criteria = study.criteria.iter().zip(&self.tallies).map(|(criterion, tally)| {
            let (lower, upper) = tally.bounds(criterion.confidence);
            CriterionSummary {
                name: criterion.name.clone(),
                event: criterion.description.clone(),
                probability: criterion.probability,
                confidence: criterion.confidence,
                events: tally.events,
                estimate: tally.events as f64 / tally.landings as f64,
                lower,
                upper,
                bounds: "Clopper-Pearson".to_owned(),
                verdict: tally.verdict(criterion),
                tail: None,
            }
        });
        let quantities =
            study.quantities().iter().zip(&self.quantities).map(|(quantity, accumulator)| QuantitySummary {
                name: quantity.name.clone(),
                unit: quantity.unit.symbol().to_owned(),
                count: accumulator.count(),
                minimum: accumulator.minimum(),
                mean: accumulator.mean(),
                standard_deviation: accumulator.standard_deviation(),
                maximum: accumulator.maximum(),
                quantiles: QUANTILES.iter().filter_map(|&p| Quantile::of(accumulator, p)).collect(),
            });
        Summary {
            study: study.name.clone(),
            study_hash: study.hash().to_owned(),
            seed: study.seed,
            version: identity.version.clone(),
            engine: identity.engine.clone(),
            adapter: identity.adapter.clone(),
            landings: self.classes.iter().sum(),
            invalid_allowance: study.invalid_allowance,
            classes: LandingClass::ALL
                .iter()
                .map(|class| (class.name().to_owned(), self.classes[*class as usize]))
                .collect(),
            force_limit_landings: self.force_limit_landings,
            vehicle_steps: self.vehicle_steps,
            contact_steps: self.contact_steps,
            criteria: criteria.collect(),
            quantities: quantities.collect(),
        }
    }
}
