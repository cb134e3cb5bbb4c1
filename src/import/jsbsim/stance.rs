//! How a vehicle stands on its springs on flat ground.
//!
//! # Conventions
//! Body frame as in [`crate::vehicle`]. Pitch and bank are small: compressions are measured along Z, and levers along X and
//! Y, which leaves out how far the centre of gravity leans over the wheels (its height times the angle).

use glam::{DMat3, DVec3};

/// Newton needs some ten rounds; a vehicle that falls over never ends.
const MOST_ROUNDS: usize = 100;
/// Halvings that find the end of a round's step to the last bit.
const HALVINGS: usize = 60;
/// Forces and moments that are left at rest, as a share of the weight.
const AT_REST: f64 = 1e-12;
/// Stiffness that keeps the rounds going while too few feet touch, as a share of all feet's.
const LEAST_STIFFNESS: f64 = 1e-9;
/// Below this share of the cube of its trace, the determinant of the stiffness (lengths in units of the wheels' greatest
/// distance) says that the wheels on the ground stand on one line. A tricycle of 1 to 20 has 1e-3.
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
/// It is where the energy of springs and weight is least. That is convex and made of quadratic pieces, one for each set of
/// feet on the ground; Newton goes from piece to piece, each time as far as the energy falls.
pub(super) fn stance(feet: &[(DVec3, f64)], weight: f64) -> Option<Stance> {
    let reach = feet.iter().map(|(foot, _)| foot.x.abs().max(foot.y.abs())).fold(0.0, f64::max);
    let arms: Vec<_> = feet.iter().map(|(foot, _)| DVec3::new(1.0, foot.x / reach, foot.y / reach)).collect();
    let scale = DVec3::new(1.0, reach.recip(), reach.recip());
    let total: f64 = feet.iter().map(|(_, spring)| spring).sum();
    let on_ground =
        |plane: DVec3| feet.iter().zip(&arms).filter(move |((foot, _), _)| depth(plane * scale, *foot) > 0.0);
    // Force and moments that are left: the energy's slope.
    let slope = |plane: DVec3| {
        on_ground(plane).fold(DVec3::new(weight, 0.0, 0.0), |sum, ((foot, spring), arm)| {
            sum - *arm * (spring * depth(plane * scale, *foot))
        })
    };
    let mut plane = DVec3::ZERO;
    for _ in 0..MOST_ROUNDS {
        let stiffness = on_ground(plane).fold(DMat3::ZERO, |sum, ((_, spring), arm)| {
            sum + DMat3::from_cols(*arm * arm.x, *arm * arm.y, *arm * arm.z) * *spring
        });
        let left = slope(plane);
        if left.length() <= AT_REST * weight {
            let plane = plane * scale;
            let trace = stiffness.x_axis.x + stiffness.y_axis.y + stiffness.z_axis.z;
            let loads = feet.iter().map(|&(foot, spring)| spring * depth(plane, foot).max(0.0)).collect();
            return ((stiffness * trace.recip()).determinant() > ON_A_LINE).then_some(Stance { plane, loads });
        }
        let step = (stiffness + DMat3::from_diagonal(DVec3::splat(LEAST_STIFFNESS * total))).inverse() * -left;
        let (mut near, mut far) = (0.0, 1.0);
        if slope(plane + step).dot(step) > 0.0 {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (near + far);
                let falls = slope(plane + step * middle).dot(step) <= 0.0;
                *(if falls { &mut near } else { &mut far }) = middle;
            }
        }
        plane += step * far;
    }
    None
}
