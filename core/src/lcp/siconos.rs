//! Problems in the format of Siconos (`linearComplementarity_newFromFile`): integers and numbers separated by white
//! space.
//!
//! ```text
//! n, storage (0 dense, 1 blocks)
//! dense:   n, n, n, n, M column by column, q
//! blocks:  n, n, blocks, rows and columns of blocks, where each row of blocks ends, where each column of blocks ends,
//!          rows of blocks + 1, blocks, where the blocks of each row begin in their list (from 0) and where the list ends,
//!          the column of each block, for each block its number (from 0) and its entries column by column, q
//! ```
//!
//! Anything after that is a comment.

use std::ops::RangeInclusive;
use std::str::{FromStr, SplitWhitespace};

use super::problem::{MAX_MAGNITUDE, MAX_UNKNOWNS};
use super::read::allowed_entry;

/// What is wrong with a file, and where.
pub(crate) struct Fault {
    pub line: usize,
    pub field: String,
    pub message: String,
}

/// Matrix, by rows, and vector of a text.
pub(super) fn numbers_of(text: &str) -> Result<(Vec<f64>, Vec<f64>), Fault> {
    let mut words = Words::new(text);
    let unknowns = words.whole("unknowns", 1..=MAX_UNKNOWNS)?;
    matrix_and_vector(&mut words, unknowns)
}

/// Storage, matrix and vector of so many unknowns.
fn matrix_and_vector(words: &mut Words<'_>, unknowns: usize) -> Result<(Vec<f64>, Vec<f64>), Fault> {
    let is_dense = match words.next(|| "storage".to_owned())? {
        "0" => true,
        "1" => false,
        other => return Err(words.refused("storage", other, "must be 0 (dense) or 1 (blocks)")),
    };
    words.exactly("rows", unknowns)?;
    words.exactly("columns", unknowns)?;
    let matrix = if is_dense { dense(words, unknowns)? } else { blocks(words, unknowns)? };
    let vector = (0..unknowns).map(|row| words.entry(|| format!("vector[{row}]"))).collect::<Result<_, _>>()?;
    Ok((matrix, vector))
}

/// A problem with friction as Siconos writes it (`frictionContact_newFromFile`).
pub(crate) struct WithFriction {
    pub dimension: usize,
    /// Row by row.
    pub matrix: Vec<f64>,
    pub vector: Vec<f64>,
    pub friction: Vec<f64>,
}

/// Whether a text begins like a frictional problem: dimension 2 or 3, contacts, storage 0 or 1. One without friction
/// has the number of unknowns first, and again after the storage.
pub(crate) fn has_friction(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let mut next = || words.next().unwrap_or_default();
    let [dimension, contacts, storage] = [next(), next(), next()];
    matches!(dimension, "2" | "3") && contacts.parse::<usize>().is_ok() && matches!(storage, "0" | "1")
}

/// A frictional problem: dimension, contacts, then as without friction, and a coefficient for each contact at the end.
pub(crate) fn with_friction(text: &str) -> Result<WithFriction, Fault> {
    let mut words = Words::new(text);
    let dimension = words.whole("dimension", 2..=3)?;
    let contacts = words.whole("contacts", 1..=MAX_UNKNOWNS / dimension)?;
    let (matrix, vector) = matrix_and_vector(&mut words, dimension * contacts)?;
    let friction =
        (0..contacts).map(|contact| words.entry(|| format!("friction[{contact}]"))).collect::<Result<_, _>>()?;
    Ok(WithFriction { dimension, matrix, vector, friction })
}

fn dense(words: &mut Words<'_>, unknowns: usize) -> Result<Vec<f64>, Fault> {
    words.exactly("rows, again", unknowns)?;
    words.exactly("columns, again", unknowns)?;
    let mut matrix = vec![0.0; unknowns * unknowns];
    fill(words, &mut matrix, unknowns, [0, 0], [unknowns, unknowns])?;
    Ok(matrix)
}

/// Reads the entries of a block, column by column, into the place from `start` to before `end`.
fn fill(
    words: &mut Words<'_>,
    matrix: &mut [f64],
    unknowns: usize,
    start: [usize; 2],
    end: [usize; 2],
) -> Result<(), Fault> {
    for column in start[1]..end[1] {
        for row in start[0]..end[0] {
            matrix[row * unknowns + column] = words.entry(|| format!("matrix[{row}][{column}]"))?;
        }
    }
    Ok(())
}

fn blocks(words: &mut Words<'_>, unknowns: usize) -> Result<Vec<f64>, Fault> {
    let count = words.whole("blocks", 0..=unknowns * unknowns)?;
    let rows = words.whole("rows of blocks", 1..=unknowns)?;
    let columns = words.whole("columns of blocks", 1..=unknowns)?;
    let row_ends = ends(words, "end of block row", rows, unknowns)?;
    let column_ends = ends(words, "end of block column", columns, unknowns)?;
    words.exactly("row pointers", rows + 1)?;
    words.exactly("column numbers", count)?;
    words.exactly("row pointer 0", 0)?;
    let mut pointers = vec![0];
    for row in 1..=rows {
        let field = format!("row pointer {row}");
        let least = pointers[row - 1];
        if row == rows {
            words.exactly(&field, count)?;
            pointers.push(count);
        } else {
            pointers.push(words.whole(&field, least..=count)?);
        }
    }
    let mut block_columns = Vec::new();
    for block in 0..count {
        block_columns.push(words.whole(&format!("column of block {block}"), 0..=columns - 1)?);
    }
    let mut matrix = vec![0.0; unknowns * unknowns];
    let start_of = |ends: &[usize], index: usize| if index == 0 { 0 } else { ends[index - 1] };
    for row in 0..rows {
        let blocks = pointers[row]..pointers[row + 1];
        for (block, &column) in blocks.clone().zip(&block_columns[blocks]) {
            words.exactly(&format!("number of block {block}"), block)?;
            let start = [start_of(&row_ends, row), start_of(&column_ends, column)];
            fill(words, &mut matrix, unknowns, start, [row_ends[row], column_ends[column]])?;
        }
    }
    Ok(matrix)
}

/// Where blocks end: numbers that grow, the last of them the number of unknowns.
fn ends(words: &mut Words<'_>, name: &str, count: usize, unknowns: usize) -> Result<Vec<usize>, Fault> {
    let mut ends = Vec::new();
    for block in 0..count {
        let field = format!("{name} {block}");
        let least = ends.last().map_or(1, |end| end + 1);
        if block + 1 == count {
            words.exactly(&field, unknowns)?;
            ends.push(unknowns);
        } else {
            ends.push(words.whole(&field, least..=unknowns)?);
        }
    }
    Ok(ends)
}

/// The words of a text, and the line of the latest one.
struct Words<'a> {
    rest: std::str::Lines<'a>,
    words: SplitWhitespace<'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let mut rest = text.lines();
        let words = rest.next().unwrap_or_default().split_whitespace();
        Self { rest, words, line: 1 }
    }

    fn next(&mut self, field: impl Fn() -> String) -> Result<&'a str, Fault> {
        loop {
            if let Some(word) = self.words.next() {
                return Ok(word);
            }
            let Some(line) = self.rest.next() else {
                return Err(self.fault(&field(), "is missing: the file ends".to_owned()));
            };
            self.words = line.split_whitespace();
            self.line += 1;
        }
    }

    fn fault(&self, field: &str, message: String) -> Fault {
        Fault { line: self.line, field: field.to_owned(), message }
    }

    fn refused(&self, field: &str, found: &str, allowed: &str) -> Fault {
        self.fault(field, format!("{found} is not allowed: {allowed}"))
    }

    /// A whole number within a range.
    fn whole(&mut self, field: &str, range: RangeInclusive<usize>) -> Result<usize, Fault> {
        let allowed = || format!("must be a whole number from {} to {}", range.start(), range.end());
        self.number(|| field.to_owned(), |number| range.contains(number), allowed)
    }

    /// A whole number that is known already.
    fn exactly(&mut self, field: &str, expected: usize) -> Result<(), Fault> {
        self.number(|| field.to_owned(), |number: &usize| *number == expected, || format!("must be {expected}"))
            .map(|_| ())
    }

    /// A number of the problem.
    fn entry(&mut self, field: impl Fn() -> String) -> Result<f64, Fault> {
        self.number(field, |entry: &f64| entry.abs() <= MAX_MAGNITUDE, allowed_entry)
    }

    /// A number; its name and what is allowed are put into words where they are needed alone.
    fn number<T: FromStr>(
        &mut self,
        field: impl Fn() -> String,
        is_allowed: impl Fn(&T) -> bool,
        allowed: impl Fn() -> String,
    ) -> Result<T, Fault> {
        let word = self.next(&field)?;
        word.parse().ok().filter(is_allowed).ok_or_else(|| self.refused(&field(), word, &allowed()))
    }
}
