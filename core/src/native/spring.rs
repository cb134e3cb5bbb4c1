//! Springs and dampers of eight wheels against the pebble borders.
//!
//! # Conventions
//! As in [`super::wheel`]: forces on the pebbles, in wheel frames.

use super::border::{Border, Clipped, Met};
use super::strut::{axial_damping, axial_force};
use crate::query::WheelParameters;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Springs, dampers and pebble borders of eight wheels in one step.
pub(super) struct Spring<S: Simd> {
    pub border: Border<S>,
    /// Of the pebbles in the wheel frames.
    pub velocity: DVec3x8<S>,
    pub max_force: F64x8<S>,
}

/// Forces of the springs on the pebbles, against the pebble borders.
pub(super) struct Pressing<S: Simd> {
    pub met: Met<S>,
    normal_force: F64x8<S>,
    over_max_force: Mask8<S>,
}

/// The same clipped: wheel frames.
pub(super) struct Pressed<S: Simd> {
    pub clipped: Clipped<S>,
    pub normal_force: F64x8<S>,
    pub over_max_force: Mask8<S>,
}

impl<S: Simd> Spring<S> {
    /// With the pebbles at places of the wheel frames.
    #[inline(always)]
    pub fn pressing(&self, parameters: &WheelParameters, pebble: DVec3x8<S>) -> Pressing<S> {
        let down = self.border.axes.z_axis;
        let mut force = spring_force(parameters, pebble, self.velocity, down);
        let pressing = force.dot(down);
        let over_max_force = pressing.gt(self.max_force);
        if parameters.clamp_to_max_force {
            force = over_max_force.select3(force - down * (pressing - self.max_force), force);
        }
        let normal_force = if parameters.clamp_to_max_force { pressing.min(self.max_force) } else { pressing };
        Pressing { met: self.border.meet(force), normal_force, over_max_force }
    }

    #[inline(always)]
    pub fn clipped(&self, pressing: &Pressing<S>) -> Pressed<S> {
        pressing.with(self.border.clip(&pressing.met))
    }
}

impl<S: Simd> Pressing<S> {
    #[inline(always)]
    fn with(&self, clipped: Clipped<S>) -> Pressed<S> {
        Pressed { clipped, normal_force: self.normal_force, over_max_force: self.over_max_force }
    }

    /// Where borders do not clip; nothing of use elsewhere.
    #[inline(always)]
    pub fn kept(&self) -> Pressed<S> {
        self.with(self.met.kept())
    }
}

impl<S: Simd> Pressed<S> {
    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            clipped: Clipped {
                force: lanes.select3(self.clipped.force, others.clipped.force),
                clip_case: lanes.select(self.clipped.clip_case, others.clipped.clip_case),
            },
            normal_force: lanes.select(self.normal_force, others.normal_force),
            over_max_force: lanes.choose(self.over_max_force, others.over_max_force),
        }
    }
}

/// The forces \[N\] that press the surfaces when wheels just touch them. `slope` are the cosines of the angles between the
/// surfaces' normals and the wheels' axes upwards, `speed` \[m/s\] are those away from the surfaces.
#[inline(always)]
pub(super) fn forces_at_first_touch<S: Simd>(
    parameters: &WheelParameters,
    slope: F64x8<S>,
    speed: F64x8<S>,
) -> F64x8<S> {
    let relaxed = axial_force(parameters, slope.like(parameters.z_max));
    relaxed * slope + axial_damping(parameters, speed) * speed
}

/// The document's F(p, w) with the damping split along the surface's normal (R10).
#[inline(always)]
fn spring_force<S: Simd>(
    parameters: &WheelParameters,
    pebble: DVec3x8<S>,
    velocity: DVec3x8<S>,
    down: DVec3x8<S>,
) -> DVec3x8<S> {
    let normal_speed = velocity.dot(down);
    let normal_velocity = down * normal_speed;
    let damping = axial_damping(parameters, normal_speed);
    elastic_force(parameters, pebble)
        + (velocity - normal_velocity) * pebble.x.like(parameters.d_xy)
        + normal_velocity * damping
}

/// The springs' part of it.
#[inline(always)]
pub(super) fn elastic_force<S: Simd>(parameters: &WheelParameters, pebble: DVec3x8<S>) -> DVec3x8<S> {
    DVec3x8::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, axial_force(parameters, pebble.z))
}

/// Where the springs would hold the pebbles with the forces `held` along the surfaces: as the reference has it.
#[inline(always)]
pub(super) fn held_places<S: Simd>(
    parameters: &WheelParameters,
    held: DVec3x8<S>,
    taken: F64x8<S>,
    down: DVec3x8<S>,
) -> (F64x8<S>, F64x8<S>) {
    let (mut x, mut y) = (held.x, held.y);
    let excess = parameters.axial_excess();
    if excess > 0.0 {
        let lean = down.x * down.x + down.y * down.y;
        let change = excess * lean;
        let leans = change.gt(lean.like(0.5));
        if leans.any() {
            let too_far = (1.0 - 0.5 / change) * taken / lean;
            x = leans.select(x + too_far * down.z * down.x, x);
            y = leans.select(y + too_far * down.z * down.y, y);
        }
    }
    (x / parameters.k_xy, y / parameters.k_xy)
}
