//! Bodies that touch, and what an impact does.
//!
//! # Conventions
//! As in [`super`].

use super::course::{Course, Drive, FirstImpact};
use super::searches::Searches;
use crate::elementary::{Real, greater};
use crate::encounter::{
    Both, CommonScaling, ContactFunction, SAME_NORMALS, Vector, boxes_pass, cross, dot, pair_normal,
};

/// Bodies touch where the square of their common factor is above 1 by no more: rounding of f32 decides nothing then.
pub const BAND: f64 = 1.0 / 4096.0;
/// Stands for the square of the factor where bodies are out of reach.
pub const OUT_OF_REACH: f64 = 1e3;

/// How two ellipses are to each other.
#[derive(Clone, Copy, Debug)]
pub struct Touch<R: Real> {
    /// A search has not ended.
    pub not_converged: R::Mask8,
    /// The square of the common factor.
    pub square: R,
    /// Unit normal from A to B.
    pub normal: Vector<R>,
    /// From each centre to the contact point.
    pub arms: Both<Vector<R>>,
}

/// What has been decided in a step.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<R: Real> {
    /// The bodies touch at its begin.
    pub touches: R::Mask8,
    /// They do, and their boxes pass each other.
    pub passes: R::Mask8,
    /// They do, and no normal is known.
    pub has_no_normal: R::Mask8,
    /// They collide.
    pub hits: R::Mask8,
    /// Whether each is met at the rounding of an edge where they do.
    pub on_edge: Both<R::Mask8>,
    /// They come to touch later, where the step ends.
    pub lands: R::Mask8,
    /// A search has not ended.
    pub not_converged: R::Mask8,
}

/// How the ellipses are to each other; out of reach of each other nothing is looked for.
#[inline(always)]
pub fn touch<R: Real>(drive: &Drive<R>, course: &Course<R>, searches: &impl Searches<R>) -> Touch<R> {
    let (zero, one, two) = (drive.lag.like(0.0), drive.lag.like(1.0), drive.lag.like(2.0));
    let reach = two * greater(drive.semi_axes[0], drive.semi_axes[1]);
    let near = (reach * reach * one.like(1.0 + 2.0 * BAND)).gt(dot(course.apart, course.apart));
    if !R::any(near) {
        let nothing = [zero; 2];
        return Touch {
            not_converged: zero.gt(one),
            square: one.like(OUT_OF_REACH),
            normal: nothing,
            arms: [nothing; 2],
        };
    }
    let headings = course.motions.map(|motion| motion.heading);
    let CommonScaling { converged, square, normal, arms } =
        searches.scaling(&ContactFunction::new(headings, drive.semi_axes, course.apart));
    Touch { not_converged: near & !converged, square: R::select(near, square, one.like(OUT_OF_REACH)), normal, arms }
}

/// Lets bodies that touch and approach collide.
#[inline(always)]
pub fn collide<R: Real>(drive: &Drive<R>, course: &Course<R>, touch: &Touch<R>) -> (Course<R>, Contacts<R>) {
    let (zero, one) = (drive.lag.like(0.0), drive.lag.like(1.0));
    let touches = !touch.square.gt(one.like(1.0 + BAND));
    let never = zero.gt(one);
    let mut contacts = Contacts {
        touches,
        passes: never,
        has_no_normal: never,
        hits: never,
        on_edge: [never; 2],
        lands: never,
        not_converged: touch.not_converged,
    };
    if !R::any(touches) {
        return (*course, contacts);
    }
    let [a, b] = &course.motions;
    let outlines = drive.outlines([a.heading, b.heading]);
    let by_boxes = drive.boxes.gt(zero);
    let drift = [b.velocity[0] - a.velocity[0], b.velocity[1] - a.velocity[1]];
    contacts.passes = touches & by_boxes & boxes_pass(&outlines, course.apart, drift, drive.resting);
    let sides = [outlines[0].pierced(touch.arms[0]), outlines[1].pierced(touch.arms[1])];
    let (of_boxes, length) = pair_normal(&sides);
    let normal: Vector<R> = std::array::from_fn(|k| R::select(by_boxes, of_boxes[k], touch.normal[k]));
    // Comparisons that what is no number does not pass.
    let has_normal = dot(normal, normal).gt(one.like(0.5)) & !(by_boxes & one.like(SAME_NORMALS).gt(length));
    contacts.has_no_normal = touches & !contacts.passes & !has_normal;
    contacts.on_edge = sides.map(|side| by_boxes & side.on_edge);
    let (of_a, of_b) = (a.velocity_at(touch.arms[0]), b.velocity_at(touch.arms[1]));
    let relative = [of_b[0] - of_a[0], of_b[1] - of_a[1]];
    // Ellipses that are apart in their band, and part, do not touch whatever the boxes' normal.
    let meets = !touch.square.gt(one) | zero.gt(dot(relative, touch.normal));
    let approaches = meets & (-dot(relative, normal)).gt(drive.resting);
    let hits = touches & !contacts.passes & has_normal & approaches;
    contacts.hits = hits;
    if !R::any(hits) {
        return (*course, contacts);
    }
    let impulse = drive.impact().impulse(touch.arms, normal, relative);
    let hit = Hit { normal, arms: touch.arms, along: impulse.normal, aside: impulse.tangential };
    (Course::select(hits, &hit.changed(drive, course, &contacts), course), contacts)
}

/// An impact.
struct Hit<R> {
    normal: Vector<R>,
    arms: Both<Vector<R>>,
    along: R,
    aside: R,
}

impl<R: Real> Hit<R> {
    /// What it does.
    #[inline(always)]
    fn changed(&self, drive: &Drive<R>, course: &Course<R>, contacts: &Contacts<R>) -> Course<R> {
        let (zero, one) = (self.along.like(0.0), self.along.like(1.0));
        let [x, y] = self.normal;
        let impulse = [self.along * x - self.aside * y, self.along * y + self.aside * x];
        let mut next = *course;
        for ((motion, arm), sign) in next.motions.iter_mut().zip(self.arms).zip([-one, one]) {
            motion.velocity = [motion.velocity[0] + sign * impulse[0], motion.velocity[1] + sign * impulse[1]];
            motion.yaw_rate = motion.yaw_rate + sign * (drive.slenderness * cross(arm, impulse));
        }
        let is_first = one.gt(course.impacts);
        let own = FirstImpact {
            time: course.time,
            point: [course.way[0] + self.arms[0][0], course.way[1] + self.arms[0][1]],
            normal: self.normal,
            impulse: [self.along, self.aside],
            on_edge: contacts.on_edge.map(|edge| R::select(edge, one, zero)),
            velocities: next.motions.map(|motion| motion.velocity),
            yaw_rates: next.motions.map(|motion| motion.yaw_rate),
        };
        next.first = own;
        let kept = Course { first: course.first, ..next };
        next = Course::select(is_first, &next, &kept);
        next.impacts = course.impacts + one;
        next.impulse = [course.impulse[0] + impulse[0], course.impulse[1] + impulse[1]];
        next.largest = greater(course.largest, self.along);
        next.lost = course.lost + (energy(drive, course) - energy(drive, &next));
        next
    }
}

/// Kinetic energy.
#[inline(always)]
pub fn energy<R: Real>(drive: &Drive<R>, course: &Course<R>) -> R {
    let [a, b] = &course.motions;
    a.energy(drive.slenderness) + b.energy(drive.slenderness)
}
