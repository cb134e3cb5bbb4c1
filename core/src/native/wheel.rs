//! Job `wheel`: eight pebble-and-spring wheels, step by step (docs/theory/wheels.md).
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. A force is the one on the pebble until a step is done; the step keeps the
//! one on the airframe. Primed quantities are in pebble-border coordinates: X along the rolling direction in the
//! surface, Y across it in the surface, Z into the surface.

use super::border::{Border, Met, border_axes, case_number};
use super::grip::Grip;
use super::ground_query::{Ground, NO_NUMBER};
use super::rotation::Matrices;
use super::spring::{Pressing, Spring, elastic_force, held_places};
use super::strut::{axial_damping, axial_force};
use super::surface::NONE;
use crate::query::{ClipCase, WheelContact, WheelParameters, WheelState, WheelStep};
use crate::scene::MaterialId;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Wheel frames during one step.
pub(super) struct Frames<S: Simd> {
    pub origin: DVec3x8<S>,
    pub to_world: Matrices<S>,
    pub velocity: DVec3x8<S>,
    pub brake: F64x8<S>,
    pub brake_friction: F64x8<S>,
}

/// Eight wheels between two steps, with what the last step gave: a [`WheelStep`] in each lane. Wheels that are neither
/// broken, slipping nor standing are free.
#[derive(Clone)]
pub(super) struct Wheels<S: Simd> {
    pub broken: Mask8<S>,
    pub slipping: Mask8<S>,
    pub standing: Mask8<S>,
    pub pebble: DVec3x8<S>,
    pub(super) normal: DVec3x8<S>,
    /// Leaves and materials, or [`NO_NUMBER`].
    leaf: F64x8<S>,
    material: F64x8<S>,
    pub(super) grip: Grip<S>,
    pub force: DVec3x8<S>,
    pub application: DVec3x8<S>,
    pub normal_force: F64x8<S>,
    pub compression: F64x8<S>,
    pub friction: F64x8<S>,
    /// Numbers of [`ClipCase`].
    clip_case: F64x8<S>,
    pub over_max_force: Mask8<S>,
    /// Within the last step.
    pub peak_force: F64x8<S>,
    pub peak_compression: F64x8<S>,
}

/// Where eight wheels query for ground.
pub(super) struct Footing<'p, S: Simd> {
    /// In the scene, in these lanes.
    pub in_scene: Mask8<S>,
    /// On planes, in the others.
    pub planes: &'p Planes<S>,
    /// Pebbles of wheels that roll or slip press where they come to be, not where they were.
    pub settles: bool,
}

/// The tangent planes at the last ground query of eight wheels.
#[derive(Clone)]
pub(super) struct Planes<S: Simd> {
    /// Where there is one.
    pub known: Mask8<S>,
    pub place: DVec3x8<S>,
    pub normal: DVec3x8<S>,
    leaf: F64x8<S>,
    material: F64x8<S>,
}

impl<S: Simd> Frames<S> {
    /// World places of points of the frames.
    #[inline(always)]
    pub fn at(&self, x: F64x8<S>, y: F64x8<S>, z: F64x8<S>) -> DVec3x8<S> {
        self.origin + self.to_world.times(DVec3x8::new(x, y, z))
    }
}

impl<S: Simd> Planes<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let (zero, zeros) = (F64x8::zero(simd), DVec3x8::zero(simd));
        let nothing = zero.like(NO_NUMBER);
        Self { known: Mask8::none(simd), place: zeros, normal: zeros, leaf: nothing, material: nothing }
    }

    /// What lies under wheels that touch, these planes in the other lanes.
    #[inline(always)]
    pub fn under(&self, wheels: &Wheels<S>) -> Self {
        let touching = wheels.touching();
        Self {
            known: touching | self.known,
            place: touching.select3(wheels.pebble, self.place),
            normal: touching.select3(wheels.normal, self.normal),
            leaf: touching.select(wheels.leaf, self.leaf),
            material: touching.select(wheels.material, self.material),
        }
    }

    /// Scene surfaces hit before the ends of segments, in the selected lanes, and lanes that start inside.
    #[inline(always)]
    pub fn below(ground: &Ground<'_>, x1: DVec3x8<S>, x2: DVec3x8<S>, lanes: Mask8<S>) -> (Self, Mask8<S>) {
        let surface = ground.find(x1, x2, lanes);
        let hit = lanes & surface.hit & !surface.lambda.ge(surface.lambda.like(1.0));
        // R7: a wheel that starts inside is broken.
        let inside = surface.lambda.eq(surface.lambda.like(0.0)) | surface.leaf.eq(surface.leaf.like(NO_NUMBER));
        let found = Self {
            known: hit & !inside,
            place: x1 + (x2 - x1) * surface.lambda,
            normal: surface.normal,
            leaf: surface.leaf,
            material: surface.material,
        };
        (found, hit & inside)
    }

    /// The same where the segments meet these planes.
    #[inline(always)]
    fn met(&self, x1: DVec3x8<S>, x2: DVec3x8<S>, lanes: Mask8<S>) -> (Self, Mask8<S>) {
        let above = self.normal.dot(x1 - self.place);
        let slope = self.normal.dot(x2 - x1);
        let zero = above.like(0.0);
        // A wheel that leans away from the plane does not reach it.
        let reached = lanes & !((above + slope).ge(zero) | slope.ge(zero));
        let inside = reached & above.le(zero);
        let met = Self {
            known: reached & !inside,
            place: x1 + (x2 - x1) * (-above / slope),
            normal: self.normal,
            leaf: self.leaf,
            material: self.material,
        };
        (met, inside)
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    pub fn or(&self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            known: lanes.choose(self.known, others.known),
            place: lanes.select3(self.place, others.place),
            normal: lanes.select3(self.normal, others.normal),
            leaf: lanes.select(self.leaf, others.leaf),
            material: lanes.select(self.material, others.material),
        }
    }
}

impl<S: Simd> Footing<'_, S> {
    /// Results of ground queries along segments, in the selected lanes, and lanes that start inside.
    #[inline(always)]
    fn below(&self, ground: &Ground<'_>, x1: DVec3x8<S>, x2: DVec3x8<S>, lanes: Mask8<S>) -> (Planes<S>, Mask8<S>) {
        let (in_scene, on_planes) = (lanes & self.in_scene, lanes & !self.in_scene);
        if !on_planes.any() {
            return Planes::below(ground, x1, x2, in_scene);
        }
        let (met, inside) = self.planes.met(x1, x2, on_planes);
        if !in_scene.any() {
            return (met, inside);
        }
        let (found, begins_inside) = Planes::below(ground, x1, x2, in_scene);
        (found.or(in_scene, &met), begins_inside | inside)
    }
}

impl<S: Simd> Wheels<S> {
    /// In the air, at no place.
    pub fn in_air(simd: S) -> Self {
        let (zero, zeros, none) = (F64x8::zero(simd), DVec3x8::zero(simd), Mask8::none(simd));
        Self {
            broken: none,
            slipping: none,
            standing: none,
            pebble: zeros,
            normal: zeros,
            leaf: zero.like(NO_NUMBER),
            material: zero.like(NO_NUMBER),
            grip: Grip::none(simd),
            force: zeros,
            application: zeros,
            normal_force: zero,
            compression: zero,
            friction: zero,
            clip_case: case_number(zero, ClipCase::NotComputed),
            over_max_force: none,
            peak_force: zero,
            peak_compression: zero,
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
        let named = |numbers: F64x8<S>| Some(numbers.get(lane) as u32).filter(|&number| number != NONE);
        let clip_case = self.clip_case.get(lane) - f64::from(ClipCase::NotComputed as i8);
        WheelStep {
            contact: WheelContact {
                state,
                pebble: self.pebble.get(lane),
                normal: self.normal.get(lane),
                material: named(self.material).map(MaterialId),
                leaf: named(self.leaf),
            },
            force: self.force.get(lane),
            application: self.application.get(lane),
            normal_force: self.normal_force.get(lane),
            compression: self.compression.get(lane),
            friction: self.friction.get(lane),
            clip_case: ClipCase::ALL[clip_case as usize],
            over_max_force: self.over_max_force.get(lane),
            peak_force: self.peak_force.get(lane),
            peak_compression: self.peak_compression.get(lane),
        }
    }

    /// Puts a wheel with its last step into a lane.
    pub fn set(&mut self, lane: usize, step: &WheelStep, ground: &Ground<'_>) {
        let WheelStep {
            contact,
            force,
            application,
            normal_force,
            compression,
            friction,
            clip_case,
            over_max_force,
            peak_force,
            peak_compression,
        } = *step;
        // A wheel in the air is on nothing, whatever the state says.
        let contact = if contact.state == WheelState::Free { WheelContact::FREE } else { contact };
        self.broken.set(lane, contact.state == WheelState::Broken);
        self.slipping.set(lane, contact.state == WheelState::Slipping);
        self.standing.set(lane, contact.state == WheelState::Standing);
        self.pebble.set(lane, contact.pebble);
        self.normal.set(lane, contact.normal);
        self.leaf.set(lane, f64::from(contact.leaf.unwrap_or(NONE)));
        self.material.set(lane, f64::from(contact.material.map_or(NONE, |material| material.0)));
        let mut own = Mask8::none(self.material.simd());
        own.set(lane, true);
        self.grip.look_up(ground.materials, self.material, own);
        self.force.set(lane, force);
        self.application.set(lane, application);
        self.normal_force.set(lane, normal_force);
        self.compression.set(lane, compression);
        self.friction.set(lane, friction);
        self.clip_case.set(lane, f64::from(clip_case as i8));
        self.over_max_force.set(lane, over_max_force);
        self.peak_force.set(lane, peak_force);
        self.peak_compression.set(lane, peak_compression);
    }

    /// Where wheels slip or stand.
    #[inline(always)]
    pub fn touching(&self) -> Mask8<S> {
        self.slipping | self.standing
    }

    /// Where the grip is that of what wheels are on, and not of what they were on last.
    #[inline(always)]
    pub fn have_grip(&self) -> Mask8<S> {
        self.material.eq(self.grip.of)
    }

    /// Where wheels are in the air.
    #[inline(always)]
    pub fn free(&self) -> Mask8<S> {
        !(self.broken | self.touching())
    }

    /// One step of the wheels in the selected lanes; the others are left undefined. Some of those in the air query for
    /// ground. `friction_scale` multiplies every friction coefficient.
    #[inline(always)]
    pub fn advance(
        &mut self,
        (ground, footing): (&Ground<'_>, &Footing<'_, S>),
        parameters: &WheelParameters,
        frames: &Frames<S>,
        friction_scale: F64x8<S>,
        (lanes, looking): (Mask8<S>, Mask8<S>),
    ) {
        let zero = friction_scale.like(0.0);
        let (low, high) = (zero.like(parameters.z_max), zero.like(parameters.z_min));
        // R13: the step that finds the contact gives its force.
        let looking = looking & self.free() & lanes;
        if looking.any() {
            let (found, inside) =
                footing.below(ground, frames.at(zero, zero, high), frames.at(zero, zero, low), looking);
            self.put_down(ground, &found, looking);
            self.standing = self.standing | found.known;
            self.broken = self.broken | inside;
        }
        if !(self.touching() & lanes).any() {
            self.hang(frames.origin);
            return;
        }
        let rolled = self.roll(ground, parameters, frames, friction_scale, footing.settles);
        let Rolled { crushed, inside, moving, .. } = rolled;

        // A moved pebble is looked for below its new place.
        let x1 = frames.at(rolled.x, rolled.y, high);
        let x2 = frames.at(rolled.x, rolled.y, low);
        let (mut found, begins_inside) = footing.below(ground, x1, x2, moving & lanes);
        let settles = if footing.settles { found.known } else { Mask8::none(zero.simd()) };
        let spring = &rolled.spring;
        // Where pebbles neither settle nor stay, over an edge, say, the borders clip what presses before.
        let first = &rolled.pressing;
        let mut pressed = if (moving & lanes & !settles).any() { spring.clipped(first) } else { first.kept() };
        let mut depth = rolled.depth;
        if settles.any() {
            let place = frames.to_world.transposed_times(found.place - frames.origin);
            let settled = spring.pressing(parameters, place);
            pressed = spring.clipped(&settled).or(settles, &pressed);
            depth = settles.select(place.z, depth);
            // R5: nothing presses the wheel against the ground.
            found.known = found.known & !settled.met.nothing_presses;
        }
        self.put_down(ground, &found, !(self.broken | crushed | inside));
        self.broken = self.broken | crushed | begins_inside;
        self.standing = inside;
        self.slipping = found.known;

        // Over an edge, or taking off, the pebble has no ground to push against.
        let zeros = DVec3x8::new(zero, zero, zero);
        let pushes = inside | found.known;
        let mut force = -frames.to_world.times(pressed.clipped.force);
        if let Some((drag, wet)) = rolled.drag {
            force = wet.select3(force - drag, force);
        }
        self.force = pushes.select3(force, zeros);
        self.application = pushes.select3(self.pebble, frames.origin);
        self.normal_force = pushes.select(pressed.normal_force, zero);
        self.compression = pushes.select((parameters.z_zero - depth).max(zero), zero);
        self.friction = pushes.select(rolled.spring.border.friction, zero);
        self.clip_case = rolled.sprung.select(pressed.clipped.clip_case, case_number(zero, ClipCase::NotComputed));
        self.over_max_force = pushes & pressed.over_max_force;
        self.peak_force = self.force.length();
        self.peak_compression = self.compression;
    }

    /// A step in which no wheel touches, with the wheels at these places: no forces.
    #[inline(always)]
    pub fn hang(&mut self, origin: DVec3x8<S>) {
        let zero = self.leaf.like(0.0);
        let (zeros, nothing) = (DVec3x8::new(zero, zero, zero), zero.like(NO_NUMBER));
        self.pebble = self.broken.select3(self.pebble, zeros);
        self.normal = self.broken.select3(self.normal, zeros);
        self.leaf = self.broken.select(self.leaf, nothing);
        self.force = zeros;
        self.application = origin;
        self.normal_force = zero;
        self.compression = zero;
        self.friction = zero;
        self.clip_case = case_number(zero, ClipCase::NotComputed);
        self.over_max_force = Mask8::none(zero.simd());
        self.peak_force = zero;
        self.peak_compression = zero;
    }

    /// Puts pebbles onto what was found, or nowhere, in some lanes.
    #[inline(always)]
    fn put_down(&mut self, ground: &Ground<'_>, found: &Planes<S>, lanes: Mask8<S>) {
        let zero = self.leaf.like(0.0);
        let (zeros, nothing) = (DVec3x8::new(zero, zero, zero), zero.like(NO_NUMBER));
        self.pebble = lanes.select3(found.known.select3(found.place, zeros), self.pebble);
        self.normal = lanes.select3(found.known.select3(found.normal, zeros), self.normal);
        self.leaf = lanes.select(found.known.select(found.leaf, nothing), self.leaf);
        self.material = lanes.select(found.known.select(found.material, nothing), self.material);
        self.grip.look_up(ground.materials, self.material, lanes & found.known);
    }

    /// By JSBSim's ground reactions: wheels with points of contact on these planes in some lanes; those that are kept
    /// stay as they are, and the others are on nothing.
    #[inline(always)]
    pub fn put_on(
        &mut self,
        ground: &Ground<'_>,
        planes: &Planes<S>,
        points: DVec3x8<S>,
        lanes: Mask8<S>,
        kept: Mask8<S>,
    ) {
        let zero = self.leaf.like(0.0);
        let (zeros, nothing) = (DVec3x8::new(zero, zero, zero), zero.like(NO_NUMBER));
        self.pebble = lanes.select3(points, kept.select3(self.pebble, zeros));
        self.normal = lanes.select3(planes.normal, kept.select3(self.normal, zeros));
        self.leaf = lanes.select(planes.leaf, kept.select(self.leaf, nothing));
        self.material = lanes.select(planes.material, kept.select(self.material, nothing));
        self.grip.look_up(ground.materials, self.material, lanes);
    }

    /// By JSBSim's ground reactions: wheels without a force.
    #[inline(always)]
    pub fn rest_without_force(&mut self) {
        let zero = self.leaf.like(0.0);
        self.normal_force = zero;
        self.compression = zero;
        self.friction = zero;
        self.clip_case = case_number(zero, ClipCase::NotComputed);
    }

    /// By JSBSim's ground reactions: forces normal to the ground of struts with these compressions \[m\] and closing
    /// speeds \[m/s\] at these cosines to its normal, and where they are above the materials' maximum force.
    #[inline(always)]
    pub fn strut_force(
        &self,
        parameters: &WheelParameters,
        compression: F64x8<S>,
        closing: F64x8<S>,
        slope: F64x8<S>,
    ) -> (F64x8<S>, Mask8<S>) {
        let damping = axial_damping(parameters, -closing) * -closing;
        let spring = axial_force(parameters, parameters.z_max - compression);
        let pressed = (spring + damping).max(slope.like(0.0)) / slope;
        let over_max_force = pressed.gt(self.grip.max_force);
        let clamped = if parameters.clamp_to_max_force { pressed.min(self.grip.max_force) } else { pressed };
        (clamped, over_max_force)
    }

    /// By JSBSim's ground reactions: friction of the ground, by speed where its material says how, else static.
    #[inline(always)]
    pub fn ground_friction(&mut self, ground: &Ground<'_>, speed: F64x8<S>, lanes: Mask8<S>) -> F64x8<S> {
        let by_speed = self.grip.by_speed & lanes;
        if !by_speed.any() {
            return self.grip.standing;
        }
        by_speed.select(self.grip.slipping_at(ground.materials, speed, by_speed), self.grip.standing)
    }

    /// Takes down how the force was bounded.
    #[inline(always)]
    pub fn mark(&mut self, clip_case: F64x8<S>) {
        self.clip_case = clip_case;
    }

    /// States 2 and 3: the force of the springs, clipped against the pebble border.
    #[inline(always)]
    fn roll(
        &mut self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        frames: &Frames<S>,
        friction_scale: F64x8<S>,
        settles: bool,
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
        let spring = Spring {
            border,
            // R8: the pebble rests, so its speed relative to the wheel frame is the frame's own, reversed.
            velocity: to_world.transposed_times(-frames.velocity),
            max_force: self.grip.max_force,
        };
        let pressing = spring.pressing(parameters, pebble);
        let Met { nothing_presses, inside, .. } = pressing.met;
        // R5; where the pebble settles, only when nothing presses there either.
        let moving = if settles { sprung & !inside } else { sprung & !(nothing_presses | inside) };
        let (x, y) = if moving.any() {
            // R9: the pebble moves to where the springs alone would hold it. Springs that do not press hold nothing, and
            // the pebble follows the wheel.
            let mut met = spring.border.meet(elastic_force(parameters, pebble));
            let limited = moving & !met.inside;
            if settles && limited.any() {
                met = spring.border.followed(limited, parameters, pebble.z, &met);
            }
            let held = spring.border.clip(&met).force;
            let taken = if settles { spring.border.taken_across(held, &met) } else { held.z - met.force.z };
            let (x, y) = held_places(parameters, held, taken, spring.border.axes.z_axis);
            let held = moving & !met.nothing_presses;
            (held.select(x, zero), held.select(y, zero))
        } else {
            (zero, zero)
        };
        let mut drag = None;
        if let Some(tyre) = &parameters.tyre {
            drag = Some(self.displacement_drag(tyre, frames.velocity));
        }
        Rolled { crushed, sprung, inside: sprung & inside, moving, x, y, depth: pebble.z, drag, spring, pressing }
    }

    /// Static friction while standing, dynamic friction at the speed along the surface while slipping.
    #[inline(always)]
    fn grip_friction(&mut self, ground: &Ground<'_>, frames: &Frames<S>) -> F64x8<S> {
        let friction = self.standing.select(self.grip.standing, self.grip.slipping);
        let by_speed = self.grip.by_speed & self.slipping;
        if !by_speed.any() {
            return friction;
        }
        let speed = frames.velocity.reject_from(self.normal).length();
        by_speed.select(self.grip.slipping_at(ground.materials, speed, by_speed), friction)
    }
}

/// What touching wheels do in a step before their pebbles are moved.
struct Rolled<S: Simd> {
    /// Compressed beyond their travel: these break.
    crushed: Mask8<S>,
    /// Within their travel: these give forces.
    sprung: Mask8<S>,
    /// The pebble keeps its place.
    inside: Mask8<S>,
    /// The pebble moves to the surface below (x, y) of the wheel frame; zero in all other lanes.
    moving: Mask8<S>,
    x: F64x8<S>,
    y: F64x8<S>,
    /// The pebble's place on the Z axis.
    depth: F64x8<S>,
    /// Displacement drag, world, and where it applies; `None` without tyres.
    drag: Option<(DVec3x8<S>, Mask8<S>)>,
    spring: Spring<S>,
    pressing: Pressing<S>,
}
