//! Job `wheel`: wheels moved over the scenes for a few steps, each step judged.
//!
//! The state of a wheel depends on its history, so its error in one step is the start of the next: the bound of a
//! pebble is propagated. From the first step that is decided differently nothing can be compared; that step must be one
//! in which frames displaced by the bound decide as the candidate did.
//!
//! # Conventions
//! As in [`crate::query::WheelParameters`].

mod check;

use std::ops::Range;

use glam::{DQuat, DVec3};

pub(super) use self::check::LedWheels;
use super::deviation::largest;
use super::draws::{Draws, Purpose};
use super::error::one_each;
use super::steps::{Parting, SHARES, StepJudgement, StepReport, TRIALS, WheelDecisions, verdict};
use super::wheel_bound::{DIAGONAL, FRAME_REACH, FrameErrors, ROTATION, Surfaces, U, WheelBound, WheelDeviations};
use super::{Agreement, Agreements, Finding, SceneClass, ValidationError, equal};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::query::{
    Damper, EntryPoints, MAX_STRUT_ROWS, Ray, RayStatus, Strut, Tyre, WheelContact, WheelFrame, WheelParameters,
    WheelStep, Wheels,
};
use crate::scene::Scene;

/// Steps of each wheel.
const STEPS: u64 = 4;
/// Time between them \[s\].
const STEP: f64 = 0.005;
/// Wheels moved over the same scene with the same springs.
const GROUP: u64 = 1 << 12;
/// The same if each scene is a different variant: many are covered.
const SMALL_GROUP: u64 = 1 << 7;
/// Greatest angle between a wheel's axis and the surface's normal \[rad\].
const TILT: f64 = 0.3;

/// Size of the groups of a class.
fn group_size(class: SceneClass) -> u64 {
    if class.items_per_scene() == u64::MAX { GROUP } else { SMALL_GROUP }
}

/// The wheel of docs/theory/wheels.md, softer and stiffer from group to group.
fn parameters(seed: u64, group: u64) -> WheelParameters {
    let mut draws = Draws::new(seed, Purpose::Springs, group);
    let stiffness = draws.power_of_ten(-0.5, 1.5);
    let plain = WheelParameters {
        k_xy: -6e4 * stiffness,
        k_z: -4e4 * stiffness,
        d_xy: -3e3 * stiffness,
        d_z: -3.5e3 * stiffness,
        z_min: 0.35,
        z_zero: 0.70,
        z_max: 0.70,
        rolling_resistance: 0.02,
        clamp_to_max_force: draws.sign() > 0.0,
        ..WheelParameters::PLAIN
    };
    let mut damper = |linear: f64| Damper {
        linear: linear * stiffness * draws.power_of_ten(-1.0, 0.5),
        square: linear * stiffness * draws.power_of_ten(-2.0, 0.0),
    };
    let (compression, rebound) = (damper(-3.5e3), damper(-3.5e3));
    let strut = (draws.sign() > 0.0).then(|| strut(&mut draws, 4e4 * stiffness));
    WheelParameters {
        d_z_square: if draws.sign() > 0.0 { compression.square } else { 0.0 },
        rebound: (draws.sign() > 0.0).then_some(rebound),
        strut: strut.flatten(),
        caster: draws.index(4) == 0,
        tyre: (draws.sign() > 0.0).then_some(Tyre { width: 0.3, deflection: 0.02, count: 2 }),
        // A third of them give so much across that leaning matters.
        k_xy: plain.k_xy * if draws.index(3) == 0 { draws.power_of_ten(-1.5, 0.0) } else { 1.0 },
        ..plain
    }
}

/// A strut with rows over the travel, about as stiff as the spring of this coefficient \[N/m\].
fn strut(draws: &mut Draws, stiffness: f64) -> Option<Strut> {
    let mut rows = vec![(0.0, if draws.sign() > 0.0 { 0.0 } else { draws.between(0.0, 0.05 * stiffness) })];
    for row in 1..2 + draws.index(MAX_STRUT_ROWS - 2) {
        let (compression, force) = rows[row - 1];
        let further = draws.between(0.005, 0.1);
        let slope = if draws.index(5) == 0 { 0.0 } else { stiffness * draws.power_of_ten(-0.7, 0.5) };
        rows.push((compression + further, force + slope * further));
    }
    Strut::new(&rows).ok()
}

/// An item of the check `wheels`: a step of a wheel moved over a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WheelItem {
    /// Class of the scene.
    pub class: SceneClass,
    /// The seed of scene, springs and frames.
    pub seed: u64,
    /// The wheel's number; it also tells the variant of the scene, and the springs.
    pub wheel: u64,
    /// Its step, counted from 0.
    pub step: u64,
}

/// A step of a wheel as both engines have it.
#[derive(Clone, Debug)]
pub struct WheelComparison {
    /// Which it is.
    pub item: WheelItem,
    /// The wheel.
    pub parameters: WheelParameters,
    /// Its frame in this step.
    pub frame: WheelFrame,
    /// The judge's result.
    pub truth: WheelStep,
    /// The candidate's.
    pub answer: WheelStep,
    /// How far that is off, and how far it may be.
    pub deviations: WheelDeviations,
    /// What it comes to.
    pub judgement: StepJudgement,
}

/// Judges about `items` steps of wheels in a class of scenes; `advanced` receives the counts so far.
///
/// # Errors
/// If an engine fails.
pub fn validate_wheels(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (class, seed): (SceneClass, u64),
    items: u64,
    advanced: &mut dyn FnMut(&Agreements),
) -> Result<StepReport, ValidationError> {
    let mut report = StepReport::new();
    let wheels = items.div_ceil(STEPS);
    let size = group_size(class);
    for first in (0..wheels).step_by(size as usize) {
        compare(judge, candidate, (class, seed), first..wheels.min(first + size), &mut |step| {
            report.add(Finding::of_step(step.item, step.judgement), &[step.truth]);
        })?;
        advanced(&report.tally);
    }
    Ok(report)
}

/// Recomputes a step of a wheel, or the earlier step after which nothing can be compared.
///
/// # Errors
/// If an engine fails, or a wheel does not get that far.
pub fn judge_wheel(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    item: &WheelItem,
) -> Result<WheelComparison, ValidationError> {
    let WheelItem { class, seed, wheel, step } = *item;
    let mut found = None;
    if step < STEPS {
        compare(judge, candidate, (class, seed), wheel..wheel + 1, &mut |comparison| {
            if comparison.item.step <= step {
                found = Some(comparison);
            }
        })?;
    }
    found.ok_or_else(|| ValidationError::Step { what: format!("wheel {wheel}"), step, last: STEPS - 1 })
}

/// Moves wheels of one group on both engines; `each` receives their steps, one wheel after another.
fn compare(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (class, seed): (SceneClass, u64),
    wheels: Range<u64>,
    each: &mut dyn FnMut(WheelComparison),
) -> Result<(), ValidationError> {
    let group = wheels.start / group_size(class);
    let scene = class.scene(seed, group)?;
    let surfaces = Surfaces::new(&scene);
    let promises_equality = candidate.promises_equality();
    let parameters = parameters(seed, group);
    let lead = Lead { judge, promises_equality, scene: &scene, surfaces, parameters, class, seed };
    let runs = frames(judge, &scene, (class, seed), wheels.clone())?;
    let truths = judge.compute::<Wheels>((&scene, &lead.parameters), &runs)?;
    let answers = one_each(candidate.compute::<Wheels>((&scene, &lead.parameters), &runs)?, runs.len())?;
    for (((wheel, frames), truths), answers) in wheels.zip(&runs).zip(&truths).zip(answers) {
        lead.judge_wheel(wheel, frames, truths, &one_each(answers, frames.len())?, each)?;
    }
    Ok(())
}

/// Frames of wheels standing on the scene, or nearly: where a ray from above hits it.
fn frames(
    judge: &dyn Engine,
    scene: &Scene,
    (class, seed): (SceneClass, u64),
    wheels: Range<u64>,
) -> Result<Vec<Vec<WheelFrame>>, EngineError> {
    let [low, high] = class.region();
    let mut draws: Vec<Draws> = wheels.map(|wheel| Draws::new(seed, Purpose::Wheel, wheel)).collect();
    let rays: Vec<Ray> = draws
        .iter_mut()
        .map(|draws| {
            let top = DVec3 { z: high.z, ..draws.in_box([low, high]) };
            Ray::segment(top, DVec3 { z: low.z - 1.0, ..top })
        })
        .collect();
    let entries = judge.compute::<EntryPoints>(scene, &rays)?;
    Ok(draws
        .into_iter()
        .zip(rays.iter().zip(entries))
        .map(|(mut draws, (ray, entry))| {
            let met = entry.status == RayStatus::Hit && entry.leaf.is_some();
            let normal = if met { entry.normal.normalize() } else { DVec3::Z };
            lead_from(&mut draws, ray.at(if met { entry.lambda } else { 0.5 }), normal)
        })
        .collect())
}

/// Frames of a wheel over a point of a surface: mostly within its travel, sometimes above or below it.
fn lead_from(draws: &mut Draws, point: DVec3, normal: DVec3) -> Vec<WheelFrame> {
    let tilt = DQuat::from_axis_angle(draws.direction_across(normal), draws.between(0.0, TILT));
    let down = tilt * -normal;
    let turn = DQuat::from_rotation_z(draws.between(0.0, std::f64::consts::TAU));
    let mut orientation = DQuat::from_rotation_arc(DVec3::Z, down) * turn;
    let mut origin = point - draws.between(0.30, 0.72) * down;
    let along = draws.direction_across(normal) * draws.power_of_ten(-3.0, 1.8);
    let velocity = along + normal * draws.sign() * draws.power_of_ten(-4.0, 0.3);
    let spin = draws.direction() * draws.power_of_ten(-3.0, 0.0);
    let brake = match draws.index(4) {
        0 => 0.0,
        1 => f64::INFINITY,
        _ => draws.power_of_ten(1.0, 5.0),
    };
    let brake_friction = if draws.sign() > 0.0 { draws.between(0.0, 0.6) } else { 0.0 };
    (0..STEPS)
        .map(|_| {
            let frame = WheelFrame { origin, orientation, velocity, brake, brake_friction };
            origin += STEP * velocity;
            orientation = (DQuat::from_scaled_axis(STEP * spin) * orientation).normalize();
            frame
        })
        .collect()
}

/// Wheels led over one scene.
struct Lead<'a> {
    judge: &'a dyn Engine,
    /// The candidate promises the judge's very numbers.
    promises_equality: bool,
    scene: &'a Scene,
    surfaces: Surfaces<'a>,
    parameters: WheelParameters,
    class: SceneClass,
    seed: u64,
}

impl Lead<'_> {
    /// Judges the steps of a wheel, the last one being that in which the engines part, if they do.
    fn judge_wheel(
        &self,
        wheel: u64,
        frames: &[WheelFrame],
        truths: &[WheelStep],
        answers: &[WheelStep],
        each: &mut dyn FnMut(WheelComparison),
    ) -> Result<(), EngineError> {
        let mut last = WheelStep::without_force(WheelContact::FREE, DVec3::ZERO);
        let mut carried = 0.0;
        for (index, (truth, answer)) in truths.iter().zip(answers).enumerate() {
            let errors = frame_errors(&frames[index], carried);
            let bound = self.surfaces.wheel(&self.parameters, &errors, &last, truth);
            let deviations = bound.deviations(truth, answer);
            let parts = WheelDecisions::of(truth) != WheelDecisions::of(answer);
            let judgement = if self.promises_equality && !equal(truth, answer) {
                StepJudgement::unequal()
            } else if parts {
                self.parting(wheel, &frames[..=index], &bound, &truths[..=index], answer)?
            } else {
                let (ratio, what) = largest(&deviations);
                StepJudgement::new(verdict(ratio), what, Some(ratio))
            };
            each(WheelComparison {
                item: WheelItem { class: self.class, seed: self.seed, wheel, step: index as u64 },
                parameters: self.parameters,
                frame: frames[index],
                truth: *truth,
                answer: *answer,
                deviations,
                judgement,
            });
            if parts {
                return Ok(());
            }
            carried = if truth.contact.touches() { bound.pebble } else { 0.0 };
            last = *truth;
        }
        Ok(())
    }

    /// The verdict on a step that was decided differently.
    fn parting(
        &self,
        wheel: u64,
        frames: &[WheelFrame],
        bound: &WheelBound,
        truths: &[WheelStep],
        answer: &WheelStep,
    ) -> Result<StepJudgement, EngineError> {
        // Up to the last step all is decided as before.
        let mut wanted: Vec<WheelDecisions> = truths.iter().map(WheelDecisions::of).collect();
        let last = WheelDecisions::of(answer);
        let decision = wanted.pop().map_or_else(String::new, |truth| format!("{truth} against {last}"));
        wanted.push(last);
        let of_displaced = bound.of_displaced();
        for share in SHARES {
            let displaced: Vec<Vec<WheelFrame>> =
                (0..TRIALS).map(|trial| self.displaced(frames, bound, share, (wheel, trial))).collect();
            for steps in self.judge.compute::<Wheels>((self.scene, &self.parameters), &displaced)? {
                let alike = steps.last().filter(|_| steps.iter().map(WheelDecisions::of).eq(wanted.iter().cloned()));
                if alike.is_some_and(|step| largest(&of_displaced.deviations(step, answer)).0 <= 1.0) {
                    let parting = Some(Parting { decision, margin: Some(share) });
                    return Ok(StepJudgement {
                        parting,
                        ..StepJudgement::new(Agreement::Ambiguous, "another decision", None)
                    });
                }
            }
        }
        let parting = Some(Parting { decision, margin: None });
        Ok(StepJudgement { parting, ..StepJudgement::new(Agreement::Wrong, "another decision", None) })
    }

    /// The same frames, each displaced by `share` of the errors, up or down at random.
    fn displaced(
        &self,
        frames: &[WheelFrame],
        bound: &WheelBound,
        share: f64,
        (wheel, trial): (u64, u64),
    ) -> Vec<WheelFrame> {
        let mut draws = Draws::new(self.seed ^ wheel, Purpose::Displacement, trial);
        let mut by = |size: f64| draws.sign() * share * size;
        frames
            .iter()
            .map(|frame| {
                let speed = frame.velocity.length();
                WheelFrame {
                    origin: frame.origin + vector(&mut by, bound.compression),
                    orientation: (DQuat::from_scaled_axis(vector(&mut by, ROTATION)) * frame.orientation).normalize(),
                    velocity: frame.velocity + vector(&mut by, (4.0 * U + ROTATION) * speed),
                    // A pebble that was just found is on the wheel's axis, wherever the frame is: what rounds its place,
                    // and with it the force that the brake has to hold, is a displacement of the brake.
                    brake: (frame.brake + by(bound.force)).max(0.0),
                    brake_friction: frame.brake_friction,
                }
            })
            .collect()
    }
}

/// A vector each of whose coordinates is drawn by itself.
fn vector(by: &mut impl FnMut(f64) -> f64, size: f64) -> DVec3 {
    DVec3::new(by(size), by(size), by(size))
}

fn frame_errors(frame: &WheelFrame, carried: f64) -> FrameErrors {
    let speed = frame.velocity.length();
    FrameErrors {
        arm: 0.0,
        place: 2.0 * U * DIAGONAL * FRAME_REACH,
        rotation: ROTATION,
        velocity: frame.velocity,
        speed,
        speed_error: 4.0 * U * speed,
        pebble: carried,
        down: frame.orientation * DVec3::Z,
        brake: frame.brake.is_finite().then_some((frame.brake, 0.0)),
        brake_friction: (frame.brake_friction, 0.0),
        friction_scale: 1.0,
        settles: false,
    }
}
