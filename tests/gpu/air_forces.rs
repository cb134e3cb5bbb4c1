//! Air forces on a device against JSBSim's own answers, `tests/data/jsbsim`, and against the reference where functions have no value.
//!
//! The bound is that of a running error analysis to first order: every operation, property and number may be off by its own rounding, and
//! what that does to a function is found by changing it and evaluating the row again.

use touchdown::air_forces::{AirForces, AxisFunction, Description, Flight, ForceAxes, Role};
use touchdown::function::{Expression, Function, Operation, Table};
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
        let truths = reference.compute::<AirLoads>(&forces, &flights).unwrap();
        for (state, (answer, truth)) in answers.iter().zip(&truths).enumerate() {
            assert_eq!(answer.status, truth.status, "{name} {state}");
        }
        println!("{name}: {compared} values, at most {worst:.2} of what rounding may do");
        assert!(compared > 250);
    }
}

type Formula = Expression<String>;

fn property(name: &str, expression: Formula) -> AxisFunction {
    AxisFunction { function: Function { name: name.to_owned(), expression }, role: Role::Property }
}

/// Air forces of these functions, of which a property that is given chooses the one that is the moment.
fn chosen_of(mut functions: Vec<AxisFunction>, given: &[&str]) -> AirForces {
    let names: Vec<String> = functions.iter().map(|function| function.function.name.clone()).collect();
    let parts = names.iter().enumerate().map(|(number, name)| {
        let is_chosen = Formula::made(Operation::Equal, [Formula::of("which"), Formula::from(number as f64)]);
        is_chosen.choose(name.as_str(), 0.0)
    });
    let function = Function { name: "chosen".to_owned(), expression: Formula::made(Operation::Sum, parts) };
    functions.push(AxisFunction { function, role: Role::Moment(2) });
    let description = Description { functions, force_axes: ForceAxes::Body, ..Description::default() };
    let given: Vec<String> = ["which"].iter().chain(given).map(|&name| name.to_owned()).collect();
    AirForces::new(&description, &given).unwrap()
}

/// A flight of which functions read what is given alone.
fn flight_with(given: Vec<f64>) -> Flight {
    Flight { given, density: 1.2, sound: 340.0, temperature: 288.0, pressure: 1e5, mass: 1e3, ..Flight::default() }
}

/// The same where infinite, the same where none, else near.
fn is_same(found: f64, expected: f64) -> bool {
    let is_near = (found - expected).abs() <= 1e-4 * expected.abs().max(1.0);
    found == expected || found.is_nan() && expected.is_nan() || expected.is_finite() && is_near
}

/// Every operation at arguments inside its domain, on its border and outside, of arguments that are numbers, that may be infinite and
/// that may be none.
#[test]
fn operations_have_no_value_where_the_reference_has_none_and_an_infinite_one_where_it_has_one() {
    let (gpu, reference) = (&*GPU, Reference::new(2).unwrap());
    let [numbers, quotients, doubtful]: [fn(&str) -> Formula; 3] = [
        |name| Formula::of(name),
        |name| Formula::of(name) / "divisor",
        |name| Formula::of(name) + Formula::of("zero") * Formula::of("sine").by(Operation::ArcSine),
    ];
    // Divisors and sines: of no meaning for plain numbers.
    let cases = [
        (numbers, vec![[1.0, 0.0]]),
        (quotients, vec![[1.0, 0.0], [0.0, 0.0]]),
        (doubtful, vec![[1.0, 0.5], [1.0, 2.0]]),
    ];
    for (argument, others) in cases {
        let operations = Operation::ALL.iter().map(|(operation, name, _)| {
            let [a, b, c] = ["a", "b", "c"].map(argument);
            let arguments = match operation {
                Operation::Interpolate => vec![a, 0.0.into(), b, 1.0.into(), c],
                _ if operation.takes(3) => vec![a, b, c],
                _ if operation.takes(2) => vec![a, b],
                _ => vec![a],
            };
            property(name, Formula::made(*operation, arguments))
        });
        let forces = chosen_of(operations.collect(), &["zero", "divisor", "sine", "a", "b", "c"]);
        let values = [-2.5, -0.25, 0.0, 1.0, 3.0];
        let all = (0..125).map(|number| [0, 1, 2].map(|place| values[number / 5_usize.pow(place) % 5]));
        let given =
            all.flat_map(|[a, b, c]| others.iter().map(move |&[divisor, sine]| vec![0.0, divisor, sine, a, b, c]));
        let chosen = given.enumerate().flat_map(|(number, given)| {
            // Each time three of them, so that all come again and again.
            (0..3).map(move |turn| [vec![((number * 3 + turn) % Operation::ALL.len()) as f64], given.clone()].concat())
        });
        let flights: Vec<Flight> = chosen.map(flight_with).collect();
        let truths = reference.compute::<AirLoads>(&forces, &flights).unwrap();
        let answers = gpu.compute::<AirLoads>(&forces, &flights).unwrap();
        let mut beyond = 0;
        for ((flight, truth), answer) in flights.iter().zip(&truths).zip(&answers) {
            let which = Operation::ALL[flight.given[0] as usize].1;
            assert_eq!(answer.status, truth.status, "{which} {:?}", flight.given);
            for (number, (operation, name, _)) in Operation::ALL.iter().enumerate() {
                let (found, expected) = (answer.functions[number], truth.functions[number]);
                // A device's quotient may be a rounding below the whole number.
                let jumps = matches!(operation, Operation::Remainder | Operation::IntegerRemainder);
                let is_right = is_same(found, expected) || jumps && found.is_finite() && expected.is_finite();
                assert!(is_right, "{name} {:?}: {found} instead of {expected}", flight.given);
            }
            beyond += u32::from(truth.status == AirLoadStatus::NotFinite);
        }
        assert!(beyond > 25, "{beyond} of {}", flights.len());
    }
}

/// A function that is none where it is not asked for spoils nothing, and what the file guards stays a number.
#[test]
fn a_value_that_is_none_counts_only_where_it_is_chosen() {
    let (gpu, reference) = (&*GPU, Reference::new(2).unwrap());
    let sine = || Formula::of("a").by(Operation::ArcSine);
    let is_sine = || Formula::of("a").by(Operation::Magnitude).less(1.0);
    let functions = vec![
        property("guarded", is_sine().choose(sine(), 0.0)),
        property("compared", sine().less(1e9)),
        property("least", Formula::made(Operation::Minimum, [Formula::of("a"), sine()])),
        property("of a constant", Formula::from(2.0).by(Operation::ArcSine) + "a"),
        property("over speed", Formula::from(0.0).less("a").choose(Formula::from(1.0) / "a", 7.0)),
    ];
    let forces = chosen_of(functions, &["a"]);
    let flights: Vec<Flight> =
        (0..5).flat_map(|which| [-3.0, 0.0, 0.5, 3.0].map(|a| flight_with(vec![f64::from(which), a]))).collect();
    let truths = reference.compute::<AirLoads>(&forces, &flights).unwrap();
    let answers = gpu.compute::<AirLoads>(&forces, &flights).unwrap();
    for ((flight, truth), answer) in flights.iter().zip(&truths).zip(&answers) {
        assert_eq!(answer.status, truth.status, "{:?}", flight.given);
        let pairs = answer.functions.iter().zip(&truth.functions);
        assert!(pairs.into_iter().all(|(&found, &expected)| is_same(found, expected)), "{answer:?} {truth:?}");
    }
}

#[test]
fn points_of_a_table_that_coincide_in_f32_are_a_jump() {
    let (gpu, reference) = (&*GPU, Reference::new(2).unwrap());
    let table = Table::Line { points: vec![1e6, 1e6 + 0.01], values: vec![2.0, 5.0] };
    let function = property("height", Formula::Table(table.into(), vec![Formula::of("a")]));
    let forces = chosen_of(vec![function], &["a"]);
    let flights = [1e6 - 1.0, 1e6, 1e6 + 1.0].map(|a| flight_with(vec![0.0, a]));
    let [truths, answers] =
        [reference.compute::<AirLoads>(&forces, &flights), gpu.compute::<AirLoads>(&forces, &flights)];
    let values = |answers: &[touchdown::query::AirLoad]| answers.iter().map(|of| of.functions[0]).collect::<Vec<_>>();
    assert_eq!(values(&answers.unwrap()), values(&truths.unwrap()));
}
