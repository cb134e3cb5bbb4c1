//! JSON text to the tree.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{Entry, Node, Text, Value, one_short_line, sorted_entries};
use super::{DocumentError, MAXIMUM_DEPTH};

/// Nothing that RFC 8259 does not have.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses JSON whose root is an object.
pub(super) fn parse(text: &Text) -> Result<Node, DocumentError> {
    let parsed = parse_to_ast(text.as_str(), &CollectOptions::default(), &STRICT)
        .map_err(|error| text.syntax_error(error.range().start, error.kind().to_string()))?;
    let Some(root) = parsed.value else {
        return Err(text.syntax_error(0, "the document is empty: it must be an object"));
    };
    refuse_leniency(text)?;
    if root.as_object().is_none() {
        return Err(text.syntax_error(root.start(), "the document must be an object"));
    }
    node(text, root, 0)
}

/// Refuses what the parser lets through even when it is strict: raw control characters in strings and other spaces than
/// the four of RFC 8259.
fn refuse_leniency(text: &Text) -> Result<(), DocumentError> {
    let strict = serde_json::from_str::<serde::de::IgnoredAny>(text.as_str());
    let Err(error) = strict else {
        return Ok(());
    };
    // The number of bytes read: for some errors the offending byte is the last of them, for others the one after.
    let offset = text.line_start(error.line()) + error.column().saturating_sub(1);
    let message = error.to_string();
    let without_place = message.split(" at line ").next().unwrap_or_default();
    Err(text.syntax_error(offset, without_place))
}

fn node(text: &Text, value: ast::Value<'_>, depth: usize) -> Result<Node, DocumentError> {
    let range = value.range();
    let refuse = |message: &str| Err(text.syntax_error(range.start, message));
    if depth > MAXIMUM_DEPTH {
        return refuse(&format!("nesting deeper than {MAXIMUM_DEPTH} is not allowed"));
    }
    let value = match value {
        ast::Value::StringLit(string) => Value::String(string.value.into_owned()),
        ast::Value::BooleanLit(boolean) => Value::Boolean(boolean.value),
        ast::Value::NumberLit(number) => match number_value(number.value) {
            Some(number) => number,
            None => return refuse("this is not a number"),
        },
        ast::Value::NullKeyword(_) => return refuse("null is not allowed: leave the key out"),
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| node(text, item, depth + 1)).collect::<Result<_, _>>()?)
        }
        ast::Value::Object(object) => object_value(text, object, depth)?,
    };
    Ok(Node { span: range.start..range.end, value })
}

/// A number without a point or an exponent is an integer where it fits, as in TOML.
fn number_value(number: &str) -> Option<Value> {
    match number.parse() {
        Ok(integer) => Some(Value::Integer(integer)),
        Err(_) => number.parse().ok().map(Value::Float),
    }
}

fn object_value(text: &Text, object: ast::Object<'_>, depth: usize) -> Result<Value, DocumentError> {
    let entries = object
        .properties
        .into_iter()
        .map(|property| {
            Ok(Entry {
                offset: property.range.start,
                key: property.name.into_string(),
                node: node(text, property.value, depth + 1)?,
            })
        })
        .collect::<Result<_, _>>()?;
    sorted_entries(entries).map(Value::Table).map_err(|repeated| {
        let message = format!("duplicate key `{}`", one_short_line(&repeated.key));
        text.syntax_error(repeated.offset, message)
    })
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Unit};

    #[test]
    fn what_the_standard_does_not_have_is_refused() {
        for text in [
            "{\"a\": 1} // comment",
            "{/* comment */}",
            "{\"a\": 1,}",
            "{\"a\": [1,]}",
            "{\"a\": [1 2]}",
            "{\"a\": 1 \"b\": 2}",
            "{a: 1}",
            "{'a': 1}",
            "{\"a\": 'b'}",
            "{\"a\": 0x1}",
            "{\"a\": +1}",
            "{\"a\": .5}",
            "{\"a\": 5.}",
            "{\"a\": 01}",
            "{\"a\": NaN}",
            "{\"a\": Infinity}",
            "{\"a\": \"\\v\"}",
            "{\"a\": \"\\ud800\"}",
            "{\"a\": \"tab\there\"}",
            "{\"a\":\u{b}1}",
            "{\"a\":\u{a0}1}",
            "{} {}",
        ] {
            assert!(Document::parse("a.json", text).is_err(), "{text}");
        }
    }

    #[test]
    fn refusals_beyond_the_parser_have_their_place_too() {
        let error = Document::parse("a.json", "{\n\"a\": \"tab\there\"}").unwrap_err();
        assert_eq!(error.to_string(), "a.json:2:9: control character (\\u0000-\\u001F) found while parsing a string");
    }

    #[test]
    fn escapes_in_keys_and_strings_are_decoded_before_keys_are_compared() {
        let document = Document::parse("a.json", r#"{"\u0061": "\ud83d\udeec\n"}"#).unwrap();
        let a = document.root().required("a").unwrap();
        assert_eq!(a.string().unwrap(), "\u{1F6EC}\n");
        let error = Document::parse("a.json", r#"{"a": 1, "\u0061": 2}"#).unwrap_err();
        assert_eq!(error.column(), Some(10));
    }

    #[test]
    fn numbers_keep_their_value() {
        let text = r#"{"a": 18446744073709551615, "b": -0, "c": 1E3, "d": 1e999}"#;
        let document = Document::parse("a.json", text).unwrap();
        let root = document.root();
        assert_eq!(root.required("a").unwrap().unsigned().unwrap(), u64::MAX);
        assert_eq!(root.required("b").unwrap().number(Unit::One).unwrap(), 0.0);
        assert_eq!(root.required("c").unwrap().integer().unwrap(), 1000);
        assert!(root.required("d").unwrap().number(Unit::One).is_err());
    }
}
