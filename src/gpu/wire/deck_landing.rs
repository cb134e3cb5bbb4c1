//! What job `deck_landing` exchanges with a device.
//!
//! # Conventions
//! Places in the world are sums of two numbers: whole multiples of [`DECK_GRID`], and a rest of at most half of one. Differences of the
//! multiples are exact in f32 up to 16 km, so that what is near the deck is as exact as its distance from the deck's middle allows,
//! however far the ship sways. Time is a whole number of steps; the place between samples of the deck's motion is a whole number with a
//! fraction of 64 bits, so that it depends on nothing but the number of the step.

use bytemuck::Zeroable;
use glam::DVec2;

use super::{FAR, Structure, array_of, on_device};
use crate::deck::{
    Configuration, DeckClass, DeckLanding, DeckOutcome, DeckRecord, DeckStart, DeckState, Grip, LastMoment,
};
use crate::gpu::GpuError;

/// Most modes of a gear, initiators, and pairs of an initiator and a piece of the deck.
const MAX_MODES: usize = 16;
const MAX_INITIATORS: usize = 8;
const MAX_CONTACTS: usize = 32;
/// Samples of the deck's motion that go along with a landing: those of one slice.
const WINDOW: usize = 64;
/// Places are split at multiples of this \[m\].
pub(in crate::gpu) const DECK_GRID: f64 = 1.0 / 1024.0;

on_device! {
    /// A landing on its way. No step done is no answer: buffers are cleared before a run.
    DeckStateWire as DeckState {
        /// Centre of gravity: multiple of the grid, and rest.
        base: [f32; 2],
        rest: [f32; 2],
        velocity: [f32; 2],
        roll: f32,
        roll_rate: f32,
        lift: f32,
        /// Steps.
        done: u32,
        /// Whether the landing has ended.
        over: u32,
        /// The step in which an initiator touched first, plus one; 0 before.
        touchdown: u32,
        touchdown_speed: f32,
        bounces: u32,
        /// The first step in which nothing touched any more, plus one; 0 while something does.
        free_since: u32,
        has_bounced: u32,
        slide: f32,
        /// What the last steps added to it.
        late_slide: f32,
        largest_roll: f32,
        rollover_margin: f32,
        stress: f32,
        edge_distance: f32,
        unused0: [u32; 2],
        /// Two modes each: coordinate and rate.
        modes: [[f32; 4]; MAX_MODES / 2],
        /// Place in the deck's axes, and greatest force.
        initiators: [[f32; 4]; MAX_INITIATORS],
        /// By initiator and piece: penetration, number of the surface plus one, whether the pebble stands, and its place as bits.
        contacts: [[u32; 4]; MAX_CONTACTS],
    }
}

on_device! {
    /// A landing, and how its deck moves meanwhile.
    DeckItemWire as DeckItem {
        state: DeckStateWire,
        friction: f32,
        mass: f32,
        inertia: f32,
        /// Steps to do.
        slice: u32,
        interval: f32,
        /// The place between samples at the begin: whole number in the window, and fraction in 2^-64.
        sample: u32,
        fraction: [u32; 2],
        /// The same of a step.
        step_fraction: [u32; 2],
        step_samples: u32,
        /// The sample at which the motion ends.
        last_sample: u32,
        /// Sway and heave, split; then their rates, roll and its rate.
        samples: [[f32; 4]; 2 * WINDOW],
    }
}

on_device! {
    /// What all landings share, before its arrays.
    DeckHeadWire as DeckShared {
        step: f32,
        stiffness: f32,
        damping: f32,
        grip_stiffness: f32,
        grip_damping: f32,
        static_ratio: f32,
        lift_factor: f32,
        rollover_angle: f32,
        /// Where the deck ends.
        edges: [f32; 2],
        /// Steps without contact that make a bounce.
        bounce_steps: u32,
        /// Number of the first of the last steps.
        late_from: u32,
    }
}

/// The structures of the job's kernel, and the numbers that its arrays are long.
pub(in crate::gpu) fn deck_structures(shared: &DeckSharedWire) -> String {
    let arrays: Vec<(&str, String)> =
        shared.arrays.iter().map(|(name, rows)| (*name, array_of::<[f32; 4]>(rows.len()))).collect();
    let numbers: String =
        shared.counts.iter().map(|(name, count)| crate::gpu::shader::unsigned(name, *count as u32)).collect();
    [numbers, DeckStateWire::declaration(), DeckItemWire::declaration(), DeckHeadWire::declaration_with(&arrays)]
        .concat()
}

/// What all landings share.
pub(in crate::gpu) struct DeckSharedWire {
    head: DeckHeadWire,
    arrays: [(&'static str, Vec<[f32; 4]>); 6],
    counts: [(&'static str, usize); 4],
}

impl DeckSharedWire {
    /// Of landings on a deck.
    ///
    /// # Errors
    /// When the gear or the deck has more parts than a kernel holds.
    pub fn new(landing: &DeckLanding) -> Result<Self, GpuError> {
        let DeckLanding { gear, law, deck, .. } = landing;
        let (modes, initiators, pieces) = (gear.modes.len(), gear.initiators.len(), deck.len());
        for (what, count, limit) in [
            ("modes of the gear", modes, MAX_MODES),
            ("initiators", initiators, MAX_INITIATORS),
            ("pairs of an initiator and a piece of the deck", initiators * pieces, MAX_CONTACTS),
        ] {
            if count > limit {
                return Err(GpuError::TooMany { what, count, limit });
            }
        }
        let two = |vector: DVec2| [vector.x as f32, vector.y as f32];
        let four = |[a, b]: [f32; 2], [c, d]: [f32; 2]| [a, b, c, d];
        let propagations = landing.propagations.iter().flat_map(|by| {
            [[by.a, by.b, by.c, by.d], [by.e, by.g, by.a - 1.0, by.d - 1.0]].map(|row| row.map(|number| number as f32))
        });
        let shapes = gear.modes.iter().flat_map(|mode| mode.at.iter().map(|at| four(two(*at), [0.0; 2])));
        let arms = gear.initiators.iter().map(|arm| four(two(*arm), [0.0; 2]));
        let mut surfaces = Vec::new();
        let mut piece_rows = Vec::new();
        for piece in deck {
            piece_rows.push([surfaces.len() as f32 / 2.0, piece.surfaces().len() as f32, 0.0, 0.0]);
            for surface in piece.surfaces() {
                surfaces.push(four(two(surface.normal), two(surface.start)));
                surfaces.push(four(two(surface.end), [0.0; 2]));
            }
        }
        let stresses: Vec<[f32; 4]> =
            gear.stresses().iter().flatten().map(|by| four(by.map(|number| number as f32), [0.0; 2])).collect();
        let edges = landing.edges();
        Ok(Self {
            head: DeckHeadWire {
                step: landing.step as f32,
                stiffness: law.stiffness as f32,
                damping: law.damping as f32,
                grip_stiffness: law.grip_stiffness as f32,
                grip_damping: law.grip_damping as f32,
                static_ratio: law.static_ratio as f32,
                lift_factor: landing.lift_factor as f32,
                rollover_angle: landing.rollover_angle as f32,
                edges: edges.map(|edge| edge as f32),
                bounce_steps: landing.bounce_steps(),
                late_from: landing.late_from(),
            },
            counts: [
                ("MODES", modes),
                ("INITIATORS", initiators),
                ("PIECES", pieces),
                ("ENDS", stresses.len() / modes),
            ],
            arrays: [
                ("propagations", propagations.collect()),
                ("shapes", shapes.collect()),
                ("arms", arms.collect()),
                ("pieces", piece_rows),
                ("surfaces", surfaces),
                ("stresses", stresses),
            ],
        })
    }

    /// Its bytes, in rows.
    pub fn rows(&self) -> Vec<[f32; 4]> {
        let head: [[f32; 4]; 3] = bytemuck::cast(self.head);
        head.into_iter().chain(self.arrays.iter().flat_map(|(_, rows)| rows.iter().copied())).collect()
    }
}

/// A place as a multiple of the grid and the rest.
fn split(place: DVec2) -> [[f32; 2]; 2] {
    let base = (place / DECK_GRID).round() * DECK_GRID;
    [base, place - base].map(|part| part.to_array().map(|number| number as f32))
}

impl DeckStateWire {
    /// Of a record, with nothing seen yet.
    pub fn new(record: &DeckRecord) -> Self {
        let DeckRecord { state, contacts, places, lift, has_touched, steps } = record;
        let [base, rest] = split(state.place);
        let mut wire = Self {
            base,
            rest,
            velocity: state.velocity.to_array().map(|number| number as f32),
            roll: state.roll as f32,
            roll_rate: state.roll_rate as f32,
            lift: *lift as f32,
            done: *steps,
            touchdown: u32::from(*has_touched),
            rollover_margin: FAR,
            edge_distance: FAR,
            ..Self::zeroed()
        };
        for (number, [coordinate, rate]) in state.modes.iter().enumerate() {
            let place = 2 * (number % 2);
            wire.modes[number / 2][place..place + 2].copy_from_slice(&[*coordinate as f32, *rate as f32]);
        }
        for (row, place) in wire.initiators.iter_mut().zip(places) {
            *row = [place.x as f32, place.y as f32, 0.0, 0.0];
        }
        for (row, (configuration, grip)) in wire.contacts.iter_mut().zip(contacts) {
            let collision = configuration.collision.map_or(0, |surface| surface as u32 + 1);
            *row = [configuration.penetration, collision, u32::from(grip.stands), (grip.pebble as f32).to_bits()];
        }
        wire
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let Self { base, rest, velocity, roll, roll_rate, lift, modes, .. } = self;
        let body = [base[0], base[1], rest[0], rest[1], velocity[0], velocity[1], *roll, *roll_rate, *lift];
        body.iter().chain(modes.iter().flatten()).all(|number| number.is_finite())
    }

    /// As a record; `None` where the kernel wrote what it may not.
    pub fn record(&self, landing: &DeckLanding) -> Option<DeckRecord> {
        let pair = |[x, y]: [f32; 2]| DVec2::new(f64::from(x), f64::from(y));
        let (initiators, pieces) = (landing.gear.initiators.len(), landing.deck.len());
        let contact = |(number, [penetration, collision, stands, pebble]): (usize, &[u32; 4])| {
            let surfaces = landing.deck[number % pieces].surfaces().len();
            let is_allowed = *collision as usize <= surfaces && *stands <= 1;
            let configuration =
                Configuration { penetration: *penetration, collision: (*collision as usize).checked_sub(1) };
            let grip = Grip { pebble: f64::from(f32::from_bits(*pebble)), stands: *stands == 1 };
            is_allowed.then_some((configuration, grip))
        };
        let contacts = self.contacts[..initiators * pieces].iter().enumerate().map(contact).collect::<Option<_>>()?;
        let modes = self.modes.iter().flat_map(|&[q, p, r, s]| [[q, p], [r, s]]).take(landing.gear.modes.len());
        Some(DeckRecord {
            state: DeckState {
                place: pair(self.base) + pair(self.rest),
                velocity: pair(self.velocity),
                roll: f64::from(self.roll),
                roll_rate: f64::from(self.roll_rate),
                modes: modes.map(|mode| mode.map(f64::from)).collect(),
            },
            contacts,
            places: self.initiators[..initiators].iter().map(|row| pair([row[0], row[1]])).collect(),
            lift: f64::from(self.lift),
            has_touched: self.touchdown > 0,
            steps: self.done,
        })
    }

    /// What was seen of it.
    pub fn outcome(&self, landing: &DeckLanding) -> DeckOutcome {
        let has_touched = self.touchdown > 0;
        let of_touch = |value: f64| has_touched.then_some(value);
        let outcome = DeckOutcome {
            class: DeckClass::Invalid,
            touchdown_time: of_touch(f64::from(self.touchdown.saturating_sub(1)) * landing.step),
            touchdown_speed: of_touch(f64::from(self.touchdown_speed)),
            peak_loads: self.initiators[..landing.gear.initiators.len()].iter().map(|row| f64::from(row[2])).collect(),
            bounces: self.bounces,
            slide: f64::from(self.slide),
            sliding_speed: of_touch(f64::from(self.late_slide) / landing.late_time()).filter(|_| self.over == 0),
            largest_roll: f64::from(self.largest_roll),
            rollover_margin: (self.rollover_margin < FAR).then_some(f64::from(self.rollover_margin)),
            stress: f64::from(self.stress),
            edge_distance: of_touch(f64::from(self.edge_distance)),
            steps: u64::from(self.done),
        };
        // The limit that the kernel compares with.
        let floor = landing.floor();
        let initiators = &self.initiators[..landing.gear.initiators.len()];
        let last = LastMoment {
            is_free: self.has_bounced != 0,
            is_past: self.done > 0 && initiators.iter().all(|row| f64::from(row[1]) < floor),
            is_finite: self.is_finite(),
        };
        outcome.classed(f64::from(landing.rollover_angle as f32), last)
    }
}

/// A whole number of samples with a fraction of 64 bits.
#[derive(Clone, Copy)]
struct SamplePlace(u128);

impl SamplePlace {
    /// Of a step by the time between samples: a number of f64 has no bits that the fraction lacks, but for those below 2^-64.
    fn of_step(share: f64) -> Self {
        Self((share * 2f64.powi(64)) as u128)
    }

    fn whole(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// The fraction, its upper half first.
    fn fraction(self) -> [u32; 2] {
        [(self.0 >> 32) as u32, self.0 as u32]
    }
}

impl DeckItemWire {
    /// A landing in a state, with at most so many steps to do.
    pub fn new(landing: &DeckLanding, start: &DeckStart, state: DeckStateWire, steps: u32) -> Self {
        let (interval, samples) = start.motion.samples();
        let share = SamplePlace::of_step(landing.step / interval);
        let begin = SamplePlace(share.0 * u128::from(state.done));
        let first = (begin.whole() as usize).min(samples.len() - 2);
        // The place before the last step is the last that needs a sample after it.
        let room = (((WINDOW - 1 + first) as u128) << 64) - 1;
        let until = room.saturating_sub(begin.0) / share.0.max(1);
        let has_all = samples.len() <= first + WINDOW;
        let slice = if has_all { steps } else { (until + 1).min(u128::from(steps)) as u32 };
        let mut wire = Self {
            state,
            friction: start.friction as f32,
            mass: (start.mass * landing.mass) as f32,
            inertia: (start.mass * landing.inertia) as f32,
            slice,
            interval: interval as f32,
            sample: (begin.whole() - first as u64).min(u64::from(u32::MAX / 2)) as u32,
            fraction: begin.fraction(),
            step_fraction: share.fraction(),
            step_samples: share.whole() as u32,
            last_sample: (samples.len() - 1 - first).min(u32::MAX as usize) as u32,
            samples: [[0.0; 4]; 2 * WINDOW],
        };
        for (rows, [sway, heave, roll]) in wire.samples.chunks_exact_mut(2).zip(samples.iter().skip(first)) {
            let [[a, b], [c, d]] = split(DVec2::new(sway[0], heave[0]));
            rows[0] = [a, b, c, d];
            rows[1] = [sway[1], heave[1], roll[0], roll[1]].map(|number| number as f32);
        }
        wire
    }
}
