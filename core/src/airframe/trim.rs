//! Steady flight down a path with an aircraft's own physics.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::atmosphere::TEMPERATURE;
use super::{Airframe, Atmosphere, Commands};
use crate::air_forces::Flight;
use crate::elementary::sin_cos;

/// What a steady flight is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyFlight {
    /// Mass \[kg\].
    pub mass: f64,
    /// Acceleration of gravity \[m/s^2\].
    pub gravity: f64,
    /// Speed through the air \[m/s\].
    pub airspeed: f64,
    /// Density of the air \[kg/m^3\].
    pub density: f64,
    /// Its temperature \[K\].
    pub temperature: f64,
    /// Angle of the path below the horizon \[rad\].
    pub descent: f64,
    /// Height of the centre of gravity above the ground \[m\].
    pub height: f64,
    /// Largest throttle, 0 to 1; 0 for flights without power.
    pub greatest_throttle: f64,
}

/// A steady flight without sideslip, wings level.
#[derive(Clone, Debug, PartialEq)]
pub struct Trimmed {
    /// \[rad\].
    pub angle_of_attack: f64,
    /// Command, -1 to 1.
    pub elevator: f64,
    /// Command, -1 to 1: what balances the rolling moment of a propeller, say; 0 for what is symmetric.
    pub aileron: f64,
    /// Command, -1 to 1, likewise of the yawing moment.
    pub rudder: f64,
    /// Command, 0 to 1.
    pub throttle: f64,
    /// What is left of force over weight, and of moment over weight and chord: where it is not small, there is no steady flight.
    pub imbalance: f64,
    /// What a step leaves to the next.
    pub kept: Vec<f64>,
}

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
/// Change of the forces over the weight and of the moment by a whole throttle that is none.
const NO_THRUST: f64 = 1e-9;
/// Improvements of the path of a glide.
const GLIDE_ROUNDS: usize = 6;
/// Rolling and yawing moment over weight and span that are none.
const LEVEL: f64 = 1e-9;
/// Force over weight, and moment over weight and chord, that are as good as none.
const BALANCED: f64 = 1e-7;

/// Step in which controls and engines settle \[s\], and how many at most: engines have come to rest by then.
const SETTLING_STEP: f64 = 1.0 / 60.0;
const FIRST_SETTLING: usize = 1800;
const SETTLING: usize = 300;
/// Change in a step, as a share of the number, that is none.
const SETTLED: f64 = 1e-11;

/// Distances of the nodes between which steady flights are interpolated: mass as a share, airspeed \[m/s\], density as a share,
/// descent \[rad\], height \[m\], temperature \[K\].
const GRID: [f64; 6] = [0.04, 2.0, 0.04, 0.01, 20.0, 10.0];

/// Steady flights that are known already. They follow from the airframe: two of one airframe are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Arc<Mutex<BTreeMap<[i64; 8], Arc<Trimmed>>>>);

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
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

/// Numbers within limits.
type Limits = [[f64; 2]; 3];

impl SteadyFlight {
    /// Of the angle of attack \[rad\], elevator and throttle.
    fn limits(&self) -> Limits {
        [LIMITS[0], LIMITS[1], [0.0, self.greatest_throttle]]
    }
}

impl Airframe {
    /// The steady flight, interpolated between those of a grid, of which each is solved for once.
    #[must_use]
    pub fn trimmed(&self, flight: &SteadyFlight) -> Trimmed {
        let SteadyFlight { mass, gravity, airspeed, density, temperature, descent, height, greatest_throttle } =
            *flight;
        // Logarithms make of shares distances. At 15 °C the node is met.
        let numbers = [mass.ln(), airspeed, density.ln(), descent, height, temperature - TEMPERATURE];
        let cells: [(i64, f64); GRID.len()] = std::array::from_fn(|axis| {
            let at = numbers[axis] / GRID[axis];
            (at.floor() as i64, at - at.floor())
        });
        let corner = |corner: usize| -> [i64; GRID.len()] {
            std::array::from_fn(|axis| cells[axis].0 + (corner >> axis & 1) as i64)
        };
        let first = self.node(corner(0), gravity, greatest_throttle);
        // Of differences to the first: what is the same at all nodes is that between them, too.
        let mut between = Trimmed::clone(&first);
        for number in 1..1_usize << cells.len() {
            let share = |axis: usize| if number >> axis & 1 == 1 { cells[axis].1 } else { 1.0 - cells[axis].1 };
            let weight: f64 = (0..cells.len()).map(share).product();
            if weight == 0.0 {
                continue;
            }
            let node = self.node(corner(number), gravity, greatest_throttle);
            between.angle_of_attack += weight * (node.angle_of_attack - first.angle_of_attack);
            between.elevator += weight * (node.elevator - first.elevator);
            between.throttle += weight * (node.throttle - first.throttle);
            between.aileron += weight * (node.aileron - first.aileron);
            between.rudder += weight * (node.rudder - first.rudder);
            between.imbalance = between.imbalance.max(node.imbalance);
            let kept = between.kept.iter_mut().zip(&node.kept).zip(&first.kept);
            kept.for_each(|((between, node), first)| *between += weight * (node - first));
        }
        between
    }

    fn node(&self, node: [i64; GRID.len()], gravity: f64, greatest_throttle: f64) -> Arc<Trimmed> {
        let [mass, airspeed, density, descent, height, warmer] =
            std::array::from_fn(|axis| node[axis] as f64 * GRID[axis]);
        let [gravity_key, throttle_key] = [gravity, greatest_throttle].map(|number| number.to_bits() as i64);
        let key = [node[0], node[1], node[2], node[3], node[4], node[5], gravity_key, throttle_key];
        if let Some(known) = self.known.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        // Others need not wait meanwhile; who solves for the same finds the same.
        let solved = Arc::new(self.solve(&SteadyFlight {
            mass: mass.exp(),
            gravity,
            airspeed,
            density: density.exp(),
            temperature: TEMPERATURE + warmer,
            descent,
            height,
            greatest_throttle,
        }));
        self.known.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, solved.clone());
        solved
    }

    /// The flight at the same airspeed down the path that the aircraft takes with its throttle closed; none if no path is found.
    #[must_use]
    pub fn glide(&self, flight: &SteadyFlight) -> Option<SteadyFlight> {
        let mut glide = SteadyFlight { greatest_throttle: 0.0, ..*flight };
        for _ in 0..GLIDE_ROUNDS {
            let trimmed = self.solve(&glide);
            let at = DVec3::new(trimmed.angle_of_attack, trimmed.elevator, trimmed.throttle);
            let mut kept = trimmed.kept.clone();
            let off = self.unbalanced(&glide, at, &mut kept, SETTLING);
            if off.length() < BALANCED {
                return Some(glide);
            }
            // What drives it forward on its path makes the path flatter.
            glide.descent -= off.x;
        }
        None
    }

    /// Whether the throttle moves anything at a point where this is out of balance.
    fn has_thrust(&self, flight: &SteadyFlight, at: DVec3, off: DVec3, kept: &[f64]) -> bool {
        let other = DVec3::new(at.x, at.y, if at.z < 0.5 { 1.0 } else { 0.0 });
        let there = self.unbalanced(flight, other, &mut kept.to_vec(), FIRST_SETTLING);
        let moved = (there - off).length();
        moved.is_nan() || moved > NO_THRUST
    }

    /// The steady flight: Newton's method on forces along body X and Z and on the pitching moment, with controls and engines settled at
    /// each point. Where none exists within the limits, what comes nearest; without thrust that is where lift and moment balance.
    #[must_use]
    pub fn solve(&self, flight: &SteadyFlight) -> Trimmed {
        let mut best: Option<Found> = None;
        for start in STARTS {
            let found = self.balanced_from(flight, start);
            if best.as_ref().is_none_or(|best| found.imbalance.total_cmp(&best.imbalance).is_lt()) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.is_gliding || best.imbalance < BALANCED) {
                break;
            }
        }
        let Found { mut imbalance, at, kept, is_gliding } = best.unwrap_or_default();
        if is_gliding {
            imbalance = self.unbalanced(flight, at, &mut kept.clone(), SETTLING).length();
        }
        let trimmed = Trimmed {
            angle_of_attack: at.x,
            elevator: at.y,
            aileron: 0.0,
            rudder: 0.0,
            throttle: at.z,
            imbalance,
            kept,
        };
        self.balanced_laterally(flight, trimmed)
    }

    /// What the search finds from a start on.
    fn balanced_from(&self, flight: &SteadyFlight, start: DVec3) -> Found {
        let mut kept = self.routine().at_start();
        let limits = flight.limits();
        let mut at = within(start, &limits);
        self.unbalanced(flight, at, &mut kept, FIRST_SETTLING);
        let mut off = self.unbalanced(flight, at, &mut kept, SETTLING);
        // What no throttle balances is not searched for.
        let is_gliding = flight.greatest_throttle == 0.0 || !self.has_thrust(flight, at, off, &kept);
        let sought = if is_gliding { DVec3::new(0.0, 1.0, 1.0) } else { DVec3::ONE };
        if is_gliding {
            at.z = 0.0;
        }
        let size = |off: DVec3| (off * sought).length();
        let mut best = (size(off), at, kept.clone());
        for _ in 0..ROUNDS {
            if best.0 < BALANCED {
                break;
            }
            let slopes: [DVec3; 3] = std::array::from_fn(|number| {
                let mut beside = at;
                // Inwards where the limit is near.
                let difference = if at[number] + DIFFERENCES[number] > limits[number][1] { -1.0 } else { 1.0 };
                let difference = difference * DIFFERENCES[number];
                beside[number] += difference;
                (self.unbalanced(flight, beside, &mut kept.clone(), SETTLING) - off) / difference
            });
            let step = solve_within(slopes, off, at, &limits, is_gliding);
            let Some(step) = step else { break };
            let step = step.clamp(-MOST, MOST);
            let mut share = 1.0;
            for halvings in 0..=HALVINGS {
                let next = within(at + share * step, &limits);
                let mut left = kept.clone();
                let next_off = self.unbalanced(flight, next, &mut left, SETTLING);
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
    fn balanced_laterally(&self, flight: &SteadyFlight, mut trimmed: Trimmed) -> Trimmed {
        let span = flight.mass * flight.gravity * self.description().air_forces.sizes.span.max(f64::MIN_POSITIVE);
        let moments = |trimmed: &Trimmed| {
            let mut kept = trimmed.kept.clone();
            let [_, moment] = self.settled(flight, trimmed, &mut kept, SETTLING);
            (DVec2::new(moment.x, moment.z) / span, kept)
        };
        for _ in 0..LATERAL_ROUNDS {
            let (off, _) = moments(&trimmed);
            if off.length() <= LEVEL {
                break;
            }
            let slope = |aileron: f64, rudder: f64| {
                let beside =
                    Trimmed { aileron: trimmed.aileron + aileron, rudder: trimmed.rudder + rudder, ..trimmed.clone() };
                (moments(&beside).0 - off) / OF_LATERAL
            };
            let step = -(DMat2::from_cols(slope(OF_LATERAL, 0.0), slope(0.0, OF_LATERAL)).inverse() * off);
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

    /// Forces along body X and Z over the weight, and the pitching moment over weight and chord, once controls and engines have
    /// settled.
    fn unbalanced(&self, steady: &SteadyFlight, at: DVec3, kept: &mut Vec<f64>, steps: usize) -> DVec3 {
        let trimmed = Trimmed {
            angle_of_attack: at.x,
            elevator: at.y,
            aileron: 0.0,
            rudder: 0.0,
            throttle: at.z,
            imbalance: 0.0,
            kept: Vec::new(),
        };
        let [force, moment] = self.settled(steady, &trimmed, kept, steps);
        let weight = steady.mass * steady.gravity;
        let chord = self.description().air_forces.sizes.chord.max(f64::MIN_POSITIVE);
        let (sine, cosine) = sin_cos(at.x - steady.descent);
        DVec3::new(force.x / weight - sine, force.z / weight + cosine, moment.y / (weight * chord))
    }

    /// Force \[N\] and moment \[N m\], body axes, once controls and engines have settled under these commands.
    fn settled(&self, steady: &SteadyFlight, at: &Trimmed, kept: &mut Vec<f64>, steps: usize) -> [DVec3; 2] {
        let Trimmed { angle_of_attack, elevator, aileron, rudder, throttle, .. } = *at;
        let (sine, cosine) = sin_cos(angle_of_attack);
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
            arm: self.description().air_forces.reference_point,
            ..Flight::default()
        };
        let commands = Commands { elevator, aileron, rudder, throttle, ..Commands::default() };
        let given = Self::given(&flight, &commands, SETTLING_STEP);
        let mut loads = self.step(&given, kept);
        for _ in 1..steps {
            let before = kept.clone();
            loads = self.step(&given, kept);
            let is_still = |(now, before): (&f64, &f64)| (now - before).abs() <= SETTLED * (1.0 + now.abs());
            if kept.iter().zip(&before).all(is_still) {
                break;
            }
        }
        loads
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
