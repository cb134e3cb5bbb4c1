//! Many worlds of balls, eight at a time: a lane whose world is over takes the next one.

use glam::DVec3;

use super::Balls;
use super::eight::{Ball, Eight, Step, Vectors};
use super::run::{BallRun, BallsEnd};
use crate::lanes::LANES;
use crate::simd::{InRegisters, Simd, at_full_width, in_registers};
use crate::world::contact::Partner;
use crate::world::definition::World;
use crate::world::outcome::WorldOutcome;
use crate::world::run::Touched;
use crate::world::start::WorldStart;

/// Runs worlds of balls to their ends, with the bits of [`run`](crate::world::run()). Others than
/// those with sweeps are left alone.
pub fn run_many(world: &World, starts: &[WorldStart], outcomes: &mut [WorldOutcome]) {
    let Some(balls) = Balls::of(world) else { return };
    in_registers(Many { world, balls, starts, outcomes });
}

struct Many<'a> {
    world: &'a World,
    balls: Balls,
    starts: &'a [WorldStart],
    outcomes: &'a mut [WorldOutcome],
}

/// The world of a lane.
struct Lane<'a> {
    number: usize,
    run: BallRun<'a>,
    steps: u64,
}

impl InRegisters for Many<'_> {
    type Output = ();

    fn run<S: Simd>(self, simd: S) {
        let Self { world, balls, starts, outcomes } = self;
        let mut eight = Eight::new(&balls);
        let mut lanes: [Option<Lane<'_>>; LANES] = std::array::from_fn(|_| None);
        let mut waiting = starts.iter().enumerate();
        loop {
            for (number, lane) in lanes.iter_mut().enumerate() {
                while lane.is_none() {
                    let Some((item, start)) = waiting.next() else { break };
                    match Lane::new(world, item, start) {
                        Some(started) => *lane = Some(started.put(number, start, &mut eight)),
                        None => outcomes[item] = WorldOutcome::invalid(world.bodies.len()),
                    }
                }
            }
            if lanes.iter().all(Option::is_none) {
                return;
            }
            at_full_width(simd, Step { simd, balls: &balls, eight: &mut eight });
            for (number, lane) in lanes.iter_mut().enumerate() {
                if lane.as_mut().is_some_and(|lane| lane.take(world, number, &eight))
                    && let Some(over) = lane.take()
                {
                    let item = over.number;
                    outcomes[item] = over.outcome(world, number, &mut eight);
                }
            }
        }
    }
}

impl<'a> Lane<'a> {
    fn new(world: &'a World, number: usize, start: &WorldStart) -> Option<Self> {
        Some(Self { number, run: BallRun::new(world, start)?, steps: 0 })
    }

    /// Fills the lane.
    fn put(self, lane: usize, start: &WorldStart, eight: &mut Eight) -> Self {
        eight.forget(lane);
        let surfaces = self.run.surfaces();
        for (number, (motion, mass)) in start.motions.iter().zip(&start.masses).enumerate() {
            let ball = &mut eight.balls[number];
            for axis in 0..3 {
                ball.position[axis][lane] = motion.position[axis];
                ball.velocity[axis][lane] = motion.velocity[axis];
                ball.spin[axis][lane] = motion.spin[axis];
            }
            ball.inverse_mass[lane] = mass.recip();
            (ball.surface[0][lane], ball.surface[1][lane]) = surfaces[number].into();
            (ball.present[lane], ball.impulse[lane]) = (1.0, 0.0);
        }
        for (wall, surface) in eight.walls.iter_mut().zip(&surfaces[start.motions.len()..]) {
            (wall[0][lane], wall[1][lane]) = (*surface).into();
        }
        self
    }

    /// Notes a step; whether it was the last one.
    fn take(&mut self, world: &World, lane: usize, eight: &Eight) -> bool {
        let record = &mut self.run.record;
        // The deepest at its start is what the step before has left; a start has no more than rounding.
        if self.steps > 0 {
            record.penetration = record.penetration.max(eight.depth[lane]);
        }
        self.steps += 1;
        let contacts = eight.contacts(lane);
        record.contacts += contacts as u64;
        record.unsolved += u64::from(!eight.is_solved[lane]);
        if record.first_touch.is_none() {
            let touched = (0..contacts).map(|number| {
                let contact = eight.contact(number);
                let first = contact.first[lane] as usize;
                let partner = match contact.wall(lane, world.walls.len()) {
                    Some(wall) if first == world.bodies.len() => Partner::Wall(wall),
                    _ => Partner::Body(first),
                };
                let pushes = contact.impulse.iter().any(|numbers| numbers[lane] != 0.0);
                Touched { partner, body: contact.second[lane] as usize, share: contact.share[lane], pushes }
            });
            record.note_touch(world, self.steps, touched);
        }
        record.note_rest(eight.is_slow[lane], self.steps);
        let is_empty = eight.balls.iter().all(|ball| ball.present[lane] == 0.0);
        self.steps >= u64::from(world.steps) || record.rested(world, self.steps).is_some() || is_empty
    }

    /// The outcome; the lane is idle then.
    fn outcome(self, world: &World, lane: usize, eight: &mut Eight) -> WorldOutcome {
        let of = |ball: &Ball| {
            let vector = |vectors: &Vectors| DVec3::from_array(vectors.map(|of| of[lane]));
            BallsEnd {
                position: vector(&ball.position),
                velocity: vector(&ball.velocity),
                spin: vector(&ball.spin),
                is_present: ball.present[lane] > 0.0,
                impulse: ball.impulse[lane],
            }
        };
        let outcome = self.run.ended(self.steps, eight.balls[..world.bodies.len()].iter().map(of));
        eight.balls.iter_mut().for_each(|ball| ball.present[lane] = 0.0);
        outcome
    }
}
