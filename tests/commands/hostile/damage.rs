//! Ways to spoil a file. Each gives bytes that a reader should almost always refuse.

use std::ops::Range;

use crate::support::random::Random;

/// One way to spoil a file; `None` where the file has nothing of the sort.
pub type Damage = fn(&str, &mut Random) -> Option<Vec<u8>>;

/// Damage to TOML and JSON, by name.
pub const DOCUMENT: &[(&str, Damage)] = &[
    ("line deleted", line_deleted),
    ("line doubled", line_doubled),
    ("lines swapped", lines_swapped),
    ("key misspelled", key_misspelled),
    ("key misspelled", key_misspelled),
    ("number replaced", number_replaced),
    ("number replaced", number_replaced),
    ("unit wrong", unit_wrong),
    ("text replaced", text_replaced),
    ("quotes stripped", quotes_stripped),
    ("key unknown", key_unknown),
    ("bracket astray", bracket_astray),
    ("cut short", cut_short),
    ("not UTF-8", not_utf8),
    ("nested deeply", nested_deeply),
    ("not a document", not_a_document),
];

/// Damage to CSV, by name.
pub const CSV: &[(&str, Damage)] = &[
    ("cell replaced", cell_replaced),
    ("cell replaced", cell_replaced),
    ("cell deleted", cell_deleted),
    ("cell added", cell_added),
    ("column misspelled", column_misspelled),
    ("column twice", column_twice),
    ("header deleted", |text, _| Some(text.split_once('\n')?.1.into())),
    ("other separator", |text, random| Some(text.replace(',', pick(random, &[";", "\t", "|", " "])).into())),
    ("quote open", quote_open),
    ("not UTF-8", not_utf8),
    ("not a table", not_a_document),
];

/// Damage to Parquet, by name; the text is the file's bytes, one character each.
pub const PARQUET: &[(&str, Damage)] = &[
    ("cut short", |bytes, random| {
        Some(latin(&bytes.chars().take(random.index(bytes.chars().count())).collect::<String>()))
    }),
    ("footer overwritten", |bytes, random| overwritten(bytes, random, footer_start)),
    ("footer overwritten", |bytes, random| overwritten(bytes, random, footer_start)),
    ("end overwritten", |bytes, random| overwritten(bytes, random, |bytes| bytes.len() - FOOTER_END)),
    ("piece deleted", piece_deleted),
    ("not a table", not_a_document),
];

/// Length of the footer and the magic word at the end of a Parquet file [bytes].
pub const FOOTER_END: usize = 8;

/// Deeper than any parser goes without its own limit.
const DEEP: usize = 20_000;

fn pick<'a>(random: &mut Random, choices: &[&'a str]) -> &'a str {
    choices[random.index(choices.len())]
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> Option<Vec<u8>> {
    Some([&text[..range.start], with, &text[range.end..]].concat().into())
}

/// A place between two characters.
fn boundary(text: &str, random: &mut Random) -> usize {
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    boundaries[random.index(boundaries.len())]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Number,
    /// With its quotes.
    Text,
    /// A bare word or, in JSON, a text before a colon.
    Key,
}

/// The tokens of TOML or JSON without comments and escapes.
fn tokens(text: &str, wanted: Token) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let end_of =
        |start: usize, part: fn(u8) -> bool| start + bytes[start..].iter().take_while(|&&byte| part(byte)).count();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (token, end) = match bytes[at] {
            b'"' => {
                let end = end_of(at + 1, |byte| byte != b'"') + 1;
                (if bytes.get(end) == Some(&b':') { Token::Key } else { Token::Text }, end)
            }
            b'0'..=b'9' | b'-' => {
                (Token::Number, end_of(at, |byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)))
            }
            b'a'..=b'z' | b'A'..=b'Z' => (Token::Key, end_of(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_')),
            _ => {
                at += 1;
                continue;
            }
        };
        if token == wanted {
            found.push(at..end);
        }
        at = end;
    }
    found
}

fn token(text: &str, wanted: Token, random: &mut Random) -> Option<Range<usize>> {
    let found = tokens(text, wanted);
    (!found.is_empty()).then(|| found[random.index(found.len())].clone())
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

fn joined(lines: &[&str]) -> Option<Vec<u8>> {
    Some((lines.join("\n") + "\n").into())
}

fn line_deleted(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let mut lines = lines(text);
    lines.remove(random.index(lines.len()));
    joined(&lines)
}

fn line_doubled(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let mut lines = lines(text);
    let line = random.index(lines.len());
    lines.insert(line, lines[line]);
    joined(&lines)
}

fn lines_swapped(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let mut lines = lines(text);
    let (one, other) = (random.index(lines.len()), random.index(lines.len()));
    lines.swap(one, other);
    (lines[one] != lines[other]).then(|| joined(&lines))?
}

/// Drops, doubles or changes one letter.
fn misspelled(word: &str, random: &mut Random) -> String {
    let letters: Vec<usize> =
        word.char_indices().filter(|(_, letter)| letter.is_ascii_alphanumeric()).map(|(at, _)| at).collect();
    let at = letters[random.index(letters.len())];
    let (before, letter, after) = (&word[..at], &word[at..=at], &word[at + 1..]);
    match random.index(3) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{letter}{letter}{after}"),
        _ => format!("{before}q{after}"),
    }
}

fn key_misspelled(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let range = token(text, Token::Key, random)?;
    let word = misspelled(&text[range.clone()], random);
    spliced(text, range, &word)
}

fn number_replaced(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    const WRONG: &[&str] = &[
        "nan",
        "inf",
        "-inf",
        "NaN",
        "Infinity",
        "1e308",
        "-1e308",
        "1e999",
        "-1",
        "\"\"",
        "\"many\"",
        "true",
        "[]",
        "[1, 2]",
        "{}",
        "0x",
        "1_",
        "--1",
        "1..2",
        "1979-05-27",
        "null",
        "1e",
        "\"12 parsecs\"",
        "\"1e400 m\"",
        "99999999999999999999999999999999999999999999999999",
        "",
    ];
    let range = token(text, Token::Number, random)?;
    spliced(text, range, pick(random, WRONG))
}

fn unit_wrong(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    const UNITS: &[&str] = &["furlong", "psi", "Hz", "m m", "deg/kg", "%", "KT", "m/s/s/s"];
    let range = token(text, Token::Number, random)?;
    let quantity = format!("\"{} {}\"", &text[range.clone()], pick(random, UNITS));
    spliced(text, range, &quantity)
}

fn text_replaced(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let range = token(text, Token::Text, random)?;
    // A name may be anything.
    if text[..range.start].lines().next_back()?.contains("name") {
        return None;
    }
    let wrong = ["\"no such thing\"", "\"\"", "\"/\"", "\"../..\"", "\"\\u0000\"", "7", "[[]]", "false", "{ a = 1 }"];
    spliced(text, range, pick(random, &wrong))
}

fn quotes_stripped(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let range = token(text, Token::Text, random)?;
    let bare = &text[range.start + 1..range.end - 1];
    spliced(text, range.clone(), bare)
}

fn key_unknown(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let mut lines = lines(text);
    let unknown = if text.starts_with('{') { "\"surprise\": 1," } else { "surprise = 1" };
    lines.insert(random.index(lines.len()), unknown);
    joined(&lines)
}

fn bracket_astray(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let at = boundary(text, random);
    spliced(text, at..at, pick(random, &["[", "]", "{", "}", "\"", "=", "\0", ",", "\u{feff}", "\\", "\r", "''"]))
}

fn cut_short(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let at = boundary(text, random);
    Some(text[..at].into())
}

fn not_utf8(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    const WRONG: [&[u8]; 5] = [b"\xff", b"\xc3(", b"\x80", b"\xed\xa0\x80", b"\xff\xfe"];
    let at = boundary(text, random);
    let (before, after) = text.as_bytes().split_at(at);
    Some([before, WRONG[random.index(WRONG.len())], after].concat())
}

fn nested_deeply(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let json = text.starts_with('{');
    let (open, close) = if json { ("{\"union\": [", "]}") } else { ("{ union = [", "] }") };
    let range = token(text, Token::Number, random)?;
    let depth = [100, 1000, DEEP][random.index(3)];
    let nested = [open.repeat(depth), close.repeat(depth)].concat();
    spliced(text, range, &nested)
}

fn not_a_document(_: &str, random: &mut Random) -> Option<Vec<u8>> {
    const WRONG: [&[u8]; 10] = [
        b"",
        b"\0",
        b"\n\n\n",
        b"[]",
        b"null",
        b"\x7fELF\x02\x01\x01",
        b"PAR1",
        b"<?xml version=\"1.0\"?>",
        b"\xef\xbb\xbf",
        b"\xff\xfen\0a\0m\0e\0",
    ];
    Some(WRONG[random.index(WRONG.len())].into())
}

/// The place of a cell: line and column, the header being line 0.
fn cell(text: &str, random: &mut Random) -> (Vec<Vec<String>>, usize, usize) {
    let rows: Vec<Vec<String>> = lines(text).iter().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let (row, column) = (1 + random.index(rows.len() - 1), random.index(rows[0].len()));
    (rows, row, column)
}

fn table(rows: &[Vec<String>]) -> Option<Vec<u8>> {
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    Some((lines.join("\n") + "\n").into())
}

fn cell_replaced(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    const WRONG: &[&str] = &[
        "nan", "inf", "-inf", "1e400", "abc", "\"1,5\"", "0x10", "3 m", "1e308", "-1e300", "1 2", "--1", "é",
        "\"\"\"\"", "1.5e",
    ];
    let (mut rows, row, column) = cell(text, random);
    rows[row][column] = pick(random, WRONG).to_owned();
    table(&rows)
}

fn cell_deleted(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (mut rows, row, column) = cell(text, random);
    rows[row].remove(column);
    table(&rows)
}

fn cell_added(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (mut rows, row, column) = cell(text, random);
    rows[row].insert(column, "1".to_owned());
    table(&rows)
}

fn column_misspelled(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (mut rows, _, column) = cell(text, random);
    rows[0][column] = misspelled(&rows[0][column], random);
    table(&rows)
}

fn column_twice(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (mut rows, _, column) = cell(text, random);
    let other = (column + 1) % rows[0].len();
    rows[0][column] = rows[0][other].clone();
    table(&rows)
}

fn quote_open(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (mut rows, row, column) = cell(text, random);
    rows[row][column].insert(0, '"');
    table(&rows)
}

/// Bytes as text, one character each.
pub fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The bytes of such a text.
pub fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|character| character as u8).collect()
}

/// Where the footer of a Parquet file begins.
pub fn footer_start(bytes: &[u8]) -> usize {
    let end = bytes.len() - FOOTER_END;
    end - u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize
}

fn overwritten(text: &str, random: &mut Random, first: fn(&[u8]) -> usize) -> Option<Vec<u8>> {
    let mut bytes = latin(text);
    let start = first(&bytes);
    for _ in 0..1 + random.index(6) {
        let at = start + random.index(bytes.len() - start);
        bytes[at] ^= 1 + random.index(255) as u8;
    }
    Some(bytes)
}

fn piece_deleted(text: &str, random: &mut Random) -> Option<Vec<u8>> {
    let mut bytes = latin(text);
    let start = random.index(bytes.len() - FOOTER_END);
    let end = (start + 1 + random.index(200)).min(bytes.len());
    bytes.drain(start..end);
    Some(bytes)
}
