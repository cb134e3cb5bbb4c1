//! The gear of eight vehicles in a step: sub-steps of wheels and bodies alone, as documented in the reference.

use super::body::{Accelerations, Bodies};
use crate::native::ground_query::Ground;
use crate::native::spring::forces_at_first_touch;
use crate::native::wheel::{Footing, Frames, Planes, Wheels};
use crate::query::WheelParameters;
use crate::query::rules::LIVELY_SPEED;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// What eight wheels know in the course of a step beside what they remember.
#[derive(Clone)]
pub(super) struct Footholds<S: Simd> {
    /// The ground that they are on, or will be if they touch in this step.
    pub(super) planes: Planes<S>,
    /// Where that is from the step before: the last sub-step looks for it anew.
    are_old: Mask8<S>,
}

/// Frames, and how their speeds change.
pub(super) struct MovingFrames<S: Simd> {
    pub frames: Frames<S>,
    /// Rates of rotation, world.
    rate: DVec3x8<S>,
    /// Of the origins, world.
    acceleration: DVec3x8<S>,
}

/// How forces work in a sub-step.
pub(super) struct Pushes<S: Simd> {
    /// For these shares of it.
    pub share: F64x8<S>,
    /// How far the wheels then are from where they are in the middle of the sub-step, world.
    pub shift: DVec3x8<S>,
    /// Of those that get into contact in it.
    pub touches: FirstTouches<S>,
}

/// The moments at which wheels get into contact.
#[derive(Clone, Copy)]
pub(super) struct FirstTouches<S: Simd> {
    /// Lanes in which they do.
    pub happen: Mask8<S>,
    /// Of the sub-step, from then to its end.
    pub share: F64x8<S>,
    /// Cosines of the angles between the surfaces' normals and the wheels' axes upwards.
    slope: F64x8<S>,
    /// Away from the surfaces, as the accelerations before the sub-step foretell them.
    speed: F64x8<S>,
    /// The surfaces' unit normals.
    up: DVec3x8<S>,
}

impl<S: Simd> Pushes<S> {
    /// Of wheels without a force, in sub-steps like this.
    #[inline(always)]
    pub fn none(length: F64x8<S>) -> Self {
        let zero = length.like(0.0);
        Self { share: length.like(1.0), shift: DVec3x8::new(zero, zero, zero), touches: FirstTouches::none(length) }
    }
}

/// A sub-step.
#[derive(Clone, Copy)]
pub(super) struct Substep<S: Simd> {
    /// \[s\].
    pub length: F64x8<S>,
    /// Lanes in which a landing is under way, and those that do their last one of the step.
    pub lanes: Mask8<S>,
    pub is_last: Mask8<S>,
}

/// How wheels get into contact in a sub-step.
struct Onset<S: Simd> {
    happens: Mask8<S>,
    share: F64x8<S>,
    contact: F64x8<S>,
    middle: F64x8<S>,
}

impl<S: Simd> Footholds<S> {
    pub fn none(simd: S) -> Self {
        Self { planes: Planes::none(simd), are_old: Mask8::none(simd) }
    }

    /// Wheels at the start of a step, in these lanes.
    #[inline(always)]
    pub fn begin(&mut self, wheels: &mut Wheels<S>, lanes: Mask8<S>) {
        let zero = wheels.peak_force.like(0.0);
        wheels.over_max_force = wheels.over_max_force & !lanes;
        wheels.peak_force = lanes.select(zero, wheels.peak_force);
        wheels.peak_compression = lanes.select(zero, wheels.peak_compression);
        self.are_old = lanes.choose(wheels.touching(), self.are_old);
        self.planes.known = self.planes.known & !lanes;
    }

    /// Wheels that are free in these lanes look down their axes as far as they may come in a step of this length \[s\], in
    /// whose middle they have these frames; where they get into contact in it.
    #[inline(always)]
    pub fn look_down(
        &mut self,
        wheels: &mut Wheels<S>,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        middle: &MovingFrames<S>,
        step: f64,
        lanes: Mask8<S>,
    ) -> Mask8<S> {
        let (frames, zero) = (&middle.frames, middle.rate.x.like(0.0));
        let reach = parameters.z_max + step * frames.velocity.length();
        let high = frames.at(zero, zero, zero.like(parameters.z_min));
        let (found, inside) = Planes::below(ground, high, frames.at(zero, zero, reach), lanes);
        wheels.broken = wheels.broken | inside;
        self.planes = found.or(lanes, &self.planes);
        self.onset(wheels, parameters, middle, zero.like(step)).happens
    }

    /// Where the springs of wheels that touch move, the bodies rotating at these rates (world).
    #[inline(always)]
    pub fn lively(wheels: &Wheels<S>, middle: &Bodies<S>, rate: DVec3x8<S>) -> Mask8<S> {
        let touching = wheels.touching();
        if !touching.any() {
            return touching;
        }
        let closing = wheels.normal.dot(middle.velocity + rate.cross(wheels.pebble - middle.position));
        let least = LIVELY_SPEED * LIVELY_SPEED * wheels.normal.dot(wheels.normal);
        touching & (closing * closing).gt(least)
    }

    /// When wheels in the air get into contact in a sub-step in whose middle they have these frames.
    #[inline(always)]
    fn onset(
        &self,
        wheels: &Wheels<S>,
        parameters: &WheelParameters,
        middle: &MovingFrames<S>,
        substep: F64x8<S>,
    ) -> Onset<S> {
        let (zero, one) = (substep.like(0.0), substep.like(1.0));
        let above = self.planes.known & wheels.free();
        if !above.any() {
            return Onset { happens: above, share: one, contact: zero, middle: zero };
        }
        let MovingFrames { frames, rate, .. } = middle;
        let axis = frames.to_world.z_axis;
        let normal = self.planes.normal;
        let slope = normal.dot(axis);
        // Where the axis meets the plane, and how fast the wheel gets there.
        let z = normal.dot(self.planes.place - frames.origin) / slope;
        let closing = normal.dot(frames.velocity + rate.cross(axis * z)) / slope;
        let gap_at_end = z - parameters.z_max - 0.5 * substep * closing;
        let happens = above & !(slope.ge(zero) | gap_at_end.ge(zero));
        let closed = closing * substep;
        // A gap that is closed already, though the wheel took itself to be in the air, has no moment of contact.
        let share = happens.select(closed.gt(-gap_at_end).select(-gap_at_end / closed, one), one);
        Onset {
            happens,
            share,
            contact: happens.select((0.5 - share) * substep, zero),
            middle: happens.select(0.5 * (1.0 - share) * substep, zero),
        }
    }

    /// Where wheels are on the ground, broken, or above ground that they may come to touch.
    #[inline(always)]
    pub fn may_push(&self, wheels: &Wheels<S>) -> Mask8<S> {
        self.planes.known | !wheels.free()
    }

    /// One sub-step of wheels of which none can push anything, at these places.
    #[inline(always)]
    pub fn hang(wheels: &mut Wheels<S>, places: DVec3x8<S>) {
        let (was_over, peak_force, peak_compression) =
            (wheels.over_max_force, wheels.peak_force, wheels.peak_compression);
        wheels.hang(places);
        (wheels.over_max_force, wheels.peak_force, wheels.peak_compression) = (was_over, peak_force, peak_compression);
    }

    /// One sub-step with the frames in its middle.
    #[inline(always)]
    pub fn advance(
        &mut self,
        wheels: &mut Wheels<S>,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        middle: &MovingFrames<S>,
        friction_scale: F64x8<S>,
        substep: Substep<S>,
    ) -> Pushes<S> {
        let Substep { length, lanes, is_last } = substep;
        let (was_over, peak_force, peak_compression) =
            (wheels.over_max_force, wheels.peak_force, wheels.peak_compression);
        let Onset { happens, share, contact, middle: later } = self.onset(wheels, parameters, middle, length);
        let frames = middle.later(later);
        let in_scene = is_last & self.are_old;
        // Known for the rest of the step, also where the wheel takes off.
        if (lanes & !in_scene).any() {
            self.planes = self.planes.under(wheels);
        }
        let footing = Footing { in_scene, planes: &self.planes, settles: true };
        wheels.advance((ground, &footing), parameters, &frames, friction_scale, (lanes, happens));
        let mut touches = FirstTouches::none(length);
        if happens.any() {
            touches.happen = happens & wheels.normal_force.gt(length.like(0.0));
            touches.share = share;
            touches.take_down(wheels.normal, &middle.later(contact));
            // Not that in the middle of what is left.
            wheels.peak_force = touches.are_within().select(length.like(0.0), wheels.peak_force);
        }
        wheels.over_max_force = was_over | wheels.over_max_force;
        wheels.peak_force = peak_force.max(wheels.peak_force);
        wheels.peak_compression = peak_compression.max(wheels.peak_compression);
        Pushes { share, shift: middle.frames.velocity * later, touches }
    }
}

impl<S: Simd> FirstTouches<S> {
    #[inline(always)]
    fn none(like: F64x8<S>) -> Self {
        let zero = like.like(0.0);
        Self {
            happen: Mask8::none(like.simd()),
            share: zero,
            slope: zero,
            speed: zero,
            up: DVec3x8::new(zero, zero, zero),
        }
    }

    /// Of surfaces by wheels that have these frames.
    #[inline(always)]
    fn take_down(&mut self, normal: DVec3x8<S>, frames: &Frames<S>) {
        self.up = normal * (1.0 / normal.length());
        self.slope = -self.up.dot(frames.to_world.z_axis);
        self.speed = self.up.dot(frames.velocity);
    }

    /// Those that begin after the sub-step does.
    #[inline(always)]
    pub fn are_within(&self) -> Mask8<S> {
        self.happen & self.share.lt(self.share.like(1.0))
    }

    /// Takes down the forces at the moments of contact, by when the wheels' speeds have changed by that much more than was
    /// foretold.
    #[inline(always)]
    pub fn record(&self, wheels: &mut Wheels<S>, parameters: &WheelParameters, change: DVec3x8<S>) {
        let first = forces_at_first_touch(parameters, self.slope, self.speed + self.up.dot(change));
        let pressing = first.max(first.like(0.0));
        let pressing = if parameters.clamp_to_max_force { pressing.min(wheels.grip.max_force) } else { pressing };
        let peak = wheels.force.length() * (pressing / wheels.normal_force);
        wheels.peak_force = self.are_within().select(wheels.peak_force.max(peak), wheels.peak_force);
    }
}

impl<S: Simd> MovingFrames<S> {
    /// A wheel's frames on the bodies, and how they move on.
    #[inline(always)]
    pub fn new(bodies: &Bodies<S>, accelerations: &Accelerations<S>, place: DVec3x8<S>, frames: Frames<S>) -> Self {
        Self {
            frames,
            rate: bodies.to_world.times(bodies.rate),
            acceleration: accelerations.linear + bodies.to_world.times(accelerations.angular.cross(place)),
        }
    }

    /// The frames some time \[s\] later, or earlier: moved, not turned.
    #[inline(always)]
    fn later(&self, time: F64x8<S>) -> Frames<S> {
        let Frames { origin, to_world, velocity, brake, brake_friction } = self.frames;
        Frames {
            origin: origin + velocity * time,
            to_world,
            velocity: velocity + self.acceleration * time,
            brake,
            brake_friction,
        }
    }
}
