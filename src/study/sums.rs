//! Exact, order-independent sums over trials.

use super::packed::{Packer, Unpacker};
use super::statistics::{Accumulator, OutcomeError, QUANTILES, WeightError};
use super::summary::QUANTILE_CONFIDENCE;
use super::summary::{Count, Counts, Trials};
use super::tail::Largest;
use super::tolerance::ToleranceInterval;
use super::{CriterionSummary, Evidence, Quantile, QuantitySummary, Study, Summary};
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Outcome};
use crate::parallel;

/// Why a trial cannot be counted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SumError {
    /// A quantity is beyond the range of exact sums.
    #[error("{quantity}: {source}")]
    Quantity {
        /// Its name.
        quantity: String,
        /// Its value, and the allowed range.
        source: OutcomeError,
    },
    /// A value is beyond the range of exact sums.
    #[error(transparent)]
    Outcome(#[from] OutcomeError),
    /// A weight is beyond the range of exact sums.
    #[error(transparent)]
    Weight(#[from] WeightError),
}

/// Everything a summary is computed from. Every part holds its own, whatever rows it keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sums {
    classes: Vec<u64>,
    /// Number of trials in which each flag was set.
    flags: Vec<u64>,
    totals: Vec<u64>,
    evidence: Vec<Evidence>,
    quantities: Vec<Accumulator>,
    /// Most extreme values towards the limit of each criterion on a quantity.
    largest: Vec<Option<Largest>>,
}

impl Sums {
    /// Sums of no trials.
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            classes: vec![0; study.model.classes().len()],
            flags: vec![0; study.model.flags().len()],
            totals: vec![0; study.model.totals().len()],
            evidence: study.no_evidence(),
            quantities: study.quantities().iter().map(|_| Accumulator::default()).collect(),
            largest: study.criteria.iter().map(|criterion| Largest::of(&criterion.event)).collect(),
        }
    }

    /// Adds a trial; true if it counts as a failure, that is, if it is invalid or the event of a criterion.
    pub(crate) fn add(&mut self, study: &Study, trial: u64, row: &Outcome) -> Result<bool, SumError> {
        let failed = self.count(study, trial, row)?;
        for (quantity, accumulator) in self.quantities.iter_mut().enumerate() {
            add_quantity(study, quantity, accumulator, row)?;
        }
        Ok(failed)
    }

    /// Adds successive trials, of which the first has this number, on all threads, each of which has some of the quantities.
    /// The error says which is the first trial that cannot be counted; then the sums are of no use.
    pub(super) fn add_all(
        &mut self,
        study: &Study,
        first: u64,
        rows: &[&Outcome],
    ) -> Result<Vec<bool>, (u64, SumError)> {
        let counted =
            (first..).zip(rows).map(|(trial, row)| self.count(study, trial, row).map_err(|error| (trial, error)));
        let counted: Result<Vec<bool>, (u64, SumError)> = counted.collect();
        let mut quantities: Vec<_> = self.quantities.iter_mut().map(|accumulator| (accumulator, None)).collect();
        parallel::for_each_part(quantities.iter_mut(), |quantity, (accumulator, refused)| {
            let mut rows = (first..).zip(rows);
            *refused = rows.find_map(|(trial, row)| {
                let added = add_quantity(study, quantity, accumulator, row);
                added.err().map(|error| (trial, error))
            });
        });
        let refused = counted.as_ref().err().cloned().into_iter();
        let refused = refused.chain(quantities.into_iter().filter_map(|(_, refused)| refused));
        refused.min_by_key(|(trial, _)| *trial).map_or(counted, Err)
    }

    /// Adds all of a trial but its quantities.
    fn count(&mut self, study: &Study, trial: u64, row: &Outcome) -> Result<bool, SumError> {
        self.classes[row.class] += 1;
        for (count, flag) in self.flags.iter_mut().zip(study.model.flags()) {
            *count += u64::from(flag.is_up(&row.quantities));
        }
        self.totals.iter_mut().zip(&row.totals).for_each(|(sum, count)| *sum += count);
        let failed = study.count(&mut self.evidence, trial, row.class, |number| row.quantities[number])?;
        self.largest.iter_mut().flatten().for_each(|largest| largest.add(row));
        Ok(failed)
    }

    /// Adds the trials of other sums of the same study.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.merge_counts(other);
        self.quantities.iter_mut().zip(&other.quantities).for_each(|(mine, other)| mine.merge(other));
    }

    /// Adds the trials of several sums, on all threads, each of which has some of the quantities.
    pub(super) fn merge_all(&mut self, others: &[Self]) {
        others.iter().for_each(|other| self.merge_counts(other));
        parallel::for_each_part(self.quantities.iter_mut(), |quantity, mine| {
            others.iter().for_each(|other| mine.merge(&other.quantities[quantity]));
        });
    }

    /// Adds all of other sums but their quantities.
    fn merge_counts(&mut self, other: &Self) {
        let Self { classes, flags, totals, evidence, quantities: _, largest } = other;
        self.classes.iter_mut().zip(classes).for_each(|(mine, other)| *mine += other);
        self.flags.iter_mut().zip(flags).for_each(|(mine, other)| *mine += other);
        // The totals of a damaged part may be anything.
        self.totals.iter_mut().zip(totals).for_each(|(mine, other)| *mine = mine.saturating_add(*other));
        self.evidence.iter_mut().zip(evidence).for_each(|(mine, other)| mine.merge(other));
        let both = self.largest.iter_mut().flatten().zip(largest.iter().flatten());
        both.for_each(|(mine, other)| mine.merge(other));
    }

    /// Number of trials.
    pub(crate) fn trials(&self) -> u64 {
        self.classes.iter().sum()
    }

    /// The evidence on the criteria, in their order.
    pub(crate) fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// The statistics of the quantities, in their order.
    pub(crate) fn quantities(&self) -> &[Accumulator] {
        &self.quantities
    }

    /// Serialized as text, for a part's metadata.
    pub(super) fn packed(&self) -> String {
        let Self { classes, flags, totals, evidence, quantities, largest } = self;
        let mut packer = Packer::default();
        for count in classes.iter().chain(flags).chain(totals) {
            packer.number(u128::from(*count));
        }
        evidence.iter().for_each(|evidence| evidence.pack(&mut packer));
        quantities.iter().for_each(|accumulator| accumulator.pack(&mut packer));
        largest.iter().flatten().for_each(|largest| largest.pack(&mut packer));
        packer.text()
    }

    /// Inverse of [`packed`](Self::packed), for this many trials; `None` for anything else.
    pub(super) fn unpacked(study: &Study, text: &str, trials: u64) -> Option<Self> {
        let mut unpacker = Unpacker::new(text);
        let mut sums = Self::new(study);
        let mut all = 0_u64;
        for class in &mut sums.classes {
            *class = unpacker.count()?;
            all = all.checked_add(*class)?;
        }
        for count in sums.flags.iter_mut().chain(&mut sums.totals) {
            *count = unpacker.count()?;
        }
        for evidence in &mut sums.evidence {
            *evidence = Evidence::unpack(&mut unpacker, &study.method)?;
        }
        for accumulator in &mut sums.quantities {
            *accumulator = Accumulator::unpack(&mut unpacker)?;
        }
        for largest in sums.largest.iter_mut().flatten() {
            largest.unpack(&mut unpacker, trials)?;
        }
        let is_possible = all == trials
            && sums.flags.iter().all(|count| *count <= trials)
            && sums.evidence.iter().all(|evidence| evidence.tally().trials == trials)
            && sums.quantities.iter().all(|accumulator| accumulator.count() <= trials)
            && unpacker.is_done();
        is_possible.then_some(sums)
    }

    /// Summary of the leading parts, of which these are the sums; requires at least one trial. Criteria are decided at
    /// looks only.
    pub(crate) fn summary(&self, study: &Study, identity: &EngineIdentity, parts: u64) -> Summary {
        let look = study.look_from(parts);
        let trials = Trials { nouns: study.nouns(), count: self.trials() };
        let criteria: Vec<_> = study
            .criteria
            .iter()
            .zip(&self.evidence)
            .zip(&self.largest)
            .map(|((criterion, evidence), largest)| {
                // Weighted trials are not a sample of the study's distributions, and their largest values not its tail.
                let largest = largest.as_ref().filter(|_| !study.is_weighted());
                let tail = largest.and_then(|largest| largest.tail(trials, look.confidence(criterion.confidence)));
                CriterionSummary { tail, ..evidence.summary(study.nouns(), criterion, &look, parts) }
            })
            .collect();
        let quantities = study.quantities().iter().zip(&self.quantities).map(|(quantity, accumulator)| {
            // Weighted trials are not a sample of the study's distributions.
            let moments = accumulator.moment_bounds(QUANTILE_CONFIDENCE).filter(|_| !study.is_weighted());
            QuantitySummary {
                name: quantity.name.clone(),
                unit: quantity.unit.symbol().to_owned(),
                count: accumulator.count(),
                minimum: accumulator.minimum(),
                mean: accumulator.mean(),
                standard_deviation: accumulator.standard_deviation(),
                maximum: accumulator.maximum(),
                mean_bounds: moments.map(|bounds| bounds.mean),
                standard_deviation_bounds: moments.map(|bounds| bounds.standard_deviation),
                tolerance: study.tolerance.iter().map(|&asked| ToleranceInterval::of(accumulator, asked)).collect(),
                quantiles: QUANTILES.iter().filter_map(|&p| Quantile::of(accumulator, p)).collect(),
            }
        });
        Summary {
            study: study.name.clone(),
            study_hash: study.hash().to_owned(),
            seed: study.seed,
            version: identity.version.clone(),
            engine: identity.engine.clone(),
            adapter: identity.adapter.clone(),
            method: study.method.name(),
            trials,
            invalid_allowance: study.invalid_allowance,
            classes: study
                .model
                .classes()
                .iter()
                .zip(&self.classes)
                .map(|(class, count)| (class.name.to_owned(), *count))
                .collect(),
            invalid_of_classes: self.classes[INVALID],
            flags: counts(study.model.flags(), &self.flags, |flag| {
                (flag.name, format!("{}_{}", flag.name, study.nouns().many))
            }),
            totals: counts(study.model.totals(), &self.totals, |total| (total.title, total.name.to_owned())),
            stopping: study.standing(&look, parts, &criteria),
            shares_of: study.is_weighted().then(|| format!("the {} as drawn, not as weighted", study.nouns().many)),
            criteria,
            quantities: quantities.collect(),
        }
    }
}

/// Adds a trial's value of the quantity with this index, if it has one.
fn add_quantity(study: &Study, quantity: usize, accumulator: &mut Accumulator, row: &Outcome) -> Result<(), SumError> {
    let Some(value) = row.quantities[quantity] else { return Ok(()) };
    let name = || study.quantities()[quantity].name.clone();
    accumulator.add(value).map_err(|source| SumError::Quantity { quantity: name(), source })
}

/// Counts with the names and keys of what is counted.
fn counts<T>(things: &[T], counts: &[u64], called: impl Fn(&T) -> (&'static str, String)) -> Counts {
    let count = |(thing, &count): (&T, &u64)| {
        let (name, key) = called(thing);
        Count { name, key, count }
    };
    Counts(things.iter().zip(counts).map(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::words;

    fn study() -> Study {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        Study::read(&path).unwrap()
    }

    fn sums_of(study: &Study, trials: std::ops::Range<u64>) -> Sums {
        let mut sums = Sums::new(study);
        for trial in trials {
            let draw = |quantity: usize| f64::from(words(1, trial, quantity as u32, 0)[0]) * 1e-6 - 2000.0;
            let class = trial as usize % study.model.classes().len();
            let quantities = (0..study.quantities().len()).map(|quantity| Some(draw(quantity))).collect();
            let row = Outcome { class, totals: vec![100, trial], labels: Vec::new(), quantities };
            sums.add(study, trial, &row).unwrap();
        }
        sums
    }

    #[test]
    fn a_value_beyond_what_can_be_counted_is_refused_with_its_quantity() {
        let study = study();
        let last = study.quantities().len() - 1;
        let quantities = (0..=last).map(|quantity| (quantity == last).then_some(-1e100)).collect();
        let row = Outcome { class: 2, totals: vec![0, 0], labels: Vec::new(), quantities };
        let error = Sums::new(&study).add(&study, 0, &row).unwrap_err().to_string();
        assert!(error.starts_with(&study.quantities()[last].name), "{error}");
        assert!(error.contains("-1e100") && error.contains("2^40"), "{error}");
    }

    #[test]
    fn trials_added_together_are_those_added_one_by_one_and_the_first_that_cannot_be_is_named() {
        let study = study();
        let last = study.quantities().len() - 1;
        let row = |trial: u64| {
            let value = |quantity: usize| f64::from(words(1, trial, quantity as u32, 0)[0]) * 1e-6 - 2000.0;
            let quantities = (0..=last).map(|quantity| (quantity as u64 != trial % 3).then(|| value(quantity)));
            let class = trial as usize % study.model.classes().len();
            Outcome { class, totals: vec![100, trial], labels: Vec::new(), quantities: quantities.collect() }
        };
        let mut rows: Vec<Outcome> = (5..105).map(row).collect();
        let (mut one_by_one, mut together) = (Sums::new(&study), Sums::new(&study));
        let failed: Vec<bool> =
            (5..).zip(&rows).map(|(trial, row)| one_by_one.add(&study, trial, row).unwrap()).collect();
        assert_eq!(together.add_all(&study, 5, &rows.iter().collect::<Vec<_>>()), Ok(failed));
        assert!(together == one_by_one);

        (rows[70].quantities[0], rows[40].quantities[last], rows[40].quantities[last - 1]) =
            (Some(f64::NAN), Some(1e100), Some(-1e100));
        let (trial, error) = together.add_all(&study, 5, &rows.iter().collect::<Vec<_>>()).unwrap_err();
        let name = &study.quantities()[last - 1].name;
        assert!(trial == 45 && error.to_string().starts_with(name), "{trial}: {error}");
    }

    #[test]
    fn sums_of_two_parts_are_the_sums_of_both_also_after_they_were_written_down() {
        let study = study();
        let [first, second, both] = [0..40, 40..100, 0..100].map(|trials| sums_of(&study, trials));
        let mut merged = Sums::unpacked(&study, &first.packed(), 40).unwrap();
        merged.merge(&Sums::unpacked(&study, &second.packed(), 60).unwrap());
        assert!(merged == both);
        let mut together = Sums::new(&study);
        together.merge_all(&[first.clone(), second.clone()]);
        assert!(together == both);
        assert!(Sums::unpacked(&study, &first.packed(), 41).is_none());
    }

    /// Every character in turn is made another one, and every text is cut short everywhere.
    #[test]
    fn a_damaged_text_is_refused_or_read_but_never_panics() {
        let study = study();
        let text = sums_of(&study, 0..20).packed();
        let identity = EngineIdentity { engine: String::new(), adapter: String::new(), version: String::new() };
        for place in 0..text.len() {
            assert!(Sums::unpacked(&study, &text[..place], 20).is_none(), "{place}");
            let mut damaged = text.clone();
            damaged.replace_range(place..=place, ["A", "f", "g", "_", "="][place % 5]);
            if let Some(sums) = Sums::unpacked(&study, &damaged, 20) {
                let mut twice = sums.clone();
                twice.merge(&sums);
                let _ = twice.summary(&study, &identity, 1).to_json();
            }
        }
    }
}
