//! Formatting of numbers for display.

/// A number with four significant digits, short enough for a table. What is infinite or no number is called so in words.
#[must_use]
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value.is_nan() {
        "not a number".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "unbounded".to_owned() } else { "unbounded below".to_owned() }
    } else if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&magnitude) {
        format!("{value:.3e}")
    } else {
        let digits = (3 - magnitude.log10().floor() as i32).max(0) as usize;
        format!("{value:.digits$}")
    }
}

/// Display units: angles in degrees, all others unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown<'a> {
    /// The unit's symbol.
    pub symbol: &'a str,
    factor: f64,
}

impl<'a> Shown<'a> {
    /// For an SI unit symbol.
    #[must_use]
    pub fn of(symbol: &'a str) -> Self {
        let degrees = 1.0_f64.to_degrees();
        match symbol {
            "rad" => Self { symbol: "deg", factor: degrees },
            "rad/s" => Self { symbol: "deg/s", factor: degrees },
            _ => Self { symbol, factor: 1.0 },
        }
    }

    /// A value in SI units, converted for display.
    #[must_use]
    pub fn value(self, value: f64) -> f64 {
        self.factor * value
    }

    /// The same with four significant digits.
    #[must_use]
    pub fn number(self, value: f64) -> String {
        number(self.value(value))
    }

    /// The same with the unit, if it has one.
    #[must_use]
    pub fn with_unit(self, value: f64) -> String {
        match self.symbol {
            "" | "1" => self.number(value),
            symbol => format!("{} {symbol}", self.number(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits_whatever_their_size() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.000"),
            (-12.345, "-12.35"),
            (123_456.0, "123456"),
            (1e-6, "1.000e-6"),
            (2.5e9, "2.500e9"),
            (f64::INFINITY, "unbounded"),
            (f64::NEG_INFINITY, "unbounded below"),
            (-f64::NAN, "not a number"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn angles_are_shown_in_degrees() {
        for (symbol, shown, half_turn) in [("rad", "deg", "180.0"), ("rad/s", "deg/s", "180.0"), ("m", "m", "3.142")] {
            let of = Shown::of(symbol);
            assert_eq!((of.symbol, of.number(std::f64::consts::PI)), (shown, half_turn.to_owned()));
        }
    }
}
