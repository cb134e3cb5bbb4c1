//! Files of aircraft with skids and of ships.

use glam::DVec2;

use super::beam::{Frame, Tube};
use super::contact::{ContactLaw, Piece};
use super::gear::{Gear, Propagation};
use super::landing::DeckLanding;
use super::response::{MOTIONS, Phasor, Responses};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::elementary::exp;
use crate::query::ConvexTarget;

/// Fewest and most nodes of a gear.
const NODES: std::ops::RangeInclusive<usize> = 3..=40;
/// Modes that a gear keeps where nothing is said: two in which each leg bends, and the next two.
const MODES: u64 = 4;
/// Most pieces of a deck.
const MAX_PIECES: usize = 16;
/// Most places of a table of responses.
const MAX_RESPONSES: usize = 100_000;

/// Reads the columns of the record that a field names.
pub type ReadRecord<'a> = &'a mut dyn FnMut(&Field<'_>) -> Result<Vec<Vec<f64>>, DocumentError>;

/// An aircraft with skids, seen from behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Aircraft {
    /// Name.
    pub name: String,
    /// Mass, gear included \[kg\].
    pub mass: f64,
    /// Moment of inertia in roll about the centre of gravity \[kg m2\].
    pub inertia: f64,
    /// The gear's beams, in the body's axes.
    pub frame: Frame,
    /// The gear.
    pub gear: Gear,
    /// What surfaces do to its skids.
    pub law: ContactLaw,
    /// Time in which the rotor's lift falls to 1/e after touchdown \[s\].
    pub lift_decay: f64,
    /// Roll relative to the deck beyond which it has rolled over \[rad\].
    pub rollover_angle: f64,
}

/// How a ship's deck moves.
#[derive(Clone, Debug, PartialEq)]
pub enum ShipMotion {
    /// In waves, by tabulated responses.
    Responses(Responses),
    /// As it was recorded: interval \[s\], and sway \[m\], heave \[m\] and roll \[rad\].
    Record(f64, Vec<[f64; MOTIONS]>),
}

/// A ship with a deck.
#[derive(Clone, Debug, PartialEq)]
pub struct Ship {
    /// Name.
    pub name: String,
    /// Convex pieces of the deck, in its axes.
    pub deck: Vec<Piece>,
    /// How it moves.
    pub motion: ShipMotion,
}

impl Aircraft {
    /// Reads an aircraft's file.
    ///
    /// # Errors
    /// When something is not what it should be.
    pub fn read(root: &Table<'_>) -> Result<Self, DocumentError> {
        let name = root.required("name")?.string()?.to_owned();
        let body = root.required_table("body")?;
        let mass = body.required("mass")?.positive(Unit::Mass)?;
        let inertia = body.required("inertia")?.positive(Unit::Inertia)?;
        let rollover_angle = body.required("rollover_angle")?.in_range(Unit::Angle, 0.01, 1.5)?;
        let lift_decay = body.required("lift_decay")?.positive(Unit::Time)?;
        body.finish()?;
        let (frame, gear) = gear(&root.required_table("gear")?)?;
        let law = law(&root.required_table("contact")?)?;
        root.finish()?;
        Ok(Self { name, mass, inertia, frame, gear, law, lift_decay, rollover_angle })
    }

    /// Landings of this aircraft on a deck.
    #[must_use]
    pub fn landing(&self, deck: Vec<Piece>, clearance: f64, step: f64, steps: u32) -> DeckLanding {
        DeckLanding {
            mass: self.mass,
            inertia: self.inertia,
            propagations: self.gear.modes.iter().map(|mode| Propagation::new(mode, step)).collect(),
            gear: self.gear.clone(),
            law: self.law,
            deck,
            lift_factor: exp(-step / self.lift_decay),
            rollover_angle: self.rollover_angle,
            clearance,
            step,
            steps,
        }
    }
}

fn gear(table: &Table<'_>) -> Result<(Frame, Gear), DocumentError> {
    let nodes_field = table.required("nodes")?;
    let nodes: Vec<DVec2> = nodes_field.array()?.iter().map(point).collect::<Result<_, _>>()?;
    if !NODES.contains(&nodes.len()) {
        let what = format!("{} nodes; there must be from {} to {}", nodes.len(), NODES.start(), NODES.end());
        return Err(nodes_field.error(what));
    }
    if nodes.windows(2).any(|pair| pair[0].distance(pair[1]) < 1e-3) {
        return Err(nodes_field.error("nodes beside each other must be at least 1 mm apart"));
    }
    let tube = tube(&table.required_table("tube")?)?;
    let elements = (1..nodes.len()).map(|node| ([node - 1, node], tube)).collect();
    let mut held = Vec::new();
    for (key, freedoms) in [("pinned", 2), ("clamped", 3)] {
        if let Some(field) = table.optional(key) {
            for node in numbers(&field, nodes.len())? {
                held.extend((0..freedoms).map(|freedom| (node, freedom)));
            }
        }
    }
    let initiators = match table.optional("initiators") {
        Some(field) => numbers(&field, nodes.len())?,
        None => vec![0, nodes.len() - 1],
    };
    let modes = table.optional_or("modes", MODES, |field| match field.unsigned()? {
        0 => Err(field.refused("must be at least 1")),
        number => Ok(number.min(1000)),
    })?;
    let damping = table.required_table("rayleigh")?;
    let rayleigh =
        [damping.required("alpha")?.not_negative(Unit::Rate)?, damping.required("beta")?.not_negative(Unit::Time)?];
    damping.finish()?;
    table.finish()?;
    let frame = Frame { nodes, elements, held };
    let gear = Gear::new(&frame, &initiators, modes as usize, rayleigh);
    let gear = gear.map_err(|error| table.error(error.to_string()))?;
    Ok((frame, gear))
}

fn tube(table: &Table<'_>) -> Result<Tube, DocumentError> {
    let diameter = table.required("diameter")?.positive(Unit::Length)?;
    let wall_field = table.required("wall")?;
    let wall = wall_field.positive(Unit::Length)?;
    if 2.0 * wall > diameter {
        return Err(wall_field.refused(format!("must be at most half the diameter, {} m", 0.5 * diameter)));
    }
    let tube = Tube {
        diameter,
        wall,
        count: table.optional_or("count", 1.0, |field| field.in_range(Unit::One, 1.0, 100.0))?,
        elasticity: table.required("elasticity")?.positive(Unit::Pressure)?,
        density: table.required("density")?.positive(Unit::Density)?,
        yield_stress: table.required("yield_stress")?.positive(Unit::Pressure)?,
    };
    table.finish()?;
    Ok(tube)
}

fn law(table: &Table<'_>) -> Result<ContactLaw, DocumentError> {
    let law = ContactLaw {
        stiffness: table.required("stiffness")?.positive(Unit::Stiffness)?,
        damping: table.required("damping")?.not_negative(Unit::Damping)?,
        grip_stiffness: table.required("grip_stiffness")?.positive(Unit::Stiffness)?,
        grip_damping: table.required("grip_damping")?.not_negative(Unit::Damping)?,
        static_ratio: table.optional_or("static_ratio", 1.0, |field| field.in_range(Unit::One, 1.0, 10.0))?,
    };
    table.finish()?;
    Ok(law)
}

impl Ship {
    /// Reads a ship's file; `record` reads the three columns of a record that a field names.
    ///
    /// # Errors
    /// When something is not what it should be.
    pub fn read(root: &Table<'_>, record: ReadRecord<'_>) -> Result<Self, DocumentError> {
        let name = root.required("name")?.string()?.to_owned();
        let deck = deck(&root.required("deck")?)?;
        let motion = match root.one_of(&["response", "record"])? {
            ("response", field) => ShipMotion::Responses(responses(&field.table()?)?),
            (_, field) => recorded(&field.table()?, record)?,
        };
        root.finish()?;
        Ok(Self { name, deck, motion })
    }
}

fn deck(field: &Field<'_>) -> Result<Vec<Piece>, DocumentError> {
    let pieces = field.array()?;
    if pieces.is_empty() || pieces.len() > MAX_PIECES {
        return Err(field.error(format!("{} pieces; there must be from 1 to {MAX_PIECES}", pieces.len())));
    }
    let piece = |field: &Field<'_>| {
        let corners: Vec<DVec2> = field.array()?.iter().map(point).collect::<Result<_, _>>()?;
        let target = ConvexTarget::new(corners).map_err(|error| field.error(error.to_string()))?;
        Ok(Piece::new(&target))
    };
    let found: Vec<Piece> = pieces.iter().map(piece).collect::<Result<_, _>>()?;
    match gap(&found) {
        None => Ok(found),
        Some((number, [end, begin])) => Err(pieces[number].error(format!(
            "begins at {begin} m, where no other piece is: those to port of it end at {end} m. A skid would fall through, since one against \
             a wall penetrates it slightly; pieces beside each other must overlap"
        ))),
    }
}

/// The first piece from port to starboard that does not overlap those before it: its number, where those end and where it begins.
fn gap(deck: &[Piece]) -> Option<(usize, [f64; 2])> {
    let ends = |piece: &Piece| {
        let along = || piece.surfaces().iter().map(|surface| surface.start.x);
        [along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max)]
    };
    let mut ordered: Vec<(usize, [f64; 2])> = deck.iter().map(ends).enumerate().collect();
    ordered.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]));
    let mut reach = f64::INFINITY;
    for (number, [begin, end]) in ordered {
        if begin >= reach {
            return Some((number, [reach, begin]));
        }
        reach = if reach == f64::INFINITY { end } else { reach.max(end) };
    }
    None
}

fn responses(table: &Table<'_>) -> Result<Responses, DocumentError> {
    let axis = |key, unit| {
        let field = table.required(key)?;
        let values = field.numbers(unit)?;
        if values.is_empty() || values.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err(field.error("must be a list of values that ascend"));
        }
        Ok(values)
    };
    let speeds = axis("speeds", Unit::Speed)?;
    let headings = axis("headings", Unit::Angle)?;
    let frequencies = axis("frequencies", Unit::AngularRate)?;
    let count = speeds.len() * headings.len() * frequencies.len();
    if count > MAX_RESPONSES {
        return Err(table.error(format!("{count} places; at most {MAX_RESPONSES} are possible")));
    }
    let mut values = vec![[[0.0; 2]; MOTIONS]; count];
    for (motion, key) in ["sway", "heave", "roll"].into_iter().enumerate() {
        let field = table.required(key)?;
        let numbers = field.numbers(Unit::One)?;
        if numbers.len() != 2 * count {
            let what = format!("{} numbers; {count} places have two each: amplitude and phase", numbers.len());
            return Err(field.error(what));
        }
        for (value, pair) in values.iter_mut().zip(numbers.chunks_exact(2)) {
            value[motion] = phasor(pair[0], pair[1]);
        }
    }
    table.finish()?;
    Ok(Responses { speeds, headings, frequencies, values })
}

fn phasor(amplitude: f64, phase: f64) -> Phasor {
    let (sine, cosine) = crate::elementary::sin_cos(phase);
    [amplitude * cosine, amplitude * sine]
}

fn recorded(table: &Table<'_>, record: ReadRecord<'_>) -> Result<ShipMotion, DocumentError> {
    let interval = table.required("interval")?.in_range(Unit::Time, 1e-3, 10.0)?;
    let file = table.required("file")?;
    let columns = record(&file)?;
    table.finish()?;
    let rows: Vec<[f64; MOTIONS]> =
        (0..columns[0].len()).map(|row| std::array::from_fn(|motion| columns[motion][row])).collect();
    if rows.len() < 3 {
        return Err(file.error(format!("{} rows; a record has at least 3", rows.len())));
    }
    Ok(ShipMotion::Record(interval, rows))
}

/// A place in the plane.
fn point(field: &Field<'_>) -> Result<DVec2, DocumentError> {
    match field.numbers(Unit::Length)?[..] {
        [x, z] => Ok(DVec2::new(x, z)),
        _ => Err(field.refused("must be two lengths: to starboard, and up")),
    }
}

/// Numbers of nodes, counted from 1.
fn numbers(field: &Field<'_>, count: usize) -> Result<Vec<usize>, DocumentError> {
    let number = |item: &Field<'_>| match item.unsigned()? as usize {
        number if (1..=count).contains(&number) => Ok(number - 1),
        _ => Err(item.refused(format!("must be the number of a node, from 1 to {count}"))),
    };
    let numbers: Vec<usize> = field.array()?.iter().map(number).collect::<Result<_, _>>()?;
    if numbers.is_empty() { Err(field.refused("must name a node at least")) } else { Ok(numbers) }
}
