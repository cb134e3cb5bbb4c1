//! Sums of the parts of a run as they become known, and the summary that follows from them.
//!
//! Nobody reads a part twice for its sums, and thousands of parts need no more memory than the few stretches between looks:
//! what is known of a stretch is one sum, which is exact in any order.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::part::READ_TOGETHER;
use super::{Part, PartError, Study, Summary, Sums};
use crate::engine::EngineIdentity;
use crate::parallel;

/// The sums of those parts of a run that have been read.
pub(super) struct KnownSums<'a> {
    study: &'a Study,
    /// From each look to the next.
    stretches: Vec<Stretch>,
}

struct Stretch {
    parts: Range<u64>,
    /// Those that the sums are of.
    known: BTreeSet<u64>,
    sums: Sums,
}

impl<'a> KnownSums<'a> {
    /// Of no parts.
    pub fn new(study: &'a Study) -> Self {
        let mut begin = 0;
        let stretches = study.looks().into_iter().map(|look| {
            let parts = begin..look.parts;
            begin = look.parts;
            Stretch::new(study, parts)
        });
        Self { study, stretches: stretches.collect() }
    }

    /// Adds the sums of parts, each with its number.
    pub fn add(&mut self, mut parts: Vec<(u64, Sums)>) {
        for stretch in &mut self.stretches {
            let own = |(number, _): &(u64, Sums)| stretch.parts.contains(number);
            let (own, others) = parts.into_iter().partition(own);
            stretch.add(own);
            parts = others;
        }
    }

    /// The summary over the leading parts, up to the look at which the run stops. What is not known of them is read from a
    /// directory of parts.
    ///
    /// # Errors
    /// If a part is missing, foreign or damaged.
    pub fn summary(&mut self, identity: &EngineIdentity, directory: &Path, parts: u64) -> Result<Summary, PartError> {
        let study = self.study;
        let mut sums = Sums::new(study);
        for stretch in self.stretches.iter_mut().take_while(|stretch| stretch.parts.start < parts) {
            let end = stretch.parts.end.min(parts);
            // Parts behind a gap are none of the leading ones, and cannot be taken out of the sums.
            let mut leading;
            let stretch = if stretch.known.range(end..).next().is_some() {
                leading = Stretch::new(study, stretch.parts.start..end);
                &mut leading
            } else {
                stretch
            };
            stretch.read_missing(study, identity, directory, end)?;
            sums.merge_all(std::slice::from_ref(&stretch.sums));
            if end < parts {
                let summary = sums.summary(study, identity, end);
                if summary.is_settled() {
                    return Ok(summary);
                }
            }
        }
        Ok(sums.summary(study, identity, parts))
    }
}

impl Stretch {
    fn new(study: &Study, parts: Range<u64>) -> Self {
        Self { parts, known: BTreeSet::new(), sums: Sums::new(study) }
    }

    fn add(&mut self, parts: Vec<(u64, Sums)>) {
        let new = parts.into_iter().filter_map(|(number, sums)| self.known.insert(number).then_some(sums));
        let new: Vec<Sums> = new.collect();
        self.sums.merge_all(&new);
    }

    /// Reads the parts before this one that are not known, some at a time, on all threads.
    fn read_missing(
        &mut self,
        study: &Study,
        identity: &EngineIdentity,
        directory: &Path,
        end: u64,
    ) -> Result<(), PartError> {
        let missing: Vec<u64> = (self.parts.start..end).filter(|number| !self.known.contains(number)).collect();
        for together in missing.chunks(READ_TOGETHER) {
            let read = parallel::map(together, 1, |&number| {
                let part = Part::new(study, number, identity);
                Ok((number, part.head(study, &directory.join(part.file_name()))?.sums))
            });
            self.add(read.into_iter().collect::<Result<_, PartError>>()?);
        }
        Ok(())
    }
}

impl Summary {
    /// Sums over the leading parts of a study in a directory of parts, up to the look at which the run stops.
    ///
    /// # Errors
    /// If a part is missing, foreign or damaged.
    pub fn of_parts(study: &Study, identity: &EngineIdentity, directory: &Path, parts: u64) -> Result<Self, PartError> {
        KnownSums::new(study).summary(identity, directory, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;
    use crate::random::words;
    use crate::study::Stopping;

    fn sums_of(study: &Study, number: u64) -> (u64, Sums) {
        let mut sums = Sums::new(study);
        for trial in study.part_trials(number) {
            let value = |quantity: usize| f64::from(words(3, trial, quantity as u32, 0)[0]) * 1e-6 - 2000.0;
            let quantities = (0..study.quantities().len()).map(|quantity| Some(value(quantity))).collect();
            let class = 1 + trial as usize % (study.model.classes().len() - 1);
            sums.add(study, trial, &Outcome { class, totals: vec![1, trial], labels: Vec::new(), quantities }).unwrap();
        }
        (number, sums)
    }

    #[test]
    fn parts_that_are_known_are_not_read_and_those_behind_a_gap_do_not_count() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        let mut study = Study::read(&path).unwrap();
        let identity = EngineIdentity { engine: "made up".to_owned(), adapter: String::new(), version: "0".to_owned() };
        let nowhere = tempfile::tempdir().unwrap();
        // Without looks, and with those after 1, 2, 4 and all 6 parts, of which none can settle anything.
        for stopping in [None, Some(Stopping { wall_time: None, interval: Some(1e-9), decided: false })] {
            study.stopping = stopping;
            let mut expected = Sums::new(&study);
            (0..5).for_each(|number| expected.merge(&sums_of(&study, number).1));
            let expected = expected.summary(&study, &identity, 5).to_json();

            // In any order, and one of them twice.
            let mut known = KnownSums::new(&study);
            known.add([3, 0, 4].map(|number| sums_of(&study, number)).into());
            known.add([2, 3, 1].map(|number| sums_of(&study, number)).into());
            assert_eq!(known.summary(&identity, nowhere.path(), 5).unwrap().to_json(), expected);

            let missing = known.summary(&identity, nowhere.path(), 6).unwrap_err().to_string();
            assert!(missing.contains("00005.parquet"), "{missing}");

            // The last one cannot be taken out again: those before it in its stretch are read.
            known.add(vec![sums_of(&study, 5)]);
            let first_of_stretch = if stopping.is_some() { "00004.parquet" } else { "00000.parquet" };
            let read = known.summary(&identity, nowhere.path(), 5).unwrap_err().to_string();
            assert!(read.contains(first_of_stretch), "{read}");
        }
    }
}
