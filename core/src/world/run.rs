//! Runs a world from start to end.

use std::collections::BTreeMap;

use glam::DVec3;

use super::contact::Partner;
use super::definition::{Body, World};
use super::motion::Motion;
use super::outcome::{FirstTouch, WorldClass, WorldOutcome};
use super::start::WorldStart;
use super::step::Stepper;

/// How long all bodies must be at rest \[s\]: a ball at the top of its bounce is not.
pub const REST_TIME: f64 = 0.5;
/// Relative gaps up to this count as contact at the start.
const TOUCHING: f64 = 1e-6;

/// Runs a world, passing every step to `observe`; a world that cannot start makes none and is invalid. It ends when all
/// bodies have been at rest for [`REST_TIME`], when none is left, or after its steps.
pub fn run(world: &World, start: &WorldStart, observe: &mut dyn FnMut(&Stepper<'_>)) -> WorldOutcome {
    let bodies = world.bodies.len();
    let Ok(mut stepper) = Stepper::new(world, start) else {
        return WorldOutcome::invalid(bodies);
    };
    let energy: f64 = stepper.energies().iter().sum();
    let mut record = Record::new(world, &stepper);
    while stepper.steps() < u64::from(world.steps) && !record.is_over(&stepper) {
        stepper.step();
        record.take(world, &stepper);
        observe(&stepper);
    }
    record.outcome(energy, &stepper).unwrap_or_else(|| WorldOutcome::invalid(bodies))
}

/// What is remembered of a world on its way.
pub struct Record {
    /// Contacts of all steps.
    pub contacts: u64,
    /// Steps whose solver did not reach its accuracy.
    pub unsolved: u64,
    /// The deepest \[m\].
    pub penetration: f64,
    /// Each body's largest: of a step, by springs of the time for which they hold bodies that meet \[N s\].
    pub impulses: Vec<f64>,
    /// Of springs that hold: since which step, and what they have given the body so far.
    held: BTreeMap<(Partner, usize, usize), (u64, DVec3)>,
    /// The number of steps after which all was at rest, as long as it is.
    pub at_rest: Option<u64>,
    /// Pairs in touch at the start.
    pub touched_at_start: Vec<(Partner, usize)>,
    /// Who touched whom first.
    pub first_touch: Option<FirstTouch>,
}

/// A contact of a step.
pub struct Touched {
    /// With what.
    pub partner: Partner,
    /// Which.
    pub body: usize,
    /// Fraction of the step after which they meet.
    pub share: f64,
    /// Whether there is an impulse.
    pub pushes: bool,
}

impl Record {
    pub fn new(world: &World, stepper: &Stepper<'_>) -> Self {
        let touched = stepper.gaps().filter(|(_, body, gap)| *gap <= TOUCHING * world.bodies[*body].shape.reach());
        Self {
            contacts: 0,
            unsolved: 0,
            penetration: 0.0,
            impulses: vec![0.0; world.bodies.len()],
            held: BTreeMap::new(),
            at_rest: all_rest(world, stepper).then_some(0),
            touched_at_start: touched.map(|(partner, body, _)| (partner, body)).collect(),
            first_touch: None,
        }
    }

    fn take(&mut self, world: &World, stepper: &Stepper<'_>) {
        self.contacts += stepper.contacts().len() as u64;
        self.unsolved += u64::from(!stepper.is_solved());
        self.note_gaps(stepper);
        self.note_impulses(stepper);
        if self.first_touch.is_none() {
            let touched = stepper.contacts().iter().map(|contact| Touched {
                partner: contact.partner,
                body: contact.body,
                share: contact.share,
                pushes: contact.impulse != DVec3::ZERO,
            });
            self.note_touch(world, stepper.steps(), touched);
        }
        self.note_rest(all_rest(world, stepper), stepper.steps());
    }

    fn note_impulses(&mut self, stepper: &Stepper<'_>) {
        let steps = stepper.steps();
        let mut before = std::mem::take(&mut self.held);
        for contact in stepper.contacts() {
            if contact.lasts == 0.0 {
                self.note_impulse((contact.partner, contact.body), contact.impulse);
                continue;
            }
            let key = (contact.partner, contact.body, contact.point);
            // One step more than the time has: a contact begins and ends within steps.
            let lasts = (contact.lasts / stepper.world().step).ceil() as u64 + 1;
            let (since, so_far) = match before.remove(&key) {
                Some((since, so_far)) if steps - since < lasts => (since, so_far),
                // What rests is held on and on.
                Some((_, all)) => {
                    self.note_impulse((contact.partner, contact.body), all);
                    (steps, DVec3::ZERO)
                }
                None => (steps, DVec3::ZERO),
            };
            self.held.insert(key, (since, so_far + contact.impulse));
        }
        self.note_ended(before);
    }

    fn note_ended(&mut self, ended: BTreeMap<(Partner, usize, usize), (u64, DVec3)>) {
        for ((partner, body, _), (_, all)) in ended {
            self.note_impulse((partner, body), all);
        }
    }

    fn note_impulse(&mut self, (partner, body): (Partner, usize), impulse: DVec3) {
        let mut meets = |body: usize| self.impulses[body] = self.impulses[body].max(impulse.length());
        meets(body);
        if let Partner::Body(first) = partner {
            meets(first);
        }
    }

    /// Notes how deep bodies are in each other.
    pub fn note_gaps(&mut self, stepper: &Stepper<'_>) {
        self.penetration = stepper.gaps().fold(self.penetration, |deepest, (.., gap)| deepest.max(-gap));
    }

    /// Notes the first of a step's contacts between those that did not touch at the start.
    pub fn note_touch(&mut self, world: &World, steps: u64, touched: impl Iterator<Item = Touched>) {
        let is_new = |one: &Touched| one.pushes && !self.touched_at_start.contains(&(one.partner, one.body));
        let first = touched.filter(is_new).min_by(|one, other| one.share.total_cmp(&other.share));
        self.first_touch = first.map(|Touched { partner, body, share, .. }| {
            let time = ((steps - 1) as f64 + share) * world.step;
            FirstTouch { time, partner, body }
        });
    }

    /// Notes whether all bodies are slow after a step.
    pub fn note_rest(&mut self, all_rest: bool, steps: u64) {
        self.at_rest = if all_rest { self.at_rest.or(Some(steps)) } else { None };
    }

    /// Since which step all bodies rest, if that is long enough.
    pub fn rested(&self, world: &World, steps: u64) -> Option<u64> {
        self.at_rest.filter(|since| steps - since >= steps_of_rest(world))
    }

    fn is_over(&self, stepper: &Stepper<'_>) -> bool {
        self.rested(stepper.world(), stepper.steps()).is_some() || !stepper.present().contains(&true)
    }

    /// `None` where numbers have left the finite range.
    pub fn outcome(mut self, energy: f64, stepper: &Stepper<'_>) -> Option<WorldOutcome> {
        let held = std::mem::take(&mut self.held);
        self.note_ended(held);
        let energy_lost = energy - stepper.energies().iter().sum::<f64>();
        let fell_off = stepper.present().iter().filter(|present| !**present).count() as u32;
        let rested = self.rested(stepper.world(), stepper.steps()).filter(|_| stepper.present().contains(&true));
        let class = match (fell_off, rested) {
            (1.., _) => WorldClass::Escaped,
            (0, None) => WorldClass::Moving,
            (0, Some(_)) => WorldClass::Settled,
        };
        let numbers = [energy_lost, self.penetration].into_iter().chain(self.impulses.iter().copied());
        numbers.into_iter().all(f64::is_finite).then(|| WorldOutcome {
            class,
            steps: stepper.steps(),
            contacts: self.contacts,
            unsolved: self.unsolved,
            rest_time: rested.map(|since| since as f64 * stepper.world().step),
            penetration: self.penetration,
            impulses: self.impulses,
            energy_lost,
            spread: spread(stepper),
            fell_off,
            first_touch: self.first_touch,
        })
    }
}

/// Whether all bodies that are left are slow.
fn all_rest(world: &World, stepper: &Stepper<'_>) -> bool {
    let bodies = world.bodies.iter().zip(stepper.motions()).zip(stepper.present());
    let speed = |(body, motion): (&Body, &Motion)| motion.velocity.length() + body.shape.reach() * motion.spin.length();
    bodies.filter(|(_, present)| **present).all(|(body, _)| speed(body) < world.rest_speed)
}

/// The number of steps that all bodies must be at rest.
pub fn steps_of_rest(world: &World) -> u64 {
    (REST_TIME / world.step).ceil() as u64
}

fn spread(stepper: &Stepper<'_>) -> Option<f64> {
    let left = || stepper.motions().iter().zip(stepper.present()).filter(|(_, present)| **present).map(|(it, _)| it);
    let count = left().count();
    let middle = left().map(|motion| motion.position).sum::<DVec3>() / count as f64;
    let squares: f64 = left().map(|motion| motion.position.distance_squared(middle)).sum();
    (count > 0).then(|| (squares / count as f64).sqrt())
}
