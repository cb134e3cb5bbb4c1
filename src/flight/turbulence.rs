//! Turbulence: gusts with Dryden spectra in the form of MIL-F-8785C.
//!
//! Gusts act along the runway, across it and vertically; they are independent of each other and uniform over the
//! vehicle: rotary gusts are neglected. By Taylor's hypothesis a vehicle with airspeed V covers `V t` of the frozen
//! gust field in time t, so that with `T = L / V` the autocovariances are
//!
//! ```text
//! along the runway        R(t) = sigma^2 exp(-|t| / T)
//! across, vertical        R(t) = sigma^2 (1 - |t| / (2 T)) exp(-|t| / T)
//! ```
//!
//! V is the airspeed at the start, throughout a landing.
//!
//! # Filters
//! Sampled every h seconds, with `s = h / T` and `a = exp(-s)`, both are reproduced exactly by recursive filters of
//! white noise n with variance N. Along: `u' = a u + b n` with `b^2 N = sigma^2 (1 - a^2)`. The others are a cascade of
//! two such filters (a second-order direct form has a double pole, whose rounding errors grow with `1 / s^2`):
//!
//! ```text
//! x' = a x + b n
//! y' = a y + d x + b n        the zero of its transfer function at a - d = -c
//! ```
//!
//! `w = y - 2 a y[-1] + a^2 y[-2]` is then the moving average `b (n + c n[-1])`. R gives the covariances of w at lags 0
//! and 1,
//!
//! ```text
//! G0 = sigma^2 ((1 - a^4) + 2 s a^2)                  = b^2 N (1 + c^2)
//! G1 = -sigma^2 a ((1 - a^2) + s (1 + a^2) / 2)       = b^2 N c
//! G0 + 2 G1 = sigma^2 (1 - a)^2 p^2,  p^2 = (1 - a^2) - s a
//! G0 - 2 G1 = sigma^2 (1 + a)^2 q^2,  q^2 = (1 - a^2) + s a
//! ```
//!
//! so that `b sqrt(N) (1 + c) = sigma (1 - a) p`, `b sqrt(N) (1 - c) = sigma (1 + a) q`, and with `r = (1 - a) p + (1 + a) q`
//!
//! ```text
//! b sqrt(N) = sigma r / 2
//! d = a + c = (1 - a^2) (p - q) / r = -2 s a (1 - a^2) / ((p + q) r)
//! ```
//!
//! where nothing cancels as s tends to 0, provided that `1 - a` and `1 - a^2` are computed with `expm1`. The start is
//! stationary, with `var y = sigma^2`, `var x = X = b^2 N / (1 - a^2)` and `cov(x, y) = X (1 + a d / (1 - a^2))`.
//!
//! # Noise
//! n is the number of ones in a Philox word minus 16: binomial, mean 0, variance 8, and the same integer on every
//! engine. Its excess kurtosis is -1/16, that of a gust about (1 - a^2) / (1 + a^2) times as much: at 65 m/s, 5 ms and
//! the usual lengths -0.0022 vertically and -0.0001 along the runway. By the Gram-Charlier series gusts beyond 5 sigma
//! are then 5 % and 0.3 % less frequent than normal ones (`k / 24 He3(5) phi(5) / Q(5)` = 24 k), beyond 4 sigma 2 % and
//! 0.1 %.

use crate::normal;
use crate::query::{Gusts, Input, LandingInputs};
use crate::random::{NoiseKey, philox4x32, uniform};

/// The variable of the noise in the random counter, far above all inputs.
const NOISE: u32 = 0x1000;
/// The first of the five variables of the initial gusts.
const START: u32 = 0x1001;
/// Variance of the noise.
const NOISE_VARIANCE: f64 = 8.0;
/// Lower airspeeds use the turbulence of this one \[m/s\].
const MIN_AIRSPEED: f64 = 1.0;
/// Limits of the step relative to the correlation time, beyond which nothing changes.
const MIN_STEP: f64 = 1e-100;
const MAX_STEP: f64 = 700.0;

impl Gusts {
    /// Still air.
    pub const NONE: Self = Self { along: 0.0, across: 0.0, across_drive: 0.0, vertical: 0.0, vertical_drive: 0.0 };

    /// Stationary initial gusts for this step \[s\]; none in still air.
    #[must_use]
    pub fn at_start(inputs: &LandingInputs, step: f64) -> Self {
        let sigmas @ [sigma, sigma_vertical] = sigmas(inputs);
        if sigmas == [0.0; 2] {
            return Self::NONE;
        }
        let NoiseKey { seed, item } = inputs.noise;
        let normal = |variable| normal::quantile(uniform(seed, item, START + variable));
        let [horizontal, upwards] = transverse(inputs, step);
        let (across, across_drive) = horizontal.start(sigma, [normal(1), normal(2)]);
        let (vertical, vertical_drive) = upwards.start(sigma_vertical, [normal(3), normal(4)]);
        Self { along: sigma * normal(0), across, across_drive, vertical, vertical_drive }
    }
}

/// The coefficients of the filters: `decay` is a, `cascade` d, and `gain` b \[m/s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turbulence {
    /// a of both horizontal gusts.
    pub decay: f64,
    /// a of the vertical gust.
    pub decay_vertical: f64,
    /// d of the gust across.
    pub cascade: f64,
    /// d of the vertical gust.
    pub cascade_vertical: f64,
    /// b of the gust along the runway.
    pub gain_along: f64,
    /// b of the gust across.
    pub gain_across: f64,
    /// b of the vertical gust.
    pub gain_vertical: f64,
}

/// The three numbers of a step's noise: along, across, vertical.
#[must_use]
pub fn noise(key: NoiseKey, step: u64) -> [i32; 3] {
    let low = |number: u64| number as u32;
    let high = |number: u64| (number >> 32) as u32;
    // A landing has fewer than 2^32 steps.
    let counter = [low(key.item), high(key.item), NOISE, low(step)];
    let [along, across, vertical, _] = philox4x32(counter, [low(key.seed), high(key.seed)]);
    [along, across, vertical].map(|word| word.count_ones() as i32 - 16)
}

impl Turbulence {
    /// The variable of the noise in the random counter.
    pub const VARIABLE: u32 = NOISE;

    /// The filters for this step \[s\]; `None` in still air.
    #[must_use]
    pub fn new(inputs: &LandingInputs, step: f64) -> Option<Self> {
        let sigmas @ [sigma, sigma_vertical] = sigmas(inputs);
        if sigmas == [0.0; 2] {
            return None;
        }
        let [horizontal, vertical] = transverse(inputs, step);
        Some(Self {
            decay: horizontal.decay,
            decay_vertical: vertical.decay,
            cascade: horizontal.cascade,
            cascade_vertical: vertical.cascade,
            gain_along: sigma * (horizontal.lost_square / NOISE_VARIANCE).sqrt(),
            gain_across: sigma * horizontal.gain,
            gain_vertical: sigma_vertical * vertical.gain,
        })
    }

    /// The gusts a step later.
    #[must_use]
    pub fn after(&self, gusts: &Gusts, noise: [i32; 3]) -> Gusts {
        let [along, across, vertical] = noise.map(f64::from);
        Gusts {
            along: self.decay * gusts.along + self.gain_along * along,
            across: self.decay * gusts.across + self.cascade * gusts.across_drive + self.gain_across * across,
            across_drive: self.decay * gusts.across_drive + self.gain_across * across,
            vertical: self.decay_vertical * gusts.vertical
                + self.cascade_vertical * gusts.vertical_drive
                + self.gain_vertical * vertical,
            vertical_drive: self.decay_vertical * gusts.vertical_drive + self.gain_vertical * vertical,
        }
    }
}

/// Standard deviations of the horizontal gusts and of the vertical one \[m/s\].
fn sigmas(inputs: &LandingInputs) -> [f64; 2] {
    [Input::Turbulence, Input::TurbulenceVertical].map(|input| inputs.get(input))
}

/// The filters of the lateral and vertical gusts.
fn transverse(inputs: &LandingInputs, step: f64) -> [Transverse; 2] {
    let way = step * inputs.get(Input::Airspeed).max(MIN_AIRSPEED);
    [Input::TurbulenceLength, Input::TurbulenceLengthVertical].map(|length| Transverse::new(way / inputs.get(length)))
}

/// The filter of a transverse gust with sigma 1.
struct Transverse {
    decay: f64,
    /// 1 - a^2.
    lost_square: f64,
    cascade: f64,
    gain: f64,
    /// Standard deviation of x, and the part of y correlated with it.
    drive: f64,
    shared: f64,
}

impl Transverse {
    /// `share` is the step divided by the correlation time.
    fn new(share: f64) -> Self {
        let share = share.clamp(MIN_STEP, MAX_STEP);
        let decay = (-share).exp();
        let (lost, lost_square) = (-(-share).exp_m1(), -(-2.0 * share).exp_m1());
        let (p, q) = ((lost_square - share * decay).sqrt(), (lost_square + share * decay).sqrt());
        let r = lost * p + (1.0 + decay) * q;
        let cascade = -2.0 * share * decay * lost_square / ((p + q) * r);
        let drive = 0.5 * r / lost_square.sqrt();
        Self {
            decay,
            lost_square,
            cascade,
            gain: 0.5 * r / NOISE_VARIANCE.sqrt(),
            drive,
            shared: drive * (1.0 + decay * cascade / lost_square),
        }
    }

    /// A stationary gust with this sigma and its driving state, from two normal numbers.
    fn start(&self, sigma: f64, [first, second]: [f64; 2]) -> (f64, f64) {
        let own = (1.0 - self.shared * self.shared).max(0.0).sqrt();
        (sigma * (self.shared * first + own * second), sigma * self.drive * first)
    }
}
