//! Colours of runways in pictures, all assumed: those of their surfaces, and of the contamination given by condition
//! codes.

use super::{ConditionCode, Surface};
use crate::scene::Color;

pub(super) const GRASS: Color = Color([0x78, 0x96, 0x4f]);
pub(super) const SHOULDER: Color = Color([0x63, 0x65, 0x6a]);
pub(super) const MASONRY: Color = Color([0xd9, 0xd1, 0xbf]);

const WATER: Color = Color([0x29, 0x45, 0x60]);
const SNOW: Color = Color([0xee, 0xf1, 0xf4]);
const SLUSH: Color = Color([0x7f, 0x93, 0xa8]);
const ICE: Color = Color([0xc9, 0xdd, 0xe6]);

/// A surface under one of the things that its condition code stands for (AC 25-31, table 2): 5 is wet, 4 compacted snow,
/// 3 slippery when wet, 2 slush, 1 ice.
pub(super) fn of_zone(surface: &Surface, code: ConditionCode) -> Color {
    let bare = of_surface(surface);
    let (cover, percent) = match code.number() {
        6 => (bare, 0),
        5 => (WATER, 50),
        4 => (SNOW, 60),
        3 => (WATER, 90),
        2 => (SLUSH, 60),
        _ => (ICE, 75),
    };
    let mixed = |bare: u8, cover: u8| (u32::from(bare) * (100 - percent) + u32::from(cover) * percent) / 100;
    Color([0, 1, 2].map(|channel| mixed(bare.0[channel], cover.0[channel]) as u8))
}

fn of_surface(surface: &Surface) -> Color {
    match surface {
        Surface::Asphalt => Color([0x4d, 0x4f, 0x54]),
        Surface::Concrete => Color([0xb7, 0xb3, 0xa6]),
        // Mown, so that it stands out from the grass around it.
        Surface::Grass => Color([0x93, 0xab, 0x66]),
        Surface::GradedEarth => Color([0x9a, 0x87, 0x67]),
        Surface::Gravel => Color([0x9c, 0x95, 0x88]),
        Surface::Dirt => Color([0x8f, 0x76, 0x57]),
        Surface::Sand => Color([0xcd, 0xb9, 0x8a]),
        Surface::Water => WATER,
        Surface::Snow => SNOW,
        Surface::Ice => ICE,
        Surface::Unknown(_) => Color([0x8a, 0x86, 0x80]),
    }
}

/// A colour as scene files have it.
pub(super) fn hexadecimal(Color([red, green, blue]): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::super::parse_condition_codes;
    use super::*;

    #[test]
    fn wet_asphalt_is_darker_and_bluer_than_dry_and_snow_is_bright() {
        let [dry, wet, snow] = parse_condition_codes("6/5/4").unwrap().map(|code| of_zone(&Surface::Asphalt, code));
        assert_eq!((hexadecimal(dry), hexadecimal(wet)), ("#4d4f54".to_owned(), "#3b4a5a".to_owned()));
        assert!(snow.0.iter().all(|&channel| channel > 0xa0), "{snow:?}");
    }

    #[test]
    fn codes_tell_apart_on_every_paved_surface() {
        for surface in [Surface::Asphalt, Surface::Concrete] {
            let codes = [parse_condition_codes("6/5/4").unwrap(), parse_condition_codes("3/2/1").unwrap()].concat();
            let mut colors: Vec<Color> = codes.into_iter().map(|code| of_zone(&surface, code)).collect();
            colors.sort_unstable();
            colors.dedup();
            assert_eq!(colors.len(), 6, "{surface}");
        }
    }
}
