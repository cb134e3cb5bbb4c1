//! Code for operations, with what is known of their values.

use std::f64::consts::PI;

use super::{Code, number};
use crate::elementary::MAX_ANGLE;
use crate::function::Operation;
use crate::gpu::wire::BEYOND;

/// What is known of a value, of what it is made of.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The flag that is set where it is none; where it is set the value means nothing. Without one it always is a number.
    pub undefined: Option<String>,
    /// Its magnitude is no larger; infinite where it may be.
    pub most: f64,
    /// It is never below 0.
    pub is_positive: bool,
    /// It is never 0.
    pub is_never_zero: bool,
    /// It is 0 or 1.
    pub is_truth: bool,
    /// It is this number.
    pub number: Option<f64>,
}

impl Default for Known {
    /// Of a number of which nothing else is known.
    fn default() -> Self {
        let [is_positive, is_never_zero, is_truth] = [false; 3];
        Self { undefined: None, most: f64::MAX, is_positive, is_never_zero, is_truth, number: None }
    }
}

impl Known {
    pub fn negative(self) -> Self {
        let Self { undefined, most, is_never_zero, number, .. } = self;
        Self { undefined, most, is_never_zero, number: number.map(|number| -number), ..Self::default() }
    }

    fn may_be_infinite(&self) -> bool {
        self.most.is_infinite()
    }
}

/// A value of the code: a name or a number.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    pub known: Known,
}

impl Value {
    pub fn constant(value: f64) -> Self {
        if value.is_nan() {
            return Self { text: number(0.0), known: Known { undefined: Some("true".to_owned()), ..Known::default() } };
        }
        let most = if value.abs() < BEYOND { value.abs() } else { f64::INFINITY };
        let is_truth = value == 0.0 || value == 1.0;
        let [is_positive, is_never_zero] = [value >= 0.0, value != 0.0];
        let known = Known { undefined: None, most, is_positive, is_never_zero, is_truth, number: Some(value) };
        Self { text: number(value), known }
    }

    /// The test whether it is infinite, where it may be.
    fn infinite(&self) -> Option<String> {
        self.known.may_be_infinite().then(|| format!("is_infinite({})", self.text))
    }

    /// The test whether it is neither true nor false, where it may be.
    fn no_truth(&self) -> Option<String> {
        (!self.known.is_truth).then(|| format!("no_truth({})", self.text))
    }

    /// The flag; `false` without one.
    fn undefined(&self) -> &str {
        self.known.undefined.as_deref().unwrap_or("false")
    }

    /// The flag of a value that counts only where a number is not 0.
    fn undefined_unless_zero(&self, other: &Self) -> Option<String> {
        let flag = self.known.undefined.clone()?;
        Some(if other.known.is_never_zero { flag } else { format!("{flag} & ({} != 0.0)", other.text) })
    }
}

/// A bound of what is made of numbers with these bounds: finite if they all are, since what overflows in f32 shows itself.
fn within<'a>(of: impl IntoIterator<Item = &'a Value>, most: f64) -> f64 {
    if of.into_iter().any(|value| value.known.may_be_infinite()) { f64::INFINITY } else { most.min(f64::MAX) }
}

impl Code {
    /// The code of an operation.
    pub(super) fn apply(&mut self, operation: Operation, values: &[Value]) -> Value {
        let first = &values[0];
        let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        let called = |function: &str| format!("{function}({})", texts.join(", "));
        let all_undefined = || values.iter().filter_map(|value| value.known.undefined.clone()).collect::<Vec<_>>();
        let most = values.iter().map(|value| value.known.most).fold(0.0, f64::max);
        let all_positive = values.iter().all(|value| value.known.is_positive);
        let any_number = Known::default();
        let bounded = |most: f64| Known { most, ..Known::default() };
        let positive = |most: f64| Known { most, is_positive: true, ..Known::default() };
        let whole = Known { most: within(values, most + 1.0), is_positive: all_positive, ..Known::default() };
        // The code, the test for arguments beyond the domain of the operation, and what is known of the value within it.
        let (text, beyond, known) = match operation {
            Operation::Sum => return self.total(values, " + "),
            Operation::Difference => return self.total(values, " - "),
            Operation::Average => {
                let Value { text, known } = self.total(values, " + ");
                return Value { text: format!("({text} / {})", number(values.len() as f64)), known };
            }
            Operation::Product => return self.product(values),
            Operation::Radians => return self.product(&[first.clone(), Value::constant(1_f64.to_radians())]),
            Operation::Degrees => return self.product(&[first.clone(), Value::constant(1_f64.to_degrees())]),
            Operation::Quotient | Operation::Remainder => return self.divided(operation, first, &values[1]),
            Operation::Power => return self.power(first, &values[1]),
            Operation::Minimum | Operation::Maximum => return self.extreme(operation, values),
            Operation::RoundMultiple if values.len() == 2 => return self.multiple(first, &values[1]),
            Operation::IfThen => return self.choice(&values[0], &values[1], &values[2]),
            Operation::Switch => return self.switch(first, &values[1..]),
            Operation::Interpolate => return self.between(first, &values[1..]),
            Operation::SquareRoot => {
                let most = if first.known.is_positive { within([first], most) } else { f64::INFINITY };
                // Of a number below 1 the root is larger than it.
                (called("root"), None, Known { most: most.max(1.0), is_positive: all_positive, ..Known::default() })
            }
            Operation::Exponential => {
                let most = if most.exp() < BEYOND { most.exp() } else { f64::INFINITY };
                (called("exponential"), None, positive(most))
            }
            Operation::BinaryLogarithm => (called("binary_logarithm"), None, bounded(f64::INFINITY)),
            Operation::NaturalLogarithm => (called("natural_logarithm"), None, bounded(f64::INFINITY)),
            Operation::DecimalLogarithm => (called("decimal_logarithm"), None, bounded(f64::INFINITY)),
            Operation::Magnitude => (called("abs"), None, positive(most)),
            Operation::Sign => return Self::sign(first),
            Operation::Sine | Operation::Cosine => {
                let part = if operation == Operation::Sine { "x" } else { "y" };
                let beyond = (most > MAX_ANGLE).then(|| format!("abs({}) > {}", first.text, number(MAX_ANGLE)));
                (format!("{}.{part}", called("sine_cosine")), beyond, bounded(1.0))
            }
            Operation::Tangent => (called("tangent"), first.infinite(), any_number),
            Operation::ArcSine | Operation::ArcCosine => {
                let beyond = (most > 1.0).then(|| called("no_arc"));
                let function = if operation == Operation::ArcSine { "arc_sine" } else { "arc_cosine" };
                (called(function), beyond, bounded(PI))
            }
            Operation::ArcTangent => (format!("angle_of({}, 1.0)", first.text), None, bounded(PI)),
            Operation::ArcTangent2 => {
                let both = first.infinite().zip(values[1].infinite());
                (called("angle_of"), both.map(|(y, x)| format!("{y} & {x}")), bounded(PI))
            }
            Operation::Fraction => (format!("({0} - trunc({0}))", first.text), first.infinite(), bounded(1.0)),
            Operation::Integer => (called("trunc"), None, whole),
            Operation::Floor => (called("floor"), None, whole),
            Operation::Ceiling => (called("ceil"), None, whole),
            Operation::RoundMultiple => (called("nearest"), None, whole),
            Operation::IntegerRemainder => {
                let [a, b] = [0, 1].map(|number: usize| format!("trunc({})", texts[number]));
                let is_zero = format!("{b} == 0.0");
                let beyond = first.infinite().map_or(is_zero.clone(), |infinite| format!("({is_zero}) | {infinite}"));
                (format!("remainder({a}, {b})"), Some(beyond), any_number)
            }
            Operation::Less => return self.compared("<", first, &values[1]),
            Operation::LessOrEqual => return self.compared("<=", first, &values[1]),
            Operation::Greater => return self.compared(">", first, &values[1]),
            Operation::GreaterOrEqual => return self.compared(">=", first, &values[1]),
            Operation::Equal => return self.compared("==", first, &values[1]),
            Operation::NotEqual => return self.compared("!=", first, &values[1]),
            Operation::And => return self.truths(" && ", values),
            Operation::Or => return self.truths(" || ", values),
            Operation::Not => {
                let Value { known, .. } = self.truths("", values);
                return Value { text: format!("truth(!is_true({}))", first.text), known };
            }
        };
        let undefined = self.flag(all_undefined().into_iter().chain(beyond));
        Value { text, known: Known { undefined, ..known } }
    }

    /// -1 of negative numbers, 1 of others and of what is none.
    fn sign(of: &Value) -> Value {
        let is_negative = match &of.known.undefined {
            Some(undefined) => format!("({} < 0.0) & !{undefined}", of.text),
            None => format!("{} < 0.0", of.text),
        };
        let known = Known { most: 1.0, is_never_zero: true, ..Known::default() };
        Value { text: format!("select(1.0, -1.0, {is_negative})"), known }
    }

    fn total(&mut self, values: &[Value], sign: &str) -> Value {
        let minus = sign == " - ";
        let mut flags: Vec<String> = values.iter().filter_map(|value| value.known.undefined.clone()).collect();
        let most = within(values, values.iter().map(|value| value.known.most).sum());
        let mut text = values[0].text.clone();
        let mut is_finite = !values[0].known.may_be_infinite();
        for value in &values[1..] {
            is_finite &= !value.known.may_be_infinite();
            if is_finite {
                text = format!("{text}{sign}{}", value.text);
                continue;
            }
            let all = self.name(&text);
            let other = if minus { format!("(-{})", value.text) } else { value.text.clone() };
            flags.push(format!("no_total({all}, {other})"));
            text = format!("total_of({all}, {other})");
        }
        let undefined = self.flag(flags);
        let is_positive = !minus && values.iter().all(|value| value.known.is_positive);
        let is_never_zero = is_positive && values.iter().any(|value| value.known.is_never_zero);
        let known = Known { undefined, most, is_positive, is_never_zero, ..Known::default() };
        Value { text: format!("({text})"), known }
    }

    fn product(&mut self, values: &[Value]) -> Value {
        let mut flags: Vec<String> = values.iter().filter_map(|value| value.known.undefined.clone()).collect();
        let most = within(values, values.iter().map(|value| value.known.most).product());
        let mut text = values[0].text.clone();
        let mut is_finite = !values[0].known.may_be_infinite();
        for value in &values[1..] {
            is_finite &= !value.known.may_be_infinite();
            if is_finite {
                text = format!("{text} * {}", value.text);
                continue;
            }
            let all = self.name(&text);
            flags.push(format!("no_product({all}, {})", value.text));
            text = format!("product_of({all}, {})", value.text);
        }
        let undefined = self.flag(flags);
        let is_square = values.len() == 2 && values[0].text == values[1].text;
        let is_positive = is_square || values.iter().all(|value| value.known.is_positive);
        let is_never_zero = values.iter().all(|value| value.known.is_never_zero);
        let known = Known { undefined, most, is_positive, is_never_zero, ..Known::default() };
        Value { text: format!("({text})"), known }
    }

    /// Quotients and remainders, which are infinite by 0, whatever is divided.
    fn divided(&mut self, operation: Operation, a: &Value, b: &Value) -> Value {
        let is_quotient = operation == Operation::Quotient;
        let mut flags: Vec<String> = a.undefined_unless_zero(b).into_iter().chain(b.known.undefined.clone()).collect();
        match (a.infinite(), b.infinite()) {
            (Some(a), Some(b)) if is_quotient => flags.push(format!("{a} & {b}")),
            (Some(a), _) if !is_quotient => flags.push(format!("{a} & ({} != 0.0)", b.text)),
            _ => {}
        }
        let function = match is_quotient {
            true if a.known.may_be_infinite() || b.known.may_be_infinite() => "quotient_of",
            true => "quotient",
            false => "remainder",
        };
        let most = if b.known.is_never_zero { within(is_quotient.then_some(a), f64::MAX) } else { f64::INFINITY };
        let is_positive = a.known.is_positive && b.known.is_positive;
        let undefined = self.flag(flags);
        let is_never_zero = is_quotient && a.known.is_never_zero && !b.known.may_be_infinite();
        let text = format!("{function}({}, {})", a.text, b.text);
        Value { text, known: Known { undefined, most, is_positive, is_never_zero, ..Known::default() } }
    }

    /// The power 0 of anything is 1, and so is any power of 1.
    fn power(&mut self, x: &Value, y: &Value) -> Value {
        let of_exponent = y.known.undefined.clone().map(|flag| format!("{flag} & ({} != 1.0)", x.text));
        let is_whole = y.known.number.is_some_and(|number| number == number.floor());
        let no_power = (!x.known.is_positive && !is_whole).then(|| format!("no_power({}, {})", x.text, y.text));
        let both = x.known.undefined.as_ref().zip(y.known.undefined.as_ref());
        let flags = [x.undefined_unless_zero(y), of_exponent, both.map(|(x, y)| format!("{x} & {y}")), no_power];
        let undefined = self.flag(flags.into_iter().flatten());
        let stays_finite = y.known.number.is_some_and(|number| number >= 0.0) && !y.known.may_be_infinite();
        let most = if stays_finite { within([x], f64::MAX) } else { f64::INFINITY };
        let known = Known { undefined, most, is_positive: x.known.is_positive, ..Known::default() };
        Value { text: format!("power({}, {})", x.text, y.text), known }
    }

    /// The smallest or largest: the first stays where it is none, others then do not count.
    fn extreme(&mut self, operation: Operation, values: &[Value]) -> Value {
        let is_minimum = operation == Operation::Minimum;
        let function = if is_minimum { "min" } else { "max" };
        let mut text = values[0].text.clone();
        for value in &values[1..] {
            let next = format!("{function}({text}, {})", value.text);
            text = match &value.known.undefined {
                Some(undefined) => {
                    let all = self.name(&text);
                    format!("select({function}({all}, {}), {all}, {undefined})", value.text)
                }
                None => next,
            };
        }
        let most = values.iter().map(|value| value.known.most).fold(0.0, f64::max);
        let is_positive = match is_minimum {
            true => values.iter().all(|value| value.known.is_positive),
            false => values.iter().any(|value| value.known.is_positive && value.known.undefined.is_none()),
        };
        let undefined = values[0].known.undefined.clone();
        Value { text, known: Known { undefined, most, is_positive, ..Known::default() } }
    }

    /// The nearest multiple of a number, of 0 and of what is infinite none.
    fn multiple(&mut self, x: &Value, of: &Value) -> Value {
        let is_zero = (!of.known.is_never_zero).then(|| format!("{} == 0.0", of.text));
        let Value { text: quotient, known } = self.divided(Operation::Quotient, x, of);
        let times = self.name(&format!("nearest({quotient})"));
        // By 0 the multiple is none already.
        let known = Known { most: within([x, of], f64::MAX), undefined: known.undefined, ..Known::default() };
        let mut product = self.product(&[Value { text: times, known }, of.clone()]);
        let flags = product.known.undefined.take().into_iter().chain(is_zero).chain(of.infinite());
        let undefined = self.flag(flags.chain(x.known.undefined.clone()));
        product.known.undefined = undefined;
        product
    }

    /// With what is none nothing compares, and it differs from everything.
    fn compared(&mut self, sign: &str, a: &Value, b: &Value) -> Value {
        let undefined = self.flag([a, b].into_iter().filter_map(|value| value.known.undefined.clone()));
        let compared = format!("{} {sign} {}", a.text, b.text);
        let text = match undefined {
            None => format!("truth({compared})"),
            Some(undefined) if sign == "!=" => format!("truth(({compared}) | {undefined})"),
            Some(undefined) => format!("truth(({compared}) & !{undefined})"),
        };
        Value { text, known: Known { most: 1.0, is_positive: true, is_truth: true, ..Known::default() } }
    }

    fn truths(&mut self, sign: &str, values: &[Value]) -> Value {
        let all: Vec<String> = values.iter().map(|value| format!("is_true({})", value.text)).collect();
        let flags = values.iter().flat_map(|value| [value.known.undefined.clone(), value.no_truth()]);
        let undefined = self.flag(flags.flatten());
        let known = Known { undefined, most: 1.0, is_positive: true, is_truth: true, ..Known::default() };
        Value { text: format!("truth({})", all.join(sign)), known }
    }

    /// Of what is not chosen nothing counts.
    fn choice(&mut self, by: &Value, yes: &Value, no: &Value) -> Value {
        let is_true = format!("is_true({})", by.text);
        let both = [yes, no];
        let chosen = both.iter().any(|value| value.known.undefined.is_some());
        let chosen = chosen.then(|| format!("select({}, {}, {is_true})", no.undefined(), yes.undefined()));
        let undefined = self.flag([by.known.undefined.clone(), by.no_truth(), chosen].into_iter().flatten());
        let known = Known {
            undefined,
            most: yes.known.most.max(no.known.most),
            is_positive: both.iter().all(|value| value.known.is_positive),
            is_never_zero: both.iter().all(|value| value.known.is_never_zero),
            is_truth: both.iter().all(|value| value.known.is_truth),
            number: None,
        };
        Value { text: format!("select({}, {}, {is_true})", no.text, yes.text), known }
    }

    fn switch(&mut self, by: &Value, cases: &[Value]) -> Value {
        let chosen = |of: &dyn Fn(&Value) -> String| {
            let last = cases.len() - 1;
            (0..last).rev().fold(of(&cases[last]), |others, case| {
                format!("select({others}, {}, {} < {})", of(&cases[case]), by.text, number(case as f64 + 0.5))
            })
        };
        let any = cases.iter().any(|case| case.known.undefined.is_some());
        let none = format!("no_case({}, {})", by.text, number(cases.len() as f64));
        let of_chosen = any.then(|| chosen(&|case| case.undefined().to_owned()));
        let undefined = self.flag(by.known.undefined.clone().into_iter().chain([none]).chain(of_chosen));
        let known = Known {
            undefined,
            most: cases.iter().map(|case| case.known.most).fold(0.0, f64::max),
            is_positive: cases.iter().all(|case| case.known.is_positive),
            is_never_zero: cases.iter().all(|case| case.known.is_never_zero),
            is_truth: cases.iter().all(|case| case.known.is_truth),
            number: None,
        };
        Value { text: chosen(&|case| case.text.clone()), known }
    }

    /// Between pairs of x and y; what is infinite at the begin of a piece makes it none.
    fn between(&mut self, x: &Value, pairs: &[Value]) -> Value {
        let (at, value) = (|pair: usize| &pairs[2 * pair], |pair: usize| &pairs[2 * pair + 1]);
        let last = pairs.len() / 2 - 1;
        let by = &x.text;
        let inside = (1..=last).rev().fold(value(last).text.clone(), |beyond, pair| {
            let [from, to, low, high] = [at(pair - 1), at(pair), value(pair - 1), value(pair)].map(|of| &of.text);
            format!("select({beyond}, ({low} + ({by} - {from}) * ({high} - {low}) / ({to} - {from})), {by} <= {to})")
        });
        let text = format!("select({inside}, {}, {by} <= {})", value(0).text, at(0).text);

        let mut flags = vec![x.known.undefined.clone()];
        flags.extend((0..=last).map(|pair| at(pair).known.undefined.clone()));
        if pairs.iter().any(|value| value.known.may_be_infinite() || value.known.undefined.is_some()) {
            let of_last = value(last).undefined().to_owned();
            let inside = (1..=last).rev().fold(of_last, |beyond, pair| {
                let [from, low, high] = [at(pair - 1), value(pair - 1), value(pair)];
                let undefined = [low, high].map(|value| value.known.undefined.clone());
                let parts = undefined.into_iter().chain([low.infinite(), from.infinite()]);
                let here = self.flag(parts.flatten()).unwrap_or_else(|| "false".to_owned());
                // At the last place its value holds.
                let sign = if pair == last { "<" } else { "<=" };
                format!("select({beyond}, {here}, {by} {sign} {})", at(pair).text)
            });
            flags.push(Some(format!("select({inside}, {}, {by} <= {})", value(0).undefined(), at(0).text)));
        }
        let undefined = self.flag(flags.into_iter().flatten());
        let most = within(pairs, f64::MAX);
        Value { text, known: Known { undefined, most, ..Known::default() } }
    }
}
