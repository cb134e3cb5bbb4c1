//! Saved items recomputed, with everything known about them.

use std::path::Path;

use touchdown::document::Document;
use touchdown::validation::{Agreement, Description, Engines, Item, Part, saved_items};

use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::text::{columns, print};

/// Recomputes saved items.
pub fn run(engines: Engines<'_>, file: &Path) -> Result<Code, Failure> {
    let mut code = Code::Done;
    for (item, then) in saved_items(&Document::read(file)?)? {
        let (text, verdict) = description(engines, item.as_ref())?;
        print(&format!("\n{text}  verdict then  {}\n", then.name()))?;
        if verdict == Agreement::Wrong {
            code = Code::Disagreement;
        }
    }
    Ok(code)
}

/// Everything known about an item, and its verdict.
pub fn description(engines: Engines<'_>, item: &dyn Item) -> Result<(String, Agreement), Failure> {
    let Description { verdict, parts } = item.again(engines)?;
    let parts = parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Table(rows) => columns(rows),
    });
    Ok((format!("{item}\n{}", parts.collect::<String>()), verdict))
}
