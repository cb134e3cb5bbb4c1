//! Job `ellipsoid`: eight pairs at a time, or eight ellipsoids with their walls.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

use glam::DVec3;

use super::{Native, by_tasks};
use crate::ellipsoid_contact::{Body, concentric_contact, touch, touch_wall};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{
    ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls,
    WallContact,
};
use crate::simd::{F64x8, InRegisters, Simd, at_full_width, in_registers};

/// Pairs that one thread takes at a time.
const PAIRS_PER_TASK: usize = 1024;

impl Computes<EllipsoidPairs> for Native {
    fn answers(&self, (): (), pairs: &[EllipsoidPair]) -> Result<Vec<EllipsoidContact>, EngineError> {
        let bad = EllipsoidContact::none(ContactStatus::BadInput);
        let task = |pairs: &[EllipsoidPair], contacts: &mut [EllipsoidContact]| in_registers(Pairs { pairs, contacts });
        Ok(self.pool.install(|| by_tasks(PAIRS_PER_TASK, pairs, bad, task)))
    }
}

impl Computes<EllipsoidWalls> for Native {
    fn answers(&self, (): (), walls: &[EllipsoidWall]) -> Result<Vec<WallContact>, EngineError> {
        let bad = WallContact::none(ContactStatus::BadInput);
        let task = |walls: &[EllipsoidWall], contacts: &mut [WallContact]| in_registers(Walls { walls, contacts });
        Ok(self.pool.install(|| by_tasks(PAIRS_PER_TASK, walls, bad, task)))
    }
}

struct Pairs<'a> {
    pairs: &'a [EllipsoidPair],
    contacts: &'a mut [EllipsoidContact],
}

impl InRegisters for Pairs<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (pairs, contacts) in self.pairs.chunks(LANES).zip(self.contacts.chunks_mut(LANES)) {
            at_full_width(simd, EightPairs { simd, pairs, contacts });
        }
    }
}

struct Walls<'a> {
    walls: &'a [EllipsoidWall],
    contacts: &'a mut [WallContact],
}

impl InRegisters for Walls<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (walls, contacts) in self.walls.chunks(LANES).zip(self.contacts.chunks_mut(LANES)) {
            at_full_width(simd, EightWalls { simd, walls, contacts });
        }
    }
}

/// Numbers of up to eight items: a row of lanes for each, a column for each item.
struct Columns<const NUMBERS: usize> {
    rows: [[f64; LANES]; NUMBERS],
    valid: [bool; LANES],
}

/// A ball: rotation and semi-axes. Lanes without a valid item compute with it.
const BALL: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

impl<const NUMBERS: usize> Columns<NUMBERS> {
    /// Without items; numbers behind those of two ellipsoids, or of one, are 1.
    #[inline(always)]
    fn new(ellipsoids: usize) -> Self {
        let mut rows = [[1.0; LANES]; NUMBERS];
        for number in 0..7 * ellipsoids {
            rows[number] = [BALL[number % 7]; LANES];
        }
        Self { rows, valid: [false; LANES] }
    }

    /// Writes an ellipsoid's rotation and semi-axes into a lane.
    #[inline(always)]
    fn set_ellipsoid(&mut self, lane: usize, first: usize, ellipsoid: &Ellipsoid) {
        let [x, y, z, w] = ellipsoid.rotation.to_array();
        let [a, b, c] = ellipsoid.semi_axes.to_array();
        for (row, number) in self.rows[first..].iter_mut().zip([x, y, z, w, a, b, c]) {
            row[lane] = number;
        }
    }

    #[inline(always)]
    fn set_vector(&mut self, lane: usize, first: usize, vector: DVec3) {
        self.rows[first][lane] = vector.x;
        self.rows[first + 1][lane] = vector.y;
        self.rows[first + 2][lane] = vector.z;
    }

    #[inline(always)]
    fn wide<S: Simd>(&self, simd: S, row: usize) -> F64x8<S> {
        F64x8::from_array(simd, self.rows[row])
    }

    #[inline(always)]
    fn vectors<S: Simd>(&self, simd: S, first: usize) -> [F64x8<S>; 3] {
        [self.wide(simd, first), self.wide(simd, first + 1), self.wide(simd, first + 2)]
    }

    #[inline(always)]
    fn bodies<S: Simd>(&self, simd: S, first: usize) -> Body<F64x8<S>> {
        let [x, y, z] = self.vectors(simd, first);
        Body::new([x, y, z, self.wide(simd, first + 3)], self.vectors(simd, first + 4))
    }
}

/// Up to eight pairs, one in each lane.
struct EightPairs<'a, S: Simd> {
    simd: S,
    pairs: &'a [EllipsoidPair],
    contacts: &'a mut [EllipsoidContact],
}

impl<S: Simd> Vectorized for EightPairs<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { simd, pairs, contacts } = self;
        let mut columns = Columns::<18>::new(2);
        for (lane, pair) in pairs.iter().enumerate() {
            if pair.is_valid() {
                columns.valid[lane] = true;
                columns.set_ellipsoid(lane, 0, &pair.a);
                columns.set_ellipsoid(lane, 7, &pair.b);
                columns.set_vector(lane, 14, pair.b.center - pair.a.center);
                columns.rows[17][lane] = pair.guess.unwrap_or(0.0);
            }
        }
        let (a, b) = (columns.bodies(simd, 0), columns.bodies(simd, 7));
        let touch = touch(&a, &b, columns.vectors(simd, 14), columns.wide(simd, 17));
        let (concentric, converged) = (touch.concentric.to_array(), touch.converged.to_array());
        let (mu, lambda) = (touch.mu.to_array(), touch.lambda.to_array());
        let (separation, rounds) = (touch.separation.to_array(), touch.rounds.to_array());
        let (normal, point) = (in_memory(touch.normal), in_memory(touch.point));
        for (lane, (pair, contact)) in pairs.iter().zip(contacts).enumerate() {
            *contact = if !columns.valid[lane] {
                EllipsoidContact::none(ContactStatus::BadInput)
            } else if concentric[lane] {
                concentric_contact(pair)
            } else if !converged[lane] {
                EllipsoidContact::none(ContactStatus::NotConverged)
            } else {
                EllipsoidContact {
                    status: ContactStatus::Ok,
                    f: mu[lane] * mu[lane],
                    mu: mu[lane],
                    lambda: lambda[lane],
                    normal: vector(&normal, lane),
                    point: pair.a.center + vector(&point, lane),
                    separation: separation[lane],
                    iterations: rounds[lane] as u32,
                }
            };
        }
    }
}

/// Up to eight ellipsoids with their walls, one in each lane.
struct EightWalls<'a, S: Simd> {
    simd: S,
    walls: &'a [EllipsoidWall],
    contacts: &'a mut [WallContact],
}

impl<S: Simd> Vectorized for EightWalls<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { simd, walls, contacts } = self;
        let mut columns = Columns::<11>::new(1);
        for (lane, wall) in walls.iter().enumerate() {
            if wall.is_valid() {
                columns.valid[lane] = true;
                columns.set_ellipsoid(lane, 0, &wall.ellipsoid);
                columns.set_vector(lane, 7, wall.normal);
                columns.rows[10][lane] = wall.offset_from_center();
            }
        }
        let touch = touch_wall(&columns.bodies(simd, 0), columns.vectors(simd, 7), columns.wide(simd, 10));
        let (mu, separation) = (touch.mu.to_array(), touch.separation.to_array());
        let (normal, point) = (in_memory(touch.normal), in_memory(touch.point));
        for (lane, (wall, contact)) in walls.iter().zip(contacts).enumerate() {
            *contact = if columns.valid[lane] {
                WallContact {
                    status: ContactStatus::Ok,
                    mu: mu[lane],
                    normal: vector(&normal, lane),
                    point: wall.ellipsoid.center + vector(&point, lane),
                    separation: separation[lane],
                }
            } else {
                WallContact::none(ContactStatus::BadInput)
            };
        }
    }
}

#[inline(always)]
fn in_memory<S: Simd>([x, y, z]: [F64x8<S>; 3]) -> [[f64; LANES]; 3] {
    [x.to_array(), y.to_array(), z.to_array()]
}

#[inline(always)]
fn vector([x, y, z]: &[[f64; LANES]; 3], lane: usize) -> DVec3 {
    DVec3::new(x[lane], y[lane], z[lane])
}
