//! What reports and pictures can show of a model, as data.

use crate::scene::{Scene, View};

/// A rectangle that trials should stay within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// From and to, along.
    pub along: (f64, f64),
    /// From and to, across.
    pub across: (f64, f64),
}

/// Final positions of trials in a plane: two quantities, shown as a density.
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    /// Heading of the figure.
    pub title: String,
    /// What the points are: `touchdown points`.
    pub points: &'static str,
    /// Title of the drawing itself.
    pub drawing: String,
    /// Index of the quantity along, and its axis label with unit.
    pub along: (usize, &'static str),
    /// Index of the quantity across, and its axis label.
    pub across: (usize, &'static str),
    /// Origin of the quantity along, in words: `the landing threshold`.
    pub origin: &'static str,
    /// Quantities whose limits bound the quantity across on either side, and their offset from it.
    pub beside: Vec<(usize, f64)>,
    /// Rectangle drawn under the points, with a centreline.
    pub field: Option<Field>,
    /// What a trial in a marked cell did: `did not end by coming to rest`.
    pub marked: &'static str,
}

/// Two quantities along one axis, such as the first and the last point of a track.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Heading of the figure.
    pub title: String,
    /// Axis label with unit.
    pub axis: &'static str,
    /// Unit of the axis.
    pub unit: &'static str,
    /// Index of the quantity and what its values are: `touchdown points`.
    pub first: (usize, &'static str),
    /// The other, whose limits are drawn.
    pub second: (usize, &'static str),
    /// Range drawn behind both; its end is annotated.
    pub field: Option<(f64, f64)>,
    /// Name of that range in the legend: `the runway`.
    pub ground: &'static str,
}

/// A trial as a scene to render.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The scene.
    pub scene: Scene,
    /// The view.
    pub view: View,
    /// A note, such as a scale; may be empty.
    pub note: String,
}
