//! Affine maps of a model, and their effect on simple solids.
//!
//! # Conventions
//! Column vectors: a point x goes to L x + t.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Sines below this count as right angles, and relative differences below it as none: the export has six digits, so that
/// each entry of a map is rounded by up to 5e-7 of its size, and the angles of products of several maps by more.
const SIX_DIGITS: f64 = 1e-5;
/// Entries below this share of the greatest are what is left of the sine of 180 degrees.
const NO_ENTRY: f64 = 1e-14;

/// A map of which three perpendicular directions stay perpendicular: first stretched along the axes, then turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// How much lengths along x, y and z are stretched, above 0.
    pub(super) stretch: DVec3,
    /// Where x, y and z point afterwards; right-handed, so mirrored models have one axis turned round.
    pub(super) rotation: DMat3,
    /// Where the origin goes.
    pub(super) origin: DVec3,
    /// True when the map mirrors: then z points against `rotation.z_axis`.
    pub(super) mirrored: bool,
}

impl Frame {
    /// The frame of a map; `None` for one that shears.
    pub(super) fn of(map: &DAffine3) -> Option<Self> {
        let columns = map.matrix3;
        let stretch = DVec3::new(columns.x_axis.length(), columns.y_axis.length(), columns.z_axis.length());
        let [x, y, z] = [columns.x_axis / stretch.x, columns.y_axis / stretch.y, columns.z_axis / stretch.z];
        let skew = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
        let right_angles = stretch.min_element() > 0.0 && skew < SIX_DIGITS;
        let mirrored = columns.determinant() < 0.0;
        let z = if mirrored { -z } else { z };
        let rotation = DMat3::from_cols(x, y, z);
        right_angles.then_some(Self { stretch, rotation, origin: map.translation, mirrored })
    }

    /// The stretch in all directions, where it is one.
    pub(super) fn uniform(&self) -> Option<f64> {
        let mean = self.stretch.element_sum() / 3.0;
        ((self.stretch - mean).abs().max_element() < SIX_DIGITS * mean).then_some(mean)
    }

    /// The stretch across z, where it is one.
    pub(super) fn around_z(&self) -> Option<f64> {
        let DVec3 { x, y, .. } = self.stretch;
        ((x - y).abs() < SIX_DIGITS * x).then_some(0.5 * (x + y))
    }

    /// Where z points: a unit vector.
    pub(super) fn axis(&self) -> DVec3 {
        let z = cleaned(self.rotation).z_axis;
        if self.mirrored { -z } else { z }
    }

    /// Lengths along the world's axes of a box or an ellipsoid with these lengths before, when it still stands along
    /// them; exchanged where the map exchanges axes.
    pub(super) fn along_axes(&self, lengths: DVec3) -> Option<DVec3> {
        let columns = cleaned(self.rotation).to_cols_array_2d();
        let along = columns.iter().all(|column| column.iter().filter(|&&entry| entry != 0.0).count() == 1);
        let lengths = DMat3::from_cols_array_2d(&columns.map(|column| column.map(f64::abs))) * (self.stretch * lengths);
        along.then_some(lengths)
    }

    /// The rotation as an axis and an angle \[deg\].
    pub(super) fn axis_angle(&self) -> (DVec3, f64) {
        let (axis, angle) = DQuat::from_mat3(&cleaned(self.rotation)).normalize().to_axis_angle();
        (axis, angle.to_degrees())
    }
}

/// Without what rounding left where zeros belong.
fn cleaned(rotation: DMat3) -> DMat3 {
    DMat3::from_cols(
        without_rounding(rotation.x_axis),
        without_rounding(rotation.y_axis),
        without_rounding(rotation.z_axis),
    )
}

/// A unit vector without what rounding left where zeros belong.
pub(super) fn without_rounding(direction: DVec3) -> DVec3 {
    DVec3::select(direction.abs().cmplt(DVec3::splat(NO_ENTRY)), DVec3::ZERO, direction)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    fn map(linear: DMat3) -> DAffine3 {
        DAffine3::from_mat3_translation(linear, DVec3::new(1.0, 2.0, 3.0))
    }

    #[test]
    fn a_turned_box_along_the_axes_has_its_lengths_exchanged() {
        let turn = DMat3::from_rotation_z(FRAC_PI_2) * DMat3::from_diagonal(DVec3::new(2.0, 3.0, -4.0));
        let frame = Frame::of(&map(turn)).unwrap();
        assert!(frame.mirrored);
        assert_eq!(frame.along_axes(DVec3::ONE), Some(DVec3::new(3.0, 2.0, 4.0)));
        assert_eq!((frame.uniform(), frame.around_z()), (None, None));
        assert_eq!(frame.axis(), DVec3::NEG_Z);
        assert_eq!(frame.origin, DVec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn rotations_with_six_digits_are_rotations_and_shears_are_not() {
        let rounded = DMat3::from_cols_array(&[0.866025, 0.5, 0.0, -0.5, 0.866025, 0.0, 0.0, 0.0, 1.0]);
        let frame = Frame::of(&map(2.0 * rounded)).unwrap();
        assert!((frame.uniform().unwrap() - 2.0).abs() < 2.0 * SIX_DIGITS);
        let (axis, angle) = frame.axis_angle();
        assert!((axis - DVec3::Z).length() < SIX_DIGITS && (angle - 30.0).abs() < 1e-3, "{axis} {angle}");
        assert_eq!(frame.along_axes(DVec3::ONE), None);
        let sheared = DMat3::from_cols(DVec3::X, DVec3::new(1e-3, 1.0, 0.0), DVec3::Z);
        assert_eq!(Frame::of(&map(sheared)), None);
        assert_eq!(Frame::of(&map(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)))), None);
    }
}
