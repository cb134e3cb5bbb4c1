//! Numbers by which every engine judges a landing and flies it. They belong to no vehicle and to no study.

/// All main wheels free for this long after touchdown make a bounce \[s\].
pub const BOUNCE_TIME: f64 = 0.1;
/// At rest: below this speed \[m/s\] ...
pub const REST_SPEED: f64 = 0.05;
/// ... and this rate of rotation \[rad/s\] ...
pub const REST_RATE: f64 = 0.01;
/// ... for this long \[s\].
pub const REST_TIME: f64 = 0.5;
/// A touching wheel is lively where it closes with the ground, or leaves it, faster than this \[m/s\]: softer
/// than any touch, so that the way down to a peak is resolved and only what is left at the peak, and the roll, is not.
pub const LIVELY_SPEED: f64 = 0.25;
/// A force of a wheel above this \[N\] is no wheel's any more: the simulation has blown up.
pub const MAX_FORCE: f64 = 1e12;
/// A position \[m\], speed \[m/s\] or rate \[rad/s\] above this is no vehicle's any more: the simulation has blown up.
pub const MAX_NUMBER: f64 = 1e9;
/// The heading the pilot takes towards the centreline is held below this angle \[rad\].
pub const MAX_INTERCEPT: f64 = 0.1;
/// How fast the pedal follows when the brakes are adjusted to a deceleration \[1/s\].
pub const PEDAL_RATE: f64 = 2.0;
/// A pitch, bank or crab angle at the start above this \[rad\] is no attitude any more.
pub const MAX_ATTITUDE: f64 = 1e5;
/// Steepest glide path \[rad\].
pub const STEEPEST_GLIDE: f64 = std::f64::consts::FRAC_PI_4;
