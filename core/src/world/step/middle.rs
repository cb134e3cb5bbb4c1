//! Contacts that last, as they are in the middle of the step.
//!
//! Where a body rocks or rolls its point of contact goes along its side, by d = h a in the speed with which bodies part there: a
//! is the acceleration of the point that the body brings to the ground. Impulses along the directions at the start of the step
//! would act against speeds that are half a step old, and displacements would lift the body without them: the energy would grow
//! by N d / 2 in every step for the force N. With directions of the middle, which see as much before them as behind them, the
//! impulses take what the displacements give, but for the part of N that bends the way itself: without restitution a step loses
//! `a h d / (2 A)`, A being how much faster the bodies part there for each unit of impulse. That is of the fourth order in the
//! angle of rocking. The speed that comes back is that of the middle as well, or impulses without loss would change the energy.
//!
//! With [`Contacts::EndOfStep`] nothing lifts bodies, and that same speed is what keeps them where they are:
//! `J (gamma v+ + (1 - gamma) v) = 0`. The impulses then take `(1 - e) / (1 + e) N d / 2`.

use glam::DVec3;

use super::flags::meeting;
use super::{Stepper, Work, remembered};
use crate::world::contact::{Contact, Partner};
use crate::world::definition::{Contacts, World};
use crate::world::ground::is_covered;
use crate::world::motion::{Motion, body_mass, is_round, spin_after, turned};
use crate::world::pose::Pose;
use crate::world::search::Searched;
use crate::world::shape::BodyShape;
use crate::world::touch::{facing, separation_if_near};

/// A body that moves by no more than this part of its size in a step, and turns by no larger angle, is where it was.
const STILL: f64 = 1e-9;
/// Least cosine between a normal now and half a step later of the same faces or edges.
const SAME: f64 = 0.9;

impl Stepper<'_> {
    /// Takes contacts that pushed in the step before, and with them the spins and inertias of their bodies, where these are half
    /// of their ways later. The free rotation stops there too, and goes on with what impulses have given: with the spins of its end they
    /// would feed the wobble of what spins fast.
    pub(super) fn take_in_the_middle(&mut self) {
        let (bodies, left) = (self.motions.len(), self.left_by_damping());
        let Self { world, motions, moments, masses, contacts, memory, work, .. } = self;
        let lasts = |contact: &Contact| remembered(memory, contact) != DVec3::ZERO;
        work.middles.clear();
        work.middles.resize(bodies, None);
        for contact in contacts.iter().filter(|contact| lasts(contact)) {
            for body in [contact.first(bodies), contact.body].into_iter().filter(|body| *body < bodies) {
                let (way, reach) = (&work.ways[body], world.bodies[body].shape.reach());
                if way.turn.length() > STILL || way.shift.length() > STILL * reach {
                    let orientation = turned(motions[body].orientation, 0.5 * way.turn);
                    let position = motions[body].position + 0.5 * way.shift;
                    work.middles[body] = Some(Motion { position, orientation, ..motions[body] });
                }
            }
        }
        for (body, middle) in work.middles.iter().enumerate() {
            let Some(middle) = middle.filter(|_| !is_round(moments[body])) else { continue };
            work.masses[body] = body_mass(masses[body], moments[body], middle.orientation);
            let own = motions[body].orientation.inverse() * motions[body].spin;
            let spin = middle.orientation * spin_after(moments[body], own, 0.5 * world.step);
            (work.before[body].angular, work.after[body].angular) = (spin, left * spin);
        }
        let middle = |body: usize| work.middles.get(body).copied().flatten();
        for contact in contacts {
            let ends = [contact.first(bodies), contact.body];
            if ends.iter().all(|end| middle(*end).is_none()) {
                continue;
            }
            for (arm, body) in contact.arms.iter_mut().zip(ends) {
                let Some(middle) = middle(body) else { continue };
                if !matches!(world.bodies[body].shape, BodyShape::Sphere { .. }) {
                    *arm = middle.orientation * (motions[body].orientation.inverse() * *arm);
                }
            }
            if lasts(contact) {
                meet(world, &work.searched, contact, |body| middle(body).unwrap_or(motions[body]));
            }
            let [start, end] = [&work.before, &work.after].map(|speeds| contact.parting(speeds));
            contact.approach = match world.contacts {
                Contacts::EndOfStep => start,
                Contacts::Swept => meeting(start, end, contact, world.step),
            };
        }
    }
}

impl Work {
    /// The spin of a body at the end of the step, in its own axes.
    pub(super) fn own_spin(&self, body: usize, motion: &Motion, moments: DVec3, step: f64) -> DVec3 {
        let spin = self.after[body].angular;
        match self.middles.get(body).copied().flatten() {
            Some(middle) => spin_after(moments, middle.orientation.inverse() * spin, 0.5 * step),
            None => motion.orientation.inverse() * spin,
        }
    }
}

/// Sets the normal of a contact, and the arms of what is round, for bodies that are where `place` says. Corners are those they
/// were. A contact that has come to a border which other parts of the ground cover stays as it was.
fn meet(world: &World, searched: &Searched, contact: &mut Contact, place: impl Fn(usize) -> Motion) {
    let (shape, own) = (&world.bodies[contact.body].shape, Pose::of(&place(contact.body)));
    let (partner, other, solid) = match contact.partner {
        Partner::Wall(wall) if wall < world.walls.len() => {
            if let BodyShape::Ellipsoid { .. } = shape {
                contact.arms[1] = own.support(shape, -contact.normal) - own.center;
            }
            return;
        }
        Partner::Wall(wall) => {
            let solid = wall - world.walls.len();
            let obstacle = &world.obstacles[solid];
            (&obstacle.shape, Pose::of(&obstacle.place), Some(solid))
        }
        Partner::Body(first) => (&world.bodies[first].shape, Pose::of(&place(first)), None),
    };
    let (shapes, poses) = ([partner, shape], [&other, &own]);
    let found = separation_if_near(shapes, poses);
    let is_round = shapes.iter().any(|shape| shape.semi_axes().is_some());
    let points = if is_round { facing(shapes, poses, &found) } else { [own.center + contact.arms[1]; 2] };
    let is_covered =
        |solid| is_covered(world, (solid, searched.neighbors(solid)), shape.reach(), points[0], found.normal);
    if (!is_round && found.normal.dot(contact.normal) < SAME) || solid.is_some_and(is_covered) {
        return;
    }
    contact.normal = found.normal;
    if is_round {
        contact.arms[1] = points[1] - own.center;
        // What stands still is not turned about its centre.
        if solid.is_none() {
            contact.arms[0] = points[0] - other.center;
        }
    }
}
