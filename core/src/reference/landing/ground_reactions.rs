//! The gear in a step of a landing by JSBSim's ground reactions (docs/vehicles.md).
//!
//! Sub-steps are those of the pebbles' gear (`gear`): the body is moved to the middle of one, the forces found there
//! change its velocities over the whole of it. In the middle each wheel is compressed along its strut, the body's Z
//! axis, by as much as its foot is below the plane that was under it at the start of the step; a pad along the plane's
//! normal. Spring and damper give the normal force. Friction is then whatever makes the points of contact end the
//! sub-step without velocity along the ground, within the limits of each: a projected Gauss-Seidel method over all of
//! them, which starts from the friction of the sub-step before.
//!
//! # Conventions
//! Body axes unless stated: X forward, Y right, Z down. Forces act on the airframe.

use glam::{DMat3, DVec3};

use super::body::{Body, Load, MassProperties};
use super::gear::Pace;
use super::{Landing, Wheel};
use crate::elementary::{hypot, sin_cos};
use crate::query::ground_reactions::{
    MAX_FRICTION_SWEEPS, MIN_SLIP_SPEED, OWN_FRICTION_GROUND, SETTLED_FRICTION, side_friction,
};
use crate::query::rules::LIVELY_SPEED;
use crate::query::{
    ClipCase, Controls, Input, LandingJob, Motion, Ray, WheelContact, WheelParameters, WheelState, WheelStep,
};
use crate::reference::Tracer;
use crate::reference::strut::{axial_damping, axial_force};
use crate::reference::surface_drag::{displacement_drag, rolling_resistance};
use crate::reference::wheel::{Below, Footing, Surface};
use crate::scene::Material;

/// A wheel in the course of a step.
struct ReactingWheel<'a> {
    wheel: &'a Wheel,
    step: WheelStep,
    /// The ground that is under it throughout the step.
    ground: Option<Surface>,
}

/// A point of contact in a sub-step.
struct Contact {
    /// Unit normal of the ground.
    up: DVec3,
    /// From the centre of gravity to the point \[m\].
    arm: DVec3,
    /// \[N\].
    normal_force: f64,
    /// Drag of water or slush \[N\].
    drag: DVec3,
    /// Of friction, along the ground: unit vectors along the rolling direction, or that of motion, and across it.
    directions: [DVec3; 2],
    /// Least and greatest friction along them \[N\].
    limits: [(f64, f64); 2],
    /// Friction along them \[N\].
    friction: [f64; 2],
}

/// What is the same for all wheels in a sub-step.
struct Moment<'a> {
    job: &'a LandingJob,
    controls: &'a Controls,
    friction_scale: f64,
    /// At the start of the sub-step, and in its middle.
    start: &'a Body,
    middle: &'a Body,
    /// Of the sub-step \[s\].
    length: f64,
}

impl Landing<'_> {
    /// Moves the body from the start of a step to its end, under a constant load and JSBSim's ground reactions.
    pub(super) fn advance_on_contacts(
        &mut self,
        before: &Body,
        middle: &Body,
        held: Load,
        controls: &Controls,
    ) -> Body {
        let (job, step) = (self.job, self.job.step);
        let gravity = DVec3::new(0.0, 0.0, -job.gravity);
        let friction_scale = self.inputs.get(Input::FrictionScale);
        let mut gear: Vec<ReactingWheel<'_>> = Vec::with_capacity(job.vehicle.wheels.len());
        let mut pace = Pace::Aloft;
        for (wheel, last) in job.vehicle.wheels.iter().zip(&self.state.wheels) {
            let reacting = ReactingWheel::new(self.tracer, wheel, last, middle, step);
            pace = pace.max(reacting.pace(middle, step));
            gear.push(reacting);
        }
        let substeps = self.choose_substeps(pace);
        let length = step / f64::from(substeps);
        let (mut body, mut acceleration) = (*before, self.state.acceleration);
        let mut contacts: Vec<Option<Contact>> = Vec::with_capacity(gear.len());
        for _ in 0..substeps {
            let middle = body.ahead(0.5 * length, &acceleration);
            let moment = Moment { job, controls, friction_scale, start: &body, middle: &middle, length };
            contacts.extend(gear.iter_mut().map(|reacting| reacting.press(&moment)));
            let mut pushed = held;
            for contact in contacts.iter().flatten() {
                pushed += contact.load_of(contact.up * contact.normal_force + contact.drag);
            }
            let unhindered = middle.acceleration(&self.mass, gravity, pushed);
            settle_friction(&mut contacts, &self.mass, &moment, unhindered.linear, unhindered.angular);
            let mut load = pushed;
            for (reacting, contact) in gear.iter_mut().zip(contacts.drain(..)) {
                if let Some(contact) = contact {
                    load += contact.load_of(contact.rubbed());
                    reacting.take_in(&contact, &middle);
                }
            }
            acceleration = middle.acceleration(&self.mass, gravity, load);
            let Motion { velocity, rate, .. } = body.motion;
            body = Body {
                motion: Motion {
                    velocity: velocity + length * acceleration.linear,
                    rate: rate + length * acceleration.angular,
                    ..middle.motion
                },
                ..middle
            }
            .drifted(0.5 * length);
        }
        self.state.acceleration = acceleration;
        for (last, reacting) in self.state.wheels.iter_mut().zip(gear) {
            *last = reacting.step;
        }
        body
    }
}

impl<'a> ReactingWheel<'a> {
    /// The wheel at the start of a step of this length \[s\], in whose middle the body is there. It looks down its axis as
    /// far as it may come in the step.
    fn new(tracer: &Tracer<'_>, wheel: &'a Wheel, last: &WheelStep, middle: &Body, step: f64) -> Self {
        let step_so_far = WheelStep { over_max_force: false, peak_force: 0.0, peak_compression: 0.0, ..*last };
        let mut reacting = Self { wheel, step: step_so_far, ground: None };
        if last.contact.state == WheelState::Broken {
            return reacting;
        }
        let parameters = &wheel.parameters;
        let origin = middle.at(wheel.position);
        let at = |z: f64| origin + middle.to_world * DVec3::new(0.0, 0.0, z);
        let reach = parameters.z_max + step * middle.velocity_at(wheel.position).length();
        match Footing::Scene(tracer).below(&Ray::segment(at(parameters.z_min), at(reach))) {
            Below::Nothing => {}
            Below::Inside => reacting.step.contact = WheelContact { state: WheelState::Broken, ..WheelContact::FREE },
            Below::Ground(surface) => reacting.ground = Some(surface),
        }
        reacting
    }

    /// What the wheel is about in a step of this length \[s\] in whose middle the body is there.
    fn pace(&self, middle: &Body, step: f64) -> Pace {
        let Some(surface) = &self.ground else {
            return Pace::Aloft;
        };
        let up = surface.normal.normalize();
        let foot = self.wheel.foot();
        let rising = up.dot(middle.velocity_at(foot));
        let lively = if self.step.contact.touches() {
            rising.abs() > LIVELY_SPEED
        } else if up.dot(middle.at(foot) - surface.place) + 0.5 * step * rising < 0.0 {
            true
        } else {
            return Pace::Aloft;
        };
        if lively { Pace::Lively } else { Pace::Calm }
    }

    /// The contact in the middle of a sub-step, before its friction has settled; `None`, and no force, without one.
    fn press(&mut self, moment: &Moment<'_>) -> Option<Contact> {
        let Moment { job, start, middle, length, .. } = *moment;
        let (wheel, parameters) = (self.wheel, &self.wheel.parameters);
        let last = self.step;
        self.step = self.lifted(middle);
        let surface = self.ground.as_ref().filter(|_| last.contact.state != WheelState::Broken)?;
        let to_body = middle.to_world.transpose();
        let world_up = surface.normal.normalize();
        let foot = wheel.foot();
        let height = world_up.dot(middle.at(foot) - surface.place);
        let up = to_body * world_up;
        let slope = if wheel.is_pad() { 1.0 } else { -up.z };
        if !(height < 0.0 && slope > 0.0) {
            return None;
        }
        let compression = -height / slope;
        if compression > parameters.z_max - parameters.z_min {
            self.step.contact = WheelContact { state: WheelState::Broken, ..WheelContact::FREE };
            return None;
        }
        let arm = if wheel.is_pad() { foot + up * -height } else { foot - DVec3::new(0.0, 0.0, compression) };
        let point = middle.at(arm);
        let material = surface.material.map(|id| job.scene.material(id));

        // Nothing that has come to this compression within the sub-step has been faster on average.
        let fastest = compression / (0.5 * length);
        let closing = -(to_body * middle.motion.velocity + middle.motion.rate.cross(arm)).dot(up) / slope;
        let closing = within(closing, -fastest, fastest);
        let damping = axial_damping(parameters, -closing) * -closing;
        let pressed = (axial_force(parameters, parameters.z_max - compression) + damping).max(0.0) / slope;
        let max_force = material.map_or(f64::INFINITY, |material| material.max_force);
        let over_max_force = pressed > max_force;
        let normal_force = if parameters.clamp_to_max_force { pressed.min(max_force) } else { pressed };

        // Along the ground, at the start of the sub-step.
        let velocity = to_body * start.motion.velocity + start.motion.rate.cross(arm);
        let sliding = velocity - up * velocity.dot(up);
        let moves = sliding.length() > MIN_SLIP_SPEED;
        let directions = self.directions(moment, up, velocity, sliding, moves);
        let state = if moves { WheelState::Slipping } else { WheelState::Standing };
        let contact = WheelContact {
            state,
            pebble: point,
            normal: surface.normal,
            material: surface.material,
            leaf: surface.leaf,
        };
        let world_velocity = middle.to_world * velocity;
        let speed = world_velocity.reject_from(surface.normal).length();
        let grip = moment.friction_scale * (ground_friction(material, speed) / OWN_FRICTION_GROUND);
        let resistance = rolling_resistance(parameters, material, &contact, world_velocity);
        let (limits, friction) = self.limits(moment, (normal_force, grip, resistance), (sliding, directions), &last);
        let before = to_body * last.force;
        let drag = displacement_drag(parameters, material, &contact, world_velocity)
            .map_or(DVec3::ZERO, |drag| to_body * -drag);
        self.step = WheelStep {
            contact,
            force: DVec3::ZERO,
            application: point,
            normal_force,
            compression,
            friction,
            clip_case: ClipCase::Inside,
            over_max_force: last.over_max_force || over_max_force,
            peak_force: last.peak_force,
            peak_compression: last.peak_compression.max(compression),
        };
        Some(Contact {
            up,
            arm,
            normal_force,
            drag,
            directions,
            limits,
            friction: std::array::from_fn(|way| {
                let (low, high) = limits[way];
                within(before.dot(directions[way]), low, high)
            }),
        })
    }

    /// The wheel without a force, with what it came to in the step so far.
    fn lifted(&self, middle: &Body) -> WheelStep {
        let broken = self.step.contact.state == WheelState::Broken;
        let contact = if broken { self.step.contact } else { WheelContact::FREE };
        WheelStep {
            over_max_force: self.step.over_max_force,
            peak_force: self.step.peak_force,
            peak_compression: self.step.peak_compression,
            ..WheelStep::without_force(contact, middle.at(self.wheel.foot()))
        }
    }

    /// Along the ground: the rolling direction, or that of a pad which moves, and across it.
    fn directions(&self, moment: &Moment<'_>, up: DVec3, velocity: DVec3, sliding: DVec3, moves: bool) -> [DVec3; 2] {
        if self.wheel.is_pad() && moves {
            let along = sliding.normalize();
            return [along, up.cross(along)];
        }
        let (sine, cosine) = if self.wheel.parameters.caster {
            // It swivels so that it rolls the way it moves.
            let speed = hypot(velocity.x, velocity.y);
            if speed > 0.0 { (velocity.y / speed, velocity.x.abs() / speed) } else { (0.0, 1.0) }
        } else {
            let limit = self.wheel.steering * moment.controls.steering_authority;
            sin_cos(moment.controls.steering.clamp(-limit, limit))
        };
        let rolling = DVec3::new(cosine, sine, 0.0);
        let along = (rolling - up * rolling.dot(up)).normalize();
        [along, up.cross(along)]
    }

    /// Least and greatest friction along the two directions \[N\], and the coefficient of the second \[1\].
    fn limits(
        &self,
        moment: &Moment<'_>,
        (normal_force, grip, resistance): (f64, f64, f64),
        (sliding, [along, across]): (DVec3, [DVec3; 2]),
        last: &WheelStep,
    ) -> ([(f64, f64); 2], f64) {
        let Some(own) = self.wheel.friction else {
            return ([(0.0, 0.0); 2], 0.0);
        };
        let moves = sliding.length() > MIN_SLIP_SPEED;
        if self.wheel.is_pad() {
            let coefficient = grip * if moves { own.moving } else { own.at_rest };
            let most = coefficient * normal_force;
            let limits = if moves { [(-most, 0.0), (0.0, 0.0)] } else { [(-most, most); 2] };
            return (limits, coefficient);
        }
        // At rest it is what it was when the wheel came to it.
        let side = if moves {
            side_friction(grip * own.at_rest, sliding.dot(along), sliding.dot(across))
        } else {
            last.friction
        };
        let WheelParameters { rolling_resistance: rolling, .. } = self.wheel.parameters;
        let pedal = moment.controls.brake;
        let pads = (pedal * self.wheel.brake).min(grip * (own.at_rest - rolling).max(0.0) * normal_force);
        let braking = pedal * (grip * self.wheel.brake_friction * normal_force) + pads;
        let along = resistance * normal_force + braking;
        let across = side * normal_force;
        ([(-along, along), (-across, across)], side)
    }

    /// What the sub-step gave.
    fn take_in(&mut self, contact: &Contact, middle: &Body) {
        let force = contact.up * contact.normal_force + contact.drag + contact.rubbed();
        let [along, across] = [0, 1].map(|way| {
            let (low, high) = contact.limits[way];
            contact.friction[way] <= low || contact.friction[way] >= high
        });
        self.step.force = middle.to_world * force;
        self.step.clip_case = match (along, across) {
            (false, false) => ClipCase::Inside,
            (true, false) => ClipCase::Brake,
            (true, true) => ClipCase::Corner,
            (false, true) => ClipCase::Circle,
        };
        self.step.peak_force = self.step.peak_force.max(self.step.force.length());
    }
}

/// A number within two bounds, which [`f64::clamp`] would panic over once a landing has diverged.
fn within(number: f64, low: f64, high: f64) -> f64 {
    let raised = if number < low { low } else { number };
    if raised > high { high } else { raised }
}

/// Friction of the ground \[1\]: by the speed of what moves over it \[m/s\] if the material says how, else static.
fn ground_friction(material: Option<&Material>, speed: f64) -> f64 {
    material.map_or(0.0, |material| {
        if material.dynamic_friction_by_speed.is_empty() {
            material.static_friction
        } else {
            material.dynamic_friction_at(speed)
        }
    })
}

impl Contact {
    /// Force and moment of a force at the point.
    fn load_of(&self, force: DVec3) -> Load {
        Load { force, moment: self.arm.cross(force) }
    }

    /// The friction \[N\].
    fn rubbed(&self) -> DVec3 {
        self.directions[0] * self.friction[0] + self.directions[1] * self.friction[1]
    }
}

/// Finds the friction of all contacts together: that with which their points end the sub-step without velocity along the
/// ground, or that at its limit. The accelerations are those without friction, world and body axes.
fn settle_friction(
    contacts: &mut [Option<Contact>],
    mass: &MassProperties,
    moment: &Moment<'_>,
    linear: DVec3,
    angular: DVec3,
) {
    let Moment { start, middle, length, .. } = *moment;
    let to_body: DMat3 = middle.to_world.transpose();
    // At the end of the sub-step, body axes.
    let mut velocity = to_body * (start.motion.velocity + length * linear);
    let mut rate = start.motion.rate + length * angular;
    for contact in contacts.iter().flatten() {
        let Load { force, moment } = contact.load_of(contact.rubbed());
        let (linear, angular) = mass.accelerations(force, moment);
        velocity += length * linear;
        rate += length * angular;
    }
    for _ in 0..MAX_FRICTION_SWEEPS {
        let mut changed = 0.0;
        for contact in contacts.iter_mut().flatten() {
            for way in 0..2 {
                let direction = contact.directions[way];
                let lever = contact.arm.cross(direction);
                let (linear, angular) = mass.accelerations(direction, lever);
                // How much faster the point is along the direction at the end for each newton.
                let give = length * (direction.dot(linear) + lever.dot(angular));
                let sliding = direction.dot(velocity) + lever.dot(rate);
                let (low, high) = contact.limits[way];
                let friction = within(contact.friction[way] - sliding / give, low, high);
                let change = friction - contact.friction[way];
                contact.friction[way] = friction;
                velocity += (length * change) * linear;
                rate += (length * change) * angular;
                changed += change.abs();
            }
        }
        if changed < SETTLED_FRICTION {
            break;
        }
    }
}
