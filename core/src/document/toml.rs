//! TOML text to the tree.

use std::thread;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::tree::{Entry, Node, Text, Value, one_short_line, sorted_entries};
use super::{DocumentError, MAXIMUM_DEPTH};

/// Enough for the deepest tree that the parser can build before its own limits stop it: about 80 inline tables inside
/// each other, each under a dotted key of 80 parts, so 6,500 levels. It frees such a tree by recursion, at up to 1 kB a
/// level without optimisation: a thread's usual 2 MiB overflows. Pages never touched cost nothing.
const PARSER_STACK: usize = 64 << 20;

/// What the parser calls a key that stands twice.
const DUPLICATE_KEY: &str = "duplicate key";

fn duplicate(key: &str) -> String {
    format!("{DUPLICATE_KEY} `{}`", one_short_line(key))
}

/// Parses TOML.
pub(super) fn parse(text: &Text) -> Result<Node, DocumentError> {
    let parsed = thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(PARSER_STACK);
        Ok(parser.spawn_scoped(scope, || parse_here(text))?.join())
    });
    match parsed {
        Ok(Ok(root)) => root,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(source) => Err(DocumentError::Unreadable { path: text.path().to_owned(), source }),
    }
}

fn parse_here(text: &Text) -> Result<Node, DocumentError> {
    let table = DeTable::parse(text.as_str()).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        // Its place alone does not say which.
        let key = text.as_str().get(span.clone()).filter(|_| message == DUPLICATE_KEY);
        text.syntax_error(span.start, key.map_or(message, duplicate))
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
    sorted_entries(entries)
        .map(Value::Table)
        .map_err(|repeated| text.syntax_error(repeated.offset, duplicate(&repeated.key)))
}
