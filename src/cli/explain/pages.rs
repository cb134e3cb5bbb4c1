//! The documentation pages, split into entries and paragraphs.

/// A page of `docs`.
pub struct Page {
    name: &'static str,
    text: &'static str,
}

macro_rules! pages {
    ($($name:literal),*) => { [$(Page { name: $name, text: include_str!(concat!("../../../docs/", $name, ".md")) }),*] };
}

/// Pages for users, the most specific first.
pub const PAGES: [Page; 18] = pages![
    "studies",
    "sampling",
    "rare-events",
    "landings",
    "vehicles",
    "scenes",
    "inputs-and-outcomes",
    "models",
    "worlds",
    "contact-laws",
    "deck_landings",
    "analysis",
    "gpu",
    "oriented",
    "lcp",
    "box-normals",
    "encounters",
    "verbs"
];

/// A row of a table.
pub struct Entry {
    place: Place,
    header: &'static str,
    row: &'static str,
}

/// A paragraph.
pub struct Paragraph {
    place: Place,
    text: &'static str,
}

#[derive(Clone, Copy)]
struct Place {
    page: &'static str,
    section: &'static str,
}

impl Place {
    fn title(self) -> String {
        format!("{} (docs/{}.md)\n", self.section, self.page)
    }
}

impl Page {
    /// Its paragraphs, tables and headings, with the section they belong to; code blocks are omitted.
    fn blocks(&self) -> impl Iterator<Item = (Place, &'static str)> {
        let (name, text) = (self.name, self.text);
        let mut section = "";
        let prose = text.split("```").step_by(2).flat_map(|part| part.split("\n\n"));
        prose.filter_map(move |block| {
            let block = block.trim_matches('\n');
            if let Some(title) = block.strip_prefix('#') {
                section = title.trim_start_matches('#').trim();
                return None;
            }
            Some((Place { page: name, section }, block)).filter(|_| !block.starts_with("    "))
        })
    }

    /// The rows of its tables.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.blocks().filter(|(_, block)| block.starts_with('|')).flat_map(|(place, block)| {
            let header = block.lines().next().unwrap_or_default();
            block.lines().skip(2).map(move |row| Entry { place, header, row })
        })
    }

    /// Its paragraphs, without tables.
    pub fn paragraphs(&self) -> impl Iterator<Item = Paragraph> {
        self.blocks().filter(|(_, block)| !block.starts_with('|')).map(|(place, text)| Paragraph { place, text })
    }
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    let inner = row.trim().trim_matches('|');
    let is_border = |(place, _): &(usize, &str)| !inner[..*place].ends_with('\\');
    let ends = inner.match_indices('|').filter(is_border).map(|(place, _)| place).chain([inner.len()]);
    let mut start = 0;
    ends.map(|end| inner[std::mem::replace(&mut start, end + 1)..end].trim()).collect()
}

/// The spans between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The first word of a code span: `strut` of `strut = [[0, 800]]`, `tyre` of `[tyre]`.
fn first_word(code: &str) -> &str {
    let code = code.trim_start_matches(['[', '"', '-']);
    code.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_.-".contains(letter)).next().unwrap_or_default()
}

impl Entry {
    /// The names it explains: those in its first cell.
    pub fn names(&self) -> Vec<String> {
        let first = cells(self.row).first().copied().unwrap_or_default();
        code(first).map(|code| first_word(code).to_owned()).filter(|name| !name.is_empty()).collect()
    }

    /// Whether it explains this key.
    pub fn is_of(&self, key: &str) -> bool {
        self.names().iter().any(|name| name.eq_ignore_ascii_case(key))
    }

    /// Its heading, and its cells labelled by the table header.
    pub fn text(&self) -> String {
        let mut text = self.place.title();
        for (title, cell) in cells(self.header).iter().zip(cells(self.row)).filter(|(_, cell)| !cell.is_empty()) {
            text.push_str(&format!("  {title}: {cell}\n"));
        }
        text + "\n"
    }
}

impl Paragraph {
    /// Whether it mentions this key, as code or in bold.
    pub fn names(&self, key: &str) -> bool {
        let bold = self.text.split("**").skip(1).step_by(2);
        code(self.text).map(first_word).chain(bold).any(|word| word.eq_ignore_ascii_case(key) && !key.is_empty())
    }

    /// Its heading and its lines.
    pub fn text(&self) -> String {
        let lines: String = self.text.lines().map(|line| format!("  {line}\n")).collect();
        format!("{}{lines}\n", self.place.title())
    }
}
