//! Job `wheel`: one step of the pebble-and-spring wheel (docs/theory/wheels.md, with its rules R1 to R14).
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. A force F in this file is the force on the pebble, F'_z > 0 presses on the
//! surface (R1). Primed quantities are in pebble-border coordinates: X along the rolling direction in the surface, Y
//! across it in the surface, Z into the surface.

use glam::{DMat3, DVec2, DVec3};

use super::strut::{axial_damping, axial_force};
use super::surface_drag::{displacement_drag, rolling_resistance};
use super::{Reference, Tracer};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{
    ClipCase, Ray, RayStatus, WheelContact, WheelFrame, WheelParameters, WheelState, WheelStep, Wheels,
};
use crate::scene::{Material, MaterialId, Scene};

impl Computes<Wheels> for Reference {
    fn answers(
        &self,
        (scene, parameters): (&Scene, &WheelParameters),
        runs: &[Vec<WheelFrame>],
    ) -> Result<Vec<Vec<WheelStep>>, EngineError> {
        let tracer = Tracer::new(scene);
        Ok(self.each(1, runs, |frames| run(&tracer, parameters, frames)))
    }
}

/// Moves a wheel that starts in the air through its frames.
fn run(tracer: &Tracer<'_>, parameters: &WheelParameters, frames: &[WheelFrame]) -> Vec<WheelStep> {
    let mut contact = WheelContact::FREE;
    frames
        .iter()
        .map(|frame| {
            let step = step_wheel(tracer, parameters, &contact, frame, 1.0);
            contact = step.contact;
            step
        })
        .collect()
}

/// What a wheel queries for ground.
#[derive(Clone, Copy)]
pub(super) enum Footing<'a, 's> {
    /// The scene.
    Scene(&'a Tracer<'s>),
    /// The plane tangent to it at the last query, within a step of a landing.
    Plane(&'a Scene, &'a Surface),
}

/// A point on the scene's surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub place: DVec3,
    /// As stored in its leaf.
    pub normal: DVec3,
    pub material: Option<MaterialId>,
    pub leaf: Option<u32>,
}

impl Surface {
    /// What is under the pebble of a touching wheel.
    pub fn under(contact: &WheelContact) -> Option<Self> {
        let WheelContact { state: _, pebble, normal, material, leaf } = *contact;
        contact.touches().then_some(Self { place: pebble, normal, material, leaf })
    }

    /// A wheel with its pebble here.
    fn touched(self, state: WheelState) -> WheelContact {
        let Self { place, normal, material, leaf } = self;
        WheelContact { state, pebble: place, normal, material, leaf }
    }
}

/// What lies below a wheel.
pub(super) enum Below {
    Nothing,
    /// The wheel starts inside (R7).
    Inside,
    Ground(Surface),
}

impl Footing<'_, '_> {
    fn scene(&self) -> &Scene {
        match self {
            Self::Scene(tracer) => tracer.scene(),
            Self::Plane(scene, _) => scene,
        }
    }

    /// What a segment hits.
    pub fn below(&self, segment: &Ray) -> Below {
        match self {
            Self::Scene(tracer) => {
                let entry = tracer.entry_point(segment);
                match entry.status {
                    RayStatus::Hit if entry.lambda >= 1.0 => Below::Nothing,
                    RayStatus::Hit if entry.lambda == 0.0 || entry.leaf.is_none() => Below::Inside,
                    RayStatus::Hit => Below::Ground(Surface {
                        place: segment.at(entry.lambda),
                        normal: entry.normal,
                        material: entry.material,
                        leaf: entry.leaf,
                    }),
                    RayStatus::Miss | RayStatus::BadInput | RayStatus::NotConverged => Below::Nothing,
                }
            }
            Self::Plane(_, surface) => {
                let above = surface.normal.dot(segment.x1 - surface.place);
                let slope = surface.normal.dot(segment.x2 - segment.x1);
                // A wheel that leans away from the plane does not reach it.
                if above + slope >= 0.0 || slope >= 0.0 {
                    Below::Nothing
                } else if above <= 0.0 {
                    Below::Inside
                } else {
                    Below::Ground(Surface { place: segment.at(-above / slope), ..**surface })
                }
            }
        }
    }
}

/// Where the pebble of a rolling or slipping wheel presses in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trailing {
    /// At its old position, as in the basic model: it trails by the distance of a step.
    Presses,
    /// At its new position: the force is computed once more there.
    Settles,
}

/// One step of a wheel; `friction_scale` multiplies every friction coefficient.
pub fn step_wheel(
    tracer: &Tracer<'_>,
    parameters: &WheelParameters,
    contact: &WheelContact,
    frame: &WheelFrame,
    friction_scale: f64,
) -> WheelStep {
    step_on((Footing::Scene(tracer), Trailing::Presses), parameters, contact, frame, friction_scale)
}

/// One step of a wheel that queries `footing` for ground.
pub(super) fn step_on(
    (footing, trailing): (Footing<'_, '_>, Trailing),
    parameters: &WheelParameters,
    contact: &WheelContact,
    frame: &WheelFrame,
    friction_scale: f64,
) -> WheelStep {
    let to_world = DMat3::from_quat(frame.orientation);
    // R13: the step that finds the contact gives its force.
    let contact = match contact.state {
        WheelState::Free => find_surface(footing, parameters, frame, &to_world, DVec2::ZERO, WheelState::Standing),
        WheelState::Broken | WheelState::Slipping | WheelState::Standing => *contact,
    };
    if contact.touches() {
        roll((footing, trailing), parameters, &contact, frame, &to_world, friction_scale)
    } else {
        WheelStep::without_force(contact, frame.origin)
    }
}

/// The wheel with its pebble on the surface below a place of its frame: in `state`, free without a surface within its
/// travel, broken when it starts inside (R7).
fn find_surface(
    footing: Footing<'_, '_>,
    parameters: &WheelParameters,
    frame: &WheelFrame,
    to_world: &DMat3,
    place: DVec2,
    state: WheelState,
) -> WheelContact {
    let at = |z: f64| frame.origin + *to_world * place.extend(z);
    match footing.below(&Ray::segment(at(parameters.z_min), at(parameters.z_max))) {
        Below::Nothing => WheelContact::FREE,
        Below::Inside => WheelContact { state: WheelState::Broken, ..WheelContact::FREE },
        Below::Ground(surface) => surface.touched(state),
    }
}

/// States 2 and 3: the force of the springs, clipped against the pebble border.
fn roll(
    (footing, trailing): (Footing<'_, '_>, Trailing),
    parameters: &WheelParameters,
    contact: &WheelContact,
    frame: &WheelFrame,
    to_world: &DMat3,
    friction_scale: f64,
) -> WheelStep {
    let to_wheel = to_world.transpose();
    let pebble = to_wheel * (contact.pebble - frame.origin);
    if pebble.z >= parameters.z_max {
        return WheelStep::without_force(WheelContact::FREE, frame.origin);
    }
    if pebble.z <= parameters.z_min {
        return WheelStep::without_force(WheelContact { state: WheelState::Broken, ..*contact }, frame.origin);
    }

    let surface = contact.material.map(|id| footing.scene().material(id));
    let border = PebbleBorder {
        axes: pebble_border_axes(to_wheel * contact.normal),
        friction: friction_scale * friction(surface, contact, frame.velocity),
        brake: frame.brake,
        per_load: rolling_resistance(parameters, surface, contact, frame.velocity) + frame.brake_friction,
        caster: parameters.caster,
    };
    let spring = Spring {
        parameters,
        border,
        // R8: the pebble rests, so its speed relative to the wheel frame is the frame's own, reversed.
        velocity: to_wheel * -frame.velocity,
        max_force: surface.map_or(f64::INFINITY, |material| material.max_force),
    };
    let mut pressed = spring.pressed(pebble);
    let mut depth = pebble.z;
    let next = match pressed.clip_case {
        ClipCase::NotComputed => return pressed.lifted_off(frame),
        // R5; where the pebble settles, only when nothing presses there either.
        ClipCase::NoPressingForce if trailing == Trailing::Presses => return pressed.lifted_off(frame),
        ClipCase::Inside => WheelContact { state: WheelState::Standing, ..*contact },
        ClipCase::NoPressingForce | ClipCase::Brake | ClipCase::Corner | ClipCase::Circle => {
            // R9: the pebble moves to where the springs alone would hold it. Springs that do not press, relaxed below
            // a wheel that only its damper presses, hold nothing: the pebble must still follow the wheel.
            let elastic = elastic_force(parameters, pebble);
            let (mut held, mut elastic_case) = spring.border.clip(elastic);
            let mut taken = held.z - elastic.z;
            if trailing == Trailing::Settles && elastic_case != ClipCase::Inside {
                let followed = spring.border.followed(parameters, pebble, elastic);
                let (clipped, clip_case) = spring.border.clip_primed(followed);
                (held, elastic_case) = (spring.border.axes * clipped, clip_case);
                // Along, both springs have changed already.
                let across = spring.border.axes.y_axis;
                taken = across.z * (across.dot(held) - followed.y);
            }
            let place = if elastic_case == ClipCase::NoPressingForce {
                DVec2::ZERO
            } else {
                held_place(parameters, held, taken, spring.border.axes.z_axis)
            };
            let next = find_surface(footing, parameters, frame, to_world, place, WheelState::Slipping);
            if trailing == Trailing::Settles && next.touches() {
                let settled = to_wheel * (next.pebble - frame.origin);
                depth = settled.z;
                pressed = spring.pressed(settled);
                if pressed.clip_case == ClipCase::NoPressingForce {
                    return pressed.lifted_off(frame);
                }
            }
            next
        }
    };
    if !next.touches() {
        // Over an edge, or taking off: the pebble has no ground to push against.
        return WheelStep { clip_case: pressed.clip_case, ..WheelStep::without_force(next, frame.origin) };
    }
    let mut force = -(*to_world * pressed.force);
    if let Some(drag) = displacement_drag(parameters, surface, contact, frame.velocity) {
        force -= drag;
    }
    let compression = (parameters.z_zero - depth).max(0.0);
    WheelStep {
        contact: next,
        force,
        application: next.pebble,
        normal_force: pressed.normal_force,
        compression,
        friction: spring.border.friction,
        clip_case: pressed.clip_case,
        over_max_force: pressed.over_max_force,
        peak_force: force.length(),
        peak_compression: compression,
    }
}

/// Springs, dampers and pebble border of a wheel in one step.
struct Spring<'a> {
    parameters: &'a WheelParameters,
    border: PebbleBorder,
    /// Of the pebble in the wheel frame \[m/s\].
    velocity: DVec3,
    /// What the ground bears \[N\].
    max_force: f64,
}

/// The force of the springs on the pebble, clipped against the pebble border: wheel frame.
struct Pressed {
    force: DVec3,
    clip_case: ClipCase,
    normal_force: f64,
    over_max_force: bool,
}

impl Spring<'_> {
    /// With the pebble at a place of the wheel frame.
    fn pressed(&self, pebble: DVec3) -> Pressed {
        let down = self.border.axes.z_axis;
        let mut force = spring_force(self.parameters, pebble, self.velocity, down);
        let pressing = force.dot(down);
        let over_max_force = pressing > self.max_force;
        let clamps = self.parameters.clamp_to_max_force;
        if over_max_force && clamps {
            force -= down * (pressing - self.max_force);
        }
        let (force, clip_case) = self.border.clip(force);
        let normal_force = pressing.min(if clamps { self.max_force } else { f64::INFINITY });
        Pressed { force, clip_case, normal_force, over_max_force }
    }
}

impl Pressed {
    /// R5: nothing presses the wheel on the ground.
    fn lifted_off(&self, frame: &WheelFrame) -> WheelStep {
        WheelStep { clip_case: self.clip_case, ..WheelStep::without_force(WheelContact::FREE, frame.origin) }
    }
}

/// The force that presses the surface \[N\] when a wheel just touches it. `slope` is the cosine of the angle between the
/// surface's normal and the wheel's axis upwards, `speed` \[m/s\] is that away from the surface.
pub(super) fn force_at_first_touch(parameters: &WheelParameters, slope: f64, speed: f64) -> f64 {
    axial_force(parameters, parameters.z_max) * slope + axial_damping(parameters, speed) * speed
}

/// Static friction while standing, dynamic friction at the speed along the surface while slipping.
fn friction(surface: Option<&Material>, contact: &WheelContact, velocity: DVec3) -> f64 {
    match (surface, contact.state) {
        (None, _) => 0.0,
        (Some(material), WheelState::Standing) => material.static_friction,
        (Some(material), _) if material.dynamic_friction_by_speed.is_empty() => material.dynamic_friction,
        (Some(material), _) => material.dynamic_friction_at(velocity.reject_from(contact.normal).length()),
    }
}

/// The document's F(p, w) with the damping split along the surface's normal (R10): the force on the pebble, wheel
/// frame \[N\]. `pebble` \[m\] and `velocity` \[m/s\] in the wheel frame, `down` the unit vector into the surface.
#[must_use]
pub fn spring_force(parameters: &WheelParameters, pebble: DVec3, velocity: DVec3, down: DVec3) -> DVec3 {
    let normal_speed = velocity.dot(down);
    let normal_velocity = down * normal_speed;
    let damping = axial_damping(parameters, normal_speed);
    elastic_force(parameters, pebble) + parameters.d_xy * (velocity - normal_velocity) + damping * normal_velocity
}

/// The springs' part of the force on the pebble, wheel frame \[N\].
fn elastic_force(parameters: &WheelParameters, pebble: DVec3) -> DVec3 {
    DVec3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, axial_force(parameters, pebble.z))
}

/// Where the springs would hold the pebble with the force `held` along the surface, on the surface whose inward normal is
/// `down`: x and y of the wheel frame \[m\]. `taken` is what the border takes of their force along the axis \[N\].
///
/// On the way there a wheel that leans changes its axial spring too. Where this would change by more than half of what those
/// across do, it would carry the pebble ever farther beyond that place, and in the end off the ground: there the way up or
/// down the surface is shortened, so that what is left of it halves from step to step (R9).
fn held_place(parameters: &WheelParameters, held: DVec3, taken: f64, down: DVec3) -> DVec2 {
    let lean = down.truncate().length_squared();
    let change = parameters.axial_excess() * lean;
    let mut force = held.truncate();
    if change > 0.5 {
        let too_far = (1.0 - 0.5 / change) * taken / lean;
        force += too_far * down.z * down.truncate();
    }
    force / parameters.k_xy
}

/// The document's Q(n) as a matrix, in closed form and with R2: its columns are the axes of the pebble border in the
/// wheel frame. `normal` is the surface's, wheel frame, of any length, not across the wheel's plane of rolling.
#[must_use]
pub fn pebble_border_axes(normal: DVec3) -> DMat3 {
    let z_axis = -normal.normalize();
    // The rolling direction stays in the wheel's XZ plane. A normal along Y leaves it free: any choice will do.
    let x_axis = DVec3::new(z_axis.z, 0.0, -z_axis.x).try_normalize().unwrap_or(DVec3::X);
    DMat3::from_cols(x_axis, z_axis.cross(x_axis), z_axis)
}

/// The set of horizontal forces that the pebble can resist.
struct PebbleBorder {
    axes: DMat3,
    friction: f64,
    /// Braking strength without load \[N\].
    brake: f64,
    /// Increase of it per newton of load \[1\].
    per_load: f64,
    /// The braking strength bounds the force in every direction.
    caster: bool,
}

impl PebbleBorder {
    /// The springs' force `elastic` on a pebble \[N\] in border coordinates, with the parts across and into the surface that it has once the
    /// pebble has followed the wheel in the rolling direction, as far as brake and friction let it.
    ///
    /// Of a wheel that leans, springs across stretched by the way of a sub-step press on it or lift it: what bounds the force on the
    /// wheel must not be the load of a pebble that trails.
    fn followed(&self, parameters: &WheelParameters, pebble: DVec3, elastic: DVec3) -> DVec3 {
        let (DMat3 { x_axis, y_axis, z_axis }, primed) = (self.axes, self.axes.transpose() * elastic);
        let along = primed.x;
        // What the springs across change until the axial one has helped them to take all of the force along.
        let relaxed = along / (1.0 + parameters.axial_excess() * (x_axis.z * x_axis.z));
        // The rolling direction has no part along the wheel's Y axis.
        let change = axial_force(parameters, pebble.z - x_axis.z * (relaxed / parameters.k_xy)) - elastic.z;
        let across = change * y_axis.z - relaxed * x_axis.x * y_axis.x;
        let pressing = change * z_axis.z - relaxed * x_axis.x * z_axis.x;
        // Force and load go evenly with the way: it follows until a bound that goes with the load holds what is left of the force.
        let share_held = |bound: f64, per_load: f64| {
            let (here, there) = (bound + per_load * primed.z, bound + per_load * (primed.z + pressing));
            if along.abs() <= here {
                1.0
            } else if there > 0.0 {
                there / (along.abs() + (there - here))
            } else {
                0.0
            }
        };
        let left = 1.0 - share_held(self.brake, self.per_load).min(share_held(0.0, self.friction));
        DVec3::new(along, primed.y + left * across, primed.z + left * pressing)
    }

    /// A force in the wheel frame, clipped; the same bits when it is inside.
    fn clip(&self, force: DVec3) -> (DVec3, ClipCase) {
        let (clipped, clip_case) = self.clip_primed(self.axes.transpose() * force);
        match clip_case {
            ClipCase::Inside | ClipCase::NotComputed | ClipCase::NoPressingForce => (force, clip_case),
            ClipCase::Brake | ClipCase::Corner | ClipCase::Circle => (self.axes * clipped, clip_case),
        }
    }

    /// A force in border coordinates, clipped.
    fn clip_primed(&self, primed: DVec3) -> (DVec3, ClipCase) {
        let brake = self.brake + self.per_load * primed.z;
        if self.caster {
            clip_to_disc(primed, self.friction, brake)
        } else {
            clip_horizontal(primed, self.friction, brake)
        }
    }
}

/// The document's `F_cl(F, mu, n)` (R4, R5): a force on the pebble in the wheel frame \[N\] clipped against the pebble
/// border of a surface with this normal, friction coefficient and braking strength \[N\].
#[must_use]
pub fn clip_force(force: DVec3, friction: f64, brake: f64, normal: DVec3) -> (DVec3, ClipCase) {
    PebbleBorder { axes: pebble_border_axes(normal), friction, brake, per_load: 0.0, caster: false }.clip(force)
}

/// Clipping for a freely swivelling wheel: the friction circle, reduced to the braking strength.
fn clip_to_disc(force: DVec3, friction: f64, brake: f64) -> (DVec3, ClipCase) {
    if force.z <= 0.0 {
        return (force, ClipCase::NoPressingForce);
    }
    let circle = friction * force.z;
    let (radius, limit) = if brake < circle { (brake, ClipCase::Brake) } else { (circle, ClipCase::Circle) };
    let horizontal = force.truncate().length();
    if horizontal <= radius {
        return (force, ClipCase::Inside);
    }
    // A horizontal force whose square vanishes has no direction left.
    let scale = if horizontal > 0.0 { radius / horizontal } else { 0.0 };
    (DVec3::new(scale * force.x, scale * force.y, force.z), limit)
}

/// Clipping in pebble-border coordinates: "Clipping Force against Pebble Border", cases 1 to 3.
fn clip_horizontal(force: DVec3, friction: f64, brake: f64) -> (DVec3, ClipCase) {
    if force.z <= 0.0 {
        return (force, ClipCase::NoPressingForce);
    }
    let circle = friction * force.z;
    let horizontal = force.truncate().length();
    if force.x.abs() <= brake && horizontal <= circle {
        return (force, ClipCase::Inside);
    }
    if brake < circle {
        let corner = ((circle - brake) * (circle + brake)).sqrt();
        if force.y.abs() <= corner {
            return (DVec3::new(brake.copysign(force.x), force.y, force.z), ClipCase::Brake);
        }
        if brake * force.y.abs() <= force.x.abs() * corner {
            let clipped = DVec3::new(brake.copysign(force.x), corner.copysign(force.y), force.z);
            return (clipped, ClipCase::Corner);
        }
    }
    // A horizontal force whose square vanishes has no direction left.
    let scale = if horizontal > 0.0 { circle / horizontal } else { 0.0 };
    (DVec3::new(scale * force.x, scale * force.y, force.z), ClipCase::Circle)
}
