//! Pictures as PNG files.

use png::{BitDepth, ColorType, Encoder, EncodingError, SrgbRenderingIntent};

use super::{Mode, Picture, PictureError, Request, Size};

/// Pixels, row by row, as a PNG file with texts by their keywords.
pub fn encode(size: Size, bytes: &[u8], texts: &[(&str, String)]) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, size.width, size.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    for (keyword, text) in texts {
        encoder.add_itxt_chunk((*keyword).to_owned(), text.clone())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}

impl Picture {
    /// The picture as a PNG file, with text chunks that describe it: the scene, the view, and what made it.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        self.encode().map_err(|error| PictureError::Encoding { cause: error.to_string() })
    }

    fn encode(&self) -> Result<Vec<u8>, EncodingError> {
        let Request { title, size, .. } = &self.request;
        let software = format!("touchdown {}", self.engine.version);
        let texts = [("Title", title.clone()), ("Description", self.description()), ("Software", software)];
        encode(*size, &self.bytes, &texts)
    }

    fn description(&self) -> String {
        let Request { view, mode, samples, .. } = &self.request;
        let shown = match mode {
            Mode::Shaded => "shaded",
            Mode::Normals => "normals",
            Mode::Depth => "depth",
            Mode::Materials => "materials",
        };
        format!(
            "{shown}, from {} m at {} m, upwards {}, field of view {:.4} deg, {samples} x {samples} samples, engine {}",
            view.from,
            view.at,
            view.up,
            view.field_of_view.to_degrees(),
            self.engine.engine
        )
    }
}
