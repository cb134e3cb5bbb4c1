//! Conversion of an OpenSCAD flat export (`openscad -o model.csg model.scad`) to a scene.
//!
//! ```text
//! model.csg --syntax--> statements --solids--> pieces (maps at the leaves) --text--> text of a scene file
//! ```
//!
//! # Conventions
//! OpenSCAD's coordinates are ours: right-handed, z up. Its lengths have no unit; the request specifies one. Maps of
//! `multmatrix` apply to column vectors, the outermost last, and the outermost `color` wins, as for our materials.

mod arguments;
mod convex;
mod extrusion;
mod flat;
mod hull;
mod map;
mod nodes;
mod primitives;
mod prism;
mod region;
mod solids;
mod syntax;
mod text;

use std::path::Path;

use super::ImportError;
use crate::document::Document;
use crate::scene::{Color, Scene, read_limited};

/// What an OpenSCAD file does not define.
#[derive(Clone, Debug, PartialEq)]
pub struct CsgRequest {
    /// Length of one unit of the file, in words such as `1 mm`.
    pub unit: String,
    /// Length of one unit of the file \[m\].
    pub meters: f64,
    /// Static friction coefficient of all its materials \[1\].
    pub static_friction: f64,
    /// Dynamic friction coefficient of all its materials \[1\].
    pub dynamic_friction: f64,
}

/// Why a text is not a scene, and the line, counted from 1, where that becomes apparent.
#[derive(Clone, Debug, PartialEq)]
struct CsgError {
    line: usize,
    message: String,
}

impl CsgError {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A part of a model. Maps are pushed into the leaves, and what is empty is left out, so that few groups remain.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// The empty set.
    Nothing,
    /// A node of a scene file without children, as text.
    Leaf(String),
    /// Two pieces at least.
    Group {
        kind: GroupKind,
        /// Where it starts in the file.
        line: usize,
        children: Vec<Piece>,
    },
    /// All its surfaces have a colour, unless overridden by an outer piece.
    Colored(Color, Box<Piece>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupKind {
    Union,
    Intersection,
    Difference,
}

/// Reads an OpenSCAD file and returns the text of a scene file; the warnings list deviations from OpenSCAD.
///
/// # Errors
/// If the file cannot be read, is not a flat export, has nodes that no solid of ours can represent, or is empty.
pub fn csg_scene(path: &Path, request: &CsgRequest) -> Result<(String, Vec<String>), ImportError> {
    let bytes = read_limited(path).map_err(|source| ImportError::UnreadableFile { path: path.to_owned(), source })?;
    let refused = |CsgError { line, message }| ImportError::Csg { path: path.to_owned(), line, message };
    let code = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        refused(CsgError::new(line, "this line is not UTF-8 text"))
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (text, warnings) = convert(&name, &code, request).map_err(refused)?;
    // What the scene file refuses, such as a tree that is too deep, is better said now than when it is used.
    Document::parse("scene.toml", &text)
        .and_then(|document| Scene::from_document(&document))
        .map_err(|error| refused(CsgError::new(1, format!("the scene made of it is refused: {error}"))))?;
    Ok((text, warnings))
}

fn convert(name: &str, code: &str, request: &CsgRequest) -> Result<(String, Vec<String>), CsgError> {
    let statements = syntax::parse(code)?;
    let (piece, warnings) = solids::piece(&statements, request.meters)?;
    if piece == Piece::Nothing {
        return Err(CsgError::new(1, "holds no solid"));
    }
    Ok((text::scene(name, &piece, &warnings, request), warnings))
}

#[cfg(test)]
mod tests;
