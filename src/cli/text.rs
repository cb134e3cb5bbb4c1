//! Text output.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;

use touchdown::model::Nouns;
pub use touchdown::shown::{Shown, number};

use super::Failure;

/// Longest line printed, and longest name or cell in one \[characters\]: files may contain any text.
const MAX_LINE: usize = 2000;
const MAX_CELL: usize = 120;
/// What a run is divided into.
pub const PART: Nouns = Nouns { one: "part", many: "parts" };

/// Makes text from files safe to print on a terminal: characters that move the cursor, set colours or change the text
/// direction are escaped, and long lines are cut.
pub fn legible(text: &str) -> String {
    text.split_inclusive('\n').map(|line| cut(&escaped(line, &['\n', '\t']), MAX_LINE)).collect()
}

/// A name from a file, for use within a line.
pub fn one_line(text: &str) -> String {
    cut(&escaped(text, &[]), MAX_CELL)
}

/// A path as a word of a command to be typed.
pub fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    shlex::try_quote(&path).map_or_else(|_| path.to_string(), Cow::into_owned)
}

/// A message as one line, whatever line ends there are in the names that it tells.
pub fn in_one_line(text: &str) -> String {
    escaped(text, &['\t'])
}

fn escaped(text: &str, allowed: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if turns || character.is_control() && !allowed.contains(&character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// The beginning of a text, and the number of characters omitted.
fn cut(text: &str, most: usize) -> String {
    let end = if text.ends_with('\n') { "\n" } else { "" };
    match text.char_indices().nth(most) {
        Some((place, _)) if place + end.len() < text.len() => {
            let more = text[place..].chars().count() - end.len();
            format!("{}... ({more} characters more){end}", &text[..place])
        }
        _ => text.to_owned(),
    }
}

/// Prints to standard output, [legibly](legible).
pub fn print(text: &str) -> Result<(), Failure> {
    print_file(&legible(text))
}

/// Prints the contents of a file to standard output. A closed pipe, as left by `head`, is no error; a full disk is.
pub fn print_file(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    // Without the flush an error on the last line would be lost.
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::bad_input(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error, [legibly](legible).
pub fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(legible(text).as_bytes());
}

/// Prints a warning, of one line, to standard error.
pub fn warn(warning: &impl Display) {
    complain(&format!("warning: {}\n", in_one_line(&warning.to_string())));
}

/// Rows as aligned columns: the first left-aligned, the others right-aligned.
pub fn columns(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str("  ");
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A number that may be missing.
pub fn optional_number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// A time in words: seconds, minutes, hours or days.
pub fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{} s", number(seconds))
    } else if seconds < 7200.0 {
        format!("{:.1} min", seconds / 60.0)
    } else if seconds < 172_800.0 {
        format!("{:.1} h", seconds / 3600.0)
    } else {
        format!("{:.1} days", seconds / 86_400.0)
    }
}

/// A size in words.
pub fn bytes(count: f64) -> String {
    scaled(count) + "B"
}

/// A number of at least 1 with an SI prefix.
pub fn scaled(value: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let step = ((value.max(1.0).log10() / 3.0) as usize).min(prefixes.len() - 1);
    format!("{} {}", number(value / 1000f64.powi(step as i32)), prefixes[step])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_carry_prefixes() {
        for (value, size) in
            [(0.0, "0 B"), (999.0, "999.0 B"), (1e3, "1.000 kB"), (12.3e9, "12.30 GB"), (1e18, "1000 PB")]
        {
            assert_eq!(bytes(value), size);
        }
        assert_eq!(scaled(4.5e6), "4.500 M");
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out_and_long_texts_are_cut() {
        assert_eq!(legible("a\tb\nc µ 滑走路\n"), "a\tb\nc µ 滑走路\n");
        assert_eq!(legible("\u{1b}]0;x\u{7}\r\u{9b}31m\u{202e}"), "\\u{1b}]0;x\\u{7}\\r\\u{9b}31m\\u{202e}");
        assert_eq!(one_line("met\nmet"), "met\\nmet");
        assert_eq!(in_one_line(&format!("a\tb\n{}\r\n", "c".repeat(MAX_CELL))).len(), MAX_CELL + "a\tb\\n\\r\\n".len());
        let long = "é".repeat(5000);
        assert_eq!(legible(&format!("{long}\nb")), format!("{}... (3000 characters more)\nb", "é".repeat(2000)));
        assert_eq!(one_line(&long).chars().count(), 120 + "... (4880 characters more)".len());
        let whole = "a".repeat(MAX_LINE) + "\n";
        assert_eq!(legible(&whole), whole);
        assert!(columns(&[vec![long, "\u{1b}[2J".to_owned()]]).len() < 500);
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["long".to_owned(), "1".to_owned()]];
        assert_eq!(columns(&rows), "  a     10\n  long   1\n");
    }
}
