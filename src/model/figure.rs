//! What reports and pictures may show of a model: figures as values.

use crate::scene::{Scene, View};

/// A rectangle: what trials should stay within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// From and to, along.
    pub along: (f64, f64),
    /// From and to, across.
    pub across: (f64, f64),
}

/// Where trials end up in a plane: two quantities, whose density is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    /// Heading of the figure.
    pub title: String,
    /// What the points are: `touchdown points`.
    pub points: &'static str,
    /// Title of the drawing itself.
    pub drawing: String,
    /// Number of the quantity along, and its axis in words with its unit.
    pub along: (usize, &'static str),
    /// Number of the quantity across, and its axis.
    pub across: (usize, &'static str),
    /// Where the quantity along is measured from, in words: `the landing threshold`.
    pub origin: &'static str,
    /// Quantities whose limits bound the quantity across on either side, and how far from it they are.
    pub beside: Vec<(usize, f64)>,
    /// What is drawn under the points, with a line along its middle.
    pub field: Option<Field>,
    /// What a trial of a marked cell did: `did not end by coming to rest`.
    pub marked: &'static str,
}

/// Two quantities along one axis, such as the first and the last point of a way.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Heading of the figure.
    pub title: String,
    /// The axis in words with its unit.
    pub axis: &'static str,
    /// Unit of the axis.
    pub unit: &'static str,
    /// Number of the quantity and what its values are: `touchdown points`.
    pub first: (usize, &'static str),
    /// The other, whose limits are drawn.
    pub second: (usize, &'static str),
    /// What is drawn behind both, from and to; its end has a note.
    pub field: Option<(f64, f64)>,
    /// What that is, for the legend: `the runway`.
    pub ground: &'static str,
}

/// A trial as a scene to be looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The scene.
    pub scene: Scene,
    /// From where it is looked at.
    pub view: View,
    /// What to mind, such as a scale; empty where there is nothing.
    pub note: String,
}
