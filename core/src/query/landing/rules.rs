//! Constants of the simulation common to all engines. They belong to no vehicle and no study.

/// All main wheels free for this long after touchdown count as a bounce \[s\].
pub const BOUNCE_TIME: f64 = 0.1;
/// At rest: below this speed \[m/s\] ...
pub const REST_SPEED: f64 = 0.05;
/// ... and this rate of rotation \[rad/s\] ...
pub const REST_RATE: f64 = 0.01;
/// ... for this long \[s\], on wheels that carry it ([`stands_on`](crate::query::stands_on)).
pub const REST_TIME: f64 = 0.5;
/// A touching wheel is lively if it approaches or leaves the ground faster than this \[m/s\]: slower than any
/// touchdown, so that compression up to a peak is resolved, and only the remainder at the peak, and rolling, is not.
pub const LIVELY_SPEED: f64 = 0.25;
/// A wheel force above this \[N\] is unphysical: the simulation has diverged.
pub const MAX_FORCE: f64 = 1e12;
/// A position \[m\], velocity \[m/s\] or rate \[rad/s\] above this is unphysical: the simulation has diverged.
pub const MAX_NUMBER: f64 = 1e9;
/// Limit of the pilot's intercept heading towards the centreline \[rad\].
pub const MAX_INTERCEPT: f64 = 0.1;
/// Rate at which the pedal is adjusted to a deceleration \[1/s\].
pub const PEDAL_RATE: f64 = 2.0;
/// A pitch, bank or crab angle at the start above this \[rad\] is invalid.
pub const MAX_ATTITUDE: f64 = 1e5;
/// Steepest glide path \[rad\].
pub const STEEPEST_GLIDE: f64 = std::f64::consts::FRAC_PI_4;
