//! XML with line numbers: elements with their positions, and numbers in SI units.

use std::fmt;

use glam::DVec3;
use roxmltree::{Document, Error, Node};

use super::JsbsimError;

/// Most elements, texts and comments of a file; the largest of JSBSim's own aircraft have some 20,000.
const MAX_NODES: u32 = 1_000_000;
/// Most elements within each other; JSBSim's own aircraft have some 20.
const MAX_DEPTH: usize = 256;
/// Most attributes of an element, and most namespaces of a file; JSBSim's own aircraft have five, and two.
const MAX_ATTRIBUTES: usize = 100;
const MAX_NAMESPACES: usize = 100;
/// Most characters of a wrong value that a message shows.
const SHOWN: usize = 40;

/// What a number measures: JSBSim's names of units, the one that holds where none is given first, and their sizes.
pub(super) type Measure = [(&'static str, f64)];

const INCH: f64 = 0.0254;
/// \[m\].
pub(super) const FOOT: f64 = 0.3048;
const POUND: f64 = 0.453_592_37;
/// A pound's weight \[N\].
pub(super) const POUND_FORCE: f64 = POUND * 9.806_65;
/// What a pound's weight accelerates by a foot per second squared \[kg\].
pub(super) const SLUG: f64 = POUND_FORCE / FOOT;

/// Places \[m\].
pub(super) const PLACE: &Measure = &[("IN", INCH), ("FT", FOOT), ("M", 1.0), ("CM", 0.01), ("KM", 1e3)];
/// Sizes \[m\].
pub(super) const LENGTH: &Measure = &[("FT", FOOT), ("IN", INCH), ("M", 1.0), ("CM", 0.01), ("KM", 1e3)];
/// \[m^2\].
pub(super) const AREA: &Measure = &[("FT2", FOOT * FOOT), ("IN2", INCH * INCH), ("M2", 1.0), ("CM2", 1e-4)];
/// \[kg\].
pub(super) const MASS: &Measure = &[("LBS", POUND), ("KG", 1.0), ("SLUG", SLUG)];
/// \[kg m^2\].
pub(super) const INERTIA: &Measure = &[("SLUG*FT2", SLUG * FOOT * FOOT), ("KG*M2", 1.0)];
/// \[N/m\].
pub(super) const STIFFNESS: &Measure = &[("LBS/FT", POUND_FORCE / FOOT), ("N/M", 1.0)];
/// \[N s/m\]. JSBSim writes a newton per metre per second as N/M/SEC.
pub(super) const DAMPING: &Measure = &[("LBS/FT/SEC", POUND_FORCE / FOOT), ("N/M/SEC", 1.0)];
/// \[N s^2/m^2\].
pub(super) const SQUARE_DAMPING: &Measure = &[("LBS/FT2/SEC2", POUND_FORCE / (FOOT * FOOT)), ("N/M2/SEC2", 1.0)];
/// \[deg\].
pub(super) const ANGLE: &Measure = &[("DEG", 1.0), ("RAD", 180.0 / std::f64::consts::PI)];
/// Without a unit.
pub(super) const PLAIN: &Measure = &[("", 1.0)];

/// A line of a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    /// The file that contains a section of the aircraft; empty for the aircraft's own.
    pub file: String,
    pub line: usize,
}

impl fmt::Display for Spot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        if self.file.is_empty() { Ok(()) } else { write!(formatter, " of {}", self.file.escape_debug()) }
    }
}

/// Where the lines of a file start.
pub(super) struct Lines {
    /// As in [`Spot`].
    file: String,
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(file: &str, text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(place, _)| place + 1);
        Self { file: file.to_owned(), starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line of a byte.
    fn spot(&self, place: usize) -> Spot {
        Spot { file: self.file.clone(), line: self.starts.partition_point(|&start| start <= place) }
    }
}

/// Parses a file, named as in [`Spot`]. Document type definitions are refused, and with them entities that grow.
pub(super) fn parse<'a>(file: &str, text: &'a str) -> Result<Document<'a>, JsbsimError> {
    let at = |line, message: String| JsbsimError { spot: Spot { file: file.to_owned(), line }, message };
    check_shape(file, text)?;
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..roxmltree::ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let last = text.trim_end().bytes().filter(|&byte| byte == b'\n').count() + 1;
        match error {
            Error::DtdDetected => {
                let place = text.find("<!DOCTYPE").unwrap_or(0);
                let spot = Lines::of(file, text).spot(place);
                at(spot.line, "<!DOCTYPE> is not allowed: nor are entities of its own".to_owned())
            }
            Error::NodesLimitReached => {
                at(last, format!("more than {MAX_NODES} elements, texts and comments are not allowed"))
            }
            Error::UnclosedRootNode => at(last, "ends before its first element is closed".to_owned()),
            Error::NoRootNode => at(last, "holds no element; an aircraft of JSBSim is <fdm_config>".to_owned()),
            // Other messages end in their place, which the line repeats: only these have one.
            error => at(error.pos().row as usize, format!("is not XML: {error}")),
        }
    })?;
    match deepest(&document) {
        (depth, place) if depth > MAX_DEPTH => {
            let line = Lines::of(file, text).spot(place).line;
            Err(at(line, format!("more than {MAX_DEPTH} elements within each other are not allowed")))
        }
        _ => Ok(document),
    }
}

/// How many elements are within each other at most, and where the innermost of them is.
fn deepest(document: &Document<'_>) -> (usize, usize) {
    let mut deepest = (0, 0);
    // Elements come before those within them: what has ended before a node is not around it.
    let mut around: Vec<usize> = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        let range = node.range();
        while around.last().is_some_and(|&end| end <= range.start) {
            around.pop();
        }
        around.push(range.end);
        if around.len() > deepest.0 {
            deepest = (around.len(), range.start);
        }
    }
    deepest
}

/// Refuses what the parser takes long over: it compares each attribute of an element with all before it, and each
/// namespace with all that hold there.
fn check_shape(file: &str, text: &str) -> Result<(), JsbsimError> {
    let refused = |place: usize, message: String| {
        Err(JsbsimError { spot: Lines::of(file, text).spot(place), message: format!("is not allowed: {message}") })
    };
    let mut namespaces = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let skipped =
            [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].iter().find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = skipped {
            let Some(end) = rest[open.len()..].find(close) else { break };
            at = start + open.len() + end + close.len();
            continue;
        }
        let tag = &rest[..end_of_tag(rest)];
        let (attributes, declared) = attributes(tag);
        if attributes > MAX_ATTRIBUTES {
            return refused(start, format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        namespaces += declared;
        if namespaces > MAX_NAMESPACES {
            return refused(start, format!("more than {MAX_NAMESPACES} namespaces are declared"));
        }
        at = start + tag.len();
    }
    Ok(())
}

/// Where a tag ends; a `>` in quotes does not end it.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return place + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// How many attributes a tag has, and how many of them declare namespaces.
fn attributes(tag: &str) -> (usize, usize) {
    let mut quote = None;
    let (mut attributes, mut namespaces) = (0, 0);
    for (place, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'=') => attributes += 1,
            (None, b'x') if tag.as_bytes()[place..].starts_with(b"xmlns") => namespaces += 1,
            _ => {}
        }
    }
    (attributes, namespaces)
}

/// An element of the file.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    lines: &'a Lines,
}

impl<'a> Element<'a> {
    pub(super) fn root(document: &'a Document<'a>, lines: &'a Lines) -> Self {
        Self { node: document.root_element(), lines }
    }

    pub(super) fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Where it starts.
    pub(super) fn spot(&self) -> Spot {
        self.lines.spot(self.node.range().start)
    }

    /// An attribute without the blanks around it; empty where there is none.
    pub(super) fn attribute(&self, name: &str) -> &'a str {
        self.node.attribute(name).unwrap_or_default().trim()
    }

    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        self.node.children().filter(Node::is_element).map(move |node| Self { node, lines: self.lines })
    }

    pub(super) fn all(self, tag: &str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.tag() == tag)
    }

    /// The first of this name; JSBSim never looks at others.
    pub(super) fn first(self, tag: &str) -> Option<Self> {
        self.all(tag).next()
    }

    pub(super) fn required(self, tag: &str) -> Result<Self, JsbsimError> {
        self.first(tag).ok_or_else(|| self.error(format!("<{tag}> is missing")))
    }

    /// An error at this element.
    pub(super) fn error(&self, message: impl AsRef<str>) -> JsbsimError {
        JsbsimError { spot: self.spot(), message: format!("<{}>: {}", self.tag(), message.as_ref()) }
    }

    /// An error about the value of this element.
    pub(super) fn refused(&self, allowed: &str) -> JsbsimError {
        self.error(format!("{} is not allowed: {allowed}", shown(&self.text())))
    }

    /// Its text without the blanks around it.
    pub(super) fn text(&self) -> String {
        let texts = self.node.children().filter(Node::is_text).filter_map(|node| node.text());
        texts.collect::<String>().trim().to_owned()
    }

    /// Its number in SI units.
    pub(super) fn number(&self, measure: &Measure) -> Result<f64, JsbsimError> {
        self.in_unit(self.unit(measure)?)
    }

    /// Its number, whatever its unit.
    pub(super) fn finite(&self) -> Result<f64, JsbsimError> {
        self.in_unit(1.0)
    }

    /// Its number, whatever its unit, if it is above another.
    pub(super) fn above(&self, least: f64) -> Result<f64, JsbsimError> {
        let number = self.finite()?;
        if number > least { Ok(number) } else { Err(self.refused(&format!("must be above {least}"))) }
    }

    pub(super) fn positive(&self, measure: &Measure) -> Result<f64, JsbsimError> {
        let number = self.number(measure)?;
        if number > 0.0 { Ok(number) } else { Err(self.refused("must be above 0")) }
    }

    pub(super) fn not_negative(&self, measure: &Measure) -> Result<f64, JsbsimError> {
        let number = self.number(measure)?;
        if number >= 0.0 { Ok(number) } else { Err(self.refused("must be at least 0")) }
    }

    /// Its x, y and z in the structural frame \[m\].
    pub(super) fn place(self) -> Result<DVec3, JsbsimError> {
        let unit = self.unit(PLACE)?;
        let [x, y, z] = ["x", "y", "z"].map(|axis| self.required(axis)?.in_unit(unit));
        Ok(DVec3::new(x?, y?, z?))
    }

    /// The size of its unit.
    pub(super) fn unit(&self, measure: &Measure) -> Result<f64, JsbsimError> {
        let name = self.attribute("unit");
        let known = measure.iter().find(|(known, _)| *known == name);
        match known.or_else(|| measure.first().filter(|_| name.is_empty())) {
            Some((_, size)) => Ok(*size),
            None => {
                let allowed: Vec<_> =
                    measure.iter().map(|(known, _)| *known).filter(|known| !known.is_empty()).collect();
                let allowed = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
                Err(self.error(format!("unit {} is not allowed: must be one of {allowed}", shown(name))))
            }
        }
    }

    /// Its number times a unit.
    pub(super) fn in_unit(&self, unit: f64) -> Result<f64, JsbsimError> {
        if let Some(child) = self.children().next() {
            return Err(self.error(format!("must be a number, and holds <{}>", child.tag())));
        }
        match self.text().parse::<f64>() {
            Ok(number) if (number * unit).is_finite() => Ok(number * unit),
            _ => Err(self.refused("must be a finite number")),
        }
    }
}

/// The beginning of a text that may be anything, in quotes.
pub(super) fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(SHOWN).collect();
    let more = if beginning.len() < text.len() { "..." } else { "" };
    format!("`{}{more}`", beginning.escape_debug())
}
