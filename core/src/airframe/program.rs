//! An aircraft's physics as a row of numbers, step after step.

use std::collections::BTreeSet;

use glam::DVec3;

use super::AirframeDescription;
use super::trim::Known;
use crate::air_forces::{DOWNWARDS, Flight, LOADS, OF_FLIGHT, derived_in_landing, functions_of, in_si_units};
use crate::flight_controls::AFTER_HYSTERESIS;
use crate::function::{Expression, Function, Operation, Routine, RoutineFault, UnknownProperty, canonical};
use crate::propulsion::LOADS as ENGINE_LOADS;

type Formula = Expression<String>;

/// Loads of air and engines together.
const ALL_LOADS: [&str; 6] = ["all x-lbs", "all y-lbs", "all z-lbs", "all l-lbsft", "all m-lbsft", "all n-lbsft"];

/// How many numbers of a flight are of its own step.
const OF_THE_STEP: usize = 26;
/// Numbers of a flight that the routine keeps itself: what the air forces were in the step before.
const BEFORE: [(&str, &str); 4] = [
    (OF_FLIGHT[27], "aero/stall-hyst-norm"),
    (OF_FLIGHT[28], "aero/bi2vel"),
    (OF_FLIGHT[29], "aero/ci2vel"),
    (OF_FLIGHT[30], "aero/cl-squared"),
];
const LIFT_BEFORE: &str = OF_FLIGHT[26];

/// What the pilot and the ground give to a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Commands {
    /// Elevator, nose down positive, -1 to 1.
    pub elevator: f64,
    /// Aileron, right wing down positive, -1 to 1.
    pub aileron: f64,
    /// Rudder, nose left positive, -1 to 1.
    pub rudder: f64,
    /// Spoilers: 0 in, 1 out.
    pub spoilers: f64,
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Brake pedal, 0 to 1.
    pub brake: f64,
    /// 1 if a main wheel has touched, else 0.
    pub on_ground: f64,
}

impl Commands {
    /// Their names, in the order of [`Self::numbers`].
    pub const NAMES: [&'static str; 7] = [
        "pilot/elevator",
        "pilot/aileron",
        "pilot/rudder",
        "pilot/spoilers",
        "pilot/throttle",
        "pilot/brake",
        "pilot/on-ground",
    ];

    /// As numbers.
    #[must_use]
    pub fn numbers(&self) -> [f64; 7] {
        let Self { elevator, aileron, rudder, spoilers, throttle, brake, on_ground } = *self;
        [elevator, aileron, rudder, spoilers, throttle, brake, on_ground]
    }
}

/// The time step \[s\], by JSBSim's name.
const TIME_STEP: &str = "simulation/dt";

/// The physics of an aircraft, ready to be stepped.
#[derive(Clone, Debug, PartialEq)]
pub struct Airframe {
    description: AirframeDescription,
    routine: Routine,
    outputs: [usize; 6],
    pub(super) known: Known,
}

impl Airframe {
    /// How many numbers a step is given: those of the flight, the commands, the direction downwards, and the time step.
    pub const GIVEN: usize = OF_THE_STEP + Commands::NAMES.len() + DOWNWARDS.len() + 1;

    /// Resolves what functions read.
    ///
    /// # Errors
    /// If a function reads a property that nothing makes, or all of them are too long.
    pub fn new(description: AirframeDescription) -> Result<Self, RoutineFault> {
        let given: Vec<String> = given_names().map(str::to_owned).collect();
        let AirframeDescription { air_forces, at_start, .. } = &description;
        let start =
            |name: &str| at_start.iter().find(|(own, _)| canonical(own) == name).map_or(0.0, |&(_, number)| number);
        let functions = functions_of_step(&description);
        let routine = Routine::new(&functions, &given, &start, &|name| derived_in_landing(name, air_forces))?;
        let outputs = ALL_LOADS.map(|name| routine.place(name).unwrap_or_default());
        let routine = routine.only(&outputs);
        let outputs = ALL_LOADS.map(|name| routine.place(name).unwrap_or_default());
        Ok(Self { description, routine, outputs, known: Known::default() })
    }

    /// All that functions read and nothing makes, in the order of reading, each with its first reader. What `stand_in`
    /// makes a formula of is among them, followed by what that formula reads and nothing makes.
    #[must_use]
    pub fn unknown(
        description: &AirframeDescription,
        stand_in: &dyn Fn(&str) -> Option<Expression<String>>,
    ) -> Vec<UnknownProperty> {
        let functions = functions_of_step(description);
        let made = functions.iter().map(|function| canonical(&function.name));
        let known = given_names().map(canonical).chain(made).collect();
        let mut search = Search { description, stand_in, known, unknown: Vec::new() };
        for function in &functions {
            search.look_at(&function.expression, &function.name);
        }
        search.unknown
    }

    /// What the file says.
    #[must_use]
    pub fn description(&self) -> &AirframeDescription {
        &self.description
    }

    /// What is made in a step, and what a step leaves to the next.
    #[must_use]
    pub fn routine(&self) -> &Routine {
        &self.routine
    }

    /// The numbers that a step of this length \[s\] is given, with the direction downwards in body axes. Properties of the flight are
    /// not among them: commands make those.
    #[must_use]
    pub fn given(flight: &Flight, downwards: DVec3, commands: &Commands, step: f64) -> [f64; Self::GIVEN] {
        let mut all = [step; Self::GIVEN];
        let of_step = &flight.numbers()[..OF_THE_STEP];
        let numbers = of_step.iter().copied().chain(commands.numbers()).chain(downwards.to_array());
        all.iter_mut().zip(numbers).for_each(|(own, number)| *own = number);
        all
    }

    /// Force \[N\] and moment about the centre of gravity \[N m\] in a step, body axes; `kept` becomes what the step leaves to the next.
    ///
    /// # Panics
    /// With another number of kept numbers than the routine has.
    pub fn step(&self, given: &[f64; Self::GIVEN], kept: &mut Vec<f64>) -> [DVec3; 2] {
        let row = self.routine.row(given, kept);
        *kept = self.routine.left(&row);
        let of = |number: usize| row[self.outputs[number]];
        in_si_units([DVec3::new(of(0), of(1), of(2)), DVec3::new(of(3), of(4), of(5))])
    }

    /// Whether controls have play: those of actuators with hysteresis.
    #[must_use]
    pub fn has_play(&self) -> bool {
        self.description.controls.iter().any(|function| function.name.ends_with(AFTER_HYSTERESIS))
    }

    /// Whether the pilot's spoilers lead to anything.
    #[must_use]
    pub fn has_spoilers(&self) -> bool {
        let place = OF_THE_STEP + Commands::NAMES.iter().take_while(|&&name| name != "pilot/spoilers").count();
        self.routine.reads(place)
    }

    /// Places of force \[lbf\] and moment \[lbf ft\] in a row.
    pub fn load_places(&self) -> [usize; 6] {
        self.outputs
    }
}

/// Names of what a step is given.
fn given_names() -> impl Iterator<Item = &'static str> {
    OF_FLIGHT[..OF_THE_STEP].iter().chain(&Commands::NAMES).chain(&DOWNWARDS).chain([&TIME_STEP]).copied()
}

/// All functions of a step, in their order.
fn functions_of_step(description: &AirframeDescription) -> Vec<Function<String>> {
    let AirframeDescription { commands, controls, engines, air_forces, at_start: _ } = description;
    let air = functions_of(air_forces);
    let mut functions = [commands, controls, engines, &air].map(Clone::clone).concat();
    functions.extend(loads(engines));
    functions.extend(memory());
    functions
}

/// A search for what nothing makes.
struct Search<'a> {
    description: &'a AirframeDescription,
    stand_in: &'a dyn Fn(&str) -> Option<Formula>,
    /// What is given or made, and what has been looked at.
    known: BTreeSet<String>,
    unknown: Vec<UnknownProperty>,
}

impl Search<'_> {
    fn look_at(&mut self, formula: &Formula, reader: &str) {
        let mut read = Vec::new();
        formula.properties(&mut |name| read.push(canonical(name)));
        for name in read {
            if !self.known.insert(name.clone()) {
                continue;
            }
            if let Some(derived) = derived_in_landing(&name, &self.description.air_forces) {
                self.look_at(&derived, reader);
                continue;
            }
            self.unknown.push(UnknownProperty { function: reader.to_owned(), property: name.clone() });
            if let Some(formula) = (self.stand_in)(&name) {
                self.look_at(&formula, &name);
            }
        }
    }
}

fn made(name: &str, expression: Formula) -> Function<String> {
    Function { name: name.to_owned(), expression }
}

/// The sum of air and engines; without engines that of the air.
fn loads(engines: &[Function<String>]) -> Vec<Function<String>> {
    let is_made = |name: &str| engines.iter().any(|function| function.name == name);
    let all = ALL_LOADS.iter().zip(LOADS).zip(ENGINE_LOADS);
    let sum = all.map(|((name, air), engine)| match is_made(engine) {
        true => made(name, Formula::of(air) + engine),
        false => made(name, Formula::of(air)),
    });
    sum.collect()
}

/// What air forces remember.
fn memory() -> Vec<Function<String>> {
    let turn = |operation| Formula::of("aero/alpha-rad").by(operation);
    let lift = turn(Operation::Sine) * LOADS[0] - turn(Operation::Cosine) * LOADS[2];
    let kept = BEFORE.iter().map(|(name, now)| made(name, Formula::of(now)));
    std::iter::once(made(LIFT_BEFORE, lift)).chain(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand_in(name: &str) -> Option<Formula> {
        match name {
            "stands" => Some(Formula::of("third") + Formula::of("other") + "pilot/elevator"),
            "other" => Some(Formula::of("fourth") * 2.0),
            _ => None,
        }
    }

    fn description() -> AirframeDescription {
        let controls = vec![
            made("one", Formula::of("first[0]") + "later" + "aero/alpha-deg" + "stands"),
            made("later", Formula::of("second") + "first" + "third"),
        ];
        let engines = vec![made(ENGINE_LOADS[0], Formula::of("fourth") + "one" + "fifth[1]")];
        AirframeDescription { controls, engines, ..AirframeDescription::default() }
    }

    #[test]
    fn all_that_nothing_makes_is_found_as_it_is_found_one_by_one() {
        let mut completed = description();
        let mut one_by_one = Vec::new();
        while let Err(RoutineFault::Unknown(unknown)) = Airframe::new(completed.clone()) {
            let name = unknown.property.clone();
            match stand_in(&name) {
                Some(formula) => completed.commands.push(made(&name, formula)),
                None => completed.air_forces.constants.push((name, 0.0)),
            }
            one_by_one.push(unknown);
        }
        assert_eq!(Airframe::unknown(&description(), &stand_in), one_by_one);
        let names: Vec<&str> = one_by_one.iter().map(|unknown| unknown.property.as_str()).collect();
        assert_eq!(names, ["first", "stands", "third", "other", "fourth", "second", "fifth[1]"]);
        assert_eq!(Airframe::unknown(&completed, &stand_in), []);
    }
}
