//! The functions of one engine as they are added.

use super::Propulsion;
use super::formula::Formula;
use crate::function::{Expression, Function};

/// Where an engine adds its functions.
pub(super) struct Lowering<'a> {
    number: usize,
    is_set: &'a dyn Fn(&str) -> bool,
    propulsion: &'a mut Propulsion,
}

/// A name with the number of an engine, as rows have it: the first has none.
fn numbered(before: &str, number: usize, after: &str) -> String {
    if number == 0 { format!("{before}{after}") } else { format!("{before}[{number}]{after}") }
}

impl<'a> Lowering<'a> {
    pub(super) fn new(number: usize, is_set: &'a dyn Fn(&str) -> bool, propulsion: &'a mut Propulsion) -> Self {
        Self { number, is_set, propulsion }
    }

    fn name(&self, property: &str) -> String {
        numbered("propulsion/engine", self.number, &format!("/{property}"))
    }

    /// A property of the engine.
    pub(super) fn of(&self, property: &str) -> Formula {
        Expression::Property(self.name(property))
    }

    /// A control of the engine.
    pub(super) fn control(&self, name: &str) -> Formula {
        Expression::Property(numbered(&format!("fcs/{name}"), self.number, ""))
    }

    /// Makes a property of the engine.
    pub(super) fn make(&mut self, property: &str, expression: impl Into<Formula>) -> Formula {
        let name = self.name(property);
        self.propulsion.functions.push(Function { name: name.clone(), expression: expression.into() });
        Expression::Property(name)
    }

    /// What the first step finds of a property that is read before it is made.
    pub(super) fn starts(&mut self, property: &str, value: f64) {
        let name = self.name(property);
        self.propulsion.at_start.push((name, value));
    }

    /// A property with this value unless it is set from outside; what is set stays.
    pub(super) fn settable(&mut self, property: &str, value: f64) -> Formula {
        if !(self.is_set)(&self.name(property)) {
            return value.into();
        }
        self.starts(property, value);
        let held = self.of(property);
        self.make(property, held)
    }
}
