//! Dimensions and the units accepted for them.
//!
//! Every unit is a ratio of two numbers that define it, so that a converted value is rounded as seldom as possible:
//! the foot is 0.3048 m, the nautical mile 1852 m, the pound 0.453 592 37 kg, standard gravity 9.806 65 m/s2, the pound
//! of force a pound under standard gravity, and the slug the mass it accelerates by 1 ft/s2.

use std::f64::consts::PI;

use super::spelling::listed;

/// The dimension of a quantity. Numbers without a unit are in the SI unit of the dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A number without a dimension. A string may give it in %.
    One,
    /// \[m\]; also km, cm, mm, ft, in, nmi, NM.
    Length,
    /// \[m/s\]; also km/h, kt, ft/s, ft/min.
    Speed,
    /// \[rad\]; also deg.
    Angle,
    /// \[rad/s\]; also deg/s.
    AngularRate,
    /// \[s\]; also ms, min, h.
    Time,
    /// \[kg\]; also lb, slug, t.
    Mass,
    /// \[N\]; also kN, lbf.
    Force,
    /// \[N/m\]; also kN/m, lbf/ft.
    Stiffness,
    /// \[N s/m\]; also kN s/m, lbf s/ft.
    Damping,
    /// \[N s2/m2\]; also kN s2/m2, lbf s2/ft2, for damping that grows with the square of the speed.
    SquareDamping,
    /// \[kg m2\]; also slug ft2.
    Inertia,
    /// \[m/s2\]; also ft/s2, g.
    Acceleration,
    /// \[m2\]; also ft2.
    Area,
    /// \[kg/m3\]; also slug/ft3.
    Density,
    /// \[Pa\]; also kPa, hPa, bar, psi.
    Pressure,
    /// \[K\], of differences: a degree Celsius is as large.
    Temperature,
    /// \[1/s\]; also kt/100ft, for the growth of wind with height.
    Rate,
    /// \[N s\]; also kN s.
    Impulse,
    /// \[J\]; also kJ, MJ.
    Energy,
}

/// A unit and what it is worth in SI units: `numerator / denominator`.
struct Scale {
    symbol: &'static str,
    numerator: f64,
    denominator: f64,
}

const fn scale(symbol: &'static str, numerator: f64, denominator: f64) -> Scale {
    Scale { symbol, numerator, denominator }
}

/// Ten thousand feet in metres.
const FEET: f64 = 3048.0;
/// 10^13 pounds of force in newtons, 0.453 592 37 times 9.806 65: exact in f64.
const POUNDS_OF_FORCE: f64 = 44_482_216_152_605.0;

const ONE: &[Scale] = &[scale("%", 1.0, 100.0)];
const LENGTH: &[Scale] = &[
    scale("m", 1.0, 1.0),
    scale("km", 1000.0, 1.0),
    scale("cm", 1.0, 100.0),
    scale("mm", 1.0, 1000.0),
    scale("ft", FEET, 1e4),
    scale("in", 254.0, 1e4),
    scale("nmi", 1852.0, 1.0),
    scale("NM", 1852.0, 1.0),
];
const SPEED: &[Scale] = &[
    scale("m/s", 1.0, 1.0),
    scale("km/h", 1000.0, 3600.0),
    scale("kt", 1852.0, 3600.0),
    scale("ft/s", FEET, 1e4),
    scale("ft/min", FEET, 60e4),
];
const ANGLE: &[Scale] = &[scale("rad", 1.0, 1.0), scale("deg", PI, 180.0)];
const ANGULAR_RATE: &[Scale] = &[scale("rad/s", 1.0, 1.0), scale("deg/s", PI, 180.0)];
const TIME: &[Scale] =
    &[scale("s", 1.0, 1.0), scale("ms", 1.0, 1000.0), scale("min", 60.0, 1.0), scale("h", 3600.0, 1.0)];
const MASS: &[Scale] = &[
    scale("kg", 1.0, 1.0),
    scale("lb", 45_359_237.0, 1e8),
    scale("slug", POUNDS_OF_FORCE, 1e9 * FEET),
    scale("t", 1000.0, 1.0),
];
const FORCE: &[Scale] = &[scale("N", 1.0, 1.0), scale("kN", 1000.0, 1.0), scale("lbf", POUNDS_OF_FORCE, 1e13)];
const STIFFNESS: &[Scale] =
    &[scale("N/m", 1.0, 1.0), scale("kN/m", 1000.0, 1.0), scale("lbf/ft", POUNDS_OF_FORCE, 1e9 * FEET)];
const DAMPING: &[Scale] =
    &[scale("N s/m", 1.0, 1.0), scale("kN s/m", 1000.0, 1.0), scale("lbf s/ft", POUNDS_OF_FORCE, 1e9 * FEET)];
const SQUARE_DAMPING: &[Scale] = &[
    scale("N s2/m2", 1.0, 1.0),
    scale("kN s2/m2", 1000.0, 1.0),
    scale("lbf s2/ft2", POUNDS_OF_FORCE, 1e5 * FEET * FEET),
];
const INERTIA: &[Scale] = &[scale("kg m2", 1.0, 1.0), scale("slug ft2", POUNDS_OF_FORCE * FEET, 1e17)];
const ACCELERATION: &[Scale] = &[scale("m/s2", 1.0, 1.0), scale("ft/s2", FEET, 1e4), scale("g", 980_665.0, 1e5)];
const AREA: &[Scale] = &[scale("m2", 1.0, 1.0), scale("ft2", FEET * FEET, 1e8)];
const DENSITY: &[Scale] =
    &[scale("kg/m3", 1.0, 1.0), scale("slug/ft3", POUNDS_OF_FORCE * 1e3, FEET * FEET * FEET * FEET)];
const PRESSURE: &[Scale] = &[
    scale("Pa", 1.0, 1.0),
    scale("kPa", 1000.0, 1.0),
    scale("hPa", 100.0, 1.0),
    scale("bar", 1e5, 1.0),
    scale("psi", POUNDS_OF_FORCE, 254.0 * 254.0 * 1e5),
];
const TEMPERATURE: &[Scale] = &[scale("K", 1.0, 1.0)];
const IMPULSE: &[Scale] = &[scale("N s", 1.0, 1.0), scale("kN s", 1000.0, 1.0)];
const ENERGY: &[Scale] = &[scale("J", 1.0, 1.0), scale("kJ", 1000.0, 1.0), scale("MJ", 1e6, 1.0)];
const RATE: &[Scale] = &[scale("1/s", 1.0, 1.0), scale("kt/100ft", 1852.0 * 100.0, 3600.0 * FEET)];

impl Unit {
    /// The symbol of the SI unit; "1" for [`Unit::One`].
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::One => "1",
            _ => self.scales()[0].symbol,
        }
    }

    /// A value in the SI unit, as people write it: a plain number alone.
    #[must_use]
    pub fn written(self, value: f64) -> String {
        match self {
            Self::One => value.to_string(),
            _ => format!("{value} {}", self.symbol()),
        }
    }

    /// Reads a string such as "65 kt" or "10ft/s" as a number of SI units: a number as Rust writes them, then one of the
    /// units of this dimension. `None` for anything else. The result may be NaN or infinite: Rust writes such numbers, and
    /// others may grow beyond what f64 can hold.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<f64> {
        self.scales().iter().find_map(|scale| {
            let number: f64 = text.strip_suffix(scale.symbol)?.trim_end().parse().ok()?;
            Some(number * scale.numerator / scale.denominator)
        })
    }

    /// An angle in degrees, in radians, by the same steps as "3 deg".
    pub(super) fn degrees(degrees: f64) -> f64 {
        degrees * PI / 180.0
    }

    /// What a message says about values of this dimension.
    pub(super) fn expectation(self) -> String {
        let symbols = listed(self.scales().iter().map(|scale| scale.symbol), "");
        match self {
            Self::One => format!("must be a number, or a string with a number and {symbols}"),
            _ => format!(
                "must be a number in {}, or a string with a number and one of the units {symbols}",
                self.symbol()
            ),
        }
    }

    /// Symbols of the units that a string may have, the SI unit first.
    pub fn symbols(self) -> Vec<&'static str> {
        self.scales().iter().map(|scale| scale.symbol).collect()
    }

    /// The units of this dimension, the SI unit first (save for [`Unit::One`], whose plain numbers have none).
    fn scales(self) -> &'static [Scale] {
        match self {
            Self::One => ONE,
            Self::Length => LENGTH,
            Self::Speed => SPEED,
            Self::Angle => ANGLE,
            Self::AngularRate => ANGULAR_RATE,
            Self::Time => TIME,
            Self::Mass => MASS,
            Self::Force => FORCE,
            Self::Stiffness => STIFFNESS,
            Self::Damping => DAMPING,
            Self::SquareDamping => SQUARE_DAMPING,
            Self::Inertia => INERTIA,
            Self::Acceleration => ACCELERATION,
            Self::Area => AREA,
            Self::Density => DENSITY,
            Self::Pressure => PRESSURE,
            Self::Temperature => TEMPERATURE,
            Self::Rate => RATE,
            Self::Impulse => IMPULSE,
            Self::Energy => ENERGY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Unit; 20] = [
        Unit::One,
        Unit::Length,
        Unit::Speed,
        Unit::Angle,
        Unit::AngularRate,
        Unit::Time,
        Unit::Mass,
        Unit::Force,
        Unit::Stiffness,
        Unit::Damping,
        Unit::SquareDamping,
        Unit::Inertia,
        Unit::Acceleration,
        Unit::Area,
        Unit::Density,
        Unit::Pressure,
        Unit::Temperature,
        Unit::Rate,
        Unit::Impulse,
        Unit::Energy,
    ];

    /// Three roundings (numerator, product, quotient) of half a unit in the last place each, and the half by which the
    /// expected decimal itself is rounded.
    const ROUNDING: f64 = 4.0 * 0.5 * f64::EPSILON;

    /// Values from NIST SP 811 (2008), appendix B, where they are exact; the others worked out from
    /// those in exact fractions.
    const WORTH: [(Unit, &str, f64); 42] = [
        (Unit::One, "1%", 0.01),
        (Unit::Length, "1 km", 1000.0),
        (Unit::Length, "1 cm", 0.01),
        (Unit::Length, "1 mm", 0.001),
        (Unit::Length, "1 ft", 0.3048),
        (Unit::Length, "1 in", 0.0254),
        (Unit::Length, "1 nmi", 1852.0),
        (Unit::Length, "1 NM", 1852.0),
        (Unit::Speed, "1 km/h", 0.277_777_777_777_777_8),
        (Unit::Speed, "1 kt", 0.514_444_444_444_444_5),
        (Unit::Speed, "1 ft/s", 0.3048),
        (Unit::Speed, "1 ft/min", 0.00508),
        (Unit::Angle, "1 deg", 0.017_453_292_519_943_295),
        (Unit::AngularRate, "1 deg/s", 0.017_453_292_519_943_295),
        (Unit::Time, "1 ms", 0.001),
        (Unit::Time, "1 min", 60.0),
        (Unit::Time, "1 h", 3600.0),
        (Unit::Mass, "1 lb", 0.453_592_37),
        (Unit::Mass, "1 slug", 14.593_902_937_206_364),
        (Unit::Mass, "1 t", 1000.0),
        (Unit::Force, "1 kN", 1000.0),
        (Unit::Force, "1 lbf", 4.448_221_615_260_5),
        (Unit::Stiffness, "1 kN/m", 1000.0),
        (Unit::Stiffness, "1 lbf/ft", 14.593_902_937_206_364),
        (Unit::Damping, "1 kN s/m", 1000.0),
        (Unit::Damping, "1 lbf s/ft", 14.593_902_937_206_364),
        (Unit::SquareDamping, "1 kN s2/m2", 1000.0),
        (Unit::SquareDamping, "1 lbf s2/ft2", 47.880_258_980_335_84),
        (Unit::Inertia, "1 slug ft2", 1.355_817_948_331_400_4),
        (Unit::Acceleration, "1 ft/s2", 0.3048),
        (Unit::Acceleration, "1 g", 9.80665),
        (Unit::Area, "1 ft2", 0.092_903_04),
        (Unit::Density, "1 slug/ft3", 515.378_818_393_196_2),
        (Unit::Pressure, "1 kPa", 1000.0),
        (Unit::Pressure, "1 hPa", 100.0),
        (Unit::Pressure, "1 bar", 100_000.0),
        (Unit::Pressure, "1 psi", 6_894.757_293_168_362),
        (Unit::Pressure, "1 Pa", 1.0),
        (Unit::Rate, "1 kt/100ft", 0.016_878_098_571_011_958),
        (Unit::Impulse, "2 kN s", 2000.0),
        (Unit::Energy, "3 kJ", 3000.0),
        (Unit::Energy, "3 MJ", 3e6),
    ];

    #[test]
    fn every_unit_is_worth_what_its_definition_says() {
        for (unit, text, worth) in WORTH {
            let value = unit.parse(text).unwrap();
            assert!((value - worth).abs() <= ROUNDING * worth, "{text}: {value} {worth}");
        }
        for unit in ALL {
            for scale in unit.scales().iter().filter(|scale| scale.symbol != unit.symbol()) {
                let tested = |&(tested, text, _): &(Unit, &str, f64)| {
                    tested == unit && unit.parse(text).is_some() && text.ends_with(scale.symbol)
                };
                assert!(WORTH.iter().any(tested), "{} is not tested", scale.symbol);
            }
        }
    }

    #[test]
    fn round_values_come_out_round() {
        assert_eq!(Unit::Length.parse("10 ft"), Some(3.048));
        assert_eq!(Unit::Speed.parse("36 km/h"), Some(10.0));
        assert_eq!(Unit::One.parse("3 %"), Some(0.03));
        assert_eq!(Unit::Angle.parse("180 deg"), Some(PI));
        assert_eq!(Unit::Angle.parse("3 deg"), Some(Unit::degrees(3.0)));
    }

    #[test]
    fn the_space_before_the_unit_is_optional() {
        for text in ["10ft/s", "10 ft/s", "10  ft/s", "+1e1ft/s", "10.0 ft/s"] {
            assert_eq!(Unit::Speed.parse(text), Some(3.048), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in ["", "65", "kt", " kt", "65 kg", "65 KT", "6 5 kt", "65 kt ", "65 m/s kt", "x kt", "0x1 kt"] {
            assert_eq!(Unit::Speed.parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_in_its_si_unit_is_itself(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            for unit in ALL.into_iter().filter(|&unit| unit != Unit::One) {
                prop_assert_eq!(unit.parse(&format!("{number:e} {}", unit.symbol())), Some(number));
                prop_assert_eq!(unit.parse(&format!("{number}{}", unit.symbol())), Some(number));
            }
        }

        #[test]
        fn no_string_panics(text in any::<String>()) {
            for unit in ALL {
                let _ = unit.parse(&text);
            }
        }
    }
}
