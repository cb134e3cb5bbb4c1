//! Impulses, contact by contact and sweep by sweep.

use glam::DVec3;

use super::{DIRECTED, Pair, Step, Undetermined};
use crate::validation::wheel_bound::U;
use crate::validation::world_steps::tape::{Number, Tape, Vector};
use crate::world::{INERTIA_RATIO, Partner, StepDecisions};

impl<'t> Step<'t, '_> {
    pub(super) fn prepare(&mut self, number: usize) -> Result<(), Undetermined> {
        let tape = self.tape;
        let pair = &self.pairs[number];
        let (partner, body) = (pair.partner, pair.second);
        let Some(old) = self.item.contacts.iter().find(|old| old.partner == partner && old.body == body) else {
            return Ok(());
        };
        let unit = self.balls.step / (self.units.length * self.units.mass);
        let half = Vector::of(|axis| tape.exact(0.5) * tape.narrowed((old.impulse * unit)[axis]));
        let along = half.dot(pair.normal);
        if !along.is_certain() {
            return Err(Undetermined("a remembered impulse across its normal"));
        }
        if along.value <= 0.0 {
            return Ok(());
        }
        let rub = half - pair.normal.by(along);
        let impulse = pair.normal.by(along) + rub;
        let pair = &mut self.pairs[number];
        (pair.half, pair.push, pair.rub, pair.pushes) = (along, along, rub, Some(true));
        self.displace(number, impulse);
        Ok(())
    }

    fn displace(&mut self, number: usize, impulse: Vector<'t>) {
        let Pair { first, second, .. } = self.pairs[number];
        self.moving[first] = self.moving[first] - impulse.by(self.inverse_mass[first]);
        self.moving[second] = self.moving[second] + impulse.by(self.inverse_mass[second]);
    }

    /// Finds errors anew that have grown from operation to operation.
    fn tighten(&mut self, number: usize) {
        let pair = &mut self.pairs[number];
        pair.push = pair.push.tightened(&mut pair.last[0]);
        pair.rub = pair.rub.tightened(&mut pair.last[1]);
        for body in [pair.first, pair.second] {
            let last = &mut self.last[body];
            self.moving[body] = self.moving[body].tightened(&mut last[0]);
            self.after[body] = self.after[body].tightened(&mut last[1]);
            self.rim[body] = self.rim[body].tightened(&mut last[2]);
        }
    }

    pub(super) fn move_apart(&mut self, number: usize) {
        self.tighten(number);
        let Pair { first, second, normal, gap, mobility, push, half, rub, .. } = self.pairs[number];
        let speed = normal.dot(self.moving[second] - self.moving[first]);
        let (wanted, pushes) = (push - (speed + gap) * mobility).positive();
        let share = pressed(wanted, half) - pressed(push, half);
        self.displace(number, normal.by(wanted - push) + rub.by(share));
        (self.pairs[number].push, self.pairs[number].pushes) = (wanted, pushes);
    }

    pub(super) fn keep_closed(&mut self) {
        let tape = self.tape;
        let pairs = std::mem::take(&mut self.pairs);
        for mut pair in pairs {
            let Pair { partner, first, second, normal, gap, share, push, half, pushes, .. } = pair;
            let start = normal.dot(self.velocity[second] - self.velocity[first]);
            let end = normal.dot(self.after[second] - self.after[first]);
            let left = gap + normal.dot(self.moving[second] - self.moving[first]);
            let told = self.decisions.told(partner, second).map(|told| told.decided);
            let is_sure = pushes == Some(true) || (left.is_certain() && (left.value <= 0.0 || pushes.is_some()));
            let truth = push.value > 0.0 || left.value <= 0.0;
            if !self.decisions.decide(truth, is_sure, Some(told.is_some())) {
                continue;
            }
            let gained = end - start;
            let speed = start + share * gained;
            let square = start * start - gained * tape.exact(2.0) * gap;
            let conjuncts = [(speed.value < 0.0, speed), (gap.value > 0.0, gap), (square.value >= 0.0, square)];
            let truth = conjuncts.iter().all(|(holds, _)| *holds);
            let is_sure = if truth {
                conjuncts.iter().all(|(_, number)| number.is_certain())
            } else {
                conjuncts.iter().any(|(holds, number)| !holds && number.is_certain())
            };
            let told = told.map(|told| told.has(StepDecisions::FALLS));
            let fallen = -square.root();
            // Through no gap a fall gains no speed, nor does what passes by: there both are 0 but for rounding.
            let is_kink =
                is_sure || !gap.is_certain() || (fallen.value - speed.value).abs() <= fallen.error() + speed.error();
            let falls = if is_kink {
                self.decisions.decide_kink(truth, is_sure, told)
            } else {
                self.decisions.decide(truth, is_sure, told)
            };
            pair.decided = pair.decided.with(StepDecisions::FALLS, falls);
            let approach = if falls { fallen } else { speed };
            let surface = match partner {
                Partner::Wall(wall) => self.surfaces[self.bodies() + wall],
                Partner::Body(first) => self.surfaces[first],
            };
            pair.bias = surface[0] * self.surfaces[second][0] * approach;
            pair.friction = surface[1] * self.surfaces[second][1];
            let twice = pressed(push, half) * tape.exact(2.0);
            (pair.push, pair.rub) = (half * twice, pair.rub.by(twice));
            self.pairs.push(pair);
        }
    }

    pub(super) fn apply(&mut self, number: usize, push: Number<'t>, rub: Vector<'t>) {
        let Pair { first, second, normal, .. } = self.pairs[number];
        let (all, turn) = (normal.by(push) + rub, normal.cross(rub));
        let ratio = self.tape.exact(INERTIA_RATIO);
        let masses = [self.inverse_mass[first], self.inverse_mass[second]];
        self.after[first] = self.after[first] - all.by(masses[0]);
        self.rim[first] = self.rim[first] - turn.by(masses[0] * ratio);
        self.after[second] = self.after[second] + all.by(masses[1]);
        self.rim[second] = self.rim[second] - turn.by(masses[1] * ratio);
    }

    fn alone(&self, number: usize) -> (Number<'t>, Vector<'t>) {
        let Pair { first, second, normal, mobility, push, rub, friction, bias, .. } = self.pairs[number];
        let linear = self.after[second] - self.after[first];
        let speed = normal.dot(linear);
        let rims = self.rim[first] + self.rim[second];
        let velocity = linear - normal.by(speed) - rims.cross(normal);
        let (push, _) = (push - (speed + bias) * mobility).positive();
        let tangential = self.tape.narrowed(1.0 / (1.0 + INERTIA_RATIO));
        let sticking = rub - velocity.by(mobility * tangential);
        (push, within(self.tape, sticking, friction * push))
    }

    pub(super) fn push_apart(&mut self, number: usize) {
        self.tighten(number);
        let (push, rub) = self.alone(number);
        let own = &self.pairs[number];
        let change = (push - own.push, rub - own.rub);
        self.apply(number, change.0, change.1);
        (self.pairs[number].push, self.pairs[number].rub) = (push, rub);
    }

    /// The largest squared way by which contacts are off their laws, and how far that may be off.
    pub(super) fn missed(&self) -> [f64; 2] {
        let mut largest = [0.0_f64; 2];
        for (number, pair) in self.pairs.iter().enumerate() {
            let (push, rub) = self.alone(number);
            let change = pair.normal.by(push - pair.push) + (rub - pair.rub);
            let masses = self.inverse_mass[pair.first] + self.inverse_mass[pair.second];
            let missed = change.length() * masses.value;
            largest = [largest[0].max(missed), largest[1].max(change.error() * masses.value + 8.0 * U * missed)];
        }
        largest
    }
}

/// How much of the friction of the step before acts.
fn pressed<'t>(push: Number<'t>, half: Number<'t>) -> Number<'t> {
    if half.value > 0.0 { push.over(half).share() } else { half.like(0.0) }
}

/// The nearest in a disc. It moves no farther than what is taken there and its radius do, wherever that is.
fn within<'t>(tape: &'t Tape, sticking: Vector<'t>, limit: Number<'t>) -> Vector<'t> {
    let length = sticking.length();
    if length == 0.0 && sticking.coarse() == 0.0 {
        return sticking;
    }
    let slides = length > limit.value;
    let factor = if slides { limit.value / length } else { 1.0 };
    let off = sticking.coarse();
    let off = if length * DIRECTED > off { off } else { sticking.error() };
    let root = f64::from(f32::MIN_POSITIVE).sqrt();
    if length * DIRECTED <= off {
        let own = off + limit.error() + 16.0 * U * length + root;
        return Vector::of(|axis| tape.node(sticking.0[axis].value * factor, &[], own));
    }
    // What the derivatives of a direction miss: no second derivative of it is above 2 / sqrt(3), of a vector of length 1.
    let turned = off / (length - off);
    let remainder = turned * (limit.value * turned / 3.0_f64.sqrt() + limit.coarse());
    let along = DVec3::from_array(sticking.0.map(|number| number.value)) / length;
    let of_length = [0, 1, 2].map(|axis| (sticking.0[axis], along[axis]));
    let of_beyond = [of_length[0], of_length[1], of_length[2], (limit, -1.0)];
    let beyond = tape.node(length - limit.value, &of_beyond, off * turned);
    let compared = 5.0 * U * (length + limit.value) + root;
    let off = if beyond.value.abs() > beyond.coarse() + compared { 0.0 } else { beyond.error() + compared };
    // Whichever it takes, both are no farther apart than the error reaches beyond.
    let reaches = (off - beyond.value.abs()).max(0.0);
    if !slides {
        return if reaches > 0.0 {
            Vector::of(|axis| {
                tape.node(sticking.0[axis].value, &[(sticking.0[axis], 1.0)], reaches * along[axis].abs())
            })
        } else {
            sticking
        };
    }
    Vector::of(|axis| {
        let by = |other: usize| factor * (f64::from(u8::from(axis == other)) - along[axis] * along[other]);
        let of = [(sticking.0[0], by(0)), (sticking.0[1], by(1)), (sticking.0[2], by(2)), (limit, along[axis])];
        let value = sticking.0[axis].value * factor;
        let own = 16.0 * U * value.abs() + remainder + (root + reaches) * along[axis].abs();
        tape.node(value, &of, own)
    })
}
