//! The pilot at work: rules from [`crate::vehicle::Pilot`] applied step by step.

use glam::DVec3;

use super::body::Body;
use crate::query::{Controls, Input, LandingEvent, LandingInputs, Observer};
use crate::vehicle::{Aerodynamics, Surfaces, Vehicle};

/// The heading the pilot takes towards the centreline is held below this angle \[rad\].
const LARGEST_INTERCEPT: f64 = 0.1;
/// How fast the pedal follows when the brakes are adjusted to a deceleration \[1/s\].
const PEDAL_RATE: f64 = 2.0;
/// Actions in the order of their bits.
const ACTIONS: [LandingEvent; 3] = [LandingEvent::Spoilers, LandingEvent::Brakes, LandingEvent::Reverse];

/// A pilot in one landing.
pub(super) struct PilotAtWork<'a> {
    vehicle: &'a Vehicle,
    inputs: &'a LandingInputs,
    wind: DVec3,
    trim: f64,
    pitch_at_start: f64,
    heading_at_start: f64,
    pitch_at_touchdown: Option<f64>,
    pedal: f64,
    last_speed: f64,
    /// Which of [`ACTIONS`] have begun, and which of them have been reported.
    begun: [bool; 3],
    reported: [bool; 3],
}

impl<'a> PilotAtWork<'a> {
    pub fn new(vehicle: &'a Vehicle, inputs: &'a LandingInputs, body: &Body, wind: DVec3) -> Self {
        let air = body.rotation().transpose() * (body.velocity - wind);
        Self {
            vehicle,
            inputs,
            wind,
            trim: vehicle.aerodynamics.as_ref().map_or(0.0, |aerodynamics| aerodynamics.trim_elevator(air)),
            pitch_at_start: body.pitch(),
            heading_at_start: body.heading(),
            pitch_at_touchdown: None,
            pedal: 0.0,
            last_speed: body.ground_speed(),
            begun: [false; 3],
            reported: [false; 3],
        }
    }

    /// Controls before anything has happened.
    pub fn hands_off(&self) -> Controls {
        Controls {
            surfaces: Surfaces { elevator: self.trim, ..Surfaces::default() },
            steering: 0.0,
            steering_authority: 1.0,
            brake: 0.0,
            thrust: self.vehicle.thrust.idle,
        }
    }

    /// What the pilot does in the step that starts at `time` \[s\].
    pub fn controls(&mut self, body: &Body, touchdown: Option<f64>, time: f64, step: f64) -> Controls {
        let since = touchdown.map(|touchdown| time - touchdown);
        let after = |input| since.is_some_and(|since| since >= self.inputs.get(input));
        self.begun = [
            self.begun[0] || (after(Input::SpoilerDelay) && self.has_spoilers()),
            self.begun[1] || after(Input::BrakeDelay),
            self.begun[2] || (after(Input::ReverseDelay) && self.vehicle.thrust.reverse > 0.0),
        ];
        let [spoilers, brakes, reverse] = self.begun;
        let steering = self.steering(body, since.is_some());
        let speed = body.ground_speed();
        if brakes {
            self.press_pedal(speed, step);
        }
        self.last_speed = speed;
        Controls {
            surfaces: Surfaces {
                elevator: self.elevator(body, since),
                aileron: self.aileron(body),
                rudder: self.within_surface_limit(-steering),
                spoilers: f64::from(u8::from(spoilers)),
            },
            steering: if since.is_some() { steering } else { 0.0 },
            steering_authority: self.steering_authority(speed),
            brake: self.pedal,
            thrust: self.thrust(body, reverse),
        }
    }

    fn has_spoilers(&self) -> bool {
        let spoil = |aerodynamics: &Aerodynamics| aerodynamics.spoiler_lift != 0.0 || aerodynamics.spoiler_drag != 0.0;
        self.vehicle.aerodynamics.as_ref().is_some_and(spoil)
    }

    /// Tells an observer what has begun since the last report.
    pub fn report<O: Observer + ?Sized>(&mut self, time: f64, observer: &mut O) {
        for ((event, begun), reported) in ACTIONS.into_iter().zip(self.begun).zip(&mut self.reported) {
            if begun && !*reported {
                *reported = true;
                observer.event(time, event);
            }
        }
    }

    /// Holds the pitch angle until touchdown, then lowers the nose to the horizon.
    fn elevator(&mut self, body: &Body, since: Option<f64>) -> f64 {
        let pitch = body.pitch();
        let wanted = match since {
            None => self.pitch_at_start,
            Some(since) => {
                let at_touchdown = *self.pitch_at_touchdown.get_or_insert(pitch);
                let lowered = at_touchdown - self.inputs.get(Input::DerotationRate) * since;
                lowered.max(at_touchdown.min(0.0))
            }
        };
        let pilot = &self.vehicle.pilot;
        self.within_surface_limit(self.trim - pilot.pitch_gain * (wanted - pitch) + pilot.pitch_damping * body.rate.y)
    }

    fn aileron(&self, body: &Body) -> f64 {
        let pilot = &self.vehicle.pilot;
        self.within_surface_limit(-pilot.bank_gain * body.bank() - pilot.roll_damping * body.rate.x)
    }

    /// Angle asked of nose wheel and rudder \[rad\], positive to the right.
    fn steering(&self, body: &Body, on_ground: bool) -> f64 {
        let pilot = &self.vehicle.pilot;
        let wanted = if on_ground {
            (pilot.lateral_gain * body.position.y).clamp(-LARGEST_INTERCEPT, LARGEST_INTERCEPT)
        } else {
            self.heading_at_start
        };
        pilot.heading_gain * (wanted - body.heading()) - pilot.yaw_damping * body.rate.z
    }

    /// Above full steering speed the limit falls with the square of speed: the same sideways acceleration.
    fn steering_authority(&self, speed: f64) -> f64 {
        let full = self.vehicle.pilot.full_steering_speed;
        if speed <= full { 1.0 } else { (full / speed).powi(2) }
    }

    /// At the level, or adjusted to the target deceleration up to the level.
    fn press_pedal(&mut self, speed: f64, step: f64) {
        let level = self.inputs.get(Input::BrakeLevel);
        let target = self.inputs.get(Input::TargetDeceleration);
        self.pedal = if target > 0.0 {
            let deceleration = (self.last_speed - speed) / step;
            (self.pedal + step * PEDAL_RATE * (1.0 - deceleration / target)).clamp(0.0, level)
        } else {
            level
        };
    }

    fn thrust(&self, body: &Body, reverse: bool) -> f64 {
        let thrust = &self.vehicle.thrust;
        let airspeed = (body.velocity - self.wind).length();
        if reverse && airspeed >= thrust.reverse_cutoff {
            -thrust.reverse * self.inputs.get(Input::ReverseLevel)
        } else {
            thrust.idle
        }
    }

    fn within_surface_limit(&self, deflection: f64) -> f64 {
        let limit = self.vehicle.aerodynamics.as_ref().map_or(0.0, |aerodynamics| aerodynamics.surface_limit);
        deflection.clamp(-limit, limit)
    }
}
