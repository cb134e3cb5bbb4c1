//! From metres and kilograms to an encounter's own units, and back.
//!
//! # Conventions
//! As in [`super`]; all in f64, on every engine.

use glam::DVec2;

use super::collision::{collide, touch};
use super::course::{COURSE_NUMBERS, Course, Drive};
use super::motion::Motion;
use super::searches::Searched;
use crate::elementary::sin_cos;
use crate::encounter::frame::power_of_two_below;
use crate::encounter::running_gear::{CREEP, RunningGear};
use crate::query::{
    ContactModel, DrivenAnswer, DrivenEncounter, DrivenImpact, DrivenState, EncounterStatus, MetParts, PlanarMotion,
    SIDES_OVER_SEMI_AXES,
};

/// Bodies that approach no faster do not collide \[m/s\]: far above what rounding of f32 leaves of a velocity.
const RESTING: f64 = 1e-3;
/// The fault of bodies that overlap at the start.
const OVERLAP: f64 = 3.0;

/// The units of an encounter.
#[derive(Clone, Copy, Debug)]
pub struct DrivenFrame {
    /// The unit of length \[m\].
    pub length: f64,
}

impl DrivenFrame {
    /// Of a valid encounter, with all of it in its units.
    #[must_use]
    pub fn new(item: &DrivenEncounter) -> (Self, Drive<f64>, Course<f64>) {
        let DrivenEncounter { encounter, chassis, steering, step, horizon } = item;
        let [a, b] = &encounter.vehicles;
        let [long, wide, high] = encounter.sides;
        let unit = power_of_two_below(long.max(wide).max(high));
        let direction = |angle: f64| {
            let (sin, cos) = sin_cos(angle);
            [cos, sin]
        };
        let gear = steering.map(|steering| RunningGear {
            axles: chassis.axles.map(|axle| axle / unit),
            half_track: chassis.half_track / unit,
            stiffness: chassis.cornering_stiffness / encounter.mass / unit,
            creep: CREEP / unit,
            steering: direction(steering),
        });
        let drive = Drive {
            semi_axes: [long / SIDES_OVER_SEMI_AXES / unit, wide / SIDES_OVER_SEMI_AXES / unit],
            half: [0.5 * long / unit, 0.5 * wide / unit],
            radius: encounter.radius / unit,
            slenderness: encounter.mass * unit * unit / encounter.yaw_inertia,
            restitution: encounter.restitution,
            friction: encounter.friction,
            boxes: if encounter.contact == ContactModel::Box { 1.0 } else { 0.0 },
            gear,
            lag: chassis.tyre_lag,
            resting: RESTING / unit,
            step: *step,
            until: *horizon,
        };
        let motions = [a, b].map(|vehicle| {
            let heading = direction(vehicle.yaw);
            let velocity = heading.map(|part| part * (vehicle.speed / unit));
            Motion { heading, turned: 0.0, velocity, yaw_rate: 0.0, tyres: [0.0; 4] }
        });
        let apart = ((b.position - a.position) / unit).to_array();
        let mut course = Course { apart, motions, ..Course::of_numbers([0.0; COURSE_NUMBERS]) };
        let start = touch(&drive, &course, &Searched);
        let (_, contacts) = collide(&drive, &course, &start);
        if start.square <= 1.0 && !contacts.passes {
            course.fault = OVERLAP;
        }
        (Self { length: unit }, drive, course)
    }

    /// What a course that has ended comes to.
    #[must_use]
    pub fn answer(&self, item: &DrivenEncounter, course: &Course<f64>) -> DrivenAnswer {
        let status = match course.fault {
            0.0 if course.time < item.horizon => EncounterStatus::NotConverged,
            0.0 if course.impacts > 0.0 => EncounterStatus::Contact,
            0.0 => EncounterStatus::Missed,
            1.0 => EncounterStatus::Degenerate,
            OVERLAP => EncounterStatus::Overlap,
            _ => EncounterStatus::NotConverged,
        };
        if !matches!(status, EncounterStatus::Contact | EncounterStatus::Missed) {
            return DrivenAnswer::none(status);
        }
        let (unit, encounter) = (self.length, &item.encounter);
        let momentum = encounter.mass * unit;
        let vector = |vector: [f64; 2]| DVec2::from_array(vector);
        let motion = |velocity: [f64; 2], yaw_rate| PlanarMotion { velocity: vector(velocity) * unit, yaw_rate };
        let first = &course.first;
        let is_box = encounter.contact == ContactModel::Box;
        let start = encounter.vehicles[0].position;
        DrivenAnswer {
            status,
            first: (status == EncounterStatus::Contact).then(|| DrivenImpact {
                time: first.time,
                point: start + vector(first.point) * unit,
                normal: vector(first.normal),
                parts: is_box.then_some(MetParts(first.on_edge.map(|edge| edge > 0.5))),
                impulse: first.impulse[0] * momentum,
                // A zero of either sign is written as 0.
                friction_impulse: first.impulse[1] * momentum + 0.0,
                after: [0, 1].map(|k| motion(first.velocities[k], first.yaw_rates[k])),
            }),
            impacts: course.impacts as u32,
            total_impulse: vector(course.impulse) * momentum,
            largest_impulse: course.largest * momentum,
            peak_yaw_rates: course.peaks,
            energy_lost: course.lost * momentum * unit,
            end: self.states(item, course),
        }
    }

    /// Both cars as they are.
    #[must_use]
    pub fn states(&self, item: &DrivenEncounter, course: &Course<f64>) -> [DrivenState; 2] {
        let vector = |vector: [f64; 2]| DVec2::from_array(vector) * self.length;
        let ways = [vector(course.way), vector(course.way) + vector(course.apart)];
        let start = item.encounter.vehicles[0].position;
        [0, 1].map(|k| {
            let motion = &course.motions[k];
            DrivenState {
                position: start + ways[k],
                yaw: item.encounter.vehicles[k].yaw + motion.turned,
                motion: PlanarMotion { velocity: vector(motion.velocity), yaw_rate: motion.yaw_rate },
            }
        })
    }
}
