//! Cylinders, stretched or not, for eight lines at once.
//!
//! # Conventions
//! As in [`crate::scene`]. Crossings are those of the cylinder's own interval, operation by operation.

use glam::DMat3;

use crate::native::cell::Crossing;
use crate::scene::{Cylinder, Solid};
use crate::simd::{DVec3x8, F64x8, Simd};

/// Below this squared length \[m^2\] across the axis lines are left to be looked at one by one.
const MIN: f64 = 1e-150;

/// Lambda of entry and exit of each line, an empty stretch where it misses. `None` for other solids, and where a line may
/// be along the axis or level with the caps.
#[inline(always)]
pub(super) fn crossings<S: Simd>(solid: &Solid, x1: &DVec3x8<S>, x2: &DVec3x8<S>) -> Option<(F64x8<S>, F64x8<S>)> {
    match solid {
        Solid::Cylinder(cylinder) => crossings_of_cylinder(cylinder, x1, x2),
        Solid::Stretched(stretched) => {
            let Solid::Cylinder(cylinder) = &stretched.base else {
                return None;
            };
            let center = DVec3x8::splat(x1.x.simd(), stretched.center);
            let (x1, x2) = (mapped(&stretched.to_local, *x1 - center), mapped(&stretched.to_local, *x2 - center));
            crossings_of_cylinder(cylinder, &x1, &x2)
        }
        _ => None,
    }
}

#[inline(always)]
fn crossings_of_cylinder<S: Simd>(
    cylinder: &Cylinder,
    x1: &DVec3x8<S>,
    x2: &DVec3x8<S>,
) -> Option<(F64x8<S>, F64x8<S>)> {
    let like = x1.x;
    let axis = DVec3x8::splat(like.simd(), cylinder.axis);
    let offset = radial(*x1 - DVec3x8::splat(like.simd(), cylinder.center), axis);
    let direction = radial(*x2 - *x1, axis);
    let (zero, radius) = (like.like(0.0), like.like(cylinder.radius));
    let a = direction.dot(direction);
    if a.le(like.like(MIN)).any() {
        return None;
    }
    let middle = -offset.dot(direction) / a;
    let nearest = (offset + direction * middle).length();
    let half_chord_squared = (radius - nearest) * (radius + nearest) / a;
    let half_chord = half_chord_squared.sqrt();
    let (near, far) = (middle - half_chord, middle + half_chord);
    let distance = offset.length();
    let product = (distance - radius) * (distance + radius) / a;
    let ahead = middle.gt(zero) & far.gt(zero);
    let behind = middle.lt(zero) & near.lt(zero);
    let mut enter = ahead.select((product / far).clamp(-far, far), near);
    let mut exit = behind.select((product / near).clamp(near, -near), far);
    let mut missed = half_chord_squared.lt(zero);
    if let Some(half) = cylinder.half_height {
        let middle = cylinder.center.dot(cylinder.axis);
        for (normal, offset) in [(axis, middle + half), (-axis, half - middle)] {
            let cap = Crossing::new(x1.dot(normal) - offset, x2.dot(normal) - offset);
            if cap.parallel.any() {
                return None;
            }
            (enter, exit) = (cap.enter.max(enter), cap.exit.min(exit));
        }
        missed = missed | enter.gt(exit);
    }
    Some((missed.select(like.like(f64::INFINITY), enter), missed.select(like.like(f64::NEG_INFINITY), exit)))
}

/// What of vectors is across an axis.
#[inline(always)]
fn radial<S: Simd>(v: DVec3x8<S>, axis: DVec3x8<S>) -> DVec3x8<S> {
    v - axis * v.dot(axis)
}

/// Vectors under a map, column by column as glam adds them up.
#[inline(always)]
fn mapped<S: Simd>(map: &DMat3, v: DVec3x8<S>) -> DVec3x8<S> {
    let simd = v.x.simd();
    let (x, y, z) =
        (DVec3x8::splat(simd, map.x_axis), DVec3x8::splat(simd, map.y_axis), DVec3x8::splat(simd, map.z_axis));
    x * v.x + y * v.y + z * v.z
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::lanes::LANES;
    use crate::scene::Affine;
    use crate::simd::{InRegisters, in_registers};

    fn number() -> impl Strategy<Value = f64> {
        // Whole numbers make lines that touch, and that are along or across the axis, common.
        prop_oneof![(-3..=3i32).prop_map(f64::from), -5.0..5.0f64]
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    /// Where lines cross a solid, if lanes have a formula for all of them.
    struct Crossings<'a> {
        solid: &'a Solid,
        x1: [DVec3; LANES],
        x2: [DVec3; LANES],
    }

    impl InRegisters for Crossings<'_> {
        type Output = Option<[[f64; LANES]; 2]>;
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let eight = |points: [DVec3; LANES]| {
                DVec3x8::from_arrays(simd, [0, 1, 2].map(|axis| points.map(|point| point[axis])))
            };
            let (enter, exit) = crossings(self.solid, &eight(self.x1), &eight(self.x2))?;
            Some([enter.to_array(), exit.to_array()])
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lanes_cross_where_the_solid_itself_says(
            center in vector(),
            axis in vector().prop_filter_map("a direction", DVec3::try_normalize),
            radius in 0.0..3.0f64,
            half_height in prop::option::of(0.2..3.0f64),
            columns in [vector(), vector(), vector()],
            stretch in any::<bool>(),
            lines in [(vector(), vector()), (vector(), vector()), (vector(), vector())],
        ) {
            let map = DMat3::from_cols(columns[0], columns[1], columns[2]);
            prop_assume!(map.determinant().abs() > 0.1);
            let cylinder = Solid::Cylinder(Cylinder { center, axis, radius, half_height });
            let solid = if stretch { cylinder.transformed(&Affine::new(map, center)) } else { cylinder };
            let [x1, x2] = [0, 1].map(|end| std::array::from_fn(|lane| [lines[lane % 3].0, lines[lane % 3].1][end]));
            if let Some([enter, exit]) = in_registers(Crossings { solid: &solid, x1, x2 }) {
                for lane in 0..LANES {
                    let inside = solid.interval(&x1[lane], &x2[lane]);
                    prop_assert_eq!(enter[lane].to_bits(), inside.enter.to_bits());
                    prop_assert_eq!(exit[lane].to_bits(), inside.exit.to_bits());
                    prop_assert!(!inside.flat);
                }
            }
        }
    }
}
