//! Files of names and numbers, with comments after `%`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::scene::read_limited;

/// What is wrong with a file.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}:{line}: {field}: {what}", file.display())]
pub struct DatError {
    /// The file.
    pub file: PathBuf,
    /// Counted from 1; 0 of the file as a whole.
    pub line: usize,
    /// The field.
    pub field: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

/// A word, and the number after it where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The word.
    pub name: String,
    /// The number as it is written.
    pub value: Option<String>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatLine {
    /// In their order.
    pub entries: Vec<Entry>,
    /// What stands after the `%`.
    pub comment: Option<String>,
}

impl DatLine {
    /// The unit that the comment has in brackets.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        let (_, rest) = self.comment.as_deref()?.rsplit_once('[')?;
        rest.split_once(']').map(|(unit, _)| unit.trim())
    }
}

/// A file, line by line.
#[derive(Clone, Debug, PartialEq)]
pub struct DatFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<DatLine>,
}

impl DatFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is larger than the limit of documents, is not UTF-8, or a number has no name.
    pub fn read(path: &Path) -> Result<Self, DatError> {
        let unreadable = |what: String| DatError { file: path.to_owned(), line: 0, field: "file".to_owned(), what };
        let bytes = read_limited(path).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(format!("is not UTF-8 after {} bytes", error.utf8_error().valid_up_to())))?;
        Self::parse(path, &text)
    }

    /// Of a text.
    ///
    /// # Errors
    /// When a number has no name.
    pub fn parse(path: &Path, text: &str) -> Result<Self, DatError> {
        let mut file = Self { path: path.to_owned(), lines: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let (words, comment) = match line.split_once('%') {
                Some((words, comment)) => (words, Some(comment.trim_end().to_owned())),
                None => (line, None),
            };
            let mut entries: Vec<Entry> = Vec::new();
            for word in words.split_whitespace() {
                let is_name = word.starts_with(|letter: char| letter.is_ascii_alphabetic());
                match entries.last_mut() {
                    Some(entry) if !is_name && entry.value.is_none() => entry.value = Some(word.to_owned()),
                    _ if is_name => entries.push(Entry { name: word.to_owned(), value: None }),
                    _ => return Err(file.error(index + 1, word, "stands without a name before it")),
                }
            }
            file.lines.push(DatLine { entries, comment });
        }
        Ok(file)
    }

    /// The file as a text that reads back the same.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for DatLine { entries, comment } in &self.lines {
            let words = entries.iter().flat_map(|entry| std::iter::once(&entry.name).chain(&entry.value));
            let words: Vec<&str> = words.map(String::as_str).collect();
            // Writing to a string does not fail.
            let _ = match (words.join(" "), comment) {
                (words, None) => writeln!(text, "{words}"),
                (words, Some(comment)) if words.is_empty() => writeln!(text, "%{comment}"),
                (words, Some(comment)) => writeln!(text, "{words} %{comment}"),
            };
        }
        text
    }

    /// An error of a line, counted from 1.
    #[must_use]
    pub fn error(&self, line: usize, field: &str, what: impl Into<String>) -> DatError {
        DatError { file: self.path.clone(), line, field: field.to_owned(), what: what.into() }
    }

    /// All entries with their lines, counted from 1.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.lines.iter().enumerate().flat_map(|(index, line)| line.entries.iter().map(move |entry| (index + 1, entry)))
    }
}

/// The fields of one block of a file, each of which is asked for by name.
pub(super) struct Block<'a> {
    pub file: &'a DatFile,
    /// Where it begins.
    pub line: usize,
    /// After the word that begins it.
    pub number: usize,
    pub entries: Vec<(usize, &'a Entry)>,
}

/// The blocks of a file, each begun by a word with a number; before them a counter says how many there are, at least 1.
pub(super) fn counted_blocks<'a>(file: &'a DatFile, counter: &str, word: &str) -> Result<Vec<Block<'a>>, DatError> {
    let mut count = None;
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for (line, entry) in file.entries() {
        match (entry.name.as_str(), blocks.last_mut()) {
            (name, _) if name == word => {
                let number = entry.count(file, line)?;
                blocks.push(Block { file, line, number, entries: Vec::new() });
            }
            (_, Some(block)) => block.entries.push((line, entry)),
            (name, None) if name == counter => {
                if let Some((first, _)) = count.replace((line, entry.count(file, line)?)) {
                    return Err(file.error(line, name, format!("stands in line {first} already")));
                }
            }
            (name, None) => return Err(file.error(line, name, format!("must stand after {word}"))),
        }
    }
    let Some((line, count)) = count else {
        return Err(file.error(1, counter, "is missing"));
    };
    if count != blocks.len() || count == 0 {
        let what = format!("is {count}, and there are {}; at least 1 is needed", blocks.len());
        return Err(file.error(line, counter, what));
    }
    Ok(blocks)
}

impl Block<'_> {
    /// An error of a field, in the line where it stands.
    pub fn error(&self, name: &str, what: impl Into<String>) -> DatError {
        let line = self.entries.iter().find(|(_, entry)| entry.name == name).map_or(self.line, |(line, _)| *line);
        self.file.error(line, name, what)
    }

    /// The number of a field within limits.
    pub fn number(&self, name: &str, [low, high]: [f64; 2]) -> Result<f64, DatError> {
        let mut found = self.entries.iter().filter(|(_, entry)| entry.name == name);
        let Some((line, entry)) = found.next() else {
            return Err(self.file.error(self.line, name, "is missing from what begins here"));
        };
        if let Some((again, _)) = found.next() {
            return Err(self.file.error(*again, name, format!("stands in line {line} already")));
        }
        let value = entry.number(self.file, *line)?;
        // A comparison that NaN does not pass.
        if !(low <= value && value <= high) {
            return Err(self.file.error(*line, name, format!("{value:e} must be between {low:e} and {high:e}")));
        }
        Ok(value)
    }

    /// Refuses what is not among these names.
    pub fn only(&self, names: &[&str], words: &[&str]) -> Result<(), DatError> {
        for (line, entry) in &self.entries {
            let (is_name, is_word) = (names.contains(&entry.name.as_str()), words.contains(&entry.name.as_str()));
            match &entry.value {
                Some(_) if is_name => {}
                None if is_word => {}
                None if is_name => return Err(self.file.error(*line, &entry.name, "has no number")),
                Some(_) if is_word => return Err(self.file.error(*line, &entry.name, "takes no number")),
                _ => {
                    let known = names.iter().chain(words).copied().collect::<Vec<_>>().join(", ");
                    return Err(self.file.error(*line, &entry.name, format!("is not known here; known: {known}")));
                }
            }
        }
        Ok(())
    }
}

impl Entry {
    /// Its number.
    pub(super) fn number(&self, file: &DatFile, line: usize) -> Result<f64, DatError> {
        let Some(value) = &self.value else { return Err(file.error(line, &self.name, "has no number")) };
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| file.error(line, &self.name, format!("`{value}` is not a finite number")))
    }

    /// Its number as a count.
    pub(super) fn count(&self, file: &DatFile, line: usize) -> Result<usize, DatError> {
        let value = self.value.as_deref().unwrap_or_default();
        value.parse().map_err(|_| file.error(line, &self.name, format!("`{value}` is not a count")))
    }
}
