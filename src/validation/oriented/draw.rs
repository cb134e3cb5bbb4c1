//! Random targets and initiators.

use std::f64::consts::TAU;

use glam::DVec2;

use super::{Class, OrientedCollisions};
use crate::query::{ConvexTarget, MAX_TARGET_SURFACES};
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// Times of a question: enough for a point to go in, out on the other side and in again.
pub(super) const TIMES: usize = 4;

/// A question: a target and an initiator at some times, of which the last but one is the reference time.
pub(super) struct Drawn {
    pub targets: [ConvexTarget; TIMES],
    pub places: [DVec2; TIMES],
    pub made_to_touch: bool,
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<OrientedCollisions>) -> Drawn {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Oriented, number);
    let corners = corners(class, &mut draws);
    let size = if class == Class::Sizes { draws.power_of_ten(-5.0, 5.0) } else { 1.0 };
    let away = if class == Class::Sizes { draws.power_of_ten(0.0, 3.0) } else { 3.0 };
    let motion = Motion {
        size,
        center: size * away * in_square(&mut draws),
        velocity: size * 0.3 * in_square(&mut draws),
        angle: draws.between(0.0, TAU),
        rate: draws.between(-0.2, 0.2),
    };
    let aim = aim(class, &corners, &mut draws);
    // Slow ones are held, fast ones pass through.
    let way = draws.power_of_ten(-2.0, 0.5) * in_square(&mut draws);
    let shake = draws.power_of_ten(-3.0, -1.0);
    let shake = match class {
        // No farther than to the faces of the thinnest.
        Class::Passing => 1e-4,
        Class::Touching => 0.0,
        _ => shake,
    };
    let passing = passing(&mut draws);
    let local: [DVec2; TIMES] = std::array::from_fn(|time| {
        let before = match class {
            Class::Passing => passing[time],
            _ => -((TIMES - 1 - time) as f64) * way,
        };
        aim + before + shake * in_square(&mut draws)
    });
    let targets = std::array::from_fn(|time| {
        let vertices = corners.iter().map(|&corner| motion.place(corner, time)).collect();
        // Turning moves vertices by some 1e-16; those of a polygon are not as near to a line.
        ConvexTarget::new(vertices).unwrap_or_else(|error| panic!("{number}: {error}"))
    });
    let places = std::array::from_fn(|time| motion.place(local[time], time));
    Drawn { targets, places, made_to_touch: class == Class::Touching }
}

/// The way of a point from one side of a plate, through it and on or back, relative to a place in it.
fn passing(draws: &mut Draws) -> [DVec2; TIMES] {
    let side = draws.sign();
    let beside = |draws: &mut Draws, side: f64| DVec2::new(draws.between(-0.3, 0.3), side * draws.between(0.2, 1.0));
    let last = match draws.index(3) {
        0 => DVec2::ZERO,
        1 => beside(draws, side),
        _ => 3.0 * beside(draws, -side),
    };
    [beside(draws, side), DVec2::ZERO, beside(draws, -side), last]
}

/// How a target moves.
struct Motion {
    size: f64,
    center: DVec2,
    velocity: DVec2,
    angle: f64,
    rate: f64,
}

impl Motion {
    /// Where a place of the target's own axes is.
    fn place(&self, local: DVec2, time: usize) -> DVec2 {
        let time = time as f64;
        let turned = DVec2::from_angle(self.angle + self.rate * time).rotate(self.size * local);
        self.center + self.velocity * time + turned
    }
}

/// Vertices in the target's own axes, clockwise.
fn corners(class: Class, draws: &mut Draws) -> Vec<DVec2> {
    let is_thin = match class {
        Class::Thin | Class::Passing => true,
        Class::Polygons => false,
        Class::Corners | Class::Sizes | Class::Touching => draws.index(2) == 0,
    };
    if is_thin {
        let half = draws.power_of_ten(-3.0, -1.0);
        return match draws.index(2) {
            kind if kind == 0 || class == Class::Passing => {
                [(-1.0, -half), (-1.0, half), (1.0, half), (1.0, -half)].map(DVec2::from).to_vec()
            }
            _ => [(-1.0, 0.0), (-0.9, half), (1.0, 0.0)].map(DVec2::from).to_vec(),
        };
    }
    let count = 3 + draws.index(MAX_TARGET_SURFACES - 2);
    let (turn, height) = (draws.between(0.0, TAU), draws.between(0.2, 1.0));
    let corner = |number: usize| {
        let angle = turn - TAU * (number as f64 + draws.between(-0.3, 0.3)) / count as f64;
        DVec2::new(angle.cos(), height * angle.sin())
    };
    (0..count).map(corner).collect()
}

/// Where an initiator is at the current time, in the target's own axes.
fn aim(class: Class, corners: &[DVec2], draws: &mut Draws) -> DVec2 {
    let number = draws.index(corners.len());
    let [one, next] = [corners[number], corners[(number + 1) % corners.len()]];
    match class {
        Class::Polygons | Class::Thin | Class::Sizes => {
            let inside = one.lerp(corners[draws.index(corners.len())], draws.unit());
            inside + draws.power_of_ten(-2.0, 0.0) * in_square(draws)
        }
        // On the diagonal of a plate.
        Class::Passing => corners[0].lerp(corners[2], draws.between(0.1, 0.9)),
        // Inside beside a vertex.
        Class::Corners => one.lerp(DVec2::ZERO, draws.power_of_ten(-2.0, -0.5)),
        Class::Touching => match draws.index(3) {
            0 => one,
            1 => one.lerp(next, draws.unit()),
            // At the end of the range of a surface.
            _ => one + draws.between(-1.0, 1.0) * (next - one).perp(),
        },
    }
}

/// Evenly in a square about the origin, whose sides are 2.
fn in_square(draws: &mut Draws) -> DVec2 {
    DVec2::new(draws.between(-1.0, 1.0), draws.between(-1.0, 1.0))
}
