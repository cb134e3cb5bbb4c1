//! Axes with round ticks.

use crate::shown::{Shown, number};

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// One axis: the values at its ends and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
    /// What values are multiplied by where they are written.
    factor: f64,
    label: String,
}

/// A place on an axis that is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value there.
    pub value: f64,
    /// How it is written.
    pub text: String,
}

/// Largest magnitude that ticks write without an exponent.
const MAX_PLAIN: f64 = 1e7;
/// Most digits after the point that ticks write without an exponent.
const MAX_DECIMALS: i32 = 5;

impl Axis {
    /// A linear axis that holds these values, its ends moved out to ticks.
    pub fn linear(least: f64, greatest: f64, label: impl Into<String>) -> Self {
        // A range that rounding would swallow gets a width of its own.
        let width = greatest - least;
        let smallest = 1e-9 * least.abs().max(greatest.abs());
        let (least, greatest) = if width > smallest {
            (least, greatest)
        } else {
            let half = if least == 0.0 { 0.5 } else { 0.05 * least.abs() };
            (least - half, greatest + half)
        };
        let step = round_step((greatest - least) / 20.0);
        let from = (least / step).floor() * step;
        let to = (greatest / step).ceil() * step;
        Self { scale: Scale::Linear, from, to, factor: 1.0, label: label.into() }
    }

    /// The same of values in an SI unit, written as people read them: `name [unit]`.
    pub fn of_unit(least: f64, greatest: f64, name: &str, unit: &str) -> Self {
        let shown = Shown::of(unit);
        let label = if matches!(unit, "1" | "") { name.to_owned() } else { format!("{name} [{}]", shown.symbol) };
        let axis = Self::linear(shown.value(least), shown.value(greatest), label);
        let factor = shown.value(1.0);
        Self { from: axis.from / factor, to: axis.to / factor, factor, ..axis }
    }

    /// The same with these very ends.
    pub fn between(from: f64, to: f64, name: &str, unit: &str) -> Self {
        Self { from, to, ..Self::of_unit(from, to, name, unit) }
    }

    /// A logarithmic axis between two values above zero.
    pub fn logarithmic(from: f64, to: f64, label: impl Into<String>) -> Self {
        Self { scale: Scale::Logarithmic, from, to, factor: 1.0, label: label.into() }
    }

    /// What the values are.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The values at both ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Where a value lies: 0 at the axis's start, 1 at its end; what is beyond an end lies on it.
    pub fn position(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic if value <= 0.0 => 0.0,
            Scale::Logarithmic => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        share.clamp(0.0, 1.0)
    }

    /// Round values between the ends, some `wanted` of them.
    pub fn ticks(&self, wanted: u32) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => {
                let ticks = linear_ticks(self.factor * self.from, self.factor * self.to, wanted);
                ticks.into_iter().map(|tick| Tick { value: tick.value / self.factor, ..tick }).collect()
            }
            Scale::Logarithmic => logarithmic_ticks(self.from, self.to, wanted),
        }
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below a width.
pub fn round_step(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    // A width of 2 may be stored as 2.0000000000000004.
    const ROUNDING: f64 = 1.0 + 1e-9;
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| step * ROUNDING >= width)
        .unwrap_or(10.0 * power)
}

fn linear_ticks(from: f64, to: f64, wanted: u32) -> Vec<Tick> {
    let step = round_step((to - from) / f64::from(wanted));
    let (first, last) = ((from / step - 1e-6).ceil() as i64, (to / step + 1e-6).floor() as i64);
    let decimals = -(step.log10() + 1e-9).floor() as i32;
    let plain = from.abs().max(to.abs()) < MAX_PLAIN && decimals <= MAX_DECIMALS;
    let text = |value: f64| match plain {
        true => format!("{value:.*}", decimals.max(0) as usize),
        false => number(value),
    };
    // A whole number times the step: no sum of steps that would drift, and no -0.
    (first..=last).map(|index| index as f64 * step + 0.0).map(|value| Tick { value, text: text(value) }).collect()
}

fn logarithmic_ticks(from: f64, to: f64, wanted: u32) -> Vec<Tick> {
    let (first, last) = ((from.log10() - 1e-9).ceil() as i32, (to.log10() + 1e-9).floor() as i32);
    let stride = (last - first).max(1).unsigned_abs().div_ceil(wanted) as i32;
    let factors: &[f64] = if last - first < 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = (first - 1..=last).filter(|power| (power - last) % stride == 0);
    let values = powers.flat_map(|power| factors.iter().map(move |factor| (power, *factor)));
    values
        .map(|(power, factor)| Tick { value: factor * 10f64.powi(power), text: power_text(power, factor) })
        .filter(|tick| (from * (1.0 - 1e-9)..=to * (1.0 + 1e-9)).contains(&tick.value))
        .collect()
}

fn power_text(power: i32, factor: f64) -> String {
    match power {
        0..=4 => format!("{}", factor * 10f64.powi(power)),
        -2..=-1 => format!("{:.*}", power.unsigned_abs() as usize, factor * 10f64.powi(power)),
        _ => format!("{factor}e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, wanted: u32) -> Vec<String> {
        axis.ticks(wanted).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_written_alike() {
        assert_eq!(texts(&Axis::linear(0.0, 1.0, ""), 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&Axis::linear(-3.2, 9.7, ""), 5), ["0", "5", "10"]);
        assert_eq!(texts(&Axis::linear(-0.031, 0.04, ""), 4), ["-0.02", "0.00", "0.02", "0.04"]);
        assert_eq!(texts(&Axis::linear(0.0, 3e9, ""), 3), ["0", "1.000e9", "2.000e9", "3.000e9"]);
    }

    #[test]
    fn angles_have_round_ticks_in_degrees_at_places_in_radians() {
        let axis = Axis::of_unit(-0.1, 0.35, "pitch", "rad");
        assert_eq!((axis.label(), texts(&axis, 3)), ("pitch [deg]", ["0", "10", "20"].map(str::to_owned).to_vec()));
        assert!((axis.ticks(3)[2].value - 20.0_f64.to_radians()).abs() < 1e-15);
        assert_eq!(Axis::of_unit(0.0, 1.0, "x", "m"), Axis::linear(0.0, 1.0, "x [m]"));
        assert_eq!(Axis::of_unit(0.0, 1.0, "count", "1").label(), "count");
    }

    #[test]
    fn logarithmic_ticks_are_powers_and_fill_short_axes() {
        assert_eq!(texts(&Axis::logarithmic(1e-4, 1.0, ""), 6), ["1e-4", "1e-3", "0.01", "0.1", "1"]);
        assert_eq!(
            texts(&Axis::logarithmic(1e-12, 1.0, ""), 6),
            ["1e-12", "1e-10", "1e-8", "1e-6", "1e-4", "0.01", "1"]
        );
        assert_eq!(texts(&Axis::logarithmic(1e-12, 1.0, ""), 5), ["1e-12", "1e-9", "1e-6", "1e-3", "1"]);
        assert_eq!(texts(&Axis::logarithmic(0.15, 2.5, ""), 6), ["0.2", "0.5", "1", "2"]);
        assert_eq!(texts(&Axis::logarithmic(10.0, 1e6, ""), 6), ["10", "100", "1000", "10000", "1e5", "1e6"]);
    }

    #[test]
    fn ends_hold_all_values_and_one_value_has_room() {
        for (least, greatest) in [(0.0, 1.0), (-3.7, 88.1), (5.0, 5.0), (0.0, 0.0), (1e6, 1e6 + 1e-6), (-1e12, 1e12)] {
            let axis = Axis::linear(least, greatest, "");
            let (from, to) = axis.ends();
            assert!(from <= least && greatest <= to && from < to, "{least} {greatest}: {from} {to}");
            assert!(axis.ticks(5).len() >= 2 && axis.ticks(5).len() <= 12, "{least} {greatest}: {:?}", axis.ticks(5));
        }
    }

    #[test]
    fn positions_are_shares_and_never_outside() {
        let linear = Axis::linear(0.0, 10.0, "");
        assert_eq!([-1.0, 0.0, 2.5, 10.0, 11.0].map(|value| linear.position(value)), [0.0, 0.0, 0.25, 1.0, 1.0]);
        let logarithmic = Axis::logarithmic(1e-4, 1.0, "");
        assert_eq!(
            [0.0, -1.0, 1e-9, 1e-4, 1.0, 7.0].map(|value| logarithmic.position(value)),
            [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
        );
        assert!((logarithmic.position(1e-2) - 0.5).abs() < 4.0 * f64::EPSILON, "a few roundings of logarithms");
    }
}
