//! Jobs `driven_encounter` and `driven_step`: two cars on tyres that drive, collide and go on (docs/encounters.md).
//!
//! # Conventions
//! As in [`super::Encounter`]: both cars are the same, the first is A, and impulses act on B.

use glam::DVec2;

use super::encounter::{Encounter, EncounterFault, EncounterStatus, MetParts, PlanarMotion};
use crate::elementary::direction;
use crate::encounter::CREEP;
use crate::encounter::driven::{Course, Drive};
use crate::job::Job;

/// Job `driven_encounter`: how each goes until its end.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec2;
/// use touchdown::job::Compute;
/// use touchdown::query::{Chassis, ContactModel, Driven, DrivenEncounter, DrivenEncounters, Encounter};
/// use touchdown::reference::Reference;
///
/// // One car runs into the back of another, 2 m off its middle.
/// let driven = |x: f64, y: f64, speed| Driven { position: DVec2::new(x, y), yaw: 0.0, speed };
/// let encounter = Encounter {
///     vehicles: [driven(0.0, 0.0, 29.1), driven(7.0, -2.0, 26.8)],
///     sides: [5.0, 3.0, 2.9],
///     radius: 0.3,
///     mass: 1573.0,
///     yaw_inertia: 2782.0,
///     restitution: 0.5,
///     friction: 0.0,
///     contact: ContactModel::Box,
/// };
/// let chassis = Chassis { axles: [1.034, 1.491], half_track: 0.725, cornering_stiffness: 4e4, tyre_lag: 0.0016 };
/// let item = DrivenEncounter { encounter, chassis, steering: [0.0; 2], step: 0.002, horizon: 2.0 };
/// let answer = Reference::new(1)?.compute::<DrivenEncounters>((), &[item])?[0];
/// let first = answer.first.expect("they meet");
/// assert!((first.time - 0.769).abs() < 1e-3);
/// // Tyres have stopped most of the turning at the end.
/// assert!(answer.end[0].motion.yaw_rate.abs() < 0.1 * answer.peak_yaw_rates[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DrivenEncounters;

impl Job for DrivenEncounters {
    const NAME: &'static str = "driven_encounter";
    type Shared<'a> = ();
    type Item = DrivenEncounter;
    type Answer = DrivenAnswer;
}

/// Job `driven_step`: single steps of such encounters, by which engines are compared.
#[derive(Clone, Copy, Debug)]
pub struct DrivenSteps;

impl Job for DrivenSteps {
    const NAME: &'static str = "driven_step";
    type Shared<'a> = ();
    type Item = DrivenStep;
    type Answer = DrivenStepAnswer;
}

/// Most steps of an encounter.
pub const MAX_DRIVEN_STEPS: f64 = 1e5;
/// Steps in which two bodies move by more than this share of their least side may miss a touch.
const LONGEST_WAY: f64 = 0.25;

/// What a car stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chassis {
    /// From the centre of mass to the front and to the rear axle \[m\].
    pub axles: [f64; 2],
    /// From the middle to the wheels of either side \[m\].
    pub half_track: f64,
    /// Lateral force of a tyre per slip angle \[N/rad\].
    pub cornering_stiffness: f64,
    /// Time by which tyre forces lag behind the slip \[s\].
    pub tyre_lag: f64,
}

/// Two cars that drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenEncounter {
    /// Where they start, what they are, and what their bodies do.
    pub encounter: Encounter,
    /// What both stand on.
    pub chassis: Chassis,
    /// Of the front wheels of either, counter-clockwise \[rad\].
    pub steering: [f64; 2],
    /// The length of a step \[s\].
    pub step: f64,
    /// How long they are followed \[s\].
    pub horizon: f64,
}

impl DrivenEncounter {
    /// The first number that is not what it may be.
    #[must_use]
    pub fn fault(&self) -> Option<EncounterFault> {
        if let Some(fault) = self.encounter.fault() {
            return Some(fault);
        }
        let Self { encounter, chassis, steering, step, horizon } = *self;
        let [length, width, height] = encounter.sides;
        let (long, least) = (length.max(width), length.min(width).min(height));
        let axle = [1e-3 * long, long];
        let [front, rear] = chassis.axles;
        let steered = chassis.half_track * direction(steering[0].abs().max(steering[1].abs())).y;
        let arms = 2.0 * (front * front + steered * steered + rear * rear);
        // How fast tyres stop a car that hardly rolls, drift and turning together: in no less than a step, or they overshoot.
        let settled =
            CREEP / ((4.0 / encounter.mass + arms / encounter.yaw_inertia) * chassis.cornering_stiffness.max(0.0));
        let fast = encounter.vehicles.iter().map(|vehicle| vehicle.speed.abs()).sum::<f64>();
        let longest = (LONGEST_WAY * least / fast).min(settled).min(0.1);
        let numbers = [
            ("horizon", horizon, [1e-6, 1e4]),
            ("step", step, [(horizon / MAX_DRIVEN_STEPS).max(1e-6), longest]),
            ("front_axle", chassis.axles[0], axle),
            ("rear_axle", chassis.axles[1], axle),
            ("half_track", chassis.half_track, [0.0, long]),
            ("cornering_stiffness", chassis.cornering_stiffness, [0.0, 1e12]),
            ("tyre_lag", chassis.tyre_lag, [1e-6, 1e3]),
            ("a_steering", steering[0], [-1.5, 1.5]),
            ("b_steering", steering[1], [-1.5, 1.5]),
        ];
        numbers
            .into_iter()
            .find(|(_, value, [low, high])| !(low <= value && value <= high))
            .map(|(field, value, allowed)| EncounterFault { field, value, allowed })
    }
}

/// The first impact of an encounter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenImpact {
    /// When \[s\].
    pub time: f64,
    /// Where \[m\].
    pub point: DVec2,
    /// Unit normal, the direction of the force on B.
    pub normal: DVec2,
    /// The parts that meet; of boxes alone.
    pub parts: Option<MetParts>,
    /// The normal impulse \[N s\].
    pub impulse: f64,
    /// The impulse of friction on B \[N s\], along the normal turned to the left by a quarter turn.
    pub friction_impulse: f64,
    /// How both move after it.
    pub after: [PlanarMotion; 2],
}

/// Where a car is, and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrivenState {
    /// Of its centre of mass \[m\].
    pub position: DVec2,
    /// Its heading \[rad\]; full turns count.
    pub yaw: f64,
    /// How it moves.
    pub motion: PlanarMotion,
}

/// How an encounter goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenAnswer {
    /// `Contact` where there has been an impact; what follows has a meaning for that and for `Missed`.
    pub status: EncounterStatus,
    /// The first impact.
    pub first: Option<DrivenImpact>,
    /// Steps with an impact: a sustained contact is a sequence of these.
    pub impacts: u32,
    /// The sum of all impulses on B \[N s\].
    pub total_impulse: DVec2,
    /// The largest normal impulse \[N s\].
    pub largest_impulse: f64,
    /// The largest magnitudes of the yaw rates \[rad/s\].
    pub peak_yaw_rates: [f64; 2],
    /// Kinetic energy that impacts have taken \[J\].
    pub energy_lost: f64,
    /// Both cars at the end.
    pub end: [DrivenState; 2],
}

impl DrivenAnswer {
    /// An encounter of which nothing is known.
    #[must_use]
    pub fn none(status: EncounterStatus) -> Self {
        Self {
            status,
            first: None,
            impacts: 0,
            total_impulse: DVec2::ZERO,
            largest_impulse: 0.0,
            peak_yaw_rates: [0.0; 2],
            energy_lost: 0.0,
            end: [DrivenState::default(); 2],
        }
    }
}

/// A step to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenStep {
    /// What holds during the encounter.
    pub drive: Drive<f64>,
    /// How far it has come.
    pub course: Course<f64>,
}

/// What has been decided in a step, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepContacts(pub u32);

impl StepContacts {
    /// Names of the bits, from the lowest.
    pub const NAMES: [&'static str; 8] =
        ["touches", "passes", "has no normal", "hits", "edge of a", "edge of b", "lands", "not converged"];

    /// Of decisions in that order.
    #[must_use]
    pub fn new(decisions: [bool; 8]) -> Self {
        Self(decisions.into_iter().enumerate().map(|(bit, is)| u32::from(is) << bit).sum())
    }

    /// Whether a decision was taken.
    #[must_use]
    pub fn has(self, bit: usize) -> bool {
        self.0 >> bit & 1 == 1
    }
}

/// What a step comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenStepAnswer {
    /// How far the encounter has come.
    pub course: Course<f64>,
    /// What has been decided.
    pub contacts: StepContacts,
}
