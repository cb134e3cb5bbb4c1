//! How many operations the kernels need, counted from the shaders as they are written.
//!
//! An operation is one in f32: a sum or difference, a product, a quotient or root, or a comparison, minimum, maximum
//! or selection. What moves data, changes a sign or counts in integers is left out, and a product with its sum counts as
//! two. A device cannot be faster than its rate over this count; it will be slower, since quotients and roots take
//! several instructions, and lanes that wait for each other do nothing.
//!
//! The search along a ray (`first_entry`, `leaf_interval`, `meets_box`):
//!
//! | visit | + - | * | / root | compare, select |
//! | --- | --- | --- | --- | --- |
//! | a ray: its slope | 3 | 2 | 3 | 14 |
//! | a leaf: inside or not, and whether it is the nearest ahead | | | | 10 |
//! | a half space: mu at both ends, crossing, its place in the cell | 7 | 6 | 1 | 15 |
//! | a ball | 23 | 17 | 7 | 7 |
//! | an infinite cylinder: across the axis, then a ball in the plane | 33 | 29 | 7 | 8 |
//! | a short cylinder: and two caps | 53 | 41 | 9 | 34 |
//! | a box | 13 | 6 | | 15 |
//!
//! Cones, capsules and stretched solids are counted as short cylinders.
//!
//! A ball or cylinder that the line passes by needs 4 of 7 quotients and roots; the count takes it for met.
//!
//! Membership of a point, for materials (`contains`, `leaf_distance`, `box_distance`):
//!
//! | visit | + - | * | / root | compare, select |
//! | --- | --- | --- | --- | --- |
//! | a stop: inside or not | | | | 2 |
//! | a half space | 3 | 3 | | 1 |
//! | a ball | 6 | 3 | 1 | 1 |
//! | an infinite cylinder | 11 | 9 | 1 | 2 |
//! | a short cylinder | 14 | 12 | 1 | 3 |
//! | a box | 8 | 3 | 1 | 7 |
//!
//! Jobs whose points stand in frames of their own add to each visit of either kind:
//!
//! | visit | + - | * |
//! | --- | --- | --- |
//! | a half space | 3 | 3 |
//! | a ball or cylinder | 3 | |
//! | a box | 6 | |
//!
//! A step of a wheel that rolls (`step_wheel`, `roll`), its ray and its material aside:
//!
//! | part | + - | * | / root | compare, select |
//! | --- | --- | --- | --- | --- |
//! | the pebble into the wheel's axes | 9 | 9 | | 2 |
//! | normal in the wheel's axes, pebble border axes | 13 | 24 | 5 | 5 |
//! | friction, greatest force | 2 | 4 | | 5 |
//! | springs and dampers | 18 | 24 | | |
//! | clipping, with and without horizontal damping | 32 | 48 | 6 | 17 |
//! | ends of the ray, the new pebble | 24 | 21 | | 4 |
//! | the force in the world, compression | 7 | 9 | | 4 |
//!
//! Job `wheel` adds to each step the matrix of a quaternion and the pebble's way into the next frame's cell: 18 + -, 12 *.
//!
//! A step of a landing, wheels aside (`advance`; an angle is `angle_of`, 9 + -, 7 *, 1 /, 13 compare):
//!
//! | part | + - | * | / root | compare, select |
//! | --- | --- | --- | --- | --- |
//! | frame, matrices of both poses | 30 | 21 | 3 | 9 |
//! | pilot: three angles | 43 | 39 | 7 | 57 |
//! | air: two angles, ground effect | 63 | 100 | 11 | 48 |
//! | engines, sums of loads | 12 | 1 | | |
//! | the body's motion | 63 | 90 | 10 | 7 |
//! | numbers still sane; rest, runway, centreline | 9 | 6 | 2 | 19 |
//! | how far structural points may have come | 12 | 9 | 2 | |
//!
//! and for each of its wheels, beside the wheel's step, ray and material, frame, load and record: 49 + -, 53 *, 1 root, 13
//! compare; for each structural point that is known to be clear 1 + - and 1 compare. What it takes to look at those that
//! are not, every few steps, is not counted, and every step counts as one with all wheels on the ground.
//!
//! A pair of ellipsoids (`ellipsoid_pair.wgsl`):
//!
//! | part | + - | * | / root | compare, select |
//! | --- | --- | --- | --- | --- |
//! | axes, rows, centre | 54 | 95 | 17 | 3 |
//! | a sweep: three turns of rows | 72 | 138 | 9 | 12 |
//! | squares, bracket, start | 10 | 18 | 9 | 7 |
//! | a round of Newton's method | 17 | 32 | 15 | 10 |
//! | the contact | 33 | 62 | 11 | |
//!
//! Random pairs take four sweeps, the last of which turns little.

use std::ops::{Add, Mul};

use crate::program::walk::Visits;

/// Operations in f32 by their kind; averages over items, so no whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// Sums and differences.
    pub additions: f64,
    /// Products.
    pub multiplications: f64,
    /// Quotients and roots.
    pub divisions: f64,
    /// Comparisons, minima, maxima and selections.
    pub comparisons: f64,
}

/// The slope of a ray, once for each.
const RAY: Operations = counted(3, 2, 3, 14);

const SEARCH_LEAF: Operations = counted(0, 0, 0, 10);
const SEARCH_HALF_SPACE: Operations = counted(7, 6, 1, 15);
const SEARCH_BALL: Operations = counted(23, 17, 7, 7);
const SEARCH_CYLINDER: Operations = counted(33, 29, 7, 8);
const SEARCH_SHORT_CYLINDER: Operations = counted(53, 41, 9, 34);
const SEARCH_BOX: Operations = counted(13, 6, 0, 15);

const MEMBER_STOP: Operations = counted(0, 0, 0, 2);
const MEMBER_HALF_SPACE: Operations = counted(3, 3, 0, 1);
const MEMBER_BALL: Operations = counted(6, 3, 1, 1);
const MEMBER_CYLINDER: Operations = counted(11, 9, 1, 2);
const MEMBER_SHORT_CYLINDER: Operations = counted(14, 12, 1, 3);
const MEMBER_BOX: Operations = counted(8, 3, 1, 7);

const FRAME_HALF_SPACE: Operations = counted(3, 3, 0, 0);
const FRAME_CENTER: Operations = counted(3, 0, 0, 0);
const FRAME_BOX: Operations = counted(6, 0, 0, 0);

/// The parts of a rolling wheel's step.
const WHEEL_STEP: [Operations; 7] = [
    counted(9, 9, 0, 2),
    counted(13, 24, 5, 5),
    counted(2, 4, 0, 5),
    counted(18, 24, 0, 0),
    counted(32, 48, 6, 17),
    counted(24, 21, 0, 4),
    counted(7, 9, 0, 4),
];
const PRESCRIBED_FRAME: Operations = counted(18, 12, 0, 0);

/// The parts of a landing's step.
const LANDING_STEP: [Operations; 7] = [
    counted(30, 21, 3, 9),
    counted(43, 39, 7, 57),
    counted(63, 100, 11, 48),
    counted(12, 1, 0, 0),
    counted(63, 90, 10, 7),
    counted(9, 6, 2, 19),
    counted(12, 9, 2, 0),
];
const LANDING_WHEEL: Operations = counted(49, 53, 1, 13);
const CLEAR_POINT: Operations = counted(1, 0, 0, 1);

const PAIR_FRAME: Operations = counted(54, 95, 17, 3);
const PAIR_SWEEP: Operations = counted(72, 138, 9, 12);
const PAIR_SWEEPS: u64 = 4;
const PAIR_START: Operations = counted(10, 18, 9, 7);
const PAIR_ROUND: Operations = counted(17, 32, 15, 10);
const PAIR_CONTACT: Operations = counted(33, 62, 11, 0);

const fn counted(additions: u32, multiplications: u32, divisions: u32, comparisons: u32) -> Operations {
    Operations {
        additions: additions as f64,
        multiplications: multiplications as f64,
        divisions: divisions as f64,
        comparisons: comparisons as f64,
    }
}

fn all<const N: usize>(parts: [Operations; N]) -> Operations {
    parts.into_iter().fold(Operations::default(), Add::add)
}

impl Operations {
    /// Of the searches along this many rays, relative to the scene's origin.
    #[must_use]
    pub fn of_rays(rays: u64, visits: &Visits) -> Self {
        let Visits { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        RAY * rays
            + SEARCH_LEAF * (cells + balls + cylinders + short_cylinders + others)
            + SEARCH_HALF_SPACE * half_spaces
            + SEARCH_BALL * balls
            + SEARCH_CYLINDER * cylinders
            + SEARCH_SHORT_CYLINDER * (short_cylinders + others)
            + SEARCH_BOX * boxes
    }

    /// Of the membership of points.
    #[must_use]
    pub fn of_points(visits: &Visits) -> Self {
        let Visits { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        MEMBER_STOP * (cells + balls + cylinders + short_cylinders + others + boxes)
            + MEMBER_HALF_SPACE * half_spaces
            + MEMBER_BALL * balls
            + MEMBER_CYLINDER * cylinders
            + MEMBER_SHORT_CYLINDER * (short_cylinders + others)
            + MEMBER_BOX * boxes
    }

    /// What frames of their own add to the same visits.
    #[must_use]
    pub fn of_frames(visits: &Visits) -> Self {
        let Visits { cells: _, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        FRAME_HALF_SPACE * half_spaces
            + FRAME_CENTER * (balls + cylinders + short_cylinders + others)
            + FRAME_BOX * boxes
    }

    /// Of this many pairs of ellipsoids whose searches take so many rounds together.
    #[must_use]
    pub fn of_pairs(pairs: u64, rounds: u64) -> Self {
        (PAIR_FRAME + PAIR_SWEEP * PAIR_SWEEPS + PAIR_START + PAIR_CONTACT) * pairs + PAIR_ROUND * rounds
    }

    /// Of a step of a rolling wheel, its ray and its material aside.
    #[must_use]
    pub fn of_rolling() -> Self {
        all(WHEEL_STEP)
    }

    /// Of a prescribed frame of a wheel.
    #[must_use]
    pub fn of_prescribed_frame() -> Self {
        PRESCRIBED_FRAME
    }

    /// Of a step of a landing with so many wheels and structural points, the wheels' own steps aside.
    #[must_use]
    pub fn of_landing_step(wheels: u64, points: u64) -> Self {
        all(LANDING_STEP) + LANDING_WHEEL * wheels + CLEAR_POINT * points
    }

    /// All kinds together.
    #[must_use]
    pub fn total(&self) -> f64 {
        let Self { additions, multiplications, divisions, comparisons } = *self;
        additions + multiplications + divisions + comparisons
    }
}

impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            additions: self.additions + other.additions,
            multiplications: self.multiplications + other.multiplications,
            divisions: self.divisions + other.divisions,
            comparisons: self.comparisons + other.comparisons,
        }
    }
}

impl Mul<u64> for Operations {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        self * times as f64
    }
}

impl Mul<f64> for Operations {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            additions: self.additions * times,
            multiplications: self.multiplications * times,
            divisions: self.divisions * times,
            comparisons: self.comparisons * times,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::program::walk::{Walk, Walker};
    use crate::query::Ray;
    use crate::scene::{Scene, Shape};

    #[test]
    fn operations_of_a_ray_are_those_counted_by_hand() {
        // A ground and a ball beside it, under one union: three stops make no group, so there are no boxes.
        let scene = Scene::new(
            &Shape::union([Shape::half_space(DVec3::Z, 0.0), Shape::sphere(DVec3::new(5.0, 0.0, 1.0), 1.0)]),
            Vec::new(),
            None,
            None,
        )
        .unwrap();
        let ray = Ray::segment(DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.0, 0.0, -2.0));
        let walk = Walk::compile(&scene);
        let visits = Walker::new(&walk, &scene).visits_of_ray(&ray);
        // The ray's slope; the ground and the ball once each, both leaves; the ground's entry is exact.
        let expected = Operations {
            additions: f64::from(3 + 7 + 23),
            multiplications: f64::from(2 + 6 + 17),
            divisions: f64::from(3 + 1 + 7),
            comparisons: f64::from(14 + 2 * 10 + 15 + 7),
        };
        let found = Operations::of_rays(1, &visits);
        assert_eq!(found, expected);
        assert_eq!(found.total(), f64::from(33 + 25 + 11 + 56));
        // In a frame of its own: the half space's offset and the ball's centre.
        assert_eq!(
            Operations::of_frames(&visits),
            Operations { additions: 6.0, multiplications: 3.0, ..expected * 0.0 }
        );
    }

    #[test]
    fn operations_of_a_point_are_those_counted_by_hand() {
        let visits =
            Visits { cells: 2, half_spaces: 8, balls: 1, cylinders: 1, short_cylinders: 1, others: 0, boxes: 1 };
        let Operations { additions, multiplications, divisions, comparisons } = Operations::of_points(&visits);
        assert_eq!(additions, f64::from(8 * 3 + 6 + 11 + 14 + 8));
        assert_eq!(multiplications, f64::from(8 * 3 + 3 + 9 + 12 + 3));
        assert_eq!(divisions, f64::from(1 + 1 + 1 + 1));
        assert_eq!(comparisons, f64::from(6 * 2 + 8 + 1 + 2 + 3 + 7));
    }
}
