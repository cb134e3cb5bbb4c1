//! The meaning of colours, drawn in the lower right corner.

use std::cmp::Reverse;

use glam::DVec3;

use super::canvas::{Area, Canvas};
use super::color;
use super::depth_scale::DepthScale;
use crate::scene::Color;

/// Pictures lower than this have no legend: it would be illegible, and hide the picture.
const LOWEST: u32 = 240;
/// Longer names are cut to this many characters.
const MAX_NAME: usize = 28;

const PANEL: Color = Color([14, 18, 26]);
const PANEL_OPACITY: f32 = 0.62;
const INK: Color = Color([244, 246, 248]);
const FAINT_INK: Color = Color([176, 186, 198]);

/// What the colours of a picture mean.
pub(super) enum Legend {
    /// A colour for each name, and how many rays met it.
    Swatches(Vec<(Color, String, u64)>),
    /// Distances.
    Depth(DepthScale),
}

impl Legend {
    /// The colours of directions.
    pub(super) fn normals() -> Self {
        let swatches = [
            (DVec3::X, "normal to +x"),
            (DVec3::NEG_X, "normal to -x"),
            (DVec3::Y, "normal to +y"),
            (DVec3::NEG_Y, "normal to -y"),
            (DVec3::Z, "normal to +z (up)"),
            (DVec3::NEG_Z, "normal to -z"),
        ];
        Self::Swatches(swatches.map(|(normal, name)| (color::of_normal(normal), name.to_owned(), 1)).to_vec())
    }
}

/// Draws a panel with a title over the legend.
pub(super) fn draw(canvas: &mut Canvas, title: &str, legend: &Legend) {
    if canvas.size.height < LOWEST || canvas.size.width < LOWEST {
        return;
    }
    match legend {
        Legend::Swatches(swatches) => draw_swatches(canvas, title, swatches),
        Legend::Depth(scale) => draw_depth(canvas, title, scale),
    }
}

/// Sizes of a panel's parts in pixels, by the font.
#[derive(Clone, Copy)]
struct Layout {
    character: u32,
    line: u32,
    /// Empty border of the panel, and its distance from the edges of the picture.
    margin: u32,
}

impl Layout {
    fn new(canvas: &Canvas) -> Self {
        let size = canvas.font().character_size;
        Self { character: size.width, line: size.height + size.height / 3, margin: size.width }
    }

    fn width_of(&self, text: &str) -> u32 {
        text.chars().count() as u32 * self.character
    }

    /// Darkens the panel and gives its inner corner.
    fn panel(&self, canvas: &mut Canvas, width: u32, height: u32) -> (u32, u32) {
        let (outer_width, outer_height) = (width + 2 * self.margin, height + 2 * self.margin);
        let top = canvas.size.height.saturating_sub(outer_height + self.margin);
        let left = canvas.size.width.saturating_sub(outer_width + self.margin);
        canvas.fill(Area { left, top, width: outer_width, height: outer_height }, PANEL, PANEL_OPACITY);
        (left + self.margin, top + self.margin)
    }
}

fn draw_swatches(canvas: &mut Canvas, title: &str, swatches: &[(Color, String, u64)]) {
    let layout = Layout::new(canvas);
    // At most two thirds of the height; what is seen least is left out.
    let most_lines = ((2 * canvas.size.height / 3) / layout.line).saturating_sub(2).max(1) as usize;
    let shown: Vec<(Color, String)> =
        most_seen(swatches, most_lines).into_iter().map(|(color, name, _)| (*color, cut(name))).collect();
    let rest = match swatches.len() - shown.len() {
        0 if shown.is_empty() => Some("nothing in sight".to_owned()),
        0 => None,
        left_out => Some(format!("and {left_out} more")),
    };

    let indent = 2 * layout.character + layout.margin;
    let title = cut(title);
    let names = shown.iter().map(|(_, name)| layout.width_of(name)).chain(rest.iter().map(|it| layout.width_of(it)));
    let width = layout.width_of(&title).max(indent + names.max().unwrap_or(0));
    let lines = 1 + shown.len() as u32 + u32::from(rest.is_some());
    let (left, top) = layout.panel(canvas, width, lines * layout.line);
    canvas.write(left, top, &title, INK);
    for (line, (color, name)) in (1..).zip(&shown) {
        let top = top + line * layout.line;
        let swatch = Area { left, top, width: 2 * layout.character, height: layout.line - layout.line / 4 };
        canvas.fill(swatch, INK, 1.0);
        let inner = Area { left: left + 1, top: top + 1, width: swatch.width - 2, height: swatch.height - 2 };
        canvas.fill(inner, *color, 1.0);
        canvas.write(left + indent, top, name, INK);
    }
    if let Some(rest) = rest {
        canvas.write(left + indent, top + (lines - 1) * layout.line, &rest, FAINT_INK);
    }
}

/// The swatches that most rays met, in the order of the list; of equals the first.
fn most_seen(swatches: &[(Color, String, u64)], most: usize) -> Vec<&(Color, String, u64)> {
    let mut numbers: Vec<usize> = (0..swatches.len()).collect();
    numbers.sort_by_key(|&number| Reverse(swatches[number].2));
    numbers.truncate(most);
    numbers.sort_unstable();
    numbers.into_iter().map(|number| &swatches[number]).collect()
}

fn draw_depth(canvas: &mut Canvas, title: &str, scale: &DepthScale) {
    let layout = Layout::new(canvas);
    let length = (36 * layout.character).min(canvas.size.width.saturating_sub(6 * layout.margin)).max(2);
    let Some((near, far)) = scale.range else {
        return draw_swatches(canvas, title, &[]);
    };
    let (left, top) = layout.panel(canvas, length, 4 * layout.line + layout.line / 3);
    canvas.write(left, top, &cut(title), INK);
    canvas.write(left, top + layout.line, "distance from the eye [m]", FAINT_INK);
    let bar = Area { left, top: top + 2 * layout.line, width: length, height: layout.line };
    for column in 0..bar.width {
        let share = column as f32 / (bar.width - 1) as f32;
        canvas.fill(Area { left: left + column, width: 1, ..bar }, color::ramp(1.0 - share), 1.0);
    }
    let mut free = left;
    for tick in ticks(near, far) {
        let place = left + (scale.share(tick) * (bar.width - 1) as f32).round() as u32;
        let label = label(tick);
        let width = layout.width_of(&label);
        let start = place.saturating_sub(width / 2).clamp(left, left + length - width.min(length));
        if start < free {
            continue;
        }
        free = start + width + layout.character;
        let foot = bar.top + bar.height;
        canvas.fill(Area { left: place, top: foot, width: 1, height: layout.line / 3 }, INK, 1.0);
        canvas.write(start, foot + layout.line / 3, &label, INK);
    }
}

/// Round distances from `near` to `far` \[m\]: 1, 2 and 5 times powers of ten, or finer steps where there is but one.
fn ticks(near: f32, far: f32) -> Vec<f32> {
    let within = |tick: &f32| (near..=far).contains(tick);
    let decades = (near.log10().floor() as i32)..=(far.log10().floor() as i32);
    let coarse: Vec<f32> =
        decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f32.powi(decade))).filter(within).collect();
    if coarse.len() >= 2 {
        return coarse;
    }
    // At most ten steps of one decimal digit.
    let step = 10f32.powi(((far - near).max(f32::MIN_POSITIVE).log10()).floor() as i32);
    let first = (near / step).ceil();
    let fine: Vec<f32> = (0..11).map(|index| (first + index as f32) * step).filter(within).collect();
    if fine.is_empty() { vec![near] } else { fine }
}

/// A distance in as few characters as its size needs.
fn label(distance: f32) -> String {
    if !(1e-3..1e5).contains(&distance) {
        format!("{distance:.0e}")
    } else if distance >= 10.0 {
        format!("{distance:.0}")
    } else {
        format!("{distance:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME - 3).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_at_least_two_where_there_is_room() {
        assert_eq!(ticks(8.0, 320.0), [10.0, 20.0, 50.0, 100.0, 200.0]);
        assert_eq!(ticks(23.0, 26.5), [23.0, 24.0, 25.0, 26.0]);
        assert_eq!(ticks(110.0, 170.0), [110.0, 120.0, 130.0, 140.0, 150.0, 160.0, 170.0]);
        assert_eq!(ticks(7.25, 7.25), [7.25]);
    }

    #[test]
    fn labels_are_short() {
        for (distance, text) in
            [(10.0, "10"), (0.5, "0.5"), (2.0, "2"), (12_000.0, "12000"), (5e6, "5e6"), (2e-4, "2e-4")]
        {
            assert_eq!(label(distance), text);
        }
    }

    #[test]
    fn what_is_seen_most_is_in_the_legend_and_its_order_is_kept() {
        let rays = [5; 12].into_iter().chain([1000, 3, 7]);
        let swatches: Vec<_> = (0..).zip(rays).map(|(number, rays)| (INK, format!("{number}"), rays)).collect();
        let shown = |most| most_seen(&swatches, most).into_iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>();
        assert_eq!(shown(10), ["0", "1", "2", "3", "4", "5", "6", "7", "12", "14"]);
        assert_eq!(shown(1), ["12"]);
        assert_eq!(shown(99).len(), 15);
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(cut("apron"), "apron");
        assert_eq!(cut(&"é".repeat(40)).chars().count(), MAX_NAME);
    }
}
