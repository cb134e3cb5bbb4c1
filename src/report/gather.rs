//! One pass over the parts for their sums, and a second one over their rows, which needs the extremes of the first.
//!
//! In both, parts are counted on all threads and added in their order. Nothing of a part stays but its counts.
//!
//! Sums cover all trials. A trial without a row is no failure, so that the history of the criteria is known whatever
//! rows are kept; positions and worst trials come from the rows alone.

use super::ReportError;
use super::curve::Tail;
use super::density::Density;
use super::weighted_curve::WeightedCurve;
use super::worst::Worst;
use crate::engine::EngineIdentity;
use crate::model::{INVALID, Outcome};
use crate::parallel;
use crate::study::{Evidence, Part, PartError, READ_TOGETHER, RunDirectory, Study, SumError, Summary, Sums};

/// Checkpoints are spaced by this factor in trials: forty per decade.
const CHECKPOINT_FACTOR: f64 = 1.06;

/// Parts whose rows are counted at a time, on all threads: the curves of one may take megabytes.
const COUNTED_TOGETHER: usize = 32;

/// Estimates after a number of trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Number of trials.
    pub trials: u64,
    /// Estimate, lower and upper bound of each criterion's probability, at its confidence.
    pub bounds: Vec<[f64; 3]>,
}

/// Everything a report shows of the trials.
pub struct Gathered {
    /// Number of parts present.
    pub parts: u64,
    /// Results of the trials; `None` without any.
    pub results: Option<Results>,
}

/// Results of the trials of some parts.
pub struct Results {
    /// As in `summary.json` of a finished run.
    pub summary: Summary,
    /// The statistics of the quantities, in the study's order.
    pub sums: Sums,
    /// Number of trials with rows.
    pub rows: u64,
    /// The bounds over the course of the run, thinned out evenly on a logarithmic scale.
    pub checkpoints: Vec<Checkpoint>,
    /// The worst trials by each criterion.
    pub worst: Vec<Worst>,
    /// The first trial of each class.
    pub first_of_class: Vec<Option<u64>>,
    /// By quantity: trials with rows that lack it and count as beyond every limit of it.
    pub lacking: Vec<u64>,
    /// Density of the footprint's points, if there are any.
    pub density: Option<Density>,
    /// The curves of the quantities, both tails of each, if trials have weights and all of them have rows.
    pub weighted_curves: Vec<WeightedCurve>,
}

impl Gathered {
    /// Number of trials in the parts present.
    pub fn trials(&self) -> u64 {
        self.results.as_ref().map_or(0, |results| results.summary.trials.count)
    }
}

/// Reads the parts present.
pub fn gather(study: &Study, directory: &RunDirectory) -> Result<Gathered, ReportError> {
    let path = |number| directory.parts().join(Part::file_name_of(number));
    let there: Vec<u64> = (0..study.parts()).filter(|&number| path(number).exists()).collect();
    let Some(&first) = there.first() else {
        return Ok(Gathered { parts: 0, results: None });
    };
    let identity = Part::identity(&path(first))?;
    let (mut sums, mut have_all_rows) = (Sums::new(study), true);
    for together in there.chunks(READ_TOGETHER) {
        let heads =
            parallel::map(together, 1, |&number| Part::new(study, number, &identity).head(study, &path(number)));
        for head in heads {
            let head = head?;
            have_all_rows &= head.has_all_rows;
            sums.merge(&head.sums);
        }
    }
    let mut course = Course::new(study, sums, have_all_rows);
    let mut before = 0;
    for together in there.chunks(COUNTED_TOGETHER) {
        let begins = together.iter().map(|&number| {
            let part = Part::new(study, number, &identity);
            let begin = before;
            before += part.trials.end - part.trials.start;
            (part, begin)
        });
        let begins: Vec<(Part, u64)> = begins.collect();
        let counted = parallel::map(&begins, 1, |(part, before)| {
            let mut counts = course.counts(part.trials.start, *before);
            part.read_verified(study, &path(part.number), |trial, row| counts.row(&course, trial, row))?;
            counts.pass(&course, part.trials.end)?;
            Ok::<Counts, PartError>(counts)
        });
        for counts in counted {
            course.add(counts?);
        }
    }
    let parts = there.len() as u64;
    let mut results = course.ended(&identity, parts);
    if there.last() != Some(&(parts - 1)) {
        results.summary.withhold_verdicts();
    }
    Ok(Gathered { parts, results: Some(results) })
}

/// Whether the lack of a quantity puts a trial beyond every limit of it.
fn lacks_badly(study: &Study, quantity: usize, row: &Outcome) -> bool {
    row.class == INVALID || !study.model.is_good_without(quantity, row.class, &|number| row.quantities[number])
}

/// Numbers of trials after which there is a checkpoint; the last is that of all.
fn checkpoints(trials: u64) -> Vec<u64> {
    let next = |&trials: &u64| Some((trials + 1).max((trials as f64 * CHECKPOINT_FACTOR) as u64));
    let early = std::iter::successors(Some(1), next).take_while(|&early| early < trials);
    early.chain([trials]).collect()
}

/// The second pass: what has been counted of the parts so far.
struct Course<'a> {
    study: &'a Study,
    /// Of all trials.
    sums: Sums,
    /// Trials of the checkpoints.
    due: Vec<u64>,
    checkpoints: Vec<Checkpoint>,
    /// Counts of no trials, from which those of each part start.
    none: Counts,
    all: Counts,
}

/// What is counted of successive trials.
#[derive(Clone)]
struct Counts {
    /// The next trial.
    next: u64,
    /// Number of trials before the next one, counted from the first of the first part.
    trials: u64,
    rows: u64,
    evidence: Vec<Evidence>,
    /// The evidence at each checkpoint among them.
    at_checkpoints: Vec<Vec<Evidence>>,
    worst: Vec<Worst>,
    first_of_class: Vec<Option<u64>>,
    lacking: Vec<u64>,
    density: Option<Density>,
    curves: Vec<WeightedCurve>,
}

impl<'a> Course<'a> {
    /// Before the first part. Curves are for trials that have weights and all left rows.
    fn new(study: &'a Study, sums: Sums, have_all_rows: bool) -> Self {
        let quantities = sums.quantities().iter().enumerate().filter(|_| study.is_weighted() && have_all_rows);
        let curves = quantities.flat_map(|(number, sums)| {
            [Tail::Above, Tail::Below].map(|tail| WeightedCurve::new(study, number, tail, sums))
        });
        let none = Counts {
            next: 0,
            trials: 0,
            rows: 0,
            evidence: study.no_evidence(),
            at_checkpoints: Vec::new(),
            worst: study.criteria.iter().map(|criterion| Worst::new(criterion.event.clone())).collect(),
            first_of_class: vec![None; study.model.classes().len()],
            lacking: vec![0; study.quantities().len()],
            density: Density::new(study, sums.quantities()),
            curves: curves.collect(),
        };
        let due = checkpoints(sums.trials());
        Self { study, sums, due, checkpoints: Vec::new(), all: none.clone(), none }
    }

    /// Counts of no trials yet, from this one on, with so many in the parts before.
    fn counts(&self, next: u64, before: u64) -> Counts {
        Counts { next, trials: before, ..self.none.clone() }
    }

    /// Adds the counts of the next part.
    fn add(&mut self, part: Counts) {
        for evidence in &part.at_checkpoints {
            let criteria = self.study.criteria.iter().zip(&self.all.evidence).zip(evidence);
            let bounds = criteria.map(|((criterion, before), evidence)| {
                let mut evidence = evidence.clone();
                evidence.merge(before);
                let bounds = evidence.bounds(criterion.confidence);
                [evidence.estimate(), bounds.lower, bounds.upper]
            });
            let bounds = bounds.collect();
            self.checkpoints.push(Checkpoint { trials: self.due[self.checkpoints.len()], bounds });
        }
        self.all.merge(part);
    }

    fn ended(self, identity: &EngineIdentity, parts: u64) -> Results {
        let Counts { rows, worst, first_of_class, lacking, density, curves, .. } = self.all;
        Results {
            summary: self.sums.summary(self.study, identity, parts),
            sums: self.sums,
            rows,
            checkpoints: self.checkpoints,
            worst,
            first_of_class,
            lacking,
            density,
            weighted_curves: curves,
        }
    }
}

impl Counts {
    /// Counts a trial that left a row, and those before it that left none.
    fn row(&mut self, course: &Course<'_>, trial: u64, row: &Outcome) -> Result<(), PartError> {
        self.pass(course, trial)?;
        let (study, value) = (course.study, |quantity: usize| row.quantities[quantity]);
        for worst in &mut self.worst {
            worst.add(study.model.as_ref(), trial, row.class, value);
        }
        self.first_of_class[row.class].get_or_insert(trial);
        for (quantity, lacking) in self.lacking.iter_mut().enumerate() {
            *lacking += u64::from(row.quantities[quantity].is_none() && lacks_badly(study, quantity, row));
        }
        if let Some(density) = &mut self.density {
            density.add(row.class, value);
        }
        let counted = study.count(&mut self.evidence, trial, row.class, value);
        counted.map_err(|source| uncountable(study, trial, source))?;
        if !self.curves.is_empty() {
            let weight = study.weight(trial);
            for curve in &mut self.curves {
                let sums = &course.sums.quantities()[curve.quantity];
                let lack_is_beyond = lacks_badly(study, curve.quantity, row);
                let added = curve.add(sums, trial, weight, value(curve.quantity), lack_is_beyond);
                added.map_err(|source| uncountable(study, trial, source))?;
            }
        }
        self.rows += 1;
        self.counted(course);
        Ok(())
    }

    /// Counts the trials before this one that left no row: no criterion's event happened in them.
    fn pass(&mut self, course: &Course<'_>, trial: u64) -> Result<(), PartError> {
        while self.next < trial {
            for evidence in &mut self.evidence {
                // Without the event the weight does not count.
                let added = evidence.add(self.next, 1.0, false);
                added.map_err(|source| uncountable(course.study, trial, source))?;
            }
            self.counted(course);
        }
        Ok(())
    }

    fn counted(&mut self, course: &Course<'_>) {
        self.next += 1;
        self.trials += 1;
        if course.due.binary_search(&self.trials).is_ok() {
            self.at_checkpoints.push(self.evidence.clone());
        }
    }

    /// Adds those of the trials that follow, without their checkpoints.
    fn merge(&mut self, later: Self) {
        let Self { next, trials, rows, evidence, at_checkpoints: _, worst, first_of_class, lacking, density, curves } =
            later;
        (self.next, self.trials) = (next, trials);
        self.rows += rows;
        self.evidence.iter_mut().zip(&evidence).for_each(|(mine, later)| mine.merge(later));
        self.worst.iter_mut().zip(&worst).for_each(|(mine, later)| mine.merge(later));
        self.first_of_class.iter_mut().zip(first_of_class).for_each(|(mine, later)| *mine = mine.or(later));
        self.lacking.iter_mut().zip(lacking).for_each(|(mine, later)| *mine += later);
        if let (Some(mine), Some(later)) = (&mut self.density, &density) {
            mine.merge(later);
        }
        self.curves.iter_mut().zip(&curves).for_each(|(mine, later)| mine.merge(later));
    }
}

/// The error for a trial that cannot be counted.
fn uncountable(study: &Study, trial: u64, source: impl Into<SumError>) -> PartError {
    let source = source.into();
    PartError::Uncountable { study: study.name.clone(), noun: study.nouns().one, trial, source }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;
    use crate::random::uniform;
    use crate::report::page::html;
    use crate::study::{Criterion, Event};

    fn study() -> Study {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
        Study::read(&path).unwrap()
    }

    /// A run of made-up trials, so many of them to a part: every quantity of both signs and with a long tail, one trial in
    /// ten ends badly.
    fn made_up(study: &Study, trials: u64, part_size: u64) -> Gathered {
        let identity = EngineIdentity { engine: "made up".to_owned(), adapter: String::new(), version: "0".to_owned() };
        let row = |trial: u64| {
            let value = |quantity: usize| {
                let share = uniform(5, trial, quantity as u32);
                Some((share / (1.0 - share)).ln().powi(3))
            };
            let class = if trial % 10 == 3 { 1 } else { study.model.classes().len() - 1 };
            let quantities = (0..study.quantities().len()).map(value).collect();
            Outcome { class, totals: vec![1, 1], labels: Vec::new(), quantities }
        };
        let mut sums = Sums::new(study);
        (0..trials).for_each(|trial| assert!(sums.add(study, trial, &row(trial)).is_ok()));
        let mut course = Course::new(study, sums, true);
        for first in (0..trials).step_by(part_size as usize) {
            let mut counts = course.counts(first, first);
            let end = trials.min(first + part_size);
            (first..end).for_each(|trial| counts.row(&course, trial, &row(trial)).unwrap());
            counts.pass(&course, end).unwrap();
            course.add(counts);
        }
        Gathered { parts: study.parts(), results: Some(course.ended(&identity, study.parts())) }
    }

    /// The bounds stand beside the constants of `page`; only the number of digits of counts still grows.
    #[test]
    fn the_file_stays_small_however_many_trials_and_criteria_there_are() {
        let mut study = study();
        for quantity in 0..study.quantities().len() {
            study.criteria.push(Criterion {
                name: format!("limit {quantity}"),
                description: String::new(),
                event: Event::Below { quantity, limit: -1000.0 },
                probability: 1e-3,
                limit_probability: None,
                confidence: 0.9,
                source: None,
            });
        }
        let sizes = [30_000, 300_000]
            .map(|trials| html(&study, &made_up(&study, trials, 10_000), &Default::default()).unwrap().len());
        println!("{sizes:?} bytes");
        // ln(10) / ln(1.04) = 59 more steps in each of six lines, for 12 bytes each, in at most 48 figures.
        assert!(sizes[1] < 2_000_000 && sizes[1] - sizes[0] < 59 * 6 * 12 * 48, "{sizes:?}");
    }

    #[test]
    fn checkpoints_are_few_and_end_with_the_last_trial() {
        let study = study();
        let gathered = made_up(&study, 12_345, 100);
        let checkpoints = gathered.results.unwrap().checkpoints;
        // Every trial up to 1 / 0.06, then ln(12,345 / 16.7) / ln(1.06) = 113, and those that rounding down adds.
        assert!((100..=180).contains(&checkpoints.len()), "{}", checkpoints.len());
        assert_eq!(checkpoints.last().unwrap().trials, 12_345);
        assert!(checkpoints.windows(2).all(|pair| pair[0].trials < pair[1].trials));
    }

    /// Of equally bad trials the first are kept, whatever part they are in.
    #[test]
    fn parts_counted_apart_give_what_all_trials_together_do() {
        let mut study = study();
        for event in [Event::Class(1), Event::Below { quantity: 0, limit: -100.0 }] {
            let (name, description) = (format!("{event:?}"), String::new());
            let (probability, limit_probability, confidence, source) = (1e-3, None, 0.9, None);
            study.criteria.push(Criterion {
                name,
                description,
                event,
                probability,
                limit_probability,
                confidence,
                source,
            });
        }
        let [apart, together] = [70, 5000].map(|part_size| made_up(&study, 5000, part_size).results.unwrap());
        assert_eq!(apart.checkpoints, together.checkpoints);
        assert_eq!(apart.rows, 5000);
        assert_eq!(apart.first_of_class, together.first_of_class);
        assert_eq!(apart.first_of_class[1], Some(3));
        assert_eq!(apart.lacking, together.lacking);
        let shown = |results: &Results| format!("{:?} {:?}", results.worst, results.density);
        assert_eq!(shown(&apart), shown(&together));
    }
}
