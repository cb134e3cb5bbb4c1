//! Steps of a world.

mod flags;
mod middle;

use glam::DVec3;

use super::balls::{BallState, BallSteps};
use super::compliant::push_apart;
use super::contact::{Contact, Order, Partner};
use super::definition::{Bounds, Contacts, Law, Resolution, World};
use super::error::WorldError;
use super::gaps::near;
use super::motion::{FreeRotation, Motion, body_mass, free_rotation, is_round, turned};
use super::pose::Way;
use super::resolver::Resolver;
use super::search::Searched;
use super::sequence::collide;
use super::start::WorldStart;
use crate::friction::{BodyMass, BodyVelocity};

/// Tolerance on the gap of a closed contact, relative to positions, for rounding, and to displacements, for the solver.
const CLOSED: f64 = 1e-12;
const NEARLY: f64 = 1e-9;

/// Tolerance on gaps over a step, relative to the largest displacement, and to coordinates, for rounding.
const WAYS: f64 = 1e-11;
const ROUNDING: f64 = 1e-14;
/// Tolerance on Newton's impact law, relative to the largest velocity.
const VELOCITIES: f64 = 1e-13;

/// Time stepping of a world, with h the step size, J the Jacobian of gaps, M the masses and g gravity.
///
/// # End of step
/// Contacts are overlaps at `x + h v + gamma h^2 g`; then `0 <= J v+ + e J v perp impulse >= 0` and
/// `x+ = x + h (gamma v+ + (1 - gamma) v)` with gamma = 1 / (1 + e), for the smallest restitution e if there are
/// several. The material points of a contact then never get deeper along its normal. Undetected contacts may: by no more
/// than the impulses change the displacements of both bodies, 4 h V if no body is faster than V. A body that turns
/// touches with another point after the step, deeper by half of h^2 times the acceleration that rolling gives the point of contact.
///
/// # Swept
/// Two problems over one set of contacts. Displacements: `0 <= gap + h J u perp push >= 0` from u = v + h g / 2, which
/// is the exact parabola without contact; searched again along the new displacements until no contact is new. As gaps
/// are those of separating planes, bodies never penetrate, except for the solver's tolerance: 1e-9 of the bodies' sizes
/// and displacements. Velocities: `0 <= J v+ + e J v' perp impulse >= 0` over the contacts that are closed at the end,
/// with v' the velocity at contact, v + s h g after the fraction s of the step. A bounce loses the rest of its step,
/// which is time and not energy. What turning makes of a straight path, half of h^2 times the acceleration of the point of
/// contact, the displacements of the next step lift out.
///
/// With [`World::sweeps`] both problems are approximate, over one search, for balls and walls: see docs/worlds.md.
///
/// Spins of a step are about the axes that a body has at its start, and turn with them to its end: so inertia is the same throughout.
/// Of a body that nothing hinders energy and angular momentum are kept exactly; contacts change the angular momentum by up to the
/// angle of the step.
///
/// In both, contacts that last act along the directions that they have in the middle of the step, so that bodies which rock or roll
/// neither gain energy nor sink (docs/worlds.md).
///
/// Energy: `v+ = v + M^-1 J^T n` gives `dT = -(1 - e) / (2 (1 + e)) n . A n`, which is never positive if there are no
/// forces and all contacts have the same e. That is the impulses' share; displacements change the potential energy besides.
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
    /// Impulses of the previous step, in the order of their contacts.
    memory: Vec<(Order, DVec3)>,
    is_solved: bool,
    work: Work,
    /// In worlds with sweeps.
    balls: Option<BallSteps>,
}

/// Work space of steps, kept between them. Velocities and masses have one more entry for fixed objects.
#[derive(Debug, Default)]
struct Work {
    searched: Searched,
    masses: Vec<BodyMass>,
    before: Vec<BodyVelocity>,
    after: Vec<BodyVelocity>,
    base: Vec<BodyVelocity>,
    moving: Vec<BodyVelocity>,
    ways: Vec<Way>,
    /// Of bodies that move at contacts which last: where they are in the middle of the step.
    middles: Vec<Option<Motion>>,
    fresh: Vec<Contact>,
    earliest: Vec<f64>,
    collided: Vec<BodyVelocity>,
    resolver: Resolver,
}

impl Work {
    /// How a body moves over a step whose contacts are those at its end.
    fn way_at_end(&self, body: usize, gamma: f64) -> BodyVelocity {
        let [before, after] = [self.before[body], self.after[body]];
        BodyVelocity {
            linear: before.linear + gamma * (after.linear - before.linear),
            angular: self.base[body].angular + gamma * (after.angular - before.angular),
        }
    }
}

impl<'w> Stepper<'w> {
    /// A world at its start.
    ///
    /// # Errors
    /// If the world or its start is invalid, or bodies overlap.
    pub fn new(world: &'w World, start: &WorldStart) -> Result<Self, WorldError> {
        world.check()?;
        start.check(world)?;
        let surfaces = start.surfaces(world);
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
            balls: BallSteps::of(world),
        })
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Number of steps made.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Poses and motions of bodies; for removed ones, the last.
    #[must_use]
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// Whether bodies are still within the bounds.
    #[must_use]
    pub fn present(&self) -> &[bool] {
        &self.present
    }

    /// The contacts of the last step, in order: walls first, by body and wall; then pairs.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// All pairs of walls and bodies now close to each other, and their gaps \[m\], negative on overlap.
    pub fn gaps(&self) -> impl Iterator<Item = (Partner, usize, f64)> + '_ {
        near(self.world, &self.motions, &self.present)
    }

    /// Whether the impulses of the last step are accurate.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// Kinetic energy, and potential energy relative to the origin \[J\].
    #[must_use]
    pub fn energies(&self) -> [f64; 2] {
        let mut energies = [0.0; 2];
        for ((motion, &mass), &moments) in self.motions.iter().zip(&self.masses).zip(&self.moments) {
            // Balls are round, and their lanes have no orientation.
            let is_round = self.balls.is_some();
            let spin = if is_round { motion.spin } else { motion.orientation.inverse() * motion.spin };
            energies[0] += 0.5 * mass * motion.velocity.length_squared() + 0.5 * spin.dot(moments * spin);
            energies[1] -= mass * self.world.gravity.dot(motion.position);
        }
        energies
    }

    /// Square roots of restitution and friction of bodies, then of walls.
    pub(super) fn surfaces(&self) -> &[[f64; 2]] {
        &self.surfaces
    }

    /// Puts a body where steps elsewhere have brought it.
    pub(super) fn end(&mut self, body: usize, position: DVec3, velocity: DVec3, spin: DVec3, is_present: bool) {
        let motion = &mut self.motions[body];
        *motion = Motion { position, velocity, spin, ..*motion };
        self.present[body] = is_present;
    }

    /// The number of those steps.
    pub(super) fn end_after(&mut self, steps: u64) {
        self.steps = steps;
    }

    /// Advances by one step.
    pub fn step(&mut self) {
        self.steps += 1;
        self.is_solved = true;
        if let Some(balls) = &mut self.balls {
            let Self { motions, present, masses, surfaces, contacts, memory, .. } = self;
            self.is_solved = balls.step(BallState { motions, present, masses, surfaces, contacts, memory });
            return;
        }
        self.prepare();
        match (self.world.law, self.world.contacts) {
            (Law::Rigid, Contacts::EndOfStep) => self.flag_at_end(),
            (Law::Rigid, Contacts::Swept) => self.flag_on_way(),
            (Law::Penalty { .. } | Law::ViscoElastic { .. }, _) => return self.comply(),
        }
        self.take_in_the_middle();
        self.finish();
    }

    /// What damping leaves of velocities, by the implicit rule: never more than there was.
    fn left_by_damping(&self) -> f64 {
        1.0 / (1.0 + self.world.damping * self.world.step)
    }

    /// Free velocities and inertias.
    fn prepare(&mut self) {
        let (step, gravity) = (self.world.step, self.world.gravity);
        let left = self.left_by_damping();
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
            let FreeRotation { way, last } = free_rotation(orientation, self.moments[body], spin, step);
            let after = BodyVelocity { linear: left * (linear + step * gravity), angular: left * last };
            work.before.push(BodyVelocity { linear, angular: last });
            work.after.push(after);
            work.base.push(BodyVelocity { linear: 0.5 * (linear + after.linear), angular: way });
            work.masses.push(body_mass(self.masses[body], self.moments[body], orientation));
        }
        for twists in [&mut work.before, &mut work.after, &mut work.base] {
            twists.push(BodyVelocity::default());
        }
        work.masses.push(BodyMass::FIXED);
        self.contacts.clear();
    }

    /// The step with compliant contacts.
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
        for (body, moving) in work.moving.iter_mut().enumerate() {
            let [base, before, after] = [&work.base, &work.before, &work.after].map(|twists| twists[body].angular);
            // Of round bodies both are the spin.
            if base != before {
                moving.angular = base + (after - before);
            }
        }
        self.go();
    }

    /// Applies impulses to velocities and positions.
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

    /// Requires Newton's impact law of all contacts.
    fn demand_all(&mut self) {
        let Self { work, contacts, memory, .. } = self;
        work.resolver.clear();
        for contact in &*contacts {
            let bias = contact.slack.unwrap_or(contact.restitution * contact.approach);
            work.resolver.demand(contact, &work.masses, bias, remembered(memory, contact));
        }
    }

    /// All contacts of the step simultaneously. With a common restitution -e v satisfies all constraints; with
    /// different ones there may be no solution, as for a ball held between an elastic and an inelastic wall: then the
    /// smallest applies to all.
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

    /// One contact after the other, then what forces add, simultaneously.
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
        for (body, is_present) in self.present.iter_mut().enumerate().filter(|(_, is_present)| **is_present) {
            let motion = &mut self.motions[body];
            let (after, moments) = (work.after[body], self.moments[body]);
            let way = match (self.world.law, self.world.contacts) {
                (Law::Rigid, Contacts::EndOfStep) => work.way_at_end(body, gamma),
                _ => work.moving[body],
            };
            motion.position += step * way.linear;
            let orientation = turned(motion.orientation, step * way.angular);
            let spin = if is_round(moments) {
                after.angular
            } else {
                orientation * work.own_spin(body, motion, moments, step)
            };
            *motion = Motion { orientation, velocity: after.linear, spin, ..*motion };
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
