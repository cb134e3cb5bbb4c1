//! First contact of two moving shapes that may rotate.
//!
//! Conservative advancement (Mirtich 1996): the gap along a separating normal is a lower bound of the distance. It closes by
//! the translation along this normal, and no faster than what rotation adds to any point; a part of the step that cannot close
//! it is skipped at once. What does not turn is held up once by each plane. When the parts become small the remainder is a
//! contact.

use glam::DVec3;

use super::pair::{Points, Separation, points, separation, separation_if_near};
use super::spheres::Touch;
use crate::world::motion::Motion;
use crate::world::pose::{Pose, Way};
use crate::world::shape::BodyShape;

/// A gap that is as good as none, in parts of the sizes of both.
const TOUCHING: f64 = 1e-9;
/// Maximum number of parts of a step: what turns may approach slowly. What is reached then counts as contact.
const MAX_PARTS: usize = 100;

/// Contact geometry of two shapes.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct Met {
    /// Fraction of the step at contact.
    pub share: f64,
    /// Unit normal from the first to the second.
    pub normal: DVec3,
    /// Points of both, from their centres, as they are at the start of the step.
    pub arms: Points,
    /// Number of points.
    pub count: usize,
}

impl Met {
    /// The contact of a pair of points, of bodies this far apart at the start of the step.
    pub fn touch(&self, offset: DVec3, arms: [DVec3; 2]) -> Touch {
        Touch { share: self.share, normal: self.normal, gap: self.normal.dot(offset + arms[1] - arms[0]) }
    }
}

/// First contact of two bodies, from the start if their gap is `closed`; `None` without contact.
pub(in crate::world) fn meet_on_way(
    shapes: [&BodyShape; 2],
    motions: [&Motion; 2],
    ways: [&Way; 2],
    closed: f64,
) -> Option<Met> {
    let turning = |number: usize| ways[number].turn.length() * shapes[number].reach();
    let (shift, turns) = (ways[1].shift - ways[0].shift, turning(0) + turning(1));
    let near = closed.max(TOUCHING * (shapes[0].reach() + shapes[1].reach()));
    let mut share = 0.0;
    for _ in 0..MAX_PARTS {
        let poses: [Pose; 2] = std::array::from_fn(|number| ways[number].after(motions[number], share));
        let both = [&poses[0], &poses[1]];
        let found = separation_if_near(shapes, both);
        if found.gap <= near {
            return Some(met(shapes, motions, both, share, &found));
        }
        // Nothing, or less, where this normal goes on to part them.
        let closing = turns - found.normal.dot(shift);
        share += if closing > 0.0 { found.gap / closing } else { f64::INFINITY };
        // A comparison that NaN does not pass.
        if !matches!(share.partial_cmp(&1.0), Some(std::cmp::Ordering::Less)) {
            return None;
        }
    }
    let poses: [Pose; 2] = std::array::from_fn(|number| ways[number].after(motions[number], share));
    let both = [&poses[0], &poses[1]];
    Some(met(shapes, motions, both, share, &separation(shapes, both)))
}

/// The points where two shapes that are so separated face each other, as they are at the start of the step. Of a ball that is the
/// point of it which is there: spin carries no point of it nearer or farther, and no force through its centre turns it.
pub(in crate::world) fn met(
    shapes: [&BodyShape; 2],
    motions: [&Motion; 2],
    poses: [&Pose; 2],
    share: f64,
    found: &Separation,
) -> Met {
    let (mut arms, count) = points(shapes, poses, found);
    for pair in &mut arms[..count] {
        for number in 0..2 {
            pair[number] = match shapes[number] {
                BodyShape::Sphere { .. } => pair[number] - poses[number].center,
                _ => motions[number].orientation * poses[number].own(pair[number]),
            };
        }
    }
    Met { share, normal: found.normal, arms, count }
}
