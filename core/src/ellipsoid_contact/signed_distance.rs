//! Signed distance of two ellipsoids: their gap, or the smallest separating translation.
//!
//! The gap between the tangent planes with unit normal n is s(n) = R.n - a(n) - b(n), a and b the widths of the bodies.
//! Its maximum is the distance if positive; then it is unique. Otherwise it is minus the smallest separating
//! translation, and there may be several local maxima: each is climbed by Newton's method on the sphere, from starting
//! points all around, and the highest counts.
//!
//! For thin bodies the gap has edges, on which Newton's method fails. So thickened bodies, whose gap is smooth, are
//! climbed first, and each maximum is the start of the climb for thinner ones, down to the original bodies. On that way one
//! of several maxima may be missed, which a climb of the original bodies from the same start may find: both are tried.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

use glam::{DMat3, DVec3};

use super::{Body, touch};
use crate::query::{ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, SignedDistance};

/// Each thickened pair is thinner by this factor than the one before.
const THINNER: f64 = 0.1;
/// The curvature that a height gets which is not curved down, as a part of that in other directions.
const LIFT: f64 = 1e-3;
/// Steps of a climb, at most.
const STEPS: usize = 100;
/// A climb ends where the slope, in units of the sizes that are added up, is that of rounding.
const FLAT: f64 = 4.0 * f64::EPSILON;
/// Halvings of a step that does not rise: what is left is below rounding.
const HALVINGS: usize = 40;

impl EllipsoidPair {
    /// The signed distance of a valid pair. For overlapping bodies the result is the best of many starts, without proof
    /// that it is the global optimum.
    #[must_use]
    pub fn signed_distance(&self) -> SignedDistance {
        // In units of the largest semi-axis, so that squares stay in range.
        let unit = self.a.semi_axes.max(self.b.semi_axes).max_element();
        let thickened: Vec<Gap> = thicknesses(self, unit).map(|least| Gap::new(self, unit, least)).collect();
        let gap = Gap::new(self, unit, 0.0);
        let climb = |start: DVec3| {
            let thinned = gap.climb(thickened.iter().fold(start, |normal, gap| gap.climb(normal)));
            if thickened.is_empty() { thinned } else { gap.higher(thinned, gap.climb(start)) }
        };
        let mut best = climb(gap.starts().next().unwrap_or(DVec3::X));
        // Of needles and discs both may miss the maximum above the contact's own normal.
        if let Some(start) = contact_normal(self) {
            best = gap.higher(best, gap.climb(start));
        }
        // Above 0 no other maximum exists.
        if gap.at(best) <= 0.0 {
            for start in gap.starts().skip(1) {
                best = gap.higher(best, climb(start));
            }
        }
        SignedDistance {
            distance: gap.at(best) * unit,
            normal: best,
            points: [self.a.farthest(best), self.b.farthest(-best)],
        }
    }
}

/// The result for a valid pair with coincident centres.
pub fn concentric_contact(pair: &EllipsoidPair) -> EllipsoidContact {
    let SignedDistance { distance, normal, .. } = pair.signed_distance();
    let (point, nothing) = (pair.a.center, EllipsoidContact::none(ContactStatus::Degenerate));
    EllipsoidContact { lambda: 0.5, normal, point, separation: distance, ..nothing }
}

/// The normal of a valid pair's contact, if it has one.
fn contact_normal(pair: &EllipsoidPair) -> Option<DVec3> {
    let between = pair.b.center - pair.a.center;
    let touch = touch(&body(&pair.a), &body(&pair.b), between.to_array(), 0.0);
    (touch.converged && !touch.concentric).then(|| DVec3::from_array(touch.normal))
}

/// The body of an ellipsoid.
pub(super) fn body(ellipsoid: &Ellipsoid) -> Body<f64> {
    Body::new(ellipsoid.rotation.to_array(), ellipsoid.semi_axes.to_array())
}

/// Least semi-axes of thickened bodies, in units of the longest, from thick to thin.
fn thicknesses(pair: &EllipsoidPair, unit: f64) -> impl Iterator<Item = f64> {
    let thinnest = pair.a.semi_axes.min(pair.b.semi_axes).min_element() / unit;
    std::iter::successors(Some(THINNER), |least| Some(least * THINNER)).take_while(move |&least| least > thinnest)
}

/// The width h(n) of an ellipsoid along unit vectors, from its centre.
struct Width {
    axes: DMat3,
    semi_axes: DVec3,
}

impl Width {
    /// Of an ellipsoid with semi-axes of at least `least`.
    fn new(ellipsoid: &Ellipsoid, unit: f64, least: f64) -> Self {
        Self { axes: ellipsoid.axes(), semi_axes: (ellipsoid.semi_axes / unit).max(DVec3::splat(least)) }
    }

    /// The normal along the body's axes, each stretched by its half length. Its length is the width.
    fn stretched(&self, normal: DVec3) -> DVec3 {
        self.axes.transpose() * normal * self.semi_axes
    }

    /// The point of the surface with this outward normal, from the centre: the slope of the width.
    fn farthest(&self, normal: DVec3) -> DVec3 {
        let stretched = self.stretched(normal);
        self.axes * (stretched / stretched.length() * self.semi_axes)
    }

    /// How the slope of the width changes.
    fn curvature(&self, normal: DVec3) -> DMat3 {
        let stretched = self.stretched(normal);
        let half_turned = self.axes * DMat3::from_diagonal(self.semi_axes);
        let (length, unit) = (stretched.length(), stretched.normalize());
        let outer = DMat3::from_cols(unit * unit.x, unit * unit.y, unit * unit.z);
        half_turned * ((DMat3::IDENTITY - outer) * (1.0 / length)) * half_turned.transpose()
    }
}

/// The gap between tangent planes, as a function of their normal.
struct Gap {
    between: DVec3,
    a: Width,
    b: Width,
}

impl Gap {
    fn new(pair: &EllipsoidPair, unit: f64, least: f64) -> Self {
        Self {
            between: (pair.b.center - pair.a.center) / unit,
            a: Width::new(&pair.a, unit, least),
            b: Width::new(&pair.b, unit, least),
        }
    }

    fn at(&self, normal: DVec3) -> f64 {
        self.between.dot(normal) - self.a.stretched(normal).length() - self.b.stretched(normal).length()
    }

    /// The one of two normals that has the wider gap.
    fn higher(&self, best: DVec3, other: DVec3) -> DVec3 {
        if self.at(other) > self.at(best) { other } else { best }
    }

    /// Where to climb from: the line of centres, then the axes of both bodies and the normals of pairs of them, in both
    /// directions (as the faces and edges of the boxes around them).
    fn starts(&self) -> impl Iterator<Item = DVec3> {
        let axes = |width: &Width| [width.axes.x_axis, width.axes.y_axis, width.axes.z_axis];
        let (a, b) = (axes(&self.a), axes(&self.b));
        let crosses = a.into_iter().flat_map(move |one| b.into_iter().map(move |other| one.cross(other)));
        let all = [self.between].into_iter().chain(a).chain(b).chain(crosses);
        all.filter_map(DVec3::try_normalize).flat_map(|start| [start, -start])
    }

    /// The maximum above a unit vector.
    fn climb(&self, mut normal: DVec3) -> DVec3 {
        let mut height = self.at(normal);
        for _ in 0..STEPS {
            let slope = self.between - self.a.farthest(normal) - self.b.farthest(normal);
            let (east, north) = normal.any_orthonormal_pair();
            let (x, y) = (slope.dot(east), slope.dot(north));
            if x.abs().max(y.abs()) <= FLAT * (1.0 + self.between.length()) {
                break;
            }
            // The sphere's own curvature adds the height: both widths are homogeneous.
            let curvature = self.a.curvature(normal) + self.b.curvature(normal);
            let along = [curvature * east, curvature * north];
            let (xx, xy, yy) = (east.dot(along[0]) + height, east.dot(along[1]), north.dot(along[1]) + height);
            // Where the height is not curved down in all directions it is taken for curved enough to be.
            let (middle, spread) = (0.5 * (xx + yy), (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt());
            let least = middle - spread;
            let scale = middle.abs() + spread;
            let lift = if least > f64::EPSILON * scale { 0.0 } else { LIFT * scale - least };
            let (xx, yy) = (xx + lift, yy + lift);
            let determinant = xx * yy - xy * xy;
            let step = east * ((yy * x - xy * y) / determinant) + north * ((xx * y - xy * x) / determinant);
            // No farther than a quarter of a right angle: beyond, the sphere is another.
            let step = step.clamp_length_max(0.4);
            let mut factor = 1.0;
            let risen = (0..HALVINGS).find_map(|_| {
                let next = (normal + step * factor).normalize();
                factor *= 0.5;
                let higher = self.at(next);
                (higher > height).then_some((next, higher))
            });
            let Some(next) = risen else {
                break;
            };
            (normal, height) = next;
        }
        normal
    }
}
