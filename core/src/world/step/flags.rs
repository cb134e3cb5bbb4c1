//! Contact detection of a step with rigid contacts, by either method.

use glam::DVec3;

use super::{CLOSED, NEARLY, ROUNDING, Stepper, WAYS, remembered};
use crate::friction::BodyVelocity;
use crate::world::contact::{Contact, Partner};
use crate::world::definition::Contacts;
use crate::world::pose::Way;
use crate::world::search::Ways;

impl Stepper<'_> {
    /// Contacts along the ways that stand in the work.
    pub(super) fn search(&mut self, contacts: Contacts, closed: f64) {
        let work = &mut self.work;
        let Self { world, motions, present, surfaces, .. } = self;
        let step = Ways { world, contacts, motions, ways: &work.ways, closed, present, surfaces };
        work.fresh.clear();
        work.searched.contacts(&step, |contact| work.fresh.push(contact));
    }

    /// Single pass.
    pub(super) fn flag_at_end(&mut self) {
        let (step, gamma) = (self.world.step, self.gamma);
        let work = &mut self.work;
        work.moving.clear();
        work.ways.clear();
        for body in 0..work.before.len() {
            let moving = work.way_at_end(body, gamma);
            work.ways.push(way(&moving, step));
            work.moving.push(moving);
        }
        self.search(Contacts::EndOfStep, 0.0);
        self.contacts.append(&mut self.work.fresh);
        for contact in &mut self.contacts {
            contact.approach = contact.parting(&self.work.before);
            let is_apart = contact.gap + step * contact.parting(&self.work.moving) > 0.0;
            contact.slack = is_apart.then(|| ((1.0 - gamma) * contact.approach + contact.gap.max(0.0) / step) / gamma);
        }
    }

    /// Repeated search, until there are no new contacts; leaves the motions in `moving`, and only contacts closed at
    /// the end.
    pub(super) fn flag_on_way(&mut self) {
        let step = self.world.step;
        let positions = self.motions.iter().zip(&self.present).filter(|(_, present)| **present);
        let size = positions.map(|(motion, _)| motion.position.length()).fold(0.0, f64::max);
        self.work.moving.clone_from(&self.work.base);
        self.work.resolver.clear();
        loop {
            let work = &mut self.work;
            work.ways.clear();
            work.ways.extend(work.moving.iter().map(|moving| way(moving, step)));
            self.search(Contacts::Swept, CLOSED * size);
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

    /// Flags those new contacts that pushed in the step before, and those before which neither of their bodies meets anything
    /// else new: what a body meets later, it may not meet at all. False where none is new.
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
        for contact in &work.fresh {
            let half = 0.5 * remembered(memory, contact);
            if half == DVec3::ZERO && !is_earliest(contact) {
                continue;
            }
            work.resolver.demand(contact, &work.masses, contact.gap / world.step, half);
            contacts.push(*contact);
        }
        !work.fresh.is_empty()
    }

    /// Keeps contacts without a gap at the end: those that push have none, however the solver rounds.
    fn keep_closed(&mut self) {
        let step = self.world.step;
        let (work, motions, bodies) = (&self.work, &self.motions, self.motions.len());
        let open = |number: usize| {
            let position = motions.get(number).map_or(0.0, |motion| motion.position.length());
            CLOSED * position + NEARLY * step * work.moving[number].linear.length()
        };
        let mut pushing = work.resolver.pushing();
        self.contacts.retain_mut(|contact| {
            let rounding = open(contact.body) + open(contact.first(bodies)) + CLOSED * contact.gap.abs();
            let is_closed = contact.gap + step * contact.parting(&work.moving) <= rounding;
            let [start, end] = [&work.before, &work.after].map(|velocities| contact.parting(velocities));
            contact.approach = meeting(start, end, contact, step);
            pushing.next() == Some(true) || is_closed
        });
        self.contacts.sort_unstable_by_key(Contact::order);
    }
}

fn way(moving: &BodyVelocity, step: f64) -> Way {
    Way { shift: step * moving.linear, turn: step * moving.angular }
}

/// The speed with which two meet whose parting speed changes evenly over the step: that of a fall through the gap, where they
/// come together by themselves.
pub(super) fn meeting(start: f64, end: f64, contact: &Contact, step: f64) -> f64 {
    let speed = start + contact.share * (end - start);
    let squared = start * start - 2.0 * (end - start) / step * contact.gap;
    if speed < 0.0 && contact.gap > 0.0 && squared >= 0.0 { -squared.sqrt() } else { speed }
}
