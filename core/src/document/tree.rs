//! The tree of a document's values, each with its place in the text.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::DocumentError;

/// How many characters of a found value or key a message shows.
const SHOWN_CHARACTERS: usize = 60;

/// A text and its name, able to say on which line and column a byte stands.
#[derive(Debug)]
pub(super) struct Text {
    path: PathBuf,
    text: String,
    /// The byte offset at which each line starts.
    line_starts: Vec<usize>,
}

impl Text {
    pub(super) fn new(path: PathBuf, text: String) -> Self {
        let after_newlines = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let line_starts = std::iter::once(0).chain(after_newlines).collect();
        Self { path, text, line_starts }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte offset of the start of a line, counted from 1.
    pub(super) fn line_start(&self, line: usize) -> usize {
        let index = line.saturating_sub(1);
        self.line_starts.get(index).copied().unwrap_or(self.text.len())
    }

    /// Line and column, both counted from 1, columns in characters.
    pub(super) fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_start(line);
        let characters = self.text[start..].char_indices();
        let before = characters.take_while(|&(index, _)| start + index < offset);
        (line, before.count() + 1)
    }

    pub(super) fn syntax_error(&self, offset: usize, message: impl Into<String>) -> DocumentError {
        let (line, column) = self.line_column(offset);
        DocumentError::Syntax { path: self.path.clone(), line, column, message: message.into() }
    }
}

/// A parsed document: its text and the tree over it.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: Text,
    pub(super) root: Node,
}

impl Source {
    pub(super) fn error(&self, offset: usize, field: String, message: impl Into<String>) -> DocumentError {
        let (line, column) = self.text.line_column(offset);
        DocumentError::Refused { path: self.text.path.clone(), line, column, field, message: message.into() }
    }

    /// The path of `node`, such as `shapes.tower.pieces[2]`; empty for the root.
    ///
    /// Found by a search from the root, so that reading without an error costs nothing for it.
    pub(super) fn path_of(&self, node: *const Node) -> String {
        let mut path = String::new();
        path_below(&self.root, node, &mut path);
        path
    }

    /// What a message shows of a value: its own text on one line, cut where it is long.
    pub(super) fn found(&self, node: &Node) -> String {
        match &node.value {
            Value::Table(_) => "a table".to_owned(),
            // An array written as [[headers]] has no text of its own.
            Value::Array(items) if items.iter().any(Node::is_table) => "an array of tables".to_owned(),
            Value::Missing => "nothing".to_owned(),
            Value::Array(_) | Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {
                let text = self.text.as_str().get(node.span.clone());
                one_short_line(text.unwrap_or_default())
            }
        }
    }
}

/// A value and the bytes of the text it was written in.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

impl Node {
    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, Value::Table(_))
    }

    /// What stands for a value that is missing, so that reading goes on to the next one.
    pub(super) fn stand_in() -> &'static Self {
        static STAND_IN: Node = Node { span: 0..0, value: Value::Missing };
        &STAND_IN
    }
}

/// What both formats can say.
#[derive(Debug)]
pub(super) enum Value {
    String(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Array(Vec<Node>),
    Table(Vec<Entry>),
    /// Neither says this: it stands in for what is missing.
    Missing,
}

/// A key of a table with its value. Tables hold their entries sorted by key.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The byte offset of the key.
    pub(super) offset: usize,
    pub(super) node: Node,
}

/// Sorts the entries of a table by key, as [`find`] expects them.
///
/// # Errors
///
/// The entry that repeats a key.
pub(super) fn sorted_entries(mut entries: Vec<Entry>) -> Result<Vec<Entry>, Entry> {
    entries.sort_by(|a, b| a.key.cmp(&b.key).then(a.offset.cmp(&b.offset)));
    match entries.windows(2).position(|pair| pair[0].key == pair[1].key) {
        Some(first) => Err(entries.swap_remove(first + 1)),
        None => Ok(entries),
    }
}

/// The entry of `key` in a table's sorted entries.
pub(super) fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    let index = entries.binary_search_by(|entry| entry.key.as_str().cmp(key));
    index.ok().map(|index| &entries[index])
}

fn path_below(parent: &Node, wanted: *const Node, path: &mut String) -> bool {
    if std::ptr::eq(parent, wanted) {
        return true;
    }
    let length = path.len();
    match &parent.value {
        Value::Table(entries) => entries.iter().any(|entry| {
            path.truncate(length);
            push_key(path, &entry.key);
            path_below(&entry.node, wanted, path)
        }),
        Value::Array(items) => items.iter().enumerate().any(|(index, item)| {
            path.truncate(length);
            path.push_str(&format!("[{index}]"));
            path_below(item, wanted, path)
        }),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Missing => false,
    }
}

/// Appends a key to a path, in quotes where it is not a bare word.
fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let is_bare = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) {
        path.push_str(&one_short_line(key));
    } else {
        path.push_str(&format!("\"{}\"", one_short_line(key)));
    }
}

/// The text on one line, at most [`SHOWN_CHARACTERS`] long.
pub(super) fn one_short_line(text: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    if text.chars().nth(SHOWN_CHARACTERS).is_none() {
        return text.chars().map(printable).collect();
    }
    let start = text.chars().take(SHOWN_CHARACTERS - 1);
    start.map(printable).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_agree_with_counting_characters_one_by_one() {
        for content in ["", "a", "\n", "ab\nö€c\n\n\u{1F6EC}x\r\ny", "\n\n"] {
            let text = Text::new(PathBuf::new(), content.to_owned());
            let mut counted = (1, 1);
            for (offset, character) in content.char_indices() {
                assert_eq!(text.line_column(offset), counted, "{content:?} at {offset}");
                counted = match character {
                    '\n' => (counted.0 + 1, 1),
                    _ => (counted.0, counted.1 + 1),
                };
            }
            assert_eq!(text.line_column(content.len()), counted, "{content:?} at its end");
            assert_eq!(text.line_column(usize::MAX), counted, "{content:?} beyond its end");
        }
    }

    #[test]
    fn long_text_is_cut_to_sixty_characters_on_one_line() {
        assert_eq!(one_short_line("a\n\tb"), "a  b");
        let exactly = "ö".repeat(SHOWN_CHARACTERS);
        assert_eq!(one_short_line(&exactly), exactly);
        let cut = one_short_line(&"ö".repeat(SHOWN_CHARACTERS + 1));
        assert_eq!(cut.chars().count(), SHOWN_CHARACTERS);
        assert!(cut.ends_with("ö…"));
    }
}
