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

    /// True if there are landings, every difference in class is explained, few differ, no outcome is
    /// inconsistent with its states, and no distribution differs.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.landings > 0
            && self.unexplained().next().is_none()
            && self.misrecorded().next().is_none()
            && self.unequal.is_none_or(|landings| landings == 0)
            && !exceeds(self.disagreements.len() as u64, self.landings, DISAGREEING_SHARE)
            && self.tests.iter().all(|(_, test)| test.p_value >= MIN_P_VALUE)
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
    Ok(LandingReport { study: name, landings, classes, disagreements, tests, recordings, differences, unequal })
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
