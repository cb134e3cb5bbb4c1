//! Runway surfaces, from free text.

use std::fmt;

/// The surface of a runway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Asphalt, bitumen, tarmac, macadam.
    Asphalt,
    /// Concrete.
    Concrete,
    /// Grass.
    Grass,
    /// Graded earth.
    GradedEarth,
    /// Gravel.
    Gravel,
    /// Dirt, clay.
    Dirt,
    /// Sand.
    Sand,
    /// Water.
    Water,
    /// Snow.
    Snow,
    /// Ice.
    Ice,
    /// Anything else, as in the table; often empty.
    Unknown(String),
}

/// Beginnings of the spellings in use, in capitals. A beginning stands before any shorter one that it contains.
const PREFIXES: &[(&str, Surface)] = &[
    ("ASP", Surface::Asphalt),
    ("BIT", Surface::Asphalt),
    // "Partially concrete, asphalt or bitumen-bound macadam."
    ("PEM", Surface::Asphalt),
    ("TAR", Surface::Asphalt),
    ("MAC", Surface::Asphalt),
    ("CON", Surface::Concrete),
    ("CEM", Surface::Concrete),
    ("GRAS", Surface::Grass),
    ("GRS", Surface::Grass),
    ("TURF", Surface::Grass),
    ("SOD", Surface::Grass),
    ("GRAV", Surface::Gravel),
    ("GVL", Surface::Gravel),
    ("GRE", Surface::GradedEarth),
    ("GRADED", Surface::GradedEarth),
    ("DIRT", Surface::Dirt),
    ("CLAY", Surface::Dirt),
    ("SAND", Surface::Sand),
    ("WAT", Surface::Water),
    ("SNOW", Surface::Snow),
    ("ICE", Surface::Ice),
];

impl Surface {
    /// Parses free text by its beginning, ignoring case.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let capitals = text.trim().to_uppercase();
        PREFIXES
            .iter()
            .find(|(prefix, _)| capitals.starts_with(prefix))
            .map_or_else(|| Self::Unknown(text.trim().to_owned()), |(_, surface)| surface.clone())
    }

    /// True for asphalt and concrete, the surfaces that runway condition codes are made for.
    #[must_use]
    pub fn is_paved(&self) -> bool {
        matches!(self, Self::Asphalt | Self::Concrete)
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asphalt => "asphalt",
            Self::Concrete => "concrete",
            Self::Grass => "grass",
            Self::GradedEarth => "graded earth",
            Self::Gravel => "gravel",
            Self::Dirt => "dirt",
            Self::Sand => "sand",
            Self::Water => "water",
            Self::Snow => "snow",
            Self::Ice => "ice",
            Self::Unknown(_) => "unknown",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_in_use_find_their_surface() {
        for (text, surface) in [
            ("ASPH-G", Surface::Asphalt),
            ("asphalt", Surface::Asphalt),
            ("ASP/CONC", Surface::Asphalt),
            ("BITUM", Surface::Asphalt),
            ("PEM", Surface::Asphalt),
            (" Tarmac", Surface::Asphalt),
            ("CONC-G", Surface::Concrete),
            ("cement", Surface::Concrete),
            ("GRASS", Surface::Grass),
            ("Grs", Surface::Grass),
            ("Turf", Surface::Grass),
            ("GRAVEL", Surface::Gravel),
            ("GVL", Surface::Gravel),
            ("GRE", Surface::GradedEarth),
            ("Graded Earth", Surface::GradedEarth),
            ("Dirt", Surface::Dirt),
            ("SAND", Surface::Sand),
            ("WATER", Surface::Water),
            ("SNOW", Surface::Snow),
            ("ice", Surface::Ice),
        ] {
            assert_eq!(Surface::from_text(text), surface, "{text}");
        }
    }

    #[test]
    fn other_text_is_kept_and_not_paved() {
        for text in ["", "UNK", "Gummi", "12"] {
            assert_eq!(Surface::from_text(text), Surface::Unknown(text.to_owned()));
        }
        assert!(!Surface::from_text("UNK").is_paved());
    }

    #[test]
    fn a_longer_beginning_stands_before_the_shorter_one_it_contains() {
        for (index, (prefix, surface)) in PREFIXES.iter().enumerate() {
            for (shorter, other) in &PREFIXES[..index] {
                assert!(!prefix.starts_with(shorter) || surface == other, "{prefix} never matches: {shorter} does");
            }
        }
    }
}
