//! Bodies with initiators among moving targets: no step crosses a collision.
//!
//! A step is integrated with the collisions at its start, so that the integrator sees smooth forces. Then the
//! separations of all initiators from all surfaces are examined over the whole step (flag 3), and the step is cut just
//! after the first sign change. There the states are accepted (flag 1), and the next step has the resulting forces.
//! Steps also end at the ends of a surface that an initiator collides with: beyond them the contact is released.
//!
//! So at most one surface per initiator changes in a step, except for roots that f64 times cannot separate, and no
//! initiator can pass a target unnoticed, however fast. The search is not limited to the ends of steps: the rate of a
//! separation is bounded by the initiator's speed, from the step's polynomial, and the target's limits; where two
//! values of the same sign leave room for a root, the interval is refined ([`first_change`]). A point that enters a
//! target and leaves it within one step is detected unless it stays within half the resolution of the surface.
//!
//! Between accepted steps, trials (flag 2) at arbitrary times are possible.
//!
//! # Conventions
//! As in [`crate::query::Oriented`]. Time \[s\].
//!
//! # Example
//! A shot of 1 kg through the air at 100 m/s does not pass through a plate of 1 mm, however long the steps.
//! ```
//! # use touchdown_core as touchdown;
//! use glam::DVec2;
//! use touchdown::integrator::{Integrator, Tolerances};
//! use touchdown::oriented::{CollidingSystem, CollisionSimulation, Contact, MovingTarget};
//! use touchdown::query::ConvexTarget;
//! use touchdown::reference::Reference;
//!
//! struct Shot;
//! impl CollidingSystem for Shot {
//!     fn initiators(&self) -> usize {
//!         1
//!     }
//!     fn place(&self, state: &[f64], _initiator: usize) -> DVec2 {
//!         DVec2::new(state[0], state[1])
//!     }
//!     fn speed_limit(&self, rates: &[f64], _initiator: usize) -> f64 {
//!         rates[0].hypot(rates[1])
//!     }
//!     fn rates(&self, _time: f64, state: &[f64], contacts: &[Contact], rates: &mut [f64]) {
//!         let springs: DVec2 = contacts.iter().map(|contact| 1e7 * contact.depth() * contact.surface.normal).sum();
//!         rates.copy_from_slice(&[state[2], state[3], springs.x, springs.y]);
//!     }
//! }
//!
//! let corners = [(-1.0, 0.0), (-1.0, 0.001), (1.0, 0.001), (1.0, 0.0)];
//! let plate = MovingTarget::at_rest(ConvexTarget::new(corners.map(DVec2::from).to_vec())?);
//! let engine = Reference::new(1)?;
//! let start = Integrator::new(0.0, vec![0.0, 1.0, 0.0, -100.0], Tolerances::uniform(1e-9, 1e-9, 4))?;
//! let mut simulation = CollisionSimulation::new(&engine, Shot, vec![plate], start)?;
//! simulation.run(0.1)?;
//! assert!(simulation.state()[1] > 0.001 && (simulation.state()[3] - 100.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod motion;
mod watch;

use glam::DVec2;
use thiserror::Error;

pub use motion::{MotionLimits, MovingTarget, Pose};
pub use watch::{Border, Crossing};

use super::{CollisionTracker, TrackError};
use crate::integrator::{Integrator, IntegratorError, System, first_change};
use crate::job::Computes;
use crate::query::{ConvexTarget, Oriented, TargetError, TargetSurface};
use watch::Borders;

/// The bodies: any dynamics with points that may collide.
pub trait CollidingSystem {
    /// Number of initiators.
    fn initiators(&self) -> usize;

    /// Position of an initiator \[m\].
    fn place(&self, state: &[f64], initiator: usize) -> DVec2;

    /// A bound on an initiator's speed \[m/s\] given bounds on the rates of all state components.
    fn speed_limit(&self, rates: &[f64], initiator: usize) -> f64;

    /// Writes the rates of all state components. `contacts` are the collisions at the start of the step, evaluated at
    /// this time and state: forces may depend smoothly on them, and on the state.
    fn rates(&self, time: f64, state: &[f64], contacts: &[Contact], rates: &mut [f64]);
}

/// An initiator that collides with a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Index of the initiator.
    pub initiator: usize,
    /// Index of the target.
    pub target: usize,
    /// The surface at its current position: the one selected by the tie break, if several lost separation at once.
    pub surface: TargetSurface,
    /// Separation of the initiator \[m\]: not positive, except by rounding and by what a step overshoots the end of a
    /// contact.
    pub separation: f64,
    /// Velocity of the target's material point at the initiator \[m/s\].
    pub velocity: DVec2,
}

impl Contact {
    /// Penetration depth \[m\].
    #[must_use]
    pub fn depth(&self) -> f64 {
        -self.separation
    }
}

/// Why a simulation cannot continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// There is no further step.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// There are no collision states.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A target that its motion makes invalid.
    #[error("target {target} at {time} s: {cause}")]
    Target {
        /// Index of the target.
        target: usize,
        /// When \[s\].
        time: f64,
        /// What is wrong with it.
        cause: TargetError,
    },
    /// A target that exceeds its motion limits.
    #[error("target {target} at {time} s: {what} is {value}, and its limit {limit}")]
    Limit {
        /// Index of the target.
        target: usize,
        /// When \[s\].
        time: f64,
        /// Which rate.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its limit.
        limit: f64,
    },
}

/// Separations that change sign twice within a step and stay within half of this \[m\] in between may be missed.
pub const RESOLUTION: f64 = 1e-6;

/// A system of initiators and its targets.
pub struct CollisionSimulation<'a, S, E: ?Sized> {
    engine: &'a E,
    system: S,
    targets: Vec<MovingTarget<'a>>,
    integrator: Integrator,
    tracker: CollisionTracker,
}

impl<'a, S: CollidingSystem, E: Computes<Oriented> + ?Sized> CollisionSimulation<'a, S, E> {
    /// Starts at the integrator's time and state, without collisions (flag 0). The engine should compute in f64, as
    /// root finding does: one in f32 sees the far side of a root only if that exceeds its own rounding.
    ///
    /// # Errors
    /// If a target or an initiator is beyond the limits, or the engine fails.
    pub fn new(
        engine: &'a E,
        system: S,
        targets: Vec<MovingTarget<'a>>,
        integrator: Integrator,
    ) -> Result<Self, SimulationError> {
        let shapes = targets_at(&targets, integrator.time())?;
        let tracker = CollisionTracker::initialise(engine, shapes, places(&system, integrator.state()))?;
        Ok(Self { engine, system, targets, integrator, tracker })
    }

    /// The time of the last accepted step \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.integrator.time()
    }

    /// The last accepted state.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        self.integrator.state()
    }

    /// The integrator.
    #[must_use]
    pub fn integrator(&self) -> &Integrator {
        &self.integrator
    }

    /// Collision states of the last accepted step, for trials.
    #[must_use]
    pub fn tracker(&self) -> &CollisionTracker {
        &self.tracker
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[MovingTarget<'a>] {
        &self.targets
    }

    /// The bodies.
    #[must_use]
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The collisions of the last accepted step.
    #[must_use]
    pub fn contacts(&self) -> Vec<Contact> {
        self.frozen().contacts(self.time(), self.state())
    }

    /// One step, ending at `until` \[s\] at the latest: integrates it, cuts it after the first border reached, and
    /// accepts it. Returns the borders reached: none, one, or several crossed at once.
    ///
    /// # Errors
    /// If the integrator, a target or the engine fails; the step is then not accepted.
    pub fn step(&mut self, until: f64) -> Result<Vec<Crossing>, SimulationError> {
        // A proposal changes only the guess of the next step size.
        let mut integrator = self.integrator.clone();
        let step = integrator.propose(&self.frozen(), until)?;
        let borders = Borders::new(&self.system, &self.targets, &self.tracker, &step);
        let change = first_change(&borders, [step.from(), step.to()], RESOLUTION);
        let crossings = change.iter().flat_map(|change| &change.functions).map(|&number| borders.crossing(number));
        let crossings: Vec<Crossing> = crossings.collect();
        integrator.accept(&step, change.as_ref().map_or(step.to(), |change| change.at));
        let shapes = targets_at(&self.targets, integrator.time())?;
        self.tracker.accept(self.engine, shapes, places(&self.system, integrator.state()))?;
        self.integrator = integrator;
        Ok(crossings)
    }

    /// Steps to a time \[s\]. Returns the number of steps.
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    pub fn run(&mut self, until: f64) -> Result<u64, SimulationError> {
        let mut steps = 0;
        while self.time() < until {
            self.step(until)?;
            steps += 1;
        }
        Ok(steps)
    }

    fn frozen(&self) -> Frozen<'_, S> {
        let initiators = self.system.initiators();
        let colliding = self.tracker.configurations().iter().enumerate().filter_map(|(pair, configuration)| {
            let surfaces = configuration.collision_last;
            (surfaces != 0).then(|| (pair / initiators, pair % initiators, surfaces.trailing_zeros() as usize))
        });
        Frozen { system: &self.system, targets: &self.targets, colliding: colliding.collect() }
    }
}

/// The system with a fixed set of collisions.
struct Frozen<'a, S> {
    system: &'a S,
    targets: &'a [MovingTarget<'a>],
    /// Target, initiator and surface.
    colliding: Vec<(usize, usize, usize)>,
}

impl<S: CollidingSystem> Frozen<'_, S> {
    fn contacts(&self, time: f64, state: &[f64]) -> Vec<Contact> {
        let contact = |&(target, initiator, surface): &(usize, usize, usize)| {
            let place = self.system.place(state, initiator);
            let pose = self.targets[target].pose(time);
            let surface = self.targets[target].surface(&pose, surface);
            let (separation, velocity) = (surface.separation(place), pose.velocity_at(place));
            Contact { initiator, target, surface, separation, velocity }
        };
        self.colliding.iter().map(contact).collect()
    }
}

impl<S: CollidingSystem> System for Frozen<'_, S> {
    fn rates(&self, time: f64, state: &[f64], rates: &mut [f64]) {
        self.system.rates(time, state, &self.contacts(time, state), rates);
    }
}

fn places<S: CollidingSystem>(system: &S, state: &[f64]) -> Vec<DVec2> {
    (0..system.initiators()).map(|initiator| system.place(state, initiator)).collect()
}

/// All targets at a time, checked against their limits.
fn targets_at(targets: &[MovingTarget<'_>], time: f64) -> Result<Vec<ConvexTarget>, SimulationError> {
    let at = |(target, moving): (usize, &MovingTarget<'_>)| {
        let (pose, limits) = (moving.pose(time), moving.limits());
        for (what, value, limit) in [
            ("its speed", pose.velocity.length(), limits.speed),
            ("its angular rate", pose.angular_rate.abs(), limits.angular_rate),
        ] {
            // Who has the greatest rate for the limit may come out above it by rounding.
            if value.is_nan() || value > limit * (1.0 + 1e-12) {
                return Err(SimulationError::Limit { target, time, what, value, limit });
            }
        }
        moving.at(time).map_err(|cause| SimulationError::Target { target, time, cause })
    };
    targets.iter().enumerate().map(at).collect()
}
