//! A map as a PNG file: all layers one below the other, as in the SVG.

use png::EncodingError;

use super::contour::Surface;
use super::{LEVELS, Of, ends, layers, shades, surface, title_of_picture};
use crate::picture::{Area, Canvas, Size, encode};
use crate::report::plot::Axis;
use crate::scene::Color;
use crate::study::map::{Layer, Map};

const INK: Color = Color([28, 33, 38]);
const PAPER: Color = Color([255, 255, 255]);
const FAINT: Color = Color([93, 102, 112]);
const LIMIT: Color = Color([192, 25, 44]);
/// Colours of the shades, as in reports; the first is that of the paper.
const SHADES: [Color; 7] = [
    PAPER,
    Color([207, 227, 244]),
    Color([163, 203, 233]),
    Color([111, 171, 217]),
    Color([60, 134, 193]),
    Color([29, 98, 156]),
    Color([11, 61, 104]),
];

/// Width of a picture, of a frame, and what stands round it \[px\].
const WIDTH: u32 = 900;
const FRAME: (u32, u32) = (780, 380);
const LEFT: u32 = 90;
const ABOVE: u32 = 68;
const PANEL: u32 = ABOVE + FRAME.1 + 60;
/// Width of the key of one shade.
const KEY: u32 = 132;

/// The picture.
pub fn png(map: &Map) -> Result<Vec<u8>, EncodingError> {
    let size = Size { width: WIDTH, height: PANEL * layers(map).count() as u32 };
    // Each panel is a picture of its own, so that its texts have one size, however many there are.
    let mut bytes = Vec::new();
    for layer in layers(map) {
        let mut canvas = Canvas::new(Size { width: WIDTH, height: PANEL }, PAPER);
        draw(&mut canvas, map, layer);
        bytes.extend(canvas.bytes);
    }
    let texts = [("Title", format!("Map of {}", map.study)), ("Software", format!("touchdown {}", map.version))];
    encode(size, &bytes, &texts)
}

fn draw(canvas: &mut Canvas, map: &Map, layer: &Layer) {
    canvas.write(12, 6, &title_of_picture(layer), INK);
    for (number, words) in shades(layer.is_safe()).into_iter().enumerate() {
        let left = 12 + KEY * number as u32;
        canvas.fill(Area { left, top: 26, width: 12, height: 12 }, FAINT, 1.0);
        canvas.fill(Area { left: left + 1, top: 27, width: 10, height: 10 }, SHADES[number], 1.0);
        canvas.write(left + 16, 26, &words, INK);
    }
    canvas.fill(Area { left: LEFT - 1, top: ABOVE - 1, width: FRAME.0 + 2, height: FRAME.1 + 2 }, FAINT, 1.0);
    fill(canvas, map, layer);
    axes(canvas, map);
}

/// Each pixel by the surfaces at its middle.
fn fill(canvas: &mut Canvas, map: &Map, layer: &Layer) {
    let [lower, estimate, upper] = [Of::Lower, Of::Estimate, Of::Upper].map(|of| surface(map, layer, of));
    let place = |column: u32, row: u32| {
        let share = |number: u32, of: u32| (f64::from(number) + 0.5) / f64::from(of);
        let at = |(from, to): (f64, f64), share: f64| from + share * (to - from);
        (at(ends(&map.x), share(column, FRAME.0)), at(ends(&map.y), 1.0 - share(row, FRAME.1)))
    };
    let is_above = |surface: &Surface<'_>, (x, y): (f64, f64), level: f64| surface.at(x, y) >= level;
    // A line runs where a pixel and its neighbours are on different sides; it is two pixels wide.
    let is_line = |surface: &Surface<'_>, column: u32, row: u32| {
        let Some(allowed) = layer.allowed else { return false };
        let here = is_above(surface, place(column, row), allowed);
        [(column + 1, row), (column, row + 1)].into_iter().any(|(x, y)| is_above(surface, place(x, y), allowed) != here)
    };
    for row in 0..FRAME.1 {
        for column in 0..FRAME.0 {
            let (x, y) = place(column, row);
            let risk = estimate.at(x, y);
            let broken = (column + row) % 12 < 7;
            let is_limit = is_line(&upper, column, row) || broken && is_line(&lower, column, row);
            let shade = LEVELS.iter().filter(|level| risk >= **level).count();
            let color = if is_limit { LIMIT } else { SHADES[shade] };
            canvas.fill(Area { left: LEFT + column, top: ABOVE + row, width: 1, height: 1 }, color, 1.0);
        }
    }
}

fn axes(canvas: &mut Canvas, map: &Map) {
    let [x, y] = [&map.x, &map.y].map(|axis| {
        let (from, to) = ends(axis);
        Axis::between(from, to, &axis.input, &axis.unit)
    });
    // Characters of the font have this size.
    let font = canvas.character();
    let width = |text: &str| text.chars().count() as u32 * font.0;
    for tick in x.ticks(FRAME.0 / 80) {
        let left = LEFT + (x.position(tick.value) * f64::from(FRAME.0 - 1)).round() as u32;
        canvas.fill(Area { left, top: ABOVE + FRAME.1 + 1, width: 1, height: 5 }, FAINT, 1.0);
        canvas.write(left - width(&tick.text) / 2, ABOVE + FRAME.1 + 8, &tick.text, FAINT);
    }
    for tick in y.ticks(FRAME.1 / 45) {
        let down = ABOVE + ((1.0 - y.position(tick.value)) * f64::from(FRAME.1 - 1)).round() as u32;
        canvas.fill(Area { left: LEFT - 6, top: down, width: 5, height: 1 }, FAINT, 1.0);
        canvas.write((LEFT - 10).saturating_sub(width(&tick.text)), down - font.1 / 2, &tick.text, FAINT);
    }
    let middle = LEFT + FRAME.0 / 2;
    canvas.write(middle.saturating_sub(width(x.label()) / 2), ABOVE + FRAME.1 + 8 + font.1 + 4, x.label(), INK);
    // Text does not turn: the label of y stands above its axis, and above half of the text of a tick at its end.
    canvas.write(12, ABOVE - font.1 * 3 / 2 - 4, y.label(), INK);
}
