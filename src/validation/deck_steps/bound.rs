//! How far a step of a landing on a deck in f32 may be from that in f64.
//!
//! The text of the kernel (`shaders/deck_landing.wgsl`) in its own order, with [`Bounded`] numbers from narrowed ones on. What is decided,
//! which surface an initiator collides with and whether it stands, is taken from the judge, and whether rounding may decide otherwise is
//! noted. Sums of multiples of the grid are exact. Sine and cosine of the kernel are off by less than [`SINE`], its angle of a direction by
//! less than four units in the last place.

use glam::DVec2;

use super::pose::{Pose, split};
use super::vector::{Vector, narrowed};
use crate::deck::{Configuration, DeckLanding, DeckStep, DeckStepped, GRAVITY};
use crate::elementary::Real;
use crate::query::TargetSurface;
use crate::validation::encounters::bounded::{Bounded, Decided};
use crate::validation::wheel_bound::U;

/// Error of sine and cosine on the device.
const SINE: f64 = 2e-7;
/// The unit vector in a direction.
fn direction(angle: Bounded) -> Vector {
    let (sine, cosine) = angle.value.sin_cos();
    let of = |value| Bounded { value, error: angle.error + SINE };
    Vector(of(cosine), of(sine))
}

/// The larger of two.
fn larger(a: Bounded, b: Bounded) -> Bounded {
    Bounded { value: a.value.max(b.value), error: a.error.max(b.error) }
}

fn not_negative(number: Bounded) -> Bounded {
    Bounded { value: number.value.max(0.0), ..number }
}

/// What an initiator and a piece come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactBound {
    /// Whether rounding may give another penetration or collision.
    pub is_certain: bool,
    pub stands: Decided,
    pub pebble: Bounded,
}

/// A step with its bounds.
pub(super) struct StepBound {
    pub place: [Bounded; 2],
    pub velocity: [Bounded; 2],
    pub roll: Bounded,
    pub roll_rate: Bounded,
    pub lift: Bounded,
    pub modes: Vec<[Bounded; 2]>,
    pub contacts: Vec<ContactBound>,
    pub places: Vec<[Bounded; 2]>,
    pub loads: Vec<Bounded>,
    pub onto: Vec<Bounded>,
    pub slide: Bounded,
    pub relative_roll: Bounded,
    /// The same, whether it is one at all.
    pub margin: Option<Bounded>,
    pub margin_is_certain: bool,
    pub stress: Bounded,
    pub edge_distance: Bounded,
}

/// What is the same for all initiators.
struct Moment<'a> {
    landing: &'a DeckLanding,
    item: &'a DeckStep,
    pose: Pose,
    step: Bounded,
    body: Vector,
    deck: Vector,
    base: Vector,
    rest: Vector,
    fall: Vector,
    mass: Bounded,
    inertia: Bounded,
    /// Coordinate, rate, and what they gain without a force.
    free: Vec<[Bounded; 4]>,
}

impl<'a> Moment<'a> {
    fn new(landing: &'a DeckLanding, item: &'a DeckStep) -> Self {
        let state = &item.record.state;
        let pose = Pose::new(item, landing.step);
        let step = narrowed(landing.step);
        let body = direction(narrowed(state.roll));
        let [base, rest] = split(state.place);
        let free = landing.propagations.iter().zip(&state.modes).map(|(by, own)| {
            let [q, p] = own.map(narrowed);
            [q, p, narrowed(by.a - 1.0) * q + narrowed(by.b) * p, narrowed(by.c) * q + narrowed(by.d - 1.0) * p]
        });
        Self {
            free: free.collect(),
            body,
            deck: direction(pose.roll),
            base: Vector::exact(base - pose.base),
            rest: Vector::narrowed(rest) - pose.rest,
            fall: weightless(narrowed(item.record.lift), body).by(step),
            mass: narrowed(item.start.mass * landing.mass),
            inertia: narrowed(item.start.mass * landing.inertia),
            landing,
            item,
            pose,
            step,
        }
    }

    fn shape(&self, mode: usize, initiator: usize) -> Vector {
        Vector::narrowed(self.landing.gear.modes[mode].at[initiator])
    }

    fn arm(&self, initiator: usize) -> Vector {
        let mut arm = Vector::narrowed(self.landing.gear.initiators[initiator]);
        for (mode, [q, ..]) in self.free.iter().enumerate() {
            arm = arm + self.shape(mode, initiator).by(*q);
        }
        arm.turned_by(self.body)
    }

    fn approach(&self, surface: &TargetSurface, initiator: usize, arm: Vector) -> Approach {
        let h = self.step;
        let (normal, start) = (Vector::narrowed(surface.normal), Vector::narrowed(surface.start));
        let along = Vector(normal.1, -normal.0);
        let world = [normal, along].map(|axis| axis.turned_by(self.deck));
        let own = world.map(|axis| axis.turned_back(self.body));
        let lever = world.map(|axis| arm.cross(axis));
        let one = Bounded::exact(1.0);
        let (by_force, by_torque) = (one / self.mass, one / self.inertia);
        let mut push = [
            h * (by_force + lever[0] * lever[0] * by_torque),
            h * (lever[0] * lever[1] * by_torque),
            h * (by_force + lever[1] * lever[1] * by_torque),
        ];
        let half = Bounded::exact(0.5);
        let mut give = push.map(|by| half * h * by);
        let zero = Vector::exact(DVec2::ZERO);
        let (mut bend, mut bend_rate) = (zero, zero);
        for (mode, ([_, p, q_gain, p_gain], by)) in self.free.iter().zip(&self.landing.propagations).enumerate() {
            let shape = self.shape(mode, initiator);
            bend = bend + shape.by(*q_gain);
            bend_rate = bend_rate + shape.by(*p + *p_gain);
            let at = own.map(|axis| shape.dot(axis));
            let squares = [at[0] * at[0], at[0] * at[1], at[1] * at[1]];
            for place in 0..3 {
                give[place] = give[place] + squares[place] * narrowed(by.e);
                push[place] = push[place] + squares[place] * narrowed(by.g);
            }
        }
        let state = &self.item.record.state;
        let from_deck = self.base + (self.rest + arm);
        let rigid = (Vector::narrowed(state.velocity) - self.pose.velocity)
            + (arm.left().by(narrowed(state.roll_rate)) - from_deck.left().by(self.pose.roll_rate));
        let velocity = (rigid + self.fall + bend_rate.turned_by(self.body)).turned_back(self.deck);
        let way = ((rigid + 0.5 * self.fall).by(h) + bend.turned_by(self.body)).turned_back(self.deck);
        let place = (from_deck.turned_back(self.deck) - start) + way;
        Approach {
            place: [normal.dot(place), along.dot(place)],
            velocity: [normal.dot(velocity), along.dot(velocity)],
            give,
            push,
        }
    }
}

/// An initiator by a surface at the end of a step without a force on it, and what forces change in that.
struct Approach {
    place: [Bounded; 2],
    velocity: [Bounded; 2],
    give: [Bounded; 3],
    push: [Bounded; 3],
}

fn weightless(lift: Bounded, body: Vector) -> Vector {
    let gravity = narrowed(GRAVITY);
    (body.left().by(lift) - Vector::exact(DVec2::Y)).by(gravity)
}

/// Forces outwards and along, the pebble, and whether it stands; numbers are those of what the judge found.
fn forces(
    moment: &Moment<'_>,
    approach: &Approach,
    old_pebble: Bounded,
    stood: bool,
    stands: bool,
) -> ([Bounded; 3], Decided) {
    let law = &moment.landing.law;
    let [k, c, grip, grip_damping] = [law.stiffness, law.damping, law.grip_stiffness, law.grip_damping].map(narrowed);
    let Approach { place, velocity, give, push } = *approach;
    let (zero, one) = (Bounded::exact(0.0), Bounded::exact(1.0));
    let friction = narrowed(moment.item.start.friction);
    let own = one + (k * give[0] + c * push[0]);
    let cross = k * give[1] + c * push[1];
    let cross_along = grip * give[1] + grip_damping * push[1];
    let own_along = one + (grip * give[2] + grip_damping * push[2]);
    let free = -(k * place[0] + c * velocity[0]);
    let free_along = -(grip * (place[1] - old_pebble) + grip_damping * velocity[1]);
    let determinant = own * own_along - cross * cross_along;
    let outwards = (free * own_along - cross * free_along) / determinant;
    let along = (own * free_along - cross_along * free) / determinant;
    let ratio = if stood { narrowed(law.static_ratio) } else { one };
    let holds = friction * outwards * ratio;
    let is_pressed = outwards.gt(zero);
    let decided = is_pressed & !along.abs().gt(holds);
    if stands {
        return ([outwards, along, old_pebble], decided);
    }
    let direction = one.copysign(Bounded::select(is_pressed, along, free_along));
    let pressed = own + direction * friction * cross;
    let divisor = Bounded::select(pressed.gt(Bounded::exact(0.5) * own), pressed, own);
    let outwards = not_negative(free / divisor);
    let slips = direction * friction * outwards;
    let way = place[1] + give[1] * outwards + give[2] * slips;
    ([outwards, slips, way + slips / grip], decided)
}

/// Whether rounding may give another configuration of an initiator and a piece.
fn is_certain(surfaces: &[TargetSurface], old: Configuration, before: Vector, place: Vector) -> bool {
    let zero = Bounded::exact(0.0);
    let separation = |surface: &TargetSurface, of: Vector| {
        Vector::narrowed(surface.normal).dot(of - Vector::narrowed(surface.start))
    };
    let bits_are = surfaces.iter().all(|surface| separation(surface, place).gt(zero).certain);
    let Some(number) = old.collision else {
        // Which of several separations vanished last.
        let after: Vec<Bounded> = surfaces.iter().map(|surface| separation(surface, place)).collect();
        let is_full = after.iter().all(|apart| apart.value <= 0.0);
        let shares: Vec<Bounded> = surfaces
            .iter()
            .zip(&after)
            .enumerate()
            .filter(|(number, _)| old.penetration >> number & 1 == 0)
            .map(|(_, (surface, after))| {
                let apart = separation(surface, before);
                apart / (apart - *after)
            })
            .collect();
        let latest = shares.iter().copied().max_by(|a, b| a.value.total_cmp(&b.value));
        let rivals = latest.map_or(0, |latest| {
            shares.iter().filter(|share| share.value + share.error >= latest.value - latest.error).count()
        });
        return bits_are && (!is_full || rivals <= 1);
    };
    let surface = &surfaces[number];
    let normal = Vector::narrowed(surface.normal);
    let along = Vector(normal.1, -normal.0);
    let way = |from: DVec2| along.dot(place - Vector::narrowed(from));
    bits_are && [way(surface.start), way(surface.end)].iter().all(|way| way.gt(zero).certain)
}

impl StepBound {
    pub fn new(landing: &DeckLanding, item: &DeckStep, truth: &DeckStepped) -> Self {
        let moment = Moment::new(landing, item);
        let zero = Bounded::exact(0.0);
        let mut bound = Self {
            place: [zero; 2],
            velocity: [zero; 2],
            roll: zero,
            roll_rate: zero,
            lift: narrowed(item.record.lift),
            modes: Vec::new(),
            contacts: Vec::new(),
            places: Vec::new(),
            loads: Vec::new(),
            onto: Vec::new(),
            slide: zero,
            relative_roll: zero,
            margin: None,
            margin_is_certain: true,
            stress: zero,
            edge_distance: Bounded::exact(f64::INFINITY),
        };
        let (mut force, mut torque) = (Vector::exact(DVec2::ZERO), zero);
        let mut pushes = vec![zero; moment.free.len()];
        for initiator in 0..landing.gear.initiators.len() {
            let (arm, push) = bound.initiator(&moment, truth, initiator);
            force = force + push;
            torque = torque + arm.cross(push);
            let own = push.turned_back(moment.body);
            for (mode, sum) in pushes.iter_mut().enumerate() {
                *sum = *sum + moment.shape(mode, initiator).dot(own);
            }
        }
        bound.look(&moment, truth);
        bound.advance(&moment, truth, force, torque, &pushes);
        bound
    }

    /// Arm and force of an initiator.
    fn initiator(&mut self, moment: &Moment<'_>, truth: &DeckStepped, initiator: usize) -> (Vector, Vector) {
        let Moment { landing, item, .. } = *moment;
        let arm = moment.arm(initiator);
        let place = (moment.base + (moment.rest + arm)).turned_back(moment.deck);
        let before = Vector::narrowed(item.record.places[initiator]);
        let zero = Bounded::exact(0.0);
        let (mut on_deck, mut load, mut onto) = (Vector::exact(DVec2::ZERO), zero, zero);
        for (number, piece) in landing.deck.iter().enumerate() {
            let at = initiator * landing.deck.len() + number;
            let (old, old_grip) = item.record.contacts[at];
            let (new, grip) = truth.record.contacts[at];
            let certain = item.record.steps == 0 || is_certain(piece.surfaces(), old, before, place);
            let mut contact = ContactBound {
                is_certain: certain,
                stands: Decided { answer: grip.stands, certain: true },
                pebble: narrowed(old_grip.pebble),
            };
            if let Some(surface) = new.collision.map(|surface| &piece.surfaces()[surface]) {
                let is_new = new.collision != old.collision;
                let normal = Vector::narrowed(surface.normal);
                let along = Vector(normal.1, -normal.0);
                let old_pebble =
                    if is_new { along.dot(place - Vector::narrowed(surface.start)) } else { contact.pebble };
                let approach = moment.approach(surface, initiator, arm);
                let ([outwards, tangential, pebble], stands) =
                    forces(moment, &approach, old_pebble, is_new || old_grip.stands, grip.stands);
                let initiators = Bounded::exact(landing.gear.initiators.len() as f64);
                self.slide = self.slide + (pebble - old_pebble).abs() / initiators;
                on_deck = on_deck + normal.by(outwards) + along.by(tangential);
                load = load + outwards;
                onto = normal.dot(moment.fall.turned_back(moment.deck)) - approach.velocity[0];
                (contact.pebble, contact.stands) = (pebble, stands);
            }
            self.contacts.push(contact);
        }
        self.places.push([place.0, place.1]);
        self.loads.push(not_negative(load));
        self.onto.push(onto);
        (arm, on_deck.turned_by(moment.deck))
    }

    fn look(&mut self, moment: &Moment<'_>, truth: &DeckStepped) {
        let Moment { landing, body, deck, .. } = *moment;
        let (sine, cosine) = (deck.cross(body), deck.dot(body));
        let value = sine.value.atan2(cosine.value);
        self.relative_roll = Bounded { value, error: sine.error + cosine.error + 8.0 * U * value.abs() }.abs();
        let edges = landing.edges().map(narrowed);
        for [x, _] in &self.places {
            for distance in [*x - edges[0], edges[1] - *x] {
                let value = self.edge_distance.value.min(distance.value);
                self.edge_distance = Bounded { value, error: self.edge_distance.error.max(distance.error) };
            }
        }
        if touches(landing, truth).iter().any(|touches| *touches) {
            for end in landing.gear.stresses() {
                let mut sums = [Bounded::exact(0.0); 2];
                for (by, [q, ..]) in end.iter().zip(&moment.free) {
                    sums = [0, 1].map(|part| sums[part] + *q * narrowed(by[part]));
                }
                self.stress = larger(self.stress, sums[0].abs() + sums[1].abs());
            }
        }
        self.rollover(moment, &touches(landing, truth));
    }

    fn rollover(&mut self, moment: &Moment<'_>, touches: &[bool]) {
        let zero = Bounded::exact(0.0);
        let centre = (moment.base + moment.rest).turned_back(moment.deck);
        let mut pivot: Option<Bounded> = None;
        let mut arm = Vector(zero, zero);
        for ([x, y], _) in self.places.iter().zip(touches).filter(|(_, touches)| **touches) {
            if let Some(other) = pivot {
                let sides = (centre.0 - other) * (centre.0 - *x);
                self.margin_is_certain &= sides.gt(zero).certain;
                if sides.value < 0.0 {
                    return;
                }
            }
            pivot = Some(*x);
            arm = Vector(centre.0 - *x, centre.1 - *y);
        }
        if pivot.is_none() {
            return;
        }
        let mut is_held = false;
        for [x, _] in &self.places {
            let side = (centre.0 - *x) * arm.0;
            // The pivot itself is on its own side whatever rounding does.
            self.margin_is_certain &= side.gt(zero).certain;
            is_held |= side.value < 0.0;
        }
        if !is_held {
            self.margin = Some(Bounded::exact(-1.0));
            return;
        }
        let rate = narrowed(moment.item.record.state.roll_rate) - moment.pose.roll_rate;
        let towards = not_negative(rate * Bounded::exact(1.0).copysign(arm.0));
        let square = arm.dot(arm);
        let length = square.sqrt();
        let rise = if arm.1.value > 0.0 { arm.0 * arm.0 / (length + arm.1) } else { length - arm.1 };
        let barrier = moment.mass * narrowed(GRAVITY) * rise;
        let about_pivot = moment.inertia + moment.mass * square;
        let half = Bounded::exact(0.5);
        self.margin = Some(Bounded::exact(1.0) - half * about_pivot * (towards * towards) / barrier);
    }

    fn advance(
        &mut self,
        moment: &Moment<'_>,
        truth: &DeckStepped,
        force: Vector,
        torque: Bounded,
        pushes: &[Bounded],
    ) {
        let Moment { landing, item, body, step: h, .. } = *moment;
        if truth.record.has_touched {
            self.lift = self.lift * narrowed(landing.lift_factor);
        }
        let state = &item.record.state;
        let [base, rest] = split(state.place);
        let velocity = Vector::narrowed(state.velocity);
        let gained = (force.over(moment.mass) + weightless(self.lift, body)).by(h);
        let rest = Vector::narrowed(rest) + (velocity + 0.5 * gained).by(h);
        // A whole number of cells changes sides without rounding.
        self.place = [(rest.0, base.x), (rest.1, base.y)]
            .map(|(rest, base)| Bounded { value: base + rest.value, error: rest.error });
        let velocity = velocity + gained;
        self.velocity = [velocity.0, velocity.1];
        let turn = h * (torque / moment.inertia);
        let rate = narrowed(state.roll_rate);
        self.roll = narrowed(state.roll) + h * (rate + Bounded::exact(0.5) * turn);
        self.roll_rate = rate + turn;
        for (([q, p, q_gain, p_gain], by), push) in moment.free.iter().zip(&landing.propagations).zip(pushes) {
            self.modes.push([*q + (*q_gain + narrowed(by.e) * *push), *p + (*p_gain + narrowed(by.g) * *push)]);
        }
    }
}

/// Which initiators collide with something.
fn touches(landing: &DeckLanding, stepped: &DeckStepped) -> Vec<bool> {
    let of_initiator = |contacts: &[(Configuration, crate::deck::Grip)]| {
        contacts.iter().any(|(configuration, _)| configuration.collision.is_some())
    };
    stepped.record.contacts.chunks(landing.deck.len()).map(of_initiator).collect()
}
