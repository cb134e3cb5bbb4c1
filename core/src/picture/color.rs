//! Colours: those of materials, and conversion between sRGB and linear light, in which averages are formed.

use glam::{DVec3, Vec3};

use crate::scene::{Color, MaterialId, Scene};

/// Okabe and Ito's seven colour-blind-safe colours, then those of Tol's muted scheme that differ from them.
const PALETTE: [Color; 13] = [
    Color([0xe6, 0x9f, 0x00]),
    Color([0x56, 0xb4, 0xe9]),
    Color([0x00, 0x9e, 0x73]),
    Color([0xf0, 0xe4, 0x42]),
    Color([0x00, 0x72, 0xb2]),
    Color([0xd5, 0x5e, 0x00]),
    Color([0xcc, 0x79, 0xa7]),
    Color([0x33, 0x22, 0x88]),
    Color([0x99, 0x99, 0x33]),
    Color([0x88, 0x22, 0x55]),
    Color([0x11, 0x77, 0x33]),
    Color([0xdd, 0xcc, 0x77]),
    Color([0xcc, 0x66, 0x77]),
];

/// Colour for no material.
const NO_MATERIAL: Color = Color([0xb4, 0xb4, 0xb4]);

/// The colour of a material by its number. Beyond the palette hues are spread by the golden ratio.
pub(super) fn of_number(material: Option<MaterialId>) -> Color {
    const GOLDEN: f32 = 0.618_034;
    let Some(MaterialId(number)) = material else {
        return NO_MATERIAL;
    };
    PALETTE.get(number as usize).copied().unwrap_or_else(|| {
        let turn = (number % 1000) as f32 * GOLDEN;
        let wave = |phase: f32| (std::f32::consts::TAU * (turn + phase)).cos();
        let brightness = [0.62, 0.42, 0.78][number as usize % 3];
        let channels = [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| brightness + 0.22 * wave(phase));
        Color(channels.map(|channel| (255.0 * channel) as u8))
    })
}

/// The colour of a material under light: that in the scene file, else that of its number, halfway to gray.
pub(super) fn of_material(scene: &Scene, material: Option<MaterialId>) -> Color {
    const GRAY: Vec3 = Vec3::splat(0.3);
    let given = |MaterialId(number): MaterialId| scene.appearance().colors.get(number as usize).copied().flatten();
    material.and_then(given).unwrap_or_else(|| color(light(of_number(material)).lerp(GRAY, 0.5)))
}

/// The colour of a direction, a unit vector: red for x, green for y and blue for z, each dark towards minus.
pub(super) fn of_normal(normal: DVec3) -> Color {
    Color((0.5 + 0.5 * normal).to_array().map(|share| (255.0 * share).round() as u8))
}

/// Linear light of a colour, 0 to 1 (IEC 61966-2-1).
pub(super) fn light(color: Color) -> Vec3 {
    Vec3::from_array(color.0.map(|byte| {
        let value = f32::from(byte) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    }))
}

/// The nearest colour of a light; overexposed light becomes white.
pub(super) fn color(light: Vec3) -> Color {
    Color(light.to_array().map(|value| {
        let value = value.clamp(0.0, 1.0);
        let encoded = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    }))
}

/// A colour from deep blue (0) over violet and orange to pale yellow (1), with rising brightness: legible without colours,
/// too. Points of the scheme "inferno" (Smith and van der Walt, public domain) without its black end.
pub(super) fn ramp(share: f32) -> Color {
    const POINTS: [[f32; 3]; 6] = [
        [40.0, 11.0, 84.0],
        [101.0, 21.0, 110.0],
        [159.0, 42.0, 99.0],
        [212.0, 72.0, 66.0],
        [245.0, 125.0, 21.0],
        [250.0, 220.0, 110.0],
    ];
    let place = share.clamp(0.0, 1.0) * (POINTS.len() - 1) as f32;
    let below = (place as usize).min(POINTS.len() - 2);
    let (low, high) = (Vec3::from_array(POINTS[below]), Vec3::from_array(POINTS[below + 1]));
    Color(low.lerp(high, place - below as f32).to_array().map(|channel| channel.round() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_and_back_gives_the_same_color() {
        for byte in 0..=255 {
            let gray = Color([byte; 3]);
            assert_eq!(color(light(gray)), gray);
        }
        assert_eq!(color(Vec3::new(-1.0, 0.0, 7.0)), Color([0, 0, 255]));
        // A fifth of the light looks about half as bright.
        assert_eq!(color(Vec3::splat(0.2)), Color([124; 3]));
    }

    #[test]
    fn forty_materials_have_forty_colors() {
        let mut colors: Vec<Color> = (0..40).map(|number| of_number(Some(MaterialId(number)))).collect();
        colors.push(of_number(None));
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), 41);
    }

    #[test]
    fn the_ramp_gets_brighter_all_the_way() {
        let brightness = |step: u8| light(ramp(f32::from(step) / 50.0)).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((0..50).all(|step| brightness(step) < brightness(step + 1)));
    }
}
