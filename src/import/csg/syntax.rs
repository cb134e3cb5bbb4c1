//! Statements of a flat export: `name(arguments) { children }` or `name(arguments);`.

use super::CsgError;

/// Maximum nesting depth of statements and lists: each level takes some of the program's own stack.
const DEEPEST: usize = 256;

/// A node of the model's tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// Where it starts, counted from 1.
    pub(super) line: usize,
    pub(super) modifiers: Vec<Modifier>,
    pub(super) name: String,
    pub(super) arguments: Vec<(Option<String>, Value)>,
    pub(super) children: Vec<Statement>,
}

/// A sign before a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modifier {
    /// `#`: shown in another colour.
    Highlighted,
    /// `%`: shown, but no part of the model.
    Background,
    /// `*`: no part of the model.
    Disabled,
    /// `!`: the only part of the model.
    Root,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Boolean(bool),
    Text,
    Undefined,
    List(Vec<Value>),
}

/// Parses a whole file.
pub(super) fn parse(code: &str) -> Result<Vec<Statement>, CsgError> {
    let mut parser = Parser { rest: code, line: 1 };
    let mut statements = Vec::new();
    loop {
        parser.skip_blanks()?;
        if parser.rest.is_empty() {
            return Ok(statements);
        }
        if !parser.take(';') {
            statements.push(parser.statement(0)?);
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Parser<'a> {
    fn statement(&mut self, depth: usize) -> Result<Statement, CsgError> {
        if depth > DEEPEST {
            return Err(self.error(format!("nodes stand more than {DEEPEST} deep inside each other")));
        }
        let line = self.line;
        let modifiers = self.modifiers()?;
        let name = self.name("a node such as `cube(...)`")?;
        self.expect('(', &name)?;
        let arguments = self.arguments(&name)?;
        let mut children = Vec::new();
        self.skip_blanks()?;
        if self.take('{') {
            loop {
                self.skip_blanks()?;
                if self.take('}') {
                    break;
                }
                if self.rest.is_empty() {
                    return Err(self.error(format!("`{name}` of line {line} is not closed by `}}`")));
                }
                if !self.take(';') {
                    children.push(self.statement(depth + 1)?);
                }
            }
        } else {
            self.expect(';', &name)?;
        }
        Ok(Statement { line, modifiers, name, arguments, children })
    }

    fn modifiers(&mut self) -> Result<Vec<Modifier>, CsgError> {
        let mut modifiers = Vec::new();
        loop {
            modifiers.push(match self.rest.chars().next() {
                Some('#') => Modifier::Highlighted,
                Some('%') => Modifier::Background,
                Some('*') => Modifier::Disabled,
                Some('!') => Modifier::Root,
                _ => return Ok(modifiers),
            });
            self.advance(1);
            self.skip_blanks()?;
        }
    }

    /// All up to the closing bracket.
    fn arguments(&mut self, of: &str) -> Result<Vec<(Option<String>, Value)>, CsgError> {
        let mut arguments = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.take(')') {
                return Ok(arguments);
            }
            let before = (self.rest, self.line);
            let name = self.name("an argument").ok();
            self.skip_blanks()?;
            let name = if name.is_some() && self.take('=') {
                name
            } else {
                // A word that no `=` follows is a value.
                (self.rest, self.line) = before;
                None
            };
            arguments.push((name, self.value(0)?));
            self.skip_blanks()?;
            if !self.take(',') && !self.rest.starts_with(')') {
                return Err(self.unexpected(&format!("`,` or `)` in the arguments of `{of}`")));
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, CsgError> {
        self.skip_blanks()?;
        if depth > DEEPEST {
            return Err(self.error(format!("lists stand more than {DEEPEST} deep inside each other")));
        }
        if self.take('[') {
            return self.list(depth);
        }
        if self.take('"') {
            return self.text();
        }
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-._$".contains(c)));
        let (word, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let value = match word {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            "undef" => Value::Undefined,
            // The reader of numbers knows words such as `inf` and `nan`, which OpenSCAD writes, too.
            _ => match word.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => return Err(self.unexpected("a number, a list, a text, true, false or undef")),
            },
        };
        self.rest = after;
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Value, CsgError> {
        let mut items = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.take(']') {
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.skip_blanks()?;
            if !self.take(',') && !self.rest.starts_with(']') {
                return Err(self.unexpected("`,` or `]` in a list"));
            }
        }
    }

    fn text(&mut self) -> Result<Value, CsgError> {
        let mut escaped = false;
        for (index, character) in self.rest.char_indices() {
            match character {
                '\n' => break,
                '"' if !escaped => {
                    self.rest = &self.rest[index + 1..];
                    return Ok(Value::Text);
                }
                _ => escaped = character == '\\' && !escaped,
            }
        }
        Err(self.error("a text is not closed by `\"` on its line"))
    }

    fn name(&mut self, wanted: &str) -> Result<String, CsgError> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        if end == 0 || self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.unexpected(wanted));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn take(&mut self, character: char) -> bool {
        let after = self.rest.strip_prefix(character);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expect(&mut self, character: char, after: &str) -> Result<(), CsgError> {
        self.skip_blanks()?;
        if self.take(character) { Ok(()) } else { Err(self.unexpected(&format!("`{character}` after `{after}`"))) }
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), CsgError> {
        loop {
            let trimmed = self.rest.trim_start();
            self.advance(self.rest.len() - trimmed.len());
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                // The star that opens it cannot close it, too.
                let Some(end) = self.rest[2..].find("*/") else {
                    return Err(self.error("a comment is not closed by `*/`"));
                };
                self.advance(2 + end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }

    fn unexpected(&self, wanted: &str) -> CsgError {
        let found = match self.rest.chars().next() {
            None => "the end of the file".to_owned(),
            Some(character) => format!("{character:?}"),
        };
        self.error(format!("found {found} where {wanted} should stand"))
    }

    fn error(&self, message: impl Into<String>) -> CsgError {
        CsgError::new(self.line, message)
    }
}
