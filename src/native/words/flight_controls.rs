//! Flight controls in lanes.

use std::f64::consts::TAU;
use std::path::Path;

use crate::flight_controls::TimeStep;
use crate::function::{Routine, Words};
use crate::import::jsbsim_flight_controls;
use crate::lanes::LANES;
use crate::simd::{F64x8, InRegisters, Simd, in_registers};

const STEP: f64 = 1.0 / 120.0;
const STEPS: usize = 120;

/// Rows of a step, for each lane its own; those that begin them are the given and the kept numbers.
struct Rows<'a> {
    words: &'a Words,
    begun: Vec<[f64; LANES]>,
    width: usize,
}

impl InRegisters for Rows<'_> {
    type Output = Vec<[f64; LANES]>;
    fn run<S: Simd>(self, simd: S) -> Vec<[f64; LANES]> {
        let mut rows = super::Rows::new(simd, self.words);
        for (place, lanes) in self.begun.iter().enumerate() {
            rows.set(place, F64x8::from_array(simd, *lanes));
        }
        rows.run(self.words);
        (0..self.width).map(|place| rows.get(place).to_array()).collect()
    }
}

#[test]
fn all_components_have_the_bits_of_the_trees_step_after_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim/aircraft/oracle-fcs.xml");
    let controls = jsbsim_flight_controls(&path).unwrap().controls;
    let functions = controls.functions(TimeStep::Given(STEP)).unwrap();
    let mut given: Vec<String> = Vec::new();
    let is_made = |name: &str| functions.iter().any(|function| function.name == name);
    for function in &functions {
        function.expression.properties(&mut |name| {
            if !is_made(name) && !given.contains(name) {
                given.push(name.clone());
            }
        });
    }
    let routine = Routine::new(&functions, &given, &|_| 0.0, &|_| None).unwrap();
    let words = Words::compile(routine.made(), routine.first_made()..routine.width(), routine.width());
    let mut kept = [const { Vec::new() }; LANES].map(|_: Vec<f64>| routine.at_start());
    for step in 0..STEPS {
        // Everything swings, each at its own pace in each lane, and a lane has whole numbers only.
        let number = |lane: usize, place: usize| {
            let swing = (TAU * (step as f64 / (17.0 + place as f64) + lane as f64 / LANES as f64)).sin() * 1.5;
            match (given[place].as_str(), lane) {
                ("simulation/dt", _) => STEP,
                (_, 0) => swing.round(),
                _ => swing,
            }
        };
        let of = |lane: usize| (0..given.len()).map(|place| number(lane, place)).collect::<Vec<_>>();
        let rows: [Vec<f64>; LANES] = std::array::from_fn(|lane| routine.row(&of(lane), &kept[lane]));
        let begun = (0..routine.first_made()).map(|place| std::array::from_fn(|lane| rows[lane][place])).collect();
        let found = in_registers(Rows { words: &words, begun, width: routine.width() });
        for (place, lanes) in found.iter().enumerate() {
            for (lane, row) in rows.iter().enumerate() {
                assert_eq!(lanes[lane].to_bits(), row[place].to_bits(), "step {step}, lane {lane}, place {place}");
            }
        }
        kept = rows.map(|row| routine.left(&row));
    }
}
