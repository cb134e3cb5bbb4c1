//! Whole landings: classes, and distributions of the quantities.

use super::disagreement::{Disagreement, Examiner};
use super::recording::Recording;
use super::sample::known_study;
use crate::engine::Engine;
use crate::query::{LandingClass, LandingInputs, LandingOutcome};
use crate::study::statistics::{TwoSampleTest, homogeneity, kolmogorov_smirnov};
use crate::validation::LandingStudy;
use crate::validation::error::one_each;
use crate::validation::tally::{MIN_P_VALUE, exceeds};
use crate::validation::{Agreement, LandingItem, ValidationError, equal};

/// Disagreements allowed, as a share of all landings.
const DISAGREEING_SHARE: f64 = 5e-3;
/// Quantities are compared on a grid of this width in their units, as summaries keep them.
const RESOLUTION: f64 = 1.0 / (1 << 20) as f64;
/// How far the median difference of a quantity between both engines' landings may be, as a share of its standard
/// deviation: rounding moves a typical landing by far less, and only those that part by a decision farther.
const MAX_SHIFT: f64 = 0.01;
/// The same as a share of its size, for what hardly varies: a thousand roundings of f32.
const MAX_RELATIVE_SHIFT: f64 = 1e3 / (1 << 24) as f64;
/// Landings computed at a time.
const BATCH: u64 = 1024;
/// The recorder is judged in one of every `RECORDED_EVERY` landings, and in at least `MIN_RECORDED` of a study.
const RECORDED_EVERY: u64 = 64;
const MIN_RECORDED: u64 = 32;

/// Results of the whole landings of a study.
#[derive(Clone, Debug)]
pub struct LandingReport {
    /// Name of the study.
    pub study: &'static str,
    /// Landings computed by both.
    pub landings: u64,
    /// Landings of each class, by the judge and by the candidate, in the order of [`LandingClass::ALL`].
    pub classes: [[u64; LandingClass::ALL.len()]; 2],
    /// Landings that differ in class.
    pub disagreements: Vec<Disagreement>,
    /// Class counts, then each quantity, compared as two samples.
    pub tests: Vec<(String, TwoSampleTest)>,
    /// How far each quantity is shifted from one engine's landing to the other's of the same inputs and class.
    pub shifts: Vec<Shift>,
    /// Outcomes of the candidate compared with those of its own states: of every landing that differs in class, and of
    /// a sample.
    pub recordings: Vec<Recording>,
    /// The largest differences between landings that agree in class.
    pub differences: [LargestDifference; 3],
    /// Landings whose outcome differs from the judge's in any number; `None` for an engine that does not guarantee
    /// equality.
    pub unequal: Option<u64>,
}

/// The largest difference of a quantity between the two engines, in landings that end alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestDifference {
    /// Of what, with its unit.
    pub what: &'static str,
    /// How large, in that unit; infinite for what is not a number.
    pub difference: f64,
    /// In which landing; `None` where none has the quantity.
    pub landing: Option<u64>,
}

/// The shift of a quantity between the two engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// Name of the quantity.
    pub quantity: String,
    /// The median size of the difference between two landings of the same inputs, in the quantity's unit.
    pub median: f64,
    /// How large it may be.
    pub allowed: f64,
}

impl Shift {
    /// Of the quantity's values in pairs of landings.
    fn new(quantity: String, pairs: &[[f64; 2]]) -> Option<Self> {
        let mut differences: Vec<f64> = pairs.iter().map(|[truth, answer]| (truth - answer).abs()).collect();
        // What is not a number comes last.
        differences.sort_by(f64::total_cmp);
        let median = *differences.get(differences.len() / 2)?;
        let count = pairs.len() as f64;
        let mean = pairs.iter().map(|pair| pair[0]).sum::<f64>() / count;
        let variance = pairs.iter().map(|pair| (pair[0] - mean) * (pair[0] - mean)).sum::<f64>() / count;
        let allowed = MAX_SHIFT * variance.sqrt() + MAX_RELATIVE_SHIFT * mean.abs() + RESOLUTION;
        Some(Self { quantity, median, allowed })
    }

    /// True where rounding explains it.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.median <= self.allowed
    }
}

impl LargestDifference {
    const NONE: [Self; 3] = [
        Self { what: "touchdown [m]", difference: 0.0, landing: None },
        Self { what: "stop [m]", difference: 0.0, landing: None },
        Self { what: "peak force [N]", difference: 0.0, landing: None },
    ];

    fn learn(&mut self, landing: u64, pair: [Option<f64>; 2]) {
        let [Some(truth), Some(answer)] = pair else {
            return;
        };
        let difference = (truth - answer).abs();
        let difference = if difference.is_nan() { f64::INFINITY } else { difference };
        if self.landing.is_none() || difference > self.difference {
            (self.difference, self.landing) = (difference, Some(landing));
        }
    }
}

impl LandingReport {
    /// Landings whose class differs and is not explained.
    pub fn unexplained(&self) -> impl Iterator<Item = &Disagreement> {
        self.disagreements.iter().filter(|disagreement| !disagreement.is_explained())
    }

    /// Recordings that are wrong.
    pub fn misrecorded(&self) -> impl Iterator<Item = &Recording> {
        self.recordings.iter().filter(|recording| recording.verdict() == Agreement::Wrong)
    }

    /// The test with the least probability, and of what.
    #[must_use]
    pub fn least_likely(&self) -> Option<&(String, TwoSampleTest)> {
        self.tests.iter().min_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value))
    }

    /// The shift that is largest beside what is allowed.
    #[must_use]
    pub fn largest_shift(&self) -> Option<&Shift> {
        let share = |shift: &Shift| shift.median / shift.allowed;
        self.shifts.iter().max_by(|a, b| share(a).total_cmp(&share(b)))
    }

    /// True if there are landings, every difference in class is explained, few differ, no outcome is
    /// inconsistent with its states, no distribution differs, and no quantity is shifted in the typical landing.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.landings > 0
            && self.unexplained().next().is_none()
            && self.misrecorded().next().is_none()
            && self.unequal.is_none_or(|landings| landings == 0)
            && !exceeds(self.disagreements.len() as u64, self.landings, DISAGREEING_SHARE)
            && self.tests.iter().all(|(_, test)| test.p_value >= MIN_P_VALUE)
            && self.shifts.iter().all(Shift::passes)
    }
}

/// Computes the first landings of a study on both engines; `advanced` receives the number done.
///
/// # Errors
/// If an engine fails.
pub fn validate_landings(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (name, study): (&'static str, &LandingStudy),
    landings: u64,
    advanced: &mut dyn FnMut(u64),
) -> Result<LandingReport, ValidationError> {
    let examiner = Examiner::new(study, judge, candidate);
    let mut classes = [[0; LandingClass::ALL.len()]; 2];
    let mut samples: Vec<[Vec<f64>; 2]> = vec![Default::default(); study.quantities().len()];
    let mut pairs: Vec<Vec<[f64; 2]>> = vec![Vec::new(); study.quantities().len()];
    let (mut disagreements, mut recordings) = (Vec::new(), Vec::new());
    let mut differences = LargestDifference::NONE;
    let mut unequal = candidate.promises_equality().then_some(0);
    let recorded_every = (landings / MIN_RECORDED).clamp(1, RECORDED_EVERY);
    for first in (0..landings).step_by(BATCH as usize) {
        let range = first..landings.min(first + BATCH);
        let inputs: Vec<LandingInputs> = range.clone().map(|landing| study.landing_inputs(landing)).collect();
        let truths = one_each(judge.landings(&study.job, &inputs)?, inputs.len())?;
        let answers = one_each(candidate.landings(&study.job, &inputs)?, inputs.len())?;
        let mut recorded = Vec::new();
        for (((landing, inputs), truth), answer) in range.clone().zip(&inputs).zip(&truths).zip(&answers) {
            for (side, outcome) in [truth, answer].into_iter().enumerate() {
                classes[side][outcome.class as usize] += 1;
                collect(study, outcome, &mut samples, side);
            }
            if let Some(landings) = &mut unequal {
                *landings += u64::from(!equal(truth, answer));
            }
            let item = LandingItem { study: name, landing };
            if truth.class != answer.class {
                let found = examiner.explain((item, inputs), (truth, answer))?;
                recordings.push(found.recording.clone());
                disagreements.push(found);
                continue;
            }
            for (quantity, pairs) in study.quantities().iter().zip(&mut pairs) {
                let [truth, answer] = [truth, answer].map(|outcome| quantity.of(outcome));
                pairs.extend(truth.zip(answer).map(|(truth, answer)| [truth, answer]));
            }
            for (largest, pair) in differences.iter_mut().zip(measures(truth, answer)) {
                largest.learn(landing, pair);
            }
            if landing % recorded_every == 0 {
                recorded.push((item, *inputs, answer.clone()));
            }
        }
        recordings.extend(examiner.recordings(&recorded)?);
        advanced(range.end);
    }
    let mut tests = vec![("class".to_owned(), homogeneity(&classes[0], &classes[1]))];
    tests.extend(
        study
            .quantities()
            .iter()
            .zip(&samples)
            .map(|(quantity, [a, b])| (quantity.name.clone(), kolmogorov_smirnov(a, b))),
    );
    let shifts = study.quantities().iter().zip(&pairs);
    let shifts = shifts.filter_map(|(quantity, pairs)| Shift::new(quantity.name.clone(), pairs)).collect();
    Ok(LandingReport { study: name, landings, classes, disagreements, tests, shifts, recordings, differences, unequal })
}

/// What the largest differences are of.
fn measures(truth: &LandingOutcome, answer: &LandingOutcome) -> [[Option<f64>; 2]; 3] {
    let of = |measure: fn(&LandingOutcome) -> Option<f64>| [measure(truth), measure(answer)];
    [
        of(|outcome| outcome.touchdown.map(|touchdown| touchdown.distance)),
        of(|outcome| outcome.stop.map(|stop| stop.point)),
        of(|outcome| outcome.wheels.iter().map(|wheel| wheel.peak_force).reduce(f64::max)),
    ]
}

/// A landing as both engines fly it.
#[derive(Clone, Debug)]
pub struct LandingComparison {
    /// Which it is.
    pub item: LandingItem,
    /// What it comes to by the judge.
    pub truth: LandingOutcome,
    /// The same by the candidate.
    pub answer: LandingOutcome,
    /// The candidate's outcome beside the judge's recorder over the candidate's states.
    pub recording: Recording,
    /// How the classes come to differ, where they do.
    pub disagreement: Option<Disagreement>,
}

/// Flies a landing again.
///
/// # Errors
/// When an engine fails, or there is no such study.
pub fn judge_landing(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    item: &LandingItem,
) -> Result<LandingComparison, ValidationError> {
    let study = known_study(item.study)?;
    let inputs = study.landing_inputs(item.landing);
    let truth = one_each(judge.landings(&study.job, &[inputs])?, 1)?.remove(0);
    let answer = one_each(candidate.landings(&study.job, &[inputs])?, 1)?.remove(0);
    let examiner = Examiner::new(&study, judge, candidate);
    let recording = one_each(examiner.recordings(&[(*item, inputs, answer.clone())])?, 1)?.remove(0);
    let explained = || examiner.explain((*item, &inputs), (&truth, &answer));
    let disagreement = (truth.class != answer.class).then(explained).transpose()?;
    Ok(LandingComparison { item: *item, truth, answer, recording, disagreement })
}

fn collect(study: &LandingStudy, outcome: &LandingOutcome, samples: &mut [[Vec<f64>; 2]], side: usize) {
    for (quantity, sample) in study.quantities().iter().zip(samples) {
        // What is meant to be the same in all landings differs in the last place: that is no other distribution.
        sample[side].extend(quantity.of(outcome).map(|value| (value / RESOLUTION).round() * RESOLUTION));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stopping points of two hundred landings with a spread of 40 m, and the same by another engine.
    fn stops(by: impl Fn(usize) -> f64) -> Shift {
        let pair = |number: usize| {
            let stop = 600.0 + 40.0 * (number as f64 * 2.399).sin() * std::f64::consts::SQRT_2;
            [stop, stop + by(number)]
        };
        let pairs: Vec<[f64; 2]> = (0..200).map(pair).collect();
        Shift::new("stop".to_owned(), &pairs).expect("there are pairs")
    }

    #[test]
    fn a_shift_of_every_landing_is_seen_where_no_distribution_shows_it() {
        for shift in [20.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            assert!(!stops(|_| shift).passes(), "{shift}");
        }
        // Rounding, and some landings that have parted.
        assert!(stops(|number| if number % 10 == 0 { 30.0 } else { 1e-3 }).passes());
        let samples = |by: f64| (0..200).map(|number| f64::from(number) * 0.7 + by).collect::<Vec<f64>>();
        assert!(kolmogorov_smirnov(&samples(0.0), &samples(20.0)).p_value > MIN_P_VALUE);
        assert_eq!(Shift::new(String::new(), &[]), None);
    }
}
