//! Wheels moved through frames: a run in each lane, and the next run takes the lane of one that has ended.

use std::ops::Range;

use glam::DVec3;

use super::Native;
use super::ground_query::Ground;
use super::rotation::Quaternions;
use super::wheel::{Footing, Frames, Planes, Wheels};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::parallel;
use crate::query::{self, WheelContact, WheelFrame, WheelParameters, WheelStep};
use crate::scene::Scene;
use crate::simd::{DVec3x8, F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Runs of wheels that one thread takes at a time: enough that lanes seldom idle at their end.
const RUNS_PER_TASK: usize = 64;

impl Computes<query::Wheels> for Native {
    fn answers(
        &self,
        (scene, parameters): (&Scene, &WheelParameters),
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        let index = self.index(scene);
        let ground = &Ground::new(&index);
        let led = |range: Range<usize>| in_registers(Runs { ground, parameters, runs: &runs[range] });
        Ok(self.pool.install(|| parallel::flat_map_ranges(runs.len(), RUNS_PER_TASK, led)))
    }
}

/// Wheels that one thread leads.
struct Runs<'r, 'g> {
    ground: &'r Ground<'g>,
    parameters: &'r WheelParameters,
    runs: &'r [Vec<WheelFrame>],
}

impl InRegisters for Runs<'_, '_> {
    type Output = Vec<Vec<WheelStep>>;
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { ground, parameters, runs } = self;
        let mut results: Vec<Vec<WheelStep>> = runs.iter().map(|frames| Vec::with_capacity(frames.len())).collect();
        let mut waiting = (0..runs.len()).filter(|&run| !runs[run].is_empty());
        let mut wheels = Wheels::in_air(simd);
        let mut frames = EightFrames::at_rest(simd);
        let mut under_way: [Option<usize>; LANES] = [None; LANES];
        let in_air = WheelStep::without_force(WheelContact::FREE, DVec3::ZERO);
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
            if under_way.iter().all(Option::is_none) {
                return results;
            }
            let lanes = Mask8::from_array(simd, under_way.map(|run| run.is_some()));
            at_full_width(simd, Step { wheels: &mut wheels, ground, parameters, frames: &frames, lanes });
            for (lane, run) in under_way.into_iter().enumerate() {
                if let Some(run) = run {
                    results[run].push(wheels.get(lane));
                }
            }
        }
    }
}

/// One step of eight wheels.
struct Step<'w, 'g, S: Simd> {
    wheels: &'w mut Wheels<S>,
    ground: &'w Ground<'g>,
    parameters: &'w WheelParameters,
    frames: &'w EightFrames<S>,
    lanes: Mask8<S>,
}

impl<S: Simd> Vectorized for Step<'_, '_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let frames = self.frames.frames();
        let friction_scale = frames.brake.like(1.0);
        let planes = Planes::none(friction_scale.simd());
        let footing = Footing { in_scene: self.lanes, planes: &planes, settles: false };
        let lanes = (self.lanes, self.lanes);
        self.wheels.advance((self.ground, &footing), self.parameters, &frames, friction_scale, lanes);
    }
}

/// Frames of eight runs.
struct EightFrames<S: Simd> {
    origin: DVec3x8<S>,
    orientation: Quaternions<S>,
    velocity: DVec3x8<S>,
    brake: F64x8<S>,
    brake_friction: F64x8<S>,
}

impl<S: Simd> EightFrames<S> {
    fn at_rest(simd: S) -> Self {
        let zero = DVec3x8::zero(simd);
        Self {
            origin: zero,
            orientation: Quaternions::identity(simd),
            velocity: zero,
            brake: zero.x,
            brake_friction: zero.x,
        }
    }

    fn set(&mut self, lane: usize, frame: &WheelFrame) {
        let WheelFrame { origin, orientation, velocity, brake, brake_friction } = *frame;
        self.origin.set(lane, origin);
        self.orientation.set(lane, orientation);
        self.velocity.set(lane, velocity);
        self.brake.set(lane, brake);
        self.brake_friction.set(lane, brake_friction);
    }

    #[inline(always)]
    fn frames(&self) -> Frames<S> {
        let Self { origin, orientation, velocity, brake, brake_friction } = *self;
        Frames { origin, to_world: orientation.matrices(), velocity, brake, brake_friction }
    }
}
