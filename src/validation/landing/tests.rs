//! Steps of the judge with faults planted in them: what the bounds of steps are worth.

use glam::{DMat3, DQuat, DVec3};

use super::*;
use crate::query::{Input, LandingInputs, LandingState, Motion};
use crate::reference::Reference;
use crate::validation::landing::sample::trace;
use crate::validation::steps::BoundShares;
use crate::validation::{LandingStudy, embedded_study};

/// A step, and the state that it ends with.
type Item = ((LandingInputs, LandingState), LandingState);

/// Steps in contact of some landings of a study, with the ends that the judge gives them.
fn steps_in_contact(study: &LandingStudy) -> Vec<Item> {
    let reference = Reference::new(1).unwrap();
    let mut items = Vec::new();
    for landing in 0..4 {
        let inputs = study.landing_inputs(landing);
        let states = trace(&reference, study, &inputs).unwrap().states;
        let touching = states.windows(2).filter(|pair| pair[1].wheels.iter().any(|wheel| wheel.normal_force > 0.0));
        items.extend(touching.step_by(37).take(25).map(|pair| ((inputs, pair[0].clone()), pair[1].clone())));
    }
    items
}

/// The first seconds of a study's landings.
fn study(name: &str) -> LandingStudy {
    let mut study = embedded_study(name).unwrap().unwrap();
    study.job.time_limit = 6.0;
    study
}

/// What a fault is planted with.
struct Body {
    step: f64,
    mass: f64,
    inertia: DMat3,
    /// In the middle of the step.
    place: DVec3,
    orientation: DQuat,
}

impl Body {
    fn new(study: &LandingStudy, (inputs, before): &(LandingInputs, LandingState)) -> Self {
        let (step, mass) = (study.job.step, inputs.get(Input::Mass));
        let Motion { position, orientation, velocity, rate } = before.motion;
        Self {
            step,
            mass,
            inertia: study.job.vehicle.inertia.tensor() * (mass / study.job.vehicle.mass),
            place: position + 0.5 * step * velocity,
            orientation: orientation * DQuat::from_scaled_axis(0.5 * step * rate),
        }
    }

    /// The moment of a force at a place, body axes \[N m\].
    fn moment(&self, place: DVec3, force: DVec3) -> DVec3 {
        let to_body = self.orientation.inverse();
        (to_body * (place - self.place)).cross(to_body * force)
    }

    /// Gives the body what a force and a moment more do to it in a step.
    fn push(&self, answer: &mut LandingState, force: DVec3, moment: DVec3) {
        let (linear, angular) = (force / self.mass, self.inertia.inverse() * moment);
        answer.acceleration.linear += linear;
        answer.acceleration.angular += angular;
        answer.motion.velocity += self.step * linear;
        answer.motion.rate += self.step * angular;
    }
}

/// A change of the end of a step.
type Fault = fn(&Body, &LandingState, &mut LandingState);

/// The wheel that is pressed most.
fn pressed(state: &LandingState) -> usize {
    (0..state.wheels.len())
        .max_by(|&a, &b| state.wheels[a].normal_force.total_cmp(&state.wheels[b].normal_force))
        .unwrap()
}

/// Adds a share of the force along the normal of the wheel that is pressed most, and what the body makes of it.
fn press(share: f64, body: &Body, answer: &mut LandingState) {
    let index = pressed(answer);
    let wheel = &mut answer.wheels[index];
    let force = share * wheel.normal_force * wheel.contact.normal.normalize();
    wheel.normal_force *= 1.0 + share;
    wheel.force += force;
    wheel.peak_force = wheel.peak_force.max(wheel.force.length());
    let moment = body.moment(wheel.application, force);
    body.push(answer, force, moment);
}

/// Faults, with the least share of the steps of each study in which they have to be noticed.
const FAULTS: [(&str, Fault, [f64; STUDIES.len()]); 8] = [
    ("a normal force 1 % too large", |body, _, answer| press(0.01, body, answer), [0.1, 0.8, 0.65, 0.85]),
    ("a normal force 2 % too small", |body, _, answer| press(-0.02, body, answer), [0.7, 0.9, 0.65, 0.85]),
    (
        "1 % of a wheel's force lost on its way to the body",
        |body, _, answer| {
            let force = answer.wheels[pressed(answer)].force;
            body.push(answer, -0.01 * force, DVec3::ZERO);
        },
        [0.95; STUDIES.len()],
    ),
    (
        "the moment of a wheel 1 % too large",
        |body, _, answer| {
            let wheel = &answer.wheels[pressed(answer)];
            let moment = 0.01 * body.moment(wheel.application, wheel.force);
            body.push(answer, DVec3::ZERO, moment);
        },
        [0.85, 0.7, 0.75, 0.85],
    ),
    (
        "angular acceleration 2 % too large",
        |body, _, answer| {
            let moment = body.inertia * answer.acceleration.angular;
            body.push(answer, DVec3::ZERO, 0.02 * moment);
        },
        [0.3, 0.6, 0.75, 0.8],
    ),
    (
        "a change of velocity 1 % too small",
        |_, before, answer| {
            let change = answer.motion.velocity - before.motion.velocity;
            answer.motion.velocity -= 0.01 * change;
        },
        [0.85, 0.7, 0.75, 0.85],
    ),
    (
        "a change of rate 2 % too large",
        |_, before, answer| {
            let change = answer.motion.rate - before.motion.rate;
            answer.motion.rate += 0.02 * change;
        },
        [0.85, 0.7, 0.75, 0.85],
    ),
    (
        "a velocity left as it was",
        |_, before, answer| answer.motion.velocity = before.motion.velocity,
        [0.9, 0.9, 0.75, 0.85],
    ),
];

const STUDIES: [&str; 4] = ["c172", "737", "gear", "reactions"];

/// The largest medians of bounds as shares of what they bound, in each study. A steady roll hardly changes rates.
const MOST: [[f64; BoundShares::NAMES.len()]; STUDIES.len()] = [
    [0.02, 0.03, 0.1, 10.0, 0.005, 1e-3],
    [0.006, 0.01, 0.06, 1.0, 0.005, 1e-3],
    [0.03, 0.07, 0.3, 4.0, 0.002, 1e-3],
    [0.003, 0.1, 0.7, 30.0, 0.002, 1e-3],
];

#[test]
fn faults_of_one_or_two_per_cent_are_noticed() {
    let reference = Reference::new(1).unwrap();
    for (number, name) in STUDIES.into_iter().enumerate() {
        let study = study(name);
        let judge = StepJudge::new(&study.job, &reference);
        let items = steps_in_contact(&study);
        assert!(items.len() > 40, "{name}: {} steps in contact", items.len());
        for (what, fault, least) in FAULTS {
            let is_noticed = |(item, truth): &&Item| {
                let mut answer = truth.clone();
                fault(&Body::new(&study, item), &item.1, &mut answer);
                judge.deviations(item, truth, &answer).largest().0 > 1.0
            };
            let noticed = items.iter().filter(is_noticed).count() as f64 / items.len() as f64;
            println!("{name}, {what}: noticed in {:.0} % of {} steps", 100.0 * noticed, items.len());
            assert!(noticed >= least[number], "{name}, {what}: noticed in {noticed} of the steps");
        }
    }
}

#[test]
fn bounds_are_far_below_what_they_bound() {
    let reference = Reference::new(1).unwrap();
    for (name, allowed) in STUDIES.into_iter().zip(MOST) {
        let study = study(name);
        let judge = StepJudge::new(&study.job, &reference);
        let mut bounds = BoundShares::default();
        for (item, truth) in steps_in_contact(&study) {
            bounds.extend(judge.shares(&item, &truth));
        }
        let [medians, most] = [0.5, 0.9].map(|share| bounds.quantile(share).unwrap());
        for (place, quantity) in BoundShares::NAMES.iter().enumerate() {
            println!("{name}, {quantity}: {:.1e}, 90 % {:.1e}", medians[place], most[place]);
            assert!(medians[place] <= allowed[place], "{name}, {quantity}: {}", medians[place]);
        }
    }
}
