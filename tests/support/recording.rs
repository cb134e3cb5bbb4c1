//! Landings written down step by step.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::query::{
    LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingState, LandingStep, Motion, Observer, Ray,
    RayStatus,
};
use touchdown::reference::{Reference, Tracer};

#[derive(Default)]
pub struct Recording {
    /// The state after each step.
    pub states: Vec<LandingState>,
    pub events: Vec<LandingEvent>,
}

impl Recording {
    pub fn motions(&self) -> impl Iterator<Item = &Motion> {
        self.states.iter().map(|state| &state.motion)
    }
}

impl Observer for Recording {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.states.push(step.state.clone());
    }

    fn event(&mut self, _: f64, event: LandingEvent) {
        self.events.push(event);
    }
}

/// One landing with all its steps.
pub fn record(job: &LandingJob, inputs: &LandingInputs) -> (LandingOutcome, Recording) {
    let mut recording = Recording::default();
    let outcome = Reference::new(1).unwrap().trace_landing(job, inputs, &mut recording).unwrap();
    (outcome, recording)
}

/// The first step, counted from 1, in which a structural point meets the scene, and the point; every point is swept in
/// every step but the first, whose start is not recorded.
pub fn brute_sweep(job: &LandingJob, recording: &Recording) -> Option<(usize, usize)> {
    let tracer = Tracer::new(&job.scene);
    let at = |motion: &Motion, point: DVec3| motion.position + motion.orientation * point;
    recording.states.windows(2).enumerate().find_map(|(index, pair)| {
        let mut points = job.vehicle.structure.iter();
        let meets = |point: DVec3| {
            let way = Ray::segment(at(&pair[0].motion, point), at(&pair[1].motion, point));
            tracer.entry_point(&way).status == RayStatus::Hit
        };
        let struck = points.by_ref().map(|point| point.position).position(meets);
        struck.map(|point| (index + 2, point))
    })
}
