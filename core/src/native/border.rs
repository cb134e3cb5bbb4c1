//! The pebble borders of eight wheels: the horizontal forces that the pebbles can resist (docs/theory/wheels.md,
//! 3 and 4).
//!
//! # Conventions
//! As in [`super::wheel`].

use super::rotation::Matrices;
use crate::query::ClipCase;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// The number of a case, in every lane.
#[inline(always)]
pub(super) fn case_number<S: Simd>(like: F64x8<S>, case: ClipCase) -> F64x8<S> {
    like.like(f64::from(case as i8))
}

/// The document's Q(n) with R2: axes of the pebble border in the wheel frame.
#[inline(always)]
pub(super) fn border_axes<S: Simd>(normal: DVec3x8<S>) -> Matrices<S> {
    let z_axis = -(normal * (1.0 / normal.length()));
    // The rolling direction stays in the wheel's XZ plane. A normal along Y leaves it free: X.
    let (x, z) = (z_axis.z, -z_axis.x);
    let zero = x.like(0.0);
    let factor = 1.0 / (x * x + z * z).sqrt();
    let has_direction = factor.lt(zero.like(f64::INFINITY)) & factor.gt(zero);
    let x_axis =
        DVec3x8::new(has_direction.select(x * factor, zero.like(1.0)), zero, has_direction.select(z * factor, zero));
    Matrices { x_axis, y_axis: z_axis.cross(x_axis), z_axis }
}

/// The regions of horizontal forces that the pebbles can resist.
pub(super) struct Border<S: Simd> {
    pub axes: Matrices<S>,
    pub friction: F64x8<S>,
    /// Braking strength without load \[N\].
    pub brake: F64x8<S>,
    /// What each newton of load adds to it \[1\].
    pub per_load: F64x8<S>,
    /// The braking strength bounds the forces in every direction.
    pub caster: bool,
}

/// Forces clipped against the pebble border.
pub(super) struct Clipped<S: Simd> {
    pub force: DVec3x8<S>,
    /// Numbers of [`ClipCase`].
    pub clip_case: F64x8<S>,
    pub nothing_presses: Mask8<S>,
    pub inside: Mask8<S>,
}

impl<S: Simd> Border<S> {
    /// "Clipping Force against Pebble Border", cases 1 to 3; forces inside keep their bits.
    #[inline(always)]
    pub fn clip(&self, force: DVec3x8<S>) -> Clipped<S> {
        let primed = self.axes.transposed_times(force);
        let brake = self.brake + self.per_load * primed.z;
        let circle = self.friction * primed.z;
        let horizontal = (primed.x * primed.x + primed.y * primed.y).sqrt();
        let (along, across) = (primed.x.abs(), primed.y.abs());
        let zero = primed.z.like(0.0);
        let nothing_presses = primed.z.le(zero);
        if self.caster {
            return self.clip_to_disc(force, primed, brake, circle, horizontal);
        }
        let inside = !nothing_presses & along.le(brake) & horizontal.le(circle);

        let cornered = brake.lt(circle);
        let corner = ((circle - brake) * (circle + brake)).sqrt();
        let by_brake = cornered & across.le(corner);
        let by_corner = cornered & !by_brake & (brake * across).le(along * corner);
        // A horizontal force whose square vanishes has no direction left.
        let scale = horizontal.gt(zero).select(circle / horizontal, zero);
        let clipped = DVec3x8::new(
            (by_brake | by_corner).select(brake.copysign(primed.x), scale * primed.x),
            by_brake.select(primed.y, by_corner.select(corner.copysign(primed.y), scale * primed.y)),
            primed.z,
        );
        let by_rim = by_corner.select(case_number(zero, ClipCase::Corner), case_number(zero, ClipCase::Circle));
        let limit = by_brake.select(case_number(zero, ClipCase::Brake), by_rim);
        self.clipped(force, clipped, limit, (nothing_presses, inside))
    }

    /// For wheels that swivel freely: the friction circle, made smaller by the braking strength.
    #[inline(always)]
    fn clip_to_disc(
        &self,
        force: DVec3x8<S>,
        primed: DVec3x8<S>,
        brake: F64x8<S>,
        circle: F64x8<S>,
        horizontal: F64x8<S>,
    ) -> Clipped<S> {
        let zero = primed.z.like(0.0);
        let nothing_presses = primed.z.le(zero);
        let by_brake = brake.lt(circle);
        let radius = by_brake.select(brake, circle);
        let inside = !nothing_presses & horizontal.le(radius);
        // A horizontal force whose square vanishes has no direction left.
        let scale = horizontal.gt(zero).select(radius / horizontal, zero);
        let clipped = DVec3x8::new(scale * primed.x, scale * primed.y, primed.z);
        let limit = by_brake.select(case_number(zero, ClipCase::Brake), case_number(zero, ClipCase::Circle));
        self.clipped(force, clipped, limit, (nothing_presses, inside))
    }

    /// The forces as they are in lanes where nothing presses or they are inside, else those of the border.
    #[inline(always)]
    fn clipped(
        &self,
        force: DVec3x8<S>,
        primed: DVec3x8<S>,
        limit: F64x8<S>,
        (nothing_presses, inside): (Mask8<S>, Mask8<S>),
    ) -> Clipped<S> {
        let like = primed.z;
        let unclipped =
            nothing_presses.select(case_number(like, ClipCase::NoPressingForce), case_number(like, ClipCase::Inside));
        let kept = nothing_presses | inside;
        Clipped {
            force: kept.select3(force, self.axes.times(primed)),
            clip_case: kept.select(unclipped, limit),
            nothing_presses,
            inside,
        }
    }
}
