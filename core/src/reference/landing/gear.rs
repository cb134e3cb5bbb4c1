//! The gear in a step of a landing: sub-steps of wheels and body alone.
//!
//! Springs and dampers of a gear are faster than anything else in a landing, and wheels touch at arbitrary times within
//! a step. So a step in which a wheel touches is divided into
//! [`Vehicle::gear_substeps`](crate::vehicle::Vehicle::gear_substeps) sub-steps, few or many depending on the [`Pace`]
//! of the wheels, with pilot, air and engines held constant. The scene is queried once per wheel and step: in between
//! the wheel is on the plane tangent to the scene at the last query.
//!
//! A sub-step of length d moves the body from its start to the *middle*, d / 2 later at constant velocity; there the
//! wheels give their forces, with velocities extrapolated to that time by the last acceleration; these forces change
//! the velocities over the whole d, and the new velocities move the body over the second half. Second order in d,
//! symplectic without dampers.
//!
//! The pebble of a rolling or slipping wheel trails by the distance of a sub-step. On a pitched airplane its springs
//! would thus push as they did a sub-step earlier, with a pull that is clipped a moment later: first-order errors,
//! millimetres of compression. So once the pebble is moved, the force is that at its new position
//! ([`Trailing::Settles`]).
//!
//! A wheel that gains contact within a sub-step does so when the gap along its axis closes. Its force is that in the
//! middle of the rest of the sub-step, and acts during that rest; its peak is that at the moment of contact, at which
//! wheels that touched earlier in the sub-step have already pushed the body.

use glam::{DMat3, DVec3};

use super::body::Body;
use crate::query::rules::LIVELY_SPEED;
use crate::query::{Acceleration, Motion, Ray, WheelContact, WheelFrame, WheelParameters, WheelState, WheelStep};
use crate::reference::Tracer;
use crate::reference::wheel::{Below, Footing, Surface, Trailing, force_at_first_touch, step_on};

/// A wheel in the course of a step.
pub(super) struct GearWheel<'a> {
    pub parameters: &'a WheelParameters,
    pub step: WheelStep,
    /// The ground under it, or the ground it would touch in this step.
    ground: Option<Surface>,
    /// Its ground is from the previous step: the last sub-step queries again.
    is_old: bool,
}

/// A frame, and how its speed changes.
pub(super) struct MovingFrame {
    pub frame: WheelFrame,
    /// Angular velocity, world \[rad/s\].
    pub rate: DVec3,
    /// Acceleration of the origin, world \[m/s^2\].
    pub acceleration: DVec3,
}

/// How a wheel's force acts in a sub-step.
pub(super) struct Push {
    /// During this fraction of it.
    pub share: f64,
    /// Displacement of the wheel then from its position in the middle of the sub-step, world \[m\].
    pub shift: DVec3,
    /// For a wheel that gains contact in it.
    pub touch: Option<FirstTouch>,
}

/// The moment at which a wheel gains contact.
#[derive(Clone, Copy)]
pub(super) struct FirstTouch {
    /// Cosine of the angle between the surface normal and the upward wheel axis.
    slope: f64,
    /// Velocity away from the surface \[m/s\], extrapolated with the acceleration before the sub-step.
    speed: f64,
    /// The surface's unit normal.
    up: DVec3,
    /// What the ground lets through \[N\].
    most: f64,
}

/// Activity of a wheel in a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pace {
    /// It does not touch.
    Aloft,
    /// It touches, with its spring nearly at rest.
    Calm,
    /// It gains contact, or its spring moves.
    Lively,
}

/// How a wheel gets into contact in a sub-step.
#[derive(Clone, Copy)]
struct Onset {
    /// Share of the sub-step from the contact to its end.
    share: f64,
    /// From the middle of the sub-step to the contact, and to the middle of what is left \[s\].
    contact: f64,
    middle: f64,
}

impl<'a> GearWheel<'a> {
    /// The wheel at the start of a step of this length \[s\], in whose middle it has this frame. One in the air looks down
    /// its axis as far as it may come in the step.
    pub fn new(
        tracer: &Tracer<'_>,
        parameters: &'a WheelParameters,
        last: &WheelStep,
        middle: &WheelFrame,
        step: f64,
    ) -> Self {
        let contact = last.contact;
        // What the last step gave is over; friction and normal force are what the anti-skid feels.
        let step_so_far = WheelStep { over_max_force: false, peak_force: 0.0, peak_compression: 0.0, ..*last };
        let mut wheel =
            Self { parameters, step: step_so_far, ground: Surface::under(&contact), is_old: contact.touches() };
        if contact.state == WheelState::Free {
            wheel.step.contact = WheelContact::FREE;
            let reach = parameters.z_max + step * middle.velocity.length();
            let to_world = DMat3::from_quat(middle.orientation);
            let at = |z: f64| middle.origin + to_world * DVec3::new(0.0, 0.0, z);
            match Footing::Scene(tracer).below(&Ray::segment(at(parameters.z_min), at(reach))) {
                Below::Nothing => {}
                Below::Inside => wheel.step.contact = WheelContact { state: WheelState::Broken, ..WheelContact::FREE },
                Below::Ground(surface) => wheel.ground = Some(surface),
            }
        }
        wheel
    }

    /// What the wheel is about in a step of this length \[s\] in whose middle the body, and the wheel on it, are there.
    pub fn pace(&self, (body, middle): (&Body, &MovingFrame), step: f64) -> Pace {
        let contact = &self.step.contact;
        if !contact.touches() {
            return if self.onset(middle, step).is_some() { Pace::Lively } else { Pace::Aloft };
        }
        let Motion { position, velocity, .. } = body.motion;
        let closing = contact.normal.dot(velocity + middle.rate.cross(contact.pebble - position));
        let is_lively = closing * closing > LIVELY_SPEED * LIVELY_SPEED * contact.normal.length_squared();
        if is_lively { Pace::Lively } else { Pace::Calm }
    }

    /// When a wheel in the air gets into contact in a sub-step in whose middle it has this frame.
    fn onset(&self, middle: &MovingFrame, substep: f64) -> Option<Onset> {
        let surface = self.ground.filter(|_| self.step.contact.state == WheelState::Free)?;
        let MovingFrame { frame, rate, .. } = middle;
        let axis = DMat3::from_quat(frame.orientation).z_axis;
        let slope = surface.normal.dot(axis);
        if slope >= 0.0 {
            return None;
        }
        // Where the axis meets the plane, and how fast the wheel gets there.
        let z = surface.normal.dot(surface.place - frame.origin) / slope;
        let closing = surface.normal.dot(frame.velocity + rate.cross(axis * z)) / slope;
        let gap_at_end = z - self.parameters.z_max - 0.5 * substep * closing;
        if gap_at_end >= 0.0 {
            return None;
        }
        let closed = closing * substep;
        // A gap that is closed already, though the wheel took itself to be in the air, has no moment of contact.
        let share = if closed > -gap_at_end { -gap_at_end / closed } else { 1.0 };
        Some(Onset { share, contact: (0.5 - share) * substep, middle: 0.5 * (1.0 - share) * substep })
    }

    /// One sub-step of this length \[s\] with the frame in its middle; the last one of a step looks for the ground.
    pub fn advance(
        &mut self,
        tracer: &Tracer<'_>,
        middle: &MovingFrame,
        friction_scale: f64,
        substep: f64,
        is_last: bool,
    ) -> Push {
        let before = self.step;
        let onset = self.onset(middle, substep);
        let Some(surface) = self.ground.filter(|_| onset.is_some() || before.contact.touches()) else {
            self.step = self.with_worst(WheelStep::without_force(before.contact, middle.frame.origin));
            return Push { share: 1.0, shift: DVec3::ZERO, touch: None };
        };
        let footing =
            if is_last && self.is_old { Footing::Scene(tracer) } else { Footing::Plane(tracer.scene(), &surface) };
        let Onset { share, contact, middle: later } = onset.unwrap_or(Onset { share: 1.0, contact: 0.0, middle: 0.0 });
        let frame = middle.later(later);
        let law = (footing, Trailing::Settles);
        let mut step = step_on(law, self.parameters, &before.contact, &frame, friction_scale);
        let touch = onset
            .filter(|_| step.normal_force > 0.0)
            .map(|_| FirstTouch::new(step.contact.normal, &middle.later(contact), self.most(tracer, &step.contact)));
        if share < 1.0 && touch.is_some() {
            // Not that in the middle of what is left.
            step.peak_force = 0.0;
        }
        self.ground = Surface::under(&step.contact).or(self.ground);
        self.step = self.with_worst(step);
        Push { share, shift: later * middle.frame.velocity, touch }
    }

    /// What the ground of a contact lets through \[N\].
    fn most(&self, tracer: &Tracer<'_>, contact: &WheelContact) -> f64 {
        let material = contact.material.filter(|_| self.parameters.clamp_to_max_force);
        material.map_or(f64::INFINITY, |material| tracer.scene().material(material).max_force)
    }

    /// Takes down the force at the moment of contact, by when the wheel's speed has changed by that much \[m/s\] more than
    /// was foretold.
    pub fn first_touches(&mut self, touch: &FirstTouch, change: DVec3) {
        let first = force_at_first_touch(self.parameters, touch.slope, touch.speed + touch.up.dot(change));
        let peak = self.step.force.length() * (first.max(0.0).min(touch.most) / self.step.normal_force);
        self.step.peak_force = self.step.peak_force.max(peak);
    }

    /// A sub-step with the worst of those before it.
    fn with_worst(&self, step: WheelStep) -> WheelStep {
        let before = &self.step;
        WheelStep {
            over_max_force: before.over_max_force || step.over_max_force,
            peak_force: before.peak_force.max(step.peak_force),
            peak_compression: before.peak_compression.max(step.peak_compression),
            ..step
        }
    }
}

impl FirstTouch {
    /// Of a surface by a wheel that has this frame.
    fn new(normal: DVec3, frame: &WheelFrame, most: f64) -> Self {
        let up = normal.normalize();
        let axis = DMat3::from_quat(frame.orientation).z_axis;
        Self { slope: -up.dot(axis), speed: up.dot(frame.velocity), up, most }
    }
}

impl MovingFrame {
    /// A wheel's frame on a body, and how it moves on.
    pub fn new(body: &Body, acceleration: &Acceleration, place: DVec3, frame: WheelFrame) -> Self {
        Self {
            frame,
            rate: body.to_world * body.motion.rate,
            acceleration: acceleration.linear + body.to_world * acceleration.angular.cross(place),
        }
    }

    /// The frame a time \[s\] later, or earlier: moved, not turned.
    fn later(&self, time: f64) -> WheelFrame {
        let frame = self.frame;
        WheelFrame {
            origin: frame.origin + time * frame.velocity,
            velocity: frame.velocity + time * self.acceleration,
            ..frame
        }
    }
}
