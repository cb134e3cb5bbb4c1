//! Lines and areas in the plane as a picture: SVG, or PNG.
//!
//! # Conventions
//! x to the right, y upwards, in metres. What is added later lies above.

use std::fmt::Write as _;

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Polyline, PrimitiveStyle};
use glam::DVec2;

use super::canvas::Canvas;
use super::png::encode;
use super::{PictureError, Size};
use crate::scene::Color;

/// Strokes in a part of the plane.
#[derive(Clone, Debug)]
pub struct Drawing {
    title: String,
    low: DVec2,
    high: DVec2,
    strokes: Vec<Stroke>,
    texts: Vec<(DVec2, String, Color)>,
}

#[derive(Clone, Debug)]
struct Stroke {
    points: Vec<DVec2>,
    color: Color,
    /// In pixels.
    width: u32,
}

impl Drawing {
    /// Of a part of the plane, from its lower left corner to its upper right one. One without a width is drawn at a metre
    /// per pixel.
    #[must_use]
    pub fn new(title: &str, low: DVec2, high: DVec2) -> Self {
        Self { title: title.to_owned(), low, high, strokes: Vec::new(), texts: Vec::new() }
    }

    /// Adds a line through points, so many pixels wide.
    pub fn line(&mut self, points: Vec<DVec2>, color: Color, width: u32) {
        self.strokes.push(Stroke { points, color, width });
    }

    /// Adds a line that ends where it began.
    pub fn outline(&mut self, mut points: Vec<DVec2>, color: Color, width: u32) {
        points.extend(points.first().copied());
        self.line(points, color, width);
    }

    /// Adds a line with a head at its end.
    pub fn arrow(&mut self, from: DVec2, to: DVec2, color: Color, width: u32) {
        let back = 0.2 * (from - to);
        let side = 0.5 * back.perp();
        self.line(vec![from, to], color, width);
        self.line(vec![to + back + side, to, to + back - side], color, width);
    }

    /// Adds a cross at a place, of this size \[m\].
    pub fn cross(&mut self, at: DVec2, size: f64, color: Color, width: u32) {
        for arm in [DVec2::new(0.5, 0.5), DVec2::new(0.5, -0.5)] {
            self.line(vec![at - size * arm, at + size * arm], color, width);
        }
    }

    /// Adds a line of text whose upper left corner is at a place.
    pub fn text(&mut self, at: DVec2, text: &str, color: Color) {
        self.texts.push((at, text.to_owned(), color));
    }

    /// As SVG of this width.
    #[must_use]
    pub fn svg(&self, width: u32) -> String {
        let scale = self.scale(width);
        let height = (scale * (self.high.y - self.low.y)).max(1.0);
        let title = escaped(&self.title);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" font-family=\"sans-serif\" \
             font-size=\"16\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for Stroke { points, color, width } in &self.strokes {
            let place = |point: &DVec2| {
                let DVec2 { x, y } = self.place(*point, scale);
                format!("{x:.2},{y:.2}")
            };
            let points = points.iter().map(place).collect::<Vec<_>>().join(" ");
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"/>",
                hexadecimal(*color)
            );
        }
        for (at, words, color) in &self.texts {
            let DVec2 { x, y } = self.place(*at, scale);
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
                y + 14.0,
                hexadecimal(*color),
                escaped(words)
            );
        }
        text + "</svg>\n"
    }

    /// As PNG of this width.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn png(&self, width: u32) -> Result<Vec<u8>, PictureError> {
        let scale = self.scale(width);
        let height = (scale * (self.high.y - self.low.y)).round().clamp(1.0, f64::from(Size::MAX)) as u32;
        let size = Size { width, height };
        let mut canvas = Canvas::new(size, Color([255; 3]));
        let pixel = |point: DVec2| {
            let DVec2 { x, y } = self.place(point, scale);
            // Far outside is outside: pixels are counted in 32 bits.
            Point::new(x.round().clamp(-1e5, 1e5) as i32, y.round().clamp(-1e5, 1e5) as i32)
        };
        for Stroke { points, color: Color([red, green, blue]), width } in &self.strokes {
            let points: Vec<Point> = points.iter().map(|&point| pixel(point)).collect();
            let style = PrimitiveStyle::with_stroke(Rgb888::new(*red, *green, *blue), *width);
            let Ok(()) = Polyline::new(&points).into_styled(style).draw(&mut canvas);
        }
        for (at, words, color) in &self.texts {
            let Point { x, y } = pixel(*at);
            canvas.write(x.max(0) as u32, y.max(0) as u32, words, *color);
        }
        encode(size, &canvas.bytes, &[("Title", self.title.clone())])
            .map_err(|error| PictureError::Encoding { cause: error.to_string() })
    }

    /// Pixels per metre.
    fn scale(&self, width: u32) -> f64 {
        let extent = self.high.x - self.low.x;
        if extent > 0.0 { f64::from(width) / extent } else { 1.0 }
    }

    fn place(&self, point: DVec2, scale: f64) -> DVec2 {
        DVec2::new(point.x - self.low.x, self.high.y - point.y) * scale
    }
}

fn hexadecimal(Color([red, green, blue]): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lie_where_they_should_in_both_formats() {
        let mut drawing = Drawing::new("a & b", DVec2::ZERO, DVec2::new(10.0, 5.0));
        drawing.line(vec![DVec2::new(0.0, 4.0), DVec2::new(10.0, 4.0)], Color([200, 0, 0]), 3);
        drawing.line(vec![DVec2::new(-1e9, 1.0), DVec2::new(1e9, 1.0)], Color([0, 0, 200]), 1);
        let svg = drawing.svg(200);
        assert!(svg.contains("<title>a &amp; b</title>") && svg.contains("viewBox=\"0 0 200 100\""), "{svg}");
        assert!(svg.contains("points=\"0.00,20.00 200.00,20.00\"") && svg.contains("#c80000"), "{svg}");
        let mut reader = png::Decoder::new(std::io::Cursor::new(drawing.png(200).unwrap())).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let pixel = |x: usize, y: usize| &bytes[3 * (y * 200 + x)..][..3];
        assert_eq!((reader.info().width, reader.info().height), (200, 100));
        assert_eq!(pixel(100, 20), [200, 0, 0]);
        assert_eq!(pixel(100, 80), [0, 0, 200]);
        assert_eq!(pixel(100, 50), [255; 3]);
    }

    #[test]
    fn an_area_without_an_extent_is_a_pixel_high() {
        let mut drawing = Drawing::new("nothing", DVec2::ONE, DVec2::ONE);
        drawing.cross(DVec2::ONE, 4.0, Color([0; 3]), 1);
        let svg = drawing.svg(200);
        assert!(svg.contains("viewBox=\"0 0 200 1\"") && !svg.contains("NaN"), "{svg}");
        assert!(drawing.png(200).is_ok());
    }
}
