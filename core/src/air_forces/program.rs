//! Air forces as a row of numbers, each made of those before it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use glam::DVec3;

use super::description::{AxisFunction, Description, ForceAxes, MomentAxes, Role};
use super::flight::{ARM, FOOT, Flight, OF_FLIGHT, POUND};
use super::properties::derived;
use crate::function::{Expression, Function, Operation, Routine, RoutineFault, UnknownProperty};

type Formula = Expression<String>;

/// Air forces over a row: numbers of the flight, given properties, then what follows from them, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct AirForces {
    routine: Routine,
    /// Names and places of the functions.
    functions: Vec<(String, usize)>,
    outputs: [usize; 6],
}

/// Names of what sums become; no property of a file has a blank.
const FORCE_SUMS: [[&str; 3]; 2] =
    [["force 0", "force 1", "force 2"], ["force at centre 0", "force at centre 1", "force at centre 2"]];
const MOMENT_SUMS: [&str; 3] = ["moment 0", "moment 1", "moment 2"];
const SHIFT: &str = "the shift";
const TURNED: [[&str; 3]; 2] =
    [["turned 0", "turned 1", "turned 2"], ["turned at centre 0", "turned at centre 1", "turned at centre 2"]];
const ARM_SHIFTED: &str = "shifted arm";
/// What functions make at last: force \[lbf\] and moment about the centre of gravity \[lbf ft\], body axes.
pub const LOADS: [&str; 6] = ["load x", "load y", "load z", "load l", "load m", "load n"];

impl AirForces {
    /// Resolves what functions read: given properties first, then those of the flight, then what follows, then values of functions
    /// before.
    ///
    /// # Errors
    /// If a function reads a property that nothing makes, or that is made after it, or all of them are too long.
    pub fn new(description: &Description, given: &[String]) -> Result<Self, RoutineFault> {
        let order = description.in_order();
        let functions = functions_of(description);
        let all: Vec<_> = OF_FLIGHT.iter().map(|&name| name.to_owned()).chain(given.iter().cloned()).collect();
        let routine = Routine::new(&functions, &all, &|_| 0.0, &|name| derived(name, description))?;
        if let Some(kept) = routine.kept().first() {
            let reads = |function: &&Function<String>| {
                let mut found = false;
                function.expression.properties(&mut |read| found |= *read == kept.name);
                found
            };
            let reader = functions.iter().find(reads).map_or(String::new(), |function| function.name.clone());
            return Err(UnknownProperty { function: reader, property: kept.name.clone() }.into());
        }
        let place = |name: &str| routine.place(name).unwrap_or_default();
        let places = (0..order.len()).map(|number| place(&own_name(number)));
        let names = order.iter().map(|function| function.function.name.clone());
        Ok(Self { functions: names.zip(places).collect(), outputs: LOADS.map(place), routine })
    }

    /// The same with those properties given that functions read, that nothing makes and that `is_given` knows.
    ///
    /// # Errors
    /// If a function reads another property that nothing makes, or that is made after it, or all of them are too long.
    pub fn with_given(description: &Description, is_given: &dyn Fn(&str) -> bool) -> Result<Self, RoutineFault> {
        let given = RefCell::new(BTreeSet::new());
        // A number stands in for what is given, so that all that functions read is found at once.
        let stand_in = |name: &str| {
            is_given(name).then(|| {
                given.borrow_mut().insert(name.to_owned());
                Formula::Value(0.0)
            })
        };
        let formula = |name: &str| derived(name, description).or_else(|| stand_in(name));
        let of_flight = OF_FLIGHT.map(str::to_owned);
        let routine = Routine::new(&functions_of(description), &of_flight, &|_| 0.0, &formula)?;
        let mut given = given.take();
        // What is read before it is made comes from outside, too.
        given.extend(routine.kept().iter().map(|kept| kept.name.clone()).filter(|name| is_given(name)));
        Self::new(description, &given.into_iter().collect::<Vec<_>>())
    }

    /// Names of the given properties, in the order of [`Flight::given`].
    #[must_use]
    pub fn given(&self) -> &[String] {
        &self.routine.given()[OF_FLIGHT.len()..]
    }

    /// Names of the functions, in the order of their evaluation.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|(name, _)| name.as_str())
    }

    /// How many numbers a row has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.routine.width()
    }

    /// What is made of a flight, in its order, each with its place in the row.
    pub fn made(&self) -> impl Iterator<Item = (usize, &Expression<usize>)> {
        self.routine.made()
    }

    /// Whether a flight has all numbers that these forces need, each as it may be.
    #[must_use]
    pub fn takes(&self, flight: &Flight) -> bool {
        flight.given.len() == self.given().len() && flight.fault().is_none()
    }

    /// The numbers that a row begins with.
    ///
    /// # Panics
    /// If the flight has another number of given properties.
    pub fn begin(&self, flight: &Flight) -> impl Iterator<Item = f64> {
        assert_eq!(flight.given.len(), self.given().len(), "properties that are given");
        flight.numbers().into_iter().chain(flight.given.iter().copied())
    }

    /// Force \[N\] and moment about the centre of gravity \[N m\], body axes, of a full row.
    #[must_use]
    pub fn loads(&self, row: &[f64]) -> [DVec3; 2] {
        let of = |number: usize| row[self.outputs[number]];
        in_si_units([DVec3::new(of(0), of(1), of(2)), DVec3::new(of(3), of(4), of(5))])
    }

    /// Values of the functions, of a full row.
    pub fn values(&self, row: &[f64]) -> impl Iterator<Item = f64> {
        self.functions.iter().map(|&(_, place)| row[place])
    }

    /// The row of a flight.
    #[must_use]
    pub fn row(&self, flight: &Flight) -> Vec<f64> {
        self.routine.row(&self.begin(flight).collect::<Vec<_>>(), &[])
    }

    /// Place of a property in the row.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.routine.place(name)
    }

    /// How many numbers of a row stand before the given properties.
    pub fn first_given(&self) -> usize {
        OF_FLIGHT.len()
    }

    /// Places of the functions.
    pub fn function_places(&self) -> impl Iterator<Item = usize> {
        self.functions.iter().map(|&(_, place)| place)
    }

    /// Places of force and moment.
    pub fn load_places(&self) -> [usize; 6] {
        self.outputs
    }

    /// How many numbers of a row stand before those that are made.
    pub fn first_made(&self) -> usize {
        self.routine.first_made()
    }
}

/// Force \[N\] and moment \[N m\] of those in pounds and feet.
pub fn in_si_units([force, moment]: [DVec3; 2]) -> [DVec3; 2] {
    [force * POUND, moment * (POUND * FOOT)]
}

/// A name for a function by its number: two may have the same name in a file, or none.
fn own_name(number: usize) -> String {
    format!("function {number}")
}

/// All that is made of a flight, in its order, up to [`LOADS`].
pub fn functions_of(description: &Description) -> Vec<Function<String>> {
    let order = description.in_order();
    [named(&order), sums(description, &order)].concat()
}

/// Functions in their order, each with a name of its own beside that of the file.
fn named(order: &[&AxisFunction]) -> Vec<Function<String>> {
    let both = order.iter().enumerate().flat_map(|(number, function)| {
        let Function { name, expression } = &function.function;
        [made(name, expression.clone()), made(&own_name(number), Formula::of(name))]
    });
    both.collect()
}

fn made(name: &str, expression: Formula) -> Function<String> {
    Function { name: name.to_owned(), expression }
}

/// What makes force and moment of the functions.
fn sums(description: &Description, order: &[&AxisFunction]) -> Vec<Function<String>> {
    let sum_of = |role: Role| {
        let parts = order.iter().enumerate().filter(|(_, function)| function.role == role);
        let names = parts.map(|(number, _)| Formula::Property(own_name(number)));
        names.reduce(|sum, name| sum + name).unwrap_or(Formula::Value(0.0))
    };
    let mut all = Vec::new();
    for axis in 0..3 {
        all.push(made(FORCE_SUMS[0][axis], sum_of(Role::Force(axis))));
        all.push(made(FORCE_SUMS[1][axis], sum_of(Role::ForceAtCentre(axis))));
        all.push(made(MOMENT_SUMS[axis], sum_of(Role::Moment(axis))));
    }
    for (sums, turned) in FORCE_SUMS.iter().zip(TURNED) {
        let forces = forces_in_body_axes(description.force_axes, sums);
        all.extend(turned.iter().zip(forces).map(|(name, formula)| made(name, formula)));
    }
    all.push(made(SHIFT, sum_of(Role::Shift)));
    let chord = description.sizes.chord / FOOT;
    all.push(made(ARM_SHIFTED, Formula::of(ARM[0]) - Formula::of(SHIFT) * chord));
    let arm = [ARM_SHIFTED, ARM[1], ARM[2]];
    for axis in 0..3 {
        all.push(made(LOADS[axis], Formula::of(TURNED[0][axis]) + TURNED[1][axis]));
    }
    for (axis, moment) in moments_in_body_axes(description.moment_axes).into_iter().enumerate() {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let by_force = Formula::of(arm[next]) * TURNED[0][last] - Formula::of(arm[last]) * TURNED[0][next];
        all.push(made(LOADS[3 + axis], moment + by_force));
    }
    all
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

    /// Functions of which each reads the next, a property of its own, one that both read and one that follows from the flight.
    fn in_reverse_order(functions: usize) -> Description {
        let function = |number: usize| {
            let next = Formula::of(&format!("step {}", number + 1)) + &*format!("own {number}");
            let expression = next + "common" + "aero/alpha-rad";
            AxisFunction { function: made(&format!("step {number}"), expression), role: Role::Property }
        };
        Description { functions: (0..functions).map(function).collect(), ..Description::default() }
    }

    #[test]
    fn all_that_functions_in_reverse_order_read_is_given() {
        let description = in_reverse_order(4);
        let forces = AirForces::with_given(&description, &|_| true).unwrap();
        let expected =
            ["common", "own 0", "own 1", "own 2", "own 3", "step 1", "step 2", "step 3", "step 4"].map(str::to_owned);
        assert_eq!(forces.given(), expected);
        assert_eq!(forces, AirForces::new(&description, &expected).unwrap());
        let refused = |unknown: &str| AirForces::with_given(&description, &|name| name != unknown).unwrap_err();
        for (property, function) in
            [("common", "step 0"), ("own 2", "step 2"), ("step 4", "step 3"), ("step 2", "step 1")]
        {
            let expected = UnknownProperty { function: function.to_owned(), property: property.to_owned() };
            assert_eq!(refused(property), expected.into());
        }
        // What nothing makes is told of before what is made too late.
        let fault = AirForces::with_given(&description, &|name| !["step 1", "own 3"].contains(&name)).unwrap_err();
        assert!(matches!(fault, RoutineFault::Unknown(unknown) if unknown.property == "own 3"));
    }
}
