//! What the report's files lack: tyres, the law of contact, gravity and time.
//!
//! A file in TOML gives it. What stands in its table `assumed` is marked so in everything that is written.

use std::path::Path;

use super::dat::{DatError, DatFile};
use super::equilibrium::equilibrium;
use super::model::CarModel;
use crate::document::{Document, DocumentError, Table, Unit};

/// The numbers that hold where no file gives others.
const OWN: &str = include_str!("vehicle.toml");

/// A number, and whether somebody knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// Its name in the file.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// In SI units.
    pub unit: &'static str,
    /// True where it is assumed.
    pub assumed: bool,
}

/// What the report's files lack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// \[m/s^2\]
    pub gravity: Given,
    /// Of the boxes' edges \[m\].
    pub radius: Given,
    /// Lateral force of a tyre for a slip \[N/rad\].
    pub cornering_stiffness: Given,
    /// Of normal impulses.
    pub restitution: Given,
    /// Coulomb's coefficient between bodies.
    pub friction: Given,
    /// How long the vehicles are followed \[s\].
    pub duration: Given,
}

impl Law {
    /// Reads a file; its own numbers where there is none.
    ///
    /// # Errors
    /// When a key is missing, unknown, or not what it may be.
    pub fn read(path: Option<&Path>) -> Result<Self, DocumentError> {
        let document = match path {
            Some(path) => Document::read(path)?,
            None => Document::parse("vehicle.toml", OWN)?,
        };
        let root = document.root();
        let assumed = root.optional_table("assumed")?;
        let given = |name, unit, symbol, limits| given(&root, assumed.as_ref(), name, (unit, symbol), limits);
        let law = Self {
            gravity: given("gravity", Unit::Acceleration, "m/s2", [1e-3, 1e3])?,
            radius: given("radius", Unit::Length, "m", [1e-6, 1e3])?,
            cornering_stiffness: given("cornering_stiffness", Unit::One, "N/rad", [0.0, 1e9])?,
            restitution: given("restitution", Unit::One, "", [0.0, 1.0])?,
            friction: given("friction", Unit::One, "", [0.0, 10.0])?,
            duration: given("duration", Unit::Time, "s", [1e-3, 600.0])?,
        };
        root.finish()?;
        if let Some(assumed) = assumed {
            assumed.finish()?;
        }
        Ok(law)
    }

    /// All of it.
    #[must_use]
    pub fn all(&self) -> [Given; 6] {
        let Self { gravity, radius, cornering_stiffness, restitution, friction, duration } = *self;
        [gravity, radius, cornering_stiffness, restitution, friction, duration]
    }

    /// Refuses a model with which it does not go together.
    pub(super) fn check(&self, model: &CarModel, file: &DatFile) -> Result<(), DatError> {
        let line = |name: &str| {
            let fields = file.entries().filter(|(_, entry)| entry.name == name);
            fields.map(|(line, _)| line).nth(model.number - 1).unwrap_or(0)
        };
        let radius = self.radius.value;
        for (name, side) in ["A1", "A2", "A3"].into_iter().zip(model.sides) {
            if radius > 0.5 * side {
                let what = format!("{side} m must be at least twice the radius of edges, {radius} m (`radius`)");
                return Err(file.error(line(name), name, what));
            }
        }
        let gravity = self.gravity.value;
        let nose_down = equilibrium(model, gravity).nose_down;
        // The sine of the pitch: at 1 the car stands upright, and beyond there is none.
        if nose_down.abs() >= 1.0 {
            let ([front, rear], [low, high], base) = (model.stiffness, model.drops, model.axles[0] + model.axles[1]);
            let what = format!(
                "springs of {front} and {rear} N/m (C1, C2) do not carry {} kg under {gravity} m/s2 (`gravity`), with \
                 assembly points {low} and {high} m down (H1, H2): at rest one axle is {:.3} m above the other, which must \
                 be below their distance, {base} m (L1 + L2)",
                model.mass,
                nose_down.abs() * base
            );
            return Err(file.error(line("C1"), "C1", what));
        }
        Ok(())
    }
}

fn given(
    root: &Table<'_>,
    assumed: Option<&Table<'_>>,
    name: &'static str,
    (unit, symbol): (Unit, &'static str),
    [low, high]: [f64; 2],
) -> Result<Given, DocumentError> {
    let field = match assumed.and_then(|table| table.optional(name)) {
        Some(field) if root.contains(name) => {
            return Err(field.error("stands outside of `assumed` too: a number is known or assumed"));
        }
        Some(field) => (field, true),
        None => (root.required(name)?, false),
    };
    let (field, is_assumed) = field;
    Ok(Given { name, value: field.in_range(unit, low, high)?, unit: symbol, assumed: is_assumed })
}
