//! The rows of two runs, read once, side by side.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use super::CompareError;
use crate::engine::EngineIdentity;
use crate::model::Outcome;
use crate::study::statistics::{Accumulator, Discordance, OutcomeError, Share};
use crate::study::{Keep, Part, PartError, RunDirectory, Study};

/// How many rows the reader of the second run may be ahead.
const AHEAD: usize = 4096;

/// A run: its study and the leading parts present without a gap.
pub struct Run<'a> {
    /// The study.
    pub study: &'a Study,
    /// Engine that computed it.
    pub identity: EngineIdentity,
    /// Trials in its parts.
    pub trials: u64,
    parts: PathBuf,
}

/// Counts and values collected from the rows of two runs.
pub struct Pairs {
    /// Whether rows are paired.
    pub is_paired: bool,
    /// Criteria present in both.
    pub criteria: Vec<Counts>,
    /// Quantities present in both.
    pub quantities: Vec<Values>,
}

/// Events of a criterion.
pub struct Counts {
    /// Its number in each study.
    pub numbers: [usize; 2],
    /// Events in each run.
    pub shares: [Share; 2],
    /// Discordance of paired rows.
    pub discordance: Discordance,
}

/// Values of a quantity.
pub struct Values {
    /// Its number in each study.
    pub numbers: [usize; 2],
    /// Values in each run.
    pub sums: [Accumulator; 2],
    /// Second minus first, over paired rows that both have it.
    pub differences: Accumulator,
}

impl Values {
    /// Whether the quantity is the same in both runs for certain: equal in each pair, or one constant.
    pub fn is_same(&self, is_paired: bool) -> bool {
        let constant = |sums: &Accumulator| sums.minimum().filter(|minimum| sums.maximum() == Some(*minimum));
        let [first, second] = &self.sums;
        if is_paired {
            return first == second && constant(&self.differences) == Some(0.0);
        }
        constant(first).is_some() && constant(first) == constant(second)
    }
}

impl<'a> Run<'a> {
    /// The run in a directory.
    pub fn open(study: &'a Study, directory: &Path) -> Result<Self, CompareError> {
        let parts = RunDirectory::open(directory).parts();
        let there = (0..study.parts()).take_while(|&number| parts.join(Part::file_name_of(number)).exists()).count();
        if there == 0 {
            return Err(CompareError::Empty { directory: directory.to_owned() });
        }
        let identity = Part::identity(&parts.join(Part::file_name_of(0)))?;
        for number in 0..there as u64 {
            let part = Part::new(study, number, &identity);
            if part.kept(&parts.join(part.file_name()))? != Keep::All {
                return Err(CompareError::RowsLeftOut { directory: directory.to_owned() });
            }
        }
        Ok(Self { study, identity, trials: study.part_trials(there as u64 - 1).end, parts })
    }

    /// Reads the rows of trials from the first on.
    fn read(
        &self,
        trials: Range<u64>,
        mut each: impl FnMut(&Outcome) -> Result<(), OutcomeError>,
    ) -> Result<(), PartError> {
        for number in 0..trials.end.div_ceil(self.study.part_size) {
            let part = Part::new(self.study, number, &self.identity);
            let path = self.parts.join(part.file_name());
            part.read(self.study, &path, |trial, row| {
                let uncountable = |source: OutcomeError| PartError::Uncountable {
                    study: self.study.name.clone(),
                    noun: self.study.nouns().one,
                    trial,
                    source: source.into(),
                };
                if trials.contains(&trial) { each(row).map_err(uncountable) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    fn happened(&self, criterion: usize, row: &Outcome) -> bool {
        let (study, event) = (self.study, &self.study.criteria[criterion].event);
        event.happened(study.model.as_ref(), row.class, |number| row.quantities[number])
    }
}

impl Pairs {
    /// Reads both runs; for paired ones, the trials that both have.
    pub fn gathered(runs: &[Run<'_>; 2], is_paired: bool) -> Result<Self, CompareError> {
        let mut pairs = Self::nothing_yet(runs, is_paired);
        if is_paired {
            let trials = 0..runs[0].trials.min(runs[1].trials);
            std::thread::scope(|scope| {
                let (sender, receiver) = sync_channel::<Outcome>(AHEAD);
                let (second, range) = (&runs[1], trials.clone());
                // If the receiver is gone, it reports an error of its own.
                let reader = scope.spawn(move || {
                    second.read(range, |row| {
                        let _ = sender.send(row.clone());
                        Ok(())
                    })
                });
                let read = pairs.paired(runs, trials, &receiver);
                drop(receiver);
                // The reader's error explains missing rows, so it comes first.
                reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                read
            })?;
        } else {
            for (side, run) in runs.iter().enumerate() {
                run.read(0..run.trials, |row| pairs.add(side, run, row))?;
            }
        }
        Ok(pairs)
    }

    /// Reads the first run; the rows of the second arrive one by one.
    fn paired(&mut self, runs: &[Run<'_>; 2], trials: Range<u64>, second: &Receiver<Outcome>) -> Result<(), PartError> {
        runs[0].read(trials, |row| {
            // Only a reader error leaves one out, and that is reported.
            let Ok(other) = second.recv() else { return Ok(()) };
            self.add(0, &runs[0], row)?;
            self.add(1, &runs[1], &other)?;
            for counts in &mut self.criteria {
                let happened = [runs[0].happened(counts.numbers[0], row), runs[1].happened(counts.numbers[1], &other)];
                counts.discordance.items += 1;
                counts.discordance.only_first += u64::from(happened == [true, false]);
                counts.discordance.only_second += u64::from(happened == [false, true]);
            }
            for values in &mut self.quantities {
                let [first, second] = values.numbers;
                if let (Some(before), Some(now)) = (row.quantities[first], other.quantities[second]) {
                    values.differences.add(now - before)?;
                }
            }
            Ok(())
        })
    }

    fn nothing_yet(runs: &[Run<'_>; 2], is_paired: bool) -> Self {
        let [first, second] = [runs[0].study, runs[1].study];
        let criteria = first.criteria.iter().enumerate().filter_map(|(number, criterion)| {
            let other = second.criteria.iter().position(|other| other.name == criterion.name)?;
            let none = Share { events: 0, items: 0 };
            Some(Counts { numbers: [number, other], shares: [none; 2], discordance: Discordance::default() })
        });
        let quantities = first.quantities().iter().enumerate().filter_map(|(number, quantity)| {
            let is_same = |other: &crate::model::Quantity| other.name == quantity.name && other.unit == quantity.unit;
            let other = second.quantities().iter().position(is_same)?;
            let nothing = Accumulator::new;
            Some(Values { numbers: [number, other], sums: [nothing(), nothing()], differences: nothing() })
        });
        Self { is_paired, criteria: criteria.collect(), quantities: quantities.collect() }
    }

    /// Whether there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.criteria.is_empty() && self.quantities.is_empty()
    }

    fn add(&mut self, side: usize, run: &Run<'_>, row: &Outcome) -> Result<(), OutcomeError> {
        for counts in &mut self.criteria {
            counts.shares[side].items += 1;
            counts.shares[side].events += u64::from(run.happened(counts.numbers[side], row));
        }
        for values in &mut self.quantities {
            if let Some(value) = row.quantities[values.numbers[side]] {
                values.sums[side].add(value)?;
            }
        }
        Ok(())
    }
}
