//! Into the frame of the relative motion, and back.
//!
//! # Conventions
//! As in [`super`]; all in f64, on every engine.

use glam::DVec2;

use super::{Meeting, Vehicles};
use crate::elementary::sin_cos;
use crate::query::{
    ContactModel, Encounter, EncounterAnswer, EncounterStatus, MIN_RELATIVE_SPEED, MetParts, PlanarMotion,
    SIDES_OVER_SEMI_AXES,
};

/// The frame of the relative motion of an encounter.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Of both vehicles \[m/s\].
    velocities: [DVec2; 2],
    /// The frame's x axis.
    along: DVec2,
    /// Relative \[m/s\]; 0 where it is too low to meet.
    pub speed: f64,
    /// The unit of length \[m\].
    pub length: f64,
}

/// What an engine has found out about an encounter, in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// How it goes; for all but `Contact` nothing else has a meaning.
    pub status: EncounterStatus,
    /// The way of B until contact.
    pub way: f64,
    /// From the centre of A to the contact point.
    pub arm: [f64; 2],
    /// The unit normal.
    pub normal: [f64; 2],
    /// Whether each body is met at an edge.
    pub on_edge: [bool; 2],
    /// The normal impulse, and the tangential one.
    pub impulse: [f64; 2],
}

impl Frame {
    /// Of a valid encounter, with all of it in the frame.
    #[must_use]
    pub fn new(encounter: &Encounter) -> (Self, Meeting<f64>) {
        let [a, b] = &encounter.vehicles;
        let headings = [a, b].map(|vehicle| {
            let (sin, cos) = sin_cos(vehicle.yaw);
            DVec2::new(cos, sin)
        });
        let velocities = [headings[0] * a.speed, headings[1] * b.speed];
        let relative = velocities[1] - velocities[0];
        let speed = length(relative);
        let moves = speed >= MIN_RELATIVE_SPEED;
        let (along, speed) = if moves { (relative / speed, speed) } else { (headings[0], 0.0) };
        let [long, wide, high] = encounter.sides;
        let unit = power_of_two_below(long.max(wide).max(high));
        let between = (b.position - a.position) / unit;
        let meeting = Meeting {
            start: along.dot(between),
            offset: along.perp_dot(between),
            vehicles: Vehicles {
                headings: headings.map(|heading| [along.dot(heading), along.perp_dot(heading)]),
                semi_axes: [long / SIDES_OVER_SEMI_AXES / unit, wide / SIDES_OVER_SEMI_AXES / unit],
            },
            half: [0.5 * long / unit, 0.5 * wide / unit],
            radius: encounter.radius / unit,
            slenderness: encounter.mass * unit * unit / encounter.yaw_inertia,
            restitution: encounter.restitution,
            friction: encounter.friction,
            boxes: if encounter.contact == ContactModel::Box { 1.0 } else { 0.0 },
        };
        (Self { velocities, along, speed, length: unit }, meeting)
    }

    /// The answer to an encounter.
    #[must_use]
    pub fn answer(&self, encounter: &Encounter, meeting: &Meeting<f64>, found: &Found) -> EncounterAnswer {
        let status = match found.status {
            EncounterStatus::Contact if self.speed == 0.0 => EncounterStatus::Missed,
            status => status,
        };
        if status != EncounterStatus::Contact {
            return EncounterAnswer::none(status);
        }
        let time = found.way * self.length / self.speed;
        let momentum = encounter.mass * self.speed;
        let [normal, arm] = [found.normal, found.arm].map(|vector| self.in_world(vector));
        // A zero of either sign is written as 0.
        let [along, aside] = found.impulse.map(|impulse| impulse * momentum + 0.0);
        let impulse = along * normal + aside * normal.perp();
        // The same point about both centres, so that angular momentum is kept to rounding.
        let between = self.in_world([meeting.start + found.way, meeting.offset]);
        let arms = [arm * self.length, (arm - between) * self.length];
        let motion = |body: usize, sign: f64| PlanarMotion {
            velocity: self.velocities[body] + sign * impulse / encounter.mass,
            yaw_rate: sign * arms[body].perp_dot(impulse) / encounter.yaw_inertia,
        };
        EncounterAnswer {
            status,
            time,
            point: encounter.vehicles[0].position + self.velocities[0] * time + arms[0],
            normal,
            parts: (encounter.contact == ContactModel::Box).then_some(MetParts(found.on_edge)),
            impulse: along,
            friction_impulse: aside,
            after: [motion(0, -1.0), motion(1, 1.0)],
        }
    }

    fn in_world(&self, [x, y]: [f64; 2]) -> DVec2 {
        x * self.along + y * self.along.perp()
    }
}

/// In operations that IEEE 754 defines.
fn length(vector: DVec2) -> f64 {
    (vector.x * vector.x + vector.y * vector.y).sqrt()
}

/// A power of two that is at most a number, and more than half of it.
pub(super) fn power_of_two_below(number: f64) -> f64 {
    f64::from_bits(number.to_bits() & 0x7ff0_0000_0000_0000)
}
