//! Configuration documents (TOML or JSON) that remember where every value stands.
//!
//! A [`Document`] is the tree of one file. It is read through [`Table`] and [`Field`], whose errors name the file, line,
//! column and field path, the value found and what is allowed:
//!
//! ```text
//! examples/scene.toml:12:9: shapes.tower.radius: -3 is not allowed: must be above 0 m
//! ```
//!
//! The format is chosen by the ending of the file's name: `.json` is JSON (RFC 8259, nothing more), everything else is
//! TOML. Both give the same tree, so a reader never knows which one it reads. What only one of them can say, a date in
//! TOML and `null` in JSON, is refused. Tables and arrays nest at most [`MAXIMUM_DEPTH`] deep.
//!
//! ```
//! use touchdown::document::{Document, Unit};
//!
//! let document = Document::parse("tower.toml", "radius = '12 ft'\nheight = 30")?;
//! let table = document.root();
//! let radius = table.required("radius")?.positive(Unit::Length)?;
//! let height = table.required("height")?.positive(Unit::Length)?;
//! table.finish()?;
//! assert_eq!((radius, height), (3.6576, 30.0));
//! # Ok::<(), touchdown::document::DocumentError>(())
//! ```

mod error;
mod field;
mod json;
mod spelling;
mod table;
mod toml;
mod tree;
mod unit;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::DocumentError;
pub use field::Field;
pub use spelling::nearest;
pub use table::Table;
pub use unit::Unit;

use tree::{Node, Source, Text};

/// The deepest nesting of tables and arrays that a document may have.
///
/// The TOML parser itself already stops at 80 brackets inside each other and at 80 parts in one dotted key.
pub const MAXIMUM_DEPTH: usize = 128;

/// The largest file that [`Document::read`] accepts, in bytes (64 MiB).
pub const MAXIMUM_SIZE: u64 = 64 << 20;

/// One configuration file: its name, its text and the tree of its values. Clones share the tree.
#[derive(Debug, Clone)]
pub struct Document {
    source: Arc<Source>,
}

impl Document {
    /// Reads and parses the file at `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is larger than [`MAXIMUM_SIZE`], is not UTF-8, or does not [parse](Self::parse).
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        let unreadable = |source| DocumentError::Unreadable { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(MAXIMUM_SIZE + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
        if bytes.len() as u64 > MAXIMUM_SIZE {
            return Err(DocumentError::TooLarge { path: path.to_owned() });
        }
        let text = String::from_utf8(bytes).map_err(|error| DocumentError::NotUtf8 {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Self::parse(path, &text)
    }

    /// Parses `text`, whose format and place in messages come from `name`. A byte order mark at its start is skipped.
    ///
    /// # Errors
    ///
    /// When the text is not well formed, a key stands twice in one table, a value is a date or `null`, or the nesting is
    /// deeper than [`MAXIMUM_DEPTH`].
    pub fn parse(name: impl Into<PathBuf>, text: &str) -> Result<Self, DocumentError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = Text::new(name.into(), text.to_owned());
        let root = parse_tree(&text)?;
        Ok(Self { source: Arc::new(Source { text, root }) })
    }

    /// The table of the whole document.
    #[must_use]
    pub fn root(&self) -> Table<'_> {
        Table::new(&self.source, &self.source.root)
    }

    /// The name the document was read or parsed under.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.source.text.path()
    }

    /// The text of the document, without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text.as_str()
    }
}

fn parse_tree(text: &Text) -> Result<Node, DocumentError> {
    let is_json = text.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { json::parse(text) } else { toml::parse(text) }
}
