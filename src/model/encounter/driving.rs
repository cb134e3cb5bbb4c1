//! How the vehicles of encounters drive until the end, and what is read of that.
//!
//! # Conventions
//! As in [`crate::query::DrivenEncounter`].

use crate::document::{DocumentError, Table, Unit};
use crate::elementary::direction;
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::query::{Chassis, DrivenAnswer, DrivenEncounter, DrivenEncounters, EncounterAnswer, EncounterStatus};

/// Steps where a study says nothing \[s\].
const STEP: f64 = 0.002;

/// Keys of the table `vehicle` of those that drive: the report's values, units, and whether somebody knows them.
const KEYS: [(&str, f64, Unit, &str, bool); 5] = [
    ("front_axle", 1.034, Unit::Length, "m", true),
    ("rear_axle", 1.491, Unit::Length, "m", true),
    ("half_track", 0.725, Unit::Length, "m", true),
    ("cornering_stiffness", 4e4, Unit::One, "N/rad", false),
    ("tyre_lag", 0.0016, Unit::Time, "s", true),
];

/// What vehicles drive on, and how they are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driving {
    /// What both stand on.
    pub chassis: Chassis,
    /// The length of a step \[s\].
    pub step: f64,
    /// Which of the chassis' numbers are assumed, in the order of the keys.
    pub assumed: [bool; 5],
}

impl Default for Driving {
    /// The report's car, on tyres that are assumed.
    fn default() -> Self {
        Self::of(KEYS.map(|(_, value, ..)| value), KEYS.map(|(.., known)| !known), STEP)
    }
}

impl Driving {
    fn of(values: [f64; 5], assumed: [bool; 5], step: f64) -> Self {
        let [front, rear, half_track, cornering_stiffness, tyre_lag] = values;
        let chassis = Chassis { axles: [front, rear], half_track, cornering_stiffness, tyre_lag };
        Self { chassis, step, assumed }
    }

    /// Reads `step`, and from the table `vehicle` its keys; those that nobody knows stand in its table `assumed`.
    pub(super) fn read(root: &Table<'_>, vehicle: Option<&Table<'_>>) -> Result<Self, DocumentError> {
        let step = root.optional_or("step", STEP, |field| field.positive(Unit::Time))?;
        let own = Self::default();
        let (mut values, mut assumed) = (own.values(), own.assumed);
        let Some(vehicle) = vehicle else { return Ok(Self::of(values, assumed, step)) };
        let guesses = vehicle.optional_table("assumed")?;
        for (number, (name, _, unit, ..)) in KEYS.into_iter().enumerate() {
            let (known, guess) = (vehicle.optional(name), guesses.as_ref().and_then(|table| table.optional(name)));
            if let (Some(_), Some(guess)) = (&known, &guess) {
                return Err(guess.error("stands outside of `assumed` too: a number is known or assumed"));
            }
            let is_guess = guess.is_some();
            if let Some(field) = known.or(guess) {
                values[number] = field.in_range(unit, 0.0, 1e12)?;
                assumed[number] = is_guess;
            }
        }
        if let Some(guesses) = guesses {
            guesses.finish()?;
        }
        Ok(Self::of(values, assumed, step))
    }

    fn values(&self) -> [f64; 5] {
        let Chassis { axles: [front, rear], half_track, cornering_stiffness, tyre_lag } = self.chassis;
        [front, rear, half_track, cornering_stiffness, tyre_lag]
    }

    /// For those who read of a run: what it is, with `assumed` where it is.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let words = |number: usize| {
            let mark = if self.assumed[number] { " (assumed)" } else { "" };
            format!("{} {}{mark}", self.values()[number], KEYS[number].3)
        };
        vec![
            ("motion", format!("driven, in steps of {} s", self.step)),
            ("axles", format!("{} in front, {} behind", words(0), words(1))),
            ("half track", words(2)),
            ("cornering stiffness of a tyre", words(3)),
            ("lag of a tyre", words(4)),
        ]
    }

    /// For files.
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("motion", "driven".to_owned()), ("step", self.step.to_string())];
        settings.extend(KEYS.iter().zip(self.values()).map(|((name, ..), value)| (*name, value.to_string())));
        let assumed = KEYS.iter().zip(self.assumed).filter(|(_, assumed)| *assumed).map(|((name, ..), _)| *name);
        settings.push(("assumed", assumed.collect::<Vec<_>>().join(", ")));
        settings
    }
}

/// How an engine has them go.
pub(super) fn answers(
    engine: &dyn Engine,
    items: &[DrivenEncounter],
) -> Result<Vec<(EncounterAnswer, Option<DrivenAnswer>)>, EngineError> {
    let answers = engine.compute::<DrivenEncounters>((), items)?;
    Ok(answers.into_iter().map(|answer| (first_impact(&answer), Some(answer))).collect())
}

/// The first impact alone.
fn first_impact(answer: &DrivenAnswer) -> EncounterAnswer {
    let Some(first) = answer.first else { return EncounterAnswer::none(answer.status) };
    EncounterAnswer {
        status: EncounterStatus::Contact,
        time: first.time,
        point: first.point,
        normal: first.normal,
        parts: first.parts,
        impulse: first.impulse,
        friction_impulse: first.friction_impulse,
        after: first.after,
    }
}

/// Reads a value from an encounter with an impact.
type Reading = fn(&DrivenEncounter, &DrivenAnswer) -> f64;

/// Of the encounter as a whole: name, unit, meaning.
pub(super) const OF_DRIVE: [(&str, Unit, &str, Reading); 12] = [
    ("delta_v", Unit::Speed, "Change of the velocity of either by all impacts", |item, answer| {
        answer.total_impulse.length() / item.encounter.mass
    }),
    ("energy_lost", Unit::Energy, "Kinetic energy lost by both in all impacts", |_, answer| answer.energy_lost),
    ("impacts", Unit::One, "Impacts; a sustained contact is a sequence of these", |_, answer| {
        f64::from(answer.impacts)
    }),
    ("largest_impulse", Unit::Impulse, "Largest normal impulse", |_, answer| answer.largest_impulse),
    ("a_peak_yaw_rate", Unit::AngularRate, "Largest magnitude of the yaw rate of a", |_, answer| {
        answer.peak_yaw_rates[0]
    }),
    ("b_peak_yaw_rate", Unit::AngularRate, "Largest magnitude of the yaw rate of b", |_, answer| {
        answer.peak_yaw_rates[1]
    }),
    ("a_yaw_at_end", Unit::Angle, "Heading of a at the end, counter-clockwise; full turns count", |_, answer| {
        answer.end[0].yaw
    }),
    ("b_yaw_at_end", Unit::Angle, "Heading of b at the end, counter-clockwise; full turns count", |_, answer| {
        answer.end[1].yaw
    }),
    ("a_speed_at_end", Unit::Speed, "Of a's centre of mass", |_, answer| answer.end[0].motion.velocity.length()),
    ("b_speed_at_end", Unit::Speed, "Of b's centre of mass", |_, answer| answer.end[1].motion.velocity.length()),
    ("a_aside_at_end", Unit::Length, "From a's way without a contact or steering, to the left", |item, answer| {
        aside(item, answer, 0)
    }),
    ("b_aside_at_end", Unit::Length, "From b's way without a contact or steering, to the left", |item, answer| {
        aside(item, answer, 1)
    }),
];

/// How far a vehicle ends to the left of the line on which it started.
fn aside(item: &DrivenEncounter, answer: &DrivenAnswer, vehicle: usize) -> f64 {
    let start = &item.encounter.vehicles[vehicle];
    direction(start.yaw).perp_dot(answer.end[vehicle].position - start.position)
}
