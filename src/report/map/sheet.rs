//! A map as an SVG file of its own: all layers one below the other, with what their shades mean.

use super::panel::{Panel, panel};
use super::{layers, shades, title_of_picture};
use crate::report::plot::{escaped, label};
use crate::study::map::{Layer, Map};

/// Colours by class, for programs that know no style sheet of a page around the picture. The shades are those of reports.
const STYLE: &str = "text{font:12px sans-serif;fill:#1c2126;text-anchor:middle}path{fill:none}\
.tick,.axis{fill:#5d6670}.y{text-anchor:end}.row{text-anchor:start}.title{text-anchor:start;font-weight:600}\
.grid{stroke:#e6eaee}.frame{stroke:#5d6670}.limit{stroke:#c0192c;stroke-width:2}.beyond{stroke-dasharray:5 4}\
.d0{fill:#ffffff}.d1{fill:#cfe3f4}.d2{fill:#a3cbe9}.d3{fill:#6fabd9}.d4{fill:#3c86c1}.d5{fill:#1d629c}.d6{fill:#0b3d68}";

/// Room above a panel for its title and the key.
const ABOVE: f64 = 52.0;
/// Width of the key of one shade \[px\].
const KEY: f64 = 97.0;

/// The picture.
pub fn svg(map: &Map) -> String {
    let mut contents = format!("<style>{STYLE}</style>");
    let keys = layers(map).map(|layer| shades(layer.is_safe()).len()).max().unwrap_or(0);
    let (mut width, mut top) = (12.0 + KEY * keys as f64, 8.0);
    for layer in layers(map) {
        let Panel { svg, size: (panel_width, panel_height) } = panel(map, layer);
        contents.push_str(&label("title", 12.0, top + 14.0, &title_of_picture(layer)));
        contents.push_str(&key(layer, top + 24.0));
        let place = format!("<svg x=\"0\" y=\"{}\" width=\"{panel_width}\" height=\"{panel_height}\" ", top + ABOVE);
        contents.push_str(&svg.replacen("<svg ", &place, 1));
        width = width.max(panel_width);
        top += ABOVE + panel_height + 14.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" viewBox=\"0 0 {width} {top}\"><title>{}</title>\
         <rect width=\"{width}\" height=\"{top}\" fill=\"#ffffff\"/>{contents}</svg>\n",
        escaped(&format!("Map of {}", map.study))
    )
}

fn key(layer: &Layer, top: f64) -> String {
    let shade = |(number, words): (usize, String)| {
        let left = 12.0 + KEY * number as f64;
        format!(
            "<rect class=\"d{number}\" x=\"{left}\" y=\"{top}\" width=\"12\" height=\"12\" stroke=\"#5d6670\"/>{}",
            label("row", left + 16.0, top + 10.5, &words)
        )
    };
    shades(layer.is_safe()).into_iter().enumerate().map(shade).collect()
}
