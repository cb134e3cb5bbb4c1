//! Checks the footer of a Parquet file before the library reads it.
//!
//! The footer is a Thrift struct in the compact protocol. The library allocates as many items as a list declares, and
//! follows the schema's tree by recursion. So a few bytes could request any amount of memory, and a deeply nested
//! schema any amount of stack. This reader only traverses: it checks that lists, texts and the tree of the schema fit
//! the available bytes, and leaves their meaning to the library.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Longest footer \[bytes\].
const MAX_FOOTER: u64 = 64 << 20;
/// Most items of a list.
const MAX_ITEMS: u64 = 1 << 20;
/// Most levels of structs and lists inside each other; those of the format have some ten.
const MAX_NESTING: usize = 32;
/// Most levels of the schema, of which only the first is read as columns.
const MAX_LEVELS: usize = 64;
/// Greatest number of a field; the format has some twenty.
const MAX_FIELD: i64 = 1000;
/// The end of a file: the footer's length, and the magic number.
const END: u64 = 8;
const MAGIC: &[u8] = b"PAR1";
/// Number of the field of the footer that holds the schema, and of the one of its elements that counts children.
const SCHEMA: i64 = 2;
const CHILDREN: i64 = 5;
/// Types of the compact protocol.
const STOP: u8 = 0;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Checks the footer of a file, as far as it has one: what is not Parquet at all is for the library to say.
pub(super) fn check(file: &File) -> Result<(), String> {
    match footer(file) {
        Ok(Some(footer)) => Walk { bytes: &footer, at: 0 }.file(),
        Ok(None) => Ok(()),
        Err(error) => Err(format!("its footer cannot be read: {error}")),
    }
}

fn footer(mut file: &File) -> io::Result<Option<Vec<u8>>> {
    let Some(footer_end) = file.seek(SeekFrom::End(0))?.checked_sub(END) else {
        return Ok(None);
    };
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(footer_end))?;
    file.read_exact(&mut end)?;
    let (length, magic) = end.split_at(4);
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
    let Some(start) = footer_end.checked_sub(length).filter(|_| magic == MAGIC) else {
        return Ok(None);
    };
    if length > MAX_FOOTER {
        return Err(io::Error::other(format!("it has {length} bytes; at most {MAX_FOOTER} are allowed")));
    }
    let mut footer = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut footer)?;
    Ok(Some(footer))
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn file(&mut self) -> Result<(), String> {
        self.fields(
            |walk, field, kind| {
                if field == SCHEMA && matches!(kind, LIST | SET) { walk.schema() } else { walk.pass(kind, 1) }
            },
        )
    }

    /// The elements of the schema, each followed by its children.
    fn schema(&mut self) -> Result<(), String> {
        let (count, kind) = self.list()?;
        if kind != STRUCT {
            return Err(self.error("the schema is no list of structs"));
        }
        // Children that are to come, of each level.
        let mut levels: Vec<u64> = Vec::new();
        for _ in 0..count {
            let mut children = 0;
            self.fields(|walk, field, kind| {
                if field == CHILDREN && matches!(kind, 4..=6) {
                    children = walk.signed()?;
                    Ok(())
                } else {
                    walk.pass(kind, 2)
                }
            })?;
            while levels.last() == Some(&0) {
                levels.pop();
            }
            if let Some(left) = levels.last_mut() {
                *left -= 1;
            }
            let children = u64::try_from(children).ok().filter(|&children| children < count);
            let children = children
                .ok_or_else(|| self.error("an element of the schema has more children than there are elements"))?;
            if children > 0 {
                levels.push(children);
            }
            if levels.len() > MAX_LEVELS {
                return Err(self.error(&format!("the schema has more than {MAX_LEVELS} levels")));
            }
        }
        Ok(())
    }

    /// The fields of a struct, by number and type.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, i64, u8) -> Result<(), String>) -> Result<(), String> {
        let mut field = 0_i64;
        loop {
            let header = self.byte()?;
            let (step, kind) = (header >> 4, header & 15);
            if kind == STOP {
                return Ok(());
            }
            field = if step == 0 { self.signed()? } else { field.saturating_add(i64::from(step)) };
            // Numbers wrap around in readers that keep 16 bits of them.
            if !(0..=MAX_FIELD).contains(&field) {
                return Err(self.error(&format!("{field} is no number of a field")));
            }
            each(self, field, kind)?;
        }
    }

    /// Passes over a value.
    fn pass(&mut self, kind: u8, nesting: usize) -> Result<(), String> {
        if nesting > MAX_NESTING {
            return Err(self.error(&format!("more than {MAX_NESTING} structs and lists are inside each other")));
        }
        match kind {
            // A boolean field is its own value.
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                // A boolean in a list is a byte.
                (0..count).try_for_each(|_| if kind < 3 { self.skip(1) } else { self.pass(kind, nesting + 1) })
            }
            STRUCT => self.fields(|walk, _, kind| walk.pass(kind, nesting + 1)),
            _ => Err(self.error(&format!("{kind} is no type of this format"))),
        }
    }

    /// How many items a list has, and of which type.
    fn list(&mut self) -> Result<(u64, u8), String> {
        let header = self.byte()?;
        let (short, kind) = (header >> 4, header & 15);
        let count = if short == 15 { self.varint()? } else { u64::from(short) };
        let left = (self.bytes.len() - self.at) as u64;
        if count > left.min(MAX_ITEMS) {
            let most = left.min(MAX_ITEMS);
            return Err(self.error(&format!("a list claims {count} items, where at most {most} can be")));
        }
        Ok((count, kind))
    }

    fn byte(&mut self) -> Result<u8, String> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.error("it ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, length: u64) -> Result<(), String> {
        let left = (self.bytes.len() - self.at) as u64;
        if length > left {
            return Err(self.error(&format!("a value claims {length} bytes, where {left} are left")));
        }
        self.at += length as usize;
        Ok(())
    }

    /// Seven bits a byte, the lowest first.
    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(self.error("a number has more than 64 bits"))
    }

    /// With the sign in the lowest bit.
    fn signed(&mut self) -> Result<i64, String> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn error(&self, what: &str) -> String {
        format!("byte {} of its footer: {what}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(footer: &[u8]) -> Result<(), String> {
        Walk { bytes: footer, at: 0 }.file()
    }

    fn varint(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 127 {
            bytes.push(value as u8 & 127 | 128);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    /// A footer of a version and a schema, which is a list that claims so many elements.
    fn footer(claimed: u64, elements: &[u8]) -> Vec<u8> {
        [&[0x15, 2, 0x19, 0xfc][..], &varint(claimed), elements, &[0x16, 0, 0x19, 0x0c, 0]].concat()
    }

    /// An element of the schema named `g` with so many children.
    fn element(children: i64) -> Vec<u8> {
        [&[0x48, 1, b'g', 0x15][..], &varint((children << 1 ^ children >> 63) as u64), &[0]].concat()
    }

    #[test]
    fn what_a_footer_claims_must_fit_its_bytes() {
        assert_eq!(walked(&footer(2, &[element(1), element(0)].concat())), Ok(()));
        for (claimed, children) in [(1 << 31, 1), (1 << 28, 1), (2, (1 << 31) - 1), (2, 2), (2, -1)] {
            let error = walked(&footer(claimed, &[element(children), element(0)].concat())).unwrap_err();
            assert!(error.contains("byte "), "{error}");
        }
        let long_text = [&[0x15, 2, 0x19, 0x1c, 0x48][..], &varint(1 << 31), b"abc"].concat();
        assert!(walked(&long_text).unwrap_err().contains("claims 2147483648 bytes"));
        let groups = [&[0x49, 0xfc][..], &varint(1 << 31)].concat();
        assert!(walked(&groups).unwrap_err().contains("a list claims"));
    }

    #[test]
    fn a_schema_of_many_levels_is_refused_before_anyone_follows_it() {
        let nested = |levels: usize| footer(levels as u64 + 1, &[element(1).repeat(levels), element(0)].concat());
        assert_eq!(walked(&nested(MAX_LEVELS)), Ok(()));
        assert!(walked(&nested(MAX_LEVELS + 1)).unwrap_err().contains("levels"));
        assert!(walked(&nested(100_000)).unwrap_err().contains("levels"));
        let lists = [&[0x49][..], &[0x19; 100_000]].concat();
        assert!(walked(&lists).unwrap_err().contains("inside each other"));
    }

    #[test]
    fn a_footer_that_ends_anywhere_is_an_error() {
        let whole = footer(2, &[element(1), element(0)].concat());
        for length in 0..whole.len() {
            assert!(walked(&whole[..length]).is_err(), "{length}");
        }
    }
}
