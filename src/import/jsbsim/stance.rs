//! Equilibrium of a vehicle on its springs on flat ground.
//!
//! # Conventions
//! Body frame as in [`crate::vehicle`]. The ground is level and pushes straight up: a wheel that is free to roll takes no
//! other force for long. What its springs make of that push is a deflection along the strut and, since the strut leans, one
//! across it.

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::spring::{Pressed, Spring};

/// Rounds of Newton; a dozen is usual, and a vehicle that has to sit down on its tail first needs some forty.
const MAX_ROUNDS: usize = 500;
/// Forces, and moments over the wheels' reach, that are left at rest, as a share of the weight. A depth is a difference of
/// lengths of metres, known to 1e-15 m: 1e-12 of what presses a stiff spring by a millimetre.
const AT_REST: f64 = 1e-10;
/// Bank of the first guess \[rad\]: a vehicle that balances on its middle wheels must fall to one side.
const FIRST_BANK: f64 = 1e-4;
/// A vehicle that leans by more than this has fallen over: cosine of 60 degrees.
const FALLEN: f64 = 0.5;
/// Below this share of all wheels' stiffness a tilt is not held: it stands on a line, or balances. A tricycle of 1 to 20
/// has 1e-3.
const UNHELD: f64 = 1e-9;
/// Slope of a level line of a table, as a share of its steepest.
const LEVEL: f64 = 1e-9;
/// Damping of the first round, and the least and the most that later ones take, as shares of all wheels' stiffness.
const DAMPING: f64 = 1e-2;
const MIN_DAMPING: f64 = 1e-15;
const MAX_DAMPING: f64 = 1e15;

/// What a wheel stands on.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// Lowest point of the relaxed tyre, body \[m\].
    pub place: DVec3,
    /// Along Z.
    pub spring: Spring,
    /// Stiffness along X and Y \[N/m\], positive.
    pub horizontal_spring: f64,
}

/// A vehicle at rest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    /// Unit vector downwards, body.
    down: DVec3,
    /// Height of the centre of gravity above the ground \[m\].
    height: f64,
    /// What the ground gives each foot, straight up \[N\].
    pub loads: Vec<f64>,
}

impl Stance {
    /// How deep a point is in the ground \[m\]; negative above it.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        self.down.dot(point) - self.height
    }

    /// Nose-up pitch angle \[rad\].
    pub(super) fn pitch(&self) -> f64 {
        (-self.down.x).asin()
    }

    /// Bank angle, right wing down \[rad\].
    pub(super) fn bank(&self) -> f64 {
        self.down.y.atan2(self.down.z)
    }
}

/// Finds it for feet under a weight \[N\] in the origin; `None` where the vehicle falls over.
///
/// It is where the energy of springs and weight is least: E = W h + sum of U(D, d) over the feet on the ground, with h the
/// height of the centre of gravity, d the unit vector downwards, D = d.f - h the depth of a relaxed foot f, and U what its
/// springs hold when they give way by u, where d.u = D, under a push straight up. Then dU/dD = N is its load, so that
/// dE/dh = W - sum of N, and dE/dd = sum of N (f - u): the moments of the loads where they act, at any angle. Newton's steps are damped so far that
/// the energy falls (Levenberg and Marquardt); on the sphere of d its second derivatives along tangents are those in space
/// less d.dE/dd (Absil, Mahony and Sepulchre, Optimization Algorithms on Matrix Manifolds, section 5).
pub(super) fn stance(feet: &[Foot], weight: f64) -> Option<Stance> {
    let stiffness: f64 = feet.iter().map(|foot| foot.spring.greatest_slope()).sum();
    let reach = feet.iter().map(|foot| foot.place.truncate().length()).fold(0.0, f64::max);
    if reach <= 0.0 {
        return None;
    }
    let down = DVec3::new(0.0, FIRST_BANK, 1.0).normalize();
    let lowest = feet.iter().map(|foot| down.dot(foot.place)).fold(f64::NEG_INFINITY, f64::max);
    let mut at = Pose { down, height: lowest - weight / stiffness };
    let mut now = Balance::new(feet, weight, reach, &at);
    let mut damping = DAMPING;
    for _ in 0..MAX_ROUNDS {
        if now.slope.length() <= AT_REST * weight {
            let held = now.curvature * stiffness.recip();
            return is_positive(held, UNHELD).then(|| Stance {
                down: at.down,
                height: at.height,
                loads: feet.iter().map(|foot| Loaded::new(foot, &at).map_or(0.0, |loaded| loaded.load)).collect(),
            });
        }
        let damped = now.curvature + DMat3::from_diagonal(DVec3::splat(damping * stiffness));
        let next = is_positive(damped * stiffness.recip(), 0.0).then(|| at.moved(damped.inverse() * -now.slope, reach));
        let better = next.filter(|next| next.down.z >= FALLEN).and_then(|next| {
            let then = Balance::new(feet, weight, reach, &next);
            // Near rest the energy's own rounding hides its fall, and the slope tells.
            let rounding = f64::EPSILON * now.energy.abs().max(then.energy.abs());
            let falls = then.energy < now.energy - rounding
                || then.energy <= now.energy + rounding && then.slope.length() < now.slope.length();
            falls.then_some((next, then))
        });
        if let Some((next, then)) = better {
            (at, now) = (next, then);
            damping = (0.1 * damping).max(MIN_DAMPING);
        } else {
            damping *= 4.0;
            if damping > MAX_DAMPING {
                return None;
            }
        }
    }
    None
}

/// Where the ground is.
#[derive(Clone, Copy)]
struct Pose {
    down: DVec3,
    height: f64,
}

impl Pose {
    /// Two unit vectors across the vertical, and across each other.
    fn tangents(&self) -> [DVec3; 2] {
        // The vertical is nearer to Z than to Y: FALLEN.
        let first = self.down.cross(DVec3::Y).normalize();
        [first, self.down.cross(first)]
    }

    /// Raised by the first component \[m\] and tilted along the tangents by the others \[m at the wheels' reach\].
    fn moved(&self, step: DVec3, reach: f64) -> Self {
        let [first, second] = self.tangents();
        let down = self.down + (first * step.y + second * step.z) / reach;
        Self { down: down.normalize(), height: self.height + step.x }
    }
}

/// What is left of forces and moments in a pose.
struct Balance {
    /// \[J\].
    energy: f64,
    /// Of the energy, by height and tilts as in [`Pose::moved`] \[N\].
    slope: DVec3,
    /// The slope's own derivatives \[N/m\].
    curvature: DMat3,
}

impl Balance {
    fn new(feet: &[Foot], weight: f64, reach: f64, at: &Pose) -> Self {
        let tangents = at.tangents();
        let along =
            |height: f64, tilt: DVec3| DVec3::new(height, tangents[0].dot(tilt) / reach, tangents[1].dot(tilt) / reach);
        let mut energy = weight * at.height;
        let mut slope = DVec3::X * weight;
        let mut curvature = DMat3::ZERO;
        for foot in feet {
            let Some(Loaded { load, deflection, compliances, energy: stored }) = Loaded::new(foot, at) else {
                continue;
            };
            energy += stored;
            slope += load * along(-1.0, foot.place - deflection);
            // N grows with D by one over q = d.C d, C the compliances along the axes, and with d along f - u - N C d.
            let compliance = at.down.dot(compliances * at.down);
            let growth = along(-1.0, foot.place - deflection - load * compliances * at.down);
            curvature += outer(growth) * compliance.recip();
            // What is left of U's second derivatives, -N^2 C, and the curve of the sphere: N d.(f - u) = N h.
            let tilts = DMat2::from_cols(
                DVec2::new(tangents[0].dot(compliances * tangents[0]), tangents[1].dot(compliances * tangents[0])),
                DVec2::new(tangents[0].dot(compliances * tangents[1]), tangents[1].dot(compliances * tangents[1])),
            ) * (load * load)
                + DMat2::from_diagonal(DVec2::splat(load * at.height));
            let tilts = tilts * (reach * reach).recip();
            curvature -= DMat3::from_cols(
                DVec3::ZERO,
                DVec3::new(0.0, tilts.x_axis.x, tilts.x_axis.y),
                DVec3::new(0.0, tilts.y_axis.x, tilts.y_axis.y),
            );
        }
        Self { energy, slope, curvature }
    }
}

/// A foot that is pushed straight up.
struct Loaded {
    /// \[N\].
    load: f64,
    /// How far its springs give way, body \[m\].
    deflection: DVec3,
    /// By how much they give way further, along the axes \[m/N\].
    compliances: DVec3,
    /// \[J\].
    energy: f64,
}

impl Loaded {
    /// `None` above the ground.
    fn new(foot: &Foot, at: &Pose) -> Option<Self> {
        let depth = at.down.dot(foot.place) - at.height;
        if depth <= 0.0 {
            return None;
        }
        let across = at.down.truncate();
        // D = d_z u_z + |d_xy|^2 N / k_xy, and N d_z is the strut's force.
        let horizontal = foot.horizontal_spring.recip();
        let tyre = across.length_squared() * horizontal / at.down.z;
        let compression = foot.spring.compression_at(depth, at.down.z, tyre);
        let Pressed { force, slope, energy } = foot.spring.at(compression);
        let load = force / at.down.z;
        Some(Self {
            load,
            deflection: (across * (load * horizontal)).extend(compression),
            // Where a table's line is level, as good as.
            compliances: DVec3::new(horizontal, horizontal, slope.max(LEVEL * foot.spring.greatest_slope()).recip()),
            energy: energy + 0.5 * across.length_squared() * horizontal * load * load,
        })
    }
}

fn outer(arm: DVec3) -> DMat3 {
    DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z)
}

/// Whether all leading minors of a symmetric matrix are above a bound: then it is positive definite (Sylvester).
fn is_positive(matrix: DMat3, bound: f64) -> bool {
    let plane = matrix.x_axis.x * matrix.y_axis.y - matrix.x_axis.y * matrix.y_axis.x;
    matrix.x_axis.x > bound && plane > bound && matrix.determinant() > bound
}

#[cfg(test)]
mod tests;
