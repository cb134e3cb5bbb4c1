//! The air that an airframe flies in.

use crate::elementary::pow;

/// Gas constant of dry air \[J/(kg K)\]: 8.31432 J/(mol K) over 28.9645 g/mol.
const GAS_CONSTANT: f64 = 8_314.32 / 28.964_5;
/// Ratio of specific heats.
const HEATS: f64 = 1.4;
/// Temperature at sea level in the standard atmosphere \[K\].
pub(super) const TEMPERATURE: f64 = 288.15;
/// Of the standard atmosphere: gas constant of dry air \[J/(kg K)\], pressure at sea level \[Pa\], decrease of the temperature
/// \[K/m\], gravity \[m/s^2\] and the radius of the earth of its heights \[m\].
const STANDARD_GAS_CONSTANT: f64 = 287.052_87;
const PRESSURE: f64 = 101_325.0;
const LAPSE: f64 = 0.0065;
const GRAVITY: f64 = 9.806_65;
const EARTH: f64 = 6_356_766.0;

/// Air at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atmosphere {
    /// \[kg/m^3\].
    pub density: f64,
    /// \[K\].
    pub temperature: f64,
    /// \[Pa\].
    pub pressure: f64,
    /// Speed of sound \[m/s\].
    pub sound: f64,
}

impl Atmosphere {
    /// Air of a density at 15 °C: the pressure follows.
    #[must_use]
    pub fn of_density(density: f64) -> Self {
        let pressure = density * Self::PRESSURE_PER_DENSITY;
        Self { density, temperature: TEMPERATURE, pressure, sound: (HEATS * GAS_CONSTANT * TEMPERATURE).sqrt() }
    }

    /// Air of a density at a temperature \[K\].
    #[must_use]
    pub fn of_temperature(density: f64, temperature: f64) -> Self {
        let at_fifteen = Self::of_density(density);
        // Exactly 1 at 15 °C.
        let warmth = temperature / TEMPERATURE;
        Self {
            temperature,
            pressure: at_fifteen.pressure * warmth,
            sound: at_fifteen.sound * warmth.sqrt(),
            ..at_fifteen
        }
    }

    /// The standard atmosphere (ISO 2533, ICAO Doc 7488) at an elevation above sea level \[m\], at most that of the tropopause,
    /// with a temperature that deviates from it \[K\] and a pressure that reduced to sea level is `qnh` \[Pa\].
    ///
    /// The pressure is the one at which an altimeter that is set to `qnh` shows the elevation, whatever the temperature:
    /// `p^n = qnh^n - p0^n L H / T0` with `n = R L / g` and the geopotential height H.
    #[must_use]
    pub fn standard(elevation: f64, temperature_offset: f64, qnh: f64) -> Self {
        let height = EARTH * elevation / (EARTH + elevation);
        let exponent = STANDARD_GAS_CONSTANT * LAPSE / GRAVITY;
        let fall = pow(PRESSURE, exponent) * LAPSE * height / TEMPERATURE;
        let pressure = pow((pow(qnh, exponent) - fall).max(0.0), 1.0 / exponent);
        let temperature = TEMPERATURE - LAPSE * height + temperature_offset;
        let density = pressure / (STANDARD_GAS_CONSTANT * temperature);
        Self { density, temperature, pressure, sound: (HEATS * STANDARD_GAS_CONSTANT * temperature).sqrt() }
    }

    /// Temperature of the air over that of the standard atmosphere at sea level.
    #[must_use]
    pub fn warmth(&self) -> f64 {
        self.temperature / TEMPERATURE
    }

    /// Pressure per density \[m^2/s^2\] at that temperature.
    pub(crate) const PRESSURE_PER_DENSITY: f64 = GAS_CONSTANT * TEMPERATURE;
}
