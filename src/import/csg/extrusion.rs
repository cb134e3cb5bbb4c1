//! `linear_extrude` of flat shapes: prisms, frustums, cylinders and cones.
//!
//! # Conventions
//! Flat shapes are in the plane z = 0 of the extrusion, before its outer map. At the fraction u of the height a point p
//! is at ((1 + (s - 1) u) p, bottom + u height), with the scale s along x and y.

use glam::{DAffine2, DAffine3, DMat3, DVec2, DVec3};

use super::arguments::{argument, boolean, length, wrong};
use super::map::without_rounding;
use super::primitives::round;
use super::syntax::{Statement, Value};
use super::text::polyhedron_of;
use super::{CsgError, Piece};
use crate::scene::HalfSpace;

/// Edges of unequal scales stay straight along an axis: by this share of their length they may be off.
const ALONG_AXIS: f64 = 1e-9;
/// By this share of the height a round shape that is taken away stands out of both ends, if it does not end before.
const STANDING_OUT: f64 = 0.5;

/// A `linear_extrude`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extrusion {
    line: usize,
    /// z of the flat shapes.
    bottom: f64,
    /// Above 0.
    height: f64,
    /// Of the upper end, along x and y; not negative.
    scale: DVec2,
    /// What is around it.
    map: DAffine3,
}

/// Where flat shapes are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) extrusion: Extrusion,
    /// From the shapes to the plane of the extrusion.
    pub(super) map: DAffine2,
    /// True for what is taken away: it has no ends, so that nothing of what is taken away there is left as a film.
    pub(super) is_open: bool,
}

impl Extrusion {
    /// `None` for one without height.
    pub(super) fn read(statement: &Statement, map: &DAffine3) -> Result<Option<Self>, CsgError> {
        let line = statement.line;
        let height = length(statement, "height")?;
        if argument(statement, "twist").is_some() && length(statement, "twist")? != 0.0 {
            let message =
                "linear_extrude: `twist` must be 0: the sides of a twisted solid are curved as those of no solid here";
            return Err(CsgError::new(line, message));
        }
        if argument(statement, "v").is_some() {
            return Err(CsgError::new(line, "linear_extrude: `v` is not supported: without it the way is upwards"));
        }
        let scale = match argument(statement, "scale") {
            None => DVec2::ONE,
            Some(Value::Number(scale)) => DVec2::splat(*scale),
            Some(Value::List(pair)) => match pair[..] {
                [Value::Number(x), Value::Number(y)] => DVec2::new(x, y),
                _ => return Err(wrong(statement, "scale", "a number or two")),
            },
            Some(_) => return Err(wrong(statement, "scale", "a number or two")),
        };
        if !scale.is_finite() || scale.min_element() < 0.0 {
            return Err(wrong(statement, "scale", "finite and not negative"));
        }
        let bottom = if boolean(statement, "center")? { -0.5 * height } else { 0.0 };
        Ok((height > 0.0).then_some(Self { line, bottom, height, scale, map: *map }))
    }

    /// Where points of the plane are at both ends, under the map.
    pub(super) fn ends(&self, points: &[DVec2]) -> Vec<DVec3> {
        let ends = points
            .iter()
            .flat_map(|&point| [point.extend(self.bottom), (self.scale * point).extend(self.bottom + self.height)]);
        ends.map(|end| self.map.transform_point3(end)).collect()
    }
}

impl Plane {
    /// Where the shapes of an extrusion are read.
    pub(super) fn of(extrusion: Extrusion) -> Self {
        Self { extrusion, map: DAffine2::IDENTITY, is_open: false }
    }

    /// The solid of a convex polygon in the plane of the extrusion, corners counter-clockwise; without the side from the last
    /// corner to the first where that is open.
    pub(super) fn prism(&self, corners: &[DVec2], has_last_side: bool) -> Result<Piece, CsgError> {
        let Extrusion { line, bottom, height, scale, map } = self.extrusion;
        // Normals go by the inverse transposed, so that planes stay planes under any map.
        let normals = map.matrix3.inverse().transpose();
        let mapped = |normal: DVec3, point: DVec3| {
            let normal = without_rounding((normals * normal).normalize());
            HalfSpace::through(normal, map.transform_point3(point))
        };
        let mut faces = Vec::with_capacity(corners.len() + 2);
        let sides = if has_last_side { corners.len() } else { corners.len() - 1 };
        for from in 0..sides {
            let (p, q) = (corners[from], corners[(from + 1) % corners.len()]);
            let edge = q - p;
            let bend = edge.perp_dot(scale * edge).abs();
            if bend > ALONG_AXIS * scale.max_element() * edge.length_squared() {
                let message = "linear_extrude: with unequal numbers in `scale` only shapes with edges along x and y have flat \
                               sides";
                return Err(CsgError::new(line, message));
            }
            let out = DVec2::new(edge.y, -edge.x);
            // Level along the edge, and up with the corner.
            let normal = out.extend(-out.dot(scale * p - p) / height);
            faces.push(mapped(normal, p.extend(bottom)));
        }
        if !self.is_open {
            faces.push(mapped(DVec3::NEG_Z, DVec3::new(0.0, 0.0, bottom)));
            // The sides end in a point or an edge by themselves.
            if scale.min_element() > 0.0 {
                faces.push(mapped(DVec3::Z, DVec3::new(0.0, 0.0, bottom + height)));
            }
        }
        Ok(Piece::Leaf(polyhedron_of(&faces)))
    }

    /// The solid of a circle about the origin of the shapes.
    pub(super) fn disc(&self, radius: f64) -> Result<Piece, CsgError> {
        let Extrusion { line, bottom, height, scale, map } = self.extrusion;
        if scale.x != scale.y {
            let message =
                "linear_extrude: with unequal numbers in `scale` a circle becomes a solid that there is not here";
            return Err(CsgError::new(line, message));
        }
        let change = scale.x - 1.0;
        // Beyond its own end there is nothing of a cone.
        let most = |end: f64| STANDING_OUT.min(0.5 * end);
        let (below, above) = match self.is_open {
            false => (0.0, 0.0),
            true if change < 0.0 => (STANDING_OUT, most(scale.x / -change)),
            true if change > 0.0 => (most(1.0 / change), STANDING_OUT),
            true => (STANDING_OUT, STANDING_OUT),
        };
        let [r1, r2] = [-below, 1.0 + above].map(|share| radius * (1.0 + change * share));
        // The axis leans from the middle of one end to that of the other.
        let middle = self.map.translation;
        let lean = middle * change / height;
        let linear = self.map.matrix2;
        let leaning = DAffine3::from_mat3_translation(
            DMat3::from_cols(linear.x_axis.extend(0.0), linear.y_axis.extend(0.0), lean.extend(1.0)),
            (middle - lean * bottom).extend(0.0),
        );
        let whole = height * (1.0 + below + above);
        Ok(Piece::Leaf(round(bottom - below * height, whole, r1, r2, &(map * leaning))))
    }
}
