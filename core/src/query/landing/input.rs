//! The parameters that may vary from landing to landing.

use super::rules::{MAX_ATTITUDE, STEEPEST_GLIDE};
use crate::document::Unit;
use crate::random::NoiseKey;
use crate::vehicle::Vehicle;

/// Declares [`Input`] with one row per parameter, so that name, unit and meaning stay together.
macro_rules! inputs {
    ($($variant:ident, $name:literal, $unit:ident, $description:literal;)+) => {
        /// A parameter that may vary from landing to landing. Its number is its variable in the random counter, so the
        /// meaning of every seed depends on the order: append only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum Input {
            $(#[doc = $description] $variant,)+
        }

        impl Input {
            /// All inputs, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Name in files and tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Unit.
            #[must_use]
            pub fn unit(self) -> Unit {
                match self { $(Self::$variant => Unit::$unit,)+ }
            }

            /// What it means, with its sign.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)+ }
            }
        }
    };
}

inputs! {
    Mass, "mass", Mass, "Mass of the vehicle; its inertia scales with it.";
    Airspeed, "airspeed", Speed, "Speed through the air at the start; without autoland and flare its horizontal part.";
    SinkRate, "sink_rate", Speed, "Rate at which the height above the ground falls at the start, positive down.";
    StartDistance, "start_distance", Length, "Distance of the centre of gravity beyond the landing threshold at the start.";
    Height, "height", Length, "Height of the lowest main wheel, its spring relaxed, above the ground at the start: above the runway's plane, or z = 0 in a scene without a runway. Other wheels and the structure may be lower.";
    LateralOffset, "lateral_offset", Length, "Distance from the centreline at the start, positive to the left.";
    Drift, "drift", Speed, "Speed across the runway at the start, positive to the left.";
    Pitch, "pitch", Angle, "Pitch angle at the start, nose up.";
    Bank, "bank", Angle, "Bank angle at the start, right wing down.";
    Crab, "crab", Angle, "Angle between nose and runway at the start beyond what decrab leaves, positive nose right.";
    Decrab, "decrab", One, "Share of the wind correction angle that the pilot has taken out before touchdown, 0 to 1; 1 unless given.";
    RollRate, "roll_rate", AngularRate, "Roll rate at the start, right wing going down.";
    PitchRate, "pitch_rate", AngularRate, "Pitch rate at the start, nose going up.";
    YawRate, "yaw_rate", AngularRate, "Yaw rate at the start, nose going right.";
    Headwind, "headwind", Speed, "Steady wind from ahead along the runway.";
    Crosswind, "crosswind", Speed, "Steady wind across the runway, positive from the right.";
    AirDensity, "air_density", Density, "Density of the air.";
    FrictionScale, "friction_scale", One, "Factor on every friction coefficient of the scene.";
    DerotationRate, "derotation_rate", AngularRate, "Rate at which the pilot lowers the nose.";
    SpoilerDelay, "spoiler_delay", Time, "From touchdown to spoilers out.";
    BrakeDelay, "brake_delay", Time, "From touchdown to brakes.";
    BrakeLevel, "brake_level", One, "Brake pedal, 0 to 1.";
    TargetDeceleration, "target_deceleration", Acceleration, "Deceleration the brakes are adjusted to; 0 brakes at the level alone.";
    ReverseDelay, "reverse_delay", Time, "From touchdown to reverse thrust.";
    ReverseLevel, "reverse_level", One, "Share of the reverse thrust that is used, 0 to 1.";
    TargetAirspeed, "target_airspeed", Speed, "Speed through the air that the autothrottle holds; with autoland only.";
    GlideSlope, "glide_slope", Angle, "Slope of the glide path against the horizon, positive down; with autoland only.";
    Turbulence, "turbulence", Speed, "Standard deviation of the gusts along and across the runway.";
    TurbulenceVertical, "turbulence_vertical", Speed, "Standard deviation of the vertical gusts.";
    TurbulenceLength, "turbulence_length", Length, "Scale length of the gusts along and across the runway, above 0.";
    TurbulenceLengthVertical, "turbulence_length_vertical", Length, "Scale length of the vertical gusts, above 0.";
    HeadwindShear, "headwind_shear", Rate, "Growth of the headwind per height above the ground, where it is the headwind.";
    CrosswindShear, "crosswind_shear", Rate, "Growth of the crosswind per height above the ground, where it is the crosswind.";
    TemperatureOffset, "temperature_offset", Temperature, "Temperature of the air minus that of the standard atmosphere at the runway's elevation; with `standard_atmosphere` only.";
    Qnh, "qnh", Pressure, "Pressure of the air reduced to sea level by the standard atmosphere, as altimeters are set; with `standard_atmosphere` only.";
    RotaryTurbulence, "rotary_turbulence", One, "Rotary gusts of the turbulence as a multiple of those of MIL-F-8785C: 0 none, 1 as there.";
    GustHeadwind, "gust_headwind", Speed, "Peak of the 1-cosine gust from ahead along the runway.";
    GustCrosswind, "gust_crosswind", Speed, "Peak of the 1-cosine gust across the runway, positive from the right.";
    GustUpdraft, "gust_updraft", Speed, "Peak of the 1-cosine gust upwards.";
    GustGradientDistance, "gust_gradient_distance", Length, "Distance flown in which the 1-cosine gust grows to its peak, above 0; after twice that it has passed.";
    GustTime, "gust_time", Time, "Time from the start of the landing to the beginning of the 1-cosine gust.";
}

/// Density of the air at sea level in the standard atmosphere \[kg/m^3\].
const STANDARD_DENSITY: f64 = 1.225;

/// Scale lengths of turbulence near the ground \[m\]: 600 ft and 30 ft, as used in simulations of automatic landings
/// (AC 120-28D and CS-AWO, from memory: unverified).
const TURBULENCE_LENGTH: f64 = 183.0;
const TURBULENCE_LENGTH_VERTICAL: f64 = 9.2;

/// Pressure of the standard atmosphere at sea level \[Pa\], and the range of those that are taken for one reduced to it: the
/// extremes measured are 870 hPa and 1085 hPa.
const STANDARD_PRESSURE: f64 = 101_325.0;
const PRESSURES: std::ops::RangeInclusive<f64> = 8e4..=1.2e5;
/// Largest deviation of a temperature from the standard atmosphere \[K\].
const MAX_TEMPERATURE_OFFSET: f64 = 100.0;
/// Gradient distance of discrete gusts \[m\]: 100 ft, within the 30 ft to 350 ft of CS-25.341.
const GUST_GRADIENT_DISTANCE: f64 = 30.48;

/// One value for each input, in SI units, and the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandingInputs {
    /// Key of the random gusts.
    pub noise: NoiseKey,
    values: [f64; Input::ALL.len()],
}

impl LandingInputs {
    /// The vehicle's nominal values: its mass, approach (or the gate of its autoland, or the start of its flare) and
    /// pilot; no wind, no turbulence, no offsets, sea-level air.
    #[must_use]
    pub fn nominal(vehicle: &Vehicle) -> Self {
        let (pilot, approach) = (&vehicle.pilot, &vehicle.approach);
        let mut inputs = Self { noise: NoiseKey::default(), values: [0.0; Input::ALL.len()] };
        for (input, value) in [
            (Input::Mass, vehicle.mass),
            (Input::Airspeed, approach.airspeed),
            (Input::SinkRate, approach.sink_rate),
            (Input::StartDistance, approach.start_distance),
            (Input::Height, approach.height),
            (Input::Pitch, approach.pitch),
            (Input::Decrab, 1.0),
            (Input::AirDensity, STANDARD_DENSITY),
            (Input::FrictionScale, 1.0),
            (Input::DerotationRate, pilot.derotation_rate),
            (Input::SpoilerDelay, pilot.spoiler_delay),
            (Input::BrakeDelay, pilot.brake_delay),
            (Input::BrakeLevel, pilot.brake_level),
            (Input::TargetDeceleration, pilot.target_deceleration),
            (Input::ReverseDelay, pilot.reverse_delay),
            (Input::ReverseLevel, 1.0),
            (Input::TurbulenceLength, TURBULENCE_LENGTH),
            (Input::TurbulenceLengthVertical, TURBULENCE_LENGTH_VERTICAL),
            (Input::Qnh, STANDARD_PRESSURE),
            (Input::GustGradientDistance, GUST_GRADIENT_DISTANCE),
        ] {
            inputs.set(input, value);
        }
        if let Some(flare) = &vehicle.flare {
            for (input, value) in [
                (Input::Airspeed, flare.airspeed),
                (Input::SinkRate, flare.sink_rate),
                (Input::StartDistance, flare.start_distance),
                (Input::Height, flare.height),
            ] {
                inputs.set(input, value);
            }
        }
        if let Some(autoland) = &vehicle.autoland {
            for (input, value) in [
                (Input::Airspeed, autoland.airspeed),
                (Input::StartDistance, autoland.gate_distance),
                (Input::Height, autoland.gate_height),
                (Input::TargetAirspeed, autoland.airspeed),
                (Input::GlideSlope, autoland.glide_slope),
            ] {
                inputs.set(input, value);
            }
        }
        inputs
    }

    /// These values, one for each of [`Input::ALL`] in SI units, and this noise.
    ///
    /// # Panics
    /// If there are fewer or more values.
    #[must_use]
    pub fn of_values(values: &[f64], noise: NoiseKey) -> Self {
        let mut inputs = Self { noise, values: [0.0; Input::ALL.len()] };
        inputs.values.copy_from_slice(values);
        inputs
    }

    /// The value of an input.
    #[must_use]
    pub fn get(&self, input: Input) -> f64 {
        self.values[input as usize]
    }

    /// Sets an input.
    pub fn set(&mut self, input: Input, value: f64) {
        self.values[input as usize] = value;
    }

    /// True if the values are possible: all finite, mass, air density, friction and delays not negative (mass and scale lengths
    /// above zero), fractions between 0 and 1, attitudes within [`MAX_ATTITUDE`], the glide path no steeper than
    /// [`STEEPEST_GLIDE`].
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.fault().is_none()
    }

    /// The first input that is out of range, and what is allowed.
    pub(crate) fn fault(&self) -> Option<(Input, &'static str)> {
        Input::ALL.iter().find_map(|&input| Some((input, refusal(input, self.get(input))?)))
    }
}

/// What an input must be; `None` if the value is allowed.
fn refusal(input: Input, value: f64) -> Option<&'static str> {
    if !value.is_finite() {
        return Some("must be a finite number");
    }
    let (allowed, what) = match input {
        Input::Mass | Input::TurbulenceLength | Input::TurbulenceLengthVertical | Input::GustGradientDistance => {
            (value > 0.0, "must be above 0")
        }
        Input::TemperatureOffset => (value.abs() <= MAX_TEMPERATURE_OFFSET, "must be from -100 K to 100 K"),
        Input::Qnh => (PRESSURES.contains(&value), "must be from 800 hPa to 1200 hPa"),
        Input::Airspeed
        | Input::AirDensity
        | Input::FrictionScale
        | Input::TargetDeceleration
        | Input::TargetAirspeed
        | Input::Turbulence
        | Input::TurbulenceVertical
        | Input::RotaryTurbulence
        | Input::DerotationRate
        | Input::SpoilerDelay
        | Input::BrakeDelay
        | Input::ReverseDelay => (value >= 0.0, "must not be negative"),
        Input::Decrab | Input::BrakeLevel | Input::ReverseLevel => {
            ((0.0..=1.0).contains(&value), "must be from 0 to 1")
        }
        Input::Pitch | Input::Bank | Input::Crab => (value.abs() <= MAX_ATTITUDE, "is no attitude"),
        Input::GlideSlope => ((0.0..=STEEPEST_GLIDE).contains(&value), "must be from 0 to 45 deg"),
        Input::SinkRate
        | Input::StartDistance
        | Input::Height
        | Input::LateralOffset
        | Input::Drift
        | Input::RollRate
        | Input::PitchRate
        | Input::YawRate
        | Input::Headwind
        | Input::Crosswind
        | Input::HeadwindShear
        | Input::CrosswindShear
        | Input::GustHeadwind
        | Input::GustCrosswind
        | Input::GustUpdraft
        | Input::GustTime => (true, ""),
    };
    (!allowed).then_some(what)
}
