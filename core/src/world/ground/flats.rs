//! Flat sides for curved solids.

use std::f64::consts::PI;

use glam::DVec3;

use crate::elementary::{acos, asin, sin_cos};
use crate::scene::{Affine, Capsule, Cone, Cylinder, HalfSpace, Solid, Sphere};

/// A solid with more sides than this is refused whatever their number is: no more are made.
const MOST_DIRECTIONS: usize = 10_000;

/// Which of two solids holds the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The sides touch the solid from outside.
    Around,
    /// The corners touch it from inside.
    Within,
}

impl Fit {
    /// What an angle of so much between sides and corners leaves of a radius, as the distance of the sides.
    fn side(self, radius: f64, angle: f64) -> f64 {
        match self {
            Self::Around => radius,
            Self::Within => radius * sin_cos(angle).1,
        }
    }

    /// The largest angle between the middle of a side and a corner for which neither is farther than the tolerance from a
    /// circle.
    fn widest(self, radius: f64, tolerance: f64) -> f64 {
        match self {
            Self::Around => acos(radius / (radius + tolerance)),
            Self::Within => acos((1.0 - tolerance / radius).clamp(0.0, 1.0)),
        }
    }

    /// Directions of unit length across an axis, and the angle between the middles of sides and the corners.
    fn around(self, axis: DVec3, radius: f64, tolerance: f64) -> (impl Iterator<Item = DVec3>, f64) {
        let count = (PI / self.widest(radius, tolerance)).ceil().max(3.0);
        let (first, second) = axis.any_orthonormal_pair();
        let direction = move |number: i32| {
            let (sine, cosine) = sin_cos(2.0 * PI * f64::from(number) / count);
            cosine * first + sine * second
        };
        ((0..count.min(MOST_DIRECTIONS as f64) as i32).map(direction), PI / count)
    }
}

/// Solids that are convex and have flat sides or one curvature: their union is the solid. A capsule is a cylinder between
/// balls.
pub(super) fn simple(solid: &Solid) -> Vec<Solid> {
    match solid {
        Solid::Capsule(Capsule { from, to, radius }) => {
            let ball = |center: &DVec3| Solid::Sphere(Sphere { center: *center, radius: *radius });
            let along = *to - *from;
            let between = along.try_normalize().map(|axis| {
                let half_height = Some(0.5 * along.length());
                Solid::Cylinder(Cylinder { center: *from + 0.5 * along, axis, radius: *radius, half_height })
            });
            [ball(from), ball(to)].into_iter().chain(between).collect()
        }
        Solid::Stretched(stretched) => {
            let map = Affine::new(stretched.from_local, stretched.center);
            match simple(&stretched.base) {
                pieces if pieces.len() == 1 => vec![solid.clone()],
                pieces => pieces.iter().map(|piece| piece.transformed(&map)).collect(),
            }
        }
        _ => vec![solid.clone()],
    }
}

/// Half spaces whose intersection is this solid but for less than the tolerance \[m\], inside a room of these corners \[m\].
pub(super) fn flats(solid: &Solid, fit: Fit, tolerance: f64, room: &[DVec3]) -> Vec<HalfSpace> {
    match solid {
        Solid::HalfSpace(half_space) => vec![*half_space],
        Solid::Sphere(Sphere { center, radius }) => {
            let (directions, angle) = over_ball(fit.widest(*radius, tolerance));
            let side = fit.side(*radius, angle);
            directions.iter().map(|normal| HalfSpace { normal: *normal, offset: normal.dot(*center) + side }).collect()
        }
        Solid::Cylinder(Cylinder { center, axis, radius, half_height }) => {
            let (directions, angle) = fit.around(*axis, *radius, tolerance);
            let side = |normal: DVec3| HalfSpace { normal, offset: normal.dot(*center) + fit.side(*radius, angle) };
            let cap = |half: f64, normal: DVec3| HalfSpace { normal, offset: normal.dot(*center) + half };
            let caps = half_height.map(|half| [cap(half, *axis), cap(half, -*axis)]);
            directions.map(side).chain(caps.into_iter().flatten()).collect()
        }
        Solid::Cone(Cone { base, axis, radius, slope, height }) => {
            let highest = room.iter().map(|corner| (*corner - *base).dot(*axis)).fold(0.0, f64::max);
            let widest = radius.max(radius + slope * height.unwrap_or(highest));
            let (directions, angle) = fit.around(*axis, widest, tolerance);
            let side = |direction: DVec3| {
                let normal = direction - fit.side(*slope, angle) * *axis;
                HalfSpace { normal, offset: normal.dot(*base) + fit.side(*radius, angle) }
            };
            let cap = |normal: DVec3, above: f64| HalfSpace { normal, offset: normal.dot(*base) + above };
            let caps = height.map(|height| [cap(*axis, height), cap(-*axis, 0.0)]);
            directions.map(side).chain(caps.into_iter().flatten()).collect()
        }
        Solid::Stretched(stretched) => {
            let map = Affine::new(stretched.from_local, stretched.center);
            let room: Vec<DVec3> =
                room.iter().map(|corner| stretched.to_local * (*corner - stretched.center)).collect();
            let local = flats(&stretched.base, fit, tolerance / map.stretch(), &room);
            local.iter().map(|half_space| half_space.transformed(&map)).collect()
        }
        Solid::Capsule(_) => unreachable!("a capsule is two balls and a cylinder"),
    }
}

/// Directions of unit length of which one is within an angle \[rad\] of any other direction, in rings about the poles, and the
/// angle that they reach.
fn over_ball(widest: f64) -> (Vec<DVec3>, f64) {
    for rings in 2.. {
        let apart = PI / f64::from(rings);
        let (mut directions, mut reached) = (vec![DVec3::Z, DVec3::NEG_Z], 0.5 * apart);
        for ring in 1..rings {
            let angle = apart * f64::from(ring);
            let (across, height) = sin_cos(angle);
            let count = (2.0 * PI * across / apart).ceil();
            // What is farthest from a ring in its band lies towards the equator, half way between two directions.
            let edge = if angle < 0.5 * PI { angle + 0.5 * apart } else { angle - 0.5 * apart };
            let sine = |angle: f64| sin_cos(angle).0;
            let beside = across * sine(edge) * sine(0.5 * PI / count).powi(2);
            let haversine = sine(0.25 * apart).powi(2) + beside;
            reached = f64::max(reached, 2.0 * asin(haversine.sqrt()));
            directions.extend((0..count as i32).map(|number| {
                let (sine, cosine) = sin_cos(2.0 * PI * f64::from(number) / count);
                DVec3::new(across * cosine, across * sine, height)
            }));
        }
        if reached <= widest || directions.len() > MOST_DIRECTIONS {
            return (directions, reached);
        }
    }
    unreachable!("some number of rings is enough")
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;

    fn number(min: f64, max: f64) -> impl Strategy<Value = f64> {
        min..max
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array)
    }

    fn solid() -> impl Strategy<Value = Solid> {
        let axis = vector().prop_filter_map("needs a direction", DVec3::try_normalize);
        let round = (0..4, vector(), axis, number(0.05, 1.0), number(0.05, 1.0), number(-0.9, 0.9));
        round.prop_map(|(kind, center, axis, radius, half, slope)| match kind {
            0 => Solid::Sphere(Sphere { center, radius }),
            1 => Solid::Cylinder(Cylinder { center, axis, radius, half_height: Some(half) }),
            2 => Solid::Cone(Cone { base: center, axis, radius, slope: slope * radius / half, height: Some(half) }),
            _ => Solid::Cone(Cone { base: center, axis, radius: 0.0, slope: 0.1 + half, height: None }),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn flat_sides_hold_a_solid_or_are_held_and_are_within_the_tolerance(
            solid in solid(),
            scale in [0.3..2.0, 0.3..2.0, 0.3..2.0].prop_map(DVec3::from_array),
            turn in vector(),
            tolerance in 0.01..0.4,
            points in prop::collection::vec(vector(), 50),
        ) {
            let map = Affine::rigid(DQuat::from_scaled_axis(turn), turn)
                .after(&Affine::new(glam::DMat3::from_diagonal(scale), DVec3::ZERO));
            let corner = |number: u8| f64::from(number & 1) * DVec3::X + f64::from(number >> 1 & 1) * DVec3::Y + f64::from(number >> 2) * DVec3::Z;
            for (solid, map) in [(solid.transformed(&map), map), (solid.clone(), Affine::IDENTITY)] {
                let room: Vec<DVec3> = (0..8).map(|number| map.point(4.0 * corner(number) - 2.0)).collect();
                let around = flats(&solid, Fit::Around, tolerance, &room);
                let within = flats(&solid, Fit::Within, tolerance, &room);
                for point in points.iter().map(|point| map.point(1.5 * *point)) {
                    let is_in = |sides: &[HalfSpace]| sides.iter().all(|side| side.distance(point) <= 1e-9);
                    let distance = solid.distance(point);
                    prop_assert!(distance > 0.0 || is_in(&around), "{point} in {solid}");
                    prop_assert!(distance <= 1e-9 || !is_in(&within), "{point} not in {solid}");
                    prop_assert!(!is_in(&around) || distance <= tolerance + 1e-9, "{point} is {distance} from {solid}");
                    prop_assert!(distance >= -tolerance || is_in(&within), "{point} is {distance} from {solid}");
                }
            }
        }
    }

    #[test]
    fn a_cylinder_has_as_few_sides_as_its_tolerance_allows() {
        let rod =
            Solid::Cylinder(Cylinder { center: DVec3::ZERO, axis: DVec3::Z, radius: 1.0, half_height: Some(2.0) });
        // A hexagon around a circle reaches 2/sqrt(3), one within it has its sides at sqrt(3)/2.
        for (fit, tolerance) in [(Fit::Around, 2.0 / 3f64.sqrt() - 1.0), (Fit::Within, 1.0 - 3f64.sqrt() / 2.0)] {
            assert_eq!(flats(&rod, fit, 1.0001 * tolerance, &[]).len(), 8);
            assert_eq!(flats(&rod, fit, 0.9999 * tolerance, &[]).len(), 9);
        }
    }
}
