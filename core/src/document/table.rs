//! One table being read.

use std::cell::{Cell, RefCell};

use super::faults::{Faults, UnknownKey};
use super::spelling::{listed, nearest};
use super::tree::{Entry, Node, Source, Value, find};
use super::{DocumentError, Field};

/// A table being read. It remembers the keys that were asked for; [`finish`](Self::finish) refuses all others, so that a
/// misspelled key never passes in silence.
#[derive(Debug)]
pub struct Table<'a> {
    source: &'a Source,
    node: &'a Node,
    /// Where to note missing and unknown keys and go on; without it the first one is an error.
    faults: Option<&'a Faults>,
    entries: &'a [Entry],
    known: RefCell<Vec<&'static str>>,
    /// Set once the reader took whatever keys there are.
    names_are_free: Cell<bool>,
}

impl<'a> Table<'a> {
    /// A reader of `node`, which the caller knows to be a table.
    pub(super) fn new(source: &'a Source, node: &'a Node, faults: Option<&'a Faults>) -> Self {
        let entries = match &node.value {
            Value::Table(entries) => entries.as_slice(),
            _ => &[],
        };
        Self { source, node, faults, entries, known: RefCell::default(), names_are_free: Cell::new(false) }
    }

    /// The value of `key`.
    ///
    /// # Errors
    ///
    /// When it is missing; the message names a key that may be a misspelling of it.
    pub fn required(&self, key: &'static str) -> Result<Field<'a>, DocumentError> {
        if let Some(field) = self.optional(key) {
            return Ok(field);
        }
        if self.is_stand_in() {
            return Ok(self.stand_in());
        }
        let faults = Faults::default();
        let noted = self.faults.unwrap_or(&faults);
        noted.missing(self.node, key, nearest(key, self.unknown_keys()));
        faults.error(self.source).map_or_else(|| Ok(self.stand_in()), Err)
    }

    /// The value of `key`, where it is present.
    pub fn optional(&self, key: &'static str) -> Option<Field<'a>> {
        self.know(key);
        let entry = find(self.entries, key)?;
        Some(Field::new(self.source, &entry.node, self.faults))
    }

    /// What `read` makes of the value of `key`, or the default where the key is left out.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn optional_or<T>(
        &self,
        key: &'static str,
        default: T,
        read: impl FnOnce(Field<'a>) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        self.optional(key).map_or(Ok(default), read)
    }

    /// The table under `key`.
    ///
    /// # Errors
    ///
    /// When it is missing or not a table.
    pub fn required_table(&self, key: &'static str) -> Result<Table<'a>, DocumentError> {
        self.required(key)?.table()
    }

    /// The table under `key`, where it is present.
    ///
    /// # Errors
    ///
    /// When it is present but not a table.
    pub fn optional_table(&self, key: &'static str) -> Result<Option<Table<'a>>, DocumentError> {
        self.optional(key).map(|field| field.table()).transpose()
    }

    /// Exactly one of `keys`, and its value.
    ///
    /// # Errors
    ///
    /// When none of them is present, or more than one.
    pub fn one_of(&self, keys: &[&'static str]) -> Result<(&'static str, Field<'a>), DocumentError> {
        let present: Vec<_> = keys.iter().filter_map(|&key| self.optional(key).map(|field| (key, field))).collect();
        match present[..] {
            [] => self.none_of(keys),
            [only] => Ok(only),
            [..] => {
                let found = listed(present.iter().map(|&(key, _)| key), "`");
                let allowed = listed(keys.iter().copied(), "`");
                Err(self.error(format!("{found} cannot stand together: exactly one of {allowed} is allowed")))
            }
        }
    }

    fn none_of(&self, keys: &[&'static str]) -> Result<(&'static str, Field<'a>), DocumentError> {
        if self.is_stand_in() {
            return Ok((keys[0], self.stand_in()));
        }
        let required = format!("one of {} is required", listed(keys.iter().copied(), "`"));
        let meant = self.unknown_keys().find_map(|unknown| Some((unknown, nearest(unknown, keys.iter().copied())?)));
        let message = match meant {
            Some((unknown, key)) => {
                format!("{required}; unknown key `{unknown}`: did you mean `{key}`?")
            }
            None => required,
        };
        let faults = Faults::default();
        self.faults.unwrap_or(&faults).none_of(self.node, message, meant.map(|(unknown, _)| unknown));
        faults.error(self.source).map_or_else(|| Ok((keys[0], self.stand_in())), Err)
    }

    /// Every key with its value, in the order of the file, for tables whose keys are free names. No key is unknown
    /// afterwards.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> + use<'a> {
        self.names_are_free.set(true);
        let (source, faults) = (self.source, self.faults);
        in_file_order(self.entries).map(move |entry| (entry.key.as_str(), Field::new(source, &entry.node, faults)))
    }

    /// Every key, in the order of the file. Unlike [`entries`](Self::entries) this makes none of them known.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        in_file_order(self.entries).map(|entry| entry.key.as_str())
    }

    /// Whether `key` is present. This does not make it known.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        find(self.entries, key).is_some()
    }

    /// Refuses keys that nobody asked for.
    ///
    /// # Errors
    ///
    /// When there are any; the message names for each the nearest known key and lists all that are known.
    pub fn finish(&self) -> Result<(), DocumentError> {
        let known = self.known.borrow();
        let unknown = |entry: &Entry| UnknownKey {
            offset: entry.offset,
            key: entry.key.clone(),
            meant: nearest(&entry.key, known.iter().copied()),
        };
        let keys: Vec<_> =
            in_file_order(self.entries).filter(|entry| !self.is_known(&entry.key)).map(unknown).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let known = match &known[..] {
            [] => "no key is known here".to_owned(),
            all => format!("known here: {}", listed(all.iter().copied(), "")),
        };
        let faults = Faults::default();
        self.faults.unwrap_or(&faults).unknown(self.node, keys, known);
        faults.error(self.source).map_or(Ok(()), Err)
    }

    /// Refuses the table unless a condition holds. Where keys are missing already, which is an error of its own, reading goes
    /// on to find the others.
    ///
    /// # Errors
    ///
    /// When the condition does not hold.
    pub fn must(&self, holds: bool, message: impl FnOnce() -> String) -> Result<(), DocumentError> {
        if holds || self.has_faults() { Ok(()) } else { Err(self.error(message())) }
    }

    /// Whether keys of the document were found to be missing or unknown. What is read goes on then, but conditions need not hold any
    /// more and values may be stand-ins: nothing that relies on them may be made of it.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.faults.is_some_and(|faults| !faults.is_empty())
    }

    /// An error at the table's own place that says `message`.
    pub fn error(&self, message: impl Into<String>) -> DocumentError {
        let path = self.source.path_of(self.node);
        self.source.error(self.node.span.start, path, message)
    }

    /// Whether the whole table is missing, which is said already.
    fn is_stand_in(&self) -> bool {
        matches!(self.node.value, Value::Missing)
    }

    fn stand_in(&self) -> Field<'a> {
        Field::new(self.source, Node::stand_in(), self.faults)
    }

    fn know(&self, key: &'static str) {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
    }

    fn is_known(&self, key: &str) -> bool {
        self.names_are_free.get() || self.known.borrow().contains(&key)
    }

    fn unknown_keys(&self) -> impl Iterator<Item = &'a str> {
        self.keys().filter(|key| !self.is_known(key))
    }
}

fn in_file_order(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let mut ordered: Vec<_> = entries.iter().collect();
    ordered.sort_by_key(|entry| entry.offset);
    ordered.into_iter()
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, DocumentError, Unit};

    const TOWER: &str = "[shapes.tower]\ncenter = [0, 0, 0]\nraduis = 3\n";

    fn parse(text: &str) -> Document {
        Document::parse("scene.toml", text).unwrap()
    }

    #[test]
    fn a_misspelled_key_is_refused_with_the_key_that_was_meant() {
        let document = parse(TOWER);
        let shapes = document.root().required_table("shapes").unwrap();
        let tower = shapes.required_table("tower").unwrap();
        tower.required("center").unwrap();
        assert!(tower.optional("radius").is_none());
        assert_eq!(
            tower.finish().unwrap_err().to_string(),
            "scene.toml:3:1: shapes.tower: unknown key `raduis`; did you mean `radius`? known here: center, radius"
        );
    }

    #[test]
    fn an_unknown_key_that_is_near_nothing_lists_what_is_known() {
        let document = parse("a = 1\nmaterial = 2");
        let root = document.root();
        assert_eq!(
            root.finish().unwrap_err().to_string(),
            "scene.toml:1:1: unknown keys `a` (line 1), `material` (line 2); no key is known here"
        );
        root.required("a").unwrap();
        root.optional("a");
        assert_eq!(root.finish().unwrap_err().to_string(), "scene.toml:2:1: unknown key `material`; known here: a");
        root.optional("material");
        root.finish().unwrap();
    }

    #[test]
    fn a_missing_key_names_its_table_and_a_likely_misspelling() {
        let document = parse(TOWER);
        let shapes = document.root().required_table("shapes").unwrap();
        let tower = shapes.required_table("tower").unwrap();
        assert_eq!(
            tower.required("radius").unwrap_err().to_string(),
            "scene.toml:1:1: shapes.tower: key `radius` is missing; is `raduis` a misspelling of it?"
        );
        assert_eq!(
            tower.required("height").unwrap_err().to_string(),
            "scene.toml:1:1: shapes.tower: key `height` is missing"
        );
    }

    #[test]
    fn all_missing_and_unknown_keys_of_a_document_are_told_at_once() {
        let document = parse("seeed = 1\n[mast]\nheight = 3\nflag = 'red'\n[[legs]]\nlength = 1\n[[legs]]\nfoot = 2");
        let read = document.read_whole(|root| {
            let mast = root.required_table("mast")?;
            mast.required("height")?.positive(Unit::Length)?;
            mast.finish()?;
            // What is missing as a whole has nothing missing in it.
            root.required_table("hull")?.required("width")?.choice(&[("wide", 1), ("narrow", 2)])?;
            for leg in root.required("legs")?.array()? {
                let leg = leg.table()?;
                leg.required("length")?.in_range(Unit::Length, 4.0, 5.0).ok();
                leg.required("foot")?.vector(Unit::Length).ok();
                leg.required("strut")?.table()?.finish()?;
                leg.finish()?;
            }
            root.required("seed")?.unsigned()?;
            root.one_of(&["day", "night"])?;
            root.finish()
        });
        assert_eq!(
            read.unwrap_err().to_string(),
            "scene.toml:4:1: mast: unknown key `flag`; known here: height; \
             1:1: key `hull` is missing; \
             5:1: legs[0]: keys `foot`, `strut` are missing; \
             7:1: legs[1]: keys `length`, `strut` are missing; \
             1:1: key `seed` is missing; is `seeed` a misspelling of it?; \
             1:1: one of `day`, `night` is required"
        );
        assert!(document.read_whole(|root| root.required("mast").map(|_| ())).is_ok());
    }

    #[test]
    fn many_faults_are_counted_in_the_end() {
        let text: String = (0..30).map(|number| format!("[part_{number:02}]\nodd = 1\nold = 2\n")).collect();
        let read = |root: &super::Table<'_>| {
            root.entries().try_for_each(|(_, part)| {
                let part = part.table()?;
                part.optional("ode");
                part.finish()
            })
        };
        let error = parse(&text).read_whole(read).unwrap_err().to_string();
        assert_eq!(error.matches("unknown keys").count(), 20, "{error}");
        assert!(error.contains("unknown keys `odd` (line 2, did you mean `ode`?), `old` (line 3"), "{error}");
        assert!(error.ends_with("; and 10 more"), "{error}");
    }

    #[test]
    fn faults_of_many_tables_are_told_of_the_first_in_their_order() {
        let text = format!("{{\"parts\": [{}{{}}]}}", "{}, ".repeat(19_999));
        let document = Document::parse("parts.json", &text).unwrap();
        let read = document.read_whole(|root| {
            // Key by key, so that keys of one table are found far from each other.
            for key in ["length", "width"] {
                for part in root.required("parts")?.array()? {
                    part.table()?.required(key)?;
                }
            }
            Ok::<_, DocumentError>(())
        });
        let error = read.unwrap_err().to_string();
        let first = "parts.json:1:12: parts[0]: keys `length`, `width` are missing; 1:16: parts[1]: keys ";
        assert!(error.starts_with(first), "{error}");
        assert!(error.ends_with("parts[19]: keys `length`, `width` are missing; and 19980 more"), "{error}");
    }

    #[test]
    fn exactly_one_of_several_keys_is_asked_for() {
        let document = parse("[a]\nsphere = 1\n[b]\nsphree = 1\n[c]\nsphere = 1\nbox = 2\n[d]");
        let one_of = |name| {
            let table = document.root().required_table(name).unwrap();
            let found = table.one_of(&["box", "sphere"]).map(|(key, _)| key);
            found.map_err(|error| error.to_string())
        };
        assert_eq!(one_of("a"), Ok("sphere"));
        assert_eq!(
            one_of("b").unwrap_err(),
            "scene.toml:3:1: b: one of `box`, `sphere` is required; unknown key `sphree`: did you mean `sphere`?"
        );
        assert_eq!(
            one_of("c").unwrap_err(),
            "scene.toml:5:1: c: `box`, `sphere` cannot stand together: exactly one of `box`, `sphere` is allowed"
        );
        assert_eq!(one_of("d").unwrap_err(), "scene.toml:8:1: d: one of `box`, `sphere` is required");
    }

    #[test]
    fn entries_come_in_the_order_of_the_file_and_make_every_key_known() {
        let document = parse("zeta = 1\nalpha.x = 2\nmid = 3\nalpha.y = 4\n[beta]");
        let root = document.root();
        let names: Vec<_> = root.keys().collect();
        assert_eq!(names, ["zeta", "alpha", "mid", "beta"]);
        assert!(root.contains("mid") && !root.contains("mi"));
        assert!(root.finish().is_err(), "neither keys nor contains make a key known");
        let entries: Vec<_> = root.entries().map(|(name, field)| (name, field.is_table())).collect();
        assert_eq!(entries, [("zeta", false), ("alpha", true), ("mid", false), ("beta", true)]);
        root.finish().unwrap();
    }

    #[test]
    fn optional_tables_may_be_missing_but_must_be_tables() {
        let document = parse("a = 1\n[b]");
        let root = document.root();
        assert!(root.optional_table("c").unwrap().is_none());
        assert!(root.optional_table("b").unwrap().is_some());
        assert_eq!(
            root.optional_table("a").unwrap_err().to_string(),
            "scene.toml:1:5: a: 1 is not allowed: must be a table"
        );
    }

    #[test]
    fn free_names_are_quoted_in_paths_where_they_must_be() {
        let document = parse("[shapes.'my tower']\npieces = [[1, 2], [3, true]]");
        let shapes = document.root().required_table("shapes").unwrap();
        let (_, tower) = shapes.entries().next().unwrap();
        let pieces = tower.table().unwrap().required("pieces").unwrap().array().unwrap();
        assert_eq!(
            pieces[1].array().unwrap()[1].integer().unwrap_err().to_string(),
            "scene.toml:2:23: shapes.\"my tower\".pieces[1][1]: true is not allowed: \
             must be a whole number from -9223372036854775808 to 9223372036854775807"
        );
    }
}
