//! What is done with the values of arguments.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use crate::elementary::{acos, asin, atan, atan2, exp, ln, log2, log10, pow, sin_cos, tan};

/// What is done with arguments. Truth is 1 and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Sum of all.
    Sum,
    /// The first less all others.
    Difference,
    /// Product of all.
    Product,
    /// The first by the second; infinite where the second is 0.
    Quotient,
    /// The first to the power of the second.
    Power,
    /// Square root; minus infinity of negative numbers.
    SquareRoot,
    /// Degrees as radians.
    Radians,
    /// Radians as degrees.
    Degrees,
    /// Exponential function.
    Exponential,
    /// Logarithm to base 2; minus infinity where there is none, as all logarithms.
    BinaryLogarithm,
    /// Natural logarithm.
    NaturalLogarithm,
    /// Logarithm to base 10.
    DecimalLogarithm,
    /// Magnitude.
    Magnitude,
    /// -1 of negative numbers, else 1.
    Sign,
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
    /// Tangent.
    Tangent,
    /// Inverse sine \[rad\].
    ArcSine,
    /// Inverse cosine \[rad\].
    ArcCosine,
    /// Inverse tangent \[rad\].
    ArcTangent,
    /// Angle of the point whose y is the first and whose x is the second \[rad\].
    ArcTangent2,
    /// Smallest.
    Minimum,
    /// Largest.
    Maximum,
    /// Mean.
    Average,
    /// What follows the point, with the sign of the number.
    Fraction,
    /// The whole number towards 0.
    Integer,
    /// Remainder of the first by the second, both cut to whole numbers before.
    IntegerRemainder,
    /// Remainder of the first by the second; infinite where the second is 0.
    Remainder,
    /// The nearest multiple of the second (of 1 without one), halves away from 0.
    RoundMultiple,
    /// The next whole number below.
    Floor,
    /// The next whole number above.
    Ceiling,
    /// Whether the first is less than the second.
    Less,
    /// Whether the first is at most the second.
    LessOrEqual,
    /// Whether the first is greater than the second.
    Greater,
    /// Whether the first is at least the second.
    GreaterOrEqual,
    /// Whether both are the same number.
    Equal,
    /// Whether they are different numbers.
    NotEqual,
    /// Whether all are true.
    And,
    /// Whether any is true.
    Or,
    /// Whether it is false.
    Not,
    /// The second where the first is true, else the third.
    IfThen,
    /// Of those after the first the one whose number, from 0, is nearest to it.
    Switch,
    /// Between pairs of x and y after the first, in the order of x; the ends hold.
    Interpolate,
}

/// Numbers nearer to a truth than this are that truth, as JSBSim has it.
pub(crate) const TRUTH_TOLERANCE: f64 = 1e-9;

/// Any number of arguments.
const MANY: usize = 1 << 12;

impl Operation {
    /// All of them, with the names that JSBSim has for them and how many arguments they take.
    pub const ALL: [(Self, &'static str, RangeInclusive<usize>); 43] = [
        (Self::Sum, "sum", 1..=MANY),
        (Self::Difference, "difference", 1..=MANY),
        (Self::Product, "product", 1..=MANY),
        (Self::Quotient, "quotient", 2..=2),
        (Self::Power, "pow", 2..=2),
        (Self::SquareRoot, "sqrt", 1..=1),
        (Self::Radians, "toradians", 1..=1),
        (Self::Degrees, "todegrees", 1..=1),
        (Self::Exponential, "exp", 1..=1),
        (Self::BinaryLogarithm, "log2", 1..=1),
        (Self::NaturalLogarithm, "ln", 1..=1),
        (Self::DecimalLogarithm, "log10", 1..=1),
        (Self::Magnitude, "abs", 1..=1),
        (Self::Sign, "sign", 1..=1),
        (Self::Sine, "sin", 1..=1),
        (Self::Cosine, "cos", 1..=1),
        (Self::Tangent, "tan", 1..=1),
        (Self::ArcSine, "asin", 1..=1),
        (Self::ArcCosine, "acos", 1..=1),
        (Self::ArcTangent, "atan", 1..=1),
        (Self::ArcTangent2, "atan2", 2..=2),
        (Self::Minimum, "min", 1..=MANY),
        (Self::Maximum, "max", 1..=MANY),
        (Self::Average, "avg", 1..=MANY),
        (Self::Fraction, "fraction", 1..=1),
        (Self::Integer, "integer", 1..=1),
        (Self::IntegerRemainder, "mod", 2..=2),
        (Self::Remainder, "fmod", 2..=2),
        (Self::RoundMultiple, "roundmultiple", 1..=2),
        (Self::Floor, "floor", 1..=1),
        (Self::Ceiling, "ceil", 1..=1),
        (Self::Less, "lt", 2..=2),
        (Self::LessOrEqual, "le", 2..=2),
        (Self::Greater, "gt", 2..=2),
        (Self::GreaterOrEqual, "ge", 2..=2),
        (Self::Equal, "eq", 2..=2),
        (Self::NotEqual, "nq", 2..=2),
        (Self::And, "and", 1..=MANY),
        (Self::Or, "or", 1..=MANY),
        (Self::Not, "not", 1..=1),
        (Self::IfThen, "ifthen", 3..=3),
        (Self::Switch, "switch", 2..=MANY),
        (Self::Interpolate, "interpolate1d", 5..=MANY),
    ];

    /// The operation of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own, _)| *own == name).map(|&(operation, ..)| operation)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// How many arguments it takes; `interpolate1d` takes an odd number.
    #[must_use]
    pub fn arguments(self) -> RangeInclusive<usize> {
        Self::ALL[self as usize].2.clone()
    }

    /// Whether it may take this many arguments.
    #[must_use]
    pub fn takes(self, arguments: usize) -> bool {
        self.arguments().contains(&arguments) && (self != Self::Interpolate || arguments % 2 == 1)
    }

    /// Whether one argument of several possible ones is left as it is.
    #[must_use]
    pub fn folds(self) -> bool {
        matches!(
            self,
            Self::Sum
                | Self::Difference
                | Self::Product
                | Self::Minimum
                | Self::Maximum
                | Self::Average
                | Self::And
                | Self::Or
        )
    }

    /// Its value. Truths of numbers that are neither 0 nor 1 are none: NaN.
    ///
    /// # Panics
    /// With fewer arguments than it takes.
    #[must_use]
    pub fn of(self, arguments: &[f64]) -> f64 {
        let first = arguments[0];
        let folded = |with: fn(f64, f64) -> f64| arguments[1..].iter().fold(first, |all, &one| with(all, one));
        let second = || arguments[1];
        let truth = |truth: bool| f64::from(u8::from(truth));
        match self {
            Self::Sum => folded(|a, b| a + b),
            Self::Difference => folded(|a, b| a - b),
            Self::Product => folded(|a, b| a * b),
            Self::Quotient if second() == 0.0 => f64::INFINITY,
            Self::Quotient => first / second(),
            Self::Power => pow(first, second()),
            Self::SquareRoot if first < 0.0 => f64::NEG_INFINITY,
            Self::SquareRoot => first.sqrt(),
            Self::Radians => first * PI / 180.0,
            Self::Degrees => first * 180.0 / PI,
            Self::Exponential => exp(first),
            Self::BinaryLogarithm | Self::NaturalLogarithm | Self::DecimalLogarithm if first <= 0.0 => {
                f64::NEG_INFINITY
            }
            Self::BinaryLogarithm => log2(first),
            Self::NaturalLogarithm => ln(first),
            Self::DecimalLogarithm => log10(first),
            Self::Magnitude => first.abs(),
            Self::Sign if first < 0.0 => -1.0,
            Self::Sign => 1.0,
            Self::Sine => sin_cos(first).0,
            Self::Cosine => sin_cos(first).1,
            Self::Tangent => tan(first),
            Self::ArcSine => asin(first),
            Self::ArcCosine => acos(first),
            Self::ArcTangent => atan(first),
            Self::ArcTangent2 => atan2(first, second()),
            Self::Minimum => folded(|all, one| if one < all { one } else { all }),
            Self::Maximum => folded(|all, one| if one > all { one } else { all }),
            Self::Average => folded(|a, b| a + b) / arguments.len() as f64,
            Self::Fraction => first - first.trunc(),
            Self::Integer => first.trunc(),
            Self::IntegerRemainder => first.trunc() % second().trunc(),
            Self::Remainder if second() == 0.0 => f64::INFINITY,
            Self::Remainder => first % second(),
            Self::RoundMultiple if arguments.len() == 1 => first.round(),
            Self::RoundMultiple => (first / second()).round() * second(),
            Self::Floor => first.floor(),
            Self::Ceiling => first.ceil(),
            Self::Less => truth(first < second()),
            Self::LessOrEqual => truth(first <= second()),
            Self::Greater => truth(first > second()),
            Self::GreaterOrEqual => truth(first >= second()),
            Self::Equal => truth(first == second()),
            Self::NotEqual => truth(first != second()),
            Self::And => decided(arguments, |a, b| a && b).map_or(f64::NAN, truth),
            Self::Or => decided(arguments, |a, b| a || b).map_or(f64::NAN, truth),
            Self::Not => is_true(first).map_or(f64::NAN, |is_true| truth(!is_true)),
            Self::IfThen => match is_true(first) {
                Some(true) => second(),
                Some(false) => arguments[2],
                None => f64::NAN,
            },
            Self::Switch => chosen(first, &arguments[1..]),
            Self::Interpolate => between(first, &arguments[1..]),
        }
    }
}

/// Whether a number is true; none if it is neither 0 nor 1.
fn is_true(number: f64) -> Option<bool> {
    if number.abs() < TRUTH_TOLERANCE {
        return Some(false);
    }
    ((number - 1.0).abs() < TRUTH_TOLERANCE).then_some(true)
}

/// What is decided of truths, from the first on; none if one of them is none.
fn decided(arguments: &[f64], decide: fn(bool, bool) -> bool) -> Option<bool> {
    arguments[1..].iter().fold(is_true(arguments[0]), |all, &one| Some(decide(all?, is_true(one)?)))
}

fn chosen(number: f64, cases: &[f64]) -> f64 {
    let nearest = (number + 0.5).trunc();
    // Of numbers that are none of a case's no case is chosen: JSBSim refuses negative ones.
    if number >= 0.0 && nearest < cases.len() as f64 { cases[nearest as usize] } else { f64::NAN }
}

fn between(x: f64, pairs: &[f64]) -> f64 {
    let last = pairs.len() / 2 - 1;
    let (at, value) = (|pair: usize| pairs[2 * pair], |pair: usize| pairs[2 * pair + 1]);
    if x <= at(0) {
        return value(0);
    }
    if x >= at(last) {
        return value(last);
    }
    let after = (1..=last).find(|&pair| x <= at(pair)).unwrap_or(last);
    let before = after - 1;
    value(before) + (x - at(before)) * (value(after) - value(before)) / (at(after) - at(before))
}
