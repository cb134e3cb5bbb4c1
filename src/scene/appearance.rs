//! How a scene wants to be shown. Pictures use it; no engine knows of it.
//!
//! # Conventions
//! World coordinates in metres, z up. Angles in radians.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use glam::DVec3;

/// A colour as screens take it: red, green and blue of sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// The colour of a text such as `#6a8a3c`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let all_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| all_hexadecimal)?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Self([red, green, blue]))
    }
}

/// From where a scene is looked at, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The eye \[m\].
    pub from: DVec3,
    /// What it looks at: the middle of the picture \[m\].
    pub at: DVec3,
    /// What is upwards in the picture; any length but zero, any direction but that of the view.
    pub up: DVec3,
    /// Angle between the lower and the upper edge of the picture \[rad\].
    pub field_of_view: f64,
}

impl View {
    /// Field of view where none is given \[rad\]: 40 degrees.
    pub const FIELD_OF_VIEW: f64 = 2.0 * PI / 9.0;
    /// Fields of view that are allowed \[rad\]: 1 to 150 degrees.
    pub const FIELDS_OF_VIEW: RangeInclusive<f64> = PI / 180.0..=150.0 * PI / 180.0;
}

/// What pictures need to know beside the shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// The view that the scene file asks for.
    pub view: Option<View>,
    /// For each material the colour that the scene file gives it; shorter where the last ones have none.
    pub colors: Vec<Option<Color>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_six_hexadecimal_digits_after_a_hash() {
        assert_eq!(Color::parse("#6a8A3c"), Some(Color([0x6a, 0x8a, 0x3c])));
        for wrong in ["", "#", "6a8a3c", "#6a8a3", "#6a8a3c0", "#6a8a3g", "#+a8a3c", "#é8a3c"] {
            assert_eq!(Color::parse(wrong), None, "{wrong}");
        }
    }
}
