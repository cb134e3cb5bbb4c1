//! One layer of a map as a plot.

use super::{LEVELS, Of, ends, surface, title};
use crate::report::plot::{Axis, Plot};
use crate::study::map::{Layer, Map, MapAxis};

/// Size of the frame \[px\].
const SIZE: (f64, f64) = (560.0, 340.0);

/// A picture of one layer.
pub struct Panel {
    /// The picture.
    pub svg: String,
    /// Its width and height \[px\].
    pub size: (f64, f64),
}

/// Shades of the estimate; a full line about where the upper bound is at most what is allowed, a broken one about where
/// the lower bound is above it.
pub fn panel(map: &Map, layer: &Layer) -> Panel {
    let axis = |axis: &MapAxis| {
        let (from, to) = ends(axis);
        Axis::between(from, to, &axis.input, &axis.unit)
    };
    let mut plot = Plot::new(axis(&map.x), axis(&map.y), SIZE.0, SIZE.1);
    let estimate = surface(map, layer, Of::Estimate);
    for (number, level) in LEVELS.into_iter().enumerate() {
        plot.areas(&format!("density d{}", number + 1), &estimate.areas(level));
    }
    if let Some(allowed) = layer.allowed {
        plot.pieces("limit", &surface(map, layer, Of::Upper).lines(allowed));
        plot.pieces("limit beyond", &surface(map, layer, Of::Lower).lines(allowed));
    }
    let description = format!(
        "{} by {} cells of {} each, {} over {}.",
        map.x.values.len(),
        map.y.values.len(),
        map.trials,
        map.y.input,
        map.x.input
    );
    Panel { size: plot.size(), svg: plot.finish(&title(layer), &description) }
}
