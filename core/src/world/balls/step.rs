//! A step of one world of balls.

use glam::DVec3;

use super::{Balls, INERTIA_RATIO, ROUGH, SLACK, StepDecisions, turned};
use crate::world::contact::{Contact, Order, Partner};
use crate::world::definition::World;
use crate::world::motion::{Motion, turned as rotated};

/// Velocities of a ball's centre, and of its rim: its radius times its angular velocity \[m/s\].
#[derive(Clone, Copy, Debug, Default)]
struct Twist {
    linear: DVec3,
    rim: DVec3,
}

/// A pair that may touch in the step.
#[derive(Clone, Copy, Debug)]
struct Row {
    contact: Contact,
    /// The partner's index; that of walls is the one after the last ball.
    first: usize,
    inverse_masses: [f64; 2],
    /// Impulse per speed \[kg\].
    mobility: f64,
    /// Half of the impulse of the previous step, normal and tangential \[N s\].
    half: f64,
    half_rub: DVec3,
    /// Impulses, normal and tangential \[N s\].
    push: f64,
    rub: DVec3,
    bias: f64,
    decided: StepDecisions,
}

/// A world of balls, with work space kept between steps.
#[derive(Debug)]
pub(in crate::world) struct BallSteps {
    balls: Balls,
    after: Vec<Twist>,
    moving: Vec<DVec3>,
    rows: Vec<Row>,
    /// Largest speed of a ball's points after the last step \[m/s\].
    fastest: f64,
}

/// A world at the start of a step, in which it goes to the end.
pub(in crate::world) struct BallState<'a> {
    pub motions: &'a mut [Motion],
    pub present: &'a mut [bool],
    pub masses: &'a [f64],
    /// Square roots of restitution and friction of balls, then of walls.
    pub surfaces: &'a [[f64; 2]],
    pub contacts: &'a mut Vec<Contact>,
    /// Impulses of the previous step, in the order of their contacts.
    pub memory: &'a mut Vec<(Order, DVec3)>,
}

/// The smaller and the larger of two, as the lanes choose.
fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl BallSteps {
    /// `None` for worlds that are solved to accuracy.
    pub fn of(world: &World) -> Option<Self> {
        let balls = Balls::of(world)?;
        Some(Self { balls, after: Vec::new(), moving: Vec::new(), rows: Vec::new(), fastest: 0.0 })
    }

    /// Makes a step; false if its impulses are rough.
    pub fn step(&mut self, mut state: BallState<'_>) -> bool {
        self.free(&state);
        self.rows.clear();
        self.flag_walls(&state);
        self.flag_pairs(&state);
        for row in &mut self.rows {
            row.prepare(state.memory, &mut self.moving);
        }
        let rows = self.rows.len();
        for sweep in 0..self.balls.sweeps {
            for place in 0..rows {
                self.rows[turned(sweep, place, rows)].move_apart(self.balls.rate, &mut self.moving);
            }
        }
        self.keep_closed(&state);
        for row in &self.rows {
            row.apply([row.push * row.contact.normal, row.rub], &mut self.after);
        }
        let rows = self.rows.len();
        for sweep in 0..self.balls.sweeps {
            for place in 0..rows {
                self.rows[turned(sweep, place, rows)].push_apart(&mut self.after);
            }
        }
        let missed = self.finish(&mut state);
        self.fastest = self.go(&mut state);
        let rough = (self.fastest + self.balls.pull) * ROUGH;
        missed <= rough * rough
    }

    /// What was decided of the contacts of the last step.
    pub fn decisions(&self) -> impl Iterator<Item = StepDecisions> + '_ {
        self.rows.iter().map(|row| row.decided)
    }

    /// Whether all balls are slow after it.
    pub fn is_slow(&self) -> bool {
        self.fastest < self.balls.rest_speed
    }

    fn free(&mut self, state: &BallState<'_>) {
        let Balls { gravity, step, left, radii, .. } = &self.balls;
        self.after.clear();
        self.moving.clear();
        for (motion, &radius) in state.motions.iter().zip(radii) {
            let linear = *left * (motion.velocity + *step * *gravity);
            self.after.push(Twist { linear, rim: *left * (radius * motion.spin) });
            self.moving.push(0.5 * (motion.velocity + linear));
        }
        self.after.push(Twist::default());
        self.moving.push(DVec3::ZERO);
    }

    fn flag_walls(&mut self, state: &BallState<'_>) {
        for body in (0..self.balls.radii.len()).filter(|&body| state.present[body]) {
            let radius = self.balls.radii[body];
            for (wall, &(normal, offset)) in self.balls.walls.iter().enumerate() {
                let gap = normal.dot(state.motions[body].position) - offset - radius;
                let way = normal.dot(self.moving[body]) * self.balls.step;
                if gap + way < SLACK * radius {
                    let share = match gap > 0.0 {
                        true if way < 0.0 => min(gap / -way, 1.0),
                        true => 1.0,
                        false => 0.0,
                    };
                    let arms = [DVec3::ZERO, -radius * normal];
                    let decided = StepDecisions::NONE.with(StepDecisions::APART, gap > 0.0);
                    let touch = Closest { normal, gap, share, decided };
                    self.rows.push(Row::new(state, Partner::Wall(wall), body, touch, arms));
                }
            }
        }
    }

    fn flag_pairs(&mut self, state: &BallState<'_>) {
        let count = self.balls.radii.len();
        for first in (0..count).filter(|&first| state.present[first]) {
            for second in (first + 1..count).filter(|&second| state.present[second]) {
                let radii = [self.balls.radii[first], self.balls.radii[second]];
                let offset = state.motions[second].position - state.motions[first].position;
                let way = (self.moving[second] - self.moving[first]) * self.balls.step;
                if let Some(touch) = closest(offset, way, radii[0] + radii[1]) {
                    let arms = [radii[0] * touch.normal, -radii[1] * touch.normal];
                    self.rows.push(Row::new(state, Partner::Body(first), second, touch, arms));
                }
            }
        }
    }

    /// Leaves the pairs that push or have no gap left, with the laws of their velocities.
    fn keep_closed(&mut self, state: &BallState<'_>) {
        let Self { balls, after, moving, rows, .. } = self;
        let velocity = |body: usize| state.motions.get(body).map_or(DVec3::ZERO, |motion| motion.velocity);
        rows.retain_mut(|row| {
            let Row { first, contact, .. } = *row;
            let Contact { body, normal, gap, share, .. } = contact;
            let start = normal.dot(velocity(body) - velocity(first));
            let end = normal.dot(after[body].linear - after[first].linear);
            let is_closed = row.push > 0.0 || gap + normal.dot(moving[body] - moving[first]) * balls.step <= 0.0;
            // The speed of a fall through the gap.
            let speed = start + share * (end - start);
            let square = start * start - (end - start) * (2.0 * balls.rate) * gap;
            let falls = speed < 0.0 && gap > 0.0 && square >= 0.0;
            row.decided = row.decided.with(StepDecisions::FALLS, falls);
            row.contact.approach = if falls { -square.sqrt() } else { speed };
            row.bias = contact.restitution * row.contact.approach;
            let twice = pressed(row.push, row.half) * 2.0;
            (row.push, row.rub) = (row.half * twice, row.half_rub * twice);
            is_closed
        });
    }

    /// Takes impulses down; the largest distance from the laws, as a squared speed.
    fn finish(&mut self, state: &mut BallState<'_>) -> f64 {
        let mut largest = 0.0;
        state.contacts.clear();
        state.memory.clear();
        for row in &self.rows {
            let (push, rub) = row.alone(&self.after);
            let change = row.contact.normal * (push - row.push) + (rub - row.rub);
            let masses = row.inverse_masses[0] + row.inverse_masses[1];
            let missed = change.dot(change) * (masses * masses);
            largest = if missed > largest { missed } else { largest };
            let impulse = row.contact.normal * row.push + row.rub;
            state.memory.push((row.contact.order(), impulse));
            state.contacts.push(Contact { impulse, ..row.contact });
        }
        largest
    }

    /// Goes to the end of the step; the largest speed of a ball's points.
    fn go(&self, state: &mut BallState<'_>) -> f64 {
        let Balls { step, radii, bounds, .. } = &self.balls;
        let mut fastest = 0.0;
        for (body, &radius) in radii.iter().enumerate() {
            if !state.present[body] {
                continue;
            }
            let (motion, Twist { linear, rim }) = (&mut state.motions[body], self.after[body]);
            let spin = rim / radius;
            motion.position += self.moving[body] * *step;
            motion.orientation = rotated(motion.orientation, 0.5 * step * (motion.spin + spin));
            (motion.velocity, motion.spin) = (linear, spin);
            let place = motion.position;
            state.present[body] = bounds.is_none_or(|[min, max]| min.cmple(place).all() && place.cmple(max).all());
            let speed = linear.length() + radius * spin.length();
            if state.present[body] && speed > fastest {
                fastest = speed;
            }
        }
        fastest
    }
}

/// Where two touch on their way, or are closest.
#[derive(Clone, Copy)]
struct Closest {
    normal: DVec3,
    /// Along the normal, at the start.
    gap: f64,
    /// Of the step until they touch.
    share: f64,
    decided: StepDecisions,
}

/// Where two balls whose radii sum up to `reach` touch on their way, or are closest. `None` if they stay apart.
fn closest(offset: DVec3, way: DVec3, reach: f64) -> Option<Closest> {
    let slack = 0.5 * SLACK * reach;
    let outer = reach + slack;
    let (squared, ways) = (offset.dot(offset), way.dot(way));
    // (a + b)^2 <= 2 (a^2 + b^2)
    if squared >= (ways + outer * outer) * 2.0 {
        return None;
    }
    let distance = squared.sqrt();
    let gap = distance - reach;
    let closing = offset.dot(way);
    let constant = gap * (distance + reach);
    let discriminant = closing * closing - ways * constant;
    let root = constant / (max(discriminant, 0.0).sqrt() - closing);
    let meets = closing < 0.0 && discriminant > 0.0 && gap > 0.0 && root < 1.0;
    let nearest = if ways > 0.0 { min(max(-closing / ways, 0.0), 1.0) } else { 0.0 };
    let is_close = gap <= slack;
    let when = match (is_close, meets) {
        (true, _) => 0.0,
        (false, true) => root,
        (false, false) => nearest,
    };
    let there = offset + way * when;
    let length = there.length();
    if !(is_close || length < outer) {
        return None;
    }
    // Balls with one centre part upwards, as any direction is as good.
    let normal = if length > 0.0 { there * (1.0 / length) } else { DVec3::Z };
    let share = match (gap <= 0.0, meets) {
        (true, _) => 0.0,
        (false, true) => root,
        (false, false) => 1.0,
    };
    let decided = StepDecisions::NONE
        .with(StepDecisions::APART, gap > 0.0)
        .with(StepDecisions::NEAR, is_close)
        .with(StepDecisions::MEETS, meets);
    Some(Closest { normal, gap: normal.dot(offset) - reach, share, decided })
}

/// How much of the friction of the previous step acts: as much as presses of half of its normal impulse, at most all.
fn pressed(push: f64, half: f64) -> f64 {
    if half > 0.0 { min(push / half, 1.0) } else { 0.0 }
}

impl Row {
    fn new(
        state: &BallState<'_>,
        partner: Partner,
        body: usize,
        Closest { normal, gap, share, decided }: Closest,
        arms: [DVec3; 2],
    ) -> Self {
        let balls = state.motions.len();
        let (first, surface) = match partner {
            Partner::Body(first) => (first, first),
            Partner::Wall(wall) => (balls, balls + wall),
        };
        let [of_partner, of_body] = [state.surfaces[surface], state.surfaces[body]];
        let [restitution, friction] = [of_partner[0] * of_body[0], of_partner[1] * of_body[1]];
        let inverse = |body: usize| state.masses.get(body).map_or(0.0, |mass| mass.recip());
        let inverse_masses = [inverse(first), inverse(body)];
        let (approach, impulse) = (0.0, DVec3::ZERO);
        Self {
            contact: Contact {
                partner,
                body,
                point: 0,
                normal,
                gap,
                share,
                approach,
                restitution,
                friction,
                impulse,
                slack: None,
                lasts: 0.0,
                arms,
            },
            first,
            inverse_masses,
            mobility: 1.0 / (inverse_masses[0] + inverse_masses[1]),
            half: 0.0,
            half_rub: DVec3::ZERO,
            push: 0.0,
            rub: DVec3::ZERO,
            bias: 0.0,
            decided,
        }
    }

    /// Starts the push from half of the impulse in the previous step.
    fn prepare(&mut self, memory: &[(Order, DVec3)], moving: &mut [DVec3]) {
        let order = self.contact.order();
        let Ok(place) = memory.binary_search_by_key(&order, |(order, _)| *order) else { return };
        let half = memory[place].1 * 0.5;
        let along = half.dot(self.contact.normal);
        if along > 0.0 {
            (self.half, self.push, self.half_rub) = (along, along, half - self.contact.normal * along);
            self.displace(self.contact.normal * along + self.half_rub, moving);
        }
    }

    fn displace(&self, impulse: DVec3, moving: &mut [DVec3]) {
        moving[self.first] -= impulse * self.inverse_masses[0];
        moving[self.contact.body] += impulse * self.inverse_masses[1];
    }

    /// A relaxation of displacements.
    fn move_apart(&mut self, rate: f64, moving: &mut [DVec3]) {
        let Contact { normal, body, gap, .. } = self.contact;
        let speed = normal.dot(moving[body] - moving[self.first]);
        let wanted = max(self.push - (speed + gap * rate) * self.mobility, 0.0);
        let share = pressed(wanted, self.half) - pressed(self.push, self.half);
        self.displace(normal * (wanted - self.push) + self.half_rub * share, moving);
        self.push = wanted;
    }

    /// Applies an impulse, normal and tangential. Friction turns the rims of both alike.
    fn apply(&self, [normal, tangential]: [DVec3; 2], after: &mut [Twist]) {
        let all = normal + tangential;
        let turn = self.contact.normal.cross(tangential);
        let [one, other] = self.inverse_masses;
        let first = &mut after[self.first];
        first.linear -= all * one;
        first.rim -= turn * (one * INERTIA_RATIO);
        let second = &mut after[self.contact.body];
        second.linear += all * other;
        second.rim -= turn * (other * INERTIA_RATIO);
    }

    /// The impulses that solve the contact alone.
    fn alone(&self, after: &[Twist]) -> (f64, DVec3) {
        let [first, second] = [after[self.first], after[self.contact.body]];
        let normal = self.contact.normal;
        let linear = second.linear - first.linear;
        let speed = normal.dot(linear);
        let velocity = linear - normal * speed - (first.rim + second.rim).cross(normal);
        let push = max(self.push - (speed + self.bias) * self.mobility, 0.0);
        let sticking = self.rub - velocity * (self.mobility * (1.0 / (1.0 + INERTIA_RATIO)));
        let limit = self.contact.friction * push;
        let square = sticking.dot(sticking);
        let rub = if square > limit * limit { sticking * (limit / square.sqrt()) } else { sticking };
        (push, rub)
    }

    /// A relaxation of velocities.
    fn push_apart(&mut self, after: &mut [Twist]) {
        let (push, rub) = self.alone(after);
        self.apply([self.contact.normal * (push - self.push), rub - self.rub], after);
        (self.push, self.rub) = (push, rub);
    }
}
