//! `[[tolerance]]`: the tolerance intervals of a summary.

use super::confidence;
use crate::document::{DocumentError, Field, Table, Unit};
use crate::study::{DEFAULT_CONFIDENCE, Tolerance};

/// Limit that keeps the summary readable.
const MAX: usize = 16;

/// `[[tolerance]]` of a study: `content` and optionally `confidence`.
pub(super) fn tolerance(
    root: &Table<'_>,
    is_weighted: bool,
    warnings: &mut Vec<String>,
) -> Result<Vec<Tolerance>, DocumentError> {
    let Some(field) = root.optional("tolerance") else {
        return Ok(Vec::new());
    };
    if is_weighted {
        return Err(field.error(
            "trials with weights, of importance sampling or of a table with a column `weight`, have no tolerance intervals",
        ));
    }
    let tables = field.array()?;
    if tables.len() > MAX {
        return Err(field.error(format!("at most {MAX} tolerance intervals can be asked for")));
    }
    let share = |field: Field<'_>| {
        let number = field.number(Unit::One)?;
        // Closer to 1 there are never enough trials.
        if (0.01..=1.0 - 1e-9).contains(&number) {
            Ok(number)
        } else {
            Err(field.refused("must be from 0.01 to 0.999999999"))
        }
    };
    let mut one = |field: &Field<'_>| {
        let table = field.table()?;
        let asked = Tolerance {
            content: share(table.required("content")?)?,
            confidence: table.optional_or("confidence", DEFAULT_CONFIDENCE, |field| confidence(&field, warnings))?,
        };
        table.finish()?;
        Ok(asked)
    };
    tables.iter().map(&mut one).collect()
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::study::Tolerance;

    use super::tolerance;

    fn read(text: &str, is_weighted: bool) -> Result<Vec<Tolerance>, String> {
        let document = Document::parse("study.toml", text).map_err(|error| error.to_string())?;
        tolerance(&document.root(), is_weighted, &mut Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_asked_for_is_read_and_what_cannot_be_is_refused() {
        let asked = read("[[tolerance]]\ncontent = 0.999\nconfidence = 0.9\n[[tolerance]]\ncontent = 0.5\n", false);
        let expected = [Tolerance { content: 0.999, confidence: 0.9 }, Tolerance { content: 0.5, confidence: 0.95 }];
        assert_eq!(asked.unwrap(), expected);
        assert_eq!(read("", true).unwrap(), []);
        for (text, is_weighted, why) in [
            ("[[tolerance]]\ncontent = 1.0", false, "must be from 0.01 to 0.999999999"),
            ("[[tolerance]]\nconfidence = 0.9", false, "content"),
            ("[[tolerance]]\ncontent = 0.9\nsides = 1", false, "sides"),
            ("[[tolerance]]\ncontent = 0.9", true, "of importance sampling or of a table with a column `weight`"),
        ] {
            let error = read(text, is_weighted).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
