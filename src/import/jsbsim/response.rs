//! Which way an aircraft answers to its commands, and where its surfaces come to without any.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::air_forces::Flight;
use crate::airframe::{Airframe, AirframeDescription, Commands};
use crate::elementary::sin_cos;
use crate::function::{Expression, canonical};

/// The flight in which commands are tried: through standard air at sea level, at an angle of attack \[rad\], high above the ground \[m\],
/// with half throttle.
const ANGLE_OF_ATTACK: f64 = 0.07;
const HEIGHT: f64 = 300.0;
const THROTTLE: f64 = 0.5;
const DENSITY: f64 = 1.225;
const SOUND: f64 = 340.29;
const TEMPERATURE: f64 = 288.15;
const PRESSURE: f64 = 101_325.0;
/// Speed where no wing tells one, and the least and largest that are tried \[m/s\].
const SPEED: [f64; 3] = [60.0, 15.0, 110.0];
/// Lift coefficient at the speed.
const LIFT: f64 = 1.0;
/// A command, how long it is held \[s\], and the step \[s\].
const COMMAND: f64 = 0.25;
const HELD: f64 = 4.0;
const STEP: f64 = 1.0 / 120.0;
/// How long surfaces are left to come to rest at most, and what they change in a step then, as a share \[s\].
const AT_REST: f64 = 120.0;
const STILL: f64 = 1e-11;
/// A slower flight, as a share of the speed, and the share up to which surfaces are where they are in both.
const SLOWER: f64 = 0.8;
const SAME: f64 = 1e-9;
/// Share of pressure times area times chord times the time that they are held below which a moment is none.
const NONE: f64 = 1e-9;

/// A command of the pilot with the axis whose moment it turns, 1 or -1 as that becomes larger or smaller, and what that is.
type Answer = (&'static str, usize, f64, &'static str, fn(f64) -> Commands);
const ANSWERS: [Answer; 3] = [
    ("pilot/elevator", 1, -1.0, "pitching", |elevator| Commands { elevator, ..Commands::default() }),
    ("pilot/aileron", 0, 1.0, "rolling", |aileron| Commands { aileron, ..Commands::default() }),
    ("pilot/rudder", 2, -1.0, "yawing", |rudder| Commands { rudder, ..Commands::default() }),
];

/// Turns commands whose answer has the other sign than the pilot expects: elevator nose down, aileron right wing down, rudder nose
/// left. Tells of those that have none.
pub(super) fn turn_commands(description: &mut AirframeDescription, airframe: &Airframe, mass: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    for (command, axis, sign, moment, commands) in ANSWERS {
        let of = |command| moment_of(airframe, mass, commands(command))[axis];
        let sizes = airframe.description().air_forces.sizes;
        let scale = 0.5 * DENSITY * speed(airframe, mass).powi(2) * sizes.area * sizes.chord * HELD;
        let answer = of(COMMAND) - of(-COMMAND);
        if !answer.is_finite() {
            warnings.push(format!("what {command} leads to is not known: a {moment} moment beyond all numbers"));
        } else if answer.abs() <= NONE * scale {
            warnings.push(format!("{command} leads to no {moment} moment"));
        } else if answer * sign < 0.0 {
            turn(description, command);
        }
    }
    warnings
}

/// Lets what controls leave from step to step begin where it comes to rest without commands at any speed: flaps and gear are out by
/// then. What the file says of the start remains; what depends on the flight begins with 0.
pub(super) fn settle(description: &mut AirframeDescription, airframe: &Airframe, mass: f64) {
    let speed = speed(airframe, mass);
    let [usual, slower] = [speed, SLOWER * speed].map(|speed| at_rest(airframe, mass, speed));
    let controls: BTreeSet<String> = description.controls.iter().map(|function| canonical(&function.name)).collect();
    let said: BTreeSet<String> = description.at_start.iter().map(|(name, _)| canonical(name)).collect();
    for (kept, (usual, slower)) in airframe.routine().kept().iter().zip(usual.into_iter().zip(slower)) {
        let (Some(number), Some(other)) = (usual, slower) else { continue };
        // What components keep for themselves has spaces in its name, and is theirs to begin.
        let is_same = (number - other).abs() <= SAME * number.abs() && !kept.name.contains(' ');
        if is_same && number != kept.at_start && controls.contains(&kept.name) && !said.contains(&kept.name) {
            description.at_start.push((kept.name.clone(), number));
        }
    }
}

/// What a step leaves to the next once it is the same in each; `None` where it never is.
fn at_rest(airframe: &Airframe, mass: f64, speed: f64) -> Vec<Option<f64>> {
    let flight = flight(airframe, mass, speed);
    let given = Airframe::given(&flight, flight.downwards(), &Commands::default(), STEP);
    let mut kept = airframe.routine().at_start();
    let mut before = kept.clone();
    let is_still = |(now, before): (&f64, &f64)| (now - before).abs() <= STILL * (1.0 + now.abs());
    for _ in 0..(AT_REST / STEP) as usize {
        before.clone_from(&kept);
        airframe.step(&given, &mut kept);
        if kept.iter().zip(&before).all(is_still) {
            break;
        }
    }
    kept.iter().zip(&before).map(|(now, before)| is_still((now, before)).then_some(*now)).collect()
}

fn turn(description: &mut AirframeDescription, command: &str) {
    for function in &mut description.commands {
        if matches!(&function.expression, Expression::Property(name) if name == command) {
            function.expression = Expression::Negative(command.to_owned());
        }
    }
}

/// Speed at which the wing carries the mass \[m/s\].
fn speed(airframe: &Airframe, mass: f64) -> f64 {
    let area = airframe.description().air_forces.sizes.area;
    let [usual, least, largest] = SPEED;
    let speed = (2.0 * 9.806_65 * mass / (DENSITY * LIFT * area)).sqrt();
    if speed.is_finite() { speed.clamp(least, largest) } else { usual }
}

/// The moment over the time for which a command is held \[N m s\]: controls that regulate a load may end at their limits either way.
fn moment_of(airframe: &Airframe, mass: f64, commands: Commands) -> DVec3 {
    let flight = flight(airframe, mass, speed(airframe, mass));
    let given = Airframe::given(&flight, flight.downwards(), &Commands { throttle: THROTTLE, ..commands }, STEP);
    let mut kept = airframe.routine().at_start();
    let steps = (HELD / STEP) as usize;
    (0..steps).fold(DVec3::ZERO, |sum, _| sum + airframe.step(&given, &mut kept)[1] * STEP)
}

fn flight(airframe: &Airframe, mass: f64, speed: f64) -> Flight {
    let (sine, cosine) = sin_cos(ANGLE_OF_ATTACK);
    let velocity = speed * DVec3::new(cosine, 0.0, sine);
    Flight {
        air_velocity: velocity,
        ground_velocity: velocity,
        pitch: ANGLE_OF_ATTACK,
        height: HEIGHT,
        density: DENSITY,
        sound: SOUND,
        temperature: TEMPERATURE,
        pressure: PRESSURE,
        mass,
        arm: airframe.description().air_forces.reference_point,
        ..Flight::default()
    }
}
