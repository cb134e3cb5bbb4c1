//! Pictures of scenes: one ray per pixel through any engine.
//!
//! ```text
//! Scene, View --> Camera --> rays --> Engine --> entry points --> colours --> Picture (with legend) --> PNG
//! ```
//!
//! A picture is made in bands of rows, so that memory stays bounded, and each pixel is computed independently, so that
//! its bytes do not depend on the number of threads.
//!
//! # Conventions
//! World coordinates in metres, z up. Pixels are counted from the upper left corner, rows downwards.

mod camera;
mod canvas;
mod color;
mod depth_scale;
mod drawing;
mod flight;
mod framing;
mod legend;
mod light;
mod png;
mod render;
mod track;
mod vehicles;
mod ways;

use std::time::Duration;

use glam::DVec3;
use thiserror::Error;

pub use camera::upright;
pub use canvas::{Area, Canvas};
pub use drawing::Drawing;
pub use flight::{Flight, Moment, flight};
pub use framing::framing_view;
pub use render::render;
pub use track::track;
pub use vehicles::{ShownVehicle, meeting_vehicles};
pub use ways::{bodies_along_ways, bodies_at};

pub use self::png::encode;

use self::camera::Camera;
use crate::engine::{EngineError, EngineIdentity};
use crate::scene::{Color, MaterialId, View};

/// What the colours of a picture show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What the eye would see: colours of materials under sun and sky, with shadows and haze.
    Shaded,
    /// Surface normals.
    Normals,
    /// Distance from the eye.
    Depth,
    /// Materials alone, each in its own colour, unaffected by light.
    Materials,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Size {
    /// Maximum number of pixels along a side.
    pub const MAX: u32 = 16_384;

    /// Pixels.
    #[must_use]
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// A picture request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Title of the legend.
    pub title: String,
    /// The view.
    pub view: View,
    /// Size of the picture.
    pub size: Size,
    /// What it shows.
    pub mode: Mode,
    /// Each pixel is the mean of `samples` times `samples` rays; 1 to [`Request::MAX_SAMPLES`].
    pub samples: u32,
}

impl Request {
    /// Maximum number of samples along a side of a pixel.
    pub const MAX_SAMPLES: u32 = 8;
}

/// A finished picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    request: Request,
    engine: EngineIdentity,
    /// Red, green and blue of each pixel, row by row.
    bytes: Vec<u8>,
    /// Number of rays traced, including those towards the sun.
    pub rays: u64,
    /// Time taken by the engine.
    pub tracing: Duration,
}

impl Picture {
    /// The colour of a pixel; `None` outside the picture.
    #[must_use]
    pub fn pixel(&self, column: u32, row: u32) -> Option<Color> {
        let Size { width, height } = self.request.size;
        let inside = column < width && row < height;
        let first = 3 * (row as usize * width as usize + column as usize);
        let bytes = self.bytes.get(first..first + 3).filter(|_| inside)?;
        Some(Color([bytes[0], bytes[1], bytes[2]]))
    }
}

/// The colour of a material in pictures of [`Mode::Materials`]: by its number, and colour-blind-safe while they are
/// few.
#[must_use]
pub fn palette_color(material: Option<MaterialId>) -> Color {
    color::of_number(material)
}

/// Why a picture could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// A side with no pixels, or too many.
    #[error("a picture of {width} x {height} pixels: each side must have 1 to {} pixels", Size::MAX)]
    Size {
        /// Requested width.
        width: u32,
        /// Requested height.
        height: u32,
    },
    /// Too few or too many samples.
    #[error("{samples} samples: must be from 1 to {}", Request::MAX_SAMPLES)]
    Samples {
        /// Samples requested.
        samples: u32,
    },
    /// The eye is at the point looked at.
    #[error("the view is from {from} m at {at} m: they must be different points")]
    NoDirection {
        /// The eye.
        from: DVec3,
        /// The point looked at.
        at: DVec3,
    },
    /// The eye, or the point looked at, is out of range.
    #[error(
        "the view is from {from} m at {at} m: coordinates must be numbers up to {:e} in magnitude",
        Camera::MAX_SHIFT
    )]
    TooFar {
        /// The eye \[m\].
        from: DVec3,
        /// The point looked at \[m\].
        at: DVec3,
    },
    /// `up` is zero or parallel to the view.
    #[error("upwards is {up}: must not be zero, nor along the view, which goes {forward}")]
    NoUp {
        /// The upward direction given.
        up: DVec3,
        /// The direction of the view.
        forward: DVec3,
    },
    /// The field of view is too small or too large.
    #[error("a field of view of {} deg: must be from 1 to 150 deg", radians.to_degrees())]
    FieldOfView {
        /// The angle given \[rad\].
        radians: f64,
    },
    /// The eye is inside a solid.
    #[error("the eye at {from} m is inside of the scene's solids: choose a point in the open")]
    Inside {
        /// The eye \[m\].
        from: DVec3,
    },
    /// The engine returned no answer to a ray.
    #[error(
        "the ray of column {column}, row {row} is too long for engine {engine}, or meets too much{}",
        advice(engine)
    )]
    Unanswered {
        /// Column of the pixel.
        column: u64,
        /// Row of the pixel.
        row: u64,
        /// The engine's name.
        engine: String,
    },
    /// The engine failed.
    #[error("{source}")]
    Engine {
        /// The cause.
        source: EngineError,
    },
    /// The picture could not be encoded.
    #[error("the picture cannot be encoded as PNG: {cause}")]
    Encoding {
        /// Message of the encoder.
        cause: String,
    },
}

/// Engine to use if this one fails.
fn advice(engine: &str) -> &'static str {
    if engine == "reference" { "" } else { "; use engine reference" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_engine_is_told_to_be_itself() {
        let text = |engine: &str| PictureError::Unanswered { column: 7, row: 3, engine: engine.to_owned() }.to_string();
        assert!(text("gpu").ends_with("for engine gpu, or meets too much; use engine reference"), "{}", text("gpu"));
        assert!(text("reference").ends_with("for engine reference, or meets too much"), "{}", text("reference"));
    }
}
