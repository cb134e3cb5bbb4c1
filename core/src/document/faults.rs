//! Keys that are missing or unknown, all of a document at once.

use std::cell::RefCell;

use super::DocumentError;
use super::spelling::listed;
use super::tree::{Source, one_short_line};

/// Most faults that a message tells one by one.
const MAX_TOLD: usize = 20;

/// What is wrong with the keys of one table.
#[derive(Debug)]
enum Fault {
    /// A key is not there; perhaps it is misspelt as another one.
    Missing { key: &'static str, misspelt: Option<String> },
    /// Keys that nobody asked for, and a list of those that are known.
    Unknown { keys: Vec<UnknownKey>, known: String },
    /// None of several keys is there.
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
    /// The table's path.
    path: String,
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

    pub fn missing(&self, (offset, path): (usize, String), key: &'static str, misspelt: Option<&str>) {
        self.add(offset, path, Fault::Missing { key, misspelt: misspelt.map(str::to_owned) });
    }

    pub fn none_of(&self, (offset, path): (usize, String), message: String, misspelt: Option<&str>) {
        self.add(offset, path, Fault::NoneOf { message, misspelt: misspelt.map(str::to_owned) });
    }

    pub fn unknown(&self, path: String, keys: Vec<UnknownKey>, known: String) {
        self.add(keys.first().map_or(0, |unknown| unknown.offset), path, Fault::Unknown { keys, known });
    }

    fn add(&self, offset: usize, path: String, fault: Fault) {
        self.found.borrow_mut().push(Placed { offset, path, fault });
    }

    /// The error that tells all of them, in the order in which they were found; `None` where there are none.
    pub fn error(self, source: &Source) -> Option<DocumentError> {
        let mut told = told(self.found.into_inner(), source).into_iter();
        let (offset, path, mut message) = told.next()?;
        for (number, (offset, path, other)) in told.by_ref().enumerate() {
            if number + 2 > MAX_TOLD {
                message.push_str(&format!("; and {} more", told.count() + 1));
                break;
            }
            let (line, column) = source.text.line_column(offset);
            let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
            message.push_str(&format!("; {line}:{column}: {place}{other}"));
        }
        Some(source.error(offset, path, message))
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

/// Place, path and message of each fault, those of keys missing in one table together. That a key is unknown which a missing
/// one was misspelt as is said already.
fn told(found: Vec<Placed>, source: &Source) -> Vec<(usize, String, String)> {
    let misspelt: Vec<(String, String)> = found
        .iter()
        .filter_map(|Placed { path, fault, .. }| match fault {
            Fault::Missing { misspelt, .. } | Fault::NoneOf { misspelt, .. } => Some((path.clone(), misspelt.clone()?)),
            Fault::Unknown { .. } => None,
        })
        .collect();
    let mut told: Vec<(usize, String, String)> = Vec::new();
    // Keys missing in one table, with the number of what is told of it.
    let mut plain: Vec<(usize, Vec<&'static str>)> = Vec::new();
    for Placed { offset, path, fault } in found {
        match fault {
            Fault::Missing { key, misspelt: None } => {
                let of_table =
                    plain.iter_mut().find(|(number, _)| told[*number].0 == offset && told[*number].1 == path);
                if let Some((_, keys)) = of_table {
                    keys.push(key);
                } else {
                    plain.push((told.len(), vec![key]));
                    told.push((offset, path, String::new()));
                }
            }
            Fault::Missing { key, misspelt: Some(unknown) } => {
                told.push((offset, path, format!("key `{key}` is missing; is `{unknown}` a misspelling of it?")));
            }
            Fault::NoneOf { message, .. } => told.push((offset, path, message)),
            Fault::Unknown { mut keys, known } => {
                keys.retain(|unknown| !misspelt.contains(&(path.clone(), unknown.key.clone())));
                if let Some(first) = keys.first() {
                    told.push((first.offset, path, unknown_message(&keys, &known, source)));
                }
            }
        }
    }
    for (number, keys) in plain {
        told[number].2 = match &keys[..] {
            [only] => format!("key `{only}` is missing"),
            all => format!("keys {} are missing", listed(all.iter().copied(), "`")),
        };
    }
    told
}
