//! An encounter step by step: straight ways before and after the impact.

use glam::DVec2;

use crate::model::Watcher;
use crate::query::{ContactModel, Encounter, EncounterAnswer, EncounterStatus};
use crate::table::{Column, ColumnKind};

/// Steps until the horizon.
const STEPS: u32 = 200;

/// The columns of traces: time, and for each contact model place, heading and yaw rate of both vehicles.
pub(super) fn columns() -> Vec<Column> {
    let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
    let mut columns = vec![number("time", "s", "Time since the start")];
    for contact in ContactModel::ALL {
        for vehicle in ["a", "b"] {
            let name = |what: &str| format!("{vehicle}_{what}.{}", contact.name());
            columns.extend([
                number(&name("x"), "m", "Centre of mass"),
                number(&name("y"), "m", "Centre of mass"),
                number(&name("yaw"), "rad", "Heading, counter-clockwise"),
                number(&name("yaw_rate"), "rad/s", "Counter-clockwise"),
            ]);
        }
    }
    columns
}

/// Where a vehicle is at a time, its heading and its yaw rate; after the impact it goes on as that leaves it.
pub(super) fn place(encounter: &Encounter, answer: &EncounterAnswer, vehicle: usize, time: f64) -> (DVec2, f64, f64) {
    let driven = &encounter.vehicles[vehicle];
    let velocity = driven.speed * DVec2::from_angle(driven.yaw);
    let after = &answer.after[vehicle];
    let since = if answer.status == EncounterStatus::Contact { time - answer.time } else { 0.0 };
    if since <= 0.0 {
        return (driven.position + velocity * time, driven.yaw, 0.0);
    }
    let met = driven.position + velocity * answer.time;
    (met + after.velocity * since, driven.yaw + after.yaw_rate * since, after.yaw_rate)
}

/// Tells a watcher of both contact models.
pub(super) fn tell(encounter: &Encounter, answers: &[EncounterAnswer; 2], horizon: f64, watcher: &mut dyn Watcher) {
    for (answer, contact) in answers.iter().zip(ContactModel::ALL) {
        let name = contact.name();
        match answer.status {
            EncounterStatus::Contact => {
                let state = format!("x {:9.4} m  y {:9.4} m", answer.point.x, answer.point.y);
                let words = format!("they meet ({name}), impulse {:.1} N s", answer.impulse);
                watcher.event(answer.time, &state, &words);
            }
            status => watcher.event(0.0, "", &format!("no contact is known ({name}): {}", status.name())),
        }
    }
    for step in 0..=STEPS {
        let time = horizon * f64::from(step) / f64::from(STEPS);
        let mut row = vec![time];
        for answer in answers {
            for vehicle in [0, 1] {
                let (place, yaw, yaw_rate) = place(encounter, answer, vehicle, time);
                row.extend([place.x, place.y, yaw, yaw_rate]);
            }
        }
        watcher.step(&row);
    }
}
