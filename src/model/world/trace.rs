//! A world step by step: its columns, and its events in words.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::model::Watcher;
use crate::table::{Column, ColumnKind};
use crate::world::{Partner, Stepper, World};

/// Columns of each body: name, unit, meaning.
const OF_BODY: [(&str, &str, &str); 14] = [
    ("x", "m", "Place of the centre, x"),
    ("y", "m", "Place of the centre, y"),
    ("z", "m", "Place of the centre, z"),
    ("qw", "1", "Orientation, w: turns the axes in which the file gives the shape to the world's"),
    ("qx", "1", "Orientation, x"),
    ("qy", "1", "Orientation, y"),
    ("qz", "1", "Orientation, z"),
    ("vx", "m/s", "Velocity of the centre, x"),
    ("vy", "m/s", "Velocity of the centre, y"),
    ("vz", "m/s", "Velocity of the centre, z"),
    ("wx", "rad/s", "Angular velocity, x"),
    ("wy", "rad/s", "Angular velocity, y"),
    ("wz", "rad/s", "Angular velocity, z"),
    ("impulse", "N s", "Largest impulse of a contact in this step alone; springs push for many"),
];

/// The trace columns of a world.
pub(super) fn columns(world: &World) -> Vec<Column> {
    let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
    let mut columns = vec![
        number("time", "s", "Time since the start, at the end of the step"),
        number("contacts", "", "Contacts of the step"),
        number("kinetic", "J", "Kinetic energy of all bodies"),
        number("potential", "J", "Energy of all bodies in the field of gravity, from the origin"),
    ];
    for body in &world.bodies {
        let of_body =
            |(name, unit, meaning): &(&str, &str, &str)| number(&format!("{name}.{}", body.name), unit, meaning);
        columns.extend(OF_BODY.iter().map(of_body));
    }
    columns
}

/// Passes steps and events to a watcher.
pub(super) struct Teller<'a> {
    watcher: &'a mut dyn Watcher,
    met: BTreeSet<(Partner, usize)>,
    gone: BTreeSet<usize>,
}

impl<'a> Teller<'a> {
    pub fn new(watcher: &'a mut dyn Watcher) -> Self {
        Self { watcher, met: BTreeSet::new(), gone: BTreeSet::new() }
    }

    pub fn step(&mut self, stepper: &Stepper<'_>) {
        self.events(stepper);
        let [kinetic, potential] = stepper.energies();
        let time = stepper.steps() as f64 * stepper.world().step;
        let mut row = vec![time, stepper.contacts().len() as f64, kinetic, potential];
        for (body, motion) in stepper.motions().iter().enumerate() {
            let axes = stepper.world().bodies[body].shape.axes();
            let [x, y, z, w] = (motion.orientation * axes.inverse()).to_array();
            row.extend(motion.position.to_array());
            row.extend([w, x, y, z]);
            row.extend(motion.velocity.to_array().into_iter().chain(motion.spin.to_array()));
            let own = stepper
                .contacts()
                .iter()
                .filter(|contact| contact.body == body || contact.partner == Partner::Body(body));
            row.push(own.map(|contact| contact.impulse.length()).fold(0.0, f64::max));
        }
        self.watcher.step(&row);
    }

    fn events(&mut self, stepper: &Stepper<'_>) {
        let (world, end) = (stepper.world(), stepper.steps() as f64 * stepper.world().step);
        for contact in stepper.contacts().iter().filter(|contact| contact.impulse != DVec3::ZERO) {
            if self.met.insert((contact.partner, contact.body)) {
                let time = end + (contact.share - 1.0) * world.step;
                let [body, partner] = [&world.bodies[contact.body].name, world.partner_name(contact.partner)];
                let state = format!("{:9.4} m/s  {:9.4} N s", -contact.approach, contact.impulse.length());
                self.watcher.event(time, &state, &format!("{body} meets {partner}"));
            }
        }
        let gone = stepper.present().iter().enumerate().filter(|(_, present)| !**present);
        for (body, _) in gone {
            if self.gone.insert(body) {
                let place = stepper.motions()[body].position;
                self.watcher.event(
                    end,
                    &format!("at {place:.3} m"),
                    &format!("{} leaves the bounds", world.bodies[body].name),
                );
            }
        }
    }
}
