//! The air around eight vehicles: wind, wind shear and gusts.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::noise::NoiseKeys;
use crate::elementary::sin_cos;
use crate::flight::{DiscreteGust, LandingPlan};
use crate::lanes::LANES;
use crate::query::{self, LandingInputs, Weather, WindTable};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// The gusts at eight vehicles; as [`query::Gusts`].
#[derive(Clone, Copy)]
pub(super) struct Gusts<S: Simd> {
    along: F64x8<S>,
    across: F64x8<S>,
    across_drive: F64x8<S>,
    vertical: F64x8<S>,
    vertical_drive: F64x8<S>,
    /// Rotations of the air about the body's axes.
    rotation: DVec3x8<S>,
}

impl<S: Simd> Gusts<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            along: zero,
            across: zero,
            across_drive: zero,
            vertical: zero,
            vertical_drive: zero,
            rotation: DVec3x8::zero(simd),
        }
    }

    /// Angular velocities of the air, body axes \[rad/s\].
    #[inline(always)]
    pub fn rotation(&self) -> DVec3x8<S> {
        self.rotation
    }

    pub fn get(&self, lane: usize) -> query::Gusts {
        let DVec3 { x: roll, y: pitch, z: yaw } = self.rotation.get(lane);
        query::Gusts {
            along: self.along.get(lane),
            across: self.across.get(lane),
            across_drive: self.across_drive.get(lane),
            vertical: self.vertical.get(lane),
            vertical_drive: self.vertical_drive.get(lane),
            roll,
            pitch,
            yaw,
        }
    }

    pub fn set(&mut self, lane: usize, gusts: &query::Gusts) {
        let query::Gusts { along, across, across_drive, vertical, vertical_drive, roll: _, pitch: _, yaw: _ } = *gusts;
        self.rotation.set(lane, gusts.rotation());
        self.along.set(lane, along);
        self.across.set(lane, across);
        self.across_drive.set(lane, across_drive);
        self.vertical.set(lane, vertical);
        self.vertical_drive.set(lane, vertical_drive);
    }
}

/// The air in each of eight landings.
pub(super) struct Airs<S: Simd> {
    wind: DVec3x8<S>,
    shear_along: F64x8<S>,
    shear_across: F64x8<S>,
    /// Where the air varies in space or time.
    unsteady: Mask8<S>,
    turbulent: Mask8<S>,
    keys: NoiseKeys<S>,
    decay: F64x8<S>,
    decay_vertical: F64x8<S>,
    cascade: F64x8<S>,
    cascade_vertical: F64x8<S>,
    gain_along: F64x8<S>,
    gain_across: F64x8<S>,
    gain_vertical: F64x8<S>,
    decay_rotation: DVec3x8<S>,
    gain_rotation: DVec3x8<S>,
    /// Where a gust of its own comes, as [`crate::flight::DiscreteGust`].
    gusty: Mask8<S>,
    peak: DVec3x8<S>,
    begin: F64x8<S>,
    rate: F64x8<S>,
}

impl<S: Simd> Airs<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self {
            wind: DVec3x8::zero(simd),
            shear_along: zero,
            shear_across: zero,
            unsteady: Mask8::none(simd),
            turbulent: Mask8::none(simd),
            keys: NoiseKeys::none(simd),
            decay: zero,
            decay_vertical: zero,
            cascade: zero,
            cascade_vertical: zero,
            gain_along: zero,
            gain_across: zero,
            gain_vertical: zero,
            decay_rotation: DVec3x8::zero(simd),
            gain_rotation: DVec3x8::zero(simd),
            gusty: Mask8::none(simd),
            peak: DVec3x8::zero(simd),
            begin: zero,
            rate: zero,
        }
    }

    /// Sets the air of a lane.
    pub fn set(&mut self, lane: usize, plan: &LandingPlan, inputs: &LandingInputs) {
        let DVec2 { x, y } = plan.shear;
        self.wind.set(lane, plan.wind);
        self.shear_along.set(lane, x);
        self.shear_across.set(lane, y);
        self.unsteady.set(lane, !plan.is_steady);
        self.turbulent.set(lane, plan.turbulence.is_some());
        self.keys.set(lane, inputs.noise);
        self.gusty.set(lane, plan.gust.is_some());
        if let Some(DiscreteGust { peak, begin, rate }) = plan.gust {
            self.peak.set(lane, peak);
            self.begin.set(lane, begin);
            self.rate.set(lane, rate);
        }
        let Some(turbulence) = plan.turbulence else {
            return;
        };
        let crate::flight::Turbulence {
            decay,
            decay_vertical,
            cascade,
            cascade_vertical,
            gain_along,
            gain_across,
            gain_vertical,
            decay_roll,
            decay_pitch,
            decay_yaw,
            gain_roll,
            gain_pitch,
            gain_yaw,
        } = turbulence;
        self.decay_rotation.set(lane, DVec3::new(decay_roll, decay_pitch, decay_yaw));
        self.gain_rotation.set(lane, DVec3::new(gain_roll, gain_pitch, gain_yaw));
        self.decay.set(lane, decay);
        self.decay_vertical.set(lane, decay_vertical);
        self.cascade.set(lane, cascade);
        self.cascade_vertical.set(lane, cascade_vertical);
        self.gain_along.set(lane, gain_along);
        self.gain_across.set(lane, gain_across);
        self.gain_vertical.set(lane, gain_vertical);
    }

    /// Air velocities at these heights and times, world \[m/s\].
    #[inline(always)]
    pub fn at(&self, weather: &Weather, height: F64x8<S>, time: F64x8<S>, gusts: &Gusts<S>) -> DVec3x8<S> {
        if !self.unsteady.any() {
            return self.wind;
        }
        let mut moving = DVec3x8::new(
            self.wind.x + (self.shear_along * height + gusts.along),
            self.wind.y + (self.shear_across * height + gusts.across),
            gusts.vertical,
        );
        if self.gusty.any() {
            moving = self.gusty.select3(moving + self.discrete_gusts(time), moving);
        }
        for (table, point) in [(&weather.profile, height), (&weather.history, time)] {
            if let Some(table) = table {
                moving = moving + winds(table, point);
            }
        }
        self.unsteady.select3(moving, self.wind)
    }

    #[inline(always)]
    fn discrete_gusts(&self, time: F64x8<S>) -> DVec3x8<S> {
        let angle = self.rate * (time - self.begin);
        let lasts = angle.ge(angle.like(0.0)) & angle.le(angle.like(PI));
        let (sine, _) = sin_cos(angle);
        lasts.select3(self.peak * (sine * sine), DVec3x8::zero(angle.simd()))
    }

    /// The gusts after steps of these numbers, in the lanes that have any; nothing is computed where none has.
    #[inline(always)]
    pub fn after(&self, gusts: &Gusts<S>, steps: F64x8<S>, lanes: Mask8<S>) -> Gusts<S> {
        let turbulent = self.turbulent & lanes;
        if !turbulent.any() {
            return *gusts;
        }
        let [along, across, vertical, roll] = self.keys.noise(steps);
        let along = self.gain_along * along;
        let across = self.gain_across * across;
        let vertical = self.gain_vertical * vertical;
        let new_across = self.decay * gusts.across + self.cascade * gusts.across_drive + across;
        let new_vertical =
            self.decay_vertical * gusts.vertical + self.cascade_vertical * gusts.vertical_drive + vertical;
        let DVec3x8 { x: decay_roll, y: decay_pitch, z: decay_yaw } = self.decay_rotation;
        let DVec3x8 { x: gain_roll, y: gain_pitch, z: gain_yaw } = self.gain_rotation;
        let new = Gusts {
            along: self.decay * gusts.along + along,
            across: new_across,
            across_drive: self.decay * gusts.across_drive + across,
            vertical: new_vertical,
            vertical_drive: self.decay_vertical * gusts.vertical_drive + vertical,
            rotation: DVec3x8::new(
                decay_roll * gusts.rotation.x + gain_roll * roll,
                decay_pitch * gusts.rotation.y + gain_pitch * (new_vertical - gusts.vertical),
                decay_yaw * gusts.rotation.z + gain_yaw * (new_across - gusts.across),
            ),
        };
        Gusts {
            rotation: turbulent.select3(new.rotation, gusts.rotation),
            along: turbulent.select(new.along, gusts.along),
            across: turbulent.select(new.across, gusts.across),
            across_drive: turbulent.select(new.across_drive, gusts.across_drive),
            vertical: turbulent.select(new.vertical, gusts.vertical),
            vertical_drive: turbulent.select(new.vertical_drive, gusts.vertical_drive),
        }
    }
}

/// Winds of a table, lane by lane.
fn winds<S: Simd>(table: &WindTable, point: F64x8<S>) -> DVec3x8<S> {
    let mut winds = DVec3x8::zero(point.simd());
    for lane in 0..LANES {
        winds.set(lane, table.at(point.get(lane)));
    }
    winds
}
