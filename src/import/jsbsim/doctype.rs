//! Document type definitions in files of systems.

/// A text whose document type definition is blank, line by line. Of JSBSim's own systems two declare entities and use none; a
/// reference to one is an error, so that none can grow.
pub(super) fn without_doctype(text: String) -> String {
    let Some((start, end)) = doctype(&text) else { return text };
    let blank = text[start..end].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' });
    [&text[..start], &blank.collect::<String>(), &text[end..]].concat()
}

/// Where the definition begins and ends; it comes before the first element.
fn doctype(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        let start = at + text[at..].find('<')?;
        let rest = &text[start..];
        if rest.starts_with("<!DOCTYPE") {
            return Some((start, start + length(rest)?));
        }
        at = start + [("<!--", "-->"), ("<?", "?>")].iter().find_map(|(open, close)| skipped(rest, open, close))?;
    }
}

/// How long a definition is, with what it has in brackets.
fn length(text: &str) -> Option<usize> {
    let (mut at, mut is_inside) = (0, false);
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            '<' if rest.starts_with("<!--") => skipped(rest, "<!--", "-->")?,
            quote @ ('"' | '\'') => 2 + rest[1..].find(quote)?,
            '>' if !is_inside => return Some(at + 1),
            letter => {
                is_inside = letter == '[' || is_inside && letter != ']';
                letter.len_utf8()
            }
        };
    }
}

/// How long something is that a text begins with, from its opening to its closing.
fn skipped(text: &str, open: &str, close: &str) -> Option<usize> {
    text.strip_prefix(open)?.find(close).map(|place| open.len() + place + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_becomes_blank_and_lines_stay() {
        let head = "<?xml version='1.0'?>\n<!-- <!DOCTYPE no> -->\n";
        let definition = "<!DOCTYPE a [\n <!ENTITY b \"]>\"> <!-- ]> ' -->\n]>";
        let blank = without_doctype(format!("{head}{definition}<a>\n&b;</a>"));
        assert_eq!(blank.replace(' ', ""), format!("{head}\n\n<a>\n&b;</a>").replace(' ', ""));
        for text in ["<a/>", "<!DOCTYPE a [", "", "<a><!DOCTYPE b></a>"] {
            assert_eq!(without_doctype(text.to_owned()), text);
        }
    }
}
