//! What jobs `world` and `world_step` exchange with a device.
//!
//! # Conventions
//! Units of a world: a power of two near the largest radius, one near the largest mass, and a step. Places are relative to the
//! middle of the bounds, or of the bodies at their start, and are sums of two numbers: whole multiples of [`BALL_GRID`], whose
//! differences are exact in f32 up to 2^18 units, and a rest. Velocities are ways of a step, rims are radius times spin.

use bytemuck::Zeroable;
use glam::DVec3;

use super::FAR;
use super::structure::{Structure, array_of, on_device};
use crate::gpu::shader::{float, unsigned};
use crate::world::{
    BallRun, Balls, INERTIA_RATIO, Motion, Partner, ROUGH, SLACK, StepContact, StepDecisions, World, WorldStart,
    WorldStep, WorldStepped, steps_of_rest,
};

/// Places are split at multiples of this, in units of length.
pub(in crate::gpu) const BALL_GRID: f64 = 1.0 / 64.0;
/// Stands where a state has been written: buffers are cleared before a run.
const ANSWERED: u32 = 0x600d;
/// Rows of four numbers that a body has on the wire, and in the kernel.
const BODY_ROWS: usize = 4;
const BODY_VECTORS: usize = 7;
/// Rows of a pair in the kernel, with that of its memory.
const PAIR_VECTORS: usize = 4;
/// Words of a pair in the kernel: itself, and its memory.
const PAIR_WORDS: usize = 2;

/// How a world has ended.
pub(in crate::gpu) const ENDED: u32 = 1;
/// A step found more pairs than the kernel holds; the state is the one before it.
pub(in crate::gpu) const FULL: u32 = 2;
/// Numbers left the range.
const LOST: u32 = 3;

on_device! {
    /// The head of a world on its way; what bodies and contacts have follows.
    BallHeadWire as BallHead {
        /// Steps so far.
        done: u32,
        /// Steps to do; in answers, that they were done.
        slice: u32,
        over: u32,
        /// Contacts of the last step.
        contacts: u32,
        /// Bit by bit.
        present: [u32; 2],
        /// Contacts of all steps, and steps whose impulses are rough.
        all_contacts: u32,
        unsolved: u32,
        /// One more than the number of steps after which all was slow, as long as it is; 0 if it is not.
        slow_since: u32,
        /// The first contact of two that did not touch at the start: its key plus one, its step, its share of that.
        touched: u32,
        touch_step: u32,
        touch_share: f32,
        /// Deepest penetration of all steps but the first, and of the last.
        depth: f32,
        step_depth: f32,
        /// Of the last step.
        is_solved: u32,
        is_slow: u32,
    }
}

on_device! {
    /// What all worlds of a call share, before its arrays.
    BallSharedWire as BallSharedHead {
        gravity: [f32; 3],
        left: f32,
        least_base: [f32; 3],
        pull: f32,
        least_rest: [f32; 3],
        rest_speed: f32,
        most_base: [f32; 3],
        rest_steps: u32,
        most_rest: [f32; 3],
        unused: u32,
    }
}

/// A row of four numbers or words.
pub(in crate::gpu) type Row = [u32; 4];

/// The worlds of a call, and how they cross.
pub(in crate::gpu) struct BallUnit<'a> {
    world: &'a World,
    balls: Balls,
    /// A unit of length \[m\] and of mass \[kg\].
    length: f64,
    mass: f64,
    origin: DVec3,
    /// Pairs that the kernel holds.
    rows: usize,
}

/// A place as a multiple of the grid and the rest.
fn split(place: DVec3) -> [DVec3; 2] {
    let base = (place / BALL_GRID).round() * BALL_GRID;
    [base, place - base]
}

fn three(vector: DVec3) -> [f32; 3] {
    vector.to_array().map(|number| number as f32)
}

fn bits(vector: DVec3, number: f64) -> Row {
    let [x, y, z] = three(vector).map(f32::to_bits);
    [x, y, z, (number as f32).to_bits()]
}

fn numbers(row: Row) -> [f64; 4] {
    row.map(|bits| f64::from(f32::from_bits(bits)))
}

fn vector(row: Row) -> DVec3 {
    let [x, y, z, _] = numbers(row);
    DVec3::new(x, y, z)
}

/// The power of two near a number.
fn power_of_two(number: f64) -> f64 {
    number.log2().round().exp2()
}

impl<'a> BallUnit<'a> {
    /// `None` for worlds that are solved to accuracy. Kernels hold all pairs that there are, or fewer, as many as heaps have.
    pub fn new(world: &'a World, holds_all: bool) -> Option<Self> {
        let balls = Balls::of(world)?;
        let (bodies, walls) = (balls.radii.len(), balls.walls.len());
        let all = bodies * walls + bodies * (bodies - 1) / 2;
        // Balls of one size touch twelve others at most, and hardly more than three walls.
        let some = bodies * 6 + bodies * walls.min(3) + 16;
        let rows = if holds_all { all } else { all.min(some) }.max(1);
        let of_start = world.bodies.iter().map(|body| body.motion.position);
        let origin = match balls.bounds {
            Some([min, max]) => 0.5 * (min + max),
            None => of_start.sum::<DVec3>() / bodies as f64,
        };
        let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, f64::max);
        Some(Self {
            world,
            length: power_of_two(largest(&mut balls.radii.iter().copied())),
            mass: power_of_two(largest(&mut world.bodies.iter().map(|body| body.mass))),
            origin,
            rows,
            balls,
        })
    }

    fn bodies(&self) -> usize {
        self.balls.radii.len()
    }

    fn walls(&self) -> usize {
        self.balls.walls.len()
    }

    fn key_rows(&self) -> usize {
        self.rows.div_ceil(4)
    }

    /// Where walls, impulses, keys and touching bits of a state begin, and its length \[rows\].
    fn places(&self) -> [usize; 5] {
        let bodies = size_of::<BallHeadWire>() / size_of::<Row>();
        let walls = bodies + BODY_ROWS * self.bodies();
        let impulses = walls + self.walls().max(1);
        let keys = impulses + self.rows;
        let touching = keys + self.key_rows();
        [walls, impulses, keys, touching, touching + self.bodies()]
    }

    /// Length of a state \[rows\].
    pub fn state_rows(&self) -> usize {
        self.places()[4]
    }

    /// What a world needs in the kernel \[bytes\]: vectors and words.
    pub fn work_bytes(&self) -> [usize; 2] {
        let vectors = BODY_VECTORS * (self.bodies() + 1) + PAIR_VECTORS * self.rows;
        [vectors * size_of::<Row>(), PAIR_WORDS * self.rows * size_of::<u32>()]
    }

    /// Rounds of loops that a step makes at most.
    pub fn rounds(&self) -> u64 {
        let (bodies, rows) = (self.bodies() as u64, self.rows as u64);
        let search = bodies * self.walls() as u64 + bodies * bodies / 2 + rows;
        search + rows * (2 * u64::from(self.balls.sweeps) + 4) + 4 * bodies
    }

    /// Constants and structures of the kernel.
    pub fn declarations(&self) -> String {
        let four = array_of::<[f32; 4]>;
        let words = array_of::<[u32; 4]>;
        let state = [
            ("bodies", four(BODY_ROWS * self.bodies())),
            ("walls", four(self.walls().max(1))),
            ("impulses", four(self.rows)),
            ("keys", words(self.key_rows())),
            ("touching", words(self.bodies())),
        ];
        let shared = [("radii", four(self.bodies())), ("walls", four(self.walls().max(1)))];
        [
            unsigned("BODIES", self.bodies() as u32),
            unsigned("WALLS", self.walls() as u32),
            unsigned("WALLS_OR_ONE", self.walls().max(1) as u32),
            unsigned("ROWS", self.rows as u32),
            unsigned("SWEEPS", self.balls.sweeps),
            format!("const BOUNDED: bool = {};\n", self.balls.bounds.is_some()),
            unsigned("ANSWERED", ANSWERED),
            unsigned("ENDED", ENDED),
            unsigned("FULL", FULL),
            unsigned("LOST", LOST),
            unsigned("APART", StepDecisions::APART.0),
            unsigned("NEAR", StepDecisions::NEAR.0),
            unsigned("MEETS", StepDecisions::MEETS.0),
            unsigned("FALLS", StepDecisions::FALLS.0),
            float("SLACK", SLACK),
            float("ROUGH", ROUGH),
            float("INERTIA_RATIO", INERTIA_RATIO),
            float("TANGENTIAL", 1.0 / (1.0 + INERTIA_RATIO)),
            float("GRID", BALL_GRID),
            float("CELLS", BALL_GRID.recip()),
            float("FAR", f64::from(FAR)),
            BallHeadWire::declaration_with(&state).replace("struct BallHead ", "struct BallWorld "),
            BallSharedWire::declaration_with(&shared).replace("struct BallSharedHead ", "struct BallShared "),
        ]
        .concat()
    }

    /// What all worlds share, in rows.
    pub fn shared(&self) -> Vec<Row> {
        let Balls { gravity, step, left, pull, radii, walls, bounds, rest_speed, .. } = &self.balls;
        let [least, most] = bounds.unwrap_or([self.origin; 2]).map(|place| split((place - self.origin) / self.length));
        let head = BallSharedWire {
            gravity: three(*gravity * (step * step / self.length)),
            left: *left as f32,
            least_base: three(least[0]),
            pull: (pull * step / self.length) as f32,
            least_rest: three(least[1]),
            rest_speed: (rest_speed * step / self.length) as f32,
            most_base: three(most[0]),
            rest_steps: steps_of_rest(self.world).min(u64::from(u32::MAX)) as u32,
            most_rest: three(most[1]),
            unused: 0,
        };
        let mut rows: Vec<Row> = bytemuck::cast_slice(&[head]).to_vec();
        rows.extend(radii.iter().map(|radius| bits(DVec3::new(radius / self.length, 0.0, 0.0), 0.0)));
        let wall = |(normal, offset): &(DVec3, f64)| bits(*normal, (offset - normal.dot(self.origin)) / self.length);
        rows.extend(walls.iter().map(wall));
        if walls.is_empty() {
            rows.push(Row::zeroed());
        }
        rows
    }

    fn key(&self, partner: Partner, body: usize) -> u32 {
        let (bodies, walls) = (self.bodies(), self.walls());
        let key = match partner {
            Partner::Wall(wall) => body * walls + wall,
            Partner::Body(first) => bodies * walls + first * bodies + body,
        };
        key as u32
    }

    fn pair(&self, key: u32) -> Option<(Partner, usize)> {
        let (bodies, walls, key) = (self.bodies(), self.walls(), key as usize);
        if key < bodies * walls {
            return Some((Partner::Wall(key % walls), key / walls));
        }
        let (first, second) = ((key - bodies * walls) / bodies, (key - bodies * walls) % bodies);
        (first < second).then_some((Partner::Body(first), second))
    }

    /// A world between two steps, and what is remembered of a whole run. `None` for more contacts than the kernel holds.
    pub fn state(&self, step: &WorldStep, run: Option<&BallRun<'_>>) -> Option<Vec<Row>> {
        let WorldStep { start, present, contacts } = step;
        let Balls { step, radii, .. } = &self.balls;
        let [walls_at, impulses_at, keys_at, touching_at, length] = self.places();
        if contacts.len() > self.rows {
            return None;
        }
        let mut rows = vec![Row::zeroed(); length];
        let record = run.map(|run| &run.record);
        let slow_since = record.and_then(|record| record.at_rest).map_or(0, |since| since as u32 + 1);
        let mut head = BallHeadWire { contacts: contacts.len() as u32, slow_since, ..BallHeadWire::zeroed() };
        for (body, _) in present.iter().enumerate().filter(|(_, present)| **present) {
            head.present[body / 32] |= 1 << (body % 32);
        }
        let head: &[Row] = bytemuck::cast_slice(std::slice::from_ref(&head));
        rows[..head.len()].copy_from_slice(head);
        let surfaces = start.surfaces(self.world);
        let bodies = rows[head.len()..walls_at].chunks_exact_mut(BODY_ROWS);
        for ((((rows, motion), mass), radius), surface) in
            bodies.zip(&start.motions).zip(&start.masses).zip(radii).zip(&surfaces)
        {
            let [base, rest] = split((motion.position - self.origin) / self.length);
            rows[0] = bits(base, surface[0]);
            rows[1] = bits(rest, surface[1]);
            rows[2] = bits(motion.velocity * (step / self.length), 0.0);
            rows[3] = bits(motion.spin * (radius * step / self.length), self.mass / mass);
        }
        for (row, surface) in rows[walls_at..impulses_at].iter_mut().zip(&surfaces[start.motions.len()..]) {
            *row = bits(DVec3::new(surface[0], surface[1], 0.0), 0.0);
        }
        for (number, contact) in contacts.iter().enumerate() {
            rows[impulses_at + number] = bits(contact.impulse * (step / (self.length * self.mass)), contact.share);
            rows[keys_at + number / 4][number % 4] = self.key(contact.partner, contact.body);
        }
        for (partner, body) in record.iter().flat_map(|record| &record.touched_at_start) {
            let bit = match partner {
                Partner::Wall(wall) => *wall,
                Partner::Body(first) => 64 + first,
            };
            rows[touching_at + body][bit / 32] |= 1 << (bit % 32);
        }
        Some(rows)
    }

    /// The same state for a kernel that holds another number of pairs.
    pub fn state_of(&self, other: &BallUnit<'_>, state: &[Row]) -> Vec<Row> {
        let [.., impulses_at, keys_at, touching_at, length] = self.places();
        let [.., from_impulses, from_keys, from_touching, _] = other.places();
        let (kept, words) = (self.rows.min(other.rows), self.key_rows().min(other.key_rows()));
        let mut rows = vec![Row::zeroed(); length];
        rows[..impulses_at].copy_from_slice(&state[..impulses_at]);
        rows[impulses_at..impulses_at + kept].copy_from_slice(&state[from_impulses..from_impulses + kept]);
        rows[keys_at..keys_at + words].copy_from_slice(&state[from_keys..from_keys + words]);
        rows[touching_at..].copy_from_slice(&state[from_touching..]);
        rows
    }

    /// What a kernel has left of a world: `None` where it has written what it may not.
    pub fn seen(&self, state: &[Row]) -> Option<Seen> {
        let head: BallHeadWire =
            bytemuck::pod_read_unaligned(bytemuck::cast_slice(&state[..size_of::<BallHeadWire>() / 16]));
        let places = self.places();
        let bodies = &state[size_of::<BallHeadWire>() / size_of::<Row>()..places[0]];
        let is_finite = bodies.iter().flatten().all(|bits| f32::from_bits(*bits).is_finite());
        let is_allowed = head.slice == ANSWERED && head.contacts as usize <= self.rows && head.over <= LOST;
        is_allowed.then_some(Seen { head, is_lost: head.over == LOST || !is_finite })
    }

    /// Motions of bodies, and their largest impulses \[N s\]; orientations are those of the start.
    pub fn motions(&self, start: &WorldStart, state: &[Row]) -> Vec<(Motion, f64)> {
        let step = self.balls.step;
        let bodies = state[size_of::<BallHeadWire>() / size_of::<Row>()..self.places()[0]].chunks_exact(BODY_ROWS);
        let of_body = |((rows, motion), radius): ((&[Row], &Motion), &f64)| {
            let position = self.origin + (vector(rows[0]) + vector(rows[1])) * self.length;
            let velocity = vector(rows[2]) * (self.length / step);
            let spin = vector(rows[3]) * (self.length / (step * radius));
            let impulse = numbers(rows[2])[3] * (self.length * self.mass / step);
            (Motion { position, velocity, spin, orientation: motion.orientation }, impulse)
        };
        bodies.zip(&start.motions).zip(&self.balls.radii).map(of_body).collect()
    }

    /// Whether bodies are present.
    pub fn present(&self, seen: &Seen) -> Vec<bool> {
        (0..self.bodies()).map(|body| seen.head.present[body / 32] >> (body % 32) & 1 != 0).collect()
    }

    /// What a step has come to: none that is valid where its numbers have left the range.
    pub fn stepped(&self, step: &WorldStep, state: &[Row]) -> Option<WorldStepped> {
        let seen = self.seen(state)?;
        if seen.is_lost {
            return Some(WorldStepped::invalid());
        }
        let [_, impulses_at, keys_at, ..] = self.places();
        let contact = |number: usize| {
            let word = state[keys_at + number / 4][number % 4];
            let (partner, body) = self.pair(word & 0xffff)?;
            let row = state[impulses_at + number];
            let impulse = vector(row) * (self.length * self.mass / self.balls.step);
            Some(StepContact { partner, body, share: numbers(row)[3], impulse, decided: StepDecisions(word >> 16) })
        };
        let contacts = (0..seen.head.contacts as usize).map(contact).collect::<Option<_>>()?;
        Some(WorldStepped {
            is_valid: true,
            motions: self.motions(&step.start, state).into_iter().map(|(motion, _)| motion).collect(),
            present: self.present(&seen),
            contacts,
            depth: f64::from(seen.head.step_depth) * self.length,
            is_solved: seen.head.is_solved != 0,
            is_slow: seen.head.is_slow != 0,
        })
    }
}

/// The head of a state, in the words of the host.
pub(in crate::gpu) struct Seen {
    head: BallHeadWire,
    /// Numbers have left the range.
    pub is_lost: bool,
}

impl Seen {
    /// Whether the world is over, or the kernel does not hold its pairs.
    pub fn over(&self) -> u32 {
        self.head.over
    }

    pub fn steps(&self) -> u32 {
        self.head.done
    }

    pub fn contacts(&self) -> u64 {
        u64::from(self.head.all_contacts)
    }

    pub fn unsolved(&self) -> u64 {
        u64::from(self.head.unsolved)
    }

    pub fn slow_since(&self) -> Option<u64> {
        self.head.slow_since.checked_sub(1).map(u64::from)
    }
}

impl BallUnit<'_> {
    /// The first contact of two that did not touch at the start: its step, its share of that, and who.
    pub fn first_touch(&self, seen: &Seen) -> Option<(u64, f64, Partner, usize)> {
        let (partner, body) = self.pair(seen.head.touched.checked_sub(1)?)?;
        Some((u64::from(seen.head.touch_step), f64::from(seen.head.touch_share), partner, body))
    }

    /// Deepest penetration at the start of any step but the first \[m\].
    pub fn depth(&self, seen: &Seen) -> f64 {
        f64::from(seen.head.depth) * self.length
    }
}

/// Puts the number of steps that a kernel should make into a state.
pub(in crate::gpu) fn set_slice(state: &mut [Row], steps: u32) {
    // The second word of the head.
    state[0][1] = steps;
}

/// Goes on after [`FULL`].
pub(in crate::gpu) fn go_on(state: &mut [Row]) {
    state[0][2] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Body;

    #[test]
    fn a_step_whose_numbers_leave_the_range_is_not_valid() {
        let ball = Body::sphere("ball".to_owned(), 0.5, 1.0, DVec3::Z);
        let world = World { bodies: vec![ball], sweeps: Some(1), ..World::default() };
        let step = WorldStep::of(&WorldStart::of(&world));
        let unit = BallUnit::new(&world, true).unwrap();
        let mut state = unit.state(&step, None).unwrap();
        state[0][1] = ANSWERED;
        let is_valid = |state: &[Row]| unit.stepped(&step, state).unwrap().is_valid;
        assert!(is_valid(&state));
        let mut lost = state.clone();
        lost[0][2] = LOST;
        assert!(!is_valid(&lost));
        // The velocity of the ball.
        let mut not_finite = state;
        not_finite[size_of::<BallHeadWire>() / size_of::<Row>() + 2][0] = f32::NAN.to_bits();
        assert!(!is_valid(&not_finite));
    }
}
