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

    /// The lines of its blocks of code that give this key a value, each with the heading of its page.
    pub fn examples(&self, key: &str) -> impl Iterator<Item = String> {
        let is_of = move |line: &&str| line.split_once('=').is_some_and(|(before, _)| has_words(before, key));
        let blocks = self.text.split("```").skip(1).step_by(2);
        blocks.flat_map(str::lines).filter(is_of).map(|line| format!("docs/{}.md\n  {line}\n\n", self.name))
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

/// Whether a text has this as words of their own.
fn has_words(text: &str, words: &str) -> bool {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(words).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + words.len()..]);
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
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
        let first = cells(self.row).first().copied().unwrap_or_default();
        let begins = |code: &str| code.strip_prefix(key).is_some_and(|rest| rest.starts_with(' '));
        self.names().iter().any(|name| name.eq_ignore_ascii_case(key)) || code(first).any(begins)
    }

    /// Whether it explains what ends in this key after a point.
    pub fn is_of_part(&self, key: &str) -> bool {
        self.names().iter().any(|name| name.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(key)))
    }

    /// Whether it has this key as code.
    pub fn mentions(&self, key: &str) -> bool {
        code(self.row).any(|code| has_words(code, key))
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
    pub fn mentions(&self, key: &str) -> bool {
        let mut bold = self.text.split("**").skip(1).step_by(2);
        code(self.text).any(|code| has_words(code, key)) || bold.any(|word| word.eq_ignore_ascii_case(key))
    }

    /// Its heading and its lines.
    pub fn text(&self) -> String {
        let lines: String = self.text.lines().map(|line| format!("  {line}\n")).collect();
        format!("{}{lines}\n", self.place.title())
    }
}
