//! Plots as inline SVG: a frame with two axes, and in it bands, steps, lines, bars, cells and marks.
//!
//! Colours are classes of the page's style sheet, so that light, dark and printed pages differ in it alone. Anything
//! beyond the end of an axis is drawn on its edge.
//!
//! # Conventions
//! Lengths are pixels of the picture, x to the right, y downwards from the upper edge of the frame.

mod axis;
mod path;

pub use axis::{Axis, round_step};
pub use path::{Path, escaped};

/// Room left of the frame, for the numbers of the y axis and its label.
const LEFT: f64 = 62.0;
/// Room right of the frame, for half a number of the x axis.
const RIGHT: f64 = 18.0;
/// Room below the frame, for the numbers of the x axis and its label.
const BELOW: f64 = 44.0;
/// Height of a line of text above the frame.
const LINE: f64 = 15.0;
/// A character's width, on the safe side of what common fonts have at the size of the page's labels.
const CHARACTER: f64 = 6.3;
/// Most characters of a label in a plot; names may be of any length.
const MAX_LABEL: usize = 60;

/// A note above the frame, at a place along the x axis.
struct Note {
    x: f64,
    text: String,
}

/// A plot in the making.
pub struct Plot {
    x: Axis,
    y: Axis,
    width: f64,
    height: f64,
    body: String,
    notes: Vec<Note>,
}

impl Plot {
    /// An empty plot whose frame has this size.
    pub fn new(x: Axis, y: Axis, width: f64, height: f64) -> Self {
        Self { x, y, width, height, body: String::new(), notes: Vec::new() }
    }

    /// Where a point lies in the frame.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.position(x) * self.width, (1.0 - self.y.position(y)) * self.height)
    }

    fn add(&mut self, class: &str, path: &Path) {
        self.body.push_str(&path.element(class));
    }

    /// A line through points.
    pub fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut path = Path::default();
        path.through(points.iter().map(|&point| self.place(point)));
        self.add(class, &path);
    }

    /// A line that keeps each point's height until the next point.
    pub fn steps(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut path = Path::default();
        path.steps(points.iter().map(|&point| self.place(point)));
        self.add(class, &path);
    }

    /// The area between two such step lines over the same places: (x, lower, upper).
    pub fn step_band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let mut path = Path::default();
        path.steps(points.iter().map(|&(x, _, upper)| self.place((x, upper))));
        path.steps_back(points.iter().rev().map(|&(x, lower, _)| self.place((x, lower))));
        path.close();
        self.add(class, &path);
    }

    /// The area between two lines over the same places: (x, lower, upper).
    pub fn band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let upper = points.iter().map(|&(x, _, upper)| self.place((x, upper)));
        let lower = points.iter().rev().map(|&(x, lower, _)| self.place((x, lower)));
        let mut path = Path::default();
        path.through(upper.chain(lower));
        path.close();
        self.add(class, &path);
    }

    /// Upright rectangles: (from, to, bottom, top).
    pub fn boxes(&mut self, class: &str, boxes: &[(f64, f64, f64, f64)]) {
        let mut path = Path::default();
        for &(from, to, bottom, top) in boxes {
            let ((left, upper), (right, lower)) = (self.place((from, top)), self.place((to, bottom)));
            if right > left && lower > upper {
                path.rectangle(left, upper, right - left, lower - upper);
            }
        }
        self.add(class, &path);
    }

    /// Polygons, as one shape.
    pub fn areas(&mut self, class: &str, areas: &[Vec<(f64, f64)>]) {
        let mut path = Path::default();
        for area in areas {
            path.through(area.iter().map(|&point| self.place(point)));
            path.close();
        }
        self.add(class, &path);
    }

    /// Pieces of lines.
    pub fn pieces(&mut self, class: &str, pieces: &[[(f64, f64); 2]]) {
        let mut path = Path::default();
        for piece in pieces {
            path.through(piece.iter().map(|&point| self.place(point)));
        }
        self.add(class, &path);
    }

    /// A small diamond at each point.
    pub fn marks(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut path = Path::default();
        for &point in points {
            path.diamond(self.place(point), 3.5);
        }
        self.add(class, &path);
    }

    /// A note above the frame at a place of the x axis. Notes that would run into each other stand one above the other.
    pub fn note(&mut self, x: f64, text: &str) {
        let short: String = text.chars().take(MAX_LABEL).collect();
        let text = if short.len() < text.len() { short + "…" } else { short };
        self.notes.push(Note { x: self.x.position(x) * self.width, text });
    }

    /// Width and height of the picture.
    pub fn size(&self) -> (f64, f64) {
        (LEFT + self.width + RIGHT, above(self.noted().1) + self.height + BELOW)
    }

    /// The picture, with a name and a description for those who cannot see it.
    pub fn finish(mut self, title: &str, description: &str) -> String {
        let notes = self.noted();
        let above = above(notes.1);
        let (x_axis, y_axis) = (self.x_axis(), self.y_axis());
        let size = self.size();
        let frame = Path::frame(self.width, self.height).element("frame");
        let body = std::mem::take(&mut self.body);
        svg(
            size,
            title,
            description,
            &format!("<g transform=\"translate({LEFT} {above})\">{x_axis}{y_axis}{body}{frame}{}</g>", notes.0),
        )
    }

    /// The notes and how many lines they take. The first line is nearest to the frame.
    fn noted(&self) -> (String, usize) {
        let mut text = String::new();
        let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
        for note in &self.notes {
            let width = CHARACTER * note.text.chars().count() as f64;
            let from = (note.x - 0.5 * width).min(self.width + RIGHT - width).max(-LEFT);
            let is_free = |line: &Vec<(f64, f64)>| {
                line.iter().all(|&(start, end)| from > end + 8.0 || from + width < start - 8.0)
            };
            let number = lines.iter().position(is_free).unwrap_or(lines.len());
            if number == lines.len() {
                lines.push(Vec::new());
            }
            lines[number].push((from, from + width));
            let y = -5.0 - LINE * number as f64;
            text.push_str(&label("note", from + 0.5 * width, y, &note.text));
        }
        (text, lines.len())
    }

    fn x_axis(&self) -> String {
        let mut grid = Path::default();
        let mut text = String::new();
        // A number and as much again between it and the next one.
        let ticks = self.x.ticks((self.width / 75.0) as u32);
        for tick in ticks {
            let x = self.x.position(tick.value) * self.width;
            grid.vertical(x, 0.0, self.height);
            text.push_str(&label("tick", x, self.height + 16.0, &tick.text));
        }
        text.push_str(&label("axis", 0.5 * self.width, self.height + 36.0, self.x.label()));
        grid.element("grid") + &text
    }

    fn y_axis(&self) -> String {
        let mut grid = Path::default();
        let mut text = String::new();
        for tick in self.y.ticks((self.height / 40.0).max(2.0) as u32) {
            let y = (1.0 - self.y.position(tick.value)) * self.height;
            grid.horizontal(y, 0.0, self.width);
            text.push_str(&label("tick y", -6.0, y + 4.0, &tick.text));
        }
        let middle = 0.5 * self.height;
        text.push_str(&format!(
            "<text class=\"axis\" transform=\"translate({} {middle}) rotate(-90)\">{}</text>",
            14.0 - LEFT,
            escaped(self.y.label())
        ));
        grid.element("grid") + &text
    }
}

/// A text at a place.
pub fn label(class: &str, x: f64, y: f64, text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>", path::short(x), path::short(y), escaped(text))
}

/// Room above a frame for so many lines of notes.
fn above(lines: usize) -> f64 {
    8.0 + LINE * lines as f64
}

/// A picture around its contents.
pub fn svg((width, height): (f64, f64), title: &str, description: &str, contents: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{}</title><desc>{}</desc>{contents}</svg>",
        escaped(title),
        escaped(description)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot::new(Axis::linear(0.0, 10.0, "x [m]"), Axis::linear(0.0, 1.0, "y"), 400.0, 200.0)
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let mut plot = plot();
        plot.note(3.0, "<script>alert(1)</script>");
        let text = plot.finish("a \" b", "<b>&");
        assert!(!text.contains("<script") && !text.contains("<b>"), "{text}");
        assert!(roxmltree::Document::parse(&text).is_ok(), "{text}");
    }

    #[test]
    fn notes_that_would_overlap_stand_one_above_the_other() {
        let mut apart = plot();
        apart.note(1.0, "first");
        apart.note(9.0, "second");
        assert_eq!(apart.noted().1, 1);
        let mut together = plot();
        together.note(5.0, "the first note");
        together.note(5.5, "the second note");
        assert_eq!(together.noted().1, 2);
        let mut long = plot();
        long.note(5.0, &"x".repeat(500));
        assert!(long.notes[0].text.chars().count() == MAX_LABEL + 1);
    }

    #[test]
    fn what_is_beyond_the_axes_is_drawn_on_the_edge() {
        let mut plot = plot();
        plot.line("line", &[(-5.0, -1.0), (15.0, 2.0)]);
        assert!(plot.body.contains("M0 200L400 0"), "{}", plot.body);
    }

    #[test]
    fn steps_keep_their_height_until_the_next_point() {
        let mut plot = plot();
        plot.steps("line", &[(0.0, 1.0), (5.0, 0.5), (10.0, 0.0)]);
        assert!(plot.body.contains("M0 0H200V100H400V200"), "{}", plot.body);
        plot.step_band("band", &[(0.0, 0.5, 1.0), (5.0, 0.0, 0.5), (10.0, 0.0, 0.5)]);
        assert!(plot.body.contains("M0 0H200V100H400V100L400 200V200H200V100H0Z"), "{}", plot.body);
    }
}
