//! Cars on springs and dampers, with tyres that hold them to their way.
//!
//! A tyre's lateral force follows its slip, the lateral share of the wheel's velocity, with a lag: `T f' + f = -C slip`. For
//! slip angles that are not large this is the linear tyre. Wheels roll freely: nothing drives or brakes. Springs and
//! dampers push their assembly points upwards and do not pull; forces of tyres act on the ground below these.
//!
//! # Conventions
//! As in [`super`]. Wheels: front left, front right, rear left, rear right.

mod rates;

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::equilibrium::equilibrium;
use super::formation::Placed;
use super::law::Law;
use super::model::CarModel;
use super::pseudo_rigid::PseudoRigid;
use crate::deformation::current_ellipsoid;
use crate::elementary::{asin, atan2, direction, rotation};
use crate::query::SIDES_OVER_SEMI_AXES;

/// How cars move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dynamics {
    /// In the plane, level.
    Planar,
    /// Heave, pitch and roll too.
    Spatial,
    /// The same for a body that deforms homogeneously.
    Deformable,
}

impl Dynamics {
    /// All.
    pub const ALL: [Self; 3] = [Self::Planar, Self::Spatial, Self::Deformable];

    /// Name in options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Planar => "planar",
            Self::Spatial => "spatial",
            Self::Deformable => "deformable",
        }
    }

    /// Components of a car's state.
    pub(super) fn components(self) -> usize {
        match self {
            Self::Planar => 10,
            Self::Spatial => 17,
            Self::Deformable => 28,
        }
    }
}

/// A car at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Car {
    /// What it is.
    pub model: CarModel,
    /// Where it starts.
    pub placed: Placed,
    gravity: f64,
    cornering_stiffness: f64,
    elastic: PseudoRigid,
}

/// Where a car is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Of the centre of mass \[m\].
    pub position: DVec3,
    /// Heading \[rad\].
    pub yaw: f64,
    /// Positive with the nose down \[rad\].
    pub pitch: f64,
    /// Positive to the right \[rad\].
    pub roll: f64,
    /// \[m/s\]
    pub velocity: DVec3,
    /// About the vertical \[rad/s\].
    pub yaw_rate: f64,
    /// Sum of the lateral forces of all tyres \[N\].
    pub tyre_force: f64,
    /// Length, width and height of the box as it is now \[m\].
    pub sides: [f64; 3],
}

impl Pose {
    /// The heading as a unit vector.
    pub(super) fn heading(&self) -> DVec2 {
        direction(self.yaw)
    }
}

impl Car {
    /// Of a model at a place.
    #[must_use]
    pub fn new(model: &CarModel, law: &Law, placed: &Placed) -> Self {
        Self {
            model: model.clone(),
            placed: placed.clone(),
            gravity: law.gravity.value,
            cornering_stiffness: law.cornering_stiffness.value,
            elastic: PseudoRigid::new(model),
        }
    }

    /// The state at the start, in equilibrium.
    pub(super) fn start(&self, dynamics: Dynamics) -> Vec<f64> {
        let Placed { position: [x, y], yaw, speed, .. } = self.placed;
        let velocity = speed * direction(yaw);
        match dynamics {
            Dynamics::Planar => vec![x, y, velocity.x, velocity.y, yaw, 0.0, 0.0, 0.0, 0.0, 0.0],
            Dynamics::Spatial | Dynamics::Deformable => {
                let stance = equilibrium(&self.model, self.gravity);
                let turned = rotation(DVec3::Z, yaw) * rotation(DVec3::Y, asin(stance.nose_down));
                let mut state = vec![x, y, stance.height, velocity.x, velocity.y, 0.0];
                match dynamics {
                    // At rest nothing strains it: forces act where their dyads cancel.
                    Dynamics::Deformable => state.extend(DMat3::from_quat(turned).to_cols_array()),
                    _ => state.extend(turned.to_array()),
                }
                state.resize(dynamics.components(), 0.0);
                state
            }
        }
    }

    /// Where it is in some state.
    pub(super) fn pose(&self, dynamics: Dynamics, state: &[f64]) -> Pose {
        match dynamics {
            Dynamics::Planar => Pose {
                position: DVec3::new(state[0], state[1], equilibrium(&self.model, self.gravity).height),
                yaw: state[4],
                pitch: asin(equilibrium(&self.model, self.gravity).nose_down),
                roll: 0.0,
                velocity: DVec3::new(state[2], state[3], 0.0),
                yaw_rate: state[5],
                tyre_force: state[6..10].iter().sum(),
                sides: self.model.sides,
            },
            Dynamics::Spatial => {
                let axes = axes(state);
                let (forwards, left) = (axes.x_axis, axes.y_axis);
                Pose {
                    position: DVec3::from_slice(&state[..3]),
                    yaw: atan2(forwards.y, forwards.x),
                    pitch: -asin(forwards.z.clamp(-1.0, 1.0)),
                    roll: atan2(left.z, axes.z_axis.z),
                    velocity: DVec3::from_slice(&state[3..6]),
                    yaw_rate: (axes * DVec3::from_slice(&state[10..13])).z,
                    tyre_force: state[13..17].iter().sum(),
                    sides: self.model.sides,
                }
            }
            Dynamics::Deformable => self.deformed_pose(state),
        }
    }

    /// How fast a state changes.
    pub(super) fn rates(&self, dynamics: Dynamics, state: &[f64], rates: &mut [f64]) {
        match dynamics {
            Dynamics::Planar => self.planar_rates(state, rates),
            Dynamics::Spatial => self.spatial_rates(state, rates),
            Dynamics::Deformable => self.deformable_rates(state, rates),
        }
    }

    /// Of a body that deforms: along the axes of its ellipsoid as it is now.
    fn deformed_pose(&self, state: &[f64]) -> Pose {
        let [gradient, rate] = gradients(state);
        let [forwards, left, up] = [gradient.x_axis, gradient.y_axis, gradient.z_axis];
        let semi_axes = DVec3::from_array(self.model.sides) / SIDES_OVER_SEMI_AXES;
        // A gradient that flattens it has no ellipsoid; the integrator stops there.
        let now = current_ellipsoid(semi_axes, &gradient);
        let axes = now.map_or(DMat3::IDENTITY, |now| DMat3::from_quat(now.rotation));
        let lengths = now.map_or(semi_axes, |now| now.semi_axes) * SIDES_OVER_SEMI_AXES;
        let along = |director: DVec3| {
            let of = |axis: usize| axes.col(axis).dot(director).abs();
            (1..3).fold(0, |best, axis| if of(axis) > of(best) { axis } else { best })
        };
        let axis = axes.col(along(forwards));
        let axis = axis * 1.0_f64.copysign(axis.dot(forwards));
        Pose {
            position: DVec3::from_slice(&state[..3]),
            yaw: atan2(axis.y, axis.x),
            pitch: -asin(axis.z.clamp(-1.0, 1.0)),
            roll: atan2(left.z, up.z),
            velocity: DVec3::from_slice(&state[3..6]),
            yaw_rate: self.elastic.yaw_rate(&gradient, &rate),
            tyre_force: state[24..28].iter().sum(),
            sides: [forwards, left, up].map(|director| lengths[along(director)]),
        }
    }

    /// What an impulse of 1 at a level arm does to the velocity there: as a whole, and by turning.
    pub(super) fn mobilities(&self, dynamics: Dynamics, state: &[f64], arm: DVec2) -> [f64; 2] {
        let whole = 1.0 / self.model.mass;
        match dynamics {
            Dynamics::Planar => [whole, 1.0 / self.model.inertia[2]],
            Dynamics::Spatial => {
                let down = axes(state).transpose() * DVec3::Z;
                [whole, (down * down / DVec3::from_array(self.model.inertia)).element_sum()]
            }
            Dynamics::Deformable => {
                let [gradient, _] = gradients(state);
                [whole + self.elastic.mobility(gradient.inverse() * arm.extend(0.0)), 0.0]
            }
        }
    }

    /// The level velocity of the point at a level arm.
    pub(super) fn velocity_at(&self, dynamics: Dynamics, state: &[f64], arm: DVec2) -> DVec2 {
        match dynamics {
            Dynamics::Deformable => {
                let [gradient, rate] = gradients(state);
                DVec2::new(state[3], state[4]) + (rate * (gradient.inverse() * arm.extend(0.0))).truncate()
            }
            Dynamics::Planar | Dynamics::Spatial => {
                let pose = self.pose(dynamics, state);
                pose.velocity.truncate() + pose.yaw_rate * arm.perp()
            }
        }
    }

    /// Adds what a level impulse at a level arm does to a state.
    pub(super) fn push(&self, dynamics: Dynamics, state: &mut [f64], arm: DVec2, impulse: DVec2) {
        let (velocity, turn) = (impulse / self.model.mass, arm.perp_dot(impulse));
        match dynamics {
            Dynamics::Planar => {
                state[2] += velocity.x;
                state[3] += velocity.y;
                state[5] += turn / self.model.inertia[2];
            }
            Dynamics::Spatial => {
                state[3] += velocity.x;
                state[4] += velocity.y;
                let spin = axes(state).transpose() * (turn * DVec3::Z) / DVec3::from_array(self.model.inertia);
                state[10] += spin.x;
                state[11] += spin.y;
                state[12] += spin.z;
            }
            Dynamics::Deformable => {
                state[3] += velocity.x;
                state[4] += velocity.y;
                let [gradient, _] = gradients(state);
                let push = self.elastic.push(gradient.inverse() * arm.extend(0.0), impulse.extend(0.0));
                for (rate, push) in state[15..24].iter_mut().zip(push.to_cols_array()) {
                    *rate += push;
                }
            }
        }
    }

    /// Kinetic energy of motion, rotation and deformation \[J\].
    pub(super) fn energy(&self, dynamics: Dynamics, state: &[f64]) -> f64 {
        let inertia = DVec3::from_array(self.model.inertia);
        match dynamics {
            Dynamics::Planar => {
                0.5 * self.model.mass * (state[2] * state[2] + state[3] * state[3])
                    + 0.5 * inertia.z * state[5] * state[5]
            }
            Dynamics::Spatial => {
                let (velocity, spin) = (DVec3::from_slice(&state[3..6]), DVec3::from_slice(&state[10..13]));
                0.5 * self.model.mass * velocity.length_squared() + 0.5 * spin.dot(inertia * spin)
            }
            Dynamics::Deformable => {
                let velocity = DVec3::from_slice(&state[3..6]);
                0.5 * self.model.mass * velocity.length_squared() + self.elastic.kinetic_energy(&gradients(state)[1])
            }
        }
    }
}

/// A deformable car's F and F'.
fn gradients(state: &[f64]) -> [DMat3; 2] {
    [6, 15].map(|first| DMat3::from_cols_slice(&state[first..first + 9]))
}

/// A spatial car's axes in the world.
fn axes(state: &[f64]) -> DMat3 {
    DMat3::from_quat(DQuat::from_slice(&state[6..10]).normalize())
}
