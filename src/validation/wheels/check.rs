//! Check `wheels`: steps of wheels moved over scenes.

use std::sync::Arc;

use super::{WheelComparison, WheelItem, judge_wheel, validate_wheels};
use crate::document::{DocumentError, Table};
use crate::query::WheelFrame;
use crate::validation::check::so_far;
use crate::validation::item::{Fields, saved_class, saved_number, seeded};
use crate::validation::words::{Part, both, errors, step_verdict, wheel_numbers};
use crate::validation::{Agreements, Check, Description, Engines, Group, Item, Outcome, SceneClass, ValidationError};

/// The check.
pub(in crate::validation) struct LedWheels;

const NAME: &str = "wheels";

impl Check for LedWheels {
    fn name(&self) -> &'static str {
        NAME
    }

    fn help(&self) -> &'static str {
        "Steps of wheels that are led over a scene"
    }

    fn groups(&self) -> Vec<Group> {
        let group = |class: SceneClass| {
            Group::new(class.name(), move |Engines { judge, candidate }, seed, items, advanced| {
                let mut heard = |tally: &Agreements| advanced(tally.items(), &so_far(tally));
                let report = validate_wheels(judge, candidate, (class, seed), items, &mut heard)?;
                Ok(Outcome::of_tally(NAME, class.name(), false, report.tally))
            })
        };
        SceneClass::ALL.into_iter().map(group).collect()
    }

    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError> {
        Ok(Arc::new(WheelItem {
            class: saved_class(table)?,
            seed: saved_number(table, "seed")?,
            wheel: saved_number(table, "wheel")?,
            step: saved_number(table, "step")?,
        }))
    }
}

impl Item for WheelItem {
    fn check(&self) -> &'static str {
        NAME
    }

    fn among(&self) -> String {
        seeded(self.class, self.seed)
    }

    fn place(&self) -> String {
        format!("wheel {}, step {}", self.wheel, self.step)
    }

    fn fields(&self) -> Fields {
        let Self { class, seed, wheel, step } = *self;
        vec![("class", class.name().into()), ("seed", seed.into()), ("wheel", wheel.into()), ("step", step.into())]
    }

    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError> {
        let Engines { judge, candidate } = engines;
        let WheelComparison { item: judged, parameters, frame, truth, answer, deviations, judgement } =
            judge_wheel(judge, candidate, self)?;
        let mut text = String::new();
        if judged.step != self.step {
            text.push_str(&format!("  the engines part in step {} already\n", judged.step));
        }
        let WheelFrame { origin, orientation, velocity, brake, brake_friction } = frame;
        text.push_str(&format!(
            "  wheel         {parameters:?}\n  frame origin  {origin} m\n  orientation   {orientation}\n"
        ));
        text.push_str(&format!(
            "  velocity      {velocity} m/s\n  brake         {brake} N and {brake_friction} of the load\n"
        ));
        let numbers = both(&wheel_numbers(&truth), &wheel_numbers(&answer));
        let mut parts = vec![Part::Text(text), numbers, errors(&[("", &deviations)])];
        parts.extend(step_verdict(&judgement));
        Ok(Description { verdict: judgement.verdict, parts })
    }
}
