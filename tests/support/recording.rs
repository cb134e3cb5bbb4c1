//! Landings written down step by step.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DQuat, DVec3};
use touchdown::engine::Engine;
use touchdown::query::{
    LandingEvent, LandingInputs, LandingJob, LandingOutcome, LandingStep, Observer, Ray, RayStatus, WheelState,
};
use touchdown::reference::{Reference, Tracer};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub position: DVec3,
    pub orientation: DQuat,
    pub velocity: DVec3,
    /// Body axes.
    pub rate: DVec3,
    pub broken: bool,
}

impl Pose {
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.position + self.orientation * point
    }
}

#[derive(Default)]
pub struct Recording {
    pub poses: Vec<Pose>,
    pub events: Vec<LandingEvent>,
}

impl Observer for Recording {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.poses.push(Pose {
            position: step.position,
            orientation: step.orientation,
            velocity: step.velocity,
            rate: step.rate,
            broken: step.wheels.iter().any(|wheel| wheel.contact.state == WheelState::Broken),
        });
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
    recording.poses.windows(2).enumerate().find_map(|(index, pair)| {
        let mut points = job.vehicle.structure.iter();
        let meets = |point: DVec3| {
            tracer.entry_point(&Ray::segment(pair[0].at(point), pair[1].at(point))).status == RayStatus::Hit
        };
        let struck = points.by_ref().map(|point| point.position).position(meets);
        struck.map(|point| (index + 2, point))
    })
}
