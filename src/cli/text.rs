//! Text for people.

use std::io::{ErrorKind, Write};

pub use touchdown::shown::{Shown, number};

use super::Failure;

/// Prints to standard output. A reader that has gone away, such as `head`, is no error; a full disk is.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    // Without the flush an error of the last line would be lost.
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::bad_input(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error.
pub fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Rows as aligned columns: the first column to the left, all others to the right.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
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

/// A number of at least 1 with the prefix of its unit.
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
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["long".to_owned(), "1".to_owned()]];
        assert_eq!(columns(&rows), "  a     10\n  long   1\n");
    }
}
