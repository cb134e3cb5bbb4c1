//! Bound on the difference of one wheel step between f32 and f64 from the same state.
//!
//! Let u = 2^-24, the largest relative error of one rounding. A device holds places relative to a frame whose origin is
//! exact and within [`FRAME_REACH`] of the body in every coordinate, so that narrowing a place costs `u (L + r)`, `r`
//! being the arm of the point. What follows adds first-order errors; every constant counts roundings and rounds up.
//!
//! * **Rotation.** The entries of a matrix from a narrowed unit quaternion are sums of at most three products of numbers
//!   below one: 8 u. A rotated vector has three products and two sums more: its error is below `ROTATION |v|`.
//! * **Spring force.** `F = k p + d w`: the errors of the pebble's place p and of the speed w in the wheel frame times
//!   stiffness and damping, 8 roundings of the sums, and the turn of the surface's axes in the damping that is split
//!   along them. A strut's lines join, so that its steepest line bounds what an error of place is worth wherever two meet.
//!   The axial damper `(d + e |w|) w` is steepest, with slope `d + 2 e |w|`, in one of its two directions; it vanishes
//!   where they meet, so that an error of w across zero is worth no more than the steeper slope.
//! * **Clipping**, by its case. Inside: the force's own error. Brake: that of the part across, and of B. Corner: of B and
//!   of the corner `sqrt(circle^2 - B^2)`, whose derivative is circle / corner, held at the square root of its argument's
//!   error where the corner vanishes; `circle = mu F_z`. Circle: of the radius, and the force's own, since the nearest
//!   points of a disc are no farther apart than what they are nearest to; a wheel that swivels freely has a disc of B
//!   as well, whose radius is off by what B is. A pad that never yields has no B. Where B follows the load as `c F_z`, its
//!   error is that of `F_z` times c, and that of c times `F_z`; a rolling resistance by speed is off by its slope times the
//!   error of the speed.
//! * **Water and slush.** `D = a V^2`: `2 a V` times the error of V, and 32 roundings of a, of the square and of the
//!   direction along the surface.
//! * **Pebble.** While the wheel stands it stays. Else it is moved to where the springs alone hold it (the error of the
//!   clipped force over `k_xy`), then down to the surface, whose place is known to 8 u of the lengths in the scene along
//!   its normal; both over the cosine between normal and wheel axis. Where the axial spring is stiffer by a share e and the
//!   wheel leans by an angle of sine s with `e s^2 > 1/2`, it is moved less far: by what clipping takes off along the axis,
//!   that is s times a force along the surface, times `(1 - 1 / (2 e s^2)) / s` and over `k_xy`. That factor is at most
//!   0.55 sqrt(e), and its slope at most 4 e; a force of springs is at most that of the stiffest over the whole travel.
//!   Of one that settles, where its border bounds the springs, the load is that of where it has followed the wheel along: that place is
//!   off by what their force is, over `k_xy`, which changes the load as far as the wheel leans.
//! * **Settling.** A pebble that has moved presses from its new place: what the springs alone hold is off by the error of
//!   that place times `k_xy` across, which is the clipped force's own, and times the stiffness along the axis as far as the
//!   surface leans; only as far does the former change the load, which the border follows. It is clipped once more.
//!
//! # Conventions
//! As in [`crate::query`]: metres, seconds, newtons, radians; world axes.

use glam::DVec3;

use super::deviation::Deviation;
use crate::query::{ClipCase, WheelParameters, WheelState, WheelStep};
use crate::scene::{Scene, Solid};

/// Relative error of one rounding to f32.
pub(super) const U: f64 = 1.0 / (1 << 24) as f64;
/// Error of a rotated vector, relative to its length.
pub(super) const ROTATION: f64 = 16.0 * U;
/// A coordinate of the body in its frame is below this, or a step beyond \[m\].
pub(super) const FRAME_REACH: f64 = 17.0;
/// Length of a vector whose coordinates are all one.
pub(super) const DIAGONAL: f64 = 1.75;
/// A wheel axis is taken no flatter to a surface than this cosine: flatter contact is over an edge and not compared.
const MIN_COSINE: f64 = 0.1;
/// Turn of a wheel's axis from one frame to one near it \[rad\].
const MAX_TURN: f64 = 0.01;

/// The errors of a wheel's results.
pub type WheelDeviations = [Deviation; 8];

/// Bounds of a wheel's results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelBound {
    /// Position of the pebble \[m\].
    pub pebble: f64,
    /// Force \[N\].
    pub force: f64,
    /// Force along the normal \[N\].
    pub normal_force: f64,
    /// Largest force within the step \[N\].
    pub peak_force: f64,
    /// Compression \[m\].
    pub compression: f64,
    /// Friction coefficient.
    pub friction: f64,
}

impl WheelBound {
    /// For a step from a state that was displaced by the bound.
    pub(super) fn of_displaced(&self) -> Self {
        Self {
            pebble: 4.0 * self.pebble,
            force: 4.0 * self.force,
            normal_force: 4.0 * self.normal_force,
            peak_force: 4.0 * self.peak_force,
            compression: 4.0 * self.compression,
            // Displaced by factors of 32 u, and by the speed that it is read at.
            friction: 8.0 * self.friction + 64.0 * U,
        }
    }

    /// How far an answer is off, and how far it may be.
    pub(super) fn deviations(&self, truth: &WheelStep, answer: &WheelStep) -> WheelDeviations {
        let pebbles = if truth.contact.touches() { truth.contact.pebble - answer.contact.pebble } else { DVec3::ZERO };
        let places = truth.application - answer.application;
        [
            Deviation::new("force of a wheel [N]", (truth.force - answer.force).length(), self.force),
            // The pebble, or the origin of the frame: that is known better.
            Deviation::new("place of a wheel's force [m]", places.length(), self.pebble),
            Deviation::new(
                "normal force of a wheel [N]",
                (truth.normal_force - answer.normal_force).abs(),
                self.normal_force,
            ),
            Deviation::new(
                "compression of a wheel [m]",
                (truth.compression - answer.compression).abs(),
                self.compression,
            ),
            Deviation::new("friction of a wheel", (truth.friction - answer.friction).abs(), self.friction),
            Deviation::new("pebble of a wheel [m]", pebbles.length(), self.pebble),
            Deviation::new(
                "greatest force of a wheel [N]",
                (truth.peak_force - answer.peak_force).abs(),
                self.peak_force,
            ),
            Deviation::new(
                "greatest compression of a wheel [m]",
                (truth.peak_compression - answer.peak_compression).abs(),
                self.compression,
            ),
        ]
    }
}

/// How well a step knows its wheel's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameErrors {
    /// Distance of the frame's origin from the body's \[m\].
    pub arm: f64,
    /// Error of the origin \[m\].
    pub place: f64,
    /// Error of a rotated vector, relative to its length.
    pub rotation: f64,
    /// Velocity of the origin \[m/s\].
    pub velocity: DVec3,
    /// What its speed is at most, and its error \[m/s\].
    pub speed: f64,
    pub speed_error: f64,
    /// Error of the pebble that the step starts with, beyond that of the frame \[m\].
    pub pebble: f64,
    /// The frame's Z axis, or one near it.
    pub down: DVec3,
    /// Braking strength and its error \[N\]; `None` for a pad that never yields.
    pub brake: Option<(f64, f64)>,
    /// What each newton of load adds to it, and the error of that \[1\].
    pub brake_friction: (f64, f64),
    /// Factor on friction coefficients.
    pub friction_scale: f64,
    /// A pebble that has moved presses from its new place.
    pub settles: bool,
}

/// The surfaces that wheels run on.
#[derive(Clone, Debug)]
pub(super) struct Surfaces<'a> {
    scene: &'a Scene,
    /// Lengths in the scene are narrowed relative to this point \[m\].
    pub center: DVec3,
    /// Steepest change of friction with speed of any material \[s/m\].
    friction_slope: f64,
}

impl<'a> Surfaces<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        let curves = scene.materials().iter().flat_map(|material| material.dynamic_friction_by_speed.windows(2));
        let center = crate::scene::center(scene);
        Self { scene, center, friction_slope: curves.map(slope).fold(0.0, f64::max) }
    }

    /// The bound of the step after `last` that the judge ends with `next`.
    pub fn wheel(&self, p: &WheelParameters, frame: &FrameErrors, last: &WheelStep, next: &WheelStep) -> WheelBound {
        let FrameErrors { arm, place, rotation, speed, .. } = *frame;
        let reach = reach(p, last);
        let cosine = self.cosine(next, frame);
        let surface = self.surface(next, arm) + place + rotation * reach;
        let stands = next.contact.state == WheelState::Standing;
        let settles = frame.settles && !stands;
        let found = 2.0 * surface / cosine;
        // A wheel that was in the air begins on what it finds (R13).
        let began = frame.pebble + if last.contact.touches() { 0.0 } else { found };
        let narrowed = place + U * DIAGONAL * (FRAME_REACH + arm + 2.0 * reach) + rotation * reach;
        let speed_error = frame.speed_error + rotation * speed;
        let axial_damping = p.greatest_damping(speed + speed_error);
        let gentlest = p.d_z.abs().min(p.rebound_damper().linear.abs());
        let split = (axial_damping - p.d_xy.abs()).abs().max((gentlest - p.d_xy.abs()).abs());
        let across = p.k_xy.abs();
        let (stiffness, damping) = (across.max(p.greatest_stiffness()), p.d_xy.abs().max(axial_damping));
        // The springs' parts may be larger than their sum.
        let size = next.peak_force.max(next.normal_force.abs()) + damping * speed;
        let elastic = |place: f64| stiffness * (place + narrowed + U * (p.z_zero.abs() + reach));
        let spring = |place: f64| {
            elastic(place) + damping * speed_error + (8.0 * U + 4.0 * rotation) * size + 4.0 * rotation * split * speed
        };
        let friction =
            8.0 * U * next.friction + frame.friction_scale * self.friction_slope * (speed_error + 4.0 * U * speed);
        let (resistance, resistance_error) = self.rolling_resistance(p, frame, last);
        let per_load = resistance + frame.brake_friction.0;
        let per_load_error = resistance_error + frame.brake_friction.1;
        let clip = |force: f64, load: f64| {
            let brake = frame.brake.map(|(brake, error)| {
                let brake = brake + per_load * next.normal_force.abs();
                (brake, error + 16.0 * U * brake + per_load * load + per_load_error * next.normal_force.abs())
            });
            ClipErrors::new(next, brake, (force, load), friction)
        };
        // Where the springs alone hold the pebble, in a case of its own that is not recorded.
        let stale = elastic(began) + (8.0 * U + 4.0 * rotation) * stiffness * reach;
        let lean = self.lean(last, next, frame);
        let alone = if frame.settles { stale * (1.0 + lean * stiffness / across) } else { stale };
        let clipped = clip(alone, alone).worst();
        let held = clipped + leaning_back(p, lean, clipped + alone, stiffness * reach, rotation);
        let stays = began + 2.0 * U * DIAGONAL * (FRAME_REACH + arm + reach);
        let moved = held / across;
        let moves = place + rotation * reach + (moved + 2.0 * surface) / cosine;
        let leaning = (1.0 - cosine * cosine).max(0.0).sqrt() / cosine;
        let depth = if settles { frame.pebble + found + leaning * moved } else { began };
        let pressed = spring(depth);
        let (force, load) = if settles { (pressed + held, pressed + leaning * held) } else { (pressed, pressed) };
        let clip = clip(force, load);
        WheelBound {
            pebble: if stands { stays } else { moves },
            force: clip.of(next.clip_case)
                + 4.0 * rotation * next.force.length()
                + self.displacement_drag(p, frame, last),
            // That of the springs, whatever is clipped of it along the surface.
            normal_force: if next.contact.touches() { load } else { 0.0 },
            // Of another sub-step, clipped in another way perhaps; or of the moment of contact, a quotient of two forces.
            // A wheel in the air has none.
            peak_force: if next.peak_force > 0.0 {
                2.0 * clip.worst() + 8.0 * rotation * next.peak_force + self.displacement_drag(p, frame, last)
            } else {
                0.0
            },
            compression: depth + narrowed,
            friction,
        }
    }

    /// Of the angle between a wheel's axis and the surface that it ends on.
    pub fn cosine(&self, next: &WheelStep, frame: &FrameErrors) -> f64 {
        next.contact.normal.normalize_or_zero().dot(frame.down).abs().max(MIN_COSINE)
    }

    /// Sine of the angle between a wheel's axis and the surface that it rolls on.
    fn lean(&self, last: &WheelStep, next: &WheelStep, frame: &FrameErrors) -> f64 {
        let on = if last.contact.touches() { last } else { next };
        let cosine = on.contact.normal.normalize_or_zero().dot(frame.down).abs();
        (1.0 - cosine * cosine).max(0.0).sqrt()
    }

    /// Friction of the ground by JSBSim's ground reactions, at most, and its error \[1\].
    pub fn ground_friction(&self, step: &WheelStep, frame: &FrameErrors) -> (f64, f64) {
        let material = step.contact.material.map(|material| self.scene.material(material));
        let greatest = material.map_or(0.0, |material| {
            let rows = material.dynamic_friction_by_speed.iter().map(|&(_, friction)| friction);
            rows.fold(material.static_friction, f64::max)
        });
        let by_speed = self.friction_slope * (frame.speed_error + (frame.rotation + 4.0 * U) * frame.speed);
        (greatest, 8.0 * U * greatest + by_speed)
    }

    /// Rolling resistance of the wheel and of the ground that it comes from, and the error of that \[1\].
    pub fn rolling_resistance(&self, p: &WheelParameters, frame: &FrameErrors, last: &WheelStep) -> (f64, f64) {
        let Some(material) = last.contact.material else {
            return (p.rolling_resistance, U * p.rolling_resistance);
        };
        let drag = &self.scene.material(material).drag;
        let slopes = drag.rolling_resistance_by_speed.windows(2).map(slope);
        let speed = frame.velocity.reject_from(last.contact.normal).length();
        let resistance = p.rolling_resistance + drag.rolling_resistance_at(speed);
        let speed_error = frame.speed_error + (frame.rotation + 4.0 * U) * frame.speed;
        (resistance, 8.0 * U * resistance + slopes.fold(0.0, f64::max) * speed_error)
    }

    /// Error of the drag of water and slush \[N\].
    pub fn displacement_drag(&self, p: &WheelParameters, frame: &FrameErrors, last: &WheelStep) -> f64 {
        let Some((tyre, material)) = p.tyre.zip(last.contact.material) else {
            return 0.0;
        };
        let drag = &self.scene.material(material).drag;
        let over_square = tyre.displacement_drag(drag.fluid_depth, drag.fluid_density);
        over_square * frame.speed * (2.0 * frame.speed_error + 32.0 * U * frame.speed)
    }

    /// How well a surface's place is known along its normal \[m\].
    pub fn surface(&self, step: &WheelStep, arm: f64) -> f64 {
        let Some(leaf) = step.contact.leaf else {
            return 0.0;
        };
        let from_center = (step.contact.pebble - self.center).abs() + DVec3::splat(FRAME_REACH);
        let lengths = match &self.scene.leaf(leaf).solid {
            Solid::HalfSpace(_) => step.contact.normal.normalize_or_zero().abs().dot(from_center) + FRAME_REACH + arm,
            _ => from_center.length() + FRAME_REACH + arm,
        };
        8.0 * U * DIAGONAL * lengths
    }
}

/// Error of what the pebble of a leaning wheel is not moved, in terms of the force across \[N\]: with this sine of its angle, this
/// error of what clipping takes off, which is along the surface and at most so large \[N\], and this error of the axes.
fn leaning_back(p: &WheelParameters, lean: f64, error: f64, size: f64, rotation: f64) -> f64 {
    let excess = p.axial_excess();
    // The frame that the sine is of is one near the wheel's.
    let lean = lean + MAX_TURN;
    if excess * lean * lean <= 0.5 {
        return 0.0;
    }
    let factor = 0.55 * excess.sqrt();
    factor * error + (16.0 * U * factor + 16.0 * rotation * excess) * lean * size
}

/// How steeply a coefficient changes from a row to the next \[s/m\].
fn slope(rows: &[(f64, f64)]) -> f64 {
    ((rows[1].1 - rows[0].1) / (rows[1].0 - rows[0].0)).abs()
}

/// Distance of the pebble from the frame's origin, at most \[m\]: within the wheel's travel, or a little beside it.
pub(super) fn reach(parameters: &WheelParameters, last: &WheelStep) -> f64 {
    parameters.z_max.abs().max(parameters.z_min.abs()) + last.force.length() / parameters.k_xy.abs()
}

/// Errors of a clipped force's parts \[N\].
struct ClipErrors {
    force: f64,
    brake: f64,
    circle: f64,
    corner: f64,
}

impl ClipErrors {
    /// For the step `next` with this braking strength and its error \[N\], from the errors of the force before clipping,
    /// of its part along the normal, and of the friction coefficient.
    fn new(next: &WheelStep, brake: Option<(f64, f64)>, (force, load): (f64, f64), friction: f64) -> Self {
        let normal_force = next.normal_force.abs() + load;
        let circle = next.friction * normal_force;
        let circle_error = next.friction * load + friction * normal_force + 8.0 * U * circle;
        let corner = brake.filter(|&(brake, _)| brake < circle).map_or(0.0, |(brake, error)| {
            let square_error = 2.0 * (circle * circle_error + brake * error);
            let corner = ((circle - brake) * (circle + brake)).sqrt();
            square_error / corner.max(square_error.sqrt()).max(f64::MIN_POSITIVE)
        });
        Self { force, brake: brake.map_or(0.0, |(_, error)| error), circle: circle_error, corner }
    }

    /// In whatever case.
    fn worst(&self) -> f64 {
        [ClipCase::Brake, ClipCase::Corner, ClipCase::Circle].map(|case| self.of(case)).into_iter().fold(0.0, f64::max)
    }

    /// Error of the clipped force, its part along the normal included.
    fn of(&self, case: ClipCase) -> f64 {
        match case {
            ClipCase::NotComputed | ClipCase::NoPressingForce => 0.0,
            ClipCase::Inside => self.force,
            ClipCase::Brake => self.force + self.brake,
            ClipCase::Corner => self.force + self.brake + self.corner,
            ClipCase::Circle => self.force + self.circle,
        }
    }
}
