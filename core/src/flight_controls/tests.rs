//! Components against closed forms.

use super::*;
use crate::function::{Expression, Operation, Routine};

type Formula = Expression<String>;

const STEP: f64 = 0.01;

fn component(name: &str, law: Law) -> Component {
    let place = "line 1".to_owned();
    Component { name: name.to_owned(), outputs: Vec::new(), place, law, delay: None, clip: None }
}

fn x() -> Formula {
    Formula::of("x")
}

fn channel(components: impl Into<Vec<Component>>) -> Channel {
    Channel { every: 1, on: None, components: components.into() }
}

fn one(component: Component) -> FlightControls {
    FlightControls { channels: vec![channel([component])], ..FlightControls::default() }
}

/// A property over steps, of steps of both kinds, which must agree.
fn property(controls: &FlightControls, name: &str, input: impl Fn(usize) -> f64, steps: usize) -> Vec<f64> {
    let given = ["x", "on", "simulation/dt"].map(str::to_owned);
    let of = |step: TimeStep| {
        let functions = controls.functions(step).unwrap();
        let routine = Routine::new(&functions, &given, &|_| 0.0, &|_| None).unwrap();
        let mut kept = routine.at_start();
        let mut row_of = |number: usize| {
            let row = routine.row(&[input(number), f64::from(u8::from(number % 4 < 2)), STEP], &kept);
            kept = routine.left(&row);
            row[routine.place(name).unwrap()]
        };
        (0..steps).map(&mut row_of).collect::<Vec<_>>()
    };
    let (constant, given) = (of(TimeStep::Constant(STEP)), of(TimeStep::Given(STEP)));
    for (number, (constant, given)) in constant.iter().zip(&given).enumerate() {
        assert!((constant - given).abs() <= 1e-12 * constant.abs().max(1.0), "{name} {number}: {constant} {given}");
    }
    constant
}

fn output(component: Component, input: impl Fn(usize) -> f64, steps: usize) -> Vec<f64> {
    let name = component.name.clone();
    property(&one(component), &name, input, steps)
}

fn near(found: f64, expected: f64, bound: f64) {
    assert!((found - expected).abs() <= bound, "{found} instead of {expected}");
}

/// A jump to 1 before the second step: in the first one filters read nothing, whatever there is.
fn jump(_: usize) -> f64 {
    1.0
}

#[test]
fn filters_answer_a_jump_by_the_powers_of_their_pole() {
    let number = Formula::Value;
    let rate = 2.0;
    let filter = |name: &str, filter: Filter| component(name, Law::Filter(filter));
    let lag = |name: &str, input: &str| filter(name, Filter::Lag(Formula::of(input), [number(rate)]));
    let washout = filter("washout", Filter::Washout(x(), [number(rate)]));
    // 1 + 2 s / (s + c).
    let lead = filter("lead", Filter::LeadLag(x(), [3.0, rate, 1.0, rate].map(number)));
    let second = [0.0, 0.0, rate * rate, 1.0, 2.0 * rate, rate * rate].map(number);
    let second = filter("second", Filter::SecondOrder(x(), second));
    let controls = FlightControls {
        channels: vec![channel([lag("lag", "x"), lag("both", "lag"), washout, lead, second])],
        ..FlightControls::default()
    };
    let [lag, both, washout, lead, second] =
        ["lag", "both", "washout", "lead", "second"].map(|name| property(&controls, name, jump, 300));
    let pole = (2.0 - rate * STEP) / (2.0 + rate * STEP);
    for step in 1..300 {
        let decay = 2.0 / (2.0 + rate * STEP) * pole.powi(step as i32 - 1);
        near(washout[step], decay, 1e-12);
        near(lag[step], 1.0 - decay, 1e-12);
        near(lead[step], 1.0 + 2.0 * decay, 1e-12);
        // The pole is that of the exponential to third order in the step, from the middle of the jump.
        near(decay, (-rate * (step as f64 - 0.5) * STEP).exp(), 1e-4);
        near(second[step], both[step], 1e-12);
    }
    assert_eq!([lag[0], both[0], washout[0], lead[0], second[0]], [0.0; 5]);
}

#[test]
fn a_kinematic_moves_through_its_detents_in_their_times() {
    let settings = [(0.0, 0.0), (10.0, 0.1), (25.0, 0.25), (25.5, 0.0), (40.0, 0.05)];
    let detents = settings.map(|(position, time)| Setting { position, time }).to_vec();
    let flap = |scales| Law::Kinematic { input: x(), scales, detents: detents.clone() };
    for (step, position) in output(component("flap", flap(true)), |_| 1.0, 45).into_iter().enumerate() {
        let time = (step + 1) as f64 * STEP;
        let expected = if time < 0.1 { 100.0 * time } else { 10.0 + 60.0 * (time - 0.1) };
        // From the gap that takes no time all is done at once; whether it is reached after 0.35 s is a matter of rounding.
        if step != 34 {
            near(position, if step < 34 { expected } else { 40.0 }, 1e-12);
        }
    }
    let back = output(component("flap", flap(false)), |step| if step < 45 { 40.0 } else { -1.0 }, 120);
    near(back[45], 40.0 - 2.9, 1e-12);
    assert_eq!([back[44], back[51]], [40.0, 0.0]);
    let gear = [Setting { position: 0.0, time: 0.0 }, Setting { position: 1.0, time: 0.5 }].to_vec();
    let gear = Law::Kinematic { input: x(), scales: true, detents: gear };
    let moved = output(component("gear", gear), |step| if step < 60 { 1.0 } else { 0.25 }, 120);
    for (step, expected) in [(24, 0.5), (59, 1.0), (84, 0.5), (119, 0.25)] {
        near(moved[step], expected, 1e-12);
    }
}

#[test]
fn every_law_limit_and_condition_reads_the_step_of_its_own_channel() {
    let step = || Formula::of("simulation/channel-dt");
    let is_short = || Formula::made(Operation::Less, [step(), 0.025.into()]);
    let gain = |name: &str| component(name, Law::Value(step()));
    let mut limited = component("limited", Law::Value(1.0.into()));
    limited.clip = Some(Clip { low: 0.0.into(), high: step(), is_cyclic: false });
    let switch = component("switch", Law::Switch { cases: vec![(is_short(), 1.0.into())], default: 0.0.into() });
    let channel = |every, on, components| Channel { every, on, components };
    let controls = FlightControls {
        channels: vec![
            channel(1, None, vec![gain("each")]),
            channel(2, None, vec![limited]),
            channel(3, None, vec![switch]),
            channel(2, Some(is_short()), vec![component("second", Law::Value(1.0.into()))]),
            channel(3, Some(is_short()), vec![component("third", Law::Value(1.0.into()))]),
        ],
        ..FlightControls::default()
    };
    for (name, expected) in [("each", STEP), ("limited", 2.0 * STEP), ("switch", 0.0), ("second", 1.0), ("third", 0.0)]
    {
        property(&controls, name, jump, 6).into_iter().for_each(|value| near(value, expected, 1e-12));
    }
}

fn actuator(change: impl FnOnce(&mut Actuator)) -> Law {
    let mut actuator =
        Actuator { input: x(), lag: None, rise: None, fall: None, deadband: 0.0, hysteresis: 0.0, bias: 0.0 };
    change(&mut actuator);
    Law::Actuator(actuator)
}

#[test]
fn an_actuator_rises_and_falls_no_faster_than_its_limits() {
    let law = actuator(|actuator| {
        (actuator.rise, actuator.fall) = (Some(2.0.into()), Some(0.5.into()));
    });
    let moved = output(component("limited", law), |step| if (1..60).contains(&step) { 1.0 } else { 0.0 }, 200);
    for (step, position) in moved.iter().enumerate() {
        let rising = (2.0 * STEP * step as f64).min(1.0);
        let falling = 1.0 - 0.5 * STEP * (step as f64 - 59.0).max(0.0);
        near(*position, if step < 60 { rising } else { falling }, 1e-12);
    }
    // What is there in the first step passes.
    let backlash = actuator(|actuator| actuator.hysteresis = 0.5);
    let moved = output(component("backlash", backlash), |step| [1.0, 2.0, 1.8, 1.2, 1.0, 1.0][step], 6);
    assert_eq!(moved, [1.0, 1.75, 1.75, 1.45, 1.25, 1.25]);
    let late = actuator(|actuator| {
        (actuator.lag, actuator.rise, actuator.fall) = (Some(3.0.into()), Some(1.0.into()), Some(1.0.into()));
    });
    output(component("late", late), |_| 7.0, 5).into_iter().for_each(|value| near(value, 7.0, 1e-12));
    let dead = actuator(|actuator| (actuator.deadband, actuator.bias) = (0.5, 1.0));
    assert_eq!(output(component("dead", dead), |step| [-1.0, -0.25, 0.0, 0.5][step], 4), [0.25, 1.0, 1.0, 1.25]);
}

#[test]
fn an_actuator_at_a_limit_is_saturated_where_that_is_read() {
    let mut clipped = component("fcs/clipped", actuator(|_| {}));
    clipped.clip = Some(Clip { low: (-1.0).into(), high: 0.5.into(), is_cyclic: false });
    let read = component("read", Law::Value(Formula::of("fcs/clipped/saturated")));
    let controls = FlightControls { channels: vec![channel([clipped, read])], ..FlightControls::default() };
    assert_eq!(property(&controls, "read", |step| [0.0, 2.0, 0.4, -1.0][step], 4), [0.0, 1.0, 0.0, 1.0]);
}

fn pid(change: impl FnOnce(&mut Pid)) -> Law {
    let zero = || Formula::Value(0.0);
    let mut pid = Pid {
        input: x(),
        proportional: zero(),
        integral: None,
        derivative: zero(),
        is_standard: false,
        rate: None,
        trigger: None,
    };
    change(&mut pid);
    Law::Pid(pid)
}

#[test]
fn controllers_integrate_and_differentiate() {
    let ramp = |step: usize| (step + 1) as f64;
    // Of 1, 2, ... n, and of what was before, which counts as 0.
    let sum = |steps: f64| steps.max(0.0) * (steps + 1.0) / 2.0;
    let rules: [(Integration, &dyn Fn(f64) -> f64); 4] = [
        (Integration::Rectangular, &sum),
        (Integration::Trapezoidal, &|steps| steps * steps / 2.0),
        (Integration::AdamsBashforth2, &|steps| 1.5 * sum(steps) - 0.5 * sum(steps - 1.0)),
        (Integration::AdamsBashforth3, &|steps| {
            (23.0 * sum(steps) - 16.0 * sum(steps - 1.0) + 5.0 * sum(steps - 2.0)) / 12.0
        }),
    ];
    for (rule, expected) in rules {
        let integral = output(component("i", pid(|pid| pid.integral = Some((4.0.into(), rule)))), ramp, 50);
        for (step, value) in integral.iter().enumerate() {
            near(*value, 4.0 * STEP * expected(ramp(step)), 1e-11);
        }
    }
    let derivative = output(component("d", pid(|pid| pid.derivative = 3.0.into())), ramp, 5);
    derivative.iter().for_each(|value| near(*value, 3.0 / STEP, 1e-10));
    let held = pid(|pid| {
        pid.integral = Some((1.0.into(), Integration::Rectangular));
        pid.trigger = Some(x());
    });
    let held = output(component("held", held), |step| [0.0, 5.0, 0.0, -1.0][step], 4);
    assert_eq!(held, [0.0; 4]);
}

#[test]
fn a_delay_of_n_steps_is_one_of_n_less_1() {
    let mut sensor = component("late", actuator(|_| {}));
    for (delay, steps) in [
        (Delay::Steps(0.0), 0),
        (Delay::Steps(1.0), 0),
        (Delay::Steps(2.9), 1),
        (Delay::Time(0.051), 4),
        (Delay::Steps(512.0), 511),
    ] {
        sensor.delay = Some(delay);
        let late = output(sensor.clone(), |step| 1.0 + step as f64, 600);
        for (step, value) in late.iter().enumerate() {
            assert_eq!(*value, (1.0 + step as f64 - f64::from(steps)).max(0.0), "{delay:?}");
        }
    }
    sensor.delay = Some(Delay::Time(5.14));
    let fault = one(sensor).functions(TimeStep::Constant(STEP)).unwrap_err();
    assert_eq!(fault.to_string(), "line 1: late: a delay of 514 steps is not allowed: must be from 0 to 512");
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(FlightControls::default().functions(TimeStep::Given(step)), Err(ControlFault::Step(_))));
    }
}

#[test]
fn limits_hold_or_turn() {
    let clipped = |low: f64, high: f64, is_cyclic| {
        let mut gain = component("clipped", Law::Value(x() * 1.0));
        gain.clip = Some(Clip { low: low.into(), high: high.into(), is_cyclic });
        output(gain, |step| [-4.0, -1.0, 0.5, 1.75, 9.0][step], 5)
    };
    assert_eq!(clipped(-1.0, 1.5, false), [-1.0, -1.0, 0.5, 1.5, 1.5]);
    assert_eq!(clipped(-1.0, 1.5, true), [1.0, -1.0, 0.5, -0.75, -1.0]);
    assert_eq!(clipped(2.0, 1.0, false), [-4.0, -1.0, 0.5, 1.75, 9.0]);
    assert_eq!(clipped(2.0, 2.0, true), [2.0; 5]);
}

#[test]
fn a_channel_that_rests_leaves_everything_as_it_is() {
    let count = component("fcs/elevator-pos-deg", Law::Value(Formula::of("fcs/elevator-pos-deg") + 1.0));
    let every = |every, on: Option<Formula>| {
        let channel = Channel { every, on, components: vec![count.clone()] };
        let controls = FlightControls { channels: vec![channel], ..FlightControls::default() };
        property(&controls, "fcs/elevator-pos-rad", |_| 0.0, 8).iter().map(|angle| angle.to_degrees().round()).collect()
    };
    let (third, alternating): (Vec<f64>, Vec<f64>) = (every(3, None), every(1, Some(Formula::of("on"))));
    assert_eq!(third, [1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0]);
    assert_eq!(alternating, [1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0]);
    // Its step is longer, and its first one comes when it first runs.
    let integral = component("i", pid(|pid| pid.integral = Some((1.0.into(), Integration::Rectangular))));
    let lag = component("lag", Law::Filter(Filter::Lag(x(), [1e9.into()])));
    let channel = Channel { every: 2, on: None, components: vec![integral, lag] };
    let controls = FlightControls { channels: vec![channel], ..FlightControls::default() };
    near(property(&controls, "i", |_| 1.0, 6)[5], 4.0 * 2.0 * STEP, 1e-12);
    assert_eq!(property(&controls, "lag", |_| 1.0, 2)[0], 0.0);
}

#[test]
fn decisions_are_made_in_their_order() {
    let above = |limit: f64| Formula::made(Operation::Greater, [x(), limit.into()]);
    let cases = vec![(above(2.0), 20.0.into()), (above(1.0), 10.0.into())];
    let switch = Law::Switch { cases, default: (-1.0).into() };
    assert_eq!(output(component("switch", switch), |step| step as f64, 4), [-1.0, -1.0, 10.0, 20.0]);
    let set = |name: &str, value: f64| vec![(name.to_owned(), Formula::Value(value))];
    let case = |condition, values| Case { condition, values };
    let distributed = |is_exclusive| {
        let cases = vec![
            case(Some(above(2.0)), set("a", 2.0)),
            case(Some(above(1.0)), set("a", 1.0)),
            case(None, set("b", 5.0)),
        ];
        let controls = one(component("fcs/own", Law::Distributor { is_exclusive, cases }));
        let [b, own] = ["b", "fcs/own"].map(|name| property(&controls, name, |_| 0.0, 1)[0]);
        assert_eq!([b, own], [5.0, 0.0]);
        property(&controls, "a", |step| [0.0, 3.0, 0.0, 1.5][step], 4)
    };
    assert_eq!(distributed(true), [0.0, 2.0, 2.0, 1.0]);
    assert_eq!(distributed(false), [0.0, 1.0, 1.0, 1.0]);
}
