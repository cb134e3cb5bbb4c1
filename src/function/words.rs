//! Expressions as postfix words: what the native engine runs.

use std::sync::Arc;

use super::{Expression, Operation, Table};

/// A word. It takes its arguments from a stack and leaves its value there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// Leaves a number that is at hand.
    Load(Leaf),
    /// Leaves what is made of two, the later of which was left last.
    Both(Binary),
    /// Leaves what is made of the last number and one that is at hand.
    With(Binary, Leaf),
    /// Leaves what an operation makes of this many.
    Operation(Operation, usize),
    /// Leaves what a table has.
    Table(usize),
    /// Takes a number to a place of the row.
    Keep(usize),
}

/// A number that is at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaf {
    /// A constant.
    Value(f64),
    /// A property, by its place in the row.
    Property(usize),
    /// A property with the other sign.
    Negative(usize),
}

/// What is made of two numbers, most often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Their sum.
    Add,
    /// The first less the second.
    Subtract,
    /// Their product.
    Multiply,
    /// The second if it is less than the first, else the first.
    Minimum,
    /// The second if it is greater than the first, else the first.
    Maximum,
    /// Whether the first is less.
    Less,
    /// Whether the first is at most the second.
    LessOrEqual,
    /// Whether the first is greater.
    Greater,
    /// Whether the first is at least the second.
    GreaterOrEqual,
}

impl Binary {
    /// What an operation does with one argument after the other, if that is all it does.
    fn of(operation: Operation) -> Option<Self> {
        Some(match operation {
            Operation::Sum => Self::Add,
            Operation::Difference => Self::Subtract,
            Operation::Product => Self::Multiply,
            Operation::Minimum => Self::Minimum,
            Operation::Maximum => Self::Maximum,
            Operation::Less => Self::Less,
            Operation::LessOrEqual => Self::LessOrEqual,
            Operation::Greater => Self::Greater,
            Operation::GreaterOrEqual => Self::GreaterOrEqual,
            _ => return None,
        })
    }
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
            Expression::Value(value) => self.load(Leaf::Value(*value), below),
            Expression::Property(place) => self.load(Leaf::Property(*place), below),
            Expression::Negative(place) => self.load(Leaf::Negative(*place), below),
            Expression::Table(table, by) => {
                self.all(by, below);
                let known = self.tables.iter().position(|known| Arc::ptr_eq(known, table));
                let number = known.unwrap_or_else(|| {
                    self.tables.push(table.clone());
                    self.tables.len() - 1
                });
                self.words.push(Word::Table(number));
            }
            Expression::Operation(operation, arguments) => match Binary::of(*operation) {
                // A sum from 0 turns -0 into 0, so that 0 is no idle word; a product from 1 changes nothing.
                Some(Binary::Add) => {
                    self.load(Leaf::Value(0.0), below);
                    self.fold(Binary::Add, arguments, below + 1);
                }
                Some(binary) => {
                    if let Some((first, others)) = arguments.split_first() {
                        self.add(first, below);
                        self.fold(binary, others, below + 1);
                    }
                }
                None => {
                    self.all(arguments, below);
                    self.words.push(Word::Operation(*operation, arguments.len()));
                }
            },
        }
    }

    fn load(&mut self, leaf: Leaf, below: usize) {
        self.words.push(Word::Load(leaf));
        self.depth = self.depth.max(below + 1);
    }

    fn all(&mut self, arguments: &[Expression<usize>], below: usize) {
        for (number, argument) in arguments.iter().enumerate() {
            self.add(argument, below + number);
        }
    }

    /// What is made of the last number and of each argument after it.
    fn fold(&mut self, binary: Binary, arguments: &[Expression<usize>], below: usize) {
        for argument in arguments {
            if let Some(leaf) = leaf(argument) {
                self.words.push(Word::With(binary, leaf));
            } else {
                self.add(argument, below);
                self.words.push(Word::Both(binary));
            }
        }
    }
}

/// What is at hand of an expression without any word.
fn leaf(expression: &Expression<usize>) -> Option<Leaf> {
    match expression {
        Expression::Value(value) => Some(Leaf::Value(*value)),
        Expression::Property(place) => Some(Leaf::Property(*place)),
        Expression::Negative(place) => Some(Leaf::Negative(*place)),
        Expression::Table(..) | Expression::Operation(..) => None,
    }
}
