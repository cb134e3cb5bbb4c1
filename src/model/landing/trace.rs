//! A landing step by step: its columns, and its events in words.

use crate::model::Watcher;
use crate::query::rules::BOUNCE_TIME;
use crate::query::{LandingEvent, LandingJob, LandingStep, Motion, Observer};
use crate::table::{Column, ColumnKind};
use crate::vehicle::Vehicle;

/// Columns that do not depend on the vehicle: name, unit, meaning.
const BODY_COLUMNS: &[(&str, &str, &str)] = &[
    ("time", "s", "Time since the start, at the end of the step"),
    ("x", "m", "Centre of gravity along the runway, from the landing threshold"),
    ("y", "m", "Centre of gravity to the left of the centreline"),
    ("z", "m", "Centre of gravity above the level of the landing threshold"),
    ("qw", "1", "Orientation, body to world, w"),
    ("qx", "1", "Orientation, x"),
    ("qy", "1", "Orientation, y"),
    ("qz", "1", "Orientation, z"),
    ("vx", "m/s", "Speed along the runway"),
    ("vy", "m/s", "Speed to the left"),
    ("vz", "m/s", "Speed upwards"),
    ("p", "rad/s", "Roll rate, body"),
    ("q", "rad/s", "Pitch rate, body"),
    ("r", "rad/s", "Yaw rate, body"),
    ("elevator", "rad", "Elevator, down positive"),
    ("aileron", "rad", "Aileron, right wing down positive"),
    ("rudder", "rad", "Rudder, left positive"),
    ("spoilers", "1", "Spoilers, 0 in to 1 out"),
    ("steering", "rad", "Steering angle asked for, to the right positive, before the limits of speed and wheel"),
    ("brake", "1", "Brake pedal"),
    ("thrust", "N", "Thrust along the body's X axis"),
    ("gust_along", "m/s", "Turbulence along the runway, towards its end, in the next step"),
    ("gust_across", "m/s", "Turbulence across the runway, to the left"),
    ("gust_vertical", "m/s", "Turbulence upwards"),
    ("height", "m", "Height of the centre of gravity above the ground, the runway's plane"),
];

/// The same of columns that mean something else of a vehicle with physics of its own, which answers to commands.
const COMMAND_COLUMNS: &[(&str, &str, &str)] = &[
    ("elevator", "1", "Elevator commanded, nose down positive, -1 to 1"),
    ("aileron", "1", "Aileron commanded, right wing down positive, -1 to 1"),
    ("rudder", "1", "Rudder commanded, nose left positive, -1 to 1"),
    ("thrust", "1", "Throttle commanded, 0 to 1"),
];

/// Columns of each wheel.
const WHEEL_COLUMNS: &[(&str, &str, &str)] = &[
    ("state", "", "State after the step: 0 broken, 1 free, 2 slipping, 3 standing"),
    ("compression", "m", "Compression"),
    ("fx", "N", "Force on the airframe along the runway"),
    ("fy", "N", "Force on the airframe to the left"),
    ("fz", "N", "Force on the airframe upwards"),
    ("peak_force", "N", "Greatest force within the step"),
    ("peak_compression", "m", "Greatest compression within the step"),
];

/// The columns of a traced landing of this vehicle.
pub(super) fn columns(vehicle: &Vehicle) -> Vec<Column> {
    let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
    let of_commands = if vehicle.airframe.is_some() { COMMAND_COLUMNS } else { &[] };
    let of_body = |of_derivatives: &(&str, &str, &str)| {
        let (name, unit, meaning) =
            of_commands.iter().find(|command| command.0 == of_derivatives.0).unwrap_or(of_derivatives);
        number(name, unit, meaning)
    };
    let mut columns: Vec<Column> = BODY_COLUMNS.iter().map(of_body).collect();
    for wheel in &vehicle.wheels {
        columns.extend(
            WHEEL_COLUMNS.iter().map(|(name, unit, meaning)| number(&format!("{name}.{}", wheel.name), unit, meaning)),
        );
    }
    columns
}

/// Forwards a landing to a watcher.
pub(super) struct Recorder<'a> {
    job: &'a LandingJob,
    watcher: &'a mut dyn Watcher,
    events: Vec<(f64, LandingEvent)>,
}

impl<'a> Recorder<'a> {
    pub fn new(job: &'a LandingJob, watcher: &'a mut dyn Watcher) -> Self {
        Self { job, watcher, events: Vec::new() }
    }

    fn words(&self, event: LandingEvent) -> String {
        let wheel = |index: usize| &self.job.vehicle.wheels[index].name;
        match event {
            LandingEvent::Touchdown => "touchdown".to_owned(),
            LandingEvent::Bounce => format!("bounce: all main wheels have been off the ground for {BOUNCE_TIME} s"),
            LandingEvent::WheelDown(index) => format!("wheel {} down", wheel(index)),
            LandingEvent::WheelUp(index) => format!("wheel {} up for {BOUNCE_TIME} s", wheel(index)),
            LandingEvent::ForceLimit(index) => format!("wheel {} passes the surface's maximum force", wheel(index)),
            LandingEvent::Spoilers => "spoilers out".to_owned(),
            LandingEvent::Brakes => "brakes on".to_owned(),
            LandingEvent::Reverse => "reverse thrust".to_owned(),
            LandingEvent::VeeredOff => "a wheel leaves the side of the runway".to_owned(),
            LandingEvent::RunwayEnd => "end of the runway".to_owned(),
            LandingEvent::End(class) => format!("end: {}", class.name()),
        }
    }
}

/// Events precede the call for their step, which has the position of the vehicle.
impl Observer for Recorder<'_> {
    fn step(&mut self, step: &LandingStep<'_>) {
        let Motion { position, orientation, velocity, rate } = step.state.motion;
        let state = format!("x {:9.2} m  y {:7.2} m  {:6.2} m/s", position.x, position.y, velocity.length());
        for (time, event) in std::mem::take(&mut self.events) {
            self.watcher.event(time, &state, &self.words(event));
        }
        let controls = step.controls;
        let surfaces = &controls.surfaces;
        let mut row = vec![step.time];
        row.extend(position.to_array());
        row.extend([orientation.w, orientation.x, orientation.y, orientation.z]);
        row.extend(velocity.to_array());
        row.extend(rate.to_array());
        row.extend([surfaces.elevator, surfaces.aileron, surfaces.rudder, surfaces.spoilers]);
        row.extend([controls.steering, controls.brake, controls.thrust]);
        let gusts = &step.state.gusts;
        row.extend([gusts.along, gusts.across, gusts.vertical]);
        row.push(self.job.scene.ground_plane().height(position));
        for wheel in &step.state.wheels {
            row.extend([f64::from(wheel.contact.state as u8), wheel.compression]);
            row.extend(wheel.force.to_array());
            row.extend([wheel.peak_force, wheel.peak_compression]);
        }
        self.watcher.step(&row);
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        if matches!(event, LandingEvent::End(_)) {
            let words = self.words(event);
            self.watcher.event(time, &" ".repeat(37), &words);
        } else {
            self.events.push((time, event));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_commanded_has_no_unit() {
        let units = |vehicle: &str| {
            let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/aircraft").join(vehicle);
            let columns = columns(&Vehicle::read(&place).unwrap());
            ["thrust", "elevator", "steering"]
                .map(|name| columns.iter().find(|column| column.name == name).unwrap().unit.clone())
        };
        assert_eq!(units("c172.toml"), ["N", "rad", "rad"]);
        assert_eq!(units("light_airframe.toml"), ["1", "1", "rad"]);
    }
}
