//! Intersections of half spaces as polyhedra.

use glam::DVec3;

use super::refused;
use crate::scene::{HalfSpace, HullError};
use crate::world::definition::Bounds;
use crate::world::error::WorldError;
use crate::world::hull::hull_body;
use crate::world::motion::Motion;
use crate::world::shape::BodyShape;

/// Most half spaces of a part: its corners are sought among all triples of them.
const MAX_PLANES: usize = 96;
/// Most corners of a part: each is tested against every body that is near.
const MAX_CORNERS: usize = 192;
/// How far a corner may be off the planes that others make it by, in parts of the room: rounding.
const ROUNDING: f64 = 1e-12;

/// The polyhedron in these half spaces and the room; `None` for one without a volume.
pub(super) fn polyhedron(
    name: &str,
    planes: &[HalfSpace],
    room: Option<Bounds>,
) -> Result<Option<(BodyShape, Motion)>, WorldError> {
    if planes.len() > MAX_PLANES {
        return refused(format!("{name} has {} sides, and may have {MAX_PLANES}", planes.len()));
    }
    let unit = |plane: &HalfSpace| {
        let length = plane.normal.length();
        HalfSpace { normal: plane.normal / length, offset: plane.offset / length }
    };
    let mut planes: Vec<HalfSpace> = planes.iter().map(unit).collect();
    let farthest = planes.iter().map(|plane| plane.offset.abs()).fold(1.0, f64::max);
    // Without bounds what reaches this far does not end.
    let far = 1e3 * farthest;
    let Bounds { min, max } = room.unwrap_or(Bounds { min: DVec3::splat(-far), max: DVec3::splat(far) });
    let own = planes.len();
    for axis in DVec3::AXES {
        planes.push(HalfSpace { normal: axis, offset: axis.dot(max) });
        planes.push(HalfSpace { normal: -axis, offset: -axis.dot(min) });
    }
    let tolerance = ROUNDING * min.abs().max_element().max(max.abs().max_element()).max(farthest);
    let mut corners: Vec<DVec3> = Vec::new();
    for first in 0..planes.len() {
        for second in first + 1..planes.len() {
            for third in second + 1..planes.len() {
                let Some(corner) = meet([planes[first], planes[second], planes[third]]) else { continue };
                let is_in = planes.iter().all(|plane| plane.normal.dot(corner) - plane.offset <= 64.0 * tolerance);
                if !is_in || corners.iter().any(|known| known.distance(corner) <= 256.0 * tolerance) {
                    continue;
                }
                if room.is_none() && third >= own {
                    return refused(format!("{name} has no end; [bounds] make one"));
                }
                corners.push(corner);
            }
        }
    }
    if corners.len() > MAX_CORNERS {
        return refused(format!("{name} has {} corners, and may have {MAX_CORNERS}", corners.len()));
    }
    match hull_body(&corners) {
        Ok(hull) => {
            let place = Motion { orientation: hull.rotation.normalize(), ..Motion::at(hull.center) };
            Ok(Some((hull.shape, place)))
        }
        Err(HullError::NoPoints | HullError::Flat { .. } | HullError::TooSmall) => Ok(None),
        Err(error) => refused(format!("{name}: {error}")),
    }
}

/// The point of three planes, if they have one.
fn meet(planes: [HalfSpace; 3]) -> Option<DVec3> {
    let [a, b, c] = planes.map(|plane| plane.normal);
    let volume = a.dot(b.cross(c));
    let point = b.cross(c) * planes[0].offset + c.cross(a) * planes[1].offset + a.cross(b) * planes[2].offset;
    (volume.abs() > 1e-9).then(|| point / volume)
}
