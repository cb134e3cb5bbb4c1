//! Eight worlds of balls at a time, one in each lane, by the formulas of [`super`] operation by operation.
//!
//! The worlds share their balls' radii and their walls, so that a search looks at one pair in all lanes at once. Their
//! contacts differ: contact number k of each lane is swept together with those of the others, on bodies of its own.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and axes are indices of several arrays at once, and closures are not inlined"
)]

mod displacements;
mod search;
mod velocities;

use self::displacements::{close, move_apart, prepare};
use self::search::search;
use self::velocities::{finish, push_apart, warm};
use super::{Balls, ROUGH, turned};
use crate::lanes::{LANES, Vectorized};
use crate::simd::{DVec3x8, F64x8, Simd};

/// A number of each lane.
pub(super) type Numbers = [f64; LANES];
/// A vector of each lane, by coordinates.
pub(super) type Vectors = [Numbers; 3];
/// Vectors of a body, whole in each lane: a lane's own body is then read and written at once.
type Whole<const COUNT: usize> = [[[f64; 4]; COUNT]; LANES];
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
    /// How much of the tangential half acts.
    acting: Numbers,
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
        acting: [0.0; LANES],
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
    /// Velocities of centres and rims; the last are those of what is fixed.
    after: Vec<Whole<2>>,
    /// Velocities of displacements.
    moving: Vec<Whole<1>>,
    /// Those without contacts.
    free: Vec<Vectors>,
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
            after: vec![[[[0.0; 4]; 2]; LANES]; count + 1],
            moving: vec![[[[0.0; 4]; 1]; LANES]; count + 1],
            free: vec![[[0.0; LANES]; 3]; count],
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

/// The vectors of each lane's own body.
#[inline(always)]
fn gathered<S: Simd, const COUNT: usize>(
    simd: S,
    table: &[Whole<COUNT>],
    bodies: &Indices,
    which: usize,
) -> DVec3x8<S> {
    let mut found = [[0.0; 4]; LANES];
    for lane in 0..LANES {
        found[lane] = table[bodies[lane] as usize][lane][which];
    }
    DVec3x8::from_whole(simd, found)
}

/// The inverse.
#[inline(always)]
fn scatter<S: Simd, const COUNT: usize>(
    vectors: DVec3x8<S>,
    table: &mut [Whole<COUNT>],
    bodies: &Indices,
    which: usize,
) {
    let found = vectors.to_whole();
    for lane in 0..LANES {
        table[bodies[lane] as usize][lane][which] = found[lane];
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
        let moving = (velocity + after) * half;
        let body = [number as u32; LANES];
        scatter(after, &mut eight.after, &body, 0);
        scatter(rim, &mut eight.after, &body, 1);
        scatter(moving, &mut eight.moving, &body, 0);
        eight.free[number] = stored(moving);
    }
}

/// Goes to the end of the step.
#[inline(always)]
fn go<S: Simd>(simd: S, balls: &Balls, eight: &mut Eight, largest: F64x8<S>) {
    let (zero, step) = (F64x8::zero(simd), F64x8::splat(simd, balls.step));
    let mut fastest = zero;
    for (number, &radius) in balls.radii.iter().enumerate() {
        let ball = &mut eight.balls[number];
        let present = F64x8::from_array(simd, ball.present).gt(zero);
        let body = [number as u32; LANES];
        let velocity = gathered(simd, &eight.after, &body, 0);
        let rim = gathered(simd, &eight.after, &body, 1);
        let moving = gathered(simd, &eight.moving, &body, 0);
        let radius = F64x8::splat(simd, radius);
        let position = load(simd, &ball.position);
        let position = present.select3(position + moving * step, position);
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
