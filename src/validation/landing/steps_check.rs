//! Check `steps`: single steps sampled from landings.

use std::sync::Arc;

use super::sample::{StepComparison, judge_step, known_study, validate_steps};
use crate::document::{DocumentError, Table};
use crate::query::{Gusts, LandingState};
use crate::validation::check::so_far;
use crate::validation::item::{Fields, saved_number};
use crate::validation::steps::BoundShares;
use crate::validation::words::{Numbers, Part, errors, optional_number, step_verdict, vector, wheel_numbers};
use crate::validation::{
    Agreements, Aside, Check, Description, Deviation, Engines, Group, Item, Outcome, ValidationError, study_names,
};

/// The check.
pub(in crate::validation) struct Steps;

const NAME: &str = "steps";

/// An item of the check `steps`: a step from a state of a landing as the judge flies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepItem {
    /// The study, one of [`study_names`].
    pub study: &'static str,
    /// The landing's number in it.
    pub landing: u64,
    /// Steps done before this one.
    pub step: u64,
}

impl Check for Steps {
    fn name(&self) -> &'static str {
        NAME
    }

    fn help(&self) -> &'static str {
        "Single steps from the middle of landings"
    }

    fn groups(&self) -> Vec<Group> {
        let group = |name| {
            Group::new(name, move |Engines { judge, candidate }, seed, items, advanced| {
                let study = known_study(name)?;
                let mut heard = |tally: &Agreements| advanced(tally.items(), &so_far(tally));
                let report = validate_steps(judge, candidate, (name, &study), seed, items, &mut heard)?;
                let aside = Some(bounds(name, &report.bounds));
                Ok(Outcome { aside, ..Outcome::of_tally(NAME, name, false, report.tally) })
            })
        };
        study_names().into_iter().map(group).collect()
    }

    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError> {
        let (landing, step) = (saved_number(table, "landing")?, saved_number(table, "step")?);
        Ok(Arc::new(StepItem { study: saved_study(table)?, landing, step }))
    }
}

/// How large bounds are: their median, and what nine of ten do not exceed.
fn bounds(study: &'static str, bounds: &BoundShares) -> Aside {
    let quantiles = [0.5, 0.9].map(|share| bounds.quantile(share));
    let mut head = vec!["study".to_owned()];
    let mut row = vec![study.to_owned()];
    for (place, name) in BoundShares::NAMES.iter().enumerate() {
        head.extend([(*name).to_owned(), "90 %".to_owned()]);
        row.extend(quantiles.map(|quantile| optional_number(quantile.map(|of| of[place]))));
    }
    Aside {
        title: "bounds of steps in contact as shares of what they bound: median, and what 90 % do not exceed",
        tables: vec![[head, row]],
        texts: Vec::new(),
    }
}

/// Reads the study of an item.
pub(super) fn saved_study(table: &Table<'_>) -> Result<&'static str, DocumentError> {
    let names: Vec<(&'static str, &'static str)> = study_names().into_iter().map(|name| (name, name)).collect();
    table.required("study")?.choice(&names)
}

impl Item for StepItem {
    fn check(&self) -> &'static str {
        NAME
    }

    fn among(&self) -> String {
        self.study.to_owned()
    }

    fn place(&self) -> String {
        format!("landing {}, step {}", self.landing, self.step)
    }

    fn fields(&self) -> Fields {
        let Self { study, landing, step } = *self;
        vec![("study", study.into()), ("landing", landing.into()), ("step", step.into())]
    }

    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError> {
        let Engines { judge, candidate } = engines;
        let StepComparison { before, truth, answer, body, wheels, judgement, .. } = judge_step(judge, candidate, self)?;
        let (before, truth, answer) = (state_numbers(&before), state_numbers(&truth), state_numbers(&answer));
        let mut rows = vec![["", "before", "judge", "engine"].map(str::to_owned).to_vec()];
        rows.extend(
            before
                .into_iter()
                .zip(truth)
                .zip(answer)
                .map(|((before, truth), answer)| vec![before.0, before.1, truth.1, answer.1]),
        );
        let names: Vec<String> = (0..wheels.len()).map(|wheel| format!("wheel {wheel}: ")).collect();
        let mut groups: Vec<(&str, &[Deviation])> = vec![("", &body)];
        groups.extend(names.iter().zip(&wheels).map(|(name, wheel)| (name.as_str(), &wheel[..])));
        let mut parts = vec![Part::Table(rows), errors(&groups)];
        parts.extend(step_verdict(&judgement));
        Ok(Description { verdict: judgement.verdict, parts })
    }
}

fn state_numbers(state: &LandingState) -> Numbers {
    let LandingState { step, motion, acceleration, wheels, pilot, gusts, airframe, touchdown_step, struck } = state;
    let Gusts { along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw } = gusts;
    let mut numbers = vec![("steps done".to_owned(), step.to_string())];
    vector(&mut numbers, "position", "m", motion.position.to_array());
    vector(&mut numbers, "velocity", "m/s", motion.velocity.to_array());
    vector(&mut numbers, "rate", "rad/s", motion.rate.to_array());
    vector(&mut numbers, "acceleration", "m/s2", acceleration.linear.to_array());
    vector(&mut numbers, "angular acceleration", "rad/s2", acceleration.angular.to_array());
    let orientation = ["x", "y", "z", "w"].into_iter().zip(motion.orientation.to_array());
    numbers.extend(orientation.map(|(name, value)| (format!("orientation {name}"), value.to_string())));
    numbers.extend([
        ("pedal".to_owned(), pilot.pedal.to_string()),
        ("remembered speed [m/s]".to_owned(), pilot.last_speed.to_string()),
        ("remembered pitch [rad]".to_owned(), format!("{:?}", pilot.pitch_at_touchdown)),
        ("spoilers, brakes, reverse".to_owned(), format!("{:?}", pilot.begun)),
        ("thrust that the engines start from [N]".to_owned(), pilot.thrust.to_string()),
        ("integral of the sink rate [rad]".to_owned(), pilot.sink_integral.to_string()),
        ("touchdown in step".to_owned(), format!("{touchdown_step:?}")),
        ("structural point struck".to_owned(), format!("{struck:?}")),
    ]);
    for (name, gust) in [
        ("along", along),
        ("across", across),
        ("across, drive", across_drive),
        ("vertical", vertical),
        ("vertical, drive", vertical_drive),
    ] {
        numbers.push((format!("gust {name} [m/s]"), gust.to_string()));
    }
    vector(&mut numbers, "rotation of the air", "rad/s", [*roll, *pitch, *yaw]);
    numbers.extend(
        (0..)
            .zip(airframe)
            .map(|(index, kept): (usize, _)| (format!("kept by the airframe {index}"), kept.to_string())),
    );
    for (index, wheel) in wheels.iter().enumerate() {
        numbers.extend(wheel_numbers(wheel).into_iter().map(|(name, text)| (format!("wheel {index}: {name}"), text)));
    }
    numbers
}
