//! Items: each is identified by its place in a random sequence, which is enough to recompute it anywhere.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Description, Engines, ValidationError};
use crate::document::{DocumentError, Table};

/// What a file keeps of something, in its order.
pub type Fields = Vec<(&'static str, Saved)>;

/// What a file keeps under a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// A word, a number, or a list.
    One(Value),
    /// More names.
    Many(Fields),
}

impl<T: Into<Value>> From<T> for Saved {
    fn from(value: T) -> Self {
        Self::One(value.into())
    }
}

impl Serialize for Saved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(value) => value.serialize(serializer),
            Self::Many(fields) => serializer.collect_map(fields.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// An item of any check.
pub trait Item: fmt::Debug + Send + Sync {
    /// Name of its check.
    fn check(&self) -> &'static str;

    /// Its class of scenes, with the seed, or its study.
    fn among(&self) -> String;

    /// Which it is there.
    fn place(&self) -> String;

    /// All that makes it.
    fn fields(&self) -> Fields;

    /// Computes it again.
    ///
    /// # Errors
    /// When an engine fails, or there is no such item.
    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError>;
}

impl fmt::Display for dyn Item + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.check(), self.among(), self.place())
    }
}

/// Items are the same where all that makes them is.
impl PartialEq for dyn Item + '_ {
    fn eq(&self, other: &Self) -> bool {
        (self.check(), self.fields()) == (other.check(), other.fields())
    }
}

/// Classes of items.
pub trait Class: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// All of them.
    const CLASSES: &'static [Self];

    /// Name for reports and files.
    fn name(self) -> &'static str;
}

/// A class with its seed, in words.
pub(super) fn seeded(class: impl Class, seed: u64) -> String {
    format!("{}, seed {seed}", class.name())
}

/// Reads the class of an item.
pub(super) fn saved_class<C: Class>(table: &Table<'_>) -> Result<C, DocumentError> {
    let named: Vec<(&'static str, C)> = C::CLASSES.iter().map(|&class| (class.name(), class)).collect();
    table.required("class")?.choice(&named)
}

/// Reads a number of an item.
pub(super) fn saved_number(table: &Table<'_>, key: &'static str) -> Result<u64, DocumentError> {
    table.required(key)?.unsigned()
}
