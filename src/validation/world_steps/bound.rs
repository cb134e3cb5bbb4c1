//! A step of a world of balls, as far as f32 may be off.
//!
//! The text of the kernel (`shaders/ball_world.wgsl`) in its own order and units, with numbers on a [`Tape`]. Kinks need no decision: what
//! is the larger of two, and whether a contact sticks, moves the result by no more than the error reaches beyond the kink. Where a
//! comparison jumps (whether two meet, whether a pair is a contact), and rounding may decide it otherwise, the step is followed as the
//! candidate tells that it has decided ([`StepDecisions`]), or both ways where it does not tell.

use glam::DVec3;

use super::tape::{Number, Tape, Vector};
use crate::validation::deviation::Deviation;
use crate::validation::wheel_bound::U;
use crate::world::{
    Balls, INERTIA_RATIO, Partner, ROUGH, SLACK, StepContact, StepDecisions, World, WorldStep, WorldStepped,
};

/// Places are split at multiples of this, in units of length.
const GRID: f64 = 1.0 / 64.0;
/// What is off by more than this part of itself has no direction.
const DIRECTED: f64 = 1.0 / 8.0;

/// Products of errors that a number takes up in a step, far more than contacts have sweeps.
const PRODUCTS: f64 = 64.0;

/// Why a step cannot be followed: rounding decides a direction, or how friction of the step before is scaled.
pub(super) struct Undetermined(pub &'static str);

/// A step as it has been followed.
pub(super) struct Followed {
    /// What is not as the candidate has it, whatever rounding does.
    pub otherwise: Option<&'static str>,
    /// The largest error by its bound.
    pub worst: Deviation,
    /// Whether something was decided otherwise than by the judge.
    pub is_turned: bool,
    /// How decisions came out that rounding may take otherwise and of which the candidate does not tell.
    pub untold: Vec<bool>,
}

/// The decisions of a step.
struct Decisions<'a> {
    answer: &'a WorldStepped,
    /// How the first of those come out of which the candidate does not tell.
    forced: &'a [bool],
    untold: Vec<bool>,
    is_turned: bool,
}

impl Decisions<'_> {
    /// What holds of a comparison that comes out like this for the judge, and where the result jumps.
    fn decide(&mut self, truth: bool, is_certain: bool, told: Option<bool>) -> bool {
        let chosen = self.decide_kink(truth, is_certain, told);
        self.is_turned |= chosen != truth;
        chosen
    }

    /// The same where the result does not jump.
    fn decide_kink(&mut self, truth: bool, is_certain: bool, told: Option<bool>) -> bool {
        if is_certain {
            return truth;
        }
        told.unwrap_or_else(|| {
            let chosen = self.forced.get(self.untold.len()).copied().unwrap_or(truth);
            self.untold.push(chosen);
            chosen
        })
    }

    /// What the candidate tells of a pair.
    fn told(&self, partner: Partner, body: usize) -> Option<&StepContact> {
        self.answer.contacts.iter().find(|contact| contact.partner == partner && contact.body == body)
    }
}

/// A pair that may touch.
struct Pair<'t> {
    partner: Partner,
    first: usize,
    second: usize,
    normal: Vector<'t>,
    gap: Number<'t>,
    share: Number<'t>,
    mobility: Number<'t>,
    rub: Vector<'t>,
    half: Number<'t>,
    push: Number<'t>,
    /// Whether it pushes, where that is known.
    pushes: Option<bool>,
    friction: Number<'t>,
    bias: Number<'t>,
    decided: StepDecisions,
}

/// A touch found by a search.
struct Touch<'t> {
    normal: Vector<'t>,
    gap: Number<'t>,
    share: Number<'t>,
    decided: StepDecisions,
}

/// Units of a world.
struct Units {
    length: f64,
    mass: f64,
    origin: DVec3,
}

impl Units {
    fn of(world: &World, balls: &Balls) -> Self {
        let power = |number: f64| number.log2().round().exp2();
        let bodies = &world.bodies;
        let of_start = bodies.iter().map(|body| body.motion.position).sum::<DVec3>() / bodies.len() as f64;
        Self {
            length: power(balls.radii.iter().copied().fold(0.0, f64::max)),
            mass: power(bodies.iter().map(|body| body.mass).fold(0.0, f64::max)),
            origin: balls.bounds.map_or(of_start, |[min, max]| 0.5 * (min + max)),
        }
    }
}

/// A step being followed.
struct Step<'t, 'a> {
    tape: &'t Tape,
    balls: &'a Balls,
    units: Units,
    item: &'a WorldStep,
    decisions: Decisions<'a>,
    /// Places as multiples of the grid, and rests; then what the kernel has of a body, the fixed one last.
    base: Vec<DVec3>,
    rest: Vec<Vector<'t>>,
    radii: Vec<Number<'t>>,
    velocity: Vec<Vector<'t>>,
    inverse_mass: Vec<Number<'t>>,
    moving: Vec<Vector<'t>>,
    after: Vec<Vector<'t>>,
    rim: Vec<Vector<'t>>,
    surfaces: Vec<[Number<'t>; 2]>,
    pairs: Vec<Pair<'t>>,
    /// Deepest penetration, and how far that may be off.
    depth: [f64; 2],
}

/// A place as a multiple of the grid and the rest.
fn split(place: DVec3) -> [DVec3; 2] {
    let base = (place / GRID).round() * GRID;
    [base, place - base]
}

/// Follows a step as a candidate has decided it, and otherwise as `forced` says.
///
/// # Errors
/// Where rounding decides a direction.
pub(super) fn follow(
    world: &World,
    balls: &Balls,
    (item, answer): (&WorldStep, &WorldStepped),
    forced: &[bool],
) -> Result<Followed, Undetermined> {
    let tape = Tape::default();
    let decisions = Decisions { answer, forced, untold: Vec::new(), is_turned: false };
    let mut step = Step::new(&tape, world, balls, item, decisions);
    step.search_walls();
    step.search_pairs()?;
    for pair in 0..step.pairs.len() {
        step.prepare(pair)?;
    }
    let rows = step.pairs.len();
    for sweep in 0..balls.sweeps {
        for place in 0..rows {
            step.move_apart(turned(sweep, place, rows));
        }
    }
    step.keep_closed();
    for pair in 0..step.pairs.len() {
        step.apply(pair, step.pairs[pair].push, step.pairs[pair].rub);
    }
    let rows = step.pairs.len();
    for sweep in 0..balls.sweeps {
        for place in 0..rows {
            step.push_apart(turned(sweep, place, rows));
        }
    }
    Ok(step.compared())
}

/// The row that comes in this place of a sweep.
fn turned(sweep: u32, place: usize, rows: usize) -> usize {
    if sweep.is_multiple_of(2) { place } else { rows - 1 - place }
}

impl<'t, 'a> Step<'t, 'a> {
    fn new(tape: &'t Tape, world: &World, balls: &'a Balls, item: &'a WorldStep, decisions: Decisions<'a>) -> Self {
        let units = Units::of(world, balls);
        let (length, step) = (units.length, balls.step);
        let narrowed = |vector: DVec3| Vector::of(|axis| tape.narrowed(vector[axis]));
        let zero = Vector::of(|_| tape.exact(0.0));
        let motions = &item.start.motions;
        let splits: Vec<[DVec3; 2]> =
            motions.iter().map(|motion| split((motion.position - units.origin) / length)).collect();
        let velocity: Vec<Vector<'t>> =
            motions.iter().map(|motion| narrowed(motion.velocity * (step / length))).collect();
        let (gravity, left) = (narrowed(balls.gravity * (step * step / length)), tape.narrowed(balls.left));
        let after: Vec<Vector<'t>> = velocity.iter().map(|velocity| (*velocity + gravity).by(left)).collect();
        let half = tape.exact(0.5);
        let moving = velocity.iter().zip(&after).map(|(velocity, after)| (*velocity + *after).by(half));
        let rims = motions
            .iter()
            .zip(&balls.radii)
            .map(|(motion, radius)| narrowed(motion.spin * (radius * step / length)).by(left));
        let inverse_mass = item.start.masses.iter().map(|mass| tape.narrowed(units.mass / mass));
        let surfaces = item.start.surfaces(world);
        let mut of = Self {
            tape,
            base: splits.iter().map(|[base, _]| *base).collect(),
            rest: splits.iter().map(|[_, rest]| narrowed(*rest)).collect(),
            radii: balls.radii.iter().map(|radius| tape.narrowed(radius / length)).collect(),
            inverse_mass: inverse_mass.chain([tape.exact(0.0)]).collect(),
            moving: moving.chain([zero]).collect(),
            rim: rims.chain([zero]).collect(),
            surfaces: surfaces.iter().map(|surface| surface.map(|part| tape.narrowed(part))).collect(),
            velocity,
            after,
            balls,
            units,
            item,
            decisions,
            pairs: Vec::new(),
            depth: [0.0; 2],
        };
        of.velocity.push(zero);
        of.after.push(zero);
        of
    }

    fn bodies(&self) -> usize {
        self.balls.radii.len()
    }

    fn note_depth(&mut self, gap: Number<'t>) {
        // The deepest of the device is no deeper than the judge's by more than the largest error, and no less deep.
        self.depth = [self.depth[0].max(-gap.value), self.depth[1].max(gap.coarse())];
    }

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
        });
    }

    fn search_walls(&mut self) {
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
                        let share = gap.over(-way).at_most_one();
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

    fn search_pairs(&mut self) -> Result<(), Undetermined> {
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
        // Where the time is not known, the error of the way counts as well.
        let there = Vector::of(|axis| {
            let moved = way.0[axis] * when;
            let by_time = way.0[axis].coarse() * when.coarse().min(1.0);
            offset.0[axis] + tape.node(moved.value, &[(moved, 1.0)], by_time)
        });
        let there = if is_close { offset } else { there };
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
        (meets, root.filter(|_| meets).unwrap_or(if meets { tape.node(1.0, &[], 1.0) } else { one }))
    }

    fn prepare(&mut self, number: usize) -> Result<(), Undetermined> {
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

    fn move_apart(&mut self, number: usize) {
        let Pair { first, second, normal, gap, mobility, push, half, rub, .. } = self.pairs[number];
        let speed = normal.dot(self.moving[second] - self.moving[first]);
        let (wanted, pushes) = (push - (speed + gap) * mobility).positive();
        let share = pressed(wanted, half) - pressed(push, half);
        self.displace(number, normal.by(wanted - push) + rub.by(share));
        (self.pairs[number].push, self.pairs[number].pushes) = (wanted, pushes);
    }

    fn keep_closed(&mut self) {
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
            // Through no gap a fall gains no speed.
            let falls = if gap.is_certain() {
                self.decisions.decide(truth, is_sure, told)
            } else {
                self.decisions.decide_kink(truth, is_sure, told)
            };
            pair.decided = pair.decided.with(StepDecisions::FALLS, falls);
            let approach = if falls { -square.root() } else { speed };
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

    fn apply(&mut self, number: usize, push: Number<'t>, rub: Vector<'t>) {
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

    fn push_apart(&mut self, number: usize) {
        let (push, rub) = self.alone(number);
        let own = &self.pairs[number];
        let change = (push - own.push, rub - own.rub);
        self.apply(number, change.0, change.1);
        (self.pairs[number].push, self.pairs[number].rub) = (push, rub);
    }

    /// The largest squared way by which contacts are off their laws, and how far that may be off.
    fn missed(&self) -> [f64; 2] {
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

    /// Where the candidate is beside this.
    fn compared(self) -> Followed {
        let Self { tape, balls, ref units, item, ref decisions, ref pairs, .. } = self;
        let answer = decisions.answer;
        let followed = |otherwise, worst| Followed {
            otherwise,
            worst,
            is_turned: decisions.is_turned,
            untold: decisions.untold.clone(),
        };
        let nothing = Deviation::new("nothing", 0.0, 1.0);
        let keys = pairs.iter().map(|pair| (pair.partner, pair.second));
        if !keys.eq(answer.contacts.iter().map(|contact| (contact.partner, contact.body))) {
            return followed(Some("other contacts"), nothing);
        }
        if pairs.iter().zip(&answer.contacts).any(|(pair, contact)| pair.decided != contact.decided) {
            return followed(Some("contacts of another kind"), nothing);
        }
        let (mut what, mut found, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |name, number: Number<'t>, value: f64| {
            what.push(name);
            found.push(value);
            numbers.push(number);
        };
        let mut fastest = [0.0_f64; 2];
        let mut otherwise = None;
        for body in 0..balls.radii.len() {
            let (motion, start) = (&answer.motions[body], &item.start.motions[body]);
            if !item.present[body] {
                // The kernel has no more of it than it was sent.
                let is_near = |a: DVec3, b: DVec3| a.distance(b) <= 4.0 * U * (a.length() + b.length());
                if answer.present[body] || !is_near(motion.velocity, start.velocity) {
                    otherwise = Some("a body that is not there");
                }
                continue;
            }
            let rest = self.rest[body] + self.moving[body];
            let place = (motion.position - units.origin) / units.length - self.base[body];
            let velocity = motion.velocity * (balls.step / units.length);
            let spin = motion.spin * (balls.radii[body] * balls.step / units.length);
            for axis in 0..3 {
                add("place", rest.0[axis], place[axis]);
                add("velocity", self.after[body].0[axis], velocity[axis]);
                add("spin", self.rim[body].0[axis], spin[axis]);
            }
            if let Some([min, max]) = balls.bounds {
                let place = DVec3::from_array(rest.0.map(|number| number.value)) + self.base[body];
                let inside = [min, max].map(|bound| (bound - units.origin) / units.length);
                let margin = (place - inside[0]).min(inside[1] - place).min_element();
                let off = rest.error() + 4.0 * U * (place.length() + inside[0].length() + inside[1].length());
                if margin.abs() > off && answer.present[body] != (margin >= 0.0) {
                    otherwise = Some("within the bounds or not");
                }
            } else if !answer.present[body] {
                otherwise = Some("within the bounds or not");
            }
            if answer.present[body] {
                let (after, rim) = (self.after[body], self.rim[body]);
                let speed = after.length() + rim.length();
                let off = after.error() + rim.error() + 16.0 * U * speed;
                fastest = [fastest[0].max(speed), fastest[1].max(off)];
            }
        }
        let unit = balls.step / (units.length * units.mass);
        for (pair, contact) in pairs.iter().zip(&answer.contacts) {
            let impulse = pair.normal.by(pair.push) + pair.rub;
            for axis in 0..3 {
                add("impulse", impulse.0[axis], (contact.impulse * unit)[axis]);
            }
            add("share", pair.share, contact.share);
        }
        let missed = self.missed();
        let rough = (fastest[0] + balls.pull * balls.step / units.length) * ROUGH;
        let is_open = (missed[0] - rough).abs() <= missed[1] + fastest[1] * ROUGH + 8.0 * U * rough;
        if !is_open && answer.is_solved != (missed[0] <= rough) {
            otherwise = Some("accurate impulses or rough ones");
        }
        let rest_speed = balls.rest_speed * balls.step / units.length;
        let is_open = (fastest[0] - rest_speed).abs() <= fastest[1] + U * rest_speed;
        if !is_open && answer.is_slow != (fastest[0] < rest_speed) {
            otherwise = Some("slow or not");
        }
        let errors = tape.errors(&numbers);
        // Products of errors, each of a direction or a ratio and of a way or an impulse: all that there is where first orders vanish.
        let way = what.iter().zip(&errors).filter(|(what, _)| **what != "share").map(|(_, error)| *error);
        let direction = pairs.iter().map(|pair| pair.normal.coarse()).fold(U, f64::max);
        let second_order = PRODUCTS * direction * way.fold(0.0, f64::max);
        let mut worst = Deviation::new("depth", (answer.depth / units.length - self.depth[0]).abs(), self.depth[1]);
        for (((what, number), found), error) in what.iter().zip(&numbers).zip(&found).zip(errors) {
            let bound = error + second_order + 1e-13 * number.value.abs() + 1e-30;
            let deviation = Deviation::new(what, (found - number.value).abs(), bound);
            if deviation.ratio() > worst.ratio() {
                worst = deviation;
            }
        }
        followed(otherwise, worst)
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
    (-closing).over(ways).positive().0.at_most_one()
}

/// How much of the friction of the step before acts.
fn pressed<'t>(push: Number<'t>, half: Number<'t>) -> Number<'t> {
    if half.value > 0.0 { push.over(half).at_most_one() } else { half.like(0.0) }
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
    let along = DVec3::from_array(sticking.0.map(|number| number.value)) / length;
    let of_length = [0, 1, 2].map(|axis| (sticking.0[axis], along[axis]));
    let beyond = tape.node(length - limit.value, &[of_length[0], of_length[1], of_length[2], (limit, -1.0)], 0.0);
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
        tape.node(value, &of, 16.0 * U * value.abs() + root * along[axis].abs() + reaches * along[axis].abs())
    })
}
