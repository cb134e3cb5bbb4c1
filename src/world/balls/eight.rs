//! Eight worlds of balls at a time, one in each lane, by the formulas of [`super`] operation by operation.
//!
//! The worlds share their balls' radii and their walls, so that a search looks at one pair in all lanes at once. Their
//! contacts differ: contact number k of each lane is swept together with those of the others, on bodies of its own.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and axes are indices of several arrays at once, and closures are not inlined"
)]

use glam::DVec3;

use super::{Balls, INERTIA_RATIO, ROUGH, SLACK, turned};
use crate::lanes::{LANES, Vectorized};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// A number of each lane.
pub(super) type Numbers = [f64; LANES];
/// A vector of each lane, by coordinates.
pub(super) type Vectors = [Numbers; 3];
/// An index of each lane.
type Indices = [u32; LANES];

/// What a ball is and does, in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub position: Vectors,
    pub velocity: Vectors,
    pub spin: Vectors,
    pub inverse_mass: Numbers,
    /// Square roots of restitution and friction.
    pub surface: [Numbers; 2],
    /// One while it is there; zero in lanes that are idle.
    pub present: Numbers,
    /// Largest impulse so far.
    pub impulse: Numbers,
}

impl Ball {
    pub const NONE: Self = Self {
        position: [[0.0; LANES]; 3],
        velocity: [[0.0; LANES]; 3],
        spin: [[0.0; LANES]; 3],
        inverse_mass: [0.0; LANES],
        surface: [[0.0; LANES]; 2],
        present: [0.0; LANES],
        impulse: [0.0; LANES],
    };
}

/// A pair that may touch in this step.
#[derive(Clone, Copy, Debug)]
struct Flagged {
    first: Indices,
    second: Indices,
    key: Indices,
    normal: Vectors,
    gap: Numbers,
    share: Numbers,
    /// Half of the normal impulse of the step before, and of the tangential one.
    half: Numbers,
    rub: Vectors,
    masses: [Numbers; 2],
    /// Impulse per speed.
    mobility: Numbers,
    push: Numbers,
    approach: Numbers,
}

impl Flagged {
    const NONE: Self = Self {
        first: [0; LANES],
        second: [0; LANES],
        key: [0; LANES],
        normal: [[0.0; LANES]; 3],
        gap: [0.0; LANES],
        share: [0.0; LANES],
        half: [0.0; LANES],
        rub: [[0.0; LANES]; 3],
        masses: [[0.0; LANES]; 2],
        mobility: [0.0; LANES],
        push: [0.0; LANES],
        approach: [0.0; LANES],
    };
}

/// A contact of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub first: Indices,
    pub second: Indices,
    /// Ascending in each lane.
    key: Indices,
    normal: Vectors,
    pub share: Numbers,
    bias: Numbers,
    friction: Numbers,
    masses: [Numbers; 2],
    mobility: Numbers,
    push: Numbers,
    rub: Vectors,
    /// Normal and tangential impulses together.
    pub impulse: Vectors,
}

impl Closed {
    const NONE: Self = Self {
        first: [0; LANES],
        second: [0; LANES],
        key: [0; LANES],
        normal: [[0.0; LANES]; 3],
        share: [0.0; LANES],
        bias: [0.0; LANES],
        friction: [0.0; LANES],
        masses: [[0.0; LANES]; 2],
        mobility: [0.0; LANES],
        push: [0.0; LANES],
        rub: [[0.0; LANES]; 3],
        impulse: [[0.0; LANES]; 3],
    };
}

impl Closed {
    /// The wall of a lane's contact, if it is with a wall.
    pub fn wall(&self, lane: usize, walls: usize) -> Option<usize> {
        (self.key[lane] as usize).checked_rem(walls)
    }
}

/// Contacts of each lane, number by number.
#[derive(Clone, Debug)]
struct Listed<T> {
    rows: Vec<T>,
    counts: [usize; LANES],
    /// The largest count.
    most: usize,
}

impl<T: Copy> Listed<T> {
    fn new() -> Self {
        Self { rows: Vec::new(), counts: [0; LANES], most: 0 }
    }

    #[inline(always)]
    fn clear(&mut self) {
        (self.counts, self.most) = ([0; LANES], 0);
    }

    /// The next row of a lane; rows begin as `empty`, which does nothing in lanes that do not fill it.
    #[inline(always)]
    fn next(&mut self, lane: usize, empty: T) -> &mut T {
        let number = self.counts[lane];
        self.counts[lane] += 1;
        if number == self.most {
            self.most += 1;
            if number == self.rows.len() {
                self.rows.push(empty);
            } else {
                self.rows[number] = empty;
            }
        }
        &mut self.rows[number]
    }
}

/// Eight worlds, and what stays of a step.
#[derive(Clone, Debug)]
pub(super) struct Eight {
    pub balls: Vec<Ball>,
    /// Square roots of restitution and friction of the walls.
    pub walls: Vec<[Numbers; 2]>,
    /// Deepest penetration at the start of the latest step.
    pub depth: Numbers,
    /// Whether the impulses of the latest step are accurate.
    pub is_solved: [bool; LANES],
    /// Whether all balls that are there are slow.
    pub is_slow: [bool; LANES],
    closed: Listed<Closed>,
    before: Listed<Closed>,
    flagged: Listed<Flagged>,
    /// Velocities of centres and rims; the last is that of what is fixed.
    after: Vec<[Numbers; 6]>,
    moving: Vec<Vectors>,
    merged: [usize; LANES],
}

impl Eight {
    /// All lanes idle.
    pub fn new(balls: &Balls) -> Self {
        let count = balls.radii.len();
        Self {
            balls: vec![Ball::NONE; count + 1],
            walls: vec![[[0.0; LANES]; 2]; balls.walls.len()],
            depth: [0.0; LANES],
            is_solved: [true; LANES],
            is_slow: [false; LANES],
            closed: Listed::new(),
            before: Listed::new(),
            flagged: Listed::new(),
            after: vec![[[0.0; LANES]; 6]; count + 1],
            moving: vec![[[0.0; LANES]; 3]; count + 1],
            merged: [0; LANES],
        }
    }

    /// Takes a lane's impulses away, for another world.
    pub fn forget(&mut self, lane: usize) {
        self.closed.counts[lane] = 0;
    }

    /// Number of contacts of the latest step.
    pub fn contacts(&self, lane: usize) -> usize {
        self.closed.counts[lane]
    }

    /// A contact of the latest step.
    pub fn contact(&self, number: usize) -> &Closed {
        &self.closed.rows[number]
    }
}

/// A step of all lanes.
pub(super) struct Step<'a, S: Simd> {
    pub simd: S,
    pub balls: &'a Balls,
    pub eight: &'a mut Eight,
}

impl<S: Simd> Vectorized for Step<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { simd, balls, eight } = self;
        free(simd, balls, eight);
        std::mem::swap(&mut eight.closed, &mut eight.before);
        eight.flagged.clear();
        eight.closed.clear();
        eight.merged = [0; LANES];
        search(simd, balls, eight);
        for row in &mut eight.flagged.rows[..eight.flagged.most] {
            prepare(simd, row, &eight.balls, &mut eight.moving);
        }
        for sweep in 0..balls.sweeps {
            for number in 0..eight.flagged.most {
                let row = &mut eight.flagged.rows[turned(sweep, number, eight.flagged.most)];
                move_apart(simd, balls, row, &mut eight.moving);
            }
        }
        for number in 0..eight.flagged.most {
            close(simd, balls, eight, number);
        }
        for row in &mut eight.closed.rows[..eight.closed.most] {
            warm(simd, row, &mut eight.after);
        }
        let mut largest = F64x8::zero(simd);
        for sweep in 0..balls.sweeps {
            for number in 0..eight.closed.most {
                let row = &mut eight.closed.rows[turned(sweep, number, eight.closed.most)];
                push_apart(simd, row, &mut eight.after);
            }
        }
        for row in &mut eight.closed.rows[..eight.closed.most] {
            largest = finish(simd, row, &eight.after, &mut eight.balls, largest);
        }
        go(simd, balls, eight, largest);
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, vectors: &Vectors) -> DVec3x8<S> {
    DVec3x8::from_arrays(simd, *vectors)
}

#[inline(always)]
fn stored<S: Simd>(vectors: DVec3x8<S>) -> Vectors {
    [vectors.x.to_array(), vectors.y.to_array(), vectors.z.to_array()]
}

/// The vectors of each lane's own body, from this coordinate on.
#[inline(always)]
fn gathered<S: Simd, const C: usize>(simd: S, table: &[[Numbers; C]], bodies: &Indices, from: usize) -> DVec3x8<S> {
    let mut found = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        let of_body = &table[bodies[lane] as usize];
        for axis in 0..3 {
            found[axis][lane] = of_body[from + axis][lane];
        }
    }
    DVec3x8::from_arrays(simd, found)
}

/// The inverse.
#[inline(always)]
fn scatter<S: Simd, const C: usize>(vectors: DVec3x8<S>, table: &mut [[Numbers; C]], bodies: &Indices, from: usize) {
    let found = stored(vectors);
    for lane in 0..LANES {
        let of_body = &mut table[bodies[lane] as usize];
        for axis in 0..3 {
            of_body[from + axis][lane] = found[axis][lane];
        }
    }
}

#[inline(always)]
fn free<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight) {
    let pull = DVec3x8::splat(simd, balls.step * balls.gravity);
    let left = F64x8::splat(simd, balls.left);
    let half = F64x8::splat(simd, 0.5);
    for number in 0..balls.radii.len() {
        let ball = &eight.balls[number];
        let velocity = load(simd, &ball.velocity);
        let after = (velocity + pull) * left;
        let rim = load(simd, &ball.spin) * F64x8::splat(simd, balls.radii[number]) * left;
        let [x, y, z] = stored(after);
        let [a, b, c] = stored(rim);
        eight.after[number] = [x, y, z, a, b, c];
        eight.moving[number] = stored((velocity + after) * half);
    }
}

#[inline(always)]
fn search<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight) {
    let count = balls.radii.len();
    let (zero, one) = (F64x8::zero(simd), F64x8::splat(simd, 1.0));
    let step = F64x8::splat(simd, balls.step);
    let mut depth = zero;
    for body in 0..count {
        let present = F64x8::from_array(simd, eight.balls[body].present).gt(zero);
        let position = load(simd, &eight.balls[body].position);
        let moving = load(simd, &eight.moving[body]);
        let radius = balls.radii[body];
        for (wall, (normal, offset)) in balls.walls.iter().enumerate() {
            let normal = DVec3x8::splat(simd, *normal);
            let gap = normal.dot(position) - *offset - radius;
            depth = (present & (-gap).gt(depth)).select(-gap, depth);
            let way = normal.dot(moving) * step;
            let flagged = present & (gap + way).lt(F64x8::splat(simd, SLACK * radius));
            if flagged.any() {
                let meets = way.lt(zero) & gap.gt(zero);
                let share = meets.select((gap / -way).min(one), gap.le(zero).select(zero, one));
                let key = (body * balls.walls.len() + wall) as u32;
                eight.flag(flagged, [count, body], key, normal, gap, share);
            }
        }
    }
    let base = count * balls.walls.len();
    for first in 0..count {
        let there = F64x8::from_array(simd, eight.balls[first].present).gt(zero);
        let from = load(simd, &eight.balls[first].position);
        let slower = load(simd, &eight.moving[first]);
        for second in first + 1..count {
            let reach = balls.radii[first] + balls.radii[second];
            let slack = 0.5 * SLACK * reach;
            let outer = reach + slack;
            let offset = load(simd, &eight.balls[second].position) - from;
            let squared = offset.dot(offset);
            let way = (load(simd, &eight.moving[second]) - slower) * step;
            let ways = way.dot(way);
            let near = squared.lt((ways + outer * outer) * 2.0);
            if !near.any() {
                continue;
            }
            let present = there & F64x8::from_array(simd, eight.balls[second].present).gt(zero) & near;
            let distance = squared.sqrt();
            let gap = distance - reach;
            depth = (present & (-gap).gt(depth)).select(-gap, depth);
            let closing = offset.dot(way);
            let constant = gap * (distance + reach);
            let discriminant = closing * closing - ways * constant;
            let root = constant / (discriminant.max(zero).sqrt() - closing);
            let meets = closing.lt(zero) & discriminant.gt(zero) & gap.gt(zero) & root.lt(one);
            let nearest = ways.gt(zero).select((-closing / ways).max(zero).min(one), zero);
            let close = gap.le(F64x8::splat(simd, slack));
            let when = close.select(zero, meets.select(root, nearest));
            let there = offset + way * when;
            let length = there.length();
            let flagged = present & (close | length.lt(F64x8::splat(simd, outer)));
            if flagged.any() {
                let upwards = DVec3x8::splat(simd, DVec3::Z);
                let normal = length.gt(zero).select3(there * (one / length), upwards);
                let share = gap.le(zero).select(zero, meets.select(root, one));
                let key = (base + first * count + second) as u32;
                eight.flag(flagged, [first, second], key, normal, normal.dot(offset) - reach, share);
            }
        }
    }
    eight.depth = depth.to_array();
}

impl Eight {
    /// Takes a pair down, with what is remembered of it.
    #[inline(always)]
    fn flag<S: Simd>(
        &mut self,
        flagged: Mask8<S>,
        [first, second]: [usize; 2],
        key: u32,
        normal: DVec3x8<S>,
        gap: F64x8<S>,
        share: F64x8<S>,
    ) {
        let fixed = (self.balls.len() - 1) as u32;
        let empty = Flagged { first: [fixed; LANES], second: [fixed; LANES], ..Flagged::NONE };
        let (normal, gap, share) = (stored(normal), gap.to_array(), share.to_array());
        let is_flagged = flagged.to_array();
        for lane in 0..LANES {
            if !is_flagged[lane] {
                continue;
            }
            let (count, merged) = (self.before.counts[lane], &mut self.merged[lane]);
            while *merged < count && self.before.rows[*merged].key[lane] < key {
                *merged += 1;
            }
            let row = self.flagged.next(lane, empty);
            (row.first[lane], row.second[lane], row.key[lane]) = (first as u32, second as u32, key);
            (row.gap[lane], row.share[lane]) = (gap[lane], share[lane]);
            for axis in 0..3 {
                row.normal[axis][lane] = normal[axis][lane];
            }
            if *merged < count && self.before.rows[*merged].key[lane] == key {
                let old = &self.before.rows[*merged];
                for axis in 0..3 {
                    row.rub[axis][lane] = old.impulse[axis][lane];
                }
            }
        }
    }
}

/// Starts a pair's push from half of its impulse in the step before.
#[inline(always)]
fn prepare<S: Simd>(simd: S, row: &mut Flagged, balls: &[Ball], moving: &mut [Vectors]) {
    let zero = F64x8::zero(simd);
    for lane in 0..LANES {
        row.masses[0][lane] = balls[row.first[lane] as usize].inverse_mass[lane];
        row.masses[1][lane] = balls[row.second[lane] as usize].inverse_mass[lane];
    }
    let masses = [F64x8::from_array(simd, row.masses[0]), F64x8::from_array(simd, row.masses[1])];
    let both = masses[0] + masses[1];
    row.mobility = both.gt(zero).select(F64x8::splat(simd, 1.0) / both, zero).to_array();
    let normal = load(simd, &row.normal);
    let half = load(simd, &row.rub) * F64x8::splat(simd, 0.5);
    let along = half.dot(normal);
    let pressed = along.gt(zero);
    let rub = pressed.select3(half - normal * along, DVec3x8::zero(simd));
    let push = pressed.select(along, zero);
    (row.half, row.push, row.rub) = (push.to_array(), push.to_array(), stored(rub));
    let change = normal * push + rub;
    let [first, second] = [gathered(simd, moving, &row.first, 0), gathered(simd, moving, &row.second, 0)];
    scatter(first - change * masses[0], moving, &row.first, 0);
    scatter(second + change * masses[1], moving, &row.second, 0);
}

/// How much of the remembered friction acts.
#[inline(always)]
fn pressed<S: Simd>(push: F64x8<S>, half: F64x8<S>) -> F64x8<S> {
    let one = push.like(1.0);
    half.gt(push.like(0.0)).select((push / half).min(one), push.like(0.0))
}

/// A relaxation of displacements.
#[inline(always)]
fn move_apart<S: Simd>(simd: S, balls: &Balls, row: &mut Flagged, moving: &mut [Vectors]) {
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let [first, second] = [gathered(simd, moving, &row.first, 0), gathered(simd, moving, &row.second, 0)];
    let speed = normal.dot(second - first);
    let bias = F64x8::from_array(simd, row.gap) * balls.rate;
    let push = F64x8::from_array(simd, row.push);
    let wanted = (push - (speed + bias) * F64x8::from_array(simd, row.mobility)).max(zero);
    let half = F64x8::from_array(simd, row.half);
    let share = pressed(wanted, half) - pressed(push, half);
    let change = normal * (wanted - push) + load(simd, &row.rub) * share;
    scatter(first - change * F64x8::from_array(simd, row.masses[0]), moving, &row.first, 0);
    scatter(second + change * F64x8::from_array(simd, row.masses[1]), moving, &row.second, 0);
    row.push = wanted.to_array();
}

/// Keeps a pair as a contact where it pushes or has no gap left.
#[inline(always)]
fn close<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight, number: usize) {
    let row = &mut eight.flagged.rows[number];
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let mut before = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        let first = &eight.balls[row.first[lane] as usize].velocity;
        let second = &eight.balls[row.second[lane] as usize].velocity;
        for axis in 0..3 {
            before[axis][lane] = second[axis][lane] - first[axis][lane];
        }
    }
    let start = normal.dot(load(simd, &before));
    let after = gathered(simd, &eight.after, &row.second, 0) - gathered(simd, &eight.after, &row.first, 0);
    let end = normal.dot(after);
    let moving = gathered(simd, &eight.moving, &row.second, 0) - gathered(simd, &eight.moving, &row.first, 0);
    let (gap, share) = (F64x8::from_array(simd, row.gap), F64x8::from_array(simd, row.share));
    let push = F64x8::from_array(simd, row.push);
    let is_closed = push.gt(zero) | (gap + normal.dot(moving) * balls.step).le(zero);
    // The speed of a fall through the gap.
    let speed = start + share * (end - start);
    let square = start * start - (end - start) * (2.0 * balls.rate) * gap;
    let falls = speed.lt(zero) & gap.gt(zero) & square.ge(zero);
    row.approach = falls.select(-square.max(zero).sqrt(), speed).to_array();
    // Twice the half of what the step before has left, as far as it presses.
    let half = F64x8::from_array(simd, row.half);
    let twice = pressed(push, half) * 2.0;
    let (push, rub) = ((half * twice).to_array(), stored(load(simd, &row.rub) * twice));
    let fixed = (eight.balls.len() - 1) as u32;
    let empty = Closed { first: [fixed; LANES], second: [fixed; LANES], ..Closed::NONE };
    let is_closed = is_closed.to_array();
    let row = &eight.flagged.rows[number];
    for lane in 0..LANES {
        if number >= eight.flagged.counts[lane] || !is_closed[lane] {
            continue;
        }
        let [first, second] = [row.first[lane] as usize, row.second[lane] as usize];
        let of_first = if first == balls.radii.len() {
            eight.walls[row.key[lane] as usize % balls.walls.len()]
        } else {
            eight.balls[first].surface
        };
        let of_second = &eight.balls[second].surface;
        let contact = eight.closed.next(lane, empty);
        (contact.first[lane], contact.second[lane], contact.key[lane]) =
            (row.first[lane], row.second[lane], row.key[lane]);
        contact.share[lane] = row.share[lane];
        contact.bias[lane] = of_first[0][lane] * of_second[0][lane] * row.approach[lane];
        contact.friction[lane] = of_first[1][lane] * of_second[1][lane];
        contact.masses[0][lane] = row.masses[0][lane];
        contact.masses[1][lane] = row.masses[1][lane];
        contact.mobility[lane] = row.mobility[lane];
        contact.push[lane] = push[lane];
        for axis in 0..3 {
            contact.normal[axis][lane] = row.normal[axis][lane];
            contact.rub[axis][lane] = rub[axis][lane];
        }
    }
}

/// Applies an impulse to velocities and rims of two balls.
#[inline(always)]
fn push<S: Simd>(
    simd: S,
    row: &Closed,
    bodies: [[DVec3x8<S>; 2]; 2],
    impulse: [DVec3x8<S>; 2],
    after: &mut [[Numbers; 6]],
) {
    let [normal, tangential] = impulse;
    let all = normal + tangential;
    // The rim of either turns against the friction on the second: a ball's I / r^2 is 2/5 of its mass.
    let turn = load(simd, &row.normal).cross(tangential);
    let masses = [F64x8::from_array(simd, row.masses[0]), F64x8::from_array(simd, row.masses[1])];
    let [first, second] = bodies;
    scatter(first[0] - all * masses[0], after, &row.first, 0);
    scatter(first[1] - turn * (masses[0] * INERTIA_RATIO), after, &row.first, 3);
    scatter(second[0] + all * masses[1], after, &row.second, 0);
    scatter(second[1] - turn * (masses[1] * INERTIA_RATIO), after, &row.second, 3);
}

#[inline(always)]
fn both<S: Simd>(simd: S, row: &Closed, after: &[[Numbers; 6]]) -> [[DVec3x8<S>; 2]; 2] {
    [
        [gathered(simd, after, &row.first, 0), gathered(simd, after, &row.first, 3)],
        [gathered(simd, after, &row.second, 0), gathered(simd, after, &row.second, 3)],
    ]
}

/// Applies what is left of the step before.
#[inline(always)]
fn warm<S: Simd>(simd: S, row: &Closed, after: &mut [[Numbers; 6]]) {
    let bodies = both(simd, row, after);
    let impulse = [load(simd, &row.normal) * F64x8::from_array(simd, row.push), load(simd, &row.rub)];
    push(simd, row, bodies, impulse, after);
}

/// The impulses that solve a contact alone: normal and tangential.
#[inline(always)]
fn alone<S: Simd>(simd: S, row: &Closed, bodies: [[DVec3x8<S>; 2]; 2]) -> (F64x8<S>, DVec3x8<S>) {
    let zero = F64x8::zero(simd);
    let normal = load(simd, &row.normal);
    let [first, second] = bodies;
    let linear = second[0] - first[0];
    let speed = normal.dot(linear);
    let velocity = linear - normal * speed - (first[1] + second[1]).cross(normal);
    let mobility = F64x8::from_array(simd, row.mobility);
    let wanted = F64x8::from_array(simd, row.push) - (speed + F64x8::from_array(simd, row.bias)) * mobility;
    let wanted = wanted.max(zero);
    let sticking = load(simd, &row.rub) - velocity * (mobility * (1.0 / (1.0 + INERTIA_RATIO)));
    let limit = F64x8::from_array(simd, row.friction) * wanted;
    let square = sticking.dot(sticking);
    let slides = square.gt(limit * limit);
    let rub = slides.select3(sticking * (limit / square.sqrt()), sticking);
    (wanted, rub)
}

/// A relaxation of velocities.
#[inline(always)]
fn push_apart<S: Simd>(simd: S, row: &mut Closed, after: &mut [[Numbers; 6]]) {
    let bodies = both(simd, row, after);
    let (wanted, rub) = alone(simd, row, bodies);
    let change = wanted - F64x8::from_array(simd, row.push);
    push(simd, row, bodies, [load(simd, &row.normal) * change, rub - load(simd, &row.rub)], after);
    (row.push, row.rub) = (wanted.to_array(), stored(rub));
}

/// The impulse of a contact, and how far it is from the one that would solve it, as a squared speed.
#[inline(always)]
fn finish<S: Simd>(
    simd: S,
    row: &mut Closed,
    after: &[[Numbers; 6]],
    balls: &mut [Ball],
    largest: F64x8<S>,
) -> F64x8<S> {
    let (wanted, rub) = alone(simd, row, both(simd, row, after));
    let normal = load(simd, &row.normal);
    let push = F64x8::from_array(simd, row.push);
    let change = normal * (wanted - push) + (rub - load(simd, &row.rub));
    let masses = F64x8::from_array(simd, row.masses[0]) + F64x8::from_array(simd, row.masses[1]);
    let missed = change.dot(change) * (masses * masses);
    let impulse = normal * push + load(simd, &row.rub);
    row.impulse = stored(impulse);
    let length = impulse.length().to_array();
    for lane in 0..LANES {
        for body in [row.first[lane], row.second[lane]] {
            let hardest = &mut balls[body as usize].impulse[lane];
            if length[lane] > *hardest {
                *hardest = length[lane];
            }
        }
    }
    missed.gt(largest).select(missed, largest)
}

/// Goes to the end of the step.
#[inline(always)]
fn go<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight, largest: F64x8<S>) {
    let (zero, step) = (F64x8::zero(simd), F64x8::splat(simd, balls.step));
    let mut fastest = zero;
    for (number, &radius) in balls.radii.iter().enumerate() {
        let ball = &mut eight.balls[number];
        let present = F64x8::from_array(simd, ball.present).gt(zero);
        let [x, y, z, a, b, c] = eight.after[number];
        let (velocity, rim) = (load(simd, &[x, y, z]), load(simd, &[a, b, c]));
        let radius = F64x8::splat(simd, radius);
        let position = load(simd, &ball.position);
        let position = present.select3(position + load(simd, &eight.moving[number]) * step, position);
        let velocity = present.select3(velocity, load(simd, &ball.velocity));
        let spin = present.select3(rim / radius, load(simd, &ball.spin));
        (ball.position, ball.velocity, ball.spin) = (stored(position), stored(velocity), stored(spin));
        let mut inside = present;
        if let Some([min, max]) = &balls.bounds {
            let (min, max) = (DVec3x8::splat(simd, *min), DVec3x8::splat(simd, *max));
            inside = inside & min.x.le(position.x) & min.y.le(position.y) & min.z.le(position.z);
            inside = inside & position.x.le(max.x) & position.y.le(max.y) & position.z.le(max.z);
        }
        ball.present = inside.as_numbers().to_array();
        let speed = velocity.length() + radius * spin.length();
        fastest = (inside & speed.gt(fastest)).select(speed, fastest);
    }
    let rough = (fastest + balls.pull) * ROUGH;
    let (is_solved, is_slow) = (largest.le(rough * rough), fastest.lt(F64x8::splat(simd, balls.rest_speed)));
    (eight.is_solved, eight.is_slow) = (is_solved.to_array(), is_slow.to_array());
}
