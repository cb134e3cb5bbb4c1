//! The air around eight vehicles: wind, wind shear and gusts.

use glam::DVec2;

use crate::flight::{LandingPlan, noise};
use crate::lanes::LANES;
use crate::query::{self, LandingInputs};
use crate::random::NoiseKey;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// The gusts at eight vehicles; as [`query::Gusts`].
#[derive(Clone, Copy)]
pub(super) struct Gusts<S: Simd> {
    along: F64x8<S>,
    across: F64x8<S>,
    across_drive: F64x8<S>,
    vertical: F64x8<S>,
    vertical_drive: F64x8<S>,
}

impl<S: Simd> Gusts<S> {
    pub fn none(simd: S) -> Self {
        let zero = F64x8::zero(simd);
        Self { along: zero, across: zero, across_drive: zero, vertical: zero, vertical_drive: zero }
    }

    pub fn get(&self, lane: usize) -> query::Gusts {
        query::Gusts {
            along: self.along.get(lane),
            across: self.across.get(lane),
            across_drive: self.across_drive.get(lane),
            vertical: self.vertical.get(lane),
            vertical_drive: self.vertical_drive.get(lane),
        }
    }

    pub fn set(&mut self, lane: usize, gusts: &query::Gusts) {
        let query::Gusts { along, across, across_drive, vertical, vertical_drive } = *gusts;
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
    keys: [NoiseKey; LANES],
    decay: F64x8<S>,
    decay_vertical: F64x8<S>,
    cascade: F64x8<S>,
    cascade_vertical: F64x8<S>,
    gain_along: F64x8<S>,
    gain_across: F64x8<S>,
    gain_vertical: F64x8<S>,
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
            keys: [NoiseKey::default(); LANES],
            decay: zero,
            decay_vertical: zero,
            cascade: zero,
            cascade_vertical: zero,
            gain_along: zero,
            gain_across: zero,
            gain_vertical: zero,
        }
    }

    /// Sets the air of a lane.
    pub fn set(&mut self, lane: usize, plan: &LandingPlan, inputs: &LandingInputs) {
        let DVec2 { x, y } = plan.shear;
        self.wind.set(lane, plan.wind);
        self.shear_along.set(lane, x);
        self.shear_across.set(lane, y);
        self.unsteady.set(lane, !plan.is_steady());
        self.turbulent.set(lane, plan.turbulence.is_some());
        self.keys[lane] = inputs.noise;
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
        } = turbulence;
        self.decay.set(lane, decay);
        self.decay_vertical.set(lane, decay_vertical);
        self.cascade.set(lane, cascade);
        self.cascade_vertical.set(lane, cascade_vertical);
        self.gain_along.set(lane, gain_along);
        self.gain_across.set(lane, gain_across);
        self.gain_vertical.set(lane, gain_vertical);
    }

    /// Air velocities at these heights, world \[m/s\].
    #[inline(always)]
    pub fn at(&self, height: F64x8<S>, gusts: &Gusts<S>) -> DVec3x8<S> {
        if !self.unsteady.any() {
            return self.wind;
        }
        let moving = DVec3x8::new(
            self.wind.x + (self.shear_along * height + gusts.along),
            self.wind.y + (self.shear_across * height + gusts.across),
            gusts.vertical,
        );
        self.unsteady.select3(moving, self.wind)
    }

    /// The gusts after steps of these numbers, in the lanes that have any; nothing is computed where none has.
    #[inline(always)]
    pub fn after(&self, gusts: &Gusts<S>, steps: F64x8<S>, lanes: Mask8<S>) -> Gusts<S> {
        let turbulent = self.turbulent & lanes;
        if !turbulent.any() {
            return *gusts;
        }
        let mut numbers = [[0.0; LANES]; 3];
        for lane in turbulent.lanes() {
            for (lanes, number) in numbers.iter_mut().zip(noise(self.keys[lane], steps.get(lane) as u64)) {
                lanes[lane] = f64::from(number);
            }
        }
        let [along, across, vertical] = numbers;
        let simd = steps.simd();
        let along = self.gain_along * F64x8::from_array(simd, along);
        let across = self.gain_across * F64x8::from_array(simd, across);
        let vertical = self.gain_vertical * F64x8::from_array(simd, vertical);
        let new = Gusts {
            along: self.decay * gusts.along + along,
            across: self.decay * gusts.across + self.cascade * gusts.across_drive + across,
            across_drive: self.decay * gusts.across_drive + across,
            vertical: self.decay_vertical * gusts.vertical + self.cascade_vertical * gusts.vertical_drive + vertical,
            vertical_drive: self.decay_vertical * gusts.vertical_drive + vertical,
        };
        Gusts {
            along: turbulent.select(new.along, gusts.along),
            across: turbulent.select(new.across, gusts.across),
            across_drive: turbulent.select(new.across_drive, gusts.across_drive),
            vertical: turbulent.select(new.vertical, gusts.vertical),
            vertical_drive: turbulent.select(new.vertical_drive, gusts.vertical_drive),
        }
    }
}
