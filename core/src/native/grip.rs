//! Friction and strength of the materials under eight pebbles.
//!
//! # Conventions
//! As in [`super::wheel`]. Materials are looked up only in lanes where a pebble comes to be on another one than it was on last, and table
//! rows only where a speed left its interval. In the air a wheel keeps what it was on last.

use super::ground_query::NO_NUMBER;
use crate::scene::Material;
use crate::simd::{F64x8, Mask8, Simd};

/// Friction and strength of the materials under eight pebbles.
#[derive(Clone)]
pub(super) struct Grip<S: Simd> {
    /// Materials that these are of, or [`NO_NUMBER`].
    pub of: F64x8<S>,
    pub standing: F64x8<S>,
    pub slipping: F64x8<S>,
    /// Where friction while slipping depends on speed, and the rows of the table that it was last between.
    pub by_speed: Mask8<S>,
    rows: Rows<S>,
    pub max_force: F64x8<S>,
    /// Rolling resistance of the ground.
    pub rolling: F64x8<S>,
    /// Where that depends on speed.
    pub rolling_by_speed: Mask8<S>,
    pub fluid_depth: F64x8<S>,
    pub fluid_density: F64x8<S>,
}

/// Two rows of tables by speed, one above the other: speeds, and values at them.
#[derive(Clone, Copy)]
struct Rows<S: Simd> {
    slow: F64x8<S>,
    slow_value: F64x8<S>,
    fast: F64x8<S>,
    fast_value: F64x8<S>,
}

impl<S: Simd> Rows<S> {
    /// Between which there is no speed.
    fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self { slow: zero, slow_value: zero, fast: zero, fast_value: zero }
    }

    fn set(&mut self, lane: usize, [(slow, slow_value), (fast, fast_value)]: [(f64, f64); 2]) {
        self.slow.set(lane, slow);
        self.slow_value.set(lane, slow_value);
        self.fast.set(lane, fast);
        self.fast_value.set(lane, fast_value);
    }

    /// Where speeds are between the rows.
    #[inline(always)]
    fn hold(&self, speed: F64x8<S>) -> Mask8<S> {
        self.slow.le(speed) & speed.lt(self.fast)
    }

    /// Linear between the rows.
    #[inline(always)]
    fn at(&self, speed: F64x8<S>) -> F64x8<S> {
        let Self { slow, slow_value, fast, fast_value } = *self;
        slow_value + (fast_value - slow_value) * (speed.clamp(slow, fast) - slow) / (fast - slow)
    }
}

impl<S: Simd> Grip<S> {
    /// On nothing that has a name: no friction, no limit.
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            of: zero.like(NO_NUMBER),
            standing: zero,
            slipping: zero,
            by_speed: Mask8::none(simd),
            rows: Rows::none(simd),
            max_force: zero.like(f64::INFINITY),
            rolling: zero,
            rolling_by_speed: Mask8::none(simd),
            fluid_depth: zero,
            fluid_density: zero,
        }
    }

    /// Looks up materials in the selected lanes, where they are others.
    #[inline(always)]
    pub fn look_up(&mut self, lookup: &[Material], material: F64x8<S>, lanes: Mask8<S>) {
        let others = lanes & !material.eq(self.of);
        if others.any() {
            self.change(lookup, material, others);
        }
    }

    #[inline(never)]
    fn change(&mut self, lookup: &[Material], material: F64x8<S>, lanes: Mask8<S>) {
        for lane in lanes.lanes() {
            let found = lookup.get(material.get(lane) as usize);
            self.of.set(lane, material.get(lane));
            self.standing.set(lane, found.map_or(0.0, |material| material.static_friction));
            self.slipping.set(lane, found.map_or(0.0, |material| material.dynamic_friction));
            self.by_speed.set(lane, found.is_some_and(|material| !material.dynamic_friction_by_speed.is_empty()));
            self.rows.set(lane, [(0.0, 0.0); 2]);
            self.max_force.set(lane, found.map_or(f64::INFINITY, |material| material.max_force));
            let drag = found.map(|material| &material.drag);
            self.rolling.set(lane, drag.map_or(0.0, |drag| drag.rolling_resistance));
            self.rolling_by_speed.set(lane, drag.is_some_and(|drag| !drag.rolling_resistance_by_speed.is_empty()));
            self.fluid_depth.set(lane, drag.map_or(0.0, |drag| drag.fluid_depth));
            self.fluid_density.set(lane, drag.map_or(0.0, |drag| drag.fluid_density));
        }
    }

    /// Sliding friction at speeds along the surface, in the selected lanes.
    #[inline(always)]
    pub fn slipping_at(&mut self, lookup: &[Material], speed: F64x8<S>, lanes: Mask8<S>) -> F64x8<S> {
        let unknown = lanes & !self.rows.hold(speed);
        if unknown.any() {
            for lane in unknown.lanes() {
                let material = &lookup[self.of.get(lane) as usize];
                if let Some(rows) = material.dynamic_friction_around(speed.get(lane)) {
                    self.rows.set(lane, rows);
                }
            }
        }
        self.rows.at(speed)
    }
}
