//! Borders that a step of a simulation must not cross.

use super::{CollidingSystem, MovingTarget, Pose};
use crate::integrator::{Step, Watch};
use crate::oriented::CollisionTracker;

/// A function of time that relates an initiator to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// The separation.
    Separation,
    /// Distance of the initiator before the start of the surface. Monitored while it collides with the surface.
    Start,
    /// Distance of the initiator beyond the end of the surface. Monitored while it collides with the surface.
    End,
}

/// A border reached by a step, which ends just after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Index of the target.
    pub target: usize,
    /// Index of the initiator.
    pub initiator: usize,
    /// Index of the target's surface.
    pub surface: usize,
    /// Which function changed sign.
    pub border: Border,
}

/// All borders over a proposed step.
pub(super) struct Borders<'a, S> {
    system: &'a S,
    targets: &'a [MovingTarget<'a>],
    step: &'a Step,
    watched: Vec<Crossing>,
    /// Of each pair \[m/s\]: no point of the initiator's path is faster relative to the target, as that turns.
    speeds: Vec<f64>,
}

impl<'a, S: CollidingSystem> Borders<'a, S> {
    pub fn new(system: &'a S, targets: &'a [MovingTarget<'a>], tracker: &CollisionTracker, step: &'a Step) -> Self {
        let initiators = tracker.initiators();
        let rates: Vec<f64> = (0..step.components()).map(|component| step.rate_limit(component)).collect();
        let own: Vec<f64> = (0..initiators.len()).map(|initiator| system.speed_limit(&rates, initiator)).collect();
        let (mut watched, mut speeds) = (Vec::new(), Vec::new());
        let mut configurations = tracker.configurations().iter();
        for (number, target) in targets.iter().enumerate() {
            let (pose, limits) = (target.pose(step.from()), target.limits());
            for (initiator, place) in initiators.iter().enumerate() {
                let speed = own[initiator] + limits.speed;
                let farthest = place.distance(pose.position) + speed * (step.to() - step.from());
                speeds.push(speed + limits.angular_rate * farthest);
                let collision = configurations.next().map_or(0, |it| it.collision | it.collision_last);
                for surface in 0..target.surfaces() {
                    let crossing = |border| Crossing { target: number, initiator, surface, border };
                    watched.push(crossing(Border::Separation));
                    if collision >> surface & 1 == 1 {
                        watched.extend([Border::Start, Border::End].map(crossing));
                    }
                }
            }
        }
        Self { system, targets, step, watched, speeds }
    }

    pub fn crossing(&self, number: usize) -> Crossing {
        self.watched[number]
    }
}

impl<S: CollidingSystem> Watch for Borders<'_, S> {
    fn count(&self) -> usize {
        self.watched.len()
    }

    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
        let state = self.step.at(time);
        let poses: Vec<Pose> = self.targets.iter().map(|target| target.pose(time)).collect();
        let value = |&number: &usize| {
            let Crossing { target, initiator, surface, border } = self.watched[number];
            let surface = self.targets[target].surface(&poses[target], surface);
            let place = self.system.place(&state, initiator);
            match border {
                Border::Separation => surface.separation(place),
                // Not positive on the surface, as the configuration has it.
                Border::Start => -surface.along.dot(place - surface.start),
                Border::End => surface.along.dot(place - surface.end),
            }
        };
        numbers.iter().map(value).collect()
    }

    fn rate_limit(&self, number: usize) -> f64 {
        let Crossing { target, initiator, .. } = self.watched[number];
        self.speeds[target * (self.speeds.len() / self.targets.len()) + initiator]
    }
}
