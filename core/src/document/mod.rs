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
//! # use touchdown_core as touchdown;
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
mod faults;
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

use faults::Faults;
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
        Self::from_bytes(path, &bytes)
    }

    /// Parses the contents of the file at `path`.
    ///
    /// # Errors
    ///
    /// When they are not UTF-8, or do not [parse](Self::parse).
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, DocumentError> {
        match str::from_utf8(bytes) {
            Ok(text) => Self::parse(path, text),
            Err(error) => Err(not_utf8(path, &bytes[..error.valid_up_to()])),
        }
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
        Table::new(&self.source, &self.source.root, None)
    }

    /// What `read` makes of the table of the whole document. Keys that are missing or unknown anywhere in it are noted while
    /// `read` goes on with values that stand in for them, and told together.
    ///
    /// ```
    /// # use touchdown_core as touchdown;
    /// use touchdown::document::{Document, Unit};
    ///
    /// let document = Document::parse("tower.toml", "colour = 'red'")?;
    /// let error = document.read_whole(|root| {
    ///     let radius = root.required("radius")?.positive(Unit::Length)?;
    ///     let height = root.required("height")?.positive(Unit::Length)?;
    ///     root.finish()?;
    ///     Ok::<_, touchdown::document::DocumentError>((radius, height))
    /// });
    /// assert_eq!(
    ///     error.unwrap_err().to_string(),
    ///     "tower.toml:1:1: keys `radius`, `height` are missing; 1:1: unknown key `colour`; known here: radius, height"
    /// );
    /// # Ok::<(), touchdown::document::DocumentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When keys are missing or unknown, and those of `read`. An error of `read` may come of a value that stands in for a missing
    /// one, so it is not told beside missing keys.
    pub fn read_whole<T, E: From<DocumentError>>(&self, read: impl FnOnce(&Table<'_>) -> Result<T, E>) -> Result<T, E> {
        let faults = Faults::default();
        let result = read(&Table::new(&self.source, &self.source.root, Some(&faults)));
        match faults.error(&self.source) {
            Some(error) => Err(error.into()),
            None => result,
        }
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

/// The error of a file that is text only so far.
fn not_utf8(path: &Path, good: &[u8]) -> DocumentError {
    let good = String::from_utf8_lossy(good);
    let good = good.strip_prefix('\u{feff}').unwrap_or(&good).to_owned();
    let end = good.len();
    Text::new(path.to_owned(), good).syntax_error(end, "this byte is not UTF-8 text")
}

fn parse_tree(text: &Text) -> Result<Node, DocumentError> {
    let is_json = text.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { json::parse(text) } else { toml::parse(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOML: &str = "title = \"a \\\"b\\\"\"\nlist = [1, -2.5, true]\n[deep.er]\nseed = 7\n";
    const JSON: &str = r#"{"title": "a \"b\"", "list": [1, -2.5, true], "deep": {"er": {"seed": 7}}}"#;

    fn refusal(name: &str, text: &str) -> String {
        Document::parse(name, text).unwrap_err().to_string()
    }

    #[test]
    fn both_formats_give_the_same_values() {
        for (name, text) in [("a.toml", TOML), ("a.json", JSON), ("A.JSON", JSON)] {
            let document = Document::parse(name, text).unwrap();
            let root = document.root();
            let list = root.required("list").unwrap().array().unwrap();
            let er = root.required_table("deep").and_then(|deep| deep.required_table("er")).unwrap();
            assert_eq!(root.required("title").unwrap().string().unwrap(), "a \"b\"", "{name}");
            assert_eq!(list[0].integer().unwrap(), 1);
            assert_eq!(list[1].number(Unit::One).unwrap(), -2.5);
            assert!(list[2].boolean().unwrap());
            assert_eq!(er.required("seed").unwrap().unsigned().unwrap(), 7);
            assert_eq!(root.keys().collect::<Vec<_>>(), ["title", "list", "deep"]);
            assert_eq!(document.path(), Path::new(name));
            assert_eq!(document.text(), text);
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_counts_for_no_column() {
        for (name, text) in [("a.toml", "\u{feff}x = 1"), ("a.json", "\u{feff}{\"x\": 1}")] {
            let document = Document::parse(name, text).unwrap();
            let x = document.root().required("x").unwrap();
            assert_eq!(x.line_column().0, 1);
            assert_eq!(x.line_column().1, text.find('1').unwrap() + 1 - '\u{feff}'.len_utf8());
        }
    }

    #[test]
    fn syntax_errors_say_where_on_one_line() {
        for (name, text, place) in [
            ("a.toml", "x = 1\nöö = = 2\n", "a.toml:2:6: "),
            ("a.toml", "x = 1\nx = 2\n", "a.toml:2:1: duplicate key `x`"),
            ("a.toml", "[t]\ny = 1\n[t]\n", "a.toml:3:2: duplicate key `t`"),
            ("a.toml", "x = \"open\n", "a.toml:1:"),
            ("a.json", "{\n \"ö\": ,}", "a.json:2:7: "),
            ("a.json", "{\"a\": 1,\n \"a\": 2}", "a.json:2:2: duplicate key `a`"),
            ("a.json", "", "a.json:1:1: the document is empty"),
            ("a.json", " [1]", "a.json:1:2: the document must be an object"),
        ] {
            let message = refusal(name, text);
            assert!(message.starts_with(place), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn what_only_one_format_can_say_is_refused() {
        assert_eq!(refusal("a.toml", "[x]\nday = [2026-01-31]"), "a.toml:2:8: a date is not allowed here");
        assert_eq!(refusal("a.json", r#"{"x": null}"#), "a.json:1:7: null is not allowed: leave the key out");
    }

    #[test]
    fn endless_nesting_is_an_error_in_both_formats() {
        const BRACKETS: usize = 100_000;
        let dotted = "a.".repeat(BRACKETS) + "a";
        for (name, text) in [
            ("a.toml", format!("x = {}", "[".repeat(BRACKETS))),
            ("a.toml", format!("x = {}{}", "[".repeat(BRACKETS), "]".repeat(BRACKETS))),
            ("a.toml", format!("x = {}", "{a = ".repeat(BRACKETS))),
            ("a.toml", format!("{dotted} = 1")),
            ("a.toml", format!("[{dotted}]")),
            ("a.toml", format!("[[{dotted}]]")),
            ("a.toml", "[[a]]\n".to_owned() + &"[[a.a]]\n".replace("a.a", &dotted)),
            ("a.json", "[".repeat(BRACKETS)),
            ("a.json", "{\"a\":".repeat(BRACKETS)),
            ("a.json", format!("{{\"a\":{}{}}}", "[".repeat(BRACKETS), "]".repeat(BRACKETS))),
        ] {
            let message = refusal(name, &text);
            assert!(message.len() < 200, "{message}");
        }
    }

    #[test]
    fn dotted_keys_in_nested_tables_do_not_add_up_to_a_stack_overflow() {
        const PARSER_LIMIT: usize = 79;
        let dotted = "a.".repeat(PARSER_LIMIT - 1) + "a";
        let text = format!(
            "[{dotted}]\n{} 1 {}",
            format!("{dotted} = {{").repeat(PARSER_LIMIT - 1) + &dotted + "=",
            "}".repeat(PARSER_LIMIT - 1)
        );
        assert!(refusal("a.toml", &text).contains("nesting deeper than 128"));
    }

    #[test]
    fn nesting_up_to_the_limit_is_read() {
        let nested = |depth: usize| {
            let inner = depth - 1;
            format!("{{\"a\":{}1{}}}", "[".repeat(inner), "]".repeat(inner))
        };
        assert!(Document::parse("a.json", &nested(MAXIMUM_DEPTH)).is_ok());
        assert!(refusal("a.json", &nested(MAXIMUM_DEPTH + 1)).contains("deeper than 128"));
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing.toml");
        let error = Document::read(&missing).unwrap_err();
        assert!(matches!(error, DocumentError::Unreadable { .. }));
        assert_eq!((error.path(), error.line()), (missing.as_path(), None));
        assert!(error.to_string().starts_with(&missing.display().to_string()));

        let error = Document::read(directory.path()).unwrap_err();
        assert!(matches!(error, DocumentError::Unreadable { .. }));

        let binary = directory.path().join("binary.toml");
        std::fs::write(&binary, b"\xef\xbb\xbfx = 1\ny = \"\xc3\xb6\xff\"").unwrap();
        let error = Document::read(&binary).unwrap_err();
        assert_eq!((error.line(), error.column()), (Some(2), Some(7)), "{error}");

        let large = directory.path().join("large.toml");
        File::create(&large).unwrap().set_len(MAXIMUM_SIZE + 1).unwrap();
        let error = Document::read(&large).unwrap_err();
        assert!(matches!(error, DocumentError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn a_file_is_read_under_its_own_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        std::fs::write(&path, JSON).unwrap();
        let document = Document::read(&path).unwrap();
        assert_eq!((document.path(), document.text()), (path.as_path(), JSON));
    }

    /// A document with one piece of it overwritten: nearly well formed, which arbitrary text never is.
    fn damaged(original: &'static str) -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "[", "]", "{", "}", "\"", "'", "=", ".", ",", "\n", "#", "\\", "1e999", "ö", "\u{0}", "",
        ]);
        (0..original.len(), 0usize..4, piece).prop_map(|(start, length, piece)| {
            let end = (start + length).min(original.len());
            format!("{}{piece}{}", &original[..start], &original[end..])
        })
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in any::<String>(), toml in damaged(TOML), json in damaged(JSON)) {
            for (name, text) in [("a.toml", &text), ("a.json", &text), ("a.toml", &toml), ("a.json", &json)] {
                if let Err(error) = Document::parse(name, text) {
                    prop_assert!(error.line() >= Some(1) && error.column() >= Some(1));
                    prop_assert!(!error.to_string().contains('\n'));
                }
            }
        }

        /// An independent parser of RFC 8259 accepts exactly the same texts, save for nulls and repeated keys.
        #[test]
        fn json_is_accepted_exactly_where_the_standard_allows_it(json in damaged(JSON)) {
            let standard = serde_json::from_str::<serde_json::Map<_, _>>(&json).is_ok();
            // "1e999" is a well-formed number that serde_json cannot hold.
            prop_assume!(!json.contains("1e999"));
            prop_assert_eq!(Document::parse("a.json", &json).is_ok(), standard);
        }
    }
}
