//! A vehicle of derivatives, written as functions of an aircraft file.

use std::sync::Arc;

use glam::DVec3;
use touchdown::air_forces::{AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
use touchdown::airframe::{Airframe, AirframeDescription};
use touchdown::function::{Expression, Function, Operation};
use touchdown::query::LandingJob;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::{Aerodynamics, Thrust, Vehicle};

use super::flights::example;

type Formula = Expression<String>;

const FOOT: f64 = 0.3048;
const POUND: f64 = 4.448_221_615_260_5;

fn of(name: &str) -> Formula {
    Formula::of(name)
}

fn made(name: &str, expression: Formula) -> Function<String> {
    Function { name: name.to_owned(), expression }
}

/// The derivatives of an airplane in straight flight from ahead, as functions: forces and moments in body axes.
fn functions(a: &Aerodynamics) -> Vec<AxisFunction> {
    let [u, v, w] = ["velocities/u-aero-fps", "velocities/v-aero-fps", "velocities/w-aero-fps"];
    let in_plane = || (of(u) * u + of(w) * w).by(Operation::SquareRoot);
    let speed = || of("velocities/vt-fps");
    let rate = |name: &str, length: f64, by: Formula| of(name) * (length / FOOT) / (by * 2.0);
    let pitch_rate = || rate("velocities/q-aero-rad_sec", a.chord, in_plane());
    let roll_rate = || rate("velocities/p-aero-rad_sec", a.span, speed());
    let yaw_rate = || rate("velocities/r-aero-rad_sec", a.span, speed());
    let [alpha, beta] = ["aero/alpha-rad", "aero/beta-rad"];
    let [elevator, aileron, rudder] = ["elevator", "aileron", "rudder"];
    let half = || of("atmosphere/rho-slugs_ft3") * (0.5 * a.area / (FOOT * FOOT));
    let lift = of(alpha) * a.lift_alpha
        + (Formula::from(a.lift_zero) - of("spoilers") * a.spoiler_lift)
        + of(elevator) * a.lift_elevator
        + pitch_rate() * a.lift_pitch_rate;
    let drag =
        speed() * (of("spoilers") * a.spoiler_drag + a.drag_zero) + in_plane() * (of("CL") * "CL" * a.drag_induced);
    let deflected = || speed() * in_plane();
    let side = speed() * speed() * beta * a.side_beta + deflected() * rudder * a.side_rudder;
    let roll =
        speed() * speed() * (of(beta) * a.roll_beta + roll_rate() * a.roll_roll_rate + yaw_rate() * a.roll_yaw_rate)
            + deflected() * (of(aileron) * a.roll_aileron + of(rudder) * a.roll_rudder);
    let pitch = in_plane()
        * in_plane()
        * (of(alpha) * a.pitch_alpha
            + pitch_rate() * a.pitch_pitch_rate
            + a.pitch_zero
            + of(elevator) * a.pitch_elevator);
    let yaw = speed() * speed() * (of(beta) * a.yaw_beta + roll_rate() * a.yaw_roll_rate + yaw_rate() * a.yaw_yaw_rate)
        + deflected() * (of(aileron) * a.yaw_aileron + of(rudder) * a.yaw_rudder);
    let all = [
        (Role::Property, "CL", lift),
        (Role::Property, "drag", drag),
        (Role::Force(0), "X", half() * (in_plane() * "CL" * w - of("drag") * u)),
        (Role::Force(1), "Y", half() * (side - of("drag") * v)),
        (Role::Force(2), "Z", half() * (-(in_plane() * "CL" * u) - of("drag") * w)),
        (Role::Moment(0), "L", half() * roll * (a.span / FOOT)),
        (Role::Moment(1), "M", half() * pitch * (a.chord / FOOT)),
        (Role::Moment(2), "N", half() * yaw * (a.span / FOOT)),
    ];
    all.into_iter().map(|(role, name, formula)| AxisFunction { function: made(name, formula), role }).collect()
}

/// The same vehicle without ground effect and with thrust from 0, by derivatives and by functions of commands in radians.
pub fn both(vehicle: &Vehicle) -> [Vehicle; 2] {
    let aerodynamics = Aerodynamics { ground_effect: false, ..vehicle.aerodynamics.unwrap() };
    let thrust = Thrust { idle: 0.0, reverse: 0.0, ..vehicle.thrust };
    let by_derivatives = Vehicle { aerodynamics: Some(aerodynamics), thrust, ..vehicle.clone() };
    let limit = aerodynamics.surface_limit;
    let within = |name: &str| {
        let upper = Formula::made(Operation::Minimum, [of(name), limit.into()]);
        Formula::made(Operation::Maximum, [upper, (-limit).into()])
    };
    // The throttle is a share of the greatest thrust.
    let laws = vehicle.autoland.unwrap();
    let greatest = laws.greatest_thrust;
    let engines = vec![
        made("engines x-lbs", of("pilot/throttle") * (greatest / POUND)),
        made("engines m-lbsft", of("pilot/throttle") * (greatest * thrust.line / POUND / FOOT)),
    ];
    let air_forces = Description {
        force_axes: ForceAxes::Body,
        moment_axes: MomentAxes::Body,
        sizes: Sizes { area: aerodynamics.area, span: aerodynamics.span, chord: aerodynamics.chord, incidence: 0.0 },
        reference_point: DVec3::ZERO,
        functions: functions(&aerodynamics),
        ..Description::default()
    };
    let commands = vec![
        made("elevator", within("pilot/elevator")),
        made("aileron", within("pilot/aileron")),
        made("rudder", within("pilot/rudder")),
        made("spoilers", of("pilot/spoilers")),
    ];
    let description = AirframeDescription { commands, engines, air_forces, ..AirframeDescription::default() };
    let airframe = Some(Arc::new(Airframe::new(description).unwrap()));
    let mut autoland = laws;
    autoland.speed_gain /= greatest;
    autoland.greatest_thrust = 1.0;
    let by_functions = Vehicle {
        aerodynamics: None,
        airframe,
        thrust: Thrust { line: 0.0, ..thrust },
        autoland: Some(autoland),
        ..vehicle.clone()
    };
    [by_derivatives, by_functions]
}

/// An airplane that lands itself.
pub fn autoland_job() -> LandingJob {
    LandingStudy::of(Study::read(&example("autoland_737.toml")).unwrap()).unwrap().job
}
