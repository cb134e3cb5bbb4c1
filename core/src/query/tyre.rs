//! Tyres that plough through water and slush.

/// Drag coefficient of an isolated tyre that displaces a fluid (EASA CS-25, AMC 25.1591, displacement drag).
pub const DISPLACEMENT_DRAG_COEFFICIENT: f64 = 0.75;

/// The tyres of a wheel, as needed for the drag of water and slush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tyre {
    /// Maximum width of one \[m\].
    pub width: f64,
    /// Deflection at rest \[m\].
    pub deflection: f64,
    /// Number of tyres side by side that each displace their own track.
    pub count: u32,
}

impl Tyre {
    /// Drag over the square of the speed \[kg/m\] in a fluid with this depth \[m\] and density \[kg/m^3\]:
    /// `D / V^2 = 1/2 rho C_D b d` for each tyre, the displacement drag of AMC 25.1591, which follows the measurements
    /// of Horne, Joyner and Leland (NASA TN D-552, 1960).
    ///
    /// The width b at the surface of the fluid is the chord of a circular section of the tyre's width W at the height
    /// `deflection + depth`: `b = 2 W sqrt(h - h^2)` with h that height over W, and W from half of it on. Spray
    /// impingement on the airframe, and the lower drag of a hydroplaning tyre, are neglected.
    #[must_use]
    pub fn displacement_drag(&self, depth: f64, density: f64) -> f64 {
        let height = (self.deflection + depth).min(0.5 * self.width);
        let chord = 2.0 * (height * (self.width - height)).sqrt();
        0.5 * DISPLACEMENT_DRAG_COEFFICIENT * f64::from(self.count) * density * depth * chord
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_in_the_fluid_is_the_chord_of_the_section() {
        let tyre = Tyre { width: 0.4, deflection: 0.03, count: 2 };
        // 12.7 mm of slush: the chord at 42.7 mm of a circle of 400 mm.
        let chord = 2.0 * (0.2f64.powi(2) - (0.2f64 - 0.0427).powi(2)).sqrt();
        let expected = 2.0 * 0.5 * 850.0 * 0.75 * chord * 0.0127;
        assert!((tyre.displacement_drag(0.0127, 850.0) / expected - 1.0).abs() < 1e-12);
        // Immersed to half its width or deeper, its width is the maximum.
        for depth in [0.17, 0.3] {
            let expected = 2.0 * 0.5 * 1000.0 * 0.75 * 0.4 * depth;
            assert!((tyre.displacement_drag(depth, 1000.0) / expected - 1.0).abs() < 1e-12);
        }
        assert_eq!(tyre.displacement_drag(0.0, 1000.0), 0.0);
    }
}
