//! How a scene is to be rendered. Used by pictures; engines ignore it.
//!
//! # Conventions
//! World coordinates in metres, z up. Angles in radians.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use glam::DVec3;

/// An sRGB colour: red, green and blue.
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

/// Viewpoint and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Position of the eye \[m\].
    pub from: DVec3,
    /// Point at the centre of the picture \[m\].
    pub at: DVec3,
    /// Upward direction in the picture; of any nonzero length, not parallel to the view.
    pub up: DVec3,
    /// Vertical field of view \[rad\].
    pub field_of_view: f64,
}

impl View {
    /// Default field of view \[rad\]: 40 degrees.
    pub const FIELD_OF_VIEW: f64 = 2.0 * PI / 9.0;
    /// Allowed fields of view \[rad\]: 1 to 150 degrees.
    pub const FIELDS_OF_VIEW: RangeInclusive<f64> = PI / 180.0..=150.0 * PI / 180.0;
}

/// What pictures need besides the shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// The view specified in the scene file.
    pub view: Option<View>,
    /// Colour of each material in the scene file; shorter if the last ones have none.
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
