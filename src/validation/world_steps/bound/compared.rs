//! Where the answer of a candidate is beside the step that has been followed.

use glam::DVec3;

use super::{Followed, Step};
use crate::validation::deviation::Deviation;
use crate::validation::wheel_bound::U;
use crate::validation::world_steps::tape::Number;
use crate::world::ROUGH;

impl<'t> Step<'t, '_> {
    /// Where the candidate is beside this.
    pub(super) fn compared(self) -> Followed {
        let Self { tape, balls, ref units, item, ref decisions, ref pairs, .. } = self;
        let answer = decisions.answer;
        let followed = |otherwise, worst| Followed {
            otherwise,
            worst,
            is_turned: decisions.is_turned,
            untold: decisions.untold.clone(),
        };
        let nothing = Deviation::new("nothing", 0.0, 1.0);
        let keys = pairs.iter().map(|pair| (pair.partner, pair.second));
        if !keys.eq(answer.contacts.iter().map(|contact| (contact.partner, contact.body))) {
            return followed(Some("other contacts"), nothing);
        }
        if pairs.iter().zip(&answer.contacts).any(|(pair, contact)| pair.decided != contact.decided) {
            return followed(Some("contacts of another kind"), nothing);
        }
        let (mut what, mut found, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |name, number: Number<'t>, value: f64| {
            what.push(name);
            found.push(value);
            numbers.push(number);
        };
        let mut fastest = [0.0_f64; 2];
        let mut otherwise = None;
        for body in 0..balls.radii.len() {
            let (motion, start) = (&answer.motions[body], &item.start.motions[body]);
            if !item.present[body] {
                // The kernel has no more of it than it was sent.
                let is_near = |a: DVec3, b: DVec3| a.distance(b) <= 4.0 * U * (a.length() + b.length());
                if answer.present[body] || !is_near(motion.velocity, start.velocity) {
                    otherwise = Some("a body that is not there");
                }
                continue;
            }
            let rest = self.rest[body] + self.moving[body];
            let place = (motion.position - units.origin) / units.length - self.base[body];
            let velocity = motion.velocity * (balls.step / units.length);
            let spin = motion.spin * (balls.radii[body] * balls.step / units.length);
            for axis in 0..3 {
                add("place", rest.0[axis], place[axis]);
                add("velocity", self.after[body].0[axis], velocity[axis]);
                add("spin", self.rim[body].0[axis], spin[axis]);
            }
            if let Some([min, max]) = balls.bounds {
                let place = DVec3::from_array(rest.0.map(|number| number.value)) + self.base[body];
                let inside = [min, max].map(|bound| (bound - units.origin) / units.length);
                let margin = (place - inside[0]).min(inside[1] - place).min_element();
                let off = rest.error() + 4.0 * U * (place.length() + inside[0].length() + inside[1].length());
                if margin.abs() > off && answer.present[body] != (margin >= 0.0) {
                    otherwise = Some("within the bounds or not");
                }
            } else if !answer.present[body] {
                otherwise = Some("within the bounds or not");
            }
            if answer.present[body] {
                let (after, rim) = (self.after[body], self.rim[body]);
                let speed = after.length() + rim.length();
                let off = after.error() + rim.error() + 16.0 * U * speed;
                fastest = [fastest[0].max(speed), fastest[1].max(off)];
            }
        }
        let unit = balls.step / (units.length * units.mass);
        for (pair, contact) in pairs.iter().zip(&answer.contacts) {
            let impulse = pair.normal.by(pair.push) + pair.rub;
            for axis in 0..3 {
                add("impulse", impulse.0[axis], (contact.impulse * unit)[axis]);
            }
            add("share", pair.share, contact.share);
        }
        let missed = self.missed();
        let rough = (fastest[0] + balls.pull * balls.step / units.length) * ROUGH;
        let is_open = (missed[0] - rough).abs() <= missed[1] + fastest[1] * ROUGH + 8.0 * U * rough;
        if !is_open && answer.is_solved != (missed[0] <= rough) {
            otherwise = Some("accurate impulses or rough ones");
        }
        let rest_speed = balls.rest_speed * balls.step / units.length;
        let is_open = (fastest[0] - rest_speed).abs() <= fastest[1] + U * rest_speed;
        if !is_open && answer.is_slow != (fastest[0] < rest_speed) {
            otherwise = Some("slow or not");
        }
        let errors = tape.errors(&numbers);
        let mut worst = Deviation::new("depth", (answer.depth / units.length - self.depth[0]).abs(), self.depth[1]);
        for (((what, number), found), error) in what.iter().zip(&numbers).zip(&found).zip(errors) {
            let bound = error + 1e-13 * number.value.abs() + 1e-30;
            let deviation = Deviation::new(what, (found - number.value).abs(), bound);
            if deviation.is_worse_than(&worst) {
                worst = deviation;
            }
        }
        followed(otherwise, worst)
    }
}
