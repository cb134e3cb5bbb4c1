//! Job `box_normal`: normals of boxes with rounded edges (docs/theory/vehicle-boxes.md).
//!
//! The ray from the centre leaves the sharp box with the same sides first on face j, a little outside the rounded one.
//! There the depth of the point below each of the three outer faces is known to full relative accuracy, and hence how
//! far beyond the inner box it is along each axis, in radii: 1 on axis j, less on the others, zero where the rounding
//! has not begun. From there the ray is followed back to the rounding itself: the chord of a circle or a ball.
//!
//! # Conventions
//! As in [`crate::query::BoxPoint`]. In box axes everything is mirrored into the octant of positive coordinates.

use glam::{DMat3, DVec3};

use super::Reference;
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus,
    SAME_NORMALS_EPSILONS,
};

/// Boxes that one thread takes at a time.
const BOXES_PER_TASK: usize = 1024;

impl Computes<BoxNormals> for Reference {
    fn answers(&self, (): (), points: &[BoxPoint]) -> Result<Vec<BoxNormal>, EngineError> {
        Ok(self.each(BOXES_PER_TASK, points, box_normal))
    }
}

impl Computes<BoxPairs> for Reference {
    fn answers(&self, (): (), pairs: &[BoxPair]) -> Result<Vec<BoxPairNormal>, EngineError> {
        Ok(self.each(BOXES_PER_TASK, pairs, box_pair))
    }
}

/// Where a contact vector pierces its box.
struct Pierced {
    /// Outward unit normal, world.
    normal: DVec3,
    region: BoxRegion,
    /// A sharp edge or corner, without a normal.
    is_sharp: bool,
    /// Squared tangent of the angle at the centre between contact vector and normal, for a face.
    slope: f64,
}

/// The normal of a box.
fn box_normal(point: &BoxPoint) -> BoxNormal {
    if !point.is_valid() {
        return BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face);
    }
    let Pierced { normal, region, is_sharp, .. } = pierce(point);
    if is_sharp {
        return BoxNormal::none(BoxStatus::Degenerate, region);
    }
    BoxNormal { status: BoxStatus::Ok, normal, region }
}

/// The normal of two boxes (docs/theory/vehicle-boxes.md, 4).
fn box_pair(pair: &BoxPair) -> BoxPairNormal {
    if !pair.is_valid() {
        return BoxPairNormal::none(BoxStatus::BadInput, BoxCase::FaceFace);
    }
    let [one, two] = pair.bodies.each_ref().map(pierce);
    let case = BoxCase::of([one.region, two.region]);
    let difference = one.normal - two.normal;
    let length = difference.length();
    let are_same = case == BoxCase::CornerCorner && length <= SAME_NORMALS_EPSILONS * f64::EPSILON;
    if one.is_sharp || two.is_sharp || are_same {
        return BoxPairNormal::none(BoxStatus::Degenerate, case);
    }
    let normal = match case {
        // The angles grow with their tangents, which tell small ones apart as cosines do not.
        BoxCase::FaceFace if one.slope < two.slope => one.normal,
        BoxCase::FaceFace | BoxCase::CornerFace => -two.normal,
        BoxCase::FaceCorner => one.normal,
        BoxCase::CornerCorner => difference / length,
    };
    BoxPairNormal { status: BoxStatus::Ok, normal, case }
}

fn pierce(point: &BoxPoint) -> Pierced {
    let BoxPoint { body, contact } = point;
    let to_world = DMat3::from_quat(body.rotation.normalize());
    let local = DVec3::new(to_world.x_axis.dot(*contact), to_world.y_axis.dot(*contact), to_world.z_axis.dot(*contact));
    let half = 0.5 * body.sides;

    // Where the ray leaves the sharp box, and how deep below each of its faces; not at all on the one that it leaves by.
    let reached = local.abs() / half;
    let reach = reached.x.max(reached.y).max(reached.z);
    let leaving = local.abs() / reach;
    let depth = |axis: usize| if reached[axis] == reach { 0.0 } else { (half[axis] - leaving[axis]).max(0.0) };
    let beyond = |axis: usize| match body.radius {
        0.0 if depth(axis) == 0.0 => 1.0,
        0.0 => 0.0,
        radius => (radius - depth(axis).min(radius)) / radius,
    };
    let mut beyond = DVec3::new(beyond(0), beyond(1), beyond(2));

    // On its way back from a corner the ray may leave the reach of one face before it comes to the rounding.
    if beyond.cmpgt(DVec3::ZERO).all() {
        let back = beyond / leaving;
        let first = back.x.min(back.y).min(back.z);
        let there = beyond - leaving * first;
        if there.dot(there) > 1.0 {
            beyond = DVec3::select(back.cmpeq(DVec3::splat(first)), DVec3::ZERO, beyond);
        }
    }
    let active = beyond.cmpgt(DVec3::ZERO);
    let region = match active.bitmask().count_ones() {
        1 => BoxRegion::Face,
        2 => BoxRegion::Edge,
        _ => BoxRegion::Corner,
    };
    let mirrored = match region {
        BoxRegion::Face => beyond,
        BoxRegion::Edge | BoxRegion::Corner => rounded(beyond, DVec3::select(active, leaving, DVec3::ZERO)),
    };
    let beside = leaving - leaving * beyond;
    let along = leaving.dot(beyond);
    Pierced {
        normal: to_world * mirrored.copysign(local),
        region,
        is_sharp: body.radius == 0.0 && region != BoxRegion::Face,
        slope: beside.dot(beside) / (along * along),
    }
}

/// Where the line through a point in this direction leaves the unit ball: half a chord from the foot of the
/// perpendicular from the centre, which is accurate even for grazing lines.
fn rounded(outside: DVec3, direction: DVec3) -> DVec3 {
    let square = direction.dot(direction);
    let foot = outside - direction * (outside.dot(direction) / square);
    let half_chord = ((1.0 - foot.dot(foot)).max(0.0) / square).sqrt();
    // Rounding must not lead beyond an axis.
    let normal = (foot + direction * half_chord).max(DVec3::ZERO);
    normal / normal.length()
}
