//! Platoons on their way, from the start to the end, through every impact.
//!
//! Steps of the integrator end where two ellipsoids touch that were apart. Then, and after every step in which some
//! overlap, bodies that approach collide, the fastest approach first, until none approaches.

use thiserror::Error;

use super::Platoon;
use super::car::{Car, Dynamics, Pose};
use super::separations::Separations;
use super::touching::{Collision, Touching, between, touching};
use crate::integrator::{Integrator, IntegratorError, Step, System, Tolerances, first_change};
use crate::query::{ContactModel, ContactStatus};

/// Time between samples \[s\].
const SAMPLING: f64 = 0.01;
/// Longest steps \[s\], where all are apart and where some overlap.
const LONGEST: [f64; 2] = [0.02, 1e-3];
/// A dip of a separation that is not seen, at most \[m\].
const RESOLUTION: f64 = 1e-9;
/// Relative and absolute tolerances of steps.
const TOLERANCES: [f64; 2] = [1e-9, 1e-9];
/// Bodies that approach no faster do not collide \[m/s\].
const RESTING: f64 = 1e-9;
/// Impacts of one pair at one moment, at most.
const IMPACTS_AT_ONCE: usize = 1000;

/// Why a platoon cannot be followed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DriveError {
    /// Two vehicles overlap before anything has happened.
    #[error(
        "vehicles {} and {} overlap at the start, at ({}, {}) and ({}, {}) m; the time of contact is unknown",
        vehicles[0] + 1, vehicles[1] + 1, places[0][0], places[0][1], places[1][0], places[1][1]
    )]
    Overlap {
        /// Their numbers, counted from 0.
        vehicles: [usize; 2],
        /// Their centres of mass \[m\].
        places: [[f64; 2]; 2],
    },
    /// Two bodies touch without a normal.
    #[error(
        "vehicles {} and {} touch at {time} s where no normal is known: {}",
        vehicles[0] + 1, vehicles[1] + 1, without_normal(*status)
    )]
    NoNormal {
        /// Their numbers, counted from 0.
        vehicles: [usize; 2],
        /// When \[s\].
        time: f64,
        /// How the contact of their ellipsoids ended.
        status: ContactStatus,
    },
    /// Impacts follow each other without an end.
    #[error("impacts at {time} s do not end")]
    NoEnd {
        /// When \[s\].
        time: f64,
    },
    /// The integrator stops.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
}

/// Why there is no normal where a contact ended so.
fn without_normal(status: ContactStatus) -> &'static str {
    match status {
        ContactStatus::Ok => "the normals of two edges are the same",
        ContactStatus::Degenerate => "the centres coincide",
        ContactStatus::NotConverged => "the search for the contact did not converge",
        ContactStatus::BadInput => "a place or a size is not a number, or out of range",
    }
}

/// The vehicles at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// \[s\]
    pub time: f64,
    /// Each vehicle.
    pub poses: Vec<Pose>,
}

/// An impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Impacts {
    /// \[s\]
    pub time: f64,
    /// Both vehicles, counted from 0.
    pub vehicles: [usize; 2],
    /// Where and how.
    pub collision: Collision,
    /// Both before it.
    pub before: [Pose; 2],
    /// Both after it.
    pub after: [Pose; 2],
    /// Of kinetic energy, before less after \[J\].
    pub energy_lost: f64,
}

/// The ways of a platoon.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// All vehicles in steps of 0.01 s, at every impact before and after it, and at the end.
    pub samples: Vec<Sample>,
    /// In their order.
    pub impacts: Vec<Impacts>,
    /// Of each pair whose ellipsoids overlapped while its boxes passed each other: both, and the least contact function. A
    /// pair may have collided before or after.
    pub passed: Vec<([usize; 2], f64)>,
    /// The same of each pair whose ellipsoids overlapped before any impact while the normal of its boxes had it part.
    pub parting: Vec<([usize; 2], f64)>,
}

/// Follows a platoon.
///
/// # Errors
/// When vehicles overlap at the start, bodies touch where no normal is known, or steps cannot be made.
pub fn drive(platoon: &Platoon, dynamics: Dynamics, model: ContactModel) -> Result<Drive, DriveError> {
    let cars = platoon.cars();
    let driver = Driver { cars: &cars, dynamics, model, platoon };
    let state: Vec<f64> = cars.iter().flat_map(|car| car.start(dynamics)).collect();
    let mut drive = Drive {
        samples: vec![driver.sample(0.0, &state)],
        impacts: Vec::new(),
        passed: Vec::new(),
        parting: Vec::new(),
    };
    for vehicles in driver.pairs().filter(|&pair| driver.separation(pair, &state) <= 0.0) {
        match driver.touching(vehicles, &state) {
            Touching::Passing => {}
            Touching::NoNormal(status @ (ContactStatus::NotConverged | ContactStatus::BadInput)) => {
                return Err(DriveError::NoNormal { vehicles, time: 0.0, status });
            }
            Touching::NoNormal(_) | Touching::Contact(_) => {
                let places = vehicles.map(|car| cars[car].placed.position);
                return Err(DriveError::Overlap { vehicles, places });
            }
        }
    }
    driver.follow(state, &mut drive)?;
    Ok(drive)
}

pub(super) struct Driver<'a> {
    pub cars: &'a [Car],
    pub dynamics: Dynamics,
    pub model: ContactModel,
    pub platoon: &'a Platoon,
}

impl System for Driver<'_> {
    fn rates(&self, _time: f64, state: &[f64], rates: &mut [f64]) {
        let size = self.dynamics.components();
        for (car, (state, rates)) in self.cars.iter().zip(state.chunks(size).zip(rates.chunks_mut(size))) {
            car.rates(self.dynamics, state, rates);
        }
    }
}

impl Driver<'_> {
    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let count = self.cars.len();
        (0..count).flat_map(move |i| (i + 1..count).map(move |k| [i, k]))
    }

    fn state<'s>(&self, car: usize, state: &'s [f64]) -> &'s [f64] {
        let size = self.dynamics.components();
        &state[car * size..(car + 1) * size]
    }

    pub fn pose(&self, car: usize, state: &[f64]) -> Pose {
        self.cars[car].pose(self.dynamics, self.state(car, state))
    }

    fn sample(&self, time: f64, state: &[f64]) -> Sample {
        Sample { time, poses: (0..self.cars.len()).map(|car| self.pose(car, state)).collect() }
    }

    pub fn separation(&self, pair: [usize; 2], state: &[f64]) -> f64 {
        let poses = pair.map(|car| self.pose(car, state));
        between([&poses[0], &poses[1]]).separation
    }

    fn touching(&self, pair: [usize; 2], state: &[f64]) -> Touching {
        let poses = pair.map(|car| self.pose(car, state));
        let states = pair.map(|car| self.state(car, state));
        let by = (self.dynamics, &self.platoon.law, self.model);
        touching(pair.map(|car| &self.cars[car]), [&poses[0], &poses[1]], states, by)
    }

    fn follow(&self, mut state: Vec<f64>, drive: &mut Drive) -> Result<(), DriveError> {
        let until = self.platoon.law.duration.value;
        let tolerances = Tolerances::uniform(TOLERANCES[0], TOLERANCES[1], state.len());
        let mut integrator = Integrator::new(0.0, state.clone(), tolerances.clone())?;
        while integrator.time() < until {
            let apart: Vec<[usize; 2]> = self.pairs().filter(|&pair| self.separation(pair, &state) > 0.0).collect();
            let all_apart = apart.len() == self.pairs().count();
            let longest = LONGEST[usize::from(!all_apart)];
            integrator = integrator.with_longest_step(longest);
            let step = integrator.propose(self, until)?;
            let watch = Separations::new(self, &step, apart);
            let change = first_change(&watch, [step.from(), step.to()], RESOLUTION);
            let time = change.as_ref().map_or(step.to(), |change| change.at);
            self.take_samples(&step, time, drive);
            integrator.accept(&step, time);
            state.copy_from_slice(integrator.state());
            let before = drive.impacts.len();
            if change.is_some() || !all_apart {
                self.collide(time, &mut state, drive)?;
            }
            if drive.impacts.len() > before {
                drive.samples.push(self.sample(time, integrator.state()));
                drive.samples.push(self.sample(time, &state));
                integrator = Integrator::new(time, state.clone(), tolerances.clone())?;
            }
        }
        drive.samples.push(self.sample(until, &state));
        Ok(())
    }

    /// Samples at whole multiples of their interval after the begin of a step and before its end.
    fn take_samples(&self, step: &Step, end: f64, drive: &mut Drive) {
        let first = (step.from() / SAMPLING).floor() as u64 + 1;
        let times = (first..).map(|number| number as f64 * SAMPLING).take_while(|&time| time < end);
        for time in times.filter(|&time| time > step.from()) {
            drive.samples.push(self.sample(time, &step.at(time)));
        }
    }

    /// Lets bodies collide until none approaches.
    fn collide(&self, time: f64, state: &mut [f64], drive: &mut Drive) -> Result<(), DriveError> {
        for _ in 0..IMPACTS_AT_ONCE * self.cars.len() {
            let mut fastest: Option<([usize; 2], Collision)> = None;
            for pair in self.pairs() {
                let poses = pair.map(|car| self.pose(car, state));
                let contact = between([&poses[0], &poses[1]]);
                // Of a pair that touches what rounding leaves is on either side.
                if contact.separation > RESOLUTION {
                    continue;
                }
                match self.touching(pair, state) {
                    Touching::Passing => take_down(&mut drive.passed, pair, contact.f),
                    Touching::NoNormal(status) => return Err(DriveError::NoNormal { vehicles: pair, time, status }),
                    Touching::Contact(collision) => {
                        let is_faster = fastest.as_ref().is_none_or(|(_, other)| collision.approach > other.approach);
                        if collision.approach > RESTING && is_faster {
                            fastest = Some((pair, collision));
                        }
                        let has_collided = drive.impacts.iter().any(|impact| impact.vehicles == pair);
                        if collision.approach <= RESTING && contact.f < 1.0 && !has_collided {
                            take_down(&mut drive.parting, pair, contact.f);
                        }
                    }
                }
            }
            let Some((pair, collision)) = fastest else { return Ok(()) };
            drive.impacts.push(self.impact(time, pair, collision, state));
        }
        Err(DriveError::NoEnd { time })
    }

    fn impact(&self, time: f64, vehicles: [usize; 2], collision: Collision, state: &mut [f64]) -> Impacts {
        let energy = |state: &[f64]| -> f64 {
            vehicles.iter().map(|&car| self.cars[car].energy(self.dynamics, self.state(car, state))).sum()
        };
        let before = vehicles.map(|car| self.pose(car, state));
        let energy_before = energy(state);
        let [along, aside] = collision.impulse;
        let impulse = along * collision.normal + aside * collision.normal.perp();
        let size = self.dynamics.components();
        for ((car, pose), sign) in vehicles.into_iter().zip(&before).zip([-1.0, 1.0]) {
            let arm = collision.point - pose.position.truncate();
            let own = &mut state[car * size..(car + 1) * size];
            self.cars[car].push(self.dynamics, own, arm, sign * impulse);
        }
        let after = vehicles.map(|car| self.pose(car, state));
        Impacts { time, vehicles, collision, before, after, energy_lost: energy_before - energy(state) }
    }
}

/// Notes a pair with its least contact function.
fn take_down(pairs: &mut Vec<([usize; 2], f64)>, pair: [usize; 2], f: f64) {
    match pairs.iter_mut().find(|(other, _)| *other == pair) {
        Some((_, least)) => *least = least.min(f),
        None => pairs.push((pair, f)),
    }
}
