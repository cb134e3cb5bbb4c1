//! Collisions over many steps, for integrators that may reject a step (docs/oriented.md).
//!
//! ```text
//! initialise --> [trial, separations, ...] --> accept --> [trial, separations, ...] --> accept ...
//! ```
//!
//! The four calls correspond to the flags of the method's paper: 0 initialise, 1 accept, 2 trial, 3 separations. Only
//! the first two change the state.
//!
//! # Conventions
//! As in [`crate::query::Oriented`]. Every initiator is tested against every target: pairs are ordered by target, then
//! by initiator.
//!
//! # Example
//! A point passes into a thin plate from above. Minimum translation would push it on downwards; the collision is with
//! surface 1, the upper one.
//! ```
//! # use touchdown_core as touchdown;
//! use glam::DVec2;
//! use touchdown::oriented::CollisionTracker;
//! use touchdown::query::ConvexTarget;
//! use touchdown::reference::Reference;
//!
//! let corners = [(-1.0, 0.0), (-1.0, 0.1), (1.0, 0.1), (1.0, 0.0)];
//! let plate = vec![ConvexTarget::new(corners.map(DVec2::from).to_vec())?];
//! let engine = Reference::new(1)?;
//! let mut tracker = CollisionTracker::initialise(&engine, plate.clone(), vec![DVec2::new(0.0, 0.2)])?;
//! let inside = tracker.accept(&engine, plate, vec![DVec2::new(0.0, 0.02)])?[0];
//! assert_eq!((inside.collision, inside.minimum_translation), (1 << 1, Some(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod picture;
mod simulation;

use thiserror::Error;

pub use picture::Scenes;
pub use simulation::{
    Border, CollidingSystem, CollisionSimulation, Contact, Crossing, MotionLimits, MovingTarget, Pose, RESOLUTION,
    SimulationError,
};

use crate::engine::EngineError;
use crate::job::{Compute, Computes};
use crate::query::{
    ConvexTarget, InitiatorMotion, MAX_PLANAR_COORDINATE, Oriented, OrientedConfiguration, OrientedStatus,
    OrientedTarget, TargetMotions,
};

/// Why there are no collision states.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrackError {
    /// A different number of targets than before.
    #[error("there are {found} targets, or some with other numbers of surfaces; {expected} were initialised")]
    Targets {
        /// Number initialised.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A different number of initiators than before.
    #[error("there are {found} initiators; {expected} were initialised")]
    Initiators {
        /// Number initialised.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A coordinate beyond the limit, or not a number.
    #[error("initiator {initiator}: {place} is beyond {MAX_PLANAR_COORDINATE:e} m")]
    Place {
        /// Index of the initiator.
        initiator: usize,
        /// Its position \[m\].
        place: String,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Targets and initiators with their reference states, in the plane or, with
/// [`ConvexPolyhedron`](crate::query::ConvexPolyhedron), in space.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionTracker<T: OrientedTarget = ConvexTarget> {
    targets: Vec<T>,
    initiators: Vec<T::Place>,
    configurations: Vec<OrientedConfiguration>,
}

impl<T: OrientedTarget> CollisionTracker<T> {
    /// Flag 0: the initial states, without collisions.
    ///
    /// # Errors
    /// If an initiator is invalid or the engine fails.
    pub fn initialise<E: Computes<Oriented<T>> + ?Sized>(
        engine: &E,
        targets: Vec<T>,
        initiators: Vec<T::Place>,
    ) -> Result<Self, TrackError> {
        let motions = pairs(targets.len(), &initiators, &initiators, |_| None);
        let configurations = configurations(engine, TargetMotions::at_rest(&targets), &initiators, &motions)?;
        Ok(Self { targets, initiators, configurations })
    }

    /// The reference states: those of the last accepted step.
    #[must_use]
    pub fn configurations(&self) -> &[OrientedConfiguration] {
        &self.configurations
    }

    /// Positions of the initiators in the last accepted step \[m\].
    #[must_use]
    pub fn initiators(&self) -> &[T::Place] {
        &self.initiators
    }

    /// Flag 1: accepts a step. Its states become the references.
    ///
    /// # Errors
    /// If targets or initiators changed in number, an initiator is invalid or the engine fails; the tracker is then
    /// unchanged.
    pub fn accept<E: Computes<Oriented<T>> + ?Sized>(
        &mut self,
        engine: &E,
        targets: Vec<T>,
        initiators: Vec<T::Place>,
    ) -> Result<&[OrientedConfiguration], TrackError> {
        let configurations = self.trial(engine, &targets, &initiators)?;
        *self = Self { targets, initiators, configurations };
        Ok(&self.configurations)
    }

    /// Flag 2: the states of a step that may still be rejected. Changes nothing.
    ///
    /// # Errors
    /// As for [`accept`](Self::accept).
    pub fn trial<E: Computes<Oriented<T>> + ?Sized>(
        &self,
        engine: &E,
        targets: &[T],
        initiators: &[T::Place],
    ) -> Result<Vec<OrientedConfiguration>, TrackError> {
        if !self.targets.iter().map(T::surface_count).eq(targets.iter().map(T::surface_count)) {
            return Err(TrackError::Targets { expected: self.targets.len(), found: targets.len() });
        }
        if initiators.len() != self.initiators.len() {
            return Err(TrackError::Initiators { expected: self.initiators.len(), found: initiators.len() });
        }
        let motions = pairs(targets.len(), &self.initiators, initiators, |pair| Some(self.configurations[pair]));
        configurations(engine, TargetMotions { reference: &self.targets, current: targets }, initiators, &motions)
    }

    /// Flag 3: the separation of every pair on each surface \[m\] (eq. 6), pair by pair: functions of time at whose
    /// roots steps should end. Independent of references.
    pub fn separations<'a>(targets: &'a [T], initiators: &'a [T::Place]) -> impl Iterator<Item = f64> + 'a {
        targets.iter().flat_map(move |target| {
            let of = move |&place| (0..target.surface_count()).map(move |i| target.standing(i, place).separation);
            initiators.iter().flat_map(of)
        })
    }
}

/// All pairs of targets and initiators.
fn pairs<P: Copy>(
    targets: usize,
    from: &[P],
    to: &[P],
    reference: impl Fn(usize) -> Option<OrientedConfiguration>,
) -> Vec<InitiatorMotion<P>> {
    let of_target = |target: usize| (0..to.len()).map(move |initiator| (target, initiator));
    let motion = |(target, initiator): (usize, usize)| InitiatorMotion {
        target: target as u32,
        from: from[initiator],
        to: to[initiator],
        reference: reference(target * to.len() + initiator),
    };
    (0..targets).flat_map(of_target).map(motion).collect()
}

fn configurations<T: OrientedTarget, E: Computes<Oriented<T>> + ?Sized>(
    engine: &E,
    targets: TargetMotions<'_, T>,
    initiators: &[T::Place],
    motions: &[InitiatorMotion<T::Place>],
) -> Result<Vec<OrientedConfiguration>, TrackError> {
    let answers = engine.compute::<Oriented<T>>(targets, motions)?;
    if answers.len() != motions.len() {
        return Err(EngineError::Incomplete { asked: motions.len(), got: answers.len() }.into());
    }
    // All else has been looked at: what is left is where initiators are.
    match answers.iter().position(|answer| answer.status == OrientedStatus::BadInput) {
        None => Ok(answers.into_iter().map(|answer| answer.configuration).collect()),
        Some(pair) => {
            let initiator = pair % initiators.len();
            Err(TrackError::Place { initiator, place: initiators[initiator].to_string() })
        }
    }
}
