//! Bodies of initiators among moving targets: no step crosses a collision.
//!
//! A step is integrated as if nothing collided with other surfaces than at its begin, so that what the integrator sees is
//! smooth. Then the separations of all initiators from all surfaces are looked at over the whole step (flag 3), and the step
//! is cut just after the first that changes its sign. There the configurations are accepted (flag 1), and the next step has
//! the forces that follow from them. The borders of a surface that an initiator collides with end steps too: beyond them it
//! lets go.
//!
//! So at most one surface per initiator changes in a step, but for roots that no time in f64 tells apart, and however fast an
//! initiator is it cannot pass a target unnoticed. What is searched is not the ends of steps alone: the rate of a separation
//! is at most the initiator's speed, which the step's polynomial bounds, and the target's limits; where two values of one
//! sign leave room for a root, there is looked closer ([`first_change`]). A point that goes into a target and out again within
//! one step is found unless it stays within half the resolution of the surface.
//!
//! Between accepted steps the tracker may be asked for trials (flag 2) at any times.
//!
//! # Conventions
//! As in [`crate::query::Oriented`]. Time \[s\].
//!
//! # Example
//! A shot of 1 kg through the air at 100 m/s does not pass a plate of 1 mm, however long steps are.
//! ```
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
    /// How many initiators there are.
    fn initiators(&self) -> usize;

    /// Where an initiator is \[m\].
    fn place(&self, state: &[f64], initiator: usize) -> DVec2;

    /// A bound of an initiator's speed \[m/s\] while no component of the state has a rate of a greater magnitude than these.
    fn speed_limit(&self, rates: &[f64], initiator: usize) -> f64;

    /// Writes the rates of all components of the state. `contacts` are the collisions at the begin of the step, as they are at
    /// this time and state: forces may depend on them, and on the state, smoothly.
    fn rates(&self, time: f64, state: &[f64], contacts: &[Contact], rates: &mut [f64]);
}

/// An initiator that collides with a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Number of the initiator.
    pub initiator: usize,
    /// Number of the target.
    pub target: usize,
    /// The surface, where it is now: the one of the tie break, where several lost separation at one time.
    pub surface: TargetSurface,
    /// Separation of the initiator \[m\]: not positive, but for rounding and what a step goes beyond the end of a contact.
    pub separation: f64,
    /// Velocity of what is fixed to the target where the initiator is \[m/s\].
    pub velocity: DVec2,
}

impl Contact {
    /// How far the initiator is behind the surface \[m\].
    #[must_use]
    pub fn depth(&self) -> f64 {
        -self.separation
    }
}

/// Why a simulation does not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// There is no step.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// There are no configurations.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A target cannot be where its motion has it.
    #[error("target {target} at {time} s: {cause}")]
    Target {
        /// Number of the target.
        target: usize,
        /// When \[s\].
        time: f64,
        /// What is wrong with it.
        cause: TargetError,
    },
    /// A target that is faster than it says.
    #[error("target {target} at {time} s: {what} is {value}, and its limit {limit}")]
    Limit {
        /// Number of the target.
        target: usize,
        /// When \[s\].
        time: f64,
        /// Which rate.
        what: &'static str,
        /// How great it is.
        value: f64,
        /// How great it may be.
        limit: f64,
    },
}

/// Separations that change their sign twice within a step and stay within half of this \[m\] in between may be missed.
pub const DEFAULT_RESOLUTION: f64 = 1e-6;

/// A system of initiators and the targets it meets.
pub struct CollisionSimulation<'a, S, E: ?Sized> {
    engine: &'a E,
    system: S,
    targets: Vec<MovingTarget<'a>>,
    integrator: Integrator,
    tracker: CollisionTracker,
    resolution: f64,
}

impl<'a, S: CollidingSystem, E: Computes<Oriented> + ?Sized> CollisionSimulation<'a, S, E> {
    /// Begins at the integrator's time and state, without collisions (flag 0). The engine should compute in f64, as what ends
    /// steps does: one in f32 sees the far side of a root only where that is farther off than its own rounding.
    ///
    /// # Errors
    /// When a target or an initiator is beyond the limits, or the engine fails.
    pub fn new(
        engine: &'a E,
        system: S,
        targets: Vec<MovingTarget<'a>>,
        integrator: Integrator,
    ) -> Result<Self, SimulationError> {
        let shapes = targets_at(&targets, integrator.time())?;
        let tracker = CollisionTracker::initialise(engine, shapes, places(&system, integrator.state()))?;
        Ok(Self { engine, system, targets, integrator, tracker, resolution: DEFAULT_RESOLUTION })
    }

    /// With another resolution than [`DEFAULT_RESOLUTION`] \[m\].
    #[must_use]
    pub fn with_resolution(self, resolution: f64) -> Self {
        Self { resolution, ..self }
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

    /// Configurations of the last accepted step; what trials are asked of.
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

    /// One step, to a time at the latest \[s\]: integrates it, cuts it after the first border that it comes to, and accepts
    /// it. Returns what it has come to: nothing, or one border, or several that are crossed at one time.
    ///
    /// # Errors
    /// When the integrator, a target or the engine fails; the step is not accepted then.
    pub fn step(&mut self, until: f64) -> Result<Vec<Crossing>, SimulationError> {
        // The guess of the next step is all that a proposal changes.
        let mut integrator = self.integrator.clone();
        let step = integrator.propose(&self.frozen(), until)?;
        let borders = Borders::new(&self.system, &self.targets, &self.tracker, &step);
        let change = first_change(&borders, [step.from(), step.to()], self.resolution);
        let crossings = change.iter().flat_map(|change| &change.functions).map(|&number| borders.crossing(number));
        let crossings: Vec<Crossing> = crossings.collect();
        integrator.accept(&step, change.as_ref().map_or(step.to(), |change| change.at));
        let shapes = targets_at(&self.targets, integrator.time())?;
        self.tracker.accept(self.engine, shapes, places(&self.system, integrator.state()))?;
        self.integrator = integrator;
        Ok(crossings)
    }

    /// Steps to a time \[s\]. Returns how many.
    ///
    /// # Errors
    /// As those of [`step`](Self::step).
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

/// The system while nothing begins or ends to collide.
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

/// All targets at a time, which must keep to their limits.
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
