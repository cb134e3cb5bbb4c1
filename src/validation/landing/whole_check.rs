//! Check `landings`: whole landings.

use std::sync::Arc;

use super::disagreement::Disagreement;
use super::recording::Recording;
use super::sample::known_study;
use super::steps_check::saved_study;
use super::whole::{LandingComparison, LandingReport, judge_landing, validate_landings};
use crate::document::{DocumentError, Table};
use crate::query::{LandingClass, LandingOutcome};
use crate::shown::number;
use crate::validation::LandingStudy;
use crate::validation::check::passes_or_fails;
use crate::validation::item::{Fields, saved_number};
use crate::validation::words::{Numbers, Part, both, optional_number, verdict_line};
use crate::validation::{
    Agreement, Aside, Check, Description, Engines, Finding, Found, Group, Item, Outcome, ValidationError, study_names,
};

/// Number of items equivalent to a whole landing.
const ITEMS_PER_LANDING: u64 = 100;
/// Maximum number of landings with wrong outcomes kept per study.
const KEPT: usize = 100;
/// Minimum number of landings per study: fewer say nothing about its distributions.
const MIN_LANDINGS: u64 = 100;

/// The check.
pub(in crate::validation) struct Landings;

const NAME: &str = "landings";

/// An item of the check `landings`: a landing of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LandingItem {
    /// The study, one of [`study_names`].
    pub study: &'static str,
    /// The landing's number in it.
    pub landing: u64,
}

/// Number of landings computed for this many items.
fn landings_for(items: u64) -> u64 {
    (items / ITEMS_PER_LANDING).max(MIN_LANDINGS)
}

impl Check for Landings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn help(&self) -> &'static str {
        "Whole landings"
    }

    fn groups(&self) -> Vec<Group> {
        let group = |name| {
            Group::new(name, move |Engines { judge, candidate }, _, items, advanced| {
                let study = known_study(name)?;
                let mut heard = |landings: u64| advanced(ITEMS_PER_LANDING * landings, &landings.to_string());
                let landings = landings_for(items);
                let report = validate_landings(judge, candidate, (name, &study), landings, &mut heard)?;
                Ok(outcome(&report))
            })
        };
        study_names().into_iter().map(group).collect()
    }

    fn work(&self, items: u64) -> u64 {
        ITEMS_PER_LANDING * landings_for(items)
    }

    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError> {
        Ok(Arc::new(LandingItem { study: saved_study(table)?, landing: saved_number(table, "landing")? }))
    }
}

fn outcome(report: &LandingReport) -> Outcome {
    // Of a landing whose class differs all is kept with that.
    let differs = |item| report.disagreements.iter().any(|disagreement| disagreement.item == item);
    let misrecorded = report.misrecorded().filter(|recording| !differs(recording.item)).take(KEPT);
    let disagreements = report.disagreements.iter().cloned().map(Finding::from);
    Outcome {
        check: NAME,
        group: report.study,
        tally: None,
        touches: false,
        passes: report.passes(),
        kept: disagreements.chain(misrecorded.cloned().map(Finding::from)).collect(),
        aside: Some(Aside {
            title: "whole landings: class by the reference/by the engine",
            tables: vec![classes(report), recordings(report)],
            texts: vec![
                report.disagreements.iter().map(disagreement_words).collect(),
                report.misrecorded().map(recording_words).collect(),
            ],
        }),
    }
}

impl From<Disagreement> for Finding {
    fn from(disagreement: Disagreement) -> Self {
        Self {
            item: Arc::new(disagreement.item),
            verdict: if disagreement.is_explained() { Agreement::Ambiguous } else { Agreement::Wrong },
            what: "a step",
            ratio: Some(disagreement.largest_ratio),
            made_to_touch: false,
            found: Arc::new(disagreement),
        }
    }
}

impl Found for Disagreement {
    fn fields(&self) -> Fields {
        let mut fields = vec![("truth", self.truth.name().into()), ("answer", self.answer.name().into())];
        fields.extend(self.step.map(|step| ("parting_step", step.into())));
        fields.extend([("decision", self.decision.clone().into()), ("wrong_steps", self.wrong_steps.into())]);
        fields
    }
}

impl From<Recording> for Finding {
    fn from(recording: Recording) -> Self {
        Self {
            item: Arc::new(recording.item),
            verdict: recording.verdict(),
            what: recording.largest.1,
            ratio: Some(recording.largest.0),
            made_to_touch: false,
            found: Arc::new(recording),
        }
    }
}

impl Found for Recording {
    fn fields(&self) -> Fields {
        vec![("misrecorded", self.wrong.clone().into())]
    }
}

impl Item for LandingItem {
    fn check(&self) -> &'static str {
        NAME
    }

    fn among(&self) -> String {
        self.study.to_owned()
    }

    fn place(&self) -> String {
        format!("landing {}", self.landing)
    }

    fn fields(&self) -> Fields {
        vec![("study", self.study.into()), ("landing", self.landing.into())]
    }

    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError> {
        let Engines { judge, candidate } = engines;
        let LandingComparison { truth, answer, recording, disagreement, .. } = judge_landing(judge, candidate, self)?;
        let study = known_study(self.study)?;
        let numbers = both(&outcome_numbers(&study, &truth), &outcome_numbers(&study, &answer));
        let mut text = recording_words(&recording);
        let verdict = match &disagreement {
            None => recording.verdict().max(Agreement::WithinBound),
            Some(found) if found.is_explained() => Agreement::Ambiguous,
            Some(_) => Agreement::Wrong,
        };
        let why = match &disagreement {
            None if !recording.wrong.is_empty() => "another outcome than that of its states",
            None => "the same class",
            Some(found) => {
                text.push_str(&disagreement_words(found));
                "another class"
            }
        };
        Ok(Description { verdict, parts: vec![numbers, Part::Text(text), verdict_line(verdict, why)] })
    }
}

fn outcome_numbers(study: &LandingStudy, outcome: &LandingOutcome) -> Numbers {
    let mut numbers = vec![
        ("class".to_owned(), outcome.class.name().to_owned()),
        ("failed part".to_owned(), format!("{:?}", outcome.failed_part)),
        ("steps".to_owned(), outcome.steps.to_string()),
        ("steps in contact".to_owned(), outcome.contact_steps.to_string()),
    ];
    numbers.extend(study.quantities().iter().map(|quantity| {
        let value = quantity.of(outcome).map_or_else(|| "-".to_owned(), |value| value.to_string());
        (format!("{} [{}]", quantity.name, quantity.unit.symbol()), value)
    }));
    numbers
}

/// Landings of each class.
fn classes(report: &LandingReport) -> [Vec<String>; 2] {
    let mut head = vec!["study".to_owned(), "landings".to_owned()];
    head.extend(LandingClass::ALL.map(|class| class.name().replace('_', " ")));
    head.extend(
        ["disagreeing", "unexplained", "unequal", "least p", "of", "shift/allowed", "of", "verdict"].map(str::to_owned),
    );
    let [truth, answer] = report.classes;
    let (least, shift) = (report.least_likely(), report.largest_shift());
    let mut row = vec![report.study.to_owned(), report.landings.to_string()];
    row.extend(truth.iter().zip(&answer).map(|(truth, answer)| format!("{truth}/{answer}")));
    row.extend([
        report.disagreements.len().to_string(),
        report.unexplained().count().to_string(),
        report.unequal.map_or_else(|| "-".to_owned(), |landings| landings.to_string()),
        optional_number(least.map(|(_, test)| test.p_value)),
        least.map_or("-", |(name, _)| name).to_owned(),
        optional_number(shift.map(|shift| shift.median / shift.allowed)),
        shift.map_or("-", |shift| &shift.quantity).to_owned(),
        passes_or_fails(report.passes()).to_owned(),
    ]);
    [head, row]
}

/// What is recorded beside the states it is made of, and by how much landings that end alike differ.
fn recordings(report: &LandingReport) -> [Vec<String>; 2] {
    let head = ["study", "recordings", "ambiguous", "wrong", "error/bound", "largest error"];
    let mut head = head.map(str::to_owned).to_vec();
    head.extend(
        report.differences.iter().flat_map(|largest| [format!("{} apart", largest.what), "landing".to_owned()]),
    );
    let count = |verdict| report.recordings.iter().filter(|recording| recording.verdict() == verdict).count();
    let farthest = report.recordings.iter().map(|recording| recording.largest).max_by(|a, b| a.0.total_cmp(&b.0));
    let mut row = vec![
        report.study.to_owned(),
        report.recordings.len().to_string(),
        count(Agreement::Ambiguous).to_string(),
        count(Agreement::Wrong).to_string(),
        optional_number(farthest.map(|(ratio, _)| ratio)),
        farthest.map_or("-", |(_, what)| what).to_owned(),
    ];
    row.extend(report.differences.iter().flat_map(|largest| {
        let landing = largest.landing.map_or_else(|| "-".to_owned(), |landing| landing.to_string());
        [optional_number(largest.landing.map(|_| largest.difference)), landing]
    }));
    [head, row]
}

/// What differs between a landing's outcome and its states.
fn recording_words(recording: &Recording) -> String {
    let Recording { item, wrong, ambiguous, largest: (ratio, what) } = recording;
    let lines = |verdict: &str, texts: &[String]| {
        texts.iter().map(|text| format!("    {verdict}: {text}\n")).collect::<Vec<String>>().concat()
    };
    format!(
        "  {}, landing {}: recorded with the largest error/bound {} ({what})\n{}{}",
        item.study,
        item.landing,
        number(*ratio),
        lines("WRONG", wrong),
        lines("ambiguous", ambiguous),
    )
}

/// How a landing comes to end differently.
fn disagreement_words(found: &Disagreement) -> String {
    let Disagreement {
        item, truth, answer, step, apart, decision, flips_at, steps, wrong_steps, largest_ratio, ..
    } = found;
    let parting = match step {
        Some(step) => {
            let (place, speed) = (number(apart.0), number(apart.1));
            let flips = flips_at.map_or_else(
                || "UNEXPLAINED: decided alike all the way".to_owned(),
                |share| format!("decided otherwise from {} of the way on", number(share)),
            );
            format!("part in step {step}, {place} m and {speed} m/s apart, {flips}\n    {decision}")
        }
        None => "decided alike in every step".to_owned(),
    };
    let unexplained = if found.is_explained() { "" } else { ", UNEXPLAINED" };
    let judged = format!("{steps} steps judged, {wrong_steps} wrong, largest error/bound {}", number(*largest_ratio));
    format!(
        "  {}, landing {}: {} by the reference, {} by the engine{unexplained}\n    {parting}\n    {judged}\n",
        item.study,
        item.landing,
        truth.name(),
        answer.name(),
    )
}
