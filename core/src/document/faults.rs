//! Keys that are missing or unknown, all of a document at once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::DocumentError;
use super::spelling::listed;
use super::tree::{Node, Source, one_short_line};

/// Most faults that a message tells one by one.
const MAX_TOLD: usize = 20;

/// What is wrong with the keys of one table.
#[derive(Debug)]
enum Fault {
    /// Keys are not there.
    Missing { keys: Vec<&'static str> },
    /// A key is not there; perhaps it is misspelt as another one.
    Misspelt { key: &'static str, unknown: String },
    /// Keys that nobody asked for, and a list of those that are known.
    Unknown { keys: Vec<UnknownKey>, known: String },
    /// None of several keys is there; perhaps one is misspelt.
    NoneOf { message: String, misspelt: Option<String> },
}

/// A key that nobody asked for.
#[derive(Debug)]
pub(super) struct UnknownKey {
    pub offset: usize,
    pub key: String,
    /// The known key that is spelt nearly so.
    pub meant: Option<&'static str>,
}

/// A fault with its place.
#[derive(Debug)]
struct Placed {
    offset: usize,
    /// The table, of which a path is found only when it is told.
    table: *const Node,
    fault: Fault,
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: RefCell<Vec<Placed>>,
}

impl Faults {
    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    pub fn missing(&self, table: &Node, key: &'static str, misspelt: Option<&str>) {
        let fault = match misspelt {
            Some(unknown) => Fault::Misspelt { key, unknown: unknown.to_owned() },
            None => Fault::Missing { keys: vec![key] },
        };
        self.add(table.span.start, table, fault);
    }

    pub fn none_of(&self, table: &Node, message: String, misspelt: Option<&str>) {
        self.add(table.span.start, table, Fault::NoneOf { message, misspelt: misspelt.map(str::to_owned) });
    }

    pub fn unknown(&self, table: &Node, keys: Vec<UnknownKey>, known: String) {
        self.add(keys.first().map_or(0, |unknown| unknown.offset), table, Fault::Unknown { keys, known });
    }

    fn add(&self, offset: usize, table: &Node, fault: Fault) {
        self.found.borrow_mut().push(Placed { offset, table, fault });
    }

    /// The error that tells all of them, in the order in which they were found; `None` where there are none.
    pub fn error(self, source: &Source) -> Option<DocumentError> {
        let told = told(self.found.into_inner());
        let (first, others) = told.split_first()?;
        let mut message = first.fault.message(source);
        for Placed { offset, table, fault } in others.iter().take(MAX_TOLD - 1) {
            let (line, column) = source.text.line_column(*offset);
            let path = source.path_of(*table);
            let place = if path.is_empty() { path } else { format!("{path}: ") };
            message.push_str(&format!("; {line}:{column}: {place}{}", fault.message(source)));
        }
        if told.len() > MAX_TOLD {
            message.push_str(&format!("; and {} more", told.len() - MAX_TOLD));
        }
        Some(source.error(first.offset, source.path_of(first.table), message))
    }
}

impl Fault {
    fn message(&self, source: &Source) -> String {
        match self {
            Self::Missing { keys } => match &keys[..] {
                [only] => format!("key `{only}` is missing"),
                all => format!("keys {} are missing", listed(all.iter().copied(), "`")),
            },
            Self::Misspelt { key, unknown } => format!("key `{key}` is missing; is `{unknown}` a misspelling of it?"),
            Self::Unknown { keys, known } => unknown_message(keys, known, source),
            Self::NoneOf { message, .. } => message.clone(),
        }
    }
}

fn unknown_message(keys: &[UnknownKey], known: &str, source: &Source) -> String {
    let key = |unknown: &UnknownKey| one_short_line(&unknown.key);
    if let [only] = keys {
        return match only.meant {
            Some(meant) => format!("unknown key `{}`; did you mean `{meant}`? {known}", key(only)),
            None => format!("unknown key `{}`; {known}", key(only)),
        };
    }
    let each = keys.iter().map(|unknown| {
        let meant = unknown.meant.map_or_else(String::new, |meant| format!(", did you mean `{meant}`?"));
        format!("`{}` (line {}{meant})", key(unknown), source.text.line_column(unknown.offset).0)
    });
    format!("unknown keys {}; {known}", each.collect::<Vec<_>>().join(", "))
}

/// The faults to be told: keys missing in one table together, where the first was found. That a key is unknown which a missing one
/// was misspelt as is said already.
fn told(mut found: Vec<Placed>) -> Vec<Placed> {
    let mut missing: HashMap<*const Node, Vec<&'static str>> = HashMap::new();
    let mut misspelt: HashSet<(*const Node, String)> = HashSet::new();
    for Placed { table, fault, .. } in &found {
        match fault {
            Fault::Missing { keys } => missing.entry(*table).or_default().extend(keys),
            Fault::Misspelt { unknown, .. } | Fault::NoneOf { misspelt: Some(unknown), .. } => {
                misspelt.insert((*table, unknown.clone()));
            }
            Fault::Unknown { .. } | Fault::NoneOf { misspelt: None, .. } => {}
        }
    }
    found.retain_mut(|Placed { offset, table, fault }| match fault {
        Fault::Missing { keys } => match missing.remove(table) {
            Some(all) => {
                *keys = all;
                true
            }
            None => false,
        },
        Fault::Unknown { keys, .. } => {
            keys.retain(|unknown| !misspelt.contains(&(*table, unknown.key.clone())));
            *offset = keys.first().map_or(*offset, |first| first.offset);
            !keys.is_empty()
        }
        Fault::Misspelt { .. } | Fault::NoneOf { .. } => true,
    });
    found
}
