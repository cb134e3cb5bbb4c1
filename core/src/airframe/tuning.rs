//! Gains of pilot and autoland for an aircraft, by its linearised response.
//!
//! ```text
//! attitude   theta'' = -M (K (theta - asked) + D theta') ...   K, D for a frequency and a damping
//! sink rate  asked attitude = k (1 + L / s) (sink rate error)  k for a frequency below that of the attitude; the zero takes away
//!                                                             the lag 1/L with which lift turns the path
//! ```
//!
//! Frequencies follow from how fast surfaces and engines answer: a loop is as fast as its lags allow, and no faster than a pilot
//! would want.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use num_complex::Complex64;

use super::response::{Axis, Response};

/// Gains of the laws of [`crate::vehicle::Autoland`] and [`crate::vehicle::Pilot`]; commands \[1\] per radian, and so on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Elevator per pitch angle error \[1/rad\].
    pub pitch_gain: f64,
    /// Elevator per pitch rate \[s/rad\].
    pub pitch_damping: f64,
    /// Aileron per bank angle error \[1/rad\].
    pub bank_gain: f64,
    /// Aileron per roll rate \[s/rad\].
    pub roll_damping: f64,
    /// Rudder per heading error \[1/rad\].
    pub heading_gain: f64,
    /// Rudder per yaw rate \[s/rad\].
    pub yaw_damping: f64,
    /// Throttle per airspeed error \[s/m\].
    pub speed_gain: f64,
    /// Pitch angle per sink rate error \[rad s/m\].
    pub sink_gain: f64,
    /// Rate of the pitch angle per sink rate error \[rad/m\].
    pub sink_integral_gain: f64,
}

/// How far a loop is from instability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Name of the loop.
    pub name: &'static str,
    /// Where its gain is 1 \[rad/s\]; 0 if it is below 1 everywhere.
    pub crossover: f64,
    /// What its phase may still lose there \[rad\]; half a turn if its gain is below 1 everywhere.
    pub phase: f64,
    /// Factor by which its gain may grow until it is unstable; infinite if it may without end.
    pub gain: f64,
}

/// What holds an attitude against an aircraft's own stability, as multiples of that: in pitch, where the integral of the sink rate does
/// the rest, and in yaw, where a share of 1/5 of a crab is left, as far as the rudder goes.
const HELD: [f64; 2] = [1.0, 4.0];
/// Frequencies wanted \[rad/s\] of pitch, bank, heading and speed, and the share of one over its lag that a loop may have.
const WANTED: [f64; 4] = [2.2, 1.5, 1.4, 0.5];
const OF_LAG: f64 = 0.4;
/// Damping of attitudes.
const DAMPING: f64 = 0.9;
/// Frequency of the sink rate by that of the pitch angle: its phase there is less than half a right angle.
const SINK_SHARE: f64 = 0.27;
/// Lift that turns the path more slowly than this is not made up for, and the sink rate is slower by as much \[1/s\].
const LEAST_LIFT: f64 = 0.25;
/// The least heading error that takes the whole rudder \[rad\]: 2.5 degrees.
const LEAST_CRAB: f64 = 2.5 * PI / 180.0;

impl Gains {
    /// For a response; 0 where a command has no effect, or the wrong one.
    #[must_use]
    pub fn new(response: &Response) -> Self {
        let frequency = |loop_number: usize, lag: f64| WANTED[loop_number].min(OF_LAG / lag.max(f64::MIN_POSITIVE));
        let [of_elevator, of_aileron, of_rudder, of_throttle] = response.lags;
        let pitch = frequency(0, of_elevator);
        // With its own stability in it, and no faster than the surface follows.
        let against = |axis: &Axis, held: f64, lag: f64| {
            (held * axis.stiffness.max(0.0)).sqrt().min(OF_LAG / lag.max(f64::MIN_POSITIVE))
        };
        let stiff = against(&response.pitch, HELD[0], of_elevator);
        let [pitch_gain, pitch_damping] = held(&response.pitch, pitch.max(stiff), response.lift);
        let pitch_gain = pitch_gain.max(led(&response.pitch, pitch));
        let [bank_gain, roll_damping] = held(&response.roll, frequency(1, of_aileron), 0.0);
        let bank_gain = bank_gain.max(led(&response.roll, frequency(1, of_aileron)));
        let stiff = against(&response.yaw, HELD[1], of_rudder);
        let most = (response.yaw.control / LEAST_CRAB).max(0.0).sqrt();
        let [heading_gain, yaw_damping] = held(&response.yaw, frequency(2, of_rudder).max(stiff).min(most), 0.0);
        let sink_gain = SINK_SHARE * pitch / (response.lift.max(LEAST_LIFT) * response.airspeed);
        Self {
            pitch_gain,
            pitch_damping,
            bank_gain,
            roll_damping,
            heading_gain,
            yaw_damping,
            speed_gain: if response.thrust > 0.0 { frequency(3, of_throttle) / response.thrust } else { 0.0 },
            sink_gain,
            sink_integral_gain: response.lift.max(0.0) * sink_gain,
        }
    }

    /// Margins of the loops that these gains close, with steps of this length \[s\].
    #[must_use]
    pub fn margins(&self, response: &Response, step: f64) -> [Margins; 5] {
        let Response { airspeed, pitch, roll, yaw, lift, side, thrust, drag, lags } = *response;
        let lag = |number: usize, s: Complex64| late(s, step) / (1.0 + s * lags[number]);
        // Rates of rotation per command, with the flow's answer.
        let pitching = |s: Complex64| pitch.control * (s + lift) / ((s + lift) * (s + pitch.damping) + pitch.stiffness);
        let yawing = |s: Complex64| yaw.control * (s + side) / ((s + side) * (s + yaw.damping) + yaw.stiffness);
        let attitude = |s: Complex64| lag(0, s) * (self.pitch_gain / s + self.pitch_damping) * pitching(s);
        let followed = |s: Complex64| lag(0, s) * (self.pitch_gain / s) * pitching(s) / (1.0 + attitude(s));
        let sink = |s: Complex64| {
            (self.sink_integral_gain / s + self.sink_gain) * (airspeed * lift / (s + lift)) * followed(s)
        };
        let bank =
            |s: Complex64| lag(1, s) * (self.bank_gain / s + self.roll_damping) * (roll.control / (s + roll.damping));
        let heading = |s: Complex64| lag(2, s) * (self.heading_gain / s + self.yaw_damping) * yawing(s);
        let speed = |s: Complex64| lag(3, s) * (self.speed_gain * thrust / (s + drag));
        [
            Margins::of("pitch angle", &attitude),
            Margins::of("sink rate", &sink),
            Margins::of("bank angle", &bank),
            Margins::of("heading", &heading),
            Margins::of("airspeed", &speed),
        ]
    }
}

/// Gains on angle and rate for a frequency \[rad/s\] beside the axis' own stiffness, with damping from elsewhere \[1/s\].
fn held(axis: &Axis, frequency: f64, other_damping: f64) -> [f64; 2] {
    if axis.control <= 0.0 {
        return [0.0; 2];
    }
    let both = (frequency * frequency + axis.stiffness.max(0.0)).sqrt();
    let damping = 2.0 * DAMPING * both - axis.damping - other_damping;
    [frequency * frequency / axis.control, damping.max(0.0) / axis.control]
}

/// Gain on an angle of an axis that damps itself so well that its angle follows as one lag, of this frequency \[rad/s\].
fn led(axis: &Axis, frequency: f64) -> f64 {
    if axis.control > 0.0 { frequency * (axis.damping - frequency) / axis.control } else { 0.0 }
}

impl Margins {
    /// Of a loop by its gain along the imaginary axis.
    fn of(name: &'static str, open: &dyn Fn(Complex64) -> Complex64) -> Self {
        const LOWEST: f64 = 1e-3;
        const HIGHEST: f64 = 1e3;
        const POINTS: usize = 6000;
        let mut margins = Self { name, crossover: 0.0, phase: PI, gain: f64::INFINITY };
        let mut before: Option<(f64, Complex64)> = None;
        for point in 0..=POINTS {
            let frequency = LOWEST * (HIGHEST / LOWEST).powf(point as f64 / POINTS as f64);
            let value = open(Complex64::new(0.0, frequency));
            // Unwound, so that phases do not jump.
            let angle = value.arg();
            let phase = before.map_or(if angle > FRAC_PI_2 { angle - TAU } else { angle }, |(last, ..)| {
                angle + TAU * ((last - angle) / TAU).round()
            });
            if let Some((last_phase, last)) = before {
                // The last crossing is the one nearest to instability.
                if last.norm() > 1.0 && value.norm() <= 1.0 {
                    margins.crossover = frequency;
                    margins.phase = margins.phase.min(PI + phase);
                }
                if last_phase > -PI && phase <= -PI {
                    margins.gain = margins.gain.min(1.0 / value.norm());
                }
            }
            before = Some((phase, value));
        }
        margins
    }
}

/// What a step of delay, and half a step of holding, do.
fn late(s: Complex64, step: f64) -> Complex64 {
    (s * (-1.5 * step)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About that of a light airplane with a propeller: stable, and well damped in roll.
    fn light() -> Response {
        let axis = |control, damping, stiffness| Axis { control, damping, stiffness };
        Response {
            airspeed: 33.0,
            pitch: axis(6.6, 4.0, 19.0),
            roll: axis(6.5, 7.5, 0.0),
            yaw: axis(0.71, 1.0, 2.75),
            lift: 2.1,
            side: 0.3,
            thrust: 3.0,
            drag: 0.1,
            lags: [0.0, 0.0, 0.0, 0.5],
        }
    }

    #[test]
    fn surfaces_hold_against_stability_as_far_as_they_follow() {
        let response = light();
        let gains = Gains::new(&response);
        let held = |gain: f64, axis: &Axis| gain * axis.control / axis.stiffness;
        assert!((held(gains.pitch_gain, &response.pitch) - HELD[0]).abs() < 1e-12, "{gains:?}");
        assert!((held(gains.heading_gain, &response.yaw) - HELD[1]).abs() < 1e-12, "{gains:?}");
        let undamped = Axis { damping: 0.5, ..response.pitch };
        let slow = Response { pitch: undamped, lags: [0.5, 0.5, 0.8, 0.5], ..response };
        let gains = Gains::new(&slow);
        let fastest = |gain: f64, axis: &Axis, lag: f64| (gain * axis.control).sqrt() * lag / OF_LAG;
        assert!((fastest(gains.pitch_gain, &slow.pitch, 0.5) - 1.0).abs() < 1e-12, "{gains:?}");
        assert!((fastest(gains.heading_gain, &slow.yaw, 0.8) - 1.0).abs() < 1e-12, "{gains:?}");
    }

    #[test]
    fn banks_follow_at_the_frequency_wanted_however_well_they_are_damped() {
        for damping in [0.5, 2.0, 7.5, 20.0] {
            let mut response = light();
            response.roll.damping = damping;
            let gains = Gains::new(&response);
            // The slower pole of s^2 + (d + D) s + K.
            let [gain, rate] = [gains.bank_gain, gains.roll_damping].map(|gain| gain * response.roll.control);
            let half = 0.5 * (damping + rate);
            let slowest = if half * half > gain { half - (half * half - gain).sqrt() } else { gain.sqrt() };
            println!("damping {damping} 1/s: {slowest:.3} rad/s");
            assert!(slowest > 0.99 * WANTED[1], "{damping}: {slowest}");
        }
    }

    #[test]
    fn a_pitch_angle_follows_at_the_frequency_wanted_however_well_it_is_damped() {
        for damping in [0.5, 2.0, 7.0, 20.0] {
            let mut response = light();
            response.pitch = Axis { damping, stiffness: 0.0, ..response.pitch };
            response.lift = 0.0;
            let gains = Gains::new(&response);
            let [gain, rate] = [gains.pitch_gain, gains.pitch_damping].map(|gain| gain * response.pitch.control);
            let half = 0.5 * (damping + rate);
            let slowest = if half * half > gain { half - (half * half - gain).sqrt() } else { gain.sqrt() };
            assert!(slowest > 0.99 * WANTED[0], "{damping}: {slowest}");
        }
    }

    #[test]
    fn the_sink_rate_crosses_over_where_wanted_however_fast_lift_turns_the_path() {
        for lift in [0.3, 0.5, 1.0, 3.0] {
            let response = Response { lift, pitch: Axis { stiffness: 0.0, ..light().pitch }, ..light() };
            let [_, sink, ..] = Gains::new(&response).margins(&response, 0.01);
            println!("{lift} 1/s: {sink:?}");
            let wanted = SINK_SHARE * WANTED[0];
            assert!((0.8..1.2).contains(&(sink.crossover / wanted)) && sink.phase > 0.9, "{lift}: {sink:?}");
        }
    }

    #[test]
    fn a_rudder_that_turns_little_against_its_stability_is_not_asked_for_all_of_it_at_once() {
        let yaw = Axis { control: 0.26, damping: 0.5, stiffness: 15.0 };
        let gains = Gains::new(&Response { yaw, ..light() });
        assert!((gains.heading_gain * LEAST_CRAB - 1.0).abs() < 1e-12, "{gains:?}");
    }

    #[test]
    fn loops_of_these_gains_are_stable_with_margins() {
        let response = light();
        for Margins { name, phase, gain, .. } in Gains::new(&response).margins(&response, 0.01) {
            assert!(phase > 0.6 && gain > 2.0, "{name}: {phase} rad, {gain}");
        }
    }
}
