//! Air forces as a row of numbers, each made of those before it.

use std::collections::BTreeMap;

use glam::DVec3;
use thiserror::Error;

use super::description::{Description, ForceAxes, MomentAxes, Role};
use super::flight::{ARM, FOOT, Flight, OF_FLIGHT, POUND};
use super::properties::derived;
use crate::function::{Expression, Operation};

type Formula = Expression<String>;

/// A function reads what nothing makes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{function} reads {property}, which is neither given nor known")]
pub struct UnknownProperty {
    /// Name of the function.
    pub function: String,
    /// Name of the property.
    pub property: String,
}

/// Air forces over a row: numbers of the flight, given properties, then what follows from them, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct AirForces {
    given: Vec<String>,
    names: Vec<String>,
    made: Vec<Expression<usize>>,
    functions: Vec<usize>,
    outputs: [usize; 6],
}

/// Builds a row by and by.
struct Row<'a> {
    description: &'a Description,
    places: BTreeMap<String, usize>,
    forces: AirForces,
}

/// Names of what sums become; no property of a file has a blank.
const FORCE_SUMS: [[&str; 3]; 2] =
    [["force 0", "force 1", "force 2"], ["force at centre 0", "force at centre 1", "force at centre 2"]];
const MOMENT_SUMS: [&str; 3] = ["moment 0", "moment 1", "moment 2"];
const SHIFT: &str = "the shift";
const TURNED: [[&str; 3]; 2] =
    [["turned 0", "turned 1", "turned 2"], ["turned at centre 0", "turned at centre 1", "turned at centre 2"]];
const ARM_SHIFTED: &str = "shifted arm";

impl AirForces {
    /// Resolves what functions read: given properties first, then those of the flight, then what follows, then values of functions
    /// before.
    ///
    /// # Errors
    /// If a function reads a property that nothing makes.
    pub fn new(description: &Description, given: &[String]) -> Result<Self, UnknownProperty> {
        let forces =
            Self { given: given.to_vec(), names: Vec::new(), made: Vec::new(), functions: Vec::new(), outputs: [0; 6] };
        let mut row = Row { description, places: BTreeMap::new(), forces };
        for (place, name) in OF_FLIGHT.iter().enumerate() {
            row.places.insert((*name).to_owned(), place);
        }
        for (number, name) in given.iter().enumerate() {
            row.places.insert(canonical(name), OF_FLIGHT.len() + number);
        }
        row.functions()?;
        row.sums()?;
        Ok(row.forces)
    }

    /// Names of the given properties, in the order of [`Flight::given`].
    #[must_use]
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// Names of the functions, in the order of their evaluation.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|&place| self.names[place - self.first_made()].as_str())
    }

    /// How many numbers a row has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.first_made() + self.made.len()
    }

    /// What is made of a flight, in its order, each with its place in the row.
    pub fn made(&self) -> impl Iterator<Item = (usize, &Expression<usize>)> {
        self.made.iter().enumerate().map(|(number, expression)| (self.first_made() + number, expression))
    }

    /// Whether a flight has all numbers that these forces need, each as it may be.
    #[must_use]
    pub fn takes(&self, flight: &Flight) -> bool {
        flight.given.len() == self.given.len() && flight.fault().is_none()
    }

    /// The numbers that a row begins with.
    ///
    /// # Panics
    /// If the flight has another number of given properties.
    pub fn begin(&self, flight: &Flight) -> impl Iterator<Item = f64> {
        assert_eq!(flight.given.len(), self.given.len(), "properties that are given");
        flight.numbers().into_iter().chain(flight.given.iter().copied())
    }

    /// Force \[N\] and moment about the centre of gravity \[N m\], body axes, of a full row.
    #[must_use]
    pub fn loads(&self, row: &[f64]) -> [DVec3; 2] {
        let of = |number: usize| row[self.outputs[number]];
        Self::in_si_units([DVec3::new(of(0), of(1), of(2)), DVec3::new(of(3), of(4), of(5))])
    }

    /// Values of the functions, of a full row.
    pub fn values(&self, row: &[f64]) -> impl Iterator<Item = f64> {
        self.functions.iter().map(|&place| row[place])
    }

    /// The row of a flight.
    #[must_use]
    pub fn row(&self, flight: &Flight) -> Vec<f64> {
        let mut row: Vec<f64> = self.begin(flight).collect();
        for expression in &self.made {
            row.push(expression.value(&row));
        }
        row
    }

    /// Place of a property in the row.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name).map(|number| self.first_made() + number)
    }

    /// How many numbers of a row stand before the given properties.
    pub(crate) fn first_given(&self) -> usize {
        OF_FLIGHT.len()
    }

    /// Places of the functions.
    pub(crate) fn function_places(&self) -> impl Iterator<Item = usize> {
        self.functions.iter().copied()
    }

    /// Places of force and moment.
    pub(crate) fn load_places(&self) -> [usize; 6] {
        self.outputs
    }

    /// Force \[N\] and moment \[N m\] of those in pounds and feet.
    pub(crate) fn in_si_units([force, moment]: [DVec3; 2]) -> [DVec3; 2] {
        [force * POUND, moment * (POUND * FOOT)]
    }

    /// How many numbers of a row stand before those that are made.
    pub(crate) fn first_made(&self) -> usize {
        OF_FLIGHT.len() + self.given.len()
    }
}

/// A name for a function by its number: two may have the same name in a file, or none.
fn own_name(number: usize) -> String {
    format!("function {number}")
}

/// JSBSim's name of a property: the first of several needs no number.
fn canonical(name: &str) -> String {
    name.replace("[0]", "")
}

impl Row<'_> {
    fn functions(&mut self) -> Result<(), UnknownProperty> {
        let description = self.description;
        for (number, function) in description.in_order().into_iter().enumerate() {
            let name = &function.function.name;
            let place = self.keep(name, &function.function.expression, name)?;
            self.forces.functions.push(place);
            self.places.insert(own_name(number), place);
        }
        Ok(())
    }

    fn sums(&mut self) -> Result<(), UnknownProperty> {
        let description = self.description;
        let functions = description.in_order();
        let sum_of = |role: Role| {
            let parts = functions.iter().enumerate().filter(|(_, function)| function.role == role);
            let names = parts.map(|(number, _)| Formula::Property(own_name(number)));
            names.reduce(|sum, name| sum + name).unwrap_or(Formula::Value(0.0))
        };
        for axis in 0..3 {
            self.own(FORCE_SUMS[0][axis], &sum_of(Role::Force(axis)))?;
            self.own(FORCE_SUMS[1][axis], &sum_of(Role::ForceAtCentre(axis)))?;
            self.own(MOMENT_SUMS[axis], &sum_of(Role::Moment(axis)))?;
        }
        for (sums, turned) in FORCE_SUMS.iter().zip(TURNED) {
            for (name, formula) in turned.iter().zip(forces_in_body_axes(description.force_axes, sums)) {
                self.own(name, &formula)?;
            }
        }
        self.own(SHIFT, &sum_of(Role::Shift))?;
        let chord = description.sizes.chord / FOOT;
        self.own(ARM_SHIFTED, &(Formula::of(ARM[0]) - Formula::of(SHIFT) * chord))?;
        let arm = [ARM_SHIFTED, ARM[1], ARM[2]];
        let moments = moments_in_body_axes(description.moment_axes);
        for axis in 0..3 {
            let force = Formula::of(TURNED[0][axis]) + TURNED[1][axis];
            self.forces.outputs[axis] = self.own(["x", "y", "z"][axis], &force)?;
        }
        for (axis, moment) in moments.into_iter().enumerate() {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            let by_force = Formula::of(arm[next]) * TURNED[0][last] - Formula::of(arm[last]) * TURNED[0][next];
            self.forces.outputs[3 + axis] = self.own(["l", "m", "n"][axis], &(moment + by_force))?;
        }
        Ok(())
    }

    /// Keeps what is not the file's own.
    fn own(&mut self, name: &str, formula: &Formula) -> Result<usize, UnknownProperty> {
        self.keep(name, formula, "the sum of the axes")
    }

    /// Makes a number of the row after those that it needs.
    fn keep(&mut self, name: &str, formula: &Formula, reader: &str) -> Result<usize, UnknownProperty> {
        let expression = formula.resolve(&mut |name: &String| self.place(name, reader))?;
        let place = self.forces.width();
        self.forces.made.push(expression);
        self.forces.names.push(name.to_owned());
        self.places.insert(canonical(name), place);
        Ok(place)
    }

    fn place(&mut self, name: &str, reader: &str) -> Result<usize, UnknownProperty> {
        let name = canonical(name);
        if let Some(&place) = self.places.get(&name) {
            return Ok(place);
        }
        match derived(&name, self.description) {
            Some(formula) => self.keep(&name, &formula, reader),
            None => Err(UnknownProperty { function: reader.to_owned(), property: name }),
        }
    }
}

/// Sines and cosines of the angles of attack and sideslip.
fn turns() -> [Formula; 4] {
    let of = |name: &str, operation| Formula::of(name).by(operation);
    [
        of("aero/alpha-rad", Operation::Sine),
        of("aero/alpha-rad", Operation::Cosine),
        of("aero/beta-rad", Operation::Sine),
        of("aero/beta-rad", Operation::Cosine),
    ]
}

fn forces_in_body_axes(axes: ForceAxes, sums: &[&str; 3]) -> [Formula; 3] {
    let sum = |number: usize| Formula::of(sums[number]);
    match axes {
        ForceAxes::Wind => from_wind([-sum(0), sum(1), -sum(2)]),
        ForceAxes::Axial => [-sum(0), sum(1), -sum(2)],
        ForceAxes::Body => [sum(0), sum(1), sum(2)],
        ForceAxes::Stability => from_stability([-sum(0), sum(1), -sum(2)]),
    }
}

fn moments_in_body_axes(axes: MomentAxes) -> [Formula; 3] {
    let moments = MOMENT_SUMS.map(Formula::of);
    match axes {
        MomentAxes::Body => moments,
        MomentAxes::Stability => from_stability(moments),
        MomentAxes::Wind => from_wind(moments),
    }
}

fn from_wind([x, y, z]: [Formula; 3]) -> [Formula; 3] {
    let [sin_alpha, cos_alpha, sin_beta, cos_beta] = turns();
    let forward = x.clone() * cos_beta.clone() - y.clone() * sin_beta.clone();
    [
        forward.clone() * cos_alpha.clone() - z.clone() * sin_alpha.clone(),
        x * sin_beta + y * cos_beta,
        forward * sin_alpha + z * cos_alpha,
    ]
}

fn from_stability([x, y, z]: [Formula; 3]) -> [Formula; 3] {
    let [sine, cosine, ..] = turns();
    [x.clone() * cosine.clone() - z.clone() * sine.clone(), y, x * sine + z * cosine]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air_forces::AxisFunction;
    use crate::function::Function;

    #[test]
    fn functions_of_one_name_and_of_none_count_each_for_itself() {
        let drag = |name: &str, pounds: f64| AxisFunction {
            function: Function { name: name.to_owned(), expression: Expression::Value(pounds) },
            role: Role::Force(0),
        };
        let functions = vec![drag("drag", 1.0), drag("drag", 2.0), drag("", 4.0), drag("x", 8.0)];
        let description = Description { functions, force_axes: ForceAxes::Axial, ..Description::default() };
        let forces = AirForces::new(&description, &[]).unwrap();
        let row = forces.row(&Flight::default());
        assert_eq!(forces.loads(&row), [DVec3::new(-15.0 * POUND, 0.0, 0.0), DVec3::ZERO]);
        assert_eq!(forces.values(&row).collect::<Vec<_>>(), [1.0, 2.0, 4.0, 8.0]);
    }
}
