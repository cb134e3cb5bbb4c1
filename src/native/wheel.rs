//! Job `wheel`: eight pebble-and-spring wheels, step by step (document 000, "Complete Wheel Model"; errata R1 to R14).
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. A force is the one on the pebble until a step is done; the step keeps the
//! one on the airframe. Primed quantities are in pebble-border coordinates: X along the rolling direction in the
//! surface, Y across it in the surface, Z into the surface.

use super::border::{Border, border_axes, case_number};
use super::rotation::Matrices;
use super::strut::{axial_damping, axial_force};
use super::surface::NONE;
use super::surface_drag::speed_along;
use super::underfoot::{Ground, NO_NUMBER};
use crate::query::{ClipCase, WheelContact, WheelParameters, WheelState, WheelStep};
use crate::scene::{Material, MaterialId};
use crate::wide::{Eight, Truth, Wide, Wide3};

/// Wheel frames during one step.
pub(super) struct Frames<S: Eight> {
    pub origin: Wide3<S>,
    pub to_world: Matrices<S>,
    pub velocity: Wide3<S>,
    pub brake: Wide<S>,
    pub brake_friction: Wide<S>,
}

/// Eight wheels between two steps, with what the last step gave: a [`WheelStep`] in each lane. Wheels that are neither
/// broken, slipping nor standing are free.
#[derive(Clone)]
pub(super) struct Wheels<S: Eight> {
    pub broken: Truth<S>,
    pub slipping: Truth<S>,
    pub standing: Truth<S>,
    pub pebble: Wide3<S>,
    pub(super) normal: Wide3<S>,
    /// Leaves, or [`NO_NUMBER`].
    leaf: Wide<S>,
    pub(super) grip: Grip<S>,
    pub force: Wide3<S>,
    pub application: Wide3<S>,
    pub normal_force: Wide<S>,
    pub compression: Wide<S>,
    pub friction: Wide<S>,
    /// Numbers of [`ClipCase`].
    clip_case: Wide<S>,
    pub over_max_force: Truth<S>,
}

/// What the materials under eight pebbles bear and hold.
#[derive(Clone)]
pub(super) struct Grip<S: Eight> {
    /// Materials, or [`NO_NUMBER`].
    pub material: Wide<S>,
    standing: Wide<S>,
    slipping: Wide<S>,
    /// Where friction while slipping depends on speed.
    by_speed: Truth<S>,
    max_force: Wide<S>,
    /// Rolling resistance of the ground.
    pub rolling: Wide<S>,
    /// Where that depends on speed.
    pub rolling_by_speed: Truth<S>,
    pub fluid_depth: Wide<S>,
    pub fluid_density: Wide<S>,
}

impl<S: Eight> Frames<S> {
    /// World places of points of the frames.
    #[inline(always)]
    fn at(&self, x: Wide<S>, y: Wide<S>, z: f64) -> Wide3<S> {
        self.origin + self.to_world.times(Wide3::new(x, y, x.like(z)))
    }
}

impl<S: Eight> Grip<S> {
    /// On nothing that has a name: no friction, no limit.
    fn none(simd: S) -> Self {
        let zero = Wide::zero(simd);
        Self {
            material: zero.like(NO_NUMBER),
            standing: zero,
            slipping: zero,
            by_speed: Truth::none(simd),
            max_force: zero.like(f64::INFINITY),
            rolling: zero,
            rolling_by_speed: Truth::none(simd),
            fluid_depth: zero,
            fluid_density: zero,
        }
    }

    /// Looks materials up in the lanes where they have changed.
    fn change(&mut self, lookup: &[Material], material: Wide<S>) {
        for lane in (!material.eq(self.material)).lanes() {
            let found = lookup.get(material.get(lane) as usize);
            self.standing.set(lane, found.map_or(0.0, |material| material.static_friction));
            self.slipping.set(lane, found.map_or(0.0, |material| material.dynamic_friction));
            self.by_speed.set(lane, found.is_some_and(|material| !material.dynamic_friction_by_speed.is_empty()));
            self.max_force.set(lane, found.map_or(f64::INFINITY, |material| material.max_force));
            let drag = found.map(|material| &material.drag);
            self.rolling.set(lane, drag.map_or(0.0, |drag| drag.rolling_resistance));
            self.rolling_by_speed.set(lane, drag.is_some_and(|drag| !drag.rolling_resistance_by_speed.is_empty()));
            self.fluid_depth.set(lane, drag.map_or(0.0, |drag| drag.fluid_depth));
            self.fluid_density.set(lane, drag.map_or(0.0, |drag| drag.fluid_density));
        }
        self.material = material;
    }
}

impl<S: Eight> Wheels<S> {
    /// In the air, at no place.
    pub fn in_air(simd: S) -> Self {
        let (zero, zeros, none) = (Wide::zero(simd), Wide3::zero(simd), Truth::none(simd));
        Self {
            broken: none,
            slipping: none,
            standing: none,
            pebble: zeros,
            normal: zeros,
            leaf: zero.like(NO_NUMBER),
            grip: Grip::none(simd),
            force: zeros,
            application: zeros,
            normal_force: zero,
            compression: zero,
            friction: zero,
            clip_case: case_number(zero, ClipCase::NotComputed),
            over_max_force: none,
        }
    }

    /// The wheel of a lane with its last step.
    pub fn get(&self, lane: usize) -> WheelStep {
        let state = if self.broken.get(lane) {
            WheelState::Broken
        } else if self.slipping.get(lane) {
            WheelState::Slipping
        } else if self.standing.get(lane) {
            WheelState::Standing
        } else {
            WheelState::Free
        };
        let named = |numbers: Wide<S>| Some(numbers.get(lane) as u32).filter(|&number| number != NONE);
        let clip_case = self.clip_case.get(lane) - f64::from(ClipCase::NotComputed as i8);
        WheelStep {
            contact: WheelContact {
                state,
                pebble: self.pebble.get(lane),
                normal: self.normal.get(lane),
                material: named(self.grip.material).map(MaterialId),
                leaf: named(self.leaf),
            },
            force: self.force.get(lane),
            application: self.application.get(lane),
            normal_force: self.normal_force.get(lane),
            compression: self.compression.get(lane),
            friction: self.friction.get(lane),
            clip_case: ClipCase::ALL[clip_case as usize],
            over_max_force: self.over_max_force.get(lane),
        }
    }

    /// Puts a wheel with its last step into a lane.
    pub fn set(&mut self, lane: usize, step: &WheelStep, ground: &Ground<'_>) {
        let WheelStep { contact, force, application, normal_force, compression, friction, clip_case, over_max_force } =
            *step;
        self.broken.set(lane, contact.state == WheelState::Broken);
        self.slipping.set(lane, contact.state == WheelState::Slipping);
        self.standing.set(lane, contact.state == WheelState::Standing);
        self.pebble.set(lane, contact.pebble);
        self.normal.set(lane, contact.normal);
        self.leaf.set(lane, f64::from(contact.leaf.unwrap_or(NONE)));
        let mut material = self.grip.material;
        material.set(lane, f64::from(contact.material.map_or(NONE, |material| material.0)));
        self.grip.change(ground.materials, material);
        self.force.set(lane, force);
        self.application.set(lane, application);
        self.normal_force.set(lane, normal_force);
        self.compression.set(lane, compression);
        self.friction.set(lane, friction);
        self.clip_case.set(lane, f64::from(clip_case as i8));
        self.over_max_force.set(lane, over_max_force);
    }

    /// Where wheels slip or stand.
    #[inline(always)]
    pub fn touching(&self) -> Truth<S> {
        self.slipping | self.standing
    }

    /// Where wheels are in the air.
    #[inline(always)]
    pub fn free(&self) -> Truth<S> {
        !(self.broken | self.touching())
    }

    /// One step of the wheels in the lanes asked for; the others hold nothing of use afterwards. `friction_scale`
    /// multiplies every friction coefficient.
    #[inline(always)]
    pub fn advance(
        &mut self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        frames: &Frames<S>,
        friction_scale: Wide<S>,
        lanes: Truth<S>,
    ) {
        let (free, touching) = (self.free(), self.touching());
        let rolled = if (touching & lanes).any() {
            self.roll(ground, parameters, frames, friction_scale)
        } else {
            Rolled::nothing(friction_scale)
        };
        let Rolled { crushed, inside, moving, .. } = rolled;

        let zero = rolled.x.like(0.0);
        let (zeros, nothing) = (Wide3::new(zero, zero, zero), zero.like(NO_NUMBER));
        // R13: no force in the step that finds the contact. A moved pebble is looked for below its new place.
        let x1 = frames.at(rolled.x, rolled.y, parameters.z_min);
        let x2 = frames.at(rolled.x, rolled.y, parameters.z_max);
        let searched = (free | moving) & lanes;
        let surface = ground.find(x1, x2, searched);
        let hit = searched & surface.hit & !surface.lambda.ge(surface.lambda.like(1.0));
        // R7: a wheel that starts inside is broken.
        let begins_inside = surface.lambda.eq(zero) | surface.leaf.eq(nothing);
        let found = hit & !begins_inside;

        let kept = self.broken | crushed | inside;
        self.pebble = kept.select3(self.pebble, found.select3(x1 + (x2 - x1) * surface.lambda, zeros));
        self.normal = kept.select3(self.normal, found.select3(surface.normal, zeros));
        self.leaf = kept.select(self.leaf, found.select(surface.leaf, nothing));
        let material = kept.select(self.grip.material, found.select(surface.material, nothing));
        if (!material.eq(self.grip.material)).any() {
            self.grip.change(ground.materials, material);
        }
        self.broken = self.broken | crushed | (hit & begins_inside);
        self.standing = inside | (found & free);
        self.slipping = found & moving;

        // Over an edge, or taking off, the pebble has no ground to push against.
        let pushes = inside | (found & moving);
        self.force = pushes.select3(rolled.force, zeros);
        self.application = pushes.select3(self.pebble, frames.origin);
        self.normal_force = pushes.select(rolled.normal_force, zero);
        self.compression = pushes.select(rolled.compression, zero);
        self.friction = pushes.select(rolled.friction, zero);
        self.clip_case = rolled.clip_case;
        self.over_max_force = pushes & rolled.over_max_force;
    }

    /// States 2 and 3: the force of the springs, clipped against the pebble border.
    #[inline(always)]
    fn roll(
        &self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        frames: &Frames<S>,
        friction_scale: Wide<S>,
    ) -> Rolled<S> {
        let touching = self.touching();
        let zero = friction_scale.like(0.0);
        let to_world = &frames.to_world;
        let pebble = to_world.transposed_times(self.pebble - frames.origin);
        let off = touching & pebble.z.ge(friction_scale.like(parameters.z_max));
        let crushed = touching & !off & pebble.z.le(friction_scale.like(parameters.z_min));
        let sprung = touching & !off & !crushed;

        let border = Border {
            axes: border_axes(to_world.transposed_times(self.normal)),
            friction: friction_scale * self.grip_friction(ground, frames),
            brake: frames.brake,
            per_load: self.rolling_resistance(ground, parameters, frames.velocity) + frames.brake_friction,
            caster: parameters.caster,
        };
        let down = border.axes.z_axis;
        // R8: the pebble rests, so its speed relative to the wheel frame is the frame's own, reversed.
        let mut force = spring_force(parameters, pebble, to_world.transposed_times(-frames.velocity), down);
        let max_force = self.grip.max_force;
        let pressing = force.dot(down);
        let over_max_force = pressing.gt(max_force);
        if parameters.clamp_to_max_force {
            force = over_max_force.select3(force - down * (pressing - max_force), force);
        }

        let clipped = border.clip(force);
        let moving = sprung & !(clipped.nothing_presses | clipped.inside);
        let (x, y) = if moving.any() {
            // R9: the pebble moves to where the springs alone would hold it, without their horizontal damping. Where
            // nothing of these forces presses the border is a point, and the pebble follows the wheel.
            let elastic = Wide3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, force.z);
            let held = border.clip(elastic);
            let held_x = held.nothing_presses.select(zero, held.force.x);
            let held_y = held.nothing_presses.select(zero, held.force.y);
            (moving.select(held_x / parameters.k_xy, zero), moving.select(held_y / parameters.k_xy, zero))
        } else {
            (zero, zero)
        };
        let mut on_airframe = -to_world.times(clipped.force);
        if let Some(tyre) = &parameters.tyre {
            let (drag, wet) = self.displacement_drag(tyre, frames.velocity);
            on_airframe = wet.select3(on_airframe - drag, on_airframe);
        }
        Rolled {
            crushed,
            inside: sprung & clipped.inside,
            moving,
            x,
            y,
            force: on_airframe,
            normal_force: if parameters.clamp_to_max_force { pressing.min(max_force) } else { pressing },
            compression: (parameters.z_zero - pebble.z).max(zero),
            friction: border.friction,
            clip_case: sprung.select(clipped.clip_case, case_number(zero, ClipCase::NotComputed)),
            over_max_force,
        }
    }

    /// Static friction while standing, dynamic friction at the speed along the surface while slipping.
    #[inline(always)]
    fn grip_friction(&self, ground: &Ground<'_>, frames: &Frames<S>) -> Wide<S> {
        let mut friction = self.standing.select(self.grip.standing, self.grip.slipping);
        let by_speed = self.grip.by_speed & self.slipping;
        if by_speed.any() {
            for lane in by_speed.lanes() {
                let material = &ground.materials[self.grip.material.get(lane) as usize];
                let speed = speed_along(frames.velocity.get(lane), self.normal.get(lane));
                friction.set(lane, material.dynamic_friction_at(speed));
            }
        }
        friction
    }
}

/// What the springs of touching wheels do in a step.
struct Rolled<S: Eight> {
    /// Compressed beyond their travel: these break.
    crushed: Truth<S>,
    /// The pebble keeps its place.
    inside: Truth<S>,
    /// The pebble moves to the surface below (x, y) of the wheel frame; zero in all other lanes.
    moving: Truth<S>,
    x: Wide<S>,
    y: Wide<S>,
    /// On the airframe, world, if there is ground to push against.
    force: Wide3<S>,
    normal_force: Wide<S>,
    compression: Wide<S>,
    friction: Wide<S>,
    clip_case: Wide<S>,
    over_max_force: Truth<S>,
}

impl<S: Eight> Rolled<S> {
    #[inline(always)]
    fn nothing(like: Wide<S>) -> Self {
        let (zero, none) = (like.like(0.0), Truth::none(like.simd()));
        Self {
            crushed: none,
            inside: none,
            moving: none,
            x: zero,
            y: zero,
            force: Wide3::new(zero, zero, zero),
            normal_force: zero,
            compression: zero,
            friction: zero,
            clip_case: case_number(zero, ClipCase::NotComputed),
            over_max_force: none,
        }
    }
}

/// The document's F(p, w) with the damping split along the surface's normal (R10).
#[inline(always)]
fn spring_force<S: Eight>(
    parameters: &WheelParameters,
    pebble: Wide3<S>,
    velocity: Wide3<S>,
    down: Wide3<S>,
) -> Wide3<S> {
    let axial = axial_force(parameters, pebble.z);
    let elastic = Wide3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, axial);
    let normal_speed = velocity.dot(down);
    let normal_velocity = down * normal_speed;
    let damping = axial_damping(parameters, normal_speed);
    elastic + (velocity - normal_velocity) * pebble.x.like(parameters.d_xy) + normal_velocity * damping
}
