//! `[criteria.NAME]` and `criteria_files`: what must not happen too often.

use std::f64::consts::PI;

use super::{DEFAULT_CONFIDENCE, Reader, confidence, unknown};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::model::{Files, Model};
use crate::study::{Checked, Criterion, Event, Source, StudyError};

const CHECKED: &[(&str, Checked)] =
    &[("verified", Checked::Verified), ("secondary", Checked::Secondary), ("unverified", Checked::Unverified)];

impl Reader {
    /// Criteria of the files that the study names, then its own, each in order.
    pub(super) fn criteria(&mut self, root: &Table<'_>, model: &dyn Model) -> Result<Vec<Criterion>, StudyError> {
        let mut all = Vec::new();
        if let Some(files) = root.optional("criteria_files") {
            for file in files.array()? {
                let document = self.document(&file)?;
                document.read_whole(|standard| {
                    standard.required("name")?.string()?;
                    add(&mut all, &standard.required_table("criteria")?, model, &mut self.warnings)?;
                    standard.finish()
                })?;
            }
        }
        if let Some(own) = root.optional_table("criteria")? {
            add(&mut all, &own, model, &mut self.warnings)?;
        }
        Ok(all)
    }
}

/// Adds the criteria of a table; names must be unique.
fn add(
    all: &mut Vec<Criterion>,
    tables: &Table<'_>,
    model: &dyn Model,
    warnings: &mut Vec<String>,
) -> Result<(), DocumentError> {
    for (name, field) in tables.entries() {
        if all.iter().any(|criterion| criterion.name == name) {
            return Err(
                field.error(format!("there is a criterion `{name}` already, in another file; rename one of them"))
            );
        }
        let criterion = criterion(name, &field.table()?, all, model, warnings)?;
        all.push(criterion);
    }
    Ok(())
}

/// A criterion, which may combine some of those before it.
fn criterion(
    name: &str,
    table: &Table<'_>,
    before: &[Criterion],
    model: &dyn Model,
    warnings: &mut Vec<String>,
) -> Result<Criterion, DocumentError> {
    let (key, counted) = table.one_of(&["quantity", "any_of", "all_of"])?;
    let (event, description) = match key {
        "quantity" => of_quantity(table, &counted, model, warnings)?,
        "any_of" => combined(&counted, before, model, warnings, Event::AnyOf, " or ")?,
        _ => combined(&counted, before, model, warnings, Event::AllOf, " and ")?,
    };
    let between_0_and_1 = |field: Field<'_>| {
        let number = field.number(Unit::One)?;
        if number > 0.0 && number < 1.0 { Ok(number) } else { Err(field.refused("must be above 0 and below 1")) }
    };
    let criterion = Criterion {
        name: name.to_owned(),
        description,
        event,
        probability: between_0_and_1(table.required("probability")?)?,
        limit_probability: table.optional("limit_probability").map(between_0_and_1).transpose()?,
        confidence: table.optional_or("confidence", DEFAULT_CONFIDENCE, |field| confidence(&field, warnings))?,
        source: source(table)?,
    };
    table.finish()?;
    Ok(criterion)
}

/// `quantity` with `above` or `below`, or with the name of a class: the event, and what it is in words.
fn of_quantity(
    table: &Table<'_>,
    asked: &Field<'_>,
    model: &dyn Model,
    warnings: &mut Vec<String>,
) -> Result<(Event, String), DocumentError> {
    let quantities = model.quantities();
    let quantity_name = asked.string()?;
    if let Some(class) = model.class_named(quantity_name) {
        return Ok((Event::Class(class), quantity_name.to_owned()));
    }
    let names = || quantities.iter().map(|quantity| quantity.name.as_str());
    let number = names().position(|known| known == quantity_name).ok_or_else(|| {
        let classes = model.classes().iter().map(|class| class.name);
        asked.error(unknown("quantity", quantity_name, names().chain(classes)))
    })?;
    let unit = quantities[number].unit;
    let (side, bound) = table.one_of(&["above", "below"])?;
    let limit = bound.number(unit)?;
    if unit == Unit::Angle && !bound.is_string() && limit.abs() > PI {
        let what =
            format!("{limit} without a unit is in radians, more than half a turn: \"{limit} deg\" is in degrees");
        warnings.push(bound.error(what).to_string());
    }
    let event = if side == "above" {
        Event::Above { quantity: number, limit }
    } else {
        Event::Below { quantity: number, limit }
    };
    // In the unit used in the file.
    let shown = if bound.is_string() { bound.string()?.to_owned() } else { unit.written(limit) };
    Ok((event, format!("{quantity_name} {side} {shown}")))
}

/// `any_of` or `all_of`: names of criteria, and tables with events of their own.
fn combined(
    list: &Field<'_>,
    before: &[Criterion],
    model: &dyn Model,
    warnings: &mut Vec<String>,
    all: impl FnOnce(Vec<Event>) -> Event,
    between: &str,
) -> Result<(Event, String), DocumentError> {
    let fields = list.array()?;
    list.must(fields.len() > 1, || {
        "must have two entries or more, names of criteria or { quantity = ... }".to_owned()
    })?;
    let (mut events, mut descriptions) = (Vec::new(), Vec::new());
    for field in fields {
        let (event, description) = if field.is_table() {
            let table = field.table()?;
            let event = of_quantity(&table, &table.required("quantity")?, model, warnings)?;
            table.finish()?;
            event
        } else {
            let name = field.string()?;
            let named = before.iter().find(|criterion| criterion.name == name).ok_or_else(|| {
                let names = before.iter().map(|criterion| criterion.name.as_str());
                field.error(unknown("criterion above this one", name, names))
            })?;
            (named.event.clone(), named.name.clone())
        };
        events.push(event);
        descriptions.push(description);
    }
    Ok((all(events), descriptions.join(between)))
}

/// `source` and `checked`, which must be given together.
fn source(table: &Table<'_>) -> Result<Option<Source>, DocumentError> {
    let Some(text) = table.optional("source") else {
        return Ok(None);
    };
    Ok(Some(Source { text: text.string()?.to_owned(), checked: table.required("checked")?.choice(CHECKED)? }))
}
