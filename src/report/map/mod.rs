//! Maps of two inputs as pictures: probabilities as shades, and lines where a criterion is met and where it fails.

mod contour;
mod panel;
mod png;
mod section;
mod sheet;

use std::path::Path;

pub use section::{Section, section};

use crate::study::map::{Layer, Map, MapAxis};
use crate::table::write_atomically;
use contour::Surface;

use super::ReportError;

/// Probabilities of what is to be avoided at which a shade begins, the same in every map.
const LEVELS: [f64; 6] = [0.001, 0.01, 0.05, 0.1, 0.5, 0.9];
/// Most layers in a picture.
const MAX_LAYERS: usize = 24;

/// Writes the pictures of a map into its directory: `map.svg` and `map.png`. Their bytes are a function of the map alone.
///
/// # Errors
/// When a file cannot be written.
pub fn write_map_pictures(map: &Map, directory: &Path) -> Result<(), ReportError> {
    write_atomically(&directory.join("map.svg"), sheet::svg(map).as_bytes())?;
    let png = png::png(map).map_err(|error| ReportError::Picture { cause: error.to_string() })?;
    write_atomically(&directory.join("map.png"), &png)?;
    Ok(())
}

fn layers(map: &Map) -> impl Iterator<Item = &Layer> {
    map.layers.iter().take(MAX_LAYERS)
}

/// Which of a cell's numbers a surface has.
#[derive(Clone, Copy)]
enum Of {
    Lower,
    Estimate,
    Upper,
}

/// The probability of what is to be avoided, over both inputs in SI units.
fn surface<'a>(map: &'a Map, layer: &Layer, of: Of) -> Surface<'a> {
    let value = |cell: &crate::study::map::Cell| {
        let (lower, estimate, upper) = cell.risk(layer.is_safe());
        match of {
            Of::Lower => lower,
            Of::Estimate => estimate,
            Of::Upper => upper,
        }
    };
    Surface { x: &map.x.values, y: &map.y.values, values: layer.cells.iter().map(value).collect() }
}

/// First and last value of an axis.
fn ends(axis: &MapAxis) -> (f64, f64) {
    (axis.values[0], axis.values[axis.values.len() - 1])
}

/// What shades stand for, from the lightest: one more than there are levels.
fn shades(is_safe: bool) -> Vec<String> {
    let said = |level: f64| format!("{}", if is_safe { (1000.0 * (1.0 - level)).round() / 1000.0 } else { level });
    let (below, above) = if is_safe { ("above", "below") } else { ("below", "above") };
    let first = format!("{below} {}", said(LEVELS[0]));
    let last = format!("{above} {}", said(LEVELS[LEVELS.len() - 1]));
    let between = LEVELS.windows(2).map(|pair| format!("{} to {}", said(pair[0]), said(pair[1])));
    std::iter::once(first).chain(between).chain([last]).collect()
}

/// A layer's title with what the lines mean, for pictures without a page around them.
fn title_of_picture(layer: &Layer) -> String {
    let lines = if layer.allowed.is_some() { " (solid line by the upper bound, dashed by the lower)" } else { "" };
    title(layer) + lines
}

/// A layer's title.
fn title(layer: &Layer) -> String {
    match layer.allowed {
        None => format!("{}: {}", layer.name, layer.event),
        Some(allowed) => format!("{}: {}, allowed {}", layer.name, layer.event, crate::shown::number(allowed)),
    }
}
