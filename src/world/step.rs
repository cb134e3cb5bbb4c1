//! Steps of a world.
//!
//! # End of step (document 001)
//! Contacts are what overlaps at `x + h v + gamma h^2 g`; then `0 <= J v+ + e J v perp impulse >= 0` and
//! `x+ = x + h (gamma v+ + (1 - gamma) v)` with gamma = 1 / (1 + e), of the least restitution e where there are several. Along
//! its normal no contact then gets any deeper. What was not found may: by no more than the impulses change the ways of both
//! bodies, 4 h V where no body is faster than V.
//!
//! # Swept
//! Two problems over one set of contacts. Ways: `0 <= gap + h J u perp push >= 0` from u = v + h g / 2, which is the exact
//! parabola where nothing is met; searched again along the new ways until no contact is new. As gaps are those of planes
//! that part both bodies, no body gets into another, but for what the solver leaves: 1e-9 of what the bodies
//! measure and move. Velocities: `0 <= J v+ + e J v' perp impulse >= 0` over the contacts that are closed at the end, v' being
//! the velocity with which they meet, v + s h g after the part s of the step. A bounce loses the rest of its
//! step, which is time and not energy.
//!
//! Energy: `v+ = v + M^-1 J^T n` gives `dT = -(1 - e) / (2 (1 + e)) n . A n`, which is never above 0 where forces are 0 and all
//! contacts have one e.

use glam::DVec3;

use super::contact::{Contact, Partner};
use super::definition::{Bounds, Contacts, Resolution, World};
use super::error::WorldError;
use super::motion::{Motion, body_mass, free_spin, turned};
use super::resolver::Resolver;
use super::search::{Searched, Ways};
use super::sequence::collide;
use super::start::WorldStart;
use crate::friction::{BodyMass, BodyVelocity};

/// How far from closed a contact may be that is closed, in parts of where the bodies are and how far they move:
/// rounding of gaps, and what the solver leaves.
const CLOSED: f64 = 1e-12;

/// How far ways may miss gaps over a step, in parts of the fastest way, and in parts of coordinates, as rounding does.
const WAYS: f64 = 1e-11;
const ROUNDING: f64 = 1e-14;
/// How far velocities may miss Newton's law, in parts of the fastest.
const VELOCITIES: f64 = 1e-13;

/// A world on its way.
#[derive(Debug)]
pub struct Stepper<'w> {
    world: &'w World,
    masses: Vec<f64>,
    moments: Vec<DVec3>,
    surfaces: Vec<[f64; 2]>,
    gamma: f64,
    motions: Vec<Motion>,
    present: Vec<bool>,
    contacts: Vec<Contact>,
    /// Impulses of the step before, in the order of their contacts.
    memory: Vec<((bool, usize, usize), DVec3)>,
    is_solved: bool,
    work: Work,
}

/// What steps work on, kept so that they need no memory. Twists and inertias have one more for what is fixed.
#[derive(Debug, Default)]
struct Work {
    searched: Searched,
    masses: Vec<BodyMass>,
    before: Vec<BodyVelocity>,
    after: Vec<BodyVelocity>,
    base: Vec<BodyVelocity>,
    moving: Vec<BodyVelocity>,
    ways: Vec<DVec3>,
    fresh: Vec<Contact>,
    earliest: Vec<f64>,
    collided: Vec<BodyVelocity>,
    resolver: Resolver,
}

impl<'w> Stepper<'w> {
    /// A world at its start.
    ///
    /// # Errors
    /// When the world or its start is not what it may be, or bodies overlap.
    pub fn new(world: &'w World, start: &WorldStart) -> Result<Self, WorldError> {
        world.check()?;
        start.check(world)?;
        let own = |restitution: Option<f64>, friction: Option<f64>| {
            [restitution.unwrap_or(start.restitution).sqrt(), friction.unwrap_or(start.friction).sqrt()]
        };
        let of_bodies = world.bodies.iter().map(|body| own(body.restitution, body.friction));
        let of_walls = world.walls.iter().map(|wall| own(wall.restitution, wall.friction));
        let surfaces: Vec<[f64; 2]> = of_bodies.chain(of_walls).collect();
        let least = surfaces.iter().fold(1.0, |least: f64, surface| least.min(surface[0]));
        let moments = world.bodies.iter().zip(&start.masses).map(|(body, mass)| *mass * body.shape.gyration());
        Ok(Self {
            world,
            masses: start.masses.clone(),
            moments: moments.collect(),
            surfaces,
            gamma: 1.0 / (1.0 + least * least),
            motions: start.motions.clone(),
            present: vec![true; world.bodies.len()],
            contacts: Vec::new(),
            memory: Vec::new(),
            is_solved: true,
            work: Work::default(),
        })
    }

    /// Where bodies are and how they move; of those that are gone, how they went.
    #[must_use]
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// Whether bodies are still part of the world: within its bounds.
    #[must_use]
    pub fn present(&self) -> &[bool] {
        &self.present
    }

    /// The contacts of the last step, in the order of flags: walls first, by body and wall; then pairs.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Whether the impulses of the last step are accurate.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// Kinetic energy, and that in the field of gravity from the origin \[J\].
    #[must_use]
    pub fn energies(&self) -> [f64; 2] {
        let mut energies = [0.0; 2];
        for ((motion, &mass), &moments) in self.motions.iter().zip(&self.masses).zip(&self.moments) {
            let spin = motion.orientation.inverse() * motion.spin;
            energies[0] += 0.5 * mass * motion.velocity.length_squared() + 0.5 * spin.dot(moments * spin);
            energies[1] -= mass * self.world.gravity.dot(motion.position);
        }
        energies
    }

    /// Goes on by a step.
    pub fn step(&mut self) {
        self.is_solved = true;
        self.prepare();
        match self.world.contacts {
            Contacts::EndOfStep => self.flag_at_end(),
            Contacts::Swept => self.flag_on_way(),
        }
        self.finish();
    }

    /// Free velocities and inertias.
    fn prepare(&mut self) {
        let (step, gravity) = (self.world.step, self.world.gravity);
        let work = &mut self.work;
        for twists in [&mut work.before, &mut work.after, &mut work.base] {
            twists.clear();
        }
        work.masses.clear();
        for (body, motion) in self.motions.iter().enumerate() {
            let Motion { orientation, velocity: linear, spin, .. } = *motion;
            if !self.present[body] {
                for twists in [&mut work.before, &mut work.after, &mut work.base] {
                    twists.push(BodyVelocity::default());
                }
                work.masses.push(BodyMass::FIXED);
                continue;
            }
            let [middle, last] = <[DVec3; 2]>::from(free_spin(orientation, self.moments[body], spin, step));
            work.before.push(BodyVelocity { linear, angular: spin });
            work.after.push(BodyVelocity { linear: linear + step * gravity, angular: last });
            work.base.push(BodyVelocity { linear: linear + 0.5 * step * gravity, angular: middle });
            work.masses.push(body_mass(self.masses[body], self.moments[body], orientation));
        }
        for twists in [&mut work.before, &mut work.after, &mut work.base] {
            twists.push(BodyVelocity::default());
        }
        work.masses.push(BodyMass::FIXED);
        self.contacts.clear();
    }

    fn search(&mut self, closed: f64) {
        let work = &mut self.work;
        let Self { world, motions, present, surfaces, .. } = self;
        let step = Ways { world, motions, ways: &work.ways, closed, present, surfaces };
        work.fresh.clear();
        work.searched.contacts(&step, |contact| work.fresh.push(contact));
    }

    /// The single pass.
    fn flag_at_end(&mut self) {
        let (step, gamma) = (self.world.step, self.gamma);
        let work = &mut self.work;
        work.ways.clear();
        let tentative = |(before, after): (&BodyVelocity, &BodyVelocity)| {
            step * (before.linear + gamma * (after.linear - before.linear))
        };
        work.ways.extend(work.before.iter().zip(&work.after).map(tentative));
        self.search(0.0);
        self.contacts.append(&mut self.work.fresh);
        for contact in &mut self.contacts {
            contact.approach = contact.parting(&self.work.before);
        }
    }

    /// Search after search, until none is new; leaves the ways in `moving`, and only contacts that are closed in the end.
    fn flag_on_way(&mut self) {
        let step = self.world.step;
        let positions = self.motions.iter().zip(&self.present).filter(|(_, present)| **present);
        let size = positions.map(|(motion, _)| motion.position.length()).fold(0.0, f64::max);
        self.work.moving.clone_from(&self.work.base);
        self.work.resolver.clear();
        loop {
            let work = &mut self.work;
            work.ways.clear();
            work.ways.extend(work.moving.iter().map(|twist| step * twist.linear));
            self.search(CLOSED * size);
            if !self.take_earliest() {
                break;
            }
            let work = &mut self.work;
            work.moving.clone_from(&work.base);
            let rounding = ROUNDING * size / step;
            self.is_solved &= work.resolver.change_ways(&work.masses, &mut work.moving, WAYS, rounding);
        }
        self.keep_closed();
    }

    /// Flags those new contacts before which neither of their bodies meets anything else new: what a body meets later, it
    /// may not meet at all. False where none is new.
    fn take_earliest(&mut self) -> bool {
        let bodies = self.motions.len();
        let Self { work, contacts, memory, world, .. } = self;
        work.fresh.retain(|new| contacts.iter().all(|old| old.order() != new.order()));
        work.earliest.clear();
        work.earliest.resize(bodies, f64::INFINITY);
        for contact in &work.fresh {
            let mut meets = |body: usize| work.earliest[body] = work.earliest[body].min(contact.share);
            meets(contact.body);
            if let Partner::Body(first) = contact.partner {
                meets(first);
            }
        }
        let is_earliest = |contact: &Contact| {
            let of_partner = match contact.partner {
                Partner::Wall(_) => f64::INFINITY,
                Partner::Body(first) => work.earliest[first],
            };
            contact.share <= work.earliest[contact.body].min(of_partner)
        };
        for contact in work.fresh.iter().filter(|contact| is_earliest(contact)) {
            let half = 0.5 * remembered(memory, contact);
            work.resolver.demand(contact, &work.masses, contact.gap / world.step, half);
            contacts.push(*contact);
        }
        !work.fresh.is_empty()
    }

    fn keep_closed(&mut self) {
        let step = self.world.step;
        let (work, motions, bodies) = (&self.work, &self.motions, self.motions.len());
        let measure = |number: usize| {
            let position = motions.get(number).map_or(0.0, |motion| motion.position.length());
            position + step * work.moving[number].linear.length()
        };
        self.contacts.retain_mut(|contact| {
            let scale = measure(contact.body) + measure(contact.first(bodies)) + contact.gap.abs();
            let is_closed = contact.gap + step * contact.parting(&work.moving) <= CLOSED * scale;
            // Along the way velocities change evenly.
            let [start, end] = [&work.before, &work.after].map(|twists| contact.parting(twists));
            contact.approach = start + contact.share * (end - start);
            is_closed
        });
        self.contacts.sort_unstable_by_key(Contact::order);
    }

    /// Impulses, and what they make of velocities and places.
    fn finish(&mut self) {
        let Self { work, contacts, memory, world, is_solved, .. } = self;
        work.resolver.clear();
        for contact in &*contacts {
            let bias = contact.restitution * contact.approach;
            work.resolver.demand(contact, &work.masses, bias, remembered(memory, contact));
        }
        if world.resolution == Resolution::Sequential {
            work.collided.clone_from(&work.before);
            collide(contacts, &mut work.resolver, &work.masses, &mut work.collided);
            for ((after, before), collided) in work.after.iter_mut().zip(&work.before).zip(&work.collided) {
                after.linear += collided.linear - before.linear;
                after.angular += collided.angular - before.angular;
            }
        }
        *is_solved &= work.resolver.change_velocities(&work.masses, &mut work.after, VELOCITIES);
        memory.clear();
        for (number, contact) in contacts.iter_mut().enumerate() {
            let impulse = work.resolver.impulse(number);
            memory.push((contact.order(), impulse));
            contact.impulse += impulse;
        }
        self.go();
    }

    /// Goes to the end of the step.
    fn go(&mut self) {
        let (step, gamma) = (self.world.step, self.gamma);
        let work = &self.work;
        let present = self.present.iter_mut().enumerate().filter(|(_, present)| **present);
        for (body, is_present) in present {
            let motion = &mut self.motions[body];
            let [before, after] = [work.before[body], work.after[body]];
            let way = match self.world.contacts {
                Contacts::EndOfStep => BodyVelocity {
                    linear: before.linear + gamma * (after.linear - before.linear),
                    angular: before.angular + gamma * (after.angular - before.angular),
                },
                Contacts::Swept => work.moving[body],
            };
            motion.position += step * way.linear;
            motion.orientation = turned(motion.orientation, step * way.angular);
            (motion.velocity, motion.spin) = (after.linear, after.angular);
            let is_inside = self
                .world
                .bounds
                .is_none_or(|Bounds { min, max }| min.cmple(motion.position).all() && motion.position.cmple(max).all());
            *is_present = is_inside;
        }
    }
}

fn remembered(memory: &[((bool, usize, usize), DVec3)], contact: &Contact) -> DVec3 {
    memory.binary_search_by_key(&contact.order(), |(order, _)| *order).map_or(DVec3::ZERO, |place| memory[place].1)
}
