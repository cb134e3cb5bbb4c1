//! Landings by functions of a file: a vehicle of derivatives, written as functions, lands as it does by its derivatives.

use std::sync::Arc;

use glam::DVec3;
use touchdown::air_forces::{AxisFunction, Description, ForceAxes, MomentAxes, Role, Sizes};
use touchdown::airframe::{Airframe, AirframeDescription, SteadyFlight};
use touchdown::function::{Expression, Function, Operation};
use touchdown::job::Compute;
use touchdown::model::landing::LandingStudy;
use touchdown::native::Native;
use touchdown::query::{Input, LandingJob, LandingOutcome, Landings};
use touchdown::reference::Reference;
use touchdown::study::Study;
use touchdown::vehicle::{Aerodynamics, Thrust, Vehicle};

use crate::support::flights::{calm, example};
use crate::support::landing_jobs::relative;

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
    let pitch_rate = || rate("velocities/q-rad_sec", a.chord, in_plane());
    let roll_rate = || rate("velocities/p-rad_sec", a.span, speed());
    let yaw_rate = || rate("velocities/r-rad_sec", a.span, speed());
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
fn both(vehicle: &Vehicle) -> [Vehicle; 2] {
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

fn autoland_job() -> LandingJob {
    LandingStudy::of(Study::read(&example("autoland_737.toml")).unwrap()).unwrap().job
}

fn landed(job: &LandingJob, changes: &[(Input, f64)]) -> LandingOutcome {
    Reference::new(1).unwrap().compute::<Landings>(job, &[calm(job, changes)]).unwrap().remove(0)
}

#[test]
fn an_airplane_of_derivatives_written_as_functions_lands_as_it_does() {
    let job = autoland_job();
    let [by_derivatives, by_functions] = both(&job.vehicle).map(|vehicle| LandingJob { vehicle, ..job.clone() });
    for changes in [
        &[][..],
        &[(Input::Crosswind, 6.0), (Input::Headwind, 4.0)],
        &[(Input::LateralOffset, 3.0), (Input::Bank, 0.03)],
        &[(Input::Mass, 60_000.0), (Input::AirDensity, 1.1)],
    ] {
        let [expected, found] = [&by_derivatives, &by_functions].map(|job| landed(job, changes));
        let touchdowns = [&expected, &found].map(|outcome| outcome.touchdown.clone().unwrap());
        let [expected_at, found_at] = touchdowns.map(|touchdown| touchdown.position);
        println!("{changes:?}: {found_at} instead of {expected_at}, sink rates and classes {:?}", found.class);
        assert_eq!(found.class, expected.class);
        // The trims differ by what interpolation between steady flights leaves.
        assert!((found_at - expected_at).length() < 1.0, "{found_at} instead of {expected_at}");
    }
}

#[test]
fn an_airframe_lands_in_lanes_with_the_bits_of_the_reference() {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let job = LandingJob { vehicle, ..job };
    let inputs: Vec<_> = (0..20)
        .map(|number| {
            let number = f64::from(number);
            calm(&job, &[(Input::Crosswind, number - 10.0), (Input::Height, 15.0 + number), (Input::Gustiness, 1.0)])
        })
        .collect();
    let [expected, found] = [
        Reference::new(2).unwrap().compute::<Landings>(&job, &inputs).unwrap(),
        Native::new(2).unwrap().compute::<Landings>(&job, &inputs).unwrap(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_steady_flight_is_that_of_the_closed_form() {
    let job = autoland_job();
    let [linear, vehicle] = both(&job.vehicle);
    let airframe = vehicle.airframe.unwrap();
    let flight = SteadyFlight {
        mass: job.vehicle.mass,
        gravity: job.gravity,
        airspeed: 70.0,
        density: 1.225,
        descent: 0.052,
        height: 100.0,
    };
    let found = airframe.solve(&flight);
    let a = linear.aerodynamics.unwrap();
    let pressure_area = 0.5 * flight.density * flight.airspeed * flight.airspeed * a.area;
    let thrust = found.throttle * job.vehicle.autoland.unwrap().greatest_thrust;
    let alpha = found.angle_of_attack;
    let lift = a.lift_zero + a.lift_alpha * alpha + a.lift_elevator * found.elevator;
    let across = pressure_area * lift + thrust * alpha.sin() - flight.mass * flight.gravity * flight.descent.cos();
    let along = thrust * alpha.cos() + flight.mass * flight.gravity * flight.descent.sin()
        - pressure_area * (a.drag_zero + a.drag_induced * lift * lift);
    let moment = pressure_area * a.chord * (a.pitch_zero + a.pitch_alpha * alpha + a.pitch_elevator * found.elevator)
        + thrust * linear.thrust.line;
    let weight = flight.mass * flight.gravity;
    println!(
        "off balance by {:e}, {:e} of the weight, {:e} of it times the chord",
        across / weight,
        along / weight,
        moment / weight / a.chord
    );
    assert!(across.abs() / weight < 1e-6 && along.abs() / weight < 1e-6 && moment.abs() / (weight * a.chord) < 1e-6);
    // Interpolated between the nodes of a grid it is a little beside.
    let between = airframe.trimmed(&flight);
    assert!(relative(between.angle_of_attack, found.angle_of_attack) < 5e-3);
    assert!(relative(between.throttle, found.throttle) < 2e-2, "{} for {}", between.throttle, found.throttle);
}
