//! Columns of contact tables.

use clap::Args;
use glam::DVec3;
use rayon::prelude::*;
use touchdown::query::{ContactStatus, EllipsoidContact, EllipsoidPair, SignedDistance, WallContact};
use touchdown::table::{Column, ColumnKind, Values};

/// Optional columns of pairs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Extras {
    /// Add the points of the two surfaces that form the contact, ax,ay,az and bx,by,bz, and how closely the centres
    /// approach when one body is moved straight towards the other, `closest_approach`
    #[arg(long, conflicts_with = "walls")]
    surface_points: bool,
    /// Add the Euclidean distance: `distance` (negative on overlap: the smallest translation that separates the two),
    /// its direction dnx,dny,dnz and the closest or deepest points dax,day,daz and dbx,dby,dbz. Computed on the CPU
    #[arg(long, conflicts_with = "walls")]
    exact: bool,
}

fn number(name: &str, unit: &str, meaning: &str) -> Column {
    Column::new(name, ColumnKind::Number, unit, meaning)
}

fn status_column() -> Column {
    Column::new("status", ColumnKind::Text, "", "ok, degenerate (concentric), not converged or bad input")
}

fn statuses(statuses: impl Iterator<Item = ContactStatus>) -> Values {
    let word = |status| match status {
        ContactStatus::Ok => "ok",
        ContactStatus::Degenerate => "degenerate",
        ContactStatus::NotConverged => "not converged",
        ContactStatus::BadInput => "bad input",
    };
    Values::Text(statuses.map(|status| Some(word(status).to_owned())).collect())
}

/// Three columns of a vector; undefined values are missing.
fn vectors<T>(items: &[T], vector: impl Fn(&T) -> Option<DVec3>) -> [Values; 3] {
    [0, 1, 2].map(|axis| Values::Number(items.iter().map(|item| vector(item).map(|vector| vector[axis])).collect()))
}

/// Columns of pair contacts.
pub fn pair_columns(extras: Extras) -> Vec<Column> {
    let mut columns = vec![
        status_column(),
        number("f", "1", "Contact function: below 1 the ellipsoids overlap"),
        number("mu", "1", "Factor by which both grow to touch"),
        number("lambda", "1", "Parameter of the contact function"),
        number("nx", "1", "Unit normal from A to B"),
        number("ny", "1", "Normal, y"),
        number("nz", "1", "Normal, z"),
        number("px", "m", "Where the grown ellipsoids touch"),
        number("py", "m", "Point, y"),
        number("pz", "m", "Point, z"),
        number("separation", "m", "Gap between tangent planes with the normal, a lower bound of the distance"),
    ];
    if extras.surface_points {
        columns.extend([
            number("ax", "m", "Point of the surface of A that becomes the contact"),
            number("ay", "m", "Point of A, y"),
            number("az", "m", "Point of A, z"),
            number("bx", "m", "Point of the surface of B that becomes the contact"),
            number("by", "m", "Point of B, y"),
            number("bz", "m", "Point of B, z"),
            number(
                "closest_approach",
                "m",
                "Distance of the centres when B is moved along their line until both touch",
            ),
        ]);
    }
    if extras.exact {
        columns.extend([
            number("distance", "m", "True distance; on overlap minus the shortest way that parts the two"),
            number("dnx", "1", "Unit vector of that way, from A to B"),
            number("dny", "1", "Way, y"),
            number("dnz", "1", "Way, z"),
            number("dax", "m", "Point of A that is nearest to B, or deepest in it"),
            number("day", "m", "Point of A, y"),
            number("daz", "m", "Point of A, z"),
            number("dbx", "m", "Point of B that is nearest to A, or deepest in it"),
            number("dby", "m", "Point of B, y"),
            number("dbz", "m", "Point of B, z"),
        ]);
    }
    columns
}

/// A pair and its contact.
pub type Touch = (EllipsoidPair, EllipsoidContact);

/// Values of pair contacts.
pub fn pair_values(touches: &[Touch], extras: Extras) -> Vec<Values> {
    let has_normal = |(_, contact): &Touch| matches!(contact.status, ContactStatus::Ok | ContactStatus::Degenerate);
    let is_ok = |(_, contact): &Touch| contact.status == ContactStatus::Ok;
    let of_contacts = |value: fn(&EllipsoidContact) -> f64| {
        Values::Number(touches.iter().map(|touch| has_normal(touch).then(|| value(&touch.1))).collect())
    };
    let mut values = vec![
        statuses(touches.iter().map(|(_, contact)| contact.status)),
        of_contacts(|contact| contact.f),
        of_contacts(|contact| contact.mu),
        of_contacts(|contact| contact.lambda),
    ];
    values.extend(vectors(touches, |touch| has_normal(touch).then_some(touch.1.normal)));
    values.extend(vectors(touches, |touch| has_normal(touch).then_some(touch.1.point)));
    values.push(of_contacts(|contact| contact.separation));
    if extras.surface_points {
        for side in [0, 1] {
            let point = |touch: &Touch| is_ok(touch).then(|| touch.1.surface_points(&touch.0)[side]);
            values.extend(vectors(touches, point));
        }
        let approach = |touch: &Touch| is_ok(touch).then(|| touch.1.closest_approach(&touch.0));
        values.push(Values::Number(touches.iter().map(approach).collect()));
    }
    if extras.exact {
        let distance =
            |(pair, contact): &Touch| (contact.status != ContactStatus::BadInput).then(|| pair.signed_distance());
        let distances: Vec<Option<SignedDistance>> = touches.par_iter().map(distance).collect();
        values.push(Values::Number(distances.iter().map(|found| found.map(|found| found.distance)).collect()));
        values.extend(vectors(&distances, |found| found.map(|found| found.normal)));
        for side in [0, 1] {
            values.extend(vectors(&distances, |found| found.map(|found| found.points[side])));
        }
    }
    values
}

/// Columns of wall contacts.
pub fn wall_columns() -> Vec<Column> {
    vec![
        status_column(),
        number("mu", "1", "Factor by which the ellipsoid grows to touch; not positive with its centre in the wall"),
        number("nx", "1", "Unit normal from the ellipsoid into the wall"),
        number("ny", "1", "Normal, y"),
        number("nz", "1", "Normal, z"),
        number("px", "m", "The ellipsoid's point that is deepest in the wall, or nearest to it"),
        number("py", "m", "Point, y"),
        number("pz", "m", "Point, z"),
        number("separation", "m", "Distance of that point from the wall, negative inside"),
    ]
}

/// Values of wall contacts.
pub fn wall_values(contacts: &[WallContact]) -> Vec<Values> {
    let has_normal = |contact: &WallContact| matches!(contact.status, ContactStatus::Ok | ContactStatus::Degenerate);
    let of_contacts = |value: fn(&WallContact) -> f64| {
        Values::Number(contacts.iter().map(|contact| has_normal(contact).then(|| value(contact))).collect())
    };
    let mut values = vec![statuses(contacts.iter().map(|contact| contact.status)), of_contacts(|contact| contact.mu)];
    values.extend(vectors(contacts, |contact| has_normal(contact).then_some(contact.normal)));
    values.extend(vectors(contacts, |contact| has_normal(contact).then_some(contact.point)));
    values.push(of_contacts(|contact| contact.separation));
    values
}
