//! One value being read.

use super::spelling::{listed, nearest};
use super::tree::{Node, Source, Value};
use super::{DocumentError, Table, Unit};

/// Floats above this bound no longer name one whole number each (2^53).
const LARGEST_WHOLE_FLOAT: f64 = 9_007_199_254_740_992.0;

/// One value with its place in the text and its path, such as `inputs.sink_rate.mean`.
///
/// The reading methods refuse what they cannot read with an error that says what is allowed. Numbers come back in SI
/// units.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    source: &'a Source,
    node: &'a Node,
}

impl<'a> Field<'a> {
    pub(super) fn new(source: &'a Source, node: &'a Node) -> Self {
        Self { source, node }
    }

    /// An error at the value that says `message`.
    pub fn error(&self, message: impl Into<String>) -> DocumentError {
        let path = self.source.path_of(self.node);
        self.source.error(self.node.span.start, path, message)
    }

    /// An error that shows the value found and says what is `allowed`: "-3 is not allowed: must be above 0 m".
    #[must_use]
    pub fn refused(&self, allowed: impl AsRef<str>) -> DocumentError {
        let found = self.source.found(self.node);
        self.error(format!("{found} is not allowed: {}", allowed.as_ref()))
    }

    /// Line and column of the value, both counted from 1, columns in characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        self.source.text.line_column(self.node.span.start)
    }

    /// Whether the value is a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.node.is_table()
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self.node.value, Value::Array(_))
    }

    /// Whether the value is a string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self.node.value, Value::String(_))
    }

    /// The value as a string.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn string(&self) -> Result<&'a str, DocumentError> {
        match &self.node.value {
            Value::String(string) => Ok(string),
            _ => Err(self.refused("must be a string")),
        }
    }

    /// The value as a boolean.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn boolean(&self) -> Result<bool, DocumentError> {
        match self.node.value {
            Value::Boolean(boolean) => Ok(boolean),
            _ => Err(self.refused("must be true or false")),
        }
    }

    /// The value as a whole number. A float without a fraction, such as `1e6`, is one.
    ///
    /// # Errors
    ///
    /// When it is not a whole number or not from -2^63 to 2^63 - 1.
    pub fn integer(&self) -> Result<i64, DocumentError> {
        self.whole(i64::MIN, i64::MAX)
    }

    /// The value as a whole number that is not negative. A float without a fraction, such as `1e6`, is one.
    ///
    /// # Errors
    ///
    /// When it is not a whole number or not from 0 to 2^64 - 1.
    pub fn unsigned(&self) -> Result<u64, DocumentError> {
        self.whole(u64::MIN, u64::MAX)
    }

    fn whole<T>(&self, minimum: T, maximum: T) -> Result<T, DocumentError>
    where
        T: TryFrom<i128> + std::fmt::Display + Copy,
    {
        let whole = match self.node.value {
            Value::Integer(integer) => Some(integer),
            Value::Float(float) if float.fract() == 0.0 && float.abs() <= LARGEST_WHOLE_FLOAT => Some(float as i128),
            _ => None,
        };
        whole
            .and_then(|whole| T::try_from(whole).ok())
            .ok_or_else(|| self.refused(format!("must be a whole number from {minimum} to {maximum}")))
    }

    /// The value as a finite number in the SI unit of `unit`: a plain number, or a string such as "65 kt" with one of the
    /// units accepted for this dimension.
    ///
    /// # Errors
    ///
    /// When it is neither, or not finite.
    pub fn number(&self, unit: Unit) -> Result<f64, DocumentError> {
        let number = match &self.node.value {
            Value::String(text) => unit.parse(text),
            _ => self.plain_number(),
        };
        let number = number.ok_or_else(|| self.refused(unit.expectation()))?;
        self.finite(number)
    }

    /// The value, a plain number in degrees, in radians; for keys that end in `_deg`.
    ///
    /// # Errors
    ///
    /// When it is not a finite number.
    pub fn number_deg(&self) -> Result<f64, DocumentError> {
        let degrees = self.plain_number().ok_or_else(|| self.refused("must be a number in degrees"))?;
        self.finite(Unit::degrees(degrees))
    }

    fn plain_number(&self) -> Option<f64> {
        match self.node.value {
            Value::Integer(integer) => Some(integer as f64),
            Value::Float(float) => Some(float),
            _ => None,
        }
    }

    fn finite(&self, number: f64) -> Result<f64, DocumentError> {
        if number.is_finite() { Ok(number) } else { Err(self.refused("must be finite")) }
    }

    /// A [number](Self::number) above zero, in SI units.
    ///
    /// # Errors
    ///
    /// As [`number`](Self::number), and when it is zero or negative.
    pub fn positive(&self, unit: Unit) -> Result<f64, DocumentError> {
        self.number_where(unit, |number| number > 0.0, || "above 0".to_owned())
    }

    /// A [number](Self::number) that is zero or above, in SI units.
    ///
    /// # Errors
    ///
    /// As [`number`](Self::number), and when it is negative.
    pub fn not_negative(&self, unit: Unit) -> Result<f64, DocumentError> {
        self.number_where(unit, |number| number >= 0.0, || "at least 0".to_owned())
    }

    /// A [number](Self::number) from `minimum` to `maximum`, both allowed, all in SI units.
    ///
    /// # Errors
    ///
    /// As [`number`](Self::number), and when it lies outside.
    pub fn in_range(&self, unit: Unit, minimum: f64, maximum: f64) -> Result<f64, DocumentError> {
        self.number_where(
            unit,
            |number| (minimum..=maximum).contains(&number),
            || format!("from {minimum} to {maximum}"),
        )
    }

    fn number_where(
        &self,
        unit: Unit,
        allowed: impl Fn(f64) -> bool,
        range: impl Fn() -> String,
    ) -> Result<f64, DocumentError> {
        let number = self.number(unit)?;
        if allowed(number) {
            return Ok(number);
        }
        Err(self.refused(match unit {
            Unit::One => format!("must be {}", range()),
            _ => format!("must be {} {}", range(), unit.symbol()),
        }))
    }

    /// The elements of an array.
    ///
    /// # Errors
    ///
    /// When the value is anything else.
    pub fn array(&self) -> Result<Vec<Field<'a>>, DocumentError> {
        match &self.node.value {
            Value::Array(items) => Ok(items.iter().map(|item| Self::new(self.source, item)).collect()),
            _ => Err(self.refused("must be an array")),
        }
    }

    /// An array of [numbers](Self::number), in SI units. Each may have its own unit.
    ///
    /// # Errors
    ///
    /// When the value is not an array, and as [`number`](Self::number) for each element.
    pub fn numbers(&self, unit: Unit) -> Result<Vec<f64>, DocumentError> {
        self.array()?.iter().map(|item| item.number(unit)).collect()
    }

    /// An array of exactly three [numbers](Self::number), in SI units. Each may have its own unit.
    ///
    /// # Errors
    ///
    /// When the value is not an array of three, and as [`number`](Self::number) for each element.
    pub fn vector(&self, unit: Unit) -> Result<[f64; 3], DocumentError> {
        let wrong = || self.refused("must be an array of three numbers");
        let items = self.array().map_err(|_| wrong())?;
        let [x, y, z] = items[..] else {
            return Err(wrong());
        };
        Ok([x.number(unit)?, y.number(unit)?, z.number(unit)?])
    }

    /// The value as a table.
    ///
    /// # Errors
    ///
    /// When it is anything else.
    pub fn table(&self) -> Result<Table<'a>, DocumentError> {
        if self.is_table() { Ok(Table::new(self.source, self.node)) } else { Err(self.refused("must be a table")) }
    }

    /// What the value, one of the strings `allowed`, stands for.
    ///
    /// # Errors
    ///
    /// When it is no string or another one; the message lists those allowed and the nearest.
    pub fn choice<T: Copy>(&self, allowed: &[(&'static str, T)]) -> Result<T, DocumentError> {
        let words = || allowed.iter().map(|&(word, _)| word);
        let must = format!("must be one of {}", listed(words(), "\""));
        let Ok(found) = self.string() else {
            return Err(self.refused(must));
        };
        if let Some(&(_, meaning)) = allowed.iter().find(|&&(word, _)| word == found) {
            return Ok(meaning);
        }
        Err(self.refused(match nearest(found, words()) {
            Some(word) => format!("{must}; did you mean \"{word}\"?"),
            None => must,
        }))
    }
}
