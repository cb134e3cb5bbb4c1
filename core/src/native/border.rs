//! The pebble borders of eight wheels: the horizontal forces that the pebbles can resist (docs/theory/wheels.md,
//! 3 and 4).
//!
//! # Conventions
//! As in [`super::wheel`].

use super::rotation::Matrices;
use super::strut::axial_force;
use crate::query::{ClipCase, WheelParameters};
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

/// Forces against the pebble borders.
pub(super) struct Met<S: Simd> {
    pub force: DVec3x8<S>,
    primed: DVec3x8<S>,
    /// Braking strength under the load, and friction.
    brake: F64x8<S>,
    circle: F64x8<S>,
    pub nothing_presses: Mask8<S>,
    pub inside: Mask8<S>,
}

/// Forces clipped against the pebble borders.
pub(super) struct Clipped<S: Simd> {
    pub force: DVec3x8<S>,
    /// Numbers of [`ClipCase`].
    pub clip_case: F64x8<S>,
}

impl<S: Simd> Border<S> {
    /// Which forces press, and which of them the pebbles can resist.
    #[inline(always)]
    pub fn meet(&self, force: DVec3x8<S>) -> Met<S> {
        self.met(force, self.axes.transposed_times(force))
    }

    /// The same, of forces that are known in border coordinates too.
    #[inline(always)]
    fn met(&self, force: DVec3x8<S>, primed: DVec3x8<S>) -> Met<S> {
        let brake = self.brake + self.per_load * primed.z;
        let circle = self.friction * primed.z;
        let nothing_presses = primed.z.le(primed.z.like(0.0));
        let radius = if self.caster { brake.lt(circle).select(brake, circle) } else { circle };
        let may_be_inside = if self.caster { !nothing_presses } else { !nothing_presses & primed.x.abs().le(brake) };
        // Wheels that brake are outside, and wait for no square root.
        let inside = if may_be_inside.any() { may_be_inside & horizontal(primed).le(radius) } else { may_be_inside };
        Met { force, primed, brake, circle, nothing_presses, inside }
    }

    /// Springs' forces that `limited` says are more than the border holds, on pebbles at this depth, with the parts across and into the
    /// surface that they have once the pebbles have followed the wheels: as the reference has it.
    #[inline(always)]
    pub fn followed(&self, limited: Mask8<S>, parameters: &WheelParameters, depth: F64x8<S>, met: &Met<S>) -> Met<S> {
        let (Matrices { x_axis, y_axis, z_axis }, primed) = (self.axes, met.primed);
        let along = primed.x;
        let relaxed = along / (1.0 + parameters.axial_excess() * (x_axis.z * x_axis.z));
        let change = axial_force(parameters, depth - x_axis.z * (relaxed / parameters.k_xy)) - met.force.z;
        let across = change * y_axis.z - relaxed * x_axis.x * y_axis.x;
        let pressing = change * z_axis.z - relaxed * x_axis.x * z_axis.x;
        let (force, load) = (along.abs(), primed.z + pressing);
        let by_brake = share_held(force, self.brake + self.per_load * primed.z, self.brake + self.per_load * load);
        let by_friction = share_held(force, self.friction * primed.z, self.friction * load);
        let left = 1.0 - by_brake.min(by_friction);
        let followed = DVec3x8::new(along, primed.y + left * across, primed.z + left * pressing);
        let primed = limited.select3(followed, primed);
        self.met(limited.select3(self.axes.times(primed), met.force), primed)
    }

    /// What clipping across takes of forces along the wheels' axes, of pebbles that have followed them along: as the reference has it.
    #[inline(always)]
    pub fn taken_across(&self, held: DVec3x8<S>, met: &Met<S>) -> F64x8<S> {
        let across = self.axes.y_axis;
        across.z * (across.dot(held) - met.primed.y)
    }

    /// "Clipping Force against Pebble Border", cases 1 to 3; forces inside keep their bits.
    #[inline(always)]
    pub fn clip(&self, met: &Met<S>) -> Clipped<S> {
        if self.caster { self.clip_to_disc(met) } else { self.clip_to_rectangle_and_circle(met) }
    }

    #[inline(always)]
    fn clip_to_rectangle_and_circle(&self, met: &Met<S>) -> Clipped<S> {
        let Met { primed, brake, circle, .. } = *met;
        let (along, across, zero) = (primed.x.abs(), primed.y.abs(), primed.z.like(0.0));
        let cornered = brake.lt(circle);
        let corner = ((circle - brake) * (circle + brake)).sqrt();
        let by_brake = cornered & across.le(corner);
        let by_corner = cornered & !by_brake & (brake * across).le(along * corner);
        let by_circle = !(by_brake | by_corner);
        let scale = if (by_circle & !met.is_kept()).any() { scale_to(circle, primed) } else { zero };
        let clipped = DVec3x8::new(
            by_circle.select(scale * primed.x, brake.copysign(primed.x)),
            by_brake.select(primed.y, by_corner.select(corner.copysign(primed.y), scale * primed.y)),
            primed.z,
        );
        let by_rim = by_corner.select(case_number(zero, ClipCase::Corner), case_number(zero, ClipCase::Circle));
        self.clipped(met, clipped, by_brake.select(case_number(zero, ClipCase::Brake), by_rim))
    }

    /// For wheels that swivel freely: the friction circle, made smaller by the braking strength.
    #[inline(always)]
    fn clip_to_disc(&self, met: &Met<S>) -> Clipped<S> {
        let Met { primed, brake, circle, .. } = *met;
        let by_brake = brake.lt(circle);
        let scale = scale_to(by_brake.select(brake, circle), primed);
        let clipped = DVec3x8::new(scale * primed.x, scale * primed.y, primed.z);
        let limit = by_brake.select(case_number(scale, ClipCase::Brake), case_number(scale, ClipCase::Circle));
        self.clipped(met, clipped, limit)
    }

    /// The forces as they are in lanes where nothing presses or they are inside, else those of the border.
    #[inline(always)]
    fn clipped(&self, met: &Met<S>, primed: DVec3x8<S>, limit: F64x8<S>) -> Clipped<S> {
        let kept = met.kept();
        Clipped {
            force: met.is_kept().select3(kept.force, self.axes.times(primed)),
            clip_case: met.is_kept().select(kept.clip_case, limit),
        }
    }
}

impl<S: Simd> Met<S> {
    /// Where forces are not clipped.
    #[inline(always)]
    fn is_kept(&self) -> Mask8<S> {
        self.nothing_presses | self.inside
    }

    /// The forces where they are not clipped; nothing of use elsewhere.
    #[inline(always)]
    pub fn kept(&self) -> Clipped<S> {
        let unpressed = case_number(self.brake, ClipCase::NoPressingForce);
        let clip_case = self.nothing_presses.select(unpressed, case_number(self.brake, ClipCase::Inside));
        Clipped { force: self.force, clip_case }
    }
}

/// What share of forces along is left where bounds hold them that are `here` where pebbles are and `there` where they would be without
/// those forces: as the reference has it.
#[inline(always)]
fn share_held<S: Simd>(force: F64x8<S>, here: F64x8<S>, there: F64x8<S>) -> F64x8<S> {
    let zero = force.like(0.0);
    let share = there.gt(zero).select(there / (force + (there - here)), zero);
    force.le(here).select(zero.like(1.0), share)
}

/// Lengths of horizontal forces.
#[inline(always)]
fn horizontal<S: Simd>(primed: DVec3x8<S>) -> F64x8<S> {
    (primed.x * primed.x + primed.y * primed.y).sqrt()
}

/// What brings horizontal forces to this length. One whose square vanishes has no direction left.
#[inline(always)]
fn scale_to<S: Simd>(length: F64x8<S>, primed: DVec3x8<S>) -> F64x8<S> {
    let (horizontal, zero) = (horizontal(primed), length.like(0.0));
    horizontal.gt(zero).select(length / horizontal, zero)
}
