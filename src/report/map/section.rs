//! A map as a part of a page.

use super::panel::panel;
use super::{layers, shades, title};
use crate::study::map::Map;
use crate::study::statistics::Verdict;

/// What a page says of a map.
pub struct Section {
    /// What the numbers are.
    pub introduction: String,
    /// Layer by layer.
    pub layers: Vec<LayerSection>,
}

/// What it says of a layer.
pub struct LayerSection {
    /// Name and event.
    pub title: String,
    /// The figure.
    pub svg: String,
    /// Numbers of shades and what they stand for.
    pub shades: Vec<(usize, String)>,
    /// In how many cells the criterion is met, and so on; of a layer with a verdict.
    pub verdicts: Option<String>,
}

/// The section of a page.
pub fn section(many: &str, map: &Map) -> Section {
    let introduction = format!(
        "{} by {} cells of {} {many} each, engine {} on {}. Of every cell {} and {} have its values, and all other inputs vary as \
         in the study. Bounds hold cell by cell, each at the criterion’s confidence. Between cells the shades are interpolated.",
        map.x.values.len(),
        map.y.values.len(),
        map.trials,
        map.engine,
        map.adapter,
        map.x.input,
        map.y.input
    );
    let of_layer = |layer: &crate::study::map::Layer| {
        LayerSection {
        title: title(layer),
        svg: panel(map, layer).svg,
        shades: shades(layer.is_safe()).into_iter().enumerate().collect(),
        verdicts: layer.allowed.map(|_| {
            let count = |verdict| layer.count(verdict);
            format!(
                "Met in {} of {} cells, failed in {}, undecided in {}. Inside the full line the upper bound is at most what is allowed; \
                 beyond the broken one the lower bound is above it.",
                count(Verdict::Met),
                layer.cells.len(),
                count(Verdict::Failed),
                count(Verdict::Undecided)
            )
        }),
    }
    };
    Section { introduction, layers: layers(map).map(of_layer).collect() }
}
