//! Air forces on a device against JSBSim's own answers: `tests/data/jsbsim`.
//!
//! The bound is that of a running error analysis to first order: every operation, property and number may be off by its own rounding, and
//! what that does to a function is found by changing it and evaluating the row again.

use touchdown::air_forces::{AirForces, Flight};
use touchdown::function::{Expression, Operation, Table};
use touchdown::job::Compute;
use touchdown::query::{AirLoadStatus, AirLoads};
use touchdown::reference::Reference;

use crate::support::air_forces::{OfFunctions, any, at, golden, of_functions};
use crate::support::engines::GPU;
use crate::support::{list, text};

/// What one operation in binary32 is off by, of its value: the angle of a point, the worst of them, by four units in the last place.
const ROUNDING: f64 = 1.0 / (1 << 21) as f64;

/// A row whose value number `changed`, counted through all expressions, is off by its rounding.
struct Changed {
    changed: Option<usize>,
    seen: usize,
}

impl Changed {
    fn rounded(&mut self, value: f64, size: impl FnOnce() -> f64) -> f64 {
        let is_changed = self.changed == Some(self.seen);
        self.seen += 1;
        // What is below all normal numbers may vanish.
        if is_changed { value + (ROUNDING * size() + f64::from(f32::MIN_POSITIVE)) } else { value }
    }

    fn value(&mut self, expression: &Expression<usize>, row: &[f64]) -> f64 {
        let mut all = |arguments: &[Expression<usize>]| {
            arguments.iter().map(|argument| self.value(argument, row)).collect::<Vec<f64>>()
        };
        match expression {
            Expression::Value(value) => self.rounded(*value, || value.abs()),
            Expression::Property(place) => self.rounded(row[*place], || row[*place].abs()),
            Expression::Negative(place) => self.rounded(-row[*place], || row[*place].abs()),
            Expression::Table(table, by) => {
                let arguments = all(by);
                // Values of a table are mixed, whatever is left of them.
                self.rounded(table.value(&arguments), || largest(table))
            }
            Expression::Operation(operation, arguments) => {
                let arguments = all(arguments);
                let value = operation.of(&arguments);
                // Sums are rounded one after the other, and sines and cosines are off by what does not shrink with them.
                let size = || match operation {
                    Operation::Sum | Operation::Difference | Operation::Average => {
                        arguments.iter().map(|argument| argument.abs()).sum()
                    }
                    Operation::Sine | Operation::Cosine => 1.0,
                    _ => value.abs(),
                };
                self.rounded(value, size)
            }
        }
    }

    fn row(changed: Option<usize>, forces: &AirForces, flight: &Flight) -> (Vec<f64>, usize) {
        let mut all = Self { changed, seen: 0 };
        // A function may be no more than a number that is given.
        let mut row: Vec<f64> = forces.begin(flight).map(|number| all.rounded(number, || number.abs())).collect();
        for (_, expression) in forces.made() {
            let value = all.value(expression, &row);
            row.push(value);
        }
        (row, all.seen)
    }
}

/// The largest magnitude of a table's values.
fn largest(table: &Table) -> f64 {
    match table {
        Table::Line { values, .. } | Table::Grid { values, .. } => {
            values.iter().fold(0.0, |most, value| value.abs().max(most))
        }
        Table::Blocks { tables, .. } => tables.iter().map(largest).fold(0.0, f64::max),
    }
}

/// What rounding may do to each function.
fn bounds(forces: &AirForces, flight: &Flight) -> Vec<f64> {
    let (row, count) = Changed::row(None, forces, flight);
    let truths: Vec<f64> = forces.values(&row).collect();
    let mut bounds = vec![0.0; truths.len()];
    for changed in 0..count {
        let (row, _) = Changed::row(Some(changed), forces, flight);
        for ((bound, truth), value) in bounds.iter_mut().zip(&truths).zip(forces.values(&row)) {
            if value != *truth {
                *bound += (value - truth).abs();
            }
        }
    }
    bounds
}

#[test]
fn functions_on_a_device_have_the_values_that_jsbsim_gives_them_but_for_rounding() {
    let (gpu, reference) = (&*GPU, Reference::new(2).unwrap());
    for aircraft in list(&golden("functions")["aircraft"]) {
        let name = text(&aircraft["name"]);
        let OfFunctions { forces, flights, .. } = of_functions(aircraft);
        let answers = gpu.compute::<AirLoads>(&forces, &flights).unwrap();
        let breaks: Vec<&str> = list(&aircraft["breaks"]).iter().map(text).collect();
        let (mut compared, mut worst) = (0, 0.0_f64);
        for (state, (answer, flight)) in answers.iter().zip(&flights).enumerate().step_by(3) {
            let bounds = bounds(&forces, flight);
            // Of functions with jumps rounding decides on which side of one a state is.
            for (number, function) in forces.functions().enumerate().filter(|(_, name)| !breaks.contains(name)) {
                let (found, bound) = (answer.functions[number], bounds[number]);
                let expected = any(at(&aircraft["function"][function], state));
                let is_near = found == expected || (found - expected).abs() <= bound;
                assert!(is_near, "{name} {function} {state}: {found} instead of {expected}, within {bound:e}");
                worst = worst.max(if found == expected { 0.0 } else { (found - expected).abs() / bound });
                compared += 1;
            }
        }
        let known = |answers: &[touchdown::query::AirLoad]| {
            answers.iter().filter(|answer| answer.status == AirLoadStatus::Ok).count()
        };
        let truths = reference.compute::<AirLoads>(&forces, &flights).unwrap();
        assert_eq!(known(&answers), known(&truths), "{name}");
        println!("{name}: {compared} values, at most {worst:.2} of what rounding may do");
        assert!(compared > 250);
    }
}
