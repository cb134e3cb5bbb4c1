//! What a file says of air forces.

use glam::DVec3;

use crate::function::Function;

/// Axes of three sums of forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceAxes {
    /// Drag backwards, side force to the right, lift upwards of the flow.
    #[default]
    Wind,
    /// Axial force backwards, side force to the right, normal force upwards of the body.
    Axial,
    /// Body axes.
    Body,
    /// Drag and lift turned by the angle of attack alone.
    Stability,
}

impl ForceAxes {
    /// All of them, with their names in vehicle files.
    pub const ALL: [(&'static str, Self); 4] =
        [("wind", Self::Wind), ("axial", Self::Axial), ("body", Self::Body), ("stability", Self::Stability)];
}

/// Axes of three sums of moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MomentAxes {
    /// Body axes.
    #[default]
    Body,
    /// Body axes turned by the angle of attack.
    Stability,
    /// Those, turned by the angle of sideslip.
    Wind,
}

impl MomentAxes {
    /// All of them, with their names in vehicle files.
    pub const ALL: [(&'static str, Self); 3] =
        [("body", Self::Body), ("stability", Self::Stability), ("wind", Self::Wind)];
}

/// What the value of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A property for those after it.
    Property,
    /// Part of a force \[lbf\] along an axis from 0 to 2, at the reference point.
    Force(usize),
    /// Part of a force \[lbf\] along an axis from 0 to 2, at the centre of gravity.
    ForceAtCentre(usize),
    /// How far the reference point shifts backwards, in chords.
    Shift,
    /// Part of a moment \[lbf ft\] about an axis from 0 to 2.
    Moment(usize),
}

impl Role {
    /// What a value may be, with the keys of vehicle files; of forces those at the reference point.
    #[must_use]
    pub fn keys(axes: ForceAxes) -> [(&'static str, Self); 8] {
        let [first, second, third] = match axes {
            ForceAxes::Wind => ["drag", "side", "lift"],
            ForceAxes::Axial => ["axial", "side", "normal"],
            ForceAxes::Body | ForceAxes::Stability => ["x", "y", "z"],
        };
        [
            ("value", Self::Property),
            (first, Self::Force(0)),
            (second, Self::Force(1)),
            (third, Self::Force(2)),
            ("shift", Self::Shift),
            ("roll", Self::Moment(0)),
            ("pitch", Self::Moment(1)),
            ("yaw", Self::Moment(2)),
        ]
    }
}

/// A function with what its value is.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisFunction {
    /// The function, over names of properties.
    pub function: Function<String>,
    /// What its value is.
    pub role: Role,
}

/// Sizes of an aircraft.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Of the wing \[m^2\].
    pub area: f64,
    /// Of the wing \[m\].
    pub span: f64,
    /// Mean chord \[m\].
    pub chord: f64,
    /// Of the wing \[rad\].
    pub incidence: f64,
}

/// Functions by axis, in any order of roles; those of one role are evaluated in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Axes of forces.
    pub force_axes: ForceAxes,
    /// Axes of moments.
    pub moment_axes: MomentAxes,
    /// Sizes.
    pub sizes: Sizes,
    /// Where forces act, body axes, from the centre of gravity of the empty aircraft \[m\].
    pub reference_point: DVec3,
    /// Angles of attack \[rad\] from which a stall is warned of, lower and upper.
    pub alpha_limits: Option<[f64; 2]>,
    /// Angles of attack \[rad\] at which a stall ends and begins.
    pub hysteresis_limits: Option<[f64; 2]>,
    /// Properties that the file itself sets, with their numbers.
    pub constants: Vec<(String, f64)>,
    /// The functions.
    pub functions: Vec<AxisFunction>,
}

impl Description {
    /// The functions in their order of evaluation: of an axis those at the reference point first.
    #[must_use]
    pub fn in_order(&self) -> Vec<&AxisFunction> {
        let mut all: Vec<_> = self.functions.iter().collect();
        all.sort_by_key(|function| match function.role {
            Role::Property => (0, 0),
            Role::Force(axis) => (1, 2 * axis),
            Role::ForceAtCentre(axis) => (1, 2 * axis + 1),
            Role::Shift => (2, 0),
            Role::Moment(axis) => (3, axis),
        });
        all
    }
}
