//! A view that shows the whole scene.
//!
//! # Conventions
//! World coordinates in metres, z up.

use glam::DVec3;

use super::Size;
use super::camera::Camera;
use crate::scene::{BoundingBox, bounded_extent, center};
use crate::scene::{Scene, View};

/// Half the size of what is shown of a scene without bounds \[m\].
const UNBOUNDED: f64 = 20.0;
/// How much farther off than just fitting the eye stands.
const MARGIN: f64 = 1.08;
/// Height of the eye over what it looks at \[rad\]: 28 degrees.
const ELEVATION: f64 = 0.49;
/// Between the view, seen from above, and the longer side of the scene \[rad\]: 30 degrees.
const AZIMUTH: f64 = 0.52;
/// Rays reach this many times as far as what is looked at: beyond that haze hides the ground.
const REACH: f64 = 30.0;

/// The view in the scene file, else an oblique one from above that shows everything bounded: a picture of unbounded
/// ground shows what stands on it, and the runway.
#[must_use]
pub fn framing_view(scene: &Scene, size: Size) -> View {
    scene.appearance().view.unwrap_or_else(|| framing(&extent(scene), size))
}

/// The default view of these points: all of them are in the picture.
pub(super) fn view_of(points: impl IntoIterator<Item = DVec3>, size: Size) -> View {
    let boxes = points.into_iter().map(|point| BoundingBox { min: point, max: point });
    let all = boxes.reduce(BoundingBox::join).unwrap_or(BoundingBox { min: DVec3::ZERO, max: DVec3::ZERO });
    framing(&all, size)
}

/// Required length of rays to show a scene \[m\], within the limit of rays.
pub(super) fn reach(scene: &Scene, view: &View) -> f64 {
    let BoundingBox { min, max } = extent(scene);
    let farthest = (min - view.from).abs().max((max - view.from).abs()).length();
    (REACH * (view.at - view.from).length()).max(2.0 * farthest).min(Camera::MAX_SHIFT)
}

/// What has an end in a scene.
fn extent(scene: &Scene) -> BoundingBox {
    let runway = scene.runway().map(|runway| {
        let corner = |x: f64, side: f64| DVec3::new(x, side * 0.5 * runway.width, runway.plane().below(x));
        let (near, far) = (corner(-runway.displaced_threshold, -1.0), corner(runway.end(), 1.0));
        BoundingBox { min: near.min(far), max: near.max(far) }
    });
    let all = runway.into_iter().chain(bounded_extent(scene)).reduce(BoundingBox::join);
    all.unwrap_or_else(|| {
        let (middle, half) = (center(scene), DVec3::splat(UNBOUNDED));
        BoundingBox { min: middle - half, max: middle + half }
    })
}

/// The nearest view at the usual angle whose picture holds the whole box.
fn framing(extent: &BoundingBox, size: Size) -> View {
    let half = 0.5 * (extent.max - extent.min);
    let (along, across) = if half.x >= half.y { (DVec3::X, DVec3::Y) } else { (DVec3::Y, DVec3::NEG_X) };
    let level = AZIMUTH.cos() * along + AZIMUTH.sin() * across;
    let forward = ELEVATION.cos() * level - ELEVATION.sin() * DVec3::Z;
    let right = forward.cross(DVec3::Z).normalize();
    let up = right.cross(forward);

    let tangent = (0.5 * View::FIELD_OF_VIEW).tan();
    let aspect = f64::from(size.width.max(1)) / f64::from(size.height.max(1));
    let corners: Vec<DVec3> = [-1.0, 1.0]
        .into_iter()
        .flat_map(|x| [-1.0, 1.0].into_iter().flat_map(move |y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z) * half)))
        .collect();
    let (sideways, for_width) = fit(&corners, right, forward, tangent * aspect);
    let (upwards, for_height) = fit(&corners, up, forward, tangent);
    // A single point is looked at from somewhere, too.
    let distance = Some(for_width.max(for_height)).filter(|&distance| distance > 0.0).unwrap_or(UNBOUNDED);
    let at = extent.center() + sideways * right + upwards * up;
    View { from: at - MARGIN * distance * forward, at, up: DVec3::Z, field_of_view: View::FIELD_OF_VIEW }
}

/// How far aside the eye must go, and how far back, for all points to fill the picture from edge to edge.
///
/// With a point's parts a along `axis` and f along `forward` it is in the picture of an eye at `aside` and `back` when
/// |a - aside| <= tangent (back + f). So `aside` is at least the greatest a - tangent f less tangent back, and at most the
/// least a + tangent f and tangent back.
fn fit(points: &[DVec3], axis: DVec3, forward: DVec3, tangent: f64) -> (f64, f64) {
    let from_right = points.iter().map(|point| point.dot(axis) - tangent * point.dot(forward));
    let from_left = points.iter().map(|point| point.dot(axis) + tangent * point.dot(forward));
    let (right, left) = (from_right.fold(f64::NEG_INFINITY, f64::max), from_left.fold(f64::INFINITY, f64::min));
    (0.5 * (left + right), (right - left) / (2.0 * tangent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Runway, Shape};

    const SIZE: Size = Size { width: 160, height: 90 };

    fn scene(shape: &Shape, runway: Option<Runway>) -> Scene {
        Scene::new(shape, Vec::new(), None, runway).unwrap()
    }

    fn ground() -> Shape {
        Shape::half_space(DVec3::Z, 0.0)
    }

    /// Where points appear in the picture of a view: u, v from -1 to 1 when inside, by the angles at the eye.
    fn seen(view: &View, point: DVec3) -> (f64, f64) {
        let forward = (view.at - view.from).normalize();
        let right = forward.cross(view.up).normalize();
        let ray = (point - view.from) / (point - view.from).dot(forward);
        let tangent = (0.5 * view.field_of_view).tan();
        (ray.dot(right) / tangent / (16.0 / 9.0), ray.dot(right.cross(forward)) / tangent)
    }

    #[test]
    fn all_that_has_an_end_is_in_the_picture_and_fills_it() {
        let balls = Shape::union([
            ground(),
            Shape::sphere(DVec3::new(500.0, 40.0, 3.0), 3.0),
            Shape::sphere(DVec3::new(-200.0, 0.0, 3.0), 3.0),
        ]);
        let scene = scene(&balls, None);
        let view = framing_view(&scene, SIZE);
        assert!(view.from.z > 20.0, "{view:?}");
        let corners: Vec<DVec3> = (0..8)
            .map(|bits| {
                let pick = |bit: i32, low: f64, high: f64| if bits & bit == 0 { low } else { high };
                DVec3::new(pick(1, -203.0, 503.0), pick(2, -3.0, 43.0), pick(4, 0.0, 6.0))
            })
            .collect();
        let reached = |part: fn((f64, f64)) -> f64| {
            let parts = corners.iter().map(|&corner| part(seen(&view, corner)));
            parts.fold((0.0, 0.0), |(low, high): (f64, f64), part| (low.min(part), high.max(part)))
        };
        // Sideways or upwards it fills the picture but for the margin, and about as much on either side.
        let ((left, right), (low, high)) = (reached(|(u, _)| u), reached(|(_, v)| v));
        assert!([-left, right, -low, high].iter().all(|&part| part < 1.0), "{left} {right} {low} {high}");
        assert!((left < -0.8 && right > 0.8) || (low < -0.8 && high > 0.8), "{left} {right} {low} {high}");
        assert!(reach(&scene, &view) > (view.from - corners[0]).length());
        Camera::new(&view, SIZE, 1.0).unwrap();
    }

    #[test]
    fn a_runway_is_shown_and_a_ground_without_anything_as_well() {
        for slope in [0.0, 0.1, -0.1] {
            let runway = Runway { length: 3300.0, width: 60.0, displaced_threshold: 150.0, slope, elevation: 0.0 };
            let view = framing_view(&scene(&ground(), Some(runway)), SIZE);
            for x in [-150.0, 3150.0] {
                let (u, v) = seen(&view, DVec3::new(x, 0.0, slope * x));
                assert!(u.abs() < 1.0 && v.abs() < 1.0, "{slope}, {x}: {u} {v}");
            }
        }
        let view = framing_view(&scene(&Shape::half_space(DVec3::Z, 300.0), None), SIZE);
        assert!((view.from - DVec3::new(0.0, 0.0, 300.0)).length() < 200.0 && view.from.z > 300.0, "{view:?}");
        let point = framing_view(&scene(&Shape::sphere(DVec3::X, 0.0), None), SIZE);
        assert!((point.from - point.at).length() > 1.0);
    }
}
