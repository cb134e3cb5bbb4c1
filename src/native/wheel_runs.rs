//! Wheels led through frames: a run in each lane, and the next run takes the lane of one that has ended.

use super::rotation::{Matrices, Quaternions};
use super::wheel::{Frames, Ground, Wheels};
use crate::lanes::{LANES, Lanes, Lanes3, Mask, Vectorized, vectorized};
use crate::query::{WheelContact, WheelFrame, WheelParameters, WheelStep};

/// Leads each wheel, which starts in the air, through its frames.
pub(super) fn run(ground: &Ground<'_>, parameters: &WheelParameters, runs: &[Vec<WheelFrame>]) -> Vec<Vec<WheelStep>> {
    let mut results: Vec<Vec<WheelStep>> = runs.iter().map(|frames| Vec::with_capacity(frames.len())).collect();
    let mut waiting = (0..runs.len()).filter(|&run| !runs[run].is_empty());
    let mut wheels = Wheels::FREE;
    let mut frames = EightFrames::AT_REST;
    let mut under_way: [Option<usize>; LANES] = [None; LANES];
    let in_air = WheelStep::without_force(WheelContact::FREE, glam::DVec3::ZERO);
    loop {
        for (lane, run) in under_way.iter_mut().enumerate() {
            if run.is_none_or(|run| results[run].len() == runs[run].len()) {
                *run = waiting.next();
                wheels.set(lane, &in_air, ground);
            }
            if let Some(run) = *run {
                frames.set(lane, &runs[run][results[run].len()]);
            }
        }
        let lanes = Mask::from_fn(|lane| under_way[lane].is_some());
        if !lanes.any() {
            return results;
        }
        vectorized(Step { wheels: &mut wheels, ground, parameters, frames: &frames, lanes });
        for (lane, run) in under_way.into_iter().enumerate() {
            if let Some(run) = run {
                results[run].push(wheels.get(lane));
            }
        }
    }
}

/// Frames of eight runs.
struct EightFrames {
    origin: Lanes3,
    orientation: Quaternions,
    velocity: Lanes3,
    brake: Lanes,
}

impl EightFrames {
    const AT_REST: Self =
        Self { origin: Lanes3::ZERO, orientation: Quaternions::IDENTITY, velocity: Lanes3::ZERO, brake: Lanes::ZERO };

    fn set(&mut self, lane: usize, frame: &WheelFrame) {
        let WheelFrame { origin, orientation, velocity, brake } = *frame;
        self.origin.set(lane, origin);
        self.orientation.set(lane, orientation);
        self.velocity.set(lane, velocity);
        self.brake.0[lane] = brake;
    }
}

/// One step of eight wheels.
struct Step<'w, 'g> {
    wheels: &'w mut Wheels,
    ground: &'w Ground<'g>,
    parameters: &'w WheelParameters,
    frames: &'w EightFrames,
    lanes: Mask,
}

impl Vectorized for Step<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let EightFrames { origin, orientation, velocity, brake } = *self.frames;
        let to_world: Matrices = orientation.matrices();
        let frames = Frames { origin, to_world, velocity, brake };
        self.wheels.advance(self.ground, self.parameters, &frames, Lanes::splat(1.0), self.lanes);
    }
}
