//! A landing on a deck: what it is made of, how it starts, and what it comes to.
//!
//! # Conventions
//! The plane across the ship, looking ahead: x to starboard, z up, angles from x towards z (starboard up). World axes stay where
//! the ship's mean place is; the deck's axes move with it, from the deck's middle; the body's axes are from its centre of gravity.

use glam::DVec2;

use super::contact::{ContactLaw, Piece};
use super::gear::{Gear, Propagation};
use super::motion::DeckMotion;
use super::tally::BOUNCE_TIME;
use crate::elementary::sin_cos;

/// What all landings of a study share.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckLanding {
    /// Mass of the aircraft, gear included \[kg\].
    pub mass: f64,
    /// Its moment of inertia about the centre of gravity, in roll \[kg m2\].
    pub inertia: f64,
    /// The gear.
    pub gear: Gear,
    /// What surfaces do.
    pub law: ContactLaw,
    /// Convex pieces of the deck.
    pub deck: Vec<Piece>,
    /// By how much the rotor's lift shrinks in a step after touchdown.
    pub lift_factor: f64,
    /// The ways of the gear's modes over a step.
    pub propagations: Vec<Propagation>,
    /// Roll relative to the deck beyond which it has rolled over \[rad\].
    pub rollover_angle: f64,
    /// Lowest initiator above the deck's plane at the start \[m\].
    pub clearance: f64,
    /// Step \[s\].
    pub step: f64,
    /// How many steps.
    pub steps: u32,
}

/// How one landing differs.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckStart {
    /// How the deck moves, from the start on.
    pub motion: DeckMotion,
    /// Downwards velocity \[m/s\].
    pub sink_rate: f64,
    /// Velocity to starboard \[m/s\].
    pub drift: f64,
    /// Roll \[rad\].
    pub roll: f64,
    /// Its rate \[rad/s\].
    pub roll_rate: f64,
    /// Place of the centre of gravity along the deck, from its middle \[m\].
    pub offset: f64,
    /// Dynamic friction.
    pub friction: f64,
    /// Factor of mass and inertia.
    pub mass: f64,
    /// Lift until touchdown by weight.
    pub lift: f64,
}

/// How a landing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeckClass {
    /// Numbers left the finite range, or mean nothing.
    Invalid,
    /// It rolled over.
    RolledOver,
    /// An initiator went over the edge, or all fell past the deck.
    SlidOff,
    /// A tube of the gear yielded.
    GearYielded,
    /// Nothing touched the deck in the last 0.1 s.
    Airborne,
    /// It touched the deck in the last 0.1 s, and slid along it.
    Sliding,
    /// It stands on the deck.
    Safe,
}

/// What a landing comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckOutcome {
    /// How it ended.
    pub class: DeckClass,
    /// When an initiator touched first \[s\].
    pub touchdown_time: Option<f64>,
    /// How fast that came onto the surface \[m/s\].
    pub touchdown_speed: Option<f64>,
    /// Greatest force on each initiator, across the surface \[N\].
    pub peak_loads: Vec<f64>,
    /// Times that all initiators left the deck after the first touch.
    pub bounces: u32,
    /// How far initiators slipped along surfaces, the mean of all \[m\].
    pub slide: f64,
    /// How fast they did so in the last 0.1 s, the mean of all \[m/s\]; `None` where it ended before, or touched nothing.
    pub sliding_speed: Option<f64>,
    /// Greatest roll relative to the deck \[rad\].
    pub largest_roll: f64,
    /// Least share of the energy to the tipping point that was missing while it stood on one side: below 0 the dynamic criterion is
    /// passed. `None` where it never stood on one side.
    pub rollover_margin: Option<f64>,
    /// Greatest stress by yield stress.
    pub stress: f64,
    /// Least distance of an initiator from the deck's edges after touchdown, negative beyond them \[m\].
    pub edge_distance: Option<f64>,
    /// Steps that were computed.
    pub steps: u64,
}

/// A state on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckState {
    /// Centre of gravity \[m\].
    pub place: DVec2,
    /// Its velocity \[m/s\].
    pub velocity: DVec2,
    /// Roll \[rad\].
    pub roll: f64,
    /// Its rate \[rad/s\].
    pub roll_rate: f64,
    /// Modal coordinates of the gear and their rates.
    pub modes: Vec<[f64; 2]>,
}

impl DeckLanding {
    /// Where the deck ends on either side \[m\].
    #[must_use]
    pub fn edges(&self) -> [f64; 2] {
        let all = || self.deck.iter().flat_map(Piece::surfaces).map(|surface| surface.start.x);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Height of the deck's lowest vertex, from its middle \[m\].
    #[must_use]
    pub fn floor(&self) -> f64 {
        let all = self.deck.iter().flat_map(Piece::surfaces).map(|surface| surface.start.y);
        all.fold(f64::INFINITY, f64::min)
    }

    /// How many steps without contact make a bounce.
    #[must_use]
    pub fn bounce_steps(&self) -> u32 {
        // Rounding of the quotient must not add a step.
        (BOUNCE_TIME / self.step - 1e-9).ceil() as u32
    }

    /// Number of the step from which on what slips still slides as the landing ends: the last 0.1 s, or all.
    #[must_use]
    pub fn late_from(&self) -> u32 {
        self.steps.saturating_sub(self.bounce_steps())
    }

    /// Time from then to the end \[s\].
    #[must_use]
    pub fn late_time(&self) -> f64 {
        f64::from(self.steps - self.late_from()) * self.step
    }

    /// The state in which a landing begins: the lowest initiator has its clearance above the deck's plane.
    #[must_use]
    pub fn initial(&self, start: &DeckStart) -> DeckState {
        let pose = start.motion.pose(0.0);
        let (body, deck) = (turned(start.roll), turned(pose.roll));
        let lowest =
            self.gear.initiators.iter().map(|place| inverse(deck, body.rotate(*place)).y).fold(f64::INFINITY, f64::min);
        DeckState {
            place: pose.place + deck.rotate(DVec2::new(start.offset, self.clearance - lowest)),
            velocity: DVec2::new(start.drift, -start.sink_rate),
            roll: start.roll,
            roll_rate: start.roll_rate,
            modes: vec![[0.0; 2]; self.gear.modes.len()],
        }
    }

    /// Place of an initiator from the centre of gravity, in the body's axes, and the rate of that \[m\], \[m/s\].
    #[must_use]
    pub fn bent(&self, modes: &[[f64; 2]], initiator: usize) -> [DVec2; 2] {
        let mut place = self.gear.initiators[initiator];
        let mut rate = DVec2::ZERO;
        for (mode, [coordinate, own]) in self.gear.modes.iter().zip(modes) {
            place += *coordinate * mode.at[initiator];
            rate += *own * mode.at[initiator];
        }
        [place, rate]
    }
}

/// The unit vector in a direction \[rad\], the same bits on every machine.
#[must_use]
pub fn turned(angle: f64) -> DVec2 {
    let (sine, cosine) = sin_cos(angle);
    DVec2::new(cosine, sine)
}

/// A vector of the world in axes that are turned by this unit vector.
#[must_use]
pub fn inverse(turn: DVec2, vector: DVec2) -> DVec2 {
    DVec2::new(turn.x * vector.x + turn.y * vector.y, turn.x * vector.y - turn.y * vector.x)
}
