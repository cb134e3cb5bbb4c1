//! Job `box_normal`: normals of boxes with rounded edges, eight at a time (docs/theory/vehicle-boxes.md).
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`]. In box axes everything is mirrored into the octant of positive coordinates. The
//! formulas are those of the reference, operation by operation, with selection in place of branches.

use glam::{DQuat, DVec3};

use super::rotation::Quaternions;
use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus, RoundedBox,
    SAME_NORMALS_EPSILONS,
};
use crate::simd::{DVec3x8, F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Items per task of a thread: enough to make scheduling free.
const ITEMS_PER_TASK: usize = 1024;

/// Fills lanes of invalid or absent items.
const ANY: BoxPoint =
    BoxPoint { body: RoundedBox { sides: DVec3::ONE, radius: 0.0, rotation: DQuat::IDENTITY }, contact: DVec3::X };

impl Computes<BoxNormals> for Native {
    fn answers(&self, (): (), points: &[BoxPoint]) -> Result<Vec<BoxNormal>, EngineError> {
        let bad = BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face);
        let task = |points: &[BoxPoint], answers: &mut [BoxNormal]| in_registers(Points { points, answers });
        Ok(self.pool.install(|| by_tasks(ITEMS_PER_TASK, points, bad, task)))
    }
}

impl Computes<BoxPairs> for Native {
    fn answers(&self, (): (), pairs: &[BoxPair]) -> Result<Vec<BoxPairNormal>, EngineError> {
        let bad = BoxPairNormal::none(BoxStatus::BadInput, BoxCase::FaceFace);
        let task = |pairs: &[BoxPair], answers: &mut [BoxPairNormal]| in_registers(Pairs { pairs, answers });
        Ok(self.pool.install(|| by_tasks(ITEMS_PER_TASK, pairs, bad, task)))
    }
}

/// Boxes of one task, and a place for each answer.
struct Points<'a> {
    points: &'a [BoxPoint],
    answers: &'a mut [BoxNormal],
}

impl InRegisters for Points<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (points, answers) in self.points.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let valid = lanes(points, BoxPoint::is_valid);
            let rows = gathered(points, valid, |point| *point);
            let Pierced { normal, faces, is_sharp, .. } = at_full_width(simd, Pierce { simd, rows: &rows });
            let (normals, faces, is_sharp) = (transposed(normal), faces.to_array(), is_sharp.to_array());
            for (lane, answer) in answers.iter_mut().enumerate().filter(|&(lane, _)| valid[lane]) {
                let region = region(faces[lane]);
                *answer = if is_sharp[lane] {
                    BoxNormal::none(BoxStatus::Degenerate, region)
                } else {
                    BoxNormal { status: BoxStatus::Ok, normal: normals[lane], region }
                };
            }
        }
    }
}

/// Pairs of one task, and a place for each answer.
struct Pairs<'a> {
    pairs: &'a [BoxPair],
    answers: &'a mut [BoxPairNormal],
}

impl InRegisters for Pairs<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (pairs, answers) in self.pairs.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let valid = lanes(pairs, BoxPair::is_valid);
            let rows = [0, 1].map(|body| gathered(pairs, valid, |pair| pair.bodies[body]));
            let (normal, has_none, [one, two]) = at_full_width(simd, PiercePairs { simd, rows: &rows });
            let (normals, has_none) = (transposed(normal), has_none.to_array());
            let [one, two] = [one.to_array(), two.to_array()];
            for (lane, answer) in answers.iter_mut().enumerate().filter(|&(lane, _)| valid[lane]) {
                let case = BoxCase::of([region(one[lane]), region(two[lane])]);
                *answer = if has_none[lane] {
                    BoxPairNormal::none(BoxStatus::Degenerate, case)
                } else {
                    BoxPairNormal { status: BoxStatus::Ok, normal: normals[lane], case }
                };
            }
        }
    }
}

fn region(faces: f64) -> BoxRegion {
    match faces {
        1.0 => BoxRegion::Face,
        2.0 => BoxRegion::Edge,
        _ => BoxRegion::Corner,
    }
}

fn lanes<T>(items: &[T], is_valid: impl Fn(&T) -> bool) -> [bool; LANES] {
    std::array::from_fn(|lane| items.get(lane).is_some_and(&is_valid))
}

/// Vectors lane by lane.
fn transposed<S: Simd>(vectors: DVec3x8<S>) -> [DVec3; LANES] {
    let [x, y, z] = [vectors.x, vectors.y, vectors.z].map(F64x8::to_array);
    std::array::from_fn(|lane| DVec3::new(x[lane], y[lane], z[lane]))
}

/// Numbers of eight boxes with their contact vectors: a row of lanes for each number.
type Rows = [[f64; LANES]; 11];

/// The boxes of items, one in each lane.
#[inline]
fn gathered<T>(items: &[T], valid: [bool; LANES], of: impl Fn(&T) -> BoxPoint) -> Rows {
    let mut rows = [[0.0; LANES]; 11];
    for lane in 0..LANES {
        let BoxPoint { body, contact } = items.get(lane).filter(|_| valid[lane]).map_or(ANY, &of);
        let (rotation, half) = (body.rotation, 0.5 * body.sides);
        let numbers = [
            rotation.x,
            rotation.y,
            rotation.z,
            rotation.w,
            half.x,
            half.y,
            half.z,
            body.radius,
            contact.x,
            contact.y,
            contact.z,
        ];
        for (row, number) in rows.iter_mut().zip(numbers) {
            row[lane] = number;
        }
    }
    rows
}

/// Where eight contact vectors pierce their boxes.
struct Pierced<S: Simd> {
    /// Outward unit normals, world.
    normal: DVec3x8<S>,
    /// Faces that they lie between.
    faces: F64x8<S>,
    /// Sharp edges and corners: they have no normal.
    is_sharp: Mask8<S>,
    /// Squares of the tangents of the angles at the centre between contact vector and normal, of faces.
    slope: F64x8<S>,
}

/// Pierces eight boxes.
struct Pierce<'a, S: Simd> {
    simd: S,
    rows: &'a Rows,
}

impl<S: Simd> Vectorized for Pierce<'_, S> {
    type Output = Pierced<S>;
    #[inline(always)]
    fn run(self) -> Pierced<S> {
        pierce(self.simd, self.rows)
    }
}

/// Pierces eight pairs: the normals, where there is none, and the faces that are met on both.
struct PiercePairs<'a, S: Simd> {
    simd: S,
    rows: &'a [Rows; 2],
}

impl<S: Simd> Vectorized for PiercePairs<'_, S> {
    type Output = (DVec3x8<S>, Mask8<S>, [F64x8<S>; 2]);
    #[inline(always)]
    fn run(self) -> Self::Output {
        let [one, two] = [pierce(self.simd, &self.rows[0]), pierce(self.simd, &self.rows[1])];
        let single = one.slope.like(1.0);
        let (on_face1, on_face2) = (one.faces.eq(single), two.faces.eq(single));
        let difference = one.normal - two.normal;
        let length = difference.length();
        let corners = !(on_face1 | on_face2);
        let are_same = length.le(length.like(SAME_NORMALS_EPSILONS * f64::EPSILON));
        let has_none = one.is_sharp | two.is_sharp | (corners & are_same);
        let of_first = on_face1 & (!on_face2 | one.slope.lt(two.slope));
        let normal = of_first.select3(one.normal, -two.normal);
        (corners.select3(difference / length, normal), has_none, [one.faces, two.faces])
    }
}

#[inline(always)]
fn pierce<S: Simd>(simd: S, rows: &Rows) -> Pierced<S> {
    let [x, y, z, w, half_x, half_y, half_z, radius, contact_x, contact_y, contact_z] = *rows;
    let rotation = Quaternions::new(
        F64x8::from_array(simd, x),
        F64x8::from_array(simd, y),
        F64x8::from_array(simd, z),
        F64x8::from_array(simd, w),
    );
    let half = DVec3x8::from_arrays(simd, [half_x, half_y, half_z]);
    let contact = DVec3x8::from_arrays(simd, [contact_x, contact_y, contact_z]);
    let radius = F64x8::from_array(simd, radius);
    let (zero, one) = (radius.like(0.0), radius.like(1.0));
    let to_world = rotation.normalized().matrices();
    let local = to_world.transposed_times(contact);
    let mirrored = DVec3x8::new(local.x.abs(), local.y.abs(), local.z.abs());

    // Where the rays leave the sharp boxes, and how deep below each of their faces.
    let reached = DVec3x8::new(mirrored.x / half.x, mirrored.y / half.y, mirrored.z / half.z);
    let reach = reached.x.max(reached.y).max(reached.z);
    let leaving = mirrored / reach;
    let is_sharp = radius.eq(zero);
    let beyond = Axes { reach, is_sharp, radius };
    let mut beyond = DVec3x8::new(
        beyond.of(reached.x, half.x, leaving.x),
        beyond.of(reached.y, half.y, leaving.y),
        beyond.of(reached.z, half.z, leaving.z),
    );

    // On its way back from a corner a ray may leave the reach of one face before it comes to the rounding.
    let corner = beyond.x.gt(zero) & beyond.y.gt(zero) & beyond.z.gt(zero);
    let back = DVec3x8::new(beyond.x / leaving.x, beyond.y / leaving.y, beyond.z / leaving.z);
    let first = back.x.min(back.y).min(back.z);
    let there = beyond - leaving * first;
    let passes = corner & there.dot(there).gt(one);
    beyond = DVec3x8::new(
        (passes & back.x.eq(first)).select(zero, beyond.x),
        (passes & back.y.eq(first)).select(zero, beyond.y),
        (passes & back.z.eq(first)).select(zero, beyond.z),
    );
    let (x, y, z) = (beyond.x.gt(zero), beyond.y.gt(zero), beyond.z.gt(zero));
    let faces = x.as_numbers() + y.as_numbers() + z.as_numbers();
    let on_face = faces.eq(one);
    let active = DVec3x8::new(x.select(leaving.x, zero), y.select(leaving.y, zero), z.select(leaving.z, zero));
    let normal = on_face.select3(beyond, rounded(beyond, active));
    let signed = DVec3x8::new(normal.x.copysign(local.x), normal.y.copysign(local.y), normal.z.copysign(local.z));
    let beside = leaving - DVec3x8::new(leaving.x * beyond.x, leaving.y * beyond.y, leaving.z * beyond.z);
    let along = leaving.dot(beyond);
    Pierced {
        normal: to_world.times(signed),
        faces,
        is_sharp: is_sharp & !on_face,
        slope: beside.dot(beside) / (along * along),
    }
}

/// How far the points at which rays leave stand beyond the inner boxes, in radii.
struct Axes<S: Simd> {
    reach: F64x8<S>,
    is_sharp: Mask8<S>,
    radius: F64x8<S>,
}

impl<S: Simd> Axes<S> {
    /// Along one axis.
    #[inline(always)]
    fn of(&self, reached: F64x8<S>, half: F64x8<S>, leaving: F64x8<S>) -> F64x8<S> {
        let (zero, one) = (half.like(0.0), half.like(1.0));
        let depth = reached.eq(self.reach).select(zero, (half - leaving).max(zero));
        let of_sharp = depth.eq(zero).select(one, zero);
        self.is_sharp.select(of_sharp, (self.radius - depth.min(self.radius)) / self.radius)
    }
}

/// Where lines through points in these directions leave the unit ball.
#[inline(always)]
fn rounded<S: Simd>(outside: DVec3x8<S>, direction: DVec3x8<S>) -> DVec3x8<S> {
    let square = direction.dot(direction);
    let (zero, one) = (square.like(0.0), square.like(1.0));
    let foot = outside - direction * (outside.dot(direction) / square);
    let half_chord = ((one - foot.dot(foot)).max(zero) / square).sqrt();
    let normal = foot + direction * half_chord;
    let normal = DVec3x8::new(normal.x.max(zero), normal.y.max(zero), normal.z.max(zero));
    normal / normal.length()
}
