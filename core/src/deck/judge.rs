//! A landing by steps whose errors are estimated, and that end where something changes: what judges the steps of one length.
//!
//! The equations are those of [`mod@super`]. Within a step collisions, standing and slipping stay as they are at its begin, so that
//! the rates are smooth, and the step is cut just after the first separation, border of a surface or limit of friction that is
//! passed ([`first_change`]). Only what has another sign at the step's end is seen: steps are at most [`LONGEST`], and deck and
//! initiators move by millimetres in that.
//!
//! Beside the state it integrates the work of lift and deck, and what dampers and friction take, so that the balance of energy
//! tells whether forces and motions belong together.

use glam::DVec2;

use super::contact::Configuration;
use super::landing::{DeckLanding, DeckOutcome, DeckStart, inverse, turned};
use super::response::GRAVITY;
use super::tally::{Moment, Tally};
use crate::elementary::pow;
use crate::integrator::{Integrator, IntegratorError, Step, System, Tolerances, Watch, first_change};
use crate::query::TargetSurface;

/// Longest step \[s\].
pub const LONGEST: f64 = 1e-3;
/// Components of the state before those of the modes: place, velocity, roll, its rate.
const BODY: usize = 6;
/// Components after those of the modes: work of the lift, work of the deck, taken by the gear's damping, taken by contacts.
const WORKS: usize = 4;

/// Where energy came from and went to \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Kinetic energy, that of gravity and that of all springs at the start.
    pub start: f64,
    /// The same at the end.
    pub end: f64,
    /// Work of the lift.
    pub lift: f64,
    /// Work of the moving deck.
    pub deck: f64,
    /// Taken by the gear's damping.
    pub gear: f64,
    /// Taken by dampers and friction on the deck.
    pub contact: f64,
    /// Greatest of the sums that came in or went, for a measure.
    pub turnover: f64,
}

impl EnergyBalance {
    /// What is missing, as a share of what was turned over; where nothing was, of what there is.
    #[must_use]
    pub fn gap(&self) -> f64 {
        let missing = self.start + self.lift + self.deck - self.gear - self.contact - self.end;
        let whole = if self.turnover > 0.0 { self.turnover } else { self.start.abs().max(self.end.abs()) };
        if missing == 0.0 { 0.0 } else { missing / whole }
    }
}

/// How an initiator is held along a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// The pebble stands at a place.
    Stands(f64),
    /// It slips, and friction has this sign.
    Slips(f64),
}

/// An initiator and a piece of the deck.
#[derive(Clone, Copy, Debug)]
struct Pair {
    initiator: usize,
    piece: usize,
    configuration: Configuration,
    hold: Hold,
}

/// An initiator by a surface, in the deck's axes.
struct Contact {
    separation: f64,
    way: f64,
    velocity: [f64; 2],
    /// Outwards and along.
    forces: [f64; 2],
    /// Standing: the force that the grip would have.
    asked: f64,
}

/// The landing while nothing begins or ends to touch or slip.
struct Frozen<'a> {
    landing: &'a DeckLanding,
    start: &'a DeckStart,
    pairs: &'a [Pair],
    touchdown: Option<f64>,
}

/// Runs a landing to its end at a relative tolerance.
///
/// # Errors
/// When steps shrink to nothing.
pub fn judge(
    landing: &DeckLanding,
    start: &DeckStart,
    tolerance: f64,
) -> Result<(DeckOutcome, EnergyBalance), IntegratorError> {
    let modes = landing.gear.modes.len();
    let initial = landing.initial(start);
    let mut state =
        vec![initial.place.x, initial.place.y, initial.velocity.x, initial.velocity.y, initial.roll, initial.roll_rate];
    state.extend(vec![0.0; 2 * modes + WORKS]);
    let mut absolute = vec![tolerance; BODY + 2 * modes];
    // A modal coordinate is a deflection by the root of a mass of kilograms.
    absolute[BODY..BODY + modes].fill(0.1 * tolerance);
    absolute.extend([1e4 * tolerance; WORKS]);
    let tolerances = Tolerances { relative: tolerance, absolute };
    let mut integrator = Integrator::new(0.0, state, tolerances)?.with_longest_step(LONGEST);
    let mut pairs = Vec::new();
    let mut tally = Tally::new(landing);
    let mut frozen = Frozen { landing, start, pairs: &[], touchdown: None };
    for initiator in 0..landing.gear.initiators.len() {
        for (piece, shape) in landing.deck.iter().enumerate() {
            let [place, _] = frozen.relative(0.0, integrator.state(), initiator);
            pairs.push(Pair { initiator, piece, configuration: shape.initial(place), hold: Hold::Stands(0.0) });
        }
    }
    let mut balance = EnergyBalance { start: frozen.energy(0.0, integrator.state()), ..EnergyBalance::default() };
    let mut jumps = 0.0;
    let end = landing.step * f64::from(landing.steps);
    while integrator.time() < end {
        frozen = Frozen { landing, start, pairs: &pairs, touchdown: frozen.touchdown };
        let step = integrator.propose(&frozen, end)?;
        let watch = Changes::new(&frozen, &step);
        let change = first_change(&watch, [step.from(), step.to()], 1e-9);
        let at = change.as_ref().map_or(step.to(), |change| change.at);
        let passed: Vec<Function> =
            change.iter().flat_map(|change| &change.functions).map(|&number| watch.functions[number]).collect();
        let before = integrator.state().to_vec();
        let from = integrator.time();
        integrator.accept(&step, at);
        let (kept, way) = frozen.after([from, at], [&before, integrator.state()], &passed);
        tally.slip(way);
        let touchdown =
            frozen.touchdown.or(kept.iter().any(|pair| pair.configuration.collision.is_some()).then_some(at));
        let held = frozen.energy(at, integrator.state());
        pairs = kept;
        frozen = Frozen { landing, start, pairs: &pairs, touchdown };
        jumps += held - frozen.energy(at, integrator.state());
        if tally.look(landing, start.mass, &frozen.moment(at, integrator.state())) {
            break;
        }
    }
    let works = &integrator.state()[BODY + 2 * modes..];
    balance.end = frozen.energy(integrator.time(), integrator.state());
    [balance.lift, balance.deck, balance.gear] = [works[0], works[1], works[2]];
    balance.contact = works[3] + jumps;
    balance.turnover = balance.gear + balance.contact + balance.lift.abs() + balance.deck.abs();
    Ok((tally.finish(landing, true), balance))
}

impl Frozen<'_> {
    fn modes(&self, state: &[f64]) -> Vec<[f64; 2]> {
        let count = self.landing.gear.modes.len();
        (0..count).map(|mode| [state[BODY + mode], state[BODY + count + mode]]).collect()
    }

    /// Arm and velocity of an initiator in the world's axes.
    fn initiator(&self, state: &[f64], initiator: usize) -> [DVec2; 2] {
        let [place, rate] = self.landing.bent(&self.modes(state), initiator);
        let body = turned(state[4]);
        let arm = body.rotate(place);
        [arm, DVec2::new(state[2], state[3]) + state[5] * arm.perp() + body.rotate(rate)]
    }

    /// Place and velocity of an initiator by the deck, in its axes.
    fn relative(&self, time: f64, state: &[f64], initiator: usize) -> [DVec2; 2] {
        let pose = self.start.motion.pose(time);
        let deck = turned(pose.roll);
        let [arm, velocity] = self.initiator(state, initiator);
        let from_deck = DVec2::new(state[0], state[1]) + arm - pose.place;
        let relative = velocity - pose.velocity - pose.roll_rate * from_deck.perp();
        [inverse(deck, from_deck), inverse(deck, relative)]
    }

    fn surface(&self, pair: &Pair) -> Option<&TargetSurface> {
        pair.configuration.collision.map(|surface| &self.landing.deck[pair.piece].surfaces()[surface])
    }

    fn contact(&self, time: f64, state: &[f64], pair: &Pair) -> Option<(Contact, &TargetSurface)> {
        let surface = self.surface(pair)?;
        let law = &self.landing.law;
        let [place, velocity] = self.relative(time, state, pair.initiator);
        let (separation, way) = (surface.separation(place), surface.way(place));
        let velocity = [surface.normal.dot(velocity), surface.along.dot(velocity)];
        let outwards = (-law.stiffness * separation - law.damping * velocity[0]).max(0.0);
        let (asked, along) = match pair.hold {
            Hold::Stands(pebble) => {
                let asked = -law.grip_stiffness * (way - pebble) - law.grip_damping * velocity[1];
                let holds = self.start.friction * law.static_ratio * outwards;
                (asked, asked.clamp(-holds, holds))
            }
            Hold::Slips(sign) => (0.0, sign * self.start.friction * outwards),
        };
        Some((Contact { separation, way, velocity, forces: [outwards, along], asked }, surface))
    }

    fn lift(&self, time: f64) -> f64 {
        let since = self.touchdown.map_or(0.0, |touchdown| time - touchdown);
        self.start.lift * pow(self.landing.lift_factor, since / self.landing.step)
    }

    /// Kinetic energy, that of gravity, and that of all springs.
    fn energy(&self, time: f64, state: &[f64]) -> f64 {
        let [mass, inertia] = [self.landing.mass, self.landing.inertia].map(|of| self.start.mass * of);
        let law = &self.landing.law;
        let mut energy = mass * (GRAVITY * state[1] + 0.5 * (state[2].powi(2) + state[3].powi(2)));
        energy += 0.5 * inertia * state[5].powi(2);
        for (mode, [q, p]) in self.landing.gear.modes.iter().zip(self.modes(state)) {
            energy += 0.5 * (p * p + (mode.frequency * q).powi(2));
        }
        for (pair, (contact, _)) in self.pairs.iter().filter_map(|pair| Some((pair, self.contact(time, state, pair)?)))
        {
            energy += 0.5 * law.stiffness * contact.separation.powi(2);
            if let Hold::Stands(pebble) = pair.hold {
                energy += 0.5 * law.grip_stiffness * (contact.way - pebble).powi(2);
            }
        }
        energy
    }

    /// All pairs after a step that passed these functions, and how far initiators slipped.
    fn after(&self, [from, at]: [f64; 2], [before, state]: [&[f64]; 2], passed: &[Function]) -> (Vec<Pair>, f64) {
        let mut slipped = 0.0;
        let next = |(number, pair): (usize, &Pair)| {
            let [old, _] = self.relative(from, before, pair.initiator);
            let [new, velocity] = self.relative(at, state, pair.initiator);
            let mut next = *pair;
            if let (Some(surface), Hold::Slips(_)) = (self.surface(pair), pair.hold) {
                slipped += surface.along.dot(new - old).abs();
            }
            next.configuration = self.landing.deck[pair.piece].next(pair.configuration, old, new);
            if next.configuration.collision != pair.configuration.collision {
                next.hold = self.first_hold(&next, new, velocity);
            } else if let Some((contact, _)) = self.contact(at, state, pair) {
                let is_passed = |function: &Function| function.pair == number;
                match pair.hold {
                    Hold::Stands(pebble)
                        if passed.iter().any(|it| is_passed(it) && matches!(it.kind, Kind::Holds(_))) =>
                    {
                        next.hold = self.given_way(&contact);
                        if let Hold::Stands(moved) = next.hold {
                            slipped += (moved - pebble).abs();
                        }
                    }
                    Hold::Slips(sign) if passed.iter().any(|it| is_passed(it) && it.kind == Kind::Slips) => {
                        if sign * contact.velocity[1] >= 0.0 {
                            let stretch = contact.forces[1] / self.landing.law.grip_stiffness;
                            next.hold = Hold::Stands(contact.way + stretch);
                        }
                    }
                    Hold::Stands(_) | Hold::Slips(_) => {}
                }
            }
            next
        };
        let pairs = self.pairs.iter().enumerate().map(next).collect();
        (pairs, slipped)
    }

    /// A grip that asked for more than friction gives: it slips, unless the initiator moves where the force draws it. Then nothing
    /// slips but the pebble, to where its spring alone has the force of friction, and there it stands.
    fn given_way(&self, contact: &Contact) -> Hold {
        let sign = contact.asked.signum();
        if sign * contact.velocity[1] < 0.0 {
            return Hold::Slips(sign);
        }
        let friction = sign * self.start.friction * contact.forces[0];
        Hold::Stands(contact.way + friction / self.landing.law.grip_stiffness)
    }

    /// An initiator that begins to touch stands, unless its damper asks for more than friction can give.
    fn first_hold(&self, pair: &Pair, place: DVec2, velocity: DVec2) -> Hold {
        let Some(surface) = self.surface(pair) else { return Hold::Stands(0.0) };
        let law = &self.landing.law;
        let asked = -law.grip_damping * surface.along.dot(velocity);
        let outwards = (-law.damping * surface.normal.dot(velocity)).max(0.0);
        if asked.abs() > self.start.friction * law.static_ratio * outwards {
            Hold::Slips(asked.signum())
        } else {
            Hold::Stands(surface.way(place))
        }
    }

    fn moment(&self, time: f64, state: &[f64]) -> Moment {
        let count = self.landing.gear.initiators.len();
        let pose = self.start.motion.pose(time);
        let deck = turned(pose.roll);
        let mut moment = Moment {
            time,
            loads: vec![None; count],
            onto: vec![0.0; count],
            places: (0..count).map(|initiator| self.relative(time, state, initiator)[0]).collect(),
            centre: inverse(deck, DVec2::new(state[0], state[1]) - pose.place),
            roll: state[4] - pose.roll,
            roll_rate: state[5] - pose.roll_rate,
            stress: 0.0,
        };
        for pair in self.pairs {
            if let Some((contact, _)) = self.contact(time, state, pair) {
                let load = &mut moment.loads[pair.initiator];
                *load = Some(load.unwrap_or(0.0) + contact.forces[0]);
                moment.onto[pair.initiator] = -contact.velocity[0];
            }
        }
        if moment.loads.iter().any(Option::is_some) {
            let coordinates: Vec<f64> = self.modes(state).iter().map(|mode| mode[0]).collect();
            moment.stress = self.landing.gear.stress_share(&coordinates);
        }
        moment
    }
}

impl System for Frozen<'_> {
    fn rates(&self, time: f64, state: &[f64], rates: &mut [f64]) {
        let DeckLanding { gear, mass, inertia, .. } = self.landing;
        let count = gear.modes.len();
        let modes = self.modes(state);
        let pose = self.start.motion.pose(time);
        let (body, deck) = (turned(state[4]), turned(pose.roll));
        rates.fill(0.0);
        let (mut force, mut torque) = (DVec2::ZERO, 0.0);
        let [.., deck_work, gear_loss, contact_loss] = [0, 1, 2, 3].map(|work| BODY + 2 * count + work);
        for pair in self.pairs {
            let Some((contact, surface)) = self.contact(time, state, pair) else { continue };
            let Contact { separation, velocity, forces: [outwards, along], .. } = contact;
            let push = deck.rotate(outwards * surface.normal + along * surface.along);
            let [arm, _] = self.initiator(state, pair.initiator);
            force += push;
            torque += arm.perp_dot(push);
            let own = inverse(body, push);
            for (mode, rate) in gear.modes.iter().zip(&mut rates[BODY + count..]) {
                *rate += mode.at[pair.initiator].dot(own);
            }
            let from_deck = DVec2::new(state[0], state[1]) + arm - pose.place;
            rates[deck_work] += push.dot(pose.velocity + pose.roll_rate * from_deck.perp());
            // The spring gives what the force does not take, and a grip that stands keeps what its damper does not take.
            let law = &self.landing.law;
            rates[contact_loss] += (-law.stiffness * separation - outwards) * velocity[0];
            rates[contact_loss] -= match pair.hold {
                Hold::Stands(pebble) => (along + law.grip_stiffness * (contact.way - pebble)) * velocity[1],
                Hold::Slips(_) => along * velocity[1],
            };
        }
        let lift = self.lift(time) * self.start.mass * mass * GRAVITY * body.perp();
        let acceleration = (force + lift) / (self.start.mass * mass) - GRAVITY * DVec2::Y;
        [rates[0], rates[1], rates[2], rates[3]] = [state[2], state[3], acceleration.x, acceleration.y];
        [rates[4], rates[5]] = [state[5], torque / (self.start.mass * inertia)];
        for (number, (mode, [q, p])) in gear.modes.iter().zip(modes).enumerate() {
            let damping = 2.0 * mode.damping * mode.frequency;
            rates[BODY + number] = p;
            rates[BODY + count + number] -= damping * p + mode.frequency.powi(2) * q;
            rates[gear_loss] += damping * p * p;
        }
        rates[BODY + 2 * count] = lift.dot(DVec2::new(state[2], state[3]));
    }
}

/// What is watched of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Separation from a surface.
    Separation(usize),
    /// An end of the surface that it collides with.
    End(f64),
    /// What friction still holds, in a direction.
    Holds(f64),
    /// Slipping against the force.
    Slips,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Function {
    pair: usize,
    kind: Kind,
}

/// Everything whose change of sign ends a step.
struct Changes<'a> {
    frozen: &'a Frozen<'a>,
    step: &'a Step,
    functions: Vec<Function>,
}

impl<'a> Changes<'a> {
    fn new(frozen: &'a Frozen<'a>, step: &'a Step) -> Self {
        let mut functions = Vec::new();
        for (number, pair) in frozen.pairs.iter().enumerate() {
            let mut add = |kind| functions.push(Function { pair: number, kind });
            let count = frozen.landing.deck[pair.piece].surfaces().len();
            (0..count).for_each(|surface| add(Kind::Separation(surface)));
            if frozen.surface(pair).is_some() {
                [1.0, -1.0].into_iter().for_each(|side| add(Kind::End(side)));
                match pair.hold {
                    Hold::Stands(_) => [1.0, -1.0].into_iter().for_each(|side| add(Kind::Holds(side))),
                    Hold::Slips(_) => add(Kind::Slips),
                }
            }
        }
        Self { frozen, step, functions }
    }

    fn value(&self, time: f64, state: &[f64], function: Function) -> f64 {
        let (frozen, pair) = (self.frozen, &self.frozen.pairs[function.pair]);
        if let Kind::Separation(surface) = function.kind {
            let [place, _] = frozen.relative(time, state, pair.initiator);
            return frozen.landing.deck[pair.piece].surfaces()[surface].separation(place);
        }
        let Some((contact, surface)) = frozen.contact(time, state, pair) else { return 1.0 };
        let holds = frozen.start.friction * frozen.landing.law.static_ratio * contact.forces[0];
        match (function.kind, pair.hold) {
            (Kind::End(side), _) if side > 0.0 => contact.way,
            (Kind::End(_), _) => surface.way(surface.end) - contact.way,
            (Kind::Holds(side), _) => holds - side * contact.asked,
            (_, Hold::Slips(sign)) => -sign * contact.velocity[1],
            (_, Hold::Stands(_)) => 1.0,
        }
    }
}

impl Watch for Changes<'_> {
    fn count(&self) -> usize {
        self.functions.len()
    }

    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
        let state = self.step.at(time);
        numbers.iter().map(|&number| self.value(time, &state, self.functions[number])).collect()
    }

    /// Nothing is looked for that the ends of the step do not show.
    fn rate_limit(&self, _: usize) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fall_that_turns_nothing_over_has_a_gap_that_is_a_number() {
        assert_eq!(EnergyBalance::default().gap(), 0.0);
        let balanced = EnergyBalance { start: 500.0, end: 500.0, ..EnergyBalance::default() };
        assert_eq!(balanced.gap(), 0.0);
        assert_eq!(EnergyBalance { end: 250.0, ..balanced }.gap(), 0.5);
        let turned_over = EnergyBalance { gear: 400.0, end: 99.0, turnover: 400.0, ..balanced };
        assert_eq!(turned_over.gap(), 1.0 / 400.0);
    }
}
