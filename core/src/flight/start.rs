//! Start of a landing, and the parameters that are constant during it. Every engine starts from these f64 values.

use glam::{DMat3, DVec2, DVec3};

use super::trim::Trim;
use super::{DiscreteGust, Turbulence};
use crate::airframe::{Atmosphere, SteadyFlight};
use crate::elementary::{atan2, hypot, sin_cos};
use crate::query::{
    Acceleration, Gusts, Input, LandingInputs, LandingJob, LandingState, Motion, PilotState, Weather, WheelContact,
    WheelStep, orientation,
};
use crate::scene::GroundPlane;
use crate::vehicle::{AirState, Autoland, Vehicle};

/// Constants of one landing derived from its inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandingPlan {
    /// Wind velocity at height 0, world \[m/s\].
    pub wind: DVec3,
    /// Gradient of the wind with height, along and across the runway, world \[1/s\].
    pub shear: DVec2,
    /// Filters of the gusts; `None` without turbulence.
    pub turbulence: Option<Turbulence>,
    /// A gust of its own; `None` without one.
    pub gust: Option<DiscreteGust>,
    /// True if the air moves in the same way everywhere and at all times.
    pub is_steady: bool,
    /// Density, temperature and pressure, the same throughout a landing.
    pub atmosphere: Atmosphere,
    /// Trim elevator at the start \[rad\].
    pub trim: f64,
    /// Aileron and rudder that balance rolling and yawing moments of the trimmed approach, until touchdown; 0 for symmetric ones.
    pub lateral_trim: DVec2,
    /// Pitch angle at the start \[rad\], which the pilot holds until touchdown.
    pub pitch: f64,
    /// Heading at the start \[rad\], which the pilot holds until touchdown; with autoland the wind correction angle, of
    /// which the decrab removes a fraction.
    pub heading: f64,
    /// Steps from touchdown to each of [`PilotState::ACTIONS`]; `None` if the vehicle is not equipped for it.
    pub delays: [Option<u64>; 3],
    /// References of the autoland, or of the pilot's flare; `None` if the vehicle has neither.
    pub guidance: Option<Guidance>,
}

/// References of an autoland, or of a pilot's flare, in one landing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guidance {
    /// Airspeed to hold \[m/s\].
    pub target_airspeed: f64,
    /// Tangent of the glide path angle below the horizon; 0 without a glide path.
    pub glide_tangent: f64,
    /// Sink rate of a descent without a glide path, relative to the horizon \[m/s\]; 0 with one.
    pub descent: f64,
    /// Height of the centre of gravity above the lowest main wheel, in the attitude of the trimmed glide \[m\].
    pub wheel_depth: f64,
    /// Angle of attack of the trimmed glide \[rad\].
    pub angle_of_attack: f64,
    /// Thrust of the trimmed glide \[N\].
    pub thrust: f64,
    /// Flight path angle per sink rate \[rad s/m\]: the inverse of the airspeed at the start.
    pub angle_per_sink_rate: f64,
    /// Fraction of the wind correction angle to remove.
    pub decrab: f64,
    /// Fraction of the difference to the commanded thrust that the engines cover in a step.
    pub engine_share: f64,
}

impl LandingPlan {
    /// The plan of a landing with valid inputs.
    #[must_use]
    pub fn new(job: &LandingJob, inputs: &LandingInputs) -> Self {
        Self::of_start(job, inputs, &Start::new(job, inputs))
    }

    /// The same of a start that is known.
    pub(super) fn of_start(job: &LandingJob, inputs: &LandingInputs, start: &Start) -> Self {
        let air = start.motion.to_world().transpose() * (start.motion.velocity - start.wind);
        let aerodynamics = job.vehicle.aerodynamics.as_ref();
        let steady_trim = || {
            aerodynamics.map_or(0.0, |aerodynamics| {
                let down = start.motion.to_world().z_axis;
                let height = job.scene.ground_plane().height(start.motion.position);
                let air = AirState {
                    velocity: air,
                    rate: DVec3::ZERO,
                    density: atmosphere(job, inputs).density,
                    wing_height: aerodynamics.wing_above_ground(height, down),
                };
                aerodynamics.trim_elevator(&air, job.vehicle.thrust.idle * job.vehicle.thrust.line)
            })
        };
        let turbulence = Turbulence::new(inputs, job.vehicle.span(), job.step);
        let gust = DiscreteGust::new(inputs);
        let delay = |able: bool, input: Input| able.then(|| job.steps_of(inputs.get(input)));
        Self {
            wind: wind(inputs),
            shear: shear(inputs),
            is_steady: turbulence.is_none()
                && gust.is_none()
                && shear(inputs) == DVec2::ZERO
                && job.weather.profile.is_none()
                && job.weather.history.is_none(),
            turbulence,
            gust,
            atmosphere: atmosphere(job, inputs),
            trim: start.trim.as_ref().map_or_else(steady_trim, |trim| trim.elevator),
            lateral_trim: start.trim.as_ref().map_or(DVec2::ZERO, |trim| trim.lateral),
            pitch: start.motion.pitch(),
            heading: start.approach.as_ref().map_or(start.motion.heading(), |approach| approach.correction),
            delays: [
                delay(job.vehicle.has_spoilers(), Input::SpoilerDelay),
                delay(true, Input::BrakeDelay),
                delay(job.vehicle.thrust.reverse > 0.0, Input::ReverseDelay),
            ],
            guidance: start.approach.as_ref().map(|approach| Guidance {
                target_airspeed: inputs.get(Input::TargetAirspeed),
                glide_tangent: approach.slope.unwrap_or(0.0),
                descent: if approach.slope.is_some() { 0.0 } else { -start.motion.velocity.z },
                wheel_depth: approach.wheel_depth,
                angle_of_attack: approach.angle_of_attack,
                thrust: approach.thrust,
                angle_per_sink_rate: 1.0 / inputs.get(Input::Airspeed).max(MIN_AIRSPEED),
                decrab: inputs.get(Input::Decrab),
                engine_share: approach.laws.engine_share(job.step),
            }),
        }
    }

    /// Air velocity at a height above the ground \[m\] and a time \[s\], world \[m/s\].
    #[must_use]
    pub fn air(&self, weather: &Weather, height: f64, time: f64, gusts: &Gusts) -> DVec3 {
        if self.is_steady {
            return self.wind;
        }
        let mut air = DVec3::new(
            self.wind.x + (self.shear.x * height + gusts.along),
            self.wind.y + (self.shear.y * height + gusts.across),
            gusts.vertical,
        );
        if let Some(gust) = &self.gust {
            air += gust.at(time);
        }
        if let Some(profile) = &weather.profile {
            air += profile.at(height);
        }
        if let Some(history) = &weather.history {
            air += history.at(time);
        }
        air
    }
}

impl LandingState {
    /// The state in which a landing with valid inputs starts: in the air, with nothing done yet. [`Self::start`] also
    /// checks that the vehicle is clear of the scene.
    #[must_use]
    pub fn at_start(job: &LandingJob, inputs: &LandingInputs) -> Self {
        Self::of_start(job, inputs, Start::new(job, inputs))
    }

    /// The same of a start that is known.
    pub(super) fn of_start(job: &LandingJob, inputs: &LandingInputs, start: Start) -> Self {
        let Start { motion, approach, trim, .. } = start;
        Self {
            step: 0,
            motion,
            acceleration: Acceleration::default(),
            wheels: vec![WheelStep::without_force(WheelContact::FREE, DVec3::ZERO); job.vehicle.wheels.len()],
            pilot: PilotState {
                pedal: 0.0,
                last_speed: motion.ground_speed(),
                pitch_at_touchdown: None,
                begun: [false; 3],
                thrust: approach.map_or(0.0, |approach| approach.thrust),
                sink_integral: 0.0,
            },
            gusts: Gusts::at_start(inputs, job.vehicle.span(), job.step),
            airframe: trim.map_or_else(|| at_rest(job), |trim| trim.airframe),
            touchdown_step: None,
            struck: None,
        }
    }
}

/// What an airframe begins with that does not fly.
fn at_rest(job: &LandingJob) -> Vec<f64> {
    job.vehicle.airframe.as_ref().map_or_else(Vec::new, |airframe| airframe.routine().at_start())
}

/// Lower airspeeds convert sink rate to path angle as this one does \[m/s\].
const MIN_AIRSPEED: f64 = 1.0;

/// The air that the vehicle flies in.
fn atmosphere(job: &LandingJob, inputs: &LandingInputs) -> Atmosphere {
    if !job.weather.standard_atmosphere {
        return Atmosphere::of_density(inputs.get(Input::AirDensity));
    }
    let elevation = job.scene.runway().map_or(0.0, |runway| runway.elevation);
    Atmosphere::standard(elevation, inputs.get(Input::TemperatureOffset), inputs.get(Input::Qnh))
}

/// The wind of the inputs at height 0.
fn wind(inputs: &LandingInputs) -> DVec3 {
    DVec3::new(-inputs.get(Input::Headwind), inputs.get(Input::Crosswind), 0.0)
}

fn shear(inputs: &LandingInputs) -> DVec2 {
    DVec2::new(-inputs.get(Input::HeadwindShear), inputs.get(Input::CrosswindShear))
}

fn glide_tangent(inputs: &LandingInputs) -> f64 {
    let (sine, cosine) = sin_cos(inputs.get(Input::GlideSlope));
    sine / cosine
}

/// How a landing starts.
pub(super) struct Start {
    pub motion: Motion,
    /// What wind across, drift and vertical speed take of the airspeed of a vehicle that flies \[m/s\]: with less it cannot start.
    pub least_airspeed: f64,
    /// The wind that the airspeed refers to: without gusts, at the height of the centre of gravity in a level attitude.
    wind: DVec3,
    /// With autoland or flare, and of an airframe that flies.
    pub trim: Option<Trim>,
    pub approach: Option<TrimmedApproach>,
}

/// A trimmed start on the glide path, or in a steady descent.
#[derive(Clone)]
pub(super) struct TrimmedApproach {
    pub laws: Autoland,
    /// Tangent of the glide path angle, if there is a glide path.
    pub slope: Option<f64>,
    /// As in [`Guidance`].
    angle_of_attack: f64,
    thrust: f64,
    wheel_depth: f64,
    /// Wind correction angle for a track along the runway \[rad\].
    correction: f64,
}

impl Start {
    /// Without autoland the airspeed is horizontal, or includes the sink rate if the pilot flares; its component not
    /// taken by the crosswind points along the runway. With autoland the ground velocity points down the glide path.
    pub fn new(job: &LandingJob, inputs: &LandingInputs) -> Self {
        let (vehicle, laws, ground) = (&job.vehicle, job.vehicle.laws(), job.scene.ground_plane());
        let mut wind = wind(inputs);
        let shear = shear(inputs);
        // Height of the centre of gravity, in a level attitude.
        let height = inputs.get(Input::Height) - lowest_main_wheel(vehicle, &level(), ground);
        if shear != DVec2::ZERO {
            wind += shear.extend(0.0) * height;
        }
        if let Some(profile) = &job.weather.profile {
            wind += profile.at(height);
        }
        if let Some(history) = &job.weather.history {
            wind += history.at(0.0);
        }
        let airspeed = inputs.get(Input::Airspeed);
        let drift = inputs.get(Input::Drift);
        let across = drift - wind.y;
        let slope = vehicle.autoland.as_ref().map(|_| glide_tangent(inputs));
        // The vertical speed is the sink rate minus the rise of the ground.
        let of_flare = vehicle.flare.as_ref().map(|_| (-ground.slope, inputs.get(Input::SinkRate)));
        let on_slope = slope.map(|tangent| (tangent, 0.0)).or(of_flare);
        let along = match on_slope {
            Some((tangent, fall)) => along_on_slope(airspeed, across, wind.x, tangent, fall),
            None => (airspeed * airspeed - across * across).max(0.0).sqrt(),
        };
        let of_fall = on_slope.map_or(0.0, |(tangent, fall)| (fall + wind.x * tangent) / hypot(1.0, tangent));
        let flies = vehicle.aerodynamics.is_some() || vehicle.airframe.is_some();
        let least_airspeed = if flies { hypot(across, of_fall) } else { 0.0 };
        let speed = along + wind.x;
        // The input is relative to the ground, which may slope up or down ahead.
        let sink_rate =
            slope.map_or_else(|| inputs.get(Input::SinkRate) - ground.below(speed), |tangent| speed * tangent);
        let correction = atan2(-across, along);
        let mut left = 1.0 - inputs.get(Input::Decrab);
        let mut pitch = inputs.get(Input::Pitch);
        let air = atmosphere(job, inputs);
        let level_speed = (along * along + across * across).sqrt();
        let glide = SteadyFlight {
            mass: inputs.get(Input::Mass),
            gravity: job.gravity,
            airspeed: if laws.is_some() { airspeed } else { hypot(level_speed, sink_rate) },
            density: air.density,
            temperature: air.temperature,
            descent: atan2(sink_rate, level_speed),
            height,
            greatest_throttle: 1.0,
        };
        let trim = match (&laws, vehicle.airframe.as_deref()) {
            (Some(laws), _) => Some(Trim::new(vehicle, laws.greatest_thrust, &glide)),
            (None, Some(airframe)) => Trim::of_flying(airframe, &glide),
            (None, None) => None,
        };
        let approach = laws.zip(trim.as_ref()).map(|(laws, trim)| {
            pitch = trim.angle_of_attack - glide.descent;
            left = 1.0
                - inputs.get(Input::Decrab) * (1.0 - (inputs.get(Input::Height) / laws.decrab_height).clamp(0.0, 1.0));
            let wheel_depth = -lowest_main_wheel(vehicle, &DMat3::from_quat(orientation(0.0, pitch, 0.0)), ground);
            TrimmedApproach {
                laws,
                slope,
                angle_of_attack: trim.angle_of_attack,
                thrust: trim.thrust,
                wheel_depth,
                correction: atan2(wind.y, along),
            }
        });
        let heading = inputs.get(Input::Crab) + left * correction;
        let orientation = orientation(heading, pitch, inputs.get(Input::Bank));
        let start = inputs.get(Input::StartDistance);
        let height = inputs.get(Input::Height) - lowest_main_wheel(vehicle, &DMat3::from_quat(orientation), ground);
        let position = DVec3::new(start, inputs.get(Input::LateralOffset), height + ground.below(start));
        let velocity = DVec3::new(speed, drift, -sink_rate);
        let rate = DVec3::new(inputs.get(Input::RollRate), inputs.get(Input::PitchRate), inputs.get(Input::YawRate));
        Self { motion: Motion { position, orientation, velocity, rate }, least_airspeed, wind, trim, approach }
    }
}

/// The component along the runway of an airspeed with this crosswind component, for a ground velocity with a steady
/// vertical rate and down a slope: `along^2 + across^2 + (fall + (along + tailwind) tangent)^2 = airspeed^2`.
fn along_on_slope(airspeed: f64, across: f64, tailwind: f64, tangent: f64, fall: f64) -> f64 {
    let square = tangent * tangent;
    let fall = fall + tailwind * tangent;
    let half = fall * tangent;
    let rest = fall * fall + across * across - airspeed * airspeed;
    ((half * half - (1.0 + square) * rest).max(0.0).sqrt() - half) / (1.0 + square)
}

fn level() -> DMat3 {
    DMat3::from_quat(orientation(0.0, 0.0, 0.0))
}

/// Height of the lowest uncompressed main wheel above the ground minus that of the centre of gravity \[m\].
fn lowest_main_wheel(vehicle: &Vehicle, to_world: &DMat3, ground: GroundPlane) -> f64 {
    let mains = vehicle.wheels.iter().filter(|wheel| wheel.main);
    mains.map(|wheel| ground.height(*to_world * wheel.foot())).fold(f64::INFINITY, f64::min)
}
