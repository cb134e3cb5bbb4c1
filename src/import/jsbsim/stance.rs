//! How a vehicle stands on its springs on flat ground.
//!
//! # Conventions
//! Body frame as in [`crate::vehicle`]. Pitch and bank are small, so that compressions are measured along Z.

use glam::{DMat3, DVec3};

/// More rounds than any vehicle needs: each one lifts wheels off or puts them down.
const MOST_ROUNDS: usize = 100;
/// Below this share of the cube of its trace, the determinant of the stiffness (lengths in units of the wheels' greatest
/// distance) says that the wheels stand on one line. A tricycle of 1 to 20 has 1e-3.
const ON_A_LINE: f64 = 1e-9;

/// A vehicle at rest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    /// Z of the ground at x = y = 0 \[m\], and its slopes along X and Y \[1\].
    plane: DVec3,
    /// Load of each foot \[N\].
    pub loads: Vec<f64>,
}

impl Stance {
    /// How deep a point is in the ground \[m\]; negative above it.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        depth(self.plane, point)
    }

    /// Nose-up pitch angle \[rad\].
    pub(super) fn pitch(&self) -> f64 {
        self.plane.y.atan()
    }
}

fn depth(plane: DVec3, point: DVec3) -> f64 {
    point.z - plane.dot(DVec3::new(1.0, point.x, point.y))
}

/// Finds it for feet (lowest points of relaxed springs, body \[m\], and their stiffness \[N/m\], positive) under a weight
/// \[N\] in the origin; `None` where the weight is not above a surface between the feet.
///
/// The elastic energy is convex and made of quadratic pieces, one for each set of feet on the ground; Newton steps from
/// piece to piece until the set holds.
pub(super) fn stance(feet: &[(DVec3, f64)], weight: f64) -> Option<Stance> {
    let reach = feet.iter().map(|(foot, _)| foot.x.abs().max(foot.y.abs())).fold(0.0, f64::max);
    let mut on_ground = vec![true; feet.len()];
    for _ in 0..MOST_ROUNDS {
        let (mut stiffness, mut moment) = (DMat3::ZERO, DVec3::new(-weight, 0.0, 0.0));
        for (&(foot, spring), _) in feet.iter().zip(&on_ground).filter(|&(_, &touches)| touches) {
            let arm = DVec3::new(1.0, foot.x / reach, foot.y / reach);
            stiffness += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * spring;
            moment += arm * (spring * foot.z);
        }
        let trace = stiffness.x_axis.x + stiffness.y_axis.y + stiffness.z_axis.z;
        let scaled = stiffness * trace.recip();
        // Not `<=`: nothing on the ground gives no number.
        if !(scaled.determinant() > ON_A_LINE) {
            return None;
        }
        let plane = scaled.inverse() * (moment / trace) * DVec3::new(1.0, reach.recip(), reach.recip());
        let now: Vec<bool> = feet.iter().map(|&(foot, _)| depth(plane, foot) > 0.0).collect();
        if now == on_ground {
            let loads = feet.iter().map(|&(foot, spring)| spring * depth(plane, foot).max(0.0)).collect();
            return Some(Stance { plane, loads });
        }
        on_ground = now;
    }
    None
}
