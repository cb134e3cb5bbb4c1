//! Steps of a world.

mod flags;

use glam::DVec3;

use super::compliant::push_apart;
use super::contact::{Contact, Order, Partner};
use super::definition::{Bounds, Contacts, Law, Resolution, World};
use super::error::WorldError;
use super::gaps::near;
use super::motion::{Motion, body_mass, free_spin, turned};
use super::pose::Way;
use super::resolver::Resolver;
use super::search::Searched;
use super::sequence::collide;
use super::start::WorldStart;
use crate::friction::{BodyMass, BodyVelocity};

/// How far from closed a contact may be that is closed, in parts of where the bodies are, as rounding leaves it, and of how far
/// they move, as the solver does.
const CLOSED: f64 = 1e-12;
const NEARLY: f64 = 1e-9;

/// How far ways may miss gaps over a step, in parts of the fastest way, and in parts of coordinates, as rounding does.
const WAYS: f64 = 1e-11;
const ROUNDING: f64 = 1e-14;
/// How far velocities may miss Newton's law, in parts of the fastest.
const VELOCITIES: f64 = 1e-13;

/// A world on its way, with h the length of a step, J the Jacobian of gaps, M the masses and g gravity.
///
/// # End of step
/// Contacts are what overlaps at `x + h v + gamma h^2 g`; then `0 <= J v+ + e J v perp impulse >= 0` and
/// `x+ = x + h (gamma v+ + (1 - gamma) v)` with gamma = 1 / (1 + e), of the least restitution e where there are several. Along
/// its normal no contact then gets any deeper. What was not found may: by no more than the impulses change the ways of both
/// bodies, 4 h V where no body is faster than V.
///
/// # Swept
/// Two problems over one set of contacts. Ways: `0 <= gap + h J u perp push >= 0` from u = v + h g / 2, which is the exact
/// parabola where nothing is met; searched again along the new ways until no contact is new. As gaps are those of planes
/// that part both bodies, no body gets into another, but for what the solver leaves: 1e-9 of what the bodies
/// measure and move. Velocities: `0 <= J v+ + e J v' perp impulse >= 0` over the contacts that are closed at the end, v' being
/// the velocity with which they meet, v + s h g after the part s of the step. A bounce loses the rest of its
/// step, which is time and not energy.
///
/// Energy: `v+ = v + M^-1 J^T n` gives `dT = -(1 - e) / (2 (1 + e)) n . A n`, which is never above 0 where forces are 0 and all
/// contacts have one e.
#[derive(Debug)]
pub struct Stepper<'w> {
    world: &'w World,
    masses: Vec<f64>,
    moments: Vec<DVec3>,
    surfaces: Vec<[f64; 2]>,
    gamma: f64,
    steps: u64,
    motions: Vec<Motion>,
    present: Vec<bool>,
    contacts: Vec<Contact>,
    /// Impulses of the step before, in the order of their contacts.
    memory: Vec<(Order, DVec3)>,
    is_solved: bool,
    work: Work,
}

/// What steps work on, kept so that they need no memory. Velocities and masses have one more for what is fixed.
#[derive(Debug, Default)]
struct Work {
    searched: Searched,
    masses: Vec<BodyMass>,
    before: Vec<BodyVelocity>,
    after: Vec<BodyVelocity>,
    base: Vec<BodyVelocity>,
    moving: Vec<BodyVelocity>,
    ways: Vec<Way>,
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
            steps: 0,
            motions: start.motions.clone(),
            present: vec![true; world.bodies.len()],
            contacts: Vec::new(),
            memory: Vec::new(),
            is_solved: true,
            work: Work::default(),
        })
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Steps made.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
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

    /// All walls and bodies that are near each other now, and how far apart they are \[m\], negative where they overlap.
    pub fn gaps(&self) -> impl Iterator<Item = (Partner, usize, f64)> + '_ {
        near(self.world, &self.motions, &self.present)
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
        self.steps += 1;
        self.is_solved = true;
        self.prepare();
        match (self.world.law, self.world.contacts) {
            (Law::Rigid, Contacts::EndOfStep) => self.flag_at_end(),
            (Law::Rigid, Contacts::Swept) => self.flag_on_way(),
            (Law::Penalty { .. } | Law::ViscoElastic { .. }, _) => return self.comply(),
        }
        self.finish();
    }

    /// Free velocities and inertias.
    fn prepare(&mut self) {
        let (step, gravity) = (self.world.step, self.world.gravity);
        // What damping leaves, by the implicit rule: never more than there was.
        let left = 1.0 / (1.0 + self.world.damping * step);
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
            let after = BodyVelocity { linear: left * (linear + step * gravity), angular: left * last };
            work.before.push(BodyVelocity { linear, angular: spin });
            work.after.push(after);
            work.base.push(BodyVelocity { linear: 0.5 * (linear + after.linear), angular: middle });
            work.masses.push(body_mass(self.masses[body], self.moments[body], orientation));
        }
        for twists in [&mut work.before, &mut work.after, &mut work.base] {
            twists.push(BodyVelocity::default());
        }
        work.masses.push(BodyMass::FIXED);
        self.contacts.clear();
    }

    /// The step of contacts that give way.
    fn comply(&mut self) {
        self.work.ways.clear();
        self.work.ways.resize(self.motions.len(), Way::default());
        self.search(Contacts::EndOfStep, 0.0);
        let Self { work, contacts, world, .. } = self;
        // Of faces that meet, some points may be apart.
        contacts.extend(work.fresh.drain(..).filter(|contact| contact.gap < 0.0));
        for contact in &mut *contacts {
            contact.approach = contact.parting(&work.before);
        }
        push_apart(world.law, world.step, contacts, &work.masses, &work.before, &mut work.after);
        work.moving.clone_from(&work.after);
        self.go();
    }

    /// Impulses, and what they make of velocities and places.
    fn finish(&mut self) {
        self.demand_all();
        let is_solved = match self.world.resolution {
            Resolution::Simultaneous => self.solve_at_once(),
            Resolution::Sequential => self.solve_in_turn(),
        };
        self.is_solved &= is_solved;
        let Self { work, contacts, memory, .. } = self;
        memory.clear();
        for (number, contact) in contacts.iter_mut().enumerate() {
            let impulse = work.resolver.impulse(number);
            memory.push((contact.order(), impulse));
            contact.impulse += impulse;
        }
        self.go();
    }

    /// Asks that all contacts follow Newton's law.
    fn demand_all(&mut self) {
        let Self { work, contacts, memory, .. } = self;
        work.resolver.clear();
        for contact in &*contacts {
            let bias = contact.restitution * contact.approach;
            work.resolver.demand(contact, &work.masses, bias, remembered(memory, contact));
        }
    }

    /// All contacts of the step together. With one restitution -e v meets all demands; with several there may be nothing
    /// that does, as for a ball that is held between a wall that gives back and one that does not: the least holds for all then.
    fn solve_at_once(&mut self) -> bool {
        let work = &mut self.work;
        work.collided.clone_from(&work.after);
        if work.resolver.change_velocities(&work.masses, &mut work.after, VELOCITIES) {
            return true;
        }
        let least = self.contacts.iter().fold(1.0, |least: f64, contact| least.min(contact.restitution));
        if self.contacts.iter().all(|contact| contact.restitution == least) {
            return false;
        }
        self.contacts.iter_mut().for_each(|contact| contact.restitution = least);
        self.demand_all();
        let work = &mut self.work;
        work.after.clone_from(&work.collided);
        work.resolver.change_velocities(&work.masses, &mut work.after, VELOCITIES)
    }

    /// One contact after the other, and what forces add to them together.
    fn solve_in_turn(&mut self) -> bool {
        let Self { work, contacts, .. } = self;
        work.collided.clone_from(&work.before);
        collide(contacts, &mut work.resolver, &work.masses, &mut work.collided);
        for ((after, before), collided) in work.after.iter_mut().zip(&work.before).zip(&work.collided) {
            after.linear += collided.linear - before.linear;
            after.angular += collided.angular - before.angular;
        }
        work.resolver.change_velocities(&work.masses, &mut work.after, VELOCITIES)
    }

    /// Goes to the end of the step.
    fn go(&mut self) {
        let (step, gamma) = (self.world.step, self.gamma);
        let work = &self.work;
        let present = self.present.iter_mut().enumerate().filter(|(_, present)| **present);
        for (body, is_present) in present {
            let motion = &mut self.motions[body];
            let [before, after] = [work.before[body], work.after[body]];
            let way = match (self.world.law, self.world.contacts) {
                (Law::Rigid, Contacts::EndOfStep) => BodyVelocity {
                    linear: before.linear + gamma * (after.linear - before.linear),
                    angular: before.angular + gamma * (after.angular - before.angular),
                },
                _ => work.moving[body],
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

fn remembered(memory: &[(Order, DVec3)], contact: &Contact) -> DVec3 {
    memory.binary_search_by_key(&contact.order(), |(order, _)| *order).map_or(DVec3::ZERO, |place| memory[place].1)
}
