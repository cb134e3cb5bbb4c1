//! One pass over the parts for everything a report counts, and a second one that needs the extremes of the first.
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
use crate::study::{Evidence, Part, PartError, RunDirectory, Study, Summary, Sums};

/// Checkpoints are spaced by this factor in trials: forty per decade.
const CHECKPOINT_FACTOR: f64 = 1.06;

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
    let mut course = Course::new(study);
    for &number in &there {
        let part = Part::new(study, number, &identity);
        let sums = part.sums(study, &path(number))?;
        course.next = part.trials.start;
        part.read(study, &path(number), |trial, row| course.row(trial, row))?;
        course.pass(part.trials.end)?;
        course.sums.merge(&sums);
    }
    let mut density = Density::new(study, course.sums.quantities());
    let mut curves = course.weighted_curves();
    if density.is_some() || !curves.is_empty() {
        for &number in &there {
            Part::new(study, number, &identity).read(study, &path(number), |trial, row| {
                if let Some(density) = &mut density {
                    density.add(row.class, |quantity| row.quantities[quantity]);
                }
                let weight = study.weight(trial);
                curves.iter_mut().try_for_each(|curve| {
                    let lack_is_beyond = lacks_badly(study, curve.quantity, row);
                    curve
                        .add(
                            &course.sums.quantities()[curve.quantity],
                            trial,
                            weight,
                            row.quantities[curve.quantity],
                            lack_is_beyond,
                        )
                        .map_err(|error| PartError::Uncountable {
                            study: study.name.clone(),
                            noun: study.nouns().one,
                            trial,
                            source: error.into(),
                        })
                })
            })?;
        }
    }
    let parts = there.len() as u64;
    let mut results = course.ended(&identity, parts, density, curves);
    if there.last() != Some(&(parts - 1)) {
        results.summary.withhold_verdicts();
    }
    Ok(Gathered { parts, results: Some(results) })
}

/// Whether the lack of a quantity puts a trial beyond every limit of it.
fn lacks_badly(study: &Study, quantity: usize, row: &Outcome) -> bool {
    row.class == INVALID || !study.model.is_good_without(quantity, row.class, &|number| row.quantities[number])
}

/// The first pass.
struct Course<'a> {
    study: &'a Study,
    sums: Sums,
    /// The next trial of the part at hand.
    next: u64,
    trials: u64,
    rows: u64,
    evidence: Vec<Evidence>,
    next_checkpoint: u64,
    checkpoints: Vec<Checkpoint>,
    worst: Vec<Worst>,
    first_of_class: Vec<Option<u64>>,
    lacking: Vec<u64>,
}

impl<'a> Course<'a> {
    fn new(study: &'a Study) -> Self {
        Self {
            study,
            sums: Sums::new(study),
            next: 0,
            trials: 0,
            rows: 0,
            evidence: study.no_evidence(),
            next_checkpoint: 1,
            checkpoints: Vec::new(),
            worst: study.criteria.iter().map(|criterion| Worst::new(criterion.event.clone())).collect(),
            first_of_class: vec![None; study.model.classes().len()],
            lacking: vec![0; study.quantities().len()],
        }
    }

    /// Counts a trial that left a row, and those before it that left none.
    fn row(&mut self, trial: u64, row: &Outcome) -> Result<(), PartError> {
        self.pass(trial)?;
        for worst in &mut self.worst {
            worst.add(self.study.model.as_ref(), trial, row.class, |quantity| row.quantities[quantity]);
        }
        self.first_of_class[row.class].get_or_insert(trial);
        for (quantity, lacking) in self.lacking.iter_mut().enumerate() {
            *lacking += u64::from(row.quantities[quantity].is_none() && lacks_badly(self.study, quantity, row));
        }
        self.study.count(&mut self.evidence, trial, row.class, |quantity| row.quantities[quantity]).map_err(
            |error| PartError::Uncountable {
                study: self.study.name.clone(),
                noun: self.study.nouns().one,
                trial,
                source: error.into(),
            },
        )?;
        self.rows += 1;
        self.counted();
        Ok(())
    }

    /// Counts the trials before this one that left no row: no criterion's event happened in them.
    fn pass(&mut self, trial: u64) -> Result<(), PartError> {
        while self.next < trial {
            for evidence in &mut self.evidence {
                // Without the event the weight does not count.
                evidence.add(self.next, 1.0, false).map_err(|error| PartError::Uncountable {
                    study: self.study.name.clone(),
                    noun: self.study.nouns().one,
                    trial,
                    source: error.into(),
                })?;
            }
            self.counted();
        }
        Ok(())
    }

    fn counted(&mut self) {
        self.next += 1;
        self.trials += 1;
        if self.trials == self.next_checkpoint {
            self.checkpoint();
            self.next_checkpoint = (self.trials + 1).max((self.trials as f64 * CHECKPOINT_FACTOR) as u64);
        }
    }

    fn checkpoint(&mut self) {
        let criteria = self.study.criteria.iter().zip(&self.evidence);
        let bounds = criteria.map(|(criterion, evidence)| {
            let bounds = evidence.bounds(criterion.confidence);
            [evidence.estimate(), bounds.lower, bounds.upper]
        });
        self.checkpoints.push(Checkpoint { trials: self.trials, bounds: bounds.collect() });
    }

    /// Curves without trials, for those that have weights and all left rows.
    fn weighted_curves(&self) -> Vec<WeightedCurve> {
        if !self.study.is_weighted() || self.rows < self.trials {
            return Vec::new();
        }
        let quantities = self.sums.quantities().iter().enumerate();
        let curves = quantities.flat_map(|(number, sums)| {
            [Tail::Above, Tail::Below].map(|tail| WeightedCurve::new(self.study, number, tail, sums))
        });
        curves.collect()
    }

    fn ended(
        mut self,
        identity: &EngineIdentity,
        parts: u64,
        density: Option<Density>,
        weighted_curves: Vec<WeightedCurve>,
    ) -> Results {
        if self.checkpoints.last().is_none_or(|last| last.trials < self.trials) {
            self.checkpoint();
        }
        Results {
            summary: self.sums.summary(self.study, identity, parts),
            sums: self.sums,
            rows: self.rows,
            checkpoints: self.checkpoints,
            worst: self.worst,
            first_of_class: self.first_of_class,
            lacking: self.lacking,
            density,
            weighted_curves,
        }
    }
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

    /// A run of made-up trials: every quantity of both signs and with a long tail, one trial in ten ends badly.
    fn made_up(study: &Study, trials: u64) -> Gathered {
        let identity = EngineIdentity { engine: "made up".to_owned(), adapter: String::new(), version: "0".to_owned() };
        let mut course = Course::new(study);
        let row = |trial: u64| {
            let value = |quantity: usize| {
                let share = uniform(5, trial, quantity as u32);
                Some((share / (1.0 - share)).ln().powi(3))
            };
            let class = if trial % 10 == 3 { 1 } else { study.model.classes().len() - 1 };
            let quantities = (0..study.quantities().len()).map(value).collect();
            Outcome { class, totals: vec![1, 1], labels: Vec::new(), quantities }
        };
        for trial in 0..trials {
            let row = row(trial);
            course.sums.add(study, trial, &row).unwrap();
            course.row(trial, &row).unwrap();
        }
        let mut density = Density::new(study, course.sums.quantities()).unwrap();
        for trial in 0..trials {
            let row = row(trial);
            density.add(row.class, |quantity| row.quantities[quantity]);
        }
        Gathered {
            parts: study.parts(),
            results: Some(course.ended(&identity, study.parts(), Some(density), Vec::new())),
        }
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
        let sizes =
            [30_000, 300_000].map(|trials| html(&study, &made_up(&study, trials), &Default::default()).unwrap().len());
        println!("{sizes:?} bytes");
        // ln(10) / ln(1.04) = 59 more steps in each of six lines, for 12 bytes each, in at most 48 figures.
        assert!(sizes[1] < 2_000_000 && sizes[1] - sizes[0] < 59 * 6 * 12 * 48, "{sizes:?}");
    }

    #[test]
    fn checkpoints_are_few_and_end_with_the_last_trial() {
        let study = study();
        let gathered = made_up(&study, 12_345);
        let checkpoints = gathered.results.unwrap().checkpoints;
        // Every trial up to 1 / 0.06, then ln(12,345 / 16.7) / ln(1.06) = 113, and those that rounding down adds.
        assert!((100..=180).contains(&checkpoints.len()), "{}", checkpoints.len());
        assert_eq!(checkpoints.last().unwrap().trials, 12_345);
        assert!(checkpoints.windows(2).all(|pair| pair[0].trials < pair[1].trials));
    }
}
