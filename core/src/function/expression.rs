//! Expressions as trees, and their values.

use std::sync::Arc;

use super::simplify::{folded, numbers, simplified};
use super::{Operation, Table};

/// An expression over properties, named by `P`: by their names, or by their places in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression<P> {
    /// A number.
    Value(f64),
    /// A property.
    Property(P),
    /// A property with the other sign.
    Negative(P),
    /// A table, with what it is looked up by.
    Table(Arc<Table>, Vec<Expression<P>>),
    /// An operation.
    Operation(Operation, Vec<Expression<P>>),
}

/// An expression with the name of the property that it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Function<P> {
    /// The property.
    pub name: String,
    /// Its value.
    pub expression: Expression<P>,
}

impl<P> Expression<P> {
    /// The same over other names of properties.
    ///
    /// # Errors
    /// The first that `resolve` gives.
    pub fn resolve<Q, E>(&self, resolve: &mut dyn FnMut(&P) -> Result<Q, E>) -> Result<Expression<Q>, E> {
        Ok(match self {
            Self::Value(value) => Expression::Value(*value),
            Self::Property(name) => Expression::Property(resolve(name)?),
            Self::Negative(name) => Expression::Negative(resolve(name)?),
            Self::Table(table, by) => Expression::Table(table.clone(), resolve_all(by, resolve)?),
            Self::Operation(operation, arguments) => {
                Expression::Operation(*operation, resolve_all(arguments, resolve)?)
            }
        })
    }

    /// The same with expressions in place of properties, and as simple as that allows.
    ///
    /// # Errors
    /// The first that `replace` gives.
    pub fn replace<Q: PartialEq, E>(
        &self,
        replace: &mut dyn FnMut(&P) -> Result<Expression<Q>, E>,
    ) -> Result<Expression<Q>, E> {
        let mut all = |some: &[Self]| some.iter().map(|one| one.replace(replace)).collect::<Result<Vec<_>, E>>();
        Ok(match self {
            Self::Value(value) => Expression::Value(*value),
            Self::Property(name) => replace(name)?,
            Self::Negative(name) => match replace(name)? {
                Expression::Value(value) => Expression::Value(-value),
                Expression::Property(name) => Expression::Negative(name),
                Expression::Negative(name) => Expression::Property(name),
                other => simplified(Operation::Product, vec![Expression::Value(-1.0), other]),
            },
            Self::Table(table, by) => {
                let by = all(by)?;
                match numbers(&by) {
                    Some(numbers) => Expression::Value(table.value(&numbers)),
                    None => Expression::Table(table.clone(), by),
                }
            }
            Self::Operation(operation, arguments) => simplified(*operation, all(arguments)?),
        })
    }

    /// Whether another is the same to the bits of its numbers.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool
    where
        P: PartialEq,
    {
        let all = |some: &[Self], others: &[Self]| {
            some.len() == others.len() && some.iter().zip(others).all(|(one, other)| one.is_same(other))
        };
        match (self, other) {
            (Self::Value(one), Self::Value(other)) => one.to_bits() == other.to_bits(),
            (Self::Property(one), Self::Property(other)) | (Self::Negative(one), Self::Negative(other)) => one == other,
            (Self::Operation(one, some), Self::Operation(other, others)) => one == other && all(some, others),
            (Self::Table(one, some), Self::Table(other, others)) => all(some, others) && one.is_same(other),
            _ => false,
        }
    }

    /// How many numbers, properties, tables and operations it has.
    #[must_use]
    pub fn parts(&self) -> usize {
        match self {
            Self::Value(_) | Self::Property(_) | Self::Negative(_) => 1,
            Self::Table(_, arguments) | Self::Operation(_, arguments) => {
                1 + arguments.iter().map(Self::parts).sum::<usize>()
            }
        }
    }

    /// The properties that it reads, from left to right, each time that it does.
    pub fn properties<'a>(&'a self, seen: &mut dyn FnMut(&'a P)) {
        match self {
            Self::Value(_) => {}
            Self::Property(name) | Self::Negative(name) => seen(name),
            Self::Table(_, arguments) | Self::Operation(_, arguments) => {
                arguments.iter().for_each(|argument| argument.properties(seen));
            }
        }
    }
}

fn resolve_all<P, Q, E>(
    all: &[Expression<P>],
    resolve: &mut dyn FnMut(&P) -> Result<Q, E>,
) -> Result<Vec<Expression<Q>>, E> {
    all.iter().map(|one| one.resolve(resolve)).collect()
}

impl Expression<usize> {
    /// The same where places of the row are known to have these numbers. Its value has the same bits.
    #[must_use]
    pub(super) fn with_known(&self, known: &[Option<f64>]) -> Self {
        let all = |some: &[Self]| some.iter().map(|one| one.with_known(known)).collect::<Vec<_>>();
        match self {
            Self::Value(value) => Self::Value(*value),
            Self::Property(place) => known[*place].map_or(Self::Property(*place), Self::Value),
            Self::Negative(place) => known[*place].map_or(Self::Negative(*place), |value| Self::Value(-value)),
            Self::Table(table, by) => {
                let by = all(by);
                match numbers(&by) {
                    Some(numbers) => Self::Value(table.value(&numbers)),
                    None => Self::Table(table.clone(), by),
                }
            }
            Self::Operation(operation, arguments) => folded(*operation, all(arguments)),
        }
    }

    /// Its value over a row of properties.
    ///
    /// # Panics
    /// If a property's place is not in the row.
    #[must_use]
    pub fn value(&self, row: &[f64]) -> f64 {
        match self {
            Self::Value(value) => *value,
            Self::Property(place) => row[*place],
            Self::Negative(place) => -row[*place],
            Self::Table(table, by) => with_values(by, row, |values| table.value(values)),
            Self::Operation(operation, arguments) => with_values(arguments, row, |values| operation.of(values)),
        }
    }
}

/// What is made of the values of arguments, of which few need no memory of their own.
fn with_values(arguments: &[Expression<usize>], row: &[f64], make: impl FnOnce(&[f64]) -> f64) -> f64 {
    let mut few = [0.0; 4];
    match few.get_mut(..arguments.len()) {
        Some(few) => {
            few.iter_mut().zip(arguments).for_each(|(value, argument)| *value = argument.value(row));
            make(few)
        }
        None => make(&arguments.iter().map(|argument| argument.value(row)).collect::<Vec<_>>()),
    }
}
