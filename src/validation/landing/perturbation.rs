//! States displaced by the error of one step: if the judge decides differently from one of them, rounding may decide
//! either way.

use glam::{DQuat, DVec3};

use super::bound::StepBound;
use crate::query::{Gusts, Input, LandingInputs, LandingState};
use crate::validation::draws::{Draws, Purpose};
use crate::validation::steps::TRIALS;

/// Relative error of numbers that a step multiplies by: friction, braking strength.
const FACTOR_ERROR: f64 = 32.0 / (1 << 24) as f64;

/// The same step with every number displaced by `share` of its bound, up or down at random: a function of the state's
/// step, the seed and the trial.
pub(super) fn perturbed(
    (inputs, state): &(LandingInputs, LandingState),
    bound: &StepBound,
    share: f64,
    seed: u64,
    trial: u64,
) -> (LandingInputs, LandingState) {
    let mut draws = Draws::new(seed, Purpose::Displacement, state.step * TRIALS + trial);
    let mut by = |size: f64| draws.sign() * share * size;
    let mut vector = |size: f64| DVec3::new(by(size), by(size), by(size));

    let mut state = state.clone();
    let motion = &mut state.motion;
    motion.position += vector(bound.position);
    motion.velocity += vector(bound.velocity);
    motion.rate += vector(bound.rate);
    motion.orientation = (motion.orientation * DQuat::from_scaled_axis(vector(bound.orientation))).normalize();
    state.acceleration.linear += vector(bound.acceleration);
    state.acceleration.angular += vector(bound.angular_acceleration);
    for (wheel, bound) in state.wheels.iter_mut().zip(&bound.wheels) {
        // The error of the pebble's place in the wheel, as a step meets it.
        wheel.contact.pebble += vector(bound.compression);
        let length = wheel.contact.normal.length();
        wheel.contact.normal += vector(FACTOR_ERROR * length);
    }
    let mut factor = || 1.0 + by(FACTOR_ERROR);
    for wheel in &mut state.wheels {
        wheel.friction *= factor();
        wheel.normal_force *= factor();
    }
    let mut inputs = *inputs;
    inputs.set(Input::FrictionScale, inputs.get(Input::FrictionScale) * factor());
    state.pilot.pedal = (state.pilot.pedal + by(bound.pedal)).clamp(0.0, 1.0);
    state.pilot.last_speed += by(bound.last_speed);
    state.pilot.thrust += by(bound.thrust);
    state.pilot.sink_integral += by(bound.sink_integral);
    state.gusts = Gusts::of_numbers(state.gusts.numbers().map(|gust| gust + by(bound.gusts)));
    // From which JSBSim's ground reactions begin to seek their friction.
    for (wheel, bound) in state.wheels.iter_mut().zip(&bound.wheels) {
        wheel.force += DVec3::from_array([0; 3].map(|_| by(bound.force)));
    }
    (inputs, state)
}
