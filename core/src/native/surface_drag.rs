//! Drag of surfaces on eight rolling wheels.
//!
//! # Conventions
//! As in [`super::wheel`].

use super::ground_query::Ground;
use super::wheel::Wheels;
use crate::query::{DISPLACEMENT_DRAG_COEFFICIENT, Tyre, WheelParameters};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

impl<S: Simd> Wheels<S> {
    /// Coefficients of rolling resistance of wheels and ground together \[1\], at the wheels' speeds along the surfaces.
    #[inline(always)]
    pub fn rolling_resistance(
        &self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        velocity: DVec3x8<S>,
    ) -> F64x8<S> {
        let have_grip = self.have_grip();
        let mut of_ground = have_grip.select(self.grip.rolling, velocity.x.like(0.0));
        let by_speed = self.grip.rolling_by_speed & have_grip;
        if by_speed.any() {
            let speed = velocity.reject_from(self.normal).length();
            for lane in by_speed.lanes() {
                let material = &ground.materials[self.grip.of.get(lane) as usize];
                of_ground.set(lane, material.drag.rolling_resistance_at(speed.get(lane)));
            }
        }
        parameters.rolling_resistance + of_ground
    }

    /// Drag of water or slush on wheels with these tyres, world \[N\], along their velocities, and where there is any.
    #[inline(always)]
    pub fn displacement_drag(&self, tyre: &Tyre, velocity: DVec3x8<S>) -> (DVec3x8<S>, Mask8<S>) {
        let (depth, density) = (self.grip.fluid_depth, self.grip.fluid_density);
        let height = (tyre.deflection + depth).min(depth.like(0.5 * tyre.width));
        let chord = 2.0 * (height * (tyre.width - height)).sqrt();
        let of_tyres = 0.5 * DISPLACEMENT_DRAG_COEFFICIENT * f64::from(tyre.count);
        let coefficient = of_tyres * density * depth * chord;
        let along = velocity.reject_from(self.normal);
        (along * (coefficient * along.length()), depth.gt(depth.like(0.0)))
    }
}
