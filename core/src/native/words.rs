//! Words of functions, eight rows at a time.
//!
//! # Conventions
//! The bits of [`Operation::of`](crate::function::Operation::of) and [`Table::value`](crate::function::Table::value): the same operations in the same order, selection in place of
//! branches, and where a function is not made of such operations, itself, lane by lane.

mod lookup;
mod numbers;

use crate::elementary::{atan2, sin_cos};
use crate::function::{Code, TRUTH_TOLERANCE, Words};
use crate::lanes::{LANES, Vectorized};
use crate::simd::{F64x8, InRegisters, Simd, at_full_width, in_registers};
use lookup::{GridLookup, LineLookup};
use numbers::{Memory, Numbers};

/// Words of a run: what each makes of the numbers at its places goes to its own.
macro_rules! each_word {
    ($numbers:ident, $run:ident, |[$($name:ident),+]| $made:expr) => {
        for word in $run {
            let mut places = word.of.iter();
            $(let $name = $numbers.get(places.next().map_or(0, |&place| place.into()));)+
            $numbers.set(word.to.into(), $made);
        }
    };
}

/// Eight rows of numbers.
pub(in crate::native) struct Rows<S: Simd> {
    simd: S,
    memory: Memory,
    lines: Vec<LineLookup>,
    grids: Vec<GridLookup>,
}

impl<S: Simd> Rows<S> {
    /// Rows of zeros, and of the numbers that never change.
    pub fn new(simd: S, words: &Words) -> Self {
        let mut memory = Memory::new();
        let mut numbers = memory.numbers(simd);
        words.constants().iter().for_each(|&(place, value)| numbers.set(place, F64x8::splat(simd, value)));
        let lines = words.lines().iter().map(LineLookup::new).collect();
        let grids = words.grids().iter().map(GridLookup::new).collect();
        Self { simd, memory, lines, grids }
    }

    /// The numbers of all places.
    #[inline(always)]
    pub fn numbers(&mut self) -> Numbers<'_, S> {
        self.memory.numbers(self.simd)
    }

    /// A lane's number of a place.
    pub fn of_lane(&self, lane: usize, place: usize) -> f64 {
        self.memory.of_lane(lane, place)
    }

    /// Makes what words make, those with which the rows were begun. A function of its own: its code is long, and the code around it
    /// in a step is as good as it is without.
    #[inline(never)]
    pub fn run(&mut self, words: &Words) {
        at_full_width(self.simd, AtFullWidth { rows: self, words });
    }

    #[inline(always)]
    fn run_in_registers(&mut self, words: &Words) {
        let mut numbers = self.memory.numbers(self.simd);
        for (code, run) in words.runs() {
            // Each run has a loop of its own, without a decision from word to word.
            match code {
                Code::Copy => each_word!(numbers, run, |[a]| a),
                Code::Add => each_word!(numbers, run, |[a, b]| a + b),
                Code::Subtract => each_word!(numbers, run, |[a, b]| a - b),
                Code::Multiply => each_word!(numbers, run, |[a, b]| a * b),
                Code::MultiplyThree => each_word!(numbers, run, |[a, b, c]| a * b * c),
                Code::MultiplyFour => each_word!(numbers, run, |[a, b, c, d]| a * b * c * d),
                Code::AddThree => each_word!(numbers, run, |[a, b, c]| a + b + c),
                Code::AddFour => each_word!(numbers, run, |[a, b, c, d]| a + b + c + d),
                Code::Divide => each_word!(numbers, run, |[a, b]| quotient(a, b)),
                Code::Minimum => each_word!(numbers, run, |[a, b]| b.min(a)),
                Code::Maximum => each_word!(numbers, run, |[a, b]| b.max(a)),
                Code::Less => each_word!(numbers, run, |[a, b]| a.lt(b).as_numbers()),
                Code::LessOrEqual => each_word!(numbers, run, |[a, b]| a.le(b).as_numbers()),
                Code::Equal => each_word!(numbers, run, |[a, b]| a.eq(b).as_numbers()),
                Code::IfLess => each_word!(numbers, run, |[a, b, yes, no]| a.lt(b).select(yes, no)),
                Code::IfLessOrEqual => each_word!(numbers, run, |[a, b, yes, no]| a.le(b).select(yes, no)),
                Code::IfThen => each_word!(numbers, run, |[truth, yes, no]| if_then(truth, yes, no)),
                Code::Negate => each_word!(numbers, run, |[a]| -a),
                Code::Magnitude => each_word!(numbers, run, |[a]| a.abs()),
                Code::SquareRoot => each_word!(numbers, run, |[a]| square_root(a)),
                Code::ArcTangent2 => each_word!(numbers, run, |[y, x]| atan2(y, x)),
                Code::SineAndCosine => {
                    for word in run {
                        let (sine, cosine) = sin_cos(numbers.get(word.of[0].into()));
                        numbers.set(word.to.into(), sine);
                        numbers.set(word.of[1].into(), cosine);
                    }
                }
                Code::Line => {
                    for word in run {
                        let x = numbers.get(word.of[0].into());
                        numbers.set(word.to.into(), self.lines[word.of[1] as usize].at(x));
                    }
                }
                Code::Grid => {
                    for word in run {
                        let by = [numbers.get(word.of[0].into()), numbers.get(word.of[1].into())];
                        numbers.set(word.to.into(), self.grids[word.of[2] as usize].at(by));
                    }
                }
                Code::Blocks => {
                    for word in run {
                        let table = &words.blocks()[word.of[2] as usize];
                        numbers.each_lane(word.to, words.list(word), &|arguments| table.value(arguments));
                    }
                }
                Code::Operation(operation) => {
                    for word in run {
                        numbers.each_lane(word.to, words.list(word), &|arguments| operation.of(arguments));
                    }
                }
            }
        }
    }
}

/// Words to be run over rows.
struct AtFullWidth<'a, S: Simd> {
    rows: &'a mut Rows<S>,
    words: &'a Words,
}

impl<S: Simd> Vectorized for AtFullWidth<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.rows.run_in_registers(self.words);
    }
}

#[inline(always)]
fn quotient<S: Simd>(number: F64x8<S>, by: F64x8<S>) -> F64x8<S> {
    by.eq(by.like(0.0)).select(by.like(f64::INFINITY), number / by)
}

#[inline(always)]
fn square_root<S: Simd>(number: F64x8<S>) -> F64x8<S> {
    number.lt(number.like(0.0)).select(number.like(f64::NEG_INFINITY), number.sqrt())
}

#[inline(always)]
fn if_then<S: Simd>(truth: F64x8<S>, yes: F64x8<S>, no: F64x8<S>) -> F64x8<S> {
    let is_true = (truth - truth.like(1.0)).abs().lt(truth.like(TRUTH_TOLERANCE));
    let is_false = truth.abs().lt(truth.like(TRUTH_TOLERANCE));
    is_false.select(no, is_true.select(yes, truth.like(f64::NAN)))
}

/// The rows that words make of those that they begin with, eight at a time: for each place the numbers of all lanes.
#[must_use]
pub fn function_rows(words: &Words, begun: &[[f64; LANES]]) -> Vec<[f64; LANES]> {
    struct Begun<'a>(&'a Words, &'a [[f64; LANES]]);
    impl InRegisters for Begun<'_> {
        type Output = Vec<[f64; LANES]>;
        fn run<S: Simd>(self, simd: S) -> Vec<[f64; LANES]> {
            let Self(words, begun) = self;
            let mut rows = Rows::new(simd, words);
            for (place, lanes) in begun.iter().enumerate() {
                rows.numbers().set(place, F64x8::from_array(simd, *lanes));
            }
            rows.run(words);
            (0..words.width()).map(|place| rows.numbers().get(place).to_array()).collect()
        }
    }
    in_registers(Begun(words, begun))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::function::drawn::{GIVEN, expression, number};
    use crate::simd::{InRegisters, in_registers};

    struct Eight<'a> {
        words: &'a Words,
        rows: [[f64; GIVEN]; LANES],
    }

    impl InRegisters for Eight<'_> {
        type Output = [f64; LANES];
        fn run<S: Simd>(self, simd: S) -> [f64; LANES] {
            let mut rows = Rows::new(simd, self.words);
            // Twice: the second time lookups have the cells of other arguments.
            for turn in [1, 0] {
                for place in 0..GIVEN {
                    let number = |lane: usize| self.rows[(lane + turn) % LANES][place];
                    rows.numbers().set(place, F64x8::from_array(simd, std::array::from_fn(number)));
                }
                rows.run(self.words);
            }
            rows.numbers().get(GIVEN).to_array()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn words_in_lanes_have_the_bits_of_the_tree(
            expression in expression(),
            rows in prop::collection::vec(prop::collection::vec(number(), GIVEN), LANES),
        ) {
            let rows: [[f64; GIVEN]; LANES] = std::array::from_fn(|lane| std::array::from_fn(|place| rows[lane][place]));
            let words = Words::compile([(GIVEN, &expression)], [GIVEN], GIVEN + 1);
            let found = in_registers(Eight { words: &words, rows });
            for (lane, row) in rows.iter().enumerate() {
                let value = expression.value(row);
                let same = found[lane].to_bits() == value.to_bits() || found[lane].is_nan() && value.is_nan();
                prop_assert!(same, "lane {lane}: {} instead of {value}", found[lane]);
            }
        }
    }
}
