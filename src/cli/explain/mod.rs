//! `touchdown explain`.

mod pages;

use std::collections::BTreeSet;

use clap::Args;
use touchdown::document::nearest;

use self::pages::{Entry, PAGES, Page};
use super::Failure;
use super::failure::Code;
use super::text::{one_line, print};

/// Maximum number of entries, paragraphs or examples shown for a word without an entry of its own.
const MAX_MENTIONS: usize = 4;

/// Look up a key, an input, a quantity, a class, a scene node or a verdict
///
/// Prints what the documentation has on a key of any file, an input, a quantity, a class, a scene node, an option or a
/// verdict: its table entries, with page and section, or else the entries, paragraphs or examples that mention it.
#[derive(Debug, Args)]
pub struct Explain {
    #[arg(help = "What to look up, such as k_z, box, stopping_point or AMBIGUOUS")]
    key: String,
}

impl Explain {
    pub fn run(&self) -> Result<Code, Failure> {
        match explanation(&self.key, &PAGES) {
            Some(text) => print(&text).map(|()| Code::Done),
            None => Err(Failure::bad_input(unknown(&self.key))),
        }
    }
}

/// The entries of a key, or else of what ends in it after a point, or else what mentions it: entries, paragraphs, examples.
fn explanation(key: &str, pages: &[Page]) -> Option<String> {
    let key = key.trim_matches(['`', '[', ']']).trim_start_matches('-');
    if key.is_empty() {
        return None;
    }
    let entries = |is_shown: &dyn Fn(&Entry) -> bool| -> Vec<String> {
        pages.iter().flat_map(Page::entries).filter(is_shown).map(|entry| entry.text()).collect()
    };
    let own = entries(&|entry| entry.is_of(key));
    if !own.is_empty() {
        return Some(own.concat());
    }
    let parts = entries(&|entry| entry.is_of_part(key));
    if !parts.is_empty() {
        return Some(parts.concat());
    }
    let paragraphs = pages.iter().flat_map(Page::paragraphs).filter(|paragraph| paragraph.mentions(key));
    let examples = pages.iter().flat_map(|page| page.examples(key));
    let mentions =
        entries(&|entry| entry.mentions(key)).into_iter().chain(paragraphs.map(|it| it.text())).chain(examples);
    let shown: String = mentions.take(MAX_MENTIONS).collect();
    (!shown.is_empty()).then_some(shown)
}

fn unknown(key: &str) -> String {
    let names: BTreeSet<String> = PAGES.iter().flat_map(Page::entries).flat_map(|entry| entry.names()).collect();
    let meant = nearest(key, names.iter().map(String::as_str)).map(|name| format!("; did you mean {name}?"));
    format!("{}: the documentation has no such word{}", one_line(key), meant.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str) -> String {
        explanation(key, &PAGES).unwrap_or_default()
    }

    #[test]
    fn keys_inputs_nodes_and_verdicts_are_explained() {
        for (key, words) in [
            ("k_z", "spring along Z"),
            ("`z_min`", "required: travel"),
            ("box", "half edges along the axes"),
            ("stopping_point", "m"),
            ("sink_rate", "m/s"),
            ("AMBIGUOUS", "another decision"),
            ("seed", "random numbers"),
            ("confidence", "of the bound"),
            ("pitch_gain", "elevator"),
            ("truncated_normal", "`mean`, `sd`"),
            ("veered_off", "class"),
            // Without a unit, in a table with a unit column.
            ("first_touch_time", "  unit: s\n"),
            ("copies", "  what: so many in x"),
            ("modes", "  key: `gear.modes`"),
            ("sd", "`mean`, `sd`"),
            ("[airframe]", "`[airframe.constants]`"),
            ("--keep", "failures"),
            ("study run", "runs or resumes a study"),
            ("level_probability", "further keys"),
        ] {
            assert!(of(key).contains(words), "{key}: {}", of(key));
        }
    }

    #[test]
    fn what_is_not_there_is_no_part_of_another_word() {
        assert!(explanation("z_mi", &PAGES).is_none() && explanation("", &PAGES).is_none());
        assert!(unknown("sink_rat").contains("did you mean sink_rate"), "{}", unknown("sink_rat"));
    }
}
