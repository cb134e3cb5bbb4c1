//! A camera: from pixels to rays.
//!
//! # Conventions
//! A pinhole. `u` runs to the right and `v` upwards, both from -1 to 1 between opposite edges of the picture.

use glam::DVec3;

use super::{PictureError, Size};
use crate::query::Ray;
use crate::scene::{LIMITS, View};

/// Below this sine `up` counts as parallel to the view.
const PARALLEL: f64 = 1e-6;

/// Replaces an upward direction parallel to the view: by x, or by z if the view is along x.
#[must_use]
pub fn upright(view: View) -> View {
    let forward = (view.at - view.from).normalize_or_zero();
    let seen = |up: &DVec3| right_of(forward, *up).is_some();
    // Of a view without a direction nothing is upwards.
    let up = [view.up, DVec3::X, DVec3::Z].into_iter().find(seen).unwrap_or(view.up);
    View { up, ..view }
}

/// The right-hand unit vector when looking `forward`; `None` if `up` is parallel to that, or zero.
fn right_of(forward: DVec3, up: DVec3) -> Option<DVec3> {
    let right = up.try_normalize().map(|up| forward.cross(up)).filter(|right| right.length() > PARALLEL);
    right.map(DVec3::normalize)
}

/// A view as camera axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    from: DVec3,
    /// Unit vectors.
    forward: DVec3,
    right: DVec3,
    up: DVec3,
    /// Half the width and half the height of the picture at distance 1 \[m\].
    half_width: f64,
    half_height: f64,
    /// Length of each ray \[m\].
    reach: f64,
    height: u32,
}

impl Camera {
    /// Eyes and points looked at have coordinates up to this \[m\], and rays are no longer, so that those from a
    /// visible surface towards the sun stay within the limits of rays, too.
    pub(super) const MAX_SHIFT: f64 = 0.1 * LIMITS.magnitude;

    pub(super) fn new(view: &View, size: Size, reach: f64) -> Result<Self, PictureError> {
        let View { from, at, up, field_of_view } = *view;
        let Size { width, height } = size;
        if ![width, height].iter().all(|side| (1..=Size::MAX).contains(side)) {
            return Err(PictureError::Size { width, height });
        }
        if !View::FIELDS_OF_VIEW.contains(&field_of_view) {
            return Err(PictureError::FieldOfView { radians: field_of_view });
        }
        let bounded = |v: DVec3| v.abs().cmple(DVec3::splat(Self::MAX_SHIFT)).all(); // false for NaN
        if !bounded(from) || !bounded(at) {
            return Err(PictureError::TooFar { from, at });
        }
        let forward = (at - from).try_normalize().ok_or(PictureError::NoDirection { from, at })?;
        let right = right_of(forward, up).ok_or(PictureError::NoUp { up, forward })?;
        let half_height = (0.5 * field_of_view).tan();
        Ok(Self {
            from,
            forward,
            right,
            up: right.cross(forward),
            half_width: half_height * f64::from(width) / f64::from(height),
            half_height,
            reach,
            height,
        })
    }

    /// The ray through a point of the picture, from the eye to the camera's range.
    pub(super) fn ray(&self, u: f64, v: f64) -> Ray {
        let direction = self.forward + u * self.half_width * self.right + v * self.half_height * self.up;
        Ray::segment(self.from, self.from + self.reach * direction.normalize())
    }

    /// Length of each ray \[m\].
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// Size of a pixel at a distance from the eye \[m\].
    pub(super) fn pixel_at(&self, distance: f64) -> f64 {
        2.0 * self.half_height * distance / f64::from(self.height)
    }

    /// The direction of a light behind the left shoulder, a unit vector towards it. For a level view it is some 35
    /// degrees high.
    pub(super) fn toward_sun(&self) -> DVec3 {
        let level = |v: DVec3| DVec3::new(v.x, v.y, 0.0).normalize_or_zero();
        // Straight down there is no level part of the view; what is up in the picture leads forward then.
        let ahead = level(self.forward + PARALLEL * self.up);
        let right = level(self.right);
        (-0.25 * ahead - 0.8 * right + 0.6 * DVec3::Z).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 300, height: 100 };

    fn view() -> View {
        View {
            from: DVec3::new(1.0, 2.0, 3.0),
            at: DVec3::new(5.0, 2.0, 3.0),
            up: DVec3::Z,
            field_of_view: 0.5 * std::f64::consts::PI,
        }
    }

    /// Five roundings of numbers up to 10.
    const ROUNDING: f64 = 5.0 * 10.0 * f64::EPSILON;

    #[test]
    fn rays_go_where_the_picture_shows() {
        let camera = Camera::new(&view(), SIZE, 10.0).unwrap();
        // Along x with z up the right is -y; the height covers 90 degrees and the width three times as much.
        for (u, v, direction) in [
            (0.0, 0.0, DVec3::new(1.0, 0.0, 0.0)),
            (1.0, 0.0, DVec3::new(1.0, -3.0, 0.0)),
            (0.0, 1.0, DVec3::new(1.0, 0.0, 1.0)),
            (-1.0, -1.0, DVec3::new(1.0, 3.0, -1.0)),
        ] {
            let ray = camera.ray(u, v);
            assert_eq!(ray.x1, view().from);
            let expected = view().from + 10.0 * direction.normalize();
            assert!((ray.x2 - expected).length() < ROUNDING, "({u}, {v}): {}", ray.x2);
        }
        assert!((camera.pixel_at(50.0) - 1.0).abs() < ROUNDING);
    }

    #[test]
    fn views_that_show_nothing_are_refused() {
        let refused = |view: &View, size| Camera::new(view, size, 10.0).unwrap_err().to_string();
        assert!(refused(&View { at: view().from, ..view() }, SIZE).contains("must be different points"));
        for far in [DVec3::NAN, DVec3::new(0.0, -1.1e59, 0.0), DVec3::splat(f64::INFINITY)] {
            assert!(refused(&View { at: far, ..view() }, SIZE).contains("up to 1e59"));
            assert!(refused(&View { from: far, ..view() }, SIZE).contains("up to 1e59"));
        }
        assert!(refused(&View { up: DVec3::X, ..view() }, SIZE).contains("along the view"));
        assert!(refused(&View { up: DVec3::ZERO, ..view() }, SIZE).contains("must not be zero"));
        assert!(refused(&View { field_of_view: 3.0, ..view() }, SIZE).contains("from 1 to 150 deg"));
        assert!(refused(&view(), Size { width: 0, height: 1 }).contains("1 to 16384 pixels"));
        assert!(refused(&view(), Size { width: 1, height: 16_385 }).contains("1 to 16384 pixels"));
    }

    #[test]
    fn upwards_is_never_along_the_view() {
        let upwards = |forward: DVec3, up: DVec3| upright(View { at: view().from + forward, up, ..view() }).up;
        for (forward, up, expected) in [
            (DVec3::X, DVec3::Z, DVec3::Z),
            (DVec3::NEG_Z, DVec3::Z, DVec3::X),
            (DVec3::X, DVec3::X, DVec3::Z),
            (10.0 * DVec3::Y, DVec3::NEG_Y, DVec3::X),
            // As good as straight down, and not quite.
            (DVec3::new(1e-8, 0.0, -1.0), DVec3::Z, DVec3::X),
            (DVec3::new(1e-5, 0.0, -1.0), DVec3::Z, DVec3::Z),
        ] {
            assert_eq!(upwards(forward, up), expected, "{forward}, {up}");
        }
        assert_eq!(upwards(DVec3::ZERO, DVec3::Y), DVec3::Y);
    }

    #[test]
    fn the_sun_stands_above_and_behind_the_left_shoulder() {
        for at in [DVec3::new(5.0, 2.0, 3.0), DVec3::new(5.0, 2.0, -30.0), DVec3::new(1.0, 9.0, 4.0)] {
            let view = View { at, ..view() };
            let camera = Camera::new(&view, SIZE, 10.0).unwrap();
            let sun = camera.toward_sun();
            assert!((sun.length() - 1.0).abs() < ROUNDING && sun.z > 0.5);
            assert!(sun.dot(camera.right) < 0.0 && sun.dot(at - view.from) < 0.0, "{sun}");
        }
        let down = View { at: DVec3::new(1.0, 2.0, 0.0), up: DVec3::Y, ..view() };
        let sun = Camera::new(&down, SIZE, 10.0).unwrap().toward_sun();
        assert!(sun.x < 0.0 && sun.y < 0.0 && sun.z > 0.5, "{sun}");
    }
}
