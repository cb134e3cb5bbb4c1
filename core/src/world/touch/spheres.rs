//! Contact of moving shapes without rotation: balls and half spaces.
//!
//! # Conventions
//! A way is the displacement of the second over the step as the first sees it, along a straight line.

use glam::DVec3;

/// Contact of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Touch {
    /// Fraction of the step at contact.
    pub share: f64,
    /// Unit normal from the first to the second at contact.
    pub normal: DVec3,
    /// Distance along that normal at the start of the step \[m\].
    pub gap: f64,
}

/// The unit vector along another one; upwards for balls with one centre, of which any normal is as good.
fn direction(vector: DVec3) -> DVec3 {
    let length = vector.length();
    if length > 0.0 { vector / length } else { DVec3::Z }
}

/// Balls whose radii sum up to `reach`, the second displaced from the first by `offset`: at its end `way` overlaps, however
/// it got there.
pub(in crate::world) fn spheres_at_end(offset: DVec3, reach: f64, way: DVec3) -> Option<Touch> {
    let overlaps = (offset + way).length() - reach < 0.0;
    overlaps.then(|| Touch { share: 0.0, normal: direction(offset), gap: offset.length() - reach })
}

/// The same balls where they first meet on the way, or from the start where the gap is `closed`. The plane through that
/// point along the normal parts them over the whole way: a way that keeps the second beyond it keeps the balls apart.
pub(in crate::world) fn spheres_on_way(offset: DVec3, reach: f64, way: DVec3, closed: f64) -> Option<Touch> {
    let distance = offset.length();
    let gap = distance - reach;
    if gap <= closed {
        return Some(Touch { share: 0.0, normal: direction(offset), gap: open(gap, closed) });
    }
    let closing = offset.dot(way);
    // |offset + s way| = reach, the smaller root in the form that does not cancel.
    let constant = gap * (distance + reach);
    let discriminant = closing * closing - way.length_squared() * constant;
    // Comparisons that NaN does not pass.
    if !(closing < 0.0 && discriminant > 0.0) {
        return None;
    }
    let share = constant / (discriminant.sqrt() - closing);
    (share < 1.0).then(|| {
        let normal = direction(offset + share * way);
        Touch { share, normal, gap: normal.dot(offset) - reach }
    })
}

/// A gap that is nothing but rounding is none, so that what rests does so in every step alike.
fn open(gap: f64, closed: f64) -> f64 {
    if gap.abs() <= closed { 0.0 } else { gap }
}

/// A point that may not come below a plane, `gap` above it at the start: it is below it at the end of its way.
pub(in crate::world) fn plane_at_end(normal: DVec3, gap: f64, way: DVec3) -> Option<Touch> {
    (gap + normal.dot(way) < 0.0).then_some(Touch { share: 0.0, normal, gap })
}

/// The same where it meets the plane, or from the start where the gap is `closed`.
pub(in crate::world) fn plane_on_way(normal: DVec3, gap: f64, way: DVec3, closed: f64) -> Option<Touch> {
    if gap <= closed {
        return Some(Touch { share: 0.0, normal, gap: open(gap, closed) });
    }
    let closing = normal.dot(way);
    (gap + closing < 0.0).then(|| Touch { share: gap / -closing, normal, gap })
}
