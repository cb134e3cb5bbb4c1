//! An encounter step by step.

use glam::DVec2;

use crate::encounter::driven::{DrivenFrame, most_steps};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::model::Watcher;
use crate::query::{
    ContactModel, DrivenEncounter, DrivenState, DrivenStep, DrivenSteps, Encounter, EncounterAnswer, EncounterStatus,
    PlanarMotion,
};
use crate::table::{Column, ColumnKind};

/// Rows until the horizon.
const ROWS: u32 = 200;

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

/// Both vehicles at times that rise.
pub(super) struct Track(Vec<(f64, [DrivenState; 2])>);

impl Track {
    /// Straight ways before and after the impact.
    pub fn straight(encounter: &Encounter, answer: &EncounterAnswer, horizon: f64) -> Self {
        let meets = answer.status == EncounterStatus::Contact;
        let times = (0..=ROWS).map(|row| horizon * f64::from(row) / f64::from(ROWS));
        let mut times: Vec<f64> = times.chain(meets.then_some(answer.time)).collect();
        times.sort_by(f64::total_cmp);
        Self(times.into_iter().map(|time| (time, [0, 1].map(|k| place(encounter, answer, k, time)))).collect())
    }

    /// As an engine steps them, as ellipsoids and as boxes.
    pub fn driven(engine: &dyn Engine, items: [DrivenEncounter; 2]) -> Result<[Self; 2], EngineError> {
        let framed = items.map(|item| DrivenFrame::new(&item));
        let mut steps = framed.map(|(_, drive, course)| DrivenStep { drive, course });
        let mut tracks = [Self(Vec::new()), Self(Vec::new())];
        for _ in 0..most_steps(&framed[0].1) {
            for (k, track) in tracks.iter_mut().enumerate() {
                track.0.push((steps[k].course.time, framed[k].0.states(&items[k], &steps[k].course)));
            }
            if steps.iter().all(|step| step.course.time >= step.drive.until || step.course.fault > 0.0) {
                break;
            }
            let answers = engine.compute::<DrivenSteps>((), &steps)?;
            for (step, answer) in steps.iter_mut().zip(answers) {
                step.course = answer.course;
            }
        }
        Ok(tracks)
    }

    /// A vehicle at a time; between two that are known it moves evenly.
    pub fn at(&self, vehicle: usize, time: f64) -> DrivenState {
        let next = self.0.partition_point(|&(other, _)| other < time).min(self.0.len() - 1);
        let ((from, before), (to, after)) = (self.0[next.saturating_sub(1)], self.0[next]);
        let (before, after) = (before[vehicle], after[vehicle]);
        if time >= to || from >= to {
            return after;
        }
        let share = (time - from) / (to - from);
        DrivenState {
            position: before.position.lerp(after.position, share),
            yaw: before.yaw + (after.yaw - before.yaw) * share,
            motion: before.motion,
        }
    }
}

/// Where a vehicle is at a time, its heading and its yaw rate; after the impact it goes on as that leaves it.
fn place(encounter: &Encounter, answer: &EncounterAnswer, vehicle: usize, time: f64) -> DrivenState {
    let driven = &encounter.vehicles[vehicle];
    let velocity = driven.speed * DVec2::from_angle(driven.yaw);
    let after = &answer.after[vehicle];
    let since = if answer.status == EncounterStatus::Contact { time - answer.time } else { 0.0 };
    if since <= 0.0 {
        let motion = PlanarMotion { velocity, yaw_rate: 0.0 };
        return DrivenState { position: driven.position + velocity * time, yaw: driven.yaw, motion };
    }
    let met = driven.position + velocity * answer.time;
    DrivenState { position: met + after.velocity * since, yaw: driven.yaw + after.yaw_rate * since, motion: *after }
}

/// Tells a watcher of both contact models.
pub(super) fn tell(answers: &[EncounterAnswer; 2], tracks: &[Track; 2], horizon: f64, watcher: &mut dyn Watcher) {
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
    for row in 0..=ROWS {
        let time = horizon * f64::from(row) / f64::from(ROWS);
        let mut numbers = vec![time];
        for track in tracks {
            for vehicle in [0, 1] {
                let DrivenState { position, yaw, motion } = track.at(vehicle, time);
                numbers.extend([position.x, position.y, yaw, motion.yaw_rate]);
            }
        }
        watcher.step(&numbers);
    }
}
