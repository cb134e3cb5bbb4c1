//! Job `wheel`: one step of the pebble-and-spring wheel (document 000, "Complete Wheel Model"; errata R1 to R14).
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`]. A force F in this file is the force on the pebble, F'_z > 0 presses the
//! surface (R1). Primed quantities are in pebble-border coordinates: X along the rolling direction in the surface, Y
//! across it in the surface, Z into the surface.

use glam::{DMat3, DVec3};

use super::Tracer;
use super::strut::{axial_damping, axial_force};
use super::surface_drag::{displacement_drag, rolling_resistance};
use crate::query::{ClipCase, Ray, RayStatus, WheelContact, WheelFrame, WheelParameters, WheelState, WheelStep};
use crate::scene::Material;

/// Leads a wheel that starts in the air through its frames.
pub(super) fn run(tracer: &Tracer<'_>, parameters: &WheelParameters, frames: &[WheelFrame]) -> Vec<WheelStep> {
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

/// One step of a wheel; `friction_scale` multiplies every friction coefficient.
pub fn step_wheel(
    tracer: &Tracer<'_>,
    parameters: &WheelParameters,
    contact: &WheelContact,
    frame: &WheelFrame,
    friction_scale: f64,
) -> WheelStep {
    match contact.state {
        WheelState::Broken => WheelStep::without_force(*contact, frame.origin),
        // R13: no force in the step that finds the contact.
        WheelState::Free => WheelStep::without_force(look_for_contact(tracer, parameters, frame), frame.origin),
        WheelState::Slipping | WheelState::Standing => roll(tracer, parameters, contact, frame, friction_scale),
    }
}

/// State 1: where the wheel's Z axis enters the scene.
fn look_for_contact(tracer: &Tracer<'_>, parameters: &WheelParameters, frame: &WheelFrame) -> WheelContact {
    find_surface(tracer, parameters, frame, &DMat3::from_quat(frame.orientation), 0.0, 0.0, WheelState::Standing)
}

/// The wheel with its pebble on the surface below (x, y) of its frame: in `state`, free without a surface within its
/// travel, broken when it starts inside (R7).
fn find_surface(
    tracer: &Tracer<'_>,
    parameters: &WheelParameters,
    frame: &WheelFrame,
    to_world: &DMat3,
    x: f64,
    y: f64,
    state: WheelState,
) -> WheelContact {
    let at = |z: f64| frame.origin + *to_world * DVec3::new(x, y, z);
    let ray = Ray::segment(at(parameters.z_min), at(parameters.z_max));
    let entry = tracer.entry_point(&ray);
    match entry.status {
        RayStatus::Hit if entry.lambda >= 1.0 => WheelContact::FREE,
        RayStatus::Hit if entry.lambda == 0.0 || entry.leaf.is_none() => {
            WheelContact { state: WheelState::Broken, ..WheelContact::FREE }
        }
        RayStatus::Hit => WheelContact {
            state,
            pebble: ray.at(entry.lambda),
            normal: entry.normal,
            material: entry.material,
            leaf: entry.leaf,
        },
        RayStatus::Miss | RayStatus::BadInput | RayStatus::NotConverged => WheelContact::FREE,
    }
}

/// States 2 and 3: the force of the springs, clipped against the pebble border.
fn roll(
    tracer: &Tracer<'_>,
    parameters: &WheelParameters,
    contact: &WheelContact,
    frame: &WheelFrame,
    friction_scale: f64,
) -> WheelStep {
    let to_world = DMat3::from_quat(frame.orientation);
    let to_wheel = to_world.transpose();
    let pebble = to_wheel * (contact.pebble - frame.origin);
    if pebble.z >= parameters.z_max {
        return WheelStep::without_force(WheelContact::FREE, frame.origin);
    }
    if pebble.z <= parameters.z_min {
        return WheelStep::without_force(WheelContact { state: WheelState::Broken, ..*contact }, frame.origin);
    }

    let surface = contact.material.map(|id| tracer.scene().material(id));
    let border = PebbleBorder {
        axes: pebble_border_axes(to_wheel * contact.normal),
        friction: friction_scale * friction(surface, contact, frame.velocity),
        brake: frame.brake,
        per_load: rolling_resistance(parameters, surface, contact, frame.velocity) + frame.brake_friction,
        caster: parameters.caster,
    };
    // R8: the pebble rests, so its speed relative to the wheel frame is the frame's own, reversed.
    let mut force = spring_force(parameters, pebble, to_wheel * -frame.velocity, border.axes.z_axis);
    let max_force = surface.map_or(f64::INFINITY, |material| material.max_force);
    let pressing = force.dot(border.axes.z_axis);
    let over_max_force = pressing > max_force;
    if over_max_force && parameters.clamp_to_max_force {
        force -= border.axes.z_axis * (pressing - max_force);
    }

    let (clipped, clip_case) = border.clip(force);
    let next = match clip_case {
        ClipCase::NotComputed | ClipCase::NoPressingForce => {
            return WheelStep { clip_case, ..WheelStep::without_force(WheelContact::FREE, frame.origin) };
        }
        ClipCase::Inside => WheelContact { state: WheelState::Standing, ..*contact },
        ClipCase::Brake | ClipCase::Corner | ClipCase::Circle => {
            // R9: the pebble moves to where the springs alone would hold it, without their horizontal damping.
            let elastic = DVec3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, force.z);
            let (held, elastic_case) = border.clip(elastic);
            // Across a tilted frame the horizontal damping takes part in F_z and may leave nothing that presses. The
            // border has then shrunk to a point, so the springs hold nothing: the pebble must still follow the wheel.
            let held = if elastic_case == ClipCase::NoPressingForce { DVec3::ZERO } else { held };
            let (x, y) = (held.x / parameters.k_xy, held.y / parameters.k_xy);
            find_surface(tracer, parameters, frame, &to_world, x, y, WheelState::Slipping)
        }
    };
    if !next.touches() {
        // Over an edge, or taking off: the pebble has no ground to push against.
        return WheelStep { clip_case, ..WheelStep::without_force(next, frame.origin) };
    }
    let mut on_airframe = -(to_world * clipped);
    if let Some(drag) = displacement_drag(parameters, surface, contact, frame.velocity) {
        on_airframe -= drag;
    }
    WheelStep {
        contact: next,
        force: on_airframe,
        application: next.pebble,
        normal_force: pressing.min(if parameters.clamp_to_max_force { max_force } else { f64::INFINITY }),
        compression: (parameters.z_zero - pebble.z).max(0.0),
        friction: border.friction,
        clip_case,
        over_max_force,
    }
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
    let axial = axial_force(parameters, pebble.z);
    let elastic = DVec3::new(parameters.k_xy * pebble.x, parameters.k_xy * pebble.y, axial);
    let normal_speed = velocity.dot(down);
    let normal_velocity = down * normal_speed;
    let damping = axial_damping(parameters, normal_speed);
    elastic + parameters.d_xy * (velocity - normal_velocity) + damping * normal_velocity
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

/// The region of horizontal forces that the pebble can resist.
struct PebbleBorder {
    axes: DMat3,
    friction: f64,
    /// Braking strength without load \[N\].
    brake: f64,
    /// What each newton of load adds to it \[1\].
    per_load: f64,
    /// The braking strength bounds the force in every direction.
    caster: bool,
}

impl PebbleBorder {
    /// A force in the wheel frame, clipped; the same bits when it is inside.
    fn clip(&self, force: DVec3) -> (DVec3, ClipCase) {
        let primed = self.axes.transpose() * force;
        let brake = self.brake + self.per_load * primed.z;
        let (clipped, clip_case) = if self.caster {
            clip_to_disc(primed, self.friction, brake)
        } else {
            clip_horizontal(primed, self.friction, brake)
        };
        match clip_case {
            ClipCase::Inside | ClipCase::NotComputed | ClipCase::NoPressingForce => (force, clip_case),
            ClipCase::Brake | ClipCase::Corner | ClipCase::Circle => (self.axes * clipped, clip_case),
        }
    }
}

/// The document's `F_cl(F, mu, n)` (R4, R5): a force on the pebble in the wheel frame \[N\] clipped against the pebble
/// border of a surface with this normal, friction coefficient and braking strength \[N\].
#[must_use]
pub fn clip_force(force: DVec3, friction: f64, brake: f64, normal: DVec3) -> (DVec3, ClipCase) {
    PebbleBorder { axes: pebble_border_axes(normal), friction, brake, per_load: 0.0, caster: false }.clip(force)
}

/// Clipping of a wheel that swivels freely: the friction circle, made smaller by the braking strength.
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
