//! Functions as words, each of which makes one number of a row of others: what the native engine runs.
//!
//! What several functions make alike is made once, sums and products of several numbers are one word, and numbers that nobody asks for
//! share their places with others. Words of one code follow each other in runs as long as what they are made of allows.

use std::sync::Arc;

use super::{Expression, Operation, Table};

mod compile;

/// What a word makes of the numbers at its places. The representation has a tag of its own, by which a run finds its loop at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// The number itself.
    Copy,
    /// Their sum.
    Add,
    /// The first less the second.
    Subtract,
    /// Their product.
    Multiply,
    /// The product of three, from the first on.
    MultiplyThree,
    /// The product of four, from the first on.
    MultiplyFour,
    /// The sum of three, from the first on.
    AddThree,
    /// The sum of four, from the first on.
    AddFour,
    /// The first by the second, infinite where that is 0.
    Divide,
    /// The second if it is less than the first, else the first.
    Minimum,
    /// The second if it is greater than the first, else the first.
    Maximum,
    /// Whether the first is less than the second.
    Less,
    /// Whether the first is at most the second.
    LessOrEqual,
    /// Whether they are the same number.
    Equal,
    /// The third where the first is less than the second, else the fourth.
    IfLess,
    /// The third where the first is at most the second, else the fourth.
    IfLessOrEqual,
    /// The second where the first is true, else the third.
    IfThen,
    /// The number with the other sign.
    Negate,
    /// The magnitude.
    Magnitude,
    /// The square root; minus infinity of negative numbers.
    SquareRoot,
    /// The sine; the cosine goes to the second place.
    SineAndCosine,
    /// The angle of the point whose y is the first and whose x is the second.
    ArcTangent2,
    /// What a line has at the first; the second is the number of the lookup.
    Line,
    /// What a grid has at the first and the second; the third is the number of the lookup.
    Grid,
    /// What blocks have at a list of places, from the first on as many as the second; the third is the number of the table.
    Blocks,
    /// What an operation makes of such a list.
    Operation(Operation),
}

/// A word: of which places a number is made, and the place for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The place for it.
    pub to: u16,
    /// What it is made of; the code says how many of these there are.
    pub of: [u16; 4],
}

/// Words of one code, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    code: Code,
    /// How many.
    length: u16,
}

/// Functions over a row of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    runs: Vec<Run>,
    /// Those of all runs, together: a step reads them once, and they take away little of the fastest memory.
    words: Vec<Word>,
    /// Places of arguments, where a word has more than it can hold.
    lists: Vec<u16>,
    constants: Vec<(usize, f64)>,
    lines: Vec<Arc<Table>>,
    grids: Vec<Arc<Table>>,
    blocks: Vec<Arc<Table>>,
    width: usize,
}

impl Words {
    /// A row has no more numbers than this: words name their places by 16 bits, so that they are short and no place needs to be looked for.
    pub const MAX_WIDTH: usize = 1 << u16::BITS;

    /// How many numbers the row for expressions has at most, whose own part has this width.
    pub fn width_at_most<'a>(expressions: impl Iterator<Item = &'a Expression<usize>>, width: usize) -> usize {
        // Each part is made of at most four: an angle in degrees by two constants, the product and the quotient. 0 and 1 are shared.
        width + 2 + expressions.map(|expression| 4 * expression.parts()).sum::<usize>()
    }

    /// How many words there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// The words in their order, those of one code together.
    #[inline(always)]
    pub fn runs(&self) -> impl Iterator<Item = (Code, &[Word])> {
        let mut rest = self.words.as_slice();
        self.runs.iter().map(move |run| {
            let (words, later) = rest.split_at(usize::from(run.length));
            rest = later;
            (run.code, words)
        })
    }

    /// How many numbers the row has, with those that are made on the way.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Numbers that never change, with their places, which no word writes.
    #[must_use]
    pub fn constants(&self) -> &[(usize, f64)] {
        &self.constants
    }

    /// The tables of one argument, one for each lookup in them.
    #[must_use]
    pub fn lines(&self) -> &[Arc<Table>] {
        &self.lines
    }

    /// The tables of two arguments, one for each lookup in them.
    #[must_use]
    pub fn grids(&self) -> &[Arc<Table>] {
        &self.grids
    }

    /// The tables of more, one for each lookup in them.
    #[must_use]
    pub fn blocks(&self) -> &[Arc<Table>] {
        &self.blocks
    }

    /// All tables, each once.
    #[must_use]
    pub fn tables(&self) -> Vec<&Arc<Table>> {
        let mut tables: Vec<&Arc<Table>> = Vec::new();
        for table in self.lines.iter().chain(&self.grids).chain(&self.blocks) {
            if !tables.iter().any(|known| Arc::ptr_eq(known, table)) {
                tables.push(table);
            }
        }
        tables
    }

    /// A word's list of places.
    #[must_use]
    pub fn list(&self, word: &Word) -> &[u16] {
        &self.lists[word.of[0] as usize..][..word.of[1] as usize]
    }
}
