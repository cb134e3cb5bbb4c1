//! Expressions written as formulas.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Expression, Operation};

impl Expression<String> {
    /// A property by its name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self::Property(name.to_owned())
    }

    /// What an operation makes of these.
    #[must_use]
    pub fn made(operation: Operation, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::Operation(operation, arguments.into_iter().collect())
    }

    /// What an operation makes of this.
    #[must_use]
    pub fn by(self, operation: Operation) -> Self {
        Self::made(operation, [self])
    }

    /// To a power.
    #[must_use]
    pub fn power(self, exponent: f64) -> Self {
        Self::made(Operation::Power, [self, exponent.into()])
    }

    /// Whether it is less than another.
    #[must_use]
    pub fn less(self, other: impl Into<Self>) -> Self {
        Self::made(Operation::Less, [self, other.into()])
    }

    /// One of two by the truth of this.
    #[must_use]
    pub fn choose(self, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        Self::made(Operation::IfThen, [self, yes.into(), no.into()])
    }
}

impl From<f64> for Expression<String> {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Expression<String> {
    fn from(name: &str) -> Self {
        Self::of(name)
    }
}

/// Operators between expressions, and between expressions and numbers.
macro_rules! operators {
    ($($operator:ident $function:ident $operation:ident;)*) => { $(
        impl<T: Into<Self>> $operator<T> for Expression<String> {
            type Output = Self;
            fn $function(self, other: T) -> Self {
                Self::made(Operation::$operation, [self, other.into()])
            }
        }
    )* };
}

operators! {
    Add add Sum;
    Sub sub Difference;
    Mul mul Product;
    Div div Quotient;
}

impl Neg for Expression<String> {
    type Output = Self;
    fn neg(self) -> Self {
        match self {
            Self::Value(value) => Self::Value(-value),
            Self::Property(name) => Self::Negative(name),
            Self::Negative(name) => Self::Property(name),
            other => Self::made(Operation::Product, [Self::Value(-1.0), other]),
        }
    }
}
