//! What a validation comes to, in tables.

use touchdown::query::LandingClass;
use touchdown::validation::{
    Agreement, Agreements, Disagreement, EllipsoidClass, EllipsoidReport, Finding, Job, LandingReport, Recording,
};

use crate::cli::text::{columns, number, optional_number};

/// What a job comes to in a class of scenes or in a study.
pub struct Row {
    pub job: Job,
    /// The class or the study.
    pub among: &'static str,
    pub tally: Agreements,
}

fn verdict(passes: bool) -> String {
    if passes { "passes" } else { "FAILS" }.to_owned()
}

/// One row for each job and class or study.
pub fn table(rows: &[Row]) -> String {
    let header = [
        "job, scenes or study",
        "items",
        "match",
        "within bound",
        "ambiguous by chance",
        "by touch",
        "wrong",
        "error/bound",
        "largest error",
        "at",
        "verdict",
    ];
    let mut cells = vec![header.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(|Row { job, among, tally }| {
        let farthest = tally.farthest();
        vec![
            format!("{}, {among}", job.name()),
            tally.items().to_string(),
            tally.count(Agreement::Match).to_string(),
            tally.count(Agreement::WithinBound).to_string(),
            tally.ambiguous_by_chance().to_string(),
            if matches!(job, Job::Rays | Job::BoxNormals | Job::Ellipsoids | Job::Particles) {
                tally.ambiguous_touching().to_string()
            } else {
                "-".to_owned()
            },
            tally.count(Agreement::Wrong).to_string(),
            number(tally.largest_ratio()),
            farthest.map_or("-", Finding::what).to_owned(),
            farthest.map_or_else(|| "-".to_owned(), |finding| finding.item().place()),
            verdict(tally.passes()),
        ]
    }));
    columns(&cells)
}

/// One row for each class of pairs.
pub fn searches(reports: &[(EllipsoidClass, EllipsoidReport)]) -> String {
    let mut cells = vec![["pairs", "median", "99 %", "most"].map(str::to_owned).to_vec()];
    cells.extend(reports.iter().map(|(class, report)| {
        let rounds = [0.5, 0.99, 1.0].map(|share| report.rounds_of(share).to_string());
        [class.name().to_owned()].into_iter().chain(rounds).collect()
    }));
    columns(&cells)
}

/// One row for each study, then each landing whose class differs.
pub fn landings(reports: &[LandingReport]) -> String {
    let mut header = vec!["study".to_owned(), "landings".to_owned()];
    header.extend(LandingClass::ALL.map(|class| class.name().replace('_', " ")));
    header.extend(["disagreeing", "unexplained", "unequal", "least p", "of", "verdict"].map(str::to_owned));
    let mut cells = vec![header];
    cells.extend(reports.iter().map(|report| {
        let [truth, answer] = report.classes;
        let least = report.least_likely();
        let mut row = vec![report.study.to_owned(), report.landings.to_string()];
        row.extend(truth.iter().zip(&answer).map(|(truth, answer)| format!("{truth}/{answer}")));
        row.extend([
            report.disagreements.len().to_string(),
            report.unexplained().count().to_string(),
            report.unequal.map_or_else(|| "-".to_owned(), |landings| landings.to_string()),
            optional_number(least.map(|(_, test)| test.p_value)),
            least.map_or("-", |(name, _)| name).to_owned(),
            verdict(report.passes()),
        ]);
        row
    }));
    let differing: Vec<String> = reports.iter().flat_map(|report| &report.disagreements).map(disagreement).collect();
    let misrecorded: Vec<String> = reports.iter().flat_map(LandingReport::misrecorded).map(recording).collect();
    columns(&cells) + &recordings(reports) + &differing.concat() + &misrecorded.concat()
}

/// What is recorded beside the states it is made of, and by how much landings that end alike differ.
fn recordings(reports: &[LandingReport]) -> String {
    let header = ["study", "recordings", "ambiguous", "wrong", "error/bound", "largest error"];
    let mut header = header.map(str::to_owned).to_vec();
    let differences = reports.iter().flat_map(|report| &report.differences).take(3);
    header.extend(differences.flat_map(|largest| [format!("{} apart", largest.what), "landing".to_owned()]));
    let mut cells = vec![header];
    cells.extend(reports.iter().map(|report| {
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
        row
    }));
    columns(&cells)
}

/// What differs between a landing's outcome and its states.
pub fn recording(recording: &Recording) -> String {
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
pub fn disagreement(found: &Disagreement) -> String {
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
