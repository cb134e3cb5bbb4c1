//! Turbulence: gusts with Dryden spectra in the form of MIL-F-8785C.
//!
//! Gusts act along the runway, across it and vertically; they are independent of each other. How they vary over the vehicle
//! are rotary gusts, below. By Taylor's hypothesis a vehicle with airspeed V covers `V t` of the frozen
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
//! # Rotary gusts
//! A gust that varies over the vehicle turns it as if the air rotated, at p, q and r about the body's axes. With the span b,
//! MIL-F-8785C has them with the spectra (in frequencies Omega along the way, of positive ones)
//!
//! ```text
//! p    sigma_w^2 / L_w  0.8 (pi L_w / 4b)^(1/3) / (1 + (4b Omega / pi)^2)
//! q    Omega^2 / (1 + (4b Omega / pi)^2)  of the vertical gust
//! r    Omega^2 / (1 + (3b Omega / pi)^2)  of the gust across
//! ```
//!
//! q and r are slopes of the linear gusts along the way, smoothed over the vehicle: they follow from those, and correlate with
//! them as the filter below says. Gusts that grow upwards ahead lift the nose: `q = w' / V`, and gusts that grow to the left
//! ahead turn it to the left: `r = -v' / V` with V and the derivative by time. p is how the vertical gust varies across the
//! way; it is independent of all others, and has a noise of its own.
//!
//! With `T_p = 4b / (pi V)` p is a filter of the first order as the gust along is, exact at the steps, with the variance
//! `sigma_w^2 0.8 pi^2 / (8 b L_w) (pi L_w / 4b)^(1/3)`. q and r are
//!
//! ```text
//! q' = A q + g (w' - w),  A = exp(-h / T_p)     r likewise, with 3b for 4b
//! ```
//!
//! the filter `s / (1 + T_p s)` for a gust that is a straight line between steps. g makes the variance that of the spectrum,
//! `(sigma / (V T_p))^2 x (3 + 2 x) / (2 (1 + x)^2)` with `x = T_p / T`, at every step. The start is stationary: with the
//! covariances `C1 = cov(q, x)`, `C2 = cov(q, y)` and `D = var y - R(h)`
//!
//! ```text
//! C1 (1 - A a) = g cov(x, y) (1 - a)
//! C2 (1 - A a) = A d C1 + g D
//! var q (1 - A^2) = 2 A g (d C1 - (1 - a) C2) + 2 g^2 D
//! ```
//!
//! # Noise
//! n is the number of ones in a Philox word minus 16: binomial, mean 0, variance 8, and the same integer on every
//! engine. Its excess kurtosis is -1/16, that of a gust about (1 - a^2) / (1 + a^2) times as much: at 65 m/s, 5 ms and
//! the usual lengths -0.0022 vertically and -0.0001 along the runway. By the Gram-Charlier series gusts beyond 5 sigma
//! are then 5 % and 0.3 % less frequent than normal ones (`k / 24 He3(5) phi(5) / Q(5)` = 24 k), beyond 4 sigma 2 % and
//! 0.1 %.

use std::f64::consts::PI;

use crate::elementary::{cbrt, exp, exp_m1};
use crate::normal;
use crate::query::{Gusts, Input, LandingInputs};
use crate::random::{NoiseKey, philox4x32, uniform};

/// The variable of the noise in the random counter, far above all inputs.
const NOISE: u32 = 0x1000;
/// The first of the eight variables of the initial gusts.
const START: u32 = 0x1001;
/// Variance of the noise.
const NOISE_VARIANCE: f64 = 8.0;
/// Lower airspeeds use the turbulence of this one \[m/s\].
const MIN_AIRSPEED: f64 = 1.0;
/// Shorter spans and scale lengths \[m\] have the rotary gusts of this one.
const MIN_LENGTH: f64 = 1e-3;
/// Limits of the step relative to the correlation time, beyond which nothing changes.
const MIN_STEP: f64 = 1e-100;
const MAX_STEP: f64 = 700.0;

impl Gusts {
    /// Still air.
    pub const NONE: Self = Self {
        along: 0.0,
        across: 0.0,
        across_drive: 0.0,
        vertical: 0.0,
        vertical_drive: 0.0,
        roll: 0.0,
        pitch: 0.0,
        yaw: 0.0,
    };

    /// Stationary initial gusts for this step \[s\] at a vehicle with this span \[m\]; none in still air.
    #[must_use]
    pub fn at_start(inputs: &LandingInputs, span: Option<f64>, step: f64) -> Self {
        let sigmas @ [sigma, sigma_vertical] = sigmas(inputs);
        if sigmas == [0.0; 2] {
            return Self::NONE;
        }
        let NoiseKey { seed, item } = inputs.noise;
        let normal = |variable| normal::quantile(uniform(seed, item, START + variable));
        let [horizontal, upwards] = transverse(inputs, step);
        let (across, across_drive) = horizontal.start(sigma, [normal(1), normal(2)]);
        let (vertical, vertical_drive) = upwards.start(sigma_vertical, [normal(3), normal(4)]);
        let linear = Self { along: sigma * normal(0), across, across_drive, vertical, vertical_drive, ..Self::NONE };
        Rotary::new(inputs, span, step).map_or(linear, |rotary| Self {
            roll: rotary.roll.sigma * normal(5),
            pitch: rotary.pitch.start([normal(3), normal(4), normal(6)]),
            yaw: rotary.yaw.start([normal(1), normal(2), normal(7)]),
            ..linear
        })
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
    /// a of the rotation in roll, A of those in pitch and yaw; 0 without rotary gusts.
    pub decay_roll: f64,
    /// In pitch.
    pub decay_pitch: f64,
    /// In yaw.
    pub decay_yaw: f64,
    /// b of the rotation in roll \[rad/s\]; 0 without rotary gusts.
    pub gain_roll: f64,
    /// g in pitch, of the vertical gust \[rad/m\].
    pub gain_pitch: f64,
    /// -g in yaw, of the gust across \[rad/m\].
    pub gain_yaw: f64,
}

/// The four numbers of a step's noise: along, across, vertical, roll.
#[must_use]
pub fn noise(key: NoiseKey, step: u64) -> [i32; 4] {
    let low = |number: u64| number as u32;
    let high = |number: u64| (number >> 32) as u32;
    // A landing has fewer than 2^32 steps.
    let counter = [low(key.item), high(key.item), NOISE, low(step)];
    philox4x32(counter, [low(key.seed), high(key.seed)]).map(|word| word.count_ones() as i32 - 16)
}

impl Turbulence {
    /// The variable of the noise in the random counter.
    pub const VARIABLE: u32 = NOISE;

    /// The filters for this step \[s\] and a vehicle with this span \[m\]; `None` in still air.
    #[must_use]
    pub fn new(inputs: &LandingInputs, span: Option<f64>, step: f64) -> Option<Self> {
        let sigmas @ [sigma, sigma_vertical] = sigmas(inputs);
        if sigmas == [0.0; 2] {
            return None;
        }
        let [horizontal, vertical] = transverse(inputs, step);
        let rotary = Rotary::new(inputs, span, step);
        let of_rotary = |of: fn(&Rotary) -> f64| rotary.as_ref().map_or(0.0, of);
        Some(Self {
            decay: horizontal.decay,
            decay_vertical: vertical.decay,
            cascade: horizontal.cascade,
            cascade_vertical: vertical.cascade,
            gain_along: sigma * (horizontal.lost_square / NOISE_VARIANCE).sqrt(),
            gain_across: sigma * horizontal.gain,
            gain_vertical: sigma_vertical * vertical.gain,
            decay_roll: of_rotary(|rotary| rotary.roll.decay),
            decay_pitch: of_rotary(|rotary| rotary.pitch.decay),
            decay_yaw: of_rotary(|rotary| rotary.yaw.decay),
            gain_roll: of_rotary(|rotary| rotary.roll.sigma * (rotary.roll.lost_square / NOISE_VARIANCE).sqrt()),
            gain_pitch: of_rotary(|rotary| rotary.pitch.gain),
            gain_yaw: of_rotary(|rotary| rotary.yaw.gain),
        })
    }

    /// The gusts a step later.
    #[must_use]
    pub fn after(&self, gusts: &Gusts, noise: [i32; 4]) -> Gusts {
        let [of_along, of_across, of_vertical, of_roll] = noise.map(f64::from);
        let across = self.decay * gusts.across + self.cascade * gusts.across_drive + self.gain_across * of_across;
        let vertical = self.decay_vertical * gusts.vertical
            + self.cascade_vertical * gusts.vertical_drive
            + self.gain_vertical * of_vertical;
        Gusts {
            along: self.decay * gusts.along + self.gain_along * of_along,
            across,
            across_drive: self.decay * gusts.across_drive + self.gain_across * of_across,
            vertical,
            vertical_drive: self.decay_vertical * gusts.vertical_drive + self.gain_vertical * of_vertical,
            roll: self.decay_roll * gusts.roll + self.gain_roll * of_roll,
            pitch: self.decay_pitch * gusts.pitch + self.gain_pitch * (vertical - gusts.vertical),
            yaw: self.decay_yaw * gusts.yaw + self.gain_yaw * (across - gusts.across),
        }
    }
}

/// Standard deviations of the horizontal gusts and of the vertical one \[m/s\].
fn sigmas(inputs: &LandingInputs) -> [f64; 2] {
    [Input::Turbulence, Input::TurbulenceVertical].map(|input| inputs.get(input))
}

/// The filters of the lateral and vertical gusts.
fn transverse(inputs: &LandingInputs, step: f64) -> [Transverse; 2] {
    let way = way(inputs, step);
    [Input::TurbulenceLength, Input::TurbulenceLengthVertical].map(|length| Transverse::new(way / inputs.get(length)))
}

/// What is flown in a step \[m\].
fn way(inputs: &LandingInputs, step: f64) -> f64 {
    step * inputs.get(Input::Airspeed).max(MIN_AIRSPEED)
}

/// Rotary gusts.
struct Rotary {
    roll: Markov,
    pitch: Slope,
    yaw: Slope,
}

impl Rotary {
    /// `None` where there are none.
    fn new(inputs: &LandingInputs, span: Option<f64>, step: f64) -> Option<Self> {
        let (share, span) = (inputs.get(Input::RotaryTurbulence), span.filter(|&span| span > 0.0)?.max(MIN_LENGTH));
        if share == 0.0 {
            return None;
        }
        let [sigma, sigma_vertical] = sigmas(inputs);
        let [horizontal, vertical] = transverse(inputs, step);
        let way = way(inputs, step);
        // Lengths over which the vehicle smooths gusts.
        let (long, short) = (4.0 * span / PI, 3.0 * span / PI);
        let length = inputs.get(Input::TurbulenceLengthVertical).max(MIN_LENGTH);
        let variance = 0.8 * PI * PI / (8.0 * span * length) * (cbrt(length) / cbrt(long));
        Some(Self {
            roll: Markov::new(way / long, share * sigma_vertical * variance.sqrt()),
            pitch: Slope::new(&vertical, way, long, share, sigma_vertical),
            yaw: Slope::new(&horizontal, way, short, -share, sigma),
        })
    }
}

/// A filter of the first order.
struct Markov {
    decay: f64,
    /// 1 - a^2.
    lost_square: f64,
    sigma: f64,
}

impl Markov {
    fn new(share: f64, sigma: f64) -> Self {
        let share = share.clamp(MIN_STEP, MAX_STEP);
        Self { decay: exp(-share), lost_square: -exp_m1(-2.0 * share), sigma }
    }
}

/// The slope of a transverse gust along the way, smoothed.
struct Slope {
    decay: f64,
    gain: f64,
    /// How much of the gust's own two normal numbers, and of one of its own, is in it at the start \[rad/s\].
    at_start: [f64; 3],
}

impl Slope {
    /// Of a gust with this standard deviation \[m/s\], smoothed over a length \[m\]; `way` is what is flown in a step \[m\], and
    /// `share` how much of the rotation there is, with its sign.
    fn new(gust: &Transverse, way: f64, length: f64, share: f64, sigma: f64) -> Self {
        let smoothing = (way / length).clamp(MIN_STEP, MAX_STEP);
        let decay = exp(-smoothing);
        // 1 - A a, 1 - A^2, and D, of which nothing cancels; for g = 1.
        let lost_both = -exp_m1(-(smoothing + gust.share));
        let lost_square = -exp_m1(-2.0 * smoothing);
        let apart = gust.lost + 0.5 * gust.share * gust.decay;
        let with_drive = gust.drive * gust.shared * gust.lost / lost_both;
        let with_gust = (decay * gust.cascade * with_drive + apart) / lost_both;
        let variance = 2.0 * (decay * (gust.cascade * with_drive - gust.lost * with_gust) + apart) / lost_square;
        let ratio = gust.share / smoothing;
        let wanted = ratio * (3.0 + 2.0 * ratio) / (2.0 * (1.0 + ratio) * (1.0 + ratio)) / (length * length);
        let gain = if variance > 0.0 { share * (wanted / variance).sqrt() } else { 0.0 };
        let (first, own) = (with_drive / gust.drive, gust.own());
        let second = if own > 0.0 { (with_gust - gust.shared * first) / own } else { 0.0 };
        let third = (variance - first * first - second * second).max(0.0).sqrt();
        Self { decay, gain, at_start: [first, second, third].map(|part| sigma * gain * part) }
    }

    fn start(&self, normal: [f64; 3]) -> f64 {
        self.at_start.iter().zip(normal).map(|(part, normal)| part * normal).sum()
    }
}

/// The filter of a transverse gust with sigma 1.
struct Transverse {
    /// s, and 1 - a.
    share: f64,
    lost: f64,
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
        let decay = exp(-share);
        let (lost, lost_square) = (-exp_m1(-share), -exp_m1(-2.0 * share));
        let (p, q) = ((lost_square - share * decay).sqrt(), (lost_square + share * decay).sqrt());
        let r = lost * p + (1.0 + decay) * q;
        let cascade = -2.0 * share * decay * lost_square / ((p + q) * r);
        let drive = 0.5 * r / lost_square.sqrt();
        Self {
            share,
            lost,
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
        (sigma * (self.shared * first + self.own() * second), sigma * self.drive * first)
    }

    /// The part of y that is not correlated with x.
    fn own(&self) -> f64 {
        (1.0 - self.shared * self.shared).max(0.0).sqrt()
    }
}
