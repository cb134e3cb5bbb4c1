//! Importance sampling in words.

use touchdown::study::Study;
use touchdown::study::sampling::{Importance, Shift};
use touchdown::study::statistics::DefendedTally;

use super::text::number;

/// Where importance sampling draws the inputs, and what its weights imply.
pub fn importance_text(study: &Study, importance: &Importance) -> String {
    let many = study.nouns().many;
    let mut text = "sampling: importance, inputs as standard normal variables before correlation:\n".to_owned();
    for (number, place) in importance.places.iter().enumerate() {
        if importance.places.len() > 1 {
            text.push_str(&format!("  place {} of {}\n", number + 1, importance.places.len()));
        }
        for (sampled, shift) in study.inputs.iter().zip(place) {
            if let Some(Shift { shift, spread }) = shift {
                let name = sampled.input.name;
                text.push_str(&format!("  {name:<28} shifted by {shift:.4} deviations, spread by {spread:.4}\n"));
            }
        }
    }
    if importance.unshifted == 0.0 {
        return text
            + &format!(
                "  all {many} are drawn there: that the event happens nowhere else is for you to know; a criterion stays \
                 undecided while its events are worth fewer than 50 of equal weight, and without any event there is no upper \
                 bound\n"
            );
    }
    text.push_str(&format!(
        "  {} % of the {many} are not shifted; what may happen where the others do not come is bounded by them\n",
        number(100.0 * importance.unshifted)
    ));
    for criterion in &study.criteria {
        let least = DefendedTally::least_draws(importance.unshifted, criterion.probability, criterion.confidence);
        if study.trials < least {
            text.push_str(&format!(
                "warning: {} takes {least} {many} without an event to be met, and fewer only with many events ({} are asked \
                 for); where you know that its event happens nowhere else, `unshifted = 0` says so\n",
                criterion.name, study.trials
            ));
        }
    }
    text
}
