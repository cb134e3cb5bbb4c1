//! How an aircraft answers to its controls: its physics made linear about a steady flight.
//!
//! # Conventions
//! Controls and engines have settled at each point that derivatives are taken from, so that dampers which the aircraft itself has are
//! in them; how long surfaces and engines take is apart.

use glam::{DMat3, DVec3};

use super::{Airframe, Atmosphere, Commands, SteadyFlight, Trimmed};
use crate::air_forces::Flight;
use crate::elementary::sin_cos;

/// One axis of rotation: angular accelerations against what causes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// In the command's own direction, per command \[rad/s^2\].
    pub control: f64,
    /// Against a rate of rotation \[1/s\].
    pub damping: f64,
    /// Against an angle of the flow \[1/s^2\]: of attack in pitch, sideslip in yaw, 0 in roll.
    pub stiffness: f64,
}

/// Linearised response of an aircraft in a steady flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Airspeed \[m/s\].
    pub airspeed: f64,
    /// Nose down by the elevator.
    pub pitch: Axis,
    /// Right wing down by the aileron.
    pub roll: Axis,
    /// Nose left by the rudder.
    pub yaw: Axis,
    /// Rate of the path's angle per angle of attack \[1/s\].
    pub lift: f64,
    /// Rate at which sideslip turns the path \[1/s\].
    pub side: f64,
    /// Acceleration per throttle \[m/s^2\].
    pub thrust: f64,
    /// Deceleration per speed \[1/s\].
    pub drag: f64,
    /// Mean delays from a command to its effect \[s\]: elevator, aileron, rudder, throttle.
    pub lags: [f64; 4],
}

/// Changes by which derivatives are taken: of speeds as a share of the airspeed, rates \[rad/s\], commands.
const OF_SPEED: f64 = 0.02;
const OF_RATE: f64 = 0.02;
const OF_COMMAND: f64 = 0.05;
/// Steps in which controls and engines settle \[s\], and for how long they are watched.
const STEP: f64 = 1.0 / 120.0;
const SETTLING: usize = 1200;

/// A point beside a steady flight.
#[derive(Clone, Copy, Default)]
struct Beside {
    velocity: DVec3,
    rate: DVec3,
    commands: Commands,
}

/// Accelerations in body axes \[m/s^2\], \[rad/s^2\].
#[derive(Clone, Copy)]
struct Accelerations {
    linear: DVec3,
    angular: DVec3,
}

/// What is steady, and what answers.
struct Steady<'a> {
    airframe: &'a Airframe,
    inverse_inertia: DMat3,
    flight: &'a SteadyFlight,
    trimmed: &'a Trimmed,
}

impl Response {
    /// Of a steady flight of an aircraft with this inertia \[kg m^2\].
    #[must_use]
    pub fn new(airframe: &Airframe, inertia: DMat3, flight: &SteadyFlight, trimmed: &Trimmed) -> Self {
        let steady = Steady { airframe, inverse_inertia: inertia.inverse(), flight, trimmed };
        let speed = OF_SPEED * flight.airspeed;
        let (sine, cosine) = sin_cos(trimmed.angle_of_attack);
        // Backwards and upwards of the flow.
        let (against, upwards) = (DVec3::new(-cosine, 0.0, -sine), DVec3::new(sine, 0.0, -cosine));
        let of_speed =
            |direction: DVec3| steady.slope(Beside { velocity: speed * direction, ..Beside::default() }, speed);
        let of_rate = |axis: DVec3| steady.slope(Beside { rate: OF_RATE * axis, ..Beside::default() }, OF_RATE);
        let of_command = |commands: Commands| steady.slope(Beside { commands, ..Beside::default() }, OF_COMMAND);
        let none = Commands::default();
        let commands = [
            Commands { elevator: OF_COMMAND, ..none },
            Commands { aileron: OF_COMMAND, ..none },
            Commands { rudder: OF_COMMAND, ..none },
            Commands { throttle: OF_COMMAND, ..none },
        ];
        let [elevator, aileron, rudder, throttle] = commands.map(of_command);
        // A velocity downwards of the body is an angle of attack, one to the right a sideslip.
        let (attack, sideslip, faster) = (of_speed(-upwards), of_speed(DVec3::Y), of_speed(-against));
        let airspeed = flight.airspeed;
        let axis = |control: f64, damping: f64, stiffness: f64| Axis { control, damping, stiffness };
        Self {
            airspeed,
            pitch: axis(-elevator.angular.y, -of_rate(DVec3::Y).angular.y, -attack.angular.y * airspeed),
            roll: axis(aileron.angular.x, -of_rate(DVec3::X).angular.x, 0.0),
            yaw: axis(-rudder.angular.z, -of_rate(DVec3::Z).angular.z, sideslip.angular.z * airspeed),
            lift: attack.linear.dot(upwards),
            side: -sideslip.linear.y,
            thrust: -throttle.linear.dot(against),
            drag: faster.linear.dot(against),
            lags: commands.map(|commands| steady.lag(commands)),
        }
    }
}

impl Steady<'_> {
    /// Central differences over twice this change.
    fn slope(&self, beside: Beside, change: f64) -> Accelerations {
        let opposite =
            Beside { velocity: -beside.velocity, rate: -beside.rate, commands: scaled(&beside.commands, -1.0) };
        let [there, back] = [beside, opposite].map(|beside| {
            let mut kept = self.trimmed.kept.clone();
            let given = self.given(&beside);
            let first = self.step(&given, &mut kept);
            (1..SETTLING).fold(first, |_, _| self.step(&given, &mut kept))
        });
        Accelerations {
            linear: (there.linear - back.linear) / (2.0 * change),
            angular: (there.angular - back.angular) / (2.0 * change),
        }
    }

    /// The mean delay of the answer to a command \[s\]: the area between the answer and what it becomes, over that.
    fn lag(&self, commands: Commands) -> f64 {
        let mut kept = self.trimmed.kept.clone();
        let at_first = self.step(&self.given(&Beside::default()), &mut kept.clone());
        let given = self.given(&Beside { commands, ..Beside::default() });
        let answers: Vec<Accelerations> = (0..SETTLING).map(|_| self.step(&given, &mut kept)).collect();
        let Some(last) = answers.last() else { return 0.0 };
        // What answers most: a moment for surfaces, a force for engines.
        let share = |answer: &Accelerations| {
            let [all, now] = [last, answer].map(|of| match commands.throttle == 0.0 {
                true => of.angular - at_first.angular,
                false => of.linear - at_first.linear,
            });
            let square = all.length_squared();
            if square > 0.0 { 1.0 - now.dot(all) / square } else { 0.0 }
        };
        STEP * answers.iter().map(share).sum::<f64>().max(0.0)
    }

    fn given(&self, beside: &Beside) -> [f64; Airframe::GIVEN] {
        let SteadyFlight { mass, airspeed, density, temperature, descent, height, .. } = *self.flight;
        let (sine, cosine) = sin_cos(self.trimmed.angle_of_attack);
        let velocity = airspeed * DVec3::new(cosine, 0.0, sine) + beside.velocity;
        let Atmosphere { density, temperature, pressure, sound } = Atmosphere::of_temperature(density, temperature);
        let flight = Flight {
            air_velocity: velocity,
            ground_velocity: velocity,
            rate: beside.rate,
            // The numbers of a velocity that stays as it is in the world.
            acceleration: -beside.rate.cross(velocity),
            pitch: self.trimmed.angle_of_attack - descent,
            height,
            density,
            sound,
            temperature,
            pressure,
            mass,
            arm: self.airframe.description().air_forces.reference_point,
            ..Flight::default()
        };
        let Commands { elevator, aileron, rudder, throttle, .. } = beside.commands;
        let commands = Commands {
            elevator: self.trimmed.elevator + elevator,
            aileron,
            rudder,
            throttle: self.trimmed.throttle + throttle,
            ..Commands::default()
        };
        Airframe::given(&flight, flight.downwards(), &commands, STEP)
    }

    fn step(&self, given: &[f64; Airframe::GIVEN], kept: &mut Vec<f64>) -> Accelerations {
        let [force, moment] = self.airframe.step(given, kept);
        Accelerations { linear: force / self.flight.mass, angular: self.inverse_inertia * moment }
    }
}

fn scaled(commands: &Commands, factor: f64) -> Commands {
    let Commands { elevator, aileron, rudder, throttle, .. } = *commands;
    Commands {
        elevator: factor * elevator,
        aileron: factor * aileron,
        rudder: factor * rudder,
        throttle: factor * throttle,
        ..Commands::default()
    }
}
