//! Which of a step may touch.

use super::{DIRECTED, Pair, Step, Touch, Undetermined};
use crate::validation::world_steps::tape::{Number, Tape, Vector};
use crate::world::{Partner, SLACK, StepDecisions};

impl<'t> Step<'t, '_> {
    fn flag(&mut self, partner: Partner, second: usize, Touch { normal, gap, share, decided }: Touch<'t>) {
        let zero = self.tape.exact(0.0);
        let first = match partner {
            Partner::Wall(_) => self.bodies(),
            Partner::Body(first) => first,
        };
        let masses = self.inverse_mass[first] + self.inverse_mass[second];
        self.pairs.push(Pair {
            partner,
            first,
            second,
            normal,
            gap,
            share,
            mobility: self.tape.exact(1.0).over(masses),
            rub: Vector::of(|_| zero),
            half: zero,
            push: zero,
            pushes: Some(false),
            friction: zero,
            bias: zero,
            decided,
            last: [0.0; 2],
        });
    }

    fn note_depth(&mut self, gap: Number<'t>) {
        // The deepest of the device is no deeper than the judge's by more than the largest error, and no less deep.
        self.depth = [self.depth[0].max(-gap.value), self.depth[1].max(gap.coarse())];
    }

    pub(super) fn search_walls(&mut self) {
        let tape = self.tape;
        for body in (0..self.bodies()).filter(|&body| self.item.present[body]) {
            for wall in 0..self.balls.walls.len() {
                let (normal, offset) = self.balls.walls[wall];
                let offset = tape.narrowed((offset - normal.dot(self.units.origin)) / self.units.length);
                let normal = Vector::of(|axis| tape.narrowed(normal[axis]));
                let base = Vector::of(|axis| tape.exact(self.base[body][axis]));
                let gap = (normal.dot(base) - offset) + normal.dot(self.rest[body]) - self.radii[body];
                self.note_depth(gap);
                let way = normal.dot(self.moving[body]);
                let partner = Partner::Wall(wall);
                let told = self.decisions.told(partner, body).map(|told| told.decided);
                let nearer = gap + way - tape.exact(SLACK) * self.radii[body];
                if !self.decisions.decide(nearer.value < 0.0, nearer.is_certain(), told.map(|_| true)) {
                    continue;
                }
                let apart = told.map(|told| told.has(StepDecisions::APART));
                // The share grows from 0 with the gap of what approaches.
                let approaches = way.value < 0.0 && way.is_certain();
                let is_apart = if approaches {
                    self.decisions.decide_kink(gap.value > 0.0, gap.is_certain(), apart)
                } else {
                    self.decisions.decide(gap.value > 0.0, gap.is_certain(), apart)
                };
                let share = match is_apart {
                    // Without an approach that is known, the share is anything up to 1.
                    true if approaches => {
                        let share = gap.over(-way).share();
                        if gap.value > 0.0 { share } else { tape.node(0.0, &[], share.error() + gap.value / way.value) }
                    }
                    true if way.is_certain() => tape.exact(1.0),
                    true => tape.node(1.0, &[], 1.0),
                    false => tape.exact(0.0),
                };
                let decided = StepDecisions::NONE.with(StepDecisions::APART, is_apart);
                self.flag(partner, body, Touch { normal, gap, share, decided });
            }
        }
    }

    pub(super) fn search_pairs(&mut self) -> Result<(), Undetermined> {
        let present: Vec<usize> = (0..self.bodies()).filter(|&body| self.item.present[body]).collect();
        for (number, &first) in present.iter().enumerate() {
            for &second in &present[number + 1..] {
                if let Some(touch) = self.closest(first, second)? {
                    self.flag(Partner::Body(first), second, touch);
                }
            }
        }
        Ok(())
    }

    fn closest(&mut self, first: usize, second: usize) -> Result<Option<Touch<'t>>, Undetermined> {
        let tape = self.tape;
        let (zero, one) = (tape.exact(0.0), tape.exact(1.0));
        let reach = self.radii[first] + self.radii[second];
        let slack = tape.exact(0.5 * SLACK) * reach;
        let outer = reach + slack;
        let apart = self.base[second] - self.base[first];
        let offset = Vector::of(|axis| tape.exact(apart[axis])) + (self.rest[second] - self.rest[first]);
        let way = self.moving[second] - self.moving[first];
        let (squared, ways) = (offset.dot(offset), way.dot(way));
        // What is that far apart is not flagged, whether f32 looks at it or not.
        if squared.value >= (ways.value + outer.value * outer.value) * 2.0 * (1.0 + 1e-4) {
            return Ok(None);
        }
        let distance = squared.root();
        let gap = distance - reach;
        self.note_depth(gap);
        let closing = offset.dot(way);
        let constant = gap * (distance + reach);
        let discriminant = closing * closing - ways * constant;
        let told = self.decisions.told(Partner::Body(first), second).map(|told| told.decided);
        let bit = |bit: StepDecisions| told.map(|told| told.has(bit));
        // The share grows from 0 with the gap of what approaches.
        let is_apart = if closing.value < 0.0 && closing.is_certain() {
            self.decisions.decide_kink(gap.value > 0.0, gap.is_certain(), bit(StepDecisions::APART))
        } else {
            self.decisions.decide(gap.value > 0.0, gap.is_certain(), bit(StepDecisions::APART))
        };
        let near = gap - slack;
        let is_close = self.decisions.decide(near.value <= 0.0, near.is_certain(), bit(StepDecisions::NEAR));
        let (meets, root) = self.meets([closing, discriminant, constant], is_apart, bit(StepDecisions::MEETS));
        let when = match (is_close, meets) {
            (true, _) => zero,
            (false, true) => root,
            (false, false) => nearest(tape, closing, ways),
        };
        let there = if is_close { offset } else { offset + way.by(when) };
        let length = there.dot(there).root();
        let inner = length - outer;
        let is_inside = self.decisions.decide(inner.value < 0.0, is_close || inner.is_certain(), told.map(|_| true));
        if !(is_close || is_inside) {
            return Ok(None);
        }
        let normal = if length.value == 0.0 && there.coarse() == 0.0 {
            Vector([zero, zero, one])
        } else if length.value * DIRECTED > there.coarse() {
            Vector::of(|axis| there.0[axis].over(length))
        } else {
            return Err(Undetermined("a direction of what is at one place but for rounding"));
        };
        let share = match (is_apart, meets) {
            (false, _) => zero,
            (true, true) => root,
            (true, false) => one,
        };
        let decided = StepDecisions::NONE
            .with(StepDecisions::APART, is_apart)
            .with(StepDecisions::NEAR, is_close)
            .with(StepDecisions::MEETS, meets);
        Ok(Some(Touch { normal, gap: normal.dot(offset) - reach, share, decided }))
    }

    /// Whether two meet on their way, and the share of the step until then.
    fn meets(
        &mut self,
        [closing, discriminant, constant]: [Number<'t>; 3],
        is_apart: bool,
        told: Option<bool>,
    ) -> (bool, Number<'t>) {
        let tape = self.tape;
        let one = tape.exact(1.0);
        if !is_apart {
            return (false, one);
        }
        let may_not =
            (closing.value >= 0.0 && closing.is_certain()) || (discriminant.value <= 0.0 && discriminant.is_certain());
        if may_not {
            return (false, one);
        }
        let root = (closing.value < 0.0).then(|| constant.over(discriminant.root() - closing));
        let is_met = |root: Number<'t>| {
            let left = root - one;
            (left.value < 0.0 && discriminant.value > 0.0, left.is_certain())
        };
        let surely_closes = closing.is_certain() && discriminant.is_certain();
        let (truth, root_is_certain) = root.map_or((false, false), is_met);
        let certain_of_root = root_is_certain && (surely_closes || root.is_some_and(|root| root.value >= 1.0));
        let meets = self.decisions.decide(truth, certain_of_root, told);
        // A share that rounding makes one is not known.
        let share = root.map_or_else(|| tape.node(1.0, &[], 1.0), Number::share);
        (meets, if meets { share } else { one })
    }
}

/// When two are closest, as a share of the step.
fn nearest<'t>(tape: &'t Tape, closing: Number<'t>, ways: Number<'t>) -> Number<'t> {
    let zero = tape.exact(0.0);
    if ways.value == 0.0 && ways.coarse() == 0.0 {
        return zero;
    }
    if ways.value * DIRECTED <= ways.coarse() {
        // Of a way of nothing but rounding any share is as near.
        return tape.node(0.0, &[], 1.0);
    }
    (-closing).over(ways).positive().0.share()
}
