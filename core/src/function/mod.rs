//! Functions of properties, as aircraft files give air forces, controls and engines.
//!
//! ```text
//! XML or TOML --> Expression<String> --resolve--> Expression<usize> --value_of--> number            (the reference)
//!                                                        |
//!                                                        +--compile--> Words --run--> eight numbers (native)
//! Functions in an order --Routine::new--> rows, step after step
//! ```
//!
//! A property is a number with a name, as `aero/alpha-rad`. An expression is a number, a property, a table, or an operation on
//! expressions; names are resolved once to places of a row of numbers, and everything after that reads rows.
//!
//! # Conventions
//! Operations and tables are those of JSBSim's functions, with what it does at their borders: a quotient by 0 is infinite, a logarithm of
//! a number that has none is minus infinity, tables hold their ends. Whoever uses a result looks whether it is finite.

mod build;
#[cfg(test)]
pub(crate) mod drawn;
mod expression;
mod operation;
mod routine;
mod simplify;
mod table;
mod words;

pub use expression::{Expression, Function};
pub use operation::Operation;
pub(crate) use operation::TRUTH_TOLERANCE;
pub use routine::canonical;
pub use routine::{FromStart, Kept, Routine, RoutineFault, UnknownProperty};
pub use table::{Table, TableFault};
pub use words::{Code, Word, Words};
