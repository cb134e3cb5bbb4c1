//! One value being read.

use super::faults::Faults;
use super::spelling::{listed, nearest};
use super::tree::{Node, Source, Value};
use super::{DocumentError, Table, Unit};

/// Floats above this bound no longer name one whole number each (2^53).
const MAX_WHOLE_FLOAT: f64 = 9_007_199_254_740_992.0;

/// One value with its place in the text and its path, such as `inputs.sink_rate.mean`.
///
/// The reading methods refuse what they cannot read with an error that says what is allowed. Numbers come back in SI
/// units.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    source: &'a Source,
    node: &'a Node,
    faults: Option<&'a Faults>,
}

impl<'a> Field<'a> {
    pub(super) fn new(source: &'a Source, node: &'a Node, faults: Option<&'a Faults>) -> Self {
        Self { source, node, faults }
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

    /// Refuses the value unless a condition holds that may depend on other keys, saying what is `allowed`. Where keys are missing
    /// already, which is an error of its own, reading goes on to find the others.
    ///
    /// # Errors
    ///
    /// When the condition does not hold.
    pub fn must(&self, holds: bool, allowed: impl FnOnce() -> String) -> Result<(), DocumentError> {
        if holds || self.faults.is_some_and(|faults| !faults.is_empty()) {
            Ok(())
        } else {
            Err(self.refused(allowed()))
        }
    }

    /// The path of the field, such as `inputs.sink_rate.mean`.
    #[must_use]
    pub fn name(&self) -> String {
        self.source.path_of(self.node)
    }

    /// Line and column of the value, both counted from 1, columns in characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        self.source.text.line_column(self.node.span.start)
    }

    /// Whether the value is missing, which is noted; then reading it gives something that is allowed, so that what else is
    /// missing is found too.
    fn is_stand_in(&self) -> bool {
        matches!(self.node.value, Value::Missing)
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
            Value::Missing => Ok(""),
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
            Value::Missing => Ok(false),
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
            Value::Missing => Some(1),
            Value::Float(float) if float.fract() == 0.0 && float.abs() <= MAX_WHOLE_FLOAT => Some(float as i128),
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
            Value::Missing => Some(1.0),
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
        if allowed(number) || self.is_stand_in() {
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
            Value::Array(items) => Ok(items.iter().map(|item| Self::new(self.source, item, self.faults)).collect()),
            Value::Missing => Ok(Vec::new()),
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
        if self.is_stand_in() {
            return Ok([1.0; 3]);
        }
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
        if self.is_table() || self.is_stand_in() {
            return Ok(Table::new(self.source, self.node, self.faults));
        }
        Err(self.refused("must be a table"))
    }

    /// What the value, one of the strings `allowed`, stands for.
    ///
    /// # Errors
    ///
    /// When it is no string or another one; the message lists those allowed and the nearest.
    pub fn choice<T: Copy>(&self, allowed: &[(&'static str, T)]) -> Result<T, DocumentError> {
        if let (true, Some((_, meaning))) = (self.is_stand_in(), allowed.first()) {
            return Ok(*meaning);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    /// Reads the value `text` of the key `x` in TOML.
    fn read<T>(text: &str, reader: impl Fn(Field<'_>) -> Result<T, DocumentError>) -> Result<T, String> {
        let document = Document::parse("a.toml", &format!("x = {text}")).unwrap();
        let field = document.root().required("x").unwrap();
        reader(field).map_err(|error| {
            let message = error.to_string();
            message.strip_prefix("a.toml:1:5: x: ").unwrap().to_owned()
        })
    }

    #[test]
    fn a_refused_number_shows_what_was_found_and_what_is_allowed() {
        let text = "[shapes.tower]\nradius = -3";
        let document = Document::parse("examples/scene.toml", text).unwrap();
        let shapes = document.root().required_table("shapes").unwrap();
        let tower = shapes.required_table("tower").unwrap();
        let radius = tower.required("radius").unwrap();
        let error = radius.positive(Unit::Length).unwrap_err();
        assert_eq!(
            error.to_string(),
            "examples/scene.toml:2:10: shapes.tower.radius: -3 is not allowed: must be above 0 m"
        );
        assert_eq!((error.line(), error.column()), (Some(2), Some(10)));
        assert_eq!(radius.line_column(), (2, 10));
    }

    #[test]
    fn numbers_are_plain_or_have_a_unit_of_their_dimension() {
        let speed = |text| read(text, |field| field.number(Unit::Speed));
        assert_eq!(speed("3"), Ok(3.0));
        assert_eq!(speed("0x1_0"), Ok(16.0));
        assert_eq!(speed("1_000.5"), Ok(1000.5));
        assert_eq!(speed("'10 ft/s'"), Ok(3.048));
        let allowed = "must be a number in m/s, or a string with a number and one of the units \
                       m/s, km/h, kt, ft/s, ft/min";
        for (text, found) in [
            ("'3 kg'", "'3 kg'"),
            ("'3'", "'3'"),
            ("true", "true"),
            ("[3]", "[3]"),
            ("{a = 1}", "a table"),
            ("[{a = 1}]", "an array of tables"),
        ] {
            assert_eq!(speed(text), Err(format!("{found} is not allowed: {allowed}")));
        }
        assert_eq!(read("'3 %'", |field| field.number(Unit::One)), Ok(0.03));
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        for text in ["nan", "-inf", "1e999", "'inf m'", "'nan m'", "'1e306 km'"] {
            assert_eq!(
                read(text, |field| field.number(Unit::Length)),
                Err(format!("{text} is not allowed: must be finite"))
            );
        }
    }

    #[test]
    fn degrees_are_plain_numbers_that_become_radians() {
        let degrees = |text| read(text, |field| field.number_deg());
        assert_eq!(degrees("180"), Ok(std::f64::consts::PI));
        assert_eq!(degrees("3.0"), read("'3 deg'", |field| field.number(Unit::Angle)));
        assert_eq!(degrees("'3 deg'"), Err("'3 deg' is not allowed: must be a number in degrees".to_owned()));
        assert_eq!(degrees("inf"), Err("inf is not allowed: must be finite".to_owned()));
    }

    #[test]
    fn ranges_hold_their_ends_and_nothing_beyond() {
        let least = f64::from_bits(1);
        assert_eq!(read("5e-324", |field| field.positive(Unit::Mass)), Ok(least));
        assert_eq!(
            read("0", |field| field.positive(Unit::Mass)),
            Err("0 is not allowed: must be above 0 kg".to_owned())
        );
        assert_eq!(read("0", |field| field.not_negative(Unit::Mass)), Ok(0.0));
        assert_eq!(
            read("-5e-324", |field| field.not_negative(Unit::Mass)),
            Err("-5e-324 is not allowed: must be at least 0 kg".to_owned())
        );
        let fraction = |text| read(text, |field| field.in_range(Unit::One, 0.0, 1.0));
        assert_eq!((fraction("0"), fraction("'100%'")), (Ok(0.0), Ok(1.0)));
        for outside in ["-5e-324", "1.0000000000000002", "'101 %'"] {
            assert_eq!(fraction(outside), Err(format!("{outside} is not allowed: must be from 0 to 1")));
        }
        assert_eq!(
            read("9", |field| field.in_range(Unit::Time, 0.5, 2.0)),
            Err("9 is not allowed: must be from 0.5 to 2 s".to_owned())
        );
    }

    #[test]
    fn whole_numbers_may_be_floats_without_a_fraction() {
        let integer = |text| read(text, |field| field.integer());
        let unsigned = |text| read(text, |field| field.unsigned());
        assert_eq!(integer("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer("9223372036854775807"), Ok(i64::MAX));
        assert_eq!(unsigned("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(unsigned("1e6"), Ok(1_000_000));
        assert_eq!(unsigned("-0.0"), Ok(0));
        assert_eq!(integer("9007199254740992.0"), Ok(1 << 53));
        for text in ["9223372036854775808", "0.5", "1e16", "inf", "nan", "'1'", "true"] {
            let message = integer(text).unwrap_err();
            assert!(message.starts_with(&format!("{text} is not allowed: must be a whole")));
        }
        for text in ["-1", "18446744073709551616", "-1.0"] {
            assert_eq!(
                unsigned(text),
                Err(format!("{text} is not allowed: must be a whole number from 0 to 18446744073709551615"))
            );
        }
    }

    #[test]
    fn vectors_have_three_numbers() {
        let vector = |text| read(text, |field| field.vector(Unit::Length));
        assert_eq!(vector("[1, -2.5, '1 km']"), Ok([1.0, -2.5, 1000.0]));
        for wrong in ["[]", "[1, 2]", "[1, 2, 3, 4]", "5", "'1 m'"] {
            assert_eq!(vector(wrong), Err(format!("{wrong} is not allowed: must be an array of three numbers")));
        }
        let document = Document::parse("a.toml", "x = [1, nan, 3]").unwrap();
        let x = document.root().required("x").unwrap();
        assert_eq!(
            x.vector(Unit::Length).unwrap_err().to_string(),
            "a.toml:1:9: x[1]: nan is not allowed: must be finite"
        );
        assert_eq!(read("[]", |field| field.numbers(Unit::One)), Ok(vec![]));
        assert_eq!(read("[1, '2%']", |field| field.numbers(Unit::One)), Ok(vec![1.0, 0.02]));
    }

    #[test]
    fn a_choice_lists_what_is_allowed_and_the_nearest() {
        let surface = |text| read(text, |field| field.choice(&[("asphalt", 1), ("grass", 2)]));
        assert_eq!(surface("'grass'"), Ok(2));
        let allowed = "is not allowed: must be one of \"asphalt\", \"grass\"";
        assert_eq!(surface("7"), Err(format!("7 {allowed}")));
        assert_eq!(surface("'snow'"), Err(format!("'snow' {allowed}")));
        assert_eq!(surface("'Asfalt'"), Err(format!("'Asfalt' {allowed}; did you mean \"asphalt\"?")));
    }

    #[test]
    fn long_values_are_cut_in_messages() {
        let text = format!("'''{}'''", "long\n".repeat(100));
        let message = read(&text, |field| field.boolean()).unwrap_err();
        let (found, allowed) = message.split_once('…').unwrap();
        assert_eq!(allowed, " is not allowed: must be true or false");
        assert_eq!(found.chars().count(), 59);
    }

    #[test]
    fn each_reader_refuses_the_other_kinds() {
        assert!(read("1", |field| field.string().map(str::to_owned)).is_err());
        assert!(read("'true'", |field| field.boolean()).is_err());
        assert!(read("{}", |field| field.array().map(|_| ())).is_err());
        assert!(read("[{}]", |field| field.table().map(|_| ())).is_err());
        let kinds = |text| {
            let kinds = |field: Field<'_>| (field.is_string(), field.is_array(), field.is_table());
            read(text, |field| Ok(kinds(field))).unwrap()
        };
        assert_eq!(kinds("''"), (true, false, false));
        assert_eq!(kinds("[]"), (false, true, false));
        assert_eq!(kinds("{}"), (false, false, true));
        assert_eq!(kinds("1"), (false, false, false));
    }
}
