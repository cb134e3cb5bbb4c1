//! What encounters come to: of each contact model the same, and what both differ by.

use super::driving::OF_DRIVE;
use crate::document::Unit;
use crate::elementary::{atan2, hypot};
use crate::model::Quantity;
use crate::query::{ContactModel, Encounter, EncounterAnswer};

/// Reads a value from an encounter that ends with a contact.
type Reading = fn(&Encounter, &EncounterAnswer) -> f64;

/// Of each contact model: name, unit, meaning. None of them is there without a contact, which is better.
pub(super) const SHARED: [(&str, Unit, &str, Reading); 6] = [
    ("time", Unit::Time, "When they meet", |_, answer| answer.time),
    ("normal_angle", Unit::Angle, "Direction of the normal on b, counter-clockwise from x", |_, answer| {
        atan2(answer.normal.y, answer.normal.x)
    }),
    ("impulse", Unit::Impulse, "Normal impulse", |_, answer| answer.impulse),
    (
        "friction_impulse",
        Unit::Impulse,
        "Impulse of friction on b, along the normal turned to the left",
        |_, answer| answer.friction_impulse,
    ),
    ("a_yaw_rate", Unit::AngularRate, "Yaw rate of a after the impact, counter-clockwise", |_, answer| {
        answer.after[0].yaw_rate
    }),
    ("b_yaw_rate", Unit::AngularRate, "Yaw rate of b after the impact, counter-clockwise", |_, answer| {
        answer.after[1].yaw_rate
    }),
];

/// The same, of vehicles that keep their speeds until they meet.
pub(super) const OF_MODEL: [(&str, Unit, &str, Reading); 4] = [
    ("delta_v", Unit::Speed, "Change of the velocity of either", |encounter, answer| {
        hypot(answer.impulse, answer.friction_impulse) / encounter.mass
    }),
    ("a_peak_yaw_rate", Unit::AngularRate, "Magnitude of the yaw rate of a after the impact", |_, answer| {
        answer.after[0].yaw_rate.abs()
    }),
    ("b_peak_yaw_rate", Unit::AngularRate, "Magnitude of the yaw rate of b after the impact", |_, answer| {
        answer.after[1].yaw_rate.abs()
    }),
    ("energy_lost", Unit::Energy, "Kinetic energy lost by both", |encounter, answer| {
        let of = |speed: f64, yaw_rate: f64| {
            0.5 * (encounter.mass * speed * speed + encounter.yaw_inertia * yaw_rate * yaw_rate)
        };
        let before: f64 = encounter.vehicles.iter().map(|vehicle| of(vehicle.speed, 0.0)).sum();
        before - answer.after.iter().map(|after| of(after.velocity.length(), after.yaw_rate)).sum::<f64>()
    }),
];

/// Reads a value from both answers of an encounter that ends with two contacts.
type Difference = fn(&[EncounterAnswer; 2]) -> f64;

/// Of both contact models.
pub(super) const QUANTITIES: [(&str, Unit, &str, Difference); 2] = [
    (
        "turns_otherwise",
        Unit::One,
        "1 where a turns one way as an ellipsoid and the other way as a box, else 0",
        |both| {
            let [ellipsoid, boxes] = both.map(|answer| answer.after[0].yaw_rate);
            if ellipsoid * boxes < 0.0 { 1.0 } else { 0.0 }
        },
    ),
    (
        "yaw_rate_difference",
        Unit::AngularRate,
        "Yaw rate of a after the impact as a box less that as an ellipsoid",
        |both| both[1].after[0].yaw_rate - both[0].after[0].yaw_rate,
    ),
];

/// All of them with their names, of vehicles that drive or do not.
pub(super) fn named(driven: bool) -> Vec<Quantity> {
    let quantity = |name: String, unit, description: String| Quantity { name, unit, description, lack_is_good: true };
    let of_model = |contact: ContactModel| {
        let shared = SHARED.iter().map(|&(name, unit, description, _)| (name, unit, description));
        let straight = OF_MODEL.iter().map(|&(name, unit, description, _)| (name, unit, description));
        let drive = OF_DRIVE.iter().map(|&(name, unit, description, _)| (name, unit, description));
        let own: Vec<_> = if driven { shared.chain(drive).collect() } else { shared.chain(straight).collect() };
        own.into_iter().map(move |(name, unit, description)| {
            let whose = match contact {
                ContactModel::Ellipsoid => "as ellipsoids",
                ContactModel::Box => "as boxes",
            };
            let description = format!("{description}, {whose}; missing without a contact");
            quantity(format!("{name}.{}", contact.name()), unit, description)
        })
    };
    let more = QUANTITIES.iter().map(|&(name, unit, description, _)| {
        quantity(name.to_owned(), unit, format!("{description}; missing unless both meet"))
    });
    ContactModel::ALL.into_iter().flat_map(of_model).chain(more).collect()
}
