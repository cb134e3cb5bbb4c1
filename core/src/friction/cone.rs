//! The friction cone, and the distance of an impulse-velocity pair from Coulomb's law.

use glam::{DMat3, DVec3};

/// `|x_T|` of a vector with the normal component in x.
pub(super) fn tangential_length(x: DVec3) -> f64 {
    (x.y * x.y + x.z * x.z).sqrt()
}

/// The nearest point of the cone `|r_T| <= mu r_N`, with the normal component in x.
#[must_use]
pub fn project(r: DVec3, friction: f64) -> DVec3 {
    let tangential = tangential_length(r);
    // The polar cone first: without friction, the cone is a ray and what lies behind its end is in both inequalities.
    if friction * tangential <= -r.x {
        return DVec3::ZERO;
    }
    if tangential <= friction * r.x {
        return r;
    }
    let normal = (r.x + friction * tangential) / (1.0 + friction * friction);
    let factor = friction * normal / tangential;
    DVec3::new(normal, factor * r.y, factor * r.z)
}

/// Natural map of an impulse r and a velocity u: `r - P(r - rho (u + mu |u_T| e_N))`, with P the projection onto the
/// cone. It is zero if and only if Coulomb's law with Signorini's condition holds (De Saxce and Feng 1998), for any
/// positive rho, an impulse over a velocity.
#[must_use]
pub fn natural_map(r: DVec3, u: DVec3, friction: f64, rho: f64) -> DVec3 {
    let associated = DVec3::new(u.x + friction * tangential_length(u), u.y, u.z);
    r - project(r - rho * associated, friction)
}

/// Alart and Curnier's projection (1991), which has the same fixed points and is simpler to differentiate: the normal component onto
/// those that push, and the tangential one onto the disc that friction allows with it.
pub(super) fn project_parts(r: DVec3, friction: f64) -> DVec3 {
    let (normal, length) = (r.x.max(0.0), tangential_length(r));
    let radius = friction * normal;
    let factor = if length <= radius { 1.0 } else { radius / length };
    DVec3::new(normal, factor * r.y, factor * r.z)
}

/// Its derivative: the columns.
pub(super) fn slope_of_parts(r: DVec3, friction: f64) -> DMat3 {
    let length = tangential_length(r);
    if r.x <= 0.0 {
        return DMat3::ZERO;
    }
    if friction == 0.0 {
        return DMat3::from_diagonal(DVec3::X);
    }
    if length <= friction * r.x {
        return DMat3::IDENTITY;
    }
    let along = DVec3::new(0.0, r.y, r.z) / length;
    let across = DVec3::new(0.0, -along.z, along.y);
    // The radius grows with the normal, and the direction turns with the tangents.
    let turning = friction * r.x / length;
    DMat3::from_cols(DVec3::X + friction * along, across * (turning * across.y), across * (turning * across.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_are_the_nearest_points_of_the_cone() {
        // A grid of the plane through the axis and the point: nothing on it is nearer, and something is about as near.
        let step = 1e-3;
        for friction in [0.0, 0.1, 0.7, 3.0] {
            for r in [(1.0, 0.2), (1.0, 0.9), (-0.3, 0.8), (-1.0, 0.3), (0.0, 1.0), (0.5, 0.0), (-0.5, 0.0)] {
                let found = project(DVec3::new(r.0, 0.6 * r.1, 0.8 * r.1), friction);
                let tangential = 0.6 * found.y + 0.8 * found.z;
                let distance = (found.x - r.0).hypot(tangential - r.1);
                let mut least = f64::INFINITY;
                for i in 0..2000 {
                    for j in 0..2000 {
                        let (normal, along) = (f64::from(i) * step, f64::from(j) * step);
                        if along <= friction * normal {
                            least = least.min((normal - r.0).hypot(along - r.1));
                        }
                    }
                }
                assert!(
                    tangential_length(found) <= friction * found.x * (1.0 + 4.0 * f64::EPSILON),
                    "{friction} {r:?}"
                );
                assert!(distance <= least + 1e-15 && least <= distance + 2.0 * step, "{friction} {r:?}: {found}");
            }
        }
    }

    #[test]
    fn the_natural_map_vanishes_under_coulombs_law_alone() {
        let holds = |r: (f64, f64, f64), u: (f64, f64, f64)| {
            natural_map(DVec3::from(r), DVec3::from(u), 0.5, 2.0).length() <= 1e-15
        };
        // Apart, sticking, sliding against the force.
        assert!(holds((0.0, 0.0, 0.0), (0.3, 5.0, -1.0)));
        assert!(holds((2.0, 0.3, -0.4), (0.0, 0.0, 0.0)));
        assert!(holds((2.0, 0.6, -0.8), (0.0, -3.0, 4.0)));
        // Approaching, pulling, sliding along the force, within the cone, while parting.
        assert!(!holds((0.0, 0.0, 0.0), (-0.3, 0.0, 0.0)));
        assert!(!holds((-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)));
        assert!(!holds((2.0, 0.6, -0.8), (0.0, 3.0, -4.0)));
        assert!(!holds((2.0, 0.3, -0.4), (0.0, -3.0, 4.0)));
        assert!(!holds((2.0, 0.6, -0.8), (0.1, -3.0, 4.0)));
    }

    #[test]
    fn the_slope_of_the_projection_of_parts_is_that_of_its_differences() {
        let step = 1e-6;
        for friction in [0.0, 0.3, 2.0] {
            // Apart, sticking and sliding; without friction, tangents of any length.
            for r in [[-1.0, 0.4, 0.3], [1.0, 0.05, -0.1], [1.0, 3.0, -4.0], [1.0, 0.0, 0.0]] {
                let r = DVec3::from_array(r);
                let slope = slope_of_parts(r, friction);
                for (axis, found) in DVec3::AXES.into_iter().zip([slope.x_axis, slope.y_axis, slope.z_axis]) {
                    let ends = [step, -step].map(|way| project_parts(r + way * axis, friction));
                    let expected = (ends[0] - ends[1]) / (2.0 * step);
                    assert!((found - expected).length() < 1e-8, "{friction} {r}: {found} {expected}");
                }
            }
        }
    }
}
