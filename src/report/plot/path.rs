//! Paths: the shapes of a plot, in as few bytes as they take.

use std::fmt::Write;

/// A path of lines.
#[derive(Clone, Debug, Default)]
pub struct Path {
    data: String,
}

/// A length with one digit after the point, without one that is zero.
pub fn short(length: f64) -> String {
    // 0.0 takes the sign off -0.
    let tenths = (10.0 * length).round() + 0.0;
    format!("{}", tenths / 10.0)
}

impl Path {
    fn push(&mut self, command: char, coordinates: &[f64]) {
        self.data.push(command);
        for (index, &coordinate) in coordinates.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            // Writing to a text cannot fail.
            let _ = write!(self.data, "{gap}{}", short(coordinate));
        }
    }

    /// A line through points.
    pub fn through(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        for (index, (x, y)) in points.enumerate() {
            self.push(if index == 0 { 'M' } else { 'L' }, &[x, y]);
        }
    }

    /// A line through points that goes to the next one's place first, and then to its height.
    pub fn steps(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        for (index, (x, y)) in points.enumerate() {
            if index == 0 {
                self.push('M', &[x, y]);
            } else {
                self.push('H', &[x]);
                self.push('V', &[y]);
            }
        }
    }

    /// The way back along such points, given in reverse: to the next one's height first, and then to its place.
    pub fn steps_back(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        for (index, (x, y)) in points.enumerate() {
            if index > 0 {
                self.push('V', &[y]);
                self.push('H', &[x]);
            } else {
                self.push('L', &[x, y]);
            }
        }
    }

    /// Back to the start.
    pub fn close(&mut self) {
        self.data.push('Z');
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.push('M', &[x, y]);
        self.push('h', &[width]);
        self.push('v', &[height]);
        self.push('h', &[-width]);
        self.close();
    }

    /// A diamond about a point.
    pub fn diamond(&mut self, (x, y): (f64, f64), radius: f64) {
        self.push('M', &[x - radius, y]);
        self.push('l', &[radius, -radius]);
        self.push('l', &[radius, radius]);
        self.push('l', &[-radius, radius]);
        self.close();
    }

    /// An upright line.
    pub fn vertical(&mut self, x: f64, from: f64, to: f64) {
        self.push('M', &[x, from]);
        self.push('V', &[to]);
    }

    /// A level line.
    pub fn horizontal(&mut self, y: f64, from: f64, to: f64) {
        self.push('M', &[from, y]);
        self.push('H', &[to]);
    }

    /// The edge of a frame.
    pub fn frame(width: f64, height: f64) -> Self {
        let mut path = Self::default();
        path.rectangle(0.0, 0.0, width, height);
        path
    }

    /// As an element of a class; nothing for a path of nothing.
    pub fn element(&self, class: &str) -> String {
        if self.data.is_empty() { String::new() } else { format!("<path class=\"{class}\" d=\"{}\"/>", self.data) }
    }
}

/// A text without characters that mean something in SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short() {
        assert_eq!([1.0, 0.04, -0.04, 12.349, -7.25].map(short), ["1", "0", "0", "12.3", "-7.3"]);
    }

    #[test]
    fn an_empty_path_is_no_element() {
        assert_eq!(Path::default().element("x"), "");
    }
}
