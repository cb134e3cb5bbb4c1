//! The search for a steady flight.

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::{SteadyFlight, Trimmed};
use crate::air_forces::Flight;
use crate::airframe::{Airframe, Atmosphere, Commands};
use crate::elementary::sin_cos;

/// Limits of the angle of attack \[rad\] and elevator.
const LIMITS: [[f64; 2]; 2] = [[-0.35, 0.35], [-1.0, 1.0]];
/// Where the search begins, each in its turn until one leads to a balance, and the most that it changes at a time.
const STARTS: [DVec3; 4] =
    [DVec3::new(0.05, 0.0, 0.3), DVec3::new(0.12, 0.0, 0.6), DVec3::new(0.1, -0.3, 0.1), DVec3::new(0.02, 0.3, 0.05)];
const MOST: DVec3 = DVec3::new(0.1, 0.4, 0.4);
/// Differences by which slopes are measured.
const DIFFERENCES: DVec3 = DVec3::new(1e-3, 1e-2, 1e-2);
/// Improvements at most, and how often a step that makes things worse is halved.
const ROUNDS: usize = 24;
const HALVINGS: usize = 3;
/// Changes of aileron and rudder by which slopes are measured, several times the play of actuators that have some; and
/// improvements of these.
const OF_LATERAL: f64 = 0.1;
const LATERAL_ROUNDS: usize = 8;
/// Controls come to where they are asked to be from so much below, in so many steps: several times the play of actuators that have
/// some. From one side a command has one meaning.
const FROM_BELOW: f64 = 0.5;
const TAKING_UP: usize = 60;
/// Change of the forces over the weight and of the moment by a whole throttle that is none.
const NO_THRUST: f64 = 1e-9;
/// Rolling and yawing moment over weight and span that are none.
const LEVEL: f64 = 1e-9;
/// Force over weight, and moment over weight and chord, that are as good as none.
pub(super) const BALANCED: f64 = 1e-7;

/// Step in which controls and engines settle \[s\], and how many at most: engines have come to rest by then.
const SETTLING_STEP: f64 = 1.0 / 60.0;
const FIRST_SETTLING: usize = 1800;
const SETTLING: usize = 300;
/// Change in a step, as a share of the number, that is none.
const SETTLED: f64 = 1e-11;

/// Improvements of what is found from another flight, a change of angle of attack \[rad\], elevator or throttle that is none, the
/// imbalance that may be left then within the limits, and the rolling and yawing moment over weight and span that may be left where no
/// step takes it away.
const ROUNDS_NEAR_BY: usize = 16;
const STILL: f64 = 1e-7;
const NEARLY_BALANCED: f64 = 1e-6;
const NEARLY_LEVEL: f64 = 1e-6;

/// A search for a steady flight of an airframe.
pub(super) struct Search<'a> {
    airframe: &'a Airframe,
    flight: &'a SteadyFlight,
    /// Of the angle of attack \[rad\], elevator and throttle.
    limits: Limits,
}

/// A steady flight, and how its balance changes with what it is balanced by.
#[derive(Clone, Debug)]
pub(super) struct Sloped {
    trimmed: Trimmed,
    is_gliding: bool,
    /// Of forces and pitching moment by angle of attack, elevator and throttle.
    slopes: [DVec3; 3],
    /// Of rolling and yawing moment by aileron and rudder.
    lateral: DMat2,
}

/// Angle of attack \[rad\], elevator and throttle, and what is not balanced there of what they can balance.
#[derive(Default)]
struct Found {
    imbalance: f64,
    at: DVec3,
    kept: Vec<f64>,
    /// The throttle stays closed, or nothing follows it.
    is_gliding: bool,
}

/// What is out of balance.
struct Off {
    /// Forces along body X and Z over the weight, and the pitching moment over weight and chord.
    along: DVec3,
    /// Rolling and yawing moment over weight and span.
    lateral: DVec2,
}

/// Numbers within limits.
type Limits = [[f64; 2]; 3];

impl<'a> Search<'a> {
    pub fn new(airframe: &'a Airframe, flight: &'a SteadyFlight) -> Self {
        Self { airframe, flight, limits: [LIMITS[0], LIMITS[1], [0.0, flight.greatest_throttle]] }
    }

    /// What is found from one of the starts, and whether it is without thrust.
    pub fn anywhere(&self) -> (Trimmed, bool) {
        let mut best: Option<Found> = None;
        for start in STARTS {
            let found = self.balanced_from(start);
            if best.as_ref().is_none_or(|best| found.imbalance.total_cmp(&best.imbalance).is_lt()) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.is_gliding || best.imbalance < BALANCED) {
                break;
            }
        }
        let Found { mut imbalance, at, kept, is_gliding } = best.unwrap_or_default();
        if is_gliding {
            imbalance = self.unbalanced(at, &mut kept.clone(), SETTLING).length();
        }
        let trimmed = Trimmed { imbalance, ..Trimmed::without_sides(at, kept) };
        (self.balanced_laterally(trimmed), is_gliding)
    }

    /// A steady flight for others to be found from.
    pub fn sloped(&self) -> Sloped {
        let (trimmed, is_gliding) = self.anywhere();
        let off = self.off(&trimmed, &mut trimmed.kept.clone(), SETTLING);
        let slopes = self.slopes(&trimmed, off.along);
        let lateral = self.lateral_slopes(&trimmed, off.lateral);
        Sloped { trimmed, is_gliding, slopes, lateral }
    }

    /// The steady flight from another one near by, by its slopes. Controls and engines settle as the search goes on. `None` where it
    /// ends in no balance; at a limit it ends as near to one as that allows.
    pub fn near(&self, other: &Sloped) -> Option<Trimmed> {
        let Sloped { mut trimmed, is_gliding, mut slopes, lateral } = other.clone();
        let level = lateral.inverse();
        let mut before: Option<(DVec3, Off)> = None;
        for _ in 0..ROUNDS_NEAR_BY {
            let mut kept = std::mem::take(&mut trimmed.kept);
            let off = self.off(&trimmed, &mut kept, SETTLING);
            trimmed.kept = kept;
            let (at, is_off) = (trimmed.at(), off.lateral.length());
            if let Some((from, was)) = &before {
                learn(&mut slopes, at - from, off.along - was.along);
            }
            let was_off = before.map_or(f64::INFINITY, |(_, was)| was.lateral.length());
            let step = solve_within(slopes, off.along, at, &self.limits, is_gliding)?;
            let next = within(at + step.clamp(-MOST, MOST), &self.limits);
            let turn = Some(level * off.lateral).filter(|turn| turn.is_finite()).unwrap_or_default();
            let sides = DVec2::new(trimmed.aileron, trimmed.rudder);
            let next_sides = (sides - turn).clamp(DVec2::NEG_ONE, DVec2::ONE);
            // Play in the controls leaves what no further step takes away.
            let is_level = is_off <= LEVEL || is_off <= NEARLY_LEVEL && is_off > 0.5 * was_off || next_sides == sides;
            let is_at_limit =
                (0..3).any(|number| at[number] <= self.limits[number][0] || at[number] >= self.limits[number][1]);
            let is_balanced = is_at_limit || (off.along * sought(is_gliding)).length() < NEARLY_BALANCED;
            if is_balanced && is_level && (next - at).abs().max_element() < STILL {
                trimmed.imbalance = off.along.length();
                return Some(trimmed);
            }
            [trimmed.angle_of_attack, trimmed.elevator, trimmed.throttle] = next.into();
            [trimmed.aileron, trimmed.rudder] = next_sides.into();
            before = Some((at, off));
        }
        None
    }

    /// What the search finds from a start on.
    fn balanced_from(&self, start: DVec3) -> Found {
        let mut kept = self.airframe.routine().at_start();
        let mut at = within(start, &self.limits);
        self.unbalanced(at, &mut kept, FIRST_SETTLING);
        let mut off = self.unbalanced(at, &mut kept, SETTLING);
        // What no throttle balances is not searched for.
        let is_gliding = self.flight.greatest_throttle == 0.0 || !self.has_thrust(at, off, &kept);
        if is_gliding {
            at.z = 0.0;
        }
        let size = |off: DVec3| (off * sought(is_gliding)).length();
        let mut best = (size(off), at, kept.clone());
        for _ in 0..ROUNDS {
            if best.0 < BALANCED {
                break;
            }
            let slopes = self.slopes(&Trimmed::without_sides(at, kept.clone()), off);
            let step = solve_within(slopes, off, at, &self.limits, is_gliding);
            let Some(step) = step else { break };
            let step = step.clamp(-MOST, MOST);
            let mut share = 1.0;
            for halvings in 0..=HALVINGS {
                let next = within(at + share * step, &self.limits);
                let mut left = kept.clone();
                let next_off = self.unbalanced(next, &mut left, SETTLING);
                if size(next_off) < size(off) || halvings == HALVINGS {
                    (at, off, kept) = (next, next_off, left);
                    break;
                }
                share *= 0.5;
            }
            if size(off) < best.0 {
                best = (size(off), at, kept.clone());
            }
        }
        let (imbalance, at, kept) = best;
        Found { imbalance, at, kept, is_gliding }
    }

    /// The same with aileron and rudder against rolling and yawing moments, where there are any: a step of Newton's method with
    /// both, repeated.
    fn balanced_laterally(&self, mut trimmed: Trimmed) -> Trimmed {
        let moments = |trimmed: &Trimmed| {
            let mut kept = trimmed.kept.clone();
            (self.off(trimmed, &mut kept, SETTLING).lateral, kept)
        };
        for _ in 0..LATERAL_ROUNDS {
            let (off, _) = moments(&trimmed);
            if off.length() <= LEVEL {
                break;
            }
            let step = -(self.lateral_slopes(&trimmed, off).inverse() * off);
            if !step.is_finite() {
                break;
            }
            let mut next = Trimmed {
                aileron: (trimmed.aileron + step.x).clamp(-1.0, 1.0),
                rudder: (trimmed.rudder + step.y).clamp(-1.0, 1.0),
                ..trimmed.clone()
            };
            let (left, kept) = moments(&next);
            if left.length() >= off.length() {
                break;
            }
            next.kept = kept;
            trimmed = next;
        }
        trimmed
    }

    /// Whether the throttle moves anything at a point where this is out of balance.
    fn has_thrust(&self, at: DVec3, off: DVec3, kept: &[f64]) -> bool {
        let other = DVec3::new(at.x, at.y, if at.z < 0.5 { 1.0 } else { 0.0 });
        let there = self.unbalanced(other, &mut kept.to_vec(), FIRST_SETTLING);
        let moved = (there - off).length();
        moved.is_nan() || moved > NO_THRUST
    }

    /// How forces and pitching moment, of which this is out of balance at a point, change with angle of attack, elevator and throttle.
    fn slopes(&self, at: &Trimmed, off: DVec3) -> [DVec3; 3] {
        std::array::from_fn(|number| {
            let mut beside = at.clone();
            let [value, high] = [at.at()[number], self.limits[number][1]];
            // Inwards where the limit is near.
            let difference = if value + DIFFERENCES[number] > high { -1.0 } else { 1.0 } * DIFFERENCES[number];
            *[&mut beside.angle_of_attack, &mut beside.elevator, &mut beside.throttle][number] += difference;
            (self.off(&beside, &mut at.kept.clone(), SETTLING).along - off) / difference
        })
    }

    /// How rolling and yawing moment change with aileron and rudder.
    fn lateral_slopes(&self, at: &Trimmed, off: DVec2) -> DMat2 {
        let slope = |aileron: f64, rudder: f64| {
            let beside = Trimmed { aileron: at.aileron + aileron, rudder: at.rudder + rudder, ..at.clone() };
            (self.off(&beside, &mut at.kept.clone(), SETTLING).lateral - off) / OF_LATERAL
        };
        DMat2::from_cols(slope(OF_LATERAL, 0.0), slope(0.0, OF_LATERAL))
    }

    /// The same of a steady flight, whose engines have settled.
    pub fn off_without_sides(&self, trimmed: &Trimmed) -> DVec3 {
        self.unbalanced(trimmed.at(), &mut trimmed.kept.clone(), SETTLING)
    }

    /// What is not balanced along the path with aileron and rudder at rest.
    fn unbalanced(&self, at: DVec3, kept: &mut Vec<f64>, steps: usize) -> DVec3 {
        self.off(&Trimmed::without_sides(at, Vec::new()), kept, steps).along
    }

    /// What is not balanced once controls and engines have settled.
    fn off(&self, at: &Trimmed, kept: &mut Vec<f64>, steps: usize) -> Off {
        if self.airframe.has_play() {
            let from = Trimmed {
                elevator: at.elevator - FROM_BELOW,
                aileron: at.aileron - FROM_BELOW,
                rudder: at.rudder - FROM_BELOW,
                ..at.clone()
            };
            self.settled(&from, kept, TAKING_UP);
        }
        let [force, moment] = self.settled(at, kept, steps);
        let steady = self.flight;
        let weight = steady.mass * steady.gravity;
        let sizes = &self.airframe.description().air_forces.sizes;
        let [chord, span] = [sizes.chord, sizes.span].map(|size| weight * size.max(f64::MIN_POSITIVE));
        let (sine, cosine) = sin_cos(at.angle_of_attack - steady.descent);
        Off {
            along: DVec3::new(force.x / weight - sine, force.z / weight + cosine, moment.y / chord),
            lateral: DVec2::new(moment.x, moment.z) / span,
        }
    }

    /// Force \[N\] and moment \[N m\], body axes, once controls and engines have settled under these commands.
    fn settled(&self, at: &Trimmed, kept: &mut Vec<f64>, steps: usize) -> [DVec3; 2] {
        let Trimmed { angle_of_attack, elevator, aileron, rudder, throttle, .. } = *at;
        let (sine, cosine) = sin_cos(angle_of_attack);
        let steady = self.flight;
        let velocity = steady.airspeed * DVec3::new(cosine, 0.0, sine);
        let pitch = angle_of_attack - steady.descent;
        let Atmosphere { density, temperature, pressure, sound } =
            Atmosphere::of_temperature(steady.density, steady.temperature);
        let flight = Flight {
            air_velocity: velocity,
            ground_velocity: velocity,
            pitch,
            height: steady.height,
            density,
            sound,
            temperature,
            pressure,
            mass: steady.mass,
            arm: self.airframe.description().air_forces.reference_point,
            ..Flight::default()
        };
        let commands = Commands { elevator, aileron, rudder, throttle, ..Commands::default() };
        let given = Airframe::given(&flight, flight.downwards(), &commands, SETTLING_STEP);
        let mut loads = self.airframe.step(&given, kept);
        for _ in 1..steps {
            let before = kept.clone();
            loads = self.airframe.step(&given, kept);
            let is_still = |(now, before): (&f64, &f64)| (now - before).abs() <= SETTLED * (1.0 + now.abs());
            if kept.iter().zip(&before).all(is_still) {
                break;
            }
        }
        loads
    }
}

/// What a search balances: without thrust not the force along the path.
fn sought(is_gliding: bool) -> DVec3 {
    if is_gliding { DVec3::new(0.0, 1.0, 1.0) } else { DVec3::ONE }
}

/// Makes slopes give the change that a step was seen to make, with as little change of their own as that takes (Broyden 1965).
fn learn(slopes: &mut [DVec3; 3], step: DVec3, change: DVec3) {
    let shares = step / MOST;
    let missed = change - DMat3::from_cols_array_2d(&slopes.map(DVec3::into)) * step;
    if shares.length_squared() > 0.0 {
        for number in 0..3 {
            slopes[number] += missed * (shares[number] / (MOST[number] * shares.length_squared()));
        }
    }
}

fn within(at: DVec3, limits: &Limits) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|number| at[number].clamp(limits[number][0], limits[number][1])))
}

/// The step of Newton's method. What is at a limit and would go beyond it stays there, and with it the balance that it would make; so
/// does a throttle without thrust.
fn solve_within(mut slopes: [DVec3; 3], mut off: DVec3, at: DVec3, limits: &Limits, is_gliding: bool) -> Option<DVec3> {
    // What each number balances: the angle of attack the weight, the elevator the moment, the throttle the drag.
    const BALANCES: [usize; 3] = [1, 2, 0];
    let hold = |number: usize, slopes: &mut [DVec3; 3], off: &mut DVec3| {
        let row = BALANCES[number];
        slopes.iter_mut().for_each(|slope| slope[row] = 0.0);
        slopes[number] = DVec3::ZERO;
        slopes[number][row] = 1.0;
        off[row] = 0.0;
    };
    if is_gliding {
        hold(2, &mut slopes, &mut off);
    }
    for _ in 0..3 {
        let matrix = DMat3::from_cols_array_2d(&slopes.map(|slope| slope.to_array()));
        let step = Some(-(matrix.inverse() * off)).filter(|step| step.is_finite())?;
        let beyond = (0..3).find(|&number| {
            let [low, high] = limits[number];
            at[number] <= low && step[number] < 0.0 || at[number] >= high && step[number] > 0.0
        });
        let Some(number) = beyond else { return Some(step) };
        hold(number, &mut slopes, &mut off);
    }
    None
}
