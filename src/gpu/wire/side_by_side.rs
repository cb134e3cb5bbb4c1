//! Structures side by side: in blocks of [`LANES`], the first [`QUAD`] words of all, then the next ones, and so on.
//!
//! Lanes that look at the same field of structures in a row then read memory in a row: a few transactions and not one for
//! each. By fours, since a field is read in one go, where it stands alone in them or beside another that is read with it; no
//! vector crosses from four to the next. The kernel reads and writes fields by functions that are made from the declarations.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::structure::{Field, Structure};

/// Structures in a block: the lanes that are at work together on most devices.
pub(in crate::gpu) const LANES: usize = 32;
/// Words that stay together.
const QUAD: usize = 4;

/// Words of this many structures in whole blocks.
pub(in crate::gpu) fn words_of(count: usize, words: usize) -> usize {
    count.next_multiple_of(LANES) * words
}

/// Puts a structure into a lane of its block.
pub(in crate::gpu) fn weave(structure: &[u32], lane: usize, block: &mut [u32]) {
    for (place, words) in block.chunks_exact_mut(QUAD).skip(lane).step_by(LANES).zip(structure.chunks_exact(QUAD)) {
        place.copy_from_slice(words);
    }
}

/// Takes out the structure with this number.
pub(in crate::gpu) fn unweave(blocks: &[u32], number: usize, structure: &mut [u32]) {
    let block = &blocks[number / LANES * LANES * structure.len()..];
    let places = block.chunks_exact(QUAD).skip(number % LANES).step_by(LANES);
    for (words, place) in structure.chunks_exact_mut(QUAD).zip(places) {
        words.copy_from_slice(place);
    }
}

/// Structures whose fields a kernel reads and writes where they stand side by side.
pub(in crate::gpu) struct Woven {
    /// The buffer of all.
    pub buffer: &'static str,
    /// Those that are fields of others, and the elements of arrays.
    pub structures: Vec<Known>,
}

/// A structure: its name in WGSL, its size in words, its fields.
pub(in crate::gpu) struct Known {
    name: String,
    words: usize,
    fields: Vec<Field>,
}

impl Known {
    /// That of a declaration, with arrays behind it.
    pub fn new<S: Structure>(arrays: &[(&str, String, usize)]) -> Self {
        let named =
            |(name, kind, at): &(&str, String, usize)| Field { name: (*name).to_owned(), kind: kind.clone(), at: *at };
        let fields = S::places().into_iter().chain(arrays.iter().map(named)).collect();
        Self { name: S::name(), words: size_of::<S>() / 4, fields }
    }
}

/// What the functions of a field are made of.
struct Access<'a> {
    /// Their name; the one that writes begins with `set_`.
    function: String,
    kind: &'a str,
    /// The field's first word.
    at: usize,
    /// Words from one element to the next, of a field in each of several elements.
    stride: Option<usize>,
}

impl Woven {
    /// The functions of a structure's fields, and of theirs, that `source` calls: `NAME_FIELD()` and `set_NAME_FIELD(value)`,
    /// `NAME()` and `set_NAME(value)` for all. Fields that are arrays have `ELEMENT(index)`, and `ELEMENT_FIELD(index)` where
    /// their elements are structures, ELEMENT as given for them.
    pub fn functions(&self, name: &str, structure: &str, elements: &[(&str, &str)], source: &str) -> String {
        let Some(known) = self.known(structure) else { return String::new() };
        let mut accesses = self.accesses(name.to_owned(), structure, 0, None);
        for Field { name, kind, at } in &known.fields {
            let Some((of, _)) = array(kind) else { continue };
            let element =
                elements.iter().find(|(array, _)| array == name).map_or(name.as_str(), |(_, element)| element);
            accesses.extend(self.accesses(element.to_owned(), of, *at, Some(self.words(of))));
        }
        let called = called_in(source);
        accesses.iter().map(|access| self.access(access, &called)).collect()
    }

    fn known(&self, name: &str) -> Option<&Known> {
        self.structures.iter().find(|known| known.name == name)
    }

    /// A value and, of a structure, its fields.
    fn accesses<'a>(&'a self, function: String, kind: &'a str, at: usize, stride: Option<usize>) -> Vec<Access<'a>> {
        let mut all = Vec::new();
        for field in self.known(kind).into_iter().flat_map(|known| &known.fields) {
            if array(&field.kind).is_none() {
                all.extend(self.accesses(format!("{function}_{}", field.name), &field.kind, at + field.at, stride));
            }
        }
        all.push(Access { function, kind, at, stride });
        all
    }

    fn access(&self, access: &Access<'_>, called: &HashSet<&str>) -> String {
        let Access { function, kind, at, stride } = access;
        let place = |word: usize| self.place(word, *stride);
        let mut text = String::new();
        if called.contains(function.as_str()) {
            let index = if stride.is_some() { "index: u32" } else { "" };
            let value = self.read(kind, *at, &place);
            let _ = writeln!(text, "fn {function}({index}) -> {kind} {{\n    return {value};\n}}");
        }
        if called.contains(format!("set_{function}").as_str()) {
            let index = if stride.is_some() { "index: u32, " } else { "" };
            let mut lines = String::new();
            self.write(&mut lines, kind, "value", *at, &place);
            let _ = writeln!(text, "fn set_{function}({index}value: {kind}) {{\n{lines}}}");
        }
        text
    }

    /// Where a word stands, of the element with the number `index` if there are several: its four, and which of them it is.
    fn place(&self, word: usize, stride: Option<usize>) -> (String, String) {
        let quads = match stride {
            None => format!("{}u", word / QUAD),
            Some(1) => format!("({word}u + index) / {QUAD}u"),
            Some(stride) => format!("{}u + {}u * index", word / QUAD, stride / QUAD),
        };
        let component = match stride {
            Some(1) => format!("[({word}u + index) % {QUAD}u]"),
            _ => [".x", ".y", ".z", ".w"][word % QUAD].to_owned(),
        };
        let buffer = self.buffer;
        (format!("{buffer}[place_in({}_QUADS, {quads})]", buffer.to_uppercase()), component)
    }

    /// Size of a type in words.
    fn words(&self, kind: &str) -> usize {
        let of_structure = || self.known(kind).map_or(1, |known| known.words);
        components(kind).map_or_else(of_structure, |(count, _)| count)
    }

    /// Parts of a type: of each its name within a value, its type and its first word; none of a number.
    fn parts(&self, kind: &str) -> Vec<(String, String, usize)> {
        if let Some((count, part)) = components(kind) {
            let names = ["x", "y", "z", "w"].into_iter().take(count).enumerate();
            return names.map(|(number, name)| (format!(".{name}"), part.to_owned(), number)).collect();
        }
        if let Some((part, count)) = array(kind) {
            let words = self.words(part);
            return (0..count).map(|number| (format!("[{number}]"), part.to_owned(), number * words)).collect();
        }
        let fields = self.known(kind).into_iter().flat_map(|known| &known.fields);
        fields.map(|field| (format!(".{}", field.name), field.kind.clone(), field.at)).collect()
    }

    /// The expression of a value that begins at a word.
    fn read(&self, kind: &str, at: usize, place: &impl Fn(usize) -> (String, String)) -> String {
        let (quad, component) = place(at);
        if let Some((count, _)) = components(kind) {
            let swizzle = &"xyzw"[at % QUAD..at % QUAD + count];
            return format!("bitcast<{kind}>({quad}.{swizzle})");
        }
        let parts = self.parts(kind);
        if parts.is_empty() {
            return format!("bitcast<{kind}>({quad}{component})");
        }
        let parts: Vec<String> = parts.iter().map(|(_, part, first)| self.read(part, at + first, place)).collect();
        format!("{kind}({})", parts.join(", "))
    }

    /// The lines that write a value from a word on.
    fn write(
        &self,
        lines: &mut String,
        kind: &str,
        value: &str,
        at: usize,
        place: &impl Fn(usize) -> (String, String),
    ) {
        let (quad, component) = place(at);
        let whole = components(kind).is_some_and(|(count, _)| count == QUAD);
        let parts = if whole { Vec::new() } else { self.parts(kind) };
        if whole {
            let _ = writeln!(lines, "    {quad} = bitcast<vec4<u32>>({value});");
        } else if parts.is_empty() {
            let _ = writeln!(lines, "    {quad}{component} = bitcast<u32>({value});");
        }
        for (name, part, first) in parts {
            self.write(lines, &part, &format!("{value}{name}"), at + first, place);
        }
    }
}

/// The functions that a source calls, found in one pass: a source is made for every batch, and is long.
fn called_in(source: &str) -> HashSet<&str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = source.match_indices('(').map(|(at, _)| &source[..at]);
    before.map(|text| &text[text.trim_end_matches(is_name).len()..]).collect()
}

/// Number and type of the components of a vector.
fn components(kind: &str) -> Option<(usize, &str)> {
    let (count, rest) = kind.strip_prefix("vec")?.split_once('<')?;
    Some((count.parse().ok()?, rest.strip_suffix('>')?))
}

/// Type and number of the elements of an array.
fn array(kind: &str) -> Option<(&str, usize)> {
    let (element, count) = kind.strip_prefix("array<")?.strip_suffix('>')?.rsplit_once(", ")?;
    Some((element, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::wire::on_device;

    on_device! {
        /// Of a number, a pair and three.
        Inner { number: f32, count: u32, pair: [f32; 2] }
    }

    on_device! {
        /// With another within.
        Outer { three: [f32; 3], flags: u32, inner: Inner }
    }

    #[test]
    fn structures_come_out_of_their_blocks_as_they_went_in() {
        let words = 12;
        let count = LANES + 3;
        let structures: Vec<u32> = (0..(count * words) as u32).collect();
        let mut blocks = vec![0; words_of(count, words)];
        for (number, structure) in structures.chunks_exact(words).enumerate() {
            let block = number / LANES * LANES * words;
            weave(structure, number % LANES, &mut blocks[block..block + LANES * words]);
        }
        let mut out = vec![0; words];
        for (number, structure) in structures.chunks_exact(words).enumerate() {
            unweave(&blocks, number, &mut out);
            assert_eq!(out, structure, "{number}");
        }
        // The first four words of lanes in a row stand in a row.
        let first_words: Vec<u32> = blocks.iter().step_by(QUAD).take(LANES).copied().collect();
        assert_eq!(first_words, (0..LANES as u32).map(|lane| lane * words as u32).collect::<Vec<_>>());
    }

    #[test]
    fn fields_have_functions_where_they_are_called() {
        let arrays = [("values", "array<f32, 5>".to_owned(), 8), ("parts", "array<Inner, 2>".to_owned(), 16)];
        let woven =
            Woven { buffer: "outers", structures: vec![Known::new::<Outer>(&arrays), Known::new::<Inner>(&[])] };
        let made = |source: &str| woven.functions("outer", "Outer", &[("values", "value"), ("parts", "part")], source);
        let quad = |place: &str| format!("outers[place_in(OUTERS_QUADS, {place})]");
        let of = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();

        assert_eq!(made("no call, nor another_outer_three()"), "");
        let three = format!("    return bitcast<vec3<f32>>({}.xyz);", quad("0u"));
        assert_eq!(
            made("x = outer_three();"),
            of(&["fn outer_three() -> vec3<f32> {".to_owned(), three, "}".to_owned()])
        );
        let count = format!("    {}.y = bitcast<u32>(value);", quad("1u"));
        assert_eq!(
            made("(set_outer_inner_count(1u))"),
            of(&["fn set_outer_inner_count(value: u32) {".to_owned(), count, "}".to_owned()])
        );
        let value = format!("    return bitcast<f32>({}[(8u + index) % 4u]);", quad("(8u + index) / 4u"));
        assert_eq!(made("value(3u)"), of(&["fn value(index: u32) -> f32 {".to_owned(), value, "}".to_owned()]));
        let pair = ["z = bitcast<u32>(value.x)", "w = bitcast<u32>(value.y)"];
        let pair = pair.map(|line| format!("    {}.{line};", quad("4u + 1u * index")));
        let [x, y] = pair;
        assert_eq!(
            made("set_part_pair(i, p)"),
            of(&["fn set_part_pair(index: u32, value: vec2<f32>) {".to_owned(), x, y, "}".to_owned()])
        );
        let whole = made("outer()");
        assert!(whole.contains("array<Inner, 2>(Inner(") && whole.contains("array<f32, 5>("), "{whole}");
    }
}
