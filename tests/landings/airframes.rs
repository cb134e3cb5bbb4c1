//! Landings by functions of a file: a vehicle of derivatives, written as functions, lands as it does by its derivatives.

use std::sync::Arc;

use touchdown::airframe::{Airframe, AirframeDescription, SteadyFlight};
use touchdown::engine::Engine;
use touchdown::flight::LandingPlan;
use touchdown::function::{Expression, Function, Operation};
use touchdown::native::Native;
use touchdown::query::{Input, LandingInputs, LandingJob, LandingOutcome, LandingState};
use touchdown::reference::Reference;
use touchdown::vehicle::Vehicle;

use crate::support::airframe::{autoland_job, both};
use crate::support::flights::{calm, landing};
use crate::support::landing_jobs::relative;
use crate::support::random::{Random, test_seed};

#[test]
fn an_airplane_of_derivatives_written_as_functions_lands_as_it_does() {
    let job = autoland_job();
    let [by_derivatives, by_functions] = both(&job.vehicle).map(|vehicle| LandingJob { vehicle, ..job.clone() });
    for changes in [
        &[][..],
        &[(Input::Crosswind, 6.0), (Input::Headwind, 4.0)],
        &[(Input::LateralOffset, 3.0), (Input::Bank, 0.03)],
        &[(Input::Mass, 46_000.0), (Input::AirDensity, 1.1)],
    ] {
        let [expected, found] = [&by_derivatives, &by_functions].map(|job| landing(job, changes));
        let touchdowns = [&expected, &found].map(|outcome| outcome.touchdown.unwrap());
        let [there, here] = touchdowns;
        println!("{changes:?}: {here:?} instead of {there:?}");
        assert_eq!(found.class, expected.class);
        // The trims differ by what interpolation between steady flights leaves.
        assert!((here.distance - there.distance).abs() < 2.0 && (here.lateral - there.lateral).abs() < 0.1);
        assert!((here.sink_rate - there.sink_rate).abs() < 0.02);
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
            calm(&job, &[(Input::Crosswind, number - 10.0), (Input::Height, 15.0 + number), (Input::Turbulence, 1.0)])
        })
        .collect();
    let [expected, found] = [
        Reference::new(2).unwrap().landings(&job, &inputs).unwrap(),
        Native::new(2).unwrap().landings(&job, &inputs).unwrap(),
    ];
    assert_eq!(found, expected);
}

/// Landings of the vehicle with this airframe, which have the bits of the reference in lanes.
fn landings_in_lanes(
    job: &LandingJob,
    vehicle: &Vehicle,
    description: AirframeDescription,
    inputs: &[LandingInputs],
) -> Vec<LandingOutcome> {
    let airframe = Some(Arc::new(Airframe::new(description).unwrap()));
    let job = LandingJob { vehicle: Vehicle { airframe, ..vehicle.clone() }, ..job.clone() };
    let expected = Reference::new(2).unwrap().landings(&job, inputs).unwrap();
    assert_eq!(Native::new(2).unwrap().landings(&job, inputs).unwrap(), expected);
    expected
}

#[test]
fn airplanes_that_keep_what_a_step_was_given_have_the_bits_of_the_reference() {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let inputs: Vec<_> = (0..3).map(|number| calm(&job, &[(Input::Crosswind, 4.0 * f64::from(number))])).collect();
    let mut all = Vec::new();
    for property in ["velocities/u-fps", "accelerations/wdot-ft_sec2", "attitude/phi-rad", "position/h-agl-ft"] {
        let mut description = vehicle.airframe.as_ref().unwrap().description().clone();
        // Read before it is made, it is that of the step before, which no function makes anything of.
        for (name, of) in [("late", "given"), ("given", property)] {
            description.controls.push(Function { name: name.to_owned(), expression: Expression::of(of) });
        }
        for load in &mut description.engines {
            load.expression = load.expression.clone() * (Expression::of("late") * 1e-4 + 1.0);
        }
        let expected = landings_in_lanes(&job, &vehicle, description, &inputs);
        assert!(!all.contains(&expected), "{property} changes nothing");
        all.push(expected);
    }
}

/// The job of an airplane with thrust that goes with the rate of a command, as a controller takes it from step to step.
fn with_the_rate_of_a_command() -> LandingJob {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let mut description = vehicle.airframe.as_ref().unwrap().description().clone();
    let rate = (Expression::of("pilot/elevator") - "command before") / Expression::of("simulation/dt");
    description.controls.push(Function { name: "command rate".to_owned(), expression: rate });
    let command = Expression::of("pilot/elevator");
    description.controls.push(Function { name: "command before".to_owned(), expression: command });
    description.engines[0].expression =
        description.engines[0].expression.clone() + Expression::of("command rate") * 10.0;
    let airframe = Some(Arc::new(Airframe::new(description).unwrap()));
    LandingJob { vehicle: Vehicle { airframe, ..vehicle }, ..job }
}

#[test]
fn a_rate_per_time_step_has_the_bits_of_the_reference_whichever_landing_is_first() {
    let job = with_the_rate_of_a_command();
    let changes = |number: u32| [(Input::Crosswind, 5.0 - f64::from(number)), (Input::Turbulence, 1.0)];
    let inputs: Vec<_> = (0..8).map(|number| calm(&job, &changes(number))).collect();
    let expected = Reference::new(2).unwrap().landings(&job, &inputs).unwrap();
    let native = Native::new(1).unwrap();
    assert_eq!(native.landings(&job, &inputs).unwrap(), expected);
    for (inputs, expected) in inputs.iter().zip(&expected).skip(1) {
        assert_eq!(native.landings(&job, &[*inputs]).unwrap(), std::slice::from_ref(expected));
    }
}

#[test]
fn airplanes_that_read_their_attitude_have_the_bits_of_the_reference() {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let changes = |number: u32| [(Input::Crosswind, 4.0 * f64::from(number)), (Input::Turbulence, 1.0)];
    let inputs: Vec<_> = (0..3).map(|number| calm(&job, &changes(number))).collect();
    let mut all = Vec::new();
    for property in ["attitude/phi-rad", "attitude/theta-deg", "aero/h_b-mac-ft", "velocities/h-dot-fps"] {
        let mut description = vehicle.airframe.as_ref().unwrap().description().clone();
        for load in &mut description.engines {
            load.expression = load.expression.clone() * (Expression::of(property) * 1e-3 + 1.0);
        }
        let expected = landings_in_lanes(&job, &vehicle, description, &inputs);
        assert!(!all.contains(&expected), "{property} changes nothing");
        all.push(expected);
    }
}

fn approach(job: &LandingJob) -> SteadyFlight {
    SteadyFlight {
        mass: job.vehicle.mass,
        gravity: job.gravity,
        airspeed: 70.0,
        temperature: 288.15,
        density: 1.225,
        descent: 0.052,
        height: 100.0,
        greatest_throttle: 1.0,
    }
}

#[test]
fn a_steady_flight_is_that_of_the_closed_form() {
    let job = autoland_job();
    let [linear, vehicle] = both(&job.vehicle);
    let airframe = vehicle.airframe.unwrap();
    let flight = approach(&job);
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

#[test]
fn steady_flights_between_nodes_are_near_those_solved_for_whatever_was_asked_for_before() {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let airframe = vehicle.airframe.unwrap();
    let again = Airframe::new(airframe.description().clone()).unwrap();
    let mut random = Random::new(test_seed(), 71);
    let flights: Vec<SteadyFlight> = (0..100)
        .map(|_| {
            let flight = approach(&job);
            SteadyFlight {
                mass: flight.mass * random.between(0.85, 1.15),
                airspeed: flight.airspeed * random.between(0.9, 1.1),
                density: flight.density * random.between(0.7, 1.05),
                temperature: random.between(250.0, 310.0),
                descent: random.between(0.03, 0.07),
                height: random.between(10.0, 400.0),
                ..flight
            }
        })
        .collect();
    let mut backwards: Vec<_> = flights.iter().rev().map(|flight| again.trimmed(flight)).collect();
    backwards.reverse();
    let mut worst = [0.0_f64; 3];
    for (flight, other) in flights.iter().zip(&backwards) {
        let (between, found) = (airframe.trimmed(flight), airframe.solve(flight));
        assert_eq!(&between, other);
        assert!(between.imbalance < 1e-6 && found.imbalance < 1e-6, "{flight:?}");
        let off = [
            between.angle_of_attack - found.angle_of_attack,
            between.elevator - found.elevator,
            between.throttle - found.throttle,
        ];
        (0..3).for_each(|number| worst[number] = worst[number].max(off[number].abs()));
    }
    println!("off by up to {worst:?}: angle of attack [rad], elevator [rad], throttle");
    // The lift coefficient goes with the mass, one over the density, and one over the square of the airspeed. Between nodes 0.04
    // apart a linear function misses (0.04^2 + 0.04^2 + 4 0.04^2)/8 of it at most, and what is not crossed 0.04^2 (1 + 2): half
    // a percent of 0.15 rad, and of half the throttle three times that, for drag goes with the square.
    assert!(worst[0] < 0.005 * 0.15 && worst[1] < 0.005 * 0.15 && worst[2] < 3.0 * 0.005 * 0.5, "{worst:?}");
}

#[test]
fn controls_with_play_come_to_where_they_are_from_below() {
    const WIDTH: f64 = 0.03;
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let exact = vehicle.airframe.unwrap();
    let mut description = exact.description().clone();
    let elevator = description.commands.iter_mut().find(|command| command.name == "elevator").unwrap();
    elevator.name = "elevator commanded".to_owned();
    let held = "elevator actuator after hysteresis";
    let edge = |share: f64| Expression::of("elevator commanded") + Expression::from(share * WIDTH);
    let lower = Expression::made(Operation::Maximum, [Expression::of(held), edge(-0.5)]);
    let within = Expression::made(Operation::Minimum, [lower, edge(0.5)]);
    description.controls.push(Function { name: held.to_owned(), expression: within });
    description.controls.push(Function { name: "elevator".to_owned(), expression: Expression::of(held) });
    let with_play = Airframe::new(description).unwrap();
    for airspeed in [64.0, 70.0, 76.0] {
        let flight = SteadyFlight { airspeed, ..approach(&job) };
        let (without, with) = (exact.solve(&flight), with_play.solve(&flight));
        assert!((with.elevator - 0.5 * WIDTH - without.elevator).abs() < 1e-6, "{with:?} for {without:?}");
        assert!((with.throttle - without.throttle).abs() < 1e-6 && with.imbalance < 1e-6);
        let [with, without] = [&with_play, &exact].map(|airframe| airframe.trimmed(&flight));
        assert!((with.elevator - 0.5 * WIDTH - without.elevator).abs() < 1e-5, "{with:?} for {without:?}");
    }
}

#[test]
fn without_thrust_an_airplane_glides_down_the_slope_that_is_its_drag_over_its_lift() {
    let job = autoland_job();
    let [linear, vehicle] = both(&job.vehicle);
    let powered = vehicle.airframe.unwrap();
    let description = AirframeDescription { engines: Vec::new(), ..powered.description().clone() };
    let glider = Airframe::new(description).unwrap();
    let flight = approach(&job);
    let glide = glider.glide(&flight).unwrap();
    let found = glider.solve(&glide);
    let a = linear.aerodynamics.unwrap();
    let lift = a.lift_zero + a.lift_alpha * found.angle_of_attack + a.lift_elevator * found.elevator;
    let slope = (a.drag_zero + a.drag_induced * lift * lift) / lift;
    println!("{} rad instead of {}, {} of the weight off", glide.descent, slope.atan(), found.imbalance);
    assert!((glide.descent - slope.atan()).abs() < 1e-6 && found.imbalance < 1e-6 && found.throttle == 0.0);
    // On another path it balances lift and moment, and says what is left.
    let beside = glider.solve(&flight);
    assert!((beside.imbalance - (glide.descent - flight.descent).abs()).abs() < 1e-3, "{beside:?}");
    // With its throttle closed an airplane does as one without engines.
    let closed = powered.glide(&flight).unwrap();
    let found_closed = powered.solve(&closed);
    assert!((closed.descent - glide.descent).abs() < 1e-6 && found_closed.throttle == 0.0, "{found_closed:?}");
    assert!(relative(found_closed.elevator, found.elevator) < 1e-6);
}

#[test]
fn an_autoland_without_thrust_lands_with_its_throttle_closed() {
    let job = autoland_job();
    let [_, mut vehicle] = both(&job.vehicle);
    let glide = vehicle.airframe.as_ref().unwrap().glide(&approach(&job)).unwrap();
    vehicle.autoland.as_mut().unwrap().greatest_thrust = 0.0;
    let job = LandingJob { vehicle, ..job };
    let start = [(Input::Airspeed, glide.airspeed), (Input::GlideSlope, glide.descent), (Input::Height, 100.0)];
    let inputs = calm(&job, &start);
    let state = LandingState::at_start(&job, &inputs);
    assert_eq!(state.pilot.thrust, 0.0);
    // On its way down the speed stays: nothing but weight drives it.
    let mut states = vec![(inputs, state)];
    for _ in 0..500 {
        let reference = Reference::new(1).unwrap().step_landings(&job, &states).unwrap();
        assert_eq!(Native::new(1).unwrap().step_landings(&job, &states).unwrap(), reference);
        states[0].1 = reference.into_iter().next().unwrap();
        assert_eq!(states[0].1.pilot.thrust, 0.0);
    }
    let speed = states[0].1.motion.velocity.length();
    println!("{speed} m/s after {} steps", states[0].1.step);
    assert!((speed / glide.airspeed - 1.0).abs() < 0.01, "{speed} instead of {}", glide.airspeed);
}

/// The airplane by functions without laws, and with flaps that take a minute to come down.
fn with_slow_flaps() -> LandingJob {
    let job = autoland_job();
    let [_, vehicle] = both(&job.vehicle);
    let mut description = vehicle.airframe.as_ref().unwrap().description().clone();
    let down = Expression::of("flaps") + Expression::of("simulation/dt") * (1.0 / 60.0);
    let flaps = Expression::made(Operation::Minimum, [down, 1.0.into()]);
    description.controls.push(Function { name: "flaps".to_owned(), expression: flaps });
    // They are felt, or the routine would leave them out.
    for load in &mut description.engines {
        load.expression = load.expression.clone() * "flaps";
    }
    let airframe = Some(Arc::new(Airframe::new(description).unwrap()));
    LandingJob { vehicle: Vehicle { airframe, autoland: None, ..vehicle }, ..job }
}

#[test]
fn without_laws_a_landing_starts_with_what_has_settled_in_the_steady_flight_before_it() {
    let job = with_slow_flaps();
    let airframe = job.vehicle.airframe.as_ref().unwrap();
    let flight = SteadyFlight {
        airspeed: (70.0_f64 * 70.0 + 3.0 * 3.0).sqrt(),
        descent: (3.0_f64).atan2(70.0),
        ..approach(&job)
    };
    let inputs = calm(&job, &[(Input::Airspeed, 70.0), (Input::SinkRate, 3.0), (Input::Height, 100.0)]);
    let (state, plan) = (LandingState::at_start(&job, &inputs), LandingPlan::new(&job, &inputs));
    println!("flaps {:?}, elevator {} of {}", state.airframe, plan.trim, airframe.solve(&flight).elevator);
    assert_eq!(state.airframe, [1.0]);
    assert!((plan.trim - airframe.solve(&flight).elevator).abs() < 2e-3);
    // At a speed at which no wing carries it, nothing has settled.
    let slow = calm(&job, &[(Input::Airspeed, 10.0), (Input::Height, 100.0)]);
    assert_eq!(LandingState::at_start(&job, &slow).airframe, [0.0]);
    assert_eq!(LandingPlan::new(&job, &slow).trim, 0.0);
    // All engines begin alike.
    let outcomes = Reference::new(1).unwrap().landings(&job, &[inputs, slow]).unwrap();
    assert_eq!(Native::new(1).unwrap().landings(&job, &[inputs, slow]).unwrap(), outcomes);
}
