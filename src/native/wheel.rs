//! Job `wheel`: eight pebble-and-spring wheels, step by step (document 000, "Complete Wheel Model"; errata R1 to R14).
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. A force is the one on the pebble until a step is done; the step keeps the
//! one on the airframe. Primed quantities are in pebble-border coordinates: X along the rolling direction in the
//! surface, Y across it in the surface, Z into the surface.

use glam::DVec3;

use super::index::SceneIndex;
use super::rotation::Matrices;
use super::surface::{NONE, SurfaceFinder};
use crate::lanes::{LANES, Lanes, Lanes3, Mask};
use crate::query::{ClipCase, WheelContact, WheelParameters, WheelState, WheelStep};
use crate::scene::{Material, MaterialId};

/// What wheels roll on: a scene's surfaces and what they are made of.
pub(super) struct Ground<'a> {
    pub finder: SurfaceFinder<'a>,
    materials: &'a [Material],
}

/// Wheel frames during one step.
pub(super) struct Frames {
    pub origin: Lanes3,
    pub to_world: Matrices,
    pub velocity: Lanes3,
    pub brake: Lanes,
}

/// Eight wheels between two steps, with what the last step gave: a [`WheelStep`] in each lane. Lanes that are neither
/// broken, slipping nor standing are free.
#[derive(Clone)]
pub(super) struct Wheels {
    pub broken: Mask,
    pub slipping: Mask,
    pub standing: Mask,
    pub pebble: Lanes3,
    normal: Lanes3,
    leaf: [u32; LANES],
    grip: Grip,
    pub force: Lanes3,
    pub application: Lanes3,
    pub normal_force: Lanes,
    pub compression: Lanes,
    pub friction: Lanes,
    /// Numbers of [`ClipCase`].
    clip_case: Lanes,
    pub over_max_force: Mask,
}

/// What the materials under eight pebbles bear and hold.
#[derive(Clone)]
struct Grip {
    /// Materials, or [`NONE`].
    material: [u32; LANES],
    standing: Lanes,
    slipping: Lanes,
    /// Where friction while slipping depends on speed.
    by_speed: Mask,
    max_force: Lanes,
}

impl<'a> Ground<'a> {
    pub fn new(index: &'a SceneIndex) -> Self {
        Self { finder: SurfaceFinder::new(index), materials: index.scene().materials() }
    }
}

impl Grip {
    /// On nothing that has a name: no friction, no limit.
    const NONE: Self = Self {
        material: [NONE; LANES],
        standing: Lanes::ZERO,
        slipping: Lanes::ZERO,
        by_speed: Mask::NONE,
        max_force: Lanes([f64::INFINITY; LANES]),
    };

    /// Looks materials up in the lanes where they have changed.
    fn change(&mut self, lookup: &[Material], material: [u32; LANES]) {
        let last = self.material;
        for lane in (0..LANES).filter(|&lane| material[lane] != last[lane]) {
            let found = lookup.get(material[lane] as usize);
            self.material[lane] = material[lane];
            self.standing.0[lane] = found.map_or(0.0, |material| material.static_friction);
            self.slipping.0[lane] = found.map_or(0.0, |material| material.dynamic_friction);
            self.by_speed.set(lane, found.is_some_and(|material| !material.dynamic_friction_by_speed.is_empty()));
            self.max_force.0[lane] = found.map_or(f64::INFINITY, |material| material.max_force);
        }
    }
}

impl Wheels {
    /// In the air, at no place.
    pub const FREE: Self = Self {
        broken: Mask::NONE,
        slipping: Mask::NONE,
        standing: Mask::NONE,
        pebble: Lanes3::ZERO,
        normal: Lanes3::ZERO,
        leaf: [NONE; LANES],
        grip: Grip::NONE,
        force: Lanes3::ZERO,
        application: Lanes3::ZERO,
        normal_force: Lanes::ZERO,
        compression: Lanes::ZERO,
        friction: Lanes::ZERO,
        clip_case: Lanes([ClipCase::NotComputed as i8 as f64; LANES]),
        over_max_force: Mask::NONE,
    };

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
        let named = |number: u32| (number != NONE).then_some(number);
        let clip_case = self.clip_case.0[lane];
        WheelStep {
            contact: WheelContact {
                state,
                pebble: self.pebble.get(lane),
                normal: self.normal.get(lane),
                material: named(self.grip.material[lane]).map(MaterialId),
                leaf: named(self.leaf[lane]),
            },
            force: self.force.get(lane),
            application: self.application.get(lane),
            normal_force: self.normal_force.0[lane],
            compression: self.compression.0[lane],
            friction: self.friction.0[lane],
            clip_case: ClipCase::ALL[(clip_case - f64::from(ClipCase::NotComputed as i8)) as usize],
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
        self.leaf[lane] = contact.leaf.unwrap_or(NONE);
        let mut material = self.grip.material;
        material[lane] = contact.material.map_or(NONE, |material| material.0);
        self.grip.change(ground.materials, material);
        self.force.set(lane, force);
        self.application.set(lane, application);
        self.normal_force.0[lane] = normal_force;
        self.compression.0[lane] = compression;
        self.friction.0[lane] = friction;
        self.clip_case.0[lane] = f64::from(clip_case as i8);
        self.over_max_force.set(lane, over_max_force);
    }

    /// Where wheels slip or stand.
    #[inline(always)]
    pub fn touching(&self) -> Mask {
        self.slipping | self.standing
    }

    /// Where wheels are in the air.
    #[inline(always)]
    pub fn free(&self) -> Mask {
        !(self.broken | self.touching())
    }

    /// One step of the wheels in the lanes asked for; the others hold nothing of use afterwards. `friction_scale`
    /// multiplies every friction coefficient.
    #[inline(always)]
    pub fn advance(
        &mut self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        frames: &Frames,
        friction_scale: Lanes,
        lanes: Mask,
    ) {
        let (free, touching) = (self.free(), self.touching());
        let rolled = if (touching & lanes).any() {
            self.roll(ground, parameters, frames, friction_scale)
        } else {
            Rolled::NOTHING
        };
        let Rolled { crushed, inside, moving, .. } = rolled;

        // R13: no force in the step that finds the contact. A moved pebble is looked for below its new place.
        let at = |z: f64| frames.origin + frames.to_world.times(Lanes3::new(rolled.x, rolled.y, Lanes::splat(z)));
        let (x1, x2) = (at(parameters.z_min), at(parameters.z_max));
        let searched = (free | moving) & lanes;
        let surface = ground.finder.find(&x1, &x2, searched);
        let hit = searched & surface.hit & !surface.lambda.ge(Lanes::splat(1.0));
        // R7: a wheel that starts inside is broken.
        let begins_inside = surface.lambda.eq(Lanes::ZERO) | Mask::from_fn(|lane| surface.leaf[lane] == NONE);
        let found = hit & !begins_inside;

        let kept = self.broken | crushed | inside;
        self.pebble = kept.select3(self.pebble, found.select3(x1 + (x2 - x1) * surface.lambda, Lanes3::ZERO));
        self.normal = kept.select3(self.normal, found.select3(surface.normal, Lanes3::ZERO));
        let nothing = [NONE; LANES];
        self.leaf = kept.select_words(self.leaf, found.select_words(surface.leaf, nothing));
        let material = kept.select_words(self.grip.material, found.select_words(surface.material, nothing));
        if material != self.grip.material {
            self.grip.change(ground.materials, material);
        }
        self.broken = self.broken | crushed | (hit & begins_inside);
        self.standing = inside | (found & free);
        self.slipping = found & moving;

        // Over an edge, or taking off, the pebble has no ground to push against.
        let pushes = inside | (found & moving);
        self.force = pushes.select3(rolled.force, Lanes3::ZERO);
        self.application = pushes.select3(self.pebble, frames.origin);
        self.normal_force = pushes.select(rolled.normal_force, Lanes::ZERO);
        self.compression = pushes.select(rolled.compression, Lanes::ZERO);
        self.friction = pushes.select(rolled.friction, Lanes::ZERO);
        self.clip_case = rolled.clip_case;
        self.over_max_force = pushes & rolled.over_max_force;
    }

    /// States 2 and 3: the force of the springs, clipped against the pebble border.
    #[inline(always)]
    fn roll(
        &self,
        ground: &Ground<'_>,
        parameters: &WheelParameters,
        frames: &Frames,
        friction_scale: Lanes,
    ) -> Rolled {
        let touching = self.touching();
        let to_world = &frames.to_world;
        let pebble = to_world.transposed_times(self.pebble - frames.origin);
        let off = touching & pebble.z.ge(Lanes::splat(parameters.z_max));
        let crushed = touching & !off & pebble.z.le(Lanes::splat(parameters.z_min));
        let sprung = touching & !off & !crushed;

        let border = Border {
            axes: border_axes(to_world.transposed_times(self.normal)),
            friction: friction_scale * self.grip_friction(ground, frames),
            brake: frames.brake,
            rolling_resistance: parameters.rolling_resistance,
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
            let elastic = Lanes3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, force.z);
            let held = border.clip(elastic);
            let place = |held_force: Lanes| {
                let held_force = held.nothing_presses.select(Lanes::ZERO, held_force);
                moving.select(held_force / Lanes::splat(parameters.k_xy), Lanes::ZERO)
            };
            (place(held.force.x), place(held.force.y))
        } else {
            (Lanes::ZERO, Lanes::ZERO)
        };
        Rolled {
            crushed,
            inside: sprung & clipped.inside,
            moving,
            x,
            y,
            force: -to_world.times(clipped.force),
            normal_force: if parameters.clamp_to_max_force { pressing.min(max_force) } else { pressing },
            compression: (parameters.z_zero - pebble.z).max(Lanes::ZERO),
            friction: border.friction,
            clip_case: sprung.select(clipped.clip_case, Wheels::FREE.clip_case),
            over_max_force,
        }
    }

    /// Static friction while standing, dynamic friction at the speed along the surface while slipping.
    #[inline(always)]
    fn grip_friction(&self, ground: &Ground<'_>, frames: &Frames) -> Lanes {
        let mut friction = self.standing.select(self.grip.standing, self.grip.slipping);
        let by_speed = self.grip.by_speed & self.slipping;
        if by_speed.any() {
            for lane in (0..LANES).filter(|&lane| by_speed.get(lane)) {
                let material = &ground.materials[self.grip.material[lane] as usize];
                let speed = speed_along(frames.velocity.get(lane), self.normal.get(lane));
                friction.0[lane] = material.dynamic_friction_at(speed);
            }
        }
        friction
    }
}

fn speed_along(velocity: DVec3, normal: DVec3) -> f64 {
    (velocity - normal * (velocity.dot(normal) / normal.dot(normal))).length()
}

/// What the springs of touching wheels do in a step.
struct Rolled {
    /// Compressed beyond their travel: these break.
    crushed: Mask,
    /// The pebble keeps its place.
    inside: Mask,
    /// The pebble moves to the surface below (x, y) of the wheel frame; zero in all other lanes.
    moving: Mask,
    x: Lanes,
    y: Lanes,
    /// On the airframe, world, if there is ground to push against.
    force: Lanes3,
    normal_force: Lanes,
    compression: Lanes,
    friction: Lanes,
    clip_case: Lanes,
    over_max_force: Mask,
}

impl Rolled {
    const NOTHING: Self = Self {
        crushed: Mask::NONE,
        inside: Mask::NONE,
        moving: Mask::NONE,
        x: Lanes::ZERO,
        y: Lanes::ZERO,
        force: Lanes3::ZERO,
        normal_force: Lanes::ZERO,
        compression: Lanes::ZERO,
        friction: Lanes::ZERO,
        clip_case: Wheels::FREE.clip_case,
        over_max_force: Mask::NONE,
    };
}

/// The document's F(p, w) with the damping split along the surface's normal (R10).
#[inline(always)]
fn spring_force(parameters: &WheelParameters, pebble: Lanes3, velocity: Lanes3, down: Lanes3) -> Lanes3 {
    let elastic = Lanes3::new(
        parameters.k_xy * pebble.x,
        parameters.k_xy * pebble.y,
        parameters.k_z * (pebble.z - parameters.z_zero),
    );
    let normal_velocity = down * velocity.dot(down);
    let (across, along) = (Lanes::splat(parameters.d_xy), Lanes::splat(parameters.d_z));
    elastic + (velocity - normal_velocity) * across + normal_velocity * along
}

/// The document's Q(n) with R2: axes of the pebble border in the wheel frame.
#[inline(always)]
fn border_axes(normal: Lanes3) -> Matrices {
    let z_axis = -(normal * (1.0 / normal.length()));
    // The rolling direction stays in the wheel's XZ plane. A normal along Y leaves it free: X.
    let (x, z) = (z_axis.z, -z_axis.x);
    let factor = 1.0 / (x * x + z * z).sqrt();
    let has_direction = factor.lt(Lanes::splat(f64::INFINITY)) & factor.gt(Lanes::ZERO);
    let x_axis = Lanes3::new(
        has_direction.select(x * factor, Lanes::splat(1.0)),
        Lanes::ZERO,
        has_direction.select(z * factor, Lanes::ZERO),
    );
    Matrices { x_axis, y_axis: z_axis.cross(x_axis), z_axis }
}

/// The regions of horizontal forces that the pebbles can resist.
struct Border {
    axes: Matrices,
    friction: Lanes,
    brake: Lanes,
    rolling_resistance: f64,
}

/// Forces clipped against the pebble border.
struct Clipped {
    force: Lanes3,
    /// Numbers of [`ClipCase`].
    clip_case: Lanes,
    nothing_presses: Mask,
    inside: Mask,
}

impl Border {
    /// "Clipping Force against Pebble Border", cases 1 to 3; forces inside keep their bits.
    #[inline(always)]
    fn clip(&self, force: Lanes3) -> Clipped {
        let primed = self.axes.transposed_times(force);
        let brake = self.brake + self.rolling_resistance * primed.z;
        let circle = self.friction * primed.z;
        let horizontal = (primed.x * primed.x + primed.y * primed.y).sqrt();
        let (along, across) = (primed.x.abs(), primed.y.abs());
        let nothing_presses = primed.z.le(Lanes::ZERO);
        let inside = !nothing_presses & along.le(brake) & horizontal.le(circle);

        let cornered = brake.lt(circle);
        let corner = ((circle - brake) * (circle + brake)).sqrt();
        let by_brake = cornered & across.le(corner);
        let by_corner = cornered & !by_brake & (brake * across).le(along * corner);
        // A horizontal force whose square vanishes has no direction left.
        let scale = horizontal.gt(Lanes::ZERO).select(circle / horizontal, Lanes::ZERO);
        let clipped = Lanes3::new(
            (by_brake | by_corner).select(brake.copysign(primed.x), scale * primed.x),
            by_brake.select(primed.y, by_corner.select(corner.copysign(primed.y), scale * primed.y)),
            primed.z,
        );
        let number = |case: ClipCase| Lanes::splat(f64::from(case as i8));
        let limit = by_brake
            .select(number(ClipCase::Brake), by_corner.select(number(ClipCase::Corner), number(ClipCase::Circle)));
        let unclipped = nothing_presses.select(number(ClipCase::NoPressingForce), number(ClipCase::Inside));
        let kept = nothing_presses | inside;
        Clipped {
            force: kept.select3(force, self.axes.times(clipped)),
            clip_case: kept.select(unclipped, limit),
            nothing_presses,
            inside,
        }
    }
}
