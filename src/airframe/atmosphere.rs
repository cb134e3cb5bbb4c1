//! The air that an airframe flies in.

/// Gas constant of dry air \[J/(kg K)\]: 8.31432 J/(mol K) over 28.9645 g/mol.
const GAS_CONSTANT: f64 = 8_314.32 / 28.964_5;
/// Ratio of specific heats.
const HEATS: f64 = 1.4;
/// Temperature at sea level in the standard atmosphere \[K\].
const TEMPERATURE: f64 = 288.15;

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

    /// Pressure per density \[m^2/s^2\] at that temperature.
    pub(crate) const PRESSURE_PER_DENSITY: f64 = GAS_CONSTANT * TEMPERATURE;
}
