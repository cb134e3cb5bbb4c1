//! Drawing into a finished picture: panels, bars and text.

use std::convert::Infallible;

use embedded_graphics::mono_font::iso_8859_1::{FONT_6X10, FONT_8X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::text::{Baseline, Text};

use super::Size;
use crate::scene::Color;

/// A picture's pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    pub(super) size: Size,
    /// Red, green and blue, row by row.
    pub bytes: Vec<u8>,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// From the left edge.
    pub left: u32,
    /// From the upper edge.
    pub top: u32,
    /// To the right.
    pub width: u32,
    /// Downwards.
    pub height: u32,
}

impl Canvas {
    /// An empty sheet.
    pub fn new(size: Size, paper: Color) -> Self {
        Self { size, bytes: paper.0.repeat(size.width as usize * size.height as usize) }
    }

    /// Width and height of a character.
    pub fn character(&self) -> (u32, u32) {
        let size = self.font().character_size;
        (size.width, size.height)
    }

    /// The font that can be read at the picture's size.
    pub(super) fn font(&self) -> &'static MonoFont<'static> {
        match self.size.height {
            ..480 => &FONT_6X10,
            480..900 => &FONT_8X13,
            _ => &FONT_10X20,
        }
    }

    /// Mixes an area with a colour; an opacity of 1 replaces what is there.
    pub fn fill(&mut self, area: Area, color: Color, opacity: f32) {
        let right = self.size.width.min(area.left + area.width);
        let bottom = self.size.height.min(area.top + area.height);
        for row in area.top..bottom {
            for column in area.left..right {
                let first = 3 * (row as usize * self.size.width as usize + column as usize);
                for (byte, target) in self.bytes[first..first + 3].iter_mut().zip(color.0) {
                    let (from, to) = (f32::from(*byte), f32::from(target));
                    *byte = (from + opacity * (to - from)).round() as u8;
                }
            }
        }
    }

    /// Writes one line whose upper left corner is given.
    pub fn write(&mut self, left: u32, top: u32, text: &str, color: Color) {
        let [red, green, blue] = color.0;
        let style = MonoTextStyle::new(self.font(), Rgb888::new(red, green, blue));
        let Ok(_) = Text::with_baseline(text, Point::new(left as i32, top as i32), style, Baseline::Top).draw(self);
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> embedded_graphics::geometry::Size {
        embedded_graphics::geometry::Size::new(self.size.width, self.size.height)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Rgb888>>,
    {
        for Pixel(Point { x, y }, color) in pixels {
            if let (Ok(column), Ok(row)) = (u32::try_from(x), u32::try_from(y)) {
                let area = Area { left: column, top: row, width: 1, height: 1 };
                self.fill(area, Color([color.r(), color.g(), color.b()]), 1.0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_beyond_the_edge_is_cut_off() {
        let size = Size { width: 20, height: 12 };
        let mut canvas = Canvas { size, bytes: vec![100; 3 * 20 * 12] };
        canvas.fill(Area { left: 18, top: 10, width: 99, height: 99 }, Color([200, 100, 0]), 0.5);
        assert_eq!(canvas.bytes[3 * (11 * 20 + 18)..][..3], [150, 100, 50]);
        assert_eq!(canvas.bytes[3 * (11 * 20 + 17)..][..3], [100, 100, 100]);
        canvas.write(10, 5, "MMMM", Color([255; 3]));
        assert!(canvas.bytes.contains(&255));
        assert!(canvas.bytes[..3 * 5 * 20].iter().all(|&byte| byte == 100), "nothing above the line");
    }
}
