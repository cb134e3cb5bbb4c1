//! The gear of eight vehicles in a step by JSBSim's ground reactions, as documented in the reference.
//!
//! # Conventions
//! Body axes unless stated. Forces act on the airframes.

use super::body::{Accelerations, Bodies, Loads, Masses};
use super::gear::Footholds;
use super::pilot::Controls;
use crate::elementary::{hypot, sin_cos};
use crate::native::border::case_number;
use crate::native::ground_query::Ground;
use crate::native::wheel::{Planes, Wheels};
use crate::query::ClipCase;
use crate::query::ground_reactions::{
    MAX_FRICTION_SWEEPS, MIN_SLIP_SPEED, OWN_FRICTION_GROUND, SETTLED_FRICTION, side_friction,
};
use crate::query::rules::LIVELY_SPEED;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::vehicle::Wheel;

/// The same wheel's points of contact in a sub-step of eight landings.
#[derive(Clone)]
pub(super) struct Contacts<S: Simd> {
    /// Where there is one.
    pub happen: Mask8<S>,
    up: DVec3x8<S>,
    arm: DVec3x8<S>,
    normal_force: F64x8<S>,
    drag: DVec3x8<S>,
    /// Along the rolling direction, or that of motion, and across it.
    friction: [Friction<S>; 2],
}

/// Friction along a direction of the ground.
#[derive(Clone, Copy)]
struct Friction<S: Simd> {
    direction: DVec3x8<S>,
    low: F64x8<S>,
    high: F64x8<S>,
    /// \[N\].
    force: F64x8<S>,
    /// Moment \[m\] and accelerations that a newton of it gives.
    lever: DVec3x8<S>,
    linear: DVec3x8<S>,
    angular: DVec3x8<S>,
    /// How much faster the point is along the direction at the end of the sub-step for each newton.
    give: F64x8<S>,
}

/// What is the same for all wheels in a sub-step.
pub(super) struct Moment<'m, S: Simd> {
    pub ground: &'m Ground<'m>,
    pub controls: &'m Controls<S>,
    pub friction_scale: F64x8<S>,
    /// At the start of the sub-step, and in its middle.
    pub start: &'m Bodies<S>,
    pub middle: &'m Bodies<S>,
    /// Of the sub-step \[s\].
    pub length: F64x8<S>,
    /// In which a landing is under way.
    pub lanes: Mask8<S>,
}

/// Least and greatest friction along two directions of the ground \[N\].
type Limits<S> = [(F64x8<S>, F64x8<S>); 2];

/// Where contacts slide, and how fast.
struct Sliding<S: Simd> {
    /// At the start of the sub-step.
    velocity: DVec3x8<S>,
    /// Along the ground.
    along: DVec3x8<S>,
    moves: Mask8<S>,
}

impl<S: Simd> Footholds<S> {
    /// Wheels look down their axes in these lanes as far as they may come in a step of this length \[s\], in whose middle
    /// the bodies are there: where they touch, and where they do so while their struts move or in this step for the
    /// first time.
    #[inline(always)]
    pub fn look_for_contacts(
        &mut self,
        wheels: &mut Wheels<S>,
        ground: &Ground<'_>,
        wheel: &Wheel,
        middle: &Bodies<S>,
        step: f64,
        lanes: Mask8<S>,
    ) -> [Mask8<S>; 2] {
        let simd = lanes.as_numbers().simd();
        let zero = F64x8::zero(simd);
        let place = DVec3x8::splat(simd, wheel.position);
        let origin = middle.at(place);
        let reach = wheel.parameters.z_max + step * middle.velocity_at(place).length();
        let high = origin + middle.to_world.times(DVec3x8::new(zero, zero, zero.like(wheel.parameters.z_min)));
        let low = origin + middle.to_world.times(DVec3x8::new(zero, zero, reach));
        let looking = lanes & !wheels.broken;
        let (found, inside) = Planes::below(ground, high, low, looking);
        if inside.any() {
            // A wheel that has broken is on nothing.
            wheels.put_on(ground, &found, origin, Mask8::none(simd), !inside);
            wheels.broken = wheels.broken | inside;
        }
        self.planes = found.or(lanes, &self.planes);
        let planes = &self.planes;
        let up = planes.normal * (1.0 / planes.normal.length());
        let foot = DVec3x8::splat(simd, wheel.foot());
        let rising = up.dot(middle.velocity_at(foot));
        let touching = planes.known & wheels.touching();
        let moving = touching & rising.abs().gt(zero.like(LIVELY_SPEED));
        let gap_at_end = up.dot(middle.at(foot) - planes.place) + (0.5 * step) * rising;
        let onset = planes.known & !wheels.touching() & gap_at_end.lt(zero);
        [touching, moving | onset]
    }
}

impl<S: Simd> Contacts<S> {
    pub fn none(simd: S) -> Self {
        let (zero, zeros) = (F64x8::zero(simd), DVec3x8::zero(simd));
        let friction = Friction {
            direction: zeros,
            low: zero,
            high: zero,
            force: zero,
            lever: zeros,
            linear: zeros,
            angular: zeros,
            give: zero.like(1.0),
        };
        Self {
            happen: Mask8::none(simd),
            up: zeros,
            arm: zeros,
            normal_force: zero,
            drag: zeros,
            friction: [friction; 2],
        }
    }

    /// The contacts in the middle of a sub-step, before their friction has settled; wheels without one have no force.
    #[inline(always)]
    pub fn press(&mut self, wheels: &mut Wheels<S>, planes: &Planes<S>, wheel: &Wheel, moment: &Moment<'_, S>) {
        let Moment { ground, start, middle, length, .. } = *moment;
        let simd = length.simd();
        let (zero, zeros) = (F64x8::zero(simd), DVec3x8::zero(simd));
        let parameters = &wheel.parameters;
        let (last_force, last_friction) = (wheels.force, wheels.friction);
        let world_up = planes.normal * (1.0 / planes.normal.length());
        let foot = DVec3x8::splat(simd, wheel.foot());
        let place = middle.at(foot);
        let height = world_up.dot(place - planes.place);
        let up = middle.to_world.transposed_times(world_up);
        let slope = if wheel.is_pad() { zero.like(1.0) } else { -up.z };
        let kept = wheels.broken;
        let below = moment.lanes & planes.known & !kept & height.lt(zero) & slope.gt(zero);
        let compression = -height / slope;
        let crushed = below & compression.gt(zero.like(parameters.z_max - parameters.z_min));
        let happen = below & !crushed;
        self.happen = happen;
        let arm = if wheel.is_pad() { foot + up * -height } else { DVec3x8::new(foot.x, foot.y, foot.z - compression) };
        let point = middle.at(arm);
        wheels.broken = kept | crushed;
        wheels.put_on(ground, planes, point, happen, kept);
        wheels.force = zeros;
        wheels.application = happen.select3(point, place);
        if !happen.any() {
            wheels.slipping = happen;
            wheels.standing = happen;
            wheels.rest_without_force();
            return;
        }

        // Nothing that has come to this compression within the sub-step has been faster on average.
        let fastest = compression / (0.5 * length);
        let contact_velocity = middle.to_world.transposed_times(middle.velocity) + middle.rate.cross(arm);
        let closing = (-contact_velocity.dot(up) / slope).clamp(-fastest, fastest);
        let (normal_force, over_max_force) = wheels.strut_force(parameters, compression, closing, slope);

        // Along the ground, at the start of the sub-step.
        let velocity = middle.to_world.transposed_times(start.velocity) + start.rate.cross(arm);
        let along = velocity - up * velocity.dot(up);
        let moves = along.length().gt(zero.like(MIN_SLIP_SPEED));
        let sliding = Sliding { velocity, along, moves };
        wheels.slipping = happen & moves;
        wheels.standing = happen & !moves;
        let directions = directions(wheel, moment, up, &sliding);
        let world_velocity = middle.to_world.times(velocity);
        let speed = world_velocity.reject_from(planes.normal).length();
        let ground_friction = wheels.ground_friction(ground, speed, happen);
        let grip = moment.friction_scale * (ground_friction / OWN_FRICTION_GROUND);
        let resistance = wheels.rolling_resistance(ground, parameters, world_velocity);
        let (limits, friction) =
            limits(wheel, moment, [normal_force, grip, resistance], &sliding, directions, last_friction);
        let before = middle.to_world.transposed_times(last_force);
        self.drag = zeros;
        if let Some(tyre) = &parameters.tyre {
            let (drag, wet) = wheels.displacement_drag(tyre, world_velocity);
            self.drag = wet.select3(middle.to_world.transposed_times(-drag), zeros);
        }
        self.up = up;
        self.arm = arm;
        self.normal_force = normal_force;
        for way in 0..2 {
            let (direction, (low, high)) = (directions[way], limits[way]);
            let own = &mut self.friction[way];
            (own.direction, own.low, own.high) = (direction, low, high);
            own.force = before.dot(direction).clamp(low, high);
        }
        wheels.normal_force = happen.select(normal_force, zero);
        wheels.compression = happen.select(compression, zero);
        wheels.friction = happen.select(friction, zero);
        wheels.over_max_force = wheels.over_max_force | (happen & over_max_force);
        let deepest = wheels.peak_compression.max(compression);
        wheels.peak_compression = happen.select(deepest, wheels.peak_compression);
    }

    /// Adds what presses the wheels and drags them.
    #[inline(always)]
    pub fn pushed(&self, loads: Loads<S>) -> Loads<S> {
        let load = self.load_of(self.up * self.normal_force + self.drag);
        (loads + load).or(self.happen, &loads)
    }

    /// Adds friction.
    #[inline(always)]
    pub fn held_back(&self, loads: Loads<S>) -> Loads<S> {
        (loads + self.load_of(self.rubbed())).or(self.happen, &loads)
    }

    /// What the sub-step gave the wheels.
    #[inline(always)]
    pub fn take_in(&self, wheels: &mut Wheels<S>, middle: &Bodies<S>) {
        let zero = self.normal_force.like(0.0);
        if !self.happen.any() {
            return;
        }
        let force = self.up * self.normal_force + self.drag + self.rubbed();
        let zeros = DVec3x8::new(zero, zero, zero);
        wheels.force = self.happen.select3(middle.to_world.times(force), zeros);
        let [along, across] = self.friction;
        let along = along.force.le(along.low) | along.force.ge(along.high);
        let across = across.force.le(across.low) | across.force.ge(across.high);
        let of = |case| case_number(zero, case);
        let held = across.select(of(ClipCase::Corner), of(ClipCase::Brake));
        let free = across.select(of(ClipCase::Circle), of(ClipCase::Inside));
        wheels.mark(self.happen.select(along.select(held, free), of(ClipCase::NotComputed)));
        let peak = wheels.peak_force.max(wheels.force.length());
        wheels.peak_force = self.happen.select(peak, wheels.peak_force);
    }

    #[inline(always)]
    fn load_of(&self, force: DVec3x8<S>) -> Loads<S> {
        Loads { force, moment: self.arm.cross(force) }
    }

    #[inline(always)]
    fn rubbed(&self) -> DVec3x8<S> {
        let [along, across] = &self.friction;
        along.direction * along.force + across.direction * across.force
    }
}

/// Along the ground: the rolling directions, or those of pads which move, and across them.
#[inline(always)]
fn directions<S: Simd>(wheel: &Wheel, moment: &Moment<'_, S>, up: DVec3x8<S>, sliding: &Sliding<S>) -> [DVec3x8<S>; 2] {
    let zero = moment.length.like(0.0);
    let one = zero.like(1.0);
    let (sine, cosine) = if wheel.parameters.caster {
        // They swivel so that they roll the way they move.
        let velocity = sliding.velocity;
        let speed = hypot(velocity.x, velocity.y);
        let moves = speed.gt(zero);
        (moves.select(velocity.y / speed, zero), moves.select(velocity.x.abs() / speed, one))
    } else {
        let limit = wheel.steering * moment.controls.steering_authority;
        sin_cos(moment.controls.steering.clamp(-limit, limit))
    };
    let rolling = DVec3x8::new(cosine, sine, zero);
    let level = rolling - up * rolling.dot(up);
    let mut along = level * (1.0 / level.length());
    if wheel.is_pad() {
        let slid = sliding.along * (1.0 / sliding.along.length());
        along = sliding.moves.select3(slid, along);
    }
    [along, up.cross(along)]
}

/// Least and greatest friction along the two directions \[N\], and the coefficients of the second \[1\].
#[inline(always)]
fn limits<S: Simd>(
    wheel: &Wheel,
    moment: &Moment<'_, S>,
    [normal_force, grip, resistance]: [F64x8<S>; 3],
    sliding: &Sliding<S>,
    [along, across]: [DVec3x8<S>; 2],
    last_friction: F64x8<S>,
) -> (Limits<S>, F64x8<S>) {
    let zero = grip.like(0.0);
    let Some(own) = wheel.friction else {
        return ([(zero, zero); 2], zero);
    };
    if wheel.is_pad() {
        let coefficient = grip * sliding.moves.select(zero.like(own.moving), zero.like(own.at_rest));
        let most = coefficient * normal_force;
        let at_rest = sliding.moves.select(zero, most);
        return ([(-most, at_rest), (sliding.moves.select(zero, -most), at_rest)], coefficient);
    }
    // At rest it is what it was when the wheel came to it.
    let moving = side_friction(grip * own.at_rest, sliding.along.dot(along), sliding.along.dot(across));
    let side = sliding.moves.select(moving, last_friction);
    let rolling = wheel.parameters.rolling_resistance;
    let pedal = moment.controls.brake;
    let pads = (pedal * wheel.brake).min(grip * (own.at_rest - rolling).max(0.0) * normal_force);
    let braking = pedal * (grip * wheel.brake_friction * normal_force) + pads;
    let along = resistance * normal_force + braking;
    let across = side * normal_force;
    ([(-along, along), (-across, across)], side)
}

/// Finds the friction of all contacts together, as the reference does: each lane until its own has settled. The
/// accelerations are those without friction.
#[inline(always)]
pub(super) fn settle_friction<S: Simd>(
    contacts: &mut [Contacts<S>],
    masses: &Masses<S>,
    moment: &Moment<'_, S>,
    accelerations: &Accelerations<S>,
) {
    let Moment { start, middle, length, .. } = *moment;
    let mut velocity = middle.to_world.transposed_times(start.velocity + accelerations.linear * length);
    let mut rate = start.rate + accelerations.angular * length;
    let mut open = Mask8::none(length.simd());
    for contact in contacts.iter_mut() {
        if !contact.happen.any() {
            continue;
        }
        open = open | contact.happen;
        let Loads { force, moment } = contact.load_of(contact.rubbed());
        let (linear, angular) = masses.accelerations(force, moment);
        velocity = contact.happen.select3(velocity + linear * length, velocity);
        rate = contact.happen.select3(rate + angular * length, rate);
        let arm = contact.arm;
        for own in &mut contact.friction {
            own.lever = arm.cross(own.direction);
            (own.linear, own.angular) = masses.accelerations(own.direction, own.lever);
            own.give = length * (own.direction.dot(own.linear) + own.lever.dot(own.angular));
        }
    }
    let zero = length.like(0.0);
    for _ in 0..MAX_FRICTION_SWEEPS {
        if !open.any() {
            break;
        }
        let mut changed = zero;
        for contact in contacts.iter_mut() {
            let at_work = contact.happen & open;
            if !at_work.any() {
                continue;
            }
            for own in &mut contact.friction {
                let sliding = own.direction.dot(velocity) + own.lever.dot(rate);
                let friction = (own.force - sliding / own.give).clamp(own.low, own.high);
                let change = friction - own.force;
                own.force = at_work.select(friction, own.force);
                velocity = at_work.select3(velocity + own.linear * (length * change), velocity);
                rate = at_work.select3(rate + own.angular * (length * change), rate);
                changed = at_work.select(changed + change.abs(), changed);
            }
        }
        open = open & !changed.lt(zero.like(SETTLED_FRICTION));
    }
}
