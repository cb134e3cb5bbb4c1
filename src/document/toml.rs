//! TOML text to the tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::tree::{Entry, Node, Text, Value, sorted_entries};
use super::{DocumentError, MAXIMUM_DEPTH};

/// Parses TOML.
pub(super) fn parse(text: &Text) -> Result<Node, DocumentError> {
    let table = DeTable::parse(text.as_str()).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        text.syntax_error(offset, message)
    })?;
    Ok(Node { span: table.span(), value: table_value(text, table.get_ref(), 0)? })
}

fn node(text: &Text, value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, DocumentError> {
    let span = value.span();
    let refuse = |message: &str| Err(text.syntax_error(span.start, message));
    if depth > MAXIMUM_DEPTH {
        return refuse(&format!("nesting deeper than {MAXIMUM_DEPTH} is not allowed"));
    }
    let value = match value.get_ref() {
        DeValue::String(string) => Value::String(string.to_string()),
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Integer(integer) => match i128::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => return refuse("this whole number is too large"),
        },
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(float) => Value::Float(float),
            Err(_) => return refuse("this is not a number"),
        },
        DeValue::Datetime(_) => return refuse("a date is not allowed here"),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| node(text, item, depth + 1)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => table_value(text, table, depth)?,
    };
    Ok(Node { span, value })
}

fn table_value(text: &Text, table: &DeTable<'_>, depth: usize) -> Result<Value, DocumentError> {
    let entries = table
        .iter()
        .map(|(key, value)| {
            Ok(Entry { key: key.get_ref().to_string(), offset: key.span().start, node: node(text, value, depth + 1)? })
        })
        .collect::<Result<_, _>>()?;
    sorted_entries(entries).map(Value::Table).map_err(|repeated| text.syntax_error(repeated.offset, "duplicate key"))
}
