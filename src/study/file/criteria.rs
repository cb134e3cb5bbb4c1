//! `[criteria.NAME]`: what must not happen too often.

use super::{DEFAULT_CONFIDENCE, unknown};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::query::{LandingClass, Quantity};
use crate::study::{Criterion, Event};

/// `[criteria.NAME]`, in the order of the file.
pub(super) fn criteria(root: &Table<'_>, quantities: &[Quantity]) -> Result<Vec<Criterion>, DocumentError> {
    let Some(tables) = root.optional_table("criteria")? else {
        return Ok(Vec::new());
    };
    tables.entries().map(|(name, field)| criterion(name, &field.table()?, quantities)).collect()
}

fn criterion(name: &str, table: &Table<'_>, quantities: &[Quantity]) -> Result<Criterion, DocumentError> {
    let asked = table.required("quantity")?;
    let quantity_name = asked.string()?;
    let class = LandingClass::ALL.into_iter().find(|class| class.name() == quantity_name);
    let (event, description) = if let Some(class) = class {
        (Event::Class(class), quantity_name.to_owned())
    } else {
        let names = || quantities.iter().map(|quantity| quantity.name.as_str());
        let number = names().position(|known| known == quantity_name).ok_or_else(|| {
            let classes = LandingClass::ALL.iter().map(|class| class.name());
            asked.error(unknown("quantity", quantity_name, names().chain(classes)))
        })?;
        let unit = quantities[number].unit;
        let (side, bound) = table.one_of(&["above", "below"])?;
        let limit = bound.number(unit)?;
        let event = if side == "above" {
            Event::Above { quantity: number, limit }
        } else {
            Event::Below { quantity: number, limit }
        };
        let symbol = if unit == Unit::One { String::new() } else { format!(" {}", unit.symbol()) };
        (event, format!("{quantity_name} {side} {limit}{symbol}"))
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
        confidence: table.optional_or("confidence", DEFAULT_CONFIDENCE, between_0_and_1)?,
    };
    table.finish()?;
    Ok(criterion)
}
