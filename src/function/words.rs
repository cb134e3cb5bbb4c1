//! Expressions as postfix words: what the native engine runs.

use std::sync::Arc;

use super::{Expression, Operation, Table};

/// A word. It takes its arguments from a stack and leaves its value there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// Leaves a number.
    Value(f64),
    /// Leaves a property.
    Property(usize),
    /// Leaves a property with the other sign.
    Negative(usize),
    /// Leaves the sum of two.
    Add,
    /// Leaves the difference of two.
    Subtract,
    /// Leaves the product of two.
    Multiply,
    /// Leaves what an operation makes of this many.
    Operation(Operation, usize),
    /// Leaves what a table has.
    Table(usize),
    /// Takes a number to a place of the row.
    Keep(usize),
}

/// Expressions one after the other, each kept in a place of the row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    words: Vec<Word>,
    tables: Vec<Arc<Table>>,
    depth: usize,
}

impl Words {
    /// The words of expressions, each with the place for its value; later ones may read the places of earlier ones.
    #[must_use]
    pub fn compile<'a>(kept: impl IntoIterator<Item = (usize, &'a Expression<usize>)>) -> Self {
        let mut words = Self::default();
        for (place, expression) in kept {
            words.add(expression, 0);
            words.words.push(Word::Keep(place));
        }
        words
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The tables that words name by their numbers.
    #[must_use]
    pub fn tables(&self) -> &[Arc<Table>] {
        &self.tables
    }

    /// Most numbers that are on the stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The words of an expression over a stack of so many.
    fn add(&mut self, expression: &Expression<usize>, below: usize) {
        match expression {
            Expression::Value(value) => self.leave(Word::Value(*value), below),
            Expression::Property(place) => self.leave(Word::Property(*place), below),
            Expression::Negative(place) => self.leave(Word::Negative(*place), below),
            Expression::Table(table, by) => {
                self.all(by, below);
                let known = self.tables.iter().position(|known| Arc::ptr_eq(known, table));
                let number = known.unwrap_or_else(|| {
                    self.tables.push(table.clone());
                    self.tables.len() - 1
                });
                self.words.push(Word::Table(number));
            }
            // A sum from 0 turns -0 into 0, so that 0 is no idle word; a product from 1 changes nothing.
            Expression::Operation(Operation::Sum, arguments) => {
                self.leave(Word::Value(0.0), below);
                self.fold(Word::Add, arguments, below + 1);
            }
            Expression::Operation(Operation::Difference, arguments) => self.folded(Word::Subtract, arguments, below),
            Expression::Operation(Operation::Product, arguments) => self.folded(Word::Multiply, arguments, below),
            Expression::Operation(operation, arguments) => {
                self.all(arguments, below);
                self.words.push(Word::Operation(*operation, arguments.len()));
            }
        }
    }

    fn leave(&mut self, word: Word, below: usize) {
        self.words.push(word);
        self.depth = self.depth.max(below + 1);
    }

    fn all(&mut self, arguments: &[Expression<usize>], below: usize) {
        for (number, argument) in arguments.iter().enumerate() {
            self.add(argument, below + number);
        }
    }

    fn folded(&mut self, word: Word, arguments: &[Expression<usize>], below: usize) {
        if let Some((first, others)) = arguments.split_first() {
            self.add(first, below);
            self.fold(word, others, below + 1);
        }
    }

    fn fold(&mut self, word: Word, arguments: &[Expression<usize>], below: usize) {
        for argument in arguments {
            self.add(argument, below);
            self.words.push(word);
        }
    }
}
