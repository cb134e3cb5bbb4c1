//! Why a landing cannot start.

use glam::DVec3;
use thiserror::Error;

use super::start::{LandingPlan, Start};
use crate::document::Unit;
use crate::query::{Input, LandingInputs, LandingJob, LandingPart, LandingState, Motion};
use crate::vehicle::{Vehicle, Wheel};

/// A part no deeper inside the scene than this at the start counts as standing on it \[m\]: rounding errors of
/// positions are a thousandth of this.
const DEEPEST: f64 = 1e-6;

/// Why a landing cannot start. Every engine then reports it as invalid.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StartFault {
    /// An input is out of range.
    #[error("{} {allowed}", input.name())]
    Input {
        /// The first such input.
        input: Input,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The airspeed is less than the wind across, the drift and the vertical speed take.
    #[error("airspeed is less than {least} m/s, which crosswind, drift and vertical speed take alone")]
    Airspeed {
        /// What these take \[m/s\].
        least: f64,
    },
    /// A part is inside the ground, or any other solid of the scene.
    #[error("{} starts {depth:.3} m deep in the ground, or in what stands there", numbered(*part))]
    Inside {
        /// The deepest one: a wheel, by the lowest point of its uncompressed spring, or a structural point.
        part: LandingPart,
        /// Lower bound of its depth \[m\].
        depth: f64,
    },
}

impl LandingState {
    /// The state in which a landing starts.
    ///
    /// # Errors
    /// If it cannot start: an input is invalid, the airspeed is less than what is across the runway, or a part of the vehicle is inside
    /// the scene.
    pub fn start(job: &LandingJob, inputs: &LandingInputs) -> Result<Self, StartFault> {
        valid_start(job, inputs).map(|start| Self::of_start(job, inputs, start))
    }

    /// The same with the plan of the landing, which follows from the same start: what is trimmed is trimmed once.
    ///
    /// # Errors
    /// As of [`Self::start`].
    pub fn start_with_plan(job: &LandingJob, inputs: &LandingInputs) -> Result<(Self, LandingPlan), StartFault> {
        let start = valid_start(job, inputs)?;
        let plan = LandingPlan::of_start(job, inputs, &start);
        Ok((Self::of_start(job, inputs, start), plan))
    }
}

/// How a landing starts that can.
fn valid_start(job: &LandingJob, inputs: &LandingInputs) -> Result<Start, StartFault> {
    if let Some((input, allowed)) = inputs.fault() {
        return Err(StartFault::Input { input, allowed });
    }
    let start = Start::new(job, inputs);
    if inputs.get(Input::Airspeed) < start.least_airspeed {
        return Err(StartFault::Airspeed { least: start.least_airspeed });
    }
    match deepest_part(job, &start.motion) {
        Some((part, depth)) => Err(StartFault::Inside { part, depth }),
        None => Ok(start),
    }
}

/// A part of a vehicle that is not at hand to name it.
fn numbered(part: LandingPart) -> String {
    match part {
        LandingPart::Wheel(number) => format!("wheel {number} (the first is 0)"),
        LandingPart::Structure(number) => format!("structural point {number} (the first is 0)"),
    }
}

/// The part deepest inside the scene; `None` if all are outside.
fn deepest_part(job: &LandingJob, motion: &Motion) -> Option<(LandingPart, f64)> {
    let to_world = motion.to_world();
    let wheels = job.vehicle.wheels.iter().map(Wheel::foot).zip(0..);
    let structure = job.vehicle.structure.iter().map(|point| point.position).zip(0..);
    // What is farther away than any part holds none of them: of an airport that is nearly all.
    let reach = wheels.clone().chain(structure.clone()).map(|(part, _)| part.length()).fold(0.0, f64::max);
    let near = job.scene.members_within(motion.position, reach + DEEPEST);
    let depth = |point: DVec3| -job.scene.clearance_of(&near, motion.position + to_world * point);
    wheels
        .map(|(foot, number)| (LandingPart::Wheel(number), depth(foot)))
        .chain(structure.map(|(point, number)| (LandingPart::Structure(number), depth(point))))
        // Also false for a NaN depth.
        .filter(|&(_, depth)| depth > DEEPEST)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
}

impl StartFault {
    /// In words, for the landing with these inputs.
    #[must_use]
    pub fn describe(&self, vehicle: &Vehicle, inputs: &LandingInputs) -> String {
        match *self {
            Self::Input { input, allowed } => {
                let (name, value) = (input.name(), input.unit().written(inputs.get(input)));
                format!("{name} = {value} {allowed}")
            }
            Self::Airspeed { least } => format!(
                "airspeed = {} is less than {}, which crosswind, drift and vertical speed take alone",
                Unit::Speed.written(inputs.get(Input::Airspeed)),
                Unit::Speed.written(least)
            ),
            Self::Inside { part, depth } => {
                let part = match part {
                    LandingPart::Wheel(number) => format!("wheel {}", vehicle.wheels[number as usize].name),
                    LandingPart::Structure(number) => {
                        format!("structural point {}", vehicle.structure[number as usize].name)
                    }
                };
                let [pitch, bank] = [Input::Pitch, Input::Bank].map(|input| inputs.get(input).to_degrees());
                format!(
                    "{part} starts {depth:.3} m deep in the ground, or in what stands there, at a pitch of {pitch:.2} deg, \
                     a bank of {bank:.2} deg and a height of {:.3} m, which is that of the lowest main wheel",
                    inputs.get(Input::Height)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_fails_is_an_error_that_says_why_without_the_vehicle() {
        for (fault, expected) in [
            (StartFault::Input { input: Input::Mass, allowed: "must be above 0" }, "mass must be above 0"),
            (
                StartFault::Airspeed { least: 12.5 },
                "airspeed is less than 12.5 m/s, which crosswind, drift and vertical speed take alone",
            ),
            (
                StartFault::Inside { part: LandingPart::Wheel(2), depth: 0.25 },
                "wheel 2 (the first is 0) starts 0.250 m deep in the ground, or in what stands there",
            ),
        ] {
            let error: Box<dyn std::error::Error> = Box::new(fault);
            assert_eq!(error.to_string(), expected);
        }
    }
}
