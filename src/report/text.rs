//! Numbers and texts in a page.

use crate::shown::{Shown, number};

impl Shown<'_> {
    /// The same in a table; all digits of the SI value are in the element's value.
    pub(super) fn cell(self, value: f64) -> String {
        format!("<data value=\"{value:?}\">{}</data>", self.number(value))
    }

    /// The same of a value that may be missing.
    pub(super) fn optional_cell(self, value: Option<f64>) -> String {
        value.map_or_else(|| "–".to_owned(), |value| self.cell(value))
    }
}

/// A text with a capital at its beginning.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number in a table: four digits to read, all of them in the element's value.
pub(super) fn cell(value: f64) -> String {
    format!("<data value=\"{value:?}\">{}</data>", number(value))
}

/// A number in a table with all its digits.
pub(super) fn exact_cell(value: f64) -> String {
    format!("<data value=\"{value:?}\">{value}</data>")
}

/// A probability as a percentage.
pub(super) fn percentage_cell(probability: f64) -> String {
    format!("<data value=\"{probability:?}\">{} %</data>", 100.0 * probability)
}

/// A number that may be missing.
pub(super) fn optional_cell(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), cell)
}

/// A count as a share of another.
pub(super) fn share(count: u64, of: u64) -> String {
    format!("{} %", number(100.0 * count as f64 / of as f64))
}

/// A text without characters that show nothing or turn others round: a name may hold any.
pub(super) fn visible(text: &str) -> String {
    let hides = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars()
        .filter(|&character| character != '\r')
        .map(|character| if hides(character) { char::REPLACEMENT_CHARACTER } else { character })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_angles_keep_radians() {
        // Programs that read a report find SI units.
        assert_eq!(Shown::of("rad").cell(0.5), "<data value=\"0.5\">28.65</data>");
        assert_eq!(Shown::of("rad").optional_cell(None), "–");
    }

    #[test]
    fn cells_keep_all_digits() {
        assert_eq!(cell(1.0 / 3.0), "<data value=\"0.3333333333333333\">0.3333</data>");
        assert_eq!(optional_cell(None), "–");
    }

    #[test]
    fn nothing_hides_in_a_text() {
        assert_eq!(visible("a\u{0}b\u{202e}c\r\n\td\u{7f}é"), "a\u{fffd}b\u{fffd}c\n\td\u{fffd}é");
    }
}
